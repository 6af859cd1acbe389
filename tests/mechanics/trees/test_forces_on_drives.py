"""Forces along driven coordinates: the drive balances them, and the motion stays."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.model.items import Body
from mbs_fmu.model.model import Model
from support.cases import tiers
from support.comparisons import assert_close

pytestmark = pytest.mark.usefixtures("in_plain_python")

#: elements along a driven coordinate of a body; they return the force along it, an expression
ELEMENTS: dict[str, Callable[[Model, Body, np.random.Generator], mbs.Expression]] = {}


def element(make: Callable[[Model, Body, np.random.Generator], mbs.Expression]) -> Callable[..., mbs.Expression]:
    ELEMENTS[make.__name__] = make
    return make


@element
def spring(m: Model, body: Body, rng: np.random.Generator) -> mbs.Expression:
    k, d = rng.uniform(1.0, 9.0, 2)
    m.spring("spring", on=body, stiffness=k, damping=d)
    return -k * mbs.coordinate(body) - d * mbs.rate(body)


@element
def motor(m: Model, body: Body, rng: np.random.Generator) -> mbs.Expression:
    torque = rng.normal() * mbs.cos(mbs.time)
    m.motor("motor", on=body, torque=torque)
    return torque


@element
def friction(m: Model, body: Body, rng: np.random.Generator) -> mbs.Expression:
    c = float(rng.uniform(1.0, 9.0))
    m.friction("friction", on=body, torque=c, speed=0.1)
    return mbs.strength("friction")


@element
def limit(m: Model, body: Body, rng: np.random.Generator) -> mbs.Expression:
    m.limit("limit", on=body, upper=-0.1, stiffness=float(rng.uniform(50.0, 90.0)), damping=1.0)
    return mbs.strength("limit")


def driven(seed: int, makers: list[Callable[..., mbs.Expression]]) -> Model:
    """A chain of a driven body between others that move freely; its outputs are energies and forces."""
    rng = np.random.default_rng([17, seed])
    m = Model("driven")
    above: str | Body = "world"
    bodies = []
    for k in range(3):
        inertia = tuple(rng.uniform(0.2, 0.3, 3))
        joint = mbs.Revolute(rng.normal(size=3))
        body = m.body(
            f"b{k}", above, joint, mass=1.0, com=0.3 * rng.normal(size=3), inertia=inertia, at=rng.normal(size=3)
        )
        bodies.append(body)
        above = body
    place = seed % 3
    for k, body in enumerate(bodies):
        if k != place:
            m.start(body, q=rng.normal(), u=rng.normal())
    m.drive("drive", on=bodies[place], position=0.5 * mbs.sin(3.0 * mbs.time + rng.normal()))
    forces = [make(m, bodies[place], rng) for make in makers]
    total = 0.0 * mbs.time
    for force in forces:
        total = total + force
    m.output("element", total)
    m.output("drive", mbs.drive_force("drive"))
    m.output("power", (total + mbs.drive_force("drive")) * mbs.rate(bodies[place]))
    m.output("speed", mbs.rate(bodies[place]))
    return m


@pytest.mark.parametrize("seed", tiers(range(60), usual=4, quick=1))
def test_drives_balance_the_forces_along_their_coordinates(seed: int) -> None:
    """The drive's force is that of the bare mechanism less the force of the elements, and the motion is the same."""
    chosen = np.random.default_rng(seed).permutation(list(ELEMENTS))[: 1 + seed % 4]
    runs = [
        mbs.simulate(driven(seed, makers), 0.5, method="rk4", step=0.05, output_interval=0.05)
        for makers in ([], [ELEMENTS[name] for name in chosen])
    ]
    bare, loaded = runs
    for k in range(3):
        name = f"b{k}.phi"
        assert np.array_equal(bare[name], loaded[name])
    size = np.abs(bare["drive"]).max() + np.abs(loaded["element"]).max()
    assert np.abs(loaded["element"]).max() > 0.0
    assert_close(loaded["drive"], bare["drive"] - loaded["element"], 1e-13 * size, "force of the drive")
    assert_close(loaded["power"], bare["power"], 1e-12 * size, "power of all forces along the drive")
