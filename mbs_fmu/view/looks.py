"""Looks of bodies that have no shapes: solids with their mass and inertia, bars, joints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..model.bodies.shapes import Box, ConnectingLine, Cylinder, Line, Shape, Sphere
from ..model.closures import Closure, PairClosure
from ..model.data import ModelData
from ..model.geometry.axes import third_axis
from ..model.geometry.poses import Pose
from ..model.items import Body, Force
from ..model.motions.motion import Axis
from .poses import Rows

COLORS = ("#3f7cb6", "#ee8a2a", "#4d9f56", "#d4534f", "#8d6bb5", "#4ba3a8", "#c9729f", "#8c6d52", "#7f8c97")
CLEAR = "a6"  #: opacity of solids that stand for inertia
METAL = "#59636e"  #: joints
THICK = 0.05  #: of a body's reach: thickness of its bars
MARK = 0.03  #: the same of what has no size of its own, of the others' reach: its mark is a tenth of that wide
ALIKE = 1e-3  #: relative: moments of inertia that count as equal


@dataclass(frozen=True)
class Sketch:
    """Drawings on a body, and on its parent for its joint."""

    own: list[Shape]
    parents: list[Shape]


def color_of(k: int) -> str:
    """Of body number k."""
    return COLORS[k % len(COLORS)]


def sketch(model: ModelData, body: Body, rows: Rows, color: str, size: float) -> Sketch:
    """Looks of a rigid body without shapes. size: m, of what has no size of its own."""
    ends = attachments(model, body, rows)
    com = _numbers(body.com, rows)
    given_shapes = [shape for loop in model.loops.values() for name, shape in loop.shapes if name == body.name]
    solid = given_shapes or _solid(body, com, rows, color + CLEAR)
    reach = _reach(body, solid, [*ends, com])
    thick = THICK * reach if reach > 1e-6 * size else MARK * size
    if not given_shapes and solid and min(x.value for x in solid[0].size) < thick:
        solid = [_as_thick(solid[0], thick, color)]
    if not solid and rows.constant(body.mass) > 0.0:
        solid = [Sphere(1.6 * thick, at=com, color=color)]
    bars = [Line([(0, 0, 0), end], 0.5 * thick) for end in _apart([*ends, com], 0.5 * thick)]
    own, parents = _joint(body, rows, thick)
    return Sketch([*solid, *bars, *own], parents)


def reach_of(model: ModelData, body: Body, rows: Rows) -> float:
    """How far a body reaches by its shapes, its inertia and what sits on it, m; 0 where none of that is given."""
    com = _numbers(body.com, rows)
    shapes = model.shapes.get(body.name, ()) or _solid(body, com, rows, color_of(0))
    return _reach(body, shapes, [*attachments(model, body, rows), com])


def _reach(body: Body, shapes: Sequence[Shape], places: Sequence[np.ndarray]) -> float:
    nodes = [body.elastic.modes.node(name).place for name in body.elastic.modes.nodes] if body.elastic else []
    return max([_extent(shapes), *(float(np.linalg.norm(place)) for place in [*places, *nodes])])


def attachments(model: ModelData, body: Body, rows: Rows) -> list[np.ndarray]:
    """Where other things sit on a body: joints of others, loops, springs; m, body axes."""
    positions = [b.position for b in model.bodies.values() if b.parent == body.name and b.attachment is None]
    for loop in model.loops.values():
        if isinstance(loop, PairClosure) and loop.mode is None:
            positions += [side.at for side in loop.sides if side.body == body.name]
    for link in links(model).values():
        positions += [at for name, at in ((link.a, link.at_a), (link.b, link.at_b)) if name == body.name]
    return [_numbers(position, rows) for position in positions]


def links(model: ModelData) -> dict[str, ConnectingLine]:
    """Rods and springs, by name."""
    things: list[Force | Closure] = [*model.forces.values(), *model.loops.values()]
    return {thing.name: thing.connecting_line for thing in things if thing.connecting_line is not None}


def _numbers(vector: Sequence[object], rows: Rows) -> np.ndarray:
    return np.array([rows.constant(x) for x in vector])  # type: ignore[arg-type]


def _apart(ends: list[np.ndarray], least: float) -> list[np.ndarray]:
    """The ends that are away from the origin and from each other."""
    apart: list[np.ndarray] = []
    for end in ends:
        if min(float(np.linalg.norm(end - other)) for other in [np.zeros(3), *apart]) > least:
            apart.append(end)
    return apart


def _solid(body: Body, com: np.ndarray, rows: Rows, clear: str) -> list[Shape]:
    """A box, or where two moments agree a cylinder, that has the body's mass and inertia."""
    mass = rows.constant(body.mass)
    inertia = np.array([_numbers(row, rows) for row in body.inertia])
    if not mass > 0.0 or not np.trace(inertia) > 0.0:
        return []
    moments, axes = np.linalg.eigh(0.5 * (inertia + inertia.T))
    axes[:, 2] = np.cross(axes[:, 0], axes[:, 1])
    squares = np.maximum(6.0 * (moments.sum() - 2.0 * moments) / mass, 0.0)  # of a box's edges
    alike = [abs(moments[(k + 1) % 3] - moments[(k + 2) % 3]) <= ALIKE * moments[2] for k in range(3)]
    slides = [motion.glyph for motion in body.joint.motions][-1:] == ["slide"]
    if not all(alike) and any(alike) and not slides:
        k = alike.index(True)
        across, along = moments[(k + 1) % 3], max(moments[k], 0.0)
        r, length = np.sqrt(2.0 * along / mass), np.sqrt(max(12.0 * across / mass - 6.0 * along / mass, 0.0))
        least = 0.03 * max(r, length)
        x, y, z = axes[:, k].tolist()
        place = Pose(com, third_axis((x, y, z)))
        return [Cylinder(max(r, least), max(length, least), at=place, color=clear)]
    edges = np.maximum(np.sqrt(squares), 0.03 * np.sqrt(squares.max()))
    return [Box(*(float(x) for x in edges), at=Pose(com, axes), color=clear)]


