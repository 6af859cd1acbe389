"""Sensitivities: a second run with the same steps, with tangents along parameters, start values and inputs.

docs/identification.md explains them. The kernels are those of the model and those of integrate/tangents/module.py; they
are compiled when they are first used.
"""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..codegen.loader import KernelKey
from ..codegen.machine import ArgumentKind
from ..compile.requests import mean_of
from ..infrastructure.arguments import Solver, elements_of
from ..infrastructure.errors import ArgumentError
from ..infrastructure.messages.failures import display
from ..infrastructure.messages.names import listed
from ..infrastructure.messages.suggestions import did_you_mean
from ..infrastructure.progress import Bar
from ..integrate.lanes.module import NoLanes, compile_on_lanes, machine_lanes
from ..integrate.stepping.drivers import equal_steps
from ..integrate.tangents.module import needs_second, tangents_module
from ..model.model import Model
from ..record.blocks import Beat, HeadNumbers
from ..record.codes import Status
from ..record.kernel_module import KernelModule
from ..record.program import Program, Variable
from ..symbolic.expressions import Expression
from .differences import FOURTH, SHARE, derivative
from .errors import Interrupted, SimulationError
from .flights import Flights
from .inputs import Table
from .memory import aligned
from .results.batches import BatchResult
from .results.results import Result
from .runtime import Runtime
from .single import cut_short, first_record
from .spec import RunSpec
from .step_control import StepControl
from .tangent_groups import Carried, Carrier, Group
from .variants import runtimes

DIRECTIONS = ("parameter", "coordinate", "rate", "state", "input")  #: roles of possible directions
#: Regions that a start computes from the given values.
STARTED = (
    "q", "p", "z", "drive_impulses", "u", "gravity", "bodies", "constants", "rotors", "driven_rotors",
)  # fmt: skip

Variant = tuple[
    int, Solver, str, str, tuple[str, ...]
]  #: version of the model, solver, hash of the laws, engine, methods
_HELD: weakref.WeakKeyDictionary[Model, dict[tuple[Variant, bool], KernelModule]] = weakref.WeakKeyDictionary()


