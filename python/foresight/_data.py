"""Sources and datasets."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from ._arguments import AnyDataset, dataset, several
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


def gather(
    matrices: Iterable[Any],
    *,
    problem: str | None = None,
    capacities: Any = None,
    costs: Any = None,
    names: Any = None,
    arrival_names: Any = None,
    source: str = "own",
    budgets: None = None,
) -> Dataset:
    """Make a dataset of matrices, dense or SciPy sparse: a row per arrival in order, a column per fixed node.

    Args:
        matrices: the weights; a zero is no edge.
        problem: by default "e-obm", or "gen-assignment" if there are costs.
        capacities: how often each column can be matched, or its budget; 0 if it is absent. For all matrices
            ([2, 1, 3]) or for each ([[2, 1], [0, 1, 4]]).
        costs: what a match takes of its column: a matrix for each of the matrices, read where that has edges.
        names: of the columns, for all matrices or for each; "" is no name.
        arrival_names: of the rows likewise.
        source: a text that says where they came from.
        budgets: refused; it is called `capacities` now.
    """
    if budgets is not None:
        raise TypeError("gather: there is no argument budgets; use capacities=")
    if not isinstance(matrices, Iterable):
        raise TypeError(f"gather: matrices must be a list of matrices, got {matrices!r}")
    given = list(matrices)
    edges = [_edges(matrix) for matrix in given]
    rows, columns = ([one["shape"][axis] for one in edges] for axis in (0, 1))
    arrays = {
        "instance.fixed_begin": np.cumsum([0, *columns], dtype=np.int64),
        "instance.arrival_begin": np.cumsum([0, *rows], dtype=np.int64),
        "arrival.edge_begin": np.cumsum(
            np.concatenate([np.zeros(1, np.int64), *(np.diff(one["begin"]) for one in edges)]), dtype=np.int64
        ),
        "edge.node": np.concatenate([np.empty(0, np.int32), *(one["nodes"] for one in edges)]),
        "edge.weight": np.concatenate([np.empty(0, np.float32), *(one["weights"] for one in edges)]),
    }
    if capacities is not None:
        parts = [fitting("capacities", part, np.float32) for part in _for_each("capacities", capacities, columns)]
        arrays["fixed.capacity"] = np.concatenate([np.empty(0, np.float32), *parts])
    if costs is not None:
        parts = [_costs(one, matrix) for one, matrix in zip(edges, _one_per_matrix(costs, len(edges)), strict=True)]
        arrays["edge.cost"] = np.concatenate([np.empty(0, np.float32), *parts])
    return Dataset.from_arrays(
        arrays,
        problem=problem or ("e-obm" if costs is None else "gen-assignment"),
        source=source,
        fixed_names=None if names is None else list(chain(*_for_each("names", names, columns))),
        arrival_names=None if arrival_names is None else list(chain(*_for_each("arrival_names", arrival_names, rows))),
    )


def _for_each(what: str, given: Any, sizes: list[int]) -> list[list[Any]]:
    """What is given for all matrices or for each of them, as a list for each."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise TypeError(f"gather: {what} must be a list, got {given!r}")
    entries = list(given)
    if all(isinstance(entry, str) or not isinstance(entry, Iterable) for entry in entries):
        lists = [entries] * len(sizes)
    elif len(entries) == len(sizes):
        lists = [list(entry) for entry in entries]
    else:
        raise ValueError(f"gather: {what} are given for {len(entries)} matrices, but there are {len(sizes)}")
    for i, (entry, size) in enumerate(zip(lists, sizes, strict=True)):
        if len(entry) != size:
            raise ValueError(f"gather: matrix {i} has {len(entry)} {what} instead of {size}")
    return lists


def _one_per_matrix(costs: Any, count: int) -> list[Any]:
    if not isinstance(costs, Iterable):
        raise TypeError(f"gather: costs must be a list of matrices, got {costs!r}")
    matrices = list(costs)
    if len(matrices) != count:
        raise ValueError(f"gather: costs are given for {len(matrices)} matrices, but there are {count}")
    return matrices


def _costs(edges: dict[str, Any], matrix: Any) -> npt.NDArray[np.float32]:
    """The cost of each edge, from a matrix of the same shape."""
    costs = sparse_rows(matrix) if hasattr(matrix, "tocoo") else fitting("a matrix of costs", matrix, np.float32)
    if costs.shape != edges["shape"]:
        raise ValueError(f"gather: a matrix of costs has the shape {costs.shape} instead of {edges['shape']}")
    rows = np.repeat(np.arange(edges["shape"][0]), np.diff(edges["begin"]))
    found = np.asarray(costs[rows, edges["nodes"]]).ravel() if len(rows) else np.empty(0, np.float32)
    return fitting("the costs", found, np.float32)


def concat(datasets: Iterable[Dataset]) -> Dataset:
    """The instances of all datasets, one after the other, as `a + b` for two.

    Labels are kept if all have them. Raises ValueError if they differ in the problem, in attributes, topics,
    capacities or costs.
    """
    return _core.join(several("concat: datasets", datasets, (Dataset,), "a list of datasets"))


def split(data: AnyDataset, *, shuffle_seed: int | None = None, **parts: Any) -> Any:
    """Cut a dataset into named parts, in the order of its instances, so that a log is cut by time.

        train, val, test = foresight.split(log, train=0.7, val=0.15, test=0.15)
        foresight.split(log, train=24, test="rest").train

    Args:
        data: a dataset, or the path of one.
        shuffle_seed: if given, the instances are put into a random order first.
        parts: the size of each: a number of instances, a share of them (a float), or "rest". They must add up
            to all instances.

    Returns:
        A named tuple of datasets.
    """
    datasets = _core.split(dataset("split: data", data), parts, shuffle_seed)
    return namedtuple("Parts", list(parts))(*datasets)


def instances_of(data: Dataset) -> Iterator[Instance]:
    """All instances, one by one."""
    return (data[i] for i in range(len(data)))


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
