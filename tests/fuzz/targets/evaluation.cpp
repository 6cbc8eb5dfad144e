// Results in JSON, of evaluations and of studies, and the reports that are made of them.
#include "tests/fuzz/support.h"
#include "tests/fuzz/target.h"
#include "tests/named_market.h"

namespace foresight {
namespace {

constexpr const char* kStudy = R"json({"format": "foresight-study", "version": 1, "name": "s",
 "model": "ff", "train": "er(u=3,v=4)", "epochs": 2, "parameters": [
 {"name": "lr", "kind": "log", "low": 0.001, "high": 0.1, "importance": 0.5},
 {"name": "batch", "kind": "integer", "low": 1, "high": 9},
 {"name": "baseline", "kind": "choice", "choices": ["a", "b"]}], "trials": [
 {"number": 1, "state": "complete", "value": 0.5, "epochs": 2, "seconds": 1.5,
  "trainer": "reinforce", "values": [0.01, 3, "b"]},
 {"number": 0, "state": "failed", "value": null, "epochs": 0, "seconds": 0,
  "trainer": "reinforce", "values": [0.02, null, "a"]}]
})json";

}  // namespace

void fuzz_evaluation(std::string_view content) {
  const std::string name = "result.json";
  Report report("title | <title>");
  if (is_study(content)) {
    const Study study = study_from_json(content, name);
    report.add(study, name);
    report.add(study, "other.json");
  } else {
    Evaluation evaluation = evaluation_from_json(content, name);
    report.add(evaluation, name);
    // Tested on something else than before: that makes a table of transfers.
    evaluation.provenance.source += "2";
    report.add(evaluation_from_json(to_json(evaluation), name), "other.json");
  }
  write_out(report);
}

std::vector<std::string> evaluation_seeds() {
  std::vector<std::string> seeds = {kStudy};
  std::vector<Dataset> datasets = small_datasets();
  datasets.push_back(named_market());
  for (const Dataset& made : datasets) {
    const BoundDataset data = bind_data(made);
    std::vector<Contestant> contestants = {make_contestant("greedy", data),
                                           make_contestant("greedy-rt(scale=2,w_max=5)", data)};
    contestants.back().model = "ff(hidden=2)";
    contestants.back().trained_on = "er(u=3,v=4)";
    seeds.push_back(
        to_json(evaluate(data, contestants, {.threads = 1, .episodes = 2}, no_progress())));
  }
  return seeds;
}

}  // namespace foresight
