"""abm6 and Störmer's method of order six, where both apply (docs/equations.md, Störmer's method)."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction as F
from math import comb, factorial

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.integrate.methods.multistep import MULTISTEP

pytestmark = [pytest.mark.quick, pytest.mark.usefixtures("in_plain_python")]

#: Weights of backward differences: 1 and 863/12096 beyond (Hairer, Norsett, Wanner, Solving ODEs I, table III.10.1).
SIGMA = (F(1), F(0), F(1, 12), F(1, 12), F(19, 240), F(3, 40))
#: Weights of the forces themselves, the newest first.
WEIGHTS = [sum(SIGMA[j] * (-1) ** i * comb(j, i) for j in range(i, 6)) for i in range(6)]
START = np.array([1.0, -0.5, 0.0, 0.3])  #: both places, both velocities
TIME = 3.0  #: s


def masses() -> mbs.Model:
    """Two unit masses with springs of third degree and a pendulum's force."""
    m = mbs.Model("masses")
    a, b = (m.body(name, joint=mbs.Prismatic("x"), mass=1.0) for name in "ab")
    qa, qb = mbs.coordinate(a), mbs.coordinate(b)
    m.motor("on_a", on=a, force=-qa - (qa - qb) ** 3 - (qa - qb))
    m.motor("on_b", on=b, force=(qa - qb) ** 3 + (qa - qb) - mbs.sin(qb))
    for body, q, u in zip((a, b), START[:2], START[2:], strict=True):
        m.start(body, q=q, u=u)
    return m


def forces(q: np.ndarray) -> np.ndarray:
    pull = (q[0] - q[1]) ** 3 + (q[0] - q[1])
    return np.array([-q[0] - pull, pull - np.sin(q[1])])


def rk4(h: float, steps: int) -> list[np.ndarray]:
    """Positions after each step, by a hundred short steps: errors of some 1e-16 at the steps of this file."""
    x, positions = START, [START[:2]]

    def rates(x: np.ndarray) -> np.ndarray:
        return np.concatenate([x[2:], forces(x[:2])])

    for _ in range(steps):
        for _ in range(100):
            a = rates(x)
            b = rates(x + 0.5e-2 * h * a)
            c = rates(x + 0.5e-2 * h * b)
            x = x + 1e-2 * h / 6 * (a + 2 * b + 2 * c + rates(x + 1e-2 * h * c))
        positions.append(x[:2])
    return positions


def by_stormer(h: float) -> np.ndarray:
    """Final positions: one evaluation of forces per step, no velocities."""
    places = rk4(h, 5)
    known = [forces(q) for q in places]
    for _ in range(round(TIME / h) - 5):
        push = sum(float(w) * f for w, f in zip(WEIGHTS, reversed(known), strict=False))
        places.append(2 * places[-1] - places[-2] + h**2 * push)
        known.append(forces(places[-1]))
    return places[-1]


def by_abm6(m: mbs.Model, h: float) -> np.ndarray:
    result = mbs.simulate(m, TIME, method="abm6", step=h, output_interval=TIME)
    assert result.statistics["evaluations"] <= TIME / h + 40  # one per step, except for the first five, by dopri5
    return np.array([result["a.s"][-1], result["b.s"][-1]])


def test_the_weights_are_stormers() -> None:
    """Second differences of all powers up to the seventh are exact."""
    for k in range(8):
        second = F(1) + F(-1) ** k - (2 if k == 0 else 0)
        forces_then = [F(k * (k - 1)) * F(-i) ** (k - 2) if k >= 2 else F(0) for i in range(6)]
        assert second == sum(w * f for w, f in zip(WEIGHTS, forces_then, strict=True))
    missed = F(2, factorial(8)) - sum(w * F(-i) ** 6 / factorial(6) for i, w in enumerate(WEIGHTS))
    assert missed == F(863, 12096)


@pytest.mark.usual
def test_abm6_is_more_accurate_than_stormers_method() -> None:
    """Both have order six with one evaluation per step, and abm6 is more accurate at every step.

    In the limit its error is two fifths; signs, and the remaining order seven, make it less here. Halved steps divide
    errors by 64, and at least by half of that as long as they are far from rounding (1e-14).
    """
    m = masses()
    truth = mbs.simulate(m, TIME, method="dop853", rtol=1e-13, atol=1e-15, output_interval=TIME)
    exact = np.array([truth["a.s"][-1], truth["b.s"][-1]])
    long, short = ([np.max(np.abs(x - exact)) for x in (by_stormer(h), by_abm6(m, h))] for h in (1 / 64, 1 / 128))
    assert long[1] <= long[0] and short[1] <= short[0]
    assert short[0] <= long[0] / 32 and short[1] <= long[1] / 32


# -- the largest steps ---------------------------------------------------------------------------------------


def size_of_roots_of_stormer(z: float) -> np.ndarray:
    """Absolute values of the roots of its characteristic polynomial for q'' = -omega² q, with z = h omega, sorted."""
    polynomial = np.array([1.0, -2.0, 1.0, 0.0, 0.0, 0.0, 0.0])
    polynomial[1:] += z**2 * np.array(WEIGHTS, dtype=float)
    return np.sort(np.abs(np.roots(polynomial)))


