"""Wrapper, tables and kernels to a shared library, by the C compiler and linkers of the ziglang package."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import logging
import os
import subprocess
import sys
import tempfile
from importlib import resources
from pathlib import Path

import fmpy

from ...disk import cache
from ...errors import ModelError
from ...messages.extras import install
from .platforms import Platform

log = logging.getLogger("mbs_fmu")
OPTIONS = (
    "-std=c99", "-O2", "-g0", "-shared", "-s", "-fPIC", "-fvisibility=hidden", "-fno-sanitize=all", "-Wall", "-Wextra",
    "-Werror", "-Wno-unused-command-line-argument",
)  # fmt: skip

#: Beside the one for the version of FMI.
SOURCES = ("calls", "core", "events", "exchange", "instance", "loops", "saved", "tangents")


def require_compiler() -> None:
    """ModelError where the ziglang package is missing."""
    if importlib.util.find_spec("ziglang") is None:
        raise ModelError(f"native FMUs need the package ziglang: {install('native')}")


def library(
    platform: Platform, cpu: str, fmi: str, header: str, kernels: list[Path], name: str, folder: Path
) -> Path:  # fmt: skip
    """The library of one platform in `folder`, from the objects of the kernels.

    Raises ModelError with the compiler's words where it fails.
    """
    (folder / "model.h").write_text(header, encoding="utf-8")
    sources = resources.files(__package__) / "c"
    out = folder / f"{name}{platform.suffix}"
    with resources.as_file(sources) as c:
        folders = [folder, c, Path(fmpy.__file__).parent / "c-code"]
        command = [
            sys.executable, "-m", "ziglang", "cc", "-target", platform.zig, *OPTIONS,
            *(["-DHAVE_V3"] if len(platform.cpus(cpu)) > 1 else []), *(f"-I{place}" for place in folders),
            *(str(c / f"{source}.c") for source in (*SOURCES, f"fmi{fmi[0]}")), *map(str, kernels),
            "-o", str(out), *_linker(platform, name),
        ]  # fmt: skip
        run = subprocess.run(command, env=_environment(folder), cwd=folder, capture_output=True, text=True)
    if run.returncode or not out.is_file():
        raise ModelError(f"linking {name} for {platform.name} failed: {(run.stderr or run.stdout).strip()[-2000:]}")
    return out


def _linker(platform: Platform, name: str) -> list[str]:
    """Kernels and wrapper need nothing of a runtime library of the compiler but on Windows, where large stacks are
    probed; zig would build one first, which takes it 4 s. Versions before 0.14 don't know the option and build it."""
    if "linux" in platform.name:
        return ["-rtlib=none", "-lm", "-Wl,-z,defs", "-Wl,--build-id=none", f"-Wl,-soname,{name}.so"]
    if "darwin" in platform.name:
        return ["-rtlib=none", f"-Wl,-install_name,@rpath/{name}.dylib"]
    return []


def _environment(folder: Path) -> dict[str, str]:
    """zig builds each system's C library once; it is kept in the cache of the kernels, or else in `folder`."""
    try:  # zig itself tries forever
        libraries = cache.folder("zig")
        tempfile.TemporaryFile(dir=libraries).close()
    except OSError as error:
        log.warning("no writable cache (%s): the C library is built anew each time", error)
        libraries = folder / "zig"
    own = folder / "zig-local"  # what it makes of one model serves no other
    return {**os.environ, "ZIG_GLOBAL_CACHE_DIR": str(libraries), "ZIG_LOCAL_CACHE_DIR": str(own)}


def first_time(platform: Platform) -> bool:
    """Whether zig has to build the platform's C library first, which takes a minute on Windows."""
    return not _mark(platform).exists()


def note_built(platform: Platform) -> None:
    with contextlib.suppress(OSError):
        _mark(platform).touch()


def _mark(platform: Platform) -> Path:
    key = hashlib.sha256(platform.zig.encode()).hexdigest()[:8]
    return cache.cache_directory() / "zig" / f"built_{platform.name}_{key}"
