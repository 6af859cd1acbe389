"""Notes on outputs of a run that are no values of their kind, such as a Boolean of 3: FMUs have no value there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from ..record.kinds import DEMANDED, REAL, held_by
from ..record.program import Variable


def fit(variable: Variable, values: np.ndarray) -> np.ndarray:
    """Return for each number whether the type of a variable can hold it."""
    least, most = held_by(variable.kind, variable.range)
    held: np.ndarray = (least <= values) & (values <= most)
    return held if variable.kind == REAL else held & (values == np.floor(values))


def unfit_notes(outputs: Iterable[Variable], columns: Sequence[str], rows: np.ndarray) -> list[str]:
    """Return a note on each output that has a number which its type cannot hold.

    columns: names of the columns of rows, (times, columns), time first.
    """
    notes = []
    for v in outputs:
        values = rows[:, columns.index(v.name)]
        for row in np.flatnonzero(~fit(v, values))[:1]:
            notes.append(
                f"output {v.name!r} of kind {v.kind} was {values[row]:.9g} at t = {rows[row, 0]:.9g} s: it must be "
                f"{DEMANDED[v.kind]}; FMUs give no value there"
            )
    return notes
