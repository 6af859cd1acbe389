"""Time to the first results of a model, in a first and a second process, and of repeated calls.

Every measurement runs in a separate process (`first_child.py`). With another checkout (`--against`) both take turns,
and all tables have columns for before and after.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from .checkouts import ROOT, Checkout, checkouts, commits, output
from .first_child import USES
from .report import number, progress, table

USING = """\
A user's first calls, each model in separate processes: `mbs.simulate`, and after it `trim` or `linearize` of the same
model, where the table lists them. Models without loops make one step of rk4; the excavator and those below it run 0.5 s
with `simulate`'s defaults. The excavator (benchmarks/excavator.py) has nine links, three loops, and reactions as
outputs; the four models below it are those of models/. Medians over {repeats}.

- first: processor time with an empty kernel cache, which is independent of other load; wall: the wall time of the same
  call.
- second: processor time in the next process, which finds the cached kernels of the first.
- again: median wall time of further calls in that second process, of at most 0.5 s together. Such short runs may still
  use [quick code](architecture.md#quick-and-full-code).

The time of `simulate` begins at the start of the interpreter and includes the package's imports, whose byte code is
cached; imports that only the benchmark needs to build a model are excluded. The targets are 3 s for the excavator's
`simulate` and 4 s for its `trim`, 0.5 s in a second process, and 1 ms for one step again. The first use in [whole
runs](#whole-runs) takes longer, since it contains a whole run of small error.

Before and after a change: `python -m benchmarks --sections first-use first-export speed-against --against CHECKOUT`."""
STARTING = """\
From the start of the interpreter to the first result of a chain of {bodies} bodies (rk4, one step) whose kernels are in
the cache, compared with a process that only imports numpy. The ratios are the times divided by the time of the import
in the same round, medians over {rounds} rounds. The target is 2.3 in processor time."""
WHOLE = """\
Processor time of whole processes that simulate one model, divided by that of a process that only imports numpy in the
same round: medians over {repeats}. The chain has {bodies} bodies and makes one step of rk4, the linkage runs 0.05 s
with the defaults. The targets are 4.6 for the chain and 6.2 for the linkage with an empty cache, and 1.9 with kept
kernels. What is left of the linkage is mostly the translation of the kernels that all closed loops share, which every
model repeats: the inference of their kinds, and their writing as LLVM text.

- machine: with an empty cache, the very first use on a machine.
- model: with a cache in which another model has left the
  [functions that both need](architecture.md#functions-of-many-models).
- kept: in the next process, which finds the kernels."""
EXPORTING = """\
First native exports, each in a separate process, from the start of the interpreter, including the reference run: FMI
2.0, then FMI 3.0 of the same model. Processor time including that of child processes, and wall time. With an empty
cache the C compiler first builds the C library of each platform, once for all models; "after another model" means that
the cache contains the results of the governor's exports. Medians over {repeats}. The target is 8 s for both versions on
this platform, and 25 s for all platforms."""
BODIES = 10  #: of the chain with cached kernels
#: Models that are simulated in whole processes, each with the model that filled the cache before.
BEFORE = {"universal_chain": "governor", "four_bar": "stewart_platform"}
ROUNDS = 11  #: least number of starts
EXPORTED = ("excavator", "tree-30")
VERSIONS = ("2.0", "3.0")
PLATFORMS = {"host": "this platform", "all": "all platforms"}

Laps = dict[str, dict[str, float]]  #: by call and by quantity


@dataclass
class Medians:
    """Measured figures, by row, column and checkout."""

    seconds: dict[tuple[str, str, str], list[float]] = field(default_factory=lambda: defaultdict(list))

    def add(self, row: str, column: str, side: Checkout, seconds: float) -> None:
        self.seconds[row, column, side.title].append(seconds)

    def table(self, corner: str, columns: dict[str, str], sides: Sequence[Checkout]) -> str:
        """Table with a row for each name, `columns` by heading with their number format, for each side."""
        rows = list(dict.fromkeys(row for row, _, _ in self.seconds))
        cells = [
            [row, *(self.cell(row, column, side, form) for column, form in columns.items() for side in sides)]
            for row in rows
        ]
        return table([corner, *(headed(column, side) for column in columns for side in sides)], cells)

    def cell(self, row: str, column: str, side: Checkout, form: str) -> str:
        samples = self.seconds.get((row, column, side.title))
        return number(statistics.median(samples) if samples else None, form)


def joined(*parts: str) -> str:
    """The nonempty paragraphs of a section."""
    return "\n\n".join(part for part in parts if part)


def headed(column: str, side: Checkout) -> str:
    return f"{column}, {side.title}" if side.title else column


@dataclass(frozen=True)
class Options:
    """Repeats of each measurement, and the measured rows: those whose name contains one of `only`."""

    repeats: int = 3
    against: Path | None = None
    only: tuple[str, ...] = ("",)
    all_platforms: bool = False

    def chosen(self, names: Iterator[str] | Sequence[str]) -> list[str]:
        return [name for name in names if any(part in name for part in self.only)]

    @property
    def times(self) -> str:
        return f"{self.repeats} repeats" if self.repeats > 1 else "one repeat"


def section(options: Options) -> str:
    """Report section."""
    with tempfile.TemporaryDirectory() as folder:
        sides = checkouts(options.against, Path(folder))
        for side in sides:
            side.keep_byte_code()
            _used(side, "governor", side.folder / "warm", repeat=False)  # byte code of the package's imports
        parts = [
            USING.format(repeats=options.times), _using(sides, options),
            STARTING.format(bodies=BODIES, rounds=max(options.repeats, ROUNDS)), _starting(sides, options),
            WHOLE.format(repeats=options.times, bodies=BODIES), _whole(sides, options),
        ]  # fmt: skip
    return joined("## First use", commits(sides), *parts)


def turns(sides: Sequence[Checkout], repeats: int) -> Iterator[Checkout]:
    """Each side `repeats` times, with a different first side from round to round."""
    order = list(sides)
    for _ in range(repeats):
        yield from order
        order.append(order.pop(0))


# -- a model's first calls --------------------------------------------------------------------------------------


def _using(sides: Sequence[Checkout], options: Options) -> str:
    medians = Medians()
    for name in options.chosen(list(USES)):
        progress(f"first use of {name}")
        for side in turns(sides, options.repeats):
            with tempfile.TemporaryDirectory(dir=side.folder) as cache:
                first, second = (_used(side, name, Path(cache), repeat) for repeat in (False, True))
            for call, laps in first.items():
                row = f"{name}, {call}"
                medians.add(row, "first, s", side, laps["computing"])
                medians.add(row, "wall, s", side, laps["wall"])
                medians.add(row, "second, s", side, second[call]["computing"])
                medians.add(row, "again, ms", side, 1e3 * second[call]["again"])
    columns = {
        "first, s": "{:.2f}", "wall, s": "{:.2f}", "second, s": "{:.2f}", "again, ms": "{:.3f}",
    }  # fmt: skip
    return medians.table("model, call", columns, sides)


def _used(side: Checkout, name: str, cache: Path, repeat: bool) -> Laps:
    return _laps(side, f"use({name!r}, {time.time()!r}, {repeat})", cache)


def _laps(side: Checkout, call: str, cache: Path) -> Laps:
    made: Laps = json.loads(side.printed("first_child", call, cache))
    return made


# -- the start of a process -------------------------------------------------------------------------------------


def _starting(sides: Sequence[Checkout], options: Options) -> str:
    """Rows of the import and of each side, in columns that belong to no side."""
    progress("start of a process")
    alone = Checkout(ROOT, sides[0].folder)
    starts: dict[str, Callable[[], str]] = {"import numpy": partial(_numpy, alone)}
    for side in sides:
        starts[headed("first result", side)] = partial(_started, side)
    for run in starts.values():
        run()  # fills the cache
    medians = Medians()
    order = list(starts)
    for _ in range(max(options.repeats, ROUNDS)):
        seconds = {name: [float(word) for word in starts[name]().split()] for name in order}
        order.append(order.pop(0))
        for name in starts:
            for column, own, numpy in zip(("processor time", "wall"), seconds[name], seconds["import numpy"]):
                medians.add(name, f"{column}, s", alone, own)
                medians.add(name, f"{column}, ratio", alone, own / numpy)
    columns = {
        "processor time, s": "{:.3f}", "processor time, ratio": "{:.2f}", "wall, s": "{:.3f}", "wall, ratio": "{:.2f}",
    }  # fmt: skip
    return medians.table("process", columns, [alone])


def _started(side: Checkout) -> str:
    return side.printed("start_child", f"start({BODIES}, {time.time()!r})", side.folder / "kept")


def _whole(sides: Sequence[Checkout], options: Options) -> str:
    """Rows of the models that are simulated, by what the cache contains."""
    medians = Medians()
    for name in options.chosen(list(BEFORE)):
        progress(f"whole processes of {name}")
        for side in sides:
            _simulated(side, BEFORE[name], side.folder / "before" / name)
        for side in turns(sides, options.repeats):
            alone = _spent(partial(_numpy, side))
            with tempfile.TemporaryDirectory(dir=side.folder) as folder:
                empty, filled = Path(folder) / "empty", Path(folder) / "filled"
                shutil.copytree(side.folder / "before" / name, filled)
                for column, cache in (("machine", empty), ("kept", empty), ("model", filled)):
                    spent = _spent(partial(_simulated, side, name, cache))
                    medians.add(name, column, side, spent / alone)
    return medians.table("model", dict.fromkeys(("machine", "model", "kept"), "{:.2f}"), sides)


def _simulated(side: Checkout, name: str, cache: Path) -> str:
    return side.printed("start_child", f"simulate({name!r})", cache)


def _spent(run: Callable[[], object]) -> float:
    """Processor time of the processes that a call waits for, s."""
    before = os.times()
    run()
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def _numpy(side: Checkout) -> str:
    """Processor and wall seconds of a process from its start to the end of the import."""
    code = f"import time, numpy; print(time.process_time(), time.time() - {time.time()!r})"
    return output([sys.executable, "-c", code], side.environment(side.folder / "kept"), side.folder)


# -- native export ----------------------------------------------------------------------------------------------


def exports(options: Options) -> str:
    """Section of the first native exports."""
    medians = Medians()
    with tempfile.TemporaryDirectory() as folder:
        sides = checkouts(options.against, Path(folder))
        for platforms, title in PLATFORMS.items():
            if platforms == "host" or options.all_platforms:
                for side in sides:
                    side.keep_byte_code()
                    progress(f"export of another model for {title}")
                    _laps(side, _call("governor", platforms), side.folder / platforms)
                _exporting(medians, sides, platforms, options)
    columns = {column: "{:.1f}" for fmi in VERSIONS for column in (f"FMI {fmi}, s", f"FMI {fmi}, wall, s")}
    text = medians.table("model, platforms", columns, sides)
    return joined("## First export", commits(sides), EXPORTING.format(repeats=options.times), text)


def _exporting(medians: Medians, sides: Sequence[Checkout], platforms: str, options: Options) -> None:
    for name in options.chosen(EXPORTED if platforms == "host" else EXPORTED[:1]):
        for behind in (False, True) if name == EXPORTED[0] else (True,):
            row = f"{name}, {PLATFORMS[platforms]}, {'after another model' if behind else 'empty cache'}"
            progress(row)
            for side in turns(sides, options.repeats):
                with tempfile.TemporaryDirectory(dir=side.folder) as cache:
                    if behind:
                        shutil.copytree(side.folder / platforms, cache, dirs_exist_ok=True)
                    laps = _laps(side, _call(name, platforms), Path(cache))
                for fmi, seconds in laps.items():
                    medians.add(row, f"FMI {fmi}, s", side, seconds["computing"])
                    medians.add(row, f"FMI {fmi}, wall, s", side, seconds["wall"])


def _call(name: str, platforms: str) -> str:
    return f"export({name!r}, {time.time()!r}, {platforms!r}, {VERSIONS!r})"
