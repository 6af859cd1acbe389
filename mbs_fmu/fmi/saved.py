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
from ..record.layout import MOST_LOGGED, Choice, Fresh, Head, History, LoopState
from ..record.program import Program

MOST = 2.0**53  #: all whole numbers up to this one are doubles

#: Magic, layout, program, flags, tolerances. The record, the record of start values and a checksum follow.
HEADER = struct.Struct("<8sI24s3?dd")
CHECKSUM = struct.Struct("<I")
MAGIC, LAYOUT = b"mbs_fmu\0", 2  #: increase the layout with every change of these bytes or of their meaning


def whole_numbers(program: Program) -> list[tuple[int, float, float]]:
    """Return the addresses of a record's indices, counts and choices, each with its least and its largest value.

    The ranks and pivots of loops have other rules: see `rules`.
    """
    sizes = {name: size for name, (_, size) in program.regions.items()}
    start = {name: place for name, (place, _) in program.regions.items()}
    rows = sizes.get("residuals", 0)
    faults = max(len(program.owners), len(program.checks), len(program.start_checks), len(program.quaternions), rows)
    counts = (Head.steps, Head.rejected, Head.evaluations, Head.jacobians, Head.done)
    ranges: list[tuple[int, float, float]] = [(Head.fresh, Fresh.stale, Fresh.rows_chosen)]
    ranges += [(Head.fault, -1.0, faults - 1.0), (Head.still, 0.0, 1.0)]
    ranges += [(address, 0.0, MOST) for address in counts]
    ranges += [(start["locks"] + 2 * k + 1, -1.0, 1.0) for k in range(sizes["locks"] // 2)]
    if "loop_state" in start:
        most = {
            LoopState.choice: Choice.none, LoopState.rank: rows, LoopState.moved: 3, LoopState.singular: 1,
            LoopState.controlled: 1, LoopState.blamed: max(0, len(program.given) - 1), LoopState.iterations: MOST,
            LoopState.rebasings: MOST, LoopState.projections: MOST, LoopState.exchange_fresh: 1,
            LoopState.logged: MOST_LOGGED,
        }  # fmt: skip
        present = [offset for offset in most if offset < sizes["loop_state"]]  # older formats have fewer
        ranges += [(start["loop_state"] + offset, 0.0, float(most[offset])) for offset in present]
    states = program.state_slice.stop - program.state_slice.start
    if sizes["history"]:
        others = History.size + states + sizes["inputs"] + sizes["parameters"]
        vectors = (sizes["history"] - others) // states if states else 0
        ranges += [(start["history"] + History.count, 0.0, MOST)]
        ranges += [(start["history"] + History.newest, 0.0, max(0.0, vectors - 1.0))]
    ranges += [(start["swaps"] + k, 0.0, states - 1.0) for k in range(sizes.get("swaps", 0))]
    return ranges


def rules(program: Program) -> list[float]:
    """Return the rules for the numbers of a record, in the form that `kernels.records.fits` expects."""
    whole = whole_numbers(program)
    numbers = [float(len(whole)), *(float(number) for rule in whole for number in rule)]
    counts = [region for region in ("ranks", "chosen") if region in program.regions]  # older formats have fewer
    numbers.append(float(len(counts) * len(program.loops)))
    for region in counts:
        first = 0
        for number, loop in enumerate(program.loops):
            rows = len(loop["labels"])
            numbers += [program.regions[region][0] + number, program.regions["pivots"][0] + first, rows]
            first += rows
    shapes = program.region("shapes") if "shapes" in program.regions else slice(0, 0)  # absent in older formats
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
