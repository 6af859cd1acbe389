"""Eigenmodes of linear models as motions for 3D pages: all coordinates oscillate about the point."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...model.checks import finite_number
from ...model.model import Model
from ...view.animation import Recorded, extent
from ...view.poses import Frames, Rows, poses

SWINGS, ROWS = 4, 48  #: number of oscillations on a page, and of rows for each
STILL = 2.5  #: displayed period of an eigenmode without oscillation, s
NOTHING = 1e-10  #: amplitudes of a coordinate below this count as zero, for a vector of norm one
SLIGHT = 1e-4  #: amplitude at which the size of an eigenmode is determined, rad or m
LARGEST_ROTATION, LARGEST_DISPLACEMENT = 0.3, 0.15  #: default amplitudes: rad, and as a share of the mechanism's size


@dataclass(frozen=True)
class ModeShape:
    """Eigenmode `number` of a model about a point with numbers `values` at `time` (s).

    `eigenvalue`: 1/s. `change`: complex amplitudes of coordinates, by name, for a vector of states of norm one.
    """

    model: Model
    values: Mapping[str, float]
    parameters: Mapping[str, float]
    time: float
    number: int
    eigenvalue: complex
    change: Mapping[str, complex]

    def motion(self, amplitude: float | None) -> Recorded:
        """Return some oscillations of first order without damping.

        `amplitude` is that of the largest coordinate, rad or m. Raises ModelError for a mode that moves no coordinate.
        """
        if max(map(abs, self.change.values()), default=0.0) < NOTHING:
            raise ModelError(f"mode {self.number} of {self.model.name!r} moves no coordinate, only signal states")
        scale = self._visible() if amplitude is None else finite_number(amplitude, "amplitude")
        speed = abs(self.eigenvalue.imag)
        swing = 2.0 * np.pi / speed if speed > 1e-9 * abs(self.eigenvalue) else STILL
        turns = np.arange(SWINGS * ROWS + 1) / ROWS
        rows = self._rows(scale, turns, self.time + swing * turns)
        return Recorded(self.model, rows, caption=f"mode {self.number}: eigenvalue {_written(self.eigenvalue)} 1/s")

    def _visible(self) -> float:
        """Return an amplitude at which the motion is small but visible."""
        turns = np.arange(ROWS) / ROWS
        still = self._rows(0.0, turns[:1], np.full(1, self.time))
        before, after = poses(self.model, still), poses(self.model, self._rows(SLIGHT, turns, 0.0 * turns + self.time))
        way, turn = (max(_largest(after[name], before[name])[k] for name in before) for k in (0, 1))
        most = ((LARGEST_ROTATION, turn), (LARGEST_DISPLACEMENT * extent(Recorded(self.model, still)), way))
        return SLIGHT * min((limit / x for limit, x in most if x > 1e-6 * SLIGHT), default=1.0)

    def _rows(self, scale: float, turns: np.ndarray, time: np.ndarray) -> Rows:
        """Return coordinates of all bodies at phases given in turns; the largest one changes by `scale`."""
        largest = max(self.change.values(), key=abs)
        phases = scale / largest * np.exp(2.0j * np.pi * turns)
        columns = {"time": time}
        for body in self.model.bodies.values():
            names = [f"{body.name}.{suffix}" for suffix, _ in body.coordinates]
            q = np.array([self.values[name] + (self.change.get(name, 0.0) * phases).real for name in names])
            for k in body.joint.quaternions:
                q[k : k + 4] /= np.linalg.norm(q[k : k + 4], axis=0)
            columns |= dict(zip(names, q, strict=True))
        parameters = {name: p.value for name, p in self.model.parameters.items()} | dict(self.parameters)
        return Rows(columns, parameters)


def _written(value: complex) -> str:
    return f"{value.real:.4g}" + (f" {value.imag:+.4g}i" if value.imag else "")


def _largest(after: Frames, before: Frames) -> tuple[float, float]:
    """Return the largest distance (m) and angle (rad, small) between two motions of a body."""
    way = np.linalg.norm(after.x - before.x, axis=1)
    turn = np.linalg.norm(after.R - before.R, axis=(1, 2)) / np.sqrt(2.0)
    return float(way.max()), float(turn.max())
