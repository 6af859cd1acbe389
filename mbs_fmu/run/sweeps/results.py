"""Results of sweeps: many runs, whose arrays are read from disk when they are used."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...infrastructure.arguments import is_one_of
from ...infrastructure.errors import MissingError, ModelError
from ...infrastructure.messages.calls import add_clear_errors
from ...infrastructure.messages.failures import display
from ...infrastructure.messages.names import listed
from ..results.batches import ManyRuns, attributes_from
from ..results.frames import member_frame, member_set
from ..results.results import counted, place_of
from .chunks import ChunkFile, find_chunk
from .manifest import Manifest, read_manifest

if TYPE_CHECKING:
    from ...model.model import Model


class Swept:
    """The finished chunks of a sweep.

    folder: folder of the chunks.
    size: number of members of the sweep.
    members: numbers of the finished members, at the end of all. All other arrays have the order of this one.
    rows: number of valid rows of each run.
    faults: reasons why runs ended early.
    statistics, parameters, inputs: as in a `BatchResult`.
    varied: parameters, start values and constant inputs in which the members differ, by name.
    model: as in `Result`, for a sweep of this process.
    """

    model: Model | None = None

    def __init__(self, folder: Path, manifest: Manifest, chunks: list[ChunkFile]):
        self.folder, self.size, self.chunks = folder, manifest.size, chunks
        self.members = _joined([np.arange(c.first, c.first + len(c)) for c in chunks]).astype(int)
        attributes = attributes_from({**manifest.about, **self._of_runs()})
        self.name: str = attributes["name"]
        self.time: np.ndarray = attributes["time"]
        self.units: dict[str, str | None] = attributes["units"]
        self.vectors: dict[str, list[str]] = attributes["vectors"]
        self.held: Collection[str] = attributes["held"]
        self.rows: np.ndarray = attributes["rows"]
        self.faults: dict[int, str] = attributes["faults"]
        self.statistics: dict[str, Any] = attributes["statistics"]
        here = self.members
        self.parameters = {name: x[here] if np.ndim(x) else x for name, x in attributes["parameters"].items()}
        self.inputs = {name: (t, x[here] if x.ndim > 1 else x) for name, (t, x) in attributes["inputs"].items()}
        self.varied: dict[str, np.ndarray] = {name: x[here] for name, x in attributes["varied"].items()}

    def _of_runs(self) -> dict[str, Any]:
        """Return rows, faults and statistics of all chunks."""
        faults: dict[str, str] = {}
        for place, chunk in zip(np.cumsum([0, *map(len, self.chunks)]).tolist(), self.chunks, strict=False):
            faults |= {str(place + member): reason for member, reason in chunk.faults.items()}
        statistics: dict[str, Any] = {}
        for name, first in self.chunks[0].statistics.items() if self.chunks else ():
            parts = [chunk.statistics[name] for chunk in self.chunks]
            if isinstance(first, np.ndarray):
                statistics[name] = _joined(parts)
            else:
                statistics[name] = [x for part in parts for x in part] if isinstance(first, list) else first
        return {"rows": _joined([c.rows for c in self.chunks]), "faults": faults, "statistics": statistics}

    def array(self, name: str) -> np.ndarray:
        """Read an array of all finished members from disk. Raises MissingError for an unknown name."""
        names = self.chunks[0].names if self.chunks else []
        if not is_one_of(name, names):
            raise MissingError(f"no array {display(name)} was kept; there are {listed(names)}")
        return _joined([chunk.array(name) for chunk in self.chunks])

    def which(self, member: int) -> str:
        """Return a member's number and the values that it was run with, as text."""
        member = place_of(member, len(self.members), "finished run", self)
        values = ", ".join(f"{name} = {x[member]:g}" for name, x in self.varied.items())
        return f"{self.members[member]} ({values})" if values else f"{self.members[member]}"

    def described(self, what: str) -> str:
        """Return a one-line description of the sweep, which ends with `what`."""
        runs = counted(self.size, "run") if len(self.rows) == self.size else f"{len(self.rows)} of {self.size} runs"
        early = f" ({len(self.faults)} ended early)" if self.faults else ""
        return f"sweep of {self.name!r} in {str(self.folder)!r}: {runs}{early}, {what}"


