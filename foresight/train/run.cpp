#include "foresight/train/run.h"

#include <charconv>
#include <chrono>
#include <cmath>

#include <nlohmann/json.hpp>

#include "foresight/base/atomic_file.h"
#include "foresight/base/error.h"
#include "foresight/base/format.h"
#include "foresight/base/parallel.h"
#include "foresight/model/checkpoint.h"
#include "foresight/policy/play.h"
#include "foresight/solve/solver.h"
#include "foresight/train/metrics.h"
#include "foresight/train/training_data.h"

namespace foresight {
namespace {

using Clock = std::chrono::steady_clock;

/// What the names of a trainer's own arrays begin with in the file.
const std::string kArray = "trainer.array.";

double wall_time() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

/// Values and mean ratio that the model reaches on a labelled set, taking its best choice.
struct Validation {
  std::vector<double> values;
  double ratio = 0;
};

Validation validate(const Problem& problem, const Dataset& data, const Model& model, int threads) {
  const auto rollouts = play_many(
      problem, data.size(), [&](std::size_t i) { return data.instance(i); }, model, {}, threads,
      no_progress());
  Validation result;
  for (std::size_t i = 0; i < rollouts.size(); ++i) {
    result.values.push_back(rollouts[i].value);
    const double bound = data.label(i).bound;
    result.ratio += (bound > 0 ? rollouts[i].value / bound : 1) / static_cast<double>(data.size());
  }
  return result;
}

class Run {
 public:
  Run(const RunOptions& options, Progress& progress)
      : options_(options),
        progress_(progress),
        trainer_spec_(trainer_for(options.model, options.trainer)),
        trainer_(trainers().make(trainer_spec_)),
        data_(open_training_data(options.train, options.instances, options.seed,
                                 trainer_->needs_labels(), options.threads)),
        validation_(open_validation()),
        problem_(problems().make(data_->schema().problem)) {
    info_.spec = Spec::parse(options.model).to_string();
    info_.context = {data_->schema(), data_->first_market_size()};
    info_.provenance = {{"trainer", trainer_spec_},
                        {"train", options.train},
                        {"source", data_->source()},
                        {"validation", options.validation},
                        {"seed", fmt::to_string(options.seed)}};
    model_ = models().make(options.model)->build(info_.context);
    Rng rng(options.seed, Stream::kInitialise, 0);
    model_->set_parameters(model_->initial_parameters(rng));
    trainer_->begin(*model_);
  }

  RunResult run(const EpochObserver& observer) {
    std::filesystem::create_directories(options_.folder);
    options_.resume ? restore() : begin_folder();
    MetricsTable table(options_.folder / "metrics.csv", epoch_);
    EventWriter events(options_.folder, wall_time());
    const auto batch = static_cast<std::uint64_t>(trainer_->batch_size());
    const auto batches = (data_->size() + batch - 1) / batch;
    progress_.begin("training", (options_.epochs - epoch_) * static_cast<std::int64_t>(batches),
                    "batches");
    while (epoch_ < options_.epochs) {
      const MetricsRow row = run_epoch();
      save();
      table.add(row);
      events.add(row, epoch_, wall_time());
      if (observer && !observer(row)) break;
    }
    progress_.end();
    return result_;
  }

 private:
  Dataset open_validation() {
    const std::string& spec = options_.validation.empty() ? options_.train : options_.validation;
    if (std::filesystem::exists(spec)) {
      if (options_.validation.empty()) {
        fail(ErrorCode::kUsage,
             "a run on a file needs a validation set of its own: give --val FILE or --val SPEC");
      }
      const Dataset data = Dataset::load(spec);
      problem_of(data);
      return data.labelled() ? data : solve(data, {.threads = options_.threads}, progress_);
    }
    // A seed apart from every training seed: the training streams count up from the run's seed.
    constexpr std::uint64_t kValidationSeed = 0x56414c4944415445;
    const auto source = sources().make(spec);
    progress_.begin("drawing validation instances",
                    static_cast<std::int64_t>(options_.validation_instances), "instances");
    const Dataset data = generate(*source, {spec, kValidationSeed ^ options_.seed},
                                  options_.validation_instances, options_.threads, progress_);
    progress_.end();
    return solve(data, {.threads = options_.threads}, progress_);
  }

