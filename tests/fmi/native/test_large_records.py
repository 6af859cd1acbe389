"""Native FMUs of models with large tables: the record is a part of the binary, not of its C text."""

from __future__ import annotations

import importlib.util
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest

import mbs_fmu as mbs
from support.hosts.fmus import Host

native = pytest.mark.skipif(importlib.util.find_spec("ziglang") is None, reason="needs the package ziglang")
TICK = 1 / 128  #: s, a communication step whose multiples are exact
COUNT = 200  #: lines of the field, 41 000 coefficients


def on_waves() -> mbs.Model:
    """A ball on a fine height field, and a long curve and a long table in its forces."""
    lines = np.linspace(-1.0, 1.0, COUNT)
    field = mbs.HeightField(lines, lines, 0.01 * np.sin(9.0 * lines)[:, None] * np.cos(7.0 * lines))
    points = np.linspace(-2.0, 2.0, 5000)
    m = mbs.Model("waves")
    m.body("ball", joint=mbs.Free(), mass=1.0, inertia=(4e-3, 4e-3, 4e-3))
    m.contact("ground", "world", "ball", shape_a=field, shape_b=mbs.Sphere(0.1), stiffness=1e4)
    x, y = (mbs.position("ball")[k] for k in range(2))
    m.force("wind", on="ball", force=(mbs.curve(x, points, np.sin(points)), mbs.table(y, points, np.cos(points)), 0))
    m.start("ball", q=(0.1, 0.2, 0.11, 1, 0, 0, 0))
    return m


@pytest.mark.slow
@native
@pytest.mark.parametrize("fmi", ["2.0", "3.0"])
def test_large_records_are_in_the_binary(fmi: str, tmp_path: Path) -> None:
    """All columns have the bits of `simulate`, and the description of the program has no record."""
    m = on_waves()
    path = mbs.export(
        m, tmp_path / "waves.fmu", "native", fmi=fmi, method="rk4", step=TICK / 8, stop_time=0.25,
        communication_step=TICK, platforms="host",
    )  # fmt: skip
    with zipfile.ZipFile(path) as archive:
        assert json.loads(archive.read("resources/program.json"))["record"] == ""
    result = mbs.simulate(m, 0.25, method="rk4", step=TICK / 8, output_interval=TICK)
    if fmi == "3.0":
        return  # the same C sources; the host below is one of FMI 2.0
    names = [name for name in result.columns if name != "time"]
    with Host(path) as host:
        host.start()
        for row in range(1, len(result["time"])):
            host.step(TICK)
            values = host.slave.getReal([host.references[name] for name in names])
            assert np.array_equal(values, [result[name][row] for name in names]), result["time"][row]


@pytest.mark.slow
@native
def test_large_records_are_in_components(tmp_path: Path) -> None:
    """The WebAssembly component of a large record contains its numbers."""
    path = mbs.export(
        on_waves(), tmp_path / "waves.fmu", "native", fmi="3.0", method="rk4", step=TICK, stop_time=0.1,
        platforms=["wasm32-wasip2"],
    )  # fmt: skip
    with zipfile.ZipFile(path) as archive:
        (code,) = (archive.read(name) for name in archive.namelist() if name.endswith(".wasm"))
    assert len(code) > 8 * COUNT**2
