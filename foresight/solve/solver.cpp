#include "foresight/solve/solver.h"

#include <algorithm>
#include <limits>

#include "foresight/base/error.h"
#include "foresight/base/index.h"
#include "foresight/solve/assignment.h"
#include "foresight/solve/budgets.h"
#include "foresight/solve/coverage.h"

namespace foresight {
namespace {

class AssignmentLabels : public Solver {
 public:
  Label solve(const Instance& instance) override {
    const Assignment& best = solve_best(instance);
    return {best.value, best.value, best.matching};
  }

 private:
  const Assignment& solve_best(const Instance& instance) {
    const InstanceView& view = instance.view();
    if (view.market.capacities.empty()) return solver_.solve(instance);
    capacities_.clear();
    for (const float capacity : view.market.capacities) {
      capacities_.push_back(static_cast<std::int32_t>(capacity));
    }
    return solver_.solve_capacities(capacities_, view.edge_begin, view.nodes, view.weights);
  }

  AssignmentSolver solver_;
  std::vector<std::int32_t> capacities_;
};

/// For solvers that may stop before the optimum is proven.
template <typename LimitedSolver>
class LimitedLabels : public Solver {
 public:
  explicit LimitedLabels(const SolveOptions& options) : limits_(options.limits()) {}

  Label solve(const Instance& instance) override {
    InstanceView view = instance.view();
    const bool coverage = view.preferences.width > 0;
    if (!coverage) find_usable(view);
    const double unit = unit_of(coverage ? view.preferences.values : usable_weights_);
    const double cost_unit = unit_of(usable_costs_);
    if (unit == 1 && cost_unit == 1) return solver_.solve(instance, limits_);
    view.weights = scale(view.weights, unit, weights_);
    view.preferences.values = scale(view.preferences.values, unit, preferences_);
    view.costs = scale(view.costs, cost_unit, costs_);
    // Budgets are in the unit of the weights, and other capacities in that of the costs. Numbers of
    // matches have none.
    if (!coverage) {
      view.market.capacities =
          scale(view.market.capacities, view.costs.empty() ? unit : cost_unit, capacities_);
    }
    Label label = solver_.solve(Instance(view, nullptr), limits_);
    label.value *= unit;
    label.bound *= unit;
    return label;
  }

 private:
  /// Of the edges that some matching can hold. One that none can hold may be as large as it likes.
  void find_usable(const InstanceView& view) {
    const auto costs = view.costs.empty() ? view.weights : view.costs;
    usable_weights_.clear();
    usable_costs_.clear();
    for (auto e = index(view.edge_begin.front()); e < index(view.edge_begin.back()); ++e) {
      const float capacity = view.market.capacities[index(view.nodes[e])];
      if (capacity <= 0 || costs[e] > capacity * (1 + kCapacityTolerance)) continue;
      usable_weights_.push_back(view.weights[e]);
      if (!view.costs.empty()) usable_costs_.push_back(view.costs[e]);
    }
  }

  static std::span<const float> scale(std::span<const float> amounts, double unit,
                                      std::vector<float>& scaled) {
    constexpr double kLargest = std::numeric_limits<float>::max();
    scaled.clear();
    for (const double amount : amounts) {
      scaled.push_back(static_cast<float>(std::min(amount / unit, kLargest)));
    }
    return scaled;
  }

  LimitedSolver solver_;
  SolveLimits limits_;
  std::vector<float> weights_, costs_, capacities_, preferences_, usable_weights_, usable_costs_;
};

template <typename LimitedSolver>
std::unique_ptr<Solver> make_limited(const SolveOptions& options) {
  return std::make_unique<LimitedLabels<LimitedSolver>>(options);
}

/// Gives a solver of weighted edges the gains of the ledger as weights.
class PricedLabels : public Solver {
 public:
  PricedLabels(const Problem& problem, std::unique_ptr<Solver> solver)
      : problem_(problem), solver_(std::move(solver)) {}

  Label solve(const Instance& instance) override {
    const auto ledger = problem_.open(instance.market());
    gains_.resize(instance.view().weights.size());
    for (int t = 0; t < instance.num_arrivals(); ++t) {
      const Arrival arrival = instance.arrival(t);
      offers_.resize(arrival.nodes.size());
      ledger->price(arrival, offers_);
      const std::size_t first = index(instance.view().edge_begin[index(t)]);
      for (std::size_t k = 0; k < offers_.size(); ++k) {
        check_price(problem_, offers_[k]);
        gains_[first + k] = offers_[k].gain;
      }
    }
    InstanceView view = instance.view();
    view.weights = gains_;
    return solver_->solve(Instance(view, nullptr));
  }

 private:
  const Problem& problem_;
  std::unique_ptr<Solver> solver_;
  std::vector<float> gains_;
  std::vector<Offer> offers_;
};

std::vector<HindsightMethod> built_in_methods() {
  using Gain = Traits::Gain;
  using Use = Traits::Use;
  return {{"assignment", "gains that do not depend on each other, each match takes 1 of its node",
           [](const Problem& problem) {
             return problem.traits().additive() && problem.traits().units();
           },
           [](const SolveOptions&) { return std::make_unique<AssignmentLabels>(); }},
          {"coverage", "coverage gains, each match takes 1 of its node",
           [](const Problem& problem) {
             return problem.traits().gain == Gain::kCoverage && problem.traits().units();
           },
           make_limited<CoverageSolver>},
          {"budgets", "gains that do not depend on each other, out of budgets or with costs",
           [](const Problem& problem) {
             return problem.traits().additive() &&
                    (problem.traits().use == Use::kGain || problem.traits().use == Use::kCost);
           },
           make_limited<BudgetSolver>}};
}

}  // namespace

void HindsightMethods::add(HindsightMethod method) {
  const std::lock_guard lock(mutex_);
  methods_.insert(methods_.begin(), std::move(method));
}

HindsightMethod HindsightMethods::find(const Problem& problem) const {
  const std::lock_guard lock(mutex_);
  std::string all;
  for (const HindsightMethod& method : methods_) {
    if (method.serves(problem)) return method;
    all += fmt::format("{}{} ({})", all.empty() ? "" : "; ", method.name, method.summary);
  }
  fail(ErrorCode::kUsage,
       "problem \"{}\" ({}) has no method for hindsight optima; the methods are: {}. Add one with "
       "hindsight_methods().add",
       problem.name(), describe(problem.traits()), all);
}

HindsightMethods& hindsight_methods() {
  static HindsightMethods methods(built_in_methods());
  return methods;
}

std::unique_ptr<Solver> make_solver(const Problem& problem, const SolveOptions& options) {
  auto solver = hindsight_methods().find(problem).make(options);
  if (problem.traits().gain != Traits::Gain::kOwn) return solver;
  return std::make_unique<PricedLabels>(problem, std::move(solver));
}

}  // namespace foresight
