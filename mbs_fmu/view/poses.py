"""Poses of all bodies in all rows of a result, computed from coordinates and parameters by the joints' formulas."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..infrastructure.cached_properties import cached_property
from ..infrastructure.lazy_dataclasses import dataclass
from ..model.data import ModelData
from ..model.elastic_parts import ElasticPart
from ..model.geometry.axes import third_axis
from ..model.items import WORLD, Body
from ..model.motions.motion import Motion, MotionContext
from ..model.references.leaves import Signal
from ..record.blocks import LinkConstants
from ..record.layout import Load
from ..symbolic.arrays import values_along
from ..symbolic.expressions import Expression
from ..symbolic.rotations import entries_of
from ..symbolic.vectors import ORIGIN, UNIT

#: Functions of coordinates that motions read, by region of the record.
NUMBERS: dict[str, Callable[[np.ndarray], np.ndarray]] = {"q": np.asarray, "sines": np.sin, "cosines": np.cos}
PRINCIPAL = 2  #: axis about which motions are evaluated, before a rotation to their own axis


@dataclass(frozen=True)
class Frames:
    """Frames in all rows: origins (rows, 3), m, and rotation matrices (rows, 3, 3) to the axes of another frame."""

    x: np.ndarray
    R: np.ndarray

    def then(self, inner: Frames) -> Frames:
        """Return frames that `inner` states relative to these, relative to the other frame."""
        return Frames(self.points(inner.x), self.R @ inner.R)

    @property
    def inverse(self) -> Frames:
        """The other frame relative to these."""
        turned = self.R.swapaxes(-1, -2)
        return Frames(-(turned @ self.x[..., None])[..., 0], turned)

    def points(self, x: ArrayLike) -> np.ndarray:
        """Transform points of these frames, (rows, 3) or (3), to the other frame."""
        return np.asarray(self.x + (self.R @ np.asarray(x)[..., None])[..., 0])

    @cached_property
    def quaternions(self) -> np.ndarray:
        """Quaternions of the rotations, (rows, 4), in the page's order x, y, z, w; from their largest components."""
        m = np.moveaxis(self.R, 0, -1)
        a, b, c = m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]
        d, e, f = m[0, 1] + m[1, 0], m[0, 2] + m[2, 0], m[1, 2] + m[2, 1]
        x, y, z = m[0, 0], m[1, 1], m[2, 2]
        squares = np.array([1 + x - y - z, 1 - x + y - z, 1 - x - y + z, 1 + x + y + z])  # four times the squares
        products = np.array(
            [[squares[0], d, e, a], [d, squares[1], f, b], [e, f, squares[2], c], [a, b, c, squares[3]]]
        )
        q = np.take_along_axis(products, np.argmax(squares, axis=0)[None, None, :], axis=0)[0].T
        return np.asarray(q / np.linalg.norm(q, axis=1, keepdims=True))


class Rows:
    """Values of a model in all rows: columns by name, including time (s), and parameters."""

    def __init__(self, columns: Mapping[str, np.ndarray], parameters: Mapping[str, float]):
        self.columns, self.parameters = columns, parameters

    @property
    def time(self) -> np.ndarray:
        return self.columns["time"]

    def __len__(self) -> int:
        return len(self.time)

    def __getitem__(self, rows: np.ndarray) -> Rows:
        """Return some of the rows."""
        return Rows({name: column[rows] for name, column in self.columns.items()}, self.parameters)

    def of(self, reference: object) -> Any:
        """Return the value of a parameter, or the times, or the values of a state."""
        assert isinstance(reference, Signal)
        if reference.role == "state":
            return self.columns[reference.name]
        return self.time if reference.role == "time" else self.parameters[reference.name]

    def values(self, expressions: list[Expression], lookup: Callable[[Any], Any] | None = None) -> np.ndarray:
        """Return the values of expressions, shape (rows, expressions)."""
        return values_along(expressions, len(self), lookup or self.of)

    def constant(self, expression: Expression) -> float:
        """Return the value of an expression of parameters."""
        return float(values_along([expression], 1, self.of)[0, 0])


