// Hindsight optima: one face for all problems.
//
//   auto solver = make_solver(problem, {});
//   Label label = solver->solve(instance);
#pragma once

#include <filesystem>
#include <memory>

#include "foresight/base/progress.h"
#include "foresight/data/dataset.h"
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
  virtual Label solve(const Instance& instance) = 0;
};

std::unique_ptr<Solver> make_solver(const Problem& problem, const SolveOptions& options);

/// Labels all instances; throws Error(kUsage) if an option is out of range. With a `checkpoint` path, finished labels are kept there every few seconds
/// and on cancellation (which throws Error(kCancelled)), and a later call for the same data goes on
/// from them. Remove the file once the result is safe.
Dataset solve(const Dataset& data, const SolveOptions& options, Progress& progress,
              const std::filesystem::path& checkpoint = {});

}  // namespace foresight
