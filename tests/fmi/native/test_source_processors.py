"""Sources of native FMUs on other processors, by emulation: co-simulation gives the bits that it gives on this one."""

from __future__ import annotations

import subprocess
import zipfile
from collections.abc import Sequence
from pathlib import Path

import fmpy
import numpy as np
import pytest

import mbs_fmu as mbs
from support.c_programs import WARNINGS, compiler, run_command
from support.models.bundled import built
from support.processors import LINUX

pytestmark = pytest.mark.slow

HEADERS = Path(fmpy.__file__).parent / "c-code"
MODELS = ["governor", "bouncing_pendulum", "four_bar"]  #: a tree, modes and resets, a closed loop
STEPS, STEP = 20, 1e-3  #: communication steps, s
HOST = """#include <stdio.h>
#include "fmi3Functions.h"

static void heard(fmi3InstanceEnvironment e, fmi3Status status, fmi3String category, fmi3String message) {
    (void)e, (void)category;
    fprintf(stderr, "%d %s\\n", status, message);
}

int main(void) {
    static const fmi3ValueReference asked[] = {ASKED};
    fmi3Float64 values[COUNT];
    fmi3Boolean event, ends, early;
    fmi3Float64 last;
    fmi3Instance c = fmi3InstantiateCoSimulation(
        "one", "TOKEN", NULL, fmi3False, fmi3False, fmi3False, fmi3False, NULL, 0, NULL, heard, NULL);
    if (!c || fmi3EnterInitializationMode(c, fmi3False, 0, 0, fmi3False, 0) || fmi3ExitInitializationMode(c)) return 1;
    for (int k = 0; k < STEPS; k++) {
        if (fmi3DoStep(c, k * STEP, STEP, fmi3True, &event, &ends, &early, &last)) return 2;
        if (fmi3GetFloat64(c, asked, COUNT, values, COUNT)) return 3;
        for (int i = 0; i < COUNT; i++) printf("%a ", values[i]);
        printf("\\n");
    }
    fmi3FreeInstance(c);
    return 0;
}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sources of all models with a host, each in a folder of its name."""
    whole = tmp_path_factory.mktemp("fmus")
    for name in MODELS:
        path = mbs.export(
            built(name), whole / f"{name}.fmu", "native", fmi="3.0", method="rk4", step=STEP, stop_time=1.0,
            communication_step=STEP, sources=True, platforms=[], reference=False, arrays=False,
        )  # fmt: skip
        with zipfile.ZipFile(path) as archive:
            archive.extractall(whole / name)
        description = fmpy.read_model_description(str(path))
        asked = [
            v.valueReference for v in description.modelVariables if v.causality == "output" and v.type == "Float64"
        ]
        text = HOST.replace("TOKEN", description.guid).replace("ASKED", ", ".join(map(str, asked)))
        text = text.replace("COUNT", str(len(asked))).replace("STEPS", str(STEPS)).replace("STEP", repr(STEP))
        (whole / name / "host.c").write_text(text, encoding="utf-8")
    return whole


def _rows(folder: Path, command: Sequence[str], emulator: Sequence[str]) -> np.ndarray:
    """Return the outputs after each communication step."""
    program = folder / "host"
    files = [folder / "host.c", folder / "sources" / f"{folder.name}.c"]
    run_command([*command, *WARNINGS, "-O1", "-isystem", HEADERS, *files, "-o", program, "-lm"])
    run = subprocess.run([*emulator, program], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=300)
    assert run.returncode == 0, run.stderr
    return np.array([[float.fromhex(word) for word in line.split()] for line in run.stdout.splitlines()])


@pytest.mark.parametrize("place", LINUX)
def test_sources_give_the_bits_of_this_processor(place: str, folder: Path) -> None:
    """All outputs after each communication step; the laws of these models call square roots only."""
    processor = LINUX[place]
    processor.require()
    for name in MODELS:
        expected = _rows(folder / name, compiler(), [])
        found = _rows(folder / name, processor.compiler, processor.emulator)
        assert len(expected) == STEPS and not np.array_equal(expected[0], expected[-1])
        wrong = np.argwhere(found != expected)
        assert not len(wrong), f"{name}: output {wrong[0][1]} after step {wrong[0][0]}: {found[tuple(wrong[0])]!r}"
