"""Header of OpenCRG files: sections of lines KEY = value, definitions of channels, references to other files."""

from __future__ import annotations

import math
import re
from dataclasses import field
from pathlib import Path

from ....infrastructure.errors import ModelError
from ....infrastructure.lazy_dataclasses import dataclass
from ....infrastructure.messages.failures import display
from .keys import KEYS, NUMBER, ROAD, WITHOUT_VALUES

MOST_BYTES = 1 << 24  #: of a header
MARK = b"\xef\xbb\xbf"  #: with which editors begin files in UTF-8
DEPTH = 4  #: files that refer to each other
FORMS = ("LRFI", "LDFI", "KRBI", "KDBI")
LINE_CHANNELS = {"phi": "rad", "slope": "m/m", "banking": "m/m", "x": "m", "y": "m"}  #: units by name
ASSIGNMENT = re.compile(r"[A-Za-z_]+\s*=")
LONG_SECTION = re.compile(rf"long section (?:(?:at )?v ?= ?(?P<v>{NUMBER.pattern})|(?P<number>\d+))$")


@dataclass(frozen=True, eq=False)
class Entry:
    """Value of a key, and file and line for messages."""

    value: float
    where: str


@dataclass(frozen=True, eq=False)
class LongSection:
    """Column of heights. v: m, the value that the file states, or None; number: of the section, or None."""

    column: int
    v: float | None
    number: int | None
    where: str


