#include "foresight/solve/solver.h"

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
    const Assignment& best = solver_.solve(instance);
    return {best.value, best.value, best.matching};
  }

 private:
  AssignmentSolver solver_;
};

/// For solvers that may stop before the optimum is proven.
template <typename LimitedSolver, typename Limits>
class LimitedLabels : public Solver {
 public:
  explicit LimitedLabels(const Limits& limits) : limits_(limits) {}
  Label solve(const Instance& instance) override { return solver_.solve(instance, limits_); }

 private:
  LimitedSolver solver_;
  Limits limits_;
};

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
      for (std::size_t k = 0; k < offers_.size(); ++k) gains_[first + k] = offers_[k].gain;
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
  return {
      {"assignment", "gains that do not depend on each other, each node once",
       [](const Problem& problem) {
         return problem.traits().additive() && problem.traits().once();
       },
       [](const SolveOptions&) { return std::make_unique<AssignmentLabels>(); }},
      {"coverage", "coverage gains, each node once",
       [](const Problem& problem) {
         return problem.traits().gain == Gain::kCoverage && problem.traits().once();
       },
       [](const SolveOptions& options) {
         return std::make_unique<LimitedLabels<CoverageSolver, double>>(options.time_limit_seconds);
       }},
      {"budgets", "gains that do not depend on each other, out of budgets",
       [](const Problem& problem) {
         return problem.traits().additive() && problem.traits().use == Use::kBudget;
       },
       [](const SolveOptions& options) {
         return std::make_unique<LimitedLabels<BudgetSolver, SolveLimits>>(options.limits());
       }}};
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
