"""Starts with all loops closed, mass matrices there, and joint coordinates that bring a body to a place."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..compile.closures.loops import joint_rates
from ..errors import ArgumentError, ModelError
from ..messages.calls import with_clear_errors
from ..model.geometry.poses import rotation_matrix
from ..model.geometry.vectors import Vector
from ..model.items import Body
from ..model.measures.measures import position as place
from ..model.model import Model
from ..symbolic.expressions import max as larger
from ..symbolic.expressions import sqrt
from .mechanism import Mechanism, Numbers, known_body, probe, three_numbers

TARGET = "inverse_kinematics"  #: of the closure, and what the names of its parameters begin with
HALF_TURN = 1e-9  #: of 1 + trace: below it a rotation is half a turn away
Kind = tuple[str, tuple[float, ...], bool, bool]  #: body, point, with position, with rotation


class MassMatrix(NamedTuple):
    """M over all joint velocities, loops left open (T = ½ uᵀM u), and their names in the order of its rows."""

    matrix: np.ndarray
    names: list[str]


@with_clear_errors
def assemble(
    model: Model, start: Mapping[str, float] | None = None, *, inputs: Mapping[str, float] | None = None,
    parameters: Mapping[str, float] | None = None, time: float = 0.0,
) -> dict[str, float]:  # fmt: skip
    """Start values with all loops closed, by name, as `simulate(..., start=)` takes them.

    start, inputs, parameters, time: as `simulate` takes them. Values given with `guess=True`, or not given, are moved;
    the others stay. Raises ModelError where the loops do not close.
    """
    mechanism, R = _begun(model, start or {}, inputs or {}, parameters or {}, time)
    return mechanism.started(R)


@with_clear_errors
def mass_matrix(
    model: Model, start: Mapping[str, float] | None = None, *, parameters: Mapping[str, float] | None = None,
    time: float = 0.0,
) -> MassMatrix:  # fmt: skip
    """The mass matrix of all joint velocities at a start (its loops are closed first), from the kernels' momenta.

    Units follow from those of the velocities: kg, kg.m, kg.m². Raises ModelError for what can't be started.
    """
    mechanism, R = _begun(model, start or {}, {}, parameters or {}, time)
    return MassMatrix(mechanism.mass_matrix(R), mechanism.rate_names)


def _begun(
    model: Model, start: Numbers, inputs: Numbers, parameters: Numbers, time: float
) -> tuple[Mechanism, np.ndarray]:
    mechanism = Mechanism(model)
    R = mechanism.record(start, inputs, parameters, time)
    mechanism.begin(R)
    return mechanism, R


@with_clear_errors
def inverse_kinematics(
    model: Model, body: str | Body, position: Sequence[float] | None = None, rotation: Any = None, *,
    point: Sequence[float] = (0.0, 0.0, 0.0), start: Mapping[str, float] | None = None,
    parameters: Mapping[str, float] | None = None, time: float = 0.0,
) -> dict[str, float]:  # fmt: skip
    """Joint coordinates, by name, that bring a body to a place; its loops stay closed.

    position: of the body's `point` (m, body axes; its origin by default), world axes, m. rotation: 3x3 or a quaternion
    (w first), body to world; one of the two, or both. start: where the search begins, coordinates by name; of many
    solutions one near it is found, of redundant joints by short steps. Elastic bodies stay as bent as they start. The
    result is a start for `simulate`.

    Raises ModelError where the body can't be brought there from that start.
    """
    name = known_body(model, body)
    if position is None and rotation is None:
        raise ArgumentError("inverse kinematics needs a position, a rotation, or both")
    told = {} if position is None else _numbered("x", three_numbers(position, "position"))
    if rotation is not None:
        told |= _numbered("r", rotation_matrix(rotation, "rotation").ravel())
    arm = tuple(map(float, three_numbers(point, "point")))
    kind: Kind = (name, arm, position is not None, rotation is not None)
    mechanism = Mechanism(probe(model, kind, lambda m: _targeted(m, *kind)))
    R = mechanism.record(start or {}, {}, {**(parameters or {}), **told}, time)
    R[mechanism.u] = 0.0
    regions, first = mechanism.program.regions, mechanism.u.start
    for v, _ in joint_rates(mechanism.program, mechanism.model):
        for region in ("free", "free_rates"):
            R[regions[region][0] + v.slot - first] = 1.0
    try:
        mechanism.begin(R)
    except ModelError as error:
        if TARGET not in str(error):
            raise
        far = "it is out of reach, or start= has to give coordinates nearer to it"
        raise ModelError(f"body {name!r} does not get to that place from that start: {far}") from None
    return {v.name: float(R[v.slot]) for v in mechanism.program.of_role("coordinate")}


def _numbered(letter: str, values: np.ndarray) -> dict[str, float]:
    return {f"{TARGET}_{letter}{k}": float(x) for k, x in enumerate(values, start=1)}


def _targeted(model: Model, body: str, point: tuple[float, ...], placed: bool, turned: bool) -> Model:
    """A copy of the model in which parameters give a body's place."""
    m = copy.deepcopy(model)
    m.outputs.clear()
    m.events.clear()
    equations = []
    if placed:
        x = Vector(m.parameter(name, 0.0) for name in _numbered("x", np.zeros(3)))
        equations += list(place(body, point) - x)
    if turned:
        r = [m.parameter(name, value) for name, value in _numbered("r", np.eye(3).ravel()).items()]
        axes = [place(body, axis) - place(body) for axis in np.eye(3)]
        targets = [Vector(r[k::3]) for k in range(3)]
        trace = sum(a.dot(t) for a, t in zip(axes[1:], targets[1:], strict=True)) + axes[0].dot(targets[0])
        share = sqrt(larger(1.0 + trace, HALF_TURN))  # 2 cos of half the angle: what is left has its sine
        sums = [a.cross(t) for a, t in zip(axes, targets, strict=True)]
        equations += list((sums[0] + sums[1] + sums[2]) / share)
    m.constrain(TARGET, equations)
    return m
