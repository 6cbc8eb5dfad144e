// The metrics of each epoch as event files of TensorBoard.
//
//   EventWriter events("runs/a", wall_time);
//   events.add({{"ratio", 0.87}}, /*step=*/1, wall_time);
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>

#include "foresight/train/run_record.h"

namespace foresight {

/// Appends scalars to a new file that TensorBoard reads. Each record is a length, its checksum, an
/// Event message in protocol-buffer encoding, and its checksum.
class EventWriter {
 public:
  /// The time is part of the file's name, so that files in a folder have different names.
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
