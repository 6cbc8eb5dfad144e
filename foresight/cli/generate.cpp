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
  std::uint64_t count = 0;
  std::uint64_t seed = 1;
  std::string output;
  std::string problem;
  bool label = false;
  int threads = 0;

  void read(OptionReader& o) {
    o.count("count", count, 0, 1'000'000'000,
            "number of instances; 0: 1,000, or all recorded ones");
    o.text("problem", problem, "the problem of the instances; without it, the source's own");
    o.seed(seed);
    o.threads(threads);
  }
};

constexpr std::uint64_t kDefaultCount = 1000;

void run(const GenerateArguments& arguments) {
  check_output(arguments.output);
  const auto start = std::chrono::steady_clock::now();
  const BoundSource source = bind_source(arguments.source, arguments.problem);
  const std::uint64_t count =
      arguments.count > 0 ? arguments.count : source.size().value_or(kDefaultCount);

  TerminalProgress progress;
  progress.begin("generating", static_cast<std::int64_t>(count), "instances");
  BoundDataset data = generate(source, arguments.seed, count, arguments.threads, progress);
  progress.end();
  if (arguments.label) data = solve(data, {.threads = arguments.threads}, progress);
  data.save(arguments.output);

  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  fmt::print("wrote {}: {} {} instances of {}, {} arrivals, {} edges{}, {} in {}\n",
             arguments.output, human_count(static_cast<std::int64_t>(data.size())),
             source.problem().name(), source.spec(), human_count(data.num_arrivals()),
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
  command.options(*arguments, {{"count", "-n,--count"}});
  command.option("-o,--output", arguments->output, "The file to write").required();
  command.flag("--label", arguments->label, "Also add the hindsight optima");
  command.on_run([arguments] { run(*arguments); });
}

}  // namespace foresight
