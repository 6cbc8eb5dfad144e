// Statistics of optimality ratios: how good is a policy, and is it better than another one?
//
// Two policies are compared on the same instances, so only the per-instance differences matter.
// They are summarised by a Student t interval and by Wilcoxon's signed-rank test, which assumes
// only a symmetric distribution (F. Wilcoxon, "Individual comparisons by ranking methods", 1945).
//
// Samples must be non-empty and finite; anything else is Error(kData). A single value has a mean
// but no spread: its standard deviation is NaN, and its confidence interval is infinite.
//
//   const Summary ours = summarize(ratios);                      // O(n)
//   const PairedComparison c = compare_paired(ratios, greedy);   // O(n log n)
//   fmt::print("{:.3f} +- {:.3f}, p = {:.2g}\n", ours.mean, ours.ci95, c.wilcoxon_p);
#pragma once

#include <cstddef>
#include <span>

namespace foresight {

struct Summary {
  std::size_t count = 0;
  double mean = 0;
  double standard_deviation = 0;  // of the sample, divisor count - 1
  double minimum = 0;
  double maximum = 0;
  double ci95 = 0;  // half-width of the mean's 95 % confidence interval
};
Summary summarize(std::span<const double> values);

struct PairedComparison {
  double mean_difference = 0;  // of a - b
  double ci95_low = 0;
  double ci95_high = 0;
  double wilcoxon_p = 1;  // two-sided
};

/// Compares a[i] with b[i]. Wilcoxon's test drops pairs without a difference (none left: p = 1) and
/// gives equal differences their average rank. Its null distribution is exact for up to 50 pairs
/// that differ, ties included. For more it is normal with tie correction, without continuity
/// correction.
PairedComparison compare_paired(std::span<const double> a, std::span<const double> b);

/// Is `a` greater than `b` on average? The p-value of Student's paired t-test: the probability of a
/// mean difference at least this large if there were none. Small means yes. It is 0.5 for a single
/// pair, and for a mean difference of 0.
double paired_t_test_p_one_sided(std::span<const double> a, std::span<const double> b);

/// The q-quantile of an ascending sample, interpolated linearly between neighbours as NumPy does.
/// O(1).
double quantile(std::span<const double> sorted, double q);

/// P(Z <= z) of the standard normal distribution.
double normal_cdf(double z);

/// P(T <= t) of Student's distribution. Up to a million degrees of freedom the relative error stays
/// below 1e-10, even far out in the tails.
double student_t_cdf(double t, double degrees_of_freedom);

/// The t for which student_t_cdf(t) = p, for p in (0, 1).
double student_t_quantile(double p, double degrees_of_freedom);

}  // namespace foresight
