"""Linking of the C sources, the model's tables and its kernels to a library, with the ziglang package.

The library is a shared one, or the core module of a WebAssembly component (component.py).
"""

from __future__ import annotations

import subprocess
import sys
from importlib import resources
from pathlib import Path

import fmpy
import numpy as np

from ...codegen.ahead import zig_environment
from ...codegen.wasm import FEATURES
from ...infrastructure.errors import ModelError
from .platforms import Platform

OPTIONS = (
    "-std=c99", "-O2", "-g0", "-s", "-fvisibility=hidden", "-fno-sanitize=all", "-Wall", "-Wextra", "-Werror",
    "-Wno-unused-command-line-argument", "-ffp-contract=off",
)  # fmt: skip
SHARED = ("-shared", "-fPIC")
#: A module without a main function. zig puts its stack at the bottom, so that an overflow traps.
MODULE = (
    "-mexec-model=reactor", "-nostartfiles", f"-mcpu=generic{FEATURES}", "-Wl,--no-entry", "-Wl,--gc-sections",
    "-Wl,-z,stack-size=1048576",
)  # fmt: skip

#: C source of a large initial record: the bytes of its numbers, which compile in a second, while text takes minutes.
RECORD = """#pragma clang diagnostic ignored "-Wc23-extensions"
const unsigned char FIRST[] __attribute__((aligned(16))) = {
#embed "record.bin"
};
"""
#: C sources of both FMI versions.
SOURCES = ("calls", "core", "events", "exchange", "instance", "loops", "saved", "tangents")
COMPONENT_SOURCE = "wasm"


def library(
    platform: Platform, cpu: str, fmi: str, header: str, record: np.ndarray | None, kernels: list[Path], name: str,
    folder: Path,
) -> Path:  # fmt: skip
    """Build the library of one platform in `folder` and return its path.

    `header` is the text of model.h; `kernels` are the paths of the object files. `record`: the initial record if the
    header only declares it.

    Raises ModelError with the compiler's messages if it fails.
    """
    (folder / "model.h").write_text(header, encoding="utf-8")
    if record is not None:
        (folder / "record.bin").write_bytes(record.astype("<f8", copy=False).data)
        (folder / "record.c").write_text(RECORD, encoding="utf-8")
    sources = resources.files(__package__) / "c"
    file = folder / f"{name}{platform.suffix}"
    with resources.as_file(sources) as c:
        folders = [folder, c, Path(fmpy.__file__).parent / "c-code"]
        command = [
            sys.executable, "-m", "ziglang", "cc", "-target", platform.zig, *OPTIONS,
            *(MODULE if platform.is_component else SHARED),
            *(["-DHAVE_V3"] if len(platform.cpus(cpu)) > 1 else []), *(f"-I{place}" for place in folders),
            *(str(c / f"{source}.c") for source in _sources(platform, fmi)), *map(str, kernels),
            *(["record.c"] if record is not None else []),
            "-o", str(file), *_linker_options(platform, name),
        ]  # fmt: skip
        run = subprocess.run(command, env=zig_environment(folder), cwd=folder, capture_output=True, text=True)
    if run.returncode or not file.is_file():
        raise ModelError(f"linking {name} for {platform.name} failed: {(run.stderr or run.stdout).strip()[-2000:]}")
    return file


def _sources(platform: Platform, fmi: str) -> list[str]:
    """Return the names of the C sources of a library."""
    return [*SOURCES, f"fmi{fmi[0]}", *([COMPONENT_SOURCE] if platform.is_component else [])]


def _linker_options(platform: Platform, name: str) -> list[str]:
    """Return the linker's options for a platform.

    The compiler's runtime library is needed on Windows only, for the probes of large stacks. Elsewhere -rtlib=none
    saves the 4 s that zig needs to build it; zig before 0.14 ignores the option and builds the library.
    """
    if "linux" in platform.name:
        return ["-rtlib=none", "-lm", "-Wl,-z,defs", "-Wl,--build-id=none", f"-Wl,-soname,{name}.so"]
    if "darwin" in platform.name:
        return ["-rtlib=none", f"-Wl,-install_name,@rpath/{name}.dylib"]
    return ["-lm"] if platform.is_component else []
