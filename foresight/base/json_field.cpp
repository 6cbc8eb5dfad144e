#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "foresight/base/error.h"
#include "foresight/base/json_field_internal.h"

namespace foresight {

JsonField JsonField::parse(std::string_view text, const std::string& file) {
  try {
    return JsonField(std::make_shared<nlohmann::json>(nlohmann::json::parse(text)), file, "");
  } catch (const nlohmann::json::parse_error& error) {
    fail(ErrorCode::kData, "{}: is no JSON: it breaks off or goes wrong at byte {}", file,
         error.byte);
  } catch (const nlohmann::json::out_of_range&) {
    fail(ErrorCode::kData, "{}: holds a number that is too large for a double", file);
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
  if (value_->is_null()) return std::numeric_limits<double>::quiet_NaN();
  if (!value_->is_number()) expected("a number");
  return value_->get<double>();
}

std::int64_t JsonField::integer(std::int64_t min, std::int64_t max) const {
  if (!value_->is_number_integer()) expected("an integer");
  const auto integer = value_->get<std::int64_t>();
  const bool wrapped = value_->is_number_unsigned() && integer < 0;  // more than 64 bits can hold
  if (wrapped || integer < min || integer > max) {
    expected(fmt::format("an integer from {} to {}", min, max));
  }
  return integer;
}

std::uint64_t JsonField::count() const {
  if (!value_->is_number_unsigned()) expected("an integer from 0 on");
  return value_->get<std::uint64_t>();
}

std::string JsonField::text() const {
  if (!value_->is_string()) expected("text");
  return value_->get<std::string>();
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

void JsonField::expected(std::string_view what) const {
  constexpr std::size_t kShown = 40;
  // Printing follows lists within lists by recursion: enough of them would exhaust the stack.
  if (value_->is_array()) reject(fmt::format("should be {}, is a list", what));
  if (value_->is_object()) reject(fmt::format("should be {}, is an object", what));
  std::string found = value_->dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  if (found.size() > kShown) found = found.substr(0, kShown) + "...";
  reject(fmt::format("should be {}, is {}", what, found));
}

bool is_utf8(const std::string& text) {
  try {
    nlohmann::json(text).dump();
    return true;
  } catch (const nlohmann::json::type_error&) {
    return false;
  }
}

std::string json_list(const std::vector<std::string>& texts) {
  return nlohmann::json(texts).dump();
}

std::optional<std::vector<std::string>> parse_json_list(std::string_view json) {
  const auto list = nlohmann::json::parse(json, nullptr, /*allow_exceptions=*/false);
  const auto is_text = [](const nlohmann::json& entry) { return entry.is_string(); };
  if (!list.is_array() || !std::ranges::all_of(list, is_text)) return std::nullopt;
  return list.get<std::vector<std::string>>();
}

}  // namespace foresight
