"""Results of a run: named columns over time."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ...infrastructure.arguments import ParameterValues, is_whole, spread
from ...infrastructure.errors import ArgumentError, MissingError, ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...infrastructure.messages.calls import add_clear_errors
from ...infrastructure.messages.failures import display
from ...infrastructure.messages.names import listed
from ...view.plots import written
from . import files as result_files
from .comparing import Comparison, columns_of, compared
from .frames import data_frame, data_set
from .log import Log
from .named import Named
from .plotting import plot

if TYPE_CHECKING:
    from ...model.items import Body
    from ...model.model import Model
    from ...view.animation import Plots, Recorded
    from ...view.page import Page
    from ...view.traces import Traces


@add_clear_errors
@dataclass(repr=False)
class Result(Named):
    """Columns by name. Vector outputs are also (time, n) arrays under their own name; inputs are given at the rows.

    data: (times, columns) array whose first column is time in s.
    units: unit of each column, or None.
    statistics: method, steps, rejected steps, evaluations.
    parameters: parameters of the run, by name.
    inputs: inputs of the run, by name: times (s) and values, to be interpolated. Constants have one of each, functions
    of time have those at the rows.
    held: names of columns that change in steps only.
    model: a copy of the model, for pictures; None if unknown.
    sensitivities: derivatives of the data, an array of its shape for each parameter, start value or input; see
    `sensitivity`.
    entries: what happened at instants, from which `log`, `events` and `switches` are made.

    Iteration yields `keys()`; `len` is the number of times.
    """

    name: str
    columns: list[str]
    data: np.ndarray
    units: dict[str, str | None] = field(default_factory=dict)
    vectors: dict[str, list[str]] = field(default_factory=dict)
    statistics: dict[str, Any] = field(default_factory=dict)
    parameters: dict[str, float] = field(default_factory=dict)
    inputs: dict[str, tuple[np.ndarray, np.ndarray]] = field(default_factory=dict)
    held: Collection[str] = frozenset()
    model: Model | None = None
    sensitivities: dict[str, np.ndarray] = field(default_factory=dict)
    entries: Log = field(default_factory=Log)

    def __repr__(self) -> str:
        notes = self._notes()
        return f"result of {self.name!r}: {extent(self.time, self.columns)}" + (
            f', {counted(len(notes), "note")} in statistics["notes"]' if notes else ""
        )

    def _notes(self) -> list[str]:
        return list(self.statistics.get("notes", ()))

    def _repr_html_(self) -> str:
        """Return HTML for notebooks: the page of the motion if the model is known, a table of columns, and notes."""
        from ...view.summary import html_notes, html_table

        return self._page_html() + html_table(repr(self), self._by_name(), self.units) + html_notes(self._notes())

    def _page_html(self) -> str:
        """Return the page, or the reason why there is none."""
        if self.model is None or not len(self) or not self.model.bodies:
            return ""
        try:
            return self._page()._repr_html_()
        except ModelError as error:
            from html import escape

            return f"<p>{escape(str(error))}</p>"

    @property
    def time(self) -> np.ndarray:  # type: ignore[override]
        """Output times, s."""
        return self.data[:, 0]

    @property
    def log(self) -> np.ndarray:
        """An entry for each event, stop, reset, mode change, impact and sample, in order: a structured array.

        "time" (s), the round "n" at this time (0: reached in motion; 1, 2, ...: changes), "kind" ("event", "stop",
        "reset", "mode" or "sample"), "name", "before" and "after" (modes; values of a sample; else the sides -1, 0, 1
        of the expression), and the energy "lost" (J) by a mode change, impact or reset: that before it less that after
        it.
        """
        return self.entries.table

    @property
    def events(self) -> dict[str, np.ndarray]:
        """Times of each of the model's events, s. Resets and stops are listed if they took effect."""
        return self.entries.events

    @property
    def switches(self) -> np.ndarray:
        """The entries of kind "mode": "time" (s), "name", modes "before" and "after", and the energy "lost" (J).

        For several changes in one round, the sum of the energies is that before them less that after them.
        """
        return self.entries.switches

    def __getitem__(self, name: str) -> np.ndarray:
        return self.named(name)

    def column(self, k: int) -> np.ndarray:
        return self.data[:, place_of(k, len(self.columns), "column", self)]

    def __post_init__(self) -> None:
        if self.data.ndim != 2 or self.data.shape[1] != len(self.columns):
            have = f"{self.data.shape} for {counted(len(self.columns), 'column')}"
            raise ArgumentError(
                f"data of result {display(self.name)} has the shape {have}: give one of (times, columns)"
            )

    def __len__(self) -> int:
        return len(self.data)

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def sensitivity(self, name: str, by: str) -> np.ndarray:
        """Return the derivative of a column or vector with respect to one of the `sensitivities` of `simulate`.

        Shape (times,), or (times, n) for a vector. Raises KeyError for names that the result does not have.
        """
        if by not in self.sensitivities:
            have = listed(self.sensitivities)
            raise MissingError(
                f"no sensitivities to {display(by)}; there are those to {have}: name it in simulate(sensitivities=)"
            )
        for part in self.parts(name):
            if part not in self.columns:
                raise MissingError(f"no result {display(name)} has sensitivities; there are {listed(self.columns)}")
        derivatives = self.sensitivities[by][:, [self.columns.index(part) for part in self.parts(name)]]
        return derivatives if name in self.vectors else derivatives[:, 0]

    def _by_name(self) -> dict[str, np.ndarray]:
        return {name: self[name] for name in self.keys()}

    # -- in other forms ---------------------------------------------------------------------------------
    def to_pandas(self) -> Any:
        """Return a pandas DataFrame of all columns and inputs, with time (s) as its index.

        Its attrs are "name", "units" by column and "parameters". Raises ModelError if pandas is not installed.
        """
        columns = {name: values for name, values in self._by_name().items() if name != "time"}
        return data_frame(columns, self.time, attributes(self, columns, self.parameters))

    def to_xarray(self) -> Any:
        """Return an xarray Dataset along "time"; vectors along "NAME_component" too, parameters as coordinates.

        Raises ModelError if xarray is not installed.
        """
        columns = {name: values for name, values in self._by_name().items() if name != "time"}
        return data_set(self.name, columns, self.vectors, self.time, self.units, self.parameters)

    # -- files ------------------------------------------------------------------------------------------
    def _write(self, path: str | Path, form: str) -> Path:
        if "time" not in self.columns:
            raise ModelError(f"{self!r} has no column 'time', which files need: name one so")
        columns = {name: self[name] for name in self.columns}
        for by, tangents in self.sensitivities.items():
            columns |= {_tangent(name, by): x for name, x in zip(self.columns[1:], tangents.T[1:], strict=True)}
        return result_files.write(path, form, columns, self._about())

    def _about(self) -> dict[str, Any]:
        """Return the attributes without the columns, in types of JSON."""
        return {
            "name": self.name,
            "units": self.units,
            "vectors": self.vectors,
            "statistics": self.statistics,
            "events": {name: times.tolist() for name, times in self.events.items()},
            "log": [list(row) for row in self.log.tolist()],
            "parameters": self.parameters,
            "inputs": {name: [times.tolist(), values.tolist()] for name, (times, values) in self.inputs.items()},
            "held": sorted(self.held),
            "sensitivities": list(self.sensitivities),
        }

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """Read a result from a file: csv, npz, parquet, hdf5 or h5, by its suffix.

        A csv file, or one from another program, has columns only; a[1], a[2], ... become the vector a. Raises
        ModelError for a file without such columns or if a package is missing, OSError.
        """
        columns, about = result_files.one_run(path)
        names, data = list(columns), np.column_stack(list(columns.values()))
        if not about:
            return cls(Path(path).stem, names, data, {"time": "s"}, vectors_of(names))
        names, data, about["sensitivities"] = _parted(names, data, about.get("sensitivities", []))
        about["entries"] = Log.of_rows(about.pop("log"), list(about.pop("events")))
        about["inputs"] = {name: (np.array(t), np.array(x)) for name, (t, x) in about["inputs"].items()}
        return cls(columns=names, data=data, **{**about, "held": frozenset(about["held"])})

    def compare(self, other: Any, names: Collection[str] | None = None) -> Comparison:
        """Compare this result with another one: the worst deviation of each column, with its time.

        other: a Result, a file of one, an array from fmpy, a DataFrame, or a dictionary of arrays, with times as
        "time".
        names: columns to compare; by default all common ones.

        Both results are compared at the times of the one that has fewer; the other one is interpolated linearly, except
        that columns that change in steps keep their last value. A deviation is relative to the range of the other's
        column, or to its size if it is nearly constant. Raises ArgumentError if there is nothing to compare.
        """
        if isinstance(other, str | Path):
            other = result_files.one_run(other)[0]
        held = set(self.held) | set(getattr(other, "held", ()))
        return compared(columns_of(self), other, names, held, self.units)

    # -- pictures ---------------------------------------------------------------------------------------
    def plot(
        self, *names: str | Sequence[str], x: str = "time", y: str | Sequence[str] | None = None,
        path: str | Path | None = None, ax: Any = None,
    ) -> Any:  # fmt: skip
        """Plot columns (all outputs if none is named) below each other, and return the matplotlib figure.

        names: columns; those of a list share one pair of axes, with a legend.
        x: the column on the horizontal axis, time by default. Over another column the plot is a path or a phase plot,
        which begins at a dot; lengths (m) over a length have the same scale on both axes.
        y: a column, or a list of them, for one pair of axes, in place of names.
        path: file to write, by its suffix as matplotlib does (.png, .svg, .pdf).
        ax: axes to draw into, one for all names or one for each.

        Columns that change in steps are drawn in steps over time. Raises ModelError if matplotlib is not installed or
        there is nothing to plot, ArgumentError for a vector as x and for names beside y, KeyError for an unknown name.
        """
        return written(plot(self, names, x, y, ax), path)

    def animate(
        self,
        path: str | Path | None = None,
        *,
        traces: Traces = (),
        plots: Plots = None,
        follow: str | Body | None = None,
        eye: Any = None,
        force_scale: float | None = None,
    ) -> Path | Page:
        """Show the motion in 3D, on a self-contained page for any browser that needs no network.

        path: file to write; without one, the method returns the page, which notebooks show.
        traces: pairs of a body and a point (m, body axes) whose path is drawn.
        plots: columns to plot next to the motion, those of a list in one plot; by default all outputs, up to six.
        follow: a body that the camera follows.
        eye: direction from which the camera looks at first, in world axes.
        force_scale: length of the arrows of contact forces, m/N; 0 for no arrows; by default usual forces are a tenth
        of the scene long.

        Raises ModelError for unknown names, for unreadable meshes, and if the model is unknown (for results from files
        use `mbs.show(model, result)`), OSError.
        """
        page = self._page(traces, plots, follow, eye, force_scale)
        return page if path is None else page.write(path)

    def to_gltf(self, path: str | Path) -> Path:
        """Write the motion as binary glTF 2.0 (.glb), for 3D programs, presentations and web viewers.

        Bodies are animated nodes with their names; rods and springs stretch, elastic bodies are meshes with a morph
        target for each mode, or chains of straight pieces. The file has 60 rows for each second of playing time, in
        seconds of simulated time, and y upwards.

        Returns the path. Raises ModelError for a path that does not end in .glb, for unreadable meshes, and if the
        model is unknown (results from files); OSError.
        """
        from ...infrastructure.disk.files import file_path, replacing
        from ...view.animation import animation_data
        from ...view.gltf import glb

        if file_path(path).suffix.lower() != ".glb":
            raise ArgumentError(f"path is {display(str(path))}: give a name that ends in .glb")
        content = glb(self.name, animation_data(self.recorded(self._known_model()), plots=()))
        with replacing(path) as beside:
            beside.write_bytes(content)
        return Path(path)

    def _page(self, *arguments: Any) -> Page:
        from ...view.animation import animation

        return animation(self.recorded(self._known_model()), *arguments)

    def _known_model(self) -> Model:
        if self.model is None:
            raise ModelError(f"result of {self.name!r} does not know its model: use mbs.show(model, result)")
        return self.model

    def recorded(self, model: Model, parameters: ParameterValues | None = None) -> Recorded:
        """Return the data of a page: the model and the rows, with these parameters or the run's. Raises ModelError."""
        from ...view.animation import Recorded
        from ...view.poses import Rows

        columns = dict(zip(self.columns, self.data.T, strict=True))
        values = {name: p.value for name, p in model.parameters.items()} | self.parameters
        values |= spread(model.elements, parameters or {})
        return Recorded(model, Rows(columns, values), self.units, self.vectors)


