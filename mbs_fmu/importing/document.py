"""XML files whose elements have line numbers, checked numbers in them, and notes on content that is omitted."""

from __future__ import annotations

import contextlib
import logging
import math
from collections import deque
from collections.abc import Collection, Iterator, Mapping
from dataclasses import field
from os import PathLike
from pathlib import Path
from typing import NoReturn
from xml.parsers import expat

import numpy as np

from ..infrastructure.errors import ModelError
from ..infrastructure.lazy_dataclasses import dataclass
from ..infrastructure.messages.failures import display

log = logging.getLogger("mbs_fmu")

#: Limits of the files of one robot; a file beyond them would occupy the machine and describes no robot.
MAX_BYTES, MAX_DEPTH, MAX_ELEMENTS = 64_000_000, 200, 100_000
Packages = Mapping[str, str | PathLike[str]] | None  #: folders of package://NAME/..., by name
TRUTHS = {"true": True, "1": True, "false": False, "0": False}


class FileError(ModelError):
    """A file is invalid. file, line: where; the line is None for the whole file. reason: the message without both."""

    def __init__(self, *parts: str, file: str = "", line: int | None = None, reason: str = ""):
        super().__init__(*parts)
        self.file, self.line, self.reason = file, line, reason

    @classmethod
    def at(cls, file: str, line: int | None, reason: str) -> FileError:
        """Return the error with its message, "file:line: reason"."""
        place = file if line is None else f"{file}:{line}"
        return cls(f"{place}: {reason}", file=file, line=line, reason=reason)


@dataclass(eq=False, slots=True)
class Element:
    """An XML element with its file, and the number of its first line. offset: bytes of the file before its tag."""

    tag: str
    attributes: dict[str, str]
    line: int
    path: Path
    offset: int = 0
    children: list[Element] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)  #: of its text

    @property
    def text(self) -> str:
        """Text between its tags, without spaces at both ends."""
        return "".join(self.pieces).strip()

    def get(self, attribute: str, default: str = "") -> str:
        """Text of an attribute, or the default if it is missing."""
        return self.attributes.get(attribute, default)

    def all(self, tag: str) -> list[Element]:
        """Child elements with this tag."""
        return [child for child in self.children if child.tag == tag]


class Document:
    """The elements of an XML file, and notes on content that is omitted.

    faults: list that gets the errors of single elements, which are then left out; by default such an error is raised.
    Raises ModelError if the file can't be read, is not XML or declares entities.
    """

    def __init__(self, path: Path, faults: list[ModelError] | None = None):
        self.path = path
        self.faults = faults
        self.notes: list[str] = []
        self._noted: set[str] = set()
        self._count = 0
        self._sizes: dict[int, int] = {}  #: numbers of elements, by the identity of the root
        self.root = self.load(path)

    def load(self, path: Path) -> Element:
        """Return the root element of a file. Raises ModelError."""
        root, count = _parsed(path, MAX_ELEMENTS)
        self._sizes[id(root)] = count
        return root

    def count(self, root: Element) -> None:
        """Count the elements of a loaded file, each time that it is included. Raises ModelError for too many."""
        self._count += self._sizes[id(root)]
        if self._count > MAX_ELEMENTS:
            self.fail(None, f"it has more than {MAX_ELEMENTS} elements, with the files that it includes")

    def fail(self, element: Element | None, text: str) -> NoReturn:
        """Raise FileError with the file's name and the element's line."""
        raise self.error(element, text)

    def error(self, element: Element | None, text: str) -> FileError:
        """Return an error with the file's name and the element's line."""
        return (
            FileError.at(self.path.name, None, text)
            if element is None
            else FileError.at(element.path.name, element.line, text)
        )

    @contextlib.contextmanager
    def at(self, element: Element | None, thing: str) -> Iterator[None]:
        """Add the element's line and the name of a thing to each ModelError raised within this context."""
        try:
            yield
        except ModelError as error:
            raise self.error(element, f"{thing}: {error}") from None

    @contextlib.contextmanager
    def attempt(self) -> Iterator[None]:
        """Add each ModelError raised within this context to the list of faults, if there is one."""
        try:
            yield
        except ModelError as error:
            if self.faults is None:
                raise
            self.faults.append(error)

    def note(self, text: str) -> None:
        """Add a note unless it is present already."""
        if text not in self._noted:
            self._noted.add(text)
            self.notes.append(text)

    def log_notes(self) -> None:
        """Log all notes."""
        for note in self.notes:
            log.info("%s: %s", self.path.name, note)

    # -- elements ------------------------------------------------------------------------------------
    def one(self, parent: Element, tag: str) -> Element | None:
        """Return the first child with this tag, or None. Further ones are noted."""
        children = parent.all(tag)
        if len(children) > 1:
            self.note(f"line {children[1].line}: a second <{tag}> in one <{parent.tag}> is left out")
        return children[0] if children else None

    def named(self, tag: str) -> dict[str, Element]:
        """Return the root's children with this tag, by name. Raises ModelError for missing and duplicate names."""
        elements: dict[str, Element] = {}
        for element in self.root.all(tag):
            with self.attempt():
                name = element.get("name")
                if not name:
                    self.fail(element, f"this <{tag}> has no name")
                if name in elements:
                    self.fail(element, f"{tag} {name!r} is there twice, first on line {elements[name].line}")
                elements[name] = element
        return elements

    def note_unknown(
        self, known: Mapping[str, Collection[str]], silent: Collection[str], *roots: Element
    ) -> None:  # fmt: skip
        """Add a note for each tag that is neither `known` as a child of its parent's tag nor in `silent`.

        roots: the elements to search, by default the root of the file.
        """
        lines: dict[tuple[str, str], list[int]] = {}
        pending = deque(roots or [self.root])
        while pending:
            element = pending.popleft()
            for child in element.children:
                if child.tag in known.get(element.tag, ()):
                    pending += [child] if child.tag in known else []
                elif child.tag not in silent:
                    lines.setdefault((child.tag, element.tag), []).append(child.line)
        for (tag, outer), where in lines.items():
            times = f", {len(where)} times in all" if len(where) > 1 else ""
            self.note(f"<{tag}> in <{outer}> (line {where[0]}{times}) is not understood: left out")

    # -- texts ---------------------------------------------------------------------------------------
    def text(self, parent: Element | None, tag: str, default: str = "") -> str:
        """Return the text of the first child with this tag, or the default if there is none."""
        child = None if parent is None else self.one(parent, tag)
        return default if child is None else child.text

    def truth(self, parent: Element, tag: str, default: bool = False) -> bool:
        """Return the text of a child as true or false. Raises ModelError for any other text."""
        child = self.one(parent, tag)
        if child is None:
            return default
        value = TRUTHS.get(child.text.lower())
        if value is None:
            self.fail(child, f"<{tag}> is {display(child.text)}: give true or false")
        return value

    def value(self, parent: Element | None, tag: str, default: float) -> float:
        """Return the text of a child as a number, which may be infinite; the default if there is none."""
        child = None if parent is None else self.one(parent, tag)
        if child is None:
            return default
        try:
            value = float(child.text)
        except ValueError:
            value = math.nan
        if math.isnan(value):
            self.fail(child, f"<{tag}> is {display(child.text)}: give a number")
        return value

    def values(self, element: Element, count: int) -> np.ndarray:
        """Return finite numbers of an element's text. Raises ModelError unless there are exactly `count` of them."""
        values = _numbers(element.text)
        if values is None or len(values) != count:
            self.fail(element, f"<{element.tag}> is {display(element.text)}: give {_count(count)}")
        return np.array(values)

    # -- numbers -------------------------------------------------------------------------------------
    def numbers(self, element: Element | None, attribute: str, count: int, default: str | None = None) -> np.ndarray:
        """Return finite numbers of an attribute, or of `default` if the attribute or the element is missing.

        Raises ModelError unless there are exactly `count` of them.
        """
        text = default if element is None else element.attributes.get(attribute, default)
        values = _numbers(text or "")
        if values is None or len(values) != count:
            self.fail(element, _no_numbers(element, attribute, count, text))
        return np.array(values)

    def number(self, element: Element | None, attribute: str, default: str | None = None) -> float:
        """Return one finite number; see `numbers`."""
        return float(self.numbers(element, attribute, 1, default)[0])


