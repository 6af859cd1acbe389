"""Stiffness of MuJoCo's contacts (C14): closed forms in 20 digits, MuJoCo itself, and motions about rest."""

from __future__ import annotations

import math
from typing import Any

import mpmath as mp
import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.model.forces.impedance import Impeded, rest_depth, rest_stiffness
from mbs_fmu.model.forces.normal_laws import Normal
from mbs_fmu.symbolic.expressions import ZERO, as_expression
from support.cases import some_quick

pytestmark = pytest.mark.quick
G = 9.81
SOLIMP = {
    "default": (0.9, 0.95, 0.001, 0.5, 2.0), "hard": (0.9, 1.0, 0.001, 0.5, 2.0), "soft": (0.0, 0.95, 0.01, 0.5, 2.0),
    "cubic": (0.8, 0.9, 0.01, 0.3, 3.0), "linear": (0.5, 0.9, 0.02, 0.5, 1.0), "odd": (0.015, 0.99, 0.031, 0.7, 1.6),
    "late": (0.2, 0.9999, 0.1, 0.95, 6.0), "falling": (0.95, 0.5, 0.01, 0.3, 2.0), "flat": (0.9, 0.9, 0.01, 0.5, 2.0),
    "no width": (0.9, 0.95, 0.0, 0.5, 2.0),
}  # fmt: skip
SHARES = (1e-4, 0.1, 0.29, 0.31, 0.6, 0.9, 0.999, 1.001, 3.0)  #: depths over the width


def law(solimp: tuple[float, ...], **more: Any) -> Normal:
    return mbs.Impedance(inverse_mass=0.7, solimp=solimp, **more).normal(ZERO)  # type: ignore[arg-type]


def number(x: Any) -> float:
    return float(x.value)


def exact(solimp: tuple[float, ...], depth: float) -> mp.mpf:
    """Return δ d²/(1 - d) by the formula of MuJoCo's documentation, in 20 digits."""
    low, high, middle = (mp.mpf(min(max(solimp[k], 1e-4), 0.9999)) for k in (0, 1, 3))
    width, power = mp.mpf(solimp[2]), mp.mpf(solimp[4])
    if width == 0:
        d = (low + high) / 2
    else:
        x = mp.mpf(depth) / width
        if x >= 1:
            y = mp.mpf(1)
        elif x <= middle:
            y = x**power / middle ** (power - 1)
        else:
            y = 1 - (1 - x) ** power / (1 - middle) ** (power - 1)
        d = low + y * (high - low)
    return mp.mpf(depth) * d * d / (1 - d)


@pytest.mark.parametrize("name", some_quick(list(SOLIMP), 2, usual=4))
def test_force_energy_and_slope_equal_their_definitions(name: str) -> None:
    """Relative errors: of the force eps over 1 - d, which is 1e-4 at least; of the energy, a thousand times that of its
    rule, since it is a difference from the energy at the width; of the slope as of the force."""
    solimp = SOLIMP[name]
    of, scale = law(solimp), 1.0 / (min(solimp[1], 0.9999) * 0.02) ** 2 / 0.7
    width = solimp[2] or 1e-3
    joints = [share * width for share in (solimp[3], 1.0)]
    with mp.workdps(20):
        for share in SHARES:
            depth = share * width
            near = [w - w * mp.mpf(4) ** -k for w in (depth, width) for k in range(1, 9)]  # it may rise just before
            between = sorted({mp.mpf(0), mp.mpf(depth), *(mp.mpf(x) for x in (*joints, *near) if x < depth)})
            force, energy, slope = (number(f(as_expression(depth))) for f in (of.elastic, of.stored, of.slope))
            wanted = scale * exact(solimp, depth)
            assert abs(force / wanted - 1) < 2e-12, f"force at {share}"
            stored = scale * mp.quad(lambda x: exact(solimp, x), between)
            assert abs(energy / stored - 1) < 1e-10, f"energy at {share}"
            change = mp.diff(lambda x: exact(solimp, x), depth, h=mp.mpf(depth) * mp.mpf(10) ** -9)
            assert abs(slope / (scale * change) - 1) < 1e-9, f"slope at {share}"


@pytest.mark.parametrize("name", some_quick(list(SOLIMP), 2, usual=4))
def test_depths_invert_force_and_energy(name: str) -> None:
    """Of loads from grams to tonnes; the depth of an energy is that of a table with an error of 0.1 %."""
    solimp = SOLIMP[name]
    of = law(solimp, solref=(-2e3, -50.0))
    assert isinstance(of, Impeded)
    for load in (0.01, 1.0, 50.0, 1e4):
        depth = of.depth_under(load, number)
        assert number(of.elastic(as_expression(depth))) == pytest.approx(load, rel=1e-12)
        if name != "falling":
            assert of.depth_with(number(of.stored(as_expression(depth))), number) == pytest.approx(depth, rel=2e-3)


MUJOCO: dict[str, tuple[str, tuple[float, ...], tuple[float, ...]]] = {
    "ball": ("sphere", (0.02, 1.0), SOLIMP["default"]),
    "box": ("box", (0.02, 1.0), SOLIMP["default"]),
    "direct": ("sphere", (-900.0, -40.0), SOLIMP["default"]),
    "slow": ("box", (0.05, 0.7), SOLIMP["cubic"]),
    "linear": ("sphere", (0.03, 1.2), SOLIMP["linear"]),
    "odd": ("sphere", (0.02, 1.0), SOLIMP["odd"]),
    "soft": ("sphere", (-300.0, -40.0), SOLIMP["soft"]),
    "hard": ("sphere", (0.02, 1.0), SOLIMP["hard"]),
    "falling": ("sphere", (0.02, 1.0), SOLIMP["falling"]),
    "no width": ("sphere", (0.02, 1.0), SOLIMP["no width"]),
}


