"""Cars on four tyres: understeer gradient, standstill with locked brakes."""

from __future__ import annotations

import math

import numpy as np
import pytest

import mbs_fmu as mbs
from benchmarks.vehicles import CARRIER, MASS, WHEEL, A, B, G, sliding_car
from support.models.handling import EVEN, understeer

TOTAL = MASS + 4.0 * (CARRIER + WHEEL)  #: kg


@pytest.mark.slow
@pytest.mark.parametrize(("speed", "error"), [(10.0, 1e-3), (20.0, 3e-3), (30.0, 0.012)])
def test_understeer_gradient_is_that_of_the_bicycle_model(speed: float, error: float) -> None:
    """For a steering angle of 0.2° the gradient is 0.4986 mrad/(m/s²), with trails; less exact in faster curves."""
    tyre = mbs.Tyre(EVEN)
    assert understeer(tyre) == pytest.approx(0.4986e-3, rel=1e-3)
    angle, gains = math.radians(0.2), []
    for sign in (1.0, -1.0):
        m = sliding_car(tyre, speed, steer=sign * angle * mbs.min(mbs.time / 0.3, 1.0))
        r = mbs.simulate(m, 6.0, method="rk4", step=1e-3, output_interval=0.5)
        gains.append(sign * r["yaw_rate"][-1])
        v = r["speed"][-1]
    gain = 0.5 * sum(gains) / angle
    assert (v / gain - (A + B)) / v**2 == pytest.approx(understeer(tyre), rel=error)


@pytest.mark.slow
def test_a_braked_car_stands_on_a_slope() -> None:
    """On a slope of 15 % with locked wheels, the car moves by less than 1e-6 m in 20 s, and the tyres hold it."""
    slope = math.atan(0.15)
    m = sliding_car(mbs.Tyre(EVEN), 0.0, gravity=(-G * math.sin(slope), 0, -G * math.cos(slope)), brake=2500.0)
    r = mbs.simulate(m, 30.0, method="rk4", step=1e-3, output_interval=1.0)
    assert np.abs(r["place"][-1] - r["place"][10]).max() < 1e-6
    held = sum(r[f"wheel_{k}.fx"][-1] for k in ("fl", "fr", "rl", "rr"))
    assert held == pytest.approx(TOTAL * G * math.sin(slope), rel=1e-6)
