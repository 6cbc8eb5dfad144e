"""Arguments are checked by the library's one description of them, and refused by their name."""

import inspect
from pathlib import Path

import numpy as np
import pytest

import foresight

SMALL = "crowd(u=4,v=6)"


def call(function, folder, **given):
    """Calls it with the least that it needs."""
    given = {"progress": False, **given}
    if function == "generate":
        return foresight.generate(SMALL, **{"count": 3, **given})
    if function == "train":
        small = {"epochs": 1, "instances": 10, "validation_instances": 10}
        return foresight.train("ff", SMALL, folder, **{**small, **given})
    data = foresight.generate(SMALL, 3, progress=False)
    if function == "solve":
        return foresight.solve(data, **given)
    return getattr(foresight, function)(data, "greedy", **given)


WRONG = [
    ("train", "epochs", 0, ValueError, r'train: epochs must be more than 0, got "0"'),
    ("train", "epochs", 2.5, ValueError, 'epochs must be a whole number .*got "2.5"'),
    ("train", "epochs", 2.0, ValueError, 'epochs must be a whole number .*got "2.0"'),
    ("train", "epochs", True, TypeError, "train: epochs must be a number, got True"),
    ("train", "epochs", np.True_, TypeError, "epochs must be a number, got (np.)?True"),
    ("train", "epochs", "ten", TypeError, "train: epochs must be a number, got 'ten'"),
    ("train", "epochs", "10", TypeError, "epochs must be a number, got '10'"),
    ("train", "epochs", [1], TypeError, r"epochs must be a number, got \[1\]"),
    ("train", "epochs", 10**30, ValueError, 'epochs must be a whole number .*got "1000'),
    ("train", "seed", -1, ValueError, 'seed must be a whole number .*got "-1"'),
    ("train", "seed", 2**64, ValueError, 'seed must be a whole number .*got "18446744073709551616"'),
    ("train", "instances", 0, ValueError, r'train: instances must be more than 0, got "0"; None stands for'),
    ("train", "instances", -3, ValueError, r'instances must be more than 0, got "-3"'),
    ("train", "validation_instances", 0, ValueError, r"validation_instances must be more than 0.*None stands"),
    ("train", "augment", "mirror", ValueError, r'train: augment must be one of none\|shuffle\|resample, got "mirror"'),
    ("train", "augment", 1, TypeError, "train: augment must be a text, got 1"),
    ("train", "augment", "shuffle", ValueError, r"augment=shuffle makes more of past instances, but crowd\(u=4,v=6\)"),
    ("train", "threads", -1, ValueError, r"threads must be a whole number 0\.\."),
    ("train", "trainer", 3, TypeError, "train: trainer must be a text, got 3"),
    ("train", "validation", 3, TypeError, "train: validation must be a spec, a path or a Dataset, got 3"),
    ("train", "validation", None, TypeError, "validation must be a spec, a path or a Dataset, got None"),
    ("solve", "time_limit", float("nan"), ValueError, 'solve: time_limit must be a number > 0.*got "nan"'),
    ("solve", "time_limit", float("inf"), ValueError, "time_limit must be a number > 0"),
    ("solve", "time_limit", 0, ValueError, 'time_limit must be a number > 0.*got "0"'),
    ("solve", "time_limit", "1", TypeError, "time_limit must be a number, got '1'"),
    ("solve", "gap", 1.5, ValueError, r'solve: gap must be a number 0\.\.1.*got "1.5"'),
    ("solve", "gap", -1, ValueError, r"gap must be a number 0\.\.1"),
    ("solve", "threads", 1.5, ValueError, "threads must be a whole number"),
    ("evaluate", "episodes", -1, ValueError, "evaluate: episodes must be a whole number"),
    ("evaluate", "episodes", 1001, ValueError, r"episodes must be a whole number 0\.\.1000"),
    ("evaluate", "seed", 1.5, ValueError, "seed must be a whole number"),
    ("evaluate", "threads", -1, ValueError, "threads must be a whole number"),
    ("play", "seed", -1, ValueError, "play: seed must be a whole number"),
    ("play", "threads", -1, ValueError, "play: threads must be a whole number"),
    ("generate", "count", 0, ValueError, 'generate: count must be more than 0, got "0"; None stands for'),
    ("generate", "count", -1, ValueError, 'count must be more than 0, got "-1"'),
    ("generate", "count", 1.5, ValueError, "count must be a whole number"),
    ("generate", "seed", -1, ValueError, "generate: seed must be a whole number"),
    ("generate", "problem", 1, TypeError, "problem must be a text, got 1"),
    ("generate", "problem", "chess", ValueError, 'there is no problem "chess"'),
]


@pytest.mark.parametrize("function, name, value, error, message", WRONG)
def test_a_wrong_argument_is_refused_by_its_name(function, name, value, error, message, tmp_path):
    with pytest.raises(error, match=message):
        call(function, tmp_path / "run", **{name: value})
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("function", sorted({case[0] for case in WRONG}))
def test_an_unknown_argument_is_refused(function, tmp_path):
    with pytest.raises(TypeError, match="unexpected keyword argument 'epocs'"):
        call(function, tmp_path / "run", epocs=3)


@pytest.mark.parametrize("number", [np.int8, np.uint16, np.int64, np.uint64])
def test_numpys_integers_are_numbers(number, tmp_path):
    run = call("train", tmp_path / "run", epochs=number(2), seed=number(3), threads=number(1))
    assert run.epochs == 2 and run.record["seed"] == 3
    assert len(call("generate", None, count=number(4))) == 4
    assert call("solve", None, time_limit=np.float32(0.5)).labelled
    assert call("evaluate", None, seed=number(1), episodes=number(1)).num_instances == 3


def test_the_largest_seed_is_a_seed(tmp_path):
    assert call("train", tmp_path / "run", seed=2**64 - 1).record["seed"] == 2**64 - 1
    assert call("generate", None, seed=2**64 - 1).seed == 2**64 - 1


def test_none_stands_for_the_default(tmp_path):
    for name in ["instances", "validation_instances"]:
        assert inspect.signature(foresight.train).parameters[name].default is None
    assert len(call("generate", None, count=None)) == 1000
    past = foresight.generate(SMALL, 7, progress=False)
    past.save(tmp_path / "past")
    run = foresight.train(
        "ff", tmp_path / "past", tmp_path / "run", validation=Path(tmp_path / "past"), epochs=1, progress=False
    )
    assert run.record["validation_instances"] == 7
    assert run.record["instances"] == 504, "enough passes for 500 episodes"
