"""What the tests share."""

import subprocess
import sys
from pathlib import Path

import own
import pytest

import foresight

CROWD = "crowd(u=6,v=12)"


@pytest.fixture(scope="session")
def program():
    """The program that came with the wheel, beside this very interpreter."""
    path = Path(sys.executable).parent / "foresight"
    assert path.exists(), f"{path} is missing: is the package installed in a virtual environment?"

    def run(*arguments):
        return subprocess.run([path, *map(str, arguments)], check=True, capture_output=True, text=True).stdout

    return run


@pytest.fixture(scope="session")
def data():
    return foresight.generate(CROWD, 100, seed=5, label=True, progress=False)


@pytest.fixture(scope="session")
def adwords():
    return foresight.generate("thick-z(u=5,v=20)", 50, seed=5, label=True, progress=False)


@pytest.fixture(scope="session")
def coverage_source(tmp_path_factory):
    """A source of osbm instances that needs no download."""
    folder = tmp_path_factory.mktemp("coverage")
    edges = [f"m{u},a{v},1" for v in range(8) for u in range(5) if (u * v) % 3 != 1]
    (folder / "edges.csv").write_text("u,v,weight\n" + "\n".join(edges) + "\n")
    (folder / "fixed.csv").write_text("id,topics\nm0,x|y\nm1,y\nm2,x|z\nm3,z\nm4,y|z\n")
    return f'csv(path="{folder}",u=5,v=10)'


@pytest.fixture(scope="session")
def coverage(coverage_source):
    return foresight.generate(coverage_source, 30, seed=5, label=True, progress=False)


@pytest.fixture(scope="session", name="own")
def register_own():
    """What is written in Python has its names from here on."""
    own.register()
