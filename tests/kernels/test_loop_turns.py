"""Start of loops that are far open: bodies turned by up to half a turn, random linkages, other starts."""

from __future__ import annotations

import math
import zlib

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import mbs_fmu as mbs
from mbs_fmu.infrastructure.errors import ModelError
from mbs_fmu.model.closures.turns import rotation_between, rotation_to
from mbs_fmu.model.geometry.vectors import Vector
from mbs_fmu.model.model import Model
from mbs_fmu.record.blocks import LoopNumbers
from mbs_fmu.run.simulate import compiled
from support.cases import some_quick, tiers
from support.comparisons import assert_close
from support.generators.mechanisms import Plain
from support.models.linkages import quadrilateral
from support.models.open_loops import open_stewart, spatial_four_bar, stretched_arm, turned_axis, turned_body
from support.oracles.dense import Dense

pytestmark = [pytest.mark.quick, pytest.mark.usefixtures("plain_by_default")]

EPS = np.finfo(float).eps
ANGLES = (0.0, 1e-9, 1e-3, 1.0, 2.0, 2.2, 3.0, math.pi - 1e-3, math.pi - 1e-7, math.pi - 1e-10, math.pi)


def generator(*name: object) -> np.random.Generator:
    return np.random.default_rng(zlib.crc32(" ".join(map(str, name)).encode()))


def numbers(vector: Vector) -> np.ndarray:
    return np.array([x.value for x in vector])


# -- rotation vectors ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("angle", ANGLES)
def test_rotation_vectors_lead_from_one_frame_to_the_other(angle: float) -> None:
    """The rotation by the vector maps axes to axes, by the angle of the rotation; at half a turn about either axis."""
    for k in range(20):
        rng = generator("frames", angle, k)
        axis = rng.normal(size=3) if k > 5 else np.eye(3)[k % 3] * (-1.0) ** k
        a = Rotation.random(random_state=k).as_matrix()
        b = Rotation.from_rotvec(angle * axis / np.linalg.norm(axis)).as_matrix() @ a
        found = numbers(rotation_between(*([Vector(column) for column in m.T] for m in (a, b))))
        # near half a turn the sine, and with it the axis's sign, is rounding; the angle is that of a 2-argument tangent
        assert np.linalg.norm(found) == pytest.approx(angle, abs=30 * EPS)
        assert_close(Rotation.from_rotvec(found).as_matrix() @ a, b, 100 * EPS, "axes after the rotation")


@pytest.mark.parametrize("angle", ANGLES)
def test_rotation_vectors_lead_from_one_axis_to_the_other(angle: float) -> None:
    """The vector is normal to both axes, and the rotation by it maps one to the other."""
    for k in range(20):
        rng = generator("axes", angle, k)
        frame = Rotation.random(random_state=k).as_matrix()
        turn = rng.uniform(0.0, 2.0 * math.pi)
        a, normal = frame[:, 0], math.cos(turn) * frame[:, 1] + math.sin(turn) * frame[:, 2]
        b = Rotation.from_rotvec(angle * normal).apply(a)
        found = numbers(rotation_to(Vector(a), Vector(b), Vector(frame[:, 1])))
        assert np.linalg.norm(found) == pytest.approx(angle, abs=30 * EPS)
        # the axis is the cross product, known to rounding over the sine, or exact if the sine is rounding itself
        bound = 100 * EPS * (1.0 if math.sin(angle) < 1e-14 else 1.0 / math.sin(angle))
        assert abs(found @ a) < bound and abs(found @ b) < bound
        assert_close(Rotation.from_rotvec(found).apply(a), b, bound, "axis after the rotation")


@pytest.mark.parametrize("joint", [mbs.Weld(), mbs.Revolute((1, 2, -1)), mbs.Prismatic("y")])
def test_the_rows_are_the_gradient_of_the_squared_angle(joint: mbs.Joint) -> None:
    """The rate of half the sum of squares is the sum of residuals times the rates by K, for every rotation."""
    plain = Plain(turned_body(joint, (1, 0, 0), 0.0, base="ball"))
    turned = np.array(plain.real.ROW_TURNED, dtype=bool)
    rng, q, h = generator("gradient", joint), plain.slice("q"), 1e-6

    def rotations(R: np.ndarray) -> np.ndarray:
        plain.real.normalise(R)
        plain.real.conditions(R)
        plain.real.turned_rows(R)
        return R[plain.slice("residuals")][turned]

    for _ in range(10):
        R = plain.R.copy()
        R[q] = rng.normal(size=R[q].size)
        g = rotations(R)
        R[plain.slice("u")] = rng.normal(size=plain.real.NV)
        plain.real.plain_inboard(R)
        plain.real.velocity_residual(R)
        rates = R[plain.slice("right")][turned]
        plain.real.momenta(R)
        squares = []
        for sign in (-1.0, 1.0):
            moved = R.copy()
            moved[q] += sign * h * R[plain.program.rate_slice][: R[q].size]
            squares.append(0.5 * np.sum(rotations(moved) ** 2))
        # rounding eps/h of squares of up to pi², and the third derivative times h²
        assert (squares[1] - squares[0]) / (2 * h) == pytest.approx(g @ rates, abs=1e-7)


# -- closing -------------------------------------------------------------------------------------------------


