"""`trim`: equilibria and steady motions, by Newton's method on generalised forces (docs/equations.md, N5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import ArgumentError, ModelError
from ..model.checks import finite_number
from ..model.model import Model
from ..record.calls import clear
from .linear_model import LinearModel
from .linearize import linear_model
from .mechanism import Mechanism
from .point import Point

MOST_STEPS = 60  #: of Newton's method from one start
MOST_TURN = 0.5  #: of a step in any position, rad or m
MOST_WAY = 0.3  #: of a step of a continuation in any coordinate, rad or m
LEAST_SHARE = 1 / 256  #: of the held velocities by which a continuation goes on
SLIGHT = 1e-5  #: rad or m: steps of differences of the inertia


@clear
def trim(
    model: Model, *, start: Mapping[str, float] | None = None, inputs: Mapping[str, float] | None = None,
    free: Sequence[str] | None = None, parameters: Mapping[str, float] | None = None, time: float = 0.0,
    tolerance: float = 1e-11, independent: Sequence[str] | None = None,
) -> LinearModel:  # fmt: skip
    """The linear model about an equilibrium or a steady motion near a start: velocities and signal states don't change.

    start, inputs, parameters, time, independent: as `linearize` takes them; a rough guess will do. free: names of what
    is to be found, of states of the linear model (positions, velocities, signal states) and inputs; by default all
    positions that loops leave free, and all signal states. All else stays as it starts: velocities of zero give an
    equilibrium, others a steady motion. tolerance: of the rates, beside the largest derivative of any.

    Where Newton's method fails from there or finds what is unstable, the velocities that are held are brought in by and
    by, beginning with the equilibrium at none of them; of two steady motions the stable one is told. Raises ModelError
    with the forces that are left, where that fails too, and where `linearize` does.
    """
    mechanism = Mechanism(model)
    R = mechanism.record(start or {}, inputs or {}, parameters or {}, time)
    mechanism.begin(R)
    point = Point(mechanism, R, independent)
    search = _Search(_to_find(point, free), finite_number(tolerance, "tolerance"))
    found = search.newton(point)
    if not (search.done(found) and _is_stable(found)):
        other = _by_and_by(search, point)
        if other is not None and (not search.done(found) or _is_stable(other)):
            found = other
    if not search.done(found):
        raise ModelError(f"no steady motion found from there; {_left(found)}. Give another start, or more to be free")
    return linear_model(found, parameters or {})


def _is_stable(point: Point) -> bool:
    """Whether nothing grows, but for what rounding makes of eigenvalues that are zero."""
    values = linear_model(point, {}).modes().values
    return bool(np.max(values.real, initial=0.0) <= 1e-6 * (1.0 + np.max(np.abs(values), initial=0.0)))


def _to_find(point: Point, free: Sequence[str] | None) -> _Unknowns:
    """What is to be found; ArgumentError for a name that can't be."""
    positions, velocities, _ = point.counts
    inputs = [v.name for v in point.mechanism.program.of_role("input")]
    if free is None:
        chosen = [k for k in range(len(point.states)) if not positions <= k < positions + velocities]
        return _Unknowns(chosen, [])
    names = list(free)
    for name in names:
        if name not in [*point.states, *inputs]:
            raise ArgumentError(f"free: {name!r} can't be found; what can be: {', '.join([*point.states, *inputs])}")
    return _Unknowns(
        [point.states.index(name) for name in names if name in point.states],
        [inputs.index(name) for name in names if name not in point.states],
    )


@dataclass(frozen=True)
class _Unknowns:
    """Numbers of the states and of the inputs that are to be found."""

    states: list[int]
    inputs: list[int]

    def moved(self, point: Point, step: np.ndarray) -> Point:
        """The point further by a step of what is unknown."""
        x, y = np.zeros(len(point.states)), np.zeros(point.mechanism.program.regions["inputs"][1])
        x[self.states], y[self.inputs] = step[: len(self.states)], step[len(self.states) :]
        return point.moved(x, y)


def forces(point: Point) -> np.ndarray:
    """What keeps a motion from being steady (N5): M_r w' along independent velocities, then rates of signals."""
    rates = point.rates[len(point.own_positions) :]
    n = len(point.own_rates)
    return np.concatenate([point.mass_matrix() @ rates[:n], rates[n:]])


