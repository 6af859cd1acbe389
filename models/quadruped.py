"""A four-legged robot of 12 kg that trots, on a plane or over bumps: twelve joints, feet that stick and slip.

quadruped.urdf describes the robot: x forward, y to the left, z up. Each leg has an abduction about x, a pitch and a
knee about y; its foot is a ball on the ground. The motors have a gear each, whose rotor counts as an inertia of the
joint, and give the torques of the inputs, within limits.

The controller is a model of its own, for co-simulation. It samples its inputs 200 times per second. A clock swings
diagonal legs in turns. In swing a foot goes to the place of M. H. Raibert, Legged Robots That Balance, 1986: ahead by
half of the way of a stance, and further if the trunk is too fast. In stance it moves backward with the wanted speed.
The inverse kinematics of the leg turns places of feet into angles, which a servo in each joint holds. Legs in stance
also carry the weight, and more of it where the trunk leans down.
"""

import math
from pathlib import Path
from typing import NamedTuple

import numpy as np

import mbs_fmu as mbs

LEGS = {"front_left": (1, 1), "front_right": (1, -1), "rear_left": (-1, 1), "rear_right": (-1, -1)}  #: ends, sides
JOINTS = tuple(f"{leg}_{joint}" for leg in LEGS for joint in ("abduction", "pitch", "knee"))
ALONG, ACROSS, OFFSET = 0.19, 0.05, 0.085  #: m: abductions from the middle; the leg's plane from its abduction
THIGH, SHANK, FOOT = 0.2, 0.2, 0.022  #: m: lengths to knee and foot, radius of a foot
WEIGHT = 12.0 * 9.81  #: N
ROTOR = 0.012  #: kg m², of each motor as seen at its joint
STIFFNESS, DISSIPATION, FRICTION, SETTLING = 2e4, 2.0, 0.8, 2e-3  #: N/m, s/m, 1, s: of the feet on the ground
HEIGHT = 0.29  #: m, of the abductions above the middles of the feet, as wanted
CROUCH = math.acos(HEIGHT / (THIGH + SHANK))  #: rad, pitch of standing legs
STANDING = (0.0, CROUCH, -2.0 * CROUCH)  #: rad, of the joints of a leg
BUMP, GRID, FLAT, LENGTH, WIDTH = 0.03, 0.15, 0.45, 27.0, 3.0  #: m: highest bump, distance of bumps; size of the field

PERIOD = 0.005  #: s, of the controller
STRIDE = 0.4  #: s, of the trot
SWING = 0.5 * STRIDE  #: s
AHEAD = 0.8  #: of a swing, when the foot is above the place of its next stance
LIFT = 0.075  #: m, of a swinging foot
RAMP = 1.0  #: s, in which the trot begins
SERVO, DAMPING = 70.0, 1.6  #: N m/rad, N m s/rad
CATCH = 0.06  #: s, way of a step by the excess of speed
LEVEL, LEVELING = 500.0, 40.0  #: N/(m rad), N s/(m rad): force of a foot by the trunk's angle and rate, and place
REACH = 0.12  #: m, of a foot from its middle place
STEER, STEERING, RETURN = 1.5, 0.6, 1.0  #: 1/s, rad/s, rad/m: heading


class Sensed(NamedTuple):
    """Measurements of the robot that the controller uses.

    attitude: roll, pitch and yaw, rad. turning: angular velocity, rad/s, axes of the trunk. velocity: forward and to
    the left, m/s. offset: place to the left of the line y = 0, m. angles, rates: of the joints, rad and rad/s.
    """

    attitude: mbs.Vector
    turning: mbs.Vector
    velocity: mbs.Vector
    offset: mbs.Expression
    angles: mbs.Vector
    rates: mbs.Vector


def quadruped() -> mbs.Model:
    """Return the robot on a plane, standing, with the torques of its joints as inputs (N.m)."""
    return driven("quadruped", mbs.Plane("z"), "Quadruped on a plane").model


def quadruped_on_bumps() -> mbs.Model:
    """Return the same robot before a field of bumps."""
    return driven("quadruped_on_bumps", bumps(), "Quadruped before a field of bumps").model


