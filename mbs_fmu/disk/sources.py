"""The package's own files, which say what it makes."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

from . import cache

LOADED = time.time()  #: s; when this process loaded the package
JUST_NOW = 2.0  #: s within which a file may change again and keep its time: no file system's times are coarser


def digest(folder: Path) -> str:
    """A hash of the texts of all modules in a folder. Empty for an archive; raises OSError.

    It is kept by the sizes and times of these files, so that few processes read them. Where one was written after this
    process had loaded the package, another text runs than stands there: then it is one that no other process has.
    """
    entry, written = _entry(folder)
    now = time.time()
    if LOADED < written <= now:
        return os.urandom(16).hex()
    kept = cache.read(entry) if entry else b""
    if kept is None:
        texts = [Path(path).read_bytes() for path in sorted(file.path for file in _modules(folder))]
        kept = hashlib.sha256(b"\0".join(texts)).hexdigest().encode()
        if written < now - JUST_NOW and _entry(folder)[0] == entry:
            cache.write(entry, kept)
    return kept.decode()


def _entry(folder: Path) -> tuple[str, float]:
    """Return the cache entry of these files' hash, and the time of the latest change; "" and 0 without files."""
    files = sorted((file.path, file.stat()) for file in _modules(folder))
    if not files:
        return "", 0.0
    description = repr([(path, status.st_size, status.st_mtime_ns, status.st_ctime_ns) for path, status in files])
    name = hashlib.sha256(description.encode(errors="surrogateescape")).hexdigest()[:32]
    return f"programs/{name}.sources", max(status.st_mtime for _, status in files)


def _modules(folder: str | Path) -> Iterator[os.DirEntry[str]]:
    if not os.path.isdir(folder):
        return
    with os.scandir(folder) as entries:
        for file in entries:
            if file.is_dir():
                yield from _modules(file.path)
            elif file.name.endswith(".py"):
                yield file
