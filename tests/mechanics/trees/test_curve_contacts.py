"""Compliant contacts of curves: cams with friction against closed forms, curves against shapes, foot points."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.model.forces.contact_curves import OFF
from support.cases import tiers
from support.comparisons import assert_close
from support.models.cams import (
    ANGLES,
    BASE,
    LIFT,
    ROLLER,
    SPRING,
    flat_cam,
    flat_forces,
    lobed_cam,
    lobed_forces,
    lobes,
    rocker,
    turning,
)

# -- cams ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stiffness", tiers([1e6, 1e8], usual=1))
def test_rubbing_flat_cam_has_the_torque_of_its_closed_form(stiffness: float) -> None:
    """The follower's spring yields by its share of the stiffness of the face: load and torque err by as much.

    The contact oscillates at the start, which its dissipation ends within a twentieth of the run; and the creep, 1 µm/s
    beside 1 m/s, errs by 1e-12.
    """
    speed, friction = 50.0, 0.15
    m = flat_cam(speed, stiffness, friction, creep=1e-6, dissipation=5.0)
    result = mbs.simulate(m, 0.3, method="rodas5p", rtol=1e-7, output_interval=4e-3)
    load, torque = flat_forces(result.time, speed, friction)
    share = 1.3 * 5e3 / stiffness
    assert np.abs(result["load"] - load)[5:].max() < share * load.max()
    assert np.abs(result["torque"] - torque)[5:].max() < share * np.abs(torque).max()


@pytest.mark.parametrize("friction", [0.0, 0.2])
def test_lobed_cam_has_the_force_of_the_pressure_angle(friction: float) -> None:
    """A slow cam with a shoe: N = F/(n_y + μ t_y), and the torque about the axis; the spring yields by 4e-5."""
    speed, stiffness = 0.5, 1e9
    law = {"creep": 5e-7} if friction else {}
    m = lobed_cam(speed, stiffness, friction, dissipation=5.0, **law)
    result = mbs.simulate(m, 4.0, method="rodas5p", rtol=1e-7, output_interval=0.05)
    load, torque, _ = lobed_forces(speed * result.time, friction)
    share = 1.3 * SPRING / stiffness
    assert np.abs(result["load"] - load)[3:].max() < share * load.max()
    assert np.abs(result["torque"] - torque)[3:].max() < share * np.abs(torque).max()


def test_fast_cam_moves_as_with_a_rigid_contact() -> None:
    """At 60 rad/s the load is that of the closure, up to the share of the spring in the stiffness, 4e-4."""
    rigid = turning("rigid", 60.0)
    rigid.spring("spring", on="valve", stiffness=SPRING, length=BASE)
    rigid.close("face", "cam", "valve", lobes())
    rigid.output("load", mbs.multiplier("face"))
    rigid.start("valve", q=0.04, guess=True)
    soft = mbs.simulate(
        lobed_cam(60.0, 1e8, 0.0, dissipation=5.0), 0.2, method="rodas5p", rtol=1e-7, output_interval=1e-3
    )
    hard = mbs.simulate(rigid, 0.2, rtol=1e-9, output_interval=1e-3)
    assert np.abs(soft["load"] - hard["load"])[10:].max() < 5e-4 * hard["load"].max()
    assert np.abs(soft["valve.s"] - hard["valve.s"]).max() < 8e-6
    assert np.abs(soft["face.z1"] - hard["face.z1"]).max() < 5e-5


def flying(method: str, **steps: Any) -> mbs.Result:
    """Return the run of a cam whose weak spring lets the shoe fly."""
    m = turning("flying", 150.0)
    m.spring("spring", on="valve", stiffness=2e3, length=0.02)
    m.contact("face", "cam", "valve", lobes(), stiffness=1e6, friction=0.1, creep=1e-3)
    m.output("load", mbs.strength("face"))
    m.output("gap", mbs.gap("face"))
    m.start("valve", q=0.0405)
    return mbs.simulate(m, 0.1, method=method, output_interval=2e-4, **steps)


def test_shoe_lifts_off_and_returns() -> None:
    """The gap is the distance of the curves, also in flight: it is that of a dense sampling of the cam; the load is
    never negative. All methods agree."""
    result = flying("dopri5", rtol=1e-9)
    load, gap = result["load"], result["gap"]
    assert load.min() == 0.0 and 0.3 < (load == 0.0).mean() < 0.9
    radius = BASE + LIFT * np.cos(3.0 * ANGLES)
    for row in np.linspace(0, len(gap) - 1, 23).astype(int):
        turned = ANGLES + 150.0 * result.time[row]
        points = radius[:, None] * np.column_stack([np.cos(turned), np.sin(turned)])
        nearest = np.linalg.norm(points - [0.0, result["valve.s"][row]], axis=1).min() - ROLLER
        assert -1e-9 < nearest - gap[row] < 2e-6 if gap[row] > 0 else abs(nearest - gap[row]) < 2e-6
    for method, steps in (("rk4", {"step": 1e-5}), ("rodas5p", {"rtol": 1e-8})):
        other = flying(method, **steps)
        assert_close(other["valve.s"], result["valve.s"], 1e-6, method, times=result.time)


G = 9.81


# -- curves against shapes -----------------------------------------------------------------------------------
LAWS: dict[str, dict[str, Any]] = {
    "creeping": {"friction": 0.3, "creep": 0.05, "roll": 2e-3},
    "sticking": {"friction": 0.3, "static": 0.4, "speed": 0.02, "settling": 2e-3, "roll": 1e-3},
    "smooth": {"dissipation": 0.2},
}


def discs(law: dict[str, Any], start: tuple[float, float, float], **surfaces: Any) -> mbs.Model:
    """Return a disc in a plane that falls on another one, which turns; surfaces: those of the contact."""
    m = mbs.Model("discs", gravity=(0.3, -G, 0))
    wheel = m.body("wheel", joint=mbs.Revolute("z"), mass=1.0, inertia=(0.01, 0.01, 0.02))
    disc = m.body("disc", joint=mbs.Planar("z"), mass=0.5, inertia=(1e-3, 1e-3, 2e-3))
    m.contact("touch", wheel, disc, stiffness=2e4, **surfaces, **law)
    m.start(wheel, q=0.4, u=3.0)
    m.start(disc, q=start, u=(0.2, -0.5, 1.0))
    for name in ("contact_force", "contact_point", "slip", "gap"):
        m.output(name, getattr(mbs, name)("touch"))
    m.output("E", mbs.energy())
    return m


CIRCLES = mbs.CurveOnCurve(mbs.Circle(0.2), mbs.Circle(0.1))
EVEN = mbs.Polar(np.linspace(0.0, 2.0 * np.pi, 9), np.full(9, 0.2))
#: Pairs of curves, the same surfaces as shapes, the frame on the wheel, and the start of the disc.
EQUAL: dict[str, tuple[mbs.Pair, dict[str, Any], mbs.Pose | None, tuple[float, float, float]]] = {
    "roller on circle": (
        mbs.OnCurve(mbs.Circle(0.2), radius=0.1),
        {"shape_a": mbs.Sphere(0.2), "shape_b": mbs.Sphere(0.1)},
        None,
        (0.03, 0.31, 0.2),
    ),
    "point on polar curve": (
        mbs.OnCurve(EVEN), {"shape_a": mbs.Sphere(0.2), "shape_b": (0.0, 0.0, 0.0)}, None, (0.03, 0.21, 0.2)
    ),
    "circle on circle": (
        CIRCLES, {"shape_a": mbs.Sphere(0.2), "shape_b": mbs.Sphere(0.1)}, None, (0.03, 0.31, 0.2)
    ),
    "circle on face": (
        mbs.CurveOnCurve(mbs.Flat(), mbs.Circle(0.1)),
        {"shape_a": mbs.Plane("-y"), "shape_b": mbs.Sphere(0.1)},
        mbs.Pose((0, 0, 0), mbs.axis_angle("z", np.pi - 0.4)),
        (0.03, 0.11, 0.2),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", tiers([(pair, law) for pair in EQUAL for law in LAWS], usual=4))
def test_circles_move_as_balls(case: tuple[str, str]) -> None:
    """Plane motion of circles, rollers and faces is that of balls and planes, with all measures, to the error of the
    method at rtol 1e-10 through some impacts.

    Curves of constant curvature are exact but for the polar one, a spline through equal radii, which is as exact.
    """
    name, law = case
    pair, shapes, at, start = EQUAL[name]
    own = {word: x for word, x in LAWS[law].items() if word != "roll" or "point" not in name}  # points do not roll
    placed = {} if at is None else {"at_a": at}
    curved, round_ = (
        mbs.simulate(discs(own, start, **surfaces, **placed), 0.25, rtol=1e-10, output_interval=5e-3)
        for surfaces in ({"pair": pair}, shapes)
    )
    touching = round_["gap"] < 0.0
    assert touching.sum() > 5
    for column in ("wheel.phi", "disc.q[1]", "disc.q[2]", "disc.q[3]", "gap", "E"):
        assert_close(curved[column], round_[column], 2e-7, f"{name}, {law}: {column}", times=round_.time)
    for output, bound in (("contact_force", 1e-2), ("contact_point", 1e-6), ("slip", 1e-5)):
        assert_close(curved[output][touching], round_[output][touching], bound, f"{name}, {law}: {output}")


def test_face_meets_circle_in_either_order() -> None:
    """The curve of a and that of b may change places: the loads of a flat cam are the same."""
    runs = []
    for turned in (False, True):
        m = turning("order", 50.0)
        m.spring("spring", on="valve", stiffness=5e3, length=0.01)
        pair = mbs.CurveOnCurve(mbs.Circle(0.02), mbs.Flat())
        if turned:
            m.contact("face", "valve", "cam", mbs.CurveOnCurve(pair.two, pair.one), at_b=(5e-3, 0, 0), stiffness=1e6)
        else:
            m.contact("face", "cam", "valve", pair, at_a=(5e-3, 0, 0), stiffness=1e6)
        m.output("load", mbs.strength("face"))
        m.start("valve", q=0.02)
        runs.append(mbs.simulate(m, 0.05, rtol=1e-9, output_interval=1e-3))
    assert_close(runs[1]["load"], runs[0]["load"], 1e-3, "load", times=runs[0].time)


# -- foot points ---------------------------------------------------------------------------------------------
def foot(result: mbs.Result, base: float = 0.034) -> np.ndarray:
    """Return the eccentric angle of the foot point on the rocker's cam in all rows, by a dense sampling."""
    z = np.linspace(0.0, 2.0 * np.pi, 40001)
    turned, height = result["cam.phi"][:, None], result["arm.phi"]
    x, y = -0.1 + 0.1 * np.cos(height), 0.05 + 0.1 * np.sin(height)
    own = np.stack([base * np.cos(z), 0.03 * np.sin(z)])
    px = own[0] * np.cos(turned) - own[1] * np.sin(turned)
    py = own[0] * np.sin(turned) + own[1] * np.cos(turned)
    return np.asarray(z[np.argmin((px - x[:, None]) ** 2 + (py - y[:, None]) ** 2, axis=1)])


