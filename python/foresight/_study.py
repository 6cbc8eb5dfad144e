"""A study of foresight-tune: what its trials have in common, where it is kept, and the files it leaves."""

from __future__ import annotations

import json
import os
import re
import shlex
import tempfile
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import optuna
import sqlalchemy.event
import sqlalchemy.exc
from optuna.trial import FrozenTrial, TrialState

from . import __version__, _core
from ._space import Parameter

FORMAT = "foresight-study"
STATES = {TrialState.COMPLETE: "complete", TrialState.PRUNED: "pruned", TrialState.FAIL: "failed"}
FINISHED = (TrialState.COMPLETE, TrialState.PRUNED)
POLL = 0.2  # seconds


@dataclass(frozen=True)
class Task:
    """All that a worker needs to know."""

    model: str
    train: str
    validation: str
    trainer: str
    space: tuple[Parameter, ...]
    epochs: int
    instances: int
    validation_instances: int
    seed: int
    trials: int
    storage: str
    study: str
    heartbeat: int

    @property
    def fixed(self) -> dict[str, Any]:
        """What all trials of a study have in common: trials that differ in it cannot be compared.

        Specs that mean the same are the same text here, and files of the same content are the same data.
        """
        trainer = _core.trainer_with(self.model, self.trainer, [])
        train = _core.data_identity(self.train)
        # On past instances an epoch was one pass before it had a size of its own: such trials are others.
        past = train.startswith("data of digest") or _core.Source.make(self.train).size is not None
        return {
            "model": _core.canonical("model", self.model),
            "train": train,
            "validation": _core.data_identity(self.validation) if self.validation else "",
            "trainer": _core.canonical("trainer", trainer),
            "space": " ".join(map(str, self.space)),
            "epochs": self.epochs,
            "instances": f"{self.instances} episodes" if past else self.instances,
            "validation_instances": self.validation_instances,
            "seed": self.seed,
        }


class Failure(Exception):
    """An error with a sentence for a person."""


# ---- its storage


def open_study(task: Task, worker: int = 0) -> optuna.Study:
    """The study in its storage, made if it is not there."""
    for attempt in range(5):
        try:
            study = _open_storage(task)
            break
        except (sqlalchemy.exc.IntegrityError, sqlalchemy.exc.ProgrammingError) as error:
            # Two machines that begin at the same moment make the same tables: one of them comes second.
            if attempt == 4:
                raise storage_failure(task, error) from None
            time.sleep(POLL)
        except (sqlalchemy.exc.SQLAlchemyError, ImportError) as error:
            raise storage_failure(task, error) from None
    # Every worker, and every continuation, draws numbers of its own.
    done = len(study.get_trials(deepcopy=False))
    study.sampler = optuna.samplers.TPESampler(seed=hash((task.seed, worker, done)) % 2**32)
    return study


def _open_storage(task: Task) -> optuna.Study:
    sqlite = task.storage.startswith("sqlite")
    storage = optuna.storages.RDBStorage(
        task.storage,
        engine_kwargs={"connect_args": {"timeout": 300}} if sqlite else {"pool_pre_ping": True},
        heartbeat_interval=task.heartbeat,
        grace_period=3 * task.heartbeat,
    )
    if sqlite:
        # Readers do not wait for writers, and a transaction need not reach the disk at once.
        @sqlalchemy.event.listens_for(storage.engine, "connect")
        def prepare(connection: Any, _: Any) -> None:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=NORMAL")

        storage.engine.dispose()
    return optuna.create_study(
        storage=storage, study_name=task.study, direction="maximize", load_if_exists=True, pruner=pruner(task.epochs)
    )


def storage_failure(task: Task, error: Exception) -> Failure:
    """The reason in one line."""
    reason = str(getattr(error, "orig", None) or error).strip().splitlines()[0]
    return Failure(f"cannot use the storage {without_password(task.storage)}: {reason}")


def pruner(epochs: int) -> optuna.pruners.BasePruner:
    """Hyperband; there is nothing to prune in a single epoch."""
    if epochs == 1:
        return optuna.pruners.NopPruner()
    return optuna.pruners.HyperbandPruner(min_resource=1, max_resource=epochs, reduction_factor=3)


