#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "foresight/base/index.h"
#include "foresight/solve/bundle_simplex.h"
#include "foresight/solve/coverage.h"
#include "foresight/solve/coverage_internal.h"

namespace foresight {
namespace {

using Clock = std::chrono::steady_clock;

// Gains below this share of what an average user can earn are rounding errors.
constexpr double kRounding = 1e-11;

// Shares closer than this to 0 or 1 are whole.
constexpr double kWhole = 1e-3;

// Beyond these limits the structure does not help, and the integer program is used.
constexpr int kMaxNodes = 5000;
constexpr long kMaxPivotsPerRow = 500;

Clock::time_point deadline_after(double seconds) {
  constexpr double kForever = 1e8;
  if (!(seconds < kForever)) return Clock::time_point::max();
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(
                            std::chrono::duration<double>(std::max(seconds, 0.0)));
}

}  // namespace

class CoverageSolver::Search {
 public:
  Label solve(const Instance& instance, const SolveLimits& limits);
  int num_nodes() const { return num_nodes_; }

 private:
  enum class Stop { kNone, kTime, kSize };
  using Bundles = std::vector<std::vector<int>>;  // per user: kinds
  struct Question {
    CoverageModel::Branch branch;
    bool likely;  // does the linear program lean to yes?
  };

  void explore(double parent_bound);
  double optimise();
  void round();
  std::optional<Question> most_divided(bool by_set);
  void check_limits();
  bool improves(double bound) const { return bound > best_value_ * (1 + kProven); }
  std::vector<NodeId> best_matching(int num_arrivals);

  CoverageModel model_;
  BundleSimplex market_;
  Clock::time_point deadline_;
  std::function<bool()> stop_asked_;
  Stop stop_ = Stop::kNone;
  int num_nodes_ = 0;
  long pivot_limit_ = 0;
  double tolerance_ = 0, penalty_ = 0;

  double best_value_ = 0;
  double open_bound_ = 0;  // of the nodes left unexplored
  Bundles best_, trial_;

