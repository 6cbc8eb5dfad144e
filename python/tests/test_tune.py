"""foresight-tune: small studies, resuming, pruning, and workers that share a PostgreSQL server."""

import glob
import json
import multiprocessing
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

import foresight

optuna = pytest.importorskip("optuna")
from foresight import tune  # noqa: E402

SMALL = ["ff", "--train", "crowd(u=4,v=6)", "--instances", "60", "--val-instances", "40", "--workers", "2"]


def read(folder, name="study.json"):
    return json.loads((Path(folder) / name).read_text())


def states(folder):
    return [trial["state"] for trial in read(folder)["trials"]]


def command(*words):
    return [sys.executable, "-m", "foresight.tune", *map(str, words)]


# ---- what is wrong is said before the first trial


@pytest.mark.parametrize(
    "words,said",
    [
        (["--space", "speed=log(1,2)"], '"speed"'),
        (["--space", "decay=linear(0.5,2)"], "decay"),
        (["--space", "baseline=choice(ema,guess)"], "guess"),
        (["--trainer", "reinforce(batch=-1)"], "batch"),
        (["--trainer", "imitate"], "imitate"),
        (["--train", "crowd(size=1)"], "size"),
        (["--train", "nowhere(u=1)"], "nowhere"),
        (["--epochs", "0"], "epochs must be"),
        (["--instances", "0"], "instances"),
        (["--val-instances", "2000000000"], "validation_instances must be"),
        (["--seed", "-1"], "seed must be"),
        (["--storage", "nowhere"], "--storage"),
        (["--storage", "postgresql://me:secret@127.0.0.1:1/none"], "cannot use the storage"),
    ],
)
def test_errors_name_what_is_wrong_and_write_nothing(tmp_path, monkeypatch, words, said):
    monkeypatch.setattr(sys, "argv", ["foresight-tune", *SMALL, *words, "-o", str(tmp_path / "out")])
    with pytest.raises(SystemExit) as end:
        tune.main()
    message = str(end.value)
    assert message.startswith("foresight-tune: ") and said in message and "secret" not in message
    assert not (tmp_path / "out" / "study.json").exists()


def test_an_unknown_model_is_named(tmp_path):
    with pytest.raises(ValueError, match="ff-hits"):
        tune.run(["ff-hits", "--train", "crowd(u=4,v=6)", "-o", str(tmp_path)])


# ---- studies


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    words = [
        *SMALL,
        "--epochs",
        "3",
        "--space",
        "lr=log(1e-4,0.1)",
        "--space",
        "baseline=choice(ema,others)",
        "--trainer",
        "reinforce(rollouts=2)",
        "-o",
        str(folder),
    ]
    assert tune.run([*words, "--trials", "12"]) == 0
    return folder, words


def test_a_study_has_its_trials_and_its_best_one(study, program, tmp_path):
    folder, _ = study
    record, best = read(folder), read(folder, "best.json")
    assert record["format"] == "foresight-study" and record["name"] == "ff-crowd"
    ended = [t for t in record["trials"] if t["state"] in ("complete", "pruned")]
    assert len(ended) >= 12 and "failed" not in states(folder)
    complete = [t for t in ended if t["state"] == "complete"]
    assert best["validation_ratio"] == max(t["value"] for t in complete)
    assert all(t["epochs"] == 3 for t in complete)
    assert [p["name"] for p in record["parameters"]] == ["lr", "decay", "beta", "entropy", "baseline"]
    # What it found is a spec that training takes, and gives what the trial gave.
    trial = next(t for t in complete if t["number"] == best["trial"])
    assert trial["trainer"] == best["trainer"] and "rollouts=2" in best["trainer"]
    run = foresight.train(
        "ff",
        "crowd(u=4,v=6)",
        tmp_path / "run",
        trainer=best["trainer"],
        epochs=3,
        instances=60,
        validation_instances=40,
        threads=1,
        progress=False,
    )
    assert run.best_ratio == pytest.approx(best["validation_ratio"], abs=1e-5)
    assert best["command"].startswith("foresight train ff --train ")
    # And the program shows it.
    program("report", folder, "-o", tmp_path / "report.html", "--markdown", tmp_path / "report.md")
    assert f"| {best['trial']} | {best['validation_ratio']:.4f} | 3 |" in (tmp_path / "report.md").read_text()
    assert '"studies":[{' in (tmp_path / "report.html").read_text()


