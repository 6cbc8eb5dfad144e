#include <chrono>

#include <fmt/format.h>

#include "foresight/base/atomic_file.h"
#include "foresight/base/format.h"
#include "foresight/cli/command.h"

namespace foresight {
namespace {

struct DemoArguments {
  std::filesystem::path output = "demo";
  double minutes = 3;
  std::uint64_t seed = 1;
  int threads = 0;

  void read(OptionReader& o) {
    o.real("minutes", minutes, kAboveZero, 1e4, "about how long the search takes on two cores");
    o.seed(seed);
    o.threads(threads);
  }
};

void run(const DemoArguments& arguments) {
  const auto start = std::chrono::steady_clock::now();
  fmt::print(
      "Ten workers wait. Thirty tasks arrive one by one. Each must be given to a worker at once,\n"
      "or skipped; nothing can be changed later. How close can a policy come to one that knows\n"
      "the future? Greedy takes the best worker now. Rules and models learn from past days when\n"
      "to wait. `foresight train auto` tries all of them and keeps the best:\n\n");
  std::fflush(stdout);
  TerminalProgress progress;
  RunOptions options;
  options.train = "crowd(u=10,v=30)";
  options.validation_instances = 2'000;
  options.minutes = arguments.minutes;
  options.seed = arguments.seed;
  options.threads = arguments.threads;
  options.folder = arguments.output;
  options.resume = is_auto_folder(arguments.output);
  options.command = command_line();
  print_search(train_auto(options, progress));

  Report report("Crowdsourcing: 10 workers, 30 tasks");
  report.add(arguments.output);
  const auto page = arguments.output / "report.html";
  write_file_atomically(page, to_html(report));
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  fmt::print(
      "\nA ratio of 1.0 is the hindsight optimum, which knows the future. Without that knowledge,\n"
      "no policy is better on average than optimal-online. Done in {1}.\n\n"
      "The report:   {2}\n\n"
      "Next:\n"
      "  {0} evaluate {3} --policy greedy --policy {4}\n"
      "  {0} train auto --train \"recorded(path=LOG.csv)\"          a log of your own\n"
      "  {0} train auto --train \"csv(path=FOLDER,u=10,v=30)\"    your own edges.csv\n"
      "  {0} reproduce er --scale quick    the paper's figures\n"
      "  {0} list    all sources, problems, policies, models and trainers\n",
      program_name(), human_duration(elapsed.count()), std::filesystem::absolute(page).string(),
      (arguments.output / "test.safetensors").string(), arguments.output.string());
}

}  // namespace

void add_demo_command(CommandParser& parser) {
  auto arguments = std::make_shared<DemoArguments>();
  Command command = parser.add_command(
      "demo", "Search for the best policy for invented workers and tasks, and make a report");
  command.option("-o,--output", arguments->output, "Folder for all files").show_default();
  command.options(*arguments);
  command.on_run([arguments] { run(*arguments); });
}

}  // namespace foresight
