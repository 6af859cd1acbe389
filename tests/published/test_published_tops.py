"""Published orbits in central gravity and tops, and closed-form solutions by Kepler's equation and by quadratures.

As in test_published.py every case has two tests, with figures in this file and with the whole published table.
"""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

import mbs_fmu as mbs
from support.comparisons import assert_close
from support.oracles.published_results import body_columns, body_outputs, msl_table, run

# -- central gravity -------------------------------------------------------------------------------------

ORBITS = {1: ((0, 0.6, 0), (1, 0, 0)), 2: ((0.6, 0.6, 0), (0.6, 0, 0))}  #: m, m/s


def point_gravity() -> mbs.Model:
    """PointGravity: two bodies of 1 kg around a centre of mu = 1 m³/s²."""
    m = mbs.Model("point_gravity", gravity=mbs.PointGravity(mu=1.0))
    for n, (r, v) in ORBITS.items():
        body = m.body(f"body{n}", joint=mbs.Free(), mass=1.0, inertia=(0.1, 0.1, 0.1))
        m.start(body, q=(*r, 1, 0, 0, 0), u=(*v, 0, 0, 0))
        body_outputs(m, body, str(n))
        m.output(f"moment{n}", mbs.angular_momentum(body))
    m.output("energy", mbs.energy())
    return m


def kepler(r: Any, v: Any, t: float) -> tuple[np.ndarray, np.ndarray]:
    """Position and velocity after t on an ellipse with mu = 1, by the eccentric anomaly passed (Lagrange's f and g)."""
    r, v = np.array(r, dtype=float), np.array(v, dtype=float)
    r0 = math.sqrt(r @ r)
    a = 1 / (2 / r0 - v @ v)
    slope = r @ v / math.sqrt(a)

    def late(x: float) -> float:
        return x - (1 - r0 / a) * math.sin(x) + slope * (1 - math.cos(x)) - t * a**-1.5

    x = brentq(late, 0.0, t * a**-1.5 + 10.0, xtol=1e-15, rtol=1e-15)
    f, g = 1 - a / r0 * (1 - math.cos(x)), t - a**1.5 * (x - math.sin(x))
    there = f * r + g * v
    distance = math.sqrt(there @ there)
    f_rate, g_rate = -math.sqrt(a) * math.sin(x) / (distance * r0), 1 - a / distance * (1 - math.cos(x))
    return there, f_rate * r + g_rate * v


@pytest.fixture(scope="module")
def orbits() -> mbs.Result:
    return run(point_gravity(), 5.0, 0.001)


@pytest.mark.parametrize("number", ORBITS)
def test_bodies_move_on_keplers_ellipses(orbits: mbs.Result, number: int) -> None:
    """Positions and velocities by Kepler's equation, to 1e-8; energy and angular momentum are conserved."""
    for row in range(0, 5001, 250):
        r, v = kepler(*ORBITS[number], orbits.time[row])
        assert_close(orbits[f"r{number}"][row], r, 1e-8, f"position of body {number} at {orbits.time[row]:g} s")
        assert_close(orbits[f"v{number}"][row], v, 1e-7, f"velocity of body {number} at {orbits.time[row]:g} s")
    moment = orbits[f"moment{number}"]
    assert_close(moment, moment[0], 1e-10, f"angular momentum of body {number}", times=orbits.time)
    energies = (0.5 * np.array(v) @ np.array(v) - 1 / math.hypot(*r) for r, v in ORBITS.values())
    assert_close(orbits["energy"], sum(energies), 1e-8, "energy of all bodies", times=orbits.time)


ORBIT_FIGURES = {
    1: {
        0.25: ((0.237467857, 0.512807387, 0), (0.845708098, -0.70035281, 0)),
        0.5: ((0.386295132, 0.24902881, 0), (0.236367869, -1.40082228, 0)),
    },
    2: {
        0.25: ((0.720226646, 0.572430389, 0), (0.364162704, -0.210410755, 0)),
        0.5: ((0.782075367, 0.4982389, 0), (0.128316944, -0.378568002, 0)),
    },
}


@pytest.mark.parametrize("number", ORBITS)
def test_point_gravity_figures(orbits: mbs.Result, number: int) -> None:
    """Figures from the first half turn, where Dymola is exact to 1e-5 (by Kepler's equation)."""
    for time, figures in ORBIT_FIGURES[number].items():
        for quantity, values in zip("rv", figures, strict=True):
            assert orbits[f"{quantity}{number}"][round(time / 0.001)] == pytest.approx(values, abs=1e-5)


