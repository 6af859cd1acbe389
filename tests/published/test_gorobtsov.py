"""Formulas of Gorobtsov (2005) with their misprints, against motions of the package and derivatives by complex steps.

docs/papers.md lists the misprints. The corrected form must hold, and the printed one must not. A rigid frame with the
angles phi, theta, psi carries a slider and two meshing wheels, and a free stone bears a force: the motion is general.
(3), (10), (15), (16), (21) to (23) are those of elastic bodies.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import mbs_fmu as mbs
from support.oracles.complex_steps import STEP

pytestmark = [pytest.mark.quick, pytest.mark.usefixtures("in_plain_python")]

TEETH, RADII = (20, 30), (0.2, 0.3)  #: m; the wheels' centres are on x of the frame
J, MASS = np.array([0.11, 0.2, 0.15]), 1.3  #: of frame and stone, kg m2, kg
FORCE, MOMENT, AT = np.array([1.0, -2.0, 0.7]), np.array([0.3, 0.1, -0.5]), np.array([0.2, 0.4, -0.1])
CENTRES = {"one": np.array([0.1, 0, 0]), "two": np.array([0.6, 0, 0])}
PITCH = np.array([0.3, 0, 0])  #: pitch point in the frame's axes, m
QUANTITIES = {"s": mbs.position, "v": mbs.velocity, "a": mbs.acceleration, "w": mbs.angular_velocity,
              "epsilon": mbs.angular_acceleration, "A": mbs.orientation}  # fmt: skip


class Motion:
    """Position, rotation, and velocities and accelerations of a body in fixed axes, at the start of a run."""

    def __init__(self, result: mbs.Result, name: str):
        values = {key: result[f"{name}_{key}"][0] for key in QUANTITIES}
        self.s, self.v, self.a = values["s"], values["v"], values["a"]
        self.A = Rotation.from_quat(values["A"][[1, 2, 3, 0]]).as_matrix()
        self.w, self.epsilon = self.A.T @ values["w"], self.A.T @ values["epsilon"]  #: in the body's axes


@pytest.fixture(scope="module")
def result() -> mbs.Result:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mbs_fmu.codegen.engines.DEFAULT", "python")
        return mbs.simulate(mechanism(), 1e-4, method="rk4", step=1e-4, output_interval=1e-4)


@pytest.fixture(scope="module")
def bodies(result: mbs.Result) -> dict[str, Motion]:
    return {name: Motion(result, name) for name in ("frame", "slider", "one", "two", "stone")}


def mechanism() -> mbs.Model:
    rng = np.random.default_rng(5)
    m = mbs.Model("mechanism", gravity=(0, 0, 0))
    m.body("frame", joint=mbs.Free("xyz"), mass=MASS, inertia=J)
    m.body("slider", "frame", mbs.Prismatic((1, 2, -1)), 0.4, at=(0.1, -0.2, 0.3))
    for name, centre in CENTRES.items():
        m.body(name, "frame", mbs.Revolute("z"), 0.5, inertia=(0.01, 0.01, 0.02), at=centre)
    m.gear("mesh", "one", "two", teeth=TEETH)
    m.body("stone", joint=mbs.Free("xyz"), mass=MASS, inertia=J)
    m.force("push", on="stone", at=AT, force=FORCE)
    m.force("twist", on="stone", torque=MOMENT, resolve_in="body")
    for name in ("frame", "stone"):
        m.start(name, q=rng.uniform(-1, 1, 6), u=rng.normal(size=6))
    m.start("slider", q=0.3, u=-1.2)
    m.start("one", q=0.0, u=2.5)
    m.start("two", guess=True)
    for name in m.bodies:
        for key, quantity in QUANTITIES.items():
            m.output(f"{name}_{key}", quantity(name))
    return m


def turned(angles: np.ndarray) -> np.ndarray:
    """The rotation by phi about x, theta about y and psi about z, body to fixed axes, as in docs/papers.md."""
    (s_1, s_2, s_3), (c_1, c_2, c_3) = np.sin(angles), np.cos(angles)
    return np.array([
        [c_2 * c_3, -c_2 * s_3, s_2],
        [s_1 * s_2 * c_3 + c_1 * s_3, -s_1 * s_2 * s_3 + c_1 * c_3, -s_1 * c_2],
        [-c_1 * s_2 * c_3 + s_1 * s_3, c_1 * s_2 * s_3 + s_1 * c_3, c_1 * c_2],
    ])  # fmt: skip


def turned_as_printed(angles: np.ndarray) -> np.ndarray:
    (s_1, s_2, s_3), (c_1, c_2, c_3) = np.sin(angles), np.cos(angles)
    return np.array([
        [c_2 * c_3, s_1 * s_2 * s_3 + c_1 * s_3, c_1 * s_2 * c_3 + s_1 * s_3],
        [-s_2 * c_3, s_1 * s_2 * s_3 + c_1 * c_3, -s_1 * c_2],
        [s_2 * s_3, c_1 * s_2 * s_3 + s_1 * c_3, c_1 * c_2],
    ])  # fmt: skip


def test_rotation_and_its_rates(result: mbs.Result, bodies: dict[str, Motion]) -> None:
    """The printed A is not orthogonal. The printed kinematic equations are right, for the corrected A."""
    angles = np.array([result[f"frame.q[{k}]"][0] for k in (4, 5, 6)])
    A, printed, (x, y, z) = turned(angles), turned_as_printed(angles), bodies["frame"].w
    assert pytest.approx(bodies["frame"].A, abs=1e-14) == A
    assert np.abs(printed.T @ printed - np.eye(3)).max() > 0.1
    _, theta, psi = angles
    rates = np.array([
        (x * np.cos(psi) - y * np.sin(psi)) / np.cos(theta), x * np.sin(psi) + y * np.cos(psi),
        (y * np.sin(psi) - x * np.cos(psi)) * np.tan(theta) + z,
    ])  # fmt: skip
    A_dot = np.imag(turned(angles + 1j * STEP * rates)) / STEP
    assert A.T @ A_dot == pytest.approx(skew(bodies["frame"].w), abs=1e-14)  # A_dot = A Omega


def skew(x: np.ndarray) -> np.ndarray:
    return np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])


def test_rotation_of_a_body_under_forces(bodies: dict[str, Motion]) -> None:
    """(2), (7): r x AᵀF, printed as a product of AᵀF and r, and the gyroscopic moment, which neither has."""
    stone = bodies["stone"]
    moment = np.cross(AT, stone.A.T @ FORCE) + MOMENT
    gyroscopic = np.cross(stone.w, J * stone.w)
    assert J * stone.epsilon == pytest.approx(moment - gyroscopic, abs=1e-13)
    assert np.abs(gyroscopic).max() > 0.01


def test_coriolis_acceleration(bodies: dict[str, Motion]) -> None:
    """(4) to (6), (9): the velocity relative to the frame is v - v_0 - omega x r, printed as v - v_0."""
    frame, slider = bodies["frame"], bodies["slider"]
    w, r = frame.w, frame.A.T @ (slider.s - frame.s)
    apart = frame.A.T @ (slider.a - frame.a) - np.cross(w, np.cross(w, r)) - np.cross(frame.epsilon, r)
    relative = frame.A.T @ (slider.v - frame.v) - np.cross(w, r)
    along = np.array([1, 2, -1]) / np.sqrt(6)  # the acceleration of the slider in its guide has this direction
    assert np.cross(apart - 2 * np.cross(w, relative), along) == pytest.approx(np.zeros(3), abs=1e-12)
    printed = np.cross(w, frame.A.T @ (slider.v - frame.v))
    assert np.abs(np.cross(apart - 2 * printed, along)).max() > 0.1


def test_angular_velocity_by_two_points() -> None:
    """(11): the printed R gives -omega. Its determinant is z_1 (x_1 y_2 - y_1 x_2) apart from the sign."""
    w, r_1, r_2 = np.random.default_rng(1).normal(size=(3, 3))
    (x_1, y_1, z_1), (x_2, y_2, _) = r_1, r_2
    printed = np.array([[0, -z_1, y_1], [z_1, 0, -x_1], [-y_2, x_2, 0]])
    velocities = np.array([*np.cross(w, r_1)[:2], np.cross(w, r_2)[2]])
    assert np.linalg.solve(-printed, velocities) == pytest.approx(w, rel=1e-12)
    assert abs(np.linalg.det(printed)) == pytest.approx(abs(z_1 * (x_1 * y_2 - y_1 * x_2)))


def test_velocity_of_a_point_of_the_second_body(bodies: dict[str, Motion]) -> None:
    """(13), (14): on the axis of a wheel's hinge both velocities agree with A_1ᵀ A_2, printed as A_1 A_2 in (14)."""
    one, two, r_2 = bodies["frame"], bodies["one"], np.array([0, 0, 0.1])
    first = one.A.T @ one.v + np.cross(one.w, CENTRES["one"] + r_2)
    spin = two.A @ np.cross(two.w, r_2)
    assert first == pytest.approx(one.A.T @ two.v + one.A.T @ spin, abs=1e-13)
    assert np.abs(one.A.T @ two.v + one.A @ spin - first).max() > 0.01


