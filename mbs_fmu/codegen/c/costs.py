"""Operations of a kernel, counted from its text: the most that one call can need.

Of the ways through a kernel the costliest one counts. A way knows the values of integers that constants, arguments and
the statuses of called kernels determine; these decide some of its branches, so that a failure of one call and what
follows its success are never counted together. The number of iterations of a loop follows from such integers too. A
loop without a bound is named instead.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

from ..llvm.independent_loops import loop_range
from ..llvm.kinds import FLOATING, Kind, Kinds, inferred, is_table, name_of
from ..llvm.reading import stored_names
from ..llvm.subset import KNOWN, definition_of, known_value, statements_of

Known = Mapping[str, int]  #: values of local names that are known integers
Outcomes = dict[int | None, Counter[str]]  #: operations by the integer that is returned, None for other results
MOST_WAYS = 16  #: ways that a function keeps apart; more are taken together
ADDITIONS, MULTIPLICATIONS, DIVISIONS, ROOTS, CALLS = (
    "additions", "multiplications", "divisions", "square roots", "calls of <math.h>",
)  # fmt: skip
NAMES = {ast.Add: ADDITIONS, ast.Sub: ADDITIONS, ast.Mult: MULTIPLICATIONS, ast.Div: DIVISIONS}
EXACT = {"ceil", "fabs"}  #: functions that cost no more than an operation
COMPARED = {
    ast.Lt: int.__lt__, ast.LtE: int.__le__, ast.Gt: int.__gt__, ast.GtE: int.__ge__, ast.Eq: int.__eq__,
    ast.NotEq: int.__ne__,
}  # fmt: skip


@dataclass(frozen=True)
class Way:
    """A way through a function up to a statement: the integers that it knows there, and its operations."""

    known: Known
    cost: Counter[str]


@dataclass
class Costs:
    """Counter of operations on numbers; `unbounded` are the loops without a bound, as function and text."""

    unbounded: dict[str, str] = field(default_factory=dict)
    _outcomes: dict[object, Outcomes] = field(default_factory=dict)

    def of(self, function: FunctionType, kinds: tuple[Kind, ...], given: tuple[int | None, ...] = ()) -> Counter[str]:
        """Return the operations of one call; `given` are the arguments that are known integers."""
        return _costliest(self.outcomes(function, kinds, given).values())

    def outcomes(self, function: FunctionType, kinds: tuple[Kind, ...], given: tuple[int | None, ...]) -> Outcomes:
        """Return the operations of one call for each integer that it can return."""
        key = function, kinds, given
        if key not in self._outcomes:
            names = [a.arg for a in definition_of(function).args.args]
            known = {name: value for name, value in zip(names, given, strict=False) if value is not None}
            counter = _Function(self, inferred(function, kinds))
            self._outcomes[key] = counter.outcomes(statements_of(function), known)
        return self._outcomes[key]

    def sentence(self, cost: Counter[str]) -> str:
        """Return the counts as a sentence, or the first loop without a bound."""
        if self.unbounded:
            name, loop = next(iter(self.unbounded.items()))
            return f"Its operations are not counted: {name} has a loop without a constant bound ({loop})."
        counts = [f"{cost[name] or 'no'} {name}" for name in (ADDITIONS, MULTIPLICATIONS, DIVISIONS, ROOTS, CALLS)]
        return f"At most {', '.join(counts[:-1])} and {counts[-1]}."


class _Function:
    """Counter of one function's operations; `returned` and `left` collect ways that end inside the present loop."""

    def __init__(self, costs: Costs, kinds: Kinds):
        self.costs, self.kinds = costs, kinds
        self.constants = kinds.function.__globals__
        self.returned: Outcomes = {}
        self.left: list[Counter[str]] = []

    def outcomes(self, body: list[ast.stmt], known: Known) -> Outcomes:
        for way in self.block(body, [Way(known, Counter())]):
            self._return(None, way.cost)
        return self.returned

    def _return(self, value: int | None, cost: Counter[str]) -> None:
        self.returned[value] = _costliest([cost, *([self.returned[value]] if value in self.returned else [])])

    # -- statements -----------------------------------------------------------------------------------------
    def block(self, body: list[ast.stmt], ways: list[Way]) -> list[Way]:
        """Return the ways at the end of a block from those at its beginning."""
        for s in body:
            ways = _merged(after for way in ways for after in self.statement(s, way))
        return ways

    def statement(self, s: ast.stmt, way: Way) -> list[Way]:
        known, cost = way.known, way.cost
        match s:
            case ast.If():
                begun = Way(known, cost + self.expression(s.test, known))
                taken = self._ways(s.test, known)
                branches = [b for b, value in ((s.body, True), (s.orelse, False)) if value in taken]
                return [after for branch in branches for after in self.block(branch, [begun])]
            case ast.For():
                return [self._loop(s, way)]
            case ast.Return(value=value):
                for result, more in self._results(value, known).items():
                    self._return(result, cost + more)
                return []
            case ast.Break() | ast.Continue():
                self.left.append(cost)
                return []
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if self.kinds.names[name] == "int":
                others = _without(known, [name])
                return [
                    Way(others if result is None else others | {name: result}, cost + more)
                    for result, more in self._results(value, known).items()
                ]
            case ast.While(test=test):
                self._note(f"while {ast.unparse(test)}")
        return [Way(_without(known, stored_names([s])), cost + self._simple(s, known))]

    def _simple(self, s: ast.stmt, known: Known) -> Counter[str]:
        """Return the operations of a statement with one way."""
        match s:
            case ast.Assign(targets=targets, value=value):
                return sum((self.expression(part, known) for part in [value, *targets]), Counter())
            case ast.AugAssign(target=target, op=op, value=value):
                kind = self.kinds.names[target.id] if isinstance(target, ast.Name) else "float"
                parts = self.expression(target, known) + self.expression(value, known)
                return parts + self._operation(op, value, kind)
            case ast.Expr(value=value):
                return self.expression(value, known)
        return Counter()

    def _loop(self, s: ast.For, way: Way) -> Way:
        assert isinstance(s.target, ast.Name)
        counted, _ = loop_range(s)
        total = sum((self.expression(a, way.known) for a in counted.args), way.cost)
        changed = {s.target.id, *stored_names(s.body)}
        outside, self.returned, self.left = (self.returned, self.left), {}, []
        ends = self.block(s.body, [Way(_without(way.known, changed), Counter())])
        once = _costliest([*(end.cost for end in ends), *self.left, *self.returned.values()])
        inside, (self.returned, self.left) = self.returned, outside
        turns = self._turns(counted.args, way.known) if once else 0
        total = total + Counter({name: turns * number for name, number in once.items() if turns})
        for result in inside:  # in the last turn, at the latest
            self._return(result, total)
        return Way(_without(way.known, changed), total)

    def _turns(self, bounds: list[ast.expr], known: Known) -> int:
        """Return how often a loop with these arguments of `range` turns; 0, and a note, if that is unknown."""
        values = [self._integer(a, known) for a in bounds]
        first, stop = values[:2] if len(values) > 1 else (0, values[0])
        if first is None or stop is None:
            self._note(f"range({', '.join(map(ast.unparse, bounds))})")
            return 0
        step = values[2] if len(values) > 2 and values[2] else 1
        return max(0, -(-(stop - first) // step))

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
        return Counter() if _is_known(name) else _costliest(self._called(name, arguments, known).values())

    def _called(self, name: str, arguments: list[ast.expr], known: Known) -> Outcomes:
        """Return the operations of a called kernel, without those of its arguments."""
        kinds = tuple(self.kinds.kind(a) for a in arguments)
        given = tuple(
            self._integer(a, known) if kind == "int" else None for a, kind in zip(arguments, kinds, strict=True)
        )
        return self.costs.outcomes(self.kinds.callee(name), kinds, given)

    def _results(self, e: ast.expr | None, known: Known) -> Outcomes:
        """Return the operations of an expression for each integer that it can be."""
        match e:
            case None:
                return {None: Counter()}
            case ast.Call(args=arguments) if not _is_known(name_of(e)):
                given = sum((self.expression(a, known) for a in arguments), Counter[str]())
                called = self._called(name_of(e), arguments, known)
                return {result: given + cost for result, cost in called.items()}
        return {self._integer(e, known): self.expression(e, known)}

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


def _is_known(name: str) -> bool:
    """True for functions that are no kernels."""
    return name in FLOATING or name in KNOWN or name in ("view", "int64", "uintp")


def _without(known: Known, names: Iterable[str]) -> dict[str, int]:
    removed = set(names)
    return {name: value for name, value in known.items() if name not in removed}


def _costliest(costs: Iterable[Counter[str]]) -> Counter[str]:
    return max(costs, key=Counter.total, default=Counter())


def _merged(ways: Iterable[Way]) -> list[Way]:
    """Return one way for each set of known integers; if these are many, one for all, with what all know."""
    found: dict[frozenset[tuple[str, int]], Counter[str]] = {}
    for way in ways:
        key = frozenset(way.known.items())
        found[key] = _costliest([way.cost, *([found[key]] if key in found else [])])
    if len(found) > MOST_WAYS:
        found = {frozenset.intersection(*found): _costliest(found.values())}
    return [Way(dict(key), cost) for key, cost in found.items()]
