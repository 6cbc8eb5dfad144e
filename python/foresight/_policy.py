"""Policies written in Python."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy.typing as npt

from ._core import Market, State

Scores = Sequence[float] | npt.NDArray[Any]


class Policy:
    """Derive from it and define `score`; `foresight.evaluate` and `foresight.play` take it beside ours.

    A policy gives scores; the highest wins, and ties are broken at random. Only their differences to the
    highest count, and these are rounded to float32. A policy never loops over time.
    Episodes are played side by side: what a policy remembers of one belongs into what `begin` returns,
    not into `self`. Its methods are called from threads of the library, never from two at once.

        class Cautious(foresight.Policy):
            def score(self, state):
                early = state.share_passed < 0.5
                return [1e9 if early else 0, *state.gains]
    """

    @property
    def name(self) -> str:
        """What results call it."""
        return type(self).__name__

    def begin(self, market: Market) -> Any:
        """Return what to remember of an episode that begins; it is `state.memory` from then on."""
        return None

    def score(self, state: State) -> Scores:
        """The score of skipping, then of each offer in the order of `state.nodes`."""
        raise NotImplementedError(f"{type(self).__name__} defines neither score nor score_batch")

    def score_batch(self, states: list[State]) -> Sequence[Scores]:
        """The same for many states at once; override it where that is faster, as with a network."""
        return [self.score(state) for state in states]
