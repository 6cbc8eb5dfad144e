#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "foresight/base/error.h"
#include "foresight/base/json_field_internal.h"

namespace foresight {

namespace {

/// The number that the JSON library could not hold; it names it only in its message, in quotes.
std::string_view overflown(std::string_view message) {
  const std::size_t end = message.rfind('\''), begin = message.rfind('\'', end - 1);
  return begin < end && end != message.npos ? message.substr(begin + 1, end - begin - 1) : "in it";
}

template <typename Json>
std::string to_text(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

JsonField JsonField::parse(std::string_view text, const std::string& file) {
  try {
    return JsonField(std::make_shared<nlohmann::json>(nlohmann::json::parse(text)), file, "");
  } catch (const nlohmann::json::parse_error& error) {
    if (error.byte > text.size()) {
      fail(ErrorCode::kData, "{}: is not valid JSON: it ends too early", file);
    }
    const bool encoding = std::string_view(error.what()).find("UTF-8") != std::string_view::npos;
    fail(ErrorCode::kData, "{}: is not valid JSON at byte {}: {}", file, error.byte,
         encoding ? "the text is not UTF-8" : "unexpected character");
  } catch (const nlohmann::json::out_of_range& error) {
    fail(ErrorCode::kData, "{}: the number {} is too large", file, overflown(error.what()));
  } catch (const nlohmann::json::exception&) {
    fail(ErrorCode::kData, "{}: is not valid JSON", file);
  }
}

JsonField JsonField::part(const nlohmann::json& value, std::string path) const {
  return JsonField(std::shared_ptr<const nlohmann::json>(value_, &value), file_, std::move(path));
}

JsonField JsonField::operator[](const char* key) const {
  const auto found = find(key);
  if (!found) reject(fmt::format("has no field \"{}\"", key));
  return *found;
}

JsonField JsonField::at(std::size_t index) const {
  if (index >= size()) {
    reject(fmt::format("has no entry {}: it has {}, counted from 0", index, size()));
  }
  return part((*value_)[index], fmt::format("{}[{}]", path_, index));
}

std::optional<JsonField> JsonField::find(const char* key) const {
  if (!value_->is_object()) expected("an object");
  const auto found = value_->find(key);
  if (found == value_->end()) return std::nullopt;
  return part(*found, path_.empty() ? key : path_ + "." + key);
}

std::size_t JsonField::size() const {
  if (!value_->is_array()) expected("a list");
  return value_->size();
}

double JsonField::number() const {
  if (!value_->is_number()) expected("a number");
  return value_->get<double>();
}

double JsonField::number_or_nan() const {
  return value_->is_null() ? std::numeric_limits<double>::quiet_NaN() : number();
}

double JsonField::number_up_to(double largest) const {
  const double value = number();
  if (std::abs(value) > largest) expected(fmt::format("a number up to {:.4g}", largest));
  return value;
}

std::int64_t JsonField::integer_between(std::int64_t low, std::int64_t high) const {
  if (!value_->is_number_integer()) expected("an integer");
  const auto value = value_->get<std::int64_t>();
  const bool wrapped = value_->is_number_unsigned() && value < 0;
  if (wrapped || value < low || value > high) {
    expected(fmt::format("an integer from {} to {}", low, high));
  }
  return value;
}

std::uint64_t JsonField::count() const {
  if (!value_->is_number_unsigned()) expected("an integer >= 0");
  return value_->get<std::uint64_t>();
}

std::string JsonField::text() const {
  if (!value_->is_string()) expected("text");
  return value_->get<std::string>();
}

std::string JsonField::json() const {
  return json_text(*value_);
}

std::vector<std::string> JsonField::texts() const {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < size(); ++i) all.push_back(at(i).text());
  return all;
}

std::string JsonField::text_or_empty(const char* key) const {
  const auto found = find(key);
  return found ? found->text() : "";
}

void JsonField::reject(const std::string& why) const {
  fail(ErrorCode::kData, "{}: {}{}{}", file_, path_, path_.empty() ? "" : ": ", why);
}

void JsonField::expected(const std::string& what) const {
  constexpr std::size_t kShown = 40;
  std::string found = "an object";  // lists and objects may be too deep to print
  if (value_->is_array()) found = fmt::format("a list of {}", value_->size());
  if (value_->is_primitive()) found = json_text(*value_);
  if (found.size() > kShown) found = found.substr(0, kShown) + "...";
  reject(fmt::format("should be {}, but is {}", what, found));
}

std::string json_text(const nlohmann::json& json, int indent) {
  return to_text(json, indent);
}

std::string json_text(const nlohmann::ordered_json& json, int indent) {
  return to_text(json, indent);
}

std::string valid_utf8(const std::string& text) {
  return nlohmann::json::parse(json_text(nlohmann::json(text))).get<std::string>();
}

bool is_utf8(std::string_view text) {
  // Nearly all names are ASCII, and there are as many of them as arrivals.
  if (std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; })) {
    return true;
  }
  try {
    nlohmann::json(text).dump();
    return true;
  } catch (const nlohmann::json::type_error&) {
    return false;
  }
}

std::string json_list(const std::vector<std::string>& texts) {
  return json_text(nlohmann::json(texts));
}

std::optional<std::vector<std::string>> parse_json_list(std::string_view json) {
  const auto list = nlohmann::json::parse(json, nullptr, /*allow_exceptions=*/false);
  const auto is_text = [](const nlohmann::json& entry) { return entry.is_string(); };
  if (!list.is_array() || !std::ranges::all_of(list, is_text)) return std::nullopt;
  return list.get<std::vector<std::string>>();
}

}  // namespace foresight
