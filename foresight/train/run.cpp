#include "foresight/train/run.h"

#include <chrono>

#include "foresight/base/error.h"
#include "foresight/base/format.h"
#include "foresight/policy/play.h"
#include "foresight/solve/solver.h"
#include "foresight/train/metrics.h"
#include "foresight/train/run_folder_internal.h"
#include "foresight/train/training_data.h"

namespace foresight {
namespace {

using Clock = std::chrono::steady_clock;
using Data = std::variant<BoundSource, BoundDataset>;

constexpr std::uint64_t kDefaultInstances = 20'000;

/// The most instances that a run may draw for one epoch.
constexpr std::uint64_t kMostInstances = 1'000'000'000;

double wall_time() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Values and mean ratio that the model reaches on a labelled set with its best choices.
struct Validation {
  std::vector<double> values;
  double ratio = 0;
};

Validation validate(const BoundDataset& data, const Model& model, int threads,
                    const Progress& progress) {
  Validation result;
  const auto rollouts = play(data, model, {.progress = &progress}, threads, no_progress());
  for (std::size_t i = 0; i < rollouts.size(); ++i) {
    result.values.push_back(rollouts[i].value);
    const double bound = data.label(i).bound;
    result.ratio += (bound > 0 ? rollouts[i].value / bound : 1) / static_cast<double>(data.size());
  }
  return result;
}

/// The means over the updates of an epoch.
class EpochStats {
 public:
  void add(const UpdateStats& stats) {
    sum_.mean_value += stats.mean_value;
    sum_.entropy += stats.entropy;
    sum_.loss += stats.loss;
    sum_.gradient_norm += stats.gradient_norm;
    sum_.decisions += stats.decisions;
    ++updates_;
  }
  double value() const { return sum_.mean_value / updates_; }
  double entropy() const { return sum_.entropy / updates_; }
  double loss() const { return sum_.loss / updates_; }
  double gradient_norm() const { return sum_.gradient_norm / updates_; }
  double decisions() const { return static_cast<double>(sum_.decisions); }

 private:
  UpdateStats sum_;
  double updates_ = 0;
};

class Run {
 public:
  Run(const RunOptions& options, Progress& progress)
      : options_(options),
        progress_(progress),
        architecture_(models().make(options.model)),
        trainer_spec_(trainer_for(options.model, options.trainer)),
        trainer_(trainers().make(trainer_spec_)),
        folder_(options.folder) {
    if (!options.resume && folder_.holds_run()) {
      const FolderLock lock(options.folder);  // or say who else writes it
      refuse_to_overwrite();
    }
    Data training = open_training();
    horizon_ = choose_horizon(options.horizon, training);
    data_ = make_training_data(as_told(std::move(training)),
                               options.instances > 0 ? options.instances : kDefaultInstances,
                               options.seed, trainer_->needs_labels(), options.threads, progress);
    validation_given_.emplace(as_told(open_validation()));
    record_ = asked();
  }

  RunResult run(const EpochObserver& observer) {
    if (folder_.holds_run()) {
      take_over();
      if (record_.done()) {
        folder_.complete_best(record_);
        folder_.complete_copies(record_);
        return result();
      }
    }
    prepare();
    folder_.lock();
    refuse_to_overwrite();  // another process may have been faster
    if (folder_.holds_run()) {
      take_over();
      restore();
    } else {
      // A run that was interrupted in its first epoch starts anew, with the same seed.
      begin_folder();
    }
    if (!validation_->labelled()) {
      validation_ = solve(*validation_, {.threads = options_.threads}, progress_);
    }
    EventWriter events(options_.folder, wall_time());
    const auto batch = static_cast<std::uint64_t>(trainer_->batch_size());
    const auto batches = (data_->size() + batch - 1) / batch;
    progress_.begin("training", (options_.epochs - epoch()) * static_cast<std::int64_t>(batches),
                    "batches");
    while (epoch() < options_.epochs) {
      const MetricsRow row = run_epoch_or_say_where();
      info_.provenance["epoch"] = fmt::to_string(epoch());
      folder_.save(info_, *model_, trainer_->state(), record_, improved_);
      events.add(row, epoch(), wall_time());
      if (observer && !observer(row)) break;
    }
    progress_.end();
    return result();
  }

  /// Throws what `run` would throw before it writes anything.
  void check() {
    if (folder_.holds_run()) take_over();
    prepare();
  }

  /// Builds the model, and checks that everything fits before anything is written.
  void prepare() {
    info_.spec = Spec::parse(options_.model).to_string();
    info_.context = {data_->schema(), data_->first_market_size()};
    info_.provenance = {{"trainer", trainer_spec_},
                        {"train", record_.train},
                        {"source", data_->source()},
                        {"validation", record_.validation},
                        {"seed", fmt::to_string(options_.seed)}};
    model_ = architecture_->build(info_.context);
    Rng rng(options_.seed, Stream::kInitialise, 0);
    model_->set_parameters(model_->initial_parameters(rng));
    data_->check(*model_);
    trainer_->begin(*model_);
    validation_.emplace(draw_validation());
    if (validation_->size() == 0) {
      fail(ErrorCode::kData, "{}there are no instances to validate on", validation_->origin());
    }
    try {
      check_every_instance(*model_, *validation_);
    } catch (const Error& error) {
      fail(error.code(), "the validation set does not fit: {}", error.what());
    }
  }