  MetricsRow run_epoch() {
    const auto start = Clock::now();
    const auto batch = static_cast<std::uint64_t>(trainer_->batch_size());
    const double learning_rate = trainer_->learning_rate();
    UpdateStats sum;
    double updates = 0;
    data_->begin_epoch(static_cast<std::uint64_t>(epoch_));
    for (std::uint64_t first = 0; first < data_->size(); first += batch) {
      if (progress_.cancelled()) {
        progress_.end();
        fail(ErrorCode::kCancelled, "interrupted in epoch {}; --resume goes on after epoch {}",
             epoch_ + 1, epoch_);
      }
      const auto count = std::min(batch, data_->size() - first);
      const auto [instances, labels] = data_->take(first, count);
      const UpdateStats stats = trainer_->update(
          {*problem_, instances, labels, options_.seed,
           static_cast<std::uint64_t>(epoch_) * data_->size() + first, options_.threads,
           (epoch_ + static_cast<double>(first) / static_cast<double>(data_->size())) /
               options_.epochs});
      sum.mean_value += stats.mean_value;
      sum.entropy += stats.entropy;
      sum.loss += stats.loss;
      sum.gradient_norm += stats.gradient_norm;
      sum.decisions += stats.decisions;
      ++updates;
      progress_.advance(1);
    }
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    const Validation validation = validate(*problem_, validation_, *model_, options_.threads);
    trainer_->end_epoch(validation.values);
    ++epoch_;
    result_.epochs = epoch_;
    improved_ = epoch_ == 1 || starts_last_fifth(epoch_) || validation.ratio > result_.best_ratio;
    if (improved_) {
      result_.best_ratio = validation.ratio;
      result_.best_epoch = epoch_;
    }
    result_.decisions_per_second = static_cast<double>(sum.decisions) / seconds;
    progress_.note(fmt::format(
        "epoch {}/{}  value {:.4f}  ratio {:.4f} (best {:.4f})  entropy {:.3f}  {}", epoch_,
        options_.epochs, sum.mean_value / updates, validation.ratio, result_.best_ratio,
        sum.entropy / updates, human_rate(result_.decisions_per_second, "decisions")));
    return {{"epoch", epoch_},
            {"value", sum.mean_value / updates},
            {"entropy", sum.entropy / updates},
            {"loss", sum.loss / updates},
            {"gradient_norm", sum.gradient_norm / updates},
            {"learning_rate", learning_rate},
            {"validation_ratio", validation.ratio},
            {"best_ratio", result_.best_ratio},
            {"decisions_per_second", result_.decisions_per_second},
            {"seconds", seconds}};
  }

  /// Of fifty noisy models one looks good by luck. So where the run is annealed, those before its
  /// last fifth no longer compete.
  bool starts_last_fifth(int epoch) const {
    return trainer_->anneals() && epoch == options_.epochs - options_.epochs / 5 + 1;
  }

  std::filesystem::path best_path() const { return options_.folder / "best.safetensors"; }
  std::filesystem::path last_path() const { return options_.folder / "last.safetensors"; }

  void save() {
    info_.provenance["epoch"] = fmt::to_string(epoch_);
    if (improved_) {
      SafeTensorsWriter best;
      write_model(best, info_, *model_);
      best.write(best_path());
    }
    const TrainerState state = trainer_->state();
    std::vector<double> numbers = {result_.best_ratio, static_cast<double>(result_.best_epoch),
                                   static_cast<double>(state.adam.steps)};
    std::string names;
    for (const auto& [name, value] : state.numbers) {
      names += name + " ";
      numbers.push_back(value);
    }
    SafeTensorsWriter last;
    write_model(last, info_, *model_);
    last.set_meta("trainer.numbers", names);
    last.add<double>("trainer.numbers", {numbers.size()}, numbers);
    const auto mean = state.adam.mean.values(), square = state.adam.square.values();
    last.add<float>("trainer.mean", {mean.size()}, mean);
    last.add<float>("trainer.square", {square.size()}, square);
    for (const auto& [name, values] : state.arrays) {
      last.add<double>(kArray + name, {values.size()}, values);
    }
    last.write(last_path());
  }

