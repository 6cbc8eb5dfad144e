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
    with pytest.raises(TypeError, match="float64"):
        foresight.Dataset.from_arrays({**arrays, "edge.node": [0.0, 1.5]})


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
    for index in [100, -101]:
        with pytest.raises(IndexError):
            data[index]
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
    budgets = foresight.gather([np.ones((3, 2))] * 2, problem="adwords", budgets=[1.0, 2.0])
    np.testing.assert_array_equal(budgets[1].budgets, [1, 2])
    with pytest.raises(ValueError, match="two dimensions"):
        foresight.gather([np.ones(3)])
    with pytest.raises(ValueError, match="-1"):
        foresight.gather([[[-1.0]]])


def test_an_instance_shows_what_it_has_and_empty_arrays_for_the_rest(data, adwords, coverage):
    plain, budgets, topics = data[3], adwords[3], coverage[3]
    assert plain.fixed_attributes.shape == (plain.num_fixed, len(data.fixed_attributes))
    assert plain.arrival_attributes.shape == (plain.num_arrivals, len(data.arrival_attributes))
    assert len(plain.budgets) == 0 and len(plain.preferences) == 0
    assert len(plain.ids) == plain.num_fixed and len(plain.types) == plain.num_arrivals
    assert (budgets.budgets > 0).all() and len(budgets.budgets) == budgets.num_fixed
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
