#include "foresight/train/run.h"

#include <algorithm>
#include <chrono>
#include <numeric>

#include "foresight/base/error.h"
#include "foresight/base/format.h"
#include "foresight/base/statistics.h"
#include "foresight/data/reorder.h"
#include "foresight/policy/play.h"
#include "foresight/train/metrics.h"
#include "foresight/train/run_folder_internal.h"
#include "foresight/train/run_size.h"
#include "foresight/train/start_internal.h"
#include "foresight/train/training_data.h"
#include "foresight/train/validation_internal.h"

namespace foresight {
namespace {

using Clock = std::chrono::steady_clock;
using Data = std::variant<BoundSource, BoundDataset>;

/// The most instances that a run may draw for one epoch.
constexpr std::uint64_t kMostInstances = 1'000'000'000;

double wall_time() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
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
    if (options.patience > 0 && trainer_->anneals()) {
      fail(
          ErrorCode::kUsage,
          "train: patience={} does not go with the trainer {}: its learning rate falls to 0 at the "
          "end of the run, and only its last models are good; leave patience out, or give a "
          "trainer "
          "with schedule=decay",
          options.patience, trainer_spec_);
    }
    refuse_search_folder(options.folder);
    if (!options.resume && folder_.holds_run()) {
      const FolderLock lock(options.folder);  // or say who else writes it
      refuse_to_overwrite();
    }
    Data training = open_training();
    horizon_ = choose_horizon(options.horizon, training);
    data_ = make_training_data(as_told(std::move(training)),
                               {.instances = options.instances,
                                .seed = options.seed,
                                .augment = parse_augment(options.augment),
                                .with_labels = trainer_->needs_labels(),
                                .threads = options.threads},
                               progress);
    facts_ = measure(*data_);
    trainer_->fit_batch(data_->size(), facts_.arrivals);
    validation_given_.emplace(as_told(open_validation()));
    validation_size_ = choose_validation_size();
    if (!options.start.empty()) start_ = load_start(options.start, options.model, data_->schema());
    if (start_ && options.units == "raw" && !(start_->model->units() == Units())) {
      fail(ErrorCode::kUsage,
           "train: units=raw does not go with {}, which learned in the units of its data",
           options.start);
    }
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
    validation_ = with_optima(*validation_, options_.threads, progress_);
    rivals_ = play_rivals(*validation_, data_->past(), options_.threads, progress_);
    record_.greedy_ratio = rivals_.greedy.ratio;
    record_.threshold_ratio = rivals_.threshold.ratio;
    EventWriter events(options_.folder, wall_time());
    const auto batch = static_cast<std::uint64_t>(trainer_->batch_size());
    const auto batches = (data_->size() + batch - 1) / batch;
    progress_.begin("training", (options_.epochs - epoch()) * static_cast<std::int64_t>(batches),
                    "batches");
    while (!record_.done()) {
      const MetricsRow row = run_epoch_or_say_where();
      info_.provenance["epoch"] = fmt::to_string(epoch());
      folder_.save(info_, *model_, trainer_->state(), record_, improved_);
      events.add(row, epoch(), wall_time());
      if (observer && !observer(row)) break;
    }
    progress_.end();
    return result();
  }

