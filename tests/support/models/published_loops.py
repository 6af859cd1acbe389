"""Published closed loops as models; tests/published/test_published_loops.py compares them with their sources."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import mbs_fmu as mbs
from support.oracles.published_results import G_IFTOMM, G_STANDARD, about_x, adams

Triple = tuple[float, float, float]
STEEL = 7700.0  #: kg/m³, the default of the Modelica Standard Library


def bar(along: Triple, area: float, gyration: float) -> dict[str, Any]:
    """A steel bar from the origin to `along`; `gyration`: square of its section's radius of gyration, m²."""
    r = np.array(along)
    square = float(r @ r)
    mass = STEEL * area * math.sqrt(square)
    axial = np.outer(r, r) / square
    inertia = mass * (2 * gyration * axial + (square / 12 + gyration) * (np.eye(3) - axial))
    return {"mass": mass, "com": tuple(r / 2), "inertia": inertia}


# -- IFToMM library of computational benchmark problems ----------------------------------------------


def a02(count: int, closure: str) -> mbs.Model:
    """N-four-bar: `count` windows of unit rods of 1 kg in the x-y plane, uprights vertical; B0 moves at 1 m/s.

    Each window is closed by a hinge (three of its five conditions are redundant), by a line across the plane, or by two
    equations.
    """
    m = mbs.Model("a02", gravity=(0, -G_IFTOMM, 0))
    rod: dict[str, Any] = {"joint": mbs.Revolute("z"), "mass": 1.0}
    upright: dict[str, Any] = {"com": (0, 0.5, 0), "inertia": (1 / 12, 0, 1 / 12)}
    uprights = [m.body(f"upright{k}", at=(k, 0, 0), **rod, **upright) for k in range(count + 1)]
    for k in range(count):
        coupler = m.body(f"bar{k}", uprights[k], at=(0, 1, 0), com=(0.5, 0, 0), inertia=(0, 1 / 12, 1 / 12), **rod)
        if closure == "equations":
            apart = mbs.position(coupler, (1, 0, 0)) - mbs.position(uprights[k + 1], (0, 1, 0))
            m.constrain(f"loop{k}", apart[:2])
        else:
            joint = {"hinge": mbs.Revolute("z"), "line": mbs.OnLine("z")}[closure]
            m.close(f"loop{k}", uprights[k + 1], coupler, joint, at_a=(0, 1, 0), at_b=(1, 0, 0))
    m.start(uprights[0], q=0.0, u=-1.0)
    x, y, _ = mbs.position(uprights[0], (0, 1, 0))
    m.output("x", x)
    m.output("y", y)
    return m


# -- Modelica Standard Library, MultiBody.Examples.Loops and .Constraints ----------------------------

CRANK, POST, ROD = (0.0, 0.5, 0.1), (0.0, 0.2, 0.0), (-1.0, 0.3, 0.1)  #: m, of Fourbar1 and Fourbar2
BACK = (1.0, -0.3, -0.1)  #: m, the rod from its other end
ROUND = {"area": math.pi * 0.05**2 / 4, "gyration": 0.05**2 / 16}  #: cylinders of 50 mm
SQUARE = {"area": 0.05**2, "gyration": 0.05**2 / 12}  #: boxes of 50 mm


def msl_fourbar(cut: str) -> mbs.Model:
    """Fourbar1, or Fourbar2 if the rod has no mass: a crank about x, a rod, a post that slides along x.

    The loop is cut at the ball between crank and rod, at the universal joint between post and rod or at the post's
    slide; a massless rod is a distance closure.
    """
    m = mbs.Model("msl_fourbar", gravity=(0, -G_STANDARD, 0))
    crank = m.body("j1", joint=mbs.Revolute("x"), **bar(CRANK, **ROUND))
    m.start(crank, q=0.0, u=math.radians(300))
    if cut == "slide":
        rod = m.body("rod", crank, mbs.Spherical(), at=CRANK, **bar(BACK, **ROUND))
        post = m.body("post", rod, mbs.Universal("zy"), at=BACK, **bar((0, -0.2, 0), **ROUND))
        m.close("loop", "world", post, mbs.Prismatic("x"), at_a=(1.2, 0, 0), at_b=(0, -0.2, 0))
        return m
    post = m.body("j2", joint=mbs.Prismatic("x"), at=(1.2, 0, 0), **bar(POST, **ROUND))
    m.start(post, q=-0.2, guess=True)
    if cut == "ball":
        rod = m.body("rod", post, mbs.Universal("yz"), at=POST, **bar(ROD, **ROUND))
        m.close("loop", crank, rod, mbs.Spherical(), at_a=CRANK, at_b=ROD)
    elif cut == "universal":
        rod = m.body("rod", crank, mbs.Spherical(), at=CRANK, **bar(BACK, **ROUND))
        m.close("loop", post, rod, mbs.Universal("yz"), at_a=POST, at_b=BACK)
    else:
        m.close("loop", crank, post, mbs.Distance(math.sqrt(1.1)), at_a=CRANK, at_b=POST)
    return m


