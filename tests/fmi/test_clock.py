"""The clock of an FMU follows the importer's time, in runs of any length, however the importer counts."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.codegen.modules import load_plain, load_uncached
from mbs_fmu.compile.build import compile_model
from mbs_fmu.record.blocks import HeadNumbers
from mbs_fmu.record.codes import Status
from support.comparisons import assert_close
from support.hosts.fmus import Builder, Host
from support.hosts.python_slaves import Slaves, everything, messages, reference, start
from support.machine_code import in_machine_code
from support.models.fmu_models import MODELS

native = pytest.mark.skipif(importlib.util.find_spec("ziglang") is None, reason="needs the package ziglang")
KINDS = ["python", pytest.param("native", marks=[native, pytest.mark.slow])]
EPS = np.finfo(float).eps


def empty() -> mbs.Model:
    """The smallest model; the clock is the same in the module of every model."""
    m = mbs.Model("empty")
    m.body("cart", joint=mbs.Prismatic("x"), mass=1.0)
    return m


@pytest.fixture(scope="module")
def clock() -> Callable[[np.ndarray, float, float], int]:
    """The kernel that accepts an importer's time, as plain Python."""
    follow: Callable[[np.ndarray, float, float], int] = load_plain(compile_model(empty()).module).follow
    return follow


def record() -> np.ndarray:
    return compile_model(empty()).new_record()


# -- the clock alone -------------------------------------------------------------------------------------


MANY_STEPS = f"""
@kernel
def first_refused(R, t0, h, count):
    for k in range(count):
        if follow(R, t0 + k * h, h) != 0:
            return k
        R[{HeadNumbers.time}] += h  # the step is made
    return count
"""


@pytest.mark.slow
def test_a_billion_steps() -> None:
    """An importer at times t0 + k h is followed through 1e9 steps of 1e-3 s, from 0 and from 1e6 s; the clock then
    equals its time to the last bit.
    """
    first_refused = in_machine_code(load_uncached(compile_model(empty()).text + MANY_STEPS).first_refused)
    for t0, count in ((0.0, 10**9), (1e6, 10**7)):
        R = record()
        R[HeadNumbers.time] = t0
        assert first_refused(R, t0, 1e-3, count) == count
        end = t0 + count * 1e-3
        assert_close(R[HeadNumbers.time], end, 2 * EPS * end, f"time after {count} steps from {t0} s")


COUNTING: dict[str, Callable[[float, float, int], list[float]]] = {
    "counted": lambda t0, h, n: [t0 + k * h for k in range(n)],
    "summed": lambda t0, h, n: np.cumsum([t0, *[h] * (n - 1)]).tolist(),
    "counted in single precision": lambda t0, h, n: [float(np.float32(t0 + k * h)) for k in range(n)],
    "summed in single precision": lambda t0, h, n: np.cumsum(np.float32([t0, *[h] * (n - 1)])).astype(float).tolist(),
    "rounded to nanoseconds": lambda t0, h, n: [round(t0 + k * h, 9) for k in range(n)],
}


@pytest.mark.parametrize("t0", [0.0, -3.0, 900.0])
@pytest.mark.parametrize("way", COUNTING)
def test_every_way_of_counting_is_followed(clock: Callable, way: str, t0: float) -> None:
    """Through 10 000 steps of 1/300 s the clock is the importer's, even in single precision if that resolves half a
    step.
    """
    R, h = record(), 1.0 / 300.0
    for k, time in enumerate(COUNTING[way](t0, h, 10_000)):
        R[HeadNumbers.time] = time if k == 0 else R[HeadNumbers.time]
        assert clock(R, time, h) == Status.ok, k
        assert R[HeadNumbers.time] == time
        R[HeadNumbers.time] = time + h


