import numpy as np
import pytest
from entries import names
from safetensors.numpy import load_file
from scipy import sparse

import foresight


def test_arrays_are_views_that_cannot_be_written_and_keep_the_data_alive():
    data = foresight.generate("crowd(u=4,v=6)", 5, progress=False)
    arrays = data.arrays
    assert np.shares_memory(arrays["edge.weight"], data.arrays["edge.weight"])
    assert np.shares_memory(arrays["edge.weight"], data[2].weights)
    assert not arrays["edge.weight"].flags.writeable
    copy = arrays["edge.weight"].copy()
    del data
    foresight.generate("crowd(u=4,v=6)", 50, progress=False)
    np.testing.assert_array_equal(arrays["edge.weight"], copy)


@pytest.mark.parametrize("name", ["data", "adwords", "coverage"])
def test_to_numpy_and_back_is_the_same_without_a_copy(name, request):
    data = request.getfixturevalue(name)
    schema = dict(
        problem=data.problem,
        source=data.source,
        seed=data.seed,
        fixed_attributes=data.fixed_attributes,
        arrival_attributes=data.arrival_attributes,
        topics=data.topics,
    )
    again = foresight.Dataset.from_arrays(data.arrays, **schema)
    assert again == data
    assert again.labelled
    for key, array in data.arrays.items():
        assert np.shares_memory(array, again.arrays[key]), key
    weights = np.array(data.arrays["edge.weight"])
    own = foresight.Dataset.from_arrays({**data.arrays, "edge.weight": weights}, **schema)
    assert np.shares_memory(own.arrays["edge.weight"], weights)
    del weights
    assert own == data
    assert (
        foresight.Dataset.from_arrays({**data.arrays, "edge.weight": 0.5 * data.arrays["edge.weight"]}, **schema)
        != data
    )


def test_other_types_are_converted():
    arrays = {
        "instance.fixed_begin": [0, 2],
        "instance.arrival_begin": [0, 1],
        "arrival.edge_begin": [0, 2],
        "edge.node": [0, 1],
        "edge.weight": [0.5, 1.5],
    }
    data = foresight.Dataset.from_arrays(arrays)
    np.testing.assert_array_equal(data[0].to_scipy().toarray(), [[0.5, 1.5]])
    empty = {**arrays, "arrival.edge_begin": [0, 0], "edge.node": [], "edge.weight": []}
    assert foresight.Dataset.from_arrays(empty).num_edges == 0


ARRAYS = {
    "instance.fixed_begin": [0, 2],
    "instance.arrival_begin": [0, 1],
    "arrival.edge_begin": [0, 2],
    "edge.node": [0, 1],
    "edge.weight": [0.5, 1.5],
    "fixed.id": [3, 4],
}


@pytest.mark.parametrize(
    "name, values, error, message",
    [
        ("edge.node", np.array([0, 2**32 + 1]), ValueError, r"whole numbers -2147483648\.\.2147483647, got 4294967297"),
        ("edge.node", np.array([0, 2**63], np.uint64), ValueError, "got 9223372036854775808"),
        ("edge.node", np.array([-(2**32), 1]), ValueError, "got -4294967296"),
        ("edge.node", [0, 2**70], TypeError, "whole numbers"),
        ("fixed.id", np.array([3, 4]) + 2**33, ValueError, "got 8589934596"),
        ("arrival.edge_begin", np.array([0, 2**63 + 2], np.uint64), ValueError, "got 9223372036854775810"),
        ("edge.node", [0.0, 1.5], TypeError, r"whole numbers .* got 0.0 \(float64\)"),
        ("edge.node", [False, True], TypeError, r"got False \(bool\)"),
        ("edge.weight", [1.0, 1e300], ValueError, r"expected numbers -3.40282e\+38..3.40282e\+38, got 1e\+300"),
        ("edge.weight", [-1e300, 1.0], ValueError, r"got -1e\+300"),
        ("edge.weight", [None, 1.0], TypeError, r"got None \(object\)"),
        ("edge.weight", ["a", "b"], TypeError, "got 'a'"),
        ("edge.weight", [1j, 1.0], TypeError, "complex"),
        ("edge.weight", [[1.0], [1.0, 2.0]], ValueError, "expected an array of numbers"),
    ],
)
def test_numbers_that_would_change_are_refused_by_the_name_of_their_array(name, values, error, message):
    assert len(foresight.Dataset.from_arrays(ARRAYS)) == 1
    with pytest.raises(error, match=f'array "{name}": .*{message}'):
        foresight.Dataset.from_arrays({**ARRAYS, name: values})


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int64, np.uint64])
def test_whole_numbers_of_every_type_are_converted(kind):
    arrays = {name: np.array(values, kind) for name, values in ARRAYS.items() if name != "edge.weight"}
    weights = np.array(ARRAYS["edge.weight"], np.longdouble)
    assert foresight.Dataset.from_arrays({**arrays, "edge.weight": weights}) == foresight.Dataset.from_arrays(ARRAYS)


