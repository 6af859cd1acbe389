"""The module of a model for batches: its kernels on SIMD lanes, with one member of the batch in each lane."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable

from ...codegen.loader import MOST_LOADED, Kernels
from ...codegen.machine import NoLanes as NoLanes
from ...codegen.target import processor
from ...record.branches import in_lanes
from ...record.kernel_module import KernelModule
from ..methods.method import Method
from ..methods.texts import functions_of
from ..write import functions_for
from . import drivers as lane_drivers
from . import stepwise


def machine_lanes() -> int:
    """Number of doubles in a SIMD register of the target processor: 8, 4 or 2."""
    return processor().lanes


def compile_on_lanes(compile_kernels: Callable[[], object]) -> None:
    """Call a function that compiles kernels on lanes; raise NoLanes if lanes would have to take different branches."""
    try:
        compile_kernels()
    except NotImplementedError as error:
        reason = re.search(r"lanes differ in .*", str(error))
        if reason is None:
            raise
        raise NoLanes(reason[0]) from error


def require_lanes(kernels: Kernels) -> None:
    """Raise NoLanes unless the engine of these kernels compiles lanes."""
    if not kernels.has_lanes:
        raise NoLanes("its engine compiles no lanes")


def fits_lanes(method: Method, straight: bool, fixed: bool) -> bool:
    """True if runs can use lanes: fixed steps of an explicit one-step method, with no decisions between steps.

    `straight`: the model makes no decisions between steps, such as mode changes. `fixed`: the run has fixed steps.
    """
    return fixed and straight and method.fits_lanes


def lanes_module(model: KernelModule, lanes: int, angles: int, method: Method | None = None) -> KernelModule:
    """Return a model's module for `lanes` lanes, with the time loop of one of its methods, or none without `method`.

    `angles` is the number of angles whose sine and cosine the model needs. In single records region `sines` is padded,
    in lanes it is not.
    """
    numbers = {"LANES": lanes, "N_SINES": angles}
    return in_lanes(model).with_functions(functions_for(functions_of(lane_drivers), method), numbers)


def stepwise_module(model: KernelModule, lanes: int, angles: int, method: Method) -> KernelModule:
    """Return the module of `lanes_module` with the functions of stepwise.py, for steps of a method."""
    return lanes_module(model, lanes, angles, method).with_functions(functions_for(functions_of(stepwise), method))


def lane_kernels(
    kernels: Kernels, model: KernelModule, lanes: int, angles: int, method: Method | None = None
) -> Kernels:
    """Return the kernels of `lanes_module`, by the engine of the model's kernels. Raises NoLanes."""
    require_lanes(kernels)
    return kernels.load(_cached_module(model, lanes, angles, method))


_cached_module = functools.lru_cache(maxsize=MOST_LOADED)(lanes_module)
