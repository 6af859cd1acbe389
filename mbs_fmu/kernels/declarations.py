"""Marks in kernels, and declarations of constants whose values depend on the model.

A kernel is a Python function whose text is copied to the generated module of each model and compiled there. Its
upper-case names are constants of that module: dimensions and tables of record/schema.py, and those of constants.py and
tolerances.py. The writer of modules (compile/) supplies the values that depend on the model. Functions that kernels
call but that depend on the model are declared in hooks.py and linked.py.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any, TypeVar, cast

Function = TypeVar("Function", bound=Callable[..., Any])


class Supplied:
    """A constant that depends on the model. It has no value until a module is written."""


def supplied() -> int:
    """Declare an integer that the writer of the module supplies."""
    return cast(int, Supplied())


def supplied_number() -> float:
    """Declare a number that the writer of the module supplies."""
    return cast(float, Supplied())


def fixed(module: ModuleType) -> dict[str, float]:
    """Return the constants of a module of kernels that are the same for all models, by name."""
    return {name: x for name, x in vars(module).items() if name.isupper() and not isinstance(x, Supplied)}


def of_model(module: ModuleType) -> set[str]:
    """Return the names of the constants of a module of kernels that the writer of a module supplies."""
    return {name for name, value in vars(module).items() if isinstance(value, Supplied)}


def constant(x: float) -> float:
    """Mark a number that is constant during a run, so that its tangent is zero (dual.py). Return it unchanged.

    The text of functions with tangents does not contain the mark.
    """
    return x


def inlined(function: Function) -> Function:
    """Mark a kernel to be inlined in its callers, because it is short and called for each link."""
    return function


def apart(iterations: range) -> range:
    """Mark a loop whose iterations are independent, so that several may run at once.

    No iteration accesses a number that another one writes.
    """
    return iterations
