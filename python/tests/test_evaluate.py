import gc
import json

import numpy as np
import pandas
import pytest
from entries import policy_specs

import foresight

FIGURES = ["mean_ratio", "std_ratio", "min_ratio", "ci95", "mean_value", "matched", "ratios", "agreement_optimum"]


class Greedy(foresight.Policy):
    """Takes the largest gain, if there is one."""

    def score(self, state):
        return [0.0, *np.where(state.gains > 0, state.gains, -1)]


class Nothing(foresight.Policy):
    def score(self, state):
        return np.array([1.0] + [0.0] * len(state.nodes), np.float32)


def test_results_are_those_of_the_program(data, tmp_path, program):
    policies = policy_specs(data.source)
    data.save(tmp_path / "data")
    options = [word for policy in policies for word in ("--policy", policy)]
    program("evaluate", tmp_path / "data", *options, "--seed", 3, "--json", tmp_path / "result.json")
    expected = json.loads((tmp_path / "result.json").read_text())
    found = foresight.evaluate(data, policies, seed=3, episodes=3, progress=False).to_dict()
    assert found["problem"] == expected["problem"] and found["data"] == expected["data"]
    assert found["episodes"] == expected["episodes"]
    for ours, theirs in zip(found["policies"], expected["policies"], strict=True):
        assert {key: ours[key] for key in ["name", *FIGURES]} == {key: theirs[key] for key in ["name", *FIGURES]}
    assert foresight.Evaluation.load(tmp_path / "result.json").ratios.keys() == set(policies)


@pytest.mark.parametrize("name", ["data", "adwords", "coverage"])
@pytest.mark.parametrize("threads", [1, 2])
def test_a_policy_in_python_does_what_ours_does(name, threads, request):
    data = request.getfixturevalue(name)
    found = foresight.evaluate(data, ["greedy", Greedy(), Nothing()], threads=threads, progress=False)
    np.testing.assert_array_equal(found["Greedy"].ratios, found["greedy"].ratios)
    assert found["Nothing"].mean_value == 0
    assert found["greedy"].mean_value > 0


def test_a_state_tells_what_is_known(data, adwords, coverage):
    seen = []

    class Curious(foresight.Policy):
        def begin(self, market):
            assert market.num_fixed == len(market.ids) or len(market.ids) == 0
            return {"arrivals": 0}

        def score(self, state):
            market = state.market
            assert state.time == state.memory["arrivals"]
            state.memory["arrivals"] += 1
            assert len(state.nodes) == len(state.gains) == len(state.costs)
            assert set(state.nodes) <= set(state.arrival_nodes)
            assert len(state.arrival_weights) == len(state.arrival_nodes)
            assert (state.remaining[state.nodes] >= state.costs - 1e-5).all()
            assert (state.remaining <= state.capacity + 1e-6).all()
            assert 0 <= state.skips <= state.time and state.value >= 0
            assert len(state.mean_gains) == len(state.degrees) == market.num_fixed
            assert state.degrees.max(initial=0) <= state.time
            flat, nodes = state.flat_features(), state.node_features()
            assert flat.ndim == 1 and flat.shape > state.flat_features(history=False).shape
            assert nodes.shape[0] == len(state.nodes) + 1
            np.testing.assert_array_equal(nodes[1:, 0], state.gains)
            np.testing.assert_array_equal(flat[1:][state.nodes], state.gains)
            half = state.node_features(units={"gain": 2, "cost": 1, "amount": 1})
            np.testing.assert_array_equal(half[:, 0], nodes[:, 0] / 2)
            with pytest.raises(ValueError, match="amount is missing"):
                state.flat_features(units={"gain": 2, "cost": 1})
            seen.append((market.horizon, state.time))
            return [0, *state.gains]

    for instances in (data, adwords, coverage):
        seen.clear()
        foresight.play(instances, Curious(), progress=False)
        assert len(seen) == instances.num_arrivals
        assert all(time < horizon for horizon, time in seen)


def test_a_state_is_of_no_use_after_its_decision(data):
    kept = []

    class Keeper(foresight.Policy):
        def score(self, state):
            kept.append(state)
            return [0, *state.gains]

    foresight.play(data, Keeper(), progress=False)
    gc.collect()
    with pytest.raises(ValueError, match="while it is being scored"):
        _ = kept[0].gains
    assert kept[0].market.num_fixed == 6


