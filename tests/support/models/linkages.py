"""Mechanisms with closed loops."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import mbs_fmu as mbs
from mbs_fmu.model.model import Model
from support.generators.mechanisms import random_rotation

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
    """A planar four-bar: crank a from the origin, coupler b, rocker c from (ground, 0), in the x-y plane.

    Gravity acts along -y. `tilt` rotates the plane; lengths are multiplied by `size`, masses by `weight`, velocities as
    suits gravity that grows with the size. The crank is held, the other starts are guesses in closed form.
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
    """A chain of rods of 1, 2, 1.5 m and 1, 2, 1.5 kg, its end held at (2, 0) m; th1 = 2, rate 1."""
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
    """A single loop of hinges at `points` (m) about `axes`, in world axes at the start; rods of 1 kg between them.

    The last rod is the ground, where the last hinge closes the loop. Scaled as in `quadrilateral`.
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
    """Six hinges along the edges of a cube, each normal to the next: one degree of freedom, by its special geometry."""
    points = [(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)]
    x, y, z = np.eye(3)
    return ring(points, [y, z, x, y, z, x], np.array((0, -G, 0)), **settings)


def bennett(**settings: Any) -> Model:
    """Four hinges, opposite links of equal length and twist with a / sin(alpha) = b / sin(beta): one freedom."""
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


# -- one linkage of each kind --------------------------------------------------------------------------------


def slider_crank() -> Model:
    """Crank and rod, whose end moves along a line, held by a spring."""
    m = Model("slider_crank")
    m.body("crank", "world", mbs.Revolute("y"), **rod(0.3, 1.0))
    m.body("rod", "crank", mbs.Revolute("y"), at=(0.3, 0, 0), **rod(0.8, 0.7))
    m.body("slider", "world", mbs.Prismatic("x"), 0.5)
    m.close("pin", "rod", "slider", mbs.Revolute("y"), at_a=(0.8, 0, 0))
    m.spring("buffer", on="slider", stiffness=20.0, length=0.9)
    m.start("crank", q=0.7, u=5.0)
    m.start("rod", q=-1.0, guess=True)
    m.start("slider", q=1.0, guess=True)
    return m


def stewart() -> Model:
    """A platform on six legs, each a universal joint and a slide; one leg is in the tree, the others close loops."""
    m = Model("stewart")
    angles = np.deg2rad([0, 60, 120, 180, 240, 300])
    sign = np.array([1, -1, 1, -1, 1, -1])
    feet = np.column_stack([1.2 * np.cos(angles + 0.3 * sign), 1.2 * np.sin(angles + 0.3 * sign), 0 * angles])
    ends = np.column_stack([0.7 * np.cos(angles - 0.3 * sign), 0.7 * np.sin(angles - 0.3 * sign), 0 * angles])
    for k in range(6):
        leg = mbs.Compound(mbs.turn("x"), mbs.turn("y"), mbs.slide("z"))
        m.body(f"leg{k}", "world", leg, 2.0, (0, 0, -0.4), (0.06, 0.06, 0.01), feet[k])
        m.spring(f"jack{k}", on=f"leg{k}", coordinate=3, stiffness=900.0, damping=3.0, length=1.1 + 0.02 * k)
        x, y, z = (ends[k] + (0.05, 0.02, 1.0)) - feet[k]
        length = math.sqrt(x * x + y * y + z * z)
        m.start(f"leg{k}", q=(math.atan2(-y, z), math.asin(x / length), length), guess=k > 0)
    m.body("platform", "leg0", mbs.Spherical(), 5.0, -ends[0], (0.6, 0.6, 1.2))
    back = np.array(m.starts["leg0"].q)
    m.start("platform", q=_leg_to_world(back), u=(0.1, 0.5, -0.3), guess=True)
    for k in range(1, 6):
        m.close(f"ball{k}", f"leg{k}", "platform", mbs.Spherical(), at_b=ends[k] - ends[0])
    return m


def _leg_to_world(q: np.ndarray) -> tuple[float, ...]:
    """Inverse of a leg's orientation as a quaternion."""
    a, b = 0.5 * q[0], 0.5 * q[1]
    forward = np.array([math.cos(a) * math.cos(b), math.sin(a) * math.cos(b), math.cos(a) * math.sin(b)])
    return (forward[0], -forward[1], -forward[2], -math.sin(a) * math.sin(b))


