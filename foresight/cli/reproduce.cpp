#include <algorithm>
#include <chrono>

#include <fmt/ranges.h>

#include "foresight/base/atomic_file.h"
#include "foresight/base/error.h"
#include "foresight/base/format.h"
#include "foresight/cli/command.h"
#include "foresight/cli/table.h"
#include "foresight/reproduce/target.h"

namespace foresight {
namespace {

struct ReproduceArguments {
  std::string target = "all";
  std::string scale = "quick";
  std::string data = "data";
  std::filesystem::path output = "reproduced";
  std::uint64_t seed = 1;
  int threads = 0;

  void read(OptionReader& o) {
    o.text("target", target,
           "which: er, ba, gmission, gmission-var, gmission-perm, transfer, movielens, "
           "movielens-var, adwords, agreement, curves, or all");
    o.choice("scale", scale, {"smoke", "quick", "full"},
             "how much to train: smoke takes seconds, quick minutes, full is as in the paper");
    o.text("data", data, "folder with the base graphs, in its folders gmission and movielens");
    o.seed(seed);
    o.threads(threads);
  }
};

Scale scale_named(const std::string& name) {
  if (name == "smoke") {
    return {.name = name,
            .epochs = 2,
            .decisions = 1,
            .instances = 200,
            .validation_instances = 50,
            .test_instances = 50};
  }
  if (name == "quick") {
    return {.name = name,
            .epochs = 30,
            .decisions = 12e6,
            .instances = 12'000,
            .validation_instances = 500};
  }
  return {.name = name, .epochs = 300};  // as in the paper
}

void print(const ReportTable& table) {
  std::vector<Column> columns;
  for (const std::string& name : table.columns) columns.push_back({name});
  Table text(std::move(columns));
  for (const auto& row : table.rows) text.add_row(row);
  fmt::print("\n{}\n\n{}", table.name, text.render());
}

void print(const Report& report) {
  print_results(report);
  for (const ReportTable& table : report.tables()) print(table);
}

/// Writes the report as a page and as Markdown.
void write(const Report& report, const std::filesystem::path& name) {
  write_file_atomically(name.string() + ".html", to_html(report));
  write_file_atomically(name.string() + ".md", to_markdown(report));
  fmt::print("\nwrote {0}.html and {0}.md\n", name.string());
}

void run(const ReproduceArguments& arguments) {
  const auto start = std::chrono::steady_clock::now();
  const auto targets = paper_targets(arguments.data, arguments.scale);
  std::vector<std::string> names = {"all"};
  for (const Target& target : targets) names.push_back(target.name);
  if (std::ranges::find(names, arguments.target) == names.end()) {
    fail(ErrorCode::kUsage, "there is no target \"{}\"; the targets are: {}", arguments.target,
         fmt::join(names, ", "));
  }
  TerminalProgress progress;
  Laboratory laboratory(arguments.output / arguments.scale, scale_named(arguments.scale),
                        arguments.seed, arguments.threads, progress);
  Report all("The paper's results, reproduced");
  std::vector<std::string> left_out;
  for (const Target& target : targets) {
    if (arguments.target != "all" && arguments.target != target.name) continue;
    if (target.tests.empty()) {
      left_out.push_back(target.name);
      continue;
    }
    fmt::print("\n== {}: {}\n", target.name, target.title);
    std::fflush(stdout);
    Report report(target.title);
    reproduce(target, laboratory, report);
    print(report);
    write(report, laboratory.folder() / target.name);
    for (const Report::Input& input : report.inputs()) all.add(std::filesystem::path(input.path));
    for (const ReportTable& table : report.tables()) all.add(table);
  }
  if (!left_out.empty()) {
    const std::string text = fmt::format(
        "{} need{} the base graphs; give --data FOLDER, with gmission and movielens in it",
        fmt::join(left_out, ", "), left_out.size() == 1 ? "s" : "");
    if (arguments.target != "all") fail(ErrorCode::kUsage, "{}", text);
    fmt::print("\nskipped: {}\n", text);
  }
  if (arguments.target == "all") {
    write(all, laboratory.folder() / "all");
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  fmt::print("done in {}; finished work is kept and not done again\n",
             human_duration(elapsed.count()));
}

}  // namespace

void add_reproduce_command(CommandParser& parser) {
  auto arguments = std::make_shared<ReproduceArguments>();
  Command command = parser.add_command(
      "reproduce", "Make the paper's tables and figures again; continues an interrupted run");
  command.options(*arguments, {{"target", "target"}});
  command.option("-o,--output", arguments->output, "Folder for runs, results and reports")
      .show_default();
  command.on_run([arguments] { run(*arguments); });
}

}  // namespace foresight
