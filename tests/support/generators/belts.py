"""Random belts: pulleys on a block that may float, on arms and slides, in any plane and orientation."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import mbs_fmu as mbs
from support.generators.mechanisms import random_rotation

SIZE = 0.5  #: m, distance of the pulleys from the middle


class RandomBelt(NamedTuple):
    """A model with a belt "belt". over: its pulleys; normal: the axis of the first in the block's axes."""

    model: mbs.Model
    belt: mbs.Belt
    over: list[mbs.Pulley]
    normal: np.ndarray


def random_belt(rng: np.random.Generator, floating: bool, back: bool, **numbers: Any) -> RandomBelt:
    """Return a belt over two to four pulleys, which move and turn at the start; without gravity.

    floating: the block that carries them floats; otherwise it is the world. back: one more pulley presses on the back
    of the belt. The last pulley is on an arm, the one before on a slide if there are three or more.
    """
    m = mbs.Model("random", gravity=(0, 0, 0))
    frame = random_rotation(rng)
    block: mbs.Body | str = "world"
    if floating:
        block = m.body("block", joint=mbs.Free(), mass=3.0, com=(0.1, 0, 0.05), inertia=(0.3, 0.25, 0.2))
        m.start(block, u=rng.normal(size=6))
    count = int(rng.integers(2, 5))
    angles = 2 * np.pi * (np.arange(count) + rng.uniform(-0.1, 0.1, count)) / count
    places = [SIZE * np.array([np.cos(a), np.sin(a)]) for a in angles]
    radii, turns = rng.uniform(0.06, 0.12, count).tolist(), [1] * count
    if back:  # on the last span, pressed inwards
        places.append(
            0.5 * (places[-1] + places[0]) * (0.75 if count > 2 else 1.0) + (count == 2) * np.array([0.0, 0.02])
        )
        radii.append(0.05)
        turns.append(-1)
    over = []
    for k, (place, radius, turn) in enumerate(zip(places, radii, turns, strict=True)):
        body = _pulley(m, rng, block, frame, place, k, len(places))
        over.append(mbs.Pulley(body, radius, turn))
    return RandomBelt(m, mbs.belt(m, "belt", over, **numbers), over, frame[:, 2])


def _pulley(
    m: mbs.Model, rng: np.random.Generator, block: mbs.Body | str, frame: np.ndarray, place: np.ndarray, k: int, of: int
) -> mbs.Body:
    """Add pulley k of several: the last hangs on an arm, the one before on a slide, the others on the block."""
    axis = frame[:, 2] * (-1.0 if k == 1 else 1.0)
    at = frame @ np.array([*place, 0.0])
    solid: dict[str, Any] = {"mass": 1.0, "inertia": (0.02, 0.02, 0.02)}
    if k == of - 1:
        pivot = at + frame @ np.array([0.1, -0.15, 0.03])
        arm = m.body("arm", block, mbs.Revolute(axis), com=(0.02, 0.01, 0.03), at=tuple(pivot), **solid)
        m.start(arm, q=0.05, u=0.7)
        body = m.body(f"p{k}", arm, mbs.Revolute(axis), at=tuple(at - pivot), **solid)
    elif k == of - 2 and of > 2:
        along = frame @ np.array([*(place / np.linalg.norm(place)), 0.0])
        body = m.body(
            f"p{k}", block, mbs.Compound(mbs.slide(tuple(along)), mbs.turn(tuple(axis))), at=tuple(at), **solid
        )
        m.start(body, q=(0.01, 0.3), u=(0.4, rng.normal()))
        return body
    else:
        body = m.body(f"p{k}", block, mbs.Revolute(tuple(axis)), at=tuple(at), **solid)
    m.start(body, q=rng.uniform(-9, 9), u=rng.normal())
    return body
