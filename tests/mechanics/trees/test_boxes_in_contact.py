"""Contacts of two boxes, (G14) of docs/contact.md: their depth, the gradient of it, and boxes that rest on others."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import mbs_fmu as mbs
from mbs_fmu.model.forces.contacts import Contact
from mbs_fmu.model.geometry.box_overlaps import overlap, separation
from mbs_fmu.symbolic.arrays import values_along
from mbs_fmu.symbolic.expressions import leaf
from mbs_fmu.symbolic.vectors import Vector
from support.cases import some_quick, tiers
from support.comparisons import assert_close
from support.generators.contacts import bodies_in_contact, pile
from support.generators.mechanisms import Plain
from support.oracles.box_overlaps import Solid, depth
from support.oracles.complex_steps import compare_tangents, output_rates, outputs

G = 9.81
STEP = 1e-7  #: m and rad, of central differences
quick = pytest.mark.quick


# -- geometry ------------------------------------------------------------------------------------------------
@dataclass
class Poses:
    """Poses of box b in the frame of a: half lengths of the edges, m; centers, (rows, 3), m; axes, (rows, 3, 3),
    columns."""

    half_a: np.ndarray
    half_b: np.ndarray
    centers: np.ndarray
    axes: np.ndarray

    def overlaps(self) -> dict[str, np.ndarray]:
        """Separation, depth, force, torque and center of the overlaps in all rows."""
        a, b = ([leaf((side, k)) for k in range(3)] for side in ("a", "b"))
        c, axes = Vector(leaf(("c", k)) for k in range(3)), [Vector(leaf((k, i)) for i in range(3)) for k in range(3)]
        found = overlap(a, b, c, axes)
        half = {"a": self.half_a, "b": self.half_b}

        def number(reference: Any) -> Any:
            first, k = reference
            if first in half:
                return np.full(len(self.centers), half[first][k])
            return self.centers[:, k] if first == "c" else self.axes[:, k, first]

        every = [separation(a, b, c, axes), found.depth, *found.force, *found.torque, *found.center]
        values = values_along(every, len(self.centers), number)
        parts = np.split(values, [1, 2, 5, 8], axis=1)
        named = dict(zip(("separation", "depth", "force", "torque", "center"), parts, strict=True))
        return named | {name: named[name][:, 0] for name in ("separation", "depth")}


def random_poses(seed: int, rows: int = 600) -> Poses:
    """Poses of two random boxes from far to deep, along random directions."""
    rng = np.random.default_rng(seed)
    half_a, half_b = 0.05 + 0.1 * rng.random((2, 3))
    directions = rng.normal(size=(rows, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    centers = directions * (0.1 + 0.25 * rng.random((rows, 1)))
    return Poses(half_a, half_b, centers, Rotation.random(rows, rng).as_matrix())


def a_point_inside(poses: Poses, row: int, wire: np.ndarray) -> np.ndarray | None:
    """The centre of the wire, which lies inside of the overlap if it has a volume; None if it is nearly flat."""
    own = (wire - poses.centers[row]) @ poses.axes[row]
    room = min((poses.half_a - np.abs(wire)).min(), (poses.half_b - np.abs(own)).min())
    return wire if room > 1e-5 else None


@quick
@pytest.mark.parametrize("seed", tiers(range(2), usual=1, quick=1))
def test_depth_is_that_of_the_polyhedron(seed: int) -> None:
    """scipy finds vertices to 1e-12 m, from a point inside of both boxes; the oracle finds the wire from these."""
    poses = random_poses(seed)
    at = poses.overlaps()
    compared = 0
    for row in np.flatnonzero((at["separation"] > 0.0) & (at["depth"] > 1e-4)):
        inside = a_point_inside(poses, row, at["center"][row])
        if inside is None:
            continue
        a, b = Solid(poses.half_a, np.zeros(3), np.eye(3)), Solid(poses.half_b, poses.centers[row], poses.axes[row])
        expected = depth(a, b, inside)
        assert_close(at["depth"][row], expected, 1e-8, f"depth of the overlap in row {row}")
        compared += 1
    assert compared > 100


@quick
def test_boxes_that_a_plane_separates_have_no_depth() -> None:
    """True if the normal of the plane is one of a face or of two edges: then the oracle, a linear program, is empty."""
    from scipy.optimize import linprog

    poses = random_poses(7, 200)
    at = poses.overlaps()
    signs = np.array([1.0, -1.0])[:, None, None]
    by_edges = 0
    for row, (c, axes) in enumerate(zip(poses.centers, poses.axes, strict=True)):
        rows = np.vstack([np.vstack(signs * np.eye(3)), np.vstack(signs * axes.T)])
        most = np.concatenate([poses.half_a, poses.half_a, poses.half_b + axes.T @ c, poses.half_b - axes.T @ c])
        room = -linprog([0, 0, 0, -1], np.column_stack([rows, np.ones(12)]), most, bounds=(None, None)).fun
        if abs(room) < 1e-6:
            continue
        met = at["separation"][row] > 0.0 and at["depth"][row] > 1e-12
        assert met == (room > 0.0), f"row {row}: room {room:g} m"
        by_edges += room < 0.0 < at["separation"][row]
    assert by_edges > 2


def rests(sunk: float = 1e-4) -> dict[str, Poses]:
    """Boxes that rest on others without symmetry being broken: flush, shifted, turned, tilted, on edges."""
    cube = np.full(3, 0.05)
    up, tilt = np.array([0, 0, 0.1 - sunk]), Rotation.from_rotvec([2e-3, 1e-3, 0])
    side = np.array([0.01, 0.02, 0])
    x, y = Rotation.from_euler("x", 0.8), Rotation.from_euler("y", 0.7)  # 45° would tie the faces beside the edges
    high = 0.05 * (math.sin(0.8) + math.cos(0.8) + math.sin(0.7) + math.cos(0.7)) - sunk
    poses = {
        "shifted": (cube, cube, up + side, Rotation.identity()),
        "turned": (cube, cube, up, Rotation.from_euler("z", 0.3)),
        "tilted": (cube, cube, up + side, tilt * Rotation.from_euler("z", 0.1)),
        "on a smaller one": (0.4 * cube, cube, np.array([0.005, 0.003, 0.07 - sunk]), tilt),
        "crosswise": (np.array([0.1, 0.02, 0.05]), np.array([0.02, 0.1, 0.05]), up, tilt),
        "edge on face": (2 * cube, cube, np.array([0.01, 0, 0.15 - sunk]), x),
        "edge on edge": (cube, cube, x.inv().apply([0, 0, high]), x.inv() * y),
    }
    poses["edge on face"][2][2] += 0.05 * (math.sin(0.8) + math.cos(0.8) - 1.0)
    return {k: Poses(a, b, np.array(c)[None], R.as_matrix()[None]) for k, (a, b, c, R) in poses.items()}


def differences(poses: Poses, row: int, center: np.ndarray) -> np.ndarray:
    """Minus the gradient of the depth by displacements of b along the axes of a and rotations about a point."""
    c, axes = poses.centers[row], poses.axes[row]
    centers, turned = [], []
    for side, e in itertools.product((1.0, -1.0), np.eye(3)):
        centers.append(c + side * STEP * e)
        turned.append(axes)
    for side, e in itertools.product((1.0, -1.0), np.eye(3)):
        R = Rotation.from_rotvec(side * STEP * e).as_matrix()
        centers.append(center + R @ (c - center))
        turned.append(R @ axes)
    d = Poses(poses.half_a, poses.half_b, np.array(centers), np.array(turned)).overlaps()["depth"]
    return -np.concatenate([d[0:3] - d[3:6], d[6:9] - d[9:12]]) / (2 * STEP)


@quick
@pytest.mark.parametrize("kind", some_quick(list(rests()), 2))
def test_wrench_is_the_gradient_of_the_depth_at_rest(kind: str) -> None:
    """So the force has a potential. Differences of 1e-7 err by curvatures, of order 1/depth, times 1e-7."""
    poses = rests()[kind]
    at = poses.overlaps()
    assert at["depth"][0] > 1e-5
    wrench = np.concatenate([at["force"][0], at["torque"][0]])
    assert_close(wrench, differences(poses, 0, at["center"][0]), 2e-5, f"wrench of boxes {kind}")


@pytest.mark.usual
@quick
def test_wrench_is_the_gradient_of_the_depth() -> None:
    """At random poses, with depths of millimetres to centimetres."""
    poses = random_poses(3, 200)
    at = poses.overlaps()
    rows = np.flatnonzero((at["separation"] > 0.0) & (at["depth"] > 2e-3))[:30]
    assert len(rows) == 30
    for row in rows:
        wrench = np.concatenate([at["force"][row], at["torque"][row]])
        assert_close(wrench, differences(poses, row, at["center"][row]), 1e-5, f"wrench in row {row}")


@quick
def test_flat_contact_has_the_depth_of_its_faces() -> None:
    """At any offset, exactly on the rim too, and at any turn.

    Beside the edges in the faces, here at least 0.22 m, four across them count with half the margin, 1.25 mm each. The
    depth falls by half of this share, 1.2 %.
    """
    cube, sunk = np.full(3, 0.05), 1e-5
    offsets = [(0, 0), (0.01, 0), (0, -0.02), (0.03, 0.03), (1e-9, 0), (-1e-7, 1e-5), (0.09, 0)]
    turns = [0.0, 1e-12, 1e-9, 1e-6, 1e-3, 0.1, math.pi / 4]
    poses = list(itertools.product(offsets, turns))
    centers = np.array([(*offset, 0.1 - sunk) for offset, _ in poses])
    axes = Rotation.from_rotvec([(0, 0, turn) for _, turn in poses]).as_matrix()
    at = Poses(cube, cube, centers, axes).overlaps()
    assert np.abs(at["depth"] / sunk - 1.0).max() < 0.012
    assert np.abs(at["force"] - [0, 0, 1]).max() < 0.012


@quick
def test_order_of_boxes_and_axes_is_of_no_effect() -> None:
    """Exchanged boxes have the opposite wrench, and turned axes of equal boxes the same, to the round-off."""
    poses = random_poses(5, 200)
    at = poses.overlaps()
    met = (at["separation"] > 0.0) & (at["depth"] > 1e-3)
    back = np.swapaxes(poses.axes, 1, 2)
    seen = Poses(poses.half_b, poses.half_a, -np.einsum("nij,nj->ni", back, poses.centers), back).overlaps()
    force = -np.einsum("nij,nj->ni", poses.axes, seen["force"])
    assert np.abs(force - at["force"])[met].max() < 1e-8
    order = [1, 2, 0]
    axes = poses.axes[:, :, order][:, order]
    turned = Poses(poses.half_a[order], poses.half_b[order], poses.centers[:, order], axes).overlaps()
    assert np.abs(turned["force"] - at["force"][:, order])[met].max() < 1e-8


# -- laws ----------------------------------------------------------------------------------------------------
LAWS = ["sticking", "smooth", "static", "spinning", "creeping", "Hertz"]


@pytest.mark.slow
@pytest.mark.parametrize("law", tiers(LAWS, usual=1))
def test_free_boxes_keep_momentum_and_lose_energy(law: str) -> None:
    """The rates of both momenta vanish, to the round-off of the forces, and the energy falls; tangents equal steps."""
    m = bodies_in_contact(f"box on box, {law}", 5)
    m.output("P", mbs.momentum())
    m.output("L", mbs.angular_momentum())
    m.output("E", mbs.energy())
    m.output("load", mbs.strength("x"))
    for name in ("penetration", "contact_point", "contact_force"):
        m.output(name, getattr(mbs, name)("x"))
    plain = Plain(m)
    rates, load = output_rates(plain), float(outputs(plain)["load"])
    assert load > 1.0
    assert np.abs(np.concatenate([rates["P"], rates["L"]])).max() < 1e-13 * (1.0 + load)
    assert rates["E"] < -1e-3
    compare_tangents(plain, 1, [plain.program.state_slice], "outputs")


@pytest.mark.slow
def test_boxes_without_dissipation_keep_their_energy() -> None:
    """Energy that friction and dissipation do not take stays in the bodies and in the depth, to the round-off."""
    for seed in range(4):
        m = bodies_in_contact("box on box, smooth", seed)
        m.forces.clear()
        m.contact(
            "x", "a", "b", shape_a=mbs.Box(0.5, 0.6, 0.7), shape_b=mbs.Box(0.8, 0.3, 0.4), stiffness=1e3, dissipation=0
        )
        m.output("E", mbs.energy())
        m.output("load", mbs.strength("x"))
        plain = Plain(m)
        load = float(outputs(plain)["load"])
        assert load > 1.0
        assert abs(output_rates(plain)["E"]) < 1e-11 * load


# -- boxes that rest -----------------------------------------------------------------------------------------
@dataclass
class Rest:
    """A box above a fixed one: lengths of both, m; roll of the lower one about x, turns of the upper one about x, y, z,
    rad; start, m, before it falls by up to a millimetre."""

    below: tuple[float, ...]
    above: tuple[float, ...]
    start: tuple[float, float, float]
    turn: tuple[float, float, float] = (0.0, 0.0, 0.0)
    roll: float = 0.0


CUBE, HALF = (0.1, 0.1, 0.1), 0.05
CORNER = (math.pi / 4, math.atan(math.sqrt(0.5)), 0.0)  # of roll and pitch with which a diagonal of a cube stands up
RESTS = {
    "flush": Rest(CUBE, CUBE, (0, 0, 0.1)),
    "flush in y": Rest(CUBE, CUBE, (0.04, 0, 0.1)),
    "shifted": Rest(CUBE, CUBE, (0.02, 0.03, 0.1), (0, 0, 0.2)),
    "crosswise": Rest((0.3, 0.04, 0.04), (0.04, 0.3, 0.04), (0.05, 0.005, 0.04)),
    "face on a smaller one": Rest((0.04, 0.04, 0.1), (0.3, 0.3, 0.05), (0.01, 0.005, 0.075), (0, 0, 0.3)),
}
BALANCES = {
    "edge on face": Rest((0.3, 0.3, 0.1), CUBE, (0, 0, 0.05 + HALF * math.sqrt(2)), (math.pi / 4, 0, 0)),
    "edge on edge": Rest(
        (0.3, 0.1, 0.1), (0.1, 0.3, 0.1), (0, 0, 0.1 * math.sqrt(2)), (0, math.pi / 4, 0), math.pi / 4
    ),
    "corner on face": Rest((0.3, 0.3, 0.1), CUBE, (0, 0, 0.05 + HALF * math.sqrt(3)), CORNER),
}


def resting(joint: mbs.Joint | None = None) -> mbs.Model:
    """A box of 1 kg on a fixed one that is rolled about x; lengths and turns are parameters."""
    m = mbs.Model("resting")
    below, above = ([m.parameter(f"{name}{k}", 0.1) for k in range(3)] for name in ("below", "above"))
    turn = [m.parameter(f"turn{k}", 0.0) for k in range(3)]
    place = [m.parameter(f"place{k}", 0.0) for k in range(3)]
    roll = m.parameter("roll", 0.0)
    m.body("box", joint=mbs.Free() if joint is None else joint, at=place, mass=1.0, inertia=(2e-3, 2e-3, 2e-3))
    law = {"stiffness": 8e4, "friction": 0.5, "dissipation": 5.0}
    at_a, at_b = mbs.Pose((0, 0, 0), mbs.rpy(roll, 0, 0)), mbs.Pose((0, 0, 0), mbs.rpy(*turn))
    m.contact("on", "world", "box", at_a=at_a, at_b=at_b, shape_a=mbs.Box(*below), shape_b=mbs.Box(*above), **law)
    m.output("force", mbs.contact_force("on"))
    m.output("place", mbs.contact_point("on"))
    m.output("sunk", mbs.position("box")[2] - place[2])
    m.output("E", mbs.energy())
    return m


def at_rest(m: mbs.Model, case: Rest, stop: float) -> mbs.Result:
    """Run a box until it rests, with fixed steps."""
    numbers = {"below": case.below, "above": case.above, "turn": case.turn, "place": case.start}
    parameters = {f"{name}{k}": x for name, values in numbers.items() for k, x in enumerate(values)}
    run = {"method": "rk4", "step": 5e-4, "output_interval": 5e-4}
    return mbs.simulate(m, stop, parameters=parameters | {"roll": case.roll}, **run)


@pytest.mark.slow
def test_boxes_rest_on_others() -> None:
    """They carry their weight with the centre of pressure below their own, within 0.2 mm, and never gain energy.

    rk4 errs by less than 1e-8 of the 1 J, at most where an edge touches within a step.
    """
    m = resting()
    for kind, case in RESTS.items():
        result = at_rest(m, case, 3.0)
        assert_close(result["force"][-1], [0, 0, G], 0.03, f"force on a box {kind}")
        assert_close(result["place"][-1][:2], case.start[:2], 5e-4, f"contact point of a box {kind}")
        assert -5e-4 < result["sunk"][-1] < -5e-5, kind
        assert np.diff(result["E"]).max() < 1e-8, kind


@pytest.mark.slow
def test_guided_boxes_rest_on_edges_and_corners() -> None:
    """Along a vertical guide: the vertical force becomes the weight, from the first contact on without a jump.

    On a stiffness of 8e4 N/m, 1 kg changes its force within a step by at most 283 rad/s times 5e-4 s, 0.14 weights.
    """
    m = resting(mbs.Prismatic("z"))
    for kind, case in BALANCES.items():
        result = at_rest(m, case, 3.0)
        force = result["force"]
        assert_close(force[-1, 2], G, 0.03, f"force on a box, {kind}")
        assert -3e-3 < result["sunk"][-1] < -5e-5, kind
        assert np.abs(np.diff(force, axis=0)).max() < 0.2 * G, kind
        assert np.diff(result["E"]).max() < 1e-8, kind


@pytest.mark.slow
def test_box_tips_where_its_centre_leaves_the_rim() -> None:
    """Up to 3 % of the length before the rim it stands, beyond it it falls."""
    m = resting()
    for x, stands in ((0.047, True), (0.0505, False)):
        result = at_rest(m, Rest(CUBE, CUBE, (x, 0.01, 0.09988)), 2.0)
        assert (result["sunk"][-1] > -1e-3) == stands, x


@pytest.mark.slow
def test_stack_of_equal_boxes_stands() -> None:
    """Three boxes exactly on top of each other carry 3, 2 and 1 weights, and nothing moves sideways."""
    m, below = mbs.Model("stack"), "world"
    for k in range(3):
        name = f"box{k}"
        m.body(name, joint=mbs.Free(), mass=1.0, inertia=(0.002,) * 3)
        surface = mbs.Plane() if k == 0 else mbs.Box(*CUBE)
        stiffness = 2e4 if k == 0 else 8e4
        law = {"stiffness": stiffness, "friction": 0.5, "dissipation": 20.0}
        m.contact(f"c{k}", below, name, shape_a=surface, shape_b=mbs.Box(*CUBE), **law)
        m.start(name, q=(0, 0, 0.05 + 0.1 * k, 1, 0, 0, 0))
        m.output(f"f{k}", mbs.strength(f"c{k}"))
        m.output(f"d{k}", mbs.penetration(f"c{k}"))
        below = name
    m.output("E", mbs.energy())
    result = mbs.simulate(m, 4.0, method="rk4", step=1e-3)
    for k in range(3):
        assert result[f"f{k}"][-1] == pytest.approx((3 - k) * G, rel=1e-6)
        assert result[f"d{k}"][-1] == pytest.approx((3 - k) * G / 8e4, rel=0.012)
        assert_close(result[f"box{k}.q[1]"], 0.0, 1e-12, f"sideways position of box{k}", times=result.time)
    assert np.diff(result["E"]).max() < 1e-9


def thrown(seed: int) -> mbs.Model:
    """A box that falls on another one, with a spin, in free fall together."""
    rng = np.random.default_rng(seed)
    m = mbs.Model("thrown", gravity=(0, 0, 0))
    sides = 0.1 + 0.2 * rng.random((2, 3))
    for name, x in (("a", 0.0), ("b", 0.35)):
        m.body(name, joint=mbs.Free(), mass=1.0 + rng.random(), inertia=(6e-3, 7e-3, 8e-3))
        turn = Rotation.random(random_state=rng)
        move = turn.inv().apply(0.2 * rng.normal(size=3) - [3.0 * x, 0, 0])  # along the axes of the body
        place = (x, *(0.03 * rng.normal(size=2)), *np.roll(turn.as_quat(), 1))
        m.start(name, q=place, u=(*move, *(4.0 * rng.normal(size=3))))
    law = {"stiffness": 4e4, "friction": 0.5, "dissipation": 0.1}
    m.contact("hit", "a", "b", shape_a=mbs.Box(*sides[0]), shape_b=mbs.Box(*sides[1]), **law)
    m.output("E", mbs.energy())
    m.output("P", mbs.momentum())
    m.output("L", mbs.angular_momentum())
    return m


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_boxes_that_collide_keep_their_momenta_and_never_gain_energy(seed: int) -> None:
    """To the error of dopri5 at rtol 1e-11: 1e-10 of the momenta and of the energy."""
    result = mbs.simulate(thrown(seed), 0.5, rtol=1e-11, atol=1e-14)
    energy = result["E"]
    assert np.ptp(result["P"], axis=0).max() < 1e-10 and np.ptp(result["L"], axis=0).max() < 1e-10
    assert np.diff(energy).max() < 1e-9 * energy[0] and energy[-1] < 0.97 * energy[0]


@pytest.mark.slow
def test_boxes_apart_have_the_bits_of_the_whole_law(monkeypatch: pytest.MonkeyPatch, in_plain_python: None) -> None:
    """While two boxes are apart only their separation is computed; the run has the bits of one with the whole law."""
    settings = {"method": "rk4", "step": 1e-3, "output_interval": 0.01}
    short = mbs.simulate(pile(), 0.06, **settings)
    part = Contact._part
    monkeypatch.setattr(Contact, "_part", lambda contact, point: replace(part(contact, point), apart=None))
    whole = mbs.simulate(pile(), 0.06, **settings)
    assert np.array_equal(short.data, whole.data)
    assert short["load"][0, 2] == 0.0 < short["load"][-1, 2]
