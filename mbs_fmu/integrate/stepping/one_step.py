"""One step of a method, for programs that make their own time loop.

Only the text of such a program contains these functions, behind all others (`write.one_step_text`).
"""

from __future__ import annotations

from ...kernels.declarations import Record
from ...kernels.linked import derive
from ...kernels.names import EVALUATIONS, NX, OK, ROLLBACK, TIME, X0
from .drivers import METHOD_finish, METHOD_one, copy, mark, take_back
from .hooks import METHOD_enter


def evaluate_without_tables(R: Record, U: Record) -> None:
    """Compute all rates at the present state; in place of `evaluate`, because inputs are constant during a step.

    Writes: head.
    """
    derive(R)
    R[EVALUATIONS] += 1.0


def METHOD_single(R: Record, U: Record, h: float, end: float) -> int:
    """Make one step of METHOD of size h to the time `end`, then compute rates and outputs; return a status.

    METHOD_fixed determines from the rounded interval how many steps it needs, so that its cost varies. After a failure
    the state at the beginning of the call is restored.

    Reads: drive_impulses, head, p, q, z. Writes: rollback.
    """
    mark(R)
    copy(R, X0, ROLLBACK, NX)
    start = R[TIME]
    METHOD_enter(R, U, end, h)
    status = METHOD_one(R, U, start, h, end)
    if status != OK:
        return take_back(R, start, status)
    return METHOD_finish(R, U, start, h)
