"""Numbers of a record that kernels use as indices, counts and choices, with the least and greatest value of each."""

from __future__ import annotations

from .layout import MOST_LOGGED, Choice, Fresh, Head, History, LoopState, Tie
from .program import Program

MOST = 2.0**53  #: all whole numbers up to this one are doubles


def whole_numbers(program: Program) -> list[tuple[int, float, float]]:
    """Return the addresses of a record's indices, counts and choices, each with its least and its largest value.

    The ranks and pivots of loops, whose bounds depend on each other, are not among them.
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
    modes = float(sizes.get("modes", 0))
    for first in range(start.get("ties", 0), start.get("ties", 0) + sizes.get("ties", 0), Tie.size):
        ranges += [(first + Tie.mode, 0.0, modes), (first + Tie.found, -modes, modes)]
    ranges += [(start["swaps"] + k, 0.0, states - 1.0) for k in range(sizes.get("swaps", 0))]
    return ranges


def limits(program: Program) -> dict[int, tuple[int, int]]:
    """Return the least and the greatest value of each of these numbers, of ranks and pivots too, by their addresses.

    Numbers that never change have the values of the program's record: integers in the data of elastic bodies, and
    whether events are detected at the beginning of steps only.
    """
    found = {address: (int(least), int(most)) for address, least, most in whole_numbers(program)}
    first = 0
    for number, loop in enumerate(program.loops):
        rows = len(loop["labels"])
        for region in ("ranks", "chosen"):
            found[program.regions[region][0] + number] = 0, rows
        for k in range(first, first + rows):
            found[program.regions["pivots"][0] + k] = 0, rows - 1
        first += rows
    record = program.new_record()
    shapes = program.region("shapes") if "shapes" in program.regions else slice(0, 0)
    for address in (*range(shapes.start, shapes.stop), int(Head.at_steps)):
        if float(record[address]).is_integer():
            found[address] = (int(record[address]),) * 2
    return found
