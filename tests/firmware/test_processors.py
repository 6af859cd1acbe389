"""A model in C on other processors, by emulation: every number of the record has the bits that it has on this one.

Each test runs one program, which makes 100 steps, on this machine and on an emulator. Tests of tests/codegen compare
this machine's C with LLVM code. Calls of <math.h> in laws are excepted, because their last bit is that of each
platform's library; the laws of these models call square roots only.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.codegen.c.text import identifier
from mbs_fmu.run.simulate import compiled
from support.c_programs import WARNINGS, compiler, run_command
from support.models.bundled import built
from support.processors import LINUX, Processor

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
STEP = 1e-3  #: s
ROWS, EVERY = 5, 25  #: rows that the program prints: the start, and each 25 steps
LIMIT = 300  #: s after which an emulator has hung
PROGRAM = """#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "NAME.h"

static NAME m;

static void show(void) {
    for (unsigned k = 0; k < sizeof m.R / sizeof m.R[0]; k++) {
        const double number = (double)m.R[k];
        uint64_t bits;
        memcpy(&bits, &number, sizeof bits);
        printf("%08lx%08lx ", (unsigned long)(bits >> 32), (unsigned long)(bits & 0xffffffffu));
    }
    printf("\\n");
}

int main(void) {
    NAME_defaults(&m);
    int status = NAME_init(&m);
    DECLARED
    show();
    for (int k = 1; k < ROWS * EVERY && status == 0; k++) {
        status = NAME_step(&m, STEP ARGUMENTS);
        if (k % EVERY == 0) show();
    }
    printf("%s\\n", NAME_status(status));
    return status;
}
"""
DIGITS, NO_FAULT = re.compile(r"^(?:[0-9a-f]{16} )+$"), "no fault"


def _cortex(cpu: str, fpu: str, board: str) -> Processor:
    options = ("-mthumb", f"-mcpu={cpu}", f"-mfpu={fpu}", "-mfloat-abi=hard", "-nostartfiles", "--specs=rdimon.specs")
    return Processor(
        ("arm-none-eabi-gcc", *options, *WARNINGS, "-T", str(HERE / "cortex_m.ld")),
        ("qemu-system-arm", "-M", board, "-semihosting", "-nographic", "-kernel"),
        "gcc-arm-none-eabi libnewlib-arm-none-eabi qemu-system-arm",
        (str(HERE / "cortex_m.c"),),
    )


PROCESSORS = {
    **LINUX,
    "cortex-m7": _cortex("cortex-m7", "fpv5-d16", "mps2-an500"),
    "cortex-m4f": _cortex("cortex-m4", "fpv4-sp-d16", "mps2-an386"),
}
CASES = [  # a tree, modes and resets, a closed loop
    ("governor", "double"), ("governor", "float"), ("bouncing_pendulum", "double"), ("four_bar", "double"),
]  # fmt: skip


def program_text(model: mbs.Model) -> str:
    """Return the program for a model, whose inputs are constant."""
    name = identifier(model.name)
    structs = [
        *(
            [f"{name}_inputs in = {{{', '.join(repr(i.start) for i in model.inputs.values())}}};"]
            if model.inputs
            else []
        ),
        *([f"{name}_outputs out;"] if model.outputs else []),
    ]
    arguments = ", &in" * bool(model.inputs) + ", &out" * bool(model.outputs)
    text = PROGRAM.replace("DECLARED", " ".join(structs)).replace("STEP ARGUMENTS", f"{STEP}{arguments}")
    return text.replace("ROWS", str(ROWS)).replace("EVERY", str(EVERY)).replace("NAME", name)


def printed(command: Sequence[str], text: str) -> np.ndarray:
    """Return the record in each printed row as bits, after a check that all steps were made."""
    *lines, status = text.splitlines()
    assert status == NO_FAULT and len(lines) == ROWS and all(map(DIGITS.match, lines)), f"{command[0]}: {text[-200:]}"
    return np.array([[int(word, 16) for word in line.split()] for line in lines], dtype=np.uint64)


def run_on(processor: Processor | None, folder: Path, name: str) -> np.ndarray:
    """Compile and run the program in a folder, on this machine without a processor; return its rows."""
    program = folder / "main.elf"
    command, files = ([*compiler(), *WARNINGS], ()) if processor is None else (processor.compiler, processor.files)
    run_command([*command, "-O2", folder / "main.c", folder / f"{name}.c", *files, "-o", program, "-lm"])
    started = [*(processor.emulator if processor else ()), str(program)]
    done = subprocess.run(started, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=LIMIT)
    return printed(started, done.stdout)


@pytest.mark.parametrize(("name", "real"), CASES)
@pytest.mark.parametrize("place", PROCESSORS)
def test_records_have_the_same_bits(place: str, name: str, real: str, tmp_path: Path) -> None:
    """After the start and in 100 steps, each number of the record; all that are not a number count as equal."""
    processor, model = PROCESSORS[place], built(name)
    processor.require()
    mbs.export_c(model, tmp_path, events="steps", real=real)
    (tmp_path / "main.c").write_text(program_text(model), encoding="utf-8")
    expected, found = (run_on(p, tmp_path, identifier(model.name)) for p in (None, processor))
    assert found.shape == expected.shape
    assert not np.array_equal(expected[0], expected[-1]), "the model moves"
    numbers = ~(np.isnan(found.view(float)) & np.isnan(expected.view(float)))
    wrong = np.argwhere((found != expected) & numbers)
    if len(wrong):
        row, slot = wrong[0]
        values = found.view(float)[row, slot], expected.view(float)[row, slot]
        pytest.fail(
            f"{len(wrong)} numbers; {where(model, slot)} after {row * EVERY} steps: {values[0]!r}, {values[1]!r}"
        )


def where(model: mbs.Model, slot: int) -> str:
    """Return the region of the record that contains a place."""
    regions = compiled(model, method="rk4", alone=True).program.regions
    found = (region for region, (start, size) in regions.items() if start <= slot < start + size)
    return f"place {slot} ({next(found, 'head')})"
