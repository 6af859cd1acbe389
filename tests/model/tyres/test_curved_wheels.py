"""Wheels on curved grids: their place as a state, in all ways in which models run and are differentiated."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from benchmarks.vehicles import CORNERS, sliding_car
from mbs_fmu.model.roads.curved_grids import OFF
from support.cases import tiers
from support.comparisons import assert_close
from support.generators.mechanisms import Plain
from support.models.curved_roads import RADIUS, bend, cart
from support.models.tyres import car_tyre
from support.oracles.complex_steps import compare_tangents, outputs

STEPS: dict[str, Any] = {"method": "rk4", "step": 1e-3, "output_interval": 0.02}


def nearest(road: mbs.CurvedGrid, result: mbs.Result) -> np.ndarray:
    """Return u of the nearest places of the line in all rows."""
    return road.line.feet(result["p"][:, :2])


@pytest.mark.parametrize("steps", tiers([STEPS, {"method": "rodas5p", "rtol": 1e-7, "output_interval": 0.02}], usual=1))
def test_the_state_is_the_place_of_the_wheel(steps: dict[str, Any]) -> None:
    """At the start and later, to a micrometre; `along` improves it by a step of Newton, and has v and the heading."""
    road = bend()
    result = mbs.simulate(cart(road), 1.5, **steps)
    u = nearest(road, result)
    assert u[0] == pytest.approx(0.3 * RADIUS, abs=1e-3) and u[-1] > u[0] + 8.0
    assert_close(result["tyre.u"], u, 1e-6, "state", times=result.time)
    assert_close(result["place.u"], u, 1e-10, "place along the line", times=result.time)
    v = RADIUS - np.hypot(result["p"][:, 0], result["p"][:, 1] - RADIUS)
    assert_close(result["place.v"], v, 2e-4, "place across the line", times=result.time)
    assert_close(result["place.heading"], 0.0, 2e-3, "heading", times=result.time)
    for name in ("u", "v"):
        assert_close(result[f"body.{name}"], result[f"place.{name}"], 1e-9, f"{name} of the body", times=result.time)


@pytest.mark.slow
def test_the_load_is_that_on_the_same_surface_as_a_height_field() -> None:
    """A field over x and y with the same heights, fine enough for the splines of both to differ by a micrometre."""
    u, v = 0.5 * np.arange(81), np.linspace(-3.0, 3.0, 7)
    heights = 0.02 * np.sin(0.8 * u)[:, None] * (1.0 + 0.2 * v)
    road = mbs.CurvedGrid(u, v, heights, RADIUS * np.sin(u / RADIUS), RADIUS - RADIUS * np.cos(u / RADIUS))
    x, y = np.linspace(8.0, 28.0, 161), np.linspace(0.0, 16.0, 129)
    angle, away = np.arctan2(x[:, None], RADIUS - y), np.hypot(x[:, None], RADIUS - y)
    field = mbs.HeightField(x, y, 0.02 * np.sin(0.8 * RADIUS * angle) * (1.0 + 0.2 * (RADIUS - away)))
    runs = []
    for surface in (road, field):
        runs.append(mbs.simulate(cart(surface), 0.8, **STEPS))
    loads = [run["wheel.fz"] for run in runs]
    assert np.ptp(loads[0]) > 500.0
    assert_close(loads[0], loads[1], 2.0, "load", times=runs[0].time)
    for name in ("wheel.fy", "wheel.mz"):
        assert_close(runs[0][name], runs[1][name], 1.0, name, times=runs[0].time)


@pytest.mark.quick
def test_roads_without_a_line_have_x_and_y() -> None:
    """Also turned, on a body: u and v are those in the axes of the road."""
    m = mbs.Model("straight")
    m.body("ground", joint=mbs.Weld(), at=mbs.Pose((1, 2, 0), mbs.rpy(0, 0, 0.5)))
    m.body("car", joint=mbs.Free(), mass=100.0, inertia=(1, 1, 1))
    m.body("wheel", "car", mbs.Revolute("y"), mass=1.0, inertia=(1, 1, 1))
    field = mbs.HeightField([0.0, 1.0], [0.0, 1.0], np.zeros((2, 2)), at=(0.5, 0, 0))
    m.tyre("tyre", "wheel", car_tyre(), side="left", on="ground", road=field)
    m.output("wheel", mbs.along("tyre"))
    m.output("body", mbs.along(field, "car", on="ground"))
    place = np.array([1.0, 2.0]) + 3.5 * np.array([np.cos(0.5), np.sin(0.5)])
    m.start("car", q=(*place, 0.3, np.cos(0.35), 0, 0, np.sin(0.35)))
    result = mbs.simulate(m, 1e-3, method="rk4", step=1e-3)
    for name in ("wheel", "body"):
        found = [result[f"{name}.{part}"][0] for part in ("u", "v", "heading")]
        assert_close(found, [3.0, 0.0, 0.2], 1e-12, name)


CAMS = mbs.Cams(0.46, 0.30, 1.5, 0.11)


@pytest.mark.quick
@pytest.mark.parametrize("heading", [0.0, 0.1])
def test_cams_run_along_the_line(heading: float) -> None:
    """The effective height and slope in a bend are those of cams at two places u, found by a fine search."""
    u, v = 15.0 + 0.01 * np.arange(1001), np.array([-3.0, 0.0, 3.0])

    def bump(x: np.ndarray) -> np.ndarray:
        return np.asarray(0.02 * np.exp(-(((x - 20.0) / 0.2) ** 2)))

    heights = np.repeat(bump(u)[:, None], 3, axis=1)
    road = mbs.CurvedGrid(u, v, heights, RADIUS * np.sin(u / RADIUS), RADIUS - RADIUS * np.cos(u / RADIUS))
    s = np.linspace(-CAMS.length, CAMS.length, 2001)
    rise = np.array([CAMS.rise(x) for x in s])
    for at, across in ((19.6, 2.0), (19.9, -1.5), (20.1, 2.5)):
        m = mbs.Model("standing", gravity=(0, 0, 0))
        pose = mbs.Pose((*road.xy(at, across), 0.3), mbs.rpy(0, 0, at / RADIUS + heading))
        m.body("post", joint=mbs.Weld(), at=pose)
        m.body("wheel", "post", mbs.Revolute("y"), mass=1.0, inertia=(1, 1, 1))
        m.tyre("tyre", "wheel", car_tyre(), side="left", road=road, envelope=CAMS)
        m.output("wheel", mbs.wheel("tyre"))
        m.output("place", mbs.along("tyre"))
        m.states["tyre.u"] = replace(m.states["tyre.u"], start=at + 1e-3)
        found = outputs(Plain(m))
        half = 0.5 * CAMS.distance * np.cos(heading) / (1.0 - across / RADIUS)
        front, rear = ((bump(at + x + s) - rise).max() for x in (half, -half))
        assert_close(found["wheel.effective_height"], 0.5 * (front + rear), 5e-5, "effective height")
        assert_close(found["wheel.effective_slope"], (front - rear) / CAMS.distance, 1e-3, "effective slope")
        assert_close(found["place.heading"], heading, 1e-5, "heading")


@pytest.mark.quick
@pytest.mark.parametrize("more", [{}, {"envelope": CAMS}])
def test_tangents_equal_complex_steps(more: dict[str, Any]) -> None:
    """Along all states, of rates and of all measures, also of the place that a search finds; with cams too."""
    plain = Plain(cart(bend(), **more))
    compare_tangents(plain, 3, [plain.program.state_slice], "outputs")


@pytest.mark.slow
def test_models_inside_others_copies_and_batches_run_alike() -> None:
    """Batches in lanes give the bits of single runs; absolute coordinates the same motion."""
    m = cart(bend())
    alone = mbs.simulate(m, 0.2, **STEPS)
    both = mbs.Model("both")
    both.include(pickle.loads(pickle.dumps(m)), "one")
    both.include(m, "two")
    result = mbs.simulate(both, 0.2, **STEPS)
    for name in ("tyre.u", "arm.phi", "wheel.fz", "place.heading"):
        for part in ("one", "two"):
            assert_close(result[f"{part}.{name}"], alone[name], 1e-6, f"{part}.{name}", times=alone.time)
    speeds = np.linspace(0.15, 0.25, 8)
    several = mbs.simulate(m, 0.2, **STEPS, batch=mbs.Batch(start={"arm.w": speeds, "arm.phi": speeds}, lanes=4))
    start = {"arm.w": float(speeds[5]), "arm.phi": float(speeds[5])}
    single = mbs.simulate(m, 0.2, **STEPS, start=start)
    assert np.array_equal(several[5].data, single.data) and several["tyre.u"][5][0] > several["tyre.u"][0][0] + 1.0
    tree, free = (
        mbs.simulate(m, 0.2, method="rodas5p", rtol=1e-9, output_interval=0.02, **more)
        for more in ({}, {"formulation": "absolute"})
    )
    for name, bound in (("tyre.u", 1e-6), ("wheel.fz", 1e-2)):
        assert_close(free[name], tree[name], bound, f"{name} in absolute coordinates", times=tree.time)


@pytest.mark.slow
def test_sensitivities_and_gradients_equal_differences() -> None:
    """By a parameter and by start values, whose place of the wheel the start computes again."""
    m, settings = cart(bend()), {"method": "rk4", "step": 1e-3, "output_interval": 0.02}
    given = {"pull": (50.0, 1e-2), "arm.phi": (0.3, 1e-6)}
    result = mbs.simulate(m, 0.1, **settings, sensitivities=list(given))
    for name, (value, h) in given.items():
        what = "start" if "." in name else "parameters"
        ends = [mbs.simulate(m, 0.1, **settings, **{what: {name: value + sign * h}}) for sign in (1, -1)]
        for column in ("tyre.u", "sled.q[2]", "wheel.fz"):
            place = result.columns.index(column)
            expected = (ends[0][column] - ends[1][column]) / (2.0 * h)
            bound = 1e-4 * max(1e-6, np.abs(expected).max())
            assert_close(result.sensitivities[name][:, place], expected, bound, f"{column} by {name}")
    run = mbs.rollout(m, 1e-3, 50, ["pull"])
    trajectory, vjp = run.vjp()
    weights = np.zeros_like(trajectory.x), np.zeros_like(trajectory.y)
    weights[0][-1] = np.random.default_rng(0).normal(size=weights[0].shape[1])
    found = vjp(*weights)
    for k in range(len(run.x0)):
        h = 1e-6 * np.eye(len(run.x0))[k]
        ends = [float(weights[0][-1] @ run(x=run.x0 + sign * h).x[-1]) for sign in (1, -1)]
        assert found.x[k] == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-4, abs=1e-4), run.states[k]


@pytest.mark.slow
def test_jacobians_and_linear_models_equal_differences() -> None:
    """Of the rates by the states; errors of the place decay at 100 1/s."""
    f = mbs.ode(cart(bend()))
    x = np.array(f.x0)
    A = f.jacobian(0.0, x)
    for k, name in enumerate(f.states):
        h = 1e-6 * np.eye(len(x))[k]
        column = (np.array(f(0.0, x + h)) - np.array(f(0.0, x - h))) / 2e-6
        assert_close(A[:, k], column, 1e-4 * max(1.0, np.abs(column).max()), name)
    rates = np.linalg.eigvals(mbs.linearize(cart(bend(), speed=0.0)).A)
    assert np.abs(rates + 100.0).min() < 1e-6


@pytest.mark.slow
def test_a_car_has_four_places() -> None:
    """In a bend with a constant steering angle: those of its wheels, and lanes have the bits of single runs."""
    road = bend(0.002)
    m = sliding_car(car_tyre(), 8.0, steer=2.7 / RADIUS, road=road)
    m.start("chassis", q=(4.0, 0.2, 0.5, 1, 0, 0, 0.05))
    for k in CORNERS:
        m.output(f"p_{k}", mbs.position(f"w{k}"), unit="m")
    m.output("car", mbs.along(road, "chassis"))
    result = mbs.simulate(m, 1.5, **STEPS)
    for k in CORNERS:
        u = road.line.feet(result[f"p_{k}"][:, :2])
        assert_close(result[f"tyre_{k}.u"], u, 1e-6, f"place of {k}", times=result.time)
    between = 0.5 * (result["tyre_fl.u"] + result["tyre_rl.u"])
    assert_close(result["car.u"], between, 0.5, "place of the car", times=result.time)
    assert result["car.u"][-1] - result["car.u"][0] > 11.0 and np.abs(result["car.heading"]).max() < 0.2
    speeds = [7.9, 8.0, 8.1, 8.2]
    several = mbs.simulate(m, 0.1, **STEPS, batch=mbs.Batch(start={"chassis.u[1]": speeds}, lanes=4))
    single = mbs.simulate(m, 0.1, **STEPS, start={"chassis.u[1]": 8.2})
    assert np.array_equal(several[3].data, single.data)


def eight() -> mbs.CurvedGrid:
    """Return a course that crosses itself at x = y = 0, at two heights."""
    s = np.linspace(-1.0, 4.0, 5001)
    places = np.column_stack([30.0 * np.sin(s), 15.0 * np.sin(2 * s)])
    length = np.r_[0.0, np.cumsum(np.linalg.norm(np.diff(places, axis=0), axis=1))]
    u = np.linspace(0.0, length[-1], 401)
    x, y = (np.interp(u, length, column) for column in places.T)
    return mbs.CurvedGrid(u, [-2.0, 2.0], 0.01 * np.column_stack([u, u]), x, y)


def rolling(road: mbs.CurvedGrid, place: tuple[float, float], speed: float, **more: Any) -> mbs.Model:
    """Return a wheel that is drawn straight along x and y at 45 degrees from a place, and a light body above it."""
    m = mbs.Model("rolling")
    pose = mbs.Pose((*place, 0.0), mbs.rpy(0, 0, -np.pi / 4))
    m.body("sled", joint=mbs.Prismatic("x"), mass=10.0, at=pose)
    m.drive("draw", on="sled", position=speed * mbs.time)
    m.body("car", "sled", mbs.Prismatic("z"), mass=200.0)
    m.body("wheel", "car", mbs.Revolute("y"), mass=20.0, inertia=(0.6, 1.0, 0.6))
    m.tyre("tyre", "wheel", mbs.Tyre.linear(8e4, 8e4, 0.9, radius=0.3, stiffness=2e5, damping=3e3), road=road, **more)
    m.start("car", q=road.height(*place) + 0.3)
    m.start("wheel", u=speed / 0.3)
    m.output("place", mbs.along("tyre"))
    m.output("p", mbs.position("wheel"), unit="m")
    return m


@pytest.mark.slow
def test_a_wheel_keeps_its_branch_where_a_course_crosses_itself() -> None:
    """`near` selects the other one at the start, also with the state's own start value, which has no effect."""
    road = eight()
    crossing = [road.line.feet(np.array([p]))[0] for p in ((0.5, -0.5), (0.5, 0.5))]
    assert abs(crossing[0] - crossing[1]) > 30.0
    start = (-5.0, 5.0)
    m = rolling(road, start, 10.0)
    result = mbs.simulate(m, 1.2, **STEPS)
    assert np.abs(np.diff(result["tyre.u"])).max() < 0.3 and abs(result["tyre.u"][-1] - result["tyre.u"][0]) > 10.0
    here = mbs.simulate(rolling(road, (0.5, -0.5), 0.0), 0.02, **STEPS)["tyre.u"][0]
    there = mbs.simulate(rolling(road, (0.5, -0.5), 0.0, near=float(crossing[1]) - 2.0), 1e-3, **STEPS)["tyre.u"][0]
    assert here == pytest.approx(crossing[0], abs=1e-6) and there == pytest.approx(crossing[1], abs=1.5)
    again = mbs.simulate(rolling(road, (0.5, -0.5), 0.0), 1e-3, **STEPS, start={"tyre.u": 3.0})["tyre.u"][0]
    assert again == here


