#include <algorithm>

#include <fmt/format.h>

#include "foresight/base/error.h"
#include "foresight/base/format.h"
#include "foresight/cli/command.h"
#include "foresight/cli/inspect_internal.h"
#include "foresight/data/base_graph.h"
#include "foresight/data/figures.h"

namespace foresight {
namespace {

using Json = nlohmann::ordered_json;

/// With as many digits as say something, and groups of three in large whole numbers.
std::string number(double value) {
  const auto whole = static_cast<std::int64_t>(value);
  if (static_cast<double>(whole) == value) return human_count(whole);
  return fmt::format("{:.4g}", value);
}

std::string count(std::size_t value) {
  return human_count(static_cast<std::int64_t>(value));
}

std::string range(double low, double high) {
  return low == high ? number(low) : number(low) + " to " + number(high);
}

/// "35 to 119 per instance, mean 78.2"; only one number if all are equal.
std::string spread(const Distribution& d, const std::string& per = "") {
  const std::string text = range(d.minimum, d.maximum) + per;
  return d.minimum == d.maximum ? text : fmt::format("{}, mean {}", text, number(d.mean));
}

std::string amounts(const Distribution& d) {
  if (d.count == 0) return "none";
  if (d.minimum == d.maximum) return "all " + number(d.minimum);
  return fmt::format("{}, median {}, mean {}, 99 % up to {}", range(d.minimum, d.maximum),
                     number(d.median), number(d.mean), number(d.percentile99));
}

std::string list(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text.empty() ? "none" : text;
}

std::string list(const std::vector<AttributeFigures>& attributes) {
  std::vector<std::string> words;
  for (const AttributeFigures& a : attributes) {
    words.push_back(fmt::format("{} ({})", a.name, range(a.minimum, a.maximum)));
  }
  return list(words);
}

Json to_json(const Distribution& d) {
  if (d.count == 0) return nullptr;
  return {{"count", d.count}, {"min", d.minimum},      {"median", d.median},
          {"mean", d.mean},   {"p99", d.percentile99}, {"max", d.maximum}};
}

Json to_json(const std::vector<AttributeFigures>& attributes) {
  Json json = Json::array();
  for (const AttributeFigures& a : attributes) {
    json.push_back({{"name", a.name}, {"min", a.minimum}, {"max", a.maximum}});
  }
  return json;
}

bool matches_in_units(const std::string& problem) {
  return problems().knows(problem) && problems().make(problem)->traits().units();
}

std::vector<std::string> notes_on(const Dataset& data, const DataFigures& f, const char* arrival) {
  std::vector<std::string> notes;
  if (f.capacities.count == 0 && f.absent == 0 && matches_in_units(data.schema().problem)) {
    notes.emplace_back("no capacities: each fixed node is matched at most once per instance");
  }
  if (f.weights.count > 0 && f.weights.minimum == f.weights.maximum) {
    notes.push_back(fmt::format("all weights are {}: only the number of matches counts",
                                number(f.weights.maximum)));
  } else if (f.weights.long_tail()) {
    notes.push_back(fmt::format(
        "the largest weight, {}, is more than a hundred times the median, {}: a few matches decide "
        "the result",
        number(f.weights.maximum), number(f.weights.median)));
  }
  if (f.lonely_arrivals > 0) {
    notes.push_back(fmt::format("{}s without edges: {}; nothing can be matched to them", arrival,
                                count(f.lonely_arrivals)));
  }
  if (f.lonely_nodes > 0) {
    notes.push_back(fmt::format("fixed nodes without edges, though present: {}{}",
                                count(f.lonely_nodes),
                                f.instances > 1 ? ", counted in every instance" : ""));
  }
  if (f.named_nodes == 0) notes.emplace_back("no names: fixed nodes are shown by their number");
  return notes;
}

/// What these arrivals would take of the capacities if a match took the mean of all edges.
std::string demand(const DataFigures& f, const Schema& schema) {
  const Traits traits = problems().make(schema.problem)->traits();
  if (!traits.amounts()) return {};
  const double mean = f.costs.count > 0 ? f.costs.mean : f.weights.mean;
  return fmt::format(" that would take about {}", number(f.arrivals.mean * mean));
}

/// The figures that all kinds of data have. `types`: what arrives are types, each once.
Inspected describe(const Dataset& data, const std::string& kind, bool types = false) {
  const DataFigures f = measure(data);
  const Schema& schema = data.schema();
  const auto nodes =
      static_cast<std::size_t>(f.fixed.mean * static_cast<double>(f.instances) + 0.5);
  const char* arrival = types ? "arrival type" : "arrival";
  Inspected found;
  auto& facts = found.facts;
  facts.emplace_back("problem", schema.problem);
  facts.emplace_back("source", data.provenance().source);
  if (!types) {
    facts.emplace_back("seed", fmt::to_string(data.provenance().seed));
    facts.emplace_back("instances", count(f.instances));
  }
  if (!types) facts.emplace_back("horizon", schema.horizon.describe() + " to policies");
  facts.emplace_back("fixed nodes", spread(f.fixed));
  facts.emplace_back(std::string(arrival) + "s",
                     f.instances > 1
                         ? fmt::format("{}; {} in all", spread(f.arrivals, " per instance"),
                                       human_count(data.num_arrivals()))
                         : spread(f.arrivals));
  facts.emplace_back("edges", fmt::format("{}; {}", human_count(data.num_edges()),
                                          spread(f.degrees, fmt::format(" per {}", arrival))));
  facts.emplace_back("without edges",
                     fmt::format("{} {}s, {} fixed nodes", count(f.lonely_arrivals), arrival,
                                 count(f.lonely_nodes)));
  facts.emplace_back("weights", amounts(f.weights));
  facts.emplace_back("costs", amounts(f.costs));
  facts.emplace_back("capacities", amounts(f.capacities));
  if (f.capacities.count > 0) {
    facts.emplace_back(
        "total capacity",
        types ? number(f.total_capacity)
              : fmt::format("{} per instance, for {} arrivals on average{}",
                            number(f.total_capacity), number(f.arrivals.mean), demand(f, schema)));
  }
  if (f.absent > 0) {
    facts.emplace_back("absent",
                       fmt::format("{} of {} fixed nodes (capacity 0), counted in every instance",
                                   count(f.absent), count(nodes)));
  }
  facts.emplace_back("fixed attributes", list(f.fixed_attributes));
  facts.emplace_back("arrival attributes", list(f.arrival_attributes));
  facts.emplace_back("topics", list(schema.topics));
  facts.emplace_back(
      "names",
      f.named_nodes + f.named_arrivals == 0
          ? "none"
          : fmt::format("{} of {} fixed nodes, {} of {} {}s", count(f.named_nodes), count(nodes),
                        count(f.named_arrivals), human_count(data.num_arrivals()), arrival));
  found.notes = notes_on(data, f, arrival);
  found.json = {{"kind", kind},
                {"problem", schema.problem},
                {"source", data.provenance().source},
                {"seed", data.provenance().seed},
                {"instances", f.instances},
                {"fixed_nodes", to_json(f.fixed)},
                {types ? "arrival_types" : "arrivals", to_json(f.arrivals)},
                {"horizon", schema.horizon.to_string()},
                {"edges", data.num_edges()},
                {"degrees", to_json(f.degrees)},
                {"arrivals_without_edges", f.lonely_arrivals},
                {"fixed_nodes_without_edges", f.lonely_nodes},
                {"weights", to_json(f.weights)},
                {"costs", to_json(f.costs)},
                {"capacities", to_json(f.capacities)},
                {"total_capacity", f.total_capacity},
                {"absent", f.absent},
                {"fixed_attributes", to_json(f.fixed_attributes)},
                {"arrival_attributes", to_json(f.arrival_attributes)},
                {"topics", schema.topics},
                {"named_fixed_nodes", f.named_nodes},
                {"named_arrivals", f.named_arrivals},
                {"labelled", data.labelled()}};
  if (!types) {
    facts.emplace_back("optima", data.labelled() ? fmt::format("{} proven, mean value {:.4f}",
                                                               count(f.proven), f.mean_optimum)
                                                 : "none");
  }
  if (data.labelled()) {
    found.json["proven"] = f.proven;
    found.json["mean_optimum"] = f.mean_optimum;
  }
  return found;
}

Inspected complete(Inspected found) {
  found.json["notes"] = found.notes;
  found.json["next"] = found.next;
  return found;
}

/// The base graph as one instance in which every type arrives once.
Dataset every_type_once(const BaseGraph& graph, const std::string& spec) {
  InstanceBuilder builder(graph.num_fixed);
  builder.set_capacities(graph.capacities);
  builder.set_attributes(graph.fixed_attributes, graph.schema.fixed_attributes.size());
  const std::size_t width = graph.schema.arrival_attributes.size();
  for (std::size_t i = 0; i < graph.num_types(); ++i) {
    const auto begin = static_cast<std::size_t>(graph.edge_begin[i]);
    const auto degree = static_cast<std::size_t>(graph.edge_begin[i + 1]) - begin;
    Arrival arrival{.nodes = std::span(graph.nodes).subspan(begin, degree),
                    .weights = std::span(graph.weights).subspan(begin, degree),
                    .type = static_cast<std::int32_t>(i),
                    .preferences = {},
                    .attributes = std::span(graph.arrival_attributes).subspan(i * width, width)};
    if (graph.schema.costs) arrival.costs = std::span(graph.costs).subspan(begin, degree);
    builder.arrive(arrival);
  }
  const Instance all[] = {std::move(builder).build()};
  return Dataset::gather(graph.schema, {spec, 0}, all);
}

std::string train_command(const std::string& spec) {
  return fmt::format("{} train auto --train {}", program_name(), shell_quoted(spec));
}

}  // namespace

Inspected inspect_dataset(const std::filesystem::path& file) {
  const Dataset data = Dataset::load(file);
  Inspected found = describe(data, "dataset");
  found.title = fmt::format("dataset {}", file.string());
  found.facts.emplace_back("digest", data.digest());
  found.facts.emplace_back("size", human_bytes(std::filesystem::file_size(file)));
  found.json["file"] = file.string();
  found.json["digest"] = data.digest();
  const std::string name = shell_quoted(file.string());
  found.next = data.labelled() ? fmt::format("{} evaluate {} --policy greedy", program_name(), name)
                               : fmt::format("{} solve {}", program_name(), name);
  return complete(std::move(found));
}

Inspected inspect_log(const std::filesystem::path& file, const std::string& fixed) {
  Spec spec{"recorded", {{"path", file.string()}}};
  if (!fixed.empty()) spec.values.emplace_back("fixed", fixed);
  return inspect_source(spec.to_string());
}

Inspected inspect_graph(const std::filesystem::path& folder) {
  const std::string spec =
      Spec{"csv", {{"path", folder.string()}, {"u", "0"}, {"v", "0"}}}.to_string();
  const auto source = sources().make(spec);
  const auto* graph = dynamic_cast<const BaseGraphSource*>(source.get());
  if (!graph) return inspect_source(spec);
  Inspected found = describe(every_type_once(graph->graph(), spec), "base graph", /*types=*/true);
  found.title = fmt::format("base graph {}", folder.string());
  found.json.erase("seed");
  found.json.erase("instances");
  found.next = train_command(spec);
  return complete(std::move(found));
}

Inspected inspect_source(const std::string& spec) {
  constexpr std::uint64_t kDrawn = 100;
  const BoundSource source = bind_source(spec);
  TerminalProgress progress;
  const Dataset data =
      generate(source, GenerateOptions().seed, source.size().value_or(kDrawn), 0, progress);
  Inspected found = describe(data, source.size() ? "recorded instances" : "drawn instances");
  found.title = fmt::format("{} {}", source.size() ? "recorded instances" : "instances drawn from",
                            source.spec());
  const bool log = source.size() && data.size() >= 3;
  if (source.size() && data.size() < 10) {
    found.notes.emplace_back("few instances: what is found in them may be chance");
  }
  constexpr std::size_t kEnoughForShares = 7;  // so that 15 % are at least one
  if (log) {
    found.next = fmt::format(
        "{} split {} -o data --parts {}", program_name(), shell_quoted(source.spec()),
        data.size() < kEnoughForShares ? "train=rest,val=1,test=1" : "train=70%,val=15%,test=rest");
  } else if (!source.size()) {
    found.next = train_command(source.spec());
  }
  return complete(std::move(found));
}

}  // namespace foresight
