"""Frequency responses of linear models, and their Bode plots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

import numpy as np

from ...infrastructure.errors import ArgumentError, ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...infrastructure.messages.failures import display
from ...infrastructure.messages.names import listed
from ...infrastructure.messages.suggestions import did_you_mean
from ...view.plots import axes_for, new_figure

FrequencyUnit = Literal["Hz", "rad/s"]  #: unit of frequencies
RADIANS = dict(zip(get_args(FrequencyUnit), (2.0 * np.pi, 1.0)))  #: rad/s for one of each unit
PER_DECADE = 40  #: frequencies of a first grid, which is refined
BEYOND = 10.0  #: ratio of the ends of the grid to the slowest and fastest eigenvalue
SLOWEST = 1e-6  #: eigenvalues below this share of the fastest have no part in the ends of the grid
BESIDE = -1.0, -0.3, 0.0, 0.3, 1.0  #: points at a resonance, in units of its half width
CHANGE = 0.15  #: greatest change of log G between two frequencies: 16 % of the magnitude, or 9 degrees
ROUNDS, MOST = 14, 20000  #: greatest number of bisections, and of frequencies
ZERO = 1e-12  #: eigenvalues and responses below this share of the largest are zero


@dataclass(frozen=True)
class Response:
    """Frequency response G(iω) = C (iω - A)⁻¹ B + D of a linear model, with the names and units of its pairs."""

    name: str
    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    inputs: list[str]
    outputs: list[str]
    units: Mapping[str, str | None]

    def at(self, omega: np.ndarray) -> np.ndarray:
        """Return G, (frequencies, outputs, inputs), at frequencies in rad/s; infinite at an eigenvalue."""
        dynamic = 1j * omega[:, None, None] * np.eye(len(self.A)) - self.A
        try:
            moved = np.linalg.solve(dynamic, np.broadcast_to(self.B, (len(omega), *self.B.shape)))
        except np.linalg.LinAlgError:  # at one of the frequencies
            moved = np.array([_solved(matrix, self.B) for matrix in dynamic])
        with np.errstate(invalid="ignore"):  # infinity times zero
            response = self.C @ moved + self.D
        return np.where(np.isfinite(response), response, np.inf)

    def part(self, inputs: Sequence[str] | None, outputs: Sequence[str] | None) -> Response:
        """Return the response of some inputs and outputs, all without names. Raises ArgumentError for other names."""
        columns = _places(self.name, "input", self.inputs, inputs)
        rows = _places(self.name, "output", self.outputs, outputs)
        names = [self.inputs[k] for k in columns], [self.outputs[k] for k in rows]
        D = self.D[np.ix_(rows, columns)]
        return Response(self.name, self.A, self.B[:, columns], self.C[rows], D, *names, self.units)

    def grid(self) -> np.ndarray:
        """Return frequencies, rad/s, at which lines between the points follow all resonances and antiresonances.

        The first grid is even in the logarithm, and has points at and beside each eigenfrequency. Intervals in which a
        response changes much are then bisected.
        """
        values = np.linalg.eigvals(self.A)
        largest = np.max(np.abs(values), initial=0.0)
        size = np.abs(values)[np.abs(values) > SLOWEST * largest]
        low, high = (size.min() / BEYOND, size.max() * BEYOND) if size.size else (0.1, 10.0)
        omega = np.geomspace(low, high, int(PER_DECADE * np.log10(high / low)) + 2)
        own = values[values.imag > ZERO * largest]
        width = np.maximum(np.abs(own.real), 1e-4 * np.abs(own))
        omega = np.unique([*omega, *(np.abs(own.imag) + width * np.array(BESIDE)[:, None]).ravel()])
        omega = omega[(omega >= low) & (omega <= high)]
        for _ in range(ROUNDS):
            coarse = _changes(self.at(omega)) > CHANGE
            if not coarse.any() or len(omega) > MOST:
                break
            omega = np.sort([*omega, *np.sqrt(omega[1:] * omega[:-1])[coarse]])
        return omega

    def draw(self, omega: np.ndarray, unit: str, ax: Any) -> Any:
        """Draw magnitude and phase of each pair, and return the figure. omega: rad/s."""
        response, axes = self.at(omega), self._axes(ax)
        for i, output in enumerate(self.outputs):
            for j, name in enumerate(self.inputs):
                pair = axes[2 * i : 2 * i + 2, j]
                _draw(pair, omega / RADIANS[unit], response[:, i, j], f"{name} to {output}")
                pair[0].set_ylabel(f"magnitude ({self._unit(output, name)})")
                pair[1].set_ylabel("phase (°)")
        for axis in axes[-1]:
            axis.set_xlabel(f"frequency ({unit})")
        return axes[0, 0].figure

    def _axes(self, ax: Any) -> np.ndarray:
        """Return axes, (2 outputs, inputs): magnitudes, and phases below them."""
        rows, columns = 2 * len(self.outputs), len(self.inputs)
        if ax is not None:
            return np.array(axes_for(ax, rows * columns), dtype=object).reshape(rows, columns)
        figure = new_figure(width=max(7.0, 4.5 * columns), height=0.8 + 2.1 * rows)
        figure.suptitle(self.name)
        return np.asarray(figure.subplots(rows, columns, sharex=True, squeeze=False))

    def _unit(self, output: str, name: str) -> str:
        """Return the unit of an output by that of an input."""
        above, below = (self.units.get(x) or "1" for x in (output, name))
        if below == "1":
            return above
        if above == below:
            return "1"
        return f"{above}/({below})" if set(below) & set("./") else f"{above}/{below}"


def _solved(matrix: np.ndarray, B: np.ndarray) -> np.ndarray:
    try:
        return np.linalg.solve(matrix, B.astype(complex))
    except np.linalg.LinAlgError:
        return np.full(B.shape, np.inf, complex)


def frequencies_in(frequencies: Any, unit: str) -> np.ndarray:
    """Return frequencies of a unit in rad/s. Raises ArgumentError unless they are positive numbers of a known unit."""
    if not isinstance(unit, str) or unit not in RADIANS:
        raise ArgumentError(f"unit is {display(unit)}: give one of {', '.join(map(repr, RADIANS))}")
    try:
        numbers = np.atleast_1d(np.asarray(frequencies, dtype=float))
    except (TypeError, ValueError, OverflowError):
        numbers = np.zeros(0)
    if numbers.ndim != 1 or not numbers.size or not (np.isfinite(numbers) & (numbers >= 0.0)).all():
        raise ArgumentError(
            f"frequencies is {display(frequencies)}: give a list of numbers, zero or positive, in {unit}"
        )
    return np.asarray(numbers * RADIANS[unit])


def _changes(response: np.ndarray) -> np.ndarray:
    """Return the greatest change of log G of all pairs between one frequency and the next one."""
    before, after = response[:-1], response[1:]
    floor = ZERO * np.abs(np.where(np.isfinite(response), response, 0.0)).max(axis=0)
    real = np.isfinite(before) & np.isfinite(after) & (np.abs(before) > floor) & (np.abs(after) > floor)
    ratio = np.divide(after, before, out=np.ones_like(after), where=real)
    return np.asarray(np.abs(np.log(ratio)).max(axis=(1, 2)))


def _places(model: str, thing: str, names: list[str], wanted: Sequence[str] | None) -> list[int]:
    """Return the numbers of the wanted inputs or outputs; all without a wish. Raises ArgumentError for other names."""
    if not names:
        raise ModelError(f"{model!r} has no {thing}, which a Bode plot needs: add it by m.{thing}")
    if wanted is None:
        return list(range(len(names)))
    own = [wanted] if isinstance(wanted, str) else list(wanted)
    if not own:
        raise ArgumentError(f"{thing}s is {display(wanted)}: give names among {listed(names)}")
    for name in own:
        if name not in names:
            raise ArgumentError(f"no {thing} {display(name)}{did_you_mean(name, names)}; there are {listed(names)}")
    return [names.index(name) for name in own]


def _draw(axes: np.ndarray, across: np.ndarray, response: np.ndarray, title: str) -> None:
    """Draw magnitude and phase of one pair; no line where the response is zero or infinite."""
    size, phase = np.abs(response), np.full(response.shape, np.nan)
    real = np.isfinite(size) & (size > 0.0)
    phase[real] = np.degrees(np.unwrap(np.angle(response[real])))
    axes[0].plot(across, np.where(real, size, np.nan))
    axes[1].plot(across, phase)
    axes[0].set_title(title + ("" if real.any() else ": zero"), fontsize="medium")
    if real.any():
        axes[0].set_yscale("log")
        if np.ptp(phase[real]) > 30.0:  # ticks at parts of a right angle
            axes[1].yaxis.get_major_locator().set_params(steps=[1, 1.5, 3, 4.5, 9, 10])
    for axis in axes:
        axis.set_xscale("log")
        axis.grid(alpha=0.3)
        axis.grid(alpha=0.3, which="minor", axis="x")
