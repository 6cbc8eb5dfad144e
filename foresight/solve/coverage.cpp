#include "foresight/solve/coverage.h"

#include <algorithm>
#include <numeric>

#include "foresight/base/index.h"
#include "foresight/solve/coverage_internal.h"

namespace foresight {
namespace {

/// The topics that one user's nodes cover.
class Cover {
 public:
  explicit Cover(const Instance& instance)
      : market_(instance.market()), covered_(index(market_.num_topics)) {}

  void open(std::span<const float> preferences) {
    preferences_ = preferences;
    std::fill(covered_.begin(), covered_.end(), false);
  }

  double gain(NodeId node) const {
    if (preferences_.empty()) return 0;
    double sum = 0;
    for (const std::int32_t topic : market_.topics_of(node)) {
      if (!covered_[index(topic)]) sum += preferences_[index(topic)];
    }
    return sum;
  }

  void add(NodeId node) {
    for (const std::int32_t topic : market_.topics_of(node)) covered_[index(topic)] = true;
  }

 private:
  const Market& market_;
  std::span<const float> preferences_;
  std::vector<char> covered_;
};

double value_of(const Instance& instance, const Visits& visits, std::span<const NodeId> matching) {
  Cover cover(instance);
  double sum = 0;
  for (int user = 0; user < visits.num_users(); ++user) {
    cover.open(instance.arrival(visits[user].front()).preferences);
    for (const int t : visits[user]) {
      const NodeId node = matching[index(t)];
      if (node == kSkip) continue;
      sum += cover.gain(node);
      cover.add(node);
    }
  }
  return sum;
}

/// Removes the node with the largest gain, the first among equals; kSkip if there is none.
NodeId take_best(const Cover& cover, std::vector<NodeId>& nodes) {
  if (nodes.empty()) return kSkip;
  const auto best = std::max_element(nodes.begin(), nodes.end(), [&](NodeId a, NodeId b) {
    return cover.gain(a) < cover.gain(b);
  });
  const NodeId node = *best;
  nodes.erase(best);
  return node;
}

}  // namespace

double coverage_value(const Instance& instance, std::span<const NodeId> matching) {
  Visits visits;
  visits.assign(instance);
  return value_of(instance, visits, matching);
}

void Visits::assign(const Instance& instance) {
  const auto types = instance.view().types;
  arrivals_.resize(index(instance.num_arrivals()));
  std::iota(arrivals_.begin(), arrivals_.end(), 0);
  const auto type = [&](int t) { return types.empty() ? kNoType : types[index(t)]; };
  std::stable_sort(arrivals_.begin(), arrivals_.end(),
                   [&](int s, int t) { return type(s) < type(t); });
  begin_.clear();
  for (std::size_t i = 0; i < arrivals_.size(); ++i) {
    const auto own = type(arrivals_[i]);
    if (i == 0 || own == kNoType || own != type(arrivals_[i - 1])) begin_.push_back(i);
  }
  begin_.push_back(arrivals_.size());
}

std::span<const int> Visits::operator[](int user) const {
  return std::span(arrivals_).subspan(begin_[index(user)],
                                      begin_[index(user) + 1] - begin_[index(user)]);
}

bool same_neighbours(const Instance& instance, std::span<const int> arrivals) {
  const auto first = instance.arrival(arrivals.front()).nodes;
  return std::all_of(arrivals.begin() + 1, arrivals.end(), [&](int t) {
    const auto nodes = instance.arrival(t).nodes;
    return std::equal(nodes.begin(), nodes.end(), first.begin(), first.end());
  });
}

Label tidy_label(const Instance& instance, const Visits& visits, std::vector<NodeId> matching,
                 double bound) {
  Cover cover(instance);
  std::vector<NodeId> nodes;
  for (int user = 0; user < visits.num_users(); ++user) {
    const auto arrivals = visits[user];
    cover.open(instance.arrival(arrivals.front()).preferences);
    const bool interchangeable = same_neighbours(instance, arrivals);
    if (interchangeable) {
      nodes.clear();
      for (const int t : arrivals) {
        if (matching[index(t)] != kSkip) nodes.push_back(matching[index(t)]);
      }
      std::sort(nodes.begin(), nodes.end());
    }
    for (const int t : arrivals) {
      NodeId& node = matching[index(t)];
      if (interchangeable) node = take_best(cover, nodes);
      if (node != kSkip && cover.gain(node) == 0) node = kSkip;
      if (node != kSkip) cover.add(node);
    }
  }
  const double value = value_of(instance, visits, matching);
  const bool proven = bound <= value * (1 + kProven);
  return {value, proven ? value : bound, std::move(matching)};
}

}  // namespace foresight
