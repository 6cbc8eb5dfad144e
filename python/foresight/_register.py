"""Sources, policies and problems of your own, under names that every spec can use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from . import _core
from ._policy import Policy
from ._problem import Problem

Options = Mapping[str, int | float | str]


def _defaults(options: Options | None) -> dict[str, Any]:
    if options is not None and not isinstance(options, Mapping):
        raise TypeError(f"options must be a dict of names and defaults, got {options!r}")
    return dict(options or {})


def register_source(name: str, make: Callable[..., Any], options: Options | None = None, summary: str = "") -> None:
    """Give a source of your own a name.

    Args:
        name: as specs have it: letters, digits, '-' and '_'. ValueError if it is taken.
        make: called with the options of a spec as keywords. Returns an object with `draw(seed, index)`,
            which returns an Instance that depends on nothing else, such as `gather([matrix])[0]`. It may
            have: `problem` (default "e-obm"), `size` (how many instances there are; default: endless),
            `fixed_attributes`, `arrival_attributes` and `topics` (names of columns), `capacities` and `costs`
            (True if its instances have them), and `digest` (of files that it read, so that a change in them is
            noticed).
        options: names and defaults; the type of a default, int, float or str, says what an option takes.
        summary: one line for lists.

    `draw` is called from threads of the library, never from two at once.
    """
    _core.register_source(name, make, _defaults(options), summary)


def register_policy(name: str, make: Callable[..., Policy], options: Options | None = None, summary: str = "") -> None:
    """Give a policy of your own a name. `make` returns a `foresight.Policy`; the rest as in `register_source`."""
    _core.register_policy(name, make, _defaults(options), summary)


def register_problem(
    name: str, make: Callable[..., Problem], options: Options | None = None, summary: str = ""
) -> None:
    """Give a problem of your own a name. `make` returns a `foresight.Problem`; the rest as in `register_source`."""
    _core.register_problem(name, make, _defaults(options), summary)
