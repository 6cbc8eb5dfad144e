// Spec strings: `name(key=value,...)` names every source, policy, model and trainer, on the command
// line, in files and in code.
//
// An option is described once, where it is read. Validation, help and docs come from there:
//
//   struct ErdosRenyiOptions {
//     int u = 10;
//     double p = 0.1;
//     void read(OptionReader& o) {
//       o.integer("u", u, 1, kMaxNodes, "fixed nodes");
//       o.real("p", p, 0, 1, "probability of an edge");
//     }
//   };
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace foresight {

/// A parsed spec string. Values may be quoted with "..." and may contain balanced parentheses, so
/// that one spec can be the value of another's key.
struct Spec {
  std::string name;
  std::vector<std::pair<std::string, std::string>> values;

  /// Throws Error(kUsage) that says what is wrong and where.
  static Spec parse(std::string_view text);

  /// The spec as text again, in the same order; `parse(to_string())` gives an equal spec.
  std::string to_string() const;

  friend bool operator==(const Spec&, const Spec&) = default;
};

/// What help and docs show of one option.
struct OptionInfo {
  std::string name;
  std::string default_value;
  std::string range;
  std::string text;
};

/// Reads the options of one entry into fields that hold the defaults, and collects what help shows.
/// `owner` is what errors call the entry, such as: source "er"
class OptionReader {
 public:
  OptionReader(Spec spec, std::string owner);

  void integer(std::string_view name, int& field, int min, int max, std::string_view text);
  void real(std::string_view name, double& field, double min, double max, std::string_view text);
  void text(std::string_view name, std::string& field, std::string_view text);
  /// One of a few words; `field` holds the default.
  void choice(std::string_view name, std::string& field, std::vector<std::string> words,
              std::string_view text);

  /// Whether the spec sets this option.
  bool given(std::string_view name) const { return find(name) != nullptr; }

  /// Throws Error(kUsage) that lists the known keys if the spec has a key that was not read.
  void finish() const;

  const std::vector<OptionInfo>& options() const { return options_; }
  const std::string& owner() const { return owner_; }

 private:
  const std::string* find(std::string_view name) const;
  [[noreturn]] void reject(std::string_view name, std::string_view value,
                           const std::string& expected) const;

  Spec spec_;
  std::string owner_;
  std::vector<OptionInfo> options_;
};

}  // namespace foresight
