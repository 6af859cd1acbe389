"""Longest step of every bundled model as C for firmware, beside the operations that its header states."""

from __future__ import annotations

import re
import runpy
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import mbs_fmu as mbs

from .report import Unavailable, progress, table

FOLDER = Path(__file__).parents[1] / "models"
STEP = 2e-4  #: s; short enough for the stiffest elastic body
MOST, SECONDS = 1_000_000, {False: 120.0, True: 0.3}  #: largest number of steps; processor time of a run, s
RUNS = 3  #: of the same steps: an interrupt rarely hits the same step in all of them
PROGRAM = """#define _POSIX_C_SOURCE 200809L
#include "NAME.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static NAME first, m;
static double spent[MOST];

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(void) {
    DECLARED
    long count = 0;
    NAME_defaults(&first);
    if (NAME_init(&first)) return 1;
    const double end = now() + 1e9 * SECONDS;
    for (int run = 0; run < RUNS; run++) {
        int status = 1; /* every run begins at the start, so that its steps are those of the others */
        for (long k = 0; run ? k < count : k < MOST && now() < end;) {
            if (status) m = first;
            const double begin = now();
            status = NAME_step(&m, STEP ARGUMENTS);
            const double time = now() - begin;
            if (status) continue;
            spent[k] = run && spent[k] < time ? spent[k] : time;
            k++;
            if (!run) count = k;
        }
    }
    qsort(spent, (size_t)count, sizeof *spent, ascending);
    printf("%ld %.0f %.0f %.0f\\n", count, spent[count / 2], spent[count - 1 - count / 1000], spent[count - 1]);
    return 0;
}
"""
BOUND = re.compile(r"At most (.*?) calls of <math.h>", re.DOTALL)
LOOP = re.compile(r"loop of (\w+)")
EXPLANATION = f"""\
Processor time of single steps of {STEP:g} s with rk4, in ns, by the C of `export_c` and gcc -O2; inputs have their
start values. A run has at most a million steps and ends after {{seconds:g}} s of processor time; a model whose step
fails starts again. The same steps are computed {RUNS} times and the least time of each is taken, since the clock of the
thread leaves out the time of other programs, but not that of interrupts. Each time includes one call of the clock,
about {{clock:.0f}} ns. "Operations" are additions, multiplications, divisions, square roots and calls of `<math.h>`, at
most, as the header states them. Models that change constraint modes or take samples can need more: the header names the
loops, and states the operations of one iteration."""


def section(quick: bool) -> str:
    """Report section."""
    if not shutil.which("gcc"):
        raise Unavailable("the longest step is measured with gcc")
    seconds, rows = SECONDS[quick], []
    with tempfile.TemporaryDirectory() as folder:
        for name, build in _builders().items():
            progress(f"longest step of {name}")
            rows.append([name, *_measured(build(), Path(folder), seconds)])
        clock = _clock(Path(folder))
    text = EXPLANATION.format(seconds=seconds, clock=clock)
    header = ["model", "operations", "without a bound", "median", "of 99.9 %", "largest", "steps"]
    return "\n\n".join(["## Longest step", text, table(header, rows)])


def _builders() -> dict[str, Callable[[], mbs.Model]]:
    """Return the functions of models/ that need no argument, with their names."""
    found: dict[str, Callable[[], mbs.Model]] = {}
    for path in sorted(FOLDER.glob("*.py")):
        names = re.findall(r"^def (\w+)\(.*-> mbs.Model:$", path.read_text(encoding="utf-8"), re.MULTILINE)
        functions = runpy.run_path(str(path)) if names else {}
        found |= {name: functions[name] for name in names}
    return found


def _measured(model: mbs.Model, folder: Path, seconds: float) -> list[str]:
    """Return the cells of a model's row behind its name."""
    header = mbs.export_c(model, folder, events="steps")
    about = header.read_text(encoding="utf-8").replace("\n *", "").partition("*/")[0]
    bound = BOUND.search(about)
    assert bound
    inputs = ", ".join(repr(float(i.start)) for i in model.inputs.values())
    name = header.stem
    declared = f"{name}_inputs in = {{{inputs}}};" * bool(inputs) + f" {name}_outputs out;" * bool(model.outputs)
    arguments = ", &in" * bool(inputs) + ", &out" * bool(model.outputs)
    replaced = {
        "DECLARED": declared, "STEP ARGUMENTS": f"{STEP}{arguments}", "SECONDS": repr(seconds), "MOST": str(MOST),
        "RUNS": str(RUNS), "NAME": name,
    }  # fmt: skip
    text = PROGRAM
    for key, value in replaced.items():
        text = text.replace(key, value)
    count, *times = _run(text, folder, [str(folder / f"{name}.c")])
    loops = ", ".join(sorted(set(LOOP.findall(about)))) or "-"
    return [str(sum(map(int, re.findall(r"\d+", bound[1])))), loops, *times, count]


def _clock(folder: Path) -> float:
    """Return the time that two calls of the clock need, ns."""
    text = PROGRAM[: PROGRAM.index("static int ascending")].replace('#include "NAME.h"\n', "")
    text = text.replace("static NAME first, m;\nstatic double spent[MOST];\n", "")
    text += (
        "int main(void) {\n    const double begin = now();\n    for (int k = 0; k < 10000; k++) now();\n"
        '    printf("%.0f\\n", (now() - begin) / 10000);\n    return 0;\n}\n'
    )
    return float(_run(text, folder, [])[0])


def _run(text: str, folder: Path, sources: list[str]) -> list[str]:
    """Compile a program and return the words that it prints."""
    main, program = folder / "main.c", folder / "main"
    main.write_text(text, encoding="utf-8")
    for command in (["gcc", "-std=c99", "-O2", str(main), *sources, "-o", str(program), "-lm"], [str(program)]):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise Unavailable(f"{command[0]}: {done.stderr[-2000:]}")
    return done.stdout.split()