@pytest.mark.parametrize("off", [1.0, -1.0, 0.51, -0.51, 1e-3, np.inf, -np.inf, np.nan])
def test_another_time_is_refused(clock: Callable, off: float) -> None:
    """A step that is left out, repeated, halved or off by more than rounding is refused, and nothing changes."""
    for now in (0.0, 10.0, 1e8 if abs(off) > 0.5 else 1.0):
        R = record()
        R[HeadNumbers.time] = now
        before = R.copy()
        assert clock(R, now + off * 1e-2, 1e-2) == Status.other_time
        assert np.array_equal(R, before)


def test_cached_rates_survive_only_rounding_of_time(clock: Callable) -> None:
    """Cached rates stay valid if only the rounding of time differs; at another time they are computed anew."""
    for off, fresh in ((0.0, 1.0), (4 * EPS * 7.0, 1.0), (-2 * EPS * 7.0, 1.0), (1e-8, 0.0), (-1e-8, 0.0)):
        R = record()
        R[[HeadNumbers.time, HeadNumbers.fresh]] = 7.0, 1.0
        assert clock(R, 7.0 + off, 0.1) == Status.ok
        assert (R[HeadNumbers.time], R[HeadNumbers.fresh]) == (7.0 + off, fresh)


# -- FMUs ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_the_time_of_an_fmu_is_the_importers(fmu: Builder, kind: str) -> None:
    """After each of 2000 counted steps of 1e-3 s from 0.7 s the FMU's time is the importer's, to one rounding.
    A summed clock would be off by a hundred roundings by then.
    """
    with Host(fmu("swing", kind=kind)) as host:
        host.start(start=0.7)
        for k in range(2000):
            host.slave.doStep(currentCommunicationPoint=0.7 + k * 1e-3, communicationStepSize=1e-3)
            next_one = 0.7 + (k + 1) * 1e-3
            assert_close(host.get("time")[0], next_one, EPS * next_one, f"time after step {k + 1}")
        assert host.messages == ""


@pytest.mark.parametrize("kind", KINDS)
def test_a_step_from_another_time_is_refused(fmu: Builder, kind: str) -> None:
    """The message has both times; the instance is unchanged, bit for bit, and goes on."""
    with Host(fmu("swing", kind=kind)) as host, Host(fmu("swing", kind=kind)) as plain:
        for one in (host, plain):
            one.start().run(3)
        before = host.all()
        for wrong in (0.02, 0.04, 0.5, -0.03):
            with pytest.raises(Exception, match=r"status|discard|error"):
                host.slave.doStep(currentCommunicationPoint=wrong, communicationStepSize=0.01)
            assert f"a step from t = {wrong:.9g} s is requested" in host.log[-1][2]
            assert "away from the FMU's time t = 0.03 s" in host.log[-1][2]
        assert np.array_equal(host.all(), before)
        assert np.array_equal(host.run(3), plain.run(3))


def pushed_and_closed() -> mbs.Model:
    """A pendulum on two slides whose string is a loop, and a mass whose motion an input prescribes; mean forces."""
    m = mbs.Model("pushed_and_closed")
    carriage = m.body("carriage", joint=mbs.Prismatic("x"), mass=0.5)
    bob = m.body("bob", carriage, mbs.Prismatic("z"), mass=1.0)
    m.close("string", "world", bob, mbs.Distance(1.0))
    m.start(carriage, q=0.6)
    m.start(bob, q=-0.8, guess=True)
    base = m.body("base", joint=mbs.Prismatic("x"), mass=2.0)
    m.drive("d", on=base, position=m.input("x", unit="m"), rate=m.input("v", unit="m/s"))
    m.output("pushed", mbs.drive_force("d", mean=True), unit="N")
    m.output("pulled", mbs.multiplier("string", mean=True), unit="N")
    return m


