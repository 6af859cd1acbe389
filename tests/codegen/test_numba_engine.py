"""The three engines: own translator, numba and plain Python execute the same text with the same bits."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.codegen import engines, numba_engine
from mbs_fmu.codegen.engines import ENGINES, load_kernels
from mbs_fmu.codegen.numba_engine import NumbaKernels
from mbs_fmu.compile.build import compile_model
from mbs_fmu.record.module_reading import read_module
from support.generators.near_pairs import swarm
from support.hosts.fmus import python

TEXT = """
import numpy as np
from numba import njit

from mbs_fmu.codegen.entries import kernel

jit = njit(cache=True, error_model="numpy", nogil=True, no_cfunc_wrapper=True)


@kernel
def mean(R, n):
    total = 0.0
    for k in range(n):
        total += R[k]
    return total / n


@jit
def enter_mean(R, n):
    return mean(R, n)
"""


def pendulum() -> mbs.Model:
    m = mbs.Model("pendulum", gravity=(0, 0, -9.81))
    mass = m.parameter("mass", 1.0, unit="kg")
    rod = m.body("rod", joint=mbs.Universal("xy"), mass=mass, com=(0, 0, -0.5), inertia=(0.08, 0.08, 0.001))
    m.start(rod, q=(0.5, 0.2), u=(1.0, -0.3))
    m.output("tip", mbs.position(rod, (0, 0, -1.0)), unit="m")
    return m


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MBS_FMU_CACHE", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("model", [pendulum, pytest.param(lambda: swarm(5), marks=pytest.mark.slow, id="swarm")])
def test_engines_give_the_same_bits(model: Callable[[], mbs.Model]) -> None:
    """After each of some kernels, the records of the three engines are the same."""
    program = compile_model(model())
    kernels = [load_kernels(program.module, engine) for engine in ENGINES]
    records = [program.new_record() for _ in ENGINES]
    tangents = [np.linspace(-1.0, 1.0, records[0].size) for _ in ENGINES]
    for name, arrays in (("prepare", 1), ("momenta", 1), ("derive", 1), ("outputs", 1), ("derive_d", 2)):
        statuses = {k.entry(name)(*pair[:arrays]) or 0 for k, *pair in zip(kernels, records, tangents)}
        assert statuses == {0}, name
        for engine, *pair in zip(ENGINES, records, tangents):
            same = [np.array_equal(a.view(np.int64), b.view(np.int64)) for a, b in zip(pair, (records[0], tangents[0]))]
            assert all(same), f"{name}: {engine} differs from {ENGINES[0]}"
    assert np.isfinite(records[0]).all() and np.any(records[0][program.region("outputs")])


def test_loops_of_users_give_the_same_bits() -> None:
    """A function compiled by numba that calls `derive` changes the record as calls of the own engine do."""
    program = compile_model(pendulum())
    own, theirs = (load_kernels(program.text, engine) for engine in ("own", "numba"))
    derive, R = theirs.module.derive, program.new_record()
    assert own.enter_initialise(R) == 0
    expected = R.copy()
    for _ in range(3):
        own.entry("derive")(expected)

    @numba.njit  # type: ignore[misc, untyped-decorator, unused-ignore]
    def often(R, times):  # type: ignore[no-untyped-def]
        for _ in range(times):
            derive(R)

    often(R, 3)
    assert np.array_equal(R.view(np.int64), expected.view(np.int64))


SIMULATED: dict[str, dict[str, Any]] = {
    "double_pendulum.double_pendulum": {"stop_time": 2.0},
    "governor.governed": {"stop_time": 5.0},
    "governor.digitally_governed": {"stop_time": 3.0},
    "quadruped.quadruped": {"stop_time": 0.3},
    "truss_boom.truss_boom": {"stop_time": 0.2},
    "four_bar.four_bar": {"stop_time": 2.0},
}


@pytest.mark.apart
@pytest.mark.slow
@pytest.mark.parametrize("name", SIMULATED)
def test_whole_runs_have_the_same_bits(name: str) -> None:
    """All columns and the changes of modes of a run by numba are those of the own engine."""
    module, function = name.split(".")
    model = getattr(importlib.import_module(module), function)()
    own, other = (mbs.simulate(model, engine=engine, **SIMULATED[name]) for engine in ("own", "numba"))
    assert np.array_equal(own.data.view(np.int64), other.data.view(np.int64))
    assert own.switches.tolist() == other.switches.tolist() and own.statistics == other.statistics


@pytest.mark.slow
def test_all_that_runs_kernels_takes_the_engine_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch, which runs without lanes, sensitivities and a linear model have the bits of the own engine."""

    def results(make: Callable[[], mbs.Model]) -> list[np.ndarray]:
        batch = mbs.simulate(make(), 0.1, method="rk4", step=0.01, batch=mbs.Batch(start={"rod.q[1]": [0.1, 0.4, 0.7]}))
        along = mbs.simulate(make(), 0.1, method="rk4", step=0.01, sensitivities=["mass", "rod.q[1]"])
        stepper = mbs.Stepper(make(), 2, 0.1, method="rk4", step=0.01)
        stepper.reset()
        stepper.advance()
        return [
            batch.data,
            stepper.values(["rod.q[1]", "tip[1]"]),
            along.sensitivity("rod.q[1]", "mass"),
            mbs.linearize(make()).A,
        ]

    first = results(pendulum)
    monkeypatch.setenv(engines.ENGINE_VARIABLE, "numba")
    for own, other in zip(first, results(pendulum), strict=True):
        assert np.array_equal(own, other)


