"""Conditions of joints that close loops, from their turns and slides; threads.py has those of screws.

A joint connects a frame on body a, side 0, with a frame on body b, side 1. Its degrees of freedom are listed from a
to b. `conditions.vector(side, direction)` is the world vector of a direction that is fixed in the frame of a side.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...infrastructure.errors import ModelError
from ...symbolic.expressions import atan2, cos, max, sin, sqrt, where
from ..geometry.axes import PARALLEL, SNAP, named, normals, parallel
from ..geometry.vectors import Vector
from ..motions import DegreeOfFreedom
from .conditions import Conditions
from .threads import REMEDY, add_thread, without_free_threads
from .turns import TINY, along, rotation_between, rotation_to

AXES = np.eye(3)


def joint_conditions(degrees_of_freedom: Sequence[DegreeOfFreedom], frame: int | None, thing: str) -> Conditions:
    """Return the conditions of a joint with these degrees of freedom, from a to b.

    frame, thing: as of `Pair.conditions`. Raises ModelError for combinations of turns, slides and screws that are not
    supported.
    """
    conditions = Conditions()
    degrees_of_freedom = without_free_threads(degrees_of_freedom, thing)
    turns, slides = _turns_and_slides(degrees_of_freedom, thing)
    if any(dof.pitch is not None for dof in degrees_of_freedom):
        _rotations(conditions, turns)
        add_thread(conditions, degrees_of_freedom, turns, thing)
        return conditions
    _translations(conditions, turns, slides, frame, thing)
    if any(dof.joined for dof in degrees_of_freedom):
        _with_joined_turns(conditions, turns)
    else:
        _rotations(conditions, turns)
    return conditions


Slide = tuple[np.ndarray, int]  #: unit vector along the slide, and the number of turns between a and the slide


def _turns_and_slides(
    degrees_of_freedom: Sequence[DegreeOfFreedom], thing: str
) -> tuple[list[np.ndarray], list[Slide]]:
    """Return the axes of the turns and the slides between them.

    Adjacent turns about parallel axes count as one; a ball has three turns.
    """
    turns: list[np.ndarray] = []
    slides: list[Slide] = []
    if any(dof.joined for dof in degrees_of_freedom) and sum(dof.angular for dof in degrees_of_freedom) > 2:
        raise ModelError(
            f"{thing}: a constant-velocity joint beside other turns is not supported as a loop's joint: {REMEDY}"
        )
    for dof in degrees_of_freedom:
        axis = np.array(dof.axis)
        if not dof.angular:
            slides.append((axis, len(turns)))
        elif not turns or not parallel(turns[-1], axis):
            turns.append(axis)
        elif slides and slides[-1][1] == len(turns) and not parallel(slides[-1][0], axis):
            raise ModelError(
                f"{thing}: a slide between two parallel turns is not supported as a loop's joint: {REMEDY}"
            )
    return turns, slides


def _rotations(conditions: Conditions, turns: list[np.ndarray]) -> None:
    """Add the conditions on the relative rotation of the frames: three minus the number of turns, at least none."""
    if not turns:
        _without_turns(conditions)
    elif len(turns) == 1:
        _with_one_turn(conditions, turns[0])
    elif len(turns) == 2:
        cosine = float(turns[0] @ turns[1])
        row = conditions.vector(0, turns[0]).dot(conditions.vector(1, turns[1])) - (
            cosine if abs(cosine) > SNAP else 0.0
        )
        conditions.add_turned(row, f"rotation about {named(np.cross(turns[0], turns[1]))}")
        conditions.aligned = _turned(conditions, conditions.vector(0, turns[0]), _at_angle(conditions, turns, cosine))


def _without_turns(conditions: Conditions) -> None:
    """Add the conditions that the frames have parallel axes of the same sense."""
    rows = []
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        rows.append(conditions.vector(0, AXES[i]).dot(conditions.vector(1, AXES[j])))
        conditions.facing.append(conditions.vector(0, AXES[k]).dot(conditions.vector(1, AXES[k])))
    a, b = ([conditions.vector(side, axis) for axis in AXES] for side in (0, 1))
    turn = rotation_between(a, b)
    for row, axis, about in zip(rows, AXES, a, strict=True):
        conditions.add_turned(row, f"rotation about {named(axis)}", along(turn, -about))
    conditions.aligned = b


def _with_one_turn(conditions: Conditions, axis: np.ndarray) -> None:
    """Add the conditions that the axis of the only turn has the same direction in both frames."""
    first, second = normals(axis)
    b, a = conditions.vector(1, axis), conditions.vector(0, axis)
    conditions.facing.append(a.dot(b))
    x, y = conditions.vector(0, first), conditions.vector(0, second)
    turn = rotation_to(a, b, x)
    conditions.add_turned(x.dot(b), f"rotation about {named(second)}", along(turn, y))
    conditions.add_turned(y.dot(b), f"rotation about {named(first)}", along(turn, -x))
    same = a.dot(b) >= 0.0  # a revolute axis may be assembled in either sense
    conditions.aligned = _turned(conditions, a, b * where(same, 1.0, -1.0))


def _with_joined_turns(conditions: Conditions, turns: list[np.ndarray]) -> None:
    """Add the condition that the frame on b is turned about an axis in the plane of both turns (J5).

    Its residual is the twist of one shaft against the other, so its multiplier is the torque that they transmit.
    """
    axes = [*turns, np.cross(turns[0], turns[1])]
    a, b = ([conditions.vector(side, axis) for axis in axes] for side in (0, 1))
    twist = atan2(a[1].dot(b[0]) - a[0].dot(b[1]), a[0].dot(b[0]) + a[1].dot(b[1]))
    conditions.add_turned(twist, f"rotation about {named(axes[2])}")
    conditions.aligned = _untwisted(conditions, a[2], rotation_between(a, b))


def _untwisted(conditions: Conditions, shaft: Vector, turn: Vector) -> list[Vector]:
    """Return the axes of the frame on a after the smallest rotation that leaves no twist about `shaft`.

    shaft: a's, a unit vector; turn: rotation vector (rad) of the rotation from the frame on a to that on b. Both are in
    world axes. The rotation's quaternion is sqrt(1 - x²), x n with the component x along the shaft of the vector part v
    of the quaternion (w, v) of `turn`, and n = (w shaft + v x shaft)/sqrt(1 - x²).
    """
    half = turn.norm() * 0.5
    v = turn * where(half > TINY, 0.5 * sin(half) / max(half, TINY), 0.5)
    x = v.dot(shaft)
    root = sqrt(max(1.0 - x * x, TINY))
    n = (shaft * cos(half) + v.cross(shaft)) * (1.0 / root)
    sine, less = 2.0 * x * root, 2.0 * x * x
    return [e + n.cross(e) * sine + n.cross(n.cross(e)) * less for e in (conditions.vector(0, k) for k in AXES)]


def _turned(conditions: Conditions, axis: Vector, target: Vector) -> list[Vector]:
    """Return the axes of the frame on a after the smallest rotation that maps `axis` to `target`.

    Both are unit vectors, world axes; the rotation is not defined if they are opposite.
    """
    n, factor = axis.cross(target), 1.0 / (1.0 + axis.dot(target))  # Rodrigues: n = k sin, factor = (1 - cos)/sin²
    return [e + n.cross(e) + n.cross(n.cross(e)) * factor for e in (conditions.vector(0, k) for k in AXES)]


def _at_angle(conditions: Conditions, turns: list[np.ndarray], cosine: float) -> Vector:
    """Return, of all directions at a given angle to the axis of the second turn, the nearest to the axis of the first.

    cosine: that of the angle.
    """
    a, b = conditions.vector(0, turns[0]), conditions.vector(1, turns[1])
    across = a - b * a.dot(b)
    size = across.norm()
    is_distinct = size > PARALLEL  # else the axes are parallel, and every perpendicular direction is equally near
    fallback = conditions.vector(1, normals(turns[1])[0])
    across = Vector(where(is_distinct, x / max(size, PARALLEL), y) for x, y in zip(across, fallback, strict=True))
    return b * cosine + across * float(np.sqrt(1.0 - cosine * cosine))


def _translations(
    conditions: Conditions, turns: list[np.ndarray], slides: list[Slide], frame: int | None, thing: str
) -> None:
    """Add the conditions on the vector from the point on a to that on b: no component normal to all slides."""
    gap = conditions.gap()
    if not slides:
        if frame is None:
            for k, name in enumerate("xyz"):
                conditions.add(gap[k], f"translation along {name} of the world", "m")
        else:
            axes = [*normals(turns[0]), turns[0]] if len(turns) in (1, 2) else AXES
            for axis in axes:
                conditions.add(gap.dot(conditions.vector(frame, axis)), f"translation along {named(axis)}", "m")
        return
    along = [_slide(conditions, turns, slide, thing) for slide in slides]
    if np.linalg.matrix_rank(np.array([direction for direction, _ in slides]), tol=PARALLEL) < len(slides):
        raise ModelError(f"{thing}: its slides are not independent of each other: {REMEDY}")
    if len(slides) == 1:
        direction, turns_before = slides[0]
        if turns_before in (0, len(turns)):
            side = 0 if turns_before == 0 else 1
            across = [conditions.vector(side, e) for e in normals(direction)]
        else:
            # the cross product needs the turn whose axis is most nearly perpendicular to the slide
            axis, side = min(((turns[0], 0), (turns[-1], 1)), key=lambda pair: abs(float(pair[0] @ direction)))
            first = along[0].cross(conditions.vector(side, axis))
            across = [first, along[0].cross(first)]
        for e, label in zip(across, normals(direction), strict=True):
            conditions.add(gap.dot(e), f"translation along {named(label)}", "m")
    elif len(slides) == 2:
        normal = np.cross(slides[0][0], slides[1][0])
        conditions.add(gap.dot(along[0].cross(along[1])), f"translation along {named(normal)}", "m")


def _slide(conditions: Conditions, turns: list[np.ndarray], slide: Slide, thing: str) -> Vector:
    """Return the direction of a slide, world axes.

    It is fixed in a before all turns and in b after them. Between two turns it has constant components along both axes
    and their cross product.
    """
    direction, turns_before = slide
    if turns_before == 0:
        return conditions.vector(0, direction)
    if turns_before == len(turns):
        return conditions.vector(1, direction)
    if len(turns) != 2:
        raise ModelError(f"{thing}: a slide among three turns is not supported as a loop's joint: {REMEDY}")
    first, second = conditions.vector(0, turns[0]), conditions.vector(1, turns[1])
    basis = np.column_stack([turns[0], turns[1], np.cross(turns[0], turns[1])])
    a, b, c = np.linalg.solve(basis, direction)
    return first * float(a) + second * float(b) + first.cross(second) * float(c)
