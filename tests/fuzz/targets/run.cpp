// The folder of a training run, as a report reads it: what was asked for, and the timing beside the
// last checkpoint. The input holds the two text files, each after a line with its name.
#include "foresight/train/run.h"

#include "tests/fuzz/support.h"
#include "tests/fuzz/target.h"

namespace foresight {
namespace {

/// A run of one epoch that is done.
std::string last_checkpoint() {
  return bytes_of([](const std::filesystem::path& path) {
    const TempFolder folder;
    RunOptions options;
    options.model = "inv-ff(hidden=2,layers=1)";
    options.train = "er(u=2,v=3,p=0.5)";
    options.instances = options.validation_instances = 2;
    options.epochs = 1;
    options.threads = 1;
    options.folder = folder.path();
    train(options, no_progress());
    std::filesystem::copy(folder.path() / "last.safetensors", path);
  });
}

}  // namespace

void fuzz_run(std::string_view content) {
  static const std::string last = last_checkpoint();
  for (const bool begun : {false, true}) {
    const TempFolder folder;
    write_files(folder, content, {"config.json", "timing.csv"});
    if (begun) folder.write_file("last.safetensors", last);
    Report report("run");
    report.add(folder.path());
    write_out(report);
  }
}

std::vector<std::string> run_seeds() {
  const std::string config =
      "== config.json\n{\"model\": \"ff\", \"trainer\": \"reinforce\", \"problem\": \"e-obm\", "
      "\"train\": \"er\", \"train_digest\": \"\", \"validation\": \"er\", \"validation_digest\": "
      "\"\", \"instances\": 20, \"validation_instances\": 10, \"epochs\": 2, \"seed\": 1, "
      "\"command\": \"foresight train\"}\n";
  return {config,
          config + "== timing.csv\nepoch,seconds,decisions_per_second\n1,2.5,1000\n2,3,1e3\n"};
}

}  // namespace foresight
