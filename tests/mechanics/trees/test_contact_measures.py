"""Measures of compliant contacts and of their points, while the shapes touch and while they are apart."""

from __future__ import annotations

import numpy as np
import pytest

import mbs_fmu as mbs
from support.cases import tiers
from support.generators.contacts import CONTACTS, bodies_in_contact
from support.generators.mechanisms import Plain
from support.oracles.complex_steps import outputs

ROUNDING = 1e-12  #: of forces and powers: some hundred operations of eps
BOX, BALL, ROD = mbs.Box(0.2, 0.3, 0.1), mbs.Sphere(0.1), mbs.Capsule(0.05, 0.2)
SHAPES = {
    "plane, box": (mbs.Plane("x"), [BOX]), "ball, ball": (BALL, BALL), "ball, rod": (BALL, ROD), "rods": (ROD, ROD),
    "box, ball": (BOX, BALL), "boxes": (BOX, BOX), "box, point": (BOX, (0.0, 0.0, 0.0)),
}  # fmt: skip


@pytest.mark.parametrize("case", tiers([(pair, gap) for gap in (1e-4, 0.5) for pair in SHAPES], usual=3))
def test_slip_is_tangential_while_shapes_are_apart(case: tuple[str, float]) -> None:
    """Shapes that approach along their normal, x, slip across it only, and have their distance; the gap in m."""
    pair, gap = case
    m, (a, b) = mbs.Model("apart"), SHAPES[pair]
    body = m.body("body", joint=mbs.Free(), mass=1.0, inertia=(1, 1, 1))
    reach = {"Plane": 0.0, "Box": 0.1, "Sphere": 0.1, "Capsule": 0.05, "tuple": 0.0}
    shape_b = b[0] if isinstance(b, list) else b
    distance = reach[type(a).__name__] + reach[type(shape_b).__name__] + gap
    across = 0.01 if pair in ("boxes", "box, ball", "box, point") else 0.0
    m.contact("touch", "world", body, shape_a=a, shape_b=shape_b, stiffness=1e4, friction=0.5)
    m.start(body, q=(distance, across, 0.5 * across, 1, 0, 0, 0), u=(-1.0, 0.4, 0.3, 0, 0, 0))
    m.output("slip", mbs.slip("touch", 1))
    m.output("gap", mbs.gap("touch"))
    found = outputs(Plain(m))
    assert np.abs(found["slip"] - [0.0, 0.4, 0.3]).max() < ROUNDING
    assert abs(found["gap"] - gap) < ROUNDING


@pytest.mark.parametrize("kind", tiers(CONTACTS, usual=3, quick=1))
def test_measures_of_points_add_up(kind: str) -> None:
    """Strength, power and wrench of the points of a contact are those of the whole contact."""
    m = bodies_in_contact(kind, 1)
    (contact,) = (force for force in m.forces.values() if force.contact_points)
    name = contact.name
    count, places = contact.contact_points, [point.b.origin for point in contact.points]  # type: ignore[attr-defined]
    at = places[0] if count == 1 else contact.at_b  # type: ignore[attr-defined]
    body = contact.b  # type: ignore[attr-defined]
    m.output("strength", [mbs.strength(name), *(mbs.strength(name, k + 1) for k in range(count))])
    m.output("power", [mbs.power(name), *(mbs.power(name, k + 1) for k in range(count))])
    wrenches = [mbs.applied(name), *(mbs.applied(name, k + 1) for k in range(count))]
    for k, (wrench, place) in enumerate(zip(wrenches, [at, *places], strict=True)):
        arm = mbs.position(body, place) - mbs.position(body, at)
        m.output(f"wrench{k}", [*wrench.f, *(wrench.t + arm.cross(wrench.f))])
    found = outputs(Plain(m))
    for quantity in ("strength", "power"):
        whole, *parts = found[quantity]
        assert abs(whole - sum(parts)) < ROUNDING * (1.0 + sum(map(abs, parts))), quantity
    parts = np.array([found[f"wrench{k + 1}"] for k in range(count)])
    assert np.all(np.abs(found["wrench0"] - parts.sum(axis=0)) < ROUNDING * (1.0 + np.abs(parts).sum()))


@pytest.mark.quick
def test_points_that_do_not_exist_are_refused() -> None:
    """Numbers beyond the last point, and of forces that are no contacts."""
    for force, message in (("floor", "point 9 of contact 'floor' does not exist: use 1 to 8"),
                           ("spring", "spring 'spring' has no contact points: leave the number 9 out")):  # fmt: skip
        m = mbs.Model("refused")
        body = m.body("body", joint=mbs.Free(), mass=1.0, inertia=(1, 1, 1))
        m.contact("floor", "world", body, shape_b=BOX, stiffness=1e4)
        m.spring("spring", "world", body, stiffness=1.0)
        m.output("o", mbs.strength(force, 9))
        with pytest.raises(mbs.ModelError, match=message):
            Plain(m)
    with pytest.raises(mbs.ModelError, match="power of contact 'floor': point 0: give a number from 1 on"):
        mbs.power("floor", 0)