def _numbers(text: str) -> list[float] | None:
    """Return the finite numbers of a text; None if it contains anything else."""
    try:
        values = [float(word) for word in text.split()]
    except ValueError:
        return None
    return values if all(map(math.isfinite, values)) else None


def _no_numbers(element: Element | None, attribute: str, count: int, text: str | None) -> str:
    """Return the message for an attribute that does not have `count` finite numbers."""
    many = _count(count)
    tag = "?" if element is None else element.tag
    if text is None:
        return f"<{tag}> has no attribute {attribute!r}: give {many}"
    macro = "; it is a macro: expand it first (xacro robot.xacro > robot.urdf)" if "$" in text else ""
    return f"{attribute} of <{tag}> is {display(text)}: give {many}{macro}"


def _count(count: int) -> str:
    return "1 finite number" if count == 1 else f"{count} finite numbers"


def _parsed(path: Path, most: int) -> tuple[Element, int]:
    """Return the root element and the number of elements, at most `most`.

    Raises ModelError, also for files beyond the limits; entities are refused, since they can expand without bound.
    """
    parser = expat.ParserCreate()
    parser.buffer_text = True
    open_elements = [Element("", {}, 0, path)]
    count = 0

    def refuse(reason: str) -> NoReturn:
        raise FileError.at(path.name, parser.CurrentLineNumber, reason)

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal count
        count += 1
        element = Element(tag, attributes, parser.CurrentLineNumber, path, parser.CurrentByteIndex)
        open_elements[-1].children.append(element)
        open_elements.append(element)
        if count > most:
            refuse(f"it has more than {most} elements: this is no robot")
        if len(open_elements) > MAX_DEPTH:
            refuse(f"its elements are nested more than {MAX_DEPTH - 1} deep: this is no robot")

    def end(tag: str) -> None:
        open_elements.pop()

    def entity(name: str, *_: object) -> None:
        refuse(f"it declares the entity {name!r}: write it out")

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.EntityDeclHandler = entity
    parser.CharacterDataHandler = lambda text: open_elements[-1].pieces.append(text)
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            limit = MAX_BYTES // 1_000_000
            raise FileError.at(path.name, None, f"the file is larger than {limit} MB: this is no robot")
        parser.Parse(content, True)
    except expat.ExpatError as error:
        reason = f"this is no XML: {expat.ErrorString(error.code)}"
        raise FileError.at(path.name, error.lineno, reason) from None
    except OSError as error:
        raise ModelError(f"{path}: {error.strerror or error}") from None
    return open_elements[0].children[0], count
