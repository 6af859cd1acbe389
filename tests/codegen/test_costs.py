"""Counted operations of kernels: the costlier way, loops with known bounds, loops without."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from mbs_fmu.codegen.ahead import module_ahead
from mbs_fmu.codegen.c.costs import ADDITIONS, CALLS, DIVISIONS, MULTIPLICATIONS, ROOTS, Costs, sentences
from mbs_fmu.codegen.modules import load_plain, load_uncached
from mbs_fmu.integrate.methods.table import method
from mbs_fmu.integrate.write import one_step_functions
from mbs_fmu.record.blocks import HeadNumbers, LoopNumbers
from mbs_fmu.record.codes import Fresh, RowSelection
from mbs_fmu.record.program import Program
from mbs_fmu.record.ranges import limits
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
def infallible(R):
    R[0] = R[0] + R[1]
    return 0

@kernel
def careless(R):
    if infallible(R) != 0:
        R[0] = exp(R[0])
    R[0] = R[0] + R[1]

@kernel
def triangle(R):
    for i in range(N + 1):
        for j in range(i):
            R[j] += R[i]
        if i == N:
            R[0] = R[0] * R[1]

@kernel
def found(R):
    number = 0
    for k in range(N):
        if R[k] > 1.0:
            break
        R[k] = R[k] + 1.0
        number += 1
    return number

@kernel
def searches(R):
    n = found(R)
    for k in range(n):
        R[k] = R[k] + 1.0

@kernel
def limited(R):
    for k in range(int(R[5])):
        R[k] += 1.0

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
    assert sentences(costs.of(load_uncached(TEXT).loops.kernel_function, ("array",)), {}) == (
        "At most 17 additions, 8 multiplications, no divisions, no square roots and no calls of <math.h>."
    )


def test_counters_decide_bounds_and_branches() -> None:
    """Inner loops end at an outer counter; a loop ends early with a count that the caller then knows."""
    assert counted("triangle")[0] == {ADDITIONS: 0 + 1 + 2 + 3, MULTIPLICATIONS: 1}
    assert counted("searches")[0] == {ADDITIONS: 3 + 3}


def test_numbers_of_the_record_have_limits() -> None:
    """A number that counts something bounds a loop; without its limit the loop is named with its operations."""
    function = load_uncached(TEXT).limited.kernel_function
    costs = Costs({5: (0, 4)})
    assert costs.of(function, ("array",)) == {ADDITIONS: 4} and not costs.unbounded
    open_ended = Costs()
    assert open_ended.of(function, ("array",)) == {}
    assert open_ended.unbounded == {("limited", "range(int(R[5]))"): {ADDITIONS: 1}}


def test_loops_without_a_bound_are_named() -> None:
    """A condition bounds no loop: the operations of one iteration are stated apart."""
    found, costs = counted("endless")
    text = sentences(Counter(found), costs.unbounded)
    assert (
        "Each turn of the loop of endless (while R[0] < 1.0), whose number has no bound, adds at most 1 additions"
        in text
    )


def test_a_status_that_may_differ_decides_nothing() -> None:
    """A call that can fail or succeed counts with its costlier branch, and what follows a success counts too."""
    found, _ = counted("careful")
    assert found == {ADDITIONS: (1 + 4) + 4}


def test_a_status_that_is_known_decides() -> None:
    """A call that cannot fail leaves no operations to the branch behind a failure."""
    found, _ = counted("careless")
    assert found == {ADDITIONS: 1 + 1}


# -- whole models ----------------------------------------------------------------------------------------------


class Number(float):
    """A number that counts the operations on it."""

    counts: Counter[str] = Counter()


def _counting(name: str, what: str) -> None:
    plain = getattr(float, name)

    def operation(self: Number, other: float) -> Number:
        Number.counts[what] += 1
        return Number(plain(self, other))

    setattr(Number, name, operation)


for _operator, _what in (("add", ADDITIONS), ("sub", ADDITIONS), ("mul", MULTIPLICATIONS), ("truediv", DIVISIONS)):
    _counting(f"__{_operator}__", _what)
    _counting(f"__r{_operator}__", _what)


def _power(self: Number, exponent: float) -> Number:
    Number.counts[MULTIPLICATIONS if exponent == 2 else CALLS] += 1
    return Number(float(self) ** exponent)


def _unary(name: str) -> None:
    plain = getattr(float, name)
    setattr(Number, name, lambda self: Number(plain(self)))


Number.__pow__ = _power  # type: ignore[method-assign, assignment]
_unary("__neg__")
_unary("__abs__")


class Numbers(list[Number]):
    """A record of such numbers; literals that kernels write become such numbers too."""

    def __setitem__(self, place: Any, value: Any) -> None:
        super().__setitem__(place, Number(value))


class Started:
    """A model with events at steps, its kernels in plain Python, and its record after a start."""

    def __init__(self, name: str):
        program = compiled(built(name), method="rk4", alone=True).program
        record = program.new_record()
        record[HeadNumbers.at_steps] = 1.0
        self.program = program.with_record(record)
        module = module_ahead(program).with_functions(one_step_functions(method("rk4"), program.crossings))
        self.module, self.plain = load_uncached(module), load_plain(module)
        self.record, self.tables = self.program.new_record(), np.zeros(200)
        assert self.plain.initialise(self.record) == 0
        project = self.place("loop_state", LoopNumbers.projection_residual) if self.program.loops else -1
        self.plain.set_tolerances(self.record, project, 1e-6, 1e-6, 1e-8)
        self.plain.refresh(self.record, self.tables)

    def place(self, region: str, offset: int = 0) -> int:
        return self.program.regions[region][0] + offset

    def counted(self, kernel: str, *arguments: object) -> Counter[str]:
        """Return the operations of a call, and keep the record that it leaves."""
        numbers = Numbers(map(Number, self.record))
        Number.counts.clear()
        status = getattr(self.plain, kernel)(numbers, *arguments)
        assert not status
        self.record = np.array(numbers, dtype=float)
        return Number.counts.copy()

    def limits(self) -> dict[int, tuple[int, int]]:
        """Return the limits of counts and choices as they are now, also of modes that hold or not."""
        modes = [n for r in ("modes", "held") if r in self.program.regions for n in range(*_span(self.program, r))]
        places = [n for n in (*limits(self.program), *modes) if float(self.record[n]).is_integer()]
        return {n: (int(self.record[n]),) * 2 for n in places}


def _span(program: Program, region: str) -> tuple[int, int]:
    first, size = program.regions[region]
    return first, first + size


COUNTED = (ADDITIONS, MULTIPLICATIONS, DIVISIONS)  #: Python's square root takes any number
USUAL = ["governor", "four_bar", "bouncing_pendulum"]
SLOW = [
    pytest.param(name, marks=pytest.mark.slow) for name in ("stewart_platform", "truss_boom", "flexible_slider_crank")
]
FRICTION = [pytest.param(name, marks=pytest.mark.slow) for name in ("clutch", "solar_array")]  #: branches on velocities


@pytest.mark.usual
@pytest.mark.parametrize("name", [*USUAL, *SLOW])
def test_an_evaluation_needs_hardly_less_than_the_bound(name: str) -> None:
    """With the present rows, ranks and modes nearly all branches with operations are known. Plain Python makes at least
    95 of 100 counted operations; it makes all of them in trees, whose loops have exact bounds.
    """
    model = Started(name)
    model.record[model.place("loop_state", LoopNumbers.row_selection) if model.program.loops else HeadNumbers.fault] = (
        RowSelection.frozen
    )
    known = model.limits()
    bound = Costs(known).of(model.module.derive.kernel_function, ("array",))
    found = model.counted("derive")
    assert all(found[what] <= bound[what] for what in COUNTED), (found, bound)
    least = 0.95 if model.program.loops else 1.0
    assert found.total() >= least * sum(bound[what] for what in COUNTED), (found, bound)


@pytest.mark.usual
@pytest.mark.parametrize("name", [*USUAL, *SLOW, *FRICTION])
def test_no_step_needs_more_than_the_bound(name: str) -> None:
    """Three steps in plain Python, the last one of closed loops with a projection."""
    model = Started(name)
    costs = Costs(limits(model.program))
    bound = costs.of(model.module.rk4_single.kernel_function, ("array", "array", "float", "float"))
    for k in range(1, 4):
        if k == 3 and model.program.loops:
            model.record[model.place("loop_state", LoopNumbers.projection_residual)] = 0.0
            model.record[HeadNumbers.fresh] = Fresh.stale
        found = model.counted("rk4_single", model.tables, Number(1e-4), Number(1e-4 * k))
        assert all(found[what] <= bound[what] for what in COUNTED), (found, bound)


@pytest.mark.usual
def test_a_step_of_a_tree_exceeds_its_evaluations_by_one() -> None:
    """A step of the governor after a change of its input makes four evaluations: the bound has one more, since what is
    fresh before a step decides nothing behind branches that change it. Searches for a number that is not finite are one
    product for each, after two checks of all states and one of the outputs.
    """
    model = Started("governor")
    model.record = model.program.new_record()
    model.plain.initialise(model.record)
    bound = Costs().of(model.module.rk4_single.kernel_function, ("array", "array", "float", "float"))
    evaluation = Costs().of(model.module.derive.kernel_function, ("array",))
    found = model.counted("rk4_single", model.tables, Number(1e-3), Number(1e-3))
    searches = 2 * model.module.NX + model.module.N_OUTPUTS
    assert found.total() + searches <= bound.total() <= found.total() + 2 * searches + evaluation.total()
