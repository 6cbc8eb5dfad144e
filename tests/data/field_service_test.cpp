// The example's log is read as a company's would be: capacities, absences, names and times.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "tests/temp_folder.h"
#include <gtest/gtest.h>

#include "foresight/base/csv.h"
#include "foresight/problem/bound.h"
#include "foresight/solve/solver.h"

namespace foresight {
namespace {

namespace fs = std::filesystem;

class FieldService : public testing::Test {
 protected:
  void SetUp() override { generate_log(folder_.path() / "data", 1); }

  static void generate_log(const fs::path& folder, int seed) {
    const std::string command = fmt::format(
        "python3 '{}' '{}' --seed {}", FORESIGHT_SOURCE_DIR "/examples/field-service/generate.py",
        folder.string(), seed);
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
  }

  static std::string spec(const fs::path& folder) {
    return fmt::format(
        "recorded(path=\"{0}/log.csv\",fixed=\"{0}/technicians.csv\",roster=\"{0}/roster.csv\")",
        folder.string());
  }

  static std::string content(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  TempFolder folder_;
};

TEST_F(FieldService, IsReadWithCapacitiesAbsencesNamesAndTimes) {
  const fs::path data = folder_.path() / "data";
  const BoundSource source = bind_source(spec(data));
  EXPECT_EQ(source.problem().name(), "e-obm");
  EXPECT_EQ(source.schema().arrival_attributes,
            (std::vector<std::string>{"x", "y", "price", "time"}));
  ASSERT_EQ(source.size(), 36U);
  std::map<std::string, std::map<std::string, float>> present;  // by day and name
  CsvReader roster(data / "roster.csv");
  while (roster.next()) {
    present[std::string(roster.text(0))][std::string(roster.text(1))] =
        static_cast<float>(roster.number(2, 1, 4));
  }
  auto day = present.begin();
  int absences = 0;
  for (std::uint64_t i = 0; i < 36; ++i, ++day) {
    const Instance instance = source.draw(0, i);
    const Market& market = instance.market();
    ASSERT_EQ(market.num_fixed, 40);
    EXPECT_TRUE(instance.num_arrivals() >= 35 && instance.num_arrivals() <= 119);
    for (std::size_t u = 0; u < 40; ++u) {
      const std::string name(market.names[u]);
      EXPECT_NE(name.find(' '), std::string::npos) << name;
      EXPECT_EQ(market.capacities[u], day->second.contains(name) ? day->second[name] : 0);
      absences += market.capacities[u] == 0 ? 1 : 0;
    }
    float before = 7;
    for (int t = 0; t < instance.num_arrivals(); ++t) {
      const Arrival job = instance.arrival(t);
      EXPECT_TRUE(job.name.starts_with("J"));
      EXPECT_TRUE(job.attributes[2] >= 20 && job.attributes[2] <= 900);
      EXPECT_TRUE(job.attributes[3] >= before && job.attributes[3] < 17);
      before = job.attributes[3];
    }
  }
  EXPECT_GT(absences, 36);
}

TEST_F(FieldService, IsTheSameForTheSameSeed) {
  const fs::path again = folder_.path() / "again", other = folder_.path() / "other";
  generate_log(again, 1);
  generate_log(other, 2);
  for (const char* file : {"log.csv", "technicians.csv", "roster.csv"}) {
    EXPECT_EQ(content(folder_.path() / "data" / file), content(again / file));
    EXPECT_NE(content(folder_.path() / "data" / file), content(other / file));
  }
}

/// As users had to before there were capacities: a node for every slot of every technician.
TEST_F(FieldService, CapacitiesAreWorthWhatClonesAre) {
  constexpr int kMostSlots = 4;
  const fs::path data = folder_.path() / "data";
  std::string log = "arrival,node,weight,time\n", roster = "instance,node\n";
  CsvReader lines(data / "log.csv");
  const std::size_t arrival = lines.column("arrival"), node = lines.column("node"),
                    weight = lines.column("weight"), time = lines.column("time");
  while (lines.next()) {
    const bool edgeless = lines.text(node).empty();
    for (int slot = 1; slot <= (edgeless ? 1 : kMostSlots); ++slot) {
      log += fmt::format("{},{}{},{},{}\n", lines.text(arrival), lines.text(node),
                         edgeless ? "" : fmt::format(" {}", slot), lines.text(weight),
                         lines.text(time));
    }
  }
  CsvReader people(data / "roster.csv");
  while (people.next()) {
    for (int slot = 1; slot <= people.integer(2); ++slot) {
      roster += fmt::format("{},{} {}\n", people.text(0), people.text(1), slot);
    }
  }
  const std::string clones = fmt::format("recorded(path=\"{}\",roster=\"{}\")",
                                         folder_.write_file("log.csv", log).string(),
                                         folder_.write_file("roster.csv", roster).string());
  const BoundDataset slots = solve(generate(spec(data), {}, no_progress()), {}, no_progress());
  const BoundDataset cloned = solve(generate(clones, {}, no_progress()), {}, no_progress());
  ASSERT_EQ(slots.size(), 36U);
  ASSERT_EQ(cloned.size(), 36U);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    ASSERT_TRUE(slots.label(i).proven());
    EXPECT_NEAR(slots.label(i).value, cloned.label(i).value, 1e-6 * slots.label(i).value);
    EXPECT_EQ(slots.instance(i).num_arrivals(), cloned.instance(i).num_arrivals());
  }
}

}  // namespace
}  // namespace foresight
