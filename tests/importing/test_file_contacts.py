"""Contacts of robot files: their pairs and numbers are those of MuJoCo."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.importing.contacts import mjcf_pairs
from mbs_fmu.importing.contacts.options import FileContacts
from mbs_fmu.importing.contacts.tree import Tree
from support.cases import tiers

mujoco = pytest.importorskip("mujoco", reason="MJCF is read by MuJoCo")
pytestmark = pytest.mark.quick

SHAPES = {
    "sphere": 1, "capsule": 2, "box": 3, "ellipsoid": 3, "cylinder": 2,
}  # fmt: skip


def written(folder: Path, text: str) -> Path:
    path = folder / "robot.xml"
    path.write_text(text, encoding="utf-8")
    return path


def attributes(**given: Any) -> str:
    texts = {name: " ".join(map(str, np.atleast_1d(value))) for name, value in given.items()}
    return "".join(f' {name}="{text}"' for name, text in texts.items())


def random_geom(rng: np.random.Generator, name: str) -> str:
    """Return a sphere with random masks and parameters of contact."""
    given: dict[str, Any] = {"name": name, "size": 0.1, "condim": rng.choice([1, 3, 4, 6])}
    optional: dict[str, Any] = {
        "contype": rng.integers(0, 4), "conaffinity": rng.integers(0, 4), "priority": rng.integers(0, 2),
        "solmix": rng.choice([0.0, 1.0, 2.5]), "friction": rng.uniform(0.01, 1.0, 3).round(3),
        "solref": rng.choice([-1.0, 1.0]) * rng.uniform(0.01, 1.0, 2).round(3),
        "solimp": [0.5, 0.9, round(rng.uniform(0.001, 0.1), 4), 0.4, rng.integers(1, 4)],
        "margin": round(rng.uniform(0.0, 0.02), 4),
    }  # fmt: skip
    if optional["solref"][0] < 0.0:
        optional["solref"] = optional["solref"] * 1e4
    given |= {key: value for key, value in optional.items() if rng.random() < 0.6}
    return f"<geom{attributes(**given)}/>"


def random_document(rng: np.random.Generator) -> str:
    """Return an MJCF in which all geometries overlap, with chains, welded bodies, excluded and explicit pairs."""
    names = [f"b{k}" for k in range(7)]
    bodies, open_bodies = "", 0
    for k, name in enumerate(names):
        joint = rng.choice(['<joint axis="1 0 0"/>', ""]) if open_bodies else f'<freejoint name="f{k}"/>'
        bodies += f'<body name="{name}">{joint}{random_geom(rng, f"g{k}")}{random_geom(rng, f"h{k}")}'
        open_bodies += 1
        if rng.random() < 0.4:
            bodies, open_bodies = bodies + "</body>" * open_bodies, 0
    bodies += "</body>" * open_bodies
    first, second = rng.choice(names, 2, replace=False)
    pair = attributes(geom1="g0", geom2="h5", condim=rng.choice([1, 3, 4, 6]), margin=0.01)
    friction = attributes(friction=[0.5, 0.5, 0.02, 0.003, 0.003]) if rng.random() < 0.5 else ""
    flag = rng.choice(["", '<option><flag filterparent="disable"/></option>'])
    return (
        f"<mujoco>{flag}<worldbody>{random_geom(rng, 'w0')}{random_geom(rng, 'w1')}{bodies}</worldbody>"
        f'<contact><exclude body1="{first}" body2="{second}"/><pair{pair}{friction}/></contact></mujoco>'
    )


class Contact(NamedTuple):
    """Numbers of a contact of MuJoCo."""

    solref: np.ndarray
    solimp: np.ndarray
    margin: float
    friction: np.ndarray
    dim: int


def contacts_of_mujoco(path: Path) -> dict[frozenset[str], Contact]:
    """Return MuJoCo's contacts at the reference pose, by the names of both geometries."""
    mj = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(mj)
    mujoco.mj_forward(mj, data)
    return {
        frozenset(mj.geom(g).name for g in x.geom): Contact(
            x.solref.copy(), x.solimp.copy(), float(x.includemargin), x.friction.copy(), int(x.dim)
        )
        for x in data.contact
    }


