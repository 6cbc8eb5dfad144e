#include "foresight/base/statistics.h"

#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "foresight/base/error.h"

namespace foresight {
namespace {

// Constants come from SciPy 1.10.1 and NumPy 1.24.2; the comment above each names the call.
const std::vector<double> kA = {0.91, 0.84, 0.97, 0.62, 0.88, 0.79, 0.95, 0.71, 0.83, 0.99};
const std::vector<double> kB = {0.90, 0.87, 0.91, 0.51, 0.84, 0.74, 0.97, 0.64, 0.74, 0.84};
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

ErrorCode code_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.code();
  }
  ADD_FAILURE() << "expected an Error";
  return ErrorCode::kCancelled;
}

double wilcoxon_p(const std::vector<double>& differences) {
  return compare_paired(differences, std::vector<double>(differences.size())).wilcoxon_p;
}

// magnitude(i), negative unless i * i % 7 < 3, for i in [begin, end).
template <typename Magnitude>
std::vector<double> pattern(int begin, int end, Magnitude magnitude) {
  std::vector<double> result;
  for (int i = begin; i < end; ++i) result.push_back((i * i % 7 < 3 ? 1 : -1) * magnitude(i));
  return result;
}
double identity(int i) {
  return i;
}

TEST(Summarize, AgreesWithSciPy) {
  const Summary s = summarize(kA);
  EXPECT_EQ(s.count, 10u);
  EXPECT_NEAR(s.mean, 0.849, 1e-15);                              // np.mean(a)
  EXPECT_NEAR(s.standard_deviation, 0.11789354897062387, 1e-15);  // np.std(a, ddof=1)
  EXPECT_EQ(s.minimum, 0.62);
  EXPECT_EQ(s.maximum, 0.99);
  // x = betaincinv(4.5, 0.5, 0.05); sqrt(9 * (1 - x) / x) * stats.sem(a)
  EXPECT_NEAR(s.ci95, 0.08433596442552654, 1e-13);
}

TEST(Summarize, KnowsNoSpreadFromOneValue) {
  const Summary s = summarize(std::vector{0.3});
  EXPECT_EQ(s.count, 1u);
  EXPECT_EQ(s.mean, 0.3);
  EXPECT_EQ(s.minimum, 0.3);
  EXPECT_EQ(s.maximum, 0.3);
  EXPECT_TRUE(std::isnan(s.standard_deviation));
  EXPECT_EQ(s.ci95, kInf);
}

TEST(Summarize, FindsExactlyNoSpreadInEqualValues) {
  const Summary s = summarize(std::vector<double>(1000, 0.1));  // 0.1 added up is not exact
  EXPECT_EQ(s.mean, 0.1);
  EXPECT_EQ(s.standard_deviation, 0);
  EXPECT_EQ(s.ci95, 0);
}

TEST(Summarize, KeepsASmallSpreadNextToALargeMean) {
  std::vector<double> values;
  for (int i = 0; i < 1000; ++i) values.push_back(1e9 + (i % 2));
  EXPECT_NEAR(summarize(values).standard_deviation, std::sqrt(250.0 / 999), 1e-12);
}

TEST(Summarize, RejectsEmptyAndNonFiniteSamples) {
  EXPECT_EQ(code_of([] { summarize({}); }), ErrorCode::kData);
  EXPECT_EQ(code_of([] { summarize(std::vector{1.0, kNaN}); }), ErrorCode::kData);
  EXPECT_EQ(code_of([] { summarize(std::vector{-kInf, 1.0}); }), ErrorCode::kData);
}

TEST(ComparePaired, AgreesWithSciPyOnTheIntervalAndTheExactTest) {
  const PairedComparison c = compare_paired(kA, kB);
  EXPECT_NEAR(c.mean_difference, 0.053, 1e-15);
  // mean -+ sqrt(9 * (1 - x) / x) * stats.sem(a - b), x = betaincinv(4.5, 0.5, 0.05)
  EXPECT_NEAR(c.ci95_low, 0.012667007248629444, 1e-13);
  EXPECT_NEAR(c.ci95_high, 0.09333299275137054, 1e-13);
  EXPECT_NEAR(c.wilcoxon_p, 0.01953125, 1e-15);  // stats.wilcoxon(a, b, mode='exact')
}

