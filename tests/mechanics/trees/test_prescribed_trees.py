"""Kinematics of trees in which any number of coordinates, all of them included, is driven or follows another."""

from __future__ import annotations

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.codegen.loader import entry
from mbs_fmu.compile.build import compile_model
from mbs_fmu.integrate.lanes.module import lanes_module
from mbs_fmu.model.model import Model
from mbs_fmu.run.runtime import Runtime
from support.cases import tiers
from support.comparisons import assert_close
from support.generators.mechanisms import COMPANIONS, Plain, forget_start, random_tree
from support.oracles.complex_steps import compare_tangents, outputs

LANES = 8  #: sines of so many coordinates are computed at once; the rest of the last ones is padding
NOW = 0.7  #: s


def tree(number: int) -> Model:
    """A random tree; in order of the numbers, every remainder of the coordinates' count by LANES occurs."""
    rng = np.random.default_rng(number)
    m = random_tree(rng, int(rng.integers(1, 6)), ("chain", "star", "tree")[number % 3], COMPANIONS)
    m.name = "prescribed"
    while (count := sum(len(b.joint.coordinates) for b in m.bodies.values())) == 0 or (count - number) % LANES:
        parent = list(m.bodies)[int(rng.integers(len(m.bodies)))]
        m.body(
            f"b{len(m.bodies)}", parent, mbs.Revolute("xyz"[rng.integers(3)]), mass=1.0, inertia=(1, 1, 1), at=(1, 0, 0)
        )
    for body in m.bodies:
        m.output(f"{body}.at", mbs.position(body, (0.1, 0.2, 0.3)))
        m.output(f"{body}.turned", mbs.orientation(body))
        m.output(f"{body}.moves", mbs.velocity(body, (0.1, 0.2, 0.3)))
        m.output(f"{body}.turns", mbs.angular_velocity(body))
    m.output("energy", mbs.energy())
    return m


def prescribed(number: int) -> Model:
    """The same tree with motions in time: of all coordinates for every second number, otherwise of some.

    Of the joints with a single coordinate, some of those that stay free follow another.
    """
    m, rng = tree(number), np.random.default_rng(1000 + number)
    share = 1.0 if number % 2 == 0 else rng.random()
    singles: list[str] = []
    for b in m.bodies.values():
        n = len(b.joint.coordinates)
        whole = not b.joint.scalar or any(x.name == "custom" for x in b.joint.motions)
        chosen = [k for k in range(n) if rng.random() < share]
        if whole and chosen:
            forget_start(m, b.name, range(n), range(len(b.joint.rates)))
            m.drive(f"d_{b.name}", on=b, position=[_law(rng) for _ in range(n)])
        elif not whole:
            for k in chosen:
                forget_start(m, b.name, range(k, k + 1), range(k, k + 1))
                m.drive(f"d_{b.name}_{k}", on=b, coordinate=k + 1, position=_law(rng))
            if n == 1 and not chosen:
                singles.append(b.name)
    for own, leader in zip(singles[1::2], singles[::2], strict=False):
        forget_start(m, own, range(1), range(1))
        m.follow(f"f_{own}", on=own, leader=leader, ratio=rng.normal(), offset=rng.normal())
    return m


def _law(rng: np.random.Generator) -> mbs.Expression:
    a, w, phase, c = rng.normal(size=4)
    return c + a * mbs.sin(w * mbs.time + phase)


def at_these_values(free: Plain, moved: Plain) -> None:
    """Give free coordinates and velocities the values that prescribed motions have."""
    slots = {v.name: v.slot for v in moved.program.variables}
    for v in free.program.of_role("coordinate", "rate"):
        free.R[v.slot] = moved.R[slots[v.name]]
    free.real.momenta(free.R)


@pytest.mark.parametrize("number", tiers(range(80), usual=3, quick=1))
def test_prescribed_trees_move_as_free_ones(number: int) -> None:
    """Places, attitudes, velocities and energy equal those of the tree whose coordinates are free, at their values.

    Both compute the same sums in another order: some hundred operations on numbers of size 1 to 100.
    """
    moved, free = Plain(prescribed(number)), Plain(tree(number))
    moved.R[0] = NOW
    shown = outputs(moved)
    at_these_values(free, moved)
    for name, expected in outputs(free).items():
        assert_close(shown[name], expected, 1e-12 * max(1.0, float(np.max(np.abs(expected)))), name)


@pytest.mark.parametrize("number", tiers(range(16), usual=1, quick=1))
def test_tangents_of_prescribed_trees_equal_complex_steps(number: int) -> None:
    """`derive_d` and `outputs_d` agree along time and states."""
    plain = Plain(prescribed(number))
    plain.R[0] = NOW
    compare_tangents(plain, number, (slice(0, 1), plain.program.state_slice), "driven_q", "driven_u", "outputs")


@pytest.mark.parametrize("number", tiers([0, 3, 8], usual=1))
def test_lanes_of_prescribed_trees_have_the_bits_of_single_records(number: int) -> None:
    """Each lane at a time of its own; the padding of a single record is missing in lanes."""
    runtime = Runtime(compile_model(prescribed(number)))
    program = runtime.program
    records = np.array([program.new_record() for _ in range(4)])
    records[:, 0] = NOW + 0.1 * np.arange(4)
    for record in records:
        entry(runtime.kernels.prepare)(record)
    lanes = np.ascontiguousarray(records.T)
    wide = runtime.kernels.load(lanes_module(program.module, 4, program.angles))
    for name in ("derive", "outputs"):
        entry(getattr(wide, name))(lanes)
        for record in records:
            entry(getattr(runtime.kernels, name))(record)
    shown = program.region("outputs")
    assert np.array_equal(lanes.T[:, shown], records[:, shown])
    assert np.all(np.ptp(records[:, shown], axis=0).any())


@pytest.mark.parametrize("count", tiers([8, 7, 9, 16, 24], usual=1, quick=1))
def test_chain_with_every_joint_driven_has_its_closed_form(count: int, in_plain_python: None) -> None:
    """A chain of hinges that all turn by the same small angle is a polygon; its end by sums of sines and cosines."""
    m, parent = Model("chain"), "world"
    for k in range(count):
        m.body(
            f"b{k}", parent, mbs.Revolute("y"), mass=1.0, com=(0.5, 0, 0), inertia=(0.1,) * 3, at=(float(k > 0), 0, 0)
        )
        m.drive(f"d{k}", on=f"b{k}", position=0.1 * mbs.time)
        parent = f"b{k}"
    m.output("end", mbs.position(parent))
    shown = mbs.simulate(m, 1.0, output_interval=0.5)
    angles = 0.1 * np.outer(shown.time, np.arange(1, count))
    expected = np.stack([np.cos(angles).sum(axis=1), 0 * shown.time, -np.sin(angles).sum(axis=1)], axis=1)
    assert_close(shown["end"], expected, 1e-13 * count, "end")
