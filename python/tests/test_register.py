"""Sources, policies and problems that are written in Python, under names that every spec can use."""

import itertools

import gymnasium as gym
import numpy as np
import pytest
from entries import names
from own import MINE, AtLeast, Orders

import foresight
import foresight.envs

pytestmark = pytest.mark.usefixtures("own")

SMALL = dict(epochs=2, instances=40, validation_instances=20, progress=False)


def gains_of(instance):
    return instance.to_scipy().toarray() * instance.arrival_attributes.reshape(-1, 1)


def best_by_trying_all(gains, costs, capacities):
    """The best value: the costs of a node's matches stay within its capacity."""
    best = 0.0
    for choice in itertools.product(range(-1, gains.shape[1]), repeat=gains.shape[0]):
        gained, spent = 0.0, np.zeros(gains.shape[1])
        for arrival, node in enumerate(choice):
            if node >= 0:
                gained += gains[arrival, node]
                spent[node] += costs[arrival, node]
        if (spent <= capacities + 1e-5).all():
            best = max(best, gained)
    return best


def costs_of(problem, gains):
    return gains if problem == "own-budgets" else np.ones_like(gains)


def test_what_is_registered_is_listed_with_its_options():
    (entry,) = (entry for entry in foresight.sources() if entry["name"] == "own-orders")
    assert entry["summary"] == "orders that were drawn in Python"
    assert [(option["name"], option["default"]) for option in entry["options"]] == [
        ("u", "4"),
        ("v", "6"),
        ("low", "0.1"),
        ("kind", "rush"),
    ]
    assert {"own-urgent", "own-budgets"} <= set(names(foresight.problems()))
    assert "own-at-least" in names(foresight.policies())
    assert foresight.canonical("source", "own-orders(low=0.50,u=03)") == "own-orders(u=3,v=6,low=0.5,kind=rush)"


def test_a_source_of_ones_own_is_drawn_from_on_any_number_of_threads():
    data = foresight.generate(MINE, 60, seed=3, threads=4, progress=False)
    assert data.problem == "own-urgent" and data.source == MINE and data.arrival_attributes == ["urgency"]
    assert data == foresight.generate(MINE, 60, seed=3, threads=1, progress=False)
    assert data[7] == foresight.Source(MINE).draw(3, 7) == Orders(3, 5, 0.2, "rush").draw(3, 7)
    assert foresight.Source(MINE).size is None
    other = foresight.generate(MINE, 5, problem="e-obm", label=True, progress=False)
    assert other.problem == "e-obm" and other.labelled


def test_names_of_ones_own_work_within_other_specs():
    calm = "own-orders(u=3,v=5,kind=calm)"
    mixed = foresight.generate(f"mix(first={MINE},second={calm})", 10, seed=3, progress=False)
    assert {one.arrival_attributes.max() for one in mixed} >= {1, 3}
    found = foresight.evaluate(
        mixed, ["own-at-least(threshold=2)", "robust(policy=own-at-least,wmax=3)"], progress=False
    )
    assert (found.policies[1].ratios > 0).all() and (found.policies[0].ratios == 0).any()


@pytest.mark.parametrize("problem", ["own-urgent", "own-budgets"])
def test_the_optima_of_a_problem_of_ones_own_are_those_of_trying_all(problem):
    data = foresight.generate(MINE, 25, seed=1, problem=problem, label=True, progress=False)
    for i, one in enumerate(data):
        best = best_by_trying_all(gains_of(one), costs_of(problem, gains_of(one)), one.capacities)
        assert data.arrays["label.value"][i] == pytest.approx(best, rel=1e-5)
        assert best * (1 - 1e-5) <= data.arrays["label.bound"][i] <= best * (1 + 1.1e-4)  # solve stops at a gap


@pytest.mark.parametrize("problem", ["own-urgent", "own-budgets"])
def test_policies_play_a_problem_of_ones_own(problem):
    data = foresight.generate(MINE, 40, seed=2, problem=problem, label=True, progress=False)
    found = foresight.evaluate(
        data, ["greedy", "own-at-least(threshold=0)", "own-at-least(threshold=1e9)", AtLeast(0)], progress=False
    )
    greedy, ours, nothing, object_ = found.policies
    np.testing.assert_array_equal(greedy.ratios, ours.ratios)
    np.testing.assert_array_equal(greedy.ratios, object_.ratios)
    assert found.problem == problem and nothing.mean_value == 0 < greedy.mean_value
    values, matching = foresight.play(data, "own-at-least", threads=2, progress=False)
    for i, one in enumerate(data):
        own = matching[5 * i : 5 * i + 5]
        matched = np.flatnonzero(own >= 0)
        gains = gains_of(one)
        assert gains[matched, own[matched]].sum() == pytest.approx(values[i], rel=1e-5)
        spent = np.bincount(own[matched], costs_of(problem, gains)[matched, own[matched]], minlength=3)
        assert (spent <= one.capacities + 1e-4).all()


@pytest.mark.parametrize("model", names(foresight.models()))
def test_every_model_learns_what_is_ones_own(model, tmp_path):
    run = foresight.train(model, MINE, tmp_path / "run", **SMALL)
    assert run.epochs == 2 and run.record["train"] == MINE and run.record["problem"] == "own-urgent"
    again = foresight.train(model, MINE, tmp_path / "again", threads=1, **SMALL)
    assert (run.folder / "last.safetensors").read_bytes() == (again.folder / "last.safetensors").read_bytes()
    data = foresight.generate(MINE, 20, seed=5, progress=False)
    found = foresight.evaluate(data, [run, run.load(), "greedy"], progress=False)
    np.testing.assert_array_equal(found.policies[0].ratios, found.policies[1].ratios)
    assert found.policies[0].trained_on == MINE


