"""Models from URDF: the project's files, valid and invalid; imported, noted and refused elements."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.importing.imported import Limits
from support.comparisons import assert_close
from support.generators.mechanisms import Plain
from support.oracles.robot_peers import OWN

pytestmark = pytest.mark.quick

FILES = sorted(path.name for path in OWN.glob("*.urdf"))


def robot(file: str, **more: Any) -> mbs.Imported:
    return mbs.from_urdf(OWN / f"{file}.urdf", **more)


def test_there_are_ten_files() -> None:
    """The project has ten robot files."""
    assert len(FILES) == 10


# -- imported elements --------------------------------------------------------------------------------


def test_bodies_joints_and_limits() -> None:
    """Links are bodies of the same names, joints are data by their names."""
    arm = robot("arm")
    assert arm.bodies == {"base": "base", "upper": "upper", "fore arm": "fore_arm", "hand": "hand", "tool0": "tool0"}
    assert repr(arm.model).splitlines() == [
        "model 'arm': 5 bodies, 3 coordinates, 0 loops, 0 inputs, 0 outputs",
        "  base: Weld",
        "    upper: Revolute (phi)",
        "      fore_arm: Revolute (phi)",
        "        hand: Revolute (phi)",
        "          tool0: Weld",
    ]
    shoulder, elbow, wrist, flange = arm.joints.values()
    assert (shoulder.kind, shoulder.body, shoulder.coordinate) == ("revolute", "upper", 1)
    assert shoulder.limits == Limits(-1.5, 2.0, 80.0, 3.0)
    assert elbow.limits.lower == -np.inf and elbow.limits.effort == 30.0
    assert (wrist.body, flange.kind, flange.coordinate) == ("hand", "fixed", None)
    assert set(arm.model.forces) == {"shoulder_damping", "shoulder_friction"}
    assert robot("arm", dynamics=False).model.forces == {}
    assert robot("arm", name="mine").model.name == "mine"


def test_efforts_are_inputs_within_their_limits() -> None:
    """Each single-freedom joint that is no follower has an effort input, bounded if the file has a bound."""
    arm = robot("arm", efforts=True)
    assert [joint.input for joint in arm.joints.values()] == [f"{x}_effort" for x in ("shoulder", "elbow", "wrist")] + [
        None
    ]
    assert [(i.unit, i.range.low, i.range.high) for i in arm.model.inputs.values()] == [
        ("N.m", -80.0, 80.0), ("N.m", -30.0, 30.0), ("N.m", None, None),
    ]  # fmt: skip
    assert list(robot("gripper", efforts=True).model.inputs) == ["turn_effort"]
    assert robot("cart", efforts=True).model.inputs["slide_effort"].unit == "N"


def test_stops_are_limits_with_a_stiffness() -> None:
    """For joints with bounds that leave a range."""
    assert set(robot("cart", stops=(1e4, 10.0)).model.forces) == {"slide_stops"}
    assert set(robot("arm", stops=(1e4, 10.0), dynamics=False).model.forces) == {"shoulder_stops", "wrist_stops"}


def test_inertias_are_turned_into_link_axes() -> None:
    """R J Rᵀ by roll, pitch, yaw about fixed axes, of which yaw is the last."""
    body = robot("arm").model.bodies["upper"]
    roll, pitch, yaw = 0.3, -0.2, 0.5

    def about(axis: int, angle: float) -> np.ndarray:
        b, d = (axis + 1) % 3, (axis + 2) % 3
        R = np.eye(3)
        R[b, b] = R[d, d] = np.cos(angle)
        R[d, b], R[b, d] = np.sin(angle), -np.sin(angle)
        return R

    R = about(2, yaw) @ about(1, pitch) @ about(0, roll)
    J = np.array([[0.03, 0.001, -0.002], [0.001, 0.025, 0.0005], [-0.002, 0.0005, 0.012]])
    inertia = np.array([[x.value for x in row] for row in body.inertia])
    assert_close(inertia, R @ J @ R.T, 1e-17, "inertia of body 'upper'", "xyz")


def test_looks_are_data() -> None:
    """Shapes by body, in its axes; missing meshes are noted once."""
    arm = robot("arm", packages={"arm_description": OWN})
    capsule, box = arm.shapes["upper"]
    assert (capsule.kind, capsule.size, capsule.color, capsule.role) == (
        "capsule", (0.04, 0.3), (1.0, 0.5, 0.0, 0.5), "visual",
    )  # fmt: skip
    assert_close(np.array(capsule.at.rotation)[:, 2], (1, 0, 0), 1e-15, "axis of the capsule", "xyz")
    assert tuple(capsule.at.position) == (0, 0, 0.2)
    assert (box.kind, box.size, box.role, box.color) == ("box", (0.1, 0.2, 0.4), "collision", None)
    assert arm.shapes["base"][0].color == (0.3, 0.4, 0.5, 1.0)
    mesh = arm.shapes["fore_arm"][0]
    assert (mesh.kind, mesh.scale, mesh.file) == ("mesh", (0.001, 0.001, 0.001), None)
    assert "tool0" not in arm.shapes
    drawn = {body: [shape.kind for shape in shapes] for body, shapes in arm.model.shapes.items()}
    assert drawn == {"base": ["cylinder"], "upper": ["capsule"], "hand": ["sphere"], "tool0": []}
    assert [note for note in arm.notes if "mesh" in note] == [
        "meshes are not found: package://arm_description/meshes/fore.stl, package://arm_description/meshes/none.stl; "
        "give their folders by packages="
    ]


def test_meshes_are_looked_for_in_packages_and_above(tmp_path: Path) -> None:
    """package:// in the folder of an argument, or in the layout of ROS; names without a scheme beside the file."""
    text = (OWN / "arm.urdf").read_text()
    for place in ("arm_description/urdf", "other/arm_description/meshes"):
        (tmp_path / place).mkdir(parents=True)
    inside = tmp_path / "arm_description" / "urdf" / "arm.urdf"
    inside.write_text(text.replace("package://arm_description/meshes/none.stl", "none.stl"))
    (tmp_path / "other/arm_description/meshes/fore.stl").touch()
    (inside.parent / "none.stl").touch()
    packages = {"arm_description": tmp_path / "other" / "arm_description"}
    one, other = mbs.from_urdf(inside, packages=packages).shapes["fore_arm"]
    assert one.file == tmp_path / "other/arm_description/meshes/fore.stl" and other.file == inside.parent / "none.stl"
    (tmp_path / "arm_description/meshes").mkdir()
    (tmp_path / "arm_description/meshes/fore.stl").touch()
    assert mbs.from_urdf(inside).shapes["fore_arm"][0].file == tmp_path / "arm_description/meshes/fore.stl"


