// How fast this machine learns and decides: training on all cores, including forward and backward
// pass and optimiser, and single decisions. A decision is one arrival of one instance. Decisions
// without a choice need no network, but are counted, too.
#include <algorithm>
#include <chrono>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "foresight/base/atomic_file.h"
#include "foresight/base/error.h"
#include "foresight/base/files.h"
#include "foresight/base/format.h"
#include "foresight/base/json_field_internal.h"
#include "foresight/base/parallel.h"
#include "foresight/base/statistics.h"
#include "foresight/cli/command.h"
#include "foresight/cli/table.h"
#include "foresight/nn/peak.h"
#include "foresight/policy/play.h"
#include "foresight/solve/solver.h"
#include "foresight/train/trainer.h"

namespace foresight {
namespace {

using Clock = std::chrono::steady_clock;

struct BenchArguments {
  std::vector<std::string> sources = {"crowd(u=10,v=30)", "crowd(u=100,v=100)"};
  std::vector<std::string> models = {"ff-hist", "inv-ff-hist", "gnn-hist"};
  double seconds = 3;
  std::string json;
  std::uint64_t seed = 1;
  int threads = 0;

  void read(OptionReader& o) {
    o.real("seconds", seconds, 0.01, 3600, "how long to train each model on each source");
    o.seed(seed);
    o.threads(threads);
  }
};

struct Measured {
  std::string model, source;
  double mean_rate = 0, best_rate = 0;  // decisions per second, of all batches and of the best
  double rows = 0;                      // computed by the network per decision
  double gflops = 0;
  double p50 = 0, p99 = 0;  // seconds per live decision
};

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Multiply-adds of one row through a perceptron: forward and both backward products, without the
/// gradient of the inputs.
double multiply_adds(const Parameters& parameters) {
  double all = 0, first = 0;
  for (const Parameters::Tensor& tensor : parameters.tensors()) {
    if (tensor.shape.size() != 2) continue;
    if (first == 0) first = static_cast<double>(tensor.size);
    all += static_cast<double>(tensor.size);
  }
  return 3 * all - first;
}

/// A model with its initial parameters, and instances of a source.
class Subject {
 public:
  Subject(const std::string& model, const std::string& source, const BenchArguments& arguments)
      : arguments_(arguments), flat_(model.starts_with("ff")) {
    result_.model = model;
    result_.source = source;
    const BoundSource made = bind_source(source);
    problem_ = problems().make(made.schema().problem);
    for (std::uint64_t i = 0; i < kInstances; ++i) {
      instances_.push_back(made.draw(arguments.seed, i));
    }
    model_ = models().make(model)->build({made.schema(), instances_[0].market().num_fixed});
    Rng rng(arguments.seed, Stream::kInitialise, 0);
    model_->set_parameters(model_->initial_parameters(rng));
    trainer_ = trainers().make(trainer_for(model, ""));
    trainer_->begin(*model_);
    if (!trainer_->needs_labels()) return;
    const auto solver = make_solver(*problem_, {});
    for (const Instance& instance : instances_) labels_.push_back(solver->solve(instance));
  }

  Measured measure() {
    train();
    count_rows();
    decide();
    return result_;
  }

 private:
  static constexpr std::size_t kInstances = 2000;

  BoundInstances some(std::size_t first, std::size_t count) const {
    return bind_instances(*problem_, std::span(instances_).subspan(first, count));
  }

  void train() {
    const auto batch = static_cast<std::size_t>(trainer_->batch_size());
    std::int64_t decisions = 0;
    const auto start = Clock::now();
    for (std::uint64_t update = 0; update < 10 || seconds_since(start) < arguments_.seconds;
         ++update) {
      if (interrupted()) fail(ErrorCode::kCancelled, "the benchmark was interrupted");
      const std::size_t first = update * batch % (kInstances - batch + 1);
      const auto before = Clock::now();
      const auto labels =
          std::span(labels_).subspan(labels_.empty() ? 0 : first, labels_.empty() ? 0 : batch);
      const UpdateStats stats = trainer_->update(
          {some(first, batch), labels, arguments_.seed, update * batch, arguments_.threads});
      const auto done = static_cast<double>(stats.decisions);
      result_.best_rate = std::max(result_.best_rate, done / seconds_since(before));
      decisions += stats.decisions;
    }
    result_.mean_rate = static_cast<double>(decisions) / seconds_since(start);
  }

