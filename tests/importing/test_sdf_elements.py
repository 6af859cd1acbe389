"""Elements of SDFormat files: frames, nested and included models, laws, notes, refused and hostile files."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.importing.document import Document, Element
from mbs_fmu.importing.imported import Limits
from mbs_fmu.importing.sdf_models import Models
from mbs_fmu.importing.sdf_scopes import MODEL
from support.generators.loops import PlainLoops, outputs
from support.generators.mechanisms import Plain
from support.generators.sdf_documents import pose_matrix

pytestmark = pytest.mark.quick

HEAVY = (
    "<inertial><pose>0.3 0 0 0 0 0</pose><mass>2</mass>"
    "<inertia><ixx>0.1</ixx><iyy>0.2</iyy><izz>0.2</izz></inertia></inertial>"
)


def link(name: str, more: str = "") -> str:
    return f'<link name="{name}">{more}{HEAVY}</link>\n'


def joint(name: str, kind: str, parent: str, child: str, more: str = "<axis><xyz>0 0 1</xyz></axis>") -> str:
    return f'<joint name="{name}" type="{kind}"><parent>{parent}</parent><child>{child}</child>{more}</joint>\n'


def model(content: str, version: str = "1.9", more: str = "") -> str:
    return f'<sdf version="{version}">\n<model name="robot"{more}>\n{content}</model></sdf>'


def read(tmp_path: Path, text: str, **more: object) -> mbs.Imported:
    path = tmp_path / "robot.sdf"
    path.write_text(text)
    return mbs.from_sdf(path, **more)


ARM = link("a") + joint("j", "revolute", "world", "a")


# -- frames and models --------------------------------------------------------------------------------

#: libsdformat's test model of placement frames (test/sdf/placement_frame.sdf).
WITH_FRAMES = """<model name="with_frames">
<frame name="F1"><pose>0 0 0 1.570796326794895 0 0</pose></frame>
<frame name="F2"><pose relative_to="F1">0 0 0 0 0.785398 0</pose></frame>
<link name="L1"><pose relative_to="F1"/></link>
<link name="L2"><pose relative_to="F1">1 0 0 0 0 0</pose></link>
<link name="L3"><pose relative_to="L2">0 1 0 0 0 0</pose></link>
<link name="L4"><pose relative_to="__model__">0 0 1 0 0 0</pose></link>
<joint name="J1" type="universal"><parent>L1</parent><child>L2</child>
<axis><xyz expressed_in="F2">0 0 1</xyz></axis><axis2><xyz expressed_in="F2">1 0 0</xyz></axis2></joint>
<joint name="J2" type="revolute"><pose>0 0 1 0 0 0</pose><parent>L2</parent><child>L3</child>
<axis><xyz expressed_in="__model__">0 0 1</xyz></axis></joint>
<joint name="J3" type="fixed"><pose relative_to="__model__">1 0 1 0 0 0</pose>
<parent>L3</parent><child>L4</child></joint>
<model name="M2"><pose relative_to="F1">1 0 0 0 0 0</pose><link name="L5"><pose>1 0 0 0 0 0</pose></link></model>
</model>"""
PLACED = pose_matrix(np.array([0, 10, 0]), mbs.rpy(1.570796326794895, 0, 0))


def poses(path: Path) -> Callable[[str], np.ndarray]:
    scope = Models(Document(path), {}).selected(None)
    return lambda name: scope.absolute() @ scope.pose_of(name, MODEL, scope.element)


@pytest.mark.parametrize("frame", ["L4", "F2", "J2", "__model__", "M2", "M2::L5"])
@pytest.mark.parametrize("relative", [False, True])
@pytest.mark.parametrize("merge", [False, True])
def test_a_placement_frame_gets_the_pose_of_the_include(
    frame: str, relative: bool, merge: bool, tmp_path: Path
) -> None:  # fmt: skip
    """In a world or a model, relative to a frame or not, nested or merged."""
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "model.sdf").write_text(f'<sdf version="1.8">{WITH_FRAMES}</sdf>')
    pose = "<pose>0 10 0 1.570796326794895 0 0</pose>"
    if relative:
        pose = '<pose relative_to="origin">1 0 0 0 0 0</pose>'
    content = (
        '<frame name="origin"><pose>-1 10 0 1.570796326794895 0 0</pose></frame>'
        f'<include merge="{str(merge).lower()}"><uri>parts</uri><name>one</name>{pose}'
        f"<placement_frame>{frame}</placement_frame></include>"
    )
    path = tmp_path / "robot.sdf"
    path.write_text(model(content))
    name = {(True, "__model__"): "robot::_merged__one__model__"}.get((merge, frame), f"robot::{frame}")
    found = poses(path)(name if merge else f"robot::one::{frame}")
    assert np.abs(found - PLACED).max() < 1e-14


def test_names_of_nested_and_merged_models(tmp_path: Path) -> None:
    """MODEL::LINK for nested models, the names of the including model for merged ones; their own `__model__`."""
    (tmp_path / "part.sdf").write_text(f'<sdf version="1.8">{WITH_FRAMES}</sdf>')
    include = "<include merge='{}'><uri>part.sdf</uri><name>{}</name><pose>0 0 {} 0 0 0</pose></include>"
    text = model(include.format(0, "one", 1) + link("base") + joint("fix", "fixed", "base", "one::M2::L5", ""))
    robot = read(tmp_path, text, base=mbs.Weld())
    assert list(robot.bodies) == ["base", "one::L1", "one::L2", "one::L3", "one::L4", "one::M2::L5"]
    assert robot.bodies["one::M2::L5"] == "one__M2__L5" and robot.joints["one::J1"].coordinate == 1
    merged = read(tmp_path, model(link("base") + include.format(1, "two", 2)), base=mbs.Weld())
    (tmp_path / "posed.sdf").write_text(
        f'<sdf version="1.8"><model name="p"><pose>1 2 3 0 0 0</pose>{link("x")}</model></sdf>'
    )
    posed = read(tmp_path, model("<include><uri>posed.sdf</uri></include>"), base=mbs.Weld())
    assert [x.value for x in posed.model.bodies["p__x"].position] == [1.0, 2.0, 3.0]
    assert set(merged.joints) == {"J1", "J1.axis2", "J2", "J3"}
    (tmp_path / "robot.sdf").write_text(model(link("base") + include.format(1, "two", 2)))
    found = poses(tmp_path / "robot.sdf")
    assert np.abs(found("robot::L4")[:3, 3] - (0, 0, 3)).max() < 1e-15


def test_the_pose_of_a_static_model_and_its_neighbours(tmp_path: Path) -> None:
    """Static links are fixed; joints among them have no effect; a joint to one of them moves the other link."""
    static = f"<static>1</static>{link('s')}{link('t')}{joint('none', 'revolute', 's', 't')}"
    text = (
        f'<sdf version="1.9"><world name="w"><model name="m">{static}</model>'
        f'<model name="n">{link("a")}</model>{joint("j", "revolute", "m::s", "n::a")}</world></sdf>'
    )
    robot = read(tmp_path, text)
    moving = [name for name, body in robot.model.bodies.items() if body.joint.motions]
    assert moving == ["n__a"] and not robot.model.loops
    assert robot.joints["m::none"].coordinate is None and robot.joints["j"].coordinate == 1
    assert robot.model.name == "w"
    inner = model(f'<static>1</static><model name="in"><static>0</static>{link("x")}</model>')
    assert not any(body.joint.motions for body in read(tmp_path, inner).model.bodies.values())
    assert read(tmp_path, text, model="n").bodies.keys() >= {"a"}


def test_a_floating_model_starts_in_its_pose(tmp_path: Path) -> None:
    """As in Gazebo, by default; `base` replaces the free joint."""
    text = model(f"<pose>1 2 3 0.1 0.2 0.3</pose>{link('a')}{link('b')}")
    robot = read(tmp_path, text)
    start = robot.model.starts["a"].q
    assert start is not None and tuple(start[:3]) == (1.0, 2.0, 3.0)
    w, x, y, z = start[3:]
    expected = mbs.rpy(0.1, 0.2, 0.3)
    assert abs(1 - 2 * (y * y + z * z) - expected[0][0]) < 1e-15 and abs(2 * (x * y + w * z) - expected[1][0]) < 1e-15
    fixed = read(tmp_path, text, base=mbs.Weld()).model.bodies["b"]
    assert not fixed.joint.motions and [x.value for x in fixed.position] == [1.0, 2.0, 3.0]


# -- laws ---------------------------------------------------------------------------------------------


def test_limits_and_laws(tmp_path: Path) -> None:
    """Infinite numbers, springs with references, losses, efforts and stops, of both axes of a universal."""
    dynamics = (
        "<dynamics><damping>0.5</damping><friction>0.1</friction><spring_stiffness>7</spring_stiffness>"
        "<spring_reference>0.2</spring_reference></dynamics>"
    )
    limit = "<limit><lower>-1</lower><upper>2</upper><effort>5</effort><velocity>-1</velocity></limit>"
    open_ = "<limit><lower>-1e16</lower><upper>inf</upper><effort>-1</effort></limit>"
    axes = f"<axis><xyz>0 1 0</xyz>{limit}</axis><axis2><xyz>0 0 1</xyz>{dynamics}{open_}</axis2>"
    arm = read(tmp_path, model(link("a") + joint("j", "universal", "world", "a", axes)), efforts=True, stops=(1e4, 10))
    assert arm.joints["j"].limits == Limits(-1.0, 2.0, 5.0) and arm.joints["j.axis2"].limits == Limits()
    assert (arm.joints["j.axis2"].body, arm.joints["j.axis2"].coordinate) == ("a", 2)
    assert list(arm.model.inputs) == ["j_effort", "j_axis2_effort"]
    assert list(arm.model.forces) == ["j_stops", "j_motor", "j_axis2_spring", "j_axis2_friction", "j_axis2_motor"]
    assert list(arm.model.ranges) == ["a.q[1]"]
    bare = read(tmp_path, model(link("a") + joint("j", "universal", "world", "a", axes)), dynamics=False)
    assert bare.model.forces == {}
    arm.model.start("a", q=(0.0, 0.5), u=(0.0, 2.0))
    arm.model.output("torque", mbs.strength("j_axis2_spring"))
    plain = Plain(arm.model)
    plain.rates()
    plain.real.outputs(plain.R)
    found = plain.R[next(v.slot for v in plain.program.variables if v.name == "torque")]
    assert abs(abs(found) - (7 * 0.3 + 0.5 * 2.0)) < 1e-14


def test_joints_mimic_others(tmp_path: Path) -> None:
    """By the reference of SDFormat, also axes of universals, and Drake's tag."""
    mimic = (
        "<mimic joint='{}' axis='{}'><multiplier>2</multiplier><offset>0.1</offset><reference>0.3</reference></mimic>"
    )
    universal = "<axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2>"
    content = (
        link("a") + link("b") + link("c") + link("d")
        + joint("j", "revolute", "world", "a") + joint("u", "universal", "world", "d", universal)
        + joint("k", "revolute", "world", "b", f"<axis><xyz>0 0 1</xyz>{mimic.format('j', 'axis')}</axis>")
        + joint("l", "revolute", "world", "c", f"<axis><xyz>0 0 1</xyz>{mimic.format('u', 'axis2')}</axis>")
    )  # fmt: skip
    robot = read(tmp_path, model(content, "1.11"))
    follower = robot.model.followers["k_mimic"]
    assert (follower.ratio.value, follower.offset.value) == (2.0, 0.1 - 2 * 0.3)
    assert list(robot.model.loops) == ["l_mimic"]
    robot.model.start("d", q=(0.4, 0.7))
    plain = PlainLoops(robot.model)
    slots = {v.name: v.slot for v in plain.program.variables}
    assert abs(plain.R[slots["c.phi"]] - (2 * (0.7 - 0.3) + 0.1)) < 1e-12
    drakes = "<axis><xyz>0 0 1</xyz><drake:mimic joint='j' multiplier='3' offset='0.5'/></axis>"
    text = model(
        link("a") + link("b") + joint("j", "revolute", "world", "a") + joint("k", "revolute", "a", "b", drakes)
    )
    assert read(tmp_path, text).joints["k"].mimic == read(tmp_path, text).joints["k"].mimic is not None


