"""All models in C on other processors: after a start and some steps, every number has the bits of this processor.

For each processor one program contains all models, compiled without optimisation and run once by an emulator. A law
that calls a function of <math.h> other than the square root depends on each platform's library: models with such laws
are excepted by name, and their variables agree up to rounding. On one of the processors undefined behaviour ends the
program. `test_processors.py` has optimised code.
"""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import mbs_fmu as mbs
from support.c_programs import WARNINGS, compiler, run_command
from support.models.bundled import builders, built
from support.processors import LINUX

pytestmark = pytest.mark.slow

SANITIZED = "arm64"  #: where undefined behaviour ends the program; code with these checks compiles five times slower
COMPILERS = {  # zig has no -fsyntax-only
    "gcc": ("gcc", "-fsyntax-only"),
    "clang": ("clang", "-fsyntax-only"),
    "zig": (sys.executable, "-m", "ziglang", "cc", "-O0", "-fno-sanitize=all", "-c"),
}
STEPS, STEP = 5, 5e-5  #: steps that are short enough for the stiffest elastic body, s
LIMIT = 600  #: s after which an emulator has hung
LIBRARY = {  # models whose laws call functions of <math.h>, with the function
    "cam_follower": "atan2", "car": "atan", "clutch": "tanh", "differential": "tanh",
    "journal_rotor": "atan", "planetary_gear": "tanh", "planetary_gearbox": "atan2",
    "quadruped": "atan2", "quadruped_on_bumps": "atan2", "rack_steering": "tanh", "regulated_slider_crank": "exp",
    "rolling_disc": "asin", "serpentine_drive": "log", "slider_crank": "exp", "trot_controller": "atan2",
    "trotting_on_bumps": "atan2", "trotting_quadruped": "atan2", "valve_train": "atan2",
}  # fmt: skip
HEAD = """#include <stdio.h>

static FILE *out_file;

static void put(double status, const double *R, size_t size) {
    fwrite(&status, sizeof status, 1, out_file);
    fwrite(R, sizeof *R, size, out_file);
}
"""
RUN = """#include "NAME.h"
static void run_NAME(void) {
    static NAME m;
    DECLARED
    NAME_defaults(&m);
    int status = NAME_init(&m);
    put(status, m.R, sizeof m.R / sizeof m.R[0]);
    for (int k = 0; k < STEPS && status == 0; k++) status = NAME_step(&m, STEP ARGUMENTS);
    put(status, m.R, sizeof m.R / sizeof m.R[0]);
}
"""
MAIN = """int main(int count, char **given) {
    out_file = fopen(given[count - 1], "wb");
CALLS    return fclose(out_file);
}
"""
SIZE, PLACE = re.compile(r"double R\[(\d+)\]"), re.compile(r"^    [A-Z]\w* = (\d+), /\*", re.MULTILINE)


@dataclass(frozen=True)
class Source:
    """A model in C: its function in models/, its name, its number of inputs' start values, and its header."""

    function: str
    name: str
    inputs: tuple[float, ...]
    outputs: bool
    header: str

    @property
    def size(self) -> int:
        """Numbers of the record."""
        found = SIZE.search(self.header)
        assert found
        return int(found[1])

    def run(self) -> str:
        """Return the function that makes the steps."""
        given = f"{self.name}_inputs in = {{{', '.join(map(repr, self.inputs))}}};" if self.inputs else ""
        declared = f"{given} {f'{self.name}_outputs out;' if self.outputs else ''}"
        arguments = ", &in" * bool(self.inputs) + ", &out" * self.outputs
        text = RUN.replace("DECLARED", declared).replace("STEP ARGUMENTS", f"{STEP}{arguments}")
        return text.replace("STEPS", str(STEPS)).replace("NAME", self.name)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("sources")


