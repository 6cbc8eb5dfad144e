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
  std::string log = "instance,arrival,node,weight,type,arrival:x,arrival:y,arrival:payoff\n";
  std::string fixed = "node,x,y,radius,success\n";
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
      "node,weight,arrival,instance\n"
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
  const auto source = make("instance,arrival,node,weight\nx,1,,\nx,2,a,0.5\nx,3,,\ny,1,,\n");
  const Instance x = source->draw(0, 0);
  ASSERT_EQ(x.num_arrivals(), 3);
  EXPECT_EQ(x.arrival(0).degree(), 0);
  EXPECT_EQ(x.arrival(1).degree(), 1);
  EXPECT_EQ(x.arrival(2).degree(), 0);
  EXPECT_EQ(source->draw(0, 1).num_edges(), 0);
}

TEST_F(Recorded, AWeightThatIsNotGivenIsOne) {
  const Instance instance = make("instance,arrival,node\nx,1,a\nx,1,b\n")->draw(0, 0);
  EXPECT_TRUE(std::ranges::equal(instance.arrival(0).weights, Floats{1, 1}));
}

TEST_F(Recorded, TypesAreTheSameInAllInstances) {
  const auto source = make("instance,arrival,node,type\nx,1,a,ann\nx,2,a,bob\ny,1,a,bob\ny,2,a,\n");
  const Instance x = source->draw(0, 0), y = source->draw(0, 1);
  EXPECT_NE(x.arrival(0).type, x.arrival(1).type);
  EXPECT_EQ(y.arrival(0).type, x.arrival(1).type);
  EXPECT_EQ(y.arrival(1).type, kNoType);
}

TEST_F(Recorded, FixedNodesMayHaveCapacitiesTopicsAndAttributes) {
  const auto source = make("instance,arrival,node,prefer:B,prefer:A\nx,1,n2,0.5,0.25\n",
                           "node,capacity,topics,size\nn1,1,A,7\nn2,2,A|B,8\nn3,3,,9\n");
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
  const char* log = "instance,arrival,node\nx,1,a\n";
  EXPECT_EQ(make(log)->schema().problem, "e-obm");
  EXPECT_EQ(make(log, "node\na\n")->schema().problem, "e-obm");
  EXPECT_EQ(make(log, "node,budget\na,1\n")->schema().problem, "adwords");
  const auto coverage = make(log, "node,topics\na,A|B\n");
  EXPECT_EQ(coverage->schema().problem, "osbm");
  const Instance instance = coverage->draw(0, 0);
  EXPECT_TRUE(std::ranges::equal(instance.arrival(0).preferences, Floats{1, 1}));
}

TEST_F(Recorded, ThereIsNoInstanceAfterTheLast) {
  const auto source = make("instance,arrival,node\nx,1,a\ny,1,a\n");
  expect_error(ErrorCode::kUsage, {"log.csv", "no instance 2", "instances is 2"},
               [&] { source->draw(0, 2); });
}

TEST_F(Recorded, LinesOfAnInstanceStandTogether) {
  expect_broken("instance,arrival,node\nx,1,a\ny,1,a\nx,2,a\n",
                {"log.csv:4: column \"instance\"", "follow each other", "\"x\""});
}

TEST_F(Recorded, LinesOfAnArrivalStandTogether) {
  expect_broken("instance,arrival,node\nx,1,a\nx,2,a\nx,1,b\n",
                {"log.csv:4: column \"arrival\"", "follow each other", "\"1\""});
}

TEST_F(Recorded, AnArrivalIsDescribedTheSameOnAllItsLines) {
  expect_broken("instance,arrival,node,arrival:age\nx,1,a,5\nx,1,b,6\n",
                {"log.csv:3: column \"arrival:age\"", "line 2", "got \"6\""});
  expect_broken("instance,arrival,node,type\nx,1,a,ann\nx,1,b,\n",
                {"log.csv:3: column \"type\"", "line 2", "got \"\""});
}

