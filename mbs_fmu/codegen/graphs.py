"""Kernels as formulas: the module of a model's kernels, executed on expressions in the place of numbers.

The formulas of a function of a tree contain no loops and no branches, because these depend on the structure only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import ModuleType
from typing import Any

import numpy as np

from ..infrastructure.errors import ModelError
from ..record.blocks import HeadNumbers
from ..record.kernel_module import KernelModule
from ..record.layout import Layout, Load, Region
from ..record.program import Program
from ..symbolic import expressions as symbolic
from ..symbolic.emit import ARRAYS, TABLES, VARIABLES, array_of
from ..symbolic.expressions import BINARY, UNARY, Expression, leaf
from ..symbolic.graph import apply, combined
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
    """An array of formulas and numbers for kernels."""

    def formulas(self, addresses: Iterable[int]) -> list[Expression]:
        """Return the formulas at some addresses; kernels may have stored numbers there."""
        return [symbolic.as_expression(self[address]) for address in addresses]

    def __getitem__(self, index: Any) -> Any:
        """Return formulas; kernels use integers of numpy as indices."""
        return super().__getitem__(index if isinstance(index, slice) else int(index))


class Formulas:
    """Kernels of a program that compute formulas.

    module: that of the kernels, in which branches that only save time ask `every` member of a batch; formulas take
    their longer side. remedy: ends messages about kernels without formulas. `module` has the kernels; the checks of
    parameters in `prepare` are assumed to pass.
    """

    def __init__(self, program: Program, module: KernelModule, remedy: str = REMEDY):
        self._program, self._remedy = program, remedy
        self.module = load_plain(module, {**FUNCTIONS, "sines": self._sines})
        self._prepare = self.module.prepare
        vars(self.module)["prepare"] = self._prepared

    def record(self, started: np.ndarray) -> FormulaRecord:
        """Return a new record, in which each number is a leaf with its own `place`.

        started: a record after the start of a run. The head, except for time and side, and the shapes of elastic bodies
        are taken from it, because kernels branch on them.
        """
        head, regions = self._program.region("head").stop, self._program.regions
        first, size = regions.get("shapes", (0, 0))
        held = {*range(head), *range(first, first + size)} - {int(HeadNumbers.time), int(HeadNumbers.side)}
        numbers = [*self._program.new_record()[:head].tolist(), *started[head:].tolist()]
        return FormulaRecord(number if k in held else leaf(place(k)) for k, number in enumerate(numbers))

    def call(self, kernel: str, *arguments: Any) -> Any:
        """Execute a kernel on records of formulas and other arguments, and return what it returns.

        Raises ModelError if its control flow depends on the values of states, inputs or parameters.
        """
        try:
            return getattr(self.module, kernel)(*arguments)
        except TypeError as error:
            raise self._branches(f" ({error})") from error

    def checked(self, kernels: Iterable[str], numbers: np.ndarray, addresses: Sequence[int]) -> FormulaRecord:
        """Execute kernels one after the other on a new record of formulas, and return it.

        numbers: a record after the start of a run. The formulas at `addresses` must have the values that the kernels
        compute from it, at a state near the record's own, since that state itself may be special.

        Raises ModelError if they differ: a kernel then branches on a number in a way that formulas do not follow.
        Raises also as `call`.
        """
        R, plain = self.record(numbers), load_plain(self._program.module)
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
            raise self._branches()
        return R

    def _branches(self, reason: str = "") -> ModelError:
        name = self._program.name
        if self._program.has_near_pairs:
            return ModelError(
                f"model {name!r} has a list of near pairs, of which there are no formulas: leave near= out, use "
                "simulate(sensitivities=...), or export an FMU"
            )
        return ModelError(
            f"model {name!r} has kernels that branch on numbers, of which there are no formulas{reason}: {self._remedy}"
        )

    def _prepared(self, R: FormulaRecord) -> Any:
        """Execute `prepare`; comparisons that decide its course are checks."""
        names = vars(self.module)
        usual = {name: names[name] for name in CHECKS}
        names.update(CHECKS)
        try:
            return self._prepare(R)
        finally:
            names.update(usual)

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


def _check(operation: str) -> Callable[[Any, Any], Any]:
    """Return the comparison "lt" or "le" of numbers, which holds for formulas."""

    def compare(a: Any, b: Any) -> Any:
        if isinstance(a, Expression) or isinstance(b, Expression):
            return _Holding(operation, (symbolic.as_expression(a), symbolic.as_expression(b)))
        return BINARY[operation](a, b)

    return compare


CHECKS: Mapping[str, Callable[[Any, Any], Any]] = {name: _check(name) for name in ("lt", "le")}


def _where(condition: Any, a: Any, b: Any) -> Any:
    """Choose a formula by a condition, which need not depend on the record."""
    return symbolic.where(condition, a, b) if isinstance(condition, Expression) else a if condition else b


def _values(formulas: list[Expression], R: np.ndarray, plain: ModuleType) -> list[float]:
    """Return the values of formulas of kernels for the numbers of a record; the module `plain` evaluates tables."""

    def value(node: Expression, operands: list[float]) -> float:
        if node.op in TABLES:
            start, *numbers = node.value
            array = operands[len(operands) - len(array_of(node)) :]
            if array:
                at = operands[: -len(array)]
                return float(getattr(plain, ARRAYS[node.op])(R, start.offset, *numbers, np.array(array), 0, *at))
            return float(getattr(plain, TABLES[node.op])(R, start.offset, *numbers, *operands))
        return apply(node, operands, lambda reference: float(R[reference.offset]))

    return combined(formulas, value)


def _tabular(operation: str, variables: int = 1) -> Callable[..., Expression]:
    """Return a function of the arguments of a kernel that evaluates a table of some variables in the record."""

    def evaluated(R: FormulaRecord, start: Any, *arguments: Any) -> Expression:
        numbers, values = arguments[:-variables], arguments[-variables:]
        return Expression(
            operation, tuple(map(symbolic.as_expression, values)), (place(int(start)), *map(int, numbers))
        )

    return evaluated


def _among(operation: str) -> Callable[..., Expression]:
    """Return a function of the arguments of a kernel that evaluates a table with values in an array."""

    def evaluated(R: FormulaRecord, start: Any, n: Any, B: FormulaRecord, first: Any, x: Any) -> Expression:
        entries = B.formulas(range(int(first), int(first) + int(n)))
        return Expression(operation, (symbolic.as_expression(x), *entries), (place(int(start)), int(n)))

    return evaluated


def _of_numbers_too(name: str) -> Callable[[Any], Any]:
    """Return a function of formulas and of numbers."""
    of_formulas, of_numbers = getattr(symbolic, name), UNARY[name]
    return lambda x: of_formulas(x) if isinstance(x, Expression) else of_numbers(x)


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    **{name: _of_numbers_too(name) for name in UNARY},
    "atan2": lambda y, x: symbolic.atan2(y, x) if Expression in (type(y), type(x)) else math.atan2(y, x),
    "mod": lambda x, period: symbolic.mod(x, period) if Expression in (type(x), type(period)) else np.mod(x, period),
    "sincos": lambda x: (FUNCTIONS["sin"](x), FUNCTIONS["cos"](x)),
    "where": _where,
    "every": lambda condition: False,
    **{kernel: _tabular(operation, VARIABLES.get(operation, 1)) for operation, kernel in TABLES.items()},
    **{kernel: _among(operation) for operation, kernel in ARRAYS.items()},
}  # fmt: skip
