"""Forces of plain bearings: the oil film of a short journal bearing, and bearings by stiffness and damping matrices."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ...infrastructure.cached_properties import cached_property
from ...infrastructure.lazy_dataclasses import dataclass
from ...symbolic.expressions import ZERO, Expression, atan, atan2, max, sqrt
from ...symbolic.vectors import ORIGIN, Vector
from ..effects import Action, Check, Effect
from ..items import OnBodies
from .frame_pairs import FramePair

MOST_ECCENTRIC = 0.999  #: of the clearance; beyond it the film is thinner than the roughness of any journal
THINNEST = 1e-6  #: least 1 - ε² of the formulas: trial steps may lead beyond the bush
STILL = 1e-24  #: (rad/s)², keeps the direction of the film's motion finite at rest


@dataclass(frozen=True, eq=False)
class JournalFilm(OnBodies):
    """Half film of a short journal bearing in closed form (Q5), (Q6).

    radius: of the journal, length: of the bearing along the axis, clearance: radial, m. viscosity: Pa s.
    """

    frames: FramePair
    radius: Expression
    length: Expression
    clearance: Expression
    viscosity: Expression

    @property
    def thing(self) -> str:
        return f"bearing {self.name!r}"

    def effect(self) -> Effect:
        """Return force and friction of the film, whose power is that of the sheared oil and never positive."""
        fx, fy = self.force
        action = self.frames.action(Vector((fx, fy, ZERO)), Vector((ZERO, ZERO, self.friction)))
        return Effect(action, dissipates=action)

    @cached_property
    def place(self) -> tuple[Expression, Expression]:
        """Position of the journal's centre over the clearance, across the axis of the housing."""
        offset = self.frames.offset()
        return offset[0] / self.clearance, offset[1] / self.clearance

    @cached_property
    def speed(self) -> Expression:
        """Angular velocity of the journal relative to the housing, rad/s."""
        return self.frames.turning()[2]

    @property
    def square(self) -> Expression:
        """Square of the eccentricity ratio."""
        x, y = self.place
        return x * x + y * y

    @cached_property
    def thinness(self) -> Expression:
        """1 - ε²."""
        return max(1.0 - self.square, THINNEST)

    @property
    def eccentricity(self) -> Expression:
        """Eccentricity over the clearance."""
        return sqrt(self.square)

    @property
    def load(self) -> Expression:
        """Force that the film transmits, N."""
        fx, fy = self.force
        return sqrt(fx * fx + fy * fy)

    @property
    def attitude(self) -> Expression:
        """Angle from the load on the journal to the line of centres, about the axis, rad."""
        (x, y), (fx, fy) = self.place, self.force
        return atan2(fy * x - fx * y, -(fx * x + fy * y))

    @cached_property
    def force(self) -> tuple[Expression, Expression]:
        """Force on the journal across the axis, N (Q5)."""
        (x, y), w = self.place, self.speed
        velocity = self.frames.velocity()
        p = 2.0 * velocity[1] / self.clearance - w * x
        q = -(2.0 * velocity[0] / self.clearance) - w * y
        n = sqrt(p * p + q * q + STILL)
        c, s = p / n, q / n
        h, root = self.thinness, sqrt(self.thinness)
        u, t = y * c - x * s, x * c + y * s
        g = 2.0 / root * (0.5 * math.pi + atan(u / root))
        v = n * (2.0 + u * g) / h
        r = 2.0 * t / max(1.0 - t * t, THINNEST)
        scale = -self.viscosity * self.radius * self.length**3 / (4.0 * self.clearance * self.clearance * h)
        return scale * (3.0 * x * v - q * g - r * p), scale * (3.0 * y * v + p * g - r * q)

    @cached_property
    def friction(self) -> Expression:
        """Torque of the film on the journal about the axis, at its centre, N.m (Q6)."""
        (x, y), (fx, fy) = self.place, self.force
        sheared = 2.0 * math.pi * self.viscosity * self.radius**3 * self.length / self.clearance
        pressed = 0.5 * self.clearance * (x * fy - y * fx)
        return -(sheared * self.speed / sqrt(self.thinness)) - pressed

    def start_checks(self) -> Sequence[Check]:
        """Return the checks that there is clearance, and that the journal lies in the bush."""
        message = (
            f"{self.thing}: its journal touches the bush, at an eccentricity of {MOST_ECCENTRIC} of the clearance or "
            "more: move at_shaft=, at_housing= or a start value, or give it more clearance"
        )
        numbers = {
            "radius": self.radius, "length": self.length, "clearance": self.clearance, "viscosity": self.viscosity,
        }  # fmt: skip
        positive = [
            (x, f"{what} of {self.thing} must be positive: change what it depends on") for what, x in numbers.items()
        ]
        return [*positive, (MOST_ECCENTRIC**2 - self.square, message)]


@dataclass(frozen=True, eq=False)
class BearingMatrices(OnBodies):
    """Forces -K q - C q' across the axis of a housing (Q7).

    stiffness, damping: K, N/m, and C, N.s/m, row by row. stores: True if the symmetric part of K stores energy.
    dissipates: True if C supplies no power.
    """

    frames: FramePair
    stiffness: Vector
    damping: Vector
    stores: bool
    dissipates: bool

    @property
    def thing(self) -> str:
        return f"bearing {self.name!r}"

    def effect(self) -> Effect:
        """Return the force, of which the symmetric part of a constant K is elastic."""
        q, rate = self.frames.offset(), self.frames.velocity()
        xx, xy, yx, yy = self.stiffness
        across = 0.5 * (xy + yx)
        elastic, damped = _product(self.stiffness, q), _product(self.damping, rate)
        conserving = _product((xx, across, across, yy), q) if self.stores else ORIGIN
        lost = damped if self.dissipates else ORIGIN
        return Effect(
            self._pushed(elastic + damped),
            stored=0.5 * q.dot(conserving) if self.stores else None,
            dissipates=self._pushed(lost),
            prescribed=self._pushed(elastic + damped - conserving - lost),
        )

    def _pushed(self, resistance: Vector) -> Action:
        return self.frames.action(-resistance, ORIGIN)


def _product(matrix: Sequence[Expression], vector: Vector) -> Vector:
    """Return the product of a 2x2 matrix, row by row, and the first two components of a vector."""
    xx, xy, yx, yy = matrix
    return Vector((xx * vector[0] + xy * vector[1], yx * vector[0] + yy * vector[1], ZERO))
