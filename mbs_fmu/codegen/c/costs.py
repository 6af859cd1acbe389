"""Operations of a kernel, counted from its text: a bound of what one call can need.

Of several branches the costliest counts, unless known integers decide: constants, tables, arguments, limits of the
record and results of called kernels have ranges (ranges.py). Where branches meet again, an integer has the range that
holds for all of them; therefore a bound can count two branches of which only one is ever taken. A loop counts with its
largest number of iterations, one by one up to `MOST_ITERATIONS`. A loop without a bound is named, with the operations
of one iteration.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import field
from types import FunctionType

from ...infrastructure.lazy_dataclasses import dataclass
from ..llvm.independent_loops import loop_range
from ..llvm.kinds import FLOATING, Kind, Kinds, inferred, name_of
from ..llvm.reading import stored_names
from ..llvm.subset import definition_of, known_value, statements_of
from .ranges import Known, Limits, Range, Ranges, is_function, joined

MOST_ITERATIONS = 20_000  #: iterations of a loop that are counted one by one
ADDITIONS, MULTIPLICATIONS, DIVISIONS, ROOTS, CALLS = (
    "additions", "multiplications", "divisions", "square roots", "calls of <math.h>",
)  # fmt: skip
KINDS = (ADDITIONS, MULTIPLICATIONS, DIVISIONS, ROOTS, CALLS)
NAMES = {ast.Add: ADDITIONS, ast.Sub: ADDITIONS, ast.Mult: MULTIPLICATIONS, ast.Div: DIVISIONS}
EXACT = {"ceil", "fabs"}  #: functions that cost no more than an operation


@dataclass(frozen=True)
class Place:
    """A place in a function: the integers that are known there, and the operations before it."""

    known: Known
    cost: Counter[str]

    def after(self, cost: Counter[str]) -> Place:
        return Place(self.known, self.cost + cost)

    def with_integer(self, name: str, value: Range | None) -> Place:
        others = self.without([name]).known
        return Place(others if value is None else {**others, name: value}, self.cost)

    def without(self, names: Iterable[str]) -> Place:
        changed = set(names)
        return Place({name: value for name, value in self.known.items() if name not in changed}, self.cost)


@dataclass
class Costs:
    """Counter of operations on numbers.

    `limits` are ranges of numbers of the record; `unbounded` are the operations of an iteration of each loop without a
    bound, by the name of its function and its head.
    """

    limits: Limits = field(default_factory=dict)
    unbounded: dict[tuple[str, str], Counter[str]] = field(default_factory=dict)
    _calls: dict[object, tuple[Range | None, Counter[str]]] = field(default_factory=dict)
    _plain: dict[object, dict[ast.expr, Counter[str]]] = field(default_factory=dict)

    def of(self, function: FunctionType, kinds: tuple[Kind, ...]) -> Counter[str]:
        """Return the operations of one call with arguments of such kinds."""
        return self.call(function, kinds, (None,) * len(kinds))[1]

    def call(
        self, function: FunctionType, kinds: tuple[Kind, ...], given: tuple[Range | None, ...]
    ) -> tuple[Range | None, Counter[str]]:
        """Return the range of a call's result and its operations; `given` are the ranges of its arguments."""
        key = function, kinds, given
        if key not in self._calls:
            names = [a.arg for a in definition_of(function).args.args]
            known = {name: value for name, value in zip(names, given, strict=True) if value is not None}
            plain = self._plain.setdefault((function, kinds), {})
            self._calls[key] = _Function(self, inferred(function, kinds, True), plain).call(known)
        return self._calls[key]


def counts(cost: Mapping[str, int]) -> str:
    """Return numbers of operations as text."""
    parts = [f"{cost.get(name) or 'no'} {name}" for name in KINDS]
    return f"{', '.join(parts[:-1])} and {parts[-1]}"


def sentences(cost: Counter[str], unbounded: Mapping[tuple[str, str], Counter[str]]) -> str:
    """Return a bound of operations as text, with those of an iteration of each loop without a bound."""
    more = [
        f"Each turn of the loop of {function} ({loop}), whose number has no bound, adds at most {counts(once)}."
        for (function, loop), once in unbounded.items()
    ]
    return " ".join([f"At most {counts(cost)}.", *more])


