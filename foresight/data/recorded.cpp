// A user's own recorded instances: one CSV file with a header, one line per edge, in the order of
// arrival. The columns may be in any order:
//   instance      any text; the lines of an instance follow each other
//   arrival       any text; within an instance, the lines of an arrival follow each other
//   u             the fixed node; empty on the only line of an arrival without edges
//   weight        optional, else 1
//   type          optional: arrivals with the same text are the same user, task kind, ...
//   arrival:NAME  optional attributes of the arrival
//   prefer:TOPIC  optional: what each topic is worth to the arrival, else 1
// Columns that describe the arrival must be equal on all its lines. Option `fixed` names a second
// file that lists the fixed nodes, with columns as in fixed.csv of source "csv". Without it, the
// fixed nodes are those that occur, in order of first appearance. All instances share them.
#include <algorithm>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include "foresight/base/error.h"
#include "foresight/data/dataset.h"
#include "foresight/data/source.h"
#include "foresight/data/tables_internal.h"

namespace foresight {
namespace {

struct RecordedOptions {
  std::string path;
  std::string fixed;

  void read(OptionReader& o) {
    o.path(
        "path", path,
        "CSV file: instance, arrival, u, optional weight, cost, type, arrival:NAME, prefer:TOPIC");
    o.path("fixed", fixed,
           "CSV file of the fixed nodes: id, optional capacity or budget, topics, attributes");
  }
};

/// The arrays behind all instances.
struct Recording {
  Schema schema;
  NodeId num_fixed = 0;
  std::vector<float> capacities;
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

  std::size_t size() const { return arrival_begin.size() - 1; }

  InstanceView view(std::size_t i) const {
    const std::size_t first = arrival_begin[i];
    const std::size_t count = arrival_begin[i + 1] - first;
    const auto rows = [&](const std::vector<float>& values, std::size_t width) {
      return Rows{std::span(values).subspan(first * width, count * width), width};
    };
    return {.market = {.num_fixed = num_fixed,
                       .horizon = Horizon::known(static_cast<int>(count)),
                       .capacities = capacities,
                       .ids = {},
                       .attributes = {fixed_attributes, schema.fixed_attributes.size()},
                       .num_topics = static_cast<int>(schema.topics.size()),
                       .topic_begin = topic_begin,
                       .topics = topics},
            .edge_begin = std::span(edge_begin).subspan(first, count + 1),
            .nodes = nodes,
            .weights = weights,
            .types = types.empty() ? std::span<const std::int32_t>()
                                   : std::span(types).subspan(first, count),
            .preferences = rows(preferences, schema.topics.size()),
            .attributes = rows(attributes, schema.arrival_attributes.size()),
            .costs = costs};
  }
};

/// Reads the file line by line into a recording.
class Recorder {
 public:
  explicit Recorder(const RecordedOptions& options)
      : csv_(required_path(options.path, "recorded",
                           "a CSV file with columns instance, arrival, u")),
        instance_(csv_.column("instance")),
        arrival_(csv_.column("arrival")),
        u_(csv_.column("u")),
        weight_(csv_.find_column("weight")),
        cost_(csv_.find_column("cost")),
        type_(csv_.find_column("type")),
        attributes_(Columns::with_prefix(csv_, "arrival:")),
        only_known_(!options.fixed.empty()) {
    expect_columns(csv_,
                   {"instance", "arrival", "u", "weight", "cost", "type", "arrival:", "prefer:"});
    FixedTable table = only_known_ ? FixedTable::read(options.fixed) : FixedTable();
    fixed_ = std::move(table.ids);
    record_.schema = {.problem = table.problem(cost_.has_value()),
                      .fixed_attributes = std::move(table.attribute_names),
                      .arrival_attributes = attributes_.names,
                      .topics = std::move(table.topics)};
    record_.schema.capacities = !table.capacities.empty();
    record_.schema.costs = cost_.has_value();
    record_.capacities = std::move(table.capacities);
    record_.fixed_attributes = std::move(table.attributes);
    record_.topic_begin.push_back(0);
    for (const auto& set : table.topic_sets) {
      record_.topics.insert(record_.topics.end(), set.begin(), set.end());
      record_.topic_begin.push_back(static_cast<std::int64_t>(record_.topics.size()));
    }
    preferences_ = preference_columns(csv_, record_.schema.topics);
    described_by_ = attributes_.positions;
    described_by_.insert(described_by_.end(), preferences_.begin(), preferences_.end());
    if (type_) described_by_.push_back(*type_);
  }

  Recording read() && {
    while (csv_.next()) {
      if (starts_block(instance_, instances_, "instance")) {
        record_.arrival_begin.push_back(record_.edge_begin.size());
        arrivals_ = Ids();
        first_of_type_.clear();
      }
      const bool first_line = starts_block(arrival_, arrivals_, "arrival");
      first_line ? begin_arrival() : check_description();
      read_edge(first_line);
    }
    record_.arrival_begin.push_back(record_.edge_begin.size());
    begin_edges();
    if (record_.nodes.empty()) {
      fail(ErrorCode::kData, "{}: the file lists no edge", csv_.path().string());
    }
    record_.num_fixed = static_cast<NodeId>(fixed_.size());
    return std::move(record_);
  }

 private:
  struct Edge {
    NodeId node;
    float weight;
    std::size_t line;
    float cost;
  };

