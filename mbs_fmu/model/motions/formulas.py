"""Tracing of a user's functions to the formulas of a `CustomJoint`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ...infrastructure.errors import ModelError
from ...infrastructure.messages.failures import display
from ...symbolic.expressions import Expression, as_expression, leaf
from ...symbolic.formula import Formula, Own
from ...symbolic.graph import evaluate, leaves
from ...symbolic.quaternions import rotation_rows
from ..geometry.vectors import Vector, is_list, numbers, traced
from ..references.leaves import Signal

UNITS = ("rad", "m")
MAX_COORDINATES = 100  #: of one joint
TRIALS = 5  #: positions at which a rotation is tested


def traced_joint(coordinates: int | Sequence[str], position: Any, rotation: Any) -> Formula:
    """Return the formulas of a `CustomJoint`, whose arguments these are.

    Raises ModelError for functions that cannot be traced, for a rotation that is not orthonormal, and for a coordinate
    that moves nothing.
    """
    if isinstance(coordinates, int | np.integer):
        units: tuple[str, ...] = ("rad",) * min(int(coordinates), MAX_COORDINATES + 1)
    else:
        units = tuple(coordinates) if is_list(coordinates) else ()
    valid = 0 < len(units) <= MAX_COORDINATES and all(isinstance(unit, str) and unit in UNITS for unit in units)
    if not valid:
        raise ModelError(
            f"a custom joint needs coordinates: give their number or units {UNITS}, not {display(coordinates)}"
        )
    if position is None and rotation is None:
        raise ModelError("a custom joint without formulas moves nothing: give position=, rotation= or both")
    q, t = [leaf(Own(k)) for k in range(len(units))], leaf(Signal("time", "time"))
    origin, turned = _called(position, q, t, "position"), _called(rotation, q, t, "rotation")
    formula = Formula(
        units,
        Vector((0.0, 0.0, 0.0)) if origin is None else numbers(origin, 3, "position of a custom joint"),
        Vector(float(i == j) for i in range(3) for j in range(3)) if turned is None else _matrix(turned),
    )
    references = leaves(formula.expressions)
    for reference in references:
        known = isinstance(reference, Own) or isinstance(reference, Signal) and reference.role in ("time", "parameter")
        if not known:
            raise ModelError(f"a custom joint depends on {reference}: it may depend on q, t and parameters only")
    for k in range(len(units)):
        if Own(k) not in references:
            raise ModelError(f"coordinate {Own(k)} of a custom joint moves nothing: use it in position or rotation")
    _check_rotation(formula)
    return formula


def _called(function: Any, q: list[Expression], t: Expression, what: str) -> Any:
    """Return the value of a user's function at the expressions (q, t); None without a function."""
    if function is None:
        return None
    if not callable(function):
        raise ModelError(f"{what} of a custom joint must be a function of (q, t), not {display(function)}")
    value = traced(function, f"{what} of a custom joint", q, t)
    if value is None:
        raise ModelError(f"{what} of a custom joint is a function that returns nothing: end it with return ...")
    return value


def _matrix(value: Any) -> Vector:
    """Return the nine entries, row by row, of a rotation passed as 3x3 matrix or as quaternion, w first."""
    items = list(value) if isinstance(value, Iterable) else []
    if len(items) == 4:
        q = numbers(items, 4, "rotation of a custom joint")
        return Vector(x for row in rotation_rows(q, q.dot(q)) for x in row)
    if len(items) != 3:
        raise ModelError(f"rotation of a custom joint must be a 3x3 matrix or a quaternion, not {display(value)}")
    return Vector(x for row in items for x in numbers(row, 3, "row of the rotation of a custom joint"))


def _check_rotation(formula: Formula) -> None:
    """Raise ModelError unless Rᵀ R = E and det R = 1 at some coordinates; a rotation with parameters is not checked."""
    if any(isinstance(r, Signal) and r.role == "parameter" for r in leaves(formula.rotation)):
        return
    for trial in range(TRIALS):

        def value(reference: object, trial: int = trial) -> float:
            return math.sin(1.0 + trial + (reference.k if isinstance(reference, Own) else 0.5))

        try:
            R = np.array([evaluate(as_expression(x), value) for x in formula.rotation]).reshape(3, 3)
        except (ValueError, ZeroDivisionError, OverflowError):
            continue  # outside the formulas' domain
        if not np.allclose(R.T @ R, np.eye(3), atol=1e-9) or np.linalg.det(R) < 0.0:
            raise ModelError(
                "rotation of a custom joint is not orthonormal and right-handed (its columns must be the body's axes "
                f"in coordinates of the joint frame): at some q it is {np.round(R, 6).tolist()}"
            )