class _Function:
    """Counter of one function's operations.

    `returned` collects the results of its return statements and the operations before them, `left` the places from
    which an iteration is left. `plain` keeps the operations of expressions without kernels, which are the same at every
    call.
    """

    def __init__(self, costs: Costs, kinds: Kinds, plain: dict[ast.expr, Counter[str]]):
        self.costs, self.kinds = costs, kinds
        self.ranges = Ranges(kinds.function, kinds.names, costs.limits, lambda *call: self._called(*call)[0])
        self.returned: list[tuple[Range | None, Counter[str]]] = []
        self.left: list[tuple[bool, Place]] = []  #: True for those that leave the loop too
        self._plain = plain

    def call(self, known: Known) -> tuple[Range | None, Counter[str]]:
        end = self.block(statements_of(self.kinds.function), Place(known, Counter()))
        if end is not None:
            self.returned.append((None, end.cost))
        return joined(result for result, _ in self.returned), _costliest(cost for _, cost in self.returned)

    # -- statements -----------------------------------------------------------------------------------------
    def block(self, body: list[ast.stmt], place: Place | None) -> Place | None:
        """Return the place behind a block; None if none leads there."""
        for s in body:
            if place is None:
                return None
            place = self.statement(s, place)
        return place

    def statement(self, s: ast.stmt, place: Place) -> Place | None:
        known, kinds = place.known, self.kinds.names
        match s:
            case ast.If(test=test, body=body, orelse=orelse):
                begun = place.after(self.expression(test, known))
                taken = self.ranges.truths(test, known)
                return _meeting(self.block(b, begun) for b, value in ((body, True), (orelse, False)) if value in taken)
            case ast.For():
                return self._loop(s, place)
            case ast.While(test=test):
                return self._endless(s, f"while {ast.unparse(test)}", test, place)
            case ast.Return(value=value):
                end = place.after(self.expression(value, known)) if value else place
                self.returned.append((self.ranges.of(value, known) if value else None, end.cost))
                return None
            case ast.Break() | ast.Continue():
                self.left.append((isinstance(s, ast.Break), place))
                return None
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if kinds[name] == "int":
                return place.after(self.expression(value, known)).with_integer(name, self.ranges.of(value, known))
            case ast.AugAssign(target=ast.Name(id=name), op=op, value=value) if kinds[name] == "int":
                result = self.ranges.of(ast.BinOp(ast.Name(name), op, value), known)
                return place.after(self.expression(value, known)).with_integer(name, result)
        return place.after(self._simple(s, known)).without(stored_names([s]))

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

    # -- loops ----------------------------------------------------------------------------------------------
    def _loop(self, s: ast.For, place: Place) -> Place | None:
        assert isinstance(s.target, ast.Name)
        head, _ = loop_range(s)
        place = place.after(sum((self.expression(a, place.known) for a in head.args), Counter()))
        bounds = [self.ranges.of(a, place.known) for a in head.args[:2]]
        first, stop = bounds if len(bounds) > 1 else [(0, 0), *bounds]
        step = known_value(head.args[2], {}) if len(head.args) > 2 else 1
        assert step is not None
        if first is None or stop is None:
            return self._endless(s, f"range({', '.join(map(ast.unparse, head.args))})", None, place)
        counters = _counters(first, stop, step)
        if len(counters) <= MOST_ITERATIONS:
            least = len(range(first[1], stop[0], step) if step > 0 else range(first[0], stop[1], step))
            return self._iterated(s.body, s.target.id, counters, least, place)
        begun, once, results = self._once(s, place)
        total = begun.after(Counter({name: len(counters) * n for name, n in once.items()}))
        self.returned += [(result, total.cost) for result in results]  # in the last iteration, at the latest
        return total

    def _iterated(
        self, body: list[ast.stmt], name: str, counters: list[Range], least: int, place: Place | None
    ) -> Place | None:
        """Return the place behind a loop that is counted iteration by iteration; at least `least` take place."""
        ends = [place] if least == 0 else []
        outside, self.left = self.left, []
        for number, counter in enumerate(counters, start=1):
            if place is None:
                break
            end = self.block(body, place.with_integer(name, counter))
            place = _meeting([end, *(p for leaves, p in self.left if not leaves)])
            ends += [p for leaves, p in self.left if leaves]
            if number >= least:
                ends.append(place)
            self.left = []
        self.left = outside
        return _meeting(ends)

    def _once(self, s: ast.For | ast.While, place: Place) -> tuple[Place, Counter[str], list[Range | None]]:
        """Return the place before any iteration of a loop, the operations of one iteration, and what it can return."""
        target = [s.target.id] if isinstance(s, ast.For) and isinstance(s.target, ast.Name) else []
        begun = place.without([*target, *stored_names(s.body)])
        outside, self.left, self.returned = (self.left, self.returned), [], []
        end = self.block(s.body, Place(begun.known, Counter()))
        ends = [*([end.cost] if end else []), *(p.cost for _, p in self.left), *(cost for _, cost in self.returned)]
        results = [result for result, _ in self.returned]
        self.left, self.returned = outside
        return begun, _costliest(ends), results

    def _endless(self, s: ast.For | ast.While, head: str, test: ast.expr | None, place: Place) -> Place:
        """Return the place behind a loop without a bound, without the operations of its iterations, which are noted."""
        if test is not None and self.ranges.truths(test, place.known) == {False}:
            return place.after(self.expression(test, place.known))
        begun, once, results = self._once(s, place)
        self.returned += [(result, begun.cost) for result in results]  # the operations of an iteration stand apart
        tested = self.expression(test, begun.known) if test is not None else Counter[str]()
        if once or tested:
            key, noted = (self.kinds.function.__name__, head), self.costs.unbounded
            noted[key] = _costliest([once + tested, noted.get(key, Counter())])
        return begun.after(tested)

    # -- expressions ----------------------------------------------------------------------------------------
    def expression(self, e: ast.expr, known: Known) -> Counter[str]:
        if e in self._plain:
            return self._plain[e]
        if isinstance(e, ast.IfExp):
            taken = self.ranges.truths(e.test, known)
            parts = [part for part, value in ((e.body, True), (e.orelse, False)) if value in taken]
            return self.expression(e.test, known) + _costliest(self.expression(part, known) for part in parts)
        total, plain = Counter[str](), True
        for part in ast.iter_child_nodes(e):
            if isinstance(part, ast.expr) and not (isinstance(e, ast.Call) and part is e.func):
                total += self.expression(part, known)
                plain = plain and part in self._plain
        match e:
            case ast.BinOp(op=op, right=right):
                total += self._operation(op, right, self.kinds.kind(e))
            case ast.Call(args=arguments):
                total += self._call(name_of(e), arguments, known)
                plain = plain and is_function(name_of(e))
        if plain:
            self._plain[e] = total
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
        return Counter() if is_function(name) else self._called(name, arguments, known)[1]

    def _called(self, name: str, arguments: list[ast.expr], known: Known) -> tuple[Range | None, Counter[str]]:
        """Return the range of a kernel's result and its operations, without those of its arguments."""
        kinds = tuple(self.kinds.kind(a) for a in arguments)
        given = tuple(
            self.ranges.of(a, known) if kind in ("int", "bool") else None
            for a, kind in zip(arguments, kinds, strict=True)
        )
        return self.costs.call(self.kinds.callee(name), kinds, given)


def _counters(first: Range, stop: Range, step: int) -> list[Range]:
    """Return the ranges of a loop's counter, for as many iterations as can take place between such bounds."""
    if step < 0:
        return [(-high, -low) for low, high in _counters((-first[1], -first[0]), (-stop[1], -stop[0]), -step)]
    spread = first[1] - first[0]
    return [(counter, min(counter + spread, stop[1] - 1)) for counter in range(first[0], stop[1], step)]


def _costliest(costs: Iterable[Counter[str]]) -> Counter[str]:
    return max(costs, key=Counter.total, default=Counter())


def _meeting(places: Iterable[Place | None]) -> Place | None:
    """Return the place at which several ones meet: what is known in all of them, and the costliest."""
    found = [place for place in places if place is not None]
    if len(found) < 2:
        return found[0] if found else None
    ranges = {name: joined(p.known.get(name) for p in found) for name in found[0].known}
    return Place({name: r for name, r in ranges.items() if r is not None}, _costliest(p.cost for p in found))
