// The program interrupted and killed, at any moment: work ends at once, and what was done is kept.
#include <algorithm>
#include <random>
#include <sstream>

#include "tests/cli/program.h"

namespace foresight {
namespace {

class Interrupted : public ProgramTest {
 protected:
  /// Ctrl-C in the middle of work that would take much longer.
  void expect_interrupted(std::vector<std::string> arguments, const std::string& what_is_missing) {
    Child child = start(arguments);
    child.wait_for_interrupt_handler();
    std::this_thread::sleep_for(std::chrono::seconds(1));
    child.signal(SIGINT);
    const auto outcome = child.wait_patiently();
    ASSERT_TRUE(outcome) << arguments.back() << " went on as if nothing had happened";
    expect(*outcome, arguments.back(), 130, {"interrupted"});
    EXPECT_EQ(outcome->output.find(what_is_missing), std::string::npos)
        << "it was finished all the same:\n"
        << outcome->output;
  }
};

TEST_F(Interrupted, CeilingEndsInTheMiddleOfATable) {
  expect_interrupted({"ceiling", "crowd(u=20,v=60)", "--instances", "10", "--threads", "1"},
                     "optimal online");
}

TEST_F(Interrupted, EvaluateEndsInTheMiddleOfAPolicyThatTakesLong) {
  expect("generate 'crowd(u=50,v=500)' -n 200 -o past", 0, {});
  expect("generate 'crowd(u=50,v=500)' -n 30 -o data --label --seed 2", 0, {});
  // The first thinks long about one decision, the second about each, the third before the first.
  for (const char* policy : {"trajectory(train=past,samples=1000000)", "resolving(train=past)",
                             "mirror-descent(train=past)"}) {
    expect_interrupted({"evaluate", "data", "--threads", "1", "--policy", policy}, "mean ratio");
  }
  expect_interrupted({"evaluate", "data", "--policy",
                      "robust(policy=greedy,expert=trajectory(train=past,samples=1000000),wmax=9)"},
                     "mean ratio");
}

TEST_F(Interrupted, SolveKeepsItsWorkAndGoesOn) {
  expect("generate 'crowd(u=10,v=30)' -n 20000 -o data", 0, {});
  Child child = start({"solve", "data", "--threads", "1"});
  child.wait_for_interrupt_handler();
  // Before the program starts to solve is as good as in the middle: it must end cleanly.
  child.signal(SIGINT);
  const Outcome outcome = child.wait();
  if (outcome.exit_code == 130) {
    expect(outcome, "solve", 130, {"interrupted"});
  } else {
    expect(outcome, "solve", 0, {});
  }
  expect("solve data", 0, {"20,000 optima, all proven"});
  EXPECT_FALSE(exists("data.partial"));
}

class KilledRun : public ProgramTest {
 protected:
  /// A run whose learning rate depends on how much of it is done.
  static std::vector<std::string> train(const std::string& folder, int epochs, bool resume) {
    std::vector<std::string> words = {"train", "inv-ff(hidden=8)", "-o", folder};
    const std::vector<std::string> options[] = {{"--train", "crowd(u=4,v=8)"},
                                                {"--trainer", "reinforce(schedule=cosine)"},
                                                {"--instances", "1000"},
                                                {"--epochs", fmt::to_string(epochs)}};
    for (const auto& option : options) words.insert(words.end(), option.begin(), option.end());
    if (resume) words.push_back("--resume");
    return words;
  }

  void expect_same_run(const std::string& folder, const std::string& other) const {
    for (const char* name : {"best.safetensors", "last.safetensors", "metrics.csv"}) {
      EXPECT_FALSE(read(fmt::format("{}/{}", folder, name)).empty()) << name;
      EXPECT_TRUE(read(fmt::format("{}/{}", folder, name)) ==
                  read(fmt::format("{}/{}", other, name)))
          << name;
    }
  }

  /// One line of metrics per epoch, each once and in order.
  void expect_every_epoch(const std::string& folder, int epochs) const {
    std::istringstream lines(read(folder + "/metrics.csv"));
    std::string line;
    std::getline(lines, line);
    for (int epoch = 1; epoch <= epochs; ++epoch) {
      ASSERT_TRUE(std::getline(lines, line)) << "the line of epoch " << epoch << " is missing";
      EXPECT_TRUE(line.starts_with(fmt::format("{},", epoch))) << line;
    }
    EXPECT_FALSE(std::getline(lines, line)) << line;
  }