def poses(model: ModelData, rows: Rows, bodies: Iterable[str] | None = None) -> dict[str, Frames]:
    """Return the frames of bodies, of nodes of elastic bodies and of the world, in world axes.

    bodies: names of bodies and nodes, by default all; those on which they are placed are added. Raises KeyError for a
    missing column.
    """
    still = Frames(np.zeros((len(rows), 3)), np.broadcast_to(np.eye(3), (len(rows), 3, 3)))
    frames = {WORLD: still}
    means: dict[str, Frames] = {}
    for name in model.bodies if bodies is None else bodies:
        pending = []
        while name not in frames:
            pending.append(model.bodies[name])
            name = pending[-1].parent
        for body in reversed(pending):
            if body.attachment is None:
                at = frames[body.parent].then(_joint_placement(body, rows)).then(in_joint(body, rows))
            else:
                at = means[body.parent].then(_node(_elastic(model, body), body.attachment, body.parent, rows))
            frames[body.name] = at
            if body.elastic is not None:
                means[body.name] = mean_frame(body, body.elastic, at, rows)
    return frames


def _joint_placement(body: Body, rows: Rows) -> Frames:
    """Return the placement of the body's joint on its parent."""
    return Frames(rows.values(list(body.position)), rows.values(list(entries_of(body.rotation))).reshape(-1, 3, 3))


def in_joint(body: Body, rows: Rows) -> Frames:
    """Return the body's frame relative to the placement of its joint."""
    named = [f"{body.name}.{suffix}" for suffix, _ in body.joint.coordinates]
    at = Frames(np.zeros((1, 3)), np.eye(3)[None])
    for motion in body.joint.motions:
        q = [rows.columns[name] for name in named[: len(motion.units)]]
        at = at.then(_motion_frames(motion, q, rows))
        del named[: len(motion.units)]
    return at


def _motion_frames(motion: Motion, q: list[np.ndarray], rows: Rows) -> Frames:
    """Return the frames after a motion relative to those before it."""
    own = LinkConstants.indices("own")
    context = MotionContext(motion, PRINCIPAL, False, 0, 0, lambda k: motion.constants[own.index(k)])
    rotation, origin = UNIT, ORIGIN
    for change in motion.frame(context):
        rotation, origin = change.pose(rotation, origin)

    def number(reference: object) -> Any:
        if not isinstance(reference, Load):
            return rows.of(reference)
        return NUMBERS[reference.region](q[reference.offset])

    entries = rows.values([*(x for row in rotation.rows for x in row), *origin], number)
    values = Frames(entries[:, 9:], entries[:, :9].reshape(-1, 3, 3))
    if motion.axis is None:
        return values
    axes = third_axis(motion.axis)  # the same rotation about the motion's own axis
    return Frames(values.x @ axes.T, axes @ values.R @ axes.T)


# -- elastic bodies ------------------------------------------------------------------------------------------
def _elastic(model: ModelData, attachment: Body) -> ElasticPart:
    elastic = model.bodies[attachment.parent].elastic
    assert elastic is not None
    return elastic


def mean_frame(body: Body, elastic: ElasticPart, frame: Frames, rows: Rows) -> Frames:
    """Return the body's mean frame from its frame, which is that of its root."""
    return frame if elastic.root is None else frame.then(_node(elastic, elastic.root, body.name, rows).inverse)


def _node(elastic: ElasticPart, name: str, body: str, rows: Rows) -> Frames:
    """Return a node's frame in the mean frame: place + d, Cayley(theta) axes, to second order in the modes (F4)."""
    xi = np.column_stack([rows.columns[f"{body}.{suffix}"] for suffix, _ in elastic.named("xi", "m")])
    return Frames(*elastic.modes.node(name).pose(xi))
