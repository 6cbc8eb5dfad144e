#include <algorithm>
#include <span>

#include <fmt/ranges.h>

#include "foresight/base/error.h"
#include "foresight/train/start_internal.h"

namespace foresight {
namespace {

/// The names that only the first list has, as a text; a few are enough.
std::string only_in(const std::vector<std::string>& names, const std::vector<std::string>& others) {
  constexpr std::size_t kShown = 5;
  std::vector<std::string> found;
  for (const std::string& name : names) {
    if (std::ranges::find(others, name) == others.end()) found.push_back(name);
  }
  const auto shown = std::span(found).first(std::min(found.size(), kShown));
  return fmt::format("[{}{}]", fmt::join(shown, ", "), found.size() > kShown ? ", ..." : "");
}

}  // namespace

TrainedModel load_start(const std::string& path, const std::string& model_spec,
                        const Schema& schema) {
  TrainedModel start = load_model(path);
  const std::string found = models().canonical(start.info.spec);
  const std::string asked = models().canonical(model_spec);
  if (found != asked) {
    fail(ErrorCode::kUsage, "start: {} holds the model {}, but {} is to be trained", path, found,
         asked);
  }
  fit_columns(fmt::format("start: {}", path), start.model->needs(), schema);
  return start;
}

Parameters start_parameters(const TrainedModel& start, const std::string& path, const Model& model,
                            const ModelContext& context) {
  const std::vector<std::string> then = start.model->features(), now = model.features();
  if (start.info.context.num_fixed != context.num_fixed &&
      !start.model->parameters().same_layout(model.parameters())) {
    fail(ErrorCode::kData,
         "start: {} was trained for {} fixed nodes, but the data has {}; its model works only with "
         "the same number",
         path, start.info.context.num_fixed, context.num_fixed);
  }
  if (then != now) {
    if (std::ranges::is_permutation(then, now)) {
      fail(ErrorCode::kData, "start: {} sees the same columns in another order than this data has",
           path);
    }
    fail(ErrorCode::kData,
         "start: {} sees other columns than the model to be trained: only it sees {}, only the "
         "other sees {}",
         path, only_in(then, now), only_in(now, then));
  }
  if (!start.model->parameters().same_layout(model.parameters())) {
    fail(ErrorCode::kData, "start: {} has parameters of other shapes than the model to be trained",
         path);
  }
  return start.model->parameters();
}

}  // namespace foresight