@pytest.mark.parametrize(
    "given, error, message",
    [
        (dict(arrays={1: [1.0]}), TypeError, "the name of an array must be a text, got 1"),
        (dict(arrays=None), TypeError, "arrays must be a dict of arrays by name, got None"),
        (dict(problem=5), TypeError, "problem must be a text, got 5"),
        (dict(source=None), TypeError, "source must be a text, got None"),
        (dict(seed=-1), ValueError, r"seed must be a whole number 0\.\.18446744073709551615, got -1"),
        (dict(seed=2**64), ValueError, "seed must be a whole number .*got 18446744073709551616"),
        (dict(fixed_attributes=[1]), TypeError, r"fixed_attributes must be a list of texts, got \[1\]"),
        (dict(topics="xy"), TypeError, "topics must be a list of texts, got 'xy'"),
        (dict(fixed_attributes=["x", "y", "x"]), ValueError, 'fixed_attributes: the name "x" is there twice'),
        (dict(arrival_attributes=[""]), ValueError, "arrival_attributes: a name must not be empty"),
    ],
)
def test_what_describes_arrays_is_checked(given, error, message):
    with pytest.raises(error, match=f"from_arrays: {message}"):
        foresight.Dataset.from_arrays(**{"arrays": ARRAYS, **given})


@pytest.mark.parametrize(
    "name, value, message",
    [
        ("edge.weight", [-1.0, 2.0], "instance 0.*-1"),
        ("edge.node", [1, 0], "instance 0.*node 0 after node 1"),
        ("edge.weight", [1.0], "edge.weight"),
        ("edge.colour", [1.0], "edge.colour"),
        ("instance.fixed_begin", [0], "instance.fixed_begin"),
        ("fixed.attributes", [[1.0], [2.0]], "fixed.attributes"),
        ("edge.weight", [[[1.0]]], "dimensions"),
    ],
)
def test_bad_arrays_are_refused_with_a_sentence(name, value, message):
    arrays = {
        "instance.fixed_begin": [0, 2],
        "instance.arrival_begin": [0, 1],
        "arrival.edge_begin": [0, 2],
        "edge.node": [0, 1],
        "edge.weight": [0.5, 1.5],
        name: value,
    }
    with pytest.raises(ValueError, match=message):
        foresight.Dataset.from_arrays(arrays)


def test_a_saved_dataset_opens_with_safetensors_and_again(data, tmp_path):
    data.save(tmp_path / "data.safetensors")
    again = foresight.Dataset.load(tmp_path / "data.safetensors")
    assert again == data and again.digest
    for key, array in load_file(tmp_path / "data.safetensors").items():
        np.testing.assert_array_equal(array, data.arrays[key])


def test_the_program_draws_the_same(data, tmp_path, program):
    program("generate", data.source, "-n", len(data), "--seed", 5, "--label", "-o", tmp_path / "data")
    assert foresight.Dataset.load(tmp_path / "data") == data


