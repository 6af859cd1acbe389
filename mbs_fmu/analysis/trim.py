"""`trim`: equilibria and steady motions, by Newton's method on generalised forces (docs/equations.md, N5)."""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..arguments import finite
from ..errors import Argument, ArgumentError, ModelError
from ..messages.calls import with_clear_errors
from ..messages.failures import display
from ..messages.names import listed
from ..messages.suggestions import did_you_mean
from ..model.checks import finite_number
from ..model.model import Model
from ..run.simulate import simulate
from ..run.spinning import warn_of_spins_at
from .linear_model import LinearModel
from .linearize import linear_model
from .mechanism import Mechanism, Numbers
from .point import Point

MOST_STEPS = 60  #: of Newton's method from one start
MOST_TURN = 0.5  #: of a step in any position or velocity (rad, m or these per s); signal states have any unit
MOST_WAY = 0.3  #: of a step of a continuation in any coordinate, rad or m
LEAST_SHARE = 1 / 256  #: of the held velocities by which a continuation goes on
SLIGHT = 1e-5  #: rad or m: steps of differences of the inertia
MOST_VAIN = 4  #: steps of Newton's method in a row after which most of the forces are still such that nothing resists
NOTHING = 1e-10  #: of the largest column of the slopes: smaller ones are what differences make of rounding
SINGULAR = 1e-9  #: of the largest singular value of the slopes, columns scaled: smaller ones resist nothing


@with_clear_errors
def trim(
    model: Model, *, start: Mapping[str, float] | None = None, inputs: Mapping[str, float] | None = None,
    free: Sequence[str] | None = None, parameters: Mapping[str, float] | None = None, time: float = 0.0,
    tolerance: float = 1e-11, independent: Sequence[str] | None = None, settle: float = 0.0,
) -> LinearModel:  # fmt: skip
    """The linear model about an equilibrium or a steady motion near a start: velocities and signal states don't change.

    start, inputs, parameters, time, independent: as `linearize` takes them; a rough guess will do. free: names of what
    is to be found, of states of the linear model (positions, velocities, signal states) and inputs; by default all
    positions that loops leave free, and all signal states. All else stays as it starts: velocities of zero give an
    equilibrium, others a steady motion. tolerance: of the rates, beside the largest derivative of any. settle: s; the
    search begins where a run from the start is after that time: what is to be found, and all positions and signal
    states, are taken from its end, which is at `time`.

    Where Newton's method fails from there or finds what is unstable, the velocities that are held are brought in by and
    by, beginning with the equilibrium at none of them; of two steady motions the stable one is returned. Raises
    ModelError with the forces that are left, and the velocities along which nothing resists them, where that fails too,
    and where `linearize` and the run of `settle` do.
    """
    mechanism = Mechanism(model)
    start = start or {}
    duration = Argument("settle")
    if finite(settle, duration) < 0.0:
        said = f" must not be negative, not {display(settle)}: give the seconds of a run before the search"
        raise ArgumentError(duration, said)
    if settle > 0.0:
        start = _settled(mechanism, settle, start, inputs or {}, parameters or {}, time, free)
    R = mechanism.record(start, inputs or {}, parameters or {}, time)
    mechanism.begin(R)
    point = Point(mechanism, R, independent)
    search = _Search(_to_find(point, free), finite_number(tolerance, "tolerance"))
    found = search.newton(point)
    if not (search.done(found) and search.is_stable(found)):
        other = _by_and_by(search, point)
        if other is not None and (not search.done(found) or search.is_stable(other)):
            found = other
    if not search.done(found):
        raise ModelError(f"no steady motion found from there; {_left(found)}. ", *search.remedy(point, found))
    warn_of_spins_at(model, mechanism.runtime, found.R)
    return linear_model(found, parameters or {})


def _settled(
    mechanism: Mechanism, settle: float, start: Numbers, inputs: Numbers, parameters: Numbers, time: float,
    free: Sequence[str] | None,
) -> dict[str, float]:  # fmt: skip
    """Start values from the end of a run: coordinates, signal states, and velocities that are to be found."""
    given = {name: signal.start for name, signal in mechanism.model.inputs.items()} | dict(inputs)
    end = simulate(
        mechanism.model, time, start_time=time - settle, start=start, inputs=given, parameters=parameters,
        output_interval=settle,
    )  # fmt: skip
    names = [v.name for v in mechanism.program.of_role("coordinate", "state")]
    names += [v.name for v in mechanism.program.of_role("rate") if v.name in (free or ())]
    return dict(start) | {name: float(end[name][-1]) for name in names}


