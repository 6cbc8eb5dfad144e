"""Sources, policies and problems that are written in Python, under names that every spec can use."""

import itertools
import subprocess
import sys
import textwrap
import threading

import gymnasium as gym
import numpy as np
import pytest
from entries import names

import foresight
import foresight.envs

MINE = "own-orders(u=3,v=5,low=0.2,kind=rush)"
SMALL = dict(epochs=2, instances=40, validation_instances=20, progress=False)


def instance(weights, budgets=None, attributes=None, problem="e-obm"):
    """One with all edges, and an attribute of each arrival."""
    rows, columns = weights.shape
    arrays = {
        "instance.fixed_begin": [0, columns],
        "instance.arrival_begin": [0, rows],
        "arrival.edge_begin": np.arange(0, rows * columns + 1, columns),
        "edge.node": np.tile(np.arange(columns), rows),
        "edge.weight": weights.ravel(),
    }
    if budgets is not None:
        arrays["fixed.budget"] = budgets
    if attributes is not None:
        arrays["arrival.attributes"] = attributes.reshape(rows, 1)
    columns = ["urgency"] if attributes is not None else []
    return foresight.Dataset.from_arrays(arrays, problem=problem, arrival_attributes=columns)[0]


class Orders:
    problem = "own-urgent"
    arrival_attributes = ("urgency",)

    def __init__(self, u, v, low, kind):
        assert (type(u), type(v), type(low), type(kind)) == (int, int, float, str)
        self.shape, self.low, self.kind = (v, u), low, kind

    def draw(self, seed, index):
        random = np.random.default_rng([seed, index])
        weights = random.uniform(self.low, 1, self.shape).astype(np.float32)
        urgency = random.integers(1, 4, self.shape[0]).astype(np.float32)
        return instance(weights, np.full(self.shape[1], 2.5), urgency if self.kind == "rush" else urgency * 0 + 1)


class Urgent(foresight.Problem):
    """An order is worth more where it is urgent."""

    gain = "own"

    def price(self, market, arrival):
        assert market.horizon > 0 and len(arrival.weights) == len(arrival.nodes) and arrival.type == -1
        return arrival.weights * arrival.attributes[0], None


class UrgentOutOfBudgets(Urgent):
    use = "budget"


class Portions(foresight.Problem):
    """Every match takes a part of its node, by a measure of its own."""

    use = "other"

    def __init__(self, whole):
        self.whole = whole

    def capacity(self, market):
        return np.full(market.num_fixed, self.whole)

    def price(self, market, arrival):
        return arrival.weights, [0.5] * len(arrival.nodes)


class AtLeast(foresight.Policy):
    def __init__(self, threshold):
        self.threshold = threshold

    def score(self, state):
        return [self.threshold, *state.gains]


@pytest.fixture(scope="module", autouse=True)
def registered():
    foresight.register_problem("own-urgent", Urgent, summary="urgent orders are worth more")
    foresight.register_problem("own-budgets", UrgentOutOfBudgets)
    foresight.register_problem("own-portions", Portions, {"whole": 1.0})
    foresight.register_source(
        "own-orders", Orders, {"u": 4, "v": 6, "low": 0.1, "kind": "rush"}, "orders that were drawn in Python"
    )
    foresight.register_policy("own-at-least", AtLeast, {"threshold": 0.5}, summary="nothing below a threshold")


def gains_of(instance):
    return instance.to_scipy().toarray() * instance.arrival_attributes.reshape(-1, 1)


def best_by_trying_all(gains, budgets):
    """The best value: each node once, or out of its budget."""
    best = 0.0
    for choice in itertools.product(range(-1, gains.shape[1]), repeat=gains.shape[0]):
        spent = np.zeros(gains.shape[1])
        once = True
        for arrival, node in enumerate(choice):
            if node >= 0:
                once = once and spent[node] == 0
                spent[node] += gains[arrival, node]
        if (spent <= budgets + 1e-5).all() if budgets is not None else once:
            best = max(best, spent.sum())
    return best


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
        best = best_by_trying_all(gains_of(one), one.budgets if problem == "own-budgets" else None)
        assert data.arrays["label.value"][i] == pytest.approx(best, rel=1e-5)
        assert data.arrays["label.bound"][i] == pytest.approx(best, rel=1e-5)


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
        spent = np.bincount(own[matched], gains_of(one)[matched, own[matched]], minlength=3)
        assert spent.sum() == pytest.approx(values[i], rel=1e-5)
        if problem == "own-budgets":
            assert (spent <= one.budgets + 1e-4).all()
        else:
            assert len(np.unique(own[matched])) == len(matched)


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
    assert run.record["instances"] == 12


def test_a_change_in_the_files_of_a_source_is_noticed(tmp_path):
    class Reading(Orders):
        digest = "as it was"

        def __init__(self):
            super().__init__(3, 4, 0.1, "rush")

    foresight.register_source("own-files", Reading)
    foresight.train("ff", "own-files", tmp_path / "run", **SMALL)
    Reading.digest = "as it is now"
    with pytest.raises(ValueError, match="had other content"):
        foresight.train("ff", "own-files", tmp_path / "run", resume=True, **SMALL)


