"""Redundant conditions and singular configurations: folded four-bars, and loops that move by their shape alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import mbs_fmu as mbs
from mbs_fmu.model.model import Model
from mbs_fmu.run.errors import SimulationError
from support.cases import tiers
from support.comparisons import assert_close
from support.generators.mechanisms import random_rotation
from support.models.linkages import TILT, G, bennett, bricard, double_parallelogram, quadrilateral
from support.oracles.dense import Dense

SCALES = [(1e-3, 1e-3), (1e3, 1e3), (1e-3, 1e3), (1e3, 1e-3)]  #: size and mass: mm and g, km and t, and mixed
LONG = pytest.mark.slow


def pendulum(posts: int, phi: float, w: float, times: np.ndarray) -> np.ndarray:
    """Return the angle of a parallelogram: posts of 1 kg and 1 m turn, a coupler of 2 kg revolves without turning."""
    inertia, moment = posts / 3 + 2.0, posts / 2 + 2.0
    span = (0.0, float(times[-1]))
    solution = solve_ivp(
        lambda _, y: [y[1], -G * moment / inertia * np.cos(y[0])],
        span,
        [phi, w],
        "DOP853",
        times,
        rtol=1e-12,
        atol=1e-12,
    )
    return solution.y[0]


@pytest.mark.parametrize("stop", [10.0, pytest.param(100.0, marks=LONG)])
@pytest.mark.parametrize(("w", "posts"), [(0.0, 3), pytest.param(9.0, 2, marks=LONG), pytest.param(0.0, 2, marks=LONG)])
def test_parallelograms_pass_their_folded_positions(w: float, posts: int, stop: float) -> None:
    """In a tilted plane, closed by hinges in space, it stays a parallelogram and moves as a pendulum does.

    A small error of the energy shifts the phase in proportion to time: the bound grows with the square of time.
    """
    linkage = quadrilateral if posts == 2 else double_parallelogram
    sides = (1, 2, 1, 2) if posts == 2 else ()
    model = linkage(*sides, 1.0, w, tilt=TILT)
    r = mbs.simulate(model, stop, rtol=1e-10, output_interval=0.1)
    assert r.statistics["rank"] == posts and r.statistics["conditions"] == 5 * (posts - 1)
    assert np.ptp(r["crank.phi"]) > np.pi + 1.9  # passes both folded positions
    assert_close(
        r["crank.phi"], pendulum(posts, 1.0, w, r.time), 1e-7 * (stop / 10.0) ** 2, "angle of the crank", times=r.time
    )
    assert_close(r["rocker.phi"], r["crank.phi"], 1e-9, "angle of the rocker", times=r.time)
    assert_close(r["coupler.phi"], -r["crank.phi"], 1e-9, "angle of the coupler", times=r.time)
    assert r.statistics["residual"] < 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("driven", [True, False])
@pytest.mark.parametrize("method", ["dopri5", *(pytest.param(name, marks=LONG) for name in ("dop853", "tsit5"))])
def test_runs_that_start_at_folded_positions_continue(method: str, driven: bool) -> None:
    """A parallelogram turns evenly and starts exactly where it is folded, or nearly so.

    It is driven under its weight, or free and without.
    """
    turns = 2.0 * np.pi
    model = quadrilateral(1, 2, 1, 2, 0.5 * np.pi, turns)
    if driven:
        del model.starts["crank"]
        model.drive("turning", "crank", 0.5 * np.pi + turns * mbs.time)
    else:
        model.gravity = (0.0, 0.0, 0.0)
    for shift in (0.0, 1e-9, 1e-6):
        r = mbs.simulate(model, 1.0 - shift, output_interval=0.25 - shift, method=method, rtol=1e-8)
        assert_close(r["rocker.w"], turns, 1e-6, "angular velocity of the rocker", times=r.time)
        assert_close(r["coupler.w"], -turns, 1e-6, "angular velocity of the coupler", times=r.time)
        assert_close(r["rocker.phi"] - 0.5 * np.pi, turns * r.time, 1e-6, "angle of the rocker", times=r.time)


CHANGE_POINTS = {
    "kite": (1, 1, 2, 2, 1.0, 0.0),
    "kite in turns": (1, 1, 2, 2, 1.0, 9.0),
    "1322": (1, 3, 2, 2, 1.0, 0.0),
    "1322 in turns": (1, 3, 2, 2, 1.0, 11.0),
}


@pytest.mark.slow
@pytest.mark.parametrize("closure", ["hinge", "line"])
@pytest.mark.parametrize("name", CHANGE_POINTS)
def test_change_points_with_error_control_keep_loops_and_energy(name: str, closure: str) -> None:
    """Four-bars that fold flat stay closed and keep their branch for 100 s, and the error of the energy is that of the
    steps.

    The weights move up and down by 100 J. The error of the energy is that of some hundred passes. Turned in space, they
    pass at other last digits: no pass may depend on these.
    """
    joint = mbs.OnLine("z") if closure == "line" else None
    for rtol, lost in ((None, 1.0), (1e-8, 0.02)):
        for seed in range(8):
            model = quadrilateral(*CHANGE_POINTS[name], joint, tilt=random_rotation(np.random.default_rng(seed)))
            r = mbs.simulate(model, 100.0, rtol=rtol, output_interval=0.1)
            assert np.all(np.isfinite(r.data))
            assert r.statistics["rank"] == 2 and r.statistics["residual"] < 1e-8
            assert np.abs(r["E"] - r["E"][0]).max() < lost, seed


@pytest.mark.parametrize("step", [pytest.param(0.01, marks=LONG), 0.005, pytest.param(0.002, marks=LONG)])
@pytest.mark.parametrize("name", tiers(list(CHANGE_POINTS), usual=1))
def test_change_points_with_fixed_steps_create_no_energy(name: str, step: float) -> None:
    """With rk4, a pass of a folded position must not create energy (100 J move up and down).

    The mechanisms move in turns by 0.1 rad in a step of 10 ms, which rk4 resolves to a tenth of the energy only.
    """
    for seed in range(4):
        model = quadrilateral(*CHANGE_POINTS[name], mbs.OnLine("z"), tilt=random_rotation(np.random.default_rng(seed)))
        try:
            r = mbs.simulate(model, 30.0, method="rk4", step=step, output_interval=0.1)
        except SimulationError as error:
            pytest.fail(str(error))
        assert r.statistics["residual"] < 1e-6
        assert np.abs(r["E"] - r["E"][0]).max() < (10.0 if step > 0.005 else 1.5), seed


# -- loops that move by their shape alone ------------------------------------------------------------------------


def minimal(model: Model, times: np.ndarray, w: float) -> np.ndarray:
    """Return angle and rate of the first rod, the only degree of freedom: all others follow from it, at every stage."""
    dense = Dense(model)
    last = dense.q0

    def rates(_: float, y: np.ndarray) -> list[float]:
        nonlocal last
        last, _ = dense.consistent(np.array([y[0], *last[1:]]), np.zeros(dense.n), held=["rod0"])
        _, u = dense.consistent(last, np.array([y[1], *np.zeros(dense.n - 1)]), held=["rod0"])
        return [y[1], dense.accelerations(last, u)[0][0]]

    span = (0.0, float(times[-1]))
    return solve_ivp(rates, span, [dense.q0[0], w], "DOP853", times, rtol=1e-10, atol=1e-10).y


@pytest.mark.parametrize("stop", [1.0, pytest.param(10.0, marks=LONG)])
@pytest.mark.slow
@pytest.mark.parametrize(("mechanism", "rank"), [(bricard, 4), (bennett, 2)])
def test_paradoxical_loops_move_with_one_degree_of_freedom(mechanism: Any, rank: int, stop: float) -> None:
    """Bricard's six hinges and Bennett's four move with one degree of freedom; the reference uses
    one coordinate alone.
    """
    model = mechanism(w=2.0)
    r = mbs.simulate(model, stop, rtol=1e-10, output_interval=0.1)
    angle, rate = minimal(model, r.time, 2.0)
    assert r.statistics["rank"] == rank and r.statistics["conditions"] == 5
    assert_close(r["rod0.phi"], angle, 1e-7, "angle of rod0", times=r.time)
    assert_close(r["rod0.w"], rate, 1e-6, "angular velocity of rod0", times=r.time)
    assert r.statistics["residual"] < 1e-12
    assert np.ptp(r["E"]) < 1e-7
    fixed = mbs.simulate(model, stop, method="rk4", step=0.005, output_interval=0.1)
    assert fixed.statistics["rank"] == rank
    assert_close(fixed["rod0.phi"], angle, 1e-6, "angle of rod0 by rk4", times=r.time)


def four_bar(**settings: Any) -> Model:
    return quadrilateral(1, 2, 1.5, 2, 2.0, 2.0, **settings)


@pytest.mark.parametrize("mechanism", tiers({"four_bar": four_bar, "bricard": bricard, "bennett": bennett}, usual=1))
def test_rank_and_motion_are_independent_of_scale_and_attitude(mechanism: Any) -> None:
    """In mm and g, in km and t, in mixed units and turned in space, rank and angles are the same."""
    w = {} if mechanism is four_bar else {"w": 2.0}
    run: dict[str, Any] = {"rtol": 1e-10, "output_interval": 0.1}
    plain = mbs.simulate(mechanism(**w), 2.0, **run)
    names = [name for name in plain.columns if name.endswith((".phi", ".w"))]
    tilted = mechanism(tilt=TILT, **w)
    models = [tilted, *(mechanism(size=size, weight=weight, tilt=TILT, **w) for size, weight in SCALES)]
    for model in models:
        r = mbs.simulate(model, 2.0, **run)
        assert r.statistics["rank"] == plain.statistics["rank"]
        for name in names:
            assert np.abs(r[name] - plain[name]).max() < 1e-7, name
