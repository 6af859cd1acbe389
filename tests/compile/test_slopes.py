"""Forms with the contributions of modes, in blocks of four forms by four modes."""

from __future__ import annotations

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.compile.build import compile_model
from mbs_fmu.compile.tree.elastic_slopes import nodes_of, slopes_of
from mbs_fmu.elastic.modes import Modes
from mbs_fmu.kernels.elastic.shapes import add_linear_terms
from mbs_fmu.record.elastic_layout import form_numbers, rest_inertia_at, rest_places_at, slopes_at
from mbs_fmu.record.layout import INERTIA
from support.cases import some_quick
from support.views import onwards

pytestmark = pytest.mark.quick


def beam(modes: int) -> Modes:
    return mbs.beam(1.0, mbs.Rectangle(0.04, 0.02), 2.1e11, 7800.0, modes=modes)


@pytest.mark.parametrize("modes", some_quick([5, 1, 3, 12, 13, 30], 1))
def test_blocked_forms_equal_full_tables(modes: int) -> None:
    """All forms agree, and those without dJ/dxi, for modes in the record's order."""
    data = beam(max(modes, 5)).keep(modes)
    names = list(data.nodes)
    numbers, order = slopes_of(data, names)
    second = [data.inertia.J2[tuple(np.array(INERTIA).T)], -data.inertia.C1, *(data.node(name).Y2 for name in names)]
    x = np.random.default_rng(0).normal(size=modes)
    columns = modes + -modes % 4
    expected = np.zeros((len(second[0]) + len(second[1]) + 6 * len(names), columns))
    expected[:, :modes] = np.einsum("rba,b->ra", np.concatenate(second), x)[:, order]
    for count_at in (4, 5):
        skipped = 6 * (count_at - 4)
        R = np.concatenate([x[order], np.zeros(expected.size), numbers])
        add_linear_terms(R, onwards(R, modes), onwards(R, modes + expected.size), onwards(R, 0), count_at)
        computed = R[modes : modes + expected.size].reshape(expected.shape)[skipped:]
        assert np.linalg.norm(computed - expected[skipped:]) <= 1e-14 * np.linalg.norm(expected[skipped:])


def test_coupled_modes_are_neighbours_in_blocked_tables() -> None:
    """For bending in both planes, stretching and torsion of a beam, about half of the full tables is stored."""
    data = beam(20)
    numbers, order = slopes_of(data, list(data.nodes))
    assert sorted(order) == list(range(20))
    assert len(numbers) < 0.5 * (9 + 6 * len(data.nodes)) * 20**2


def test_data_of_an_elastic_body_are_at_the_addresses_of_the_layout() -> None:
    """Me, nodes, inertia and slopes of compiled data are at the addresses that kernels compute, and nothing follows."""
    model = mbs.Model("one_beam")
    model.body("beam", joint=mbs.Revolute("z"), elastic=beam(6), root="root")
    program = compile_model(model)
    numbers = program.new_record()[program.region("shapes")].tolist()
    body = model.bodies["beam"].elastic
    assert body is not None
    n, data, names = body.modes.count, body.modes, nodes_of(body)
    slopes, order = slopes_of(data, names)
    parts = {
        form_numbers(n, len(names)): np.diag(data.inertia.Me)[order],
        rest_places_at(n, len(names)): np.concatenate([data.node(name).position for name in names]),
        rest_inertia_at(n, len(names)): np.array([data.inertia.mass]),
        slopes_at(n, len(names)): slopes,
    }
    for place, part in parts.items():
        assert numbers[place : place + len(part)] == part.tolist()
    assert len(numbers) == slopes_at(n, len(names)) + len(slopes)