def distance(a: np.ndarray, b: np.ndarray) -> float:
    """Return the largest distance of angles, rad, on the circle."""
    return float(np.abs((a - b + np.pi) % (2.0 * np.pi) - np.pi).max())


def test_starts_and_resets_find_the_foot_points() -> None:
    """From any start, also a wrong one of the contact parameter, and after an event that turns the cam by 1 rad."""
    m = rocker()
    m.event("jump", mbs.time - 0.02, reset={"cam.phi": mbs.coordinate("cam") + 1.0})
    for start in ({}, {"cam.phi": 2.0, "arm.phi": -0.06}, {"face.z1": 40.0}, {"cam.phi": -4.0, "arm.phi": -0.05}):
        result = mbs.simulate(m, 0.04, rtol=1e-8, output_interval=1e-3, start=start)
        assert distance(result["face.z1"], foot(result)) < 2e-4


def test_foot_points_follow_a_long_run() -> None:
    """After a hundred turns with coarse steps it still is the foot point."""
    m = rocker()
    result = mbs.simulate(m, 10.0, inputs={"torque": 3.0}, method="rk4", step=1e-4, output_interval=0.1)
    assert result["cam.phi"][-1] > 600.0
    assert distance(result["face.z1"], foot(result)) < 3e-4


@pytest.mark.parametrize("steps", [{"rtol": 1e-8}, {"method": "rk4", "step": 1e-4}, {"method": "abm6", "step": 1e-5}])
def test_a_contact_that_leaves_its_foot_point_fails(steps: dict[str, Any]) -> None:
    """A reset of the contact parameter: without the check the follower would end up elsewhere without an error."""
    m = rocker()
    m.event("wrong", mbs.time - 0.02, reset={"face.z1": mbs.signal("face.z1") + 30.0 * OFF["rad"]})
    with pytest.raises(mbs.SimulationError, match=r"contact 'face' has left its foot point: .*do not reset it"):
        mbs.simulate(m, 0.04, **steps)


