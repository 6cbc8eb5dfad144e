#include "foresight/solve/bundle_simplex.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "foresight/base/index.h"
#include "foresight/base/kernel.h"

namespace foresight {
namespace {

// Supplies grow by about this much: far less than the smallest share, far more than rounding.
constexpr double kPerturbation = 1e-7;

// Entries of the direction below this are rounding errors.
constexpr double kPivotTolerance = 1e-9;

// Applies one Gauss-Jordan step at position `leaving` to each row of the (transposed) inverse, and
// raises the prices by what the step is worth: `gain` per unit.
FORESIGHT_KERNEL
void eliminate(double* inverse, double* prices, const double* direction, std::size_t size,
               std::size_t leaving, double gain) {
  const double scale = 1 / direction[leaving];
  for (std::size_t good = 0; good < size; ++good, inverse += size) {
    const double factor = inverse[leaving] * scale;
    if (factor == 0) continue;
    for (std::size_t i = 0; i < size; ++i) inverse[i] -= factor * direction[i];
    inverse[leaving] = factor;
    prices[good] += gain * factor;
  }
}

}  // namespace

void BundleSimplex::reset(std::span<const int> supply, int num_buyers, double tolerance) {
  tolerance_ = tolerance;
  num_goods_ = supply.size();
  keys_.resize(index(num_buyers));
  for (std::size_t v = 0; v < keys_.size(); ++v) {
    keys_[v].buyer = static_cast<int>(v);
    keys_[v].value = 0;
    keys_[v].goods.clear();
  }
  key_shares_.assign(keys_.size(), 1);
  others_.resize(num_goods_);
  shares_.resize(num_goods_);
  inverse_.assign(num_goods_ * num_goods_, 0);
  for (std::size_t g = 0; g < num_goods_; ++g) {
    // Multiples of the golden ratio, modulo 1, are spread out and all different.
    const double spread = std::fmod(0.6180339887498949 * static_cast<double>(g + 1), 1);
    others_[g].buyer = kUnsold;
    others_[g].value = 0;
    shares_[g] = supply[g] + kPerturbation * (0.5 + spread);
    others_[g].goods.assign(1, static_cast<int>(g));
    inverse_[g * num_goods_ + g] = 1;
  }
  prices_.assign(num_goods_, 0);
  direction_.resize(num_goods_);
  key_direction_.resize(keys_.size());
  num_pivots_ = 0;
}

void BundleSimplex::offer(int buyer, double value, std::span<const int> goods) {
  enter(buyer, value, goods);
  restore_prices();
}

double BundleSimplex::surplus(const Holding& holding) const {
  double result = holding.value;
  for (const int good : holding.goods) result -= prices_[index(good)];
  return result;
}

void BundleSimplex::reprice() {
  const auto value_over_key = [&](const Holding& other) {
    return other.buyer == kUnsold ? 0 : other.value - keys_[index(other.buyer)].value;
  };
  std::transform(others_.begin(), others_.end(), direction_.begin(), value_over_key);
  for (std::size_t g = 0; g < num_goods_; ++g) {
    prices_[g] =
        std::inner_product(direction_.begin(), direction_.end(),
                           inverse_.begin() + static_cast<std::ptrdiff_t>(g * num_goods_), 0.0);
  }
  restore_prices();
}

// A negative price means that a unit is better left unsold than sold as now.
void BundleSimplex::restore_prices() {
  for (std::size_t attempt = 0; attempt < num_goods_; ++attempt) {
    const auto lowest = std::min_element(prices_.begin(), prices_.end());
    if (*lowest >= -tolerance_) return;
    const int good = static_cast<int>(lowest - prices_.begin());
    enter(kUnsold, 0, {&good, 1});
  }
}

void BundleSimplex::find_direction(int buyer, std::span<const int> goods) {
  std::fill(direction_.begin(), direction_.end(), 0);
  std::fill(key_direction_.begin(), key_direction_.end(), 0);
  const auto add = [&](int good, double sign) {
    const double* row = &inverse_[index(good) * num_goods_];
    for (std::size_t i = 0; i < num_goods_; ++i) direction_[i] += sign * row[i];
  };
  for (const int good : goods) add(good, 1);
  if (buyer != kUnsold) {
    for (const int good : keys_[index(buyer)].goods) add(good, -1);
    key_direction_[index(buyer)] = 1;
  }
  for (std::size_t i = 0; i < num_goods_; ++i) {
    if (others_[i].buyer != kUnsold) key_direction_[index(others_[i].buyer)] -= direction_[i];
  }
}

void BundleSimplex::enter(int buyer, double value, std::span<const int> goods) {
  ++num_pivots_;
  find_direction(buyer, goods);
  double gain = value - (buyer == kUnsold ? 0 : surplus(buyer));
  for (const int good : goods) gain -= prices_[index(good)];

  // The first holding to run out leaves the basis. Among equals, the largest pivot is most stable.
  double step = std::numeric_limits<double>::infinity();
  double pivot = 0;
  std::size_t leaving = 0;
  bool key_leaves = false;
  const auto limit = [&](double share, double rate, std::size_t position, bool is_key) {
    if (rate <= kPivotTolerance || share > step * rate) return;
    const double runs_out = std::max(share, 0.0) / rate;
    if (runs_out == step && rate <= pivot) return;
    step = runs_out;
    pivot = rate;
    leaving = position;
    key_leaves = is_key;
  };
  for (std::size_t i = 0; i < shares_.size(); ++i) limit(shares_[i], direction_[i], i, false);
  for (std::size_t v = 0; v < keys_.size(); ++v) limit(key_shares_[v], key_direction_[v], v, true);
  if (pivot == 0) return;  // happens only by rounding; the caller limits its pivots
  for (std::size_t i = 0; i < shares_.size(); ++i) shares_[i] -= step * direction_[i];
  for (std::size_t v = 0; v < keys_.size(); ++v) key_shares_[v] -= step * key_direction_[v];

  const auto settle = [&](Holding& holding, double& share) {
    holding.buyer = buyer;
    holding.value = value;
    holding.goods.assign(goods.begin(), goods.end());
    share = step;
  };
  if (key_leaves) {
    const auto other = std::find_if(others_.begin(), others_.end(), [&](const Holding& holding) {
      return holding.buyer == static_cast<int>(leaving);
    });
    // The new bundle replaces the buyer's only one, so the matrix does not change.
    if (other == others_.end()) return settle(keys_[leaving], key_shares_[leaving]);
    leaving = static_cast<std::size_t>(other - others_.begin());
    exchange_key(leaving);
  }
  eliminate(inverse_.data(), prices_.data(), direction_.data(), num_goods_, leaving, gain);
  settle(others_[leaving], shares_[leaving]);
}

// Swaps others_[position] with its buyer's key. The buyer's columns are now differences to the new
// key, which changes a single row of the inverse.
void BundleSimplex::exchange_key(std::size_t position) {
  const int buyer = others_[position].buyer;
  positions_.clear();
  for (std::size_t i = 0; i < num_goods_; ++i) {
    if (others_[i].buyer == buyer) positions_.push_back(i);
  }
  for (std::size_t g = 0; g < num_goods_; ++g) {
    double* row = &inverse_[g * num_goods_];
    double sum = 0;
    for (const std::size_t i : positions_) sum += row[i];
    row[position] = -sum;
  }
  direction_[position] = key_direction_[index(buyer)];
  std::swap(others_[position], keys_[index(buyer)]);
  std::swap(shares_[position], key_shares_[index(buyer)]);
}

}  // namespace foresight
