#include "foresight/base/mapped_file.h"

#include <cerrno>
#include <memory>
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
  const auto size = static_cast<std::size_t>(info.st_size);
  if (size == 0) return;  // mmap refuses empty mappings
  void* memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (memory == MAP_FAILED) fail_errno(path_);
  text_ = {static_cast<const char*>(memory), size};
}

MappedFile::~MappedFile() {
  if (!text_.empty()) ::munmap(const_cast<char*>(text_.data()), text_.size());
}

std::string excerpt(std::string_view text) {
  constexpr std::size_t kLongest = 80;
  return fmt::format("{:?}{}", text.substr(0, kLongest), text.size() > kLongest ? "..." : "");
}

}  // namespace foresight
