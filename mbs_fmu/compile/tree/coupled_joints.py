"""Groups of coupled joints: joints that share one velocity, and the paths of their columns (docs/equations.md, T).

The columns of a group's joints are carried inboard until they meet at one link. A channel holds one column in
the carried values; groups whose paths overlap use different channels.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ...infrastructure.lazy_dataclasses import dataclass
from ...mechanics.links import CoupledColumn
from ...model.items import WORLD
from ...model.model import Model


@dataclass(frozen=True)
class CoupledJoints:
    """A group: a leader and all joints that follow it, by the names of their bodies.

    `root` is the body at which the columns meet: the world, or a body with a joint. They meet in that joint if it
    belongs to the group, otherwise outboard of it. `angular` is true if the leader rotates.
    """

    leader: str
    members: tuple[str, ...]
    root: str
    angular: bool


def coupled_joints_of(model: Model) -> list[CoupledJoints]:
    """Return the groups of a model; the parents of all its bodies must exist."""
    members: dict[str, list[str]] = {}
    for follower in model.followers.values():
        members.setdefault(follower.leader, [follower.leader]).append(follower.body)
    return [
        CoupledJoints(leader, tuple(bodies), _root(model, bodies), model.bodies[leader].joint.rates[0][1] == "rad/s")
        for leader, bodies in members.items()
    ]


def _root(model: Model, bodies: Sequence[str]) -> str:
    """Return the lowest common ancestor; if that body is welded, the nearest ancestor with a joint, or the world."""
    first, *others = (_ancestors(model, body) for body in bodies)
    shared = set(first).intersection(*others)
    root = next(body for body in first if body in shared)
    while root != WORLD and not model.bodies[root].joint.motions:
        root = model.bodies[root].parent
    return root


def _ancestors(model: Model, body: str) -> list[str]:
    """Return the body, its parent and so on up to the world."""
    chain = [body]
    while chain[-1] != WORLD:
        chain.append(model.bodies[chain[-1]].parent)
    return chain


def coupled_columns(
    coupled_joints: Sequence[CoupledJoints], links: Mapping[str, int], parents: Sequence[int]
) -> tuple[list[list[CoupledColumn]], list[dict[int, int]]]:
    """Return the columns of coupled joints at each link, and for each channel the number of the group at each link.

    `links` gives the link that has a body's joint. Groups whose paths share a link use different channels.
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
    """Return the ends of a loop, extended so that its rows stay open until all groups on their path have closed.

    A group closes at the link where its columns meet. A row that is open at a joint of a group stays open up to the
    parent of that link (T5).
    """
    while True:
        root = lowest_common(ends, parents)
        passed = {(link, x.channel) for end in ends for link in _below(end, root, parents)
                  for x in coupled[link] if x.has_joint or not x.closes}  # fmt: skip
        closing = {parents[_closing_link(link, channel, coupled, parents)] for link, channel in passed}
        if all(lowest_common((root, link), parents) == root for link in closing):
            return ends
        ends = ends | closing


def lowest_common(links: Iterable[int], parents: Sequence[int]) -> int:
    """Return the outermost link, or the world, from which all these links are reached; parents precede their children.

    It takes as many steps as there are links between, however long the tree is.
    """
    apart = set(links)
    while len(apart) > 1:
        outermost = max(apart)
        apart.remove(outermost)
        apart.add(parents[outermost])
    return apart.pop()


def _below(link: int, root: int, parents: Sequence[int]) -> Iterator[int]:
    """Yield a link, its parent and so on up to the child of a root."""
    while link != root:
        yield link
        link = parents[link]


def _closing_link(link: int, channel: int, coupled: Sequence[Sequence[CoupledColumn]], parents: Sequence[int]) -> int:
    """Return the link at which the group in a channel of a link closes."""
    while not any(x.channel == channel and x.closes for x in coupled[link]):
        link = parents[link]
    return link


def _between(joined: set[int], root: int, parents: Sequence[int]) -> set[int]:
    """Return the links at which columns arrive from children."""
    links: set[int] = set()
    for link in joined:
        while link != root:
            link = parents[link]
            links.add(link)
    return links
