#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "foresight/base/error.h"
#include "foresight/base/index.h"
#include "foresight/data/moment_internal.h"
#include "foresight/data/recording_internal.h"

namespace foresight {
namespace {

/// The rows of a table in another order.
template <typename T>
std::vector<T> reorder(const std::vector<T>& rows, std::size_t width,
                       const std::vector<std::size_t>& order) {
  std::vector<T> result;
  result.reserve(rows.size());
  for (const std::size_t row : order) {
    const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(row * width);
    result.insert(result.end(), begin, begin + static_cast<std::ptrdiff_t>(width));
  }
  return result;
}

template <typename T>
std::vector<T> counted(std::size_t size) {
  std::vector<T> numbers(size);
  std::iota(numbers.begin(), numbers.end(), T{0});
  return numbers;
}

/// Reads the file line by line. Arrivals are numbered by their first lines until all are sorted.
class RecordedReader {
 public:
  explicit RecordedReader(const RecordedOptions& options)
      : csv_(required_path(options.path, "recorded",
                           "a CSV file with columns instance, arrival, node")),
        roster_(options.roster),
        only_known_(!options.fixed.empty()) {
    const ColumnName node("node", "u");
    expect_columns(csv_, {"instance", "arrival", node, "weight", "cost", "type", "time",
                          "arrival:", "prefer:"});
    time_ = csv_.find_column("time");
    instance_ = time_ ? csv_.find_column("instance") : csv_.column("instance");
    arrival_ = csv_.column("arrival");
    node_ = column_of(csv_, node);
    weight_ = csv_.find_column("weight");
    cost_ = csv_.find_column("cost");
    type_ = csv_.find_column("type");
    attributes_ = Columns::with_prefix(csv_, "arrival:");
    if (only_known_) table_ = FixedTable::read(options.fixed);
    preferences_ = preference_columns(csv_, table_.topics);
    if (!time_) return;
    if (std::ranges::find(attributes_.names, "time") != attributes_.names.end()) {
      fail(ErrorCode::kData,
           "{}: there are columns \"time\" and \"arrival:time\"; expected one of them, because "
           "\"time\" is an attribute, too",
           csv_.path().string());
    }
    attributes_.names.emplace_back("time");
  }

  Recording read() && {
    while (csv_.next()) {
      if (time_) now_ = read_time();
      Day& day = read_instance();
      const std::size_t before = arrivals_.size();
      const std::size_t arrival = read_arrival(day);
      const bool is_new = arrival == before;
      is_new ? begin_arrival(day) : check_description(arrival);
      read_edge(arrival, is_new);
    }
    if (edges_.empty()) {
      fail(ErrorCode::kData, "{}: the file lists no edge", csv_.path().string());
    }
    sort();
    name();
    describe_nodes();
    set_horizon();
    return std::move(record_);
  }

 private:
  struct Edge {
    std::size_t arrival;
    std::size_t line;
    NodeId node;
    float weight;
    float cost;
  };

  struct Came {
    std::size_t instance;
    double order;  // by time; 0 without it
    std::size_t line;
    std::int32_t type;
    std::int32_t name;
    bool edgeless;
  };

  /// One instance as far as it was read.
  struct Day {
    std::size_t number;
    double first;                        // the order of its earliest arrival
    Ids arrivals;                        // their texts
    std::vector<std::size_t> positions;  // of each of them in `arrivals_`
    std::unordered_map<std::int32_t, std::size_t> first_of_type;  // its first preferences
  };

  Moment read_time() {
    const auto moment = Moment::parse(csv_.text(*time_));
    if (!moment) {
      csv_.fail_at(*time_, "a number, YYYY-MM-DD, YYYY-MM-DD HH:MM or YYYY-MM-DD HH:MM:SS");
    }
    if (!instance_ && !moment->is_date()) {
      csv_.fail_at(*time_, "a date, because there is no column \"instance\"");
    }
    if (arrivals_.empty()) kind_ = moment->kind;
    if (moment->kind != kind_)
      csv_.fail_at(*time_, "a time of the same kind as on the lines before");
    if (!moment->is_date()) read_number(csv_, *time_);  // an attribute must fit a float
    return *moment;
  }

  Day& read_instance() {
    const std::size_t known = days_.size();
    const auto number =
        index(instances_.number(instance_ ? std::string(read_name(csv_, *instance_)) : now_.day()));
    if (number == known) days_.push_back({number, now_.order, {}, {}, {}});
    if (!time_ && number + 1 < known) expect_together(*instance_, "instance");
    Day& day = days_[number];
    day.first = std::min(day.first, now_.order);
    return day;
  }

