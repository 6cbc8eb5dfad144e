// The program as a person runs it: what it prints, what it writes, and how it ends.
#include "tests/cli/program.h"

#include "tests/named_market.h"
#include <nlohmann/json.hpp>

#include "foresight/data/dataset.h"
#include "foresight/data/source.h"
#include "foresight/policy/policy.h"

namespace foresight {
namespace {

class Program : public ProgramTest {};

TEST_F(Program, FromSourceToJudgement) {
  expect("generate 'crowd(u=5,v=10)' -n 50 --seed 3 -o data", 0,
         {"50 e-obm instances", "500 arrivals"});
  EXPECT_FALSE(Dataset::load(folder_.path() / "data").labelled());
  expect("solve data", 0, {"50 optima, all proven"});
  EXPECT_TRUE(Dataset::load(folder_.path() / "data").labelled());
  EXPECT_FALSE(exists("data.partial"));
  expect("evaluate data --policy greedy --policy 'greedy-t(train=data)' --json result.json", 0,
         {"greedy", "greedy-t(threshold=0.", "mean ratio"});
  std::ifstream file(folder_.path() / "result.json");
  const auto json = nlohmann::json::parse(file);
  EXPECT_EQ(json["policies"].size(), 2U);
  EXPECT_GE(json["policies"][1]["mean_ratio"], json["policies"][0]["mean_ratio"]);
}

TEST_F(Program, EvaluateWritesEveryDecisionAsCsv) {
  named_market().save(path("data"));
  expect("evaluate data --policy greedy --matching m.csv", 0, {"1 instances of by hand"});
  const std::string text = read("m.csv");
  EXPECT_TRUE(text.starts_with("instance,policy,arrival,arrival_name,node,node_name,")) << text;
  EXPECT_NE(text.find("0,greedy,0,\"boiler\nat 5th\",0,Ana,100,3,100\n"), text.npos) << text;
  EXPECT_NE(text.find("0,optimum,2,roof,0,Ana,300,6,300\n"), text.npos) << text;
  expect_sentence("evaluate data --policy greedy --matching missing/m.csv", 1, {"no folder"});
  expect_sentence("evaluate data --policy greedy --matching data", 2, {"data"});
}

TEST_F(Program, GenerateCanLabelAtOnceAndNameAnotherProblem) {
  expect("generate 'er(u=5,v=10,weight=one)' -n 5 -o data --label", 0, {"labelled"});
  EXPECT_TRUE(Dataset::load(folder_.path() / "data").labelled());
  std::filesystem::create_directories(folder_.path() / "shop");
  folder_.write_file("shop/edges.csv", "u,v,weight\na,x,1\nb,x,2\nb,y,1\n");
  folder_.write_file("shop/fixed.csv", "id,topics\na,war\nb,war|love\n");
  expect("generate 'csv(path=shop,u=2,v=5)' -n 5 -o data --problem e-obm", 0, {"e-obm"});
  EXPECT_EQ(Dataset::load(folder_.path() / "data").schema().problem, "e-obm");
  expect("generate 'thick-z(u=5,v=10)' -n 5 -o data --problem e-obm", 1,
         {"e-obm", "capacity of fixed node", "whole number"});
  expect("generate 'er(u=5,v=10)' -n 5 -o other --problem adwords", 1, {"adwords", "budget"});
  EXPECT_FALSE(exists("other"));
}

TEST_F(Program, ExportWritesAPolicyForOtherProgramsOrNothing) {
  expect("generate 'er(u=4,v=8,p=0.5)' -n 10 -o data --label", 0, {});
  expect("train inv-ff --train data --val data --epochs 1 -o run", 0, {});
  expect("export run -o policy.onnx", 0, {"policy.onnx", "inv-ff for e-obm", "candidates, 3"});
  expect("export run/last.safetensors -o last.onnx --samples samples --data data --decisions 5", 0,
         {"samples (5 decisions", "last.onnx"});
  EXPECT_TRUE(exists("samples"));

  expect("export nowhere -o no.onnx", 1, {"nowhere"});
  expect("export data -o no.onnx", 1, {"data", "does not hold a model"});
  expect("export run -o folder/no.onnx", 1, {"folder", "there is no folder"});
  expect("export run -o no.onnx --samples more", 2, {"--data"});
  expect("export run -o no.onnx --data data", 2, {"--samples"});
  expect("export run -o no.onnx --samples no.onnx --data data", 2, {"same file", "no.onnx"});
  expect("export run -o run/best.safetensors", 2, {"overwritten", "run/best.safetensors"});
  expect("export run -o no.onnx --samples data --data data", 2, {"overwritten", "data"});
  expect("generate 'thick-z(u=4,v=8)' -n 3 -o bids", 0, {});
  expect("export run -o no.onnx --samples more --data bids", 1, {"e-obm", "adwords"});
  EXPECT_FALSE(exists("no.onnx"));
  EXPECT_FALSE(exists("more"));
}

TEST_F(Program, EvaluateSolvesWhatHasNoOptimaYet) {
  expect("generate 'er(u=5,v=10)' -n 5 -o data", 0, {});
  expect("evaluate data --policy greedy", 0, {"mean ratio"});
}

TEST_F(Program, EvaluationsAreTheSameForAnyNumberOfThreads) {
  expect("generate 'crowd(u=5,v=10)' -n 300 -o data --label", 0, {});
  std::vector<nlohmann::json> results;
  for (const char* threads : {"1", "2", "7"}) {
    expect(fmt::format("evaluate data --policy greedy --policy random --json r.json --threads {}",
                       threads),
           0, {});
    std::ifstream file(folder_.path() / "r.json");
    auto json = nlohmann::json::parse(file);
    for (auto& policy : json["policies"]) {
      for (const char* measured :
           {"decisions_per_second", "p50_microseconds", "p99_microseconds"}) {
        policy.erase(measured);
      }
    }
    json.erase("command");
    results.push_back(json);
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

TEST_F(Program, ListShowsEveryEntryAndOption) {
  const Outcome outcome = run("list");
  EXPECT_EQ(outcome.exit_code, 0);
  const auto expect_all = [&](const auto& registry) {
    for (const auto& entry : registry.entries()) {
      EXPECT_NE(outcome.output.find("  " + entry.name + " - "), std::string::npos) << entry.name;
      for (const OptionInfo& option : registry.options(entry)) {
        EXPECT_NE(outcome.output.find(option.text), std::string::npos) << option.text;
      }
    }
  };
  expect_all(sources());
  expect_all(policies());
  expect_all(problems());
  EXPECT_EQ(run("list policies").output.find("er - "), std::string::npos);
}

TEST_F(Program, HelpAndVersionSucceed) {
  expect("--help", 0, {"generate", "solve", "train", "evaluate", "inspect", "list"});
  expect("generate --help", 0, {"--seed", "--label", "crowd(u=10,v=30)"});
  expect("--version", 0, {"foresight 0."});
}

TEST_F(Program, BadUsageEndsWithTwoAndSaysWhatIsKnown) {
  expect("evaluate data --polcy greedy", 2,
         {"evaluate has no option \"--polcy\"; it has: ", "--policy"});
  expect("generate \"er()\" -o data --sed 4", 2, {"generate has no option \"--sed\"", "--seed"});
  expect("", 2, {});
  expect("conquer", 2, {"conquer"});
  expect("list planets", 2, {"planets"});
  expect("generate", 2, {"source"});
  expect("generate 'er(u=0)' -o x", 2, {"\"er\"", "\"u\"", "\"0\""});
  expect("generate 'er(q=1)' -o x", 2, {"\"q\"", "u, v, p"});
  expect("generate 'moon(u=1)' -o x", 2, {"no source \"moon\"", "crowd"});
  expect("generate 'er' -n -5 -o x", 2, {});
  expect("generate er -o x --threads -1", 2, {"--threads"});
  expect("generate er -o data -n 3", 0, {});
  expect("evaluate data --policy gredy", 2, {"no policy \"gredy\"", "greedy-rt"});
  EXPECT_FALSE(exists("x"));
}

TEST_F(Program, NumbersAreDecimalAndInTheirRange) {
  expect("generate er -o data -n 010", 0, {"10 e-obm instances"});
  expect("generate er -o data -n 5 --seed 18446744073709551615", 0, {"5 e-obm instances"});
  const std::pair<const char*, const char*> cases[] = {
      {"generate er -o x -n 1e3", "--count must be a whole number 0..1000000000, got \"1e3\""},
      {"generate er -o x -n 0x10", "--count must be"},
      {"generate er -o x -n +5", "--count must be"},
      {"generate er -o x --seed 18446744073709551616",
       "--seed must be a whole number 0..18446744073709551615, got \"18446744073709551616\""},
      {"generate er -o x --seed -1", "--seed must be a whole number >= 0, got \"-1\""},
      {"generate er -o x --threads -1", "--threads must be a whole number 0..4096, got \"-1\""},
      {"solve data --time-limit nan", "solve: --time-limit must be a number > 0, got \"nan\""},
      {"solve data --time-limit inf", "--time-limit must be a number > 0"},
      {"solve data --time-limit 0", "got \"0\""},
      {"solve data --gap 1.5", "--gap"},
      {"train ff --train er --epochs -1",
       "foresight: train: --epochs must be a whole number 0..1000000, got \"-1\""},
      {"train ff --train er --epochs 1e3", "got \"1e3\""},
      {"train ff --train er --epochs 2.0", "got \"2.0\""},
      {"train ff --train er --val-instances 1000000001", "--val-instances must be"},
      {"train ff --train er --augment mirror", "--augment must be one of none|shuffle|resample"},
      {"train ff --train er --instances 1000000001", "--instances must be"},
      {"evaluate data --policy greedy --episodes 1001", "--episodes must be"},
      {"ceiling er --markets 0", "--markets must be"},
      {"demo --minutes 0", "--minutes must be"},
      {"bench er --seconds 0", "--seconds must be a number 0.01..3600, got \"0\""},
      {"list planets", "what must be one of all|sources"}};
  for (const auto& [arguments, message] : cases) expect(arguments, 2, {message});
  EXPECT_FALSE(exists("x"));
}

TEST_F(Program, AnOptionIsGivenOnceAndWithAValue) {
  expect("generate er -o x -n 3 --count 4", 2, {"--count is given twice, as \"3\" and as \"4\""});
  expect("generate er -o x --seed ''", 2, {"generate: --seed is given without a value"});
  expect("generate er -o ''", 2, {"generate: --output is given without a value"});
  expect("generate er -o x --problem ''", 2, {"--problem is given without a value"});
  expect("generate er -o x --seed", 2, {"--seed"});
  expect("generate er -o x --seed=", 2, {"--seed"});
  EXPECT_FALSE(exists("x"));
}

TEST_F(Program, HelpShowsRangeAndDefaultOfEveryOption) {
  const auto count = [](const std::string& text, std::string_view part) {
    int found = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
  };
  for (const char* command :
       {"list", "generate", "split", "merge", "solve", "train", "evaluate", "ceiling", "inspect",
        "export", "report", "reproduce", "demo", "bench"}) {
    const std::string help = run(fmt::format("{} --help", command)).output;
    EXPECT_EQ(count(help, " VALUE"), count(help, "; default ")) << help;
  }
  const std::string seed = "(>= 0; default 1)", threads = "(0..4096; default 0)";
  const std::tuple<const char*, const char*, std::string> cases[] = {
      {"list", "what VALUE", "(all|sources|problems|policies|models|trainers; default all)"},
      {"generate", "-n,--count", "(0..1000000000; default 0)"},
      {"generate", "--seed", seed},
      {"generate", "--threads", threads},
      {"solve", "--time-limit", "(> 0; default 10)"},
      {"solve", "--gap", "(0..1; default 0.0001)"},
      {"solve", "--threads", threads},
      {"train", "--epochs", "(0..1000000; default 0)"},
      {"train", "--minutes", "(0..1000000; default 0)"},
      {"train", "--instances", "(0..1000000000; default 0)"},
      {"train", "--seeds", "(1..1000; default 1)"},
      {"train", "--patience", "(0..1000000; default 0)"},
      {"train", "--augment", "(none|shuffle|resample; default none)"},
      {"train", "--val-instances", "(0..1000000000; default 0)"},
      {"train", "--seed", seed},
      {"train", "--threads", threads},
      {"evaluate", "--episodes", "(0..1000; default 3)"},
      {"evaluate", "--seed", "(>= 0; default 0)"},
      {"evaluate", "--threads", threads},
      {"ceiling", "--markets", "(1..1000000; default 100)"},
      {"ceiling", "--instances", "(1..1000000000; default 1000)"},
      {"ceiling", "--seed", seed},
      {"ceiling", "--threads", threads},
      {"export", "--decisions", "(1..100000; default 100)"},
      {"report", "--title", "(default Foresight report)"},
      {"reproduce", "target TEXT", "(default all)"},
      {"reproduce", "--scale", "(smoke|quick|full; default quick)"},
      {"reproduce", "--data", "(default data)"},
      {"reproduce", "-o,--output", "(default reproduced)"},
      {"reproduce", "--seed", seed},
      {"reproduce", "--threads", threads},
      {"demo", "-o,--output", "(default demo)"},
      {"demo", "--minutes", "(> 0, <= 10000; default 3)"},
      {"demo", "--seed", seed},
      {"demo", "--threads", threads},
      {"bench", "--model", "(default [ff-hist,inv-ff-hist,gnn-hist])"},
      {"bench", "--seconds", "(0.01..3600; default 3)"},
      {"bench", "--seed", seed},
      {"bench", "--threads", threads}};
  for (const auto& [command, option, facts] : cases) {
    const std::string help = run(fmt::format("{} --help", command)).output;
    // The description follows the name, on the same line or, behind a long name, on the next.
    const auto begin = help.find(fmt::format("  {} ", option));
    ASSERT_NE(begin, std::string::npos) << command << " " << option << "\n" << help;
    const auto found = help.find(facts, begin);
    ASSERT_NE(found, std::string::npos) << command << " " << option << "\n" << help;
    EXPECT_LE(std::count(help.begin() + static_cast<std::ptrdiff_t>(begin),
                         help.begin() + static_cast<std::ptrdiff_t>(found), '\n'),
              1)
        << command << " " << option << "\n"
        << help;
  }
}

TEST_F(Program, BadFilesEndWithOneAndAreNamed) {
  expect("solve missing", 1, {"missing", "No such file"});
  folder_.write_file("broken", "this is not a dataset at all");
  expect("solve broken", 1, {"broken"});
  expect("evaluate broken --policy greedy", 1, {"broken"});
  expect("generate er -n 2 -o nowhere/data", 1, {"nowhere"});
  expect("generate 'csv(path=nowhere)' -o x", 1, {"nowhere"});
  EXPECT_FALSE(exists("x"));
}

TEST_F(Program, ATruncatedOrAlteredFileIsNoticed) {
  expect("generate er -n 20 -o data --label", 0, {});
  const auto path = folder_.path() / "data";
  const auto size = std::filesystem::file_size(path);
  std::filesystem::copy_file(path, folder_.path() / "short");
  std::filesystem::resize_file(folder_.path() / "short", size - 7);
  expect("evaluate short --policy greedy", 1, {"short"});
  {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(size - 5));
    file.put('\x5a');
  }
  expect("evaluate data --policy greedy", 1, {"data", "digest"});
}

TEST_F(Program, TrainsInspectsAndJudgesAModel) {
  expect("train inv-ff-hist --train 'crowd(u=4,v=8)' --instances 500 --epochs 2 -o run", 0,
         {"best validation ratio", "epoch", "decisions/s", "run"});
  for (const char* name : {"config.json", "metrics.csv", "best.safetensors", "last.safetensors"}) {
    EXPECT_TRUE(exists(std::string("run/") + name)) << name;
  }
  expect("inspect run", 0, {"inv-ff-hist", "e-obm", "crowd(u=4,v=8)", "ff.0.weight"});
  expect("generate 'crowd(u=4,v=8)' -n 20 -o data --label", 0, {});
  expect("inspect data", 0, {"dataset", "20", "crowd(u=4,v=8)"});
  expect("evaluate data --policy greedy --policy run --policy run/last.safetensors", 0,
         {"run/last"});
  expect("generate 'thick-z(u=4,v=8)' -n 5 -o z --label", 0, {});
  expect("evaluate z --policy run", 1, {"run", "e-obm", "adwords"});
  expect("train inv-ff-hist --train 'crowd(u=4,v=8)' -o run", 2, {"holds a run already"});
  expect("train perceptron --train 'crowd(u=4,v=8)' -o other", 2, {"perceptron", "inv-ff-hist"});
  expect("train ff --train nowhere.data -o other", 1, {"nowhere.data", "no dataset file"});
}

TEST_F(Program, ARunThatIsNoBetterThanARuleSaysSo) {
  const std::string train = "train inv-ff-hist --train 'er(u=4,v=16,p=0.4)' --val-instances 200 ";
  expect(train + "--instances 200 --epochs 1 --trainer 'reinforce(lr=0)' -o drawn", 0,
         {"no better than greedy-t (0.", "against 0.", "`train auto`"});
  const std::string learned = run(train + "--instances 2000 --epochs 8 -o learned").output;
  EXPECT_EQ(learned.find("than greedy"), std::string::npos) << learned;
}

TEST_F(Program, SeveralSeedsShowHowMuchIsLuck) {
  for (const auto& [model, size] :
       {std::pair("inv-ff", " --instances 50 --epochs 1"), std::pair("auto", " --minutes 0.001")}) {
    const std::string train = fmt::format(
        "train {0}{1} --train 'crowd(u=4,v=6)' --val-instances 20 --seed 3 --seeds 2 -o {0}", model,
        size);
    expect(train, 0,
           {"seed-3  0.", "seed-4  0.", "with 2 seeds: ratio 0.", "standard deviation 0.",
            fmt::format("the best is {}/seed-", model), "evaluate FILE"});
    EXPECT_TRUE(exists(fmt::format("{}/seed-3", model)));
    expect_sentence(train, 2, {"seed-3", "resume it"});
    expect(train + " --resume", 0, {"with 2 seeds"});
  }
}

TEST_F(Program, ARunSaysThatItsPatienceRanOut) {
  expect(
      "train inv-ff --train 'crowd(u=4,v=6)' --instances 20 --val-instances 20 --epochs 90 "
      "--patience 2 -o run",
      0, {"stopped after epoch ", ": no better for 2 epochs"});
}

TEST_F(Program, ReportIsAPageOrATable) {
  expect("generate 'crowd(u=5,v=10)' -n 20 -o data --label", 0, {});
  expect("evaluate data --policy greedy --policy random --json result.json", 0, {});
  expect("report result.json", 0, {"wrote report.html"});
  expect("report result.json --csv t.csv --markdown t.md", 0, {"wrote t.csv", "wrote t.md"});
  std::ifstream page(folder_.path() / "report.html");
  const std::string html{std::istreambuf_iterator<char>(page), {}};
  EXPECT_NE(html.find("foresight evaluate data --policy greedy --policy random --json result.json"),
            std::string::npos);
  expect("report data", 1, {"data", "not valid JSON"});
  expect("report", 2, {"results"});
  expect("report result.json -o missing/r.html", 1, {"no folder"});
}

TEST_F(Program, ReproduceSmokesAndKeepsWhatIsDone) {
  expect("reproduce adwords --scale smoke -o out", 0,
         {"thick-z(u=10,v=60)", "The paper's numbers next to ours",
          "wrote out/smoke/adwords.html and out/smoke/adwords.md"});
  const Outcome again = run("reproduce adwords --scale smoke -o out");
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_EQ(again.output.find("training"), std::string::npos) << again.output;
  const auto kept = content("out");
  expect_sentence("reproduce adwords --scale smoke -o out --seed 2", 2,
                  {"out/smoke", "seed 1, not 2"});
  EXPECT_TRUE(content("out") == kept);
  expect("reproduce nonsense", 2, {"no target \"nonsense\"", "gmission-var", "adwords"});
  expect("reproduce gmission --scale smoke --data nowhere", 2, {"gmission needs", "--data FOLDER"});
  expect("reproduce er --scale tiny", 2, {"smoke", "quick", "full"});
}

TEST_F(Program, BenchMeasuresTheModelsAskedFor) {
  expect("bench \"er(u=3,v=5)\" --model value --model ff-supervised --seconds 0.01 --json b.json",
         0, {"value", "ff-supervised", "er(u=3,v=5)", "decisions/s", "p99"});
  std::ifstream file(folder_.path() / "b.json");
  const auto json = nlohmann::json::parse(file);
  ASSERT_EQ(json["results"].size(), 2U);
  EXPECT_GT(json["results"][1]["decisions_per_second"], 0);
  EXPECT_GT(json["peak_gflops"], 0);
  expect("bench \"er(u=3,v=5)\" --model nothing", 2, {"nothing"});
}

TEST_F(Program, DemoGoesFromNothingToAReport) {
  expect("demo --minutes 0.001 -o d", 0,
         {"greedy-t", "value", "inv-ff-plus", "kept", "optimal-online", "100.0 %", "Use ",
          "report.html", "Next:"});
  EXPECT_TRUE(exists("d/report.html"));
  // New curves stood beside an old table.
  const auto kept = content("d");
  expect_sentence("demo --minutes 2 -o d", 2, {"minutes was 0.001, and now is 2"});
  EXPECT_TRUE(content("d") == kept);
}

TEST_F(Program, TrainFindsAFolderOfItsOwn) {
  const std::string train = "train inv-ff --train 'crowd(u=4,v=6)' --instances 200 --epochs 1";
  expect(train, 0, {"wrote runs/inv-ff-crowd;"});
  expect(train, 0, {"wrote runs/inv-ff-crowd-2;"});
  expect(train + " --resume", 2, {"-o FOLDER"});
}

}  // namespace
}  // namespace foresight
