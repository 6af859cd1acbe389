"""Screws in joints that close loops: how far b is along a thread, by the angle at which it stands (L19)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from ...errors import ModelError
from ...symbolic.expressions import Expression, as_expression, atan2, cos, is_literal, sin
from ..geometry.axes import PARALLEL, named, normals, parallel
from ..motions import DegreeOfFreedom
from .conditions import Conditions

REMEDY = "hang a body on this joint in the tree, and close the loop somewhere else"


def without_free_threads(degrees_of_freedom: Sequence[DegreeOfFreedom], thing: str) -> list[DegreeOfFreedom]:
    """The freedoms, with a turn in place of each screw whose advance other freedoms leave free.

    A screw beside a turn, slide or screw along its own axis is a turn and a slide. Raises ModelError for freedoms along
    one axis that are not independent.
    """
    out = list(degrees_of_freedom)
    for k, (one, other) in enumerate(pairwise(out)):
        if (one.pitch is None and other.pitch is None) or not parallel(np.array(one.axis), np.array(other.axis)):
            continue
        if not _independent(one, other):
            raise ModelError(f"{thing}: two screws along one axis need pitches that differ, as numbers: {REMEDY}")
        both = [DegreeOfFreedom(True, one.axis), DegreeOfFreedom(False, one.axis)]
        rest = [*out[:k], *out[k + 2 :]]
        if any(x.pitch is not None and parallel(np.array(x.axis), np.array(one.axis)) for x in rest):
            raise ModelError(f"{thing}: three motions along one axis are not independent of each other: {REMEDY}")
        return without_free_threads([*out[:k], *both, *out[k + 2 :]], thing)
    slides = [x.axis for x in out if not x.angular]
    if slides and sum(x.angular for x in out) == 1:
        return [replace(x, pitch=None) if x.angular and _within(x.axis, slides) else x for x in out]
    return out


def _independent(one: DegreeOfFreedom, other: DegreeOfFreedom) -> bool:
    """True if two freedoms along one axis, at least one of them a screw, are a turn and a slide together."""
    if one.pitch is None or other.pitch is None:
        return True
    a, b = as_expression(one.pitch), as_expression(other.pitch)
    return is_literal(a) and is_literal(b) and a.value != b.value


def _within(axis: Sequence[float], directions: Sequence[Sequence[float]]) -> bool:
    """True if a direction is a combination of others."""
    together = np.linalg.matrix_rank(np.array([*directions, axis]), tol=PARALLEL)
    return bool(together == np.linalg.matrix_rank(np.array(directions), tol=PARALLEL))


def add_thread(
    out: Conditions, degrees_of_freedom: Sequence[DegreeOfFreedom], turns: Sequence[np.ndarray], thing: str
) -> None:
    """The conditions on the vector between both points, of a joint with a screw among its freedoms.

    Known are one screw with slides on one side of it, and one screw with a turn before or behind it. Raises ModelError
    for others.
    """
    where = [k for k, freedom in enumerate(degrees_of_freedom) if freedom.pitch is not None]
    k, slides = where[0], [np.array(x.axis) for x in degrees_of_freedom if not x.angular]
    before = any(not x.angular for x in degrees_of_freedom[:k])
    behind = any(not x.angular for x in degrees_of_freedom[k + 1 :])
    if len(where) > 1 or len(turns) > 2 or (len(turns) == 2 and slides) or (before and behind):
        raise ModelError(
            f"{thing}: a screw is known as a loop's joint by itself, with slides on one side of it, or with one turn: "
            f"{REMEDY}"
        )
    if len(slides) > 1 and np.linalg.matrix_rank(np.array(slides), tol=PARALLEL) < len(slides):
        raise ModelError(f"{thing}: its slides are not independent of each other: {REMEDY}")
    axis, pitch = np.array(degrees_of_freedom[k].axis), as_expression(degrees_of_freedom[k].pitch)
    if len(turns) == 1:
        side, x, y = int(behind), *_about(out, axis)
    else:
        side = 0 if degrees_of_freedom[k] is degrees_of_freedom[0] else 1
        x, y = _about_with_turn(out, axis, turns[1 - side], side)
    across, along = _across(axis, slides)
    gap = out.gap()
    for direction in across:
        out.add(gap.dot(out.vector(side, direction)), f"translation along {named(direction)}", "m")
    advance = gap.dot(out.vector(side, along)) / (pitch * float(along @ axis) if slides else pitch)
    s, c = sin(advance), cos(advance)
    out.add(pitch * atan2(s * x - c * y, c * x + s * y), f"advance along {named(axis)}", "m")


def _across(axis: np.ndarray, slides: Sequence[np.ndarray]) -> tuple[list[np.ndarray], np.ndarray]:
    """Directions across all slides: those along which nothing moves, and the one along which the screw advances."""
    if not slides:
        return list(normals(axis)), axis
    if len(slides) == 1:
        shut = np.cross(axis, slides[0])
        shut /= np.linalg.norm(shut)
        return [shut], np.cross(slides[0], shut)
    along = np.cross(slides[0], slides[1])
    return [], along / np.linalg.norm(along)


def _about(out: Conditions, axis: np.ndarray) -> tuple[Expression, Expression]:
    """Cosine and sine of the angle by which b is turned against a about the only axis of turns."""
    first, second = normals(axis)
    pointer = out.vector(1, first)
    return pointer.dot(out.vector(0, first)), pointer.dot(out.vector(0, second))


def _about_with_turn(out: Conditions, axis: np.ndarray, turn: np.ndarray, side: int) -> tuple[Expression, Expression]:
    """The same, times a number, about the axis of a screw that is fixed in one side; a turn's is fixed in the other."""
    first = turn - axis * float(axis @ turn)
    first /= np.linalg.norm(first)
    pointer = out.vector(1 - side, turn)
    x, y = pointer.dot(out.vector(side, first)), pointer.dot(out.vector(side, np.cross(axis, first)))
    return x, y if side == 0 else -y
