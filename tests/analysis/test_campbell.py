"""Campbell diagrams against closed forms of rigid rotors."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.figure import Figure

import mbs_fmu as mbs
from mbs_fmu.model.model import Model
from support.cases import tiers

pytestmark = pytest.mark.usefixtures("in_plain_python")


class Rotor:
    """A random rigid rotor in equal bearings: small tilts with the moment Jd and the spin's moment Jp."""

    def __init__(self, number: int):
        rng = np.random.default_rng([72, number])
        self.Jd = rng.uniform(0.02, 0.05)
        self.Jp = self.Jd * rng.uniform(0.3, 1.9)
        self.stiffness, self.mass, self.way = rng.uniform(30.0, 80.0), rng.uniform(1.0, 3.0), rng.uniform(5e3, 2e4)

    def model(self) -> Model:
        m = Model("rotor", gravity=(0, 0, 0))
        joint = mbs.Compound(mbs.slide("x"), mbs.turn("x"), mbs.turn("y"), mbs.turn("z"))
        m.body("rotor", joint=joint, mass=self.mass, inertia=(self.Jd, self.Jd, self.Jp))
        stiffness = m.parameter("stiffness", self.stiffness, unit="N.m/rad")
        for k, number in enumerate((self.way, stiffness, stiffness), 1):
            m.spring(f"k{k}", on="rotor", coordinate=k, stiffness=number)
        return m

    def whirls(self, speeds: np.ndarray) -> np.ndarray:
        """Angular frequencies, rad/s: roots of Jd w² - Jp W w - k = 0 and of Jd w² + Jp W w - k = 0, and the slide."""
        half = self.Jp * speeds / (2.0 * self.Jd)
        root = np.sqrt(half**2 + self.stiffness / self.Jd)
        return np.stack([root - half, root + half, np.full(speeds.shape, np.sqrt(self.way / self.mass))], axis=-1)


@pytest.mark.parametrize("number", tiers(range(40), usual=2))
def test_whirls_have_their_closed_form(number: int) -> None:
    """Each column follows one branch, also where it crosses the frequency of the slide; values need no order."""
    rotor, speeds = Rotor(number), np.linspace(5.0, 150.0, 40)
    found = mbs.campbell(rotor.model(), "rotor.u[4]", speeds[::-1])
    expected = rotor.whirls(speeds)
    expected = expected[:, np.argsort(expected[0])]
    assert (found.name, found.unit) == ("rotor", "rad/s") and np.array_equal(found.speeds, speeds)
    assert np.allclose(found.frequencies, expected / (2 * np.pi), rtol=1e-9)
    # real parts are errors of rounding of the eigenvalues, relative to the fastest
    assert np.allclose(found.damping, 0.0, atol=1e-9 * expected.max() / expected.min())


@pytest.mark.parametrize("number", tiers(range(40), usual=2))
def test_critical_speeds_have_their_closed_form(number: int) -> None:
    """A whirl at w = n W: W² = k/(n² Jd - n Jp) forward, k/(n² Jd + n Jp) backward; the slide at W = w/n."""
    rotor, speeds, order = Rotor(number), np.linspace(0.0, 150.0, 76), (1, 2)[number % 2]
    found = mbs.campbell(rotor.model(), "rotor.u[4]", speeds).critical(order)
    squares = [rotor.stiffness / (order**2 * rotor.Jd + sign * order * rotor.Jp) for sign in (1, -1)]
    expected = [s**0.5 for s in squares if s > 0.0] + [np.sqrt(rotor.way / rotor.mass) / order]
    expected = np.sort([speed for speed in expected if speed < 150.0])
    # linear interpolation between points 2 rad/s apart, with curvatures of at most 1/(speed of 20 rad/s): 2²/8/20
    assert np.allclose(found["speed"], expected, atol=0.05)
    assert np.allclose(found["frequency"], order * found["speed"] / (2 * np.pi), atol=1e-9)