def test_a_follower_that_leaves_a_hollow_too_far_fails() -> None:
    """On the axis of the hollow, whose radius of curvature is 75 mm, the foot point becomes the farthest one."""
    m = mbs.Model("hollow", gravity=(0, 0, 0))
    pin = m.body("pin", joint=mbs.Prismatic("x"), mass=1.0)
    hollow = mbs.Polar(ANGLES, 0.2 - 0.05 * np.cos(3.0 * ANGLES))
    m.contact("touch", "world", pin, mbs.OnCurve(hollow), stiffness=1e4)
    m.start(pin, q=0.151, u=1.0)
    with pytest.raises(mbs.SimulationError, match="curve is too concave at the contact") as error:
        mbs.simulate(m, 0.2, method="rk4", step=1e-4)
    assert error.value.result is not None
    assert error.value.result["pin.s"][-1] == pytest.approx(0.225, abs=2e-3)


def test_everything_about_a_contact_of_curves_is_as_of_others() -> None:
    """Copies, models inside others, absolute coordinates and batches give the same run."""
    m = rocker()
    alone = mbs.simulate(m, 0.1, method="rk4", step=5e-5, output_interval=5e-3)
    assert (alone["load"] == 0.0).any() and (alone["load"] > 0.0).any()
    both = mbs.Model("both", gravity=(0, -G, 0))
    both.include(pickle.loads(pickle.dumps(m)), "one", inputs={"torque": 0.3})
    both.include(m, "two", at=(0, 0, 1.0), inputs={"torque": 0.3})
    result = mbs.simulate(both, 0.1, method="rk4", step=5e-5, output_interval=5e-3)
    for name in ("cam.phi", "arm.phi", "face.z1"):
        for prefix in ("one", "two"):
            assert_close(result[f"{prefix}.{name}"], alone[name], 1e-12, f"{prefix}.{name}", times=alone.time)
    free = mbs.simulate(m, 0.1, rtol=1e-9, output_interval=5e-3, formulation="absolute")
    tree = mbs.simulate(m, 0.1, rtol=1e-9, output_interval=5e-3)
    assert_close(free["arm.phi"], tree["arm.phi"], 1e-7, "absolute coordinates", times=tree.time)
    speeds = np.linspace(10.0, 30.0, 8)
    batch = mbs.Batch(start={"cam.w": speeds, "cam.phi": -0.01 * speeds}, lanes=4)
    several = mbs.simulate(m, 0.02, method="rk4", step=5e-5, output_interval=5e-3, batch=batch)
    start = {"cam.w": float(speeds[5]), "cam.phi": -0.01 * float(speeds[5])}
    single = mbs.simulate(m, 0.02, method="rk4", step=5e-5, output_interval=5e-3, start=start)
    assert np.array_equal(several["face.z1"][5], single["face.z1"])
    assert np.array_equal(several["arm.phi"][5], single["arm.phi"])


