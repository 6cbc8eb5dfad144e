// A horizon as JSON files hold it.
#pragma once

#include "foresight/base/error.h"
#include "foresight/base/json_field_internal.h"
#include "foresight/data/horizon.h"

namespace foresight {

/// The horizon under the key "horizon"; known if there is none. Throws Error(kData) that names the
/// field if it holds anything else.
inline Horizon read_horizon(const JsonField& json) {
  const auto field = json.find("horizon");
  if (!field) return {};
  const std::string text = field->text();
  try {
    return Horizon::parse(text);
  } catch (const Error& error) {
    field->reject(error.what());
  }
}

}  // namespace foresight
