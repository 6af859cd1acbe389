"""Assembly of start values, mass matrices, inverse kinematics."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..compile.closures.loops import joint_rates
from ..infrastructure.arguments import ParameterValues
from ..infrastructure.errors import ArgumentError, ModelError
from ..infrastructure.messages.calls import add_clear_errors, with_clear_errors
from ..model.geometry.poses import rotation_matrix
from ..model.geometry.vectors import Vector
from ..model.items import Body
from ..model.measures.measures import position as position_of
from ..model.model import Model
from ..symbolic.expressions import max as maximum
from ..symbolic.expressions import sqrt
from .mechanism import Mechanism, Numbers, known_body, probe, three_numbers

TARGET = "inverse_kinematics"  #: name of the closure, and prefix of its parameters
HALF_TURN = 1e-9  #: lower bound of 1 + trace of the rotation to the target, which is zero for half a turn
Kind = tuple[str, tuple[float, ...], bool, bool]  #: body, point, target has a position, target has a rotation


@add_clear_errors
class MassMatrix(NamedTuple):
    """Mass matrix M of all joint velocities without loop constraints (T = ½ uᵀM u), and the names of its rows."""

    matrix: np.ndarray
    names: list[str]


@with_clear_errors
def assemble(
    model: Model, start: Mapping[str, float] | None = None, *, inputs: Mapping[str, float] | None = None,
    parameters: ParameterValues | None = None, time: float = 0.0,
) -> dict[str, float]:  # fmt: skip
    """Return start values with all loops closed, by name, for `simulate(..., start=)`.

    start, inputs, parameters, time: as in `simulate`.

    Values that are given with `guess=True`, or not given, may change; all others are kept. Raises ModelError if the
    loops do not close.
    """
    mechanism, R = _mechanism_at_start(model, start or {}, inputs or {}, parameters or {}, time)
    return mechanism.started(R)


@with_clear_errors
def mass_matrix(
    model: Model, start: Mapping[str, float] | None = None, *, inputs: Mapping[str, float] | None = None,
    parameters: ParameterValues | None = None, time: float = 0.0,
) -> MassMatrix:  # fmt: skip
    """Return the mass matrix of all joint velocities at start values with closed loops, from the kernels' momenta.

    Units follow from those of the velocities: kg, kg.m, kg.m². Raises ModelError if the start fails.
    """
    mechanism, R = _mechanism_at_start(model, start or {}, inputs or {}, parameters or {}, time)
    return MassMatrix(mechanism.mass_matrix(R), mechanism.rate_names)


def _mechanism_at_start(
    model: Model, start: Numbers, inputs: Numbers, parameters: ParameterValues, time: float
) -> tuple[Mechanism, np.ndarray]:
    mechanism = Mechanism(model)
    R = mechanism.record(start, inputs, parameters, time)
    mechanism.begin(R)
    return mechanism, R


@with_clear_errors
def inverse_kinematics(
    model: Model, body: str | Body, position: Sequence[float] | None = None, rotation: Any = None, *,
    point: Sequence[float] = (0.0, 0.0, 0.0), start: Mapping[str, float] | None = None,
    inputs: Mapping[str, float] | None = None, parameters: ParameterValues | None = None, time: float = 0.0,
) -> dict[str, float]:  # fmt: skip
    """Return joint coordinates, by name, that bring a body to a pose with all loops closed.

    position: position of `point`, m, in world axes.
    rotation: 3x3 matrix or quaternion (w first), body to world. Give position, rotation or both.
    point: m, in body axes; by default the body's origin.
    start: coordinates by name, from which the search begins. It finds a solution near them; with redundant joints, each
    step is the shortest possible.
    inputs, parameters, time: as in `simulate`.

    Elastic bodies keep their deformation at the start. The result can be used as `start` of `simulate`. Raises
    ModelError if the search from that start fails.
    """
    name = known_body(model, body)
    if position is None and rotation is None:
        raise ArgumentError("inverse kinematics needs a position, a rotation, or both")
    targets = {} if position is None else _target_values("x", three_numbers(position, "position"))
    if rotation is not None:
        targets |= _target_values("r", rotation_matrix(rotation, "rotation").ravel())
    local_point = tuple(map(float, three_numbers(point, "point")))
    kind: Kind = (name, local_point, position is not None, rotation is not None)
    mechanism = Mechanism(probe(model, kind, lambda m: _with_target(m, *kind)))
    R = mechanism.record(start or {}, inputs or {}, {**(parameters or {}), **targets}, time)
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
        remedy = "give coordinates nearer to the pose in start=, unless it is out of reach"
        raise ModelError(f"body {name!r} does not reach that pose from that start: {remedy}") from None
    return {v.name: float(R[v.slot]) for v in mechanism.program.of_role("coordinate")}


def _target_values(letter: str, values: np.ndarray) -> dict[str, float]:
    return {f"{TARGET}_{letter}{k}": float(x) for k, x in enumerate(values, start=1)}


def _with_target(model: Model, body: str, point: tuple[float, ...], with_position: bool, with_rotation: bool) -> Model:
    """Return a copy of the model with a constraint that brings a body to the pose that parameters give."""
    m = copy.deepcopy(model)
    m.outputs.clear()
    m.events.clear()
    equations = []
    if with_position:
        x = Vector(m.parameter(name, 0.0) for name in _target_values("x", np.zeros(3)))
        equations += list(position_of(body, point) - x)
    if with_rotation:
        r = [m.parameter(name, value) for name, value in _target_values("r", np.eye(3).ravel()).items()]
        axes = [position_of(body, axis) - position_of(body) for axis in np.eye(3)]
        targets = [Vector(r[k::3]) for k in range(3)]
        trace = sum(a.dot(t) for a, t in zip(axes[1:], targets[1:], strict=True)) + axes[0].dot(targets[0])
        twice_cosine = sqrt(maximum(1.0 + trace, HALF_TURN))  # twice the cosine of half the angle
        crosses = [a.cross(t) for a, t in zip(axes, targets, strict=True)]
        equations += list((crosses[0] + crosses[1] + crosses[2]) / twice_cosine)
    m.constrain(TARGET, equations)
    return m