def msl_planar_fourbar(closure: mbs.Joint | mbs.OnLine) -> mbs.Model:
    """PlanarFourbar: hinges about z at (0, 0) and (-0.15, 1) m, the first one damped; from rest."""
    m = mbs.Model("msl_planar_fourbar", gravity=(0, -G_STANDARD, 0))
    hinge = mbs.Revolute("z")
    body1 = m.body("revolute1", joint=hinge, **bar((0.4, 0, 0), **SQUARE))
    body2 = m.body("revolute2", body1, hinge, at=(0.4, 0, 0), **bar((0.1, 1.1, 0), **SQUARE))
    body4 = m.body("revolute3", joint=hinge, at=(-0.15, 1, 0), **bar((0.65, 0.1, 0), **SQUARE))
    m.close("revolute4", body4, body2, closure, at_a=(0.65, 0.1, 0), at_b=(0.1, 1.1, 0))
    m.spring("damper", on=body1, damping=0.1)
    m.start(body1, q=0.0, u=0.0)
    return m


PLACE = (0.2, -0.3, 0.2)  #: m, of the joint and of the constraint in RevoluteConstraint and PrismaticConstraint


def attitude() -> np.ndarray:
    """Rotation by 10, 55 and 68 degrees about x, the new y and the new z: new to old coordinates."""
    about_y, about_z = (np.roll(about_x(a), (k, k), (0, 1)) for k, a in ((1, 55), (2, 68)))
    return about_x(10) @ about_y @ about_z


def msl_constraint(kind: str) -> mbs.Model:
    """RevoluteConstraint, PrismaticConstraint: two equal bodies on equal springs, one in a joint of the tree and a
    free one with the same joint as a closure.
    """
    m = mbs.Model("msl_constraint", gravity=(0, -G_STANDARD, 0))
    place = mbs.Pose(PLACE, attitude())
    body: dict[str, Any] = {"mass": 1.0, "com": (0.2, 0, 0), "inertia": (1, 1, 1)}
    if kind == "revolute":
        guided = m.body("joint", joint=mbs.Revolute("y"), at=place, **body)
        loop: mbs.Joint = mbs.Revolute("y")
    else:
        x = m.body("jointPrismatic_x", joint=mbs.Prismatic("x"), at=place)
        guided = m.body("jointPrismatic_y", x, mbs.Prismatic("y"), **body)
        loop = mbs.Compound(mbs.slide("x"), mbs.slide("y"))
    free = m.body("bodyOfConstraint", joint=mbs.Free(), at=place, **body)
    m.close("constraint", "world", free, loop, at_a=place)
    for b in (guided, free):
        m.spring(f"spring_{b.name}", "world", b, at_a=(0.8, 0, 0.3), at_b=(0.4, 0, 0), stiffness=20.0)
    m.output("r", mbs.position(free))
    m.output("v", mbs.velocity(free))
    m.output("w", [mbs.rate(free, k) for k in (4, 5, 6)])
    m.output("apart", mbs.position(free, (0.4, 0, 0)) - mbs.position(guided, (0.4, 0, 0)))
    return m


# -- MSC ADAMS, as kept in projectchrono/chrono, src/tests/unit_tests/joints -------------------------


def reactions(m: mbs.Model, at: mbs.Body | str) -> mbs.Model:
    """The model with the ground's reactions as outputs."""
    reaction = mbs.reaction(at)
    m.output("Rforce", -reaction.f)
    m.output("Rtorque", -reaction.t)
    return m


def adams_reaction(joint: Callable[[], mbs.Joint], place: Triple, degrees: float) -> mbs.Model:
    """The body on a joint of the tree."""
    return reactions(adams(joint, place, degrees), "body")


def adams_loop(joint: Callable[[], mbs.Joint], place: Triple, degrees: float) -> mbs.Model:
    """The same body, free, with the joint as a closure."""
    m = adams(mbs.Free, place, degrees)
    m.close("joint", "world", "body", joint(), at_a=mbs.Pose(place, about_x(degrees)))
    return reactions(m, "joint")


def adams_distance(ground: Triple, com: Triple, at: Triple, degrees: float) -> mbs.Model:
    """1 kg with its centre at `com`, turned about z, at rest; a rod of 2 m from `ground` to the body's point `at`."""
    m = mbs.Model("adams_distance", gravity=(0, 0, -G_STANDARD))
    half = math.radians(degrees / 2)
    pose = mbs.Pose(com, (math.cos(half), 0, 0, math.sin(half)))
    body = m.body("body", joint=mbs.Free(), mass=1.0, inertia=(0.04, 0.1, 0.1), at=pose)
    m.close("rod", "world", body, mbs.Distance(2.0), at_a=ground, at_b=at)
    m.output("Pos", mbs.position(body))
    m.output("Vel", mbs.velocity(body))
    m.output("Avel", mbs.angular_velocity(body))
    m.output("Quat", mbs.orientation(body))
    return reactions(m, "rod")
