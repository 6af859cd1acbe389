"""What outputs and laws may measure of elastic bodies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arguments import is_whole
from ..errors import ModelError
from ..record.messages import shown
from ..symbolic.expressions import Expression, leaf
from .elastic_parts import Elastic
from .measures import relative_position, to_world
from .parts import Body
from .references import ModalNumber
from .vectors import Vector

UNIT = np.eye(3).tolist()


@dataclass(frozen=True)
class Deformation:
    """How far a node is from its undeformed place: `d` (m), and `theta`, the Cayley vector of its turn (rad)."""

    d: Vector
    theta: Vector


def deformation(body: Body, node: str) -> Deformation:
    """Displacement and rotation of a node of an elastic body against its place at rest, in the body's axes.

    These are the axes of the root, or with none those of the mean frame. As an output it becomes name.d and name.theta.
    The Cayley vector's length is 2 tan(angle / 2), and for small angles the angle. Raises ModelError.
    """
    elastic = _elastic(body, "deformation")
    at, modes = body.node(node), elastic.modes
    if elastic.root is None:
        origin, axes = np.zeros(3), np.eye(3)
    else:
        root = modes.node(elastic.root)
        origin, axes = root.place, root.axes.T
    told = modes.node(node)
    apart, rest = Vector((axes @ (told.place - origin)).tolist()), (axes @ told.axes).tolist()
    ours, theirs = ([to_world(frame, Vector(e)) for e in UNIT] for frame in (body, at))
    turned = [[a.dot(b) for b in theirs] for a in ours]
    R = [[Vector(turned[i]).dot(rest[j]) for j in range(3)] for i in range(3)]
    scale = 2.0 / (1.0 + R[0][0] + R[1][1] + R[2][2])
    theta = Vector((R[2][1] - R[1][2], R[0][2] - R[2][0], R[1][0] - R[0][1])) * scale
    return Deformation(relative_position(body, at) - apart, theta)


def modal(body: str | Body, mode: int) -> Expression:
    """The coordinate xi (m) of a mode of an elastic body, counted from 1: 1 is its largest displacement of a node.

    Raises ModelError.
    """
    return leaf(_modal_number("coordinate", body, mode))


def modal_rate(body: str | Body, mode: int) -> Expression:
    """The rate of `modal`, m/s."""
    return leaf(_modal_number("rate", body, mode))


def _modal_number(quantity: str, body: str | Body, mode: int) -> ModalNumber:
    if not is_whole(mode) or mode < 1:
        raise ModelError(f"mode {shown(mode)}: give a number from 1 on")
    name = body.name if isinstance(body, Body) else body
    if isinstance(body, Body) and mode > _elastic(body, "modal").modes.count:
        raise ModelError(f"mode {mode} of body {name!r} does not exist, it has {_elastic(body, 'modal').modes.count}")
    return ModalNumber(quantity, name, mode - 1, body)


def _elastic(body: object, word: str) -> Elastic:
    if not isinstance(body, Body):
        raise ModelError(f"{word} of {shown(body)}: give an elastic body, as m.body returned it")
    if body.elastic is None:
        raise ModelError(f"{word}: {body.no_modes('modes')}")
    return body.elastic
