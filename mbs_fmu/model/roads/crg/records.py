"""Rows of numbers of OpenCRG files, in binary and text forms, read in blocks: a part needs little memory."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from ....infrastructure.errors import ModelError
from .header import Header

BLOCK = 1 << 22  #: bytes that are read at once
WIDTH = 80  #: bytes of a record
REMEDY = "line ends were changed: store .crg as binary"
BLANKS = b" \t\r\n\0"
HOLE = ord("*")
REPLACED = b"\xef\xbf\xbd"  #: replacement character of UTF-8
NUMERIC = np.zeros(256, bool)
NUMERIC[list(b"0123456789+-.eEdD ")] = True


class Records(ABC):
    """Rows of a file. count: of rows, for a file whose header states no other number."""

    count: int

    def __init__(self, header: Header):
        self.path, self.channels = header.path, header.channels

    @abstractmethod
    def rows(self, first: int, last: int, columns: Sequence[int]) -> np.ndarray:
        """Return rows first to last - 1 of some columns, (rows, columns); holes are NaN.

        Raises ModelError for numbers that cannot be parsed.
        """

    @abstractmethod
    def where(self, row: int, column: int) -> str:
        """Return the file, and the line or byte of a number, for messages."""

    def missing(self, needed: int) -> ModelError:
        """Return the error of a file with fewer rows than u needs."""
        return ModelError(f"{self.path} has {self.count} rows, u needs {needed}: it is truncated")


def read_records(header: Header, needed: int | None) -> Records:
    """Return the rows of a file. needed: rows that the header states, or None.

    Raises ModelError for a file with fewer rows, and for a binary file whose size shows damage.
    """
    found: Records = Binary(header, needed) if header.form[0] == "K" else Text(header)
    if needed is not None and found.count < needed:
        raise found.missing(needed)
    if found.count < 2:
        raise ModelError(f"{header.path} has {found.count} rows of data: a road needs two or more; is it truncated?")
    return found


class Binary(Records):
    """Rows of 4 or 8 bytes a number, big-endian; the last record of 80 bytes is filled up by NaN."""

    def __init__(self, header: Header, needed: int | None):
        super().__init__(header)
        self.kind = np.dtype(">f4" if header.form == "KRBI" else ">f8")
        self.offset = header.offset
        self.bytes = os.path.getsize(header.path) - self.offset
        self.row = self.channels * self.kind.itemsize
        self.count = self.bytes // self.row
        self._check(needed)
        while (
            self.count > (needed or 0) and np.isnan(self.rows(self.count - 1, self.count, range(self.channels))).all()
        ):
            self.count -= 1  # padding

    def _check(self, needed: int | None) -> None:
        """Raise ModelError for a size that no writer gives."""
        size = self.count * self.row if needed is None else needed * self.row
        padded = -(-size // WIDTH) * WIDTH
        if self.bytes in (size, padded) or (needed is None and self.bytes % WIDTH == 0):
            return
        if self._blank(size) or self._blank(padded):
            return
        change = self.bytes - padded
        text = f"{self.path}, byte {self.offset}: the data have {self.bytes} bytes, {abs(change)} too "
        if self._line_ends(change):
            raise ModelError(f"{text}{'many' if change > 0 else 'few'} for records of {WIDTH}: {REMEDY}")
        if needed is not None and self.bytes >= padded:
            return
        if needed is not None and self.count < needed:
            raise self.missing(needed)
        raise ModelError(f"{text}few for records of {WIDTH} bytes: it is truncated, or {REMEDY}")

    def _blank(self, size: int) -> bool:
        """Return True if the bytes beyond a size are white space, which some programs append."""
        if not 0 < self.bytes - size <= WIDTH:
            return False
        with open(self.path, "rb") as file:
            file.seek(self.offset + size)
            return not file.read().strip(BLANKS)

    def _line_ends(self, change: int) -> bool:
        """Return True if a program has probably replaced line ends, or converted the file to text."""
        with open(self.path, "rb") as file:
            head = file.read(self.offset)
            single = pairs = replaced = 0
            while block := file.read(BLOCK):
                pairs += block.count(b"\r\n")
                single += block.count(b"\n")
                replaced += block.count(REPLACED)
        if 100 * replaced * len(REPLACED) > self.bytes:
            return True
        if change < 0:  # about one of 65536 pairs of bytes is \r\n by chance
            return not head.count(b"\r\n") and not pairs and -change <= 8 + 4 * self.bytes // 65536
        return head.count(b"\r\n") == head.count(b"\n") and 0 < pairs == single

    def rows(self, first: int, last: int, columns: Sequence[int]) -> np.ndarray:
        chosen = np.asarray(columns, dtype=np.intp)
        out = np.empty((last - first, len(chosen)))
        step = max(1, BLOCK // self.row)
        with open(self.path, "rb") as file, np.errstate(invalid="ignore"):
            file.seek(self.offset + first * self.row)
            for begin in range(0, last - first, step):
                rows = min(step, last - first - begin)
                block = np.fromfile(file, self.kind, rows * self.channels)
                if len(block) < rows * self.channels:
                    raise self.missing(last)
                out[begin : begin + rows] = block.reshape(rows, self.channels)[:, chosen]
        return out

    def where(self, row: int, column: int) -> str:
        return f"{self.path}, byte {self.offset + row * self.row + column * self.kind.itemsize}"


class Text(Records):
    """Rows of lines of 80 characters: 8 numbers of 10 characters or 4 of 20."""

    def __init__(self, header: Header):
        super().__init__(header)
        self.width = 10 if header.form == "LRFI" else 20
        self.per_row = -(-self.channels * self.width // WIDTH)  #: lines
        self.first_line = header.lines + 1
        size = os.path.getsize(header.path) - header.offset
        self.data = np.memmap(header.path, np.uint8, "r", header.offset) if size else np.empty(0, np.uint8)
        self.starts, self.lengths, self.lines = self._lines()
        self.count = len(self.starts) // self.per_row
        if len(self.starts) % self.per_row:
            raise ModelError(
                f"{self.path} has {len(self.starts)} lines of data, no multiple of {self.per_row} for {self.channels} "
                "channels: it is truncated, or a line is missing"
            )

    def _lines(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return first byte, length and number of each line that is not empty."""
        size = len(self.data)
        while size and self.data[size - 1] in BLANKS + b"\x1a":
            size -= 1
        blocks = (np.flatnonzero(self.data[b : min(b + BLOCK, size)] == ord("\n")) + b for b in range(0, size, BLOCK))
        ends = np.concatenate([*blocks, [size]]).astype(np.int64)
        starts = np.concatenate([[0], ends[:-1] + 1])
        last = np.maximum(ends - 1, 0)
        lengths = ends - starts - ((ends > starts) & (self.data[last] == ord("\r")) if size else 0)
        kept = lengths > 0
        return starts[kept], lengths[kept], np.flatnonzero(kept) + self.first_line

    def rows(self, first: int, last: int, columns: Sequence[int]) -> np.ndarray:
        chosen = np.asarray(columns, dtype=np.intp)
        out = np.empty((last - first, len(chosen)))
        step = max(1, BLOCK // (8 * WIDTH * self.per_row))
        for begin in range(first, last, step):
            end = min(begin + step, last)
            fields = self._characters(begin, end)[:, chosen]
            out[begin - first : end - first] = self._numbers(fields, begin, chosen)
        return out

    def _characters(self, first: int, last: int) -> np.ndarray:
        """Return the characters of each number of some rows, (rows, numbers, width)."""
        lines = slice(first * self.per_row, last * self.per_row)
        starts, lengths = self.starts[lines], self.lengths[lines]
        long = np.flatnonzero(lengths > WIDTH)
        for k in long:
            if self.data[starts[k] + WIDTH : starts[k] + lengths[k]].tobytes().strip(BLANKS):
                number = self.lines[lines][k]
                raise ModelError(f"{self.path}, line {number}: {lengths[k]} characters, at most {WIDTH} are allowed")
        characters = self._blocks(starts, lengths)
        characters[characters == ord("\t")] = ord(" ")
        return characters.reshape(last - first, self.per_row * (WIDTH // self.width), self.width)

    def _blocks(self, starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
        """Return the characters of lines, (lines, 80), with blanks beyond their ends."""
        out = np.full((len(starts), WIDTH), ord(" "), np.uint8)
        rows, sizes = starts.reshape(-1, self.per_row), np.minimum(lengths, WIDTH).reshape(-1, self.per_row)
        stride = rows[1, 0] - rows[0, 0] if len(rows) > 1 else 0
        if stride and (np.diff(rows, axis=0) == stride).all() and (sizes == sizes[0]).all():
            for k, size in enumerate(sizes[0]):  # all rows have lines of equal lengths
                begin = rows[0, k]
                part = np.lib.stride_tricks.as_strided(
                    self.data[begin:], (len(rows), size), (stride, 1), writeable=False
                )
                out[k :: self.per_row, :size] = part
            return out
        columns = np.arange(WIDTH)
        places = np.minimum(starts[:, None] + columns, len(self.data) - 1)
        np.copyto(out, self.data[places], where=columns < lengths[:, None])
        return out

    def _numbers(self, fields: np.ndarray, first: int, columns: np.ndarray) -> np.ndarray:
        """Return the numbers of fields of characters. Raises ModelError for a field that is no number."""
        fields = np.ascontiguousarray(fields)
        holes = (fields == HOLE).any(axis=-1)
        bad = ~NUMERIC[fields].all(axis=-1) & ~holes
        fields[(fields == ord("D")) | (fields == ord("d"))] = ord("e")
        texts = fields.view(f"S{self.width}")[..., 0]
        texts[holes] = b"nan"
        for row, column in np.argwhere(bad):
            if texts[row, column].strip().lower() != b"nan":
                raise self._no_number(texts, first, columns, row, column)
        try:
            return texts.astype(float)
        except ValueError:
            row, column = next(place for place, text in np.ndenumerate(texts) if not _is_number(text))
            raise self._no_number(texts, first, columns, row, column) from None

    def _no_number(self, texts: np.ndarray, first: int, columns: np.ndarray, row: int, column: int) -> ModelError:
        text = texts[row, column].decode("latin-1")
        where = self.where(first + row, int(columns[column]))
        return ModelError(f"{where}: {text!r} in channel {columns[column] + 1}: give a number, or *missing* for a hole")

    def where(self, row: int, column: int) -> str:
        line = self.lines[row * self.per_row + column * self.width // WIDTH]
        return f"{self.path}, line {line}"


def _is_number(text: bytes) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