  void expect_no_leftovers(const std::string& folder) const {
    for (const auto& entry : std::filesystem::directory_iterator(path(folder))) {
      EXPECT_NE(entry.path().extension(), ".tmp") << entry.path();
    }
  }
};

TEST_F(KilledRun, GoesOnToTheSameBytesWheneverItWasKilled) {
  using Clock = std::chrono::steady_clock;
  constexpr int kEpochs = 40;
  const auto begin = Clock::now();
  expect(start(train("whole", kEpochs, false)).wait(), "train", 0, {"of 40"});
  const std::chrono::duration<double> all = Clock::now() - begin;

  std::mt19937 random(std::random_device{}());
  std::uniform_real_distribution<double> share(0, 0.3);
  for (int i = 0; i < 10; ++i) {
    // Killed before it made its folder, a run leaves nothing to resume.
    Child child = start(train("killed", kEpochs, exists("killed")));
    std::this_thread::sleep_for(share(random) * all);
    child.signal(SIGKILL);
    child.wait();
  }
  expect(start(train("killed", kEpochs, exists("killed"))).wait(), "train --resume", 0, {"of 40"});
  expect_same_run("killed", "whole");
  expect_every_epoch("killed", kEpochs);
  expect_no_leftovers("killed");
}

// The checkpoint is written first: whoever is killed right after it has a copy that is too short.
TEST_F(KilledRun, ACopyThatFellBehindTheRecordIsCompletedByResuming) {
  expect(start(train("whole", 3, false)).wait(), "train", 0, {});
  for (const bool finished : {true, false}) {
    const std::string folder = finished ? "finished" : "unfinished";
    Child child = start(train(folder, 3, false));
    if (!finished) {
      while (!exists(folder + "/metrics.csv")) Child::pause();
      child.signal(SIGKILL);
    }
    child.wait();
    const std::string metrics = read(folder + "/metrics.csv");
    folder_.write_file(folder + "/metrics.csv",
                       metrics.substr(0, metrics.rfind('\n', metrics.size() - 2) + 1));
    folder_.write_file(folder + "/.foresight-1-0.tmp", "half a file");
    expect(start(train(folder, 3, true)).wait(), "train --resume", 0, {});
    expect_same_run(folder, "whole");
    expect_no_leftovers(folder);
  }
}

class TwoAtOnce : public KilledRun {};

TEST_F(TwoAtOnce, ExactlyOneTrainsAndTheOtherSaysWhy) {
  expect(start(train("alone", 5, false)).wait(), "train", 0, {});
  for (int i = 0; i < 5; ++i) {
    const std::string folder = fmt::format("shared-{}", i);
    Child first = start(train(folder, 5, false)), second = start(train(folder, 5, false));
    const Outcome one = first.wait(), other = second.wait();
    EXPECT_EQ(std::min(one.exit_code, other.exit_code), 0) << one.output << other.output;
    const Outcome& refused = one.exit_code == 0 ? other : one;
    EXPECT_EQ(refused.exit_code, 2) << one.output << other.output;
    EXPECT_TRUE(refused.output.find("is writing this folder") != std::string::npos ||
                refused.output.find("holds a run already") != std::string::npos)
        << refused.output;
    expect_same_run(folder, "alone");
  }
}

TEST_F(TwoAtOnce, TheSecondNamesTheProcessThatHoldsTheFolder) {
  Child first = start(train("run", 1'000'000, false));
  while (read("run/.lock").empty()) Child::pause();
  const std::string holder = fmt::format("another process ({} on ", first.pid());
  for (const bool resume : {false, true}) {
    expect(start(train("run", 1'000'000, resume)).wait(), "train", 2,
           {"run: ", holder, "is writing this folder"});
  }
  first.signal(SIGINT);
  expect(first.wait(), "train", 130, {"resume the run to go on"});
}

}  // namespace
}  // namespace foresight
