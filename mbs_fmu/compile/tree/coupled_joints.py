"""Trains: which joints share one velocity, where their columns meet, and how these travel there (docs/equations.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...lazy_dataclasses import dataclass
from ...mechanics.links import Line
from ...model.builders.followers import as_conditions, led
from ...model.items import WORLD
from ...model.model import Model


@dataclass(frozen=True)
class CoupledJoints:
    """A leader and all that follow it, by bodies.

    root: the body at which their columns meet, the world or one that has a joint: in that joint, where it is one of the
    train, else behind it. angular: the leader turns.
    """

    leader: str
    members: tuple[str, ...]
    root: str
    angular: bool


def eliminated(model: Model) -> Model:
    """The model as it is compiled: beside elastic bodies followers are conditions."""
    elastic = any(body.elastic is not None for body in model.bodies.values())
    return as_conditions(model) if elastic else model


def coupled_joints_of(model: Model) -> list[CoupledJoints]:
    """The trains of a model whose parents are known."""
    members: dict[str, list[str]] = {}
    for follower in model.followers.values():
        leader = led(model.followers, follower.body).leader
        members.setdefault(leader, [leader]).append(follower.body)
    return [
        CoupledJoints(leader, tuple(bodies), _root(model, bodies), model.bodies[leader].joint.rates[0][1] == "rad/s")
        for leader, bodies in members.items()
    ]


def _root(model: Model, bodies: Sequence[str]) -> str:
    """The lowest common ancestor; of welded bodies the one that has their joint."""
    first, *others = (_ancestors(model, body) for body in bodies)
    shared = set(first).intersection(*others)
    root = next(body for body in first if body in shared)
    while root != WORLD and not model.bodies[root].joint.motions:
        root = model.bodies[root].parent
    return root


def _ancestors(model: Model, body: str) -> list[str]:
    """The body, its parent, ... and the world."""
    out = [body]
    while out[-1] != WORLD:
        out.append(model.bodies[out[-1]].parent)
    return out


def lines_of(
    coupled_joints: Sequence[CoupledJoints], links: Mapping[str, int], parents: Sequence[int]
) -> tuple[list[list[Line]], list[dict[int, int]]]:
    """For each link the lines that pass it, and for each line the train at each link, by number.

    links: the link that has a body's joint. Trains that pass a link have lines of their own there.
    """
    passing: list[list[Line]] = [[] for _ in parents]
    of_line: list[dict[int, int]] = []
    for number, coupled in enumerate(coupled_joints):
        root = links[coupled.root]
        joined = {links[body] for body in coupled.members}
        arrives = _on_the_way(joined, root, parents)
        path = joined | arrives | {root}
        line = next((n for n, used in enumerate(of_line) if not path & used.keys()), len(of_line))
        of_line += [{}] * (line == len(of_line))
        of_line[line] = of_line[line] | dict.fromkeys(path, number)
        for link in path:
            passing[link].append(Line(line, link in arrives, link in joined, link == root, coupled.angular))
    return [sorted(lines, key=lambda line: line.number) for lines in passing], of_line


def reached(ends: frozenset[int], lines: Sequence[Sequence[Line]], parents: Sequence[int]) -> frozenset[int]:
    """The links that a loop's rows pull on, and what makes them open until all trains have met whose joints they are
    open at: the parent of the link where these do."""
    while True:
        paths = [_path(end, parents) for end in ends]
        shared = set(paths[0]).intersection(*paths[1:])
        root = next(link for link in paths[0] if link in shared)
        passed = {(link, line.number) for path in paths for link in path if link not in shared
                  for line in lines[link] if line.joins or not line.ends}  # fmt: skip
        more = {parents[_end_of(link, number, lines, parents)] for link, number in passed}
        if all(root in _path(link, parents) for link in more):
            return ends
        ends = ends | more


def _path(link: int, parents: Sequence[int]) -> list[int]:
    out = [link]
    while out[-1] >= 0:
        out.append(parents[out[-1]])
    return out


def _end_of(link: int, number: int, lines: Sequence[Sequence[Line]], parents: Sequence[int]) -> int:
    """The link where the train ends that passes a link in a line."""
    while not any(line.number == number and line.ends for line in lines[link]):
        link = parents[link]
    return link


def _on_the_way(joined: set[int], root: int, parents: Sequence[int]) -> set[int]:
    """The links at which columns arrive from children."""
    out: set[int] = set()
    for link in joined:
        while link != root:
            link = parents[link]
            out.add(link)
    return out
