// An episode as JSON, in the files of evaluations and in the page of a report.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "foresight/base/json_field_internal.h"
#include "foresight/eval/episode.h"

namespace foresight {

/// What happened to the policies: names, capacities and arrivals. The page holds it, too.
nlohmann::ordered_json market_json(const Episode& episode);

/// All of it, as docs/formats.md says.
nlohmann::ordered_json episode_json(const Episode& episode);
Episode episode_from(const JsonField& json);

}  // namespace foresight