TEST(ComparePaired, IsAntisymmetric) {
  const PairedComparison ab = compare_paired(kA, kB);
  const PairedComparison ba = compare_paired(kB, kA);
  EXPECT_DOUBLE_EQ(ab.mean_difference, -ba.mean_difference);
  EXPECT_DOUBLE_EQ(ab.ci95_low, -ba.ci95_high);
  EXPECT_DOUBLE_EQ(ab.ci95_high, -ba.ci95_low);
  EXPECT_EQ(ab.wilcoxon_p, ba.wilcoxon_p);
}

TEST(ComparePaired, DecidesDegenerateSamples) {
  const PairedComparison same = compare_paired(kA, kA);
  EXPECT_EQ(same.mean_difference, 0);
  EXPECT_EQ(same.ci95_low, 0);
  EXPECT_EQ(same.ci95_high, 0);
  EXPECT_EQ(same.wilcoxon_p, 1);

  const PairedComparison one = compare_paired(std::vector{0.75}, std::vector{0.5});
  EXPECT_EQ(one.mean_difference, 0.25);
  EXPECT_EQ(one.ci95_low, -kInf);
  EXPECT_EQ(one.ci95_high, kInf);
  EXPECT_EQ(one.wilcoxon_p, 1);
}

TEST(ComparePaired, RejectsSamplesThatDoNotPair) {
  EXPECT_EQ(code_of([] { compare_paired({}, {}); }), ErrorCode::kData);
  EXPECT_EQ(code_of([] { compare_paired(kA, std::vector{1.0}); }), ErrorCode::kData);
  EXPECT_EQ(code_of([] { compare_paired(std::vector{kNaN}, std::vector{0.0}); }), ErrorCode::kData);
  EXPECT_EQ(code_of([] { compare_paired(std::vector{0.0}, std::vector{kInf}); }), ErrorCode::kData);
}

TEST(Wilcoxon, IsExactUpToFiftyDistinctDifferences) {
  // i = np.arange(1, 51); stats.wilcoxon(i * np.where(i * i % 7 < 3, 1, -1), mode='exact')
  EXPECT_NEAR(wilcoxon_p(pattern(1, 51, identity)), 0.003913313547160513, 1e-14);
}

TEST(Wilcoxon, IsNormalAboveFifty) {
  // i = np.arange(1, 52); stats.wilcoxon(i * np.where(i * i % 7 < 3, 1, -1), mode='approx')
  EXPECT_NEAR(wilcoxon_p(pattern(1, 52, identity)), 0.01168681024032215, 1e-13);
  // The same for np.arange(1, 2001), minus 0.5.
  std::vector<double> many = pattern(1, 2001, identity);
  for (double& d : many) d -= 0.5;
  EXPECT_NEAR(wilcoxon_p(many) / 1.4415655213028437e-61, 1, 1e-9);
}

TEST(Wilcoxon, IsExactWithTiesAndZerosToo) {
  EXPECT_EQ(wilcoxon_p({1, 1, 1, 1, 1}), 0.0625);  // all of the same sign: 2 of 32 choices
  EXPECT_EQ(wilcoxon_p({-1, -1, -1, -1, -1, 0, 0}), 0.0625);
  // stats.wilcoxon(d[d != 0], method=stats.PermutationMethod(n_resamples=np.inf))
  EXPECT_EQ(wilcoxon_p({1, 1, 2, -2, 3, 4, -1, 5}), 0.1328125);
  EXPECT_EQ(wilcoxon_p({0, 1, 2, -3, 4, 5, 6}), 0.15625);
  EXPECT_EQ(wilcoxon_p({1, 1, 2, -2, 3, 4, -1, 5, 0, 0, 7}), 0.06640625);
}

TEST(Wilcoxon, TheLimitCountsOnlyPairsThatDiffer) {
  const auto tied = [](int count) { return pattern(0, count, [](int i) { return i % 13; }); };
  // 50 of 55 differ: the generating function of stats.rankdata(np.abs(d[d != 0])) in integers
  EXPECT_NEAR(wilcoxon_p(tied(55)), 0.017425826899438945, 1e-14);
  // 51 of 56 differ: i = np.arange(56), d = np.where(i * i % 7 < 3, 1, -1) * (i % 13),
  // stats.wilcoxon(d, method='approx', correction=False), and the same for 200
  EXPECT_NEAR(wilcoxon_p(tied(56)), 0.015306720110230732, 1e-13);
  EXPECT_NEAR(wilcoxon_p(tied(200)) / 8.428620620257217e-07, 1, 1e-9);
}

