"""Inverse dynamics: the forces that a prescribed motion requires."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..infrastructure.arguments import ParameterValues
from ..infrastructure.errors import ModelError
from ..infrastructure.lazy_dataclasses import dataclass
from ..infrastructure.messages.calls import with_clear_errors
from ..infrastructure.messages.failures import display
from ..infrastructure.messages.names import listed
from ..infrastructure.messages.suggestions import did_you_mean
from ..model.checks import start_numbers
from ..model.geometry.vectors import number_array
from ..model.items import Body
from ..model.model import Model
from ..record.blocks import HeadNumbers
from ..run.inputs import set_values
from ..run.simulate import compiled
from ..symbolic.graph import leaves
from .rows import jacobian

DIFFERENCE = 1e-6  #: step of central differences that check a motion, s
AGREES = 1e-5  #: relative residual of loops below which a motion agrees with them


@with_clear_errors
def inverse_dynamics(
    model: Model,
    q: Mapping[Any, Any] | None = None,
    u: Mapping[Any, Any] | None = None,
    u_dot: Mapping[Any, Any] | None = None,
    *,
    actuated: Iterable[str | Body] | None = None,
    inputs: Mapping[str, float] | None = None,
    parameters: ParameterValues | None = None,
    time: float | np.ndarray = 0.0,
) -> dict[str, np.ndarray]:
    """Return the generalized forces that a prescribed motion requires, in addition to those of the model.

    q, u, u_dot: coordinates, joint velocities and their rates by body, as in `Model.start`, or by names of columns
    ("rod.phi", "rod.w"), as in `inverse_kinematics` and results; the rate of a joint velocity has that velocity's name.
    Omitted q and u are the start values; omitted u_dot is zero.
    actuated: bodies whose joints may have forces, by default all.
    inputs, parameters: values by name.
    time: s.

    A motion of a model with closed loops must satisfy them; if the forces are not unique, the smallest are returned.
    For an elastic body, the values of its vibration modes follow those of its joint; so do the generalized forces of
    its modes (N).

    One call can compute a sampled motion at n instants. Then a single value, such as `time` or a column of results, is
    an array of shape (n,), and the k values of a body are an array of shape (n, k). Values without this dimension apply
    to all instants.

    Returns for each actuated body the forces along its k joint velocities (N, N.m), of shape (k,), or (n, k) for n
    instants. Raises ModelError for unknown names, wrong sizes, and a motion that the loops do not allow or that the
    actuated joints cannot produce.
    """
    mechanism = _Mechanism(model, parameters or {}, inputs or {})
    motion = [
        _Prescribed(mechanism.R, [int(HeadNumbers.time)], _instants(time, 1, "time", "there is"), "time"),
        *mechanism.motion_values(mechanism.R, "coordinate", q or {}, "q"),
        *mechanism.motion_values(mechanism.R, "rate", u or {}, "u"),
        *mechanism.motion_values(mechanism.rates, "rate", u_dot or {}, "u_dot"),
    ]
    bodies = model.bodies if actuated is None else actuated
    numbers = {name: mechanism.numbers(name) for name in map(mechanism.name, bodies)}
    numbers = {name: own for name, own in numbers.items() if own}
    count = _count(motion)
    try:
        forces = mechanism.all_forces(motion, 1 if count is None else count, numbers)
    except _AtInstant as error:
        raise ModelError(str(error) if count is None else f"instant {error.number}: {error}") from None
    return {name: forces[0, own] if count is None else forces[:, own] for name, own in numbers.items()}


@dataclass(frozen=True)
class _Prescribed:
    """Prescribed values of a motion and their indices in a record: values of shape (k,), or (n, k) for n instants."""

    record: np.ndarray
    slots: list[int]
    values: np.ndarray
    thing: str


class _AtInstant(ModelError):
    """Error for a motion that is impossible at one instant. `number` is the index of the instant."""

    def __init__(self, message: str):
        super().__init__(message)
        self.number = 0


def _instants(value: Any, size: int, thing: str, owner: str) -> np.ndarray:
    """Return `size` numbers, or an array (n, size) for n instants. Raises ModelError."""
    if isinstance(value, (list, tuple, np.ndarray)) and np.ndim(value) == 2 - (size == 1 and np.ndim(value) == 1):
        array = number_array(value, thing)
        if not (array.ndim == 1 and array.size == 1):
            array = array.reshape(-1, 1) if array.ndim == 1 else array
            if array.shape[1] != size:
                raise ModelError(f"{thing}: {owner} {size} at every instant, {array.shape[1]} given")
            wrong = np.flatnonzero(~np.all(np.isfinite(array), axis=1))
            if wrong.size:
                raise ModelError(f"{thing} at instant {wrong[0]} is {display(array[wrong[0]])}: it must be finite")
            return array
    return np.array(start_numbers(value, [None] * size, thing, owner))


def _count(motion: Sequence[_Prescribed]) -> int | None:
    """Return the number of instants; None for single values. Raises ModelError if numbers differ."""
    counts = {part.thing: len(part.values) for part in motion if part.values.ndim == 2}
    first = next(iter(counts), "")
    for thing, count in counts.items():
        if count != counts[first]:
            raise ModelError(f"{first} has {counts[first]} instants, {thing} has {count}: give as many of each")
    return next(iter(counts.values()), None)


def _solved(A: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the least-squares solution of A x = b of least norm, its residual, and a null-space basis, by columns."""
    U, s, V = np.linalg.svd(A, full_matrices=True)
    rank = int(np.sum(s > 1e-10 * np.max(s, initial=0.0)))
    x = V[:rank].T @ ((U[:, :rank].T @ b) / s[:rank])
    return x, b - A @ x, V[rank:].T


