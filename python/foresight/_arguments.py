"""Arguments that several calls take."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, Union

from ._core import Dataset

#: Instances in memory, or the path of a file that `Dataset.save` wrote.
AnyDataset = Union[Dataset, str, "os.PathLike[str]"]


def dataset(what: str, data: Any) -> Dataset:
    """The dataset itself, or what the file holds. `what` is how errors call the argument."""
    if isinstance(data, Dataset):
        return data
    if isinstance(data, (str, os.PathLike)):
        return Dataset.load(data)
    raise TypeError(f"{what} must be a Dataset or the path of one, got {data!r}")


def several(what: str, given: Any, kinds: tuple[type, ...], wanted: str) -> list[Any]:
    """A list of what is of these kinds, also if only one was given. `wanted` is how errors call them."""
    if isinstance(given, kinds):
        return [given]
    if isinstance(given, Iterable):
        all_given = list(given)
        wrong = [each for each in all_given if not isinstance(each, kinds)]
        if not wrong:
            return all_given
        given = wrong[0]
    raise TypeError(f"{what} must be {wanted}, got {given!r}")
