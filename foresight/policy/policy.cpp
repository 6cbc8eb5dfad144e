#include "foresight/policy/policy.h"

namespace foresight {

void Scores::resize(std::span<const Turn> turns) {
  begin_.resize(turns.size() + 1);
  for (std::size_t i = 0; i < turns.size(); ++i) {
    begin_[i + 1] = begin_[i] + 1 + turns[i].state->offers().size();
  }
  values_.resize(begin_.back());
}

void Scores::check_cancelled() const {
  if (progress_) foresight::check_cancelled(*progress_);
}

void EpisodeBatch::score(std::span<const Turn> turns, Scores& scores) {
  scores_ = &scores;
  for (std::size_t i = 0; i < turns.size(); ++i) {
    check_cancelled();
    score(*turns[i].state, turns[i].episode, scores.row(i));
  }
}

std::shared_ptr<const Policy> fit(std::shared_ptr<const Policy> policy, const Problem& problem,
                                  const Schema& schema) {
  auto adapted = policy->fitted(problem, schema);
  return adapted ? adapted : policy;
}

}  // namespace foresight
