#include "foresight/base/registry.h"

#include <atomic>
#include <thread>

#include "tests/expect_error.h"
#include <gtest/gtest.h>

#include "foresight/data/source.h"
#include "foresight/model/model.h"
#include "foresight/policy/policy.h"
#include "foresight/problem/problem.h"
#include "foresight/train/trainer.h"

namespace foresight {
namespace {

struct Thing {
  virtual ~Thing() = default;
  int size = 0;
  Progress* progress = nullptr;
};

int made = 0;

struct BoxOptions {
  int u = 10;
  double p = 0.5;
  std::string inner;
  std::uint64_t seed = 1;
  void read(OptionReader& o) {
    o.integer("u", u, 1, 100, "nodes");
    o.real("p", p, 0, 1, "share");
    o.text("inner", inner, "another spec, or a path");
    o.count("seed", seed, 0, 1000, "of random numbers");
    if (o.given("p") && o.given("inner")) fail(ErrorCode::kUsage, "either p or inner");
  }
};

struct Box : Thing {
  explicit Box(BoxOptions options) {
    size = options.u;
    ++made;
  }
};

struct SlowBox : Thing {
  SlowBox(const BoxOptions&, Progress& told) { progress = &told; }
};

class Things : public testing::Test {
 protected:
  Registry<Thing> things_{"thing",
                          {make_entry<Thing, Box, BoxOptions>("box", "a box"),
                           make_entry<Thing, SlowBox, BoxOptions>("slow-box", "takes long")}};
};

TEST_F(Things, MakeReadsTheOptionsAndSharesTheResult) {
  const std::shared_ptr<Thing> box = things_.make("box(u=7)");
  EXPECT_EQ(box->size, 7);
  expect_error(ErrorCode::kUsage, {"no thing \"ball\"", "box, slow-box"},
               [&] { things_.make("ball"); });
}

TEST_F(Things, ProgressReachesTheClassesThatTakeIt) {
  Progress progress;
  EXPECT_EQ(things_.make("slow-box", progress)->progress, &progress);
  EXPECT_EQ(things_.make("slow-box")->progress, &no_progress());
  EXPECT_EQ(things_.make("box(u=3)", progress)->size, 3);
}

TEST_F(Things, SpecsThatMeanTheSameHaveTheSameCanonicalText) {
  const std::string standard = "box(u=10,p=0.5,inner=\"\",seed=1)";
  for (const char* text : {"box", " box() ", "box(u=10)", "box(p=0.50,u=010)", "box(seed=001)"}) {
    EXPECT_EQ(things_.canonical(text), standard) << text;
  }
  EXPECT_EQ(things_.canonical("box(p=0.25,u=4)"), things_.canonical("box(u=4,p=2.5e-1)"));
  EXPECT_EQ(things_.canonical("box(inner=mix(second=b(v=6,u=4),first=\"a\"))"),
            "box(u=10,p=0.5,inner=mix(first=a,second=b(u=4,v=6)),seed=1)");
  EXPECT_NE(things_.canonical("box(u=4)"), things_.canonical("box(u=5)"));
}

TEST_F(Things, CanonicalTextCanBeMadeAndIsItsOwnCanonicalText) {
  for (const char* text : {"box", "box(u=4)", "box(inner=\"a, (b\")", "box(p=0.1)"}) {
    const std::string canonical = things_.canonical(text);
    EXPECT_EQ(things_.canonical(canonical), canonical);
    EXPECT_EQ(things_.make(canonical)->size, things_.make(text)->size);
  }
}

TEST_F(Things, CanonicalRefusesWhatMakeRefusesAndMakesNothing) {
  const int before = made;
  for (const char* text : {"ball", "box(u=0)", "box(w=1)", "box(u=1", "box(p=0.1,inner=x)"}) {
    expect_error(ErrorCode::kUsage, {}, [&] { things_.make(text); });
    expect_error(ErrorCode::kUsage, {}, [&] { things_.canonical(text); });
  }
  things_.canonical("box(u=5)");
  EXPECT_EQ(made, before);
}

TEST_F(Things, KnowsTellsNamesFromOtherText) {
  for (const char* text : {"box", " box ", "box(u=1)", "box (", "slow-box(x"}) {
    EXPECT_TRUE(things_.knows(text)) << text;
  }
  for (const char* text : {"", "(", "bo", "boxes", "box/data", "a(box)", "box)"}) {
    EXPECT_FALSE(things_.knows(text)) << text;
  }
}

TEST_F(Things, EntriesAreAddedWhileTheProgramRuns) {
  const Entry<Thing>& first = things_.find("box");
  for (int i = 0; i < 100; ++i) {
    things_.add(make_entry<Thing, Box, BoxOptions>(fmt::format("box-{}", i), "another"));
  }
  EXPECT_EQ(things_.make("box-99(u=3)")->size, 3);
  EXPECT_EQ(&things_.find("box"), &first);
  EXPECT_EQ(things_.entries().size(), 102U);
  EXPECT_EQ(things_.entries().back().name, "box-99");
}

TEST_F(Things, AnEntryNeedsANameOfItsOwn) {
  const auto add = [&](const char* name) {
    return [&, name] { things_.add(make_entry<Thing, Box, BoxOptions>(name, "another")); };
  };
  expect_error(ErrorCode::kUsage, {"thing \"box\"", "already"}, add("box"));
  expect_error(ErrorCode::kUsage, {"\"my box\"", "letters"}, add("my box"));
  expect_error(ErrorCode::kUsage, {"\"\""}, add(""));
  expect_error(ErrorCode::kUsage, {"\"box(u=1)\""}, add("box(u=1)"));
  expect_error(ErrorCode::kUsage, {"thing \"ball\"", "describe and make"}, [&] {
    things_.add({"ball", "cannot be made", {}, {}});
  });
  EXPECT_EQ(things_.entries().size(), 2U);
}

TEST_F(Things, ThreadsAddAndMakeAtTheSameTime) {
  std::atomic<int> refused = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        try {
          things_.add(make_entry<Thing, SlowBox, BoxOptions>(fmt::format("n{}", i), "new"));
        } catch (const Error&) {
          ++refused;
        }
        things_.make(fmt::format("n{}", i));
        EXPECT_TRUE(things_.knows("box"));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(refused, 600);
  EXPECT_EQ(things_.entries().size(), 202U);
}

TEST(EveryEntry, MeansTheSameWithAllDefaultsSpelledOut) {
  const auto expect_all = [](const auto& registry) {
    for (const auto& entry : registry.entries()) {
      const std::string canonical = registry.canonical(entry.name);
      EXPECT_EQ(registry.canonical(canonical), canonical);
    }
  };
  expect_all(sources());
  expect_all(problems());
  expect_all(policies());
  expect_all(models());
  expect_all(trainers());
  EXPECT_EQ(sources().canonical("crowd(v=6,u=4)"), sources().canonical("crowd(u=4,v=6)"));
  EXPECT_EQ(sources().canonical("mix(first=crowd(v=6,u=4))"),
            "mix(first=crowd(u=4,v=6),second=\"\",third=\"\",fourth=\"\")");
  // A choice between two options is between what differs from the defaults.
  EXPECT_EQ(policies().canonical("greedy-t(train=x)"),
            "greedy-t(threshold=\"\",train=x,candidates=quantiles)");
  EXPECT_NO_THROW(policies().canonical("greedy-t(threshold=\"\",train=x)"));
  expect_error(ErrorCode::kUsage, {"either threshold or train"},
               [] { policies().canonical("greedy-t(threshold=0.4,train=x)"); });
}

}  // namespace
}  // namespace foresight
