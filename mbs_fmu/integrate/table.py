"""The methods by name."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping

from .explicit import TABLEAUS
from .gauss import GAUSS
from .method import Method
from .multistep import MULTISTEP
from .rosenbrock import ROSENBROCK

STANDARD = ("rk4", "dopri5")  #: methods that every model's module has

_MAKERS: Mapping[str, Callable[[], Method]] = {**TABLEAUS, **ROSENBROCK, **MULTISTEP, **GAUSS}
METHODS = tuple(_MAKERS)  #: their names
_made = functools.cache(lambda name: _MAKERS[name]())


def method(name: str) -> Method:
    """The method of that name, made when first asked for; ValueError with the known names."""
    if name not in _MAKERS:
        raise ValueError(f"unknown method {name!r}: choose one of {', '.join(METHODS)}")
    return _made(name)


def methods_with(name: str) -> tuple[str, ...]:
    """The methods of a module that has the standard ones and this one."""
    return STANDARD if name in STANDARD else (*STANDARD, name)
