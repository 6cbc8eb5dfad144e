#!/usr/bin/env python3
"""The table of docs/auto.md: `foresight train auto` against everything else, on many sources and seeds.

    bench/auto_table.py --data ../shared/data -o out/auto [--seeds 3] [--minutes 10] [--jobs 2] [NAME...]

What is finished stays in the folder, so an interrupted table goes on. Every policy is judged on the same
instances, which no search has seen. A name such as "ba-10x60" asks for these rows only. Each job keeps one
core busy, and time is the processor's, so other work on the machine changes no figure.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

CLASSICAL = ["greedy-rt", "msvv", "balance", "ranking", "random"]
RIVALS = ["bid-price", "mirror-descent", "resolving", "trajectory"]
LEARNS = ["greedy-rt", *RIVALS]
SOLVES = {"resolving", "trajectory"}  # programs for every decision: judged on fewer instances
FIELD_SERVICE = Path(__file__).parent.parent / "examples/field-service/generate.py"


def sources(data: Path, output: Path) -> dict[str, str]:
    """All rows, by name: the spec of a source, or how many days of a log there are to learn from."""
    gmission, movielens, adx = data / "gmission", data / "movielens", data / "adx"
    rows = {}
    for v in (30, 60):
        rows[f"gmission-10x{v}"] = f"gmission(path={gmission},u=10,v={v})"
    rows["gmission-100x100"] = f"gmission(path={gmission},u=100,v=100)"
    for v in (30, 60):
        rows[f"gmission-var-10x{v}"] = f"gmission(path={gmission},u=10,v={v},workers=vary)"
    for u, v in ((10, 30), (10, 60), (100, 100)):
        for p in (0.05, 0.1, 0.15, 0.2):
            rows[f"er-{u}x{v}-p{p}"] = f"er(u={u},v={v},p={p})"
    for u, v in ((10, 30), (10, 60), (100, 100)):
        rows[f"ba-{u}x{v}"] = f"ba(u={u},v={v},degree=5)"
    rows["ba-100x100-d15"] = "ba(u=100,v=100,degree=15)"
    for u, v in ((10, 30), (10, 60), (94, 100)):
        rows[f"movielens-{u}x{v}"] = f"movielens(path={movielens},u={u},v={v})"
        rows[f"movielens-var-{u}x{v}"] = f"movielens(path={movielens},u={u},v={v},movies=vary)"
    rows["thick-z-10x60"] = "thick-z(u=10,v=60)"
    rows["triangular-10x60"] = "triangular(u=10,v=60)"
    rows["adwords-20x200"] = f"csv(path={adwords(output / 'adwords')},u=20,v=200)"
    for publisher in ("pub1", "pub2", "pub5", "pub7"):
        rows[f"{publisher}-100"] = f"adx(path={adx},publisher={publisher},v=100)"
    rows["field-service"] = "400 days"
    rows["field-service-36"] = "36 days"
    return rows


def adwords(folder: Path) -> Path:
    """Advertisers with budgets, who bid differently for every kind of query: a few pay very much."""
    if not (folder / "fixed.csv").exists():
        folder.mkdir(parents=True, exist_ok=True)
        draw = random.Random(1)
        edges, budgets = ["node,type,weight"], ["node,budget"]
        worth = [draw.lognormvariate(0, 0.7) for _ in range(60)]
        for advertiser in range(20):
            bids = {}
            for query in draw.sample(range(60), 15):
                bids[query] = round(worth[query] * draw.lognormvariate(0, 0.4), 2)
            edges += [f"a{advertiser},q{query},{bid}" for query, bid in bids.items()]
            budgets.append(f"a{advertiser},{5 * statistics.mean(bids.values()):.2f}")
        (folder / "edges.csv").write_text("\n".join(edges) + "\n")
        (folder / "fixed.csv").write_text("\n".join(budgets) + "\n")
    return folder


class Row:
    """One source, in a folder of its own."""

    def __init__(self, program: str, folder: Path, name: str, spec: str, minutes: float) -> None:
        self.program, self.folder, self.name, self.spec = program, folder / name, name, spec
        self.minutes = minutes
        self.folder.mkdir(parents=True, exist_ok=True)
        self.days = int(spec.split()[0]) if spec.endswith(" days") else 0
        if self.days:
            self.test, self.few, self.past = self.log_parts()
        else:
            large = "100x100" in name or "94x100" in name
            self.test = self.drawn("test.fst", 1000 if large else 2000, 9002)
            self.past = self.drawn("past.fst", 500, 9001)
            self.few = self.drawn("few.fst", 40 if large else 200, 9002)

    def call(self, *words: str) -> float:
        """Run the program on one core; show what it said if it fails. Return the processor's minutes."""
        with tempfile.TemporaryFile("w+") as said:
            threads = [] if words[0] == "split" else ["--threads", "1"]  # split uses one anyway
            process = subprocess.Popen([self.program, *words, *threads], stdout=said, stderr=said)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode != 0:
                said.seek(0)
                raise RuntimeError(f"{' '.join(words)}\n{said.read()[-2000:]}")
        return (usage.ru_utime + usage.ru_stime) / 60

    def solve(self, path: Path) -> None:
        """Find optima. With budgets, the last digits take very long and change no comparison."""
        self.call("solve", str(path), "--gap", "0.001")

    def drawn(self, name: str, count: int, seed: int) -> Path:
        """Other instances than any search draws."""
        path = self.folder / name
        if not path.exists():
            unsolved = path.with_suffix(".unsolved")
            self.call("generate", self.spec, "-n", str(count), "--seed", str(seed), "-o", str(unsolved))
            self.solve(unsolved)
            unsolved.rename(path)
        return path

    def log_parts(self) -> tuple[Path, Path, Path]:
        """A log of field service, cut by time: the last 200 days judge."""
        test, past = self.folder / "test.fst", self.folder / "past.fst"
        if not test.exists():
            log = self.folder / "log"
            subprocess.run([sys.executable, FIELD_SERVICE, log, "--days", str(self.days + 200)], check=True)
            spec = f"recorded(path={log}/log.csv,fixed={log}/technicians.csv,roster={log}/roster.csv)"
            self.call("split", spec, "-o", str(self.folder), "--parts", f"past={self.days},test=200")
            self.solve(test)
        return test, test, past

    def search(self, seed: int) -> tuple[Path, float]:
        """The folder of one search, and how many minutes of one core it took."""
        folder = self.folder / self.label(seed)
        took = self.folder / f"{self.label(seed)}.minutes"
        if not took.exists():
            words = ["train", "auto", "--train", str(self.past) if self.days else self.spec]
            words += ["--seed", str(seed), "--minutes", str(self.minutes), "-o", str(folder)]
            if (folder / "auto.json").exists():
                words.append("--resume")
            took.write_text(str(self.call(*words)))
        return folder, float(took.read_text())

    def label(self, seed: int) -> str:
        """The name of one search."""
        return f"auto-{self.minutes:g}-{seed}"

    def ratio(self, test: Path, key: str, policy: str) -> float | None:
        """The mean ratio of a policy; None if it cannot decide here."""
        path = self.folder / f"{key}.json"
        if not path.exists():
            words = ["evaluate", str(test), "--policy", policy, "--episodes", "0", "--json", str(path)]
            try:
                self.call(*words)
            except RuntimeError as error:
                print(f"{self.name} without {key}: {str(error).splitlines()[-1]}", file=sys.stderr)
                return None
        policies = json.loads(path.read_text())["policies"]
        return float(policies[0]["mean_ratio"])

    def rule(self, name: str) -> float | None:
        """The mean ratio of a rule that learned from the past, if it can."""
        spec = f"{name}(train={self.past})" if name in LEARNS or name == "greedy-t" else name
        return self.ratio(self.few if name in SOLVES else self.test, name, spec)


