"""Paths of points: they follow the motion between the page's frames, within a bounded number of points."""

from __future__ import annotations

import numpy as np
import pytest
from view.test_page import decoded

import mbs_fmu as mbs
from mbs_fmu.view.animation import animation_data
from mbs_fmu.view.poses import Rows
from mbs_fmu.view.traces import MOST_POINTS, TURN, path
from support.comparisons import assert_close

pytestmark = pytest.mark.quick


def wheel() -> mbs.Model:
    """A sledge along x with a wheel about its y axis."""
    m = mbs.Model("wheel")
    m.body("sledge", joint=mbs.Prismatic("x"), mass=1.0)
    m.body("wheel", "sledge", mbs.Revolute("y"), mass=1.0, inertia=(1.0, 1.0, 1.0))
    return m


def motion(time: np.ndarray, speed: float, rate: float, curved: float = 0.0) -> dict[str, np.ndarray]:
    """Columns of the wheel: speed of the sledge, m/s, rate of the wheel, rad/s, and a cubic term of both, per s³."""
    return {
        "time": time, "sledge.s": speed * time + curved * time**3, "sledge.v": speed + 3 * curved * time**2,
        "wheel.phi": rate * time + curved * time**3, "wheel.w": rate + 3 * curved * time**2,
    }  # fmt: skip


def on_path(time: np.ndarray, speed: float, rate: float, curved: float = 0.0) -> np.ndarray:
    """The point (0.5, 0, 0) of the wheel at these times."""
    columns = motion(time, speed, rate, curved)
    phi = columns["wheel.phi"]
    return np.column_stack([columns["sledge.s"] + 0.5 * np.cos(phi), 0.0 * phi, -0.5 * np.sin(phi)])


def bends(points: np.ndarray) -> np.ndarray:
    """Angles between consecutive steps, rad."""
    steps = np.diff(points, axis=0)
    steps /= np.linalg.norm(steps, axis=1, keepdims=True)
    return np.asarray(np.arccos(np.clip(np.einsum("ij,ij->i", steps[1:], steps[:-1]), -1.0, 1.0)))


@pytest.mark.parametrize("seed", range(8))
def test_paths_are_those_of_the_motion(seed: int) -> None:
    """All points are exact for coordinates that are cubic in time, also for few rows per turn; none bends visibly."""
    rng = np.random.default_rng(seed)
    speed, rate, curved = rng.uniform(-1, 1), rng.uniform(10, 300), rng.uniform(-1, 1)
    time = np.sort(rng.uniform(0.0, 1.0, rng.integers(20, 200)))
    rows = Rows(motion(time, speed, rate, curved), {})
    shown = np.arange(0, len(time), 3)
    times, points = path(wheel(), rows, shown, "wheel", np.array([0.5, 0.0, 0.0]))
    assert np.isin(time[shown], times).all() and (np.diff(times) >= 0.0).all()
    assert_close(points, on_path(times, speed, rate, curved), 1e-9, "points of the path")
    angle = max(TURN, rate * np.ptp(time) / MOST_POINTS)
    assert bends(points[np.append(True, np.diff(times) > 1e-9)]).max() < 2.5 * angle


def test_rows_are_chosen_by_their_turn() -> None:
    """Of many rows, a circle keeps about 72 for each turn, and a straight path only those of the frames."""
    time = np.linspace(0.0, 1.0, 10_001)
    shown = np.arange(0, 10_001, 1000)
    for rate, expected in ((2 * np.pi, 72), (8 * np.pi, 4 * 72), (0.0, 0)):
        times, _ = path(wheel(), Rows(motion(time, 1e-3, rate), {}), shown, "wheel", np.array([0.5, 0.0, 0.0]))
        assert abs(len(times) - expected - (len(shown) if rate == 0.0 else 0)) <= len(shown)
    still, _ = path(wheel(), Rows(motion(time, 1.0, 0.0), {}), shown, "wheel", np.array([0.5, 0.0, 0.0]))
    assert np.array_equal(still, time[shown])


def test_paths_are_bounded() -> None:
    """Even 10 000 turns give no more points than the limit and the frames."""
    time = np.linspace(0.0, 10.0, 50_001)
    shown = np.arange(0, 50_001, 100)
    times, points = path(wheel(), Rows(motion(time, 0.0, 2e3 * np.pi), {}), shown, "wheel", np.array([0.5, 0.0, 0.0]))
    assert len(times) <= 2 * MOST_POINTS + len(shown)
    assert_close(np.linalg.norm(points, axis=1), 0.5, 1e-9, "radius of the path")


def test_results_without_velocities_and_with_jumps() -> None:
    """Without velocities the path is that of the rows; two rows at one time, as at an impact, have none between."""
    time = np.linspace(0.0, 1.0, 50)
    columns = motion(time, 0.0, 100.0)
    shown = np.arange(0, 50, 7)
    given = Rows({name: columns[name] for name in ("time", "sledge.s", "wheel.phi")}, {})
    times, points = path(wheel(), given, shown, "wheel", np.array([0.5, 0.0, 0.0]))
    assert np.isin(times, time).all()
    assert_close(points, on_path(times, 0.0, 100.0), 1e-12, "points of the path")
    doubled = np.sort(np.append(time, time[25]))
    times, points = path(wheel(), Rows(motion(doubled, 0.0, 1.0), {}), shown, "wheel", np.array([0.5, 0.0, 0.0]))
    assert np.isfinite(points).all()
    one, _ = path(wheel(), Rows(motion(time[:1], 0.0, 1.0), {}), np.array([0]), "wheel", np.zeros(3))
    assert len(one) == 1


def test_a_trace_of_the_page() -> None:
    """The page has more points of a fast path than it has frames."""
    time = np.linspace(0.0, 1.0, 241)
    columns = motion(time, 0.0, 200.0)
    result = mbs.Result("wheel", list(columns), np.column_stack(list(columns.values())), {}, {}, model=wheel())
    data = animation_data(result.recorded(wheel()), [("wheel", (0.5, 0, 0))])
    (trace,) = data["traces"]
    times, points = decoded(trace["times"], "<f8"), decoded(trace["points"]).reshape(-1, 3)
    assert len(times) == len(points) > 8 * len(decoded(data["time"], "<f8"))
    assert_close(points, on_path(times, 0.0, 200.0), 1e-6, "points of the trace")  # single precision
