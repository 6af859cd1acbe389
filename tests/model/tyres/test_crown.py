"""Tyres with a round crown: the geometry of inclined wheels, energy, and what a crown must not be."""

from __future__ import annotations

import math

import numpy as np
import pytest

import mbs_fmu as mbs

RADIUS, CROWN = 0.32, 0.09  #: m


def inclined(gamma: float, crown: float, height: float) -> mbs.Model:
    """Return a wheel held at an inclination (rad) with its centre at a height (m) above a road."""
    tyre = mbs.Tyre.brush(radius=RADIUS, stiffness=2e5, load=2000.0, slip_stiffness=4e4, friction=1.0)
    m = mbs.Model("inclined", gravity=(0, 0, 0))
    m.body("hub", at=mbs.Pose((0, 0, height), mbs.rpy(gamma, 0, 0)), joint=mbs.Weld())
    m.body("wheel", "hub", mbs.Revolute("y"), mass=1.0, inertia=(1, 2, 1))
    m.tyre("tyre", "wheel", tyre, crown=crown)
    m.output("wheel", mbs.wheel("tyre"))
    return m


@pytest.mark.parametrize("gamma", [-0.9, math.radians(40.0), 0.3, 0.0])
def test_contact_of_an_inclined_crown(gamma: float) -> None:
    """At 40° the centre of an unloaded wheel is 266.19 mm high (a disc's 245.13), the contact 147.84 mm beside it."""
    core = RADIUS - CROWN
    height = core * math.cos(gamma) + CROWN
    if gamma == math.radians(40.0):
        assert (round(1e3 * height, 2), round(1e3 * core * math.sin(gamma), 2)) == (266.19, 147.84)
    for depth in (1e-3, 5e-3):
        run = mbs.simulate(inclined(gamma, CROWN, height - depth), 0.01, method="rk4", step=1e-3)
        assert run["wheel.fz"][0] == pytest.approx(2e5 * depth, rel=1e-9)
        place = [run[f"wheel.point[{k}]"][0] for k in (1, 2, 3)]
        assert place == pytest.approx([0.0, core * math.sin(gamma), 0.0], abs=1e-12)
    apart = mbs.simulate(inclined(gamma, CROWN, height + 1e-6), 0.01, method="rk4", step=1e-3)
    assert apart["wheel.fz"][0] == 0.0


def test_energy_of_a_leaning_wheel() -> None:
    """A wheel that leans and bounces on a road without friction keeps its energy: the spring has a potential."""
    tyre = mbs.Tyre.brush(radius=RADIUS, stiffness=2e5, load=2000.0, slip_stiffness=4e4, friction=1e-9)
    m = mbs.Model("leaning")
    m.body("hub", joint=mbs.Compound(mbs.slide("z"), mbs.turn("x")), mass=20.0, inertia=(2, 2, 2))
    m.body("wheel", "hub", mbs.Revolute("y"), mass=10.0, inertia=(0.5, 1.0, 0.5))
    m.tyre("tyre", "wheel", tyre, crown=CROWN)
    m.start("hub", q=(RADIUS - 0.002, 0.1), u=(0.1, 0.5))
    m.output("energy", mbs.energy(), unit="J")
    m.output("load", mbs.strength("tyre"), unit="N")
    run = mbs.simulate(m, 0.5, method="rk4", step=1e-4, output_interval=1e-3)
    assert run["load"].max() > 500.0
    scale = 30.0 * 9.81 * RADIUS
    np.testing.assert_allclose(run["energy"], run["energy"][0], atol=1e-5 * scale)


def test_free_rolling_radius_decreases_with_the_inclination() -> None:
    """Without slip a wheel with a crown turns faster the more it leans: by c (1 - cos gamma) of its radius."""
    found = {}
    for gamma in (0.0, 0.6):
        height = (RADIUS - CROWN) * math.cos(gamma) + CROWN - 2e-3
        run = mbs.simulate(inclined(gamma, CROWN, height), 0.01, method="rk4", step=1e-3)
        found[gamma] = run["wheel.effective_radius"][0]
    assert found[0.0] - found[0.6] == pytest.approx(CROWN * (1.0 - math.cos(0.6)), rel=1e-9)


def test_crowns_out_of_range_are_refused() -> None:
    """The message names the tyre and the value."""
    with pytest.raises(mbs.ModelError, match=r"crown of tyre 'tyre' is 0\.4 m: give less than the tyre's radius"):
        inclined(0.0, 0.4, 0.3)
    with pytest.raises(mbs.ModelError, match="crown of tyre 'tyre' is -0"):
        inclined(0.0, -0.1, 0.3)
