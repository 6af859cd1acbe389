"""Robot files by the ends of their names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..errors import ModelError
from .imported import Imported
from .urdf import from_urdf

READERS = {".urdf": from_urdf}


def is_robot(name: str) -> bool:
    """Whether a file is one of robots, by its name."""
    return Path(name).suffix.lower() in READERS


def from_file(name: str, **wishes: Any) -> Imported:
    """A robot with inputs along its joints, so that something may drive it; wishes: more of its reader's arguments."""
    if not is_robot(name):
        raise ModelError(f"{name!r} is no robot file: its name must end in {', '.join(READERS)}")
    return READERS[Path(name).suffix.lower()](name, **{"efforts": True, **wishes})