class Tangents:
    """Kernels that compute tangents along some directions with a method; each run needs a record and times."""

    def __init__(
        self, model: Model, runtime: Runtime, variant: Variant, names: Sequence[str], control: StepControl,
        laws: Mapping[str, Expression],
    ):  # fmt: skip
        """Choose the directions; `variant` is the key of the runtime's compilation, `laws` are functions of time.

        Raises ArgumentError for models and methods without tangents.
        """
        self.runtime, self.control, self.program = runtime, control, runtime.program
        self.directions = [_direction(self.program, name) for name in _names(names, self.program)]
        _check(model, runtime, control)
        self.acts = bool(self.program.modes) or self.program.jumps  #: something takes effect at instants
        program = self.program
        self.assembled = bool(program.loops or program.static_starts or program.feet)  #: starts need differences
        method, second = control.method, needs_second(control.method)
        if any(v.fixed for v in self.directions):
            self._module = varying_module(model, variant, laws, second)
        else:
            self._module = runtime.kernels.source_with(*["derive_dd"] * second)
        straight = "loop_state" not in self.program.regions and not self.acts  # no decisions between steps
        fits = straight and method.fits_lanes and runtime.kernels.has_lanes and len(self.directions) > 1
        self.lanes = machine_lanes() if fits else 1
        try:
            self._load()
        except NoLanes:
            self.lanes = 1
            self._load()

    def _load(self) -> None:
        """Compile the kernels for the number of lanes."""
        program, name = self.program, self.control.method.name
        module = tangents_module(self._module, self.control.method, self.lanes, program.angles)
        self.kernels = kernels = self.runtime.loaded(module)
        array: ArgumentKind = "array" if self.lanes == 1 else "rows"
        along = f"{name}_on_mesh"
        steps: KernelKey = along, (array, array, array, "array", "int", "int")
        start: KernelKey = "start_with_tangents", (array, array)
        compile_on_lanes(lambda: kernels.ensure_compiled(steps, start))
        self.along, self._start = kernels.entry(along), kernels.entry("start_with_tangents")

    @property
    def names(self) -> list[str]:
        return [v.name for v in self.directions]

    # -- runs -------------------------------------------------------------------------------------------
    def add_to(self, result: Result | BatchResult, spec: RunSpec) -> Result:
        """Return the result of the run with its sensitivities, at the same times.

        Raises SimulationError and Interrupted, with the result without sensitivities.
        """
        assert isinstance(result, Result)  # batches have no sensitivities
        R = first_record(self.program, spec.tables, spec.parameters, spec.start, spec.settings)
        try:
            carried = self.run(R, spec.tables, result.time, spec.settings.times)
        except SimulationError as error:
            raise SimulationError(f"{error}; the run without them is in the error's .result", result) from None
        except KeyboardInterrupt:
            raise Interrupted(f"{self.program.name}: sensitivities {cut_short(result)}", result) from None
        result.sensitivities = dict(zip(self.names, carried.tangents, strict=True))
        return result

    def run(
        self, R: np.ndarray, tables: Mapping[str, Table], times: np.ndarray, planned: np.ndarray | None = None
    ) -> Carried:
        """Run from a record that is not initialised, with rows at these times (s), the first of which is the start.

        `planned` are the times of the rows if no event ends the run; by default `times`.

        Raises ModelError if the start fails, SimulationError if a number is not finite.
        """
        self._check_given(R)
        started = R.copy()
        self.runtime.initialize(started, *self.control.tolerances)
        planned = times if planned is None else planned
        count = 0 if self.acts else len(times)  # events are not moved to rows: these may be at any times
        U = self.runtime.tables(dict(tables), times[0], float(planned[1] - planned[0]), count, times[-1])
        groups = [self._group(R, started, first, len(times)) for first in range(0, len(self.directions), self.lanes)]
        carrier = Carrier(self.along, groups, self._laned(U), times)
        if self.acts:
            self._carry_across_instants(carrier, started, U, times, planned)
        else:
            mesh = self._mesh(started, U, times)
            with Bar(f"{self.program.name}: sensitivities", len(groups) * len(mesh), "step") as bar:
                carrier.carry(mesh, bar.update)
        carried = carrier.carried(len(self.directions))
        self._check_finite(carried)
        return carried

    def _group(self, R: np.ndarray, started: np.ndarray, first: int, rows: int) -> Group:
        """Return the directions from number `first` on, as many as there are lanes, with their tangents at the start.

        R is the record before the start, `started` the one behind it.
        """
        D = np.zeros((R.size, self.lanes))
        for lane, v in enumerate(self.directions[first : first + self.lanes]):
            D[v.slot, lane] = 1.0
        if self.assembled:
            self._differences(R, D)
        else:
            start, seeds = started.copy(), self._laned(D)
            for name in ("q", "u", "z", "calculated"):  # as given by the user: quaternions of any length
                start[self.program.region(name)] = R[self.program.region(name)]
            self._start(self._laned(start), seeds)
            D = seeds.reshape(D.shape)
        for lane, v in enumerate(self.directions[first : first + self.lanes]):
            self._differentiate_times(R, v, D[:, lane])
        return Group(self._laned(started), self._laned(D), np.zeros((rows, 1 + self.lanes, len(self.program.columns))))

    def starts(self, R: np.ndarray, started: np.ndarray) -> np.ndarray:
        """Return the tangents at the start, (directions, numbers of the record), of kernels without lanes."""
        return np.array([self._group(R, started, k, 1).tangents for k in range(len(self.directions))])

    def _carry_across_instants(
        self, carrier: Carrier, R: np.ndarray, U: np.ndarray, times: np.ndarray, planned: np.ndarray
    ) -> None:
        """Carry the tangents from flight to flight, and across the instants between them."""
        flights = Flights(self.runtime, self.kernels, self.control, carrier, self.names, self._input_jumps(U))
        with Bar(f"{self.program.name}: sensitivities", len(times), "row") as bar:
            flights.run(R, U, times, planned, bar.update)

    def _laned(self, x: np.ndarray) -> np.ndarray:
        """Return a copy of a record in the kernels' form: with a column per lane if there are lanes."""
        if self.lanes == 1:
            return np.ascontiguousarray(x.reshape(-1)).copy()
        laned = aligned(x.shape[0], self.lanes)
        laned[:] = x if x.ndim > 1 else x[:, None]
        return laned

    def _check_given(self, R: np.ndarray) -> None:
        """Raise ArgumentError for a start value that follows from parameters."""
        for name in self.names:
            place = self.program.calculated_place(name)
            if place is not None and R[place] != 0.0:
                raise ArgumentError(
                    f"no sensitivity to {name!r}, which follows from parameters: name these, or give it in start="
                )

    def _check_finite(self, carried: Carried) -> None:
        bad = ~np.isfinite(carried.tangents)
        if bad.any():
            k, row, _ = np.argwhere(bad)[0]
            time = carried.data[row, 0]
            raise SimulationError(f"{self.program.name}: sensitivities to {self.names[k]} are not finite at {time:g} s")

    # -- starts -----------------------------------------------------------------------------------------
    def _differences(self, R: np.ndarray, D: np.ndarray) -> None:
        """Compute tangents of a start that is assembled, static or from parameters, by fourth-order differences."""
        for lane, v in enumerate(np.argmax(D, axis=0)):
            if D[v, lane] == 0.0:  # a lane without a direction
                continue
            h = SHARE * max(1.0 if self._is_free(v) else 0.0, abs(R[v])) or SHARE
            D[v, lane] = float(self._is_given(v))
            for k, weight in FOURTH:
                moved = R.copy()
                moved[v] += k * h
                self.runtime.begin(moved, *self.control.tolerances)
                for name in STARTED:
                    if name in self.program.regions:
                        region = self.program.region(name)
                        D[region, lane] += weight / (12.0 * h) * moved[region]

    def _is_free(self, slot: int) -> bool:
        """True if differences across zero are allowed: not for parameters, whose sign may matter."""
        return not self._within(slot, "parameters")

    def _is_given(self, slot: int) -> bool:
        """True if the start does not change this number."""
        return self._within(slot, "parameters") or self._within(slot, "inputs")

    def _within(self, slot: int, name: str) -> bool:
        start, size = self.program.regions[name]
        return start <= slot < start + size

    def _differentiate_times(self, R: np.ndarray, v: Variable, D: np.ndarray) -> None:
        """Write to D the tangents of the times at which conditions on time switch and samples are taken.

        Raises ArgumentError if there are any in a model without instants, whose steps do not follow them.
        """
        names = [name for name in ("switches", "beats", "clocks") if name in self.program.regions]
        regions = [self.program.region(name) for name in names]
        places = np.concatenate([np.arange(region.start, region.stop) for region in regions])
        if v.role not in ("parameter", "input") or not places.size:
            return

        def times(step: float) -> np.ndarray:
            moved = R.copy()
            moved[v.slot] += step
            self.runtime.begin(moved, *self.control.tolerances)
            self.kernels.entry("switches")(moved)
            values: np.ndarray = moved[places]
            return values

        found = derivative(times, SHARE * (abs(R[v.slot]) or 1.0))
        assert found is not None
        D[places] = found[0]
        if found[0].any() and not self.acts:
            raise ArgumentError(
                f"no sensitivity to {v.name!r}, which moves the time of a condition on time, such as time > {v.name}: "
                f"let an event with this condition set a state (reset=), and use the state"
            )

    # -- steps ------------------------------------------------------------------------------------------
    def _mesh(self, R: np.ndarray, U: np.ndarray, times: np.ndarray) -> np.ndarray:
        """Return for each step its beginning, size, end, and the number of the row at its end, or -1: (steps, 4).

        The first two entries make no step: one writes the row of the start, one prepares the first step.
        """
        steps = _equal(times, self.control.step) if self.control.fixed else self._controlled(R.copy(), U, times)
        first = [(times[0], 0.0, times[0], 0.0), *((times[0], -h, times[0], -1.0) for h in steps[:1, 1])]
        return np.vstack([first, steps])

    def _controlled(self, R: np.ndarray, U: np.ndarray, times: np.ndarray) -> np.ndarray:
        """Return the steps of error control that ends a step at every row, in the form of `_mesh`.

        Where conditions on time may switch, or an input jumps, steps end just before that time and the next begins just
        after it: they are moved by the rounding of time, and only steps between two such times are shorter by it.
        """
        step = getattr(self.runtime.kernels, f"enter_{self.control.advance}")
        mesh = []
        for row, stop in enumerate(times[1:].tolist(), start=1):
            while R[HeadNumbers.time] < stop:
                begin = float(R[HeadNumbers.time])
                status = int(step(R, U, stop, self.control.bound, 1))
                if status not in (Status.ok, Status.budget):
                    raise SimulationError(self.runtime.fault(R, status))
                end = float(R[HeadNumbers.time])
                apart = float(self.kernels.entry("rounding")(R, begin, stop))
                jumps = np.concatenate([R[self.program.region("switches")], self._input_jumps(U)])
                first, last = (apart if self._jumps_at(R, jumps, t, apart) else 0.0 for t in (begin, end))
                lost = first + last if first > 0.0 and last > 0.0 else 0.0
                start = begin + first if first > 0.0 else begin - last
                mesh.append((start, end - begin - lost, end + last, row if end >= stop else -1.0))
        return np.array(mesh).reshape(-1, 4)

    def _jumps_at(self, R: np.ndarray, jumps: np.ndarray, time: float, near: float) -> bool:
        """True if one of the times `jumps`, or a periodic jump of a law, is at most `near` from `time`."""
        period, first, jumping = R[self.program.region("beats")].reshape(-1, Beat.size).T
        beats = first + np.rint((time - first) / period) * period
        return bool(np.any(np.abs(jumps - time) <= near) or np.any((jumping != 0.0) & (np.abs(beats - time) <= near)))

    def _input_jumps(self, U: np.ndarray) -> np.ndarray:
        """Return the times at which inputs have two values."""
        times = [np.zeros(0)]
        for k in range(self.program.regions["inputs"][1]):
            first, count = int(U[2 * k]), int(U[2 * k + 1])
            at = U[first : first + count]
            times.append(at[1:][at[1:] == at[:-1]])
        return np.concatenate(times)


