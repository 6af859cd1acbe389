"""Ranges of the record's indices, counts and choices."""

from __future__ import annotations

import ast
import copy
import functools
from collections.abc import Callable

import pytest

from mbs_fmu.codegen.modules import load_plain
from mbs_fmu.compile.build import compile_model
from mbs_fmu.model.model import Model
from mbs_fmu.record.program import Program
from mbs_fmu.record.ranges import limits, whole_numbers
from support.generators.elastic_mechanisms import sagging_beam
from support.models.kernel_coverage import striking, switching

pytestmark = pytest.mark.quick
METHODS = ("rk4", "gauss4", "abm6", "rodas5p")
MODELS = (sagging_beam, *(pytest.param(make, marks=pytest.mark.usual) for make in (striking, switching)))
#: Kernels whose integers are at addresses that they get as arguments: data of elastic bodies, which never change.
OF_ELASTIC_BODIES = {"add_linear_terms", "mode_forces", "add_linear_terms_d", "mode_forces_d"}
INTEGER = ("int", "integer")  #: functions that convert a number to an integer


@functools.cache
def compiled(make: Callable[[], Model]) -> Program:
    return compile_model(make(), methods=METHODS)


@pytest.mark.parametrize("make", MODELS)
def test_first_records_are_in_their_ranges(make: Callable[[], Model]) -> None:
    """The numbers with ranges are whole numbers within them before the first start."""
    record, ranges = compiled(make).new_record(), whole_numbers(compiled(make))
    assert len({address for address, _, _ in ranges}) == len(ranges) > 10
    for address, low, high in ranges:
        assert low <= record[address] <= high and float(record[address]).is_integer(), address


@pytest.mark.parametrize("make", MODELS)
def test_numbers_that_kernels_use_as_integers_have_ranges(make: Callable[[], Model]) -> None:
    """An importer could otherwise restore a state in which such a number is an index outside of its table."""
    program = compiled(make)
    known, found = limits(program), integers(program)
    assert len(found) > 1
    for address, where in found.items():
        assert address in known, f"{sorted(where)}: declare the range of this number"


def integers(program: Program) -> dict[int, set[str]]:
    """Addresses of numbers of R that kernels convert to integers, each with the kernels.

    An address is that of the first entry: indices in it count as zero.
    """
    constants = vars(load_plain(program.text))
    found: dict[int, set[str]] = {}
    for function in ast.parse(program.text).body:
        if not isinstance(function, ast.FunctionDef):
            continue
        converted = [node for node in ast.walk(function) if is_conversion(node)]
        for part in (part for call in converted for part in ast.walk(call)):
            if isinstance(part, ast.Subscript) and isinstance(part.value, ast.Name) and part.value.id == "R":
                index = Resolved(assigned(function)).visit(ast.Expression(part.slice))
                if any(isinstance(n, ast.Name) for n in ast.walk(index)):
                    found.setdefault(int(eval(ast.unparse(index), constants)), set()).add(function.name)
                else:
                    assert function.name in OF_ELASTIC_BODIES, f"{function.name}: {ast.unparse(part)}"
    return found


def is_conversion(node: ast.AST) -> bool:
    """True for the conversion of a whole number; quotients are rounded, so they can be any number."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in INTEGER):
        return False
    return not any(isinstance(part, ast.Div) for part in ast.walk(node))


def assigned(function: ast.FunctionDef) -> dict[str, ast.expr]:
    """The last values that are assigned to local variables."""
    statements = [s for s in ast.walk(function) if isinstance(s, ast.Assign)]
    return {s.targets[0].id: s.value for s in statements if isinstance(s.targets[0], ast.Name)}


class Resolved(ast.NodeTransformer):
    """Copies of expressions with the values of local variables, and with zero for other names that are no constants."""

    def __init__(self, values: dict[str, ast.expr]):
        self.values = values

    def visit_Call(self, node: ast.Call) -> ast.expr:
        return ast.Constant(0)

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id.isupper():
            return node
        rest = {name: value for name, value in self.values.items() if name != node.id}
        return Resolved(rest).visit(copy.deepcopy(self.values[node.id])) if node.id in self.values else ast.Constant(0)
