"""`Stepper`: many members of one model that advance together, one interval in each call."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from ...infrastructure.arguments import ParameterValues, positive, spread, whole
from ...infrastructure.errors import ArgumentError, ModelError
from ...infrastructure.messages.calls import add_clear_errors
from ...infrastructure.messages.failures import display
from ...infrastructure.messages.suggestions import did_you_mean
from ...infrastructure.progress import watched
from ...integrate.lanes.module import NoLanes, fits_lanes, usual_lanes
from ...model.geometry.vectors import number_array
from ...model.model import Model
from ...record.blocks import HeadNumbers
from ...record.program import Program
from ..batches.batch import LANES, Batch, Members
from ..inputs import set_inputs, set_values
from ..plans import check_types
from ..runtime import Runtime
from ..simulate import compiled
from ..step_control import StepControl, check_alpha, steps_fit
from .groups import Groups, Interval, LaneGroups, SingleRecords

REGIONS = ("q", "u", "z", "inputs", "outputs")  #: regions of the record with a view


@add_clear_errors
class Stepper:
    """Many members of one model that advance together: `advance` makes one interval of all members in one call.

    model: the model. size: number of members. interval: s, the time of one `advance`, during which the inputs are
    constant. step: s, the largest integration step in an interval, by default the interval; the steps are equal.
    threads: number of threads.
    method: a method of `simulate`, with fixed steps. start, inputs, parameters: start values, inputs and parameters of
    all members by name; others have the model's defaults, inputs without one are 0. lanes: number of members that one
    core computes at once, as in `Batch`.

    Every member has its own time, which begins at 0 when it starts; laws that read time use it. Its numbers are, bit
    for bit, those of `simulate` with the same fixed steps, whatever the other members do.

    Copies and pickles contain the model and the state of all members. They are compiled again, or come from the cache.

    q, u, z, inputs, outputs: coordinates, joint velocities, signal states, inputs and outputs of all members, views of
    shape (groups, numbers, lanes); `names` has their names by these words. `inputs` may be written; the next `advance`
    uses it. The last lanes of the last group repeat the last member if there are more lanes than members.

    Raises ModelError and ArgumentError for unusable arguments, models with events, and a start that fails.
    """

    def __init__(
        self, model: Model, size: int, interval: float, step: float | None = None, threads: int = 1, *,
        method: str = "rk4", start: Mapping[str, float] | None = None, inputs: Mapping[str, float] | None = None,
        parameters: ParameterValues | None = None, lanes: int | None = None,
    ):  # fmt: skip
        check_types(model, inputs, parameters, start, None)
        self._arguments = model, method, dict(start or {}), dict(inputs or {}), dict(parameters or {})
        self._versions = model.version, model.value_version
        self.size, self.interval, self.threads = (
            whole(size, "size"),
            positive(interval, "interval"),
            whole(threads, "threads"),
        )
        self.step = self.interval if step is None else positive(step, "step")
        control = _control(model, method, self.step)
        if lanes is not None and lanes not in LANES:
            raise ArgumentError(f"lanes is {display(lanes)}: give {', '.join(map(str, LANES[:-1]))} or {LANES[-1]}")
        with watched(None):
            runtime = compiled(model, method=method)
            base = _first_record(runtime.program, model, start or {}, inputs or {}, parameters or {})
            self._groups = _groups(runtime, base, self.size, lanes, Interval(control, self.interval))
        self._runtime, self._program = runtime, runtime.program
        self.name, self.lanes = self._program.name, self._groups.lanes
        self.q, self.u, self.z, self.inputs, self.outputs = (self._view(region) for region in REGIONS)
        self.names = {region: self._names(region) for region in REGIONS}
        self._slots: dict[tuple[str, ...], np.ndarray] = {}
        self._pool = ThreadPoolExecutor(self.threads) if self.threads > 1 else None
        self.reset()

    def __reduce__(self) -> tuple[Any, ...]:
        model = self._arguments[0]
        if (model.version, model.value_version) != self._versions:
            raise ModelError(f"model {model.name!r} has changed since the stepper was made: make another, and copy it")
        plan = self.size, self.interval, self.step, self.threads, self.lanes
        return _stepper_again, (self._arguments, plan, self._groups.state())

    def __repr__(self) -> str:
        return f"stepper of {self.name!r}: {self.size} members, {self.interval:g} s each, {self.lanes} in lanes"

    def __len__(self) -> int:
        return self.size

    # -- steps ----------------------------------------------------------------------------------------------
    def reset(
        self, mask: Any = None, start: Mapping[str, Any] | None = None, parameters: Mapping[str, Any] | None = None
    ) -> None:
        """Restart members, at their time 0.

        mask: booleans, (size,), True for the members to start; None starts all. start, parameters: start values and
        parameters by name, each a number or an array of one number for each member, of which those in the mask are
        used. All others, and the inputs, have the values that the Stepper was made with. New parameters take longer:
        the constants that follow from them are computed member by member.

        Raises ArgumentError for other masks, names and shapes; ModelError for a member that cannot start, in which case
        no member has started. With start values alone, and without closed loops, elastic bodies and modes, starts are
        not checked: such a member becomes `failed` in the next interval.
        """
        chosen = np.ones(self.size, dtype=bool) if mask is None else self._mask(mask)
        given = spread(self._runtime.program.vectors, parameters or {})
        numbers = Members(self._runtime, Batch(size=self.size, start=start or {}, parameters=given))
        if chosen.any():
            self._groups.start(chosen, numbers, bool(parameters))

    def advance(self, actions: Any = None) -> None:
        """Advance all members by one interval, with constant inputs. A failed member stays failed until its reset.

        actions: all inputs of all members, (size, inputs), in their order in `names`; None keeps the present ones.
        Raises ArgumentError for another shape and for numbers that are not finite.
        """
        if actions is not None:
            self._write(self.inputs, self._actions(actions))
        if self._pool is None:
            self._groups.advance(0, self._groups.count)
            return
        cuts = np.linspace(0, self._groups.count, self.threads + 1).astype(int).tolist()
        for part in [self._pool.submit(self._groups.advance, a, b) for a, b in itertools.pairwise(cuts)]:
            part.result()

    # -- numbers --------------------------------------------------------------------------------------------
    @property
    def time(self) -> np.ndarray:
        """Time of each member since its start, s, (size,)."""
        return self.interval * self._groups.intervals.reshape(-1)[: self.size]

    @property
    def failed(self) -> np.ndarray:
        """True for each member that has failed since its start, (size,): a number is not finite, or a step failed.

        The numbers of a failed member are undefined. `fault` returns the reason; `reset` restarts the member.
        """
        failed: np.ndarray = self._groups.records[:, HeadNumbers.done, :] >= 0.0
        return failed.reshape(-1)[: self.size]

    def fault(self, member: int) -> str:
        """Return the reason for which a member has failed, or an empty text if it has not failed.

        Raises ArgumentError for an unknown member.
        """
        if not (isinstance(member, int | np.integer) and 0 <= member < self.size):
            raise ArgumentError(f"member is {display(member)}: give a whole number from 0 to {self.size - 1}")
        return self._groups.fault(int(member)) if self.failed[member] else ""

    def read(self, view: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """Return a copy of a view (groups, numbers, lanes) with a row for each member, (size, numbers).

        out: an array of this shape, in which the numbers are written. Raises ArgumentError for another shape.
        """
        groups, _, lanes = self._groups.records.shape
        if view.ndim != 3 or view.shape[::2] != (groups, lanes):
            raise ArgumentError(f"view has the shape {view.shape}: give one of ({groups}, numbers, {lanes}), such as q")
        rows, shape = view.transpose(0, 2, 1), (self.size, view.shape[1])
        if out is None:
            return rows.reshape(len(self._groups.member_of), shape[1])[: self.size].copy()
        if out.shape != shape:
            raise ArgumentError(f"out has the shape {out.shape}: give an array of the shape {shape}")
        whole_groups, rest = divmod(self.size, self.lanes)
        out[: self.size - rest].reshape(whole_groups, self.lanes, shape[1])[:] = rows[:whole_groups]
        if rest:
            out[self.size - rest :] = rows[whole_groups, :rest]
        return out

    def values(self, names: str | Sequence[str]) -> np.ndarray:
        """Return numbers by name, a copy with a row for each member, (size, numbers).

        names: coordinates, joint velocities, signal states, outputs and other variables of the model, as in a result;
        a vector has several numbers. Raises ArgumentError for unknown names.
        """
        key = _listed(names)
        if key not in self._slots:
            self._slots[key] = self._found(key)
        return self.read(self._groups.records[:, self._slots[key], :])

    def columns(self, names: str | Sequence[str]) -> list[str]:
        """Return the names of the numbers in `values`: those of a vector are its components.

        Raises ArgumentError for unknown names.
        """
        by_name, vectors = self._program.by_name, self._program.vectors
        columns = [column for name in _listed(names) for column in vectors.get(name, [name])]
        for name in columns:
            if name not in by_name:
                known = [*by_name, *vectors]
                raise ArgumentError(f"unknown variable {display(name)} of {self.name!r}{did_you_mean(name, known)}")
        return columns

    def _found(self, names: Sequence[str]) -> np.ndarray:
        return np.array([self._program.by_name[name].slot for name in self.columns(names)], dtype=int)

    def _view(self, region: str) -> np.ndarray:
        return self._groups.records[:, self._program.region(region), :]

    def _names(self, region: str) -> list[str]:
        first, size = self._program.regions[region]
        names = {v.slot: v.name for v in self._program.of_role("coordinate", "rate", "state", "input", "output")}
        return [names[slot] for slot in range(first, first + size)]

    def _write(self, view: np.ndarray, values: np.ndarray) -> None:
        """Write a row for each member, (size, numbers), to a view."""
        if len(values) != len(self._groups.member_of):
            values = values[self._groups.member_of]
        view[:] = values.reshape(len(view), self.lanes, view.shape[1]).transpose(0, 2, 1)

    def _actions(self, actions: Any) -> np.ndarray:
        is_plain = type(actions) is np.ndarray and actions.dtype == np.float64
        values = actions if is_plain else number_array(actions, "actions")
        names = self.names["inputs"]
        if values.shape != (self.size, len(names)):
            raise ArgumentError(
                f"actions have the shape {values.shape}: give one of ({self.size}, {len(names)}), for each member a "
                f"row with the inputs {', '.join(names) or '(none)'}"
            )
        if not np.isfinite(values).all():
            member, k = np.argwhere(~np.isfinite(values))[0]
            raise ArgumentError(f"actions: input {names[k]!r} of member {member} is {values[member, k]}: give numbers")
        return values

    def _mask(self, mask: Any) -> np.ndarray:
        chosen = np.asarray(mask, dtype=object if isinstance(mask, list | tuple) else None)
        if isinstance(mask, list | tuple) and all(isinstance(x, bool | np.bool_) for x in mask):
            chosen = chosen.astype(bool)
        if chosen.shape != (self.size,) or chosen.dtype != bool:
            raise ArgumentError(f"mask is {display(mask)}: give True or False for each of the {self.size} members")
        return chosen


def _stepper_again(arguments: tuple[Any, ...], plan: tuple[Any, ...], state: list[np.ndarray]) -> Stepper:
    """Return a stepper in the state of another one."""
    (model, method, start, inputs, parameters), (size, interval, step, threads, lanes) = arguments, plan
    numbers = {"start": start, "inputs": inputs, "parameters": parameters}
    made = Stepper(model, size, interval, step, threads, method=method, lanes=lanes, **numbers)
    made._groups.restore(state)
    return made


def _listed(names: str | Sequence[str]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


def _control(model: Model, method: str, step: float) -> StepControl:
    """Return the control of fixed steps of at most a size, s.

    Raises ModelError for events and for steps that do not fit; warns of stabilization that is too stiff for them.
    """
    if model.events:
        raise ModelError(
            f"events such as {next(iter(model.events))!r} are for single runs: leave them out of a stepper"
        )
    control = StepControl.of(method, step)
    steps_fit(model, control)
    check_alpha(model, control)
    return control


def _first_record(
    program: Program, model: Model, start: Mapping[str, float], inputs: Mapping[str, float],
    parameters: ParameterValues,
) -> np.ndarray:  # fmt: skip
    """Return the record with the numbers common to all members, before its start."""
    R = program.new_record()
    set_values(program, R, "parameter", parameters)
    set_inputs(program, R, model, inputs)
    set_values(program, R, "start value", start)
    return R


def _groups(runtime: Runtime, base: np.ndarray, size: int, lanes: int | None, interval: Interval) -> Groups:
    """Return records in lanes where model and method allow it, single ones otherwise."""
    runtime.require_numbers(base)
    chosen = usual_lanes(runtime.program) if lanes is None else lanes
    if chosen > 1 and fits_lanes(interval.control.method, interval.control.fixed):
        try:
            return LaneGroups(runtime, base, size, chosen, interval)
        except NoLanes:
            pass
    return SingleRecords(runtime, base, size, interval)