def _to_find(point: Point, free: Sequence[str] | None) -> _Unknowns:
    """The unknowns; ArgumentError for a name that can't be one."""
    positions, velocities, _ = point.counts
    inputs = [v.name for v in point.mechanism.program.of_role("input")]
    if free is None:
        chosen = [k for k in range(len(point.states)) if not positions <= k < positions + velocities]
        return _Unknowns(chosen, [], positions + velocities)
    if isinstance(free, str):
        raise ArgumentError(f"free is {free!r}: give a list of names, [{free!r}]")
    names, known = list(free), [*point.states, *inputs]
    for name in names:
        if name not in known:
            said = f"free: {display(name)} can't be found{did_you_mean(name, known)}"
            raise ArgumentError(f"{said}; what can be: {listed(known)}")
    return _Unknowns(
        [point.states.index(name) for name in names if name in point.states],
        [inputs.index(name) for name in names if name not in point.states],
        positions + velocities,
    )


@dataclass(frozen=True)
class _Unknowns:
    """Numbers of the states and of the inputs that are to be found; signals are the states from `moving` on."""

    states: list[int]
    inputs: list[int]
    moving: int

    def moved(self, point: Point, step: np.ndarray) -> Point:
        """The point further by a step of what is unknown."""
        x, y = np.zeros(len(point.states)), np.zeros(point.mechanism.program.regions["inputs"][1])
        x[self.states], y[self.inputs] = step[: len(self.states)], step[len(self.states) :]
        return point.moved(x, y)


def forces(point: Point) -> np.ndarray:
    """Forces that keep a motion from being steady (N5): M_r w' along independent velocities, then rates of signals."""
    rates = point.rates[len(point.own_positions) :]
    n = len(point.own_rates)
    return np.concatenate([point.inertial(rates[:n]), rates[n:]])


