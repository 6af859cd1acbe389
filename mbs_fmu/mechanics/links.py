"""Classes of links: everything that the code of a link's step depends on."""

from __future__ import annotations

from collections.abc import Hashable

from ..infrastructure.lazy_dataclasses import dataclass
from ..model.motions import Motion


@dataclass(frozen=True, eq=False)
class LinkMotion:
    """One motion of a link, about or along one of its principal axes. Equal motions share code, whatever their numbers.

    driven: the motion is prescribed. rotors: the velocities that have inertia of their own. joined: the velocity is
    that of a group of coupled joints; the motion leads the group or, if driven, follows.
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
        """Number of unknown velocities that belong to this motion alone."""
        return 0 if self.driven or self.joined else self.rates

    def describe(self) -> str:
        name = self.motion.name + ("" if self.motion.axis is None else "xyz"[self.axis])
        how = ("following " if self.driven else "leading ") if self.joined else "driven " * self.driven
        return f"{how}{name}{' with rotor' * bool(self.rotors)}"


@dataclass(frozen=True)
class ElasticForm:
    """Number of modes and nodes of an elastic body, and whether it has a root, the node in its joint."""

    modes: int
    attachments: int
    root: bool


@dataclass(frozen=True)
class CoupledColumn:
    """The part of a group of coupled joints that a link has: the columns of its joints at and outboard of the link, as
    one, (T2) of docs/equations.md.

    channel: the channel in which it travels inboard. arrives: it comes from children. has_joint: the link's own joint
    belongs to the group. closes: all columns of the group have met here. angular: the leader rotates.
    """

    channel: int
    arrives: bool
    has_joint: bool
    closes: bool
    angular: bool


@dataclass(frozen=True)
class LinkClass:
    """Structure of a link on which the code of its step depends; never values.

    motions: from the parent outward.
    turns: constant rotations of the placement, (axis, quarters) with quarters 1..3 for a multiple of
        90 degrees and 0 for any other angle (its sine and cosine are constants of the link).
    matrix: instead of turns, for a rotation that depends on parameters: its entries row by row, 0 or 1 where they are
        literally that, None elsewhere.
    shift, com, inertia: which of the numbers may differ from a literal zero. root: the parent is the
        world. leaf: the link has no children.
    field: which components of gravity may differ from zero, in world axes. loops: the model has loops or requests
        reactions or accelerations; gravity then enters in the balance of momenta, and no pass carries it.
    elastic: for the link of an elastic body. attachment: the same of the parent, for a link that is one of its nodes.
    coupled: columns of coupled joints at the link. channels: number of channels for them in the model.
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
    elastic: ElasticForm | None = None
    attachment: ElasticForm | None = None
    coupled: tuple[CoupledColumn, ...] = ()
    channels: int = 0
    matrix: tuple[float | None, ...] = ()

    @property
    def gravity(self) -> tuple[bool, bool, bool]:
        """The components that the passes carry."""
        return (False, False, False) if self.loops else self.field

    @property
    def rates(self) -> int:
        """Number of unknown joint velocities: those of the joint, then those of groups that close here."""
        own = sum(m.own_rates for m in self.motions) + (self.elastic.modes if self.elastic else 0)
        return own + len(self.closing)

    @property
    def closing(self) -> list[CoupledColumn]:
        """The groups that close at the link."""
        return [column for column in self.coupled if column.closes]

    @property
    def own_group(self) -> CoupledColumn | None:
        """The group that the joint belongs to."""
        return next((column for column in self.coupled if column.has_joint), None)

    def describe(self) -> str:
        joint = " ".join(m.describe() for m in self.motions)
        if self.elastic is not None:
            joint = f"{self.elastic.modes} modes"
        elif self.attachment is not None:
            joint = f"node of {self.attachment.modes} modes"
        return f"{joint or 'fixed'}{' on the world' if self.root else ''}{', no children' if self.leaf else ''}"


@dataclass(frozen=True)
class Wants:
    """Results of the passes that are stored in the record beside those that the passes need themselves."""

    twist: bool = True  #: of every link, for laws and outputs
    balance: bool = False  #: momenta and wrenches of the branches, for reactions
    drives: bool = False  #: terms from which the forces of drives follow
