"""Saved states: what a record must hold before it is taken for one, and the bytes of a Python FMU's state.

Kernels use some numbers of a record as indices, counts and choices. A state comes from outside; whatever its checksum
says, these are looked at before it is taken.
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

MOST = 2.0**53  #: whole numbers up to here are doubles, each

#: Magic, layout, program, flags, tolerances; the record, what was given before the start, and a checksum follow.
HEADER = struct.Struct("<8sI24s3?dd")
CHECKSUM = struct.Struct("<I")
MAGIC, LAYOUT = b"mbs_fmu\0", 2  #: the layout counts up with every change of these bytes, or of what they mean


def whole_numbers(program: Program) -> list[tuple[int, float, float]]:
    """Addresses of a record's indices, counts and choices, with the least and the largest that each may be.

    Not among them are the ranks and pivots of loops: see `rules`.
    """
    sizes = {name: size for name, (_, size) in program.regions.items()}
    start = {name: place for name, (place, _) in program.regions.items()}
    rows = sizes.get("residuals", 0)
    faults = max(len(program.owners), len(program.checks), len(program.start_checks), len(program.quaternions), rows)
    counts = (Head.steps, Head.rejected, Head.evaluations, Head.jacobians, Head.done)
    found: list[tuple[int, float, float]] = [(Head.fresh, Fresh.stale, Fresh.rows_chosen)]
    found += [(Head.fault, -1.0, faults - 1.0), (Head.still, 0.0, 1.0)]
    found += [(place, 0.0, MOST) for place in counts]
    found += [(start["locks"] + 2 * k + 1, -1.0, 1.0) for k in range(sizes["locks"] // 2)]
    if "loop_state" in start:
        most = {
            LoopState.choice: Choice.none, LoopState.rank: rows, LoopState.moved: 3, LoopState.singular: 1,
            LoopState.controlled: 1, LoopState.blamed: max(0, len(program.given) - 1), LoopState.iterations: MOST,
            LoopState.rebasings: MOST, LoopState.projections: MOST, LoopState.exchange_fresh: 1,
            LoopState.logged: MOST_LOGGED,
        }  # fmt: skip
        there = [place for place in most if place < sizes["loop_state"]]  # in older formats less
        found += [(start["loop_state"] + place, 0.0, float(most[place])) for place in there]
    states = program.state_slice.stop - program.state_slice.start
    if sizes["history"]:
        known = History.size + states + sizes["inputs"] + sizes["parameters"]
        vectors = (sizes["history"] - known) // states if states else 0
        found += [(start["history"] + History.count, 0.0, MOST)]
        found += [(start["history"] + History.newest, 0.0, max(0.0, vectors - 1.0))]
    found += [(start["swaps"] + k, 0.0, states - 1.0) for k in range(sizes.get("swaps", 0))]
    return found


def rules(program: Program) -> list[float]:
    """Rules for the numbers of a record, as `kernels.records.fits` reads them."""
    whole = whole_numbers(program)
    found = [float(len(whole)), *(float(number) for rule in whole for number in rule)]
    counts = [region for region in ("ranks", "chosen") if region in program.regions]  # in older formats less
    found.append(float(len(counts) * len(program.loops)))
    for region in counts:
        first = 0
        for number, loop in enumerate(program.loops):
            rows = len(loop["labels"])
            found += [program.regions[region][0] + number, program.regions["pivots"][0] + first, rows]
            first += rows
    shapes = program.region("shapes") if "shapes" in program.regions else slice(0, 0)  # in older formats not there
    return [*found, float(shapes.start), float(shapes.stop - shapes.start), *program.new_record()[shapes].tolist()]


class States:
    """The states of one program as bytes; `key` names the program."""

    def __init__(self, program: Program, key: bytes):
        self.program = program
        self.key = key
        self.count = program.regions["end"][0]
        self.size = HEADER.size + 16 * self.count + CHECKSUM.size
        self._rules = rules(program)

    def pack(self, flags: Sequence[bool], tolerances: Sequence[float], record: np.ndarray, given: np.ndarray) -> bytes:
        """`flags` are three, `tolerances` two."""
        head = HEADER.pack(MAGIC, LAYOUT, self.key, *flags, *tolerances)
        content = head + record.tobytes() + given.tobytes()
        return content + CHECKSUM.pack(zlib.crc32(content))

    def unpack(self, state: object) -> tuple[list[bool], list[float], np.ndarray, np.ndarray]:
        """The packed state; ValueError with the reason where it isn't a state of this program, or a damaged one."""
        if not isinstance(state, bytes) or len(state) != self.size:
            raise ValueError("the state to restore is not one of this model: save it with the same FMU")
        magic, layout, key, *rest = HEADER.unpack_from(state)
        if (magic, layout, key) != (MAGIC, LAYOUT, self.key):
            raise ValueError("the state to restore is not one of this model: save it with the same FMU")
        record, given = np.split(np.frombuffer(state, count=2 * self.count, offset=HEADER.size), 2)
        sound = zlib.crc32(state[: -CHECKSUM.size]) == CHECKSUM.unpack_from(state, self.size - CHECKSUM.size)[0]
        flags, tolerances = rest[:3], rest[3:]
        sound = sound and all(math.isfinite(t) and t > 0.0 for t in tolerances)
        if not (sound and all(fits(R.tolist(), self._rules) for R in (record, given))):
            raise ValueError("the state to restore is damaged: save it anew")
        return flags, tolerances, record, given
