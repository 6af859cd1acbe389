"""Processes of two checkouts of the package, which take turns in one run.

The processes run this checkout's benchmarks on the other's package, so they use public names only. Byte code is stored
in a folder of the run, as users have it: checkouts need not be writable.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from .timing import Run, clock

ROOT = Path(__file__).parents[1]
TIER = "MBS_FMU_TIER"  #: "full": no quick code

Contender = TypeVar("Contender")


@dataclass(frozen=True)
class Checkout:
    """The package of a folder, and a folder for the caches of this run; `title` is its name in tables."""

    path: Path
    folder: Path
    title: str = ""

    def environment(self, cache: Path, tier: str = "") -> dict[str, str]:
        """Environment of a process whose kernels are cached in `cache`."""
        variables = {name: value for name, value in os.environ.items() if name != TIER}
        if tier:
            variables[TIER] = tier
        byte_code = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(self.folder / "bytecode")}
        return {**variables, **byte_code, "PYTHONPATH": str(self.path), "MBS_FMU_CACHE": str(cache)}

    def command(self, module: str, call: str) -> list[str]:
        """Command of a process that imports this checkout's package and calls a function of a module of benchmarks."""
        lines = (
            "import sys, mbs_fmu",
            f"assert mbs_fmu.__file__.startswith({str(self.path)!r}), mbs_fmu.__file__",
            f"sys.path.insert(0, {str(ROOT)!r})",
            f"from benchmarks import {module}",
            f"{module}.{call}",
        )
        return [sys.executable, "-W", "ignore", "-c", "\n".join(lines)]

    def printed(self, module: str, call: str, cache: Path) -> str:
        """Output of such a process."""
        return output(self.command(module, call), self.environment(cache), self.folder)

    def keep_byte_code(self) -> None:
        """Compile the modules of the package and of the benchmarks to byte code."""
        folders = [str(self.path / "mbs_fmu"), str(ROOT / "benchmarks")]
        output([sys.executable, "-m", "compileall", "-q", *folders], self.environment(self.folder), self.folder)


def commits(sides: Sequence[Checkout]) -> str:
    """Sentence on the compared commits; empty for a single checkout."""
    if len(sides) < 2:
        return ""
    sentences = [f'"{side.title}" is {_commit(side.path)}' for side in sides]
    return f"Commits: {', '.join(sentences)}."


def _commit(path: Path) -> str:
    command = ["git", "-C", str(path), "describe", "--always", "--dirty"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "not in a repository"


def output(command: Sequence[str], environment: Mapping[str, str], folder: Path) -> str:
    """Run a process and return its standard output. Raises CalledProcessError."""
    done = subprocess.run(command, env=environment, cwd=folder, stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout


def checkouts(against: Path | None, folder: Path) -> list[Checkout]:
    """The other checkout, if any, and this one, each with its own folder."""
    folders = [("before", against), ("after", ROOT)] if against else [("", ROOT)]
    made = []
    for title, path in folders:
        own = folder / (title or "alone")
        own.mkdir()
        made.append(Checkout(path.resolve(), own, title))
    return made


class Server:
    """A process of a checkout that waits for its turns in `module.serve()`."""

    def __init__(self, checkout: Checkout, module: str, tier: str = "") -> None:
        self.process = subprocess.Popen(
            checkout.command(module, "serve()"), env=checkout.environment(checkout.folder / "kept", tier),
            cwd=checkout.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def answer(self, name: str, count: int) -> float:
        """Answer of `serve`."""
        questions, answers = self.process.stdin, self.process.stdout
        assert questions is not None and answers is not None
        print(name, count, file=questions, flush=True)
        return float(answers.readline())

    def close(self) -> None:
        self.process.kill()
        self.process.wait()


def serve(runs: Mapping[str, Callable[[], Run]], span: float, most: int) -> None:
    """Read names and counts, write seconds of processor time of so many repetitions; for none, a count.

    That count fills `span` seconds, or exceeds `most`.
    """
    known: dict[str, Run] = {}
    for line in sys.stdin:
        name, count = line.rsplit(maxsplit=1)
        if name not in known:
            known[name] = runs[name]()
            known[name](1)  # which compiles it
        start = clock()
        if int(count):
            known[name](int(count))
        print(clock() - start if int(count) else calibrated(known[name], span, most), flush=True)


def calibrated(run: Run, span: float, most: int) -> int:
    """Number of repetitions that take `span` seconds."""
    count = 1
    while True:
        start = clock()
        run(count)
        if clock() - start > span or count >= most:
            return count
        count *= 2


@dataclass
class Within:
    """Seconds for one repetition; both sides make equally many, since the cost of a motion varies."""

    name: str
    count: int = 0

    def __call__(self, server: Server) -> float:
        self.count = self.count or int(server.answer(self.name, 0))
        return server.answer(self.name, self.count) / self.count


def in_turns(sides: tuple[Contender, Contender], measure: Callable[[Contender], float], rounds: int) -> list[float]:
    """Least seconds of each side, and the median of their ratios."""
    seconds: list[list[float]] = [[], []]
    for number in range(rounds):
        for which in (0, 1) if number % 2 else (1, 0):
            seconds[which].append(measure(sides[which]))
    old, new = seconds
    return [min(old), min(new), statistics.median(b / a for a, b in zip(old, new))]
