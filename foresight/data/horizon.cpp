#include "foresight/data/horizon.h"

#include <charconv>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "foresight/base/error.h"

namespace foresight {
namespace {

constexpr std::string_view kExpectedPrefix = "expected(";

/// How far beyond `a` a standard normal number is on average, given that it is beyond `a`.
double mean_excess(double a) {
  // Beyond this the difference below loses its digits, and the continued fraction converges fast.
  constexpr double kFar = 3;
  if (a < kFar) {
    const double density = std::exp(-a * a / 2) / std::sqrt(2 * std::numbers::pi);
    return density / (std::erfc(a / std::numbers::sqrt2) / 2) - a;
  }
  double fraction = a;
  for (int k = 40; k >= 2; --k) fraction = a + k / fraction;
  return 1 / fraction;
}

}  // namespace

Horizon Horizon::from_past(std::span<const int> lengths) {
  if (lengths.empty()) return expected(0, 0);
  const auto count = static_cast<double>(lengths.size());
  double mean = 0, squares = 0;
  for (const int length : lengths) mean += length;
  mean /= count;
  for (const int length : lengths) squares += (length - mean) * (length - mean);
  return expected(mean, std::sqrt(squares / std::max(1.0, count - 1)));
}

double Horizon::guess(int passed) const {
  const double current = passed + 1.0;
  if (kind_ == Kind::kUnknown) return current;
  if (deviation_ <= 0) return std::max(0.0, arrivals_ - current);
  return deviation_ * mean_excess((current - arrivals_) / deviation_);
}

std::string Horizon::to_string() const {
  switch (kind_) {
    case Kind::kKnown:
      return "known";
    case Kind::kExpected:
      return fmt::format("{}{},{})", kExpectedPrefix, arrivals_, deviation_);
    default:
      return "unknown";
  }
}

Horizon Horizon::parse(std::string_view text) {
  if (text == "known") return {};
  if (text == "unknown") return unknown();
  const auto read = [](std::string_view& rest, char end, double& value) {
    const auto [stop, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    const auto used = static_cast<std::size_t>(stop - rest.data());
    if (error != std::errc() || used == rest.size() || rest[used] != end) return false;
    rest.remove_prefix(used + 1);
    return std::isfinite(value) && value >= 0;
  };
  if (text.starts_with(kExpectedPrefix)) {
    std::string_view rest = text.substr(kExpectedPrefix.size());
    double mean = 0, deviation = 0;
    if (read(rest, ',', mean) && read(rest, ')', deviation) && rest.empty()) {
      return expected(mean, deviation);
    }
  }
  fail(ErrorCode::kData,
       "the horizon is \"{}\"; expected known, unknown or expected(MEAN,DEVIATION) with numbers "
       ">= 0",
       text);
}

std::string Horizon::describe() const {
  if (kind_ != Kind::kExpected) return to_string();
  return fmt::format("expected, {:.4g} +- {:.2g}", arrivals_, deviation_);
}

}  // namespace foresight
