"""Compiles C++ sources of this folder to loaded libraries, once, in the user's cache directory."""

from __future__ import annotations

import ctypes
import functools
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from mbs_fmu.infrastructure.disk.cache import cache_directory

from .report import Unavailable, cpu_name, progress

HERE = Path(__file__).parent
FLAGS = ["-O3", "-march=native", "-DNDEBUG", "-std=c++17", "-shared", "-fPIC", "-s", "-w"]


@functools.cache
def compiler() -> tuple[str, ...]:
    """Command of a C++ compiler: clang, of the ziglang package or the system's, else g++."""
    if importlib.util.find_spec("ziglang"):
        return sys.executable, "-m", "ziglang", "c++"
    for name in ("clang++", "g++"):
        if shutil.which(name):
            return (name,)
    raise Unavailable("no C++ compiler: install ziglang")


@functools.cache
def compiler_version() -> str:
    """First line of the compiler's version output."""
    lines = subprocess.run([*compiler(), "--version"], capture_output=True, text=True, check=True).stdout.splitlines()
    return lines[0] + (" (ziglang)" if "ziglang" in compiler() else "")


def include_directory(header: str, *folders: str) -> str:
    """The first of the folders, absolute or beside the installed packages, that holds `header`."""
    for folder in folders:
        for entry in sys.path:
            if (Path(entry) / folder / header).exists():
                return str(Path(entry) / folder)
    raise Unavailable(f"the C++ header {header} is not installed (see benchmarks/__init__.py)")


def library(source: str, options: Sequence[str]) -> ctypes.CDLL:
    """Library of one source file. Raises Unavailable if it does not compile."""
    text = (HERE / source).read_text(encoding="utf-8")
    command = [*compiler(), *FLAGS, str(HERE / source), *options]
    headers = [path.read_text(encoding="utf-8") for path in sorted(HERE.glob("*.hpp"))]
    decisive = [text, *headers, *compiler(), compiler_version(), cpu_name(), *FLAGS, *options]
    key = hashlib.sha256("\n".join(decisive).encode()).hexdigest()[:16]
    folder = cache_directory() / "benchmarks"
    path = folder / f"{Path(source).stem}_{key}.so"
    if not path.exists():
        progress(f"compiling {source}, up to some minutes, once")
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as temporary:
            built = Path(temporary) / path.name
            done = subprocess.run([*command, "-o", str(built)], capture_output=True, text=True)
            if done.returncode:
                raise Unavailable(f"{source} does not compile: {done.stderr[-2000:]}")
            os.replace(built, path)
    return ctypes.CDLL(str(path))