def _equal(times: np.ndarray, step: float) -> np.ndarray:
    """Return the drivers' equal steps of at most `step` (s) in each interval, in the form of `Tangents._mesh`."""
    starts, stops = times[:-1], times[1:]
    counts = np.array([equal_steps(a, b, step) for a, b in zip(starts.tolist(), stops.tolist())], dtype=int)
    last = np.cumsum(counts) - 1
    h, start = (np.repeat(x, counts) for x in ((stops - starts) / counts, starts))
    k = np.arange(len(h)) - np.repeat(last + 1 - counts, counts)
    ends, rows = start + (k + 1) * h, np.full(len(h), -1.0)
    ends[last], rows[last] = stops, np.arange(1, len(times))
    return np.column_stack([start + k * h, h, ends, rows])


# -- arguments ------------------------------------------------------------------------------------------------


def _names(names: Any, program: Program) -> list[str]:
    """Return the names, those of the elements in the place of an array. Raises ArgumentError."""
    if isinstance(names, str) or not isinstance(names, Sequence) or not all(isinstance(x, str) for x in names):
        raise ArgumentError(f"sensitivities is {display(names)}: name parameters, start values and inputs in a list")
    single = elements_of(program.vectors, names)
    twice = [name for k, name in enumerate(single) if name in single[:k]]
    if twice or not single:
        reason = f"{twice[0]!r} stands twice" if twice else "no name"
        raise ArgumentError(f"sensitivities: {reason}: give each name once")
    return single


