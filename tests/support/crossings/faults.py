"""Runs that once went wrong at crossings: cases with their outcome in closed form, and their models."""

from __future__ import annotations

import functools

import mbs_fmu as mbs

from .outcomes import Case
from .table import NEVER
from .ways import prepared


def slide(name: str, force: mbs.Expression | float) -> tuple[mbs.Model, mbs.Body]:
    """A body of 1 kg on a slide, and a force on it, N."""
    m = mbs.Model(name, gravity=(0, 0, 0))
    b = m.body("b", joint=mbs.Prismatic("x"), mass=1.0)
    m.motor("push", on=b, force=force)
    return m, b


@functools.cache
def released() -> mbs.Model:
    """A body under 1 N that is locked until 1 s."""
    m, b = slide("released", 1.0)
    m.lock("l", on=b, until=mbs.time >= 1.0)
    return prepared(m)


@functools.cache
def slipping() -> mbs.Model:
    """A body that sticks up to 1.5 N and slides with 1 N, under a force that grows by 1 N in a second."""
    m, b = slide("slipping", mbs.time)
    m.friction("rub", on=b, force=1.0, static=1.5, stick=True)
    return prepared(m)


@functools.cache
def lifted() -> mbs.Model:
    """A body of 1 kg that lies on a floor and is lifted by 20 N from 1 s on."""
    m = mbs.Model("lifted", gravity=(0, 0, -8))
    b = m.body("b", joint=mbs.Prismatic("z"), mass=1.0)
    m.contact("floor", "world", b, mbs.OnPlane("z"), restitution=0.0)
    m.motor("lift", on=b, force=mbs.where(mbs.time > 1.0, 20.0, 0.0))
    return prepared(m)


@functools.cache
def braked() -> mbs.Model:
    """A body at 2 m/s that friction of 4 N stops at 0.5 s; a reset counts the zeros of its velocity."""
    m = mbs.Model("braked", gravity=(0, 0, 0))
    b = m.body("b", joint=mbs.Prismatic("x"), mass=1.0)
    m.start(b, u=2.0)
    m.friction("rub", on=b, force=4.0, static=4.0, stick=True)
    n = m.state("n", 0.0)
    m.event("counted", mbs.rate(b), reset={"n": n + 1.0})
    m.event("seen", mbs.rate(b))
    return prepared(m)


@functools.cache
def turned_back() -> mbs.Model:
    """Three turns; the second, at 1 rad/s, meets a stop or a reset at 1.4 rad, before its gimbal lock at pi/2."""
    m = mbs.Model("turned_back", gravity=(0, 0, 0))
    turns = mbs.Compound(mbs.turn("x"), mbs.turn("y"), mbs.turn("z"))
    b = m.body("b", joint=turns, mass=1.0, inertia=(1, 1, 1))
    m.start(b, u=(0, 1.0, 0))
    m.limit("stop", on=b, coordinate=2, upper=m.parameter("upper", NEVER), restitution=1.0)
    m.event("back", mbs.coordinate(b, 2) - m.parameter("most", NEVER), direction=1, reset={"b.u[2]": -1.0})
    return prepared(m)


@functools.cache
def pendulum() -> mbs.Model:
    """A rod that swings from 1 rad; a reset counts its passages of an angle, in both directions."""
    m = mbs.Model("pendulum", gravity=(0, 0, -9.81))
    rod = m.body("rod", joint=mbs.Revolute("y"), mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.1))
    m.start(rod, q=1.0)
    n = m.state("n", 0.0)
    angle = mbs.coordinate(rod) - m.parameter("angle", 0.3)
    m.event("counted", angle, reset={"n": n + 1.0})
    m.event("seen", angle)
    return prepared(m)


@functools.cache
def oscillator() -> mbs.Model:
    """s = cos t; a reset counts its passages of a level."""
    m = mbs.Model("oscillator", gravity=(0, 0, 0))
    b = m.body("b", joint=mbs.Prismatic("x"), mass=1.0)
    m.spring("spring", on=b, stiffness=1.0)
    m.start(b, q=1.0)
    n = m.state("n", 0.0)
    m.event("passed", mbs.coordinate(b) - m.parameter("level", 0.5), reset={"n": n + 1.0})
    m.sampled("ticks", m.parameter("period", NEVER), lambda ticks: ticks + 1.0, offset=m.parameter("first", NEVER))
    return prepared(m)


CASES = (
    Case(
        "a lock that has carried a force is released without a blow", released, 2.0, log=((1.0, 1, "mode", "l"),),
        rows={1.0: {"b.v": 0.0}, 1.25: {"b.v": 0.25}, 2.0: {"b.v": 1.0, "b.s": 0.5}},
    ),
    Case(
        "friction slips without a blow", slipping, 3.0, log=((1.5, 1, "mode", "rub"),),
        rows={1.5: {"b.v": 0.0}, 2.0: {"b.v": 0.375}, 3.0: {"b.v": 1.875}},
    ),
    Case(
        "a body is lifted off its floor without a blow", lifted, 2.0,
        rows={1.0: {"b.v": 0.0}, 1.25: {"b.v": 3.0}, 2.0: {"b.v": 12.0, "b.s": 6.0}},
    ),
    *(
        Case(
            f"trials reach a gimbal lock behind a {name}, steps of {step:g} s", turned_back, 2.0, interval=1.0,
            step=step, rows={1.0: {"b.q[2]": 1.0}, 2.0: {"b.q[2]": 0.8, "b.u[2]": -1.0}}, log=((1.4, 1, *entry),),
            run={"parameters": {value: 1.4}},
        )
        for step in (0.03125, 0.5, 1.0)
        for name, value, entry in (("stop", "upper", ("mode", "stop")), ("reset", "most", ("reset", "back")))
    ),
    Case(
        "the end of a slide is counted once", braked, 1.0,
        log=((0.5, 0, "event", "seen"), (0.5, 1, "mode", "rub"), (0.5, 1, "reset", "counted")),
        rows={1.0: {"n": 1.0, "b.v": 0.0, "b.s": 0.5}},
    ),
)  # fmt: skip
