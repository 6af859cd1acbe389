"""The two formulations of closed loops that docs/benchmarks.md compares are the equations that it cites."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.closure import ACCELERATION, VELOCITY, error, form_run, four_bars, own_run, reference, step_at
from benchmarks.closure_forms import acceleration_rates, runner, velocity_rates


@pytest.mark.slow  # compiles both forms
def test_both_closure_levels_are_of_order_four_and_one_equals_the_package() -> None:
    """Errors fall by 16 when the step is halved, in the mean over six linkages.

    The ratio may differ by a quarter, the effect of the next order.
    """
    linkages = four_bars(6)
    exact = [reference(linkage) for linkage in linkages]
    forms = {VELOCITY: runner(velocity_rates), ACCELERATION: runner(acceleration_rates)}
    for form, steps in forms.items():
        errors = [
            [error(form_run(steps, form, one, 1.0, h)[0], true) for h in (0.0025, 0.00125)]
            for one, true in zip(linkages, exact, strict=True)
        ]
        coarse, fine = np.exp(np.log(errors).mean(axis=0))
        assert 12.0 < coarse / fine < 20.0
    h = 0.00125
    written = form_run(forms[VELOCITY], VELOCITY, linkages[0], 1.0, h)[0]
    # 1600 steps of 4 evaluations, each with rounding of some 100 eps; the start is assembled to 1e-10
    assert error(own_run(linkages[0], h, projection=False)[0], written) < 1e-9


@pytest.mark.quick
def test_steps_are_interpolated_between_measured_points() -> None:
    errors = 7.0 * np.array([0.04, 0.02, 0.01, 0.005, 0.0025, 0.00125]) ** 4
    assert step_at(errors, 7.0 * 0.013**4) == pytest.approx(0.013, rel=1e-12)
    assert step_at(errors, 1.0) is None
