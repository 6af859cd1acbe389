"""C programs that host native FMUs, compiled by zig."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import fmpy
import pytest
from fmpy import read_model_description

from mbs_fmu.fmi.native.platforms import ALL, host
from mbs_fmu.infrastructure.disk.cache import cache_directory
from support.paths import HOSTS

HEADERS = Path(fmpy.__file__).parent / "c-code"

STRICT = ("-std=c99", "-O2", "-fno-sanitize=all", "-Wall", "-Wextra", "-Werror")


def zig(platform: str, source: Path, target: Path, *options: str) -> Path:
    """Compile a program for a platform into `target`; zig's cache is that of exports."""
    cache = str(cache_directory() / "zig")
    command = [sys.executable, "-m", "ziglang", "cc", "-target", ALL[platform].zig, *(options or STRICT)]
    libraries = ["-ldl", "-lpthread"] if "linux" in platform else []
    subprocess.run(
        [*command, f"-I{HOSTS}", f"-I{HEADERS}", str(source), "-o", str(target), *libraries],
        env={**os.environ, "ZIG_GLOBAL_CACHE_DIR": cache, "ZIG_LOCAL_CACHE_DIR": cache}, check=True,
    )  # fmt: skip
    return target


def only_linux() -> None:
    if host() != "x86_64-linux":
        pytest.skip("needs 64-bit Linux on x86")


def library(fmu: Path, folder: Path) -> Path:
    """Unpack an FMU's library; `folder` is its place under binaries."""
    with zipfile.ZipFile(fmu) as archive:
        name = next(n for n in archive.namelist() if n.startswith(f"binaries/{folder.name}/"))
        folder.mkdir(exist_ok=True, parents=True)
        unpacked = folder / Path(name).name
        unpacked.write_bytes(archive.read(name))
    return unpacked


def place(fmi: str = "2.0") -> str:
    """Folder of this platform's binaries."""
    return str(ALL[host()].folders2[0] if fmi == "2.0" else host())


def token(fmu: Path) -> str:
    description = read_model_description(str(fmu))
    return str(description.guid or description.instantiationToken)


def execute(*command: object, **environment: str) -> str:
    """Standard output of a program whose exit code must be 0."""
    done = subprocess.run(
        [str(part) for part in command], env={**os.environ, **environment}, capture_output=True, text=True, timeout=3600
    )
    assert done.returncode == 0, (done.returncode, done.stdout[-2000:], done.stderr[-2000:])
    return done.stdout


def valgrind() -> list[str]:
    only_linux()
    if shutil.which("valgrind") is None:
        pytest.skip("valgrind is not installed")
    return ["valgrind", "-q", "--leak-check=full", "--show-leak-kinds=all", "--error-exitcode=9"]
