// One process writes a folder at a time.
//
//   const FolderLock lock("runs/a");   // until the end of the scope
//
// The kernel keeps the lock, on the file `.lock` in the folder. So the lock ends with its process,
// even if that is killed. The file stays and tells people who holds the lock; after a release it is
// empty. Readers need no lock, because files appear whole (see AtomicFile).
#pragma once

#include <filesystem>

namespace foresight {

class FolderLock {
 public:
  /// Makes the folder if it is missing, and removes the temporary files that a killed writer left.
  /// Throws Error(kUsage) that names the holder if the folder is locked, even by this process, and
  /// Error(kIo) if the system refuses. A file system without locks cannot protect the folder.
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int file_;
};

}  // namespace foresight
