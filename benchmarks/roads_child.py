"""Child process of the benchmark of roads: the first use of a large road."""

from __future__ import annotations

import json
import resource
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

import mbs_fmu as mbs

STEP = 1e-3  #: s
G = 9.81


def quarter_car(tyre: mbs.Tyre | None = None, speed: float = 10.0, **contact: Any) -> mbs.Model:
    """Return a quarter of a car that is drawn along x, from x = 5 m. contact: arguments of `m.tyre`."""
    if tyre is None:
        tyre = mbs.Tyre.brush(
            radius=0.31, stiffness=2e5, load=4000.0, slip_stiffness=8e4, friction=0.95, damping=500.0, relaxation=0.4
        )
    weight = 390.0 * G
    m = mbs.Model("quarter")
    m.body("sled", joint=mbs.Compound(mbs.slide("x"), mbs.slide("z")), mass=20.0)
    m.body("car", "sled", mbs.Prismatic("z"), mass=350.0)
    m.spring("strut", on="car", stiffness=2.5e4, damping=2e3, length=350.0 * G / 2.5e4)
    m.body("wheel", "sled", mbs.Revolute("y"), mass=20.0, inertia=(0.6, 1.0, 0.6))
    m.tyre("tyre", "wheel", tyre, **contact)
    m.start("sled", q=(5.0, tyre.loaded_radius(weight)), u=(speed, 0.0))
    m.start("wheel", u=speed / tyre.effective_radius(weight))
    return m


def _small(path: str) -> dict[str, Any]:
    return {"road": mbs.HeightField([0.0, 60.0], [-3.0, 3.0], np.zeros((2, 2)))}


def _curved(path: str) -> dict[str, Any]:
    return {"road": mbs.CurvedGrid.from_crg(path)}


def _with_cams(path: str) -> dict[str, Any]:
    return {**_curved(path), "envelope": mbs.Cams(length=0.46, height=0.30, order=1.52, distance=0.11)}


def _field(path: str) -> dict[str, Any]:
    heights = 1e-3 * np.random.default_rng(0).normal(size=(4501, 1001))
    return {"road": mbs.HeightField(0.01 * np.arange(4501), np.linspace(-2.5, 2.5, 1001), heights)}


USES: Mapping[str, Callable[[str], dict[str, Any]]] = {
    "height field of 2 x 2 points": _small,
    "height field": _field,
    "curved grid of a file": _curved,
    "curved grid of a file, cams": _with_cams,
}


def peak() -> float:
    """Return the largest resident size of this process up to now, MB.

    On Linux, the figure of `getrusage` includes the process that started this one.
    """
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(name: str, path: str) -> None:
    """Print the processor times of stages, s, and the largest resident sizes after them, MB, as JSON."""
    seconds: dict[str, float] = {}
    memory: dict[str, float] = {}

    def note(stage: str) -> None:
        seconds[stage] = time.process_time() - sum(seconds.values())
        memory[stage] = peak()

    note("import")
    contact = USES[name](path)
    note("read")
    model = quarter_car(**contact)
    note("model")
    mbs.simulate(model, STEP, method="rk4", step=STEP, output_interval=STEP, progress=False)
    note("run")
    print(json.dumps({"seconds": seconds, "memory": memory}))
