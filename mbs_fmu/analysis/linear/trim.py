"""`trim`: equilibria and steady motions, by Newton's method for generalized forces (docs/equations.md, N5)."""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence

import numpy as np

from ...infrastructure.arguments import ParameterValues, finite, spread
from ...infrastructure.errors import Argument, ArgumentError, ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...infrastructure.messages.calls import with_clear_errors
from ...infrastructure.messages.failures import display
from ...infrastructure.messages.names import listed
from ...infrastructure.messages.suggestions import did_you_mean
from ...model.checks import finite_number
from ...model.model import Model
from ...run.simulate import simulate
from ...run.spinning import warn_of_spins_at
from ..mechanism import Mechanism, Numbers
from ..point import Point
from .linear_model import LinearModel
from .linearize import linear_model, matrices

MOST_STEPS = 60  #: steps of Newton's method from one start
MOST_TURN = 0.5  #: largest step in any position or velocity (rad, m, or these per s)
MOST_WAY = 0.3  #: largest step of a continuation in any coordinate, rad or m
LEAST_SHARE = 1 / 256  #: smallest step of a continuation, as a share of the prescribed velocities
SLIGHT = 1e-5  #: step of finite differences of the inertia, rad or m
MOST_VAIN = 4  #: the search ends after so many successive steps whose forces no unknown can reduce
NOTHING = 1e-10  #: columns of the Jacobian below this share of the largest are rounding of differences
SINGULAR = 1e-9  #: singular values of the scaled Jacobian below this share of the largest count as zero


@with_clear_errors
def trim(
    model: Model, *, free: Sequence[str] | None = None, start: Mapping[str, float] | None = None,
    inputs: Mapping[str, float] | None = None, parameters: ParameterValues | None = None, time: float = 0.0,
    tolerance: float = 1e-11, independent: Sequence[str] | None = None, settle: float = 0.0,
) -> LinearModel:  # fmt: skip
    """Return the linear model about an equilibrium or a steady motion (constant velocities and signals) near a start.

    start, inputs, parameters, time, independent: as in `linearize`; a rough guess of the start suffices.
    free: names of the unknowns: states of the linear model (positions, velocities, signal states) and inputs; by
    default all positions that loops leave free, and all signal states. All other states keep their start values: zero
    velocities give an equilibrium, other velocities a steady motion.
    tolerance: largest rate, relative to one plus the largest derivative of any rate with respect to a state.
    settle: s; the search begins at the end of a run of this duration that ends at `time`, with the unknowns, positions
    and signal states there.

    If Newton's method fails or finds an unstable motion, the prescribed velocities are applied gradually, from the
    equilibrium at zero velocities (continuation). Of two steady motions, the stable one is returned. If this fails too,
    a ModelError states the remaining forces and the velocities along which no unknown changes them. Raises the errors
    of `linearize`, and of the run for `settle`.
    """
    mechanism = Mechanism(model)
    start = start or {}
    duration = Argument("settle")
    if finite(settle, duration) < 0.0:
        message = f" must not be negative, not {display(settle)}: give the seconds of a run before the search"
        raise ArgumentError(duration, message)
    if settle > 0.0:
        start = _after_settling(mechanism, settle, start, inputs or {}, parameters or {}, time, free)
    R = mechanism.record(start, inputs or {}, parameters or {}, time)
    mechanism.begin(R)
    point = Point(mechanism, R, independent)
    search = _Search(_unknowns(point, free), finite_number(tolerance, "tolerance"))
    trimmed = search.newton(point)
    if not (search.done(trimmed) and search.is_stable(trimmed)):
        other = _continued(search, point)
        if other is not None and (not search.done(trimmed) or search.is_stable(other)):
            trimmed = other
    if not search.done(trimmed):
        raise ModelError(f"no steady motion found from there; {_remaining(trimmed)}. ", *search.remedy(point, trimmed))
    warn_of_spins_at(model, mechanism.runtime, trimmed.R)
    return linear_model(trimmed, spread(model.elements, parameters or {}))