def test_sensitivities_contain_the_foot_points_of_the_start() -> None:
    """They equal central differences of runs, also with respect to start values and to the shape of the cam."""
    m, settings = rocker(), {"method": "rk4", "step": 5e-5, "output_interval": 2e-3}
    given = {"mu": (0.2, 1e-5), "base": (0.034, 1e-7), "cam.phi": (-0.3, 1e-6)}
    result = mbs.simulate(m, 0.02, **settings, sensitivities=list(given))
    place = result.columns.index("arm.phi")
    for name, (value, h) in given.items():
        what = "start" if "." in name else "parameters"
        ends = [mbs.simulate(m, 0.02, **settings, **{what: {name: value + sign * h}})["arm.phi"] for sign in (1, -1)]
        expected = (ends[0] - ends[1]) / (2.0 * h)
        bound = 1e-5 * np.abs(expected).max()
        assert_close(result.sensitivities[name][:, place], expected, bound, name, times=result.time)


def test_gradients_of_runs_equal_differences() -> None:
    """By the state at the start, to which the contact parameter belongs, by friction and the shape of the cam."""
    run = mbs.rollout(rocker(), 5e-5, 40, ["mu", "base"])
    trajectory, vjp = run.vjp()
    weights = np.zeros_like(trajectory.x), np.zeros_like(trajectory.y)
    weights[0][-1] = [1.0, 2.0, 0.01, 0.03, 0.0]
    found = vjp(*weights)

    def change(name: str, at: np.ndarray, k: int, h: float) -> float:
        ends = [run(**{name: at + sign * h * np.eye(at.size)[k].reshape(at.shape)}).x[-1] for sign in (1, -1)]
        return float(weights[0][-1] @ (ends[0] - ends[1])) / (2.0 * h)

    for k, h in enumerate((1e-6, 1e-8, 1e-5, 1e-6, 1e-5)):
        assert found.x[k] == pytest.approx(change("x", run.x0, k, h), rel=1e-4, abs=1e-6)
    for name, h in (("mu", 1e-5), ("base", 1e-8)):
        k = run.parameters.index(name)
        assert found.p[k] == pytest.approx(change("p", run.p0, k, h), rel=1e-4)


