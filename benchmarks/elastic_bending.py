"""Cost of chains of elastic bodies that bend far: steps and time against the number of bodies."""

from __future__ import annotations

import mbs_fmu as mbs

from .report import progress, table
from .timing import clock

CHAINS = ((1, 3), (2, 3), (4, 3), (8, 2))  #: bodies, modes of each
METHODS = ("dopri5", "rodas5p")
EXPLANATION = """\
A strip of rubber of 1 m (E = 1e8 Pa, 0.02 x 0.01 m, 1000 kg/m3), pinned at one end, falls from the horizontal for
1 s. It is modelled as a chain of bodies with a few modes each; tolerances are 1e-6. The table lists the number of steps
and the processor time of `simulate` with the model already compiled, the smallest of three runs. Errors are in
[elastic_accuracy.md](elastic_accuracy.md#range-of-deflection)."""


def falling_strip(bodies: int, modes: int) -> mbs.Model:
    """The strip as a chain."""
    piece = mbs.beam(1.0 / bodies, mbs.Rectangle(0.02, 0.01), E=1e8, density=1000.0, modes=modes, along="z")
    m = mbs.Model("falling_strip")
    end = m.chain("strip", "world", piece, bodies, mbs.Revolute("y"), damping=0.0)[-1].node("tip")
    m.output("tip", mbs.position(end))
    return m


def part() -> str:
    """Part of the section on elastic bodies."""
    rows = []
    for bodies, modes in CHAINS:
        progress(f"elastic bodies: {bodies} bodies of a strip that falls")
        rows.append([f"{bodies} x {modes}", *(cell for method in METHODS for cell in _cells(bodies, modes, method))])
    header = ["bodies x modes", *(word for method in METHODS for word in (f"{method}: steps", "time, s"))]
    return f"{EXPLANATION}\n\n{table(header, rows)}"


def _cells(bodies: int, modes: int, method: str) -> list[str]:
    """Steps and seconds of a run."""
    model, seconds = falling_strip(bodies, modes), []
    for _ in range(4):  # the first one may compile
        start = clock()
        run = mbs.simulate(model, 1.0, method=method, rtol=1e-6, output_interval=0.01)
        seconds.append(clock() - start)
    return [str(run.statistics["steps"]), f"{min(seconds[1:]):.2g}"]
