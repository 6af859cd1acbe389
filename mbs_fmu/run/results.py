"""Results of a run: named columns over time."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from ..disk.files import replacing
from ..errors import ArgumentError, ModelError

if TYPE_CHECKING:
    from ..model.model import Model
    from ..model.parts import Body
    from ..view.animation import Plots, Recorded, Traces
    from ..view.page import Page

SWITCHES = np.dtype([("time", float), ("name", object), ("before", float), ("after", float), ("lost", float)])


@dataclass(repr=False)
class Result:
    """Columns by name; vector outputs also as (time, n) arrays under their own name.

    data: (times, columns) array whose first column is time in s. units: SI unit of each column, or None.
    statistics: method, steps, rejected steps, evaluations. events: times of each of the model's events, s. switches: a
    row for each change of a mode, and for each impact: "time" (s), "name", modes "before" and "after", and the energy
    "lost" (J) there (of several at one instant the sum is what counts). parameters: of the run, by name. model: a copy
    of the model that was run, for pictures; None where it is not known.
    """

    name: str
    columns: list[str]
    data: np.ndarray
    units: dict[str, str | None] = field(default_factory=dict)
    vectors: dict[str, list[str]] = field(default_factory=dict)
    statistics: dict[str, Any] = field(default_factory=dict)
    events: dict[str, np.ndarray] = field(default_factory=dict)
    switches: np.ndarray = field(default_factory=lambda: np.zeros(0, SWITCHES))
    parameters: dict[str, float] = field(default_factory=dict)
    model: Model | None = None

    def __repr__(self) -> str:
        return f"result of {self.name!r}: {_extent(self.time, self.columns)}"

    @property
    def time(self) -> np.ndarray:
        """Output times, s."""
        return self.data[:, 0]

    def __getitem__(self, name: str) -> np.ndarray:
        if name in self.vectors:
            return np.column_stack([self[component] for component in self.vectors[name]])
        try:
            return self.data[:, self.columns.index(name)]
        except ValueError:
            raise KeyError(f"no result {name!r}; there are {', '.join(self.columns)}") from None

    def __contains__(self, name: object) -> bool:
        return name in self.columns or name in self.vectors

    def __len__(self) -> int:
        return len(self.data)

    def to_csv(self, path: str | Path) -> Path:
        """Write all columns with full precision, in the form that fmpy writes and reads.

        A file that is there is replaced once all is written. Raises OSError.
        """
        header = ",".join(f'"{name}"' for name in self.columns)
        with replacing(path) as beside:
            np.savetxt(beside, self.data, fmt="%.17g", delimiter=",", header=header, comments="")
        return Path(path)

    def plot(self, *names: str, path: str | Path | None = None) -> Any:
        """Plot columns (all outputs if none is named) below each other; returns the matplotlib figure.

        Raises ModelError where matplotlib is not installed or there is nothing to plot, KeyError for an unknown name.
        """
        names = names or tuple(c for c in self.columns[1:] if "." not in c) or tuple(self.columns[1:])
        if not names:
            raise ModelError(f"result of {self.name!r} has no columns but time: give the model outputs")
        figure = new_figure(width=8, height=1.2 + 1.6 * len(names))
        axes = figure.subplots(len(names), 1, sharex=True, squeeze=False)
        for name, axis in zip(names, axes[:, 0], strict=True):
            axis.plot(self.time, self[name])
            unit = self.units.get(name) or self.units.get(self.vectors.get(name, [name])[0])
            axis.set_ylabel(f"{name}\n({unit})" if unit else name)
            axis.grid(alpha=0.3)
        axes[-1, 0].set_xlabel("time (s)")
        figure.suptitle(self.name)
        if path is not None:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            figure.savefig(path, dpi=120)
        return figure

    def animate(
        self,
        path: str | Path | None = None,
        *,
        traces: Traces = (),
        plots: Plots = None,
        follow: str | Body | None = None,
        eye: Any = None,
    ) -> Path | Page:
        """A page that shows the motion in 3D, in one file that any browser opens and that fetches nothing.

        path: where to write it; without one the page itself is returned, which notebooks show. traces: pairs of a body
        and a point (m, body axes) whose way is drawn. plots: columns to be plotted beside, in one plot those of a list;
        all outputs, up to six, if it is left out. follow: a body that the camera goes along with. eye: the direction
        from which it is seen at first, in world axes.

        Raises ModelError for what is not there, for meshes that can't be read, and where the model is not known
        (results from files: `mbs.show(model, result)`), OSError.
        """
        if self.model is None:
            raise ModelError(f"result of {self.name!r} does not know its model: use mbs.show(model, result)")
        from ..view.animation import animation

        page = animation(self.recorded(self.model), traces, plots, follow, eye)
        return page if path is None else page.write(path)

    def recorded(self, model: Model, parameters: Mapping[str, float] | None = None) -> Recorded:
        """What pages need: the model, and the rows with the run's parameters or these. Raises ModelError."""
        from ..view.animation import Recorded
        from ..view.poses import Rows

        columns = dict(zip(self.columns, self.data.T, strict=True))
        values = {name: p.value for name, p in model.parameters.items()} | self.parameters | dict(parameters or {})
        return Recorded(model, Rows(columns, values), self.units, self.vectors)


