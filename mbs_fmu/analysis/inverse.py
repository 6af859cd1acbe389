"""Questions to a mechanism that are not simulations: the forces that a given motion takes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ..errors import ModelError
from ..model.checks import start_numbers
from ..model.follow_words import follows
from ..model.model import Model
from ..model.parts import Body
from ..record.calls import clear
from ..record.layout import Head
from ..run.inputs import set_values
from ..run.simulate import compiled
from ..symbolic.graph import leaves
from .rows import jacobian

DIFFERENCE = 1e-6  #: s, of central differences that check a motion
AGREES = 1e-5  #: relative: a motion that misses a loop by less is taken to agree with it


@clear
def inverse_dynamics(
    model: Model,
    q: Mapping[Any, Any] | None = None,
    u: Mapping[Any, Any] | None = None,
    u_dot: Mapping[Any, Any] | None = None,
    *,
    actuated: Iterable[str | Body] | None = None,
    time: float = 0.0,
    parameters: Mapping[str, float] | None = None,
    inputs: Mapping[str, float] | None = None,
) -> dict[str, np.ndarray]:
    """Forces along the joints that make a mechanism move as given, beside those that the model has already.

    q, u, u_dot: coordinates, joint velocities and their rates by body, as `Model.start` takes them, or by the names of
    columns ("rod.phi", "rod.w"), as `inverse_kinematics` and results have them; the rate of a joint velocity has the
    name of that. q and u that are left out are the start values, u_dot is zero. actuated: the bodies whose joints may
    bear forces, all by default.
    With closed loops the motion must agree with them; where the forces are not unique, the smallest are returned.
    Numbers of an elastic body are those of its joint, then those of its modes, forces (N) too.

    Returns for each actuated body the forces along its joint velocities (N, N.m). Raises ModelError for unknown names,
    wrong sizes, a motion that the loops do not allow or that the actuated joints cannot make.
    """
    mechanism = _Mechanism(model, parameters or {}, inputs or {}, time)
    mechanism.fill(mechanism.R, "coordinate", q or {}, "q")
    mechanism.fill(mechanism.R, "rate", u or {}, "u")
    mechanism.fill(mechanism.rates, "rate", u_dot or {}, "u_dot")
    needed, J = mechanism.needed_forces(), mechanism.checked_jacobian()
    bodies = model.bodies if actuated is None else actuated
    names = [name for name in map(mechanism.name, bodies) if mechanism.numbers(name)]
    columns = [k for name in names for k in mechanism.numbers(name)]
    others = [k for k in range(needed.size) if k not in columns]
    impulses, left, free = _solved(J.T[others], needed[others])
    if np.max(np.abs(left), initial=0.0) > AGREES * (1.0 + np.max(np.abs(needed), initial=0.0)):
        owner = next(b for b in model.bodies if others[int(np.argmax(np.abs(left)))] in mechanism.numbers(b))
        raise ModelError(
            f"the joints of {', '.join(names) or 'no body'} can't make this motion: body {owner!r} needs a force too"
        )
    pull = needed - J.T @ impulses
    pull -= J.T @ free @ np.linalg.lstsq(J.T[columns] @ free, pull[columns], rcond=1e-12)[0]
    return {name: pull[mechanism.numbers(name)] for name in names}


def _solved(A: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The least solution of A x = b, what it leaves of b, and a basis of what may be added to x."""
    U, s, V = np.linalg.svd(A, full_matrices=True)
    rank = int(np.sum(s > 1e-10 * np.max(s, initial=0.0)))
    x = V[:rank].T @ ((U[:, :rank].T @ b) / s[:rank])
    return x, b - A @ x, V[rank:].T


