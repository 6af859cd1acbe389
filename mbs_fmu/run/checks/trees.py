"""Trees of a model that move independently of each other: impulses on one do not move the others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from ...model.items import WORLD
from ...model.model import Model


def independent_trees(model: Model) -> dict[str, int]:
    """Return for each body the number of its tree.

    Bodies that joints, closures or followers couple are in one tree. A closure without sides, an equation, may contain
    the coordinates of any body, so that all bodies of the model are then in one tree.
    """
    above = {name: body.parent for name, body in model.bodies.items() if body.parent != WORLD}
    pairs = [(follower.body, follower.leader) for follower in model.followers.values()]
    for closure in model.loops.values():
        ends = [side.body for side in closure.sides if side.body != WORLD] or list(model.bodies)
        pairs += [(ends[0], other) for other in ends[1:]]
    first = {name: name for name in model.bodies}  #: towards the first body of the tree

    def first_of(name: str) -> str:
        while first[name] != name:
            first[name] = name = first[first[name]]
        return name

    for one, other in (*above.items(), *pairs):
        first[first_of(one)] = first_of(other)
    numbers: dict[str, int] = {}
    return {name: numbers.setdefault(first_of(name), len(numbers)) for name in model.bodies}


class Trees:
    """Numbers of all independent trees.

    velocities: of each tree the joint velocities that are not prescribed, by their places among all of them. bodies: of
    each tree the bodies of a list, by their numbers. of_body: tree of each body of the list, WORLD for the world, which
    moves with none. place: of each body among those of its tree.
    """

    WORLD = -1

    def __init__(self, model: Model, slots: Mapping[str, int], u: slice, listed: Mapping[str, int]):
        """slots: of all variables by name. u: those of the joint velocities. listed: numbers of bodies, from 0."""
        self._tree_of = independent_trees(model)
        count = len(set(self._tree_of.values()))
        self.velocities: list[list[int]] = [[] for _ in range(count)]
        self._tree_of_column: dict[str, int] = {}
        for body in model.bodies.values():
            tree = self._tree_of[body.name]
            for suffix, _ in (*body.coordinates, *body.rates):
                self._tree_of_column[f"{body.name}.{suffix}"] = tree
            own = [slots[f"{body.name}.{suffix}"] for suffix, _ in body.rates]
            self.velocities[tree] += [slot - u.start for slot in own if u.start <= slot < u.stop]
        self.bodies: list[list[int]] = [[] for _ in range(count)]
        self.of_body = np.full(len(listed), self.WORLD)
        self.place = np.zeros(len(listed), dtype=int)
        for name, number in listed.items():
            if name != WORLD:
                tree = self._tree_of[name]
                self.of_body[number], self.place[number] = tree, len(self.bodies[tree])
                self.bodies[tree].append(number)

    def impulses(self) -> Iterator[np.ndarray]:
        """Yield sets of joint velocities: the first one of every tree, the second one of those that have two, ..."""
        for k in range(max(map(len, self.velocities), default=0)):
            yield np.array([own[k] for own in self.velocities if k < len(own)])

    def of_columns(self, names: Iterable[str]) -> np.ndarray:
        """Return the tree of each coordinate and joint velocity."""
        return np.array([self._tree_of_column[name] for name in names], dtype=int)
