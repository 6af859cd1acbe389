"""Cost of stress stiffness: a free truss boom with and without it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import mbs_fmu as mbs
from mbs_fmu.compile.build import compile_model
from mbs_fmu.run.runtime import Runtime
from models import truss_boom as boom

from .kernel_loops import state_loop
from .report import number, progress, table
from .timing import Effort, Run, interleaved

KINDS = ("mass and stiffness", "stress stiffness")
VIBRATIONS = 10  #: beside six shapes of the second frame
EXPLANATION = f"""\
The free truss boom of `models/truss_boom.py` has {6 + VIBRATIONS} modes and is made from its mass and stiffness matrix
alone, or with the stress stiffness of its bars as well. The table lists the time of one evaluation of the rates of all
coordinates and momenta: medians of processor time, from alternating runs in one process. Stress stiffness adds terms of
second order, which are zero without it. The target is a ratio of 1.3."""


def free_boom(stiffened: bool) -> mbs.Model:
    """The boom in free flight, bent and in motion."""
    nodes, M, K, frames = boom.matrices()
    geometric = "bars" if stiffened else None
    rod = mbs.Modes.matrices(nodes, M, K, frames, modes=VIBRATIONS, geometric=geometric)
    rod = replace(rod, foreshortening=True)  # the run of the plain body needs no warning
    m = mbs.Model("boom", gravity=(0, 0, 0))
    body = m.body("boom", joint=mbs.Free(), elastic=rod, root="root", damping=0.0)
    m.output("tip", mbs.position(body.node("tip")))
    m.start(body, u=(0, 0, 0, 1.0, 2.0, 8.0), xi=(0.01,))
    return m


def part(effort: Effort) -> str:
    """Part of the section on elastic bodies."""
    progress("elastic bodies: stress stiffness")
    seconds = interleaved({kind: _evaluations(kind == "stress stiffness") for kind in KINDS}, effort)
    ratio = float(np.median(seconds[KINDS[1]] / seconds[KINDS[0]]))
    cells = [number(1e6 * float(np.median(seconds[kind])), "{:.2f}") for kind in KINDS]
    figures = table([*(f"{kind}, us" for kind in KINDS), "ratio"], [[*cells, number(ratio, "{:.2f}")]])
    return f"{EXPLANATION}\n\n{figures}"


def _evaluations(stiffened: bool) -> Run:
    """Repeated evaluations of the boom's rates."""
    program = compile_model(free_boom(stiffened))
    runtime, R = Runtime(program), program.new_record()
    runtime.initialize(R, 1e-6, 1e-8)
    state = program.state_slice
    X, loop = np.tile(R[state], (16, 1)), state_loop(program.text, "derive")
    inputs = np.zeros((16, 0))
    return lambda count: loop(R, state.start, X, 0, inputs, count)