class _Search:
    """Newton's method with damping, in forces: far from a solution accelerations are poor measures.

    Forces are compared by the inertia that they move at the start.
    """

    def __init__(self, unknowns: _Unknowns, tolerance: float):
        self.unknowns, self.tolerance = unknowns, tolerance
        self._linear: weakref.WeakKeyDictionary[Point, LinearModel] = weakref.WeakKeyDictionary()

    def linear(self, point: Point) -> LinearModel:
        """The linear model about a point, made once: slopes, stability and the end of the search are of one."""
        if point not in self._linear:
            self._linear[point] = linear_model(point, {})
        return self._linear[point]

    def is_stable(self, point: Point) -> bool:
        """True if nothing grows, but for what rounding makes of eigenvalues that are zero."""
        values = self.linear(point).modes().values
        return bool(np.max(values.real, initial=0.0) <= 1e-6 * (1.0 + np.max(np.abs(values), initial=0.0)))

    def done(self, point: Point) -> bool:
        """True if rates are zero, beside what the derivatives of all rates make of rounding."""
        rates = point.rates[len(point.own_positions) :]
        return bool(np.max(np.abs(rates), initial=0.0) <= self.tolerance * self.size(point))

    def size(self, point: Point) -> float:
        A = self.linear(point).A[len(point.own_positions) :]
        return float(1.0 + np.max(np.abs(A), initial=0.0))

    def newton(self, point: Point) -> Point:
        """The last point of the iteration, which ends early where nothing resists what is left."""
        weights = self.weights(point)
        left, damping, vain = weights * forces(point), 1e-3, 0
        for _ in range(MOST_STEPS):
            J = weights[:, None] * self.slopes(point)
            sizes = _sizes(J)
            vain = vain + 1 if np.linalg.norm(_unresisted(J / sizes, left)) > 0.5 * np.linalg.norm(left) else 0
            if vain > MOST_VAIN:
                return point
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
        """The damped step, at most half a radian or metre in what moves."""
        stacked = np.vstack([J / sizes, np.sqrt(damping) * np.eye(sizes.size)])
        step = np.linalg.lstsq(stacked, -np.concatenate([left, np.zeros(sizes.size)]), rcond=1e-12)[0] / sizes
        most = max(
            (abs(x) for x, k in zip(step, self.unknowns.states, strict=False) if k < self.unknowns.moving), default=0.0
        )
        return np.asarray(step * min(1.0, MOST_TURN / most if most > 0.0 else 1.0))

    def attempt(self, point: Point, step: np.ndarray) -> Point | None:
        """The point further by a step; None where there is none."""
        try:
            return self.unknowns.moved(point, step)
        except ModelError:  # the loops do not close there, say
            return None

    def slopes(self, point: Point) -> np.ndarray:
        """Derivatives of `forces` by what is unknown: exact where they vanish, elsewhere with differences of M_r."""
        lin = self.linear(point)
        first, n = len(point.own_positions), len(point.own_rates)
        slopes = np.hstack([lin.A[first:, self.unknowns.states], lin.B[first:, self.unknowns.inputs]])
        slopes[:n] = point.mass_matrix() @ slopes[:n]
        w_dot = point.rates[first:][:n]
        for j, k in enumerate(self.unknowns.states):
            if k < first and np.any(w_dot):
                ends = [self.attempt(point, sign * SLIGHT * np.eye(slopes.shape[1])[j]) for sign in (1.0, -1.0)]
                if ends[0] is not None and ends[1] is not None:
                    slopes[:n, j] += (ends[0].inertial(w_dot) - ends[1].inertial(w_dot)) / (2 * SLIGHT)
        return np.asarray(slopes)

    def remedy(self, start: Point, end: Point) -> tuple[str | Argument, ...]:
        """The velocities along which nothing resists the forces at the start, or where the search has ended."""
        for point, where in ((start, "at this start"), (end, "where the search has ended")):
            weights = self.weights(point)
            J, left = weights[:, None] * self.slopes(point), weights * forces(point)
            vain = _unresisted(J / _sizes(J), left)
            if np.linalg.norm(vain) > 0.5 * np.linalg.norm(left):
                names = [name for name, _ in _rate_names(point)]
                most = [names[k] for k in np.argsort(-np.abs(vain)) if abs(vain[k]) > 0.1 * np.max(np.abs(vain))]
                return (
                    f"No unknown changes the forces along {listed(most)} {where}: start where one does (what carries "
                    "a body must touch it), name more unknowns in ",
                    Argument("free", "free="),
                    ", or start from the end of a run that comes to rest: give its seconds with ",
                    Argument("settle", "settle="),
                )
        return "Give another start, or name more unknowns in ", Argument("free", "free=")


def _sizes(J: np.ndarray) -> np.ndarray:
    """Sizes of the columns; infinite where there is rounding alone: what changes nothing stays where it is."""
    sizes = np.linalg.norm(J, axis=0)
    return np.where(sizes > NOTHING * np.max(sizes, initial=0.0), sizes, np.inf)


def _unresisted(J: np.ndarray, left: np.ndarray) -> np.ndarray:
    """The part of forces that no small change of what is to be found takes away; J: slopes, columns of one size."""
    U, sizes, _ = np.linalg.svd(J, full_matrices=False)
    U = U[:, sizes > SINGULAR * np.max(sizes, initial=0.0)]
    return np.asarray(left - U @ (U.T @ left))


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
        if search.done(further) and not strayed and (search.is_stable(further) or not search.is_stable(found)):
            found, share, ahead = further, to, 1.5 * ahead
        elif ahead < LEAST_SHARE:
            return None
        else:
            ahead *= 0.5
    return found if search.done(found) else None


def _left(point: Point) -> str:
    """The forces that are left, joint by joint, the largest first."""
    told = sorted(zip(forces(point), _rate_names(point), strict=True), key=lambda x: -abs(x[0]))
    forces_left = ", ".join(
        f"{name}: {x:.3g} {unit}" for x, (name, unit) in told[:6] if abs(x) > 1e-9 * abs(told[0][0])
    )
    return f"what is left along its velocities is {forces_left}"


def _rate_names(point: Point) -> list[tuple[str, str]]:
    """Of what `forces` gives the names of the velocities and signals, and the forces' units."""
    m = point.mechanism
    velocities = [(m.rate_names[k], "N.m" if m.rate_units[k].startswith("rad") else "N") for k in point.own_rates]
    return velocities + [(name, "1/s") for name in point.states[len(point.own_positions) + len(point.own_rates) :]]
