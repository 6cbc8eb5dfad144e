// Who is there in which instance, and how much of them.
#include <cmath>

#include "tests/expect_error.h"
#include "tests/temp_folder.h"
#include <gtest/gtest.h>

#include "foresight/data/source.h"

namespace foresight {
namespace {

using Floats = std::vector<float>;

class Roster : public testing::Test {
 protected:
  std::shared_ptr<Source> make_with(std::string_view roster, std::string_view fixed = "",
                                    std::string_view log = kLog) const {
    const auto path = folder_.write_file("log.csv", log);
    const auto present = folder_.write_file("roster.csv", roster);
    std::string spec =
        fmt::format("recorded(path=\"{}\",roster=\"{}\"", path.string(), present.string());
    if (!fixed.empty()) {
      spec += fmt::format(",fixed=\"{}\"", folder_.write_file("nodes.csv", fixed).string());
    }
    return sources().make(spec + ")");
  }

  void expect_refused(std::string_view roster, std::initializer_list<std::string> pieces,
                      std::string_view fixed = "") const {
    expect_error(ErrorCode::kData, pieces, [&] { make_with(roster, fixed); });
  }

  static Floats capacities(const Source& source, std::uint64_t i) {
    const Instance instance = source.draw(0, i);
    const auto found = instance.market().capacities;
    return {found.begin(), found.end()};
  }

  TempFolder folder_;
  static constexpr const char* kLog =
      "instance,arrival,node\nmon,1,a\nmon,1,b\nmon,2,c\ntue,1,b\ntue,1,a\n";
};

TEST_F(Roster, WhoIsNotListedIsAbsent) {
  const auto source = make_with("instance,node\ntue,c\nmon,a\nsun,b\nmon,b\ntue,a\n");
  EXPECT_EQ(source->schema(), (Schema{.problem = "e-obm",
                                      .capacities = true,
                                      .horizon = Horizon::expected(1.5, std::sqrt(0.5))}));
  EXPECT_EQ(capacities(*source, 0), (Floats{1, 1, 0}));
  EXPECT_EQ(capacities(*source, 1), (Floats{1, 0, 1}));
  EXPECT_EQ(source->draw(0, 1).arrival(0).degree(), 2) << "edges to absent nodes stay";
}

TEST_F(Roster, AmountsAreThoseOfTheDayElseThoseOfTheNode) {
  const char* fixed = "node,capacity\na,3\nb,4\nc,5\n";
  const auto listed = make_with("instance,node\nmon,a\nmon,c\ntue,b\n", fixed);
  EXPECT_EQ(capacities(*listed, 0), (Floats{3, 0, 5}));
  EXPECT_EQ(capacities(*listed, 1), (Floats{0, 4, 0}));
  const auto given = make_with("node,capacity,instance\na,2,mon\nc,0,mon\nb,7,tue\n", fixed);
  EXPECT_EQ(capacities(*given, 0), (Floats{2, 0, 0}));
  EXPECT_EQ(capacities(*given, 1), (Floats{0, 7, 0}));
  EXPECT_EQ(make_with("instance,node,budget\nmon,a,2\ntue,a,3.5\n")->schema().problem, "adwords");
}

TEST_F(Roster, DaysOfTimesAreNamedByTheirDates) {
  const auto source = make_with("instance,node,capacity\n2024-03-02,a,2\n2024-03-01,a,1\n", "",
                                "arrival,node,time\n1,a,2024-03-02 07:00\n2,a,2024-03-01 08:00\n");
  EXPECT_EQ(capacities(*source, 0), Floats{1});
  EXPECT_EQ(capacities(*source, 1), Floats{2});
}

TEST_F(Roster, IsChecked) {
  expect_refused("instance,node\nmon,a\n", {"roster.csv", "no line", "instance \"tue\""});
  expect_refused("instance,node\nmon,a\ntue,d\n", {"roster.csv:3: column \"node\"", "\"d\""});
  expect_refused("instance,node\nmon,a\ntue,a\nmon,a\n", {"roster.csv:4: ", "line 2"});
  expect_refused("instance,node,capacity\nmon,a,-1\ntue,a,1\n",
                 {"roster.csv:2: column \"capacity\"", ">= 0", "\"-1\""});
  expect_refused("instance,node,shift\nmon,a,1\n", {"roster.csv", "\"shift\"", "capacity"});
  expect_refused("instance,node,Capacity\nmon,a,1\n", {"roster.csv", "did you mean \"capacity\"?"});
  expect_refused("instance\nmon\n", {"roster.csv", "no column \"node\""});
  expect_refused("node\na\n", {"roster.csv", "no column \"instance\""});
  expect_refused("instance,node,budget,capacity\nmon,a,1,1\n", {"roster.csv", "one of them"});
  expect_refused("instance,node,budget\nmon,a,1\ntue,a,1\n", {"roster.csv", "\"capacity\", as in"},
                 "node,capacity\na,1\nb,1\nc,1\n");
}

}  // namespace
}  // namespace foresight
