// What policies and problems written in Python see: the market, an arrival, and the state that awaits
// a decision.
#include <algorithm>

#include "python_policy.h"
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "foresight/base/error.h"
#include "foresight/features/features.h"

namespace foresight::python {
namespace {

template <typename T>
std::vector<T> copied(std::span<const T> values) {
  return {values.begin(), values.end()};
}

/// A value per entry of a list.
template <typename T, typename List, typename Value>
auto each(const List& list, Value&& value) {
  std::vector<T> values;
  values.reserve(list.size());
  for (const auto& entry : list) values.push_back(value(entry));
  return array(std::move(values));
}

/// A value per fixed node.
template <typename T, typename Value>
auto each_node(const State& state, Value&& value) {
  std::vector<T> values;
  for (NodeId u = 0; u < state.market().num_fixed; ++u) values.push_back(value(u));
  return array(std::move(values));
}

const Moments& gains(const State& state, NodeId u) {
  return state.history().gains[static_cast<std::size_t>(u)];
}

/// The units of a checkpoint, as its metadata has them; without them everything is as it is.
using GivenUnits = std::optional<std::map<std::string, double>>;

FeatureOptions feature_options(const State& state, bool history, const GivenUnits& given) {
  Units units;
  if (given) {
    const auto unit = [&](const char* name) {
      const auto found = given->find(name);
      if (found == given->end()) {
        fail(ErrorCode::kUsage, "units: {} is missing; expected gain, cost and amount", name);
      }
      return found->second;
    };
    units = Units(unit("gain"), unit("cost"), unit("amount"));
  }
  return feature_options(state.problem().traits(), !state.market().capacities.empty(), history,
                         units);
}

auto flat_features(const StateView& view, bool history, const GivenUnits& units) {
  const State& state = view.get();
  const FlatFeatures features(feature_options(state, history, units), state.market().num_fixed);
  std::vector<float> row(features.width());
  features.fill(state, row);
  return array(std::move(row));
}

auto node_features(const StateView& view, bool history, const GivenUnits& units) {
  const State& state = view.get();
  const NodeFeatures features(feature_options(state, history, units));
  const std::size_t width = features.width();
  std::vector<float> values((state.offers().size() + 1) * width);
  const NodeFeatures::Row shared = features.row(state);
  std::span<float> rest(values);
  shared.fill_skip(rest.first(width));
  for (const Offer& offer : state.offers()) {
    rest = rest.subspan(width);
    shared.fill(offer, true, rest.first(width));
  }
  return array(std::move(values), width);
}

nb::object python_horizon(const Horizon& horizon) {
  if (horizon.is_known()) return nb::int_(static_cast<int>(horizon.arrivals()));
  if (horizon.is_expected()) return nb::float_(horizon.arrivals());
  return nb::none();
}

void define_market(nb::module_& module) {
  nb::class_<MarketCopy>(module, "Market", DOC(Market))
      .def_ro("num_fixed", &MarketCopy::num_fixed)
      .def_prop_ro(
          "horizon", [](const MarketCopy& m) { return python_horizon(m.horizon); },
          "The number of arrivals: an int if it is known, a float if it is expected, else None.")
      .def_prop_ro(
          "capacities", [](const MarketCopy& m) { return array(m.capacities); },
          DOC(Market_capacities))
      .def_ro("names", &MarketCopy::names,
              "The names of the fixed nodes, \"\" for one without; empty if none has one.")
      .def_prop_ro(
          "ids", [](const MarketCopy& m) { return array(m.ids); }, DOC(Market_ids))
      .def_prop_ro(
          "attributes", [](const MarketCopy& m) { return array(m.attributes, m.width); },
          DOC(Market_attributes));
}

void define_arrival(nb::module_& module) {
  nb::class_<ArrivalCopy>(module, "Arrival", DOC(Arrival))
      .def_prop_ro(
          "nodes", [](const ArrivalCopy& a) { return array(a.nodes); },
          "Its neighbours, ascending.")
      .def_prop_ro(
          "weights", [](const ArrivalCopy& a) { return array(a.weights); }, DOC(Arrival_weights))
      .def_prop_ro(
          "costs", [](const ArrivalCopy& a) { return array(a.costs); }, DOC(Arrival_costs))
      .def_ro("name", &ArrivalCopy::name, DOC(Arrival_name))
      .def_ro("type", &ArrivalCopy::type, DOC(Arrival_type))
      .def_prop_ro(
          "preferences", [](const ArrivalCopy& a) { return array(a.preferences); },
          DOC(Arrival_preferences))
      .def_prop_ro("attributes", [](const ArrivalCopy& a) { return array(a.attributes); });
}

}  // namespace

std::vector<std::string> copied(const foresight::Names& names) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < names.numbers.size(); ++i) texts.emplace_back(names[i]);
  return texts;
}

MarketCopy::MarketCopy(const Market& market)
    : num_fixed(market.num_fixed),
      horizon(market.horizon),
      capacities(copied(market.capacities)),
      attributes(copied(market.attributes.values)),
      ids(copied(market.ids)),
      names(copied(market.names)),
      width(market.attributes.width) {}