def test_inverse_dynamics_find_the_foot_point() -> None:
    """Forces of a prescribed motion: those of the model alone if it is the motion of the model."""
    m, start = rocker(), {"cam.phi": 0.7, "arm.phi": -0.11}
    rates = mbs.forward_dynamics(m, start=start)
    u_dot = {"cam": rates["cam.w"], "arm": rates["arm.w"]}
    q, u = {"cam": 0.7, "arm": -0.11}, {"cam": 20.0, "arm": 0.0}
    forces = mbs.inverse_dynamics(m, q=q, u=u, u_dot=u_dot, inputs={"torque": 0.3})
    assert abs(forces["cam"][0]) + abs(forces["arm"][0]) < 1e-9


def test_rest_on_a_cam_is_linearized() -> None:
    """A roller at rest in the valley between two lobes: its frequency follows from the curvature of its path, and the
    contact parameter has an eigenvalue of its own, the rate at which its errors decay."""
    m = mbs.Model("valley", gravity=(0, -G, 0))
    dip = mbs.Circle(0.5)
    ball = m.body("ball", joint=mbs.Planar("z"), mass=0.2, inertia=(1e-5, 1e-5, 2e-5))
    m.contact("dip", "world", ball, mbs.OnCurve(dip, radius=0.1, inside=True), stiffness=1e5)
    m.start(ball, q=(0, -0.4 - 0.2 * G / 1e5, 0))
    linear = mbs.linearize(m)
    found = np.linalg.eigvals(linear.A)
    assert np.sum(np.abs(found + 100.0) < 1e-6) == 1
    slow = np.abs(found.imag)[(np.abs(found.imag) > 1.0) & (np.abs(found.imag) < 100.0)]
    assert slow == pytest.approx(np.sqrt(G / 0.4) * np.ones(2), rel=1e-4)


