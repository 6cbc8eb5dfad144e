#include <filesystem>

#include <fmt/format.h>

#include "foresight/base/format.h"
#include "foresight/base/safetensors.h"
#include "foresight/cli/command.h"
#include "foresight/cli/table.h"
#include "foresight/data/dataset.h"
#include "foresight/model/checkpoint.h"
#include "foresight/rules/optimal_online.h"

namespace foresight {
namespace {

void print(const std::vector<std::pair<std::string, std::string>>& facts) {
  std::size_t width = 0;
  for (const auto& [name, value] : facts) width = std::max(width, name.size());
  for (const auto& [name, value] : facts) fmt::print("  {:<{}}  {}\n", name, width, value);
}

std::string join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text.empty() ? "none" : text;
}

std::string range(NodeId low, NodeId high) {
  return low == high ? human_count(low) : human_count(low) + " to " + human_count(high);
}

void show_dataset(const std::filesystem::path& path) {
  const Dataset data = Dataset::load(path);
  NodeId least_fixed = 0, most_fixed = 0, least_arrivals = 0, most_arrivals = 0;
  std::size_t proven = 0;
  double total = 0;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const Market market = data.instance(i).market();
    const int arrivals = data.instance(i).num_arrivals();
    least_fixed = i == 0 ? market.num_fixed : std::min(least_fixed, market.num_fixed);
    most_fixed = std::max(most_fixed, market.num_fixed);
    least_arrivals = i == 0 ? arrivals : std::min(least_arrivals, arrivals);
    most_arrivals = std::max(most_arrivals, arrivals);
    if (!data.labelled()) continue;
    proven += data.label(i).proven();
    total += data.optimum(i) / static_cast<double>(data.size());
  }
  fmt::print("dataset {}\n", path.string());
  print({{"problem", data.schema().problem},
         {"source", data.provenance().source},
         {"seed", fmt::to_string(data.provenance().seed)},
         {"instances", human_count(static_cast<std::int64_t>(data.size()))},
         {"fixed nodes", range(least_fixed, most_fixed)},
         {"arrivals", range(least_arrivals, most_arrivals)},
         {"edges", human_count(data.num_edges())},
         {"fixed attributes", join(data.schema().fixed_attributes)},
         {"arrival attributes", join(data.schema().arrival_attributes)},
         {"topics", join(data.schema().topics)},
         {"optima", data.labelled()
                        ? fmt::format("{} proven, mean value {:.4f}",
                                      human_count(static_cast<std::int64_t>(proven)), total)
                        : "none; run `foresight solve`"},
         {"digest", data.digest()},
         {"size", human_bytes(std::filesystem::file_size(path))}});
}

void show_model(const std::filesystem::path& path) {
  const TrainedModel trained = load_model(path);
  fmt::print("model {}\n", path.string());
  std::vector<std::pair<std::string, std::string>> facts = {
      {"architecture", trained.info.spec},
      {"problem", trained.info.context.schema.problem},
      {"fixed nodes", fmt::format("{} in training", trained.info.context.num_fixed)},
      {"parameters",
       human_count(static_cast<std::int64_t>(trained.model->parameters().values().size()))},
      {"features", fmt::format("{} columns", trained.model->features().size())}};
  for (const auto& [name, value] : trained.info.provenance) facts.emplace_back(name, value);
  print(facts);
  Table table({{"tensor"}, {"shape", Align::kRight}});
  for (const Parameters::Tensor& tensor : trained.model->parameters().tensors()) {
    std::string shape;
    for (const std::size_t size : tensor.shape) {
      shape += (shape.empty() ? "" : " x ") + fmt::to_string(size);
    }
    table.add_row({tensor.name, shape});
  }
  fmt::print("\n{}", table.render());
}

void show_ceiling(const std::filesystem::path& path, const OnlineSolution& solution) {
  fmt::print("optimal online policy {}\n", path.string());
  print({{"source", solution.source},
         {"problem", solution.problem},
         {"expected value", fmt::format("{:.6f}", solution.table.expected())},
         {"size", human_bytes(std::filesystem::file_size(path))}});
}

void run(const std::filesystem::path& path) {
  const auto content = open_checkpoint(path);
  const std::filesystem::path& file = content->path();
  if (is_online_solution(*content)) return show_ceiling(file, read_online_solution(*content));
  is_model(*content) ? show_model(file) : show_dataset(file);
}

}  // namespace

void add_inspect_command(CommandParser& parser) {
  auto path = std::make_shared<std::string>();
  Command command =
      parser.add_command("inspect", "Show what is in a dataset, a trained model or a ceiling");
  command.option("file", *path, "A dataset, a checkpoint or a run folder").required();
  command.on_run([path] { run(*path); });
}

}  // namespace foresight
