#include "foresight/base/atomic_file.h"

#include <cassert>
#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "foresight/base/error.h"

namespace foresight {
namespace {

std::string link_to(int file) {
  return fmt::format("/proc/self/fd/{}", file);
}

}  // namespace

template <typename Make>
void AtomicFile::name_temporary(Make make) {
  for (int i = 0;; ++i) {
    std::string name = fmt::format(".foresight-{}-{}.tmp", ::getpid(), i);
    if (make(name.c_str())) {
      temporary_ = std::move(name);
      return;
    }
    // Taken by another thread, or left by a killed process that had our id.
    if (errno != EEXIST) fail_errno();
  }
}

// The delegation makes ~AtomicFile clean up when the body throws.
AtomicFile::AtomicFile(std::filesystem::path target) : AtomicFile() {
  target_ = std::move(target);
  if (target_.empty()) fail(ErrorCode::kIo, "cannot write a file whose name is empty");
  std::error_code error;
  if (std::filesystem::is_symlink(target_, error)) {
    auto real = std::filesystem::canonical(target_, error);
    if (!error) target_ = std::move(real);  // a dangling link is replaced
  }

  // Everything goes through the open folder, so a later change of directory does no harm.
  const auto parent = target_.parent_path();
  folder_ = ::open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder_ < 0 && (errno == ENOENT || errno == ENOTDIR)) {
    fail(ErrorCode::kIo, "cannot write {}: there is no folder {}", target_.string(),
         parent.string());
  }
  if (folder_ < 0) fail_errno();

  const auto name = target_.filename();
  struct stat old;
  const bool exists = ::fstatat(folder_, name.c_str(), &old, 0) == 0;
  if (!exists && errno != ENOENT) fail_errno();
  if (name.empty() || (exists && S_ISDIR(old.st_mode))) {
    fail(ErrorCode::kIo, "cannot write {}: it is a folder", target_.string());
  }
  // Renaming over a device such as /dev/null would destroy it.
  if (exists && !S_ISREG(old.st_mode)) {
    fail(ErrorCode::kIo, "cannot write {}: it is not a regular file", target_.string());
  }

  // A file without a name vanishes with its process. It gets one through /proc when it is done.
  file_ = ::openat(folder_, ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
  if (file_ >= 0 && ::access(link_to(file_).c_str(), F_OK) != 0) ::close(std::exchange(file_, -1));
  if (file_ < 0) {  // not every file system has them
    name_temporary([&](const char* free) {
      file_ = ::openat(folder_, free, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      return file_ >= 0;
    });
  }
  if (exists && ::fchmod(file_, old.st_mode & 0777) != 0) fail_errno();
}

AtomicFile::~AtomicFile() {
  if (file_ >= 0) ::close(file_);
  if (!temporary_.empty()) ::unlinkat(folder_, temporary_.c_str(), 0);
  if (folder_ >= 0) ::close(folder_);
}

void AtomicFile::write(std::string_view bytes) {
  assert(file_ >= 0);
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      fail_errno();
    }
  }
}

void AtomicFile::commit() {
  assert(file_ >= 0);
  if (::fsync(file_) != 0) fail_errno();
  if (temporary_.empty()) {
    const std::string link = link_to(file_);
    name_temporary([&](const char* free) {
      return ::linkat(AT_FDCWD, link.c_str(), folder_, free, AT_SYMLINK_FOLLOW) == 0;
    });
  }
  if (::close(std::exchange(file_, -1)) != 0) fail_errno();
  const auto name = target_.filename();
  if (::renameat(folder_, temporary_.c_str(), folder_, name.c_str()) != 0) fail_errno();
  temporary_.clear();
  // Some network file systems cannot sync a folder and say EINVAL.
  if (::fsync(folder_) != 0 && errno != EINVAL) fail_errno();
}

void AtomicFile::fail_errno() const {
  const int error = errno;
  fail(ErrorCode::kIo, "cannot write {}: {}", target_.string(),
       std::generic_category().message(error));
}

void write_file_atomically(const std::filesystem::path& target, std::string_view text) {
  AtomicFile file(target);
  file.write(text);
  file.commit();
}

}  // namespace foresight
