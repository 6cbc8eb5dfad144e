// Names short enough for axes and legends, made from specs and paths.
#pragma once

#include <string>
#include <vector>

namespace foresight {

/// A spec without the paths in it: "gmission(path=/data/g,u=10)" is "gmission(u=10)". Text that is
/// no spec stays as it is.
std::string without_paths(const std::string& spec);

/// "runs/inv-ff-hist" is "inv-ff-hist" and "greedy-t(train=FILE)" is "greedy-t", unless two would
/// be called the same: those keep more of their names, and equal ones are numbered.
std::vector<std::string> short_names(const std::vector<std::string>& names);

/// `name`, or `name #2` and so on where it is taken.
std::string unique_name(const std::string& name, const std::vector<std::string>& taken);

/// Labels for specs: their sizes alone ("10x30") where nothing else tells them apart.
std::vector<std::string> size_labels(const std::vector<std::string>& specs);

}  // namespace foresight
