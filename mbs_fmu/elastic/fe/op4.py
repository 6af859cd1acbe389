"""Reader of Nastran's OUTPUT4 files: ASCII and binary, of both byte orders, with integers of 32 and 64 bits.

Source: the description of OUTPUT4 in Nastran's DMAP manuals, and files that pyyeti 1.4.7 publishes. A matrix has a
header (columns, rows, form, type, name), then columns, which end by one with a number beyond the last. A column has its
number, the first row and a number of words. The first row is 0 where zeros are left out: then strings of successive
rows follow, each with its length and its first row, either in two integers ("bigmat": rows are negative in the header,
or 65536 or more) or in one, row + 65536 (words + 1).
"""

from __future__ import annotations

import re
import struct
from array import array
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...infrastructure.messages.failures import display
from .entries import MOST_ROWS, Entries, Strings

TYPES = (1, 2, 3, 4)  #: real single and double, complex single and double
BIGMAT = 65536  #: rows from which strings have two integers
BYTES = {24: "i", 48: "q"}  #: of a header, and its integers
FORMAT = re.compile(r"(?:1P,?)?\s*(\d+)[ED](\d+)\.\d+", re.IGNORECASE)
USUAL = (5, 16)  #: numbers in a line, and their characters, of a header without a format
WIDE = "|I16"  #: end of a header with rows and columns of 16 characters
DAMAGED = "write the file again, or copy it as binary"


@dataclass(frozen=True)
class Header:
    """The header of a matrix; words: of a number."""

    name: str
    rows: int
    columns: int
    form: int
    type: int
    is_big: bool
    words: int

    @property
    def parts(self) -> int:
        """Numbers per entry, 2 of a complex matrix."""
        return 2 if self.type > 2 else 1


def read_op4(path: str | Path, raw: bytes) -> list[Entries]:
    """Return the matrices of an OUTPUT4 file with these bytes, in its order; names may occur twice.

    Raises ModelError, with the line or the byte, for a file that is damaged or of another kind.
    """
    order = byte_order(raw)
    reader = _Binary(str(path), raw, order) if order else _Text(str(path), raw)
    return reader.matrices()


def byte_order(raw: bytes) -> str:
    """Return "<" or ">" for the bytes of a binary OUTPUT4 file; "" for any other file."""
    return next((order for order in "<>" if len(raw) >= 4 and struct.unpack(f"{order}i", raw[:4])[0] in BYTES), "")


class _Reader:
    """Base of readers of both kinds of files, ASCII and binary."""

    def __init__(self, path: str):
        self.path = path

    def where(self) -> str:
        """Return file and place of what is read now, for messages."""
        raise NotImplementedError

    def header(self, name: str, numbers: tuple[int, ...], words: int) -> Header:
        """Return the header of these numbers: columns, rows, form and type. Raises ModelError."""
        columns, rows, form, kind = numbers
        if kind not in TYPES or not 0 <= columns <= MOST_ROWS or not abs(rows) <= MOST_ROWS:
            raise ModelError(
                f"{self.where()}: matrix {display(name)} is {rows} x {columns} of type {kind}, which no op4 file has: "
                f"{DAMAGED}"
            )
        double = kind in (2, 4)
        return Header(name, abs(rows), columns, form, kind, rows < 0 or rows >= BIGMAT, words if double else 1)

    def column(self, head: Header, column: int) -> None:
        """Raise ModelError unless the header's matrix can have a column of this number."""
        if column < 1:
            raise ModelError(f"{self.where()}: matrix {display(head.name)} has no column {column}: {DAMAGED}")

    def string(self, head: Header, row: int, words: int, left: int) -> int:
        """Return how many rows a string of so many words has; left: words of the column. Raises ModelError."""
        rows, rest = divmod(words, head.words * head.parts)
        if not 0 < words <= left or not 1 <= row <= head.rows - rows + 1 or rest:
            raise ModelError(
                f"{self.where()}: matrix {display(head.name)} of {head.rows} rows has a string of {words} words from "
                f"row {row}: {DAMAGED}"
            )
        return rows

    def entries(self, head: Header, strings: Strings) -> Entries:
        """Return the entries of a matrix."""
        i, j, values = strings.finished()
        return Entries(head.name, self.path, head.rows, head.columns, head.form, head.parts, i, j, values)


