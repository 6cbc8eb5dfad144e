#include "foresight/train/run_record.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "foresight/base/csv.h"
#include "foresight/base/error.h"
#include "foresight/base/files.h"
#include "foresight/base/json_field_internal.h"
#include "foresight/base/safetensors.h"
#include "foresight/data/source.h"
#include "foresight/model/checkpoint.h"

namespace foresight {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kConfig = "config.json";
constexpr const char* kLast = "last.safetensors";
constexpr const char* kTiming = "timing.csv";
constexpr const char* kRecord = "record";           // the metadata key
constexpr const char* kMetrics = "record.metrics";  // the array: a row per epoch

Json json_of(const RunRecord& record) {
  Json json = {{"model", record.model},
               {"trainer", record.trainer},
               {"problem", record.problem},
               {"train", record.train},
               {"train_digest", record.train_digest},
               {"validation", record.validation},
               {"validation_digest", record.validation_digest},
               {"instances", record.instances},
               {"validation_instances", record.validation_instances},
               {"epochs", record.epochs},
               {"seed", record.seed}};
  if (record.validation_seed != record.seed) json["validation_seed"] = record.validation_seed;
  if (record.horizon != RunRecord().horizon) json["horizon"] = record.horizon;
  if (record.units != RunRecord().units) json["units"] = record.units;
  if (record.augment != RunRecord().augment) json["augment"] = record.augment;
  if (!record.start_digest.empty()) {
    json["start"] = record.start;
    json["start_digest"] = record.start_digest;
  }
  if (record.batch != 0) json["batch"] = record.batch;
  if (record.setback != 0) json["setback"] = record.setback;
  if (record.patience != 0) json["patience"] = record.patience;
  return json;
}

int read_int(const JsonField& field) {
  const std::int64_t value = field.integer();
  if (value < 0 || value > 1'000'000'000) {
    field.reject(fmt::format("should be from 0 to 1000000000, but is {}", value));
  }
  return static_cast<int>(value);
}

RunRecord record_from(const JsonField& json) {
  RunRecord record;
  record.model = json["model"].text();
  record.trainer = json["trainer"].text();
  record.problem = json["problem"].text();
  record.train = json["train"].text();
  record.train_digest = json["train_digest"].text();
  record.validation = json["validation"].text();
  record.validation_digest = json["validation_digest"].text();
  record.instances = json["instances"].count();
  record.validation_instances = json["validation_instances"].count();
  record.epochs = read_int(json["epochs"]);
  record.seed = json["seed"].count();
  const auto validation_seed = json.find("validation_seed");
  record.validation_seed = validation_seed ? validation_seed->count() : record.seed;
  if (const auto horizon = json.find("horizon")) record.horizon = horizon->text();
  if (const auto units = json.find("units")) record.units = units->text();
  if (const auto augment = json.find("augment")) record.augment = augment->text();
  record.start = json.text_or_empty("start");
  record.start_digest = json.text_or_empty("start_digest");
  if (const auto batch = json.find("batch")) record.batch = read_int(*batch);
  if (const auto setback = json.find("setback")) record.setback = setback->number();
  if (const auto patience = json.find("patience")) record.patience = read_int(*patience);
  record.command = json.text_or_empty("command");
  return record;
}

void read_progress(const SafeTensors& file, const JsonField& json, RunRecord& record) {
  record.best_epoch = read_int(json["best_epoch"]);
  record.best_ratio = json["best_ratio"].number();
  record.best_digest = json["best_digest"].text();
  if (const auto greedy = json.find("greedy_ratio")) {
    record.greedy_ratio = greedy->number();
    record.threshold_ratio = json["threshold_ratio"].number();
    record.rival_p = json["rival_p"].number();
  }
  const JsonField names = json["columns"];
  const auto& shape = file.shape(kMetrics);
  const auto values = file.array<double>(kMetrics);
  if (shape.size() != 2 || shape[1] != names.size() || names.size() == 0) {
    fail(ErrorCode::kData, "{}: array \"{}\" does not have the {} columns that the record names",
         file.path().string(), kMetrics, names.size());
  }
  for (std::size_t c = 0; c < names.size(); ++c) {
    std::vector<double> column;
    for (std::size_t row = 0; row < shape[0]; ++row) column.push_back(values[row * shape[1] + c]);
    record.metrics.set(names.at(c).text(), std::move(column));
  }
  if (record.best_epoch < 1 || record.best_epoch > record.epochs_done()) {
    json["best_epoch"].reject(fmt::format("is {}, but the number of finished epochs is {}",
                                          record.best_epoch, record.epochs_done()));
  }
}

/// Do the specs of a source differ only in the names of files? Then its digest counts.
MetricsColumns read_csv(const std::filesystem::path& path) {
  CsvReader csv(path);
  std::vector<std::vector<double>> columns(csv.num_columns());
  while (csv.next()) {
    for (std::size_t i = 0; i < columns.size(); ++i) columns[i].push_back(csv.number(i));
  }
  MetricsColumns result;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    result.set(csv.columns()[i], std::move(columns[i]));
  }
  return result;
}

}  // namespace