def test_gearboxes_couple_angles(tmp_path: Path) -> None:
    """theta 2 = -ratio theta 1, both relative to the reference body, whose own rotation does not count."""
    gear = "<gearbox_ratio>5</gearbox_ratio><gearbox_reference_body>base</gearbox_reference_body>"
    axes = "<axis><xyz>0 0 1</xyz></axis><axis2><xyz>0 0 {}</xyz></axis2>"
    hinge = "<axis><xyz>0 0 {}</xyz></axis>"
    for sign in (1, -1):
        content = link("base") + link("a") + link("b") + joint("turn", "revolute", "world", "base")
        content += joint("one", "revolute", "base", "a") + joint("two", "revolute", "base", "b", hinge.format(sign))
        robot = read(tmp_path, model(content + joint("gear", "gearbox", "a", "b", gear + axes.format(1))))
        assert list(robot.model.loops) == ["gear"] and robot.joints["gear"].coordinate is None
        robot.model.start("base", u=3.0)
        robot.model.start("a", u=1.0)
        plain = PlainLoops(robot.model)
        slots = {v.name: v.slot for v in plain.program.variables}
        assert abs(plain.R[slots["b.w"]] + sign * 5.0) < 1e-12


def test_the_reference_of_a_gearbox_may_be_outboard(tmp_path: Path) -> None:
    """Joints between the reference body and the common inner link count with the opposite sign."""
    content = link("hub") + link("base") + link("b")
    content += joint("h", "revolute", "world", "hub") + joint("i", "revolute", "hub", "base")
    content += joint("k", "revolute", "base", "b")
    gear = "<gearbox_ratio>5</gearbox_ratio><gearbox_reference_body>base</gearbox_reference_body><axis/><axis2/>"
    robot = read(tmp_path, model(content + joint("gear", "gearbox", "hub", "b", gear)))
    robot.model.start("base", u=1.0)
    plain = PlainLoops(robot.model)
    slots = {v.name: v.slot for v in plain.program.variables}
    assert abs(plain.R[slots["b.w"]] - 5.0) < 1e-12  # the hub turns by -1 relative to the base


