// A file that appears whole or not at all.
//
//   AtomicFile file("run/result.json");
//   file.write(text);                     // as often as needed
//   file.commit();                        // only now does run/result.json change
//
// Bytes go to a temporary file on the target's file system. `commit` syncs it, renames it over the
// target and syncs the folder. So after a crash or a power cut the target holds its old content or
// its new content, never a part. Without `commit` (say, an exception) the target stays untouched.
// The temporary file has no name until `commit`, so a killed process leaves nothing behind. Only
// when it dies within `commit`, or the file system has no files without a name, may a
// `.foresight-*.tmp` stay in the folder; FolderLock removes those.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace foresight {

class AtomicFile {
 public:
  /// The folder must exist. An existing target keeps its permissions; a symbolic link is followed.
  /// All functions throw Error(kIo) that names the target and the system's reason.
  explicit AtomicFile(std::filesystem::path target);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);
  /// Call it at most once. Nothing may be written after it.
  void commit();

 private:
  AtomicFile() = default;
  template <typename Make>
  void name_temporary(Make make);  // calls make(name) with other names until one is free
  [[noreturn]] void fail_errno() const;

  std::filesystem::path target_;
  std::string temporary_;  // its name in the folder; empty while it has none
  int folder_ = -1;
  int file_ = -1;
};

/// The whole text in one call.
void write_file_atomically(const std::filesystem::path& target, std::string_view text);

}  // namespace foresight
