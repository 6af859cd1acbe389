"""Base class of elementary motions: everything that model, compilation and passes need to know about a motion."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from typing import ClassVar

from ...infrastructure.lazy_dataclasses import dataclass
from ...infrastructure.messages.failures import display
from ...record.blocks import LinkConstants
from ...record.layout import BASES, Load
from ...symbolic.columns import Column
from ...symbolic.expressions import Expression, leaf
from ...symbolic.spatial import FrameChange, FrameTwist, PlanarTurn, on_axis
from ...symbolic.vectors import Vector

Axis = tuple[float, float, float]
Inertia = Sequence[Sequence[Expression]]  #: 3x3, about a link's origin

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


@dataclass(frozen=True)
class DegreeOfFreedom:
    """A rotation about an axis, or a translation along one, that a joint leaves free if it closes a loop.

    pitch: advance of a rotation along its axis, m/rad, not zero; None without one. joined: two rotations in a row are
    one about an axis in the plane of both, not one after the other.
    """

    angular: bool
    axis: Axis
    pitch: Expression | None = None
    joined: bool = False


class MotionError(TypeError):
    """A motion contradicts itself; the message names the motion, the contradiction and the remedy."""


class Motion(ABC):
    """One elementary motion of a joint; a joint is a list of motions, from the parent outward.

    A subclass is a frozen dataclass. It must define `name`, `axis`, `units`, `frame` and `columns`; if its velocities
    are not the rates of its coordinates, also `rate_units`, `coordinate_rates` and `velocities`. All other attributes
    have defaults. `check.py` compares the attributes with each other when a model with the motion is first compiled.
    Raises MotionError if an attribute is missing or the units are invalid.
    """

    name: ClassVar[str]  #: in messages and in the text of a module
    axis: (
        Axis | None
    )  #: unit vector in the frame before it, about which the motion is invariant under rotation; or None
    sines: ClassVar[bool] = False  #: True if its frame uses sine and cosine of its first coordinate
    alone: ClassVar[bool] = False  #: True if it needs a link of its own
    spins: ClassVar[bool] = False  #: True if it is a rotation about its axis and nothing else
    quaternion: ClassVar[int | None] = None  #: index at which a unit quaternion starts among its coordinates
    glyph: ClassVar[str] = ""  #: its mark in pictures: "hinge", "slide", "ball", or none

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        fields = {name for base in cls.__mro__ if base is not Motion for name in vars(base).get("__annotations__", ())}
        missing = [name for name in REQUIRED if not hasattr(cls, name) and name not in fields]
        missing += [name for name in ("units", "frame", "columns") if getattr(cls, name) is getattr(Motion, name)]
        overridden = [getattr(cls, name) is not getattr(Motion, name) for name in VELOCITIES]
        missing += [name for name, own in zip(VELOCITIES, overridden, strict=True) if any(overridden) and not own]
        if cls.constants is not Motion.constants and not cls.alone:
            missing.append("alone = True, since it has constants of its own")
        if missing:
            raise MotionError(f"motion {cls.__name__} does not define {', '.join(missing)}")

    def __post_init__(self) -> None:
        check_units(self)

    # -- structure -------------------------------------------------------------------------------------
    @property
    @abstractmethod
    def units(self) -> tuple[str, ...]:
        """Units of its coordinates: "rad", "m", or "1" for the components of a quaternion."""

    @property
    def rate_units(self) -> tuple[str, ...]:
        """Units of its velocities."""
        return tuple(f"{unit}/s" for unit in self.units)

    @property
    def structure(self) -> Hashable:
        """Key of the text of its formulas: motions with equal keys share code. Fields that select a formula belong in
        the key; numbers do not, they are `constants`."""
        return type(self)

    @property
    def constants(self) -> tuple[Expression, ...]:
        """Numbers or expressions of parameters that its formulas read as `context.constant(k)`."""
        return ()

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """Formulas that a user passed to it."""
        return ()

    def with_expressions(self, expressions: Sequence[Expression]) -> Motion:
        """Return the same motion with these formulas in place of `expressions`."""
        raise NotImplementedError(f"motion {self.name} has no formulas to replace")

    # -- kinematics ------------------------------------------------------------------------------------
    @abstractmethod
    def frame(self, context: MotionContext) -> list[FrameChange]:
        """Return the changes from the frame before it to the frame behind it, outward; the identity at zero
        coordinates."""

    @abstractmethod
    def columns(self, context: MotionContext) -> list[Column]:
        """Return its twist columns in the frame behind it, one for each velocity (P1)."""

    def coordinate_rates(self, q: Vector, u: Vector) -> Vector:
        """Return q_dot = E(q) u."""
        return u

    def velocities(self, q: Vector, q_dot: Vector) -> Vector:
        """Return u for coordinates with the rates q_dot; a quaternion may have any length."""
        return q_dot

    # -- dynamics, loops -------------------------------------------------------------------------------
    def effective_inertia(self, mass: Expression, inertia: Inertia, axis: int) -> list[Expression]:
        """Return the mass and moments of inertia of the link behind it that it accelerates; they must not all be
        zero."""
        return [mass, *(inertia[k][k] for k in range(3))]

    @property
    def missing_inertia(self) -> str:
        """Name, for messages, of the property that a link lacks if all of `effective_inertia` is zero."""
        return "mass or inertia"

    @property
    def degrees_of_freedom(self) -> tuple[DegreeOfFreedom, ...] | None:
        """Degrees of freedom that it leaves in a joint that closes a loop, outward from a, one for each velocity.

        None if it does not consist of rotations, translations and screws, or cannot close a loop.
        """
        return None


REQUIRED = ("name", "axis")
VELOCITIES = ("rate_units", "coordinate_rates", "velocities")
UNITS = {"units": ("rad", "m", "1"), "rate_units": ("rad/s", "m/s")}  #: valid units; they determine column names


def check_units(motion: Motion) -> None:
    """Raise MotionError unless units, quaternion and sines of a motion are valid and consistent."""
    for part, known in UNITS.items():
        units = motion.units if part == "units" else motion.rate_units
        if isinstance(units, str) or not units or any(unit not in known for unit in units):
            have = " or ".join(f'"{unit}"' for unit in known)
            raise MotionError(
                f'motion {motion.name}: {part} = {display(units)}: a tuple with {have} for each, as ("{known[0]}",)'
            )
        if part == "units":
            _check_coordinates(motion)


def _check_coordinates(motion: Motion) -> None:
    components = [k for k, unit in enumerate(motion.units) if unit == "1"]
    first = motion.quaternion
    if first is None and components:
        raise MotionError(
            f'motion {motion.name}: units "1" are those of a quaternion\'s four components: set quaternion = '
            f"{components[0]} (the index of the first), rate_units, coordinate_rates and velocities"
        )
    if first is not None and components != list(range(first, first + 4)):
        raise MotionError(
            f'motion {motion.name}: quaternion = {first}, but its units are not "1" for four coordinates from there '
            f"(counted from 0) and for no others: {display(motion.units)}"
        )
    if motion.sines and motion.units[0] != "rad":
        raise MotionError(f'motion {motion.name}: sines = True, but its first coordinate is in "{motion.units[0]}"')


@dataclass(frozen=True)
class MotionContext:
    """Quantities that the formulas of one motion of a link use.

    axis: the principal axis of the link, 0 to 2, along which the motion's axis lies. driven: True if its motion is
    prescribed. first_q, first_rate: index of its first coordinate and first velocity among the prescribed ones of the
    link, or among the others. packed: returns a constant of the link by its number.
    """

    motion: Motion
    axis: int
    driven: bool
    first_q: int
    first_rate: int
    packed: Callable[[int], Expression]

    @property
    def _prefix(self) -> str:
        return "driven_" * self.driven

    @property
    def q(self) -> Vector:
        """Coordinates of the motion."""
        return Vector(link_load(f"{self._prefix}q", self.first_q + j) for j in range(len(self.motion.units)))

    def prescribed(self, j: int) -> Expression | None:
        """Velocity along its j-th column if that is prescribed, else None."""
        return link_load("driven_u", self.first_rate + j) if self.driven else None

    def rotor(self, j: int) -> Expression:
        """Inertia that moves with its j-th velocity only, kg m² or kg."""
        return link_load(f"{self._prefix}rotors", self.first_rate + j)

    @property
    def turn(self) -> PlanarTurn:
        """Rotation about the motion's axis by its first coordinate."""
        return PlanarTurn(self.axis, self.sine, self.cosine)

    @property
    def sine(self) -> Expression:
        """Sine of the first coordinate."""
        return self._of_angle("sines")

    @property
    def cosine(self) -> Expression:
        """Cosine of the first coordinate."""
        return self._of_angle("cosines")

    def _of_angle(self, region: str) -> Expression:
        if not self.motion.sines:
            raise MotionError(f"motion {self.motion.name} must set sines = True to use its sine, cosine or turn")
        return link_load(f"{self._prefix}{region}", self.first_q)

    def constant(self, k: int) -> Expression:
        """Return number k, from 0, of the motion's `constants`. Raises MotionError if it does not exist."""
        count = min(len(self.motion.constants), len(LinkConstants.indices("own")))
        if not 0 <= k < count:
            raise MotionError(
                f"motion {self.motion.name} reads context.constant({k}), but has {count} constants, from 0"
            )
        return self.packed(LinkConstants.indices("own")[k])

    def along(self, value: Expression) -> Vector:
        """Return a vector of this magnitude along the motion's axis."""
        return on_axis(self.axis, value)

    def linear(self, axis: int, j: int = 0) -> Column:
        """Return the j-th column as a translation along a principal axis (0 to 2) of the frame behind the motion."""
        return Column(False, axis, self._number(j), prescribed=self.prescribed(j))

    def angular(self, axis: int, j: int = 0) -> Column:
        """Return the j-th column as a rotation about a principal axis (0 to 2) of the frame behind the motion."""
        return Column(True, axis, self._number(j), prescribed=self.prescribed(j))

    def column(
        self, v: Vector, w: Vector, rate: Callable[[Sequence[Expression]], FrameTwist] | None, j: int = 0
    ) -> Column:
        """Return the j-th column as any twist (v, w) in the frame behind the motion.

        rate: function of the motion's velocities that returns the time derivative of the column in that frame; None if
        the column is constant.
        """
        k = self._number(j)
        turns = self.motion.rate_units[j].startswith("rad")
        return Column(turns, self.axis, k, FrameTwist(v, w), rate, self.prescribed(j))

    def _number(self, j: int) -> int:
        """Index of the j-th velocity among those of the link. Raises MotionError if it does not exist."""
        count = len(self.motion.rate_units)
        if not 0 <= j < count:
            raise MotionError(f"motion {self.motion.name} has a column with j = {j}, but {count} velocities, from 0")
        return self.first_rate + j


def link_load(region: str, offset: int = 0, name: str | None = None) -> Expression:
    """Return the reference to number `offset` of a link in a region of the record."""
    return leaf(Load("R", region, offset, BASES.get(region, "")), name)
