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
  static const BoundDataset data = bind_data(small_datasets().front());
  const TempFolder folder;
  const auto path = folder.write_file("labels", with_digest(content));
  const BoundDataset unsolved = bind_data(data.without_labels());
  const BoundDataset solved = solve(unsolved, {.threads = 1}, no_progress(), path);
  const std::vector<Contestant> contestants = {make_contestant("greedy", data)};
  evaluate(solved, contestants, {.threads = 1, .episodes = 3}, no_progress());
}

std::vector<std::string> labels_seeds() {
  const BoundDataset unsolved = bind_data(small_datasets().front().without_labels());
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
