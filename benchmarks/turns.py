"""Two checkouts of the package, timed in turns: what a change costs.

    python -m benchmarks.turns OLD NEW
    python -m benchmarks.turns OLD NEW --only governor "second process" --rounds 5

A process for each checkout waits for its turn; the sides change places from round to round. All is in processor time
and by public names only, so that any two commits can be compared.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from .report import progress, table
from .timing import clock

ROOT = Path(__file__).parents[1]
SPAN = 0.05  #: s of processor time that one measurement takes, at least
MODELS = ("double_pendulum", "governor", "four_bar", "stewart_platform", "universal_chain", "free_top")
TREES = ("universal-10", "placed-50", "tilted-50", "tree-30")
STEPS: dict[str, dict[str, float]] = {"rk4": {"step": 1e-3}, "gauss4": {"step": 1e-3}, "dopri5": {}, "rodas5p": {}}
FRESH = ("governor", "four_bar", "universal_chain")  #: from the start of the interpreter to the first result

Run = Callable[[int], object]


def runs() -> dict[str, Callable[[], Run]]:
    """What is timed within a process: by name what makes a function that simulates so many hundredths of a second."""
    return {
        **{f"{name}, {method}": partial(simulated, name, method) for name in MODELS for method in STEPS},
        **{
            f"{name}, rk4, {way}": partial(simulated, name, "rk4", way)
            for name in TREES
            for way in ("sweep", "cholesky")
        },
        **{f"{name}, batch": partial(simulated, name, "rk4", members=64) for name in ("universal-10", "tree-30")},
    }


def model(name: str) -> Any:
    """A case of the evaluation benchmark, or a model of models/ whose function has its file's name."""
    if name in TREES:
        from .cases import CASES  # which imports scipy
        from .models import to_model

        return to_model(CASES[name].build(CASES[name].count), driven=False)
    space: dict[str, Any] = {}
    path = ROOT / "models" / f"{name}.py"
    exec(compile(path.read_text(encoding="utf-8"), path.name, "exec"), space)
    return space[name]()


def simulated(name: str, method: str, solver: str = "cholesky", members: int = 0) -> Run:
    import mbs_fmu as mbs

    told = model(name)
    inputs = {signal: 0.0 for signal, about in told.inputs.items() if not about.given}
    given = {"batch": mbs.Batch(size=members, threads=1)} if members else {}
    return lambda count: mbs.simulate(
        told, 0.01 * count, method=method, solver=solver, output_interval=0.01 * count, inputs=inputs, progress=False,
        **STEPS[method], **given,
    )  # fmt: skip


# -- a side, in a process of its own ----------------------------------------------------------------------------


def serve() -> None:
    """Read names and counts, write seconds of processor time for so many hundredths of a second; for none, a count."""
    known: dict[str, Run] = {}
    for line in sys.stdin:
        name, count = line.rsplit(maxsplit=1)
        if name not in known:
            known[name] = runs()[name]()
            known[name](1)  # which compiles it
        start = clock()
        if int(count):
            known[name](int(count))
        print(clock() - start if int(count) else calibrated(known[name]), flush=True)


def calibrated(run: Run) -> int:
    """How many hundredths of a second of a model take SPAN."""
    count = 1
    while True:
        start = clock()
        run(count)
        if clock() - start > SPAN or count >= 2000:
            return count
        count *= 2


@dataclass
class Side:
    """A checkout, its process, and a folder for its caches."""

    checkout: Path
    folder: Path

    def __post_init__(self) -> None:
        self.environment = {**os.environ, "PYTHONPATH": str(self.checkout), "MBS_FMU_CACHE": str(self.folder / "kept")}
        self.process = subprocess.Popen(
            self.command("serve()"), env=self.environment, cwd=self.folder,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def command(self, call: str) -> list[str]:
        """A process that has this checkout's package and calls a function of this file."""
        lines = (
            "import sys, mbs_fmu",
            f"assert mbs_fmu.__file__.startswith({str(self.checkout)!r}), mbs_fmu.__file__",
            f"sys.path.insert(0, {str(ROOT)!r})",
            "from benchmarks import turns",
            f"turns.{call}",
        )
        return [sys.executable, "-W", "ignore", "-c", "\n".join(lines)]

    def asked(self, name: str, count: int) -> float:
        """What `serve` answers."""
        asked, answers = self.process.stdin, self.process.stdout
        assert asked is not None and answers is not None
        print(name, count, file=asked, flush=True)
        return float(answers.readline())

    def first_result(self, name: str, filled: bool) -> float:
        """Processor seconds of a process, from the interpreter's start to a model's first result."""
        with tempfile.TemporaryDirectory(dir=self.folder) as fresh:
            cache = str(self.folder / "filled") if filled else fresh
            done = subprocess.run(
                self.command(f"first({name!r})"), env={**self.environment, "MBS_FMU_CACHE": cache}, cwd=self.folder,
                stdout=subprocess.PIPE, text=True, check=True,
            )  # fmt: skip
        return float(done.stdout)


def first(name: str) -> None:
    """Print this process's processor time behind the first result of a model."""
    simulated(name, "rk4")(1)
    print(time.process_time())


# -- both -------------------------------------------------------------------------------------------------------


def in_turns(sides: tuple[Side, Side], measure: Callable[[Side], float], rounds: int) -> list[float]:
    """Least seconds of each side, and the median of their ratios."""
    seconds: list[list[float]] = [[], []]
    for number in range(rounds):
        for which in (0, 1) if number % 2 else (1, 0):
            seconds[which].append(measure(sides[which]))
    old, new = seconds
    return [min(old), min(new), statistics.median(b / a for a, b in zip(old, new))]


def measures() -> dict[str, Callable[[Side], float]]:
    """Everything that is timed."""
    within: dict[str, Callable[[Side], float]] = {name: Within(name) for name in runs()}
    first_use = {f"{name}, first process": partial(_of_process, name, False) for name in FRESH}
    return within | first_use | {f"{name}, second process": partial(_of_process, name, True) for name in FRESH}


@dataclass
class Within:
    """Seconds for a hundredth of a second of a model, both sides over the same span: a motion is not always as dear."""

    name: str
    count: int = 0

    def __call__(self, side: Side) -> float:
        self.count = self.count or int(side.asked(self.name, 0))
        return side.asked(self.name, self.count) / self.count


def _of_process(name: str, filled: bool, side: Side) -> float:
    return side.first_result(name, filled)


def main() -> None:
    """Time both sides and print a table with the ratios new to old."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", nargs="+", default=[""], help="what has one of these in its name")
    told = parser.parse_args()
    rows, ratios = [], []
    with tempfile.TemporaryDirectory() as old, tempfile.TemporaryDirectory() as new:
        sides = Side(told.old.resolve(), Path(old)), Side(told.new.resolve(), Path(new))
        for name, measure in measures().items():
            if any(part in name for part in told.only):
                progress(name)
                rounds = max(told.rounds // 3, 3) if name.endswith("process") else told.rounds
                before, after, ratio = in_turns(sides, measure, rounds)
                ratios.append(ratio)
                rows.append([name, f"{1e3 * before:.3f}", f"{1e3 * after:.3f}", f"{ratio:.3f}"])
        for side in sides:
            side.process.kill()
    print(table(["what", "old, ms", "new, ms", "new to old"], rows))
    print(f"\ngeometric mean {statistics.geometric_mean(ratios):.3f}, largest {max(ratios):.3f}")


if __name__ == "__main__":
    main()
