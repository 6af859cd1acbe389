"""Reader of MJCF by MuJoCo's compiler: bodies, joints and shapes (docs/robots.md).

The compiler resolves defaults, includes, frames and inertias of geometries, and returns plain arrays.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..infrastructure.arguments import is_one_of, truth
from ..infrastructure.errors import ArgumentError, ModelError
from ..infrastructure.lazy_dataclasses import dataclass
from ..infrastructure.messages.calls import with_clear_errors
from ..infrastructure.messages.extras import install
from ..infrastructure.messages.failures import display
from ..model.checks import is_unphysical, readable
from ..model.geometry.poses import Pose
from ..model.items import WORLD
from ..model.joints import Compound, Free, Joint, Spherical, Weld, slide, turn
from ..model.model import Model
from .contacts.mjcf_pairs import add_contacts
from .contacts.options import FileContacts, chosen
from .drawing import draw
from .imported import Imported, ImportedJoint, Names, add_ranges, identifier
from .mjcf_actuators import Actuators
from .mjcf_equalities import Equalities
from .mjcf_fluid import add_fluid
from .mjcf_joints import FRICTIONS, JointLaws, limits_of
from .mjcf_keyframes import keyframes
from .mjcf_mocap import FIXED, INPUTS, MOTIONS, MocapBodies
from .mjcf_omissions import note_omissions
from .mjcf_reading import ModelJoint, Reading, rotation_of
from .mjcf_shapes import by_body, shapes_of
from .mjcf_switches import switches_of
from .mjcf_tendons import Tendons
from .stops import Stops, check_stops

log = logging.getLogger("mbs_fmu")

FREE, BALL, SLIDE, HINGE = range(4)  #: MuJoCo's mjtJoint
KINDS = {FREE: "free", BALL: "ball", SLIDE: "slide", HINGE: "hinge"}
DOFS = {FREE: 6, BALL: 3, SLIDE: 1, HINGE: 1}
NUMBERS = {FREE: 7, BALL: 4, SLIDE: 1, HINGE: 1}
LEAST = 1e-12  #: mass (kg) and moments (kg m2) that a lenient compiler gives to moving bodies without any


@with_clear_errors
def from_mjcf(
    path: str | PathLike[str],
    *,
    inputs: bool = True,
    stops: Stops | None = None,
    friction: str = "smooth",
    contacts: bool | str | FileContacts | None = None,
    mocap: str = FIXED,
) -> Imported:
    """Return a model from an MJCF file, read by MuJoCo's compiler (the extra `mjcf`).

    The axes of bodies are those of the file; coordinates are zero in the reference pose. The model contains joints with
    springs, damping, friction and armature, tendons that do not wrap around geometries, and the equalities, which are
    rigid here. What flags and groups of the file disable is left out. Notes name omitted elements. `keyframes` has the
    states of the file.

    inputs: adds the actuators on hinges, slides and tendons with the laws of MuJoCo, and an input for each control; if
    False, actuators are omitted. Controls, activations, forces of actuators and their sum at a joint or tendon are
    clamped as in MuJoCo.

    stops: (stiffness, damping) of springs at the limits of joints (N.m/rad and N.m.s/rad, or N/m and N.s/m) and
    tendons; without them limits of joints are ranges only. friction: law of `frictionloss`, "smooth" near rest, or
    "sticks".

    contacts: adds compliant contacts for the geometries that MuJoCo lets touch: True, "ground", "reach", "all" or
    `mbs.FileContacts`; None: no contacts. Their parameters give the depths at rest of MuJoCo. `Imported.contacts` lists
    them.

    mocap: "fixed" or "inputs", by which mocap bodies move: position, quaternion, velocity and angular velocity, in
    world axes.

    Raises ModelError if MuJoCo is not installed or refuses the file, and ArgumentError for invalid options.
    """
    file = Path(path)
    truth(inputs, "inputs")
    check_stops(stops)
    touching = chosen(contacts)
    for what, value, known in (("friction", friction, FRICTIONS), ("mocap", mocap, MOTIONS)):
        if not is_one_of(value, known):
            raise ArgumentError(f"{what} is {display(value)}: use {' or '.join(map(repr, known))}")
    mujoco = the_package()
    compiled = compile_file(mujoco, file)
    reading = reading_of(mujoco, compiled, file, moves_mocap=mocap == INPUTS)
    mj = reading.mj
    actuators = _add_laws(reading, mujoco, inputs, stops, friction)
    geometries = shapes_of(mj, compiled.spec, file.parent, reading.bodies, "contact" in reading.enabled)
    shapes = by_body(geometries)
    draw(reading.model, shapes, reading.note)
    joints = {
        joint.name: _imported(reading, number, actuators.joints.get(number))
        for number, joint in reading.mounted.items()
    }
    mocaps = MocapBodies(reading)
    mocaps.add()
    add_ranges(reading.model, joints.values(), reading.note)
    added = {} if touching is None else add_contacts(reading, geometries, touching)
    note_omissions(reading, without_contacts=touching is None)
    for note in reading.notes:
        log.info("%s: %s", file.name, note)
    names = {mj.body(number).name or name: name for number, name in reading.bodies.items()}
    return Imported(reading.model, names, joints, shapes, reading.notes, keyframes(reading, actuators, mocaps), added)


def _add_laws(reading: Reading, mujoco: Any, inputs: bool, stops: Stops | None, friction: str) -> Actuators:
    """Add forces, constraints and actuators to the model; return the latter. inputs: False: without actuators."""
    JointLaws(reading, stops, friction).add()
    add_fluid(reading)
    tendons = Tendons(reading, stops)
    tendons.add()
    Equalities(reading, tendons.paths).add()
    actuators = Actuators(reading, mujoco, tendons.paths)
    if inputs:
        actuators.add()
    return actuators


def the_package() -> Any:
    """Return the package mujoco. Raises ModelError if it is not installed."""
    try:
        import mujoco
    except ImportError:
        raise ModelError(f"MJCF is read by the package mujoco: {install('mjcf')}") from None
    return mujoco


class Compiled(NamedTuple):
    """MuJoCo's model, its specification, and notes with MuJoCo's warnings."""

    mj: Any
    spec: Any
    warned: list[str]


def compile_file(mujoco: Any, file: Path, is_lenient: bool = False) -> Compiled:
    """Return what MuJoCo makes of a file. is_lenient: it corrects inertias of no body. Raises ModelError."""
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            spec = mujoco.MjSpec.from_file(str(file))
            spec.compiler.fusestatic = False
            if is_lenient:
                spec.compiler.balanceinertia = True
                spec.compiler.boundmass = spec.compiler.boundinertia = LEAST
            mj = spec.compile()
    except Exception as error:  # MuJoCo raises errors of several classes
        raise ModelError(f"{file.name}: MuJoCo refuses it: {' '.join(str(error).split())}") from None
    return Compiled(mj, spec, [f"MuJoCo warns: {' '.join(str(warning.message).split())}" for warning in caught])


def reading_of(mujoco: Any, compiled: Compiled, file: Path, moves_mocap: bool = False) -> Reading:
    """Return the bodies and joints of a file in a model. moves_mocap: mocap bodies are on free joints."""
    mj = compiled.mj
    enabled = switches_of(mj, mujoco)
    gravity = mj.opt.gravity.tolist() if "gravity" in enabled else (0.0, 0.0, 0.0)
    driven = frozenset(np.flatnonzero(mj.body_mocapid >= 0).tolist() if moves_mocap else ())
    built = _Bodies(mj, mujoco, Model(identifier(file.stem), gravity, f"from {readable(file.name)}"), driven)
    for body in range(1, mj.nbody):
        built.add(body)
    return Reading(mj, enabled, built.model, built.bodies, built.mounted, compiled.warned, driven)


def _imported(reading: Reading, number: int, signal: str | None) -> ImportedJoint:
    joint = reading.mounted[number]
    limits = limits_of(reading, number)
    return ImportedJoint(joint.name, joint.kind, joint.body, joint.coordinate, limits, None, signal)


@dataclass(frozen=True)
class _Stage:
    """Joints of one body with a common anchor (m, in the body's frame); they become one joint of the model."""

    anchor: np.ndarray
    joints: tuple[int, ...]


class _Bodies:
    """Builder of the model's bodies and joints.

    driven: mocap bodies that get a free joint. mounted: the joints, by MuJoCo's numbers. bodies: names in the model, by
    MuJoCo's numbers.
    """

    def __init__(self, mj: Any, mujoco: Any, model: Model, driven: frozenset[int]):
        self.mj, self.mujoco, self.model, self.driven = mj, mujoco, model, driven
        self.names, self.joint_names = Names(), Names()
        self.bodies = {0: WORLD}
        self.mounted: dict[int, ModelJoint] = {}

    def add(self, number: int) -> None:
        """Add a body in its own frame, preceded by a massless link for each anchor that is not at its origin."""
        mj = self.mj
        name = self.names.new(mj.body(number).name or f"body{number}")
        stages = list(self._stages(number))
        parent, place = self.bodies[int(mj.body_parentid[number])], mj.body_pos[number]
        rotation, from_origin = rotation_of(mj.body_quat[number]), np.zeros(3)
        for stage in stages:
            last = stage is stages[-1] and not stage.anchor.any()
            link = name if last else self.names.new(f"{name}_joint")
            free = mj.jnt_type[stage.joints[0]] == FREE
            at = Pose() if free else Pose(place + rotation @ (stage.anchor - from_origin), rotation)
            self.model.body(link, parent, self._joint(stage), at=at, **(self._inertia(number) if last else {}))
            self._mount(stage, link)
            parent, place, rotation, from_origin = link, np.zeros(3), np.eye(3), stage.anchor
        if number in self.driven:
            self.model.body(name, parent, Free(), at=Pose(place, rotation))
        elif not stages or stages[-1].anchor.any():
            self.model.body(name, parent, Weld(), at=Pose(place - from_origin, rotation), **self._inertia(number))
        self.bodies[number] = name

    def _stages(self, number: int) -> Iterator[_Stage]:
        """Yield groups of the body's joints: hinges and slides with a common anchor together, each ball alone."""
        mj, first = self.mj, self.mj.body_jntadr[number]
        open_stage: _Stage | None = None
        for joint in range(first, first + mj.body_jntnum[number]):
            single = mj.jnt_type[joint] in (SLIDE, HINGE)
            anchor = np.zeros(3) if mj.jnt_type[joint] == FREE else mj.jnt_pos[joint].copy()
            if single and open_stage is not None and np.array_equal(open_stage.anchor, anchor):
                open_stage = _Stage(anchor, (*open_stage.joints, joint))
                continue
            if open_stage is not None:
                yield open_stage
            open_stage = _Stage(anchor, (joint,))
            if not single:
                yield open_stage
                open_stage = None
        if open_stage is not None:
            yield open_stage

    def _joint(self, stage: _Stage) -> Joint:
        mj, first = self.mj, stage.joints[0]
        if mj.jnt_type[first] in (FREE, BALL):
            return Free() if mj.jnt_type[first] == FREE else Spherical()
        axes = [(mj.jnt_type[joint], mj.jnt_axis[joint].tolist()) for joint in stage.joints]
        return Compound(*((turn if kind == HINGE else slide)(axis) for kind, axis in axes))

    def _mount(self, stage: _Stage, link: str) -> None:
        for k, joint in enumerate(stage.joints):
            kind = int(self.mj.jnt_type[joint])
            name = self.mj.joint(joint).name or self.joint_names.new(f"{link}_{KINDS[kind]}")
            self.mounted[joint] = ModelJoint(name, KINDS[kind], link, k + 1)
            if kind == FREE:
                begin = self.mj.jnt_qposadr[joint]
                self.model.start(link, q=self.mj.qpos0[begin : begin + NUMBERS[kind]].tolist())

    def _inertia(self, number: int) -> dict[str, Any]:
        mj, R = self.mj, rotation_of(self.mj.body_iquat[number])
        moments = mj.body_inertia[number]
        tensor = (R * moments) @ R.T
        return {
            "mass": float(mj.body_mass[number]),
            "com": mj.body_ipos[number].tolist(),
            "inertia": 0.5 * (tensor + tensor.T),
            "physical": not is_unphysical(np.sort(moments)),
        }
