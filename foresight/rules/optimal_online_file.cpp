#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "foresight/base/error.h"
#include "foresight/rules/optimal_online.h"

namespace foresight {
namespace {

constexpr const char* kOnlineFormat = "foresight-online";
constexpr const char* kOnlineVersion = "1";

}  // namespace

void save(const OnlineSolution& solution, const std::filesystem::path& path) {
  const OnlineTable& table = solution.table;
  const OnlineStates& states = table.states;
  const std::size_t num_fixed = states.slots.size();
  SafeTensorsWriter writer;
  writer.set_meta("format", kOnlineFormat);
  writer.set_meta("version", kOnlineVersion);
  writer.set_meta("source", solution.source);
  writer.set_meta("problem", solution.problem);
  writer.set_meta("u", fmt::to_string(num_fixed));
  writer.set_meta("horizon", fmt::to_string(table.horizon));
  writer.add<std::int32_t>("ids", {solution.ids.size()}, solution.ids);
  writer.add<std::int32_t>("slots", {num_fixed}, states.slots);
  writer.add<float>("costs", {num_fixed}, states.costs);
  writer.add<std::int64_t>("strides", {num_fixed}, states.strides);
  writer.add<float>("values", {static_cast<std::size_t>(table.horizon) + 1, table.num_states()},
                    table.values);
  writer.write(path);
}

bool is_online_solution(const SafeTensors& file) {
  const auto format = file.metadata().find("format");
  return format != file.metadata().end() && format->second == kOnlineFormat;
}

OnlineSolution read_online_solution(const SafeTensors& file) {
  const std::string path = file.path().string();
  if (!is_online_solution(file)) {
    fail(ErrorCode::kData, "{}: this is not a file of an optimal online policy", path);
  }
  if (file.meta("version") != kOnlineVersion) {
    fail(ErrorCode::kData,
         "{}: the online policy has version {}, but this program reads version {}", path,
         file.meta("version"), kOnlineVersion);
  }
  const auto copy = [&]<typename T>(const char* name, std::vector<T>& to) {
    const auto values = file.array<T>(name);
    to.assign(values.begin(), values.end());
  };
  OnlineSolution solution{file.meta("source"), file.meta("problem"), {}, {}};
  OnlineTable& table = solution.table;
  OnlineStates& states = table.states;
  copy("ids", solution.ids);
  copy("slots", states.slots);
  copy("costs", states.costs);
  copy("strides", states.strides);
  copy("values", table.values);

  const auto check = [&](bool holds, const char* name) {
    if (!holds) fail(ErrorCode::kData, "{}: array \"{}\" does not fit the others", path, name);
  };
  const auto& shape = file.shape("values");
  constexpr std::size_t kLongest = std::numeric_limits<int>::max();
  check(shape.size() == 2 && shape[0] > 0 && shape[0] <= kLongest && shape[1] > 0, "values");
  table.horizon = static_cast<int>(shape[0]) - 1;
  states.count = static_cast<double>(shape[1]);
  const std::size_t num_fixed = states.slots.size();
  check(solution.ids.empty() || solution.ids.size() == num_fixed, "ids");
  const std::set<std::int32_t> distinct(solution.ids.begin(), solution.ids.end());
  check(distinct.size() == solution.ids.size(), "ids");
  check(states.costs.size() == num_fixed, "costs");
  check(states.strides.size() == num_fixed, "strides");
  double last = 0;
  for (std::size_t u = 0; u < num_fixed; ++u) {
    check(states.slots[u] >= 0, "slots");
    check(states.costs[u] > 0, "costs");
    check(states.strides[u] > 0, "strides");
    last += static_cast<double>(states.slots[u]) * static_cast<double>(states.strides[u]);
  }
  check(last + 1 == states.count, "slots");
  check(std::ranges::all_of(table.values, [](float x) { return std::isfinite(x); }), "values");
  return solution;
}

}  // namespace foresight
