"""Andrews' squeezer mechanism: seven bodies, three loops, fast and sensitive.

Parameters, start values and the reference at 0.03 s are those of the Test Set for Initial Value Problem Solvers
(problem "Andrews' squeezing mechanism"), 16 digits there.
"""

from __future__ import annotations

import pytest

import mbs_fmu as mbs
from mbs_fmu.model.model import Model
from support.cases import tiers

START = {
    "k1": -0.0617138900142764496, "k2": 0.0, "k3": 0.455279819163070380255912382449,
    "k4": 0.222668390165885884674473185609, "k5": 0.487364979543842550225598953530,
    "k6": -0.222668390165885884674473185609, "k7": 1.23054744454982119249735015568,
}  # fmt: skip
REFERENCE = {
    "k1": 0.1581077119629904e2, "k2": -0.1575637105984298e2, "k3": 0.4082224013073101e-1, "k4": -0.5347301163226948,
    "k5": 0.5244099658805304, "k6": 0.5347301163226948, "k7": 0.1048080741042263e1,
}  # fmt: skip


def squeezer(closure: object) -> Model:
    """The mechanism in the x-y plane; `closure` joins the bodies at the squeezed point."""
    m = mbs.Model("squeezer", gravity=(0, 0, 0))
    hinge = mbs.Revolute("z")

    def body(name: str, parent: str, mass: float, com: tuple[float, float], inertia: float, x: float, y: float) -> None:
        moments = (inertia / 2, inertia / 2, inertia)
        m.body(name, parent, hinge, mass=mass, com=(*com, 0), inertia=moments, at=(x, y, 0))

    body("k1", "world", 0.04325, (92e-5, 0), 2.194e-6, 0, 0)
    body("k2", "k1", 0.00365, (-115e-4, 0), 4.410e-7, 7e-3, 0)
    body("k3", "world", 0.02373, (1874e-5, 1043e-5), 5.255e-6, -0.03635, 0.03273)
    body("k5", "world", 0.07050, (2308e-5, 916e-5), 1.169e-5, -0.06934, -0.00227)
    body("k4", "k5", 0.00706, (0, -(2e-2 - 1421e-5)), 5.667e-7, 4e-2, 0)
    body("k7", "world", 0.05498, (1228e-5, 449e-5), 1.912e-5, -0.06934, -0.00227)
    body("k6", "k7", 0.00706, (2e-2 - 1421e-5, 0), 5.667e-7, 0, -4e-2)
    for other, point in (("k3", (0, -35e-3, 0)), ("k4", (0, -2e-2, 0)), ("k6", (2e-2, 0, 0))):
        m.close(f"point_{other}", "k2", other, closure, at_a=(-28e-3, 0, 0), at_b=point)
    m.motor("drive", on="k1", torque=0.033)
    m.spring("spring", "k3", "world", at_a=(2e-2, -18e-3, 0), at_b=(0.014, 0.072, 0), stiffness=4530, length=7785e-5)
    for name, angle in START.items():
        m.start(name, q=angle, u=0.0)
    return m


@pytest.mark.parametrize("closure", tiers({"lines": mbs.OnLine("z"), "hinges": mbs.Revolute("z")}, usual=1))
def test_squeezer(closure: object) -> None:
    """All angles at 0.03 s, after 2.5 turns of the crank, are within 2e-8 rad, for all closures, redundant ones too."""
    result = mbs.simulate(squeezer(closure), 0.03, rtol=1e-10, atol=1e-12)
    for name, angle in REFERENCE.items():
        assert result[f"{name}.phi"][-1] == pytest.approx(angle, abs=2e-8)
    assert result.statistics["rank"] == 6
    assert len(result.statistics.get("notes", [])) == (0 if isinstance(closure, mbs.OnLine) else 3)
