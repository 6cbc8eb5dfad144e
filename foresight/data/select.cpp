#include "foresight/data/select.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include <fmt/ranges.h>

#include "foresight/base/error.h"
#include "foresight/base/options.h"
#include "foresight/base/rng.h"

namespace foresight {
namespace {

Dataset gather_labelled(Schema schema, Provenance provenance, std::span<const Instance> instances,
                        const std::vector<Label>* labels) {
  Dataset data = Dataset::gather(std::move(schema), std::move(provenance), instances);
  return labels ? data.with_labels(*labels) : data;
}

/// How errors call a dataset.
std::string called(std::span<const Dataset> datasets, std::size_t i) {
  const std::string origin = datasets[i].origin();
  if (origin.empty()) return fmt::format("dataset {}", i);
  return origin.substr(0, origin.size() - 2);  // without ": "
}

std::string list(const std::vector<std::string>& names) {
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

/// What two lists of names differ in; empty if they are equal.
std::string difference(const char* what, const std::vector<std::string>& a,
                       const std::vector<std::string>& b) {
  if (a == b) return {};
  const bool reordered = std::ranges::is_permutation(a, b);
  return fmt::format("their {} are {} and {}{}", what, list(a), list(b),
                     reordered ? ", the same in another order" : "");
}

bool has_fixed_nodes(const Dataset& data) {
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (data.instance(i).market().num_fixed > 0) return true;
  }
  return false;
}

/// What two datasets differ in; empty if they fit together.
std::string difference(const Dataset& a, const Dataset& b) {
  const Schema& s = a.schema();
  const Schema& t = b.schema();
  if (s.problem != t.problem) {
    return fmt::format("their problems are {} and {}", s.problem, t.problem);
  }
  for (const std::string& found :
       {difference("fixed attributes", s.fixed_attributes, t.fixed_attributes),
        difference("arrival attributes", s.arrival_attributes, t.arrival_attributes),
        difference("topics", s.topics, t.topics)}) {
    if (!found.empty()) return found;
  }
  const auto only_one = [](const char* what, bool first) {
    return fmt::format("only the {} has {}", first ? "first" : "second", what);
  };
  // Data without any node or edge says nothing about them.
  if (s.capacities != t.capacities && has_fixed_nodes(a) && has_fixed_nodes(b)) {
    return only_one("capacities", s.capacities);
  }
  if (s.costs != t.costs && a.num_edges() > 0 && b.num_edges() > 0) {
    return only_one("costs of edges", s.costs);
  }
  return {};
}

/// The common source and seed, or a text that names all sources and is not a spec.
Provenance joined_provenance(std::span<const Dataset> datasets) {
  constexpr std::string_view kSeveral = "several sources: ";
  std::vector<std::string> sources;
  Provenance provenance = datasets.front().provenance();
  for (const Dataset& data : datasets) {
    const Provenance& other = data.provenance();
    if (std::ranges::find(sources, other.source) == sources.end()) sources.push_back(other.source);
    if (other.seed != provenance.seed) provenance.seed = 0;
  }
  if (sources.size() == 1) return provenance;
  for (std::string& source : sources) {
    if (source.starts_with(kSeveral)) source.erase(0, kSeveral.size());
  }
  return {fmt::format("{}{}", kSeveral, fmt::join(sources, "; ")), 0};
}

Part parse_part(std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::string name(text.substr(0, equals));
  if (equals == std::string_view::npos || !is_spec_name(name)) {
    fail(ErrorCode::kUsage,
         "a part must be NAME=SIZE with a name of letters, digits, '-' and '_', got \"{}\"", text);
  }
  std::string_view size = text.substr(equals + 1);
  if (size == "rest") return {name, Part::Rest()};
  const bool share = size.ends_with('%');
  const std::string_view digits = size.substr(0, size.size() - (share ? 1 : 0));
  std::uint64_t count = 0;
  double percent = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = share ? std::from_chars(digits.data(), end, percent)
                                   : std::from_chars(digits.data(), end, count);
  if (error != std::errc() || stop != end || !(percent >= 0 && percent <= 100)) {
    fail(ErrorCode::kUsage,
         "part \"{}\" must have a number of instances, a share such as 70%, or rest, got \"{}\"",
         name, size);
  }
  if (share) return {name, percent / 100};
  return {name, count};
}

/// What parts ask for in all.
struct Claims {
  double number = 0;  // of instances
  double share = 0;
  std::size_t with_number = 0, with_share = 0;  // how many parts
};

Claims add_up(std::span<const Part> parts) {
  Claims claims;
  for (const Part& part : parts) {
    if (std::ranges::count(parts, part.name, &Part::name) > 1) {
      fail(ErrorCode::kUsage, "part \"{}\" is given twice", part.name);
    }
    if (const auto* number = std::get_if<std::uint64_t>(&part.size)) {
      claims.number += static_cast<double>(*number);
      ++claims.with_number;
    } else if (const auto* share = std::get_if<double>(&part.size)) {
      if (!(*share >= 0 && *share <= 1)) {
        fail(ErrorCode::kUsage, "the share of part \"{}\" must be 0..1, got {}", part.name, *share);
      }
      claims.share += *share;
      ++claims.with_share;
    }
  }
  return claims;
}

}  // namespace

Dataset Dataset::select(std::span<const std::size_t> indices) const {
  std::vector<Instance> instances;
  std::vector<Label> labels;
  instances.reserve(indices.size());
  for (const std::size_t i : indices) {
    if (i >= size()) {
      fail(ErrorCode::kUsage, "{}there is no instance {}; the number of instances is {}", origin(),
           i, size());
    }
    instances.push_back(instance(i));
    if (labelled()) labels.push_back(label(i));
  }
  return gather_labelled(schema_, provenance_, instances, labelled() ? &labels : nullptr);
}

Dataset join(std::span<const Dataset> datasets) {
  if (datasets.empty()) fail(ErrorCode::kUsage, "there are no datasets to join");
  const bool labelled = std::ranges::all_of(datasets, &Dataset::labelled);
  std::vector<Instance> instances;
  std::vector<Label> labels;
  for (std::size_t i = 0; i < datasets.size(); ++i) {
    const Dataset& data = datasets[i];
    if (const std::string found = difference(datasets[0], data); !found.empty()) {
      fail(ErrorCode::kData, "{} and {} cannot be joined: {}", called(datasets, 0),
           called(datasets, i), found);
    }
    for (std::size_t k = 0; k < data.size(); ++k) {
      instances.push_back(data.instance(k));
      if (labelled) labels.push_back(data.label(k));
    }
  }
  const Horizon& horizon = datasets[0].schema().horizon;
  const bool agree = std::ranges::all_of(
      datasets, [&](const Dataset& data) { return data.schema().horizon == horizon; });
  const Dataset all = gather_labelled(datasets[0].schema(), joined_provenance(datasets), instances,
                                      labelled ? &labels : nullptr);
  return agree ? all : all.with_horizon(Horizon::from_past(all.lengths()));
}

std::vector<Part> parse_parts(const std::string& text) {
  std::vector<Part> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    parts.push_back(parse_part(std::string_view(text).substr(begin, end - begin)));
    begin = end + 1;
  }
  return parts;
}

