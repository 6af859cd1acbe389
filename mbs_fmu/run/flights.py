"""Tangents of runs in which something takes effect at instants: impacts, locks, friction, resets and samples.

In a flight, from one instant to the next, automatic differentiation carries the tangents (integrate/tangents). The time
at which a flight ends depends on the directions; its tangent, `late`, follows from the condition that the function
which crosses zero stays zero. Tangents of the rounds of an instant are differences of fourth order, and so are the
derivatives of steps with respect to their beginning and size. The results are derivatives of the numerical solution, as
they are without instants; in the limit of short steps they are those that saltation matrices give.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NoReturn

import numpy as np

from ..codegen.loader import Kernels
from ..infrastructure.messages.names import listed
from ..integrate.stepping.drivers import equal_steps
from ..record.blocks import Beat, Clock, HeadNumbers, Instants
from ..record.codes import Fresh, Status
from ..record.program import Program
from .differences import FOURTH_AHEAD, SHARE, derivative
from .errors import SimulationError
from .runtime import Runtime, names
from .step_control import StepControl
from .tangent_groups import Carrier

STATE = ("q", "p", "z", "drive_impulses")  #: regions that steps change
CHANGED = (*STATE, "sampled", "zeros", "turned", "impact_impulses")  #: regions that rounds change
SCALED = ("q", "z", "u", "inputs", "parameters")  #: regions whose numbers determine the steps of differences
AGREEMENT = 1e-6  #: relative difference up to which two functions cross zero together, whatever the directions


def places(program: Program, regions: Sequence[str]) -> np.ndarray:
    """Return the indices of all numbers of some regions, those that the model has."""
    have = [program.regions[name] for name in regions if name in program.regions]
    return np.concatenate([np.arange(0), *(np.arange(first, first + size) for first, size in have)])


def changed_places(program: Program) -> np.ndarray:
    """Return the indices of the numbers that determine the motion from an instant on: the state, and held values."""
    return places(program, CHANGED)


class Flights:
    """A run without tangents, part by part, with the tangents that follow it."""

    def __init__(
        self, runtime: Runtime, kernels: Kernels, control: StepControl, carrier: Carrier, directions: Sequence[str],
        jumps: np.ndarray,
    ):  # fmt: skip
        """`kernels` are those of the module for sensitivities, without lanes, and `directions` their names.

        `jumps` are the times at which inputs have two values.
        """
        self.runtime, self.program, self.control, self.carrier = runtime, runtime.program, control, carrier
        self.directions, self.jumps = directions, jumps
        self._kernels = kernels
        self.changed = changed_places(self.program)
        self._state, self._scaled = (places(self.program, names) for names in (STATE, SCALED))
        self._modes, self._due, self._now = (self.program.region(name) for name in ("modes", "due", "now"))
        self._instants = self.program.regions["instants"][0]
        self._switches, self._ticks, clocks = (places(self.program, [name]) for name in ("switches", "ticks", "clocks"))
        self._clocks = clocks[:: Clock.size]
        self._beats = places(self.program, ["beats"])[:: Beat.size]
        settled = places(self.program, ["constants"])  # computed by the start, kept behind the mark
        self._moving = np.concatenate([np.arange(self.program.regions["scratch"][0]), settled])
        self._is_parameter = np.isin(self._scaled, places(self.program, ["parameters"]))
        #: Tangents of the time at which the present part begins, (directions,).
        self.late = np.zeros(len(directions))
        #: Derivative of the state with respect to the size of the part that has just ended, if it has any size.
        self.motion: np.ndarray | None = None
        self.pending: list[tuple[float, float, float, float]] = []

    def run(
        self, R: np.ndarray, U: np.ndarray, times: np.ndarray, planned: np.ndarray, report: Callable[[int], object]
    ) -> None:
        """Run from a record that is initialised, with rows at `times`.

        `planned` are the times of the rows if no event ends the run: the intervals that equal steps divide.

        Raises SimulationError if the run fails, or where the result is not differentiable.
        """
        self.R, self.U = R, U
        self._begin_run()
        self.pending = [(times[0], 0.0, times[0], 0.0)]
        for row in range(1, len(times)):
            self._interval(row, float(planned[row - 1]), float(planned[row]))
            self._carry()
            report(1)

    def _begin_run(self) -> None:
        """Prepare the record, as the time loops of runs do."""
        self._kernels.entry("switches")(self.R)

    # -- the run without tangents -------------------------------------------------------------------------------

    def _interval(self, row: int, start: float, stop: float) -> None:
        """Run to the time `stop` of a row, or to the event that ends the run before it."""
        fixed, name = self.control.fixed, self.control.method.name
        make = self._kernels.entry(f"{name}_part" if fixed else f"{name}_step")
        n = equal_steps(start, stop, self.control.step) if fixed else 1
        h = (stop - start) / n
        done = 0
        while done < n and self._instant_number(Instants.stopped) == 0.0:
            end = stop if done == n - 1 else start + (done + 1) * h
            self._instant(h if fixed else float(self.R[HeadNumbers.step]))
            before = self.R.copy()
            arguments = (start + done * h, h, end) if fixed else (stop, self.control.bound)
            self._check(make(self.R, self.U, *arguments))
            done += self._time >= end
            is_row = self._time >= stop or self._instant_number(Instants.stopped) > 0.0
            self._follow(before, h, row if is_row else -1)

    @property
    def _time(self) -> float:
        return float(self.R[HeadNumbers.time])

    def _instant_number(self, place: int) -> float:
        return float(self.R[self._instants + place])

    def _set_instant_number(self, place: int, value: float) -> None:
        self.R[self._instants + place] = value

    def _check(self, status: int) -> None:
        """Raise SimulationError for the status of a failure."""
        if status != Status.ok:
            raise SimulationError(self.runtime.fault(self.R, status))

    # -- flights ------------------------------------------------------------------------------------------------

    def _follow(self, before: np.ndarray, h: float, row: int) -> None:
        """Carry the tangents along the part that has just been made from the record `before`.

        `h` is the size of the fixed steps, `row` the number of the row at its end, or -1.
        """
        start, end = float(before[HeadNumbers.time]), self._time
        self.motion = None
        if end == start:
            return
        is_late = self.late.any()
        if not is_late and not self._crossed().size and not self._timed().any():
            self.pending.append((start, end - start, end, row))
            return
        self.pending.append((start, end - start, end, -1.0))
        self._carry()
        self.motion = self._motion(before, end - start, 0.0)
        if is_late:  # the part begins later and ends at its time
            later = self._motion(before, end - start, 1.0)
            for group, late in zip(self.carrier.groups, self.late, strict=True):
                group.tangents[self._state] += late * later
            self.late[:] = 0.0
        self.pending.append((end, -h, end, row))

    def _carry(self) -> None:
        """Carry the tangents along the parts that are pending."""
        if self.pending:
            self.carrier.carry(np.array(self.pending), lambda steps: None)
        self.pending = []

    def _motion(self, before: np.ndarray, size: float, begins: float) -> np.ndarray:
        """Return the derivative of the state behind a part with respect to the time at which it ends.

        The part begins at the record `before`. If `begins` is 1, the derivative is with respect to the time at which
        the part begins. The differences stay within the part, at whose ends inputs and conditions may jump.
        """
        start = float(before[HeadNumbers.time])
        step_to = self._kernels.entry(f"{self.control.method.name}_step_to")

        def state(step: float) -> np.ndarray | None:
            moved = before.copy()
            moved[HeadNumbers.fresh] = Fresh.stale
            moved[HeadNumbers.time] = begin = start + begins * step
            end = start + size + (1.0 - begins) * step
            status = step_to(moved, self.U, begin, end - begin, end)
            return moved[self._state] if status == Status.ok else None

        found = derivative(state, 0.1 * size * (1.0 if begins else -1.0), FOURTH_AHEAD)
        if found is None:
            raise SimulationError(f"{self.program.name}: no sensitivities: steps near that at {start:g} s fail")
        return found[0]

    # -- instants -----------------------------------------------------------------------------------------------

    def _crossed(self) -> np.ndarray:
        """Return the numbers of the functions whose crossings take effect at the present time."""
        return np.flatnonzero(self.R[self._due])

    def _timed(self) -> np.ndarray:
        """Return the tangents of the times of what happens now at a known time, (things, directions).

        These are samples, jumps of inputs, and conditions on time.
        """
        time, near = self._time, float(self._kernels.entry("same_instant")(self.R, self.U))
        tangents = np.array([group.tangents for group in self.carrier.groups])
        found = [tangents[:, k] for k in self._switches[np.abs(self.R[self._switches] - time) <= near]]
        for clock, tick in zip(self._clocks, self._ticks, strict=True):
            count = self.R[tick]
            if abs(self.R[clock + Clock.first] + count * self.R[clock + Clock.period] - time) <= near:
                found.append(tangents[:, clock + Clock.first] + count * tangents[:, clock + Clock.period])
        for beat in self._beats:
            period, first, jumps = self.R[beat : beat + Beat.size]
            count = np.rint((time - first) / period)
            if jumps and abs(first + count * period - time) <= near:
                found.append(tangents[:, beat + Beat.first] + count * tangents[:, beat + Beat.period])
        if np.any(np.abs(self.jumps - time) <= near):
            found.append(np.zeros(len(tangents)))
        return np.array(found).reshape(-1, len(tangents))

    def _instant(self, h: float) -> None:
        """Make what is due at the present time, before a step of size h, and carry the tangents across it."""
        controlled = int(not self.control.fixed)
        may_jump = self._instant_number(Instants.jumps) != 0.0
        self._carry()
        if self.motion is not None:
            self.late = self._lateness(self.motion)
        self._check(self._kernels.entry("begin_instant")(self.R, self.U, h, controlled))
        some = False
        while self._kernels.entry("some_round")(self.R, self.U):
            some = True
            before = self.R.copy()
            self._check(self._kernels.entry("next_round")(self.R, self.U, h, controlled))
            self._carry_round(before, h, controlled)
        if some:
            self._check(self._kernels.entry("end_instant")(self.R, h))
        elif self.motion is not None:
            for group, late in zip(self.carrier.groups, self.late, strict=True):
                group.tangents[self._state] += late * self.motion
        if some or may_jump:
            for group in self.carrier.groups:
                group.record[:] = self.R
            self.pending.append((self._time, -h, self._time, -1.0))

    def _lateness(self, motion: np.ndarray) -> np.ndarray:
        """Return the tangents of the present time, at which a part ends that has this `motion`, (directions,).

        Raises SimulationError if a function that crosses zero has no slope there, or if what happens at this time
        happens together only by chance.
        """
        crossed, times = self._crossed(), self._timed()
        noise = np.zeros(len(self.directions))
        if not any(group.tangents.any() for group in self.carrier.groups):  # values alone are wanted
            return noise
        if crossed.size:
            flow = np.zeros(self.R.size)
            flow[self._state], flow[HeadNumbers.time] = motion, 1.0
            rates, errors = self._slopes(crossed, flow, SHARE * self._instant_number(Instants.last_part))
            if (np.abs(rates) <= 10.0 * errors).any():
                self._refuse(None, "touches zero without a slope: move its level")
            changes = [self._slopes(crossed, x.tangents, self._step(x.tangents)) for x in self.carrier.groups]
            times = np.vstack([times, np.array([-change / rates for change, _ in changes]).T])
            noise = np.array([10.0 * (errors / np.abs(rates)).max() for _, errors in changes])
        if not len(times):
            return np.zeros(len(self.directions))
        apart = np.ptp(times, axis=0) > AGREEMENT * np.abs(times).max(axis=0) + noise
        if apart.any():
            reason = "coincides with something that a small change would separate from it: move one of them"
            self._refuse(int(np.argmax(apart)), reason)
        late: np.ndarray = times[0]
        return late

    def _slopes(self, functions: np.ndarray, along: np.ndarray, step: float) -> tuple[np.ndarray, np.ndarray]:
        """Return the derivatives of watched functions along a direction of the record, and their errors."""

        def values(size: float) -> np.ndarray:
            moved = self._moved(self.R, size * along)
            self._kernels.entry("watch_before")(moved, self.U)
            now: np.ndarray = moved[self._now][functions]
            return now

        found = derivative(values, step)
        assert found is not None
        return found

    def _carry_round(self, before: np.ndarray, h: float, controlled: int) -> None:
        """Carry the tangents across a round that has been made from the record `before`."""
        repeat = self._kernels.entry("repeat_round")
        modes = self.R[self._modes]
        for k, (group, late) in enumerate(zip(self.carrier.groups, self.late, strict=True)):
            along = group.tangents.copy()
            if self.motion is not None:
                along[self._state] += late * self.motion
            along[HeadNumbers.time] = late

            def changed(size: float, along: np.ndarray = along) -> np.ndarray | None:
                moved = self._moved(before, size * along)
                status = repeat(moved, self.U, h, controlled)
                same = status == Status.ok and np.array_equal(moved[self._modes], modes)
                return moved[self.changed] if same else None

            found = derivative(changed, self._step(along))
            if found is None:
                self._refuse(k, "is followed by other modes after a small change: change a start value or parameter")
            group.tangents[self.changed] = found[0]
        self.motion = None

    def _moved(self, R: np.ndarray, by: np.ndarray) -> np.ndarray:
        """Return a copy of a record, with all numbers moved that are no workspace."""
        moved = R.copy()
        moved[self._moving] += by[self._moving]
        return moved

    def _step(self, along: np.ndarray) -> float:
        """Return the step of differences along a direction that changes no number by more than `SHARE` of its scale."""
        values = np.abs(self.R[self._scaled])
        scales = np.where(self._is_parameter, np.where(values > 0.0, values, 1.0), np.maximum(values, 1.0))
        most = max(float((np.abs(along[self._scaled]) / scales).max(initial=0.0)), abs(along[HeadNumbers.time]))
        return SHARE / most if most > 0.0 else SHARE

    def _refuse(self, direction: int | None, reason: str) -> NoReturn:
        """Raise SimulationError for an instant at which the result is not differentiable."""
        things = listed([names(self.program)["watched"][w] for w in self._crossed()]) or "what happens"
        to = "" if direction is None else f" to {self.directions[direction]!r}"
        raise SimulationError(
            f"{self.program.name}: no sensitivities{to} behind t = {self._time:g} s, where {things} {reason}"
        )
