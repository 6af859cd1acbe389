"""Writer of the stepping functions of a generated module: the drivers, and the functions of each method.

Functions METHOD_... exist once for each method of a module, with its name in place of METHOD; all others are shared by
the methods. A hook that is called but that no function of the module provides gets its default (kernels/hook_table.py).
"""

from __future__ import annotations

import functools
from collections.abc import Sequence, Set
from dataclasses import replace
from types import ModuleType

from ..kernels import breaks, contact_parameters, hooks, logs, near_pairs
from ..kernels.closures import (
    assembly,
    islands,
    mode_ends,
    mode_losses,
    mode_starts,
    mode_thresholds,
    modes,
    positions,
    rows,
    start_velocities,
)
from ..kernels.closures import loops as loop_kernels
from ..kernels.elastic import checks as elastic_checks
from ..kernels.elastic import implicit as elastic_implicit
from ..kernels.elastic import starts as elastic_starts
from ..kernels.hook_table import HOOKS, Condition, check_provided
from ..kernels.sources import kernels_of
from ..record.kernel_module import ModuleFunction
from .features import Features, Stepping
from .methods.check import check_complete, check_parts
from .methods.method import Function, Functions, Method, Parts
from .methods.texts import PLACEHOLDER, combined, for_method, functions_of, kernel, named, split
from .stepping import (
    adaptive,
    between,
    clock,
    crossings,
    drivers,
    held,
    history,
    importers,
    instants,
    one_step,
    parts,
    samples,
    trials,
    watched_runs,
    windows,
)
from .stepping import hooks as method_hooks

CALLED = (  # functions that Python calls; generated functions call the others
    "refresh", "exchanged", "initialise", "follow", "METHOD_fixed", "METHOD_run_fixed", "METHOD_adaptive",
    "METHOD_run_adaptive", "METHOD_run_lanes", "act",
)  # fmt: skip

#: Modules of functions for all methods, by the condition under which a text contains them, in their order there.
SHARED_MODULES: dict[Condition, tuple[ModuleType, ...]] = {
    Condition.LOOPS: (rows, assembly, positions, start_velocities, loop_kernels),
    Condition.MODES: (mode_ends, mode_losses, mode_thresholds, islands, modes, mode_starts),
    Condition.SAMPLES: (samples,),
    Condition.HELD: (held,),
    Condition.CROSSINGS: (logs, breaks, windows, crossings, between, trials, instants, parts, importers, watched_runs),
    Condition.ELASTIC: (elastic_checks,),
    Condition.IMPLICIT_MODES: (elastic_implicit,),
    Condition.STATIC_STARTS: (elastic_starts,),
    Condition.HISTORY: (history,),
    Condition.NEAR: (near_pairs,),
    Condition.CONTACTS: (contact_parameters,),
}


#: Functions that a method's own ones may replace, by name: those of all drivers, and the hooks that these call.
CALLING = {
    name: function
    for module in (method_hooks, drivers, adaptive, between, *SHARED_MODULES[Condition.CROSSINGS])
    for name, function in kernels_of(module).items()
    if name.startswith(PLACEHOLDER)
}
#: Functions of one_step.py, each with the name of the function that it replaces in a program that makes single steps.
SIMPLER = {
    "evaluate_without_tables": "evaluate", "finish_call_evaluated": "finish_call",
    "restore_call_start_outside": "restore_call_start", "log_nothing": "log_entry", "log_nothing_at": "log_at",
    "no_energy": "energy_of_rates",
}  # fmt: skip


def stepping_of(methods: Sequence[Method], features: Features) -> Stepping:
    """Return the functions for all methods, then those of each method.

    Raises NotImplementedError if a method lacks a function or number that is used, and ValueError if one of its
    functions or numbers is invalid (methods/check.py) or two functions have the same name.
    """
    parts = [_shared(tuple(methods), features), *(_method_stepping(method, features) for method in methods)]
    return Stepping(
        functions=tuple(f for part in parts for f in part.functions),
        uses={name: used for part in parts for name, used in part.uses.items()},
        numbers={name: value for part in parts for name, value in part.numbers.items()},
    )


def one_step_functions(method: Method, crossings: bool) -> list[ModuleFunction]:
    """Return the kernel that makes one step of a method, and the simpler functions that replace others (`SIMPLER`).

    `crossings`: the model has constraint modes, events or sampled signals.
    """
    simple, in_parts = "METHOD_single", "METHOD_single_in_parts"
    names = SIMPLER | ({in_parts: simple} if crossings else {})
    left_out = simple if crossings else in_parts
    own = {name: f for name, f in functions_of(one_step).items() if name != left_out}
    functions = [replace(f, name=names.get(name, name)) for name, f in own.items()]
    return [kernel(for_method(f, method.name)) for f in functions]


def silent_functions() -> list[ModuleFunction]:
    """Return kernels of the names of those that write the log, which write nothing: nobody reads the log."""
    silent = {name: own for name, own in SIMPLER.items() if own in ("log_entry", "log_at", "energy_of_rates")}
    functions = functions_of(one_step)
    return [kernel(replace(functions[name], name=own)) for name, own in silent.items()]


