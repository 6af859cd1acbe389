"""Reads and writes of kernels, derived while the kernels are lowered to flat text.

Effects are those of a kernel itself and of functions to which it gives views, such as
`forward_substitution(R, L, ..., R.substituted)`.
`all_effects` includes those of all kernels that it calls.
"""

from __future__ import annotations

import ast
import functools
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import FunctionType
from typing import NamedTuple

from mbs_fmu.integrate.methods.texts import PLACEHOLDER
from mbs_fmu.kernels.hook_table import HOOKS, Condition
from mbs_fmu.kernels.lowering import Lowering
from mbs_fmu.kernels.places import Place
from mbs_fmu.kernels.sources import called_by, named_source
from mbs_fmu.record.fields import Declaration
from support.kernels import all_kernels, takes_record

ANY = "[...]"  #: numbers whose address is an entry of a table
ARGUMENT = re.compile(r"<(\w+)>(.*)")  #: numbers of a view that is an argument


class Effect(NamedTuple):
    """An access of numbers: `R.resets.last` has the array `R` and the name `resets.last`.

    access: "reads", "writes", or "as integer" for numbers that are read and converted.
    array: the array's name in the kernel; `R.second` for the record behind R.
    name: the attribute of the array, with a member of its blocks; `<x>`, `<x>.member` for an argument that is a view.
    """

    access: str
    array: str
    name: str

    def __str__(self) -> str:
        argument = ARGUMENT.fullmatch(self.name)
        return f"{argument[1]}{argument[2]}" if argument else f"{self.array}.{self.name}".replace(f".{ANY}", ANY)


@dataclass(frozen=True)
class Call:
    """A call of a kernel; `given`: for arguments that are arrays or views, the array and the name in the caller."""

    kernel: FunctionType
    given: Mapping[str, tuple[str, str]]

    def effect(self, effect: Effect) -> Effect | None:
        """Return an effect of the called kernel as one of the caller; None if it does not know the array."""
        if argument := ARGUMENT.fullmatch(effect.name):
            array, name = self.given.get(argument[1], ("", ""))
            return Effect(effect.access, array, name + argument[2]) if array else None
        first, _, rest = effect.array.partition(".")
        array, _ = self.given.get(first, ("", ""))
        return Effect(effect.access, f"{array}.{rest}" if rest else array, effect.name) if array else None


@dataclass
class Kernel:
    """Effects and calls of one kernel; `generated`: the functions that it calls and whose text depends on the model."""

    effects: set[Effect] = field(default_factory=set)
    calls: list[Call] = field(default_factory=list)
    generated: set[str] = field(default_factory=set)


UNKNOWN = Kernel(generated={"some function"})  #: effects of a kernel that a method writes


@functools.cache
def own_effects() -> Mapping[FunctionType, Kernel]:
    """Return the effects of all kernels, each with those on views that it gives to others."""
    found = {kernel: _Noting(kernel).noted() for kernel in all_kernels()}
    _spread(found, is_own=True)
    return found


@functools.cache
def all_effects() -> Mapping[FunctionType, Kernel]:
    """Return the effects of all kernels, each with those of all kernels that it calls, and what these call."""
    found = {k: Kernel({*own.effects}, own.calls, {*own.generated}) for k, own in own_effects().items()}
    _spread(found, is_own=False)
    return found


def _spread(kernels: Mapping[FunctionType, Kernel], is_own: bool) -> None:
    """Add to each kernel the effects of those that it calls, until nothing changes; `is_own`: those on views only."""
    changes = True
    while changes:
        changes = False
        for kernel in kernels.values():
            before = len(kernel.effects), len(kernel.generated)
            for call in kernel.calls:
                called = kernels[call.kernel]
                passed = (e for e in called.effects if not is_own or ARGUMENT.fullmatch(e.name))
                kernel.effects.update(new for e in passed if (new := call.effect(e)))
                kernel.generated |= set() if is_own else called.generated
            changes = changes or before != (len(kernel.effects), len(kernel.generated))


@functools.cache
def kernels_by_name() -> Mapping[str, Sequence[FunctionType]]:
    """Return the kernels that a module may contain, by their names there; declarations are left out."""
    found: defaultdict[str, list[FunctionType]] = defaultdict(list)
    for kernel in all_kernels():
        if not is_declaration(kernel):
            found[kernel.__name__.removesuffix("_loops")].append(kernel)
    return found


