// The folder of a training run, as a report reads it. The input holds its files, each after a line
// with its name.
#include "tests/fuzz/support.h"
#include "tests/fuzz/target.h"

namespace foresight {

void fuzz_run(std::string_view content) {
  const TempFolder folder;
  write_files(folder, content, {"config.json", "metrics.csv"});
  Report report("run");
  report.add(folder.path());
  write_out(report);
}

std::vector<std::string> run_seeds() {
  const std::string config =
      "== config.json\n{\"model\": \"ff\", \"trainer\": \"reinforce\", \"train\": \"er\", "
      "\"problem\": \"e-obm\", \"command\": \"foresight train\", \"epochs\": 2}\n";
  return {config, config +
                      "== metrics.csv\nepoch,value,validation_ratio,best_ratio,seconds,"
                      "decisions_per_second\n1,2.5,0.5,0.5,1,1000\n2,3,0.75,0.75,1,1e3\n"};
}

}  // namespace foresight
