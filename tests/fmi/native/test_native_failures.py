"""Messages of failed starts and steps, from one table in Python and in C."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mbs_fmu.codegen.modules import load_plain
from mbs_fmu.compile.build import compile_model
from mbs_fmu.fmi.experiment import MOST_STEPS, Experiment
from mbs_fmu.fmi.native.platforms import host
from mbs_fmu.fmi.native.source import model_header
from mbs_fmu.infrastructure.errors import ModelError
from mbs_fmu.infrastructure.messages.failures import MESSAGES, fields_of
from mbs_fmu.record.blocks import HeadNumbers, LoopNumbers
from mbs_fmu.record.codes import Status
from mbs_fmu.run.runtime import FAILED_START, FAILED_STEP, NO_INERTIA, NON_FINITE, NUMBERS, Runtime, names
from mbs_fmu.run.step_control import StepControl
from support.hosts.c_hosts import only_linux, zig
from support.models.fmu_models import MODELS

STATUSES = [value for name, value in vars(Status).items() if not name.startswith("_") and value != Status.ok]
EXPERIMENT = Experiment(1.0, 0.01, StepControl.of("rk4", 1e-3), MOST_STEPS)
PROGRAM = """
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "model.h"
static double R[N_R];
int main(void) {
    char text[2000];
    for (size_t k = 0; k < N_R; k++) if (scanf("%lf", R + k) != 1) return 1;
    for (int64_t status = 1; status <= LAST; status++) {
        write_failed_start(text, sizeof text, R, status), puts(text);
        write_failed_step(text, sizeof text, R, status), puts(text);
    }
    return 0;
}
"""


@pytest.mark.quick
def test_message_fields_exist() -> None:
    """Each field of a message names a number of the record or a list of names, and each message has a status."""
    lists = names(compile_model(MODELS["swing"]()))
    for failure in (*FAILED_START.values(), *FAILED_STEP.values(), NO_INERTIA, NON_FINITE):
        assert failure.key in MESSAGES and failure.things in lists
        assert set(fields_of(failure.key)) <= {"thing", "loop", *NUMBERS}
    assert {*FAILED_START, *FAILED_STEP} <= set(STATUSES)


@pytest.mark.slow
def test_native_messages_equal_python_messages(tmp_path: Path) -> None:
    """For every status and a record with distinct numbers, C and Python compose the same message, letter by letter."""
    only_linux()
    pytest.importorskip("ziglang", reason="native FMUs need the package ziglang")
    program = compile_model(MODELS["linkage"]())
    checks = {"checks": ["a check"], "start_checks": ["a check of the start"], "quaternions": {"a quaternion": 0}}
    program = replace(program, modes=[{"name": "a mode"}], events=[{"name": "an event"}], **checks)
    (tmp_path / "model.h").write_text(model_header(program, EXPERIMENT, "{token}", "2.0"), encoding="utf-8")
    source = tmp_path / "says.c"
    source.write_text(PROGRAM.replace("LAST", str(max(STATUSES))), encoding="utf-8")
    says = zig(host(), source, tmp_path / "says", f"-I{tmp_path}", "-std=c99", "-w")
    runtime = Runtime(program, load_plain(program.module))
    R = np.random.default_rng(1).normal(size=program.regions["end"][0])
    R[HeadNumbers.fault] = R[program.regions["loop_state"][0] + LoopNumbers.contradicting_drive] = (
        0.0  # each list has a first entry
    )
    run = subprocess.run([says], input="\n".join(map(repr, R.tolist())), capture_output=True, text=True, check=True)
    wanted = [text for status in range(1, max(STATUSES) + 1) for text in python_messages(runtime, R, status)]
    assert run.stdout.splitlines() == wanted


def python_messages(runtime: Runtime, R: np.ndarray, status: int) -> tuple[str, str]:
    """Python's messages of a start and of a step with this status."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runtime.kernels, "enter_initialise", lambda record: status)
        with pytest.raises(ModelError) as start:
            runtime.begin(R, 1e-6, 1e-8)
    return str(start.value), runtime.fault(R, status).removeprefix(f"{runtime.program.name}: ")
