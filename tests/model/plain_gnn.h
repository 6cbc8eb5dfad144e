// gnn-hist as the paper describes it, in double precision and without shortcuts: the whole graph is
// embedded again at every step, message by message.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "foresight/nn/parameters.h"
#include "foresight/problem/state.h"

namespace foresight {

using Vector = std::vector<double>;

inline Vector operator+(Vector a, const Vector& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  return a;
}

inline Vector operator*(double factor, Vector a) {
  for (double& x : a) x *= factor;
  return a;
}

inline Vector concatenate(const std::vector<Vector>& parts) {
  Vector all;
  for (const Vector& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

struct PlainGnn {
  explicit PlainGnn(const Parameters& parameters) {
    for (const auto& tensor : parameters.tensors()) {
      const auto values = parameters[tensor.name];
      p[tensor.name] = Vector(values.begin(), values.end());
    }
    embed = p["initial_stepcontext"].size();
  }

  /// weight x, the weight having a row per output.
  Vector product(const std::string& name, const Vector& x) const {
    const Vector& weight = p.at(name);
    Vector y(weight.size() / x.size());
    for (std::size_t i = 0; i < weight.size(); ++i) y[i / x.size()] += weight[i] * x[i % x.size()];
    return y;
  }
  Vector linear(const std::string& name, const Vector& x) const {
    return product(name + ".weight", x) + p.at(name + ".bias");
  }
  /// x^T W(w)
  Vector message(int layer, const Vector& x, double w) const {
    const Vector& weight = p.at("embedder.l" + std::to_string(layer) + ".weight");
    const Vector& bias = p.at("embedder.l" + std::to_string(layer) + ".bias");
    Vector y(embed);
    for (std::size_t i = 0; i < embed * embed; ++i) {
      y[i % embed] += x[i / embed] * (w * weight[i] + bias[i]);
    }
    return y;
  }
  Vector convolve(int layer, const Vector& x, const Vector& messages,
                  std::size_t neighbours) const {
    const std::string name = "embedder.conv" + std::to_string(layer);
    return product(name + ".lin.weight", x) + p.at(name + ".bias") +
           1.0 / static_cast<double>(std::max<std::size_t>(neighbours, 1)) * messages;
  }
  static Vector relu(Vector x) {
    for (double& value : x) value = std::max(value, 0.0);
    return x;
  }

  struct Seen {
    std::vector<Offer> edges;
    std::vector<float> attributes;
    NodeId choice = kSkip;
  };

  /// Scores of skip and the offers; `seen` ends with the current arrival.
  Vector scores(const State& state, const std::vector<Seen>& seen) const {
    const Market& market = state.market();
    const bool budgets = !market.capacities.empty();
    const bool attributes = p.contains("embedder.node_embed_v.weight");
    const auto fixed = static_cast<std::size_t>(market.num_fixed);
    const auto topics = static_cast<std::size_t>(market.num_topics);
    std::vector<Vector> inputs(fixed + 1, Vector(topics + 1));  // skip, then the fixed nodes
    inputs[0].back() = attributes ? 0 : -1;
    for (std::size_t u = 0; u < fixed; ++u) {
      const auto node = static_cast<NodeId>(u);
      for (const auto topic : market.topics_of(node)) {
        inputs[u + 1][static_cast<std::size_t>(topic)] = 1;
      }
      if (budgets) inputs[u + 1].back() = state.remaining(node);
    }
    for (const Seen& past : seen) {
      if (!budgets && past.choice != kSkip) {
        inputs[static_cast<std::size_t>(past.choice) + 1].back() = 1;
      }
    }
    std::vector<Vector> e, arrivals;
    for (const Vector& input : inputs) e.push_back(linear("embedder.node_embed_u", input));
    for (const Seen& arrival : seen) {
      Vector input(arrival.attributes.begin(), arrival.attributes.end());
      if (!attributes) {
        input.assign(topics + 1, 0);
        input.back() = budgets ? -2 : 2;
      }
      arrivals.push_back(
          linear(attributes ? "embedder.node_embed_v" : "embedder.node_embed_u", input));
    }
    for (int layer = 1; p.contains("embedder.l" + std::to_string(layer) + ".weight"); ++layer) {
      if (layer > 1) {
        std::ranges::transform(e, e.begin(), relu);
        std::ranges::transform(arrivals, arrivals.begin(), relu);
      }
      const std::vector<Vector> x = e, y = arrivals;
      std::vector<Vector> to_fixed(fixed + 1, Vector(embed));
      std::vector<std::size_t> degree(fixed + 1);
      for (std::size_t v = 0; v < seen.size(); ++v) {
        Vector messages(embed);
        auto edges = seen[v].edges;
        edges.push_back({kSkip, 0, 0});
        for (const Offer& edge : edges) {
          const auto u = static_cast<std::size_t>(edge.node + 1);
          messages = messages + message(layer, x[u], static_cast<double>(edge.gain));
          to_fixed[u] = to_fixed[u] + message(layer, y[v], static_cast<double>(edge.gain));
          ++degree[u];
        }
        arrivals[v] = convolve(layer, y[v], messages, edges.size());
      }
      for (std::size_t u = 0; u <= fixed; ++u) e[u] = convolve(layer, x[u], to_fixed[u], degree[u]);
    }
    Vector mean(embed);
    for (const Vector& own : e) mean = mean + 1 / static_cast<double>(fixed + 1) * own;
    const std::size_t decided = seen.size() - 1;
    Vector solution = decided == 0 ? p.at("initial_stepcontext") : Vector(embed);
    for (std::size_t s = 0; s < decided; ++s) {
      const auto u = static_cast<std::size_t>(seen[s].choice + 1);
      solution = solution + 1 / static_cast<double>(decided) *
                                linear("step_context_transf", concatenate({e[u], arrivals[s]}));
    }
    const bool costs = state.problem().traits().own_costs();
    const double scale = budgets ? state.total_capacity() : static_cast<double>(fixed);
    Vector result;
    std::vector<Offer> candidates = {{kSkip, 0, 0}};
    candidates.insert(candidates.end(), state.offers().begin(), state.offers().end());
    for (const Offer& offer : candidates) {
      Vector h = concatenate({{static_cast<double>(offer.gain),
                               static_cast<double>(decided) / market.horizon.arrivals(),
                               state.value() / scale, offer.node == kSkip ? 1.0 : 0.0, 0.0},
                              costs ? Vector{static_cast<double>(offer.cost)} : Vector(),
                              arrivals.back(),
                              e[static_cast<std::size_t>(offer.node + 1)],
                              solution,
                              mean});
      for (int layer = 0; p.contains("ff." + std::to_string(layer) + ".weight"); layer += 2) {
        h = linear("ff." + std::to_string(layer), layer > 0 ? relu(h) : h);
      }
      result.push_back(h[0]);
    }
    return result;
  }

  std::map<std::string, Vector> p;
  std::size_t embed;
};

}  // namespace foresight
