"""Drawings of bodies without shapes: solids with their mass and inertia, bars, joints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..infrastructure.lazy_dataclasses import dataclass
from ..model.bodies.shapes import Box, ConnectingLine, Cylinder, Line, Shape, Sphere
from ..model.closures import Closure, PairClosure
from ..model.data import ModelData
from ..model.geometry.axes import third_axis
from ..model.geometry.poses import Pose
from ..model.items import WORLD, Body, Force
from ..model.motions.motion import Axis
from ..model.references.naming import equal_key
from ..symbolic.rotations import entries_of
from ..symbolic.vectors import Vector
from .poses import Rows, in_joint
from .stage import ground
from .terrain import terrains

COLORS = ("#3f7cb6", "#ee8a2a", "#4d9f56", "#d4534f", "#8d6bb5", "#4ba3a8", "#c9729f", "#8c6d52", "#7f8c97")
CLEAR = "a6"  #: opacity of solids that represent inertia
METAL = "#59636e"  #: color of joints
BASE = "#9aa4ae"  #: color of the brackets of the world's hinges
STEEP = 0.3  #: sine of the angle to the vertical below which a hinge is vertical
HANGS = 0.2  #: part of its distance by which a centre of mass is on average below a hinge whose bracket is above
THICK = 0.05  #: thickness of a body's bars over its reach
MARK = 0.03  #: thickness of a body without a size of its own over the reach of the others
ALIKE = 1e-3  #: relative difference of moments of inertia that count as equal


@dataclass(frozen=True)
class Sketch:
    """Drawings on a body, and on its parent for its joint."""

    own: list[Shape]
    on_parent: list[Shape]


def color_of(k: int) -> str:
    """Return the color of body number k."""
    return COLORS[k % len(COLORS)]


@dataclass(frozen=True)
class Attached:
    """What other parts of a model attach to its bodies and the world, by their names.

    points: of joints of other bodies, loops and springs, m, body axes. shapes: of closures and contacts on bodies that
    have none of their own; equal ones once.
    """

    points: dict[str, list[Vector]]
    shapes: dict[str, list[Shape]]

    @classmethod
    def of(cls, model: ModelData) -> Attached:
        """Collect them in one pass over the model."""
        points: dict[str, list[Vector]] = {}
        for body in model.bodies.values():
            if body.attachment is None:
                points.setdefault(body.parent, []).append(body.position)
        for loop in model.loops.values():
            for side in loop.sides if isinstance(loop, PairClosure) and loop.mode is None else ():
                points.setdefault(side.body, []).append(side.at)
        for link in links(model).values():
            for name, at in ((link.a, link.at_a), (link.b, link.at_b)):
                points.setdefault(name, []).append(at)
        shapes = terrains(model)
        things: list[Force | Closure] = [*model.loops.values(), *model.forces.values()]
        for thing in things:
            for name, shape in thing.shapes:
                shapes.setdefault(name, []).append(shape)
        once = {name: {equal_key(shape) or id(shape): shape for shape in own} for name, own in shapes.items()}
        return cls(points, {name: list(own.values()) for name, own in once.items()})

    def points_of(self, body: Body, rows: Rows) -> list[np.ndarray]:
        """Return the points of a body, m, body axes."""
        return [_numbers(point, rows) for point in self.points.get(body.name, ())]


def sketch(model: ModelData, attached: Attached, body: Body, rows: Rows, color: str, size: float) -> Sketch:
    """Return the drawing of a rigid body without shapes; `size` is that of bodies without a size of their own, m."""
    ends = attached.points_of(body, rows)
    com = _numbers(body.com, rows)
    meant = attached.shapes.get(body.name)
    solid = meant or _solid(body, com, rows, color + CLEAR)
    reach = _reach(body, solid, [*ends, com])
    thick = THICK * reach if reach > 1e-6 * size else MARK * size
    if not meant and solid and min(x.value for x in solid[0].size) < thick:
        solid = [_as_thick(solid[0], thick, color)]
    if not solid and rows.constant(body.mass) > 0.0:
        solid = [Sphere(1.6 * thick, at=com, color=color)]
    bars = [Line([(0, 0, 0), end], 0.5 * thick) for end in _distinct([*ends, com], 0.5 * thick)]
    own, on_parent = _joint(body, rows, thick)
    if body.parent == WORLD and body.joint.motions and body.joint.motions[0].glyph == "hinge":
        center = com if body.elastic is None else body.elastic.rest_inertia[1]
        on_parent += _bracket(model, body, center, rows, thick)
    return Sketch([*solid, *bars, *own], on_parent)


def reach_of(model: ModelData, attached: Attached, body: Body, rows: Rows) -> float:
    """Return the reach of a body, m: of its shapes or inertia, and of attached things; 0 if it has none of them."""
    com = _numbers(body.com, rows)
    own = model.shapes.get(body.name, ()) or attached.shapes.get(body.name, ())
    return _reach(body, own or _solid(body, com, rows, color_of(0)), [*attached.points_of(body, rows), com])


def _reach(body: Body, shapes: Sequence[Shape], points: Sequence[np.ndarray]) -> float:
    nodes = [body.elastic.modes.node(name).position for name in body.elastic.modes.nodes] if body.elastic else []
    return max([_extent(shapes), *(float(np.linalg.norm(point)) for point in [*points, *nodes])])


def links(model: ModelData) -> dict[str, ConnectingLine]:
    """Return rods and springs, by name; the spans of a rope as NAME.1, NAME.2, ..."""
    things: list[Force | Closure] = [*model.forces.values(), *model.loops.values()]
    lines: dict[str, ConnectingLine] = {}
    for thing in things:
        own = thing.connecting_lines
        lines |= {thing.name if len(own) == 1 else f"{thing.name}.{k}": line for k, line in enumerate(own, start=1)}
    return lines


def _numbers(vector: Sequence[object], rows: Rows) -> np.ndarray:
    return np.array([rows.constant(x) for x in vector])  # type: ignore[arg-type]


def _distinct(ends: list[np.ndarray], least: float) -> list[np.ndarray]:
    """Return the ends at more than a least distance from the origin and from each other."""
    distinct: list[np.ndarray] = []
    for end in ends:
        if min(float(np.linalg.norm(end - other)) for other in [np.zeros(3), *distinct]) > least:
            distinct.append(end)
    return distinct


def _solid(body: Body, com: np.ndarray, rows: Rows, clear: str) -> list[Shape]:
    """Return a box with the body's mass and inertia; a cylinder if two principal moments agree."""
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
    """Return a shape with lengths of at least the thickness of bars, so that it covers them."""
    least = [thick if name in "xyz" or name == "length" else 0.5 * thick for name in shape.lengths]
    sizes = {name: max(x.value, low) for name, x, low in zip(shape.lengths, shape.size, least, strict=True)}
    return replace(shape, **sizes, color=color)


