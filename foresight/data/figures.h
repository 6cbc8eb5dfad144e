// What is in a dataset, in figures: how many nodes and arrivals, how large weights, capacities and
// costs are, who has no edges. It is what to look at before anything is trained.
//
//   const DataFigures figures = measure(Dataset::load("log.fst"));
//   if (figures.weights.long_tail()) warn();
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "foresight/data/dataset.h"

namespace foresight {

/// Some numbers in short. All are 0 if there are none.
struct Distribution {
  std::size_t count = 0;
  double minimum = 0, median = 0, mean = 0, percentile99 = 0, maximum = 0;

  /// Is the largest more than a hundred times the median?
  bool long_tail() const { return maximum > 100 * median; }
};
Distribution distribution_of(std::vector<double> numbers);

/// The range of one attribute.
struct AttributeFigures {
  std::string name;
  double minimum = 0, maximum = 0;
};

/// "Node" stands for a fixed node in one instance: the same person on ten days counts ten times.
struct DataFigures {
  std::size_t instances = 0;
  Distribution fixed;     // nodes per instance
  Distribution arrivals;  // per instance
  Distribution degrees;   // edges per arrival
  Distribution weights;
  Distribution costs;               // none if edges have none of their own
  Distribution capacities;          // of nodes that are not absent; none if there are no capacities
  double total_capacity = 0;        // per instance, on average
  std::size_t absent = 0;           // nodes of capacity 0
  std::size_t lonely_arrivals = 0;  // without edges
  std::size_t lonely_nodes = 0;     // without edges, though not absent
  std::size_t named_nodes = 0;
  std::size_t named_arrivals = 0;
  std::vector<AttributeFigures> fixed_attributes, arrival_attributes;
  std::size_t proven = 0;   // labels that are proven optimal
  double mean_optimum = 0;  // 0 without labels
};

/// Takes time and memory in proportion to the edges.
DataFigures measure(const Dataset& data);

}  // namespace foresight
