#include "foresight/report/report.h"

#include <algorithm>

#include "foresight/auto/auto.h"
#include "foresight/base/error.h"
#include "foresight/base/files.h"
#include "foresight/base/format.h"
#include "foresight/base/mapped_file.h"
#include "foresight/report/names_internal.h"

namespace foresight {

void Report::add(const std::filesystem::path& given) {
  const bool folder = is_folder(given);
  const bool of_study = folder && path_exists(given / "study.json");
  const auto result = of_study ? given / "study.json" : given;
  const auto same = [&](const Input& input) { return input.path == result.string(); };
  if (std::ranges::any_of(inputs_, same)) return;
  if (folder && is_auto_folder(given)) return add_search(given);
  if (folder && !of_study) return add_run(result);
  const MappedFile file(result);
  if (is_study(file.text())) return add(study_from_json(file.text(), result.string()), result);
  add(evaluation_from_json(file.text(), result.string()), result);
}

void Report::add(Evaluation added, const std::filesystem::path& file) {
  NamedEvaluation entry;
  entry.file = file;
  entry.evaluation = std::move(added);
  const Evaluation& evaluation = entry.evaluation;
  std::vector<std::string> taken, policies;
  for (const NamedEvaluation& other : evaluations_) taken.push_back(other.name);
  entry.name = unique_name(without_paths(evaluation.provenance.source), taken);
  for (const PolicyResult& policy : evaluation.policies) policies.push_back(policy.name);
  entry.policies = short_names(policies);
  inputs_.push_back({file.string(), "evaluation",
                     fmt::format("{} instances of {} (seed {}), {} policies",
                                 human_count(static_cast<std::int64_t>(evaluation.num_instances)),
                                 evaluation.provenance.source, evaluation.provenance.seed,
                                 evaluation.policies.size())});
  evaluations_.push_back(std::move(entry));
}

void Report::add_search(const std::filesystem::path& folder) {
  AutoResult found = read_auto(folder);
  add(std::move(found.evaluation), folder / "result.json");
  evaluations_.back().remarks = remarks(found);
  if (!found.is_rule) add_run(folder);
}

void Report::add_run(const std::filesystem::path& folder) {
  NamedRun entry{"", read_run(folder)};
  std::vector<std::string> taken;
  for (const NamedRun& other : runs_) taken.push_back(other.name);
  entry.name = unique_name(short_names({folder.string()}).front(), taken);
  inputs_.push_back(
      {folder.string(), "run",
       fmt::format("{} trained on {} by {}, {} of {} epochs", entry.run.model, entry.run.train,
                   entry.run.trainer, entry.run.epochs_done(), entry.run.epochs)});
  runs_.push_back(std::move(entry));
}

void Report::add(Study added, const std::filesystem::path& file) {
  NamedStudy entry{"", std::move(added)};
  const Study& study = entry.study;
  std::vector<std::string> taken;
  for (const NamedStudy& other : studies_) taken.push_back(other.name);
  entry.name = unique_name(study.name, taken);
  inputs_.push_back({file.string(), "study",
                     fmt::format("{} trials of {} on {}",
                                 human_count(static_cast<std::int64_t>(study.trials.size())),
                                 study.model, study.train)});
  studies_.push_back(std::move(entry));
}

}  // namespace foresight
