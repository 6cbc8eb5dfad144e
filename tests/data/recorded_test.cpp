#include <algorithm>

#include "tests/expect_error.h"
#include "tests/temp_folder.h"
#include <gtest/gtest.h>

#include "foresight/data/source.h"

namespace foresight {
namespace {

using Nodes = std::vector<NodeId>;
using Floats = std::vector<float>;

class Recorded : public testing::Test {
 protected:
  std::shared_ptr<Source> make(std::string_view log) const {
    const auto file = folder_.write_file("log.csv", log);
    return sources().make(fmt::format("recorded(path=\"{}\")", file.string()));
  }

  std::shared_ptr<Source> make(std::string_view log, std::string_view fixed) const {
    const auto file = folder_.write_file("log.csv", log);
    const auto nodes = folder_.write_file("nodes.csv", fixed);
    return sources().make(
        fmt::format("recorded(path=\"{}\",fixed=\"{}\")", file.string(), nodes.string()));
  }

  void expect_broken(std::string_view log, std::initializer_list<std::string> pieces) const {
    expect_error(ErrorCode::kData, pieces, [&] { make(log); });
  }

  TempFolder folder_;
};

/// Writes the instance as lines of a log; nodes are called n0, n1, ...
std::string log_of(const Instance& instance, std::string_view name) {
  std::string lines;
  for (int t = 0; t < instance.num_arrivals(); ++t) {
    const Arrival arrival = instance.arrival(t);
    const auto add = [&](const std::string& u, const std::string& weight) {
      lines += fmt::format("{},{},{},{},type {},{},{},{}\n", name, t, u, weight, arrival.type,
                           arrival.attributes[0], arrival.attributes[1], arrival.attributes[2]);
    };
    for (std::size_t e = arrival.nodes.size(); e-- > 0;) {
      add(fmt::format("n{}", arrival.nodes[e]), fmt::format("{}", arrival.weights[e]));
    }
    if (arrival.nodes.empty()) add("", "");
  }
  return lines;
}

TEST_F(Recorded, WhatWasWrittenIsReadBack) {
  const auto crowd = sources().make("crowd(u=10,v=30)");
  std::string log = "instance,arrival,u,weight,type,arrival:x,arrival:y,arrival:payoff\n";
  std::string fixed = "id,x,y,radius,success\n";
  const Instance first = crowd->draw(1, 0);
  const Market& market = first.market();
  for (std::size_t u = 0; u < 10; ++u) {
    const auto a = market.attributes[u];
    fixed += fmt::format("n{},{},{},{},{}\n", u, a[0], a[1], a[2], a[3]);
  }
  for (std::uint64_t i = 0; i < 5; ++i) {
    log += log_of(crowd->draw(1, i), fmt::format("day {}", i));
  }
  const auto source = make(log, fixed);
  EXPECT_EQ(source->size(), 5U);
  EXPECT_EQ(source->schema(), crowd->schema());
  for (std::uint64_t i = 0; i < 5; ++i) {
    const Instance expected = crowd->draw(1, i);
    const Instance found = source->draw(99, i);
    EXPECT_NO_THROW(validate(found.view()));
    ASSERT_EQ(found.num_arrivals(), 30);
    EXPECT_TRUE(
        std::ranges::equal(found.market().attributes.values, expected.market().attributes.values));
    for (int t = 0; t < 30; ++t) {
      const Arrival a = found.arrival(t), b = expected.arrival(t);
      EXPECT_TRUE(std::ranges::equal(a.nodes, b.nodes));
      EXPECT_TRUE(std::ranges::equal(a.weights, b.weights));
      EXPECT_TRUE(std::ranges::equal(a.attributes, b.attributes));
    }
  }
}

TEST_F(Recorded, InstancesAndArrivalsKeepTheOrderOfTheFile) {
  const auto source = make(
      "u,weight,arrival,instance\n"
      "b,1,9,late\n"
      "a,2,9,late\n"
      "c,3,1,late\n"
      "a,4,9,early\n");
  ASSERT_EQ(source->size(), 2U);
  const Instance late = source->draw(0, 0), early = source->draw(0, 1);
  EXPECT_EQ(late.market().num_fixed, 3);
  EXPECT_EQ(early.market().num_fixed, 3) << "all instances share the fixed nodes";
  ASSERT_EQ(late.num_arrivals(), 2);
  ASSERT_EQ(early.num_arrivals(), 1);
  // Nodes are numbered as they first appear: b, a, c.
  EXPECT_TRUE(std::ranges::equal(late.arrival(0).nodes, Nodes{0, 1}));
  EXPECT_TRUE(std::ranges::equal(late.arrival(0).weights, Floats{1, 2}));
  EXPECT_TRUE(std::ranges::equal(late.arrival(1).nodes, Nodes{2}));
  EXPECT_TRUE(std::ranges::equal(early.arrival(0).nodes, Nodes{1}));
  EXPECT_TRUE(std::ranges::equal(early.arrival(0).weights, Floats{4}));
  EXPECT_EQ(late.arrival(0).type, kNoType);
}

TEST_F(Recorded, AnArrivalMayHaveNoEdges) {
  const auto source = make("instance,arrival,u,weight\nx,1,,\nx,2,a,0.5\nx,3,,\ny,1,,\n");
  const Instance x = source->draw(0, 0);
  ASSERT_EQ(x.num_arrivals(), 3);
  EXPECT_EQ(x.arrival(0).degree(), 0);
  EXPECT_EQ(x.arrival(1).degree(), 1);
  EXPECT_EQ(x.arrival(2).degree(), 0);
  EXPECT_EQ(source->draw(0, 1).num_edges(), 0);
}

TEST_F(Recorded, AWeightThatIsNotGivenIsOne) {
  const Instance instance = make("instance,arrival,u\nx,1,a\nx,1,b\n")->draw(0, 0);
  EXPECT_TRUE(std::ranges::equal(instance.arrival(0).weights, Floats{1, 1}));
}

TEST_F(Recorded, TypesAreTheSameInAllInstances) {
  const auto source = make("instance,arrival,u,type\nx,1,a,ann\nx,2,a,bob\ny,1,a,bob\ny,2,a,\n");
  const Instance x = source->draw(0, 0), y = source->draw(0, 1);
  EXPECT_NE(x.arrival(0).type, x.arrival(1).type);
  EXPECT_EQ(y.arrival(0).type, x.arrival(1).type);
  EXPECT_EQ(y.arrival(1).type, kNoType);
}

TEST_F(Recorded, FixedNodesMayHaveBudgetsTopicsAndAttributes) {
  const auto source = make("instance,arrival,u,prefer:B,prefer:A\nx,1,n2,0.5,0.25\n",
                           "id,budget,topics,size\nn1,1,A,7\nn2,2,A|B,8\nn3,3,,9\n");
  EXPECT_EQ(source->schema(), (Schema{.problem = "osbm",
                                      .fixed_attributes = {"size"},
                                      .topics = {"A", "B"},
                                      .capacities = true}));
  const Instance instance = source->draw(0, 0);
  const Market& market = instance.market();
  EXPECT_EQ(market.num_fixed, 3);
  EXPECT_TRUE(std::ranges::equal(market.capacities, Floats{1, 2, 3}));
  EXPECT_TRUE(std::ranges::equal(market.topics_of(1), Nodes{0, 1}));
  EXPECT_TRUE(market.topics_of(2).empty());
  EXPECT_EQ(market.attributes[2][0], 9);
  EXPECT_TRUE(std::ranges::equal(instance.arrival(0).nodes, Nodes{1}));
  EXPECT_TRUE(std::ranges::equal(instance.arrival(0).preferences, Floats{0.25, 0.5}));
}

TEST_F(Recorded, TheProblemFollowsTheFixedNodes) {
  const char* log = "instance,arrival,u\nx,1,a\n";
  EXPECT_EQ(make(log)->schema().problem, "e-obm");
  EXPECT_EQ(make(log, "id\na\n")->schema().problem, "e-obm");
  EXPECT_EQ(make(log, "id,budget\na,1\n")->schema().problem, "adwords");
  const auto coverage = make(log, "id,topics\na,A|B\n");
  EXPECT_EQ(coverage->schema().problem, "osbm");
  const Instance instance = coverage->draw(0, 0);
  EXPECT_TRUE(std::ranges::equal(instance.arrival(0).preferences, Floats{1, 1}));
}

TEST_F(Recorded, ThereIsNoInstanceAfterTheLast) {
  const auto source = make("instance,arrival,u\nx,1,a\ny,1,a\n");
  expect_error(ErrorCode::kUsage, {"log.csv", "no instance 2", "instances is 2"},
               [&] { source->draw(0, 2); });
}

TEST_F(Recorded, LinesOfAnInstanceStandTogether) {
  expect_broken("instance,arrival,u\nx,1,a\ny,1,a\nx,2,a\n",
                {"log.csv:4: column \"instance\"", "follow each other", "\"x\""});
}

TEST_F(Recorded, LinesOfAnArrivalStandTogether) {
  expect_broken("instance,arrival,u\nx,1,a\nx,2,a\nx,1,b\n",
                {"log.csv:4: column \"arrival\"", "follow each other", "\"1\""});
}

TEST_F(Recorded, AnArrivalIsDescribedTheSameOnAllItsLines) {
  expect_broken("instance,arrival,u,arrival:age\nx,1,a,5\nx,1,b,6\n",
                {"log.csv:3: column \"arrival:age\"", "\"5\"", "got \"6\""});
  expect_broken("instance,arrival,u,type\nx,1,a,ann\nx,1,b,\n",
                {"log.csv:3: column \"type\"", "\"ann\"", "got \"\""});
}

TEST_F(Recorded, ATypeHasOneCoverageFunctionInAnInstance) {
  const char* fixed = "id,topics\na,A\n";
  const std::string head = "instance,arrival,u,type,prefer:A\nx,1,a,ann,0.5\n";
  expect_error(ErrorCode::kData, {"log.csv:3: column \"prefer:A\"", "0.5", "got \"0.7\""},
               [&] { make(head + "x,2,a,ann,0.7\n", fixed); });
  EXPECT_EQ(make(head + "y,2,a,ann,0.7\n", fixed)->size(), 2U) << "another day, another taste";
  EXPECT_EQ(make(head + "x,2,a,bob,0.7\n", fixed)->size(), 1U);
}

TEST_F(Recorded, RepeatedEdgesNameBothLines) {
  expect_broken("instance,arrival,u\nx,1,a\nx,1,b\nx,1,a\n", {"log.csv:4: ", "line 2"});
  expect_broken("instance,arrival,u\nx,1,a\nx,1,a\nx,2,a\n", {"log.csv:3: ", "line 2"});
}

TEST_F(Recorded, ALineWithoutANodeStandsAlone) {
  expect_broken("instance,arrival,u\nx,1,\nx,1,a\n", {"log.csv:3: column \"arrival\"", "\"1\""});
  expect_broken("instance,arrival,u\nx,1,a\nx,1,\n", {"log.csv:3: column \"u\"", "an id"});
  expect_broken("instance,arrival,u,weight\nx,1,,0.5\n",
                {"log.csv:2: column \"weight\"", "nothing", "\"0.5\""});
}

TEST_F(Recorded, WeightsMustBeFiniteAndNotNegative) {
  for (const char* weight : {"-1", "nan", "inf", "", "x", "1e39"}) {
    expect_broken(fmt::format("instance,arrival,u,weight\nx,1,a,{}\n", weight),
                  {"log.csv:2: column \"weight\"", fmt::format("got \"{}\"", weight)});
  }
}

TEST_F(Recorded, AttributesMustBeNumbers) {
  expect_broken("instance,arrival,u,arrival:age\nx,1,a,old\n",
                {"log.csv:2: column \"arrival:age\"", "number", "\"old\""});
}

TEST_F(Recorded, ColumnsAreChecked) {
  expect_broken("instance,u\nx,a\n", {"log.csv", "no column \"arrival\""});
  expect_broken("arrival,u\nx,a\n", {"log.csv", "no column \"instance\""});
  expect_broken("instance,arrival\nx,1\n", {"log.csv", "no column \"u\""});
  expect_broken("instance,arrival,u,age\nx,1,a,5\n",
                {"log.csv", "\"age\"", "arrival:", "instance, arrival, u, weight"});
  expect_broken("instance,arrival,u,arrival:\nx,1,a,5\n", {"log.csv", "name", "\"arrival:\""});
  expect_broken("instance,arrival,u,prefer:A\nx,1,a,5\n", {"\"prefer:A\"", "no fixed node"});
}

TEST_F(Recorded, IdsMayNotBeEmpty) {
  expect_broken("instance,arrival,u\n,1,a\n", {"log.csv:2: column \"instance\"", "an id"});
  expect_broken("instance,arrival,u\nx,,a\n", {"log.csv:2: column \"arrival\"", "an id"});
}

TEST_F(Recorded, UnknownFixedNodesAreNamed) {
  expect_error(ErrorCode::kData, {"log.csv:3: column \"u\"", "fixed", "\"b\""},
               [&] { make("instance,arrival,u\nx,1,a\nx,2,b\n", "id\na\n"); });
}

TEST_F(Recorded, ARecordWithoutEdgesIsAnError) {
  expect_broken("", {"log.csv:1: ", "empty"});
  expect_broken("instance,arrival,u\n", {"log.csv: the file lists no edge"});
  expect_broken("instance,arrival,u\nx,1,\n", {"log.csv: the file lists no edge"});
}

TEST_F(Recorded, FilesMustBeGivenAndBeThere) {
  expect_error(ErrorCode::kUsage, {"\"recorded\"", "\"path\"", "instance, arrival"},
               [] { sources().make("recorded"); });
  expect_error(ErrorCode::kIo, {"nowhere.csv"}, [&] {
    sources().make(fmt::format("recorded(path=\"{}\")", (folder_.path() / "nowhere.csv").string()));
  });
}

}  // namespace
}  // namespace foresight
