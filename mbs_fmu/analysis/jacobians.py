"""Jacobians of points and bodies: derivatives of twists with respect to joint velocities."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ..infrastructure.arguments import ParameterValues, is_one_of
from ..infrastructure.errors import ArgumentError
from ..infrastructure.messages.calls import add_clear_errors, with_clear_errors
from ..infrastructure.messages.failures import display
from ..model.geometry.poses import rotation_matrix
from ..model.geometry.vectors import Vector
from ..model.items import Body
from ..model.measures.measures import angular_velocity, orientation, velocity
from ..model.model import Model
from .mechanism import Mechanism, known_body, probe, three_numbers

POINT = "jacobian_point"  #: prefix of the names of parameters that are added to a copy of the model
TWIST, TURNED = "jacobian_twist", "jacobian_orientation"  #: prefixes of its outputs


@add_clear_errors
class Jacobian(NamedTuple):
    """Jacobian J of the tree without closures, (v, w) = J u, by all joint velocities u, and the names of its columns.

    Rows 1 to 3 are the point's velocity, rows 4 to 6 the body's angular velocity.
    """

    matrix: np.ndarray
    names: list[str]


@with_clear_errors
def jacobian(
    model: Model, body: str | Body, start: Mapping[str, float] | None = None, *,
    point: Sequence[float] = (0.0, 0.0, 0.0), axes: str = "world", inputs: Mapping[str, float] | None = None,
    parameters: ParameterValues | None = None, time: float = 0.0,
) -> Jacobian:  # fmt: skip
    """Return the Jacobian of a point of a body, (6, n), with respect to all joint velocities, and its columns' names.

    point: m, in body axes; by default the body's origin.
    axes: "world" or "body", the axes of the rows.
    start, inputs, parameters, time: as in `simulate`; loops are closed first.

    Rows are the velocity of the point relative to the world (m/s), then the body's angular velocity (rad/s). Columns
    belong to the joint velocities, in the order of `mass_matrix`; those of ball and free joints are in body axes.
    Prescribed motions (drives) are not included. Raises ModelError for an unknown body, and if the start fails.
    """
    name = known_body(model, body)
    if not is_one_of(axes, ("world", "body")):
        raise ArgumentError(f'axes is {display(axes)}: use "world" or "body"')
    place = three_numbers(point, "point")
    mechanism = Mechanism(probe(model, ("jacobian", name), lambda m: _measured(m, name)))
    point_parameters = {f"{POINT}{k}": float(x) for k, x in enumerate(place, start=1)}
    R = mechanism.record(start or {}, inputs or {}, {**(parameters or {}), **point_parameters}, time)
    mechanism.begin(R)
    slots = {v.name: v.slot for v in mechanism.program.of_role("output")}
    rows = [slots[f"{TWIST}[{k}]"] for k in range(1, 7)]
    J = np.array([_outputs(mechanism, R, u)[rows] for u in np.eye(mechanism.nv)]).reshape(mechanism.nv, 6).T
    J = J - _outputs(mechanism, R, np.zeros(mechanism.nv))[rows][:, None]
    if axes == "body":
        A = rotation_matrix([R[slots[f"{TURNED}[{k}]"]] for k in range(1, 5)], "orientation")
        J = np.vstack([A.T @ J[:3], A.T @ J[3:]])
    return Jacobian(J, mechanism.rate_names)


def _measured(model: Model, body: str) -> Model:
    """Return a copy of the model with outputs of the twist of a point, given by parameters, and of the orientation."""
    m = copy.deepcopy(model)
    m.outputs.clear()
    m.events.clear()
    place = Vector(m.parameter(f"{POINT}{k}", 0.0) for k in range(1, 4))
    m.output(TWIST, [*velocity(body, place), *angular_velocity(body)])
    m.output(TURNED, orientation(body))
    return m


def _outputs(mechanism: Mechanism, R: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Return a record with the outputs for other joint velocities."""
    moved = R.copy()
    moved[mechanism.u] = u
    mechanism.call("momenta", moved)
    mechanism.call("outputs", moved)
    return moved
