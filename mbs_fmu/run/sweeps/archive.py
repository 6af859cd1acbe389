"""Files that contain named arrays and attributes; they are written atomically and read array by array."""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ...infrastructure.disk.files import replacing
from ...infrastructure.errors import ModelError, one_line

ABOUT, ASIDE, NAMED = "about", "aside/", "named/"  #: attributes, arrays in them, arrays by name
PLACE = "array"  #: key by which the text refers to an array
DAMAGED = (EOFError, KeyError, ValueError, OSError, zipfile.BadZipFile, zlib.error)


def write_archive(path: Path, about: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
    """Write a file. `about` may contain arrays in addition to JSON types. Raises OSError."""
    aside: list[np.ndarray] = []

    def put_aside(value: Any) -> Any:
        if isinstance(value, np.generic):
            return value.item()
        aside.append(value)
        return {PLACE: len(aside) - 1}

    text = json.dumps(about, default=put_aside).encode()
    contents = {ABOUT: np.frombuffer(text, np.uint8)}
    contents |= {f"{ASIDE}{k}": array for k, array in enumerate(aside)}
    contents |= {f"{NAMED}{name}": array for name, array in arrays.items()}
    with replacing(path) as beside, open(beside, "wb") as file:
        np.savez(file, **contents)  # type: ignore[arg-type]


def read_about(path: Path) -> dict[str, Any]:
    """Return the attributes in a file. Raises FileNotFoundError, and ModelError for a damaged one."""
    try:
        with open(path, "rb") as opened, np.load(opened, allow_pickle=False) as file:

            def put_back(value: dict[str, Any]) -> Any:
                return file[f"{ASIDE}{value[PLACE]}"] if value.keys() == {PLACE} else value

            about: dict[str, Any] = json.loads(file[ABOUT].tobytes(), object_hook=put_back)
            return about
    except FileNotFoundError:
        raise
    except DAMAGED as error:
        raise damaged(path, error) from error


def read_array(path: Path, name: str) -> np.ndarray:
    """Return one of the arrays by name. Raises ModelError for a file that is damaged or missing."""
    try:
        with open(path, "rb") as opened, np.load(opened, allow_pickle=False) as file:
            array: np.ndarray = file[f"{NAMED}{name}"]
            return array
    except DAMAGED as error:
        raise damaged(path, error) from error


def damaged(path: Path, error: Exception) -> ModelError:
    return ModelError(f"{path} is damaged ({one_line(error)}): delete it, and sweep again")
