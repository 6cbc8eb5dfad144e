import inspect
import threading
from pathlib import Path

import numpy as np
import pandas
import pytest
from entries import names
from safetensors import safe_open
from safetensors.numpy import load_file

import foresight

CROWD = "crowd(u=4,v=8)"
SMALL = dict(epochs=3, instances=300, seed=7, progress=False)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return foresight.train("inv-ff-hist", CROWD, tmp_path_factory.mktemp("runs") / "run", **SMALL)


@pytest.mark.parametrize("model", names(foresight.models()))
def test_training_gives_the_programs_very_bytes(model, tmp_path, program):
    foresight.train(model, CROWD, tmp_path / "python", **SMALL)
    options = ["--epochs", 3, "--instances", 300, "--seed", 7, "-o", tmp_path / "program"]
    program("train", model, "--train", CROWD, *options)
    for name in ["best.safetensors", "last.safetensors"]:
        assert (tmp_path / "python" / name).read_bytes() == (tmp_path / "program" / name).read_bytes()


def test_each_epoch_is_told_on_the_callers_thread(tmp_path):
    told = []

    def on_epoch(metrics):
        assert threading.current_thread() is threading.main_thread()
        told.append(metrics)

    run = foresight.train("ff", CROWD, tmp_path / "run", on_epoch=on_epoch, **SMALL)
    assert [metrics["epoch"] for metrics in told] == [1, 2, 3]
    assert set(told[0]) == set(run.metrics) | set(run.timing)
    assert set(run.timing) == {"epoch", "seconds", "decisions_per_second"}
    for key, values in run.metrics.items():
        np.testing.assert_array_equal(values, [metrics[key] for metrics in told])
    for key, values in run.timing.items():
        np.testing.assert_allclose(values, [metrics[key] for metrics in told], rtol=1e-4)


@pytest.mark.parametrize("how", ["false", "raise"])
def test_a_callback_ends_a_run_that_can_be_resumed_to_the_byte(how, run, tmp_path):
    class Enough(Exception):
        pass

    def on_epoch(metrics):
        if metrics["epoch"] == 2:
            if how == "raise":
                raise Enough("at two")
            return False

    arguments = ("inv-ff-hist", CROWD, tmp_path / "run")
    if how == "raise":
        with pytest.raises(Enough, match="at two"):
            foresight.train(*arguments, on_epoch=on_epoch, **SMALL)
        assert foresight.load_run(tmp_path / "run").epochs == 2
    else:
        assert foresight.train(*arguments, on_epoch=on_epoch, **SMALL).epochs == 2
    resumed = foresight.train(*arguments, resume=True, **SMALL)
    assert resumed.epochs == 3
    for name in ["best.safetensors", "last.safetensors"]:
        assert (resumed.folder / name).read_bytes() == (run.folder / name).read_bytes()


def test_a_dataset_can_be_trained_on(tmp_path):
    past = foresight.generate(CROWD, 300, seed=1, progress=False)
    run = foresight.train("ff", past, tmp_path / "run", validation=CROWD, epochs=2, progress=False)
    assert run.epochs == 2
    assert foresight.Dataset.load(tmp_path / "run" / "train.safetensors") == past
    with pytest.raises(ValueError, match="needs other instances for validation"):
        foresight.train("ff", past, tmp_path / "other", progress=False)
    assert not (tmp_path / "other").exists()


def test_few_past_instances_are_played_often_and_in_other_orders(tmp_path):
    past = foresight.generate(CROWD, 6, seed=1, progress=False)
    given = dict(validation=CROWD, epochs=1, validation_instances=20, progress=False)
    runs = {}
    for augment in ["none", "shuffle", "resample"]:
        runs[augment] = foresight.train("ff", past, tmp_path / augment, augment=augment, instances=50, **given)
        assert runs[augment].record["augment"] == augment and runs[augment].record["instances"] == 50
    assert len({run.metrics["value"][0] for run in runs.values()}) == 3


def test_a_run_ends_when_patience_runs_out(tmp_path):
    given = dict(epochs=60, instances=20, validation_instances=30, progress=False)
    run = foresight.train("ff", CROWD, tmp_path / "run", patience=2, **given)
    assert run.record["patience"] == 2
    assert run.epochs == run.best_epoch + 2 < 60
    with pytest.raises(ValueError, match="patience=2 does not go with .*cosine"):
        foresight.train("value", CROWD, tmp_path / "annealed", patience=2, **given)
    assert not (tmp_path / "annealed").exists()


def test_a_run_can_start_from_another(run, tmp_path):
    given = dict(epochs=1, instances=300, seed=7, trainer="reinforce(lr=0)", progress=False)
    for i, start in enumerate([run, run.folder, str(run.folder / "best.safetensors")]):
        again = foresight.train("inv-ff-hist", CROWD, tmp_path / str(i), start=start, **given)
        assert again.best_ratio == run.best_ratio
        assert again.record["start_digest"] and again.record["start"].startswith(str(run.folder))
    with pytest.raises(ValueError, match="holds the model inv-ff-hist.*, but ff.* is to be trained"):
        foresight.train("ff", CROWD, tmp_path / "other", start=run, **given)
    with pytest.raises(TypeError, match="train: start must be a text, got 3"):
        foresight.train("ff", CROWD, tmp_path / "other", start=3, **given)
    assert not (tmp_path / "other").exists()


