"""A program with its kernels: initialization, checks and messages shared by `simulate` and the FMUs."""

from __future__ import annotations

import numpy as np
from scipy.linalg import lapack

from .compile.program import Program
from .errors import ModelError
from .kernels.loader import load
from .layout import Head, Status
from .model.checks import check_range

LOST = 1e-3  #: velocities of order one that come back from their momenta with such an error are not determined


class Runtime:
    """Runs one program on records that the caller owns."""

    def __init__(self, program: Program):
        self.program = program
        self.kernels = load(program.text)
        self.no_tables = self.tables({}, 0.0, 0.0, 0, 0.0)
        self._given = program.of_kind("parameter", "input", "coordinate", "rate", "state")
        self._given_slots = np.array([v.slot for v in self._given], dtype=int)

    def tables(
        self, inputs: dict[str, tuple[np.ndarray, np.ndarray]], start: float, interval: float, rows: int, stop: float
    ) -> np.ndarray:
        """The array U of the kernels: for each input where its table lies, the clock of the results, the tables."""
        slots = self.program.region("inputs")
        count = slots.stop - slots.start
        head = np.zeros(2 * count + 4)
        head[2 * count :] = start, interval, rows, stop
        parts, position = [head], head.size
        for v in self.program.of_kind("input"):
            if v.name in inputs:
                times, values = inputs[v.name]
                k = v.slot - slots.start
                head[2 * k], head[2 * k + 1] = position, times.size
                parts += [times, values]
                position += 2 * times.size
        return np.concatenate(parts)

    def initialize(self, R: np.ndarray, tolerance: float, absolute: float) -> None:
        """Constants, momenta and tolerances of a record whose parameters and start values are set.

        Raises ModelError, naming the variable, for a value that is not finite, a mass or inertia that no
        body can have, a motion without inertia, a spring without direction.
        """
        self._require_finite(R)
        for name, slot in self.program.quaternions.items():
            if not np.linalg.norm(R[slot : slot + 4]) > 1e-6:
                raise ModelError(
                    f"the quaternion from {name!r} on is {R[slot : slot + 4].tolist()}: it has no direction"
                )
        failed = self.kernels.prepare(R)
        if failed:
            raise ModelError(self.program.checks[failed - 1])
        self.kernels.normalise(R)
        self.kernels.momenta(R)
        R[Head.fresh] = R[Head.step] = R[Head.steps] = R[Head.rejected] = R[Head.evaluations] = 0.0
        failed = self.kernels.check_start(R)
        if failed:
            raise ModelError(self.program.start_checks[failed - 1])
        self._require_inertia(R)
        R[Head.absolute] = absolute / tolerance

    def _require_finite(self, R: np.ndarray) -> None:
        """Everything that the user gives: finite, and within its bounds."""
        if not np.all(np.isfinite(R[self._given_slots])):
            v = next(v for v in self._given if not np.isfinite(R[v.slot]))
            raise ModelError(f"{v.kind} {v.name!r} is {R[v.slot]}: give a finite number")
        for v in self.program.of_kind("parameter"):
            check_range(float(R[v.slot]), v.low, v.high, f"parameter {v.name!r}")

    def _require_inertia(self, R: np.ndarray) -> None:
        """ModelError where some motion moves no inertia: where velocities don't come back from their momenta."""
        u = self.program.region("u")
        n = u.stop - u.start
        if n == 0:
            return
        trial = R.copy()
        trial[u] = sent = np.cos(np.arange(n))
        self.kernels.momenta(trial)
        self.kernels.derive(trial)
        if np.all(np.abs(trial[u] - sent) < LOST):
            return
        M = self.mass_matrix(R)
        diagonal = np.diag(M)
        bad = int(np.argmin(diagonal))
        if diagonal[bad] > 0.0:
            scale = 1.0 / np.sqrt(diagonal)
            factor, info = lapack.dpotrf(M * scale * scale[:, None], lower=1)
            bad = info - 1 if info > 0 else int(np.argmin(np.diag(factor)))
        owner = self.program.owners[self.program.regions["p"][0] - self.program.state_slice.start + bad]
        raise ModelError(
            f"the motion of {owner} moves no inertia at the start: give its body (or what it carries) "
            "a mass and inertia along that motion, or weld it"
        )

    def mass_matrix(self, R: np.ndarray) -> np.ndarray:
        """The mass matrix at the record's coordinates: column by column the momenta of unit velocities."""
        u, p = self.program.region("u"), self.program.region("p")
        trial = R.copy()
        trial[u] = 0.0
        columns = []
        for k in range(u.start, u.stop):
            trial[k] = 1.0
            self.kernels.momenta(trial)
            trial[k] = 0.0
            columns.append(trial[p].copy())
        return np.array(columns).T

    def refresh(self, R: np.ndarray) -> None:
        """Rates and outputs of the present state and inputs."""
        self.kernels.refresh(R, self.no_tables)

    def fault(self, R: np.ndarray, status: int) -> str:
        """What went wrong, after a kernel returned a status other than ok."""
        owner = self.program.owners[int(R[Head.fault])]
        where = f"at t = {R[Head.fault_time]:.9g} s with step size {R[Head.failed_step]:.3g} s"
        if status == Status.step_too_small:
            return (
                f"{self.program.name}: the step size became too small for {owner} {where}: "
                "the motion is stiff or singular there, or a law is discontinuous"
            )
        return (
            f"{self.program.name}: {owner} is no longer finite {where}: use a smaller step or an adaptive "
            "method, or look for a law that grows without bound"
        )