def _extent(shapes: Sequence[Shape]) -> float:
    """Return the longest length of some shapes, m."""
    return max((x.value for shape in shapes for x in shape.size if x.op == "const"), default=0.0)


# -- joints --------------------------------------------------------------------------------------------------
def _joint(body: Body, rows: Rows, thick: float) -> tuple[list[Shape], list[Shape]]:
    """Return the drawing of the body's joint: of its last motion, on the body, and of its first, on the parent."""
    motions = body.joint.motions
    if not motions:
        return [], []
    first, last = motions[0], motions[-1]
    own = _glyph(last.glyph, last.axis, thick)
    on_parent = _glyph(first.glyph, first.axis, thick) if len(motions) > 1 and first.glyph != "slide" else []
    if first.glyph == "slide":
        assert first.axis is not None
        s = rows.columns[f"{body.name}.{body.joint.coordinates[0][0]}"]
        on_parent += _rail(first.axis, float(np.min(s)), float(np.max(s)), thick)
    return own, [shape.within(body.position, body.rotation) for shape in on_parent]


def _glyph(kind: str, axis: Axis | None, thick: float) -> list[Shape]:
    """Return a cylinder for a hinge, a square sleeve for a slide, a sphere for a ball."""
    if kind == "hinge" and axis is not None:
        return [Cylinder(0.75 * thick, 3.6 * thick, axis, color=METAL)]
    if kind == "slide" and axis is not None:
        return [Box(1.7 * thick, 1.7 * thick, 3.0 * thick, at=Pose(rotation=third_axis(axis)), color=METAL)]
    return [Sphere(1.1 * thick, color=METAL)] if kind == "ball" else []


def _rail(axis: Axis, low: float, high: float, thick: float) -> list[Shape]:
    """Return the rail of a slide, as long as its travel."""
    low, high = min(low, 0.0) - 1.5 * thick, high + 1.5 * thick
    middle = np.array(axis) * 0.5 * (low + high)
    return [Box(0.8 * thick, 0.8 * thick, high - low, at=Pose(middle, third_axis(axis)), color=METAL)]


def _bracket(model: ModelData, body: Body, center: np.ndarray, rows: Rows, thick: float) -> list[Shape]:
    """Return a fork that holds a hinge on the world: two cheeks around its pin, and a plate.

    The plate is below the hinge, or above it if the body hangs. On a vertical hinge there are no cheeks.
    """
    t, axis = thick, np.array(body.joint.motions[0].axis)
    upward = ground(model, rows)
    placement = rows.values(list(entries_of(body.rotation)))[0].reshape(3, 3)
    up = (np.array([0.0, 0.0, 1.0]) if upward is None else upward) @ placement
    level = up - (up @ axis) * axis
    upright = float(np.linalg.norm(level)) < STEEP
    down = -axis * np.copysign(1.0, up @ axis) if upright else -level / np.linalg.norm(level)
    if (in_joint(body, rows).R @ center).mean(axis=0) @ down > HANGS * np.linalg.norm(center):
        down = -down
    if upright:
        parts = [Box(3.0 * t, 3.0 * t, 0.5 * t, at=Pose(2.05 * t * down, third_axis(_triple(axis))), color=BASE)]
    else:
        axes = np.column_stack([np.cross(axis, down), axis, down])
        parts = [Box(3.2 * t, 3.6 * t, 0.4 * t, at=Pose(1.8 * t * down, axes), color=BASE)]
        for side in (-1.25 * t, 1.25 * t):
            parts.append(Box(1.3 * t, 0.5 * t, 1.9 * t, at=Pose(side * axis + 0.65 * t * down, axes), color=BASE))
    return [part.within(body.position, body.rotation) for part in parts]


def _triple(vector: np.ndarray) -> tuple[float, float, float]:
    x, y, z = vector.tolist()
    return x, y, z