def _together(motion: Sequence[_Prescribed], record: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the indices (k,) of the values of a record that vary between instants, and these values, (n, k)."""
    varying = [part for part in motion if part.values.ndim == 2]
    mine = [part for part in varying if part.record is record]
    slots = [slot for part in mine for slot in part.slots]
    rows = len(varying[0].values) if varying else 1
    return np.array(slots, dtype=int), np.hstack([np.empty((rows, 0)), *(part.values for part in mine)])


class _Mechanism:
    """A compiled model with a record `R` at a prescribed motion, and the time derivatives `rates` of the record."""

    def __init__(self, model: Model, parameters: ParameterValues, inputs: Mapping[str, float]):
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
        set_values(self.program, self.R, "parameter", parameters)
        set_values(self.program, self.R, "input", inputs)
        self.rates = np.zeros_like(self.R)
        self.u = self.program.region("u")
        self.q, self.p = self.program.region("q"), self.program.region("p")
        self.f = self.program.rate_slice
        self.closing = bool(self.program.loops) or "loop_state" in self.program.regions
        self.moving = sum(bool(self.numbers(name)) for name in model.bodies)  #: number of bodies with joint velocities
        self.entry = functools.cache(self.kernels.entry)

    def call(self, kernel: str, *arrays: np.ndarray) -> Any:
        return self.entry(kernel)(*arrays)

    def name(self, body: str | Body, columns: Iterable[str] = ()) -> str:
        """Return the name of a body. Raises ModelError for an unknown one; `columns` could have been meant too."""
        name = body.name if isinstance(body, Body) else body
        if name not in self.model.bodies:
            message = f"unknown body {name!r}{did_you_mean(name, [*columns, *self.model.bodies])}"
            raise ModelError(f"{message}; bodies of model {self.model.name!r}: {listed(self.model.bodies)}")
        return name

    def _slots(self, name: str, role: str) -> list[int]:
        return [v.slot for v in self.program.of_role(role) if v.name.rsplit(".", 1)[0] == name]

    def numbers(self, name: str) -> list[int]:
        """Return the indices of the body's joint velocities."""
        return [slot - self.u.start for slot in self._slots(name, "rate")]

    def motion_values(
        self, record: np.ndarray, role: str, values: Mapping[Any, Any], what: str
    ) -> Iterator[_Prescribed]:
        """Yield the prescribed values of a motion, by bodies and by columns. Raises ModelError."""
        columns = {v.name: v.slot for v in self.program.of_role(role)}
        for body, entry in values.items():
            if isinstance(body, str) and body in columns:
                thing = f"{what} {body!r}"
                yield _Prescribed(record, [columns[body]], _instants(entry, 1, thing, "a column has"), thing)
                continue
            name = self.name(body, columns)
            thing, slots = f"{what} of body {name!r}", self._slots(name, role)
            if any(drive.body == name for drive in self.model.drives.values()):
                raise ModelError(f"{thing}: a drive prescribes its motion, leave it out")
            if self.model.followers.on(name):
                raise ModelError(f"{thing}: its leader determines its motion, leave it out")
            owner = "its joint has" if self.model.bodies[name].elastic is None else "its joint and modes have"
            yield _Prescribed(record, slots, _instants(entry, len(slots), thing, owner), thing)

    def all_forces(self, motion: Sequence[_Prescribed], count: int, numbers: Mapping[str, list[int]]) -> np.ndarray:
        """Return forces along all joint velocities at every instant; zero for joints that are not in `numbers`."""
        failed = int(self.call("prepare", self.R))
        if failed:
            raise ModelError(self.program.checks[failed - 1])
        for part in motion:
            if part.values.ndim == 1:
                part.record[part.slots] = part.values
        begun, rates = self.R.copy(), self.rates.copy()
        varying = [_together(motion, record) for record in (self.R, self.rates)]
        forces = np.empty((count, self.u.stop - self.u.start))
        for k in range(count):
            self.R[:], self.rates[:] = begun, rates  # results at an instant do not depend on other instants
            for record, (slots, values) in zip((self.R, self.rates), varying, strict=True):
                record[slots] = values[k]
            try:
                forces[k] = self.forces_at(numbers)
            except _AtInstant as error:
                error.number = k
                raise
        return forces

    def forces_at(self, numbers: Mapping[str, list[int]]) -> np.ndarray:
        """Return forces along all joint velocities for the motion in the record."""
        needed = self.needed_forces()
        if not self.program.loops and len(numbers) == self.moving:
            return needed
        J = self.checked_jacobian()
        columns = [k for own in numbers.values() for k in own]
        others = [k for k in range(needed.size) if k not in columns]
        impulses, left, free = _solved(J.T[others], needed[others])
        if np.max(np.abs(left), initial=0.0) > AGREES * (1.0 + np.max(np.abs(needed), initial=0.0)):
            worst = others[int(np.argmax(np.abs(left)))]
            owner = next(b for b in self.model.bodies if worst in self.numbers(b))
            actuated = listed(numbers, "no body")
            raise _AtInstant(f"the joints of {actuated} can't make this motion: body {owner!r} needs a force too")
        forces = needed - J.T @ impulses
        forces -= J.T @ free @ np.linalg.lstsq(J.T[columns] @ free, forces[columns], rcond=1e-12)[0]
        return np.asarray(forces)

    def needed_forces(self) -> np.ndarray:
        """Return the missing generalized forces, (velocities,): ṗ of the motion minus ṗ by the model's own forces."""
        self.call("momenta", self.R)
        if self.closing:
            self._conditions(self.R)
            self.call("forces", self.R)
        else:
            if self.program.feet:
                self.call("find_feet", self.R)
            self.call("derive", self.R)
        first = self.q.stop - self.q.start
        present = self.R[self.f].copy()
        self.rates[self.q] = present[:first]
        self.rates[HeadNumbers.time] = 1.0
        self.call("momenta_d", self.R, self.rates)
        return np.asarray(self.rates[self.p] - present[first : first + self.u.stop - self.u.start])

    def _conditions(self, R: np.ndarray) -> None:
        """Compute the rows of all loops, including the contact points of curves."""
        self.call("prepare_assembly" if self.kernels.N_CONTACTS else "conditions", R)

    def checked_jacobian(self) -> np.ndarray:
        """Return the Jacobian of the rows, (rows, velocities). Raises ModelError if loops do not allow the motion."""
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
                raise _AtInstant(
                    f"loop {name!r} does not allow this motion: its {what} misses by {abs(value[worst]):.3g}; "
                    "give q, u and u_dot of all bodies in the loop (by default start values, and zero for u_dot)"
                )
        return J

    def _loops(self, ahead: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the Jacobian, the residuals and their rates (L1), `ahead` seconds later in the motion."""
        R = self.R + ahead * self.rates
        self._conditions(R)
        self.call("plain_inboard", R)
        J = jacobian(self.program, self.kernels, R)
        return J, R[self.program.region("residuals")], J @ R[self.u] + R[self.program.region("right")]