def _as_thick(shape: Shape, thick: float, color: str) -> Shape:
    """A slender or flat solid as thick as the bars are, which it hides."""
    least = [thick if name in "xyz" or name == "length" else 0.5 * thick for name in shape.lengths]
    sizes = {name: max(x.value, low) for name, x, low in zip(shape.lengths, shape.size, least, strict=True)}
    return replace(shape, **sizes, color=color)


def _extent(shapes: Sequence[Shape]) -> float:
    """The longest length of some shapes, m."""
    return max((x.value for shape in shapes for x in shape.size if x.op == "const"), default=0.0)


# -- joints --------------------------------------------------------------------------------------------------
def _joint(body: Body, rows: Rows, thick: float) -> tuple[list[Shape], list[Shape]]:
    """The drawing of the body's joint, on the body and on its parent: the last motion there, the first one here."""
    motions = body.joint.motions
    if not motions:
        return [], []
    first, last = motions[0], motions[-1]
    own = _glyph(last.glyph, last.axis, thick)
    parents = _glyph(first.glyph, first.axis, thick) if len(motions) > 1 and first.glyph != "slide" else []
    if first.glyph == "slide":
        assert first.axis is not None
        s = rows.columns[f"{body.name}.{body.joint.coordinates[0][0]}"]
        parents += _rail(first.axis, float(np.min(s)), float(np.max(s)), thick)
    return own, [shape.within(body.position, body.rotation) for shape in parents]


def _glyph(kind: str, axis: Axis | None, thick: float) -> list[Shape]:
    """A cylinder for a hinge, a square sleeve for a slide, a ball."""
    if kind == "hinge" and axis is not None:
        return [Cylinder(0.75 * thick, 3.6 * thick, axis, color=METAL)]
    if kind == "slide" and axis is not None:
        return [Box(1.7 * thick, 1.7 * thick, 3.0 * thick, at=Pose(rotation=third_axis(axis)), color=METAL)]
    return [Sphere(1.1 * thick, color=METAL)] if kind == "ball" else []


def _rail(axis: Axis, low: float, high: float, thick: float) -> list[Shape]:
    """The rail of a slide, as long as its way."""
    low, high = min(low, 0.0) - 1.5 * thick, high + 1.5 * thick
    middle = np.array(axis) * 0.5 * (low + high)
    return [Box(0.8 * thick, 0.8 * thick, high - low, at=Pose(middle, third_axis(axis)), color=METAL)]
