"""What a method's class says of itself against its functions: names, arguments, numbers, vectors from STAGES on."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Mapping

from ...kernels.sources import parsed
from .method import Functions, Method, Parts
from .texts import PLACEHOLDER

REMEMBERING = ("METHOD_enter", "METHOD_leave")  #: what a method needs whose history goes on from call to call


def check_parts(method: Method, told: Parts, known: Functions) -> None:
    """ValueError for functions that can't be those of a method, NotImplementedError where some are missing.

    known: those of all drivers and what they may call.
    """
    called = {name for function in told.own.values() for name in function.uses}
    for name, function in told.own.items():
        if function.name != name or not name.startswith(PLACEHOLDER):
            raise ValueError(f"method {method.name}: own function {name!r} is {function.name}: tell it as METHOD_...")
        if name not in known and name not in called:
            raise ValueError(f"method {method.name}: nothing calls {name}: drivers call {', '.join(sorted(known))}")
        if name in known and function.arguments != known[name].arguments:
            raise ValueError(f"method {method.name}: {function.call} must have the arguments of {known[name].call}")
    for name, value in told.numbers.items():
        if not name.startswith(PLACEHOLDER) or not math.isfinite(value):
            raise ValueError(f"method {method.name}: number {name} is {value}: tell a finite one as METHOD_...")
    for name in REMEMBERING if method.history else ():
        if name not in told.own:
            raise NotImplementedError(f"method {method.name} has history {method.history}, but no function {name}")
    _check_slots(method, told)


def check_complete(method: Method, told: Parts, functions: Functions) -> None:
    """NotImplementedError for what the functions of a method use and neither they nor its numbers are."""
    for function in functions.values():
        for name in function.uses:
            if name.startswith(PLACEHOLDER) and name not in functions and name not in told.numbers:
                kind = "number" if name.isupper() else "function"
                raise NotImplementedError(f"method {method.name} has no {kind} {name}, which {function.name} uses")


def _check_slots(method: Method, told: Parts) -> None:
    """ValueError where a function names a vector STAGES + n * NX, with a constant n, that there is no room for.

    Where n is known in a run only, it can't be checked.
    """
    for function in told.own.values():
        for place in _stages(parsed(f"{function.head}\n{function.body}"), told.numbers):
            if place >= method.slots:
                raise ValueError(
                    f"method {method.name}: {function.name} uses vector {place} from STAGES on: slots must be at least "
                    f"{place + 1}, it is {method.slots}"
                )


def _stages(tree: ast.AST, numbers: Mapping[str, float]) -> Iterator[int]:
    """Every constant n in STAGES + n * NX, STAGES alone being n = 0."""
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
    """What is added up, from left to right."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return [*_addends(node.left), node.right]
    return [node]


def _count(addend: ast.AST, numbers: Mapping[str, float]) -> int | None:
    """How many vectors an addend of an address goes on; None where only a run knows."""
    match addend:
        case ast.Name(id="NX"):
            return 1
        case ast.BinOp(left=factor, op=ast.Mult(), right=ast.Name(id="NX")):
            return _value(factor, numbers)
        case _:
            return 0


def _value(node: ast.AST, numbers: Mapping[str, float]) -> int | None:
    """A sum of integers and numbers of the method."""
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
