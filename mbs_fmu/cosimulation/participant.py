"""Instances of FMUs in a running system, FMI 2.0 and 3.0: values in buffers, steps, saved states.

fmpy loads the libraries and makes the instances. What a run calls in each step is called with prepared arguments, since
fmpy's own functions convert lists in each call.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from fmpy.fmi2 import FMU2Slave, defaultCallbacks, fmi2CallbackFunctions, fmi2CallbackLoggerTYPE
from fmpy.fmi3 import FMU3Slave

from ..fmi.process_end import MARK, release_wrapper_at_exit
from ..fmi.unpacking import unpack
from ..infrastructure.errors import ModelError, one_line
from ..infrastructure.messages.names import listed
from ..run.errors import SimulationError
from .description import Description, Slot, Variable

STATUS = {2: "discard", 3: "error", 4: "fatal error", 5: "pending"}
WARNING, DISCARD, FATAL = 1, 2, 4
TERMINATED = 3  #: kind of status of FMI 2.0: whether the FMU ended the run
STATE_VERBS = {"Get": "save", "Set": "restore", "Free": "free"}
LINES = 3  #: of an FMU's last messages, which errors quote
#: FMI 2.0: suffix of the functions that get and set variables of a type, and the type in C.
TYPES_2: dict[str, tuple[str, Any]] = {
    "Real": ("Real", ctypes.c_double), "Integer": ("Integer", ctypes.c_int), "Enumeration": ("Integer", ctypes.c_int),
    "Boolean": ("Boolean", ctypes.c_int), "String": ("String", ctypes.c_char_p),
}  # fmt: skip
TYPES_3: dict[str, tuple[str, Any]] = {
    "Float64": ("Float64", ctypes.c_double), "Float32": ("Float32", ctypes.c_float),
    "Enumeration": ("Int64", ctypes.c_int64), "Boolean": ("Boolean", ctypes.c_bool),
    "String": ("String", ctypes.c_char_p),
    **{f"{sign}Int{n}": (f"{sign}Int{n}", getattr(ctypes, f"c_{sign.lower()}int{n}"))
       for sign in ("", "U") for n in (8, 16, 32, 64)},
}  # fmt: skip
POINTER, SIZE, REAL = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_double


class Block:
    """Variables of one type of an instance, with the buffer `values` of their elements, in order."""

    def __init__(self, participant: Participant, variables: Sequence[Variable]):
        suffix, number = participant.types[variables[0].type]
        references = (ctypes.c_uint32 * len(variables))(*(v.reference for v in variables))
        self.values = (number * sum(v.size for v in variables))()
        self.variables = list(variables)
        self._participant = participant
        self._get, self._set = (participant.accessor(verb + suffix) for verb in ("Get", "Set"))
        counts = (len(self.values),) if participant.counts_values else ()
        self._arguments = (participant.instance, references, len(variables), self.values, *counts)

    def start(self, variable: Variable) -> int:
        """Return the place of a variable's first element in the buffer."""
        return sum(v.size for v in self.variables[: self.variables.index(variable)])

    def read(self) -> None:
        """Fill the buffer with the values of the FMU."""
        status = self._get(*self._arguments)
        if status > WARNING:
            self._participant.fail(f"it did not give {listed(v.name for v in self.variables)}", status)

    def write(self) -> None:
        """Give the FMU the values of the buffer."""
        status = self._set(*self._arguments)
        if status > WARNING:
            self._participant.fail(f"it did not take {listed(v.name for v in self.variables)}", status)


