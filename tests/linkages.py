"""Mechanisms with closed loops that several tests share."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from mechanisms import random_rotation

import mbs_fmu as mbs
from mbs_fmu.model.model import Model

TILT = random_rotation(np.random.default_rng(5))
G = 9.81


def rod(length: float, mass: float) -> dict[str, Any]:
    """A uniform thin rod along x from the body's origin."""
    J = mass * length**2 / 12
    return {"mass": mass, "com": (length / 2, 0, 0), "inertia": (0, J, J)}


def quadrilateral(
    a: float,
    b: float,
    c: float,
    ground: float,
    phi: float,
    w: float,
    joint: Any = None,
    *,
    branch: float = 1.0,
    tilt: Any = None,
    size: float = 1.0,
    weight: float = 1.0,
    masses: tuple[float, float, float] | None = None,
) -> Model:
    """A planar four-bar: crank a from the origin, coupler b, rocker c from (ground, 0), in the plane of x and y.

    Gravity is along -y. The plane is turned by `tilt`; lengths are `size`, masses `weight` times as large, velocities
    as they are where gravity grows with the size. The crank is held, the others are guesses from the closed form.
    """
    tilt = np.eye(3) if tilt is None else tilt
    masses = masses or (a, b, c)
    m = Model("quadrilateral", gravity=tilt @ (0, -G * size, 0))
    a, b, c, ground = (size * x for x in (a, b, c, ground))
    hinge = mbs.Revolute("z")
    tip = a * np.array([math.cos(phi), math.sin(phi)])
    gap = np.array([ground, 0]) - tip
    d = float(np.hypot(*gap))
    inner = math.acos(min(1.0, max(-1.0, (b * b + d * d - c * c) / (2 * b * d))))
    theta = math.atan2(gap[1], gap[0]) + branch * inner
    corner = tip + b * np.array([math.cos(theta), math.sin(theta)])
    psi = math.atan2(corner[1], corner[0] - ground)
    m.body("crank", "world", hinge, at=mbs.Pose((0, 0, 0), tilt), **rod(a, masses[0] * weight))
    m.body("coupler", "crank", hinge, at=(a, 0, 0), **rod(b, masses[1] * weight))
    m.body("rocker", "world", hinge, at=mbs.Pose(tilt @ (ground, 0, 0), tilt), **rod(c, masses[2] * weight))
    m.close("pin", "coupler", "rocker", joint or hinge, at_a=(b, 0, 0), at_b=(c, 0, 0))
    m.start("crank", q=phi, u=w)
    m.start("coupler", q=theta - phi, guess=True)
    m.start("rocker", q=psi, guess=True)
    m.output("E", mbs.energy())
    m.output("g", mbs.residual())
    return m


def chain_four_bar(closure: str = "equations") -> Model:
    """Three rods of 1, 2, 1.5 m and 1, 2, 1.5 kg in a chain, the last one's end held at (2, 0) m; th1 = 2, rate 1."""
    m = Model("chain_four_bar", gravity=(0, -G, 0))
    parent, at = "world", 0.0
    for k, length in enumerate((1.0, 2.0, 1.5), 1):
        m.body(f"rod{k}", parent, mbs.Revolute("z"), at=(at, 0, 0), **rod(length, length))
        parent, at = f"rod{k}", length
    if closure == "equations":
        x, y, _ = mbs.position("rod3", (1.5, 0, 0))
        m.constrain("pin", [x - 2.0, y])
    else:
        joint = {"line": mbs.OnLine("z"), "hinge": mbs.Revolute("z")}[closure]
        m.close("pin", "world", "rod3", joint, at_a=(2, 0, 0), at_b=(1.5, 0, 0))
    m.start("rod1", q=2.0, u=1.0)
    m.start("rod2", q=-1.2, guess=True)
    m.start("rod3", q=-1.5, guess=True)
    m.output("E", mbs.energy())
    m.output("g", mbs.residual())
    return m


def ring(
    points: Any, axes: Any, gravity: Any, *, size: float = 1.0, weight: float = 1.0, tilt: Any = None, w: float = 0.0
) -> Model:
    """A single loop of hinges at `points` (m) about `axes`, in world axes at the start; rods of 1 kg from one to the next.

    The last rod is the ground: the loop is closed there by the last hinge. Scaled as in `quadrilateral`.
    """
    tilt = np.eye(3) if tilt is None else tilt
    P = size * np.array(points, dtype=float) @ tilt.T
    A = np.array(axes, dtype=float) @ tilt.T
    m = Model("ring", gravity=size * tilt @ gravity)
    parent, before = "world", np.zeros(3)
    for k in range(len(P) - 1):
        r = P[k + 1] - P[k]
        inertia = weight / 12 * ((r @ r) * np.eye(3) - np.outer(r, r)) + 0.001 * weight * (r @ r) * np.eye(3)
        m.body(f"rod{k}", parent, mbs.Revolute(A[k]), weight, r / 2, inertia, P[k] - before)
        parent, before = f"rod{k}", P[k]
    m.close("ring", "world", parent, mbs.Revolute(A[-1]), at_a=P[-1], at_b=P[-1] - before)
    m.start("rod0", u=w)
    m.output("E", mbs.energy())
    m.output("g", mbs.residual())
    return m


def bricard(**settings: Any) -> Model:
    """Six hinges along the edges of a cube, each normal to the next: one motion, by its special shape alone."""
    points = [(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)]
    x, y, z = np.eye(3)
    return ring(points, [y, z, x, y, z, x], np.array((0, -G, 0)), **settings)


def bennett(**settings: Any) -> Model:
    """Four hinges, opposite links of equal length and twist with a / sin(alpha) = b / sin(beta): one motion."""
    a, b, alpha = 1.0, 1.5, 0.6
    beta = math.asin(b * math.sin(alpha) / a)
    theta = 1.0
    half = math.sin((beta + alpha) / 2) / math.sin((beta - alpha) / 2)
    phi = 2 * math.atan(half / math.tan(theta / 2))

    def screw(angle: float, along: float, twist: float) -> np.ndarray:
        c, s, C, S = math.cos(angle), math.sin(angle), math.cos(twist), math.sin(twist)
        return np.array(
            [[c, -s * C, s * S, along * c], [s, c * C, -c * S, along * s], [0, S, C, 0], [0, 0, 0, 1]], dtype=float
        )

    T = [np.eye(4)]
    for angle, along, twist in ((theta, a, alpha), (phi, b, beta), (-theta, a, alpha)):
        T.append(T[-1] @ screw(angle, along, twist))
    return ring([t[:3, 3] for t in T], [t[:3, 2] for t in T], np.array((0.3 * G, -G, 0)), **settings)
