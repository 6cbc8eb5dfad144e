#include "foresight/data/select.h"

#include "tests/expect_error.h"
#include "tests/temp_folder.h"

#include "foresight/base/registry.h"
#include "foresight/solve/solver.h"

namespace foresight {
namespace {

Dataset draw(const std::string& spec, std::uint64_t count = 6, std::uint64_t seed = 3) {
  return generate(*sources().make(spec), {spec, seed}, count, 1, no_progress());
}

Dataset labelled(const Dataset& data) {
  return solve(bind_data(data), {}, no_progress());
}

/// Two instances with everything that an instance can have.
Dataset rich(std::vector<std::string> attributes = {"skill"}) {
  std::vector<Instance> instances;
  for (const float capacity : {2.0f, 0.0f}) {
    InstanceBuilder builder(2);
    builder.set_capacities({capacity, 1});
    builder.set_names({"ada", capacity > 0 ? "bob" : ""});
    builder.set_attributes({1, 2}, 1);
    const std::vector<NodeId> nodes{0, 1};
    const std::vector<float> weights{3, 4}, costs{1, capacity};
    Arrival arrival{nodes, weights, 7, {}, {}};
    arrival.costs = costs;
    arrival.name = "job";
    builder.arrive(arrival);
    instances.push_back(std::move(builder).build());
  }
  return Dataset::gather({"gen-assignment", std::move(attributes)}, {"own", 0}, instances);
}

TEST(Select, GivesTheseInstancesInThisOrderWithTheirLabels) {
  for (const Dataset& data : {labelled(draw("crowd(u=4,v=6)")), labelled(draw("thick-z(u=4,v=8)")),
                              draw("er(u=3,v=5)"), labelled(rich())}) {
    const std::vector<std::size_t> indices{1, 0, 1};
    const Dataset some = data.select(indices);
    ASSERT_EQ(some.size(), 3U);
    EXPECT_EQ(some.schema(), data.schema());
    EXPECT_EQ(some.labelled(), data.labelled());
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_EQ(some.instance(k), data.instance(indices[k]));
      if (data.labelled()) {
        EXPECT_EQ(some.label(k), data.label(indices[k]));
      }
    }
  }
}

TEST(Select, KeepsNamesAndAbsence) {
  const Dataset last = rich().select(std::vector<std::size_t>{1});
  const Market market = last.instance(0).market();
  EXPECT_EQ(market.names[0], "ada");
  EXPECT_EQ(market.names[1], "");
  EXPECT_EQ(market.capacities[0], 0);
  EXPECT_EQ(last.instance(0).arrival(0).name, "job");
}

TEST(Select, OfNothingIsEmptyAndOfAnUnknownInstanceIsAnError) {
  const Dataset data = draw("er(u=3,v=5)", 2);
  EXPECT_EQ(data.select({}).size(), 0U);
  expect_error(ErrorCode::kUsage, {"no instance 2", "number of instances is 2"}, [&] {
    data.select(std::vector<std::size_t>{0, 2});
  });
}

TEST(Select, StaysFromItsSource) {
  const Dataset part = draw("crowd(u=4,v=6)").select(std::vector<std::size_t>{2});
  EXPECT_EQ(part.provenance(), (Provenance{"crowd(u=4,v=6)", 3}));
}

TEST(Join, PutsOneDatasetAfterTheOther) {
  const Dataset a = labelled(draw("crowd(u=4,v=6)", 2)), b = labelled(draw("crowd(u=3,v=5)", 3));
  const Dataset all = join(std::vector{a, b});
  ASSERT_EQ(all.size(), 5U);
  EXPECT_EQ(all.instance(1), a.instance(1));
  EXPECT_EQ(all.instance(4), b.instance(2));
  ASSERT_TRUE(all.labelled());
  EXPECT_EQ(all.label(4), b.label(2));
  EXPECT_FALSE(join(std::vector{a, b.without_labels()}).labelled());
}

TEST(Join, OfPartsIsTheWhole) {
  for (const Dataset& data :
       {labelled(draw("crowd(u=4,v=6)")), draw("thick-z(u=4,v=8)"), labelled(rich())}) {
    const Dataset first = data.select(std::vector<std::size_t>{0});
    std::vector<std::size_t> others;
    for (std::size_t i = 1; i < data.size(); ++i) others.push_back(i);
    EXPECT_EQ(join(std::vector{first, data.select(others)}), data);
  }
}

TEST(Join, SaysWhatIsKnownOfWhereTheInstancesCameFrom) {
  const Dataset a = draw("er(u=4,v=6)", 2, 1), b = draw("er(u=4,v=6)", 2, 2);
  EXPECT_EQ(join(std::vector{a, a}).provenance(), a.provenance());
  EXPECT_EQ(join(std::vector{a, b}).provenance(), (Provenance{"er(u=4,v=6)", 0}));
  const Dataset two = join(std::vector{a, draw("er(u=3,v=6)", 2)});
  EXPECT_EQ(two.provenance().source, "several sources: er(u=4,v=6); er(u=3,v=6)");
  // Whoever compares laws must not take it for a spec.
  EXPECT_FALSE(sources().knows(two.provenance().source));
  EXPECT_EQ(join(std::vector{two, b}).provenance().source,
            "several sources: er(u=4,v=6); er(u=3,v=6); er(u=4,v=6)");
}

TEST(Join, TakesADatasetOfNothing) {
  const Dataset data = labelled(rich());
  EXPECT_EQ(join(std::vector{data.select({}), data}), data);
  EXPECT_EQ(join(std::vector{data, data.select({})}), data);
}

TEST(Join, RefusesWhatDoesNotFitTogetherAndNamesBoth) {
  const TempFolder folder;
  draw("er(u=3,v=5)", 2).save(folder.path() / "plain.fst");
  const Dataset plain = Dataset::load(folder.path() / "plain.fst");
  const auto refused = [](const Dataset& a, const Dataset& b,
                          std::initializer_list<std::string> pieces) {
    expect_error(ErrorCode::kData, pieces, [&] { join(std::vector{a, b}); });
  };
  refused(plain, draw("thick-z(u=4,v=8)", 2),
          {"plain.fst and dataset 1 cannot be joined", "e-obm and adwords"});
  refused(plain, draw("thick-z(u=4,v=8)", 2).for_problem("e-obm"),
          {"only the second has capacities"});
  refused(rich(), rich({"speed"}), {"fixed attributes are skill and speed"});
  expect_error(ErrorCode::kUsage, {"no datasets"}, [] { join({}); });
}

TEST(Join, RefusesAttributesInAnotherOrder) {
  InstanceBuilder builder(1);
  builder.set_attributes({1, 2}, 2);
  const std::vector<Instance> one{std::move(builder).build()};
  expect_error(ErrorCode::kData, {"skill, age and age, skill, the same in another order"}, [&] {
    join(std::vector{Dataset::gather({"e-obm", {"skill", "age"}}, {}, one),
                     Dataset::gather({"e-obm", {"age", "skill"}}, {}, one)});
  });
}

TEST(Gather, FillsInIdsThatOnlySomeInstancesHave) {
  const Dataset with = draw("er(u=2,v=3)", 1);
  InstanceBuilder builder(2);
  builder.set_ids({5, 9});
  const std::vector<Instance> both{with.instance(0), std::move(builder).build()};
  const Dataset data = Dataset::gather({"e-obm"}, {}, both);
  EXPECT_EQ(data.instance(0).market().ids[0], kNoType);
  EXPECT_EQ(data.instance(1).market().ids[1], 9);
}

using Sizes = std::vector<std::size_t>;

TEST(Parts, AreNumbersSharesOrTheRest) {
  EXPECT_EQ(part_sizes(parse_parts("train=24,val=6,test=6"), 36), (Sizes{24, 6, 6}));
  EXPECT_EQ(part_sizes(parse_parts("train=24,val=6,test=rest"), 50), (Sizes{24, 6, 20}));
  EXPECT_EQ(part_sizes(parse_parts("train=rest,test=6"), 36), (Sizes{30, 6}));
  EXPECT_EQ(part_sizes(parse_parts("train=70%,val=15%,test=15%"), 36), (Sizes{25, 6, 5}));
  EXPECT_EQ(part_sizes(parse_parts("a=33.3%,b=33.3%,c=33.4%"), 10), (Sizes{3, 4, 3}));
  EXPECT_EQ(part_sizes(parse_parts("train=70%,test=rest"), 10), (Sizes{7, 3}));
  EXPECT_EQ(part_sizes(parse_parts("all=100%"), 7), (Sizes{7}));
}

TEST(Parts, OfEqualSharesLeaveNothingOverForAnySize) {
  std::vector<Part> parts;
  for (int i = 0; i < 7; ++i) parts.push_back({"part" + std::to_string(i), 1.0 / 7});
  for (std::size_t size = 7; size < 200; ++size) {
    const Sizes sizes = part_sizes(parts, size);
    std::size_t sum = 0;
    for (const std::size_t one : sizes) {
      sum += one;
      EXPECT_LE(one, size / 7 + 1);
      EXPECT_GE(one, size / 7);
    }
    EXPECT_EQ(sum, size);
  }
}

TEST(Parts, ThatAreNotAllInstancesAreRefused) {
  const auto refused = [](const std::string& text, std::initializer_list<std::string> pieces) {
    expect_error(ErrorCode::kUsage, pieces, [&] { part_sizes(parse_parts(text), 10); });
  };
  refused("train=4,test=5", {"9 of 10 instances", "rest"});
  refused("train=4,test=7", {"11 of 10 instances", "no more than all"});
  refused("train=70%,test=20%", {"90 % of 10 instances", "rest"});
  refused("train=70%,test=40%", {"110 % of 10"});
  refused("train=70%,test=3", {"some parts have numbers and others have shares"});
  refused("train=rest,test=rest", {"only one part can be the rest, but 2 are"});
  refused("train=5,train=5", {"part \"train\" is given twice"});
  refused("train=10,test=rest", {"part \"test\" would have none of the 10 instances"});
  refused("train=98%,test=2%", {"part \"test\" would have none"});
  refused("train", {"NAME=SIZE", "\"train\""});
  refused("train=5,", {"NAME=SIZE"});
  refused("../train=5", {"letters, digits", "../train"});
  for (const char* size : {"", "%", "x", "-5", "5x", "1.5", "101%", "nan%", "1e400%"}) {
    refused("train=" + std::string(size), {"part \"train\" must have a number of instances"});
  }
}

TEST(Split, CutsInOrderUnlessAskedToShuffle) {
  const Dataset data = labelled(draw("crowd(u=4,v=6)", 20));
  const auto parts = parse_parts("train=60%,test=40%");
  const std::vector<Dataset> cut = split(data, parts);
  EXPECT_EQ(join(cut), data);
  const std::vector<Dataset> mixed = split(data, parts, 5);
  EXPECT_EQ(split(data, parts, 5), mixed);
  EXPECT_FALSE(split(data, parts, 6) == mixed);
  // Nothing is lost and nothing is there twice.
  const Dataset all = join(mixed);
  ASSERT_EQ(all.size(), data.size());
  EXPECT_FALSE(all == data);
  for (std::size_t i = 0; i < data.size(); ++i) {
    int found = 0;
    for (std::size_t k = 0; k < all.size(); ++k) found += all.instance(k) == data.instance(i);
    EXPECT_EQ(found, 1) << i;
  }
}

}  // namespace
}  // namespace foresight
