"""What the code of a link's step depends on: its motions, its structure, what passes through it."""

from __future__ import annotations

from collections.abc import Hashable

from ..lazy_dataclasses import dataclass
from ..model.motions import Motion


@dataclass(frozen=True, eq=False)
class LinkMotion:
    """One motion of a link, about or along a principal axis of it; `driven`: it is given.

    rotors: which of its velocities have inertia of their own. joined: its velocity is that of a train, with it leads or
    (driven) follows. Equal ones share code, whatever their numbers are.
    """

    motion: Motion
    axis: int
    driven: bool
    rotors: frozenset[int] = frozenset()
    joined: bool = False

    @property
    def _structure(self) -> tuple[Hashable, int, bool, frozenset[int], bool]:
        return self.motion.structure, self.axis, self.driven, self.rotors, self.joined

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LinkMotion) and self._structure == other._structure

    def __hash__(self) -> int:
        return hash(self._structure)

    @property
    def coordinates(self) -> int:
        return len(self.motion.units)

    @property
    def rates(self) -> int:
        return len(self.motion.rate_units)

    @property
    def own_rates(self) -> int:
        """Unknown velocities that it alone has."""
        return 0 if self.driven or self.joined else self.rates

    def describe(self) -> str:
        name = self.motion.name + ("" if self.motion.axis is None else "xyz"[self.axis])
        how = ("following " if self.driven else "leading ") if self.joined else "driven " * self.driven
        return f"{how}{name}{' with rotor' * bool(self.rotors)}"


@dataclass(frozen=True)
class Bending:
    """What the code of an elastic body's link depends on: how many modes and nodes it has, whether a root lies in its
    joint."""

    modes: int
    attachments: int
    root: bool


@dataclass(frozen=True)
class Line:
    """What of a train passes a link: the columns of its joints that lie outboard, as one (T2).

    number: its place among those that travel. arrives: from children. joins: the link's own joint is one of them.
    ends: here all of them have met. angular: whether its leader turns.
    """

    number: int
    arrives: bool
    joins: bool
    ends: bool
    angular: bool


@dataclass(frozen=True)
class LinkClass:
    """What the code of a link's step depends on: structure, never values.

    motions: from the parent outward.
    turns: constant rotations of the placement, (axis, quarters) with quarters 1..3 for a multiple of
        90 degrees and 0 for any other angle (its sine and cosine are constants of the link).
    matrix: in their place, of a rotation that parameters decide: its entries row by row, where they are literally 0 or
        1, and None for others.
    shift, com, inertia: which of the numbers may differ from a literal zero. root: the parent is the
    world. leaf: no children.
    field: which components of gravity may differ from zero, in world axes. loops: the model has loops, or asks for
        reactions or accelerations; then gravity enters in the balance of momenta, and no pass carries it.
    bending: of an elastic body's link. seat: of a link that is a node of its parent, that one's.
    lines: what passes of trains. travelling: how many lines the model has.
    """

    motions: tuple[LinkMotion, ...]
    turns: tuple[tuple[int, int], ...]
    shift: tuple[bool, bool, bool]
    mass: bool
    com: tuple[bool, bool, bool]
    inertia: tuple[bool, bool, bool, bool, bool, bool]
    root: bool
    leaf: bool
    field: tuple[bool, bool, bool]
    loops: bool = False
    bending: Bending | None = None
    attachment: Bending | None = None
    lines: tuple[Line, ...] = ()
    travelling: int = 0
    matrix: tuple[float | None, ...] = ()

    @property
    def gravity(self) -> tuple[bool, bool, bool]:
        """The components that the passes carry."""
        return (False, False, False) if self.loops else self.field

    @property
    def rates(self) -> int:
        """Unknown joint velocities: its own, then those of trains that end here."""
        own = sum(m.own_rates for m in self.motions) + (self.bending.modes if self.bending else 0)
        return own + len(self.ends)

    @property
    def ends(self) -> list[Line]:
        return [line for line in self.lines if line.ends]

    @property
    def joins(self) -> Line | None:
        """The train that the joint belongs to."""
        return next((line for line in self.lines if line.joins), None)

    def describe(self) -> str:
        joint = " ".join(m.describe() for m in self.motions)
        if self.bending is not None:
            joint = f"{self.bending.modes} modes"
        elif self.attachment is not None:
            joint = f"node of {self.attachment.modes} modes"
        return f"{joint or 'fixed'}{' on the world' if self.root else ''}{', no children' if self.leaf else ''}"


@dataclass(frozen=True)
class Wants:
    """What is kept of the passes beside what they need themselves, by their regions."""

    twist: bool = True  #: of every link, for laws and outputs
    balance: bool = False  #: momenta and wrenches of the branches, for reactions
    drives: bool = False  #: what drives' forces follow from