def trot_controller() -> mbs.Model:
    """Return the controller; inputs: what it knows of the robot, and the wanted speed; outputs: torques."""
    m = mbs.Model("trot_controller", description="Digital controller of a quadruped that trots")
    attitude = [m.input(name, start=0.0, unit="rad", description="of the trunk") for name in ("roll", "pitch", "yaw")]
    turning = [m.input(f"turning_{x}", start=0.0, unit="rad/s", description="of the trunk, its axes") for x in "xyz"]
    velocity = [m.input(name, start=0.0, unit="m/s", description="velocity") for name in ("forward", "leftward")]
    offset = m.input("offset", start=0.0, unit="m", description="place to the left of the line y = 0")
    starts = dict(zip(JOINTS, STANDING * len(LEGS), strict=True))
    angles = [m.input(f"{joint}_angle", start=start, unit="rad") for joint, start in starts.items()]
    rates = [m.input(f"{joint}_rate", start=0.0, unit="rad/s") for joint in JOINTS]
    vectors = [mbs.Vector(x) for x in (attitude, turning, velocity, angles, rates)]
    torques = add_controller(m, Sensed(*vectors[:3], offset, *vectors[3:]))
    m.output("torque", torques, unit="N.m", description=f"of {', '.join(JOINTS)}")
    return m


def trotting_quadruped() -> mbs.Model:
    """Return robot and controller in one model, on a plane; torques act one sample late, as between two FMUs."""
    return trotting("trotting_quadruped", mbs.Plane("z"), "Quadruped that trots on a plane").model


def trotting_on_bumps() -> mbs.Model:
    """Return the same before a field of bumps."""
    return trotting("trotting_on_bumps", bumps(), "Quadruped that trots over bumps of 3 cm").model


def bumps() -> mbs.HeightField:
    """Return ground that is flat up to FLAT, and then has heights between 0 and BUMP on a grid."""
    x = GRID * np.arange(-6, round(LENGTH / GRID) + 1)
    y = GRID * np.arange(-round(0.5 * WIDTH / GRID), round(0.5 * WIDTH / GRID) + 1)
    heights = BUMP * np.random.default_rng(12).random((len(x), len(y)))
    heights[x < FLAT] = 0.0
    return mbs.HeightField(x, y, heights)


# -- the robot -------------------------------------------------------------------------------------------
def driven(name: str, surface: mbs.Plane | mbs.HeightField, description: str) -> mbs.Imported:
    """Return the robot on a surface, with an input for the torque of each joint."""
    robot = standing_robot(name, surface, description)
    torques = []
    for joint in JOINTS:
        limit = robot.joints[joint].limits.effort
        torques.append(robot.model.input(f"{joint}_torque", start=0.0, unit="N.m", min=-limit, max=limit))
    add_motors(robot, torques)
    return robot


def trotting(name: str, surface: mbs.Plane | mbs.HeightField, description: str) -> mbs.Imported:
    """Return robot and controller on a surface."""
    robot = standing_robot(name, surface, description)
    torques = add_controller(robot.model, sensed(robot))
    add_motors(robot, robot.model.sampled("acting", PERIOD, torques, start=[0.0] * len(JOINTS), unit="N.m"))
    return robot


def standing_robot(name: str, surface: mbs.Plane | mbs.HeightField, description: str) -> mbs.Imported:
    """Return the robot of the file with its feet on a surface, rotors and outputs, but without torques."""
    robot = mbs.from_urdf(Path(__file__).with_suffix(".urdf"), name=name, base=mbs.Free())
    m = robot.model
    m.description = description
    for joint, angle in zip(JOINTS, STANDING * len(LEGS), strict=True):
        m.rotor(f"{joint}_rotor", on=robot.joints[joint].body, inertia=ROTOR)
        m.start(robot.joints[joint].body, q=angle)
    m.start("trunk", q=(0, 0, HEIGHT + FOOT, 1, 0, 0, 0))
    m.ground(
        "ground", robot.collisions(), surface=surface,
        stiffness=STIFFNESS, dissipation=DISSIPATION, friction=FRICTION, settling=SETTLING,
    )  # fmt: skip
    add_outputs(robot)
    return robot


