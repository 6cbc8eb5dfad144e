// Hindsight optima: one interface for all problems.
//
//   auto solver = make_solver(problem, {});
//   Label label = solver->solve(instance);
//
// A problem's `Traits` decide which method solves it, so problems and solvers do not name each
// other. Another project adds its own method with `hindsight_methods().add`.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "foresight/base/progress.h"
#include "foresight/problem/bound.h"
#include "foresight/problem/problem.h"
#include "foresight/solve/limits.h"

namespace foresight {

struct SolveOptions {
  double time_limit_seconds = 10;   // per instance; used only if branch and bound is needed
  double gap = 1e-4;                // budgets: done once bound - value <= gap * bound
  int threads = 0;                  // 0 = all cores
  std::function<bool()> stop = {};  // if set, asked during branch and bound: true ends it

  SolveLimits limits() const { return {time_limit_seconds, gap, stop}; }
  void read(OptionReader& o);
};

/// Owns its workspace. Reuse it, and use one per thread.
class Solver {
 public:
  virtual ~Solver() = default;
  /// The instance must fit the problem that the solver was made for.
  virtual Label solve(const Instance& instance) = 0;
};

/// A way to find hindsight optima.
struct HindsightMethod {
  std::string name;     // e.g. "assignment"
  std::string summary;  // which problems it is for
  std::function<bool(const Problem&)> serves;
  std::function<std::unique_ptr<Solver>(const SolveOptions&)> make;
};

class HindsightMethods {
 public:
  explicit HindsightMethods(std::vector<HindsightMethod> methods) : methods_(std::move(methods)) {}

  /// Methods that were added last are asked first. Thread-safe.
  void add(HindsightMethod method);
  /// Throws Error(kUsage) if no method solves the problem.
  HindsightMethod find(const Problem& problem) const;

 private:
  mutable std::mutex mutex_;
  std::vector<HindsightMethod> methods_;
};
HindsightMethods& hindsight_methods();

/// `problem` must outlive the solver.
std::unique_ptr<Solver> make_solver(const Problem& problem, const SolveOptions& options);

/// Labels all instances. Existing labels whose gap is as small as asked for are kept; others can
/// only become better. With a `checkpoint` path, finished labels are saved there every few seconds
/// and on cancellation, and a later call for the same data continues from them. Remove the file once the result is saved. Throws Error(kUsage) if
/// an option is out of range, and Error(kCancelled) on cancellation.
BoundDataset solve(const BoundDataset& data, const SolveOptions& options, Progress& progress,
                   const std::filesystem::path& checkpoint = {});

}  // namespace foresight
