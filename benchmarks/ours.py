"""mbs_fmu's kernel `derive` as a contender, with checks against accelerations from other sources."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

import mbs_fmu as mbs
from mbs_fmu.codegen.loader import entry
from mbs_fmu.compile.build import compile_model
from mbs_fmu.record.program import Variable
from mbs_fmu.run.runtime import Runtime
from mbs_fmu.run.simulate import compiled

from .kernel_loops import state_loop
from .models import Mechanism, States, to_model


class Ours:
    """The generated kernel `derive`: (q, p) to (q_dot, p_dot)."""

    def __init__(self, mechanism: Mechanism, states: States, closure: mbs.Joint | mbs.OnLine | None = None):
        program = compile_model(to_model(mechanism, closure=closure))
        runtime = Runtime(program)
        self.text = program.text
        self.kernels = runtime.kernels
        self.R = program.new_record()
        self.q = np.array([v.slot for v in _in_order(program.variables, "coordinate")])
        self.u = np.array([v.slot for v in _in_order(program.variables, "rate")])
        self.tau = np.array([v.slot for v in program.of_role("input")])
        p, u = program.region("p"), program.region("u")
        self.p, self.p_dot = self.u - u.start + p.start, self.u - u.start + program.region("p_dot").start
        self.q_dot = self.q - program.region("q").start + program.region("q_dot").start
        self.states = states
        if mechanism.closures:  # the independent ones of their rows are chosen at the start
            self.R[self.q], self.R[self.u] = states.q[0], states.u[0]
            runtime.initialize(self.R, 1e-6, 1e-8)
        elif entry(self.kernels.prepare)(self.R):
            raise RuntimeError(f"the model of {mechanism.name} fails its checks")
        self.momenta = np.array([self._momenta(q, u) for q, u in zip(states.q, states.u, strict=True)])
        X = np.zeros((len(states.q), program.state_slice.stop - program.state_slice.start))
        X[:, self.q - program.state_slice.start] = states.q
        X[:, self.p - program.state_slice.start] = self.momenta
        T = np.zeros_like(states.tau)
        T[:, self.tau - program.region("inputs").start] = states.tau
        self.arguments = self.R, program.state_slice.start, X, program.region("inputs").start, T
        self.loop, self.copies = state_loop(program.text, "derive"), state_loop(program.text, None)

    def _momenta(self, q: np.ndarray, u: np.ndarray) -> np.ndarray:
        self.R[self.q], self.R[self.u] = q, u
        entry(self.kernels.momenta)(self.R)
        return self.R[self.p].copy()

    def run(self, repetitions: int) -> None:
        """Evaluations over the states in turn, each copied into the record first."""
        self.loop(*self.arguments, repetitions)

    def run_copy(self, repetitions: int) -> None:
        """The copies alone."""
        self.copies(*self.arguments, repetitions)

    def velocity_error(self) -> float:
        """Deviation of the velocities from `derive` for momenta of known velocities.

        Compared as momenta: in a chain of hundreds of bodies round-off of the momenta alone changes the velocities.
        """
        velocities = [self._derive(k)[0] for k in range(len(self.states.q))]
        return self.momentum_error(
            np.array([self._momenta(q, u) for q, u in zip(self.states.q, velocities, strict=True)])
        )

    def momentum_error(self, momenta: np.ndarray) -> float:
        """Deviation from independent momenta M u."""
        return max(relative(a, b) for a, b in zip(self.momenta, momenta, strict=True))

    def acceleration_error(self, accelerations: np.ndarray, h: float = 1e-4) -> float:
        """Deviation of p_dot from that of independent accelerations.

        p_dot = d/ds p(q + s q_dot, u + s u_dot) at s = 0, by a central difference of fourth order.
        """
        worst = 0.0
        for k, (q, u, a) in enumerate(zip(self.states.q, self.states.u, accelerations, strict=True)):
            _, q_dot, p_dot = self._derive(k)
            near, far = (
                self._momenta(q + s * q_dot, u + s * a) - self._momenta(q - s * q_dot, u - s * a) for s in (h, 2 * h)
            )
            worst = max(worst, relative((8 * near - far) / (12 * h), p_dot))
        return worst

    def loop_acceleration_error(self, accelerations: np.ndarray, h: float = 1e-4) -> float:
        """The same with closed loops: rates of the velocities along the motion of `derive`, as momenta M u_dot.

        The loops' impulses change the package's momenta, but not the velocities.
        """
        worst = 0.0
        for k, (q, a) in enumerate(zip(self.states.q, accelerations, strict=True)):
            _, q_dot, p_dot = self._derive(k)
            p = self.momenta[k]
            near, far = (
                self._velocities(q + s * q_dot, p + s * p_dot) - self._velocities(q - s * q_dot, p - s * p_dot)
                for s in (h, 2 * h)
            )
            ours = (8 * near - far) / (12 * h)
            worst = max(worst, relative(self._momenta(q, ours), self._momenta(q, a)))
        return worst

    def _velocities(self, q: np.ndarray, p: np.ndarray) -> np.ndarray:
        self.R[self.q], self.R[self.p] = q, p
        entry(self.kernels.derive)(self.R)
        return self.R[self.u].copy()

    def _derive(self, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        R, first_x, X, first_tau, T = self.arguments
        R[first_x : first_x + X.shape[1]], R[first_tau : first_tau + T.shape[1]] = X[k], T[k]
        entry(self.kernels.derive)(self.R)
        return self.R[self.u].copy(), self.R[self.q_dot].copy(), self.R[self.p_dot].copy()


def rk4_steps(model: mbs.Model, step: float, count: int) -> Callable[[], None]:
    """Return a run of some steps of rk4 from the start of a model; `step` in s."""
    runtime = compiled(model)
    start = runtime.program.new_record()
    assert runtime.kernels.enter_initialise(start) == 0
    kernel, R = runtime.kernels.enter_rk4_fixed, start.copy()

    def run() -> None:
        R[:] = start
        assert kernel(R, runtime.no_tables, count * step, step, 0) == 0

    return run


def _in_order(variables: Sequence[Variable], role: str) -> list[Variable]:
    """Variables of the links b0, b1, ... in the mechanism's order."""
    return sorted((v for v in variables if v.role == role), key=lambda v: int(v.name[1:].split(".")[0]))


def relative(a: np.ndarray, b: np.ndarray) -> float:
    """Largest deviation relative to the largest component."""
    return float(np.max(np.abs(a - b)) / np.max(np.abs(b)))
