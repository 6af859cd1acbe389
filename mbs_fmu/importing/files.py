"""Robot files by the ends of their names."""

from __future__ import annotations

from inspect import signature
from pathlib import Path
from typing import Any

from ..errors import ArgumentError, ModelError
from .imported import Imported
from .mjcf import from_mjcf
from .urdf import from_urdf

READERS: dict[str, Any] = {".urdf": from_urdf, ".xml": from_mjcf, ".mjcf": from_mjcf}
#: Inputs along the joints, so that something may drive the robot.
DRIVEN = {from_urdf: {"efforts": True}, from_mjcf: {"inputs": True}}


def is_robot(name: str) -> bool:
    """Whether a file is one of robots, by its name."""
    return Path(name).suffix.lower() in READERS


def from_file(name: str, **wishes: Any) -> Imported:
    """A robot with inputs along its joints; wishes: more arguments of its reader, which must have them."""
    if not is_robot(name):
        raise ModelError(f"{name!r} is no robot file: its name must end in {', '.join(READERS)}")
    read = READERS[Path(name).suffix.lower()]
    unknown = [wish for wish in wishes if wish not in signature(read).parameters]
    if unknown:
        raise ArgumentError(f"{unknown[0]} is for URDF files: leave it out for {Path(name).name}")
    return read(name, **DRIVEN[read], **wishes)  # type: ignore[no-any-return]
