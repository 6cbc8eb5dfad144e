#include "foresight/solve/bundle_simplex.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "foresight/base/rng.h"
#include "foresight/solve/integer_program.h"

namespace foresight {
namespace {

constexpr double kTolerance = 1e-11;

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

struct Bundle {
  int buyer;
  double value;
  std::vector<int> goods;
};

struct Exchange {
  std::vector<int> supply;
  int num_buyers;
  std::vector<Bundle> bundles;
};

Exchange draw(std::uint64_t number) {
  Rng rng(3, Stream::kInstance, number);
  Exchange market{{}, 1 + static_cast<int>(rng.below(8)), {}};
  const int num_goods = 1 + static_cast<int>(rng.below(7));
  for (int good = 0; good < num_goods; ++good) {
    market.supply.push_back(1 + static_cast<int>(rng.below(3)));
  }
  // Whole values make many ties, which is where a simplex method may cycle.
  const bool whole = rng.uniform() < 0.5;
  for (int i = 0; i < 60; ++i) {
    Bundle bundle{static_cast<int>(rng.below(at(market.num_buyers))), 0, {}};
    bundle.value = whole ? static_cast<double>(rng.below(4)) : rng.uniform();
    for (int good = 0; good < num_goods; ++good) {
      if (rng.uniform() < 0.4) bundle.goods.push_back(good);
    }
    if (!bundle.goods.empty()) market.bundles.push_back(bundle);
  }
  for (int buyer = 0; buyer < market.num_buyers; ++buyer) market.bundles.push_back({buyer, 0, {}});
  return market;
}

/// Offers bundles until nobody gains. Returns the value of the dual program.
double optimise(BundleSimplex& simplex, const Exchange& market) {
  for (bool again = true; again;) {
    again = false;
    for (const Bundle& bundle : market.bundles) {
      double surplus = bundle.value;
      for (const int good : bundle.goods) surplus -= simplex.prices()[at(good)];
      if (surplus <= simplex.surplus(bundle.buyer) + kTolerance) continue;
      simplex.offer(bundle.buyer, bundle.value, bundle.goods);
      again = true;
    }
  }
  double dual = 0;
  for (std::size_t g = 0; g < market.supply.size(); ++g) {
    EXPECT_GE(simplex.prices()[g], -kTolerance);
    dual += market.supply[g] * simplex.prices()[g];
  }
  for (int buyer = 0; buyer < market.num_buyers; ++buyer) dual += simplex.surplus(buyer);
  return dual;
}

double reference(const Exchange& market) {
  IntegerProgram program;
  std::vector<std::vector<int>> of_buyer(at(market.num_buyers)), of_good(market.supply.size());
  for (const Bundle& bundle : market.bundles) {
    const int share = program.add_variable(bundle.value, 0, 1, false);
    of_buyer[at(bundle.buyer)].push_back(share);
    for (const int good : bundle.goods) of_good[at(good)].push_back(share);
  }
  const auto limit = [&](const std::vector<int>& shares, double upper) {
    const std::vector<double> ones(shares.size(), 1);
    program.add_row(shares, ones, -IntegerProgram::kInfinity, upper);
  };
  for (const auto& shares : of_buyer) limit(shares, 1);
  for (std::size_t g = 0; g < of_good.size(); ++g) limit(of_good[g], market.supply[g]);
  return program.maximize().value;
}

/// Shares are a solution, up to the perturbation of supplies, and worth as much as the dual.
void expect_shares(const BundleSimplex& simplex, const Exchange& market, double value) {
  std::vector<double> sold(market.supply.size()), held(at(market.num_buyers));
  double sum = 0;
  simplex.for_each([&](const BundleSimplex::Holding& holding, double share) {
    EXPECT_GE(share, -1e-9);
    held[at(holding.buyer)] += share;
    for (const int good : holding.goods) sold[at(good)] += share;
    sum += share * holding.value;
  });
  for (const double share : held) EXPECT_NEAR(share, 1, 1e-9);
  for (std::size_t g = 0; g < sold.size(); ++g) EXPECT_LE(sold[g], market.supply[g] + 1e-6);
  EXPECT_NEAR(sum, value, 1e-5);
}

TEST(BundleSimplex, EqualsAGeneralSolver) {
  BundleSimplex simplex;
  for (std::uint64_t i = 0; i < 500; ++i) {
    const Exchange market = draw(i);
    simplex.reset(market.supply, market.num_buyers, kTolerance);
    const double value = optimise(simplex, market);
    EXPECT_NEAR(value, reference(market), 1e-7);
    expect_shares(simplex, market, value);
  }
}

TEST(BundleSimplex, GoesOnAfterValuesChange) {
  BundleSimplex simplex;
  for (std::uint64_t i = 0; i < 200; ++i) {
    Exchange market = draw(i);
    simplex.reset(market.supply, market.num_buyers, kTolerance);
    optimise(simplex, market);
    // Buyers lose interest in all bundles with good 0.
    const auto changed = [](double value, const std::vector<int>& goods) {
      return !goods.empty() && goods.front() == 0 ? -10 : value;
    };
    for (Bundle& bundle : market.bundles) bundle.value = changed(bundle.value, bundle.goods);
    simplex.revalue([&](const BundleSimplex::Holding& holding) {
      return changed(holding.value, holding.goods);
    });
    const double value = optimise(simplex, market);
    EXPECT_NEAR(value, reference(market), 1e-7);
    expect_shares(simplex, market, value);
  }
}

}  // namespace
}  // namespace foresight
