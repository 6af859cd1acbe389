"""Checks of compliant contacts at a start: deep penetration, and steps too long for the stiffness."""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..infrastructure.errors import Argument, ArgumentError, ModelError
from ..infrastructure.messages.calls import warn
from ..infrastructure.messages.failures import display
from ..integrate.methods.method import Method
from ..model.forces.contacts import Contact, ContactPoint
from ..model.model import Model
from ..model.references.leaves import Signal
from ..record.layout import Fresh, Head, Status
from ..symbolic.arrays import values_along
from ..symbolic.expressions import as_expression
from ..view.poses import Rows, poses
from ..view.touches import touches
from ..view.twists import twists
from .batch import Members
from .runtime import Runtime
from .single import first_record

if TYPE_CHECKING:
    from .spec import RunSpec

#: By model what has passed last: starts, and steps with parameters.
_PASSED: weakref.WeakKeyDictionary[Model, tuple[object, object]] = weakref.WeakKeyDictionary()

DEEPEST = 0.1  #: deepest start, in sizes of the smaller shape
#: Step size times natural frequency on the contact up to which rk4 errs by 5 % of the rebound velocity, and is stable.
ACCURATE, STABLE = 1.2, 2.8
MOST_MEMBERS = 16  #: members of a batch whose starts are checked


def check_contacts(
    model: Model, runtime: Runtime, records: Callable[[], Sequence[np.ndarray]], method: Method, step: float | None
) -> None:
    """Check the compliant contacts of a model at its starts.

    records: returns records before their start, of a run, or of members of a batch. step: of fixed steps, s, or None.

    Raises ModelError for a start of a single run with deep penetration (in a batch it is a warning), and ArgumentError
    for steps with which an explicit method is unstable while shapes touch. Warns of steps with which impacts are
    inaccurate. A start that fails is not checked. A start that has passed the check is not checked again; neither are
    steps, for other start values.
    """
    if not any(isinstance(force, Contact) for force in model.forces.values()):
        return
    felt = None if method.needs_jacobian else step
    given = records()
    parameters = [v.slot for v in runtime.program.of_role("parameter")]
    starts = (model.version, model.value_version, *(R.tobytes() for R in given))
    steps = (model.version, felt, method.name, given[0][parameters].tobytes())
    passed = _PASSED.get(model, (None, None))
    if passed == (starts, steps):
        return
    warning = _warning(model, runtime, given, method, None if passed[1] == steps else felt)
    if warning is None:
        _PASSED[model] = starts, steps
    else:
        warn(warning)


def _warning(
    model: Model, runtime: Runtime, records: Sequence[np.ndarray], method: Method, step: float | None
) -> str | None:
    """Return a warning, or None. Raises as `check_contacts`. The first start that works decides on the steps."""
    for member, given in enumerate(records):
        R = given.copy()
        if runtime.kernels.enter_initialise(R) != Status.ok:
            continue
        runtime.refresh(R)
        start = _Start(model, runtime, R)
        deep = start.deep()
        if deep is not None and len(records) == 1:
            raise ModelError(deep)
        problem = start.too_long(step, method.name) if deep is None and step is not None else None
        if deep is not None or problem is not None:
            return problem or f"member {member}: {deep}"
        step = None
    return None


def first_records(runtime: Runtime, spec: RunSpec) -> list[np.ndarray]:
    """Return the record of a run before its start, or those of the first members of a batch."""
    R = first_record(runtime.program, spec.tables, spec.parameters, spec.start, spec.settings)
    if spec.batch is None:
        return [R]
    members = Members(runtime, spec.batch)
    assert members.size is not None
    records = [R.copy() for _ in range(min(members.size, MOST_MEMBERS))]
    for member, own in enumerate(records):
        own[members.places] = members.columns[:, member]
    return records


