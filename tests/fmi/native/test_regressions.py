"""Calls of importers to which FMUs answered wrongly before, or others' FMUs did, for both versions and interfaces.

The importer is plain: it calls the library as a C program does, so that each call's status is seen.
"""

from __future__ import annotations

import _ctypes
import ctypes
import math
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.hosts.c_hosts import HEADERS, execute, only_linux
from support.hosts.fmus import Builder
from support.hosts.native_instances import TICK
from support.hosts.plain_importer import ERROR, OK, Binary, Instance

pytest.importorskip("ziglang", reason="native FMUs need the package ziglang")
pytestmark = pytest.mark.slow

NO_VARIABLE = 999_999
METHODS = {"governor": "rk4", "four_bar": "rk4", "digitally_governed": "rk4", "pounder": "dopri5"}
EULER = 1e-4  #: s: steps of model exchange, by the explicit Euler method

Get = Callable[[str, str], Binary]
BOTH = pytest.mark.parametrize("fmi", ["2.0", "3.0"])
EACH = pytest.mark.parametrize("model", METHODS)
INTERFACES = pytest.mark.parametrize("exchange", [True, False], ids=["exchange", "cosimulation"])


@pytest.fixture(scope="module")
def binaries(fmu: Builder, tmp_path_factory: pytest.TempPathFactory) -> Get:
    """FMUs by model and version, each loaded once."""
    loaded: dict[tuple[str, str], Binary] = {}

    def get(model: str, fmi: str) -> Binary:
        if (model, fmi) not in loaded:
            path = fmu(model, METHODS[model], "native", fmi)
            loaded[model, fmi] = Binary(path, tmp_path_factory.mktemp(f"{model}{fmi[0]}"))
        return loaded[model, fmi]

    return get


# -- what the tests read -----------------------------------------------------------------------------------


def everything(instance: Instance) -> bytes:
    """Bits of all variables."""
    status, values = instance.get(list(instance.binary.lengths))
    assert status == OK, instance.messages
    return np.array([*values, *instance.modes()]).tobytes()


def ends(instance: Instance) -> bytes:
    """Bits of all variables of an instance that is done with."""
    values = everything(instance)
    instance.free()
    return values


def ok(*answers: tuple[int, Any]) -> None:
    assert all(status == OK for status, _ in answers), answers


def chosen(binary: Binary, causality: str, variability: str | None = None) -> list[int]:
    return binary.references(lambda v: v.causality == causality and variability in (None, v.variability))


def steps(instance: Instance, count: int, first: int = 0, size: float = TICK) -> Instance:
    for k in range(first, first + count):
        ok(instance.step(k * size, size))
    return instance


def integrate(instance: Instance, count: int, before: Callable[[int], None] = lambda k: None) -> Instance:
    """Steps of model exchange without events; `before` each step something else is called."""
    for k in range(count):
        before(k)
        x = np.array(instance.states()) + EULER * np.array(instance.rates())
        ok(instance.set_time((k + 1) * EULER), instance.set_states(tuple(x)))
        ok(instance.completed())
    return instance


def moved(instance: Instance) -> Instance:
    """Both interfaces: some steps after the start."""
    instance.start()
    return integrate(instance, 20) if instance.exchange else steps(instance, 10)


# -- instances and their messages ------------------------------------------------------------------------


@EACH
@BOTH
@INTERFACES
def test_importers_without_callbacks(binaries: Get, model: str, fmi: str, exchange: bool) -> None:
    """An importer may give no logger, and by FMI 2.0 no callbacks; errors are then without message."""
    binary = binaries(model, fmi)
    expected = ends(moved(binary.instance(exchange)))
    for options in [{"logger": False}, *([{"callbacks": False}] if fmi == "2.0" else [])]:
        instance = moved(binary.instance(exchange, **options))
        assert instance.get([NO_VARIABLE])[0] == ERROR
        assert not instance.messages
        assert ends(instance) == expected


