// Questions about paths, and folders to write into.
//
//   if (path_exists(name)) ...               // a file, or the spec of something else?
//   check_output("results/a.json");          // before long work that could not be stored
//   make_folders("runs/a");                  // with all folders above it
#pragma once

#include <filesystem>
#include <initializer_list>

namespace foresight {

/// Never throws: a name that no file can have, such as one of 300 characters, is no file. A link
/// that leads nowhere is one, and reading it is an error.
bool path_exists(const std::filesystem::path& path);

/// The same for folders alone.
bool is_folder(const std::filesystem::path& path);

/// Makes the folder and those above it that are missing. Throws Error(kIo) that names the path and
/// the system's reason. An empty path is the current folder.
void make_folders(const std::filesystem::path& folder);

/// Throws Error(kIo) if no file can be written there; an existing one stays as it is.
void check_output(const std::filesystem::path& file);

/// Throws Error(kUsage) if writing these files would replace a file that this process has read, or
/// if two of them are the same file. Empty paths are left out.
void check_overwriting(std::initializer_list<std::filesystem::path> outputs);

}  // namespace foresight
