"""Poses of all bodies in all rows of a result, from coordinates and parameters by the formulas of joints."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..elastic.frames import Node
from ..model.builders.wheels import path
from ..model.data import ModelData
from ..model.elastic_parts import ElasticPart
from ..model.geometry.axes import third_axis
from ..model.items import WORLD, Body
from ..model.motions.motion import Motion, MotionContext
from ..model.references.leaves import Signal
from ..record.layout import LinkConstants, Load
from ..symbolic.arrays import values_along
from ..symbolic.expressions import Expression
from ..symbolic.rotations import entries_of
from ..symbolic.vectors import ORIGIN, UNIT

#: What a motion reads of its coordinates, by region of the record.
NUMBERS: dict[str, Callable[[np.ndarray], np.ndarray]] = {"q": np.asarray, "sines": np.sin, "cosines": np.cos}
PRINCIPAL = 2  #: the axis about which motions are written here; their own is turned there


@dataclass(frozen=True)
class Frames:
    """Origins (rows, 3), m, and rotations (rows, 3, 3), to the axes of some other frame."""

    x: np.ndarray
    R: np.ndarray

    def then(self, inner: Frames) -> Frames:
        """Frames that are given in these."""
        return Frames(self.points(inner.x), self.R @ inner.R)

    @property
    def back(self) -> Frames:
        """The other frame, as these see it."""
        turned = self.R.swapaxes(-1, -2)
        return Frames(-(turned @ self.x[..., None])[..., 0], turned)

    def points(self, x: ArrayLike) -> np.ndarray:
        """Points given in these frames, (rows, 3) or (3), as seen from the other."""
        return np.asarray(self.x + (self.R @ np.asarray(x)[..., None])[..., 0])

    @cached_property
    def quaternions(self) -> np.ndarray:
        """Of the rotations, (rows, 4), x, y, z, w as pages have them; each by its largest component."""
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
    """The numbers of a model in all rows: columns by name, time (s) among them, and parameters."""

    def __init__(self, columns: Mapping[str, np.ndarray], parameters: Mapping[str, float]):
        self.columns, self.parameters = columns, parameters

    @property
    def time(self) -> np.ndarray:
        return self.columns["time"]

    def __len__(self) -> int:
        return len(self.time)

    def __getitem__(self, rows: np.ndarray) -> Rows:
        """Some of the rows."""
        return Rows({name: column[rows] for name, column in self.columns.items()}, self.parameters)

    def of(self, reference: object) -> Any:
        """A parameter, or time."""
        assert isinstance(reference, Signal)
        return self.time if reference.role == "time" else self.parameters[reference.name]

    def values(self, expressions: list[Expression], lookup: Callable[[Any], Any] | None = None) -> np.ndarray:
        """(rows, expressions)."""
        return values_along(expressions, len(self), lookup or self.of)

    def constant(self, expression: Expression) -> float:
        """Of parameters alone."""
        return float(values_along([expression], 1, self.of)[0, 0])


def poses(model: ModelData, rows: Rows) -> dict[str, Frames]:
    """Every body's frame in world axes, nodes of elastic bodies and the world too. KeyError for a column not there."""
    still = Frames(np.zeros((len(rows), 3)), np.broadcast_to(np.eye(3), (len(rows), 3, 3)))
    done = {WORLD: still}
    means: dict[str, Frames] = {}
    for name in model.bodies:
        for each in reversed(path(model, name)):
            if each not in done:
                body = model.bodies[each]
                if body.attachment is None:
                    done[each] = done[body.parent].then(_placed(body, rows)).then(in_joint(body, rows))
                else:
                    done[each] = means[body.parent].then(
                        _node(_elastic(model, body), body.attachment, body.parent, rows)
                    )
                if body.elastic is not None:
                    means[each] = _mean_frame(body, body.elastic, done[each], rows)
    return done


def _placed(body: Body, rows: Rows) -> Frames:
    """The place of its joint on the parent."""
    return Frames(rows.values(list(body.position)), rows.values(list(entries_of(body.rotation))).reshape(-1, 3, 3))


def in_joint(body: Body, rows: Rows) -> Frames:
    """The body's frame from the place of its joint."""
    named = [f"{body.name}.{suffix}" for suffix, _ in body.joint.coordinates]
    at = Frames(np.zeros((1, 3)), np.eye(3)[None])
    for motion in body.joint.motions:
        q = [rows.columns[name] for name in named[: len(motion.units)]]
        at = at.then(_behind(motion, q, rows))
        del named[: len(motion.units)]
    return at


def _behind(motion: Motion, q: list[np.ndarray], rows: Rows) -> Frames:
    """The frame behind a motion from that before it."""
    here = MotionContext(motion, PRINCIPAL, False, 0, 0, lambda k: motion.constants[LinkConstants.own.index(k)])
    rotation, origin = UNIT, ORIGIN
    for change in motion.frame(here):
        rotation, origin = change.pose(rotation, origin)

    def number(reference: object) -> Any:
        if not isinstance(reference, Load):
            return rows.of(reference)
        return NUMBERS[reference.region](q[reference.offset])

    entries = rows.values([*(x for row in rotation.rows for x in row), *origin], number)
    values = Frames(entries[:, 9:], entries[:, :9].reshape(-1, 3, 3))
    if motion.axis is None:
        return values
    axes = third_axis(motion.axis)  # the same turn about the motion's own axis
    return Frames(values.x @ axes.T, axes @ values.R @ axes.T)


# -- elastic bodies ------------------------------------------------------------------------------------------
def _elastic(model: ModelData, attachment: Body) -> ElasticPart:
    elastic = model.bodies[attachment.parent].elastic
    assert elastic is not None
    return elastic


def _mean_frame(body: Body, elastic: ElasticPart, frame: Frames, rows: Rows) -> Frames:
    """The body's mean frame, whose root lies in the body's own."""
    return frame if elastic.root is None else frame.then(_node(elastic, elastic.root, body.name, rows).back)


def _node(elastic: ElasticPart, name: str, body: str, rows: Rows) -> Frames:
    """A node in the mean frame of its body: place + d, Cayley(theta) axes, to second order in the modes."""
    node: Node = elastic.modes.node(name)
    xi = np.column_stack([rows.columns[f"{body}.{suffix}"] for suffix, _ in elastic.named("xi", "m")])
    y = xi @ node.Y1.T + 0.5 * np.einsum("iab,ra,rb->ri", node.Y2, xi, xi, optimize=True)
    d, theta = y[:, :3], y[:, 3:]
    K = np.cross(np.eye(3), theta[:, None, :])  # K a = theta x a
    scale = 1.0 / (1.0 + 0.25 * (theta**2).sum(axis=1))
    R = np.eye(3) + scale[:, None, None] * (K + 0.5 * K @ K)
    return Frames(node.place + d, R @ node.axes)
