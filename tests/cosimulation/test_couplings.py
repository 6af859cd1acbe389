"""Laws of coupled systems, on elements in plain Python: orders, consistency, independence of the order of elements."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.cosimulation.coupling import Coupling
from support.comparisons import assert_close
from support.hosts.law_elements import Law, Laws
from support.models.two_masses import START, WALLS, exact

pytestmark = pytest.mark.quick

STEPS = (0.02, 0.01, 0.005)  #: s
LINKS = {"right.x": "left.x", "right.v": "left.v", "left.force": "right.force"}


@pytest.fixture
def laws(monkeypatch: pytest.MonkeyPatch) -> Laws:
    return Laws(monkeypatch)


def two_masses(c: float, d: float, **abilities: bool) -> dict[str, Law]:
    """Unit masses at walls; the right element has the spring and damper between them."""
    k, damping, other = WALLS

    def force(x: np.ndarray, u: dict[str, float]) -> float:
        return c * (x[0] - u["x"]) + d * (x[1] - u["v"])

    left = Law(
        ["force"], lambda x, u: {"x": x[0], "v": x[1]}, ["x", "v"],
        lambda x, u: [x[1], u["force"] - k * x[0] - damping * x[1]], [START, 0.0], {"x": [], "v": []}, **abilities,
    )  # fmt: skip
    right = Law(
        ["x", "v"], lambda x, u: {"force": force(x, u)}, ["force"],
        lambda x, u: [x[1], -force(x, u) - other * x[0]], [0.0, 0.0], {"force": ["x", "v"]}, **abilities,
    )  # fmt: skip
    return {"left": left, "right": right}


def error(laws: Laws, c: float, d: float, step: float, coupling: Coupling, span: float, **abilities: bool) -> float:
    run = laws(two_masses(c, d, **abilities), LINKS).run(span, step, coupling=coupling)
    return float(np.max(np.abs(run["left.x"] - exact(c, d, run.time))))


@pytest.mark.parametrize(
    ("coupling", "abilities", "largest", "order"),
    [
        ("hold", {}, 1.5e-2, 1.0),
        ("extrapolate", {}, 1.2e-3, 2.0),
        ("iterate", {}, 2.5e-4, 2.0),
        ("iterate", {"interpolates": False}, 3e-4, 2.0),
        ("iterate", {"interpolates": False, "divides": False}, 5e-4, 2.0),
        ("exchange", {}, 2e-6, 4.0),
    ],
    ids=["hold", "extrapolate", "linear", "halves", "mean", "exchange"],
)
def test_orders(laws: Laws, coupling: Coupling, abilities: dict[str, bool], largest: float, order: float) -> None:
    """Held inputs have order one; extrapolated and iterated ones have order two, with the designed errors at 10 ms;
    model exchange has that of its method.
    """
    errors = [error(laws, 100.0, 1.0, step, coupling, 0.4, **abilities) for step in STEPS]
    assert errors[1] < largest
    assert np.diff(np.log2(errors)) == pytest.approx([-order] * 2, abs=0.15)


@pytest.mark.parametrize("abilities", [{}, {"interpolates": False}], ids=["linear", "halves"])
def test_stiff_coupling(laws: Laws, abilities: dict[str, bool]) -> None:
    """Held inputs make a stiff coupling unstable, which is refused; iterated ones make it accurate."""
    with pytest.raises(
        mbs.SimulationError, match=r"values grow from step to step \('(left|right)\.\w+' \S+ at \S+ s\)"
    ) as info:
        error(laws, 1e4, 10.0, 0.01, "hold", 1.0)
    assert "the coupling 'hold' is unstable at steps of 0.01 s; use coupling='iterate'" in str(info.value)
    assert len(info.value.result) >= 10  # the rows until then
    assert error(laws, 1e4, 10.0, 0.005, "iterate", 0.4, **abilities) < 6e-3


def random_laws(rng: np.random.Generator, count: int, is_loop: bool) -> tuple[dict[str, Law], dict[str, str]]:
    """Linear elements with random feedthrough, and connections of every input.

    Without loops, outputs with feedthrough go to later elements only.
    """
    laws, links = {}, {}
    names = [f"e{k}" for k in range(count)]
    for k, name in enumerate(names):
        A, B = -np.eye(2) + 0.3 * rng.normal(size=(2, 2)), rng.normal(size=(2, 2))
        C, D = rng.normal(size=(2, 2)), np.array([[0.0, 0.0], 0.3 * rng.normal(size=2)])
        laws[name] = Law(
            ["a", "b"], lambda x, u, C=C, D=D: dict(zip("sd", C @ x + D @ [u["a"], u["b"]], strict=True)), ["s", "d"],
            lambda x, u, A=A, B=B: A @ x + B @ [u["a"], u["b"]], rng.normal(size=2), {"s": [], "d": ["a", "b"]},
        )  # fmt: skip
        for port in "ab":
            through = k > 0 and (is_loop or rng.random() < 0.6)
            other = int(rng.integers(count if is_loop else k)) if through else int(rng.integers(count))
            links[f"{name}.{port}"] = f"{names[other]}.{'d' if through else 's'}"
    return laws, links


@pytest.mark.parametrize("is_loop", [False, True], ids=["chains", "loops"])
@pytest.mark.parametrize("seed", range(6))
def test_inputs_equal_their_sources(laws: Laws, is_loop: bool, seed: int) -> None:
    """After a step each input equals the output that it is connected to, through chains and loops of feedthrough."""
    elements, links = random_laws(np.random.default_rng(seed), 5, is_loop)
    laws(elements, links).run(0.2, 0.1)
    for target, source in links.items():
        (name, port), (other, output) = target.split("."), source.split(".")
        element = laws.instances[other]
        given = element.law.outputs(element.x, element.u)[output]
        assert_close(laws.instances[name].u[port], given, 1e-9, f"{target} <- {source}")


@pytest.mark.parametrize("coupling", ["hold", "extrapolate", "iterate", "exchange"])
def test_order_of_elements_changes_no_bit(laws: Laws, coupling: Coupling) -> None:
    """Elements and connections can be given in any order."""
    elements, links = random_laws(np.random.default_rng(3), 3, False)
    first: dict[str, bytes] = {}
    for order in permutations(elements):
        ends = sorted(links, key=lambda target: (order.index(target[:2]), target))
        system = laws({name: elements[name] for name in order}, {t: links[t] for t in ends})
        run = system.run(1.0, 0.1, coupling=coupling)
        values = {name: run[name].tobytes() for name in sorted(run.columns)}
        first = first or values
        assert values == first, order


def gain(k: float, offset: float = 0.0) -> Law:
    """An element without states: y = k u + offset."""
    return Law(["u"], lambda x, u: {"y": k * u["u"] + offset}, ["y"])


def test_loop_without_solution_is_refused(laws: Laws) -> None:
    """Two outputs that cannot agree are refused with their names."""
    system = laws({"a": gain(1.0, 1.0), "b": gain(1.0)}, {"a.u": "b.y", "b.u": "a.y"})
    message = r"the outputs 'a\.y' and 'b\.y' depend on each other without a delay.*do not converge \(residual"
    with pytest.raises(mbs.SimulationError, match=message):
        system.run(1.0, 0.1)


def test_stiff_loop_is_solved(laws: Laws) -> None:
    """A loop whose repetition diverges is solved by Newton's method: y = 1 - 50 y."""
    run = laws({"a": gain(-50.0, 1.0), "b": gain(1.0)}, {"a.u": "b.y", "b.u": "a.y"}).run(0.1, 0.1)
    assert_close(run["a.y"], np.full(2, 1.0 / 51.0), 1e-9, "a.y")


