"""The figure of errors against processor time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from mbs_fmu.view.plots import new_figure

from .compare import Comparison
from .programs import PROGRAMS

COLUMNS = 3
LEAST, MOST = 1e-13, 3.0  #: m, shown errors
WIDTH, HEIGHT = 3.9, 2.9  #: inches of a panel


def draw(comparisons: Sequence[Comparison], path: Path) -> None:
    """A panel for each system; a line for each method, dashed for laws but the first of a program."""
    rows = math.ceil(len(comparisons) / COLUMNS)
    figure = new_figure(width=WIDTH * COLUMNS, height=HEIGHT * rows + 0.7)
    axes = figure.subplots(rows, COLUMNS, squeeze=False)
    known = {}
    for axis, comparison in zip(axes.flat, comparisons, strict=False):
        system = comparison.measured.system
        for program in PROGRAMS:
            for curve in comparison.curves(program.name):
                points = [(np.median(p.cpu), max(comparison.error(p), LEAST)) for p in curve]
                shown = [(1e3 * time / system.stop, error) for time, error in points if error < MOST]
                first = curve[0].setting.law == comparison.laws(program.name)[0]
                (line,) = axis.loglog(
                    *(np.transpose(shown) if shown else ([], [])), color=program.colour, linewidth=1.0, marker="o",
                    markersize=3.0, linestyle="-" if first else "--",
                )  # fmt: skip
                known.setdefault(program.title, line)
        axis.set_title(system.title, fontsize=10)
        axis.grid(alpha=0.3)
        axis.tick_params(labelsize=8)
        for level in system.levels:
            axis.axhline(level, color="0.5", linewidth=0.6, linestyle=":")
    for axis in axes.flat[len(comparisons) :]:
        axis.set_axis_off()
    figure.supxlabel("processor time, ms per simulated second", fontsize=10)
    figure.supylabel("error at the end, m", fontsize=10)
    columns = math.ceil(len(known) / 2)
    figure.legend(known.values(), known.keys(), loc="outside upper center", ncols=columns, fontsize=10, frameon=False)
    figure.savefig(path, dpi=90, pil_kwargs={"optimize": True})