def test_numba_loads_its_machine_code_from_the_cache(own_cache: Path) -> None:
    """A second process compiles nothing, and other kernels than those with an entry of their own are kept too."""
    text = own_cache / "kernels.txt"
    text.write_text(TEXT)
    first, second = (python(FRESH, str(text), MBS_FMU_CACHE=str(own_cache)).stdout.split() for _ in range(2))
    assert first == ["2.5", "0"] and second == ["2.5", "1"]


FRESH = """
import sys
from pathlib import Path
import numpy as np
from mbs_fmu.codegen.engines import load_kernels
kernels = load_kernels(Path(sys.argv[1]).read_text(), "numba")
mean = kernels.enter_mean(np.array([1.0, 2.0, 4.5]), 3)
print(mean, sum(kernels.module.enter_mean.stats.cache_hits.values()))
"""


def test_a_loop_of_a_user_calls_kernels(own_cache: Path) -> None:
    """Kernels are functions of numba, which other functions compiled by numba call; without a cache, too."""
    (own_cache / "numba").write_text("no folder")
    mean = NumbaKernels("mbs_fmu_numba_loop", read_module(TEXT)).module.mean

    @numba.njit  # type: ignore[misc, untyped-decorator, unused-ignore]
    def largest(R, times):  # type: ignore[no-untyped-def]
        found = -1.0
        for k in range(times):
            found = max(found, mean(R[k:], 2))
        return found

    assert largest(np.array([1.0, 2.0, 6.0, 0.0]), 3) == 4.0


def test_wrong_engines_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """An unknown engine has a message with the known ones, as an argument and in the environment."""
    for wrong in ("llvm", 3, ["numba"]):
        with pytest.raises(mbs.ArgumentError, match=r"unknown engine .*: use 'own' or 'numba' or 'python'"):
            mbs.simulate(pendulum(), 1.0, engine=wrong)  # type: ignore[call-overload]
    monkeypatch.setenv(engines.ENGINE_VARIABLE, "numbra")
    with pytest.raises(mbs.ModelError, match="MBS_FMU_ENGINE is 'numbra': leave it out, or give 'own' or"):
        mbs.simulate(pendulum(), 1.0)


def test_arguments_of_other_kinds_are_refused() -> None:
    """A call with something that is no array or number raises TypeError; lanes are refused by their name."""
    kernels = NumbaKernels("mbs_fmu_numba_arguments", read_module(TEXT))
    with pytest.raises(TypeError, match="a kernel takes arrays, numbers and integers"):
        kernels.enter_mean(np.ones(3), "3")
    lanes = NumbaKernels("mbs_fmu_numba_lanes", read_module(TEXT + "\nLANES = np.int64(4)\n"))
    with pytest.raises(numba_engine.NoLanes, match="numba compiles no lanes"):
        lanes.ensure_compiled(("mean", ("rows", "int")))
