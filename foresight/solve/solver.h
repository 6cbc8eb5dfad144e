// Hindsight optima: one face for all problems.
//
//   auto solver = make_solver(problem, {});
//   Label label = solver->solve(instance);
//
// Methods register for what a problem declares (`Traits`), so no problem names its solver and no
// solver names a problem. Another project adds a method of its own with `hindsight_methods().add`.
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

namespace foresight {

struct SolveOptions {
  double time_limit_seconds = 10;  // per instance; only programs that need branch and bound use it
  int threads = 0;                 // 0 = all cores

  void read(OptionReader& o);
};

/// Owns its workspace: reuse it, one per thread.
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
  /// Throws Error(kUsage) if none serves the problem.
  HindsightMethod find(const Problem& problem) const;

 private:
  mutable std::mutex mutex_;
  std::vector<HindsightMethod> methods_;
};
HindsightMethods& hindsight_methods();

/// `problem` must outlive the solver.
std::unique_ptr<Solver> make_solver(const Problem& problem, const SolveOptions& options);

/// Labels all instances; throws Error(kUsage) if an option is out of range. With a `checkpoint` path, finished labels are kept there every few seconds
/// and on cancellation (which throws Error(kCancelled)), and a later call for the same data goes on
/// from them. Remove the file once the result is safe. Labels that are there and proven are kept.
BoundDataset solve(const BoundDataset& data, const SolveOptions& options, Progress& progress,
                   const std::filesystem::path& checkpoint = {});

}  // namespace foresight
