"""The pythonfmu slave: a compiled model as an FMI 2.0 co-simulation FMU that runs in Python.

The FMU contains the program (resources/program.json, kernels.txt), which `ModelSlave` runs. pythonfmu converts every
exception to fmi2Fatal, after which an importer may abandon the simulation. So no action of the importer makes a method
raise an exception. Instead the slave logs the name of a bad value, outputs become NaN, and doStep returns fmi2Discard
until the instance is reset.
"""

from __future__ import annotations

import math
import sys
import weakref
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, cast
from xml.etree import ElementTree as ET

from pythonfmu import Fmi2Slave
from pythonfmu.enums import Fmi2Status

from ..codegen.loader import module_hash
from ..infrastructure.errors import ModelError
from ..infrastructure.messages.failures import message, refusal
from ..record.blocks import HeadNumbers
from ..record.codes import Fresh, Status
from ..record.kinds import BOOLEAN, DEMANDED, ENUMERATION, INTEGER, REAL, held_by
from ..record.program import Program
from ..run.loops_report import assembly_notes
from ..run.runtime import FOLLOW, REFRESH, STEP_KINDS, Runtime
from .description.elements import LOG_CATEGORIES, a_type
from .description.variables import variable_table
from .experiment import MOST_STEPS, control_of
from .naming import Naming
from .process_end import release_wrapper_at_exit
from .saved import States

#: Names of the functions that read and set variables of a kind.
FUNCTIONS = {REAL: "Real", BOOLEAN: "Boolean", INTEGER: "Integer", ENUMERATION: "Integer"}

_runtimes: weakref.WeakValueDictionary[str, Runtime] = weakref.WeakValueDictionary()  #: the slaves own the runtimes


def shared_runtime(program: Program) -> Runtime:
    """Return the runtime that all instances of a program share in this process; each instance has its own record."""
    key = module_hash(program.text + program.to_json())
    runtime = _runtimes.get(key)
    if runtime is None:
        _runtimes[key] = runtime = Runtime(program)
        runtime.kernels.tier = "full"  # importers may leave no time for a later optimisation
    return runtime


