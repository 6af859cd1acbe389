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

Makers = Mapping[str, Callable[[], Method]]


def joined(*kinds: Makers) -> Makers:
    """What makes the methods of all kinds; ValueError where two have a name in common."""
    names = [name for kind in kinds for name in kind]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"method {name}: there are two of this name: give one of them another")
    return {name: maker for kind in kinds for name, maker in kind.items()}


_MAKERS = joined(TABLEAUS, ROSENBROCK, MULTISTEP, GAUSS)
METHODS = tuple(_MAKERS)  #: their names


def made(name: str, maker: Callable[[], Method]) -> Method:
    """What `maker` makes; ValueError unless this is its own name, with which those of functions can begin."""
    found = maker()
    if found.name != name:
        raise ValueError(f"method {name}: its own name is {found.name!r}: give it the one it has in the table")
    if not (name.isascii() and name.isidentifier()):
        raise ValueError(f"method {name!r}: its functions' names begin with it: give letters, digits and _ only")
    return found


_made = functools.cache(lambda name: made(name, _MAKERS[name]))


def method(name: str) -> Method:
    """The method of that name, made when first asked for; ValueError with the known names."""
    if name not in _MAKERS:
        raise ValueError(f"unknown method {name!r}: choose one of {', '.join(METHODS)}")
    return _made(name)


def methods_with(name: str) -> tuple[str, ...]:
    """The methods of a module that has the standard ones and this one."""
    return STANDARD if name in STANDARD else (*STANDARD, name)
