#include "foresight/base/statistics.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

#include "foresight/base/error.h"

namespace foresight {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

void check_sample(std::span<const double> values) {
  if (values.empty()) {
    fail(ErrorCode::kData, "a sample needs at least one value, but this one is empty");
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) {
      fail(ErrorCode::kData, "value {} of the sample is {}, expected a finite number", i,
           values[i]);
    }
  }
}

void check_degrees(double degrees) {
  if (!(degrees > 0 && degrees < kInfinity)) {
    fail(ErrorCode::kUsage, "there are {} degrees of freedom, expected a positive number", degrees);
  }
}

std::vector<double> differences(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size()) {
    fail(ErrorCode::kData, "paired samples have {} and {} values, expected equally many", a.size(),
         b.size());
  }
  check_sample(a);
  check_sample(b);
  std::vector<double> result(a.size());
  std::transform(a.begin(), a.end(), b.begin(), result.begin(), std::minus<>());
  return result;
}

// Gamma(a + 1/2) / Gamma(a): the asymptotic series where a is large, reached by the recurrence.
double gamma_ratio(double a) {
  double factor = 1;
  for (; a < 30; a += 1) factor *= a / (a + 0.5);
  const double r = 1 / (8 * a);
  double series = 0;
  for (const double c : {2457.8125, 54.3125, -49.875, -2.625, 2.5, 0.5, -1.0, 1.0}) {
    series = series * r + c;
  }
  return factor * std::sqrt(a) * series;
}

// The continued fraction of the incomplete beta function, evaluated by the modified Lentz method:
// I_x(a, b) = x^a (1 - x)^b / (a B(a, b)) * fraction, fast for x < (a + 1) / (a + b + 2).
// I. J. Thompson and A. R. Barnett, "Coulomb and Bessel functions of complex arguments", 1986.
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  const auto guarded = [](double v) { return std::abs(v) < kTiny ? kTiny : v; };
  double c = 1;
  double d = 1 / guarded(1 - (a + b) * x / (a + 1));
  double result = d;
  for (double m = 1; m < 1e6; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    double step = 1;
    for (const double term : {even, odd}) {
      d = 1 / guarded(1 + term * d);
      c = guarded(1 + term / c);
      step = c * d;
      result *= step;
    }
    if (std::abs(step - 1) < 2 * kEpsilon) break;
  }
  return result;
}

// P(T > t) for t >= 0, which is I_x(n/2, 1/2) / 2 at x = n / (n + t^2).
double student_t_tail(double t, double n) {
  const double a = n / 2;
  const double ratio = t / std::sqrt(n);
  const double square = ratio * ratio;
  if (square == kInfinity) return 0;
  const double x = 1 / (1 + square);
  const double y = square / (1 + square);  // 1 - x
  const double power = std::exp(-a * std::log1p(square));
  const double factor = power * std::sqrt(y / std::numbers::pi) * gamma_ratio(a);
  if (x < (a + 1) / (a + 2.5)) return factor * beta_fraction(a, 0.5, x) / n;
  return 0.5 - factor * beta_fraction(0.5, a, y);
}

double student_t_density(double t, double n) {
  const double power = std::exp(-(n + 1) / 2 * std::log1p(t * t / n));
  return power * gamma_ratio(n / 2) / std::sqrt(n * std::numbers::pi);
}

// P(W <= sum) for the sum W of the ranks, each of which counts with probability 1/2. For up to 50
// ranks the numbers of subsets stay below 2^50, so they are exact in doubles. O(ranks * sum).
double rank_sum_cdf(std::span<const std::size_t> ranks, std::size_t sum) {
  std::vector<double> subsets(sum + 1);  // by their sum
  subsets[0] = 1;
  for (const std::size_t rank : ranks) {
    for (std::size_t s = sum; s >= rank; --s) subsets[s] += subsets[s - rank];
  }
  double count = 0;
  for (const double s : subsets) count += s;
  return std::ldexp(count, -static_cast<int>(ranks.size()));
}

