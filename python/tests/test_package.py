"""The package as a whole: what it says of itself, and the program that comes along."""

import importlib.metadata
import inspect
from pathlib import Path

import foresight
import foresight.envs


def test_one_version(program):
    version = importlib.metadata.version("foresight")
    assert foresight.__version__ == version
    assert program("--version") == f"foresight {version}\n"


def test_the_program_works_from_the_wheel(program, tmp_path):
    assert "crowd" in program("list", "sources")
    program("generate", "crowd(u=4,v=8)", "-n", 50, "--label", "-o", tmp_path / "data")
    program("evaluate", tmp_path / "data", "--policy", "greedy", "--json", tmp_path / "result.json")
    program("report", tmp_path / "result.json", "-o", tmp_path / "report.html")
    assert (tmp_path / "report.html").stat().st_size > 100_000


def public():
    for module in (foresight, foresight.envs):
        for name in module.__all__:
            thing = getattr(module, name)
            if callable(thing):
                yield f"{module.__name__}.{name}", thing
            if inspect.isclass(thing):
                for key, member in vars(thing).items():
                    if not key.startswith("_") and callable(member):
                        yield f"{name}.{key}", member


def test_everything_public_has_a_docstring():
    assert [name for name, thing in public() if not inspect.getdoc(thing)] == []


def test_docstrings_come_from_the_headers():
    assert "checks everything in it once" in inspect.getdoc(foresight.Dataset.load)
    assert "OSError or ValueError" in inspect.getdoc(foresight.Dataset.load)


def test_the_package_is_typed():
    folder = Path(foresight.__file__).parent
    assert (folder / "py.typed").exists()
    stubs = (folder / "_core.pyi").read_text()
    assert "class Dataset" in stubs and "def load(path: str | os.PathLike) -> Dataset" in stubs
