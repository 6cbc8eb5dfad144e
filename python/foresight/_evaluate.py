"""Playing and judging policies."""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Union

import numpy as np
import numpy.typing as npt

from . import _core
from ._arguments import AnyDataset, dataset
from ._core import Model, PolicyResult
from ._policy import Policy
from ._progress import Progress, listener
from ._train import Run, Search

if TYPE_CHECKING:
    import pandas

#: A spec such as "greedy-t(threshold=0.3)", a run folder or checkpoint, a model, a run, a search, or an own policy.
AnyPolicy = Union[str, "os.PathLike[str]", Model, Run, Search, Policy]


class Evaluation:
    """What `foresight.evaluate` found."""

    def __init__(self, core: _core.Evaluation) -> None:
        """Made by `evaluate` and `load`."""
        self._core = core

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Evaluation:
        """Read what `save` or `foresight evaluate --json` wrote."""
        with open(path, encoding="utf-8") as file:
            return cls(_core.evaluation_from_json(file.read(), os.fspath(path)))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it as JSON, as docs/formats.md specifies."""
        _core.write_file(path, self.to_json())

    def to_json(self) -> str:
        """The machine-readable form."""
        return self._core.to_json()

    def to_dict(self) -> dict[str, Any]:
        """The machine-readable form as Python objects."""
        result: dict[str, Any] = json.loads(self.to_json())
        return result

    @property
    def policies(self) -> list[PolicyResult]:
        """One result per policy, in the order given."""
        return list(self._core.policies)

    @property
    def problem(self) -> str:
        """The problem's name."""
        return self._core.problem

    @property
    def num_instances(self) -> int:
        """How many instances were played."""
        return self._core.num_instances

    @property
    def gap_reference(self) -> str | None:
        """The name of the policy at which the gap to optimal-online begins, if there is a gap."""
        return self._core.gap_reference

    @property
    def names(self) -> list[str]:
        """What tells the policies apart: their names. Where several have the same, later ones get " #2", " #3"."""
        names: list[str] = []
        for policy in self.policies:
            candidates = itertools.chain([policy.name], (f"{policy.name} #{i}" for i in itertools.count(2)))
            names.append(next(name for name in candidates if name not in names))
        return names

    def _by_name(self) -> dict[str, PolicyResult]:
        return dict(zip(self.names, self.policies, strict=True))

    @property
    def ratios(self) -> dict[str, npt.NDArray[np.float64]]:
        """By policy, as in `names`, the optimality ratio on every instance."""
        return {name: policy.ratios for name, policy in self._by_name().items()}

    def __getitem__(self, name: str) -> PolicyResult:
        return self._by_name()[name]

    def rows(self) -> list[dict[str, Any]]:
        """One flat dict per policy, for tables."""
        return [
            {
                "policy": name,
                "mean_ratio": policy.ratio.mean,
                "ci95": policy.ratio.ci95,
                "std_ratio": policy.ratio.standard_deviation,
                "min_ratio": policy.ratio.minimum,
                "mean_value": policy.mean_value,
                "matched": policy.matched,
                "vs_first": policy.against_first.mean_difference,
                "p": policy.against_first.wilcoxon_p,
                "gap_closed": policy.gap_closed,
                "decisions_per_second": policy.decisions_per_second,
                "p50_microseconds": policy.p50_microseconds,
                "p99_microseconds": policy.p99_microseconds,
            }
            for name, policy in self._by_name().items()
        ]

    def to_pandas(self) -> pandas.DataFrame:
        """A row per policy."""
        import pandas

        return pandas.DataFrame(self.rows()).set_index("policy")

    def __repr__(self) -> str:
        found = ", ".join(f"{name}: {policy.ratio.mean:.4f}" for name, policy in self._by_name().items())
        return f"<Evaluation of {self.num_instances} instances: {found}>"


def _usable(policy: AnyPolicy) -> Any:
    return policy.folder if isinstance(policy, (Run, Search)) else policy


def evaluate(
    data: AnyDataset,
    policies: AnyPolicy | Iterable[AnyPolicy],
    *,
    seed: int = 0,
    threads: int = 0,
    episodes: int = 0,
    horizon: str = "",
    progress: Progress = None,
) -> Evaluation:
    """Judge policies by their optimality ratio; each plays every instance.

    Args:
        data: a dataset, or the path of one; solved on the fly if it has no optima.
        policies: specs, run folders, checkpoints, models, and own policies, in any order.
        seed: of what randomised policies draw.
        threads: 0 for all cores; changes no result.
        episodes: record the first so many, if small, decision by decision, for reports.
        horizon: what policies are told of the number of arrivals, as in `foresight.train`.
        progress: see `foresight.train`.

    An exception that a policy of your own raises ends the evaluation and comes out as it is.
    """
    if isinstance(policies, (str, os.PathLike, Model, Run, Search, Policy)):
        policies = [policies]
    elif not isinstance(policies, Iterable):
        raise TypeError(f"evaluate: policies must be a policy or a list of policies, got {policies!r}")
    usable = [_usable(policy) for policy in policies]
    options = {"seed": seed, "threads": threads, "episodes": episodes, "horizon": horizon}
    return Evaluation(_core.evaluate(dataset("evaluate: data", data), usable, options, listener(progress)))


def play(
    data: AnyDataset,
    policy: AnyPolicy,
    *,
    sample: bool = False,
    seed: int = 0,
    threads: int = 0,
    progress: Progress = None,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int32]]:
    """Play all instances: the value of each, and the matching of all arrivals, one instance after the other.

    The matching holds a fixed node or -1 for skip, as the array `label.matching` does; instance i's part
    is between `data.arrays["instance.arrival_begin"][i]` and `[i + 1]`. With `sample`, decisions are drawn
    with scores as log-odds.
    """
    options = {"seed": seed, "threads": threads}
    return _core.play(dataset("play: data", data), _usable(policy), sample, options, listener(progress))
