"""Checks of starts treat the trees of a model one by one if nothing couples them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.run.checks import starts, trees
from mbs_fmu.run.checks.rests import fastest_rest
from mbs_fmu.run.checks.starts import Start
from mbs_fmu.run.checks.trees import independent_trees
from mbs_fmu.run.simulate import compiled

SOLID = {"mass": 2.0, "com": (0.01, 0.02, 0.03), "inertia": (0.01, 0.02, 0.025)}


def balls(count: int) -> mbs.Model:
    """Balls on a plane, every second one with an arm, that touch the plane and their neighbours."""
    m, ball = mbs.Model("balls"), mbs.Sphere(0.1)
    for k in range(count):
        m.body(f"b{k}", joint=mbs.Free(), **SOLID)
        m.start(f"b{k}", q=(0.19 * k, 0.01 * k, 0.099, 1, 0, 0, 0), u=(0.1 * k, 0, 0, 0, 0.2, 0))
        if k % 2:
            m.body(f"arm{k}", f"b{k}", mbs.Revolute("y"), at=(0.05, 0, 0.1), **SOLID)
    m.ground("ground", {f"b{k}": ball for k in range(count)}, stiffness=1e4, friction=0.5)
    for k in range(1, count):
        m.contact(f"pair{k}", f"b{k - 1}", f"b{k}", shape_a=ball, shape_b=ball, stiffness=1e4, friction=0.3)
    return m


def start_of(model: mbs.Model) -> Start:
    runtime = compiled(model)
    R = runtime.program.new_record()
    runtime.initialize(R, 1e-6, 1e-8)
    runtime.refresh(R)
    return Start(model, runtime, R)


def test_mobilities_are_those_of_all_bodies_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """One impulse at a time on the whole model gives the same mobilities and the same fastest rest.

    Both are differences of poses and an eigenproblem of at most 40 rows: errors of 1e-9 and of 1e-15 times the
    condition of the mass matrix, 1e4.
    """
    model = balls(5)
    own = start_of(model)
    mobilities, rest = own.mobilities, fastest_rest(own)
    assert len(own.trees.velocities) == 5
    monkeypatch.setattr(trees, "independent_trees", lambda model: dict.fromkeys(model.bodies, 0))
    together = start_of(model)
    assert len(together.trees.velocities) == 1
    other = fastest_rest(together)
    assert np.allclose(mobilities, together.mobilities, rtol=1e-7)
    assert rest is not None and other is not None
    assert rest.rate == pytest.approx(other.rate, rel=1e-7)
    assert rest.remedy == other.remedy


def test_evaluations_do_not_grow_with_the_number_of_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tree has at most seven joint velocities, so there are seven evaluations for any number of trees."""
    count: list[int] = []
    pushed = starts.pushed
    monkeypatch.setattr(starts, "pushed", lambda *arguments: (count.append(1), pushed(*arguments))[1])
    for number in (2, 6):
        count.clear()
        assert start_of(balls(number)).mobilities.all()
        assert len(count) == 7


def two(m: mbs.Model) -> None:
    for name in "ab":
        m.body(name, joint=mbs.Revolute("y"), **SOLID)
        m.body(f"{name}2", name, mbs.Revolute("x"), at=(0, 0, 1), **SOLID)


COUPLINGS: dict[str, tuple[Callable[[mbs.Model], object], int]] = {
    "nothing": (lambda m: None, 2),
    "a spring": (lambda m: m.spring("s", "a", "b", stiffness=1.0, length=1.0), 2),
    "a loop on the world": (lambda m: m.close("c", "a2", "world", mbs.Distance(1.0), at_b=(0, 0, 2)), 2),
    "a loop": (lambda m: m.close("c", "a2", "b2", mbs.Distance(1.0), at_b=(0, 0, 1)), 1),
    "a follower": (lambda m: m.follow("f", on="b", leader="a", ratio=2.0), 1),
    "an equation": (lambda m: m.constrain("e", mbs.coordinate("a") - mbs.coordinate("b2")), 1),
}


@pytest.mark.parametrize("name", COUPLINGS)
def test_couplings_join_trees(name: str) -> None:
    """Forces do not, since an impulse on one body moves no other body through them."""
    m = mbs.Model("two")
    two(m)
    couple, count = COUPLINGS[name]
    couple(m)
    numbers = independent_trees(m)
    assert numbers["a"] == numbers["a2"] and numbers["b"] == numbers["b2"]
    assert len(set(numbers.values())) == count
