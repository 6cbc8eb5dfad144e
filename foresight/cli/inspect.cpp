#include <filesystem>

#include <fmt/format.h>

#include "foresight/base/atomic_file.h"
#include "foresight/base/error.h"
#include "foresight/base/files.h"
#include "foresight/base/format.h"
#include "foresight/base/json_field_internal.h"
#include "foresight/base/safetensors.h"
#include "foresight/cli/command.h"
#include "foresight/cli/inspect_internal.h"
#include "foresight/cli/table.h"
#include "foresight/model/checkpoint.h"
#include "foresight/rules/optimal_online.h"
#include "foresight/rules/saved_rule.h"

namespace foresight {
namespace {

struct InspectArguments {
  std::string what;
  std::string fixed;
  std::string json;
};

void print(const Inspected& found) {
  fmt::print("{}\n", found.title);
  std::size_t width = 0;
  for (const auto& [name, value] : found.facts) width = std::max(width, name.size());
  for (const auto& [name, value] : found.facts) fmt::print("  {:<{}}  {}\n", name, width, value);
  if (!found.notes.empty()) fmt::print("\n");
  for (const std::string& note : found.notes) fmt::print("  - {}\n", note);
  if (!found.table.empty()) fmt::print("\n{}", found.table);
  if (!found.next.empty()) fmt::print("\nNext: {}\n", found.next);
}

Inspected inspect_model(const std::filesystem::path& path) {
  const TrainedModel trained = load_model(path);
  const ModelInfo& info = trained.info;
  const auto parameters = static_cast<std::int64_t>(trained.model->parameters().values().size());
  Inspected found;
  found.title = fmt::format("model {}", path.string());
  found.facts = {{"architecture", info.spec},
                 {"problem", info.context.schema.problem},
                 {"fixed nodes", fmt::format("{} in training", info.context.num_fixed)},
                 {"parameters", human_count(parameters)},
                 {"features", fmt::format("{} columns", trained.model->features().size())}};
  for (const auto& fact : info.provenance) found.facts.push_back(fact);
  found.json = {{"kind", "model"},
                {"file", path.string()},
                {"architecture", info.spec},
                {"problem", info.context.schema.problem},
                {"fixed_nodes", info.context.num_fixed},
                {"parameters", parameters},
                {"features", trained.model->features()},
                {"provenance", info.provenance},
                {"tensors", nlohmann::ordered_json::array()}};
  Table table({{"tensor"}, {"shape", Align::kRight}});
  for (const Parameters::Tensor& tensor : trained.model->parameters().tensors()) {
    std::string shape;
    for (const std::size_t size : tensor.shape) {
      shape += (shape.empty() ? "" : " x ") + fmt::to_string(size);
    }
    table.add_row({tensor.name, shape});
    found.json["tensors"].push_back({{"name", tensor.name}, {"shape", tensor.shape}});
  }
  found.table = table.render();
  return found;
}

Inspected inspect_ceiling(const std::filesystem::path& path, const OnlineSolution& solution) {
  const double expected = solution.table.expected();
  Inspected found;
  found.title = fmt::format("optimal online policy {}", path.string());
  found.facts = {{"source", solution.source},
                 {"problem", solution.problem},
                 {"expected value", fmt::format("{:.6f}", expected)},
                 {"size", human_bytes(std::filesystem::file_size(path))}};
  found.json = {{"kind", "ceiling"},
                {"file", path.string()},
                {"source", solution.source},
                {"problem", solution.problem},
                {"expected_value", expected}};
  return found;
}

/// The rule comes first, then the past that it learned from.
Inspected inspect_rule(const SafeTensors& file, const std::string& rule) {
  Inspected found = inspect_dataset(file.path());
  found.title = fmt::format("rule {} in {}", rule, file.path().string());
  found.facts.insert(found.facts.begin(), {"learned from", "the instances below"});
  found.json["kind"] = "rule";
  found.json["rule"] = rule;
  found.next = fmt::format("{} evaluate FILE --policy greedy --policy {}", program_name(),
                           shell_quoted(file.path().string()));
  found.json["next"] = found.next;
  return found;
}

Inspected inspect(const InspectArguments& arguments) {
  const std::filesystem::path path = arguments.what;
  const bool is_table = path.extension() == ".csv" && !is_folder(path);
  if (!arguments.fixed.empty() && !is_table) {
    fail(ErrorCode::kUsage, "--fixed goes with a CSV file of recorded instances, not with {}",
         arguments.what);
  }
  if (is_table) return inspect_log(path, arguments.fixed);
  if (is_folder(path) && path_exists(path / "edges.csv")) return inspect_graph(path);
  if (!path_exists(path) && sources().knows(arguments.what)) return inspect_source(arguments.what);
  const auto content = open_checkpoint(path);
  const std::filesystem::path& file = content->path();
  if (is_online_solution(*content)) return inspect_ceiling(file, read_online_solution(*content));
  if (is_saved_rule(*content)) return inspect_rule(*content, saved_rule(*content));
  return is_model(*content) ? inspect_model(file) : inspect_dataset(file);
}

void run(const InspectArguments& arguments) {
  if (!arguments.json.empty()) check_output(arguments.json);
  const Inspected found = inspect(arguments);
  print(found);
  if (arguments.json.empty()) return;
  check_overwriting({arguments.json});
  write_file_atomically(arguments.json, json_text(found.json, 2) + "\n");
}

}  // namespace

void add_inspect_command(CommandParser& parser) {
  auto arguments = std::make_shared<InspectArguments>();
  Command command = parser.add_command(
      "inspect", "Show what is in a dataset, in CSV files, in a trained model or in a ceiling");
  command
      .option("file", arguments->what,
              "A dataset, a checkpoint, a run folder, a CSV file of recorded instances, a folder "
              "of CSV files, or the spec of a source")
      .required();
  command.option("--fixed", arguments->fixed, "The table of fixed nodes of a CSV file");
  add_json_option(command, arguments->json);
  command.on_run([arguments] { run(*arguments); });
}

}  // namespace foresight
