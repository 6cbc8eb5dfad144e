#include "foresight/train/baseline.h"

#include <algorithm>
#include <numeric>

#include "foresight/base/error.h"
#include "foresight/base/parallel.h"
#include "foresight/base/statistics.h"
#include "foresight/features/features.h"
#include "foresight/nn/mlp.h"
#include "foresight/solve/assignment.h"

namespace foresight {
namespace {

class AverageBaseline : public Baseline {
 public:
  explicit AverageBaseline(double beta) : beta_(beta) {}

  void prepare(const TrainingBatch& batch, std::span<Shard> shards) override {
    double mean = 0;
    for (const Shard& shard : shards) {
      for (const double value : shard.values) {
        mean -= value / static_cast<double>(batch.instances.size());
      }
    }
    average_ = average_ ? beta_ * *average_ + (1 - beta_) * mean : mean;
  }
  double cost(const Shard&, std::size_t) const override { return *average_; }

  void save(TrainerState& state) const override {
    if (average_) state.numbers["average_cost"] = *average_;
  }
  void restore(const TrainerState& state) override {
    const auto found = state.numbers.find("average_cost");
    average_ = found == state.numbers.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  double beta_;
  std::optional<double> average_;
};

class RolloutBaseline : public Baseline {
 public:
  void begin(Model& model) override {
    model_ = &model;
    best_ = model.parameters();
    values_.clear();
  }

  void prepare(const TrainingBatch& batch, std::span<Shard>) override {
    const Parameters current = model_->parameters();
    model_->set_parameters(best_);
    PlayOptions options{.seed = batch.seed, .first_index = batch.first_index};
    const std::vector<Rollout> rollouts = play_many(
        batch.instances.problem(), batch.instances.size(),
        [&](std::size_t i) { return batch.instances[i]; }, *model_, options, batch.threads,
        no_progress());
    model_->set_parameters(current);
    costs_.clear();
    for (const Rollout& rollout : rollouts) {
      costs_.push_back(-rollout.value * model_->units().per_gain());
    }
  }
  double cost(const Shard& shard, std::size_t decision) const override {
    return costs_[shard.first_episode + shard.decisions[decision].episode];
  }

  void end_epoch(std::span<const double> values) override {
    if (!values_.empty() && values_.size() != values.size()) {
      fail(ErrorCode::kData,
           "the saved baseline has {} values, expected {}, one per validation instance",
           values_.size(), values.size());
    }
    const bool better = values_.empty() || (mean(values) > mean(values_) &&
                                            paired_t_test_p_one_sided(values, values_) < 0.05);
    if (!better) return;
    best_ = model_->parameters();
    values_.assign(values.begin(), values.end());
  }

  void save(TrainerState& state) const override {
    state.arrays["baseline"] = {best_.values().begin(), best_.values().end()};
    if (!values_.empty()) state.arrays["baseline_values"] = values_;
  }
  void restore(const TrainerState& state) override {
    state.copy("baseline", best_.values());
    const auto values = state.arrays.find("baseline_values");
    if (values != state.arrays.end()) values_ = values->second;
  }

 private:
  static double mean(std::span<const double> values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  }

  Model* model_ = nullptr;
  Parameters best_;
  std::vector<double> values_;  // of the best model on the validation set
  std::vector<double> costs_;   // per episode of the batch
};

class LeaveOneOutBaseline : public Baseline {
 public:
  explicit LeaveOneOutBaseline(int rollouts) : rollouts_(static_cast<std::size_t>(rollouts)) {}

  void prepare(const TrainingBatch& batch, std::span<Shard> shards) override {
    // ahead_[e][t] is what episode e gained from arrival t on.
    ahead_.assign(batch.instances.size(), {});
    for (std::size_t e = 0; e < ahead_.size(); ++e) {
      ahead_[e].assign(static_cast<std::size_t>(batch.instances[e].num_arrivals()) + 1, 0);
    }
    for (const Shard& shard : shards) {
      for (const Decision& decision : shard.decisions) {
        ahead_[shard.first_episode + decision.episode][static_cast<std::size_t>(decision.time)] =
            static_cast<double>(decision.gain);
      }
    }
    for (auto& gains : ahead_) {
      for (std::size_t t = gains.size() - 1; t-- > 0;) gains[t] += gains[t + 1];
    }
  }

