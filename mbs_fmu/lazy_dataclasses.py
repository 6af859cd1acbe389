"""Dataclasses that are finished when they are first used: no process writes functions of all that it imports.

`dataclass` is here that of the standard library, and type checkers see that. It makes a class's functions by compiling
text, a third of a millisecond for each class. A class waits for them until something makes one of its objects or looks
at its fields.
"""

from __future__ import annotations

import dataclasses
import os
import threading
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

INIT = "__init__"
#: Attributes by which all use of a class begins: that its objects are made, that it is derived from, or read by pickle.
FIRST = (INIT, "__dataclass_fields__", "__setstate__")

_lock = threading.RLock()  #: held by who finishes a class
_acts: dict[type, list[Callable[[], object]]] = {}  #: by classes that wait: what finishes them; none while that is done

if hasattr(os, "register_at_fork"):  # else a child could have half of a class that another thread was finishing
    os.register_at_fork(before=_lock.acquire, after_in_child=_lock.release, after_in_parent=_lock.release)

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls=None, /, **options: bool):
        """The decorator of the standard library, which waits until the class is first used; no InitVar."""
        if cls is None:
            return partial(_postponed, options)
        return _postponed(options, cls)


def _postponed(options: dict[str, bool], cls: type) -> type:
    if not options.get("init", True) or options.get("slots") or any(name in vars(cls) for name in FIRST):
        return dataclasses.dataclass(**options)(cls)  # type: ignore[call-overload, no-any-return]
    _acts[cls] = [partial(_complete, cls, options)]
    cls.__doc__ = cls.__doc__ or cls.__name__  # where there is none the library would look for a signature
    for name in FIRST:
        setattr(cls, name, _Waiting(cls, name))
    return cls


def when_finished(cls: type, act: Callable[[], object]) -> None:
    """Do something as soon as all functions of a class are there: now, if it does not wait."""
    with _lock:
        waits = _acts.get(cls)
        if waits:
            waits.append(act)
            return
    act()


class _Waiting:
    """Stands for an attribute of a class until that is finished, and finishes it where something asks for it."""

    def __init__(self, cls: type, name: str):
        self.cls, self.name = cls, name

    def __get__(self, instance: object, owner: type) -> Any:
        with _lock:
            if _acts.get(self.cls):
                _finish(self.cls)
        found = vars(self.cls).get(self.name, self)
        if found is self:  # what it has is its bases'
            return getattr(super(self.cls, owner if instance is None else instance), self.name)
        return found.__get__(instance, owner) if hasattr(found, "__get__") else found


def _finish(cls: type) -> None:
    """Do what a class waits for, all of it or, where Ctrl-C ends it, nothing."""
    acts, before = _acts[cls], dict(vars(cls))
    todo = acts[:]
    acts.clear()
    try:
        for act in todo:
            act()
        del _acts[cls]
    except BaseException:
        _restore(cls, before)
        _acts[cls] = todo
        raise


def _complete(cls: type, options: dict[str, bool]) -> None:
    """Give a class its functions, the constructor last: other threads wait where that of the class still waits."""
    dataclasses.dataclass(**{**options, "init": False})(cls)  # type: ignore[call-overload]
    fields = dataclasses.fields(cls)  # type: ignore[arg-type]
    space: dict[str, Any] = {"__module__": cls.__module__, "__qualname__": cls.__qualname__}
    space |= {entry.name: entry for entry in fields}
    space["__annotations__"] = {entry.name: entry.type for entry in fields}
    if hasattr(cls, "__post_init__"):
        space["__post_init__"] = cls.__post_init__
    like = {"frozen": options.get("frozen", False), "repr": False, "eq": False}
    twin: type = dataclasses.dataclass(**like)(type(cls.__name__, (), space))
    del cls.__setstate__  # type: ignore[attr-defined]
    cls.__init__ = twin.__init__  # type: ignore[misc]


def _restore(cls: type, before: dict[str, Any]) -> None:
    for name in [name for name in vars(cls) if name not in before]:
        delattr(cls, name)
    for name, value in before.items():
        if vars(cls).get(name) is not value:
            setattr(cls, name, value)
