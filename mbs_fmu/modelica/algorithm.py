"""Formulas as statements of an algorithm and as right-hand sides of equations in Modelica."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from ..analysis.pieces import PIECES, Pieces, pieces
from ..symbolic.emit import FormulaWriter, shared
from ..symbolic.expressions import Expression, is_condition
from ..symbolic.graph import by_creation
from .names import number_text

PIECEWISE = "piecewise"  #: name of the function that evaluates polynomials between knots
PLAIN = 12  #: largest number of nodes of a formula that an equation contains itself

#: Definition of the function: piece k begins at knot k - 1.
DEFINITION = f"""\
  function {PIECEWISE} "polynomials of x between knots"
    input Real x;
    input Real knots[:];
    input Real origins[:] "where the polynomial of each piece has its origin";
    input Real powers[:, :] "coefficients of each piece, from power 0 on";
    output Real y;
  protected
    Integer k;
  algorithm
    k := 1;
    for i in 1:size(knots, 1) loop
      if x >= knots[i] then
        k := i + 1;
      end if;
    end for;
    y := 0.0;
    for j in 1:size(powers, 2) loop
      y := powers[k, size(powers, 2) + 1 - j] + (x - origins[k]) * y;
    end for;
  end {PIECEWISE};
"""


class Writer(FormulaWriter):
    """Writer of formulas in Modelica.

    reals, conditions: names of the temporaries, by their type. constants: declarations of the tables' numbers.
    """

    def __init__(self, roots: Sequence[Expression], labels: Sequence[str], R: np.ndarray):
        """labels: text of each symbol, by its number. R: the record, with the numbers of tables."""
        self.roots, self._labels, self._R = shared(roots), labels, R
        order = by_creation(self.roots)
        super().__init__(order, self.roots, labels)
        self.reals: list[str] = []
        self.conditions: list[str] = []
        self.constants: list[str] = []
        self._tables: dict[tuple[object, ...], str] = {}
        for node in order:
            self.visit(node)

    def texts(self) -> list[str]:
        """Return the texts of the formulas, in which the assignments `out` are used."""
        return [self.text(root) for root in self.roots]

    def number(self, value: float) -> str:
        return number_text(value)

    def leaf(self, node: Expression) -> str:
        symbol: int = node.value
        return self._labels[symbol]

    def assignment(self, name: str, text: str, node: Expression) -> str:
        (self.conditions if is_condition(node) else self.reals).append(name)
        return f"{name} := {text};"

    def call(self, node: Expression) -> tuple[str, int]:
        if node.op in PIECES:
            return self._piecewise(node), 9
        if node.op == "where":
            condition, a, b = node.args
            return f"if {self.text(condition)} then {self.text(a, 1)} else {self.text(b, 1)}", 0
        if is_condition(node):
            a, b = node.args
            return f"noEvent({self.text(a, 1)} {'<' if node.op == 'lt' else '<='} {self.text(b, 1)})", 9
        if node.op == "pow":
            a, b = node.args
            return f"{self.text(a, 9)} ^ {self.text(b, 9)}", 3
        return f"{node.op}({', '.join(self.text(a) for a in node.args)})", 9

    def _piecewise(self, node: Expression) -> str:
        """Return the value of a table or spline, whose numbers become constants."""
        start, *numbers = node.value
        table, x = pieces(node.op, self._R, start.offset, *numbers), self.text(node.args[0], 2)
        key = node.op, start.offset, *numbers
        if key not in self._tables:
            self._tables[key] = self.fresh("table")
            self.constants += _constants(self._tables[key], table)
        name = self._tables[key]
        if table.turn is not None:
            first, period = map(number_text, table.turn)
            x = f"{x} - floor(({x} - ({first})) / {period}) * {period}"
        return f"{PIECEWISE}({x}, {name}_knots, {name}_origins, {name}_powers)"


def _constants(name: str, table: Pieces) -> Iterable[str]:
    """Return the declarations of a table's numbers."""
    knots, origins, powers = table.knots, table.origins, np.array(table.powers).T
    yield f"constant Real {name}_knots[{len(knots)}] = {_row(knots)};"
    yield f"constant Real {name}_origins[{len(origins)}] = {_row(origins)};"
    rows = ", ".join(map(_row, powers))
    yield f"constant Real {name}_powers[{len(powers)}, {len(powers[0])}] = {{{rows}}};"


def _row(numbers: np.ndarray) -> str:
    return f"{{{', '.join(map(number_text, numbers))}}}"


def plain_text(formula: Expression, labels: Sequence[str], R: np.ndarray) -> str | None:
    """Return a short formula as an expression without temporaries; None for another one."""
    if formula.op in PIECES or len(by_creation([formula])) > PLAIN:
        return None
    writer = Writer([formula], labels, R)
    return None if writer.out or writer.constants else writer.texts()[0]
