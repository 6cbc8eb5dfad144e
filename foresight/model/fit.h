// Finds the columns that a model was built for in the data, by name.
//
//   const ColumnPlaces places = fit_columns("model inv-ff-plus", model.needs(), data.schema());
//
// A model says which attributes and topics it sees (`Model::needs`). Data that has the same names
// in another order is read in the model's order. Data with other names, fewer or more, is refused,
// because the model would take one thing for another.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "foresight/data/source.h"

namespace foresight {

/// For every name of a model's schema, its position in the data. An empty list means that the order
/// is the same.
struct ColumnPlaces {
  std::vector<std::size_t> fixed_attributes;
  std::vector<std::size_t> arrival_attributes;
  std::vector<std::size_t> topics;

  friend bool operator==(const ColumnPlaces&, const ColumnPlaces&) = default;
};

/// Throws Error(kData) that begins with `model` and shows both lists if the problem or the names
/// differ. Lists that are empty in `needs` are not compared.
ColumnPlaces fit_columns(const std::string& model, const Schema& needs, const Schema& data);

}  // namespace foresight
