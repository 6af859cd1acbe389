"""Writer of the stepping functions of a generated module: the drivers, and the functions of each method.

Functions METHOD_... exist once for each method of a module, with its name in place of METHOD; all others are shared by
the methods. A hook that is called but that no function of the module provides gets its default (kernels/hook_table.py).
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import field, replace
from types import ModuleType

from ..infrastructure.lazy_dataclasses import dataclass
from ..kernels import breaks, hooks
from ..kernels.closures import (
    assembly,
    mode_ends,
    mode_losses,
    mode_starts,
    mode_thresholds,
    modes,
    rows,
    start_velocities,
)
from ..kernels.closures import loops as loop_kernels
from ..kernels.elastic import checks as elastic_checks
from ..kernels.elastic import implicit as elastic_implicit
from ..kernels.elastic import starts as elastic_starts
from ..kernels.hook_table import HOOKS, Condition, check_provided
from ..record.kernel_module import ModuleFunction
from .methods.check import check_complete, check_parts
from .methods.method import Function, Functions, Method
from .methods.texts import PLACEHOLDER, combined, for_method, functions_of, kernel, named, split
from .stepping import (
    adaptive,
    between,
    clock,
    crossings,
    drivers,
    events,
    history,
    mode_reports,
    one_step,
    resets,
    samples,
    switching,
    ties,
    trials,
)
from .stepping import hooks as method_hooks

CALLED = (  # functions that Python calls; generated functions call the others
    "refresh", "exchanged", "initialise", "follow", "METHOD_fixed", "METHOD_run_fixed", "METHOD_run_watched",
    "METHOD_adaptive", "METHOD_run_adaptive", "METHOD_run_lanes", "jump_now",
)  # fmt: skip

#: Modules of functions for all methods, by the condition under which a text contains them, in their order there.
SHARED_MODULES: dict[Condition, tuple[ModuleType, ...]] = {
    Condition.LOOPS: (rows, assembly, start_velocities, loop_kernels),
    Condition.MODES: (mode_ends, mode_losses, mode_thresholds, modes, mode_starts, mode_reports),
    Condition.SAMPLES: (samples,),
    Condition.RESETS: (resets,),
    Condition.TIES: (ties,),
    Condition.SWITCHING: (trials, switching),
    Condition.STOPS: (trials,),
    Condition.ELASTIC: (elastic_checks,),
    Condition.IMPLICIT_MODES: (elastic_implicit,),
    Condition.STATIC_STARTS: (elastic_starts,),
    Condition.HISTORY: (history,),
}


@dataclass(frozen=True)
class Features:
    """Features of a model that determine the stepping functions of its module."""

    loops: bool  #: closed loops
    events: bool
    modes: bool = False  #: constraint modes
    samples: bool = False  #: sampled signals, or events with resets
    elastic: bool = False  #: elastic bodies
    static_starts: bool = False  #: vibration modes that start in static equilibrium
    stops: bool = False  #: events that end runs

    @property
    def switching(self) -> bool:
        """True if ends of constraint modes, samples or events with resets can end steps early."""
        return self.modes or self.samples

    def conditions(self, methods: Sequence[Method]) -> frozenset[Condition]:
        """Return the conditions (kernels/hook_table.py) that hold for a module of such a model with these methods."""
        holds = {
            Condition.ALWAYS: True,
            Condition.ADAPTIVE: any(method.adaptive for method in methods),
            Condition.HISTORY: any(method.history for method in methods),
            Condition.LOOPS: self.loops,
            Condition.MODES: self.modes,
            Condition.SAMPLES: self.samples,
            Condition.EVENTS: self.events,
            Condition.RESETS: self.events and self.samples,
            Condition.TIES: self.events and self.modes,
            Condition.SWITCHING: self.switching,
            Condition.STOPS: self.stops,
            Condition.ELASTIC: self.elastic,
            Condition.IMPLICIT_MODES: self.elastic and any(method.implicit_modes for method in methods),
            Condition.STATIC_STARTS: self.static_starts,
        }
        return frozenset(condition for condition, value in holds.items() if value)


#: Functions of one_step.py, each with the name of the function that it replaces in a program that makes single steps.
SIMPLER = {
    "evaluate_without_tables": "evaluate", "finish_call_evaluated": "finish_call",
    "restore_call_start_outside": "restore_call_start", "log_changes_outside": "log_changes",
}  # fmt: skip


@dataclass(frozen=True)
class Stepping:
    """Stepping functions of a module: those for all methods, then those of each method, and the methods' numbers.

    `uses` contains the global names that each function reads, `numbers` the values of constants such as rk4_ORDER.
    """

    functions: tuple[ModuleFunction, ...]
    uses: Mapping[str, frozenset[str]]
    numbers: Mapping[str, float] = field(default_factory=dict)

    def callers(self, names: Iterable[str]) -> frozenset[str]:
        """Return these names of functions, and the names of functions that call them, directly or indirectly."""
        found: set[str] = set()
        new = set(names)
        while new:
            found |= new
            new = {name for name, used in self.uses.items() if name not in found and not new.isdisjoint(used)}
        return frozenset(found)


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


def one_step_functions(method: Method) -> list[ModuleFunction]:
    """Return the kernel that makes one step of a method, and the simpler functions that replace others (`SIMPLER`)."""
    functions = [replace(f, name=SIMPLER.get(name, name)) for name, f in functions_of(one_step).items()]
    return [kernel(for_method(f, method.name)) for f in functions]


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
    optional = [*([adaptive, breaks] if adaptively else []), *([events] if features.events else [])]
    searches = [crossings] if features.events or features.switching else []
    dense_output = [between] if optional or searches else []
    return functions_of(drivers, clock, *optional, *searches, *dense_output)


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


@functools.lru_cache
def _functions(method: Method, features: Features) -> Functions:
    """Return all functions METHOD_... of a method."""
    parts = method.parts(features.loops)
    _, known = split(functions_of(method_hooks, drivers, adaptive, events, crossings, between))
    check_parts(method, parts, known)
    stepping: Functions = combined(split(_drivers(method.adaptive, features))[1], parts.own)
    if "METHOD_step_to" in parts.own:  # a step of its own need not have METHOD_stages, which METHOD_advance calls
        stepping = {name: f for name, f in stepping.items() if name != "METHOD_advance"}
    if features.switching:
        stepping = _switching(stepping, method.adaptive)
    elif features.stops:
        stepping = _stopping(stepping)
    defaults = {name: f for name, f in functions_of(method_hooks).items() if not HOOKS[name].is_required}
    functions = _completed(stepping, _uses(stepping), defaults, features.conditions([method]))
    check_complete(method, parts, functions)
    return functions


#: New names of the plain steps, by their usual names. In modules with steps that may end early, these have the usual
#: names.
PLAIN_STEPS = {HOOKS[name].providers[0].function: name for name in ("METHOD_plain_step_to", "METHOD_plain_step")}
ADAPTIVE_ONLY = ("METHOD_step", "METHOD_adaptive_to_event")  #: functions of switching.py for error control only


def _switching(stepping: Functions, adaptive: bool) -> Functions:
    """Replace the steps by steps that may end early, which call the plain steps by new names (`PLAIN_STEPS`)."""
    _, from_switching = split(functions_of(trials, switching))
    plain = {name: replace(stepping[old], name=name) for old, name in PLAIN_STEPS.items() if old in stepping}
    interruptible = {name: f for name, f in from_switching.items() if adaptive or name not in ADAPTIVE_ONLY}
    return combined(stepping, plain, interruptible)


def _stopping(stepping: Functions) -> Functions:
    """Replace the steps of runs by trials, which call the plain step by its new name; other calls make plain steps."""
    (trial,) = split(functions_of(trials))[1].values()
    plain = replace(stepping["METHOD_step_to"], name="METHOD_plain_step_to")
    return combined(stepping, {plain.name: plain, "METHOD_substep": replace(trial, name="METHOD_substep")})


@functools.lru_cache
def _method_stepping(method: Method, features: Features) -> Stepping:
    """Return the functions and numbers of one method."""
    numbers = {named(name, method.name): value for name, value in method.parts(features.loops).numbers.items()}
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
