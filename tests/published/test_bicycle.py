"""The benchmark bicycle: four bodies, two wheels that roll, and the published eigenvalues of its upright ride.

J. P. Meijaard, J. M. Papadopoulos, A. Ruina, A. L. Schwab, Proceedings of the Royal Society A 463 (2007) 1955-1982.
"""

from __future__ import annotations

import math

import numpy as np

import mbs_fmu as mbs
from support.comparisons import assert_close

REAR, FRONT, BASE, TRAIL, TILT = 0.3, 0.35, 1.02, 0.08, math.pi / 10  # table 1; m, rad
SPEED = 5.0  # m/s
WEAVE = complex(-0.775341882195845, 4.46486771378823)  # table 2, 1/s
CAPSIZE, CASTER = -0.322866429004087, -14.0783896927982


def bicycle() -> mbs.Model:
    """x forward, y to the left, z up; the paper's z points down, which changes the sign of products xz."""
    m = mbs.Model("bicycle")
    frame = m.body("frame", joint=mbs.Free(), mass=85, com=(0.3, 0, 0.9 - REAR), inertia=(9.2, 0, -2.4, 11, 0, 2.8))
    rear = m.body("rear", frame, mbs.Revolute("y"), 2, inertia=(0.0603, 0.12, 0.0603))
    height = 0.5  # of a point on the steering axis
    head = np.array([BASE + TRAIL - height * math.tan(TILT), 0, height])
    fork = m.body(
        "fork", frame, mbs.Revolute((-math.sin(TILT), 0, math.cos(TILT))), 4, np.array([0.9, 0, 0.7]) - head,
        inertia=(0.05892, 0, 0.00756, 0.06, 0, 0.00708), at=head - [0, 0, REAR],
    )  # fmt: skip
    front = m.body(
        "front", fork, mbs.Revolute("y"), 3, inertia=(0.1405, 0.28, 0.1405), at=np.array([BASE, 0, FRONT]) - head
    )
    m.roll("rear_tyre", rear, radius=REAR)
    m.roll("front_tyre", front, radius=FRONT)
    m.start(frame, q=(0, 0, REAR, 1, 0, 0, 0), u=(SPEED, 0, 0, 1e-6, 0, 0))
    m.start(rear, u=SPEED / REAR, guess=True)
    m.start(front, u=SPEED / FRONT, guess=True)
    m.output("lean", (mbs.position(frame, (0, 1, 0)) - mbs.position(frame))[2])
    return m


def test_a_small_disturbance_dies_out_as_published() -> None:
    """The lean after a disturbance of 1e-6 rad/s is a sum of the four published motions."""
    result = mbs.simulate(bicycle(), 6.0, rtol=1e-12, atol=1e-16, method="dop853", output_interval=0.01)
    t, lean = result.time, result["lean"]
    weave = np.exp(WEAVE * t)
    motions = np.column_stack([weave.real, weave.imag, np.exp(CAPSIZE * t), np.exp(CASTER * t)])
    shares = np.linalg.lstsq(motions, lean)[0]
    assert_close(motions @ shares, lean, 1e-8 * np.abs(lean).max(), "lean angle", times=t)
    assert np.all(np.abs(shares) > 1e-4 * np.abs(shares).max())
    assert (result.statistics["freedoms"], result.statistics["rate_freedoms"]) == (7, 3)