def failing_calls(x: Instance) -> dict[str, Callable[[], tuple[int, Any]]]:
    """Calls that fail in a started instance, by what is wrong with them."""
    calls = {
        "no variable": lambda: x.get([NO_VARIABLE]),
        "an output is set": lambda: x.set(x.binary.references(lambda v: v.name == "energy"), [1.0]),
        "wrong phase": lambda: x.bare("ExitInitializationMode"),
    }
    return calls if x.exchange else {**calls, "another time": lambda: x.step(5.0, TICK)}


@BOTH
@INTERFACES
def test_each_error_is_logged_once_though_logging_is_off(binaries: Get, fmi: str, exchange: bool) -> None:
    """FMI 3.0.3 demands the message of an error; a discarded step has none, since importers try many."""
    instance = moved(binaries("governor", fmi).instance(exchange, logging=False))
    for what, call in failing_calls(instance).items():
        before = len(instance.messages)
        assert call()[0] == ERROR, what
        assert len(instance.messages) == before + 1 and instance.messages[-1][1], what
    instance.free()


def warnings(instance: Instance) -> list[str]:
    return [text for status, text in instance.messages if status != OK]


@BOTH
@INTERFACES
@pytest.mark.parametrize("stop", [-1.0, -1e300, math.nan, -math.inf])
def test_a_stop_time_before_the_start_is_ignored(binaries: Get, fmi: str, exchange: bool, stop: float) -> None:
    """Some importers give -1 or a large negative number in place of none; a warning names both times."""
    instance = binaries("governor", fmi).instance(exchange).start(stop=stop)
    (message,) = warnings(instance)
    assert message.endswith("lies before the start time 0 s: ignored")
    instance.free()


@BOTH
@pytest.mark.parametrize("stop", [None, 0.0, math.inf, 1e-9])
def test_stop_times_do_not_bound_steps(binaries: Get, fmi: str, stop: float | None) -> None:
    """Importers round the stop time: a step beyond it is made, without a message."""
    instance = steps(binaries("governor", fmi).instance(False).start(stop=stop), 1)
    assert not warnings(instance)
    instance.free()


@BOTH
def test_an_end_and_a_second_beginning(binaries: Get, fmi: str) -> None:
    """A step after the end is refused; after a reset the run is the first one, also if the start time is negative."""
    instance = moved(binaries("digitally_governed", fmi).instance(False))
    first = everything(instance)
    ok(instance.bare("Terminate"))
    assert instance.step(10 * TICK, TICK)[0] == ERROR
    assert everything(instance) == first
    ok(instance.bare("Reset"))
    assert ends(moved(instance)) == first
    early = binaries("digitally_governed", fmi).instance(False).start(start=-3.5)
    ok(early.step(-3.5, TICK))
    early.free()


# -- values and derivatives ---------------------------------------------------------------------------------


@EACH
@BOTH
@INTERFACES
def test_parameters_after_the_start(binaries: Get, model: str, fmi: str, exchange: bool) -> None:
    """Fixed parameters and outputs are refused then, even with their present value; tunable ones take it. Neither
    changes a bit of the run.
    """
    binary = binaries(model, fmi)
    kinds = [(ERROR, chosen(binary, "parameter", "fixed")), (ERROR, chosen(binary, "output")[:1])]
    kinds += [(OK, chosen(binary, "parameter", "tunable"))]

    def run(disturb: bool) -> bytes:
        instance = binary.instance(exchange).start()

        def set_all(_: int) -> None:
            for status, references in kinds if disturb else []:
                values = instance.get(references)[1]
                answers = [instance.set([r], [x])[0] for r, x in zip(references, values)]
                answers += [instance.set([r], [1.1 * x + 0.1])[0] for r, x in zip(references, values) if status]
                assert set(answers) <= {status}

        if exchange:
            return ends(integrate(instance, 20, set_all))
        for k in range(10):
            set_all(k)
            steps(instance, 1, k)
        return ends(instance)

    assert run(True) == run(False)


@EACH
@BOTH
def test_derivatives_are_variables_too(binaries: Get, model: str, fmi: str) -> None:
    """`der(x)` reads as the state derivatives in initialization, event and continuous-time mode, and after the end,
    also before and after a completed step.
    """
    binary = binaries(model, fmi)
    instance = binary.instance(True)

    def compare(_: int = 0) -> None:
        status, values = instance.get(binary.derivatives)
        assert status == OK and np.array(values).tobytes() == np.array(instance.rates()).tobytes()

    instance.begin()
    compare()
    ok(instance.bare("ExitInitializationMode"))
    compare()
    instance.settle()
    integrate(instance, 20, compare)
    compare()
    ok(instance.bare("Terminate"))
    compare()
    instance.free()