def test_rows_of_a_spherical_joint(bodies: dict[str, Motion]) -> None:
    """(17) to (20) with Omega_1 in fixed axes where it stands before A_2 and velocities, and with the rate of s_2.

    The accelerations of a wheel's point in the axes of the frame are D_2 u_2'' - h_2, for which (19) and (20) stand.
    """
    one, two, r = bodies["frame"], bodies["one"], np.array([0.3, -0.2, 0.1])
    fixed = skew(one.A @ one.w)
    spin = two.A @ np.cross(two.w, r)
    columns = one.A.T @ (two.a + two.A @ np.cross(two.epsilon, r))
    rest = two.A @ np.cross(two.w, np.cross(two.w, r))

    def h(Omega: np.ndarray, rate: np.ndarray) -> np.ndarray:
        return -one.A.T @ (Omega.T @ rate + Omega.T @ spin + rest)

    # the rate of A_1ᵀ v of the point, by the product rule with A_1' = A_1 Omega_1
    exact = one.A.T @ (two.a + two.A @ np.cross(two.epsilon, r) + rest) - np.cross(one.w, one.A.T @ (two.v + spin))
    assert columns - h(fixed, two.v) == pytest.approx(exact, abs=1e-12)
    assert np.abs(columns - h(skew(one.w), two.v) - exact).max() > 0.1  # Omega_1 as it is defined there
    assert np.abs(columns - h(fixed, two.s) - exact).max() > 0.1  # s_2 as printed in (20)


