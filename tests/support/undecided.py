"""Programs as plain Python whose constraint modes are not chosen yet."""

from __future__ import annotations

import numpy as np

from mbs_fmu.model.model import Model
from support.generators.loops import PlainLoops
from support.generators.mechanisms import Plain


class Undecided(PlainLoops):
    """A program as plain Python, initialised up to the choice of modes; `decide` makes it."""

    def __init__(self, model: Model):
        Plain.__init__(self, model)
        self._choose = self.real.first_modes
        self.real.first_modes = lambda R: 0  # type: ignore[attr-defined]
        assert self.real.initialise(self.R) == 0

    def decide(self) -> np.ndarray:
        """Return the record after the choice."""
        R = self.R.copy()
        assert self._choose(R) == 0
        return R

    def jacobian(self, R: np.ndarray) -> np.ndarray:
        """Return the Jacobian of all rows, including those that do not hold and are not carried along."""
        R = R.copy()
        R[self.slice("modes")] = 0.0
        return super().jacobian(R)

    def rows(self, role: int) -> list[int]:
        return [mode["first"] for mode in self.program.modes if mode["role"] == role]

    @property
    def permanent(self) -> list[int]:
        """Return the rows that always hold."""
        switched = {mode["first"] + k for mode in self.program.modes for k in range(mode["rows"])}
        return [row for row in range(self.real.N_ROWS) if row not in switched]

    def modes(self, R: np.ndarray, role: int) -> np.ndarray:
        now = self.get(R, "modes")
        return np.array([x for x, mode in zip(now, self.program.modes, strict=True) if mode["role"] == role])