def best(ratios: dict[str, float | None]) -> tuple[str, float]:
    """The name and the ratio of the best one."""
    return max(((name, ratio) for name, ratio in ratios.items() if ratio is not None), key=lambda it: it[1])


def measure(row: Row, seeds: int) -> dict[str, object]:
    """All figures of one row."""
    searches, minutes, kept, models = [], [], [], {}
    for seed in range(1, seeds + 1):
        folder, took = row.search(seed)
        minutes.append(took)
        found = json.loads((folder / "auto.json").read_text())["found"]
        test = row.few if found["kept"] in SOLVES else row.test
        searches.append(row.ratio(test, row.label(seed), str(folder)))
        kept.append(found["kept"])
        for tried in found["tried"]:
            if tried["policy"].startswith("candidates/"):
                ratio = row.ratio(row.test, f"{row.label(seed)}-{tried['name']}", str(folder / tried["policy"]))
                models.setdefault(tried["name"], []).append(ratio)
    single = {name: statistics.mean(ratios) for name, ratios in models.items() if len(ratios) == seeds}
    ceiling = None if row.days else row.ratio(row.test, "ceiling", f'optimal-online(source="{row.spec}")')
    return {
        "name": row.name,
        "greedy": row.rule("greedy"),
        "greedy-t": row.rule("greedy-t"),
        "classical": best({name: row.rule(name) for name in CLASSICAL}),
        "rival": best({name: row.rule(name) for name in RIVALS}),
        "model": best(single),
        "auto": searches,
        "kept": kept,
        "ceiling": ceiling,
        "minutes": minutes,
    }


def show(found: dict[str, object]) -> str:
    """One line of the table."""
    auto = found["auto"]
    ceiling = f"{found['ceiling']:.4f}" if found["ceiling"] is not None else "-"
    named = [f"`{name}` {ratio:.4f}" for name, ratio in (found["classical"], found["rival"], found["model"])]
    kept = ", ".join(f"`{name}`" for name in sorted(set(found["kept"])))
    cells = [
        found["name"],
        f"{found['greedy']:.4f}",
        f"{found['greedy-t']:.4f}",
        *named,
        f"**{statistics.mean(auto):.4f}**",
        f"{max(auto) - min(auto):.4f}",
        kept,
        ceiling,
        f"{statistics.mean(found['minutes']):.1f}",
    ]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="rows to measure; all without it")
    parser.add_argument("--data", type=Path, required=True, help="folder with gmission, movielens and adx")
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--minutes", type=float, default=10, help="of each search")
    parser.add_argument("--jobs", type=int, default=2, help="rows to measure side by side")
    parser.add_argument("--program", default="build/release/foresight")
    arguments = parser.parse_args()
    rows = sources(arguments.data, arguments.output)
    unknown = set(arguments.names) - set(rows)
    if unknown:
        sys.exit(f"unknown rows {sorted(unknown)}; there are {', '.join(rows)}")
    print(
        "| source | greedy | greedy-t | best classical | best rival | best single model | auto | spread | kept | "
        "ceiling | core minutes |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|---|")

    def line(name: str) -> str:
        try:
            row = Row(arguments.program, arguments.output, name, rows[name], arguments.minutes)
            return show(measure(row, arguments.seeds))
        except (RuntimeError, subprocess.CalledProcessError) as error:
            return f"| {name} | failed: {error} |"

    with ThreadPoolExecutor(arguments.jobs) as pool:
        for text in pool.map(line, arguments.names or rows):
            print(text, flush=True)


if __name__ == "__main__":
    main()
