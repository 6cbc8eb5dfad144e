#include "foresight/reproduce/experiment.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "foresight/base/atomic_file.h"
#include "foresight/base/digest.h"
#include "foresight/base/error.h"
#include "foresight/base/files.h"
#include "foresight/base/json_field_internal.h"
#include "foresight/base/mapped_file.h"
#include "foresight/base/safetensors.h"
#include "foresight/model/checkpoint.h"
#include "foresight/solve/solver.h"
#include "foresight/train/run.h"

namespace foresight {
namespace {

/// These seeds differ from one another and from the seeds of training runs.
std::uint64_t seed_for(const std::string& use, std::uint64_t seed) {
  const std::uint64_t purpose = use == "train" ? 1 : use == "tune" ? 2 : 3;
  return 1'000'000 * (purpose + 1) + seed;
}

/// The number of fresh instances per epoch that makes a run of about this many decisions in all. It
/// is smaller if many fixed nodes make each decision costly.
std::uint64_t instances_for(double decisions, int epochs, const std::string& source) {
  const Instance example = bind_source(source).draw(0, 0);
  // With 100 fixed nodes a decision costs about five times as much as with few, and invariant
  // models compute every node on offer.
  const int arrivals = std::max(1, example.num_arrivals());
  const double degree = static_cast<double>(example.num_edges()) / arrivals;
  const double cost = std::max(1 + example.market().num_fixed / 25.0, degree / 2);
  const double batches = decisions / cost / arrivals / epochs / 200;
  return 200 * static_cast<std::uint64_t>(std::max(1.0, batches));
}

/// The digest of the file that a policy is read from or learns from. Results record it.
std::string digest_of(const std::string& file) {
  return open_checkpoint(file)->digest();
}

/// Was this result made from these inputs?
bool is_done(const std::filesystem::path& file, const std::string& inputs) {
  if (!path_exists(file)) return false;
  return evaluation_from_json(MappedFile(file).text(), file.string()).inputs == inputs;
}

}  // namespace

Laboratory::Laboratory(std::filesystem::path folder, Scale scale, std::uint64_t seed, int threads,
                       Progress& progress)
    : folder_(std::move(folder)),
      lock_(folder_),
      scale_(std::move(scale)),
      seed_(seed),
      threads_(threads),
      progress_(progress) {
  claim_folder();
  for (const char* part : {"data", "runs", "results"}) make_folders(folder_ / part);
}

void Laboratory::claim_folder() const {
  const auto file = folder_ / "laboratory.json";
  const nlohmann::ordered_json asked = {{"scale", scale_.name},
                                        {"epochs", scale_.epochs},
                                        {"decisions", scale_.decisions},
                                        {"instances", scale_.instances},
                                        {"validation_instances", scale_.validation_instances},
                                        {"test_instances", scale_.test_instances},
                                        {"seed", seed_}};
  if (!path_exists(file)) {
    if (path_exists(folder_ / "results")) {
      fail(ErrorCode::kUsage,
           "{}: the folder holds results of an earlier version that did not record its settings; "
           "choose another folder, or remove this one",
           folder_.string());
    }
    write_file_atomically(file, json_text(asked, 1) + "\n");
    return;
  }
  const JsonField found = JsonField::parse(MappedFile(file).text(), file.string());
  for (const auto& [field, value] : asked.items()) {
    const std::string then = found[field.c_str()].json();
    if (then == json_text(value)) continue;
    fail(ErrorCode::kUsage,
         "{}: the folder holds results with {} {}, not {}; choose another folder, or remove this "
         "one",
         folder_.string(), field, then, json_text(value));
  }
}

std::filesystem::path Laboratory::dataset(const DataSpec& data, const std::string& use,
                                          bool labelled) {
  const auto file = folder_ / "data" / (data.name + "." + use);
  const BoundSource source = bind_source(data.source);
  const Provenance provenance{source.spec(), seed_for(use, seed_)};
  const std::uint64_t count = use == "train" ? scale_.instances : scale_.test_instances;
  if (path_exists(file)) {
    const Dataset found = Dataset::load(file);
    if (found.provenance() == provenance && found.size() == count && found.labelled() >= labelled) {
      return file;
    }
  }
  LabelledProgress progress(progress_, data.name);
  progress.begin("drawing", static_cast<std::int64_t>(count), "instances");
  BoundDataset fresh = generate(source, provenance.seed, count, threads_, progress);
  progress.end();
  if (labelled) fresh = solve(fresh, {.threads = threads_}, progress);
  fresh.save(file);
  return file;
}

void Laboratory::limit(RunOptions& options, bool labelled, const std::string& source) const {
  if (!labelled) {
    options.instances = instances_for(scale_.decisions, scale_.epochs, source);
    // Validating a model must not take longer than training it.
    options.validation_instances = std::min(options.validation_instances, options.instances);
    return;
  }
  // The file fixes the instances, so the epochs must be fewer. Imitation learns slowly and gets
  // twice as much.
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
  const auto trainer = trainers().make(trainer_for(training.model, ""));
  const bool labelled = trainer->needs_labels();
  // As in the paper, with whole batches however few instances there are.
  options.trainer =
      trainer_with(training.model, "", {{"batch", fmt::to_string(trainer->batch_size())}});
  options.units = "raw";
  options.setback = 0;
  if (scale_.decisions > 0) limit(options, labelled, training.data.source);
  options.train = labelled ? dataset(training.data, "train", true).string() : training.data.source;
  LabelledProgress progress(progress_, fmt::format("{} on {}", training.model, training.data.name));
  foresight::train(options, progress);
  return options.folder;
}

std::filesystem::path Laboratory::run(const Contest& test) {
  const auto file = folder_ / "results" / (test.name + ".json");
  const auto test_file = dataset(test.data, "test", true).string();
  std::vector<std::string> policies;
  Digest inputs;
  inputs.add(digest_of(test_file)).add(fmt::to_string(seed_));
  const auto add = [&](const std::string& policy, const std::string& read_from) {
    policies.push_back(policy);
    inputs.add(policy).add(read_from.empty() ? "" : digest_of(read_from));
  };
  for (const std::string& baseline : test.baselines) {
    if (Spec spec = Spec::parse(baseline); spec.name == "greedy-t") {
      const DataSpec& data = test.tuned_on.name.empty() ? test.data : test.tuned_on;
      const std::string tuned_on = dataset(data, "tune", false).string();
      spec.values.emplace_back("train", tuned_on);
      add(spec.to_string(), tuned_on);
    } else {
      add(baseline, "");
    }
  }
  for (const Training& training : test.learned) {
    const std::string run = train(training).string();
    add(run, run);
  }
  if (test.ceiling) {
    add(Spec{"optimal-online", {{"source", test.data.source}}}.to_string(), "");
  }
  if (is_done(file, inputs.hex())) return file;

  const BoundDataset data = bind_data(Dataset::load(test_file));
  LabelledProgress progress(progress_, "on " + test.data.name);
  std::vector<Contestant> contestants;
  for (const std::string& policy : policies) {
    contestants.push_back(make_contestant(policy, data, progress));
  }
  Evaluation evaluation =
      evaluate(data, contestants, {.seed = seed_, .threads = threads_, .episodes = 2}, progress);
  evaluation.inputs = inputs.hex();
  write_file_atomically(file, to_json(evaluation));
  return file;
}

}  // namespace foresight