  std::vector<int> bundle_, left_;
  std::vector<double> prices_, shares_;
  std::vector<char> served_;
};

Label CoverageSolver::Search::solve(const Instance& instance, const SolveLimits& limits) {
  deadline_ = deadline_after(limits.time_limit_seconds);
  stop_asked_ = limits.stop;
  num_nodes_ = 0;
  if (!model_.assign(instance)) return solve_coverage_ip(instance, limits);

  const double simple_bound = model_.simple_bound();
  tolerance_ = kRounding * simple_bound / std::max(model_.num_users(), 1);
  penalty_ = 100 * simple_bound;
  best_.assign(index(model_.num_users()), {});
  trial_.assign(index(model_.num_users()), {});
  best_value_ = open_bound_ = 0;
  stop_ = Stop::kNone;
  market_.reset(model_.supply(), model_.num_users(), tolerance_);
  explore(simple_bound);

  Label label = tidy_label(instance, model_.visits(), best_matching(instance.num_arrivals()),
                           std::max(best_value_, open_bound_));
  if (stop_ != Stop::kSize) return label;
  num_nodes_ = 0;
  const std::chrono::duration<double> left = deadline_ - Clock::now();
  Label other =
      solve_coverage_ip(instance, {.time_limit_seconds = left.count(), .stop = limits.stop});
  const double bound = std::min(label.bound, other.bound);
  if (other.value > label.value) label.matching.swap(other.matching);
  return tidy_label(instance, model_.visits(), std::move(label.matching), bound);
}

// Depth first. Shares stay feasible whatever is decided: bundles that are no longer allowed only
// lose their value, and the simplex method continues from where it is.
void CoverageSolver::Search::explore(double parent_bound) {
  if (++num_nodes_ > kMaxNodes) stop_ = Stop::kSize;
  market_.revalue([&](const BundleSimplex::Holding& held) {
    const double value = model_.value(held.buyer, held.goods);
    return model_.allows(held.buyer, held.goods) ? value : value - penalty_;
  });
  const double bound = std::min(parent_bound, optimise());
  if (!improves(bound)) return;
  round();
  if (!improves(bound)) return;

  std::optional<Question> question = most_divided(true);
  if (!question) question = most_divided(false);
  if (!question) stop_ = Stop::kSize;  // whole, but below its bound: rounding errors are too large
  for (int side = 0; side < 2 && stop_ == Stop::kNone; ++side) {
    const std::size_t decided = model_.num_decisions();
    model_.decide(question->branch, question->likely == (side == 0));
    explore(bound);
    model_.undo_to(decided);
  }
  if (stop_ != Stop::kNone) open_bound_ = std::max(open_bound_, bound);
}

// Offers users what they demand at the current prices until nobody gains more. Returns the bound
// that the prices prove.
double CoverageSolver::Search::optimise() {
  pivot_limit_ =
      market_.num_pivots() + kMaxPivotsPerRow * (model_.num_users() + model_.num_kinds());
  double bound = 0;
  int satisfied = 0;
  for (int user = 0; satisfied < model_.num_users(); user = (user + 1) % model_.num_users()) {
    const double held = market_.surplus(user);
    const double best = model_.demand(user, market_.prices(), held, bundle_);
    if (best > held + tolerance_ && stop_ == Stop::kNone) {
      market_.offer(user, model_.value(user, bundle_), bundle_);
      check_limits();
      satisfied = 0;
      bound = 0;
    } else {
      ++satisfied;
      bound += best;
    }
  }
  for (int kind = 0; kind < model_.num_kinds(); ++kind) {
    bound += model_.supply()[index(kind)] * std::max(market_.prices()[index(kind)], 0.0);
  }
  if (!model_.too_big()) return bound;
  stop_ = Stop::kSize;
  return kInfinity;
}

void CoverageSolver::Search::check_limits() {
  if (model_.too_big() || market_.num_pivots() > pivot_limit_) stop_ = Stop::kSize;
  if (market_.num_pivots() % 16 == 0 &&
      (Clock::now() > deadline_ || (stop_asked_ && stop_asked_()))) {
    stop_ = Stop::kTime;
  }
}

// A user keeps a bundle of which it holds more than half. The others buy from what is left.
void CoverageSolver::Search::round() {
  left_.assign(model_.supply().begin(), model_.supply().end());
  prices_.assign(market_.prices().begin(), market_.prices().end());
  served_.assign(trial_.size(), false);
  double value = 0;
  const auto serve = [&](int user, const std::vector<int>& kinds) {
    for (const int kind : kinds) {
      if (--left_[index(kind)] == 0) prices_[index(kind)] = kInfinity;
    }
    trial_[index(user)] = kinds;
    served_[index(user)] = true;
    value += model_.value(user, kinds);
  };
  market_.for_each([&](const BundleSimplex::Holding& held, double share) {
    const bool available = std::all_of(held.goods.begin(), held.goods.end(),
                                       [&](int kind) { return left_[index(kind)] > 0; });
    if (share > 0.5 + kWhole && available) serve(held.buyer, held.goods);
  });
  for (int user = 0; user < model_.num_users(); ++user) {
    if (served_[index(user)]) continue;
    model_.demand(user, prices_, -kInfinity, bundle_);
    serve(user, bundle_);
  }
  if (value <= best_value_) return;
  best_value_ = value;
  best_.swap(trial_);
}

// The question on which the shares are closest to a tie. Once all users of several visits buy whole
// sets, what is left is a transportation problem, so these are asked first.
std::optional<CoverageSolver::Search::Question> CoverageSolver::Search::most_divided(bool by_set) {
  const std::size_t width = index(by_set ? model_.num_sets() : model_.num_kinds());
  shares_.assign(trial_.size() * width, 0);
  market_.for_each([&](const BundleSimplex::Holding& held, double share) {
    if (by_set && model_.num_visits(held.buyer) == 1) return;
    double* shares = &shares_[index(held.buyer) * width];
    for (const int kind : held.goods) shares[by_set ? model_.set_of(kind) : kind] += share;
  });
  const auto closest = std::min_element(shares_.begin(), shares_.end(), [](double a, double b) {
    return std::abs(a - 0.5) < std::abs(b - 0.5);
  });
  if (closest == shares_.end() || std::abs(*closest - 0.5) > 0.5 - kWhole) return std::nullopt;
  const auto position = static_cast<std::size_t>(closest - shares_.begin());
  const int user = static_cast<int>(position / width);
  const int asked = static_cast<int>(position % width);
  const CoverageModel::Branch branch =
      by_set ? CoverageModel::Branch{user, asked}
             : CoverageModel::Branch{user, model_.set_of(asked), asked};
  return Question{branch, *closest >= 0.5};
}

std::vector<NodeId> CoverageSolver::Search::best_matching(int num_arrivals) {
  std::vector<NodeId> matching(index(num_arrivals), kSkip);
  left_.assign(model_.supply().begin(), model_.supply().end());
  for (int user = 0; user < model_.num_users(); ++user) {
    auto arrival = model_.visits()[user].begin();
    for (const int kind : best_[index(user)]) {
      const auto nodes = model_.nodes_of(kind);
      const int taken = static_cast<int>(nodes.size()) - left_[index(kind)]--;
      matching[index(*arrival++)] = nodes[index(taken)];
    }
  }
  return matching;
}

CoverageSolver::CoverageSolver() : search_(std::make_unique<Search>()) {}
CoverageSolver::~CoverageSolver() = default;
CoverageSolver::CoverageSolver(CoverageSolver&&) noexcept = default;
CoverageSolver& CoverageSolver::operator=(CoverageSolver&&) noexcept = default;

Label CoverageSolver::solve(const Instance& instance, const SolveLimits& limits) {
  return search_->solve(instance, limits);
}

int CoverageSolver::num_nodes() const {
  return search_->num_nodes();
}

}  // namespace foresight
