"""The C sources of native FMUs: who includes whom, and how long files and functions are."""

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
    """For each source file without its ending what it includes of the folder, itself and through its own header."""
    found: dict[str, set[str]] = {}
    for name, text in TEXTS.items():
        stem = name.partition(".")[0]
        others = {other for other in re.findall(r'#include "(\w+)\.h"', text) if f"{other}.h" in TEXTS}
        found.setdefault(stem, set()).update(others - {stem})
    return found


def functions(text: str) -> list[tuple[str, int]]:
    """Head and number of lines of every function, those of macros and of one line aside."""
    found, head = [], ("", 0)
    for number, line in enumerate(text.splitlines()):
        if line == "}":
            found.append((head[0], number - head[1] + 1))
        elif line and line[0] not in " #}":
            head = line, number
    return found


@pytest.mark.quick
def test_sources_include_one_way() -> None:
    """No file includes, through others, what includes it. A C99 compiler takes no call of what is not declared, so
    calls go that way too."""
    order = list(graphlib.TopologicalSorter(included()).static_order())
    assert order.index("instance") < order.index("loops") < order.index("core") < order.index("calls")
    for version in ("fmi2", "fmi3"):
        assert order.index("calls") < order.index(version)
        assert all(version not in files for files in included().values())


@pytest.mark.quick
def test_every_file_is_compiled_and_has_a_header() -> None:
    """Each source that is compiled says in a header what it offers."""
    sources = {name.removesuffix(".c") for name in TEXTS if name.endswith(".c")}
    assert sources == {*SOURCES, "fmi2", "fmi3"}
    assert all(f"{name}.h" in TEXTS for name in SOURCES)


@pytest.mark.quick
def test_files_and_functions_are_short() -> None:
    """500 lines a file, 50 lines a function."""
    for name, text in TEXTS.items():
        assert text.count("\n") <= 500, name
        assert [head for head, lines in functions(text) if lines > 50] == [], name
    assert len(functions(TEXTS["core.c"])) > 10
