"""Gimbal locks: joints with three successive rotations whose outer axes can become parallel (docs/free_body.md)."""

from __future__ import annotations

import math

import numpy as np

from ...infrastructure.lazy_dataclasses import dataclass
from .links import StateAddress, Tree

PERPENDICULAR = 1e-9


@dataclass(frozen=True)
class Lock:
    """A gimbal lock at sin(q + angle) = 0; q is the middle one of three angles."""

    address: StateAddress
    angle: float


def locks_of(tree: Tree) -> list[Lock]:
    """Return the locks of all triples of free angles whose middle axis is normal to both others: no others can lock."""
    locks = []
    for body in tree.order:
        position = 0
        motions = body.joint.motions
        for k, motion in enumerate(motions):
            triple = motions[k : k + 3]
            addresses = tree.q[body.name][position : position + 3]
            position += len(motion.units)
            if [m.spins for m in triple] != [True] * 3 or any(address.driven for address in addresses):
                continue
            first, middle, last = (np.array(m.axis) for m in triple)
            if max(abs(middle @ first), abs(middle @ last)) < PERPENDICULAR:
                locks.append(Lock(addresses[1], math.atan2(middle @ np.cross(first, last), first @ last)))
    return locks
