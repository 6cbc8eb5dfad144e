#include "foresight/train/learner.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "foresight/base/error.h"
#include "foresight/base/parallel.h"
#include "foresight/nn/mlp.h"

namespace foresight {
namespace {

/// The number of episodes of a batch that one thread plays: few enough for at least two threads,
/// many enough for full matrix tiles. It depends only on the batch, so threads change no result.
std::size_t shard_size(std::size_t episodes) {
  return std::min<std::size_t>(50, (episodes + 1) / 2);
}

/// Attributes of arrivals come in any unit (hours, dollars), so they are always standardised.
bool is_arrival_attribute(const std::string& feature) {
  return feature.starts_with("arrival.");
}

}  // namespace

void LearnerOptions::read(OptionReader& o) {
  o.real("lr", lr, 0, 100, "learning rate of Adam");
  o.real("decay", decay, 0, 1, "the learning rate is multiplied by this after every epoch");
  o.choice("schedule", schedule, {"decay", "cosine"},
           "the learning rate falls by decay, or along a cosine to 0 at the end of the run");
  o.real("clip", clip, 0, 1e9, "the largest norm of the gradient; a larger one is scaled down");
  o.integer("batch", batch, 1, 1'000'000, "instances per update");
  o.integer("standardize", standardize, 0, 1,
            "learn as if every input had mean 0 and deviation 1 (feed-forward models); always "
            "so for attributes of arrivals");
}

void Learner::begin(Model& model) {
  model_ = &model;
  if (options_.standardize && !model.perceptron()) {
    fail(ErrorCode::kUsage,
         "standardize=1 works only with models that are one perceptron, not with this model");
  }
  scales_inputs_ =
      options_.standardize ||
      (model.perceptron() && std::ranges::any_of(model.features(), is_arrival_attribute));
  adam_.emplace(model.parameters());
  scale_.reset();
  shards_.clear();
}

double Learner::learning_rate(double progress) const {
  if (options_.schedule == "decay") return learning_rate_;
  return options_.lr * 0.5 * (1 + std::cos(std::numbers::pi * progress));
}

TrainerState Learner::state() const {
  TrainerState state{adam_->state(), {{"learning_rate", learning_rate_}}, {}};
  if (scale_) {
    state.arrays["input.means"] = scale_->means();
    state.arrays["input.deviations"] = scale_->deviations();
  }
  return state;
}

void Learner::restore(const TrainerState& state) {
  adam_.emplace(state.adam);
  learning_rate_ = state.number("learning_rate");
  if (const auto means = state.arrays.find("input.means"); means != state.arrays.end()) {
    const auto deviations = state.arrays.find("input.deviations");
    if (deviations == state.arrays.end() || means->second.size() != deviations->second.size() ||
        !model_->perceptron() || means->second.size() != model_->perceptron()->sizes().front()) {
      fail(ErrorCode::kData, "the saved means and deviations of the inputs do not fit the model");
    }
    scale_ = input_scale(means->second, deviations->second);
  }
}

InputScale Learner::input_scale(std::vector<double> means, std::vector<double> deviations) const {
  const Mlp& perceptron = *model_->perceptron();
  return {perceptron.weight_name(0), perceptron.bias_name(0), std::move(means),
          std::move(deviations)};
}

InputScale Learner::measure_inputs() {
  std::vector<Moments> columns(model_->perceptron()->sizes().front());
  for (Shard& shard : shards()) shard.model->add_inputs(columns);
  std::vector<double> means(columns.size()), deviations(columns.size());
  const std::vector<std::string> names = model_->features();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!options_.standardize && !is_arrival_attribute(names[i])) continue;
    means[i] = columns[i].mean();
    deviations[i] = std::sqrt(columns[i].variance());
  }
  return input_scale(std::move(means), std::move(deviations));
}

void Learner::play_shards(const TrainingBatch& batch, Decode decode, Model::Record record) {
  play(batch, decode, record);
  if (!scales_inputs_ || scale_) return;
  // The drawn parameters are meant for standardised inputs, whose scale is known only now.
  scale_ = measure_inputs();
  Parameters parameters = model_->parameters();
  scale_->to_outer(parameters);
  model_->set_parameters(parameters);
  play(batch, decode, record);
}

void Learner::play(const TrainingBatch& batch, Decode decode, Model::Record record) {
  progress_ = batch.progress;
  const std::size_t size = shard_size(batch.instances.size());
  num_shards_ = (batch.instances.size() + size - 1) / size;
  while (shards_.size() < num_shards_) {
    Shard& shard = shards_.emplace_back();
    shard.model = model_->record({}, record);
    shard.gradient = model_->parameters().zeros();
  }
  parallel_for(num_shards_, batch.threads, [&](std::size_t s) {
    Shard& shard = shards_[s];
    shard.number = s;
    shard.first_episode = s * size;
    shard.episodes = std::min(size, batch.instances.size() - shard.first_episode);
    for (auto* list : {&shard.episode, &shard.choice, &shard.entries}) list->clear();
    shard.time.clear();
    shard.gain.clear();
    shard.scores.clear();
    shard.observations.clear();
    shard.probabilities.clear();

    PlayOptions options{.decode = decode, .seed = batch.seed, .progress = batch.watched};
    options.first_index = batch.first_index + shard.first_episode;
    options.observer = [&](std::span<const Turn> turns, Scores& scores,
                           std::span<const std::size_t> choices) {
      for (std::size_t k = 0; k < turns.size(); ++k) {
        const auto row = scores.row(k);
        shard.entries.push_back(row.size());
        shard.scores.insert(shard.scores.end(), row.begin(), row.end());
        append_softmax(row, shard.probabilities);
        if (row.size() == 1) continue;
        shard.episode.push_back(turns[k].episode);
        shard.choice.push_back(choices[k]);
        shard.time.push_back(turns[k].state->history().arrivals);
        observe(*turns[k].state, shard.observations);
        shard.gain.push_back(choices[k] == 0 ? 0 : turns[k].state->offers()[choices[k] - 1].gain);
      }
    };
    const auto instances = batch.instances.subspan(shard.first_episode, shard.episodes);
    shard.model->restart(open_episodes(instances, options));
    shard.rollouts = foresight::play(instances, *shard.model, options);
    shard.gradients.assign(shard.probabilities.size(), 0);
  });
}

double Learner::step(int threads, const std::function<void(Shard&)>& differentiate) {
  parallel_for(num_shards_, threads, [&](std::size_t s) {
    shards_[s].gradient.set_zero();
    differentiate(shards_[s]);
  });
  Parameters& total = shards_.front().gradient;
  for (std::size_t s = 1; s < num_shards_; ++s) add(total, shards_[s].gradient);
  if (scale_) scale_->gradient_to_inner(total);
  const double norm = clip_norm(total, options_.clip);
  if (!std::isfinite(norm)) {
    fail(ErrorCode::kData,
         "training diverged: the gradient is not a finite number; try a lower learning rate than "
         "{}",
         learning_rate(progress_));
  }
  Parameters parameters = model_->parameters();
  if (scale_) scale_->to_inner(parameters);
  adam_->step(parameters, total, learning_rate(progress_));
  if (scale_) scale_->to_outer(parameters);
  model_->set_parameters(parameters);
  return norm;
}

}  // namespace foresight
