"""Sources of a native FMU: the model as C99 for importers that compile it for their own processor.

An importer compiles one file, NAME.c, which includes the others: the mechanism (NAME_kernels.c), its tables and
messages (NAME_model.h), and the functions of FMI (fmi_layer.c), which are the C sources of the binaries in one file. In
it all functions but those of FMI are static, so that nothing else is visible in the importer's program.
"""

from __future__ import annotations

import re
import textwrap
from importlib import resources
from xml.etree import ElementTree as ET

from ...codegen.c.kernels import c_kernels, entry_points
from ...codegen.c.text import comment
from ...infrastructure.progress import done, expect
from ...record.program import Program
from ..description.description import to_text
from ..experiment import Experiment
from .linking import SOURCES
from .source import model_header

#: Headers of the layer, each behind those that it includes.
HEADERS = ("tables", "processor", "instance", "loops", "events", "core", "exchange", "saved", "tangents", "calls")
INCLUDED = re.compile(r'^#include "(?!fmi)(\w+)\.h"\n', re.MULTILINE)
DEFINED = re.compile(r"^#define (\w+)", re.MULTILINE)
NAME = re.compile(r"\b[A-Z]\w*")
MEGABYTE = 7.0  #: expected time to write the C text of 1 MB of kernels, s

MAIN = """/* {name}: an FMU of FMI {fmi}. This is the only file to compile.
 *
 * It needs the standard's header fmi{version}Functions.h and the mathematics library. All functions but those of FMI
 * are static. Programs that link several FMUs statically define FMI{version}_FUNCTION_PREFIX.
 *
 * {cost} */
#include "{name}_kernels.c" /* the mechanism */
#define LOCAL static inline
#include "fmi_layer.c" /* the functions of FMI; includes {name}_model.h */
"""


def native_sources(program: Program, experiment: Experiment, fmi: str, token: str, cost: str) -> dict[str, bytes]:
    """Return the source files by their paths in the archive; `cost` is that of a communication step, as sentences.

    Raises ModelError for kernels without a form in C.
    """
    expect("sources", MEGABYTE * 1e-6 * len(program.text))
    name = program.name
    header = model_header(program, experiment, token, fmi)
    layer = fmi_layer(name, fmi)
    kernels = c_kernels(
        program, entry_points(program, experiment.control.advance), reserved=_defined_later(header + layer)
    )
    about = textwrap.wrap(comment(f"Operations of a communication step: {cost}"), 106)
    texts = {
        "buildDescription.xml": build_description(name),
        f"{name}.c": MAIN.format(name=name, fmi=fmi, version=fmi[0], cost="\n * ".join(about)),
        f"{name}_kernels.c": kernels,
        f"{name}_model.h": header,
        "fmi_layer.c": layer,
    }
    done("sources")
    return {f"sources/{file}": text.encode() for file, text in texts.items()}


def fmi_layer(name: str, fmi: str) -> str:
    """Return the C sources of the binaries as one file, with the header of the model that it includes."""
    folder = resources.files(__package__) / "c"
    files = [*(f"{header}.h" for header in HEADERS), *(f"{source}.c" for source in (*SOURCES, f"fmi{fmi[0]}"))]
    parts = [(folder / file).read_text(encoding="utf-8") for file in files]
    model = f'#include "{name}_model.h"\n'
    return INCLUDED.sub(lambda found: model if found[1] == "model" else "", "\n".join(parts))


def build_description(name: str) -> str:
    """Return buildDescription.xml, which has this form in FMI 3.0, for both versions."""
    root = ET.Element("fmiBuildDescription", fmiVersion="3.0")
    configuration = ET.SubElement(root, "BuildConfiguration", modelIdentifier=name)
    files = ET.SubElement(configuration, "SourceFileSet", language="C99")
    ET.SubElement(files, "SourceFile", name=f"{name}.c")
    return to_text(root)


def _defined_later(text: str) -> set[str]:
    """Return the names of constants that a text defines, except macros: those may repeat an enumerator."""
    return set(NAME.findall(text)) - set(DEFINED.findall(text))
