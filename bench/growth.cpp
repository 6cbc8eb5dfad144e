// What one arrival costs as instances grow. Time and memory should depend on the arrival's degree,
// not on the number of fixed nodes or of arrivals seen so far.
//
//   bench_growth
//
// The models have random weights, which does not change the work. Their choices are replaced by
// skips, so that late arrivals find as many free nodes as early ones. "early" and "late" are
// medians over the first and the last tenth of the arrivals. The heap is the memory of an episode,
// without the instance itself.
#include <algorithm>

#include <fmt/format.h>
#include <malloc.h>

#include "foresight/base/statistics.h"
#include "foresight/model/model.h"
#include "foresight/policy/play.h"

namespace {

using namespace foresight;

/// Lets the model compute its scores and then skips.
class Overruled : public Policy {
 public:
  explicit Overruled(const Policy& policy) : policy_(policy) {}

  std::unique_ptr<Batch> open(std::span<const Opening> openings) const override {
    return std::make_unique<Skipping>(policy_.begin(openings));
  }

 private:
  struct Skipping : Batch {
    explicit Skipping(std::unique_ptr<Batch> inner_batch) : inner(std::move(inner_batch)) {}
    void score(std::span<const Turn> turns, Scores& scores) override {
      inner->score(turns, scores);
      for (std::size_t i = 0; i < turns.size(); ++i) scores.row(i)[0] = 1e9f;
    }
    std::unique_ptr<Batch> inner;
  };

  const Policy& policy_;
};

double heap_bytes() {
  const auto heap = mallinfo2();
  return static_cast<double>(heap.uordblks + heap.hblkhd);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return quantile(values, 0.5);
}

void run(const std::string& name, int fixed, int arrivals, int degree) {
  const BoundSource source = bind_source(
      fmt::format("er(u={},v={},p={})", fixed, arrivals, static_cast<double>(degree) / fixed));
  const auto model = models().make(name)->build({source.schema(), fixed});
  Rng rng(1, Stream::kInitialise, 0);
  model->set_parameters(model->initial_parameters(rng));

  const auto tenth = static_cast<std::size_t>(arrivals / 10);
  std::vector<double> early, late;
  double opened = 0, grown = 0;
  for (std::uint64_t i = 0; early.size() < 3'000; ++i) {
    const Instance instance = source.draw(1, i);
    std::vector<double> times;
    times.reserve(static_cast<std::size_t>(arrivals));
    const double before = heap_bytes();
    PlayOptions options;
    options.on_step = [&](double seconds) {
      times.push_back(1e6 * seconds);
      if (times.size() == tenth) opened = heap_bytes() - before;
      if (times.size() == times.capacity()) grown = heap_bytes() - before;
    };
    play(bind_instances(source.problem(), {&instance, 1}), Overruled(*model), options);
    early.insert(early.end(), times.begin(), times.begin() + static_cast<std::ptrdiff_t>(tenth));
    late.insert(late.end(), times.end() - static_cast<std::ptrdiff_t>(tenth), times.end());
  }
  fmt::print("{:<12} {:>14} {:>7} {:>9.2f} {:>9.2f} {:>14.1f} {:>14.1f}\n", name,
             fmt::format("{}x{}", fixed, arrivals), degree, median(early), median(late),
             1e-3 * opened, 1e-3 * grown);
}

}  // namespace

int main() {
  fmt::print("{:<12} {:>14} {:>7} {:>9} {:>9} {:>14} {:>14}\n", "model", "size", "degree",
             "early us", "late us", "heap KB early", "heap KB late");
  for (const char* model : {"inv-ff", "inv-ff-hist", "gnn-hist"}) {
    for (const int degree : {4, 8}) {
      run(model, 10, 30, degree);
      run(model, 100, 1'000, degree);
      run(model, 1'000, 100'000, degree);
    }
  }
}