class _Search:
    """Newton's method with damping, in forces: far from a solution accelerations tell little.

    Forces are compared by the inertia that they move at the start.
    """

    def __init__(self, unknowns: _Unknowns, tolerance: float):
        self.unknowns, self.tolerance = unknowns, tolerance

    def done(self, point: Point) -> bool:
        """Whether rates are zero, beside what the derivatives of all rates make of rounding."""
        rates = point.rates[len(point.own_positions) :]
        return bool(np.max(np.abs(rates), initial=0.0) <= self.tolerance * self.size(point))

    def size(self, point: Point) -> float:
        A = linear_model(point, {}).A[len(point.own_positions) :]
        return float(1.0 + np.max(np.abs(A), initial=0.0))

    def newton(self, point: Point) -> Point:
        """The last point of the iteration."""
        weights = self.weights(point)
        left, damping = weights * forces(point), 1e-3
        for _ in range(MOST_STEPS):
            J = weights[:, None] * self.slopes(point)
            sizes = np.maximum(np.linalg.norm(J, axis=0), 1e-12)
            while True:
                step = self.step(J, left, damping, sizes)
                further = self.attempt(point, step)
                now = None if further is None else weights * forces(further)
                if now is not None and np.linalg.norm(now) < np.linalg.norm(left):
                    break
                damping = max(10.0 * damping, 1e-6)
                if damping > 1e6:
                    return point
            assert further is not None and now is not None
            point, left, damping = further, now, 0.1 * damping if damping > 1e-12 else 0.0
            if np.max(np.abs(step), initial=0.0) < 1e-9 and self.done(point):
                return point
        return point

    def weights(self, point: Point) -> np.ndarray:
        """One over the root of the inertia of each independent velocity; of signals 1."""
        inertia = np.sqrt(np.diag(point.mass_matrix()))
        return np.concatenate([1.0 / inertia, np.ones(len(point.own_states))])

    def step(self, J: np.ndarray, left: np.ndarray, damping: float, sizes: np.ndarray) -> np.ndarray:
        """The damped step, at most half a radian or metre."""
        stacked = np.vstack([J / sizes, np.sqrt(damping) * np.eye(sizes.size)])
        step = np.linalg.lstsq(stacked, -np.concatenate([left, np.zeros(sizes.size)]), rcond=1e-12)[0] / sizes
        most = np.max(np.abs(step[: len(self.unknowns.states)]), initial=0.0)
        return np.asarray(step * min(1.0, MOST_TURN / most if most > 0.0 else 1.0))

    def attempt(self, point: Point, step: np.ndarray) -> Point | None:
        """The point further by a step; None where there is none."""
        try:
            return self.unknowns.moved(point, step)
        except ModelError:  # the loops do not close there, say
            return None

    def slopes(self, point: Point) -> np.ndarray:
        """Derivatives of `forces` by what is unknown: exact where they vanish, elsewhere with differences of M_r."""
        lin = linear_model(point, {})
        first, n = len(point.own_positions), len(point.own_rates)
        slopes = np.hstack([lin.A[first:, self.unknowns.states], lin.B[first:, self.unknowns.inputs]])
        slopes[:n] = point.mass_matrix() @ slopes[:n]
        w_dot = point.rates[first:][:n]
        for j, k in enumerate(self.unknowns.states):
            if k < first and np.any(w_dot):
                ends = [self.attempt(point, sign * SLIGHT * np.eye(slopes.shape[1])[j]) for sign in (1.0, -1.0)]
                if ends[0] is not None and ends[1] is not None:
                    slopes[:n, j] += (ends[0].mass_matrix() - ends[1].mass_matrix()) @ w_dot / (2 * SLIGHT)
        return np.asarray(slopes)


def _by_and_by(search: _Search, point: Point) -> Point | None:
    """The steady motion with the velocities that are held, from the one without any; None where that leads nowhere.

    A step that leads far, or from what is stable to what isn't, has gone astray: shorter ones are tried.
    """
    first, n = len(point.own_positions), len(point.own_rates)
    held = np.zeros(len(point.states))
    held[first : first + n] = point.R[point.mechanism.u][point.own_rates]
    held[[k for k in search.unknowns.states if first <= k < first + n]] = 0.0
    if not np.any(held):
        return None
    found = search.newton(point.moved(-held))
    share, ahead = 0.0, 0.25
    while share < 1.0 and search.done(found):
        to = min(1.0, share + ahead)
        further = search.newton(found.moved((to - share) * held))
        strayed = np.max(np.abs((further.R - found.R)[point.mechanism.q]), initial=0.0) > MOST_WAY
        if search.done(further) and not strayed and (_is_stable(further) or not _is_stable(found)):
            found, share, ahead = further, to, 1.5 * ahead
        elif ahead < LEAST_SHARE:
            return None
        else:
            ahead *= 0.5
    return found if search.done(found) else None


def _left(point: Point) -> str:
    """The forces that are left, joint by joint, the largest first."""
    m = point.mechanism
    names = [m.rate_names[k] for k in point.own_rates] + point.states[len(point.own_positions) + len(point.own_rates) :]
    units = ["N.m" if m.rate_units[k].startswith("rad") else "N" for k in point.own_rates] + ["1/s"] * len(names)
    told = sorted(zip(forces(point), names, units, strict=False), key=lambda x: -abs(x[0]))
    shown = ", ".join(f"{name}: {x:.3g} {unit}" for x, name, unit in told[:6] if abs(x) > 1e-9 * abs(told[0][0]))
    return f"what is left along its velocities is {shown}"
