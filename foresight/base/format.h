// Text for people: numbers with units, the width of text on a screen, and what a terminal can show.
//
//   human_count(1234567)              "1,234,567"
//   human_rate(18234, "instances")    "18.2k instances/s"
//   human_duration(3725)              "1h 02m"
//   human_bytes(1536)                 "1.50 KiB"
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace foresight {

/// Digits in groups of three.
std::string human_count(std::int64_t count);

/// Three significant digits and k, M, G, ... Slow rates are given per minute or per hour.
std::string human_rate(double per_second, std::string_view unit);

/// At most two units: "850 ns", "1.2 ms", "42 s", "3m 07s", "2h 05m", "3d 04h". Negative durations
/// are shown as "0 s".
std::string human_duration(double seconds);

/// Binary units: "512 B", "1.50 KiB", "20.3 GiB".
std::string human_bytes(std::uint64_t bytes);

/// The columns that UTF-8 text takes on a screen: one per code point, none for control characters,
/// combining accents and colour codes. Wide (East Asian) characters count as one.
std::size_t display_width(std::string_view text);

/// The longest prefix of whole characters that fits into `columns`.
std::string_view clip_to_width(std::string_view text, std::size_t columns);

/// What a stream can show.
struct TerminalStyle {
  bool interactive = false;  // a terminal that can redraw a line; TERM=dumb cannot
  bool color = false;        // interactive, and NO_COLOR is unset or empty
  bool unicode = false;      // the locale (LC_ALL, LC_CTYPE, LANG) is UTF-8
  std::size_t width = 80;    // columns
};
TerminalStyle detect_terminal(std::FILE* stream);

}  // namespace foresight
