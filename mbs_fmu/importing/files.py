"""Readers of robot files, selected by the suffix of the file name."""

from __future__ import annotations

from inspect import signature
from pathlib import Path
from typing import Any

from ..infrastructure.errors import ArgumentError, ModelError
from .imported import Imported
from .mjcf import from_mjcf
from .sdf import from_sdf
from .urdf import from_urdf

READERS: dict[str, Any] = {
    ".urdf": from_urdf,
    ".sdf": from_sdf,
    ".world": from_sdf,
    ".xml": from_mjcf,
    ".mjcf": from_mjcf,
}
#: Arguments with which each reader adds inputs along the joints.
DRIVEN = {from_urdf: {"efforts": True}, from_sdf: {"efforts": True}, from_mjcf: {"inputs": True}}


def is_robot(name: str) -> bool:
    """True if a file name has the suffix of a robot file."""
    return Path(name).suffix.lower() in READERS


def from_file(name: str, **options: Any) -> Imported:
    """Return a robot with inputs along its joints. options: further arguments of the file's reader.

    Raises ModelError for another suffix, ArgumentError for an option that the reader does not have.
    """
    if not is_robot(name):
        raise ModelError(f"{name!r} is not a robot file: its name must end in {', '.join(READERS)}")
    read = READERS[Path(name).suffix.lower()]
    unknown = [option for option in options if option not in signature(read).parameters]
    if unknown:
        raise ArgumentError(f"{unknown[0]} is for URDF and SDF files: leave it out for {Path(name).name}")
    return read(name, **DRIVEN[read], **options)  # type: ignore[no-any-return]
