#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "foresight/base/error.h"
#include "foresight/base/options.h"
#include "foresight/data/source.h"
#include "foresight/report/names_internal.h"

namespace foresight {
namespace {

/// The name of a spec, or the last `parts` components of a path.
std::string short_name(const std::string& name, int parts) {
  const std::size_t bracket = name.find('(');
  if (bracket != std::string::npos) return name.substr(0, bracket);
  std::filesystem::path path(name);
  // "runs/a/" ends in an empty component. In "runs/a/best.safetensors" only the run matters.
  if (!path.has_filename()) path = path.parent_path();
  if (path.extension() == ".safetensors" && path.has_parent_path()) path = path.parent_path();
  std::filesystem::path last;
  for (int i = 0; i < parts && path.has_filename(); ++i, path = path.parent_path()) {
    last = last.empty() ? path.filename() : path.filename() / last;
  }
  return last.string();
}

/// A spec without its size, and the size; nothing for a spec without sizes.
struct Sized {
  std::string rest, size;
};
Sized split_size(const std::string& text) {
  try {
    Spec spec = Spec::parse(text);
    std::string u, v;
    for (const auto& [key, value] : spec.values) {
      if (key == "u") u = value;
      if (key == "v") v = value;
    }
    if (u.empty() || v.empty()) return {};
    std::erase_if(spec.values, [](const auto& it) { return it.first == "u" || it.first == "v"; });
    return {spec.to_string(), u + "x" + v};
  } catch (const Error&) {
    return {};
  }
}

/// Does this option of a source name a file?
bool is_path(const std::string& source, const std::string& option) {
  if (!sources().knows(source)) return option == "path";
  const auto options = sources().options(sources().find(source));
  const auto found = std::ranges::find(options, option, &OptionInfo::name);
  return found != options.end() && found->path;
}

}  // namespace

std::string without_paths(const std::string& text) {
  try {
    Spec spec = Spec::parse(text);
    std::string file;
    for (const auto& [key, value] : spec.values) {
      if (key == "path") file = value;
    }
    std::erase_if(spec.values, [&](const auto& value) { return is_path(spec.name, value.first); });
    // A log has no other options to know it by.
    if (!spec.values.empty() || file.empty()) return spec.to_string();
    return fmt::format("{}({})", spec.name, std::filesystem::path(file).filename().string());
  } catch (const Error&) {
    return text;
  }
}

std::string unique_name(const std::string& name, const std::vector<std::string>& taken) {
  std::string candidate = name;
  for (int i = 2; std::ranges::find(taken, candidate) != taken.end(); ++i) {
    candidate = fmt::format("{} #{}", name, i);
  }
  return candidate;
}

std::vector<std::string> short_names(const std::vector<std::string>& names) {
  std::vector<std::string> unique;
  for (const std::string& name : names) {
    std::string best = name;
    for (const int parts : {2, 1}) {
      const std::string candidate = short_name(name, parts);
      const auto same = [&](const std::string& other) {
        return short_name(other, parts) == candidate;
      };
      if (!candidate.empty() && std::ranges::count_if(names, same) == 1) best = candidate;
    }
    unique.push_back(unique_name(best, unique));
  }
  return unique;
}

std::vector<std::string> size_labels(const std::vector<std::string>& specs) {
  std::vector<std::string> sizes;
  for (const std::string& spec : specs) {
    const Sized sized = split_size(spec);
    if (sized.size.empty() || sized.rest != split_size(specs.front()).rest) return specs;
    sizes.push_back(sized.size);
  }
  return sizes;
}

}  // namespace foresight