def contents(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_call_that_is_refused_leaves_the_folder_as_it_was(tmp_path):
    """Data in memory is written only where the run is the one to be written."""
    mine = foresight.generate(CROWD, 50, seed=1, progress=False)
    other = foresight.generate(CROWD, 60, seed=2, progress=False)
    folder = tmp_path / "run"
    small = dict(epochs=1, progress=False)
    foresight.train("ff", mine, folder, validation=mine, **small)
    before = contents(folder)
    with pytest.raises(ValueError, match="holds a run already"):
        foresight.train("ff", other, folder, validation=other, **small)
    with pytest.raises(ValueError, match="the content of train .* has changed"):
        foresight.train("ff", other, folder, validation=mine, resume=True, **small)
    with pytest.raises(ValueError, match="the content of validation .* has changed"):
        foresight.train("ff", mine, folder, validation=other, resume=True, **small)
    with pytest.raises(ValueError, match="holds a run of one model"):
        foresight.train_auto(mine, folder, validation=other, progress=False)
    with pytest.raises(ValueError, match="epochs must be"):
        foresight.train("ff", other, folder, validation=other, epochs=0, progress=False)
    with pytest.raises(ValueError, match='there is no model "nope"'):
        foresight.train("nope", other, tmp_path / "new", validation=other, **small)
    assert contents(folder) == before and not (tmp_path / "new").exists()
    assert foresight.train("ff", mine, folder, validation=mine, resume=True, **small).epochs == 1


def test_a_folder_that_is_called_like_a_source_or_a_policy_is_found_by_its_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data = foresight.generate(CROWD, 40, seed=1, progress=False)
    data.save("crowd")
    run = foresight.train("ff", Path("crowd"), "greedy", validation=Path("crowd"), epochs=1, progress=False)
    assert run.record["train_digest"] and run.record["validation_instances"] == 40
    found = foresight.evaluate(data, [run, Path("greedy"), "greedy"], progress=False)
    assert [policy.name for policy in found.policies] == ["greedy"] * 3
    assert [policy.model for policy in found.policies] == ["ff", "ff", ""]
    np.testing.assert_array_equal(found.policies[0].ratios, found.policies[1].ratios)


@pytest.fixture(scope="module")
def search(tmp_path_factory):
    folder = tmp_path_factory.mktemp("search") / "auto"
    return foresight.train_auto(CROWD, folder, minutes=0.005, validation_instances=50, progress=False)


def test_a_search_keeps_one_policy_and_says_which(search):
    found = search.evaluation
    assert found.names[:2] == ["greedy", "greedy-t"] and search.kept in found.names
    assert {"value", "inv-ff-plus", "gnn-hist"} <= set(found.names)
    assert search.kept in search.advice and search.fresh
    assert search.is_rule == (search.run is None)
    assert list(search.to_pandas().index) == found.names
    assert repr(search).startswith("<Search ") and search.kept in repr(search)


def test_a_search_stands_for_its_policy(search, tmp_path):
    data = foresight.Dataset.load(search.folder / "test.safetensors")
    first, second = foresight.evaluate(data, [search, search.folder], progress=False).policies
    kept = search.evaluation[search.kept]
    np.testing.assert_array_equal(first.ratios, kept.ratios)
    np.testing.assert_array_equal(second.ratios, kept.ratios)
    assert foresight.report(search, tmp_path / "report.md").read_text().count(search.kept) > 0


def test_a_search_can_be_loaded_and_resumed(search):
    again = foresight.train_auto(
        CROWD, search.folder, minutes=0.005, validation_instances=50, resume=True, progress=False
    )
    loaded = foresight.load_search(search.folder)
    assert again.kept == loaded.kept == search.kept
    with pytest.raises(ValueError, match="minutes was 0.005, and now is 1"):
        foresight.train_auto(CROWD, search.folder, minutes=1, validation_instances=50, resume=True, progress=False)


def test_what_is_no_search_is_refused(run, tmp_path):
    with pytest.raises(ValueError, match="holds no search"):
        foresight.load_search(run.folder)
    with pytest.raises(ValueError, match="auto is not a model; foresight.train_auto"):
        foresight.train("auto", CROWD, tmp_path / "run", progress=False)
    with pytest.raises(ValueError, match="minutes must be"):
        foresight.train_auto(CROWD, tmp_path / "run", minutes=0, progress=False)
    with pytest.raises(ValueError, match="one instance is not enough"):
        foresight.train_auto(foresight.generate(CROWD, 1, progress=False), tmp_path / "run", progress=False)
    assert not (tmp_path / "run").exists()


def test_a_run_stands_for_its_best_model(run):
    data = foresight.generate(CROWD, 50, seed=3, progress=False)
    found = foresight.evaluate(data, [run, run.load(), run.folder / "best.safetensors"], progress=False)
    first, second, third = found.policies
    np.testing.assert_array_equal(first.ratios, second.ratios)
    np.testing.assert_array_equal(first.ratios, third.ratios)
    assert first.model == second.model == "inv-ff-hist" and first.trained_on == CROWD


def test_metrics_are_friendly_to_pandas(run):
    frame = run.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and list(frame.index) == [1, 2, 3]
    assert run.best_ratio == frame["validation_ratio"].max()
    assert frame["validation_ratio"].idxmax() == run.best_epoch


def test_a_checkpoint_opens_with_safetensors(run):
    model = run.load()
    tensors = load_file(run.folder / "best.safetensors")
    assert tensors.keys() == model.parameters.keys()
    for name, values in model.parameters.items():
        np.testing.assert_array_equal(tensors[name], values)
        assert not values.flags.writeable
    with safe_open(run.folder / "best.safetensors", "numpy") as file:
        assert file.metadata()["model"] == model.spec == "inv-ff-hist"
    assert run.model_spec == foresight.canonical("model", "inv-ff-hist")
    assert model.parameters["ff.0.weight"].shape[1] == len(model.features)
    assert model.problem == "e-obm" and model.provenance["source"] == CROWD


def test_bad_wishes_are_refused(run, tmp_path):
    with pytest.raises(ValueError, match="holds a run already"):
        foresight.train("inv-ff-hist", CROWD, run.folder, **SMALL)
    with pytest.raises(ValueError, match='there is no model "nope"'):
        foresight.train("nope", CROWD, tmp_path / "run", **SMALL)
    with pytest.raises((ValueError, OSError), match="nope"):
        foresight.load_run(tmp_path / "nope")
    with pytest.raises(FileNotFoundError, match="nope"):
        foresight.load_model(tmp_path / "nope")


def test_progress_is_told_to_a_function(tmp_path):
    told = []
    foresight.train("ff-hist", "crowd(u=10,v=30)", tmp_path / "run", epochs=3, instances=500, progress=told.append)
    assert told[-1]["what"] == "training" and told[-1]["done"] == told[-1]["total"]
    assert "training" in told[-1]["text"] and told[-1]["unit"] == "batches"

    class Enough(Exception):
        pass

    def refuse(state):
        raise Enough

    with pytest.raises(Enough):
        foresight.train("ff-hist", "crowd(u=10,v=30)", tmp_path / "no", epochs=1000, progress=refuse)


def test_the_defaults_are_the_librarys():
    parameters = inspect.signature(foresight.train).parameters
    for option in foresight._core.train_options():
        default = parameters[option["name"]].default
        if option["name"] in ("epochs", "minutes", "instances", "validation_instances"):
            assert default is None
        elif option["name"] != "train":  # which has none
            assert str(default) == option["default"], option["name"]


def test_the_best_epoch_is_that_of_the_saved_model(tmp_path):
    """Of an annealed run only the last fifth competes, so an earlier epoch may look better."""
    for seed in range(20):
        run = foresight.train(
            "value",
            CROWD,
            tmp_path / str(seed),
            epochs=10,
            instances=50,
            validation_instances=30,
            seed=seed,
            progress=False,
        )
        assert "td" in run.record["trainer"]
        assert str(run.best_epoch) == run.load().provenance["epoch"]
        ratios = run.metrics["validation_ratio"]
        assert run.best_ratio == ratios[run.best_epoch - 1] == run.metrics["best_ratio"][-1]
        assert run.best_epoch > 8
        if ratios.max() > run.best_ratio:
            return
    pytest.fail("in no run did an early epoch look best, so that nothing was shown")


def test_a_run_tells_what_was_asked_for(run):
    record = run.record
    assert record["model"] == foresight.canonical("model", "inv-ff-hist")
    assert record["train"] == record["validation"] == foresight.canonical("source", CROWD)
    assert record["problem"] == "e-obm" and record["seed"] == 7
    assert (record["epochs"], record["instances"], record["validation_instances"]) == (3, 300, 1000)
    assert run.epochs == len(run.timing["seconds"]) == 3


def test_a_run_tells_what_rules_reach(run):
    record = run.record
    assert 0 < record["greedy_ratio"] <= record["threshold_ratio"] + 0.05 < 1.05
    assert 0 <= record["rival_p"] <= 1


def test_a_run_without_an_epoch_has_nothing_to_show(tmp_path):
    class Enough(Exception):
        pass

    def refuse(state):
        if state["what"] == "training":
            raise Enough

    with pytest.raises(Enough):
        foresight.train("ff-hist", "crowd(u=10,v=30)", tmp_path / "run", instances=200_000, progress=refuse)
    run = foresight.load_run(tmp_path / "run")
    assert run.epochs == run.best_epoch == run.best_ratio == 0
    assert run.metrics == run.timing == {} and run.to_pandas().empty
    assert run.record["greedy_ratio"] is run.record["threshold_ratio"] is None
