"""Results of sweeps: many runs, whose arrays stay on disk until they are used."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import ModelError
from ...messages.names import listed
from ..results.batches import ManyRuns, told
from ..results.frames import member_frame, member_set
from ..results.results import counted
from .chunks import ChunkFile, find_chunk
from .manifest import Manifest, read_manifest

if TYPE_CHECKING:
    from ...model.model import Model


class Swept:
    """The chunks of a sweep that are there.

    folder: where they lie. size: how many members the sweep has. members: the numbers of those that are there, all of
    them once the sweep has come to its end; all else counts by the place in this array. rows: of each, how many rows
    of its run are good. faults: what ended a run early. statistics, parameters, inputs: as those of a `BatchResult`.
    varied: by name the parameters, start values and constant inputs in which the members differ. model: as in `Result`,
    of a sweep that this process has made.
    """

    model: Model | None = None

    def __init__(self, folder: Path, manifest: Manifest, chunks: list[ChunkFile]):
        self.folder, self.size, self.chunks = folder, manifest.size, chunks
        self.members = _joined([np.arange(c.first, c.first + len(c)) for c in chunks]).astype(int)
        known = told({**manifest.about, **self._of_runs()})
        self.name: str = known["name"]
        self.time: np.ndarray = known["time"]
        self.units: dict[str, str | None] = known["units"]
        self.vectors: dict[str, list[str]] = known["vectors"]
        self.held: Collection[str] = known["held"]
        self.rows: np.ndarray = known["rows"]
        self.faults: dict[int, str] = known["faults"]
        self.statistics: dict[str, Any] = known["statistics"]
        here = self.members
        self.parameters = {name: x[here] if np.ndim(x) else x for name, x in known["parameters"].items()}
        self.inputs = {name: (t, x[here] if x.ndim > 1 else x) for name, (t, x) in known["inputs"].items()}
        self.varied: dict[str, np.ndarray] = {name: x[here] for name, x in known["varied"].items()}

    def _of_runs(self) -> dict[str, Any]:
        """How the runs went, of all chunks."""
        faults: dict[str, str] = {}
        for place, chunk in zip(np.cumsum([0, *map(len, self.chunks)]).tolist(), self.chunks, strict=False):
            faults |= {str(place + member): said for member, said in chunk.faults.items()}
        statistics: dict[str, Any] = {}
        for name, first in self.chunks[0].statistics.items() if self.chunks else ():
            parts = [chunk.statistics[name] for chunk in self.chunks]
            if isinstance(first, np.ndarray):
                statistics[name] = _joined(parts)
            else:
                statistics[name] = [x for part in parts for x in part] if isinstance(first, list) else first
        return {"rows": _joined([c.rows for c in self.chunks]), "faults": faults, "statistics": statistics}

    def array(self, name: str) -> np.ndarray:
        """An array of all members that are there, from disk."""
        return _joined([chunk.array(name) for chunk in self.chunks])

    def which(self, member: int) -> str:
        """A member by its number, and by what it was run with."""
        values = ", ".join(f"{name} = {x[member]:g}" for name, x in self.varied.items())
        return f"{self.members[member]} ({values})" if values else f"{self.members[member]}"

    def said(self, what: str) -> str:
        """This in a line."""
        runs = counted(self.size, "run") if len(self.rows) == self.size else f"{len(self.rows)} of {self.size} runs"
        early = f" ({len(self.faults)} ended early)" if self.faults else ""
        return f"sweep of {self.name!r} in {str(self.folder)!r}: {runs}{early}, {what}"


class SweepRuns(Swept, ManyRuns):
    """Whole runs, used as a `BatchResult` but for `data`; columns are read from disk when they are used."""

    def __init__(self, folder: Path, manifest: Manifest, chunks: list[ChunkFile]):
        super().__init__(folder, manifest, chunks)
        self.columns: list[str] = manifest.about["columns"]
        self._held: tuple[ChunkFile | None, np.ndarray] = None, np.zeros((0, 0, 0))  #: the chunk that was last asked

    def __repr__(self) -> str:
        return self.said(f"{counted(len(self.time), 'time')}, {counted(len(self.columns), 'column')}")

    def column(self, k: int) -> np.ndarray:
        if k > 0:
            return self.array(self.columns[k]).reshape(-1, len(self.time))
        return _times(self.time, self.rows)

    def table(self, member: int) -> np.ndarray:
        ends = np.cumsum([len(chunk) for chunk in self.chunks])
        place = int(np.searchsorted(ends, member, side="right"))
        chunk = self.chunks[place]
        if self._held[0] is not chunk:
            columns = [_times(self.time, chunk.rows), *(chunk.array(name) for name in self.columns[1:])]
            self._held = chunk, np.stack(columns, axis=-1)
        found: np.ndarray = self._held[1][member - ends[place] + len(chunk)]
        return found


class SweepResult(Swept, Mapping[str, np.ndarray]):
    """The arrays that `keep` returned, by name, with a row for each member; read from disk when they are used."""

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self:
            raise KeyError(f"no array {name!r} was kept; there are {listed(self)}")
        return self.array(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self.chunks[0].names if self.chunks else ())

    def __contains__(self, name: object) -> bool:
        return bool(self.chunks) and name in self.chunks[0].names

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __repr__(self) -> str:
        return self.said(", ".join(self) or "nothing kept")

    def to_pandas(self) -> Any:
        """A pandas DataFrame with a row for each member: what was varied, and each array of one number for each.

        Raises ModelError without pandas.
        """
        kept = {name: x for name, x in self.items() if x.ndim == 1}
        units = {name: self.units.get(name) for name in self.varied}
        return member_frame({**self.varied, **kept}, self.members, {"name": self.name, "units": units})

    def to_xarray(self) -> Any:
        """An xarray Dataset along "member"; what was varied are coordinates. Raises ModelError without xarray."""
        return member_set(self.name, dict(self), self.varied, self.members, self.units)


def read_sweep(folder: str | Path) -> SweepResult | SweepRuns:
    """Results of a sweep in a folder so far, also while it runs: a `SweepRuns`, or with `keep` a `SweepResult`.

    Raises ModelError where no sweep is, or what is there can't be read.
    """
    folder = Path(folder)
    try:
        manifest = read_manifest(folder)
    except FileNotFoundError:
        raise ModelError(f"no sweep is in folder {str(folder)!r}: give the folder= of one") from None
    found = [find_chunk(folder, manifest.mark, first) for first in manifest.firsts]
    chunks = [chunk for chunk in found if chunk is not None]
    return (SweepRuns if manifest.whole else SweepResult)(folder, manifest, chunks)


def _joined(parts: list[np.ndarray]) -> np.ndarray:
    return np.concatenate(parts) if parts else np.zeros(0)


def _times(time: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """The times of runs with so many good rows, NaN behind these."""
    return np.where(np.arange(len(time)) < rows[:, None], time, np.nan)
