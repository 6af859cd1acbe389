"""One clock, x' = 1, on which crossings of all kinds coincide, and the outcome that the rule for one instant demands.

report: event "o". stop: event "stop". reset: event "r" assigns y := 1 + x + u. mode: lock "l" takes y away. tick:
s := 10 y + x + 100 u. jump: u from 0 to 1, with event "j" of u. Before the instant y is 0.25 m/s and s is 0; y is the
velocity of a body of 2 kg, whose energy is y^2.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

import mbs_fmu as mbs

from .outcomes import ROUNDING, Entry, by_rounds, entries
from .ways import Way, prepared

KINDS = ("report", "stop", "reset", "mode", "tick", "jump")
AT = 0.5  #: the instant, s: the end of a step and a row
END = 0.75
INTERVAL = 0.25  #: of the rows, s: instants closer than 2.5e-12 s coincide
NEVER = 9.0  #: time of the kinds that are left out, s
Y = 0.25  #: y before the instant, m/s


@functools.cache
def clock(backwards: bool = False, watched: bool = True) -> mbs.Model:
    """The clock with all kinds, each at a time of its own (parameter at_KIND; the input jumps by its table).

    backwards: all are defined in the reverse order. watched: False leaves out the events, which `Stepper` refuses.
    """
    m = mbs.Model("clock", gravity=(0, 0, 0))
    b = m.body("b", joint=mbs.Prismatic("x"), mass=2.0)
    m.start(b, u=Y)
    x, u = m.state("x", 1.0), m.input("u", start=0.0)
    at = {kind: m.parameter(f"at_{kind}", NEVER) for kind in KINDS}
    y = mbs.rate(b)
    add: dict[str, Callable[[], object]] = {
        "report": lambda: m.event("o", x - at["report"], direction=1),
        "stop": lambda: m.event("stop", x - at["stop"], direction=1, stop=True),
        "reset": lambda: m.event("r", x - at["reset"], direction=1, reset={"b.v": 1.0 + x + u}),
        "mode": lambda: m.lock("l", on=b, when=x >= at["mode"]),
        "tick": lambda: m.sampled("s", 10.0, 10.0 * y + x + 100.0 * u, offset=at["tick"]),
        "jump": lambda: m.event("j", u - 0.5, direction=1),
    }
    for kind in reversed(KINDS) if backwards else KINDS:
        if watched or kind in ("mode", "tick"):
            add[kind]()
    return prepared(m)


def instants(times: Mapping[str, float]) -> dict[str, Any]:
    """Arguments of `simulate` for kinds at their times, s; the others are left out."""
    jump = times.get("jump", NEVER)
    at = {f"at_{kind}": time for kind, time in times.items() if kind != "jump"}
    return {"parameters": at, "inputs": {"u": ([0.0, jump, jump, NEVER + 1.0], [0.0, 0.0, 1.0, 1.0])}}


@dataclass(frozen=True)
class Outcome:
    """The log, y and s at the end, and the time of the last row, s."""

    log: tuple[Entry, ...]
    y: float
    s: float
    end: float

    def differs(self, other: Outcome, bound: float = ROUNDING) -> str:
        """Text of the first difference, or nothing."""
        if list(map(str, self.log)) != list(map(str, other.log)):
            return f"log {' '.join(map(str, self.log))}, expected {' '.join(map(str, other.log))}"
        pairs = {"y": (self.y, other.y), "s": (self.s, other.s), "last row": (self.end, other.end)}
        for one, two in zip(self.log, other.log, strict=True):
            pairs |= {f"time of {two}": (one.time, two.time), f"energy lost by {two}": (one.lost, two.lost)}
        for name, (actual, wanted) in pairs.items():
            if not abs(actual - wanted) <= bound * max(1.0, abs(wanted)):
                return f"{name} is {actual!r}, expected {wanted!r}"
        return ""


def demanded(kinds: Collection[str], at: float = AT, end: float = END) -> Outcome:
    """Outcome of kinds that coincide, by the rule for one instant.

    First, what motion reaches: reports and stops; a stop and the end of the run end here. Then inputs jump; ticks and
    resets read the values before, and the inputs behind, and assign together; last, modes take what was assigned, and
    reports of what has jumped are logged in the same round.
    """
    log, y, s = [], Y, 0.0
    if "report" in kinds:
        log.append(Entry(at, 0, "event", "o"))
    if "stop" in kinds:
        log.append(Entry(at, 0, "stop", "stop"))
    if "stop" in kinds or end <= at:
        return Outcome(tuple(by_rounds(log)), y, s, at)
    u = 1.0 if "jump" in kinds else 0.0
    new_y = 1.0 + at + u if "reset" in kinds else y
    if "tick" in kinds:
        log.append(Entry(at, 1, "sample", "s"))
        s = 10.0 * y + at + 100.0 * u
    if "reset" in kinds:
        log.append(Entry(at, 1, "reset", "r", y**2 - new_y**2))
    y = new_y
    if "mode" in kinds:
        log.append(Entry(at, 1, "mode", "l", y**2))
        y = 0.0
    if "jump" in kinds:
        log.append(Entry(at, 1, "event", "j"))
    return Outcome(tuple(by_rounds(log)), y, s, end)


def outcome(result: mbs.Result) -> Outcome:
    """Outcome of a run of the clock."""
    log = tuple(by_rounds(entries(result)))
    return Outcome(log, float(result["b.v"][-1]), float(result["s"][-1]), float(result.time[-1]))


def run(
    times: Mapping[str, float], way: Way, end: float = END, interval: float = INTERVAL, backwards: bool = False,
    **options: Any,
) -> mbs.Result:  # fmt: skip
    """Run the clock with kinds at their times, s, to its end."""
    return mbs.simulate(clock(backwards), end, output_interval=interval, **instants(times), **way.options(), **options)
