"""foresight-tune: a search for hyper-parameters with Optuna, resumable and shared by many processes and machines.

    foresight-tune ff-hist --train "gmission(path=FOLDER,u=10,v=30)" --workers 2

docs/tuning.md tells how to use it.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib.util
import multiprocessing
import os
import platform
import re
import shlex
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from . import __version__, _core, _train
from ._space import parse_space

try:
    import optuna
    import sqlalchemy.exc
    from optuna.trial import TrialState
except ImportError:  # pragma: no cover
    sys.exit('foresight-tune: needs Optuna: pip install ".[tune]"')

from ._study import (
    POLL,
    Failure,
    Task,
    best_trial,
    claim_study,
    finished,
    open_study,
    train_command,
    without_password,
    write_results,
)

# ---- stopping


class Stop(Exception):
    """Ctrl-C and `kill`, as a mark that is looked at between two steps.

    As an exception at any moment they could break a storage in the middle of its work, or be swallowed there.
    """

    asked = False

    @classmethod
    def heed(cls, *signals: signal.Signals) -> None:
        """From now on these signals only set the mark."""
        cls.asked = False
        for number in signals:
            signal.signal(number, cls._ask)

    @classmethod
    def _ask(cls, *_: object) -> None:
        cls.asked = True


# ---- a worker


def train(task: Task, trainer: str, on_epoch: Callable[[dict[str, float]], bool]) -> None:
    """Train in one thread; nobody needs the model."""
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="foresight-tune-", dir=memory) as folder:
        _train.train(
            task.model,
            task.train,
            folder,
            validation=task.validation,
            trainer=trainer,
            epochs=task.epochs,
            instances=task.instances,
            validation_instances=task.validation_instances,
            seed=task.seed,
            threads=1,
            on_epoch=on_epoch,
            progress=False,
        )


def rehearse(task: Task) -> None:
    """Raise ValueError now rather than in every trial, where model, data or trainer do not fit."""
    tiny = dataclasses.replace(task, epochs=1, instances=2, validation_instances=2)
    train(tiny, _core.trainer_with(task.model, task.trainer, []), lambda _: False)


def run_trial(task: Task, trial: optuna.Trial) -> float:
    """One short training run; it ends early where the pruner says so."""
    options = [(parameter.name, parameter.suggest(trial)) for parameter in task.space]
    trainer = _core.trainer_with(task.model, task.trainer, options)
    trial.set_user_attr("trainer", trainer)
    trial.set_user_attr("worker", f"{platform.node()}:{os.getpid()}")
    best = float("-inf")
    pruned = False

    def told(metrics: dict[str, float]) -> bool:
        nonlocal best, pruned
        if Stop.asked:
            raise Stop
        best = metrics["best_ratio"]  # which model is the best, the trainer says
        trial.report(best, int(metrics["epoch"]))
        pruned = metrics["epoch"] < task.epochs and trial.should_prune()
        return not pruned

    try:
        train(task, trainer, told)
    except ValueError as error:
        # A learning rate that is far too high is a result like any other.
        if "diverged" not in str(error):
            raise
        pruned = True
    if pruned:
        raise optuna.TrialPruned
    return best


def work(task: Task, worker: int, errors: Any) -> None:
    """Run trials until the study has as many as it is to have. The whole of a worker process."""
    be_quiet()
    Stop.heed(signal.SIGINT, signal.SIGTERM)
    parent = os.getppid()
    try:
        study = open_study(task, worker)
        # Without the main process nobody would stop this one.
        while not Stop.asked and os.getppid() == parent and (done := finished(study)) < task.trials:
            running = len(study.get_trials(deepcopy=False, states=(TrialState.RUNNING,)))
            if done + running < task.trials:
                study.optimize(lambda trial: run_trial(task, trial), n_trials=1)
            else:  # Others may fail, or be gone without a word.
                time.sleep(POLL)
                optuna.storages.fail_stale_trials(study)
    except Stop:
        sys.exit(130)
    except (Failure, ValueError, OSError, sqlalchemy.exc.SQLAlchemyError) as error:
        errors.put(str(error))
        sys.exit(1)
    except Exception:
        errors.put(traceback.format_exc())
        sys.exit(1)


def be_quiet() -> None:
    """Optuna tells of every trial, and that some of it is new."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)


# ---- the main process


