"""Loops with bodies of hardly any mass beside their inertia: valid pivots are distinguished from vanishing ones."""

from __future__ import annotations

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.model.closures import Pair
from mbs_fmu.model.model import Model
from support.cases import tiers

pytestmark = pytest.mark.usefixtures("plain_by_default")


def four_bar(pin: Pair, thin: str, mass: float, inertia: float) -> Model:
    """Return a four-bar with one bar of this mass, at its joint, and this inertia, in one plane: some rows are
    redundant.
    """
    m = Model("four_bar")
    for name, parent, at, length in (("crank", "world", 0, 1), ("coupler", "crank", 1, 2), ("rocker", "world", 2, 1.5)):
        of_bar = {"mass": 1.0, "com": (length / 2, 0, 0), "inertia": (0.01, 0.1, 0.1)}
        inertial = {"mass": mass, "inertia": (inertia,) * 3} if name == thin else of_bar
        m.body(name, parent, mbs.Revolute("y"), at=(at, 0, 0), **inertial)  # type: ignore[arg-type]
    m.close("pin", "coupler", "rocker", pin, at_a=(2, 0, 0), at_b=(1.5, 0, 0))
    m.start("crank", q=-1.0, u=0.5)
    for name, guess in (("coupler", 0.5), ("rocker", -1.2)):
        m.start(name, q=guess, guess=True)
    return m


PINS: dict[str, Pair] = {"hinge": mbs.Revolute("y"), "ball": mbs.Spherical(), "line": mbs.OnLine("y")}
THIN = {f"{pin}, {bar}": (pin, bar) for bar in ("coupler", "rocker") for pin in PINS}


@pytest.mark.parametrize("mass", [1e-9, pytest.param(1e-15, marks=pytest.mark.slow)])
@pytest.mark.parametrize("case", tiers(THIN, usual=1))
def test_a_vanishing_mass_equals_no_mass(case: tuple[str, str], mass: float) -> None:
    """Beside an inertia that turns, the run is that without the mass, and two rows of three or five are independent."""
    thin, none = (
        mbs.simulate(four_bar(PINS[case[0]], case[1], m, 60.0), 0.1, method="rk4", step=0.01) for m in (mass, 0)
    )
    assert thin.statistics["rank"] == none.statistics["rank"] == 2
    for name in (
        "crank.phi",
        "rocker.w",
    ):  # the mass adds 1e-9 m l² / 60 of the inertia, and pivots lose 1e-11 of digits
        assert np.abs(thin[name] - none[name]).max() < 1e-9


@pytest.mark.parametrize("mass", tiers([1e-12, 1e-9], usual=1))
def test_a_rod_with_a_flywheel_of_hardly_any_mass_swings_as_in_closed_form(mass: float) -> None:
    """The flywheel swings with 2 kg on a rod; w² is that of the closed form."""
    m = Model("flywheel")
    m.body("wheel", joint=mbs.Revolute("y"), mass=mass, inertia=(60.0, 60.0, 60.0))
    m.body("bob", joint=mbs.Revolute("y"), mass=2.0, com=(0, 0, -1), inertia=(0.1, 0.1, 0.1), at=(2, 0, 0))
    m.close("rod", "wheel", "bob", mbs.Distance(2.0), at_a=(0, 0, -1), at_b=(0, 0, -1))
    m.start("bob", q=0.3)
    m.start("wheel", q=0.3, guess=True)
    result = mbs.simulate(m, 0.2, method="rk4", step=0.02)
    assert result.statistics["rank"] == 1 and result.statistics["residual"] < 1e-10
    # 62.1 kg m² about the bearings under 2 kg, and a residual of 1e-12 in a fall of 2e-3 m
    fall = np.cos(result["bob.phi"][-1]) - np.cos(0.3)
    assert result["bob.w"][-1] == pytest.approx(-np.sqrt(2 * 2.0 * 9.81 * fall / 62.1), rel=1e-8)
