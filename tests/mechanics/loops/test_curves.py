"""Cams and curves in contact, against minimal coordinates; contact points; invalid curves."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fmpy import read_model_description, simulate_fmu
from scipy.integrate import solve_ivp

import mbs_fmu as mbs
from mbs_fmu.compile.build import compile_model
from mbs_fmu.record.blocks import HeadNumbers
from mbs_fmu.record.codes import Status
from support.cases import tiers
from support.comparisons import assert_close
from support.generators.mechanisms import Plain
from support.oracles.plane_curves import along, normal, periodic, place, touching

pytestmark = pytest.mark.usefixtures("plain_by_default")

TURN = 2.0 * math.pi


# -- a cam with a pointed follower ----------------------------------------------------------------------------
ANGLES = np.linspace(0.0, TURN, 24, endpoint=False)
RADII = 0.04 + 0.012 * np.exp(-4.0 * np.sin((ANGLES - 1.0) / 2) ** 2)
CAM, FOLLOWER = 2e-3, 0.2
STIFFNESS, DAMPING, REST = 400.0, 1.0, 0.02


def cam(curve: mbs.Curve) -> mbs.Model:
    """Return a cam under a follower that slides up and down, braked by a motor."""
    m = mbs.Model("cam", gravity=(0, -9.81, 0))
    wheel = m.body("wheel", joint=mbs.Revolute("z"), mass=0.5, inertia=(1e-3, 1e-3, CAM))
    follower = m.body("follower", joint=mbs.Prismatic("y"), mass=FOLLOWER)
    m.close("contact", wheel, follower, mbs.OnCurve(curve))
    m.motor("motor", on=wheel, torque=0.5 - 0.02 * mbs.rate(wheel))
    m.spring("spring", on=follower, stiffness=STIFFNESS, damping=DAMPING, length=REST)
    m.start(wheel, q=0.1, u=20.0)
    m.start(follower, q=0.04, guess=True)
    m.output("push", mbs.reaction("contact").f)
    return m


def knot_to_knot(rates: Callable[[float, np.ndarray], list[float]], end: float, start: list[float]) -> np.ndarray:
    """Return the solution at `end` by steps that end at angles of the wheel that are multiples of a knot's interval."""
    interval = TURN / len(ANGLES)
    time, x = 0.0, np.array(start)
    while time < end:
        knot = interval * (math.floor(x[0] / interval + 1e-6) + 1)

        def meets(_: float, x: np.ndarray, knot: float = knot) -> float:
            return float(x[0] - knot)

        meets.terminal = True  # type: ignore[attr-defined]
        run = solve_ivp(rates, (time, end), x, "DOP853", rtol=1e-13, atol=1e-13, events=meets)
        time, x = run.t[-1], run.y[:, -1]
    return x


@pytest.mark.slow
def test_a_spline_cam_equals_its_equation_in_one_angle() -> None:
    """At some 20 rad/s the cam turns as (I + m y'²) w_dot + m y' y'' w² = torque + y' F, with the follower's height y.

    The third derivative of a spline jumps at its knots, where a step of high order loses its order. The reference steps
    from knot to knot, and so does the run, whose steps end at events with resets. The error is then that of the method
    at rtol 1e-11 over some 50 steps: 1e-9 holds on every processor.
    """
    radius = periodic(ANGLES, RADII)

    def rates(t: float, x: np.ndarray) -> list[float]:
        y, slope, bend = (radius(math.pi / 2 - x[0], n) * (-1) ** n for n in range(3))
        force = -STIFFNESS * (y - REST) - DAMPING * slope * x[1] - FOLLOWER * 9.81
        total = 0.5 - 0.02 * x[1] + slope * force - FOLLOWER * slope * bend * x[1] ** 2
        return [x[1], total / (CAM + FOLLOWER * slope**2)]

    exact = knot_to_knot(rates, 0.3, [0.1, 20.0])
    model = cam(mbs.Polar(ANGLES, RADII))
    knots = model.state("knots", 0.0)
    model.event("knot", mbs.sin(12 * mbs.coordinate("wheel")), reset={"knots": knots + 1})
    result = mbs.simulate(model, 0.3, method="dop853", rtol=1e-11, atol=1e-12, output_interval=0.01)
    assert exact[0] > TURN
    assert result["knots"][-1] == math.floor(exact[0] * 12 / math.pi)
    assert_close(result["wheel.phi"][-1], exact[0], 1e-9, "angle of the wheel at the end")
    assert_close(result["wheel.w"][-1], exact[1], 1e-8, "angular velocity of the wheel at the end")
    assert_close(result["follower.s"][-1], radius(math.pi / 2 - exact[0], 0), 1e-10, "lift of the follower at the end")
    across = result["push"][:, 0] / result["push"][:, 1]  # no friction: the force is normal to the curve
    y, slope = (np.array([radius(math.pi / 2 - phi, n) for phi in result["wheel.phi"]]) for n in range(2))
    assert_close(across, slope / y, 1e-9, "slope")


