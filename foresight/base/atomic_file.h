// A file that appears whole or not at all.
//
//   AtomicFile file("run/result.json");
//   file.write(text);                     // as often as needed
//   file.commit();                        // only now does run/result.json change
//
// Bytes go to a temporary file in the target's folder. `commit` syncs it, renames it over the
// target and syncs the folder, so after a crash or a power cut the target holds its old content or
// its new content, never a part. Without `commit` (say, an exception) the temporary file is removed
// and the target stays untouched. A process killed half-way leaves a `.foresight-*.tmp` behind.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace foresight {

class AtomicFile {
 public:
  /// The folder must exist. An existing target keeps its permissions, and one that is a symbolic
  /// link is followed. Everything here throws Error(kIo) naming the target and the system's reason.
  explicit AtomicFile(std::filesystem::path target);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);
  /// At most once, and nothing may be written after it.
  void commit();

 private:
  AtomicFile() = default;
  [[noreturn]] void fail_errno() const;

  std::filesystem::path target_;
  std::string temporary_;  // a name in the folder; empty while there is nothing to remove
  int folder_ = -1;
  int file_ = -1;
};

/// The whole text in one call.
void write_file_atomically(const std::filesystem::path& target, std::string_view text);

}  // namespace foresight
