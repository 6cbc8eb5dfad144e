// The trained model that a run begins with instead of drawn parameters.
#pragma once

#include <string>

#include "foresight/model/checkpoint.h"

namespace foresight {

/// Reads it. Throws Error(kUsage) that names both if it is not of the architecture that is to be
/// trained, and Error(kData) if it was trained for another problem or for other attributes or topics.
TrainedModel load_start(const std::string& path, const std::string& model_spec,
                        const Schema& schema);

/// Its parameters, which must fit `model`. Throws Error(kData) that names both if it sees other
/// columns or another number of fixed nodes.
Parameters start_parameters(const TrainedModel& start, const std::string& path, const Model& model,
                            const ModelContext& context);

}  // namespace foresight