def test_laws_of_a_universal_that_is_read_backward(tmp_path: Path) -> None:
    """The data of each axis stay with its coordinate, which is the other one of the two."""
    axes = "<axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz><dynamics><damping>1</damping></dynamics></axis2>"
    content = link("a") + link("b") + joint("fix", "fixed", "world", "a", "") + joint("u", "universal", "b", "a", axes)
    robot = read(tmp_path, model(content))
    joints = robot.joints
    assert [(joints[name].body, joints[name].coordinate) for name in ("u", "u.axis2")] == [("b", 2), ("b", 1)]
    robot.model.start("b", u=(1.0, 0.0))
    robot.model.output("torque", mbs.strength("u_axis2_damping"))
    plain = Plain(robot.model)
    plain.rates()
    plain.real.outputs(plain.R)
    assert abs(plain.R[next(v.slot for v in plain.program.variables if v.name == "torque")]) == 1.0


def test_joints_that_mimic_are_not_cut(tmp_path: Path) -> None:
    """Loops are cut at other joints, if they have one; otherwise the message names the argument `cut`."""
    mimic = "<axis><xyz>0 0 1</xyz><mimic joint='one'><multiplier>1</multiplier></mimic></axis>"
    ends = {"one": ("world", "a"), "two": ("a", "b"), "three": ("b", "c"), "four": ("world", "c")}
    content = link("a") + link("b") + link("c")
    hinges = [joint(name, "revolute", *ends[name]) for name in ("two", "three")]
    hinges = [joint("four", "revolute", *ends["four"], mimic), *hinges, joint("one", "revolute", *ends["one"])]
    robot = read(tmp_path, model(content + "".join(hinges), "1.11"))
    assert list(robot.model.loops) == ["three"] and list(robot.model.followers) == ["four_mimic"]
    with pytest.raises(mbs.ModelError, match="joint 'four' mimics 'one', but one of them closes a loop"):
        read(tmp_path, model(content + "".join(hinges), "1.11"), cut=["one"])


