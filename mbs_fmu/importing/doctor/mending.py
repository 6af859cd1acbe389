"""Files with other inertias of some links, otherwise equal byte for byte."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import numpy as np

from ...infrastructure.disk.files import replacing
from ...infrastructure.errors import Argument, ArgumentError
from ..document import Document, Element
from ..parts import LinkData
from ..sdf_scopes import raw_pose
from ..shapes import placement

PLACES = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2), "izz": (2, 2)}
START = re.compile(rb"""<[\w:.-]+(?:\s+[\w:.-]+\s*=\s*(?:"[^"]*"|'[^']*'))*\s*/?>""")
Edit = tuple[int, int, bytes]  #: begin and end of bytes of the file, and what replaces them


def check_target(document: Document, target: Path) -> None:
    """Raise ArgumentError if a mended file can't be written there, or not in this format."""
    if document.root.tag not in EDITS:
        raise ArgumentError(Argument("mend"), " writes URDF and SDFormat files only: leave it out")
    if target.exists() and os.path.samefile(target, document.path):
        raise ArgumentError(Argument("mend"), f" is {str(target)!r}, the checked file itself: give another name")


def write_mended(
    document: Document, links: Mapping[str, LinkData], inertias: Mapping[str, np.ndarray | None], target: Path
) -> list[str]:  # fmt: skip
    """Write the file with other inertias of links (kg m2, (3, 3), link axes); return the links that have them.

    Links are left out whose inertia is None, or is not in the file itself.
    """
    data, edits, names = document.path.read_bytes(), list[Edit](), []
    for name, tensor in inertias.items():
        element = links[name].element
        if tensor is None or element is None or element.path != document.path:
            continue
        found = EDITS[document.root.tag](document, data, element, tensor)
        if found is not None:
            edits += found
            names.append(name)
    for begin, end, text in sorted(edits, reverse=True):
        data = data[:begin] + text + data[end:]
    with replacing(target) as beside:
        beside.write_bytes(data)
    return names


def _texts(tensor: np.ndarray) -> dict[str, bytes]:
    """Return the entries of an inertia as texts."""
    least = 1e-9 * float(np.abs(tensor).max())
    return {
        name: b"0" if abs(tensor[place]) < least else f"{tensor[place]:.9g}".encode() for name, place in PLACES.items()
    }


def _tag(data: bytes, element: Element) -> tuple[int, bytes] | None:
    """Return place and text of an element's first tag; None in encodings that do not contain ASCII."""
    match = START.match(data, element.offset)
    if match is None or not match[0].startswith(b"<" + element.tag.encode()):
        return None
    return match.start(), match[0]


def _urdf_edits(document: Document, data: bytes, link: Element, tensor: np.ndarray) -> list[Edit] | None:
    """Return edits of the attributes of <inertia>; None if they are not found."""
    inertial = link.all("inertial")[0]
    _, R = placement(document, inertial)
    tag = _tag(data, inertial.all("inertia")[0])
    return None if tag is None else list(_attribute_edits(*tag, _texts(R.T @ tensor @ R)))


def _attribute_edits(begin: int, tag: bytes, texts: Mapping[str, bytes]) -> Iterator[Edit]:
    for name, text in texts.items():
        match = re.search(rb"""\s%s\s*=\s*(?:"([^"]*)"|'([^']*)')""" % name.encode(), tag)
        assert match is not None  # the reader has read it
        group = 1 if match[1] is not None else 2
        yield begin + match.start(group), begin + match.end(group), text


def _sdf_edits(document: Document, data: bytes, link: Element, tensor: np.ndarray) -> list[Edit] | None:
    """Return edits of the children of <inertia>, those that are missing included; None if it is not there."""
    inertial = next(iter(link.all("inertial")), None)
    inertia = None if inertial is None else next(iter(inertial.all("inertia")), None)
    if inertial is None or inertia is None:
        return None
    R = raw_pose(document, next(iter(inertial.all("pose")), None))[:3, :3]
    edits = []
    for name, text in _texts(R.T @ tensor @ R).items():
        child = next(iter(inertia.all(name)), inertia)
        tag = _tag(data, child)
        if tag is None:
            return None
        begin = tag[0] + len(tag[1])
        match = re.compile(rb"[^<]*(?=</)").match(data, begin)
        if child is inertia:
            edits.append((begin, begin, b"<%s>%s</%s>" % (name.encode(), text, name.encode())))
        elif match is None:  # a comment in the element
            return None
        else:
            edits.append((begin, match.end(), text))
    return edits


EDITS: dict[str, Callable[[Document, bytes, Element, np.ndarray], list[Edit] | None]] = {
    "robot": _urdf_edits, "sdf": _sdf_edits,
}  # fmt: skip
