"""Random mechanisms of all kinds, each with steps that suit it, for runs with fixed steps."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import NamedTuple

import mbs_fmu as mbs
from support.generators.contacts import thrown
from support.generators.elastic_mechanisms import bent_loops, bent_tree
from support.generators.eventful_models import eventful
from support.generators.legged_robots import dropped_robot
from support.generators.linkages_with_friction import Linkage
from support.generators.loops import random_loops
from support.generators.pushed_models import add_push


class Kind(NamedTuple):
    """A kind of random mechanisms: the model of a number, and size, s, and count of steps."""

    make: Callable[[int], mbs.Model]
    step: float
    count: int


def loops(number: int) -> mbs.Model:
    """One or two closed loops of three to six bodies."""
    return random_loops(number, 4 + number % 3, 1 + number % 2)


def switching(number: int) -> mbs.Model:
    """Impacts, stops, locks, stick friction and samples, but no other events."""
    model = eventful(number).model
    model.events.clear()
    return model


def linkage(number: int) -> mbs.Model:
    """A closed linkage with dry frictions that stick."""
    return Linkage(number).model


KINDS: dict[str, Kind] = {
    "legged robot": Kind(dropped_robot, 2e-3, 200),
    "loops": Kind(loops, 8e-3, 60),
    "linkage with friction": Kind(linkage, 5e-3, 60),
    "switching": Kind(switching, 5e-3, 80),
    "elastic tree": Kind(lambda n: bent_tree(n, 2 + n % 3), 4e-3, 60),
    "elastic loops": Kind(lambda n: bent_loops(n, 4), 4e-3, 50),
    "bodies in contact": Kind(thrown, 2e-3, 100),
}


class Mechanism(NamedTuple):
    """A random mechanism: kind and number. Those of odd numbers have an input, which is sampled too."""

    kind: str
    number: int

    def model(self) -> mbs.Model:
        model = KINDS[self.kind].make(self.number)
        if self.number % 2:
            add_push(model)
        return model

    def __str__(self) -> str:
        return f"{self.kind} {self.number}"


def mechanisms(rounds: int, kinds: Iterable[str] = KINDS) -> dict[str, Mechanism]:
    """Return mechanisms by name: first one of each kind."""
    return {str(x): x for number, kind in itertools.product(range(rounds), kinds) for x in [Mechanism(kind, number)]}
