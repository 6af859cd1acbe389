"""Random models with many discrete changes: contacts, stops, locks, stick friction, samples, resets, plain events.

Their numbers are parameters and start values, so that one compiled structure serves for many models.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

import mbs_fmu as mbs


@dataclass
class Eventful:
    """A model and the bounds between which its numbers are drawn uniformly."""

    model: mbs.Model
    bounds: dict[str, tuple[float, float]] = field(default_factory=dict)
    starts: dict[str, tuple[float, float]] = field(default_factory=dict)
    counted: list[str] = field(default_factory=list)  #: events whose reset adds one to the state n_NAME
    jumping: list[str] = field(default_factory=list)  #: inputs that jump at random times

    def number(self, name: str, low: float, high: float) -> mbs.Expression:
        """Parameter with the bounds of its random value."""
        self.bounds[name] = (low, high)
        return self.model.parameter(name, 0.5 * (low + high))

    def draw(self, rng: np.random.Generator) -> dict[str, dict[str, Any]]:
        """Random parameters, start values and tables of inputs for `simulate`."""
        drawn: dict[str, dict[str, Any]] = {
            key: {name: float(rng.uniform(*pair)) for name, pair in bounds.items()}
            for key, bounds in (("parameters", self.bounds), ("start", self.starts))
        }
        return drawn | ({"inputs": {name: stairs(rng) for name in self.jumping}} if self.jumping else {})

    def count(self, name: str, level: mbs.Expression, direction: int) -> None:
        """Add an event that counts itself, and one of the same expression that changes nothing."""
        n = self.model.state(f"n_{name}", 0.0)
        self.model.event(name, level, direction=direction, reset={f"n_{name}": n + 1.0})
        self.model.event(f"plain_{name}", level, direction=direction)
        self.counted.append(name)


def stairs(rng: np.random.Generator, jumps: int = 3, stop: float = 1.5) -> tuple[np.ndarray, np.ndarray]:
    """Table of an input that is constant but for jumps at random times: times, s, and values."""
    times, values = np.sort(rng.uniform(0.0, stop, jumps)), rng.uniform(-1.0, 1.0, jumps + 1)
    return np.concatenate([[0.0], np.repeat(times, 2), [stop]]), np.repeat(values, 2)


def eventful(seed: int) -> Eventful:
    """A cart and a ball with features that `seed` selects."""
    rng = np.random.default_rng([27, seed])
    m = mbs.Model("eventful")
    made = Eventful(m)
    ball = m.body("ball", joint=mbs.Prismatic("z"), mass=1.0)
    cart = m.body("cart", joint=mbs.Prismatic("x"), mass=2.0)
    z, v, x, w = mbs.coordinate(ball), mbs.rate(ball), mbs.coordinate(cart), mbs.rate(cart)
    m.spring("spring", on=cart, stiffness=made.number("stiffness", 20.0, 60.0), damping=0.5)
    made.starts |= {"ball.s": (0.5, 1.0), "ball.v": (-1.0, 1.0), "cart.s": (-0.5, -0.2), "cart.v": (0.5, 2.0)}
    m.contact("floor", "world", ball, mbs.OnPlane("z"), restitution=made.number("restitution", 0.4, 0.9))
    if rng.random() < 0.5:
        m.limit("stop", on=cart, upper=made.number("end", 0.1, 0.3), restitution=0.6)
    elif rng.random() < 0.7:
        m.friction("rub", on=cart, force=made.number("rub_force", 1.0, 4.0), static=5.0, stick=True)
    if rng.random() < 0.6:
        period = 0.037
        force = m.sampled("force", period, made.number("gain", -6.0, 6.0) * (mbs.where(z > 0.4, 1.0, -1.0) - x))
        m.motor("push", on=cart, force=force)
    if rng.random() < 0.5:
        brake = m.body("brake", joint=mbs.Prismatic("y"), mass=1.0)
        made.starts["brake.v"] = (0.5, 1.0)
        at = made.number("caught", 0.1, 0.3)
        m.lock("catch", on=brake, when=mbs.coordinate(brake) > at, until=z - made.number("free", 0.1, 0.4) < 0.0)
        m.motor("pull", on=brake, force=1.0)
    if rng.random() < 0.7:
        running = m.state("running", 0.0, start=1.0)
        level = m.state("level", made.number("fill", 2.0, 3.0) * running - 1.0)
        m.event("full", level - made.number("high", 0.3, 0.4), direction=1, reset={"running": 0.0})
        m.event("low", level - made.number("bottom", 0.1, 0.2), direction=-1, reset={"running": 1.0})
    if rng.random() < 0.5:
        at = made.number("kick_at", -0.1, 0.2)
        m.event("kick", x - at, direction=-1, reset={"ball.v": v + made.number("kick_by", -0.5, 1.0)})
    levels = {"below": z + made.number("under", 1e-4, 1e-2), "height": z - made.number("height_at", 0.1, 0.5)}
    levels |= {"speed": v - made.number("speed_at", -2.0, 2.0), "place": x - made.number("place_at", -0.15, 0.15)}
    levels["pace"] = w - made.number("pace_at", -1.0, 1.0)
    for name, level in levels.items():
        if name == "below" or rng.random() < 0.6:
            made.count(name, level, int(rng.integers(-1, 2)))
    return made


def stirred(seed: int) -> Eventful:
    """`eventful` with an input that jumps, an event that stops some runs, and a second ball.

    `seed` selects whether the second ball has a floor of its own, or falls on the first one.
    """
    rng = np.random.default_rng([28, seed])
    made = eventful(seed)
    m = made.model
    push = m.input("push")
    made.jumping.append("push")
    made.count("pushed", push - made.number("pushed_at", -0.5, 0.5), int(rng.integers(-1, 2)))
    wear = m.state("wear", 1.0 + 0.5 * push)
    m.event("worn", wear - made.number("life", 0.6, 2.0), stop=True)
    other = m.body("other", joint=mbs.Prismatic("z"), mass=0.5)
    m.motor("lift", on=other, force=3.0 * push)
    made.starts |= {"other.s": (1.5, 2.0), "other.v": (-1.0, 1.0)}
    below, at = ("ball", 0.0) if rng.random() < 0.5 else ("world", 1.2)
    m.contact("table", below, other, mbs.OnPlane("z"), at_a=(0, 0, at), restitution=made.number("other_e", 0.3, 0.9))
    made.count("lifted", mbs.rate(other) - made.number("lifted_at", -1.0, 1.0), int(rng.integers(-1, 2)))
    return made


def log_of(result: mbs.Result) -> list[tuple[float, str]]:
    """Chronological list of the events, mode changes and impact impulses of a result."""
    entries = [(float(t), name) for name, times in result.events.items() for t in times]
    entries += [(float(x["time"]), f"{x['name']} {x['before']:g} {x['after']:g}") for x in result.switches]
    return sorted(entries)
