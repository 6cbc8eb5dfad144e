// The labels that an interrupted `solve` leaves, from which a later one goes on.
#include "tests/fuzz/support.h"
#include "tests/fuzz/target.h"

#include "foresight/base/error.h"
#include "foresight/eval/evaluate.h"
#include "foresight/solve/solver.h"

namespace foresight {
namespace {

/// Wants to stop as soon as there is something to keep.
class StopAtOnce : public Progress {
 public:
  void advance(std::int64_t) override { stopped_ = true; }
  bool cancelled() const override { return stopped_; }

 private:
  bool stopped_ = false;
};

}  // namespace

void fuzz_labels(std::string_view content) {
  static const Dataset data = small_datasets().front();
  const TempFolder folder;
  const auto path = folder.write_file("labels", with_digest(content));
  const Dataset unsolved = data.for_problem(data.schema().problem);
  const Dataset solved = solve(unsolved, {.threads = 1}, no_progress(), path);
  const std::vector<Contestant> contestants = {make_contestant("greedy", data.schema())};
  evaluate(solved, contestants, {.threads = 1, .episodes = 3}, no_progress());
}

std::vector<std::string> labels_seeds() {
  const Dataset data = small_datasets().front();
  const Dataset unsolved = data.for_problem(data.schema().problem);
  return {bytes_of([&](const std::filesystem::path& path) {
    StopAtOnce progress;
    try {
      solve(unsolved, {.threads = 1}, progress, path);
    } catch (const Error& error) {
      expect(error.code() == ErrorCode::kCancelled, error.what());
    }
  })};
}

}  // namespace foresight
