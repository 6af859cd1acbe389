"""Elastic bodies that start in static equilibrium: they stay there at rest, and above the buckling load none exists."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.compile.build import compile_model
from mbs_fmu.fmi.description.dependencies import Dependencies
from mbs_fmu.fmi.description.variables import variable_table
from mbs_fmu.infrastructure.errors import ArgumentError
from mbs_fmu.model.model import Model
from support.comparisons import assert_close
from support.generators.loops import PlainLoops

pytestmark = pytest.mark.quick

ROD = mbs.beam(1.0, mbs.Rectangle(0.02, 0.01), 2.1e11, 7800.0, 2, elements=6, along="z", damping=0.0)
SKEW = [[np.cos(0.3), 0, np.sin(0.3)], [0, 1, 0], [-np.sin(0.3), 0, np.cos(0.3)]]


def clamped() -> Model:
    """Return a clamped beam with a load beside its tip."""
    m = Model("clamped")
    mast = m.body("mast", joint=mbs.Weld(), elastic=ROD)
    m.body("load", mast.node("tip"), mass=0.5, com=(0.1, 0.1, 0), inertia=(0.01, 0.01, 0.01))
    return m


def spinning() -> Model:
    """Return a beam on a driven hub at a skew angle, at some 20 turns per second: it is pulled outwards and into its
    plane.
    """
    m = Model("spinning", gravity=(0, 0, 0))
    hub = m.body("hub", joint=mbs.Revolute("z"), mass=1.0, inertia=(1, 1, 1))
    m.drive("motor", hub, 120.0 * mbs.time)
    mast = m.body("mast", hub, mbs.Weld(), at=mbs.Pose((0.1, 0.05, 0), SKEW), elastic=ROD)
    m.body("load", mast.node("tip"), mass=0.1, com=(0, 0, 0.05))
    return m


@pytest.mark.usual
@pytest.mark.parametrize("make", [clamped, spinning])
def test_a_static_start_is_an_equilibrium(make: Callable[[], Model], in_plain_python: None) -> None:
    """Rates stay below those that 1e-9 of the deformation causes in the time of one radian of the slowest mode."""
    m = make()
    m.start("mast", xi="static")
    result = mbs.simulate(m, 4e-4, method="rk4", step=2e-5, output_interval=2e-5)
    xi, rates = (np.array([result[f"mast.{x}[{k + 1}]"] for k in range(2)]) for x in ("xi", "xi_dot"))
    assert np.abs(xi[:, 0]).max() > 1e-3
    assert_close(xi, xi[:, :1], 1e-9 * np.abs(xi).max(), "modal coordinate")
    assert_close(rates, 0.0, 1e-9 * np.abs(xi).max() * 2 * np.pi * ROD.held("root")[0], "rate")


@pytest.mark.usual
def test_static_starts_in_motion_keep_momenta_of_modes() -> None:
    """If joints move and modes have rates, momenta along modes do not change; all other start values are unchanged."""
    m = clamped()
    arm = m.body("arm", joint=mbs.Revolute("y"), elastic=ROD)
    m.body("hook", arm.node("tip"), mbs.Spherical(), mass=0.5, com=(0, 0, -0.1), inertia=(0.01, 0.01, 0.01))
    start = {"q": 0.4, "u": 9.0, "xi_dot": (0.1, -0.2)}
    m.start(arm, xi="static", **start)
    m.start("hook", u=(1, 2, 3))
    m.start("mast", xi=(0.01, 0.02))
    plain = PlainLoops(m, "cholesky")
    slots, R = plain.program.by_name, plain.R
    names = [v.name for v in plain.program.of_role("momentum")]
    rates = dict(zip(names, plain.rates()[-len(names) :], strict=True))
    stiffness = np.diag(ROD.normal().stiffness)
    for k in range(2):
        pull = stiffness[k] * R[slots[f"arm.xi[{k + 1}]"].slot]
        assert_close(
            rates[f"arm.p_xi[{k + 1}]"], 0.0, 1e-9 * max(abs(pull), 1.0), f"rate of momentum {k + 1} of the arm"
        )
        assert R[slots[f"arm.xi_dot[{k + 1}]"].slot] == pytest.approx((0.1, -0.2)[k], abs=1e-12)
    assert R[slots["arm.w"].slot] == pytest.approx(9.0, rel=1e-12)
    assert [R[slots[f"mast.xi[{k + 1}]"].slot] for k in range(2)] == [0.01, 0.02]


def column(load: float) -> Model:
    """Return a mast with a weight slightly beside its axis, in multiples of Euler's load."""
    m = Model("column", gravity=(0, 0, 0))
    mast = m.body("mast", joint=mbs.Weld(), elastic=ROD)
    euler = np.pi**2 * 2.1e11 * (0.02 * 0.01**3 / 12) / 4
    m.force("weight", on=mast.node("tip"), force=(-load * euler, 0, 1.0))
    m.start(mast, xi="static")
    return m


