"""Compliant contacts among many bodies by a list of near pairs: the shapes that may touch, and the law of each pair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Any

import numpy as np

from ...infrastructure.lazy_dataclasses import dataclass
from ...symbolic.vectors import ORIGIN
from ..bodies.shapes import Shape, Sphere
from ..effects import NOTHING, Effect, Part
from ..items import Force
from ..references.naming import A_NAME
from .contact_bounds import ball_around
from .contact_laws import Friction
from .contact_shapes import MEETINGS, Place, within
from .contact_surfaces import Ball, Surface
from .contacts import Contact, ContactPoint
from .normal_laws import Normal

PROBE = Sphere(1.0)  #: a shape that all shapes of such contacts can meet


@dataclass(frozen=True, eq=False)
class NearShape:
    """A shape on a body. ball: contains the shape. slack: m, half the margin of the list, for this shape."""

    body: str = field(metadata=A_NAME)
    shape: Any
    ball: Ball
    slack: float

    @property
    def place(self) -> Place:
        """Frame of the shape."""
        return within((self.body, ORIGIN, np.eye(3)), *self.shape.place())


@dataclass(frozen=True, eq=False)
class NearContacts(Force):
    """Compliant contacts of shapes with each other, whose near pairs are found while the model moves.

    The shapes of the world do not touch each other. apart: pairs of shapes, by number, that do not touch either. most:
    places in the list of near pairs.
    """

    shapes_in_contact: tuple[NearShape, ...]
    apart: tuple[tuple[int, int], ...]
    normal: Normal
    friction: Friction
    most: int

    @property
    def thing(self) -> str:
        return f"mutual contact {self.name!r}"

    @property
    def shapes(self) -> Sequence[tuple[str, Shape]]:
        return [(near.body, near.shape) for near in self.shapes_in_contact if isinstance(near.shape, Shape)]

    @property
    def is_measured(self) -> bool:
        return False

    def effect(self) -> Effect:
        return Effect(NOTHING)

    def parts(self) -> Sequence[Part]:
        """Return no parts: the pairs of shapes are found while the model moves."""
        return ()

    def between(self, a: NearShape, b: NearShape) -> Contact:
        """Return the contact of two shapes."""
        points = tuple(ContactPoint(*pair, ()) for pair in surfaces_between(a, b))
        return Contact(self.name, a.body, b.body, ORIGIN, ORIGIN, points, self.normal, self.friction, ())


def surfaces_between(a: NearShape, b: NearShape) -> list[tuple[Surface, Surface]]:
    """Return the surfaces on a and b of each point at which two shapes can touch."""
    return MEETINGS[type(a.shape)][type(b.shape)](a.shape, a.place, b.shape, b.place)


def surfaces_of(shape: Any, place: Place) -> list[Surface]:
    """Return the surfaces of a shape that a sphere can touch."""
    probe = ("", ORIGIN, np.eye(3))
    return [on_a for on_a, _ in MEETINGS[type(shape)][Sphere](shape, place, PROBE, probe)]


def near_ball(shape: Any, body: str) -> Ball | None:
    """Return a ball that contains a shape on a body; None if its place or its size depends on parameters."""
    place = within((body, ORIGIN, np.eye(3)), *shape.place())
    return ball_around(list({id(surface): surface for surface in surfaces_of(shape, place)}.values()))
