"""Sets and reads before the start in native FMUs, arrays among them: through fmpy and from a host in C."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fmpy import read_model_description, simulate_fmu
from fmpy.fmi1 import FMICallException
from hosts import execute, library, place, token, valgrind
from instances import Guest, guest
from signals import vectors

import mbs_fmu as mbs
from fmus import METHODS, MODELS, Builder, Host
from mbs_fmu.fmi.export import for_importers
from mbs_fmu.run.simulate import compiled

pytest.importorskip("ziglang", reason="native FMUs need the package ziglang")
pytestmark = pytest.mark.slow
FORMS = ("2.0", "3.0", "3.0 without arrays")
NAMES = ("vectors", "governor", "gyro", "top", "pi_speed_regulator", "linkage", "pounder", "digitally_governed")
GUARD = -7.25e77
ROUNDED = 1e-10  #: of velocities, which are made of momenta: round-off, 1e-16, times the condition of mass matrices


@pytest.fixture(scope="module")
def exported(here: Builder, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], Path]:
    """FMUs for this platform by model and form, each built once."""
    folder, made = tmp_path_factory.mktemp("scalars"), {}

    def get(model: str, form: str) -> Path:
        if form in ("2.0", "3.0"):
            return here(model, kind="native", fmi=form)
        if model not in made:
            options: dict[str, Any] = {"stop_time": 1.0, "communication_step": 0.01, **METHODS["rk4"]}
            path = folder / model / f"{MODELS[model]().name}.fmu"
            made[model] = mbs.export(
                MODELS[model](), path, "native", fmi="3.0", arrays=False, platforms="host", **options
            )
        return made[model]

    return get


class Two:
    """An FMI 2.0 instance with the words of a Guest."""

    def __init__(self, host: Host):
        self.host, self.slave, self.references = host, host.slave, host.references
        self.lengths = dict.fromkeys(host.references, 1)

    def get(self, *names: str) -> np.ndarray:
        return np.array(self.host.get(*names))

    def put(self, values: dict[str, np.ndarray]) -> None:
        self.host.set({name: float(np.ravel(value)[0]) for name, value in values.items()})


@contextmanager
def instance(path: Path, form: str) -> Iterator[Guest | Two]:
    """Before its initialization."""
    if form == "2.0":
        with Host(path) as host:
            yield Two(host)
    else:
        with guest(path) as host:
            yield host


def settable(path: Path, model: str) -> tuple[list[str], list[str], list[str]]:
    """Names of all that can be set before the start, of those that a read gives back bit for bit, and of velocities.

    The others are guesses, which the assembly of loops changes, and quaternions, which the start normalises.
    """
    variables = read_model_description(str(path)).modelVariables
    given = [v.name for v in variables if v.start is not None]
    program = compiled(for_importers(MODELS[model]())).program
    turned = {slot + k for slot in program.quaternions.values() for k in range(4)}
    moved = {v.name for v in variables if v.initial == "approx"}
    moved |= {v.name for v in program.variables if v.slot in turned}
    rates = {v.name for v in program.of_role("rate")} - moved
    return given, [name for name in given if name not in moved | rates], [name for name in given if name in rates]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("model", NAMES)
def test_a_set_changes_what_it_names(exported: Callable[[str, str], Path], model: str, form: str) -> None:
    """Random variables, from the description's start values on, before and in initialization: a read gives what was
    set, bit for bit, and all else that is given is what it was."""
    path = exported(model, form)
    rng = np.random.default_rng(4)
    variables = read_model_description(str(path)).modelVariables
    starts = {v.name: np.array(str(v.start).split(), float) for v in variables if v.start is not None}
    names, exact, rates = settable(path, model)
    with instance(path, form) as host:
        known = {name: starts[name] for name in [*exact, *rates]}
        for round_ in range(31):
            if round_ == 20:
                host.slave.enterInitializationMode()
            chosen = [str(name) for name in rng.permutation(names)[: rng.integers(1, len(names) + 1) if round_ else 0]]
            values = {name: starts[name] * (1.0 + 1e-3 * rng.random(starts[name].size)) for name in chosen}
            if values:
                host.put(values)
            known |= {name: value for name, value in values.items() if name in known}
            order = [str(name) for name in rng.permutation(exact)]
            assert np.array_equal(host.get(*order), np.concatenate([known[name] for name in order]))
            for name in order:
                assert np.array_equal(host.get(name), known[name]), name
            for name in rates:
                assert np.allclose(host.get(name), known[name], rtol=ROUNDED, atol=ROUNDED), name


@pytest.mark.parametrize("model", ["vectors", "gyro"])
def test_wrong_counts_change_nothing(exported: Callable[[str, str], Path], model: str) -> None:
    """A number too few or too many, one that is not finite, a variable that can't be set or is not there: an error with
    a text, after which every value is what it was, and nothing is written."""
    path = exported(model, "3.0")
    rng = np.random.default_rng(5)
    names, *_ = settable(path, model)
    with guest(path) as host:
        before = host.get(*names)

        def call(function: Any, references: list[int], numbers: np.ndarray, count: int) -> np.ndarray:
            room = np.append(numbers, GUARD)
            with pytest.raises(FMICallException):
                function(
                    host.slave.component, (ctypes.c_uint32 * len(references))(*references), len(references),
                    room.ctypes.data_as(ctypes.POINTER(ctypes.c_double)), count,
                )  # fmt: skip
            return room

        for _ in range(40):
            chosen = [str(n) for n in rng.permutation(names)[: rng.integers(1, 4)]]
            references, size = [host.references[n] for n in chosen], sum(host.lengths[n] for n in chosen)
            for count in {size - 1, size + 1}:
                call(host.slave.fmi3SetFloat64, references, np.full(count, 0.5), count)
                assert f"{count} numbers for variables of {size}" in host.messages[-1]
                assert np.all(call(host.slave.fmi3GetFloat64, references, np.full(count, GUARD), count) == GUARD)
            bad = np.full(size, 0.5)
            bad[rng.integers(size)] = np.nan
            call(host.slave.fmi3SetFloat64, references, bad, size)
            assert "give a finite number" in host.messages[-1]
            call(host.slave.fmi3SetFloat64, [*references, 10**6], np.full(size + 1, 0.5), size + 1)
            assert "does not exist" in host.messages[-1]
            call(host.slave.fmi3SetFloat64, [*references, 0], np.full(size + 1, 0.5), size + 1)
            assert "'time' can't be set" in host.messages[-1]
            assert np.all(call(host.slave.fmi3GetFloat64, [10**6], np.full(1, GUARD), 1) == GUARD)
            assert np.array_equal(host.get(*names), before)


def test_reads_after_a_start_that_fails(exported: Callable[[str, str], Path]) -> None:
    """What is given is read as it was given, all elements of it; what is computed is an error that writes nothing."""
    with guest(exported("vectors", "3.0")) as host:
        values = np.array([7.0, 8.0, 9.0])
        host.put({"late": values, "level": -1.0})
        assert np.array_equal(host.get("late", "first", "single"), [*values, 0.5, -1.0])
        for name in ("mixed", "root"):
            room = np.full(host.lengths[name] + 1, GUARD)
            with pytest.raises(FMICallException):
                host.slave.fmi3GetFloat64(
                    host.slave.component, (ctypes.c_uint32 * 1)(host.references[name]), 1,
                    room.ctypes.data_as(ctypes.POINTER(ctypes.c_double)), host.lengths[name],
                )  # fmt: skip
            assert np.all(room == GUARD)
        host.put({"level": 4.0})
        assert np.array_equal(host.get("root", "mixed")[:2], [2.0, 7.25])


def test_start_values_of_arrays_are_taken(exported: Callable[[str, str], Path]) -> None:
    """By fmpy's simulate_fmu: the run is that of a model with these start values."""
    starts = [7.0, 8.0, 9.0]
    expected = mbs.simulate(vectors(starts), 0.2, output_interval=0.01, **METHODS["rk4"])
    run = simulate_fmu(
        str(exported("vectors", "3.0")), stop_time=0.2, output_interval=0.01, start_values={"late": starts},
        output=["mixed", "last"],
    )  # fmt: skip
    found = np.column_stack([run["mixed"], run["last"]])
    wanted = np.column_stack([expected["mixed"], expected["last"]])
    assert np.array_equal(found[0], wanted[0])
    assert np.max(np.abs(found - wanted)) < 1e-12 * np.max(np.abs(wanted))


@pytest.mark.parametrize("form", FORMS[1:])
@pytest.mark.parametrize("model", NAMES)
def test_sets_from_c(
    program: Callable[..., Path], exported: Callable[[str, str], Path], tmp_path: Path, model: str, form: str
) -> None:
    """Pairs of variables through arrays of exactly their size (hosts/vectors3.c)."""
    path = exported(model, form)
    execute(*host_in_c(program, path, tmp_path, model))


def test_sets_from_c_touch_no_other_memory(
    program: Callable[..., Path], exported: Callable[[str, str], Path], tmp_path: Path
) -> None:
    """The same under valgrind."""
    execute(*valgrind(), *host_in_c(program, exported("vectors", "3.0"), tmp_path, "vectors"))


def host_in_c(program: Callable[..., Path], path: Path, folder: Path, model: str) -> list[object]:
    _, exact, _ = settable(path, model)
    with guest(path) as host:
        told = [f"{host.references[name]}:{host.lengths[name]}" for name in exact]
    return [program("vectors3"), library(path, folder / place("3.0")), token(path), *told]
