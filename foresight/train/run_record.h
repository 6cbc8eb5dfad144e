// The record of a training run: its settings, its data, and how it went.
//
//   const RunRecord record = read_run("runs/a");
//   if (record.done()) use(record.best_ratio);
//
// The trainer writes it into the run's last checkpoint after every epoch, in one step with the
// parameters. config.json and metrics.csv are copies of it for people. Resumed runs, the check
// whether a run is done, reports, Python and the tuner read only this record.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace foresight {

class SafeTensors;
class SafeTensorsWriter;

/// The numbers of one epoch, by name. Every epoch has the same names in the same order.
using MetricsRow = std::vector<std::pair<std::string, double>>;

/// Columns of numbers by name, all of the same length.
class MetricsColumns {
 public:
  void add(const MetricsRow& row);
  void set(std::string name, std::vector<double> values);

  std::size_t size() const { return columns_.empty() ? 0 : columns_.front().second.size(); }
  const std::vector<std::pair<std::string, std::vector<double>>>& all() const { return columns_; }
  /// Empty if there is no such column.
  const std::vector<double>& operator[](const std::string& name) const;
  /// As CSV, with a header.
  std::string to_csv() const;

  friend bool operator==(const MetricsColumns&, const MetricsColumns&) = default;

 private:
  std::vector<std::pair<std::string, std::vector<double>>> columns_;
};

struct RunRecord {
  // The settings. Specs have all their options filled in, so that equal specs are equal text.
  std::string model, trainer;
  std::string problem;
  std::string train, validation;  // a spec or a file
  std::string train_digest, validation_digest;
  std::uint64_t instances = 0;  // per epoch
  std::uint64_t validation_instances = 0;
  int epochs = 0;
  std::uint64_t seed = 0;
  std::string horizon = "known";  // what the policy is told of the number of arrivals

  // What happened so far.
  MetricsColumns metrics;   // a row per epoch; equal settings give equal metrics
  int best_epoch = 0;       // of the model in best.safetensors; 0 before the first epoch
  double best_ratio = 0;    // the validation ratio of that model
  std::string best_digest;  // of its parameters

  // Not compared: the command line of the first start, and how long epochs took.
  std::string command;
  MetricsColumns timing;

  int epochs_done() const { return static_cast<int>(metrics.size()); }
  bool done() const { return epochs_done() >= epochs; }
};

/// The first difference in settings: a sentence that names the field and both values, or nothing if
/// they agree. `epochs` are compared only if the trainer's schedule depends on them.
std::string difference(const RunRecord& found, const RunRecord& asked, bool epochs_matter);

/// The record in a checkpoint. Reading throws Error(kData) if it is missing or damaged.
void write_record(SafeTensorsWriter& writer, const RunRecord& record);
RunRecord read_record(const SafeTensors& file);

/// The record as config.json.
std::string to_json(const RunRecord& record);

bool is_run_folder(const std::filesystem::path& path);

/// Throws Error(kData) if the folder does not hold a run, or if the run is damaged.
RunRecord read_run(const std::filesystem::path& folder);

}  // namespace foresight