  void restore() {
    if (!std::filesystem::exists(last_path())) {
      // Interrupted before the first epoch was done: begin anew, with the same seed.
      begin_folder();
      return;
    }
    const auto file = SafeTensors::open(last_path());
    const TrainedModel saved = read_model(*file);
    for (const auto& [key, value] : info_.provenance) {
      const auto found = saved.info.provenance.find(key);
      if (found == saved.info.provenance.end() || found->second != value) {
        fail(ErrorCode::kUsage, "{}: was run with {} = \"{}\", not \"{}\"; it cannot be resumed so",
             options_.folder.string(), key,
             found == saved.info.provenance.end() ? "" : found->second, value);
      }
    }
    if (saved.info.spec != info_.spec) {
      fail(ErrorCode::kUsage, "{}: trains {}, not {}", options_.folder.string(), saved.info.spec,
           info_.spec);
    }
    if (!saved.model->parameters().same_layout(model_->parameters())) {
      fail(ErrorCode::kData, "{}: trains a model for other data than {}", last_path().string(),
           options_.train);
    }
    model_->set_parameters(saved.model->parameters());
    const auto numbers = file->array<double>("trainer.numbers");
    if (numbers.size() < 3) {
      fail(ErrorCode::kData, "{}: array \"trainer.numbers\" has {} entries; expected 3 at least",
           last_path().string(), numbers.size());
    }
    TrainerState state{{model_->parameters().zeros(), model_->parameters().zeros()}, {}, {}};
    for (const auto& [name, tensor] : file->tensors()) {
      if (!name.starts_with(kArray)) continue;
      const auto values = file->array<double>(name);
      state.arrays[name.substr(kArray.size())] = {values.begin(), values.end()};
    }
    const auto copy = [&](const char* name, std::span<float> to) {
      const auto from = file->array<float>(name);
      if (from.size() != to.size()) {
        fail(ErrorCode::kData, "{}: array \"{}\" does not fit", last_path().string(), name);
      }
      std::copy(from.begin(), from.end(), to.begin());
    };
    copy("trainer.mean", state.adam.mean.values());
    copy("trainer.square", state.adam.square.values());
    std::size_t used = 3;
    std::string names = file->meta("trainer.numbers");
    while (!names.empty()) {
      const std::size_t end = names.find(' ');
      if (used >= numbers.size()) break;
      state.numbers[names.substr(0, end)] = numbers[used++];
      names.erase(0, end + 1);
    }
    state.adam.steps = to_count(numbers[2], "trainer.numbers");
    trainer_->restore(state);
    epoch_ = saved_epoch(*file);
    const auto best_epoch = std::min<std::int64_t>(to_count(numbers[1], "trainer.numbers"), epoch_);
    result_ = {epoch_, static_cast<int>(best_epoch), numbers[0], 0};
  }

  static int saved_epoch(const SafeTensors& file) {
    const std::string& text = file.meta("provenance.epoch");
    int epoch = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), epoch);
    if (error != std::errc() || end != text.data() + text.size() || epoch < 1) {
      fail(ErrorCode::kData, "{}: metadata \"provenance.epoch\" is \"{}\"; expected 1, 2, ...",
           file.path().string(), text);
    }
    return epoch;
  }

  void begin_folder() {
    if (std::filesystem::exists(last_path()) && !options_.resume) {
      fail(ErrorCode::kUsage, "{}: holds a run already; give --resume, or another folder",
           options_.folder.string());
    }
    const nlohmann::ordered_json config = {
        {"model", info_.spec},        {"trainer", trainer_spec_},
        {"train", options_.train},    {"validation", options_.validation},
        {"instances", data_->size()}, {"epochs", options_.epochs},
        {"seed", options_.seed},      {"problem", problem_->name()},
        {"command", options_.command}};
    write_file_atomically(options_.folder / "config.json", config.dump(1) + "\n");
  }

  RunOptions options_;
  Progress& progress_;
  std::string trainer_spec_;
  std::unique_ptr<Trainer> trainer_;
  std::unique_ptr<TrainingData> data_;
  Dataset validation_;
  std::unique_ptr<Problem> problem_;
  ModelInfo info_;
  std::unique_ptr<Model> model_;
  int epoch_ = 0;
  bool improved_ = false;
  RunResult result_;
};

}  // namespace

RunResult train(const RunOptions& options, Progress& progress, const EpochObserver& observer) {
  return Run(options, progress).run(observer);
}

}  // namespace foresight
