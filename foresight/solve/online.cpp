#include "foresight/solve/online.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "foresight/base/error.h"
#include "foresight/base/index.h"
#include "foresight/base/kernel.h"
#include "foresight/base/parallel.h"
#include "foresight/solve/integer_program.h"
#include "foresight/solve/limits.h"

namespace foresight {
namespace {

// The number of states that are computed side by side, in registers that suit AVX2 and all later
// instruction sets; and the number that one thread computes at a time.
constexpr std::size_t kLanes = 8;
constexpr std::size_t kVectors = 4;
constexpr std::size_t kBlock = kLanes * kVectors;
constexpr std::size_t kPiece = 128 * kBlock;
using Vector = float __attribute__((vector_size(kLanes * sizeof(float))));
using Block = std::array<Vector, kVectors>;

/// E[max(0, max of w_u - price_u)]: what the next arrival adds to the value of each state.
FORESIGHT_KERNEL void expect_gain(const ArrivalTypes& types, const Block* prices, Block& gain) {
  Block total{};
  std::size_t e = 0;
  for (std::size_t i = 0; i < types.probabilities.size(); ++i) {
    Block best{};
    for (const auto end = static_cast<std::size_t>(types.edge_begin[i + 1]); e < end; ++e) {
      const Block& price = prices[types.nodes[e]];
      for (std::size_t v = 0; v < kVectors; ++v) {
        const Vector surplus = types.weights[e] - price[v];
        best[v] = surplus > best[v] ? surplus : best[v];
      }
    }
    const auto probability = static_cast<float>(types.probabilities[i]);
    for (std::size_t v = 0; v < kVectors; ++v) total[v] += probability * best[v];
  }
  gain = total;
}

/// Computes states begin .. end of row `now`, one arrival before `next`.
void advance(const OnlineStates& states, const ArrivalTypes& types, const float* next, float* now,
             std::size_t begin, std::size_t end) {
  const std::size_t num_fixed = states.slots.size();
  std::vector<std::int32_t> left(num_fixed);  // slots in the current state, counted like digits
  for (std::size_t u = 0; u < num_fixed; ++u) {
    left[u] =
        static_cast<std::int32_t>(begin / index(states.strides[u]) % (index(states.slots[u]) + 1));
  }
  std::vector<Block> prices(num_fixed);  // what a slot of each node will be worth later
  Block gain;
  for (std::size_t s = begin; s < end; s += kBlock) {
    const std::size_t lanes = std::min(kBlock, end - s);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const float* value = next + s + lane;
      for (std::size_t u = 0; u < num_fixed; ++u) {
        prices[u][lane / kLanes][lane % kLanes] = left[u] > 0
                                                      ? *value - *(value - states.strides[u])
                                                      : std::numeric_limits<float>::infinity();
      }
      for (std::size_t u = 0; u < num_fixed && ++left[u] > states.slots[u]; ++u) left[u] = 0;
    }
    expect_gain(types, prices.data(), gain);
    for (std::size_t lane = 0; lane < lanes; ++lane)
      now[s + lane] = next[s + lane] + gain[lane / kLanes][lane % kLanes];
  }
}

void fill(OnlineTable& table, const ArrivalTypes& types, int threads, const Progress& progress) {
  const std::size_t states = table.num_states();
  for (int r = 1; r <= table.horizon; ++r) {
    float* now = table.values.data() + index(r) * states;
    parallel_for((states + kPiece - 1) / kPiece, threads, [&](std::size_t piece) {
      check_cancelled(progress);
      advance(table.states, types, now - states, now, piece * kPiece,
              std::min(states, (piece + 1) * kPiece));
    });
  }
}

/// E[max(0, W - price)] for the largest weight W among `nodes` fixed nodes, 0 without an edge:
/// P(W <= x) = (1 - p + p x)^nodes if weights are uniform.
double expect_gain(const RandomEdges& law, std::size_t nodes, double price) {
  const double p = law.probability;
  const auto n = static_cast<double>(nodes);
  const double reach = 1 - price;
  if (p <= 0 || reach <= 0 || nodes == 0) return 0;
  if (!law.uniform_weights) return -std::expm1(n * std::log1p(-p)) * reach;
  return std::max(0.0, reach + std::expm1((n + 1) * std::log1p(-p * reach)) / (p * (n + 1)));
}

void fill(OnlineTable& table, const RandomEdges& law, const Progress& progress) {
  const std::size_t states = table.num_states();
  std::vector<double> values(states);  // double, so that rounding does not add up over the rows
  for (int r = 1; r <= table.horizon; ++r) {
    check_cancelled(progress);
    for (std::size_t k = states - 1; k > 0; --k) {
      values[k] += expect_gain(law, k, values[k] - values[k - 1]);
      table.values[index(r) * states + k] = static_cast<float>(values[k]);
    }
  }
}

void check_computable(const Problem& problem) {
  const Traits traits = problem.traits();
  if (traits.gain == Traits::Gain::kWeight && traits.use != Traits::Use::kOther) return;
  fail(ErrorCode::kData,
       "problem \"{}\" has {}; the optimal online policy can be computed only if a match gains its "
       "edge's weight, and takes 1, that weight, or the edge's cost of its node",
       problem.name(), describe(traits));
}

/// What every match takes of each node; 0 if it never gains anything.
std::vector<float> costs_of(const ArrivalTypes& types, NodeId num_fixed) {
  const auto& all = types.costs.empty() ? types.weights : types.costs;
  std::vector<float> costs(index(num_fixed));
  for (std::size_t e = 0; e < types.nodes.size(); ++e) {
    float& cost = costs[index(types.nodes[e])];
    if (types.weights[e] == 0) continue;
    if (all[e] == 0 || (cost != 0 && cost != all[e])) {
      fail(
          ErrorCode::kData,
          "the optimal online policy can be computed only if all matches of a fixed node take the "
          "same of it (in Adwords: if all its bids are equal), but those of node {} take {} and {}",
          types.nodes[e], cost, all[e]);
    }
    cost = all[e];
  }
  return costs;
}

}  // namespace

