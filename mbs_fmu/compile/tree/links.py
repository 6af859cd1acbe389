"""The tree of links: data structures that the stages of compilation share."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field

import numpy as np

from ...infrastructure.lazy_dataclasses import dataclass
from ...mechanics.links import CoupledColumn, LinkMotion
from ...model.elastic_parts import ElasticPart
from ...model.geometry.vectors import Vector
from ...model.items import WORLD, Body
from ...record.layout import Layout, Load, bound
from ...symbolic.expressions import Expression, as_expression
from .coupled_joints import CoupledJoints

WORLD_LINK = -1  #: number of the world, which is not a link


@dataclass
class Frame:
    """Frame of a body in its link: x_link = origin + rotation x_body.

    link: number of the link, or WORLD_LINK. rotation: 3x3, body axes to link axes. origin: m, link axes.
    """

    link: int
    rotation: np.ndarray
    origin: Vector


@dataclass
class Link:
    """A link of the tree, which is one step of the loops of the kernels.

    Mass and moments are those of all bodies that are fixed in the link, or of the undeformed elastic body, about the
    link's origin and in its axes.
    """

    name: str
    parent: int  #: number of the parent link, or WORLD_LINK
    rotation: np.ndarray  #: 3x3, link axes to parent axes while the link's coordinates are zero
    position: Vector  #: origin in the parent link, m, while the coordinates are zero
    motions: list[LinkMotion]
    own: tuple[Expression, ...] = ()  #: constants of the motions, such as the pitch of a screw
    offset: float = 0.0  #: added to the first angle, rad, because the link's frame is rotated about the hinge's axis
    mass: Expression = field(default_factory=lambda: as_expression(0.0))  #: kg
    moment: Vector = field(default_factory=lambda: Vector((0.0, 0.0, 0.0)))  #: first moment of mass, kg.m
    elastic: ElasticPart | None = None  #: the elastic body of which this is the mean frame
    attachment: str | None = None  #: name of the node, if the link is a node of its parent
    #: moments of inertia, kg.m², 3x3
    inertia: list[list[Expression]] = field(default_factory=lambda: [[as_expression(0.0)] * 3 for _ in range(3)])
    children: int = 0  #: number of links whose parent this is
    ratio: Expression | None = None  #: of a follower: its velocity over that of its leader
    coupled: list[CoupledColumn] = field(default_factory=list)  #: columns of coupled joints

    @property
    def coordinates(self) -> int:
        """Number of coordinates that are states."""
        return sum(m.coordinates for m in self.motions if not m.driven) + self.modes

    @property
    def rates(self) -> int:
        """Number of unknown joint velocities."""
        return sum(m.own_rates for m in self.motions) + self.modes + sum(x.closes for x in self.coupled)

    @property
    def modes(self) -> int:
        """Number of vibration modes."""
        return 0 if self.elastic is None else self.elastic.modes.count

    @property
    def driven_coordinates(self) -> int:
        """Number of prescribed coordinates."""
        return sum(m.coordinates for m in self.motions if m.driven)

    @property
    def driven_rates(self) -> int:
        """Number of prescribed joint velocities."""
        return sum(m.rates for m in self.motions if m.driven)


@dataclass(frozen=True)
class StateAddress:
    """Address of a coordinate or rate: an entry of region "q", "u", "driven_q" or "driven_u"."""

    region: str
    offset: int

    @property
    def driven(self) -> bool:
        """True for a prescribed coordinate or rate."""
        return self.region.startswith("driven")

    @property
    def load(self) -> Load:
        return Load("R", self.region, self.offset)

    def slot(self, layout: Layout) -> int:
        """Return the index in the record."""
        return bound(self.load, layout)


@dataclass
class Tree:
    """All links, with the frames and the addresses of coordinates and rates of each body.

    Parents precede their children, and the links of a chain follow one another. Mappings have names of bodies as keys.
    """

    links: list[Link]
    frames: dict[str, Frame]
    order: list[Body]  #: the bodies, in the order of their links
    mean: dict[str, int] = field(default_factory=dict)  #: for each elastic body the link of its mean frame
    q: dict[str, list[StateAddress]] = field(default_factory=dict)
    u: dict[str, list[StateAddress]] = field(default_factory=dict)
    coupled_joints: list[CoupledJoints] = field(default_factory=list)
    group_at: list[dict[int, int]] = field(default_factory=list)  #: for each channel, group numbers by link numbers
    _counts: dict[str, int] = field(default_factory=dict)  #: number of entries of each region so far

    @property
    def grounded(self) -> bool:
        """True if the first link stands for the world, because columns of coupled joints meet there."""
        return any(group.root == WORLD for group in self.coupled_joints)

    def count(self, region: str) -> int:
        """Return the number of entries of region "q", "u", "driven_q" or "driven_u"."""
        return self._counts.get(region, 0)

    def add_addresses(self, body: str, region: str, offsets: Iterable[int]) -> None:
        """Give a body further entries of a region: those at `offsets` from its present end, which they extend."""
        of_bodies, first = self.u if region.endswith("u") else self.q, self.count(region)
        added = [StateAddress(region, first + k) for k in offsets]
        of_bodies.setdefault(body, []).extend(added)
        self._counts[region] = first + len(added)
