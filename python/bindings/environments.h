// Episodes side by side for reinforcement learning in Python: what Gymnasium's environments, single
// and vectorised, are made of.
//
// An action is 0 to skip or 1 + u to match the current arrival to fixed node u. An action that is
// not possible skips. An observation is a row of FlatFeatures, zeros once an episode is over.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "foresight/features/features.h"
#include "foresight/problem/bound.h"
#include "foresight/problem/state.h"

namespace foresight::python {

class Environments {
 public:
  /// The source's first instance says how many fixed nodes there are; all must have as many. Throws
  /// Error(kData) if it lacks what the problem needs.
  Environments(const std::string& source, const std::string& problem, std::size_t count,
               bool history);
  Environments(const Environments&) = delete;  // its episodes cannot be copied

  std::size_t count() const { return episodes_.size(); }
  std::size_t num_actions() const { return num_actions_; }
  std::size_t width() const { return features_->width(); }
  std::vector<std::string> feature_names() const { return features_->names(); }

  /// Begins the next episode of environment i; with a seed, the first of that seed's.
  void reset(std::size_t i, std::optional<std::uint64_t> seed);

  struct Step {
    double reward = 0;
    bool terminated = false;
    bool illegal = false;
  };
  /// Throws Error(kUsage) if the episode is over.
  Step step(std::size_t i, std::int64_t action);
  bool over(std::size_t i) const { return !episodes_[i].state.has_value(); }

  double value(std::size_t i) const { return episodes_[i].value; }
  std::uint64_t index(std::size_t i) const { return episodes_[i].next - 1; }

  void observe(std::size_t i, std::span<float> row) const;
  void mask(std::size_t i, std::span<bool> row) const;

 private:
  struct Episode {
    std::uint64_t seed = 0;
    std::uint64_t next = 0;  // index of the instance to draw next
    Instance instance;
    int time = 0;
    double value = 0;
    std::optional<State> state;  // none while it is over
  };

  BoundSource source_;
  std::size_t num_actions_ = 0;
  std::optional<FlatFeatures> features_;
  std::vector<Episode> episodes_;
};

}  // namespace foresight::python