std::int32_t OnlineStates::slots_left(NodeId u, double remaining) const {
  const double slots_of_rest = std::floor(remaining / static_cast<double>(costs[index(u)]) +
                                          kCapacityTolerance * (1 + slots[index(u)]));
  return static_cast<std::int32_t>(
      std::clamp<double>(slots_of_rest, 0, static_cast<double>(slots[index(u)])));
}

int most_arrivals(const Horizon& horizon) {
  if (horizon.kind() == Horizon::Kind::kUnknown) {
    fail(ErrorCode::kData,
         "the optimal online policy must know the number of arrivals, or what to expect");
  }
  return static_cast<int>(std::ceil(horizon.arrivals() + 3 * horizon.deviation()));
}

OnlineStates online_states(const Problem& problem, const Market& market, const ArrivalLaw& law) {
  check_computable(problem);
  const auto* types = std::get_if<ArrivalTypes>(&law);
  const bool budgets = problem.traits().amounts();
  if (budgets && types == nullptr) {
    fail(ErrorCode::kData, "problem \"{}\" needs budgets, but random edges have none",
         problem.name());
  }
  if (types == nullptr && std::ranges::any_of(market.capacities, [](float c) { return c > 1; })) {
    fail(ErrorCode::kData,
         "with random edges, the optimal online policy can be computed only if each fixed node is "
         "matched at most once");
  }
  OnlineStates states;
  states.costs.assign(index(market.num_fixed), 1);
  if (budgets) states.costs = costs_of(*types, market.num_fixed);
  // More slots than arrivals make no difference. Neither does a node that never gains anything.
  const int most = most_arrivals(market.horizon);
  states.slots.assign(index(market.num_fixed), most);
  for (NodeId u = 0; u < market.num_fixed; ++u) {
    float& cost = states.costs[index(u)];
    const float capacity = cost > 0 ? problem.capacity(market, u) : 0;
    if (cost <= 0) cost = 1;
    const double affordable = std::floor((1 + kCapacityTolerance) * static_cast<double>(capacity) /
                                         static_cast<double>(cost));
    states.slots[index(u)] = static_cast<std::int32_t>(std::min<double>(affordable, most));
    // Fixed nodes that are alike need only be counted.
    states.strides.push_back(
        types == nullptr ? 1 : static_cast<std::int64_t>(std::min(states.count, 1e18)));
    types == nullptr ? states.count += states.slots[index(u)]
                     : states.count *= states.slots[index(u)] + 1.0;
  }
  return states;
}

OnlineTable solve_online(const OnlineStates& states, const ArrivalLaw& law, int horizon,
                         int threads, const Progress& progress) {
  if (states.bytes(horizon) > kMaxOnlineBytes) {
    fail(ErrorCode::kUsage,
         "the optimal online policy for {} fixed nodes and {} arrivals needs {:.4g} states, {:.4g} "
         "MiB in all; the limit is {} MiB",
         states.slots.size(), horizon, states.count, states.bytes(horizon) / (1 << 20),
         kMaxOnlineBytes / (1 << 20));
  }
  OnlineTable table{states, horizon, {}};
  table.values.resize(table.num_states() * (index(horizon) + 1));
  if (const auto* types = std::get_if<ArrivalTypes>(&law)) {
    fill(table, *types, threads, progress);
  } else {
    fill(table, std::get<RandomEdges>(law), progress);
  }
  return table;
}

double fluid_bound(const Problem& problem, const Market& market, const ArrivalTypes& types) {
  check_computable(problem);
  constexpr double kNone = -IntegerProgram::kInfinity;
  const bool budgets = problem.traits().amounts();
  const bool gains = types.costs.empty();  // do matches take what they gain?
  const double unit = unit_of(types.weights);
  const double cost_unit = !budgets ? 1 : gains ? unit : unit_of(types.costs);
  IntegerProgram program;
  std::vector<std::vector<int>> of_node(index(market.num_fixed));
  std::vector<std::vector<double>> costs(index(market.num_fixed));
  std::vector<int> of_type;
  for (std::size_t i = 0; i < types.probabilities.size(); ++i) {
    of_type.clear();
    for (auto e = index(types.edge_begin[i]); e < index(types.edge_begin[i + 1]); ++e) {
      const std::size_t u = index(types.nodes[e]);
      const double weight = static_cast<double>(types.weights[e]) / unit;
      of_type.push_back(program.add_variable(weight, 0, IntegerProgram::kInfinity, false));
      of_node[u].push_back(of_type.back());
      const double cost = gains ? types.weights[e] : types.costs[e];
      costs[u].push_back(budgets ? cost / cost_unit : 1);
    }
    program.add_row(of_type, std::vector<double>(of_type.size(), 1), kNone,
                    market.horizon.arrivals() * types.probabilities[i]);
  }
  for (NodeId u = 0; u < market.num_fixed; ++u) {
    const double capacity = static_cast<double>(problem.capacity(market, u)) / cost_unit;
    program.add_row(of_node[index(u)], costs[index(u)], kNone, (1 + kCapacityTolerance) * capacity);
  }
  return unit * program.maximize().bound;
}

}  // namespace foresight