/// The share of all 2^n choices of signs whose rank sum is at least as far from its mean.
double share_of_signs(std::vector<double> d) {
  std::erase(d, 0.0);
  std::vector<double> ranks;
  for (const double x : d) {
    double rank = 0.5;
    for (const double y : d) {
      rank += std::abs(y) < std::abs(x) ? 1 : std::abs(y) == std::abs(x) ? 0.5 : 0;
    }
    ranks.push_back(rank);
  }
  const auto extremeness = [&](const auto& is_positive) {
    double sum = 0;
    for (std::size_t i = 0; i < d.size(); ++i) sum += is_positive(i) ? ranks[i] : -ranks[i];
    return std::abs(sum);
  };
  const double observed = extremeness([&](std::size_t i) { return d[i] > 0; });
  const unsigned choices = 1u << d.size();
  unsigned extreme = 0;
  for (unsigned signs = 0; signs < choices; ++signs) {
    extreme += extremeness([&](std::size_t i) { return signs >> i & 1; }) >= observed;
  }
  return static_cast<double>(extreme) / choices;
}

TEST(Wilcoxon, EqualsTheShareOfSignChoicesAtLeastAsExtreme) {
  std::mt19937 random(7);
  for (int n = 1; n <= 12; ++n) {
    for (const int distinct : {1, 2, 4, 1000}) {  // few distinct sizes make many ties and zeros
      std::vector<double> d;
      for (int i = 0; i < n; ++i) {
        const auto size = static_cast<double>(random() % static_cast<unsigned>(distinct + 1));
        d.push_back(random() % 2 == 0 ? size : -size);
      }
      EXPECT_DOUBLE_EQ(wilcoxon_p(d), share_of_signs(d)) << n << " of " << distinct;
    }
  }
}

TEST(PairedTTest, AgreesWithSciPy) {
  // stats.ttest_rel(a, b, alternative='greater') and the same of (b, a)
  EXPECT_NEAR(paired_t_test_p_one_sided(kA, kB), 0.007817990493457053, 1e-13);
  EXPECT_NEAR(paired_t_test_p_one_sided(kB, kA), 1 - 0.007817990493457053, 1e-13);
}

TEST(PairedTTest, DecidesDegenerateSamples) {
  const std::vector<double> low = {1, 2, 3};
  const std::vector<double> high = {1.5, 2.5, 3.5};
  EXPECT_EQ(paired_t_test_p_one_sided(high, low), 0);
  EXPECT_EQ(paired_t_test_p_one_sided(low, high), 1);
  EXPECT_EQ(paired_t_test_p_one_sided(low, low), 0.5);
  EXPECT_EQ(paired_t_test_p_one_sided(std::vector{2.0}, std::vector{1.0}), 0.5);
  EXPECT_EQ(code_of([] { paired_t_test_p_one_sided({}, {}); }), ErrorCode::kData);
  EXPECT_EQ(code_of([&] {
              paired_t_test_p_one_sided(low, std::vector{1.0, 2.0, kNaN});
            }),
            ErrorCode::kData);
}

TEST(Quantile, InterpolatesAsNumPy) {
  const std::vector<double> x = {1, 2, 4, 8, 16};
  const std::vector<std::pair<double, double>> expected = {
      // np.quantile(x, q)
      {0, 1}, {0.1, 1.4}, {0.25, 2}, {0.5, 4}, {0.9, 12.8}, {0.99, 15.68}, {1, 16}};
  for (const auto& [q, value] : expected) EXPECT_NEAR(quantile(x, q), value, 1e-14) << q;
  for (const double q : {0.0, 0.3, 1.0}) EXPECT_EQ(quantile(std::vector{5.0}, q), 5);
}