TEST_F(Recorded, ATypeHasOneCoverageFunctionInAnInstance) {
  const char* fixed = "node,topics\na,A\n";
  const std::string head = "instance,arrival,node,type,prefer:A\nx,1,a,ann,0.5\n";
  expect_error(ErrorCode::kData, {"log.csv:3: column \"prefer:A\"", "0.5", "got \"0.7\""},
               [&] { make(head + "x,2,a,ann,0.7\n", fixed); });
  EXPECT_EQ(make(head + "y,2,a,ann,0.7\n", fixed)->size(), 2U) << "another day, another taste";
  EXPECT_EQ(make(head + "x,2,a,bob,0.7\n", fixed)->size(), 1U);
}

TEST_F(Recorded, RepeatedEdgesNameBothLines) {
  expect_broken("instance,arrival,node\nx,1,a\nx,1,b\nx,1,a\n", {"log.csv:4: ", "line 2"});
  expect_broken("instance,arrival,node\nx,1,a\nx,1,a\nx,2,a\n", {"log.csv:3: ", "line 2"});
}

TEST_F(Recorded, ALineWithoutANodeStandsAlone) {
  expect_broken("instance,arrival,node\nx,1,\nx,1,a\n", {"log.csv:3: column \"arrival\"", "\"1\""});
  expect_broken("instance,arrival,node\nx,1,a\nx,1,\n", {"log.csv:3: column \"node\"", "a name"});
  expect_broken("instance,arrival,node,weight\nx,1,,0.5\n",
                {"log.csv:2: column \"weight\"", "nothing", "\"0.5\""});
}

TEST_F(Recorded, WeightsMustBeFiniteAndNotNegative) {
  for (const char* weight : {"-1", "nan", "inf", "", "x", "1e39"}) {
    expect_broken(fmt::format("instance,arrival,node,weight\nx,1,a,{}\n", weight),
                  {"log.csv:2: column \"weight\"", fmt::format("got \"{}\"", weight)});
  }
}

TEST_F(Recorded, AttributesMustBeNumbers) {
  expect_broken("instance,arrival,node,arrival:age\nx,1,a,old\n",
                {"log.csv:2: column \"arrival:age\"", "number", "\"old\""});
}

TEST_F(Recorded, ColumnsAreChecked) {
  expect_broken("instance,node\nx,a\n", {"log.csv", "no column \"arrival\""});
  expect_broken("arrival,node\nx,a\n", {"log.csv", "no column \"instance\""});
  expect_broken("instance,arrival\nx,1\n", {"log.csv", "no column \"node\""});
  expect_broken("instance,arrival,node,age\nx,1,a,5\n",
                {"log.csv", "\"age\"", "arrival:", "instance, arrival, node, weight"});
  expect_broken("instance,arrival,node,arrival:\nx,1,a,5\n", {"log.csv", "name", "\"arrival:\""});
  expect_broken("instance,arrival,node,prefer:A\nx,1,a,5\n", {"\"prefer:A\"", "no fixed node"});
}

TEST_F(Recorded, IdsMayNotBeEmpty) {
  expect_broken("instance,arrival,node\n,1,a\n", {"log.csv:2: column \"instance\"", "a name"});
  expect_broken("instance,arrival,node\nx,,a\n", {"log.csv:2: column \"arrival\"", "a name"});
}

TEST_F(Recorded, UnknownFixedNodesAreNamed) {
  expect_error(ErrorCode::kData, {"log.csv:3: column \"node\"", "fixed", "\"b\""},
               [&] { make("instance,arrival,node\nx,1,a\nx,2,b\n", "node\na\n"); });
}

TEST_F(Recorded, ARecordWithoutEdgesIsAnError) {
  expect_broken("", {"log.csv:1: ", "empty"});
  expect_broken("instance,arrival,node\n", {"log.csv: the file lists no edge"});
  expect_broken("instance,arrival,node\nx,1,\n", {"log.csv: the file lists no edge"});
}

