#include "foresight/problem/bound.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "foresight/base/error.h"
#include "foresight/base/files.h"
#include "foresight/base/parallel.h"
#include "foresight/problem/state.h"

namespace foresight {
namespace {

/// Sums of gains differ by rounding if the order differs.
constexpr double kRounding = 1e-5;

void check_columns(const Schema& schema, const Instance& instance) {
  const auto check = [](std::size_t found, std::size_t named, std::size_t rows, const char* what) {
    if (found == named || rows == 0) return;
    fail(ErrorCode::kData, "its {} must have {} columns, as many as the schema names, got {}", what,
         named, found);
  };
  const InstanceView& view = instance.view();
  const auto fixed = static_cast<std::size_t>(view.market.num_fixed);
  const auto arrivals = static_cast<std::size_t>(instance.num_arrivals());
  check(view.market.attributes.width, schema.fixed_attributes.size(), fixed, "fixed attributes");
  check(view.attributes.width, schema.arrival_attributes.size(), arrivals, "arrival attributes");
  const auto check_presence = [](bool found, bool named, const char* what) {
    if (found == named) return;
    fail(ErrorCode::kData, "it has {}{}, but the schema says that instances have {}",
         found ? "" : "no ", what, named ? "some" : "none");
  };
  if (fixed > 0) check_presence(!view.market.capacities.empty(), schema.capacities, "capacities");
  if (instance.num_edges() > 0) check_presence(!view.costs.empty(), schema.costs, "costs");
  if (view.preferences.width > 0) {
    check(view.preferences.width, schema.topics.size(), arrivals, "preferences");
  }
}

void check_one(const BoundDataset& data, std::size_t i) {
  const Instance instance = data.instance(i);
  check_instance(data.problem(), instance);
  if (data.labelled()) {
    try {
      check_label(data.problem(), instance, data.label(i));
    } catch (const Error& error) {
      fail(ErrorCode::kData, "{}; `foresight solve FILE --again` replaces all labels",
           error.what());
    }
  }
}

std::shared_ptr<const Problem> problem_of(const Dataset& data) {
  try {
    return problems().make(data.schema().problem);
  } catch (const Error& error) {
    fail(error.code(), "{}{}", data.origin(), error.what());
  }
}

/// The lengths of the first instances.
Horizon measured(const BoundSource& source) {
  constexpr std::uint64_t kEnough = 200;
  std::vector<int> lengths;
  for (std::uint64_t i = 0; i < std::min(kEnough, source.size().value_or(kEnough)); ++i) {
    lengths.push_back(source.draw(/*seed=*/0, i).num_arrivals());
  }
  return Horizon::from_past(lengths);
}

std::string normal(const std::string& spec) {
  return Spec::parse(spec).to_string();
}

}  // namespace

void check_label(const Problem& problem, const Instance& instance, const Label& label) {
  validate(label, instance);
  State state(problem, instance.market());
  for (int t = 0; t < instance.num_arrivals(); ++t) {
    state.arrive(instance.arrival(t));
    const NodeId node = label.matching[static_cast<std::size_t>(t)];
    try {
      state.decide(node);
    } catch (const Error&) {
      fail(ErrorCode::kData,
           "its label matches arrival {} to node {}, of which too little is left: {} remain", t,
           node, state.remaining(node));
    }
  }
  if (!(std::abs(state.value() - label.value) <= kRounding * state.value())) {
    fail(ErrorCode::kData, "its label has the value {}, but its matching is worth {}", label.value,
         state.value());
  }
  if (!(label.bound >= label.value)) {
    fail(ErrorCode::kData, "its label's bound {} is below its value {}", label.bound, label.value);
  }
}

BoundDataset bind_data(Dataset data) {
  auto problem = problem_of(data);
  BoundDataset bound(std::move(data), std::move(problem));
  constexpr std::size_t kChunk = 64;
  parallel_for((bound.size() + kChunk - 1) / kChunk, 0, [&](std::size_t chunk) {
    for (std::size_t i = chunk * kChunk; i < std::min(bound.size(), (chunk + 1) * kChunk); ++i) {
      try {
        check_one(bound, i);
      } catch (const Error& error) {
        fail(ErrorCode::kData, "{}instance {}: {}", bound.origin(), i, error.what());
      }
    }
  });
  return bound;
}

BoundDataset with_labels(const BoundDataset& data, std::span<const Label> labels) {
  return {data.with_labels(labels), data.problem_};
}

BoundDataset told(const BoundDataset& data, const Horizon& horizon) {
  return {data.with_horizon(horizon), data.problem_};
}

BoundSource told(BoundSource source, const Horizon& horizon) {
  source.schema_.horizon = horizon.is_known() ? Horizon() : horizon;
  return source;
}

Horizon choose_horizon(const std::string& text,
                       const std::variant<BoundSource, BoundDataset>& data) {
  const auto& schema = std::visit([](const auto& d) -> const Schema& { return d.schema(); }, data);
  if (text.empty()) return schema.horizon;
  if (text == "known") return {};
  if (text == "unknown") return Horizon::unknown();
  if (text == "expected") {
    if (schema.horizon.is_expected()) return schema.horizon;
    if (const auto* set = std::get_if<BoundDataset>(&data)) {
      return Horizon::from_past(set->lengths());
    }
    return measured(std::get<BoundSource>(data));
  }
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !(number > 0) ||
      number > kMaxNodes) {
    fail(
        ErrorCode::kUsage,
        "the horizon is \"{}\"; expected known, expected, unknown, or a number of arrivals above 0",
        text);
  }
  return Horizon::expected(number, std::sqrt(number));  // as a count of independent events varies
}

