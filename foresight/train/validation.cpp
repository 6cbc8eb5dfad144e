#include "foresight/policy/play.h"
#include "foresight/rules/thresholds.h"
#include "foresight/solve/solver.h"
#include "foresight/train/validation_internal.h"

namespace foresight {
namespace {

/// Shows nothing, but ends with the other.
class Quiet : public Progress {
 public:
  explicit Quiet(const Progress& watched) : watched_(watched) {}
  bool cancelled() const override { return watched_.cancelled(); }

 private:
  const Progress& watched_;
};

}  // namespace

BoundDataset with_optima(BoundDataset data, int threads, Progress& progress) {
  constexpr double kGap = 1e-3;
  return data.labelled() ? data : solve(data, {.gap = kGap, .threads = threads}, progress);
}

Validation validate(const BoundDataset& data, const Policy& policy, int threads,
                    const Progress& progress) {
  Validation result;
  const auto rollouts = play(data, policy, {.progress = &progress}, threads, no_progress());
  for (std::size_t i = 0; i < rollouts.size(); ++i) {
    result.values.push_back(rollouts[i].value);
    const double bound = data.label(i).bound;
    result.ratios.push_back(bound > 0 ? rollouts[i].value / bound : 1);
    result.ratio += result.ratios.back() / static_cast<double>(data.size());
  }
  return result;
}

Rivals play_rivals(const BoundDataset& validation, const BoundDataset& past, int threads,
                   const Progress& progress) {
  Quiet quiet(progress);
  const auto greedy = policies().make("greedy");
  const auto threshold = tuned_greedy_t(past, quiet);
  return {validate(validation, *greedy, threads, progress),
          validate(validation, *threshold, threads, progress)};
}

}  // namespace foresight
