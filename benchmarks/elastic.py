"""Elastic bodies: error and time against the number of vibration modes, and stiff methods against explicit ones."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import mbs_fmu as mbs
from mbs_fmu.view.plots import new_figure

from . import elastic_bending, elastic_chain, elastic_stiffening
from .report import cpu_name, progress, table
from .timing import Effort, clock

DOCS = Path(__file__).parent.parent / "docs"
LENGTH, LOAD = 1.0, 0.2  #: m, kg
TURN, SPAN = 0.5, 1.0  #: s
FINE = 30  #: modes of the beam from which the others select
REFERENCE = 20  #: modes
COUNTS = (2, 3, 4, 6, 8, 12)
STIFF = 12  #: modes
TOLERANCES = {
    "dopri5": (1e-2, 1e-4, 1e-6, 1e-8),
    "rodas5p": (1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7),
    "ros34pw2": (1e-2, 1e-3, 1e-4, 1e-5),
}
SHAPES = ("as mbs.beam makes them", "kept, held at the root", "kept, free body")

EXPLANATION = f"""\
A drive rotates a boom of {LENGTH:g} m (steel, 20 x 10 mm, 1.56 kg) with a load of {LOAD:g} kg welded to its tip by 1
rad in {TURN:g} s, without gravity and with a damping ratio of 0.01; then the boom vibrates freely. The tip bends by 29
mm. The error is the largest distance of the tip, in {SPAN:g} s, from its position with {REFERENCE} vibration modes,
with dopri5 and tolerances of 1e-8. Times are processor time of `simulate`, with the model already compiled, the
smallest of three runs. Shapes are those of `mbs.beam(modes=n)`, or the first of {FINE} that `keep(count=n,
held="root")` and `keep(count=n)` select."""
METHODS = f"""\
The same with {STIFF} vibration modes, the highest of 7.6 kHz, against dop853 with a tolerance of 1e-12: the cost of
methods by tolerance."""


@dataclass
class Run:
    """Positions of the tip over time, m; steps, evaluations, seconds."""

    tip: np.ndarray
    steps: int
    evaluations: int
    seconds: float

    def error(self, exact: Run) -> float:
        """Largest distance of the tip, m."""
        return float(np.linalg.norm(self.tip - exact.tip, axis=1).max())


def section(effort: Effort, quick: bool) -> str:
    """Report section; its figure is drawn into docs/ unless `quick`."""
    progress("elastic bodies: modes")
    counts = COUNTS[:3] if quick else COUNTS
    runs, exact = by_modes(counts)
    rows = []
    for k, count in enumerate(counts):
        cells = [f"{runs[name][k].error(exact):.1e} / {1e3 * runs[name][k].seconds:.3g} ms" for name in SHAPES]
        rows.append([str(count), *cells])
    if not quick:
        draw(runs, exact)
    progress("elastic bodies: methods")
    figure = "![Error and time against the number of modes](elastic_modes.png)"
    errors = table(["modes", *(f"{name}: error, m / time" for name in SHAPES)], rows)
    introduction = f"{EXPLANATION} Processor: {cpu_name()}."
    parts = [elastic_chain.part(effort), elastic_stiffening.part(effort), elastic_bending.part()]
    return "\n\n".join(["## Elastic bodies", introduction, errors, figure, METHODS, methods(quick), *parts])


def by_modes(counts: tuple[int, ...]) -> tuple[dict[str, list[Run]], Run]:
    """Runs by shapes, one for each number of modes, and that of many modes."""
    fine = beam(FINE)
    sets = (
        [beam(n) for n in counts],
        [fine.keep(count=n, held="root") for n in counts],
        [fine.keep(count=n) for n in counts],
    )
    runs = {name: [run(rod, "dopri5", 1e-8) for rod in rods] for name, rods in zip(SHAPES, sets, strict=True)}
    return runs, run(beam(REFERENCE), "dopri5", 1e-8, times=1)


def methods(quick: bool) -> str:
    """Table of methods and tolerances."""
    rod = beam(6 if quick else STIFF)
    exact = run(rod, "dop853", 1e-12, times=1)
    rows = []
    for method, tolerances in TOLERANCES.items():
        for tolerance in tolerances:
            outcome = run(rod, method, tolerance)
            figures = str(outcome.steps), str(outcome.evaluations), f"{1e3 * outcome.seconds:.3g} ms"
            rows.append([f"{method}, {tolerance:.0e}", f"{outcome.error(exact):.1e}", *figures])
    return table(["method, rtol and atol", "error, m", "steps", "evaluations", "time"], rows)


def beam(modes: int) -> mbs.Modes:
    section = mbs.Rectangle(0.02, 0.01)
    return mbs.beam(LENGTH, section, 2.1e11, 7800.0, modes=modes, along="z", damping=0.01)


def boom(rod: mbs.Modes) -> mbs.Model:
    """The boom, its drive and its load."""
    m = mbs.Model("boom", gravity=(0, 0, 0))
    body = m.body("boom", joint=mbs.Revolute("y"), elastic=rod, root="root")
    rate = 2 * math.pi / TURN
    angle = (mbs.time - mbs.sin(rate * mbs.time) / rate) / TURN
    m.drive("turn", body, mbs.where(mbs.time < TURN, angle, 1.0))
    m.body("load", body.node("tip"), mass=LOAD)
    m.output("tip", mbs.position(body.node("tip")), unit="m")
    return m


def run(rod: mbs.Modes, method: str, tolerance: float, times: int = 3) -> Run:
    """Fastest of several equal runs."""
    model, seconds = boom(rod), []
    options = {"method": method, "rtol": tolerance, "atol": tolerance, "output_interval": 0.01, "progress": False}
    mbs.simulate(model, 1e-3, **options)  # type: ignore[arg-type]  # compiles
    for _ in range(times):
        before = clock()
        result = mbs.simulate(model, SPAN, **options)  # type: ignore[arg-type]
        seconds.append(clock() - before)
    steps, evaluations = result.statistics["steps"], result.statistics["evaluations"]
    return Run(result["tip"], steps, evaluations, min(seconds))


def draw(runs: dict[str, list[Run]], exact: Run) -> None:
    """Errors and times of each set of shapes."""
    figure = new_figure(width=10, height=3.6)
    left, right = figure.subplots(1, 2)
    for k, (name, outcome) in enumerate(runs.items()):
        style = {"label": name, "color": f"C{k}", "marker": "os^"[k], "markersize": 4}
        left.semilogy(COUNTS, [r.error(exact) for r in outcome], **style)
        right.semilogy(COUNTS, [1e3 * r.seconds for r in outcome], **style)
    left.set(xlabel="modes", ylabel="error of the tip (m)", xticks=COUNTS)
    right.set(xlabel="modes", ylabel="processor time of the run (ms)", xticks=COUNTS)
    for axis in (left, right):
        axis.grid(alpha=0.3)
    figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncol=3, fontsize=9)
    figure.savefig(DOCS / "elastic_modes.png", dpi=110)
