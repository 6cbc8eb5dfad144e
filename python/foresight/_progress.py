"""How progress is shown: a bar in a terminal, a line that changes in a notebook, else nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

#: True for a bar in the terminal, False for nothing, None to decide by where the program runs, or a
#: function that is told ten times a second: what, done, total, unit, note, seconds and a text.
Progress = bool | None | Callable[[dict[str, Any]], None]


def listener(progress: Progress) -> bool | Callable[[dict[str, Any]], None]:
    """Decides what None stands for. Raises TypeError for what nothing can be told to."""
    if isinstance(progress, bool) or callable(progress):
        return progress
    if progress is not None:
        raise TypeError(f"progress must be True, False, None or a function, got {progress!r}")
    if "ipykernel" in sys.modules:
        return _Notebook()
    return sys.stderr is not None and sys.stderr.isatty()


class _Notebook:
    """Shows one line under the cell, and changes it in place."""

    def __init__(self) -> None:
        self._handle: Any = None

    def __call__(self, state: dict[str, Any]) -> None:
        shown = {"text/plain": state["text"]}
        if self._handle is None:
            from IPython.display import display

            self._handle = display(shown, raw=True, display_id=True)
        else:
            self._handle.update(shown, raw=True)
