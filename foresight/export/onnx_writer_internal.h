// The bytes of an ONNX file: messages in the wire format of Protocol Buffers. ONNX needs only
// integers, texts and messages within messages. Fields have their numbers from onnx.proto.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace foresight {

class Message {
 public:
  Message& number(int field, std::int64_t value);
  Message& text(int field, std::string_view value);
  Message& message(int field, const Message& value) { return text(field, value.bytes_); }

  const std::string& bytes() const { return bytes_; }

 private:
  void varint(std::uint64_t value);
  std::string bytes_;
};

/// An attribute of an operator: a name and a value.
Message onnx_attribute(std::string_view name, std::int64_t value);
Message onnx_attribute(std::string_view name, std::span<const std::int64_t> values);

/// A constant.
Message onnx_tensor(std::string_view name, std::span<const std::size_t> shape,
                    std::span<const float> values);
Message onnx_tensor(std::string_view name, std::span<const std::int64_t> values);

}  // namespace foresight
