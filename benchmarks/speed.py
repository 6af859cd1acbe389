"""Speed of compiled code against another checkout: long runs in fully optimised code, and steps of native FMUs."""

from __future__ import annotations

import ctypes
import tempfile
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import geometric_mean
from typing import Any

from .checkouts import Checkout, Server, Within, checkouts, commits, in_turns
from .first_use import Options, joined
from .native import library
from .native_fmus import running
from .report import progress, table
from .speed_child import RUN, SPAN, STEP, STEPPED
from .timing import clock

TITLE = "## Speed beside another checkout"
ROUNDS = 15  #: at least
EXPLANATION = f"""\
Long runs in full code (`MBS_FMU_TIER=full`) and communication steps of {STEP:g} s of native FMUs (FMI 2.0, this
platform, called in a loop in C), in milliseconds for a second of the model: processor time, the smallest of {{rounds}}
rounds in which both checkouts take turns, over the same span of time. The ratios are the medians of the ratios within
each round."""


def section(options: Options) -> str:
    """Report section."""
    rounds = max(options.repeats, ROUNDS)
    with tempfile.TemporaryDirectory() as folder:
        old, new = checkouts(options.against, Path(folder))
        for side in (old, new):
            side.keep_byte_code()
        runs = _runs((old, new), options.chosen(list(RUN)), rounds)
        steps = _steps((old, new), options.chosen(list(STEPPED)), rounds)
    text = EXPLANATION.format(rounds=rounds)
    return joined(TITLE, commits((old, new)), text, _table("run", runs), _table("native FMU", steps))


def _table(corner: str, measured: Mapping[str, list[float]]) -> str:
    """Rows of milliseconds, and the mean of the ratios."""
    rows = [
        [name, f"{1e3 * old:.3f}", f"{1e3 * new:.3f}", f"{ratio:.3f}"] for name, (old, new, ratio) in measured.items()
    ]
    ratios = [ratio for _, _, ratio in measured.values()] or [1.0]
    text = table([corner, "before, ms", "after, ms", "after to before"], rows)
    return f"{text}\n\nGeometric mean {geometric_mean(ratios):.3f}, from {min(ratios):.3f} to {max(ratios):.3f}."


# -- runs -------------------------------------------------------------------------------------------------------


def _runs(sides: tuple[Checkout, Checkout], names: list[str], rounds: int) -> dict[str, list[float]]:
    """Seconds for a second of each model, and their ratio."""
    old, new = servers = (Server(sides[0], "speed_child", tier="full"), Server(sides[1], "speed_child", tier="full"))
    milliseconds = {}
    try:
        for name in names:
            progress(f"speed of {name}")
            before, after, ratio = in_turns(servers, Within(name), rounds)
            milliseconds[name] = [100.0 * before, 100.0 * after, ratio]
    finally:
        old.close()
        new.close()
    return milliseconds


# -- native FMUs ------------------------------------------------------------------------------------------------


@dataclass
class Stepped:
    """An initialized FMU with continuing time."""

    loop: Any
    step: Any
    component: Any
    time: float = 0.0

    def seconds(self, count: int) -> float:
        """Processor time of `count` steps."""
        start = clock()
        reached = self.loop(self.step, self.component, self.time, STEP, count)
        if reached < 0.0:
            raise RuntimeError("a step failed")
        self.time = reached
        return clock() - start


def _steps(sides: tuple[Checkout, Checkout], names: list[str], rounds: int) -> dict[str, list[float]]:
    """Seconds for a second of each FMU, and their ratio."""
    loop = library("stepper.cpp", []).run_steps
    loop.restype = ctypes.c_double
    loop.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_double, ctypes.c_double, ctypes.c_long]
    milliseconds = {}
    for name in names:
        progress(f"native FMU of {name}")
        with ExitStack() as stack:
            paths = [side.printed("speed_child", f"export({name!r})", side.folder / "kept") for side in sides]
            begun = (stack.enter_context(running(Path(path.strip()))) for path in paths)
            old, new = (Stepped(loop, step, component) for step, component, _ in begun)
            before, after, ratio = in_turns((old, new), _each(old, new), rounds)
            milliseconds[name] = [before / STEP, after / STEP, ratio]
    return milliseconds


def _each(*sides: Stepped) -> Callable[[Stepped], float]:
    """Seconds of a step. All make equally many before and in each round, since the cost of a step depends on the
    motion.
    """
    count = 64
    while min([side.seconds(count) for side in sides]) < SPAN:
        count *= 2
    return lambda side: side.seconds(count) / count
