"""Measures of elastic bodies for outputs and laws."""

from __future__ import annotations

import numpy as np

from ...arguments import is_whole
from ...errors import ModelError
from ...lazy_dataclasses import dataclass
from ...messages.failures import display
from ...messages.suggestions import did_you_mean
from ...symbolic.expressions import Expression, leaf
from ..elastic_parts import ElasticPart
from ..geometry.vectors import Vector
from ..items import Body
from ..references.leaves import ModalNumber
from .measures import relative_position, to_world

UNIT = np.eye(3).tolist()


@dataclass(frozen=True)
class Deformation:
    """How far a node is from its undeformed place: `d` (m), and `theta`, the Cayley vector of its turn (rad)."""

    d: Vector
    theta: Vector


@dataclass(frozen=True)
class SectionForces:
    """The load of a beam's part behind a place on that before it: `force` N, Qy, Qz (N), `moment` Mx, My, Mz (N.m)."""

    force: Vector
    moment: Vector


def deformation(body: Body, node: str | Body) -> Deformation:
    """Displacement and rotation of a node of an elastic body against its place at rest, in the body's axes.

    These are the axes of the root, or with none those of the mean frame. As an output it becomes name.d and name.theta.
    The Cayley vector's length is 2 tan(angle / 2), and for small angles the angle. node: its name or its frame,
    `body.node(name)`. Raises ModelError.
    """
    elastic = _elastic(body, "deformation")
    name, modes = _node(body, node), elastic.modes
    at = body.node(name)
    if elastic.root is None:
        origin, axes = np.zeros(3), np.eye(3)
    else:
        root = modes.node(elastic.root)
        origin, axes = root.place, root.axes.T
    told = modes.node(name)
    apart, rest = Vector((axes @ (told.place - origin)).tolist()), (axes @ told.axes).tolist()
    ours, theirs = ([to_world(frame, Vector(e)) for e in UNIT] for frame in (body, at))
    turned = [[a.dot(b) for b in theirs] for a in ours]
    R = [[Vector(turned[i]).dot(rest[j]) for j in range(3)] for i in range(3)]
    scale = 2.0 / (1.0 + R[0][0] + R[1][1] + R[2][2])
    theta = Vector((R[2][1] - R[1][2], R[0][2] - R[2][0], R[1][0] - R[0][1])) * scale
    return Deformation(relative_position(body, at) - apart, theta)


def stress(body: Body, point: str) -> Vector:
    """Stresses xx, yy, zz, xy, yz, xz (Pa) at a point that the modes of an elastic body have stresses of.

    They follow the deformation alone, in the axes of the data; what damping adds is left out. Raises ModelError.
    """
    elastic = _elastic(body, "stress")
    known = elastic.modes.stress
    if not isinstance(point, str) or point not in known:
        have = ", ".join(known) or "none: give its modes some, such as Modes.matrices(..., stress=)"
        said = f"unknown point of stress {display(point)} of body {body.name!r}{did_you_mean(point, known)}"
        raise ModelError(f"{said}; it has {have}")
    return _formed(body, elastic, known[point])


def section_forces(body: Body, node: str | Body) -> SectionForces:
    """Force and moment in the section of a beam at a node: what the part behind it does to the part before it.

    Before is nearer to x = 0. Axes are those of the section: N pulls, a beam that bends along y has Qy and Mz. What
    acts on the node itself is behind the section, but at x = 0 before it. They follow the deformation alone: what
    damping adds is left out, and so is all in directions in which the beam does not give. node: its name or its frame,
    `body.node(name)`. As an output it becomes name.force and name.moment. Raises ModelError.
    """
    elastic = _elastic(body, "section_forces")
    known, name = elastic.modes.section_forces, _node(body, node)
    body.node(name)
    if name not in known:
        raise ModelError(f"node {name!r} of body {body.name!r} has no section forces: those of mbs.beam(...) have some")
    six = _formed(body, elastic, known[name])
    return SectionForces(Vector(six[:3]), Vector(six[3:]))


def _formed(body: Body, elastic: ElasticPart, form: np.ndarray) -> Vector:
    """Six numbers that follow xi, as forces of the stiffness do."""
    xi = [modal(body, k + 1) for k in range(elastic.modes.count)]
    return Vector(elastic.stiffness * Vector(row.tolist()).dot(Vector(xi)) for row in form)


def _node(body: Body, node: str | Body) -> str:
    """The name of a node, given by name or as the frame on it."""
    if not isinstance(node, Body):
        return node
    name = body.elastic.root if body.elastic is not None and node is body else node.attachment
    if name is None or body.node(name) is not node:
        have = ", ".join([] if body.elastic is None else body.elastic.modes.nodes) or "none"
        raise ModelError(f"{node.name!r} is no node of body {body.name!r}; it has {have}")
    return name


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
        raise ModelError(f"mode {display(mode)}: give a number from 1 on")
    name = body.name if isinstance(body, Body) else body
    if isinstance(body, Body) and mode > _elastic(body, "modal").modes.count:
        raise ModelError(f"mode {mode} of body {name!r} does not exist, it has {_elastic(body, 'modal').modes.count}")
    return ModalNumber(quantity, name, mode - 1, body)


def _elastic(body: object, word: str) -> ElasticPart:
    if not isinstance(body, Body):
        raise ModelError(f"{word} of {display(body)}: give an elastic body, as m.body returned it")
    if body.elastic is None:
        raise ModelError(f"{word}: {body.no_modes('modes')}")
    return body.elastic
