"""`campbell`: eigenvalues of linear models over the speed of a rotor or another number, branch by branch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...infrastructure.arguments import ParameterValues, finite
from ...infrastructure.errors import Argument, ArgumentError, ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...infrastructure.messages.calls import add_clear_errors, with_clear_errors
from ...infrastructure.messages.failures import display
from ...infrastructure.messages.names import listed
from ...infrastructure.messages.suggestions import did_you_mean
from ...model.model import Model
from ...run.simulate import compiled, require_model
from ...symbolic.units import unit_of
from ...view.plots import axes_for, new_figure, written
from .linear_model import ROUNDED, LinearModel
from .linearize import linearize
from .trim import trim

CRITICAL = np.dtype([("speed", float), ("frequency", float), ("mode", int)])
FREE = 1.25  #: height of the diagram by the largest frequency, when lines of orders go beyond


@add_clear_errors
@dataclass(frozen=True)
class Campbell:
    """Eigenvalues over the speed of a rotor, or over another number (`mbs.campbell`).

    name: of the model. speed, unit: name and unit of the number. speeds: (k,), its values in this unit, increasing.
    eigenvalues: (k, n), 1/s, the eigenvalues with positive imaginary part; a column follows one eigenmode, and its
    numbers are real where the mode does not oscillate. The lowest frequency at the first speed comes first.
    """

    name: str
    speed: str
    unit: str | None
    speeds: np.ndarray
    eigenvalues: np.ndarray

    @property
    def frequencies(self) -> np.ndarray:
        """Frequencies |Im λ|/2π of damped vibrations, Hz, (k, n); zero where a mode does not oscillate."""
        return np.asarray(np.abs(self.eigenvalues.imag) / (2.0 * np.pi))

    @property
    def damping(self) -> np.ndarray:
        """Damping ratios -Re λ/|λ|, (k, n); negative where vibrations grow, zero for λ = 0."""
        size = np.abs(self.eigenvalues)
        return np.asarray(np.divide(-self.eigenvalues.real, size, out=np.zeros(size.shape), where=size > 0.0))

    @property
    def turns(self) -> np.ndarray | None:
        """Turns per second at each speed, Hz, (k,); None if the number is no angular velocity."""
        size = unit_of(self.unit) if self.unit else None
        if size is None or size.exponents != unit_of("rad/s").exponents:  # type: ignore[union-attr]
            return None
        return np.asarray(self.speeds * size.factor / (2.0 * np.pi))

    def critical(self, order: float = 1.0) -> np.ndarray:
        """Return where a frequency is that of an excitation `order` times per turn: "speed", "frequency" (Hz), "mode".

        A structured array in the order of speeds, by linear interpolation between the given ones; "mode" is the column.
        order 1 is unbalance. Raises ModelError if the number is no angular velocity, ArgumentError for order 0.
        """
        ratio = finite(order, Argument("order"))
        if ratio == 0.0:
            raise ArgumentError("order is 0: give the number of excitations per turn, such as 1 for unbalance")
        turns = self.turns
        if turns is None:
            raise ModelError(
                f"{self.speed} has the unit {self.unit}, and orders need an angular velocity, such as one in rad/s"
            )
        excited, frequencies, found = abs(ratio) * np.abs(turns), self.frequencies, []
        away = frequencies - excited[:, None]
        for k, mode in zip(*np.nonzero((away[:-1] == 0.0) | (away[:-1] * away[1:] < 0.0)), strict=True):
            share = away[k, mode] / (away[k, mode] - away[k + 1, mode]) if away[k, mode] else 0.0
            speed, frequency = (x[k] + share * (x[k + 1] - x[k]) for x in (self.speeds, frequencies[:, mode]))
            found.append((speed, frequency, mode))
        found += [(self.speeds[-1], frequencies[-1, mode], mode) for mode in np.flatnonzero(away[-1] == 0.0)]
        return np.array(sorted(found), CRITICAL)

    def plot(self, orders: Sequence[float] = (1.0,), *, path: str | Path | None = None, ax: Any = None) -> Any:
        """Draw the Campbell diagram, and return the matplotlib figure.

        Frequencies (Hz) over the speed; dashed lines of excitations that occur `orders` times per turn, if the number
        is an angular velocity; dots at critical speeds; red where a vibration grows.

        path: file to write. ax: axes to draw into. Raises ModelError if matplotlib is not installed.
        """
        if ax is None:
            figure = new_figure(width=8, height=5)
            axis = figure.subplots()
            figure.suptitle(self.name)
        else:
            axis = axes_for(ax, 1)[0]
        frequencies = np.where(self.frequencies > 0.0, self.frequencies, np.nan)
        axis.plot(self.speeds, frequencies, color="tab:blue")
        largest = np.max(np.abs(self.eigenvalues), initial=0.0)
        growing = self.eigenvalues.real > ROUNDED * largest
        if growing.any():
            axis.plot(self.speeds, np.where(growing, frequencies, np.nan), color="tab:red", linewidth=3, alpha=0.7)
        if self.turns is not None:
            self._draw_orders(axis, self.turns, orders)
        axis.set_xlabel(f"{self.speed} ({self.unit})" if self.unit else self.speed)
        axis.set_ylabel("frequency (Hz)")
        axis.grid(alpha=0.3)
        return written(axis.figure, path)

    def _draw_orders(self, axis: Any, turns: np.ndarray, orders: Sequence[float]) -> None:
        """Draw the lines of excitations, with their orders at their ends, and the critical speeds."""
        top = FREE * np.max(self.frequencies, initial=0.0) or 1.0
        axis.set_ylim(0.0, top)
        for order in orders:
            points = self.critical(order)
            line = abs(order) * np.abs(turns)
            axis.plot(self.speeds, line, "--", color="0.5", linewidth=1)
            inside = np.flatnonzero(line <= top)
            if inside.size:
                at = (self.speeds[inside[-1]], line[inside[-1]])
                axis.annotate(f"{order:g}×", at, xytext=(-4, 2), textcoords="offset points", ha="right", color="0.4")
            axis.plot(points["speed"], points["frequency"], "o", color="black", markersize=5)


@with_clear_errors
def campbell(
    model: Model, speed: str, values: Any, *, start: Mapping[str, float] | None = None,
    inputs: Mapping[str, float] | None = None, parameters: ParameterValues | None = None, time: float = 0.0,
    free: Sequence[str] | None = None,
) -> Campbell:  # fmt: skip
    """Return the eigenvalues of a model over the speed of a rotor: the data of a Campbell diagram (W. Campbell, 1924).

    speed: name of a start value, such as "rotor.w", or of a parameter or an input. values: its values, (k,), in the
    unit of the variable, such as rad/s. start, inputs, parameters, time: as in `linearize`.
    free: names of the unknowns of `trim`, which then finds the steady motion at each speed; it begins with the motion
    at the speed before. Without them, the linear models are about the start (`linearize`), which should be a steady
    motion.

    Eigenmodes are followed from speed to speed by their eigenvectors and by their eigenvalues: give values so dense
    that both change little. The model must be steady as seen from its coordinates: give the joint of a rotor such that
    no matrix depends on the angle of the spin.

    Raises ModelError if the motion changes A, whose eigenvalues then say nothing (`LinearModel.unsteady`), and the
    errors of `linearize` or `trim`; ArgumentError for unknown names and for fewer than two different values.
    """
    require_model(model)
    speeds = _speeds(values)
    program = compiled(model).program
    variables = {v.name: v for v in program.of_role("parameter", "input", "coordinate", "rate", "state")}
    if speed not in variables:
        known = list(variables)
        hint = did_you_mean(speed, known)
        raise ArgumentError(f"no start value, parameter or input {display(speed)}{hint}; there are {listed(known)}")
    variable = variables[speed]
    given: dict[str, Any] = {
        "start": dict(start or {}),
        "inputs": dict(inputs or {}),
        "parameters": dict(parameters or {}),
    }
    place = {"parameter": "parameters", "input": "inputs"}.get(variable.role, "start")
    linear_models: list[LinearModel] = []
    for value in speeds.tolist():
        given[place][speed] = value
        found = linearize(model, time=time, **given) if free is None else trim(model, time=time, free=free, **given)
        if "A" in found.unsteady:
            raise ModelError(
                f"{found.frozen[0]}, at {speed} = {value:g}, and eigenvalues say nothing: give the rotor a joint "
                "with which A does not depend on the angle of the spin (docs/linear.md)"
            )
        for name in free or ():  # the next search begins here
            given["inputs" if name in found.inputs else "start"][name] = found.values[name]
        linear_models.append(found)
    return Campbell(program.name, speed, variable.unit, speeds, _oscillating(_followed(linear_models)))


def _speeds(values: Any) -> np.ndarray:
    """Return the values, increasing. Raises ArgumentError unless they are two or more different numbers."""
    try:
        speeds = np.unique(np.asarray(values, dtype=float))
    except (TypeError, ValueError, OverflowError):
        speeds = np.zeros(0)
    if len(speeds) < 2 or not np.isfinite(speeds).all() or np.ndim(values) != 1:
        raise ArgumentError(f"values is {display(values)}: give a list of two or more different numbers")
    return speeds


def _followed(linear_models: Sequence[LinearModel]) -> np.ndarray:
    """Return the eigenvalues (k, states); a column follows one eigenmode.

    The next eigenvalue of each is expected on the line through the last two. Of all pairs of a column and a new
    eigenvalue, the closest ones are joined first: by the distance from that line, and where directions of eigenvectors
    differ.
    """
    values, vectors = linear_models[0].modes()
    rows, ahead = [values], values
    for linear in linear_models[1:]:
        found, directions = linear.modes()
        scale = np.maximum(np.abs(ahead)[:, None], np.abs(found)) + ROUNDED * np.abs(found).max(initial=1.0)
        apart = np.abs(ahead[:, None] - found) / scale + 1.0 - np.abs(vectors.conj().T @ directions) ** 2
        order = np.empty(len(found), dtype=int)
        for _ in range(len(found)):
            mode, place = np.unravel_index(np.argmin(apart), apart.shape)
            order[mode] = place
            apart[mode], apart[:, place] = np.inf, np.inf
        rows.append(found[order])
        vectors, ahead = directions[:, order], 2.0 * rows[-1] - rows[-2]
    return np.array(rows)


def _oscillating(eigenvalues: np.ndarray) -> np.ndarray:
    """Return the columns that oscillate somewhere, one of each pair of conjugates, sorted by their first frequency."""
    oscillates = np.abs(eigenvalues.imag) > ROUNDED * np.abs(eigenvalues).max(axis=1, keepdims=True, initial=0.0)
    chosen = np.where(oscillates, eigenvalues, eigenvalues.real)
    heads = chosen.imag[np.argmax(oscillates, axis=0), np.arange(chosen.shape[1])]
    columns = np.flatnonzero(heads > 0.0)
    return chosen[:, columns[np.argsort(chosen.imag[0, columns], kind="stable")]]