def test_an_exception_comes_out_as_it_is(data):
    class Mine(Exception):
        pass

    class Failing(foresight.Policy):
        def __init__(self, where):
            self.where = where

        def begin(self, market):
            if self.where == "begin":
                raise Mine("begin")

        def score(self, state):
            if state.time == 3:
                raise Mine("score")
            return [0, *state.gains]

    for where in ["begin", "score"]:
        with pytest.raises(Mine, match=where):
            foresight.evaluate(data, ["greedy", Failing(where)], progress=False)


@pytest.mark.parametrize(
    "scores, error, message",
    [
        ([0.0], ValueError, r"gave 1 scores at arrival \d+; expected 2"),
        (["a", "b"], TypeError, "must be real number"),
        ([float("nan")] * 2, ValueError, "not a number"),
        (None, TypeError, "policy 'Wrong': scores must be a list or an array, got None"),
        (5, TypeError, "policy 'Wrong': scores must be a list or an array, got 5"),
        (iter([0.0, 1.0]), TypeError, "scores must be a list or an array"),
        ([float("inf"), float("nan")], ValueError, "not a number"),
        ([1e300, float("nan")], ValueError, "not a number"),
    ],
)
def test_scores_that_make_no_sense_are_refused(scores, error, message):
    class Wrong(foresight.Policy):
        def score(self, state):
            return scores

    data = foresight.gather([np.ones((1, 1))])
    with pytest.raises(error, match=message):
        foresight.play(data, Wrong(), progress=False)


def test_a_batch_that_makes_no_sense_is_refused(data):
    class Wrong(foresight.Policy):
        def score_batch(self, states):
            return None

    with pytest.raises(TypeError, match="policy 'Wrong': what score_batch returns must be a list of rows, got None"):
        foresight.play(data, Wrong(), progress=False)


class Greedily(foresight.Policy):
    """Greedy, with gains that were changed in a way that keeps their order."""

    def __init__(self, change):
        self.change = change

    def score(self, state):
        return self.change(np.array([0.0, *state.gains]))


@pytest.mark.parametrize(
    "change",
    [
        lambda gains: 1e9 + gains,
        lambda gains: list(1e9 + gains),
        lambda gains: 1e300 * gains,
        lambda gains: 1e300 * gains - 1e300,
        lambda gains: 1e-300 * gains + 1.0 * (gains == gains.max()),
        lambda gains: np.where(gains == gains.max(), np.inf, gains),
        lambda gains: np.where(gains == gains.max(), 1e308, -1e308),
        lambda gains: np.where(gains == gains.max(), gains, -np.inf),
    ],
)
def test_scores_are_told_apart_in_double_precision(data, change):
    expected, _ = foresight.play(data, Greedily(lambda gains: gains), progress=False)
    found, _ = foresight.play(data, Greedily(change), progress=False)
    np.testing.assert_array_equal(found, expected)


def test_large_scores_are_drawn_by_their_differences(data):
    plain, _ = foresight.play(data, Greedily(lambda gains: gains), sample=True, progress=False)
    shifted, _ = foresight.play(data, Greedily(lambda gains: gains + 2.0**40), sample=True, progress=False)
    assert (plain == shifted).mean() > 0.9  # rounding may turn a draw


def test_policies_of_the_same_name_are_told_apart(data):
    class AtLeast(Greedily):
        def __init__(self, threshold):
            super().__init__(lambda gains: [threshold, *gains[1:]])

    found = foresight.evaluate(data, [AtLeast(0.2), "greedy", AtLeast(0.4), AtLeast(2)], progress=False)
    names = ["AtLeast", "greedy", "AtLeast #2", "AtLeast #3"]
    assert found.names == list(found.ratios) == list(found.to_pandas().index) == names
    assert [row["policy"] for row in found.rows()] == names
    for name, policy in zip(names, found.policies, strict=True):
        np.testing.assert_array_equal(found.ratios[name], policy.ratios)
        np.testing.assert_array_equal(found[name].ratios, policy.ratios)
        assert f"{name}: {policy.ratio.mean:.4f}" in repr(found)
    assert found["AtLeast #3"].mean_value == 0 < found["AtLeast #2"].mean_value < found["AtLeast"].mean_value


