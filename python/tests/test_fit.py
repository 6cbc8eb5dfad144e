"""Models meet data: by the names of its columns, never by their places, and only in their own problem."""

import numpy as np
import pytest
from entries import names

import foresight

SOURCE = "crowd(u=4,v=8)"


@pytest.fixture(scope="module")
def attributes():
    return foresight.generate(SOURCE, 40, seed=3, label=True, progress=False)


@pytest.fixture(scope="module", params=names(foresight.models()))
def run(request, attributes, tmp_path_factory):
    folder = tmp_path_factory.mktemp("fit") / "run"
    return foresight.train(request.param, attributes, folder, validation=attributes, epochs=1, progress=False)


def forms(run):
    """All that stands for a model."""
    return [run, run.load(), run.folder, str(run.folder), run.folder / "best.safetensors"]


def with_columns(data, fixed, arrival, names_of=str):
    """The same data with its columns of attributes in another order, under other names."""
    arrays = dict(data.arrays)
    order = {"fixed.attributes": fixed, "arrival.attributes": arrival}
    for key, places in order.items():
        arrays[key] = np.ascontiguousarray(arrays[key][:, places])
    return foresight.Dataset.from_arrays(
        arrays,
        problem=data.problem,
        source=data.source,
        seed=data.seed,
        fixed_attributes=[names_of(data.fixed_attributes[i]) for i in fixed],
        arrival_attributes=[names_of(data.arrival_attributes[i]) for i in arrival],
    )


def sees(model, data):
    """The lists of attributes that the model has among its inputs."""
    return [
        side
        for side, columns in [("fixed", data.fixed_attributes), ("arrival", data.arrival_attributes)]
        if any(f"{side}.{name}" in model.features for name in columns)
    ]


def test_columns_in_another_order_give_exactly_the_same_decisions(run, attributes):
    other = with_columns(attributes, [2, 0, 3, 1], [1, 2, 0])
    assert other.fixed_attributes != attributes.fixed_attributes
    expected = foresight.play(attributes, run, progress=False)
    ratios = foresight.evaluate(attributes, run, progress=False).policies[0].ratios
    for form in forms(run):
        for found, wanted in zip(foresight.play(other, form, progress=False), expected, strict=True):
            np.testing.assert_array_equal(found, wanted)
        np.testing.assert_array_equal(foresight.evaluate(other, form, progress=False).policies[0].ratios, ratios)


@pytest.mark.parametrize(
    "fixed, arrival, names_of",
    [([0, 1, 2, 3], [0, 1, 2], "other_{}".format), ([0, 1, 2], [0, 1], str)],
    ids=["renamed", "fewer"],
)
def test_other_columns_are_refused_with_both_lists(run, attributes, fixed, arrival, names_of):
    other = with_columns(attributes, fixed, arrival, names_of)
    seen = sees(run.load(), attributes)
    if not seen:
        np.testing.assert_array_equal(
            foresight.play(other, run, progress=False)[1], foresight.play(attributes, run, progress=False)[1]
        )
        return
    lists = {"fixed": lambda data: data.fixed_attributes, "arrival": lambda data: data.arrival_attributes}
    wanted, found = (", ".join(lists[seen[0]](data)) for data in (attributes, other))
    sentence = f"was trained with the {seen[0]} attributes [{wanted}], but the data has [{found}]"
    for form in forms(run):
        for use in (foresight.play, foresight.evaluate):
            with pytest.raises(ValueError) as error:
                use(other, form, progress=False)
            assert sentence in str(error.value)


def test_another_problem_is_refused(run, adwords):
    for form in forms(run):
        for use in (foresight.play, foresight.evaluate):
            with pytest.raises(ValueError, match='was trained for problem "e-obm", not for problem "adwords"'):
                use(adwords, form, progress=False)


def test_some_models_see_the_attributes_of_each_side(attributes, tmp_path):
    """Without one, the tests above would show nothing."""
    seen = set()
    for name in names(foresight.models()):
        run = foresight.train(name, attributes, tmp_path / name, validation=attributes, epochs=1, progress=False)
        seen.update(sees(run.load(), attributes))
    assert seen == {"fixed", "arrival"}
