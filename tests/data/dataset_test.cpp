#include "foresight/data/dataset.h"

#include <filesystem>
#include <fstream>

#include "tests/expect_error.h"
#include "tests/temp_folder.h"
#include <gtest/gtest.h>

#include "foresight/base/safetensors.h"
#include "foresight/solve/solver.h"

namespace foresight {
namespace {

Dataset small(const std::string& spec = "crowd(u=4,v=6)", std::uint64_t count = 5) {
  return generate(*sources().make(spec), {spec, 3}, count, 1, no_progress());
}

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Dataset, SavedAndLoadedIsTheSame) {
  const TempFolder folder;
  for (const char* spec : {"crowd(u=4,v=6)", "er(u=3,v=5,p=0.3)", "thick-z(u=4,v=8)"}) {
    const Dataset plain = small(spec);
    const Dataset labelled = solve(bind_data(plain), {}, no_progress());
    for (const Dataset& data : {plain, labelled}) {
      data.save(folder.path() / "data");
      const Dataset loaded = Dataset::load(folder.path() / "data");
      EXPECT_EQ(loaded, data);
      EXPECT_EQ(loaded.provenance().source, spec);
      EXPECT_EQ(loaded.provenance().seed, 3U);
      EXPECT_EQ(loaded.schema(), data.schema());
      EXPECT_EQ(loaded.labelled(), data.labelled());
    }
    EXPECT_FALSE(plain == labelled);
    EXPECT_FALSE(plain == small(spec, 4));
  }
}

TEST(Dataset, TakesNoLabelThatDoesNotFitItsInstance) {
  const Dataset data = small("er(u=2,v=1,p=0)", 1);
  EXPECT_TRUE(data.with_labels(std::vector<Label>{{0, 0, {kSkip}}}).labelled());
  const auto refused = [&](const Label& label, const std::string& why) {
    expect_error(ErrorCode::kData, {why}, [&] { data.with_labels(std::vector{label}); });
  };
  refused({0, 0, {1}}, "matches arrival 0 to node 1, but there is no such edge");
  refused({0, 0, {5}}, "node 5");
  refused({2, 1, {kSkip}}, "0 <= value <= bound");
  refused({std::nan(""), 1, {kSkip}}, "value nan");
}

TEST(Dataset, WrapsTheArraysOfAnotherWithoutACopy) {
  for (const char* spec : {"crowd(u=4,v=6)", "thick-z(u=4,v=8)"}) {
    const Dataset data = solve(bind_data(small(spec)), {}, no_progress());
    const auto arrays = data.arrays();
    const Dataset wrapped = Dataset::wrap(data.schema(), data.provenance(), arrays,
                                          std::make_shared<const Dataset>(data));
    EXPECT_EQ(wrapped, data);
    EXPECT_EQ(wrapped.instance(0).view().weights.data(), data.instance(0).view().weights.data());
  }
}

TEST(Dataset, WrapChecksWhatItIsGiven) {
  const Dataset data = small();
  const auto wrap = [&](const std::vector<DatasetArray>& arrays) {
    Dataset::wrap(data.schema(), data.provenance(), arrays, nullptr);
  };
  auto arrays = data.arrays();
  arrays.push_back({"edge.colour", std::span<const float>(), 1});
  expect_error(ErrorCode::kData, {"edge.colour"}, [&] { wrap(arrays); });
  arrays.back() = arrays.front();
  expect_error(ErrorCode::kData, {"twice"}, [&] { wrap(arrays); });
  arrays = data.arrays();
  for (DatasetArray& array : arrays) {
    if (array.name == "edge.weight") array.values = std::span<const double>();
  }
  expect_error(ErrorCode::kData, {"edge.weight", "type"}, [&] { wrap(arrays); });
  arrays = data.arrays();
  std::vector<float> weights(static_cast<std::size_t>(data.num_edges()), -1.0F);
  for (DatasetArray& array : arrays) {
    if (array.name == "edge.weight") array.values = std::span<const float>(weights);
  }
  expect_error(ErrorCode::kData, {"instance 0", "-1"}, [&] { wrap(arrays); });
}

TEST(Dataset, AnEmptyOneIsFine) {
  const TempFolder folder;
  const Dataset none = small("er(u=3,v=5)", 0);
  none.save(folder.path() / "data");
  EXPECT_EQ(Dataset::load(folder.path() / "data").size(), 0U);
}

TEST(Dataset, InstancesWithoutEdgesOrNodesSurvive) {
  const TempFolder folder;
  std::vector<Instance> instances;
  InstanceBuilder edgeless(3);
  edgeless.arrive({}, {});
  instances.push_back(std::move(edgeless).build());
  instances.push_back(InstanceBuilder(0).build());
  const Dataset data = Dataset::gather({.problem = "e-obm"}, {"x", 0}, instances);
  data.save(folder.path() / "data");
  EXPECT_EQ(Dataset::load(folder.path() / "data"), data);
  EXPECT_EQ(solve(bind_data(data), {}, no_progress()).optimum(0), 0);
}

TEST(Dataset, ThreadsDoNotChangeTheFile) {
  const TempFolder folder;
  std::string first;
  for (const int threads : {1, 2, 7}) {
    const std::string spec = "crowd(u=5,v=8,workers=vary)";
    const Dataset data = generate(*sources().make(spec), {spec, 9}, 300, threads, no_progress());
    solve(bind_data(data), {.threads = threads}, no_progress()).save(folder.path() / "data");
    const std::string bytes = read(folder.path() / "data");
    if (first.empty()) first = bytes;
    EXPECT_TRUE(bytes == first) << threads << " threads give another file";
  }
}

// Sparse storage: the file costs what the edges cost, not |U| x |V|.
TEST(Dataset, ALargeSparseInstanceCostsItsEdges) {
  const TempFolder folder;
  const std::string spec = "er(u=1000,v=20000,p=0.01)";
  const Dataset data = generate(*sources().make(spec), {spec, 1}, 1, 1, no_progress());
  data.save(folder.path() / "data");
  const auto bytes = static_cast<double>(std::filesystem::file_size(folder.path() / "data"));
  const double edges = static_cast<double>(data.num_edges());
  EXPECT_NEAR(edges, 200'000, 3000);
  EXPECT_LT(bytes, 8 * edges + 8 * 20'000 + 4096);
}

TEST(Dataset, AskingForALabelThatIsNotThereIsAnError) {
  const TempFolder folder;
  small().save(folder.path() / "data");
  const Dataset data = Dataset::load(folder.path() / "data");
  expect_error(ErrorCode::kUsage, {(folder.path() / "data").string(), "no hindsight optima"},
               [&] { data.optimum(0); });
  expect_error(ErrorCode::kUsage, {"no hindsight optima"}, [&] { data.label(0); });
  const Dataset solved = solve(bind_data(data), {}, no_progress());
  EXPECT_GT(solved.optimum(4), 0);
  expect_error(ErrorCode::kUsage, {"instance 5", "is 5"}, [&] { solved.optimum(5); });
  expect_error(ErrorCode::kUsage, {"instance 5", "is 5"}, [&] { solved.label(5); });
}

TEST(Dataset, OtherFilesAreRefused) {
  const TempFolder folder;
  const auto path = folder.path() / "data";
  expect_error(ErrorCode::kIo, {path.string()}, [&] { Dataset::load(path); });
  SafeTensorsWriter writer;
  writer.write(path);
  expect_error(ErrorCode::kData, {path.string(), "not a dataset"}, [&] { Dataset::load(path); });
  writer.set_meta("format", "foresight-dataset");
  writer.set_meta("version", "99");
  writer.write(path);
  expect_error(ErrorCode::kData, {path.string(), "version 99"}, [&] { Dataset::load(path); });
}

// A file with a valid digest but arrays that break the rules: each must be named, none may crash.
class HostileDataset : public testing::Test {
 protected:
  HostileDataset() {
    for (const auto& [key, text] :
         std::map<std::string, std::string>{{"format", "foresight-dataset"},
                                            {"version", "1"},
                                            {"problem", "e-obm"},
                                            {"source", "x"},
                                            {"seed", "1"},
                                            {"fixed_attributes", "[]"},
                                            {"arrival_attributes", "[]"},
                                            {"topics", "[]"}}) {
      writer_.set_meta(key, text);
    }
  }

  void expect_refusal(std::initializer_list<std::string> pieces) {
    SafeTensorsWriter writer = writer_;
    writer.add<std::int64_t>("instance.fixed_begin", {fixed_begin.size()}, fixed_begin);
    writer.add<std::int64_t>("instance.arrival_begin", {arrival_begin.size()}, arrival_begin);
    writer.add<std::int64_t>("arrival.edge_begin", {edge_begin.size()}, edge_begin);
    writer.add<NodeId>("edge.node", {node.size()}, node);
    writer.add<float>("edge.weight", {weight.size()}, weight);
    if (!budget.empty()) writer.add<float>("fixed.budget", {budget.size()}, budget);
    if (!value.empty()) {
      writer.add<double>("label.value", {value.size()}, value);
      writer.add<double>("label.bound", {bound.size()}, bound);
      writer.add<NodeId>("label.matching", {matching.size()}, matching);
    }
    writer.write(path_);
    expect_error(ErrorCode::kData, pieces, [&] { Dataset::load(path_); });
  }

  // One instance: two fixed nodes, two arrivals with edges {0, 1} and {1}.
  std::vector<std::int64_t> fixed_begin{0, 2}, arrival_begin{0, 2}, edge_begin{0, 2, 3};
  std::vector<NodeId> node{0, 1, 1};
  std::vector<float> weight{0.5F, 0.25F, 1};
  std::vector<float> budget;
  std::vector<double> value, bound;
  std::vector<NodeId> matching;
  SafeTensorsWriter writer_;

 private:
  TempFolder folder_;
  std::filesystem::path path_ = folder_.path() / "data";
};

TEST_F(HostileDataset, NodeOutOfRange) {
  node[2] = 2;
  expect_refusal({"instance 0", "arrival 1", "node 2"});
}
TEST_F(HostileDataset, NegativeNode) {
  node[2] = -1;
  expect_refusal({"instance 0", "arrival 1", "node -1"});
}
TEST_F(HostileDataset, RepeatedEdge) {
  node[1] = 0;
  expect_refusal({"instance 0", "arrival 0", "node 0"});
}
TEST_F(HostileDataset, WeightsThatAreNoAmounts) {
  for (const float bad :
       {-1.0F, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    weight[1] = bad;
    expect_refusal({"instance 0", "arrival 0", "finite number >= 0"});
  }
}
TEST_F(HostileDataset, PositionsThatFall) {
  edge_begin = {0, 3, 2};
  expect_refusal({"arrival.edge_begin", "rise"});
}
TEST_F(HostileDataset, PositionsBeyondTheEnd) {
  edge_begin = {0, 2, 300};
  expect_refusal({"arrival.edge_begin", "rise"});
}
TEST_F(HostileDataset, NegativePositions) {
  arrival_begin = {0, -5};
  expect_refusal({"instance.arrival_begin"});
}
TEST_F(HostileDataset, TooFewEdgePositions) {
  edge_begin = {0, 3};
  expect_refusal({"arrival.edge_begin", "3 entries", "2"});
}
TEST_F(HostileDataset, LengthsThatDoNotFit) {
  weight.pop_back();
  expect_refusal({"edge.weight", "3", "2"});
}
TEST_F(HostileDataset, BudgetsForSomeNodesOnly) {
  budget = {1};
  expect_refusal({"fixed.capacity", "2", "1"});
}
TEST_F(HostileDataset, ANegativeBudget) {
  budget = {1, -1};
  expect_refusal({"capacity", "1", "-1"});
}
TEST_F(HostileDataset, HugeCounts) {
  fixed_begin = {0, std::int64_t{1} << 40};
  expect_refusal({"instance 0", "more than"});
}
TEST_F(HostileDataset, ALabelThatUsesNoEdge) {
  value = bound = {1};
  matching = {kSkip, 0};
  expect_refusal({"instance 0", "arrival 1", "node 0"});
}
TEST_F(HostileDataset, ALabelAboveItsBound) {
  value = {2};
  bound = {1};
  matching = {kSkip, 1};
  expect_refusal({"instance 0", "value 2", "bound 1"});
}
TEST_F(HostileDataset, ALabelThatIsNotANumber) {
  value = bound = {std::numeric_limits<double>::quiet_NaN()};
  matching = {kSkip, 1};
  expect_refusal({"instance 0", "nan"});
}
TEST_F(HostileDataset, MetadataOfTheWrongKind) {
  writer_.set_meta("topics", "{\"a\": 1}");
  expect_refusal({"topics", "list of names"});
  writer_.set_meta("topics", "[]");
  writer_.set_meta("seed", "-3");
  expect_refusal({"seed", "-3"});
}

}  // namespace
}  // namespace foresight
