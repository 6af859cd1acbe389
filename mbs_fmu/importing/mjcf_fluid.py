"""Forces of a fluid on the bodies of an MJCF, by MuJoCo's inertia model.

Each body counts as the box of its mass and moments of inertia. Source: MuJoCo documentation, Computation, Fluid forces.
"""

from __future__ import annotations

import math

import numpy as np

from ..model.measures.measures import angular_velocity, to_world, velocity
from ..symbolic.expressions import abs
from ..symbolic.vectors import ORIGIN, Vector
from .mjcf_reading import Reading, rotation_of

LEAST = 1e-15  #: kg and kg m², numbers that MuJoCo takes as zero (mjMINVAL)
BY_SHAPES = "the drag of a fluid on bodies with fluidshape='ellipsoid'"


def add_fluid(reading: Reading) -> None:
    """Add drag and viscous resistance of all bodies that move; note those with MuJoCo's other model."""
    mj = reading.mj
    if not (mj.opt.density or mj.opt.viscosity) or not reading.enabled.passive:
        return
    by_shapes = {int(mj.geom_bodyid[geom]) for geom in np.flatnonzero(mj.geom_fluid[:, 0])}
    for body in range(1, mj.nbody):
        if not mj.body_weldid[body] or mj.body_mass[body] < LEAST:
            continue
        if body in by_shapes:
            reading.note(f"left out: {BY_SHAPES}")
            continue
        name, com = reading.bodies[body], mj.body_ipos[body].tolist()
        axes = [to_world(name, Vector(column)) for column in rotation_of(mj.body_iquat[body]).T.tolist()]
        flow = velocity(name, com) - Vector(mj.opt.wind.tolist())
        force, torque = _on_box(
            _edges(mj.body_mass[body], mj.body_inertia[body]), Vector(flow.dot(axis) for axis in axes),
            Vector(angular_velocity(name).dot(axis) for axis in axes), float(mj.opt.density), float(mj.opt.viscosity),
        )  # fmt: skip
        force, torque = (sum((u * x for u, x in zip(axes, v, strict=True)), start=ORIGIN) for v in (force, torque))
        reading.model.force(reading.forces.new(f"{name}_fluid"), name, com, force, torque)


def _edges(mass: float, moments: np.ndarray) -> list[float]:
    """Return the edges, m, of the box with a mass (kg) and principal moments of inertia (kg m²)."""
    squares = np.maximum(moments.sum() - 2.0 * moments, LEAST) / mass * 6.0
    return [float(x) for x in np.sqrt(squares)]


def _on_box(edges: list[float], v: Vector, w: Vector, density: float, viscosity: float) -> tuple[Vector, Vector]:
    """Return force (N) and torque (N.m) on a box, along its axes.

    edges: m. v, w: velocity relative to the fluid and angular velocity, along its axes. density: kg/m³. viscosity:
    N.s/m², of a ball with the mean edge as its diameter.
    """
    diameter = sum(edges) / 3.0
    force, torque = [], []
    for k, edge in enumerate(edges):
        a, b = edges[k - 1], edges[k - 2]
        drag = 0.5 * density * a * b * abs(v[k]) + 3.0 * math.pi * diameter * viscosity
        spin = density * edge * (a**4 + b**4) / 64.0 * abs(w[k]) + math.pi * diameter**3 * viscosity
        force.append(-drag * v[k])
        torque.append(-spin * w[k])
    return Vector(force), Vector(torque)