@dataclass(repr=False)
class BatchResult:
    """Results of many runs of one model, on the same times.

    data: (members, times, columns) array, the columns as in `Result`. time: s. rows: of each member, how many of its
    rows are good; those behind are NaN. faults: what ended a run early, by the member's number. statistics: method;
    lanes, how many members were computed at once on one core (1: each for itself), and threads; and by member, as
    arrays, steps, rejected steps and evaluations. parameters: of the runs, arrays where members differ. model: as in
    `Result`.
    """

    name: str
    columns: list[str]
    data: np.ndarray
    time: np.ndarray
    rows: np.ndarray
    faults: dict[int, str] = field(default_factory=dict)
    units: dict[str, str | None] = field(default_factory=dict)
    vectors: dict[str, list[str]] = field(default_factory=dict)
    statistics: dict[str, Any] = field(default_factory=dict)
    parameters: dict[str, Any] = field(default_factory=dict)
    model: Model | None = None

    def __repr__(self) -> str:
        runs = _counted(len(self), "run") + (f" ({len(self.faults)} ended early)" if self.faults else "")
        return f"results of {self.name!r}: {runs}, {_extent(self.time, self.columns)}"

    @overload
    def __getitem__(self, which: str) -> np.ndarray: ...

    @overload
    def __getitem__(self, which: int) -> Result: ...

    def __getitem__(self, which: str | int) -> np.ndarray | Result:
        """A column by name, (members, times) or (members, times, n) for a vector; a member's `Result` by its number."""
        if isinstance(which, str):
            if which in self.vectors:
                return np.stack([self[component] for component in self.vectors[which]], axis=-1)
            try:
                return self.data[:, :, self.columns.index(which)]
            except ValueError:
                raise KeyError(f"no result {which!r}; there are {', '.join(self.columns)}") from None
        member = range(len(self))[which]
        statistics = dict(self.statistics)
        for name, value in statistics.items():
            if isinstance(value, np.ndarray | list):
                statistics[name] = value[member].item() if isinstance(value, np.ndarray) else value[member]
        data = self.data[member, : self.rows[member]]
        parameters = {name: float(np.broadcast_to(x, len(self))[member]) for name, x in self.parameters.items()}
        known = {"parameters": parameters, "model": self.model}
        return Result(self.name, self.columns, data, self.units, self.vectors, statistics, **known)  # type: ignore[arg-type]

    def __contains__(self, name: object) -> bool:
        return name in self.columns or name in self.vectors

    def __len__(self) -> int:
        return len(self.data)

    def __iter__(self) -> Iterator[Result]:
        return (self[member] for member in range(len(self)))


def _extent(time: np.ndarray, columns: list[str]) -> str:
    """How much a result holds, in words."""
    span = f" from {time[0]:g} to {time[-1]:g} s" if len(time) else ""
    return f"{_counted(len(time), 'time')}{span}, {_counted(len(columns), 'column')}"


def _counted(count: int, thing: str) -> str:
    return f"{count} {thing}{'' if count == 1 else 's'}"


def new_figure(width: float, height: float) -> Any:
    """A matplotlib figure of its own, whatever backend is in use; ModelError without matplotlib."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ModelError("pictures need matplotlib: pip install 'mbs-fmu[plot]'") from None
    return Figure(figsize=(width, height), layout="constrained")


def read_table(path: str | Path, column: str) -> tuple[np.ndarray, np.ndarray]:
    """Times and values of an input from a csv file, with names in its first line or without.

    Times are the column "time", or the first one; values the column of the name asked for, or the only other one.
    Raises ArgumentError where it is not clear which that is, or what is there are no numbers.
    """
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            rows = [row for row in csv.reader(file, skipinitialspace=True) if row]
        names = [] if not rows or _are_numbers(rows[0]) else [name.strip() for name in rows.pop(0)]
        data = [[float(x) for x in row] for row in rows]
    except (ValueError, csv.Error) as error:
        raise ArgumentError(f"{path} is no table of numbers between commas ({error})") from None
    width = len(data[0]) if data else 0
    if width < 2 or any(len(row) != width for row in [*data, names or data[0]]):
        raise ArgumentError(f"{path}: give columns of times and values, all of one length, with or without names")
    times = names.index("time") if "time" in names else 0
    others = [k for k in range(width) if k != times]
    if column not in names and len(others) > 1:
        have = ", ".join(names) or "none"
        raise ArgumentError(
            f"{path} has several columns: name one of them {column!r} in the first line (names: {have})"
        )
    columns = np.array(data).T
    return columns[times], columns[names.index(column) if column in names else others[0]]


def _are_numbers(cells: list[str]) -> bool:
    try:
        return bool([float(cell) for cell in cells])
    except ValueError:
        return False


def read_csv(path: str | Path) -> Mapping[str, np.ndarray]:
    """Columns of a csv file as `Result.to_csv` writes it; ModelError where it is none.

    There must be a column "time" that increases, with two rows at least.
    """
    try:
        with open(path, encoding="utf-8") as file:
            names, *rows = list(csv.reader(file))
        data = np.array([[float(x) for x in row] for row in rows if row])
        columns = dict(zip(names, data.T, strict=True))
        times = columns["time"]
    except (ValueError, KeyError, csv.Error, UnicodeDecodeError) as error:
        raise ModelError(f"{path} is no table of results ({type(error).__name__}: {error}): export it again") from None
    if len(times) < 2 or not np.all(np.diff(times) > 0):
        raise ModelError(f"{path}: the column 'time' must increase over two rows at least: export it again")
    return columns