  /// Counts with the current model.
  void count_rows() {
    double rows = 0, turns = 0;
    PlayOptions options{.decode = Decode::kSample, .seed = arguments_.seed};
    options.observer = [&](std::span<const Turn> these, Scores& scores,
                           std::span<const std::size_t>) {
      for (std::size_t k = 0; k < these.size(); ++k) {
        const std::size_t entries = scores.row(k).size();
        rows += entries == 1 ? 0 : flat_ ? 1 : static_cast<double>(entries);
        ++turns;
      }
    };
    play(some(0, 200), *model_, options);
    result_.rows = rows / turns;
    result_.gflops = 2e-9 * multiply_adds(model_->parameters()) * result_.mean_rate * result_.rows;
  }

  void decide() {
    std::vector<double> times;
    PlayOptions options;
    options.on_step = [&](double seconds) { times.push_back(seconds); };
    for (std::size_t i = 0; i < kInstances && times.size() < 30'000; ++i) {
      play(some(i, 1), *model_, options);
    }
    // The first tenth is a warm-up and does not count.
    times.erase(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 10));
    std::ranges::sort(times);
    result_.p50 = quantile(times, 0.5);
    result_.p99 = quantile(times, 0.99);
  }

  const BenchArguments& arguments_;
  bool flat_;  // one row scores all choices
  Measured result_;
  std::shared_ptr<Problem> problem_;
  std::vector<Instance> instances_;
  std::vector<Label> labels_;
  std::shared_ptr<Model> model_;
  std::shared_ptr<Trainer> trainer_;
};

std::string to_json(const std::vector<Measured>& all, double peak, int threads) {
  nlohmann::json json = {{"kernels", best_kernels().name},
                         {"threads", threads},
                         {"peak_gflops", peak},
                         {"results", nlohmann::json::array()}};
  for (const Measured& one : all) {
    json["results"].push_back({{"model", one.model},
                               {"source", one.source},
                               {"decisions_per_second", one.mean_rate},
                               {"best_decisions_per_second", one.best_rate},
                               {"rows_per_decision", one.rows},
                               {"gflops", one.gflops},
                               {"p50_microseconds", 1e6 * one.p50},
                               {"p99_microseconds", 1e6 * one.p99}});
  }
  return json_text(json, 2) + "\n";
}

void run(const BenchArguments& arguments) {
  if (!arguments.json.empty()) check_output(arguments.json);
  const int threads = thread_count(arguments.threads);
  const double peak = peak_gflops(best_kernels()) * threads;
  std::vector<Measured> all;
  TerminalProgress progress;
  progress.begin("measuring", std::ssize(arguments.sources) * std::ssize(arguments.models),
                 "models");
  for (const std::string& source : arguments.sources) {
    for (const std::string& model : arguments.models) {
      progress.note(fmt::format("{} on {}", model, source));
      all.push_back(Subject(model, source, arguments).measure());
      progress.advance(1);
    }
  }
  progress.end();

  Table table({{"model"},
               {"source"},
               {"decisions/s", Align::kRight},
               {"best batch", Align::kRight},
               {"rows", Align::kRight},
               {"GFLOP/s", Align::kRight},
               {"of peak", Align::kRight},
               {"p50", Align::kRight},
               {"p99", Align::kRight}});
  for (const Measured& one : all) {
    table.add_row({one.model, one.source, human_count(static_cast<std::int64_t>(one.mean_rate)),
                   human_count(static_cast<std::int64_t>(one.best_rate)),
                   fmt::format("{:.2f}", one.rows), fmt::format("{:.1f}", one.gflops),
                   fmt::format("{:.0f} %", 100 * one.gflops / peak), human_duration(one.p50),
                   human_duration(one.p99)});
  }
  fmt::print("{} kernels, {} threads, peak of multiply-adds {:.0f} GFLOP/s\n\n{}",
             best_kernels().name, threads, peak, table.render());
  fmt::print(
      "\nThe columns show training, then a single live decision. \"rows\" are computed per "
      "decision.\n");
  if (!arguments.json.empty()) write_file_atomically(arguments.json, to_json(all, peak, threads));
}

}  // namespace

void add_bench_command(CommandParser& parser) {
  auto arguments = std::make_shared<BenchArguments>();
  Command command = parser.add_command("bench", "Measure how fast this machine learns and decides");
  command.option("source", arguments->sources, "Sources of instances").show_default();
  command.option("--model", arguments->models, "Models to train, by spec").show_default();
  command.options(*arguments);
  add_json_option(command, arguments->json);
  command.on_run([arguments] { run(*arguments); });
}

}  // namespace foresight
