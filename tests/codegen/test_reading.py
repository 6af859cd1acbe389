"""The lines of a function are those of Python's own `inspect`."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections import Counter
from types import FunctionType

import pytest

from mbs_fmu.codegen.llvm.reading import stored_names, text_of
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
