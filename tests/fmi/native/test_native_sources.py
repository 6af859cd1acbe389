"""The C sources of native FMUs: include order, and lengths of files and functions."""

from __future__ import annotations

import graphlib
import re
from importlib import resources

import pytest

import mbs_fmu.fmi.native
from mbs_fmu.fmi.native.linking import SOURCES

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
    assert sources == {*SOURCES, "fmi2", "fmi3"}
    assert all(f"{name}.h" in TEXTS for name in SOURCES)


@pytest.mark.quick
def test_files_and_functions_are_short() -> None:
    """Files have at most 500 lines, functions at most 50."""
    for name, text in TEXTS.items():
        assert text.count("\n") <= 500, name
        assert [head for head, lines in functions(text) if lines > 50] == [], name
    assert len(functions(TEXTS["core.c"])) > 10
