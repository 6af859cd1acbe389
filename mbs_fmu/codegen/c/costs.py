"""Operations of a kernel, counted from its text: the most that one call can need.

Of two branches the costlier one counts, unless constants decide. The number of iterations of a loop follows from
constants and from integers with which the kernel is called. A loop without such a bound is named instead.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

from ..llvm.independent_loops import loop_range
from ..llvm.kinds import FLOATING, Kind, Kinds, inferred, is_table, name_of
from ..llvm.reading import stored_names
from ..llvm.subset import KNOWN, definition_of, known_value, statements_of

Known = Mapping[str, int]  #: values of local names that are known integers
ADDITIONS, MULTIPLICATIONS, DIVISIONS, ROOTS, CALLS = (
    "additions", "multiplications", "divisions", "square roots", "calls of <math.h>",
)  # fmt: skip
NAMES = {ast.Add: ADDITIONS, ast.Sub: ADDITIONS, ast.Mult: MULTIPLICATIONS, ast.Div: DIVISIONS}
EXACT = {"ceil", "fabs"}  #: functions that cost no more than an operation
COMPARED = {
    ast.Lt: int.__lt__, ast.LtE: int.__le__, ast.Gt: int.__gt__, ast.GtE: int.__ge__, ast.Eq: int.__eq__,
    ast.NotEq: int.__ne__,
}  # fmt: skip


@dataclass
class Costs:
    """Counter of operations on numbers; `unbounded` are the loops without a bound, as function and text."""

    unbounded: dict[str, str] = field(default_factory=dict)
    _known: dict[object, Counter[str]] = field(default_factory=dict)

    def of(self, function: FunctionType, kinds: tuple[Kind, ...], given: tuple[int | None, ...] = ()) -> Counter[str]:
        """Return the operations of one call; `given` are the arguments that are known integers."""
        key = function, kinds, given
        if key not in self._known:
            names = [a.arg for a in definition_of(function).args.args]
            known = {name: value for name, value in zip(names, given, strict=False) if value is not None}
            self._known[key] = _Function(self, inferred(function, kinds)).block(statements_of(function), known)
        return self._known[key]

    def sentence(self, cost: Counter[str]) -> str:
        """Return the counts as a sentence, or the first loop without a bound."""
        if self.unbounded:
            name, loop = next(iter(self.unbounded.items()))
            return f"Its operations are not counted: {name} has a loop without a constant bound ({loop})."
        counts = [f"{cost[name] or 'no'} {name}" for name in (ADDITIONS, MULTIPLICATIONS, DIVISIONS, ROOTS, CALLS)]
        return f"At most {', '.join(counts[:-1])} and {counts[-1]}."


class _Function:
    """Counter of one function's operations."""

    def __init__(self, costs: Costs, kinds: Kinds):
        self.costs, self.kinds = costs, kinds
        self.constants = kinds.function.__globals__

    # -- statements -----------------------------------------------------------------------------------------
    def block(self, body: list[ast.stmt], known: Known) -> Counter[str]:
        total, names = Counter[str](), dict(known)
        for number, s in enumerate(body):
            match s:
                case ast.If():
                    total += self.expression(s.test, names)
                    ways = self._ways(s.test, names)
                    branches = [b for b, taken in ((s.body, True), (s.orelse, False)) if taken in ways]
                    if any(map(_ends, branches)):  # what follows belongs to the other branches only
                        rest = body[number + 1 :]
                        branches = [b if _ends(b) else [*b, *rest] for b in branches]
                        return total + self._costliest(branches, names)
                    total += self._costliest(branches, names)
                case ast.For():
                    total += self._loop(s, names)
                case ast.While(test=test):
                    self._note(f"while {ast.unparse(test)}")
                case ast.Assign(targets=targets, value=value):
                    total += self.expression(value, names)
                    for target in targets:
                        total += self.expression(target, names)
                case ast.AugAssign(target=target, op=op, value=value):
                    total += self.expression(target, names) + self.expression(value, names)
                    kind = self.kinds.names[target.id] if isinstance(target, ast.Name) else "float"
                    total += self._operation(op, value, kind)
                case ast.Return(value=value) | ast.Expr(value=value) if value is not None:
                    total += self.expression(value, names)
            for name in stored_names([s]):
                names.pop(name, None)
            match s:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    integer = self._integer(value, names)
                    if integer is not None and self.kinds.names[name] == "int":
                        names[name] = integer
        return total

    def _costliest(self, branches: list[list[ast.stmt]], known: Known) -> Counter[str]:
        return max((self.block(branch, known) for branch in branches), key=Counter.total)

    def _loop(self, s: ast.For, known: dict[str, int]) -> Counter[str]:
        assert isinstance(s.target, ast.Name)
        counted, _ = loop_range(s)
        total = sum((self.expression(a, known) for a in counted.args), Counter[str]())
        first, *_ = values = [self._integer(a, known) for a in counted.args]
        first, stop = (first, values[1]) if len(values) > 1 else (0, first)
        changed = {s.target.id, *stored_names(s.body)}
        inside = {name: value for name, value in known.items() if name not in changed}
        once = self.block(s.body, inside)
        if first is None or stop is None:
            if once:
                self._note(f"range({', '.join(map(ast.unparse, counted.args))})")
            return total
        step = values[2] if len(values) > 2 and values[2] else 1
        turns = max(0, -(-(stop - first) // step))
        return total + Counter({name: turns * number for name, number in once.items() if turns})

    def _note(self, loop: str) -> None:
        self.costs.unbounded.setdefault(self.kinds.function.__name__, loop)

    # -- expressions ----------------------------------------------------------------------------------------
    def expression(self, e: ast.expr, known: Known) -> Counter[str]:
        total = Counter[str]()
        for part in ast.iter_child_nodes(e):
            if isinstance(part, ast.expr) and not (isinstance(e, ast.Call) and part is e.func):
                total += self.expression(part, known)
        match e:
            case ast.BinOp(op=op, right=right):
                total += self._operation(op, right, self.kinds.kind(e))
            case ast.Call(args=arguments):
                total += self._call(name_of(e), arguments, known)
        return total

    def _operation(self, op: ast.operator, right: ast.expr, kind: Kind) -> Counter[str]:
        if kind != "float":
            return Counter()
        if isinstance(op, ast.Pow):
            is_square = isinstance(right, ast.Constant) and right.value == 2
            return Counter([MULTIPLICATIONS if is_square else CALLS])
        return Counter([NAMES[type(op)]])

    def _call(self, name: str, arguments: list[ast.expr], known: Known) -> Counter[str]:
        if name in FLOATING:
            return Counter([ROOTS if name == "sqrt" else CALLS]) if name not in EXACT else Counter()
        if name in KNOWN or name in ("view", "int64", "uintp"):
            return Counter()
        kinds = tuple(self.kinds.kind(a) for a in arguments)
        given = tuple(
            self._integer(a, known) if kind == "int" else None for a, kind in zip(arguments, kinds, strict=True)
        )
        return self.costs.of(self.kinds.callee(name), kinds, given)

    # -- integers -------------------------------------------------------------------------------------------
    def _integer(self, e: ast.expr, known: Known) -> int | None:
        match e:
            case ast.Subscript(value=ast.Name(id=name), slice=index) if is_table(self.constants.get(name)):
                place = self._integer(index, known)
                return None if place is None else int(self.constants[name][place])
        names = {node.id for node in ast.walk(e) if isinstance(node, ast.Name)}
        values: dict[str, Any] = {name: self.constants.get(name) for name in names - self.kinds.names.keys()}
        return known_value(e, values | {name: known[name] for name in names if name in known})

    def _ways(self, test: ast.expr, known: Known) -> set[bool]:
        """Return the values that a condition can have."""
        match test:
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                a, b = self._integer(left, known), self._integer(right, known)
                if a is not None and b is not None:
                    return {bool(COMPARED[type(op)](a, b))}
        return {True, False}


def _ends(body: list[ast.stmt]) -> bool:
    """True if nothing that follows a block runs after it."""
    return bool(body) and isinstance(body[-1], (ast.Return, ast.Break, ast.Continue))
