"""Problems written in Python."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ._core import Arrival, Market

Amounts = Sequence[float] | npt.NDArray[Any]


class Problem:
    """Derive from it, say what a match gains and uses up, and give it a name with `register_problem`.

    Only problems whose gains do not depend on earlier matches can be written in Python. Two attributes
    declare what the problem is like. Solvers and models go by them, and what `price` says must agree.

        class Discounted(foresight.Problem):
            gain = "own"

            def price(self, market, arrival):
                return arrival.weights * 0.5**arrival.attributes[0], None

        foresight.register_problem("discounted", Discounted)

    Methods are called from threads of the library, never from two at once.
    """

    #: What a match gains: the "weight" of its edge, or what `price` says ("own").
    gain: Literal["weight", "own"] = "weight"
    #: What it takes of its fixed node's capacity: 1 ("unit"; the capacity is 1 where the data says none), what
    #: it gains ("gain"; the capacity is a budget), the cost of its edge ("cost"), or what `price` says ("other",
    #: for which there is no method for hindsight optima).
    use: Literal["unit", "gain", "cost", "other"] = "unit"

    def price(self, market: Market, arrival: Arrival) -> tuple[Amounts, Amounts | None]:
        """What a match with each of `arrival.nodes` would gain, and what it would cost.

        The costs may be None where `use` says them: 1 for "unit", the gain for "gain", `arrival.costs` for "cost".
        """
        return arrival.weights, None

    def capacity(self, market: Market) -> Amounts:
        """How much each fixed node can take; asked only where `use` is "other"."""
        return market.capacities if len(market.capacities) > 0 else np.ones(market.num_fixed, np.float32)
