// What the program refuses, and that it does so in a plain sentence before it changes anything.
#include "tests/cli/program.h"
#include <nlohmann/json.hpp>

#include "foresight/problem/bound.h"

namespace foresight {
namespace {

class Refused : public ProgramTest {};

// It used to be a segmentation fault, or a ratio of 1.2166.
TEST_F(Refused, AValidationSetOfAnotherProblem) {
  const std::string train = "train inv-ff-hist --instances 200 --epochs 1 -o run --train ";
  expect_sentence(train + "'thick-z(u=10,v=60)' --val 'crowd(u=10,v=30)'", 1,
                  {"validation set", "inv-ff-hist", "\"adwords\"", "\"e-obm\""});
  std::filesystem::create_directory(path("films"));
  folder_.write_file("films/edges.csv", "u,v\na,p\nb,p\nb,q\n");
  folder_.write_file("films/fixed.csv", "id,topics\na,war\nb,war|love\n");
  expect_sentence(train + "'crowd(u=10,v=30)' --val 'csv(path=films,u=2)'", 1,
                  {"validation set", "\"e-obm\"", "\"osbm\""});
  expect_sentence(
      "train auto --minutes 0.001 -o run --train 'crowd(u=4,v=8)' --val "
      "'thick-z(u=4,v=8)'",
      1, {"validation set", "\"e-obm\"", "\"adwords\""});
  EXPECT_FALSE(exists("run"));
}

TEST_F(Refused, TrainingDataWithoutWhatItsProblemNeeds) {
  expect("generate er -n 20 -o plain", 0, {});
  const Dataset plain = Dataset::load(path("plain"));
  plain.for_problem("adwords").save(path("no-budgets"));
  plain.for_problem("osbm").save(path("no-preferences"));
  const std::string run = " --val plain -o run";
  for (const char* model : {"inv-ff-hist", "auto"}) {
    expect_sentence(fmt::format("train {} --train no-budgets{}", model, run), 1,
                    {"no-budgets: instance ", "adwords", "budget"});
    expect_sentence(fmt::format("train {} --train no-preferences{}", model, run), 1,
                    {"no-preferences: instance ", "osbm", "topics"});
  }
  EXPECT_FALSE(exists("run"));
}

TEST_F(Refused, LabelsThatAreNotPossibleUntilTheyAreMadeAnew) {
  expect("generate 'er(u=3,v=5,p=1)' -n 4 -o data --label", 0, {});
  const Dataset good = Dataset::load(path("data"));
  std::vector<Label> labels;
  for (std::size_t i = 0; i < good.size(); ++i) labels.push_back(good.label(i));
  std::ranges::fill(labels[2].matching, 1);
  good.with_labels(labels).save(path("data"));
  for (const char* command : {"evaluate data --policy greedy", "solve data",
                              "train ff --train data --val data --epochs 1 -o run"}) {
    expect_sentence(command, 1,
                    {"data: instance 2: ", "arrival 1", "node 1", "solve FILE --again"});
  }
  EXPECT_FALSE(exists("run"));
  expect("solve data --again", 0, {"4 optima, all proven"});
  expect("evaluate data --policy greedy", 0, {"mean ratio"});
  EXPECT_EQ(Dataset::load(path("data")), good);
}

TEST_F(Refused, AReportOnADamagedRun) {
  expect("train inv-ff --train 'crowd(u=4,v=6)' --instances 200 --epochs 2 -o run", 0, {});
  expect("report run --csv fine.csv", 0, {"wrote fine.csv"});
  const std::string last = read("run/last.safetensors");
  folder_.write_file("run/last.safetensors", last.substr(0, last.size() / 2));
  expect_sentence("report run --csv r.csv", 1, {"run/last.safetensors"});
  expect_sentence(
      "train inv-ff --train 'crowd(u=4,v=6)' --instances 200 --epochs 3 -o run --resume", 1,
      {"run/last.safetensors"});
  folder_.write_file("run/last.safetensors", read("run/best.safetensors"));
  expect_sentence("report run --csv r.csv", 1, {"run/last.safetensors", "no record of its run"});
  folder_.write_file("run/last.safetensors", last);
  std::filesystem::remove(path("run/last.safetensors"));
  expect_sentence("report run --csv r.csv", 1, {"run/last.safetensors", "missing"});
  std::filesystem::remove(path("run/best.safetensors"));
  folder_.write_file("run/config.json", "{\"model\": 1e999}");
  expect_sentence("report run --csv r.csv", 1, {"run/config.json", "1e999", "too large"});
  folder_.write_file("run/config.json", "{");
  expect_sentence("report run --csv r.csv", 1, {"run/config.json", "not valid JSON"});
  EXPECT_FALSE(exists("r.csv"));
}

TEST_F(Refused, ToResumeARunWhoseBestModelIsLost) {
  const std::string train = "train inv-ff --train 'crowd(u=4,v=6)' --instances 200 --epochs 1 -o ";
  expect(train + "run", 0, {});
  expect("train inv-ff-hist --train 'crowd(u=4,v=6)' --instances 200 --epochs 1 -o other", 0, {});
  const std::string best = read("run/best.safetensors");
  // The last epoch is the best one here, so its model can be made again.
  for (const std::string& damage :
       {std::string(), best.substr(0, 50), read("other/best.safetensors")}) {
    folder_.write_file("run/best.safetensors", damage);
    expect(train + "run --resume", 0, {});
    EXPECT_TRUE(read("run/best.safetensors") == best);
  }
  // The model of an earlier epoch cannot.
  const std::string longer =
      "train inv-ff --train 'crowd(u=4,v=6)' --trainer 'reinforce(lr=1)' --instances 200 "
      "--epochs 3 -o far";
  expect(longer, 0, {"in epoch 1 of 3"});
  folder_.write_file("far/best.safetensors", best);
  expect_sentence(longer + " --resume", 1, {"far/best.safetensors", "of epoch 1", "lost"});
}

TEST_F(Refused, ToResumeWhatWasNeverBegun) {
  expect_sentence("train inv-ff --train 'crowd(u=4,v=6)' -o mistyped --resume", 2,
                  {"mistyped", "no run to resume"});
  EXPECT_FALSE(exists("mistyped"));
}

TEST_F(Refused, AnAutomaticRunOfOtherLengthBeforeAnyCandidateIsTrained) {
  const std::string train =
      "train auto --train 'crowd(u=4,v=6)' --val-instances 50 -o run --minutes ";
  expect(train + "0.001", 0, {});
  const std::string before = read("run/candidates/ff-hist/1/metrics.csv");
  expect_sentence(train + "0.002 --resume", 2, {"run", "minutes was 0.001, and now is 0.002"});
  EXPECT_EQ(read("run/candidates/ff-hist/1/metrics.csv"), before);
}

TEST_F(Refused, OutputsThatCannotBeWrittenBeforeTheWork) {
  // Work that would fail by itself, but only later, shows which comes first.
  std::filesystem::create_directory(path("folder"));
  for (const auto& [output, reason] : {std::pair("nowhere/x", "there is no folder nowhere"),
                                       std::pair("folder", "it is a folder")}) {
    expect_sentence(fmt::format("evaluate missing --policy greedy --json {}", output), 1,
                    {"cannot write", reason});
    expect_sentence(fmt::format("ceiling missing -o {}", output), 1, {"cannot write", reason});
    expect_sentence(fmt::format("report missing --csv {}", output), 1, {"cannot write", reason});
    expect_sentence(fmt::format("export missing -o {}", output), 1, {"cannot write", reason});
    expect_sentence(fmt::format("solve missing -o {}", output), 1, {"cannot write", reason});
    expect_sentence(fmt::format("bench er --json {}", output), 1, {"cannot write", reason});
    expect_sentence(fmt::format("generate er -n 5 -o {}", output), 1, {"cannot write", reason});
  }
}

TEST_F(Refused, FoldersThatCannotBeMade) {
  expect("generate 'crowd(u=4,v=6)' -n 5 -o file", 0, {});
  for (const char* command :
       {"train ff --train er --instances 200 --epochs 1 -o file/run",
        "train auto --train er --minutes 0.001 -o file/run", "demo --minutes 0.001 -o file/run",
        "reproduce er --scale smoke -o file"}) {
    expect_sentence(command, 1, {"cannot make the folder file/", "Not a directory"});
  }
}

TEST_F(Refused, NamesThatAreTooLongForAFileLikeAnyOther) {
  const std::string name(300, 'a');
  expect("generate er -n 5 -o data", 0, {});
  for (const std::string& command :
       {"inspect " + name, "report " + name, "solve " + name,
        "evaluate " + name + " --policy greedy", "evaluate data --policy " + name,
        "export " + name + " -o x", "train ff --train " + name,
        "generate 'csv(path=" + name + ")' -n 2 -o x",
        "generate 'movielens(path=" + name + ")' -n 2 -o x",
        "train ff --train er --instances 200 --epochs 1 -o " + name,
        "reproduce gmission --scale smoke --data " + name}) {
    const Outcome outcome = run(command);
    EXPECT_TRUE(outcome.exit_code == 1 || outcome.exit_code == 2) << command;
    EXPECT_TRUE(outcome.output.starts_with("foresight: ")) << outcome.output;
    EXPECT_EQ(outcome.output.find("filesystem error"), std::string::npos) << outcome.output;
  }
  EXPECT_FALSE(exists("x"));
}

TEST_F(Refused, BytesThatAreNotUtf8InNamesAreNoReasonToStop) {
  const std::string odd = "odd\xff";
  expect_sentence("evaluate " + odd + " --policy greedy", 1, {"cannot read odd"});
  expect("generate er -n 20 -o " + odd, 0, {});
  expect("evaluate " + odd + " --policy 'greedy-t(train=" + odd + ")' --json " + odd + ".json", 0,
         {"mean ratio"});
  expect("report " + odd + ".json --csv " + odd + ".csv", 0, {});
  expect_sentence("evaluate " + odd + " --policy " + odd, 1, {"does not hold a model"});
}

TEST_F(Refused, NumbersInResultsThatNoTypeHolds) {
  expect("generate er -n 5 -o data --label", 0, {});
  expect("evaluate data --policy greedy --json result.json", 0, {});
  for (const char* field : {"\"mean_ratio\": ", "\"seed\": ", "\"instances\": "}) {
    std::string text = read("result.json");
    text.insert(text.find(field) + std::string_view(field).size(), "1e999, \"x\": ");
    folder_.write_file("huge.json", text);
    expect_sentence("report huge.json --csv x.csv", 1, {"huge.json", "1e999", "too large"});
  }
  EXPECT_FALSE(exists("x.csv"));
}

// ---------------------------------------------------------------- names of policies

class Named : public ProgramTest {
 protected:
  void SetUp() override {
    expect("generate 'er(u=4,v=12,p=0.7)' -n 30 -o data --label", 0, {});
    expect("train ff --train 'er(u=4,v=12,p=0.7)' --instances 200 --epochs 1 -o greedy-tuned", 0,
           {});
  }

