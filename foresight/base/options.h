// Spec strings: `name(key=value,...)` names every source, policy, model and trainer, on the command
// line, in files and in code.
//
// An option is described in one place, where it is read; validation, help and docs come from there.
// That holds for the options in a spec and for those of whole operations such as training:
//
//   struct ErdosRenyiOptions {
//     int u = 10;
//     double p = 0.1;
//     void read(OptionReader& o) {
//       o.integer("u", u, 1, kMaxNodes, "fixed nodes");
//       o.real("p", p, 0, 1, "probability of an edge");
//     }
//   };
//
//   OptionReader reader(Spec::parse("er(u=05)"), "source \"er\"");
//   ErdosRenyiOptions options;
//   options.read(reader);
//   reader.finish();
//   reader.values();  // {{"u", "5"}, {"p", "0.1"}}
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace foresight {

class Progress;

/// What stands before the parentheses of a spec, if it is one.
std::string_view spec_name(std::string_view text);

/// Is this a name that a spec can have? Letters, digits, '-' and '_'.
bool is_spec_name(std::string_view text);

/// A parsed spec string. Values may be quoted with "..." and may contain balanced parentheses, so
/// that one spec can be the value of another's key.
struct Spec {
  std::string name;
  std::vector<std::pair<std::string, std::string>> values;

  /// Throws Error(kUsage) that says what is wrong and where.
  static Spec parse(std::string_view text);

  /// The spec as text again, in the same order; `parse(to_string())` gives an equal spec.
  std::string to_string() const;

  /// With its keys in alphabetical order, also inside values that are specs with parentheses.
  Spec sorted() const;

  friend bool operator==(const Spec&, const Spec&) = default;
};

/// What help and docs show of one option.
struct OptionInfo {
  std::string name;
  std::string default_value;
  std::string range;
  std::string text;
  bool path = false;  // does it name a file or folder, which may have other names?
};

/// A whole number, or all whole numbers from `low` to `high`: `30` or `60..120`.
struct IntRange {
  IntRange(int number) : low(number), high(number) {}  // NOLINT: a number is a range
  IntRange(int least, int most) : low(least), high(most) {}

  int low, high;

  bool is_number() const { return low == high; }
  friend bool operator==(const IntRange&, const IntRange&) = default;
};

/// How errors call an option.
using OptionNaming = std::function<std::string(std::string_view name)>;

/// Passes over the options of one entry or operation: reads given values into fields whose initial
/// values are the defaults, and collects what help shows. A field that ends up out of range is
/// refused with Error(kUsage), be it given or set by hand before. Numbers are decimal.
class OptionReader {
 public:
  /// `owner` is how errors call the entry, e.g. `source "er"`; `naming` how they call an option,
  /// e.g. `--epochs`, without it `option "u"`.
  OptionReader(Spec spec, std::string owner, OptionNaming naming = {});

  void integer(std::string_view name, int& field, int min, int max, std::string_view text);
  void count(std::string_view name, std::uint64_t& field, std::uint64_t min, std::uint64_t max,
             std::string_view text);
  /// A number in [min, max], or LOW..HIGH with 1 <= LOW <= HIGH <= max.
  void range(std::string_view name, IntRange& field, int min, int max, std::string_view text);
  void real(std::string_view name, double& field, double min, double max, std::string_view text);
  /// A number that may be left out. Its default is nothing, which is also what "" means.
  void real(std::string_view name, std::optional<double>& field, double min, double max,
            std::string_view text);
  void text(std::string_view name, std::string& field, std::string_view text);
  /// A text that names a file or folder.
  void path(std::string_view name, std::string& field, std::string_view text);
  /// One of a few words; `field` holds the default.
  void choice(std::string_view name, std::string& field, std::vector<std::string> words,
              std::string_view text);

  /// Options that many operations share.
  void seed(std::uint64_t& field);
  void threads(int& field);

  /// Whether an option that was read differs from its default. To spell out a default means the
  /// same as to leave it out.
  bool given(std::string_view name) const;

  /// Throws Error(kUsage) that lists the known keys if the spec has a key that was not read.
  void finish() const;

  const std::vector<OptionInfo>& options() const { return options_; }
  const std::string& owner() const { return owner_; }

  /// Every option that was read, in that order, with its final value. Equal values have equal
  /// text: numbers are in their shortest form.
  std::vector<std::pair<std::string, std::string>> values() const { return values_; }

  /// For what is made with these options, if making it takes long.
  Progress& progress() const { return *progress_; }
  void set_progress(Progress& progress) { progress_ = &progress; }

 private:
  const std::string* find(std::string_view name) const;
  void declare(std::string_view name, std::string value, std::string range, std::string_view text);
  template <typename T>
  void whole_number(std::string_view name, T& field, T min, T max, std::string_view text);
  double checked_real(std::string_view name, const std::string& value, double min,
                      double max) const;
  [[noreturn]] void reject(std::string_view name, std::string_view value,
                           const std::string& expected) const;

  Spec spec_;
  std::string owner_;
  OptionNaming naming_;
  Progress* progress_;
  std::vector<OptionInfo> options_;
  std::vector<std::pair<std::string, std::string>> values_;
};

/// The least value of a real that may be anything above 0.
inline constexpr double kAboveZero = std::numeric_limits<double>::denorm_min();

/// Throws Error(kUsage) naming option, range and value if a field of a struct of options is out of
/// range; for structs that were filled by hand. `owner` is what they are for, e.g. `train`.
template <typename Options>
void check(Options options, std::string owner) {
  OptionReader reader({}, std::move(owner),
                      [](std::string_view name) { return std::string(name); });
  options.read(reader);
}

}  // namespace foresight
