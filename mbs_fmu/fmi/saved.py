"""Saved states: checks of a record before it is restored, and the serialized state of a Python FMU.

Kernels use some numbers of a record as indices, counts and choices. Saved states come from outside the package, so
these numbers are checked even if the checksum is right.
"""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Sequence

import numpy as np

from ..kernels.records import fits
from ..record.program import Program
from ..record.ranges import whole_numbers

#: Magic, layout, program, flags, tolerances. The record, the record of start values and a checksum follow.
HEADER = struct.Struct("<8sI24s3?dd")
CHECKSUM = struct.Struct("<I")
MAGIC, LAYOUT = b"mbs_fmu\0", 2  #: increase the layout with every change of these bytes or of their meaning


def rules(program: Program) -> list[float]:
    """Return the rules for the numbers of a record, in the form that `kernels.records.fits` expects."""
    whole = whole_numbers(program)
    numbers = [float(len(whole)), *(float(number) for rule in whole for number in rule)]
    counts = ("ranks", "chosen") if program.loops else ()
    numbers.append(float(len(counts) * len(program.loops)))
    for region in counts:
        first = 0
        for number, loop in enumerate(program.loops):
            rows = len(loop["labels"])
            numbers += [program.regions[region][0] + number, program.regions["pivots"][0] + first, rows]
            first += rows
    shapes = program.region("shapes") if "shapes" in program.regions else slice(0, 0)
    return [*numbers, float(shapes.start), float(shapes.stop - shapes.start), *program.new_record()[shapes].tolist()]


class States:
    """Serialization of the states of one program, which `key` identifies."""

    def __init__(self, program: Program, key: bytes):
        self.program = program
        self.key = key
        self.count = program.regions["end"][0]
        self.size = HEADER.size + 16 * self.count + CHECKSUM.size
        self._rules = rules(program)

    def pack(self, flags: Sequence[bool], tolerances: Sequence[float], record: np.ndarray, start: np.ndarray) -> bytes:
        """Return a state as bytes: three flags, two tolerances, the record and the record of start values."""
        head = HEADER.pack(MAGIC, LAYOUT, self.key, *flags, *tolerances)
        content = head + record.tobytes() + start.tobytes()
        return content + CHECKSUM.pack(zlib.crc32(content))

    def unpack(self, state: object) -> tuple[list[bool], list[float], np.ndarray, np.ndarray]:
        """Return flags, tolerances and both records. Raises ValueError for a damaged or another program's state."""
        if not isinstance(state, bytes) or len(state) != self.size:
            raise ValueError("the state to restore is not one of this model: save it with the same FMU")
        magic, layout, key, *rest = HEADER.unpack_from(state)
        if (magic, layout, key) != (MAGIC, LAYOUT, self.key):
            raise ValueError("the state to restore is not one of this model: save it with the same FMU")
        record, start = np.split(np.frombuffer(state, count=2 * self.count, offset=HEADER.size), 2)
        sound = zlib.crc32(state[: -CHECKSUM.size]) == CHECKSUM.unpack_from(state, self.size - CHECKSUM.size)[0]
        flags, tolerances = rest[:3], rest[3:]
        sound = sound and all(math.isfinite(t) and t > 0.0 for t in tolerances)
        if not (sound and all(fits(R.tolist(), self._rules) for R in (record, start))):
            raise ValueError("the state to restore is damaged: save it anew")
        return flags, tolerances, record, start