def test_a_dataset_is_a_sequence_of_instances(data):
    assert len(list(data)) == len(data) == 100
    assert data[-1] == data[99] != data[0]
    for index in [100, -101, 2**70]:
        with pytest.raises(IndexError, match=f"there is no instance {index}; there are 100"):
            data[index]
    for index in ["a", None, 1.0, True, (1, 2), [1.5], [[1]], ["a"], {1}]:
        with pytest.raises(TypeError, match="index of an instance must be a whole number, a slice, .*, got"):
            data[index]
    assert data[np.int64(3)] == data[3]
    source = foresight.Source(data.source)
    assert source.draw(5, 7) == data[7]
    assert source.problem == data.problem == "e-obm" and source.size is None


def test_matrices_become_a_dataset():
    random = np.random.default_rng(1)
    matrices = [random.random((6, 4)) * (random.random((6, 4)) < 0.5) for _ in range(3)] + [np.zeros((2, 3))]
    data = foresight.gather(matrices)
    assert foresight.gather([sparse.csr_array(matrix) for matrix in matrices]) == data
    for instance, matrix in zip(data, matrices, strict=True):
        np.testing.assert_array_equal(instance.to_scipy().toarray(), matrix.astype(np.float32))
    budgets = foresight.gather([np.ones((3, 2))] * 2, problem="adwords", capacities=[1.0, 2.0])
    np.testing.assert_array_equal(budgets[1].capacities, [1, 2])
    with pytest.raises(ValueError, match="two dimensions"):
        foresight.gather([np.ones(3)])
    with pytest.raises(ValueError, match="-1"):
        foresight.gather([[[-1.0]]])
    for form in (np.asarray, sparse.csr_array):
        with pytest.raises(ValueError, match=r"matrix: expected numbers .*got 1e\+300"):
            foresight.gather([form([[1e300]])])
    with pytest.raises(TypeError, match="a matrix: expected numbers .*got 'a'"):
        foresight.gather([[["a"]]])
    with pytest.raises(TypeError, match="matrices must be a list of matrices, got None"):
        foresight.gather(None)
    with pytest.raises(ValueError, match="capacities are given for 1 matrices, but there are 2"):
        foresight.gather([np.ones((2, 2))] * 2, problem="adwords", capacities=[[1, 2]])
    with pytest.raises(ValueError, match="matrix 1 has 2 capacities instead of 3"):
        foresight.gather([np.ones((2, 2)), np.ones((2, 3))], capacities=[1, 2])
    with pytest.raises(TypeError, match="use capacities="):
        foresight.gather([np.ones((2, 2))], budgets=[1, 2])
    with pytest.raises(ValueError, match='"fixed.budget"; use "fixed.capacity"'):
        foresight.Dataset.from_arrays({"fixed.budget": [1.0]})


def test_an_instance_shows_what_it_has_and_empty_arrays_for_the_rest(data, adwords, coverage):
    plain, budgets, topics = data[3], adwords[3], coverage[3]
    assert plain.fixed_attributes.shape == (plain.num_fixed, len(data.fixed_attributes))
    assert plain.arrival_attributes.shape == (plain.num_arrivals, len(data.arrival_attributes))
    assert len(plain.capacities) == 0 and len(plain.costs) == 0 and len(plain.preferences) == 0
    assert len(plain.ids) == plain.num_fixed and len(plain.types) == plain.num_arrivals
    assert (budgets.capacities > 0).all() and len(budgets.capacities) == budgets.num_fixed
    assert plain.names == plain.arrival_names == []
    assert topics.preferences.shape == (topics.num_arrivals, len(coverage.topics))
    assert plain.num_edges == len(plain.nodes) == len(plain.weights) == plain.edge_begin[-1]


def test_another_problem_drops_the_labels(data):
    plain = data.for_problem("e-obm")
    assert data.labelled and not plain.labelled and "label.value" not in plain.arrays
    with pytest.raises(ValueError, match='there is no problem "chess"'):
        data.for_problem("chess")


