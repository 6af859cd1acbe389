"""Crossings at one instant have one outcome in FMUs: in co-simulation with and without event mode, and in model
exchange.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

import fmpy
import numpy as np
import pytest

import mbs_fmu as mbs
from support.comparisons import assert_close
from support.crossings.clock import AT, END, NEVER, clock, demanded
from support.hosts.native_instances import Guest, guest

pytest.importorskip("ziglang", reason="native FMUs need the package ziglang")
pytestmark = pytest.mark.slow

ACTING = ("reset", "mode", "tick", "jump")
GROUPS = [group for size in (1, 2, 3, 4) for group in itertools.combinations(ACTING, size)]
NEAR = (0.0, 1e-12, -1e-12)
SETTINGS = {"rk4": {"method": "rk4", "step": 2.0**-5}, "dopri5": {"method": "dopri5", "rtol": 1e-8}}
NAMES = ("b.v", "s", "x")
WAYS = {
    "plain": {}, "event mode": {"eventModeUsed": True},
    "early return": {"eventModeUsed": True, "earlyReturnAllowed": True},
}  # fmt: skip
Build = Callable[[str], Path]


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """FMUs of the clock by settings, each built once."""
    folder, built = tmp_path_factory.mktemp("instants"), dict[str, Path]()

    def path(method: str) -> Path:
        if method not in built:
            built[method] = mbs.export(
                clock(), folder / f"{method}.fmu", "native", fmi="3.0", platforms="host", stop_time=1.0,
                **SETTINGS[method],  # type: ignore[arg-type]
            )  # fmt: skip
        return built[method]

    return path


def shifted(group: tuple[str, ...]) -> Iterator[dict[str, float]]:
    """The kinds at the instant, and with one of them 1e-12 s later or earlier; an importer's input jumps at it."""
    yield dict.fromkeys(group, AT)
    for kind in group:
        if kind != "jump":
            yield from ({**dict.fromkeys(group, AT), kind: AT + shift} for shift in NEAR[1:])


def settle(host: Guest) -> None:
    """Go through event mode."""
    host.slave.updateDiscreteStates()
    host.slave.enterStepMode()


def stepped(path: Path, times: dict[str, float], way: str, size: float) -> tuple[np.ndarray, np.ndarray]:
    """Numbers at the end, and behind the communication step that ends at the instant (NaN: none does)."""
    before = np.full(len(NAMES), np.nan)
    with guest(path, **WAYS[way]) as host:
        host.start(**{f"at_{kind}": times.get(kind, NEVER) for kind in ("report", "stop", "reset", "mode", "tick")})
        if way != "plain":
            settle(host)
        for k in range(1, round(END / size) + 1):
            if "jump" in times and host.time == AT:
                host.set(u=1.0)
            while host.time < k * size:
                event, *_ = host.step(k * size - host.time)
                if host.time == AT == k * size:
                    before = host.get(*NAMES)
                if event:
                    host.slave.enterEventMode()
                    if "jump" in times and host.time == AT:
                        host.set(u=1.0)
                    settle(host)
        return host.get(*NAMES), before


@pytest.mark.parametrize("method", SETTINGS)
@pytest.mark.parametrize("way", WAYS)
def test_one_outcome_in_co_simulation(build: Build, method: str, way: str) -> None:
    """At a communication point, whose values are left limits, and inside a communication step."""
    for group in GROUPS:
        wanted = demanded(group)
        for times in shifted(group):
            end, before = stepped(build(method), times, way, 0.25)
            assert_close(end[:2], [wanted.y, wanted.s], 1e-9, f"y, s of {times}")
            assert_close(before, [0.25, 0.0, AT], 1e-11, f"y, s, x at the instant of {times}")
            if "jump" not in group:
                end, _ = stepped(build(method), times, way, 0.375)
                assert_close(end[:2], [wanted.y, wanted.s], 1e-9, f"y, s of {times} inside a step")


@pytest.mark.parametrize("solver", ["CVode", "Euler"])
def test_one_outcome_in_model_exchange(build: Build, solver: str) -> None:
    """The importer locates the crossings, or with Euler's method only notices them at its steps' ends."""
    for group in GROUPS:
        wanted = demanded(group)
        for times in shifted(group):
            jump = times.get("jump", NEVER)
            rows = [(0.0, 0.0), (jump, 0.0), (jump, 1.0), (NEVER + 1.0, 1.0)]
            signals = np.array(rows, dtype=[("time", float), ("u", float)])
            result = fmpy.simulate_fmu(
                str(build("rk4")), stop_time=END, output_interval=0.25, fmi_type="ModelExchange", solver=solver,
                step_size=2.0**-6, relative_tolerance=1e-8, output=NAMES[:2], input=signals,
                start_values={f"at_{kind}": times.get(kind, NEVER) for kind in ("reset", "mode", "tick")},
            )  # fmt: skip
            actual = [float(result[name][-1]) for name in NAMES[:2]]
            assert_close(actual, [wanted.y, wanted.s], 1e-9, f"y, s of {times}")


def test_a_stop_ends_model_exchange_before_all_else(build: Build) -> None:
    """At the stop the FMU requests the end of the run, and neither assigns nor changes modes."""
    for group in GROUPS:
        if "jump" not in group:
            result = fmpy.simulate_fmu(
                str(build("rk4")), stop_time=END, output_interval=0.25, fmi_type="ModelExchange",
                relative_tolerance=1e-8, output=NAMES[:2], start_values={f"at_{kind}": AT for kind in (*group, "stop")},
            )  # fmt: skip
            assert result["time"][-1] == pytest.approx(AT, abs=1e-9), group
            assert [float(result[name][-1]) for name in NAMES[:2]] == [0.25, 0.0], group
