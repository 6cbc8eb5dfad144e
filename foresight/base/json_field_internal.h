// Reads JSON that a person or another program may have damaged: every error names the file, the
// path of the field and what was found there. And writes JSON that may hold any text.
//
//   const JsonField root = JsonField::parse(text, "result.json");
//   const double mean = root["policies"].at(0)["mean_ratio"].number();
//
// The JSON library's own header is slow to compile, so it stays out of here.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace foresight {

class JsonField {
 public:
  /// The whole document; throws Error(kData) for text that is not JSON.
  static JsonField parse(std::string_view text, const std::string& file);

  // All of these throw Error(kData) where the file holds something else.
  JsonField operator[](const char* key) const;
  JsonField at(std::size_t index) const;  // of a list
  std::optional<JsonField> find(const char* key) const;
  std::size_t size() const;  // of a list

  double number() const;
  double number_or_nan() const;  // null is NaN, as JSON has no other way to write it
  std::uint64_t count() const;   // an integer, not negative
  std::string text() const;
  std::string text_or_empty(const char* key) const;
  std::string json() const;                // as it stands there, whatever it is
  std::vector<std::string> texts() const;  // of an array

  /// An integer that T can hold.
  template <std::integral T = std::int64_t>
  T integer() const {
    using Limits = std::numeric_limits<T>;
    if constexpr (std::unsigned_integral<T> && sizeof(T) == 8) {
      return count();
    } else {
      return static_cast<T>(integer_between(Limits::min(), Limits::max()));
    }
  }

  /// A list of numbers that T can hold.
  template <typename T>
  std::vector<T> numbers() const {
    std::vector<T> all(size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      if constexpr (std::integral<T>) {
        all[i] = at(i).template integer<T>();
      } else {
        all[i] = static_cast<T>(at(i).number_up_to(std::numeric_limits<T>::max()));
      }
    }
    return all;
  }

  /// Throws Error(kData) that starts with the file and the path of this field.
  [[noreturn]] void reject(const std::string& why) const;

 private:
  JsonField(std::shared_ptr<const nlohmann::json> value, std::string file, std::string path)
      : value_(std::move(value)), file_(std::move(file)), path_(std::move(path)) {}
  JsonField part(const nlohmann::json& value, std::string path) const;
  double number_up_to(double largest) const;  // and down to its negative
  std::int64_t integer_between(std::int64_t low, std::int64_t high) const;
  [[noreturn]] void expected(const std::string& what) const;

  std::shared_ptr<const nlohmann::json> value_;  // keeps the whole document
  std::string file_;
  std::string path_;
};

/// JSON as text, on one line or indented. Bytes that are not UTF-8, which paths and names may hold,
/// become U+FFFD: they must not stop a run that writes them down.
std::string json_text(const nlohmann::json& json, int indent = -1);
std::string json_text(const nlohmann::ordered_json& json, int indent = -1);

/// As the text comes back from JSON: bytes that are not UTF-8 become U+FFFD.
std::string valid_utf8(const std::string& text);

/// Whether it is valid UTF-8, as all text in JSON must be.
bool is_utf8(std::string_view text);

/// A list of texts in UTF-8 as JSON, and back; nothing if it is not a list of texts.
std::string json_list(const std::vector<std::string>& texts);
std::optional<std::vector<std::string>> parse_json_list(std::string_view json);

}  // namespace foresight
