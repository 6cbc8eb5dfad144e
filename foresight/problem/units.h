// The units in which learners see what matches gain and take, so that they learn the same from
// dollars, cents or shares of one.
//
// Units come from the training data and are kept with the model. A learner sees every number in
// them, and nothing else of a model or a trainer depends on how large numbers are. If all weights
// are multiplied by a power of two, every number that a learner sees is the same to the last bit.
//
//   UnitsMeter meter(problem);
//   for (const Instance& instance : past) meter.add(instance);
//   const Units units = meter.units();
//   units.of_gain(offer.gain);    // about 0..1 for gains that are spread evenly
#pragma once

#include <cstdint>
#include <vector>

#include "foresight/problem/problem.h"
#include "foresight/problem/state.h"

namespace foresight {

class Units {
 public:
  /// Everything as it is, as the paper's models see it.
  Units() = default;
  /// Throws Error(kData) unless all are finite and positive.
  Units(double gain, double cost, double amount);

  double gain() const { return gain_; }
  double cost() const { return cost_; }
  double amount() const { return amount_; }

  float of_gain(double x) const { return static_cast<float>(x * per_gain_); }
  float of_gain_variance(double x) const { return static_cast<float>(x * per_gain_ * per_gain_); }
  float of_cost(double x) const { return static_cast<float>(x * per_cost_); }
  float of_amount(double x) const { return static_cast<float>(x * per_amount_); }
  double per_gain() const { return per_gain_; }
  double per_cost() const { return per_cost_; }

  friend bool operator==(const Units&, const Units&) = default;

 private:
  double gain_ = 1, cost_ = 1, amount_ = 1;
  double per_gain_ = 1, per_cost_ = 1, per_amount_ = 1;
};

/// One attribute, seen so that it has mean 0 and deviation 1 in the training data.
struct AttributeUnit {
  double mean = 0, deviation = 1;

  float of(float x) const {
    return static_cast<float>((static_cast<double>(x) - mean) / deviation);
  }
  friend bool operator==(const AttributeUnit&, const AttributeUnit&) = default;
};

/// Of all attributes, in the order of the schema. Empty: they are seen as they are.
struct AttributeUnits {
  std::vector<AttributeUnit> fixed, arrival;

  friend bool operator==(const AttributeUnits&, const AttributeUnits&) = default;
};

/// Measures the units of data: twice the mean gain and twice the mean cost of an edge that can be
/// used, and the mean capacity of a node that is there. Gains that are uniform in 0..1 have unit 1,
/// which is the scale that the paper's hyper-parameters were found on. A place for one match is a
/// cost of 1.
class UnitsMeter {
 public:
  explicit UnitsMeter(const Problem& problem) : problem_(&problem) {}

  /// Prices the edges of the instance as if nothing were matched yet.
  void add(const Instance& instance);

  Units units() const;
  AttributeUnits attribute_units() const;
  /// 0 if there was none.
  double largest_gain() const { return largest_gain_; }
  std::int64_t edges() const { return gains_.count; }

 private:
  struct Mean {
    double sum = 0;
    std::int64_t count = 0;
    void add(double x) {
      sum += x;
      ++count;
    }
    /// `otherwise` if nothing was added that is more than 0.
    double times(double factor, double otherwise) const {
      return sum > 0 ? factor * sum / static_cast<double>(count) : otherwise;
    }
  };

  const Problem* problem_;
  Mean gains_, costs_, capacities_;
  std::vector<Moments> fixed_, arrival_;  // per attribute
  double largest_gain_ = 0;
  std::vector<Offer> offers_;
};

}  // namespace foresight