@pytest.mark.parametrize(
    "change, message",
    [
        ({"label.matching": [0, 0]}, r"instance 0: its label matches arrival 1 to node 0, of which too little is left"),
        ({"label.value": [3.0], "label.bound": [3.0]}, "its label has the value 3, but its matching is worth 2"),
    ],
)
def test_labels_that_cannot_be_are_refused_when_the_data_is_used(change, message):
    arrays = {
        "instance.fixed_begin": [0, 2],
        "instance.arrival_begin": [0, 2],
        "arrival.edge_begin": [0, 2, 4],
        "edge.node": [0, 1, 0, 1],
        "edge.weight": [1.0, 0.5, 1.0, 1.0],
        "label.value": [2.0],
        "label.bound": [2.0],
        "label.matching": [0, 1],
    }
    good = foresight.Dataset.from_arrays(arrays)
    assert foresight.evaluate(good, "greedy", progress=False).num_instances == 1
    bad = foresight.Dataset.from_arrays({**arrays, **change})
    for use in (
        lambda: foresight.play(bad, "greedy", progress=False),
        lambda: foresight.evaluate(bad, "greedy", progress=False),
        lambda: foresight.solve(bad, progress=False),
    ):
        with pytest.raises(ValueError, match=message):
            use()


def test_data_that_lacks_what_its_problem_needs_is_refused_when_it_is_used():
    data = foresight.gather([np.ones((2, 2))], problem="adwords")
    with pytest.raises(ValueError, match="instance 0: .*needs a budget"):
        foresight.play(data, "greedy", progress=False)
    with pytest.raises(ValueError, match="needs a budget"):
        foresight.generate("crowd(u=4,v=6)", 3, problem="adwords", progress=False)


def test_specs_that_mean_the_same_are_the_same_text():
    assert foresight.canonical("source", "crowd(v=6,u=4)") == foresight.canonical("source", "crowd( u=04, v=6 )")
    assert foresight.canonical("source", "crowd(u=4,v=6)") != foresight.canonical("source", "crowd(u=4,v=7)")
    for kind, registry in [
        ("source", foresight.sources),
        ("problem", foresight.problems),
        ("policy", foresight.policies),
        ("model", foresight.models),
        ("trainer", foresight.trainers),
    ]:
        for name in names(registry()):
            assert foresight.canonical(kind, name).startswith(name)
    with pytest.raises(ValueError, match='there is no kind "sauce"; there are: source'):
        foresight.canonical("sauce", "crowd")
    with pytest.raises(ValueError, match='has no option "z"'):
        foresight.canonical("source", "crowd(z=1)")


def test_errors_have_pythons_types_and_the_librarys_words(tmp_path):
    with pytest.raises(ValueError, match='there is no source "nope"; there are: er, ba'):
        foresight.generate("nope")
    with pytest.raises(ValueError, match='option "p"'):
        foresight.Source("er(p=2)")
    with pytest.raises(FileNotFoundError, match="nope.safetensors: No such file"):
        foresight.Dataset.load(tmp_path / "nope.safetensors")
    with pytest.raises(OSError, match="it is a folder"):
        foresight.Dataset.load(tmp_path)
    (tmp_path / "text").write_text("no dataset")
    with pytest.raises(ValueError, match="text"):
        foresight.Dataset.load(tmp_path / "text")
    with pytest.raises(ValueError, match='there is no problem "chess"'):
        foresight.Dataset.from_arrays({}, problem="chess")


def test_everything_that_can_be_named_is_listed():
    for registry, name in [
        (foresight.sources, "crowd"),
        (foresight.problems, "osbm"),
        (foresight.policies, "greedy-t"),
        (foresight.models, "inv-ff-hist"),
        (foresight.trainers, "reinforce"),
    ]:
        entries = {entry["name"]: entry for entry in registry()}
        assert entries[name]["summary"]
    assert {"name", "default", "range", "text"} == set(foresight.sources()[0]["options"][0])
