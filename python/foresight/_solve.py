"""Hindsight optima."""

from __future__ import annotations

import os
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from . import _core
from ._arguments import AnyDataset, dataset
from ._arrays import fitting, sparse_rows
from ._core import Dataset
from ._progress import Progress, listener

#: Sparse weights in double precision are solved as a matrix up to this many cells (128 MiB).
_DENSE_CELLS = 1 << 24

Matching = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]


@overload
def solve(
    data: AnyDataset,
    *,
    time_limit: float = ...,
    gap: float = ...,
    again: bool = ...,
    threads: int = ...,
    progress: Progress = ...,
) -> Dataset: ...


@overload
def solve(
    data: Any,
    *,
    time_limit: float = ...,
    gap: float = ...,
    again: bool = ...,
    threads: int = ...,
    progress: Progress = ...,
) -> Matching: ...


def solve(
    data: AnyDataset | Any,
    *,
    time_limit: float = 10,
    gap: float = 1e-4,
    again: bool = False,
    threads: int = 0,
    progress: Progress = None,
) -> Dataset | Matching:
    """Find the best that could have been done in hindsight.

    Of a dataset, or the path of one: the same dataset with its optima. `time_limit` is in seconds per
    instance, and only programs that need branch and bound use it. Optima with budgets are done once their
    value is within `gap` of its bound, as a part of the bound. Optima that are there are kept, unless
    `again` asks for new ones. Interrupted, it raises KeyboardInterrupt.

    Of a matrix: rows and columns of the pairs to match, as
    `scipy.optimize.linear_sum_assignment(data, maximize=True)` gives them. Every row, or every column
    if there are fewer, is matched. Weights must be finite: unlike SciPy, -inf is refused.

    Of a SciPy sparse matrix: its entries are the edges, and what is not stored cannot be matched. Only
    positive entries are, so that a row that would gain nothing is left out; where no entry is negative,
    the value is that of the full matrix. Weights in double precision are used as such up to 16 million
    cells, beyond that they are rounded to single precision.
    """
    if type(data) is np.ndarray and data.dtype == np.float64 and data.ndim == 2:  # at once
        return _core.solve_full(data)
    if isinstance(data, (Dataset, str, os.PathLike)):
        options = {"time_limit": time_limit, "gap": gap, "threads": threads}
        given = dataset("solve: data", data)
        if again:
            given = given.for_problem(given.problem)  # without labels
        return _core.solve_dataset(given, options, listener(progress))
    if hasattr(data, "tocsr"):
        return _solve_sparse(data)
    try:
        weights = np.asarray(data)
    except ValueError as error:  # such as rows of different lengths
        raise ValueError(f"expected a matrix (2-D array): {error}") from error
    if weights.ndim != 2:
        raise ValueError(f"expected a matrix (2-D array), got a {weights.ndim}-D array")
    if weights.dtype.kind not in "biuf":
        raise ValueError(f"expected a matrix of numbers, got {weights.dtype}")
    return _core.solve_full(weights.astype(np.float64))


def _solve_sparse(data: Any) -> Matching:
    matrix = sparse_rows(data)
    if not np.isfinite(matrix.data).all():
        raise ValueError("the weights of a sparse matrix must be finite numbers")
    if not matrix.has_canonical_format or (matrix.data <= 0).any():
        matrix = matrix.copy()
        matrix.sum_duplicates()
        matrix.data[matrix.data < 0] = 0
        matrix.eliminate_zeros()
    rows, columns = matrix.shape
    if matrix.dtype != np.float32 and rows * columns <= _DENSE_CELLS:
        return _core.solve_dense(matrix.toarray().astype(np.float64, copy=False))
    row_matching = _core.solve_sparse(
        columns,
        matrix.indptr.astype(np.int64, copy=False),
        matrix.indices.astype(np.int32, copy=False),
        fitting("the weights of a sparse matrix", matrix.data, np.float32),
    )
    rows_matched = np.flatnonzero(row_matching >= 0)
    return rows_matched, row_matching[rows_matched].astype(np.int64)
