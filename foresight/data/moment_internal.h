// When something happened, as tables write it: a number, or a date with or without the time of day.
//
//   const auto moment = Moment::parse("2024-03-05 13:30");
//   moment->day();    // "2024-03-05"
//   moment->clock();  // 13.5
//
// Dates are YYYY-MM-DD, YYYY-MM-DD HH:MM or YYYY-MM-DD HH:MM:SS, with a space or a T between date
// and time. A Z at the end says that the clock is UTC. There are no other zones.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace foresight {

struct Moment {
  enum class Kind { kNumber, kDate, kUtcDate };

  Kind kind = Kind::kNumber;
  double order = 0;  // the number itself, or seconds since 1970

  /// Nothing if the text is neither a finite number nor a date that exists.
  static std::optional<Moment> parse(std::string_view text);

  bool is_date() const { return kind != Kind::kNumber; }
  /// Of a date: the calendar day as YYYY-MM-DD.
  std::string day() const;
  /// The hour of the day with its fraction, or the number itself.
  double clock() const;
};

}  // namespace foresight
