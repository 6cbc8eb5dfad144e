// Units in JSON: {"gain": 0.73, "cost": 1, "amount": 2.5}, and those of attributes as lists of means
// and deviations: {"fixed": [[3.5, 1.25]], "arrival": []}.
#pragma once

#include <cmath>

#include <nlohmann/json.hpp>

#include "foresight/base/json_field_internal.h"
#include "foresight/problem/units.h"

namespace foresight {

inline nlohmann::json units_json(const Units& units) {
  return {{"gain", units.gain()}, {"cost", units.cost()}, {"amount", units.amount()}};
}

/// Throws Error(kData) that names the field if it is missing or no positive number.
inline Units read_units(const JsonField& json) {
  const auto positive = [&](const char* key) {
    const JsonField field = json[key];
    const double unit = field.number();
    if (!(unit > 0) || !std::isfinite(1 / unit)) {
      field.reject(fmt::format("is {}; expected a positive number", unit));
    }
    return unit;
  };
  const double gain = positive("gain"), cost = positive("cost"), amount = positive("amount");
  return {gain, cost, amount};
}

inline nlohmann::json attribute_units_json(const AttributeUnits& units) {
  const auto list = [](const std::vector<AttributeUnit>& columns) {
    nlohmann::json all = nlohmann::json::array();
    for (const auto& [mean, deviation] : columns) all.push_back({mean, deviation});
    return all;
  };
  return {{"fixed", list(units.fixed)}, {"arrival", list(units.arrival)}};
}

/// Throws Error(kData) that names the field if it is not as many pairs of numbers as it should be.
inline AttributeUnits read_attribute_units(const JsonField& json, std::size_t fixed,
                                           std::size_t arrival) {
  const auto list = [&](const char* key, std::size_t size) {
    const JsonField field = json[key];
    if (field.size() != size && field.size() != 0) {
      field.reject(fmt::format("has {} entries; expected {}", field.size(), size));
    }
    std::vector<AttributeUnit> columns;
    for (std::size_t i = 0; i < field.size(); ++i) {
      const JsonField pair = field.at(i);
      if (pair.size() != 2) pair.reject("is not a mean and a deviation");
      const double mean = pair.at(0).number(), deviation = pair.at(1).number();
      if (!(deviation > 0))
        pair.at(1).reject(fmt::format("is {}; expected a positive number", deviation));
      columns.push_back({mean, deviation});
    }
    return columns;
  };
  return {list("fixed", fixed), list("arrival", arrival)};
}

}  // namespace foresight