@pytest.mark.slow
def test_a_wheel_that_loses_its_place_fails() -> None:
    """By a reset of the state, beyond the centre of curvature, or with a start that is not near."""
    m = cart(bend())
    m.event("wrong", mbs.time - 0.1, reset={"tyre.u": mbs.signal("tyre.u") + 3.0 * OFF})
    with pytest.raises(mbs.SimulationError, match=r"tyre 'tyre' is not at its place on the reference line .* not res"):
        mbs.simulate(m, 0.2, **STEPS)
    inner = rolling(bend(0.0), (4.0, RADIUS - 4.0), -10.0)  # through the centre of the bend
    with pytest.raises(mbs.SimulationError, match=r"tyre 'tyre' is at the centre of curvature of the reference line"):
        mbs.simulate(inner, 1.0, **STEPS)
    with pytest.raises(mbs.ModelError, match=r"tyre 'tyre' is not at its place .* a better near="):
        mbs.simulate(cart(bend(), near=200.0), 0.1, **STEPS)


@pytest.mark.slow
@pytest.mark.parametrize("steps", [STEPS, {"method": "rodas5p"}])
def test_the_centre_of_curvature_is_named_where_a_bend_ends(steps: dict[str, Any]) -> None:
    """There the curvature changes along the line, and the wheel's place runs into the bend within a step."""
    u, radius = 0.5 * np.arange(321), 50.0
    line = radius * np.sin(u / radius), radius - radius * np.cos(u / radius)
    road = mbs.CurvedGrid(u, [-3.0, 3.0], np.zeros((321, 2)), *line)
    m = mbs.Model("along_x")
    m.body("car", joint=mbs.Compound(mbs.slide("x"), mbs.slide("z")), mass=200.0, at=(-5.0, 49.854, 0))
    m.body("wheel", "car", mbs.Revolute("y"), mass=20.0, inertia=(0.6, 1.0, 0.6))
    m.tyre("tyre", "wheel", mbs.Tyre.linear(8e4, 8e4, 0.9, radius=0.3, stiffness=2e5, damping=3e3), road=road)
    m.start("car", q=(0, 0.29), u=(10.0, 0))
    m.start("wheel", u=10.0 / 0.3)
    with pytest.raises(mbs.SimulationError, match=r"tyre 'tyre' is at the centre of curvature of the reference line"):
        mbs.simulate(m, 0.7, **steps)


@pytest.mark.quick
def test_wrong_arguments_are_refused() -> None:
    """`near` on a road without a line, and measures of something else."""
    with pytest.raises(mbs.ModelError, match="near= is the place on a curved reference line, which its road does not"):
        cart(mbs.Profile([0, 1], [0, 0]), near=3.0)
    with pytest.raises(mbs.ModelError, match="is not the name of a tyre: give one, or a road and a body"):
        mbs.along(bend())
    with pytest.raises(mbs.ModelError, match=r"'tyre' is not a road: give mbs\.CurvedGrid"):
        mbs.along("tyre", "wheel")
    m = cart(bend())
    m.output("strut", mbs.along("strut").u)
    with pytest.raises(mbs.ModelError, match=r"has no mbs.along, tyres \(m.tyre\) have one"):
        mbs.simulate(m, 0.1, **STEPS)
