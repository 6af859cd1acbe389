"""Roads: the time of a step of a quarter of a car on each kind of road, and the first use of a large one."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy import median

import mbs_fmu as mbs

from .checkouts import ROOT, Checkout
from .named import in_folder
from .ours import rk4_steps
from .report import progress, table
from .roads_child import USES, quarter_car
from .timing import Effort, Run, calls, interleaved

STEP, COUNT = 1e-3, 1000  #: s, of rk4; steps of a measured run
PLANE, FORMULA = "plane", "plane, Magic Formula"
CAMS = mbs.Cams(length=0.46, height=0.30, order=1.52, distance=0.11)  # m
ROWS, COLUMNS, SPACING = 4501, 1001, 0.01  #: heights along and across; m, distance of rows
STAGES = ("import", "read", "model", "run")
EXPLANATION = f"""\
A quarter of a car with a brush tyre is drawn at 10 m/s over roads with random bumps. The first table lists the
processor time of a step of rk4, of {STEP:g} s, in microseconds, as the median over rounds of {COUNT} steps, in which
the roads run alternately, and over that on the plane, for tyres of the Magic Formula on their plane. Cams are those of
`envelope=`; on a height field they sense slopes along any heading.

The second table is the first use of a road of {ROWS} x {COLUMNS} heights, in a process of its own with an empty cache.
The file is an OpenCRG file of 18 MB in the form KRBI. Columns are the processor time, s, of the import of the package,
of reading the file or taking the arrays, of building the model, and of the first run, one step, with the compilation;
then the largest resident size after each of these, MB. The small height field shows what any model needs. To measure
this section alone, run `MBS_FMU_TIER=full python -m benchmarks --sections roads`."""


def section(effort: Effort) -> str:
    """Report section."""
    progress("roads")
    models = {name: quarter_car(**more) for name, more in roads().items()}
    runs: dict[str, Run] = {name: calls(rk4_steps(model, STEP, COUNT)) for name, model in models.items()}
    micro = {name: 1e6 * float(median(values)) / COUNT for name, values in interleaved(runs, effort).items()}
    rows = []
    for name, value in micro.items():
        base = micro[FORMULA if name.startswith(FORMULA) else PLANE]
        rows.append([name, f"{value:.2f}", f"{value / base:.2f}"])
    steps = table(["road", "µs per step", "ratio"], rows)
    return "\n\n".join(["## Roads", EXPLANATION, steps, _first_uses()])


def roads() -> Mapping[str, Mapping[str, Any]]:
    """Return arguments of `m.tyre` by name: roads 60 m long and 6 m wide with bumps, without and with cams."""
    u, v, radius = np.arange(0.0, 60.01, 0.05), np.linspace(-3.0, 3.0, 61), 200.0
    bumps = 0.002 * np.random.default_rng(0).normal(size=(len(u), len(v)))
    line = radius * np.sin(u / radius), radius - radius * np.cos(u / radius)
    uneven: dict[str, Any] = {
        "profile of 1201 points": mbs.Profile(u, bumps[:, 0]),
        "height field of 1201 x 61 points": mbs.HeightField(u, v, bumps),
        "curved grid of 1201 x 61 points": mbs.CurvedGrid(u, v, bumps, *line),
    }
    found: dict[str, dict[str, Any]] = {PLANE: {}}
    for name, road in uneven.items():
        found[name] = {"road": road}
        found[f"{name}, cams"] = {"road": road, "envelope": CAMS}
    formula = {"tyre": mbs.Tyre(in_folder("car").__globals__["TYRE"]), "side": "left"}
    return {**found, FORMULA: formula, f"{FORMULA} with turn slip": {**formula, "turn_slip": True}}


def _first_uses() -> str:
    """Table of the first uses of large roads."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        side = Checkout(ROOT, Path(folder))
        side.keep_byte_code()
        path = write_crg(Path(folder) / "large.crg")
        for k, name in enumerate(USES):
            progress(f"first use of a road, {name}")
            call = f"measure({name!r}, {str(path)!r})"
            figures = json.loads(side.printed("roads_child", call, Path(folder) / f"cache{k}"))
            seconds = (f"{figures['seconds'][stage]:.2f}" for stage in STAGES)
            rows.append([name, *seconds, *(f"{figures['memory'][stage]:.0f}" for stage in STAGES)])
    header = ["road", *(f"{stage}, s" for stage in STAGES), *(f"{stage}, MB" for stage in STAGES)]
    return table(header, rows)


def write_crg(path: Path) -> Path:
    """Write an OpenCRG file with random heights on a road in a wide bend, in the form KRBI."""
    heading = np.linspace(0.0, 0.5, ROWS)
    heights = 1e-3 * np.random.default_rng(0).normal(size=(ROWS, COLUMNS))
    numbers = np.column_stack([heading, heights]).astype(">f4").tobytes()
    v = np.linspace(-2.5, 2.5, COLUMNS)
    lines = [
        "$ROAD_CRG",
        "REFERENCE_LINE_START_U = 0.0",
        f"REFERENCE_LINE_END_U = {SPACING * (ROWS - 1)}",
        f"REFERENCE_LINE_INCREMENT = {SPACING}",
        "$KD_DEFINITION",
        "#:KRBI",
        f"U:reference line u,m,0.0,{SPACING}",
        "D:reference line phi,rad",
        *(f"D:long section at v = {place:.3f},m" for place in v),
        "$" * 72,
    ]
    fill = np.full(-len(numbers) % 80 // 4, np.nan, ">f4").tobytes()
    path.write_bytes(("\n".join(lines) + "\n").encode("ascii") + numbers + fill)
    return path
