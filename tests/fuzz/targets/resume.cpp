// The last.safetensors of an interrupted run, from which training goes on.
#include "tests/fuzz/support.h"
#include "tests/fuzz/target.h"

#include "foresight/train/run.h"

namespace foresight {
namespace {

/// Trainers that keep a state of their own, each with a model it can train.
struct Trained {
  const char* model;
  const char* trainer;
};
constexpr Trained kTrained[] = {
    {"inv-ff(hidden=2,layers=1)", "reinforce(batch=2,standardize=1)"},
    {"inv-ff(hidden=2,layers=1)", "reinforce(batch=2,baseline=rollout)"},
    {"inv-ff(hidden=2,layers=1)", "reinforce(batch=2,baseline=critic)"},
    {"ff-supervised(hidden=2,layers=1)", "imitation(batch=2)"},
    {"inv-value(hidden=2,layers=1)", "td(batch=2)"}};

RunOptions tiny_run(const Trained& trained, const std::filesystem::path& folder) {
  RunOptions options;
  options.model = trained.model;
  options.trainer = trainer_for(trained.model, trained.trainer);
  options.train = "er(u=2,v=3,p=0.5)";
  options.instances = 2;
  options.validation_instances = 2;
  options.epochs = 2;
  options.threads = 1;
  options.folder = folder;
  options.resume = true;
  return options;
}

}  // namespace

void fuzz_resume(std::string_view content) {
  const TempFolder folder;
  const auto path = folder.write_file("last.safetensors", with_digest(content));
  folder.write_file("best.safetensors", "");
  Report report("run");
  report.add(folder.path());
  write_out(report);
  // The run must ask for what the file says, or it is refused before its state is read.
  const std::string trainer = read_run(folder.path()).trainer;
  for (const Trained& trained : kTrained) {
    const RunOptions options = tiny_run(trained, folder.path());
    if (trainers().canonical(options.trainer) == trainer) train(options, no_progress());
  }
}

std::vector<std::string> resume_seeds() {
  std::vector<std::string> seeds;
  for (const Trained& trained : kTrained) {
    const TempFolder folder;
    train(tiny_run(trained, folder.path()), no_progress(), [](const MetricsRow&) { return false; });
    seeds.push_back(bytes_of([&](const std::filesystem::path& path) {
      std::filesystem::copy(folder.path() / "last.safetensors", path);
    }));
  }
  return seeds;
}

}  // namespace foresight