# -- messages ------------------------------------------------------------------------------------------------
def two() -> mbs.Model:
    m = mbs.Model("two")
    m.body("a", joint=mbs.Revolute("z"), mass=1.0, inertia=(1, 1, 1))
    m.body("b", joint=mbs.Planar("z"), mass=1.0, inertia=(1, 1, 1))
    m.start("b", q=(0.3, 0, 0))
    return m


def soft(m: mbs.Model, pair: Any = CIRCLES, **more: Any) -> None:
    m.contact(**{"name": "x", "a": "a", "b": "b", "pair": pair, "stiffness": 1e3, **more})


MISTAKES: dict[str, tuple[Callable[[mbs.Model], object], str]] = {
    "shape": (lambda m: soft(m, shape_b=mbs.Sphere(1)), "contact 'x' is one of curves, so shape_b= has no effect"),
    "other pair": (lambda m: soft(m, mbs.OnPlane("z")), "of the pairs, only mbs.OnCurve and mbs.CurveOnCurve can be"),
    "two faces": (lambda m: soft(m, mbs.CurveOnCurve(mbs.Flat(), mbs.Flat())), "two flat faces do not touch"),
    "radius": (lambda m: soft(m, mbs.OnCurve(mbs.Circle(0.1), radius=-1.0)), "roller of contact 'x' is -1.0"),
    "friction": (lambda m: soft(m, friction=-0.1), "friction of contact 'x' is -0.1: it must not be negative"),
    "roll": (lambda m: soft(m, friction=0.1, roll=-1e-3), "roll of contact 'x' is -0.001: it must be positive"),
    "point": (lambda m: soft(m, mbs.OnCurve(mbs.Flat()), friction=0.1, roll=1e-3), "a single point does not roll"),
    "restitution": (lambda m: soft(m, restitution=0.5), "contact 'x': give stiffness= of a compliant contact"),
    "rigid rolling": (
        lambda m: m.contact("x", "a", "b", CIRCLES, roll=1e-3),
        "contact 'x' is rigid, and roll= is for compliant contacts: give stiffness= too",
    ),
    "rigid friction": (lambda m: m.contact("x", "a", "b", CIRCLES, friction=0.1), "is rigid, and rigid contacts have"),
    "itself": (lambda m: soft(m, b="a"), "contact 'x' joins body 'a' with itself"),
}


@pytest.mark.quick
@pytest.mark.parametrize("which", MISTAKES)
def test_mistakes_are_refused(which: str) -> None:
    """Each with one message, and the contact can be added afterwards without the mistake."""
    mistake, message = MISTAKES[which]
    m = two()
    with pytest.raises(mbs.ModelError) as error:
        mistake(m)
    assert message in str(error.value)
    soft(m, name="y")


STARTS: dict[str, tuple[Callable[[mbs.Model], object], str]] = {
    "concave": (
        lambda m: soft(m, mbs.OnCurve(mbs.Polar(ANGLES, 0.2 - 0.05 * np.cos(3.0 * ANGLES)), radius=0.1)),
        "contact 'x': the curve is too concave at the contact: give a smaller roller, or start elsewhere",
    ),
    "tilted": (
        lambda m: soft(m, mbs.CurveOnCurve(mbs.Circle(0.2), mbs.Circle(0.1, axis=(0.3, 0, 1)))),
        "contact 'x': the planes of the two curves are not parallel",
    ),
    "parameter": (
        lambda m: soft(m, mbs.OnCurve(mbs.Circle(m.parameter("r", -0.1)))),
        "radius of the circle of contact 'x' must be positive: change parameter 'r'",
    ),
    "deep": (
        lambda m: soft(m, mbs.OnCurve(mbs.Circle(0.25), radius=0.1)),
        "contact 'x': 'b' starts 50 mm inside of 'a', more than a tenth of its size, 200 mm",
    ),
}


@pytest.mark.parametrize("which", STARTS)
def test_starts_that_cannot_touch_are_refused(which: str) -> None:
    """Where the foot point does not exist, or the curves do not lie in one plane, or deep inside."""
    build, message = STARTS[which]
    m = two()
    build(m)
    with pytest.raises(mbs.ModelError) as error:
        mbs.simulate(m, 0.1)
    assert message in str(error.value)
