"""Measures of elastic bodies for outputs and laws."""

from __future__ import annotations

import numpy as np

from ...infrastructure.arguments import is_whole
from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...infrastructure.messages.failures import display
from ...infrastructure.messages.suggestions import did_you_mean
from ...symbolic.expressions import Expression, leaf, max, sqrt
from ..elastic_parts import ElasticPart
from ..geometry.vectors import Vector
from ..items import Body
from ..references.leaves import ModalNumber
from .measures import relative_position, to_world

UNIT = np.eye(3).tolist()
TINY = 1e-30  #: Pa², keeps derivatives finite where the stress is zero


@dataclass(frozen=True)
class Deformation:
    """Displacement `d` (m) of a node from its undeformed position, and Cayley vector `theta` (rad) of its rotation."""

    d: Vector
    theta: Vector


@dataclass(frozen=True)
class SectionForces:
    """Forces of the part of a beam behind a section on the part before it: `force` N, Qy, Qz (N), `moment` Mx, My, Mz
    (N.m)."""

    force: Vector
    moment: Vector


def deformation(body: Body, node: str | Body) -> Deformation:
    """Return displacement and rotation of a node of an elastic body relative to its undeformed position.

    Axes are those of the root, or those of the mean frame if the body has no root. The length of the Cayley vector is
    2 tan(angle / 2), for small angles the angle itself. An output of the deformation becomes name.d and name.theta.
    node: name of the node, or its frame `body.node(name)`. Raises ModelError for a rigid body or an unknown node.
    """
    elastic = _elastic(body, "deformation")
    name, modes = _node(body, node), elastic.modes
    at = body.node(name)
    if elastic.root is None:
        origin, axes = np.zeros(3), np.eye(3)
    else:
        root = modes.node(elastic.root)
        origin, axes = root.position, root.axes.T
    node_data = modes.node(name)
    apart, rest = Vector((axes @ (node_data.position - origin)).tolist()), (axes @ node_data.axes).tolist()
    body_axes, node_axes = ([to_world(frame, Vector(e)) for e in UNIT] for frame in (body, at))
    relative = [[a.dot(b) for b in node_axes] for a in body_axes]
    R = [[Vector(relative[i]).dot(rest[j]) for j in range(3)] for i in range(3)]
    scale = 2.0 / (1.0 + R[0][0] + R[1][1] + R[2][2])
    theta = Vector((R[2][1] - R[1][2], R[0][2] - R[2][0], R[1][0] - R[0][1])) * scale
    return Deformation(relative_position(body, at) - apart, theta)


def stress(body: Body, point: str) -> Vector:
    """Return the stresses xx, yy, zz, xy, yz, xz (Pa) of an elastic body at a point for which its modes have stresses.

    Axes are those of the data of the modes. The stresses are those of the deformation, without the contribution of
    damping. Raises ModelError for a rigid body or an unknown point.
    """
    elastic = _elastic(body, "stress")
    known = elastic.modes.stress
    if not isinstance(point, str) or point not in known:
        have = ", ".join(known) or "none: give its modes some, such as Modes.matrices(..., stress=)"
        unknown = f"unknown point of stress {display(point)} of body {body.name!r}{did_you_mean(point, known)}"
        raise ModelError(f"{unknown}; it has {have}")
    return _stiffness_form(body, elastic, known[point])


def von_mises(body: Body, point: str) -> Expression:
    """Return von Mises' equivalent stress (Pa) of an elastic body at a point for which its modes have stresses.

    It is that of `stress`, sqrt(½ [(xx - yy)² + (yy - zz)² + (zz - xx)²] + 3 (xy² + yz² + xz²)). Raises ModelError as
    `stress` does.
    """
    xx, yy, zz, xy, yz, xz = stress(body, point)
    squares = 0.5 * ((xx - yy) ** 2 + (yy - zz) ** 2 + (zz - xx) ** 2) + 3.0 * (xy * xy + yz * yz + xz * xz)
    return sqrt(max(squares, TINY))


def section_forces(body: Body, node: str | Body) -> SectionForces:
    """Return the forces of the part of a beam behind the section at a node on the part before it, nearer to x = 0.

    Axes are those of the section: N is tension; a beam that bends along y has Qy and Mz. Forces on the node itself act
    behind the section, at x = 0 before it. The section forces are those of the deformation, without the contribution of
    damping, and zero in directions in which the beam is rigid. An output of them becomes name.force and name.moment.
    node: name of the node, or its frame `body.node(name)`. Raises ModelError for a rigid body, an unknown node, and a
    node without section forces.
    """
    elastic = _elastic(body, "section_forces")
    known, name = elastic.modes.section_forces, _node(body, node)
    body.node(name)
    if name not in known:
        raise ModelError(f"node {name!r} of body {body.name!r} has no section forces: those of mbs.beam(...) have some")
    six = _stiffness_form(body, elastic, known[name])
    return SectionForces(Vector(six[:3]), Vector(six[3:]))


def _stiffness_form(body: Body, elastic: ElasticPart, form: np.ndarray) -> Vector:
    """Return the matrix `form` (6 x modes) times xi, times the factor on the stiffness."""
    xi = [modal(body, k + 1) for k in range(elastic.modes.count)]
    return Vector(elastic.stiffness * Vector(row.tolist()).dot(Vector(xi)) for row in form)


def _node(body: Body, node: str | Body) -> str:
    """Return the name of a node, passed by name or as the frame on it."""
    if not isinstance(node, Body):
        return node
    name = body.elastic.root if body.elastic is not None and node is body else node.attachment
    if name is None or body.node(name) is not node:
        have = ", ".join([] if body.elastic is None else body.elastic.modes.nodes) or "none"
        raise ModelError(f"{node.name!r} is not a node of body {body.name!r}; it has {have}")
    return name


def modal(body: str | Body, mode: int) -> Expression:
    """Return the modal coordinate xi (m) of an elastic body: the largest displacement of a node by that mode.

    mode: number of the vibration mode, from 1. Raises ModelError for a rigid body or a mode that does not exist.
    """
    return leaf(_modal_number("coordinate", body, mode))


def modal_rate(body: str | Body, mode: int) -> Expression:
    """Return the rate of `modal`, m/s."""
    return leaf(_modal_number("rate", body, mode))


def _modal_number(quantity: str, body: str | Body, mode: int) -> ModalNumber:
    if not is_whole(mode) or mode < 1:
        raise ModelError(f"mode {display(mode)}: give a number from 1 on")
    name = body.name if isinstance(body, Body) else body
    if isinstance(body, Body) and mode > _elastic(body, "modal").modes.count:
        raise ModelError(f"mode {mode} of body {name!r} does not exist, it has {_elastic(body, 'modal').modes.count}")
    return ModalNumber(quantity, name, mode - 1, body)


def _elastic(body: object, measure: str) -> ElasticPart:
    """Return the elastic part of a body. Raises ModelError, with the name of the measure, if it has none."""
    if not isinstance(body, Body):
        raise ModelError(f"{measure} of {display(body)}: give an elastic body, as m.body returned it")
    if body.elastic is None:
        raise ModelError(f"{measure}: {body.no_modes('modes')}")
    return body.elastic
