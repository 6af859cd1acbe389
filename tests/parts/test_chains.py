"""Chains with the polygon effect: ratios of rigid chains, ripple, tensions, slack."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs

PITCH, TEETH = 12.7e-3, (17, 38)
RADII = [PITCH / (2 * math.sin(math.pi / z)) for z in TEETH]


def drive(torque: float = 50.0, **numbers: Any) -> tuple[mbs.Model, mbs.Chain]:
    """A sprocket of 17 teeth at 10 rad/s that drives one of 38 teeth, 400 mm away, with a load (N.m)."""
    m = mbs.Model("chain", gravity=(0, 0, 0))
    m.body("a", joint=mbs.Revolute("z"), mass=1.0, inertia=(1e-3, 1e-3, 2e-3))
    m.body("b", joint=mbs.Revolute("z"), mass=2.0, inertia=(0.5, 0.5, 1.0), at=(0.4, 0, 0))
    m.drive("engine", on="a", position=10.0 * mbs.time)
    over = [mbs.Sprocket("a", TEETH[0]), mbs.Sprocket("b", TEETH[1])]
    chain = mbs.chain(m, "chain", over, pitch="12.7 mm", **numbers)
    m.motor("load", on="b", torque=-torque)
    m.output("T", list(chain.tensions))
    m.output("stretch", list(chain.stretches))
    m.output("wrap", list(chain.wraps))
    m.output("length", list(chain.lengths))
    return m, chain


def within(phi: np.ndarray, teeth: int) -> np.ndarray:
    """Return the angle from the middle of a tooth, rad."""
    return (phi + math.pi / teeth) % (2 * math.pi / teeth) - math.pi / teeth


def test_a_rigid_chain_has_the_ratio_of_its_polygons() -> None:
    """w_b/w_a = R_a cos(phi_a)/(R_b cos(phi_b)); its mean is that of the teeth; one strand carries the load."""
    m, _ = drive()
    result = mbs.simulate(m, 0.5, rtol=1e-9, output_interval=1e-3)
    chords = [R * np.cos(within(result[f"{body}.phi"], z)) for R, z, body in zip(RADII, TEETH, "ab", strict=True)]
    assert np.abs(result["b.w"] - 10.0 * chords[0] / chords[1]).max() < 1e-10
    ripple = chords[0].min() / chords[0].max()
    assert abs(1.0 - math.cos(math.pi / 17) - 0.017027) < 1e-6 and abs(1.0 - math.cos(math.pi / 38) - 0.0034155) < 1e-7
    assert abs(1.0 - ripple - 0.017027) < 1e-4  # sampled
    turned = result["b.phi"][-1] / result["a.phi"][-1]
    assert abs(turned - 17 / 38) < 2 * math.pi / 38 / result["a.phi"][-1]
    inertial = 1.0 * np.gradient(result["b.w"], result.time, edge_order=2)
    pull = (50.0 + inertial) / chords[1]
    inner = slice(2, -2)
    smooth = np.abs(within(result["a.phi"], 17))[inner] < 0.8 * math.pi / 17
    smooth &= np.abs(within(result["b.phi"], 38))[inner] < 0.8 * math.pi / 38
    difference = (result["T[2]"] - result["T[1]"])[inner] - pull[inner]
    assert np.abs(difference[smooth]).max() < 0.01 * np.abs(pull).max()
    assert np.minimum(result["T[1]"], result["T[2]"]).max() == 0.0


@pytest.mark.quick
def test_the_mean_ratio_is_that_of_the_teeth(in_plain_python: None) -> None:
    """Over a whole number of teeth the chain travels a pitch for each, at any angle."""
    m, _ = drive(stiffness=1e6)
    options: dict[str, Any] = {"method": "rk4", "step": 1e-9, "output_interval": 1e-9}
    for turns in (1, 1000):
        start = {"b.phi": 0.02 + 2 * math.pi * turns * 17 / 38 * 2}
        one = mbs.simulate(m, 1e-9, start={"b.phi": 0.02}, **options)["stretch[1]"][0]
        other = mbs.simulate(m, 1e-9, start=start, **options)["stretch[1]"][0]
        assert abs(other - one - PITCH * 17 * 2 * turns) < 1e-12 * PITCH * 17 * 2 * turns + 1e-15


def test_an_elastic_chain_draws_with_one_strand() -> None:
    """The mean tension is the load over the mean pitch radius; the slack strand has none."""
    m, _ = drive(stiffness=1e6, damping=3e3, slack=1e-3)
    m.start("b", u=10.0 * 17 / 38)
    result = mbs.simulate(m, 2.0, method="rodas5p", rtol=1e-6, output_interval=1e-3)
    steady = result.time > 1.0
    mean = 50.0 * 2 * math.pi / (38 * PITCH)
    assert abs(result["T[2]"][steady].mean() - mean) < 0.01 * mean and np.all(result["T[1]"][steady] == 0.0)
    assert abs(result["stretch[2]"][steady].mean() - 0.5e-3 - mean / 1e6) < 1e-5
    np.testing.assert_allclose(result["stretch[1]"], -result["stretch[2]"], atol=1e-15)
    difference = RADII[1] - RADII[0]
    assert abs(result["length[1]"][0] - math.sqrt(0.4**2 - difference**2)) < 1e-15
    assert abs(result["wrap[1]"][0] - math.pi + 2 * math.asin(difference / 0.4)) < 1e-14


@pytest.mark.parametrize("stiffness", [None, 1e7])
def test_a_chain_over_three_sprockets(stiffness: float | None) -> None:
    """An idler on the back turns the other way, all in the ratios of their teeth; tensions balance its load."""
    m = mbs.Model("three", gravity=(0, 0, 0))
    solid: dict[str, Any] = {"mass": 1.0, "inertia": (0.01, 0.01, 0.01)}
    for name, at in (("a", (0, 0, 0)), ("idler", (0.2, 0.02, 0)), ("b", (0.4, 0, 0))):
        m.body(name, joint=mbs.Revolute("z"), at=at, **solid)
    over = [mbs.Sprocket("a", 20), mbs.Sprocket("idler", 12, turn=-1), mbs.Sprocket("b", 30)]
    numbers: dict[str, Any] = {} if stiffness is None else {"stiffness": stiffness, "damping": 1e4}
    chain = mbs.chain(m, "chain", over, pitch=PITCH, **numbers)
    m.motor("engine", on="a", torque=5.0)
    m.motor("load", on="b", torque=-4.0)
    m.motor("brake", on="idler", torque=0.5)
    m.output("T", list(chain.tensions))
    result = mbs.simulate(m, 0.5, method="rodas5p", rtol=1e-8, output_interval=0.5)
    tooth = 2 * math.pi / 12
    assert abs(result["idler.phi"][-1] + 20 / 12 * result["a.phi"][-1]) < tooth
    assert abs(result["b.phi"][-1] - 20 / 30 * result["a.phi"][-1]) < tooth
    assert result["a.phi"][-1] > 1.0
    tensions = [result[f"T[{k}]"][-1] for k in (1, 2, 3)]
    assert min(tensions) == 0.0 and max(tensions) > 20.0
