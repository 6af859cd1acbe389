"""Where a function's variables are declared: in the innermost block that contains all uses of their values."""

from __future__ import annotations

import ast

from ..llvm.reading import stored_names
from .effects import Effects, blocks_of


class Declarations:
    """Places at which the variables of one function are declared."""

    def __init__(self, body: list[ast.stmt], variables: set[str], effects: Effects):
        self._effects = effects
        self._occurrences: dict[int, dict[str, list[ast.stmt]]] = {}
        self._blocks: dict[int, list[str]] = {}  # by the id of a block
        self._statements: dict[ast.stmt, set[str]] = {}
        for variable in sorted(variables):
            self._place(variable, body)

    def at_start(self, block: list[ast.stmt]) -> list[str]:
        """Return the variables that are declared at the beginning of a block, without a value."""
        return self._blocks.get(id(block), [])

    def by(self, s: ast.stmt) -> set[str]:
        """Return the variables that an assignment or a loop declares."""
        return self._statements.get(s, set())

    def _place(self, name: str, block: list[ast.stmt]) -> None:
        inside = self._with(name, block)
        if self._gives_value(inside[0], name):
            self._statements.setdefault(inside[0], set()).add(name)
        elif not all(self._is_apart(s, name) for s in inside):
            self._blocks.setdefault(id(block), []).append(name)
        else:
            for s in inside:
                self._place_within(name, s)

    def _place_within(self, name: str, s: ast.stmt) -> None:
        match s:
            case ast.For(target=ast.Name(id=counter), body=body) if counter == name:
                if name in stored_names(body):
                    self._blocks.setdefault(id(body), []).append(name)  # the loop has a counter of its own
                else:
                    self._statements.setdefault(s, set()).add(name)
            case _:
                for block in blocks_of(s):
                    if self._with(name, block):
                        self._place(name, block)

    def _with(self, name: str, block: list[ast.stmt]) -> list[ast.stmt]:
        """Return the statements of a block that contain a name."""
        occurrences = self._occurrences.get(id(block))
        if occurrences is None:
            occurrences = self._occurrences[id(block)] = {}
            for s in block:
                for one in self._effects.names(s):
                    occurrences.setdefault(one, []).append(s)
        return occurrences.get(name, [])

    def _gives_value(self, s: ast.stmt, name: str) -> bool:
        """True for an assignment to a variable that does not need its value before."""
        if not isinstance(s, ast.Assign) or name in self._effects.names(s.value):
            return False
        targets = [t for target in s.targets for t in (target.elts if isinstance(target, ast.Tuple) else [target])]
        names = {t.id for t in targets if isinstance(t, ast.Name)}
        return name in names and not any(
            isinstance(t, ast.Subscript) and name in self._effects.names(t) for t in targets
        )

    def _is_apart(self, s: ast.stmt, name: str) -> bool:
        """True if a statement does not need the value that a variable had before."""
        match s:
            case ast.For(target=ast.Name(id=counter), iter=counted) if counter == name:
                return name not in self._effects.names(counted)
            case ast.For(iter=head) | ast.While(test=head) | ast.If(test=head):
                return name not in self._effects.names(head) and all(self._begins(b, name) for b in blocks_of(s))
        return False

    def _begins(self, block: list[ast.stmt], name: str) -> bool:
        """True if a block gives a variable a value before it needs one."""
        inside = self._with(name, block)
        return not inside or self._gives_value(inside[0], name) or all(self._is_apart(s, name) for s in inside)
