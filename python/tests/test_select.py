"""Datasets as sequences: parts of them, several as one, and names, capacities and costs in them."""

import numpy as np
import pytest
from scipy import sparse

import foresight
from foresight.envs import MatchingEnv


def same(data, instances):
    return len(data) == len(instances) and all(a == b for a, b in zip(data, instances, strict=True))


def test_slices_lists_and_masks_give_datasets(data):
    every = list(data)
    assert isinstance(data[10:20], foresight.Dataset) and same(data[10:20], every[10:20])
    assert same(data[::-7], every[::-7]) and same(data[90:], every[90:]) and len(data[5:5]) == 0
    assert same(data[[3, 1, -1, 3]], [every[3], every[1], every[99], every[3]])
    assert same(data[np.array([4, 2], np.uint8)], [every[4], every[2]])
    mask = np.arange(100) % 30 == 0
    assert same(data[mask], [every[0], every[30], every[60], every[90]])
    assert same(data[list(mask)], list(data[mask])) and len(data[[]]) == 0
    assert data[:] == data and data[[3]].problem == data.problem and data[[3]].source == data.source


def test_parts_keep_their_labels(data):
    part = data[[7, 2]]
    assert part.labelled and part.label(0).value == data.label(7).value
    np.testing.assert_array_equal(part.label(-1).matching, data.label(2).matching)
    found = foresight.evaluate(part, "greedy", progress=False)
    whole = foresight.evaluate(data, "greedy", progress=False)
    assert set(found.policies[0].ratios) <= set(whole.policies[0].ratios)


def test_indices_that_do_not_exist_are_index_errors(data):
    for index in [[0, 100], [-101], np.array([2**40])]:
        with pytest.raises(IndexError, match=f"there is no instance {index[-1]}; there are 100"):
            data[index]
    with pytest.raises(IndexError, match="a mask must have one entry for each of 100 instances, got 3"):
        data[np.array([True, False, True])]
    with pytest.raises(TypeError, match="slice indices must be integers"):
        data["a":3]
    with pytest.raises(IndexError):
        data.label(100)


def test_datasets_can_be_put_together(data, adwords):
    assert data[:30] + data[30:] == data
    assert foresight.concat([data[:10], data[10:50], data[50:]]) == data
    assert foresight.concat(data[i : i + 50] for i in (0, 50)) == data
    assert not (data[:2] + data[2:4].for_problem("e-obm")).labelled
    with pytest.raises(ValueError, match="cannot be joined: their problems are e-obm and adwords"):
        data + adwords
    with pytest.raises(TypeError, match="unsupported operand"):
        data + 3
    for wrong in [3, [3], [data, None]]:
        with pytest.raises(TypeError, match="concat: datasets must be a list of datasets, got"):
            foresight.concat(wrong)
    with pytest.raises(ValueError, match="no datasets to join"):
        foresight.concat([])


def test_split_cuts_by_time_or_at_random(data, tmp_path):
    train, val, test = foresight.split(data, train=0.7, val=0.15, test=0.15)
    assert (len(train), len(val), len(test)) == (70, 15, 15)
    assert train + val + test == data
    assert foresight.split(data, train=24, test="rest").test == data[24:]
    data.save(tmp_path / "data")
    assert foresight.split(tmp_path / "data", past=np.int64(90), future=10).future == data[90:]
    mixed = foresight.split(data, a=0.5, b=0.5, shuffle_seed=3)
    assert mixed == foresight.split(data, a=0.5, b=0.5, shuffle_seed=3) != foresight.split(data, a=0.5, b=0.5)
    assert sorted(one.weights.sum() for part in mixed for one in part) == sorted(one.weights.sum() for one in data)


@pytest.mark.parametrize(
    "parts, error, message",
    [
        (dict(train=0.7, test=0.2), ValueError, "90 % of 100 instances; one part may have the size rest"),
        (dict(train=70, test=20), ValueError, "90 of 100 instances"),
        (dict(train=70, test=0.3), ValueError, "some parts have numbers and others have shares"),
        (dict(train=1.5), ValueError, 'share of part "train" must be 0..1, got 1.5'),
        (dict(train=-1, test="rest"), ValueError, "train"),
        (dict(train="half"), TypeError, "split: train must be a number of instances, a share"),
        (dict(train=True), TypeError, "split: train must be a number of instances, a share"),
        (dict(train=None), TypeError, "got None"),
        (dict(), ValueError, "there are no parts"),
        (dict(train=1.0, shuffle_seed="a"), TypeError, "shuffle_seed"),
    ],
)
def test_parts_that_make_no_sense_are_refused(data, parts, error, message):
    with pytest.raises(error, match=message):
        foresight.split(data, **parts)
    with pytest.raises(TypeError, match="split: data must be a Dataset or the path of one, got 3"):
        foresight.split(3, **parts)


NAMED = dict(
    capacities=[2, 0, 1],
    costs=[[[1, 2, 3], [4, 5, 6]], [[7, 8, 9]]],
    names=["ada", "bob", ""],
    arrival_names=[["roof", "wall"], ["roof"]],
)


