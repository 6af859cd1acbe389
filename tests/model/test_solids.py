"""Solids are checked against integrals over their volumes, rotations against products of elementary ones."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.record.layout import INERTIA
from mbs_fmu.symbolic.expressions import is_literal
from mbs_fmu.symbolic.graph import evaluate_all
from support.generators.mechanisms import Plain, random_rotation

pytestmark = pytest.mark.quick

NODES, WEIGHTS = np.polynomial.legendre.leggauss(6)  #: exact up to degree 11
ANGLES = np.linspace(0.0, 2 * np.pi, 8, endpoint=False)  #: sums over them are exact up to seven waves
PLACE, TURN = np.array([0.3, -0.2, 0.5]), random_rotation(np.random.default_rng(1))
AT = mbs.Pose(PLACE, TURN)


def points(*ways: tuple[np.ndarray, np.ndarray]) -> list[tuple[tuple[float, ...], float]]:
    """Return points and weights of products of one-dimensional rules."""
    rules = [list(zip(*way, strict=True)) for way in ways]
    return [(tuple(x for x, _ in rule), float(np.prod([w for _, w in rule]))) for rule in itertools.product(*rules)]


def between(low: float, high: float) -> tuple[np.ndarray, np.ndarray]:
    half = 0.5 * (high - low)
    return low + half * (1 + NODES), half * WEIGHTS


ROUND = ANGLES, np.full(8, 2 * np.pi / 8)


def in_box(x: float, y: float, z: float) -> list[tuple[np.ndarray, float]]:
    sides = [between(-0.5 * a, 0.5 * a) for a in (x, y, z)]
    return [(np.array(p), w) for p, w in points(*sides)]


def in_sphere(r: float) -> list[tuple[np.ndarray, float]]:
    rule = points(between(0, r), between(-1, 1), ROUND)
    ring = [(s, c, np.sqrt(1 - c * c), a, w) for (s, c, a), w in rule]
    return [(s * np.array([n * np.cos(a), n * np.sin(a), c]), w * s * s) for s, c, n, a, w in ring]


def in_cylinder(r: float, length: float) -> list[tuple[np.ndarray, float]]:
    rule = points(between(0, r), between(-0.5 * length, 0.5 * length), ROUND)
    return [(np.array([s * np.cos(a), s * np.sin(a), z]), w * s) for (s, z, a), w in rule]


def integrated(solid: list[tuple[np.ndarray, float]], density: float, place: Any, turn: Any) -> list[float]:
    """Return mass, centre of mass and inertia about it, in body axes."""
    x, m = np.array([place + turn @ p for p, _ in solid]), density * np.array([w for _, w in solid])
    com = m @ x / m.sum()
    d = x - com
    J = np.einsum("p,pk,pk->", m, d, d) * np.eye(3) - np.einsum("p,pi,pj->ij", m, d, d)
    return [float(m.sum()), *com.tolist(), *(float(J[i, j]) for i, j in INERTIA)]


def solid_values(solid: mbs.Solid, parameters: dict[str, float] | None = None) -> list[float]:
    numbers = [solid.mass, *solid.com, *solid.inertia]
    return evaluate_all(numbers, lambda reference: (parameters or {})[reference.name])


def x_to_z() -> np.ndarray:
    return np.array([[0.0, 0, 1], [0, 1, 0], [-1, 0, 0]])


def along(direction: np.ndarray) -> np.ndarray:
    """Return a rotation whose third column is along a direction."""
    z = direction / np.linalg.norm(direction)
    x = np.cross(z, [0.36, 0.48, 0.8])
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


BEGIN, END = np.array([0.1, 0.2, -0.3]), np.array([0.5, -0.4, 0.9])
ROD_LENGTH = float(np.linalg.norm(END - BEGIN))
SOLIDS: dict[str, tuple[Callable[..., mbs.Solid], list[float]]] = {
    "box": (lambda **m: mbs.box(0.2, "30 cm", 0.5, at=AT, **m), integrated(in_box(0.2, 0.3, 0.5), 700, PLACE, TURN)),
    "sphere": (lambda **m: mbs.sphere(0.4, at=AT, **m), integrated(in_sphere(0.4), 700, PLACE, TURN)),
    "cylinder": (
        lambda **m: mbs.cylinder(0.1, 0.7, "x", at=AT, **m),
        integrated(in_cylinder(0.1, 0.7), 700, PLACE, TURN @ x_to_z()),
    ),
    "rod": (
        lambda **m: mbs.rod(END, 0.1, begin=BEGIN, **m),
        integrated(in_cylinder(0.1, ROD_LENGTH), 700, 0.5 * (BEGIN + END), along(END - BEGIN)),
    ),
}


@pytest.mark.parametrize("kind", SOLIDS)
def test_solids_equal_volume_integrals(kind: str) -> None:
    """The mass comes from a density or is set, as numbers or parameters; results agree to some roundings."""
    make, expected = SOLIDS[kind]
    m = mbs.Model("m")
    rho = m.parameter("rho", 1.0)
    for solid in (make(density=700), make(mass=expected[0]), make(density=rho)):
        assert np.allclose(solid_values(solid, {"rho": 700.0}), expected, rtol=1e-13, atol=1e-13 * expected[0])


def test_sums_of_solids_equal_volume_integrals() -> None:
    """Three solids form one body, which m.body accepts."""
    parts = [in_box(0.2, 0.3, 0.5), in_sphere(0.1), in_cylinder(0.1, 0.4)]
    places = [np.zeros(3), np.array([0.5, 0, 0]), np.array([0, -0.5, 1])]
    all_points = [(p + place, w) for part, place in zip(parts, places, strict=True) for p, w in part]
    solid = mbs.box(0.2, 0.3, 0.5, density=9) + mbs.sphere(0.1, density=9, at=(0.5, 0, 0))
    solid = solid + mbs.cylinder(0.1, 0.4, density=9, at=(0, -0.5, 1), color="red")
    expected = integrated(all_points, 9, np.zeros(3), np.eye(3))
    assert np.allclose(solid_values(solid), expected, rtol=1e-13, atol=1e-14)
    m = mbs.Model("m")
    body = m.body("a", joint=mbs.Spherical(), **solid)
    assert body.mass is solid.mass and len(m.shapes["a"]) == 3


def test_slender_rods_have_the_textbook_inertia() -> None:
    """The moment is m l²/12 across and exactly zero along an axis, also if the length is a parameter."""
    assert solid_values(mbs.rod((0, 0, -2), mass=3)) == [3, 0, 0, -1, 1, 0, 0, 1, 0, 0]
    m = mbs.Model("pendulum")
    L = m.parameter("L", 2.0)
    m.body("rod", joint=mbs.Revolute("y"), **mbs.rod((0, 0, -L), mass=3))
    m.start("rod", q=0.3)
    plain = Plain(m)
    assert np.allclose(plain.rates()[-1], -3 * 9.81 * 1.0 * np.sin(0.3), rtol=1e-14)  # torque of the weight


def test_invalid_solids_are_refused() -> None:
    tries: list[tuple[str, Callable[[], object]]] = [
        ("box: give either mass= .kg. or density=", lambda: mbs.box(1, 1, 1)),
        ("sphere: give either mass= .kg. or density=", lambda: mbs.sphere(1, mass=1, density=1)),
        ("density of the box is -1.0: it must be positive", lambda: mbs.box(1, 1, 1, density=-1)),
        ("length of a cylinder is 0.0: it must be positive", lambda: mbs.cylinder(1, 0, mass=1)),
        ("r of the rod is -1.0: it must not be negative", lambda: mbs.rod((0, 0, 1), -1, mass=1)),
        ("the rod has no length", lambda: mbs.rod((0, 0, 0), mass=1)),
        ("a slender rod .r = 0. has no volume: give mass=", lambda: mbs.rod((0, 0, 1), density=1)),
        ("roll of rpy must be a number", lambda: mbs.rpy(None, 0, 0)),
        ("yaw of rpy depends on time: it may depend on parameters only", lambda: mbs.rpy(0, 0, mbs.time)),
        ("unknown axis 'w'", lambda: mbs.axis_angle("w", 1)),
    ]
    for message, call in tries:
        with pytest.raises(mbs.ModelError, match=message):
            call()


def test_a_solid_is_a_mapping_of_arguments() -> None:
    solid = mbs.sphere(0.1, mass=1)
    assert list(solid) == ["mass", "com", "inertia", "shape"] and len(solid) == 4
    with pytest.raises(KeyError):
        solid["radius"]
    with pytest.raises(TypeError):
        solid + 1


# -- rotations -----------------------------------------------------------------------------------------------


def elementary(axis: int, angle: float) -> np.ndarray:
    b, c = (axis + 1) % 3, (axis + 2) % 3
    R = np.eye(3)
    R[b, b] = R[c, c] = np.cos(angle)
    R[c, b], R[b, c] = np.sin(angle), -np.sin(angle)
    return R


def test_rpy_turns_about_fixed_axes_with_roll_first() -> None:
    """The last turn is the left factor, since the axes are fixed."""
    expected = elementary(2, 0.3) @ elementary(1, -0.7) @ elementary(0, 1.1)
    assert np.allclose(mbs.rpy(1.1, -0.7, 0.3), expected, rtol=0, atol=1e-15)
    assert np.array_equal(mbs.rpy(0, 0, "90 deg"), mbs.rpy(0, 0, np.pi / 2))


def test_axis_angle_turns_right_handed_about_its_axis() -> None:
    """The axis stays, and vectors across it turn by the angle, right-handed; about x, y, z the rotations are the
    elementary ones.
    """
    for k, name in enumerate("xyz"):
        assert np.allclose(mbs.axis_angle(name, 0.4), elementary(k, 0.4), rtol=0, atol=1e-15)
        assert np.allclose(mbs.axis_angle(f"-{name}", 0.4), elementary(k, -0.4), rtol=0, atol=1e-15)
    axis = np.array([1.0, -2.0, 0.5])
    R = mbs.axis_angle(axis, "50 deg")
    assert np.allclose(R @ axis, axis) and np.allclose(R.T @ R, np.eye(3)) and np.linalg.det(R) > 0
    across = np.cross(axis, [1, 0, 0])
    turned = np.cross(across, R @ across) @ axis / (across @ across) / np.linalg.norm(axis)
    assert np.isclose(turned, np.sin(np.radians(50)))
    mbs.Pose((0, 0, 0), R)


def test_rotations_by_parameters_equal_those_by_numbers() -> None:
    """The formulas are the same: zeros and ones stay in their places."""
    m = mbs.Model("m")
    a = m.parameter("a", 0.7)
    for by, number in ((lambda x: mbs.rpy(0, x, 0.2), 0.7), (lambda x: mbs.axis_angle((1, -2, 0.5), x), 0.7)):
        computed = [evaluate_all(row, lambda _: 0.7) for row in by(a).tolist()]
        assert np.array_equal(computed, by(number))
    about = mbs.axis_angle("-y", a)
    assert [is_literal(x) for x in about.flat] == [False, True, False] + [True] * 3 + [False, True, False]
    assert about[1, 1].value == 1.0 and about[0, 1].value == about[1, 0].value == 0.0


def test_a_tilt_by_a_parameter_equals_a_constant_drive() -> None:
    """A constant rotation, and one by a parameter, move a body like a drive that holds its mount."""
    m, fixed, turned = mbs.Model("m"), mbs.Model("m"), mbs.Model("m")
    m.body("mount", joint=mbs.Revolute("y"), at=(0.1, 0, 0))
    m.drive("tilt", on="mount", position=m.parameter("angle", 0.7))
    tilts = 0.7, turned.parameter("angle", 0.7)
    world = [("world", mbs.Pose((0.1, 0, 0), mbs.axis_angle("y", tilt))) for tilt in tilts]
    for model, (base, at) in zip((m, fixed, turned), [("mount", (0, 0, 0)), *world], strict=True):
        model.body("arm", base, mbs.Universal("xz"), at=at, **mbs.box(0.1, 0.2, 0.5, mass=1, at=(0.1, 0, -0.3)))
        model.start("arm", q=(0.4, -0.2), u=(1, 2))
    for model in (m, turned):
        assert np.allclose(Plain(model).rates(), Plain(fixed).rates(), rtol=1e-13, atol=1e-13)
