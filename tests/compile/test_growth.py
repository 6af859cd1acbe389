"""Work of a build as the number of bodies grows: no part of it may grow with the square."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from types import CodeType
from typing import Any

import pytest

import mbs_fmu as mbs
from mbs_fmu.compile.build import compile_model
from mbs_fmu.compile.program_cache import names
from mbs_fmu.fmi.description.variables import variable_table
from mbs_fmu.integrate.methods.table import STANDARD
from mbs_fmu.model.model import Model
from support.cases import tiers
from support.spies.counted_calls import counted, grown

BODIES = 24  #: of the smaller model
MOST = 2.3  #: largest ratio of all calls at twice as many bodies

HEAVY: dict[str, Any] = {"com": (0.1, 0, -0.5), "inertia": (0.1, 0.2, 0.25)}


def bodies(m: Model, count: int) -> Iterator[tuple[int, str]]:
    """Add a chain of hinges to a model; yield their numbers and names."""
    parent = "world"
    for k in range(count):
        m.body(f"b{k}", parent, mbs.Revolute("y"), mass=1.0 + k, at=(0, 0, -float(k > 0)), **HEAVY)
        parent = f"b{k}"
        yield k, parent


def plain(m: Model, count: int) -> None:
    list(bodies(m, count))


def unlike(m: Model, count: int) -> None:
    """A tree of joints of many kinds."""
    joints = (mbs.Revolute("x"), mbs.Revolute((0.1, 0.2, 0.3)), mbs.Prismatic("y"), mbs.Universal("xy"), mbs.Free())
    for k in range(count):
        parent = f"b{k - 1 - k % 3}" if k > 2 else "world"
        m.body(f"b{k}", parent, joints[k % 5], mass=1.0 + k, at=(0, 0.1 * k, 1), **HEAVY)


def parametric(m: Model, count: int) -> None:
    """Masses, lengths and starts by parameters, one for each body."""
    parent = "world"
    for k in range(count):
        p = m.parameter(f"p{k}", 1.0 + k)
        m.body(f"b{k}", parent, mbs.Revolute("y"), mass=p, com=(0, 0, -p), inertia=(0.1, 0.2, 0.25), at=(0, 0, -p))
        m.start(f"b{k}", q=0.1 * p, u=0.0)
        parent = f"b{k}"


def driven(m: Model, count: int) -> None:
    for k, body in bodies(m, count):
        if k % 2:
            m.drive(f"d{k}", on=body, position=mbs.sin((1 + k) * mbs.time))
            m.output(f"o{k}", mbs.drive_force(f"d{k}"))


def following(m: Model, count: int) -> None:
    """Every second joint follows its parent's; every fourth has a rotor."""
    for k, body in bodies(m, count):
        if k % 2:
            m.follow(f"f{k}", on=body, leader=f"b{k - 1}", ratio=1.0 + k)
        elif k % 4 == 0:
            m.rotor(f"r{k}", on=body, inertia=1.0 + k)


def forced(m: Model, count: int) -> None:
    for k, body in bodies(m, count):
        m.spring(f"s{k}", on=body, stiffness=1.0 + k, damping=0.1)
        m.motor(f"m{k}", on=body, torque=m.input(f"i{k}") * mbs.coordinate(body))
        m.spring(f"p{k}", "world", body, at_a=(1, 2, 3.0 + k), stiffness=10.0)


def signalled(m: Model, count: int) -> None:
    """Signal states, samples, events with resets."""
    for k, body in bodies(m, count):
        z = m.state(f"z{k}", rate=-mbs.coordinate(body) * k)
        m.sampled(f"s{k}", 0.1, z)
        m.event(f"e{k}", mbs.coordinate(body) - k - 1.0, reset={f"{body}.w": 0.0})


def measured(m: Model, count: int) -> None:
    for _, body in bodies(m, count):
        m.output(f"at_{body}", mbs.coordinate(body))
        m.output(f"w_{body}", mbs.rate(body))
    m.output("E", mbs.energy())


def locked(m: Model, count: int) -> None:
    """Locks, each of one joint of a long chain."""
    for k, body in bodies(m, count):
        m.lock(f"l{k}", on=body, until=mbs.time >= 1.0 + k)


def linked(m: Model, count: int) -> None:
    """Separate linkages."""
    for k in range(count // 2):
        m.body(f"a{k}", joint=mbs.Revolute("y"), mass=1.0, at=(k, 0, 0), **HEAVY)
        m.body(f"b{k}", f"a{k}", mbs.Revolute("y"), mass=1.0, at=(0, 0, -1), **HEAVY)
        m.close(f"l{k}", f"b{k}", "world", mbs.Distance(1.0), at_a=(0, 0, -1), at_b=(k + 1, 0, -2))


ADD = (plain, following, unlike, linked, parametric, driven, forced, signalled, measured, locked)
MODELS = {add.__name__: add for add in ADD}


def calls_of_build(add: Callable[[Model, int], None], count: int) -> Counter[CodeType]:
    """Return the calls from an empty model to its program, its name in the cache, JSON and table of FMU variables."""
    with counted() as calls:
        model = Model("growing")
        add(model, count)
        names(model, "cholesky", {}, STANDARD)
        program = compile_model(model)
        program.to_json()
        variable_table(program)
    return calls


@pytest.mark.parametrize("add", tiers(MODELS, usual=1, quick=1))
def test_calls_grow_with_the_number_of_bodies(add: Callable[[Model, int], None]) -> None:
    """Twice as many bodies need at most twice as many calls of each function, up to constants."""
    one, two = calls_of_build(add, BODIES), calls_of_build(add, 2 * BODIES)
    assert not grown(one, two)
    assert two.total() <= MOST * one.total()
