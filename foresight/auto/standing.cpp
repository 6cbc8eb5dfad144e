#include "foresight/auto/standing_internal.h"
#include "foresight/model/resolve.h"
#include "foresight/policy/play.h"

namespace foresight {

Judge::Judge(BoundDataset data, int threads) : data_(std::move(data)), threads_(threads) {
  greedy_ = ratios(*policies().make("greedy"), data_.size(), no_progress());
}

std::vector<double> Judge::ratios(const Policy& policy, std::size_t count,
                                  Progress& progress) const {
  const BoundDataset shown = told(data_, told_to(policy, data_.schema().horizon, false));
  const auto rollouts = play_many(
      data_.problem(), count, [&](std::size_t i) { return shown.instance(i); }, policy, {},
      threads_, progress);
  std::vector<double> all;
  for (std::size_t i = 0; i < count; ++i) {
    const double bound = data_.label(i).bound;
    all.push_back(bound > 0 ? std::min(1.0, rollouts[i].value / bound) : 1);
  }
  return all;
}

Standing Judge::judge(std::string name, std::string policy, Progress& progress) const {
  const NamedPolicy named = resolve(policy, data_.problem(), data_.schema(), progress);
  return judge(std::move(name), std::move(policy), *named.policy, data_.size(), progress);
}

Standing Judge::judge(std::string name, std::string policy, const Policy& made, std::size_t count,
                      Progress& progress) const {
  progress.begin("judging " + name, static_cast<std::int64_t>(count), "instances");
  Standing standing{std::move(name), std::move(policy), ratios(made, count, progress)};
  const PairedComparison lead = compare_paired(standing.ratios, std::span(greedy_).first(count));
  standing.lead = lead.mean_difference;
  progress.note(count > 1 ? fmt::format("{:+.4f} +-{:.4f} to greedy", standing.lead,
                                        (lead.ci95_high - lead.ci95_low) / 2)
                          : fmt::format("{:+.4f} to greedy", standing.lead));
  progress.end();
  return standing;
}

}  // namespace foresight
