"""The tree of links: data structures that the stages of compilation share."""

from __future__ import annotations

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
    """A body's frame in its link: x_link = origin + rotation x_body. Link -1 is the world."""

    link: int
    rotation: np.ndarray
    origin: Vector


@dataclass
class Link:
    """One step of the kernels' loop, in link axes; `own`: constants of its motion, `ratio`: follower to leader."""

    name: str
    parent: int
    rotation: np.ndarray
    position: Vector
    motions: list[LinkMotion]
    own: tuple[Expression, ...] = ()
    offset: float = 0.0  #: offset of the first angle, rad, by the rotation of the frame about the hinge's axis
    mass: Expression = field(default_factory=lambda: as_expression(0.0))
    moment: Vector = field(default_factory=lambda: Vector((0.0, 0.0, 0.0)))
    elastic: ElasticPart | None = None  #: the elastic body of which this is the mean frame
    attachment: str | None = None  #: name of the node, if the link is a node of its parent
    inertia: list[list[Expression]] = field(default_factory=lambda: [[as_expression(0.0)] * 3 for _ in range(3)])
    children: int = 0
    ratio: Expression | None = None
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
        return 0 if self.elastic is None else self.elastic.modes.count

    @property
    def driven_coordinates(self) -> int:
        return sum(m.coordinates for m in self.motions if m.driven)

    @property
    def driven_rates(self) -> int:
        return sum(m.rates for m in self.motions if m.driven)


@dataclass(frozen=True)
class StateAddress:
    """Address of a coordinate or rate: an entry of region "q", "u", "driven_q" or "driven_u"."""

    region: str
    offset: int

    @property
    def driven(self) -> bool:
        return self.region.startswith("driven")

    @property
    def load(self) -> Load:
        return Load("R", self.region, self.offset)

    def slot(self, layout: Layout) -> int:
        return bound(self.load, layout)


@dataclass
class Tree:
    """All links, parents first and chains contiguous; frames, coordinates and rates of the bodies by name."""

    links: list[Link]
    frames: dict[str, Frame]
    order: list[Body]
    mean: dict[str, int] = field(default_factory=dict)  #: the link of each elastic body's mean frame
    q: dict[str, list[StateAddress]] = field(default_factory=dict)
    u: dict[str, list[StateAddress]] = field(default_factory=dict)
    coupled_joints: list[CoupledJoints] = field(default_factory=list)
    group_at: list[dict[int, int]] = field(default_factory=list)  #: for each channel, the group at each link

    @property
    def grounded(self) -> bool:
        """True if the first link stands for the world, because columns of coupled joints meet there."""
        return any(group.root == WORLD for group in self.coupled_joints)

    def count(self, region: str) -> int:
        """Size of region "q", "u", "driven_q" or "driven_u"."""
        addresses = self.u if region.endswith("u") else self.q
        return sum(address.region == region for own in addresses.values() for address in own)