  /// Its position in `arrivals_`, or the next one if this is its first line.
  std::size_t read_arrival(Day& day) {
    const auto number = index(day.arrivals.number(read_name(csv_, arrival_)));
    if (!time_ && number + 1 < day.positions.size()) expect_together(arrival_, "arrival");
    if (number == day.positions.size()) day.positions.push_back(arrivals_.size());
    return day.positions[number];
  }

  [[noreturn]] void expect_together(std::size_t column, std::string_view what) const {
    csv_.fail_at(column,
                 fmt::format("all lines of one {} to follow each other, because there is no "
                             "column \"time\"",
                             what));
  }

  void begin_arrival(Day& day) {
    const std::size_t row = record_.preferences.size();
    for (const auto column : preferences_) {
      record_.preferences.push_back(read_amount(csv_, column));
    }
    if (preferences_.empty()) record_.preferences.resize(row + table_.topics.size(), 1);
    for (const auto column : attributes_.positions) {
      record_.attributes.push_back(read_number(csv_, column));
    }
    if (time_) record_.attributes.push_back(static_cast<float>(now_.clock()));
    const std::int32_t type = read_type();
    if (type != kNoType) check_preferences(day.first_of_type.emplace(type, row).first->second, row);
    arrivals_.push_back({day.number, now_.order, csv_.line(), type,
                         names_.number(csv_.text(arrival_)), csv_.text(node_).empty()});
  }

  std::int32_t read_type() {
    if (!type_ || csv_.text(*type_).empty()) return kNoType;
    return types_.number(csv_.text(*type_));
  }

  /// A coverage function belongs to a type, so all arrivals of a type must have the same one.
  void check_preferences(std::size_t first, std::size_t row) const {
    for (std::size_t i = 0; i < preferences_.size(); ++i) {
      const float expected = record_.preferences[first + i];
      if (record_.preferences[row + i] == expected) continue;
      csv_.fail_at(preferences_[i],
                   fmt::format("{}, as in earlier arrivals of this type", expected));
    }
  }

  /// What describes an arrival must be the same on all its lines.
  void check_description(std::size_t arrival) {
    const Came& came = arrivals_[arrival];
    const auto expect_same = [&](bool same, std::size_t column) {
      if (same) return;
      csv_.fail_at(column,
                   fmt::format("the same as in line {}, the first of the arrival", came.line));
    };
    if (time_) expect_same(now_.order == came.order, *time_);
    if (type_) expect_same(read_type() == came.type, *type_);
    for (std::size_t i = 0; i < attributes_.positions.size(); ++i) {
      const float known = record_.attributes[arrival * attributes_.names.size() + i];
      const std::size_t column = attributes_.positions[i];
      expect_same(read_number(csv_, column) == known, column);
    }
    for (std::size_t i = 0; i < preferences_.size(); ++i) {
      const float known = record_.preferences[arrival * preferences_.size() + i];
      expect_same(read_amount(csv_, preferences_[i]) == known, preferences_[i]);
    }
  }

  void read_edge(std::size_t arrival, bool is_new) {
    if (!is_new && arrivals_[arrival].edgeless) {
      csv_.fail_at(arrival_, "only one line for an arrival without a node");
    }
    if (is_new && arrivals_[arrival].edgeless) {
      for (const auto column : {weight_, cost_}) {
        if (!column || csv_.text(*column).empty()) continue;
        csv_.fail_at(*column,
                     fmt::format("nothing, because column \"{}\" is empty", csv_.columns()[node_]));
      }
      return;
    }
    const NodeId node = only_known_
                            ? read_known_id(csv_, node_, table_.nodes, "a listed fixed node")
                            : table_.nodes.number(read_name(csv_, node_));
    edges_.push_back({arrival, csv_.line(), node, weight_ ? read_amount(csv_, *weight_) : 1,
                      cost_ ? read_amount(csv_, *cost_) : 0});
  }

