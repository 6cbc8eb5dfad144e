// A dataset: many instances of one source, optionally with their hindsight optima, in one
// memory-mapped file. It is immutable, compared by value, and cheap to copy. docs/formats.md lists
// its arrays.
//
//   Dataset data = Dataset::load("train.fst");
//   Instance first = data.instance(0);
//   if (data.labelled()) use(data.label(0).value);
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "foresight/base/progress.h"
#include "foresight/data/instance.h"
#include "foresight/data/source.h"

namespace foresight {

/// Where a dataset came from.
struct Provenance {
  std::string source;      // spec string; after a join of several sources, a text that names them
  std::uint64_t seed = 0;  // of the sequence that they were drawn from; 0 after a join of several

  friend bool operator==(const Provenance&, const Provenance&) = default;
};

/// One array of a dataset, with the name that it has in the file.
struct DatasetArray {
  std::string name;
  std::variant<std::span<const std::int64_t>, std::span<const std::int32_t>, std::span<const float>,
               std::span<const double>, std::span<const std::uint8_t>>
      values;
  std::size_t width = 1;  // columns; one row follows the other
};

class Dataset {
 public:
  /// Maps the file and checks everything in it once. Throws Error(kIo) or Error(kData).
  static Dataset load(const std::filesystem::path& path);

  /// Gathers instances into one dataset. All must fit the schema.
  static Dataset gather(Schema schema, Provenance provenance, std::span<const Instance> instances);

  /// Uses the arrays in place, without a copy. Checks everything in them once, as `load` does.
  /// `storage` owns their memory.
  static Dataset wrap(Schema schema, Provenance provenance, std::span<const DatasetArray> arrays,
                      std::shared_ptr<const void> storage);

  /// Replaces `path` in one step. `notes` are metadata of others, which `load` ignores.
  void save(const std::filesystem::path& path,
            const std::map<std::string, std::string>& notes = {}) const;

  std::size_t size() const { return arrays_.arrival_begin.size() - 1; }
  Instance instance(std::size_t i) const;
  const Schema& schema() const { return schema_; }
  const Provenance& provenance() const { return provenance_; }
  std::int64_t num_arrivals() const { return arrays_.arrival_begin.back(); }
  std::int64_t num_edges() const { return arrays_.edge_begin.back(); }

  /// All arrays that a dataset can have, in the order of the file; missing ones are empty. They
  /// live as long as any copy of the dataset.
  std::vector<DatasetArray> arrays() const;

  /// These instances in this order, with their labels; an instance may occur more than once.
  /// Throws Error(kUsage) if there is no such instance.
  Dataset select(std::span<const std::size_t> indices) const;

  /// The same instances, meant for another problem; labels are dropped.
  Dataset for_problem(std::string problem) const;

  /// The same data, of which policies are told this about the number of arrivals.
  Dataset with_horizon(const Horizon& horizon) const;
  /// The number of arrivals of each instance.
  std::vector<int> lengths() const;

  bool labelled() const { return !arrays_.label_value.empty() || size() == 0; }
  /// Throws Error(kUsage) if there are no labels, or no such instance.
  double optimum(std::size_t i) const;
  Label label(std::size_t i) const;
  /// The same instances with these labels, one per instance, checked; and without labels.
  Dataset with_labels(std::span<const Label> labels) const;
  Dataset without_labels() const;

  /// The digest of the file it was loaded from; empty if there is no file.
  const std::string& digest() const { return digest_; }
  /// The digest of schema and instances, and of the labels if asked for. Equal content has the same
  /// digest, wherever it comes from.
  std::string content_digest(bool with_labels) const;
  /// How errors about this data begin: "FILE: ", or nothing if it does not come from a file.
  std::string origin() const { return path_.empty() ? "" : path_ + ": "; }

  friend bool operator==(const Dataset& a, const Dataset& b);

 private:
  // One span per array of the file. Positions index the whole array, not one instance's part.
  struct Arrays {
    std::span<const std::int64_t> fixed_begin;    // per instance + 1
    std::span<const std::int64_t> arrival_begin;  // per instance + 1
    std::span<const float> fixed_capacity;
    std::span<const std::int32_t> fixed_id;
    std::span<const float> fixed_attributes;
    std::span<const std::int64_t> topic_begin;  // per fixed node + 1
    std::span<const std::int32_t> topic;
    std::span<const std::int64_t> edge_begin;  // per arrival + 1
    std::span<const NodeId> edge_node;
    std::span<const float> edge_weight;
    std::span<const float> edge_cost;
    std::span<const std::int32_t> arrival_type;
    std::span<const float> arrival_preferences;
    std::span<const float> arrival_attributes;
    std::span<const std::int32_t> fixed_name;    // per fixed node: a text, or kNoType
    std::span<const std::int32_t> arrival_name;  // per arrival
    std::span<const std::int64_t> text_begin;    // per text + 1
    std::span<const std::uint8_t> text;
    std::span<const double> label_value;     // per instance
    std::span<const double> label_bound;     // per instance
    std::span<const NodeId> label_matching;  // per arrival
  };
  struct Storage;
  struct LabelStorage;

  Dataset() = default;
  /// Calls `visitor(name, array, width)` for each array.
  template <typename Self, typename Visitor>
  static void visit(Self& self, Visitor&& visitor);
  /// Says which optional columns there are.
  void complete_schema();
  void check_positions() const;
  void check_lengths() const;
  void check_texts() const;
  void expect_label(std::size_t i) const;
  void check() const;

  Schema schema_;
  Provenance provenance_;
  std::string digest_;
  std::string path_;  // of the file it was loaded from
  Arrays arrays_;
  std::shared_ptr<const void> storage_;
  std::shared_ptr<const void> label_storage_;
};

/// Draws instances [0, count) of the source on several threads (0 = all cores).
Dataset generate(const Source& source, const Provenance& provenance, std::uint64_t count,
                 int threads, Progress& progress);

}  // namespace foresight
