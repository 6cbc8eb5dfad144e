// Registries: explicit tables of everything that can be named in a spec string.
//
//   const std::unique_ptr<Policy> policy = policies().make("greedy-t(threshold=0.3)");
//
// A folder lists its entries in `registry.inc`, one per line. Each entry is a function defined next
// to the class it makes. (A linker would drop static initialisers from a static library.)
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/ranges.h>

#include "foresight/base/error.h"
#include "foresight/base/options.h"

namespace foresight {

/// One thing that can be made from a spec string.
template <typename T>
struct Entry {
  std::string name;
  std::string summary;
  std::function<void(OptionReader&)> describe;
  std::function<std::unique_ptr<T>(OptionReader&)> make;
};

/// An entry for a class that is constructed from a struct of options with a `read(OptionReader&)`.
template <typename T, typename Class, typename Options>
Entry<T> make_entry(std::string name, std::string summary) {
  return {std::move(name), std::move(summary), [](OptionReader& reader) { Options().read(reader); },
          [](OptionReader& reader) -> std::unique_ptr<T> {
            Options options;
            options.read(reader);
            reader.finish();
            return std::make_unique<Class>(std::move(options));
          }};
}

/// For classes without options.
struct NoOptions {
  void read(OptionReader&) {}
};

template <typename T>
class Registry {
 public:
  Registry(std::string kind, std::vector<Entry<T>> entries)
      : kind_(std::move(kind)), entries_(std::move(entries)) {}

  /// Makes what the spec names. Throws Error(kUsage) that lists all names if it is not among them.
  std::unique_ptr<T> make(std::string_view text) const {
    Spec spec = Spec::parse(text);
    const Entry<T>& entry = find(spec.name);
    OptionReader reader(std::move(spec), kind_ + " \"" + entry.name + "\"");
    return entry.make(reader);
  }

  const Entry<T>& find(std::string_view name) const {
    for (const Entry<T>& entry : entries_) {
      if (entry.name == name) return entry;
    }
    std::vector<std::string> names;
    for (const Entry<T>& entry : entries_) names.push_back(entry.name);
    fail(ErrorCode::kUsage, "there is no {} \"{}\"; there are: {}", kind_, name,
         fmt::join(names, ", "));
  }

  std::vector<OptionInfo> options(const Entry<T>& entry) const {
    OptionReader reader(Spec{entry.name, {}}, kind_);
    entry.describe(reader);
    return reader.options();
  }

  const std::string& kind() const { return kind_; }
  const std::vector<Entry<T>>& entries() const { return entries_; }

 private:
  std::string kind_;
  std::vector<Entry<T>> entries_;
};

}  // namespace foresight
