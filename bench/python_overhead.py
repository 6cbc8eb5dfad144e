#!/usr/bin/env python3
"""What a call from Python costs, compared with the C++ program: the same training and the same evaluation, in turns.

    bench/python_overhead.py [ROUNDS]

Run it with the interpreter that the package is installed for. The program next to it is the rival. Both measure
the times themselves, without start-up: seconds per epoch in timing.csv, and decisions per second in the
evaluation. Each figure is the best of the rounds. A ratio above 1 means that Python is slower.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import foresight as fs

SOURCE = "crowd(u=10,v=30)"
EPOCHS, INSTANCES = 4, 10_000


def train_in_python(folder):
    start = time.perf_counter()
    run = fs.train("inv-ff-hist", SOURCE, folder, epochs=EPOCHS, instances=INSTANCES, progress=False)
    return min(run.timing["seconds"]), time.perf_counter() - start


def train_in_cpp(program, folder):
    start = time.perf_counter()
    command = [program, "train", "inv-ff-hist", "--train", SOURCE, "-o", folder]
    command += ["--epochs", str(EPOCHS), "--instances", str(INSTANCES)]
    subprocess.run(command, check=True, capture_output=True)
    return min(fs.load_run(folder).timing["seconds"]), time.perf_counter() - start


def evaluate_in_python(data, policies):
    start = time.perf_counter()
    found = fs.evaluate(data, policies, progress=False)
    return [1 / policy.decisions_per_second for policy in found.policies], time.perf_counter() - start


def evaluate_in_cpp(program, file, policies, result):
    start = time.perf_counter()
    command = [program, "evaluate", file, "--json", result, "--episodes", "0"]
    command += [word for policy in policies for word in ("--policy", policy)]
    subprocess.run(command, check=True, capture_output=True)
    spent = time.perf_counter() - start
    return [1 / policy["decisions_per_second"] for policy in json.loads(result.read_text())["policies"]], spent


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    program = Path(sys.executable).parent / "foresight"
    work = Path(tempfile.mkdtemp())
    data = fs.generate(SOURCE, 20_000, seed=2, label=True, progress=False)
    data.save(work / "data")
    policies = ["greedy", str(work / "cpp-0")]
    training, evaluation = [], []
    for i in range(rounds):
        training.append((train_in_python(work / f"python-{i}"), train_in_cpp(program, work / f"cpp-{i}")))
        evaluation.append(
            (evaluate_in_python(data, policies), evaluate_in_cpp(program, work / "data", policies, work / "result"))
        )

    def show(name, python, cpp, unit):
        print(f"{name:<44} {python:10.4f} {cpp:10.4f} {unit:<4} {python / cpp:6.3f}")

    print(f"{'':<44} {'Python':>10} {'C++':>10} {'':<4} {'ratio':>6}")
    show(f"training, an epoch of {INSTANCES:,} instances", *(min(r[s][0] for r in training) for s in (0, 1)), "s")
    show("training, the whole call (C++: with start)", *(min(r[s][1] for r in training) for s in (0, 1)), "s")
    for k, name in enumerate(["greedy", "inv-ff-hist"]):
        times = (1e6 * min(r[s][0][k] for r in evaluation) for s in (0, 1))
        show(f"evaluation, a decision of {name}", *times, "us")
    show("evaluation, the whole call (C++: with start)", *(min(r[s][1] for r in evaluation) for s in (0, 1)), "s")


if __name__ == "__main__":
    main()
