"""Kernels as formulas: the text of a model's kernels, executed on expressions in the place of numbers.

The formulas of a function of a tree contain no loops and no branches, because these depend on the structure only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import ModuleType
from typing import Any

import numpy as np

from ..infrastructure.errors import ModelError
from ..record.layout import Head, Layout, Load, Region
from ..record.program import Program
from ..symbolic import expressions as symbolic
from ..symbolic.emit import TABLES
from ..symbolic.expressions import UNARY, Expression, leaf
from ..symbolic.graph import evaluate_all, rebuild
from .modules import load_plain

#: Ends messages about models without formulas.
REMEDY = "use simulate(sensitivities=...) for gradients of its runs"
RECORD = "record"  #: name of the only region of addresses in formulas of kernels


def whole_record(program: Program) -> Layout:
    """Return a layout with the whole record as its only region."""
    return {RECORD: Region(RECORD, 0, program.regions["end"][0])}


def place(address: int, array: str = "R") -> Load:
    """Return the reference of a number of a record in formulas of kernels."""
    return Load(array, RECORD, address)


class FormulaRecord(list[Any]):
    """A record of formulas and numbers; at first each number is a leaf with its own `place`."""

    def __init__(self, size: int):
        super().__init__(leaf(place(address)) for address in range(size))

    def formulas(self, addresses: Iterable[int]) -> list[Expression]:
        """Return the formulas at some addresses; kernels may have stored numbers there."""
        return [symbolic.as_expression(self[address]) for address in addresses]

    def __getitem__(self, index: Any) -> Any:
        """Return formulas; kernels use integers of numpy as indices."""
        return super().__getitem__(index if isinstance(index, slice) else int(index))


class Formulas:
    """Kernels of a program that compute formulas.

    text: that of the kernels, in which branches that only save time ask `every` member of a batch; formulas take their
    longer side. checks_hold: comparisons that are not parts of formulas are true, as are the checks in `prepare`.
    """

    def __init__(self, program: Program, text: str, checks_hold: bool = False):
        self._program = program
        comparisons = {"lt": _Holding.lt, "le": _Holding.le} if checks_hold else {}
        self._module = load_plain(text, {**FUNCTIONS, **comparisons, "sines": self._sines})

    def record(self) -> FormulaRecord:
        """Return a new record of formulas. Its head, but for the time, contains numbers, because kernels branch on
        them.
        """
        numbers = self._program.new_record()
        head, R = self._program.region("head").stop, FormulaRecord(numbers.size)
        R[:] = [numbers[k] if k < head and k != Head.time else formula for k, formula in enumerate(R)]
        return R

    def call(self, kernel: str, R: FormulaRecord) -> Any:
        """Execute a kernel on a record of formulas, and return what it returns.

        Raises ModelError if its course depends on the values of states, inputs or parameters.
        """
        try:
            return getattr(self._module, kernel)(R)
        except TypeError as error:
            raise ModelError(
                f"model {self._program.name!r} has kernels that branch on numbers, of which there are no formulas "
                f"({error}): {REMEDY}"
            ) from error

    def checked(self, kernels: Iterable[str], numbers: np.ndarray, addresses: Sequence[int]) -> FormulaRecord:
        """Execute kernels one after the other on a new record of formulas, and return it.

        numbers: a started record. The formulas at `addresses` must have the values that the kernels compute from
        it, at a state beside the record's own, which may be special.

        Raises ModelError if they have not: a kernel branches on a number in a way that formulas do not follow. Raises
        also as `call`.
        """
        R, plain = self.record(), load_plain(self._program.text)
        state = self._program.state_slice
        before = numbers.copy()
        before[state] += 0.1 * np.sin(np.arange(1, state.stop - state.start + 1))
        after = before.copy()
        for kernel in kernels:
            self.call(kernel, R)
            getattr(plain, kernel)(after)
        values, expected = np.array(_values(R.formulas(addresses), before, plain)), after[addresses]
        largest = np.max(np.abs(expected), initial=1.0)
        if not np.allclose(values, expected, rtol=1e-9, atol=1e-6 * largest, equal_nan=True):
            raise ModelError(
                f"model {self._program.name!r} has kernels that branch on numbers, of which there are no formulas: "
                f"{REMEDY}"
            )
        return R

    def _sines(self, R: FormulaRecord) -> None:
        """Sine and cosine of every angle. The kernel's formulas contain operations on bits."""
        regions = self._program.regions
        start = {name: first for name, (first, _) in regions.items()}
        for k in range(regions["driven_sines"][1] + regions["sines"][1]):
            angle = R[start["driven_q"] + k] + R[start["driven_offsets"] + k]
            R[start["driven_sines"] + k] = symbolic.sin(angle)
            R[start["driven_cosines"] + k] = symbolic.cos(angle)


class _Holding(Expression):
    """A comparison that is true where it decides the course of a kernel."""

    __slots__ = ()

    def __bool__(self) -> bool:
        return True

    @classmethod
    def lt(cls, a: Any, b: Any) -> Expression:
        """a < b."""
        return cls("lt", (symbolic.as_expression(a), symbolic.as_expression(b)))

    @classmethod
    def le(cls, a: Any, b: Any) -> Expression:
        """a <= b."""
        return cls("le", (symbolic.as_expression(a), symbolic.as_expression(b)))


def _where(condition: Any, a: Any, b: Any) -> Any:
    """Choose a formula by a condition, which need not depend on the record."""
    return symbolic.where(condition, a, b) if isinstance(condition, Expression) else a if condition else b


def _values(formulas: list[Expression], R: np.ndarray, plain: ModuleType) -> list[float]:
    """Return the values of formulas of kernels for the numbers of a record; the module `plain` evaluates tables."""

    def lookup(reference: Any) -> float:
        if isinstance(reference, Load):
            return float(R[reference.offset])
        node: Expression = reference
        start, *numbers = node.value
        return float(getattr(plain, TABLES[node.op])(R, start.offset, *numbers, *_values(list(node.args), R, plain)))

    return evaluate_all(rebuild(formulas, lambda node: leaf(node) if node.op in TABLES else None), lookup)


def _tabular(operation: str, variables: int = 1) -> Callable[..., Expression]:
    """Return a function of the arguments of a kernel that evaluates a table of some variables in the record."""

    def evaluated(R: FormulaRecord, start: Any, *arguments: Any) -> Expression:
        numbers, values = arguments[:-variables], arguments[-variables:]
        return Expression(
            operation, tuple(map(symbolic.as_expression, values)), (place(int(start)), *map(int, numbers))
        )

    return evaluated


def _of_numbers_too(name: str) -> Callable[[Any], Any]:
    """Return a function of formulas and of numbers."""
    of_formulas, of_numbers = getattr(symbolic, name), UNARY[name]
    return lambda x: of_formulas(x) if isinstance(x, Expression) else of_numbers(x)


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    **{name: _of_numbers_too(name) for name in UNARY},
    "atan2": lambda y, x: symbolic.atan2(y, x) if Expression in (type(y), type(x)) else math.atan2(y, x),
    "sincos": lambda x: (FUNCTIONS["sin"](x), FUNCTIONS["cos"](x)),
    "where": _where,
    "every": lambda condition: False,
    **{kernel: _tabular(operation, 2 if operation == "surface" else 1) for operation, kernel in TABLES.items()},
}  # fmt: skip
