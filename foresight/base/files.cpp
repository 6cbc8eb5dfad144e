#include "foresight/base/files.h"

#include <system_error>

#include "foresight/base/atomic_file.h"
#include "foresight/base/error.h"

namespace foresight {

bool path_exists(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

bool is_folder(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

void make_folders(const std::filesystem::path& folder) {
  if (folder.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    fail(ErrorCode::kIo, "cannot make the folder {}: {}", folder.string(), error.message());
  }
}

void check_output(const std::filesystem::path& file) {
  const AtomicFile never_committed(file);
}

}  // namespace foresight
