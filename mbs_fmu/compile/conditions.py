"""Conditions g = 0 of each kind of loop joint, on points and directions of its two bodies.

A `Conditions` has what the conditions are written in: world vectors, each the place of a point or the direction of
an axis of one body, with symbols for its three components. Every other formula about a loop (its rows K, their
rates, its wrenches) is derived from these conditions in closures.py.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..errors import ModelError
from ..model.joints import Joint, unit_axis
from ..model.loops import Distance, LoopJoint, OnLine, OnPlane
from ..model.vectors import Vector
from ..symbolic.expressions import Expression, as_expression, leaf
from .tree import SNAP

PARALLEL = 1e-9  #: sine of an angle below which two axes count as parallel
AXES = np.eye(3)


@dataclass(frozen=True)
class Symbol:
    """Component k of world vector number `vector`; `rate`: of its rate of change."""

    vector: int
    k: int
    rate: bool = False


@dataclass(frozen=True)
class Attached:
    """What a world vector is attached to: `local` is a direction in the axes of side 0 (a) or 1 (b), None its point."""

    side: int
    local: tuple[float, float, float] | None


@dataclass
class Conditions:
    """Conditions of one loop joint, their labels, units ("m" or "rad") and the vectors they are written in."""

    vectors: list[Attached] = field(default_factory=list)
    rows: list[Expression] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    units: list[str] = field(default_factory=list)
    facing: list[Expression] = field(default_factory=list)  #: positive unless the joint closes the other way round

    def vector(self, side: int, local: np.ndarray | None) -> Vector:
        """The symbols of a point (local None) or direction."""
        at = Attached(side, None if local is None else (float(local[0]), float(local[1]), float(local[2])))
        if at not in self.vectors:
            self.vectors.append(at)
        number = self.vectors.index(at)
        return Vector(leaf(Symbol(number, k)) for k in range(3))

    def gap(self) -> Vector:
        """From a's point to b's."""
        return self.vector(1, None) - self.vector(0, None)

    def add(self, row: Expression, label: str, unit: str) -> None:
        self.rows.append(row)
        self.labels.append(label)
        self.units.append(unit)


def conditions(joint: LoopJoint, frame: int | None, thing: str) -> Conditions:
    """The conditions that a joint puts on its two frames; none is implied by the others.

    They must not change when both bodies move as one, or else their rows would be open beyond the loop's root. So
    translations are written in the axes of side `frame`; only where the root is the world may it be None, for the
    world's axes.
    """
    out = Conditions()
    if isinstance(joint, Distance):
        out.add(out.gap().norm() - as_expression(joint.length), "distance", "m")
    elif isinstance(joint, (OnLine, OnPlane)):
        axis = np.array(unit_axis(joint.axis if isinstance(joint, OnLine) else joint.normal))
        for e in _normals(axis) if isinstance(joint, OnLine) else [axis]:
            out.add(out.gap().dot(out.vector(0, e)), f"translation along {_name(e)}", "m")
    else:
        turns, slides = _turns_and_slides(joint, thing)
        _translations(out, turns, slides, frame, thing)
        _rotations(out, turns)
    return out


Slide = tuple[np.ndarray, int]  #: direction, number of turns before it


def _turns_and_slides(joint: Joint, thing: str) -> tuple[list[np.ndarray], list[Slide]]:
    """Axes of the turns, neighbours of equal direction only once (three for a ball), and the slides between them."""
    turns: list[np.ndarray] = []
    slides: list[Slide] = []
    for freedom in (f for motion in joint.motions for f in motion.freedoms or ()):
        axis = np.array(freedom.axis)
        if not freedom.angular:
            slides.append((axis, len(turns)))
        elif not turns or not _parallel(turns[-1], axis):
            turns.append(axis)
        elif slides and slides[-1][1] == len(turns) and not _parallel(slides[-1][0], axis):
            raise ModelError(f"{thing}: a slide between two parallel turns is not known as a loop's joint: {REMEDY}")
    return turns, slides


REMEDY = "hang a body on this joint in the tree, and close the loop somewhere else"


def _parallel(a: np.ndarray, b: np.ndarray) -> bool:
    return bool(np.linalg.norm(np.cross(a, b)) < PARALLEL)


def _rotations(out: Conditions, turns: list[np.ndarray]) -> None:
    """Conditions on the directions of the two frames: none once three turns are free."""
    if not turns:
        for k in range(3):
            i, j = (k + 1) % 3, (k + 2) % 3
            out.add(out.vector(0, AXES[i]).dot(out.vector(1, AXES[j])), f"rotation about {_name(AXES[k])}", "rad")
            out.facing.append(out.vector(0, AXES[k]).dot(out.vector(1, AXES[k])))
    elif len(turns) == 1:
        first, second = _normals(turns[0])
        b = out.vector(1, turns[0])
        out.facing.append(out.vector(0, turns[0]).dot(b))
        out.add(out.vector(0, first).dot(b), f"rotation about {_name(second)}", "rad")
        out.add(out.vector(0, second).dot(b), f"rotation about {_name(first)}", "rad")
    elif len(turns) == 2:
        cosine = float(turns[0] @ turns[1])
        row = out.vector(0, turns[0]).dot(out.vector(1, turns[1])) - (cosine if abs(cosine) > SNAP else 0.0)
        out.add(row, f"rotation about {_name(np.cross(turns[0], turns[1]))}", "rad")


def _translations(out: Conditions, turns: list[np.ndarray], slides: list[Slide], frame: int | None, thing: str) -> None:
    """Conditions on the vector between the two points: normal to every slide."""
    gap = out.gap()
    if not slides:
        if frame is None:
            for k, name in enumerate("xyz"):
                out.add(gap[k], f"translation along {name} of the world", "m")
        else:
            axes = [*_normals(turns[0]), turns[0]] if len(turns) in (1, 2) else AXES
            for axis in axes:
                out.add(gap.dot(out.vector(frame, axis)), f"translation along {_name(axis)}", "m")
        return
    along = [_slide(out, turns, slide, thing) for slide in slides]
    if np.linalg.matrix_rank(np.array([direction for direction, _ in slides]), tol=PARALLEL) < len(slides):
        raise ModelError(f"{thing}: its slides are not independent of each other: {REMEDY}")
    if len(slides) == 1:
        direction, position = slides[0]
        if position in (0, len(turns)):
            side = 0 if position == 0 else 1
            normals = [out.vector(side, e) for e in _normals(direction)]
        else:
            axis, side = min(((turns[0], 0), (turns[-1], 1)), key=lambda pair: abs(float(pair[0] @ direction)))
            first = along[0].cross(out.vector(side, axis))
            normals = [first, along[0].cross(first)]
        for e, label in zip(normals, _normals(direction), strict=True):
            out.add(gap.dot(e), f"translation along {_name(label)}", "m")
    elif len(slides) == 2:
        normal = np.cross(slides[0][0], slides[1][0])
        out.add(gap.dot(along[0].cross(along[1])), f"translation along {_name(normal)}", "m")


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


def _normals(axis: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Two unit vectors that make a right-handed frame with the axis, coordinate axes where it is one."""
    largest = int(np.argmax(np.abs(axis)))
    first = AXES[(largest + 1) % 3] - axis * axis[(largest + 1) % 3]
    first /= np.linalg.norm(first)
    return first, np.cross(axis, first)


def _name(axis: np.ndarray) -> str:
    """x, y, z, or the components of a direction, whatever its sign."""
    for k, name in enumerate("xyz"):
        if abs(abs(axis[k]) - np.linalg.norm(axis)) < PARALLEL:
            return name
    return "(" + ", ".join(f"{c + 0.0:.3g}" for c in np.round(axis / np.linalg.norm(axis), 6)) + ")"
