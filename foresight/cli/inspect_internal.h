// What `foresight inspect` found: lines for people, and the same as JSON.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace foresight {

struct Inspected {
  std::string title;
  std::vector<std::pair<std::string, std::string>> facts;
  std::vector<std::string> notes = {};  // what is missing or unusual
  std::string table = {};
  std::string next = {};  // a command to go on with
  nlohmann::ordered_json json = {};
};

Inspected inspect_dataset(const std::filesystem::path& file);
/// A CSV file as source `recorded` reads it; `fixed` may be empty.
Inspected inspect_log(const std::filesystem::path& file, const std::string& fixed);
/// A folder of CSV files as source `csv` reads it.
Inspected inspect_graph(const std::filesystem::path& folder);
/// All recorded instances of a source, or some that are drawn.
Inspected inspect_source(const std::string& spec);

}  // namespace foresight
