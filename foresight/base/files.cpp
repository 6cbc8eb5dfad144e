#include "foresight/base/files.h"

#include <system_error>

#include "foresight/base/atomic_file.h"
#include "foresight/base/error.h"
#include "foresight/base/mapped_file.h"

namespace foresight {

bool path_exists(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::exists(std::filesystem::symlink_status(path, ignored));
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

void check_overwriting(std::initializer_list<std::filesystem::path> outputs) {
  const auto named = [](const std::filesystem::path& file) {
    std::error_code ignored;
    return std::filesystem::weakly_canonical(std::filesystem::absolute(file, ignored), ignored);
  };
  for (auto file = outputs.begin(); file != outputs.end(); ++file) {
    if (file->empty()) continue;
    if (was_read(*file)) {
      fail(ErrorCode::kUsage,
           "{} would be overwritten, but it is one of the files that are read; choose another file",
           file->string());
    }
    for (auto other = outputs.begin(); other != file; ++other) {
      if (!other->empty() && named(*other) == named(*file)) {
        fail(ErrorCode::kUsage, "two outputs have the same file, {}; choose two files",
             file->string());
      }
    }
  }
}

}  // namespace foresight
