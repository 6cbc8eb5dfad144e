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
        self._record = _core.read_run(self.folder)

    @property
    def model_spec(self) -> str:
        """What was trained."""
        return self._record.model

    @property
    def metrics(self) -> dict[str, npt.NDArray[np.float64]]:
        """The columns of metrics.csv, one entry per epoch."""
        return self._record.columns

    @property
    def epochs(self) -> int:
        """How many were done."""
        return len(self.metrics["epoch"])

    @property
    def best_ratio(self) -> float:
        """The best ratio on the validation set."""
        return float(self.metrics["best_ratio"][-1])

    @property
    def best_epoch(self) -> int:
        """The epoch of the best model."""
        return int(self.metrics["epoch"][np.argmax(self.metrics["validation_ratio"])])

    def load(self) -> Model:
        """The best model."""
        return _core.load_model(self.folder)

    def to_pandas(self) -> pandas.DataFrame:
        """A row per epoch."""
        import pandas

        return pandas.DataFrame(self.metrics).set_index("epoch")

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
            written into the folder.
        folder: where the run is kept: models, metrics, everything needed to go on.
        validation: the same kinds; by default other instances of the training source.
        trainer: e.g. "reinforce(lr=0.003)"; what it leaves open is as tuned for the model.
        epochs: passes over the training data.
        instances: fresh instances per epoch; by default 20,000, for "auto" what takes minutes.
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
    options = _core.RunOptions()
    options.model = model
    options.trainer = trainer
    options.folder = Path(folder)
    options.train = _named(train, options.folder / "train.safetensors")
    options.validation = _named(validation, options.folder / "validation.safetensors")
    if instances is not None:
        options.instances = instances
    elif model == "auto":
        options.instances = 0
    options.validation_instances = validation_instances
    options.epochs = epochs
    options.seed = seed
    options.threads = threads
    options.resume = resume
    _core.train(options, on_epoch, listener(progress))
    return Run(folder)


def _named(data: str | os.PathLike[str] | Dataset, file: Path) -> str:
    """What the library reads it by; a dataset is written to the file first."""
    if not isinstance(data, Dataset):
        return os.fspath(data)
    file.parent.mkdir(parents=True, exist_ok=True)
    data.save(file)
    return str(file)
