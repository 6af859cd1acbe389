"""Systems with crossings have their outcome in closed form, with every method."""

from __future__ import annotations

import pytest

import mbs_fmu as mbs
from support.crossings.outcomes import Case
from support.crossings.table import CASES, touches
from support.crossings.ways import Way, every_way


@every_way
@pytest.mark.parametrize("case", CASES, ids=str)
def test_outcome(case: Case, way: Way) -> None:
    """The rows, the log and the lost energies are those of the closed form, or the run is refused at its time."""
    case.check(way)


@every_way
def test_two_and_three_zeros_in_a_step(way: Way) -> None:
    """A touch is no crossing; an even number of crossings between two looks is none, an odd one is one."""
    result = mbs.simulate(touches(), 1.25, output_interval=0.25, **way.options())
    pair, triple = len(result.events["pair"]), len(result.events["triple"])
    assert len(result.events["touch"]) == 0
    assert pair % 2 == 0 and triple % 2 == 1 and result["n"][-1] == triple
    if way.fixed:  # both lie between 0.5 s and the end of the next step
        assert (pair, triple) == (0, 1)
