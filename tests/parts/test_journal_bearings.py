"""Journal bearings and bearings by matrices: against the integrated pressure of the film, and closed forms.

Closed forms are those of the short bearing with the positive half of the film: F. W. Ocvirk, NACA TN 2808 (1952), and
the eight coefficients of M. I. Friswell, J. E. T. Penny, S. D. Garvey, A. W. Lees, Dynamics of Rotating Machines
(2010), section 5.5.1.
"""

from __future__ import annotations

import math
import re
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq

import mbs_fmu as mbs
from support.generators.mechanisms import Plain
from support.oracles.complex_steps import outputs

SIZE: dict[str, Any] = {"radius": 0.025, "length": 0.02, "clearance": 5e-5, "viscosity": 0.02}
LOAD, SPEED = 500.0, 300.0  #: N, rad/s


def rotor(load: float = LOAD, mass: float = 10.0, **size: Any) -> tuple[mbs.Model, mbs.JournalBearing]:
    """Return a journal that turns with the parameter "w" under a load along -y, and its bearing."""
    m = mbs.Model("rotor", gravity=(0, 0, 0))
    w, weight = m.parameter("w", SPEED, unit="rad/s"), m.parameter("mass", mass, unit="kg")
    m.body("rotor", joint=mbs.Compound(mbs.slide("x"), mbs.slide("y"), mbs.turn("z")), mass=weight, inertia=(1, 1, 1))
    m.drive("spin", "rotor", coordinate=3, position=w * mbs.time, rate=w)
    film = mbs.journal_bearing(m, "film", "rotor", "world", **{**SIZE, **size})
    m.force("load", "rotor", force=(0, -load, 0))
    return m, film


def steady(m: mbs.Model, c: float = SIZE["clearance"], **parameters: float) -> mbs.LinearModel:
    """Return the linear model about the steady position of the journal."""
    near = {"rotor.q[1]": 0.3 * c, "rotor.q[2]": -0.4 * c}
    return mbs.trim(m, start=near, free=["rotor.q[1]", "rotor.q[2]"], parameters=parameters)


def matrices(linear: mbs.LinearModel, mass: float = 10.0) -> tuple[np.ndarray, np.ndarray]:
    """Return stiffness (N/m) and damping (N.s/m) along x and y."""
    rows = [linear.states.index(f"rotor.u[{k}]") for k in (1, 2)]
    columns = [[linear.states.index(f"rotor.{x}[{k}]") for k in (1, 2)] for x in "qu"]
    K, C = (-mass * linear.A[np.ix_(rows, x)] for x in columns)
    return K, C


def ocvirk(e: float, scale: float) -> float:
    """Load of a short bearing, N; scale: µ w R L³/(4c²)."""
    return scale * e / (1 - e * e) ** 2 * math.sqrt(math.pi**2 * (1 - e * e) + 16 * e * e)


def eccentricity(load: float, speed: float, radius: float, length: float, clearance: float, viscosity: float) -> float:
    """Eccentricity ratio under a load, by Ocvirk's equation."""
    scale = viscosity * speed * radius * length**3 / (4 * clearance**2)
    return float(brentq(lambda e: ocvirk(e, scale) - load, 1e-9, 0.99999, xtol=1e-15, rtol=1e-14))


def coefficients(e: float, load: float, speed: float, clearance: float) -> tuple[np.ndarray, np.ndarray]:
    """K (N/m) and C (N.s/m) in axes across the load and opposite to it, for a rotation from the first to the second."""
    pi2, s = math.pi**2, 1 - e * e
    h = (pi2 * s + 16 * e * e) ** -1.5
    uu = 4 * (pi2 * (2 - e * e) + 16 * e * e)
    uv = math.pi * (pi2 * s * s - 16 * e**4) / (e * math.sqrt(s))
    vu = -math.pi * (pi2 * s * (1 + 2 * e * e) + 32 * e * e * (1 + e * e)) / (e * math.sqrt(s))
    vv = 4 * (pi2 * (1 + 2 * e * e) + 32 * e * e * (1 + e * e) / s)
    cu = 2 * math.pi * math.sqrt(s) * (pi2 * (1 + 2 * e * e) - 16 * e * e) / e
    cross = -8 * (pi2 * (1 + 2 * e * e) - 16 * e * e)
    cv = 2 * math.pi * (pi2 * s * s + 48 * e * e) / (e * math.sqrt(s))
    K = h * load / clearance * np.array([[uu, uv], [vu, vv]])
    return K, h * load / (clearance * speed) * np.array([[cu, cross], [cross, cv]])