@add_clear_errors
class SweepRuns(Swept, ManyRuns):
    """Complete runs, with the interface of a `BatchResult` except `data`; columns are read when they are used."""

    def __init__(self, folder: Path, manifest: Manifest, chunks: list[ChunkFile]):
        super().__init__(folder, manifest, chunks)
        self.columns: list[str] = manifest.about["columns"]
        self._held: tuple[ChunkFile | None, np.ndarray] = None, np.zeros((0, 0, 0))  #: the chunk that was read last

    def __repr__(self) -> str:
        return self.described(f"{counted(len(self.time), 'time')}, {counted(len(self.columns), 'column')}")

    def column(self, k: int) -> np.ndarray:
        if (k := place_of(k, len(self.columns), "column", self)) > 0:
            return self.array(self.columns[k]).reshape(-1, len(self.time))
        return _times(self.time, self.rows)

    def table(self, member: int) -> np.ndarray:
        member = place_of(member, len(self), "run", self)
        ends = np.cumsum([len(chunk) for chunk in self.chunks])
        place = int(np.searchsorted(ends, member, side="right"))
        chunk = self.chunks[place]
        if self._held[0] is not chunk:
            columns = [_times(self.time, chunk.rows), *(chunk.array(name) for name in self.columns[1:])]
            self._held = chunk, np.stack(columns, axis=-1)
        member_columns: np.ndarray = self._held[1][member - ends[place] + len(chunk)]
        return member_columns


@add_clear_errors
class SweepResult(Swept, Mapping[str, np.ndarray]):
    """Arrays that `keep` returned, by name, with a row for each member; read from disk when they are used."""

    def __getitem__(self, name: str) -> np.ndarray:
        return self.array(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self.chunks[0].names if self.chunks else ())

    def __contains__(self, name: object) -> bool:
        return bool(self.chunks) and name in self.chunks[0].names

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __repr__(self) -> str:
        return self.described(", ".join(self) or "nothing kept")

    def to_pandas(self) -> Any:
        """Return a pandas DataFrame with a row for each member: varied numbers, and arrays of one number per member.

        Raises ModelError without pandas.
        """
        kept = {name: x for name, x in self.items() if x.ndim == 1}
        units = {name: self.units.get(name) for name in self.varied}
        return member_frame({**self.varied, **kept}, self.members, {"name": self.name, "units": units})

    def to_xarray(self) -> Any:
        """Return an xarray Dataset along "member", varied numbers as coordinates. Raises ModelError without xarray."""
        return member_set(self.name, dict(self), self.varied, self.members, self.units)


def read_sweep(folder: str | Path) -> SweepResult | SweepRuns:
    """Read the finished results of a sweep, also while it runs: a `SweepRuns`, or with `keep` a `SweepResult`.

    Raises ModelError if the folder has no sweep, or an unreadable one.
    """
    folder = Path(folder)
    try:
        manifest = read_manifest(folder)
    except FileNotFoundError:
        raise ModelError(f"no sweep is in folder {str(folder)!r}: give the folder= of one") from None
    files = [find_chunk(folder, manifest.mark, first) for first in manifest.firsts]
    chunks = [chunk for chunk in files if chunk is not None]
    return (SweepRuns if manifest.whole else SweepResult)(folder, manifest, chunks)


def _joined(parts: list[np.ndarray]) -> np.ndarray:
    return np.concatenate(parts) if parts else np.zeros(0)


def _times(time: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return the times of runs with `rows` valid rows each, NaN after these: (members, times)."""
    return np.where(np.arange(len(time)) < rows[:, None], time, np.nan)