def test_a_study_goes_on_to_the_asked_number_of_trials(study):
    folder, words = study
    before = read(folder)["trials"]
    assert tune.run([*words, "--trials", "10"]) == 0
    assert read(folder)["trials"] == before, "it had as many already"
    assert tune.run([*words, "--trials", str(len(before) + 3)]) == 0
    after = read(folder)["trials"]
    assert len(after) >= len(before) + 3 and after[: len(before)] == before
    assert len({json.dumps(t["values"]) for t in after}) > len(before), "the sampler must not repeat itself"


@pytest.mark.parametrize(
    "words,said", [(["--epochs", "4"], "epochs"), (["--seed", "2"], "seed"), (["--space", "beta=none"], "space")]
)
def test_a_study_is_not_mixed_with_another(study, words, said):
    with pytest.raises(tune.Failure, match=f"begun with {said}"):
        tune.run([*study[1], *words, "--trials", "20"])


def same_study(words, changed):
    """Do these words stand for the same task where some of them are replaced?"""
    task, _ = tune.make_task(tune.parser().parse_args(words))
    other, _ = tune.make_task(tune.parser().parse_args([*words, *changed]))
    return task.fixed == other.fixed


@pytest.mark.parametrize(
    "words, same",
    [
        (["--train", "crowd(v=6,u=4)"], True),
        (["--train", "crowd( v=06, u=4, workers=fixed )"], True),
        (["--train", "crowd(u=4,v=7)"], False),
        (["--val", "crowd(u=4,v=6)"], False),
        (["--trainer", "reinforce"], True),
        (["--trainer", "reinforce(rollouts=2)"], False),
    ],
)
def test_a_study_is_told_by_what_its_words_mean(words, same):
    assert same_study(SMALL, words) == same


def test_files_are_told_by_their_content(tmp_path):
    data = foresight.generate("crowd(u=4,v=6)", 30, seed=1, progress=False)
    data.save(tmp_path / "past")
    data.save(tmp_path / "moved")
    foresight.generate("crowd(u=4,v=6)", 30, seed=2, progress=False).save(tmp_path / "other")
    words = ["ff", "--train", str(tmp_path / "past"), "--val", "crowd(u=4,v=6)"]
    assert same_study(words, ["--train", str(tmp_path / "moved")])
    assert not same_study(words, ["--train", str(tmp_path / "other")])
    assert not same_study(words, ["--val", str(tmp_path / "past")])
    task, _ = tune.make_task(tune.parser().parse_args(words))
    assert task.fixed["instances"] == "2000 episodes", "a study of passes is another one"


def test_a_study_goes_on_where_the_data_is_written_in_other_words(study):
    folder, words = study
    before = len(read(folder)["trials"])
    again = [word.replace("crowd(u=4,v=6)", "crowd(v=6,u=4)") for word in words]
    assert again != words
    assert tune.run([*again, "--trials", str(before + 1)]) == 0
    assert len(read(folder)["trials"]) > before
    with pytest.raises(tune.Failure, match="begun with train"):
        tune.run([*words, "--train", "crowd(u=4,v=7)", "--trials", str(before + 2)])


def test_trials_that_fall_behind_are_pruned(tmp_path, monkeypatch):
    """On a landscape that is known: only the lowest learning rate learns anything."""

    def learn(task, trainer, on_epoch):
        for epoch in range(1, task.epochs + 1):
            if not on_epoch({"epoch": epoch, "best_ratio": 0.5 + 0.09 * epoch * ("lr=0.1" in trainer)}):
                return

    space = ["lr=choice(0.1,0.2,0.3,0.4,0.5,0.6)", "decay=none", "beta=none", "entropy=none"]
    words = [*SMALL, "--epochs", "4", "--trials", "24", "-o", str(tmp_path)]
    words += [word for item in space for word in ("--space", item)]
    task, _ = tune.make_task(tune.parser().parse_args(words))
    monkeypatch.setattr(tune, "train", learn)
    tune.work(task, 0, multiprocessing.SimpleQueue())
    tune.write_results(task, tmp_path, "")
    trials = read(tmp_path)["trials"]
    pruned = [t for t in trials if t["state"] == "pruned"]
    complete = [t for t in trials if t["state"] == "complete"]
    assert len(trials) == 24 and len(pruned) >= 3 and complete
    assert all(0 < t["epochs"] < 4 for t in pruned) and all(t["epochs"] == 4 for t in complete)
    assert all(t["values"][0] > 0.1 for t in pruned), "what is ahead of all others must not be stopped"
    assert read(tmp_path, "best.json")["validation_ratio"] == pytest.approx(0.86)


