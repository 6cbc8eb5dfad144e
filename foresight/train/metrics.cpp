#include "foresight/train/metrics.h"

#include <array>
#include <bit>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "foresight/base/error.h"

namespace foresight {
namespace {

// ---- the part of protocol-buffer encoding that an Event needs

void put_varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

template <typename T>
void put_fixed(std::string& out, T value) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  out.append(bytes, sizeof(T));
}

enum Wire : std::uint64_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

void put_key(std::string& out, std::uint64_t field, Wire wire) {
  put_varint(out, field << 3 | wire);
}

void put_bytes(std::string& out, std::uint64_t field, std::string_view bytes) {
  put_key(out, field, kBytes);
  put_varint(out, bytes.size());
  out.append(bytes);
}

std::string event(double wall_time, std::int64_t step) {
  std::string out;
  put_key(out, 1, kFixed64);
  put_fixed(out, wall_time);
  put_key(out, 2, kVarint);
  put_varint(out, static_cast<std::uint64_t>(step));
  return out;
}

std::uint32_t masked_checksum(std::string_view bytes) {
  return std::rotr(crc32c(bytes), 15) + 0xa282ead8;
}

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
  static const auto kTable = [] {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      std::uint32_t crc = i;
      for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (crc & 1 ? 0x82f63b78 : 0);
      table[i] = crc;
    }
    return table;
  }();
  std::uint32_t crc = ~std::uint32_t{0};
  for (const char c : bytes)
    crc = kTable[(crc ^ static_cast<unsigned char>(c)) & 0xff] ^ (crc >> 8);
  return ~crc;
}

EventWriter::EventWriter(const std::filesystem::path& folder, double wall_time) {
  const auto path = folder / fmt::format("events.out.tfevents.{:.0f}.foresight", wall_time);
  file_ = std::fopen(path.c_str(), "ab");
  if (file_ == nullptr) {
    fail(ErrorCode::kIo, "cannot write {}: {}", path.string(), std::strerror(errno));
  }
  std::string first = event(wall_time, 0);
  put_bytes(first, 3, "brain.Event:2");
  write_record(first);
}

EventWriter::~EventWriter() {
  std::fclose(file_);
}

void EventWriter::add(const MetricsRow& row, std::int64_t step, double wall_time) {
  std::string summary;
  for (const auto& [name, number] : row) {
    std::string value;
    put_bytes(value, 1, name);
    put_key(value, 2, kFixed32);
    put_fixed(value, static_cast<float>(number));
    put_bytes(summary, 1, value);
  }
  std::string record = event(wall_time, step);
  put_bytes(record, 5, summary);
  write_record(record);
}

void EventWriter::write_record(const std::string& record) {
  std::string out;
  put_fixed(out, static_cast<std::uint64_t>(record.size()));
  put_fixed(out, masked_checksum(out));
  out += record;
  put_fixed(out, masked_checksum(record));
  std::fwrite(out.data(), 1, out.size(), file_);
  std::fflush(file_);
}

}  // namespace foresight