  /// About how long training takes on two cores, in seconds: per instance, and for one validation. It
  /// counts the work of one small update instead of measuring time, so that it is the same everywhere.
  struct Duration {
    double instance, validation;
    double batch;  // instances of an update
  };
  Duration estimate() {
    // Two cores of a usual machine, in single precision. What is not matrix products is counted per
    // decision and edge.
    constexpr double kOperationsPerSecond = 80e9, kDecision = 0.25e-6, kEdge = 8e-9;
    constexpr double kForwardShare = 1.0 / 3;
    prepare();
    const int episodes = trainer_->episodes_per_instance();
    constexpr std::uint64_t kEpisodes = 32;
    const std::uint64_t count =
        std::min(data_->size(),
                 std::max<std::uint64_t>(2, kEpisodes / static_cast<std::uint64_t>(episodes)));
    data_->begin_epoch(0);
    const auto taken = data_->take(0, count);
    std::vector<Instance> beginnings;
    std::vector<Label> labels;
    for (std::size_t i = 0; i < taken.instances.size(); ++i) {
      const std::vector<int> order = first_of(taken.instances[i]);
      beginnings.push_back(reordered(taken.instances[i], order));
      if (!taken.labels.empty()) labels.push_back(reordered(taken.labels[i], order));
    }
    const BoundInstances begun = bind_instances(data_->problem(), beginnings);
    const UpdateStats stats =
        trainer_->update({begun, labels, options_.seed, 0, options_.threads, 0, &progress_});
    const Work work = work_of(taken.instances), work_begun = work_of(begun);
    const double rows = static_cast<double>(stats.rows) * work.candidates / work_begun.candidates;
    const auto parameters = static_cast<double>(model_->parameters().values().size());
    const double seconds = 6 * rows * parameters / kOperationsPerSecond +
                           episodes * (kDecision * work.arrivals + kEdge * work.edges);
    const double instance = seconds / static_cast<double>(count);
    return {instance,
            kForwardShare * instance / episodes * static_cast<double>(validation_->size()),
            static_cast<double>(trainer_->batch_size())};
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
    info_.context.largest_gain = facts_.largest_gain;
    if (options_.units == "data") {
      info_.context.units = facts_.units;
      info_.context.attributes = facts_.attributes;
    }
    if (start_) {  // in which it has learned
      info_.context.units = start_->info.context.units;
      info_.context.attributes = start_->info.context.attributes;
    }
    info_.provenance = {{"trainer", trainer_spec_},
                        {"train", record_.train},
                        {"source", data_->source()},
                        {"validation", record_.validation},
                        {"seed", fmt::to_string(options_.seed)}};
    if (start_) info_.provenance["start"] = options_.start;
    model_ = architecture_->build(info_.context);
    model_->set_parameters(first_parameters());
    data_->check(*model_);
    trainer_->begin(*model_);
    if (start_) trainer_->keep_parameters();
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

  /// What there is to compute in these instances, if greedy plays them.
  struct Work {
    double arrivals = 0, edges = 0;
    double candidates = 1;  // of decisions with a choice, skip included
  };
  static Work work_of(BoundInstances instances) {
    Work work;
    PlayOptions options;
    options.observer = [&](std::span<const Turn> turns, Scores& scores, auto) {
      for (std::size_t k = 0; k < turns.size(); ++k) {
        const std::size_t candidates = scores.row(k).size();
        if (candidates > 1) work.candidates += static_cast<double>(candidates);
      }
    };
    play(instances, *policies().make("greedy"), options);
    for (const Instance& instance : instances) {
      work.arrivals += instance.num_arrivals();
      work.edges += static_cast<double>(instance.num_edges());
    }
    return work;
  }

  /// The arrivals with which the work of a long instance is estimated.
  static std::vector<int> first_of(const Instance& instance) {
    constexpr int kMost = 500;
    std::vector<int> order(static_cast<std::size_t>(std::min(kMost, instance.num_arrivals())));
    std::iota(order.begin(), order.end(), 0);
    return order;
  }

  void refuse_to_overwrite() const {
    refuse_search_folder(options_.folder);
    if (options_.resume || !folder_.holds_run()) return;
    fail(ErrorCode::kUsage, "{}: this folder holds a run already; resume it, or use another folder",
         options_.folder.string());
  }

  Parameters first_parameters() const {
    if (start_) return start_parameters(*start_, options_.start, *model_, info_.context);
    Rng rng(options_.seed, Stream::kInitialise, 0);
    return model_->initial_parameters(rng);
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

  std::uint64_t choose_validation_size() const {
    const auto* source = std::get_if<BoundSource>(&*validation_given_);
    if (!source) return std::get<BoundDataset>(*validation_given_).size();
    const std::uint64_t wanted =
        options_.validation_instances > 0
            ? options_.validation_instances
            : fitting_validation_instances(size_of(few_instances(*source)));
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
    progress_.begin("drawing validation instances", static_cast<std::int64_t>(validation_size_),
                    "instances");
    const BoundDataset drawn = generate(*source, kValidationSeed ^ record_.validation_seed,
                                        validation_size_, options_.threads, progress_);
    progress_.end();
    return drawn;
  }

  RunResult result() const {
    const auto& rates = record_.timing["decisions_per_second"];
    return {.epochs = epoch(),
            .best_epoch = record_.best_epoch,
            .best_ratio = record_.best_ratio,
            .decisions_per_second = rates.empty() ? 0 : rates.back(),
            .out_of_patience = record_.out_of_patience() && epoch() < record_.epochs,
            .greedy_ratio = record_.greedy_ratio,
            .threshold_ratio = record_.threshold_ratio,
            .setbacks = static_cast<int>(std::ranges::count(record_.metrics["setback"], 1)),
            .unbeaten = record_.unbeaten()};
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
    found.patience = options_.patience;
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
    record.validation_instances = validation_size_;
    record.augment = options_.augment;
    record.epochs = options_.epochs;
    record.patience = options_.patience;
    record.seed = options_.seed;
    record.validation_seed = options_.validation_seed.value_or(options_.seed);
    record.horizon = horizon_.to_string();
    record.batch = trainer_->batch_size();
    record.units = options_.units;
    record.setback = options_.setback;
    if (start_) {
      record.start = options_.start;
      record.start_digest = digest_of(*start_->model);
    }
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
    const bool fell =
        options_.setback > 0 && now > 1 && validation.ratio < record_.best_ratio - options_.setback;
    improved_ =
        now == 1 || (starts_last_fifth(now) && !fell) || validation.ratio > record_.best_ratio;
    if (improved_) {
      record_.best_ratio = validation.ratio;
      record_.best_epoch = now;
      record_.best_digest = digest_of(*model_);
      record_.rival_p = paired_t_test_p_one_sided(validation.ratios, rivals_.best().ratios);
      best_parameters_ = model_->parameters();
    }
    if (fell) {
      model_->set_parameters(best_parameters_);
      trainer_->retreat();
    }
    const double rate = stats.decisions() / seconds;
    MetricsRow row = {{"epoch", now},
                      {"value", stats.value()},
                      {"entropy", stats.entropy()},
                      {"loss", stats.loss()},
                      {"gradient_norm", stats.gradient_norm()},
                      {"learning_rate", learning_rate},
                      {"validation_ratio", validation.ratio},
                      {"best_ratio", record_.best_ratio},
                      {"setback", fell ? 1 : 0}};
    record_.metrics.add(row);
    const MetricsRow timing = {
        {"epoch", now}, {"seconds", seconds}, {"decisions_per_second", rate}};
    record_.timing.add(timing);
    row.insert(row.end(), timing.begin() + 1, timing.end());
    progress_.note(
        fmt::format("epoch {}/{}  value {:.4f}  ratio {:.4f} (best {:.4f}{})  entropy {:.3f}  {}",
                    now, options_.epochs, stats.value(), validation.ratio, record_.best_ratio,
                    fell ? ", back to it" : "", stats.entropy(), human_rate(rate, "decisions")));
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
    best_parameters_ = load_model(options_.folder).model->parameters();
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
  DataFacts facts_;
  std::optional<Data> validation_given_;
  std::uint64_t validation_size_ = 0;
  std::optional<TrainedModel> start_;
  std::optional<BoundDataset> validation_;  // with its optima
  Rivals rivals_;
  ModelInfo info_;
  std::shared_ptr<Model> model_;
  Parameters best_parameters_;
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
  o.choice("units", units, {"data", "raw"},
           "see gains, costs and amounts in the units of the training data, or as they are, as in "
           "the paper");
  o.path("start", start,
         "a run folder or a checkpoint of the same model, to begin with its parameters");
  o.integer("epochs", epochs, 0, 1'000'000,
            "how often to train and validate; 0: 100, or 20 with minutes");
  o.real("minutes", minutes, 0, 1e6,
         "sizes the run so that it takes about so long on two cores, whatever machine it runs on; "
         "0: by epochs and instances");
  o.real("setback", setback, 0, 1,
         "a model that falls this far below its best validation ratio goes back to it, with "
         "smaller steps; 0: never");
  o.integer("patience", patience, 0, 1'000'000,
            "ends the run after so many epochs without a better validation ratio; 0: never");
  o.count("instances", instances, 0, kMostInstances,
          "instances per epoch: fresh ones, or of the file, several passes or a part of one; 0: as "
          "fits their size, at most 20,000 fresh ones, or as many as the minutes allow");
  o.count("validation_instances", validation_instances, 0, kMostInstances,
          "fresh instances to validate on; 0: as fits their size, at most 1,000");
  o.choice("augment", augment, kAugmentWords,
           "makes more of few past instances: their arrivals in another order every time, or drawn "
           "from all arrivals of the instance; only if their order within an instance does not "
           "matter");
  o.seed(seed);
  o.threads(threads);
}

SizedRun sized(RunOptions options, Progress& progress) {
  constexpr int kEpochs = 100, kTimedEpochs = 20;
  if (options.epochs == 0) options.epochs = options.minutes > 0 ? kTimedEpochs : kEpochs;
  if (options.minutes == 0) return {std::move(options), 0};
  if (options.instances > 0) {
    fail(ErrorCode::kUsage, "train: give either minutes or instances, not both");
  }
  RunOptions probe = options;
  probe.resume = true;  // nothing is written
  const auto duration = Run(probe, progress).estimate();
  const double epoch = 60 * options.minutes / options.epochs - duration.validation;
  // However short the time, something is learned in every epoch.
  const double instances = std::clamp(std::floor(epoch / duration.instance), duration.batch, 1e9);
  options.instances = static_cast<std::uint64_t>(instances);
  options.minutes = 0;
  const double seconds = options.epochs * (duration.validation + instances * duration.instance);
  return {std::move(options), seconds / 60};
}

void check_run(const RunOptions& options, Progress& progress) {
  check(options, "train");
  Run(sized(options, progress).options, progress).check();
}

RunResult train(const RunOptions& options, Progress& progress, const EpochObserver& observer) {
  check(options, "train");
  return Run(sized(options, progress).options, progress).run(observer);
}

}  // namespace foresight