@dataclass(eq=False)
class Header:
    """Contents of a header.

    path: of the file with the data. ended: True if data follow; offset, lines: byte and number of lines before them.
    form: LRFI, LDFI, KRBI or KDBI. channels: number of columns. columns: those of the reference line, by name.
    sections: those of heights. virtual: start and increment of u, m, of a virtual channel. values: of keys, by section
    and key; a section that the file lacks is absent. notes: data without effect.
    """

    path: str
    ended: bool = False
    offset: int = 0
    lines: int = 0
    form: str = "KRBI"
    channels: int = 0
    columns: dict[str, int] = field(default_factory=dict)
    sections: list[LongSection] = field(default_factory=list)
    virtual: tuple[float, float] | None = None
    values: dict[str, dict[str, Entry]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def entry(self, key: str, section: str = ROAD) -> Entry | None:
        """Return value and line of a key, or None."""
        return self.values.get(section, {}).get(key)

    def get(self, key: str, default: float, section: str = ROAD) -> float:
        """Return the value of a key, or the default."""
        entry = self.entry(key, section)
        return default if entry is None else entry.value


def read_header(path: str | Path, follow: bool = True) -> Header:
    """Return the header of a file; with `follow`, with the data of the file that section $ROAD_CRG_FILE names.

    Options and modifiers of a file replace those of files to which it refers.

    Raises ModelError, with the line number, for lines that cannot be parsed, for files that are not OpenCRG files, and
    for references to files that lie outside the file's folder, that do not exist, or that form a circle.
    """
    header = _read_file(path, follow, DEPTH)
    if not header.ended:
        raise ModelError(
            f"{header.path} is not an OpenCRG file, or its header is truncated: no line $$$$ separates header and data"
        )
    if not header.channels:
        raise ModelError(f"{header.path} has no channels: give lines D: in section $KD_DEFINITION")
    return header


def _read_file(path: str | Path, follow: bool, depth: int) -> Header:
    """Return the header of a file, joined with those to which it refers, at most through `depth` files."""
    try:
        with open(path, "rb") as file:
            raw = file.read(MOST_BYTES)
    except (OSError, TypeError, ValueError) as error:
        raise ModelError(f"road file {display(path)} can't be read: {error}") from None
    reading = _Reading(str(path))
    reading.read(raw)
    header, references = reading.header, reading.references
    if not references:
        return header
    where = f"{path}, line {references[0][1]}"
    if header.channels:
        raise ModelError(f"{where}: $ROAD_CRG_FILE in a file with channels: remove the section or the channels")
    if not follow:
        names = " ".join(name for name, _ in references)
        raise ModelError(f"{where}: the road refers to {names!r}: read that file, or give follow=True")
    if depth <= 1:
        raise ModelError(f"{where}: more than {DEPTH} files refer to each other: name the file with the data")
    return _joined(header, [_read_file(target, follow, depth - 1) for target in _referenced(Path(path), references)])


def _joined(own: Header, others: list[Header]) -> Header:
    """Return the last header with channels, with the sections of the other files and of the file itself."""
    found = next((header for header in reversed(others) if header.channels), others[-1])
    for header in (*(other for other in others if other is not found), own):
        road = {**found.values.get(ROAD, {}), **header.values.get(ROAD, {})}
        found.values = {**found.values, **header.values, ROAD: road}
        found.notes = header.notes + found.notes
    return found


def _referenced(path: Path, references: list[tuple[str, int]]) -> list[Path]:
    """Return the files of a section: one name that several lines give in parts, or a name in each line."""
    where = f"{path}, line {references[0][1]}"
    joined = "".join(name for name, _ in references)
    targets = [_beside(path, joined, where)]
    if not targets[0].is_file() and len(references) > 1:
        targets = [_beside(path, name, f"{path}, line {line}") for name, line in references]
    for target in targets:
        if not target.is_file():
            raise ModelError(
                f"{where}: the road refers to {joined!r}, which is no file beside {path.name}: correct the name"
            )
    return targets


def _beside(path: Path, name: str, where: str) -> Path:
    """Return a file in the folder of another. Raises ModelError for files elsewhere."""
    if "$" in name:
        raise ModelError(
            f"{where}: {name!r} contains an environment variable: give the name of a file in the same folder"
        )
    try:
        folder = path.resolve().parent
        target = (folder / name).resolve()
    except (OSError, ValueError, RuntimeError) as error:
        raise ModelError(f"{where}: {name!r} can't be read: {error}") from None
    if not target.is_relative_to(folder):
        raise ModelError(f"{where}: the road refers to {name!r}, outside its folder: put both files into one folder")
    return target


class _Reading:
    """Parser of a header, line by line."""

    def __init__(self, path: str):
        self.header = Header(path)
        self.section = ""
        self.references: list[tuple[str, int]] = []

    def read(self, raw: bytes) -> None:
        """Parse up to the line that separates header and data, or to the end."""
        begin, number = 0, 0
        while begin < len(raw) and not self.header.ended:
            end = raw.find(b"\n", begin)
            end = len(raw) if end < 0 else end
            number += 1
            line = raw[begin:end].removeprefix(MARK if number == 1 else b"")
            self.line(line.decode("latin-1").rstrip("\r"), number)
            begin = end + 1
        self.header.offset, self.header.lines = min(begin, len(raw)), number

    def line(self, line: str, number: int) -> None:
        """Parse a line. Raises ModelError for a line that cannot be parsed."""
        word = re.split(r"[\s!]", line[1:], maxsplit=1)[0].upper() if line.startswith("$") else None
        if line.startswith("$$$$") or (line.startswith("$$") and not self.section):
            self.header.ended = True
        elif word is not None and (self.section != "ROAD_CRG_FILE" or word in ("", *KEYS, *WITHOUT_VALUES)):
            self.section = word
            if word in KEYS:
                self.header.values[word] = {}
            elif word and word not in WITHOUT_VALUES:
                self.header.notes.append(f"section ${word} is unknown and has no effect")
        elif not line.lstrip().startswith("*"):
            self.contents(line.split("!")[0].strip(), number)

    def contents(self, text: str, number: int) -> None:
        """Parse a line of a section, without its comment."""
        where = f"{self.header.path}, line {number}"
        if not text:
            return
        if self.section in KEYS:
            self.key(text, where)
        elif self.section == "KD_DEFINITION":
            self.definition(text, where)
        elif self.section == "ROAD_CRG_FILE":
            self.references.append((text, number))
        elif not self.section and ASSIGNMENT.match(text):
            raise ModelError(
                f"{where}: {text!r} stands outside of a section: begin the section by $ROAD_CRG, for example"
            )

    def key(self, text: str, where: str) -> None:
        """Parse KEY = value."""
        name, equals, value = text.partition("=")
        name, value = name.strip().upper(), value.strip()
        if not equals:
            raise ModelError(
                f"{where}: {text!r} in section ${self.section}: give KEY = number; comments begin with * or !"
            )
        if name not in KEYS[self.section]:
            self.header.notes.append(f"{name} of section ${self.section} is unknown and has no effect")
            return
        known = self.header.values[self.section]
        number = _number(value)
        if number is None:
            raise ModelError(f"{where}: {name} is {value!r}: give a finite number, such as 0.01 or 1e-2")
        if not NUMBER.fullmatch(value):
            self.header.notes.append(f"{name} = {value!r} is read as {number:g}")
        if name in known and known[name].value != number:
            self.header.notes.append(f"{name} occurs twice: the last value, {number:g}, applies")
        known[name] = Entry(number, where)

    def definition(self, text: str, where: str) -> None:
        """Parse a line of section $KD_DEFINITION: the form, a channel or a virtual channel."""
        kind, rest = text[:2].upper(), text[2:].strip()
        if kind == "#:":
            form = rest.upper()
            if form not in FORMS:
                raise ModelError(f"{where}: form {rest!r} of data is unknown: use {', '.join(FORMS)}")
            self.header.form = form
        elif kind == "U:":
            self.virtual(rest)
        elif kind == "D:":
            self.channel(rest, where)
            self.header.channels += 1
        else:
            raise ModelError(f"{where}: {text!r} defines no channel: begin the line with D:, U: or #:")

    def virtual(self, rest: str) -> None:
        words = [word.strip() for word in rest.split(",")]
        numbers = [_number(word) for word in words[2:4]]
        if _name(words[0]) == "reference line u" and len(numbers) == 2 and None not in numbers:
            self.header.virtual = (float(numbers[0] or 0.0), float(numbers[1] or 0.0))

    def channel(self, rest: str, where: str) -> None:
        """Parse a channel NAME, unit."""
        words = rest.split(",")
        name, unit = _name(words[0]), words[1].strip() if len(words) > 1 else ""
        section = LONG_SECTION.match(name)
        line = name.removeprefix("reference line ") if name.startswith("reference line ") else ""
        if section:
            needed = "m"
            v, count = section["v"], section["number"]
            self.header.sections.append(
                LongSection(
                    self.header.channels,
                    None if v is None else _number(v),
                    None if count is None else int(count),
                    where,
                )
            )
        elif line in LINE_CHANNELS:
            needed = LINE_CHANNELS[line]
            if line in self.header.columns:
                raise ModelError(f"{where}: a second channel {name!r}: remove one")
            self.header.columns[line] = self.header.channels
        elif name.startswith("long section"):
            raise ModelError(f"{where}: {words[0]!r}: write 'long section at v = -1.5' or 'long section 1'")
        else:
            self.header.notes.append(f"channel {words[0].strip()!r} has no effect")
            return
        if unit != needed:
            raise ModelError(f"{where}: the unit of {words[0]!r} is {unit!r}: give {needed!r}, the only one of OpenCRG")


def _name(text: str) -> str:
    """Return the name of a channel in lower case with single blanks."""
    return " ".join(text.lower().split())


def _number(text: str) -> float | None:
    """Return the finite number with which a text begins, or None."""
    match = NUMBER.match(text)
    value = float(match[0].lower().replace("d", "e")) if match else math.inf
    return value if math.isfinite(value) else None