def _after_settling(
    mechanism: Mechanism, settle: float, start: Numbers, inputs: Numbers, parameters: ParameterValues, time: float,
    free: Sequence[str] | None,
) -> dict[str, float]:  # fmt: skip
    """Return start values from the end of a run: coordinates, signal states, and velocities that are unknowns."""
    values = {name: signal.start for name, signal in mechanism.model.inputs.items()} | dict(inputs)
    end = simulate(
        mechanism.model, time, start_time=time - settle, start=start, inputs=values, parameters=parameters,
        output_interval=settle,
    )  # fmt: skip
    names = [v.name for v in mechanism.program.of_role("coordinate", "state")]
    names += [v.name for v in mechanism.program.of_role("rate") if v.name in (free or ())]
    return dict(start) | {name: float(end[name][-1]) for name in names}


def _unknowns(point: Point, free: Sequence[str] | None) -> _Unknowns:
    """Return the unknowns. Raises ArgumentError for a name that cannot be one."""
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
            message = f"free: {display(name)} cannot be an unknown{did_you_mean(name, known)}"
            raise ArgumentError(f"{message}; there are {listed(known)}")
    return _Unknowns(
        [point.states.index(name) for name in names if name in point.states],
        [inputs.index(name) for name in names if name not in point.states],
        positions + velocities,
    )


@dataclass(frozen=True)
class _Unknowns:
    """Indices of the unknown states and inputs; states from index `moving` on are signals."""

    states: list[int]
    inputs: list[int]
    moving: int

    def moved(self, point: Point, step: np.ndarray) -> Point:
        """Return the point after a step of the unknowns."""
        x, y = np.zeros(len(point.states)), np.zeros(point.mechanism.program.regions["inputs"][1])
        x[self.states], y[self.inputs] = step[: len(self.states)], step[len(self.states) :]
        return point.moved(x, y)


def forces(point: Point) -> np.ndarray:
    """Return the residual of a steady motion (N5): forces M_r w' of independent velocities, then signal rates."""
    rates = point.rates[len(point.own_positions) :]
    n = len(point.own_rates)
    return np.concatenate([point.inertial(rates[:n]), rates[n:]])


class _Search:
    """Damped Newton's method. Its residuals are forces, because accelerations are poor residuals far from a solution.

    Forces are scaled by the inertia that they move at the start.
    """

    def __init__(self, unknowns: _Unknowns, tolerance: float):
        self.unknowns, self.tolerance = unknowns, tolerance
        self._matrices: weakref.WeakKeyDictionary[Point, tuple[np.ndarray, ...]] = weakref.WeakKeyDictionary()

    def matrices(self, point: Point) -> tuple[np.ndarray, ...]:
        """Return A and B at a point, computed once for Jacobian, stability and convergence."""
        if point not in self._matrices:
            self._matrices[point] = matrices(point)[:2]
        return self._matrices[point]

    def is_stable(self, point: Point) -> bool:
        """True if no eigenvalue has a positive real part, up to rounding."""
        values = np.linalg.eigvals(self.matrices(point)[0])
        return bool(np.max(values.real, initial=0.0) <= 1e-6 * (1.0 + np.max(np.abs(values), initial=0.0)))

    def done(self, point: Point) -> bool:
        """True if the rates are zero up to rounding, whose size follows from the derivatives of all rates."""
        rates = point.rates[len(point.own_positions) :]
        return bool(np.max(np.abs(rates), initial=0.0) <= self.tolerance * self.size(point))

    def size(self, point: Point) -> float:
        A = self.matrices(point)[0][len(point.own_positions) :]
        return float(1.0 + np.max(np.abs(A), initial=0.0))

    def newton(self, point: Point) -> Point:
        """Return the last point of the iteration. It ends early if no unknown changes the remaining forces."""
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
        """Return 1 / sqrt(inertia) of each independent velocity; 1 for signals."""
        inertia = np.sqrt(np.diag(point.mass_matrix()))
        return np.concatenate([1.0 / inertia, np.ones(len(point.own_states))])

    def step(self, J: np.ndarray, left: np.ndarray, damping: float, sizes: np.ndarray) -> np.ndarray:
        """Return the damped step, at most MOST_TURN in positions and velocities."""
        stacked = np.vstack([J / sizes, np.sqrt(damping) * np.eye(sizes.size)])
        step = np.linalg.lstsq(stacked, -np.concatenate([left, np.zeros(sizes.size)]), rcond=1e-12)[0] / sizes
        most = max(
            (abs(x) for x, k in zip(step, self.unknowns.states, strict=False) if k < self.unknowns.moving), default=0.0
        )
        return np.asarray(step * min(1.0, MOST_TURN / most if most > 0.0 else 1.0))

    def attempt(self, point: Point, step: np.ndarray) -> Point | None:
        """Return the point after a step; None if it cannot be started."""
        try:
            return self.unknowns.moved(point, step)
        except ModelError:  # for example, the loops do not close there
            return None

    def slopes(self, point: Point) -> np.ndarray:
        """Return the Jacobian of `forces` by the unknowns: exact if forces vanish, else with differences of M_r."""
        A, B = self.matrices(point)
        first, n = len(point.own_positions), len(point.own_rates)
        slopes = np.hstack([A[first:, self.unknowns.states], B[first:, self.unknowns.inputs]])
        slopes[:n] = point.mass_matrix() @ slopes[:n]
        w_dot = point.rates[first:][:n]
        for j, k in enumerate(self.unknowns.states):
            if k < first and np.any(w_dot):
                ends = [self.attempt(point, sign * SLIGHT * np.eye(slopes.shape[1])[j]) for sign in (1.0, -1.0)]
                if ends[0] is not None and ends[1] is not None:
                    slopes[:n, j] += (ends[0].inertial(w_dot) - ends[1].inertial(w_dot)) / (2 * SLIGHT)
        return np.asarray(slopes)

    def remedy(self, start: Point, end: Point) -> tuple[str | Argument, ...]:
        """Return a remedy for messages: velocities along which no unknown changes forces, at the start or the end."""
        for point, where in ((start, "at this start"), (end, "at the end of the search")):
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
    """Return norms of the columns; infinity for columns of rounding errors, so that these unknowns do not move."""
    sizes = np.linalg.norm(J, axis=0)
    return np.where(sizes > NOTHING * np.max(sizes, initial=0.0), sizes, np.inf)


