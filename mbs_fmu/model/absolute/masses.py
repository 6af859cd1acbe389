"""Mass and inertia that a body lacks to become free: it needs both, about all axes, as no thin rod on a hinge does.

Inertia about axes that a body never turns about plays no part in its motion. It is given to those that lack it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from ...errors import ModelError
from ...symbolic.expressions import Expression
from ...symbolic.rotations import values_of
from ..builders.wheels import defaults, path, place_of, values
from ..data import ModelData
from ..geometry.axes import PARALLEL
from ..geometry.vectors import Vector
from ..items import WORLD, Body, said

LEAST = 1e-9  #: part of the largest principal moment below which another one counts as none
OTHER = 0.7235  #: by which parameters differ from their defaults where a rotation is looked at again
ANY_ARM = 0.1  #: m, radius of gyration given to a point mass that never turns


def with_inertia(model: ModelData, body: Body) -> Body:
    """The body with what it needs to be free. ModelError where it turns, and has no mass or inertia for that."""
    mass, J = _welded_together(model, body)
    if mass <= 0.0:
        raise _lacking(body, "mass")
    moments = np.linalg.eigvalsh(J)
    if moments[0] > LEAST * moments[2]:
        return body
    free = _never_turned_about(model, body)
    added = float(moments[2]) if moments[2] > LEAST * mass * ANY_ARM**2 else mass * ANY_ARM**2
    J = J + added * free
    if np.linalg.eigvalsh(J)[0] <= LEAST * moments[2]:
        raise _lacking(body, "inertia about an axis that it turns about")
    inertia = [[x + added * float(free[i, j]) for j, x in enumerate(row)] for i, row in enumerate(body.inertia)]
    return replace(body, inertia=inertia)


def _lacking(body: Body, what: str) -> ModelError:
    return ModelError(
        f"{said(body.name)} has no {what} of its own, and every body is free in absolute form: give it one, merge its "
        'joint with its child\'s by mbs.Compound, or leave formulation="absolute" out'
    )


def _welded_together(model: ModelData, body: Body) -> tuple[float, np.ndarray]:
    """Mass, and inertia about the common centre of mass, of a body with all that is welded to it, in its axes."""
    parts = [_numbers(model, part, body) for part in _welded(model, body)]
    mass = sum(m for m, _, _ in parts)
    centre = sum(m * c for m, c, _ in parts) / (mass or 1.0)
    total = np.zeros((3, 3))
    for m, c, J in parts:
        r = c - centre
        total += J + m * (r @ r * np.eye(3) - np.outer(r, r))
    return mass, total


def _welded(model: ModelData, body: Body) -> Iterator[Body]:
    yield body
    for child in model.bodies.values():
        if child.parent == body.name and not child.joint.motions:
            yield from _welded(model, child)


def _numbers(model: ModelData, part: Body, body: Body) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, centre of mass and inertia of a part at the parameters' defaults, in the body's axes."""
    place = place_of(model, part.name, body.name)
    entries: list[Expression] = [part.mass, *place.of(part.com), *(x for row in part.inertia for x in row)]
    mass, *found = values(model, Vector(entries))
    R = values_of(place.rotation, defaults(model))
    return mass, np.array(found[:3]), R @ np.reshape(found[3:], (3, 3)) @ R.T


def _never_turned_about(model: ModelData, body: Body) -> np.ndarray:
    """The projector on the body's directions about which no joint on its way to the world can turn it, whatever the
    parameters are: at their defaults and at others."""
    told = defaults(model)
    one, other = (_free_at(model, body, of) for of in (told, lambda reference: told(reference) + OTHER))
    return one if np.allclose(one, other) else np.zeros((3, 3))


def _free_at(model: ModelData, body: Body, parameters: Callable[[object], float]) -> np.ndarray:
    """The same at some parameters."""
    axes = []
    for name in path(model, body.name)[:-1]:
        outer = model.bodies[name]
        turned = values_of(place_of(model, outer.name, WORLD).rotation, parameters)
        degrees_of_freedom = [f for motion in outer.joint.motions for f in motion.degrees_of_freedom or ()]
        axes += [turned @ np.array(f.axis) for f in degrees_of_freedom if f.angular]
    if not axes:
        return np.eye(3)
    axis = values_of(place_of(model, body.name, WORLD).rotation, parameters).T @ axes[0]
    apart = any(np.linalg.norm(np.cross(axes[0], other)) > PARALLEL for other in axes[1:])
    return np.zeros((3, 3)) if apart else np.eye(3) - np.outer(axis, axis)
