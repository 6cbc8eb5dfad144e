import inspect
import threading

import numpy as np
import pandas
import pytest
from safetensors import safe_open
from safetensors.numpy import load_file

import foresight

CROWD = "crowd(u=4,v=8)"
SMALL = dict(epochs=3, instances=300, seed=7, progress=False)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return foresight.train("inv-ff-hist", CROWD, tmp_path_factory.mktemp("runs") / "run", **SMALL)


@pytest.mark.parametrize("model", ["inv-ff-hist", "ff-hist", "value"])
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
    for key, values in run.metrics.items():
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
    with pytest.raises(ValueError, match="needs a validation set"):
        foresight.train("ff", past, tmp_path / "other", progress=False)


def test_auto_keeps_the_best(tmp_path):
    run = foresight.train("auto", CROWD, tmp_path / "run", epochs=1, instances=200, progress=False)
    candidates = [foresight.load_run(folder).best_ratio for folder in (tmp_path / "run" / "candidates").iterdir()]
    assert len(candidates) > 1 and run.best_ratio == max(candidates)


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
        assert file.metadata()["model"] == model.spec == run.model_spec == "inv-ff-hist"
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
    defaults = {name: parameter.default for name, parameter in inspect.signature(foresight.train).parameters.items()}
    options = foresight._core.RunOptions()
    for name in ["epochs", "seed", "threads", "validation_instances", "trainer", "resume"]:
        assert defaults[name] == getattr(options, name)
