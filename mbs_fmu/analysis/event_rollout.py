"""Rollouts of models in which something takes effect at instants: impacts, locks, friction, resets and samples.

Steps are those of `simulate`, and end at instants. The Jacobian of each step, with what takes effect in it, comes from
tangents along all numbers of the state, the inputs of the step and the parameters (run/flights.py). The adjoint is the
product of the transposed Jacobians.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..infrastructure.arguments import ParameterValues, positive, whole
from ..infrastructure.cached_properties import cached_property
from ..infrastructure.messages.calls import with_clear_errors
from ..integrate.methods.explicit import Tableau
from ..integrate.methods.table import method as method_of
from ..model.model import Model
from ..record.blocks import HeadNumbers, Instants
from ..record.codes import Fresh
from ..run.flights import Flights, changed_places
from ..run.sensitivities import Tangents
from ..run.step_control import StepControl
from ..run.tangent_groups import Carrier, Group
from .array_functions import Kernels, Numbers, Origin
from .mechanism import TOLERANCES, Mechanism
from .ode import Ode, names_of, tableau
from .rollout import Adjoint, Gradient, Rollout, Trajectory


@with_clear_errors
def rollout(
    model: Model, step: float, steps: int, free: Sequence[str] = (), *, method: str = "rk4",
    start: Mapping[str, float] | None = None, inputs: Mapping[str, float] | None = None,
    parameters: ParameterValues | None = None,
) -> Rollout:  # fmt: skip
    """Return a run of `steps` steps of size `step` (s), with inputs that are constant in each step, and with gradients.

    free: names of the parameters in p, in their order; all others are constant.
    method: "rk4", "dopri5", "tsit5" or "dop853".
    start, inputs, parameters: numbers by name. They become the defaults `x0`, `u0` and `p0`.

    In models with constraint modes, sampled signals or events with resets, the steps end at instants, as those of
    `simulate`. A row is the state before what takes effect at its time, with the inputs of the step that begins there.
    Gradients contain the change of the times of crossings and what takes effect there. Such a run has all coordinates
    and joint velocities as states; loops are assembled at its start. Of all other models it is
    `mbs.ode(model).rollout(step, steps)`.

    Raises ArgumentError and ModelError as `mbs.ode`, except for what takes effect at instants. A run raises
    SimulationError if a step fails, or where it has no derivative.
    """
    size, count = positive(step, "step"), whole(steps, "steps")
    mechanism = Mechanism(model, tableau(method).name)
    program = mechanism.program
    if not program.modes and not program.jumps:
        return Ode(
            model, free, "velocities", (start or {}, inputs or {}, parameters or {}), None, method_of("rk4")
        ).rollout(size, count, method)
    names = names_of(program, free, "velocities")
    R = mechanism.record(start or {}, inputs or {}, parameters or {}, 0.0)
    begun = R.copy()
    mechanism.runtime.initialize(begun, *TOLERANCES)
    made = EventRollout(Kernels(mechanism, tableau(method), names, begun), R, size, count)
    numbers = {"start": start, "inputs": inputs, "parameters": parameters}
    made.origin = Origin(_Again(model), "rollout", (step, steps, free, method, numbers))
    return made


class _Again(NamedTuple):
    """Maker of the rollouts of a model."""

    model: Model

    def rollout(self, step: float, steps: int, free: Sequence[str], method: str, numbers: dict[str, Any]) -> Rollout:
        """Return the rollout with the same arguments."""
        return rollout(self.model, step, steps, free, method=method, **numbers)


class EventRollout(Rollout):
    """A run of fixed steps that end at instants; `rollout` makes it."""

    def __init__(self, kernels: Kernels, given: np.ndarray, step: float, steps: int):
        """`given` is a record before its start, with all numbers that are not arguments of the run."""
        method = kernels.method
        assert isinstance(method, Tableau)
        super().__init__(kernels, method, step, steps)
        self._given = given

    def _run(self, t: float, x: Numbers | None, u: Any, p: Numbers | None) -> Trajectory:
        X, inputs = self._begin(t, x, u, p)
        R = self._record(X)
        started = R.copy()
        self._kernels.mechanism.runtime.initialize(started, *TOLERANCES)
        steps = _Steps(self, started, [np.zeros_like(R)])
        steps.run_steps(inputs)
        return self._trajectory(X[0], steps.values)

    def _differentiated(self, t: float, x: Numbers | None, u: Any, p: Numbers | None) -> tuple[Trajectory, Adjoint]:
        X, inputs = self._begin(t, x, u, p)
        R = self._record(X)
        started = R.copy()
        self._kernels.mechanism.runtime.initialize(started, *TOLERANCES)
        starts = self._tangents.starts(R, started)
        steps = _Steps(self, started, self._seeds(starts))
        jacobians = steps.run_steps(inputs)
        rows = steps.row_jacobians
        changed, nx = steps.changed, len(self.states)
        from_x, from_p = starts[:nx, changed], starts[nx:, changed]

        def adjoint(W: np.ndarray) -> Gradient:
            after, to_u, to_p = np.zeros(changed.size), np.zeros(inputs.shape), np.zeros(len(self.parameters))
            for k in range(self.steps, -1, -1):
                all_of_row = rows[k].T @ W[k]
                if k < self.steps:
                    all_of_row += jacobians[k].T @ after
                after, of_inputs, of_parameters = np.split(all_of_row, np.cumsum([changed.size, inputs.shape[1]]))
                to_u[min(k, self.steps - 1)] += of_inputs
                to_p += of_parameters
            return Gradient(from_x @ after, to_u, to_p + from_p @ after)

        return self._trajectory(X[0], steps.values), adjoint

    @cached_property
    def control(self) -> StepControl:
        """The steps."""
        return StepControl.of(self.method, step=self.step)

    @cached_property
    def _tangents(self) -> Tangents:
        mechanism, kernels = self._kernels.mechanism, self._kernels
        names = [*self.states, *self.parameters]
        return Tangents(mechanism.model, mechanism.runtime, kernels.variant, names, self.control, {})

    def _record(self, X: np.ndarray) -> np.ndarray:
        """Return a record before its start, with the arguments of a run."""
        R, program = self._given.copy(), self._kernels.mechanism.program
        R[self._kernels.given] = X
        for name in self.states:
            place = program.calculated_place(name)
            if place is not None:
                R[place] = 0.0
        self.control.write(R)
        return R

    def _seeds(self, starts: np.ndarray) -> list[np.ndarray]:
        """Return tangents at the beginning of a step along all numbers of the state, its inputs, and the parameters.

        starts: tangents of the start along states and parameters, (nx + np, numbers of the record).
        """
        program = self._kernels.mechanism.program
        changed = changed_places(program)
        slots = [*changed.tolist(), *(program.by_name[name].slot for name in self.inputs)]
        units = np.zeros((len(slots), starts.shape[1]))
        units[np.arange(len(slots)), slots] = 1.0
        along_parameters = starts[len(self.states) :].copy()
        along_parameters[:, changed] = 0.0
        return [*units, *along_parameters]


class _Steps(Flights):
    """The steps of a rollout, each with tangents of its own."""

    def __init__(self, rollout: EventRollout, R: np.ndarray, seeds: list[np.ndarray]):
        """`R` is a record that is initialised; `seeds` are the tangents at the beginning of each step."""
        tangents, h, steps = rollout._tangents, rollout.step, rollout.steps
        program = tangents.program
        rows = [np.zeros((steps + 1, 2, len(program.columns))) for _ in seeds]
        groups = [Group(R.copy(), seed.copy(), own) for seed, own in zip(seeds, rows, strict=True)]
        time = float(R[HeadNumbers.time])
        U = tangents.runtime.tables({}, time, h, 0, time + steps * h)
        times = time + h * np.arange(steps + 1)
        by_slot = {v.slot: v.name for v in program.variables}
        names = [by_slot.get(int(np.argmax(seed)), "a held value") for seed in seeds]
        super().__init__(
            tangents.runtime,
            tangents.kernels,
            rollout.control,
            Carrier(tangents.along, groups, U, times),
            names,
            times[:0],
        )
        self.R, self.U, self.times, self.seeds = R, U, times, seeds
        self._inputs = program.region("inputs")
        self._columns = [program.columns.index(name) for name in (*rollout.states, *rollout.outputs)]
        self._begin_run()
        self._set_instant_number(Instants.call_start, -1.0e300)  # no event ends a rollout

    def run_steps(self, inputs: np.ndarray) -> list[np.ndarray]:
        """Make all steps with these inputs, (steps, nu); return the Jacobian of each, (numbers of state, seeds)."""
        jacobians = []
        for k in range(len(inputs)):
            self._begin_step(k, inputs[k])
            self._interval(-1, float(self.times[k]), float(self.times[k + 1]))
            self._carry()
            jacobians.append(np.array([group.tangents[self.changed] for group in self.carrier.groups]).T)
        self._begin_step(len(inputs), inputs[-1])
        self._carry()
        return jacobians

    def _begin_step(self, k: int, inputs: np.ndarray) -> None:
        """Set the inputs and the tangents of step k, and write the row at its beginning."""
        if k > 0 and not np.array_equal(self.R[self._inputs], inputs):
            self.R[HeadNumbers.fresh] = Fresh.stale
            self._set_instant_number(Instants.jumps, 1.0)
            self.jumps = self.times[k : k + 1]
        self.R[self._inputs] = inputs
        for group, seed in zip(self.carrier.groups, self.seeds, strict=True):
            group.record[:] = self.R
            group.tangents[:] = seed
        self.pending = [(self._time, -self.control.step, self._time, k)]

    @property
    def values(self) -> np.ndarray:
        """Rows of states and outputs, (steps + 1, nx + ny)."""
        return self.carrier.groups[0].rows[:, 0, self._columns]

    @property
    def row_jacobians(self) -> np.ndarray:
        """Jacobians of the rows, (steps + 1, nx + ny, seeds)."""
        return np.array([group.rows[:, 1, self._columns] for group in self.carrier.groups]).transpose(1, 2, 0)