 private:
  int epoch() const { return record_.epochs_done(); }

  void refuse_to_overwrite() const {
    if (options_.resume || !folder_.holds_run()) return;
    fail(ErrorCode::kUsage, "{}: this folder holds a run already; resume it, or use another folder",
         options_.folder.string());
  }

  Data open_training() const {
    if (options_.train_data) return bind_data(*options_.train_data);
    return open_data(options_.train);
  }

  /// The training data says what is known of the number of arrivals, also in validation.
  Data as_told(Data data) const {
    return std::visit([&](auto& given) -> Data { return told(std::move(given), horizon_); }, data);
  }

  Data open_validation() const {
    if (options_.validation_data) return bind_data(*options_.validation_data);
    const bool same = options_.validation.empty();
    Data data = same ? open_training() : open_data(options_.validation);
    const auto* source = std::get_if<BoundSource>(&data);
    if (same && (!source || source->size())) {
      fail(ErrorCode::kUsage,
           "a run on recorded instances needs other instances for validation: a file, or a "
           "source");
    }
    return data;
  }

  std::uint64_t validation_size() const {
    const auto* source = std::get_if<BoundSource>(&*validation_given_);
    if (!source) return std::get<BoundDataset>(*validation_given_).size();
    const std::uint64_t wanted = options_.validation_instances;
    return std::min(wanted, source->size().value_or(wanted));
  }

  std::string validation_digest() const {
    const auto* source = std::get_if<BoundSource>(&*validation_given_);
    if (source) return source->digest();
    const auto& data = std::get<BoundDataset>(*validation_given_);
    return data.content_digest(/*with_labels=*/data.labelled());
  }

  BoundDataset draw_validation() {
    const auto* source = std::get_if<BoundSource>(&*validation_given_);
    if (!source) return std::get<BoundDataset>(*validation_given_);
    // A seed of its own: the training streams count up from the run's seed and do not reach it.
    constexpr std::uint64_t kValidationSeed = 0x56414c4944415445;
    progress_.begin("drawing validation instances", static_cast<std::int64_t>(validation_size()),
                    "instances");
    const BoundDataset drawn = generate(*source, kValidationSeed ^ options_.seed, validation_size(),
                                        options_.threads, progress_);
    progress_.end();
    return drawn;
  }

  RunResult result() const {
    const auto& rates = record_.timing["decisions_per_second"];
    return {epoch(), record_.best_epoch, record_.best_ratio, rates.empty() ? 0 : rates.back()};
  }

  /// Takes over the record of the run in the folder, which must have the same settings.
  void take_over() {
    RunRecord found = read_run(options_.folder);
    const bool epochs_matter = trainer_->depends_on_length();
    if (const std::string text = difference(found, record_, epochs_matter); !text.empty()) {
      fail(ErrorCode::kUsage, "{}: the run cannot be resumed with other settings: {}",
           options_.folder.string(), text);
    }
    found.epochs = options_.epochs;
    record_ = std::move(found);
  }

  /// Equal data gets equal names: specs with all their options.
  static std::string canonical(const std::string& data, const std::optional<Dataset>& own,
                               const char* file) {
    if (own) return file;
    return sources().knows(data) ? sources().canonical(data) : data;
  }

  RunRecord asked() const {
    RunRecord record;
    record.model = models().canonical(options_.model);
    record.trainer = trainers().canonical(trainer_spec_);
    record.problem = problems().canonical(data_->schema().problem);
    record.train = canonical(options_.train, options_.train_data, "train.safetensors");
    record.train_digest = data_->digest();
    record.validation =
        options_.validation.empty() && !options_.validation_data
            ? record.train
            : canonical(options_.validation, options_.validation_data, "validation.safetensors");
    record.validation_digest = validation_digest();
    record.instances = data_->size();
    record.validation_instances = validation_size();
    record.epochs = options_.epochs;
    record.seed = options_.seed;
    record.horizon = horizon_.to_string();
    record.command = options_.command;
    return record;
  }

  MetricsRow run_epoch_or_say_where() {
    const int before = epoch();
    try {
      return run_epoch();
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kCancelled) throw;
      progress_.end();
      fail(ErrorCode::kCancelled, "interrupted in epoch {}; resume the run to go on after epoch {}",
           before + 1, before);
    }
  }

