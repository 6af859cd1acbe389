"""The table of hooks: functions that kernels call by name and whose implementation depends on the model or method.

A hook is declared in the module from which its callers import it. Each decorator names a provider: the module that
defines the function, and the condition under which the generated module contains the provider's function. If no
provider applies, the generated module contains the body of the declaration, the hook's default. `HOOKS` contains all
declared hooks. The writer of modules (integrate/write.py) and the tests use it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from enum import Enum
from typing import Any, NamedTuple, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])


class Condition(Enum):
    """When a provider's function is part of a generated module."""

    ALWAYS = "in every module"
    ADAPTIVE = "a method controls its error"
    HISTORY = "a method has history"
    METHOD = "the method defines it"
    LOOPS = "the model has closed loops"
    MODES = "the model has constraint modes"
    SAMPLES = "the model has sampled signals or event resets"
    HELD = "the model has events and constraint modes"
    CROSSINGS = "the model has constraint modes, events or sampled signals"
    CONTACTS = "the model has closed loops, or compliant contacts of curves"
    ELASTIC = "the model has elastic bodies"
    IMPLICIT_MODES = "the model has elastic bodies, and a method treats their modes implicitly"
    NEAR = "contacts have a list of near pairs"
    STATIC_STARTS = "an elastic body starts in static equilibrium"
    LANES = "in modules for batches"
    TANGENTS = "in modules for sensitivities"
    ADJOINTS = "in modules for adjoints of runs"
    SECOND = "in the later part of a module, with second tangents"
    VARYING = "the tangents depend on parameters that other constants are derived from"


class Provider(NamedTuple):
    """The module and the function that replace a hook, and the condition under which they do."""

    condition: Condition
    module: str
    function: str


class Hook(NamedTuple):
    """A function that kernels call and that other modules provide.

    If `is_required`, the hook has no default: a provider must apply in every module that calls the function.
    """

    name: str
    arguments: tuple[str, ...]
    declaration: Callable[..., Any]
    providers: tuple[Provider, ...]
    is_required: bool

    def allows(self, module: str) -> bool:
        """True if a function of this module may replace the default: a provider, or any module for hooks of methods."""
        return any(p.module == module or p.condition is Condition.METHOD for p in self.providers)


HOOKS: dict[str, Hook] = {}  #: by name; the modules that declare hooks fill it when they are imported


def hook(condition: Condition, module: str, function: str = "") -> Callable[[Function], Function]:
    """Declare a hook whose body is the default, and a provider.

    Several decorators declare several providers.

    Parameters
    ----------
    condition : condition under which the provider's function replaces the default
    module : the full name of the module that defines it, or that writes it as text (compile/)
    function : name of the function there, if it differs from the hook's
    """
    return lambda declaration: _declared(declaration, Provider(condition, module, function), False)


def required(condition: Condition, module: str, function: str = "") -> Callable[[Function], Function]:
    """Declare a hook without a default, and a provider; the parameters are those of `hook`."""
    return lambda declaration: _declared(declaration, Provider(condition, module, function), True)


def check_replacement(name: str, first: str, second: str) -> None:
    """Raise ValueError unless a function of module `second` may replace that of the same name of module `first`."""
    entry = HOOKS.get(name)
    if entry is None or not entry.allows(second):
        raise ValueError(
            f"two kernels have the name {name}, in {first} and in {second}: rename one of them, or declare the first "
            f"as a hook that {second} provides (kernels/hook_table.py)"
        )


def check_provided(name: str, conditions: frozenset[Condition]) -> None:
    """Raise ValueError if a hook's default is in use although a provider's condition holds."""
    for provider in HOOKS[name].providers:
        if provider.condition in conditions:
            raise ValueError(
                f"hook {name}: {provider.module} should define it, since {provider.condition.value}, but the joined "
                "modules have none: define it there, or correct the provider at the hook's declaration"
            )


def _declared(declaration: Function, provider: Provider, is_required: bool) -> Function:
    """Add a provider to the entry of a declared function in HOOKS; return the function."""
    name, arguments = declaration.__name__, tuple(inspect.signature(declaration).parameters)
    provider = provider._replace(function=provider.function or name)
    known = HOOKS.get(name)
    if known is not None and known.declaration is not declaration:
        places = f"{known.declaration.__module__} and {declaration.__module__}"
        raise ValueError(f"hook {name} is declared in {places}: import it from one of them")
    providers = (provider, *(known.providers if known else ()))
    HOOKS[name] = Hook(name, arguments, declaration, providers, is_required)
    return declaration