class ModelSlave(Fmi2Slave):  # type: ignore[misc]
    """Base class of the generated slaves."""

    log_categories: ClassVar[dict[str, str]] = LOG_CATEGORIES

    def __init__(self, **kwargs: Any):
        super().__init__(**kwargs)  # no logging in here: the wrapper would read freed messages
        folder = Path(self.resources)
        release_wrapper_at_exit(folder.parent)
        experiment = ET.parse(folder / "integration.xml").getroot().attrib
        text = (folder / "kernels.txt").read_text(encoding="utf-8")
        try:
            program = Program.from_json((folder / "program.json").read_text(encoding="utf-8"), text)
        except ValueError as error:
            print(f"FMU {self.instance_name}: {error}", file=sys.stderr)  # importers report a failed instantiation only
            raise
        self.modelName = program.name
        self._states = States(program, module_hash(program.text + program.to_json()).encode())
        self._runtime = shared_runtime(program)
        self._table = variable_table(program, cast(Naming, experiment.get("naming", "structured")))
        self._control = control_of(experiment)
        self._most_steps = int(experiment.get("max_internal_steps", MOST_STEPS))
        self._record = program.new_record()
        self._start_record = self._record.copy()  #: values set before the start, which initialization does not change
        self._view: Any = memoryview(self._record)  # type: ignore[arg-type]
        self._read_copy = self._record.copy()  #: copy with current rates and outputs, for reading
        start, size = program.regions["values"]
        #: All but the numbers and tables of laws, which all records have: a road may have millions of them.
        self._moving_parts = slice(start), slice(start + size, None)
        self._read_view: Any = memoryview(self._read_copy)  # type: ignore[arg-type]
        self._read_copy_valid = False  #: the copy belongs to the current record
        self._slots = [row.slot for row in self._table]
        self._settable = [row.settable != "never" for row in self._table]
        #: References of the variables that a type's functions do not read or set, by the name of the type.
        self._others = {
            type: frozenset(row.reference for row in self._table if FUNCTIONS[row.kind] != type)
            for type in (*FUNCTIONS.values(), "String")
        }
        apart = program.exchange_slice != program.rate_slice
        self._derivatives = {row.reference for row in self._table if row.role == "derivative" and apart}
        self._running = False  #: initialization is over
        self._ready = False  #: the record is initialized from the current start values
        self._failed = False
        self._changing = [slice(first, first + size) for first, size in program.changing]
        self._bind()

    def _bind(self) -> None:
        """Look up the kernels of doStep."""
        kernels, step = self._runtime.kernels, self._control.advance
        self._kernels = [(step, STEP_KINDS), REFRESH, FOLLOW]
        self._advance = getattr(kernels, f"enter_{step}")
        self._follow = kernels.enter_follow
        self._tables = self._runtime.no_tables

    def to_xml(self, model_options: dict[str, str] | None = None) -> ET.Element:
        """Return the model description that was written at export."""
        return ET.parse(Path(self.resources) / "description.xml").getroot()

    # -- life cycle ---------------------------------------------------------------------------------
    def setup_experiment(
        self, start_time: float, stop_time: float | None = None, tolerance: float | None = None
    ) -> None:
        self._start_record[HeadNumbers.time] = self._view[HeadNumbers.time] = start_time
        self._ready = self._failed = False
        if tolerance is not None and math.isfinite(tolerance) and tolerance > 0.0 and not self._control.fixed:
            control = self._control.with_rtol(tolerance)
            if math.isfinite(control.atol) and control.atol > 0.0:
                self._control = control

    def exit_initialization_mode(self) -> None:
        self._initialize()
        if not self._failed:
            self._warm_up()
            self.log(f"{self.modelName} starts at t = {self._view[HeadNumbers.time]:g} s", Fmi2Status.ok, "info")
            for note in assembly_notes(self._runtime.program, self._record, self._start_record):
                self.log(f"{self.modelName}: {note}", Fmi2Status.ok, "info")
        self._running = True
        self._settable = [row.settable == "always" for row in self._table]

    def _initialize(self) -> None:
        """Compute constants, momenta and outputs from the start values; log an error if this fails."""
        self._record[:] = self._start_record
        self._read_copy_valid = False
        self._runtime.ready(*self._kernels)
        try:
            self._runtime.initialize(self._record, *self._control.tolerances)
        except ModelError as error:
            self._fail(f"{self._runtime.program.name}: {error}")
            return
        self._failed = False
        self._ready = True
        self._runtime.refresh(self._record)

    def _warm_up(self) -> None:
        """Make a step on a copy of the record, so that the first doStep is as fast as the others."""
        copy = self._record.copy()
        self._follow(copy, copy[HeadNumbers.time], 1e-9)
        self._advance(copy, self._tables, copy[HeadNumbers.time] + 1e-9, self._control.bound, self._most_steps)

    def _fail(self, message: str) -> None:
        self._failed = True
        self.log(message, Fmi2Status.error, "error")

    # -- values -------------------------------------------------------------------------------------
    def get_real(self, vrs: list[int]) -> list[float]:
        values = self._numbers(vrs)
        if self._others["Real"].isdisjoint(vrs):
            return values
        wrong = self._wrong("Real", "Get", vrs)
        return [math.nan if vr in wrong else x for vr, x in zip(vrs, values, strict=True)]

    def get_integer(self, vrs: list[int]) -> list[int]:
        return [int(x) for x in self._whole("Integer", vrs)]

    def get_boolean(self, vrs: list[int]) -> list[bool]:
        return [x != 0.0 for x in self._whole("Boolean", vrs)]

    def get_string(self, vrs: list[int]) -> list[str]:
        self._wrong("String", "Get", vrs)
        return [""] * len(vrs)

    def _whole(self, type: str, vrs: list[int]) -> list[float]:
        """Return values of a type; 0, with a logged error, for variables of other types and for unfit numbers."""
        wrong = self._wrong(type, "Get", vrs)
        values = []
        for vr, x in zip(vrs, self._numbers(vrs), strict=True):
            fits = vr not in wrong and math.isfinite(x) and self._fits(vr, x)
            values.append(x if fits else 0.0)
        return values

    def _fits(self, vr: int, x: float) -> bool:
        """True if the type of a variable can hold a finite number; logs an error otherwise."""
        row = self._table[vr]
        least, most = held_by(row.kind, row.range)
        fits = x == math.floor(x) and least <= x <= most
        if not fits:
            time = self._view[HeadNumbers.time]
            text = f"{row.name!r} is {x:.9g} at t = {time:.9g} s: {a_type(row, '2.0')} must be {DEMANDED[row.kind]}"
            self.log(text, Fmi2Status.error, "error")
        return fits

    def _wrong(self, type: str, verb: str, vrs: list[int]) -> set[int]:
        """Return the references that do not have a type, and log an error about the first of them."""
        wrong = self._others[type].intersection(vrs)
        for vr in [vr for vr in vrs if vr in wrong][:1]:
            row, done = self._table[vr], {"Get": "read", "Set": "set"}[verb]
            text = f"{row.name!r} is {a_type(row, '2.0')}: fmi2{verb}{type} does not {done} it"
            self.log(text, Fmi2Status.error, "error")
        return set(wrong)

    def _numbers(self, vrs: list[int]) -> list[float]:
        slots = self._slots
        if not self._ready and not self._failed:
            self._initialize()
        if self._failed:
            return [self._value_after_failure(vr) for vr in vrs]
        fresh = self._view[HeadNumbers.fresh] == Fresh.everything
        view = self._view if fresh else self._refreshed_copy()
        try:
            values = [view[slots[vr]] for vr in vrs]
        except IndexError:
            values = [self._value_or_error(vr, view) for vr in vrs]
        exchanged = self._derivatives.intersection(vrs)
        if not exchanged:
            return values
        rates = self._exchanged_copy()
        return [rates[slots[vr]] if vr in exchanged else x for vr, x in zip(vrs, values, strict=True)]

    def _exchanged_copy(self) -> Any:
        """Return a copy of the record with the derivatives of the states that an importer sets.

        To compute them may give velocities other last bits, so that other variables are not read from it.
        """
        self._refreshed_copy()
        copy = self._read_copy.copy()
        self._runtime.exchange(copy)
        return memoryview(copy)  # type: ignore[arg-type]

    def _refreshed_copy(self) -> Any:
        """Return a copy of the record with current rates and outputs, so that reading does not affect steps."""
        if not self._read_copy_valid:
            for part in self._moving_parts:
                self._read_copy[part] = self._record[part]
            self._runtime.refresh(self._read_copy)
            self._read_copy_valid = True
        return self._read_view

    def _value_after_failure(self, vr: int) -> float:
        """Return a set value, or before the start a start value; NaN for computed variables."""
        if not 0 <= vr < len(self._table):
            return math.nan
        row = self._table[vr]
        if not self._running and row.settable != "never":
            return float(self._start_record[row.slot])
        return float(self._view[row.slot]) if row.causality in ("parameter", "input", "independent") else math.nan

    def _value_or_error(self, vr: int, view: Any) -> float:
        """Return the value of a variable; NaN, with a logged error, if it does not exist."""
        if 0 <= vr < len(self._slots):
            return float(view[self._slots[vr]])
        self.log(
            f"value reference {vr} does not exist: there are 0 to {len(self._slots) - 1}", Fmi2Status.error, "error"
        )
        return math.nan

    def set_real(self, vrs: list[int], values: list[float]) -> None:
        if self._others["Real"].isdisjoint(vrs) or not self._wrong("Real", "Set", vrs):
            self._set_numbers(vrs, values)

    def set_integer(self, vrs: list[int], values: list[int]) -> None:
        if not self._wrong("Integer", "Set", vrs):
            self._set_numbers(vrs, [float(x) for x in values])

    def set_boolean(self, vrs: list[int], values: list[bool]) -> None:
        if not self._wrong("Boolean", "Set", vrs):
            self._set_numbers(vrs, [float(bool(x)) for x in values])

    def set_string(self, vrs: list[int], values: list[str]) -> None:
        self._wrong("String", "Set", vrs)

    def _set_numbers(self, vrs: list[int], values: list[float]) -> None:
        view, slots, settable = self._view, self._slots, self._settable
        refused = [vr for vr in vrs if not 0 <= vr < len(slots) or not settable[vr]]
        for vr in refused:
            self._refuse(vr)
        if refused or not all(map(self._is_valid, vrs, values)):
            return  # set all values or none
        for vr, value in zip(vrs, values, strict=True):
            if not self._running:
                self._set_start(slots[vr], value)
            elif view[slots[vr]] != value:
                view[slots[vr]] = value
                view[HeadNumbers.fresh] = Fresh.stale
                self._read_copy_valid = False

    def _set_start(self, slot: int, value: float) -> None:
        """Set a start value; the next reading of a computed variable initializes the record again."""
        if self._start_record[slot] != value:
            self._start_record[slot] = self._view[slot] = value
            self._ready = self._failed = False

    def _is_valid(self, vr: int, value: float) -> bool:
        """True if a variable may have this value now: enumerations have bounds, and during the run parameters.

        The start checks parameters that are set before it.
        """
        row = self._table[vr]
        is_enumeration = row.kind == ENUMERATION
        is_bounded = is_enumeration or (self._running and row.causality == "parameter")
        reason = refusal(row.causality, row.name, value, *row.range) if is_bounded else None
        if reason is not None and is_enumeration:
            self.log(reason, Fmi2Status.error, "error")
        elif reason is not None:
            self._fail(reason)
        return reason is None

    def _refuse(self, vr: int) -> None:
        if not 0 <= vr < len(self._table):
            self._value_or_error(vr, self._view)
            return
        row = self._table[vr]
        reason = "it is computed" if row.settable == "never" else "it takes effect at initialization only"
        self.log(f"{row.name!r} can't be set now: {reason}", Fmi2Status.warning, "warning")

    # -- steps --------------------------------------------------------------------------------------
    def do_step(self, current_time: float, step_size: float) -> bool:
        if self._failed or not self._running or not 0.0 < step_size < math.inf:
            return self._refuse_step(step_size)
        view = self._view
        before = [self._record[part].copy() for part in self._changing]
        if self._follow(self._record, current_time, step_size) != Status.ok:
            now = view[HeadNumbers.time]
            return self._discard(message("other_time", time=current_time, value=now, step=abs(current_time - now)))
        stop = view[HeadNumbers.time] + step_size
        status = self._advance(self._record, self._tables, stop, self._control.bound, self._most_steps)
        self._read_copy_valid = False
        if status == Status.ok:
            return True
        reason = self._failure(status, step_size)
        for part, numbers in zip(self._changing, before, strict=True):
            self._record[part] = numbers
        if view[HeadNumbers.fresh] != Fresh.everything:
            view[HeadNumbers.fresh] = Fresh.stale  # the workspace has changed, from which outputs would be computed
        return self._discard(f"{reason}; the step is taken back, the FMU stands at t = {view[HeadNumbers.time]:.9g} s")

    def _failure(self, status: int, size: float) -> str:
        """Return the reason why a step failed."""
        view = self._view
        if status == Status.budget:
            return f"{self.modelName}: {message('too_many_steps', step=size, steps=self._most_steps)}"
        bad = [row for row in self._table if row.settable == "always" and not math.isfinite(view[row.slot])]
        reason = "; ".join(f"{row.causality} {row.name!r} is {view[row.slot]}" for row in bad)
        return reason or self._runtime.fault(self._record, status)

    def _refuse_step(self, step_size: float) -> bool:
        """Discard a step that cannot be made now; a step of size zero succeeds without effect."""
        if self._failed:
            return self._discard("no step after a failure: reset the instance or restore a state")
        if not self._running:
            return self._discard("no step before the end of initialization: call fmi2ExitInitializationMode first")
        return step_size == 0.0 or self._discard(f"communication step {step_size!r} s: give a positive number")

    def _discard(self, message: str) -> bool:
        self.log(message, Fmi2Status.discard, "error")
        return False

    # -- states -------------------------------------------------------------------------------------
    def _get_fmu_state(self) -> bytes:
        flags = (self._running, self._ready, self._failed)
        return self._states.pack(flags, self._control.tolerances, self._record, self._start_record)

    def _set_fmu_state(self, state: bytes) -> None:
        try:
            flags, tolerances, self._record[:], self._start_record[:] = self._states.unpack(state)
        except ValueError as error:
            self._fail(str(error))
            return
        self.log("state restored", Fmi2Status.ok, "events")
        self._running, self._ready, self._failed = flags
        self._control = replace(self._control, rtol=tolerances[0], atol=tolerances[1])
        self._read_copy_valid = False
        self._settable = [row.settable == "always" if self._running else row.settable != "never" for row in self._table]

    @staticmethod
    def _fmu_state_to_bytes(state: bytes) -> bytes:
        return state

    @staticmethod
    def _fmu_state_from_bytes(state: bytes) -> bytes:
        return bytes(state)