@pytest.fixture(scope="module")
def sources(folder: Path) -> list[Source]:
    """All models in C, and the program that runs them."""
    found = []
    for function in builders():
        model = built(function)
        header = mbs.export_c(model, folder, events="steps")
        inputs = tuple(float(i.start) for i in model.inputs.values())
        found.append(Source(function, header.stem, inputs, bool(model.outputs), header.read_text(encoding="utf-8")))
    main = MAIN.replace("CALLS", "".join(f"    run_{source.name}();\n" for source in found))
    (folder / "main.c").write_text(HEAD + "".join(source.run() for source in found) + main, encoding="utf-8")
    return found


@pytest.fixture(scope="module")
def expected(folder: Path, sources: list[Source]) -> list[np.ndarray]:
    """The records on this processor."""
    return _records(folder, sources, [*compiler(), *WARNINGS], [], "host")


def _records(
    folder: Path, sources: list[Source], command: Sequence[str], emulator: Sequence[str], place: str
) -> list[np.ndarray]:  # fmt: skip
    """Return status and record of each model after its start and after its steps, as bits."""
    names = ["main", *(source.name for source in sources)]
    objects = [folder / f"{name}_{place}.o" for name in names]

    def compiled(name: str, target: Path) -> None:
        run_command([*command, "-O0", "-c", folder / f"{name}.c", "-o", target])

    with ThreadPoolExecutor(2) as executor:
        list(executor.map(compiled, names, objects))
    program, result = folder / f"main_{place}", folder / f"{place}.bin"
    run_command([*command, *objects, "-o", program, "-lm"])
    subprocess.run([*emulator, program, result], check=True, stdin=subprocess.DEVNULL, timeout=LIMIT)
    numbers = np.fromfile(result, dtype="<i8")
    sizes = [2 * (source.size + 1) for source in sources]
    assert len(numbers) == sum(sizes)
    return [part.reshape(2, -1) for part in np.split(numbers, np.cumsum(sizes)[:-1])]


@pytest.mark.parametrize("name", COMPILERS)
def test_no_compiler_warns(name: str, folder: Path, sources: list[Source]) -> None:
    """All warnings of the usual groups are errors, for every model."""
    command = COMPILERS[name]
    if shutil.which(command[0]) is None or (name == "zig" and importlib.util.find_spec("ziglang") is None):
        pytest.skip(f"{name} is not installed")
    for source in sources:
        run_command([*command, *WARNINGS, "-Wshadow", folder / f"{source.name}.c", "-o", folder / "checked.o"])


@pytest.mark.parametrize("place", LINUX)
def test_all_models_have_the_bits_of_this_processor(
    place: str, folder: Path, sources: list[Source], expected: list[np.ndarray]
) -> None:  # fmt: skip
    """Every number of the record, all that are not a number counting as equal; variables where laws are excepted."""
    processor = LINUX[place]
    processor.require()
    command = processor.compiler if place == SANITIZED else (*processor.compiler, "-fno-sanitize=all")
    found = _records(folder, sources, command, processor.emulator, place)
    faults = [_fault(source, one, two) for source, one, two in zip(sources, found, expected, strict=True)]
    assert not list(filter(None, faults))


def _fault(source: Source, found: np.ndarray, expected: np.ndarray) -> str:
    """Return what is wrong with the records of a model; nothing if they agree."""
    x, y = found.view(float), expected.view(float)
    if np.any(y[:, 0] != 0.0):
        return f"{source.function}: status {y[:, 0]} on this processor"
    if source.function in LIBRARY:
        places = [1 + int(place) for place in PLACE.findall(source.header)]
        close = np.isclose(x[:, places], y[:, places], rtol=1e-9, atol=1e-9)
        return "" if close.all() else f"{source.function}: {np.sum(~close)} variables"
    wrong = np.argwhere((found != expected) & ~(np.isnan(x) & np.isnan(y)))
    if not len(wrong):
        return ""
    row, place = wrong[0]
    return f"{source.function}: {len(wrong)} numbers, the first at {place - 1}: {x[row, place]!r}, {y[row, place]!r}"