def closed(m: Model) -> tuple[np.ndarray, Model]:
    """Start values of the model, all of whose loops are closed there by independent conditions."""
    start = mbs.assemble(m)
    dense = Dense(m)
    q, _ = dense.read(start)
    assert_close(dense.residual(q), 0.0, 1e-10, "residual after assembly")
    return q, m


JOINTS = {
    "weld": mbs.Weld(), "hinge": mbs.Revolute((1, 2, -1)), "slide": mbs.Prismatic("y"),
    "cylinder": mbs.Compound(mbs.slide("z"), mbs.turn("z")), "constant_velocity": mbs.ConstantVelocity("y"),
}  # fmt: skip


@pytest.mark.parametrize("base", ["world", pytest.param("ball", marks=pytest.mark.slow)])
@pytest.mark.parametrize("joint", some_quick(JOINTS, 1, usual=2))
def test_bodies_turned_by_up_to_half_a_turn_close_as_the_joint_allows(joint: mbs.Joint, base: str) -> None:
    """From every rotation, half turns about all axes among them; never half a turn away (`facing` of the joint)."""
    rng = generator("turned", joint, base)
    for angle in (1.5, 3.0, -3.0, math.pi - 1e-6, math.pi):
        for axis in (*np.eye(3), (1, 1, 0), rng.normal(size=3)):
            m = turned_body(joint, axis, angle, base)
            q, _ = closed(m)
            if isinstance(joint, mbs.Weld) and base == "world":
                assert abs(q[-4]) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("k", some_quick(range(30), 2, usual=6))
def test_four_bars_that_can_close_do_close(k: int) -> None:
    """Whatever the guesses are: planar ones, and with a ball in the tree, whose coupler may be upside down."""
    rng = generator("four_bar", k)
    closed(spatial_four_bar(rng))


@pytest.mark.parametrize("k", tiers(range(12), usual=1, quick=1))
def test_platforms_close_from_any_rotation(k: int) -> None:
    closed(open_stewart(generator("stewart", k)))


def test_a_stretched_arm_closes_from_another_start() -> None:
    """The start is singular; the next ones are the same in every run, and a note tells that one was used."""
    m = stretched_arm()
    run = mbs.simulate(m, 1e-3, method="rk4", step=1e-3)
    (note,) = [note for note in run.statistics["notes"] if "since the start values lead to no closed position" in note]
    assert note.startswith("assembled in ") and run["open"][0] < 1e-12
    assert mbs.assemble(m) == mbs.assemble(stretched_arm())
    assert abs(math.cos(mbs.assemble(m)["lower.phi"]) - (1.2**2 - 2) / 2) < 1e-12


@pytest.mark.parametrize("formulation", ["tree", "absolute"])
def test_both_formulations_close_turned_bodies(formulation: str) -> None:
    m = turned_body(mbs.Weld(), (1, 1, 0), math.pi, base="ball")
    run = mbs.simulate(m, 1e-3, method="rk4", step=1e-3, formulation=formulation)
    assert run["open"][0] < 1e-12


def test_starts_near_a_closed_position_keep_their_branch() -> None:
    """A four-bar closes on the side where its guesses are, with one start."""
    for sign in (-1.0, 1.0):
        m = quadrilateral(1, 2, 1.5, 2, 2.0, 1.0)
        for name in ("coupler", "rocker"):
            (q,) = m.starts[name].q
            m.start(name, q=q + 0.3 * sign, guess=True)
        runtime = compiled(m)
        R = runtime.program.new_record()
        runtime.initialize(R, 1e-8, 1e-10)
        assert R[runtime.program.region("loop_state")][LoopNumbers.starts_tried] == 1.0
        want = mbs.assemble(quadrilateral(1, 2, 1.5, 2, 2.0, 1.0))
        got = runtime.program.by_name["coupler.phi"].slot
        assert R[got] == pytest.approx(want["coupler.phi"], abs=1e-12)


# -- refusals ------------------------------------------------------------------------------------------------


def test_held_values_half_a_turn_away_are_named() -> None:
    """A value that is held half a turn from zero closes a weld the other way round; a guess is changed instead."""
    m = turned_axis(mbs.Revolute("z"), math.pi)
    with pytest.raises(ModelError, match=r"'loop' closes the other way round, .* the start values that are held"):
        mbs.assemble(m)
    m.start("b", q=math.pi, guess=True)
    assert math.cos(mbs.assemble(m)["b.phi"]) == pytest.approx(1.0, abs=1e-12)


def test_the_refusal_names_the_loop_and_its_best_gap() -> None:
    """Two loops, one of which stays open by 0.7 m and, since a weld is held at 2 rad, by 2 rad."""
    m = turned_axis(mbs.Revolute("z"), 2.0)
    with pytest.raises(ModelError, match=r"loop 'loop' does not close: .* by 0 \(m, .*\) and 2 rad, the least of 1 "):
        mbs.assemble(m)
    m = Model("too_short")
    for name in ("one", "two"):
        m.body(name, "world", mbs.Revolute("z"), 1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
        reach = {"one": 1.0, "two": 1.7}[name]
        m.close(f"end_{name}", "world", name, mbs.Spherical(), at_a=(reach, 0, 0), at_b=(1.0, 0, 0))
        m.start(name, q=0.4, guess=True)
    with pytest.raises(ModelError, match=r"'end_two' does not close: .* by 0\.70* .* the least of 24 start"):
        mbs.assemble(m)
