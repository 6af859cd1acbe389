"""A failed step of a model in C has no effect: the record stays the same, and so do all later steps.

Random models with closed loops, sticking friction, contacts, locks, samples, resets and elastic bodies take steps with
impossible inputs and sizes. A second instance, which does not take them, goes the same way, bit for bit.
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from zlib import crc32

import pytest

import mbs_fmu as mbs
from mbs_fmu.model.observers import without_observers
from mbs_fmu.run.simulate import compiled
from support.c_programs import WARNINGS, compiler, run_command
from support.cases import tiers
from support.generators.pushed_models import KINDS, pushed

PROGRAM = """#include "NAME.c"
#include <stdio.h>

static NAME a, b, before;
static int failed;

static int differ(const char *when, int k) {
    for (size_t i = 0; i < COMPARED; i++)
        if (memcmp(a.R + i, b.R + i, sizeof *a.R))
            return printf("%s %d: number %zu is %a, not %a\\n", when, k, i, (double)a.R[i], (double)b.R[i]);
    if (a.size == b.size && a.start == b.start && a.steps == b.steps) return 0;
    return printf("%s %d: other counts of steps\\n", when, k);
}

static int bad_step(int k) {
    const double bad[] = {NAN, 1e300, INFINITY, -1e300, 1e150}, sizes[] = {NAN, -1e-3, 0.0, 1e-30, -INFINITY};
    NAME_inputs in = {bad[k % 5]};
    NAME_outputs out;
    const double size = k % 3 == 2 ? sizes[k / 3 % 5] : k % 2 ? 1.1 * STEP : STEP;
    before = a;
    if (!NAME_step(&before, size, &in, &out)) return 0; /* it succeeds */
    failed++;
    if (!NAME_step(&a, size, &in, &out)) return printf("step %d succeeds in its repetition\\n", k);
    return differ("after failed step", k);
}

int main(void) {
    NAME_inputs in = {0.0};
    NAME_outputs one, two;
    NAME_defaults(&a);
    NUMBERS
    if (NAME_init(&a)) return printf("no start\\n"), 2;
    b = a;
    for (int k = 0; k < 60; k++) {
        if (bad_step(k)) return 1;
        if (k % 7 == 0) in.push = 0.1 * (k % 5);
        const double size = k % 20 < 15 ? STEP : 0.5 * STEP;
        const int status = NAME_step(&a, size, &in, &one);
        if (status != NAME_step(&b, size, &in, &two)) return printf("step %d: status %d\\n", k, status), 1;
        if (differ("after step", k)) return 1;
        if (memcmp(&one, &two, sizeof one)) return printf("step %d: other outputs\\n", k), 1;
        if (status) break;
    }
    return printf("%d\\n", failed) < 0;
}
"""

METHODS, STEP = ("rk4", "abm6", "gauss4", "dopri5"), 1e-3


CASES = [f"{kind} {seed}" for seed in range(3) for kind in KINDS][:12]


@pytest.mark.parametrize("case", tiers(CASES, 1))
def test_a_failed_step_has_no_effect(case: str, tmp_path: Path) -> None:
    """Every number of the record before its workspace, the counts of steps, and the future, bit for bit."""
    kind, _, seed = case.rpartition(" ")
    model, numbers = pushed(kind, int(seed))
    method = METHODS[crc32(case.encode()) % len(METHODS)]
    mbs.export_c(model, tmp_path, method=method, events="steps")
    (source,) = tmp_path.glob("*.c")
    program = compiled(without_observers(model), method=method, alone=True).program  # the one of the C text
    given = "".join(f"a.R[{program.by_name[name].slot}] = {value!r};\n    " for name, value in numbers.items())
    replaced = {
        "NAME": source.stem, "COMPARED": str(program.regions["scratch"][0]), "NUMBERS": given, "STEP": repr(STEP),
    }  # fmt: skip
    text = PROGRAM
    for key, value in replaced.items():
        text = text.replace(key, value)
    (tmp_path / "main.c").write_text(text)
    run_command([*compiler(), *WARNINGS, "-O0", tmp_path / "main.c", "-o", tmp_path / "main", "-lm"])
    run = subprocess.run([tmp_path / "main"], capture_output=True, text=True)
    assert run.returncode == 0, run.stdout
    assert int(run.stdout) > 30