TEST_F(Recorded, FormerNamesOfColumnsAreReadAlone) {
  const char* log = "instance,arrival,u\nx,1,b\nx,1,a\n";
  EXPECT_EQ(make(log)->draw(0, 0), make("instance,arrival,node\nx,1,b\nx,1,a\n")->draw(0, 0));
  EXPECT_EQ(make(log, "id\na\nb\n")->draw(0, 0), make(log, "node\na\nb\n")->draw(0, 0));
  expect_broken("instance,arrival,u,node\nx,1,a,a\n", {"log.csv", "\"node\" and \"u\"", "same"});
  expect_broken("instance,arrival,u,weight\nx,1,,5\n", {"log.csv:2", "column \"u\" is empty"});
  expect_broken("instance,arrival,node,Weight\nx,1,a,5\n", {"did you mean \"weight\"?"});
}

TEST_F(Recorded, NodesAndArrivalsKeepTheirNames) {
  const auto source = make("instance,arrival,node\nx,call 7,bob\nx,call 7,ann\ny,call 9,José\n");
  const Instance x = source->draw(0, 0), y = source->draw(0, 1);
  for (std::size_t u = 0; u < 3; ++u) {
    EXPECT_EQ(x.market().names[u], (std::vector<std::string>{"bob", "ann", "José"})[u]);
    EXPECT_EQ(y.market().names[u], x.market().names[u]);
  }
  EXPECT_EQ(x.arrival(0).name, "call 7");
  EXPECT_EQ(y.arrival(0).name, "call 9");
  expect_broken("instance,arrival,node\nx,1,a\nx,2,\xe9\n",
                {"log.csv:3: column \"node\"", "UTF-8"});
  expect_broken("instance,arrival,node\nx,\xe9,a\n", {"log.csv:2: column \"arrival\"", "UTF-8"});
  expect_broken("instance,arrival,node\n\xe9,1,a\n", {"log.csv:2: column \"instance\"", "UTF-8"});
}

TEST_F(Recorded, NamesAreNotPartOfTheDigest) {
  const auto one = make("instance,arrival,node\nx,1,a\n")->digest();
  EXPECT_EQ(one, make("instance,arrival,node\ny,2,b\n")->digest());
  EXPECT_NE(one, make("instance,arrival,node,weight\ny,2,b,2\n")->digest());
}

std::vector<std::string> names_of(const Instance& instance) {
  std::vector<std::string> names;
  for (int t = 0; t < instance.num_arrivals(); ++t) names.emplace_back(instance.arrival(t).name);
  return names;
}

using Strings = std::vector<std::string>;

TEST_F(Recorded, WithATimeLinesMayBeInAnyOrder) {
  const auto source = make(
      "time,instance,arrival,node,arrival:age\n"
      "3,late,c,x,7\n"
      "1,early,a,y,1\n"
      "2,late,b,y,8\n"
      "3,late,c,y,7\n"
      "2,late,tie,,9\n"
      "-1.5,early,before,x,2\n");
  ASSERT_EQ(source->size(), 2U);
  EXPECT_EQ(source->schema().arrival_attributes, (Strings{"age", "time"}));
  const Instance late = source->draw(0, 0), early = source->draw(0, 1);
  EXPECT_EQ(names_of(late), (Strings{"b", "tie", "c"}));
  EXPECT_EQ(names_of(early), (Strings{"before", "a"}));
  EXPECT_TRUE(std::ranges::equal(late.arrival(2).nodes, Nodes{0, 1}));
  EXPECT_TRUE(std::ranges::equal(late.arrival(2).attributes, Floats{7, 3}));
  EXPECT_EQ(late.arrival(1).degree(), 0);
  EXPECT_TRUE(std::ranges::equal(early.arrival(0).attributes, Floats{2, -1.5}));
  EXPECT_NO_THROW(validate(late.view()));
}

