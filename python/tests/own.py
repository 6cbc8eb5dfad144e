"""A source, a policy and problems that are written in Python, for tests."""

import numpy as np

import foresight

MINE = "own-orders(u=3,v=5,low=0.2,kind=rush)"


def instance(weights, capacities=None, attributes=None, problem="e-obm"):
    """One with all edges, and an attribute of each arrival."""
    rows, columns = weights.shape
    arrays = {
        "instance.fixed_begin": [0, columns],
        "instance.arrival_begin": [0, rows],
        "arrival.edge_begin": np.arange(0, rows * columns + 1, columns),
        "edge.node": np.tile(np.arange(columns), rows),
        "edge.weight": weights.ravel(),
    }
    if capacities is not None:
        arrays["fixed.capacity"] = capacities
    if attributes is not None:
        arrays["arrival.attributes"] = attributes.reshape(rows, 1)
    columns = ["urgency"] if attributes is not None else []
    return foresight.Dataset.from_arrays(arrays, problem=problem, arrival_attributes=columns)[0]


class Orders:
    problem = "own-urgent"
    arrival_attributes = ("urgency",)
    capacities = True

    def __init__(self, u, v, low, kind):
        assert (type(u), type(v), type(low), type(kind)) == (int, int, float, str)
        self.shape, self.low, self.kind = (v, u), low, kind

    def draw(self, seed, index):
        random = np.random.default_rng([seed, index])
        weights = random.uniform(self.low, 1, self.shape).astype(np.float32)
        urgency = random.integers(1, 4, self.shape[0]).astype(np.float32)
        return instance(weights, np.full(self.shape[1], 2.0), urgency if self.kind == "rush" else urgency * 0 + 1)


class Urgent(foresight.Problem):
    """An order is worth more where it is urgent."""

    gain = "own"

    def price(self, market, arrival):
        assert market.horizon > 0 and len(arrival.weights) == len(arrival.nodes) and arrival.type == -1
        return arrival.weights * arrival.attributes[0], None


class UrgentOutOfBudgets(Urgent):
    use = "gain"


class Portions(foresight.Problem):
    """Every match takes a part of its node, by a measure of its own."""

    use = "other"

    def __init__(self, whole):
        self.whole = whole

    def capacity(self, market):
        return np.full(market.num_fixed, self.whole)

    def price(self, market, arrival):
        return arrival.weights, [0.5] * len(arrival.nodes)


class AtLeast(foresight.Policy):
    def __init__(self, threshold):
        self.threshold = threshold

    def score(self, state):
        return [self.threshold, *state.gains]


def register():
    """Once per process: entries are never removed."""
    foresight.register_problem("own-urgent", Urgent, summary="urgent orders are worth more")
    foresight.register_problem("own-budgets", UrgentOutOfBudgets)
    foresight.register_problem("own-portions", Portions, {"whole": 1.0})
    foresight.register_source(
        "own-orders", Orders, {"u": 4, "v": 6, "low": 0.1, "kind": "rush"}, "orders that were drawn in Python"
    )
    foresight.register_policy("own-at-least", AtLeast, {"threshold": 0.5}, summary="nothing below a threshold")
