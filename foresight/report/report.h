// Results for people to look at: one self-contained page, or tables for a paper.
//
//   Report report("Crowdsourcing");
//   report.add("result.json");            // what `foresight evaluate --json` wrote
//   report.add("runs/inv-ff-hist");       // a training run
//   report.add("runs/auto");              // a search: its table, and the run that it kept
//   report.add("study.json");             // what foresight-tune wrote
//   write_file_atomically("report.html", to_html(report));
//
// The page (web/, TypeScript) only draws; every number on it is computed here. docs/formats.md
// specifies its data.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "foresight/eval/evaluate.h"
#include "foresight/report/study.h"
#include "foresight/train/run_record.h"

namespace foresight {

/// A plain table, e.g. the paper's numbers next to ours.
struct ReportTable {
  std::string name;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
  std::string note;
};

class Report {
 public:
  /// What the report is made from.
  struct Input {
    std::string path, kind, summary;
  };
  /// Results with names that are unique and short enough to read.
  struct NamedEvaluation {
    std::filesystem::path file;
    std::string name;
    std::vector<std::string> policies;
    Evaluation evaluation;
    std::vector<std::string> remarks = {};  // of the search that it ends, the advice first
  };
  struct NamedRun {
    std::string name;
    RunRecord run;
  };
  struct NamedStudy {
    std::string name;
    Study study;
  };

  explicit Report(std::string title) : title_(std::move(title)) {}

  /// Adds the file of an evaluation or of a study, the folder of a study, or a run folder. A result
  /// is added only once. Throws Error(kData) for anything else.
  void add(const std::filesystem::path& result);
  /// Adds an evaluation or a study that is, or could be, in this file.
  void add(Evaluation evaluation, const std::filesystem::path& file);
  void add(Study study, const std::filesystem::path& file);
  void add(ReportTable table) { tables_.push_back(std::move(table)); }

  const std::string& title() const { return title_; }
  const std::vector<Input>& inputs() const { return inputs_; }
  const std::vector<NamedEvaluation>& evaluations() const { return evaluations_; }
  const std::vector<NamedRun>& runs() const { return runs_; }
  const std::vector<NamedStudy>& studies() const { return studies_; }
  const std::vector<ReportTable>& tables() const { return tables_; }

 private:
  void add_search(const std::filesystem::path& folder);
  void add_run(const std::filesystem::path& folder);

  std::string title_;
  std::vector<Input> inputs_;
  std::vector<NamedEvaluation> evaluations_;
  std::vector<NamedRun> runs_;
  std::vector<NamedStudy> studies_;
  std::vector<ReportTable> tables_;
};

/// A page that needs nothing else: no server, no network, no other file.
std::string to_html(const Report& report);

/// One line per evaluation and policy, and per trial among the best trials of a study.
std::string to_csv(const Report& report);
std::string to_markdown(const Report& report);

}  // namespace foresight