class Participant:
    """One instance of an FMU: a context manager that makes it and frees it, with its states and unpacked files.

    `time` (s) is that of the last step's beginning, for messages.
    """

    prefix = ""
    types: Mapping[str, tuple[str, Any]]
    counts_values = False  #: functions that get and set values take the number of values

    def __init__(self, name: str, description: Description):
        self.name, self.description = name, description
        self.time = 0.0
        self.messages: deque[str] = deque(maxlen=LINES)
        self._blocks: dict[tuple[str, ...], Block] = {}
        self._stack = contextlib.ExitStack()
        self._state = ctypes.c_void_p()
        self._is_running = False
        self._has_crashed = False

    # -- life -------------------------------------------------------------------------------------------
    def __enter__(self) -> Participant:
        with contextlib.ExitStack() as stack:
            folder = Path(tempfile.mkdtemp(prefix="mbs_fmu_"))
            stack.callback(shutil.rmtree, folder, ignore_errors=True)
            self._unpack(folder)
            with working_folder():
                self.slave = self._load(folder)
            self._is_python = (folder / MARK).is_file()
            try:
                self._instantiate()
            finally:
                release_wrapper_at_exit(folder)
            self.instance = self.slave.component
            stack.callback(self._free)
            self._bind()
            self._stack = stack.pop_all()
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        with self._stack:
            if kind is None and self._is_running:
                self._terminate(self.instance)

    def _unpack(self, folder: Path) -> None:
        """Unpack the FMU. Raises SimulationError if its file is damaged or gone."""
        try:
            unpack(self.description.path, folder)
        except ModelError:
            raise
        except Exception as error:
            raise SimulationError(f"{self.description.path.name} cannot be unpacked: {one_line(error)}") from None

    def _load(self, folder: Path) -> Any:
        """Load the library. Raises SimulationError if the FMU has none for this platform."""
        try:
            return self.library(
                guid=self.description.token, unzipDirectory=str(folder), modelIdentifier=self.identifier,
                instanceName=self.name, requireFunctions=False,
            )  # fmt: skip
        except Exception as error:
            has = sorted(x.name for x in (folder / "binaries").glob("*")) or ["none"]
            raise SimulationError(
                f"{self.description.path.name} has no library that loads here (it has binaries for {', '.join(has)}): "
                f"{one_line(error)}"
            ) from None

    def _instantiate(self) -> None:
        try:
            self._create()
        except Exception:
            self.fail("it could not be instantiated")
        if self.description.faults and not self._is_python:  # messages of pythonfmu have no category
            with contextlib.suppress(Exception):  # of an FMU without the function: its messages are missing
                self.slave.setDebugLogging(True, self.description.faults)

    def _free(self) -> None:
        """Free saved states and the instance, and unload the library.

        An FMU that has reported a fatal error must not be called any more, by the standard. To pythonfmu every
        exception of Python is fatal; its wrapper then frees the instance itself, and would free it twice.
        """
        if not self._has_crashed:
            with contextlib.suppress(SimulationError):  # of an FMU that has failed before
                self.forget()
            self.accessor("FreeInstance", [POINTER], None)(self.instance)
            self.slave.freeLibrary()

    def accessor(self, name: str, arguments: Sequence[Any] | None = None, result: Any = ctypes.c_int) -> Any:
        """Return a function of the FMU, by default one that gets or sets values, with the types of its arguments."""
        try:
            function = self.slave.dll[self.prefix + name]
        except AttributeError:
            self.fail(f"its library lacks the function {self.prefix}{name}")
        default = [POINTER, POINTER, SIZE, POINTER, *([SIZE] if self.counts_values else [])]
        function.argtypes, function.restype = default if arguments is None else arguments, result
        return function

    def _bind(self) -> None:
        """Bind the functions that a run calls."""
        self._terminate = self.accessor("Terminate", [POINTER])
        self._do_step = self.accessor("DoStep", self.step_types)

    def initialize(self, values: Iterable[tuple[Slot, Any]]) -> None:
        """Set start values and enter initialization mode."""
        self.set(values)
        self._check(self._enter_initialization, "it could not be initialized")

    def set(self, values: Iterable[tuple[Slot, Any]]) -> None:
        """Set start values; elements of an array that get none keep theirs."""
        blocks: dict[Block, None] = {}
        for slot, value in values:
            block = self.blocks([slot.variable])[0]
            if block not in blocks and slot.variable.is_array:
                block.read()
            block.values[slot.place] = value.encode() if isinstance(value, str) else value
            blocks[block] = None
        for block in blocks:
            block.write()

    def begin(self) -> None:
        """Leave initialization mode."""
        self._check(self.slave.exitInitializationMode, "its initialization failed")
        self._is_running = True

    def _check(self, call: Callable[[], object], what: str) -> None:
        """Make one of fmpy's calls, which raise an exception for errors."""
        try:
            call()
        except Exception as error:
            self.fail(f"{what} ({one_line(error)})", getattr(error, "status", 0))

    # -- values -----------------------------------------------------------------------------------------
    def blocks(self, variables: Sequence[Variable]) -> list[Block]:
        """Return blocks for variables: scalars of a type share one, each array has its own, the same in all calls."""
        scalars: dict[str, list[Variable]] = {}
        for v in variables:
            scalars.setdefault(f"{v.type}[{v.name}]" if v.is_array else v.type, []).append(v)
        return [self._block(group) for group in scalars.values()]

    def _block(self, variables: Sequence[Variable]) -> Block:
        key = tuple(v.name for v in variables)
        if key not in self._blocks:
            self._blocks[key] = Block(self, variables)
        return self._blocks[key]

    # -- steps ------------------------------------------------------------------------------------------
    def step(self, time: float, size: float) -> None:
        """Make a communication step from `time`, both in s."""
        self.time = time
        status = self._advance(time, size)
        if status:
            self.fail("its step failed", status)

    def save(self) -> None:
        """Save the state in place of the one saved before."""
        self.forget()
        self._state_call("Get", ctypes.byref(self._state))

    def restore(self) -> None:
        """Return to the saved state."""
        self._state_call("Set", self._state)

    def forget(self) -> None:
        """Free the saved state."""
        if self._state.value is not None:
            try:
                self._state_call("Free", ctypes.byref(self._state))
            finally:
                self._state.value = None

    def _state_call(self, verb: str, argument: Any) -> None:
        function = self.__dict__.get(f"_{verb}")
        if function is None:
            function = self.accessor(verb + self.state_word, [POINTER, POINTER])
            setattr(self, f"_{verb}", function)
        status = function(self.instance, argument)
        if status > WARNING:
            self.fail(f"it did not {STATE_VERBS[verb]} its state", status)

    def _hear(self, status: int, text: bytes | None) -> None:
        """Keep a message of the FMU about a warning or a failure."""
        if status >= WARNING:
            self.messages.append(" ".join((text or b"").decode(errors="replace").split()))

    def fail(self, what: str, status: int = 0) -> NoReturn:
        """Raise SimulationError that names the element, the time, the failure and the FMU's last messages."""
        self._has_crashed = self._has_crashed or status == FATAL
        said = f": {' '.join(self.messages)}" if self.messages else ""
        word = f" ({STATUS[status]})" if status in STATUS else ""
        raise SimulationError(
            f"{self.name!r} ({self.description.path.name}) failed at {self.time:.9g} s: {what}{word}{said}"
        )

    @property
    def identifier(self) -> str:
        """Name of its library's file."""
        return str(self.description.steps)

    # -- versions ---------------------------------------------------------------------------------------
    library: Any  #: class of fmpy
    state_word = "FMUState"
    step_types: Sequence[Any]

    def _create(self) -> None:
        raise NotImplementedError

    def _enter_initialization(self) -> None:
        raise NotImplementedError

    def _advance(self, time: float, size: float) -> int:
        """Make a step; return a status, 0 if it is complete."""
        raise NotImplementedError

    def take_slopes(self, variables: Sequence[Variable]) -> Callable[[Sequence[float]], None]:
        """Return a function that sets the time derivatives of inputs for the next step. Raises SimulationError."""
        raise NotImplementedError


