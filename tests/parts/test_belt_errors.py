"""Messages about belts and chains that cannot be: each names the item, the value and the remedy."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

import mbs_fmu as mbs
from support.cases import some_quick
from support.generators.invalid_values import odd_values, simple

pytestmark = pytest.mark.quick
Pulley, Sprocket = mbs.Pulley, mbs.Sprocket
NUMBERS: dict[str, Any] = {"stiffness": 1e5, "preload": 100.0, "friction": 0.4}


def drive() -> mbs.Model:
    """Pulleys a, b, c on axes along z; "tilted" is askew, "arm" carries "idler"."""
    m = mbs.Model("drive", gravity=(0, 0, 0))
    solid: dict[str, Any] = {"mass": 1.0, "inertia": (0.01, 0.01, 0.01)}
    for name, at in (
        ("a", (0, 0, 0)),
        ("b", (1, 0, 0)),
        ("c", (0.5, 0.8, 0)),
        ("near", (0.15, 0, 0)),
        ("far", (0.114, 0.485, 0)),
    ):
        m.body(name, joint=mbs.Revolute("z"), at=at, **solid)
    m.body("tilted", joint=mbs.Revolute((0, 0.1, 1)), at=(1, 0, 0), **solid)
    m.body("ball", joint=mbs.Spherical(), at=(1, 0, 0), **solid)
    arm = m.body("arm", joint=mbs.Revolute("z"), at=(0.5, 0.3, 0), **solid)
    m.body("idler", arm, mbs.Revolute("z"), at=(0, -0.2, 0), **solid)
    return m


def over(*places: Any, **numbers: Any) -> Callable[[mbs.Model], object]:
    return lambda m: mbs.belt(m, "belt", list(places), **{**NUMBERS, **numbers})


def chain(*places: Any, **numbers: Any) -> Callable[[mbs.Model], object]:
    return lambda m: mbs.chain(m, "chain", list(places), **{"pitch": 0.0127, **numbers})


A, B, C = Pulley("a", 0.1), Pulley("b", 0.1), Pulley("c", 0.1)
END = ("world", (0, -1, 0))
TRIES: dict[str, tuple[Callable[[mbs.Model], object], str]] = {
    "axes": (over(A, Pulley("tilted", 0.1)), "axes of body 'a' and body 'tilted' are not parallel at the start"),
    "no axis": (over(A, Pulley("ball", 0.1)), "body 'ball' does not turn about an axis: give its joint"),
    "overlap": (
        over(A, Pulley("near", 0.08, turn=-1)),
        "body 'a' and body 'near' overlap on its side at the start: .* 0.15 m apart in its plane, less than 0.18 m",
    ),
    "intersect": (
        over(A, Pulley("near", 0.08)),
        "body 'a' and body 'near' intersect at the start: .* 0.15 m apart in its plane, less than the sum of their",
    ),
    "one inside the other": (over(A, Pulley("near", 0.3)), "overlap on its side"),
    "wrap": (
        over(A, B, C, Pulley("far", 0.05, turn=-1)),
        r"wraps round body 'far' by .* degrees at the start, outside 5 to 350: the pulley does not press",
    ),
    "order": (over(A, C, B), "it turns by 2 revolutions on its way: list its pulleys in the order"),
    "short": (over(A, B, preload=2100.0), "its preload stretches it by 2.1 percent: it may be at most 2"),
    "friction": (over(A, B, friction=-0.1), "friction of belt 'belt' is -0.1: it must be positive"),
    "no friction": (over(A, B, friction=0.0), "friction of belt 'belt' is 0.0: it must be positive"),
    "stiffness": (over(A, B, stiffness=0.0), "stiffness of belt 'belt' is 0.0: it must be positive"),
    "preload": (over(A, B, preload=-1.0), "preload of belt 'belt' is -1.0: it must not be negative"),
    "creep": (over(A, B, creep=0.0), "creep of belt 'belt' is 0.0: it must be positive"),
    "mass": (over(A, B, mass=-1.0), "mass of belt 'belt' is -1.0: it must not be negative"),
    "groove": (over(A, B, groove=0.0), "groove of belt 'belt' is 0.0: it must be positive"),
    "degrees": (over(A, B, groove=38.0), "groove of belt 'belt' is 38 rad: give less than 180 deg"),
    "damping": (over(A, B, friction=None, damping=-1.0), "damping of belt 'belt' is -1.0: it must not be"),
    "no creep": (over(A, B, friction=None, creep=1e-3), "creep= has no effect without friction=: give that too"),
    "with friction": (over(A, B, damping=1.0), "damping= has no effect with friction=, which damps by itself"),
    "variable": (over(A, B, stiffness=1.0 + mbs.time), "stiffness of belt 'belt' depends on time: it may"),
    "one": (over(A), "belt 'belt' runs over 1 pulleys: give at least two"),
    "points only": (over(END, ("a", (0, 0, 0)), closed=False), "runs over 0 pulleys: give two places or more, one of"),
    "same": (over(A, Pulley("a", 0.2), B), "belt 'belt' runs from body 'a' to itself: give two bodies"),
    "same at the end": (over(A, B, A), "belt 'belt' runs from body 'a' to itself: give two bodies"),
    "unknown": (over(A, Pulley("d", 0.1)), "belt 'belt': unknown body 'd'"),
    "world": (over(A, Pulley("world", 0.1)), "'world' does not move"),
    "unknown carrier": (over(A, B, carrier="d"), "carrier of belt 'belt': unknown body 'd'"),
    "point in a belt": (over(A, B, END), "place 3 is a point: a closed belt runs over mbs.Pulley only"),
    "point between": (over(A, END, B, closed=False), "place 2 is a point between others: only its ends may be points"),
    "not a place": (over(A, "b"), r"place 2 of belt 'belt' is 'b': give mbs.Pulley\(body, radius\)"),
    "carrier": (
        over(A, B, carrier="arm", friction=None), "body 'a' does not move in the plane of the belt",
    ),
    "radius": (lambda m: Pulley("a", 0.0), "radius of pulley 'a' is 0 m: it must be positive"),
    "turn": (lambda m: Pulley("a", 0.1, turn=2), "turn of pulley 'a' is 2: give 1 or -1"),
    "teeth": (lambda m: Sprocket("a", 17.5), "teeth of sprocket 'a': 17.5: give a whole number from 5 on"),  # type: ignore[arg-type]
    "few teeth": (lambda m: Sprocket("a", 4), "teeth of sprocket 'a': 4: give a whole number from 5 on"),
    "pitch": (chain(Sprocket("a", 17), Sprocket("b", 38), pitch=0.0), "pitch of chain 'chain' is 0 m: it must be pos"),
    "one sprocket": (chain(Sprocket("a", 17)), "chain 'chain' runs over 1 sprockets: give at least two"),
    "pulley": (chain(Sprocket("a", 17), B), r"runs over .*Pulley.*: give mbs.Sprocket\(body, teeth\)"),
    "slack": (chain(Sprocket("a", 17), Sprocket("b", 38), slack=1e-3), "slack= is for an elastic chain: give"),
    "rigid": (chain(Sprocket("a", 17), Sprocket("b", 38), damping=1.0), "damping= is for an elastic chain"),
    "moving": (
        chain(Sprocket("a", 17), Sprocket("idler", 11, turn=-1), Sprocket("b", 17)),
        "body 'idler' does not turn about a fixed axis of 'world', as all sprockets must: mbs.belt takes pulleys",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", TRIES)
def test_impossible_belts_and_chains_are_refused(case: str) -> None:
    """Each is refused when it is described, and adds nothing to the model."""
    make, message = TRIES[case]
    m = drive()
    with pytest.raises(mbs.ModelError) as raised:
        make(m)
    assert re.search(message, str(raised.value)), str(raised.value)
    assert not m.forces and not m.states and not m.loops


def test_names_that_are_taken() -> None:
    m = drive()
    mbs.belt(m, "belt", [A, B], **NUMBERS)
    with pytest.raises(mbs.ModelError, match="force name 'belt_span1' is taken by a force"):
        mbs.belt(m, "belt", [A, B], **NUMBERS)
    with pytest.raises(mbs.ModelError, match="force name 'a b' must be an identifier"):
        mbs.belt(m, "a b", [A, B], **NUMBERS)


def odd_calls() -> dict[str, tuple[Callable[..., object], dict[str, Any]]]:
    """Return functions and valid arguments; those of `belt` and `chain` are of the model of odd values."""
    wheels = {"name": "new", "over": [Pulley("arm", 0.1), Pulley("wheel", 0.1)], "stiffness": 1e5, "closed": True}
    numbers = {"preload": 1.0, "friction": 0.3, "creep": 1e-3, "groove": 0.7, "mass": 0.1, "carrier": "world"}
    rope = {**wheels, "over": [Pulley("arm", 0.1), ("slider", (0.5, 0, 0))], "damping": 1.0, "closed": False}
    teeth = {"name": "new", "over": [Sprocket("arm", 17), Sprocket("wheel", 17)], "pitch": 0.0127}
    return {
        "Pulley": (Pulley, {"body": "arm", "radius": 0.1, "turn": 1}),
        "Sprocket": (Sprocket, {"body": "arm", "teeth": 17, "turn": 1}),
        "chain": (mbs.chain, teeth),
        "elastic chain": (mbs.chain, {**teeth, "stiffness": 1e6, "damping": 1.0, "slack": 1e-3}),
        "rope": (mbs.belt, rope),
        "belt": (mbs.belt, {**wheels, **numbers}),
    }  # fmt: skip


@pytest.mark.parametrize("name", some_quick(list(odd_calls()), quick=0, usual=3))
def test_odd_values_work_or_raise_one_line(name: str) -> None:
    """Each argument takes each odd value, also as a place of a belt."""
    function, valid = odd_calls()[name]
    models = () if isinstance(function, type) else (None,)
    for argument in valid:
        for kind in odd_values(simple()):
            for nested in (False, True)[: 1 + (argument == "over")]:
                m = simple()
                value = odd_values(m)[kind]
                arguments = {**valid, argument: [*valid["over"], value] if nested else value}
                try:
                    function(*(m for _ in models), **arguments)
                except mbs.ModelError as error:
                    assert "\n" not in str(error) and len(str(error)) < 700, (argument, kind, str(error))