def test_each_unknown_tag_is_noted_once() -> None:
    """With its first line; tags without effect on motion or looks are ignored."""
    notes = [note for note in robot("arm").notes if "mesh" not in note]
    assert notes == ["<spring> in <robot> (line 60, 2 times in all) is not understood: left out"]


def test_names_become_identifiers_and_stay_different() -> None:
    """Names of bodies, forces and inputs; the file's names lead to them."""
    names = robot("names", efforts=True)
    assert names.bodies == {"1.0": "_1_0", "1_0": "_1_0_", "time": "time_", "lambda": "_lambda"}
    assert [names.joints[joint].input for joint in ("a/b", "a.b")] == ["a_b_effort", "a_b_effort_"]


def test_the_root_and_the_world() -> None:
    """A root link `world` is the world itself; another one attaches to it by `base`."""
    assert robot("floating").bodies["world"] == robot("implicit").bodies["world"] == "world"
    assert robot("floating", base=mbs.Free()).bodies["world"] == "world_"
    flying = robot("tree", base=mbs.Free()).model
    assert len(flying.bodies["body"].rates) == 6 and flying.bodies["body"].parent == "world"


def test_the_tree_is_printed() -> None:
    """Printed lines: bodies as a tree, joints with limits, notes."""
    lines = robot("gripper").lines()
    assert isinstance(lines, list)
    assert lines[1:4] == [
        "  palm, 1 kg",
        "    left, 0.1 kg (revolute 'turn', 0 to 1, effort 5, speed 1)",
        "    right, 0.1 kg (prismatic 'other', -1 to 1, effort 5, speed 1, -0.05 x 'turn' + 0.01)",
    ]


# -- corrections --------------------------------------------------------------------------------------


def test_unphysical_inertias() -> None:
    """All are named; kept as they are, or reduced to possible ones; rounding is tolerated."""
    with pytest.raises(mbs.ModelError, match=r"unphysical.urdf:\d+: .*'a' \(.*\), 'b' \(.*\): .*'keep' or 'mend'"):
        robot("unphysical")
    saved, cut = robot("unphysical", unphysical="keep"), robot("unphysical", unphysical="mend")
    assert [saved.model.bodies[name].physical for name in "abc"] == [False, False, True]
    assert [len(x.notes) for x in (saved, cut)] == [2, 2] and "principal moments 0.01, 0.02, 0.05" in cut.notes[0]

    def moments(imported: mbs.Imported, name: str) -> np.ndarray:
        return np.linalg.eigvalsh([[x.value for x in row] for row in imported.model.bodies[name].inertia])

    assert_close(moments(saved, "b"), (-1e-4, 0.01, 0.02), 1e-16, "kept principal moment of body 'b'")
    assert_close(moments(cut, "a"), (0.01, 0.02, 0.03), 1e-16, "mended principal moment of body 'a'")
    assert_close(moments(cut, "b"), (0.0, 0.01, 0.01), 1e-16, "mended principal moment of body 'b'")


