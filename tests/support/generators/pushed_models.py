"""Random models of many kinds with one input that pushes a body, is sampled and is integrated."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import mbs_fmu as mbs
from support.cases import Case
from support.generators.elastic_mechanisms import bent_loops
from support.generators.eventful_models import eventful
from support.generators.linkages_with_friction import Linkage
from support.generators.loops import loops_of
from support.generators.trees import moving_tree

Kind = Callable[[int], tuple[mbs.Model, dict[str, float]]]  #: model, and values of parameters and start values


def _eventful(seed: int) -> tuple[mbs.Model, dict[str, float]]:
    made = eventful(seed)
    drawn = made.draw(np.random.default_rng(seed))
    return made.model, drawn["parameters"] | drawn["start"]


def _linkage(seed: int) -> tuple[mbs.Model, dict[str, float]]:
    made = Linkage(seed)
    return made.model, made.draw(seed)


KINDS: dict[str, Kind] = {
    "eventful": _eventful, "linkage": _linkage, "bent loops": lambda seed: (bent_loops(seed), {}),
    "tree": lambda seed: (moving_tree(Case("free", seed), 3), {}),
    "loops": lambda seed: (loops_of(Case("revolute", seed), 3), {}),
}  # fmt: skip


def pushed(kind: str, seed: int) -> tuple[mbs.Model, dict[str, float]]:
    """A random model with an input that pushes a body, is sampled and is integrated; values of its numbers."""
    m, numbers = KINDS[kind](seed)
    add_push(m)
    return m, numbers


def add_push(m: mbs.Model) -> None:
    """Add an input that pushes a body, is sampled and is integrated."""
    push = m.input("push")
    moving = [body for body in m.bodies.values() if body.joint.motions]
    m.force("pushing", on=moving[-1], force=(push, 0, 0.3 * push))
    sampled = m.sampled("kept", 0.0123, push + mbs.time)
    m.output("seen", m.state("integral", sampled - push) + mbs.position(moving[0])[0])
