// A whole file as read-only memory, without a copy, and how to quote a piece of it in an error.
//
//   MappedFile file("edges.csv");
//   std::string_view text = file.text();   // valid while `file` lives
//
// The file must not be shortened while it is mapped: reading past its new end would raise SIGBUS.
// AtomicFile never does that; it puts a new file in place and leaves the mapped one as it was.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace foresight {

class MappedFile {
 public:
  /// Throws Error(kIo) that names the path if it is missing, unreadable or not a regular file.
  explicit MappedFile(std::filesystem::path path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// All bytes of the file. The memory starts at a page boundary.
  std::string_view text() const { return text_; }

 private:
  std::filesystem::path path_;
  std::string_view text_;
};

/// Says that this process reads the file, so that `was_read` knows it. A MappedFile says so itself.
void note_read(const std::filesystem::path& path);

/// Has this process read the file, under whatever name?
bool was_read(const std::filesystem::path& path);

/// Untrusted text for an error message: in quotes, with unprintable bytes escaped, cut if long.
std::string excerpt(std::string_view text);

}  // namespace foresight
