// REINFORCE (Williams, 1992) as the paper trains its models: sampled episodes, the exponential
// moving average of the batch's mean cost as baseline, an entropy bonus, Adam with clipped
// gradients.
//
//   loss = mean over episodes of (cost - baseline) * sum of log p(choice) - entropy_rate * entropy
//
// Costs are in the model's units. With normalize=1, cost - baseline is divided by its root mean
// square in the batch, so that the weight of the entropy bonus means the same for every source.
#include <algorithm>
#include <cmath>

#include "foresight/base/error.h"
#include "foresight/base/parallel.h"
#include "foresight/train/baseline.h"
#include "foresight/train/learner.h"
#include "foresight/train/losses.h"

namespace foresight {
namespace {

struct ReinforceOptions {
  LearnerOptions learner;
  double beta = 0.8;
  double entropy = 0.01;
  double entropy_end = -1;
  int rollouts = 1;
  std::string baseline = "ema";
  std::string credit = "total";
  int normalize = 0;

  void read(OptionReader& o) {
    learner.read(o);
    o.real("entropy", entropy, 0, 100, "weight of the entropy bonus");
    o.real("entropy_end", entropy_end, -1, 100,
           "its weight at the end of the run, reached in a straight line; -1: it stays the same");
    o.integer("rollouts", rollouts, 1, 1'000, "episodes per instance");
    o.choice("baseline", baseline, {"ema", "rollout", "critic", "others", "hindsight", "none"},
             "what a cost is compared with: a moving average, the best model so far on the same "
             "instance, a learned estimate, the instance's other episodes, the best that could "
             "still be reached in hindsight, or nothing");
    o.real("beta", beta, 0, 1, "how much of the moving average each update keeps");
    o.choice("credit", credit, {"total", "to-go"},
             "judge a decision by the whole episode, or by what comes after it");
    o.integer("normalize", normalize, 0, 1,
              "divide what a decision is judged by through its root mean square in the batch");
  }
};

class Reinforce : public Learner {
 public:
  explicit Reinforce(ReinforceOptions options)
      : Learner(options.learner), options_(std::move(options)) {
    if (options_.baseline == "rollout") baseline_ = make_rollout_baseline();
    if (options_.baseline == "critic") baseline_ = make_critic_baseline(tape_bytes() / 16);
    if (options_.baseline == "ema") baseline_ = make_average_baseline(options_.beta);
    if (options_.baseline == "hindsight") baseline_ = make_hindsight_baseline();
    if (options_.baseline == "others") {
      if (options_.rollouts < 2) {
        fail(ErrorCode::kUsage,
             "baseline=others compares several episodes of one instance; give e.g. rollouts=8");
      }
      baseline_ = make_leave_one_out_baseline(options_.rollouts);
    }
  }

  void begin(Model& model) override {
    Learner::begin(model);
    if (baseline_) baseline_->begin(model);
  }

  void end_epoch(std::span<const double> validation_values) override {
    Learner::end_epoch(validation_values);
    if (baseline_) baseline_->end_epoch(validation_values);
  }

  bool depends_on_length() const override {
    return Learner::depends_on_length() || options_.entropy_end >= 0;
  }

  int episodes_per_instance() const override { return options_.rollouts; }

  UpdateStats update(const TrainingBatch& given) override {
    const TrainingBatch batch = repeated(given);
    const double end = options_.entropy_end < 0 ? options_.entropy : options_.entropy_end;
    entropy_rate_ = options_.entropy + (end - options_.entropy) * batch.progress;
    entropy_rate_ *= std::exp2(std::min(setbacks(), 2));  // explore more after a setback
    play_shards(batch, Decode::kSample, Model::Record::kChoices);
    if (baseline_) baseline_->prepare(batch, shards());

    find_advantages(batch.threads);
    const double scale = 1 / static_cast<double>(batch.instances.size());
    UpdateStats stats = step(batch, [&](const Shard& shard, const DecisionRow& row) {
      return policy_loss(row.probabilities, shard.decisions[row.decision].choice,
                         advantages_[shard.number][row.decision], entropy_rate_, scale,
                         row.gradient);
    });
    for (const Shard& shard : shards()) {
      stats.entropy += scale * shard.entropy;
      stats.loss += scale * shard.loss;
    }
    return stats;
  }

  TrainerState state() const override {
    TrainerState state = Learner::state();
    if (baseline_) baseline_->save(state);
    return state;
  }
  void restore(const TrainerState& state) override {
    Learner::restore(state);
    if (baseline_) baseline_->restore(state);
  }

 protected:
  void observe(const State& state, std::vector<float>& observations) const override {
    if (baseline_) baseline_->observe(state, observations);
  }

 private:
  /// Repeats every instance as often as it is played.
  TrainingBatch repeated(const TrainingBatch& batch) {
    if (options_.rollouts == 1) return batch;
    instances_.clear();
    for (const Instance& instance : batch.instances) {
      instances_.insert(instances_.end(), static_cast<std::size_t>(options_.rollouts), instance);
    }
    TrainingBatch all = batch;
    all.instances = bind_instances(batch.instances.problem(), instances_);
    all.first_index *= static_cast<std::uint64_t>(options_.rollouts);
    return all;
  }

  /// Of every decision with a choice, shard by shard.
  void find_advantages(int threads) {
    advantages_.resize(shards().size());
    parallel_for(shards().size(), threads,
                 [&](std::size_t s) { advantages_[s] = advantages(shards()[s]); });
    if (!options_.normalize) return;
    double squares = 0;
    std::size_t count = 0;
    for (const auto& of_shard : advantages_) {
      for (const double advantage : of_shard) squares += advantage * advantage;
      count += of_shard.size();
    }
    if (!(squares > 0)) return;
    const double per_deviation = std::sqrt(static_cast<double>(count) / squares);
    for (auto& of_shard : advantages_) {
      for (double& advantage : of_shard) advantage *= per_deviation;
    }
  }

  /// Cost minus baseline, per decision.
  std::vector<double> advantages(const Shard& shard) const {
    std::vector<double> result(shard.decisions.size());
    std::vector<double> cost(shard.episodes);
    for (std::size_t e = 0; e < shard.episodes; ++e) cost[e] = -shard.values[e];
    // A decision is not judged by what was gained before it.
    std::vector<double> before(shard.episodes);
    for (std::size_t i = 0; i < result.size(); ++i) {
      const std::size_t e = shard.decisions[i].episode;
      result[i] = cost[e] - (baseline_ ? baseline_->cost(shard, i) : 0);
      // A baseline that only looks ahead from the decision is compared with what lies ahead.
      const bool ahead = baseline_ && baseline_->looks_ahead();
      if (ahead || options_.credit == "to-go") result[i] += before[e];
      before[e] += static_cast<double>(shard.decisions[i].gain);
    }
    return result;
  }

  ReinforceOptions options_;
  double entropy_rate_ = 0;
  std::vector<Instance> instances_;
  std::vector<std::vector<double>> advantages_;  // per shard and decision
  std::unique_ptr<Baseline> baseline_;           // null: costs are not compared with anything
};

}  // namespace

Entry<Trainer> reinforce_trainer() {
  return make_entry<Trainer, Reinforce, ReinforceOptions>(
      "reinforce", "policy gradient on sampled episodes, as in the paper");
}

}  // namespace foresight
