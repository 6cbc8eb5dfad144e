#include "foresight/report/report.h"

#include <algorithm>

#include "foresight/base/error.h"
#include "foresight/base/format.h"
#include "foresight/base/mapped_file.h"
#include "foresight/report/names_internal.h"

namespace foresight {

void Report::add(const std::filesystem::path& result) {
  const auto same = [&](const Input& input) { return input.path == result.string(); };
  if (std::ranges::any_of(inputs_, same)) return;
  if (std::filesystem::is_directory(result)) {
    const auto study = result / "study.json";
    return std::filesystem::exists(study) ? add_study(study) : add_run(result);
  }
  is_study(MappedFile(result).text()) ? add_study(result) : add_evaluation(result);
}

void Report::add_evaluation(const std::filesystem::path& file) {
  const MappedFile text(file);
  NamedEvaluation entry;
  entry.file = file;
  entry.evaluation = evaluation_from_json(text.text(), file.string());
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

void Report::add_run(const std::filesystem::path& folder) {
  NamedRun entry{"", read_run(folder)};
  std::vector<std::string> taken;
  for (const NamedRun& other : runs_) taken.push_back(other.name);
  entry.name = unique_name(short_names({folder.string()}).front(), taken);
  inputs_.push_back(
      {folder.string(), "run",
       fmt::format("{} trained on {} by {}, {} of {} epochs", entry.run.model, entry.run.train,
                   entry.run.trainer, entry.run.column("epoch").size(), entry.run.epochs)});
  runs_.push_back(std::move(entry));
}

void Report::add_study(const std::filesystem::path& file) {
  NamedStudy entry{"", study_from_json(MappedFile(file).text(), file.string())};
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