@pytest.mark.parametrize(("level", "is_refused"), [(1e7, False), (np.nan, True), (np.inf, True)])
def test_a_jump_is_no_divergence(laws: Laws, level: float, is_refused: bool) -> None:
    """A large value that comes at once, such as a force at an impact, is no growth; values must be finite."""
    jump = Law([], lambda x, u: {"y": level if x[0] > 0.55 else 0.0}, ["y"], lambda x, u: [1.0], [0.0], {"y": []})
    system = laws({"jump": jump, "sink": gain(0.0)}, {"sink.u": "jump.y"})
    if is_refused:
        with pytest.raises(mbs.SimulationError, match=r"'jump\.y' (nan|inf) at 0\.6 s"):
            system.run(2.0, 0.1)
    else:
        assert system.run(2.0, 0.1)["jump.y"][-1] == level


def test_energy_of_a_coupling_is_that_which_the_system_gains(laws: Laws) -> None:
    """Two free inertias with a spring between their flanges: held torques add the energy that the statistics give, to
    first order in the step; iteration adds none, and has no such measure.
    """
    c = 40.0
    inertia = Law(
        ["tau"], lambda x, u: {"phi": x[0], "w": x[1]}, ["phi", "w"], lambda x, u: [x[1], u["tau"]], [0.3, 0.0],
        {"phi": [], "w": []},
    )  # fmt: skip
    other = Law(inertia.inputs, inertia.outputs, inertia.names, inertia.rate, [0.0, 0.0], inertia.feedthrough)
    spring = Law(
        ["p1", "w1", "p2", "w2"],
        lambda x, u: {"t1": c * (u["p2"] - u["p1"]), "t2": c * (u["p1"] - u["p2"])}, ["t1", "t2"],
    )  # fmt: skip
    links = {"c.p1": "a.phi", "c.w1": "a.w", "c.p2": "b.phi", "c.w2": "b.w", "a.tau": "c.t1", "b.tau": "c.t2"}
    system = laws({"a": inertia, "b": other, "c": spring}, links)
    system.flanges["a - b"] = [("a.tau", "c.w1"), ("b.tau", "c.w2")]

    def gained(run: mbs.Result) -> float:
        energy = 0.5 * (run["a.w"] ** 2 + run["b.w"] ** 2 + c * (run["a.phi"] - run["b.phi"]) ** 2)
        return float(energy[-1] - energy[0])

    run, again = system.run(0.2, 0.002), system.run(0.2, 0.002, coupling="iterate")
    assert gained(run) > 0.01
    assert run.statistics["coupling_energy"]["a - b"] == pytest.approx(gained(run), rel=0.02)
    assert "coupling_energy" not in again.statistics and abs(gained(again)) < 1e-4


