"""The examples run, each as a program of its own."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"
ARGUMENTS = {"tour": ["{folder}"], "pytorch_model": ["{folder}"], "maskable_ppo": ["3600"]}
NEEDS = {"pytorch_model": ["torch"], "maskable_ppo": ["torch", "sb3_contrib"]}


@pytest.mark.parametrize("name", sorted(path.stem for path in EXAMPLES.glob("*.py")))
def test_an_example_runs(name, tmp_path):
    for module in NEEDS.get(name, []):
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"{module} is not installed")
    arguments = [argument.format(folder=tmp_path / "run") for argument in ARGUMENTS.get(name, [])]
    done = subprocess.run(
        [sys.executable, EXAMPLES / f"{name}.py", *arguments], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_the_readmes_example_runs(tmp_path):
    readme = (EXAMPLES.parent.parent / "README.md").read_text()
    (code,) = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
    code = re.sub(r"epochs=\d+", "epochs=1, instances=500", code)
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "greedy" in done.stdout


def test_the_example_of_registering_runs(tmp_path):
    page = (EXAMPLES.parent.parent / "docs" / "python.md").read_text()
    (code,) = (code for code in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "register_" in code)
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "at-least(threshold=1)" in done.stdout and "runs/orders" in done.stdout
