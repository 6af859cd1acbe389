"""Equalities of an MJCF as rigid constraints: connected and welded bodies or sites, coupled joints and tendons."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..model.geometry.poses import Pose
from ..model.joints import Spherical, Weld
from ..symbolic.expressions import Expression, as_expression
from .mjcf_reading import Reading, pose_of, rotation_of
from .mjcf_tendons import Path

CONNECT, WELD, JOINT, TENDON = range(4)  #: MuJoCo's mjtEq
BODY = 1  #: of MuJoCo's mjtObj; other objects of `connect` and `weld` are sites
TORQUE_SCALE = 10  #: index of a weld's `torquescale` in its data
Frames = tuple[tuple[int, Pose], tuple[int, Pose]]


class Equalities:
    """Builder of the equalities. tendons: paths of those that the model has, by MuJoCo's numbers."""

    def __init__(self, reading: Reading, tendons: Mapping[int, Path]):
        self.reading, self.tendons = reading, tendons

    def add(self) -> None:
        """Add the equalities that are active, unless the file disables them; note what is left out."""
        reading, added = self.reading, False
        for number in range(reading.mj.neq if "equality" in reading.enabled else 0):
            name = reading.mj.equality(number).name or f"equality{number}"
            reason = self._add(number, name)
            if reason:
                reading.note(f"equality {name!r} {reason}")
            added = added or not reason
        if added:
            reading.note("equalities are rigid here, soft in MuJoCo")

    def _add(self, number: int, name: str) -> str:
        """Add an equality; return the reason why it is left out, or an empty text."""
        mj, kind = self.reading.mj, int(self.reading.mj.eq_type[number])
        objects = int(mj.eq_obj1id[number]), int(mj.eq_obj2id[number])
        if not mj.eq_active0[number]:
            return "is not active and left out"
        if kind in (CONNECT, WELD):
            frames = self._frames(number, kind, objects)
            return self._why_fixed(frames) or self._close(number, name, kind, frames)
        if kind == JOINT:
            return self._couple(number, name, [self.reading.coordinate_of(x) for x in objects if x >= 0])
        if kind == TENDON:
            lengths = [self._stretch(tendon) for tendon in objects if tendon >= 0]
            missing = any(length is None for length in lengths)
            coupled = [length for length in lengths if length is not None]
            return "is left out, as its tendon" if missing else self._couple(number, name, coupled)
        return "is left out: it is not connect, weld, joint or tendon"

    def _frames(self, number: int, kind: int, objects: tuple[int, int]) -> Frames:
        """Return bodies and frames that coincide. The data of `connect` are both anchors; those of `weld` are the
        anchor on the second body, that on the first, and the rotation of the second body in axes of the first."""
        mj, reading = self.reading.mj, self.reading
        if mj.eq_objtype[number] != BODY:
            (a, at_a, in_a), (b, at_b, in_b) = (reading.site(x) for x in objects)
            return (a, pose_of(at_a, in_a)), (b, pose_of(at_b, in_b))
        one, two, quaternion = np.split(mj.eq_data[number][:10], (3, 6))
        if kind == CONNECT:
            return (objects[0], pose_of(one, np.eye(3))), (objects[1], pose_of(two, np.eye(3)))
        return (objects[0], pose_of(two, rotation_of(quaternion))), (objects[1], pose_of(one, np.eye(3)))

    def _why_fixed(self, frames: Frames) -> str:
        for body, _ in frames:
            if self.reading.is_fixed_mocap(body):
                return f"is left out: mocap body {self.reading.bodies[body]!r} is fixed"
        moves = any(self.reading.moves(body) for body, _ in frames)
        return "" if moves else "is left out: both of its bodies are fixed"

    def _close(self, number: int, name: str, kind: int, frames: Frames) -> str:
        (a, at_a), (b, at_b) = frames
        welded = kind == WELD and self.reading.mj.eq_data[number][TORQUE_SCALE]
        bodies = self.reading.bodies[a], self.reading.bodies[b]
        joint = Weld() if welded else Spherical()
        self.reading.model.close(self.reading.closures.new(name), *bodies, joint, at_a=at_a, at_b=at_b)
        return ""

    def _couple(self, number: int, name: str, numbers: list[Expression]) -> str:
        """Make a number a polynomial of another, or a constant; both are zero in the reference pose."""
        first, *others = numbers
        other = others[0] if others else as_expression(0.0)
        follows = first - _polynomial(self.reading.mj.eq_data[number][:5], other)
        self.reading.model.constrain(self.reading.closures.new(name), follows)
        return ""

    def _stretch(self, tendon: int) -> Expression | None:
        """Return the length of a tendon beyond that in the reference pose; None if the tendon is left out."""
        path = self.tendons.get(tendon)
        return None if path is None else path.measured() - float(self.reading.mj.tendon_length0[tendon])


def _polynomial(coefficients: np.ndarray, x: Expression) -> Expression:
    """Polynomial, the sum of c_i x^i."""
    terms = [float(c) * x**i if i else as_expression(float(c)) for i, c in enumerate(coefficients) if c]
    return sum(terms, start=as_expression(0.0))
