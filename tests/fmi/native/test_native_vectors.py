"""Arrays in calls of native FMUs, FMI 3.0: refused calls, failed starts, start values."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest
from fmpy import read_model_description, simulate_fmu
from fmpy.fmi1 import FMICallException

import mbs_fmu as mbs
from support.comparisons import assert_close
from support.generators.vector_signals import vectors
from support.hosts.fmus import Builder
from support.hosts.native_instances import guest
from support.models.fmu_models import METHODS

pytest.importorskip("ziglang", reason="native FMUs need the package ziglang")
pytestmark = pytest.mark.slow
GUARD = -7.25e77


@pytest.mark.parametrize("model", ["vectors", "gyro"])
def test_wrong_counts_change_nothing(host_fmu: Builder, model: str) -> None:
    """Wrong counts, values that are not finite, and variables that are fixed or unknown are errors with a text, after
    which every value is unchanged and nothing is written.
    """
    path = host_fmu(model, kind="native", fmi="3.0")
    rng = np.random.default_rng(5)
    names = [v.name for v in read_model_description(str(path)).modelVariables if v.start is not None]
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
                found = host.messages[-1].replace("'single[1]'", "'single'")  # an array of one element has its name
                whose = "variables of" if len(chosen) > 1 else f"'{chosen[0]}', which has"
                assert f"{count} numbers for {whose} {size}" in found
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


def test_reads_after_a_failed_start(host_fmu: Builder) -> None:
    """After a failed start settable arrays read as set, in all elements; computed variables are errors with the reason,
    and a call that names one of them writes nothing.
    """
    with guest(host_fmu("vectors", kind="native", fmi="3.0")) as host:
        values = np.array([7.0, 8.0, 9.0])
        host.put({"late": values, "level": -1.0})
        assert np.array_equal(host.get("late", "first", "single"), [*values, 0.5, -1.0])
        for names in (["mixed"], ["root"], ["late", "root"], ["first", "late", "mixed", "single"]):
            host.messages.clear()
            size = sum(host.lengths[name] for name in names)
            room = np.full(size + 1, GUARD)
            with pytest.raises(FMICallException):
                host.slave.fmi3GetFloat64(
                    host.slave.component, (ctypes.c_uint32 * len(names))(*(host.references[n] for n in names)),
                    len(names), room.ctypes.data_as(ctypes.POINTER(ctypes.c_double)), size,
                )  # fmt: skip
            assert np.all(room == GUARD)
            assert "mass of body 'ball'" in host.messages[-1]
        host.put({"level": 4.0})
        assert np.array_equal(host.get("root", "mixed")[:2], [2.0, 7.25])


def test_start_values_of_arrays_are_taken(host_fmu: Builder) -> None:
    """fmpy's simulate_fmu with start values of arrays gives the run of a model with these start values."""
    starts = [7.0, 8.0, 9.0]
    expected = mbs.simulate(vectors(starts), 0.2, output_interval=0.01, **METHODS["rk4"])
    path = str(host_fmu("vectors", kind="native", fmi="3.0"))
    run = simulate_fmu(
        path, stop_time=0.2, output_interval=0.01, start_values={"late": starts}, output=["mixed", "last"]
    )
    actual = np.column_stack([run["mixed"], run["last"]])
    wanted = np.column_stack([expected["mixed"], expected["last"]])
    assert np.array_equal(actual[0], wanted[0])
    labels = ["mixed"] * (actual.shape[1] - 1) + ["last"]
    assert_close(actual, wanted, 1e-12 * np.max(np.abs(wanted)), "output", labels, expected.time)
