"""Gap of an open pin of a four-bar as it closes, stabilized at velocity level and at acceleration level.

The pin is opened by a millimetre at the start. The linkage is the first one of `closure.py`, the equations are those of
`closure_forms.py`. From the top of the project, `python -m benchmarks.closure_response` draws
docs/closure_response.png.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from mbs_fmu.view.plots import new_figure

from .closure import ACCELERATION, VELOCITY, FourBar, four_bars
from .closure_forms import Rates, acceleration_level, acceleration_rates, mass_and_conditions, runner, velocity_rates

ALPHA, RATIO = 20.0, 10.0  #: 1/s; stiffness of the oscillating form: (RATIO ALPHA)²
STEP, ROWS = 2.5e-4, 1601  #: s; rows one step apart, up to 0.4 s
GAP = 1e-3  #: m, at the start
FORMS: dict[str, tuple[str, Rates]] = {
    f"velocity level, α = {ALPHA:g}/s": (VELOCITY, velocity_rates),
    f"acceleration level, α = β = {ALPHA:g}/s": (ACCELERATION, acceleration_rates),
    f"acceleration level, α = {ALPHA:g}/s, β = {RATIO * ALPHA:g}/s": (ACCELERATION, acceleration_level(RATIO)),
}  #: by names of curves: the form of the start and the rates
FIGURE = Path(__file__).parent.parent / "docs" / "closure_response.png"


@dataclass(frozen=True)
class Response:
    """Gap of the pin along its first direction, m, and the change of the crank's speed that it causes, rad/s."""

    gap: np.ndarray
    change: np.ndarray


def times() -> np.ndarray:
    return STEP * np.arange(ROWS)


def opened(linkage: FourBar) -> FourBar:
    """The linkage with the coupler turned, which opens the pin by GAP."""
    return replace(linkage, q=linkage.q + np.array([0.0, GAP / linkage.lengths[1], 0.0]))


def respond(linkage: FourBar, form: str, rates: Rates) -> Response:
    """Run the opened and the closed linkage; the momenta and velocities at the start fulfil J u = 0."""
    steps, runs = runner(rates), []
    for each in (opened(linkage), linkage):
        rows, open_by = np.zeros((ROWS, 6)), np.zeros(ROWS)
        steps(each.lengths, each.start(form), ALPHA, STEP, 1, rows, open_by)
        runs.append(rows)
    gaps = np.array([conditions(linkage.lengths, row[:3])[1] for row in runs[0]])
    first = gaps @ gaps[0] / np.hypot(*gaps[0])
    return Response(first, np.gradient(runs[0][:, 0] - runs[1][:, 0], STEP))


def conditions(lengths: np.ndarray, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """J (2, 3) and the two components of the gap, m."""
    A, g = np.zeros((5, 5)), np.zeros(2)
    mass_and_conditions(lengths, q, A, g)
    return A[3:, :3], g


def sign_changes(values: np.ndarray, least: float = 0.0) -> int:
    """Number of sign changes between values above `least` in size."""
    signs = np.sign(values[np.abs(values) > least])
    return int(np.count_nonzero(signs[1:] != signs[:-1]))


def draw(path: Path = FIGURE) -> None:
    linkage = four_bars(1)[0]
    figure = new_figure(7, 6)
    above, below = figure.subplots(2, 1, sharex=True)
    for k, (name, (form, rates)) in reversed([*enumerate(FORMS.items())]):
        response = respond(linkage, form, rates)
        above.plot(times(), 1e3 * response.gap, color=f"C{k}", label=name)
        below.plot(times(), response.change, color=f"C{k}")
    above.set(title="A four-bar whose pin is opened by 1 mm", ylabel="gap of the pin (mm)")
    below.set(xlabel="time (s)", ylabel="change of the crank's speed (rad/s)")
    above.legend()
    for axis in (above, below):
        axis.grid(alpha=0.3)
    figure.savefig(path, dpi=100)


if __name__ == "__main__":
    draw()
