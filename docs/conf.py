"""Settings of the documentation site: `sphinx-build -W -b html docs site`, with the extra `docs`."""

from __future__ import annotations

import importlib.util
import inspect
import os
import re
import runpy
import sys
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

project = "mbs_fmu"
version = release = installed_version("mbs-fmu")
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.mathjax",
    "sphinxcontrib.mermaid",
    "sphinx_copybutton",
]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"mbs_fmu {version}"
myst_heading_anchors = 4
myst_enable_extensions = ["dollarmath", "deflist"]
myst_fence_as_directive = ["mermaid"]
suppress_warnings = ["myst.header"]  # pages of the API begin with directives
autodoc_mock_imports = ["gymnasium"]
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
python_maximum_signature_line_length = 100

NAMES = re.compile(r"(?:^|(?<=\. )|(?<=\n))(\w+(?:, \w+)*): ")  #: the names of arguments, before what they are
RAISES = re.compile(r"(?:^|(?<=\. ))(Raises? .+)$", re.DOTALL)


def as_rst(text: str) -> str:
    """Text of a docstring in reStructuredText: code between single backticks, bars that are no substitutions."""
    text = re.sub(r"(?<!`)`([^`]+)`(?!`)", r"``\1``\\ ", text)
    return re.sub(r"(``.*?``)|\|", lambda m: m[1] or r"\|", text)


def fields_of(text: str, arguments: set[str]) -> list[str]:
    """The lines of a paragraph: prose, then a field for each argument that it explains, then what is raised."""
    raised = RAISES.search(text)
    text, after = (text[: raised.start()], raised[1]) if raised else (text, "")
    parts = NAMES.split(text)
    lines, fields = [parts[0].strip()], []
    for names, meaning in zip(parts[1::2], parts[2::2], strict=True):
        if set(names.split(", ")) <= arguments:
            fields += [f":param {name}: {meaning.strip()}" for name in names.split(", ")]
        elif fields:
            fields[-1] += f" {names}: {meaning.strip()}"
        else:
            lines[-1] += f" {names}: {meaning.strip()}"
    if after:
        fields.append(f":raises: {after.removeprefix('Raises ').strip()}")
    return [*(line for line in lines if line), "", *fields, ""]


def with_fields(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Turn "name: meaning" of the docstrings into the fields that the site shows as a list."""
    try:
        arguments = set(inspect.signature(thing).parameters) if callable(thing) else set()
    except (TypeError, ValueError):
        arguments = set()
    paragraphs = re.split(r"\n\s*\n", "\n".join(lines))
    found: list[str] = []
    for paragraph in paragraphs:
        is_plain = not re.search(r"^(\s|>>>|[-*|.]|\d\.)", paragraph, re.MULTILINE)
        paragraph = as_rst(paragraph)
        found += fields_of(paragraph.replace("\n", " "), arguments) if is_plain else [*paragraph.split("\n"), ""]
    lines[:] = found


def with_live_models(app: Any, error: Exception | None) -> None:
    """Add live pages of all models to the site, if the compiler for them is installed."""
    if error is None and app.builder.name == "html" and importlib.util.find_spec("ziglang"):
        write = runpy.run_path(str(Path(__file__).parent / "live_models.py"))["write_gallery"]
        write(Path(app.outdir) / "live", os.environ.get("MBS_FMU_GALLERY", "").split())  # names; all by default


def setup(app: Any) -> None:
    """Register the hooks."""
    app.connect("autodoc-process-docstring", with_fields)
    app.connect("build-finished", with_live_models)
