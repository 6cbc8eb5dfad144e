#include <filesystem>

#include <fmt/format.h>

#include "foresight/base/error.h"
#include "foresight/base/files.h"
#include "foresight/base/format.h"
#include "foresight/cli/command.h"
#include "foresight/data/select.h"

namespace foresight {
namespace {

struct SplitArguments {
  std::string data;
  std::filesystem::path output;
  std::string parts;
  bool shuffle = false;
  std::uint64_t seed = 1;

  void read(OptionReader& o) { o.seed(seed); }
};

void run(const SplitArguments& arguments) {
  const std::vector<Part> parts = parse_parts(arguments.parts);
  const BoundDataset data = open_finite_data(arguments.data);
  const std::vector<Dataset> datasets =
      split(data, parts, arguments.shuffle ? std::optional(arguments.seed) : std::nullopt);
  std::vector<std::filesystem::path> files;
  for (const Part& part : parts) {
    files.push_back(arguments.output / (part.name + ".fst"));
    check_overwriting({files.back()});
  }
  make_folders(arguments.output);
  for (const auto& file : files) check_output(file);
  std::size_t first = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Dataset& part = datasets[i];
    part.save(files[i]);
    const std::string which = arguments.shuffle
                                  ? "drawn at random"
                                  : fmt::format("{}..{}", first, first + part.size() - 1);
    fmt::print("wrote {}: {} {} instances ({}), {} arrivals{}\n", files[i].string(),
               human_count(static_cast<std::int64_t>(part.size())), part.schema().problem, which,
               human_count(part.num_arrivals()), part.labelled() ? ", labelled" : "");
    first += part.size();
  }
}

}  // namespace

BoundDataset open_finite_data(const std::string& text) {
  auto data = open_data(text);
  if (auto* found = std::get_if<BoundDataset>(&data)) return std::move(*found);
  const auto& source = std::get<BoundSource>(data);
  if (!source.size()) {
    fail(
        ErrorCode::kUsage,
        "{} has no end: it draws as many instances as are asked for; store some with `{} generate` "
        "first",
        source.spec(), program_name());
  }
  TerminalProgress progress;
  return generate(source, GenerateOptions().seed, *source.size(), 0, progress);
}

void add_split_command(CommandParser& parser) {
  auto arguments = std::make_shared<SplitArguments>();
  Command command = parser.add_command(
      "split", "Cut recorded instances into parts, such as training, validation and test data");
  command
      .option("data", arguments->data,
              "A dataset file, or a source of recorded instances such as "
              "\"recorded(path=log.csv)\"")
      .required();
  command.option("-o,--output", arguments->output, "The folder to write NAME.fst of each part into")
      .required();
  command
      .option("--parts", arguments->parts,
              "The parts in order: train=24,val=6,test=rest or train=70%,val=15%,test=15%")
      .required();
  const Argument shuffle = command.flag(
      "--shuffle", arguments->shuffle, "Put the instances into a random order before they are cut");
  command.options(*arguments).at("seed").needs(shuffle);
  command.footer(
      "Without --shuffle the parts follow each other in the order of the instances, so that a log "
      "is cut by time.");
  command.on_run([arguments] { run(*arguments); });
}

}  // namespace foresight
