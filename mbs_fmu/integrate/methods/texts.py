"""Functions of generated modules: copied from source files or generated line by line, then specialised for a method.

In the sources of functions METHOD_..., METHOD stands for the name of the method.
"""

from __future__ import annotations

import ast
import functools
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import replace
from types import ModuleType

from ...infrastructure.syntax import parsed
from ...kernels.hook_table import check_replacement
from ...kernels.lowering import lowered
from ...kernels.sources import Kernel, kernels_of, named_source, names_read, source_of
from ...record.kernel_module import ENTRY_PREFIX, ModuleFunction
from .method import Function, Functions
from .orders import Number

PLACEHOLDER = "METHOD_"
#: Docstrings of functions that several kinds of methods generate.
BETWEEN = "Interpolate the state at fraction theta of the step and write it to `x`."
ESTIMATING = "Return the estimated error of component k over the step."


# -- sources --------------------------------------------------------------------------------------


@functools.cache
def source(function: Kernel) -> Function:
    """Return a function of a source file in the form for generated modules: without types of arguments."""
    flat = source_of(function)
    return _function(flat.tree, flat.body, function.__module__)


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


def written(stub: Kernel, doc: str, lines: Iterable[str]) -> Function:
    """Return a function with the name and arguments of `stub`, this docstring and these lines.

    The lines use the record's names, as source files do. Functions that they call take views of contiguous numbers.
    """
    return generated(named_source(stub), doc, lines)


def generated(head: ast.FunctionDef, doc: str, lines: Iterable[str]) -> Function:
    """Return a function with the name and the typed arguments of `head`, this docstring and these lines."""
    body = parsed("\n".join([f'"""{doc}"""', *lines])).body
    flat = lowered(ast.FunctionDef(head.name, head.args, body, [], lineno=1))
    return _function(flat, textwrap.indent("\n".join(map(ast.unparse, flat.body)), "    "))


def _function(flat: ast.FunctionDef, body: str, origin: str = "the method") -> Function:
    """Return a flat function in the form for generated modules."""
    return Function(flat.name, tuple(a.arg for a in flat.args.args), body, names_read(flat), origin)


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
    body = function.body.replace(PLACEHOLDER.rstrip("_"), method)
    uses = frozenset(named(name, method) for name in function.uses)
    return replace(function, name=named(function.name, method), body=body, uses=uses)


def kernel(function: Function, is_called: bool = False) -> ModuleFunction:
    """Return a kernel of generated modules, with its entry if Python calls it."""
    text, call = f"@kernel\n{function.head}\n{function.body}", function.call
    entry = f"@jit\ndef {ENTRY_PREFIX}{call}:\n    return {call}" if is_called else ""
    return ModuleFunction(function.name, text, entry)


# -- formulas of methods ---------------------------------------------------------------------------------------


def stage(number: int, index: str = "") -> str:
    """Return the text of a vector that a step stores, or of its number at `index`, which is text of an integer."""
    return f"R.stages[{number}, {index}]" if index else f"R.stages[{number}]"


def weighted(weights: Sequence[Number], first: int = 0) -> str:
    """Return the text of a weighted sum of stages from number `first` on; fractions become the nearest doubles."""
    return signed_sum((float(w), stage(first + j, "k")) for j, w in enumerate(weights) if w)


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
