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
  write("edges.csv", "weight,type,node\n0.5,task one,bob\n2,task one,\"ann, ltd\"\n1e-1,t2,bob\n");
  const BaseGraph g = graph();
  EXPECT_EQ(g.schema, Schema{.problem = "e-obm"});
  EXPECT_EQ(g.num_fixed, 2);
  EXPECT_EQ(g.edge_begin, (std::vector<std::int64_t>{0, 2, 3}));
  EXPECT_EQ(g.nodes, (std::vector<NodeId>{0, 1, 0}));
  EXPECT_EQ(g.weights, (Floats{0.5, 2, 0.1F}));
}

TEST_F(CsvSource, AWeightThatIsNotGivenIsOne) {
  write("edges.csv", "node,type\na,x\nb,x\n");
  EXPECT_EQ(graph().weights, (Floats{1, 1}));
}

TEST_F(CsvSource, AWeightOfZeroIsAnEdge) {
  write("edges.csv", "node,type,weight\na,x,0\n");
  EXPECT_EQ(graph().weights, Floats{0});
}

TEST_F(CsvSource, FixedNodesMayHaveAttributesAndBudgets) {
  write("edges.csv", "node,type,weight\nb,x,1\na,y,2\n");
  write("fixed.csv", "size,node,budget,age\n1.5,a,10,-3\n2.5,unused,0,4\n3.5,b,7,5\n");
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
  write("edges.csv", "node,type\na,x\nb,y\n");
  write("fixed.csv", "node,topics\na,War|Drama\nb,\nc,War\n");
  BaseGraph g = graph();
  EXPECT_EQ(g.schema, (Schema{.problem = "osbm", .topics = {"Drama", "War"}}));
  EXPECT_EQ(g.topic_sets, (std::vector<std::vector<std::int32_t>>{{0, 1}, {}, {1}}));
  EXPECT_EQ(g.preferences, (Floats{1, 1, 1, 1})) << "every topic is worth 1 unless said otherwise";

  write("arrivals.csv", "prefer:War,type,prefer:Drama\n0.25,x,0.5\n0,y,3\n");
  g = graph();
  EXPECT_EQ(g.preferences, (Floats{0.5, 0.25, 3, 0}));
  EXPECT_EQ(make()->draw(1, 0).arrival(0).preferences.size(), 2U);
}

TEST_F(CsvSource, TopicsGoWithCapacitiesButNotWithBudgetsOrCosts) {
  write("edges.csv", "node,type\na,x\n");
  write("fixed.csv", "node,topics,capacity\na,War,5\n");
  EXPECT_EQ(graph().schema.problem, "osbm");
  EXPECT_EQ(graph().capacities, Floats{5});
  expect_broken("fixed.csv", "node,topics,budget\na,War,5\n", {"topics", "\"budget\""});
  write("fixed.csv", "node,topics\na,War\n");
  expect_broken("edges.csv", "node,type,cost\na,x,1\n", {"topics", "\"cost\""});
}

TEST_F(CsvSource, KeptSetsOfNodesMayHaveNoEdges) {
  write("edges.csv", "node,type\na,x\n");
  write("fixed.csv", "node\na\nb\nc\n");
  const auto source = sources().make(
      fmt::format("csv(path={},u=1,v=3,fixed=vary,edgeless=keep)", folder_.path().string()));
  int with_edges = 0;
  for (std::uint64_t i = 0; i < 300; ++i) with_edges += source->draw(1, i).num_edges() > 0;
  EXPECT_NEAR(with_edges, 100, 30);
}