class _Mechanism:
    """A model's record at a given motion, and the rates of change that go with it."""

    def __init__(self, model: Model, parameters: Mapping[str, float], inputs: Mapping[str, float], time: float):
        self.model, self.runtime = model, compiled(model)
        for drive in model.drives.values():
            signals = [s for s in leaves([*drive.position, *drive.rate]) if s.role in ("input", "state")]
            if signals:
                raise ModelError(
                    f"drive {drive.name!r} follows {signals[0].role} {signals[0].name!r}, so its acceleration is not "
                    "known: inverse dynamics needs its motion as a function of time"
                )
        self.program, self.kernels = self.runtime.program, self.runtime.kernels
        self.R = self.program.new_record()
        self.R[Head.time] = time
        set_values(self.program, self.R, "parameter", parameters)
        set_values(self.program, self.R, "input", inputs)
        self.rates = np.zeros_like(self.R)
        self.u = self.program.region("u")
        self.q = self.program.region("q")

    def call(self, kernel: str, *arrays: np.ndarray) -> Any:
        return self.kernels.entry(kernel)(*arrays)

    def name(self, body: str | Body) -> str:
        name = body.name if isinstance(body, Body) else body
        if name not in self.model.bodies:
            raise ModelError(
                f"unknown body {name!r}; bodies of model {self.model.name!r}: {', '.join(self.model.bodies)}"
            )
        return name

    def _slots(self, name: str, role: str) -> list[int]:
        return [v.slot for v in self.program.of_role(role) if v.name.rsplit(".", 1)[0] == name]

    def numbers(self, name: str) -> list[int]:
        """Which joint velocities are the body's."""
        return [slot - self.u.start for slot in self._slots(name, "rate")]

    def fill(self, record: np.ndarray, role: str, values: Mapping[Any, Any], what: str) -> None:
        columns = {v.name: v.slot for v in self.program.of_role(role)}
        for body, given in values.items():
            if isinstance(body, str) and body in columns:
                record[columns[body]] = start_numbers(given, [None], f"{what} {body!r}", "a column has")[0]
                continue
            slots = self._slots(self.name(body), role)
            if any(drive.body == self.name(body) for drive in self.model.drives.values()):
                raise ModelError(f"{what} of body {self.name(body)!r}: its motion is given by a drive, leave it out")
            if follows(self.model.followers, self.name(body)):
                raise ModelError(f"{what} of body {self.name(body)!r}: its leader gives its motion, leave it out")
            owner = (
                "its joint has" if self.model.bodies[self.name(body)].elastic is None else "its joint and modes have"
            )
            record[slots] = start_numbers(given, [None] * len(slots), f"{what} of body {self.name(body)!r}", owner)

    def needed_forces(self) -> np.ndarray:
        """Rate of change of the momenta in this motion, less what the model's own forces do."""
        failed = int(self.call("prepare", self.R))
        if failed:
            raise ModelError(self.program.checks[failed - 1])
        self.call("momenta", self.R)
        if self.program.loops or "loop_state" in self.program.regions:
            self._conditions(self.R)
            self.call("forces", self.R)
        else:
            self.call("derive", self.R)
        present = self.R[self.program.rate_slice].copy()
        self.rates[self.q] = present[: self.q.stop - self.q.start]
        self.rates[Head.time] = 1.0
        self.call("momenta_d", self.R, self.rates)
        first = self.q.stop - self.q.start
        out: np.ndarray = self.rates[self.program.region("p")] - present[first : first + self.u.stop - self.u.start]
        return out

    def _conditions(self, R: np.ndarray) -> None:
        """The rows of all loops, where curves touch found anew."""
        self.call("set_start" if self.kernels.N_CONTACTS else "conditions", R)

    def checked_jacobian(self) -> np.ndarray:
        """K along the joint velocities; ModelError where the loops do not allow the motion."""
        if not self.program.loops:
            return np.zeros((0, self.u.stop - self.u.start))
        J, g, speed = self._loops(0.0)
        scale = 1.0 + np.max(np.abs(self.R[self.u]), initial=0.0) ** 2
        ahead, behind = self._loops(DIFFERENCE)[2], self._loops(-DIFFERENCE)[2]
        acceleration = (ahead - behind) / (2 * DIFFERENCE)
        for what, value in (("position", g), ("velocity", speed), ("acceleration", acceleration)):
            worst = int(np.argmax(np.abs(value)))
            if abs(value[worst]) > AGREES * scale:
                name = [loop["name"] for loop in self.program.loops for _ in loop["labels"]][worst]
                raise ModelError(
                    f"loop {name!r} does not allow this motion: its {what} misses by {abs(value[worst]):.3g}; "
                    "give q, u and u_dot of all bodies in the loop (what is left out is the start value, u_dot zero)"
                )
        return J

    def _loops(self, ahead: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Jacobian, residuals and their rates, a little ahead in the motion."""
        R = self.R + ahead * self.rates
        self._conditions(R)
        self.call("plain_inboard", R)
        J = jacobian(self.program, self.kernels, R)
        return J, R[self.program.region("residuals")], J @ R[self.u] + R[self.program.region("right")]
