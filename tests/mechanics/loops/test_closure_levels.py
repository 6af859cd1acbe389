"""The two formulations of closed loops that docs/benchmarks.md compares are the equations that it cites."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.closure import ACCELERATION, VELOCITY, error, form_run, four_bars, own_run, reference, step_at
from benchmarks.closure_forms import acceleration_rates, runner, velocity_rates
from benchmarks.closure_response import ALPHA, FORMS, RATIO, respond, sign_changes, times


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


@pytest.mark.slow  # compiles all forms
def test_an_open_pin_closes_without_oscillation_at_velocity_level() -> None:
    """A gap decays as exp(-alpha t) at velocity level, and at acceleration level as a damped oscillator does.

    The errors of rk4 with alpha h = 0.005 and beta h = 0.05 are 1e-9 and 1e-5 of the gap at most.
    """
    t, beta = times(), RATIO * ALPHA
    damped = np.sqrt(beta**2 - ALPHA**2)
    exact = [
        np.exp(-ALPHA * t), (1 + ALPHA * t) * np.exp(-ALPHA * t),
        np.exp(-ALPHA * t) * (np.cos(damped * t) + ALPHA / damped * np.sin(damped * t)),
    ]  # fmt: skip
    linkage, peaks = four_bars(1)[0], []
    for (form, rates), curve, changes, accuracy in zip(FORMS.values(), exact, (0, 0, 25), (1e-8, 1e-8, 1e-4)):
        response = respond(linkage, form, rates)
        assert response.gap == pytest.approx(1e-3 * curve, abs=1e-3 * accuracy)
        assert sign_changes(response.gap, 1e-9) == changes == int(damped * t[-1] / np.pi + 0.5) * (changes > 0)
        peaks.append((np.ptp(response.change), sign_changes(np.diff(response.change))))
    (velocity, once), _, (oscillating, often) = peaks
    assert once <= 2 and often > 10 and oscillating > 10 * velocity
