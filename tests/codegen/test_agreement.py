"""Lanes that agree on branches: random kernels on lanes equal those on single records, in all lanes that stay."""

from __future__ import annotations

import numpy as np
import pytest

from support.cases import tiers
from support.generators.kernel_programs import as_python, module_of
from support.generators.voting_programs import ACTIVE, LEAVING, RESULT, ROWS, SAME, voting_programs
from support.machine_code import in_machine_code

LANES = (8, 4, 16, 2)
COUNT = 12  #: programs in a module
RUNS = [(0, 0.5), (3, -2.25), (6, 0.0), (11, np.inf), (-5, np.nan), (2, -0.0), (4, 1e-3), (7, 1e200)]
VOTES = (ACTIVE, LEAVING)


def records(seed: int, lanes: int) -> np.ndarray:
    """Return start values of all programs, (COUNT, ROWS, lanes).

    Members have many numbers in common, so that many agree. Some lanes are inactive from the beginning, and contain
    NaN.
    """
    rng = np.random.default_rng([seed, 2])
    base, own = (np.round(rng.normal(size=(COUNT, ROWS, n)) * 4.0, 2) for n in (1, lanes))
    R = np.where(rng.random(own.shape) < 0.1 * rng.random((COUNT, 1, lanes)), own, base)
    for special, share in ((0.0, 0.1), (-0.0, 0.03), (np.inf, 0.02), (np.nan, 0.02)):
        R[np.broadcast_to(rng.random(base.shape) < share, R.shape)] = special
    R[:, SAME] = base[:, SAME]
    active = rng.random((COUNT, lanes)) < 0.85
    active[np.arange(COUNT), rng.integers(lanes, size=COUNT)] = True
    R[:] = np.where(active[:, None], R, np.nan)
    R[:, ACTIVE] = active
    R[:, LEAVING] = rng.integers(1, 2**31 - 1, size=(COUNT, lanes))
    return R


def equal_records(seed: int, lanes: int) -> np.ndarray:
    """Return the same with equal numbers in all active lanes."""
    R = records(seed, lanes)
    for one in R:
        active = one[ACTIVE] > 0.5
        one[:LEAVING, active] = one[:LEAVING, active][:, :1]
    return R


def bits(R: np.ndarray) -> np.ndarray:
    """Return the bits of numbers; which NaN an operation gives is left open by IEEE 754."""
    return np.where(np.isnan(R), np.nan, R).view(np.int64)


class Programs:
    """Random programs in plain Python, and on lanes as machine code."""

    def __init__(self, seed: int, lanes: int, leaving: bool = False):
        text = voting_programs(seed, COUNT, lanes, leaving)
        self.plain, self.compiled = as_python(text), in_machine_code(module_of(text).run)

    def after(self, before: np.ndarray, n: int, x: float) -> np.ndarray:
        """Return the records after all programs on lanes."""
        wide = before.reshape(-1, before.shape[-1]).copy()
        self.compiled(wide, n, x)
        return wide.reshape(before.shape)

    def check(self, before: np.ndarray, n: int, x: float) -> np.ndarray:
        """Check the active lanes of all programs; return the number of lanes that were active, and that stay."""
        after = self.after(before, n, x)
        active, were = (R[:, ACTIVE] > 0.5 for R in (after, before))
        assert active.any(axis=1).all() and not np.any(active & ~were)
        for program, lane in np.argwhere(active).tolist():
            one = before[program, :, lane].copy()
            with np.errstate(all="ignore"):
                one[RESULT] = getattr(self.plain, f"program_{program}")(one, n, np.float64(x))
            same = np.delete(bits(one) == bits(after[program, :, lane].copy()), VOTES)
            assert same.all(), f"program {program}, n = {n}, x = {x}, lane {lane}: {np.flatnonzero(~same)}"
        return np.array([were.sum(), active.sum()])


@pytest.mark.parametrize("seed", tiers(range(40), usual=1))
def test_random_programs_in_lanes_equal_single_runs(seed: int) -> None:
    """Every number of a lane that stays active has the bits of its own run; some lanes stay, others leave."""
    lanes, made = LANES[seed % 4], Programs(seed, LANES[seed % 4])
    before, after = sum(made.check(records(1000 * seed + k, lanes), *run) for k, run in enumerate(RUNS))
    assert 0.2 * before < after < before


@pytest.mark.parametrize("seed", tiers(range(40, 44), usual=1))
def test_lanes_with_equal_numbers_stay(seed: int) -> None:
    """Lanes that do not differ take all branches together, whatever lanes that were inactive before contain."""
    lanes, made = LANES[seed % 4], Programs(seed, LANES[seed % 4])
    for number, run in enumerate(RUNS):
        R = equal_records(1000 * seed + number, lanes)
        assert np.array_equal(made.after(R, *run)[:, ACTIVE], R[:, ACTIVE])


@pytest.mark.parametrize("seed", tiers(range(48, 56), usual=1))
def test_lanes_that_leave_at_random(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lanes that stay have the bits of their own runs also if votes drop lanes at random."""
    monkeypatch.setattr("mbs_fmu.codegen.llvm.agreement.SHARE", 0.02)
    lanes, made = LANES[seed % 4], Programs(seed, LANES[seed % 4], leaving=True)
    for number, run in enumerate(RUNS):
        made.check(records(1000 * seed + number, lanes), *run)
    R = equal_records(seed, lanes)
    assert made.after(R, *RUNS[0])[:, ACTIVE].sum() < R[:, ACTIVE].sum()
