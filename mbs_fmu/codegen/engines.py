"""The three engines that execute the kernels of a module: own translator, numba, plain Python.

Their results have the same bits. Only plain Python may round powers and functions of the C library differently.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Literal, cast, get_args

from ..infrastructure.errors import ArgumentError, ModelError
from ..infrastructure.messages.failures import display
from ..record.kernel_module import KernelModule
from . import loader
from .loader import Kernels
from .modules import load_plain

if TYPE_CHECKING:
    from .numba_engine import NumbaKernels as NumbaKernels

#: "own": the package's translator and LLVM. "numba": numba, a check of the former. "python": plain Python, for tests.
EngineName = Literal["own", "numba", "python"]
ENGINES = get_args(EngineName)
DEFAULT: EngineName = "own"
ENGINE_VARIABLE = "MBS_FMU_ENGINE"  #: environment variable with the default engine


def engine_name(engine: EngineName | None = None) -> EngineName:
    """Return the engine, by default that of the environment variable MBS_FMU_ENGINE, or DEFAULT.

    Raises ArgumentError for an unknown engine, ModelError for an unknown one in the environment variable.
    """
    named = engine if engine is not None else os.environ.get(ENGINE_VARIABLE) or DEFAULT
    if isinstance(named, str) and named in ENGINES:
        return cast(EngineName, named)
    have = " or ".join(map(repr, ENGINES))
    if engine is None:
        raise ModelError(f"{ENGINE_VARIABLE} is {named!r}: leave it out, or give {have}")
    raise ArgumentError(f"unknown engine {display(engine)}: use {have}")


def load_kernels(source: KernelModule | str, engine: EngineName | None = None) -> Kernels:
    """Return the kernels of a module, given as such or by its text, for an engine, by default that of `engine_name`.

    Raises its errors.
    """
    match engine_name(engine):
        case "own":
            return loader.load_kernels(source)
        case "numba":
            from . import numba_engine

            return cast(Kernels, numba_engine.load_kernels(source))
        case "python":
            return cast(Kernels, load_plain(source))
