"""Functions of dataclasses, made without the texts that the standard library compiles for each of them.

Only the constructor is compiled from a text, so that its calls are as fast as those of the standard library. All other
functions are closures over the names of the fields, which run as fast. A class takes a tenth of a millisecond instead
of a whole one.
"""

from __future__ import annotations

import abc
import dataclasses
import functools
import inspect
import operator
import reprlib
import sys
from collections.abc import Callable, Iterable, Mapping
from types import FunctionType
from typing import Any

Fields = dict[str, "dataclasses.Field[Any]"]  #: fields by name, with pseudo-fields such as class variables
Values = Callable[[Any], tuple[Any, ...]]  #: from an object to the values of some of its fields

OPTIONS = {"frozen", "eq", "repr", "kw_only"}  #: options of the decorator with which `complete` makes a class
FIELDS, PARAMETERS = "__dataclass_fields__", "__dataclass_params__"  #: attributes by which dataclasses are recognised


class _Factory:
    """Default of an argument of a constructor whose field has a default factory."""

    def __repr__(self) -> str:
        return "<factory>"


_FACTORY = _Factory()


def complete(cls: Any, options: Mapping[str, bool]) -> FunctionType:
    """Add to a class all that `dataclasses.dataclass` adds, but the constructor, which is returned.

    Raises TypeError for fields that the standard library refuses.
    """
    frozen, own = options.get("frozen", False), _own_fields(cls, options)
    parents = [base for base in cls.__mro__[-1:0:-1] if hasattr(base, FIELDS)]
    if any(getattr(base, PARAMETERS).frozen != frozen for base in parents):
        raise TypeError(f"{cls.__qualname__}: it must be frozen if its base is, and only then")
    everything: Fields = {}
    for base in parents:
        everything |= getattr(base, FIELDS)
    setattr(cls, FIELDS, everything | own)
    setattr(cls, PARAMETERS, _parameters(tuple(sorted(options.items()))))
    fields = dataclasses.fields(cls)
    functions = _functions(cls, fields, options)
    for name, function in functions.items():
        if isinstance(function, FunctionType):
            function.__name__, function.__qualname__ = name, f"{cls.__qualname__}.{name}"
        setattr(cls, name, function)
    abc.update_abstractmethods(cls)
    return _constructor(cls, fields, frozen)


def _own_fields(cls: Any, options: Mapping[str, bool]) -> Fields:
    """Return the fields that a class defines itself; their defaults become attributes of the class.

    The standard library reads them from a class of the same names in the same module.
    """
    annotations = inspect.get_annotations(cls)
    space = {name: vars(cls)[name] for name in annotations if name in vars(cls)}
    # without a docstring the library would compute a signature
    space |= {"__module__": cls.__module__, "__annotations__": annotations, "__doc__": "Like the class."}
    bare = {"init": False, "repr": False, "eq": False, "kw_only": options.get("kw_only", False)}
    like: Any = dataclasses.dataclass(**bare)(type(cls.__name__, (), space))
    fields: Fields = getattr(like, FIELDS)
    for name in space.keys() & fields.keys():
        if name in vars(like):
            setattr(cls, name, vars(like)[name])
        else:
            delattr(cls, name)
    if hasattr(like, "__replace__") and "__replace__" not in vars(cls):
        cls.__replace__ = like.__replace__
    return fields


@functools.cache
def _parameters(options: tuple[tuple[str, bool], ...]) -> object:
    """Return the object in which the standard library notes these options."""
    return getattr(dataclasses.dataclass(**dict(options))(type("Like", (), {"__doc__": "A class."})), PARAMETERS)


# -- all but the constructor ---------------------------------------------------------------------------------------