def test_rows_of_gears(bodies: dict[str, Motion]) -> None:
    """(27) to (30): r_i = A_iᵀ (s_3 + A_3 r_3 - s_i) for the pitch point r_3 of the carrier; printed are other points.

    Then the velocities of both wheels along the tangent agree, and (29) equals (30), although r_i moves in the wheels.
    """
    frame, wheels = bodies["frame"], [bodies["one"], bodies["two"]]
    tangent, fixed = frame.A @ [0, 1, 0], skew(frame.A @ frame.w)
    right = [w.A.T @ (frame.s + frame.A @ PITCH - w.s) for w in wheels]
    own = [w.A.T @ frame.A @ (np.array([x, 0, 0])) for w, x in zip(wheels, (RADII[0], -RADII[1]))]
    printed = [frame.A.T @ (w.s - frame.s + w.A @ r) for w, r in zip(wheels, own)]

    def speeds(points: list[np.ndarray]) -> np.ndarray:
        return np.array([tangent @ (w.v + w.A @ np.cross(w.w, r)) for w, r in zip(wheels, points)])

    assert np.ptp(speeds(right)) == pytest.approx(0, abs=1e-12)
    assert np.ptp(speeds(printed)) > 0.1
    left, h = [], []
    for w, r in zip(wheels, right):
        spin = w.A @ np.cross(w.w, r)
        left.append(w.a + w.A @ np.cross(w.epsilon, r))
        h.append(fixed.T @ (w.v + spin) + w.A @ np.cross(w.w, np.cross(w.w, r)))
    assert tangent @ (left[1] - left[0]) == pytest.approx(tangent @ (h[0] - h[1]), abs=1e-11)
