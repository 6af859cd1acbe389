"""What modes add to forms, in groups of forms with the same modes."""

from __future__ import annotations

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.compile.slopes import slopes_of
from mbs_fmu.elastic.modes import Modes
from mbs_fmu.kernels.bending import linear, linear_groups
from mbs_fmu.record.layout import INERTIA

pytestmark = pytest.mark.quick


def beam(modes: int) -> Modes:
    return mbs.beam(1.0, mbs.Rectangle(0.04, 0.02), 2.1e11, 7800.0, modes=modes)


@pytest.mark.parametrize("modes", [5, 12, 13, 30])
def test_forms_are_those_of_the_full_tables(modes: int) -> None:
    """By both ways to store them, all forms and those without dJ/dxi; a beam with many modes has groups."""
    data = beam(modes)
    names = list(data.nodes)
    numbers, grouped = slopes_of(data, names)
    assert grouped == (modes > 5)
    second = [data.inertia.J2[tuple(np.array(INERTIA).T)], -data.inertia.C1, *(data.node(name).Y2 for name in names)]
    x = np.random.default_rng(0).normal(size=modes)
    wanted = np.einsum("rba,b->ra", np.concatenate(second), x).ravel()
    m, room = len(wanted), len(wanted) + 4
    for most in (1, 2):
        R = np.concatenate([x, np.zeros(m + room), numbers])
        first, skipped = modes + m + room, (most - 1) * 6 * modes
        if grouped:
            linear_groups(R, modes, first, 0, modes + m, most)
        else:
            linear(R, modes + skipped, first + skipped, 0, modes, modes, m, m - skipped)
        found = R[modes + skipped : modes + m]
        assert np.linalg.norm(found - wanted[skipped:]) <= 1e-14 * np.linalg.norm(wanted[skipped:])


def test_groups_leave_zeros_out() -> None:
    """Bending in both planes, stretching and torsion of a beam: less than half of the numbers of full tables."""
    data = beam(20)
    assert len(slopes_of(data, list(data.nodes)).numbers) < 0.5 * (9 + 6 * len(data.nodes)) * 20**2