def tip(m: Model) -> float:
    """Return the deflection of the mast's tip at the start, m."""
    plain = PlainLoops(m, "cholesky")
    xi = [plain.R[plain.program.by_name[f"mast.xi[{k + 1}]"].slot] for k in range(2)]
    normal = ROD.normal()
    return float(normal.node("tip").seen_from(normal.node("root")).Y1[2] @ xi)


@pytest.mark.usual
def test_static_starts_exist_below_the_buckling_load_only(in_plain_python: None) -> None:
    """Just below the load the deflection is as 1 / (1 - load), just above it the start is refused, both to the accuracy
    of two shapes.
    """
    straight, low, high = (tip(column(load)) for load in (0.0, 0.3, 0.6))
    assert low / straight == pytest.approx(1 / (1 - 0.3), rel=0.02)
    assert high / straight == pytest.approx(1 / (1 - 0.6), rel=0.02)
    with pytest.raises(mbs.ModelError, match=r"body 'mast'.* is bent beyond small deformations at t = 0 s"):
        mbs.simulate(column(1.02), 1e-6, method="rk4", step=1e-6)


def test_a_static_start_with_too_large_deformations_is_refused(in_plain_python: None) -> None:
    """Deformations by numbers are refused too; the message has the body's name."""
    m = clamped()
    m.start("mast", xi=(20.0,))
    with pytest.raises(mbs.ModelError, match=r"body 'mast'.* is bent beyond small deformations at t = 0 s"):
        mbs.simulate(m, 1e-6, method="rk4", step=1e-6)


def test_static_starts_and_numbers_replace_each_other() -> None:
    """Values by name and closed loops are refused beside a static start."""
    m = clamped()
    m.start("mast", xi=(0.1, 0.2))
    m.start("mast", xi="static")
    assert m.starts["mast"].xi == (0.0,) * 2
    with pytest.raises(ArgumentError, match=re.escape("start value 'mast.xi[1]' would be ignored, the body starts in")):
        mbs.simulate(m, 1e-6, method="rk4", step=1e-6, start={"mast.xi[1]": 0.1})
    m.close("rod", "world", "mast.tip", mbs.Distance(2.0), at_a=(1, 0, 2))
    with pytest.raises(
        mbs.ModelError, match="""body 'mast': xi="static" is for trees, but model 'clamped' has closed"""
    ):
        compile_model(m)
    m.start("mast", xi=(0.1, 0.2))
    assert not m.static_starts
    compile_model(m)


def test_fmus_calculate_static_starts() -> None:
    """Modes depend on all known values and cannot be set; all other variables and the value
    references are unchanged.
    """
    default_starts, static_starts = clamped(), clamped()
    static_starts.start("mast", xi="static")
    before, after = (variable_table(compile_model(m)) for m in (default_starts, static_starts))
    assert [(row.name, row.reference) for row in before] == [(row.name, row.reference) for row in after]
    variable = {row.name: row for row in after}["mast.xi[1]"]
    assert (variable.initial, variable.start, variable.settable, variable.causality) == (
        "calculated",
        None,
        "never",
        "local",
    )
    dependencies = Dependencies(after, exchange=True, parameters=True)
    known = [x.dependencies for x in dependencies.initial() if x.row.name == "mast.xi[2]"]
    assert known == [dependencies.all_initial] and variable not in dependencies.all_initial
    assert not any(x.row.role == "coordinate" for x in Dependencies(before, exchange=True, parameters=True).initial())
