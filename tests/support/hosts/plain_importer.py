"""An importer that calls native FMUs as a C program does: every call returns its status, and nothing is raised.

Names of calls are those of FMI 3.0 without their prefix; FMI 2.0 spells some of them differently.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Sequence
from ctypes import byref, c_bool, c_char, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t, c_uint32, c_void_p
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from fmpy import read_model_description
from fmpy.fmi2 import fmi2CallbackFunctions, fmi2CallbackLoggerTYPE, fmi2EventInfo
from fmpy.fmi3 import fmi3IntermediateUpdateCallback, fmi3LogMessageCallback

from support.hosts.c_hosts import library, place

OK, ERROR = 0, 3
Answer = tuple[int, Any]  #: status, and what the call gives: tuples of numbers, bytes or a saved state
Update = Callable[["Instance", float], None]  #: called inside a step, with the instance and its time


def reals(values: Sequence[float]) -> Any:
    return (c_double * len(values))(*values)


def references_of(values: Sequence[int]) -> Any:
    return (c_uint32 * len(values))(*values)


@dataclass
class Binary:
    """An FMU and its library, unpacked into a folder of its own and loaded from there."""

    path: Path
    folder: Path
    shared: Any = field(init=False)

    def __post_init__(self) -> None:
        self.description = read_model_description(str(self.path))
        self.fmi = self.description.fmiVersion[:3]
        self.file = library(self.path, self.folder / place(self.fmi)).resolve()
        self.shared = ctypes.CDLL(str(self.file))
        variables = self.description.modelVariables
        self.reals = [v for v in variables if v.type in ("Real", "Float64")]
        self.lengths = {v.valueReference: math.prod(int(d.start) for d in v.dimensions or []) for v in self.reals}
        self.modes = [v.valueReference for v in variables if v.type == "Enumeration"]
        self.variables = {v.name: v for v in variables}
        self.derivatives = [v.valueReference for v in variables if v.derivative is not None]
        self.states = [v.derivative.valueReference for v in variables if v.derivative is not None]
        self.indicators = int(self.description.numberOfEventIndicators or 0)

    def references(self, chosen: Callable[[Any], bool]) -> list[int]:
        """Value references of the real numbers for which `chosen` is true."""
        return [v.valueReference for v in self.reals if chosen(v)]

    def instance(self, exchange: bool, **options: Any) -> Instance:
        return VERSIONS[self.fmi](self, exchange, **options)


class Instance:
    """One instance for model exchange or co-simulation; `messages` has (status, text) of each message."""

    prefix: ClassVar[str]
    boolean: ClassVar[Any]
    starting: ClassVar[str]  #: the call that gives the experiment
    whole: ClassVar[Any]  #: type of enumerations in C, and the function that reads them
    reads_modes: ClassVar[str]
    spelled: ClassVar[dict[str, str]] = {}

    def __init__(self, binary: Binary, exchange: bool, logging: bool = True, **options: Any):
        self.binary, self.exchange = binary, exchange
        self.messages: list[tuple[int, str]] = []
        self.component = c_void_p(self._instantiate(logging, **options))
        assert self.component, self.messages

    def _instantiate(self, logging: bool) -> int | None:
        raise NotImplementedError

    def _counted(self, numbers: int) -> tuple[Any, ...]:
        """The argument that follows values where the version counts them."""
        raise NotImplementedError

    def call(self, name: str, *arguments: Any) -> int:
        function = self.binary.shared[self.prefix + self.spelled.get(name, name)]
        return int(function(self.component, *arguments))

    def bare(self, name: str) -> Answer:
        return self.call(name), ()

    def free(self) -> None:
        self.call("FreeInstance")

    # -- values ------------------------------------------------------------------------------------------

    def size(self, references: Sequence[int]) -> int:
        """Numbers of variables; one of a reference that does not exist."""
        return sum(self.binary.lengths.get(r, 1) for r in references)

    def get(self, references: Sequence[int]) -> Answer:
        values = reals([math.nan] * self.size(references))
        status = self._values("Get", references, values)
        return status, tuple(values)

    def set(self, references: Sequence[int], values: Sequence[float]) -> Answer:
        return self._values("Set", references, reals(values)), ()

    def _values(self, verb: str, references: Sequence[int], values: Any) -> int:
        raise NotImplementedError

    def modes(self) -> tuple[int, ...]:
        """Values of all enumerations, which constraint modes are."""
        count = len(self.binary.modes)
        values = (self.whole * count)()
        lengths = [c_size_t(count)] * (2 if self.binary.fmi == "3.0" else 1)
        status = self.call(self.reads_modes, references_of(self.binary.modes), lengths[0], values, *lengths[1:])
        assert status == OK, self.messages
        return tuple(values)

    def vector(self, name: str, count: int) -> Answer:
        """Values that FMUs for model exchange give by `name`, one for each state or event indicator."""
        values = reals([math.nan] * count)
        status = self.call(name, values, c_size_t(count))
        return status, tuple(values)

    def states(self) -> tuple[float, ...]:
        return tuple(self.vector("GetContinuousStates", len(self.binary.states))[1])

    def rates(self) -> tuple[float, ...]:
        return tuple(self.vector("GetContinuousStateDerivatives", len(self.binary.states))[1])

    def set_states(self, x: Sequence[float]) -> Answer:
        return self.call("SetContinuousStates", reals(x), c_size_t(len(x))), ()

    def set_time(self, time: float) -> Answer:
        return self.call("SetTime", c_double(time)), ()

    def directional(self, name: str, unknowns: Sequence[int], knowns: Sequence[int], seeds: Sequence[float]) -> Answer:
        """Products with partial derivatives, by "GetDirectionalDerivative" or "GetAdjointDerivative"."""
        results = reals([math.nan] * self.size(unknowns if name == "GetDirectionalDerivative" else knowns))
        status = self.call(
            name, references_of(unknowns), c_size_t(len(unknowns)), references_of(knowns), c_size_t(len(knowns)),
            reals(seeds), *self._counted(len(seeds)), results, *self._counted(len(results)),
        )  # fmt: skip
        return status, tuple(results)

    def slopes(self, references: Sequence[int]) -> Answer:
        """First time derivatives of outputs."""
        values = reals([math.nan] * self.size(references))
        orders, count = (c_int32 * len(references))(*[1] * len(references)), c_size_t(len(references))
        name = "GetOutputDerivatives"
        status = self.call(name, references_of(references), count, orders, values, *self._counted(len(values)))
        return status, tuple(values)

    # -- saved states ------------------------------------------------------------------------------------

    def save(self) -> Answer:
        state = c_void_p()
        return self.call("GetFMUState", byref(state)), state

    def restore(self, state: c_void_p) -> Answer:
        return self.call("SetFMUState", state), ()

    def forget(self, state: c_void_p) -> Answer:
        return self.call("FreeFMUState", byref(state)), ()

    def serialized(self, state: c_void_p) -> Answer:
        size = c_size_t()
        status = self.call("SerializedFMUStateSize", state, byref(size))
        data = (c_char * size.value)()
        return status or self.call("SerializeFMUState", state, data, size), bytes(data)

    def deserialized(self, data: bytes) -> Answer:
        state = c_void_p()
        return self.call("DeserializeFMUState", data, c_size_t(len(data)), byref(state)), state

    # -- the course of a run -------------------------------------------------------------------------------

    def set_up(self, start: float = 0.0, stop: float | None = None, tolerance: float | None = None) -> Answer:
        """Give the experiment: by fmi2SetupExperiment; by fmi3EnterInitializationMode, which also enters that mode."""
        arguments = (
            self.boolean(tolerance is not None), c_double(tolerance or 0.0), c_double(start),
            self.boolean(stop is not None), c_double(stop or 0.0),
        )  # fmt: skip
        return self.call(self.starting, *arguments), ()

    def begin(self, **experiment: float | None) -> None:
        """Enter initialization mode."""
        statuses = [self.set_up(**experiment)[0]]
        if self.starting == "SetupExperiment":
            statuses.append(self.call("EnterInitializationMode"))
        assert not any(statuses), self.messages

    def start(self, **experiment: float | None) -> Instance:
        """Initialize; in model exchange also enter continuous-time mode."""
        self.begin(**experiment)
        assert self.call("ExitInitializationMode") == OK, self.messages
        if self.exchange:
            self.settle()
        return self

    def settle(self) -> float:
        """From event mode into continuous-time mode; the time of the next event, s."""
        again = True
        while again:
            status, (again, _, _, next_time) = self.update()
            assert status == OK, self.messages
        assert self.call("EnterContinuousTimeMode") == OK
        return float(next_time)

    def update(self) -> Answer:
        """Of fmi3UpdateDiscreteStates: again, terminate, values of states changed, time of the next event."""
        raise NotImplementedError

    def completed(self) -> Answer:
        """Of fmi3CompletedIntegratorStep: enter event mode, terminate."""
        enter, terminate = self.boolean(), self.boolean()
        status = self.call("CompletedIntegratorStep", self.boolean(True), byref(enter), byref(terminate))
        return status, (bool(enter.value), bool(terminate.value))

    def step(self, time: float, size: float, update: Update | None = None) -> Answer:
        """Of fmi3DoStep: event mode is needed, terminate, early return, time reached."""
        raise NotImplementedError


class Two(Instance):
    """FMI 2.0."""

    prefix, boolean, starting = "fmi2", c_int, "SetupExperiment"
    whole, reads_modes = c_int, "GetInteger"
    spelled: ClassVar[dict[str, str]] = {
        "GetFMUState": "GetFMUstate",
        "SetFMUState": "SetFMUstate",
        "FreeFMUState": "FreeFMUstate",
        "SerializedFMUStateSize": "SerializedFMUstateSize",
        "SerializeFMUState": "SerializeFMUstate",
        "DeserializeFMUState": "DeSerializeFMUstate",
        "GetContinuousStateDerivatives": "GetDerivatives",
        "UpdateDiscreteStates": "NewDiscreteStates",
        "GetOutputDerivatives": "GetRealOutputDerivatives",
        "SetInputDerivatives": "SetRealInputDerivatives",
    }

    def _instantiate(self, logging: bool, logger: bool = True, callbacks: bool = True) -> int | None:
        self.told = fmi2CallbackFunctions()
        if logger:
            self.told.logger = fmi2CallbackLoggerTYPE(
                lambda environment, name, status, category, text: self.messages.append((status, text.decode()))
            )
        create = self.binary.shared.fmi2Instantiate
        create.restype = c_void_p
        guid = self.binary.description.guid.encode()
        kind = 0 if self.exchange else 1
        return create(b"one", kind, c_char_p(guid), b"", byref(self.told) if callbacks else None, 0, int(logging))

    def _counted(self, numbers: int) -> tuple[Any, ...]:
        return ()

    def _values(self, verb: str, references: Sequence[int], values: Any) -> int:
        return self.call(f"{verb}Real", references_of(references), c_size_t(len(references)), values)

    def update(self) -> Answer:
        info = fmi2EventInfo()
        status = self.call("UpdateDiscreteStates", byref(info))
        changed, next_time = bool(info.valuesOfContinuousStatesChanged), info.nextEventTime
        again, end = bool(info.newDiscreteStatesNeeded), bool(info.terminateSimulation)
        return status, (again, end, changed, next_time if info.nextEventTimeDefined else math.inf)

    def step(self, time: float, size: float, update: Update | None = None) -> Answer:
        status = self.call("DoStep", c_double(time), c_double(size), 1)
        return status, (False, False, False, time + size if status == OK else time)

    def set_slopes(self, references: Sequence[int], values: Sequence[float]) -> Answer:
        orders, count = (c_int32 * len(references))(*[1] * len(references)), c_size_t(len(references))
        return self.call("SetInputDerivatives", references_of(references), count, orders, reals(values)), ()

    def last_time(self) -> Answer:
        """fmi2GetRealStatus of the last successful time."""
        time = c_double(math.nan)
        return self.call("GetRealStatus", 2, byref(time)), (time.value,)


class Three(Instance):
    """FMI 3.0; `update` of a step is called at each intermediate update."""

    prefix, boolean, starting = "fmi3", c_bool, "EnterInitializationMode"
    whole, reads_modes = c_int64, "GetInt64"

    def _instantiate(
        self, logging: bool, logger: bool = True, event_mode: bool = False, early_return: bool = False
    ) -> int | None:
        def log(environment: Any, status: int, category: bytes, text: bytes) -> None:
            self.messages.append((status, text.decode()))

        self.update_inside: Update | None = None
        self.log = fmi3LogMessageCallback(log if logger else 0)
        self.between = fmi3IntermediateUpdateCallback(self._intermediate)
        name = "fmi3InstantiateModelExchange" if self.exchange else "fmi3InstantiateCoSimulation"
        create, token = self.binary.shared[name], self.binary.description.guid.encode()
        create.restype = c_void_p
        common = (b"one", c_char_p(token), None, c_bool(False), c_bool(logging))
        if self.exchange:
            return create(*common, None, self.log)
        modes = (c_bool(event_mode), c_bool(early_return), None, c_size_t(0))
        return create(*common, *modes, None, self.log, self.between)

    def _intermediate(self, environment: Any, time: float, *arguments: Any) -> None:
        if self.update_inside:
            self.update_inside(self, time)

    def _counted(self, numbers: int) -> tuple[Any, ...]:
        return (c_size_t(numbers),)

    def _values(self, verb: str, references: Sequence[int], values: Any) -> int:
        numbers, count = c_size_t(len(values)), c_size_t(len(references))
        return self.call(f"{verb}Float64", references_of(references), count, values, numbers)

    def update(self) -> Answer:
        flags, next_time = [c_bool() for _ in range(5)], c_double()
        status = self.call("UpdateDiscreteStates", *map(byref, flags), byref(next_time))
        again, end, _, changed, defined = (flag.value for flag in flags)
        return status, (again, end, changed, next_time.value if defined else math.inf)

    def step(self, time: float, size: float, update: Update | None = None) -> Answer:
        flags, reached = [c_bool() for _ in range(3)], c_double(time)
        outside, self.update_inside = self.update_inside, update
        arguments = (c_double(time), c_double(size), c_bool(True), *map(byref, flags), byref(reached))
        status = self.call("DoStep", *arguments)
        self.update_inside = outside
        event, end, early = (flag.value for flag in flags)
        return status, (event, end, early, reached.value)

    def count(self, name: str) -> Answer:
        """By "GetNumberOfContinuousStates" or "GetNumberOfEventIndicators"."""
        number = c_size_t()
        return self.call(name, byref(number)), (number.value,)


VERSIONS: dict[str, type[Instance]] = {"2.0": Two, "3.0": Three}
