"""Export of a system: the name of the file chooses the format."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from pathlib import Path

from ...infrastructure.errors import ArgumentError
from ...infrastructure.messages.failures import display
from .container import unread as unread_in_container
from .container import write_container
from .osp import write_osp
from .ssp import VERSIONS as SSP_VERSIONS
from .ssp import unread as unread_in_ssp
from .ssp import write_ssp
from .structure import Structure

log = logging.getLogger("mbs_fmu")

WRITERS: dict[str, Callable[..., None]] = {".ssp": write_ssp, ".xml": write_osp, ".fmu": write_container}
#: What programs do not read of a structure in a version of a format.
UNREAD: dict[str, Callable[[Structure, str], Iterable[str]]] = {".ssp": unread_in_ssp, ".fmu": unread_in_container}
VERSIONED = (".ssp", ".fmu")  #: formats with several versions


def write(structure: Structure, path: Path, version: str | None = None) -> None:
    """Write a system in the format that the file's name tells. Raises ArgumentError for other names."""
    suffix = path.suffix.lower()
    if suffix not in WRITERS:
        raise ArgumentError(
            f"{display(str(path))}: give a file NAME.ssp, a file OspSystemStructure.xml or a file NAME.fmu"
        )
    if not structure.elements:
        raise ArgumentError(f"system {structure.name!r} has no elements: add FMUs")
    if version is None:
        WRITERS[suffix](structure, path)
    elif suffix in VERSIONED:
        WRITERS[suffix](structure, path, version)
    else:
        raise ArgumentError(f"version is {display(version)}: {path.name} has one version only; leave it out")
    for text in UNREAD[suffix](structure, version or SSP_VERSIONS[0]) if suffix in UNREAD else ():
        log.warning("%s: %s", path.name, text)