TEST_F(CsvSource, ArrivalsMayHaveAttributes) {
  write("edges.csv", "node,type\na,x\na,y\n");
  write("arrivals.csv", "type,age,height\ny,1,2\nunused,3,4\nx,5,6\n");
  const BaseGraph g = graph();
  EXPECT_EQ(g.schema.arrival_attributes, (std::vector<std::string>{"age", "height"}));
  EXPECT_EQ(g.arrival_attributes, (Floats{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(g.edge_begin, (std::vector<std::int64_t>{0, 1, 1, 2}));
}

TEST_F(CsvSource, TypesArriveByTheirFrequencies) {
  write("edges.csv", "node,type\na,x\na,y\na,z\n");
  write("arrivals.csv", "type,frequency\nx,30\ny,0\nz,10\n");
  const Instance instance = make(",u=1,v=10000")->draw(1, 0);
  std::map<std::int32_t, int> counts;
  for (int t = 0; t < 10'000; ++t) ++counts[instance.arrival(t).type];
  EXPECT_EQ(counts.count(1), 0U);
  EXPECT_NEAR(counts[0], 7500, 5 * std::sqrt(10'000 * 3 / 16.0));
}

TEST_F(CsvSource, ZeroTakesAllNodesInTheOrderOfTheFile) {
  write("edges.csv", "node,type\na,x\nb,x\nc,x\nc,y\n");
  const Instance instance = make(",u=0,v=0")->draw(1, 0);
  const auto ids = instance.market().ids;
  EXPECT_EQ(std::vector(ids.begin(), ids.end()), (std::vector<NodeId>{0, 1, 2}));
  EXPECT_EQ(instance.num_arrivals(), 2);
  expect_error(ErrorCode::kUsage, {"\"u\"", "at most 3", "got 10"}, [&] { make(""); });
}

TEST_F(CsvSource, EdgesNeedNodesAndNothingElse) {
  expect_broken("edges.csv", "node,weight\na,1\n",
                {"edges.csv", "no column \"type\"", "\"weight\""});
  expect_broken("edges.csv", "type,weight\na,1\n", {"edges.csv", "no column \"node\""});
  expect_broken("edges.csv", "node,type,price\na,x,1\n",
                {"edges.csv", "\"price\"", "node, type, weight"});
  expect_broken("edges.csv", "node,type,\na,x,1\n", {"edges.csv", "column 3", "name"});
  expect_broken("edges.csv", "node,type\na,x\n,x\n", {"edges.csv:3: column \"node\"", "a name"});
  expect_broken("edges.csv", "node,type\na,x\na,\n", {"edges.csv:3: column \"type\"", "a name"});
}

TEST_F(CsvSource, WeightsMustBeFiniteAndNotNegative) {
  for (const char* weight : {"-1", "nan", "inf", "-inf", "", "1,5", "1e39", "0x10", "1 "}) {
    const std::string content = fmt::format("node,type,weight\na,x,1\na,y,\"{}\"\n", weight);
    expect_broken("edges.csv", content.c_str(),
                  {"edges.csv:3: column \"weight\"", fmt::format("got \"{}\"", weight)});
  }
}

TEST_F(CsvSource, RepeatedEdgesNameBothLines) {
  expect_broken("edges.csv", "node,type,weight\na,x,1\nb,x,1\na,x,2\n",
                {"edges.csv:4: ", "line 2"});
}

TEST_F(CsvSource, AGraphWithoutEdgesIsAnError) {
  expect_broken("edges.csv", "", {"edges.csv:1: ", "empty"});
  expect_broken("edges.csv", "node,type,weight\n", {"edges.csv: the file lists no edge"});
}

TEST_F(CsvSource, IdsMustBeListedWhereThereIsAList) {
  write("edges.csv", "node,type\na,x\nb,x\n");
  expect_broken("fixed.csv", "node\na\n", {"edges.csv:3: column \"node\"", "fixed.csv", "\"b\""});
  write("fixed.csv", "node\na\nb\n");
  expect_broken("arrivals.csv", "type\ny\n",
                {"edges.csv:2: column \"type\"", "arrivals.csv", "\"x\""});
}

TEST_F(CsvSource, ListsOfFixedNodesAreChecked) {
  write("edges.csv", "node,type\na,x\n");
  expect_broken("fixed.csv", "", {"fixed.csv:1: ", "empty"});
  expect_broken("fixed.csv", "node\n", {"fixed.csv: the file lists no fixed node"});
  expect_broken("fixed.csv", "name\na\n", {"fixed.csv", "no column \"node\""});
  expect_broken("fixed.csv", "node,age\na,1\na,2\n", {"fixed.csv:3: column \"node\"", "\"a\""});
  expect_broken("fixed.csv", "node,age\n,1\n", {"fixed.csv:2: column \"node\""});
  expect_broken("fixed.csv", "node,age\na,old\n", {"fixed.csv:2: column \"age\"", "\"old\""});
  expect_broken("fixed.csv", "node,age\na,nan\n", {"fixed.csv:2: column \"age\"", "\"nan\""});
  expect_broken("fixed.csv", "node,age\na,-1e39\n", {"fixed.csv:2: column \"age\"", "float"});
  expect_broken("fixed.csv", "node,budget\na,-1\n", {"fixed.csv:2: column \"budget\"", ">= 0"});
  expect_broken("fixed.csv", "node,budget\na,inf\n", {"fixed.csv:2: column \"budget\""});
  expect_broken("fixed.csv", "node,age,\na,1,2\n", {"fixed.csv", "column 3", "name"});
}

TEST_F(CsvSource, TopicsAreChecked) {
  write("edges.csv", "node,type\na,x\n");
  for (const char* topics : {"War|", "|War", "War||Drama", "War|War", "|"}) {
    const std::string content = fmt::format("node,topics\na,{}\n", topics);
    expect_broken("fixed.csv", content.c_str(), {"fixed.csv:2: column \"topics\"", topics});
  }
  expect_broken("fixed.csv", "node,topics\na,\n", {"fixed.csv", "no fixed node has a topic"});
}

TEST_F(CsvSource, NamesThatNoFileCouldHoldAreRefused) {
  write("edges.csv", "node,type\na,x\n");
  expect_broken("fixed.csv",
                "node,gr\xf6\xdf"
                "e\na,1\n",
                {"fixed.csv", "column 2", "UTF-8"});
  expect_broken("fixed.csv", "node,topics\na,Z\xfcrich\n",
                {"fixed.csv:2: column \"topics\"", "UTF-8"});
}

TEST_F(CsvSource, ListsOfArrivalsAreChecked) {
  write("edges.csv", "node,type\na,x\n");
  write("fixed.csv", "node,topics\na,War|Drama\n");
  expect_broken("arrivals.csv", "type\n", {"arrivals.csv: the file lists no arrival"});
  expect_broken("arrivals.csv", "type\nx\nx\n", {"arrivals.csv:3: column \"type\"", "\"x\""});
  expect_broken("arrivals.csv", "type,age\nx,\n", {"arrivals.csv:2: column \"age\""});
  expect_broken("arrivals.csv", "type,frequency\nx,-1\n",
                {"arrivals.csv:2: column \"frequency\"", ">= 0", "\"-1\""});
  expect_broken("arrivals.csv", "type,frequency\nx,inf\n",
                {"arrivals.csv:2: column \"frequency\""});
  expect_broken("arrivals.csv", "type,frequency\nx,0\n", {"arrivals.csv", "\"frequency\" is 0"});
  expect_broken("arrivals.csv", "type,prefer:War\nx,1\n", {"arrivals.csv", "\"prefer:Drama\""});
  expect_broken("arrivals.csv", "type,prefer:War,prefer:Drama\nx,1,-1\n",
                {"arrivals.csv:2: column \"prefer:Drama\"", "\"-1\""});
  expect_broken("arrivals.csv", "type,prefer:War,prefer:Drama,prefer:Love\nx,1,1,1\n",
                {"arrivals.csv", "\"prefer:Love\"", "no fixed node"});
  expect_broken("arrivals.csv", "type,prefer:\nx,1\n", {"arrivals.csv", "name", "\"prefer:\""});
}

TEST_F(CsvSource, ATypeThatArrivesMustHaveAnEdge) {
  write("edges.csv", "node,type\na,x\n");
  expect_broken("arrivals.csv", "type,frequency\nx,0\ny,1\n", {"no arrival has an edge"});
}

TEST_F(CsvSource, FormerNamesOfColumnsAreReadAlone) {
  write("edges.csv", "u,v,weight\nb,x,1\na,y,2\n");
  write("fixed.csv", "id,size\na,1\nb,2\n");
  write("arrivals.csv", "id,frequency\ny,1\nx,2\n");
  const BaseGraph former = graph();
  write("edges.csv", "node,type,weight\nb,x,1\na,y,2\n");
  write("fixed.csv", "node,size\na,1\nb,2\n");
  write("arrivals.csv", "type,frequency\ny,1\nx,2\n");
  const BaseGraph now = graph();
  EXPECT_EQ(former.schema, now.schema);
  EXPECT_EQ(former.nodes, now.nodes);
  EXPECT_EQ(former.edge_begin, now.edge_begin);
  EXPECT_EQ(former.fixed_names, now.fixed_names);
  expect_broken("arrivals.csv", "type,id\nx,1\n", {"arrivals.csv", "\"type\" and \"id\"", "same"});
  write("arrivals.csv", "type\nx\n");
  expect_broken("fixed.csv", "node,id\na,1\n", {"fixed.csv", "\"node\" and \"id\"", "same"});
  write("fixed.csv", "node\na\n");
  expect_broken("edges.csv", "u,node,type\na,a,x\n", {"edges.csv", "\"node\" and \"u\"", "same"});
  expect_broken("edges.csv", "u,v\nc,x\n", {"edges.csv:2: column \"u\"", "fixed.csv", "\"c\""});
}

TEST_F(CsvSource, ASlipOfAColumnIsNotAnAttribute) {
  write("edges.csv", "node,type\na,x\n");
  for (const auto& [slip, meant] : std::map<std::string, std::string>{{"Capacity", "capacity"},
                                                                      {"capacities", "capacity"},
                                                                      {"capactiy", "capacity"},
                                                                      {"BUDGET", "budget"},
                                                                      {"budgets", "budget"},
                                                                      {"topic", "topics"},
                                                                      {"Node", "node"}}) {
    const std::string content = fmt::format("node,{}\na,1\n", slip);
    expect_broken("fixed.csv", content.c_str(),
                  {"fixed.csv", fmt::format("\"{}\"", slip), "did you mean \"" + meant + "\"?"});
  }
  for (const char* word : {"type", "weight", "cost", "frequency", "arrival:x", "prefer:x"}) {
    const std::string content = fmt::format("node,{}\na,1\n", word);
    expect_broken("fixed.csv", content.c_str(), {"fixed.csv", word, "another file"});
  }
  write("fixed.csv", "node,age,note,opacity\na,3,4,5\n");
  EXPECT_EQ(graph().schema.fixed_attributes.size(), 3U);
  for (const auto& [slip, meant] : std::map<std::string, std::string>{{"freq", "frequency"},
                                                                      {"Frequency", "frequency"},
                                                                      {"types", "type"},
                                                                      {"Prefer:A", "prefer:"}}) {
    const std::string content = fmt::format("type,{}\nx,1\n", slip);
    expect_broken("arrivals.csv", content.c_str(),
                  {"arrivals.csv", fmt::format("\"{}\"", slip), "did you mean \"" + meant + "\"?"});
  }
  write("arrivals.csv", "type\nx\n");
  expect_broken("edges.csv", "node,type,weights\na,x,1\n",
                {"edges.csv", "\"weights\"", "did you mean \"weight\"?", "node, type, weight"});
}

TEST_F(CsvSource, NodesAndArrivalsKeepTheirNames) {
  write("edges.csv", "node,type\nann,x\nJosé,y\nann,y\n");
  const Instance instance = make(",u=2,v=20,fixed=permute")->draw(1, 0);
  const Market& market = instance.market();
  const std::vector<std::string> nodes = {"ann", "José"}, types = {"x", "y"};
  for (std::size_t u = 0; u < 2; ++u) {
    EXPECT_EQ(market.names[u], nodes[static_cast<std::size_t>(market.ids[u])]);
  }
  for (int t = 0; t < 20; ++t) {
    EXPECT_EQ(instance.arrival(t).name, types[static_cast<std::size_t>(instance.arrival(t).type)]);
  }
  expect_broken("edges.csv", "node,type\nann,x\nJos\xe9,y\n",
                {"edges.csv:3: column \"node\"", "UTF-8"});
  expect_broken("edges.csv", "node,type\nann,\xe9\n", {"edges.csv:2: column \"type\"", "UTF-8"});
  write("edges.csv", "node,type\na,x\n");
  expect_broken("fixed.csv", "node\na\n\xe9\n", {"fixed.csv:3: column \"node\"", "UTF-8"});
}

TEST_F(CsvSource, TheNumberOfArrivalsMayVary) {
  write("edges.csv", "node,type\na,x\nb,y\n");
  const auto source = make(",u=2,v=3..6");
  std::map<int, int> counts;
  for (std::uint64_t i = 0; i < 4000; ++i) ++counts[source->draw(1, i).num_arrivals()];
  ASSERT_EQ(counts.size(), 4U);
  for (const auto& [arrivals, count] : counts) {
    EXPECT_TRUE(arrivals >= 3 && arrivals <= 6);
    EXPECT_NEAR(count, 1000, 5 * std::sqrt(4000 * 3 / 16.0));
  }
  EXPECT_EQ(make(",u=2,v=5..5")->draw(1, 0), make(",u=2,v=5")->draw(1, 0));
}

TEST_F(CsvSource, ArrivalsWithoutEdgesAreKeptIfAsked) {
  write("edges.csv", "node,type\na,x\nb,y\n");
  write("arrivals.csv", "type,frequency\nx,1\ny,1\nz,2\nnever,0\n");
  const auto redraw = make(",u=2,v=4000"), keep = make(",u=2,v=4000,edgeless=keep");
  std::map<std::string, int> redrawn, kept;
  const Instance without = redraw->draw(1, 0), with = keep->draw(1, 0);
  for (int t = 0; t < 4000; ++t) {
    ++redrawn[std::string(without.arrival(t).name)];
    ++kept[std::string(with.arrival(t).name)];
    EXPECT_EQ(with.arrival(t).degree(), with.arrival(t).name == "z" ? 0 : 1);
  }
  EXPECT_EQ(redrawn.size(), 2U);
  EXPECT_EQ(kept.size(), 3U);
  EXPECT_NEAR(kept["z"], 2000, 5 * std::sqrt(1000));

  const auto law = std::get<ArrivalTypes>(*keep->arrival_law(with.market()));
  EXPECT_EQ(law.probabilities, (std::vector<double>{0.25, 0.25, 0.5}));
  EXPECT_EQ(law.edge_begin, (std::vector<std::int64_t>{0, 1, 2, 2}));
  const auto of_redrawn = std::get<ArrivalTypes>(*redraw->arrival_law(without.market()));
  EXPECT_EQ(of_redrawn.probabilities, (std::vector<double>{0.5, 0.5}));
}

TEST_F(CsvSource, AFolderMustBeGivenAndHoldEdges) {
  expect_error(ErrorCode::kUsage, {"\"csv\"", "\"path\"", "edges.csv"},
               [] { sources().make("csv"); });
  expect_error(ErrorCode::kIo, {"edges.csv"}, [&] { make(); });
}

}  // namespace
}  // namespace foresight
