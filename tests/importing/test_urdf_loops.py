"""Closed loops of URDF files: arguments and files that list them, and joints of other kinds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import mbs_fmu as mbs
from support.generators.loops import PlainLoops, outputs

pytestmark = pytest.mark.quick

HEAVY = (
    '<inertial><origin xyz="0.5 0 0"/><mass value="1"/>'
    '<inertia ixx="0.01" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>'
)


def four_bar() -> str:
    """A parallelogram in the x-z plane, cut at its last pin; links "end" and "post" mark both sides."""
    links = "".join(f'<link name="{name}">{HEAVY}</link>' for name in ("crank", "coupler", "rocker"))
    links += '<link name="base"/><link name="end"/><link name="post"/>'
    hinges = (("a", "base", "crank", 0, -1.2), ("b", "crank", "coupler", 1, 1.2), ("c", "coupler", "rocker", 2, 1.2))
    joints = "".join(
        f'<joint name="{name}" type="continuous"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{x} 0 0" rpy="0 {turn if name != "c" else np.pi - 1.2} 0"/><axis xyz="0 1 0"/></joint>'
        for name, parent, child, x, turn in hinges
    )
    joints += (
        '<joint name="e" type="fixed"><parent link="rocker"/><child link="end"/><origin xyz="1 0 0"/></joint>'
        '<joint name="p" type="fixed"><parent link="base"/><child link="post"/><origin xyz="2 0 0"/></joint>'
    )
    return f'<robot name="bars">{links}{joints}</robot>'


def by_hand() -> mbs.Model:
    """The same parallelogram by methods of the model."""
    m = mbs.Model("hand")
    last = np.pi - 1.2
    parent, solid = "world", {"mass": 1.0, "com": (0.5, 0, 0), "inertia": (0.01, 0.1, 0.1)}
    for name, x, turn in (("crank", 0, -1.2), ("coupler", 1, 1.2), ("rocker", 2, last)):
        at = mbs.Pose((x, 0, 0), mbs.rpy(0, turn, 0))
        parent = m.body(name, parent, mbs.Revolute("y"), at=at, **solid).name
    m.close("pin", "rocker", "world", mbs.Spherical(), at_a=(1, 0, 0), at_b=(2, 0, 0))
    return m


def crank_acceleration(model: mbs.Model) -> float:
    model.output("a", mbs.angular_acceleration("crank"))
    return float(outputs(PlainLoops(model))["a"][1])


@pytest.fixture
def bars(tmp_path: Path) -> Path:
    path = tmp_path / "robot.urdf"
    path.write_text(four_bar())
    return path


YAML = "closed_loop: [['end', 'post']]\ntype: ['3d']\nname_mot: ['a']\n"
FORMS = {
    "list": [("end", "post", mbs.Spherical())],
    "mapping": {"pin": ("end", "post", mbs.Spherical())},
    "joints for links": [("e", "p", mbs.Spherical())],
    "places": [("rocker", "base", mbs.Spherical(), (1, 0, 0), mbs.Pose((2, 0, 0)))],
    "hinge": [("end", "post", mbs.Compound(mbs.turn("y")))],
}


@pytest.mark.parametrize("form", FORMS)
def test_closures_close_loops(form: str, bars: Path) -> None:
    """All forms give the acceleration of the model built by hand."""
    robot = mbs.from_urdf(bars, closures=FORMS[form])
    assert list(robot.model.loops) == ["pin" if form == "mapping" else "loop1"]
    expected = crank_acceleration(by_hand())
    assert abs(crank_acceleration(robot.model) - expected) < 1e-9 * abs(expected)


def test_files_beside_the_robot(bars: Path) -> None:
    """Loops, replaced joints and motors in the form of example-parallel-robots."""
    pytest.importorskip("yaml")
    path = bars.with_suffix(".yaml")
    path.write_text(YAML)
    robot = mbs.from_urdf(bars, closures=path, efforts=True)
    assert list(robot.model.inputs) == ["a_effort"]
    expected = crank_acceleration(by_hand())
    assert abs(crank_acceleration(robot.model) - expected) < 1e-9 * abs(expected)
    path.write_text(YAML + "joint_name: [b, c, q]\njoint_type: [SPHERICAL, UJOINT_ZY, SPHERICAL]\n")
    robot = mbs.from_urdf(bars, closures=path)
    assert [len(robot.model.bodies[name].rates) for name in ("coupler", "rocker")] == [3, 2]
    assert robot.notes == ["robot.yaml names joints that the file does not have: 'q'"]
    for text, message in {
        "closed_loop: [['end']]": "closed_loop is",
        "closed_loop: [['end', 'post']]\ntype: ['4d']": "a loop of type '4d': use 6d, 3d",
        "closed_loop: [['end', 'post']]\ntype: ['6d', '6d']": "2 entries of type for 1 loops",
        "joint_name: [b]\njoint_type: [BALL]": "a joint of type 'BALL': use SPHERICAL, FIXED or UJOINT_XY",
        "joint_name: [b]": "0 entries of joint_type for 1 of joint_name",
        "[1, 2]": "it has no closed_loop",
        "a: [": "this is no YAML",
        "x: " + "[" * 100_000: "this is no YAML",
        "x: " + "a" * 2_000_000: "the file is larger than 1 MB",
    }.items():
        path.write_text(text)
        with pytest.raises(mbs.ModelError, match=f"^robot.yaml: {message}") as caught:
            mbs.from_urdf(bars, closures=path)
        assert "\n" not in str(caught.value)
    with pytest.raises(mbs.ModelError, match=r"absent\.yaml"):
        mbs.from_urdf(bars, closures="absent.yaml")


def test_joints_are_replaced(bars: Path) -> None:
    """By any joint, at the same place; what acts along a single coordinate remains with one."""
    robot = mbs.from_urdf(bars, joints={"b": mbs.Spherical(), "c": mbs.Weld(), "a": mbs.Revolute("z")}, efforts=True)
    kinds = [(joint.kind, joint.coordinate) for joint in robot.joints.values()]
    assert kinds == [("continuous", 1), ("Spherical", 1), ("Weld", None), ("fixed", None), ("fixed", None)]
    assert list(robot.model.inputs) == ["a_effort"]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"closures": [("end", "post")]}, r"closure 'loop1' is .*: give \(link, other link, joint\)"),
        ({"closures": [("end", "nothing", mbs.Weld())]}, "closure 'loop1' leads to 'nothing'"),
        ({"closures": [("end", "post", "ball")]}, "closure 'loop1' has the joint 'ball'"),
        ({"closures": 3}, "closures is 3"),
        ({"joints": {"q": mbs.Weld()}}, "there is no joint 'q': the file has 'a', 'b', 'c'"),
        ({"joints": {"a": "ball"}}, "joint 'a' is to become 'ball'"),
    ],
)
def test_wrong_closures_are_refused(wrong: dict, message: str, bars: Path) -> None:
    """By the name of the loop or joint."""
    with pytest.raises(mbs.ArgumentError, match=message):
        mbs.from_urdf(bars, **wrong)
