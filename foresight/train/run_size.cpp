#include "foresight/train/run_size.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace foresight {
namespace {

// An epoch of training.
constexpr double kInstances = 20'000;
constexpr double kDecisions = 2e6;
constexpr double kEdges = 200e6;

// A validation set.
constexpr double kValidationInstances = 1'000;
constexpr double kValidationDecisions = 300e3;
constexpr double kValidationBytes = 256e6;
constexpr double kEnoughToJudge = 20;

// An epoch on few instances.
constexpr double kEnoughEpisodes = 500;
constexpr double kEnoughDecisions = 50e3;

// The past of a rule.
constexpr double kPastInstances = 200;
constexpr double kPastDecisions = 100e3;

constexpr double kFewest = 2;

/// How many instances have so much in all, where one has `each`.
double share(double all, double each) {
  return each > 0 ? all / each : std::numeric_limits<double>::infinity();
}

/// The most instances of one epoch, by the work that they make.
double affordable(const InstanceSize& size) {
  return std::min(share(kDecisions, size.arrivals), share(kEdges, size.edges));
}

/// Two digits are enough: 13,333 would promise a precision that nobody wants.
std::uint64_t rounded_down(double number) {
  const double unit = std::pow(10, std::max(0.0, std::floor(std::log10(number)) - 1));
  return static_cast<std::uint64_t>(std::floor(number / unit) * unit);
}

double bytes_of(const Instance& instance) {
  const InstanceView& view = instance.view();
  const Market& market = view.market;
  const auto arrivals = static_cast<double>(instance.num_arrivals());
  const auto edges = static_cast<double>(instance.num_edges());
  const double per_edge = sizeof(NodeId) + sizeof(float) + (view.costs.empty() ? 0 : sizeof(float));
  const double numbers_per_arrival = static_cast<double>(
      view.preferences.width + view.attributes.width + !view.types.empty() + !view.names.empty());
  // Its position among the edges, and its place in the label.
  const double per_arrival =
      sizeof(std::int64_t) + sizeof(NodeId) + sizeof(float) * numbers_per_arrival;
  const auto market_numbers =
      static_cast<double>(market.capacities.size() + market.ids.size() +
                          market.attributes.values.size() + market.names.numbers.size());
  return edges * per_edge + arrivals * per_arrival + sizeof(float) * market_numbers;
}

template <typename Get>
InstanceSize mean_size(std::size_t count, const Get& instance_at) {
  InstanceSize size;
  for (std::size_t i = 0; i < count; ++i) {
    const Instance instance = instance_at(i);
    size.arrivals += instance.num_arrivals();
    size.edges += static_cast<double>(instance.num_edges());
    size.bytes += bytes_of(instance);
  }
  const auto divisor = static_cast<double>(std::max<std::size_t>(1, count));
  return {size.arrivals / divisor, size.edges / divisor, size.bytes / divisor};
}

}  // namespace

InstanceSize size_of(std::span<const Instance> instances) {
  return mean_size(instances.size(), [&](std::size_t i) { return instances[i]; });
}

InstanceSize size_of(const Dataset& data) {
  return mean_size(data.size(), [&](std::size_t i) { return data.instance(i); });
}

std::vector<Instance> few_instances(const Source& source) {
  constexpr std::uint64_t kMost = 20;
  constexpr double kEnoughBytes = 16e6;
  std::vector<Instance> instances;
  double bytes = 0;
  for (std::uint64_t i = 0; i < std::min(kMost, source.size().value_or(kMost)); ++i) {
    if (bytes > kEnoughBytes) break;
    instances.push_back(source.draw(/*seed=*/0, i));
    bytes += bytes_of(instances.back());
  }
  return instances;
}

std::uint64_t fitting_instances(const InstanceSize& size) {
  return rounded_down(std::max(kFewest, std::min(kInstances, affordable(size))));
}

std::uint64_t fitting_validation_instances(const InstanceSize& size) {
  // Validating a model must not take longer than training it.
  const double fewest = std::min(kEnoughToJudge, affordable(size));
  const double wanted = std::max(fewest, share(kValidationDecisions, size.arrivals));
  const double most = std::min(kValidationInstances, share(kValidationBytes, size.bytes));
  return rounded_down(std::max(kFewest, std::min(wanted, most)));
}

std::uint64_t fitting_episodes(const InstanceSize& size, std::uint64_t instances) {
  const auto pass = static_cast<double>(std::max<std::uint64_t>(1, instances));
  const double most = std::max(kFewest, affordable(size));
  if (pass > most) return rounded_down(most);
  const double wanted = std::min(kEnoughEpisodes, share(kEnoughDecisions, size.arrivals));
  const double passes = std::max(1.0, std::min(std::ceil(wanted / pass), std::floor(most / pass)));
  return static_cast<std::uint64_t>(passes * pass);
}

std::uint64_t fitting_past(const InstanceSize& size) {
  return rounded_down(
      std::max(1.0, std::min(kPastInstances, share(kPastDecisions, size.arrivals))));
}

}  // namespace foresight