@EACH
@BOTH
@INTERFACES
def test_directional_derivatives_in_every_mode(binaries: Get, model: str, fmi: str, exchange: bool) -> None:
    """They are given in initialization mode, while the FMU runs, and after the end."""
    binary = binaries(model, fmi)
    instance = binary.instance(exchange)
    unknowns, outputs = binary.derivatives[:1], chosen(binary, "output")[:1]
    starts = [v.valueReference for v in binary.variables.values() if v.initial == "exact" and not v.dimensions][:1]
    instance.begin()
    ok(instance.directional("GetDirectionalDerivative", unknowns, starts, [1.0]))
    ok(instance.bare("ExitInitializationMode"))
    stages: list[Callable[[], object]] = [lambda: None, lambda: ok(instance.bare("Terminate"))]
    for later in stages if exchange else [lambda: steps(instance, 1), *stages]:
        later()
        ok(instance.directional("GetDirectionalDerivative", outputs + unknowns, binary.states[:1], [1.0]))
    instance.free()


# -- events ---------------------------------------------------------------------------------------------------


def event_run(instance: Instance, zero: bool) -> set[int]:
    """Co-simulation with event mode where it is used; with steps of size zero around each step. Their statuses."""
    time, statuses = 0.0, set[int]()

    def nothing() -> None:
        if zero:
            statuses.add(instance.step(time, 0.0)[0])

    for k in range(60):
        while time < (k + 1) * TICK:
            nothing()
            status, (event, _, _, time) = instance.step(time, (k + 1) * TICK - time)
            assert status == OK, instance.messages
            nothing()
            if event:
                ok(instance.bare("EnterEventMode"), instance.update(), instance.bare("EnterStepMode"))
    return statuses


@pytest.mark.parametrize("model", ["digitally_governed", "pounder"])
@pytest.mark.parametrize(("fmi", "event_mode"), [("2.0", False), ("3.0", False), ("3.0", True)])
def test_steps_of_size_zero_at_events(binaries: Get, model: str, fmi: str, event_mode: bool) -> None:
    """They are errors, as the standard has it, and change nothing."""
    runs = {}
    for zero in (False, True):
        options = {"event_mode": True, "early_return": True} if event_mode else {}
        instance = binaries(model, fmi).instance(False, **options).start()
        if event_mode:
            ok(instance.update(), instance.bare("EnterStepMode"))
        assert event_run(instance, zero) == ({ERROR} if zero else set())
        runs[zero] = ends(instance)
    assert runs[True] == runs[False]


def exchange_run(instance: Instance, twice: bool) -> int:
    """Number of events of a run by explicit Euler steps; `twice`: all calls at events are repeated."""
    times = 2 if twice else 1
    next_time, time, events = instance.settle(), 0.0, 0
    for k in range(600):
        while time < (k + 1) * EULER:
            end = min((k + 1) * EULER, next_time)
            x = np.array(instance.states()) + (end - time) * np.array(instance.rates())
            time = end
            for _ in range(times):
                ok(instance.set_time(time), instance.set_states(tuple(x)))
                status, (enter, _) = instance.completed()
                assert status == OK, instance.messages
            if enter or time >= next_time:
                events += 1
                for _ in range(times):
                    ok(instance.bare("EnterEventMode"))
                    for _ in range(times):
                        ok(instance.update())
                    next_time = instance.settle()
    return events


@pytest.mark.parametrize("model", ["digitally_governed", "pounder"])
@BOTH
def test_repeated_calls_at_events(binaries: Get, model: str, fmi: str) -> None:
    """Importers complete steps twice, enter event mode twice and update there more often than asked: bits are equal."""
    runs = []
    for twice in (False, True):
        instance = binaries(model, fmi).instance(True)
        instance.begin()
        ok(instance.bare("ExitInitializationMode"))
        assert exchange_run(instance, twice) > 2
        runs.append(ends(instance))
    assert runs[0] == runs[1]


