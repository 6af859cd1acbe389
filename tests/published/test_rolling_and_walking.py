"""Rolling and walking: the critical speed of a coin, a rattleback, a passive walker."""

from __future__ import annotations

import math

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.model.model import Model
from support.comparisons import assert_close

pytestmark = [pytest.mark.quick, pytest.mark.usefixtures("in_plain_python")]

G = 9.81  # m/s²


# -- a coin ---------------------------------------------------------------------------------------------------------
RADIUS = 0.3  # m


def coin(axial: float, speed: float, joint: mbs.Joint) -> Model:
    """An upright coin that rolls along x; axial: its moment of inertia about its axis over m r²."""
    m = Model("coin", gravity=(0, 0, -G))
    about = 2.0 * RADIUS**2 * axial
    wheel = m.body("coin", joint=joint, mass=2.0, inertia=(about / 2, about, about / 2))
    m.roll("table", wheel, radius=RADIUS)
    m.start(wheel, q=(0, 0, RADIUS, 1, 0, 0, 0) if isinstance(joint, mbs.Free) else (0, 0, RADIUS, 0, 0, 0))
    m.start(wheel, u=(speed, 0, 0, 0, *((speed / RADIUS, 0) if isinstance(joint, mbs.Free) else (0, speed / RADIUS))))
    return m


@pytest.mark.usual
@pytest.mark.parametrize(("axial", "share"), [(0.5, 1 / 3), (1.0, 1 / 4)], ids=["disc", "hoop"])
def test_a_coin_stays_up_beyond_its_critical_speed(axial: float, share: float) -> None:
    """v² > g r/3 of a disc, g r/4 of a hoop (J.I. Neimark, N.A. Fufaev, Dynamics of Nonholonomic Systems, 1972)."""
    spin_last = mbs.Compound(
        mbs.slide("x"), mbs.slide("y"), mbs.slide("z"), mbs.turn("z"), mbs.turn("x"), mbs.turn("y")
    )
    critical = math.sqrt(share * G * RADIUS)
    for factor, is_stable in ((0.999, False), (1.001, True)):
        lin = mbs.linearize(coin(axial, factor * critical, spin_last))
        assert lin.residual < 1e-12 and lin.frozen == []
        assert (lin.modes().values.real.max() < 1e-6) == is_stable


def test_axes_of_a_body_that_turns_are_named_as_frozen() -> None:
    """The coin on a quaternion has steady velocities, but its small rotations refer to rolling axes, as notes say."""
    axes = "axes of turning bodies, which the names turn and shift refer to, keep their directions: coin"
    changing = "the motion changes A, valid at this instant only: coin.turn[5]"
    assert mbs.linearize(coin(0.5, 1.0, mbs.Free())).frozen == [changing, axes]
    assert mbs.linearize(coin(0.5, 0.0, mbs.Free())).frozen == []


# -- a rattleback ---------------------------------------------------------------------------------------------------
AXES = np.array([0.2, 0.03, 0.02])  # m; T.R. Kane, D.A. Levinson, Int. J. Non-Linear Mechanics 17 (1982) 175-186
BELOW, MASS = 0.01, 1.0  # m, of the centre of mass below that of the ellipsoid; kg
INERTIA = np.array([[2e-4, -2e-5, 0], [-2e-5, 1.6e-3, 0], [0, 0, 1.7e-3]])  # kg m²


def rattleback() -> Model:
    """An ellipsoid that rolls on the plane z = 0: its lowest point touches the plane and has no velocity."""
    m = Model("rattleback", gravity=(0, 0, -G))
    stone = m.body("stone", joint=mbs.Free(), mass=MASS, com=(0, 0, -BELOW), inertia=INERTIA)
    up = mbs.relative_position(stone, "world", at_b=(0, 0, 1)) - mbs.relative_position(stone, "world")
    height = mbs.sqrt(sum((a * x) ** 2 for a, x in zip(AXES, up, strict=True)))
    touching = mbs.Vector(-(a**2) * x / height for a, x in zip(AXES, up, strict=True))
    m.constrain("touch", mbs.position(stone)[2] - height)
    m.constrain("grip", list(mbs.velocity(stone, touching)[:2]))
    return m