def add_motors(robot: mbs.Imported, torques: list[mbs.Expression] | mbs.Vector) -> None:
    """Add a motor for each joint, which gives a torque within its limit."""
    for joint, torque in zip(JOINTS, torques, strict=True):
        limit = robot.joints[joint].limits.effort
        robot.model.motor(f"{joint}_motor", on=robot.joints[joint].body, torque=mbs.clip(torque, -limit, limit))


def sensed(robot: mbs.Imported) -> Sensed:
    """Return the measures that the controller uses."""
    forward, left, up = (mbs.position("trunk", x) - mbs.position("trunk") for x in ((1, 0, 0), (0, 1, 0), (0, 0, 1)))
    level = mbs.sqrt(forward[0] * forward[0] + forward[1] * forward[1])
    ahead = mbs.Vector((forward[0] / level, forward[1] / level, 0.0))
    spin, velocity = mbs.angular_velocity("trunk"), mbs.velocity("trunk")
    bodies = [robot.joints[joint].body for joint in JOINTS]
    return Sensed(
        attitude=mbs.Vector((
            mbs.atan2(left[2], up[2]), mbs.atan2(-forward[2], level), mbs.atan2(forward[1], forward[0])
        )),
        turning=mbs.Vector(spin.dot(axis) for axis in (forward, left, up)),
        velocity=mbs.Vector((velocity.dot(ahead), velocity[1] * ahead[0] - velocity[0] * ahead[1])),
        offset=mbs.position("trunk")[1],
        angles=mbs.Vector(mbs.coordinate(body) for body in bodies),
        rates=mbs.Vector(mbs.rate(body) for body in bodies),
    )  # fmt: skip


def add_outputs(robot: mbs.Imported) -> None:
    """Add the outputs that controllers and diagrams use."""
    m, known = robot.model, sensed(robot)
    m.output("position", mbs.position("trunk"), unit="m", description="of the trunk's middle")
    m.output("attitude", known.attitude, unit="rad", description="roll, pitch and yaw of the trunk")
    m.output("turning", known.turning, unit="rad/s", description="angular velocity of the trunk, in its axes")
    m.output("velocity", known.velocity, unit="m/s", description="of the trunk, forward and to the left")
    m.output("angle", known.angles, unit="rad", description=f"of {', '.join(JOINTS)}")
    m.output("rate", known.rates, unit="rad/s", description="of the same joints")
    loads = [mbs.strength(f"ground.{robot.bodies[f'{leg}_foot']}") for leg in LEGS]
    m.output("load", loads, unit="N", description=f"on the feet {', '.join(LEGS)}")


# -- the controller --------------------------------------------------------------------------------------
def add_controller(m: mbs.Model, known: Sensed) -> mbs.Vector:
    """Add the controller, and return its torques of all joints, which it samples.

    speed: input, m/s. Before `begin` (s) the robot stands.
    """
    speed = m.input("speed", start=0.4, unit="m/s", min=-0.5, max=0.7, description="wanted, forward")
    begin = m.parameter("begin", 1.0, unit="s", min=0.0, description="time at which the trot begins")
    lift = m.parameter("lift", LIFT, unit="m", min=0.0, max=0.12, description="height of swinging feet")
    ramp = mbs.clip((mbs.time - begin) / RAMP, 0.0, 1.0)
    tick = PERIOD / STRIDE
    phase = m.sampled("phase", PERIOD, lambda p: mbs.where(p + tick - 1.0 + 1e-9 >= 0, p + tick - 1.0, p + tick))
    aside = mbs.clip(RETURN * known.offset, -STEERING, STEERING)
    steer = ramp * mbs.clip(-STEER * (known.attitude[2] + aside), -STEERING, STEERING)
    places = m.sampled(
        "place", PERIOD, lambda p: _next_places(p, phase, ramp * speed, steer, known), start=[0.0] * 8, unit="m"
    )
    aims, carried = [], []
    for k, (end, side) in enumerate(LEGS.values()):
        progress, swings = _swing(phase, end * side)
        raised = mbs.where(swings, 0.5 * ramp * lift * (1.0 - mbs.cos(2.0 * math.pi * progress)), 0.0)
        aims += leg_angles(places[2 * k], side * OFFSET + places[2 * k + 1], raised - HEIGHT, side)
        share = 0.25 * mbs.where(swings, 1.0 - ramp, 1.0 + ramp)
        carried += _carrying(aims[-3:], known, (end, side), share)
    before = m.sampled("aim", PERIOD, aims, start=[*STANDING] * len(LEGS), unit="rad")
    wanted = [
        SERVO * (aim - angle) + DAMPING * ((aim - last) / PERIOD - rate) + torque
        for aim, angle, last, rate, torque in zip(aims, known.angles, before, known.rates, carried, strict=True)
    ]
    return m.sampled("command", PERIOD, wanted, start=[0.0] * len(JOINTS), unit="N.m")


