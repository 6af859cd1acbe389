"""Addition of contacts among many bodies by a list of near pairs: shapes, the margin of the list, excluded pairs."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ...infrastructure.arguments import is_whole
from ...infrastructure.errors import ModelError
from ...infrastructure.messages.failures import display
from ...symbolic.expressions import is_literal
from ..bodies.shapes import Sphere
from ..data import ModelData
from ..forces.compliant_contacts import compliant_contact
from ..forces.contact_laws import Friction
from ..forces.contact_shapes import CAN_MEET, GROUNDS, MEETINGS, listed_shapes
from ..forces.near_contacts import NearContacts, NearShape, near_ball, surfaces_between
from ..forces.normal_laws import Normal
from ..forces.places import add_force
from ..geometry.vectors import no_less_than_zero
from ..items import WORLD
from ..names import not_taken, place
from ..references.kinds import kind_of
from .contact_pairs import are_joined, excluded

MARGIN = 0.4  #: default of the margin, over the median radius of the balls around moving shapes
PLACES = 24  #: default of the places in the list for each shape
ORIGIN = (0.0, 0.0, 0.0)

Laws = tuple[Normal, Friction]


def near_contacts(
    model: ModelData, name: str, shapes: Mapping[Any, Any], exclude: Any, near: Any, most: Any, laws: Laws, thing: str
) -> list[str]:
    """Add contacts of several bodies by a list of near pairs, and return the names of all contacts that are added.

    Arguments as of `Model.mutual_contact`. The first name is that of the contacts of near pairs. Planes and uneven
    ground have no end: each has a contact of its own with each other body. Raises ModelError as `Model.mutual_contact`.
    """
    not_taken(model, name, "force")
    _require_no_states(laws, thing)
    own = {place(model, body, thing): listed_shapes(given, thing) for body, given in shapes.items()}
    left_out = excluded(model, own, exclude, thing)

    def meet(a: str, b: str) -> bool:
        return not ({a, b} in left_out or are_joined(model, a, b))

    solids = [(body, shape) for body, given in own.items() for shape in given if not isinstance(shape, GROUNDS)]
    _require_laws([shape for _, shape in solids], thing)
    moving = [body for body, _ in solids if body != WORLD]
    if len(moving) < 2 and len(moving) == len(solids):
        raise ModelError(f"{thing}: there are no two shapes that can be near each other: leave near= out")
    near_shapes = _near_shapes(solids, near, thing)
    if laws[1].rolls:
        _require_widths(near_shapes, thing)
    apart = tuple(_apart(model, [body for body, _ in solids], left_out))
    pairs = len(solids) * (len(solids) - 1) // 2
    places = min(PLACES * len(solids), pairs) if most is None else _checked_most(most, thing)
    add_force(model, NearContacts(name, near_shapes, apart, *laws, max(1, min(places, pairs))), thing)
    names = [name]
    for a, given in own.items():
        grounds = [shape for shape in given if isinstance(shape, GROUNDS)]
        for b, others in own.items() if grounds else ():
            met = [x for x in others if not isinstance(x, GROUNDS)]
            if a != b and met and meet(a, b):
                names.append(f"{name}.{a}.{b}")
                compliant_contact(model, names[-1], a, b, list(itertools.product(grounds, met)), (ORIGIN, ORIGIN), laws)
    return names


def _require_no_states(laws: Laws, thing: str) -> None:
    """Raise ModelError for friction with states, and for a law that depends on the motion."""
    normal, friction = laws
    if friction.units(True, False):
        raise ModelError(
            f"{thing}: friction that sticks has states for each pair, and a list of near pairs has none: give creep= "
            "for friction without states, or leave near= out"
        )
    if kind_of((normal, friction)).key is None:
        raise ModelError(f"{thing}: with near=, its law may depend on parameters, inputs and time only")


def _require_laws(shapes: Sequence[Any], thing: str) -> None:
    """Raise ModelError for shapes of which two cannot meet."""
    kinds = {type(shape): shape for shape in shapes}
    several = [kind for kind in kinds if sum(type(shape) is kind for shape in shapes) > 1]
    for a, b in [*itertools.combinations(kinds, 2), *((kind, kind) for kind in several)]:
        if Sphere not in MEETINGS.get(a, {}) or b not in MEETINGS.get(a, {}):
            raise ModelError(f"{thing}: {display(kinds[a])} can't meet {display(kinds[b])} by near=: {CAN_MEET}")


def _require_widths(shapes: Sequence[NearShape], thing: str) -> None:
    """Raise ModelError for shapes that meet with vertices, whose distances a list of near pairs does not have."""
    kinds = {type(near.shape): near for near in shapes}
    for a, b in itertools.product(kinds.values(), repeat=2):
        met = surfaces_between(a, b) if type(b.shape) in MEETINGS[type(a.shape)] else []
        if any(surface.size is None for pair in met for surface in pair):
            raise ModelError(
                f"{thing}: {display(a.shape)} meets {display(b.shape)} with points, which do not roll: leave roll= or "
                "near= out"
            )


def _near_shapes(solids: Sequence[tuple[str, Any]], near: Any, thing: str) -> tuple[NearShape, ...]:
    """Return the shapes with the balls around them. Raises ModelError for shapes of unknown size, and for an invalid
    margin."""
    balls = [near_ball(shape, body) for body, shape in solids]
    for (body, shape), ball in zip(solids, balls, strict=True):
        if ball is None:
            raise ModelError(
                f"{thing}: place or size of {display(shape)} on {body!r} depends on parameters: give numbers, or leave "
                "near= out"
            )
    known = [ball for ball in balls if ball is not None]
    radii = [ball.radius.value for (body, _), ball in zip(solids, known, strict=True) if body != WORLD]
    margin = MARGIN * float(np.median(radii)) if near is True else _checked_margin(near, thing)
    return tuple(
        NearShape(body, shape, ball, 0.0 if body == WORLD else 0.5 * margin)
        for (body, shape), ball in zip(solids, known, strict=True)
    )


def _checked_margin(near: Any, thing: str) -> float:
    margin = no_less_than_zero(near, f"near of {thing}", "m", positive=True)
    if not is_literal(margin):
        raise ModelError(f"near of {thing} is an expression: give a number, since the margin changes no result")
    return float(margin.value)


def _checked_most(most: Any, thing: str) -> int:
    if not is_whole(most) or most < 1:
        raise ModelError(f"most of {thing} is {display(most)}: give the number of places in the list of near pairs")
    return int(most)


def _apart(model: ModelData, bodies: Sequence[str], left_out: Sequence[set[str]]) -> Iterator[tuple[int, int]]:
    """Yield the pairs of shapes that do not touch: of one body, of joined bodies, and of excluded ones.

    bodies: of the shapes, by number. Shapes of the world have no pairs anyway.
    """
    numbers: dict[str, list[int]] = {}
    for k, body in enumerate(bodies):
        if body != WORLD:
            numbers.setdefault(body, []).append(k)
    parents = ((body, model.bodies[body].parent) for body in numbers)
    joined = [(body, parent) for body, parent in parents if parent in numbers]
    for own in numbers.values():
        yield from itertools.combinations(own, 2)
    of_world = {WORLD: [k for k, body in enumerate(bodies) if body == WORLD]}
    for a, b in [*joined, *map(sorted, left_out)]:
        yield from itertools.product((numbers | of_world)[a], (numbers | of_world)[b]) if len({a, b}) == 2 else ()
