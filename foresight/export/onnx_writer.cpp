#include <bit>

#include "foresight/export/onnx_writer_internal.h"

namespace foresight {
namespace {

static_assert(std::endian::native == std::endian::little, "raw data of ONNX is little-endian");

// The two wire types.
constexpr std::uint64_t kVarint = 0, kLengthDelimited = 2;

std::uint64_t tag(int field, std::uint64_t type) {
  return static_cast<std::uint64_t>(field) << 3 | type;
}

template <typename T>
std::string_view bytes_of(std::span<const T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

// TensorProto: dims = 1, data_type = 2, name = 8, raw_data = 9
Message tensor(std::string_view name, std::span<const std::size_t> shape, int type,
               std::string_view bytes) {
  Message message;
  for (const std::size_t size : shape) message.number(1, static_cast<std::int64_t>(size));
  message.number(2, type).text(8, name).text(9, bytes);
  return message;
}

}  // namespace

void Message::varint(std::uint64_t value) {
  for (; value >= 128; value >>= 7) bytes_ += static_cast<char>(value % 128 + 128);
  bytes_ += static_cast<char>(value);
}

Message& Message::number(int field, std::int64_t value) {
  varint(tag(field, kVarint));
  varint(static_cast<std::uint64_t>(value));
  return *this;
}

Message& Message::text(int field, std::string_view value) {
  varint(tag(field, kLengthDelimited));
  varint(value.size());
  bytes_ += value;
  return *this;
}

// AttributeProto: name = 1, i = 3, ints = 8, type = 20 (2 is INT, 7 is INTS)
Message onnx_attribute(std::string_view name, std::int64_t value) {
  return Message().text(1, name).number(3, value).number(20, 2);
}

Message onnx_attribute(std::string_view name, std::span<const std::int64_t> values) {
  Message message;
  message.text(1, name);
  for (const std::int64_t value : values) message.number(8, value);
  message.number(20, 7);
  return message;
}

// data_type: 1 is FLOAT, 7 is INT64
Message onnx_tensor(std::string_view name, std::span<const std::size_t> shape,
                    std::span<const float> values) {
  return tensor(name, shape, 1, bytes_of(values));
}

Message onnx_tensor(std::string_view name, std::span<const std::int64_t> values) {
  const std::size_t size = values.size();
  return tensor(name, {&size, 1}, 7, bytes_of(values));
}

}  // namespace foresight