void MetricsColumns::add(const MetricsRow& row) {
  if (columns_.empty()) {
    for (const auto& [name, value] : row) columns_.push_back({name, {}});
  }
  for (std::size_t i = 0; i < row.size(); ++i) columns_[i].second.push_back(row[i].second);
}

void MetricsColumns::set(std::string name, std::vector<double> values) {
  columns_.emplace_back(std::move(name), std::move(values));
}

const std::vector<double>& MetricsColumns::operator[](const std::string& name) const {
  static const std::vector<double> none;
  for (const auto& [key, values] : columns_) {
    if (key == name) return values;
  }
  return none;
}

std::string MetricsColumns::to_csv() const {
  std::string text;
  for (const auto& [name, values] : columns_) text += (text.empty() ? "" : ",") + name;
  text += "\n";
  for (std::size_t row = 0; row < size(); ++row) {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      text += fmt::format("{}{}", i == 0 ? "" : ",", columns_[i].second[row]);
    }
    text += "\n";
  }
  return text;
}

std::optional<Rival> RunRecord::unbeaten() const {
  constexpr double kDoubt = 0.05;
  if (!greedy_ratio || !threshold_ratio || best_epoch == 0 || rival_p <= kDoubt) {
    return std::nullopt;
  }
  if (*threshold_ratio > *greedy_ratio) return Rival{"greedy-t", *threshold_ratio, rival_p};
  return Rival{"greedy", *greedy_ratio, rival_p};
}

std::string difference(const RunRecord& found, const RunRecord& asked, bool epochs_matter) {
  const auto differs = [](const char* name, const auto& then, const auto& now) {
    return then == now ? "" : fmt::format("{} was \"{}\", now it is \"{}\"", name, then, now);
  };
  // A file may have been moved, so its content counts, not its name.
  const auto data_differs = [&](const char* name, const std::string& then, const std::string& now,
                                const std::string& then_digest, const std::string& now_digest) {
    if ((sources().knows(now) || sources().knows(then)) && !is_moved(then, now)) {
      if (const std::string text = differs(name, then, now); !text.empty()) return text;
    }
    if (then_digest == now_digest) return std::string();
    return fmt::format("the content of {} (\"{}\") has changed", name, then);
  };
  const auto start_differs = [&] {
    const auto& then = found.start_digest;
    const auto& now = asked.start_digest;
    if (then == now) return std::string();
    if (then.empty() || now.empty()) return std::string(differs("start", found.start, asked.start));
    return fmt::format("the parameters of start (\"{}\") have changed", found.start);
  };
  for (const std::string& text :
       {differs("model", found.model, asked.model),
        differs("trainer", found.trainer, asked.trainer),
        differs("problem", found.problem, asked.problem),
        differs("horizon", found.horizon, asked.horizon),
        differs("units", found.units, asked.units),
        differs("setback", found.setback, asked.setback),
        data_differs("train", found.train, asked.train, found.train_digest, asked.train_digest),
        data_differs("validation", found.validation, asked.validation, found.validation_digest,
                     asked.validation_digest),
        differs("instances", found.instances, asked.instances),
        differs("validation_instances", found.validation_instances, asked.validation_instances),
        differs("augment", found.augment, asked.augment), start_differs(),
        differs("batch", found.batch, asked.batch),  // it follows from the data
        differs("seed", found.seed, asked.seed),
        differs("validation_seed", found.validation_seed, asked.validation_seed),
        epochs_matter ? differs("epochs", found.epochs, asked.epochs) : ""}) {
    if (!text.empty()) return text;
  }
  return {};
}