Instance BoundSource::draw(std::uint64_t seed, std::uint64_t index) const {
  try {
    Instance instance = source_->draw(seed, index);
    check_instance(*problem_, instance);
    check_columns(schema_, instance);
    return instance.told(schema_.horizon);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kData) throw;
    fail(ErrorCode::kData, "{}: instance {}: {}", spec_, index, error.what());
  }
}

BoundSource bind_source(const std::string& spec, const std::string& problem) {
  BoundSource bound;
  bound.spec_ = normal(spec);
  bound.source_ = sources().make(spec);
  bound.schema_ = bound.source_->schema();
  if (!problem.empty()) bound.schema_.problem = normal(problem);
  bound.problem_ = problems().make(bound.schema_.problem);
  return bound;
}

void GenerateOptions::read(OptionReader& o) {
  o.count("count", count, 0, 1'000'000'000, "number of instances; 0: 1,000, or all recorded ones");
  o.text("problem", problem, "the problem of the instances; without it, the source's own");
  o.seed(seed);
  o.threads(threads);
}

BoundDataset generate(const std::string& source, const GenerateOptions& options,
                      Progress& progress) {
  constexpr std::uint64_t kDefaultCount = 1000;
  check(options, "generate");
  const BoundSource bound = bind_source(source, options.problem);
  const std::uint64_t count =
      options.count > 0 ? options.count : bound.size().value_or(kDefaultCount);
  progress.begin("generating", static_cast<std::int64_t>(count), "instances");
  BoundDataset data = generate(bound, options.seed, count, options.threads, progress);
  progress.end();
  return data;
}

BoundDataset generate(const BoundSource& source, std::uint64_t seed, std::uint64_t count,
                      int threads, Progress& progress) {
  return bind_data(generate(source, Provenance{source.spec(), seed}, count, threads, progress));
}

BoundInstances bind_instances(const Problem& problem, std::span<const Instance> instances) {
  for (std::size_t i = 0; i < instances.size(); ++i) {
    try {
      check_instance(problem, instances[i]);
    } catch (const Error& error) {
      fail(ErrorCode::kData, "instance {}: {}", i, error.what());
    }
  }
  return {problem, instances};
}

bool same_problem(const Schema& a, const Schema& b) {
  return problems().canonical(a.problem) == problems().canonical(b.problem);
}

std::variant<BoundSource, BoundDataset> open_data(const std::string& text) {
  if (sources().knows(text)) return bind_source(text);
  if (path_exists(text)) return bind_data(Dataset::load(text));
  // Neither exists. If the text looks like a spec, the error is about sources.
  if (text.find_first_of("(/.") == std::string::npos || text.find('(') != std::string::npos) {
    sources().make(text);
  }
  fail(ErrorCode::kIo, "{}: there is no dataset file with this path, and no source with this name",
       text);
}

}  // namespace foresight