def _swing(phase: mbs.Expression, pair: int) -> tuple[mbs.Expression, mbs.Expression]:
    """Return the progress of a swing from 0 to 1, and whether a pair of legs swings: 1 first, then -1."""
    first = phase < 0.5
    return (2.0 * phase, first) if pair == 1 else (2.0 * phase - 1.0, phase >= 0.5)


def _next_places(
    places: mbs.Vector, phase: mbs.Expression, speed: mbs.Expression, steer: mbs.Expression, known: Sensed
) -> list[mbs.Expression]:
    """Return the places of the feet one period later, x and y from below the hips, m."""
    later = []
    for k, (end, side) in enumerate(LEGS.values()):
        progress, swings = _swing(phase, end * side)
        part = mbs.min(PERIOD / SWING / mbs.max(AHEAD - progress, 1e-6), 1.0)
        turning = (-steer * side * (ACROSS + OFFSET), steer * end * ALONG)  # m/s, of the hip against the trunk
        for x, actual, wanted, turn in zip(places[2 * k :], known.velocity, (speed, 0.0), turning):
            down = 0.5 * SWING * (actual + turn) + CATCH * (actual - wanted)
            new = mbs.where(swings, x + (down - x) * part, x - PERIOD * (wanted + turn))
            later.append(mbs.clip(new, -REACH, REACH))
    return later


def leg_angles(x: mbs.Expression, y: mbs.Expression, z: mbs.Expression, side: int) -> list[mbs.Expression]:
    """Return the angles of abduction, pitch and knee, rad, that bring a foot to a place from the abduction, m."""
    down = mbs.sqrt(mbs.max(y * y + z * z - OFFSET * OFFSET, 1e-4))  # along the leg's plane
    abduction = mbs.atan2(z, y) - mbs.atan2(-down, side * OFFSET)
    squared = x * x + down * down
    cosine = (squared - THIGH * THIGH - SHANK * SHANK) / (2.0 * THIGH * SHANK)
    knee = -mbs.acos(mbs.clip(cosine, -0.9, 0.95))
    pitch = mbs.atan2(-x, down) - mbs.atan2(SHANK * mbs.sin(knee), THIGH + SHANK * mbs.cos(knee))
    return [abduction, pitch, knee]


def _carrying(
    angles: list[mbs.Expression], known: Sensed, leg: tuple[int, int], share: mbs.Expression
) -> list[mbs.Expression]:
    """Return the torques with which a leg pushes the ground with its share of the weight, and levels the trunk."""
    (end, side), (abduction, pitch, knee) = leg, angles
    roll, nod = (LEVEL * known.attitude[k] + LEVELING * known.turning[k] for k in range(2))
    force = share * (WEIGHT + 4.0 * (end * ALONG * nod - side * (ACROSS + OFFSET) * roll))
    shank = SHANK * mbs.sin(pitch + knee)
    drop = THIGH * mbs.cos(pitch) + SHANK * mbs.cos(pitch + knee)
    across = side * OFFSET * mbs.cos(abduction) + drop * mbs.sin(abduction)
    slopes = (across, (THIGH * mbs.sin(pitch) + shank) * mbs.cos(abduction), shank * mbs.cos(abduction))
    return [-force * slope for slope in slopes]  # the ground pushes the foot upward
