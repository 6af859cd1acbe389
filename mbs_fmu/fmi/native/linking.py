"""Linking of the C sources, the model's tables and its kernels to a shared library, with the ziglang package."""

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

from ...infrastructure.disk import cache
from ...infrastructure.errors import ModelError
from ...infrastructure.messages.extras import install
from .platforms import Platform

log = logging.getLogger("mbs_fmu")
OPTIONS = (
    "-std=c99", "-O2", "-g0", "-shared", "-s", "-fPIC", "-fvisibility=hidden", "-fno-sanitize=all", "-Wall", "-Wextra",
    "-Werror", "-Wno-unused-command-line-argument",
)  # fmt: skip

#: C sources of both FMI versions.
SOURCES = ("calls", "core", "events", "exchange", "instance", "loops", "saved", "tangents")


def require_compiler() -> None:
    """Raise ModelError if the ziglang package is not installed."""
    if importlib.util.find_spec("ziglang") is None:
        raise ModelError(f"native FMUs need the package ziglang: {install('native')}")


def library(
    platform: Platform, cpu: str, fmi: str, header: str, kernels: list[Path], name: str, folder: Path
) -> Path:  # fmt: skip
    """Build the library of one platform in `folder` and return its path.

    `header` is the text of model.h; `kernels` are the paths of the object files.

    Raises ModelError with the compiler's messages if it fails.
    """
    (folder / "model.h").write_text(header, encoding="utf-8")
    sources = resources.files(__package__) / "c"
    file = folder / f"{name}{platform.suffix}"
    with resources.as_file(sources) as c:
        folders = [folder, c, Path(fmpy.__file__).parent / "c-code"]
        command = [
            sys.executable, "-m", "ziglang", "cc", "-target", platform.zig, *OPTIONS,
            *(["-DHAVE_V3"] if len(platform.cpus(cpu)) > 1 else []), *(f"-I{place}" for place in folders),
            *(str(c / f"{source}.c") for source in (*SOURCES, f"fmi{fmi[0]}")), *map(str, kernels),
            "-o", str(file), *_linker_options(platform, name),
        ]  # fmt: skip
        run = subprocess.run(command, env=_environment(folder), cwd=folder, capture_output=True, text=True)
    if run.returncode or not file.is_file():
        raise ModelError(f"linking {name} for {platform.name} failed: {(run.stderr or run.stdout).strip()[-2000:]}")
    return file


def _linker_options(platform: Platform, name: str) -> list[str]:
    """Return the linker's options for a platform.

    The compiler's runtime library is needed on Windows only, for the probes of large stacks. Elsewhere -rtlib=none
    saves the 4 s that zig needs to build it; zig before 0.14 ignores the option and builds the library.
    """
    if "linux" in platform.name:
        return ["-rtlib=none", "-lm", "-Wl,-z,defs", "-Wl,--build-id=none", f"-Wl,-soname,{name}.so"]
    if "darwin" in platform.name:
        return ["-rtlib=none", f"-Wl,-install_name,@rpath/{name}.dylib"]
    return []


def _environment(folder: Path) -> dict[str, str]:
    """Return the environment of zig, which builds each system's C library once and keeps it in the cache.

    Without a writable cache the library goes to `folder`.
    """
    try:  # otherwise zig would try forever
        libraries = cache.folder("zig")
        tempfile.TemporaryFile(dir=libraries).close()
    except OSError as error:
        log.warning("no writable cache (%s): the C library is built anew each time", error)
        libraries = folder / "zig"
    local = folder / "zig-local"  # no other model can use these objects
    return {**os.environ, "ZIG_GLOBAL_CACHE_DIR": str(libraries), "ZIG_LOCAL_CACHE_DIR": str(local)}


def first_time(platform: Platform) -> bool:
    """True if zig must first build the platform's C library, which takes a minute for Windows."""
    return not _mark(platform).exists()


def note_built(platform: Platform) -> None:
    """Record that the platform's C library is in the cache."""
    with contextlib.suppress(OSError):
        _mark(platform).touch()


def _mark(platform: Platform) -> Path:
    key = hashlib.sha256(platform.zig.encode()).hexdigest()[:8]
    return cache.cache_directory() / "zig" / f"built_{platform.name}_{key}"
