"""A bicycle model of steady cornering, for the car of benchmarks/vehicles.py."""

from __future__ import annotations

from typing import Any

import numpy as np

import mbs_fmu as mbs
from benchmarks.vehicles import CARRIER, MASS, WHEEL, A, B, load
from support.models.tyres import CAR_TYRE

#: A tyre whose curves have no shifts, so that its slopes at zero slip are those of small angles.
EVEN = CAR_TYRE | dict.fromkeys(("LHX", "LVX", "LHY", "LVY", "LKYC"), 0.0) | dict.fromkeys(
    ("QHZ1", "QHZ2", "QHZ3", "QHZ4", "QDZ6", "QDZ7", "QDZ8", "QDZ9"), 0.0
)  # fmt: skip


def understeer(tyre: mbs.Tyre) -> float:
    """Return the understeer gradient of the bicycle model, rad/(m/s²), for small angles.

    With slips a_f, a_r per unit of lateral acceleration: c_f a_f + c_r a_r = m and the balance of moments, with the
    aligning moments of the tyres, and with the masses of axles and wheels where they are.
    """
    e = 1e-5
    c, n = {}, {}
    for axle in "fr":
        one, two = (tyre.forces(load(axle), 0.0, x) for x in (e, -e))
        c[axle], n[axle] = -(one.fy - two.fy) / e, (one.mz - two.mz) / e  # of both wheels of the axle
    corner = CARRIER + WHEEL
    rows: Any = [[c["f"], c["r"]], [A * c["f"] - n["f"], -B * c["r"] - n["r"]]]
    front, rear = np.linalg.solve(rows, [MASS + 4.0 * corner, 2.0 * corner * (A - B)])
    return float(front - rear)