void write_record(SafeTensorsWriter& writer, const RunRecord& record) {
  Json json = json_of(record);
  json["best_epoch"] = record.best_epoch;
  json["best_ratio"] = record.best_ratio;
  json["best_digest"] = record.best_digest;
  if (record.greedy_ratio && record.threshold_ratio) {
    json["greedy_ratio"] = *record.greedy_ratio;
    json["threshold_ratio"] = *record.threshold_ratio;
    json["rival_p"] = record.rival_p;
  }
  json["columns"] = Json::array();
  for (const auto& [name, values] : record.metrics.all()) json["columns"].push_back(name);
  writer.set_meta(kRecord, json_text(json));
  const std::size_t rows = record.metrics.size(), columns = record.metrics.all().size();
  std::vector<double> values;
  for (std::size_t row = 0; row < rows; ++row) {
    for (const auto& [name, column] : record.metrics.all()) values.push_back(column[row]);
  }
  writer.add_owned<double>(kMetrics, {rows, columns}, std::move(values));
}

RunRecord read_record(const SafeTensors& file) {
  const std::string path = file.path().string();
  if (!file.metadata().contains(kRecord)) {
    fail(ErrorCode::kData,
         "{}: the file holds no record of its run; it is not the last checkpoint of a run, or an "
         "earlier version of this program wrote it",
         path);
  }
  const JsonField json = JsonField::parse(file.meta(kRecord), path + ": record");
  RunRecord record = record_from(json);
  read_progress(file, json, record);
  return record;
}

std::string to_json(const RunRecord& record) {
  Json json = json_of(record);
  json["command"] = record.command;
  return json_text(json, 1) + "\n";
}

bool is_moved(const std::string& then, const std::string& now) {
  if (!sources().knows(then) || !sources().knows(now)) return false;
  const auto difference = sources().differing(then, now);
  return difference && std::ranges::all_of(*difference, &OptionInfo::path);
}

void refuse_search_folder(const std::filesystem::path& folder) {
  if (!path_exists(folder / kSearchFile)) return;
  fail(ErrorCode::kUsage, "{}: this folder holds a search by auto; give another folder",
       folder.string());
}

bool is_run_folder(const std::filesystem::path& path) {
  return path_exists(path / kConfig) || path_exists(path / kLast);
}

RunRecord read_run(const std::filesystem::path& folder) {
  if (!is_run_folder(folder)) {
    fail(ErrorCode::kData, "{}: the folder does not hold a training run: it has no {} and no {}",
         folder.string(), kLast, kConfig);
  }
  for (const char* file : kRunFiles) note_read(folder / file);
  RunRecord config;
  const auto read_config = [&] {
    const MappedFile file(folder / kConfig);
    config = record_from(JsonField::parse(file.text(), (folder / kConfig).string()));
  };
  // A run that was stopped in its first epoch has no checkpoint yet.
  if (!path_exists(folder / kLast)) {
    if (path_exists(folder / "best.safetensors")) {
      fail(ErrorCode::kData, "{}: the file is missing, so that the record of the run is lost",
           (folder / kLast).string());
    }
    read_config();
    return config;
  }
  RunRecord record = read_record(*SafeTensors::open(folder / kLast));
  // These are copies for people. If one is damaged, only the command and the timing are unknown.
  try {
    read_config();
    record.command = config.command;
    record.timing = read_csv(folder / kTiming);
  } catch (const Error&) {
  }
  return record;
}

}  // namespace foresight