def test_joints_that_move_nothing() -> None:
    """All are named; once welded, the rest of the robot moves."""
    message = r"moves with joint 'finger' \(link 'empty'\), 'spin' \(link 'point'\): give its link some, or give"
    with pytest.raises(mbs.ModelError, match=message):
        robot("massless")
    welded = robot("massless", massless="weld", efforts=True)
    assert welded.notes == ["no mass or inertia moves with joint finger, spin: welded"]
    assert list(welded.model.inputs) == ["good_effort"] and welded.joints["spin"].coordinate is None
    assert Plain(welded.model).rates().size == 2


@pytest.mark.quick
def test_planar_and_floating_joints_keep_their_losses(tmp_path: Path) -> None:
    """Damping and friction act along each velocity, unless dynamics=False; a mimic tag is noted."""
    for kind, count in (("planar", 3), ("floating", 6)):
        path = tmp_path / f"{kind}.urdf"
        tags = '<dynamics damping="0.7" friction="0.2"/><mimic joint="other"/></joint>'
        path.write_text(GOOD.replace("revolute", kind).replace("</joint>", tags))
        slides = mbs.from_urdf(path)
        note = f"<mimic> of {kind} joint 'j' is left out: the joint has {count} degrees of freedom"
        assert slides.notes == [note, f"damping and friction of {kind} joint 'j' act along each velocity"]
        assert mbs.from_urdf(path, dynamics=False).model.forces == {}
        u = np.linspace(1.0, 2.0, count)
        slides.model.start("b", u=u)
        names = list(slides.model.forces)
        for name in names:
            slides.model.output(f"{name}_f", mbs.strength(name))
        plain = Plain(slides.model)
        plain.rates()
        plain.real.outputs(plain.R)
        found = [plain.R[v.slot] for v in plain.program.variables if v.role == "output"]
        assert_close(found, -0.7 * u - 0.2, 1e-4, f"losses of the {kind} joint")  # friction is smooth, 1e-4 below 0.2


HAND = (
    '<robot name="hand"><link name="palm"/>{links}'
    '<joint name="lead" type="revolute"><parent link="palm"/><child link="a"/><axis xyz="0 0 1"/></joint>'
    '<joint name="next" type="revolute"><parent link="{on}"/><child link="b"/><origin xyz="0.1 0 0"/>'
    '<axis xyz="0 0 1"/><mimic joint="lead" multiplier="{ratio}"/></joint>'
    '<joint name="last" type="prismatic"><parent link="b"/><child link="c"/><origin xyz="0.1 0 0"/>'
    '<axis xyz="1 0 0"/><mimic joint="next" multiplier="0.5"/></joint></robot>'
)
HEAVY = (
    '<inertial><origin xyz="0.05 0 0"/><mass value="1"/>'
    '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
)


@pytest.mark.quick
@pytest.mark.parametrize("on", ["palm", "a"])
@pytest.mark.parametrize("heavy", ["a", "b", "c", "ab", ""])
def test_fingers_without_mass_move_with_those_that_have_some(heavy: str, on: str, tmp_path: Path) -> None:
    """Joints that mimic each other are massless only if none of them moves anything with mass; then all are welded."""
    path = tmp_path / "hand.urdf"
    links = "".join(f'<link name="{name}">{HEAVY * (name in heavy)}</link>' for name in "abc")
    path.write_text(HAND.format(links=links, on=on, ratio=-0.7))
    if not heavy:
        with pytest.raises(mbs.ModelError, match=r"moves with joint 'lead' .*, 'next' .*, 'last'"):
            mbs.from_urdf(path)
        assert not any(b.joint.motions for b in mbs.from_urdf(path, massless="weld").model.bodies.values())
        return
    hand = mbs.from_urdf(path)
    assert hand.notes == [] and list(hand.model.followers) == ["next_mimic", "last_mimic"]
    hand.model.start("a", u=1.0)
    plain = Plain(hand.model)
    rates = plain.rates()
    assert rates.size == 2 and np.isfinite(rates).all()


