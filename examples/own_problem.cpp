// The whole command line, with a source, a problem and a policy of your own.
//
// Technicians live in a town. Calls for repairs come one by one; each pays a fee, and the technician
// who is sent must drive there. A repair gains the fee less the cost of driving, and a technician
// does one repair a day. So gains depend on attributes, not on the weights of edges alone.
//
//   own_problem generate "repair-calls(jobs=20)" -n 500 -o calls
//   own_problem solve calls
//   own_problem train inv-ff-hist --train "repair-calls(jobs=20)" --epochs 20 -o run
//   own_problem evaluate calls --policy greedy --policy "nearest(radius=0.3)" --policy run
#include <algorithm>
#include <cmath>

#include <foresight/foresight.h>

using namespace foresight;

// Technicians and calls have two attributes: where they are.
double distance(const Market& market, NodeId technician, const Arrival& call) {
  const auto home = market.attributes[static_cast<std::size_t>(technician)];
  return std::hypot(home[0] - call.attributes[0], home[1] - call.attributes[1]);
}

// --- The source: draws instance after instance.

struct CallsOptions {
  int technicians = 8;
  int jobs = 24;
  int town = 1;

  void read(OptionReader& o) {
    o.integer("technicians", technicians, 1, 10'000, "technicians at work");
    o.integer("jobs", jobs, 1, 10'000, "calls in a day");
    o.integer("town", town, 0, 1'000'000, "where the technicians live: another town, other homes");
  }
};

class RepairCalls : public Source {
 public:
  explicit RepairCalls(CallsOptions options) : options_(options) {
    Rng rng(static_cast<std::uint64_t>(options.town), Stream::kFixedSet, 0);
    for (int i = 0; i < 2 * options.technicians; ++i) homes_.push_back(uniform(rng));
  }

  const Schema& schema() const override { return schema_; }

  // Depends on nothing but the seed and the index, so that everyone draws the same instances.
  Instance draw(std::uint64_t seed, std::uint64_t index) const override {
    Rng rng(seed, Stream::kInstance, index);
    InstanceBuilder day(options_.technicians);
    day.set_attributes(homes_, 2);
    std::vector<NodeId> everyone;
    for (NodeId u = 0; u < options_.technicians; ++u) everyone.push_back(u);
    day.set_ids(everyone);  // they are the same people every day
    for (int t = 0; t < options_.jobs; ++t) {
      const float place[] = {uniform(rng), uniform(rng)};
      const std::vector<float> fees(everyone.size(), uniform(rng));
      day.arrive(everyone, fees, kNoType, {}, place);
    }
    return std::move(day).build();
  }

 private:
  static float uniform(Rng& rng) { return static_cast<float>(rng.uniform()); }

  CallsOptions options_;
  Schema schema_ = {
      .problem = "repairs", .fixed_attributes = {"x", "y"}, .arrival_attributes = {"x", "y"}};
  std::vector<float> homes_;  // x and y of each technician
};

// --- The problem: what a match gains and what it uses up.

struct RepairsOptions {
  double fuel = 0.8;

  void read(OptionReader& o) { o.real("fuel", fuel, 0, 100, "cost of driving across the town"); }
};

class RepairsLedger : public Ledger {
 public:
  RepairsLedger(const Market& market, double fuel) : market_(market), fuel_(fuel) {}

  void price(const Arrival& call, std::span<Offer> offers) override {
    for (std::size_t i = 0; i < offers.size(); ++i) {
      const NodeId u = call.nodes[i];
      const double gain = static_cast<double>(call.weights[i]) - fuel_ * distance(market_, u, call);
      // Nobody drives at a loss: such a match brings nothing. It costs 1 of the technician's 1.
      offers[i] = {u, static_cast<float>(std::max(gain, 0.0)), 1};
    }
  }
  void commit(const Arrival&, NodeId) override {}  // no gain depends on earlier matches

 private:
  Market market_;
  double fuel_;
};

class Repairs : public Problem {
 public:
  explicit Repairs(RepairsOptions options) : options_(options) {}

  std::string name() const override { return "repairs"; }
  // From this the library knows how to find hindsight optima, and what models may rely on.
  Traits traits() const override { return {.gain = Traits::Gain::kOwn, .use = Traits::Use::kUnit}; }
  float capacity(const Market&, NodeId) const override { return 1; }
  std::unique_ptr<Ledger> open(const Market& market) const override {
    return std::make_unique<RepairsLedger>(market, options_.fuel);
  }
  void check(const Instance& instance) const override {
    if (instance.market().attributes.width == 2 && instance.view().attributes.width == 2) return;
    fail(ErrorCode::kData, "repairs need the attributes x and y of technicians and of calls");
  }

 private:
  RepairsOptions options_;
};

// --- A policy that knows this problem.

struct NearestOptions {
  double radius = 0.5;

  void read(OptionReader& o) { o.real("radius", radius, 0, 2, "the longest way to send someone"); }
};

class NearestBatch : public EpisodeBatch {
 public:
  explicit NearestBatch(double radius) : radius_(radius) {}

 private:
  void score(const State& state, std::size_t, std::span<float> row) override {
    row[0] = static_cast<float>(-radius_);
    for (std::size_t i = 1; i < row.size(); ++i) {
      const NodeId u = state.offers()[i - 1].node;
      row[i] = static_cast<float>(-distance(state.market(), u, state.arrival()));
    }
  }
  double radius_;
};

class Nearest : public Policy {
 public:
  explicit Nearest(NearestOptions options) : options_(options) {}

 private:
  // It reads attributes, so it refuses data of other problems.
  std::shared_ptr<const Policy> fitted(const Problem& problem, const Schema&) const override {
    if (problem.name() == "repairs") return nullptr;  // it can be used as it is
    fail(ErrorCode::kData, "\"nearest\" is for repairs, not for {}", problem.name());
  }
  std::unique_ptr<Batch> open(std::span<const Opening>) const override {
    return std::make_unique<NearestBatch>(options_.radius);
  }

  NearestOptions options_;
};

int main(int argc, char** argv) {
  sources().add(make_entry<Source, RepairCalls, CallsOptions>(
      "repair-calls", "calls for repairs all over a town, and those who can be sent"));
  problems().add(make_entry<Problem, Repairs, RepairsOptions>(
      "repairs", "worth the fee less the cost of driving; one repair per technician"));
  policies().add(
      make_entry<Policy, Nearest, NearestOptions>("nearest", "whoever lives closest to the call"));
  return run_program(argc, argv);
}