  /// Puts instances, arrivals and edges into their order.
  void sort() {
    auto days = counted<std::size_t>(days_.size());
    if (kind_ != Moment::Kind::kNumber) {
      std::ranges::stable_sort(days, {}, [&](std::size_t i) { return days_[i].first; });
    }
    std::vector<std::size_t> rank(days.size());
    for (std::size_t i = 0; i < days.size(); ++i) {
      rank[days[i]] = i;
      sorted_instances_.number(instances_.texts()[days[i]]);
    }
    auto order = counted<std::size_t>(arrivals_.size());
    std::ranges::stable_sort(order, {}, [&](std::size_t i) {
      return std::pair(rank[arrivals_[i].instance], arrivals_[i].order);
    });
    record_.preferences = reorder(record_.preferences, table_.topics.size(), order);
    record_.attributes = reorder(record_.attributes, attributes_.names.size(), order);
    record_.arrival_begin.assign(days.size() + 1, 0);
    std::vector<std::size_t> position(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      const Came& came = arrivals_[order[i]];
      position[order[i]] = i;
      ++record_.arrival_begin[rank[came.instance] + 1];
      record_.arrival_names.push_back(came.name);
      if (type_) record_.types.push_back(came.type);
    }
    std::partial_sum(record_.arrival_begin.begin(), record_.arrival_begin.end(),
                     record_.arrival_begin.begin());
    for (Edge& edge : edges_) edge.arrival = position[edge.arrival];
    sort_edges();
  }

  void sort_edges() {
    const auto key = [](const Edge& edge) { return std::pair(edge.arrival, edge.node); };
    std::ranges::stable_sort(edges_, {}, key);
    const auto repeated = std::ranges::adjacent_find(edges_, {}, key);
    if (repeated != edges_.end()) {
      fail(ErrorCode::kData, "{}:{}: the edge is already given in line {}", csv_.path().string(),
           std::next(repeated)->line, repeated->line);
    }
    record_.edge_begin.assign(arrivals_.size() + 1, 0);
    for (const Edge& edge : edges_) {
      ++record_.edge_begin[edge.arrival + 1];
      record_.nodes.push_back(edge.node);
      record_.weights.push_back(edge.weight);
      if (cost_) record_.costs.push_back(edge.cost);
    }
    std::partial_sum(record_.edge_begin.begin(), record_.edge_begin.end(),
                     record_.edge_begin.begin());
  }

  /// The texts of fixed nodes come first, then those of arrivals.
  void name() {
    record_.text_begin.push_back(0);
    for (const Ids* ids : {&table_.nodes, &names_}) {
      for (const std::string& text : ids->texts()) {
        record_.text.insert(record_.text.end(), text.begin(), text.end());
        record_.text_begin.push_back(static_cast<std::int64_t>(record_.text.size()));
      }
    }
    record_.fixed_names = counted<std::int32_t>(table_.nodes.size());
    const auto nodes = static_cast<std::int32_t>(table_.nodes.size());
    for (std::int32_t& number : record_.arrival_names) number += nodes;
  }

  void describe_nodes() {
    record_.num_fixed = static_cast<NodeId>(table_.nodes.size());
    record_.capacities = roster_.empty()
                             ? table_.capacities
                             : read_roster(roster_, sorted_instances_, table_.nodes, table_);
    record_.fixed_attributes = std::move(table_.attributes);
    record_.topic_begin.push_back(0);
    for (const auto& set : table_.topic_sets) {
      record_.topics.insert(record_.topics.end(), set.begin(), set.end());
      record_.topic_begin.push_back(static_cast<std::int64_t>(record_.topics.size()));
    }
    record_.schema = {.problem = table_.problem(cost_.has_value()),
                      .fixed_attributes = std::move(table_.attribute_names),
                      .arrival_attributes = attributes_.names,
                      .topics = std::move(table_.topics)};
    record_.schema.capacities = !record_.capacities.empty();
    record_.schema.costs = cost_.has_value();
  }

  /// Whoever decides does not know how long a day will be, unless all are equally long.
  void set_horizon() {
    std::vector<int> lengths;
    for (std::size_t i = 0; i < record_.size(); ++i) {
      lengths.push_back(static_cast<int>(record_.arrival_begin[i + 1] - record_.arrival_begin[i]));
    }
    const Horizon seen = Horizon::from_past(lengths);
    if (seen.deviation() > 0) record_.schema.horizon = seen;
  }

  CsvReader csv_;
  std::string roster_;
  bool only_known_;             // there is a list of fixed nodes
  std::size_t arrival_, node_;  // columns
  std::optional<std::size_t> instance_, weight_, cost_, type_, time_;
  Columns attributes_;                    // the names also of the time
  std::vector<std::size_t> preferences_;  // columns, one per topic, or none

  Moment now_;  // of the current line
  Moment::Kind kind_ = Moment::Kind::kNumber;
  FixedTable table_;
  Ids types_, names_, instances_, sorted_instances_;
  std::vector<Day> days_;
  std::vector<Came> arrivals_;
  std::vector<Edge> edges_;
  Recording record_;
};

}  // namespace

Recording read_recording(const RecordedOptions& options) {
  return RecordedReader(options).read();
}

}  // namespace foresight