def test_a_trials_value_is_what_its_trainer_calls_the_best_ratio(tmp_path, monkeypatch):
    """Where a run is annealed, early epochs no longer compete: the largest ratio is not the model's."""
    told = [0.9, 0.5, 0.6]

    def learn(task, trainer, on_epoch):
        for epoch, ratio in enumerate(told, 1):
            if not on_epoch({"epoch": epoch, "validation_ratio": 0.99, "best_ratio": ratio}):
                return

    words = [*SMALL, "--epochs", "3", "--trials", "8", "--space", "lr=log(1e-4,0.1)", "-o", str(tmp_path)]
    task, _ = tune.make_task(tune.parser().parse_args(words))
    monkeypatch.setattr(tune, "train", learn)
    study = tune.open_study(task)
    for _ in range(4):
        trial = study.ask()
        study.tell(trial, tune.run_trial(task, trial))
    monkeypatch.setattr(optuna.Trial, "should_prune", lambda trial: True)
    pruned = study.ask()
    with pytest.raises(optuna.TrialPruned):
        tune.run_trial(task, pruned)
    study.tell(pruned, state=optuna.trial.TrialState.PRUNED)
    tune.write_results(task, tmp_path, "")
    values = [trial["value"] for trial in read(tmp_path)["trials"]]
    assert values == [0.6] * 4 + [0.9]
    assert read(tmp_path, "best.json")["validation_ratio"] == 0.6


def test_an_annealed_trial_has_the_value_of_its_run(tmp_path):
    words = ["value", "--train", "crowd(u=4,v=6)", "--instances", "60", "--val-instances", "30", "--workers", "1"]
    words += ["--epochs", "6", "--trials", "3", "--space", "lr=log(1e-3,0.1)", "--space", "decay=none"]
    assert tune.run([*words, "-o", str(tmp_path / "study")]) == 0
    trials = [trial for trial in read(tmp_path / "study")["trials"] if trial["state"] == "complete"]
    assert trials
    for trial in trials:
        run = foresight.train(
            "value",
            "crowd(u=4,v=6)",
            tmp_path / str(trial["number"]),
            trainer=trial["trainer"],
            epochs=6,
            instances=60,
            validation_instances=30,
            threads=1,
            progress=False,
        )
        assert trial["value"] == run.best_ratio
        assert str(run.best_epoch) == run.load().provenance["epoch"]


@pytest.mark.parametrize(
    "message,kind", [("training diverged: try a lower rate", optuna.TrialPruned), ("no such file", ValueError)]
)
def test_only_a_trial_that_diverges_counts_as_pruned(monkeypatch, message, kind):
    def fail(*_):
        raise ValueError(message)

    task, _ = tune.make_task(tune.parser().parse_args(SMALL))
    monkeypatch.setattr(tune, "train", fail)
    with pytest.raises(kind):
        tune.run_trial(task, optuna.create_study().ask())


@pytest.mark.parametrize("how", ["Ctrl-C", "kill"])
def test_stopping_keeps_what_is_finished_and_the_same_command_goes_on(tmp_path, how):
    words = [*SMALL, "--epochs", "4", "-o", str(tmp_path)]
    process = subprocess.Popen(
        command(*words, "--trials", "100000"),
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # What is started in the background ignores Ctrl-C, and its children do, too: then `kill` stops it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL if how == "Ctrl-C" else signal.SIG_IGN),
    )
    url = f"sqlite:///{tmp_path / 'study.db'}"
    while True:
        assert process.poll() is None, process.stderr.read()
        try:
            if len(optuna.load_study(study_name="ff-crowd", storage=url).get_trials(deepcopy=False)) > 4:
                break
        except Exception:  # not there yet
            pass
        time.sleep(0.2)
    if how == "Ctrl-C":
        os.killpg(process.pid, signal.SIGINT)
    else:
        process.terminate()
    _, errors = process.communicate()
    assert process.returncode == 130, errors
    assert "the same command goes on" in errors and "Traceback" not in errors
    kept = [t for t in read(tmp_path)["trials"] if t["state"] != "failed"]
    assert len(kept) >= 2
    left = optuna.load_study(study_name="ff-crowd", storage=url).get_trials(
        deepcopy=False, states=(optuna.trial.TrialState.RUNNING,)
    )
    assert left == []
    assert tune.run([*words, "--trials", str(len(kept) + 2)]) == 0
    assert sum(state != "failed" for state in states(tmp_path)) >= len(kept) + 2


