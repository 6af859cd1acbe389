"""Mocap bodies of an MJCF, which its user moves: fixed, or moved by inputs of the model."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..symbolic.expressions import Expression
from ..symbolic.quaternions import rotation_rows
from ..symbolic.vectors import Vector
from .mjcf_reading import Reading, rotation_of

FIXED, INPUTS = MOTIONS = ("fixed", "inputs")
POSITION, QUATERNION, VELOCITY, SPIN = ("x", "y", "z"), ("q0", "q1", "q2", "q3"), ("vx", "vy", "vz"), ("wx", "wy", "wz")
UNITS = dict.fromkeys(POSITION, "m") | dict.fromkeys(VELOCITY, "m/s") | dict.fromkeys(SPIN, "rad/s")


class MocapBodies:
    """Builder of the motion of mocap bodies. inputs: of the model, by MuJoCo's numbers of mocap bodies."""

    def __init__(self, reading: Reading):
        self.reading = reading
        self.inputs: dict[int, list[str]] = {}

    def add(self) -> None:
        """Add a drive for each mocap body on a free joint, with inputs that start at its pose in the file.

        The inputs are a position and a quaternion, as in MuJoCo, and the velocity and angular velocity that belong to
        them, which MuJoCo takes as zero; all in world axes.
        """
        reading = self.reading
        for body in sorted(reading.driven):
            place, quaternion = reading.mj.body_pos[body], reading.mj.body_quat[body]
            x, q = self._inputs(body, POSITION, place), self._inputs(body, QUATERNION, quaternion)
            v, w = self._inputs(body, VELOCITY, np.zeros(3)), self._inputs(body, SPIN, np.zeros(3))
            R0, R = rotation_of(quaternion), [Vector(row) for row in rotation_rows(q, q.dot(q))]
            position = [Vector(column).dot(x - Vector(place.tolist())) for column in R0.T.tolist()]
            turned = _product(quaternion * (1.0, -1.0, -1.0, -1.0), q)
            speeds = [Vector(column).dot(u) for u in (v, w) for column in zip(*R, strict=True)]
            name = reading.forces.new(f"{reading.bodies[body]}_motion")
            reading.model.drive(name, reading.bodies[body], position=[*position, *turned], rate=speeds)

    def _inputs(self, body: int, suffixes: tuple[str, ...], start: np.ndarray) -> Vector:
        reading, added = self.reading, []
        names = self.inputs.setdefault(int(reading.mj.body_mocapid[body]), [])
        for suffix, value in zip(suffixes, start.tolist(), strict=True):
            names.append(reading.signals.new(f"{reading.bodies[body]}_{suffix}"))
            added.append(reading.model.input(names[-1], unit=UNITS.get(suffix), start=value))
        return Vector(added)

    def of_keyframe(self, key: int) -> Iterator[tuple[str, float]]:
        """Yield the inputs of a keyframe, with zero velocities."""
        mj = self.reading.mj
        for number, names in self.inputs.items():
            pose = [*mj.key_mpos[key].reshape(-1, 3)[number], *mj.key_mquat[key].reshape(-1, 4)[number]]
            yield from zip(names, [*map(float, pose), *[0.0] * (len(names) - len(pose))], strict=True)


def _product(p: np.ndarray, q: Vector) -> Vector:
    """Return the product of two quaternions, w first."""
    a, b, c, d = (float(x) for x in p)
    w, x, y, z = q
    rows: list[Expression] = [
        a * w - b * x - c * y - d * z, a * x + b * w + c * z - d * y, a * y - b * z + c * w + d * x,
        a * z + b * y - c * x + d * w,
    ]  # fmt: skip
    return Vector(rows)
