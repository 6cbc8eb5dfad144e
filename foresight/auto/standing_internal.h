// How the policies of a search did on the same instances, and who is ahead.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "foresight/base/statistics.h"
#include "foresight/policy/policy.h"
#include "foresight/problem/bound.h"

namespace foresight {

/// A policy and how it did.
struct Standing {
  std::string name;
  std::string policy;                       // what `resolve` takes: a spec or a run folder
  std::vector<double> ratios;               // of the first instances, as many as it was judged on
  double lead = 0;                          // over greedy, on the same instances
  std::shared_ptr<const Policy> rule = {};  // which need not learn again; null for a run
};

inline bool better(const Standing& a, const Standing& b) {
  return a.lead > b.lead;
}

/// On the instances on which both were judged.
inline PairedComparison compare(const Standing& a, const Standing& b) {
  const std::size_t both = std::min(a.ratios.size(), b.ratios.size());
  return compare_paired(std::span(a.ratios).first(both), std::span(b.ratios).first(both));
}

/// Is `a` ahead of `b` by more than this, beyond doubt? The whole 95 % interval of the difference must
/// be above it.
inline bool clearly_ahead(const Standing& a, const Standing& b, double by = 0) {
  return compare(a, b).ci95_low > by;
}

/// Judges policies on labelled instances.
class Judge {
 public:
  Judge(BoundDataset data, int threads);

  const BoundDataset& data() const { return data_; }

  /// On the first `count` instances, or on all of them.
  Standing judge(std::string name, std::string policy, Progress& progress) const;
  Standing judge(std::string name, std::string policy, const Policy& made, std::size_t count,
                 Progress& progress) const;

  bool judged_on_all(const Standing& standing) const {
    return standing.ratios.size() == data_.size();
  }

 private:
  std::vector<double> ratios(const Policy& policy, std::size_t count, Progress& progress) const;

  BoundDataset data_;
  int threads_;
  std::vector<double> greedy_;  // its ratios
};

}  // namespace foresight
