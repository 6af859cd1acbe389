"""Report on a model and its closed loops: assembly, redundant conditions, residuals."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..record.blocks import LoopNumbers
from ..record.program import Program

MOST_KEPT = 64  #: notes on rows that a program keeps


def loop_statistics(program: Program, R: np.ndarray) -> dict[str, Any]:
    """Return statistics of closed loops: largest residual, numbers of independent coordinates and velocities."""
    if not program.loops:
        return {}
    loop_state, degrees_of_freedom = R[program.region("loop_state")], program.regions["u"][1]
    return {
        "residual": float(loop_state[LoopNumbers.largest_residual_of_run]),
        "impulse": float(loop_state[LoopNumbers.largest_impulse]),
        "conditions": program.regions["residuals"][1],
        "rank": int(loop_state[LoopNumbers.rank]),
        "freedoms": degrees_of_freedom - int(loop_state[LoopNumbers.position_rank]),
        "rate_freedoms": degrees_of_freedom - int(loop_state[LoopNumbers.rank]),
        "rebasings": int(loop_state[LoopNumbers.rebasings]),
        "projections": int(loop_state[LoopNumbers.projections]),
    }


def assembly_notes(program: Program, R: np.ndarray, start: np.ndarray) -> list[str]:
    """Return notes on the model and on its assembly, one line each."""
    if not program.loops:
        return list(program.notes)
    key = R[program.assembled].tobytes() + start[program.assembled].tobytes()
    known, notes = program.last_notes
    if key != known:
        notes = program.notes + _on_assembly(program, R, start) + program.hints
        program.last_notes = key, notes
    return list(notes)


def _on_assembly(program: Program, R: np.ndarray, start: np.ndarray) -> list[str]:
    """Return notes on the assembly of loops and on their redundant conditions."""
    loop_state = R[program.region("loop_state")]
    slots = np.array([v.slot for v in program.of_role("coordinate", "rate")], dtype=int)
    before, after = start[slots], R[slots]
    changed = np.flatnonzero(abs(after - before) > 1e-12 * np.maximum(1.0, abs(before))).tolist()
    variables = program.of_role("coordinate", "rate")
    moved = [f"{variables[k].name} = {after[k]:.6g}" for k in changed if variables[k].name not in program.calculated]
    notes = []
    if moved:
        shown = ", ".join(moved[:12]) + (f", ... ({len(moved)} in all)" if len(moved) > 12 else "")
        steps = int(loop_state[LoopNumbers.iterations])
        starts = int(loop_state[LoopNumbers.starts_tried])
        other = f" from start {starts}, since the start values lead to no closed position" * (starts > 1)
        notes.append(f"assembled in {steps} steps{other}, residual {loop_state[LoopNumbers.last_good]:.1e}: {shown}")
    if loop_state[LoopNumbers.changed_starts] > 0:
        what = ("coordinates", "velocities", "coordinates and velocities")[
            int(loop_state[LoopNumbers.changed_starts]) - 1
        ]
        notes.append(f"the start {what} left the loops slightly open: the smallest change that closes them was made")
    singular = int(loop_state[LoopNumbers.singular_start])
    if singular > 0:
        name = program.loops[singular - 1]["name"]
        notes.append(
            f"loop {name!r} starts in a singular position or very near one: its conditions depend on each other there, "
            "and rounding decides the motion; start elsewhere, or give the loop the freedom that its joints lack"
        )
    return notes + implied_conditions(program, R)


def implied_conditions(program: Program, R: np.ndarray) -> list[str]:
    """Return a note for each loop with redundant conditions, which follow from others."""
    rows = [R[program.region(name)] for name in ("ranks", "pivots", "modes")]
    key, kept = b"".join(numbers.tobytes() for numbers in rows), program.notes_of_rows
    if key not in kept:
        if len(kept) >= MOST_KEPT:
            kept.clear()
        kept[key] = _implied_conditions(program, *rows)
    return kept[key]


def _implied_conditions(program: Program, ranks: np.ndarray, pivots: np.ndarray, modes: np.ndarray) -> list[str]:
    """Return the notes of `implied_conditions` for ranks, pivots and modes."""
    notes, first = [], 0
    off = {mode["name"] for mode, now in zip(program.modes, modes, strict=True) if now != 0.0}
    for number, loop in enumerate(program.loops):
        labels = list(loop["labels"])
        rank = int(ranks[number])
        chosen = {int(p) for p in pivots[first : first + rank]}
        left = [] if loop["name"] in off else [label for k, label in enumerate(labels) if k not in chosen]
        first += len(labels)
        if left:
            are, them = ("is", "it") if len(left) == 1 else ("are", "them")
            notes.append(
                f"loop {loop['name']!r}: {_joined(left)} {are} already implied; reactions along {them} are not unique"
            )
    return notes


def _joined(labels: list[str]) -> str:
    """Return a text such as "translation along z and rotations about x, y"."""
    axes_of: dict[str, list[str]] = {}
    for label in labels:
        for words in (" along ", " about "):
            if words in label:
                motion, axis = label.split(words)
                axes_of.setdefault(motion + "{}" + words, []).append(axis)
                break
        else:
            axes_of.setdefault(label, [])
    parts = [motion.format("s" if len(axes) > 1 else "") + ", ".join(sorted(axes)) for motion, axes in axes_of.items()]
    return ", ".join(parts[:-1]) + " and " * (len(parts) > 1) + parts[-1]