def spin_rates(R: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Angular accelerations by Newton and Euler about the centre of mass, in body axes; R: body to world."""
    up = R[2]
    up_dot = -np.cross(w, up)
    height = math.sqrt(AXES**2 @ up**2)
    height_dot = AXES**2 @ (up * up_dot) / height
    arm = -(AXES**2) * up / height + [0, 0, BELOW]
    arm_dot = -(AXES**2) * up_dot / height + AXES**2 * up * height_dot / height**2
    known = -np.cross(w, arm_dot) - np.cross(w, np.cross(w, arm)) + G * up  # force over mass, without w_dot x arm
    about_touching = INERTIA + MASS * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return np.linalg.solve(about_touching, MASS * np.cross(arm, known) - np.cross(w, INERTIA @ w))


@pytest.mark.usual
def test_accelerations_of_a_rattleback() -> None:
    """Loops by a user's expressions, two of them on velocities at a point that moves over the body."""
    R = mbs.axis_angle((1, 0.4, -0.3), 0.2)
    q = np.array([math.cos(0.1), *(math.sin(0.1) * np.array([1, 0.4, -0.3]) / math.sqrt(1.25))])
    w = np.array([0.3, -0.7, -5.0])
    up = R[2]
    height = math.sqrt(AXES**2 @ up**2)
    v = -np.cross(w, -(AXES**2) * up / height)
    start = dict(zip([f"stone.q[{k}]" for k in range(3, 8)], [height, *q], strict=True))
    start |= {f"stone.u[{k + 1}]": x for k, x in enumerate([*v, *w])}
    m = rattleback()
    actual = mbs.forward_dynamics(m, start)
    expected = spin_rates(R, w)
    computed = [actual[f"stone.u[{k}]"] for k in (4, 5, 6)]
    assert_close(np.array(computed), expected, 1e-9 * abs(expected).max(), "angular acceleration of the stone", "xyz")


# -- a walker -------------------------------------------------------------------------------------------------------
HIP, LEG, A, B, SLOPE = 10.0, 5.0, 0.5, 0.5, math.radians(3.0)  # kg, m, rad
LENGTH = A + B
GAIT = (0.21866880, -0.32338856, -1.09238359, -0.37737395)  # stance, swing: rad from the vertical; their rates, 1/s


def walker() -> Model:
    """Point masses at the hip and on both legs; x down the slope. A foot that lands engages, and the other one
    releases.
    """
    m = Model("walker", gravity=(G * math.sin(SLOPE), 0, -G * math.cos(SLOPE)))
    hip = m.body("hip", joint=mbs.Compound(mbs.slide("x"), mbs.slide("z")), mass=HIP)
    legs = [m.body(name, hip, mbs.Revolute("-y"), mass=LEG, com=(0, 0, -B)) for name in ("one", "two")]
    feet = [mbs.position(leg, (0, 0, -LENGTH)) for leg in legs]
    lands = [
        mbs.min(1e-10 - foot[2], foot[0] - other[0] - 0.1) >= 0  # ahead of the other: it may scuff in passing
        for foot, other in (feet, feet[::-1])
    ]
    for k, foot in enumerate(feet):
        m.constrain(f"foot{k}", [foot[0], foot[2]], when=lands[k], until=lands[1 - k])
    stance, swing, w, w_swing = GAIT
    along = np.array([math.sin(stance + SLOPE), -math.cos(stance + SLOPE)])
    m.start(hip, q=-LENGTH * along, u=LENGTH * w * np.array([along[1], -along[0]]))
    m.start(legs[0], q=stance + SLOPE, u=w)
    m.start(legs[1], q=swing + SLOPE, u=w_swing)
    return m


def after_impact(stance: float, swing: float, w: float, w_swing: float) -> np.ndarray:
    """Rates of swing and stance leg after the landing of the swing foot; the paper's Q+ and Q-."""
    apart = math.cos(stance - swing)
    after = np.array(
        [
            [LEG * B * (B - LENGTH * apart), LEG * LENGTH * (LENGTH - B * apart) + LEG * A**2 + HIP * LENGTH**2],
            [LEG * B**2, -LEG * B * LENGTH * apart],
        ]
    )
    before = np.array(
        [[-LEG * A * B, -LEG * A * B + (HIP * LENGTH**2 + 2 * LEG * A * LENGTH) * apart], [0, -LEG * A * B]]
    )
    return np.linalg.solve(after, before @ [w_swing, w])


@pytest.mark.usual
def test_a_walker_repeats_its_step() -> None:
    """The limit cycle and impact of A. Goswami, B. Thuilot, B. Espiau, Int. J. Robotics Research 17 (1998) 1282-1301.

    The gait is the fixed point of the paper's equations, to eight digits. Row 4 is 0.1 µs before the impact.
    """
    names = ["one.phi", "two.phi", "one.w", "two.w"]
    result = mbs.simulate(walker(), 5 * 0.7343463 / 4, rtol=1e-9, output_interval=0.7343463 / 4)
    rows = np.array([result[name] for name in names]).T
    assert list(result.switches["name"]) == ["foot0", "foot1"]
    assert result.switches["time"] == pytest.approx(0.73434639, abs=1e-7)
    swing_after, stance_after = after_impact(*rows[4])
    assert [stance_after, swing_after] == pytest.approx(GAIT[2:], abs=1e-5)
    assert rows[5][[1, 0, 3, 2]] == pytest.approx(rows[1], abs=1e-5)
