"""Whether matrices of files are those of a free body: rigid motions cause no elastic forces."""

from __future__ import annotations

from typing import Any

from ..reduction.structures import MOTIONS, resisted_motion
from ..shapes import Array


def fault(K: Any, M: Any, G: Array, cause: str) -> str | None:
    """Return what is wrong with the stiffness of a free body, for a message; None if rigid motions cause no force.

    K, M: (n, n), sparse. G: rigid motions, (n, 6). cause: what else may be wrong, with its remedy.
    """
    worst = resisted_motion(K, G)
    if worst is None:
        return None
    if M.nnz and resisted_motion(M, G) is None:
        return "the mass matrix has no inertia in rigid motions, but the stiffness resists them: swap the two files"
    return f"the stiffness resists a rigid motion {MOTIONS[worst]}, which a free body does not: {cause}"