  double cost(const Shard& shard, std::size_t number) const override {
    const Decision& decision = shard.decisions[number];
    const std::size_t episode = shard.first_episode + decision.episode;
    const std::size_t first = episode - episode % rollouts_;
    const auto t = static_cast<std::size_t>(decision.time);
    double others = -ahead_[episode][t];
    for (std::size_t e = first; e < first + rollouts_; ++e) others += ahead_[e][t];
    return -others / static_cast<double>(rollouts_ - 1);
  }
  bool looks_ahead() const override { return true; }

 private:
  std::size_t rollouts_;
  std::vector<std::vector<double>> ahead_;
};

class HindsightBaseline : public Baseline {
 public:
  void begin(Model& model) override { per_gain_ = model.units().per_gain(); }

  void prepare(const TrainingBatch& batch, std::span<Shard> shards) override {
    const Problem& problem = batch.instances.problem();
    const bool once = problem.traits().units() && batch.instances[0].market().capacities.empty();
    if (problem.traits().gain != Traits::Gain::kWeight || !once) {
      fail(ErrorCode::kUsage,
           "baseline=hindsight needs edges that gain their weight and nodes that are matched once, "
           "but problem \"{}\" has {}; try baseline=others",
           problem.name(), describe(problem.traits()));
    }
    ahead_.resize(shards.size());
    parallel_for(shards.size(), batch.threads, [&](std::size_t s) {
      const Shard& shard = shards[s];
      ahead_[s].resize(shard.decisions.size());
      AssignmentSolver solver;
      // Decisions are listed step by step. Earlier matches are replayed per episode.
      std::vector<std::vector<bool>> free;
      std::vector<int> decided(shard.episodes, 0);
      for (std::size_t e = 0; e < shard.episodes; ++e) {
        const Market& market = batch.instances[shard.first_episode + e].market();
        free.emplace_back(static_cast<std::size_t>(market.num_fixed), true);
      }
      for (std::size_t i = 0; i < shard.decisions.size(); ++i) {
        const auto [e, choice, time, gain, best] = shard.decisions[i];
        const Rollout& rollout = shard.rollouts[e];
        for (int& t = decided[e]; t < time; ++t) {
          const NodeId node = rollout.matching[static_cast<std::size_t>(t)];
          if (node != kSkip) free[e][static_cast<std::size_t>(node)] = false;
        }
        ahead_[s][i] =
            per_gain_ * optimum(solver, batch.instances[shard.first_episode + e], time, free[e]);
      }
    });
  }

  double cost(const Shard& shard, std::size_t decision) const override {
    return -ahead_[shard.number][decision];
  }
  bool looks_ahead() const override { return true; }

 private:
  static double optimum(AssignmentSolver& solver, const Instance& instance, int first,
                        const std::vector<bool>& free) {
    thread_local std::vector<std::int64_t> begin;
    thread_local std::vector<NodeId> nodes;
    thread_local std::vector<float> weights;
    begin.assign(1, 0);
    nodes.clear();
    weights.clear();
    for (int t = first; t < instance.num_arrivals(); ++t) {
      const Arrival arrival = instance.arrival(t);
      for (std::size_t k = 0; k < arrival.nodes.size(); ++k) {
        if (!free[static_cast<std::size_t>(arrival.nodes[k])]) continue;
        nodes.push_back(arrival.nodes[k]);
        weights.push_back(arrival.weights[k]);
      }
      begin.push_back(std::ssize(nodes));
    }
    return solver.solve_sparse(instance.market().num_fixed, begin, nodes, weights).value;
  }

  double per_gain_ = 1;
  std::vector<std::vector<double>> ahead_;  // per shard and decision
};

class CriticBaseline : public Baseline {
 public:
  explicit CriticBaseline(double tape_bytes)
      : mlp_("critic", {kInputs, 64, 64, 1}), packed_(mlp_), tape_(packed_) {
    most_rows_ =
        std::max<std::size_t>(1, static_cast<std::size_t>(tape_bytes) / tape_.bytes_of(1, 0));
    mlp_.declare(parameters_);
    Rng rng(0, Stream::kInitialise, 1);
    mlp_.initialise(parameters_, rng);
    packed_.load(parameters_);
    adam_.emplace(parameters_);
  }

  void begin(Model& model) override { units_ = model.units(); }

