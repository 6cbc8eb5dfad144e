#include <algorithm>
#include <chrono>
#include <filesystem>

#include <fmt/format.h>

#include "foresight/base/error.h"
#include "foresight/base/files.h"
#include "foresight/base/format.h"
#include "foresight/base/safetensors.h"
#include "foresight/cli/command.h"
#include "foresight/rules/saved_rule.h"
#include "foresight/solve/solver.h"

namespace foresight {
namespace {

struct SolveArguments {
  std::string input;
  std::string output;
  bool again = false;
  SolveOptions options;
};

void run(const SolveArguments& arguments) {
  const auto start = std::chrono::steady_clock::now();
  const std::string output = arguments.output.empty() ? arguments.input : arguments.output;
  check_output(output);
  const std::filesystem::path checkpoint = output + ".partial";
  TerminalProgress progress;
  if (const auto file = SafeTensors::open(arguments.input); is_saved_rule(*file)) {
    fail(ErrorCode::kData,
         "{}: this is the policy {} with the instances it learned from; expected "
         "a dataset",
         arguments.input, saved_rule(*file));
  }
  Dataset loaded = Dataset::load(arguments.input);
  if (arguments.again) loaded = loaded.without_labels();
  const Dataset data = solve(bind_data(std::move(loaded)), arguments.options, progress, checkpoint);
  data.save(output);
  std::filesystem::remove(checkpoint);

  std::size_t proven = 0;
  double total = 0, gap = 0;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const Label label = data.label(i);
    proven += label.proven();
    total += label.value;
    if (!label.proven()) gap = std::max(gap, (label.bound - label.value) / label.bound);
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  fmt::print("wrote {}: {} optima, {} proven{}, mean value {:.4f}, in {}\n", output,
             human_count(static_cast<std::int64_t>(data.size())),
             proven == data.size() ? "all" : human_count(static_cast<std::int64_t>(proven)),
             proven == data.size() ? "" : fmt::format(", largest gap {:.2g} %", 100 * gap),
             data.size() == 0 ? 0 : total / static_cast<double>(data.size()),
             human_duration(elapsed.count()));
}

}  // namespace

void add_solve_command(CommandParser& parser) {
  auto arguments = std::make_shared<SolveArguments>();
  Command command = parser.add_command("solve", "Add the hindsight optima to a dataset file");
  command.option("file", arguments->input, "The dataset").required();
  command.option("-o,--output", arguments->output, "The file to write (default: the same)");
  command.flag("--again", arguments->again,
               "Drop the optima in the file and solve all instances again");
  command.options(arguments->options);
  command.footer(
      "An interrupted run keeps what it solved in OUTPUT.partial. The same command continues from "
      "it.");
  command.on_run([arguments] { run(*arguments); });
}

}  // namespace foresight
