"""What a study searches: parameters with ranges or choices, written as `lr=log(1e-5,1e-2)`."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import optuna

_DIGITS = range(1, 10)

#: The grid of the paper's appendix.
PAPER: dict[str, str] = {
    "lr": "choice({})".format(",".join(f"{j}e-{i}" for i in range(6, 1, -1) for j in _DIGITS)),
    "decay": "choice(0.95,0.96,0.97,0.98,0.99,1)",
    "beta": "choice(0.6,0.65,0.7,0.8,0.85,0.9,0.95,1)",
    "entropy": "choice({})".format(",".join(f"{j}e-{i}" for i in range(4, 0, -1) for j in _DIGITS)),
}

_FORMS = "log(low,high), linear(low,high), integer(low,high) or choice(a,b,...)"


@dataclass(frozen=True)
class Parameter:
    """One option of a trainer that is searched."""

    name: str
    kind: str  # log, linear, integer, choice
    low: float = 0
    high: float = 0
    choices: tuple[str, ...] = ()

    @staticmethod
    def parse(name: str, text: str) -> Parameter:
        """Raise ValueError naming what is wrong."""
        found = re.fullmatch(r"\s*([a-z]+)\s*\((.*)\)\s*", text)
        if not found or found[1] not in ("log", "linear", "integer", "choice"):
            raise ValueError(f'--space: "{name}={text}" must have the form {name}={_FORMS}')
        kind, words = found[1], tuple(word.strip() for word in found[2].split(","))
        if "" in words:
            raise ValueError(f'--space: "{name}={text}" has an empty value')
        if kind == "choice":
            if len(set(words)) < len(words):
                raise ValueError(f'--space: "{name}={text}" names a choice twice')
            return Parameter(name, kind, choices=words)
        numbers = [_number(word) for word in words]
        if len(numbers) != 2 or None in numbers:
            raise ValueError(f'--space: "{name}={text}" needs two numbers, low and high')
        low, high = (float(number or 0) for number in numbers)
        if kind == "integer" and not (low.is_integer() and high.is_integer()):
            raise ValueError(f'--space: "{name}={text}" needs two whole numbers')
        if low >= high or (kind == "log" and low <= 0):
            raise ValueError(f'--space: "{name}={text}" needs {"0 < " if kind == "log" else ""}low < high')
        return Parameter(name, kind, low, high)

    def __str__(self) -> str:
        inside = self.choices or (_text(self.low), _text(self.high))
        return f"{self.name}={self.kind}({','.join(inside)})"

    @property
    def numbers(self) -> list[float] | None:
        """Of a choice among numbers only, these."""
        numbers = [_number(word) for word in self.choices]
        known = [number for number in numbers if number is not None]
        return known if known and len(known) == len(numbers) else None

    @property
    def extremes(self) -> tuple[str, ...]:
        """Values that the trainer must accept if it is to accept all."""
        return self.choices or (_text(self.low), _text(self.high))

    def suggest(self, trial: optuna.Trial) -> str:
        """The value that a trial is to try, as a spec holds it."""
        if self.kind == "choice":
            # Numbers are searched by their place, so that the sampler knows their order.
            if self.numbers:
                ordered = sorted(self.choices, key=float)
                return ordered[trial.suggest_int(self.name, 0, len(ordered) - 1)]
            return trial.suggest_categorical(self.name, self.choices)
        if self.kind == "integer":
            return str(trial.suggest_int(self.name, int(self.low), int(self.high)))
        return _text(trial.suggest_float(self.name, self.low, self.high, log=self.kind == "log"))

    def tried(self, params: dict[str, Any]) -> float | str | None:
        """What a trial has tried, from the parameters that were suggested."""
        if self.name not in params:
            return None
        value = params[self.name]
        if self.numbers:
            return sorted(self.numbers)[int(value)]
        if self.kind == "choice":
            return str(value)
        return float(value) if self.kind == "integer" else float(_text(value))

    def described(self) -> dict[str, Any]:
        """As a study's file has it: a choice among numbers is drawn as a range of them."""
        if self.kind == "choice" and self.numbers:
            low, high = min(self.numbers), max(self.numbers)
            return {"name": self.name, "kind": "log" if 0 < 50 * low < high else "linear", "low": low, "high": high}
        if self.kind == "choice":
            return {"name": self.name, "kind": "choice", "choices": list(self.choices)}
        return {"name": self.name, "kind": self.kind, "low": self.low, "high": self.high}


def parse_space(given: list[str], trainer: str) -> list[Parameter]:
    """The paper's space for this kind of trainer, with what was given in its place or beside it.

    `name=none` leaves a parameter out.
    """
    names = ["lr", "decay", "beta", "entropy"] if trainer == "reinforce" else ["lr", "decay"]
    texts = {name: PAPER[name] for name in names}
    seen = set()
    for item in given:
        name, equals, text = (part.strip() for part in item.partition("="))
        if not equals or not re.fullmatch(r"[a-z_][a-z0-9_]*", name):
            raise ValueError(f'--space: "{item}" must have the form NAME={_FORMS}')
        if name in seen:
            raise ValueError(f'--space: "{name}" is given twice')
        seen.add(name)
        texts[name] = text
    space = [Parameter.parse(name, text) for name, text in texts.items() if text != "none"]
    if not space:
        raise ValueError("--space: nothing is left to search")
    return space


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _text(number: float) -> str:
    """Four digits: as much as anyone wants to read, and what is shown is what was tried."""
    return f"{number:.4g}"
