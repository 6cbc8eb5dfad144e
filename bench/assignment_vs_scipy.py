#!/usr/bin/env python3
"""Compares the speed of AssignmentSolver and of SciPy's linear_sum_assignment on the same matrices, in one run.

    bench/assignment_vs_scipy.py PATH_TO_BENCH_ASSIGNMENT

Each figure is the CPU time of the best of several rounds over a batch of matrices, in microseconds per
matrix. The two take turns. SciPy is called in a plain Python loop. "net" subtracts what the same loop
needs for a 1 x 1 matrix, which is the cost of a call that solves nothing.
`full` solves the same problem as SciPy. `solve` starts from the edges of an Instance, as Foresight does.
"""

import json
import subprocess
import sys
import tempfile
import time

import numpy as np
import scipy
from scipy.optimize import linear_sum_assignment

ROUNDS = 3


def uniform(random, rows, columns):
    return random.random((rows, columns))


def crowdsourcing(random, rows, columns):
    """Like gMission: workers reach tasks within distance 1 in a 5 x 5 square."""
    workers, tasks = random.uniform(0, 5, (rows, 2)), random.uniform(0, 5, (columns, 2))
    near = np.linalg.norm(workers[:, None] - tasks[None, :], axis=2) <= 1
    success, payoff = random.uniform(0.2, 1, (rows, 1)), random.uniform(2.5, 19, (1, columns))
    return near * success * payoff / 19


def scipy_once(matrices):
    """Microseconds per call, and the total value."""
    start = time.process_time()
    matchings = [linear_sum_assignment(matrix, maximize=True) for matrix in matrices]
    spent = time.process_time() - start
    value = sum(matrix[matching].sum() for matrix, matching in zip(matrices, matchings))
    return 1e6 * spent / len(matrices), value


def scipy_best(matrices, seconds=1.0):
    end = time.process_time() + seconds
    best = scipy_once(matrices)
    while time.process_time() < end:
        best = min(best, scipy_once(matrices))
    return best


def foresight_best(program, matrices):
    rows, columns = matrices[0].shape
    with tempfile.NamedTemporaryFile(suffix=".f64") as file:
        np.stack(matrices).astype(np.float64).tofile(file)
        file.flush()
        command = [program, "--json", str(rows), str(columns), file.name]
        lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return {line["method"]: line for line in map(json.loads, lines.splitlines())}


def compare(program, name, draw, rows, columns, count):
    random = np.random.default_rng(1)
    matrices = [draw(random, rows, columns) for _ in range(count)]
    trivial = [np.ones((1, 1))] * count
    theirs, call, full, solve = [], [], [], []
    for _ in range(ROUNDS):
        microseconds, value = scipy_best(matrices)
        ours = foresight_best(program, matrices)
        np.testing.assert_allclose(ours["solve_full"]["value"], value, rtol=1e-9)
        np.testing.assert_allclose(ours["solve"]["value"], value, rtol=1e-6)  # weights as floats
        theirs.append(microseconds)
        call.append(scipy_best(trivial, 0.2)[0])
        full.append(ours["solve_full"]["microseconds"])
        solve.append(ours["solve"]["microseconds"])
    net = min(theirs) - min(call)
    print(
        f"{name:14} {rows:4} x {columns:<4} {min(theirs):10.1f} {net:10.1f} {min(full):10.2f} {min(solve):10.2f}"
        f"   {min(theirs) / min(full):5.1f}x {net / min(full):5.1f}x {min(theirs) / min(solve):7.1f}x"
    )


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    print(f"SciPy {scipy.__version__}; microseconds per matrix")
    print(" " * 28 + "     SciPy        net       full      solve   SciPy/full    net SciPy/solve")
    for draw in (uniform, crowdsourcing):
        for rows, columns, count in ((10, 30, 500), (100, 100, 50), (1000, 1000, 2)):
            compare(sys.argv[1], draw.__name__, draw, rows, columns, count)


if __name__ == "__main__":
    main()
