// What every source promises, checked for all that are registered.
#include "foresight/data/source.h"

#include <algorithm>
#include <thread>

#include "tests/expect_error.h"
#include "tests/shared_data.h"
#include "tests/temp_folder.h"
#include <gtest/gtest.h>

namespace foresight {
namespace {

class AnySource : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    std::string options;
    if (GetParam() == "gmission" || GetParam() == "movielens") {
      FORESIGHT_NEEDS_SHARED("data/" + GetParam());
      options = fmt::format("path=\"{}\"", (*shared_folder() / "data" / GetParam()).string());
    } else if (GetParam() == "csv") {
      std::string edges = "node,type,weight\n";
      for (int i = 0; i < 200; ++i) edges += fmt::format("u{},v{},0.{}\n", i % 20, i % 27, i);
      folder_.write_file("edges.csv", edges);
      options = fmt::format("path=\"{}\"", folder_.path().string());
    } else if (GetParam() == "recorded") {
      const auto file = folder_.write_file("log.csv",
                                           "instance,arrival,node,weight\na,1,x,0.5\nb,1,x,1\n"
                                           "b,2,y,0.25\nc,1,y,3\nd,1,,\ne,1,z,1\n");
      options = fmt::format("path=\"{}\"", file.string());
    }
    if (GetParam() == "adx") {
      folder_.write_file("pub1-ads.txt", "advertiser: a rho: 0.2\nadvertiser: b rho: 0.3\n");
      folder_.write_file("pub1-types.txt",
                         "type: x prob: 0.5 advertisers: [a, b] mean: [1, 2] cov: [1, 0.5, 1]\n"
                         "type: y prob: 0.5 advertisers: [b] mean: [1] cov: [2]\n");
      options = fmt::format("path=\"{}\"", folder_.path().string());
    }
    if (GetParam() == "mix") options = "first=crowd(u=4,v=6),second=crowd(u=5,v=9)";
    source_ = sources().make(GetParam() + "(" + options + ")");
  }

  TempFolder folder_;
  std::shared_ptr<Source> source_;
};

TEST_P(AnySource, DrawsTheSameInAnyOrder) {
  std::vector<Instance> forwards;
  for (std::uint64_t i = 0; i < 5; ++i) forwards.push_back(source_->draw(3, i));
  for (std::uint64_t i = 5; i-- > 0;) EXPECT_TRUE(source_->draw(3, i) == forwards[i]);
}

TEST_P(AnySource, DrawsDifferentInstances) {
  EXPECT_FALSE(source_->draw(3, 0) == source_->draw(3, 1));
  const bool same = source_->draw(3, 0) == source_->draw(4, 0);
  EXPECT_EQ(same, source_->size().has_value()) << "only recorded data ignores the seed";
}

TEST_P(AnySource, DrawsTheSameOnManyThreads) {
  std::vector<Instance> drawn(4);
  std::vector<std::thread> threads;
  for (std::uint64_t i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] { drawn[i] = source_->draw(3, i); });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::uint64_t i = 0; i < 4; ++i) EXPECT_TRUE(drawn[i] == source_->draw(3, i));
}

TEST_P(AnySource, InstancesAreValidAndFitTheSchema) {
  const Schema& schema = source_->schema();
  EXPECT_FALSE(schema.problem.empty());
  for (std::uint64_t i = 0; i < 5; ++i) {
    const Instance instance = source_->draw(8, i);
    const InstanceView& view = instance.view();
    EXPECT_NO_THROW(validate(view));
    EXPECT_EQ(view.market.attributes.width, schema.fixed_attributes.size());
    EXPECT_EQ(view.attributes.width, schema.arrival_attributes.size());
    EXPECT_EQ(view.market.num_topics, static_cast<int>(schema.topics.size()));
    EXPECT_EQ(view.market.capacities.empty(), !schema.capacities);
    EXPECT_EQ(view.costs.empty(), !schema.costs);
  }
}

TEST_P(AnySource, InstancesOutliveTheSource) {
  const Instance instance = source_->draw(3, 0);
  const Instance again = source_->draw(3, 0);
  source_.reset();
  EXPECT_TRUE(instance == again);
}

TEST_P(AnySource, OptionsAreExplainedAndUnknownOnesAreListed) {
  for (const OptionInfo& option : sources().options(sources().find(GetParam()))) {
    EXPECT_FALSE(option.text.empty()) << option.name;
  }
  EXPECT_FALSE(sources().find(GetParam()).summary.empty());
  expect_error(ErrorCode::kUsage, {"no option \"colour\"", "it has: "},
               [&] { sources().make(GetParam() + "(colour=red)"); });
}

std::vector<std::string> names() {
  std::vector<std::string> names;
  for (const auto& entry : sources().entries()) names.push_back(entry.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Registry, AnySource, testing::ValuesIn(names()), [](const auto& param) {
  std::string name = param.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(Mix, TakesItsSourcesInTurn) {
  const auto small = sources().make("crowd(u=4,v=6)"), large = sources().make("crowd(u=5,v=9)");
  const auto mix = sources().make("mix(first=crowd(u=4,v=6),second=crowd(u=5,v=9))");
  for (std::uint64_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(mix->draw(3, 2 * i) == small->draw(3, i));
    EXPECT_TRUE(mix->draw(3, 2 * i + 1) == large->draw(3, i));
  }
  expect_error(ErrorCode::kUsage, {"mix", "crowd", "thick-z"},
               [] { sources().make("mix(first=crowd,second=thick-z)"); });
  expect_error(ErrorCode::kUsage, {"mix", "first=SPEC"}, [] { sources().make("mix"); });
}

}  // namespace
}  // namespace foresight
