"""Parts of the compilation that only models with closed loops, reactions or accelerations need."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...model.items import Start
from ...model.model import Model
from ...record.blocks import LoopNumbers
from ...record.codes import StartRate
from ...record.program import Program, Variable
from ...record.sizes import LoopSizes
from ..tree.classes import Classified
from .closures import Closures


def loop_sizes(closures: Closures, tail: bool, modes: int, channels: int) -> LoopSizes:
    """Return the sizes that all loops need.

    `tail`: a second record is needed. `modes`: number of closures with constraint modes. `channels`: number of channels
    of coupled joints.
    """
    addresses = closures.row_addresses
    shared = tail and addresses.rows > 1 and closures.bilateral
    return LoopSizes(
        rows=addresses.rows,
        closures=len(closures.resolved),
        entries=addresses.entries,
        channels=channels,
        projections=addresses.projections,
        blocks=addresses.blocks,
        factors=addresses.factors,
        column=max((cut.rows for cut in closures.cuts.cuts), default=0),
        modes=modes,
        turned=closures.turned_frames,
        frontal=addresses.frontal if shared else 0,
        frontal_row=addresses.frontal_row if shared else 0,
        tail=tail,
    )


def set_stabilization(R: np.ndarray, program: Program, model: Model) -> None:
    """Write to the first record the stabilization of loops, and which start values are held."""
    regions, settings = program.regions, model.stabilization
    start, first = regions["loop_state"][0], regions["u"][0]
    R[start + LoopNumbers.most_alpha] = 1.0 if settings.alpha is None else settings.alpha
    R[start + LoopNumbers.alpha_step] = 0.1 if settings.alpha is None else np.inf
    R[start + LoopNumbers.projection_residual] = 0.0 if settings.projection else -1.0
    R[start + LoopNumbers.transfer_each_step] = float(settings.rebasing)
    R[start + LoopNumbers.residual_bound] = np.inf if settings.bound is None else settings.bound
    R[start + LoopNumbers.drift] = 1.0
    for v, body in joint_rates(program, model):
        own = model.starts.get(body, Start())
        R[regions["free"][0] + v.slot - first] = float(own.guess or own.q is None)
        may = StartRate.guessed if own.guess else StartRate.held
        R[regions["free_rates"][0] + v.slot - first] = StartRate.unspecified if own.u is None else may


def joint_rates(program: Program, model: Model) -> Iterator[tuple[Variable, str]]:
    """Yield the joint velocities, except rates of vibration modes, each with the name of its body."""
    for v in program.of_role("rate"):
        body, _, suffix = v.name.rpartition(".")
        if suffix in dict(model.bodies[body].joint.rates):
            yield v, body


def prescribed_motions(model: Model, classified: Classified) -> list[str]:
    """Return names of prescribed motions for messages: formulas of time first, then the drive of each driven rate."""
    drives = [""] * classified.tree.count("driven_u")
    for drive in model.drives.values():
        for k in drive.rates:
            drives[classified.tree.u[drive.body][k].offset] = f"drive {drive.name!r}"
    return ["the motion given in time", *drives]
