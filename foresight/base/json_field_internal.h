// Reads JSON that a person or another program may have spoilt: every error names the file, the
// path of the field and what was found there.
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
#include <type_traits>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace foresight {

class JsonField {
 public:
  /// The whole document; throws Error(kData) for what is no JSON.
  static JsonField parse(std::string_view text, const std::string& file);

  JsonField operator[](const char* key) const;  // throws where it is missing
  JsonField at(std::size_t index) const;        // of an array
  std::optional<JsonField> find(const char* key) const;
  std::size_t size() const;  // of an array

  double number() const;  // null is NaN, as JSON has no other way to write it
  /// An integer that fits T.
  template <std::integral T = std::int64_t>
  T integer() const {
    static_assert(sizeof(T) < 8 || std::signed_integral<T>, "use count()");
    using Limits = std::numeric_limits<T>;
    return static_cast<T>(integer(Limits::min(), Limits::max()));
  }
  std::uint64_t count() const;  // an integer, not negative
  std::string text() const;
  std::string text_or_empty(const char* key) const;
  std::vector<std::string> texts() const;  // of an array

  /// An array of numbers.
  template <typename T>
  std::vector<T> numbers() const {
    std::vector<T> all;
    all.reserve(size());
    for (std::size_t i = 0; i < size(); ++i) {
      if constexpr (std::is_integral_v<T>) {
        all.push_back(at(i).integer<T>());
      } else {
        all.push_back(static_cast<T>(at(i).number()));
      }
    }
    return all;
  }

  /// Throws Error(kData) with the file and the path of this field in front.
  [[noreturn]] void reject(const std::string& why) const;

 private:
  JsonField(std::shared_ptr<const nlohmann::json> value, std::string file, std::string path)
      : value_(std::move(value)), file_(std::move(file)), path_(std::move(path)) {}
  JsonField part(const nlohmann::json& value, std::string path) const;
  std::int64_t integer(std::int64_t min, std::int64_t max) const;
  [[noreturn]] void expected(std::string_view what) const;

  std::shared_ptr<const nlohmann::json> value_;  // keeps the whole document
  std::string file_;
  std::string path_;
};

/// Whether it is valid UTF-8, as all text in JSON must be.
bool is_utf8(const std::string& text);

/// A list of texts in UTF-8 as JSON, and back; nothing where it is no such list.
std::string json_list(const std::vector<std::string>& texts);
std::optional<std::vector<std::string>> parse_json_list(std::string_view json);

}  // namespace foresight
