// A training run as its folder tells it: what was asked for, and how it went, epoch by epoch.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace foresight {

struct RunRecord {
  std::string model, trainer, train;  // specs; `train` may be a file
  std::string problem;
  std::string command;  // the command line, if any
  int epochs = 0;       // asked for

  /// The columns of metrics.csv by name, all of one length.
  std::vector<std::pair<std::string, std::vector<double>>> columns;

  /// Empty if there is no such column. Not of a temporary: the column belongs to the record.
  const std::vector<double>& column(const std::string& name) const&;
  const std::vector<double>& column(const std::string& name) const&& = delete;
};

bool is_run_folder(const std::filesystem::path& path);

/// Throws Error(kData) if the folder holds no run, or one that is damaged.
RunRecord read_run(const std::filesystem::path& folder);

}  // namespace foresight
