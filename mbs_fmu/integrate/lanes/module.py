"""A model's module for batches: its kernels on lanes, one member of the batch in each (see translate.py)."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable

from ...codegen.loader import MOST_LOADED, Kernels, load_kernels
from ...codegen.target import processor
from ..methods.method import Method
from ..methods.texts import functions_of, joined, kernel, split
from ..write import method_text
from . import drivers as lane_drivers


def machine_lanes() -> int:
    """How many doubles the processor computes at once that machine code is made for: 8, 4 or 2."""
    return processor().lanes


class NoLanes(Exception):
    """A model that can't be computed in lanes, and why."""


def compiled(call: Callable[[], object]) -> None:
    """Make a call that compiles kernels on lanes; NoLanes where lanes would have to go different ways."""
    try:
        call()
    except NotImplementedError as error:
        found = re.search(r"lanes differ in .*", str(error))
        if found is None:
            raise
        raise NoLanes(found[0]) from error


def fits_lanes(method: Method, straight: bool, fixed: bool) -> bool:
    """Whether runs can go in lanes: fixed steps of an explicit one-step method, nothing to decide between steps."""
    return fixed and straight and method.fits_lanes


def lanes_source(text: str, lanes: int, angles: int, method: Method | None = None) -> str:
    """The text of a model's module for so many lanes, with the time loop of a method that it has.

    `angles` is the number of coordinates, of which `sines` needs no more: its padding serves single records.
    """
    common, own = split(functions_of(lane_drivers))
    parts = [text.rstrip(), f"LANES = np.int64({lanes})\nN_SINES = np.int64({angles})"]
    parts += [kernel(function) for function in common.values()]
    parts += [method_text(function, method) for function in own.values()] if method else []
    return joined(parts) + "\n"


@functools.lru_cache(maxsize=MOST_LOADED)
def lane_module(text: str, lanes: int, angles: int, method: Method | None = None) -> Kernels:
    """Its kernels; they are compiled on first use, and cached on disk like those of single records."""
    return load_kernels(lanes_source(text, lanes, angles, method))
