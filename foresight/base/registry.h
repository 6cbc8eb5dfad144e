// Registries: tables of everything that can be named in a spec string.
//
// A folder lists its entries in `registry.inc`, one line each; each entry is a function defined
// beside the class it makes. (Static initialisers would vanish from a static library.) Programs add
// entries of their own while they run:
//
//   sources().add(make_entry<Source, MySource, MyOptions>("mine", "instances of our own"));
//   std::shared_ptr<Source> source = sources().make("mine(u=10)");
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <fmt/ranges.h>

#include "foresight/base/error.h"
#include "foresight/base/options.h"
#include "foresight/base/progress.h"

namespace foresight {

/// One thing that can be made from a spec string.
template <typename T>
struct Entry {
  std::string name;
  std::string summary;
  std::function<void(OptionReader&)> describe;
  std::function<std::shared_ptr<T>(OptionReader&)> make;
};

/// An entry for a class that is constructed from a struct of options with a `read(OptionReader&)`,
/// and from a Progress& after it if the class takes one.
template <typename T, typename Class, typename Options>
Entry<T> make_entry(std::string name, std::string summary) {
  return {std::move(name), std::move(summary), [](OptionReader& reader) { Options().read(reader); },
          [](OptionReader& reader) -> std::shared_ptr<T> {
            Options options;
            options.read(reader);
            reader.finish();
            if constexpr (std::is_constructible_v<Class, Options, Progress&>) {
              return std::make_shared<Class>(std::move(options), reader.progress());
            } else {
              return std::make_shared<Class>(std::move(options));
            }
          }};
}

/// For classes without options.
struct NoOptions {
  void read(OptionReader&) {}
};

/// Safe to use from many threads. Entries are never removed, so references to them stay valid.
template <typename T>
class Registry {
 public:
  Registry(std::string kind, std::vector<Entry<T>> entries) : kind_(std::move(kind)) {
    for (Entry<T>& entry : entries) add(std::move(entry));
  }

  /// Throws Error(kUsage) if the name is taken or cannot stand in a spec.
  void add(Entry<T> entry) {
    if (!is_spec_name(entry.name)) {
      fail(ErrorCode::kUsage, "a {} cannot be called \"{}\": use letters, digits, '-' and '_'",
           kind_, entry.name);
    }
    if (!entry.describe || !entry.make) {
      fail(ErrorCode::kUsage, "{} needs functions that describe and make it", owner(entry));
    }
    const std::unique_lock lock(mutex_);
    if (lookup(entry.name)) fail(ErrorCode::kUsage, "there is a {} already", owner(entry));
    entries_.push_back(std::move(entry));
  }

  /// Makes what the spec names, or throws Error(kUsage) listing the names there are.
  std::shared_ptr<T> make(std::string_view text, Progress& progress = no_progress()) const {
    Spec spec = Spec::parse(text);
    const Entry<T>& entry = find(spec.name);
    OptionReader reader(std::move(spec), owner(entry));
    reader.set_progress(progress);
    return entry.make(reader);
  }

  /// The spec with all options, in the order in which they are declared: the same text for all
  /// specs that mean the same. Refuses options as `make` does, but makes nothing.
  std::string canonical(std::string_view text) const {
    Spec spec = Spec::parse(text);
    const Entry<T>& entry = find(spec.name);
    OptionReader reader(spec.sorted(), owner(entry));
    entry.describe(reader);
    reader.finish();
    return Spec{entry.name, reader.values()}.to_string();
  }

  /// The options in which two specs of one entry differ; nothing if they name different entries.
  std::optional<std::vector<OptionInfo>> differing(std::string_view a, std::string_view b) const {
    const Spec one = Spec::parse(canonical(a)), other = Spec::parse(canonical(b));
    if (one.name != other.name) return std::nullopt;
    std::vector<OptionInfo> all = options(find(one.name));
    std::erase_if(all, [&](const OptionInfo& option) {
      const auto has = [&](const auto& given) { return given.first == option.name; };
      const auto x = std::ranges::find_if(one.values, has);
      const auto y = std::ranges::find_if(other.values, has);
      return (x == one.values.end()) == (y == other.values.end()) &&
             (x == one.values.end() || x->second == y->second);
    });
    return all;
  }

  /// Does the text name an entry, before an optional '('? Never throws.
  bool knows(std::string_view text) const {
    const std::shared_lock lock(mutex_);
    return lookup(spec_name(text)) != nullptr;
  }

  const Entry<T>& find(std::string_view name) const {
    const std::shared_lock lock(mutex_);
    if (const Entry<T>* entry = lookup(name)) return *entry;
    fail(ErrorCode::kUsage, "there is no {} \"{}\"; there are: {}", kind_, name, list());
  }

  std::vector<OptionInfo> options(const Entry<T>& entry) const {
    OptionReader reader(Spec{entry.name, {}}, owner(entry));
    entry.describe(reader);
    return reader.options();
  }

  const std::string& kind() const { return kind_; }

  /// All names, for a person.
  std::string names() const {
    const std::shared_lock lock(mutex_);
    return list();
  }

  /// Those there are now, in the order in which they were added.
  std::vector<Entry<T>> entries() const {
    const std::shared_lock lock(mutex_);
    return {entries_.begin(), entries_.end()};
  }

 private:
  /// How errors call it.
  std::string owner(const Entry<T>& entry) const { return kind_ + " \"" + entry.name + "\""; }

  // With the mutex held:
  std::string list() const {
    std::vector<std::string> names;
    for (const Entry<T>& entry : entries_) names.push_back(entry.name);
    return fmt::format("{}", fmt::join(names, ", "));
  }
  const Entry<T>* lookup(std::string_view name) const {
    for (const Entry<T>& entry : entries_) {
      if (entry.name == name) return &entry;
    }
    return nullptr;
  }

  std::string kind_;
  mutable std::shared_mutex mutex_;
  std::deque<Entry<T>> entries_;  // keeps its entries in place as it grows
};

}  // namespace foresight