def test_a_worker_that_is_gone_does_not_hold_up_the_study(tmp_path):
    words = [*SMALL, "--epochs", "2", "--heartbeat", "1", "--workers", "1", "-o", str(tmp_path)]
    assert tune.run([*words, "--trials", "2"]) == 0
    # As a worker leaves it that was killed: it runs, and its heart has stopped.
    task, _ = tune.make_task(tune.parser().parse_args(words))
    study = tune.open_study(task)
    stale = study.ask()
    study._storage.record_heartbeat(stale._trial_id)
    assert tune.run([*words, "--trials", "3"]) == 0
    assert study.get_trials()[stale.number].state == optuna.trial.TrialState.FAIL
    assert sum(state != "failed" for state in states(tmp_path)) == 3


def test_the_others_finish_the_study_when_a_worker_is_killed(tmp_path):
    url = f"sqlite:///{tmp_path / 'study.db'}"
    words = [*SMALL, "--epochs", "4", "--heartbeat", "1", "--trials", "20", "-o", tmp_path]
    process = subprocess.Popen(command(*words), stderr=subprocess.PIPE, text=True)
    victim = None
    while victim is None:
        assert process.poll() is None, process.stderr.read()
        try:
            trials = optuna.load_study(study_name="ff-crowd", storage=url).get_trials(deepcopy=False)
            victim = next((t.user_attrs["worker"] for t in trials[2:] if "worker" in t.user_attrs), None)
        except Exception:  # not there yet
            pass
        time.sleep(0.05)
    os.kill(int(victim.split(":")[-1]), signal.SIGKILL)
    _, errors = process.communicate()
    assert process.returncode == 0, errors
    assert sum(state != "failed" for state in states(tmp_path)) == 20
    survivors = {
        t.user_attrs.get("worker")
        for t in optuna.load_study(study_name="ff-crowd", storage=url).get_trials(deepcopy=False)[-3:]
    }
    assert victim not in survivors


# ---- PostgreSQL


@pytest.fixture(scope="module")
def postgres():
    """A server of our own in a temporary folder, without a port; the address of a database in it."""
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"))
    initdb = shutil.which("initdb") or (found[-1] if found else None)
    if not initdb:
        pytest.skip("PostgreSQL's initdb is not installed (apt-get install postgresql)")
    folder = Path(tempfile.mkdtemp(prefix="foresight-pg-"))
    user = []
    if os.geteuid() == 0:  # the server refuses to run as root
        owner = pwd.getpwnam("postgres")
        os.chown(folder, owner.pw_uid, owner.pw_gid)
        user = ["runuser", "-u", "postgres", "--"]

    def call(tool, *arguments):
        tool = Path(initdb).parent / tool
        subprocess.run([*user, tool, *arguments], check=True, stdout=subprocess.DEVNULL, cwd=folder)

    data = folder / "data"
    call("initdb", "-D", data, "-U", "postgres", "-A", "trust", "--no-sync")
    call(
        "pg_ctl",
        "-D",
        data,
        "-w",
        "-l",
        folder / "log",
        "-o",
        f"-k {folder} -c listen_addresses='' -c fsync=off",
        "start",
    )
    try:
        yield f"postgresql://postgres@/postgres?host={folder}"
    finally:
        call("pg_ctl", "-D", data, "-m", "immediate", "stop")
        shutil.rmtree(folder)


def test_workers_share_a_study_on_postgresql(postgres, tmp_path):
    pytest.importorskip("psycopg2")
    words = [*SMALL, "--epochs", "3", "--storage", postgres, "--study", "shared", "--trials", "16", "--workers", "1"]
    # Two machines that begin at the same moment, each with a worker.
    machines = [
        subprocess.Popen(command(*words, "-o", tmp_path / name), stderr=subprocess.PIPE, text=True) for name in "ab"
    ]
    for machine in machines:
        _, errors = machine.communicate()
        assert machine.returncode == 0, errors
    trials = read(tmp_path / "a")["trials"]
    assert len([t for t in trials if t["state"] != "failed"]) in (16, 17), "two may begin the last one at once"
    assert [t["number"] for t in trials] == list(range(len(trials)))
    url = tune.storage_url(postgres, tmp_path)
    workers = {t.user_attrs["worker"] for t in optuna.load_study(study_name="shared", storage=url).get_trials()}
    assert len(workers) == 2, "both must have had a share"
    # And two workers of one machine go on with it. There is enough to do for one that starts late.
    words[words.index("--trials") + 1] = "64"
    assert tune.run([*words, "--workers", "2", "-o", str(tmp_path / "a")]) == 0
    study = optuna.load_study(study_name="shared", storage=url)
    assert len({t.user_attrs["worker"] for t in study.get_trials()}) == 4
    assert sum(state != "failed" for state in states(tmp_path / "a")) in (64, 65)
