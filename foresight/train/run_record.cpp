#include "foresight/train/run_record.h"

#include "foresight/base/csv.h"
#include "foresight/base/error.h"
#include "foresight/base/json_field_internal.h"

namespace foresight {
namespace {

constexpr const char* kConfig = "config.json";
constexpr const char* kMetrics = "metrics.csv";

}  // namespace

const std::vector<double>& RunRecord::column(const std::string& name) const& {
  static const std::vector<double> none;
  for (const auto& [key, values] : columns) {
    if (key == name) return values;
  }
  return none;
}

bool is_run_folder(const std::filesystem::path& path) {
  return std::filesystem::exists(path / kConfig);
}

RunRecord read_run(const std::filesystem::path& folder) {
  if (!is_run_folder(folder)) {
    fail(ErrorCode::kData, "{}: holds no training run: there is no {} in it", folder.string(),
         kConfig);
  }
  const MappedFile file(folder / kConfig);
  const JsonField config = JsonField::parse(file.text(), (folder / kConfig).string());
  RunRecord run;
  run.model = config["model"].text();
  run.trainer = config["trainer"].text();
  run.train = config["train"].text();
  run.problem = config.text_or_empty("problem");
  run.command = config.text_or_empty("command");
  run.epochs = config["epochs"].integer<int>();
  // A run that was stopped in its first epoch has no metrics yet.
  if (!std::filesystem::exists(folder / kMetrics)) return run;
  CsvReader csv(folder / kMetrics);
  csv.column("epoch");  // the others are shown by epoch
  for (const std::string& name : csv.columns()) run.columns.push_back({name, {}});
  while (csv.next()) {
    for (std::size_t i = 0; i < run.columns.size(); ++i) {
      run.columns[i].second.push_back(csv.number(i));
    }
  }
  return run;
}

}  // namespace foresight
