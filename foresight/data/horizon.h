// What a policy is told about the number of arrivals: the number, what to expect, or nothing.
//
//   Horizon::known(30)           there will be 30
//   Horizon::expected(84, 22)    84 on average, give or take 22
//   Horizon::unknown()
//   market.horizon.to_come(10)   how many follow the arrival after the first 10, as far as one knows
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

namespace foresight {

class Horizon {
 public:
  enum class Kind { kKnown, kExpected, kUnknown };

  Horizon() = default;
  static Horizon known(int arrivals) { return {Kind::kKnown, static_cast<double>(arrivals), 0}; }
  /// Both finite and >= 0.
  static Horizon expected(double mean, double deviation) {
    return {Kind::kExpected, mean, deviation};
  }
  static Horizon unknown() { return {Kind::kUnknown, 0, 0}; }
  /// What to expect if these were the numbers of arrivals in the past.
  static Horizon from_past(std::span<const int> lengths);

  Kind kind() const { return kind_; }
  bool is_known() const { return kind_ == Kind::kKnown; }
  bool is_expected() const { return kind_ == Kind::kExpected; }
  /// The number or the mean; 0 if unknown.
  double arrivals() const { return arrivals_; }
  double deviation() const { return deviation_; }

  /// The arrivals that are expected to follow the current one, before which `passed` have come:
  ///   known     exactly those
  ///   expected  the mean of a normal number of arrivals, given that so many have come
  ///   unknown   as many as have come: of all lengths, each is as likely to be half over as not
  double to_come(int passed) const {
    if (kind_ == Kind::kKnown) return std::max(0.0, arrivals_ - passed - 1);
    return guess(passed);
  }
  /// The number of arrivals in all, as far as one knows when `passed` have come.
  double total(int passed) const {
    return kind_ == Kind::kKnown ? arrivals_ : passed + 1 + guess(passed);
  }

  /// "known", "expected(84.25,21.5)" or "unknown", and back. The number that is known differs from
  /// instance to instance and is not written. Parsing throws Error(kData) for anything else.
  std::string to_string() const;
  static Horizon parse(std::string_view text);
  /// For people: "known", "expected, 84.25 +- 22", "unknown".
  std::string describe() const;

  friend bool operator==(const Horizon&, const Horizon&) = default;

 private:
  Horizon(Kind kind, double arrivals, double deviation)
      : kind_(kind), arrivals_(arrivals), deviation_(deviation) {}
  double guess(int passed) const;

  Kind kind_ = Kind::kKnown;
  double arrivals_ = 0;
  double deviation_ = 0;
};

}  // namespace foresight
