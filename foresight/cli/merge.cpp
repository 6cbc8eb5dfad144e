#include <fmt/format.h>

#include "foresight/base/files.h"
#include "foresight/base/format.h"
#include "foresight/cli/command.h"
#include "foresight/data/select.h"

namespace foresight {
namespace {

struct MergeArguments {
  std::vector<std::string> data;
  std::string output;
};

void run(const MergeArguments& arguments) {
  check_output(arguments.output);
  std::vector<Dataset> datasets;
  std::string without_optima;
  for (const std::string& text : arguments.data) {
    datasets.push_back(open_finite_data(text));
    if (!datasets.back().labelled() && without_optima.empty()) without_optima = text;
  }
  check_overwriting({arguments.output});
  const Dataset all = join(datasets);
  all.save(arguments.output);
  fmt::print("wrote {}: {} {} instances, {} arrivals, {}\n", arguments.output,
             human_count(static_cast<std::int64_t>(all.size())), all.schema().problem,
             human_count(all.num_arrivals()),
             without_optima.empty()
                 ? "labelled"
                 : fmt::format("without optima, because {} has none", without_optima));
}

}  // namespace

void add_merge_command(CommandParser& parser) {
  auto arguments = std::make_shared<MergeArguments>();
  Command command = parser.add_command(
      "merge", "Put the instances of several datasets into one file, one dataset after the other");
  command
      .option("data", arguments->data,
              "Dataset files, or sources of recorded instances such as \"recorded(path=log.csv)\"")
      .required();
  command.option("-o,--output", arguments->output, "The file to write").required();
  command.on_run([arguments] { run(*arguments); });
}

}  // namespace foresight
