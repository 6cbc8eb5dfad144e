// How much memory an update of training takes, against the length of episodes and the size of the
// batch.
//
//   bench_memory                              # inv-ff-hist, with the default tape
//   bench_memory gnn-hist tape=256            # another model, and options for its trainer
//   bench_memory inv-ff-hist tape=1000000     # as if memory had no end
//
// Each row is measured in a process of its own. "data" is the memory once the batch is drawn, with
// the program itself, and "peak" the most that was ever used. "passes" are backward passes in all:
// one per shard where a batch fits the tape.
#include <chrono>
#include <cstdlib>

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "foresight/base/error.h"
#include "foresight/train/trainer.h"

namespace {

using namespace foresight;
using Clock = std::chrono::steady_clock;

struct Case {
  std::string source;
  int batch;
  int rollouts;
};

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

void measure(const std::string& model_spec, const std::string& options, const Case& c) {
  const BoundSource source = bind_source(c.source);
  std::vector<Instance> instances;
  for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(c.batch); ++i) {
    instances.push_back(source.draw(1, i));
  }
  const auto model =
      models().make(model_spec)->build({source.schema(), instances[0].market().num_fixed});
  Rng rng(1, Stream::kInitialise, 0);
  model->set_parameters(model->initial_parameters(rng));
  std::string spec = fmt::format("reinforce(batch={}{}", c.batch, options);
  if (c.rollouts > 1) spec += fmt::format(",rollouts={},baseline=others", c.rollouts);
  const auto trainer = trainers().make(spec + ")");
  trainer->begin(*model);
  const double data = peak_megabytes();
  const auto start = Clock::now();
  const UpdateStats stats =
      trainer->update({bind_instances(source.problem(), instances), {}, 1, 0, 0});
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  fmt::print("{:<39} {:>6} {:>10} {:>9.0f} {:>9.0f} {:>7} {:>9.1f} {:>12.0f}\n", c.source,
             c.rollouts > 1 ? fmt::format("{}x{}", c.batch, c.rollouts) : fmt::to_string(c.batch),
             stats.decisions, data, peak_megabytes(), stats.pieces, seconds,
             static_cast<double>(stats.decisions) / seconds);
}

/// Runs it in a child, so that the memory of one row does not count in the next.
bool measure_apart(const std::string& model, const std::string& options, const Case& c) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    try {
      measure(model, options, c);
    } catch (const Error& error) {
      fmt::print("{}: {}\n", c.source, error.what());
    }
    std::fflush(stdout);
    _exit(0);
  }
  int status = 0;
  if (child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status)) return true;
  fmt::print("{:<39} {:>6} did not finish; probably there was not enough memory\n", c.source,
             c.batch);
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string model = argc > 1 ? argv[1] : "inv-ff-hist";
  std::string options;
  for (int i = 2; i < argc; ++i) options += std::string(",") + argv[i];
  fmt::print("{}, reinforce({})\n", model, options.empty() ? "" : options.substr(1));
  fmt::print("{:<39} {:>6} {:>10} {:>9} {:>9} {:>7} {:>9} {:>12}\n", "source", "batch", "decisions",
             "data MB", "peak MB", "passes", "seconds", "decisions/s");
  bool all = true;
  for (const char* source :
       {"crowd(u=10,v=30)", "crowd(u=100,v=100)", "er(u=94,v=100,p=0.99)",
        "er(u=200,v=2000,p=0.215,capacity=10)", "er(u=200,v=20000,p=0.215,capacity=100)"}) {
    for (const auto& [batch, rollouts] : {std::pair(4, 1), std::pair(25, 8), std::pair(200, 1)}) {
      all &= measure_apart(model, options, {source, batch, rollouts});
    }
  }
  return all ? EXIT_SUCCESS : EXIT_FAILURE;
}
