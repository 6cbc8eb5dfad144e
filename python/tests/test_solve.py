import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import linear_sum_assignment

import foresight

SHAPES = [(1, 1), (5, 5), (3, 9), (9, 3), (40, 60), (120, 80)]


def kinds(random, shape):
    yield random.normal(size=shape)  # negative weights, too
    yield random.random(shape)
    yield -random.random(shape)
    yield random.integers(0, 3, shape)  # ties
    yield random.random(shape).astype(np.float32)
    yield np.asfortranarray(random.random(shape))
    yield random.random((shape[0] * 2, shape[1]))[::2]
    yield random.random(shape) < 0.3


@pytest.mark.parametrize("shape", SHAPES)
def test_a_matrix_is_solved_as_scipy_does(shape):
    random = np.random.default_rng(1)
    for weights in kinds(random, shape):
        rows, columns = foresight.solve(weights)
        expected = linear_sum_assignment(weights, maximize=True)
        assert rows.dtype == expected[0].dtype and columns.dtype == expected[1].dtype
        np.testing.assert_array_equal(rows, np.unique(rows))
        assert len(np.unique(columns)) == len(columns) == min(shape)
        assert weights[rows, columns].sum() == pytest.approx(weights[expected].sum(), rel=1e-12, abs=1e-12)


def test_unique_optima_are_the_same_pairs():
    random = np.random.default_rng(2)
    for _ in range(50):
        weights = random.normal(size=(8, 11))
        np.testing.assert_array_equal(foresight.solve(weights), linear_sum_assignment(weights, maximize=True))


def test_lists_and_empty_matrices():
    np.testing.assert_array_equal(foresight.solve([[1, 5], [2, 3]]), [[0, 1], [1, 0]])
    for shape in [(0, 0), (0, 3), (3, 0)]:
        rows, columns = foresight.solve(np.zeros(shape))
        assert len(rows) == len(columns) == 0


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_weights_that_are_no_numbers_are_refused(bad):
    weights = np.ones((3, 4))
    weights[1, 2] = bad
    with pytest.raises(ValueError, match=r"edge \(1, 2\) is -?(nan|inf)"):
        foresight.solve(weights)
    with pytest.raises(ValueError, match="finite"):
        foresight.solve(sparse.csr_array(weights))


def test_what_is_no_matrix_is_refused():
    with pytest.raises(ValueError, match="2-D"):
        foresight.solve(np.ones(3))
    with pytest.raises(ValueError, match="numbers"):
        foresight.solve(np.array([["a"]]))

    with pytest.raises(ValueError, match="2-D"):
        foresight.solve([[1], [1, 2]])
    with pytest.raises(ValueError, match="numbers"):
        foresight.solve(sparse.csr_array(np.array([[1j]])))


def broken(form, kind, **changes):
    """A sparse matrix whose insides were changed."""
    matrix = form(np.ones((2, 3), kind))
    for name, values in changes.items():
        setattr(matrix, name, np.array(values, np.int32))
    return matrix


@pytest.mark.parametrize(
    "form, changes, message",
    [
        (sparse.csr_array, dict(indices=[0, 1, 3, 0, 1, 2]), r"indices .*0\.\.2, got 3"),
        (sparse.csr_array, dict(indices=[0, 1, 2**30, 0, 1, 2]), "indices .*got 1073741824"),
        (sparse.csr_array, dict(indices=[0, 1, -1, 0, 1, 2]), "indices .*got -1"),
        (sparse.csc_array, dict(indices=[0, 1, 0, 2, 0, 1]), r"indices .*0\.\.1, got 2"),
        (sparse.bsr_array, dict(indices=[0, 1, 9, 0, 1, 2]), r"indices .*0\.\.2, got 9"),
        (sparse.coo_array, dict(row=[0, 0, 0, 1, 1, 2]), r"indices .*0\.\.1, got 2"),
        (sparse.coo_array, dict(col=[0, 1, 2, 0, 1, 3]), r"indices .*0\.\.2, got 3"),
        (sparse.csr_array, dict(indptr=[0, 7, 6]), "indptr .*never falling"),
        (sparse.csr_array, dict(indptr=[0, 5, 0]), "indptr .*never falling"),
        (sparse.csr_array, dict(indptr=[1, 3, 6]), "indptr .*from 0"),
        (sparse.csr_array, dict(indptr=[0, 6]), "indptr .*3 whole numbers"),
        (sparse.csr_array, dict(indptr=[0, 3, 60]), "indptr .*ends with 60, but there are 6 indices and 6 entries"),
    ],
)
@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("use", [foresight.solve, lambda matrix: foresight.gather([matrix])], ids=["solve", "gather"])
def test_a_sparse_matrix_that_points_outside_itself_is_refused(use, kind, form, changes, message):
    use(broken(form, kind))
    with pytest.raises(ValueError, match=message):
        use(broken(form, kind, **changes))