# ---- what is wrong


class Mine(Exception):
    pass


def test_exceptions_come_out_as_they_are(tmp_path):
    def refuse(where):
        def make(at):
            if at == where == "make":
                raise Mine("make")
            return Refusing(at)

        class Refusing(Orders, Urgent):
            problem = "e-obm"

            def __init__(self, at):
                Orders.__init__(self, 3, 4, 0.1, "rush")
                self.at = at

            def draw(self, seed, index):
                if self.at == "draw" and index == 5:
                    raise Mine("draw")
                return super().draw(seed, index)

            def price(self, market, arrival):
                if self.at == "price":
                    raise Mine("price")
                return super().price(market, arrival)

            def capacity(self, market):
                raise Mine("capacity")

            @property
            def use(self):
                return "other" if self.at == "capacity" else "once"

        return make

    for where in ["make", "draw"]:
        foresight.register_source(f"own-refusing-{where}", refuse(where), {"at": where})
        spec = f"own-refusing-{where}"
        with pytest.raises(Mine, match=where):
            foresight.generate(spec, 30, progress=False)
        with pytest.raises(Mine, match=where):
            foresight.train("ff", spec, tmp_path / where, **SMALL)
        assert not (tmp_path / where).exists()
    for where in ["make", "price", "capacity"]:
        foresight.register_problem(f"own-refusing-{where}", refuse(where), {"at": where})
        data = foresight.generate("own-orders(kind=calm)", 20, problem="e-obm", progress=False)
        data = data.for_problem(f"own-refusing-{where}")
        for use in (foresight.play, foresight.evaluate):
            with pytest.raises(Mine if (where, use) != ("capacity", foresight.evaluate) else ValueError):
                use(data, "greedy", progress=False)
    foresight.register_policy("own-refusing", refuse("make"), {"at": "make"})
    with pytest.raises(Mine, match="make"):
        foresight.evaluate(foresight.generate(MINE, 3, progress=False), "own-refusing", progress=False)


@pytest.mark.parametrize(
    "register, name",
    [
        (foresight.register_source, "crowd"),
        (foresight.register_source, "own-orders"),
        (foresight.register_policy, "greedy"),
        (foresight.register_problem, "e-obm"),
    ],
)
def test_a_name_that_is_taken_is_refused(register, name):
    with pytest.raises(ValueError, match=f'there is a .* "{name}" already'):
        register(name, Orders)


@pytest.mark.parametrize(
    "name, make, options, error, message",
    [
        ("two words", Orders, {}, ValueError, 'cannot be called "two words"'),
        ("", Orders, {}, ValueError, 'cannot be called ""'),
        ("own-new", None, {}, TypeError, "incompatible"),
        ("own-new", Orders, {"a b": 1}, ValueError, 'an option cannot be called "a b"'),
        ("own-new", Orders, {"u": True}, TypeError, 'default of option "u" must be an int, a float or a str, got True'),
        ("own-new", Orders, {"u": None}, TypeError, 'default of option "u" must be .*got None'),
        ("own-new", Orders, {"u": 2**31}, ValueError, 'default of option "u" is too large'),
        ("own-new", Orders, {"u": float("nan")}, ValueError, "any number"),
    ],
)
def test_what_cannot_be_registered_is_refused(name, make, options, error, message):
    for register in (foresight.register_source, foresight.register_policy, foresight.register_problem):
        with pytest.raises(error, match=message):
            register(name, make, options)
    assert "own-new" not in names(foresight.sources())


def test_options_are_checked_as_all_others_are():
    with pytest.raises(ValueError, match='source "own-orders": option "u" must be a whole number'):
        foresight.Source("own-orders(u=many)")
    with pytest.raises(ValueError, match='source "own-orders" has no option "w"; it has: u, v, low, kind'):
        foresight.Source("own-orders(w=1)")


def test_what_make_returns_must_be_of_the_kind():
    for kind, register, use in [
        ("source", foresight.register_source, lambda name: foresight.Source(name)),
        ("problem", foresight.register_problem, lambda name: foresight.generate(MINE, 1, problem=name)),
        (
            "policy",
            foresight.register_policy,
            lambda name: foresight.play(foresight.generate(MINE, 1), name),
        ),
    ]:
        register(f"own-list-{kind}", list)
        with pytest.raises(TypeError, match=rf'{kind} "own-list-{kind}": make must return .*got \[\]'):
            use(f"own-list-{kind}")


