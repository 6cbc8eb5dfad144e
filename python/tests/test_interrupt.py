"""Ctrl-C and the interpreter's lock."""

import os
import signal
import subprocess
import sys
import textwrap
import threading

import pytest

import foresight

LONG = {
    "train": "foresight.train('inv-ff-hist', 'crowd(u=10,v=30)', folder, epochs=100000, instances=500, progress=False)",
    "solve": "[foresight.solve(data, progress=False) for _ in range(1000)]",
    "evaluate": "[foresight.evaluate(data, ['greedy', Slow()], progress=False) for _ in range(1000)]",
    "generate": "foresight.generate('own-slow', 1000000, progress=False)",
    "learn": "[foresight.play(data, f'bid-price(train={folder})', progress=False) for _ in range(1000)]",
}
SOURCE = {"solve": "crowd(u=200,v=2000)", "learn": "crowd(u=200,v=2000)"}


@pytest.mark.parametrize("call", LONG)
def test_ctrl_c_raises_keyboard_interrupt_in_the_middle(call, tmp_path):
    code = f"""
        import signal, sys, time
        import foresight
        signal.signal(signal.SIGINT, signal.default_int_handler)  # it is ignored where tests run in the background
        folder = sys.argv[1]

        class Slow(foresight.Policy):
            def score(self, state):
                time.sleep(0.001)
                return [0, *state.gains]

        data = foresight.generate({SOURCE.get(call, "crowd(u=10,v=30)")!r}, 300, progress=False)

        class SlowSource:
            fixed_attributes, arrival_attributes = data.fixed_attributes, data.arrival_attributes

            def draw(self, seed, index):
                time.sleep(0.001)
                return data[0]

        foresight.register_source("own-slow", SlowSource)
        if {call!r} == "learn":
            data.save(folder)
        print("ready", flush=True)
        try:
            {LONG[call]}
        except KeyboardInterrupt:
            print("interrupted", flush=True)
    """
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), str(tmp_path / "run")], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "ready\n"
    if call == "train":
        while not (tmp_path / "run" / "last.safetensors").exists():
            assert process.poll() is None
    else:
        threading.Event().wait(0.3)
    os.kill(process.pid, signal.SIGINT)
    output, _ = process.communicate()
    assert output == "interrupted\n" and process.returncode == 0
    if call == "train":
        assert foresight.load_run(tmp_path / "run").epochs >= 1


def test_other_threads_run_during_long_calls(tmp_path):
    """A thread that gets the lock counts on; one that does not would find nothing counted."""
    counted, stop = [0], threading.Event()

    def count():
        while not stop.is_set():
            counted[0] += 1

    def on_epoch(metrics):
        counts.append(counted[0])

    counts = []
    thread = threading.Thread(target=count)
    thread.start()
    try:
        foresight.train("ff", "crowd(u=10,v=30)", tmp_path, epochs=3, instances=2000, on_epoch=on_epoch, progress=False)
    finally:
        stop.set()
        thread.join()
    assert counts[0] > 0 and counts[1] > counts[0] and counts[2] > counts[1]
