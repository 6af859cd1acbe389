"""Dataclasses whose functions are generated at their first use, so that imports are fast.

`dataclass` has the interface of the standard library, and type checkers see the standard one. The standard library
compiles text for every function of every class, which takes a millisecond for each class. In this module a class waits
until its first object is created or its fields are read, and is then completed by `dataclass_functions.py`.
"""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from .dataclass_functions import OPTIONS, complete
from .forks import hold_at_forks

INIT = "__init__"
#: Attributes with which every use of a class begins: creation of an object, derivation, or pickle.
FIRST = (INIT, "__dataclass_fields__", "__setstate__")

_lock = threading.RLock()  #: held while a class is completed
_actions: dict[type, list[Callable[[], object]]] = {}  #: actions that complete a waiting class; empty while they run

hold_at_forks(_lock)  # otherwise a child could inherit a class that another thread has half completed

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls=None, /, **options: bool):
        """Decorator like that of the standard library, deferred to the first use of the class; without InitVar."""
        if cls is None:
            return partial(_postponed, options)
        return _postponed(options, cls)


def _postponed(options: dict[str, bool], cls: type) -> type:
    if not options.keys() <= OPTIONS or any(name in vars(cls) for name in FIRST):
        return dataclasses.dataclass(**options)(cls)  # type: ignore[call-overload, no-any-return]
    _actions[cls] = [partial(_complete, cls, options)]
    cls.__doc__ = cls.__doc__ or cls.__name__  # without one the library would compute a signature
    for name in FIRST:
        setattr(cls, name, _Waiting(cls, name))
    return cls


def when_complete(cls: type, action: Callable[[], object]) -> None:
    """Call `action` when all functions of a class exist: immediately, if the class does not wait."""
    with _lock:
        actions = _actions.get(cls)
        if actions:
            actions.append(action)
            return
    action()


class _Waiting:
    """Placeholder for an attribute of a waiting class; reading it completes the class."""

    def __init__(self, cls: type, name: str):
        self.cls, self.name = cls, name

    def __get__(self, instance: object, owner: type) -> Any:
        with _lock:
            if _actions.get(self.cls):
                _run_actions(self.cls)
        attribute = vars(self.cls).get(self.name, self)
        if attribute is self:  # the class inherits the attribute
            return getattr(super(self.cls, owner if instance is None else instance), self.name)
        return attribute.__get__(instance, owner) if hasattr(attribute, "__get__") else attribute


def _run_actions(cls: type) -> None:
    """Run the actions of a waiting class; after an exception, such as that of Ctrl-C, restore the waiting class."""
    actions, before = _actions[cls], dict(vars(cls))
    pending = actions[:]
    actions.clear()
    try:
        for action in pending:
            action()
        del _actions[cls]
    except BaseException:
        _restore(cls, before)
        _actions[cls] = pending
        raise


def _complete(cls: type, options: dict[str, bool]) -> None:
    """Generate the functions of a class, the constructor last, since other threads wait on its placeholder."""
    init = complete(cls, options)
    del cls.__setstate__  # type: ignore[attr-defined]
    cls.__init__ = init  # type: ignore[misc]


def _restore(cls: type, before: dict[str, Any]) -> None:
    for name in [name for name in vars(cls) if name not in before]:
        delattr(cls, name)
    for name, value in before.items():
        if vars(cls).get(name) is not value:
            setattr(cls, name, value)
