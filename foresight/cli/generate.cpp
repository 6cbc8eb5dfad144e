#include <chrono>
#include <filesystem>

#include <fmt/format.h>

#include "foresight/base/files.h"
#include "foresight/base/format.h"
#include "foresight/cli/command.h"
#include "foresight/solve/solver.h"

namespace foresight {
namespace {

struct GenerateArguments {
  std::string source;
  std::string output;
  bool label = false;
  GenerateOptions options;
};

void run(const GenerateArguments& arguments) {
  check_output(arguments.output);
  const auto start = std::chrono::steady_clock::now();
  TerminalProgress progress;
  BoundDataset data = generate(arguments.source, arguments.options, progress);
  check_overwriting({arguments.output});
  if (arguments.label) data = solve(data, {.threads = arguments.options.threads}, progress);
  data.save(arguments.output);

  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  fmt::print("wrote {}: {} {} instances of {}, {} arrivals, {} edges{}, {} in {}\n",
             arguments.output, human_count(static_cast<std::int64_t>(data.size())),
             data.problem().name(), data.provenance().source, human_count(data.num_arrivals()),
             human_count(data.num_edges()), arguments.label ? ", labelled" : "",
             human_bytes(std::filesystem::file_size(arguments.output)),
             human_duration(elapsed.count()));
}

}  // namespace

void add_generate_command(CommandParser& parser) {
  auto arguments = std::make_shared<GenerateArguments>();
  Command command =
      parser.add_command("generate", "Draw instances from a source into a dataset file");
  command.option("source", arguments->source, "The source, e.g. \"crowd(u=10,v=30)\"").required();
  command.options(arguments->options, {{"count", "-n,--count"}});
  command.option("-o,--output", arguments->output, "The file to write").required();
  command.flag("--label", arguments->label, "Also add the hindsight optima");
  command.on_run([arguments] { run(*arguments); });
}

}  // namespace foresight
