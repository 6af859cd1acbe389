"""A program's kernels as one file of C, with the entries that native FMUs use."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from types import FunctionType
from typing import Any

from ...infrastructure.errors import ModelError
from ...record.program import Program
from ...record.ranges import limits
from ..ahead import STEPS, entries, kernel_names, kinds_of, module_ahead
from ..llvm.kinds import Kind
from ..machine import PLAIN, ArgumentKind
from ..modules import load_uncached
from .costs import Costs, sentences
from .module import Module

#: A function of C: its name without the prefix, the kernel that it calls, and the kinds of its arguments.
EntryPoint = tuple[str, str, tuple[ArgumentKind, ...]]
NAMED = ("parameter", "input", "output")  #: roles of variables whose names the text shows at literal addresses


def entry_points(program: Program, advance: str) -> list[EntryPoint]:
    """Return the entries of an FMU; `advance` is the kernel that makes the steps, such as "dopri5_adaptive"."""
    names = kernel_names(entries(program), advance)
    return [(entry, kernel, kinds_of(entry)) for entry, kernel in names.items()]


def cost_of(program: Program, function: FunctionType, kinds: tuple[Kind, ...]) -> str:
    """Return a bound of the operations of one call of a kernel of the program, as sentences (costs.py)."""
    costs = Costs(limits(program))
    return sentences(costs.of(function, kinds), costs.unbounded)


def advance_cost(program: Program, advance: str) -> str:
    """Return a bound of the operations of a communication step of an FMU; `advance` as in `entry_points`."""
    names = entries(program)
    entry = "advance_to_event" if "advance_to_event" in names else "advance"
    kernel = getattr(load_uncached(module_ahead(program)), advance + STEPS[entry]).kernel_function
    return cost_of(program, kernel, kinds_of(entry))


def c_module(program: Program, **options: Any) -> Module:
    """Return an empty file for the kernels of a program; `options` are those of `Module`."""
    slots = {v.slot: v.name for v in program.variables if v.role in NAMED}
    return Module(program.regions, slots, **options)


def c_kernels(
    program: Program, points: Iterable[EntryPoint], linkage: str = "static ", reserved: Collection[str] = ()
) -> str:
    """Return a program's kernels as C99, with functions int64_t kernel_NAME(double *, ..., scalars).

    `linkage` precedes these functions; "" makes them external. `reserved` are names that the file must not define.

    Raises ModelError if the kernels cannot be written in C.
    """
    file, module = c_module(program, reserved=reserved), load_uncached(module_ahead(program))
    try:
        for name, kernel, kinds in points:
            file.entry(PLAIN + name, getattr(module, kernel).kernel_function, kinds, linkage)
    except NotImplementedError as error:
        raise ModelError(f"{program.name}: its kernels can't be written in C: {error}") from error
    return file.text(f"{program.name}: {program.description}".rstrip(": "))