@pytest.mark.slow
def test_equal_curves_by_different_classes_give_equal_motions() -> None:
    """An eccentric circle and a spline through its points agree to the error of the spline."""
    angles = np.linspace(0.0, TURN, 60, endpoint=False)
    points = np.column_stack([0.04 * np.cos(angles), 0.03 * np.sin(angles)])
    radii, seen = np.hypot(*points.T), np.arctan2(points[:, 1], points[:, 0])
    order = np.argsort(seen)
    curves = [mbs.Ellipse(0.04, 0.03), mbs.Polar(seen[order], radii[order]), mbs.Spline(points)]
    runs = [mbs.simulate(cam(curve), 0.1, rtol=1e-8) for curve in curves]
    for run in runs[1:]:
        assert_close(run["wheel.phi"][-1], runs[0]["wheel.phi"][-1], 1e-5, "angle of the wheel at the end")


# -- curves that touch ----------------------------------------------------------------------------------------
ONE, TWO = mbs.Ellipse(0.06, 0.04), mbs.Ellipse(0.09, 0.03)
AT_ONE, AT_TWO, PIVOT = 0.01, 0.12, -0.12 + 0.11j
INERTIAS, MASS, CENTRE = (4e-3, 3e-3), 0.8, 0.1


def ellipses() -> mbs.Model:
    """Return a motor that turns an eccentric ellipse, which moves a second one on a rocker."""
    m = mbs.Model("ellipses", gravity=(0, -9.81, 0))
    a = m.body("a", joint=mbs.Revolute("z"), mass=1.0, inertia=(2e-3, 2e-3, INERTIAS[0]))
    b = m.body(
        "b", joint=mbs.Revolute("z"), mass=MASS, com=(CENTRE, 0, 0), inertia=(2e-3, 2e-3, INERTIAS[1]),
        at=(PIVOT.real, PIVOT.imag, 0),
    )  # fmt: skip
    m.close("contact", a, b, mbs.CurveOnCurve(ONE, TWO), at_a=(AT_ONE, 0, 0), at_b=(AT_TWO, 0, 0))
    m.motor("motor", on=a, torque=0.8 - 0.01 * mbs.rate(a))
    m.start(a, q=0.3, u=2.0)
    m.start(b, q=-0.1, guess=True)
    m.output("force", mbs.multiplier("contact"))
    m.output("energy", mbs.energy())
    return m