def test_notes_on_laws_that_a_closure_loses(tmp_path: Path) -> None:
    """Friction, stops and inputs."""
    more = (
        "<axis><xyz>0 0 1</xyz><dynamics><friction>1</friction></dynamics>"
        "<limit><lower>-1</lower><upper>1</upper></limit></axis>"
    )
    ends = {"i": ("world", "a"), "j": ("a", "b"), "k": ("world", "b")}
    content = link("a") + link("b") + "".join(joint(name, "revolute", *ends[name], more) for name in ends)
    robot = read(tmp_path, model(content), efforts=True, stops=(1e4, 1.0))
    assert robot.notes == ["joint 'k' closes a loop: it gets no friction, stops, input; cut= selects another joint"]
    assert robot.joints["k"].is_closure and "loop: (revolute 'k', -1 to 1) of b" in robot.lines()


def test_continuous_joints_have_no_limits_of_position(tmp_path: Path) -> None:
    """Only those of effort and velocity."""
    limit = "<axis><xyz>0 0 1</xyz><limit><lower>-1</lower><upper>1</upper><effort>3</effort></limit></axis>"
    robot = read(tmp_path, model(link("a") + joint("j", "continuous", "world", "a", limit)))
    assert robot.joints["j"].limits == Limits(effort=3.0) and robot.model.ranges == {}