def claim_study(task: Task) -> None:
    """Say in the study what it is about, or check that it is about the same."""
    study = open_study(task)
    for key, value in task.fixed.items():
        known = study.user_attrs.get(key)
        if known is None:
            study.set_user_attr(key, value)
        elif known != value:
            raise Failure(
                f'study "{task.study}" was begun with {key} "{known}", not "{value}"; '
                "go on with that, or name another --study"
            )


def finished(study: optuna.Study) -> int:
    """How many trials count."""
    return len(study.get_trials(deepcopy=False, states=FINISHED))


def without_password(text: str) -> str:
    """Neither a file nor a message is a place for one."""
    return re.sub(r"(://[^:/@\s]*):[^@\s]*@", r"\1:***@", text)


# ---- its files


def best_trial(study: optuna.Study) -> FrozenTrial | None:
    """The first of the best complete ones."""
    complete = study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
    return max(complete, key=lambda trial: (trial.value, -trial.number), default=None)


def importances(study: optuna.Study, space: tuple[Parameter, ...]) -> dict[str, float]:
    """How much of the difference each parameter explains; nothing while there is too little to tell."""
    if len(study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))) < 20:
        return {}
    try:
        evaluator = optuna.importance.PedAnovaImportanceEvaluator()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return optuna.importance.get_param_importances(study, evaluator=evaluator, params=[p.name for p in space])
    except (ValueError, RuntimeError):
        return {}


def trial_record(task: Task, trial: FrozenTrial) -> dict[str, Any]:
    """A trial as the study's file has it. Its value is what its trainer last called the best ratio."""
    reached = [ratio for _, ratio in sorted(trial.intermediate_values.items())]
    return {
        "number": trial.number,
        "state": STATES[trial.state],
        "value": reached[-1] if reached and trial.state in FINISHED else None,
        "epochs": len(reached),
        "seconds": round(trial.duration.total_seconds(), 3) if trial.duration else 0,
        "trainer": trial.user_attrs.get("trainer", ""),
        "values": [parameter.tried(trial.params) for parameter in task.space],
    }


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Whole or not at all."""
    with tempfile.NamedTemporaryFile("w", dir=path.parent, prefix=".foresight-", suffix=".tmp", delete=False) as file:
        json.dump(content, file, indent=1, ensure_ascii=True)
        file.write("\n")
        file.flush()
        os.fsync(file.fileno())
    os.chmod(file.name, 0o644)
    os.replace(file.name, path)


def write_results(task: Task, folder: Path, command: str) -> FrozenTrial | None:
    """study.json for the report, and best.json with what to train."""
    study = open_study(task)
    share = importances(study, task.space)
    ended = study.get_trials(deepcopy=False, states=tuple(STATES))
    # A trial that failed before it was told what to try has nothing to show.
    told = [trial for trial in ended if all(p.name in trial.params for p in task.space)]
    parameters = []
    for parameter in task.space:
        described = parameter.described()
        if parameter.name in share:
            described["importance"] = round(share[parameter.name], 4)
        parameters.append(described)
    write_json(
        folder / "study.json",
        {
            "format": FORMAT,
            "version": 1,
            "program": f"foresight-tune {__version__}",
            "name": task.study,
            "model": task.model,
            "train": task.train,
            "epochs": task.epochs,
            "command": command,
            "parameters": parameters,
            "trials": [trial_record(task, trial) for trial in told],
        },
    )
    best = best_trial(study)
    if best:
        write_json(
            folder / "best.json",
            {
                "model": task.model,
                "trainer": best.user_attrs["trainer"],
                "train": task.train,
                "validation_ratio": best.value,
                "trial": best.number,
                "command": train_command(task, best),
            },
        )
    return best


def train_command(task: Task, best: FrozenTrial) -> str:
    """What a person types next."""
    words = ["foresight", "train", task.model, "--train", task.train, "--trainer", best.user_attrs["trainer"]]
    if task.validation:
        words += ["--val", task.validation]
    return shlex.join(words)
