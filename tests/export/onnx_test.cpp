// ONNX files: their structure, read by a small parser of our own, and the samples beside them. That
// ONNX Runtime computes the same scores is checked by python/tests/test_onnx.py.
#include "foresight/export/onnx.h"

#include <set>

#include "tests/expect_error.h"
#include "tests/played_sources.h"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "foresight/base/safetensors.h"
#include "foresight/base/version.h"
#include "foresight/export/onnx_writer_internal.h"
#include "foresight/export/samples.h"
#include "foresight/model/feed.h"
#include "foresight/nn/network.h"

namespace foresight {
namespace {

/// A protobuf message: what its fields hold, in order.
struct Parsed {
  explicit Parsed(std::string_view rest) {
    while (!rest.empty()) {
      const std::uint64_t tag = varint(rest);
      const auto field = static_cast<int>(tag >> 3);
      if (tag % 8 == 0) {
        numbers[field].push_back(static_cast<std::int64_t>(varint(rest)));
      } else {
        EXPECT_EQ(tag % 8, 2U);
        const std::size_t size = varint(rest);
        EXPECT_LE(size, rest.size());
        texts[field].emplace_back(rest.substr(0, size));
        rest.remove_prefix(size);
      }
    }
  }
  static std::uint64_t varint(std::string_view& rest) {
    std::uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(rest.at(0));
      rest.remove_prefix(1);
      value |= static_cast<std::uint64_t>(byte & 127) << shift;
      if (byte < 128) return value;
    }
  }
  std::vector<Parsed> messages(int field) const {
    std::vector<Parsed> parsed;
    if (!texts.contains(field)) return parsed;
    for (const std::string& text : texts.at(field)) parsed.emplace_back(text);
    return parsed;
  }
  const std::string& text(int field) const { return texts.at(field).front(); }

