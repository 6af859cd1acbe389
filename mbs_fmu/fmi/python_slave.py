"""The pythonfmu slave: a compiled model as an FMI 2.0 co-simulation FMU that runs on Python.

The FMU carries the program (resources/program.json, kernels.txt); the class below runs it. pythonfmu turns
every exception into fmi2Fatal, which the standard lets an importer take for the end of the process. So no
method here raises for anything that the importer did: a bad value is logged with its name, outputs become
NaN, and doStep answers fmi2Discard until the instance is reset.
"""

from __future__ import annotations

import math
import sys
import weakref
from pathlib import Path
from typing import Any, ClassVar
from xml.etree import ElementTree as ET

import numpy as np
from pythonfmu import Fmi2Slave
from pythonfmu.enums import Fmi2Status

from ..codegen.loader import module_hash
from ..errors import ModelError
from ..integrate.methods.table import method
from ..messages.failures import message, refusal
from ..record.layout import Fresh, Head, Status
from ..record.program import Program
from ..run.loops_report import assembly_notes
from ..run.runtime import FOLLOW, REFRESH, STEP_KINDS, Runtime
from .description.elements import LOG_CATEGORIES
from .description.variables import variable_table
from .experiment import MOST_STEPS
from .process_end import release_wrapper_at_exit
from .saved import States

KEEPS_TIME = 4  #: the last format whose FMUs go by their own clock, whatever time an importer tells
_runtimes: weakref.WeakValueDictionary[str, Runtime] = weakref.WeakValueDictionary()  #: slaves hold theirs


def shared_runtime(program: Program) -> Runtime:
    """One runtime for all instances of a program in the process; records are their own."""
    key = module_hash(program.text + program.to_json())
    runtime = _runtimes.get(key)
    if runtime is None:
        _runtimes[key] = runtime = Runtime(program)
        runtime.kernels.tier = "full"  # an importer may have no time for a better one later
    return runtime


def _stay(R: np.ndarray, time: float, size: float) -> int:
    """For `follow` in FMUs that go by their own clock."""
    return Status.ok


