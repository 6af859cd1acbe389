"""Constraint modes in model exchange: an importer's solver locates mode ends and gives the results of `simulate`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import fmpy
import fmpy.validation
import numpy as np
import pytest

import mbs_fmu as mbs

pytest.importorskip("ziglang", reason="native FMUs need the package ziglang")
pytestmark = pytest.mark.slow


def ball() -> mbs.Model:
    """A ball that bounces until it rests, after 2.56 s."""
    m = mbs.Model("ball")
    m.body("ball", joint=mbs.Prismatic("z"), mass=2.0)
    m.contact("floor", "world", "ball", mbs.OnPlane("z"), restitution=0.7)
    m.start("ball", q=1.0)
    return m


def belt() -> mbs.Model:
    """A block on a spring that a belt drags along until it slips back."""
    m = mbs.Model("belt", gravity=(0, 0, 0))
    m.body("belt", joint=mbs.Prismatic("x"), mass=1.0)
    m.body("block", "belt", mbs.Prismatic("x"), mass=1.0)
    m.drive("runs", on="belt", position=0.2 * mbs.time)
    m.force("spring", on="block", force=(-50.0 * mbs.position("block")[0], 0, 0))
    m.friction("rub", on="block", force=4.0, static=6.0, stick=True)
    return m


def clutch() -> mbs.Model:
    """A clutch that is closed and opened: the shafts slip, turn as one, and slip again."""
    m = mbs.Model("clutch", gravity=(0, 0, 0))
    engine = m.body("engine", joint=mbs.Revolute("z"), mass=1.0, inertia=(1, 1, 1))
    load = m.body("load", joint=mbs.Revolute("z"), mass=1.0, inertia=(1, 1, 2))
    press: mbs.Expression = mbs.clip(mbs.time - 0.2, 0.0, 1.0) * mbs.clip(2.6 - mbs.time, 0.0, 1.0)
    m.motor("drive", on=engine, torque=1.0 + mbs.sin(3.0 * mbs.time))
    m.motor("drag", on=load, torque=-1.0)
    m.friction("clutch", on=engine, against=load, torque=8.0 * press, static=9.0 * press, stick=True)
    m.start(engine, u=5.0)
    return m


def latch() -> mbs.Model:
    """A panel on a free hub that latches at one radian and opens at 2 s."""
    m = mbs.Model("latch", gravity=(0, 0, 0))
    m.body("hub", joint=mbs.Free(), mass=10.0, inertia=(2, 2, 2))
    m.body("panel", "hub", mbs.Revolute("y"), 2.0, (0.5, 0, 0), inertia=(0.01, 0.2, 0.2), at=(0.3, 0, 0))
    c, s = np.cos(1.0), np.sin(1.0)
    place = mbs.Pose((0.3, 0, 0), ((c, 0, s), (0, 1, 0), (-s, 0, c)))
    when, until = mbs.coordinate("panel") >= 1.0, mbs.time >= 2.0
    m.close("hook", "hub", "panel", mbs.Weld(), at_a=place, when=when, until=until)
    m.spring("spring", on="panel", stiffness=3.0, length=1.5)
    m.start("panel", u=0.8)
    return m


#: For each model the compared columns and the least number of mode changes.
MODELS: dict[str, tuple[Callable[[], mbs.Model], list[str], int]] = {
    "ball": (ball, ["ball.s"], 20),
    "belt": (belt, ["block.s", "block.v"], 5),
    "clutch": (clutch, ["engine.phi", "load.phi", "engine.w", "load.w"], 2),
    "latch": (latch, ["hub.q[1]", "hub.q[6]", "panel.phi", "panel.w"], 2),
}


@pytest.mark.parametrize(("name", "fmi"), [("ball", "2.0"), ("belt", "3.0"), ("clutch", "2.0"), ("latch", "3.0")])
def test_cvode_finds_where_modes_end(tmp_path: Path, name: str, fmi: str) -> None:
    """fmpy's CVode at 1e-9 is within 1e-6 of `simulate` at all common times."""
    make, columns, least = MODELS[name]
    wanted = mbs.simulate(make(), 3.0, rtol=1e-11, atol=1e-12, output_interval=0.01)
    assert len(wanted.switches) >= least
    path = mbs.export(make(), tmp_path / f"{name}.fmu", "native", fmi=fmi, platforms="host", stop_time=3.0, rtol=1e-10)  # type: ignore[arg-type]
    assert not fmpy.validation.validate_fmu(str(path))
    actual = fmpy.simulate_fmu(
        str(path), stop_time=3.0, output_interval=0.01, fmi_type="ModelExchange", relative_tolerance=1e-9,
        output=columns,
    )  # fmt: skip
    places = [int(np.argmin(np.abs(actual["time"] - t))) for t in wanted.time]
    there = np.abs(actual["time"][places] - wanted.time) < 1e-9
    assert there.mean() > 0.9
    for column in columns:
        apart = np.abs(actual[column][places] - wanted[column])[there]
        assert apart.max() < 1e-6 * max(1.0, np.abs(wanted[column]).max()), column


def test_an_input_that_jumps_engages_a_lock(tmp_path: Path) -> None:
    """An input that an importer sets in event mode passes the conditions for locking and for releasing at once."""
    m = mbs.Model("locked", gravity=(0, 0, 0))
    command = m.input("command", start=0.0)
    m.body("cart", joint=mbs.Prismatic("x"), mass=2.0)
    m.start("cart", u=1.0)
    m.lock("lock", on="cart", when=command > 0.5, until=command < 0.5)
    path = mbs.export(m, tmp_path / "locked.fmu", kind="native", platforms="host", reference=False)
    jumps = [(0.0, 0.0), (0.3, 0.0), (0.3, 1.0), (0.6, 1.0), (0.6, 0.0), (1.0, 0.0)]
    given = np.array(jumps, dtype=[("time", float), ("command", float)])
    for kind in ("ModelExchange", "CoSimulation"):
        rows = fmpy.simulate_fmu(
            path, stop_time=1.0, output_interval=0.1, input=given, fmi_type=kind, output=["lock.mode", "cart.s"]
        )
        modes = [mode for k, mode in enumerate(rows["lock.mode"]) if k == 0 or mode != rows["lock.mode"][k - 1]]
        assert modes == [-1, 0, -1]
        assert rows["cart.s"][-1] == pytest.approx(0.3, abs=1e-9)  # the lock takes the velocity
