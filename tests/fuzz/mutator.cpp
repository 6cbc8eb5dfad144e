#include "tests/fuzz/mutator.h"

#include <cstring>
#include <functional>
#include <map>
#include <vector>

#include <nlohmann/json.hpp>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace foresight {
namespace {

using Json = nlohmann::ordered_json;
using Random = std::minstd_rand;

std::size_t below(Random& random, std::size_t bound) {
  return random() % bound;
}

std::string mutate_bytes(std::string bytes) {
  const std::size_t size = bytes.size();
  bytes.resize(size + 64);
  bytes.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(bytes.data()), size, bytes.size()));
  return bytes;
}

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Every value of the document, itself included.
void collect(Json& value, std::vector<Json*>& values) {
  values.push_back(&value);
  if (!value.is_structured()) return;
  for (Json& part : value) collect(part, values);
}

Json odd_value(Random& random) {
  static const std::vector<std::string> kOdd = {"null",
                                                "true",
                                                "\"\"",
                                                "[]",
                                                "{}",
                                                "0",
                                                "-1",
                                                "1",
                                                "0.5",
                                                "-0.0",
                                                "1e300",
                                                "-1e300",
                                                "1e-300",
                                                "255",
                                                "2147483647",
                                                "2147483648",
                                                "-2147483649",
                                                "9223372036854775807",
                                                "-9223372036854775808",
                                                "18446744073709551615",
                                                "1000000",
                                                "[0]",
                                                "[null]",
                                                "\"e-obm\"",
                                                "\"adwords\"",
                                                "\"osbm\""};
  return Json::parse(kOdd[below(random, kOdd.size())]);
}

void mutate_json(Json& root, Random& random) {
  std::vector<Json*> values;
  collect(root, values);
  Json& value = *values[below(random, values.size())];
  const bool has_parts = value.is_structured() && !value.empty();
  const auto any_part = [&] {
    return std::next(value.begin(), static_cast<std::ptrdiff_t>(below(random, value.size())));
  };
  switch (below(random, 5)) {
    case 0:
      value = odd_value(random);
      break;
    case 1:
      value = Json(*values[below(random, values.size())]);
      break;
    case 2:
      if (has_parts) value.erase(any_part());
      break;
    case 3:
      if (has_parts && value.is_array()) value.push_back(Json(*any_part()));
      break;
    default:
      if (value.is_string()) value = mutate_bytes(value.get<std::string>());
      if (value.is_number_integer()) value = value.get<std::uint64_t>() + random() % 3 - 1;
      if (value.is_number_float()) value = value.get<double>() * (random() % 2 ? 2 : -1);
  }
}

// ---- safetensors

struct Array {
  std::string name, dtype;
  std::vector<std::size_t> shape;
  std::string bytes;
};

/// A file taken apart. Throws what the JSON library throws if it cannot be.
struct Container {
  explicit Container(const std::string& file) {
    std::uint64_t length = 0;
    if (file.size() < sizeof length) throw std::out_of_range("no header");
    std::memcpy(&length, file.data(), sizeof length);
    const Json header = Json::parse(file.substr(8, length));
    for (const auto& [name, entry] : header.items()) {
      if (name == "__metadata__") {
        metadata = entry;
        continue;
      }
      const auto begin = entry.at("data_offsets").at(0).get<std::size_t>();
      const auto end = entry.at("data_offsets").at(1).get<std::size_t>();
      arrays.push_back({name, entry.at("dtype").get<std::string>(),
                        entry.at("shape").get<std::vector<std::size_t>>(),
                        file.substr(8 + length).substr(begin, end - begin)});
    }
  }

  std::string file() const {
    Json header;
    header["__metadata__"] = metadata;
    std::string payload;
    for (const Array& array : arrays) {
      header[array.name] = {
          {"dtype", array.dtype},
          {"shape", array.shape},
          {"data_offsets", {payload.size(), payload.size() + array.bytes.size()}}};
      payload += array.bytes;
    }
    std::string text = dump(header);
    text.resize((text.size() + 7) / 8 * 8, ' ');
    const std::uint64_t length = text.size();
    return std::string(reinterpret_cast<const char*>(&length), sizeof length) + text + payload;
  }