def test_what_is_no_policy_is_refused(data):
    for policies in [None, 5]:
        with pytest.raises(TypeError, match=f"policies must be a policy or a list of policies, got {policies}"):
            foresight.evaluate(data, policies, progress=False)
    with pytest.raises(TypeError, match="foresight.Policy"):
        foresight.evaluate(data, [object()], progress=False)
    with pytest.raises(NotImplementedError, match="neither score"):
        foresight.evaluate(data, foresight.Policy(), progress=False)
    with pytest.raises(ValueError, match='there is no policy "nope"'):
        foresight.evaluate(data, "nope", progress=False)
    with pytest.raises(ValueError, match="no policies"):
        foresight.evaluate(data, [], progress=False)


def test_methods_are_never_called_by_two_threads_at_once(data):
    class Counting(foresight.Policy):
        inside = 0

        def score_batch(self, states):
            assert self.inside == 0
            self.inside += 1
            rows = [[0, *state.gains] for state in states]
            sum(range(20_000))  # long enough for the interpreter to switch threads
            self.inside -= 1
            return rows

    foresight.play(data, Counting(), threads=4, progress=False)


def test_play_gives_values_and_matchings(data):
    values, matching = foresight.play(data, "greedy", progress=False)
    np.testing.assert_allclose(
        values / data.arrays["label.bound"], foresight.evaluate(data, "greedy", progress=False)["greedy"].ratios
    )
    assert len(values) == len(data) and len(matching) == data.num_arrivals
    begin = data.arrays["instance.arrival_begin"]
    for i in range(10):
        own = matching[begin[i] : begin[i + 1]]
        weights = data[i].to_scipy().toarray()
        matched = np.flatnonzero(own >= 0)
        assert len(np.unique(own[matched])) == len(matched)
        assert weights[matched, own[matched]].sum() == pytest.approx(values[i], rel=1e-5)
    sampled = [foresight.play(data, "greedy", sample=True, seed=seed, progress=False)[0] for seed in [1, 1, 2]]
    np.testing.assert_array_equal(sampled[0], sampled[1])
    assert (sampled[0] != sampled[2]).any()


def test_a_file_stands_for_its_dataset(data, tmp_path):
    data.save(tmp_path / "data")
    plain = foresight.generate(data.source, len(data), seed=data.seed, progress=False)
    plain.save(tmp_path / "plain")
    for path in [tmp_path / "data", str(tmp_path / "data")]:
        found = foresight.evaluate(path, "greedy", progress=False)
        np.testing.assert_array_equal(
            found["greedy"].ratios, foresight.evaluate(data, "greedy", progress=False)["greedy"].ratios
        )
        for ours, theirs in zip(
            foresight.play(path, "greedy", progress=False), foresight.play(data, "greedy", progress=False), strict=True
        ):
            np.testing.assert_array_equal(ours, theirs)
    assert foresight.solve(tmp_path / "plain", progress=False) == data


def test_results_are_friendly_to_pandas(data):
    found = foresight.evaluate(data, ["greedy", "random"], progress=False)
    frame = found.to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame.index) == ["greedy", "random"]
    assert frame.loc["greedy", "mean_ratio"] == pytest.approx(found["greedy"].ratios.mean(), rel=1e-12)
    assert pandas.DataFrame(found.ratios).shape == (100, 2)
    with pytest.raises(KeyError):
        found["nope"]


def test_a_report_shows_what_was_found(data, tmp_path):
    found = foresight.evaluate(data, ["greedy", Nothing()], progress=False)
    text = foresight.report(found, tmp_path / "report.md", title="Mine").read_text()
    assert "# Mine" in text and "Nothing" in text and f"{found['greedy'].ratio.mean:.4f}" in text
    found.save(tmp_path / "found.json")
    page = foresight.report([found, tmp_path / "found.json"], tmp_path / "report.html").read_text()
    assert page.count("<html") == 1 and "Nothing" in page
    assert len(foresight.report(found, tmp_path / "report.csv").read_text().splitlines()) == 3
    with pytest.raises(ValueError, match=".pdf"):
        foresight.report(found, tmp_path / "report.pdf")
