#include "foresight/model/resolve.h"

#include "foresight/base/error.h"
#include "foresight/base/files.h"
#include "foresight/base/safetensors.h"
#include "foresight/rules/optimal_online.h"
#include "foresight/rules/saved_rule.h"

namespace foresight {

NamedPolicy resolve(const std::string& text, Progress& progress) {
  if (policies().knows(text)) {
    return {policies().make(text, progress), Spec::parse(text).name, std::nullopt, ""};
  }
  if (!path_exists(text)) {
    fail(ErrorCode::kUsage,
         "there is no policy \"{}\", and no run folder or checkpoint file with this name; the "
         "policies are: {}",
         text, policies().names());
  }
  const auto file = open_checkpoint(text);
  if (is_online_solution(*file)) {
    return {make_policy(read_online_solution(*file)), "optimal-online", std::nullopt,
            file->digest()};
  }
  if (is_saved_rule(*file)) {
    return {read_rule(*file, progress), Spec::parse(saved_rule(*file)).name, std::nullopt,
            file->digest()};
  }
  TrainedModel trained = read_model(*file);
  return {std::move(trained.model), "", std::move(trained.info), file->digest()};
}

NamedPolicy resolve(const std::string& text, const Problem& problem, const Schema& schema,
                    Progress& progress) {
  NamedPolicy named = resolve(text, progress);
  try {
    named.policy = fit(named.policy, problem, schema);
  } catch (const Error& error) {
    fail(error.code(), "{}: {}", text, error.what());
  }
  return named;
}

}  // namespace foresight
