// Names short enough for axes and legends, made from specs and paths.
#pragma once

#include <string>
#include <vector>

namespace foresight {

/// A spec without the paths in it: "gmission(path=/data/g,u=10)" becomes "gmission(u=10)". Text
/// that is not a spec stays as it is.
std::string without_paths(const std::string& spec);

/// "runs/inv-ff-hist" becomes "inv-ff-hist", and "greedy-t(train=FILE)" becomes "greedy-t". Names
/// that would be the same keep more of their text, and equal ones are numbered.
std::vector<std::string> short_names(const std::vector<std::string>& names);

/// `name`, or `name #2` and so on if it is taken.
std::string unique_name(const std::string& name, const std::vector<std::string>& taken);

/// Labels for specs: only their sizes ("10x30") if nothing else distinguishes them.
std::vector<std::string> size_labels(const std::vector<std::string>& specs);

}  // namespace foresight