@pytest.mark.parametrize("form", [sparse.bsr_array, sparse.lil_array, sparse.dok_array, sparse.dia_array])
def test_every_form_of_sparse_matrices_is_used(form):
    weights = np.array([[1.0, 2.0, 0.0], [3.0, 0.0, 1.0]])
    np.testing.assert_array_equal(foresight.solve(form(weights)), [[0, 1], [1, 0]])
    assert foresight.gather([form(weights)]) == foresight.gather([weights])


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csr_matrix, sparse.coo_array, sparse.csc_array])
def test_a_sparse_matrix_has_the_value_of_the_dense_one(shape, dtype, form):
    random = np.random.default_rng(3)
    for density in [0.05, 0.3, 1.0]:
        dense = (random.integers(1, 1000, shape) * (random.random(shape) < density)).astype(dtype)
        rows, columns = foresight.solve(form(dense))
        expected = linear_sum_assignment(dense, maximize=True)
        assert (dense[rows, columns] > 0).all()
        assert len(np.unique(rows)) == len(rows) == len(np.unique(columns))
        assert dense[rows, columns].sum() == dense[expected].sum()


def test_a_sparse_matrix_is_left_as_it_was_and_never_uses_what_loses():
    matrix = sparse.csr_array(np.array([[-1.0, 2.0], [-3.0, 0.0]]))
    before = matrix.toarray()
    np.testing.assert_array_equal(foresight.solve(matrix), [[0], [1]])
    np.testing.assert_array_equal(matrix.toarray(), before)


def test_sparse_entries_that_are_given_twice_add_up():
    matrix = sparse.csr_array((np.array([1.0, 1.0, 1.5]), np.array([1, 1, 0]), np.array([0, 3])), shape=(1, 2))
    np.testing.assert_array_equal(foresight.solve(matrix), [[0], [1]])


def test_double_precision_counts_in_sparse_matrices():
    matrix = sparse.csr_array(np.array([[1.0, 1.0 + 1e-12]]))
    np.testing.assert_array_equal(foresight.solve(matrix), [[0], [1]])


def test_a_dataset_gets_its_optima(data):
    again = foresight.solve(foresight.generate(data.source, len(data), seed=5), progress=False)
    assert again == data
    for i in range(10):
        weights = data[i].to_scipy().toarray()
        pairs = linear_sum_assignment(weights, maximize=True)
        assert data.arrays["label.value"][i] == pytest.approx(weights[pairs].sum(), rel=1e-6)


def test_optima_are_found_again_where_asked_for():
    data = foresight.generate("er(u=3,v=5,p=0.9,capacity=2)", 2, label=True)
    arrays = dict(data.arrays)
    arrays["fixed.capacity"] = np.full_like(arrays["fixed.capacity"], 5)
    more = foresight.Dataset.from_arrays(arrays, problem="e-obm")
    assert foresight.solve(more, progress=False).label(0).value == data.label(0).value  # kept
    better = foresight.solve(more, again=True, progress=False)
    assert better.label(0).value > data.label(0).value
