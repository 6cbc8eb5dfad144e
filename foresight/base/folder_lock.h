// One process writes a folder at a time.
//
//   const FolderLock lock("runs/a");   // until the end of the scope
//
// The lock is the kernel's, on the file `.lock` in the folder, so it ends with its process however
// that ends. The file stays; it names the holder to people, and is empty when there is none.
// Readers need no lock: files are put in place whole (see AtomicFile).
#pragma once

#include <filesystem>

namespace foresight {

class FolderLock {
 public:
  /// Makes the folder if it is missing, and removes what a killed writer left half-written there.
  /// Throws Error(kUsage) that names the holder when the folder is locked, even by this process,
  /// and Error(kIo) when the system refuses. On a file system that has no locks there is none.
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int file_;
};

}  // namespace foresight
