"""Laws of many contacts between many bodies: momentum, pairs that never meet, sizes that grow with the pairs only."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable
from dataclasses import asdict

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.compile.build import compile_model
from mbs_fmu.run.results.results import Result
from support.comparisons import assert_close
from support.generators.contacts import cloud
from support.generators.mechanisms import Plain
from support.oracles.complex_steps import output_rates, outputs

RADIUS = 0.05
Pair = tuple[str, str]


def balls(pairs: Iterable[Pair], places: np.ndarray, speeds: np.ndarray) -> mbs.Model:
    """Return free balls of which some pairs can touch; places, speeds: (balls, 3), m and m/s."""
    m = mbs.Model("balls", gravity=(0, 0, 0))
    for k, (place, speed) in enumerate(zip(places, speeds, strict=True)):
        m.body(f"b{k}", joint=mbs.Free(), mass=0.1, inertia=(1e-4,) * 3)
        m.start(f"b{k}", q=(*place, 1, 0, 0, 0), u=(*speed, 1, 2, 3))
    ball = mbs.Sphere(RADIUS)
    for a, b in pairs:
        m.contact(f"{a}_{b}", a, b, shape_a=ball, shape_b=ball, stiffness=2e3, friction=0.5)
    return m


def run(m: mbs.Model, stop: float) -> Result:
    return mbs.simulate(m, stop, method="rk4", step=1e-3, output_interval=1e-3)


def assert_same_motion(one: Result, other: Result, count: int) -> None:
    """All coordinates and velocities of the balls are equal bit by bit."""
    for name in (f"b{k}.{x}[{i}]" for k in range(count) for x, n in (("q", 7), ("u", 6)) for i in range(1, n + 1)):
        assert np.array_equal(one[name], other[name]), name


# -- motion --------------------------------------------------------------------------------------------------
@pytest.mark.quick
def test_rates_of_momenta_vanish() -> None:
    """While many balls overlap, the sums of all momenta and angular momenta have no rates, to the round-off."""
    m = cloud(6)
    for name, start in m.starts.items():
        m.start(name, q=(*(0.6 * np.array(start.q[:3])), *start.q[3:]), u=start.u)
    m.output("load", sum(mbs.strength(name) for name in m.forces))
    plain = Plain(m)
    load = float(outputs(plain)["load"])
    assert load > 10.0
    rates = output_rates(plain)
    assert np.abs(np.concatenate([rates["P"], rates["L"]])).max() < 1e-13 * load


def test_momenta_of_a_cloud_stay() -> None:
    """After all impacts of 12 balls, momentum and angular momentum are those of the start, and the energy fell.

    They err by the tolerance: forces and momenta are integrated in the axes of balls that rotate.
    """
    result = mbs.simulate(cloud(12), 0.3, rtol=1e-11, atol=1e-13)
    for name in "PL":
        start = np.broadcast_to(result[name][0], result[name].shape)
        assert_close(result[name], start, 1e-10, name, times=result.time)
    assert result["E"][-1] < 0.95 * result["E"][0]


@pytest.mark.slow
def test_pairs_that_never_meet_change_no_bit() -> None:
    """A run with all pairs equals that with the pairs whose balls come closer than they are wide."""
    rng = np.random.default_rng(3)
    places = 0.13 * np.array(list(itertools.product(range(3), range(2), range(2)))) + 0.004 * rng.normal(size=(12, 3))
    speeds = 3.0 * (places.mean(axis=0) - places)
    names = [f"b{k}" for k in range(12)]
    pairs = list(itertools.combinations(names, 2))
    whole = run(balls(pairs, places, speeds), 0.4)
    at = {name: np.stack([whole[f"{name}.q[{k}]"] for k in (1, 2, 3)], axis=1) for name in names}
    near = [(a, b) for a, b in pairs if np.linalg.norm(at[a] - at[b], axis=1).min() < 2 * RADIUS + 0.01]
    assert 10 < len(near) < len(pairs) - 10, len(near)
    assert_same_motion(whole, run(balls(near, places, speeds), 0.4), 12)


def test_order_of_pairs_changes_no_bit_of_two_touches() -> None:
    """In a row of balls none touches more than two others, and sums of two forces are the same in either order."""
    places = np.stack([0.101 * np.arange(6), np.zeros(6), np.zeros(6)], axis=1)
    speeds = np.zeros((6, 3))
    speeds[0, 0] = 1.0
    pairs = list(itertools.combinations([f"b{k}" for k in range(6)], 2))
    results = [run(balls(order, places, speeds), 0.15) for order in (pairs, pairs[::-1])]
    assert results[0]["b5.u[1]"][-1] > 0.3
    assert_same_motion(*results, 6)


# -- pairs ---------------------------------------------------------------------------------------------------
@pytest.mark.quick
def test_pairs_of_bodies() -> None:
    """Every two bodies but a body and its parent, and excluded ones; each pair in the order that its shapes require."""
    m = mbs.Model("pairs")
    for name, parent in (("a", "world"), ("b", "a"), ("c", "b"), ("d", "world")):
        m.body(name, parent, mbs.Free(), mass=1.0, inertia=(0.1,) * 3)
    ball, box = mbs.Sphere(0.1), mbs.Box(0.1, 0.1, 0.1)
    shapes = {"world": [mbs.Plane(), mbs.Plane("x")], "a": ball, "b": ball, "c": [ball, box], "d": [ball, (0, 0, 1)]}
    names = m.mutual_contact("x", shapes, exclude=[("b", "d"), (m.bodies["d"], "a")], stiffness=1e3)
    assert names == list(m.forces) == ["x.world.a", "x.world.b", "x.world.c", "x.world.d", "x.a.c", "x.c.d"]
    assert [len(m.forces[name].points) for name in names] == [2, 2, 18, 4, 2, 4]  # type: ignore[attr-defined]
    assert m.mutual_contact("y", {"a": ball, "c": [ball, mbs.Plane()]}, stiffness=1e3) == ["y.a.c", "y.c.a"]


# -- sizes ---------------------------------------------------------------------------------------------------
@pytest.mark.quick
def test_sizes_grow_with_the_number_of_pairs_only() -> None:
    """The code of 28 and 66 pairs is the same, tables have few addresses for each pair, and so have all other data."""
    texts, sizes = [], []
    for count in (8, 12):
        program = compile_model(cloud(count))
        tables = re.findall(r"^LAW\w+ = np\.array\((.*?)dtype", program.text, re.MULTILINE | re.DOTALL)
        code = program.text[program.text.index("@kernel") :]
        texts.append([re.sub(r"\d+", "0", line) for line in code.splitlines()])
        data = json.dumps([asdict(v) for v in program.variables])
        pairs = count * (count - 1) // 2
        sizes.append(((len(re.findall(r"\d+", " ".join(tables)))) / pairs, len(data) / pairs))
    assert texts[0] == texts[1]
    assert sizes[1][0] < 60.0
    assert sizes[1][1] < 1.1 * sizes[0][1]
