// What a run has to tell about each epoch, as CSV and as TensorBoard event files.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace foresight {

/// One epoch's numbers, by name; every epoch has the same names in the same order.
using MetricsRow = std::vector<std::pair<std::string, double>>;

/// Keeps `metrics.csv` complete after every epoch. A resumed run goes on after the epochs it has.
class MetricsTable {
 public:
  /// Takes over the first `epochs` lines of an existing file.
  MetricsTable(std::filesystem::path path, std::int64_t epochs);
  void add(const MetricsRow& row);

 private:
  std::filesystem::path path_;
  std::string text_;
};

/// Appends scalars to a new file that TensorBoard reads: records of length, checksum, an Event
/// message in protocol-buffer encoding, checksum.
class EventWriter {
 public:
  /// `name` tells this process's file from others in the folder.
  EventWriter(const std::filesystem::path& folder, double wall_time);
  ~EventWriter();
  EventWriter(const EventWriter&) = delete;
  EventWriter& operator=(const EventWriter&) = delete;

  void add(const MetricsRow& row, std::int64_t step, double wall_time);

 private:
  void write_record(const std::string& event);
  std::FILE* file_;
};

/// CRC-32C (Castagnoli), as TensorBoard's records use it.
std::uint32_t crc32c(std::string_view bytes);

}  // namespace foresight
