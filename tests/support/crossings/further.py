"""Crossings of one kind that coincide, with their outcome in closed form: cases and their models."""

from __future__ import annotations

import functools

import mbs_fmu as mbs

from .outcomes import Case
from .ways import prepared


@functools.cache
def ticks() -> mbs.Model:
    """Signals of two periods that read each other; two resets of one value, in the order of their definition."""
    m = mbs.Model("ticks")
    m.sampled("slow", 0.5, mbs.signal("fast") + 10.0)
    m.sampled("fast", 0.25, mbs.signal("slow") + 1.0)
    t = m.state("t", 1.0)
    m.state("y", 0.0)
    m.event("first", t - 0.5, direction=1, reset={"y": 1.0})
    m.event("second", 2.0 * t - 1.0, direction=1, reset={"y": 2.0})
    return prepared(m)


@functools.cache
def bar() -> mbs.Model:
    """A bar that falls flat on two feet of restitution 0.5 and 0.9, coupled by the bar; it strikes at 0.5 s."""
    m = mbs.Model("bar", gravity=(0, 0, -8))
    joint = mbs.Compound(mbs.slide("z"), mbs.turn("y"))
    b = m.body("b", joint=joint, mass=2.0, inertia=(0.1, 0.5, 0.5))
    m.start(b, q=(1.0, 0.0))
    m.contact("left", "world", b, mbs.OnPlane("z"), at_b=(-1, 0, 0), restitution=0.5)
    m.contact("right", "world", b, mbs.OnPlane("z"), at_b=(1, 0, 0), restitution=0.9)
    return prepared(m)


@functools.cache
def latches() -> mbs.Model:
    """A lock at 0.5 s, and a second one whose condition is the first one's mode."""
    m = mbs.Model("latches", gravity=(0, 0, 0))
    for name in "ab":
        m.body(name, joint=mbs.Prismatic("x"), mass=2.0)
        m.start(name, u=1.0)
    m.lock("second", on="b", when=mbs.constraint_mode("first") > -0.5)
    m.lock("first", on="a", when=mbs.time >= 0.5)
    return prepared(m)


@functools.cache
def starts() -> mbs.Model:
    """x' = 1 from 0: a report, a stop, a reset, a lock and a tick whose expressions are zero at the start."""
    m = mbs.Model("starts", gravity=(0, 0, 0))
    b = m.body("b", joint=mbs.Prismatic("x"), mass=2.0)
    m.start(b, u=1.0)
    x, n = m.state("x", 1.0), m.state("n", 0.0)
    m.event("o", x)
    m.event("stop", x, stop=True)
    m.event("r", x, reset={"n": n + 1.0})
    m.lock("l", on=b, when=x > 0.0)
    m.sampled("s", 10.0, 3.0 + mbs.rate(b))
    return prepared(m)


CASES = (
    Case(
        "ticks of two periods, and two resets of one value", ticks, 0.7, kinds=("reset", "sample"),
        log=(
            *((0.0, 1, "sample", name) for name in ("slow", "fast")), (0.25, 1, "sample", "fast"),
            *((0.5, 1, "sample", name) for name in ("slow", "fast")),
            *((0.5, 1, "reset", name) for name in ("first", "second")),
        ),
        # at 0: slow 10, fast 1; at 0.25: fast 11; at 0.5: slow 21, fast 11
        rows={0.25: {"slow": 10.0, "fast": 1.0}, 0.5: {"slow": 10.0, "fast": 11.0, "y": 0.0},
              0.7: {"slow": 21.0, "fast": 11.0, "y": 2.0}},
    ),
    Case(
        "contacts that a body couples share the least restitution", bar, 0.5625, interval=0.28125,
        rows={0.5625: {"b.u[1]": 1.5, "b.u[2]": 0.0}}, lost={"left": 6.0, "right": 6.0},
    ),
    Case(
        "a latch whose condition is another's mode", latches, 1.0,
        log=((0.5, 1, "mode", "first", 1.0), (0.5, 2, "mode", "second", 1.0)),
        rows={0.5: {"a.v": 1.0, "b.v": 1.0}, 1.0: {"a.s": 0.5, "b.s": 0.5, "a.v": 0.0, "b.v": 0.0}},
    ),
    Case(
        "zeros at the start are no events, and a lock engages at once", starts, 0.5, within=1e-6,
        kinds=("event", "stop", "reset", "sample"), log=((0.0, 1, "sample", "s"),), lost={"l": 1.0},
        rows={
            0.0: {"s": 0.0, "b.v": 1.0}, 0.25: {"s": 4.0, "b.v": 0.0},
            0.5: {"x": 0.5, "n": 0.0, "b.s": 0.0, "l.mode": 0.0},
        },
    ),
)  # fmt: skip