# -- saved states and copies of the library --------------------------------------------------------------


def copy_of(binary: Binary, folder: Path) -> Binary:
    """The same FMU, unpacked again: the system loads a second copy of its library."""
    return Binary(binary.path, folder)


@EACH
@BOTH
@INTERFACES
def test_states_restored_again_and_elsewhere(
    binaries: Get, tmp_path: Path, model: str, fmi: str, exchange: bool
) -> None:
    """A state is restored twice, after other steps, in another instance and in another copy of the library; each time
    the same bits follow.
    """
    binary = binaries(model, fmi)
    copy = copy_of(binary, tmp_path)
    instances = [moved(binary.instance(exchange)), binary.instance(exchange), copy.instance(exchange)]
    status, state = instances[0].save()
    assert status == OK

    def goes_on(instance: Instance, restored: int) -> bytes:
        ok(*(instance.restore(state) for _ in range(restored)))
        if not exchange:
            return everything(steps(instance, 5, 10))
        time = 20 * EULER
        for _ in range(10):
            x = np.array(instance.states()) + EULER * np.array(instance.rates())
            time += EULER
            ok(instance.set_time(time), instance.set_states(tuple(x)), instance.completed())
        return everything(instance)

    expected = goes_on(instances[0], 0)
    for instance in instances:
        assert goes_on(instance, 1) == expected
        assert goes_on(instance, 2) == expected
    ok(instances[0].forget(state))
    for instance in instances:
        instance.free()


def test_versions_and_copies_side_by_side(binaries: Get, tmp_path: Path) -> None:
    """Four instances step in turns, of FMI 2.0 and 3.0, of two models and of a copy, as each does alone; both versions
    have the same bits.
    """
    two, three = (binaries("digitally_governed", fmi) for fmi in ("2.0", "3.0"))
    others = [two, copy_of(two, tmp_path), three, binaries("four_bar", "3.0")]
    assert others[0].shared._handle != others[1].shared._handle
    outputs = [chosen(binary, "output") for binary in others]

    def values(instance: Instance, references: list[int]) -> tuple[float, ...]:
        return tuple(instance.get(references)[1])

    alone = [values(steps(b.instance(False).start(), 20), r) for b, r in zip(others, outputs)]
    together = [binary.instance(False).start() for binary in others]
    for k in range(20):
        for instance in together:
            steps(instance, 1, k)
    assert [values(i, r) for i, r in zip(together, outputs)] == alone
    assert alone[0] == alone[1] == alone[2]
    for instance in together:
        instance.free()


def resident() -> float:
    """Memory of this process, MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 1e6


@BOTH
def test_libraries_are_unloaded(binaries: Get, tmp_path: Path, fmi: str) -> None:
    """Loaded and unloaded a hundred times, a library gives the same bits, and leaves no memory: less than a page each
    time.
    """
    only_linux()
    expected = ends(moved(binaries("digitally_governed", fmi).instance(False)))
    copy, memory = copy_of(binaries("digitally_governed", fmi), tmp_path), []
    for _ in range(100):
        assert ends(moved(copy.instance(False))) == expected
        _ctypes.dlclose(copy.shared._handle)
        assert str(copy.file) not in Path("/proc/self/maps").read_text()
        memory.append(resident())
        copy.shared = ctypes.CDLL(str(copy.file))
    assert memory[-1] < memory[9] + 90 * 4096 / 1e6


# -- functions ------------------------------------------------------------------------------------------------


@BOTH
def test_libraries_export_the_functions_of_the_header(binaries: Get, fmi: str) -> None:
    """All that the standard declares, and nothing else."""
    only_linux()
    nm = shutil.which("nm")
    if nm is None:
        pytest.skip("nm is not installed (Debian: binutils)")
    header = (HEADERS / f"fmi{fmi[0]}Functions.h").read_text()
    table = execute(nm, "--dynamic", "--defined-only", binaries("governor", fmi).file)
    assert {line.split()[-1] for line in table.splitlines()} == set(re.findall(r"Export (\w+)TYPE", header))
