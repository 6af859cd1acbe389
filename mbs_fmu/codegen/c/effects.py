"""Effects of expressions: which ones change or read arrays, and which assigned values are never read.

C leaves open in which order it evaluates the operands of an operator and the arguments of a call. The order matters if
one part calls a kernel that changes arrays, and another part reads arrays or changes them too.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from ..llvm.kinds import ELEMENTS, Kinds
from ..llvm.subset import KNOWN, changes_arrays


class Effects:
    """Effects of the expressions of one function."""

    def __init__(self, kinds: Kinds):
        self.kinds = kinds
        self._changes: dict[ast.AST, bool] = {}
        self._reads: dict[ast.AST, bool] = {}
        self._names: dict[ast.AST, frozenset[str]] = {}

    def names(self, node: ast.AST) -> frozenset[str]:
        """Return the names in a statement or an expression."""
        if node not in self._names:
            own = {node.id} if isinstance(node, ast.Name) else set[str]()
            self._names[node] = frozenset(own.union(*map(self.names, ast.iter_child_nodes(node))))
        return self._names[node]

    def changes(self, e: ast.AST) -> bool:
        """True if an expression calls a kernel that changes arrays."""
        if e not in self._changes:
            callee = self._callee(e)
            own = callee is not None and changes_arrays(self.kinds.callee(callee))
            self._changes[e] = own or any(map(self.changes, ast.iter_child_nodes(e)))
        return self._changes[e]

    def reads(self, e: ast.AST) -> bool:
        """True if an expression reads elements of arrays, itself or in the kernels that it calls."""
        if e not in self._reads:
            match e:
                case ast.Subscript(value=ast.Name(id=name)) if name in self.kinds.names:
                    own = True
                case _:
                    own = self._callee(e) is not None
            self._reads[e] = own or any(map(self.reads, ast.iter_child_nodes(e)))
        return self._reads[e]

    def order_matters(self, parts: Sequence[ast.expr]) -> bool:
        """True if parts give other values when evaluated in another order than from left to right."""
        return any(
            self.changes(a) and any(b is not a and (self.reads(b) or self.changes(b)) for b in parts) for a in parts
        )

    def disturbs(self, target: ast.expr, e: ast.expr) -> bool:
        """True if an assignment to a target can change the value of an expression."""
        if isinstance(target, ast.Name):
            return target.id in self.names(e)
        return self.reads(e)

    def _callee(self, e: ast.AST) -> str | None:
        """Return the name of the kernel if an expression is the call of one with arrays, otherwise None."""
        match e:
            case ast.Call(func=ast.Name(id=name), args=arguments) if name not in KNOWN:
                return name if any(self.kinds.kind(a) in ELEMENTS for a in arguments) else None
        return None


def pairs(s: ast.Assign) -> list[tuple[list[ast.expr], ast.expr]]:
    """Return the targets of an assignment with the expression that each group of targets takes its values from."""
    match s:
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=items)):
            return [([name], item) for name, item in zip(names, items, strict=True)]
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=value):
            return [(names, value)]
    return [(s.targets, s.value)]


def live_names(body: list[ast.stmt], effects: Effects) -> set[str]:
    """Return the names whose values something needs, directly or through other names that something needs."""
    needed: set[str] = set()
    waiting: list[tuple[set[str], frozenset[str]]] = []  # assigned names, and the names that their value needs

    def add(targets: list[ast.expr], value: ast.expr, others: frozenset[str] = frozenset()) -> None:
        assigned = {t.id for t in targets if isinstance(t, ast.Name)}
        if len(assigned) < len(targets) or effects.changes(value):
            needed.update(effects.names(value), *(effects.names(t) for t in targets if not isinstance(t, ast.Name)))
        else:
            waiting.append((assigned, effects.names(value) | others))

    for s in _statements(body):
        match s:
            case ast.Assign():
                for targets, value in pairs(s):
                    add(targets, value)
            case ast.AugAssign(target=target, value=value):
                add([target], value, effects.names(target))
            case ast.For(iter=head) | ast.While(test=head) | ast.If(test=head):
                needed |= effects.names(head)
            case ast.Expr(value=value) if effects.changes(value):
                needed |= effects.names(value)
            case ast.Return(value=value) if value is not None:
                needed |= effects.names(value)
    while True:
        left = [(assigned, reads) for assigned, reads in waiting if not assigned & needed]
        if len(left) == len(waiting):
            return needed
        needed.update(*(reads for assigned, reads in waiting if assigned & needed))
        waiting = left


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for s in body:
        yield s
        for block in blocks_of(s):
            yield from _statements(block)


def blocks_of(s: ast.stmt) -> list[list[ast.stmt]]:
    """Return the blocks of statements within a statement."""
    return [block for block in (getattr(s, "body", None), getattr(s, "orelse", None)) if block]