@functools.cache
def implementations(function: FunctionType) -> Sequence[FunctionType]:
    """Return the kernels that a called function may be: for hooks and functions of methods, those of all providers."""
    name = function.__name__
    if name.startswith(PLACEHOLDER):
        return kernels_by_name().get(name, ())
    places = {(p.module, p.function) for p in HOOKS[name].providers} if name in HOOKS else set()
    names = {name, *(provided for _, provided in places)}
    kernels = (kernel for n in names for kernel in kernels_by_name().get(n, ()))
    return [k for k in kernels if k is function or (k.__module__, k.__name__) in places]


def is_declaration(kernel: FunctionType) -> bool:
    """True for a function that only declares what other modules define or write."""
    return isinstance(named_source(kernel).body[-1], ast.Raise)


def is_generated(function: FunctionType) -> bool:
    """True for a function whose text may depend on the model or the method: no kernel of a source file provides it."""
    kernels = implementations(function)
    places = {(kernel.__module__, kernel.__name__) for kernel in kernels}
    providers = HOOKS[function.__name__].providers if function.__name__ in HOOKS else ()
    is_written = any(p.condition is Condition.METHOD or (p.module, p.function) not in places for p in providers)
    return is_written or not kernels


class _Noting(Lowering):
    """A lowering that notes numbers by their own names, and calls with what they are given."""

    def __init__(self, kernel: FunctionType):
        super().__init__(named_source(kernel), called_by(kernel))
        self.kernel, self.found = kernel, Kernel()
        self.seconds: dict[str, str] = {}  #: names of second records, with the array of the first one

    def noted(self) -> Kernel:
        """Lower the kernel; return what was noted."""
        self.function()
        return self.found

    def note(self, access: str, place: Place) -> None:
        self.found.effects.add(Effect(access, self.seconds.get(place.array, place.array), place.region))

    def place(self, e: ast.expr) -> Place | None:
        place = super().place(e)
        match e:
            case ast.Attribute(value=ast.Name(id=array), attr=attribute) if place and array in self.arrays:
                return place._replace(region=attribute)
        return place

    def member(self, of: Place, attribute: str) -> Place | None:
        place = super().member(of, attribute)
        is_declared = of.block is not None and isinstance(vars(of.block).get(attribute), Declaration)
        return place._replace(region=f"{of.region}.{attribute}") if place and is_declared else place

    def part_of_array(self, array: str, method: str, at: ast.expr) -> Place | None:
        place = super().part_of_array(array, method, at)
        return place._replace(region=ANY) if place and method == "at" else place

    def assigned(self, s: ast.Assign, name: str, value: ast.expr, rest: list[ast.stmt]) -> list[ast.stmt] | None:
        result = super().assigned(s, name, value, rest)
        match value:
            case ast.Attribute(value=ast.Name(id=array), attr="second" | "tangents") if array in self.arrays:
                self.seconds[name] = f"{array}.second"
        return result

    def statement(self, s: ast.stmt, rest: list[ast.stmt]) -> list[ast.stmt]:
        if isinstance(s, ast.AugAssign):
            self.note_address("reads", s.target)
        return super().statement(s, rest)

    def value(self, e: ast.expr) -> ast.expr:
        match e:
            case ast.Call(func=ast.Name(id="int" | "integer"), args=[number]):
                places = (self.place(n) for n in ast.walk(number) if isinstance(n, ast.expr))
                for place in places:
                    if place is not None and place.kind == "number":
                        self.note("as integer", place)
        self.note_address("writes" if isinstance(getattr(e, "ctx", None), ast.Store) else "reads", e)
        return super().value(e)

    def note_address(self, access: str, e: ast.expr) -> None:
        """Note an access by address: `R[address]`."""
        match e:
            case ast.Subscript(value=ast.Name(id=array)) if array in self.arrays:
                self.note(access, Place(array, (), "number", region=ANY))

    def arguments(self, called: str, given: list[ast.expr]) -> list[ast.expr]:
        function = self.kernel.__globals__.get(called)
        if isinstance(function, FunctionType):
            self.note_call(function, given)
        return super().arguments(called, given)

    def note_call(self, function: FunctionType, given: list[ast.expr]) -> None:
        """Note a call of a kernel."""
        if not takes_record(function):  # of the library: it may read an array that it is given
            for a in given:
                self.note_address("reads", ast.Subscript(a, ast.Constant(0), ast.Load()))
            return
        arrays = dict[str, tuple[str, str]]()
        for name, a in zip(function.__code__.co_varnames, given, strict=False):
            if isinstance(a, ast.Name) and a.id in self.arrays:
                arrays[name] = self.seconds.get(a.id, a.id), ""
            elif (place := self.place(a)) is not None and place.kind != "number":
                arrays[name] = self.seconds.get(place.array, place.array), place.region
        self.found.calls += [Call(kernel, arrays) for kernel in implementations(function)]
        if is_generated(function):
            self.found.generated.add(function.__name__)
