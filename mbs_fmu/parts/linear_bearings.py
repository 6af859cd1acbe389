"""`linear_bearing`: a bearing or seal by matrices of stiffness and damping, constant or over speed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from ..infrastructure.errors import ModelError
from ..infrastructure.messages.failures import display
from ..model.checks import finite_number
from ..model.forces.frame_pairs import shaft_in_housing
from ..model.forces.places import add_force
from ..model.forces.plain_bearings import BearingMatrices
from ..model.geometry.axes import Axis
from ..model.geometry.poses import Placement
from ..model.geometry.vectors import Vector, is_list, number
from ..model.items import BodyOrName
from ..model.model import Model
from ..model.names import new_name
from ..symbolic.argument_types import Components
from ..symbolic.expressions import Expression, is_literal
from ..symbolic.tables import table

Matrices = Sequence[Components] | Sequence[Sequence[Components]] | np.ndarray


def linear_bearing(
    model: Model,
    name: str,
    shaft: BodyOrName,
    housing: BodyOrName,
    *,
    stiffness: Matrices = ((0.0, 0.0), (0.0, 0.0)),
    damping: Matrices = ((0.0, 0.0), (0.0, 0.0)),
    speeds: Components | None = None,
    at_shaft: Placement = (0.0, 0.0, 0.0),
    at_housing: Placement = (0.0, 0.0, 0.0),
    axis: Axis = "z",
) -> None:
    """Add a bearing or seal with the force -K q - C q' across its axis (Q7).

    at_shaft, at_housing: points that coincide without force (m, body axes), or `Pose`s. axis: of the bearing, in these
    frames. q: the two displacements of the shaft across the axis, m, in the frame on the housing: along x and y for the
    axis "z", y and z for "x", z and x for "y". stiffness: K, N/m, and damping: C, N.s/m, of the shape (2, 2), whose
    numbers may be expressions. With `speeds` (n,), rad/s, increasing, either or both are tables of the shape (n, 2, 2)
    over the angular velocity of the shaft about the axis, relative to the housing: linear between the speeds, constant
    beyond.

    The symmetric part of a constant K stores energy. All other power, that of its antisymmetric part and of tables,
    comes from outside of the model: the rotation that feeds it in a machine is not braked. `mbs.power(name)` has it.

    Raises ModelError for a name in use, unknown or equal bodies, an invalid pose or axis, arrays of other shapes,
    speeds that do not increase, and a bearing without stiffness and damping.
    """
    new_name(model, name, "force")
    thing = f"bearing {name!r}"
    frames = shaft_in_housing(model, shaft, housing, at_shaft, at_housing, axis, thing)
    points = None if speeds is None else _speeds(speeds, thing)
    spin = frames.turning()[2]
    K, C = (
        _entries(value, points, spin, f"{what} of {thing}", unit)
        for value, what, unit in ((stiffness, "stiffness", "N/m"), (damping, "damping", "N.s/m"))
    )
    if all(is_literal(x, 0.0) for x in (*K, *C)):
        raise ModelError(f"{thing} does nothing: give stiffness= or damping=")
    constant = not any(x.op == "table" for x in K)
    if points is not None and constant and not any(x.op == "table" for x in C):
        raise ModelError(f"{thing} has speeds=, but no table: give stiffness or damping of the shape (n, 2, 2)")
    add_force(model, BearingMatrices(name, frames, K, C, constant, _supplies_nothing(C)), thing)


def _speeds(speeds: Components, thing: str) -> list[float]:
    """Return the speeds of tables, rad/s. Raises ModelError unless there are two or more that increase."""
    if not is_list(speeds):
        raise ModelError(f"speeds of {thing} must be a list of numbers, not {display(speeds)}")
    points = [finite_number(x, f"speeds of {thing}, number {k}", "rad/s") for k, x in enumerate(speeds, start=1)]
    if len(points) < 2 or any(after <= before for before, after in pairwise(points)):
        raise ModelError(f"speeds of {thing} are {display(speeds)}: give two or more, in increasing order")
    return points


def _entries(value: Matrices, speeds: Sequence[float] | None, spin: Expression, thing: str, unit: str) -> Vector:
    """Return the four numbers of a matrix, row by row, each constant or a table over the spin, rad/s."""
    rows = list(value) if is_list(value) else []
    if speeds is None or not any(is_list(x) for row in rows if is_list(row) for x in row):
        alternative = "; give speeds= with tables" if speeds is None else f", or {len(speeds)}, one for each speed"
        return _matrix(value, thing, unit, alternative)
    if len(rows) != len(speeds):
        raise ModelError(f"{thing} has {len(rows)} matrices for {len(speeds)} speeds: give one for each speed")
    matrices = [_matrix(row, f"{thing}, number {k},", unit) for k, row in enumerate(rows, start=1)]
    columns = list(zip(*matrices, strict=True))
    for x in (x for column in columns for x in column if not is_literal(x)):
        raise ModelError(f"{thing}: {display(x)} depends on other quantities: the numbers of a table are constants")
    return Vector(table(spin, speeds, [x.value for x in column]) for column in columns)


def _matrix(value: Matrices, thing: str, unit: str, alternative: str = "") -> Vector:
    """Return the numbers of a 2x2 matrix, row by row. Raises ModelError for anything else."""
    rows = list(value) if is_list(value) else []
    if len(rows) != 2 or not all(is_list(row) and len(row) == 2 and not any(map(is_list, row)) for row in rows):
        raise ModelError(f"{thing} must be a 2x2 matrix, not {display(value)}{alternative}")
    return Vector(number(x, f"{thing}, row {i}", unit) for i, row in enumerate(rows, start=1) for x in row)


def _supplies_nothing(damping: Vector) -> bool:
    """True if a matrix, row by row, is known to have no positive power: its symmetric part is positive semidefinite."""
    if not all(is_literal(x) for x in damping):
        return False
    xx, xy, yx, yy = (float(x.value) for x in damping)
    return xx >= 0.0 and yy >= 0.0 and 4.0 * xx * yy >= (xy + yx) ** 2
