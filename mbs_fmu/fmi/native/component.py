"""WebAssembly components of FMUs, by the draft of FMI-LS-WASM of 8 July 2026 (modelica/fmi-ls-wasm, commit c1aac17).

A component is a core module between the recorded parts of another component: the parts describe the draft's interfaces
and are the same for all models. The recorded component, wasm/component.wasm, has an empty module in that place;
wasm/record.mjs makes it from the draft's interfaces (wasm/fmi3.wit) and the module of any model.
"""

from __future__ import annotations

from importlib import resources
from xml.etree import ElementTree as ET

from ..description.description import to_text

FOLDER = "extra/org.modelica.fmi-ls-wasm"
MANIFEST = {
    "xmlns:fmi-ls": "http://fmi-standard.org/fmi-ls-manifest",
    "fmi-ls:fmi-ls-name": "org.modelica.fmi-ls-wasm",
    "fmi-ls:fmi-ls-version": "0.1.0",
    "fmi-ls:fmi-ls-description": "FMI Layered Standard for WebAssembly",
}
HEADER = 8  #: bytes of a component or module before its first section
CORE_MODULE = 1  #: kind of a section
EMPTY_MODULE = b"\0asm\1\0\0\0"


def component(module: bytes) -> bytes:
    """Return the component of an FMU's core module, which contains the functions of c/wasm.c."""
    return with_module(resources.files(__package__).joinpath("wasm", "component.wasm").read_bytes(), module)


def with_module(component: bytes, module: bytes) -> bytes:
    """Return a component with another module in the place of its first one. Raises ValueError without a module."""
    start = HEADER
    while start < len(component):
        size, content = _number(component, start + 1)
        if component[start] == CORE_MODULE:
            return component[: start + 1] + _written(len(module)) + module + component[content + size :]
        start = content + size
    raise ValueError("the component has no core module")


def manifest() -> dict[str, bytes]:
    """Return the manifest of the layered standard, by its path in the FMU."""
    return {f"{FOLDER}/manifest.xml": to_text(ET.Element("fmi-ls:fmiLayeredStandardManifest", MANIFEST)).encode()}


def _number(code: bytes, place: int) -> tuple[int, int]:
    """Return a number in unsigned LEB128 and the place behind it."""
    number = shift = 0
    while True:
        byte = code[place]
        number |= (byte & 127) << shift
        place, shift = place + 1, shift + 7
        if byte < 128:
            return number, place


def _written(number: int) -> bytes:
    """Return a number in unsigned LEB128."""
    code = b""
    while number > 127:
        code, number = code + bytes([number & 127 | 128]), number >> 7
    return code + bytes([number])
