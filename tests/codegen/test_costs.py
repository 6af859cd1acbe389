"""Counted operations of kernels: the costlier way, loops with known bounds, loops without."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from mbs_fmu.codegen.ahead import text_ahead
from mbs_fmu.codegen.c.costs import ADDITIONS, CALLS, DIVISIONS, MULTIPLICATIONS, ROOTS, Costs
from mbs_fmu.codegen.modules import load_plain, load_uncached
from mbs_fmu.integrate.methods.table import method
from mbs_fmu.integrate.write import one_step_text
from mbs_fmu.run.simulate import compiled
from support.models.bundled import built

pytestmark = pytest.mark.quick

TEXT = '''
import numpy as np
from math import exp
from mbs_fmu.codegen.entries import kernel

N = 3
SIZES = np.array([2, 4], dtype=np.int64)

@kernel
def add(R, n):
    for k in range(n):
        R[k] += 1.0

@kernel
def straight(R):
    """Two products, a sum, a quotient, a root."""
    R[0] = np.sqrt(R[1] * R[2] + R[1] ** 2) / R[3]

@kernel
def branches(R):
    if R[0] > 0.0:
        R[1] = R[1] + R[2] + R[3]
        return 1
    if N > 5:
        R[1] = exp(R[1])
    R[2] = R[2] * R[3]
    return 0

@kernel
def loops(R):
    for k in range(N - 1):
        for j in range(SIZES[1]):
            R[k] += R[j] * 2.0
    add(R, 7)
    n = 2
    add(R, n)

@kernel
def attempt(R, code):
    R[0] = R[0] + R[1]
    if R[0] > 0.0:
        R[0] = R[0] + R[1] + R[2] + R[3] + R[4]
        return code
    for k in range(2):
        if R[k] > 1.0:
            return code
    R[0] = R[0] * R[1]
    return 0

@kernel
def careful(R):
    status = attempt(R, N)
    if status != 0:
        return status
    R[0] = R[0] + R[1] + R[2] + R[3] + R[4]
    return status

@kernel
def endless(R):
    while R[0] < 1.0:
        R[0] = R[0] + 0.5
'''


def counted(name: str) -> tuple[dict[str, int], Costs]:
    costs = Costs()
    return dict(costs.of(getattr(load_uncached(TEXT), name).kernel_function, ("array",))), costs


def test_operations_of_a_formula() -> None:
    """Each operation on numbers counts; a square is a multiplication; indices cost nothing."""
    assert counted("straight")[0] == {MULTIPLICATIONS: 2, ADDITIONS: 1, DIVISIONS: 1, ROOTS: 1}


def test_the_costlier_way_counts() -> None:
    """Statements behind a branch that returns count for the other way only; constants decide some branches."""
    found, _ = counted("branches")
    assert found == {ADDITIONS: 2} and CALLS not in found


def test_loops_count_with_their_iterations() -> None:
    """Bounds are constants, entries of tables, or integers with which a kernel is called."""
    found, costs = counted("loops")
    assert found == {ADDITIONS: 2 * 4 + 7 + 2, MULTIPLICATIONS: 2 * 4}
    assert costs.sentence(costs.of(load_uncached(TEXT).loops.kernel_function, ("array",))) == (
        "At most 17 additions, 8 multiplications, no divisions, no square roots and no calls of <math.h>."
    )


def test_loops_without_a_bound_are_named() -> None:
    """A condition bounds no loop."""
    found, costs = counted("endless")
    assert "endless has a loop without a constant bound (while R[0] < 1.0)" in costs.sentence(found)  # type: ignore[arg-type]


class Counted(float):
    """A number that counts the operations on it."""

    counts: Counter[str] = Counter()


def _counting(name: str, what: str) -> None:
    plain = getattr(float, name)

    def operation(self: Counted, other: float) -> Counted:
        Counted.counts[what] += 1
        return Counted(plain(self, other))

    setattr(Counted, name, operation)


for _operator, _what in (("add", ADDITIONS), ("sub", ADDITIONS), ("mul", MULTIPLICATIONS), ("truediv", DIVISIONS)):
    _counting(f"__{_operator}__", _what)
    _counting(f"__r{_operator}__", _what)


def test_a_failure_and_what_follows_a_success_are_two_ways() -> None:
    """A status that is known decides a branch: a caller does not pay for both ways of the function that it called."""
    found, _ = counted("careful")
    assert found == {ADDITIONS: 1 + 4, MULTIPLICATIONS: 1}


@pytest.mark.usual
def test_a_step_needs_what_is_counted() -> None:
    """The governor's step in plain Python, on numbers that count. The bound exceeds it only by searches for a number
    that is not finite, one product for each, after two checks of all states and one of the outputs.
    """
    model = built("governor")
    program = compiled(model, method="rk4", alone=True).program
    text = f"{text_ahead(program)}\n\n{one_step_text(method('rk4'))}\n"
    kinds = ("array", "array", "float", "float")
    module = load_uncached(text)
    bound = Costs().of(module.rk4_single.kernel_function, kinds)
    plain = load_plain(text)
    R = program.new_record()
    plain.initialise(R)
    counted_record = np.array([Counted(x) for x in R], dtype=object)
    Counted.counts.clear()
    status = plain.rk4_single(counted_record, np.zeros(6), Counted(1e-3), Counted(1e-3))
    assert status == 0
    searches = Counter({MULTIPLICATIONS: 2 * module.NX + module.N_OUTPUTS})
    assert bound == Counted.counts + searches
