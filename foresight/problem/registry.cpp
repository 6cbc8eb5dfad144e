#include "foresight/base/registry.h"

#include "foresight/data/dataset.h"
#include "foresight/problem/problem.h"

namespace foresight {

#define FORESIGHT_ENTRY(name) Entry<Problem> name##_problem();
#include "foresight/problem/registry.inc"
#undef FORESIGHT_ENTRY

const Registry<Problem>& problems() {
  static const Registry<Problem> registry("problem", {
#define FORESIGHT_ENTRY(name) name##_problem(),
#include "foresight/problem/registry.inc"
#undef FORESIGHT_ENTRY
                                                     });
  return registry;
}

std::unique_ptr<Problem> problem_of(const Dataset& data) {
  auto problem = problems().make(data.schema().problem);
  for (std::size_t i = 0; i < data.size(); ++i) {
    try {
      problem->check(data.instance(i));
    } catch (const Error& error) {
      fail(ErrorCode::kData, "instance {}: {}", i, error.what());
    }
  }
  return problem;
}

}  // namespace foresight
