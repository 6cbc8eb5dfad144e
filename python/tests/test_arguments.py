"""What an argument cannot be is refused with a sentence that names it, never with a list of C++ signatures."""

from pathlib import Path

import pytest

import foresight

SMALL = "crowd(u=4,v=6)"


def train(where, **given):
    given = {"model": "ff", "train": SMALL, "folder": where / "run", **given}
    return foresight.train(**given, epochs=1, instances=10, validation_instances=10, progress=False)


def data():
    return foresight.generate(SMALL, 3, progress=False)


def found():
    return foresight.evaluate(data(), "greedy", progress=False)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda _: foresight.generate(None), "generate: source must be a text, got None"),
        (lambda _: foresight.Source(5), "Source: spec must be a text, got 5"),
        (lambda _: foresight.Source(SMALL).draw(1, 1.5), "draw: index must be a whole number, got 1.5"),
        (lambda _: foresight.evaluate(5, "greedy"), "evaluate: data must be a Dataset or the path of one, got 5"),
        (lambda _: foresight.play(None, "greedy"), "play: data must be a Dataset or the path of one, got None"),
        (lambda _: foresight.play(data(), None), "a policy must be a spec, .*got None"),
        (lambda _: foresight.play(data(), "greedy", sample=5), "play: sample must be True or False, got 5"),
        (lambda folder: train(folder, model=5), "train: model must be a text, got 5"),
        (lambda folder: train(folder, folder=None), "train: folder must be a str or a PathLike, got None"),
        (lambda folder: train(folder, resume=5), "train: resume must be True or False, got 5"),
        (lambda folder: train(folder, on_epoch=5), "train: on_epoch must be a function or None, got 5"),
        (lambda folder: foresight.report([5], folder / "a.md"), "report: results must be evaluations, .*got 5"),
        (lambda folder: foresight.report(None, folder / "a.md"), "report: results must be evaluations, .*got None"),
        (lambda folder: foresight.report(found(), folder / "a.md", title=5), "report: title must be a text, got 5"),
        (lambda _: found().save(None), "path must be a str or a PathLike, got None"),
        (lambda _: data().save(5), "save: path must be a str or a PathLike, got 5"),
        (lambda _: data().for_problem(5), "for_problem: problem must be a text, got 5"),
        (lambda _: foresight.load_model(None), "load_model: path must be a str or a PathLike, got None"),
        (lambda _: foresight.Dataset.load(None), "load: path must be a str or a PathLike, got None"),
        (lambda _: foresight.canonical(5, SMALL), "canonical: kind must be a text, got 5"),
        (lambda _: foresight.canonical("source", 5), "canonical: spec must be a text, got 5"),
    ],
)
def test_a_wrong_kind_is_a_type_error_with_a_sentence(call, message, tmp_path):
    with pytest.raises(TypeError, match=message):
        call(tmp_path)
    assert not any(tmp_path.iterdir())


def test_the_name_of_a_policy_is_a_text():
    class Numbered(foresight.Policy):
        name = 5

    with pytest.raises(TypeError, match="the name of a policy must be a text, got 5"):
        foresight.play(data(), Numbered(), progress=False)


NUL = "a\0b"


@pytest.mark.parametrize(
    "call, what",
    [
        (lambda _: foresight.Dataset.load(NUL), "load: path"),
        (lambda _: foresight.evaluate(NUL, "greedy"), "load: path"),
        (lambda _: foresight.evaluate(data(), Path(NUL)), "a policy"),
        (lambda _: foresight.solve(Path(NUL)), "load: path"),
        (lambda _: foresight.load_model(NUL), "load_model: path"),
        (lambda _: foresight.load_run(NUL), "a run's folder"),
        (lambda _: data().save(NUL), "save: path"),
        (lambda folder: train(folder, folder=NUL), "train: folder"),
        (lambda folder: train(folder, train=Path(NUL)), "train: train"),
        (lambda folder: foresight.report(found(), folder / f"{NUL}.md"), "path"),
        (lambda folder: foresight.report(NUL, folder / "a.md"), "a result"),
    ],
)
def test_a_path_that_no_file_can_have_is_refused(call, what, tmp_path):
    with pytest.raises(ValueError, match=rf"{what}: no file can be called .*a\\x00b"):
        call(tmp_path)


def test_paths_and_texts_may_hold_bytes_that_are_not_unicode(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"cannot read .*\\xff: No such file"):
        foresight.Dataset.load(str(tmp_path / "\udcff"))
    kept = data()
    kept.save(tmp_path / "\udcff")
    assert foresight.Dataset.load(tmp_path / "\udcff") == kept
    with pytest.raises(ValueError, match=r"generate: source must be valid Unicode, got '\\udcff'"):
        foresight.generate("\udcff")
    with pytest.raises(ValueError, match=r"a policy must be valid Unicode, got '\\udcff'"):
        foresight.evaluate(kept, "\udcff")


def test_a_report_of_nothing_is_refused(tmp_path):
    with pytest.raises(ValueError, match="report: there are no results"):
        foresight.report([], tmp_path / "report.md")
    assert not any(tmp_path.iterdir())


def test_a_file_that_is_not_there_is_named():
    for call in (foresight.evaluate, foresight.play):
        with pytest.raises(FileNotFoundError, match="crowd.st: No such file"):
            call("crowd.st", "greedy")
