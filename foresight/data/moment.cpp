#include <charconv>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "foresight/data/moment_internal.h"

namespace foresight {
namespace {

constexpr double kSecondsPerDay = 86'400;
constexpr double kSecondsPerHour = 3'600;

/// Takes exactly so many digits off the text.
std::optional<int> take_digits(std::string_view& text, std::size_t count) {
  if (text.size() < count) return {};
  int number = 0;
  for (const char c : text.substr(0, count)) {
    if (c < '0' || c > '9') return {};
    number = 10 * number + (c - '0');
  }
  text.remove_prefix(count);
  return number;
}

bool take(std::string_view& text, char expected) {
  if (!text.starts_with(expected)) return false;
  text.remove_prefix(1);
  return true;
}

/// Seconds since midnight, of HH:MM or HH:MM:SS at the start of the text.
std::optional<int> take_clock(std::string_view& text) {
  const auto hour = take_digits(text, 2);
  if (!hour || !take(text, ':')) return {};
  const auto minute = take_digits(text, 2);
  std::optional<int> second = 0;
  if (take(text, ':')) second = take_digits(text, 2);
  if (!minute || !second || *hour > 23 || *minute > 59 || *second > 59) return {};
  return 3600 * *hour + 60 * *minute + *second;
}

std::optional<Moment> parse_date(std::string_view text) {
  const auto year = take_digits(text, 4);
  if (!year || !take(text, '-')) return {};
  const auto month = take_digits(text, 2);
  if (!month || !take(text, '-')) return {};
  const auto day = take_digits(text, 2);
  if (!day) return {};
  const std::chrono::year_month_day date(std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day)));
  if (!date.ok()) return {};
  const auto days = std::chrono::sys_days(date).time_since_epoch().count();
  Moment moment{Moment::Kind::kDate, kSecondsPerDay * static_cast<double>(days)};
  if (text.empty()) return moment;
  if (!take(text, ' ') && !take(text, 'T')) return {};
  const auto seconds = take_clock(text);
  if (!seconds) return {};
  moment.order += *seconds;
  if (take(text, 'Z')) moment.kind = Moment::Kind::kUtcDate;
  if (!text.empty()) return {};
  return moment;
}

}  // namespace

std::optional<Moment> Moment::parse(std::string_view text) {
  Moment moment;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), moment.order);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  if (is_number && std::isfinite(moment.order)) return moment;
  return parse_date(text);
}

std::string Moment::day() const {
  const std::chrono::sys_days days(
      std::chrono::days(static_cast<int>(std::floor(order / kSecondsPerDay))));
  const std::chrono::year_month_day date(days);
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

double Moment::clock() const {
  if (kind == Kind::kNumber) return order;
  return (order - kSecondsPerDay * std::floor(order / kSecondsPerDay)) / kSecondsPerHour;
}

}  // namespace foresight
