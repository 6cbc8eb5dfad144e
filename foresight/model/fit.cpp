#include "foresight/model/fit.h"

#include <algorithm>
#include <numeric>

#include <fmt/ranges.h>

#include "foresight/base/error.h"
#include "foresight/problem/bound.h"

namespace foresight {
namespace {

using Words = std::vector<std::string>;

std::vector<std::size_t> places(const std::string& model, const char* what, const Words& needed,
                                const Words& found) {
  if (needed.empty()) return {};
  std::vector<std::size_t> result;
  std::vector<bool> taken(found.size());  // of columns with the same name, each is read once
  for (const std::string& name : needed) {
    std::size_t place = 0;
    while (place < found.size() && (taken[place] || found[place] != name)) ++place;
    if (place == found.size()) break;
    taken[place] = true;
    result.push_back(place);
  }
  if (result.size() != needed.size() || found.size() != needed.size()) {
    fail(ErrorCode::kData, "{} was trained with the {} [{}], but the data has [{}]", model, what,
         fmt::join(needed, ", "), fmt::join(found, ", "));
  }
  std::vector<std::size_t> same(needed.size());
  std::iota(same.begin(), same.end(), std::size_t{0});
  return result == same ? std::vector<std::size_t>() : result;
}

}  // namespace

ColumnPlaces fit_columns(const std::string& model, const Schema& needs, const Schema& data) {
  if (!same_problem(needs, data)) {
    fail(ErrorCode::kData, "{} was trained for problem \"{}\", not for problem \"{}\"", model,
         needs.problem, data.problem);
  }
  if (data.capacities && !needs.capacities && !problems().make(data.problem)->traits().amounts()) {
    fail(ErrorCode::kData,
         "{} was trained on data without capacities, but this data has them: it would not see how "
         "much is left of a node",
         model);
  }
  return {places(model, "fixed attributes", needs.fixed_attributes, data.fixed_attributes),
          places(model, "arrival attributes", needs.arrival_attributes, data.arrival_attributes),
          places(model, "topics", needs.topics, data.topics)};
}

}  // namespace foresight
