"""Warnings for elastic bodies without foreshortening that spin fast: they soften instead of stiffening."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from ..infrastructure.messages.calls import warn
from ..model.items import Body
from ..model.model import Model
from ..model.structure import of_structure
from ..record.codes import Status
from ..symbolic.expressions import is_literal
from .results.batches import BatchResult
from .results.results import Result
from .runtime import Runtime

SHARE = 0.1  #: warn of spins above this share of the first frequency of the body held at its root
MOST_ROWS = 60  #: largest number of rows of a result to check, equally spaced


def warn_of_spins(model: Model, runtime: Runtime, result: object) -> None:
    """Warn if a body without foreshortening spins fast in some row of a result.

    Each row is evaluated as a start with its coordinates and joint velocities.
    """
    if not _limits(model) or not isinstance(result, Result | BatchResult):
        return
    rows = np.asarray(result.data).reshape(-1, len(result.columns))
    rows = rows[np.unique(np.linspace(0, len(rows) - 1, min(len(rows), MOST_ROWS)).astype(int))] if len(rows) else rows
    program = runtime.program
    columns = {name: k for k, name in enumerate(result.columns)}
    slots = [(v.slot, columns[v.name]) for v in program.of_role("coordinate", "rate", "state") if v.name in columns]
    fastest: dict[str, float] = {}
    for row in rows[np.all(np.isfinite(rows), axis=1)]:
        R = program.new_record()
        for name, value in result.parameters.items():
            if np.ndim(value) == 0:
                R[program.by_name[name].slot] = value
        R[program.region("calculated")] = 0.0
        for slot, k in slots:
            R[slot] = row[k]
        R[0] = row[columns["time"]]
        if runtime.kernels.enter_initialise(R) == Status.ok:
            runtime.refresh(R)
            for name, speed in _speeds(runtime, R).items():
                fastest[name] = max(speed, fastest.get(name, 0.0))
    _warn(model, fastest)


def warn_of_spins_at(model: Model, runtime: Runtime, R: np.ndarray) -> None:
    """Warn of fast spins at the state of a record whose rates are computed."""
    if _limits(model):
        _warn(model, _speeds(runtime, R))


@of_structure
def _limits(model: Model) -> dict[str, float]:
    """Return the first held frequency (rad/s) of each elastic body without foreshortening, by name."""
    elastic = [(body, body.elastic.modes) for body in model.bodies.values() if body.elastic is not None]
    return {b.name: _first(b) for b, modes in elastic if not modes.foreshortening and np.any(modes.inertia.J2)}


def _first(body: Body) -> float:
    """Return the first frequency of an elastic body held at its root, or else at its first node, rad/s."""
    assert body.elastic is not None
    modes, factor = body.elastic.modes, body.elastic.stiffness
    root = body.elastic.root or next(iter(modes.nodes), None)
    frequencies = modes.frequencies if root is None else modes.held(root)
    return 2 * math.pi * float(frequencies[0]) * math.sqrt(factor.value if is_literal(factor) else 1.0)


def _speeds(runtime: Runtime, R: np.ndarray) -> dict[str, float]:
    """Return angular speeds of all elastic bodies, rad/s, by name."""
    program, kernels = runtime.program, runtime.kernels
    twists, first = R[program.region("twist")].reshape(-1, 6), program.region("q").start
    bodies = {v.slot - first: v.name.rpartition(".")[0] for v in program.of_role("coordinate")}
    return {bodies[int(kernels.Q_INDEX[i])]: float(np.linalg.norm(twists[i, 3:])) for i in kernels.ELASTIC_LINKS}


def _warn(model: Model, speeds: Mapping[str, float]) -> None:
    for name, first in _limits(model).items():
        speed = speeds.get(name, 0.0)
        if speed > SHARE * first:
            warn(
                f"model {model.name!r}: body {name!r} turns at up to {speed:.3g} rad/s, more than a tenth of its first "
                f"held frequency, {first:.3g} rad/s, and its modes have no foreshortening (geometric stiffness): "
                "spinning makes it softer, where it should get stiffer. Pass geometric= to mbs.Modes.matrices, or "
                "model it as an mbs.beam or as several bodies"
            )