@pytest.mark.quick
@pytest.mark.parametrize("seed", range(8))
def test_film_force_is_the_integral_of_the_positive_pressure(seed: int) -> None:
    """Force, friction and power equal quadratures of the pressure of Reynolds' equation of a short bearing."""
    rng = np.random.default_rng(seed)
    R, L, c, mu = 0.5, 0.3, 0.2, 0.7
    e, direction = c * rng.uniform(0.05, 0.9), rng.uniform(0, 2 * math.pi)
    x, y = e * math.cos(direction), e * math.sin(direction)
    vx, vy, w = 0.3 * rng.normal(), 0.3 * rng.normal(), 3 * rng.normal()
    m = mbs.Model("film", gravity=(0, 0, 0))
    m.body("rotor", joint=mbs.Compound(mbs.slide("x"), mbs.slide("y"), mbs.turn("z")), mass=1.0, inertia=(1, 1, 1))
    m.start("rotor", q=(x, y, 0.3), u=(vx, vy, w))
    film = mbs.journal_bearing(m, "film", "rotor", "world", radius=R, length=L, clearance=c, viscosity=mu)
    m.output("wrench", mbs.applied("film"))
    m.output("power", mbs.power("film"))
    m.output("friction", film.friction)

    def height(a: float) -> float:
        return c - x * math.cos(a) - y * math.sin(a)

    def closing(a: float) -> float:  # ½ w ∂h/∂a + ∂h/∂t
        return 0.5 * w * (x * math.sin(a) - y * math.cos(a)) - vx * math.cos(a) - vy * math.sin(a)

    def along(weight: Any) -> float:  # the pressure integrated over the length is -µ L³ closing / h³
        pressed = lambda a: mu * L**3 * max(-closing(a), 0.0) / height(a) ** 3 * R * weight(a)  # noqa: E731
        kinks = [math.atan2(-(0.5 * w * y + vx), 0.5 * w * x - vy) + k * math.pi for k in range(-2, 4)]
        ends = sorted([0.0, 2 * math.pi, *(math.remainder(a - math.pi, 2 * math.pi) + math.pi for a in kinks)])
        return sum(quad(pressed, a, b, epsabs=1e-13, epsrel=1e-12)[0] for a, b in pairwise(ends))

    fx, fy, lost = -along(math.cos), -along(math.sin), along(lambda a: -closing(a))
    sheared = mu * R**3 * L * w * quad(lambda a: 1 / height(a), 0, 2 * math.pi, epsrel=1e-12)[0]
    friction = -sheared - 0.5 * (x * fy - y * fx)
    now = outputs(Plain(m))
    scale = math.hypot(fx, fy)
    assert np.abs(now["wrench.f"] - (fx, fy, 0)).max() < 1e-10 * scale
    assert abs(now["friction"] - friction) < 1e-10 * (abs(sheared) + scale * c)
    assert abs(now["power"] + lost + sheared * w) < 1e-10 * (lost + sheared * w)