@pytest.mark.parametrize(
    "drawn, problem, error, message",
    [
        ([[1.0]], "e-obm", TypeError, r"draw must return a foresight.Instance, got \[\[1.0\]\]"),
        (instance(np.ones((2, 2)), attributes=np.ones(2)), "e-obm", ValueError, "arrival attributes have 1 columns"),
        (instance(np.ones((2, 2))), "adwords", ValueError, "needs a budget"),
        (instance(np.ones((2, 2))), "chess", ValueError, 'there is no problem "chess"'),
        (instance(np.ones((2, 2))), 3, TypeError, "problem cannot be 3"),
    ],
    ids=["list", "columns", "budgets", "problem", "number"],
)
def test_what_a_source_draws_must_fit(drawn, problem, error, message, request):
    class Wrong:
        def draw(self, seed, index):
            return drawn

    Wrong.problem = problem
    name = "own-wrong-" + request.node.callspec.id
    foresight.register_source(name, Wrong)
    with pytest.raises(error, match=message):
        foresight.generate(name, 2, progress=False)


@pytest.mark.parametrize(
    "declared, priced, error, message",
    [
        ({"gain": "own"}, lambda w: w, TypeError, r"price must return \(gains, costs\), got"),
        ({"gain": "own"}, lambda w: (w[:1], None), ValueError, "there are 1 gains instead of 3"),
        ({"gain": "own"}, lambda w: (-w, None), ValueError, "gains must be finite and at least 0, got -"),
        ({"gain": "own"}, lambda w: (w * np.nan, None), ValueError, "gains must be finite"),
        ({"gain": "own"}, lambda w: ("abc", None), TypeError, "must be real number"),
        ({}, lambda w: (2 * w, None), ValueError, 'declares gain = "weight", so the gain of node 0 must be'),
        (
            {},
            lambda w: (w, 2 * np.ones(3)),
            ValueError,
            'declares use = "once", so the cost of node 0 must be 1, got 2',
        ),
        ({"use": "budget"}, lambda w: (w, 2 * w), ValueError, 'declares use = "budget", so the cost of node 0'),
        ({"use": "other"}, lambda w: (w, None), ValueError, "costs may only be None where use is once or budget"),
        ({"gain": "luck"}, None, ValueError, 'gain must be weight or own, got "luck"'),
        ({"use": "twice"}, None, ValueError, 'use must be once, budget or other, got "twice"'),
    ],
)
def test_prices_must_agree_with_what_the_problem_declares(declared, priced, error, message, request):
    class Wrong(foresight.Problem):
        def price(self, market, arrival):
            return priced(arrival.weights)

    for name, word in declared.items():
        setattr(Wrong, name, word)
    name = f"own-price-{request.node.callspec.indices['declared']}"
    foresight.register_problem(name, Wrong)
    with pytest.raises(error, match=message):
        foresight.play(foresight.generate(MINE, 2, problem=name, progress=False), "greedy", progress=False)


def test_methods_are_never_called_by_two_threads_at_once(tmp_path):
    class Alone:
        inside = 0

        def __enter__(self):
            assert self.inside == 0
            self.inside += 1
            sum(range(5000))  # long enough for the interpreter to switch threads

        def __exit__(self, *_):
            self.inside -= 1

    class AloneSource(Orders):
        def __init__(self):
            super().__init__(3, 4, 0.1, "rush")
            self.alone = Alone()

        def draw(self, seed, index):
            with self.alone:
                return super().draw(seed, index)

    class AloneProblem(Urgent):
        def __init__(self):
            self.alone = Alone()

        def price(self, market, arrival):
            with self.alone:
                return super().price(market, arrival)

    AloneSource.problem = "own-alone"
    foresight.register_problem("own-alone", AloneProblem)
    foresight.register_source("own-alone", AloneSource)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        data = foresight.generate("own-alone", 200, threads=4, label=True, progress=False)
        foresight.evaluate(data, "greedy", threads=4, progress=False)
        # Threads of Python, which hold the interpreter's lock when they ask, take turns, too.
        source, drawn = foresight.Source("own-alone"), []
        threads = [
            threading.Thread(target=lambda: drawn.extend(source.draw(1, i) for i in range(100))) for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert len(drawn) == 400


def test_the_interpreter_ends_quietly_with_objects_of_ones_own():
    """They refer to the module's names, and these to what holds them within the library."""
    code = """
        import foresight
        import foresight.envs

        data = foresight.generate("crowd(u=3,v=4)", 5, progress=False)

        class Recorded:
            fixed_attributes = data.fixed_attributes
            arrival_attributes = data.arrival_attributes
            problem = "own"

            def draw(self, seed, index):
                return data[index]

        class Own(foresight.Problem):
            def price(self, market, arrival):
                return arrival.weights, None

        class Greedy(foresight.Policy):
            def score(self, state):
                return [0, *state.gains]

        def register():
            kept = foresight.generate("crowd(u=3,v=4)", 5, progress=False)
            foresight.register_source("own", lambda: kept and Recorded())

        register()
        foresight.register_problem("own", Own)
        foresight.register_policy("own", Greedy)
        drawn = foresight.generate("own", 5, progress=False)
        played = foresight.play(drawn, "own", progress=False)
        source = foresight.Source("own")
        env = foresight.envs.MatchingEnv("own", "own")
        env.reset()
        print(source.draw(0, 0).num_fixed)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "3\n", "")