class Reduced:
    """The angle of b and both contact parameters as functions of the angle of a; complex steps give the rate of b."""

    def __init__(self, psi: float, z: np.ndarray):
        self.last = np.array([psi, *z], dtype=complex)

    def missed(self, phi: complex, x: np.ndarray) -> np.ndarray:
        """Return the residuals of both tangencies and of the gap, as analytic functions."""
        one, two = ([c * np.cos(z), s * np.sin(z)] for (c, s), z in zip([(0.06, 0.04), (0.09, 0.03)], x[1:]))
        t1, t2 = ([-c * np.sin(z), s * np.cos(z)] for (c, s), z in zip([(0.06, 0.04), (0.09, 0.03)], x[1:]))
        c, s = np.cos(x[0] - phi), np.sin(x[0] - phi)
        px, py = two[0] + AT_TWO, two[1]
        ox, oy = (
            PIVOT.real * np.cos(phi) + PIVOT.imag * np.sin(phi),
            PIVOT.imag * np.cos(phi) - PIVOT.real * np.sin(phi),
        )
        gap = ox + c * px - s * py - AT_ONE - one[0], oy + s * px + c * py - one[1]
        tangent = c * t2[0] - s * t2[1], s * t2[0] + c * t2[1]
        return np.array([t1[0] * tangent[1] - t1[1] * tangent[0], *gap])

    def __call__(self, phi: complex) -> np.ndarray:
        x = self.last.copy()
        for _ in range(12):
            slopes = [(self.missed(phi, x + h) - self.missed(phi, x - h)) / 2e-7 for h in 1e-7 * np.eye(3)]
            x = x - np.linalg.solve(np.transpose(slopes), self.missed(phi, x))
        self.last = x.real.astype(complex)
        return x


@pytest.mark.slow
def test_touching_ellipses_equal_their_equation_in_one_angle() -> None:
    """With T = ½ (I + J k²) w² and k = d psi/d phi the motion agrees to 1e-8 over nearly five radians of acceleration.

    k and its rate are exact: the contact is solved again at a complex angle.
    """
    result = mbs.simulate(ellipses(), 0.25, method="dop853", rtol=1e-11, atol=1e-13)
    start = Reduced(result["b.phi"][0], [result["contact.z1"][0], result["contact.z2"][0]])

    def ratio(phi: float) -> tuple[float, float, float]:
        h = 1e-3
        nearby = [start(phi + 1e-20j + k * h)[0] for k in (-2, -1, 1, 2, 0)]
        k = [x.imag / 1e-20 for x in nearby]
        return nearby[-1].real, k[-1], (k[0] - 8 * k[1] + 8 * k[2] - k[3]) / (12 * h)

    def rates(t: float, x: np.ndarray) -> list[float]:
        psi, k, bend = ratio(x[0])
        J = INERTIAS[1] + MASS * CENTRE**2
        total = 0.8 - 0.01 * x[1] - MASS * 9.81 * CENTRE * math.cos(psi) * k - J * k * bend * x[1] ** 2
        return [x[1], total / (INERTIAS[0] + J * k**2)]

    exact = solve_ivp(rates, (0.0, 0.25), [0.3, 2.0], "DOP853", rtol=1e-11, atol=1e-12).y[:, -1]
    assert exact[0] > 5.0
    assert_close(result["a.phi"][-1], exact[0], 1e-8, "angle of body a at the end")
    assert_close(result["b.phi"][-1], start(exact[0])[0].real, 1e-8, "angle of body b at the end")


