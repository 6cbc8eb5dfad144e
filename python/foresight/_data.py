"""Sources and datasets."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from . import _core
from ._arrays import fitting, sparse_rows
from ._core import Dataset, Instance
from ._progress import Progress, listener
from ._solve import solve


class Source:
    """Where instances come from, named by a spec such as "crowd(u=10,v=30)"; see `foresight.sources()`."""

    def __init__(self, spec: str) -> None:
        """Raise ValueError if there is no such source."""
        self.spec = spec
        self._source = _core.Source.make(spec)

    def draw(self, seed: int, index: int) -> Instance:
        """Instance `index` of the endless sequence that `seed` names."""
        return self._source.draw(seed, index)

    @property
    def problem(self) -> str:
        """The problem that the instances are made for."""
        return self._source.problem

    @property
    def size(self) -> int | None:
        """For recorded data, how many instances there are."""
        return self._source.size

    def __repr__(self) -> str:
        return f"Source({self.spec!r})"


def generate(
    source: str | Source,
    count: int | None = None,
    *,
    seed: int = 1,
    problem: str = "",
    label: bool = False,
    threads: int = 0,
    progress: Progress = None,
) -> Dataset:
    """Draw instances of a source.

    Args:
        source: a spec such as "crowd(u=10,v=30)".
        count: how many; None stands for 1000, or for all that were recorded.
        seed: the same one gives the same instances.
        problem: what they are for; by default the source's own.
        label: also solve them in hindsight.
        threads: 0 for all cores; changes no result.
        progress: see `foresight.train`.
    """
    spec = source.spec if isinstance(source, Source) else source
    options = {"count": count, "seed": seed, "problem": problem, "threads": threads}
    data = _core.generate(spec, options, listener(progress))
    return solve(data, threads=threads, progress=progress) if label else data


def gather(matrices: Iterable[Any], *, problem: str = "e-obm", budgets: Any = None, source: str = "own") -> Dataset:
    """Make a dataset of matrices, dense or SciPy sparse: a row per arrival in order, a column per fixed node.

    A zero is no edge. For problems with budgets, `budgets` holds one per column, for all matrices or for each.
    """
    if not isinstance(matrices, Iterable):
        raise TypeError(f"gather: matrices must be a list of matrices, got {matrices!r}")
    own = fitting("budgets", [] if budgets is None else budgets, np.float32)
    fixed, arrivals, begins, nodes, weights, amounts = [0], [0], [np.zeros(1, np.int64)], [], [], []
    for i, matrix in enumerate(matrices):
        edges = _edges(matrix)
        count, size = edges["shape"]
        fixed.append(fixed[-1] + size)
        arrivals.append(arrivals[-1] + count)
        begins.append(edges["begin"][1:] + begins[-1][-1])
        nodes.append(edges["nodes"])
        weights.append(edges["weights"])
        if budgets is not None:
            if own.ndim > 1 and i >= len(own):
                raise ValueError(f"budgets are given for {len(own)} matrices, but there are more")
            amounts.append(own if own.ndim == 1 else own[i])
    arrays = {
        "instance.fixed_begin": np.array(fixed, np.int64),
        "instance.arrival_begin": np.array(arrivals, np.int64),
        "arrival.edge_begin": np.concatenate(begins),
        "edge.node": np.concatenate([np.empty(0, np.int32), *nodes]),
        "edge.weight": np.concatenate([np.empty(0, np.float32), *weights]),
    }
    if amounts:
        arrays["fixed.budget"] = np.concatenate(amounts)
    return Dataset.from_arrays(arrays, problem=problem, source=source)


def _edges(matrix: Any) -> dict[str, Any]:
    """The edges of one matrix, row by row, nodes ascending."""
    if hasattr(matrix, "tocoo"):
        csr = sparse_rows(matrix).copy()
        csr.sum_duplicates()
        csr.eliminate_zeros()
        begin, nodes, weights, shape = csr.indptr, csr.indices, csr.data, csr.shape
    else:
        dense = fitting("a matrix", matrix, np.float32)
        if dense.ndim != 2:
            raise ValueError(f"a matrix must have two dimensions, got {dense.ndim}")
        rows, nodes = np.nonzero(dense)
        weights, shape = dense[rows, nodes], dense.shape
        begin = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=shape[0]))])
    return {
        "shape": shape,
        "begin": begin.astype(np.int64),
        "nodes": nodes.astype(np.int32),
        "weights": fitting("the weights of a sparse matrix", weights, np.float32),
    }
