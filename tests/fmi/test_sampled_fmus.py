"""FMUs with sampled signals and event resets: digital controllers, in co-simulation and model exchange."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import fmpy
import fmpy.validation
import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.command_line.demo import OUTPUTS, SET_POINT, couple
from mbs_fmu.run.bundled import bundled_model
from support.comparisons import assert_close
from support.hosts.fmus import Builder, Host
from support.models.fmu_models import METHODS

native = pytest.mark.skipif(importlib.util.find_spec("ziglang") is None, reason="needs the package ziglang")
KINDS = ["python", pytest.param("native", marks=[native, pytest.mark.slow])]
PERIOD = 0.01
COUNT = 300


def by_hand(plant: Path) -> np.ndarray:
    """The governor with a digital PI regulator in numpy, one sample late: speed and torque at every sample."""
    k, k_i, limit = 0.5, 0.4, 2.0
    integral = command = 0.0
    rows = []
    with Host(plant) as host:
        host.start({"torque": 0.0})
        for _ in range(COUNT):
            (speed,) = host.get("speed")
            host.set({"torque": command})
            error = SET_POINT - speed
            wanted = k * error + k_i * integral
            command = float(np.clip(wanted, -limit, limit))
            integral = integral + PERIOD * (error + (command - wanted) / k)
            host.step(PERIOD)
            rows.append([*host.get(*OUTPUTS), command])
    return np.array(rows)


@pytest.mark.parametrize("kind", KINDS)
def test_a_digital_regulator_is_the_same_everywhere(fmu: Builder, kind: str) -> None:
    """One model, two FMUs, and numpy give the same numbers at every sample, with the command one sample late."""
    plant, controller = (fmu(model, "rk4", kind) for model in ("governor", "digital_regulator"))
    wanted = by_hand(plant)
    run = couple(plant, controller, PERIOD, "hold", stop=COUNT * PERIOD)
    two = np.column_stack([*(run[f"governor.{name}"] for name in OUTPUTS), run["regulator.torque"]])[1:]
    one = mbs.simulate(
        bundled_model("governor", "digitally_governed"), COUNT * PERIOD, output_interval=PERIOD, **METHODS["rk4"]
    )
    together = np.column_stack([*(one[name] for name in OUTPUTS)])[1:]
    size = np.abs(wanted).max()
    assert np.ptp(wanted[:, -1]) > 1.0 and wanted[:, -1].max() == 2.0  # at the limit for a while
    outputs, times = [*OUTPUTS, "command"], one.time[1:]
    assert_close(two, wanted, 1e-12 * size, "value of two FMUs", outputs, times)
    assert_close(together, wanted[:, :-1], 1e-12 * size, "value of one model", outputs, times)
    assert_close(one["command"][2:], wanted[1:, -1], 1e-12 * size, "command in one model", times=times[1:])
    assert np.array_equal(one["late"][2:], one["command"][1:-1])


# -- samples in co-simulation --------------------------------------------------------------------------------


def counters() -> mbs.Model:
    """Two clocks, one twice as fast, that both depend on an input and on each other."""
    m = mbs.Model("counters")
    u = m.input("u")
    fast = m.sampled("fast", 1 / 64, lambda x: 0.5 * x + u + 0.25 * mbs.signal("slow"))
    slow = m.sampled("slow", 1 / 32, lambda x: -0.5 * x + fast, start=1.0)
    m.state("z", lambda z: slow - z)
    m.output("y", fast + slow)
    return m


def counted(inputs: list[float]) -> list[tuple[float, float]]:
    """The same in numpy, after each communication step of 1/64 s."""
    fast, slow, out = 0.0, 1.0, []
    for k, u in enumerate(inputs):
        fast, slow = 0.5 * fast + u + 0.25 * slow, -0.5 * slow + fast if k % 2 == 0 else slow
        out.append((fast, slow))
    return out


def exported(m: mbs.Model, kind: str, folder: Path, step: float) -> Path:
    """An FMU with rk4."""
    platforms = "host" if kind == "native" else "all"
    return mbs.export(m, folder / f"{m.name}.fmu", kind, platforms=platforms, stop_time=1.0, method="rk4", step=step)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", KINDS)
def test_two_clocks_and_inputs_that_jump_at_samples(tmp_path: Path, kind: str) -> None:
    """Samples use the inputs set before the step that begins there; a restored state has the same future."""
    inputs = [float(x) for x in np.random.default_rng(3).normal(size=40)]
    wanted = counted(inputs)
    names = ("fast", "slow", "y", "z")
    with Host(exported(counters(), kind, tmp_path, 0.003)) as host:
        host.start({"u": 0.0})
        rows = []
        for k, u in enumerate(inputs):
            host.set({"u": u})
            host.step(1 / 128)
            if k == 20:
                saved = host.slave.getFMUstate()
            host.step(1 / 128)
            rows.append(host.get(*names))
        assert [tuple(row[:2]) for row in rows] == wanted
        assert [row[2] for row in rows] == [fast + slow for fast, slow in wanted]
        host.restore(saved)
        again = []
        for k, u in enumerate(inputs[20:]):
            if k:
                host.set({"u": u})
                host.step(1 / 128)
            host.step(1 / 128)
            again.append(host.get(*names))
        assert again == rows[20:]
        host.slave.freeFMUstate(saved)
        assert not host.messages


@pytest.mark.parametrize("kind", KINDS)
def test_communication_steps_are_those_of_simulate(tmp_path: Path, kind: str) -> None:
    """Samples between communication points and event resets are equal bit for bit; missed events reset nothing."""

    def model() -> mbs.Model:
        m = mbs.Model("hopping")
        m.body("ball", joint=mbs.Prismatic("z"), mass=2.0)
        m.start("ball", q=1.0)
        m.event("bounce", mbs.coordinate("ball"), direction=-1, reset={"ball.v": -0.8 * mbs.rate("ball")})
        push = m.sampled("push", 0.0301, 1.0 - mbs.rate("ball"), offset=0.01)
        m.motor("jet", on="ball", force=push)
        m.output("height", mbs.coordinate("ball"))
        m.event("under", mbs.coordinate("ball") + 1e-3, direction=1, reset={"n": m.state("n", 0.0) + 1.0})
        return m

    size, names = 1 / 64, ("ball.s", "ball.v", "push", "height", "n")
    result = mbs.simulate(model(), 2.0, method="rk4", step=0.005, output_interval=size)
    assert result.events["bounce"].size > 2
    with Host(exported(model(), kind, tmp_path, 0.005)) as host:
        host.start()
        rows = [host.get(*names)]
        for _ in range(128):
            host.step(size)
            rows.append(host.get(*names))
    assert np.array_equal(rows, np.column_stack([result[name] for name in names]))
    assert not result["n"].any()


# -- model exchange ------------------------------------------------------------------------------------------


def hopper() -> mbs.Model:
    """A ball that an event throws back."""
    m = mbs.Model("hopper")
    m.body("ball", joint=mbs.Prismatic("z"), mass=1.0)
    m.start("ball", q=1.0)
    m.event("bounce", mbs.coordinate("ball"), direction=-1, reset={"ball.v": -0.8 * mbs.rate("ball")})
    m.output("height", mbs.coordinate("ball"))
    m.output("speed", mbs.rate("ball"))
    return m


@native
@pytest.mark.slow
@pytest.mark.parametrize("fmi", ["2.0", "3.0"])
@pytest.mark.parametrize("name", ["digitally_governed", "hopper"])
def test_samples_are_time_events_in_model_exchange(tmp_path: Path, name: str, fmi: str) -> None:
    """fmpy's CVode stops at each sample and event, and gives the results of `simulate`."""
    model = hopper() if name == "hopper" else bundled_model("governor", name)
    outputs = ["height", "speed"] if name == "hopper" else ["speed", "slide"]
    wanted = mbs.simulate(model, 2.5, rtol=1e-10, output_interval=0.007)
    path = mbs.export(model, tmp_path / f"{name}.fmu", "native", fmi=fmi, platforms="host", stop_time=2.5, rtol=1e-10)  # type: ignore[arg-type]
    assert not fmpy.validation.validate_fmu(str(path))
    actual = fmpy.simulate_fmu(
        str(path), stop_time=2.5, output_interval=0.007, fmi_type="ModelExchange", relative_tolerance=1e-9,
        output=outputs,
    )  # fmt: skip
    places = [int(np.argmin(np.abs(actual["time"] - t))) for t in wanted.time]
    there = np.abs(actual["time"][places] - wanted.time) < 1e-9
    assert there.mean() > 0.7
    for output in outputs:
        size = np.abs(wanted[output]).max()
        found, expected = actual[output][places][there], wanted[output][there]
        assert_close(found, expected, 1e-6 * size, output, times=wanted.time[there])