bool MarketCopy::operator==(const Market& market) const {
  return num_fixed == market.num_fixed && horizon == market.horizon &&
         width == market.attributes.width && std::ranges::equal(capacities, market.capacities) &&
         std::ranges::equal(ids, market.ids) &&
         std::ranges::equal(attributes, market.attributes.values) && names == copied(market.names);
}

ArrivalCopy::ArrivalCopy(const Arrival& arrival)
    : nodes(copied(arrival.nodes)),
      weights(copied(arrival.weights)),
      costs(copied(arrival.costs)),
      preferences(copied(arrival.preferences)),
      attributes(copied(arrival.attributes)),
      type(arrival.type),
      name(arrival.name) {}

const State& StateView::get() const {
  if (!state) {
    fail(ErrorCode::kUsage,
         "a state can only be read while it is being scored; copy what you need");
  }
  return *state;
}

void define_state(nb::module_& module) {
  define_market(module);
  define_arrival(module);
  using View = StateView;
  nb::class_<View>(module, "State",
                   "One episode as it unfolds, at the moment of a decision. To be read only while "
                   "it is being scored; arrays are copies.")
      .def_ro("market", &View::market, nb::sig("def market(self) -> Market"))
      .def_ro("memory", &View::memory, "What the policy's begin(market) returned for this episode.")
      .def_prop_ro(
          "nodes",
          [](const View& v) {
            return each<NodeId>(v.get().offers(), [](const Offer& offer) { return offer.node; });
          },
          "The fixed nodes that can be chosen, ascending.")
      .def_prop_ro(
          "gains",
          [](const View& v) {
            return each<float>(v.get().offers(), [](const Offer& offer) { return offer.gain; });
          },
          "What matching each of them would bring.")
      .def_prop_ro(
          "costs",
          [](const View& v) {
            return each<float>(v.get().offers(), [](const Offer& offer) { return offer.cost; });
          },
          "What it would use up of the node's capacity.")
      .def_prop_ro(
          "arrival_nodes", [](const View& v) { return array(v.get().arrival().nodes); },
          "All neighbours of the arrival, used-up ones included.")
      .def_prop_ro("arrival_weights",
                   [](const View& v) { return array(v.get().arrival().weights); })
      .def_prop_ro(
          "arrival_name", [](const View& v) { return std::string(v.get().arrival().name); },
          DOC(Arrival_name))
      .def_prop_ro(
          "arrival_type", [](const View& v) { return v.get().arrival().type; }, DOC(Arrival_type))
      .def_prop_ro(
          "arrival_preferences", [](const View& v) { return array(v.get().arrival().preferences); },
          DOC(Arrival_preferences))
      .def_prop_ro("arrival_attributes",
                   [](const View& v) { return array(v.get().arrival().attributes); })
      .def_prop_ro(
          "time", [](const View& v) { return v.get().history().arrivals; }, DOC(History_arrivals))
      .def_prop_ro(
          "share_passed", [](const View& v) { return v.get().share_passed(); },
          "The share of the arrivals that came before the current one, as far as one is told.")
      .def_prop_ro(
          "to_come", [](const View& v) { return v.get().to_come(); },
          "How many arrivals are to follow the current one, as far as one is told.")
      .def_prop_ro(
          "value", [](const View& v) { return v.get().value(); },
          "The gains of the matches made so far.")
      .def_prop_ro(
          "skips", [](const View& v) { return v.get().history().skips; },
          "Arrivals skipped so far.")
      .def_prop_ro(
          "capacity",
          [](const View& v) {
            const State& state = v.get();
            return each_node<float>(state, [&](NodeId u) { return state.capacity(u); });
          },
          "What each fixed node could take at the start.")
      .def_prop_ro(
          "remaining",
          [](const View& v) {
            const State& state = v.get();
            return each_node<double>(state, [&](NodeId u) { return state.remaining(u); });
          },
          "What each fixed node can still take.")
      .def_prop_ro(
          "mean_gains",
          [](const View& v) {
            const State& state = v.get();
            return each_node<double>(state, [&](NodeId u) { return gains(state, u).mean(); });
          },
          "Per fixed node, the mean gain of its edges to the arrivals decided so far.")
      .def_prop_ro(
          "degrees",
          [](const View& v) {
            const State& state = v.get();
            return each_node<std::int32_t>(state,
                                           [&](NodeId u) { return gains(state, u).count(); });
          },
          "Per fixed node, its edges to the arrivals decided so far.")
      .def("flat_features", &flat_features, nb::arg("history") = true,
           nb::arg("units") = nb::none(),
           "What ff-hist (without history: ff) sees: one row. `units` are those of a checkpoint: a "
           "dict with gain, cost and amount. Without them every number is as it is.")
      .def("node_features", &node_features, nb::arg("history") = true,
           nb::arg("units") = nb::none(),
           "What inv-ff-hist (without history: inv-ff) sees: a row for skipping, then one per "
           "offer. `units` as for flat_features.");
}

}  // namespace foresight::python
