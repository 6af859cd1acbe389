"""A compiled MJCF on its way into a model: its arrays, the model, and the names that MuJoCo's numbers have in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any

import numpy as np

from ..infrastructure.lazy_dataclasses import dataclass
from ..model.geometry.poses import Pose
from ..model.gravity import PointGravity
from ..model.measures.measures import coordinate, rate
from ..model.model import Model
from ..symbolic.expressions import Expression
from ..symbolic.quaternions import rotation_rows
from .imported import Names
from .mjcf_switches import Switches


@dataclass(frozen=True)
class ModelJoint:
    """A joint of MuJoCo in the model: the body that has its coordinates, and the number of the first, from 1."""

    name: str
    kind: str
    body: str
    coordinate: int


@dataclass
class Reading:
    """Data that the readers of joints, equalities, tendons and actuators share.

    mj: MuJoCo's model. enabled: the switches of the file. bodies, mounted: names of bodies, and joints, in the model by
    MuJoCo's numbers. notes: on what is omitted or changed. driven: mocap bodies that inputs move. forces, closures,
    signals: names that are taken.
    """

    mj: Any
    enabled: Switches
    model: Model
    bodies: Mapping[int, str]
    mounted: Mapping[int, ModelJoint]
    notes: list[str]
    driven: frozenset[int] = frozenset()
    forces: Names = field(default_factory=Names)
    closures: Names = field(default_factory=Names)
    signals: Names = field(default_factory=Names)

    def __post_init__(self) -> None:
        self.closures.taken |= set(self.model.bodies)

    def note(self, text: str) -> None:
        """Add a note unless it is present already."""
        if text not in self.notes:
            self.notes.append(text)

    @property
    def gravity(self) -> list[float]:
        """Gravity of the model, m/s²: zero if the file disables it."""
        gravity = self.model.gravity
        assert not isinstance(gravity, PointGravity)
        return [float(g.value) for g in gravity]

    # -- joints ------------------------------------------------------------------------------------------
    def is_single(self, joint: int) -> bool:
        """Return whether a joint is a hinge or a slide."""
        return self.mounted[joint].kind in ("hinge", "slide")

    def place(self, joint: int) -> dict[str, Any]:
        """Return the arguments that select the coordinate of a hinge or slide."""
        return {"on": self.mounted[joint].body, "coordinate": self.mounted[joint].coordinate}

    def along(self, joint: int, k: int = 0) -> str:
        """Return the argument for the generalized force along a joint's k-th velocity: "force" or "torque"."""
        slides = self.mounted[joint].kind == "slide" or self.mounted[joint].kind == "free" and k < 3
        return "force" if slides else "torque"

    def start_of(self, joint: int) -> float:
        """Return MuJoCo's coordinate of a hinge or slide in the reference pose, where that of the model is zero."""
        return float(self.mj.qpos0[self.mj.jnt_qposadr[joint]])

    def coordinate_of(self, joint: int) -> Expression:
        """Return the model's coordinate of a hinge or slide, rad or m."""
        return coordinate(self.mounted[joint].body, self.mounted[joint].coordinate)

    def rate_of(self, joint: int) -> Expression:
        """Return the velocity of a hinge or slide, rad/s or m/s."""
        return rate(self.mounted[joint].body, self.mounted[joint].coordinate)

    # -- bodies and sites --------------------------------------------------------------------------------
    def site(self, number: int) -> tuple[int, np.ndarray, np.ndarray]:
        """Return the body of a site, and its position (m) and rotation in body axes."""
        mj = self.mj
        return int(mj.site_bodyid[number]), mj.site_pos[number], rotation_of(mj.site_quat[number])

    def is_fixed_mocap(self, body: int) -> bool:
        """Return whether the user of MuJoCo moves a body, which is fixed in the model."""
        return bool(self.mj.body_mocapid[body] >= 0) and body not in self.driven

    def moves(self, body: int) -> bool:
        """Return whether some joint, or an input, moves a body relative to the world."""
        return bool(self.mj.body_weldid[body]) or int(self.mj.body_rootid[body]) in self.driven


def rotation_of(quaternion: np.ndarray) -> np.ndarray:
    """Return the rotation matrix of a quaternion, w first."""
    return np.array(rotation_rows(quaternion / np.linalg.norm(quaternion)))


def pose_of(place: np.ndarray, rotation: np.ndarray) -> Pose:
    """Return a pose from arrays."""
    return Pose(place.tolist(), rotation)


def names_of(element: Callable[[int], Any], count: int) -> str:
    """Return the names of the elements of one kind, or their numbers from 0."""
    return ", ".join(element(number).name or str(number) for number in range(count))
