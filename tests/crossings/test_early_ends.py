"""Calls of importers that may end early: an early end is one at which something is due, in plain Python."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.codegen.ahead import module_ahead
from mbs_fmu.codegen.modules import load_plain
from mbs_fmu.record.blocks import HeadNumbers
from mbs_fmu.record.codes import Status
from mbs_fmu.run.simulate import compiled
from support.cases import tiers

pytestmark = pytest.mark.quick
STOP, MOST = 0.7, 10_000
INPUTS = np.zeros(200)


def ball(height: float) -> mbs.Model:
    """A ball that falls from a height onto a floor and rebounds."""
    m = mbs.Model("ball", gravity=(0, 0, -8.0))
    body = m.body("ball", joint=mbs.Prismatic("z"), mass=2.0)
    m.start(body, q=height)
    m.contact("floor", "world", body, mbs.OnPlane("z"), restitution=0.5)
    m.output("z", mbs.coordinate(body))
    return m


def started(height: float, method: str) -> tuple[ModuleType, np.ndarray]:
    """Kernels of a ball with the entries of native FMUs, and its record after a start."""
    program = compiled(ball(height), method=method, alone=True).program
    kernels, R = load_plain(module_ahead(program)), program.new_record()
    assert kernels.initialise(R) == Status.ok
    kernels.refresh(R, INPUTS)
    return kernels, R


def call(kernels: ModuleType, R: np.ndarray, method: str, reported: int) -> int:
    """Make the steps of a call up to STOP; return a status."""
    if method == "rk4":
        status: int = kernels.rk4_fixed_to_event(R, INPUTS, STOP, 0.01, MOST, reported)
    else:
        status = kernels.dopri5_adaptive_to_event(R, INPUTS, STOP, 1e-6, MOST, reported)
    return status


@pytest.mark.parametrize("reported", [0, 1, 2])
@pytest.mark.parametrize("method", ["rk4", "dopri5"])
@pytest.mark.parametrize("height", tiers([1.0, 1.3, 3.0], usual=2))
def test_a_call_ends_at_its_stop_or_where_something_is_due(height: float, method: str, reported: int) -> None:
    """A ball strikes the floor at √(h/4) s, within the call from 1.0 and 1.3 m, never from 3 m.

    The call may end anywhere (2), at its stop only (1), or at no event (0). If nothing is due, its state has the bits
    of a call that ends at no event.
    """
    kernels, R = started(height, method)
    strikes = float(np.sqrt(height / 4.0))
    assert call(kernels, R, method, reported) == Status.ok
    is_early = bool(R[HeadNumbers.time] < STOP)
    assert is_early == (reported == 2 and strikes < STOP), f"ends at {R[HeadNumbers.time]} s"
    if is_early:
        assert R[HeadNumbers.time] == pytest.approx(strikes, abs=1e-9)
        assert kernels.is_due(R, INPUTS) == 1
        assert kernels.apply_due(R, INPUTS, method == "dopri5") == Status.ok
        assert kernels.is_due(R, INPUTS) == 0
    elif strikes > STOP:
        assert kernels.is_due(R, INPUTS) == 0
        other, S = started(height, method)
        assert call(other, S, method, 0) == Status.ok
        assert np.array_equal(R, S, equal_nan=True)