def size_of_roots_of_abm6(z: complex, again: bool = False) -> np.ndarray:
    """Absolute values of the roots for x' = lambda x with z = h lambda, sorted; `again`: a second evaluation (PECE).

    They are the eigenvalues of one step, as a matrix that acts on x and the last six values of h x'.
    """
    abm6 = MULTISTEP["abm6"]()
    predicted = np.array([1.0, *map(float, abm6.predictor)])
    corrected = np.array([1.0, *map(float, abm6.corrector[1:]), 0.0]) + float(abm6.corrector[0]) * z * predicted
    step = np.vstack([corrected, z * (corrected if again else predicted), np.eye(7, dtype=complex)[1:6]])
    return np.sort(np.abs(np.linalg.eigvals(step)))


def limit(is_stable: Callable[[float], bool], below: float, above: float) -> float:
    assert is_stable(below) and not is_stable(above)
    while above - below > 1e-9:
        middle = 0.5 * (below + above)
        below, above = (middle, above) if is_stable(middle) else (below, middle)
    return below


def test_the_largest_steps() -> None:
    """The figures of docs/equations.md and docs/methods.md, as multiples of 1/omega and of the time constant."""
    rounding = 1e-12  #: of roots
    found = {
        "stormer": limit(lambda z: size_of_roots_of_stormer(z)[-3] <= 1 + rounding, 0.3, 1.0),
        "imaginary": limit(lambda z: size_of_roots_of_abm6(1j * z)[-1] <= 1 + rounding, 0.03, 0.1),
        "real": limit(lambda z: size_of_roots_of_abm6(-z)[-1] <= 1 + rounding, 0.03, 0.1),
        "imaginary, again": limit(lambda z: size_of_roots_of_abm6(1j * z, True)[-1] <= 1 + rounding, 0.3, 0.9),
        "real, again": limit(lambda z: size_of_roots_of_abm6(-z, True)[-1] <= 1 + rounding, 0.3, 0.9),
    }
    stated = {"stormer": 0.8402, "imaginary": 0.0568, "real": 0.0455, "imaginary, again": 0.5267, "real, again": 0.6980}
    assert found == pytest.approx(stated, abs=6e-5)
    assert found["stormer"] == pytest.approx(np.sqrt(12 / 17), abs=1e-7)  # where the parasitic root passes -1


def test_stormers_method_gains_amplitude_at_every_step() -> None:
    """The two roots of the motion have the size 1 + 0.073 z⁸: 1e-6 at z = 0.248. Those of abm6 are smaller than one."""
    for z in (0.2, 0.25):
        largest = size_of_roots_of_stormer(z)[-2:]
        assert largest - 1 == pytest.approx(0.073 * z**8, rel=0.1)
    assert size_of_roots_of_stormer(0.2483)[-1] - 1 == pytest.approx(1e-6, rel=0.01)
    assert -1e-10 < size_of_roots_of_abm6(0.05j)[-1] - 1 < -1e-12


@pytest.mark.parametrize(("z", "grows"), [(0.0562, False), (0.0574, True)])
def test_oscillations_at_the_largest_step_of_abm6(z: float, grows: bool) -> None:
    """1.1 percent below the limit errors stay small; 1.1 percent above it they grow by 1.003 a step."""
    m = mbs.Model("oscillator")
    m.body("mass", joint=mbs.Prismatic("x"), mass=1.0)
    m.spring("spring", on="mass", stiffness=1.0)
    m.start("mass", q=1.0)
    time = 16000 * z
    end = mbs.simulate(m, time, method="abm6", step=z, output_interval=time)["mass.s"][-1]
    assert (abs(end - np.cos(time)) > 1.0) == grows


@pytest.mark.parametrize(("z", "grows"), [(0.0450, False), (0.0461, True)])
def test_decays_at_the_largest_step_of_abm6(z: float, grows: bool) -> None:
    m = mbs.Model("decay")
    m.state("x", rate=-mbs.signal("x"), start=1.0)
    m.output("value", mbs.signal("x"))
    time = 16000 * z
    end = mbs.simulate(m, time, method="abm6", step=z, output_interval=time)["value"][-1]
    assert (abs(end) > 1.0) == grows


@pytest.mark.usual
@pytest.mark.parametrize(("z", "grows"), [(0.52, False), (0.534, True)])
def test_a_second_evaluation_permits_longer_steps(z: float, grows: bool) -> None:
    """Where forces of drives are evaluated, the rates of corrected states are the history."""
    m = mbs.Model("oscillator")
    m.body("mass", joint=mbs.Prismatic("x"), mass=1.0)
    m.spring("spring", on="mass", stiffness=1.0)
    m.start("mass", q=1.0)
    m.body("driven", joint=mbs.Prismatic("y"), mass=1.0)
    m.drive("drive", on="driven", position=0.0)
    m.output("force", mbs.drive_force("drive"))
    time = 4000 * z
    end = mbs.simulate(m, time, method="abm6", step=z, output_interval=time)["mass.s"][-1]
    assert (abs(end) > 1.0) == grows
