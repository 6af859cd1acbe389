"""Derivatives of laws at the states where they switch: they are those of the side on which the state lives.

Differences err by some 1e-9 of the rates over their step, 1e-6, and the rates reach some hundred times the largest
derivative: 1e-4 bounds them, and a side is off by at least a tenth.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.symbolic.expressions import as_expression, leaf
from mbs_fmu.symbolic.graph import derivative, evaluate
from mbs_fmu.symbolic.sides import parts
from support.cases import tiers
from support.generators.contacts import AREAS, CONTACTS, CURVES, LAWS, SHAPES, SOLIDS
from support.generators.mechanisms import Plain, random_inertia
from support.models.handling import EVEN
from support.models.tyres import car_tyre
from support.oracles.one_sided import compare_with_one_side

pytestmark = pytest.mark.usefixtures("in_plain_python")
BOUND = 1e-4
OF_SHAPES = [kind for kind in CONTACTS if kind.split(", ")[0] not in CURVES]
PAIRS = [f"{shape}, {law}" for shape in (*SHAPES, *SOLIDS, *AREAS) for law in ("sticking", "spinning")]


def bodies(kind: str, height: float) -> mbs.Model:
    """Return two bodies at rest without bristle deflections, b with the same axes as a and `height` (m) above it."""
    shapes, law = kind.split(", ")
    rng = np.random.default_rng(len(kind))
    m = mbs.Model("still", gravity=(0, 0, 0))
    for name in "ab":
        m.body(name, joint=mbs.Free(), mass=1.0 + rng.random(), inertia=random_inertia(rng))
    shape_a, shape_b = (SHAPES | SOLIDS | AREAS)[shapes]
    m.contact("x", "a", "b", shape_a=shape_a, shape_b=shape_b, **LAWS[law](m.parameter("gain", 1.2)))
    normal = shape_a.normal if isinstance(shape_a, mbs.Plane) else "z"
    axis = dict(zip("xyz", np.eye(3), strict=True)).get(str(normal).lstrip("-"), np.ones(3) / math.sqrt(3))
    m.start("b", q=(*(height * axis * (-1 if str(normal).startswith("-") else 1)), 1, 0, 0, 0))
    return m


@pytest.mark.parametrize("kind", tiers({x: x for x in OF_SHAPES + PAIRS}, usual=4, quick=2))
def test_contacts_at_rest_in_the_air_and_touching(kind: str) -> None:
    """The states of friction are zero: while apart they still decay with the settling time."""
    for height in (3.0, 0.25):
        compare_with_one_side(Plain(bodies(kind, height)), BOUND)


@pytest.mark.quick
def test_foot_in_the_air_has_the_eigenvalues_of_its_settling() -> None:
    """A ball on one foot, the other in the air: its bristles settle with 10 ms, both eigenvalues are -100 1/s."""
    m = mbs.Model("balance")
    m.body("ball", joint=mbs.Free(), mass=2.0, inertia=(0.1, 0.1, 0.1))
    for name, height in (("down", -0.1), ("up", 0.4)):
        m.contact(name, "world", "ball", shape_b=(0, 0, height), stiffness=1e4, friction=0.5, settling=0.01)
    m.start("ball", q=(0, 0, 0.1 - 2.0 * 9.81 / 1e4, 1, 0, 0, 0))
    found = np.linalg.eigvals(mbs.linearize(m).A)
    assert np.sum(np.abs(found + 100.0) < 1e-9) == 2, found


@pytest.mark.quick
def test_cylinder_that_stands_upright_resists_tilting() -> None:
    """Three places of its lower rim carry it, wherever they are on it: its stiffness is 3/2 k r², less 1.5 % by its
    weight."""
    m = mbs.Model("standing")
    m.body("can", joint=mbs.Free(), mass=1.0, inertia=(1.0, 1.0, 1.0))
    m.contact("floor", "world", "can", shape_b=mbs.Cylinder(0.3, 0.4), stiffness=1e3)
    m.start("can", q=(0, 0, 0.2 - 9.81 / 3e3, 1, 0, 0, 0))
    squares = np.linalg.eigvals(mbs.linearize(m).A).imag ** 2
    assert np.sum(np.abs(squares / (1.5 * 1e3 * 0.09) - 1.0) < 0.03) == 4, squares


def wheel(
    tyre: mbs.Tyre, height: float, speed: float, spin: float, slips: tuple[float, float], **more: Any
) -> mbs.Model:
    """Return a wheel on a free hub above a road; slips: starts of the slip states."""
    m = mbs.Model("wheel", gravity=(0, 0, 0))
    m.body("hub", joint=mbs.Free(), mass=50.0, inertia=(2.0, 3.0, 4.0))
    m.body("wheel", "hub", mbs.Revolute("y"), mass=5.0, inertia=(0.3, 0.5, 0.3))
    m.tyre("tyre", "wheel", tyre, side="left" if tyre.side else None, **more)
    m.start("hub", q=(0, 0, height, 1, 0, 0, 0), u=(speed, 0, 0, 0, 0, 0))
    m.start("wheel", u=spin)
    for state, start in zip(list(m.states), slips, strict=False):
        m.states[state] = replace(m.states[state], start=start)
    return m


#: height of the centre, m, speed, m/s, spin, rad/s, slips
STANDS: dict[str, tuple[float, float, float, tuple[float, float]]] = {
    "braked straight ahead": (0.33, 10.0, 27.0, (-0.08, 0.0)),
    "at rest": (0.33, 0.0, 0.0, (0.0, 0.0)),
    "in the air": (0.5, 0.0, 0.0, (0.0, 0.0)),
    "held on a slope": (0.33, 0.0, 0.0, (0.03, -0.02)),
    "spinning at rest": (0.33, 0.0, 10.0, (1.0, 0.0)),
    "rolling": (0.33, 10.0, 30.0, (0.0, 0.0)),
    "in flight": (0.5, 3.0, 1.0, (0.1, 0.1)),
}
KINDS: dict[str, Callable[[], mbs.Tyre]] = {
    "even Magic Formula": lambda: mbs.Tyre(EVEN),
    "linear": lambda: mbs.Tyre.linear(9e4, 7e4, 0.8, radius=0.34, stiffness=2e5, trail=0.02),
    "brush": lambda: mbs.Tyre.brush(radius=0.34, stiffness=2e5, load=4e3, slip_stiffness=6e4, friction=0.9),
    "Magic Formula": car_tyre,
}
WHEELS = {f"{kind}, {stand}": (kind, stand) for kind in KINDS for stand in STANDS}


@pytest.mark.parametrize("case", tiers(WHEELS, usual=2, quick=1))
def test_tyres_at_rest_in_the_air_and_straight_ahead(case: tuple[str, str]) -> None:
    """With and without relaxation. A braked wheel without a slip angle has the trail of its longitudinal slip."""
    kind, stand = case
    for transient in (True, False):
        compare_with_one_side(Plain(wheel(KINDS[kind](), *STANDS[stand], transient=transient)), BOUND)


def closed_valve() -> mbs.Model:
    """Return a piston under a closed valve, of numbers with which all derivatives are of order one."""
    m = mbs.Model("press", gravity=(0, 0, 0))
    m.body("b", joint=mbs.Prismatic("x"), mass=1.0)
    m.input("opening")
    opening = mbs.signal("opening")
    m.cylinder(
        "c", "world", "b", at_a=(-1, 0, 0), bore=1.0, rod=0.6, stroke=1.0, closed=0.5, dead=1.0, opening=opening,
        flow=1e-3, supply=1e4, modulus=10.0, start=(1e3, 2e3),
    )  # fmt: skip
    return m


def slider(place: float, speed: float, add: Callable[[mbs.Model], None]) -> mbs.Model:
    """Return a mass of 2 kg on a slide with a force."""
    m = mbs.Model("slider", gravity=(0, 0, 0))
    m.body("b", joint=mbs.Prismatic("x"), mass=2.0)
    m.start("b", q=place, u=speed)
    add(m)
    return m


def stops(m: mbs.Model) -> None:
    m.limit("l", on="b", lower=0.0, upper=0.2, stiffness=100.0, damping=5.0)


def spring(m: mbs.Model) -> None:
    m.spring("k", on="b", force=([-1.0, 0.0, 2.0], [-3.0, 0.0, 8.0]))


def bristles(m: mbs.Model) -> None:
    m.lugre_friction("f", on="b", coulomb=1.0, static=1.5, speed=0.1, stiffness=50.0, damping=1.0)
    m.states["f_bristle"] = replace(m.states["f_bristle"], start=0.01)


ONE_DIMENSIONAL: dict[str, Callable[[], mbs.Model]] = {
    "closed valve": closed_valve,
    "open stops": lambda: slider(0.1, 0.0, stops),
    "stop that opens": lambda: slider(0.25, -2.0, stops),
    "first point of a table": lambda: slider(-1.0, 0.0, spring),
    "middle point of a table": lambda: slider(0.0, 0.0, spring),
    "friction at rest": lambda: slider(0.0, 0.0, lambda m: m.friction("f", on="b", force=3.0, static=4.0)),
    "deflected bristles at rest": lambda: slider(0.0, 0.0, bristles),
    "drag at rest": lambda: slider(0.0, 0.0, lambda m: m.drag("f", "b", quadratic=2.0)),
}


@pytest.mark.quick
@pytest.mark.parametrize("case", ONE_DIMENSIONAL)
def test_other_laws(case: str) -> None:
    compare_with_one_side(Plain(ONE_DIMENSIONAL[case]()), BOUND)


@pytest.mark.quick
def test_parts_of_a_number_have_the_derivatives_of_one_side() -> None:
    """The positive part of x and that of -x: their sum is |x|, whose derivative at zero is not the sum of both."""
    both = list(parts(leaf("x")))
    slopes = derivative(both, lambda _: as_expression(1.0))
    for value, expected in ((-2.0, (0.0, -1.0)), (0.0, (1.0, 0.0)), (3.0, (1.0, 0.0))):
        assert tuple(evaluate(slope, {"x": value}) for slope in slopes) == expected
        assert [evaluate(part, {"x": value}) for part in both] == [max(value, 0.0), max(-value, 0.0)]
