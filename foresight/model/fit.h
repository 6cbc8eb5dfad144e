// Whether data has the columns that a model was built for, and where: by name, in one function.
//
// A model says which attributes and topics it sees (`Model::needs`). Data that has the same names in
// another order is read accordingly. Data with other names, fewer or more, is refused: a model
// would take one thing for another.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "foresight/data/source.h"

namespace foresight {

/// For every name of a model's schema, its place in the data's. Empty lists: as in the model.
struct ColumnPlaces {
  std::vector<std::size_t> fixed_attributes;
  std::vector<std::size_t> arrival_attributes;
  std::vector<std::size_t> topics;

  friend bool operator==(const ColumnPlaces&, const ColumnPlaces&) = default;
};

/// Throws Error(kData), beginning with `model`, if the problem is another one or the names differ,
/// and shows both lists. Lists that `needs` leaves empty are not compared.
ColumnPlaces fit_columns(const std::string& model, const Schema& needs, const Schema& data);

}  // namespace foresight
