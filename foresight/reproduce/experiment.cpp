#include "foresight/reproduce/experiment.h"

#include <algorithm>

#include "foresight/base/atomic_file.h"
#include "foresight/base/error.h"
#include "foresight/base/files.h"
#include "foresight/base/mapped_file.h"
#include "foresight/solve/solver.h"
#include "foresight/train/auto.h"
#include "foresight/train/run.h"
#include "foresight/train/run_record.h"

namespace foresight {
namespace {

/// Apart from one another and from the seeds that training runs draw from.
std::uint64_t seed_for(const std::string& use, std::uint64_t seed) {
  const std::uint64_t purpose = use == "train" ? 1 : use == "tune" ? 2 : 3;
  return 1'000'000 * (purpose + 1) + seed;
}

/// Is the result of this very test there already?
bool is_done(const std::filesystem::path& file, const Contest& test, const Scale& scale,
             const std::vector<std::string>& policies) {
  if (!std::filesystem::exists(file)) return false;
  const Evaluation found = evaluation_from_json(MappedFile(file).text(), file.string());
  return found.provenance.source == Spec::parse(test.data.source).to_string() &&
         found.num_instances == scale.test_instances &&
         std::ranges::equal(found.policies, policies, {}, &PolicyResult::name);
}

}  // namespace

Laboratory::Laboratory(std::filesystem::path folder, Scale scale, std::uint64_t seed, int threads,
                       Progress& progress)
    : folder_(std::move(folder)),
      scale_(std::move(scale)),
      seed_(seed),
      threads_(threads),
      progress_(progress) {
  for (const char* part : {"data", "runs", "results"}) {
    make_folders(folder_ / part);
  }
}

std::filesystem::path Laboratory::dataset(const DataSpec& data, const std::string& use,
                                          bool labelled) {
  const auto file = folder_ / "data" / (data.name + "." + use);
  const auto source = sources().make(data.source);
  const Provenance provenance{Spec::parse(data.source).to_string(), seed_for(use, seed_)};
  const std::uint64_t count = use == "train" ? scale_.instances : scale_.test_instances;
  if (std::filesystem::exists(file)) {
    const Dataset found = Dataset::load(file);
    if (found.provenance() == provenance && found.size() == count && found.labelled() >= labelled) {
      return file;
    }
  }
  LabelledProgress progress(progress_, data.name);
  progress.begin("drawing", static_cast<std::int64_t>(count), "instances");
  Dataset fresh = generate(*source, provenance, count, threads_, progress);
  progress.end();
  if (labelled) fresh = solve(fresh, {.threads = threads_}, progress);
  fresh.save(file);
  return file;
}

void Laboratory::limit(RunOptions& options, bool labelled, const std::string& source) const {
  if (!labelled) {
    options.instances = instances_for(scale_.decisions, scale_.epochs, source);
    // Judging a model must not take longer than training it.
    options.validation_instances = std::min(options.validation_instances, options.instances);
    return;
  }
  // The instances are those of the file, so the epochs must be fewer. Imitation learns slowly and
  // gets twice as much.
  const auto affordable = instances_for(2 * scale_.decisions, 1, source) / scale_.instances;
  options.epochs = static_cast<int>(
      std::clamp<std::uint64_t>(affordable, 1, static_cast<std::uint64_t>(scale_.epochs)));
}

std::filesystem::path Laboratory::train(const Training& training) {
  RunOptions options;
  options.model = training.model;
  options.folder = folder_ / "runs" / training.data.name / Spec::parse(training.model).name;
  options.epochs = scale_.epochs;
  options.instances = scale_.instances;
  options.validation = training.data.source;
  options.validation_instances = scale_.validation_instances;
  options.seed = seed_;
  options.threads = threads_;
  options.resume = true;
  const bool labelled = trainers().make(trainer_for(training.model, ""))->needs_labels();
  if (scale_.decisions > 0) limit(options, labelled, training.data.source);
  if (is_run_folder(options.folder)) {
    const RunRecord record = read_run(options.folder);
    const auto& epochs = record.column("epoch");
    if (!epochs.empty() && epochs.back() >= options.epochs) return options.folder;
  }
  options.train = labelled ? dataset(training.data, "train", true).string() : training.data.source;
  LabelledProgress progress(progress_, fmt::format("{} on {}", training.model, training.data.name));
  foresight::train(options, progress);
  return options.folder;
}

std::filesystem::path Laboratory::run(const Contest& test) {
  const auto file = folder_ / "results" / (test.name + ".json");
  std::vector<std::string> policies;
  for (const std::string& baseline : test.baselines) {
    if (baseline == "greedy-t") {
      const DataSpec& data = test.tuned_on.name.empty() ? test.data : test.tuned_on;
      policies.push_back(
          fmt::format("greedy-t(train=\"{}\")", dataset(data, "tune", false).string()));
    } else {
      policies.push_back(baseline);
    }
  }
  for (const Training& training : test.learned) policies.push_back(train(training).string());
  if (test.ceiling) {
    policies.push_back(Spec{"optimal-online", {{"source", test.data.source}}}.to_string());
  }
  if (is_done(file, test, scale_, policies)) return file;

  const Dataset data = Dataset::load(dataset(test.data, "test", true));
  std::vector<Contestant> contestants;
  for (const std::string& policy : policies) {
    contestants.push_back(make_contestant(policy, data.schema()));
  }
  LabelledProgress progress(progress_, "on " + test.data.name);
  const Evaluation evaluation =
      evaluate(data, contestants, {.seed = seed_, .threads = threads_, .episodes = 2}, progress);
  write_file_atomically(file, to_json(evaluation));
  return file;
}

}  // namespace foresight
