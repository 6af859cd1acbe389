"""`Fit`: the result of `identify`, with deviations and residuals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..infrastructure.lazy_dataclasses import dataclass
from ..infrastructure.messages.calls import add_clear_errors, warn
from ..infrastructure.messages.names import listed
from .measured import MeasuredRun

ALIKE = 1e-7  #: the data do not determine directions with singular values below this share of the largest


@add_clear_errors
@dataclass(frozen=True, repr=False)
class Fit:
    """Parameters and start values that fit measured data.

    parameters, start: values that all runs have in common, by name, for `simulate`.
    own: for each run its individual values, as a pair of dictionaries: parameters and start.
    values, deviations: all values and their standard deviations, by name; values of single runs have names such as
    "rod.phi (run 2)". A deviation is infinite if the data do not determine the value. A printed Fit shows
    "value ± deviation": one standard deviation, within which about 68 % of fits to such noise lie.
    covariance: covariance matrix of all values, in this order.
    residuals: for each run, measured minus fitted values by column; NaN without a measurement.
    rms: root mean square of the residuals of all runs by column, in the column's unit.
    evaluations: number of evaluations; each runs all data once.
    success, message: outcome of the search.
    notes: values at their bounds, and values that the data do not determine.
    """

    parameters: dict[str, float]
    start: dict[str, float]
    own: list[tuple[dict[str, float], dict[str, float]]]
    values: dict[str, float]
    deviations: dict[str, float]
    units: dict[str, str | None]
    covariance: np.ndarray
    residuals: list[dict[str, np.ndarray]]
    rms: dict[str, float]
    evaluations: int
    success: bool
    message: str
    notes: list[str]

    @property
    def correlation(self) -> np.ndarray:
        """Correlation matrix of all values; an entry is near 1 or -1 if the data hardly distinguish two values."""
        size = np.sqrt(np.diag(self.covariance))
        return np.asarray(self.covariance / np.outer(size, size))

    def __repr__(self) -> str:
        values_text = ", ".join(
            f"{name} = {x:.6g} ± {self.deviations[name]:.2g}{f' {self.units[name]}' if self.units[name] else ''}"
            for name, x in self.values.items()
        )
        return f"fit: {values_text}{'' if self.success else ' (not converged)'}"


def fit_of(
    unknowns: Sequence[tuple[str, int | None, str | None, str]], runs: Sequence[MeasuredRun], values: np.ndarray,
    residuals: Sequence[np.ndarray], jacobian: np.ndarray, evaluations: int, message: str, success: bool,
    notes: list[str],
) -> Fit:  # fmt: skip
    """Return the fit at some values.

    `unknowns` contains name, run, unit and role of each. `residuals` are the weighted residuals of each run, `jacobian`
    is the Jacobian of all residuals.
    """
    labels = [name if run is None else f"{name} (run {run + 1})" for name, run, _, _ in unknowns]
    covariance, undetermined = _covariance(runs, np.concatenate(list(residuals)), jacobian)
    if undetermined:
        notes = [
            *notes,
            f"the data do not determine {listed(labels[k] for k in undetermined)}: leave some out of free=",
        ]
        warn(notes[-1])
    common: tuple[dict[str, float], dict[str, float]] = ({}, {})
    own: list[tuple[dict[str, float], dict[str, float]]] = [({}, {}) for _ in runs]
    for (name, run, _, role), x in zip(unknowns, values.tolist(), strict=True):
        (common if run is None else own[run])[role != "parameter"][name] = x
    left = [run.by_column(part) for run, part in zip(runs, residuals, strict=True)]
    deviations = np.sqrt(np.diag(covariance))
    deviations[undetermined] = np.inf
    return Fit(
        parameters=common[0],
        start=common[1],
        own=own,
        values=dict(zip(labels, values.tolist(), strict=True)),
        deviations=dict(zip(labels, deviations.tolist(), strict=True)),
        units={label: unit for label, (_, _, unit, _) in zip(labels, unknowns, strict=True)},
        covariance=covariance,
        residuals=left,
        rms=_rms(left),
        evaluations=evaluations,
        success=success,
        message=message,
        notes=notes,
    )


def _covariance(runs: Sequence[MeasuredRun], residuals: np.ndarray, J: np.ndarray) -> tuple[np.ndarray, list[int]]:
    """Return the covariance of the values, and the undetermined values.

    The noise is assumed independent, with one standard deviation for each column. The covariance is
    H⁻¹ (sum of s² Jᵀ J over the columns) H⁻¹ with H = Jᵀ J and s² the mean squared residual of a column, corrected for
    the degrees of freedom of the fit.
    """
    scale = np.linalg.norm(J, axis=0)
    scale[scale == 0.0] = 1.0
    U, singular, Vt = np.linalg.svd(J / scale, full_matrices=False)
    determined = singular > ALIKE * max(1.0, float(singular.max(initial=0.0)))
    undetermined = [k for k in range(J.shape[1]) if np.abs(Vt[~determined, k]).max(initial=0.0) > 1e-3]
    inverse = (Vt[determined].T / singular[determined]) @ U[:, determined].T / scale[:, None]  # pseudoinverse of J
    free = max(1.0 - J.shape[1] / max(1, len(residuals)), 0.0)
    owner = np.concatenate([np.broadcast_to(np.array(run.columns), run.known.shape)[run.known] for run in runs])
    variance = np.empty(len(residuals))
    for name in set(owner.tolist()):
        rows = owner == name
        variance[rows] = np.mean(residuals[rows] ** 2) / free if free > 0.0 else np.nan
    return (inverse * variance) @ inverse.T, undetermined


def _rms(left: Sequence[dict[str, np.ndarray]]) -> dict[str, float]:
    """Return the root mean square of each column over all runs."""
    names = dict.fromkeys(name for columns in left for name in columns)
    joined = {name: np.concatenate([columns[name] for columns in left if name in columns]) for name in names}
    return {name: float(np.sqrt(np.nanmean(x**2))) for name, x in joined.items()}
