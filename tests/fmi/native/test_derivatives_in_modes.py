"""Directional derivatives of native FMUs in each constraint mode, behind impacts, locks, resets and samples."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.run.differences import derivative
from support.comparisons import assert_close
from support.hosts.native_instances import Guest, guest

pytest.importorskip("ziglang", reason="native FMUs need the package ziglang")
pytestmark = pytest.mark.slow

OUTPUTS = ("spins", "holds", "rubs", "regulates")


def machine() -> mbs.Model:
    """Return an arm that strikes a limit, a hand that locks, a block that slips and sticks, and a sampled regulator."""
    m = mbs.Model("machine")
    torque = m.input("torque", unit="N.m", start=0.0)
    gain = m.parameter("gain", 2.0)
    upper = m.body("upper", joint=mbs.Revolute("y"), mass=1.3, com=(0, 0, -0.35), inertia=(0.1, 0.1, 0.1))
    lower = m.body("lower", parent=upper, joint=mbs.Revolute("y"), at=(0, 0, -0.7), mass=0.8, com=(0, 0, -0.2),
                   inertia=(0.02, 0.02, 0.02))  # fmt: skip
    block = m.body("block", joint=mbs.Prismatic("x"), mass=1.0)
    m.start(upper, q=1.0)
    m.start(lower, q=-0.4)
    m.start(block, u=0.5)
    m.motor("servo", on=upper, torque=torque * mbs.cos(mbs.coordinate(upper)))
    m.motor("push", on=block, force=torque)
    m.limit("limit", on=upper, lower=0.2, restitution=0.6)
    m.lock("lock", on=lower, when=mbs.time >= 0.45)
    m.friction("rub", on=block, force=2.0, static=2.5, stick=True)
    held = m.sampled("held", 0.1, gain * mbs.coordinate(upper) + torque)
    x = m.state("x", 1.0)
    count = m.state("count", 0.0)
    m.event("passage", x - 0.33, direction=1, reset={"count": count + 1.0})
    m.output("spins", mbs.acceleration(upper, (0, 0, -0.7))[0])
    m.output("holds", mbs.multiplier("lock"))
    m.output("rubs", mbs.multiplier("rub") + mbs.strength("rub"))
    m.output("regulates", held * count + gain * x)
    return m


def check(host: Guest, name: str, step: float) -> None:
    """Compare derivatives of all outputs by an input or parameter with differences, to 1e-8."""
    unknowns = [host.references[output] for output in OUTPUTS]
    exact = np.array(host.slave.getDirectionalDerivative(unknowns, [host.references[name]], [1.0], len(OUTPUTS)))
    (value,) = host.get(name)

    def outputs(change: float) -> np.ndarray:
        host.set(**{name: value + change})
        return host.get(*OUTPUTS)

    found = derivative(outputs, step)
    assert found is not None
    host.set(**{name: value})
    scale = np.maximum(1.0, np.abs(found[0])).max()
    assert_close(exact, found[0], 1e-8 * scale, f"derivative by {name} at {host.time:g} s", list(OUTPUTS))


@pytest.mark.parametrize("settings", [{"method": "rk4", "step": 0.01}, {"method": "dopri5"}], ids=["rk4", "dopri5"])
def test_derivatives_are_those_of_the_present_modes(settings: dict[str, object], tmp_path: Path) -> None:
    """By the input and a parameter, at communication points before and behind each change."""
    path = mbs.export(
        machine(), tmp_path / "machine.fmu", "native", fmi="3.0", platforms="host", stop_time=1.0,
        **settings,  # type: ignore[arg-type]
    )  # fmt: skip
    modes = set()
    with guest(path) as host:
        host.start(torque=0.1)
        while host.time < 0.9:
            host.step(0.0625)
            modes.add(tuple(host.get("lock.mode", "rub.mode", "count")))
            check(host, "torque", 1e-2)
            check(host, "gain", 1e-2)
    assert len(modes) >= 4
