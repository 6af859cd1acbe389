"""Text and statements of a function, before any check."""

from __future__ import annotations

import ast
import functools
import inspect
import linecache
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Concatenate, ParamSpec, TypeVar

Given = ParamSpec("Given")
Result = TypeVar("Result")

TREE = "_tree"  #: key in the __dict__ of a function that was made from a syntax tree, whose lines begin with its text
SOURCE = "_source"  #: key in the __dict__ of a function of a module: the number of its first line, and its text


def cached_on_function(
    make: Callable[Concatenate[FunctionType, Given], Result],
) -> Callable[Concatenate[FunctionType, Given], Result]:
    """Cache the results of `make` by its arguments, during the lifetime of its first argument, a function."""

    @functools.wraps(make)
    def known(function: FunctionType, /, *arguments: Given.args, **named: Given.kwargs) -> Result:
        results: dict[object, Result] = function.__dict__.setdefault(f"_{make.__name__}", {})
        if arguments not in results:
            results[arguments] = make(function, *arguments, **named)
        return results[arguments]

    return known


def text_of(function: FunctionType) -> str:
    """Return the text of a function, up to the next line that is not indented further than its first.

    If that line still belongs to the function, as a comment may, `inspect` finds the end by tokenizing the text, which
    takes ten times as long.
    """
    code = function.__code__
    lines = linecache.getlines(code.co_filename, function.__globals__)[code.co_firstlineno - 1 :]
    head = next((k for k, line in enumerate(lines) if line.lstrip().startswith("def ")), 0)
    margin = lines[head][: -len(lines[head].lstrip())] if lines else ""
    end = head + 1
    while end < len(lines) and (lines[end].isspace() or lines[end].startswith((margin + " ", margin + ")"))):
        end += 1
    last = max((line for *_, line in code.co_lines() if line is not None), default=0)
    return "".join(lines[:end]) if code.co_firstlineno + end > last else inspect.getsource(function)


def line_of(function: FunctionType, node: ast.AST) -> int:
    """Return the line of a node in the file of its function; the lines of the tree begin at 1 with its text."""
    first = function.__code__.co_firstlineno
    start, _ = function.__dict__.get(SOURCE, (first, ""))
    line = getattr(node, "lineno", None)
    return first if line is None else start + line - 1


def without_docstring(definition: ast.FunctionDef) -> list[ast.stmt]:
    """Return the statements of a function's body after its docstring."""
    body = definition.body
    return body[1:] if ast.get_docstring(definition, clean=False) is not None else body


def stored_names(body: list[ast.stmt]) -> Iterator[str]:
    """Yield the name in every assignment of a value to a name; in this subset only statements assign."""
    for statement in body:
        match statement:
            case ast.Assign(targets=targets):
                pass
            case ast.AugAssign(target=target) | ast.For(target=target):
                targets = [target]
            case _:
                targets = []
        for target in targets:
            for name in target.elts if isinstance(target, ast.Tuple) else [target]:
                if isinstance(name, ast.Name):
                    yield name.id
        if isinstance(statement, (ast.For, ast.If, ast.While)):
            yield from stored_names(statement.body)
            yield from stored_names(statement.orelse)