class _Binary(_Reader):
    """Reader of Fortran's records: each has its number of bytes before and after it."""

    def __init__(self, path: str, raw: bytes, order: str):
        super().__init__(path)
        self.raw, self.order, self.at = raw, order, 0
        self.integer = BYTES[struct.unpack(f"{order}i", raw[:4])[0]]
        self.word = struct.calcsize(self.integer)

    def where(self) -> str:
        return f"{self.path}, byte {self.at}"

    def matrices(self) -> list[Entries]:
        """Return all matrices. Raises ModelError."""
        matrices = []
        while self.at < len(self.raw):
            head = self._header()
            kind = "f4" if self.integer == "i" and head.type in (1, 3) else "f8"
            strings = Strings(np.dtype(self.order + kind))
            while True:
                start = self.at
                record = self._record(3 * self.word)
                column, first, words = self._integers(record, 0, 3)
                if column > head.columns:
                    break
                self.column(head, column)
                if 3 * self.word + words * self.word > len(record):
                    raise ModelError(
                        f"{self.path}, byte {start}: column {column} of matrix {display(head.name)} has {words} words, "
                        f"its record ends before: {DAMAGED}"
                    )
                body = record[3 * self.word : (3 + words) * self.word] if words > 0 else b""
                self._column(head, strings, column - 1, first, body)
            matrices.append(self.entries(head, strings))
        return matrices

    def _record(self, least: int) -> bytes:
        """Return the next record, of so many bytes at least. Raises ModelError."""
        raw, at = self.raw, self.at
        size = struct.unpack_from(f"{self.order}i", raw, at)[0] if at + 4 <= len(raw) else -1
        end = at + 4 + size
        if size < least or end + 4 > len(raw) or struct.unpack_from(f"{self.order}i", raw, end)[0] != size:
            raise ModelError(
                f"{self.where()}: a record of {max(size, 0)} bytes does not end where it should; the file is "
                f"truncated, damaged or no op4 file: {DAMAGED}"
            )
        self.at = end + 4
        return raw[at + 4 : end]

    def _integers(self, data: bytes, at: int, count: int) -> tuple[int, ...]:
        return struct.unpack_from(f"{self.order}{count}{self.integer}", data, at)

    def _header(self) -> Header:
        record = self._record(4 * self.word + 8)
        name = record[4 * self.word :].decode("latin-1").replace("\0", "").replace(" ", "").upper()
        return self.header(name, self._integers(record, 0, 4), 8 // self.word)

    def _column(self, head: Header, strings: Strings, column: int, first: int, body: bytes) -> None:
        """Add the strings of a column. Raises ModelError."""
        word, total = self.word, len(body) // self.word
        if first > 0:
            if total:
                rows = self.string(head, first, total, total)
                strings.add(first - 1, column, rows, body)
            return
        at, marks = 0, 2 if head.is_big else 1
        while at < total:
            if at + marks > total:
                raise ModelError(f"{self.where()}: a string of matrix {display(head.name)} is cut: {DAMAGED}")
            words, row = _marked(self._integers(body, at * word, marks))
            at += marks
            rows = self.string(head, row, words, total - at)
            strings.add(row - 1, column, rows, body[at * word : (at + words) * word])
            at += words


class _Text(_Reader):
    """Reader of ASCII files."""

    def __init__(self, path: str, raw: bytes):
        super().__init__(path)
        self.lines, self.k = raw.decode("latin-1").splitlines(), 0
        self.per_line, self.width = USUAL
        self.fields = range(0)

    def where(self) -> str:
        return f"{self.path}, line {self.k}"

    def matrices(self) -> list[Entries]:
        """Return all matrices. Raises ModelError."""
        matrices: list[Entries] = []
        while any(line.strip() for line in self.lines[self.k : self.k + 1]):
            head, strings = self._header(), Strings(np.dtype(float))
            while True:
                column, first, words = self._integers(8, 3)
                if column > head.columns:
                    break
                self.column(head, column)
                self._column(head, strings, column - 1, first, words)
            if self.k < len(self.lines):
                self._numbers(1)
            matrices.append(self.entries(head, strings))
        if not matrices:
            raise ModelError(f"{self.path}, line 1 is blank, so that this is no op4 file: {DAMAGED}")
        return matrices

    def _line(self) -> str:
        if self.k >= len(self.lines):
            raise ModelError(f"{self.path} ends in line {self.k} within a matrix; it is truncated: {DAMAGED}")
        self.k += 1
        return self.lines[self.k - 1]

    def _integers(self, width: int, count: int, line: str | None = None) -> tuple[int, ...]:
        """Return integers of the next line, or of a header, in fields of a width. Raises ModelError."""
        line = self._line() if line is None else line
        try:
            return tuple(int(line[width * k : width * (k + 1)]) for k in range(count))
        except ValueError:
            raise self._no_part(line) from None

    def _no_part(self, line: str) -> ModelError:
        return ModelError(f"{self.where()}: {display(line[:60])} is no part of an op4 file: {DAMAGED}")

    def _header(self) -> Header:
        line = self._line().rstrip()
        wide = 16 if line.endswith(WIDE) else 8
        line = line.removesuffix(WIDE)
        sizes, kinds = self._integers(wide, 2, line), self._integers(8, 2, line[2 * wide :])
        rest = line[2 * wide + 16 :]
        match = FORMAT.search(rest, 8) if len(rest) > 8 else None
        self.per_line, self.width = (int(match[1]), int(match[2])) if match else USUAL
        if not 1 <= self.per_line <= 80 or not 1 <= self.width <= 80:
            raise self._no_part(line)
        self.fields = range(0, self.per_line * self.width, self.width)
        return self.header(rest[:8].replace(" ", "").upper(), (*sizes, *kinds), 2)

    def _column(self, head: Header, strings: Strings, column: int, first: int, words: int) -> None:
        """Add the strings of a column; words: of sparse ones, numbers of a dense one. Raises ModelError."""
        if first > 0:
            if words:
                rows = self.string(head, first, words * head.words, words * head.words)
                strings.add(first - 1, column, rows, self._numbers(words))
            return
        while words > 0:
            length, row = _marked(self._integers(8, 2) if head.is_big else self._integers(80, 1))
            words -= 2 if head.is_big else 1
            rows = self.string(head, row, length, words)
            strings.add(row - 1, column, rows, self._numbers(rows * head.parts))
            words -= length

    def _numbers(self, count: int) -> bytes:
        """Return so many numbers of the next lines, as doubles. Raises ModelError."""
        left = len(self.lines) - self.k
        if count > self.per_line * left:
            raise ModelError(
                f"{self.where()}: {count} numbers belong here, {left} lines are left; it is truncated: {DAMAGED}"
            )
        values = array("d")
        while len(values) < count:
            values.extend(self._parsed(self._line(), self.fields[: count - len(values)]))
        return values.tobytes()

    def _parsed(self, line: str, fields: Sequence[int]) -> list[float]:
        """Return the numbers of a line in fields that begin at these characters. Raises ModelError."""
        width = self.width
        try:
            return [float(line[k : k + width]) for k in fields]
        except ValueError:
            pass
        try:  # Fortran writes double precision with a D
            return [float(line[k : k + width].upper().replace("D", "E")) for k in fields]
        except ValueError:
            raise self._no_part(line) from None


def _marked(marked: tuple[int, ...]) -> tuple[int, int]:
    """Return words and row of a string from its two integers, or from its single one."""
    if len(marked) == 2:
        return marked[0] - 1, marked[1]
    words = (marked[0] >> 16) - 1
    return words, marked[0] - ((words + 1) << 16)
