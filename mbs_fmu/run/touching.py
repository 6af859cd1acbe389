"""Checks of compliant contacts at a start: shapes deep inside of each other, and steps too long for their stiffness."""

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
from ..model.forces.contacts import Contact
from ..model.model import Model
from ..model.references.leaves import Signal
from ..record.layout import Fresh, Head, Status
from ..symbolic.arrays import values_along
from ..symbolic.expressions import as_expression
from ..view.poses import Rows, poses
from ..view.touches import Touches, touches
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
PROBE = 1e-6  #: relative displacement for differences
MOST_MEMBERS = 16  #: members of a batch whose starts are checked


def check_contacts(
    model: Model, runtime: Runtime, records: Callable[[], Sequence[np.ndarray]], method: Method, step: float | None
) -> None:
    """Check the compliant contacts of a model at its starts.

    records: returns records before their start, of a run, or of members of a batch. step: of fixed steps, s, or None.

    Raises ModelError for shapes of a single run that start deep inside of each other (a warning in a batch), and
    ArgumentError for steps with which an explicit method is unstable while shapes touch. Warns of steps with which
    impacts err. A start that fails is not checked, a start that has passed is not checked again, and steps that have
    passed are not checked again for other start values.
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
        self.columns = {"time": Head.time, **{v.name: v.slot for v in program.of_role("coordinate")}}
        self.coordinates = np.array(list(self.columns.values()))
        self.rows, self.touches = self._at(R[None, self.coordinates])

    def _at(self, coordinates: np.ndarray) -> tuple[Rows, Touches]:
        """Return rows and contact points at time and coordinates, (rows, columns)."""
        rows = Rows(dict(zip(self.columns, coordinates.T, strict=True)), self.parameters)
        return rows, touches(self.model, rows, poses(self.model, rows))

    # -- depth -----------------------------------------------------------------------------------------------
    def deep(self) -> str | None:
        """Return a message on the shape that starts deepest inside of another, compared with its size, or None."""
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
        """Return a warning of a step (s) with which impacts err, or None.

        Raises ArgumentError for one with which the model is unstable while shapes touch.
        """
        squares = self._squared_frequencies()
        stiffest = int(np.argmax(squares))
        frequency = math.sqrt(squares[stiffest])
        if not step * frequency > ACCURATE:
            return None
        contact = self.touches.points[stiffest][0]
        where = (
            f"the mass that {contact.thing} feels oscillates on its stiffness at {frequency:.3g} rad/s, so an impact "
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

        A unit impulse along each joint velocity gives velocities W e (the inverse mass matrix W) and rates of all
        depths a = J W e, so that a unit impulse at the contact changes the rate of its depth by J W Jᵀ = a W⁺ aᵀ, the
        inverse of the mass that the contact feels.
        """
        W, a = self._responses()
        inverse = np.sum(a * (np.linalg.pinv(W, rcond=1e-12, hermitian=True) @ a), axis=0)
        stiffness = [self._stiffness(contact, depth) for (contact, _), depth in self._points()]
        return np.asarray(np.maximum(inverse, 0.0) * np.array(stiffness))

    def _points(self) -> Iterator[tuple[tuple[Contact, int], float]]:
        return zip(self.touches.points, self.touches.depth[0].tolist(), strict=True)

    def _responses(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the changes of the joint velocities, (u, u), and of the rates of all depths, (u, points), by unit
        impulses along each joint velocity."""
        program = self.runtime.program
        q, p, u = (program.region(name) for name in ("q", "p", "u"))
        q_dot = slice(program.rate_slice.start, program.rate_slice.start + q.stop - q.start)
        W, moved, scales = [], [self.R[self.coordinates]], []
        for k in range(p.start, p.stop):
            pushed = self._changed(slice(k, k + 1), 1.0)
            W.append(pushed[u] - self.R[u])
            way = pushed[q_dot] - self.R[q_dot]
            scales.append(PROBE / max(float(np.abs(way).max(initial=0.0)), 1e-300))
            moved.append(self._changed(q, scales[-1] * way)[self.coordinates])
        _, at = self._at(np.array(moved))
        inverse = np.array(W)
        return 0.5 * (inverse + inverse.T), (at.depth[1:] - at.depth[:1]) / np.array(scales)[:, None]

    def _changed(self, where: slice, change: float | np.ndarray) -> np.ndarray:
        """Return the record after a change of its state, with the rates."""
        R = self.R.copy()
        R[where] += change
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