double wilcoxon_signed_rank_p(std::vector<double> d) {
  constexpr std::size_t kMaxExact = 50;
  std::erase(d, 0.0);
  if (d.empty()) return 1;
  std::sort(d.begin(), d.end(), [](double x, double y) { return std::abs(x) < std::abs(y); });

  // Ranks are doubled, so that the average rank of equal differences is an integer, too.
  std::vector<std::size_t> ranks(d.size());
  std::size_t positive = 0;   // the sum of the ranks of positive differences
  double tie_correction = 0;  // the sum of t^3 - t over groups of t equal differences
  for (std::size_t begin = 0, end = 0; begin < d.size(); begin = end) {
    while (end < d.size() && std::abs(d[end]) == std::abs(d[begin])) ++end;
    for (std::size_t i = begin; i < end; ++i) {
      ranks[i] = begin + end + 1;
      if (d[i] > 0) positive += ranks[i];
    }
    const double ties = static_cast<double>(end - begin);
    tie_correction += ties * (ties * ties - 1);
  }
  const std::size_t total = d.size() * (d.size() + 1);
  const std::size_t statistic = std::min(positive, total - positive);

  if (d.size() <= kMaxExact) return std::min(1.0, 2 * rank_sum_cdf(ranks, statistic));
  const double n = static_cast<double>(d.size());
  const double mean = n * (n + 1) / 4;
  const double variance = (n * (n + 1) * (2 * n + 1) - tie_correction / 2) / 24;
  return 2 * normal_cdf((static_cast<double>(statistic) / 2 - mean) / std::sqrt(variance));
}

}  // namespace

Summary summarize(std::span<const double> values) {
  check_sample(values);
  const double n = static_cast<double>(values.size());
  // Sums of distances from the first value: equal values have exactly that mean, and spread 0.
  const double origin = values.front();
  double sum = 0;
  for (const double v : values) sum += v - origin;
  const double mean = origin + sum / n;
  double squares = 0;
  for (const double v : values) squares += (v - mean) * (v - mean);

  const auto [minimum, maximum] = std::minmax_element(values.begin(), values.end());
  Summary s{.count = values.size(),
            .mean = mean,
            .standard_deviation = std::numeric_limits<double>::quiet_NaN(),
            .minimum = *minimum,
            .maximum = *maximum,
            .ci95 = kInfinity};
  if (values.size() > 1) {
    s.standard_deviation = std::sqrt(squares / (n - 1));
    s.ci95 = student_t_quantile(0.975, n - 1) * s.standard_deviation / std::sqrt(n);
  }
  return s;
}

PairedComparison compare_paired(std::span<const double> a, std::span<const double> b) {
  std::vector<double> d = differences(a, b);
  const Summary s = summarize(d);
  return {.mean_difference = s.mean,
          .ci95_low = s.mean - s.ci95,
          .ci95_high = s.mean + s.ci95,
          .wilcoxon_p = wilcoxon_signed_rank_p(std::move(d))};
}

double paired_t_test_p_one_sided(std::span<const double> a, std::span<const double> b) {
  const Summary s = summarize(differences(a, b));
  if (s.count == 1 || s.mean == 0) return 0.5;
  const double n = static_cast<double>(s.count);
  return student_t_cdf(-s.mean / (s.standard_deviation / std::sqrt(n)), n - 1);
}

double quantile(std::span<const double> sorted, double q) {
  if (sorted.empty()) fail(ErrorCode::kData, "an empty sample has no quantile");
  if (!(q >= 0 && q <= 1)) fail(ErrorCode::kUsage, "quantile {} is outside [0, 1]", q);
  assert(std::is_sorted(sorted.begin(), sorted.end()));
  const double position = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const double low = sorted[below];
  const double high = sorted[std::min(below + 1, sorted.size() - 1)];
  const double result = std::lerp(low, high, position - static_cast<double>(below));
  if (!std::isfinite(result)) fail(ErrorCode::kData, "quantile {} of the sample is {}", q, result);
  return result;
}

double normal_cdf(double z) {
  return 0.5 * std::erfc(-z / std::numbers::sqrt2);
}

double student_t_cdf(double t, double degrees_of_freedom) {
  check_degrees(degrees_of_freedom);
  const double tail = student_t_tail(std::abs(t), degrees_of_freedom);
  return t < 0 ? tail : 1 - tail;
}

double student_t_quantile(double p, double degrees_of_freedom) {
  check_degrees(degrees_of_freedom);
  if (!(p > 0 && p < 1)) fail(ErrorCode::kUsage, "probability {} is outside (0, 1)", p);
  // The tail is convex, so Newton's method from 0 climbs to the root and never passes it.
  const double target = std::min(p, 1 - p);
  double t = 0;
  for (int i = 0; i < 1000; ++i) {
    const double excess = student_t_tail(t, degrees_of_freedom) - target;
    const double step = excess / student_t_density(t, degrees_of_freedom);
    t += step;
    if (!(step > 4 * kEpsilon * t)) break;
  }
  return p < 0.5 ? -t : t;
}

}  // namespace foresight