def _direction(program: Program, name: str) -> Variable:
    """Return the variable of that name. Raises ArgumentError if it cannot be a direction."""
    v = program.by_name.get(name)
    if v is not None and v.role in DIRECTIONS and name not in program.static_starts:
        return v
    have = [x.name for x in program.of_role(*DIRECTIONS) if x.name not in program.static_starts]
    message = f"no sensitivity to {name!r} of {program.name!r}{did_you_mean(name, have)}"
    raise ArgumentError(f"{message}; there are those to {listed(have)}")


def _check(model: Model, runtime: Runtime, control: StepControl) -> None:
    """Raise ArgumentError for models and methods whose steps have no tangents."""
    program, reason = runtime.program, None
    if control.at_steps and program.crossings:
        reason = 'with events="steps", what happens does not move with parameters: use events="located"'
    elif program.loops and runtime.kernels.N_CONTACTS:
        reason = "curves touch at points that Newton's steps find"
    elif (mean := mean_of(model)) is not None:
        reason = f"{mean} is a mean over steps"
    elif control.method.tangents is None:
        reason = f'method {control.method.name!r} has none: use "rk4", "dopri5", "tsit5", "dop853" or "rodas5p"'
    if reason is not None:
        raise ArgumentError(f"sensitivities of model {program.name!r} are not known: {reason}")


def varying_module(
    model: Model, variant: Variant, laws: Mapping[str, Expression], second: bool = False
) -> KernelModule:
    """Return the module that also has tangents for parameters of mass and geometry.

    `variant` is the key of a compilation, `second` as in `module_with_parameter_tangents`.
    """
    from ..compile.build import module_with_parameter_tangents

    modules, key = _HELD.setdefault(model, {}), (variant, second)
    if key not in modules:
        for old in [k for k in modules if k[0][0] != model.version]:
            del modules[old]
        modules[key] = module_with_parameter_tangents(model, variant[1], laws, variant[-1], second)
    return modules[key]


def tangents_of(
    model: Model, runtime: Runtime, names: Sequence[str], control: StepControl, laws: Mapping[str, Expression]
) -> Tangents:
    """Return the `Tangents` along the named variables, for a runtime of the model. Raises ArgumentError."""
    variant = next(key for key, (_, held) in runtimes(model).items() if held is runtime)
    return Tangents(model, runtime, variant, names, control, laws)
