"""Hash of the package's own source files, on which its results depend."""

from __future__ import annotations

import functools
import hashlib
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from . import cache

LOADED = time.time()  #: time at which this process loaded the package, s
#: Packages with all modules that the compilation of a model can import.
COMPILING = (
    "compile", "elastic", "infrastructure", "integrate", "kernels", "mechanics", "model", "record", "symbolic",
)  # fmt: skip
RESOLUTION = 2.0  #: coarsest time stamps of file systems, s: within it a file can change and keep its time


def digest(*folders: Path) -> str:
    """Return a hash of the texts of all modules in folders; empty if they are in an archive. Raises OSError.

    The cache has the hash by the sizes and times of the files, so that few processes read them. If a file was written
    after this process loaded the package, the process runs another text than that of the file; then the hash is random
    and no other process has it.
    """
    entry, written = _entry(folders)
    now = time.time()
    if LOADED < written <= now:
        return os.urandom(16).hex()
    cached = cache.read(entry) if entry else b""
    if cached is None:
        texts = [_text(path) for path in sorted(file.path for file in _files(folders))]
        cached = hashlib.sha256(b"\0".join(texts)).hexdigest().encode()
        if written < now - RESOLUTION and _entry(folders)[0] == entry:
            cache.write(entry, cached)
    return cached.decode()


def _text(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _entry(folders: tuple[Path, ...]) -> tuple[str, float]:
    """Return the cache entry of these files' hash, and the time of the latest change; "" and 0 without files."""
    files = sorted((file.path, file.stat()) for file in _files(folders))
    if not files:
        return "", 0.0
    description = repr([(path, status.st_size, status.st_mtime_ns, status.st_ctime_ns) for path, status in files])
    name = hashlib.sha256(description.encode(errors="surrogateescape")).hexdigest()[:32]
    return f"programs/{name}.sources", max(status.st_mtime for _, status in files)


def _files(folders: tuple[Path, ...]) -> Iterator[os.DirEntry[str]]:
    """Yield the modules in all of these folders."""
    for folder in folders:
        yield from _modules(folder)


def _modules(folder: str | Path) -> Iterator[os.DirEntry[str]]:
    if not os.path.isdir(folder):
        return
    with os.scandir(folder) as entries:
        for file in entries:
            if file.is_dir():
                yield from _modules(file.path)
            elif file.name.endswith(".py"):
                yield file


@functools.cache
def sources_and_versions() -> str:
    """Return a text that identifies what determines programs: the sources that compile models, and versions.

    The versions are those of Python and numpy. Raises FileNotFoundError if the sources are in an archive, which may
    change.
    """
    package = Path(__file__).parents[2]
    text = digest(*(package / name for name in COMPILING))
    if not text:
        raise FileNotFoundError(package)
    return f"{text} {sys.version_info[:3]} {sys.implementation.name} {sys.platform} numpy {np.__version__}"
