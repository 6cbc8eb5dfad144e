#include "foresight/solve/integer_program.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cmath>
#include <numeric>

#include <CbcEventHandler.hpp>
#include <CbcModel.hpp>
#include <CbcStrategy.hpp>
#include <ClpEventHandler.hpp>
#include <ClpSimplex.hpp>
#include <OsiClpSolverInterface.hpp>

#include "foresight/base/error.h"
#include "foresight/base/index.h"

namespace foresight {
namespace {

using Clock = std::chrono::steady_clock;

// How far a point may violate a row, an integer may be from whole, and a solution from optimal.
constexpr double kTolerance = 1e-9;

// Steps of a search are smaller than the gap by this part, so that rounding does not matter.
constexpr double kStepError = 1e-6;

// How many variables per row the simplex method looks at first, and how many it adds per round.
constexpr std::size_t kSamplePerRow = 10;

// How many variables beyond one per row are searched at first, and how fast more are added.
constexpr std::size_t kFirstCore = 200;
constexpr std::size_t kCoreGrowth = 4;

// No reduced cost is wrong by more than this, nor any row of a point that CBC calls feasible.
constexpr double kCostError = 1e-7;
constexpr double kRowError = 1e-6;

// COIN-OR's infinity is the largest finite number.
std::vector<double> finite(std::span<const double> bounds) {
  std::vector<double> result(bounds.begin(), bounds.end());
  for (double& bound : result) bound = std::clamp(bound, -COIN_DBL_MAX, COIN_DBL_MAX);
  return result;
}

[[noreturn]] void fail_infeasible() {
  fail(ErrorCode::kData, "the integer program has no feasible solution");
}

// Stops the search between two nodes. CBC's own limit also interrupts linear programs half-way, and
// then its bound can be wrong. By default it also counts the processor time of all threads.
class SearchStop : public CbcEventHandler {
 public:
  explicit SearchStop(const Deadline& deadline) : deadline_(&deadline) {}
  CbcAction event(CbcEvent what) override {
    return what == node && deadline_->passed() ? stop : noAction;
  }
  CbcEventHandler* clone() const override { return new SearchStop(*this); }

 private:
  const Deadline* deadline_;
};

// Stops a linear program between two iterations.
class LinearStop : public ClpEventHandler {
 public:
  explicit LinearStop(const Deadline& deadline) : deadline_(&deadline) {}
  int event(Event what) override {
    constexpr int kStop = 5, kGoOn = -1;
    return what == endOfIteration && deadline_->stop && deadline_->stop() ? kStop : kGoOn;
  }
  ClpEventHandler* clone() const override { return new LinearStop(*this); }

 private:
  const Deadline* deadline_;
};

void configure(CbcModel& search, double step, bool strengthen) {
  search.setLogLevel(0);
  search.setIntegerTolerance(kTolerance);
  search.setCutoffIncrement(step);
  search.setAllowableGap(0);
  search.setAllowableFractionGap(0);
  if (strengthen) {
    // Cuts at the root only; strong branching on 5 candidates, pseudo-costs trusted after 10
    // trials. No preprocessing: with a cutoff, CBC 2.10 then returns infeasible points.
    CbcStrategyDefault strategy(1, 5, 10);
    search.setStrategy(strategy);
  }
}

}  // namespace

int IntegerProgram::add_variable(double objective, double lower, double upper, bool integer) {
  objective_.push_back(objective);
  lower_.push_back(lower);
  upper_.push_back(upper);
  integer_.push_back(integer);
  return num_variables() - 1;
}

void IntegerProgram::add_row(std::span<const int> variables, std::span<const double> coefficients,
                             double lower, double upper) {
  assert(variables.size() == coefficients.size());
  columns_.insert(columns_.end(), variables.begin(), variables.end());
  coefficients_.insert(coefficients_.end(), coefficients.begin(), coefficients.end());
  row_begin_.push_back(static_cast<int>(columns_.size()));
  row_lower_.push_back(lower);
  row_upper_.push_back(upper);
}

bool IntegerProgram::is_feasible(std::span<const double> values) const {
  for (std::size_t i = 0; i < row_lower_.size(); ++i) {
    double sum = 0;
    for (auto k = index(row_begin_[i]); k < index(row_begin_[i + 1]); ++k)
      sum += coefficients_[k] * values[index(columns_[k])];
    if (sum < row_lower_[i] - kRowError || sum > row_upper_[i] + kRowError) return false;
  }
  return true;
}

void IntegerProgram::accept(std::span<const double> values, Solution& solution) const {
  solution.found = true;
  solution.values.assign(values.begin(), values.end());
  for (std::size_t j = 0; j < values.size(); ++j)
    if (integer_[j]) solution.values[j] = std::round(values[j]);
  solution.value =
      std::inner_product(objective_.begin(), objective_.end(), solution.values.begin(), 0.0);
}

void IntegerProgram::load(OsiClpSolverInterface& solver) const {
  std::vector<double> cost(objective_.size());  // COIN-OR minimises
  std::transform(objective_.begin(), objective_.end(), cost.begin(), std::negate<>());
  solver.messageHandler()->setLogLevel(0);
  solver.setDblParam(OsiPrimalTolerance, kTolerance);
  solver.setDblParam(OsiDualTolerance, kTolerance);
  solver.loadProblem(
      CoinPackedMatrix(false, num_variables(), num_rows(), row_begin_.back(), coefficients_.data(),
                       columns_.data(), row_begin_.data(), nullptr),
      finite(lower_).data(), finite(upper_).data(), cost.data(), finite(row_lower_).data(),
      finite(row_upper_).data());
}

// The program that is left once the other variables are fixed.
struct IntegerProgram::Core {
  IntegerProgram program;
  std::vector<int> variables;  // their indices in the whole program
  double fixed_value = 0;      // what the others are worth