TEST_F(Recorded, EveryDayIsAnInstanceWhereNoneIsNamed) {
  const auto source = make(
      "arrival,node,time,type\n"
      "job 1,ann,2024-03-01 13:30,t\n"
      "job 2,ann,2024-02-29T09:15:36,\n"
      "job 2,bob,2024-02-29T09:15:36,\n"
      "job 1,bob,2024-02-29 09:15,t\n"
      "job 3,bob,2024-02-29,u\n");
  ASSERT_EQ(source->size(), 2U);
  const Instance first = source->draw(0, 0), second = source->draw(0, 1);
  EXPECT_EQ(names_of(first), (Strings{"job 3", "job 1", "job 2"})) << "the earlier day comes first";
  EXPECT_EQ(names_of(second), Strings{"job 1"});
  EXPECT_FLOAT_EQ(first.arrival(0).attributes[0], 0);
  EXPECT_FLOAT_EQ(first.arrival(1).attributes[0], 9.25);
  EXPECT_FLOAT_EQ(first.arrival(2).attributes[0], 9.26F);
  EXPECT_FLOAT_EQ(second.arrival(0).attributes[0], 13.5);
  EXPECT_EQ(first.arrival(1).type, second.arrival(0).type);
  EXPECT_EQ(first.arrival(2).type, kNoType);
  EXPECT_EQ(make("arrival,node,time\n1,a,1969-12-31T23:30Z\n")->draw(0, 0).arrival(0).attributes[0],
            23.5);
}

TEST_F(Recorded, TimesAreChecked) {
  for (const char* time : {"",
                           "noon",
                           "2024-02-30",
                           "2024-13-01",
                           "2023-02-29",
                           "2024-1-01",
                           "2024-01-01 24:00",
                           "2024-01-01 12:60",
                           "2024-01-01 12:00:60",
                           "2024-01-01 9:00",
                           "2024-01-01 09:00:00.5",
                           "2024-01-01T09:00+02:00",
                           "2024-01-01Z",
                           "01.02.2024",
                           "2024-01-01 09:00 ",
                           "nan",
                           "inf",
                           "2024-01-01 09",
                           "2024-01-01T",
                           "09:00",
                           "2024-01-01 09:00AM",
                           "2024-01-01T09:00ZZ"}) {
    expect_broken(fmt::format("instance,arrival,node,time\nx,1,a,{}\n", time),
                  {"log.csv:2: column \"time\"", "YYYY-MM-DD", fmt::format("got \"{}\"", time)});
  }
  const std::string day = "arrival,node,time\n1,a,2024-01-01\n";
  expect_broken(day + "2,a,5\n", {"log.csv:3: column \"time\"", "a date", "\"instance\""});
  expect_broken(day + "2,a,2024-01-01T09:00Z\n", {"log.csv:3: column \"time\"", "same kind"});
  expect_broken("instance,arrival,node,time\nx,1,a,5\nx,2,a,2024-01-01\n",
                {"log.csv:3: column \"time\"", "same kind"});
  expect_broken(day + "1,b,2024-01-02\n1,c,2024-01-01 00:01\n",
                {"log.csv:4: column \"time\"", "line 2", "00:01"});
  expect_broken("instance,arrival,node,time\nx,1,a,1e39\n",
                {"log.csv:2: column \"time\"", "float"});
  expect_broken("instance,arrival,node,time,arrival:time\nx,1,a,1,1\n",
                {"log.csv", "\"time\" and \"arrival:time\""});
  expect_broken("arrival,node\n1,a\n", {"log.csv", "no column \"instance\""});
}

TEST_F(Recorded, LinesInAnyOrderAreCheckedAsOthersAre) {
  const std::string head = "instance,arrival,node,time,type,arrival:age\n";
  expect_broken(head + "x,1,a,5,t,1\nx,2,a,4,t,1\nx,1,b,5,s,1\n",
                {"log.csv:4: column \"type\"", "line 2"});
  expect_broken(head + "x,1,a,5,t,1\nx,2,a,4,t,1\nx,1,b,5,t,2\n",
                {"log.csv:4: column \"arrival:age\"", "line 2"});
  expect_broken(head + "x,1,a,5,t,1\nx,2,a,4,t,1\nx,1,a,5,t,1\n", {"log.csv:4: ", "line 2"});
  expect_broken(head + "x,1,,5,t,1\nx,2,a,4,t,1\nx,1,a,5,t,1\n",
                {"log.csv:4: column \"arrival\"", "only one line"});
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
