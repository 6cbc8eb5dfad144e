// The one exception type of the library, and how to throw it.
//
//   if (p > 1) fail(ErrorCode::kUsage, "option \"p\" must be at most 1, got {}", p);
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace foresight {

enum class ErrorCode {
  kUsage,      // the caller asked for something that does not exist or is out of range
  kData,       // a file or an instance breaks its format's rules
  kIo,         // the operating system refused: missing file, full disk, no permission
  kCancelled,  // the user interrupted a long run; what was finished is kept
};

/// Thrown at every boundary. `what()` is one sentence for a person: it names the file, line, field
/// and value concerned and what was expected instead.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ErrorCode code() const { return code_; }

 private:
  ErrorCode code_;
};

/// Throws an Error with a formatted message.
template <typename... Args>
[[noreturn]] void fail(ErrorCode code, fmt::format_string<Args...> format, Args&&... args) {
  throw Error(code, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace foresight