  nlohmann::json evaluate(const std::string& policies) const {
    expect("evaluate data --json result.json " + policies, 0, {});
    return nlohmann::json::parse(read("result.json"))["policies"];
  }
};

constexpr const char* kRandomThreshold = "--policy 'greedy-rt(scale=18.8736,w_max=18.8736)'";
constexpr const char* kCeiling = "--policy 'optimal-online(source=\"er(u=4,v=12,p=0.7)\")'";

TEST_F(Named, TheGapIsMeasuredFromGreedyAndNotFromWhatIsCalledAlmostLikeIt) {
  for (const char* before : {kRandomThreshold, "--policy greedy-tuned"}) {
    const auto policies = evaluate(fmt::format("{} --policy greedy {}", before, kCeiling));
    EXPECT_EQ(policies[1]["gap_closed"], 0) << before;
    EXPECT_EQ(policies[2]["gap_closed"], 1) << before;
    EXPECT_NE(policies[0]["gap_closed"], 0) << before;
  }
  const auto policies = evaluate(fmt::format("{} {}", kRandomThreshold, kCeiling));
  EXPECT_FALSE(policies[1].contains("gap_closed") && policies[1]["gap_closed"].is_number())
      << "there is no reference";
}

TEST_F(Named, AFileOrFolderDoesNotHideThePolicyOfThatName) {
  const auto before = evaluate("--policy greedy")[0]["mean_ratio"];
  std::filesystem::create_directory(path("greedy"));
  EXPECT_EQ(evaluate("--policy greedy")[0]["mean_ratio"], before);
  EXPECT_EQ(evaluate("--policy greedy")[0]["rule"], "greedy");
  std::filesystem::remove(path("greedy"));
  std::filesystem::copy(path("greedy-tuned/best.safetensors"), path("greedy"));
  EXPECT_EQ(evaluate("--policy greedy")[0]["mean_ratio"], before);
  EXPECT_EQ(evaluate("--policy ./greedy")[0]["model"], "ff");
  // Nor a source: crowd is drawn from, ./crowd is read.
  folder_.write_file("crowd", "not a dataset");
  expect("train ff --train crowd --instances 200 --epochs 1 -o drawn", 0, {});
  expect("train ff --train ./crowd --instances 200 --epochs 1 -o read", 1, {"./crowd"});
}

TEST_F(Named, SpecsMayBeLongerThanAFileName) {
  const std::string spec = "crowd(u=4,v=8,draw=" + std::string(300, '0') + "1)";
  expect("train ff --train '" + spec + "' --val '" + spec + "' --instances 200 --epochs 1 -o run",
         0, {});
  expect("evaluate data --policy 'greedy-t(threshold=0." + std::string(300, '1') + ")'", 0, {});
  expect("generate '" + spec + "' -n 2 -o long", 0, {});
}

}  // namespace
}  // namespace foresight
