"""Cards of Nastran's bulk data: free fields, small fields of 8 and large fields of 16 characters, with continuations.

Source: the descriptions of the bulk data in Nastran's Quick Reference Guide.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator
from pathlib import Path

from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...infrastructure.messages.failures import display

REAL = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))(?:[DdEe]([+-]?\d+)|([+-]\d+))?")  # Nastran: 1.5D+02, 1.5+2
INTEGER = re.compile(r"[+-]?\d{1,9}")
BEGIN = re.compile(r"\s*BEGIN\s+(BULK|SUPER)", re.IGNORECASE)
INCLUDE = re.compile(r"\s*INCLUDE\b\s*(.*)", re.IGNORECASE)
DEEPEST = 10  #: files that include each other
MOST_POINTS = 1_000_000  #: of a range with THRU


@dataclass(frozen=True)
class Card:
    """A card with its fields, without the name; blank fields are ""."""

    name: str
    fields: list[str]
    path: str
    line: int

    @property
    def where(self) -> str:
        """File and line, for messages."""
        return f"{self.path}, line {self.line}: {self.name}"

    def text(self, k: int) -> str:
        """Return field k, from 0; "" if the card ends before."""
        return self.fields[k] if k < len(self.fields) else ""

    def whole(self, k: int, default: int | None = None) -> int:
        """Return the whole number in field k. Raises ModelError; for a blank field only without a default."""
        text = self.text(k)
        if not text and default is not None:
            return default
        return self.integer(text)

    def integer(self, text: str) -> int:
        """Return a whole number. Raises ModelError."""
        if not INTEGER.fullmatch(text):
            raise ModelError(f"{self.where} has {display(text)} where a whole number belongs: write the file again")
        return int(text)

    def real(self, k: int) -> float:
        """Return the number in field k, 0 for a blank one. Raises ModelError."""
        text = self.text(k)
        if not text:
            return 0.0
        match = REAL.fullmatch(text)
        value = float(f"{match[1]}E{match[2] or match[3] or 0}") if match else math.nan
        if not math.isfinite(value):
            raise ModelError(f"{self.where} has {display(text)} where a finite number belongs: write the file again")
        return value

    def reals(self, first: int, count: int) -> list[float]:
        """Return numbers of successive fields. Raises ModelError."""
        return [self.real(k) for k in range(first, first + count)]

    def ids(self, first: int) -> list[int]:
        """Return the numbers in all fields from one on, with ranges such as 1, THRU, 5. Raises ModelError."""
        words = [word for word in self.fields[first:] if word]
        found: list[int] = []
        k = 0
        while k < len(words):
            count = 3 if k + 1 < len(words) and words[k + 1].upper() == "THRU" else 1
            found += self.range(words[k : k + 3]) if count == 3 else [self.integer(words[k])]
            k += count
        return found

    def range(self, words: list[str]) -> range:
        """Return the numbers of words such as 1, THRU, 5. Raises ModelError."""
        first, last = (self.integer(word) for word in (words[0], words[-1]))
        if len(words) != 3 or not 0 <= last - first < MOST_POINTS:
            raise ModelError(f"{self.where} has a range {' '.join(words)}: it must ascend, to {MOST_POINTS} numbers")
        return range(first, last + 1)


def cards(path: str | Path, names: Collection[str], depth: int = 0) -> Iterator[Card]:
    """Yield the cards of these names (capital letters) of a file and of those that it includes.

    INCLUDE names a file in the folder of the file that includes it. Lines before BEGIN BULK and after ENDDATA do not
    count. Raises ModelError.
    """
    lines = text_of(path).splitlines()
    begun = next((k + 1 for k, line in enumerate(lines) if (m := BEGIN.match(line)) and m[1].upper() == "BULK"), 0)
    card: Card | None = None
    for k in range(begun, len(lines)):
        line = lines[k].partition("$")[0].expandtabs(8).rstrip()
        first = line[:8].partition(",")[0].strip()
        match = INCLUDE.match(line)
        if match is None and (not first or first[0] in "+*"):
            if card is not None and line:
                _continue(card, line, first[:1] == "*")
            continue
        if card is not None:
            yield card
        card = None
        if match is not None:
            yield from _included(path, match[1], k + 1, names, depth)
            continue
        name = first.rstrip("*").rstrip().upper()
        if name == "ENDDATA":
            break
        if name in names:
            card = Card(name, [], str(path), k + 1)
            _add(card, line, first.endswith("*"))
    if card is not None:
        yield card


def text_of(path: str | Path) -> str:
    """Return the text of a file. Raises ModelError if it cannot be read."""
    return bytes_of(path).decode("latin-1")


def bytes_of(path: str | Path) -> bytes:
    """Return the content of a file. Raises ModelError if it cannot be read."""
    try:
        return Path(path).read_bytes()
    except (OSError, TypeError, ValueError) as error:
        raise ModelError(f"{display(path)} can't be read: {error}") from None


def _included(path: str | Path, text: str, line: int, names: Collection[str], depth: int) -> Iterator[Card]:
    name = text.strip().strip("'\"").strip()
    if not name or name != Path(name).name or "\\" in name or ":" in name:
        raise ModelError(
            f"{path}, line {line} includes {display(name)}: only files in the folder of this file are read; copy the "
            "file there, and name it without a folder"
        )
    if depth >= DEEPEST:
        raise ModelError(f"{path}, line {line} includes {display(name)}: files include each other {DEEPEST} times")
    yield from cards(Path(path).parent / name, names, depth + 1)


def _continue(card: Card, line: str, is_wide: bool) -> None:
    """Add a continuation's fields."""
    count = 4 if is_wide else 8
    while len(card.fields) % count:  # a small continuation of an odd number of large lines
        card.fields.append("")
    _add(card, line, is_wide)


def _add(card: Card, line: str, is_wide: bool) -> None:
    """Add the fields of a line, without its first one: eight, or four large ones."""
    count, width = (4, 16) if is_wide else (8, 8)
    if "," in line:
        fields = [field.strip() for field in line.split(",")[1 : 1 + count]]
        card.fields.extend(fields + [""] * (count - len(fields)))
        return
    card.fields.extend(line[8 + width * k : 8 + width * (k + 1)].strip() for k in range(count))