@pytest.mark.parametrize(
    ("coupling", "abilities", "message"),
    [
        (
            "extrapolate",
            {"interpolates": False},
            "'left' takes no slopes of inputs: use coupling='exchange' or 'iterate'",
        ),
        ("iterate", {"saves": False}, r"'left' \(left\.fmu\) cannot save its state: use coupling='exchange' or 'ex"),
        ("exchange", {"exchanges": False}, r"'left' \(left\.fmu\) has no model exchange: use coupling='iterate'"),
        ("jacobi", {}, "coupling is 'jacobi': use 'hold', 'extrapolate', 'iterate', 'exchange'"),
    ],
)
def test_couplings_that_elements_lack(laws: Laws, coupling: Coupling, abilities: dict[str, bool], message: str) -> None:
    """A coupling that an element does not support is refused with the element and the remedy."""
    with pytest.raises(mbs.ModelError, match=message):
        laws(two_masses(100.0, 1.0, **abilities), LINKS).run(1.0, 0.1, coupling=coupling)


def test_an_interrupted_run_keeps_its_rows(laws: Laws) -> None:
    """Ctrl-C raises Interrupted with the rows until then."""

    def rate(x: np.ndarray, u: dict[str, float]) -> list[float]:
        if x[0] > 0.55:
            raise KeyboardInterrupt
        return [1.0]

    system = laws({"clock": Law([], lambda x, u: {"y": x[0]}, ["y"], rate, [0.0], {"y": []})}, {})
    with pytest.raises(mbs.Interrupted, match="laws: interrupted; the result until then") as info:
        system.run(2.0, 0.1)
    assert len(info.value.result) == 6


def test_model_exchange_locates_events(laws: Laws) -> None:
    """A ball that bounces without loss, beside an element that only reads its height, follows its parabolas."""
    g, height = 9.81, 1.0
    ball = Law(
        ["push"], lambda x, u: {"h": x[0]}, ["h"], lambda x, u: [x[1], u["push"] - g], [height, 0.0], {"h": []},
        indicators=lambda x, u: [x[0]], event=lambda x: [0.0, abs(x[1])],
    )  # fmt: skip
    fan = Law(["h"], lambda x, u: {"push": 0.0 * u["h"]}, ["push"])
    run = laws({"ball": ball, "fan": fan}, {"ball.push": "fan.push", "fan.h": "ball.h"}).run(
        2.0, 0.08, coupling="exchange"
    )
    fall = np.sqrt(2.0 * height / g)
    since = (run.time + fall) % (2.0 * fall)
    assert_close(run["ball.h"], g * since * (fall - 0.5 * since), 1e-10, "height", times=run.time)
    assert run.statistics["events"] >= 2 and run.statistics["method"] == "rk4"


