// The container of all binary files: named arrays and text metadata in the safetensors format.
//
//   SafeTensorsWriter writer;
//   writer.set_meta("problem", "matching");
//   writer.add<float>("weights", {rows, columns}, weights);   // a view: keep `weights` alive
//   writer.write("data.safetensors");
//
//   auto file = SafeTensors::open("data.safetensors");
//   std::span<const float> weights = file->array<float>("weights");   // valid while `file` lives
//
// The bytes:
//   8 bytes    N, the length of the header, little-endian, at most 100,000,000
//   N bytes    JSON in UTF-8, starting with '{':
//                {"__metadata__": {key: text, ...},
//                 name: {"dtype": "F32", "shape": [2, 3], "data_offsets": [begin, end]}, ...}
//   the rest   the payload: little-endian arrays, row-major, from payload byte `begin` to `end`
// The arrays tile the payload: no gap, no overlap, no bytes after the last. Names and keys are
// unique, each array is aligned to its element size within the file, and a shape has at most 8
// dimensions. The writer orders metadata by key (after "digest") and arrays by element size,
// largest first, then by name, and pads the header with spaces to a multiple of 8: equal content
// gives equal bytes.
//
// The metadata key "digest" holds 32 lower-case hexadecimal digits: the XXH3-128 hash (seed 0,
// printed high half first) of the whole file with those 32 characters, where they first occur,
// replaced by '0'. It covers header and payload alike; it detects damage, not forgery. Checked in
// Python:
//   raw = open(path, "rb").read()
//   header = json.loads(raw[8 : 8 + int.from_bytes(raw[:8], "little")])
//   digest = header["__metadata__"]["digest"]
//   assert xxhash.xxh3_128_hexdigest(raw.replace(digest.encode(), b"0" * 32, 1)) == digest
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "foresight/base/mapped_file.h"

namespace foresight {

static_assert(
    std::endian::native == std::endian::little,
    "safetensors arrays are little-endian and used in place: this host would need a copy");

/// The element types, named as in the file.
enum class DType { kF64, kI64, kU64, kF32, kI32, kU32, kI16, kU16, kI8, kU8 };

/// The C++ types of these elements. Not bool and char, which differ between platforms.
template <typename T>
concept TensorElement = std::same_as<T, float> || std::same_as<T, double> ||
    (std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char> && sizeof(T) <= 8);

template <TensorElement T>
constexpr DType dtype_of() {
  if constexpr (std::floating_point<T>) return sizeof(T) == 8 ? DType::kF64 : DType::kF32;
  if constexpr (sizeof(T) == 8) return std::signed_integral<T> ? DType::kI64 : DType::kU64;
  if constexpr (sizeof(T) == 4) return std::signed_integral<T> ? DType::kI32 : DType::kU32;
  if constexpr (sizeof(T) == 2) return std::signed_integral<T> ? DType::kI16 : DType::kU16;
  return std::signed_integral<T> ? DType::kI8 : DType::kU8;
}

/// One array, wherever its bytes live.
struct Tensor {
  DType dtype = DType::kU8;
  std::vector<std::size_t> shape;
  std::string_view bytes;
};

/// A file opened for reading, memory-mapped. It is immutable and completely checked when opened, so
/// its content can be trusted. Threads may share it.
class SafeTensors {
 public:
  enum class DigestCheck {
    kRequired,
    kOptional,  // accept files of other programs, which have none; a digest must still match
  };

  /// Throws Error(kIo) if the file cannot be read, Error(kData) if it breaks a rule of the format.
  static std::shared_ptr<const SafeTensors> open(const std::filesystem::path& path,
                                                 DigestCheck check = DigestCheck::kRequired);

  const std::filesystem::path& path() const { return file_.path(); }
  /// Without the digest, which `digest` returns (empty if the file has none).
  const std::map<std::string, std::string, std::less<>>& metadata() const { return metadata_; }
  const std::string& digest() const { return digest_; }
  const std::map<std::string, Tensor, std::less<>>& tensors() const { return tensors_; }

  bool has(std::string_view name) const { return tensors_.contains(name); }
  /// These throw Error(kData) that names the file and what it lacks.
  const std::string& meta(std::string_view key) const;
  const std::vector<std::size_t>& shape(std::string_view name) const { return find(name).shape; }
  template <TensorElement T>
  std::span<const T> array(std::string_view name) const {
    const std::string_view bytes = find(name, dtype_of<T>()).bytes;
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }

 private:
  SafeTensors(const std::filesystem::path& path, DigestCheck check);
  void verify_digest(std::string_view header) const;
  const Tensor& find(std::string_view name) const;
  const Tensor& find(std::string_view name, DType expected) const;

  MappedFile file_;
  std::string digest_;
  std::map<std::string, std::string, std::less<>> metadata_;
  std::map<std::string, Tensor, std::less<>> tensors_;
};

/// Collects views of arrays and writes them as one file. Misuse throws Error(kUsage).
class SafeTensorsWriter {
 public:
  /// Bytes of the value that are not UTF-8, such as those of a path, are written as U+FFFD.
  void set_meta(std::string key, std::string value);

  /// `values` must stay alive and unchanged until the last `write`.
  template <TensorElement T>
  void add(std::string name, std::vector<std::size_t> shape, std::span<const T> values) {
    const auto* bytes = reinterpret_cast<const char*>(values.data());
    add(std::move(name), {dtype_of<T>(), std::move(shape), {bytes, values.size_bytes()}});
  }
  template <TensorElement T>
  void add(std::string name, std::vector<std::size_t> shape, std::vector<T>&& values) = delete;
  /// Keeps the values itself.
  template <TensorElement T>
  void add_owned(std::string name, std::vector<std::size_t> shape, std::vector<T> values) {
    const auto kept = std::make_shared<const std::vector<T>>(std::move(values));
    owned_.push_back(kept);
    add(std::move(name), std::move(shape), std::span<const T>(*kept));
  }

  /// Replaces `path` in one step (see AtomicFile).
  void write(const std::filesystem::path& path) const;

 private:
  void add(std::string name, Tensor tensor);

  std::map<std::string, std::string> metadata_;
  std::map<std::string, Tensor> tensors_;
  std::vector<std::shared_ptr<const void>> owned_;
};

}  // namespace foresight