def test_steady_eccentricity_and_attitude_are_those_of_ocvirk() -> None:
    """The journal settles at Ocvirk's eccentricity, and tan(attitude) = π √(1 - ε²)/(4 ε), in the sense of rotation."""
    m, film = rotor()
    for name in ("eccentricity", "attitude", "load", "film"):
        m.output(name, getattr(film, name))
    linear = steady(m)
    result = mbs.simulate(m, 1e-4, start={f"rotor.q[{k}]": linear.values[f"rotor.q[{k}]"] for k in (1, 2)})
    e = eccentricity(LOAD, SPEED, **SIZE)
    assert abs(e - 0.5638515866416) < 1e-13
    attitude = math.atan(math.pi * math.sqrt(1 - e * e) / (4 * e))
    assert abs(math.degrees(attitude) - 49.000199) < 1e-6
    assert abs(result["eccentricity"][0] - e) < 1e-9 and abs(result["attitude"][0] - attitude) < 1e-9
    assert abs(result["load"][0] - LOAD) < 1e-6 * LOAD
    assert abs(result["film"][0] - SIZE["clearance"] * (1 - e)) < 1e-9 * SIZE["clearance"]
    assert linear.values["rotor.q[1]"] > 0.0  # from the load along -y, about +z


@pytest.mark.parametrize(
    ("load", "speed", "size"),
    [
        (LOAD, SPEED, SIZE),
        (525.0, 1500 * math.pi / 30, {"radius": 0.05, "length": 0.03, "clearance": 1e-4, "viscosity": 0.1}),
    ],
)
def test_linear_model_has_the_eight_coefficients(load: float, speed: float, size: dict[str, float]) -> None:
    """Stiffness and damping of the linear model equal the closed forms."""
    m, _ = rotor(load, **size)
    linear = steady(m, size["clearance"], w=speed)
    e = eccentricity(load, speed, **size)
    for computed, closed in zip(matrices(linear), coefficients(e, load, speed, size["clearance"]), strict=True):
        assert np.abs(computed - closed).max() < 1e-8 * np.abs(closed).max()


def test_rigid_rotor_becomes_unstable_at_the_closed_threshold() -> None:
    """A growing whirl begins at the speed that the eight coefficients give: 1159.790 rad/s, at 0.518 of the speed."""
    mass = LOAD / 9.81
    m, _ = rotor(mass=mass)

    def growth(speed: float) -> tuple[float, float]:
        values = np.linalg.eigvals(steady(m, w=speed).A)
        fastest = values[np.argmax(values.real)]
        return float(fastest.real), abs(float(fastest.imag))

    def closed(speed: float) -> float:
        K, C = coefficients(eccentricity(LOAD, speed, **SIZE), LOAD, speed, SIZE["clearance"])
        A = np.block([[np.zeros((2, 2)), np.eye(2)], [-K / mass, -C / mass]])
        return float(np.linalg.eigvals(A).real.max())

    expected = float(brentq(closed, 300.0, 3000.0, xtol=1e-9))
    assert abs(expected - 1159.790) < 1e-3
    assert growth(expected * (1 - 1e-5))[0] < 0.0 < growth(expected * (1 + 1e-5))[0]
    assert abs(growth(expected)[1] / expected - 0.518) < 5e-4


def test_matrices_of_a_film_replace_it_in_the_linear_model() -> None:
    """A linear bearing with the matrices of a film has its eigenvalues, at a speed between those of its tables too."""
    m, _ = rotor()
    models = [steady(m, w=w) for w in (200.0, 400.0)]
    K, C = (np.array(x) for x in zip(*map(matrices, models), strict=True))
    between = (0.5 * (K[0] + K[1]), 0.5 * (C[0] + C[1]))
    for speed, stiffness, damping in ((200.0, K[0], C[0]), (300.0, *between), (700.0, K[1], C[1])):
        other = mbs.Model("rotor", gravity=(0, 0, 0))
        other.body(
            "rotor", joint=mbs.Compound(mbs.slide("x"), mbs.slide("y"), mbs.turn("z")), mass=10, inertia=(1, 1, 1)
        )
        other.drive("spin", "rotor", coordinate=3, position=speed * mbs.time, rate=speed)
        mbs.linear_bearing(other, "seal", "rotor", "world", stiffness=K, damping=C, speeds=("200 rad/s", 400.0))
        for computed, expected in zip(matrices(mbs.linearize(other)), (stiffness, damping), strict=True):
            assert np.abs(computed - expected).max() < 1e-12 * np.abs(expected).max()


