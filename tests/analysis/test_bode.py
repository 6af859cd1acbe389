"""Frequency responses against the responses of scipy and steady runs, and the axes of Bode plots."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.figure import Figure

import mbs_fmu as mbs
from mbs_fmu.analysis.linear.bode import CHANGE
from mbs_fmu.model.model import Model
from support.cases import tiers

pytestmark = pytest.mark.usefixtures("plain_by_default")


class Chain:
    """A random chain of masses with springs and dampers between neighbours, two inputs and two outputs."""

    def __init__(self, number: int = 0, damping: float = 1.0):
        rng = np.random.default_rng([71, number])
        n = 1 + int(rng.integers(1, 4))
        self.mass, self.stiffness = rng.uniform(0.5, 2.0, n), rng.uniform(50.0, 500.0, n)
        self.damping = damping * rng.uniform(0.05, 1.0, n)

    def model(self) -> Model:
        m = Model("masses", gravity=(0, 0, 0))
        parent, bodies = "world", []
        for k, mass in enumerate(self.mass):
            parent = body = m.body(f"b{k}", parent, mbs.Prismatic("x"), mass=mass)
            m.spring(f"s{k}", on=body, stiffness=self.stiffness[k], damping=self.damping[k])
            bodies.append(body)
        m.force("push", on=bodies[0], force=(m.input("push_force", unit="N"), 0, 0))
        m.force("pull", on=bodies[-1], force=(m.input("pull_force", unit="N"), 0, 0))
        m.output("place", mbs.position(bodies[-1])[0], unit="m")
        m.output("speed", mbs.velocity(bodies[0])[0], unit="m/s")
        return m

    def response(self, omega: float) -> np.ndarray:
        """Of place and speed to both forces, from the dynamic stiffness K + i w D - w² M of positions in space."""
        n = len(self.mass)
        L = np.eye(n) - np.eye(n, k=-1)  # elongations by positions
        dynamic = L.T @ np.diag(self.stiffness + 1j * omega * self.damping) @ L - omega**2 * np.diag(self.mass)
        x = np.linalg.inv(dynamic)[:, [0, -1]]
        return np.array([x[-1], 1j * omega * x[0]])


def linear(number: int = 0, damping: float = 1.0) -> mbs.LinearModel:
    return mbs.linearize(Chain(number, damping).model())


@pytest.mark.parametrize("number", tiers(range(20), usual=1))
def test_responses_are_those_of_the_dynamic_stiffness(number: int) -> None:
    omega = np.geomspace(0.1, 300.0, 50)
    lin, expected = linear(number), np.array([Chain(number).response(w) for w in omega])
    found = lin.frequency_response(omega, "rad/s")
    assert found.shape == (50, 2, 2)
    assert np.abs(found - expected).max() < 1e-9 * np.abs(expected).max()
    assert np.abs(lin.frequency_response(omega / (2 * np.pi)) - expected).max() < 1e-9 * np.abs(expected).max()


def test_a_steady_run_has_the_response() -> None:
    """After transients have decayed, outputs oscillate with the amplitude and phase of the response."""
    m = Model("mass", gravity=(0, 0, 0))
    body = m.body("b", joint=mbs.Prismatic("x"), mass=2.0)
    m.spring("s", on=body, stiffness=50.0, damping=8.0)
    omega = 7.0
    m.motor("push", on=body, force=m.input("f", unit="N"))
    m.output("x", mbs.position(body)[0], unit="m")
    G = mbs.linearize(m).frequency_response([omega], "rad/s")[0, 0, 0]
    assert abs(G - 1.0 / (50.0 - 2.0 * omega**2 + 8.0j * omega)) < 1e-14
    run = mbs.simulate(m, 12.0, inputs={"f": lambda t: np.sin(omega * t)}, rtol=1e-9, output_interval=0.05)
    late = run.time > 9.0  # transients decay with 2 1/s: 2e-8 remain
    assert np.allclose(run["x"][late], np.imag(G * np.exp(1j * omega * run.time[late])), atol=1e-6 * abs(G))


def test_a_response_is_infinite_at_an_undamped_eigenvalue() -> None:
    m = Model("mass", gravity=(0, 0, 0))
    body = m.body("b", joint=mbs.Prismatic("x"), mass=1.0)
    m.spring("s", on=body, stiffness=4.0)
    m.motor("push", on=body, force=m.input("f"))
    m.output("x", mbs.position(body)[0])
    found = mbs.linearize(m).frequency_response([1.0, 2.0], "rad/s")[:, 0, 0]
    assert found[0] == 1.0 / 3.0 and np.isinf(found[1])


@pytest.mark.parametrize("number", tiers(range(20), usual=1))
@pytest.mark.parametrize("damping", [1.0, 1e-3])
def test_the_grid_follows_resonances_and_antiresonances(number: int, damping: float) -> None:
    """Lines between the points leave no peak out: the largest response is that at the eigenfrequencies.

    With the larger damping, neighbours differ little, but where the response is 1e-11 of the largest.
    """
    lin = linear(number, damping)
    omega = lin._response().grid()
    response = lin.frequency_response(omega, "rad/s")
    assert len(omega) < 5000
    if damping == 1.0:
        seen = np.abs(response[1:]) > 1e-11 * np.abs(response).max(axis=0)
        assert np.abs(np.log(response[1:] / response[:-1]))[seen].max() <= CHANGE
    own = np.abs(lin.modes().values.imag)
    fine = (own[:, None] * (1.0 + np.linspace(-1e-3, 1e-3, 201))).ravel()
    peak = np.abs(lin.frequency_response(fine, "rad/s")).max(axis=0)
    assert (np.abs(response).max(axis=0) > peak * (1.0 - CHANGE)).all()


def test_every_pair_is_drawn_with_units() -> None:
    figure = linear().bode()
    assert len(figure.axes) == 8
    assert [a.get_ylabel() for a in figure.axes[:4]] == ["magnitude (m/N)", "magnitude (m/N)", *["phase (°)"] * 2]
    assert figure.axes[0].get_title() == "push_force to place" and figure.axes[5].get_title() == "pull_force to speed"
    assert figure.axes[4].get_ylabel() == "magnitude (m/s/N)"
    assert [a.get_xlabel() for a in figure.axes[-2:]] == ["frequency (Hz)"] * 2


def test_a_plot_of_one_pair_shows_its_response(tmp_path) -> None:  # type: ignore[no-untyped-def]
    """Frequencies, magnitudes and unwrapped phases are those of the response; axes may be given."""
    lin, frequencies = linear(), np.geomspace(0.5, 5.0, 400)
    figure = lin.bode(
        inputs=["pull_force"], outputs=["place"], frequencies=frequencies, unit="rad/s", path=tmp_path / "b.svg"
    )
    assert (tmp_path / "b.svg").exists()
    size, phase = (axis.lines[0] for axis in figure.axes)
    G = lin.frequency_response(frequencies, "rad/s")[:, 0, 1]
    assert np.array_equal(size.get_xdata(), frequencies) and np.allclose(size.get_ydata(), np.abs(G), rtol=1e-12)
    assert np.allclose(np.exp(1j * np.radians(phase.get_ydata())), G / np.abs(G), atol=1e-12)
    assert np.abs(np.diff(phase.get_ydata())).max() < 180.0
    pair = Figure().subplots(2, 1)
    assert lin.bode(inputs=["push_force"], outputs=["speed"], ax=pair) is pair[0].figure


def test_wrong_names_are_refused() -> None:
    lin = linear()
    with pytest.raises(mbs.ArgumentError, match=r"no input 'push_forse' \(did you mean 'push_force'\?\)"):
        lin.bode(inputs=["push_forse"])
    with pytest.raises(mbs.ArgumentError, match="unit is 'rpm': give one of 'Hz', 'rad/s'"):
        lin.bode(unit="rpm")  # type: ignore[arg-type]
    with pytest.raises(mbs.ArgumentError, match="give a list of numbers, zero or positive, in Hz"):
        lin.frequency_response([-1.0])
    m = Model("silent")
    m.body("b", joint=mbs.Prismatic("x"), mass=1.0)
    with pytest.raises(mbs.ModelError, match=r"'silent' has no input, which a Bode plot needs: add it by m\.input"):
        mbs.linearize(m).bode()