class _Start:
    """A model with compliant contacts at a start. R: its record, with the rates."""

    def __init__(self, model: Model, runtime: Runtime, R: np.ndarray):
        self.model, self.runtime, self.R = model, runtime, R
        program = runtime.program
        self.slots = {v.name: v.slot for v in program.variables}
        self.parameters = {v.name: float(R[v.slot]) for v in program.of_role("parameter")}
        self.columns = {v.name: v.slot for v in program.of_role("coordinate", "driven", "rate")}
        self.rows = self._rows(R[None, list(self.columns.values())])
        self.frames = poses(model, self.rows)
        self.touches = touches(model, self.rows, self.frames)

    def _rows(self, values: np.ndarray) -> Rows:
        """Return rows at the time of the start with values of `columns`, (rows, columns)."""
        time = np.full(len(values), self.R[Head.time])
        return Rows({"time": time, **dict(zip(self.columns, values.T, strict=True))}, self.parameters)

    # -- depth -----------------------------------------------------------------------------------------------
    def deep(self) -> str | None:
        """Return a message on the contact with the deepest penetration relative to its size, or None."""
        sizes = {}
        shares = []
        for place, (contact, k) in enumerate(self.touches.points):
            if contact.name not in sizes:
                sizes[contact.name] = [self.rows.constant(x) for x in contact.sizes()]
            shares.append(self.touches.depth[0, place] / sizes[contact.name][k])
        worst = int(np.argmax(shares))
        if not shares[worst] > DEEPEST:
            return None
        contact, k = self.touches.points[worst]
        depth = self.touches.depth[0, worst]
        return (
            f"{contact.thing}: {contact.b!r} starts {_length(depth)} inside of {contact.a!r}, more than a tenth of its "
            f"size, {_length(depth / shares[worst])}: it would be thrown out. Start it so that they just touch, or at "
            "the depth of its rest, its weight over the stiffness of all its contact points"
        )

    # -- steps -----------------------------------------------------------------------------------------------
    def too_long(self, step: float, method: str) -> str | None:
        """Return a warning of a step (s) with which impacts are inaccurate, or None.

        Raises ArgumentError for one with which the model is unstable while shapes touch.
        """
        squares = self._squared_frequencies()
        stiffest = int(np.argmax(squares))
        frequency = math.sqrt(squares[stiffest])
        if not step * frequency > ACCURATE:
            return None
        contact = self.touches.points[stiffest][0]
        where = (
            f"the effective mass at {contact.thing} oscillates on its stiffness at {frequency:.3g} rad/s, so an impact "
            f"lasts {_time(math.pi / frequency)}"
        )
        remedy = f"give a step of at most {_time(0.3 / frequency)}, or a lower stiffness="
        if step * frequency > STABLE:
            raise ArgumentError(
                Argument("step"),
                f" is {display(step)} s, but {where}: fixed steps of method {method!r} add energy at each impact and "
                f"explode: {remedy}",
            )
        return (
            f"model {self.model.name!r}: {where}. Steps of {step:g} s are too long for it: impacts are in error, and "
            f"may add energy; {remedy}"
        )

    def _squared_frequencies(self) -> np.ndarray:
        """Return the square of the natural frequency on each contact point, 1/s²; zero where nothing can move.

        A unit impulse along each joint velocity gives velocities W e (the inverse mass matrix W) and twists V e of all
        bodies, so that a wrench impulse on a body gives the twists V W⁺ Vᵀ. A unit impulse at a contact point, the
        wrenches J, changes the rate of its depth by J V W⁺ Vᵀ Jᵀ, the inverse of the effective mass at the contact.
        """
        pairs = [contact.points[k] for contact, k in self.touches.points]
        bodies = list(dict.fromkeys(surface.body for pair in pairs for surface in (pair.a, pair.b)))
        W, V = self._responses(bodies)
        size = len(bodies)
        flat = V.reshape(len(V), 6 * size)
        inverse = (flat.T @ np.linalg.pinv(W, rcond=1e-12, hermitian=True) @ flat).reshape(size, 6, size, 6)
        number = {body: k for k, body in enumerate(bodies)}
        ends = np.array([[number[pair.a.body], number[pair.b.body]] for pair in pairs])
        blocks, J = inverse[ends[:, :, None], :, ends[:, None, :], :], self._wrenches(pairs)
        felt = np.einsum("psi,pstij,ptj->p", J, blocks, J)
        stiffness = [self._stiffness(contact, depth) for (contact, _), depth in self._points()]
        return np.asarray(np.maximum(felt, 0.0) * np.array(stiffness))

    def _points(self) -> Iterator[tuple[tuple[Contact, int], float]]:
        return zip(self.touches.points, self.touches.depth[0].tolist(), strict=True)

    def _wrenches(self, pairs: Sequence[ContactPoint]) -> np.ndarray:
        """Return the wrenches of unit normal forces at contact points on a and b, (points, 2, 6).

        They are about the origins of the bodies, in world axes.
        """
        x, R = (np.array([getattr(self.frames[pair.b.body], name)[0] for pair in pairs]) for name in ("x", "R"))
        from_a = x - np.array([self.frames[pair.a.body].x[0] for pair in pairs])
        origins = self.rows.values([number for pair in pairs for number in pair.b.origin])[0].reshape(-1, 3)
        arm = np.einsum("pij,pj->pi", R, origins) + self.touches.arm[0]
        normal = self.touches.normal[0]
        on_b = np.concatenate([normal, np.cross(arm, normal)], axis=1)
        on_a = np.concatenate([-normal, np.cross(arm + from_a, -normal)], axis=1)
        return np.stack([on_a, on_b], axis=1)

    def _responses(self, bodies: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """Return the changes of the joint velocities, (u, u), and of the twists of bodies, (u, bodies, 6), by unit
        impulses along each joint velocity."""
        p, u, driven = (self.runtime.program.region(name) for name in ("p", "u", "driven_u"))
        slots = np.array(list(self.columns.values()))
        rates = np.isin(slots, np.r_[u, driven])
        kept = np.r_[u, slots]
        pushed = np.array([self._pushed(k)[kept] for k in range(p.start, p.stop)]).reshape(-1, len(kept))
        changes = np.split(pushed - self.R[kept], [u.stop - u.start], axis=1)
        inverse, velocities = changes[0], changes[1] * rates
        scales = np.maximum(
            np.abs(velocities).max(axis=1, keepdims=True), 1e-300
        )  # differences of poses then err little
        still = np.where(rates, 0.0, self.R[slots])  # a row at rest, from whose twists those of the others are counted
        at = twists(self.model, self._rows(np.vstack([still, still + velocities / scales])))
        V = np.stack([np.concatenate([at[body].v, at[body].w], axis=1) for body in bodies], axis=1)
        return 0.5 * (inverse + inverse.T), (V[1:] - V[:1]) * scales[:, None]

    def _pushed(self, momentum: int) -> np.ndarray:
        """Return the record after a unit impulse along one joint velocity, with the rates."""
        R = self.R.copy()
        R[momentum] += 1.0
        R[Head.fresh] = Fresh.stale
        self.runtime.refresh(R)
        return R

    def _stiffness(self, contact: Contact, depth: float) -> float:
        """Return the stiffness of a contact point, N/m; zero if it depends on more than signals."""
        slope = contact.normal.slope(as_expression(max(depth, 0.0)))
        try:
            return float(values_along([slope], 1, self._signal)[0, 0])
        except KeyError:
            return 0.0

    def _signal(self, reference: Any) -> float:
        """Return the value of a signal. Raises KeyError for other references."""
        if not isinstance(reference, Signal):
            raise KeyError(reference)
        return float(self.R[Head.time if reference.role == "time" else self.slots[reference.name]])


def _length(x: float) -> str:
    return f"{1e3 * x:.3g} mm" if x < 1.0 else f"{x:.3g} m"


def _time(t: float) -> str:
    return f"{1e3 * t:.2g} ms" if t < 1.0 else f"{t:.2g} s"
