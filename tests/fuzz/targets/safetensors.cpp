// The container of datasets and checkpoints: SafeTensors, and a second writing of what was read.
#include "foresight/base/safetensors.h"

#include <cstring>

#include "tests/fuzz/support.h"
#include "tests/fuzz/target.h"

namespace foresight {
namespace {

template <TensorElement T>
void copy_array(const SafeTensors& file, const std::string& name, SafeTensorsWriter& writer) {
  const auto values = file.array<T>(name);
  // Touches every element: one outside the file, or misaligned, is a finding.
  T last{};
  for (const T& value : values) last = value;
  expect(values.empty() || std::memcmp(&last, &values.back(), sizeof(T)) == 0, "the last element");
  writer.add<T>(name, file.shape(name), values);
}

void copy_array(const SafeTensors& file, const std::string& name, DType type,
                SafeTensorsWriter& writer) {
  switch (type) {
    case DType::kF64:
      return copy_array<double>(file, name, writer);
    case DType::kI64:
      return copy_array<std::int64_t>(file, name, writer);
    case DType::kU64:
      return copy_array<std::uint64_t>(file, name, writer);
    case DType::kF32:
      return copy_array<float>(file, name, writer);
    case DType::kI32:
      return copy_array<std::int32_t>(file, name, writer);
    case DType::kU32:
      return copy_array<std::uint32_t>(file, name, writer);
    case DType::kI16:
      return copy_array<std::int16_t>(file, name, writer);
    case DType::kU16:
      return copy_array<std::uint16_t>(file, name, writer);
    case DType::kI8:
      return copy_array<std::int8_t>(file, name, writer);
    case DType::kU8:
      return copy_array<std::uint8_t>(file, name, writer);
  }
}

}  // namespace

void fuzz_safetensors(std::string_view content) {
  const TempFolder folder;
  const auto path = folder.write_file("in", with_digest(content));
  const auto file = SafeTensors::open(path, SafeTensors::DigestCheck::kOptional);
  SafeTensorsWriter writer;
  for (const auto& [key, value] : file->metadata()) writer.set_meta(key, value);
  for (const auto& [name, tensor] : file->tensors()) copy_array(*file, name, tensor.dtype, writer);
  writer.write(folder.path() / "out");
  const auto again = SafeTensors::open(folder.path() / "out");
  expect(again->metadata() == file->metadata(), "the metadata after writing it again");
  expect(again->tensors().size() == file->tensors().size(), "the number of arrays");
  for (const auto& [name, tensor] : file->tensors()) {
    expect(again->tensors().at(name).bytes == tensor.bytes, "an array after writing it again");
  }
}

std::vector<std::string> safetensors_seeds() {
  const std::vector<double> doubles = {0.5, -1};
  const std::vector<std::int64_t> longs = {-1, 2, 3};
  const std::vector<std::uint16_t> shorts = {1};
  const std::vector<std::uint8_t> bytes = {1, 2, 3};
  SafeTensorsWriter writer;
  const auto written = [&] {
    return bytes_of([&](const std::filesystem::path& path) { writer.write(path); });
  };
  std::vector<std::string> seeds = {written()};
  writer.set_meta("key", "value \"quoted\" \xc3\xa4");
  writer.add<double>("doubles", {2}, doubles);
  writer.add<std::int64_t>("longs", {3, 1}, longs);
  writer.add<std::uint16_t>("shorts", {}, shorts);
  writer.add<std::uint8_t>("bytes", {3}, bytes);
  writer.add<float>("none", {0, 4}, std::span<const float>());
  seeds.push_back(written());
  return seeds;
}

}  // namespace foresight