TEST(Quantile, RejectsWhatHasNone) {
  EXPECT_EQ(code_of([] { quantile({}, 0.5); }), ErrorCode::kData);
  EXPECT_EQ(code_of([] { quantile(std::vector{1.0, kNaN}, 0.5); }), ErrorCode::kData);
  for (const double q : {-0.1, 1.1, kNaN}) {
    EXPECT_EQ(code_of([q] { quantile(std::vector{1.0}, q); }), ErrorCode::kUsage) << q;
  }
}

TEST(NormalCdf, AgreesWithSciPy) {
  EXPECT_NEAR(normal_cdf(-10) / 7.61985302416047e-24, 1, 1e-12);  // stats.norm.cdf(z)
  EXPECT_NEAR(normal_cdf(-1.96), 0.024997895148220435, 1e-15);
  EXPECT_NEAR(normal_cdf(0.7), 0.758036347776927, 1e-15);
}

TEST(StudentT, CdfAgreesWithSciPy) {
  struct Case {
    double t, degrees, p;
  };
  const std::vector<Case> cases = {
      // stats.t.cdf(t, degrees)
      {0.5, 1, 0.6475836176504333},      {-2, 1, 0.1475836176504332},
      {2.5, 4, 0.966616727594006},       {-1.2, 9.5, 0.12960441014219035},
      {-30, 12, 5.886590953509473e-13},  {-2, 999, 0.02288530848687849},
      {1.96, 19999, 0.9749951721541558}, {-8, 99999, 6.28696060133631e-16},
  };
  for (const auto& [t, degrees, p] : cases) {
    EXPECT_NEAR(student_t_cdf(t, degrees) / p, 1, 1e-10) << t << ' ' << degrees;
  }
  EXPECT_EQ(student_t_cdf(0, 3), 0.5);
  EXPECT_EQ(student_t_cdf(-kInf, 3), 0);
  EXPECT_EQ(student_t_cdf(kInf, 3), 1);
}

TEST(StudentT, CdfHasItsClosedFormForTwoDegreesOfFreedom) {
  for (const double t : {0.01, 0.5, 1.0, 1.7, 2.0, 3.0, 20.0}) {
    const double expected =
        1 / (2 + t * t + t * std::sqrt(2 + t * t));  // P(T > t), no cancellation
    EXPECT_NEAR(student_t_cdf(-t, 2) / expected, 1, 1e-13) << t;
    EXPECT_NEAR(student_t_cdf(t, 2), 1 - expected, 1e-15) << t;
  }
}

TEST(StudentT, QuantileAgreesWithSciPy) {
  // stats.t.ppf is good to 9 digits only; x = betaincinv(n / 2, 0.5, 2 * (1 - p)) is to 15:
  // t = sqrt(n * (1 - x) / x)
  EXPECT_NEAR(student_t_quantile(0.975, 1), 12.706204736174696, 1e-12);
  EXPECT_NEAR(student_t_quantile(0.975, 2), 4.302652729749462, 1e-12);
  EXPECT_NEAR(student_t_quantile(0.95, 29), 1.6991270265334961, 1e-12);
  EXPECT_NEAR(student_t_quantile(0.995, 199), 2.60076021605852, 1e-11);
  EXPECT_NEAR(student_t_quantile(0.025, 19999), -1.9600826110882603, 1e-11);
  EXPECT_EQ(student_t_quantile(0.5, 7), 0);
}

TEST(StudentT, QuantileInvertsTheCdf) {
  for (const double degrees : {0.5, 1.0, 2.0, 30.0, 1e3, 1e6}) {
    for (const double p : {1e-12, 1e-4, 0.1, 0.49, 0.7, 0.999}) {
      const double back = student_t_cdf(student_t_quantile(p, degrees), degrees);
      EXPECT_NEAR(back / p, 1, 1e-10) << p << ' ' << degrees;
    }
  }
}

TEST(StudentT, RejectsArgumentsOutOfRange) {
  for (const double p : {0.0, 1.0, kNaN}) {
    EXPECT_EQ(code_of([p] { student_t_quantile(p, 5); }), ErrorCode::kUsage) << p;
  }
  for (const double degrees : {0.0, -1.0, kNaN, kInf}) {
    EXPECT_EQ(code_of([degrees] { student_t_cdf(1, degrees); }), ErrorCode::kUsage) << degrees;
  }
}

}  // namespace
}  // namespace foresight
