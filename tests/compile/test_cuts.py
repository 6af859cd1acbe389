"""Cuts of loops, their costs, and hints at cheaper cuts."""

from __future__ import annotations

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.compile.build import compile_model
from mbs_fmu.compile.closures.cuts import Cut, Cuts, elimination_tables, row_addresses
from mbs_fmu.compile.closures.hints import better_cuts
from mbs_fmu.model.model import Model
from support.cases import tiers


def scissor(stages: int, good: bool) -> Model:
    """Return crossed bars in the x-z plane, cut so that two loops are open at each joint, or all of them."""
    m = Model("scissor")
    height = 0.6
    places_of = {"world": np.zeros(3)}

    def left(n: int) -> np.ndarray:
        return np.array([-0.5, 0, n * height])

    def right(n: int) -> np.ndarray:
        return np.array([0.5, 0, n * height])

    def middle(n: int) -> np.ndarray:
        return np.array([0, 0, (n + 0.5) * height])

    def bar(name: str, parent: str, at: np.ndarray, a: np.ndarray, b: np.ndarray) -> None:
        places_of[name] = at
        inertia = (0.1, 0.1, 0.1)
        m.body(name, parent, mbs.Revolute("y"), 1.0, (a + b) / 2 - at, inertia, at - places_of[parent])

    def close(name: str, a: str, b: str, at: np.ndarray) -> None:
        m.close(name, a, b, mbs.Revolute("y"), at_a=at - places_of[a], at_b=at - places_of[b])

    bar("a0", "world", left(0), left(0), right(1))
    bar("b0", "a0", middle(0), right(0), left(1))
    for n in range(1, stages):
        bar(f"b{n}", f"a{n - 1}", right(n), right(n), left(n + 1))
        if good:
            bar(f"a{n}", f"b{n}", middle(n), left(n), right(n + 1))
            close(f"loop{n}", f"b{n - 1}", f"a{n}", left(n))
        else:
            bar(f"a{n}", f"b{n - 1}", left(n), left(n), right(n + 1))
            close(f"loop{n}", f"a{n}", f"b{n}", middle(n))
    return m


def test_rows_are_open_up_to_their_root() -> None:
    """Two loops in a tree 0-1-2, 0-3 are open on the paths to the lowest common ancestor, and eliminated there."""
    cuts = Cuts([-1, 0, 1, 0], [1, 1, 1, 1], [Cut("a", 2, frozenset({2, 3})), Cut("b", 1, frozenset({3, -1}))])
    assert cuts.roots == [0, -1]
    assert [cuts.open(i) for i in range(4)] == [[1], [0], [0], [0, 1]]
    assert cuts.order == [0, 1] and cuts.later(0) == [1]
    assert cuts.cost == (1 + 6) + (4 + 12) + (4 + 12) + (9 + 18)
    computed = row_addresses(cuts)
    assert computed.rows == 3 and elimination_tables(computed, cuts)["ROOTED_FIRST"] == [0, 1, 1, 1, 1, 2]


@pytest.mark.parametrize("stages", tiers([3, 12], usual=1))
def test_cheaper_cuts_are_named(stages: int) -> None:
    """The expensive cut of a scissor gets a hint at the cheap one, which gets none."""
    assert compile_model(scissor(stages, True)).hints == []
    (hint,) = compile_model(scissor(stages, False)).hints
    assert "other cuts are cheaper" in hint and "loop1" in hint


@pytest.mark.slow
def test_cost_of_blocks_grows_linearly() -> None:
    """The cost is the stored numbers of S for scissors with the cheap cut."""
    sizes = [compile_model(scissor(n, True)).regions["blocks"][1] for n in (10, 20, 30)]
    assert sizes[2] - sizes[1] == sizes[1] - sizes[0]


def test_a_joint_that_cannot_be_cut_gives_no_hint() -> None:
    """The joint of the tree could not close a loop: the model compiles, without a hint."""
    m = mbs.Model("odd")
    joint = mbs.Compound(mbs.turn("x"), mbs.slide("y"), mbs.turn("x"))
    m.body("a", "world", joint, mass=1.0, inertia=(1, 1, 1))
    m.body("b", "a", mbs.Revolute("z"), mass=1.0, inertia=(1, 1, 1), at=(1, 0, 0))
    m.close("loop", "world", "b", mbs.Spherical(), at_a=(1, 0, 0))
    assert better_cuts(m) == []


@pytest.mark.slow
def test_a_model_without_open_rows_gets_no_hint() -> None:
    """An elastic body that is welded and closed has no joint velocities between its rows."""
    m = mbs.Model("clamped")
    rod = mbs.beam(1.0, mbs.Rectangle(0.04, 0.02), 2.1e11, 7800.0, modes=6)
    body = m.body("rod", elastic=rod)
    m.close("end", "world", body.node("tip"), mbs.Revolute("y"), at_a=(1, 0, 0))
    assert not any("cheaper" in note for note in mbs.simulate(m, 1e-3).statistics["notes"])
