// RUN/auto.json: what was asked for, and once the search is done, what was found.
#include <nlohmann/json.hpp>

#include "foresight/auto/auto.h"
#include "foresight/auto/auto_json_internal.h"
#include "foresight/base/atomic_file.h"
#include "foresight/base/error.h"
#include "foresight/base/files.h"
#include "foresight/base/json_field_internal.h"
#include "foresight/base/mapped_file.h"

namespace foresight {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 1;

std::filesystem::path file_of(const std::filesystem::path& folder) {
  return folder / kSearchFile;
}

JsonField read(const std::filesystem::path& folder) {
  const auto file = file_of(folder);
  const JsonField json = JsonField::parse(MappedFile(file).text(), file.string());
  const JsonField version = json["version"];
  if (version.integer<int>() != kVersion) {
    version.reject(fmt::format("is {}, but this program reads {}", version.json(), kVersion));
  }
  return json;
}

void write(const std::filesystem::path& folder, const Json& json) {
  write_file_atomically(file_of(folder), json_text(json, 1) + "\n");
}

}  // namespace

bool is_auto_folder(const std::filesystem::path& folder) {
  return path_exists(file_of(folder));
}

void begin_auto(const std::filesystem::path& folder, const Json& asked) {
  write(folder, {{"version", kVersion}, {"asked", asked}});
}

std::string auto_difference(const std::filesystem::path& folder, const Json& asked) {
  const JsonField found = read(folder)["asked"];
  // A file may have been moved: its digest is compared, too.
  const auto moved = [&](const std::string& field) {
    return (field == "train" || field == "validation") &&
           is_moved(found[field.c_str()].text(), asked[field].get<std::string>());
  };
  for (const auto& [field, value] : asked.items()) {
    const std::string then = found[field.c_str()].json(), now = json_text(value);
    if (then == now || moved(field)) continue;
    if (now == "\"\"") return fmt::format("{} was {}, and now is other data", field, then);
    return fmt::format("{} was {}, and now is {}", field, then, now);
  }
  return {};
}

void end_auto(const std::filesystem::path& folder, const Json& asked, const AutoResult& result) {
  write_file_atomically(folder / "result.json", to_json(result.evaluation));
  Json tried = Json::array();
  for (const auto& [name, policy, lead, instances] : result.tried) {
    tried.push_back({{"name", name}, {"policy", policy}, {"lead", lead}, {"instances", instances}});
  }
  write(folder, {{"version", kVersion},
                 {"asked", asked},
                 {"found",
                  {{"kept", result.kept},
                   {"is_rule", result.is_rule},
                   {"fresh", result.fresh},
                   {"advice", result.advice},
                   {"notes", result.notes},
                   {"tried", std::move(tried)}}}});
}

AutoResult read_auto(const std::filesystem::path& folder) {
  if (!is_auto_folder(folder)) {
    fail(ErrorCode::kUsage, "{}: the folder holds no search: there is no auto.json in it",
         folder.string());
  }
  const auto found = read(folder).find("found");
  if (!found) {
    fail(ErrorCode::kUsage, "{}: this search is not done; resume it", folder.string());
  }
  const auto file = folder / "result.json";
  AutoResult result{.kept = (*found)["kept"].text(),
                    .is_rule = (*found)["is_rule"].json() == "true",
                    .evaluation = evaluation_from_json(MappedFile(file).text(), file.string()),
                    .fresh = (*found)["fresh"].json() == "true",
                    .tried = {},
                    .notes = (*found)["notes"].texts(),
                    .advice = (*found)["advice"].text()};
  const JsonField tried = (*found)["tried"];
  for (std::size_t i = 0; i < tried.size(); ++i) {
    const JsonField one = tried.at(i);
    result.tried.push_back({one["name"].text(), one["policy"].text(), one["lead"].number(),
                            one["instances"].integer<std::size_t>()});
  }
  if (!result.find(result.kept)) {
    (*found)["kept"].reject(fmt::format("names no policy of {}", file.string()));
  }
  return result;
}

}  // namespace foresight
