"""Growth of times and memory with the number of bodies, from 10 to 100 000, each model in a separate process."""

from __future__ import annotations

import itertools
import json
import math
import subprocess
import tempfile
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from mbs_fmu.view.plots import new_figure

from .checkouts import ROOT, Checkout
from .report import progress, table

SIZES: Mapping[str, tuple[int, ...]] = {
    "chain": (10, 100, 1000, 10_000, 100_000),
    "universals": (10, 100, 1000, 10_000, 100_000),
    "tree": (10, 100, 1000, 10_000),
    "loops": (10, 100, 1000, 10_000),
    "ladder": (10, 100, 1000, 10_000),
    "balls": (10, 100, 1000, 10_000),
}
QUICK = 1000  #: largest number of bodies of a quick run
EXPORTED = 10_000  #: largest number of bodies that are exported
LIMITS = 1200, 12_000  #: of each process: processor time, s, and address space, MB
FIRST = 100  #: number of bodies from which growth is counted
ALLOWED = 1.3  #: growth of what one body costs at ten times as many bodies that counts as linear
CLEAR = 20.0  #: memory beyond that of the smallest model from which its growth is counted, MB
SMALL = 100  #: bodies of the model whose records are used in turn
#: By column: unit of a figure in the first table, its form, and unit of what a body costs.
COLUMNS: Mapping[str, tuple[str, str, float, str]] = {
    "model": ("s", "{:.2f}", 1e6, "µs"),
    "first": ("s", "{:.1f}", 1e3, "ms"),
    "step": ("µs", "{:.4g}", 1e9, "ns"),
    "memory": ("MB", "{:.0f}", 1e3, "kB"),
    "export": ("s", "{:.1f}", 1e3, "ms"),
    "size": ("MB", "{:.2f}", 1e3, "kB"),
}
TITLES = {"first": "first use", "size": "FMU"}
MICRO = 1e6
PLACE = "growth.png"
ABOUT = f"""\
How times and memory grow with the number of bodies. Each row is one process with an empty cache; times are processor
time. A process may take {LIMITS[0]} s and {LIMITS[1] // 1000} GB. Chains go up to 100 000 bodies, the other models to
10 000: with ten times as many, the first use would take 11 minutes and 10 GB with contacts, and up to 18 minutes and
16 GB with loops. A dash stands for a figure that was not measured: above these sizes, or since its process was ended.

- "Chain" and "tree" are those of [large models](#large-models), "universals" is a chain of universal joints.
- "Loops" are four-bars of three bodies, each on the coupler of an earlier one that is chosen at random.
- "Ladder" is a row of four-bars, in which neighbours share a rod, so that all loops are coupled.
- "Balls" roll and slide on a plane, each with a compliant contact with friction.

| column | content |
| --- | --- |
| model | the calls of `m.body`, `m.close` and `m.ground` |
| first use | the first `mbs.simulate`, one step of rk4, with tracing and compilation of quick code |
| step | one step of rk4 (four evaluations) in full code, in a loop in machine code |
| record | bytes of the record for each body |
| memory | largest resident size of the process after the first use |
| export | a native FMU for this platform, without a reference run; up to {EXPORTED} bodies, since fmpy takes a minute \
to read the description of ten times as many |
| FMU | size of the file |"""
CONSTANT = f"""\
Growth of what one body costs at ten times as many bodies, the largest from {FIRST} bodies on: the quotient of the
figures of two successive rows, over the quotient of their numbers of bodies. 1 is linear, and below 1 the part that
does not depend on the number of bodies still counts: imports and the compilation of the kernels for the first use, the
libraries of an FMU. "Memory" counts what exceeds the process of 10 bodies, if that is more than {CLEAR:.0f} MB. Growth
above {ALLOWED} is marked by *."""
CACHES = f"""\
A step reads and writes the whole record in each evaluation. When the record no longer fits into a cache of the
processor ({{caches}}), its numbers come from the next one. The table shows what this alone costs: evaluations of a
model of {SMALL} bodies, in which as many records are used in turn as have the size of the record of a larger model,
relative to evaluations of one record. They do the same operations. "Step" is the growth of the time of a step for a
body from {SMALL} bodies to so many: where both agree, it is that of the caches."""
Figures = dict[str, float]


def section(quick: bool) -> str:
    """Report section; draws docs/growth.png."""
    with tempfile.TemporaryDirectory() as folder:
        side = Checkout(ROOT, Path(folder))
        side.keep_byte_code()
        found = {
            shape: [_figures(side, shape, bodies) for bodies in sizes if not quick or bodies <= QUICK]
            for shape, sizes in SIZES.items()
        }
        turns = {shape: _in_turn(side, shape, rows) for shape, rows in found.items()}
    if not quick:
        draw(found)
    picture = f"![Cost of a body against the number of bodies]({PLACE})"
    tables = [
        _table(found),
        picture,
        CONSTANT,
        _growth(found),
        textwrap.fill(CACHES.format(caches=_caches()), 118),
        _turns(found, turns),
    ]
    return "\n\n".join(["## Growth", ABOUT, *tables])


