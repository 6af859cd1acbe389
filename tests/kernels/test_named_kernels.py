"""Kernels as they are written, on views of the record, and their flat text: the same bits of all arrays and results.

Equal text does not prove that a kernel means what it says: two regions may share a name in flat text, a slice may end
beyond its region. Numbers that a kernel neither reads nor writes by its derived effects are hidden from it, if those of
all functions that it calls are known.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from support.kernels import all_kernels, kernels_written_by, named
from support.models.linkages import quadrilateral
from support.spies.kernel_scenes import METHODS, derivatives, runs, scenes, started, steps
from support.spies.named_calls import is_stub
from support.views import onwards, rows, view

IN_LANES = "integrate.lanes."  #: modules of kernels on records that have a column for each member of a batch


@pytest.fixture(autouse=True)
def quiet() -> object:
    """Divisions by zero and numbers that are not finite are a part of some scenes."""
    with np.errstate(all="ignore"):
        yield


def written(methods: tuple[str, ...]) -> set[str]:
    """Return the names of the kernels that methods write as text."""
    return {named(kernel) for method in methods for kernel in kernels_written_by(method)}


def test_kernels_of_a_four_bar_mean_their_flat_text() -> None:
    """Starts, steps and runs with every kind of method."""
    run = started(quadrilateral(1, 2, 1.5, 2, 1.0, 2.0))
    steps(run)
    runs(run)
    assert not run.differences
    assert len(run.calls) > 140 and run.calls.keys() >= written(METHODS)


@pytest.mark.slow
def test_all_kernels_mean_their_flat_text() -> None:
    """The scenes reach every kernel on single records."""
    differences: dict[str, str] = {}
    reached: set[str] = set()
    for calls in itertools.chain(scenes(), derivatives()):
        differences |= calls.differences
        reached |= calls.calls.keys()
    assert not differences
    kernels = {named(kernel) for kernel in all_kernels() if not is_stub(kernel)} | written((*METHODS, "ros34pw2"))
    assert {kernel for kernel in kernels - reached if not kernel.startswith(IN_LANES)} == set()


def test_views_refuse_what_flat_text_takes_for_other_numbers() -> None:
    """Numpy would count from the end, clip, or repeat a number; flat text computes an address."""
    numbers = np.arange(12.0)
    vector, matrix = view(numbers, 2, (4,)), view(numbers, 0, (3, 2))
    for refused in (lambda: vector[-1], lambda: vector[1:5], lambda: matrix[1, :3], lambda: matrix[0, 2]):
        with pytest.raises(IndexError):
            refused()
    for count in (1, 3):
        with pytest.raises(IndexError, match="numbers are copied"):
            vector[:] = matrix.flat[:count]
    vector[:] = matrix.flat[:4]
    assert numbers.tolist() == [0, 1, 0, 1, 2, 3, 6, 7, 8, 9, 10, 11]


def test_views_know_their_addresses() -> None:
    """A part of a part is where flat text computes it: columns, rows, rows from an index on."""
    numbers = np.arange(12.0)
    matrix = view(numbers, 2, (3, 3))
    assert (matrix[1].address, matrix[:, 2].address, matrix[1:, 1:].address) == (5, 4, 6)
    assert matrix[1].matrix(1, 2).tolist() == [[6, 7], [8, 9], [10, 11]]
    assert rows(numbers, 2, 4)[1].address == 6 and onwards(numbers, 1, 5).tolist() == [1, 6, 11]