class ProgressLine:
    """A line that is redrawn in a terminal, and written every now and then elsewhere."""

    def __init__(self, study: optuna.Study, trials: int) -> None:
        """`study` is looked at for every line."""
        self._study, self._trials = study, trials
        self._begin, self._before = time.monotonic(), finished(study)
        self._terminal = sys.stderr.isatty()
        self._shown = -1

    def show(self, last: bool = False) -> None:
        """Draw it if it has changed enough."""
        done = finished(self._study)
        step = 1 if self._terminal else max(1, self._trials // 20)
        if (done == self._shown and not self._terminal) or (done // step == self._shown // step and not last):
            return
        self._shown = done
        text = f"{done} of {self._trials} trials, {self._pruned()} pruned{self._best()}{self._speed(done)}"
        sys.stderr.write(f"\r\033[K{text}" if self._terminal else f"{text}\n")
        if self._terminal and last:
            sys.stderr.write("\n")
        sys.stderr.flush()

    def _pruned(self) -> int:
        return len(self._study.get_trials(deepcopy=False, states=(TrialState.PRUNED,)))

    def _best(self) -> str:
        best = best_trial(self._study)
        return f", best {best.value:.4f} in trial {best.number}" if best else ""

    def _speed(self, done: int) -> str:
        seconds = time.monotonic() - self._begin
        new = done - self._before
        if new == 0:
            return ""
        left = seconds / new * (self._trials - done)
        return f", {new / seconds:.2g} trials/s, {duration(left if left > 0 else seconds)}{' left' if left > 0 else ''}"


def duration(seconds: float) -> str:
    """For a person."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    return f"{whole // 60}m {whole % 60:02}s" if whole < 3600 else f"{whole // 3600}h {whole // 60 % 60:02}m"


def search(task: Task, workers: int) -> str:
    """Run the workers until all is done; return why it ended early, or nothing."""
    study = open_study(task)
    line = ProgressLine(study, task.trials)
    context = multiprocessing.get_context("spawn")
    errors = context.SimpleQueue()
    processes: list[BaseProcess] = [
        context.Process(target=work, args=(task, i, errors), daemon=True) for i in range(workers)
    ]
    if finished(study) >= task.trials:
        return ""
    # What was started in the background (nohup) ignores Ctrl-C and goes on doing so.
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    Stop.heed(*(number for number, handler in before.items() if handler is not signal.SIG_IGN))
    for process in processes:
        process.start()
    while any(process.is_alive() for process in processes) and errors.empty() and not Stop.asked:
        time.sleep(POLL)
        line.show()
    why = ""
    if Stop.asked:
        why = "interrupted"
    elif not errors.empty():
        why = errors.get()
    elif finished(study) < task.trials:
        why = "every worker was killed; the same command goes on"
    stop(processes)
    for number, handler in before.items():
        signal.signal(number, handler)
    line.show(last=True)
    return why


def stop(processes: list[BaseProcess]) -> None:
    """Ask workers to end, until they have: they close their trials."""
    while alive := [process for process in processes if process.is_alive()]:
        for process in alive:
            if process.pid:
                os.kill(process.pid, signal.SIGTERM)
        for process in alive:
            process.join(1)


# ---- the command line


def storage_url(given: str, folder: Path) -> str:
    """The given one, for a driver that is there; by default a file in the folder."""
    if not given:
        return f"sqlite:///{folder / 'study.db'}"
    if given.startswith(("postgres://", "postgresql://")):
        rest = given.split("://", 1)[1]
        for module in ("psycopg2", "psycopg"):
            if importlib.util.find_spec(module):
                return f"postgresql+{module}://{rest}"
        raise Failure("a PostgreSQL storage needs a driver: pip install psycopg2-binary")
    if "://" not in given:
        raise Failure(f'--storage: "{given}" is no address such as sqlite:///FILE or postgresql://USER@HOST/DATABASE')
    return given


def parser() -> argparse.ArgumentParser:
    """All options with their help."""

    def from_one(text: str) -> int:
        number = int(text)
        if number < 1:
            raise argparse.ArgumentTypeError(f"{number} is less than 1")
        return number

    p = argparse.ArgumentParser(
        prog="foresight-tune",
        description="Search for good hyper-parameters of a trainer, with Optuna: TPE sampling and Hyperband pruning.",
    )
    p.add_argument("model", help="what to train, e.g. ff-hist")
    p.add_argument("--train", required=True, metavar="DATA", help="a source spec, or a dataset file")
    p.add_argument("--val", default="", metavar="DATA", help="validation set (default: other instances of the source)")
    p.add_argument("--trainer", default="", metavar="SPEC", help="what is not searched, e.g. reinforce(batch=100)")
    p.add_argument(
        "--space",
        action="append",
        default=[],
        metavar="NAME=RANGE",
        help="search this option of the trainer: lr=log(1e-5,1e-2), decay=linear(0.9,1), batch=integer(50,400), "
        "baseline=choice(ema,critic), beta=none to leave one out; may be given many times (default: the paper's grid)",
    )
    p.add_argument("--trials", type=from_one, default=400, help="how many the study is to have (default: 400)")
    p.add_argument("--epochs", type=int, default=20, help="of a trial that is not pruned (default: 20)")
    p.add_argument("--instances", type=int, default=2000, help="per epoch: fresh ones, or of the file (default: 2000)")
    p.add_argument("--val-instances", type=int, default=1000, help="of the validation set (default: 1000)")
    p.add_argument("--workers", type=from_one, default=os.cpu_count() or 1, help="processes (default: one per core)")
    p.add_argument("--seed", type=int, default=1, help="of training and sampling (default: 1)")
    p.add_argument("--study", default="", help="its name in the storage (default: MODEL-SOURCE)")
    p.add_argument(
        "--storage",
        default="",
        metavar="URL",
        help="where the study is kept, e.g. postgresql://HOST/DATABASE, "
        "for many machines to share (default: a SQLite file in the folder)",
    )
    p.add_argument("-o", "--output", default="", metavar="FOLDER", help="what to write into (default: studies/STUDY)")
    p.add_argument(
        "--heartbeat",
        type=from_one,
        default=10,
        metavar="SECONDS",
        help="a worker silent for three of these is given up (default: 10)",
    )
    p.add_argument("--version", action="version", version=f"foresight-tune {__version__}")
    return p


def make_task(arguments: argparse.Namespace) -> tuple[Task, Path]:
    """Check everything before the first trial."""
    _core.check_train_options(
        {
            "epochs": arguments.epochs,
            "instances": arguments.instances,
            "validation_instances": arguments.val_instances,
            "seed": arguments.seed,
        }
    )
    trainer = _core.trainer_with(arguments.model, arguments.trainer, [])
    space = tuple(parse_space(arguments.space, trainer.split("(")[0]))
    for parameter in space:
        for value in parameter.extremes:
            _core.trainer_with(arguments.model, arguments.trainer, [(parameter.name, value)])
    name = arguments.train.split("(")[0].strip()
    source = name if name in {entry["name"] for entry in _core.sources()} else Path(arguments.train).stem
    study = arguments.study or f"{arguments.model.split('(')[0]}-{source}"
    folder = Path(arguments.output or Path("studies") / re.sub(r"[^\w.+-]+", "-", study))
    task = Task(
        model=arguments.model,
        train=arguments.train,
        validation=arguments.val,
        trainer=arguments.trainer,
        space=space,
        epochs=arguments.epochs,
        instances=arguments.instances,
        validation_instances=arguments.val_instances,
        seed=arguments.seed,
        trials=arguments.trials,
        storage=storage_url(arguments.storage, folder),
        study=study,
        heartbeat=arguments.heartbeat,
    )
    return task, folder


def run(words: list[str]) -> int:
    """0 when the study has all its trials, 130 when interrupted."""
    arguments = parser().parse_args(words)
    be_quiet()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    task, folder = make_task(arguments)
    rehearse(task)
    folder.mkdir(parents=True, exist_ok=True)
    claim_study(task)
    why = search(task, arguments.workers)
    best = write_results(task, folder, without_password(shlex.join(["foresight-tune", *words])))
    if why and why != "interrupted":
        raise Failure(why)
    if best:
        print(f"best validation ratio {best.value:.4f} in trial {best.number}: {best.user_attrs['trainer']}")
        print(f"train it: {train_command(task, best)}")
    print(f"wrote {folder}; look at it: foresight report {shlex.quote(str(folder))}")
    if why:
        print("interrupted; the same command goes on", file=sys.stderr)
    return 130 if why else 0


def main() -> None:
    """The command foresight-tune."""
    try:
        sys.exit(run(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
    except (Failure, ValueError, OSError) as error:
        sys.exit(f"foresight-tune: {error}")


if __name__ == "__main__":
    main()
