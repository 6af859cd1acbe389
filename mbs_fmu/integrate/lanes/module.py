"""The module of a model for batches: its kernels on SIMD lanes, with one member of the batch in each lane."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from types import ModuleType

from ...codegen.loader import MOST_LOADED, Kernels
from ...codegen.machine import NoLanes as NoLanes
from ...codegen.target import processor
from ..methods.method import Method
from ..methods.texts import functions_of, joined, kernel, split
from ..write import method_text
from . import drivers as lane_drivers
from . import stepwise
from .branches import in_lanes


def machine_lanes() -> int:
    """Number of doubles in a SIMD register of the target processor: 8, 4 or 2."""
    return processor().lanes


def compiled(call: Callable[[], object]) -> None:
    """Call a function that compiles kernels on lanes; raise NoLanes if lanes would have to take different branches."""
    try:
        call()
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

    `straight`: the model makes no decisions between steps. `fixed`: the run has fixed steps.
    """
    return fixed and straight and method.fits_lanes


def lanes_source(text: str, lanes: int, angles: int, method: Method | None = None) -> str:
    """Return the text of a model's module for `lanes` lanes, with the time loop of one of its methods.

    `angles` is the number of coordinates. In lanes, `sines` needs no padding beyond it, as it does in single records.
    """
    constants = f"LANES = np.int64({lanes})\nN_SINES = np.int64({angles})"
    return joined([in_lanes(text).rstrip(), constants, *_texts(lane_drivers, method)]) + "\n"


def stepwise_source(text: str, lanes: int, angles: int, method: Method) -> str:
    """Return the text of `lanes_source` with the functions of stepwise.py, for steps of a method."""
    return joined([lanes_source(text, lanes, angles, method).rstrip(), *_texts(stepwise, method)]) + "\n"


def _texts(module: ModuleType, method: Method | None) -> list[str]:
    """Return the texts of a module's functions; without a method, of those that serve all methods."""
    common, own = split(functions_of(module))
    texts = [kernel(function) for function in common.values()]
    return [*texts, *(method_text(function, method) for function in own.values())] if method else texts


def lane_kernels(kernels: Kernels, text: str, lanes: int, angles: int, method: Method | None = None) -> Kernels:
    """Return the kernels of `lanes_source`, by the engine of the model's kernels. Raises NoLanes."""
    require_lanes(kernels)
    return kernels.load(_kept_source(text, lanes, angles, method))


_kept_source = functools.lru_cache(maxsize=MOST_LOADED)(lanes_source)