@pytest.mark.quick
@pytest.mark.parametrize(("axis", "across"), [("x", (1, 2)), ("y", (2, 0)), ("z", (0, 1))])
def test_matrices_act_in_the_axes_across(axis: str, across: tuple[int, int]) -> None:
    """K and C belong to the two next axes of the housing; the symmetric part of K stores energy."""
    K, C = np.array([[3.0, 2.0], [-1.0, 4.0]]), np.array([[1.0, 0.2], [0.4, 2.0]])
    m = mbs.Model("seal", gravity=(0, 0, 0))
    body = m.body("shaft", joint=mbs.Free(), mass=1.0, inertia=(1, 1, 1))
    mbs.linear_bearing(m, "seal", body, "world", stiffness=K, damping=C, axis=axis)
    q, u = np.array([0.1, 0.2, 0.3]), np.array([0.5, -0.3, 0.2])
    m.start(body, q=(*q, 1, 0, 0, 0), u=(0.1, 0.2, -0.3, *u))
    m.output("v", mbs.velocity(body))
    m.output("w", mbs.angular_velocity(body))
    m.output("wrench", mbs.applied("seal"))
    m.output("E", mbs.energy())
    now, chosen = outputs(Plain(m)), list(across)
    expected = np.zeros(3)
    expected[chosen] = -K @ q[chosen] - C @ now["v"][chosen]
    assert np.abs(now["wrench.f"] - expected).max() < 1e-14
    stored = 0.25 * q[chosen] @ (K + K.T) @ q[chosen]
    assert abs(now["E"] - stored - 0.5 * (now["v"] @ now["v"] + now["w"] @ now["w"])) < 1e-14


def test_run_ends_where_the_journal_touches() -> None:
    """A journal that nothing turns sinks through its film until the eccentricity is 0.999; a start there is refused."""
    m, film = rotor(load=5e4, viscosity=0.001)
    m.output("eccentricity", film.eccentricity)
    result = mbs.simulate(m, 1.0, method="rodas5p", parameters={"w": 0.0})
    assert result.time[-1] < 1.0 and len(result.events["film_touches"]) == 1
    assert abs(result["eccentricity"][-1] - 0.999) < 1e-9
    message = re.escape("bearing 'film': its journal touches the bush, at an eccentricity of 0.999 of the clearance")
    for ratio in (0.999, 1.3):
        with pytest.raises(mbs.ModelError, match=message):
            mbs.simulate(m, 1.0, start={"rotor.q[1]": ratio * SIZE["clearance"]})


def test_films_without_the_event_run_on() -> None:
    """With stop=False there is no event; the film still carries the journal, in a batch too."""
    m, film = rotor(load=5e4, viscosity=0.001, stop=False)
    m.output("eccentricity", film.eccentricity)
    speeds = mbs.Batch(parameters={"w": [0.0, 1.0]})
    result = mbs.simulate(m, 0.2, method="rodas5p", output_interval=0.1, batch=speeds)
    assert not m.events and np.all(result["eccentricity"][:, -1] > 0.999)
    assert np.all(result["eccentricity"][:, -1] < 1.0)


