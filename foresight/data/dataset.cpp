#include "foresight/data/dataset.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "foresight/base/digest.h"
#include "foresight/base/error.h"
#include "foresight/base/index.h"
#include "foresight/base/json_field_internal.h"
#include "foresight/base/mapped_file.h"
#include "foresight/base/parallel.h"
#include "foresight/base/safetensors.h"

namespace foresight {
namespace {

constexpr const char* kFormat = "foresight-dataset";
constexpr const char* kVersion = "1";

std::vector<std::string> split_names(const SafeTensors& file, std::string_view key) {
  auto names = parse_json_list(file.meta(key));
  if (!names) {
    fail(ErrorCode::kData, "{}: metadata \"{}\" must be a list of names, got {}",
         file.path().string(), key, file.meta(key));
  }
  return std::move(*names);
}

std::uint64_t parse_seed(const SafeTensors& file) {
  const std::string& text = file.meta("seed");
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (error != std::errc() || end != text.data() + text.size()) {
    fail(ErrorCode::kData, "{}: metadata \"seed\" must be a whole number, got \"{}\"",
         file.path().string(), text);
  }
  return seed;
}

void check_rising(std::span<const std::int64_t> positions, std::size_t total, const char* name) {
  const bool rising = !positions.empty() && positions.front() == 0 &&
                      std::is_sorted(positions.begin(), positions.end()) &&
                      positions.back() == static_cast<std::int64_t>(total);
  if (!rising) {
    fail(ErrorCode::kData,
         "array \"{}\" must rise from 0 to {}, the length of the array it divides", name, total);
  }
}

/// Files of earlier versions name an array so; nullptr if it always had its name.
const char* former_name(std::string_view name) {
  return name == "fixed.capacity" ? "fixed.budget" : nullptr;
}

bool is_former(std::string_view given, std::string_view name) {
  const char* former = former_name(name);
  return former && given == former;
}

}  // namespace

struct Dataset::LabelStorage {
  std::vector<double> value, bound;
  std::vector<NodeId> matching;
};

template <typename Self, typename Visitor>
void Dataset::visit(Self& self, Visitor&& visitor) {
  auto& a = self.arrays_;
  const Schema& schema = self.schema_;
  visitor("instance.fixed_begin", a.fixed_begin, 1);
  visitor("instance.arrival_begin", a.arrival_begin, 1);
  visitor("fixed.capacity", a.fixed_capacity, 1);
  visitor("fixed.id", a.fixed_id, 1);
  visitor("fixed.attributes", a.fixed_attributes, schema.fixed_attributes.size());
  visitor("fixed.topic_begin", a.topic_begin, 1);
  visitor("topic", a.topic, 1);
  visitor("arrival.edge_begin", a.edge_begin, 1);
  visitor("arrival.type", a.arrival_type, 1);
  visitor("arrival.preferences", a.arrival_preferences, schema.topics.size());
  visitor("arrival.attributes", a.arrival_attributes, schema.arrival_attributes.size());
  visitor("edge.node", a.edge_node, 1);
  visitor("edge.weight", a.edge_weight, 1);
  visitor("edge.cost", a.edge_cost, 1);
  visitor("fixed.name", a.fixed_name, 1);
  visitor("arrival.name", a.arrival_name, 1);
  visitor("text_begin", a.text_begin, 1);
  visitor("text", a.text, 1);
  visitor("label.value", a.label_value, 1);
  visitor("label.bound", a.label_bound, 1);
  visitor("label.matching", a.label_matching, 1);
}

Dataset Dataset::load(const std::filesystem::path& path) {
  const auto file = SafeTensors::open(path);
  const auto found = file->metadata().find("format");
  if (found == file->metadata().end() || found->second != kFormat) {
    fail(ErrorCode::kData, "{}: this is not a dataset (its format is \"{}\")", path.string(),
         found == file->metadata().end() ? "" : found->second);
  }
  if (file->meta("version") != kVersion) {
    fail(ErrorCode::kData, "{}: the dataset has version {}, but this program reads version {}",
         path.string(), file->meta("version"), kVersion);
  }
  Dataset data;
  data.schema_ = {.problem = file->meta("problem"),
                  .fixed_attributes = split_names(*file, "fixed_attributes"),
                  .arrival_attributes = split_names(*file, "arrival_attributes"),
                  .topics = split_names(*file, "topics")};
  data.provenance_ = {file->meta("source"), parse_seed(*file)};
  data.digest_ = file->digest();
  data.path_ = path.string();
  data.storage_ = file;
  visit(data, [&]<typename T>(const char* name, std::span<const T>& array, std::size_t) {
    if (file->has(name)) {
      array = file->array<T>(name);
    } else if (const char* former = former_name(name); former && file->has(former)) {
      array = file->array<T>(former);
    }
  });
  data.complete_schema();
  try {
    if (file->metadata().contains("horizon")) {
      data.schema_.horizon = Horizon::parse(file->meta("horizon"));
    }
    data.check();
  } catch (const Error& error) {
    fail(ErrorCode::kData, "{}: {}", path.string(), error.what());
  }
  return data;
}

Dataset Dataset::wrap(Schema schema, Provenance provenance, std::span<const DatasetArray> arrays,
                      std::shared_ptr<const void> storage) {
  Dataset data;
  data.schema_ = std::move(schema);
  data.provenance_ = std::move(provenance);
  data.storage_ = std::move(storage);
  visit(data, [&]<typename T>(const char* name, std::span<const T>& array, std::size_t width) {
    bool found = false;
    for (const DatasetArray& given : arrays) {
      if (given.name != name && !is_former(given.name, name)) continue;
      if (std::exchange(found, true)) fail(ErrorCode::kData, "array \"{}\" is given twice", name);
      const auto* values = std::get_if<std::span<const T>>(&given.values);
      if (!values) fail(ErrorCode::kData, "array \"{}\" has numbers of the wrong type", name);
      if (!values->empty() && given.width != width) {
        fail(ErrorCode::kData, "array \"{}\" must have {} columns, got {}", name, width,
             given.width);
      }
      array = *values;
    }
  });
  for (const DatasetArray& given : arrays) {
    bool known = false;
    visit(data, [&](const char* name, auto&, std::size_t) {
      known |= given.name == name || is_former(given.name, name);
    });
    if (!known) fail(ErrorCode::kData, "a dataset has no array \"{}\"", given.name);
  }
  data.complete_schema();
  data.check();
  return data;
}

std::vector<DatasetArray> Dataset::arrays() const {
  std::vector<DatasetArray> arrays;
  visit(*this, [&](const char* name, auto array, std::size_t width) {
    arrays.push_back({name, array, width});
  });
  return arrays;
}

void Dataset::save(const std::filesystem::path& path,
                   const std::map<std::string, std::string>& notes) const {
  SafeTensorsWriter writer;
  for (const auto& [key, value] : notes) writer.set_meta(key, value);
  writer.set_meta("format", kFormat);
  writer.set_meta("version", kVersion);
  writer.set_meta("problem", schema_.problem);
  writer.set_meta("source", provenance_.source);
  writer.set_meta("seed", fmt::to_string(provenance_.seed));
  writer.set_meta("fixed_attributes", json_list(schema_.fixed_attributes));
  writer.set_meta("arrival_attributes", json_list(schema_.arrival_attributes));
  writer.set_meta("topics", json_list(schema_.topics));
  if (!schema_.horizon.is_known()) writer.set_meta("horizon", schema_.horizon.to_string());
  visit(*this, [&]<typename T>(const char* name, std::span<const T> array, std::size_t width) {
    if (array.empty()) return;
    if (width == 1) return writer.add<T>(name, {array.size()}, array);
    writer.add<T>(name, {array.size() / width, width}, array);
  });
  writer.write(path);
}

Instance Dataset::instance(std::size_t i) const {
  const Arrays& a = arrays_;
  const auto fixed = index(a.fixed_begin[i]);
  const auto num_fixed = index(a.fixed_begin[i + 1]) - fixed;
  const auto first = index(a.arrival_begin[i]);
  const auto arrivals = index(a.arrival_begin[i + 1]) - first;
  const auto slice = [](auto array, std::size_t begin, std::size_t count) {
    return array.empty() ? array : array.subspan(begin, count);
  };
  const auto rows = [&](std::span<const float> array, std::size_t width, std::size_t begin,
                        std::size_t count) {
    return Rows{slice(array, begin * width, count * width), array.empty() ? 0 : width};
  };
  const Texts texts{a.text_begin, a.text};
  const InstanceView view{
      .market = {.num_fixed = static_cast<NodeId>(num_fixed),
                 .horizon = schema_.horizon.is_known() ? Horizon::known(static_cast<int>(arrivals))
                                                       : schema_.horizon,
                 .capacities = slice(a.fixed_capacity, fixed, num_fixed),
                 .ids = slice(a.fixed_id, fixed, num_fixed),
                 .attributes =
                     rows(a.fixed_attributes, schema_.fixed_attributes.size(), fixed, num_fixed),
                 .names = {slice(a.fixed_name, fixed, num_fixed), texts},
                 .num_topics = a.topic_begin.empty() ? 0 : static_cast<int>(schema_.topics.size()),
                 .topic_begin = slice(a.topic_begin, fixed, num_fixed + 1),
                 .topics = a.topic},
      .edge_begin = a.edge_begin.subspan(first, arrivals + 1),
      .nodes = a.edge_node,
      .weights = a.edge_weight,
      .types = slice(a.arrival_type, first, arrivals),
      .preferences = rows(a.arrival_preferences, schema_.topics.size(), first, arrivals),
      .attributes = rows(a.arrival_attributes, schema_.arrival_attributes.size(), first, arrivals),
      .costs = a.edge_cost,
      .names = {slice(a.arrival_name, first, arrivals), texts}};
  return Instance(view, storage_);
}

std::string Dataset::content_digest(bool with_labels) const {
  Digest digest;
  digest.add(schema_.problem);
  for (const auto* names :
       {&schema_.fixed_attributes, &schema_.arrival_attributes, &schema_.topics}) {
    digest.add(json_list(*names));
  }
  if (!schema_.horizon.is_known()) digest.add(schema_.horizon.to_string());
  visit(*this, [&]<typename T>(std::string_view name, std::span<const T> array, std::size_t) {
    if (array.empty() || (name.starts_with("label.") && !with_labels)) return;
    if (name.ends_with(".name") || name.starts_with("text")) return;  // no figure depends on them
    const char* former = former_name(name);  // so that a digest is the same in all versions
    digest.add(former ? former : name).add(array);
  });
  return digest.hex();
}

void Dataset::expect_label(std::size_t i) const {
  if (i >= size()) {
    fail(ErrorCode::kUsage, "{}there is no instance {}; the number of instances is {}", origin(), i,
         size());
  }
  if (!labelled()) {
    fail(ErrorCode::kUsage, "{}the instances have no hindsight optima; solve them first", origin());
  }
}

double Dataset::optimum(std::size_t i) const {
  expect_label(i);
  return arrays_.label_value[i];
}

Label Dataset::label(std::size_t i) const {
  expect_label(i);
  const auto begin = arrays_.label_matching.begin() + arrays_.arrival_begin[i];
  const auto end = arrays_.label_matching.begin() + arrays_.arrival_begin[i + 1];
  return {arrays_.label_value[i], arrays_.label_bound[i], {begin, end}};
}

Dataset Dataset::with_labels(std::span<const Label> labels) const {
  if (labels.size() != size()) {
    fail(ErrorCode::kUsage, "{} labels are given for {} instances", labels.size(), size());
  }
  auto storage = std::make_shared<LabelStorage>();
  for (const Label& label : labels) {
    storage->value.push_back(label.value);
    storage->bound.push_back(label.bound);
    storage->matching.insert(storage->matching.end(), label.matching.begin(), label.matching.end());
  }
  Dataset data = *this;
  data.digest_.clear();
  data.arrays_.label_value = storage->value;
  data.arrays_.label_bound = storage->bound;
  data.arrays_.label_matching = storage->matching;
  data.label_storage_ = std::move(storage);
  data.check_lengths();
  for (std::size_t i = 0; i < size(); ++i) {
    try {
      validate(labels[i], instance(i));
    } catch (const Error& error) {
      fail(ErrorCode::kData, "instance {}: {}", i, error.what());
    }
  }
  return data;
}

Dataset Dataset::for_problem(std::string problem) const {
  Dataset data = without_labels();
  data.schema_.problem = std::move(problem);
  return data;
}

Dataset Dataset::with_horizon(const Horizon& horizon) const {
  Dataset data = *this;
  if (data.schema_.horizon == horizon) return data;
  data.digest_.clear();
  data.schema_.horizon = horizon.is_known() ? Horizon() : horizon;
  return data;
}

std::vector<int> Dataset::lengths() const {
  std::vector<int> lengths;
  for (std::size_t i = 0; i < size(); ++i) {
    lengths.push_back(static_cast<int>(arrays_.arrival_begin[i + 1] - arrays_.arrival_begin[i]));
  }
  return lengths;
}

Dataset Dataset::without_labels() const {
  Dataset data = *this;
  data.digest_.clear();
  data.arrays_.label_value = {};
  data.arrays_.label_bound = {};
  data.arrays_.label_matching = {};
  data.label_storage_ = nullptr;
  return data;
}

void Dataset::check_positions() const {
  const Arrays& a = arrays_;
  if (a.fixed_begin.size() != a.arrival_begin.size() || a.fixed_begin.empty()) {
    fail(ErrorCode::kData,
         "arrays \"instance.fixed_begin\" and \"instance.arrival_begin\" must both have one entry "
         "more than there are instances, got {} and {}",
         a.fixed_begin.size(), a.arrival_begin.size());
  }
  const auto fixed = index(std::max<std::int64_t>(0, a.fixed_begin.back()));
  const auto arrivals = index(std::max<std::int64_t>(0, a.arrival_begin.back()));
  check_rising(a.fixed_begin, fixed, "instance.fixed_begin");
  check_rising(a.arrival_begin, arrivals, "instance.arrival_begin");
  for (std::size_t i = 0; i < size(); ++i) {
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
    if (a.fixed_begin[i + 1] - a.fixed_begin[i] > kMost ||
        a.arrival_begin[i + 1] - a.arrival_begin[i] > kMost) {
      fail(ErrorCode::kData, "instance {} has more than {} nodes", i, kMost);
    }
  }
  if (a.edge_begin.size() != arrivals + 1) {
    fail(ErrorCode::kData, "array \"arrival.edge_begin\" must have {} entries, got {}",
         arrivals + 1, a.edge_begin.size());
  }
  check_rising(a.edge_begin, a.edge_node.size(), "arrival.edge_begin");
  if (!a.topic_begin.empty()) {
    if (a.topic_begin.size() != fixed + 1) {
      fail(ErrorCode::kData, "array \"fixed.topic_begin\" must have {} entries, got {}", fixed + 1,
           a.topic_begin.size());
    }
    check_rising(a.topic_begin, a.topic.size(), "fixed.topic_begin");
  }
}

void Dataset::complete_schema() {
  schema_.capacities = !arrays_.fixed_capacity.empty();
  schema_.costs = !arrays_.edge_cost.empty();
}

void Dataset::check_lengths() const {
  const Arrays& a = arrays_;
  const auto fixed = index(a.fixed_begin.back());
  const auto arrivals = index(a.arrival_begin.back());
  const auto expect = [](std::size_t found, std::size_t expected, const char* name) {
    if (found == expected) return;
    fail(ErrorCode::kData, "array \"{}\" must have {} entries, got {}", name, expected, found);
  };
  const auto expect_optional = [&](std::size_t found, std::size_t expected, const char* name) {
    if (found != 0) expect(found, expected, name);
  };
  expect(a.edge_weight.size(), a.edge_node.size(), "edge.weight");
  expect_optional(a.edge_cost.size(), a.edge_node.size(), "edge.cost");
  expect_optional(a.fixed_capacity.size(), fixed, "fixed.capacity");
  expect_optional(a.fixed_name.size(), fixed, "fixed.name");
  expect_optional(a.arrival_name.size(), arrivals, "arrival.name");
  expect_optional(a.fixed_id.size(), fixed, "fixed.id");
  expect(a.fixed_attributes.size(), fixed * schema_.fixed_attributes.size(), "fixed.attributes");
  expect_optional(a.arrival_type.size(), arrivals, "arrival.type");
  expect_optional(a.arrival_preferences.size(), arrivals * schema_.topics.size(),
                  "arrival.preferences");
  expect(a.arrival_attributes.size(), arrivals * schema_.arrival_attributes.size(),
         "arrival.attributes");
  if (a.label_value.empty() && a.label_bound.empty() && a.label_matching.empty()) return;
  expect(a.label_value.size(), size(), "label.value");
  expect(a.label_bound.size(), size(), "label.bound");
  expect(a.label_matching.size(), arrivals, "label.matching");
}

void Dataset::check_texts() const {
  const Arrays& a = arrays_;
  if (a.text_begin.empty() && a.text.empty()) return;
  check_rising(a.text_begin, a.text.size(), "text_begin");
  const Texts texts{a.text_begin, a.text};
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (!is_utf8(texts[i])) {
      fail(ErrorCode::kData, "text {} of array \"text\" is {}; expected UTF-8", i,
           excerpt(texts[i]));
    }
  }
}

void Dataset::check() const {
  check_positions();
  check_lengths();
  check_texts();
  constexpr std::size_t kChunk = 256;
  parallel_for((size() + kChunk - 1) / kChunk, 0, [&](std::size_t chunk) {
    for (std::size_t i = chunk * kChunk; i < std::min(size(), (chunk + 1) * kChunk); ++i) {
      try {
        validate(instance(i).view());
        if (!arrays_.label_value.empty()) validate(label(i), instance(i));
      } catch (const Error& error) {
        fail(ErrorCode::kData, "instance {}: {}", i, error.what());
      }
    }
  });
}

bool operator==(const Dataset& a, const Dataset& b) {
  const bool labelled = !a.arrays_.label_value.empty();
  if (a.schema_ != b.schema_ || a.provenance_ != b.provenance_ || a.size() != b.size() ||
      labelled != !b.arrays_.label_value.empty()) {
    return false;
  }
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!(a.instance(i) == b.instance(i))) return false;
    if (labelled && !(a.label(i) == b.label(i))) return false;
  }
  return true;
}

}  // namespace foresight
