"""FMU archives with sorted files and a constant time stamp, so that equal models give equal bytes."""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Mapping
from pathlib import Path

from ..infrastructure.disk.files import replacing

EPOCH = (1980, 1, 1, 0, 0, 0)  #: time stamp of every file
UNIVERSAL_ALIGNMENT = 14  #: binary logarithm of the alignment of slices in a Mach-O universal binary
MACHO = {"x86_64-darwin": (0x01000007, 3), "aarch64-darwin": (0x0100000C, 0)}  #: CPU type and subtype


def pack(path: Path, files: Mapping[str, bytes]) -> None:
    """Write an archive atomically: readers of `path` see the old file or the complete new one. Raises OSError."""
    with replacing(path) as beside, zipfile.ZipFile(beside, "w", zipfile.ZIP_DEFLATED) as target:
        for name in sorted(files):
            info = zipfile.ZipInfo(name, EPOCH)
            info.external_attr = 0o644 << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            target.writestr(info, files[name])


def universal(slices: Mapping[str, bytes]) -> bytes:
    """Return the Mach-O universal binary of the libraries of several processors, by platform name."""
    position = start = 1 << UNIVERSAL_ALIGNMENT
    header, body = struct.pack(">II", 0xCAFEBABE, len(slices)), b""
    for name, data in slices.items():
        header += struct.pack(">IIIII", *MACHO[name], position, len(data), UNIVERSAL_ALIGNMENT)
        padding = -len(data) % start
        body += data + bytes(padding)
        position += len(data) + padding
    return header.ljust(start, b"\0") + body
