"""Where progress is shown, and how."""

import os
import pty
import subprocess
import sys
import types

import pytest

import foresight
from foresight import _progress

TRAIN = """
import sys, foresight
foresight.train("ff", "crowd(u=10,v=30)", sys.argv[1], epochs=2, instances=500)
"""


def test_a_terminal_gets_a_bar(tmp_path):
    reader, writer = pty.openpty()
    environment = {**os.environ, "TERM": "xterm"}
    process = subprocess.Popen([sys.executable, "-c", TRAIN, tmp_path / "run"], stderr=writer, env=environment)
    os.close(writer)
    shown = b""
    while True:
        try:
            part = os.read(reader, 65536)
        except OSError:  # how a terminal says that nobody writes to it any more
            break
        if not part:
            break
        shown += part
    assert process.wait() == 0
    assert b"training: 18 batches in" in shown and b"\x1b[K" in shown


def test_a_file_gets_nothing(tmp_path):
    done = subprocess.run([sys.executable, "-c", TRAIN, tmp_path / "run"], capture_output=True)
    assert done.returncode == 0 and done.stderr == b"" and done.stdout == b""


def test_a_notebook_gets_a_line_that_changes(monkeypatch, tmp_path):
    shown = []

    class Handle:
        def update(self, content, raw):
            shown.append(content)

    def display(content, raw, display_id):
        assert raw and display_id
        shown.append(content)
        return Handle()

    monkeypatch.setitem(sys.modules, "ipykernel", types.ModuleType("ipykernel"))
    fake = types.ModuleType("IPython.display")
    fake.display = display
    monkeypatch.setitem(sys.modules, "IPython", types.ModuleType("IPython"))
    monkeypatch.setitem(sys.modules, "IPython.display", fake)
    foresight.train("ff", "crowd(u=10,v=30)", tmp_path / "run", epochs=2, instances=500)
    assert shown and all("text/plain" in content for content in shown)
    assert "training" in shown[-1]["text/plain"] and "100%" in shown[-1]["text/plain"]


@pytest.mark.parametrize("progress", [True, False, print])
def test_a_wish_is_respected(progress):
    assert _progress.listener(progress) is progress


@pytest.mark.parametrize("progress", [5, 0, "bar"])
def test_a_wish_that_cannot_be_is_refused(progress):
    with pytest.raises(TypeError, match=f"progress must be True, False, None or a function, got {progress!r}"):
        foresight.generate("crowd(u=4,v=6)", 3, progress=progress)
