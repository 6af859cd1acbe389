"""The spacecraft's wings on a bus in given motion."""

from __future__ import annotations

from typing import Any

import numpy as np

from models import spacecraft_with_panels as craft

from .hinges import Frame, Hinges, Link, turn
from .solver import run

AXIS = np.array([2.0, -1.0, 2.0]) / 3.0  #: about which the bus turns
SWING, OMEGA = 0.3, 0.4  #: rad, rad/s: its angle is SWING (1 - cos(OMEGA t)), and it starts at rest
SHIFT, NU = np.array([0.4, -0.3, 0.2]), 0.7  #: m, rad/s: its place is SHIFT (1 - cos(NU t))


def bus(t: float) -> Frame:
    """The bus's motion; about a fixed axis, angular velocity and acceleration lie along it."""
    s, c = np.sin(OMEGA * t), np.cos(OMEGA * t)
    p, r = np.sin(NU * t), np.cos(NU * t)
    R, w, w_dot = turn(AXIS, SWING * (1 - c)), AXIS * SWING * OMEGA * s, AXIS * SWING * OMEGA**2 * c
    return Frame(R, SHIFT * (1 - r), w, SHIFT * NU * p, w_dot, SHIFT * NU**2 * r)


def inputs(t: Any) -> dict[str, Any]:
    """The model's inputs at a time, or as expressions of it: place, quaternion, and the twist in the bus's axes."""
    angle, rate = SWING * (1 - np.cos(OMEGA * t)), SWING * OMEGA * np.sin(OMEGA * t)
    s, c = np.sin(angle), np.cos(angle)
    place, speed = 1 - np.cos(NU * t), NU * np.sin(NU * t)
    along = AXIS * (AXIS @ SHIFT)
    beside, across = SHIFT - along, np.cross(SHIFT, AXIS)  # the velocity in the bus's axes turns the other way round
    numbers = [float(x) * place for x in SHIFT]
    numbers += [np.cos(angle / 2), *(float(n) * np.sin(angle / 2) for n in AXIS)]
    numbers += [(float(a) + float(b) * c + float(d) * s) * speed for a, b, d in zip(along, beside, across, strict=True)]
    numbers += [float(n) * rate for n in AXIS]
    names = (*craft.PLACE, *craft.QUATERNION, *craft.VELOCITY, *craft.TURNING)
    return dict(zip(names, numbers, strict=True))


def spacecraft_with_panels(times: np.ndarray) -> dict[str, np.ndarray]:
    """Two wings, the right one written as the mirror of the left."""
    m, length = craft.MASS, craft.LENGTH
    across, along = m * length**2 / 12, m * craft.WIDTH**2 / 12
    inertia = np.diag([across, along, across + along])
    links = []
    for sign, first in ((1.0, 0), (-1.0, craft.PANELS)):
        hinge, middle = ((sign, 0.0, 0.0),), (0.0, sign * length / 2, 0.0)
        for k in range(craft.PANELS):
            place = (0.0, sign * (length if k else craft.HALF), 0.0)
            links.append(Link(first + k - 1 if k else -1, place, hinge, m, middle, inertia))

    def torque(t: float, q: np.ndarray, u: np.ndarray) -> np.ndarray:
        return -craft.STIFFNESS * q - craft.DAMPING * u

    system = Hinges(links, torque, bus, gravity=0.0)
    start = np.concatenate([craft.FOLDED, craft.FOLDED, np.zeros(2 * craft.PANELS)])
    states = run(system.rates, start, times)
    out = {}
    for side, sign, first in (("left", 1.0, 0), ("right", -1.0, craft.PANELS)):
        last = first + craft.PANELS
        end = np.array([0.0, sign * length, 0.0])
        frames = [system.frames(t, *np.split(y, 2))[0][last - 1] for t, y in zip(times, states, strict=True)]
        out[side] = states[:, first:last].T
        out[f"tip_{side}"] = np.array([frame.point(end)[0] for frame in frames]).T
    return out