std::vector<std::size_t> part_sizes(std::span<const Part> parts, std::size_t size) {
  const Claims claims = add_up(parts);
  const bool shares = claims.with_share > 0;
  const std::size_t rests = parts.size() - claims.with_number - claims.with_share;
  if (parts.empty()) fail(ErrorCode::kUsage, "there are no parts to split the instances into");
  if (rests > 1) fail(ErrorCode::kUsage, "only one part can be the rest, but {} are", rests);
  if (shares && claims.with_number > 0) {
    fail(ErrorCode::kUsage, "some parts have numbers and others have shares; use one or the other");
  }
  constexpr double kRounding = 1e-9;
  const double whole = static_cast<double>(size);
  const double claimed = shares ? claims.share * whole : claims.number;
  const bool too_many = claimed > whole * (1 + kRounding);
  if (too_many || (rests == 0 && claimed < whole * (1 - kRounding))) {
    fail(ErrorCode::kUsage, "the parts add up to {} of {} instances; {}",
         shares ? fmt::format("{:.6g} %", 100 * claims.share) : fmt::format("{}", claims.number),
         size, too_many ? "expected no more than all" : "one part may have the size rest");
  }

  std::vector<std::size_t> sizes;
  double end = 0;  // of the part, before rounding
  std::size_t begin = 0;
  for (const Part& part : parts) {
    const auto* number = std::get_if<std::uint64_t>(&part.size);
    const auto* share = std::get_if<double>(&part.size);
    end += number ? static_cast<double>(*number) : share ? *share * whole : whole - claimed;
    const auto rounded = std::min(size, static_cast<std::size_t>(std::llround(end)));
    if (rounded <= begin) {
      fail(ErrorCode::kUsage, "part \"{}\" would have none of the {} instances", part.name, size);
    }
    sizes.push_back(rounded - begin);
    begin = rounded;
  }
  return sizes;
}

std::vector<Dataset> split(const Dataset& data, std::span<const Part> parts,
                           std::optional<std::uint64_t> shuffle_seed) {
  const std::vector<std::size_t> sizes = part_sizes(parts, data.size());
  std::vector<std::size_t> order(data.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (shuffle_seed) {
    const auto count = static_cast<std::int32_t>(data.size());
    const auto shuffled = Rng(*shuffle_seed, Stream::kShuffle, 0).sample(count, count);
    order.assign(shuffled.begin(), shuffled.end());
  }
  std::vector<Dataset> datasets;
  std::span<const std::size_t> rest(order);
  for (const std::size_t size : sizes) {
    datasets.push_back(data.select(rest.first(size)));
    rest = rest.subspan(size);
  }
  // What is expected of the future is what the past shows, and nothing else.
  if (data.schema().horizon.is_expected()) {
    const Horizon learned = Horizon::from_past(datasets.front().lengths());
    for (Dataset& part : datasets) part = part.with_horizon(learned);
  }
  return datasets;
}

}  // namespace foresight
