"""Arrays of users as the library needs them: nothing is changed beyond rounding, and nothing is trusted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt


def fitting(what: str, given: Any, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """`given` as an array of this type, in place where type and layout fit.

    Raises TypeError for other than numbers, and for fractions where whole numbers are needed. Raises
    ValueError for numbers that the type cannot hold. `what` is how errors call the array.
    """
    wanted = np.dtype(dtype)
    try:
        values = np.asarray(given)
    except ValueError as error:  # such as rows of different lengths
        raise ValueError(f"{what}: expected an array of numbers: {error}") from error
    if values.size > 0:
        _check(what, values, wanted)
    with np.errstate(under="ignore"):
        return values.astype(wanted, order="C", copy=False)


def _check(what: str, values: npt.NDArray[Any], wanted: np.dtype[Any]) -> None:
    low: float
    high: float
    if wanted.kind in "iu":
        low, high = np.iinfo(wanted).min, np.iinfo(wanted).max
        kinds, expected = "iu", f"whole numbers {low}..{high}"
    else:
        low, high = float(np.finfo(wanted).min), float(np.finfo(wanted).max)
        kinds, expected = "biuf", f"numbers {low:g}..{high:g}"
    if values.dtype.kind not in kinds:
        raise TypeError(f"{what}: expected {expected}, got {values.item(0)!r} ({values.dtype})")
    if np.can_cast(values.dtype, wanted):
        return
    finite = values[np.isfinite(values)]
    for value in (finite.min(initial=0).item(), finite.max(initial=0).item()):
        if not low <= value <= high:
            raise ValueError(f"{what}: expected {expected}, got {value}")


def positions(index: Any, size: int) -> npt.NDArray[np.int64]:
    """The instances that a slice, a list of indices or a mask chooses of so many, from the start."""
    if isinstance(index, slice):
        return np.arange(*index.indices(size), dtype=np.int64)
    chosen = None if isinstance(index, tuple) else np.asarray(index)
    if chosen is None or chosen.ndim != 1 or (chosen.size > 0 and chosen.dtype.kind not in "iub"):
        expected = "a whole number, a slice, a list of whole numbers or a mask of True and False"
        raise TypeError(f"the index of an instance must be {expected}, got {index!r}")
    if chosen.dtype.kind == "b":
        if len(chosen) != size:
            raise IndexError(f"a mask must have one entry for each of {size} instances, got {len(chosen)}")
        return np.flatnonzero(chosen).astype(np.int64)
    outside = (chosen < -size) | (chosen >= size)
    if outside.any():
        raise IndexError(f"there is no instance {chosen[outside][0]}; there are {size}")
    return np.where(chosen < 0, chosen + size, chosen).astype(np.int64)


def with_names(arrays: dict[str, Any], fixed: Any, arrivals: Any) -> dict[str, Any]:
    """The arrays of a dataset, and those that hold names; equal names are stored once."""
    texts: dict[str, int] = {}
    named = dict(arrays)
    for array, argument, names in [("fixed.name", "fixed_names", fixed), ("arrival.name", "arrival_names", arrivals)]:
        if names is None:
            continue
        if isinstance(names, str) or not isinstance(names, Iterable):
            raise TypeError(f"from_arrays: {argument} must be a list of texts, got {names!r}")
        numbers = []
        for name in names:
            if not isinstance(name, str):
                raise TypeError(f"from_arrays: {argument} must be a list of texts, got {name!r} in it")
            numbers.append(texts.setdefault(name, len(texts)) if name else -1)
        if any(number >= 0 for number in numbers):
            named[array] = np.array(numbers, np.int32)
    if texts:
        encoded = [text.encode() for text in texts]
        named["text_begin"] = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
        named["text"] = np.frombuffer(b"".join(encoded), np.uint8)
    return named


def sparse_rows(matrix: Any) -> Any:
    """A SciPy sparse matrix in CSR form. SciPy trusts its indices, so they are checked before it uses them."""
    if len(matrix.shape) != 2:
        raise ValueError(f"expected a matrix (2-D array), got a {len(matrix.shape)}-D array")
    if matrix.dtype.kind not in "biuf":
        raise ValueError(f"expected a matrix of numbers, got {matrix.dtype}")
    if max(matrix.shape) > np.iinfo(np.int32).max:
        raise ValueError(f"a side of {max(matrix.shape)} nodes is too large")
    if getattr(matrix, "format", "") in ("csr", "csc", "bsr"):
        _check_compressed(matrix)
    elif hasattr(matrix, "tocoo"):
        matrix = matrix.tocoo()
        for axis, indices in enumerate((matrix.row, matrix.col)):
            _check_indices(indices, matrix.shape[axis])
    return matrix.tocsr()


def _check_compressed(matrix: Any) -> None:
    begin, indices, blocks = matrix.indptr, matrix.indices, getattr(matrix, "blocksize", (1, 1))
    rows, columns = (size // block for size, block in zip(matrix.shape, blocks, strict=True))
    if matrix.format == "csc":
        rows, columns = columns, rows
    if begin.shape != (rows + 1,) or begin.dtype.kind not in "iu" or begin[0] != 0 or (begin[1:] < begin[:-1]).any():
        raise ValueError(f"indptr of a sparse matrix must be {rows + 1} whole numbers, from 0 and never falling")
    if begin[-1] > min(len(indices), len(matrix.data)):
        raise ValueError(
            f"indptr of a sparse matrix ends with {begin[-1]}, but there are {len(indices)} indices "
            f"and {len(matrix.data)} entries"
        )
    _check_indices(indices[: begin[-1]], columns)


def _check_indices(indices: npt.NDArray[Any], size: int) -> None:
    if indices.dtype.kind not in "iu":
        raise ValueError(f"indices of a sparse matrix must be whole numbers, got {indices.dtype}")
    outside = (indices < 0) | (indices >= size)
    if outside.any():
        raise ValueError(f"indices of a sparse matrix must be 0..{size - 1}, got {indices[outside][0]}")