def attributes(result: Named, names: Collection[str], parameters: ParameterValues) -> dict[str, Any]:
    """Return attributes of a DataFrame: name, units and parameters."""
    units = {name: result.units.get(name) for name in ("time", *names)}
    return {"name": result.name, "units": units, "parameters": dict(parameters)}


def vectors_of(names: list[str]) -> dict[str, list[str]]:
    """Return the vectors that consist of names a[1], a[2], ..., with their components."""
    vectors: dict[str, list[str]] = {}
    for name in names:
        base, bracket, _ = name.partition("[")
        if bracket and name == f"{base}[{len(vectors.get(base, [])) + 1}]":
            vectors.setdefault(base, []).append(name)
    return {base: parts for base, parts in vectors.items() if base not in names}


def _tangent(name: str, by: str) -> str:
    """Return the name of a sensitivity's column in files."""
    return f"d({name})/d({by})"


def _parted(names: list[str], data: np.ndarray, by: list[str]) -> tuple[list[str], np.ndarray, dict[str, np.ndarray]]:
    """Split the columns of a file from the sensitivities after them: for each direction all columns but time."""
    width = (len(names) + len(by)) // (1 + len(by))
    blocks = np.split(data[:, width:], len(by), axis=1) if by else []
    still = np.zeros((len(data), 1))
    return names[:width], data[:, :width], {x: np.hstack([still, block]) for x, block in zip(by, blocks, strict=True)}


def place_of(number: int, count: int, what: str, owner: object) -> int:
    """Return a place from 0; a negative number counts from the end. Raises MissingError for any other number."""
    if is_whole(number) and -count <= number < count:
        return int(number) % count
    raise MissingError(f"no {what} {display(number)}: give a whole number from 0 to {count - 1}, in {owner!r}")


def extent(time: np.ndarray, columns: list[str]) -> str:
    """Return the size of a result in words."""
    span = f" from {time[0]:g} to {time[-1]:g} s" if len(time) else ""
    return f"{counted(len(time), 'time')}{span}, {counted(len(columns), 'column')}"


def counted(count: int, thing: str) -> str:
    return f"{count} {thing}{'' if count == 1 else 's'}"
