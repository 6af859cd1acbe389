"""The modules of a model as functions of arrays: its text, then the functions of values.py or jacobians.py."""

from __future__ import annotations

from ..methods.method import Functions, Method
from ..methods.texts import functions_of, joined, kernel, split
from ..tangents import hooks
from ..tangents.module import tangents_source
from ..write import method_text
from . import closed, closed_rollouts, jacobians, rollouts, values


def values_source(text: str, method: Method) -> str:
    """Return the text of a model's module with the functions of values.py, for steps of a method."""
    return _with(text, functions_of(values), method)


def jacobians_source(text: str, method: Method, lanes: int, angles: int) -> str:
    """Return the text of a model's module with the functions of jacobians.py, along `lanes` directions at once.

    `angles` is the number of coordinates; `method` is as in `tangents_source`. The model's text contains second
    tangents if `velocity_jacobian` is called.
    """
    return _with(tangents_source(text, method, lanes, angles), functions_of(jacobians), method)


def rollouts_source(text: str, adjoints: str, method: Method) -> str:
    """Return the text of a model's module with the functions of rollouts.py; `adjoints` contains the model's own."""
    return _with(f"{text.rstrip()}\n\n\n{adjoints}", functions_of(values, rollouts), method)


def closed_source(text: str) -> str:
    """Return the text of the module of a model with closed loops with the functions of closed.py, closed_rollouts.py.

    The model's text contains second tangents if `closed_jacobian` or a function that calls it is called.
    """
    absent = [] if "def prepare_d(" in text else [functions_of(hooks)["prepare_d"]]
    parts = [text.rstrip(), *map(kernel, [*absent, *functions_of(closed, closed_rollouts).values()])]
    return joined(parts) + "\n"


def _with(text: str, functions: Functions, method: Method) -> str:
    common, own = split(functions)
    parts = [text.rstrip(), *map(kernel, common.values())]
    return joined([*parts, *(method_text(function, method) for function in own.values())]) + "\n"
