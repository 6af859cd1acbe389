"""Records that note the accesses of kernels, and the accesses that the kernels' docstrings declare."""

from __future__ import annotations

import bisect
import functools
import inspect
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import CodeType, FrameType, ModuleType
from typing import Any

import numpy as np

from mbs_fmu.integrate.lanes import drivers as lane_drivers
from mbs_fmu.integrate.lanes import stepwise
from mbs_fmu.integrate.methods import (
    gauss,
    multistep,
    rosenbrock,
)
from mbs_fmu.integrate.methods.table import METHODS
from mbs_fmu.integrate.stepping import (
    adaptive,
    crossings,
    drivers,
    events,
    history,
    switching,
    ties,
)
from mbs_fmu.integrate.stepping import (
    hooks as method_hooks,
)
from mbs_fmu.kernels import (
    breaks,
    hooks,
    library,
    preparing,
)
from mbs_fmu.kernels.closures import (
    along_motion,
    assembly,
    elimination,
    loops,
    modes,
    row_rates,
    rows,
    sharing,
)
from mbs_fmu.kernels.closures import (
    mode_thresholds as mode_sizes,
)
from mbs_fmu.kernels.elastic import (
    bodies as bending,
)
from mbs_fmu.kernels.elastic import (
    checks as bending_checks,
)
from mbs_fmu.kernels.elastic import (
    errors as bending_errors,
)
from mbs_fmu.kernels.elastic import (
    forces as bending_forces,
)
from mbs_fmu.kernels.elastic import (
    rows as bending_rows,
)
from mbs_fmu.kernels.elastic import (
    shapes as bending_shapes,
)
from mbs_fmu.kernels.elastic import (
    starts as bending_starts,
)
from mbs_fmu.kernels.sources import kernels_of

Kernel = Callable[..., Any]
KERNELS: list[Kernel] = [
    kernel
    for module in (
        library, preparing, breaks, rows, bending, bending_checks, bending_errors, bending_forces, bending_rows,
        bending_shapes, bending_starts, elimination, along_motion, sharing, assembly, loops, row_rates, modes,
        mode_sizes, drivers, adaptive, crossings, events, switching, history, hooks, method_hooks, gauss, multistep,
        rosenbrock, lane_drivers, stepwise, ties,
    )
    for name, kernel in kernels_of(module).items()
    if not name.startswith("_")
]  # fmt: skip
NAMES = {kernel.__name__ for kernel in KERNELS}


@dataclass(frozen=True)
class Contract:
    """Declared names of regions, of whole arrays other than R, and of arguments that are addresses."""

    reads: frozenset[str] = frozenset()
    writes: frozenset[str] = frozenset()


@functools.cache
def contract(kernel: Kernel) -> Contract:
    """Contract in a kernel's docstring: `Reads: a, b. Writes: c.`"""
    text = " ".join((kernel.__doc__ or "").split())

    def names(word: str) -> frozenset[str]:
        match = re.search(rf"\b{word}: ([^.]*)\.", text)
        return frozenset(match[1].split(", ")) if match else frozenset()

    return Contract(names("Reads"), names("Writes"))


@functools.cache
def generic(name: str) -> str:
    """Name that a method's function has in the code common to all methods."""
    method = next((m for m in METHODS if name.startswith(f"{m}_")), None)
    return name if method is None else f"METHOD{name.removeprefix(method)}"


def kernel_of(frame: FrameType | None) -> tuple[str, Contract] | None:
    """The kernel of a frame, with its contract; None for other functions."""
    if frame is None:
        return None
    name = frame.f_code.co_name
    if generic(name) not in NAMES and not generic(name).startswith("METHOD_"):
        return None
    return generic(name), contract(frame.f_globals[name])


@functools.cache
def addresses(code: CodeType, declared: frozenset[str]) -> frozenset[str]:
    """Declared names that are arguments of a kernel with this code."""
    return declared & set(inspect.getargs(code).args)


#: Adjacent regions that are used as one; each maps to the first of them.
RUNS = {
    name: run[0]
    for run in (("q", "p", "z", "drive_impulses"), ("q_dot", "p_dot", "z_dot", "drive_rests"))
    for name in run
}


class Spy:
    """Notes reads and writes of each kernel: names of regions of R, of other arrays, and of address arguments.

    `accesses` is keyed by the kernel's name and contract, since some kernels have substitutes.
    """

    def __init__(self, regions: Mapping[str, tuple[int, int]]):
        self.accesses: defaultdict[tuple[str, Contract], dict[str, set[str]]] = defaultdict(
            lambda: {"reads": set(), "writes": set()}
        )
        placed = sorted((start, name) for name, (start, size) in regions.items() if size)
        self.starts = [start for start, _ in placed]
        self.names = [name for _, name in placed]

    def place(self, array: str, index: int) -> str:
        """The region of R, or the name of another array."""
        return self.names[bisect.bisect_right(self.starts, index) - 1] if array == "R" else array

    def run(self, array: str, index: int) -> str:
        """The same, with one name for regions that are used as one."""
        place = self.place(array, index)
        return RUNS.get(place, place)

    def note(self, kind: str, array: str, index: int, frame: FrameType | None) -> None:
        """Note an access by the kernel of a frame, and by its caller too if the address is an argument."""
        place = self.place(array, int(index))
        while frame is not None and (kernel := kernel_of(frame)) is not None:
            declared: frozenset[str] = getattr(kernel[1], kind)
            accesses = self.accesses[kernel][kind]
            if place in declared:
                accesses.add(place)
                return
            run, values = RUNS.get(place, place), frame.f_locals
            addressed = {a: values[a] for a in addresses(frame.f_code, declared)}
            arguments = {a: int(value) for a, value in addressed.items() if not isinstance(value, SpyingRecord)}
            by_address = {a for a, address in arguments.items() if self.run(array, address) == run}
            accesses |= by_address or {place}
            if not by_address:
                return
            frame = frame.f_back


class SpyingRecord:
    """An array that reports every access to a spy."""

    def __init__(self, numbers: np.ndarray, spy: Spy, name: str):
        self.numbers, self.spy, self.name = numbers, spy, name

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):  # `tail`: a second record behind the first
            return SpyingRecord(self.numbers[index], self.spy, "D" if self.name == "R" else self.name)
        self.spy.note("reads", self.name, index, sys._getframe(1))
        return self.numbers[index]

    def __setitem__(self, index: int, value: float) -> None:
        self.spy.note("writes", self.name, index, sys._getframe(1))
        self.numbers[index] = value


def spied(module: ModuleType, spy: Spy) -> Callable[..., Any]:
    """Wrap a function of a plain module so that spying records replace its arrays."""

    def call(name: str, *arguments: Any) -> Any:
        function = getattr(module, name)
        names = inspect.signature(function).parameters
        arguments = [
            SpyingRecord(a, spy, array) if isinstance(a, np.ndarray) else a
            for array, a in zip(names, arguments, strict=True)
        ]
        return function(*arguments)

    return call