def coupled_loops() -> Model:
    """Three posts and two bars: two loops share a post, one closed by equations, one by a hinge; a motor."""
    m = Model("coupled_loops", gravity=(0, -G, 0))
    for k, length in enumerate((1.0, 1.2, 0.9)):
        m.body(f"post{k}", "world", mbs.Revolute("z"), at=(1.1 * k, 0, 0), **rod(length, 1.0 + 0.2 * k))
        m.start(f"post{k}", q=1.3, u=None, guess=k > 0)
    for k, length in enumerate((1.0, 1.2)):
        m.body(f"bar{k}", f"post{k}", mbs.Revolute("z"), at=(length, 0, 0), **rod(1.1, 0.8))
        m.start(f"bar{k}", q=-1.3, guess=True)
    gap = mbs.position("bar0", (1.1, 0, 0)) - mbs.position("post1", (0.8, 0, 0))
    m.constrain("left", gap[:2])
    m.close("right", "post2", "bar1", mbs.Revolute("z"), at_a=(0.9, 0, 0), at_b=(1.1, 0, 0))
    m.start("post0", u=-1.0)
    m.motor("drive", on="post0", torque=2.0 * mbs.sin(3 * mbs.time))
    return m


def scissor(stages: int = 3) -> Model:
    """A free-floating scissor mechanism of crossed bars, without gravity."""
    m = Model("scissor", gravity=(0, 0, 0))
    bar = {"mass": 1.0, "inertia": (0.1, 0.01, 0.1)}
    a, b = 0.5, 0.7
    m.body("a0", "world", mbs.Free(), **bar)
    m.body("b0", "a0", mbs.Revolute("y"), **bar)
    m.start("a0", q=(0, 0, 0, math.cos(a / 2), 0, -math.sin(a / 2), 0), u=(0.1, 0.2, 0, 0.3, -0.2, 0.1))
    m.start("b0", q=2 * a, u=b, guess=False)
    for k in range(1, stages):
        m.body(f"b{k}", f"a{k - 1}", mbs.Revolute("y"), com=(-0.5, 0, 0), at=(0.5, 0, 0), **bar)
        m.body(f"a{k}", f"b{k}", mbs.Revolute("y"), at=(-0.5, 0, 0), **bar)
        m.close(f"pin{k}", f"b{k - 1}", f"a{k}", mbs.Revolute("y"), at_a=(-0.5, 0, 0), at_b=(-0.5, 0, 0))
        m.start(f"b{k}", q=2 * a, guess=True)
        m.start(f"a{k}", q=-2 * a, guess=True)
    return m


def spatial(last: str) -> Model:
    """A crank, a rod on a ball, and a rocker about a skew axis, closed by a ball (RSSR) or by a cylinder (RSCR)."""
    m = Model(last.lower())
    m.body("crank", "world", mbs.Revolute("z"), **rod(0.4, 1.0))
    m.body("rocker", "world", mbs.Revolute((1, 0.2, 0.1)), at=(0.9, 0.7, -0.3), **rod(0.9, 1.3))
    m.body("rod", "crank", mbs.Spherical(), 0.8, (0.6, 0, 0), (0.01, 0.09, 0.1), (0.4, 0, 0))
    if last == "RSSR":
        m.close("ball", "rod", "rocker", mbs.Spherical(), at_a=(1.5, 0, 0), at_b=(0.1, 0.8, 0.2))
    else:
        sleeve = mbs.Compound(mbs.slide("x"), mbs.turn("x"))
        half = 0.2
        pose = mbs.Pose((0.1, 0.8, 0.2), (math.cos(half), 0, 0, math.sin(half)))
        m.close("sleeve", "rod", "rocker", sleeve, at_a=(0, 0.6, 0), at_b=pose)
    m.start("crank", q=0.3, u=4.0)
    m.start("rocker", q=0.2, guess=True)
    m.start("rod", q=(1, 0.1, 0.2, 0.3), guess=True)
    return m


