// Exact maximisation of a mixed-integer linear program:
//
//   maximise c x   subject to   row_lower <= A x <= row_upper,   lower <= x <= upper,
//   and some x integer.
//
// The problem is NP-hard in general. COIN-OR CLP solves the linear relaxation. If its solution is
// integral, that is the result. Otherwise COIN-OR CBC (Forrest and Lougee-Heimer) runs branch and
// bound on a core of the program. An integer variable can be left out if its reduced cost exceeds
// the gap between the relaxation and a known point: it keeps its relaxed value in every better
// point. The core is guessed, and grows until this proves it large enough (Balas and Zemel, 1980).
//
//   IntegerProgram program;
//   const int a = program.add_variable(6.0, 0, 1, true);
//   const int b = program.add_variable(5.0, 0, 1, true);
//   program.add_row(std::array{a, b}, std::array{3.0, 2.0}, -IntegerProgram::kInfinity, 4.0);
//   const auto solution = program.maximize();  // value 6: a alone
//
// Several threads may solve different programs at once. Nothing is printed.
#pragma once

#include <chrono>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "foresight/solve/limits.h"

class OsiClpSolverInterface;

namespace foresight {

class IntegerProgram {
 public:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();

  struct Options {
    double time_limit_seconds = kInfinity;  // wall clock, checked between two nodes
    double gap = 0;                         // with a start: ends once bound - value <= gap * bound
    bool strengthen = false;  // cuts and rounding heuristics: pay off if the relaxation is loose
    std::span<const double> start = {};  // a feasible point to improve on, or empty
    std::function<bool()> stop = {};     // if set, asked often: true is as if time ran out
  };

  struct Solution {
    double value = -kInfinity;   // of the best point found
    double bound = kInfinity;    // no point is worth more; equal to `value` if proven
    bool found = false;          // false if time ran out before the first feasible point
    bool proven = false;         // optimal up to a difference of 1e-9
    std::vector<double> values;  // one per variable, integers exact; empty unless found
  };

  /// Returns the variable's index, counting from 0.
  int add_variable(double objective, double lower, double upper, bool integer);

  /// Adds lower <= sum of coefficients[i] * x[variables[i]] <= upper, over distinct variables.
  void add_row(std::span<const int> variables, std::span<const double> coefficients, double lower,
               double upper);

  int num_variables() const { return static_cast<int>(objective_.size()); }
  int num_rows() const { return static_cast<int>(row_lower_.size()); }

  /// Throws Error(kData) if no point is feasible or the objective has no upper limit.
  Solution maximize(const Options& options) const;
  Solution maximize() const { return maximize(Options{}); }

 private:
  struct Relaxation;
  struct Core;

  bool is_feasible(std::span<const double> values) const;
  void accept(std::span<const double> values, Solution& solution) const;
  void load(OsiClpSolverInterface& solver) const;
  Core restrict_to(std::span<const char> kept, std::span<const double> values) const;
  Relaxation relax(const Deadline& deadline, bool feasible) const;
  std::vector<double> reduced_costs(std::span<const double> prices) const;
  Solution search(const Deadline& deadline, double floor, double step, bool strengthen) const;

  std::vector<double> objective_, lower_, upper_;  // per variable
  std::vector<char> integer_;
  std::vector<double> row_lower_, row_upper_;  // per row
  std::vector<int> row_begin_{0};              // the rows' entries, row by row
  std::vector<int> columns_;
  std::vector<double> coefficients_;
};

}  // namespace foresight
