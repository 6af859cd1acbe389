"""Functions of generated modules: copied from source files or generated line by line, then specialised for a method.

In the sources of functions METHOD_..., METHOD stands for the name of the method.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable, Sequence
from dataclasses import replace
from types import ModuleType

from ...infrastructure.syntax import parsed
from ...kernels.hook_table import check_replacement
from ...kernels.sources import Kernel, kernels_of, names_read, source_of
from .method import Function, Functions
from .orders import Number

PLACEHOLDER = "METHOD_"
#: Regions that steps, dense output and error estimates access, for the docstrings of generated functions.
STEPPING = "Reads: drive_rests, p_dot, q_dot, stages, x0, z_dot. Writes: drive_impulses, head, p, q, stages, z."
BETWEEN = "Reads: stages, x0. Writes: drive_impulses, p, q, z."
ESTIMATING = "Estimated error of component k over the step. Reads: stages."


# -- sources --------------------------------------------------------------------------------------


@functools.cache
def source(function: Kernel) -> Function:
    """Return a function of a source file in the form for generated modules: without types of arguments."""
    tree, body = source_of(function)
    return Function(tree.name, _arguments(tree), body, names_read(tree), function.__module__)


def sources(*functions: Kernel) -> Functions:
    """Return functions of source files, by their names."""
    return {function.__name__: source(function) for function in functions}


def functions_of(*modules: ModuleType) -> Functions:
    """Return all functions that modules define, by their names.

    Functions of later modules replace earlier ones where the table of hooks allows it; otherwise raise ValueError.
    """
    return combined(*(sources(*kernels_of(module).values()) for module in modules))


def combined(*groups: Functions) -> Functions:
    """Join functions of several groups by their names.

    A later function replaces an earlier one of its name where the table of hooks allows it; otherwise raise ValueError.
    """
    functions: dict[str, Function] = {}
    for group in groups:
        for name, function in group.items():
            if functions.get(name, function) != function:
                check_replacement(name, functions[name].origin, function.origin)
            functions[name] = function
    return functions


def written(name: str, arguments: str, doc: str, lines: Iterable[str]) -> Function:
    """Return a function with this name, arguments, docstring and lines."""
    body = "\n".join(f"    {line}" for line in [f'"""{doc}"""', *lines])
    (tree,) = parsed(f"def {name}({arguments}):\n{body}").body
    assert isinstance(tree, ast.FunctionDef)
    return Function(name, _arguments(tree), body, names_read(tree))


def _arguments(tree: ast.FunctionDef) -> tuple[str, ...]:
    return tuple(argument.arg for argument in tree.args.args)


# -- text --------------------------------------------------------------------------------------


def split(functions: Functions) -> tuple[Functions, Functions]:
    """Separate the functions that serve all methods from those that are made for each, METHOD_..."""
    common = {name: f for name, f in functions.items() if not name.startswith(PLACEHOLDER)}
    return common, {name: f for name, f in functions.items() if name not in common}


def named(name: str, method: str) -> str:
    """Replace METHOD in a name by the name of the method."""
    return f"{method}_{name.removeprefix(PLACEHOLDER)}" if name.startswith(PLACEHOLDER) else name


def for_method(function: Function, method: str) -> Function:
    """Specialise a function METHOD_... for one method."""
    (definition,) = parsed(f"{function.head}\n{function.body}").body
    assert isinstance(definition, ast.FunctionDef)
    for node in ast.walk(definition):
        match node:
            case ast.Name(id=name):
                node.id = named(name, method)
            case ast.Constant(value=str(text)):  # the docstring
                node.value = text.replace(PLACEHOLDER.rstrip("_"), method)
    _, _, body = ast.unparse(definition).partition("\n")
    return replace(function, name=named(function.name, method), body=body)


def kernel(function: Function, is_called: bool = False) -> str:
    """Return the text of a kernel, followed by its entry `enter_...` if Python calls it."""
    text = f"@kernel\n{function.head}\n{function.body}"
    call = function.call
    return f"{text}\n\n\n@jit\ndef enter_{call}:\n    return {call}" if is_called else text


def joined(texts: Iterable[str]) -> str:
    """Join the texts of functions."""
    return "\n\n\n".join(texts)


# -- formulas of methods ---------------------------------------------------------------------------------------


def weighted(weights: Sequence[Number], first: int = 0) -> str:
    """Return the text of a weighted sum of stages from number `first` on; fractions become the nearest doubles."""
    return signed_sum((float(w), f"R[STAGES + {first + j} * NX + k]") for j, w in enumerate(weights) if w)


def signed_sum(terms: Iterable[tuple[float, str]]) -> str:
    """Return the text of a sum of products of numbers and texts, in their order."""
    (first, place), *rest = terms
    text = f"{first!r} * {place}"
    for number, place in rest:
        text += f" {'-' if number < 0.0 else '+'} {abs(number)!r} * {place}"
    return text


def horner(row: Sequence[Number]) -> str:
    """Return the text of r0 + theta * (r1 + theta * (r2 + ...))."""
    text = repr(float(row[-1]))
    for coefficient in reversed(row[:-1]):
        text = f"{float(coefficient)!r} + theta * ({text})"
    return text
