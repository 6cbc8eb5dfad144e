#include <cmath>

#include <fmt/format.h>

#include "foresight/base/csv.h"
#include "foresight/report/report.h"

namespace foresight {
namespace {

std::string markdown_cell(const std::string& text) {
  std::string cell;
  for (const char c : text) {
    if (c == '|' || c == '\\' || c == '<' || c == '`') cell += '\\';
    cell += c == '\n' || c == '\r' ? ' ' : c;
  }
  return cell;
}

std::string markdown_row(const std::vector<std::string>& cells) {
  std::string row = "|";
  for (const std::string& cell : cells) row += fmt::format(" {} |", markdown_cell(cell));
  row += "\n";
  return row;
}

std::string markdown_table(const std::vector<std::string>& columns,
                           const std::vector<std::vector<std::string>>& rows) {
  std::string text = markdown_row(columns) + "|";
  for (std::size_t i = 0; i < columns.size(); ++i) text += "---|";
  text += "\n";
  for (const auto& row : rows) text += markdown_row(row);
  text += "\n";
  return text;
}

constexpr std::size_t kBestTrials = 10;  // of a study

std::string number(double value, const char* format = "{:.4f}") {
  return std::isfinite(value) ? fmt::format(fmt::runtime(format), value) : "-";
}

}  // namespace

std::string to_csv(const Report& report) {
  std::string text =
      "data,policy,detail,instances,mean,ci95,std,min,mean_value,matched,decisions_per_second,"
      "p50_us,p99_us,difference,difference_low,difference_high,wilcoxon_p,gap_closed\n";
  for (const auto& entry : report.evaluations()) {
    for (std::size_t i = 0; i < entry.policies.size(); ++i) {
      const PolicyResult& result = entry.evaluation.policies[i];
      const PairedComparison& c = result.against_first;
      text +=
          fmt::format("{},{},{},{},{},{},{},{},{},{},{:.0f},{},{},{},{},{},{},{}\n",
                      csv_field(entry.name), csv_field(entry.policies[i]),
                      csv_field(result.resolved.empty() ? result.name : result.resolved),
                      entry.evaluation.num_instances, result.ratio.mean, result.ratio.ci95,
                      result.ratio.standard_deviation, result.ratio.minimum, result.mean_value,
                      result.matched, result.decisions_per_second, result.p50_microseconds,
                      result.p99_microseconds, c.mean_difference, c.ci95_low, c.ci95_high,
                      c.wilcoxon_p, result.gap_closed ? fmt::to_string(*result.gap_closed) : "");
    }
  }
  for (const auto& [name, study] : report.studies()) {
    for (const Study::Trial* trial : study.best(kBestTrials)) {
      text += fmt::format("{},{},{},,{},,,,,,,,,,,,,\n", csv_field(study.train),
                          csv_field(fmt::format("{}, trial {}", name, trial->number)),
                          csv_field(trial->trainer), trial->value);
    }
  }
  return text;
}

std::string to_markdown(const Report& report) {
  std::string text = fmt::format("# {}\n\n", markdown_cell(report.title()));
  for (const auto& entry : report.evaluations()) {
    std::vector<std::vector<std::string>> rows;
    for (std::size_t i = 0; i < entry.policies.size(); ++i) {
      const PolicyResult& result = entry.evaluation.policies[i];
      const PairedComparison& c = result.against_first;
      rows.push_back({entry.policies[i], number(result.ratio.mean), number(result.ratio.ci95),
                      number(result.ratio.standard_deviation), number(result.ratio.minimum),
                      number(result.matched, "{:.1f}"),
                      i == 0 ? "" : number(c.mean_difference, "{:+.4f}"),
                      i == 0 ? "" : number(c.wilcoxon_p, "{:.2g}"),
                      result.gap_closed ? number(100 * *result.gap_closed, "{:.1f} %") : ""});
    }
    text += fmt::format("## {}\n\n{} instances ({}), seed {}{}\n\n", markdown_cell(entry.name),
                        entry.evaluation.num_instances, entry.evaluation.problem,
                        entry.evaluation.provenance.seed,
                        entry.evaluation.horizon.is_known()
                            ? ""
                            : ", number of arrivals: " + entry.evaluation.horizon.describe());
    text += markdown_table(
        {"policy", "mean ratio", "±95 %", "std", "worst", "matched", "vs first", "p", "gap closed"},
        rows);
    if (entry.evaluation.gap_reference) {
      text += markdown_cell(describe_gap(entry.evaluation)) + "\n\n";
    }
    for (const std::string& remark : entry.remarks) text += markdown_cell(remark) + "\n\n";
  }
  if (!report.runs().empty()) {
    std::vector<std::vector<std::string>> rows;
    for (const auto& [name, run] : report.runs()) {
      rows.push_back({name, run.model, run.trainer, run.train, fmt::to_string(run.epochs_done()),
                      run.best_epoch == 0 ? "-" : number(run.best_ratio)});
    }
    text += "## Training runs\n\n";
    text += markdown_table({"run", "model", "trainer", "data", "epochs", "best validation ratio"},
                           rows);
  }
  for (const auto& [name, study] : report.studies()) {
    std::vector<std::string> columns = {"trial", "validation ratio", "epochs"};
    for (const Study::Parameter& parameter : study.parameters) columns.push_back(parameter.name);
    std::vector<std::vector<std::string>> rows;
    for (const Study::Trial* trial : study.best(kBestTrials)) {
      auto& row = rows.emplace_back(std::vector{fmt::to_string(trial->number), number(trial->value),
                                                fmt::to_string(trial->epochs)});
      for (std::size_t i = 0; i < study.parameters.size(); ++i) {
        row.push_back(Study::text(study.parameters[i], trial->values[i]));
      }
    }
    text +=
        fmt::format("## Study {}\n\nThe best of {} trials of {} on {}\n\n", markdown_cell(name),
                    study.trials.size(), markdown_cell(study.model), markdown_cell(study.train));
    text += markdown_table(columns, rows);
  }
  for (const ReportTable& table : report.tables()) {
    text += fmt::format("## {}\n\n{}", markdown_cell(table.name),
                        markdown_table(table.columns, table.rows));
    if (!table.note.empty()) text += fmt::format("{}\n\n", markdown_cell(table.note));
  }
  return text;
}

}  // namespace foresight
