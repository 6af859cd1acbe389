"""Impacts do not depend on the order in which contacts were added."""

from __future__ import annotations

import pytest

import mbs_fmu as mbs
from support.undecided import Undecided

pytestmark = pytest.mark.quick


@pytest.mark.parametrize("order", [("left", "right"), ("right", "left")])
@pytest.mark.parametrize("slender", [0.3, 0.9, 1.1, 4.0])
def test_a_plank_falls_on_its_second_edge(slender: float, order: tuple[str, str]) -> None:
    """It rests on its left edge and strikes with the right one, without restitution.

    With the inertia `slender` m a², a half the distance of the edges, the left edge is pressed down below 1 and lifts
    above 1, where only the right edge acts: the energy P v/2 is lost, P = v/(1/m + a²/J). The order of the contacts in
    the model has no effect, and no impulse pulls.
    """
    m, a, v = 2.0, 0.5, 0.8  # v: speed of the right edge
    model = mbs.Model("plank", gravity=(0, 0, 0))
    joint = mbs.Compound(mbs.slide("z"), mbs.turn("-y"))
    plank = model.body("plank", joint=joint, mass=m, inertia=(1.0, slender * m * a * a, 1.0))
    for name in order:
        side = 1.0 if name == "right" else -1.0
        model.contact(name, "world", plank, mbs.OnPlane("z"), at_b=(side * a, 0, 0))
    model.start(plank, u=(-0.5 * v, -0.5 * v / a))
    plain = Undecided(model)
    R = plain.decide()
    impulses = dict(zip(order, plain.get(R, "impact_impulses"), strict=True))
    kinetic = 0.5 * m * (0.5 * v) ** 2 * (1.0 + slender)
    lifts = slender > 1.0
    alone = v / (1.0 / m + 1.0 / (slender * m))
    lost = 0.5 * alone * v if lifts else kinetic
    assert plain.get(R, "losses").sum() == pytest.approx(lost, rel=1e-12)
    assert min(impulses.values()) >= -1e-12 * alone
    assert impulses["right"] == pytest.approx(alone if lifts else 0.25 * m * v * (1.0 + slender), rel=1e-12)
    assert impulses["left"] == pytest.approx(0.0 if lifts else 0.25 * m * v * (1.0 - slender), rel=1e-12, abs=1e-12)
