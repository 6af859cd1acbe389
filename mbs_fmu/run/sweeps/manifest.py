"""The manifest: identity of the sweep in a folder.

It ensures that only the same sweep continues there, and lets other processes read the results.
"""

from __future__ import annotations

import hashlib
import inspect
import pickle
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ...compile.fingerprint import fingerprint
from ...infrastructure.errors import ArgumentError, ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...record.program import Program
from ..batches.batch import Batch
from ..spec import RunSpec
from .archive import read_about, write_archive

FILE = "sweep.npz"
#: Parts that determine the numbers of a sweep, and their names in messages about differences. keep: the function that
#: computes the stored arrays from the result of a chunk.
PARTS = {
    "model": "another model",
    "members": "other members",
    "arguments": "other arguments of the runs",
    "keep": "another function keep=",
}


@dataclass(frozen=True)
class Manifest:
    """Identity of a sweep.

    `marks` contains a hash of each of PARTS. `size` and `chunk` are the numbers of members in all and in a chunk. With
    `whole`, all columns are stored. `about` contains the attributes of the result that are known before the runs.
    """

    marks: Mapping[str, str]
    size: int
    chunk: int
    whole: bool
    about: dict[str, Any]

    @property
    def mark(self) -> str:
        """Hash of everything that determines the chunks."""
        return _hash(*(self.marks[part] for part in PARTS), str(self.chunk))

    @property
    def firsts(self) -> range:
        """First members of all chunks."""
        return range(0, self.size, self.chunk)


def marks_of(program: Program, spec: RunSpec, batch: Batch, keep: Callable[..., Any] | None) -> dict[str, str]:
    """Return a hash of each of PARTS."""
    c, control = spec.settings, spec.settings.control
    steps = [control.method.name, control.fixed, control.bound, *control.tolerances]
    settings = [*steps, c.start, c.stop, c.interval, control.longest, control.at_steps]
    common = [_sorted(spec.tables), _sorted(spec.parameters), _sorted(spec.start)]
    return {
        "model": _hash(program.text, program.to_json()),
        "members": fingerprint([_sorted(values) for values in (batch.parameters, batch.start, batch.inputs)]),
        "arguments": fingerprint([*settings, *common, spec.momenta]),
        "keep": "" if keep is None else _hash(*_texts(keep)),
    }


def begun(folder: Path, manifest: Manifest) -> Manifest:
    """Begin a sweep in a folder, or continue the one there with its chunk size; return its manifest.

    Raises ArgumentError if the folder contains another sweep, and OSError if it cannot be read or written.
    """
    try:
        there = read_manifest(folder)
    except FileNotFoundError:
        write_archive(folder / FILE, vars(manifest), {})
        return manifest
    differences = [difference for part, difference in PARTS.items() if there.marks.get(part) != manifest.marks[part]]
    if differences:
        raise ArgumentError(
            f"folder {str(folder)!r} holds another sweep of {there.about['name']!r}, with {', '.join(differences)}: "
            "give another folder=, or delete that one"
        )
    return there


def read_manifest(folder: Path) -> Manifest:
    """Return the manifest in a folder. Raises FileNotFoundError without one, ModelError for an unreadable one."""
    about = read_about(folder / FILE)
    try:
        return Manifest(**about)
    except TypeError:
        raise ModelError(
            f"{folder / FILE} is of another version of mbs_fmu: give another folder, or delete it"
        ) from None


def _sorted(values: Mapping[str, Any]) -> list[Any]:
    """Return names and numbers in an order that does not depend on their containers."""
    numbers = {name: [np.asarray(x, dtype=float) for x in _parts(value)] for name, value in values.items()}
    return [[name, *numbers[name]] for name in sorted(numbers)]


def _parts(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


def _texts(keep: Callable[..., Any]) -> list[str]:
    """Return a function as texts: its source, and the values bound to it."""
    if isinstance(keep, partial):
        return [*_texts(keep.func), repr(keep.args), repr(keep.keywords)]
    try:
        bound = [repr(cell.cell_contents) for cell in getattr(keep, "__closure__", None) or ()]
        return [inspect.getsource(keep), repr(getattr(keep, "__defaults__", None)), *bound]
    except (OSError, TypeError):  # typed into a shell, or an object with __call__
        return [_pickled(keep)]


def _pickled(keep: Callable[..., Any]) -> str:
    code = getattr(keep, "__code__", None)
    try:
        return pickle.dumps(keep).hex() if code is None else f"{code.co_code.hex()} {code.co_consts} {code.co_names}"
    except Exception as error:
        raise ArgumentError(f"keep {keep!r} cannot be hashed ({error}): give a function") from None


def _hash(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode(errors="surrogatepass")).hexdigest()
