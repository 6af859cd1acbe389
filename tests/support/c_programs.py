"""C text as functions of Python: compiled by the machine's compiler, or by the one of the extra `native`."""

from __future__ import annotations

import ctypes
import importlib.util
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

WARNINGS = ("-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror")
SCALARS = {float: ctypes.c_double, int: ctypes.c_int64}


def compiler() -> list[str]:
    """Return the command of a C compiler; skips the test if there is none."""
    if shutil.which("gcc"):
        return ["gcc"]
    if importlib.util.find_spec("ziglang"):
        return [sys.executable, "-m", "ziglang", "cc"]
    pytest.skip("no C compiler: neither gcc nor the extra `native`")


def compiled(text: str, folder: Path, options: Sequence[str] = ("-O1",), command: Sequence[str] = ()) -> ctypes.CDLL:
    """Compile a text with all warnings as errors, and load it."""
    source, library = folder / "program.c", folder / "program.so"
    source.write_text(text, encoding="utf-8")
    run_command([*(command or compiler()), *WARNINGS, *options, "-shared", "-fPIC", "-o", library, source, "-lm"])
    return ctypes.CDLL(str(library))


def run_command(command: Sequence[object]) -> str:
    """Run a command, which must succeed, and return its output."""
    run = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    assert run.returncode == 0, f"{' '.join(map(str, command))}\n{run.stdout[-2000:]}{run.stderr[-4000:]}"
    return run.stdout


def call(library: ctypes.CDLL, name: str, *arguments: Any) -> int:
    """Call a function of arrays, numbers and integers that returns an integer."""
    function = getattr(library, name)
    function.restype = ctypes.c_int64
    given = [a.ctypes.data_as(ctypes.c_void_p) if isinstance(a, np.ndarray) else SCALARS[type(a)](a) for a in arguments]
    return int(function(*given))
