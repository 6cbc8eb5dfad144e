#include "foresight/base/mapped_file.h"

#include <cerrno>
#include <memory>
#include <mutex>
#include <set>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "foresight/base/error.h"

namespace foresight {
namespace {

[[noreturn]] void fail_errno(const std::filesystem::path& path) {
  const int error = errno;
  fail(ErrorCode::kIo, "cannot read {}: {}", path.string(), std::generic_category().message(error));
}

/// The files that were read, by device and number.
class FilesRead {
 public:
  void add(const struct stat& info) {
    const std::lock_guard lock(mutex_);
    files_.emplace(info.st_dev, info.st_ino);
  }
  bool has(const struct stat& info) {
    const std::lock_guard lock(mutex_);
    return files_.contains({info.st_dev, info.st_ino});
  }

 private:
  std::mutex mutex_;
  std::set<std::pair<dev_t, ino_t>> files_;
};
FilesRead& files_read() {
  static FilesRead files;
  return files;
}

}  // namespace

MappedFile::MappedFile(std::filesystem::path path) : path_(std::move(path)) {
  // O_NONBLOCK, because opening a named pipe would otherwise wait for a writer.
  const int fd = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) fail_errno(path_);
  const auto close = [](const int* open_fd) { ::close(*open_fd); };
  const std::unique_ptr<const int, decltype(close)> closer(&fd, close);

  struct stat info;
  if (::fstat(fd, &info) != 0) fail_errno(path_);
  if (S_ISDIR(info.st_mode)) fail(ErrorCode::kIo, "cannot read {}: it is a folder", path_.string());
  if (!S_ISREG(info.st_mode)) {
    fail(ErrorCode::kIo, "cannot read {}: it is not a regular file", path_.string());
  }
  files_read().add(info);
  const auto size = static_cast<std::size_t>(info.st_size);
  if (size == 0) return;  // mmap refuses empty mappings
  void* memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (memory == MAP_FAILED) fail_errno(path_);
  text_ = {static_cast<const char*>(memory), size};
}

MappedFile::~MappedFile() {
  if (!text_.empty()) ::munmap(const_cast<char*>(text_.data()), text_.size());
}

void note_read(const std::filesystem::path& path) {
  struct stat info;
  if (::stat(path.c_str(), &info) == 0) files_read().add(info);
}

bool was_read(const std::filesystem::path& path) {
  struct stat info;
  return ::stat(path.c_str(), &info) == 0 && files_read().has(info);
}

std::string excerpt(std::string_view text) {
  constexpr std::size_t kLongest = 80;
  return fmt::format("{:?}{}", text.substr(0, kLongest), text.size() > kLongest ? "..." : "");
}

}  // namespace foresight
