// No output replaces a file that the command reads, and none is reported as written that is not.
#include "tests/cli/program.h"

namespace foresight {
namespace {

class Outputs : public ProgramTest {
 protected:
  /// The command is refused, and the file is as before.
  void expect_kept(const std::string& command, const std::string& file) {
    const std::string before = read(file);
    expect_sentence(command, 2, {file, "one of the files that are read"});
    EXPECT_TRUE(read(file) == before) << command;
  }
};

TEST_F(Outputs, DoNotReplaceWhatTheCommandReads) {
  expect("generate 'crowd(u=4,v=6)' -n 5 -o data --label", 0, {});
  expect("train inv-ff --train 'crowd(u=4,v=6)' --instances 200 --epochs 1 -o run", 0, {});
  expect("evaluate data --policy greedy --json result.json", 0, {});
  folder_.write_file("log.csv", "instance,arrival,u\n1,1,a\n1,2,b\n");
  std::filesystem::create_directory(path("graph"));
  folder_.write_file("graph/edges.csv", "u,v\na,p\nb,p\n");
  std::filesystem::create_hard_link(path("data"), path("also-data"));

  expect_kept("evaluate data --policy greedy --json data", "data");
  expect_kept("evaluate data --policy greedy --json also-data", "also-data");
  expect_kept("evaluate data --policy 'greedy-t(train=data)' --json data", "data");
  expect_kept("evaluate data --policy run --json run/best.safetensors", "run/best.safetensors");
  expect_kept("evaluate data --policy run --json run/last.safetensors", "run/last.safetensors");
  expect_kept("report result.json -o result.json", "result.json");
  expect_kept("report run --csv run/metrics.csv", "run/metrics.csv");
  expect_kept("generate 'recorded(path=log.csv)' -o log.csv", "log.csv");
  expect_kept("ceiling 'csv(path=graph,u=2,v=2)' -o graph/edges.csv", "graph/edges.csv");
  expect_kept("export run -o run/best.safetensors", "run/best.safetensors");

  // A page beside the run can be made again and again.
  expect("report run -o run/page.html", 0, {"wrote"});
  expect("report run -o run/page.html", 0, {"wrote"});
}

TEST_F(Outputs, AreDifferentFiles) {
  expect("generate 'crowd(u=4,v=6)' -n 5 -o data --label", 0, {});
  expect("evaluate data --policy greedy --json result.json", 0, {});
  expect_sentence("report result.json -o a --csv ./a", 2, {"two outputs have the same file", "a"});
  EXPECT_FALSE(exists("a"));
}

TEST_F(Outputs, ThatDoNotReachTheTerminalAreAnError) {
  expect("generate 'crowd(u=4,v=6)' -n 5 -o data --label", 0, {});
  for (const char* command : {"inspect data", "list", "evaluate data --policy greedy"}) {
    expect(std::string(command) + " > /dev/full", 1, {"No space left on device"});
  }
}

TEST_F(Outputs, ALinkThatLeadsNowhereIsNotAFileThatIsAbsent) {
  std::filesystem::create_directory(path("graph"));
  folder_.write_file("graph/edges.csv", "u,v\na,p\nb,p\n");
  std::filesystem::create_symlink("gone.csv", path("graph/fixed.csv"));
  expect_sentence("generate 'csv(path=graph,u=2,v=2)' -n 5 -o data", 1, {"graph/fixed.csv"});
}

}  // namespace
}  // namespace foresight