def _functions(cls: Any, fields: Iterable[dataclasses.Field[Any]], options: Mapping[str, bool]) -> dict[str, Any]:
    """Return the attributes that these options add to a class. Those that it defines itself stay."""
    frozen, eq = options.get("frozen", False), options.get("eq", True)
    names = tuple(f.name for f in fields if f.init and not f.kw_only)
    made: dict[str, Any] = {"__match_args__": names}
    if options.get("repr", True):
        made["__repr__"] = _display(tuple(f.name for f in fields if f.repr))
    if eq:
        made["__eq__"] = _comparison(_values_of([f.name for f in fields if f.compare]))
    own = {name: made[name] for name in made if name not in vars(cls)}
    if frozen:
        if "__setattr__" in vars(cls) or "__delattr__" in vars(cls):
            raise TypeError(f"{cls.__qualname__}: a frozen class cannot define __setattr__ or __delattr__")
        own |= _guards(cls, frozenset(f.name for f in fields))
    is_explicit = "__hash__" in vars(cls) and not (cls.__hash__ is None and "__eq__" in vars(cls))
    if eq and not is_explicit:
        hashed = [f.name for f in fields if (f.compare if f.hash is None else f.hash)]
        own["__hash__"] = _hashing(_values_of(hashed)) if frozen else None
    return own


def _values_of(names: list[str]) -> Values:
    """Return the function that gives the values of these fields."""
    if len(names) > 1:
        return operator.attrgetter(*names)
    return (lambda thing: (getattr(thing, names[0]),)) if names else (lambda thing: ())


def _display(names: tuple[str, ...]) -> Callable[[Any], str]:
    @reprlib.recursive_repr()
    def displayed(self: Any) -> str:
        values = ", ".join([f"{name}={getattr(self, name)!r}" for name in names])
        return f"{type(self).__qualname__}({values})"

    return displayed


def _comparison(values: Values) -> Callable[[Any, Any], Any]:
    def equals(self: Any, other: Any) -> Any:
        if other.__class__ is self.__class__:
            return values(self) == values(other)
        return NotImplemented

    return equals


def _hashing(values: Values) -> Callable[[Any], int]:
    def hashed(self: Any) -> int:
        return hash(values(self))

    return hashed


def _guards(cls: Any, names: frozenset[str]) -> dict[str, Callable[..., None]]:
    """Return the functions that refuse to change the fields of a frozen class."""

    def set_attribute(self: Any, name: str, value: Any) -> None:
        if type(self) is cls or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
        super(cls, self).__setattr__(name, value)

    def delete_attribute(self: Any, name: str) -> None:
        if type(self) is cls or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
        super(cls, self).__delattr__(name)

    return {"__setattr__": set_attribute, "__delattr__": delete_attribute}


# -- the constructor -----------------------------------------------------------------------------------------------


def _constructor(cls: Any, fields: Iterable[dataclasses.Field[Any]], frozen: bool) -> FunctionType:
    arguments = sorted((f for f in fields if f.init), key=lambda f: bool(f.kw_only))
    positional = [f.name for f in arguments if not f.kw_only]
    named = [f.name for f in arguments if f.kw_only]
    lines = []
    for f in fields:
        value = f.name
        if f.default_factory is not dataclasses.MISSING:
            value = f"_factories[{f.name!r}]()"
            if f.init:
                value += f" if {f.name} is _factory else {f.name}"
        elif not f.init:
            continue
        lines.append(f"_set(self, {f.name!r}, {value})" if frozen else f"self.{f.name} = {value}")
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    head = ", ".join(["self", *positional, *(["*", *named] if named else [])])
    text = f"def made(_factory, _factories, _set):\n def __init__({head}):\n  " + "\n  ".join(lines or ["pass"])
    names: dict[str, Any] = {}
    exec(f"{text}\n return __init__", vars(sys.modules[cls.__module__]), names)
    factories = {f.name: f.default_factory for f in fields if f.default_factory is not dataclasses.MISSING}
    init: FunctionType = names["made"](_FACTORY, factories, object.__setattr__)
    _describe(init, cls, arguments)
    return init


def _describe(init: FunctionType, cls: type, arguments: Iterable[dataclasses.Field[Any]]) -> None:
    """Give a constructor its name, its annotations and its defaults. Raises TypeError for a gap in the defaults."""
    defaults: dict[bool, dict[str, Any]] = {False: {}, True: {}}
    for f in arguments:
        default = _FACTORY if f.default_factory is not dataclasses.MISSING else f.default
        if default is not dataclasses.MISSING:
            defaults[bool(f.kw_only)][f.name] = default
        elif defaults[False] and not f.kw_only:
            raise TypeError(f"{cls.__qualname__}: field {f.name!r} without a default follows one with a default")
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    init.__annotations__ = {**{f.name: f.type for f in arguments}, "return": None}
    init.__defaults__ = tuple(defaults[False].values()) or None
    init.__kwdefaults__ = defaults[True] or None