def test_means_are_not_over_the_rounding_of_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Summed and counted communication points, which differ in last bits, give the same means to 1e-9, of a loop's
    force and of a drive whose velocity jumps. A mean over the time by which the clocks differ would have no correct
    digit.
    """
    slaves, means = Slaves(tmp_path, monkeypatch), []
    for times in (COUNTING["counted"](0.1, 0.01, 12), COUNTING["summed"](0.1, 0.01, 12)):
        slave = slaves(pushed_and_closed(), "rk4", step=5e-3)
        start(slave, time=times[0])
        for k, time in enumerate(times):
            slave.set_real([reference(slave, name) for name in "xv"], [1e-3 * k, 0.1 * k])
            assert slave.do_step(time, 0.01)
            means.append(slave.get_real([reference(slave, name) for name in ("pushed", "pulled")]))
    one, other = np.array(means).reshape(2, -1, 2)
    assert np.max(np.abs(one)) > 1.0
    assert_close(other, one, 1e-9 * np.max(np.abs(one)), "mean", ("pushed", "pulled"), 0.1 + 0.01 * np.arange(1, 13))


def test_multistep_methods_keep_their_history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted communication points, rounded unlike the FMU's own sums, do not restart a multistep method.
    Once started, it takes one evaluation per step for twelve steps, and the same at the communication points.
    """
    slave = Slaves(tmp_path, monkeypatch)(MODELS["swing"](), "abm6", step=1e-2)
    start(slave, time=0.7)
    counts = []
    for k in range(24):
        assert slave.do_step(0.7 + k * 1e-2, 1e-2)
        counts.append(slave._record[HeadNumbers.evaluations])
    assert max(np.diff(counts)[12:]) <= 2
    assert everything(slave)[0] == pytest.approx(0.7 + 24 * 1e-2, rel=2 * EPS)


@pytest.mark.parametrize("way", ["counted", "summed"])
@pytest.mark.parametrize("options", [{"method": "dopri5", "rtol": 1e-9, "atol": 1e-9}, {"method": "rk4", "step": 5e-4}])
def test_the_state_is_that_of_the_importers_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], way: str
) -> None:
    """A mass on a spring, q = cos 100 t, over 200 steps of 1e-3 s from 1e8 s is as accurate as from zero, and the
    rounding of its own clock does not add up. Times there are 1.5e-8 s apart, in which q moves by up to 1.5e-6.
    """
    m = mbs.Model("oscillator")
    m.spring("spring", on=m.body("mass", joint=mbs.Prismatic("x"), mass=1.0), stiffness=1e4)
    m.start("mass", q=1.0)
    slaves, errors = Slaves(tmp_path, monkeypatch), []
    for t0 in (0.0, 1e8):
        slave, errors = slaves(m, **options), [*errors, 0.0]
        start(slave, time=t0)
        *times, end = COUNTING[way](t0, 1e-3, 201)
        for time in times:
            assert slave.do_step(time, 1e-3)
        (place,) = slave.get_real([reference(slave, "mass.s")])
        errors[-1] = abs(place - math.cos(100.0 * (end - t0)))
    assert errors[1] <= 1.5 * errors[0] + 100.0 * np.spacing(1e8)


@pytest.mark.parametrize(("time", "size"), [(0.0, 1e-7), (1.7e9, 1e-3)])
def test_steps_below_the_resolution_of_time_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, time: float, size: float
) -> None:
    """Internal steps of a nanosecond work from time zero, and are refused with a message where times are 2.4e-7 s
    apart.
    """
    slave = Slaves(tmp_path, monkeypatch)(empty(), "rk4", step=1e-9)
    start(slave, time=time)
    assert slave.do_step(time, size) == (time == 0.0)
    assert time == 0.0 or "a step of 1e-09 s at t = 1.7e+09 s is lost in the rounding of that time" in messages(slave)


@pytest.mark.usual
@pytest.mark.quick
@pytest.mark.parametrize("time", [math.nan, math.inf, -math.inf])
def test_no_start_without_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, time: float) -> None:
    """A start time that is not finite is refused with a message and no step is made; another start time works."""
    slave = Slaves(tmp_path, monkeypatch)(MODELS["swing"](), "rk4", step=5e-3)
    start(slave, time=time)
    assert f"start 'time' is {time:.9g}: give a finite number" in messages(slave)
    assert not slave.do_step(time, 0.01)
    start(slave)
    assert slave.do_step(0.0, 0.01)
