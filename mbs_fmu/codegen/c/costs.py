"""Operations of a kernel, counted from its text: the largest number that one call can need.

The result is the cost of the most expensive path ("way") through a kernel. For each way, the ranges of integers are
known that follow from constants, tables, arguments, limits of the record and the results of called kernels (ranges.py).
They decide some of its branches: for example, the code after the failure of a call and the code after its success are
never counted together. A loop whose counter decides a branch is counted iteration by iteration, any other loop once,
times its largest number of iterations. A loop without a bound is named, with the operations of one iteration.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import FunctionType

from ..llvm.independent_loops import loop_range
from ..llvm.kinds import FLOATING, Kind, Kinds, inferred, name_of
from ..llvm.reading import stored_names
from ..llvm.subset import definition_of, known_value, statements_of
from .ranges import Known, Limits, Range, Ranges, deciding_names, is_function, joined

Outcomes = dict[Range | None, Counter[str]]  #: operations by the range of the returned integer, None for other results
MOST_WAYS = 16  #: ways that a function keeps apart; more are taken together
MOST_ITERATIONS = 20_000  #: iterations of a loop that are counted one by one
ADDITIONS, MULTIPLICATIONS, DIVISIONS, ROOTS, CALLS = (
    "additions", "multiplications", "divisions", "square roots", "calls of <math.h>",
)  # fmt: skip
KINDS = (ADDITIONS, MULTIPLICATIONS, DIVISIONS, ROOTS, CALLS)
NAMES = {ast.Add: ADDITIONS, ast.Sub: ADDITIONS, ast.Mult: MULTIPLICATIONS, ast.Div: DIVISIONS}
EXACT = {"ceil", "fabs"}  #: functions that cost no more than an operation


@dataclass(frozen=True)
class Way:
    """A way through a function up to a statement: the integers that are known there, and its operations."""

    known: Known
    cost: Counter[str]


@dataclass
class Costs:
    """Counter of operations on numbers.

    `limits` are ranges of numbers of the record; `unbounded` are the operations of an iteration of each loop without a
    bound, by the name of its function and its head.
    """

    limits: Limits = field(default_factory=dict)
    unbounded: dict[tuple[str, str], Counter[str]] = field(default_factory=dict)
    _outcomes: dict[object, Outcomes] = field(default_factory=dict)
    _plain: dict[object, dict[ast.expr, Counter[str]]] = field(default_factory=dict)

    def of(self, function: FunctionType, kinds: tuple[Kind, ...], given: tuple[Range | None, ...] = ()) -> Counter[str]:
        """Return the operations of one call; `given` are the ranges of arguments."""
        return _costliest(self.outcomes(function, kinds, given).values())

    def outcomes(self, function: FunctionType, kinds: tuple[Kind, ...], given: tuple[Range | None, ...]) -> Outcomes:
        """Return the operations of one call for each range of integers that it can return."""
        deciding, names = deciding_names(function), [a.arg for a in definition_of(function).args.args]
        pairs = zip(names, given, strict=False)
        known = {name: value for name, value in pairs if value is not None and name in deciding}
        key = function, kinds, tuple(known.items())
        if key not in self._outcomes:
            plain = self._plain.setdefault((function, kinds), {})
            counter = _Function(self, inferred(function, kinds), plain)
            self._outcomes[key] = counter.outcomes(statements_of(function), known)
        return self._outcomes[key]


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
    """Counter of one function's operations; `returned` collects its results, `left` ways that leave an iteration.

    `plain` keeps the operations of expressions without kernels, which are the same at every call.
    """

    def __init__(self, costs: Costs, kinds: Kinds, plain: dict[ast.expr, Counter[str]]):
        self.costs, self.kinds = costs, kinds
        self.deciding = deciding_names(kinds.function)
        self.ranges = Ranges(kinds.function, kinds.names, costs.limits, self._result_of_call)
        self.returned: Outcomes = {}
        self.left: list[tuple[bool, Way]] = []  #: True for those that leave the loop too
        self._plain = plain

    def outcomes(self, body: list[ast.stmt], known: Known) -> Outcomes:
        for way in self.block(body, [Way(known, Counter())]):
            self._return(None, way.cost)
        return self.returned

    def _return(self, value: Range | None, cost: Counter[str]) -> None:
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
                taken = self.ranges.truths(s.test, known)
                branches = [b for b, value in ((s.body, True), (s.orelse, False)) if value in taken]
                return [after for branch in branches for after in self.block(branch, [begun])]
            case ast.For():
                return self._loop(s, way)
            case ast.While():
                return [self._endless(s, f"while {ast.unparse(s.test)}", s.test, way)]
            case ast.Return(value=value):
                for result, more in self._results(value, known).items():
                    self._return(result, cost + more)
                return []
            case ast.Break() | ast.Continue():
                self.left.append((isinstance(s, ast.Break), way))
                return []
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if self.kinds.names[name] == "int":
                return [Way(self._with(known, name, r), cost + more) for r, more in self._results(value, known).items()]
            case ast.AugAssign(target=ast.Name(id=name), op=op, value=value) if self.kinds.names[name] == "int":
                result = self.ranges.of(ast.BinOp(ast.Name(name), op, value), known)
                return [Way(self._with(known, name, result), cost + self.expression(value, known))]
        return [Way(_without(known, stored_names([s])), cost + self._simple(s, known))]

    def _with(self, known: Known, name: str, value: Range | None) -> Known:
        """Return the known integers after an assignment, without names that decide no branch."""
        others = _without(known, [name])
        return others if value is None or name not in self.deciding else others | {name: value}

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
    def _loop(self, s: ast.For, way: Way) -> list[Way]:
        assert isinstance(s.target, ast.Name)
        head, _ = loop_range(s)
        way = Way(way.known, sum((self.expression(a, way.known) for a in head.args), way.cost))
        bounds = [self.ranges.of(a, way.known) for a in head.args[:2]]
        first, stop = bounds if len(bounds) > 1 else [(0, 0), *bounds]
        step = known_value(head.args[2], {}) if len(head.args) > 2 else 1
        assert step is not None
        if first is None or stop is None:
            return [self._endless(s, f"range({', '.join(map(ast.unparse, head.args))})", None, way)]
        least, most = _turns(first, stop, step)
        if most <= MOST_ITERATIONS and self.deciding & {s.target.id, *stored_names(s.body)}:
            if first[1] - first[0] > MOST_WAYS:
                return self._iterations(s, way, first, step, least, most)
            starts = [((f, f), stop) for f in range(first[0], first[1] + 1)]
            return _merged(w for f, end in starts for w in self._iterations(s, way, f, step, *_turns(f, end, step)))
        begun, once, results = self._once(s, way)
        total = begun.cost + Counter({name: most * n for name, n in once.items() if most})
        for result in results:  # in the last iteration, at the latest
            self._return(result, total)
        return [Way(begun.known, total)]

    def _iterations(
        self, s: ast.For, way: Way, first: Range, step: int, least: int, most: int
    ) -> list[Way]:  # fmt: skip
        """Return the ways behind a loop that is counted iteration by iteration."""
        assert isinstance(s.target, ast.Name)
        ways, ended = [way], [way] if least == 0 else []
        outside, self.left = self.left, []
        for k in range(most):
            counter = first[0] + k * step, first[1] + k * step
            ways = self.block(s.body, [Way(self._with(w.known, s.target.id, counter), w.cost) for w in ways])
            ended += [w for leaves, w in self.left if leaves]
            ways = _merged([*ways, *(w for leaves, w in self.left if not leaves)])
            self.left = []
            if k + 1 >= least:
                ended = _merged([*ended, *ways])
            if not ways:
                break
        self.left = outside
        return _merged(ended)

    def _once(self, s: ast.For | ast.While, way: Way) -> tuple[Way, Counter[str], list[Range | None]]:
        """Return the way at any iteration of a loop, the operations of one iteration, and what it can return."""
        target = [s.target.id] if isinstance(s, ast.For) and isinstance(s.target, ast.Name) else []
        begun = Way(_without(way.known, [*target, *stored_names(s.body)]), way.cost)
        (outside, self.left), (results, self.returned) = (self.left, []), (self.returned, {})
        ends = self.block(s.body, [Way(begun.known, Counter())])
        once = _costliest([*(w.cost for w in ends), *(w.cost for _, w in self.left), *self.returned.values()])
        inside, (self.returned, self.left) = list(self.returned), (results, outside)
        return begun, once, inside

    def _endless(self, s: ast.For | ast.While, head: str, test: ast.expr | None, way: Way) -> Way:
        """Return the way behind a loop without a bound, without the operations of its iterations, which are noted."""
        if test is not None and self.ranges.truths(test, way.known) == {False}:
            return Way(way.known, way.cost + self.expression(test, way.known))
        begun, once, results = self._once(s, way)
        for result in results:  # the operations before it are those of an iteration
            self._return(result, begun.cost)
        tested = self.expression(test, begun.known) if test is not None else Counter[str]()
        if once or tested:
            key = self.kinds.function.__name__, head
            noted = self.costs.unbounded
            noted[key] = _costliest([once + tested, *([noted[key]] if key in noted else [])])
        return Way(begun.known, begun.cost + tested)

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
        return Counter() if is_function(name) else _costliest(self._called(name, arguments, known).values())

    def _called(self, name: str, arguments: list[ast.expr], known: Known) -> Outcomes:
        """Return the operations of a called kernel, without those of its arguments."""
        kinds = tuple(self.kinds.kind(a) for a in arguments)
        given = tuple(
            self.ranges.of(a, known) if kind in ("int", "bool") else None
            for a, kind in zip(arguments, kinds, strict=True)
        )
        return self.costs.outcomes(self.kinds.callee(name), kinds, given)

    def _result_of_call(self, name: str, arguments: list[ast.expr], known: Known) -> Range | None:
        return joined(self._called(name, arguments, known))

    def _results(self, e: ast.expr | None, known: Known) -> Outcomes:
        """Return the operations of an expression for each range of integers that it can have."""
        match e:
            case None:
                return {None: Counter()}
            case ast.Call(args=arguments) if not is_function(name_of(e)):
                given = sum((self.expression(a, known) for a in arguments), Counter[str]())
                called = self._called(name_of(e), arguments, known)
                return {result: given + cost for result, cost in called.items()}
        return {self.ranges.of(e, known): self.expression(e, known)}


def _turns(first: Range, stop: Range, step: int) -> tuple[int, int]:
    """Return the least and the greatest number of iterations of a loop between such bounds."""
    few, many = stop[0] - first[1], stop[1] - first[0]
    lengths = (few, many) if step > 0 else (many, few)
    return max(0, -(-lengths[0] // step)), max(0, -(-lengths[1] // step))


def _without(known: Known, names: Iterable[str]) -> dict[str, Range]:
    removed = set(names)
    return {name: value for name, value in known.items() if name not in removed}


def _costliest(costs: Iterable[Counter[str]]) -> Counter[str]:
    return max(costs, key=Counter.total, default=Counter())


def _merged(ways: Iterable[Way]) -> list[Way]:
    """Return one way for each set of known integers; if these are many, one for all, with what is known in all."""
    found: dict[frozenset[tuple[str, Range]], Counter[str]] = {}
    for way in ways:
        key = frozenset(way.known.items())
        found[key] = _costliest([way.cost, *([found[key]] if key in found else [])])
    if len(found) <= MOST_WAYS:
        return [Way(dict(key), cost) for key, cost in found.items()]
    known = [dict(key) for key in found]
    names = set(known[0]).intersection(*known[1:])
    together = {name: joined(one[name] for one in known) for name in names}
    return [Way({name: r for name, r in together.items() if r is not None}, _costliest(found.values()))]
