"""Checks that a method's class and functions are consistent: names, arguments, numbers, stored vectors."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Mapping

from ...infrastructure.syntax import parsed
from ...kernels.sources import Kernel
from .method import Functions, Method, Parts
from .texts import PLACEHOLDER, source

HISTORY_FUNCTIONS = ("METHOD_enter", "METHOD_leave")  #: functions that a method with history must define


def check_parts(method: Method, parts: Parts, known: Mapping[str, Kernel]) -> None:
    """Check names and arguments of a method's functions, and its numbers.

    `known` contains the functions of all drivers and the hooks that these call. Raises ValueError for an invalid
    function or number, and NotImplementedError if functions of the history are missing.
    """
    called = {name for function in parts.own.values() for name in function.uses}
    for name, function in parts.own.items():
        if function.name != name or not name.startswith(PLACEHOLDER):
            raise ValueError(
                f"method {method.name}: own function {name!r} is {function.name}: list it by its name METHOD_..."
            )
        if name not in known and name not in called:
            raise ValueError(f"method {method.name}: nothing calls {name}: drivers call {', '.join(sorted(known))}")
        if name in known and function.arguments != (usual := source(known[name])).arguments:
            raise ValueError(f"method {method.name}: {function.call} must have the arguments of {usual.call}")
    for name, value in parts.numbers.items():
        if not name.startswith(PLACEHOLDER) or not math.isfinite(value):
            raise ValueError(f"method {method.name}: number {name} is {value}: give a finite one, named METHOD_...")
    for name in HISTORY_FUNCTIONS if method.history else ():
        if name not in parts.own:
            raise NotImplementedError(f"method {method.name} has history {method.history}, but no function {name}")
    _check_slots(method, parts)


def check_complete(method: Method, parts: Parts, functions: Functions) -> None:
    """Raise NotImplementedError for a function or number METHOD_... that is used but not defined."""
    for function in functions.values():
        for name in function.uses:
            if name.startswith(PLACEHOLDER) and name not in functions and name not in parts.numbers:
                kind = "number" if name.isupper() else "function"
                raise NotImplementedError(f"method {method.name} has no {kind} {name}, which {function.name} uses")


def _check_slots(method: Method, parts: Parts) -> None:
    """Raise ValueError if a function uses a vector `R.stages[n]` beyond the method's slots.

    Only constant n can be checked.
    """
    for function in parts.own.values():
        for place in _stages(parsed(f"{function.head}\n{function.body}"), parts.numbers):
            if place >= method.slots:
                raise ValueError(
                    f"method {method.name}: {function.name} uses R.stages[{place}]: slots must be at least "
                    f"{place + 1}, it is {method.slots}"
                )


def _stages(tree: ast.AST, numbers: Mapping[str, float]) -> Iterator[int]:
    """Yield every constant n in STAGES + n * NX, the address of `R.stages[n]` in flat text; n is 0 for STAGES alone."""
    inner = {node.left for node in ast.walk(tree) if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add)}
    for node in ast.walk(tree):
        if node in inner or not isinstance(node, (ast.BinOp, ast.Name)):
            continue
        addends = _addends(node)
        if any(isinstance(addend, ast.Name) and addend.id == "STAGES" for addend in addends):
            counts = [_count(addend, numbers) for addend in addends]
            if None not in counts:
                yield sum(count for count in counts if count is not None)


def _addends(node: ast.AST) -> list[ast.AST]:
    """Return the addends of a sum, from left to right."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return [*_addends(node.left), node.right]
    return [node]


def _count(addend: ast.AST, numbers: Mapping[str, float]) -> int | None:
    """Return the number of vectors, each of NX numbers, that an addend adds to an address; None if not constant."""
    match addend:
        case ast.Name(id="NX"):
            return 1
        case ast.BinOp(left=factor, op=ast.Mult(), right=ast.Name(id="NX")):
            return _value(factor, numbers)
        case _:
            return 0


def _value(node: ast.AST, numbers: Mapping[str, float]) -> int | None:
    """Return the value of a sum of integers and numbers of the method; None if it is not constant."""
    match node:
        case ast.Constant(value=int(value)):
            return value
        case ast.Name(id=name) if name in numbers:
            return int(numbers[name])
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            a, b = _value(left, numbers), _value(right, numbers)
            return None if a is None or b is None else a + b
        case _:
            return None