@pytest.mark.parametrize("projection", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_contact_parameters_are_those_of_the_contact_points(projection: bool) -> None:
    """They agree with Newton's method in every row to 1e-8, with projection or without; many turns are counted."""
    m = ellipses()
    m.stabilize(projection=projection)
    result = mbs.simulate(m, 0.6, rtol=1e-10, output_interval=0.01)
    one, two = ONE.checked(""), TWO.checked("")
    for phi, psi, *z in zip(*(result[name] for name in ("a.phi", "b.phi", "contact.z1", "contact.z2")), strict=True):
        turn = np.exp(1j * (psi - phi))
        centre = (PIVOT + AT_TWO * np.exp(1j * psi)) * np.exp(-1j * phi) - AT_ONE
        expected = touching(one, two, np.array(z), lambda p, turn=turn, centre=centre: centre + turn * p, turn)
        assert np.abs(expected - z).max() < 1e-8, f"contact parameters at phi = {phi}: {z}, not {expected}"
        assert abs(along(normal(one, z[0]), centre + turn * place(two, z[1]) - place(one, z[0]))) < 1e-9
    assert result["contact.z1"][-1] < -TURN
    assert result.statistics["freedoms"] == 1


@pytest.mark.parametrize(
    "curve", tiers({"ellipse": mbs.Ellipse(0.05, 0.04), "polar": mbs.Polar(ANGLES, RADII)}, usual=1)
)
def test_a_roller_equals_a_circle_in_contact(curve: mbs.Curve) -> None:
    """`OnCurve` with a radius equals `CurveOnCurve` with a circle about the point, for a rotating roller and one at
    rest.
    """
    runs = []
    for pair in (mbs.OnCurve(curve, radius=0.01), mbs.CurveOnCurve(curve, mbs.Circle(0.01))):
        m = cam(curve)
        m.loops.clear()
        m.outputs.clear()
        m.close("roller", "wheel", "follower", pair)
        m.output("force", mbs.multiplier("roller"))
        runs.append(mbs.simulate(m, 0.1, rtol=1e-10))
    for name in ("wheel.phi", "follower.s", "force"):
        assert np.abs(runs[0][name] - runs[1][name]).max() < 1e-7 * np.abs(runs[0][name]).max(), name


def test_inverse_dynamics_solves_for_contact_parameters() -> None:
    """A motion of the model requires no forces besides the model's own."""
    m = ellipses()
    m.output("alpha", [mbs.angular_acceleration(name)[2] for name in "ab"])
    result = mbs.simulate(m, 0.1, rtol=1e-11)
    q, u = ({name: result[f"{name}.{what}"][-1] for name in "ab"} for what in ("phi", "w"))
    u_dot = dict(zip("ab", result["alpha"][-1], strict=True))
    force = mbs.inverse_dynamics(m, q=q, u=u, u_dot=u_dot, actuated=["a"])
    assert_close(force["a"][0], 0.0, 1e-7, "torque on body a by inverse dynamics")


@pytest.mark.slow
def test_batches_and_fmus_solve_for_contact_parameters(tmp_path: Path) -> None:
    """Each member of a batch, and an FMU whose contact parameters are guesses, move as the model does."""
    m = ellipses()
    settings: dict[str, Any] = {"method": "rk4", "step": 1e-3}
    alone = mbs.simulate(m, 0.1, **settings)
    batch = mbs.simulate(m, 0.1, batch=mbs.Batch(start={"a.w": [2.0, 3.0]}), **settings)
    assert np.array_equal(batch["contact.z1"][0], alone["contact.z1"])
    path = mbs.export(m, tmp_path / "ellipses.fmu", reference=False)
    table = {v.name: v for v in read_model_description(str(path)).modelVariables}
    assert table["contact.z1"].initial == "approx"
    computed = simulate_fmu(str(path), stop_time=0.1, output_interval=0.01, output=["contact.z2"])["contact.z2"]
    assert_close(computed[-1], alone["contact.z2"][-1], 1e-6, "contact parameter z2 of the FMU at the end")


@pytest.mark.slow
def test_a_disc_bounces_on_an_ellipse_as_on_a_floor() -> None:
    """The disc falls on the ellipse from above and bounces until it rests."""
    times = []
    for pair in (mbs.CurveOnCurve(ONE, mbs.Circle(0.02)), mbs.OnCurve(ONE, radius=0.02)):
        m = mbs.Model("bounce", gravity=(0, -9.81, 0))
        m.body("disc", joint=mbs.Prismatic("y"), mass=1.0)
        m.contact("touch", "world", "disc", pair, restitution=0.5)
        m.start("disc", q=1.06)
        result = mbs.simulate(m, 1.5)
        times.append(result.switches["time"])
        assert_close(result["disc.s"][-1], 0.06, 1e-9, "height of the disc at the end")
    first = math.sqrt(2 * 1.0 / 9.81)
    assert times[0][:2] == pytest.approx([first, 2 * first], abs=1e-9)
    assert times[1][:2] == pytest.approx([first, 2 * first], abs=1e-9)


# -- flat faces, and contact from inside ------------------------------------------------------------------------
ECCENTRIC, RIM, RING, DISC = 0.01, 0.03, 0.4, 0.1


def test_flat_followers_and_rings_follow_closed_forms() -> None:
    """A flat follower on an eccentric disc rises by e sin(phi).

    A disc that slides in a ring, and a roller in it, swing as a pendulum with the difference of the radii, and conserve
    their energy.
    """
    m = mbs.Model("inside", gravity=(0, -9.81, 0))
    cam = m.body("cam", joint=mbs.Revolute("z"), mass=1.0, inertia=(1e-3, 1e-3, 2e-3))
    face = m.body("face", joint=mbs.Prismatic("y"), mass=0.2)
    flat = mbs.CurveOnCurve(mbs.Circle(RIM), mbs.Flat())
    m.close("flat", cam, face, flat, at_a=(ECCENTRIC, 0, 0))
    m.start(cam, q=0.2, u=12.0)
    m.start(face, q=0.05, guess=True)
    length, angle = RING - DISC, 1.0
    for name, pair in (
        ("disc", mbs.CurveOnCurve(mbs.Circle(RING), mbs.Circle(DISC), inside=True)),
        ("roller", mbs.OnCurve(mbs.Circle(RING), radius=DISC, inside=True)),
    ):
        body = m.body(name, joint=mbs.Planar("z"), mass=0.5, inertia=(1e-3, 1e-3, 2e-3))
        m.close(f"{name}_in_ring", "world", body, pair)
        m.start(body, q=(length * math.sin(angle), -length * math.cos(angle) - 1e-3, 0.0), guess=True)
        m.output(f"{name}_at", mbs.position(body))
    m.output("energy", mbs.energy())
    r = mbs.simulate(m, 1.0, rtol=1e-10, atol=1e-12, output_interval=0.05)
    assert r.units["flat.z2"] == "m"
    assert_close(r["face.s"] - RIM, ECCENTRIC * np.sin(r["cam.phi"]), 1e-9, "face.s", times=r.time)
    assert_close(r["flat.z2"], ECCENTRIC * np.cos(r["cam.phi"]), 1e-9, "flat.z2", times=r.time)
    assert np.ptp(r["energy"]) < 1e-8
    for name in ("disc", "roller"):
        x, y = r[f"{name}_at"].T[:2]
        begin = math.atan2(x[0], -y[0])
        swing = solve_ivp(
            lambda t, s: [s[1], -9.81 / length * math.sin(s[0])], (0, 1), [begin, 0.0], "DOP853", r["time"],
            rtol=1e-12, atol=1e-12,
        )  # fmt: skip
        assert_close(x, length * np.sin(swing.y[0]), 1e-8, "x")
        assert_close(y, -(length * np.cos(swing.y[0])), 1e-8, "y")


@pytest.mark.quick
@pytest.mark.parametrize(("pair", "message"), [
    (mbs.CurveOnCurve(mbs.Circle(0.1), mbs.Circle(0.4), inside=True), "the inner curve is not more curved"),
    (mbs.OnCurve(mbs.Circle(0.1), radius=0.4, inside=True), "too concave at the contact: give a smaller roller"),
])  # fmt: skip
def test_a_curve_that_does_not_fit_inside_is_refused(pair: mbs.OnCurve | mbs.CurveOnCurve, message: str) -> None:
    plain = Plain(started(pair, 0.1))
    with np.errstate(all="ignore"):
        assert plain.real.initialise(plain.R) == Status.failed_start_check
    assert message in plain.program.start_checks[int(plain.R[HeadNumbers.fault])]


# -- messages -------------------------------------------------------------------------------------------------
HOLLOW = 1.0 + 0.4 * np.cos(3 * ANGLES)
WRONG: dict[str, tuple[Callable[[], Any], str]] = {
    "radii": (lambda: mbs.Polar([0, 2, 4], [1, -0.5, 1]), "-0.5 m is not positive.*star-shaped"),
    "falling": (lambda: mbs.Polar([0, 2, 1, 4], [1, 1, 1, 1]), "angles .* do not increase"),
    "lengths": (lambda: mbs.Polar([0, 2, 4], [1, 1]), "3 angles and 2 radii"),
    "two ends": (lambda: mbs.Polar(np.linspace(0, TURN, 9), np.linspace(1, 2, 9)), "not closed: it begins at 1 m"),
    "turns": (lambda: mbs.Polar([0, 2, 4, 7], [1, 1, 1, 1]), "1.114 times round"),
    "degrees": (lambda: mbs.Polar([0, 120, 240], [1, 1, 1]), "times round: give one turn, 2 pi"),
    "half": (lambda: mbs.Polar([0, 1, 2], [1, 1, 1]), "not closed: .* all around"),
    "few": (lambda: mbs.Polar([0, 3], [1, 1]), "2 points: give at least 3"),
    "none": (lambda: mbs.Polar([], []), "0 points: give at least 3"),
    "wild": (lambda: mbs.Polar([0, 1.9, 2, 4], [1, 0.05, 3, 1]), "spline falls to .* not star-shaped"),
    "rows": (lambda: mbs.Polar([[0, 2, 4]], [1, 1, 1]), "angles of a polar curve must be a row"),
    "pairs": (lambda: mbs.Spline([0, 1, 2]), "must be pairs"),
    "points": (lambda: mbs.Spline([(0, 0), (1, 0), (0, 0)]), "2 points: give at least 3"),
    "twice": (lambda: mbs.Spline([(0, 0), (1, 0), (1, 0), (0, 1)]), "two successive points coincide"),
    "clockwise": (lambda: mbs.Spline([(0, 0), (0, 1), (1, 0)]), "run clockwise"),
    "circle": (lambda: cam(mbs.Circle(-1.0)), "radius of the circle of loop 'contact' is -1.0: it must be positive"),
    "ellipse": (lambda: cam(mbs.Ellipse(1.0, 0.0)), "half axis b .* is 0.0: it must be positive"),
    "moving": (lambda: cam(mbs.Circle(mbs.time)), "depends on time: it may depend on parameters only"),
    "no curve": (lambda: cam(0.3), "loop 'contact': give a curve, mbs.Circle"),  # type: ignore[arg-type]
    "roller": (lambda: mbs.OnCurve(mbs.Circle(1), -0.1).checked("x"), "radius of the roller of x is -0.1"),
    "axis": (lambda: mbs.Circle(1.0, axis="w"), "unknown axis"),
    "flat axis": (lambda: mbs.Flat("w"), "unknown axis"),
    "two faces": (lambda: mbs.CurveOnCurve(mbs.Flat(), mbs.Flat()).checked("x"), "two flat faces do not touch at one"),
}


@pytest.mark.quick
@pytest.mark.parametrize("what", WRONG)
def test_invalid_curves_are_refused(what: str) -> None:
    call, message = WRONG[what]
    with pytest.raises(mbs.ModelError, match=message):
        call()


@pytest.mark.quick
def test_a_polar_curve_may_repeat_its_first_point() -> None:
    """A repeated first point at the end changes nothing, and neither does the angle of the first point."""
    again = mbs.Polar([*ANGLES, TURN], [*RADII, RADII[0]])
    assert again == mbs.Polar(ANGLES, RADII)
    shifted = mbs.Polar(np.roll(ANGLES, 5) + np.r_[np.zeros(5), np.full(19, TURN)] - TURN, np.roll(RADII, 5))
    for z in (-7.0, 0.3, 4.0, 30.0):
        assert place(again, z) == pytest.approx(place(shifted, z), abs=1e-15)


def started(pair: mbs.OnCurve | mbs.CurveOnCurve, height: float, **at: Any) -> mbs.Model:
    m = mbs.Model("started", gravity=(0, -9.81, 0))
    m.parameter("r", 0.02, unit="m")
    m.body("disc", joint=mbs.Prismatic("y"), mass=1.0)
    m.close("contact", "world", "disc", pair, **at)
    m.start("disc", q=height, guess=True)
    return m


@pytest.mark.quick
@pytest.mark.parametrize("curve", [mbs.Circle(0.2), mbs.Ellipse(0.2, 0.1), mbs.Polar(ANGLES, HOLLOW)])
def test_a_start_at_the_origin_of_the_curve_is_reported(curve: mbs.Curve) -> None:
    """No gradient leads from the origin to the curve; the message states this instead of an infinite residual."""
    with np.errstate(all="ignore"):
        plain = Plain(started(mbs.OnCurve(curve), 0.0))
        assert plain.real.initialise(plain.R) == Status.failed_start_check
    message = plain.program.start_checks[int(plain.R[HeadNumbers.fault])]
    assert message.startswith("loop 'contact': the point lies at the origin of its curve")


@pytest.mark.slow
def test_a_roller_larger_than_a_hollow_is_refused() -> None:
    """The hollow of the curve lies above the origin, and the roller has a larger radius."""
    hollow = mbs.Polar(ANGLES + math.pi / 6, HOLLOW)
    assert mbs.simulate(started(mbs.OnCurve(hollow, 0.05), 0.7), 0.1)["disc.s"][-1] == pytest.approx(0.65, abs=1e-3)
    with pytest.raises(mbs.ModelError, match="loop 'contact': the curve is too concave at the contact"):
        mbs.simulate(started(mbs.OnCurve(hollow, 2.0), 3.0), 0.1)


def test_curves_in_planes_that_are_not_parallel_are_refused() -> None:
    pair = mbs.CurveOnCurve(mbs.Circle(1.0), mbs.Circle(1.0, axis=(0.1, 0, 1)))
    with pytest.raises(mbs.ModelError, match="planes of the two curves are not parallel"):
        mbs.simulate(started(pair, 2.0), 0.1)


@pytest.mark.slow
@pytest.mark.parametrize("settings", tiers({"rk4": {"method": "rk4", "step": 0.002}, "dopri5": {}}, usual=1))
def test_a_run_ends_at_a_hollow_that_the_disc_cannot_follow(settings: dict[str, Any]) -> None:
    """A large disc rolls on a cam with hollows that it cannot follow.

    The end of the last step, behind the place at which contact parameters move infinitely fast, depends on rounding: it
    lies in the hollow, or beyond it, where the curves are convex again and do not touch.
    """
    m = mbs.Model("lobes", gravity=(0, -9.81, 0))
    m.body("wheel", joint=mbs.Revolute("z"), mass=1.0, inertia=(1, 1, 2))
    m.body("disc", joint=mbs.Prismatic("y"), mass=1.0)
    m.close("contact", "wheel", "disc", mbs.CurveOnCurve(mbs.Polar(ANGLES, HOLLOW), mbs.Circle(2.0)))
    m.start("wheel", q=math.pi / 2, u=1.0)
    m.start("disc", q=3.0, guess=True)
    hollow, beyond = ": one curve is too concave where they touch", " stands open .* can't reach what lengths, curves"
    with pytest.raises(mbs.SimulationError, match=f"loop 'contact'({hollow}|{beyond})") as error:
        mbs.simulate(m, 3.0, **settings)
    assert error.value.result is not None
    assert 0.86 <= error.value.result.time[-1] <= 0.89


def test_radii_of_curves_may_be_parameters() -> None:
    """Their values decide where a point starts; a zero radius is refused."""
    m = mbs.Model("hoop", gravity=(0, 0, 0))
    radius = m.parameter("radius", 0.5, unit="m")
    m.body("point", joint=mbs.Prismatic("y"), mass=1.0)
    m.close("hoop", "world", "point", mbs.OnCurve(mbs.Circle(radius)))
    m.start("point", q=1.0, guess=True)
    for value in (0.5, 0.7):
        assert mbs.simulate(m, 0.1, parameters={"radius": value})["point.s"][0] == pytest.approx(value, abs=1e-12)
    with pytest.raises(mbs.ModelError, match="radius of the circle of loop 'hoop' must be positive: change parameter"):
        mbs.simulate(m, 0.1, parameters={"radius": 0.0})


def test_contact_parameters_are_states_of_the_model() -> None:
    """Two curves have two contact parameters, a roller has one, and a curve by a formula of position has none."""
    assert [v.name for v in compile_model(ellipses()).of_role("state")] == ["contact.z1", "contact.z2"]
    assert not compile_model(cam(mbs.Circle(0.1))).of_role("state")
