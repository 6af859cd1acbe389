"""Speed of elastic bodies: a chain of them against a rigid one of equal freedoms, and against dense equations."""

from __future__ import annotations

import numpy as np
from scipy.linalg.lapack import dposv

import mbs_fmu as mbs
from mbs_fmu.compile.build import compile_model
from mbs_fmu.run.runtime import Runtime

from .kernel_loops import state_loop
from .models import States, revolute_chain
from .peers import PinocchioCpp
from .report import number, progress, table
from .timing import Effort, calls, interleaved

LINKS = 5
MODES = (4, 8, 20)
EXPLANATION = f"""\
A chain of {LINKS} elastic beams, each on a hinge at the tip of the one before, with n vibration modes each: one
evaluation of the rates of all coordinates and momenta, including gravity, deformation to second order and
foreshortening. For comparison, Pinocchio's `aba` in C++ of a rigid chain with as many degrees of freedom, and the
solution of the dense equations of this order alone, with a given mass matrix (LAPACK's `dposv`, called from Python).
All run alternately in one process; times are medians of processor time, and the ratio is the median of the ratios
within each round. The targets for the ratio are 0.56, 0.6 and 0.8."""


def elastic_chain(modes: int) -> mbs.Model:
    """The chain, slightly deformed and in motion."""
    beam = mbs.beam(1.0, mbs.Rectangle(0.04, 0.02), 2.1e11, 7800.0, modes=max(modes, 5)).keep(modes, held="root")
    m, parent = mbs.Model("elastic_chain"), "world"
    for k in range(LINKS):
        body = m.body(f"b{k}", parent, mbs.Revolute("yz"[k % 2]), elastic=beam, root="root")
        m.start(body, q=0.3, u=0.5, xi=(0.01,))
        parent = body.node("tip")
    return m


def part(effort: Effort) -> str:
    """Part of the section on elastic bodies."""
    rows = []
    for modes in MODES:
        progress(f"elastic bodies: chain of {LINKS} with {modes} modes")
        rows.append(_row(modes, effort))
    header = ["modes", "velocities", "ours, us", "Pinocchio, rigid, us", "ours / Pinocchio", "dense solution, us"]
    return f"{EXPLANATION}\n\n{table(header, rows)}"


def _row(modes: int, effort: Effort) -> list[str]:
    program = compile_model(elastic_chain(modes))
    runtime, R = Runtime(program), program.new_record()
    runtime.initialize(R, 1e-6, 1e-8)
    state = program.state_slice
    X, loop = np.tile(R[state], (16, 1)), state_loop(program.text, "derive")
    freedoms = LINKS * (modes + 1)
    rigid = revolute_chain(freedoms)
    pinocchio = PinocchioCpp(rigid, States.random(rigid))
    A = np.random.default_rng(0).normal(size=(freedoms, freedoms))
    M, right = np.asfortranarray(A @ A.T + freedoms * np.eye(freedoms)), np.ones(freedoms)
    seconds = interleaved(
        {
            "ours": lambda count: loop(R, state.start, X, 0, np.zeros((16, 0)), count),
            "rigid": pinocchio.run,
            "dense": calls(lambda: dposv(M, right)),
        },
        effort,
    )
    ratio = float(np.median(seconds["ours"] / seconds["rigid"]))
    ours, peer, dense = (number(1e6 * float(np.median(seconds[key])), "{:.1f}") for key in ("ours", "rigid", "dense"))
    return [str(modes), str(freedoms), ours, peer, number(ratio, "{:.2f}"), dense]
