"""Groups of coupled joints: which joints share one velocity, where their columns meet, and the channels in which these
travel there (docs/equations.md, T)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...lazy_dataclasses import dataclass
from ...mechanics.links import CoupledColumn
from ...model.builders.followers import as_conditions, led
from ...model.items import WORLD
from ...model.model import Model


@dataclass(frozen=True)
class CoupledJoints:
    """A group: a leader and all joints that follow it, by the names of their bodies.

    root: the body at which their columns meet, the world or one that has a joint. They meet in that joint if it belongs
    to the group, else outboard of it. angular: the leader rotates.
    """

    leader: str
    members: tuple[str, ...]
    root: str
    angular: bool


def eliminated(model: Model) -> Model:
    """The model in the form that is compiled: beside elastic bodies, followers become constraints."""
    elastic = any(body.elastic is not None for body in model.bodies.values())
    return as_conditions(model) if elastic else model


def coupled_joints_of(model: Model) -> list[CoupledJoints]:
    """The groups of a model whose parents are known."""
    members: dict[str, list[str]] = {}
    for follower in model.followers.values():
        leader = led(model.followers, follower.body).leader
        members.setdefault(leader, [leader]).append(follower.body)
    return [
        CoupledJoints(leader, tuple(bodies), _root(model, bodies), model.bodies[leader].joint.rates[0][1] == "rad/s")
        for leader, bodies in members.items()
    ]


def _root(model: Model, bodies: Sequence[str]) -> str:
    """The lowest common ancestor; for welded bodies, the body that has their joint."""
    first, *others = (_ancestors(model, body) for body in bodies)
    shared = set(first).intersection(*others)
    root = next(body for body in first if body in shared)
    while root != WORLD and not model.bodies[root].joint.motions:
        root = model.bodies[root].parent
    return root


def _ancestors(model: Model, body: str) -> list[str]:
    """The body, its parent, ... and the world."""
    chain = [body]
    while chain[-1] != WORLD:
        chain.append(model.bodies[chain[-1]].parent)
    return chain


def coupled_columns(
    coupled_joints: Sequence[CoupledJoints], links: Mapping[str, int], parents: Sequence[int]
) -> tuple[list[list[CoupledColumn]], list[dict[int, int]]]:
    """The columns that each link has, and for each channel the number of the group at each link.

    links: the link that has a body's joint. Groups that pass the same link have channels of their own.
    """
    of_link: list[list[CoupledColumn]] = [[] for _ in parents]
    group_at: list[dict[int, int]] = []
    for number, group in enumerate(coupled_joints):
        root = links[group.root]
        joined = {links[body] for body in group.members}
        arrives = _between(joined, root, parents)
        path = joined | arrives | {root}
        channel = next((n for n, used in enumerate(group_at) if not path & used.keys()), len(group_at))
        group_at += [{}] * (channel == len(group_at))
        group_at[channel] = group_at[channel] | dict.fromkeys(path, number)
        for link in path:
            column = CoupledColumn(channel, link in arrives, link in joined, link == root, group.angular)
            of_link[link].append(column)
    return [sorted(columns, key=lambda column: column.channel) for columns in of_link], group_at


def with_closing_links(
    ends: frozenset[int], coupled: Sequence[Sequence[CoupledColumn]], parents: Sequence[int]
) -> frozenset[int]:
    """The ends of a loop, extended so that its rows stay open until all groups have closed that the rows pass.

    A row that is open at a joint of a group stays open up to the parent of the link where the group closes (T5).
    """
    while True:
        paths = [_path(end, parents) for end in ends]
        shared = set(paths[0]).intersection(*paths[1:])
        root = next(link for link in paths[0] if link in shared)
        passed = {(link, x.channel) for path in paths for link in path if link not in shared
                  for x in coupled[link] if x.has_joint or not x.closes}  # fmt: skip
        closing = {parents[_closing_link(link, channel, coupled, parents)] for link, channel in passed}
        if all(root in _path(link, parents) for link in closing):
            return ends
        ends = ends | closing


def _path(link: int, parents: Sequence[int]) -> list[int]:
    path = [link]
    while path[-1] >= 0:
        path.append(parents[path[-1]])
    return path


def _closing_link(link: int, channel: int, coupled: Sequence[Sequence[CoupledColumn]], parents: Sequence[int]) -> int:
    """The link where the group closes that passes a link in a channel."""
    while not any(x.channel == channel and x.closes for x in coupled[link]):
        link = parents[link]
    return link


def _between(joined: set[int], root: int, parents: Sequence[int]) -> set[int]:
    """The links at which columns arrive from children."""
    links: set[int] = set()
    for link in joined:
        while link != root:
            link = parents[link]
            links.add(link)
    return links