@pytest.mark.quick
def test_a_finger_that_mimics_a_fixed_joint_needs_no_mass(tmp_path: Path) -> None:
    """It stays at the offset, and so does one that mimics it."""
    path = tmp_path / "hand.urdf"
    links = "".join(f'<link name="{name}"/>' for name in "abc")
    text = HAND.format(links=links, on="a", ratio=1.0).replace("revolute", "fixed", 1)
    path.write_text(text.replace('multiplier="1.0"', 'offset="0.2"').replace('"0.5"', '"0.5" offset="0.01"'))
    model = mbs.from_urdf(path).model
    assert [drive.position[0].value for drive in model.drives.values()] == [0.2, 0.5 * 0.2 + 0.01]


# -- refused files ------------------------------------------------------------------------------------

LINKS = (
    '<link name="a"/>\n<link name="b"><inertial><mass value="1"/>'
    '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>\n'
)
JOINT = '<joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint>\n'
GOOD = f'<robot name="x">\n{LINKS}{JOINT}</robot>'
BOMB = '<!ENTITY a "lol">' + "".join(f'<!ENTITY {chr(98 + k)} "{("&" + chr(97 + k) + ";") * 10}">' for k in range(12))
BACK = '<joint name="k" type="fixed"><parent link="b"/><child link="{}"/></joint>\n'
WRONG = {
    "bomb": (f"<!DOCTYPE r [{BOMB}]><robot>&m;</robot>", "bad.urdf:1: it declares the entity 'a'"),
    "external entity": (
        '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>\n<robot>&x;</robot>',
        "bad.urdf:1: it declares the entity 'x'",
    ),
    "negative mass": (GOOD.replace('mass value="1"', 'mass value="-1"'), "bad.urdf:3: mass of link 'b' is -1.0"),
    "missing ixx": (GOOD.replace('ixx="1" ', ""), "bad.urdf:3: <inertia> has no attribute 'ixx': give 1 finite number"),
    "unknown parent": (GOOD.replace('parent link="a"', 'parent link="q"'), "bad.urdf:4: joint 'j': its parent 'q' is"),
    "zero axis": (GOOD.replace("0 0 1", "0 0 0"), "bad.urdf:4: joint 'j': axis .* has no direction"),
    "nan": (GOOD.replace('mass value="1"', 'mass value="nan"'), "bad.urdf:3: value of <mass> is 'nan': give 1 finite"),
    "mimic of itself": (GOOD.replace("</joint>", '<mimic joint="j"/></joint>'), "bad.urdf:4: joint 'j' mimics itself"),
    "ring": (
        GOOD.replace("</robot>", '<link name="c"/>' + BACK.format("c") + BACK.format("b").replace('"k"', '"l"')
                     .replace('parent link="b"', 'parent link="c"').replace('child link="b"', 'child link="c"')
                     + "</robot>"),
        "bad.urdf:6: link 'c' is already the child of joint 'k'",
    ),
    "two roots": (GOOD.replace("</robot>", '<link name="c"/></robot>'), "2 links have no joint to a parent: 'a', 'c'"),
    "a name twice": (GOOD.replace("</robot>", '<link name="a"/></robot>'), "bad.urdf:5: link 'a' is there twice"),
    "no XML": ("robot: x", "bad.urdf:1: this is no XML: syntax error"),
    "macro": (GOOD.replace('mass value="1"', 'mass value="${m}"'), r"it is a macro: expand it first \(xacro"),
    "no robot": ("<sdf/>", "bad.urdf:1: the outer element is <sdf>, that of a URDF is <robot>"),
    "no link": ("<robot/>", "bad.urdf:1: the file has no <link>"),
    "closed ring": (GOOD.replace("</robot>", BACK.format("a") + "</robot>"), "every link has a parent"),
    "unknown type": (GOOD.replace("revolute", "ball"), "bad.urdf:4: joint 'j' has the unknown type 'ball': use revol"),
    "unknown leader": (
        GOOD.replace("</joint>", '<mimic joint="z"/></joint>'), "bad.urdf:4: joint 'j': it mimics 'z', which is not a",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_wrong_files_have_one_clear_message(case: str, tmp_path: Path) -> None:
    """With file and line, in less than 0.1 s, at one of three times, since garbage may be collected in one."""
    text, message = WRONG[case]
    path = tmp_path / "bad.urdf"
    path.write_text(text)
    seconds = []
    for _ in range(3):
        begin = time.process_time()
        with pytest.raises(mbs.ModelError, match=message) as caught:
            mbs.from_urdf(path)
        seconds.append(time.process_time() - begin)
        if seconds[-1] < 0.1:
            break
    assert min(seconds) < 0.1, f"{seconds} s of processor time"
    assert "\n" not in str(caught.value)


def test_the_good_file_is_good(tmp_path: Path) -> None:
    """The valid file is accepted, so that the previous test is sharp."""
    path = tmp_path / "good.urdf"
    path.write_text(GOOD)
    assert mbs.from_urdf(path).notes == []
    with pytest.raises(mbs.ModelError, match="No such file"):
        mbs.from_urdf(tmp_path / "none.urdf")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"unphysical": "no"}, "unphysical is 'no': use 'refuse' or 'keep' or 'mend'"),
        ({"massless": None}, "massless is None: use 'refuse' or 'weld'"),
        ({"base": "free"}, "base must be a joint such as mbs.Free"),
        ({"stops": 3.0}, "stops is 3.0: give two numbers"),
        ({"efforts": 1}, "efforts is 1: use True or False"),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], message: str) -> None:
    """Invalid arguments are refused with a message."""
    with pytest.raises(mbs.ModelError, match=message):
        robot("arm", **arguments)


