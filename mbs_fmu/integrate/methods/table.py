"""The integration methods, by name."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping

from ...infrastructure.messages.suggestions import did_you_mean
from .explicit import TABLEAUS
from .gauss import GAUSS
from .method import Method
from .modal import MODAL
from .multistep import MULTISTEP
from .rosenbrock import ROSENBROCK

STANDARD = ("rk4", "dopri5")  #: methods that the module of every model contains

Makers = Mapping[str, Callable[[], Method]]


def joined(*kinds: Makers) -> Makers:
    """Join the constructors of all kinds of methods; raise ValueError if two have the same name."""
    names = [name for kind in kinds for name in kind]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"method {name}: there are two of this name: give one of them another")
    return {name: maker for kind in kinds for name, maker in kind.items()}


_MAKERS = joined(TABLEAUS, ROSENBROCK, MODAL, MULTISTEP, GAUSS)
METHODS = tuple(_MAKERS)  #: names of all methods


def made(name: str, maker: Callable[[], Method]) -> Method:
    """Construct a method; raise ValueError unless `name` is its own name and a valid prefix of functions."""
    made_method = maker()
    if made_method.name != name:
        raise ValueError(f"method {name}: its own name is {made_method.name!r}: give it the one it has in the table")
    if not (name.isascii() and name.isidentifier()):
        raise ValueError(f"method {name!r}: its functions' names begin with it: give letters, digits and _ only")
    return made_method


_made = functools.cache(lambda name: made(name, _MAKERS[name]))


def method(name: str) -> Method:
    """Return the method with this name, constructed at its first use.

    Raises ValueError for an unknown name; the message lists the known ones.
    """
    if name not in _MAKERS:
        raise ValueError(f"unknown method {name!r}{did_you_mean(name, METHODS)}: choose one of {', '.join(METHODS)}")
    return _made(name)


def methods_with(name: str) -> tuple[str, ...]:
    """Return the names of the methods of a module: the standard ones and this one."""
    return STANDARD if name in STANDARD else (*STANDARD, name)