  // A point of the whole program: `core_values` for the variables, `fixed` for the others.
  std::vector<double> complete(std::span<const double> core_values,
                               std::span<const double> fixed) const {
    std::vector<double> values(fixed.begin(), fixed.end());
    for (std::size_t i = 0; i < variables.size(); ++i) values[index(variables[i])] = core_values[i];
    return values;
  }
};

IntegerProgram::Core IntegerProgram::restrict_to(std::span<const char> kept,
                                                 std::span<const double> values) const {
  Core core;
  std::vector<int> position(kept.size());
  for (std::size_t j = 0; j < kept.size(); ++j) {
    if (kept[j]) {
      position[j] = core.program.add_variable(objective_[j], lower_[j], upper_[j], integer_[j]);
      core.variables.push_back(static_cast<int>(j));
    } else {
      core.fixed_value += objective_[j] * values[j];
    }
  }
  std::vector<int> variables;
  std::vector<double> coefficients;
  for (int i = 0; i < num_rows(); ++i) {
    variables.clear();
    coefficients.clear();
    double fixed = 0;
    for (auto k = index(row_begin_[index(i)]); k < index(row_begin_[index(i) + 1]); ++k) {
      const std::size_t j = index(columns_[k]);
      if (kept[j]) {
        variables.push_back(position[j]);
        coefficients.push_back(coefficients_[k]);
      } else {
        fixed += coefficients_[k] * values[j];
      }
    }
    core.program.add_row(variables, coefficients, row_lower_[index(i)] - fixed,
                         row_upper_[index(i)] - fixed);
  }
  return core;
}

struct IntegerProgram::Relaxation {
  bool solved = false;  // false if time ran out
  bool integral = true;
  double bound = kInfinity;
  std::vector<double> values;
  std::vector<double> costs;  // the least cost of changing an integer variable's value
};

// Solves for a sample of the variables, adds others whose reduced cost shows that they are needed,
// and repeats (sifting).
IntegerProgram::Relaxation IntegerProgram::relax(const Deadline& deadline, bool feasible) const {
  const std::size_t n = objective_.size();
  const std::size_t sample = kSamplePerRow * (row_lower_.size() + 1);
  std::vector<char> active(n, n <= 2 * sample);
  for (std::size_t j = 0; j < n; ++j)
    if (j % (n / sample + 1) == 0 || lower_[j] == -kInfinity) active[j] = true;

  Relaxation result;
  std::vector<double> costs;
  for (std::vector<std::size_t> missed; !result.solved;) {
    const Core core = restrict_to(active, lower_);
    OsiClpSolverInterface solver;
    core.program.load(solver);
    solver.getModelPtr()->setMaximumWallSeconds(deadline.seconds_left());
    LinearStop stop(deadline);
    solver.getModelPtr()->passInEventHandler(&stop);
    solver.initialSolve();
    if (solver.isProvenDualInfeasible())
      fail(ErrorCode::kData, "the objective of the integer program has no upper limit");
    if (solver.isProvenPrimalInfeasible()) {
      // Numbers of very different size can mislead the simplex method.
      if (core.variables.size() == n && feasible) return result;
      if (core.variables.size() == n) fail_infeasible();
      active.assign(n, true);
      continue;
    }
    if (!solver.isProvenOptimal()) return result;

    costs = reduced_costs({solver.getRowPrice(), row_lower_.size()});
    missed.clear();
    for (std::size_t j = 0; j < n; ++j)
      if (!active[j] && costs[j] < -kTolerance) missed.push_back(j);
    if (missed.size() > sample) {
      std::nth_element(missed.begin(), missed.begin() + static_cast<std::ptrdiff_t>(sample),
                       missed.end(),
                       [&](std::size_t a, std::size_t b) { return costs[a] < costs[b]; });
      missed.resize(sample);
    }
    for (const std::size_t j : missed) active[j] = true;
    result.solved = missed.empty();
    result.bound = core.fixed_value - solver.getObjValue();
    result.values = core.complete({solver.getColSolution(), core.variables.size()}, lower_);
  }

  result.costs.assign(n, 0);
  for (std::size_t j = 0; j < n; ++j) {
    if (!integer_[j]) continue;
    const double whole = std::round(result.values[j]);
    if (std::abs(result.values[j] - whole) <= kTolerance) {
      result.values[j] = whole;
      result.costs[j] = std::abs(costs[j]);
    } else {
      result.integral = false;
    }
  }
  return result;
}

std::vector<double> IntegerProgram::reduced_costs(std::span<const double> prices) const {
  std::vector<double> costs(objective_.size());
  std::transform(objective_.begin(), objective_.end(), costs.begin(), std::negate<>());
  for (std::size_t i = 0; i < prices.size(); ++i)
    for (auto k = index(row_begin_[i]); k < index(row_begin_[i + 1]); ++k)
      costs[index(columns_[k])] -= prices[i] * coefficients_[k];
  return costs;
}

// Branch and bound for points worth more than `floor` + `step`, each better than the last one by
// `step`. "Proven" means that no point is worth `step` more than the last one, or than `floor`.
IntegerProgram::Solution IntegerProgram::search(const Deadline& deadline, double floor, double step,
                                                bool strengthen) const {
  OsiClpSolverInterface solver;
  load(solver);
  for (int j = 0; j < num_variables(); ++j)
    if (integer_[index(j)]) solver.setInteger(j);
  CbcModel model(solver);
  configure(model, step, strengthen);
  const SearchStop stop(deadline);
  model.passInEventHandler(&stop);
  const double slack = step > kTolerance ? step : 0;
  if (floor > -kInfinity) model.setCutoff(-(floor + slack));
  model.branchAndBound();

  Solution solution;
  if (model.bestSolution() != nullptr) accept({model.bestSolution(), objective_.size()}, solution);
  if (solution.found && !is_feasible(solution.values)) return {};  // CBC's word is not enough
  solution.proven = model.isProvenOptimal() || model.isProvenInfeasible();
  solution.bound = std::max(floor, solution.value) + slack;
  if (!solution.proven) solution.bound = std::max(solution.bound, -model.getBestPossibleObjValue());
  return solution;
}

IntegerProgram::Solution IntegerProgram::maximize(const Options& options) const {
  const Deadline deadline =
      SolveLimits{.time_limit_seconds = options.time_limit_seconds, .stop = options.stop}
          .deadline();
  Solution best;
  if (!options.start.empty()) {
    assert(is_feasible(options.start));
    accept(options.start, best);
  }
  const Relaxation relaxed = relax(deadline, best.found);
  if (!relaxed.solved) return best;
  best.bound = relaxed.bound;
  if (relaxed.integral) {
    accept(relaxed.values, best);
    best.bound = best.value;
  }

  const auto allowed = [&] {
    return best.found ? std::max(kTolerance, options.gap * best.value) : kTolerance;
  };
  const auto step = [&] { return std::max(kTolerance, (1 - kStepError) * allowed()); };
  std::vector<double> costs = relaxed.costs;
  std::sort(costs.begin(), costs.end());
  for (std::size_t size = row_lower_.size() + kFirstCore;
       best.bound - best.value > allowed() && !deadline.passed(); size *= kCoreGrowth) {
    // A point that differs from the relaxed one outside the core is worth at most bound - reach.
    const double reach =
        std::min(size < costs.size() ? costs[size] : kInfinity, relaxed.bound - best.value);
    std::vector<char> kept(costs.size());
    for (std::size_t j = 0; j < kept.size(); ++j) kept[j] = relaxed.costs[j] <= reach + kCostError;
    const Core core = restrict_to(kept, relaxed.values);
    const Solution found =
        core.program.search(deadline, best.value - core.fixed_value, step(), options.strengthen);
    if (found.found) {
      accept(core.complete(found.values, relaxed.values), best);
    } else if (!best.found && found.proven && core.variables.size() == kept.size()) {
      fail_infeasible();
    }
    best.bound =
        std::min(best.bound, std::max(found.bound + core.fixed_value, relaxed.bound - reach));
    if (!found.proven) break;
  }
  best.proven = best.bound - best.value <= kTolerance;
  if (best.proven) best.bound = best.value;
  return best;
}

}  // namespace foresight
