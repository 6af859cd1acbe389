"""Published robots as plain data: arms, a hand, a quadruped and humanoids of the package example-robot-data."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np

import mbs_fmu as mbs

from .models import Case, Link, Mechanism
from .report import Unavailable

#: Files below the package's folder, True for a floating root, and the number of moving bodies.
FILES = {
    "ur5": ("ur_description/urdf/ur5_robot.urdf", False, 6),
    "panda": ("panda_description/urdf/panda.urdf", False, 9),
    "allegro": ("allegro_hand_description/urdf/allegro_right_hand.urdf", False, 16),
    "anymal": ("anymal_b_simple_description/robots/anymal.urdf", True, 13),
    "g1": ("g1_description/urdf/g1_29dof_rev_1_0.urdf", True, 30),
    "talos": ("talos_data/robots/talos_reduced.urdf", True, 33),
    "romeo": ("romeo_description/urdf/romeo_small.urdf", True, 32),
    "icub": ("icub_description/robots/icub_reduced.urdf", True, 30),
}
Rigid = tuple[float, np.ndarray, np.ndarray]  #: mass, centre of mass, inertia about it
FOLDER = "cmeel.prefix/share/example-robot-data/robots"


def robot_cases() -> dict[str, Case]:
    """A case for each installed robot."""
    return {name: Case(name, lambda _, name=name: robot(name), FILES[name][2]) for name in FILES if path_of(name)}


def path_of(name: str) -> Path | None:
    """The robot's file, or None if it is not installed."""
    candidates = (Path(place) / FOLDER / FILES[name][0] for place in sys.path)
    return next((path for path in candidates if path.is_file()), None)


@cache
def robot(name: str) -> Mechanism:
    """Links of the robot, with fixed ones merged into their parents; all joints move independently, also mimic ones."""
    path = path_of(name)
    if path is None:
        raise Unavailable(f"{name} needs the package example-robot-data")
    base = mbs.Free() if FILES[name][1] else mbs.Weld()
    model = mbs.from_urdf(path, base=base, unphysical="keep", massless="weld").model
    return Mechanism(name, tuple(_links(model)))


def _links(model: mbs.Model) -> Iterator[Link]:
    """Links depth first. `places`: for each body the link to which it is welded, rotation and origin in it."""
    places: dict[str, tuple[int, np.ndarray, np.ndarray]] = {"world": (-1, np.eye(3), np.zeros(3))}
    welded: list[tuple[int, mbs.Body, np.ndarray, np.ndarray]] = []
    held: dict[int, list[Rigid]] = {}
    pending = [body for body in reversed(model.bodies.values()) if body.parent == "world"]
    while pending:
        body = pending.pop()
        link, turn, origin = places[body.parent]
        at, rotation = origin + turn @ _numbers(body.position), turn @ body.rotation
        if body.joint.motions:
            welded.append((link, body, at, rotation))
            link, at, rotation = len(welded) - 1, np.zeros(3), np.eye(3)
        places[body.name] = link, rotation, at
        inertia = np.array([_numbers(row) for row in body.inertia])
        held.setdefault(link, []).append(
            (body.mass.value, at + rotation @ _numbers(body.com), rotation @ inertia @ rotation.T)
        )
        children = [child for child in reversed(model.bodies.values()) if child.parent == body.name]
        pending += sorted(children, key=lambda child: not child.joint.motions)  # welded ones first
    for number, (parent, body, at, rotation) in enumerate(welded):
        motion = body.joint.motions[0]
        kind = "free" if motion.axis is None else "revolute" if motion.spins else "prismatic"
        yield Link(parent, kind, *_together(held[number]), motion.axis or (0.0, 0.0, 0.0), at, rotation, False)


def _together(bodies: list[Rigid]) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, centre of mass and inertia about it, of several rigid bodies together."""
    mass = sum(m for m, _, _ in bodies)
    com = sum(m * c for m, c, _ in bodies) / mass
    inertia = np.zeros((3, 3))
    for m, c, J in bodies:
        d = c - com
        inertia += J + m * (d @ d * np.eye(3) - np.outer(d, d))
    return mass, com, inertia


def _numbers(vector: mbs.Vector) -> np.ndarray:
    return np.array([x.value for x in vector])
