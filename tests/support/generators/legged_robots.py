"""Robots with a floating base and feet with penalty contact."""

from __future__ import annotations

import numpy as np

import mbs_fmu as mbs


def dropped_robot(seed: int) -> mbs.Model:
    """A random robot above the ground: two to four legs of one or two joints, with spheres or capsules as feet.

    Every second robot falls without moving its legs, so that nothing shortens its steps before it lands.

    Parameter `stiffness` (N/m): the ground under each end of a foot. Dampers have a third of the damping that is
    critical for the base's mass.
    """
    rng = np.random.default_rng(seed)
    m = mbs.Model("robot")
    mass = 5.0 + 10.0 * rng.random()
    stiffness = m.parameter("stiffness", 1e5)
    damping = 0.6 * mbs.sqrt(stiffness * mass / 4)
    base = m.body("base", joint=mbs.Free(), mass=mass, inertia=mass * np.array([0.02, 0.03, 0.04]))
    turn, moves = np.array([1.0, *0.1 * rng.normal(size=3)]), float(seed % 2)
    velocity = 0.3 * moves * rng.normal(size=6)
    m.start(base, q=(0, 0, 0.5 + 0.3 * rng.random(), *turn / np.linalg.norm(turn)), u=velocity)
    legs, joints = int(rng.integers(2, 5)), int(rng.integers(1, 3))
    for k in range(legs):
        angle = 2 * np.pi * k / legs + rng.random()
        parent, place, length = base, (0.3 * np.cos(angle), 0.2 * np.sin(angle), 0.0), 0.4 / joints
        for j in range(joints):
            leg = m.body(
                f"leg{k}{j}", parent, mbs.Revolute(rng.choice(["x", "y"])), mass=0.4, com=(0, 0, -length / 2),
                inertia=(0.4 * length**2 / 12, 0.4 * length**2 / 12, 1e-4), at=place,
            )  # fmt: skip
            m.spring(f"hold{k}{j}", on=leg, stiffness=150.0, damping=4.0)
            m.start(leg, q=0.2 * moves * rng.normal())
            parent, place = leg, (0, 0, -length)
        ends = (0.0,) if rng.random() < 0.5 else (-0.04, 0.04)  # end points of a sphere and of a capsule
        for j, end in enumerate(ends):
            add_foot(m, f"foot{k}{j}", parent, np.array([end, 0, -length]), 0.03, stiffness, damping)
    return m


def add_foot(
    m: mbs.Model, name: str, body: mbs.Body, at: np.ndarray, radius: float, stiffness: mbs.Expression,
    damping: mbs.Expression,
) -> None:  # fmt: skip
    """Add contact of a body's point with the ground z = 0: unilateral spring and damper, and smooth friction."""
    velocity = mbs.velocity(body, at)
    depth = radius - mbs.position(body, at)[2]
    normal = mbs.where(depth > 0, mbs.max(stiffness * depth - damping * velocity[2], 0), 0)
    slip = mbs.sqrt(velocity[0] ** 2 + velocity[1] ** 2 + 0.05**2)
    push = mbs.Vector((-0.6 * normal * velocity[0] / slip, -0.6 * normal * velocity[1] / slip, normal))
    m.force(name, on=body, at=at, force=push, torque=mbs.Vector((0.0, 0.0, -radius)).cross(push))
