"""The functions of a module that step: the drivers, and for each method its own."""

from __future__ import annotations

import functools
from collections.abc import Sequence, Set
from dataclasses import replace

from ..kernels import breaks
from ..kernels.closures import (
    assembly,
    mode_ends,
    mode_starts,
    modes,
    rows,
    start_velocities,
)
from ..kernels.closures import loops as loop_kernels
from ..kernels.closures import (
    mode_thresholds as mode_sizes,
)
from ..kernels.elastic import (
    checks as bending_checks,
)
from ..kernels.elastic import (
    starts as bending_starts,
)
from ..lazy_dataclasses import dataclass
from .methods.check import check_complete, check_parts
from .methods.method import Function, Functions, Method
from .methods.texts import PLACEHOLDER, for_method, functions_of, joined, kernel, named, split
from .stepping import (
    adaptive,
    between,
    clock,
    crossings,
    drivers,
    events,
    history,
    mode_reports,
    resets,
    switching,
    ties,
)
from .stepping import (
    hooks as parts,
)
from .stepping import (
    samples as samples,
)

CALLED = (  # by Python; all others are called by generated functions only
    "refresh", "exchanged", "initialise", "follow", "METHOD_fixed", "METHOD_run_fixed", "METHOD_run_watched",
    "METHOD_adaptive", "METHOD_run_adaptive", "METHOD_run_lanes", "jump_now",
)  # fmt: skip

REQUIRED = {function.__name__ for function in parts.REQUIRED}


@dataclass(frozen=True)
class Module:
    """What a model has beside its motion: closed loops, events, closures with modes, samples, resets, bent bodies,
    and whether some of these start in equilibrium."""

    loops: bool
    watching: bool
    modes: bool = False
    samples: bool = False
    elastic: bool = False
    static_starts: bool = False

    @property
    def switching(self) -> bool:
        """Whether steps end where something happens."""
        return self.modes or self.samples


def methods_source(methods: Sequence[Method], module: Module) -> str:
    """The functions that serve every method, then each method's own.

    NotImplementedError where a method lacks a function or number that is used, ValueError where one can't be the
    method's (check.py).
    """
    own = (_own(method, module) for method in methods)
    return joined([_common(tuple(methods), module), *own])


@functools.lru_cache
def _common(methods: tuple[Method, ...], module: Module) -> str:
    functions, _ = split(_drivers(any(method.adaptive for method in methods), module))
    if module.loops:
        functions = {**functions, **functions_of(rows, assembly, start_velocities, loop_kernels)}
    if module.modes:
        functions = {**functions, **functions_of(mode_ends, mode_sizes, modes, mode_starts, mode_reports)}
    if module.samples:
        functions = {**functions, **functions_of(samples, *([resets] if module.watching else []))}
    if module.modes and module.watching:
        functions = {**functions, **functions_of(ties)}
    if module.switching:
        functions = {**functions, **split(functions_of(switching))[0]}
    if module.elastic:
        angles = replace(functions["check_gimbal_lock"], name="check_joint_angles")
        functions = {**functions, angles.name: angles, **functions_of(bending_checks)}
    if module.static_starts:
        functions = {**functions, **functions_of(bending_starts)}
    if any(method.history for method in methods):
        functions = {**functions, **functions_of(history)}
    for method in methods:
        for name, function in method.parts(module.loops).shared.items():
            if functions.get(name, function) != function or name.startswith(PLACEHOLDER):
                raise ValueError(f"method {method.name}: shared function {name} is another of this name: rename it")
            functions = {**functions, name: function}
    used = _uses(functions).union(*(_uses(_functions(method, module)) for method in methods))
    functions = _completed(functions, used, split(functions_of(parts))[0])
    return joined(kernel(function, name in CALLED) for name, function in functions.items())


def _drivers(adaptively: bool, module: Module) -> Functions:
    """The functions with and without METHOD_ that step; adaptively: also with error control."""
    files = [*([adaptive, breaks] if adaptively else []), *([events] if module.watching else [])]
    looks = [crossings] if module.watching or module.switching else []
    inside = [between] if files or looks else []
    return functions_of(drivers, clock, *files, *looks, *inside)


def _uses(functions: Functions) -> set[str]:
    return {name for function in functions.values() for name in function.uses}


def _completed(functions: Functions, used: Set[str], absent: Functions) -> Functions:
    """With what is used and not there, as it is where it is absent."""
    return {**functions, **{name: f for name, f in absent.items() if name in used and name not in functions}}


@functools.lru_cache
def _functions(method: Method, module: Module) -> Functions:
    """All functions METHOD_... of a method."""
    told = method.parts(module.loops)
    _, known = split(functions_of(parts, drivers, adaptive, events, crossings, between))
    check_parts(method, told, known)
    stepping: Functions = {**split(_drivers(method.adaptive, module))[1], **told.own}
    if module.switching:
        stepping = _switching(stepping, method.adaptive)
    absent = {name: f for name, f in functions_of(parts).items() if name not in REQUIRED}
    functions = _completed(stepping, _uses(stepping), split(absent)[1])
    check_complete(method, told, functions)
    return functions


SMOOTH = {
    "METHOD_one": "METHOD_smooth",
    "METHOD_step": "METHOD_smooth_step",
}  #: steps that nothing ends before their time
CONTROLLED = ("METHOD_step", "METHOD_adaptive_to_event")  #: of switching.py: with error control


def _switching(stepping: Functions, adaptive: bool) -> Functions:
    """Steps that end where something happens in the place of others, which they call by another name."""
    _, own = split(functions_of(switching))
    smooth = {name: replace(stepping[old], name=name) for old, name in SMOOTH.items() if old in stepping}
    return {**stepping, **smooth, **{name: f for name, f in own.items() if adaptive or name not in CONTROLLED}}


@functools.lru_cache
def _own(method: Method, module: Module) -> str:
    """All functions of one method, behind the numbers that they read."""
    numbers = method.parts(module.loops).numbers
    lines = [f"{named(name, method.name)} = {_number(value)}" for name, value in numbers.items()]
    texts = [method_text(function, method) for function in _functions(method, module).values()]
    return joined([*(["\n".join(lines)] if lines else []), *texts])


def _number(value: float) -> str:
    return f"np.int64({value})" if isinstance(value, int) else repr(value)


def method_text(function: Function, method: Method) -> str:
    """The text of a function for all methods, made for one of them."""
    return kernel(for_method(function, method.name), function.name in CALLED)
