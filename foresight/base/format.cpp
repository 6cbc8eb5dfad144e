#include "foresight/base/format.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <initializer_list>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace foresight {
namespace {

// A value below 1000 with this many significant digits, never with an exponent.
std::string significant(double value, int digits) {
  int decimals = digits - 1;
  // A value that is rounded up to `limit` has one more digit before the point.
  for (double limit = 10; decimals > 0 && value >= limit - 0.5 * std::pow(10, -decimals);
       limit *= 10) {
    --decimals;
  }
  return fmt::format("{:.{}f}", value, decimals);
}

// Divides by `base` until the value is below 1000, and appends the suffix reached.
std::string scaled(double value, double base, int digits,
                   std::initializer_list<std::string_view> suffixes) {
  auto suffix = suffixes.begin();
  for (; value >= 999.5 && suffix + 1 != suffixes.end(); ++suffix) value /= base;
  return significant(value, digits).append(*suffix);
}

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

bool locale_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string_view value = environment(name);
    if (value.empty()) continue;
    for (const char* spelling : {"UTF-8", "utf-8", "UTF8", "utf8"}) {
      if (value.find(spelling) != value.npos) return true;
    }
    return false;
  }
  return false;
}

// The first character of a text: its length in bytes, and the columns it takes.
struct Glyph {
  std::size_t bytes;
  std::size_t columns;
};

Glyph first_glyph(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (text.starts_with("\x1b[")) {  // a colour code ends with a letter
    std::size_t end = 2;
    while (end < text.size() && (byte(end) < 0x40 || byte(end) > 0x7e)) ++end;
    return {std::min(end + 1, text.size()), 0};
  }
  if (byte(0) < 0x20 || byte(0) == 0x7f) return {1, 0};
  std::size_t bytes = 1;
  while (bytes < text.size() && (byte(bytes) & 0xc0) == 0x80) ++bytes;
  // Combining accents are U+0300 to U+036F, encoded as CC 80 to CD AF.
  const bool combining = bytes == 2 && (byte(0) == 0xcc || (byte(0) == 0xcd && byte(1) < 0xb0));
  return {bytes, combining ? 0u : 1u};
}

}  // namespace

std::string human_count(std::int64_t count) {
  std::string text = fmt::format("{}", count);
  const std::size_t first_digit = count < 0 ? 1 : 0;
  for (std::size_t i = text.size(); i > first_digit + 3;) text.insert(i -= 3, 1, ',');
  return text;
}

std::string human_rate(double per_second, std::string_view unit) {
  if (!(per_second > 0)) return fmt::format("0 {}/s", unit);
  double rate = per_second;
  std::string_view period = "s";
  if (rate < 0.1) rate *= 60, period = "min";
  if (rate < 0.1) rate *= 60, period = "h";
  return fmt::format("{} {}/{}", scaled(rate, 1000, 3, {"", "k", "M", "G", "T"}), unit, period);
}

std::string human_duration(double seconds) {
  if (!std::isfinite(seconds)) return "unknown";
  if (seconds <= 0) return "0 s";
  if (seconds < 59.5) return scaled(seconds * 1e9, 1000, 2, {" ns", " us", " ms", " s"});
  // Rounded in the smaller of the two units shown, so that 59 min 59.9 s becomes "1h 00m".
  const double whole_seconds = std::round(seconds);
  if (whole_seconds < 3600) {
    return fmt::format("{}m {:02}s", std::floor(whole_seconds / 60), std::fmod(whole_seconds, 60));
  }
  const double minutes = std::round(seconds / 60);
  if (minutes < 24 * 60) {
    return fmt::format("{}h {:02}m", std::floor(minutes / 60), std::fmod(minutes, 60));
  }
  const double hours = std::round(seconds / 3600);
  return fmt::format("{}d {:02}h", std::floor(hours / 24), std::fmod(hours, 24));
}

std::string human_bytes(std::uint64_t bytes) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  return scaled(static_cast<double>(bytes) / 1024, 1024, 3,
                {" KiB", " MiB", " GiB", " TiB", " PiB", " EiB"});
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const auto [bytes, columns] = first_glyph(text);
    width += columns;
    text.remove_prefix(bytes);
  }
  return width;
}

std::string_view clip_to_width(std::string_view text, std::size_t columns) {
  std::size_t end = 0;
  while (end < text.size()) {
    const Glyph next = first_glyph(text.substr(end));
    if (next.columns > columns) break;
    columns -= next.columns;
    end += next.bytes;
  }
  return text.substr(0, end);
}

TerminalStyle detect_terminal(std::FILE* stream) {
  TerminalStyle style;
  const int descriptor = fileno(stream);
  style.interactive = isatty(descriptor) == 1 && environment("TERM") != "dumb";
  style.color = style.interactive && environment("NO_COLOR").empty();
  style.unicode = locale_is_utf8();
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) style.width = size.ws_col;
  return style;
}

}  // namespace foresight
