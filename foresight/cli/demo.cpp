#include <chrono>

#include <fmt/format.h>

#include "foresight/base/atomic_file.h"
#include "foresight/base/format.h"
#include "foresight/cli/command.h"
#include "foresight/reproduce/experiment.h"

namespace foresight {
namespace {

struct DemoArguments {
  std::filesystem::path output = "demo";
  int epochs = 40;
  std::uint64_t seed = 1;
  int threads = 0;

  void read(OptionReader& o) {
    o.integer("epochs", epochs, 1, 100'000, "training epochs of 20,000 instances");
    o.seed(seed);
    o.threads(threads);
  }
};

void run(const DemoArguments& arguments) {
  const auto start = std::chrono::steady_clock::now();
  fmt::print(
      "Ten workers wait. Thirty tasks arrive one by one. Each must be given to a worker at once,\n"
      "or skipped; nothing can be changed later. How close can a policy come to one that knows\n"
      "the future? Greedy takes the best worker now. The learned policies have also learned when\n"
      "to wait.\n\n");
  std::fflush(stdout);
  TerminalProgress progress;
  Laboratory laboratory(arguments.output, {.name = "demo", .epochs = arguments.epochs},
                        arguments.seed, arguments.threads, progress);
  const DataSpec crowd{"crowd-10x30", "crowd(u=10,v=30)"};
  const Contest test{crowd.name,
                     crowd,
                     {"greedy", "greedy-t"},
                     {{"inv-ff-hist", crowd}, {"ff-hist", crowd}, {"value", crowd}},
                     /*ceiling=*/true};
  Report report("Crowdsourcing: 10 workers, 30 tasks");
  report.add(laboratory.run(test));
  for (const Training& training : test.learned) report.add(laboratory.train(training));
  const auto page = arguments.output / "report.html";
  write_file_atomically(page, to_html(report));

  print_results(report);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  const auto test_file = arguments.output / "data" / (crowd.name + ".test");
  fmt::print(
      "\nA ratio of 1.0 is the hindsight optimum, which knows the future. Without that knowledge,\n"
      "no policy is better on average than optimal-online. Done in {1}.\n\n"
      "The report:   {2}\n\n"
      "Next:\n"
      "  {0} train gnn-hist --train \"crowd(u=10,v=30)\" -o {3}\n"
      "  {0} evaluate {4} --policy greedy --policy {3}\n"
      "  {0} train auto --train \"csv(path=FOLDER,u=10,v=30)\"    your own edges.csv\n"
      "  {0} reproduce er --scale quick    the paper's figures\n"
      "  {0} list    all sources, problems, policies, models and trainers\n",
      program_name(), human_duration(elapsed.count()), std::filesystem::absolute(page).string(),
      (arguments.output / "gnn-hist").string(), test_file.string());
}

}  // namespace

void add_demo_command(CommandParser& parser) {
  auto arguments = std::make_shared<DemoArguments>();
  Command command = parser.add_command(
      "demo",
      "Draw instances, train three policies, evaluate them and make a report, in a minute or two");
  command.option("-o,--output", arguments->output, "Folder for all files").show_default();
  command.options(*arguments);
  command.on_run([arguments] { run(*arguments); });
}

}  // namespace foresight
