"""Elementary motions: all that model, compilation and passes need of one, in one class."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from typing import ClassVar

from ...lazy_dataclasses import dataclass
from ...messages.failures import display
from ...record.layout import BASES, LinkConstants, Load
from ...symbolic.columns import Column
from ...symbolic.expressions import Expression, leaf
from ...symbolic.spatial import FrameChange, FrameTwist, PlanarTurn, on_axis
from ...symbolic.vectors import Vector

Axis = tuple[float, float, float]
Inertia = Sequence[Sequence[Expression]]  #: 3x3, about a link's origin


X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


@dataclass(frozen=True)
class DegreeOfFreedom:
    """A rotation about an axis, or a translation along one, that a joint leaves free where it closes a loop.

    pitch: m/rad, by which a rotation advances along its axis; not zero. None where it doesn't.
    """

    angular: bool
    axis: Axis
    pitch: Expression | None = None


class MotionError(TypeError):
    """A motion that contradicts itself; the message names the motion, what of it, and what to do."""


class Motion(ABC):
    """One elementary motion of a joint: a joint is a list of them, from the parent outward.

    A subclass is a frozen dataclass. It must have `name`, `axis`, `units`, `frame` and `columns`, and with other
    velocities than the rates of its coordinates also `rate_units`, `coordinate_rates` and `velocities`. What it leaves
    out else is as here. `check.py` compares all this with each other when a model first has the motion.
    MotionError where something is missing, or where units can't be so.
    """

    name: ClassVar[str]  #: in messages and in the text of a module
    axis: Axis | None  #: unit vector in the frame before it; None where the motion isn't the same all around one
    sines: ClassVar[bool] = False  #: its frame is made from sine and cosine of its one coordinate
    alone: ClassVar[bool] = False  #: it needs a link of its own
    spins: ClassVar[bool] = False  #: it is a rotation about its axis and nothing else
    quaternion: ClassVar[int | None] = None  #: where among its coordinates a unit quaternion starts
    glyph: ClassVar[str] = ""  #: how pictures show it: "hinge", "slide", "ball", or not at all

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        fields = {name for base in cls.__mro__ if base is not Motion for name in vars(base).get("__annotations__", ())}
        missing = [name for name in MUST_SAY if not hasattr(cls, name) and name not in fields]
        missing += [name for name in ("units", "frame", "columns") if getattr(cls, name) is getattr(Motion, name)]
        said = [getattr(cls, name) is not getattr(Motion, name) for name in VELOCITIES]
        missing += [name for name, own in zip(VELOCITIES, said, strict=True) if any(said) and not own]
        if cls.constants is not Motion.constants and not cls.alone:
            missing.append("alone = True, since it has constants of its own")
        if missing:
            raise MotionError(f"motion {cls.__name__} does not say {', '.join(missing)}")

    def __post_init__(self) -> None:
        check_units(self)

    # -- what it is ------------------------------------------------------------------------------------
    @property
    @abstractmethod
    def units(self) -> tuple[str, ...]:
        """Of its coordinates: "rad", "m", or "1" for the numbers of a quaternion."""

    @property
    def rate_units(self) -> tuple[str, ...]:
        """Of its velocities."""
        return tuple(f"{unit}/s" for unit in self.units)

    @property
    def structure(self) -> Hashable:
        """All on which the text of its formulas depends: motions that are equal here share code. Its numbers are
        constants, and no part of it; other fields that its formulas go by belong here."""
        return type(self)

    @property
    def constants(self) -> tuple[Expression, ...]:
        """Numbers of its own, by parameters perhaps, that its formulas read as `here.constant(k)`."""
        return ()

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """Formulas that a user has given it."""
        return ()

    def with_expressions(self, expressions: Sequence[Expression]) -> Motion:
        """The same motion with these in place of `expressions`."""
        raise NotImplementedError(f"motion {self.name} has no formulas to replace")

    # -- how it moves ----------------------------------------------------------------------------------
    @abstractmethod
    def frame(self, here: MotionContext) -> list[FrameChange]:
        """The changes of frame from the frame before it to the one behind it, outward: none at zero coordinates."""

    @abstractmethod
    def columns(self, here: MotionContext) -> list[Column]:
        """Its twist columns in the frame behind it, one for each velocity: (P1)."""

    def coordinate_rates(self, q: Vector, u: Vector) -> Vector:
        """q_dot = E(q) u."""
        return u

    def velocities(self, q: Vector, q_dot: Vector) -> Vector:
        """u of coordinates that change with q_dot; a quaternion may have any length."""
        return q_dot

    # -- what it means to others ---------------------------------------------------------------------
    def effective_inertia(self, mass: Expression, inertia: Inertia, axis: int) -> list[Expression]:
        """The mass and inertia of a link at its end that resist it: if all of it is zero, the motion moves nothing."""
        return [mass, *(inertia[k][k] for k in range(3))]

    @property
    def missing_inertia(self) -> str:
        """Name of what a link without any of `effective_inertia` lacks."""
        return "mass or inertia"

    @property
    def degrees_of_freedom(self) -> tuple[DegreeOfFreedom, ...] | None:
        """The freedoms that it leaves as a part of a loop's joint, outward from a, one for each velocity; None where it
        is not made of turns, slides and screws, or can't close a loop."""
        return None


