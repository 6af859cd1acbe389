"""Where wheels turn: the one line about which a body turns against another, and what follows for gears."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...errors import ModelError
from ...lazy_dataclasses import dataclass
from ...symbolic.expressions import Expression
from ...symbolic.graph import evaluate_all
from ...symbolic.rotations import by_parameters
from ..closures.mesh import Wheel
from ..data import ModelData
from ..geometry.axes import PARALLEL, SNAP
from ..geometry.vectors import Vector
from ..items import WORLD, body_label
from ..references.leaves import Signal

TOUCHES = 1e-6  #: of the distances in question: lines nearer than that meet


@dataclass(frozen=True)
class Place:
    """A frame as another sees it: position (m) and rotation (symbolic/rotations.py), all joints between at zero."""

    at: Vector
    rotation: np.ndarray

    def of(self, point: Vector) -> Vector:
        """A point of this frame, as the other sees it."""
        return self.at + Vector(Vector(row).dot(point) for row in self.rotation)

    def then(self, inner: Place) -> Place:
        """The place of a frame that is given in this one."""
        return Place(self.of(inner.at), self.rotation @ inner.rotation)

    @property
    def back(self) -> Place:
        """The other frame as this one sees it."""
        turned = Place(Vector((0.0, 0.0, 0.0)), self.rotation.T)
        return Place(-turned.of(self.at), self.rotation.T)


HERE = Place(Vector((0.0, 0.0, 0.0)), np.eye(3))


def path(model: ModelData, body: str) -> list[str]:
    """The body, its parent, ... to the world."""
    out = [body]
    while out[-1] != WORLD:
        out.append(model.bodies[out[-1]].parent)
    return out


def between(model: ModelData, body: str, carrier: str) -> tuple[list[tuple[str, float]], list[str]]:
    """The bodies whose joints lie between two bodies: with +1 on the way from the carrier's side outward to the body,
    with -1 on the carrier's own; and the way from their common ancestor to the carrier."""
    up, down = path(model, body), path(model, carrier)
    shared = next(name for name in up if name in down)
    way = down[: down.index(shared)]
    return [*((name, 1.0) for name in up[: up.index(shared)]), *((name, -1.0) for name in way)], [*way, shared]


def place_of(model: ModelData, body: str, ancestor: str) -> Place:
    """A body as one of those that carry it sees it."""
    way = path(model, body)
    place = HERE
    for name in way[: way.index(ancestor)]:
        here = model.bodies[name]
        place = Place(here.position, here.rotation).then(place)
    return place


@dataclass(frozen=True)
class Hinge:
    """One turn between a carrier and a body: coordinate `k` of a body's joint, about an axis of the carrier.

    axis: carrier axes, such that the body turns about it with the coordinate. centre: a point on it, m.
    """

    body: str
    k: int
    axis: np.ndarray
    centre: Vector


def hinges(model: ModelData, body: str, carrier: str, thing: str) -> list[Hinge]:
    """The turns between a carrier and a body, all of them about one line. ModelError where they are none."""
    joints, way = between(model, body, carrier)
    seen = place_of(model, carrier, way[-1]).back
    _check_turns(seen, body, carrier, thing)
    found: list[Hinge] = []
    for name, sign in joints:
        place = seen.then(place_of(model, name, way[-1]))
        _check_turns(place, body, carrier, thing)
        for k, motion in enumerate(model.bodies[name].joint.motions):
            degrees_of_freedom = motion.degrees_of_freedom or ()
            if (
                len(degrees_of_freedom) != 1
                or not degrees_of_freedom[0].angular
                or degrees_of_freedom[0].pitch is not None
            ):
                raise ModelError(
                    f"{thing}: between {body_label(body)} and {body_label(carrier)} the joint of {body_label(name)} "
                    f"is no hinge: {REMEDY}"
                )
            found.append(Hinge(name, k, _clean(sign * place.rotation @ np.array(degrees_of_freedom[0].axis)), place.at))
    if not found:
        raise ModelError(f"{thing}: {body_label(body)} is fixed in {body_label(carrier)}: {REMEDY}")
    for hinge in found[1:]:
        apart = np.array(values(model, hinge.centre - found[0].centre))
        askew = float(np.linalg.norm(np.cross(found[0].axis, hinge.axis))) > PARALLEL
        if askew or np.linalg.norm(np.cross(hinge.axis, apart)) > TOUCHES * max(1e-3, float(np.linalg.norm(apart))):
            raise ModelError(
                f"{thing}: {body_label(body)} does not turn about one line of {body_label(carrier)}: {REMEDY}"
            )
    return found


def _check_turns(place: Place, body: str, carrier: str, thing: str) -> None:
    """ModelError for a place that parameters turn."""
    if by_parameters(place.rotation):
        raise ModelError(
            f"{thing}: a rotation between {body_label(body)} and {body_label(carrier)} depends on parameters: give it "
            "in numbers, or write the ratio of rates with m.constrain"
        )


def wheel(model: ModelData, body: str, carrier: str, teeth: int, thing: str) -> Wheel:
    """A body that turns about one line of a carrier. ModelError where it does not."""
    first = hinges(model, body, carrier, thing)[0]
    shared = between(model, body, carrier)[1][-1]
    placed = place_of(model, carrier, shared).back.then(place_of(model, body, shared))
    _check_turns(placed, body, carrier, thing)
    return Wheel(body, teeth, first.centre, first.axis, placed.rotation)


def common_carrier(model: ModelData, ends: tuple[str, str], thing: str) -> str:
    """The parent of one body's joint in which both turn about one line each. ModelError where there is not just one."""
    candidates = dict.fromkeys(_bearer(model, end) for end in ends if end != WORLD)
    found, why = [], ""
    for carrier in candidates:
        try:
            for end in ends:
                hinges(model, end, carrier, thing)
            found.append(carrier)
        except ModelError as error:
            why = str(error)
    if len(found) > 1:
        raise ModelError(f"{thing}: {' and '.join(map(body_label, found))} may both carry the wheels: give carrier=")
    if not found:
        raise ModelError(why or f"{thing}: the wheels have no common carrier: {REMEDY}")
    return found[0]


def _bearer(model: ModelData, body: str) -> str:
    """The body that bears the hinge of a body, or of the body that it is welded to."""
    while body != WORLD and not model.bodies[body].joint.motions:
        body = model.bodies[body].parent
    return body if body == WORLD else model.bodies[body].parent


REMEDY = "give as carrier= the body in which both wheels turn about fixed axes"


def _clean(axis: np.ndarray) -> np.ndarray:
    """Without what is only rounding."""
    snapped = np.where(np.abs(axis) < SNAP, 0.0, axis)
    return np.asarray(snapped / np.linalg.norm(snapped))


def defaults(model: ModelData) -> Callable[[object], float]:
    """The parameters' defaults by reference. ModelError for what is none of them."""

    def of(reference: object) -> float:
        if isinstance(reference, Signal) and reference.role == "parameter" and reference.name in model.parameters:
            return model.parameters[reference.name].value
        raise ModelError(f"a place depends on {reference}: it may depend on parameters only")

    return of


def values(model: ModelData, expressions: Vector) -> list[float]:
    """Numbers at the parameters' defaults."""
    return evaluate_all(expressions, defaults(model))


def value(model: ModelData, expression: Expression) -> float:
    """One number at the parameters' defaults."""
    return values(model, Vector([expression]))[0]