@pytest.mark.parametrize("number", ORBITS)
def test_point_gravity_table(orbits: mbs.Result, number: int, reference_folder: Path) -> None:
    """The published orbits, within their own errors.

    Their energy is off by up to 5e-4 of itself. By Kepler's third law an orbit with a relative error e of energy has a
    clock error of 1.5 e t and a size error of e: the tolerance is that times velocity and acceleration, plus 1e-5, the
    error of Dymola in the other examples.
    """
    table = msl_table("Elementary_PointGravity.csv", body_columns(number), reference_folder)
    times, r = table["r"]
    v = table["v"][1]
    distance = np.linalg.norm(r, axis=1)
    energy = 0.5 * np.sum(v * v, axis=1) - 1 / distance
    error = np.maximum.accumulate(np.abs(energy / energy[0] - 1))
    late = 1.5 * error * times
    rows = np.rint(times / 0.001).astype(int)
    off_r, off_v = (np.abs(orbits[f"{x}{number}"][rows] - y).max(axis=1) for x, y in (("r", r), ("v", v)))
    speed = np.linalg.norm(v, axis=1)
    assert np.all(off_r <= speed * late + error * distance + 1e-5)
    assert np.all(off_v <= late / distance**2 + error * speed + 1e-5)


# -- tops --------------------------------------------------------------------------------------------------

HEAVY_TOP = (-0.708279153, 0.438781088, 0.545728396, 0.0893997528)  #: quaternion at 0.2 s
LAGRANGE = {
    "lagrange_cusp_theta_max_deg": 36.89588176472599,
    "lagrange_nutation_period": 0.563365829928706,
    "lagrange_precession_per_nutation_rad": 0.7509804594142473,
    "lagrange_steady_precession_slow": 1.3434850821200255,
    "lagrange_steady_precession_fast": 14.052522096269993,
}


def test_heavy_top() -> None:
    """The heavy top of Brüls and Cardona (2010): 15 kg, 150 rad/s; its attitude after 0.2 s, nine digits."""
    m = mbs.Model("heavy_top", gravity=(0, 0, -9.81))
    top = m.body("top", joint=mbs.Spherical(), mass=15.0, com=(0, 1, 0), inertia=(0.234375, 0.46875, 0.234375))
    m.start(top, u=(0, 150, -4.61538))
    m.output("attitude", mbs.orientation(top))
    actual = run(m, 0.2, 0.2)["attitude"][-1]
    assert actual * math.copysign(1, actual @ HEAVY_TOP) == pytest.approx(HEAVY_TOP, abs=1e-9)


def lagrange_top(precession: float) -> mbs.Model:
    """1 kg half a metre along z from a ball joint, 0.3 and 0.1 kg m² about it; spin 40 rad/s, lean 30 degrees."""
    m = mbs.Model("lagrange_top", gravity=(0, 0, -9.81))
    top = m.body("top", joint=mbs.Spherical(), mass=1.0, com=(0, 0, 0.5), inertia=(0.05, 0.05, 0.1))
    half = math.radians(15)
    m.start(top, q=(math.cos(half), math.sin(half), 0, 0), u=(0, precession * math.sin(2 * half), 40))
    x, y, z = mbs.center_of_mass() / 0.5
    m.output("theta", mbs.acos(z))
    m.output("phi", mbs.atan2(x, -y))
    m.output("E", mbs.energy())
    return m


def test_lagrange_top_nutates() -> None:
    """From rest the top falls to a cusp's depth and rises again, in closed form, to 1e-9 rad."""
    period = LAGRANGE["lagrange_nutation_period"]
    result = run(lagrange_top(0.0), period, period / 2)
    start, deepest = math.radians(30), math.radians(LAGRANGE["lagrange_cusp_theta_max_deg"])
    assert result["theta"] == pytest.approx([start, deepest, start], abs=1e-9)
    assert result["phi"][-1] == pytest.approx(LAGRANGE["lagrange_precession_per_nutation_rad"], abs=1e-9)


@pytest.mark.parametrize("which", ["slow", "fast"])
def test_lagrange_top_precesses(which: str) -> None:
    """At both steady rates the lean is constant and the precession uniform, to 1e-9 rad over half a second."""
    rate = LAGRANGE[f"lagrange_steady_precession_{which}"]
    result = run(lagrange_top(rate), 0.5, 0.05)
    assert result["theta"] == pytest.approx(np.full(11, math.radians(30)), abs=1e-9)
    off = np.unwrap(result["phi"]) - rate * result.time
    assert_close(off, off[0], 1e-9, "precession angle minus its mean rate times time", times=result.time)


def test_tops_of_the_table(reference_folder: Path) -> None:
    """The figures in this file are those of the table of closed forms."""
    with open(reference_folder / "closed_forms" / "closed_forms.csv", encoding="utf-8") as lines:
        table = {row[0]: row[2] for row in csv.reader(lines)}
    assert tuple(float(x) for x in table["heavy_top_quat_t0.2"].split(";")) == HEAVY_TOP
    assert {name: float(table[name]) for name in LAGRANGE} == LAGRANGE
