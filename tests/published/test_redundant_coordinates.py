"""Two hinged bars in redundant coordinates: the printed matrices, with their misprints corrected.

V. V. Yudintsev, Systems of rigid bodies: equations in redundant coordinates (lecture, in Russian), Samara University,
24 November 2024: the equations (1) of motion, (2) of the hinges, (3) of both, the matrices m, Q, P and
Q m^-1 Q^T lambda = Q m^-1 P - b. Coordinates are x, y of each bar's middle and its angle phi from the downward
vertical; l are half the bars' lengths. Four printed formulas differ from those that follow from (1) and the hinges:

- the last equation of (2) is y_1 - l_1 cos phi_1 = y_2 + l_2 cos phi_2, printed with a minus: so Q_46 and the
  last number of b have the other sign;
- the first number of b is -l_1 phi_1'^2 sin phi_1, printed with a plus;
- in the third hinge equation, differentiated twice, phi_1'' cos phi_1 lacks its factor l_1 (Q itself has it);
- with (1) and Q the multipliers are (R_10, -R_12), printed as (R_10, R_12).
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import mbs_fmu as mbs

M, L, J, G = (1.2, 0.8), (0.5, 0.35), (0.11, 0.04), 9.81  #: kg, half lengths in m, kg m2, m/s2
FORCES, TORQUES = ((0.7, -1.1), (-0.4, 0.9)), (0.3, -0.2)  #: N at the middles, N m
MISPRINTS = ("row 4", "b_1", "row 3")

pytestmark = [pytest.mark.quick, pytest.mark.usefixtures("in_plain_python")]


def redundant(phi: np.ndarray, rate: np.ndarray, misprint: str = "") -> tuple[np.ndarray, np.ndarray]:
    """Accelerations (x, y, phi of either bar) and multipliers, with one of the misprints."""
    (l_1, l_2), (s_1, s_2), (c_1, c_2), (w_1, w_2) = L, np.sin(phi), np.cos(phi), rate**2
    last = -1.0 if misprint == "row 4" else 1.0
    third = 1.0 if misprint == "row 3" else l_1
    first = 1.0 if misprint == "b_1" else -1.0
    Q = np.array([
        [1, 0, -l_1 * c_1, 0, 0, 0],
        [0, 1, -l_1 * s_1, 0, 0, 0],
        [1, 0, third * c_1, -1, 0, l_2 * c_2],
        [0, 1, l_1 * s_1, 0, -1, last * l_2 * s_2],
    ])  # fmt: skip
    b = np.array([
        first * l_1 * s_1 * w_1, l_1 * c_1 * w_1, l_1 * s_1 * w_1 + l_2 * s_2 * w_2,
        -l_1 * c_1 * w_1 - last * l_2 * c_2 * w_2,
    ])  # fmt: skip
    inverse = np.diag([1.0 / x for m, j in zip(M, J) for x in (m, m, j)])
    P = np.array([x for m, (fx, fy), t in zip(M, FORCES, TORQUES) for x in (fx, fy - m * G, t)])
    multipliers = np.linalg.solve(Q @ inverse @ Q.T, Q @ inverse @ P - b)
    return inverse @ (P - Q.T @ multipliers), multipliers


def hinged(phi: np.ndarray, rate: np.ndarray) -> mbs.Model:
    """The same two bars as bodies on hinges, with the accelerations of their middles and the forces in the hinges."""
    m, parent, at = mbs.Model("hinged", gravity=(0, -G, 0)), "world", (0, 0, 0)
    for k, name in enumerate(("one", "two")):
        middle = (0, -L[k], 0)
        m.body(name, parent, mbs.Revolute("z"), M[k], middle, (J[k], J[k], J[k]), at=at)
        m.force(f"on_{name}", on=name, at=middle, force=(*FORCES[k], 0), torque=(0, 0, TORQUES[k]))
        m.output(f"a_{name}", mbs.acceleration(name, middle))
        m.output(f"turning_{name}", mbs.angular_acceleration(name))
        m.output(f"force_{name}", mbs.reaction(name).f)
        parent, at = name, (0, -2 * L[k], 0)
    m.start("one", q=phi[0], u=rate[0])
    m.start("two", q=phi[1] - phi[0], u=rate[1] - rate[0])
    return m


def of_the_package(phi: np.ndarray, rate: np.ndarray, formulation: str) -> tuple[np.ndarray, np.ndarray]:
    """The package's values of what `redundant` returns, at the start of a run."""
    settings = {"method": "rk4", "step": 1e-4, "output_interval": 1e-4}
    result = mbs.simulate(hinged(phi, rate), 1e-4, formulation=formulation, **settings)
    motion = [x for name in ("one", "two") for x in (*result[f"a_{name}"][0, :2], result[f"turning_{name}"][0, 2])]
    forces = [*-result["force_one"][0, :2], *result["force_two"][0, :2]]
    return np.array(motion), np.array(forces)


@pytest.mark.usual
@pytest.mark.parametrize("formulation", ["tree", "absolute"])
def test_accelerations_and_reactions(formulation: str) -> None:
    """The corrected equations hold: the ground pushes with -R_10, the first bar with -R_12."""
    rng = np.random.default_rng(24)
    for _ in range(3):
        phi, rate = rng.uniform(-3, 3, 2), rng.normal(size=2)
        for actual, expected in zip(of_the_package(phi, rate, formulation), redundant(phi, rate)):
            assert actual == pytest.approx(expected, abs=1e-12 * np.abs(expected).max())


@pytest.mark.usual
def test_motion_is_that_of_the_lecture() -> None:
    """0.3 s of motion by the corrected equations, and by both formulations of the package, to their tolerances.

    The multipliers are eliminated, so that the bars' angles alone are integrated and the hinges stay closed.
    """
    phi, rate = np.array([0.7, -1.9]), np.array([1.3, -0.8])

    def rates(_: float, x: np.ndarray) -> np.ndarray:
        return np.concatenate([x[2:], redundant(x[:2], x[2:])[0][[2, 5]]])

    exact = solve_ivp(rates, (0.0, 0.3), [*phi, *rate], method="DOP853", rtol=1e-12, atol=1e-12).y[:2, -1]
    for formulation in ("tree", "absolute"):
        result = mbs.simulate(hinged(phi, rate), 0.3, formulation=formulation, rtol=1e-9, atol=1e-9)
        one, two = result["one.phi"][-1], result["two.phi"][-1]
        assert [one, one + two] == pytest.approx(exact, abs=1e-7)


@pytest.mark.parametrize("misprint", MISPRINTS)
def test_each_misprint_is_another_motion(misprint: str) -> None:
    """Each misprint alone, and that of the multipliers' sign, gives another motion."""
    phi, rate = np.array([0.7, -1.9]), np.array([1.3, -0.8])
    right, forces = redundant(phi, rate)
    wrong, _ = redundant(phi, rate, misprint)
    assert np.abs(wrong - right).max() > 0.1
    assert forces[2:] == pytest.approx(of_the_package(phi, rate, "tree")[1][2:], abs=1e-11)
    assert np.abs(forces[2:]).min() > 0.1  # R_12 is the opposite of that
