"""Steps at large times: state and time advance equally; steps below the resolution of time are refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.integrate.stepping.clock import is_lost
from support.cases import tiers
from support.comparisons import assert_close

pytestmark = pytest.mark.usefixtures("in_plain_python")

EPOCH = 1.7e9  #: s: a current time in seconds since 1970; neighbouring times are 2^-22 s apart


def oscillator() -> mbs.Model:
    """A mass on a spring: q = cos 1000 t."""
    m = mbs.Model("oscillator")
    m.body("mass", joint=mbs.Prismatic("x"), mass=1.0)
    m.spring("spring", on="mass", stiffness=1e6)
    m.start("mass", q=1.0)
    return m


def pushed(force: mbs.Expression | float) -> mbs.Model:
    """A unit mass under a force."""
    m = mbs.Model("pushed")
    m.body("mass", joint=mbs.Prismatic("x"), mass=1.0)
    m.motor("push", on="mass", force=force)
    return m


def error(start: float, **options: Any) -> float:
    """Error of the oscillator's position over all rows of a fiftieth of a second."""
    end = start + 2.0**-6
    result = mbs.simulate(oscillator(), end, start_time=start, output_interval=2.0**-10, **options)
    return float(np.max(np.abs(result["mass.s"] - np.cos(1e3 * (result.time - start)))))


@pytest.mark.quick
@pytest.mark.parametrize("start", [1e7, EPOCH])
def test_error_control_holds_at_late_times(start: float) -> None:
    """The error is that of the same run from zero: rounding of time takes nothing from a step.

    Step sizes are multiples of 2^-22 s, a thousandth of the steps, so they and their errors differ by chance. At 1.7e9
    s a step of a size other than the advance of time is off by up to 1.2e-7 s, 1e-4 rad.
    """
    assert error(start, rtol=1e-8) <= 1.5 * error(0.0, rtol=1e-8)


@pytest.mark.parametrize("options", tiers({
    "tsit5": {"method": "tsit5", "rtol": 1e-8},
    "rodas5p": {"method": "rodas5p", "rtol": 1e-8},
    "dop853": {"method": "dop853", "rtol": 1e-8},
    "rk4": {"method": "rk4", "step": 2e-5},
    "gauss4": {"method": "gauss4", "step": 1e-4},
    "abm6": {"method": "abm6", "step": 2e-5},
}, usual=1))  # fmt: skip
def test_other_methods_at_late_times(options: dict[str, Any]) -> None:
    """The same for methods of all kinds; previous steps of abm6 differ in size by a hundredth."""
    assert error(EPOCH, **options) <= (10 if options["method"] == "abm6" else 1.5) * error(0.0, **options)


@pytest.mark.quick
@pytest.mark.parametrize("options", [{"method": "rk4", "step": 2e-5}, {"rtol": 1e-8}])
def test_steps_that_samples_part_at_late_times(options: dict[str, Any]) -> None:
    """The same with samples at rounded times that split steps: the parts add up to a step."""

    def sampled(start: float) -> float:
        m = oscillator()
        m.sampled("seen", 7e-4, mbs.coordinate("mass"))
        result = mbs.simulate(m, start + 2.0**-6, start_time=start, output_interval=2.0**-10, **options)
        return float(np.max(np.abs(result["mass.s"] - np.cos(1e3 * (result.time - start)))))

    assert sampled(EPOCH) <= 1.5 * sampled(0.0)


@pytest.mark.quick
def test_the_shortest_steps_add_up() -> None:
    """A unit force moves a unit mass: v = t, with steps of four ulp of the time.

    Each sum rounds by half an ulp of v at most, in some thousand sums.
    """
    result = mbs.simulate(pushed(1.0), EPOCH + 1e-3, start_time=EPOCH, max_step=1e-6, output_interval=1e-3)
    end = result.time[-1] - EPOCH
    assert_close(result["mass.v"][-1], end, 2000 * np.spacing(end), "last velocity of the mass")


@pytest.mark.quick
@pytest.mark.parametrize("name", ["dopri5", "rodas5p"])
def test_jumps_take_no_time(name: str) -> None:
    """A force that sets in at a time acts from then on: steps begin and end up to 1.5e-6 s beside it, the state does
    not.

    The velocity differs by the rounding of a few sums.
    """
    m = pushed(mbs.where(mbs.time < EPOCH + 0.5, -1.0, 1.0))
    result = mbs.simulate(m, EPOCH + 1.0, start_time=EPOCH, method=name, output_interval=0.25)
    assert_close(result["mass.v"], [0.0, -0.25, -0.5, -0.25, 0.0], 1e-14, "velocity of the mass", times=result.time)


@pytest.mark.quick
@pytest.mark.parametrize("options", [{"method": "rk4", "step": 1e-9}, {"max_step": 1e-9}, {"step": 1e-9}])
def test_steps_below_the_resolution_of_time_are_refused(options: dict[str, Any]) -> None:
    """Before any computation; the message has the step, the time and its resolution."""
    what = "max_step" if "max_step" in options else "step"
    with pytest.raises(mbs.ModelError, match=rf"^{what} is 1e-09 s, but times near 1.7e\+09 s are 2.4e-07 s apart: "):
        mbs.simulate(pushed(1.0), EPOCH + 1.0, start_time=EPOCH, **options)
    with pytest.raises(mbs.ModelError, match=rf"{what} is 1e-16 s"):
        mbs.simulate(pushed(1.0), 1.0, **{**options, what: 1e-16})


@pytest.mark.quick
def test_resolution_of_time() -> None:
    """A step is below the resolution from half of the distance of neighbouring times on, at any power of two."""
    for time in (1.0, 1.5, 1.999, 1e9, EPOCH):
        assert is_lost(0.5 * np.spacing(time), 0.0, time) and not is_lost(2.1 * np.spacing(time), 0.0, time)
    assert is_lost(0.0, 0.0, 0.0) and not is_lost(1e-300, 0.0, 0.0)


def test_sensitivities_at_late_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """Derivatives by the mass, across the onset of a force, are those from zero within the steps' errors (1e-9).

    Steps end up to 1.5e-6 s beside jumps, a thousandth of their size: ignored at each jump, that gave a factor of two.
    """
    monkeypatch.setattr("mbs_fmu.run.sensitivities.machine_lanes", lambda: 1)
    derivatives = []
    for start in (0.0, EPOCH):
        m = mbs.Model("struck")
        mass = m.body("mass", joint=mbs.Prismatic("x"), mass=m.parameter("m", 1.0))
        m.spring("spring", on=mass, stiffness=1e4)
        m.motor("strikes", on=mass, force=mbs.where(mbs.time < start + 0.0625, 0.0, 50.0))
        m.start(mass, q=1.0)
        options = {"rtol": 1e-9, "sensitivities": ["m"], "output_interval": 0.03125}
        result = mbs.simulate(m, start + 0.125, start_time=start, **options)  # type: ignore[arg-type]
        derivatives.append(result.sensitivity("mass.s", "m"))
    early, late = derivatives
    assert_close(late, early, 1e-6 * np.abs(early).max(), "derivative of mass.s by 'm'", times=result.time)