class ModelSlave(Fmi2Slave):  # type: ignore[misc]
    """Base class of the generated slaves."""

    log_categories: ClassVar[dict[str, str]] = LOG_CATEGORIES

    def __init__(self, **kwargs: Any):
        super().__init__(**kwargs)  # and nothing is logged here: the wrapper reads such messages after it freed them
        folder = Path(self.resources)
        release_wrapper_at_exit(folder.parent)
        experiment = ET.parse(folder / "integration.xml").getroot().attrib
        text = (folder / "kernels.txt").read_text(encoding="utf-8")
        try:
            program = Program.from_json((folder / "program.json").read_text(encoding="utf-8"), text)
        except ValueError as error:
            print(f"FMU {self.instance_name}: {error}", file=sys.stderr)  # the host sees a failed instantiation only
            raise
        self.modelName = program.name
        self._states = States(program, module_hash(program.text + program.to_json()).encode())
        self._runtime = shared_runtime(program)
        self._table = variable_table(program)
        self._method = method(experiment["method"])
        self._step = float(experiment["step"])
        self._adaptive = self._method.adaptive and self._step == 0.0
        self._rtol = float(experiment["rtol"])
        self._atol = float(experiment["atol"])
        self._most_steps = int(experiment.get("max_internal_steps", MOST_STEPS))
        self._record = program.new_record()
        self._given = self._record.copy()  #: what was set before the start, untouched by initialization
        self._view: Any = memoryview(self._record)  # type: ignore[arg-type]
        self._look = self._record.copy()  #: what is read from where the record is not up to date
        self._look_view: Any = memoryview(self._look)  # type: ignore[arg-type]
        self._looked = False  #: it is a copy of the record as it stands
        self._slots = [row.slot for row in self._table]
        self._settable = [row.settable != "never" for row in self._table]
        apart = program.exchange_slice != program.rate_slice
        self._derivatives = {row.reference for row in self._table if row.role == "derivative" and apart}
        self._running = False  #: initialization is over
        self._ready = False  #: constants and momenta belong to the present start values
        self._failed = False
        self._restored = program.restored
        self._bind()

    def _bind(self) -> None:
        """The kernel and setting of doStep, looked up once."""
        kernels = self._runtime.kernels
        step = f"{self._method.name}_{'adaptive' if self._adaptive else 'fixed'}"
        follows = self._runtime.program.format > KEEPS_TIME
        self._called = [(step, STEP_KINDS), REFRESH, *[FOLLOW] * follows]
        self._advance = getattr(kernels, f"enter_{step}")
        self._setting = self._rtol if self._adaptive else self._step
        self._follow = kernels.enter_follow if follows else _stay
        self._tables = self._runtime.no_tables

    def to_xml(self, model_options: dict[str, str] | None = None) -> ET.Element:
        """The description made at export."""
        return ET.parse(Path(self.resources) / "description.xml").getroot()

    # -- life cycle ---------------------------------------------------------------------------------
    def setup_experiment(
        self, start_time: float, stop_time: float | None = None, tolerance: float | None = None
    ) -> None:
        self._given[Head.time] = self._view[Head.time] = start_time
        self._ready = self._failed = False
        if tolerance is not None and math.isfinite(tolerance) and tolerance > 0.0 and self._adaptive:
            absolute = self._atol * (tolerance / self._rtol)
            if math.isfinite(absolute) and absolute > 0.0:
                self._rtol, self._atol = tolerance, absolute
                self._bind()

    def exit_initialization_mode(self) -> None:
        self._initialize()
        if not self._failed:
            self._warm_up()
            self.log(f"{self.modelName} starts at t = {self._view[Head.time]:g} s", Fmi2Status.ok, "info")
            for note in assembly_notes(self._runtime.program, self._record, self._given):
                self.log(f"{self.modelName}: {note}", Fmi2Status.ok, "info")
        self._running = True
        self._settable = [row.settable == "always" for row in self._table]

    def _initialize(self) -> None:
        """Constants, momenta and outputs from the values given; logs what makes that impossible."""
        self._record[:] = self._given
        self._looked = False
        self._runtime.ready(*self._called)
        try:
            self._runtime.initialize(self._record, self._rtol, self._atol)
        except ModelError as error:
            self._fail(f"{self._runtime.program.name}: {error}")
            return
        self._failed = False
        self._ready = True
        self._runtime.refresh(self._record)

    def _warm_up(self) -> None:
        """Make a step on a copy, so that the first doStep is as quick as the others."""
        copy = self._record.copy()
        self._follow(copy, copy[Head.time], 1e-9)
        self._advance(copy, self._tables, copy[Head.time] + 1e-9, self._setting, self._most_steps)

    def _fail(self, message: str) -> None:
        self._failed = True
        self.log(message, Fmi2Status.error, "error")

    # -- values -------------------------------------------------------------------------------------
    def get_real(self, vrs: list[int]) -> list[float]:
        slots = self._slots
        if not self._ready and not self._failed:
            self._initialize()
        if self._failed:
            return [self._value_after_failure(vr) for vr in vrs]
        exchanged = not self._derivatives.isdisjoint(vrs)
        view = self._view if self._view[Head.fresh] == Fresh.everything and not exchanged else self._shown()
        if exchanged:
            self._runtime.exchange(self._look)
        try:
            return [view[slots[vr]] for vr in vrs]
        except IndexError:
            return [self._known(vr, view) for vr in vrs]

    def _shown(self) -> Any:
        """A copy of the record, with rates and outputs worked out: reading changes no step."""
        if not self._looked:
            self._look[:] = self._record
            self._runtime.refresh(self._look)
            self._looked = True
        return self._look_view

    def _value_after_failure(self, vr: int) -> float:
        """Return values that were set, and before the start all start values; computed variables are not readable."""
        if not 0 <= vr < len(self._table):
            return math.nan
        row = self._table[vr]
        if not self._running and row.settable != "never":
            return float(self._given[row.slot])
        return float(self._view[row.slot]) if row.causality in ("parameter", "input", "independent") else math.nan

    def _known(self, vr: int, view: Any) -> float:
        if 0 <= vr < len(self._slots):
            return float(view[self._slots[vr]])
        self.log(
            f"value reference {vr} does not exist: there are 0 to {len(self._slots) - 1}", Fmi2Status.error, "error"
        )
        return math.nan

    def set_real(self, vrs: list[int], values: list[float]) -> None:
        view, slots, settable = self._view, self._slots, self._settable
        refused = [vr for vr in vrs if not 0 <= vr < len(slots) or not settable[vr]]
        for vr in refused:
            self._refuse(vr)
        if refused or (self._running and not all(map(self._good, vrs, values))):
            return  # all or nothing
        for vr, value in zip(vrs, values, strict=True):
            if not self._running:
                self._give(slots[vr], value)
            elif view[slots[vr]] != value:
                view[slots[vr]] = value
                view[Head.fresh] = Fresh.stale
                self._looked = False

    def _give(self, slot: int, value: float) -> None:
        """A value for the start, which is made anew when something that follows from it is read."""
        if self._given[slot] != value:
            self._given[slot] = self._view[slot] = value
            self._ready = self._failed = False

    def _good(self, vr: int, value: float) -> bool:
        """True if a parameter may be changed to this in flight: only to what is as good as before the start."""
        row = self._table[vr]
        said = refusal("parameter", row.name, value, *row.range) if row.causality == "parameter" else None
        if said is not None:
            self._fail(said)
        return said is None

    def _refuse(self, vr: int) -> None:
        if not 0 <= vr < len(self._table):
            self._known(vr, self._view)
            return
        row = self._table[vr]
        reason = "it is computed" if row.settable == "never" else "it takes effect at initialization only"
        self.log(f"{row.name!r} can't be set now: {reason}", Fmi2Status.warning, "warning")

    # -- steps --------------------------------------------------------------------------------------
    def do_step(self, current_time: float, step_size: float) -> bool:
        if self._failed or not self._running or not 0.0 < step_size < math.inf:
            return self._odd_step(step_size)
        view = self._view
        before = self._record[: self._restored].copy()
        if self._follow(self._record, current_time, step_size) != Status.ok:
            now = view[Head.time]
            return self._discard(message("other_time", time=current_time, value=now, step=abs(current_time - now)))
        stop = view[Head.time] + step_size
        status = self._advance(self._record, self._tables, stop, self._setting, self._most_steps)
        self._looked = False
        if status == Status.ok:
            return True
        said = self._why(status, step_size)
        self._record[: self._restored] = before
        return self._discard(f"{said}; the step is taken back, the FMU stands at t = {view[Head.time]:.9g} s")

    def _why(self, status: int, size: float) -> str:
        """The reason of a failed step."""
        view = self._view
        if status == Status.budget:
            return f"{self.modelName}: {message('too_many_steps', step=size, steps=self._most_steps)}"
        bad = [row for row in self._table if row.settable == "always" and not math.isfinite(view[row.slot])]
        said = "; ".join(f"{row.causality} {row.name!r} is {view[row.slot]}" for row in bad)
        return said or self._runtime.fault(self._record, status)

    def _odd_step(self, step_size: float) -> bool:
        if self._failed:
            return self._discard("no step after a failure: reset the instance or restore a state")
        if not self._running:
            return self._discard("no step before the end of initialization: call fmi2ExitInitializationMode first")
        return step_size == 0.0 or self._discard(f"communication step {step_size!r} s: give a positive number")

    def _discard(self, message: str) -> bool:
        self.log(message, Fmi2Status.discard, "error")
        return False

    # -- types that no variable has --------------------------------------------------------------------
    def get_integer(self, vrs: list[int]) -> list[int]:
        self._no_such_type("Integer", vrs)
        return [0] * len(vrs)

    def get_boolean(self, vrs: list[int]) -> list[bool]:
        self._no_such_type("Boolean", vrs)
        return [False] * len(vrs)

    def get_string(self, vrs: list[int]) -> list[str]:
        self._no_such_type("String", vrs)
        return [""] * len(vrs)

    def set_integer(self, vrs: list[int], values: list[int]) -> None:
        self._no_such_type("Integer", vrs)

    def set_boolean(self, vrs: list[int], values: list[bool]) -> None:
        self._no_such_type("Boolean", vrs)

    def set_string(self, vrs: list[int], values: list[str]) -> None:
        self._no_such_type("String", vrs)

    def _no_such_type(self, name: str, vrs: list[int]) -> None:
        self.log(f"no variable has type {name} (value references {vrs}): all are Real", Fmi2Status.error, "error")

    # -- states -------------------------------------------------------------------------------------
    def _get_fmu_state(self) -> bytes:
        flags = (self._running, self._ready, self._failed)
        return self._states.pack(flags, (self._rtol, self._atol), self._record, self._given)

    def _set_fmu_state(self, state: bytes) -> None:
        try:
            flags, tolerances, self._record[:], self._given[:] = self._states.unpack(state)
        except ValueError as error:
            self._fail(str(error))
            return
        self.log("state restored", Fmi2Status.ok, "events")
        self._running, self._ready, self._failed = flags
        self._rtol, self._atol = tolerances
        self._looked = False
        self._bind()
        self._settable = [row.settable == "always" if self._running else row.settable != "never" for row in self._table]

    @staticmethod
    def _fmu_state_to_bytes(state: bytes) -> bytes:
        return state

    @staticmethod
    def _fmu_state_from_bytes(state: bytes) -> bytes:
        return bytes(state)