@pytest.mark.parametrize("case", some_quick(list(MUJOCO), 3))
@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
def test_bodies_rest_as_in_mujoco(case: str, cone: str) -> None:
    """Force over depth of each point, at the depth of MuJoCo's contact, whose rate has vanished."""
    mujoco = pytest.importorskip("mujoco")
    kind, solref, solimp = MUJOCO[case]
    numbers = {name: " ".join(map(repr, x)) for name, x in (("solref", solref), ("solimp", solimp))}
    model = mujoco.MjModel.from_xml_string(
        f"""<mujoco><option timestep="0.002" cone="{cone}" tolerance="0" iterations="50"/><default>
        <geom solref="{numbers["solref"]}" solimp="{numbers["solimp"]}"/></default><worldbody>
        <geom type="plane" size="1 1 1"/><body pos="0 0 0.1"><freejoint/>
        <geom type="{kind}" size="0.1 0.1 0.1" mass="2"/></body></worldbody></mujoco>"""
    )
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, 10000)
    mujoco.mj_forward(model, data)
    inverse_mass = float(model.body_invweight0[:2, 0].sum())
    assert data.ncon == {"sphere": 1, "box": 4}[kind]
    wrench = np.zeros(6)
    for k in range(data.ncon):
        mujoco.mj_contactForce(model, data, k, wrench)
        depth = -data.contact[k].dist
        assert rest_depth(solref, solimp, inverse_mass, wrench[0]) == pytest.approx(depth, rel=1e-9)
        assert rest_stiffness(solref, solimp, inverse_mass, wrench[0]) == pytest.approx(wrench[0] / depth, rel=1e-9)


@pytest.mark.usual
@pytest.mark.parametrize(("solref", "load"), [((0.02, 1.0), 2.0), ((0.03, 0.4), 20.0), ((-2e3, -30.0), 9.0)])
def test_law_has_the_damping_ratio_of_mujoco_about_rest(solref: tuple[float, float], load: float) -> None:
    """A ball whose weight is the load: with a constant impedance ω² = K A at rest, and the damping is 2 ζ ω.

    The dissipation is below its limit, which follows from impacts, only for heavy loads.
    """
    mass = load / G
    impedance = mbs.Impedance(inverse_mass=1.0 / mass, solref=solref, solimp=(0.9, 0.9, 0.001, 0.5, 2.0))
    arguments = impedance.law(load)
    m = mbs.Model("ball")
    m.body("ball", joint=mbs.Prismatic("z"), mass=mass)
    m.contact("floor", "world", "ball", shape_b=mbs.Sphere(0.1), friction=0.5, **arguments)
    m.start("ball", q=0.1 - impedance.depth_under(load))
    ratio = solref[1] if solref[0] > 0 else -solref[1] / (2 * math.sqrt(-solref[0]))
    frequency = math.sqrt(impedance.stiffness_at(load) / mass)
    damping = min(2.0 * ratio * frequency, 7.4 * ratio * load / mass)
    A = mbs.linearize(m).A[:2, :2]
    assert np.allclose(A, [[0.0, 1.0], [-(frequency**2), -damping]], rtol=1e-9)
    assert arguments["grip"] == pytest.approx(2.0 / 3.0 * impedance.stiffness_at(load))


MISTAKES: dict[str, tuple[dict[str, Any], str]] = {
    "mass": ({"inverse_mass": 0.0}, "inverse_mass of an impedance is 0.0: it must be positive"),
    "signs": (
        {"solref": (0.02, -1.0)},
        r"solref of an impedance is \(0.02, -1.0\): give a time constant and a damping",
    ),
    "count": ({"solimp": (0.9, 0.95)}, "solimp of an impedance must be 5 numbers"),
    "power": (
        {"solimp": (0.9, 0.95, 0.001, 0.5, 0.5)},
        "solimp of an impedance has the power 0.5: it must be",
    ),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_invalid_impedances_are_refused(case: str) -> None:
    arguments, message = MISTAKES[case]
    with pytest.raises(mbs.ModelError, match=message):
        mbs.Impedance(**{"inverse_mass": 1.0, **arguments})


def test_useless_arguments_beside_an_impedance_are_refused() -> None:
    """An exponent, friction without the stiffness of its bristles, a load that is not positive, expressions."""
    m = mbs.Model("refused")
    m.body("ball", joint=mbs.Free(), mass=1.0, inertia=(1, 1, 1))
    impedance = mbs.Impedance(inverse_mass=1.0)
    for more, message in (
        ({"exponent": 1.5}, "contact 'x' has an impedance, so exponent= has no effect"),
        ({"friction": 0.5}, "the stiffness of mbs.Impedance depends on the load"),
    ):
        with pytest.raises(mbs.ModelError, match=message):
            m.contact("x", "world", "ball", shape_b=mbs.Sphere(0.1), stiffness=impedance, **more)  # type: ignore[arg-type]
    with pytest.raises(mbs.ModelError, match="load of an impedance is 0"):
        impedance.stiffness_at(0.0)
    with pytest.raises(mbs.ModelError, match="inverse_mass of an impedance depends on"):
        mbs.Impedance(inverse_mass=m.parameter("A", 1.0))  # type: ignore[arg-type]
