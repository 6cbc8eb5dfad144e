"""Training runs."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _core
from ._core import Dataset, Model
from ._progress import Progress, listener

if TYPE_CHECKING:
    import pandas


class Run:
    """A training run in its folder. It stands for its best model wherever a policy is expected."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        """Raise ValueError if the folder holds no run."""
        self.folder = Path(folder)
        #: What was asked for, with all options and digests of the data, and what happened so far.
        self.record: dict[str, Any] = _core.read_run(self.folder)

    @property
    def model_spec(self) -> str:
        """What was trained, with all its options."""
        return str(self.record["model"])

    @property
    def metrics(self) -> dict[str, npt.NDArray[np.float64]]:
        """Columns with one entry per epoch, as in metrics.csv; none before the first epoch is done."""
        columns: dict[str, npt.NDArray[np.float64]] = self.record["metrics"]
        return columns

    @property
    def timing(self) -> dict[str, npt.NDArray[np.float64]]:
        """How long each epoch took: the columns of timing.csv."""
        columns: dict[str, npt.NDArray[np.float64]] = self.record["timing"]
        return columns

    @property
    def epochs(self) -> int:
        """How many were done."""
        return len(self.metrics.get("epoch", ()))

    @property
    def best_ratio(self) -> float:
        """The best model's ratio on the validation set; 0 before the first epoch is done."""
        return float(self.record["best_ratio"])

    @property
    def best_epoch(self) -> int:
        """The epoch of the best model; 0 before the first is done."""
        return int(self.record["best_epoch"])

    def load(self) -> Model:
        """The best model."""
        return _core.load_model(self.folder)

    def to_pandas(self) -> pandas.DataFrame:
        """A row per epoch."""
        import pandas

        frame = pandas.DataFrame(self.metrics)
        return frame.set_index("epoch") if self.epochs > 0 else frame

    def __repr__(self) -> str:
        return f"<Run {str(self.folder)!r}: {self.model_spec}, {self.epochs} epochs, ratio {self.best_ratio:.4f}>"


def load_run(folder: str | os.PathLike[str]) -> Run:
    """The run in a folder."""
    return Run(folder)


def train(
    model: str,
    train: str | os.PathLike[str] | Dataset,
    folder: str | os.PathLike[str],
    *,
    validation: str | os.PathLike[str] | Dataset = "",
    trainer: str = "",
    horizon: str = "",
    epochs: int = 100,
    instances: int | None = None,
    validation_instances: int = 1000,
    seed: int = 1,
    threads: int = 0,
    resume: bool = False,
    on_epoch: Callable[[dict[str, float]], Any] | None = None,
    progress: Progress = None,
) -> Run:
    """Learn a policy.

    Args:
        model: what to train, e.g. "inv-ff-hist"; "auto" tries several and keeps the best.
        train: a source spec for fresh instances every epoch, a dataset file, or a dataset, which is
            kept in the folder.
        folder: where the run is kept: models, metrics, everything needed to go on.
        validation: the same kinds; by default other instances of the training source.
        trainer: e.g. "reinforce(lr=0.003)"; what it leaves open is as tuned for the model.
        horizon: what policies are told of the number of arrivals: "known", "expected", "unknown", or a
            number to expect, as text; by default what the training data says.
        epochs: passes over the training data.
        instances: fresh instances per epoch; None stands for 20,000, for "auto" for what takes minutes.
        validation_instances: how many are drawn for validation, where it is a spec.
        seed: the same one gives the same bytes, on any number of threads.
        threads: 0 for all cores; changes no result.
        resume: go on with the run in the folder.
        on_epoch: called after each epoch, once it is saved, with its metrics as a dict. If it returns
            False the run ends there, and `train` returns it; an exception ends it, too, and comes out
            as it is. Both leave a run that `resume` can go on with.
        progress: True for a bar in the terminal, False for nothing, a function that is told ten times a
            second with a dict; by default a bar in terminals and notebooks.

    Ctrl-C raises KeyboardInterrupt; the finished epochs are kept.
    """
    options = {
        "train": train,
        "validation": validation,
        "trainer": trainer,
        "horizon": horizon,
        "epochs": epochs,
        "instances": instances,
        "validation_instances": validation_instances,
        "seed": seed,
        "threads": threads,
    }
    _core.train(model, folder, resume, options, on_epoch, listener(progress))
    return Run(folder)