# -- measurements --------------------------------------------------------------------------------------------
def _figures(side: Checkout, shape: str, bodies: int) -> Figures:
    """Return the figures of a model; those after a limit or a failure are missing."""
    progress(f"growth, {shape} of {bodies}")
    cache = side.folder / f"{shape}{bodies}"
    exports = str(side.folder / "exports") if bodies <= EXPORTED else ""
    call = f"measure({shape!r}, {bodies}, {exports!r}, {LIMITS[0]}, {LIMITS[1]})"
    done = subprocess.run(
        side.command("growth_child", call), env=side.environment(cache), cwd=side.folder, stdout=subprocess.PIPE,
        text=True, check=False,
    )  # fmt: skip
    lines = done.stdout.splitlines()
    return dict(json.loads(lines[-1])) if lines else {"bodies": bodies}


def _in_turn(side: Checkout, shape: str, rows: Sequence[Figures]) -> list[float]:
    """Return seconds of an evaluation of a small model with one record, and with records of the sizes of these rows."""
    progress(f"growth, {shape} with records in turn")
    totals = [0, *(int(row["record"]) for row in _large(rows))]
    return list(
        json.loads(side.printed("growth_child", f"in_turn({shape!r}, {SMALL}, {totals})", side.folder / "turns"))
    )


def _large(rows: Sequence[Figures]) -> list[Figures]:
    """Return the rows with a step and more than SMALL bodies."""
    return [row for row in rows if "step" in row and row["bodies"] > 1.1 * SMALL]


def _caches() -> str:
    """Return the sizes of the processor's caches."""
    sizes = []
    for index in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        kind, level, size = ((index / name).read_text().strip() for name in ("type", "level", "size"))
        if kind != "Instruction":
            sizes.append(f"L{level} {size}")
    return ", ".join(sizes) or "of unknown size"


# -- tables --------------------------------------------------------------------------------------------------
def _table(found: Mapping[str, Sequence[Figures]]) -> str:
    rows = []
    for shape, figures in found.items():
        for row in figures:
            cells = {name: _cell(row, name) for name in COLUMNS}
            record = f"{row['record'] / row['bodies']:.0f}" if "record" in row else "-"
            ordered = [cells["model"], cells["first"], cells["step"], record, *(cells[x] for x in list(COLUMNS)[3:])]
            rows.append([f"{shape}, {row['bodies']:.0f}", *ordered])
    titles = [f"{TITLES.get(name, name)}, {unit}" for name, (unit, *_) in COLUMNS.items()]
    return table(["bodies", *titles[:3], "record, B/body", *titles[3:]], rows)


def _cell(row: Figures, name: str) -> str:
    if name not in row:
        return "-"
    return COLUMNS[name][1].format(row[name] * (MICRO if name == "step" else 1.0))


def each(rows: Sequence[Figures], name: str) -> list[tuple[float, float]]:
    """Return numbers of bodies and what one of them costs, in the unit of a column."""
    first, least = (rows[0].get(name, 0.0), CLEAR) if name == "memory" else (0.0, 0.0)
    shown = [row for row in rows if name in row and row[name] > first + least]
    return [(row["bodies"], COLUMNS[name][2] * (row[name] - first) / row["bodies"]) for row in shown]


def growth(points: Iterable[tuple[float, float]]) -> float | None:
    """Return the largest growth at ten times as many bodies, from FIRST bodies on; None for a single point."""
    counted = [(n, cost) for n, cost in points if n > 0.9 * FIRST]
    rates = [math.log(b / a) / math.log10(m / n) for (n, a), (m, b) in itertools.pairwise(counted)]
    return math.exp(max(rates)) if rates else None


def _growth(found: Mapping[str, Sequence[Figures]]) -> str:
    rows = []
    for shape, figures in found.items():
        cells = []
        for name in COLUMNS:
            value = growth(each(figures, name))
            cells.append("-" if value is None else f"{value:.2f}" + "*" * (value > ALLOWED))
        rows.append([shape, *cells])
    return table(["bodies", *(TITLES.get(name, name) for name in COLUMNS)], rows)


def _turns(found: Mapping[str, Sequence[Figures]], turns: Mapping[str, Sequence[float]]) -> str:
    rows = []
    for shape, figures in found.items():
        small = next(row for row in figures if row["bodies"] > 0.9 * SMALL)
        for row, seconds in zip(_large(figures), turns[shape][1:], strict=True):
            grown = row["step"] / row["bodies"] / (small["step"] / small["bodies"])
            size = f"{row['record'] / 2**20:.1f}"
            rows.append([f"{shape}, {row['bodies']:.0f}", size, f"{seconds / turns[shape][0]:.2f}", f"{grown:.2f}"])
    return table(["bodies", "record, MiB", "records in turn", "step"], rows)


# -- figure --------------------------------------------------------------------------------------------------
def draw(found: Mapping[str, Sequence[Figures]]) -> None:
    """Draw what a body costs against the number of bodies, a plot for each column."""
    figure = new_figure(11, 6)
    axes = figure.subplots(2, 3).ravel()
    for axis, name in zip(axes, COLUMNS, strict=True):
        for k, (shape, rows) in enumerate(found.items()):
            points = np.array(each(rows, name)).reshape(-1, 2)
            axis.loglog(points[:, 0], points[:, 1], "osv^D*"[k] + "-", color=f"C{k}", label=shape, markersize=4)
        unit = COLUMNS[name][3]
        axis.set(title=f"{TITLES.get(name, name)}: {unit} a body", xlabel="bodies", xlim=(7, 1.5e5))
        axis.grid(alpha=0.3)
    figure.tight_layout(rect=(0, 0, 0.87, 1))
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="center right")
    figure.savefig(ROOT / "docs" / PLACE, dpi=100)
