"""What a study of foresight-tune searches."""

import pytest

from foresight._space import PAPER, Parameter, parse_space

optuna = pytest.importorskip("optuna")


def test_the_papers_grid_is_the_default():
    space = {p.name: p for p in parse_space([], "reinforce")}
    assert list(space) == ["lr", "decay", "beta", "entropy"]
    assert len(space["lr"].choices) == 5 * 9 and len(space["entropy"].choices) == 4 * 9
    assert min(space["lr"].numbers) == 1e-6 and max(space["lr"].numbers) == 9e-2
    assert sorted(space["beta"].numbers) == [0.6, 0.65, 0.7, 0.8, 0.85, 0.9, 0.95, 1.0]
    assert [p.name for p in parse_space([], "imitation")] == ["lr", "decay"]


def test_what_is_given_replaces_adds_and_leaves_out():
    space = parse_space(
        ["lr=log(1e-5,1e-2)", "beta=none", "baseline=choice(ema, critic)", "batch=integer(10,50)"], "reinforce"
    )
    assert [p.name for p in space] == ["lr", "decay", "entropy", "baseline", "batch"]
    assert space[0] == Parameter("lr", "log", 1e-5, 1e-2)
    assert space[3].choices == ("ema", "critic") and space[3].numbers is None
    assert str(space[4]) == "batch=integer(10,50)"


@pytest.mark.parametrize(
    "item,said",
    [
        ("lr", "NAME="),
        ("=log(1,2)", "NAME="),
        ("l r=log(1,2)", "NAME="),
        ("lr=log(1,2", "log(low,high)"),
        ("lr=cubic(1,2)", "cubic(1,2)"),
        ("lr=log(0,1)", "0 < low < high"),
        ("lr=log(-1,1)", "0 < low < high"),
        ("lr=linear(2,1)", "low < high"),
        ("lr=linear(1,1)", "low < high"),
        ("lr=linear(1,nan)", "two numbers"),
        ("lr=linear(1,inf)", "two numbers"),
        ("lr=linear(1,2,3)", "two numbers"),
        ("lr=linear(a,b)", "two numbers"),
        ("batch=integer(1.5,2)", "whole numbers"),
        ("lr=choice()", "empty value"),
        ("lr=choice(1,,2)", "empty value"),
        ("lr=choice(1,2,1)", "twice"),
    ],
)
def test_what_is_no_space_is_refused(item, said):
    with pytest.raises(ValueError, match="--space") as error:
        parse_space([item], "reinforce")
    assert said in str(error.value) and item.split("=")[0] in str(error.value)


def test_spaces_that_cannot_be():
    with pytest.raises(ValueError, match="given twice"):
        parse_space(["lr=log(1,2)", "lr=log(1,3)"], "reinforce")
    with pytest.raises(ValueError, match="nothing is left"):
        parse_space(["lr=none", "decay=none"], "td")


def test_a_trial_is_recorded_with_what_it_tried():
    space = parse_space(["lr=log(1e-5,1e-2)", "batch=integer(10000,99999)", "baseline=choice(ema,critic)"], "reinforce")
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=1))
    for _ in range(20):
        trial = study.ask()
        tried = {p.name: p.suggest(trial) for p in space}
        for p in space:
            value = p.tried(trial.params)
            assert (value if isinstance(value, str) else f"{value:g}") in (
                tried[p.name],
                f"{float(tried[p.name]):g}" if p.kind != "choice" or p.numbers else "",
            )
        assert tried["decay"] in PAPER["decay"]
        assert 10000 <= int(tried["batch"]) <= 99999