@pytest.mark.parametrize("names", [("ball", "latch"), ("ball", "a latch")])
def test_an_event_reaches_other_elements(laws: Laws, names: tuple[str, str]) -> None:
    """An element that decides with a value which the event of another one changes does so in the same event, whichever
    of them comes first, and also if nobody asks for another round.
    """
    ball, latch = names
    falling = Law(
        [], lambda x, u: {"v": x[1]}, ["v"], lambda x, u: [x[1], -9.81], [1.0, 0.0], {"v": []},
        indicators=lambda x, u: [x[0] if x[1] < 0.0 else 1.0], event=lambda x: [0.0, -0.5 * x[1]], asks=False,
    )  # fmt: skip
    rising = Law(
        ["v"], lambda x, u: {"latched": x[0]}, ["latched"], lambda x, u: [0.0], [0.0], {"latched": []},
        indicators=lambda x, u: [-u["v"] if x[0] == 0.0 else 1.0], event=lambda x: [1.0], asks=False,
    )  # fmt: skip
    run = laws({ball: falling, latch: rising}, {f"{latch}.v": f"{ball}.v"}).run(1.0, 0.1, coupling="exchange")
    assert run[f"{latch}.latched"].tolist() == [0.0] * 5 + [1.0] * 6


def test_chatter_in_model_exchange_ends(laws: Laws, monkeypatch: pytest.MonkeyPatch) -> None:
    """A switch without hysteresis, which another element turns back at once, ends the run with its time."""
    monkeypatch.setattr("mbs_fmu.cosimulation.exchange.MOST_EVENTS", 20)
    moving = Law(["back"], lambda x, u: {"x": x[0]}, ["x"], lambda x, u: [1.0 - 2.0 * u["back"]], [0.0], {"x": []})
    relay = Law(
        ["x"], lambda x, u: {"on": x[0]}, ["on"], lambda x, u: [0.0], [0.0], {"on": []},
        indicators=lambda x, u: [(0.5123 - u["x"]) * (1.0 - 2.0 * x[0])], event=lambda x: [1.0 - x[0]], asks=False,
    )  # fmt: skip
    system = laws({"moving": moving, "relay": relay}, {"relay.x": "moving.x", "moving.back": "relay.on"})
    with pytest.raises(mbs.SimulationError, match=r"'relay' .*0\.5.*its events follow each other without end"):
        system.run(1.0, 0.1, coupling="exchange")


def test_error_control_in_model_exchange(laws: Laws) -> None:
    """With dopri5 and a tolerance, the error of a stiff pair follows the tolerance, whatever the step of the system."""
    errors = []
    for rtol in (1e-4, 1e-6, 1e-8):
        system = laws(two_masses(1e4, 10.0), LINKS)
        run = system.run(0.4, 0.1, coupling="exchange", method="dopri5", rtol=rtol)
        errors.append(np.max(np.abs(run["left.x"] - exact(1e4, 10.0, run.time))) / START)
        assert errors[-1] < 20.0 * rtol
    assert errors[2] < 1e-3 * errors[0]
    fixed = []
    for step in (0.02, 0.01):
        run = laws(two_masses(100.0, 1.0), LINKS).run(0.4, step, coupling="exchange", method="dopri5")
        fixed.append(np.max(np.abs(run["left.x"] - exact(100.0, 1.0, run.time))))
    assert np.log2(fixed[0] / fixed[1]) == pytest.approx(5.0, abs=0.5)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"method": "dopri5"}, "method and rtol are for coupling='exchange'"),
        ({"coupling": "exchange", "method": "gauss4"}, "method is 'gauss4': use 'rk4' or 'dopri5'"),
        ({"coupling": "exchange", "rtol": 1e-6}, "error control needs method='dopri5'"),
        ({"coupling": "exchange", "method": "dopri5", "rtol": -1.0}, "rtol is -1.0: give a positive number"),
    ],
)
def test_methods_that_do_not_fit(laws: Laws, settings: dict[str, Any], message: str) -> None:
    """Methods and tolerances that a coupling does not have are refused."""
    with pytest.raises(mbs.ModelError, match=message):
        laws(two_masses(100.0, 1.0), LINKS).run(1.0, 0.1, **settings)
