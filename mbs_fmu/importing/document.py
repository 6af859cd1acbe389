"""A file of XML elements that know their lines; numbers in it, checked; what is left out of it, noted."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn
from xml.parsers import expat

import numpy as np

from ..errors import ModelError
from ..messages.failures import display


@dataclass(frozen=True, eq=False)
class Element:
    """An element, and the line on which it begins."""

    tag: str
    attributes: dict[str, str]
    line: int
    children: list[Element] = field(default_factory=list)

    def get(self, attribute: str, default: str = "") -> str:
        """An attribute's text."""
        return self.attributes.get(attribute, default)

    def all(self, tag: str) -> list[Element]:
        """The elements of this tag in it."""
        return [child for child in self.children if child.tag == tag]


class Document:
    """The elements of a file, and notes of what is not taken from it.

    Raises ModelError where the file can't be read, is no XML or declares entities.
    """

    def __init__(self, path: Path):
        self.path = path
        self.notes: list[str] = []
        self.root = _parsed(path)

    def fail(self, element: Element | None, text: str) -> NoReturn:
        """ModelError with the file's name and the element's line."""
        raise ModelError(f"{self.place(element)}: {text}")

    def place(self, element: Element | None) -> str:
        """File and line."""
        return self.path.name if element is None else f"{self.path.name}:{element.line}"

    @contextlib.contextmanager
    def at(self, element: Element | None, thing: str) -> Iterator[None]:
        """What goes wrong meanwhile is told with the element's line."""
        try:
            yield
        except ModelError as error:
            raise ModelError(f"{self.place(element)}: {thing}: {error}") from None

    def note(self, text: str) -> None:
        """Keep a note, once."""
        if text not in self.notes:
            self.notes.append(text)

    # -- elements ------------------------------------------------------------------------------------
    def one(self, parent: Element, tag: str) -> Element | None:
        """The first element of this tag in another; a note where there are more."""
        found = parent.all(tag)
        if len(found) > 1:
            self.note(f"line {found[1].line}: a second <{tag}> in one <{parent.tag}> is left out")
        return found[0] if found else None

    def named(self, tag: str) -> dict[str, Element]:
        """The elements of this tag in the outer one, by name. ModelError where a name is missing or there twice."""
        found: dict[str, Element] = {}
        for element in self.root.all(tag):
            name = element.get("name")
            if not name:
                self.fail(element, f"this <{tag}> has no name")
            if name in found:
                self.fail(element, f"{tag} {name!r} is there twice, first on line {found[name].line}")
            found[name] = element
        return found

    def note_unknown(self, known: Mapping[str, Collection[str]], silent: Collection[str]) -> None:
        """A note for each tag that is not `known` inside the one around it, nor passed over in silence."""
        lines: dict[tuple[str, str], list[int]] = {}
        pending = [self.root]
        while pending:
            element = pending.pop(0)
            for child in element.children:
                if child.tag in known.get(element.tag, ()):
                    pending += [child] if child.tag in known else []
                elif child.tag not in silent:
                    lines.setdefault((child.tag, element.tag), []).append(child.line)
        for (tag, outer), where in lines.items():
            times = f", {len(where)} times in all" if len(where) > 1 else ""
            self.note(f"<{tag}> in <{outer}> (line {where[0]}{times}) is not understood: left out")

    # -- numbers -------------------------------------------------------------------------------------
    def numbers(self, element: Element | None, attribute: str, count: int, default: str | None = None) -> np.ndarray:
        """Finite numbers of an attribute; of a missing one, or of no element, those of `default`, if there is one."""
        text = default if element is None else element.attributes.get(attribute, default)
        values = _numbers(text or "")
        if values is None or len(values) != count:
            self.fail(element, _no_numbers(element, attribute, count, text))
        return np.array(values)

    def number(self, element: Element | None, attribute: str, default: str | None = None) -> float:
        """One finite number, see `numbers`."""
        return float(self.numbers(element, attribute, 1, default)[0])


def _numbers(text: str) -> list[float] | None:
    """The finite numbers of a text; None where something else is in it."""
    try:
        values = [float(word) for word in text.split()]
    except ValueError:
        return None
    return values if all(map(math.isfinite, values)) else None


def _no_numbers(element: Element | None, attribute: str, count: int, text: str | None) -> str:
    """What is said where an attribute has not so many finite numbers."""
    many = "1 finite number" if count == 1 else f"{count} finite numbers"
    tag = "?" if element is None else element.tag
    if text is None:
        return f"<{tag}> has no attribute {attribute!r}: give {many}"
    macro = "; it is a macro: expand it first (xacro robot.xacro > robot.urdf)" if "$" in text else ""
    return f"{attribute} of <{tag}> is {display(text)}: give {many}{macro}"


def _parsed(path: Path) -> Element:
    """The outer element. Entities are refused: they may grow without bound, or name other files."""
    parser = expat.ParserCreate()
    around = [Element("", {}, 0)]

    def start(tag: str, attributes: dict[str, str]) -> None:
        element = Element(tag, attributes, parser.CurrentLineNumber)
        around[-1].children.append(element)
        around.append(element)

    def end(tag: str) -> None:
        around.pop()

    def entity(name: str, *_: object) -> None:
        raise ModelError(f"{path.name}:{parser.CurrentLineNumber}: it declares the entity {name!r}: write it out")

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.EntityDeclHandler = entity
    try:
        with path.open("rb") as file:
            parser.ParseFile(file)
    except expat.ExpatError as error:
        raise ModelError(f"{path.name}:{error.lineno}: this is no XML: {expat.ErrorString(error.code)}") from None
    except OSError as error:
        raise ModelError(f"{path}: {error.strerror or error}") from None
    return around[0].children[0]
