// Where tests find the real data and the golden episodes, which are no part of the project: in the
// folder that the environment variable FORESIGHT_SHARED names, else beside the checkout. Tests that
// need them begin with
//
//   FORESIGHT_NEEDS_SHARED("data/gmission");
//   const auto path = *shared_folder() / "data/gmission";
#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include <gtest/gtest.h>

namespace foresight {

inline std::optional<std::filesystem::path> shared_folder() {
  std::filesystem::path folder;
  if (const char* named = std::getenv("FORESIGHT_SHARED"); named != nullptr && *named != '\0') {
    folder = named;
  } else {
#ifdef FORESIGHT_SHARED_DIR
    folder = FORESIGHT_SHARED_DIR;
#endif
  }
  if (folder.empty() || !std::filesystem::is_directory(folder)) return std::nullopt;
  return folder;
}

inline bool is_shared(const std::string& what) {
  const auto folder = shared_folder();
  return folder && std::filesystem::exists(*folder / what);
}

}  // namespace foresight

/// Skips the test unless the shared folder holds this file or folder.
#define FORESIGHT_NEEDS_SHARED(what)                                    \
  if (!::foresight::is_shared(what))                                    \
  GTEST_SKIP() << "\"" << (what)                                        \
               << "\" is not here; set FORESIGHT_SHARED to the folder " \
                  "that holds it"
