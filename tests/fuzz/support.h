// What fuzz targets share: files made of the input, and small things to use what was read with.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/temp_folder.h"

#include "foresight/data/dataset.h"
#include "foresight/policy/policy.h"
#include "foresight/report/report.h"

namespace foresight {

/// A safetensors file whose digest is that of its bytes, so that a mutation reaches the checks
/// behind the digest. Anything else stays as it is.
std::string with_digest(std::string_view file);

/// The bytes of the file that `write` makes at the path it is given.
std::string bytes_of(const std::function<void(const std::filesystem::path&)>& write);

/// Several files in one text, each after a line "== NAME". Writes those with a name in `names` to
/// the folder, and leaves out all others.
void write_files(const TempFolder& folder, std::string_view text,
                 const std::vector<std::string>& names);

/// Throws std::logic_error, which is a finding, unless `holds`.
void expect(bool holds, std::string_view what);

/// Drawn at random but always the same: an instance that has all that the schema names.
Instance make_instance(const Schema& schema, NodeId num_fixed, int arrivals);

/// A few such instances with labels, one dataset for each problem there is.
std::vector<Dataset> small_datasets();

/// Lets the policy play an instance of at most `kLargestPlayed` nodes.
inline constexpr int kLargestPlayed = 1'000;
void play_once(const std::string& problem, const Instance& instance, const Policy& policy);

/// Writes the report in every form there is.
void write_out(const Report& report);

}  // namespace foresight
