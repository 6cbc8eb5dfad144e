// A user's own recorded instances: one CSV file with a header, one line per edge. The columns may
// be in any order:
//   instance      any text, such as a day
//   arrival       any text
//   node          the fixed node; empty on the only line of an arrival without edges
//   weight        optional, else 1
//   cost          optional: what the match takes of its node
//   type          optional: arrivals with the same text are the same user, task kind, ...
//   time          optional: a number, or a date with or without the time of day
//   arrival:NAME  optional attributes of the arrival
//   prefer:TOPIC  optional: what each topic is worth to the arrival, else 1
// Columns that describe the arrival must be equal on all its lines.
//
// Without `time`, lines are in the order of arrival: those of an instance follow each other, and
// within it those of an arrival. With `time`, lines may be in any order. Arrivals are ordered by
// their time, and where it is equal by their first lines. Instances are ordered by their first
// arrivals if times are dates. Then the column `instance` may be left out: every day is one.
// The time is also an attribute of the arrival: the hour of the day, or the number itself.
//
// Option `fixed` names a second file that lists the fixed nodes, with columns as in fixed.csv of
// source "csv". Without it, the fixed nodes are those that occur, in order of first appearance. All
// instances share them. Option `roster` names a file that says which of them are there in each
// instance, and how much of them (see read_roster). Older files say u for node.
#include "foresight/base/error.h"
#include "foresight/data/dataset.h"
#include "foresight/data/recording_internal.h"

namespace foresight {

void RecordedOptions::read(OptionReader& o) {
  o.path("path", path,
         "CSV file: instance, arrival, node, optional weight, cost, type, time, arrival:NAME, "
         "prefer:TOPIC");
  o.path("fixed", fixed,
         "CSV file of the fixed nodes: node, optional capacity or budget, topics, attributes");
  o.path("roster", roster,
         "CSV file of the nodes that are there in each instance: instance, node, optional capacity "
         "or budget; all others are absent");
}

InstanceView Recording::view(std::size_t i) const {
  const std::size_t first = arrival_begin[i];
  const std::size_t count = arrival_begin[i + 1] - first;
  const auto rows = [&](const std::vector<float>& values, std::size_t width) {
    return Rows{std::span(values).subspan(first * width, count * width), width};
  };
  const auto fixed = static_cast<std::size_t>(num_fixed);
  const bool shared = capacities.size() <= fixed;
  const Texts texts{text_begin, text};
  return {.market = {.num_fixed = num_fixed,
                     .horizon = Horizon::known(static_cast<int>(count)),
                     .capacities = shared ? std::span<const float>(capacities)
                                          : std::span(capacities).subspan(i * fixed, fixed),
                     .ids = {},
                     .attributes = {fixed_attributes, schema.fixed_attributes.size()},
                     .names = {fixed_names, texts},
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
          .costs = costs,
          .names = {std::span(arrival_names).subspan(first, count), texts}};
}

namespace {

class Recorded : public Source {
 public:
  explicit Recorded(const RecordedOptions& options)
      : path_(options.path), record_(std::make_shared<const Recording>(read_recording(options))) {
    for (std::size_t i = 0; i < record_->size(); ++i) validate(record_->view(i));
  }

  const Schema& schema() const override { return record_->schema; }
  std::optional<std::uint64_t> size() const override { return record_->size(); }

  std::string digest() const override {
    std::vector<Instance> all;
    for (std::size_t i = 0; i < record_->size(); ++i) all.emplace_back(record_->view(i), record_);
    return Dataset::gather(record_->schema, {}, all).content_digest(false);
  }

  Instance draw(std::uint64_t /*seed*/, std::uint64_t index) const override {
    if (index >= record_->size()) {
      fail(ErrorCode::kUsage, "{}: there is no instance {}; the number of instances is {}", path_,
           index, record_->size());
    }
    return Instance(record_->view(index), record_);
  }

 private:
  std::string path_;
  std::shared_ptr<const Recording> record_;
};

}  // namespace

Entry<Source> recorded_source() {
  return make_entry<Source, Recorded, RecordedOptions>(
      "recorded", "your own past instances: one CSV file of edges in order of arrival or of time");
}

}  // namespace foresight