  MetricsRow run_epoch() {
    const auto start = Clock::now();
    const auto batch = static_cast<std::uint64_t>(trainer_->batch_size());
    const auto size = data_->size();
    const int before = epoch();
    const auto share_done = [&](std::uint64_t first) {
      return (before + static_cast<double>(first) / static_cast<double>(size)) / options_.epochs;
    };
    const double learning_rate = trainer_->learning_rate(share_done(0));
    EpochStats stats;
    data_->begin_epoch(static_cast<std::uint64_t>(before));
    for (std::uint64_t first = 0; first < size; first += batch) {
      check_cancelled(progress_);
      const auto [instances, labels] = data_->take(first, std::min(batch, size - first));
      stats.add(trainer_->update({instances, labels, options_.seed,
                                  static_cast<std::uint64_t>(before) * size + first,
                                  options_.threads, share_done(first), &progress_}));
      progress_.advance(1);
    }
    const double seconds = seconds_since(start);
    const Validation validation = validate(*validation_, *model_, options_.threads, progress_);
    trainer_->end_epoch(validation.values);
    const int now = before + 1;
    improved_ = now == 1 || starts_last_fifth(now) || validation.ratio > record_.best_ratio;
    if (improved_) {
      record_.best_ratio = validation.ratio;
      record_.best_epoch = now;
      record_.best_digest = digest_of(*model_);
    }
    const double rate = stats.decisions() / seconds;
    MetricsRow row = {{"epoch", now},
                      {"value", stats.value()},
                      {"entropy", stats.entropy()},
                      {"loss", stats.loss()},
                      {"gradient_norm", stats.gradient_norm()},
                      {"learning_rate", learning_rate},
                      {"validation_ratio", validation.ratio},
                      {"best_ratio", record_.best_ratio}};
    record_.metrics.add(row);
    const MetricsRow timing = {
        {"epoch", now}, {"seconds", seconds}, {"decisions_per_second", rate}};
    record_.timing.add(timing);
    row.insert(row.end(), timing.begin() + 1, timing.end());
    progress_.note(
        fmt::format("epoch {}/{}  value {:.4f}  ratio {:.4f} (best {:.4f})  entropy {:.3f}  {}",
                    now, options_.epochs, stats.value(), validation.ratio, record_.best_ratio,
                    stats.entropy(), human_rate(rate, "decisions")));
    return row;
  }

  /// Of fifty noisy models one looks good by luck. So if the run is annealed, models from before
  /// its last fifth no longer compete.
  bool starts_last_fifth(int epoch) const {
    return trainer_->anneals() && epoch == options_.epochs - options_.epochs / 5 + 1;
  }

  void restore() {
    folder_.complete_best(record_);
    trainer_->restore(folder_.restore(*model_));
    record_.timing = kept_timing();
    folder_.write_copies(record_);
  }

  /// The timing of the finished epochs, as far as timing.csv has it.
  MetricsColumns kept_timing() const {
    const MetricsColumns& known = record_.timing;
    MetricsColumns kept;
    for (std::size_t row = 0; row < known.size(); ++row) {
      if (known["epoch"].empty() || known["epoch"][row] > epoch()) continue;
      MetricsRow values;
      for (const auto& [name, column] : known.all()) values.push_back({name, column[row]});
      kept.add(values);
    }
    return kept;
  }

  void begin_folder() {
    const auto keep = [&](const std::optional<Dataset>& data, const std::string& name) {
      if (data) data->save(options_.folder / name);
    };
    keep(options_.train_data, record_.train);
    keep(options_.validation_data, record_.validation);
    folder_.begin(record_);
  }

  RunOptions options_;
  Progress& progress_;
  std::shared_ptr<const Architecture> architecture_;
  std::string trainer_spec_;
  std::shared_ptr<Trainer> trainer_;
  RunFolder folder_;
  Horizon horizon_;
  std::unique_ptr<TrainingData> data_;
  std::optional<Data> validation_given_;
  std::optional<BoundDataset> validation_;  // with its optima
  ModelInfo info_;
  std::shared_ptr<Model> model_;
  RunRecord record_;
  bool improved_ = false;
};

}  // namespace

void RunOptions::read(OptionReader& o) {
  o.text("train", train, "a dataset file, or a source spec for fresh instances every epoch");
  o.text("validation", validation,
         "validation set, a file or a spec; without it, other instances of the training source");
  o.text("trainer", trainer,
         "trainer, e.g. \"reinforce(lr=0.003)\"; options not given are as tuned for the model");
  o.text("horizon", horizon, kHorizonMeaning);
  o.integer("epochs", epochs, 1, 1'000'000, "passes over the training data");
  o.count("instances", instances, 0, kMostInstances,
          "fresh instances per epoch; 0: 20,000, or with auto as many as some minutes allow");
  o.count("validation_instances", validation_instances, 1, kMostInstances,
          "fresh instances to validate on");
  o.seed(seed);
  o.threads(threads);
}

void check_run(const RunOptions& options, Progress& progress) {
  check(options, "train");
  Run(options, progress).check();
}

RunResult train(const RunOptions& options, Progress& progress, const EpochObserver& observer) {
  check(options, "train");
  return Run(options, progress).run(observer);
}

}  // namespace foresight
