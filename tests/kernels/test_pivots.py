"""Pivoted Cholesky of the blocks of S: numpy computes the same, row by row, and frozen rows keep the bits."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.record.blocks import LoopNumbers
from mbs_fmu.record.codes import RowSelection
from support.cases import tiers
from support.comparisons import assert_close
from support.generators.loops import PlainLoops

TOLERANCE = 1e-9
SEEDS = tiers(range(24), usual=6)


@cache
def welded() -> PlainLoops:
    """A body with a closure of six rows."""
    m = mbs.Model("welded")
    m.body("body", joint=mbs.Free(), mass=1.0, inertia=(0.1, 0.2, 0.3))
    m.close("weld", "world", "body", mbs.Weld())
    return PlainLoops(m)


@cache
def rolling() -> PlainLoops:
    """A wheel on a floor: the first of three rows is one of positions, the others are constraints on velocities."""
    m = mbs.Model("rolling")
    m.body("disc", joint=mbs.Free(), mass=1.0, inertia=(0.1, 0.2, 0.1))
    m.roll("floor", "disc", radius=0.2)
    m.start("disc", q=(0, 0, 0.2, 1, 0, 0, 0))
    return PlainLoops(m)


class Block:
    """The first block of S of a model, random and of some rank, with random reference pivots."""

    def __init__(self, plain: PlainLoops, rank: int, rng: np.random.Generator):
        self.plain, self.R = plain, plain.R.copy()
        self.m = m = len(plain.program.loops[0]["labels"])
        B = rng.normal(size=(m, rank))
        self.S = B @ B.T
        self.scales = np.diag(self.S) * np.exp(0.5 * rng.normal(size=m))
        self.put("scales", self.scales)
        self.number("tolerance", TOLERANCE)

    def put(self, region: str, values: np.ndarray) -> None:
        start = self.plain.slice(region).start
        self.R[start : start + values.size] = values.ravel()

    def number(self, name: str, value: float) -> None:
        self.R[self.plain.slice("loop_state").start + getattr(LoopNumbers, name)] = value

    def factorise(self, selection: int) -> int:
        """Factorise the block as in a solution of (L7), and return its rank."""
        self.put("blocks", self.S)
        self.number("row_selection", selection)
        return int(self.plain.real.pivoted_cholesky(self.R, 0))

    def pivots(self, rank: int) -> list[int]:
        return [int(p) for p in self.plain.get(self.R, "pivots")[:rank]]

    def square(self, region: str, rank: int) -> np.ndarray:
        """The first columns of a matrix of all rows."""
        return self.plain.get(self.R, region)[: self.m**2].reshape(self.m, self.m)[:, :rank]

    def triangle(self, rank: int) -> np.ndarray:
        return np.tril(self.square("factors", rank)[:rank])


def pivoted(S: np.ndarray, scales: np.ndarray, excluded: set[int]) -> tuple[list[int], np.ndarray]:
    """Pivots, and columns of L with the rows in the order of S, by updates of the whole remaining matrix."""
    rest, pivots, columns = S.copy(), list[int](), []
    while True:
        ratios = {i: rest[i, i] / scales[i] for i in range(len(S)) if i not in excluded and i not in pivots}
        best = max(ratios, key=lambda i: ratios[i], default=-1)
        if best < 0 or ratios[best] <= TOLERANCE:
            return pivots, np.array(columns).reshape(-1, len(S)).T
        pivots.append(best)
        columns.append(rest[:, best] / np.sqrt(rest[best, best]))
        rest -= np.outer(columns[-1], columns[-1])


@pytest.mark.parametrize("seed", SEEDS)
def test_free_selection_is_pivoted_cholesky(seed: int) -> None:
    """Same pivots and factors, of all rows; columns are solved as numpy does."""
    rng = np.random.default_rng(seed)
    block = Block(welded(), 1 + seed % 6, rng)
    rank = block.factorise(RowSelection.free)
    pivots, expected = pivoted(block.S, block.scales, set())
    assert rank == 1 + seed % 6 and block.pivots(rank) == pivots
    size = np.sqrt(np.max(np.diag(block.S)))
    weakest = min(expected[p, k] for k, p in enumerate(pivots)) / size
    accuracy = 1e-14 / weakest**2  # of an entry: the rounding of S, divided by the least pivot twice
    assert_close(block.triangle(rank) / size, expected[pivots] / size, accuracy, "L")
    omitted = [i for i in range(6) if i not in pivots]
    if omitted:
        found = block.square("row_factors", rank)[omitted]
        assert_close(found / size, expected[omitted] / size, accuracy, "L of an omitted row")
    source = rng.normal(size=6)
    block.put("right", source)
    start, target = (block.plain.slice(name).start for name in ("right", "column"))
    block.plain.real.forward_substitution(block.R, block.plain.slice("factors").start, 6, 0, rank, start, 1, target)
    solved = np.linalg.solve(block.triangle(rank), source[pivots])
    assert_close(block.R[target : target + rank], solved, 1e-14 / weakest**2 * np.max(np.abs(solved)), "L⁻¹ b")


@pytest.mark.parametrize("seed", SEEDS)
def test_frozen_rows_have_the_bits_of_the_free_selection(seed: int) -> None:
    """Also if fewer rows are selected; a row that depends on those before it ends the factorisation."""
    rng = np.random.default_rng(seed)
    block = Block(welded(), 1 + seed % 6, rng)
    rank = block.factorise(RowSelection.free)
    L, pivots = block.triangle(rank), block.pivots(rank)
    omitted = [i for i in range(6) if i not in pivots]
    rows = block.square("row_factors", rank)[omitted]
    block.put("row_factors", np.zeros(36))
    assert block.factorise(RowSelection.frozen) == rank
    block.plain.real.factor_all_rows(block.R, 0)
    np.testing.assert_array_equal(block.triangle(rank), L)
    np.testing.assert_array_equal(block.square("row_factors", rank)[omitted], rows)
    few = int(rng.integers(rank + 1))
    block.put("chosen", np.array([few]))
    assert block.factorise(RowSelection.frozen) == few
    np.testing.assert_array_equal(block.triangle(few), L[:few, :few])
    if omitted:
        block.put("pivots", np.array([*pivots, *omitted]))
        block.put("chosen", np.array([rank + 1]))
        assert block.factorise(RowSelection.frozen) == rank
    before = block.plain.get(block.R, "ranks")[0]
    assert block.factorise(RowSelection.none) == 0 and block.plain.get(block.R, "ranks")[0] == before


@pytest.mark.parametrize("seed", SEEDS)
def test_excluded_rows_are_no_pivots(seed: int) -> None:
    """Constraints on velocities are excluded while positions are projected."""
    block = Block(rolling(), 1 + seed % 3, np.random.default_rng(seed))
    block.number("positions", 1.0)
    rank = block.factorise(RowSelection.free)
    excluded = {i for i in range(3) if block.plain.real.is_excluded(block.R, i)}
    assert len(excluded) == 2
    pivots, expected = pivoted(block.S, block.scales, excluded)
    assert block.pivots(rank) == pivots and rank == 1
    np.testing.assert_allclose(block.triangle(rank), expected[pivots], rtol=1e-15)
