// What source "recorded" reads: a log of past instances, with the files that go with it.
//
//   const Recording log = read_recording({.path = "log.csv", .fixed = "", .roster = ""});
//   const InstanceView first = log.view(0);
#pragma once

#include <string>
#include <vector>

#include "foresight/data/source.h"
#include "foresight/data/tables_internal.h"

namespace foresight {

struct RecordedOptions {
  std::string path;
  std::string fixed;
  std::string roster;

  void read(OptionReader& o);
};

/// The arrays behind all instances.
struct Recording {
  Schema schema;
  NodeId num_fixed = 0;
  std::vector<float> capacities;  // per node, or per instance and node, or empty
  std::vector<float> fixed_attributes;
  std::vector<std::int64_t> topic_begin;
  std::vector<std::int32_t> topics;
  std::vector<std::size_t> arrival_begin;  // per instance + 1
  std::vector<std::int64_t> edge_begin;    // per arrival + 1
  std::vector<NodeId> nodes;
  std::vector<float> weights;
  std::vector<float> costs;         // per edge, or empty
  std::vector<std::int32_t> types;  // per arrival, or empty
  std::vector<float> preferences;
  std::vector<float> attributes;
  std::vector<std::int32_t> fixed_names, arrival_names;  // texts
  std::vector<std::int64_t> text_begin;
  std::vector<std::uint8_t> text;

  std::size_t size() const { return arrival_begin.size() - 1; }
  InstanceView view(std::size_t i) const;
};

/// Throws Error(kData) that names file, line, column and value of what is wrong.
Recording read_recording(const RecordedOptions& options);

/// How much there is of each node in each instance: the rows of a file with the columns `instance`,
/// `node` and, optionally, `capacity` or `budget`. A node that an instance does not list is absent:
/// it has 0. One that it lists without an amount has that of `table`, or 1. Lines of instances that
/// are not in `instances` are ignored. Sets `table.budgets` if the file says so.
std::vector<float> read_roster(const std::string& file, const Ids& instances, const Ids& nodes,
                               FixedTable& table);

}  // namespace foresight
