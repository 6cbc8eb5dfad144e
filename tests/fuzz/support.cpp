#include "tests/fuzz/support.h"

#define XXH_INLINE_ALL  // header only, so nothing has to be linked
#include <algorithm>
#include <sstream>
#include <stdexcept>

#include <fmt/format.h>
#include <xxhash.h>

#include "foresight/base/error.h"
#include "foresight/base/rng.h"
#include "foresight/policy/play.h"
#include "foresight/solve/solver.h"

namespace foresight {

std::string with_digest(std::string_view file) {
  constexpr std::string_view kKey = "\"digest\":\"";
  constexpr std::size_t kDigits = 32;
  std::string repaired(file);
  const std::size_t key = repaired.find(kKey);
  if (key == std::string::npos || repaired.size() < key + kKey.size() + kDigits) return repaired;
  repaired.replace(key + kKey.size(), kDigits, kDigits, '0');
  const XXH128_hash_t hash = XXH3_128bits(repaired.data(), repaired.size());
  repaired.replace(key + kKey.size(), kDigits,
                   fmt::format("{:016x}{:016x}", hash.high64, hash.low64));
  return repaired;
}

std::string bytes_of(const std::function<void(const std::filesystem::path&)>& write) {
  const TempFolder folder;
  write(folder.path() / "file");
  std::ifstream file(folder.path() / "file", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_files(const TempFolder& folder, std::string_view text,
                 const std::vector<std::string>& names) {
  constexpr std::string_view kStart = "== ";
  while (!text.empty()) {
    const std::size_t end = std::min(text.find("\n== "), text.size() - 1) + 1;
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(end);
    const std::size_t line = part.find('\n');
    if (!part.starts_with(kStart) || line == part.npos) continue;
    const std::string name(part.substr(kStart.size(), line - kStart.size()));
    if (std::ranges::find(names, name) == names.end()) continue;
    folder.write_file(name, part.substr(line + 1));
  }
}

void expect(bool holds, std::string_view what) {
  if (!holds) throw std::logic_error(fmt::format("not as it should be: {}", what));
}

Instance make_instance(const Schema& schema, NodeId num_fixed, int arrivals) {
  Rng rng(1, Stream::kInstance, 0);
  const auto numbers = [&](std::size_t count) {
    std::vector<float> values(count);
    for (float& value : values) {
      value = rng.uniform() < 0.1 ? 0 : static_cast<float>(rng.uniform());
    }
    return values;
  };
  const auto fixed = static_cast<std::size_t>(num_fixed);
  const auto topics = static_cast<int>(schema.topics.size());
  InstanceBuilder builder(num_fixed);
  if (schema.capacities) builder.set_capacities(numbers(fixed));
  builder.set_attributes(numbers(fixed * schema.fixed_attributes.size()),
                         schema.fixed_attributes.size());
  if (topics > 0) {
    std::vector<std::vector<std::int32_t>> sets(fixed);
    for (std::size_t u = 0; u < fixed; ++u) sets[u] = {static_cast<int>(u) % topics};
    builder.set_topics(topics, sets);
  }
  std::vector<NodeId> nodes;
  for (int t = 0; t < arrivals; ++t) {
    nodes.clear();
    for (NodeId u = 0; u < num_fixed; ++u) {
      if (rng.uniform() < 0.5) nodes.push_back(u);
    }
    const auto weights = numbers(nodes.size()), preferences = numbers(schema.topics.size());
    const auto attributes = numbers(schema.arrival_attributes.size());
    const auto costs = numbers(schema.costs ? nodes.size() : 0);
    const std::string name = fmt::format("arrival {}", t % 2);
    builder.arrive({.nodes = nodes,
                    .weights = weights,
                    .type = t,
                    .preferences = preferences,
                    .attributes = attributes,
                    .costs = costs,
                    .name = schema.capacities ? name : ""});
  }
  return std::move(builder).build();
}

std::vector<Dataset> small_datasets() {
  std::vector<Dataset> all;
  for (const auto& entry : problems().entries()) {
    Schema schema{.problem = entry.name, .fixed_attributes = {"a"}, .arrival_attributes = {"b"}};
    const Traits traits = problems().make(entry.name)->traits();
    if (traits.gain == Traits::Gain::kCoverage) schema.topics = {"x", "y"};
    schema.capacities = traits.amounts();
    schema.costs = traits.use == Traits::Use::kCost;
    const std::vector<Instance> instances = {
        make_instance(schema, 3, 4), make_instance(schema, 2, 0), make_instance(schema, 3, 3)};
    const Dataset data = Dataset::gather(schema, {"made(u=3,v=4)", 7}, instances);
    all.push_back(solve(bind_data(data), {.threads = 1}, no_progress()));
  }
  return all;
}

void play_once(const std::string& problem, const Instance& instance, const Policy& policy) {
  if (instance.market().num_fixed > kLargestPlayed) return;
  const auto rules = problems().make(problem);
  for (const Decode decode : {Decode::kArgmax, Decode::kSample}) {
    const auto rollouts =
        play(bind_instances(*rules, {&instance, 1}), policy, {.decode = decode, .seed = 3});
    expect(static_cast<int>(rollouts.front().matching.size()) == instance.num_arrivals(),
           "a decision for every arrival");
  }
}

void write_out(const Report& report) {
  to_csv(report);
  to_markdown(report);
  try {
    to_html(report);
  } catch (const Error& error) {
    // The program may be built without the page.
    if (error.code() != ErrorCode::kUsage) throw;
  }
}

}  // namespace foresight
