"""Relaxation lengths at large slip: what tyres give back after slip, wheels that land at rest."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from support.cases import some_quick, tiers
from support.generators.mechanisms import Plain
from support.models.tyres import car_tyre

BODY, WHEEL, INERTIA = 400.0, 20.0, 1.2  #: kg, kg, kg m² about the hinge
RIGID = 1e10  #: N/m, vertical: the loaded radius is the effective one, so that force and slip have one lever


def tyres(stiffness: float) -> dict[str, mbs.Tyre]:
    """Return tyres with a vertical stiffness, N/m; the Magic Formula without shifts, so that no slip means no force."""
    changed = {"LHX": 0.0, "LVX": 0.0, "BREFF": 0.0, "DREFF": 0.0, "FREFF": 0.0, "VERTICAL_STIFFNESS": stiffness}
    return {
        "linear": mbs.Tyre.linear(6e4, 5e4, 0.9, radius=0.3, stiffness=stiffness, damping=400.0),
        "brush": mbs.Tyre.brush(
            radius=0.31, stiffness=stiffness, load=4000.0, slip_stiffness=8e4, friction=0.95, relaxation=0.4
        ),
        "Magic Formula": car_tyre(**changed),
    }


def relaxation_length(kind: str, load: float) -> float:
    """Return the longitudinal relaxation length of small slips, m, by the numbers of `tyres` and (T11)."""
    df = load / 4850.0 - 1.0
    magic = load * (2.3657 + 1.4112 * df) * math.exp(-0.56626 * df) * 0.344 / 4850.0
    return {"linear": 0.3, "brush": 0.4 * math.sqrt(load / 4000.0), "Magic Formula": magic}[kind]


def friction(kind: str, load: float) -> float:
    """Return the coefficient of friction by the numbers of `tyres`."""
    return {"linear": 0.9, "brush": 0.95, "Magic Formula": 1.1739 - 0.16395 * (load / 4850.0 - 1.0)}[kind]


def shortest(tyre: mbs.Tyre, speed: Any) -> Any:
    """Return the shortest relaxation length at a speed (m/s) of a wheel that slides no faster than 1.5 times it, m."""
    return np.maximum(0.1 * tyre.radius, 2e-3 * speed)


def stored(kind: str, tyre: mbs.Tyre, load: float, kappa: np.ndarray, speed: np.ndarray) -> np.ndarray:
    """Return the integral of relaxation length times force over slip, J: what a tyre gives back at a constant load.

    From sigma kappa' = -Vsx - a kappa, the power of the force, F Vsx, is minus its rate and minus a kappa F. It falls
    with a falling speed (m/s).
    """
    grid = np.linspace(-1.6, 1.6, 3201)
    forces = tyre.forces(load, grid)
    normalised = np.abs(grid) * tyre.forces(load).kappa_stiffness / (friction(kind, load) * load)
    length = relaxation_length(kind, load) * np.interp(normalised, (0.5, 1.5), (1.0, 0.0))
    kept = []
    for k, v in zip(kappa, speed, strict=True):
        slope = np.maximum(length, shortest(tyre, v)) * forces.fx
        integral = np.concatenate([[0.0], np.cumsum(0.5 * (slope[1:] + slope[:-1]) * np.diff(grid))])
        kept.append(np.interp(k, grid, integral - integral[1600]))
    return np.array(kept)


def sliding_wheel(tyre: mbs.Tyre, load: float, speed: float, turning: float) -> mbs.Model:
    """Return a body on one wheel under a constant load (N), with the speed (m/s) and angular velocity (rad/s)."""
    m = mbs.Model("sliding_wheel", gravity=(0, 0, 0))
    m.body("body", joint=mbs.Prismatic("x"), mass=BODY, at=(0, 0, tyre.loaded_radius(load)))
    m.body("wheel", "body", mbs.Revolute("y"), mass=WHEEL, inertia=(1, INERTIA, 1))
    m.tyre("tyre", "wheel", tyre, side="left" if tyre.side else None)
    m.start("body", u=speed)
    m.start("wheel", u=turning)
    m.output("energy", mbs.energy())
    m.output("wheel", mbs.wheel("tyre"))
    return m


@pytest.mark.parametrize("case", tiers(range(18), usual=1))
def test_a_sliding_wheel_gains_only_what_its_tyre_stores(case: int) -> None:
    """Kinetic energy plus `stored` never rises while a wheel brakes, for random loads, speeds and angular velocities.

    The store holds at most D²/(2c) of the carcass, with the limit of friction D and its stiffness c = K/sigma, and the
    shortest length times D and the slip. The bound is the tolerance of the run and of the quadrature.
    """
    kind, tyre = list(tyres(RIGID).items())[case % 3]
    rng = np.random.default_rng((case, 31))
    load, speed = rng.uniform(1500.0, 9000.0), rng.uniform(6.0, 40.0)
    turning = rng.choice([0.0, rng.uniform(-0.5, 1.0)]) * speed / tyre.radius
    r = mbs.simulate(sliding_wheel(tyre, load, speed, turning), 0.3, method="dopri5", rtol=1e-9)
    kept = stored(kind, tyre, load, r["wheel.kappa"], r["body.v"])
    total = r["energy"] + kept
    assert np.diff(total).max() < 1e-6 * abs(r["energy"][0])
    limit = friction(kind, load) * load
    carcass = limit**2 * relaxation_length(kind, load) / (2.0 * tyre.forces(load).kappa_stiffness)
    assert kept.max() < carcass + shortest(tyre, speed) * limit * np.abs(r["wheel.kappa"]).max()
    rise = (r["energy"] - np.minimum.accumulate(r["energy"])).max()
    assert rise <= kept.max() + 1e-6 * abs(r["energy"][0])


@pytest.mark.parametrize("case", tiers(range(9), usual=1))
def test_a_wheel_that_lands_at_rest_gains_no_energy(case: int) -> None:
    """At 15 to 40 m/s and from up to 0.1 m, the energy never exceeds that at the start.

    The wheel turns at most half as fast again as in free rolling.
    With constant relaxation lengths, the wheel of the first case would turn at 2.6 times the speed of free rolling.
    """
    tyre = list(tyres(2e5).values())[2 - case % 3]
    rng = np.random.default_rng((case, 32))
    speed, drop = (15.0, 0.0) if case == 0 else (rng.uniform(15.0, 40.0), rng.uniform(0.0, 0.1))
    m = mbs.Model("landing")
    m.body("body", joint=mbs.Compound(mbs.slide("x"), mbs.slide("z")), mass=BODY)
    m.body("wheel", "body", mbs.Revolute("y"), mass=WHEEL, inertia=(1, INERTIA, 1))
    m.tyre("tyre", "wheel", tyre, side="left" if tyre.side else None)
    m.start("body", q=(0, tyre.radius + drop), u=(speed, 0))
    m.output("energy", mbs.energy())
    r = mbs.simulate(m, 0.5, method="dopri5", rtol=1e-8, output_interval=1e-3)
    assert (r["energy"] - r["energy"][0]).max() < 1e-7 * r["energy"][0]
    assert r["wheel.w"].max() * tyre.effective_radius(4000.0) < 1.5 * speed


@pytest.mark.parametrize("speed", [15.0, 60.0])
def test_locked_wheels_are_stable_with_steps_of_four_milliseconds(speed: float) -> None:
    """The slip of a locked wheel is -1, and friction brakes the body, by at least half its largest force."""
    tyre = tyres(2e5)["Magic Formula"]
    m = sliding_wheel(tyre, 4000.0, speed, 0.0)
    m.friction("brake", on="wheel", torque=8000.0, stick=True)
    r = mbs.simulate(m, 0.4, method="rk4", step=4e-3, output_interval=0.02)
    assert r["wheel.kappa"][-1] == pytest.approx(-1.0, abs=1e-9)
    assert r["body.v"][-1] < speed - 0.5 * friction("Magic Formula", 4000.0) * 4000.0 / (BODY + WHEEL) * 0.4


@pytest.mark.quick
@pytest.mark.parametrize("share", some_quick([0.49, 1.6, 0.1, 1.0, 4.0], 2))
@pytest.mark.parametrize("kind", ["linear", "brush"])
def test_relaxation_lengths_follow_the_slope(kind: str, share: float) -> None:
    """In free rolling the slip decays over the length (T15); below half the limit of friction over the whole length.

    share: slip stiffness times slip, over the limit of friction. The bound is eps times radius over deflection, of
    which the load is computed, times ten.
    """
    tyre, load, speed = tyres(RIGID)[kind], 4000.0, 10.0
    m = sliding_wheel(tyre, load, speed, speed / tyre.effective_radius(load))
    slip = share * friction(kind, load) * load / tyre.forces(load).kappa_stiffness
    m.states["tyre.kappa"] = replace(m.states["tyre.kappa"], start=-slip)
    plain = Plain(m)
    rate = plain.rates()[plain.labels("rates").index("state 'tyre.kappa'")]
    length = relaxation_length(kind, load) * min(max(1.5 - share, 0.0), 1.0)
    assert rate == pytest.approx(speed * slip / max(length, shortest(tyre, speed)), rel=1e-9)