  std::map<int, std::vector<std::int64_t>> numbers;
  std::map<int, std::vector<std::string>> texts;
};

TrainedModel fresh(const std::string& spec, Schema schema, NodeId num_fixed = 4) {
  TrainedModel trained{{spec, {std::move(schema), num_fixed}, {{"seed", "1"}}}, nullptr};
  trained.model = models().make(spec)->build(trained.info.context);
  Rng rng(1, Stream::kInitialise, 0);
  trained.model->set_parameters(trained.model->initial_parameters(rng));
  return trained;
}

std::map<std::string, std::string> metadata(const Parsed& model) {
  std::map<std::string, std::string> entries;
  for (const Parsed& entry : model.messages(14)) entries[entry.text(1)] = entry.text(2);
  return entries;
}

TEST(OnnxWriter, NumbersAreVarintsAsTheWireFormatSays) {
  const Message message = Message().number(1, 300).number(16, -1).text(2, "ab");
  EXPECT_EQ(message.bytes(), std::string("\x08\xAC\x02"
                                         "\x80\x01\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01"
                                         "\x12\x02"
                                         "ab"));
}

class EveryExport : public testing::TestWithParam<std::string> {};

TEST_P(EveryExport, IsAGraphWhoseValuesAreAllMadeBeforeTheyAreUsed) {
  const std::vector<Schema> schemas = {
      {.problem = "e-obm"},
      {.problem = "adwords"},
      {.problem = "gen-assignment", .arrival_attributes = {"hour"}, .capacities = true}};
  for (const Schema& schema : schemas) {
    const std::string& problem = schema.problem;
    const TrainedModel trained = fresh(GetParam(), schema);
    const Parsed model(to_onnx(trained));
    EXPECT_EQ(model.text(2), "foresight");
    EXPECT_EQ(model.text(3), kVersion);
    EXPECT_EQ(model.messages(8).at(0).numbers.at(2).at(0), kOnnxOperators);
    const Parsed graph = model.messages(7).at(0);
    std::set<std::string> known;
    std::size_t weights = 0;
    for (const Parsed& constant : graph.messages(5)) {
      EXPECT_TRUE(known.insert(constant.text(8)).second) << constant.text(8);
      std::size_t size = 1;
      if (constant.numbers.contains(1)) {
        for (const std::int64_t n : constant.numbers.at(1)) size *= static_cast<std::size_t>(n);
      }
      const bool is_float = constant.numbers.at(2).at(0) == 1;
      EXPECT_EQ(constant.text(9).size(), size * (is_float ? 4 : 8)) << constant.text(8);
      if (is_float && size > 1) weights += size;
    }
    // All that was learned is there, and nothing twice; single numbers are left out of the count.
    std::size_t learned = 0;
    for (const auto& tensor : trained.model->parameters().tensors()) {
      if (tensor.size > 1) learned += tensor.size;
    }
    EXPECT_EQ(weights, learned) << problem;
    for (const Parsed& input : graph.messages(11)) {
      EXPECT_TRUE(known.insert(input.text(1)).second);
      EXPECT_FALSE(input.text(3).empty()) << "says what goes in";
    }
    for (const Parsed& node : graph.messages(1)) {
      for (const std::string& name : node.texts.at(1)) EXPECT_TRUE(known.contains(name)) << name;
      EXPECT_TRUE(known.insert(node.text(2)).second);
    }
    EXPECT_EQ(graph.messages(12).at(0).text(1), "scores");
    EXPECT_TRUE(known.contains("scores"));
    const auto about = metadata(model);
    EXPECT_EQ(about.at("model"), GetParam());
    EXPECT_EQ(about.at("problem"), problem);
    EXPECT_EQ(about.at("provenance.seed"), "1");
    EXPECT_EQ(nlohmann::json::parse(about.at("features")).get<std::vector<std::string>>(),
              trained.model->features());
  }
}

TEST_P(EveryExport, IsGivenInputsOfTheShapesItNames) {
  const TempFolder folder;
  for (const auto& [data, spec] : played_sources(folder)) {
    SCOPED_TRACE(data);
    const auto source = sources().make(spec);
    const auto problem = problems().make(source->schema().problem);
    const Instance instance = source->draw(1, 0);
    const TrainedModel trained = fresh(GetParam(), source->schema(), instance.market().num_fixed);
    const Network network = trained.model->network();
    const auto feed = trained.model->feed(instance.market());
    State state(*problem, instance.market());
    for (int t = 0; t < instance.num_arrivals(); ++t) {
      state.arrive(instance.arrival(t));
      const NetworkInputs inputs = feed->next(state);
      ASSERT_EQ(inputs.arrays.size(), network.inputs().size());
      EXPECT_EQ(inputs.entries.size(), state.offers().size() + 1);
      std::map<std::string, std::size_t> sizes = {{"batch", 1}};
      for (std::size_t k = 0; k < inputs.arrays.size(); ++k) {
        const auto& named = network.inputs()[k];
        ASSERT_EQ(inputs.arrays[k].shape.size(), named.shape.size());
        for (std::size_t axis = 0; axis < named.shape.size(); ++axis) {
          const auto& [name, size] = named.shape[axis];
          const std::size_t found = inputs.arrays[k].shape[axis];
          if (name.empty()) {
            EXPECT_EQ(found, size) << named.name;
          } else {
            EXPECT_EQ(sizes.emplace(name, found).first->second, found) << named.name << " " << name;
          }
        }
        if (!named.columns.empty()) {
          EXPECT_EQ(named.columns.size(), named.shape.back().size);
        }
      }
      const auto& scores = network.output().shape.back();
      const std::size_t length = scores.name.empty() ? scores.size : sizes.at(scores.name);
      for (const std::size_t entry : inputs.entries) EXPECT_LT(entry, length);
      state.decide(state.offers().empty() || t % 3 == 0 ? kSkip : state.offers().back().node);
    }
  }
}

std::vector<std::string> specs() {
  std::vector<std::string> names;
  for (const auto& entry : models().entries()) names.push_back(entry.name);
  names.push_back("gnn-hist(encoder=3,layers=1)");
  names.push_back("value(layers=1)");
  return names;
}

INSTANTIATE_TEST_SUITE_P(Models, EveryExport, testing::ValuesIn(specs()), [](const auto& test) {
  std::string name = test.param;
  std::ranges::replace_if(
      name, [](char c) { return !std::isalnum(c); }, '_');
  return name;
});

TEST(Onnx, NamesOfAttributesMayBeAnything) {
  const std::string odd = "\"</script>\n\t\\ \xE2\x9C\x93 ";
  const TrainedModel trained =
      fresh("inv-ff-plus", {.problem = "e-obm", .fixed_attributes = {odd, odd, ""}});
  const auto about = metadata(Parsed(to_onnx(trained)));
  const auto features = nlohmann::json::parse(about.at("features"));
  EXPECT_EQ(features.at(features.size() - 3), "fixed." + odd);
  EXPECT_EQ(features.back(), "fixed.");
}

TEST(Onnx, TheSameModelGivesTheSameBytes) {
  const TrainedModel trained = fresh("gnn-hist", {.problem = "e-obm"});
  EXPECT_EQ(to_onnx(trained), to_onnx(trained));
}

TEST(Samples, HoldDecisionsWithAChoiceOnly) {
  const TempFolder folder;
  const auto source = sources().make("er(u=4,v=8,p=0.3)");
  const TrainedModel trained = fresh("inv-ff", source->schema());
  const std::vector<Instance> instances = {source->draw(1, 0), source->draw(1, 1)};
  const BoundDataset data = bind_data(Dataset::gather(source->schema(), {"er", 1}, instances));
  const auto path = folder.path() / "samples";
  const std::size_t all = write_samples(path, trained, data, 1000);
  EXPECT_GT(all, 3U);
  EXPECT_LE(all, 16U);
  EXPECT_EQ(write_samples(path, trained, data, 3), 3U);
  const auto file = SafeTensors::open(path);
  EXPECT_EQ(file->meta("samples"), "3");
  EXPECT_EQ(file->meta("inputs"), "[\"features\"]");
  for (const char* i : {"0", "1", "2"}) {
    const auto scores = file->array<float>(fmt::format("{}.scores", i));
    EXPECT_GT(scores.size(), 1U);
    EXPECT_EQ(file->shape(fmt::format("{}.features", i)),
              (std::vector<std::size_t>{1, scores.size(), 3}));
  }
}

TEST(Samples, RefuseDataWithoutAChoice) {
  const TempFolder folder;
  InstanceBuilder builder(4);
  builder.arrive({}, {});
  const Instance instance = std::move(builder).build();
  const BoundDataset data =
      bind_data(Dataset::gather({.problem = "e-obm"}, {"none", 1}, {&instance, 1}));
  expect_error(ErrorCode::kData, {"no decision with a choice"}, [&] {
    write_samples(folder.path() / "samples", fresh("ff", {.problem = "e-obm"}), data, 10);
  });
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "samples"));
}

}  // namespace
}  // namespace foresight
