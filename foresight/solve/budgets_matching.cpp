#include <algorithm>
#include <numeric>
#include <utility>

#include "foresight/solve/budgets_internal.h"

namespace foresight {
namespace {

// Loads in order of arrival differ from those here by less than this part.
constexpr double kLoadError = 1e-12;

std::vector<std::size_t> numbers_below(std::size_t count) {
  std::vector<std::size_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  return numbers;
}

}  // namespace

PricedMatching::PricedMatching(const BudgetGraph& graph, std::span<const double> prices)
    : graph_(graph), prices_(prices), at_(graph.num_arrivals(), kNone) {
  for (const BudgetEdge& edge : graph.edges) {
    surplus_.push_back(edge.gain - prices[index(edge.node)] * edge.cost);
  }
  for (const double capacity : graph.capacities) {
    room_.push_back(capacity - kLoadError * capacity);
  }
}

void PricedMatching::match_by_regret() {
  std::vector<double> regret(graph_.num_arrivals());
  for (std::size_t t = 0; t < regret.size(); ++t) {
    double best = 0, second = 0;
    for (std::size_t e = graph_.first[t]; e < graph_.first[t + 1]; ++e) {
      second = std::max(second, std::min(best, surplus_[e]));
      best = std::max(best, surplus_[e]);
    }
    regret[t] = best - second;
  }
  std::vector<std::size_t> order = numbers_below(regret.size());
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return regret[a] > regret[b]; });
  for (const std::size_t t : order) {
    std::size_t choice = kNone;
    for (std::size_t e = graph_.first[t]; e < graph_.first[t + 1]; ++e) {
      if (surplus_[e] < 0 || !fits(e)) continue;
      if (choice == kNone || surplus_[e] > surplus_[choice]) choice = e;
    }
    move(t, choice);
  }
}

void PricedMatching::match_largest_first() {
  std::vector<std::size_t> order = numbers_below(graph_.edges.size());
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return graph_.edges[a].gain > graph_.edges[b].gain;
  });
  for (const std::size_t e : order) {
    const std::size_t t = index(graph_.edges[e].arrival);
    if (at_[t] == kNone && fits(e)) move(t, e);
  }
}

void PricedMatching::move(std::size_t arrival, std::size_t edge) {
  const std::size_t old = std::exchange(at_[arrival], edge);
  moves_.push_back({arrival, old});
  value_ += gain(edge) - gain(old);
  if (old != kNone) room_[node(old)] += cost(old);
  if (edge != kNone) room_[node(edge)] -= cost(edge);
}

NodeId PricedMatching::left_by_move(std::size_t k) const {
  const std::size_t old = moves_[k].old_edge;
  return old == kNone ? kSkip : graph_.edges[old].node;
}

bool PricedMatching::fits_since(std::size_t count) const {
  return std::all_of(moves_.begin() + static_cast<std::ptrdiff_t>(count), moves_.end(),
                     [&](const Move& made) {
                       const std::size_t e = at_[made.arrival];
                       return e == kNone || room_[node(e)] >= 0;
                     });
}

void PricedMatching::undo(std::size_t count) {
  while (moves_.size() > count) {
    const Move last = moves_.back();
    move(last.arrival, last.old_edge);
    moves_.resize(moves_.size() - 2, {});
  }
}

std::vector<NodeId> PricedMatching::nodes() const {
  std::vector<NodeId> result;
  for (const std::size_t e : at_) result.push_back(e == kNone ? kSkip : graph_.edges[e].node);
  return result;
}

}  // namespace foresight
