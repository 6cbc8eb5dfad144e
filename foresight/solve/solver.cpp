#include "foresight/solve/solver.h"

#include "foresight/base/error.h"
#include "foresight/solve/adwords.h"
#include "foresight/solve/assignment.h"
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

/// For solvers that may run out of time.
template <typename LimitedSolver>
class LimitedLabels : public Solver {
 public:
  explicit LimitedLabels(double time_limit_seconds) : time_limit_seconds_(time_limit_seconds) {}
  Label solve(const Instance& instance) override {
    return solver_.solve(instance, time_limit_seconds_);
  }

 private:
  LimitedSolver solver_;
  double time_limit_seconds_;
};

}  // namespace

std::unique_ptr<Solver> make_solver(const Problem& problem, const SolveOptions& options) {
  switch (problem.formulation()) {
    case Formulation::kAssignment:
      return std::make_unique<AssignmentLabels>();
    case Formulation::kCoverage:
      return std::make_unique<LimitedLabels<CoverageSolver>>(options.time_limit_seconds);
    case Formulation::kBudgets:
      return std::make_unique<LimitedLabels<AdwordsSolver>>(options.time_limit_seconds);
  }
  fail(ErrorCode::kUsage, "problem \"{}\" states no hindsight formulation", problem.name());
}

}  // namespace foresight