  /// Whether the line is the first of its instance or arrival.
  bool starts_block(std::size_t column, Ids& ids, std::string_view what) const {
    const std::size_t known = ids.size();
    const auto number = static_cast<std::size_t>(ids.number(read_id(csv_, column)));
    if (number + 1 < known) {
      csv_.fail_at(column, fmt::format("all lines of one {} to follow each other", what));
    }
    return number == known;
  }

  void begin_arrival() {
    begin_edges();
    description_.clear();
    for (const auto column : described_by_) description_.emplace_back(csv_.text(column));
    const std::size_t row = record_.preferences.size();
    for (const auto column : preferences_) {
      record_.preferences.push_back(read_amount(csv_, column));
    }
    if (preferences_.empty()) record_.preferences.resize(row + record_.schema.topics.size(), 1);
    for (const auto column : attributes_.positions) {
      record_.attributes.push_back(read_number(csv_, column));
    }
    if (!type_) return;
    const std::string_view type = csv_.text(*type_);
    record_.types.push_back(type.empty() ? kNoType : types_.number(type));
    if (!type.empty()) check_preferences(record_.types.back(), row);
  }

  /// A coverage function belongs to a type, so all arrivals of a type must have the same one.
  void check_preferences(std::int32_t type, std::size_t row) {
    const std::size_t first = first_of_type_.emplace(type, row).first->second;
    for (std::size_t i = 0; i < preferences_.size(); ++i) {
      const float expected = record_.preferences[first + i];
      if (record_.preferences[row + i] == expected) continue;
      csv_.fail_at(preferences_[i],
                   fmt::format("{}, as in earlier arrivals of this type", expected));
    }
  }

  void check_description() const {
    for (std::size_t i = 0; i < description_.size(); ++i) {
      if (csv_.text(described_by_[i]) == description_[i]) continue;
      csv_.fail_at(described_by_[i],
                   fmt::format("{}, as on the arrival's first line", excerpt(description_[i])));
    }
  }

  void read_edge(bool first_line) {
    if (first_line && csv_.text(u_).empty()) {
      if (weight_ && !csv_.text(*weight_).empty())
        csv_.fail_at(*weight_, "nothing, because u is empty");
      return;
    }
    if (!first_line && edges_.empty()) {
      csv_.fail_at(arrival_, "only one line for an arrival without u");
    }
    const NodeId node = only_known_ ? read_known_id(csv_, u_, fixed_, "an id of the fixed nodes")
                                    : fixed_.number(read_id(csv_, u_));
    edges_.push_back({node, weight_ ? read_amount(csv_, *weight_) : 1, csv_.line(),
                      cost_ ? read_amount(csv_, *cost_) : 0});
  }

  /// Sorts the edges of the previous arrival into the record and begins the next arrival.
  void begin_edges() {
    std::ranges::stable_sort(edges_, {}, &Edge::node);
    const auto repeated = std::ranges::adjacent_find(edges_, {}, &Edge::node);
    if (repeated != edges_.end()) {
      fail(ErrorCode::kData, "{}:{}: the edge is already given in line {}", csv_.path().string(),
           std::next(repeated)->line, repeated->line);
    }
    for (const Edge& edge : edges_) {
      record_.nodes.push_back(edge.node);
      record_.weights.push_back(edge.weight);
      if (cost_) record_.costs.push_back(edge.cost);
    }
    edges_.clear();
    record_.edge_begin.push_back(static_cast<std::int64_t>(record_.nodes.size()));
  }

  CsvReader csv_;
  std::size_t instance_, arrival_, u_;  // columns
  std::optional<std::size_t> weight_, cost_, type_;
  Columns attributes_;
  std::vector<std::size_t> preferences_;   // columns, one per topic, or none
  std::vector<std::size_t> described_by_;  // columns that describe the arrival
  bool only_known_;                        // there is a list of fixed nodes

  Recording record_;
  Ids fixed_, types_, instances_;
  Ids arrivals_;                                                 // of the current instance
  std::unordered_map<std::int32_t, std::size_t> first_of_type_;  // its first preferences there
  std::vector<std::string> description_;                         // of the current arrival
  std::vector<Edge> edges_;                                      // of the current arrival
};

class Recorded : public Source {
 public:
  explicit Recorded(const RecordedOptions& options)
      : path_(options.path), record_(std::make_shared<const Recording>(Recorder(options).read())) {
    for (std::size_t i = 0; i < record_->size(); ++i) validate(record_->view(i));
  }

  const Schema& schema() const override { return record_->schema; }
  std::optional<std::uint64_t> size() const override { return record_->size(); }

  std::string digest() const override {
    return Dataset::gather(record_->schema, {}, instances()).content_digest(false);
  }

  Instance draw(std::uint64_t /*seed*/, std::uint64_t index) const override {
    if (index >= record_->size()) {
      fail(ErrorCode::kUsage, "{}: there is no instance {}; the number of instances is {}", path_,
           index, record_->size());
    }
    return Instance(record_->view(index), record_);
  }

 private:
  std::vector<Instance> instances() const {
    std::vector<Instance> all;
    for (std::size_t i = 0; i < record_->size(); ++i) all.emplace_back(record_->view(i), record_);
    return all;
  }

  std::string path_;
  std::shared_ptr<const Recording> record_;
};

}  // namespace

Entry<Source> recorded_source() {
  return make_entry<Source, Recorded, RecordedOptions>(
      "recorded", "your own past instances: one CSV file of edges in order of arrival");
}

}  // namespace foresight
