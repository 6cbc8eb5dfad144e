// Training at batch 200 on all cores, and single decisions: forward, backward and optimiser
// included, one decision = one arrival of one instance. Decisions without a choice need no network
// and are counted, too.
//
//   bench_training [GMISSION_FOLDER] [SECONDS]      the base graph, and how long each row takes
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "bench/peak.h"
#include <fmt/format.h>

#include "foresight/base/parallel.h"
#include "foresight/base/statistics.h"
#include "foresight/policy/play.h"
#include "foresight/train/trainer.h"

namespace {

using namespace foresight;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Multiply-adds of one row through a perceptron: forward, both backward products, none for the
/// inputs.
double multiply_adds(const Parameters& parameters) {
  double all = 0, first = 0;
  for (const Parameters::Tensor& tensor : parameters.tensors()) {
    if (tensor.shape.size() != 2) continue;
    if (first == 0) first = static_cast<double>(tensor.size);
    all += static_cast<double>(tensor.size);
  }
  return 3 * all - first;
}

struct Case {
  std::string model;
  std::string source;
  double reference;  // decisions/s of the paper's reference on two such cores
};

void run(const Case& c, double limit, double peak_gflops) {
  const auto source = sources().make(c.source);
  const auto problem = problems().make(source->schema().problem);
  std::vector<Instance> instances;
  for (std::uint64_t i = 0; i < 2000; ++i) instances.push_back(source->draw(1, i));
  const auto model =
      models().make(c.model)->build({source->schema(), instances[0].market().num_fixed});
  Rng rng(1, Stream::kInitialise, 0);
  model->set_parameters(model->initial_parameters(rng));
  const auto trainer = trainers().make(trainer_for(c.model, ""));
  trainer->begin(*model);

  constexpr std::size_t kBatch = 200;
  std::int64_t decisions = 0;
  double best = 0;
  const auto start = Clock::now();
  for (std::uint64_t update = 0; update < 10 || seconds_since(start) < limit; ++update) {
    const auto first = update * kBatch % instances.size();
    const auto before = Clock::now();
    const auto stats = trainer->update(
        {*problem, std::span(instances).subspan(first, kBatch), {}, 1, update * kBatch, 0});
    best = std::max(best, static_cast<double>(stats.decisions) / seconds_since(before));
    decisions += stats.decisions;
  }
  const double rate = static_cast<double>(decisions) / seconds_since(start);

  // How many rows the network computes per decision, with the model as it is now.
  double rows = 0, turns = 0;
  PlayOptions options{.decode = Decode::kSample, .seed = 3};
  options.observer = [&](std::span<const Turn> these, Scores& scores,
                         std::span<const std::size_t>) {
    for (std::size_t k = 0; k < these.size(); ++k) {
      const std::size_t entries = scores.row(k).size();
      const bool each = !c.model.starts_with("ff");
      rows += entries == 1 ? 0 : each ? static_cast<double>(entries) : 1;
      ++turns;
    }
  };
  play(*problem, std::span(instances).first(kBatch), *model, options);
  const double gflops = 2e-9 * multiply_adds(model->parameters()) * rate * rows / turns;

  // Single decisions, warm.
  std::vector<double> times;
  PlayOptions single;
  single.on_step = [&](double seconds) { times.push_back(1e6 * seconds); };
  for (std::size_t i = 0; i < instances.size() && times.size() < 30'000; ++i) {
    play(*problem, std::span(instances).subspan(i, 1), *model, single);
  }
  times.erase(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 10));
  std::sort(times.begin(), times.end());
  fmt::print("{:<12} {:<34} {:>9.0f} {:>9.0f} {:>6.2f} {:>7.1f} {:>5.0f} % {:>7.2f} {:>7.2f} ",
             c.model,
             c.source.substr(0, c.source.find('(') + 1) + c.source.substr(c.source.find("u=")),
             rate, best, rows / turns, gflops, 100 * gflops / peak_gflops, quantile(times, 0.5),
             quantile(times, 0.99));
  if (c.reference > 0) {
    fmt::print("{:>6.1f}x\n", rate / c.reference);
  } else {
    fmt::print("{:>7}\n", "");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string folder = argc > 1 ? argv[1] : "../shared/data/gmission";
  const double limit = argc > 2 ? std::stod(argv[2]) : 3;
  const double peak_gflops = bench::peak(best_kernels()) * thread_count(0);
  fmt::print("{} kernels, {} cores, peak of multiply-adds {:.0f} GFLOP/s\n\n", best_kernels().name,
             thread_count(0), peak_gflops);
  fmt::print("{:<12} {:<34} {:>9} {:>9} {:>6} {:>7} {:>7} {:>7} {:>7} {:>7}\n", "model", "data",
             "mean/s", "best/s", "rows", "GFLOP/s", "peak", "p50 us", "p99 us", "ref");
  std::vector<Case> cases = {{"ff-hist", "er(u=10,v=30,p=0.1)", 98'000},
                             {"inv-ff-hist", "er(u=10,v=30,p=0.1)", 42'000},
                             {"ff-hist", "er(u=100,v=100,p=0.1)", 55'000},
                             {"inv-ff-hist", "er(u=100,v=100,p=0.1)", 5'300}};
  if (std::filesystem::exists(folder)) {
    const std::string gmission = "gmission(path=" + folder + ",";
    for (const auto& [model, small, large] :
         {std::tuple("ff-hist", 98'000, 55'000), std::tuple("inv-ff-hist", 42'000, 5'300)}) {
      cases.push_back({model, gmission + "u=10,v=30)", static_cast<double>(small)});
      cases.push_back({model, gmission + "u=100,v=100)", static_cast<double>(large)});
    }
    cases.push_back({"ff", gmission + "u=10,v=30)", 131'000});
    cases.push_back({"inv-ff", gmission + "u=10,v=30)", 42'000});
    cases.push_back({"gnn-hist", gmission + "u=10,v=30)", 760});
    cases.push_back({"gnn-hist", gmission + "u=100,v=100)", 0});
  } else {
    fmt::print("(no gMission base graph at {}: its rows are left out)\n", folder);
  }
  for (const Case& c : cases) run(c, limit, peak_gflops);
}
