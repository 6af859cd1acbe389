"""The conditions of joints that close loops, by their turns and slides; threads.py has those of screws."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...errors import ModelError
from ...symbolic.expressions import max, where
from ..geometry.axes import PARALLEL, SNAP, named, normals, parallel
from ..geometry.vectors import Vector
from ..motions import DegreeOfFreedom
from .conditions import Conditions
from .threads import REMEDY, add_thread, without_free_threads

AXES = np.eye(3)


def joint_conditions(degrees_of_freedom: Sequence[DegreeOfFreedom], frame: int | None, thing: str) -> Conditions:
    """The conditions of a joint with these freedoms, outward: see `Pair.conditions`."""
    out = Conditions()
    degrees_of_freedom = without_free_threads(degrees_of_freedom, thing)
    turns, slides = _turns_and_slides(degrees_of_freedom, thing)
    if any(freedom.pitch is not None for freedom in degrees_of_freedom):
        _rotations(out, turns)
        add_thread(out, degrees_of_freedom, turns, thing)
        return out
    _translations(out, turns, slides, frame, thing)
    _rotations(out, turns)
    return out


Slide = tuple[np.ndarray, int]  #: direction, number of turns before it


def _turns_and_slides(
    degrees_of_freedom: Sequence[DegreeOfFreedom], thing: str
) -> tuple[list[np.ndarray], list[Slide]]:
    """Axes of the turns, neighbours of equal direction only once (three for a ball), and the slides between them."""
    turns: list[np.ndarray] = []
    slides: list[Slide] = []
    for freedom in degrees_of_freedom:
        axis = np.array(freedom.axis)
        if not freedom.angular:
            slides.append((axis, len(turns)))
        elif not turns or not parallel(turns[-1], axis):
            turns.append(axis)
        elif slides and slides[-1][1] == len(turns) and not parallel(slides[-1][0], axis):
            raise ModelError(f"{thing}: a slide between two parallel turns is not known as a loop's joint: {REMEDY}")
    return turns, slides


def _rotations(out: Conditions, turns: list[np.ndarray]) -> None:
    """Conditions on the directions of the two frames: none once three turns are free."""
    if not turns:
        for k in range(3):
            i, j = (k + 1) % 3, (k + 2) % 3
            out.add_turned(out.vector(0, AXES[i]).dot(out.vector(1, AXES[j])), f"rotation about {named(AXES[k])}")
            out.facing.append(out.vector(0, AXES[k]).dot(out.vector(1, AXES[k])))
        out.aligned = [out.vector(1, axis) for axis in AXES]
    elif len(turns) == 1:
        first, second = normals(turns[0])
        b = out.vector(1, turns[0])
        out.facing.append(out.vector(0, turns[0]).dot(b))
        out.add_turned(out.vector(0, first).dot(b), f"rotation about {named(second)}")
        out.add_turned(out.vector(0, second).dot(b), f"rotation about {named(first)}")
        same = out.vector(0, turns[0]).dot(b) >= 0.0  # an axis holds both ways round
        out.aligned = _turned(out, out.vector(0, turns[0]), b * where(same, 1.0, -1.0))
    elif len(turns) == 2:
        cosine = float(turns[0] @ turns[1])
        row = out.vector(0, turns[0]).dot(out.vector(1, turns[1])) - (cosine if abs(cosine) > SNAP else 0.0)
        out.add_turned(row, f"rotation about {named(np.cross(turns[0], turns[1]))}")
        out.aligned = _turned(out, out.vector(0, turns[0]), _at_angle(out, turns, cosine))


def _turned(out: Conditions, axis: Vector, target: Vector) -> list[Vector]:
    """The axes of a's place behind the least turn that brings one direction of it to another, not opposite one."""
    n, share = axis.cross(target), 1.0 / (1.0 + axis.dot(target))
    return [e + n.cross(e) + n.cross(n.cross(e)) * share for e in (out.vector(0, k) for k in AXES)]


def _at_angle(out: Conditions, turns: list[np.ndarray], cosine: float) -> Vector:
    """The direction nearest to the first turn's that stands at the angle with this cosine to the second turn's."""
    a, b = out.vector(0, turns[0]), out.vector(1, turns[1])
    across = a - b * a.dot(b)
    size = across.norm()
    apart = size > PARALLEL  # else the two are parallel, and any direction across is as near
    other = out.vector(1, normals(turns[1])[0])
    across = Vector(where(apart, x / max(size, PARALLEL), y) for x, y in zip(across, other, strict=True))
    return b * cosine + across * float(np.sqrt(1.0 - cosine * cosine))


def _translations(out: Conditions, turns: list[np.ndarray], slides: list[Slide], frame: int | None, thing: str) -> None:
    """Conditions on the vector between the two points: normal to every slide."""
    gap = out.gap()
    if not slides:
        if frame is None:
            for k, name in enumerate("xyz"):
                out.add(gap[k], f"translation along {name} of the world", "m")
        else:
            axes = [*normals(turns[0]), turns[0]] if len(turns) in (1, 2) else AXES
            for axis in axes:
                out.add(gap.dot(out.vector(frame, axis)), f"translation along {named(axis)}", "m")
        return
    along = [_slide(out, turns, slide, thing) for slide in slides]
    if np.linalg.matrix_rank(np.array([direction for direction, _ in slides]), tol=PARALLEL) < len(slides):
        raise ModelError(f"{thing}: its slides are not independent of each other: {REMEDY}")
    if len(slides) == 1:
        direction, position = slides[0]
        if position in (0, len(turns)):
            side = 0 if position == 0 else 1
            across = [out.vector(side, e) for e in normals(direction)]
        else:
            axis, side = min(((turns[0], 0), (turns[-1], 1)), key=lambda pair: abs(float(pair[0] @ direction)))
            first = along[0].cross(out.vector(side, axis))
            across = [first, along[0].cross(first)]
        for e, label in zip(across, normals(direction), strict=True):
            out.add(gap.dot(e), f"translation along {named(label)}", "m")
    elif len(slides) == 2:
        normal = np.cross(slides[0][0], slides[1][0])
        out.add(gap.dot(along[0].cross(along[1])), f"translation along {named(normal)}", "m")


def _slide(out: Conditions, turns: list[np.ndarray], slide: Slide, thing: str) -> Vector:
    """The world direction of a slide: fixed in a, fixed in b, or made of the two axes that it stands between."""
    direction, position = slide
    if position == 0:
        return out.vector(0, direction)
    if position == len(turns):
        return out.vector(1, direction)
    if len(turns) != 2:
        raise ModelError(f"{thing}: a slide among three turns is not known as a loop's joint: {REMEDY}")
    first, second = out.vector(0, turns[0]), out.vector(1, turns[1])
    basis = np.column_stack([turns[0], turns[1], np.cross(turns[0], turns[1])])
    a, b, c = np.linalg.solve(basis, direction)
    return first * float(a) + second * float(b) + first.cross(second) * float(c)