def test_clearance_may_be_a_parameter() -> None:
    """A run with a clearance that is not positive is refused."""
    m = mbs.Model("tuned")
    m.body("shaft", joint=mbs.Free(), mass=1.0, inertia=(1, 1, 1))
    mbs.journal_bearing(m, "b", "shaft", "world", **{**SIZE, "clearance": m.parameter("c", 1e-4)})
    with pytest.raises(mbs.ModelError, match="clearance of bearing 'b' must be positive"):
        mbs.simulate(m, 1e-3, parameters={"c": -1e-4})


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "clearance": ({"clearance": 0.0}, "clearance of bearing 'b' is 0.0: it must be positive"),
    "thick film": ({"clearance": 50.0}, "clearance of bearing 'b' is 50 m: it must be less than the radius of"),
    "long": ({"length": 1.0}, "length of bearing 'b' is 1 m, more than its diameter"),
    "viscosity": ({"viscosity": -0.1}, "viscosity of bearing 'b' is -0.1: it must be positive"),
    "radius": ({"radius": 0}, "radius of bearing 'b' is 0.0: it must be positive"),
    "length": ({"length": "-2 mm"}, "length of bearing 'b' is -0.002: it must be positive"),
    "axis": ({"axis": "w"}, "bearing 'b': unknown axis 'w'"),
    "bodies": ({"housing": "shaft"}, "bearing 'b' joins body 'shaft' with itself"),
    "stop": ({"stop": 3}, "stop of bearing 'b'"),
    "event": ({"name": "other"}, "event name 'other_touches' is taken"),
    "name": ({"name": "taken"}, "force name 'taken' is taken"),
}


@pytest.mark.quick
@pytest.mark.parametrize("case", WRONG)
def test_wrong_journal_bearings_are_refused(case: str) -> None:
    """Each error names the bearing, the value and the remedy."""
    changes, message = WRONG[case]
    with pytest.raises(mbs.ModelError, match=re.escape(message)):
        mbs.journal_bearing(**{"model": held(), "name": "b", "shaft": "shaft", "housing": "world", **SIZE, **changes})


UNIT = [[1.0, 0.0], [0.0, 1.0]]
WRONG_MATRICES: dict[str, tuple[dict[str, Any], str]] = {
    "nothing": ({}, "bearing 'b' does nothing: give stiffness= or damping="),
    "shape": ({"stiffness": [1.0, 2.0]}, "stiffness of bearing 'b' must be a 2x2 matrix, not"),
    "one row": ({"damping": [[1.0, 2.0]]}, "damping of bearing 'b' must be a 2x2 matrix, not"),
    "table without speeds": ({"stiffness": [UNIT, UNIT]}, "stiffness of bearing 'b' must be a 2x2 matrix, not"),
    "speeds without table": ({"stiffness": UNIT, "speeds": (0, 1)}, "bearing 'b' has speeds=, but no table"),
    "count": ({"stiffness": [UNIT] * 3, "speeds": (0, 1)}, "stiffness of bearing 'b' has 3 matrices for 2 speeds"),
    "order": ({"stiffness": [UNIT] * 2, "speeds": (1, 1)}, "speeds of bearing 'b' are (1, 1): give two or more"),
    "no list": ({"stiffness": [UNIT] * 2, "speeds": 3.0}, "speeds of bearing 'b' must be a list of numbers"),
    "entry": ({"stiffness": [[mbs.time, 0], [0, 1]], "damping": [UNIT, [[mbs.time, 0], [0, 1]]], "speeds": (0, 1)},
              "damping of bearing 'b': time depends on other quantities"),
}  # fmt: skip


@pytest.mark.quick
@pytest.mark.parametrize("case", WRONG_MATRICES)
def test_wrong_linear_bearings_are_refused(case: str) -> None:
    """Each error names the bearing, the value and the remedy."""
    changes, message = WRONG_MATRICES[case]
    with pytest.raises(mbs.ModelError, match=re.escape(message)):
        mbs.linear_bearing(held(), "b", "shaft", "world", **changes)


def held() -> mbs.Model:
    """Return a shaft in a model that has some names already."""
    m = mbs.Model("held")
    m.body("shaft", joint=mbs.Free(), mass=1.0, inertia=(1, 1, 1))
    m.spring("taken", "world", "shaft", stiffness=1.0)
    m.event("other_touches", mbs.time - 1.0)
    return m
