"""Turn slip: values of the tyre in appendix 3 of Pacejka (2012), and laws that hold for any tyre."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.model.tyres.coefficients import Coefficients
from mbs_fmu.model.tyres.formula import Slip
from mbs_fmu.model.tyres.magic_formula import At
from mbs_fmu.symbolic.expressions import ZERO, as_expression
from mbs_fmu.symbolic.graph import evaluate
from support.models.tyres import TURNING_TYRE, car_tyre

pytestmark = pytest.mark.quick

TYRE = mbs.Tyre(TURNING_TYRE)
R0 = TURNING_TYRE["UNLOADED_RADIUS"]
NAMES = ("longitudinal", "stiffness", "trail", "width")


@pytest.mark.parametrize(
    ("turn", "zetas", "moment", "shape"),
    [
        (0.1, (0.999201, 0.999950, 0.707107, 0.999950), -35.350265, 0.974734),
        (1.0, (0.928477, 0.707107, 0.099504, 0.995037), -187.659794, 0.952530),
    ],
)
def test_factors_equal_those_of_the_book(turn: float, zetas: tuple[float, ...], moment: float, shape: float) -> None:
    """zeta_1, zeta_3, zeta_5, zeta_6, D_r phi (N.m) and zeta_7 at 4 kN, for R0 times the spin."""
    at = At(Coefficients(TURNING_TYRE, 61), Slip(as_expression(4e3), ZERO, ZERO, spin=as_expression(turn / R0)))
    found = [evaluate(getattr(at.turn, name), {}) for name in NAMES]
    assert found == pytest.approx(zetas, abs=6e-7)
    numbers = [evaluate(x, {}) for x in at.turn.moment(at.lateral().friction, as_expression(1.0))]
    assert numbers == pytest.approx([moment, shape], abs=6e-7)


@pytest.mark.parametrize(("load", "moment"), [(2e3, 80.7582), (4e3, 220.3278), (6e3, 389.9043)])
def test_moment_of_turning_on_the_spot(load: float, moment: float) -> None:
    """It approaches M_phi infinity, (4.95), N.m."""
    assert TYRE.forces(load, spin=1e9).mz == pytest.approx(-moment, abs=6e-5)


@pytest.mark.parametrize("version", [5, 61])
def test_no_spin_gives_the_forces_without_turn_slip(version: int) -> None:
    """All factors are one without spin and inclination, whatever the slip."""
    tyre = mbs.Tyre(TURNING_TYRE | {"FITTYP": version})
    slips = [(4e3, 0.0, 0.0), (3e3, 0.05, -0.04), (6e3, -0.1, 0.1)]
    for slip in slips:
        straight, turning = tyre.forces(*slip), tyre.forces(*slip, spin=0.0)
        want, found = map(dataclasses.asdict, (straight, turning))
        assert found == pytest.approx(want, rel=1e-12, abs=1e-9)


@pytest.mark.parametrize("version", [5, 61])
def test_inclination_is_spin(version: int) -> None:
    """A small inclination has the side force of the spin (1 - epsilon) sin gamma/R0: both have one stiffness."""
    tyre = mbs.Tyre(TURNING_TYRE | {"FITTYP": version})
    gamma, rest = 1e-4, 1.0 - TURNING_TYRE["PECP1"]
    inclined, turned = tyre.forces(4e3, gamma=gamma), tyre.forces(4e3, spin=rest * np.sin(gamma) / R0)
    assert turned.fy == pytest.approx(inclined.fy, rel=1e-3)
    assert turned.mz == pytest.approx(inclined.mz, rel=2e-2)


def test_spin_is_mirrored() -> None:
    """On the other side of the vehicle an opposite spin has opposite side forces and moments (T14)."""
    tyre = car_tyre(**{k: v for k, v in TURNING_TYRE.items() if k[:3] in ("PDX", "PHY") and k[3] == "P"})
    left, right = (
        tyre.forces(4e3, 0.02, 0.05, 0.01, spin=0.7),
        tyre.on("right").forces(4e3, 0.02, -0.05, -0.01, spin=-0.7),
    )
    assert (right.fx, right.my) == pytest.approx((left.fx, left.my), rel=1e-12)
    assert (right.fy, right.mx, right.mz) == pytest.approx((-left.fy, -left.mx, -left.mz), rel=1e-12)


def test_tyres_without_turn_slip_refuse_a_spin() -> None:
    """The message says what is missing."""
    brush = mbs.Tyre.brush(radius=0.3, stiffness=2e5, load=4e3, slip_stiffness=8e4, friction=0.9)
    with pytest.raises(mbs.ModelError, match="this tyre has no turn slip: give one of the Magic Formula"):
        brush.forces(4e3, spin=0.1)
    with pytest.raises(mbs.ModelError, match="turn slip needs QDZ8"):
        mbs.Tyre({k: v for k, v in TURNING_TYRE.items() if k != "QDZ8"}).forces(4e3, spin=0.1)