def test_gravity(tmp_path: Path) -> None:
    """That of the world, or SDFormat's default; links without gravity hover."""
    world = '<sdf version="1.9"><world name="w"><gravity>0 1 -2</gravity>\n<model name="m">{}</model></world></sdf>'
    free = "".join(f'<link name="{name}"><gravity>{g}</gravity>{HEAVY}</link>' for name, g in (("a", 1), ("b", 0)))
    robot = read(tmp_path, world.format(free))
    for name in ("a", "b"):
        robot.model.output(name, mbs.acceleration(robot.bodies[f"m::{name}"]))
    found = outputs(PlainLoops(robot.model))
    assert np.abs(found["a"] - (0, 1, -2)).max() < 1e-14 and np.abs(found["b"]).max() < 1e-14
    assert [x.value for x in read(tmp_path, model(ARM)).model.gravity] == [0.0, 0.0, -9.8]


def test_notes_and_shapes(tmp_path: Path) -> None:
    """One note for each tag without effect; default inertias; shapes with colours in the link's axes."""
    shape = (
        '<visual name="v"><pose relative_to="a">0 0 1 0 0 0</pose><geometry><box><size>1 2 3</size></box></geometry>'
        "<material><diffuse>1 0 0 1</diffuse></material><transparency>0.25</transparency></visual>"
        '<collision name="c"><geometry><sphere><radius>0.1</radius></sphere></geometry>'
        "<surface><bounce/></surface></collision>"
        "<collision name='d'><geometry><mesh><uri>none.stl</uri></mesh></geometry></collision>"
    )
    content = f'<link name="a">{shape}</link><link name="b"><inertial><mass>2</mass></inertial></link>'
    robot = read(tmp_path, model(f"{content}\n<plugin name='p' filename='f'><x/></plugin>"))
    assert robot.notes == [
        "<plugin> in <model> (line 4) is not understood: left out",
        "<bounce> in <surface> (line 3) is not understood: left out",
        "inertias that the file leaves out are 1 kg and 1 kg m2, as SDFormat defines: links 'a', 'b'",
        "meshes are not found: none.stl; give their folders by packages=",
    ]
    box, sphere, mesh = robot.shapes["a"]
    assert (box.kind, box.size, box.color, tuple(box.at.position)) == ("box", (1, 2, 3), (1, 0, 0, 0.75), (0, 0, 1))
    assert (sphere.kind, sphere.collides, mesh.file) == ("sphere", True, None)
    assert list(robot.collisions()) == ["a"]


