// A policy of your own, judged beside the built-in ones.
//
// Arrivals come one by one, and each is matched to a fixed node at once and for good, or skipped. A
// policy scores what can be done about an arrival; the highest score is done. "patient" waits for
// better offers while there is time: early on, an offer must compare well with what came before.
#include <algorithm>

#include <fmt/format.h>
#include <foresight/foresight.h>

using namespace foresight;

// Each option is declared once: name, field with its default, range and meaning.
struct PatientOptions {
  double patience = 1;

  void read(OptionReader& o) {
    o.real("patience", patience, 0, 10, "how much better than usual an offer must be at the start");
  }
};

// The policy at work on several episodes side by side. What it remembers of them is kept here.
class PatientBatch : public EpisodeBatch {
 public:
  PatientBatch(const PatientOptions& options, std::size_t episodes)
      : options_(options), usual_(episodes) {}

 private:
  // Fills a row: the score of skipping, then the score of each offer.
  void score(const State& state, std::size_t episode, std::span<float> row) override {
    const double time_left = 1 - state.share_passed();
    row[0] = static_cast<float>(options_.patience * time_left * usual_[episode].mean());
    float best = 0;
    for (std::size_t i = 0; i < state.offers().size(); ++i) {
      row[i + 1] = state.offers()[i].gain;
      best = std::max(best, row[i + 1]);
    }
    if (best > 0) usual_[episode].add(best);
  }

  PatientOptions options_;
  std::vector<Moments> usual_;  // per episode: the best gains on offer so far
};

class Patient : public Policy {
 public:
  explicit Patient(PatientOptions options) : options_(options) {}

 private:
  std::unique_ptr<Batch> open(std::span<const Opening> openings) const override {
    return std::make_unique<PatientBatch>(options_, openings.size());
  }

  PatientOptions options_;
};

int main() {
  // From here on, "patient" is a policy like all others.
  policies().add(make_entry<Policy, Patient, PatientOptions>(
      "patient", "greedy, but early offers must compare well with those before"));

  // Instances of a built-in source, with the best that could have been done in hindsight.
  const BoundSource source = bind_source("crowd(u=10,v=30)");
  const BoundDataset data =
      solve(generate(source, /*seed=*/1, /*count=*/1000, /*threads=*/0, no_progress()), {},
            no_progress());

  std::vector<Contestant> contestants;
  for (const char* spec : {"greedy", "patient", "patient(patience=1.5)"}) {
    contestants.push_back(make_contestant(spec, data));
  }
  for (const PolicyResult& result : evaluate(data, contestants, {}, no_progress()).policies) {
    fmt::print("{:<22} {:.4f} of the optimum, +- {:.4f}\n", result.name, result.ratio.mean,
               result.ratio.ci95);
  }
}
