"""A linear model: matrices with names, eigenmodes, and conversions for other tools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...infrastructure.disk.files import file_path, replacing
from ...infrastructure.errors import ArgumentError, ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...infrastructure.messages.calls import add_clear_errors
from ...infrastructure.messages.extras import install
from ...infrastructure.messages.failures import display
from ...infrastructure.messages.names import listed
from ...run.extras import extra

if TYPE_CHECKING:
    from ...model.items import Body
    from ...model.model import Model
    from ...view.animation import Plots
    from ...view.page import Page
    from ...view.traces import Traces
    from .bode import FrequencyUnit, Response

ROUNDED = 1e-9  #: imaginary parts below this share of the fastest eigenvalue are rounding
SHOWN = 36  #: largest number of entries of a matrix that is shown in full
DAMPING = np.dtype([("eigenvalue", complex), ("frequency", float), ("damping", float)])


@add_clear_errors
class LinearModes(NamedTuple):
    """Eigenvalues (1/s), slowest first, and eigenvectors of the states as columns of norm one."""

    values: np.ndarray
    vectors: np.ndarray


@add_clear_errors
@dataclass(frozen=True, repr=False)
class LinearModel:
    """x' = A x + B u, y = C x + D u for small deviations x, u, y of states, inputs and outputs about a point.

    states: names of (xi, w, z): positions, velocities, signal states (docs/linear.md). rates: rates of the states at
    the point; those of positions are velocities. values: all coordinates, joint velocities, signals, inputs and outputs
    at the point, by name. residual: largest rate of velocities and signal states at the point (m/s², rad/s², 1/s); zero
    in a steady motion. coordinates, shapes: names of all coordinates, and their derivatives with respect to the states,
    with a row for each coordinate. frozen: notes on quantities that the linear model treats as constant. parameters:
    the given parameters. time: s. model: a copy of the model, for pictures. units: units of inputs and outputs, by
    name, if known. unsteady: names of the matrices that the motion through the point changes, such as ["A", "C"].
    """

    name: str
    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    states: list[str]
    inputs: list[str]
    outputs: list[str]
    rates: np.ndarray
    values: dict[str, float]
    residual: float
    coordinates: list[str]
    shapes: np.ndarray
    frozen: list[str]
    parameters: Mapping[str, float]
    time: float
    model: Model | None = None
    units: Mapping[str, str | None] = field(default_factory=dict)
    unsteady: Sequence[str] = ()

    def __repr__(self) -> str:
        names = {"state": self.states, "input": self.inputs, "output": self.outputs}
        sizes = ", ".join(f"{len(x)} {thing}{'' if len(x) == 1 else 's'}" for thing, x in names.items())
        head = f"linear model of {self.name!r}: {sizes}, residual {self.residual:.2g}"
        matrices = {"A": self.A, "B": self.B, "C": self.C, "D": self.D}
        lists = [f"{thing}s: {listed(x)}" for thing, x in names.items()]
        return "\n".join([head, *lists, *(_written(name, matrix) for name, matrix in matrices.items())])

    def modes(self) -> LinearModes:
        """Return eigenvalues and eigenvectors of A, in the order of |eigenvalue|."""
        values, vectors = np.linalg.eig(self.A)
        order = np.lexsort((values.imag, np.round(np.abs(values), 9)))
        return LinearModes(values[order], vectors[:, order])

    def shape(self, vector: np.ndarray) -> dict[str, Any]:
        """Return the changes of all coordinates, by name, for a vector of states; complex for an eigenvector."""
        numbers = np.asarray(vector)
        if numbers.dtype.kind not in "biufc" or numbers.shape[:1] != (len(self.states),):
            raise ArgumentError(f"vector is {display(vector)}: give a number for each of the {len(self.states)} states")
        return dict(zip(self.coordinates, self.shapes @ numbers, strict=True))

    def damping(self) -> np.ndarray:
        """Return a row for each eigenvalue of `modes`: "eigenvalue" (1/s), "frequency" |eigenvalue|/2π (Hz), "damping".

        Damping is -Re/|eigenvalue|: 1 for decay without oscillation, -1 for growth without oscillation, 0 for the
        eigenvalue zero (up to rounding, 1e-12 of the largest).
        """
        values = self.modes().values
        size = np.abs(values)
        ratios = np.divide(-values.real, size, out=np.zeros(size.shape), where=size > 1e-12 * np.max(size, initial=0.0))
        return np.array(list(zip(values, size / (2 * np.pi), ratios, strict=True)), DAMPING)

    def frequency_response(self, frequencies: Any, unit: FrequencyUnit = "Hz") -> np.ndarray:
        """Return G = C (iω - A)⁻¹ B + D, the complex amplitudes of outputs for inputs that oscillate with amplitude 1.

        frequencies: in `unit`, "Hz" or "rad/s". Shape (frequencies, outputs, inputs). Numbers are infinite at the
        frequency of an eigenvalue without damping. Raises ArgumentError for negative frequencies and other units.
        """
        from .bode import frequencies_in

        return self._response().at(frequencies_in(frequencies, unit))

    def bode(
        self, *, inputs: Sequence[str] | None = None, outputs: Sequence[str] | None = None, frequencies: Any = None,
        unit: FrequencyUnit = "Hz", path: str | Path | None = None, ax: Any = None,
    ) -> Any:  # fmt: skip
        """Plot magnitude and phase of the frequency response of each pair, and return the matplotlib figure.

        inputs, outputs: names of those to be drawn, by default all: a column for each input, two rows for each output.
        frequencies: in `unit`, "Hz" or "rad/s"; by default from a tenth of the slowest eigenvalue to ten times the
        fastest, as dense as resonances and antiresonances need.
        path: file to write. ax: axes to draw into, one for each plot, row by row.

        Magnitudes are in the unit of the output by that of the input, phases in degrees. The response is that of a
        stable model in its steady state; the figure of an unstable model is the same function. Raises ModelError
        without inputs or outputs and if matplotlib is not installed, ArgumentError for unknown names and frequencies.
        """
        from ...view.plots import written
        from .bode import frequencies_in

        part = self._response().part(inputs, outputs)
        omega = frequencies_in(1.0 if frequencies is None else frequencies, unit)
        omega = part.grid() if frequencies is None else np.sort(omega[omega > 0.0])
        return written(part.draw(omega, unit, ax), path)

    def _response(self) -> Response:
        from .bode import Response

        return Response(self.name, self.A, self.B, self.C, self.D, self.inputs, self.outputs, self.units)

    def animate(
        self, mode: int, path: str | Path | None = None, *, amplitude: float | None = None, traces: Traces = (),
        plots: Plots = (), follow: str | Body | None = None, eye: Any = None,
    ) -> Path | Page:  # fmt: skip
        """Show an eigenmode in 3D on a page, as an oscillation about the point without damping.

        mode: number of the eigenmode in `modes()`, from 0. An eigenmode without oscillation is shown as a shape.
        amplitude: amplitude of the coordinate that moves most, rad or m; by default a visible one. The motion is of
        first order: large amplitudes visibly open closed loops.
        path, traces, plots, follow, eye: as in `Result.animate`; plots are of coordinates.

        Returns the page, or the path if one is given. Raises ModelError for an unknown mode and for one that moves
        nothing, OSError.
        """
        from ...view.animation import animation
        from .mode_shapes import ModeShape

        if self.model is None:
            raise ModelError(f"linear model of {self.name!r} has no model: there is nothing to show")
        values, vectors = self.modes()
        if isinstance(mode, bool) or not isinstance(mode, int | np.integer) or not 0 <= mode < len(values):
            raise ArgumentError(f"mode is {display(mode)}: give a number of modes(), from 0 to {len(values) - 1}")
        value = complex(values[mode])
        if abs(value.imag) < ROUNDED * np.abs(values).max():
            value = complex(value.real)
        change = self.shape(vectors[:, mode])
        shape = ModeShape(self.model, self.values, self.parameters, self.time, mode, value, change)
        page = animation(shape.motion(amplitude), traces, plots, follow, eye)
        return page if path is None else page.write(path)

    def to_control(self) -> Any:
        """Return a `control.StateSpace` with the names.

        Raises ModelError without inputs or outputs, which python-control requires, and if it is not installed.
        """
        if not self.inputs or not self.outputs:
            missing = "input" if not self.inputs else "output"
            raise ModelError(f"{self.name} has no {missing}: python-control needs one, add it by m.{missing}")
        try:
            import control  # type: ignore[import-not-found, unused-ignore]
        except ImportError:
            raise ModelError(f"to_control needs python-control: {install('control')}") from None
        return control.ss(
            self.A, self.B, self.C, self.D, states=self.states, inputs=self.inputs, outputs=self.outputs, name=self.name
        )

    def to_scipy(self) -> Any:
        """Return a `scipy.signal.StateSpace`. Raises ModelError if scipy is not installed."""
        try:
            from scipy.signal import StateSpace
        except ImportError:
            raise ModelError("to_scipy needs scipy: pip install scipy") from None
        return StateSpace(self.A, self.B, self.C, self.D)

    def save(self, path: str | Path) -> Path:
        """Write matrices and names, by the file's suffix.

        .npz for `numpy.load`, .mat for MATLAB and `scipy.io.loadmat`, .csv for one table of A, B, C and D.

        An existing file is replaced after everything is written. Raises ArgumentError for another suffix, ModelError
        for .mat without scipy, OSError.
        """
        kind = writable(path)
        with replacing(path) as beside, open(beside, "wb") as file:
            if kind == ".csv":
                file.write(("\n".join(self._lines()) + "\n").encode())
                return Path(path)
            matrices = {name: getattr(self, name) for name in ("A", "B", "C", "D", "rates")}
            names: dict[str, list[str]] = {name: getattr(self, name) for name in ("states", "inputs", "outputs")}
            if kind == ".mat":  # names as a cell array
                cells = {name: np.array([*texts, None], object)[:-1] for name, texts in names.items()}
                scipy_io().savemat(file, {**matrices, **cells}, oned_as="column")
            else:
                texts: dict[str, Any] = {name: np.array(entries, str) for name, entries in names.items()}
                np.savez(file, **matrices, **texts)
        return Path(path)

    def _lines(self) -> list[str]:
        """Return the lines of the table: a column for each state and input, a row for each state's rate and output."""
        rows = zip(
            [*(f"d({name})/dt" for name in self.states), *self.outputs],
            np.block([[self.A, self.B], [self.C, self.D]]),
            strict=True,
        )
        head = ",".join(f'"{name}"' for name in ["", *self.states, *self.inputs])
        return [head, *(f'"{name}",' + ",".join(f"{x:.17g}" for x in row) for name, row in rows)]


def _written(name: str, matrix: np.ndarray) -> str:
    """Return a matrix with its size; of a large one the first and last rows and columns."""
    head = f"{name} ({matrix.shape[0]}, {matrix.shape[1]}): "
    if not matrix.size:
        return head + "[]"
    return head + np.array2string(
        matrix, precision=4, threshold=SHOWN, edgeitems=2, separator=", ", max_line_width=120, prefix=head,
    )  # fmt: skip


def scipy_io() -> Any:
    """Return the module of scipy that writes .mat files. Raises ModelError without scipy."""
    return extra("scipy.io", "scipy", "identify", "a linear model as .mat")


def writable(path: str | Path) -> str:
    """Return the suffix of a file for a linear model: .npz, .mat or .csv.

    Raises ArgumentError for another suffix, ModelError for .mat if scipy is missing.
    """
    kind = file_path(path).suffix
    if kind not in (".npz", ".mat", ".csv"):
        raise ArgumentError(f"{path}: a linear model is written as .npz, .mat or .csv")
    if kind == ".mat":
        scipy_io()
    return kind
