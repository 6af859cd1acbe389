"""Keyframes of an MJCF as start values and inputs of the model."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .imported import Keyframe
from .mjcf_actuators import Actuators
from .mjcf_mocap import MocapBodies
from .mjcf_reading import ModelJoint, Reading, rotation_of

WIDTHS = {"free": (7, 6), "ball": (4, 3), "slide": (1, 1), "hinge": (1, 1)}  #: coordinates and velocities of joints


def keyframes(reading: Reading, actuators: Actuators, mocaps: MocapBodies) -> dict[str, Keyframe]:
    """Return the keyframes by their names, or their numbers from 0."""
    mj = reading.mj
    return {mj.key(key).name or str(key): _keyframe(reading, actuators, mocaps, key) for key in range(mj.nkey)}


def _keyframe(reading: Reading, actuators: Actuators, mocaps: MocapBodies, key: int) -> Keyframe:
    mj, start = reading.mj, dict[str, float]()
    for number, joint in reading.mounted.items():
        many, few = WIDTHS[joint.kind]
        at, dof = int(mj.jnt_qposadr[number]), int(mj.jnt_dofadr[number])
        q, u = mj.key_qpos[key][at : at + many], mj.key_qvel[key][dof : dof + few]
        if joint.kind == "free":  # MuJoCo's velocity of the origin is in world axes
            u = np.concatenate([rotation_of(q[3:]).T @ u[:3], u[3:]])
        elif joint.kind != "ball":
            q = q - reading.start_of(number)
        start |= zip(_names(reading, joint), [*q.tolist(), *u.tolist()], strict=True)
    start |= {name: float(mj.key_act[key][number]) for number, name in actuators.states.items()}
    controls = {name: _control(reading, key, number) for number, name in actuators.inputs.items()}
    return Keyframe(float(mj.key_time[key]), start, controls | dict(mocaps.of_keyframe(key)))


def _names(reading: Reading, joint: ModelJoint) -> Iterator[str]:
    """Yield the names of a joint's coordinates, then of its velocities."""
    body, (many, few), first = reading.model.bodies[joint.body], WIDTHS[joint.kind], joint.coordinate - 1
    for named, count in ((body.coordinates, many), (body.rates, few)):
        yield from (f"{body.name}.{suffix}" for suffix, _ in named[first : first + count])


def _control(reading: Reading, key: int, number: int) -> float:
    """Return a control within its range, outside which runs refuse inputs."""
    mj, control = reading.mj, float(reading.mj.key_ctrl[key][number])
    if not mj.actuator_ctrllimited[number]:
        return control
    return float(np.clip(control, *mj.actuator_ctrlrange[number]))
