"""Contacts of URDF and SDFormat files: which links touch, and with what numbers."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import numpy as np
import pytest

import mbs_fmu as mbs

pytestmark = pytest.mark.quick

INERTIAL = {
    "urdf": '<inertial><origin xyz="0.1 0 0"/><mass value="{0}"/>'
    '<inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial>',
    "sdf": "<inertial><mass>{0}</mass><inertia><ixx>0.01</ixx><iyy>0.01</iyy><izz>0.01</izz></inertia></inertial>",
}
BALL = '<geometry><sphere radius="0.05"/></geometry>'
HINGE = (
    '<joint name="{1}_hinge" type="{2}"><parent link="{0}"/><child link="{1}"/><origin xyz="{3}"/><axis xyz="0 1 0"/>'
    '<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>'
)


def urdf(folder: Path, rng: np.random.Generator, frictions: dict[str, float]) -> Path:
    """Write a tree of links with one sphere each, hinged or fixed; `frictions` by link as PyBullet's elements."""
    text = ""
    for k in range(7):
        given = f'<contact><lateral_friction value="{frictions[f"l{k}"]}"/></contact>' if f"l{k}" in frictions else ""
        text += f'<link name="l{k}">{INERTIAL["urdf"].format(1 + k)}<collision>{BALL}</collision>{given}</link>'
        if k:
            kind = rng.choice(["revolute", "fixed", "continuous"])
            place = " ".join(map(str, rng.uniform(0.2, 0.5, 3).round(3)))
            text += HINGE.format(f"l{rng.integers(0, k)}", f"l{k}", kind, place)
    path = folder / "robot.urdf"
    path.write_text(f'<robot name="r">{text}</robot>', encoding="utf-8")
    return path


def pairs_of(robot: mbs.Imported) -> set[frozenset[str]]:
    return {frozenset(contact.shapes) for contact in robot.contacts.values()}


@pytest.mark.parametrize("seed", range(5))
def test_links_touch_unless_they_are_joined_welded_or_excluded(tmp_path: Path, seed: int) -> None:
    rng = np.random.default_rng(seed)
    frictions = {f"l{k}": round(rng.uniform(0.1, 2.0), 3) for k in range(7)}
    path = urdf(tmp_path, rng, frictions)
    (tmp_path / "robot.srdf").write_text(
        '<robot name="r"><disable_collisions link1="l0" link2="l6" reason="Never"/></robot>', encoding="utf-8"
    )
    choice = mbs.FileContacts("all")
    robot = mbs.from_urdf(path, contacts=choice, exclude=[("l1", "l5")], srdf=tmp_path / "robot.srdf", base=mbs.Free())
    parts, joints = {"l0": "l0"}, []
    for parent, child, kind in sorted(
        (m[2], m[3], m[1])
        for m in re.finditer(r'type="(\w+)"><parent link="(\w+)"/><child link="(\w+)"', path.read_text())
    ):
        joints.append((parent, child, kind))
    for parent, child, kind in sorted(joints, key=lambda x: int(x[1][1:])):
        parts[child] = parts[parent] if kind == "fixed" else child
    moving = {frozenset((parts[a], parts[b])) for a, b, kind in joints if kind != "fixed"}
    expected = {
        frozenset((a, b))
        for a, b in itertools.combinations(parts, 2)
        if parts[a] != parts[b] and frozenset((parts[a], parts[b])) not in moving
        if {a, b} not in ({"l1", "l5"}, {"l0", "l6"})
    }
    found = pairs_of(robot)
    overlapping = {frozenset(re.findall(r"l\d", note)) for note in robot.notes if "overlap" in note}
    assert found <= expected
    assert expected - found <= {frozenset(x) for y in overlapping for x in itertools.combinations(sorted(y), 2)}
    for contact in robot.contacts.values():
        assert contact.arguments["friction"] == min(frictions[link] for link in contact.shapes)


def test_friction_is_required_where_the_file_has_none(tmp_path: Path) -> None:
    path = urdf(tmp_path, np.random.default_rng(4), {})
    with pytest.raises(
        mbs.ArgumentError, match=r"no friction for shape 'l\d': give contacts=mbs.FileContacts\(friction"
    ):
        mbs.from_urdf(path, contacts="all")
    robot = mbs.from_urdf(path, contacts=mbs.FileContacts("all", friction=0.4))
    assert {contact.arguments["friction"] for contact in robot.contacts.values()} == {0.4}