MUST_SAY = ("name", "axis")
VELOCITIES = ("rate_units", "coordinate_rates", "velocities")
UNITS = {"units": ("rad", "m", "1"), "rate_units": ("rad/s", "m/s")}  #: they name columns, and those of forces


def check_units(motion: Motion) -> None:
    """Units, and all else that goes by places of coordinates. Raises MotionError."""
    for part, known in UNITS.items():
        said = motion.units if part == "units" else motion.rate_units
        if isinstance(said, str) or not said or any(unit not in known for unit in said):
            have = " or ".join(f'"{unit}"' for unit in known)
            raise MotionError(
                f'motion {motion.name}: {part} = {display(said)}: a tuple with {have} for each, as ("{known[0]}",)'
            )
        if part == "units":
            _check_places(motion)


def _check_places(motion: Motion) -> None:
    numbers = [k for k, unit in enumerate(motion.units) if unit == "1"]
    first = motion.quaternion
    if first is None and numbers:
        raise MotionError(
            f'motion {motion.name}: units "1" are those of a quaternion\'s four numbers: say quaternion = {numbers[0]} '
            "(where it starts), and rate_units, coordinate_rates and velocities"
        )
    if first is not None and numbers != list(range(first, first + 4)):
        raise MotionError(
            f'motion {motion.name}: quaternion = {first}, but its units are not "1" for four coordinates from there '
            f"(counted from 0) and for no others: {display(motion.units)}"
        )
    if motion.sines and motion.units[0] != "rad":
        raise MotionError(f'motion {motion.name}: sines = True, but its first coordinate is in "{motion.units[0]}"')


@dataclass(frozen=True)
class MotionContext:
    """The numbers of one motion of a link, for its formulas.

    axis: the principal axis of the link that the motion's axis is. q, k: its first coordinate and its first velocity
    among those of the link that are driven, or those that are not. packed: the link's constant of a number.
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
        """Its coordinates."""
        return Vector(link_load(f"{self._prefix}q", self.first_q + j) for j in range(len(self.motion.units)))

    def given(self, j: int) -> Expression | None:
        """The velocity along its j-th column, where that is driven."""
        return link_load("driven_u", self.first_rate + j) if self.driven else None

    def rotor(self, j: int) -> Expression:
        """Inertia that moves with its j-th velocity alone, kg m² or kg."""
        return link_load(f"{self._prefix}rotors", self.first_rate + j)

    @property
    def turn(self) -> PlanarTurn:
        """The rotation about its axis by its coordinate."""
        return PlanarTurn(self.axis, self.sine, self.cosine)

    @property
    def sine(self) -> Expression:
        return self._of_angle("sines")

    @property
    def cosine(self) -> Expression:
        return self._of_angle("cosines")

    def _of_angle(self, region: str) -> Expression:
        if not self.motion.sines:
            raise MotionError(f"motion {self.motion.name} must say sines = True to use its sine, cosine or turn")
        return link_load(f"{self._prefix}{region}", self.first_q)

    def constant(self, k: int) -> Expression:
        """Number k of the motion's `constants`, from 0. MotionError where there are not so many."""
        count = min(len(self.motion.constants), len(LinkConstants.own))
        if not 0 <= k < count:
            raise MotionError(f"motion {self.motion.name} reads here.constant({k}), but has {count} constants, from 0")
        return self.packed(LinkConstants.own[k])

    def along(self, value: Expression) -> Vector:
        """A vector along its axis."""
        return on_axis(self.axis, value)

    def linear(self, axis: int, j: int = 0) -> Column:
        """The j-th column: a velocity along a principal axis of the frame behind it."""
        return Column(False, axis, self._number(j), given=self.given(j))

    def angular(self, axis: int, j: int = 0) -> Column:
        """The j-th column: an angular velocity about a principal axis of the frame behind it."""
        return Column(True, axis, self._number(j), given=self.given(j))

    def column(
        self, v: Vector, w: Vector, rate: Callable[[Sequence[Expression]], FrameTwist] | None, j: int = 0
    ) -> Column:
        """The j-th column: any twist in the frame behind it. rate: from the velocities how it changes there in time;
        None: it does not."""
        k = self._number(j)
        turns = self.motion.rate_units[j].startswith("rad")
        return Column(turns, self.axis, k, FrameTwist(v, w), rate, self.given(j))

    def _number(self, j: int) -> int:
        """Of its j-th velocity among those of the link. MotionError where it has not so many."""
        count = len(self.motion.rate_units)
        if not 0 <= j < count:
            raise MotionError(f"motion {self.motion.name} has a column with j = {j}, but {count} velocities, from 0")
        return self.first_rate + j


def link_load(region: str, offset: int = 0, name: str | None = None) -> Expression:
    """A link's number of a region."""
    return leaf(Load("R", region, offset, BASES.get(region, "")), name)