def test_collision_shapes_are_for_the_ground(tmp_path: Path) -> None:
    """Of bodies that move; a mesh touches with its vertices, and the notes say so, once."""
    corners = [(0, 0, 0), (30, 0, 0), (0, 30, 0), (0, 0, 30)]
    faces = [(0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3)]
    lines = [f"v {x} {y} {z}" for x, y, z in corners] + [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in faces]
    (tmp_path / "foot.obj").write_text("\n".join(lines))
    inertial = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    mesh = '<collision><geometry><mesh filename="foot.obj" scale="0.001 0.001 0.001"/></geometry></collision>'
    ball = '<collision><origin xyz="0 0 0.1"/><geometry><sphere radius="0.05"/></geometry></collision>'
    seen = '<visual><geometry><box size="1 1 1"/></geometry></visual>'
    (tmp_path / "walker.urdf").write_text(
        f'<robot name="walker"><link name="base">{inertial}{ball}</link><link name="foot">{inertial}{mesh}{ball}{seen}'
        '</link><joint name="hip" type="revolute"><parent link="base"/><child link="foot"/><axis xyz="0 1 0"/>'
        '<limit effort="1" velocity="1" lower="-1" upper="1"/></joint></robot>'
    )
    assert list(mbs.from_urdf(tmp_path / "walker.urdf").collisions()) == ["foot"]
    walker = mbs.from_urdf(tmp_path / "walker.urdf", base=mbs.Free())
    for _ in range(2):
        found = walker.collisions()
    assert {body: [shape.kind for shape in shapes] for body, shapes in found.items()} == {
        "base": ["sphere"], "foot": ["mesh", "sphere"],
    }  # fmt: skip
    assert walker.notes == ["mesh foot.obj of 'foot' touches with vertices of its convex hull only"]
    walker.model.ground("floor", found, stiffness=1e4)
    points = walker.model.forces["floor.foot"].points  # type: ignore[attr-defined]
    assert sorted(tuple(x.value for x in point.b.origin) for point in points) == [
        (0.0, 0.0, 0.0), (0.0, 0.0, 0.03), (0.0, 0.0, 0.1), (0.0, 0.03, 0.0), (0.03, 0.0, 0.0),
    ]  # fmt: skip


def test_reversed_limits_are_noted(tmp_path: Path) -> None:
    """A lower limit above the upper one gives no range; two equal limits, as of hinges without limits, say nothing."""
    path = tmp_path / "r.urdf"
    for low, notes in ((1, ["joint 'j' has the lower limit 1 above the upper one -1: it has no range"]), (-1, [])):
        limit = f'<limit lower="{low}" upper="-1" effort="1" velocity="1"/></joint>'
        path.write_text(GOOD.replace("</joint>", limit), encoding="utf-8")
        read = mbs.from_urdf(path)
        assert read.notes == notes and not read.model.ranges


@pytest.mark.quick
def test_unknown_links_and_joints_are_suggested(tmp_path: Path) -> None:
    """The dictionaries of an imported robot name what they have."""
    path = tmp_path / "arm.urdf"
    path.write_text('<robot name="arm"><link name="base"/></robot>', encoding="utf-8")
    robot = mbs.from_urdf(path)
    with pytest.raises(KeyError, match=r"nothing is named 'bse' \(did you mean 'base'\?\); there are base"):
        robot.bodies["bse"]
    assert robot.joints.get("elbow") is None and "elbow" not in robot.joints