def test_the_ground_touches_all_moving_links(tmp_path: Path) -> None:
    path = urdf(tmp_path, np.random.default_rng(2), {f"l{k}": 0.5 for k in range(7)})
    robot = mbs.from_urdf(path, base=mbs.Free(), contacts="ground", ground=mbs.Plane("z", at=(0, 0, -1.0)))
    assert pairs_of(robot) == {frozenset(("ground", f"l{k}")) for k in range(7)}
    assert robot.contact_names("ground") == list(robot.contacts)
    fixed = mbs.from_urdf(path, contacts="ground", ground=mbs.Plane("z", at=(0, 0, -1.0)))
    assert frozenset(("ground", "l0")) not in pairs_of(fixed)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"contacts": "some"}, "contacts is 'some': use True, 'ground', 'reach', 'all' or mbs.FileContacts"),
        ({"ground": mbs.Plane()}, "ground= has no effect without contacts: give contacts=True"),
        ({"contacts": True, "ground": 3}, r"ground is 3: give mbs.Plane\(...\)"),
        ({"contacts": True, "exclude": [("l0", "nothing")]}, "exclude names the link 'nothing': the file has l0"),
        ({"contacts": True, "exclude": "l0"}, "exclude has 'l0': give pairs of links"),
        ({"contacts": mbs.FileContacts("all", most=3)}, "more than 3 contact points: choose fewer"),
    ],
)
def test_wrong_arguments_are_refused(tmp_path: Path, arguments: dict[str, object], message: str) -> None:
    path = urdf(tmp_path, np.random.default_rng(3), {f"l{k}": 0.5 for k in range(7)})
    with pytest.raises(mbs.ModelError, match=message):
        mbs.from_urdf(path, **arguments)  # type: ignore[arg-type]


def sdf(folder: Path, collide: str) -> Path:
    """Write two models of two hinged links and a free one, with numbers of contact on the balls."""
    ball = "<geometry><sphere><radius>0.05</radius></sphere></geometry>"
    surface = (
        "<surface><friction><ode><mu>0.7</mu><mu2>0.6</mu2></ode></friction><contact><ode><kp>1e4</kp></ode></contact>"
        "</surface>"
    )
    text = ""
    for name, x in (("one", 0), ("two", 3)):
        links = "".join(
            f'<link name="l{k}"><pose>{x + k} 0 0 0 0 0</pose>{INERTIAL["sdf"].format(1)}'
            f'<collision name="c">{ball}{surface}</collision></link>'
            for k in range(3)
        )
        joint = (
            '<joint name="j" type="revolute"><parent>l0</parent><child>l1</child><axis><xyz>0 0 1</xyz></axis></joint>'
        )
        text += f'<model name="{name}">{collide}{links}{joint}</model>'
    plane = '<collision name="c"><geometry><plane><normal>0 1 0</normal></plane></geometry></collision>'
    text += f'<model name="floor"><static>true</static><link name="floor">{plane}</link></model>'
    path = folder / "world.sdf"
    path.write_text(f'<sdf version="1.9"><world name="w">{text}</world></sdf>', encoding="utf-8")
    return path


@pytest.mark.parametrize("collide", ["", "<self_collide>true</self_collide>"])
def test_links_of_a_model_touch_only_if_it_asks_for_it(tmp_path: Path, collide: str) -> None:
    robot = mbs.from_sdf(sdf(tmp_path, collide), contacts=True)
    links = [f"{model}::l{k}" for model in ("one", "two") for k in range(3)]
    expected = {frozenset((a, b)) for a, b in itertools.combinations(links, 2) if a[:3] != b[:3]}
    expected |= {frozenset(("floor::floor", link)) for link in links}
    own = {frozenset((f"{m}::l{a}", f"{m}::l2")) for m in ("one", "two") for a in (0, 1)}
    assert pairs_of(robot) == (expected | own if collide else expected)
    for contact in robot.contacts.values():
        assert contact.arguments["friction"] == 0.6
        with_floor = "floor::floor" in contact.shapes
        assert contact.arguments["stiffness"] == (1e4 if with_floor else 5e3)


def test_a_free_link_rests_on_the_ground_at_its_weight_over_its_stiffness(tmp_path: Path) -> None:
    path = sdf(tmp_path, "")
    text = path.read_text().replace("<normal>0 1 0</normal>", "<normal>0 0 1</normal>")
    path.write_text(text.replace('"floor"><static>', '"floor"><pose>0 0 -0.05 0 0 0</pose><static>'))
    robot = mbs.from_sdf(path, contacts=mbs.FileContacts("ground"))
    name = next(name for name, contact in robot.contacts.items() if "one::l2" in contact.shapes)
    robot.model.output("load", mbs.strength(name), unit="N")
    robot.model.output("depth", mbs.penetration(name), unit="m")
    result = mbs.simulate(robot.model, 5.0, rtol=1e-9)
    assert result["load"][-1] == pytest.approx(9.8, rel=1e-6)
    assert result["depth"][-1] == pytest.approx(9.8 / 1e4, rel=1e-6)
