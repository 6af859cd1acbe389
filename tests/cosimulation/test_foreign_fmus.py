"""FMUs written by others, in all couplings: exact flights and oscillations, faults by name, nothing left allocated.

The ball of tests/support/hosts/c is built here. The Reference FMUs of the Modelica Association, from a release unpacked
into a folder, are used where it is: MBS_FMU_REFERENCE_FMUS=FOLDER pytest -m '' tests/cosimulation/test_foreign_fmus.py
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.cosimulation.coupling import Coupling
from support.comparisons import assert_close
from support.hosts.foreign import FAULTS, Ball, reference_fmu

G, E = 9.81, 0.7


def flight(time: np.ndarray, least: float = 1e-3, h: float = 1.0) -> tuple[np.ndarray, int]:
    """Height of a ball that falls from `h` and bounces, until its speed is less than `least`; number of bounces."""
    height, start, speed, bounces = h - 0.5 * G * time**2, np.sqrt(2.0 * h / G), E * np.sqrt(2.0 * h * G), 0
    while True:
        after, bounces = time >= start, bounces + bool(start <= time[-1])
        if speed < least or not np.any(after):
            height[after] = 0.0
            return height, bounces
        since = time[after] - start
        height[after] = since * (speed - 0.5 * G * since)
        start, speed = start + 2.0 * speed / G, E * speed


@pytest.fixture(scope="module")
def balls(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], Ball]:
    built: dict[int, Ball] = {}

    def ball(fmi: int) -> Ball:
        if fmi not in built:
            built[fmi] = Ball(tmp_path_factory.mktemp(f"ball{fmi}"), fmi)
        return built[fmi]

    return ball


def pair(path: Path, **start: float) -> mbs.System:
    """A ball that pushes another one with a hundredth of its height, and gets no push itself."""
    s = mbs.System("balls")
    s.add("first", path, **start)
    s.add("second", path)
    s.connect("first.h", "second.push", factor=0.01)
    return s


@pytest.mark.parametrize("fmi", [2, 3])
@pytest.mark.parametrize("coupling", ["hold", "iterate", "exchange"])
def test_bounces_are_located(balls: Callable[[int], Ball], fmi: int, coupling: Coupling) -> None:
    """The flight of the ball is exact, in all couplings; every instance and every saved state is freed.

    A bounce is located to 1e-13 of the step, and its speed is below 4.5 m/s: ten bounces leave an error of rounding.
    """
    ball = balls(fmi)
    run = pair(ball.path).run(2.0, 0.05, coupling=coupling)
    height, bounces = flight(run.time)
    assert_close(run["first.h"], height, 1e-11, "height", times=run.time)
    assert run["first.bounces"][-1] == bounces == 4
    assert not any(ball.left().values())


@pytest.mark.parametrize("fmi", [2, 3])
def test_pushes_in_model_exchange(balls: Callable[[int], Ball], fmi: int) -> None:
    """Before its first bounce the second ball feels the parabola of the first: a push of order two in time, which rk4
    integrates exactly. Held pushes are late by half a step.
    """
    time = np.arange(9) * 0.05
    push = 0.01
    exact = 1.0 - 0.5 * G * time**2 + push * (0.5 * time**2 - G * time**4 / 24.0)
    run = pair(balls(fmi).path).run(0.4, 0.05, coupling="exchange")
    assert_close(run["second.h"], exact, 1e-13, "height", times=time)
    held = pair(balls(fmi).path).run(0.4, 0.05)
    assert 1e-5 < np.max(np.abs(held["second.h"] - exact)) < push * G * 0.05


@pytest.mark.parametrize("fmi", [2, 3])
@pytest.mark.parametrize("step", [0.05, 0.2])
def test_time_events_are_met(balls: Callable[[int], Ball], fmi: int, step: float) -> None:
    """A kick within a step acts at its time: the flights before and after it are exact."""
    at, kick = 0.27, 1.5
    run = pair(balls(fmi).path, kick=kick, kick_at=at).run(0.4, step, coupling="exchange")
    time = run.time
    exact = 1.0 - 0.5 * G * time**2 + np.where(time > at, kick * (time - at), 0.0)
    assert_close(run["first.h"], exact, 1e-13, "height", times=time)


@pytest.mark.parametrize("fmi", [2, 3])
def test_inputs_that_change_at_events_only(balls: Callable[[int], Ball], fmi: int) -> None:
    """In model exchange an input of variability discrete gets values at events: those of an output that changes
    continuously come at communication points, where the input then equals the output.
    """
    s = pair(balls(fmi).path)
    s.connect("first.h", "second.brake")
    s.connect("second.braked", "first.brake")
    run = s.run(1.0, 0.05, coupling="exchange")
    for name in ("second.braked", "first.braked"):
        assert run[name].tolist() == run["first.h"].tolist()


FIRST_BOUNCE = "0.451523641"
FAULTY: dict[str, tuple[Coupling, str, str]] = {  # with the time of the failure
    "rates fail": ("exchange", "0.3", r"fmi\d\w*Derivatives failed \(error\)"),
    "rates fatal": ("exchange", "0.3", r"fmi\d\w*Derivatives failed \(fatal error\)"),
    "rates nan": ("exchange", "0.3", "the rates of its states are not finite"),
    "rounds endless": ("exchange", FIRST_BOUNCE, "its events go on after 100 rounds"),
    "events endless": ("exchange", "0.29", "its events follow each other without end"),
    "ends": ("exchange", FIRST_BOUNCE, "it ended the run"),
    "step discarded": ("hold", "0.25", r"its step failed \(discard\)"),
    "start fails": ("exchange", "0", r"its initialization failed .*error"),
}


@pytest.mark.parametrize("fmi", [2, 3])
@pytest.mark.parametrize("fault", FAULTY)
def test_a_fault_names_element_and_time(balls: Callable[[int], Ball], fmi: int, fault: str) -> None:
    """A failing element is named with the time and the reason; the rows until then stay, and instances are freed.

    After a fatal error the standard forbids every call, also that which frees the instance.
    """
    ball, (coupling, time, words) = balls(fmi), FAULTY[fault]
    s = pair(ball.path)
    s.add("third", ball.path, fault=FAULTS.index(fault), fault_at=0.29)
    with pytest.raises(mbs.SimulationError, match=rf"^'third' \(ball\.fmu\) failed at {time} s: {words}") as info:
        s.run(1.0, 0.05, coupling=coupling)
    left = ball.left()
    assert left == {"instance": 1 if fault == "rates fatal" else 0, "state": 0}
    if fault != "start fails":
        assert len(info.value.result) == (10 if time == FIRST_BOUNCE else 6)


@pytest.mark.parametrize("fmi", [2, 3])
def test_ends_of_runs_in_co_simulation(balls: Callable[[int], Ball], fmi: int) -> None:
    """An FMU that ends the run in a step is named with that reason."""
    s = pair(balls(fmi).path, fault=FAULTS.index("ends"), fault_at=0.3)
    with pytest.raises(mbs.SimulationError, match=r"'first' \(ball\.fmu\) failed at \S+ s: it ended the run"):
        s.run(1.0, 0.05)


@pytest.mark.parametrize("method", ["rk4", "dopri5"])
def test_rates_that_are_not_finite_end_error_control(balls: Callable[[int], Ball], method: str) -> None:
    """Steps with error control become shorter before rates that are not finite, and then the element is named."""
    s = pair(balls(2).path, fault=FAULTS.index("rates nan"), fault_at=0.3)
    rtol = 1e-6 if method == "dopri5" else None
    with pytest.raises(mbs.SimulationError, match=r"'first' .* failed at 0\.3\d* s: the rates .* are not finite"):
        s.run(1.0, 0.05, coupling="exchange", method=method, rtol=rtol)


def test_an_fmu_that_cannot_save_its_state(balls: Callable[[int], Ball]) -> None:
    """It is refused for repeated steps, and exchanges and holds its inputs like others."""
    s = pair(balls(3).forgetful)
    with pytest.raises(
        mbs.ModelError, match=r"'first' \(forgetful\.fmu\) cannot save its state: use coupling='exchange' or"
    ):
        s.run(1.0, 0.05, coupling="iterate")
    for coupling in ("hold", "exchange"):
        assert len(s.run(0.2, 0.05, coupling=coupling)) == 5  # type: ignore[arg-type]


# -- Reference FMUs of the Modelica Association ----------------------------------------------------


def cart() -> mbs.Model:
    """A mass of 2 kg on a spring of 8 N/m, with a force as input."""
    m = mbs.Model("cart")
    body = m.body("body", joint=mbs.Prismatic("x"), mass=2.0)
    m.spring("spring", on=body, stiffness=8.0)
    m.motor("motor", on=body, force=m.input("push", unit="N"))
    m.output("x", mbs.coordinate(body), unit="m")
    m.start(body, q=0.1)
    return m


@pytest.fixture(scope="module")
def carts(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], Path]:
    pytest.importorskip("ziglang", reason="native FMUs need the package ziglang")
    folder = tmp_path_factory.mktemp("carts")

    def cart_fmu(fmi: int) -> Path:
        path = folder / f"cart{fmi}.fmu"
        options = {"fmi": f"{fmi}.0", "platforms": "host", "reference": False}
        return path if path.exists() else mbs.export(cart(), path, "native", stop_time=20.0, **options)  # type: ignore[arg-type]

    return cart_fmu


@pytest.mark.slow
@pytest.mark.parametrize("fmi", [2, 3])
def test_van_der_pol_beside_a_cart(carts: Callable[[int], Path], fmi: int) -> None:
    """The oscillator of the Reference FMUs, which pushes a cart, has the solution of both equations, with the order of
    the method. In co-simulation its own solver makes Euler steps of 10 ms, so it is 0.15 off in all couplings.
    """
    integrate = pytest.importorskip("scipy.integrate")
    s = mbs.System()
    s.add("oscillator", reference_fmu("VanDerPol", fmi))
    s.add("cart", carts(fmi))
    s.connect("oscillator.x0", "cart.push")

    def rate(t: float, y: np.ndarray) -> list[float]:
        return [y[1], (1.0 - y[0] ** 2) * y[1] - y[0], y[3], 0.5 * (y[0] - 8.0 * y[2])]

    exact = integrate.solve_ivp(rate, (0.0, 10.0), [2.0, 0.0, 0.1, 0.0], rtol=1e-12, atol=1e-13, dense_output=True)

    def errors(run: mbs.Result) -> np.ndarray:
        y = exact.sol(run.time)
        return np.array([np.max(np.abs(run["oscillator.x0"] - y[0])), np.max(np.abs(run["cart.x"] - y[2]))])

    found = [errors(s.run(10.0, step, coupling="exchange")) for step in (0.02, 0.01, 0.005)]
    assert np.all(found[0] < 1e-6)
    assert np.diff(np.log2(found), axis=0).ravel() == pytest.approx([-4.0] * 4, abs=0.15)
    assert np.all(errors(s.run(10.0, 0.05, coupling="exchange", method="dopri5", rtol=1e-8)) < 1e-7)
    for coupling in ("hold", "iterate"):
        assert 0.1 < errors(s.run(10.0, 0.01, coupling=coupling))[0] < 0.2  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.parametrize("fmi", [2, 3])
def test_reference_ball_beside_a_cart(carts: Callable[[int], Path], fmi: int) -> None:
    """The ball of the Reference FMUs bounces at the times of its parabolas, until it comes to rest."""
    s = mbs.System()
    s.add("ball", reference_fmu("BouncingBall", fmi))
    s.add("cart", carts(fmi))
    s.connect("ball.h", "cart.push", factor=1.0)
    run = s.run(3.0, 0.01, coupling="exchange")
    height, bounces = flight(run.time, least=0.1)
    assert_close(run["ball.h"], height, 1e-11, "height", times=run.time)
    assert run.statistics["events"] == bounces


@pytest.mark.slow
@pytest.mark.parametrize("fmi", [2, 3])
@pytest.mark.parametrize("coupling", ["hold", "iterate", "exchange"])
def test_reference_stair(fmi: int, coupling: Coupling) -> None:
    """An integer that counts seconds passes to an FMU that takes it at events only; at ten the FMU ends the run."""
    s = mbs.System()
    s.add("stair", reference_fmu("Stair", fmi))
    s.add("through", reference_fmu("Feedthrough", fmi))
    s.connect("stair.counter", "through.Int32_input")
    run = s.run(8.0, 0.25, coupling=coupling)
    for name in ("stair.counter", "through.Int32_output"):
        assert run[name].tolist() == [1 + k // 4 for k in range(33)]
    with pytest.raises(mbs.SimulationError, match=r"'stair' \(Stair\.fmu\) failed at \S+ s: it ended the run"):
        s.run(12.0, 0.25, coupling=coupling)


@pytest.mark.slow
@pytest.mark.parametrize("fmi", [2, 3])
def test_reference_feedthrough(fmi: int) -> None:
    """The solution of Dahlquist's equation, through an input without a delay; also through one that changes at events
    only, which follows at communication points.
    """
    s = mbs.System()
    s.add("decay", reference_fmu("Dahlquist", fmi))
    s.add("through", reference_fmu("Feedthrough", fmi))
    for kind in ("continuous", "discrete"):
        s.connect("decay.x", f"through.Float64_{kind}_input")
    run = s.run(2.0, 0.01, coupling="exchange")
    for name in ("decay.x", "through.Float64_continuous_output", "through.Float64_discrete_output"):
        assert_close(run[name], np.exp(-run.time), 1e-10, name, times=run.time)


@pytest.mark.slow
def test_reference_state_space() -> None:
    """States that are an array count with all elements: dx/dt = x + u and y = x + u with u = (1, 2, 3)."""
    s = mbs.System()
    s.add("space", reference_fmu("StateSpace", 3))
    run = s.run(1.0, 0.01, coupling="exchange")
    assert_close(run["space.y"], np.exp(run.time)[:, None] * [1.0, 2.0, 3.0], 1e-8, "y", times=run.time)
