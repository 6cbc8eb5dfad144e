#include "foresight/data/figures.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "foresight/base/index.h"
#include "foresight/base/statistics.h"

namespace foresight {
namespace {

/// The range of every column, from rows that are added one table after the other.
class Ranges {
 public:
  explicit Ranges(const std::vector<std::string>& names) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    for (const std::string& name : names) columns_.push_back({name, kInfinity, -kInfinity});
  }

  void add(const Rows& rows) {
    for (std::size_t i = 0; i < rows.values.size(); ++i) {
      AttributeFigures& column = columns_[i % rows.width];
      column.minimum = std::min<double>(column.minimum, rows.values[i]);
      column.maximum = std::max<double>(column.maximum, rows.values[i]);
    }
  }

  std::vector<AttributeFigures> take() {
    for (AttributeFigures& column : columns_) {
      if (column.minimum > column.maximum) column.minimum = column.maximum = 0;  // no rows
    }
    return std::move(columns_);
  }

 private:
  std::vector<AttributeFigures> columns_;
};

std::size_t count_names(const Names& names) {
  return names.numbers.size() - index(std::ranges::count(names.numbers, kNoType));
}

}  // namespace

Distribution distribution_of(std::vector<double> numbers) {
  if (numbers.empty()) return {};
  std::ranges::sort(numbers);
  const double sum = std::accumulate(numbers.begin(), numbers.end(), 0.0);
  return {.count = numbers.size(),
          .minimum = numbers.front(),
          .median = quantile(numbers, 0.5),
          .mean = sum / static_cast<double>(numbers.size()),
          .percentile99 = quantile(numbers, 0.99),
          .maximum = numbers.back()};
}

DataFigures measure(const Dataset& data) {
  DataFigures figures;
  figures.instances = data.size();
  std::vector<double> fixed, arrivals, degrees, weights, costs, capacities;
  weights.reserve(index(data.num_edges()));
  Ranges fixed_ranges(data.schema().fixed_attributes);
  Ranges arrival_ranges(data.schema().arrival_attributes);
  for (std::size_t i = 0; i < data.size(); ++i) {
    const Instance instance = data.instance(i);
    const Market& market = instance.market();
    fixed.push_back(market.num_fixed);
    arrivals.push_back(instance.num_arrivals());
    std::vector<bool> joined(index(market.num_fixed));
    for (int t = 0; t < instance.num_arrivals(); ++t) {
      const Arrival arrival = instance.arrival(t);
      degrees.push_back(arrival.degree());
      weights.insert(weights.end(), arrival.weights.begin(), arrival.weights.end());
      costs.insert(costs.end(), arrival.costs.begin(), arrival.costs.end());
      for (const NodeId node : arrival.nodes) joined[index(node)] = true;
      figures.lonely_arrivals += arrival.degree() == 0;
    }
    for (std::size_t u = 0; u < joined.size(); ++u) {
      const bool absent = !market.capacities.empty() && market.capacities[u] == 0;
      figures.absent += absent;
      figures.lonely_nodes += !joined[u] && !absent;
      if (!absent && !market.capacities.empty()) capacities.push_back(market.capacities[u]);
    }
    figures.named_nodes += count_names(market.names);
    figures.named_arrivals += count_names(instance.view().names);
    fixed_ranges.add(market.attributes);
    arrival_ranges.add(instance.view().attributes);
    if (!data.labelled()) continue;
    figures.proven += data.label(i).proven();
    figures.mean_optimum += data.optimum(i) / static_cast<double>(data.size());
  }
  if (!capacities.empty()) {
    figures.total_capacity = std::accumulate(capacities.begin(), capacities.end(), 0.0) /
                             static_cast<double>(data.size());
  }
  figures.fixed = distribution_of(std::move(fixed));
  figures.arrivals = distribution_of(std::move(arrivals));
  figures.degrees = distribution_of(std::move(degrees));
  figures.weights = distribution_of(std::move(weights));
  figures.costs = distribution_of(std::move(costs));
  figures.capacities = distribution_of(std::move(capacities));
  figures.fixed_attributes = fixed_ranges.take();
  figures.arrival_attributes = arrival_ranges.take();
  return figures;
}

}  // namespace foresight
