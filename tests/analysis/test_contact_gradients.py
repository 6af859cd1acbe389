"""Gradients of runs that touch the ground: the benchmark's tasks against differences, a bounce in closed form."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from benchmarks.contact_numbers import BOUNCE_DROP, BOUNCE_DURATION, BOUNCE_MASS, BOUNCE_STIFFNESS
from benchmarks.contact_tasks import TASKS, Shooting, bouncing, height_after
from benchmarks.differences import extrapolated
from support.cases import tiers
from support.comparisons import assert_close

TOUCHING = {"landing": 5e-4, "throw": 5e-4, "puck": 2e-3, "stance": 1e-3}  #: s, steps


@pytest.mark.parametrize("name", tiers(TASKS.keys(), usual=1))
def test_gradients_across_contacts_equal_differences(name: str) -> None:
    """Box, ball, puck and quadruped touch down, slip and stick within the run.

    Rounding errors, amplified a hundred times, by differences of 1e-6: some 1e-8 of the largest derivative. The rest
    of the tolerance is for kinks between the runs whose difference is taken.
    """
    shooting = Shooting(TASKS[name](TOUCHING[name]))
    J = shooting.jacobian(shooting.guess)
    wanted, _ = extrapolated(shooting.misses, shooting.guess, 1e-5)
    assert_close(J, wanted, 1e-6 * float(np.abs(wanted).max()), name)


HEIGHT, SLOPE = height_after(BOUNCE_DROP).real, height_after(BOUNCE_DROP + 1e-20j).imag / 1e-20  #: of the bounce


def bounced(located: bool, **options: Any) -> tuple[float, float]:
    """Return the height after a bounce, and its derivative by the drop."""
    run = mbs.simulate(
        bouncing(located), BOUNCE_DURATION, output_interval=BOUNCE_DURATION, sensitivities=["ball.s"], **options
    )
    return run["height"][-1], run.sensitivity("height", "ball.s")[-1]


def test_sensitivities_with_error_control_are_those_of_the_motion() -> None:
    """Of a bounce, in closed form: with steps of some 1e-5 s across the touch, the bound of the next test is 1e-2."""
    found, slope = bounced(False, rtol=1e-10, atol=1e-12)
    assert_close(found, HEIGHT, 1e-7, "height")
    assert_close(slope, SLOPE, 1e-2, "derivative")


def test_located_touches_give_the_derivatives_of_the_motion() -> None:
    """No step contains a kink: the error of rk4 is of fourth order, (w h)^4 = 2e-5 of the speed in each radian."""
    found, slope = bounced(True, method="rk4", step=1e-3)
    assert_close(found, HEIGHT, 1e-4, "height")
    assert_close(slope, SLOPE, 1e-4, "derivative")


@pytest.mark.parametrize("steps", [600, 1200, 2400])
def test_gradients_of_fixed_steps_miss_those_of_the_motion_by_their_size(steps: int) -> None:
    """A step of rk4 across a touch is in error by at most w² v h/3 in the derivative of the velocity by its time.

    Touch and release do this for the rest of the run; their times change by 1/v for each metre of the drop.
    """
    h, fall = BOUNCE_DURATION / steps, math.sqrt(2.0 * BOUNCE_DROP / 9.81)
    bound = 2.0 * (BOUNCE_STIFFNESS / BOUNCE_MASS) * h / 3.0 * (BOUNCE_DURATION - fall)
    run = mbs.rollout(bouncing(), h, steps)
    found, gradient = run.gradient("height")
    assert_close(found, HEIGHT, 1e-3, "height")
    assert_close(gradient.x[run.states.index("ball.s")], SLOPE, bound, "derivative")
