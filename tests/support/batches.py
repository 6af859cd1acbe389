"""Batches in lanes beside batches without lanes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.integrate.lanes import module
from mbs_fmu.run.runtime import Runtime

LANES_ONLY = {"lanes", "threads", "repeated", "alone"}  #: statistics that depend on lanes


def assert_same_in_lanes(
    model: mbs.Model, stop: float, members: Mapping[str, Any], lanes: Iterable[int], **options: Any
) -> list[mbs.BatchResult]:
    """Check that batches in lanes have the bits of a batch without lanes; return that, and those in lanes.

    Bits of all rows, numbers of rows, faults and all statistics of each member are compared.
    """
    results = [mbs.simulate(model, stop, batch=mbs.Batch(**members, lanes=1), **options)]
    for n in lanes:
        results.append(mbs.simulate(model, stop, batch=mbs.Batch(**members, lanes=n), **options))
        assert results[-1].statistics["lanes"] == n
        assert_equal_batches(results[-1], results[0])
    return results


def assert_equal_batches(one: mbs.BatchResult, other: mbs.BatchResult) -> None:
    """Check that two batches are equal in all but their use of lanes."""
    assert one.faults == other.faults
    assert np.array_equal(one.rows, other.rows), "numbers of rows"
    differing = np.argwhere(one.data.view(np.int64) != other.data.view(np.int64))
    if len(differing):
        member, row, column = differing[0]
        pair = [float(x.data[member, row, column]) for x in (one, other)]
        raise AssertionError(
            f"{one.columns[column]!r} of member {member} at time {one.data[member, row, 0]:g} s is {pair[0]!r}, "
            f"expected {pair[1]!r}; members {sorted(set(differing[:, 0].tolist()))} differ"
        )
    assert one.statistics.keys() - LANES_ONLY == other.statistics.keys() - LANES_ONLY
    for name in one.statistics.keys() - LANES_ONLY:
        np.testing.assert_equal(one.statistics[name], other.statistics[name], f"statistic {name!r}")


def let_lanes_leave(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compile lanes whose votes drop some of them at random; no member runs alone because it leaves often."""
    monkeypatch.setitem(module.LANE_NUMBERS, "LEAVING", len(module.LANE_NUMBERS))
    monkeypatch.setattr(Runtime, "in_lanes", lambda own, *how: own.loaded(module.runs_module(own.program, *how)))
    monkeypatch.setattr("mbs_fmu.run.batches.lanes.FEW_STEPS", 0)
