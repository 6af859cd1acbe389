"""Completion of inertia in absolute coordinates: every body is free there and needs inertia about all axes.

A thin rod on a hinge, for example, has none about its own axis. Inertia about an axis about which a body never turns
has no influence on its motion, so any value may be added.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from ...infrastructure.errors import ModelError
from ...model.builders.wheels import defaults, path, pose_in, values
from ...model.data import ModelData
from ...model.geometry.axes import PARALLEL
from ...model.geometry.vectors import Vector
from ...model.items import WORLD, Body, body_label
from ...symbolic.expressions import Expression
from ...symbolic.rotations import values_of

LEAST = 1e-9  #: fraction of the largest principal moment below which another one counts as zero
OTHER = 0.7235  #: added to all parameters to find rotations that depend on them
ANY_ARM = 0.1  #: m, radius of gyration of a point mass that never turns


def with_inertia(model: ModelData, body: Body) -> Body:
    """Return the body with the inertia that it needs to be free.

    Raises ModelError if the body has no mass, or no inertia about an axis about which it turns; an elastic body turns
    about all axes.
    """
    mass, J = _welded_together(model, body)
    if mass <= 0.0:
        raise _lacking(body, "mass")
    moments = np.linalg.eigvalsh(J)
    if moments[0] > LEAST * moments[2]:
        return body
    if body.elastic is not None:  # it turns about all axes as it deforms
        raise ModelError(
            f"{body_label(body.name)} is elastic and has no inertia about one of its axes, and every body is free in "
            'absolute form: give its data that inertia, or leave formulation="absolute" out'
        )
    free = _never_turned_about(model, body)
    added = float(moments[2]) if moments[2] > LEAST * mass * ANY_ARM**2 else mass * ANY_ARM**2
    J = J + added * free
    if np.linalg.eigvalsh(J)[0] <= LEAST * moments[2]:
        raise _lacking(body, "inertia about an axis that it turns about")
    inertia = [[x + added * float(free[i, j]) for j, x in enumerate(row)] for i, row in enumerate(body.inertia)]
    return replace(body, inertia=inertia)


def _lacking(body: Body, what: str) -> ModelError:
    return ModelError(
        f"{body_label(body.name)} has no {what} of its own, and every body is free in absolute form: give it one, "
        'merge its joint with its child\'s by mbs.Compound, or leave formulation="absolute" out'
    )


def _welded_together(model: ModelData, body: Body) -> tuple[float, np.ndarray]:
    """Return mass and inertia, about the common centre of mass and in body axes, of a body with all welded to it."""
    parts = [_numbers(model, part, body) for part in _welded(model, body)]
    mass = sum(m for m, _, _ in parts)
    centre = sum(m * c for m, c, _ in parts) / (mass or 1.0)
    total = np.zeros((3, 3))
    for m, c, J in parts:
        r = c - centre
        total += J + m * (r @ r * np.eye(3) - np.outer(r, r))
    return mass, total


def _welded(model: ModelData, body: Body) -> Iterator[Body]:
    """Yield a body and all bodies that are welded to it outboard."""
    yield body
    for child in model.bodies.values():
        if child.parent == body.name and not child.joint.motions:
            yield from _welded(model, child)


def _numbers(model: ModelData, part: Body, body: Body) -> tuple[float, np.ndarray, np.ndarray]:
    """Return mass, centre of mass and inertia of a part, in the body's axes, at the defaults of the parameters."""
    place = pose_in(model, part.name, body.name)
    own_mass, com, inertia = part.rest_inertia
    entries: list[Expression] = [own_mass, *place.of(com), *(x for row in inertia for x in row)]
    mass, *others = values(model, Vector(entries))
    R = values_of(place.rotation, defaults(model))
    return mass, np.array(others[:3]), R @ np.reshape(others[3:], (3, 3)) @ R.T


def _never_turned_about(model: ModelData, body: Body) -> np.ndarray:
    """Return the projector on the body's directions about which no joint between it and the world can turn it.

    A projector that depends on parameters is replaced by zero.
    """
    default = defaults(model)
    one, other = (_free_at(model, body, of) for of in (default, lambda reference: default(reference) + OTHER))
    return one if np.allclose(one, other) else np.zeros((3, 3))


def _bends_about(body: Body, node: str) -> Sequence[np.ndarray]:
    """Return the unit axes, in a node's axes, about which deformations turn it against the body's root."""
    elastic = body.elastic
    assert elastic is not None
    seen = elastic.modes.node(node).seen_from(elastic.root_node)
    turns = seen.axes.T @ np.concatenate([seen.Y1[3:], seen.Y2[3:].reshape(3, -1)], axis=1)
    sizes = np.linalg.norm(turns, axis=0)
    large = sizes > LEAST * max(np.max(sizes), LEAST)
    return list((turns[:, large] / sizes[large]).T)


def _free_at(model: ModelData, body: Body, parameters: Callable[[object], float]) -> np.ndarray:
    """Return the projector of `_never_turned_about` at these values of the parameters."""
    axes = []
    for name in path(model, body.name)[:-1]:
        outer = model.bodies[name]
        turned = values_of(pose_in(model, outer.name, WORLD).rotation, parameters)
        degrees_of_freedom = [f for motion in outer.joint.motions for f in motion.degrees_of_freedom or ()]
        axes += [turned @ np.array(f.axis) for f in degrees_of_freedom if f.angular]
        if outer.attachment is not None:
            axes += [turned @ axis for axis in _bends_about(model.bodies[outer.parent], outer.attachment)]
    if not axes:
        return np.eye(3)
    axis = values_of(pose_in(model, body.name, WORLD).rotation, parameters).T @ axes[0]
    apart = any(np.linalg.norm(np.cross(axes[0], other)) > PARALLEL for other in axes[1:])
    return np.zeros((3, 3)) if apart else np.eye(3) - np.outer(axis, axis)
