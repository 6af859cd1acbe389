"""Which kernels change arrays, and which assignments of a kernel nobody reads."""

from __future__ import annotations

import pytest

from mbs_fmu.codegen.c.effects import Effects, live_names
from mbs_fmu.codegen.llvm.kinds import inferred
from mbs_fmu.codegen.llvm.subset import changes_arrays, statements_of
from mbs_fmu.codegen.modules import load_uncached

pytestmark = pytest.mark.quick

TEXT = """
from mbs_fmu.codegen.entries import kernel
from mbs_fmu.kernels.declarations import apart

@kernel
def total(R):
    s = 0.0
    for k in range(3):
        s += R[k]
    for k in apart(range(3)):
        s += R[k]
    return s

@kernel
def clear(R):
    for k in apart(range(3)):
        R[k] = total(R)
    return 1.0

@kernel
def partly_read(R, x):
    unread = x + 1.0
    chain = unread * 2.0
    chain += 1.0
    a, b = R[0], R[1]
    effect = clear(R)
    return a
"""


def test_loops_are_no_calls_of_kernels() -> None:
    """A kernel with a loop changes arrays only if its statements or the kernels that it calls do."""
    module = load_uncached(TEXT)
    assert not changes_arrays(module.total.kernel_function)
    assert changes_arrays(module.clear.kernel_function)


def test_names_that_only_unread_names_need_are_not_live() -> None:
    """An assignment lives by a result, an array or an effect, not by other assignments that nobody reads."""
    function = load_uncached(TEXT).partly_read.kernel_function
    live = live_names(statements_of(function), Effects(inferred(function, ("array", "float"))))
    assert live & {"a", "b", "R", "x", "unread", "chain", "effect"} == {"a", "R"}
