// The files of a training run, and the order in which they are written: last.safetensors is the
// commit. What is in it was done; the other files follow from it, or are made again.
#pragma once

#include <filesystem>
#include <optional>

#include "foresight/base/folder_lock.h"
#include "foresight/model/checkpoint.h"
#include "foresight/train/run_record.h"
#include "foresight/train/trainer.h"

namespace foresight {

/// Tells the parameters of a model from others.
std::string digest_of(const Model& model);

class RunFolder {
 public:
  explicit RunFolder(std::filesystem::path path) : path_(std::move(path)) {}

  const std::filesystem::path& path() const { return path_; }
  bool holds_run() const;
  /// From now on only this process writes here.
  void lock() { lock_.emplace(path_); }

  /// What was asked for, before the first epoch.
  void begin(const RunRecord& record) const;
  /// What was done, after an epoch; `improved` if its model is the best so far.
  void save(const ModelInfo& info, const Model& model, const TrainerState& state,
            const RunRecord& record, bool improved) const;
  /// Takes over the parameters of the last epoch and returns the trainer's state. Throws Error(kData)
  /// if a file is missing or does not fit the model.
  TrainerState restore(Model& model) const;
  /// Is the best model there? After a kill it is made again from the last one, if that is the best.
  /// Throws Error(kData) if it is lost, damaged, or another one.
  void complete_best(const RunRecord& record) const;
  /// metrics.csv and timing.csv, for people.
  void write_copies(const RunRecord& record) const;
  /// The same if they are not complete: a run that was killed after its last epoch may lack a line.
  void complete_copies(const RunRecord& record);

 private:
  void write_best(const ModelInfo& info, const Model& model) const;
  std::filesystem::path last() const { return path_ / "last.safetensors"; }
  std::filesystem::path best() const { return path_ / "best.safetensors"; }

  std::filesystem::path path_;
  std::optional<FolderLock> lock_;
};

}  // namespace foresight