# -- refused files ------------------------------------------------------------------------------------

SELF = '<frame name="f"><pose relative_to="g"/></frame>\n<frame name="g"><pose relative_to="f"/></frame>'
WRONG = {
    "no version": (ARM, None, "robot.sdf:1: version of <sdf> is '': 1.4 to 1.12 are read"),
    "a new version": (ARM, "2.0", "robot.sdf:1: version of <sdf> is '2.0'"),
    "no link": ("", "1.9", "robot.sdf:2: it has no <link>"),
    "two links of a name": (link("a") * 2, "1.9", "robot.sdf:4: 'a' is there twice in model 'robot', first on line 3"),
    "a reserved name": (link("__a__"), "1.9", "robot.sdf:3: the name '__a__' is reserved"),
    "an unknown frame": (link("a", '<pose relative_to="q"/>'), "1.9", "robot.sdf:3: model 'robot' has no 'q'"),
    "frames in a circle": (ARM + SELF, "1.9", "robot.sdf:[56]: the pose of frame '[fg]' is relative to itself"),
    "attached in a circle": (
        ARM + '<frame name="f" attached_to="g"/>\n<frame name="g" attached_to="f"/>',
        "1.9", "robot.sdf:[56]: the pose of frame '[fg]' is relative to itself",
    ),
    "an unknown type": (link("a") + joint("j", "glued", "world", "a"), "1.9", "robot.sdf:4: joint 'j' has the unk"),
    "no axis": (link("a") + joint("j", "revolute", "world", "a", ""), "1.9", "robot.sdf:4: revolute joint 'j' has no"),
    "an unknown link": (ARM + joint("k", "fixed", "a", "b", ""), "1.9", "robot.sdf:5: model 'robot' has no 'b'"),
    "the world as a child": (
        link("a") + joint("j", "fixed", "a", "world", ""), "1.9", "robot.sdf:4: joint 'j': its child is the world",
    ),
    "a joint to itself": (link("a") + joint("j", "fixed", "a", "a", ""), "1.9", "robot.sdf:4: joint 'j' joins 'a'"),
    "words for numbers": (link("a", "<pose>a b c 0 0 0</pose>"), "1.9", "robot.sdf:3: <pose> is 'a b c 0 0 0': give 6"),
    "automatic inertias": (
        '<link name="a"><inertial auto="true"/></link>', "1.11", "robot.sdf:3: link 'a': inertias computed from shapes",
    ),
    "parallel axes": (
        link("a") + joint("j", "universal", "world", "a", "<axis/><axis2><xyz>0 0 2</xyz></axis2>"),
        "1.9", "robot.sdf:4: the axes of universal joint 'j' are parallel",
    ),
    "a file from the network": (
        ARM + "<include><uri>https://fuel.gazebosim.org/x</uri></include>", "1.9", "robot.sdf:5: .*only local files",
    ),
    "a missing file": (ARM + "<include><uri>model://x</uri></include>", "1.9", "robot.sdf:5: .* is not found"),
    "a file that includes itself": (
        ARM + "<include><uri>robot.sdf</uri></include>", "1.9", "robot.sdf:5: .*files include each other without end",
    ),
    "a leader that is no joint": (
        link("a") + joint("j", "revolute", "world", "a", "<axis><xyz>0 0 1</xyz><mimic joint='a'/></axis>"),
        "1.11", "robot.sdf:4: joint 'j' mimics 'a', which is not a joint",
    ),
    "a screw without an advance": (
        link("a") + joint("j", "screw", "world", "a", "<thread_pitch>0</thread_pitch><axis><xyz>0 0 1</xyz></axis>"),
        "1.9", "robot.sdf:4: the pitch of screw joint 'j' is zero",
    ),
    "a gearbox around a slide": (
        ARM + link("b") + joint("k", "prismatic", "a", "b") + joint("g", "gearbox", "a", "b",
            "<gearbox_reference_body>a</gearbox_reference_body>"
            "<axis><xyz>0 0 1</xyz></axis><axis2><xyz>0 0 1</xyz></axis2>"),
        "1.9", "robot.sdf:7: gearbox 'g': between 'a' and 'b' is the joint 'k', which is no hinge",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_errors_name_the_line_and_the_element(case: str, tmp_path: Path) -> None:
    """In one line each."""
    content, version, message = WRONG[case]
    text = model(content, version or "1.9")
    with pytest.raises(mbs.ModelError, match=f"^{message}") as caught:
        read(tmp_path, text if version else text.replace(' version="1.9"', ""))
    assert "\n" not in str(caught.value)


def test_several_models_and_worlds(tmp_path: Path) -> None:
    """One model is selected by its name."""
    two = f'<sdf version="1.9"><model name="m">{link("a")}</model><model name="n">{link("b")}</model></sdf>'
    with pytest.raises(mbs.ModelError, match="has the models 'm', 'n': select one by model="):
        read(tmp_path, two)
    with pytest.raises(mbs.ModelError, match="'m', 'n'"):
        read(tmp_path, two, model="q")
    assert list(read(tmp_path, two, model="n").model.bodies) == ["b"]
    with pytest.raises(mbs.ModelError, match=r"the outer element is <robot>.*: read it by from_urdf"):
        read(tmp_path, "<robot/>")
    for wrong in ({"model": 3}, {"cut": "j"}, {"cut": ["q"]}, {"base": "free"}):
        with pytest.raises(mbs.ArgumentError):
            read(tmp_path, model(ARM), **wrong)


def nested_includes(folder: Path) -> str:
    """Files that each include the next one ten times."""
    for k in range(15):
        inner = "".join(f"<include><uri>f{k + 1}.sdf</uri><name>n{i}</name></include>" for i in range(10)) * (k < 14)
        (folder / f"f{k}.sdf").write_text(f'<sdf version="1.9"><model name="m{k}">{link("a")}{inner}</model></sdf>')
    return (folder / "f0.sdf").read_text()


HOSTILE: dict[str, Callable[[Path], str]] = {
    "entities": lambda _: '<!DOCTYPE s [<!ENTITY a "lol"><!ENTITY b "&a;&a;">]><sdf version="1.9">&b;</sdf>',
    "nesting": lambda _: "<sdf version='1.9'>" + "<model name='m'>" * 100_000,
    "elements": lambda _: model("<link name='a'/>" * 1_000_000),
    "size": lambda _: model(" " * 80_000_000),
    "includes": nested_includes,
    "frames": lambda _: model(
        ARM + "".join(f'<frame name="f{k}"><pose relative_to="f{(k + 1) % 9000}"/></frame>' for k in range(9000))
    ),
    "notes": lambda _: model(ARM + "<pose/><pose/>" * 20_000 + "<a/>" * 20_000 + "<link name='a'/>"),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_files_are_refused_soon(kind: str, tmp_path: Path) -> None:
    """Within a second on an idle machine. One of three attempts may take ten times as long: collecting garbage in a
    long process, or a slow processor, takes seconds, and a cost that grows without bound takes minutes.
    """
    (tmp_path / "robot.sdf").write_text(HOSTILE[kind](tmp_path))
    seconds = []
    for _ in range(3):
        begin = time.process_time()
        with pytest.raises(mbs.ModelError, match=r"^(robot|f\d+)\.sdf:?"):
            mbs.from_sdf(tmp_path / "robot.sdf")
        seconds.append(time.process_time() - begin)
        if seconds[-1] < 10.0:
            break
    assert min(seconds) < 10.0


def test_long_chains_of_frames_are_read(tmp_path: Path) -> None:
    """A frame relative to the next one, a thousand times, beyond any limit of recursion."""
    frames = "".join(f'<frame name="f{k}"><pose relative_to="f{k + 1}">0 0 1 0 0 0</pose></frame>' for k in range(2000))
    text = model(ARM + frames + '<frame name="f2000"/>')
    (tmp_path / "robot.sdf").write_text(text)
    assert poses(tmp_path / "robot.sdf")("robot::f0")[2, 3] == 2000.0
    assert isinstance(Document(tmp_path / "robot.sdf").root, Element)