  Json metadata = Json::object();
  std::vector<Array> arrays;
};

std::size_t element_size(const std::string& dtype) {
  if (dtype.ends_with("64")) return 8;
  if (dtype.ends_with("32")) return 4;
  return dtype.ends_with("16") ? 2 : 1;
}

/// An element as it would rather not be: NaN, infinite, negative, just out of range.
std::string odd_element(const std::string& dtype, Random& random) {
  static constexpr double kOdd[] = {-1, 0, 1, 2, 1e-40, 1e30, 2147483647, 9.3e18, 1e300};
  const double odd = kOdd[below(random, std::size(kOdd))];
  const std::size_t size = element_size(dtype);
  std::string bytes(8, '\0');
  if (random() % 4 == 0) {
    bytes.assign(8, '\xff');  // -1, the largest, or NaN
    if (random() % 2) bytes[size - 1] = '\x7f';
  } else if (dtype == "F64") {
    std::memcpy(bytes.data(), &odd, sizeof odd);
  } else if (dtype == "F32") {
    const auto value = static_cast<float>(odd);
    std::memcpy(bytes.data(), &value, sizeof value);
  } else {
    const auto value = static_cast<std::int64_t>(std::min(odd, 9e18));
    std::memcpy(bytes.data(), &value, sizeof value);
  }
  return bytes.substr(0, size);
}

void mutate_elements(Array& array, Random& random) {
  const std::size_t size = element_size(array.dtype);
  const std::size_t count = array.bytes.size() / size;
  if (count == 0) return;
  const std::size_t at = size * below(random, count);
  if (random() % 2) {
    array.bytes.replace(at, size, odd_element(array.dtype, random));
  } else {
    array.bytes.replace(at, size, array.bytes, size * below(random, count), size);
  }
}

/// Makes one dimension larger or smaller, and the array with it.
void mutate_shape(Array& array, Random& random) {
  if (array.shape.empty()) return;
  std::size_t& extent = array.shape[below(random, array.shape.size())];
  extent = random() % 2 ? extent + 1 : extent - std::min<std::size_t>(extent, 1);
  std::size_t bytes = element_size(array.dtype);
  for (const std::size_t each : array.shape) bytes *= each;
  array.bytes.resize(bytes);
}

void mutate_metadata(Json& metadata, Random& random) {
  if (!metadata.is_object() || metadata.empty()) return;
  const auto entry =
      std::next(metadata.begin(), static_cast<std::ptrdiff_t>(below(random, metadata.size())));
  if (!entry->is_string() || entry.key() == "digest") return;
  const auto text = entry->get<std::string>();
  Json inner = Json::parse(text, nullptr, false);
  if (inner.is_discarded() || random() % 4 == 0) {
    *entry = mutate_bytes(text);
  } else {
    mutate_json(inner, random);
    *entry = dump(inner);
  }
}

void mutate_container(Container& file, Random& random) {
  const std::size_t kind = below(random, 10);
  if (kind < 3 || file.arrays.empty()) return mutate_metadata(file.metadata, random);
  const std::size_t i = below(random, file.arrays.size());
  if (kind < 7) return mutate_elements(file.arrays[i], random);
  if (kind < 9) return mutate_shape(file.arrays[i], random);
  file.arrays.erase(file.arrays.begin() + static_cast<std::ptrdiff_t>(i));
}

}  // namespace

std::string mutate(const std::string& content, FuzzTarget::Input input, std::uint32_t seed) {
  Random random(seed);
  const bool by_bytes = input == FuzzTarget::Input::kText || below(random, 10) == 0;
  if (by_bytes) return mutate_bytes(content);
  try {
    if (input == FuzzTarget::Input::kContainer) {
      Container file(content);
      // Some rules tie several arrays together: only several changes get past them.
      do mutate_container(file, random);
      while (below(random, 3) == 0);
      return file.file();
    }
    Json json = Json::parse(content);
    mutate_json(json, random);
    return json.dump(1, ' ', false, Json::error_handler_t::replace);
  } catch (const std::exception&) {
    return mutate_bytes(content);
  }
}

}  // namespace foresight
