"""The lines of a function are those of Python's own `inspect` and compiler."""

from __future__ import annotations

import ast
import inspect
import textwrap
import traceback
from collections import Counter
from types import CodeType, FunctionType

import pytest

from mbs_fmu.codegen.llvm.reading import stored_names, text_of
from mbs_fmu.codegen.modules import load_plain, load_uncached
from mbs_fmu.integrate.stepping import adaptive, drivers
from mbs_fmu.kernels import library
from mbs_fmu.kernels.closures import (
    elimination,
    loops,
)
from mbs_fmu.kernels.elastic import bodies as bending
from mbs_fmu.kernels.sources import kernels_of

pytestmark = pytest.mark.quick


# fmt: off
def over_lines(
    x: float,
    y: float,
) -> float:
    """Begins in several lines.

At the margin.
    """
    if x:
# a comment at the margin
        y = x

    return (
  y
)
# fmt: on


def within() -> FunctionType:
    @pytest.mark.quick
    def inner(x: float) -> float:
        y = x
        y += 1.0

        # the end
        return y

    return inner


FUNCTIONS = [
    over_lines, within(), within,
    *(f for module in (library, elimination, loops, bending, drivers, adaptive) for f in kernels_of(module).values()),
]  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_the_source_text_equals_that_of_inspect(function: FunctionType) -> None:
    ours, theirs = (textwrap.dedent(text) for text in (text_of(function), inspect.getsource(function)))
    assert ast.dump(ast.parse(ours)) == ast.dump(ast.parse(theirs))


@pytest.mark.parametrize("function", FUNCTIONS[3:], ids=lambda f: f.__name__)
def test_stored_names_are_those_of_assignments(function: FunctionType) -> None:
    (tree,) = ast.parse(inspect.getsource(function)).body
    assert isinstance(tree, ast.FunctionDef)
    nodes = list(ast.walk(tree))
    stored = Counter(n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    typed = Counter(n.target.id for n in nodes if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name))
    assert Counter(stored_names(tree.body)) == stored - typed


TEXT = """\
import numpy as np

from mbs_fmu.codegen.entries import kernel


def shared(x):
    return (
        x
        + 1.0
    )


@kernel
def fails(R):
    # a comment
    y = np.sin(1.0)

    R[0] = (
        y
        + R[1]
    )


@kernel
def fails_at_once(R):
    return R[1]


@kernel
def calls_both(R):
    x = shared(1.0)
    if x > 0.0:
        fails_at_once(R)
    fails(R)
"""


def lines_of(code: CodeType) -> set[int | None]:
    """Lines of a function's instructions, except the first: modules leave out the decorator."""
    return {line for *_, line in code.co_lines()} - {code.co_firstlineno}


def test_functions_of_a_module_have_the_lines_of_its_text() -> None:
    """Instructions have the lines that they have in the whole text; tracebacks of plain Python show these lines."""
    module, plain, text = load_uncached(TEXT), load_plain(TEXT), TEXT.splitlines()
    codes = [code for code in compile(TEXT, "text", "exec").co_consts if isinstance(code, CodeType)]
    assert len(codes) == 4
    for whole in codes:
        function = vars(module)[whole.co_name]
        assert lines_of(getattr(function, "kernel_function", function).__code__) == lines_of(whole)
    for name in ("fails", "fails_at_once", "calls_both"):
        with pytest.raises(TypeError) as raised:
            getattr(plain, name)(None)
        for frame in traceback.extract_tb(raised.value.__traceback__):
            if frame.filename == "<mbs_fmu_plain>":
                assert frame.line == text[(frame.lineno or 0) - 1].strip()
