"""Light links in closed loops: steps with error control keep the rows that such links make weak."""

from __future__ import annotations

import numpy as np
import pytest

import mbs_fmu as mbs
from support.cases import tiers
from support.comparisons import assert_close

CRANK, ROD, SPEED, PISTON = 0.05, 0.15, 300.0, 0.6  #: m, m, rad/s, kg


def slider_crank(rod: float, driven: bool) -> mbs.Model:
    """Return a slider-crank with a rod of a mass (kg) that lies at the crank pin; its crank is driven or coasts."""
    m = mbs.Model("slider_crank", gravity=(0, 0, 0))
    m.body("crank", joint=mbs.Revolute("y"), mass=1.0, inertia=(1e-3,) * 3)
    m.body("rod", "crank", mbs.Revolute("y"), mass=rod, inertia=(1e-3 * rod,) * 3, at=(CRANK, 0, 0))
    m.body("piston", joint=mbs.Prismatic("x"), mass=PISTON)
    m.close("pin", "rod", "piston", mbs.Revolute("y"), at_a=(ROD, 0, 0))
    m.start("piston", q=CRANK + ROD, guess=True)
    if driven:
        m.drive("spin", on="crank", position=SPEED * mbs.time)
    else:
        m.start("crank", u=SPEED)
    m.output("angle", mbs.coordinate("crank"))
    m.output("place", mbs.coordinate("piston"))
    m.output("energy", mbs.energy())
    return m


@pytest.mark.parametrize("method", tiers(["dopri5", "rodas5p", "dop853"], usual=1))
@pytest.mark.parametrize("rod", [1e-1, 1e-3, 1e-4])
@pytest.mark.parametrize("driven", tiers([True, False], usual=1))
def test_pistons_follow_their_cranks(rod: float, driven: bool, method: str) -> None:
    """Rows between steps too are where the geometry puts them, and a coasting crank keeps the energy."""
    result = mbs.simulate(slider_crank(rod, driven), 0.02, method=method)
    angle = result["angle"]
    place = CRANK * np.cos(angle) + np.sqrt(ROD**2 - (CRANK * np.sin(angle)) ** 2)
    bound = 20.0 * 1e-6 * ROD  # the default tolerance, some twenty steps a turn
    assert_close(result["place"], place, bound, f"place of the piston, rod {rod:g} kg", times=result.time)
    if not driven:
        energy = result["energy"]
        assert_close(
            energy, np.full_like(energy, energy[0]), 1e-4 * energy[0], f"energy, rod {rod:g} kg", times=result.time
        )