def _unresisted(J: np.ndarray, left: np.ndarray) -> np.ndarray:
    """Return the part of the forces that no small change of unknowns removes; the columns of J have norm one."""
    U, sizes, _ = np.linalg.svd(J, full_matrices=False)
    U = U[:, sizes > SINGULAR * np.max(sizes, initial=0.0)]
    return np.asarray(left - U @ (U.T @ left))


def _continued(search: _Search, point: Point) -> Point | None:
    """Return the steady motion at the prescribed velocities, by continuation from zero velocities; None if it fails.

    A step that moves far, or from a stable to an unstable motion, has left the branch of solutions: then shorter steps
    are tried.
    """
    first, n = len(point.own_positions), len(point.own_rates)
    held = np.zeros(len(point.states))
    held[first : first + n] = point.R[point.mechanism.u][point.own_rates]
    held[[k for k in search.unknowns.states if first <= k < first + n]] = 0.0
    if not np.any(held):
        return None
    steady = search.newton(point.moved(-held))
    share, ahead = 0.0, 0.25
    while share < 1.0 and search.done(steady):
        to = min(1.0, share + ahead)
        further = search.newton(steady.moved((to - share) * held))
        strayed = np.max(np.abs((further.R - steady.R)[point.mechanism.q]), initial=0.0) > MOST_WAY
        if search.done(further) and not strayed and (search.is_stable(further) or not search.is_stable(steady)):
            steady, share, ahead = further, to, 1.5 * ahead
        elif ahead < LEAST_SHARE:
            return None
        else:
            ahead *= 0.5
    return steady if search.done(steady) else None


def _remaining(point: Point) -> str:
    """Return a sentence that states the remaining forces, joint by joint, the largest first."""
    forces_by_name = sorted(zip(forces(point), _rate_names(point), strict=True), key=lambda x: -abs(x[0]))
    forces_left = ", ".join(
        f"{name}: {x:.3g} {unit}" for x, (name, unit) in forces_by_name[:6] if abs(x) > 1e-9 * abs(forces_by_name[0][0])
    )
    return f"the remaining forces along its velocities are {forces_left}"


def _rate_names(point: Point) -> list[tuple[str, str]]:
    """Return names of the velocities and signals in the order of `forces`, and the forces' units."""
    m = point.mechanism
    velocities = [(m.rate_names[k], "N.m" if m.rate_units[k].startswith("rad") else "N") for k in point.own_rates]
    return velocities + [(name, "1/s") for name in point.states[len(point.own_positions) + len(point.own_rates) :]]
