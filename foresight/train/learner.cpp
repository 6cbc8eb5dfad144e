#include "foresight/train/learner.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>
#include <utility>

#include "foresight/base/error.h"
#include "foresight/base/parallel.h"
#include "foresight/nn/mlp.h"
#include "foresight/train/losses.h"

namespace foresight {
namespace {

/// The number of episodes of a batch that one thread plays: few enough for at least two threads,
/// many enough for full matrix tiles. It depends only on the batch, so threads change no result.
std::size_t shard_size(std::size_t episodes) {
  return std::min<std::size_t>(50, (episodes + 1) / 2);
}
std::size_t shard_count(std::size_t episodes) {
  const std::size_t size = shard_size(episodes);
  return (episodes + size - 1) / size;
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
  o.integer("batch", batch, 0, 1'000'000, "instances per update; 0: as many as suit the data");
  o.integer("standardize", standardize, 0, 1,
            "learn as if every input had mean 0 and deviation 1 (feed-forward models); always "
            "so for attributes of arrivals");
  o.real("tape", tape, 1e-6, 1e9,
         "MB for what the backward pass needs; if a batch needs more, it is played twice");
}

int fitting_batch(int usual, std::uint64_t instances, double arrivals, int rollouts) {
  constexpr double kMostDecisions = 40'000;
  constexpr std::uint64_t kUpdates = 8;
  const auto most = static_cast<double>(usual);
  const double by_length = kMostDecisions / std::max(1.0, arrivals * rollouts);
  const auto by_data = static_cast<double>(instances / kUpdates);
  return static_cast<int>(
      std::min({most, std::max(rollouts > 1 ? 1.0 : 2.0, by_length), std::max(2.0, by_data)}));
}

/// Keeps the rows of a shard's play within its share of the tape. When the next row does not fit,
/// it calls `on_full` and forgets all rows. In the first play of a shard, rows are then no longer
/// kept, since the shard must be played again.
class Learner::Tape : public Batch {
 public:
  Tape(const Learner& learner, Shard& shard, const OnFull& on_full)
      : learner_(learner),
        shard_(shard),
        on_full_(on_full),
        plays_again_(!shard.whole),
        outputs_(learner.record_ == Model::Record::kOutputs) {}

  void score(std::span<const Turn> turns, Scores& scores) override {
    if (!keeps()) forget();
    std::size_t first = 0;
    std::size_t bytes = this->bytes();
    for (std::size_t i = 0; i < turns.size(); ++i) {
      const std::size_t more = bytes_for(*turns[i].state);
      if (bytes > 0 && bytes + more > learner_.share_) {
        score(turns, first, i, scores);
        on_full_();
        forget();
        first = i;
        bytes = 0;
      }
      bytes += more;
    }
    score(turns, first, turns.size(), scores);
  }

  void forget() {
    shard_.model->forget_rows();
    shard_.entries.clear();
    shard_.scores.clear();
    shard_.num_entries = 0;
  }

 private:
  bool keeps() const { return plays_again_ || shard_.whole; }

  // Besides the model's part: the length of a row, and for each entry its score and its gradient,
  // or only the gradient where the model's own outputs are used.
  std::size_t entry_bytes() const { return (outputs_ ? 1 : 2) * sizeof(float); }
  std::size_t bytes() const {
    return shard_.model->bytes() + shard_.entries.size() * sizeof(shard_.entries[0]) +
           shard_.num_entries * entry_bytes();
  }
  std::size_t bytes_for(const State& state) const {
    const std::size_t entries =
        1 + (outputs_ ? static_cast<std::size_t>(state.market().num_fixed) : state.offers().size());
    return shard_.model->bytes_for(state) + sizeof(shard_.entries[0]) + entries * entry_bytes();
  }

  /// Scores the turns in [first, end).
  void score(std::span<const Turn> turns, std::size_t first, std::size_t end, Scores& scores) {
    if (first == end) return;
    if (end - first == turns.size()) {
      shard_.model->score(turns, scores);
    } else {
      const auto part = turns.subspan(first, end - first);
      part_.watch(scores.watched());
      part_.resize(part);
      shard_.model->score(part, part_);
      for (std::size_t k = first; k < end; ++k) {
        std::ranges::copy(part_.row(k - first), scores.row(k).begin());
      }
    }
    for (std::size_t k = first; k < end; ++k) keep(*turns[k].state, scores.row(k));
  }

  void keep(const State& state, std::span<const float> row) {
    if (!std::ranges::all_of(row, [](float score) { return std::isfinite(score); })) {
      learner_.fail_diverged(fmt::format("a score at arrival {}", state.history().arrivals),
                             shard_.model->largest_input());
    }
    if (!keeps()) return;
    if (outputs_) {
      row = shard_.model->outputs(shard_.entries.size());
    } else {
      shard_.scores.insert(shard_.scores.end(), row.begin(), row.end());
    }
    shard_.entries.push_back(static_cast<std::uint32_t>(row.size()));
    shard_.num_entries += row.size();
  }