def test_a_run_on_budgets_of_ones_own_goes_on(tmp_path):
    past = foresight.generate(MINE, 40, problem="own-budgets", progress=False)
    arguments = ("inv-ff-hist", past, tmp_path / "run")
    first = foresight.train(*arguments, validation=past, epochs=1, progress=False)
    run = foresight.train(*arguments, validation=past, epochs=2, resume=True, progress=False)
    assert (first.epochs, run.epochs) == (1, 2) and "budget" in run.load().features


def test_a_problem_may_have_capacities_and_costs_of_its_own():
    for whole, most in [(0.4, 0), (0.5, 1), (1.0, 2)]:
        data = foresight.generate(MINE, 20, problem=f"own-portions(whole={whole})", progress=False)
        _, matching = foresight.play(data, "greedy", progress=False)
        for i in range(len(data)):
            own = matching[5 * i : 5 * i + 5]
            assert np.bincount(own[own >= 0], minlength=3).max() <= most
        assert (matching >= 0).any() == (most > 0)
    seen = []

    class Curious(foresight.Policy):
        def score(self, state):
            seen.append((state.capacity.tolist(), state.costs.tolist(), len(state.flat_features())))
            return [0, *state.gains]

    foresight.play(data, Curious(), progress=False)
    assert all(capacity == [1, 1, 1] and set(costs) <= {0.5} for capacity, costs, _ in seen)
    with pytest.raises(ValueError, match='problem "own-portions" .* has no method for hindsight optima'):
        foresight.solve(data, progress=False)


def test_a_problem_of_ones_own_may_take_the_costs_of_edges():
    class Tired(foresight.Problem):
        gain, use = "own", "cost"

        def price(self, market, arrival):
            seen.append((market.names, market.capacities.tolist(), arrival.name))
            return arrival.weights / 2, None

    class Visits:
        problem = "own-tired"
        capacities = costs = True

        def draw(self, seed, index):
            random = np.random.default_rng([seed, index])
            weights, costs = random.uniform(1, 9, (4, 2)), random.uniform(1, 3, (4, 2))
            return foresight.gather(
                [weights], capacities=[4, 0], costs=[costs], names=["ada", "bob"], arrival_names=list("wxyz")
            )[0]

    seen = []
    foresight.register_problem("own-tired", Tired)
    foresight.register_source("own-visits", Visits)
    data = foresight.generate("own-visits", 6, label=True, progress=False)
    assert (["ada", "bob"], [4, 0], "w") in seen
    for i, one in enumerate(data):
        gains, costs = one.weights.reshape(4, 2) / 2, one.costs.reshape(4, 2)
        best = best_by_trying_all(gains, costs, one.capacities)
        assert data.label(i).value == pytest.approx(best, rel=1e-5)
        assert set(one.matching_names(data.label(i).matching)) <= {"ada", None}


@pytest.mark.parametrize("has", ["capacities", "costs"])
def test_a_source_of_ones_own_says_whether_it_has_capacities_and_costs(has):
    class Silent:
        problem = "gen-assignment"
        capacities, costs = has != "capacities", has != "costs"

        def draw(self, seed, index):
            return foresight.gather([[[1.0]]], capacities=[1], costs=[[[1.0]]])[0]

    foresight.register_source(f"own-silent-{has}", Silent)
    with pytest.raises(ValueError, match=f"it has {has}, but the schema says that instances have none"):
        foresight.generate(f"own-silent-{has}", 1, progress=False)


def test_an_environment_of_ones_own():
    env = gym.make("foresight/EOBM-v0", problem="own-urgent", source=MINE)
    observation, info = env.reset(seed=3)
    expected = gains_of(foresight.Source(MINE).draw(3, 0))[0]
    np.testing.assert_allclose(observation[1:4], expected, rtol=1e-6)
    _, reward, _, _, _ = env.step(2)
    assert reward == pytest.approx(expected[1], rel=1e-6)


def test_recorded_instances_of_ones_own(tmp_path):
    data = foresight.generate("crowd(u=3,v=4)", 12, progress=False)

    class Recorded:
        size = 12
        digest = "first"
        fixed_attributes = data.fixed_attributes
        arrival_attributes = data.arrival_attributes

        def draw(self, seed, index):
            return data[index]

    foresight.register_source("own-recorded", Recorded)
    assert foresight.Source("own-recorded").size == 12
    assert list(foresight.generate("own-recorded", progress=False)) == list(data)
    run = foresight.train("ff", "own-recorded", tmp_path / "run", validation="crowd(u=3,v=4)", **SMALL)
    assert run.record["instances"] == SMALL.get("instances", 12), "several passes over what there is"


def test_a_change_in_the_files_of_a_source_is_noticed(tmp_path):
    class Reading(Orders):
        digest = "as it was"

        def __init__(self):
            super().__init__(3, 4, 0.1, "rush")

    foresight.register_source("own-files", Reading)
    foresight.train("ff", "own-files", tmp_path / "run", **SMALL)
    Reading.digest = "as it is now"
    with pytest.raises(ValueError, match="has changed"):
        foresight.train("ff", "own-files", tmp_path / "run", resume=True, **SMALL)
