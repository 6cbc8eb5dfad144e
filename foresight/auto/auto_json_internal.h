// The record of a search in its folder.
#pragma once

#include <filesystem>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace foresight {

struct AutoResult;

/// Writes what was asked for, a field per setting.
void begin_auto(const std::filesystem::path& folder, const nlohmann::ordered_json& asked);

/// The first setting that the search in the folder has another value for, in words; else nothing.
std::string auto_difference(const std::filesystem::path& folder,
                            const nlohmann::ordered_json& asked);

/// Writes what was found: the table first, then the record that says that the search is done.
void end_auto(const std::filesystem::path& folder, const nlohmann::ordered_json& asked,
              const AutoResult& result);

}  // namespace foresight