class Participant2(Participant):
    """An instance of FMI 2.0."""

    library = FMU2Slave
    prefix, types, state_word = "fmi2", TYPES_2, "FMUstate"
    step_types = (POINTER, REAL, REAL, ctypes.c_int)

    def _create(self) -> None:
        self._callbacks = fmi2CallbackFunctions()
        self._callbacks.logger = fmi2CallbackLoggerTYPE(self._note)
        self._callbacks.allocateMemory = defaultCallbacks.allocateMemory
        self._callbacks.freeMemory = defaultCallbacks.freeMemory
        self.slave.instantiate(callbacks=self._callbacks, loggingOn=self._is_python)

    def _note(self, environment: Any, instance: bytes, status: int, category: bytes, text: bytes | None) -> None:
        self._hear(status, text)

    def _enter_initialization(self) -> None:
        self.slave.setupExperiment(startTime=0.0)
        self.slave.enterInitializationMode()

    def _advance(self, time: float, size: float) -> int:
        status: int = self._do_step(self.instance, time, size, 0)
        if status == DISCARD and self._has_ended():
            self.fail("it ended the run")
        return status if status > WARNING else 0

    def _has_ended(self) -> bool:
        """True if the FMU discarded its step because it ended the run."""
        function, answer = self.accessor("GetBooleanStatus", [POINTER, ctypes.c_int, POINTER]), ctypes.c_int()
        return function(self.instance, TERMINATED, ctypes.byref(answer)) <= WARNING and bool(answer.value)

    def take_slopes(self, variables: Sequence[Variable]) -> Callable[[Sequence[float]], None]:
        count = len(variables)
        references = (ctypes.c_uint32 * count)(*(v.reference for v in variables))
        orders, slopes = (ctypes.c_int * count)(*[1] * count), (ctypes.c_double * count)()
        function = self.accessor("SetRealInputDerivatives", [POINTER, POINTER, SIZE, POINTER, POINTER])

        def set_slopes(values: Sequence[float]) -> None:
            slopes[:] = list(values)
            status = function(self.instance, references, count, orders, slopes)
            if status > WARNING:
                self.fail("it did not take slopes of its inputs", status)

        return set_slopes


