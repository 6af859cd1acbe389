"""Screws in joints that close loops: the advance of b along a thread as a function of its angle (L19)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from ...infrastructure.errors import ModelError
from ...symbolic.expressions import Expression, as_expression, atan2, cos, is_literal, sin
from ..geometry.axes import PARALLEL, named, normals, parallel
from ..motions import DegreeOfFreedom
from .conditions import Conditions

REMEDY = "hang a body on this joint in the tree, and close the loop somewhere else"


def without_free_threads(degrees_of_freedom: Sequence[DegreeOfFreedom], thing: str) -> list[DegreeOfFreedom]:
    """Return the degrees of freedom, each screw replaced by a turn if other degrees of freedom leave its advance free.

    A screw next to a turn, slide or screw along its own axis is equivalent to a turn and a slide. Raises ModelError for
    degrees of freedom along one axis that are not independent.
    """
    dofs = list(degrees_of_freedom)
    for k, (inner, outer) in enumerate(pairwise(dofs)):
        if (inner.pitch is None and outer.pitch is None) or not parallel(np.array(inner.axis), np.array(outer.axis)):
            continue
        if not _independent(inner, outer):
            raise ModelError(
                f"{thing}: two screws along one axis need different pitches, given as numbers, not as parameters: "
                f"{REMEDY}"
            )
        both = [DegreeOfFreedom(True, inner.axis), DegreeOfFreedom(False, inner.axis)]
        rest = [*dofs[:k], *dofs[k + 2 :]]
        if any(x.pitch is not None and parallel(np.array(x.axis), np.array(inner.axis)) for x in rest):
            raise ModelError(f"{thing}: three motions along one axis are not independent of each other: {REMEDY}")
        return without_free_threads([*dofs[:k], *both, *dofs[k + 2 :]], thing)
    slides = [x.axis for x in dofs if not x.angular]
    if slides and sum(x.angular for x in dofs) == 1:
        return [replace(x, pitch=None) if x.angular and _within(x.axis, slides) else x for x in dofs]
    return dofs


def _independent(inner: DegreeOfFreedom, outer: DegreeOfFreedom) -> bool:
    """True if two degrees of freedom along one axis, at least one a screw, are equivalent to a turn and a slide."""
    if inner.pitch is None or outer.pitch is None:
        return True
    a, b = as_expression(inner.pitch), as_expression(outer.pitch)
    return is_literal(a) and is_literal(b) and a.value != b.value


def _within(axis: Sequence[float], directions: Sequence[Sequence[float]]) -> bool:
    """True if a direction is a linear combination of others."""
    together = np.linalg.matrix_rank(np.array([*directions, axis]), tol=PARALLEL)
    return bool(together == np.linalg.matrix_rank(np.array(directions), tol=PARALLEL))


def add_thread(
    conditions: Conditions, degrees_of_freedom: Sequence[DegreeOfFreedom], turns: Sequence[np.ndarray], thing: str
) -> None:
    """Add the conditions on the vector between both points, for a joint with a screw.

    Supported are one screw with slides on one side of it, and one screw with a turn before or after it. Raises
    ModelError for others.
    """
    screws = [k for k, dof in enumerate(degrees_of_freedom) if dof.pitch is not None]
    k, slides = screws[0], [np.array(x.axis) for x in degrees_of_freedom if not x.angular]
    before = any(not x.angular for x in degrees_of_freedom[:k])
    behind = any(not x.angular for x in degrees_of_freedom[k + 1 :])
    if len(screws) > 1 or len(turns) > 2 or (len(turns) == 2 and slides) or (before and behind):
        raise ModelError(
            f"{thing}: a screw is supported as a loop's joint by itself, with slides on one side of it, or with one "
            f"turn: {REMEDY}"
        )
    if len(slides) > 1 and np.linalg.matrix_rank(np.array(slides), tol=PARALLEL) < len(slides):
        raise ModelError(f"{thing}: its slides are not independent of each other: {REMEDY}")
    axis, pitch = np.array(degrees_of_freedom[k].axis), as_expression(degrees_of_freedom[k].pitch)
    if len(turns) == 1:
        side, x, y = int(behind), *_about(conditions, axis)
    else:
        side = 0 if degrees_of_freedom[k] is degrees_of_freedom[0] else 1
        x, y = _about_with_turn(conditions, axis, turns[1 - side], side)
    across, along = _across(axis, slides)
    gap = conditions.gap()
    for direction in across:
        conditions.add(gap.dot(conditions.vector(side, direction)), f"translation along {named(direction)}", "m")
    advance = gap.dot(conditions.vector(side, along)) / (pitch * float(along @ axis) if slides else pitch)
    s, c = sin(advance), cos(advance)
    conditions.add(pitch * atan2(s * x - c * y, c * x + s * y), f"advance along {named(axis)}", "m")


def _across(axis: np.ndarray, slides: Sequence[np.ndarray]) -> tuple[list[np.ndarray], np.ndarray]:
    """Return the constrained directions normal to all slides, and the direction along which the screw advances."""
    if not slides:
        return list(normals(axis)), axis
    if len(slides) == 1:
        constrained = np.cross(axis, slides[0])
        constrained /= np.linalg.norm(constrained)
        return [constrained], np.cross(slides[0], constrained)
    along = np.cross(slides[0], slides[1])
    return [], along / np.linalg.norm(along)


def _about(conditions: Conditions, axis: np.ndarray) -> tuple[Expression, Expression]:
    """Return cosine and sine of the angle of b relative to a about the only axis of turns."""
    first, second = normals(axis)
    pointer = conditions.vector(1, first)
    return pointer.dot(conditions.vector(0, first)), pointer.dot(conditions.vector(0, second))


def _about_with_turn(
    conditions: Conditions, axis: np.ndarray, turn: np.ndarray, side: int
) -> tuple[Expression, Expression]:
    """Return the cosine and the sine of the angle about the screw's axis, both times one positive number.

    The axis of the screw is fixed in the body `side`, the axis of the turn in the other body.
    """
    first = turn - axis * float(axis @ turn)
    first /= np.linalg.norm(first)
    pointer = conditions.vector(1 - side, turn)
    x, y = pointer.dot(conditions.vector(side, first)), pointer.dot(conditions.vector(side, np.cross(axis, first)))
    return x, y if side == 0 else -y
