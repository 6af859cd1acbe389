"""Random moving trees with forces and sensors of all kinds."""

from __future__ import annotations

import itertools

import numpy as np

import mbs_fmu as mbs
from mbs_fmu.model.model import Model
from mbs_fmu.record.program import Program
from support.cases import Case
from support.generators.equations import add_along
from support.generators.mechanisms import (
    COMPANIONS,
    random_joint,
    random_pose,
    random_rotation,
    random_tree,
    randomize_start,
)

SHAPES = ("chain", "star", "tree")


def moving_tree(case: Case, largest: int = 8, joints: tuple[str, ...] = COMPANIONS) -> Model:
    """A random tree with the case's joint and at least one degree of freedom."""
    rng = np.random.default_rng(case.seed)
    count = int(rng.integers(1, case.largest(largest) + 1))
    while True:
        model = random_tree(rng, count, SHAPES[case.seed % 3], joints, case.joint)
        if any(body.joint.motions for body in model.bodies.values()):
            return model
        count += 1  # a single weld


def parametric_chain(case: Case) -> Model:
    """A chain with the case's joint whose mass and geometry follow parameters."""
    rng = np.random.default_rng(case.seed)
    m = Model("chain", gravity=(0.5, 0.0, -9.81))
    size, heavy = m.parameter("size", 1.1), m.parameter("heavy", 0.9)
    parent: str | mbs.Body = "world"
    for k, kind in enumerate((case.joint, "revolute", case.joint)[: 2 + case.number]):
        J = 0.3 * heavy * size * size
        pose = random_pose(rng)
        parent = m.body(
            f"b{k}", parent, random_joint(rng, kind), heavy * (k + 1), (0.2 * size, -0.1, 0.1 * heavy), (J, 1.2 * J, J),
            mbs.Pose((0.3 * size, 0.1, 0.2 * size * heavy), pose.rotation),
        )  # fmt: skip
        randomize_start(m, parent, rng)
    return m


def add_forces(m: Model, rng: np.random.Generator) -> None:
    """Add motors, joint springs, point springs and wrenches with nonlinear laws."""
    bodies = [b for b in m.bodies.values() if b.joint.motions]
    gain = m.parameter("gain", 1.3)
    level = m.input("level", start=0.7)
    for k, b in enumerate(bodies):
        if b.joint.scalar:
            c = 1 if len(b.joint.rates) > 1 else None
            m.spring(f"js{k}", on=b, coordinate=c, stiffness=3.0, damping=0.4, length=0.1)
            law = gain * mbs.sin(mbs.coordinate(b, 1)) - level * mbs.rate(b, 1) ** 2 / (1 + mbs.abs(mbs.rate(b, 1)))
            m.motor(f"jm{k}", on=b, coordinate=c, **{"torque" if b.joint.rates[0][1] == "rad/s" else "force": law})
    for k in range(2):
        a, b = bodies[rng.integers(len(bodies))], bodies[rng.integers(len(bodies))]
        if a is not b:
            m.spring(
                f"ps{k}", a, b, at_a=rng.normal(size=3), at_b=rng.normal(size=3), stiffness=5, damping=0.6, length=0.3
            )
    m.spring("ground", "world", bodies[-1], at_a=(0.1, 0.2, 3.0), at_b=(0.1, 0, 0), stiffness=gain * 4, damping=0.2)
    world = mbs.clip(mbs.velocity(bodies[0], (0.1, 0, 0))[0], -0.5, 0.5)
    m.force("fw", on=bodies[0], at=(0.3, 0, 0.1), force=(world, level, mbs.tanh(mbs.time)), torque=(0, gain, 0))
    m.force(
        "fb", on=bodies[-1], force=(0, 0.3 * mbs.exp(-(mbs.position(bodies[-1])[2] ** 2) / 20), 1), resolve_in="body"
    )
    add_joint_laws(m, bodies[-4:], gain)
    add_body_laws(m, bodies, gain, rng)
    add_along(m, rng, (gain, level))


def add_joint_laws(m: Model, bodies: list[mbs.Body], gain: mbs.Expression) -> None:
    """Add friction, limits, and springs by table and by formula along joints."""
    for k, b in enumerate(bodies):
        rates = len(b.joint.rates)
        c = rates if rates > 1 else None
        which = "torque" if b.joint.rates[-1][1] == "rad/s" else "force"
        m.friction(f"jf{k}", on=b, coordinate=c, **{which: 0.4 * gain}, static=0.9, viscous=0.1, speed=0.5 * gain)
        if b.joint.scalar:
            on = {"on": b, "coordinate": c}
            m.limit(f"jl{k}", **on, lower=-0.4, upper=0.3 * gain, stiffness=9.0, damping=1.5)
            m.limit(f"ju{k}", **on, lower=0.1, stiffness=gain)
            m.spring(f"jt{k}", **on, force=([-2, -0.5, 0.2, 3], [-4, -0.5, 0.5, 2]), length=0.2)
            m.spring(f"jp{k}", **on, force=lambda x, v: gain * x**3 + (0.2 + x * x) * v)
    alone = [b for b in bodies if b.joint.scalar and len(b.joint.rates) == 1]
    for k, (a, b) in enumerate(itertools.pairwise(alone)):
        if a.joint.rates[0][1] == b.joint.rates[0][1]:
            which = "torque" if a.joint.rates[0][1] == "rad/s" else "force"
            m.spring(f"ja{k}", on=a, against=b, stiffness=gain, damping=0.1, length=0.2)
            m.motor(f"jb{k}", a, **{which: 0.3 * gain}, against=b)


