"""Everything that is registered works from Python. No list of it is written by hand."""

import numpy as np
import pytest
from entries import names, options_of, policy_specs

import foresight

TINY = "crowd(u=3,v=5)"


@pytest.fixture(scope="module")
def tiny():
    return foresight.generate(TINY, 20, seed=4, label=True, progress=False)


@pytest.fixture(scope="module")
def past(tmp_path_factory):
    """The file of past instances that policies learn from."""
    path = tmp_path_factory.mktemp("every") / "past"
    foresight.generate(TINY, 30, seed=5, label=True, progress=False).save(path)
    return path


def check(data, policy):
    """It plays by the rules, and is judged."""
    values, matching = foresight.play(data, policy, seed=3, progress=False)
    begin = data.arrays["instance.arrival_begin"]
    for i, instance in enumerate(data):
        own = matching[begin[i] : begin[i + 1]]
        matched = np.flatnonzero(own >= 0)
        assert len(np.unique(own[matched])) == len(matched)
        assert instance.to_scipy().toarray()[matched, own[matched]].sum() == pytest.approx(values[i], abs=1e-5)
    found = foresight.evaluate(data, policy, seed=3, progress=False).policies[0]
    assert found.mean_value == pytest.approx(values.mean(), abs=1e-9)
    assert 0 <= found.ratio.mean <= 1


@pytest.mark.parametrize("spec", policy_specs(TINY))
def test_every_policy_plays(spec, tiny):
    check(tiny, spec)


@pytest.mark.parametrize("learner", [entry["name"] for entry in foresight.policies() if "train" in options_of(entry)])
def test_every_policy_that_learns_from_the_past_plays(learner, tiny, past):
    check(tiny, f"{learner}(train={past})")


@pytest.mark.parametrize("model", names(foresight.models()))
def test_every_model_learns_and_plays(model, tiny, tmp_path):
    run = foresight.train(
        model, TINY, tmp_path / "run", epochs=2, instances=30, validation_instances=20, progress=False
    )
    assert run.epochs == 2 and 0 <= run.best_ratio <= 1
    assert run.load().parameters
    check(tiny, run)


@pytest.mark.parametrize("trainer", names(foresight.trainers()))
def test_every_trainer_trains_a_model(trainer, tmp_path):
    """Not every trainer suits every model: one of them does."""
    refusals = []
    for model in names(foresight.models()):
        try:
            run = foresight.train(
                model,
                TINY,
                tmp_path / model,
                trainer=trainer,
                epochs=1,
                instances=30,
                validation_instances=20,
                progress=False,
            )
        except ValueError as error:
            refusals.append(str(error))
        else:
            assert run.record["trainer"].startswith(trainer)
            return
    pytest.fail("; ".join(refusals))
