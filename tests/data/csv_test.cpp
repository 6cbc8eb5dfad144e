#include <cmath>
#include <map>

#include "tests/expect_error.h"
#include "tests/temp_folder.h"
#include <gtest/gtest.h>

#include "foresight/data/base_graph.h"

namespace foresight {
namespace {

using Floats = std::vector<float>;

class CsvSource : public testing::Test {
 protected:
  std::shared_ptr<Source> make(const std::string& options = ",u=0,v=0") const {
    return sources().make(fmt::format("csv(path=\"{}\"{})", folder_.path().string(), options));
  }

  BaseGraph graph() const { return dynamic_cast<const BaseGraphSource&>(*make()).graph(); }

  void write(const char* file, const char* content) const { folder_.write_file(file, content); }

  void expect_broken(const char* file, const char* content,
                     std::initializer_list<std::string> pieces) const {
    write(file, content);
    expect_error(ErrorCode::kData, pieces, [&] { make(); });
  }

  TempFolder folder_;
};

TEST_F(CsvSource, EdgesAloneAreAGraphOfNodesInOrderOfAppearance) {
  write("edges.csv", "weight,v,u\n0.5,task one,bob\n2,task one,\"ann, ltd\"\n1e-1,t2,bob\n");
  const BaseGraph g = graph();
  EXPECT_EQ(g.schema, Schema{.problem = "e-obm"});
  EXPECT_EQ(g.num_fixed, 2);
  EXPECT_EQ(g.edge_begin, (std::vector<std::int64_t>{0, 2, 3}));
  EXPECT_EQ(g.nodes, (std::vector<NodeId>{0, 1, 0}));
  EXPECT_EQ(g.weights, (Floats{0.5, 2, 0.1F}));
}

TEST_F(CsvSource, AWeightThatIsNotGivenIsOne) {
  write("edges.csv", "u,v\na,x\nb,x\n");
  EXPECT_EQ(graph().weights, (Floats{1, 1}));
}

TEST_F(CsvSource, AWeightOfZeroIsAnEdge) {
  write("edges.csv", "u,v,weight\na,x,0\n");
  EXPECT_EQ(graph().weights, Floats{0});
}

TEST_F(CsvSource, FixedNodesMayHaveAttributesAndBudgets) {
  write("edges.csv", "u,v,weight\nb,x,1\na,y,2\n");
  write("fixed.csv", "size,id,budget,age\n1.5,a,10,-3\n2.5,unused,0,4\n3.5,b,7,5\n");
  const BaseGraph g = graph();
  EXPECT_EQ(
      g.schema,
      (Schema{.problem = "adwords", .fixed_attributes = {"size", "age"}, .capacities = true}));
  EXPECT_EQ(g.num_fixed, 3);
  EXPECT_EQ(g.nodes, (std::vector<NodeId>{2, 0}));
  EXPECT_EQ(g.capacities, (Floats{10, 0, 7}));
  EXPECT_EQ(g.fixed_attributes, (Floats{1.5, -3, 2.5, 4, 3.5, 5}));
}

TEST_F(CsvSource, TopicsMakeItACoverageProblem) {
  write("edges.csv", "u,v\na,x\nb,y\n");
  write("fixed.csv", "id,topics\na,War|Drama\nb,\nc,War\n");
  BaseGraph g = graph();
  EXPECT_EQ(g.schema, (Schema{.problem = "osbm", .topics = {"Drama", "War"}}));
  EXPECT_EQ(g.topic_sets, (std::vector<std::vector<std::int32_t>>{{0, 1}, {}, {1}}));
  EXPECT_EQ(g.preferences, (Floats{1, 1, 1, 1})) << "every topic is worth 1 unless said otherwise";

  write("arrivals.csv", "prefer:War,id,prefer:Drama\n0.25,x,0.5\n0,y,3\n");
  g = graph();
  EXPECT_EQ(g.preferences, (Floats{0.5, 0.25, 3, 0}));
  EXPECT_EQ(make()->draw(1, 0).arrival(0).preferences.size(), 2U);
}

TEST_F(CsvSource, TopicsPrevailOverBudgets) {
  write("edges.csv", "u,v\na,x\n");
  write("fixed.csv", "id,topics,budget\na,War,5\n");
  EXPECT_EQ(graph().schema.problem, "osbm");
  EXPECT_EQ(graph().capacities, Floats{5});
}

TEST_F(CsvSource, ArrivalsMayHaveAttributes) {
  write("edges.csv", "u,v\na,x\na,y\n");
  write("arrivals.csv", "id,age,height\ny,1,2\nunused,3,4\nx,5,6\n");
  const BaseGraph g = graph();
  EXPECT_EQ(g.schema.arrival_attributes, (std::vector<std::string>{"age", "height"}));
  EXPECT_EQ(g.arrival_attributes, (Floats{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(g.edge_begin, (std::vector<std::int64_t>{0, 1, 1, 2}));
}

TEST_F(CsvSource, TypesArriveByTheirFrequencies) {
  write("edges.csv", "u,v\na,x\na,y\na,z\n");
  write("arrivals.csv", "id,frequency\nx,30\ny,0\nz,10\n");
  const Instance instance = make(",u=1,v=10000")->draw(1, 0);
  std::map<std::int32_t, int> counts;
  for (int t = 0; t < 10'000; ++t) ++counts[instance.arrival(t).type];
  EXPECT_EQ(counts.count(1), 0U);
  EXPECT_NEAR(counts[0], 7500, 5 * std::sqrt(10'000 * 3 / 16.0));
}

TEST_F(CsvSource, ZeroTakesAllNodesInTheOrderOfTheFile) {
  write("edges.csv", "u,v\na,x\nb,x\nc,x\nc,y\n");
  const Instance instance = make(",u=0,v=0")->draw(1, 0);
  const auto ids = instance.market().ids;
  EXPECT_EQ(std::vector(ids.begin(), ids.end()), (std::vector<NodeId>{0, 1, 2}));
  EXPECT_EQ(instance.num_arrivals(), 2);
  expect_error(ErrorCode::kUsage, {"\"u\"", "at most 3", "got 10"}, [&] { make(""); });
}

TEST_F(CsvSource, EdgesNeedNodesAndNothingElse) {
  expect_broken("edges.csv", "u,weight\na,1\n", {"edges.csv", "no column \"v\"", "\"weight\""});
  expect_broken("edges.csv", "v,weight\na,1\n", {"edges.csv", "no column \"u\""});
  expect_broken("edges.csv", "u,v,price\na,x,1\n", {"edges.csv", "\"price\"", "u, v, weight"});
  expect_broken("edges.csv", "u,v,\na,x,1\n", {"edges.csv", "column 3", "name"});
  expect_broken("edges.csv", "u,v\na,x\n,x\n", {"edges.csv:3: column \"u\"", "an id"});
  expect_broken("edges.csv", "u,v\na,x\na,\n", {"edges.csv:3: column \"v\"", "an id"});
}

TEST_F(CsvSource, WeightsMustBeFiniteAndNotNegative) {
  for (const char* weight : {"-1", "nan", "inf", "-inf", "", "1,5", "1e39", "0x10", "1 "}) {
    const std::string content = fmt::format("u,v,weight\na,x,1\na,y,\"{}\"\n", weight);
    expect_broken("edges.csv", content.c_str(),
                  {"edges.csv:3: column \"weight\"", fmt::format("got \"{}\"", weight)});
  }
}

TEST_F(CsvSource, RepeatedEdgesNameBothLines) {
  expect_broken("edges.csv", "u,v,weight\na,x,1\nb,x,1\na,x,2\n", {"edges.csv:4: ", "line 2"});
}

TEST_F(CsvSource, AGraphWithoutEdgesIsAnError) {
  expect_broken("edges.csv", "", {"edges.csv:1: ", "empty"});
  expect_broken("edges.csv", "u,v,weight\n", {"edges.csv: the file lists no edge"});
}

TEST_F(CsvSource, IdsMustBeListedWhereThereIsAList) {
  write("edges.csv", "u,v\na,x\nb,x\n");
  expect_broken("fixed.csv", "id\na\n", {"edges.csv:3: column \"u\"", "fixed.csv", "\"b\""});
  write("fixed.csv", "id\na\nb\n");
  expect_broken("arrivals.csv", "id\ny\n", {"edges.csv:2: column \"v\"", "arrivals.csv", "\"x\""});
}

TEST_F(CsvSource, ListsOfFixedNodesAreChecked) {
  write("edges.csv", "u,v\na,x\n");
  expect_broken("fixed.csv", "", {"fixed.csv:1: ", "empty"});
  expect_broken("fixed.csv", "id\n", {"fixed.csv: the file lists no fixed node"});
  expect_broken("fixed.csv", "name\na\n", {"fixed.csv", "no column \"id\""});
  expect_broken("fixed.csv", "id,age\na,1\na,2\n", {"fixed.csv:3: column \"id\"", "\"a\""});
  expect_broken("fixed.csv", "id,age\n,1\n", {"fixed.csv:2: column \"id\""});
  expect_broken("fixed.csv", "id,age\na,old\n", {"fixed.csv:2: column \"age\"", "\"old\""});
  expect_broken("fixed.csv", "id,age\na,nan\n", {"fixed.csv:2: column \"age\"", "\"nan\""});
  expect_broken("fixed.csv", "id,age\na,-1e39\n", {"fixed.csv:2: column \"age\"", "float"});
  expect_broken("fixed.csv", "id,budget\na,-1\n", {"fixed.csv:2: column \"budget\"", ">= 0"});
  expect_broken("fixed.csv", "id,budget\na,inf\n", {"fixed.csv:2: column \"budget\""});
  expect_broken("fixed.csv", "id,age,\na,1,2\n", {"fixed.csv", "column 3", "name"});
}

TEST_F(CsvSource, TopicsAreChecked) {
  write("edges.csv", "u,v\na,x\n");
  for (const char* topics : {"War|", "|War", "War||Drama", "War|War", "|"}) {
    const std::string content = fmt::format("id,topics\na,{}\n", topics);
    expect_broken("fixed.csv", content.c_str(), {"fixed.csv:2: column \"topics\"", topics});
  }
  expect_broken("fixed.csv", "id,topics\na,\n", {"fixed.csv", "no fixed node has a topic"});
}

TEST_F(CsvSource, NamesThatNoFileCouldHoldAreRefused) {
  write("edges.csv", "u,v\na,x\n");
  expect_broken("fixed.csv",
                "id,gr\xf6\xdf"
                "e\na,1\n",
                {"fixed.csv", "column 2", "UTF-8"});
  expect_broken("fixed.csv", "id,topics\na,Z\xfcrich\n",
                {"fixed.csv:2: column \"topics\"", "UTF-8"});
}

TEST_F(CsvSource, ListsOfArrivalsAreChecked) {
  write("edges.csv", "u,v\na,x\n");
  write("fixed.csv", "id,topics\na,War|Drama\n");
  expect_broken("arrivals.csv", "id\n", {"arrivals.csv: the file lists no arrival"});
  expect_broken("arrivals.csv", "id\nx\nx\n", {"arrivals.csv:3: column \"id\"", "\"x\""});
  expect_broken("arrivals.csv", "id,age\nx,\n", {"arrivals.csv:2: column \"age\""});
  expect_broken("arrivals.csv", "id,frequency\nx,-1\n",
                {"arrivals.csv:2: column \"frequency\"", ">= 0", "\"-1\""});
  expect_broken("arrivals.csv", "id,frequency\nx,inf\n", {"arrivals.csv:2: column \"frequency\""});
  expect_broken("arrivals.csv", "id,frequency\nx,0\n", {"arrivals.csv", "\"frequency\" is 0"});
  expect_broken("arrivals.csv", "id,prefer:War\nx,1\n", {"arrivals.csv", "\"prefer:Drama\""});
  expect_broken("arrivals.csv", "id,prefer:War,prefer:Drama\nx,1,-1\n",
                {"arrivals.csv:2: column \"prefer:Drama\"", "\"-1\""});
  expect_broken("arrivals.csv", "id,prefer:War,prefer:Drama,prefer:Love\nx,1,1,1\n",
                {"arrivals.csv", "\"prefer:Love\"", "no fixed node"});
  expect_broken("arrivals.csv", "id,prefer:\nx,1\n", {"arrivals.csv", "name", "\"prefer:\""});
}

TEST_F(CsvSource, ATypeThatArrivesMustHaveAnEdge) {
  write("edges.csv", "u,v\na,x\n");
  expect_broken("arrivals.csv", "id,frequency\nx,0\ny,1\n", {"no arrival has an edge"});
}

TEST_F(CsvSource, AFolderMustBeGivenAndHoldEdges) {
  expect_error(ErrorCode::kUsage, {"\"csv\"", "\"path\"", "edges.csv"},
               [] { sources().make("csv"); });
  expect_error(ErrorCode::kIo, {"edges.csv"}, [&] { make(); });
}

}  // namespace
}  // namespace foresight