@pytest.mark.parametrize("seed", range(12))
def test_pairs_and_their_numbers_are_those_of_mujoco(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    pairs: list[Any] = []
    monkeypatch.setattr(mjcf_pairs.Adding, "add", lambda self, given: pairs.extend(given) or {})
    path = written(tmp_path, random_document(np.random.default_rng(seed)))
    mbs.from_mjcf(path, contacts=True)
    theirs = contacts_of_mujoco(path)
    assert {frozenset((pair.a.name, pair.b.name)) for pair in pairs} == set(theirs)
    for pair in pairs:
        contact = theirs[frozenset((pair.a.name, pair.b.name))]
        ours = pair.softness
        np.testing.assert_allclose(ours.solref, contact.solref, rtol=1e-12, err_msg=pair.names)
        np.testing.assert_allclose(ours.solimp, contact.solimp, rtol=1e-12, err_msg=pair.names)
        assert ours.margin == pytest.approx(contact.margin, rel=1e-12), pair.names
        expected = [x if contact.dim >= least else 0.0 for x, least in zip(contact.friction[[0, 2, 3]], (3, 4, 6))]
        np.testing.assert_allclose(ours.friction, expected, rtol=1e-12, err_msg=pair.names)


JOINTS = {
    "free": '<freejoint name="{2}"/>', "ball": '<joint name="{2}" type="ball"/>', "fixed": "",
    "hinge": '<joint name="{2}" axis="{0} {1} 1" pos="0.1 0 {0}"/>',
    "slide": '<joint name="{2}" type="slide" axis="{0} 1 {1}"/>',
    "two": '<joint name="{2}" axis="1 0 {0}"/><joint name="{2}s" type="slide" axis="0 {1} 1"/>',
}  # fmt: skip
GEOMS = {"sphere": 1, "capsule": 2, "box": 3, "ellipsoid": 3, "cylinder": 2}


def random_tree(rng: np.random.Generator, ranges: bool = False) -> str:
    """Return an MJCF with branches, joints of all kinds and shapes of all kinds."""
    bodies, depth = "", 0
    for k in range(8):
        kinds = ["free", "hinge"] if depth == 0 else ["ball", "hinge", "slide", "two", "fixed", "hinge"]
        kind = "hinge" if k == 0 else rng.choice(kinds)
        joint = JOINTS[kind].format(*rng.uniform(-0.5, 0.5, 2).round(3), f"j{k}")
        if ranges and kind in ("hinge", "slide", "two"):
            joint = joint.replace("<joint", '<joint range="-0.8 0.5" limited="true"')
        shape = rng.choice(list(GEOMS))
        size = rng.uniform(0.04, 0.2, GEOMS[shape]).round(3)
        place = attributes(pos=rng.uniform(-0.3, 0.3, 3).round(3), euler=rng.uniform(-1.5, 1.5, 3).round(3))
        geom = f'<geom name="g{k}" type="{shape}"{attributes(size=size)}{place}/>'
        bodies += f'<body name="b{k}"{place}>{joint}{geom}'
        depth += 1
        if rng.random() < 0.3:
            bodies, depth = bodies + "</body>" * depth, 0
    bodies += "</body>" * depth
    return f'<mujoco><compiler angle="radian"/><worldbody>{bodies}</worldbody></mujoco>'


@pytest.mark.parametrize("seed", range(10))
def test_mobilities_are_those_of_mujoco(tmp_path: Path, seed: int) -> None:
    path = written(tmp_path, random_tree(np.random.default_rng(seed)))
    spec = mujoco.MjSpec.from_file(str(path))
    spec.compiler.fusestatic = False
    mj = spec.compile()
    ours = Tree(mbs.from_mjcf(path).model).mobilities
    for number in range(1, mj.nbody):
        name = mj.body(number).name
        own = (ours[name].linear, ours[name].angular)
        np.testing.assert_allclose(own, mj.body_invweight0[number], rtol=1e-9, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("seed", tiers(range(6), usual=2))
def test_no_pair_is_left_out_that_touches_at_some_pose(tmp_path: Path, seed: int) -> None:
    rng = np.random.default_rng(seed)
    path = written(tmp_path, random_tree(rng, ranges=True))
    mj = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(mj)
    robot = mbs.from_mjcf(path, contacts=FileContacts(poses=300))
    every = mbs.from_mjcf(path, contacts="all")
    ours = {frozenset(contact.shapes) for contact in robot.contacts.values()}
    assert ours <= {frozenset(contact.shapes) for contact in every.contacts.values()}
    poses = Tree(robot.model).random_coordinates(300)
    touching = set()
    for k in range(300):
        for joint in robot.joints.values():
            if joint.kind in ("hinge", "slide"):
                data.qpos[mj.jnt_qposadr[mj.joint(joint.name).id]] = poses[joint.body, joint.coordinate - 1][k]
        mujoco.mj_forward(mj, data)
        touching |= {frozenset(mj.geom(g).name for g in contact.geom) for contact in data.contact}
    possible = {frozenset(contact.shapes) for contact in every.contacts.values()}
    assert touching & possible <= ours


NUMBERS = [
    {"stiffness": 2e4}, {"friction": 0.3}, {"creep": 1e-3}, {"dissipation": 2.0, "settling": "4 ms"},
    {"grip": 1e4, "friction": 0.7},
]  # fmt: skip


@pytest.mark.parametrize("given", NUMBERS, ids=str)
def test_numbers_of_the_options_replace_those_of_the_file(tmp_path: Path, given: dict[str, Any]) -> None:
    """Pairs without friction take those that do not belong to friction."""
    ball = '<body pos="{0} 0 1"><freejoint/><geom name="{1}" size="0.1" condim="{2}" priority="1"/></body>'
    floor = '<geom name="floor" type="plane" size="1 1 1"/>'
    balls = ball.format(0, "rough", 6) + ball.format(1, "smooth", 1)
    path = written(tmp_path, f"<mujoco><worldbody>{floor}{balls}</worldbody></mujoco>")
    robot = mbs.from_mjcf(path, contacts=FileContacts("ground", **given))
    rough, smooth = (next(c for c in robot.contacts.values() if name in c.shapes) for name in ("rough", "smooth"))
    for name, value in given.items():
        assert rough.arguments[name] == value
    without = "friction" not in given
    assert ("friction" in smooth.arguments) != without
    assert without == {"grip", "settling", "creep"}.isdisjoint(smooth.arguments)
    if "stiffness" in given:
        friction: Any = robot.model.forces[rough.name].friction  # type: ignore[attr-defined]
        assert friction.grip.value == pytest.approx(2e4 * 2.0 / 3.0)