@pytest.mark.quick
def test_modes_that_stop_to_oscillate_are_followed() -> None:
    """x'' + d x' + x = 0 oscillates for d < 2, and grows for d < 0; a parameter without turns has no orders."""
    m = Model("mass", gravity=(0, 0, 0))
    body = m.body("b", joint=mbs.Prismatic("x"), mass=1.0)
    d = m.parameter("d", 1.0)
    m.spring("s", on=body, stiffness=1.0)
    m.motor("friction", on=body, force=-d * mbs.rate(body))
    values = np.array([-0.5, 0.5, 1.0, 1.5, 2.5, 3.0])
    found = mbs.campbell(m, "d", values)
    assert found.eigenvalues.shape == (6, 1)
    assert np.allclose(2 * np.pi * found.frequencies[:, 0], np.sqrt(np.maximum(1.0 - values**2 / 4.0, 0.0)), atol=1e-12)
    assert np.allclose(found.damping[:4, 0], values[:4] / 2.0) and (found.damping[4:] == 1.0).all()
    assert found.turns is None
    with pytest.raises(mbs.ModelError, match="d has the unit None, and orders need an angular velocity"):
        found.critical()
    axis = Figure().subplots()
    assert found.plot(ax=axis) is axis.figure and axis.get_xlabel() == "d"
    assert [line.get_color() for line in axis.lines] == ["tab:blue", "tab:red"], "red: the vibration grows at d < 0"


@pytest.mark.quick
def test_steady_motions_are_found_at_each_speed() -> None:
    """A pendulum on a driven vertical shaft hangs out at cos phi = g/(W² r), where it vibrates with W sin phi."""
    m = Model("governor")
    W = m.parameter("W", 1.0, unit="rpm")
    shaft = m.body("shaft", joint=mbs.Revolute("z"), mass=1.0, inertia=(1, 1, 1))
    m.drive("motor", on=shaft, position=W * mbs.time)
    arm = m.body("arm", shaft, mbs.Revolute("y"), mass=1.0, com=(0, 0, -0.5), inertia=(0, 0, 0))
    m.start(arm, q=-0.7)
    speeds = np.array([60.0, 70.0, 80.0])  # above sqrt(9.81/0.5) rad/s, 42 rev/min
    found = mbs.campbell(m, "W", speeds, free=["arm.phi"])
    rates = speeds * 2 * np.pi / 60
    sines = np.sqrt(1.0 - (9.81 / (0.5 * rates**2)) ** 2)
    assert np.allclose(found.frequencies[:, 0], rates * sines / (2 * np.pi), rtol=1e-9)
    assert np.allclose(found.turns, speeds / 60)
    assert found.plot([1, 2]).axes[0].get_xlabel() == "W (rpm)"


@pytest.mark.quick
def test_motions_that_change_the_matrices_are_refused() -> None:
    m = Model("shaft", gravity=(0, 0, 0))
    m.body("r", joint=mbs.Compound(*map(mbs.turn, "xyz")), mass=1.0, inertia=(0.012, 0.028, 0.03))
    for k in (1, 2):
        m.spring(f"k{k}", on="r", coordinate=k, stiffness=100.0)
    with pytest.raises(mbs.ModelError, match=r"valid at this instant only: r.q\[3\], at r.u\[3\] = 20"):
        mbs.campbell(m, "r.u[3]", [0.0, 20.0])
    with pytest.raises(mbs.ArgumentError, match=r"no start value, parameter or input 'r.v\[3\]'"):
        mbs.campbell(m, "r.v[3]", [0.0, 20.0])
    for values in ([1.0], [1.0, 1.0], [0.0, np.inf], "fast", np.zeros((2, 2))):
        with pytest.raises(mbs.ArgumentError, match="give a list of two or more different numbers"):
            mbs.campbell(m, "r.u[3]", values)


@pytest.mark.quick
def test_the_diagram_has_lines_of_orders_and_critical_speeds(tmp_path) -> None:  # type: ignore[no-untyped-def]
    found = mbs.Campbell("r", "r.w", "rad/s", np.array([0.0, 10.0]), np.array([[1j, 5j], [2j, 5j]]))
    assert found.critical().tolist() == [(10 / 9, 10 / 9 / (2 * np.pi), 0), (5.0, 5.0 / (2 * np.pi), 1)]
    figure = found.plot([1, 3], path=tmp_path / "campbell.png")
    axis = figure.axes[0]
    assert (tmp_path / "campbell.png").stat().st_size > 5000
    assert [text.get_text() for text in axis.texts] == ["1×", "3×"] and axis.get_xlabel() == "r.w (rad/s)"
    assert [line.get_linestyle() for line in axis.lines] == ["-", "-", "--", "None", "--", "None"]