def spherical_four_bar() -> Model:
    """Four hinges whose axes meet in a point."""
    m = Model("spherical_four_bar")
    axes = np.array([(0, 0, 1), (0.4, 0, 1), (0.5, 0.9, 0.8), (-0.3, 0.8, 1)])
    for k, parent in enumerate(("world", "body0", "body1")):
        m.body(f"body{k}", parent, mbs.Revolute(axes[k]), 1.0 + k, 0.3 * (axes[k] + axes[k + 1]), (0.1, 0.12, 0.07))
    m.close("hinge", "world", "body2", mbs.Revolute(axes[3]))
    m.start("body0", q=0.5, u=3.0)
    m.start("body1", q=-0.3, guess=True)
    m.start("body2", q=0.2, guess=True)
    return m


def guided(kind: str) -> Model:
    """A free body on springs, held by a rod, a line or a plane on a swinging arm."""
    m = Model(kind)
    m.body("arm", "world", mbs.Universal("xy"), 1.0, (0, 0, -0.3), (0.05, 0.06, 0.01))
    m.body("load", "world", mbs.Free(), 2.0, (0.05, 0, 0), (0.1, 0.12, 0.15))
    length = 0.8 + (0.1 * mbs.sin(3 * mbs.time) if kind == "driven" else 0)
    joint = {"line": mbs.OnLine((1, 0.2, 0.3)), "plane": mbs.OnPlane((0.2, 0.1, 1))}.get(kind, mbs.Distance(length))
    m.close("link", "arm", "load", joint, at_a=(0.1, 0, -0.6), at_b=(0, 0.2, 0.1))
    m.spring("rope", "world", "load", at_a=(0.2, 0.1, 0.5), at_b=(0.1, 0, 0.2), stiffness=80.0, length=0.9)
    m.start("arm", q=(0.2, -0.1), u=(0.5, 1.0))
    m.start("load", q=(0.3, 0.1, -1.2, 1, 0.1, 0.2, -0.1), u=(0.3, 0.2, 0.1, 0.5, -0.4, 0.8), guess=True)
    return m


def geared() -> Model:
    """Two arms with q2 = 2 q1."""
    m = Model("geared")
    m.body("a", "world", mbs.Revolute("y"), **rod(0.5, 1.0))
    m.body("b", "a", mbs.Revolute("y"), at=(0.5, 0, 0), **rod(0.7, 0.6))
    m.constrain("gear", mbs.coordinate("b") - 2 * mbs.coordinate("a"))
    m.start("a", q=0.4, u=1.0)
    return m


def parabola() -> Model:
    """A body whose point slides along z = x²/2, on a cart and a hoist."""
    m = Model("parabola")
    m.body(
        "bead", "world", mbs.Compound(mbs.slide("x"), mbs.slide("z"), mbs.turn("y")), 1.0, (0.1, 0, 0.05), (1, 0.1, 1)
    )
    x, _, z = mbs.position("bead", (0, 0, 0.1))
    m.constrain("curve", z - 0.5 * x**2)
    m.start("bead", q=(1.0, 0.4, 0.3), u=(0.2, 0, 1.0), guess=True)
    return m


KINDS = {
    "four_bar": lambda: quadrilateral(1, 2, 1.5, 2, 2.0, 1.0, tilt=TILT),
    "slider_crank": slider_crank,
    "stewart": stewart,
    "coupled": coupled_loops,
    "scissor": scissor,
    "RSSR": lambda: spatial("RSSR"),
    "RSCR": lambda: spatial("RSCR"),
    "spherical": spherical_four_bar,
    "distance": lambda: guided("distance"),
    "line": lambda: guided("line"),
    "plane": lambda: guided("plane"),
    "driven": lambda: guided("driven"),
    "gear": geared,
    "parabola": parabola,
}


def double_parallelogram(phi: float, w: float, **settings: Any) -> Model:
    """A parallelogram with a third, equal post in the middle: one more loop with the same mobility."""
    m = quadrilateral(1, 2, 1, 2, phi, w, **settings)
    m.body("middle", "world", mbs.Revolute("z"), at=mbs.Pose(TILT @ (1, 0, 0), TILT), **rod(1.0, 1.0))
    m.close("pin2", "coupler", "middle", mbs.Revolute("z"), at_a=(1, 0, 0), at_b=(1, 0, 0))
    m.start("middle", q=phi, guess=True)
    return m