  void observe(const State& state, std::vector<float>& observations) const override {
    const EpisodeFeatures e(state, {.units = units_});
    float best = 0;
    for (const Offer& offer : state.offers()) best = std::max(best, offer.gain);
    observations.insert(observations.end(),
                        {e.value, e.time, e.mean, e.skips, e.fullness, units_.of_gain(best),
                         static_cast<float>(state.offers().size()) /
                             static_cast<float>(std::max(1, state.market().num_fixed)),
                         units_.of_gain(state.value())});
  }

  /// First estimates every decision of the batch, then learns from it.
  void prepare(const TrainingBatch&, std::span<Shard> shards) override {
    costs_.resize(shards.size());
    std::size_t rows = 0;
    for (const Shard& shard : shards) {
      costs_[shard.number].clear();
      rows += shard.decisions.size();
    }
    if (rows == 0) return;
    Parameters gradient = parameters_.zeros();
    tape_.clear();
    for (const Shard& shard : shards) {
      for (std::size_t i = 0; i < shard.decisions.size(); ++i) {
        if (tape_.rows() == most_rows_) learn(shards, rows, gradient);
        const std::size_t row = tape_.append(1);
        std::copy_n(shard.observations.begin() + static_cast<std::ptrdiff_t>(i * kInputs), kInputs,
                    tape_.input(row).begin());
      }
    }
    learn(shards, rows, gradient);
    clip_norm(gradient, 1.0);
    adam_->step(parameters_, gradient, kLearningRate);
    packed_.load(parameters_);
  }
  double cost(const Shard& shard, std::size_t decision) const override {
    return costs_[shard.number][decision];
  }

  void save(TrainerState& state) const override {
    const auto put = [&](const char* name, std::span<const float> values) {
      state.arrays[name] = {values.begin(), values.end()};
    };
    put("critic", parameters_.values());
    put("critic_mean", adam_->state().mean.values());
    put("critic_square", adam_->state().square.values());
    state.numbers["critic_steps"] = static_cast<double>(adam_->state().steps);
  }
  void restore(const TrainerState& state) override {
    Adam::State adam = adam_->state();
    state.copy("critic", parameters_.values());
    state.copy("critic_mean", adam.mean.values());
    state.copy("critic_square", adam.square.values());
    adam.steps = state.count("critic_steps");
    adam_.emplace(adam);
    packed_.load(parameters_);
  }

 private:
  static constexpr std::size_t kInputs = 8;
  static constexpr double kLearningRate = 1e-3;

  /// Estimates the decisions on the tape, which follow those estimated so far. Adds the gradient of
  /// their share in the mean error of all rows, and empties the tape.
  void learn(std::span<const Shard> shards, std::size_t rows, Parameters& gradient) {
    packed_.forward(tape_);
    std::size_t s = 0;
    for (std::size_t row = 0; row < tape_.rows(); ++row) {
      while (costs_[s].size() == shards[s].decisions.size()) ++s;
      const Decision& decision = shards[s].decisions[costs_[s].size()];
      const float estimate = tape_.output(row)[0];
      costs_[s].push_back(estimate);
      const double error = static_cast<double>(estimate) + shards[s].values[decision.episode];
      tape_.output_gradient(row)[0] = static_cast<float>(2 * error / static_cast<double>(rows));
    }
    packed_.backward(tape_, gradient);
    tape_.clear();
  }

  Units units_;
  Mlp mlp_;
  Parameters parameters_;
  PackedMlp packed_;
  MlpTape tape_;
  std::optional<Adam> adam_;
  std::size_t most_rows_;                  // on the tape
  std::vector<std::vector<float>> costs_;  // per shard and decision
};

}  // namespace

std::unique_ptr<Baseline> make_average_baseline(double beta) {
  return std::make_unique<AverageBaseline>(beta);
}

std::unique_ptr<Baseline> make_rollout_baseline() {
  return std::make_unique<RolloutBaseline>();
}

std::unique_ptr<Baseline> make_leave_one_out_baseline(int rollouts) {
  return std::make_unique<LeaveOneOutBaseline>(rollouts);
}

std::unique_ptr<Baseline> make_hindsight_baseline() {
  return std::make_unique<HindsightBaseline>();
}

std::unique_ptr<Baseline> make_critic_baseline(double tape_bytes) {
  return std::make_unique<CriticBaseline>(tape_bytes);
}

}  // namespace foresight
