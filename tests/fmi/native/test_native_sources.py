"""The C sources of native FMUs: include order, lengths of files and functions, and the choice of machine code."""

from __future__ import annotations

import ctypes
import graphlib
import re
from importlib import resources
from pathlib import Path

import pytest

import mbs_fmu.fmi.native
from mbs_fmu.fmi.native.linking import COMPONENT_SOURCE, SOURCES
from support.c_programs import compiled

FOLDER = resources.files(mbs_fmu.fmi.native) / "c"
TEXTS = {place.name: place.read_text(encoding="utf-8") for place in FOLDER.iterdir()}


def included() -> dict[str, set[str]]:
    """For each source file (without suffix) the files of the folder that it or its own header includes."""
    includes: dict[str, set[str]] = {}
    for name, text in TEXTS.items():
        stem = name.partition(".")[0]
        others = {other for other in re.findall(r'#include "(\w+)\.h"', text) if f"{other}.h" in TEXTS}
        includes.setdefault(stem, set()).update(others - {stem})
    return includes


def functions(text: str) -> list[tuple[str, int]]:
    """HeadNumbers and number of lines of every function, except macros and one-line functions."""
    heads, head = [], ("", 0)
    for number, line in enumerate(text.splitlines()):
        if line == "}":
            heads.append((head[0], number - head[1] + 1))
        elif line and line[0] not in " #}":
            head = line, number
    return heads


@pytest.mark.quick
def test_sources_include_one_way() -> None:
    """No file includes, through others, a file that includes it. C99 compilers reject undeclared calls, so calls go one
    way too.
    """
    order = list(graphlib.TopologicalSorter(included()).static_order())
    assert order.index("instance") < order.index("loops") < order.index("core") < order.index("calls")
    for version in ("fmi2", "fmi3"):
        assert order.index("calls") < order.index(version)
        assert all(version not in files for files in included().values())


@pytest.mark.quick
def test_every_file_is_compiled_and_has_a_header() -> None:
    """Each compiled source declares its functions in a header."""
    sources = {name.removesuffix(".c") for name in TEXTS if name.endswith(".c")}
    assert sources == {*SOURCES, COMPONENT_SOURCE, "fmi2", "fmi3"}
    assert all(f"{name}.h" in TEXTS for name in SOURCES)


@pytest.mark.quick
def test_files_and_functions_are_short() -> None:
    """Files have at most 500 lines, functions at most 50."""
    for name, text in TEXTS.items():
        assert text.count("\n") <= 500, name
        assert [head for head, lines in functions(text) if lines > 50] == [], name
    assert len(functions(TEXTS["core.c"])) > 10


#: Bits of x86-64-v3 beyond x86-64 with AVX, by the leaf of CPUID: register and number of each, from the manuals.
FEATURES = {
    1: {"FMA": ("c", 12), "MOVBE": ("c", 22), "OSXSAVE": ("c", 27), "AVX": ("c", 28), "F16C": ("c", 29)},
    7: {"BMI": ("b", 3), "AVX2": ("b", 5), "BMI2": ("b", 8)},
    0x80000001: {"LZCNT": ("c", 5)},
}
PROCESSOR = """
static unsigned leaves[3][3]; /* leaf, b, c */
static unsigned saved;
static int __get_cpuid_count(unsigned leaf, unsigned part, unsigned *a, unsigned *b, unsigned *c, unsigned *d) {
    int k = 0;
    while (k < 3 && leaves[k][0] != leaf) k++;
    if (k == 3) return 0;
    *a = *d = part, *b = leaves[k][1], *c = leaves[k][2];
    return 1;
}
#define __asm__(...) (low = high = saved) /* the instruction that asks which registers the system saves */
"""
PROGRAM = """
#include "processor.h"
int choice(const unsigned *given, unsigned registers) {
    for (int k = 0; k < 9; k++) leaves[k / 3][k % 3] = given[k];
    saved = registers;
    return runs_v3();
}
"""


@pytest.mark.quick
def test_code_for_new_processors_runs_where_no_feature_is_missing(tmp_path: Path) -> None:
    """On processors described by their features: all of them are needed, and a system that saves their registers."""
    named = {(leaf, name): place for leaf, names in FEATURES.items() for name, place in names.items()}
    defined = "".join(f"#define bit_{name} (1u << {bit})\n" for (_, name), (_, bit) in named.items())
    (tmp_path / "cpuid.h").write_text(PROCESSOR + defined, encoding="utf-8")
    with resources.as_file(FOLDER) as folder:
        options = ["-DHAVE_V3", "-O1", "-isystem", str(tmp_path), "-I", str(folder)]
        choice = compiled(PROGRAM, tmp_path, options).choice

    def runs(missing: object = None, registers: int = 7, leaf: int = 0) -> bool:
        numbers = []
        for own, names in FEATURES.items():
            bits = {"b": 0, "c": 0}
            for name, (register, bit) in names.items():
                bits[register] |= (name != missing) << bit
            numbers += [0 if own == leaf else own, bits["b"], bits["c"]]
        return bool(choice((ctypes.c_uint * 9)(*numbers), ctypes.c_uint(registers)))

    assert runs()
    assert [name for _, name in named if runs(missing=name)] == []
    assert [leaf for leaf in FEATURES if runs(leaf=leaf)] == []
    assert [registers for registers in range(8) if runs(registers=registers)] == [6, 7]