def add_body_laws(m: Model, bodies: list[mbs.Body], gain: mbs.Expression, rng: np.random.Generator) -> None:
    """Add springs by table and by energy between points, rotational springs, bushings, drag, a pull and a rope."""
    a, b = bodies[rng.integers(len(bodies))], bodies[-1]
    ends = {"at_a": rng.normal(size=3), "at_b": rng.normal(size=3)}
    poses = {"at_a": random_pose(rng), "at_b": mbs.Pose((gain, 0.1, 0.2), random_rotation(rng))}
    m.spring("table", "world", b, **ends, length=0.3, force=([0, 0.5, 2, 9], [0, 3, 4, 2]), damping=gain)
    m.spring("potential", "world", b, **ends, length=0.1 * gain, energy=lambda x: gain * mbs.log(mbs.exp(x) + 1))
    m.rotational_spring("twisted", "world", b, axis="-y", at_b=poses["at_b"], stiffness=gain, damping=0.3)
    m.drag("air", on=b, at=(0.1, 0.2, gain), linear=0.2, quadratic=gain, velocity=(1, mbs.sin(mbs.time), gain))
    m.bushing("ground_mount", "world", b, **poses, stiffness=5.0, damping=(0, gain, 0.1))
    m.pull("drawn", "world", b, at_a=(0.2, gain, 0.4), at_b=ends["at_b"], force=gain * mbs.sin(mbs.time + 1))
    eyes = [("world", (0, gain, 5)), (b, ends["at_b"]), (b, ends["at_a"]), (a, (0.3, 0.1, gain)), ("world", (4, 1, 1))]
    m.rope("tied", eyes, length=0.5 * gain, stiffness=2.0 * gain, damping=0.3)
    if a is not b:
        m.rotational_spring(
            "wound", a, b, **poses, axis=(1, 2, 3), angle=gain, force=lambda x, v: x**3 + v, stiffness=2.0
        )
        m.bushing(
            "mount", a, b, **poses, stiffness=(3, gain, 5), damping=(0.1, 0.2, 0.3),
            rotational_stiffness=(1, 0.5, gain), rotational_damping=(0.3, gain, 0.2),
        )  # fmt: skip


def add_rotors(m: Model) -> None:
    """Add rotors on two of three scalar coordinates; two on the first, one of them by a parameter."""
    geared = m.parameter("geared", 0.8)
    places = [(b, k) for b in m.bodies.values() if b.joint.scalar for k in range(1, len(b.joint.rates) + 1)]
    for number, (b, k) in enumerate(places):
        if number % 3 < 2:
            m.rotor(f"rotor{number}", on=b, coordinate=k, inertia=geared * 0.5 if number % 2 else 0.7)
    if places:
        m.rotor("second", on=places[0][0], coordinate=1, inertia=geared)


def add_sensors(m: Model, body: mbs.Body) -> None:
    """Add every measure of a moving tree with forces, in outputs and in the rate of a state."""
    place = mbs.Pose((0.1, 0.2, 0.3), (1, 2, 3, 4))
    m.output("pose", mbs.pose(body, (1, 2, 3)))
    m.output("twist", mbs.twist(body, (1, 2, 3)))
    m.output("rp", mbs.relative_position(body, "world", place))
    m.output("ro", mbs.relative_orientation("world", body, place, place))
    m.output("rv", mbs.relative_velocity(body, "world", place, (1, 2, 3)))
    m.output("rw", mbs.relative_angular_velocity(body, "world", place))
    m.output("P", mbs.momentum())
    m.output("L", mbs.angular_momentum(about=mbs.center_of_mass(body)))
    m.output("Lb", mbs.angular_momentum(body))
    m.output("com", mbs.center_of_mass())
    for name in list(m.forces):
        m.output(f"power_{name}", mbs.power(name))
    m.state("work", rate=mbs.power("air") + mbs.momentum()[0] + mbs.center_of_mass()[2] + mbs.strength("ground"))
    m.output("air", mbs.applied("air"))
    m.output("fb", mbs.applied("fb"))


def joint_order(program: Program, model: Model) -> list[str]:
    """Names of bodies in the order of their coordinates."""
    names = [v.name.split(".")[0] for v in program.variables if v.role == "coordinate"]
    return list(dict.fromkeys(names))