def named(form=np.asarray, **changes):
    matrices = [[[10, 0, 30], [0, 50, 60]], [[0, 80, 0]]]
    arguments = {**NAMED, **changes}
    return foresight.gather([form(np.array(matrix, np.float32)) for matrix in matrices], **arguments)


def test_matrices_may_have_capacities_costs_and_names(tmp_path):
    data = named()
    assert data.problem == "gen-assignment" and named(sparse.csr_array) == data
    assert named(costs=[sparse.csr_array(np.array(each)) for each in NAMED["costs"]]) == data
    first, second = data
    assert first.capacities.tolist() == [2, 0, 1] and first.names == ["ada", "bob", ""]
    assert first.costs.tolist() == [1, 3, 5, 6] and second.costs.tolist() == [8]
    assert first.arrival_names == ["roof", "wall"] and second.arrival_names == ["roof"]
    assert bytes(data.arrays["text"]) == b"adabobroofwall"
    data.save(tmp_path / "data")
    assert foresight.Dataset.load(tmp_path / "data") == data
    assert data[[1]][0].names == first.names and data[:1] + data[1:] == data
    each = named(capacities=[[2, 0, 1], [1, 1, 1]], names=[["a", "b", "c"], ["d", "e", "ä"]])
    assert each[1].names == ["d", "e", "ä"] and each[1].capacities.tolist() == [1, 1, 1]
    again = foresight.Dataset.from_arrays(data.arrays, problem=data.problem, source="own")
    assert again == data


def test_matchings_can_be_read_as_names():
    data = foresight.solve(named(), progress=False)
    assert data[0].matching_names([0, -1]) == ["ada", None] and data[0].matching_names([2, 1]) == ["2", "bob"]
    assert data.label(0).proven and data.label(0).bound == data.label(0).value == 10
    assert data[0].matching_names(data.label(0).matching) == ["ada", None]
    _, matching = foresight.play(data, "greedy", progress=False)
    assert data[1].matching_names(matching[2:]) == [None]
    with pytest.raises(ValueError, match="one node for each of 2 arrivals, got 3"):
        data[0].matching_names([0, 0, 0])
    with pytest.raises(ValueError, match=r"a node must be -1\.\.2, got 3"):
        data[0].matching_names([3, 0])
    with pytest.raises(TypeError, match="matching"):
        data[0].matching_names(["ada", "bob"])


@pytest.mark.parametrize(
    "changes, error, message",
    [
        (dict(names="abc"), TypeError, "names must be a list, got 'abc'"),
        (dict(names=[1, 2, 3]), TypeError, "fixed_names must be a list of texts, got 1 in it"),
        (dict(names=["a"]), ValueError, "matrix 0 has 1 names instead of 3"),
        (dict(arrival_names=["a", "b"]), ValueError, "matrix 1 has 2 arrival_names instead of 1"),
        (dict(costs=3), TypeError, "costs must be a list of matrices, got 3"),
        (dict(costs=[[[1, 2, 3], [4, 5, 6]]]), ValueError, "costs are given for 1 matrices, but there are 2"),
        (dict(costs=[[[1]], [[1]]]), ValueError, r"shape \(1, 1\) instead of \(2, 3\)"),
        (dict(costs=[[[-1, 2, 3], [4, 5, 6]], [[7, 8, 9]]]), ValueError, "cost"),
        (dict(capacities=3), TypeError, "capacities must be a list, got 3"),
        (dict(capacities=[1, 2, -3]), ValueError, "-3"),
        (dict(capacities=["a", 1, 2]), TypeError, "capacities: expected numbers"),
    ],
)
def test_what_does_not_fit_the_matrices_is_refused(changes, error, message):
    with pytest.raises(error, match=message):
        named(**changes)


def test_policies_see_names_and_capacities():
    data = named()
    seen = []

    class Looking(foresight.Policy):
        def begin(self, market):
            return market

        def score(self, state):
            seen.append((state.arrival_name, state.memory.names, state.memory.capacities.tolist()))
            return [0, *state.gains]

    foresight.play(data, Looking(), threads=1, progress=False)
    assert ("roof", ["ada", "bob", ""], [2, 0, 1]) in seen


def test_environments_know_capacities_costs_and_absence(tmp_path):
    lines = [f"1,{t},{edge}" for t in range(4) for edge in ("a,5,2", "b,7,1")]
    (tmp_path / "log.csv").write_text("\n".join(["instance,arrival,u,weight,cost", *lines]))
    (tmp_path / "fixed.csv").write_text("id,capacity\na,5\nb,0\n")
    env = MatchingEnv("gen-assignment", f'recorded(path="{tmp_path}/log.csv",fixed="{tmp_path}/fixed.csv")')
    _, info = env.reset(seed=1)
    masks, rewards = [info["action_mask"].tolist()], []
    for _ in range(4):
        _, reward, _, _, info = env.step(1)
        rewards.append(reward)
        masks.append(info["action_mask"].tolist())
    assert any("remaining" in name for name in env.feature_names)
    assert masks[:3] == [[True, True, False]] * 2 + [[True, False, False]]
    assert rewards == [5, 5, 0, 0]