class Participant3(Participant):
    """An instance of FMI 3.0, without event mode and early return: events are its own affair."""

    library = FMU3Slave
    prefix, types, counts_values = "fmi3", TYPES_3, True
    step_types = (POINTER, REAL, REAL, ctypes.c_bool, POINTER, POINTER, POINTER, POINTER)

    def _create(self) -> None:
        self.slave.instantiate(logMessage=self._note)

    def _note(self, environment: Any, status: int, category: bytes, text: bytes | None) -> None:
        self._hear(status, text)

    def _enter_initialization(self) -> None:
        self.slave.enterInitializationMode(startTime=0.0)

    def _bind(self) -> None:
        super()._bind()
        self._flags = (ctypes.c_bool * 3)()  #: event encountered, terminate, early return
        self._reached = ctypes.c_double()
        first, size = ctypes.addressof(self._flags), ctypes.sizeof(ctypes.c_bool)
        self._answers = (first, first + size, first + 2 * size, ctypes.addressof(self._reached))

    def _advance(self, time: float, size: float) -> int:
        status: int = self._do_step(self.instance, time, size, False, *self._answers)
        if status > WARNING:
            return status
        if self._flags[1]:
            self.fail("it ended the run")
        if self._flags[2]:
            self.fail(f"it ended its step early, at {self._reached.value:.9g} s")
        return 0

    def take_slopes(self, variables: Sequence[Variable]) -> Callable[[Sequence[float]], None]:
        self.fail("co-simulation of FMI 3.0 takes no slopes of inputs")


VERSIONS: dict[int, type[Participant]] = {2: Participant2, 3: Participant3}


def participant(name: str, description: Description) -> Participant:
    """Return an instance that is not open yet, of the FMU's version of FMI."""
    return VERSIONS[description.version](name, description)


@contextlib.contextmanager
def working_folder() -> Any:
    """Return to the working folder at the end: fmpy stays in that of a library which it can't load."""
    before = Path.cwd()
    try:
        yield
    finally:
        os.chdir(before)
