"""Records before a run and between its steps, in plain Python."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.kernels.records import fits, set_tolerances
from mbs_fmu.record.blocks import HeadNumbers
from support.generators.mechanisms import Plain

#: A number, two loops, their three and two rows, two numbers of elastic bodies.
WHOLE, RANKS, PIVOTS, SHAPES = HeadNumbers.size, HeadNumbers.size + 1, HeadNumbers.size + 3, HeadNumbers.size + 8
RULES = [1.0, WHOLE, -1.0, 2.0, 2.0, RANKS, PIVOTS, 3.0, RANKS + 1, PIVOTS + 3, 2.0, SHAPES, 2.0, 0.25, 3.0]
SOUND = [0.0] * HeadNumbers.size + [1.0, 2.0, 1.0, 2.0, 0.0, 0.0, 1.0, 1.0, 0.25, 3.0]


def with_number(place: int, value: float) -> list[float]:
    return [*SOUND[:place], value, *SOUND[place + 1 :]]


@pytest.mark.quick
def test_records_with_invalid_numbers_are_rejected() -> None:
    """Indices and counts are whole and within their bounds, numbers of elastic bodies are unchanged, and time and step
    size are finite, the latter not negative.
    """
    assert fits(SOUND, RULES)
    for value in (-1.0, 0.0, 1.0, 2.0):
        assert fits(with_number(WHOLE, value), RULES)
    for place in (WHOLE, RANKS, RANKS + 1, PIVOTS, PIVOTS + 4):
        for value in (-2.0, 0.5, 4.0, 1e300, math.nan, math.inf, -math.inf, 5e-324):
            assert not fits(with_number(place, value), RULES), (place, value)
    for place, value in itertools.product((SHAPES, SHAPES + 1), (-1.0, 0.0, 0.5, 4.0, math.nan, math.inf)):
        assert not fits(with_number(place, value), RULES), (place, value)
    for place, values in ((HeadNumbers.time, (math.nan, math.inf)), (HeadNumbers.step, (math.nan, math.inf, -1.0))):
        assert not any(fits(with_number(place, value), RULES) for value in values)


@pytest.mark.quick
def test_chosen_rows_of_a_record_are_distinct() -> None:
    """The first pivots of a loop are different, as many as its rank; the others may be any of its rows."""
    for rank, *pivots in itertools.product(range(4), range(3), range(3), range(3)):
        record = [*SOUND[:RANKS], float(rank), 1.0, *map(float, pivots), *SOUND[PIVOTS + 3 :]]
        assert fits(record, RULES) == (len(set(pivots[:rank])) == rank)


@pytest.mark.quick
def test_the_absolute_tolerance_scales_with_the_relative_one() -> None:
    """If states are projected, the bound is a hundredth of the absolute tolerance, whose ratio to the relative one is
    constant.

    Factors are powers of two, and so without rounding.
    """
    for rtol, bound in ((2.0**-20, 0.01 * 2.0**-24), (2.0**-22, 0.01 * 2.0**-26)):
        R = np.zeros(HeadNumbers.size + 1)
        set_tolerances(R, HeadNumbers.size, rtol, 2.0**-20, 2.0**-24)
        assert R[HeadNumbers.absolute] == 2.0**-4
        assert R[HeadNumbers.size] == bound


@pytest.mark.quick
@pytest.mark.parametrize("project", [-1, HeadNumbers.size])
def test_tolerances_of_unprojected_states_keep_their_ratio(project: int) -> None:
    """Without an address of the bound, or with a negative bound, states are never projected: only
    the ratio is written.
    """
    R = np.full(HeadNumbers.size + 1, -1.0)
    set_tolerances(R, project, 1e-6, 1e-6, 1e-8)
    assert np.flatnonzero(R != -1.0).tolist() == [HeadNumbers.absolute]


def test_tables_of_laws_are_left_alone_where_tangents_are_cleared() -> None:
    """No step passes over the numbers of a table, of which a road may have millions; their tangents stay."""
    m = mbs.Model("cart")
    m.body("cart", joint=mbs.Prismatic("x"), mass=2.0)
    m.motor("push", on="cart", force=mbs.curve(mbs.coordinate("cart"), [0.0, 1.0, 2.0], [3.0, 4.0, 6.0]))
    m.output("acceleration", mbs.acceleration("cart"))
    plain = Plain(m)
    D = np.ones_like(plain.R)
    plain.real.set_motion_tangents(plain.R, D)
    values = plain.slice("values")
    assert values.stop - values.start >= 12 and (D[values] == 1.0).all()
    x, rates = plain.program.state_slice, plain.program.rate_slice
    assert (D[x] == plain.R[rates]).all() and D[HeadNumbers.time] == 1.0
    D[x], D[HeadNumbers.time] = 0.0, 0.0
    assert not D[: values.start].any() and not D[values.stop : plain.real.TAIL].any()
    assert (D[plain.real.TAIL :] == 1.0).all()
