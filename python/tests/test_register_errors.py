"""Where what is written in Python is wrong, raises, or is called by many threads."""

import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest
from entries import names
from own import MINE, Orders, Urgent, instance

import foresight

pytestmark = pytest.mark.usefixtures("own")

SMALL = dict(epochs=2, instances=40, validation_instances=20, progress=False)


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
                return "other" if self.at == "capacity" else "unit"

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
        (5, Orders, {}, TypeError, "name must be a text, got 5"),
        ("own-new", None, {}, TypeError, "register_.*: make must be a function, got None"),
        ("own-new", Orders, 5, TypeError, "options must be a dict of names and defaults, got 5"),
        ("own-new", Orders, {5: 1}, TypeError, "an option's name must be a text, got 5"),
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
        (instance(np.ones((2, 2)), attributes=np.ones(2)), "e-obm", ValueError, "attributes must have 0 columns"),
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
    "names, error, message",
    [
        (["x", "x"], ValueError, 'topics: the name "x" is there twice'),
        ([""], ValueError, "topics: a name must not be empty"),
        ([1], TypeError, r"topics must be a list of texts, got \[1\]"),
    ],
    ids=["twice", "empty", "number"],
)
def test_the_columns_of_a_source_have_names_of_their_own(names, error, message, request):
    class Wrong(Orders):
        topics = names

    name = "own-columns-" + request.node.callspec.id
    foresight.register_source(name, lambda: Wrong(3, 4, 0.1, "rush"))
    with pytest.raises(error, match=f'source "{name}": {message}'):
        foresight.Source(name)


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
            'declares use = "unit", so the cost of node 0 must be 1, got 2',
        ),
        ({"use": "gain"}, lambda w: (w, 2 * w), ValueError, 'declares use = "gain", so the cost of node 0'),
        ({"use": "other"}, lambda w: (w, None), ValueError, "costs may only be None where use is unit, gain or cost"),
        ({"gain": "luck"}, None, ValueError, 'gain must be weight or own, got "luck"'),
        ({"use": "twice"}, None, ValueError, 'use must be unit, gain, cost or other, got "twice"$'),
        ({"use": "once"}, None, ValueError, 'got "once"; it is now called unit'),
        ({"use": "budget"}, None, ValueError, 'got "budget"; it is now called gain'),
        ({"use": 5}, None, TypeError, "use must be a text, got 5"),
        ({"gain": "own"}, lambda w: (None, None), TypeError, "gains must be a list or an array, got None"),
        (
            {"gain": "own"},
            lambda w: ([1e300] * 3, None),
            ValueError,
            r"gains must be finite and at least 0, got 1e\+300",
        ),
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
