"""Chunks of a sweep: a worker's result for some members, and its file."""

from __future__ import annotations

import contextlib
import logging
import multiprocessing
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ...infrastructure.errors import ArgumentError, ModelError, one_line
from ...infrastructure.lazy_dataclasses import dataclass
from ...infrastructure.messages.failures import display
from ...infrastructure.progress import watched
from ...record.program import FORMAT, Program
from ..batches.running import run_batch
from ..errors import Interrupted
from ..results.batches import BatchResult
from ..runtime import Runtime
from ..spec import RunSpec, recorded
from .archive import read_about, read_array, write_archive

log = logging.getLogger("mbs_fmu")

Arrays = Mapping[str, np.ndarray]
Keep = Callable[[BatchResult], Mapping[str, Any]]


@dataclass(frozen=True)
class Made:
    """A worker's result for its members: arrays with a row per member, and attributes of the runs."""

    arrays: Arrays
    about: dict[str, Any]


def run_chunk(program: Program, spec: RunSpec, keep: Keep | None) -> Made:
    """Run some members, and return the arrays that `keep` computes from their result, or all columns.

    Arguments and result are data, so that any process with this package can run it. Raises ModelError for a
    program of another version, ArgumentError for unusable arrays from `keep`, and the exceptions of `keep`.
    """
    if program.format != FORMAT:
        raise ModelError(
            f"the sweep's program has format {program.format}, its worker's mbs_fmu reads {FORMAT}: install the same "
            "mbs_fmu where the workers are"
        )
    assert spec.batch is not None
    runtime, batch = Runtime(program), spec.batch
    with _deaf_when_idle(), watched(spec.progress):
        result = recorded(lambda R: run_batch(runtime, R, batch, spec.tables, spec.settings), runtime, spec)
        assert isinstance(result, BatchResult)
        columns = result.columns[1:]  # all members have the same times
        arrays = {name: result.named(name) for name in columns} if keep is None else _kept(keep(result), len(result))
        about = {name: result.about()[name] for name in ("rows", "faults", "statistics")}
        return Made(arrays, {**about, "names": list(arrays)})


@contextlib.contextmanager
def _deaf_when_idle() -> Iterator[None]:
    """In a worker process, let Ctrl-C end the computation within this block, but never the process.

    A terminal sends Ctrl-C to all processes. An executor that kills a process while the two exchange data may wait
    forever (python/cpython#94777 and others). So the worker ignores Ctrl-C outside of this block from now on.
    """
    if multiprocessing.parent_process() is None or threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    except KeyboardInterrupt:
        raise Interrupted("a chunk was interrupted") from None  # without its rows, which nothing would use
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def _kept(kept: Any, members: int) -> dict[str, np.ndarray]:
    """Return copies of the arrays of `keep`. Raises ArgumentError unless they have a row for each member."""
    if not isinstance(kept, Mapping) or not all(isinstance(name, str) for name in kept):
        raise ArgumentError(f"keep returns {display(kept)}: return a dictionary of arrays by name")
    arrays = {name: np.array(value) for name, value in kept.items()}
    for name, array in arrays.items():
        if array.ndim == 0 or len(array) != members or array.dtype.hasobject:
            raise ArgumentError(
                f"keep returns {name!r} of shape {array.shape} and type {array.dtype} for {members} members: return "
                "numbers, with a row for each member"
            )
    return arrays


class ChunkFile:
    """The file of a chunk; its arrays are read when they are used.

    Raises FileNotFoundError, and ModelError for a file that is damaged or of another sweep.
    """

    def __init__(self, path: Path, mark: str, first: int):
        self.path, self.first, about = path, first, read_about(path)
        if (about.get("mark"), about.get("first")) != (mark, first):
            raise ModelError("it is of another sweep")
        self.names: list[str] = about["names"]
        self.rows: np.ndarray = about["rows"]
        self.faults = {int(member): str(reason) for member, reason in about["faults"].items()}
        self.statistics: dict[str, Any] = about["statistics"]

    def __len__(self) -> int:
        return len(self.rows)

    def array(self, name: str) -> np.ndarray:
        return read_array(self.path, name)


def chunk_path(folder: Path, first: int) -> Path:
    """Return the file of the chunk that begins with this member."""
    return folder / f"{first:09d}.npz"


def write_chunk(folder: Path, mark: str, first: int, made: Made) -> None:
    """Write a chunk of the sweep with this mark. Raises OSError."""
    write_archive(chunk_path(folder, first), {**made.about, "mark": mark, "first": first}, made.arrays)


def find_chunk(folder: Path, mark: str, first: int) -> ChunkFile | None:
    """Return the chunk that begins with this member, if there is a usable one."""
    try:
        return ChunkFile(chunk_path(folder, first), mark, first)
    except FileNotFoundError:
        return None
    except ModelError as error:
        why = one_line(error.__cause__) if error.__cause__ else error
        log.warning("%s can't be used (%s): the sweep makes it anew", chunk_path(folder, first), why)
        return None
