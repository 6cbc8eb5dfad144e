// The linear program of a market for bundles:
//
//   maximise  sum value(v, S) x(v, S)   over the shares x >= 0
//   subject to  sum_S x(v, S) = 1  for every buyer v     (the empty bundle is one of them)
//               sum of the shares of bundles with good g <= supply[g]  for every good g
//
// Bundles are offered one by one (column generation), because there are far too many to list. The
// caller looks at the prices, finds a bundle that leaves its buyer a larger surplus, and offers it.
// When no such bundle exists, the shares are optimal.
//
// Method: primal simplex with generalised upper bounds (Dantzig and Van Slyke, 1967). Every buyer
// has one key bundle, so the matrix to invert has one row per good, however many buyers there are.
// A pivot takes O(goods^2 + buyers). Degenerate pivots cannot cycle, because supplies are perturbed
// (Charnes, 1952).
//
//   BundleSimplex market;
//   market.reset(supply, num_buyers, 1e-12);
//   market.offer(0, 3.0, std::array{1, 2});  // buyer 0 values goods 1 and 2 together at 3
//   market.prices();  // one per good
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace foresight {

class BundleSimplex {
 public:
  /// A bundle in the basis.
  struct Holding {
    int buyer = kUnsold;
    double value = 0;
    std::vector<int> goods;
  };
  static constexpr int kUnsold = -1;  // the "buyer" of a good's unsold units

  /// Every buyer holds the empty bundle, and all prices are 0. Prices are exact up to `tolerance`.
  /// Once a buyer has left the empty bundle, it must be offered like any other.
  void reset(std::span<const int> supply, int num_buyers, double tolerance);

  /// What one unit of each good is worth to the market.
  std::span<const double> prices() const { return prices_; }

  /// Value minus price of the bundles that the buyer holds; it is the same for all of them.
  double surplus(int buyer) const { return surplus(keys_[static_cast<std::size_t>(buyer)]); }

  /// Lets the buyer take a bundle whose value minus price exceeds its surplus.
  void offer(int buyer, double value, std::span<const int> goods);

  /// Calls visit(holding, share) for every bundle in the basis, also for those with share 0.
  template <typename Visit>
  void for_each(Visit visit) const {
    for (std::size_t v = 0; v < keys_.size(); ++v) visit(keys_[v], key_shares_[v]);
    for (std::size_t i = 0; i < others_.size(); ++i) {
      if (others_[i].buyer != kUnsold) visit(others_[i], shares_[i]);
    }
  }

  /// Sets every held bundle's value to value_of(holding) and the prices to match.
  template <typename ValueOf>
  void revalue(ValueOf value_of) {
    for (Holding& key : keys_) key.value = value_of(key);
    for (Holding& other : others_) {
      if (other.buyer != kUnsold) other.value = value_of(other);
    }
    reprice();
  }

  long num_pivots() const { return num_pivots_; }

 private:
  double surplus(const Holding& holding) const;
  void reprice();
  void restore_prices();
  void enter(int buyer, double value, std::span<const int> goods);
  void find_direction(int buyer, std::span<const int> goods);
  void exchange_key(std::size_t position);

  std::size_t num_goods_ = 0;
  std::vector<Holding> keys_;    // one per buyer
  std::vector<Holding> others_;  // the rest of the basis, one per good
  std::vector<double> key_shares_, shares_;
  // Inverse of the matrix whose column i is others_[i].goods minus its buyer's key goods.
  // Entry (i, g) is at [g * num_goods + i], so that both uses read memory in order.
  std::vector<double> inverse_;
  std::vector<double> prices_;
  double tolerance_ = 0;
  std::vector<double> direction_;      // how fast others_[i]'s share falls as the new one rises
  std::vector<double> key_direction_;  // the same for keys_[v]
  std::vector<std::size_t> positions_;
  long num_pivots_ = 0;
};

}  // namespace foresight