  const Learner& learner_;
  Shard& shard_;
  const OnFull& on_full_;
  bool plays_again_;
  bool outputs_;  // every output of the model is recorded
  Scores part_;
};

int Learner::usual_batch() const {
  return std::max(1, options_.usual_episodes / episodes_per_instance());
}

int Learner::batch_size() const {
  if (options_.batch > 0) return options_.batch;
  return fitted_batch_ > 0 ? fitted_batch_ : usual_batch();
}

void Learner::fit_batch(std::uint64_t instances, double arrivals) {
  fitted_batch_ = fitting_batch(usual_batch(), instances, arrivals, episodes_per_instance());
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
  setbacks_ = 0;
  drawn_ = true;
  scale_.reset();
  shards_.clear();
}

double Learner::learning_rate(double progress) const {
  const double factor = std::exp2(-setbacks_);
  if (options_.schedule == "decay") return factor * learning_rate_;
  return factor * options_.lr * 0.5 * (1 + std::cos(std::numbers::pi * progress));
}

void Learner::retreat() {
  ++setbacks_;
  adam_.emplace(model_->parameters());  // its momentum led away from the best model
}

TrainerState Learner::state() const {
  TrainerState state{adam_->state(), {{"learning_rate", learning_rate_}}, {}};
  if (setbacks_ > 0) state.numbers["setbacks"] = setbacks_;
  if (scale_) {
    state.arrays["input.means"] = scale_->means();
    state.arrays["input.deviations"] = scale_->deviations();
  }
  return state;
}

void Learner::restore(const TrainerState& state) {
  adam_.emplace(state.adam);
  learning_rate_ = state.number("learning_rate");
  setbacks_ = state.numbers.contains("setbacks") ? static_cast<int>(state.count("setbacks")) : 0;
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

InputScale Learner::measure_inputs(const TrainingBatch& batch) {
  std::vector<Moments> columns(model_->perceptron()->sizes().front());
  for (Shard& shard : shards()) {
    for_each_piece(batch, shard, [&] { shard.model->add_inputs(columns); });
  }
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
  record_ = record;
  play(batch, decode);
  if (!scales_inputs_ || scale_) return;
  scale_ = measure_inputs(batch);
  if (!drawn_) return;
  // The drawn parameters are meant for standardised inputs, whose scale is known only now.
  Parameters parameters = model_->parameters();
  scale_->to_outer(parameters);
  model_->set_parameters(parameters);
  play(batch, decode);
}

void Learner::play(const TrainingBatch& batch, Decode decode) {
  progress_ = batch.progress;
  const std::size_t size = shard_size(batch.instances.size());
  num_shards_ = shard_count(batch.instances.size());
  while (shards_.size() < num_shards_) {
    Shard& shard = shards_.emplace_back();
    shard.model = model_->record({}, record_);
    shard.gradient = model_->parameters().zeros();
  }
  // An epoch's last batch may be smaller. Its tapes do not grow, because the others stay.
  const auto full = static_cast<std::size_t>(batch_size() * episodes_per_instance());
  const auto tapes = static_cast<double>(std::max(num_shards_, shard_count(full)));
  share_ = static_cast<std::size_t>(tape_bytes() / tapes);
  parallel_for(num_shards_, batch.threads, [&](std::size_t s) {
    Shard& shard = shards_[s];
    shard.number = s;
    shard.first_episode = s * size;
    shard.episodes = std::min(size, batch.instances.size() - shard.first_episode);
    shard.decisions.clear();
    shard.observations.clear();
    shard.whole = true;
    PlayOptions options{.decode = decode};
    options.observer = [&](std::span<const Turn> turns, Scores& scores,
                           std::span<const std::size_t> choices) {
      for (std::size_t k = 0; k < turns.size(); ++k) {
        const auto row = scores.row(k);
        if (row.size() == 1 && record_ == Model::Record::kChoices) continue;
        const State& state = *turns[k].state;
        shard.decisions.push_back(
            {.episode = static_cast<std::uint32_t>(turns[k].episode),
             .choice = static_cast<std::uint32_t>(choices[k]),
             .time = state.history().arrivals,
             .gain =
                 choices[k] == 0 ? 0 : model_->units().of_gain(state.offers()[choices[k] - 1].gain),
             .best = *std::max_element(row.begin(), row.end())});
        observe(state, shard.observations);
      }
    };
    shard.rollouts = play(batch, shard, std::move(options), [&] { shard.whole = false; });
    shard.values.clear();
    for (const Rollout& rollout : shard.rollouts) {
      shard.values.push_back(rollout.value * model_->units().per_gain());
    }
  });
}

std::vector<Rollout> Learner::play(const TrainingBatch& batch, Shard& shard, PlayOptions options,
                                   const OnFull& on_full) {
  options.seed = batch.seed;
  options.first_index = batch.first_index + shard.first_episode;
  options.progress = batch.watched;
  const auto instances = batch.instances.subspan(shard.first_episode, shard.episodes);
  Tape tape(*this, shard, on_full);
  tape.forget();
  shard.model->restart(open_episodes(instances, options));
  return foresight::play(instances, tape, options);
}

/// Calls `visit` when the tape holds all rows of the shard, or each time when it holds a piece.
void Learner::for_each_piece(const TrainingBatch& batch, Shard& shard,
                             const std::function<void()>& visit) {
  if (!shard.whole) play(batch, shard, {.followed = shard.rollouts}, visit);
  visit();
}

/// Adds the gradient of the rows on the tape, which begin with this decision. Afterwards it is the
/// first one of the next piece.
void Learner::differentiate(Shard& shard, const Loss& loss, std::size_t& decision) const {
  const bool outputs = record_ == Model::Record::kOutputs;
  std::vector<float> probabilities;
  shard.gradients.assign(shard.num_entries, 0);
  std::size_t first = 0;
  for (std::size_t i = 0; i < shard.entries.size(); ++i) {
    const std::size_t entries = shard.entries[i];
    const std::size_t begin = std::exchange(first, first + entries);
    if (entries == 1 && !outputs) continue;
    DecisionRow row{.decision = decision++,
                    .scores = {},
                    .probabilities = {},
                    .gradient = std::span(shard.gradients).subspan(begin, entries)};
    if (outputs) {
      row.scores = shard.model->outputs(i);
    } else {
      row.scores = std::span(shard.scores).subspan(begin, entries);
      probabilities.clear();
      append_softmax(row.scores, probabilities);
      row.probabilities = probabilities;
      shard.entropy += entropy(probabilities);
    }
    shard.loss += loss(shard, row);
  }
  if (outputs) {
    shard.model->backward_outputs(shard.gradients, shard.gradient);
  } else {
    shard.model->backward(shard.gradients, shard.gradient);
  }
  ++shard.pieces;
  shard.rows += static_cast<std::int64_t>(shard.model->rows());
}

UpdateStats Learner::step(const TrainingBatch& batch, const Loss& loss) {
  UpdateStats stats;
  parallel_for(num_shards_, batch.threads, [&](std::size_t s) {
    Shard& shard = shards_[s];
    shard.gradient.set_zero();
    shard.loss = shard.entropy = 0;
    shard.pieces = shard.rows = 0;
    std::size_t decision = 0;
    for_each_piece(batch, shard, [&] { differentiate(shard, loss, decision); });
    assert(decision == shard.decisions.size());
  });
  for (const Shard& shard : shards()) {
    for (const Rollout& rollout : shard.rollouts) {
      stats.mean_value += rollout.value / static_cast<double>(batch.instances.size());
      stats.decisions += std::ssize(rollout.matching);
    }
    stats.pieces += shard.pieces;
    stats.rows += shard.rows;
  }
  Parameters& total = shards_.front().gradient;
  for (std::size_t s = 1; s < num_shards_; ++s) add(total, shards_[s].gradient);
  if (scale_) scale_->gradient_to_inner(total);
  stats.gradient_norm = clip_norm(total, options_.clip);
  if (!std::isfinite(stats.gradient_norm)) fail_diverged("the gradient", largest_input(batch));
  Parameters parameters = model_->parameters();
  if (scale_) scale_->to_inner(parameters);
  adam_->step(parameters, total, learning_rate(progress_));
  if (scale_) scale_->to_outer(parameters);
  model_->set_parameters(parameters);
  return stats;
}

std::optional<RecordingBatch::Input> Learner::largest_input(const TrainingBatch& batch) {
  std::optional<RecordingBatch::Input> largest;
  for (Shard& shard : shards()) {
    for_each_piece(batch, shard, [&] {
      const auto input = shard.model->largest_input();
      if (!largest || (input && std::abs(input->value) > std::abs(largest->value))) largest = input;
    });
  }
  return largest;
}

void Learner::fail_diverged(const std::string& what,
                            const std::optional<RecordingBatch::Input>& largest) const {
  // Networks are drawn for inputs of about 1.
  constexpr double kLarge = 1e4;
  std::string cause, remedy;
  if (largest) {
    const bool large = !(std::abs(static_cast<double>(largest->value)) < kLarge);
    cause = fmt::format(", {} inputs up to {:.3g} (column \"{}\")",
                        large ? "probably because of" : "with", largest->value, largest->column);
    if (large) remedy = "give these in a larger unit, or ";
  }
  fail(ErrorCode::kData,
       "training diverged: {} is not a finite number{}; {}try a lower learning rate than {}", what,
       cause, remedy, learning_rate(progress_));
}

}  // namespace foresight
