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

    from ._evaluate import Evaluation


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


class Search:
    """What `train_auto` found, in its folder. It stands for the policy that was kept wherever one is expected."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        """Raise ValueError if the folder holds no search, or one that is not done."""
        self.folder = Path(folder)
        found = _core.read_auto(self.folder)
        #: The name of the policy that was kept, as in `evaluation`.
        self.kept: str = found["kept"]
        #: Is it a rule? If not, it is a model.
        self.is_rule: bool = found["is_rule"]
        #: Is `evaluation` about instances that had no part in choosing it?
        self.fresh: bool = found["fresh"]
        #: What to use, in a sentence.
        self.advice: str = found["advice"]
        #: What could not be tried, and why.
        self.notes: list[str] = found["notes"]

    @property
    def evaluation(self) -> Evaluation:
        """The table: greedy, the best rules, and the best run of every model."""
        from ._evaluate import Evaluation

        return Evaluation.load(self.folder / "result.json")

    @property
    def run(self) -> Run | None:
        """The run of the model that was kept; None if it is a rule."""
        return None if self.is_rule else Run(self.folder)

    def to_pandas(self) -> pandas.DataFrame:
        """A row per policy."""
        return self.evaluation.to_pandas()

    def __repr__(self) -> str:
        return f"<Search {str(self.folder)!r}: {self.advice}>"


def load_search(folder: str | os.PathLike[str]) -> Search:
    """The search in a folder."""
    return Search(folder)


def train_auto(
    train: str | os.PathLike[str] | Dataset,
    folder: str | os.PathLike[str],
    *,
    validation: str | os.PathLike[str] | Dataset = "",
    minutes: float | None = None,
    horizon: str = "",
    units: str = "data",
    validation_instances: int | None = None,
    augment: str = "none",
    seed: int = 1,
    threads: int = 0,
    resume: bool = False,
    progress: Progress = None,
) -> Search:
    """Try every rule and every model that suits the data, and keep the best.

    Args:
        train: a source spec to draw instances from, a dataset file, or a dataset, which is kept in the folder.
        folder: where everything is kept. It stands for the policy.
        validation: what policies are chosen by: the same kinds. Without it, a source gives other instances,
            and a dataset its last fifth.
        minutes: about how long it takes on two cores; None stands for 10. The result depends on this number,
            not on a clock.
        horizon, units, validation_instances, augment, seed, threads, progress: as for `train`.
        resume: go on with the search in the folder. What was finished stays.
    """
    options = {
        "train": train,
        "validation": validation,
        "minutes": minutes,
        "horizon": horizon,
        "units": units,
        "validation_instances": validation_instances,
        "augment": augment,
        "seed": seed,
        "threads": threads,
    }
    _core.train_auto(folder, resume, options, listener(progress))
    return Search(folder)


def train(
    model: str,
    train: str | os.PathLike[str] | Dataset,
    folder: str | os.PathLike[str],
    *,
    validation: str | os.PathLike[str] | Dataset = "",
    trainer: str = "",
    horizon: str = "",
    units: str = "data",
    start: str | os.PathLike[str] | Run = "",
    epochs: int | None = None,
    minutes: float | None = None,
    setback: float = 0.03,
    patience: int = 0,
    instances: int | None = None,
    validation_instances: int | None = None,
    augment: str = "none",
    seed: int = 1,
    threads: int = 0,
    resume: bool = False,
    on_epoch: Callable[[dict[str, float]], Any] | None = None,
    progress: Progress = None,
) -> Run:
    """Learn a policy.

    Args:
        model: what to train, e.g. "inv-ff-hist". `train_auto` tries all of them.
        train: a source spec for fresh instances every epoch, a dataset file, or a dataset, which is
            kept in the folder.
        folder: where the run is kept: models, metrics, everything needed to go on.
        validation: the same kinds; by default other instances of the training source.
        trainer: e.g. "reinforce(lr=0.003)"; what it leaves open is as tuned for the model.
        horizon: what policies are told of the number of arrivals: "known", "expected", "unknown", or a
            number to expect, as text; by default what the training data says.
        start: a run or a checkpoint of the same model on data with the same columns, to begin with its
            parameters instead of drawn ones.
        units: "data": the model sees gains, costs and amounts in units of the training data, so dollars and
            cents are the same to it; "raw": as they are, as in the paper.
        epochs: how often to train and validate; None stands for 100, or for 20 with `minutes`.
        minutes: sizes the run so that it takes about so long on two cores, whatever machine it runs on;
            None for a size by epochs and instances.
        setback: a model that falls this far below its best validation ratio goes back to it, with smaller
            steps; 0 for never.
        patience: end the run after so many epochs without a better validation ratio; 0 for never. Not for
            trainers whose learning rate falls to 0 at the end (schedule=cosine).
        instances: instances per epoch: fresh ones, or of a dataset, several passes or a part of one. None
            stands for what fits their size, at most 20,000 fresh ones, or for what the minutes allow.
        validation_instances: how many are drawn for validation, where it is a spec; None stands for what
            fits their size, at most 1,000.
        augment: makes more of few past instances: "shuffle" gives the arrivals of an instance in another
            order every time, "resample" draws as many from all of them. Only if their order within an
            instance does not matter.
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
        "units": units,
        "start": start.folder if isinstance(start, Run) else start,
        "epochs": epochs,
        "minutes": minutes,
        "setback": setback,
        "patience": patience,
        "instances": instances,
        "validation_instances": validation_instances,
        "augment": augment,
        "seed": seed,
        "threads": threads,
    }
    _core.train(model, folder, resume, options, on_epoch, listener(progress))
    return Run(folder)
