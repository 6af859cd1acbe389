"""Forces of all kinds that store energy, whose laws depend on coordinates, positions and orientations anywhere."""

from __future__ import annotations

from typing import Any

import numpy as np

import mbs_fmu as mbs
from mbs_fmu.model.model import Model
from support.generators.mechanisms import random_pose


class Varying:
    """Random numbers that vary with the configuration of a model."""

    def __init__(self, m: Model, rng: np.random.Generator):
        self.m, self.rng = m, rng
        self.bodies = [b for b in m.bodies.values() if b.joint.motions]
        m.output("published", mbs.position(self.bodies[0], rng.normal(size=3))[1])

    def measure(self) -> mbs.Expression:
        """A random measure of the configuration."""
        rng, body = self.rng, self.bodies[self.rng.integers(len(self.bodies))]
        other, k = self.bodies[rng.integers(len(self.bodies))], int(rng.integers(3))
        kinds = [
            lambda: mbs.coordinate(body, int(rng.integers(len(body.joint.coordinates))) + 1),
            lambda: mbs.position(body, rng.normal(size=3))[k],
            lambda: mbs.orientation(body)[int(rng.integers(4))],
            lambda: mbs.relative_position(other, body, random_pose(rng), random_pose(rng))[k],
            lambda: (mbs.position(body) - mbs.position(other, rng.normal(size=3))).norm(),
            lambda: mbs.center_of_mass(body)[k],
            lambda: mbs.signal("published"),
            lambda: 0.3 * mbs.strength("elastic"),
        ]
        if body.elastic is not None:
            kinds.append(lambda: 5.0 * mbs.modal(body, 1))
        return kinds[rng.integers(len(kinds))]()

    def ends(self) -> dict[str, Any]:
        """Points of two bodies for a force between them."""
        return {"at_a": self.rng.normal(size=3), "at_b": 3.0 + self.rng.normal(size=3)}

    def on(self, body: mbs.Body) -> dict[str, Any]:
        """A coordinate of a body's joint."""
        return {"on": body, "coordinate": int(self.rng.integers(len(body.joint.rates))) + 1}

    def __call__(self, mean: float) -> mbs.Expression:
        """A number near `mean` that varies by half of it with a measure."""
        return mean * (1.0 + 0.5 * mbs.sin(self.measure() + 0.2))


def add_varying_forces(m: Model, rng: np.random.Generator, count: int = 3) -> None:
    """Add `count` kinds of elastic forces without losses, and a spring that others measure."""
    bodies = [b for b in m.bodies.values() if b.joint.motions]
    m.spring("elastic", "world", bodies[-1], at_a=rng.normal(size=3), at_b=rng.normal(size=3), stiffness=0.5)
    vary = Varying(m, rng)
    makers = [line, turn, mount, rope]
    scalar = [b for b in bodies if b.joint.scalar]
    alone = [b for b in scalar if len(b.joint.rates) == 1]
    if scalar:
        makers += [joint_spring, power_spring, limit]
    if len(alone) > 1:
        makers += [coupling, shaft]
    for k in rng.permutation(len(makers))[:count]:
        maker = makers[k]
        if maker in (line, turn, mount, rope):
            a = "world" if len(bodies) < 2 or rng.random() < 0.5 else bodies[0]
            maker(vary, a, bodies[-1])
        else:
            maker(vary, *(alone if maker in (coupling, shaft) else scalar)[-2:])


def line(vary: Varying, a: Any, b: mbs.Body) -> None:
    ends = vary.ends()
    vary.m.spring("line", a, b, **ends, stiffness=vary(3.0), length=vary(1.0), energy=energy(vary))


def turn(vary: Varying, a: Any, b: mbs.Body) -> None:
    poses = {"at_a": random_pose(vary.rng), "at_b": random_pose(vary.rng)}
    vary.m.rotational_spring("turn", a, b, **poses, axis="y", stiffness=vary(2.0), angle=vary(0.3))


def mount(vary: Varying, a: Any, b: mbs.Body) -> None:
    poses = {"at_a": random_pose(vary.rng), "at_b": random_pose(vary.rng)}
    stiff = {"stiffness": [vary(2.0), 1.0, vary(1.0)], "rotational_stiffness": [vary(1.0), 0.5, vary(2.0)]}
    vary.m.bushing("mount", a, b, **poses, **stiff)


def rope(vary: Varying, a: Any, b: mbs.Body) -> None:
    ends = vary.ends()
    eyes = [(a, ends["at_a"]), (b, ends["at_b"]), ("world", 5.0 * vary.rng.normal(size=3))]
    vary.m.rope("rope", eyes, length=vary(2.0), stiffness=vary(1.0))


def joint_spring(vary: Varying, *bodies: mbs.Body) -> None:
    vary.m.spring("joint", **vary.on(bodies[-1]), stiffness=vary(3.0), length=vary(0.2))


def power_spring(vary: Varying, *bodies: mbs.Body) -> None:
    vary.m.spring("power", **vary.on(bodies[-1]), length=vary(0.1), force=energy(vary))


def limit(vary: Varying, *bodies: mbs.Body) -> None:
    vary.m.limit("limit", **vary.on(bodies[0]), lower=vary(-0.1), upper=vary(0.1), stiffness=vary(5.0))


def coupling(vary: Varying, a: mbs.Body, b: mbs.Body) -> None:
    vary.m.gear("ratio", a, b, ratio=1.7, stiffness=vary(4.0), backlash=vary(0.1))


def shaft(vary: Varying, a: mbs.Body, b: mbs.Body) -> None:
    vary.m.shaft("shaft", [(body, vary(1.0), vary(2.0), 0.0) for body in (a, b)])


def energy(vary: Varying) -> Any:
    """A law of the extension that varies with the configuration."""
    number = vary(0.5)
    return lambda x: number * x**4 + mbs.sin(number) * x * x
