#include "foresight/base/folder_lock.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "foresight/base/error.h"
#include "foresight/base/files.h"

namespace foresight {
namespace {

/// Who holds the lock, for people: "12345 host".
std::string this_process() {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  return fmt::format("{} {}", ::getpid(), host.data());
}

/// As read from the lock file, which is empty while its holder has not written it yet.
std::string holder(int file) {
  std::array<char, 300> text;
  const ssize_t length = ::pread(file, text.data(), text.size(), 0);
  std::string line(text.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
  line.resize(std::min(line.size(), line.find('\n')));
  if (line == this_process()) return "this process";
  const std::size_t space = line.find(' ');
  if (space == line.npos) return "another process";
  return fmt::format("another process ({} on {})", line.substr(0, space), line.substr(space + 1));
}

/// For people only, so a full disk is no reason to stop.
void write(int file, const std::string& line) {
  [[maybe_unused]] const bool written =
      ::ftruncate(file, 0) == 0 && ::pwrite(file, line.data(), line.size(), 0) >= 0;
}

/// Nobody else writes here now, so the temporary files of AtomicFile belong to killed processes.
void remove_leftovers(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::directory_iterator entry(folder, error), end;
  for (; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename();
    if (!name.starts_with(".foresight-") || !name.ends_with(".tmp")) continue;
    std::error_code ignored;  // the next holder tries again
    std::filesystem::remove(entry->path(), ignored);
  }
}

}  // namespace

FolderLock::FolderLock(const std::filesystem::path& folder) {
  make_folders(folder);
  const std::filesystem::path path = folder / ".lock";
  file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file_ < 0) {
    fail(ErrorCode::kIo, "cannot write {}: {}", path.string(),
         std::generic_category().message(errno));
  }
  if (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return;  // a file system without locks
    const std::string who = holder(file_);
    ::close(file_);
    fail(ErrorCode::kUsage, "{}: {} is writing this folder; wait for it, or choose another folder",
         folder.string(), who);
  }
  write(file_, this_process() + "\n");
  remove_leftovers(folder);
}

FolderLock::~FolderLock() {
  write(file_, "");
  ::close(file_);
}

}  // namespace foresight