@functools.lru_cache
def _shared(methods: tuple[Method, ...], features: Features) -> Stepping:
    """Return the functions for all methods of a module."""
    conditions = features.conditions(methods)
    functions, _ = split(_drivers(Condition.ADAPTIVE in conditions, features))
    for condition, modules in SHARED_MODULES.items():
        if condition not in conditions:
            continue
        if condition is Condition.ELASTIC:
            (provider,) = HOOKS["check_joint_angles"].providers
            angles = replace(functions[provider.function], name="check_joint_angles")
            functions = combined(functions, {angles.name: angles})
        functions = combined(functions, split(functions_of(*modules))[0])
    for method in methods:
        for name, function in method.parts(features.loops).shared.items():
            if functions.get(name, function) != function or name in HOOKS or name.startswith(PLACEHOLDER):
                raise ValueError(
                    f"method {method.name}: shared function {name} differs from another of this name: rename it"
                )
            functions = {**functions, name: function}
    used = _uses(functions).union(*(_uses(_functions(method, features)) for method in methods))
    functions = _completed(functions, used, functions_of(hooks), conditions)
    kernels = tuple(kernel(function, name in CALLED) for name, function in functions.items())
    return Stepping(kernels, {name: function.uses for name, function in functions.items()})


def _drivers(adaptively: bool, features: Features) -> Functions:
    """Return the drivers, both for all methods and METHOD_...; with `adaptively`, also those for error control."""
    optional = [adaptive, breaks, between] if adaptively else []
    return functions_of(drivers, clock, *optional)


def _uses(functions: Functions) -> set[str]:
    """Return the global names that functions read."""
    return {name for function in functions.values() for name in function.uses}


def _completed(
    functions: Functions, used: Set[str], defaults: Functions, conditions: frozenset[Condition]
) -> Functions:
    """Add the defaults of those hooks that are used and that none of the functions provides."""
    missing = {name: f for name, f in defaults.items() if name in used and name not in functions}
    for name in missing:
        check_provided(name, conditions)
    return {**functions, **missing}


def _parts(method: Method, features: Features) -> Parts:
    """Return the parts of a method, with the numbers that follow from its properties."""
    parts = method.parts(features.loops)
    return replace(parts, numbers={**parts.numbers, "METHOD_LANDINGS": method.landings})


@functools.lru_cache
def _functions(method: Method, features: Features) -> Functions:
    """Return all functions METHOD_... of a method."""
    parts = _parts(method, features)
    check_parts(method, parts, CALLING)
    stepping: Functions = combined(split(_drivers(method.adaptive, features))[1], parts.own)
    if "METHOD_step_to" in parts.own:  # a step of its own need not have METHOD_stages, which METHOD_advance calls
        stepping = {name: f for name, f in stepping.items() if name != "METHOD_advance"}
    if features.crossings:
        stepping = _in_parts(stepping, method.adaptive)
    defaults = {name: f for name, f in functions_of(method_hooks).items() if not HOOKS[name].is_required}
    functions = _completed(stepping, _uses(stepping), defaults, features.conditions([method]))
    check_complete(method, parts, functions)
    return functions


#: Functions for error control only.
ADAPTIVE_ONLY = (
    "METHOD_step", "METHOD_land_accurately", "METHOD_run_adaptive", "METHOD_adaptive", "METHOD_adaptive_to_event",
)  # fmt: skip


def _in_parts(stepping: Functions, adaptive: bool) -> Functions:
    """Add the parts of steps. With error control they have the usual name of a step, and call it METHOD_plain_step."""
    _, in_parts = split(functions_of(*SHARED_MODULES[Condition.CROSSINGS]))
    plain_step = HOOKS["METHOD_plain_step"]
    usual = stepping.get(plain_step.providers[0].function)
    plain = {plain_step.name: replace(usual, name=plain_step.name)} if usual else {}
    others = {name: f for name, f in in_parts.items() if adaptive or name not in ADAPTIVE_ONLY}
    return combined(stepping, plain, others)


@functools.lru_cache
def _method_stepping(method: Method, features: Features) -> Stepping:
    """Return the functions and numbers of one method."""
    numbers = {named(name, method.name): value for name, value in _parts(method, features).numbers.items()}
    functions = {name: for_method(function, method.name) for name, function in _functions(method, features).items()}
    kernels = tuple(kernel(function, name in CALLED) for name, function in functions.items())
    return Stepping(kernels, {f.name: f.uses for f in functions.values()}, numbers)


def method_kernel(function: Function, method: Method) -> ModuleFunction:
    """Return a function METHOD_... for one method."""
    return kernel(for_method(function, method.name), function.name in CALLED)


def functions_for(functions: Functions, method: Method | None) -> list[ModuleFunction]:
    """Return kernels: functions for all methods, then functions METHOD_... for one method, if one is given."""
    common, own = split(functions)
    of_method = [] if method is None else [method_kernel(function, method) for function in own.values()]
    return [*map(kernel, common.values()), *of_method]
