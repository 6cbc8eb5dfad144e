// Trajectory sampling:
// - Awasthi and Sandholm, "Online stochastic optimization in the large: application to kidney
//   exchange", 2009
// - Van Hentenryck and Bent, "Online stochastic combinatorial optimization", 2006
//
// At every arrival, futures of past instances are drawn at random and matched in hindsight to the
// fixed nodes that are still available. The current arrival takes what is best in these futures:
//   vote=value  the choice with the largest mean of gain - what the node would earn otherwise
//   vote=count  the choice that is best in most futures
//
// One assignment per future gives the value of all choices: shortest paths in its optimal matching
// show what the future loses without node u. With n available nodes, m edges and k samples, an
// arrival takes about O(k n m). It is for nodes that are matched once and edges that gain their
// weight. A fixed node of the past stands for the present one at the same position.
#include <cmath>

#include "foresight/base/index.h"
#include "foresight/rules/past_internal.h"
#include "foresight/rules/prices_internal.h"
#include "foresight/solve/assignment.h"

namespace foresight {
namespace {

using internal::Past;

struct TrajectoryOptions {
  std::string train;
  int samples = 64;
  std::string vote = "value";

  void read(OptionReader& o) {
    o.text("train", train, "dataset of past instances to draw futures from; without it, none");
    o.integer("samples", samples, 1, 1'000'000, "futures per arrival");
    o.choice("vote", vote, {"value", "count"},
             "add up values, or count how often a choice is best");
  }
};

/// One sampled future, matched in hindsight to the available fixed nodes.
class Future {
 public:
  /// Numbers the available nodes of the state.
  void restrict_to(const State& state) {
    number_.clear();
    num_available_ = 0;
    for (NodeId u = 0; u < state.market().num_fixed; ++u) {
      number_.push_back(state.remaining(u) >= 1 ? num_available_++ : kSkip);
    }
  }

  /// Matches the last `left` arrivals of the instance.
  void solve(const Instance& instance, int left) {
    begin_.assign(1, 0);
    nodes_.clear();
    weights_.clear();
    const int end = instance.num_arrivals();
    for (int t = std::max(0, end - left); t < end; ++t) {
      const Arrival arrival = instance.arrival(t);
      for (std::size_t e = 0; e < arrival.nodes.size(); ++e) {
        const NodeId u = number_[index(arrival.nodes[e])];
        if (u == kSkip) continue;
        nodes_.push_back(u);
        weights_.push_back(arrival.weights[e]);
      }
      if (std::ssize(nodes_) > begin_.back()) begin_.push_back(std::ssize(nodes_));
    }
    const auto& best = solver_.solve_sparse(num_available_, begin_, nodes_, weights_);
    losses_.resize(index(num_available_));
    internal::find_losses(best.matching, begin_, nodes_, weights_, losses_);
  }

  /// How much less the future is worth without this available node.
  double loss(NodeId node) const { return losses_[index(number_[index(node)])]; }

 private:
  AssignmentSolver solver_;
  std::vector<NodeId> number_;  // per fixed node: its position among the available ones, or kSkip
  NodeId num_available_ = 0;
  std::vector<std::int64_t> begin_;
  std::vector<NodeId> nodes_;
  std::vector<float> weights_;
  std::vector<double> losses_;  // per available node
};

class Trajectory : public Policy {
 public:
  explicit Trajectory(const TrajectoryOptions& options)
      : past_("trajectory", options.train),
        samples_(past_.size() == 0 ? 0 : options.samples),
        count_(options.vote == "count") {
    if (past_.size() == 0) return;
    const Traits traits = past_.problem().traits();
    if (traits.gain != Traits::Gain::kWeight || !traits.units()) {
      fail(ErrorCode::kUsage,
           "{}: trajectory needs edges that gain their weight and nodes that are matched once, but "
           "problem \"{}\" has {}",
           options.train, past_.problem().name(), describe(traits));
    }
  }

  std::optional<Horizon> expectation() const override { return past_.expectation(); }
  std::optional<double> largest_gain() const override { return past_.largest_gain(); }
  bool solves() const override { return true; }
  std::shared_ptr<const Policy> fitted(const Problem&, const Schema& schema) const override {
    past_.check(schema);
    if (schema.capacities) {
      fail(ErrorCode::kData,
           "trajectory is defined for fixed nodes that are matched once, but the data has "
           "capacities");
    }
    return nullptr;
  }

  std::unique_ptr<Batch> open(std::span<const Opening> openings) const override {
    past_.check(openings);
    return std::make_unique<SamplingBatch>(*this, openings);
  }

 private:
  class SamplingBatch : public EpisodeBatch {
   public:
    SamplingBatch(const Trajectory& policy, std::span<const Opening> openings) : policy_(policy) {
      for (const Opening& opening : openings) rngs_.push_back(opening.rng);
    }

   private:
    void score(const State& state, std::size_t episode, std::span<float> row) override {
      const auto offers = state.offers();
      totals_.assign(row.size(), 0);
      if (policy_.samples_ == 0) {
        for (std::size_t i = 1; i < row.size(); ++i) totals_[i] = offers[i - 1].gain;
      } else if (!offers.empty()) {
        look_ahead(state, rngs_[episode]);
      }
      row[0] = static_cast<float>(totals_[0]);
      for (std::size_t i = 1; i < row.size(); ++i) {
        // A match that gains nothing is worth nothing, whatever the futures say.
        row[i] = offers[i - 1].gain > 0 && totals_[i] > 0 ? static_cast<float>(totals_[i]) : kNever;
      }
    }

    void look_ahead(const State& state, Rng& rng) {
      const auto offers = state.offers();
      const auto left = static_cast<int>(std::lround(state.to_come()));
      future_.restrict_to(state);
      for (int k = 0; k < policy_.samples_; ++k) {
        check_cancelled();
        future_.solve(policy_.past_.instance(rng.below(policy_.past_.size())), left);
        std::size_t best = 0;
        double best_value = 0;
        for (std::size_t i = 1; i <= offers.size(); ++i) {
          const double value = offers[i - 1].gain - future_.loss(offers[i - 1].node);
          if (!policy_.count_) totals_[i] += value;
          if (value > best_value) {
            best = i;
            best_value = value;
          }
        }
        if (policy_.count_) totals_[best] += 1;
      }
    }

    const Trajectory& policy_;
    std::vector<Rng> rngs_;  // per episode
    Future future_;
    std::vector<double> totals_;  // per choice; the first is skipping
  };

  Past past_;
  int samples_;
  bool count_;
};

}  // namespace

Entry<Policy> trajectory_policy() {
  return make_entry<Policy, Trajectory, TrajectoryOptions>(
      "trajectory", "what is best in hindsight in futures sampled from past instances");
}

}  // namespace foresight
