#include "foresight/report/report.h"

#include <fmt/format.h>

#include "foresight/base/atomic_file.h"
#include "foresight/base/error.h"
#include "foresight/base/files.h"
#include "foresight/base/format.h"
#include "foresight/cli/command.h"
#include "foresight/cli/table.h"

namespace foresight {
namespace {

struct ReportArguments {
  std::vector<std::string> results;
  std::string title = "Foresight report";
  std::string html, csv, markdown;

  void read(OptionReader& o) { o.text("title", title, "title of the page"); }
};

void run(ReportArguments arguments) {
  if (arguments.html.empty() && arguments.csv.empty() && arguments.markdown.empty()) {
    arguments.html = "report.html";
  }
  for (const std::string& path : {arguments.html, arguments.csv, arguments.markdown}) {
    if (!path.empty()) check_output(path);
  }
  Report report(arguments.title);
  for (const std::string& result : arguments.results) report.add(result);
  check_overwriting({arguments.html, arguments.csv, arguments.markdown});
  const auto write = [&](const std::string& path, std::string (*render)(const Report&)) {
    if (path.empty()) return;
    const std::string text = render(report);
    write_file_atomically(path, text);
    fmt::print("wrote {} ({})\n", path, human_bytes(text.size()));
  };
  write(arguments.html, to_html);
  write(arguments.csv, to_csv);
  write(arguments.markdown, to_markdown);
}

}  // namespace

std::string gap_closed(const PolicyResult& result) {
  if (!result.gap_closed || *result.gap_closed < 0) return "";
  return fmt::format("{:.1f} %", 100 * *result.gap_closed);
}

void print_results(const Report& report) {
  for (const auto& entry : report.evaluations()) {
    Table table({{"policy"},
                 {"mean ratio", Align::kRight},
                 {"+-95%", Align::kRight},
                 {"worst", Align::kRight},
                 {"vs " + entry.policies.front(), Align::kRight},
                 {"gap closed", Align::kRight}});
    for (std::size_t i = 0; i < entry.policies.size(); ++i) {
      const PolicyResult& result = entry.evaluation.policies[i];
      table.add_row({entry.policies[i], fmt::format("{:.4f}", result.ratio.mean),
                     fmt::format("{:.4f}", result.ratio.ci95),
                     fmt::format("{:.4f}", result.ratio.minimum),
                     i == 0 ? "" : fmt::format("{:+.4f}", result.against_first.mean_difference),
                     gap_closed(result)});
    }
    fmt::print("\n{}, {} instances\n\n{}", entry.name,
               human_count(static_cast<std::int64_t>(entry.evaluation.num_instances)),
               table.render());
    if (entry.evaluation.gap_reference) fmt::print("\n{}\n", describe_gap(entry.evaluation));
  }
}

void add_report_command(CommandParser& parser) {
  auto arguments = std::make_shared<ReportArguments>();
  Command command =
      parser.add_command("report", "Make a web page from results, training runs and studies");
  command
      .option(
          "results", arguments->results,
          "Files that `evaluate --json` wrote, run folders, and studies of foresight-tune, in any "
          "order")
      .required();
  command.option("-o,--output", arguments->html,
                 "The page to write (default: report.html, unless --csv or --markdown is given)");
  command.option("--csv", arguments->csv, "Write the results as a CSV table");
  command.option("--markdown", arguments->markdown, "Write the results as Markdown tables");
  command.options(*arguments);
  command.on_run([arguments] { run(*arguments); });
}

}  // namespace foresight
