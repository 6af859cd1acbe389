"""Events of FMUs at a zero: on the surface of a contact, or at the start of a run."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path

import fmpy
import numpy as np
import pytest

import mbs_fmu as mbs
from support.hosts.fmus import Host

native = pytest.mark.skipif(importlib.util.find_spec("ziglang") is None, reason="needs the package ziglang")
KINDS = ["python", pytest.param("native", marks=[native, pytest.mark.slow])]
TICK = 1 / 128
NAMES = [f"{sign}_{way}" for sign in ("into", "out") for way in (0, 1, 2)]


def bouncing() -> mbs.Model:
    """A ball that counts its impacts by zero crossings, and ends the run where a signal leaves zero."""
    m = mbs.Model("bouncing")
    ball = m.body("ball", joint=mbs.Prismatic("z"), mass=1.0)
    m.contact("floor", "world", ball, mbs.OnPlane("z"), at_a=(0, 0, 0.3), restitution=0.7)
    m.start(ball, q=1.3)
    gap = mbs.coordinate(ball) - 0.3
    for name in NAMES:
        n = m.state(f"n_{name}", 0.0)
        number = 3.0 * gap if name[:-2] == "out" else -0.7 * gap
        m.event(name, number, direction=int(name[-1]) - 1, reset={f"n_{name}": n + 1.0})
    signal = m.state("signal", mbs.where(mbs.time > m.parameter("at", 10.0), 1.0, 0.0))
    m.event("left", signal, direction=1, stop=True)
    m.event("left_at_once", 1.0 * mbs.time, stop=True)
    m.event("other", -1.0 * signal, direction=1, stop=True)
    return m


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The FMU of `bouncing`, each kind exported once."""
    folder, built = tmp_path_factory.mktemp("events"), dict[str, Path]()

    def path(kind: str) -> Path:
        if kind not in built:
            built[kind] = mbs.export(
                bouncing(), folder / f"{kind}.fmu", kind, platforms="host" if kind == "native" else "all",
                stop_time=2.0, communication_step=TICK, method="rk4", step=TICK / 2,
            )  # fmt: skip
        return built[kind]

    return path


@pytest.mark.parametrize("kind", KINDS)
def test_each_impact_is_two_crossings(build: Callable[[str], Path], kind: str, in_plain_python: None) -> None:
    """Co-simulation gives `simulate` bit for bit: each impact is one event into the floor and one out of it."""
    result = mbs.simulate(bouncing(), 2.0, output_interval=0.5, method="rk4", step=TICK / 2)
    with Host(build(kind)) as host:
        host.start()
        for k in range(256):
            host.step(TICK)
            if (k + 1) % 64 == 0:
                row = (k + 1) // 64
                assert host.get(*(f"n_{name}" for name in NAMES)) == [result[f"n_{name}"][row] for name in NAMES]
    assert result["n_into_2"][-1] == len(result.switches) == 4


@native
@pytest.mark.slow
@pytest.mark.parametrize("at", [0.9, 1.7, 10.0])
def test_model_exchange_detects_events_at_zeros(build: Callable[[str], Path], at: float) -> None:
    """In model exchange a signal that starts at zero ends the run where it leaves zero, unless it does so at once."""
    wanted = mbs.simulate(bouncing(), 2.0, parameters={"at": at}, output_interval=0.1)
    names = [f"n_{name}" for name in NAMES]
    actual = fmpy.simulate_fmu(
        str(build("native")), stop_time=2.0, output_interval=0.01, fmi_type="ModelExchange", relative_tolerance=1e-8,
        start_values={"at": at}, output=names,
    )  # fmt: skip
    assert wanted.time[-1] == pytest.approx(min(at, 2.0), abs=1e-9)
    assert min(at, 2.0) - 1e-9 <= actual["time"][-1] <= min(at, 2.0) + 0.01 + 1e-9  # detected at step ends
    assert [actual[name][-1] for name in names] == [wanted[name][-1] for name in names]
    assert np.all(np.diff(actual["n_into_2"]) >= 0.0)
