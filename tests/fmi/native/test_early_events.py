"""Native FMUs, FMI 3.0 co-simulation: importers with event mode are told of events, and return early to them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fmpy import simulate_fmu

import mbs_fmu as mbs
from support.hosts.native_instances import TICK, Guest, guest

pytest.importorskip("ziglang", reason="native FMUs need the package ziglang")
pytestmark = pytest.mark.slow

RK4 = {"method": "rk4", "step": TICK}
FINE = {"method": "rk4", "step": TICK / 4}
DOPRI5 = {"method": "dopri5", "rtol": 1e-10, "atol": 1e-12}
COUNT = 384
TOLD = {"eventModeUsed": True, "earlyReturnAllowed": True}


def ball() -> mbs.Model:
    """Bounces on a floor, and comes to rest after 2.56 s."""
    m = mbs.Model("ball")
    m.body("ball", joint=mbs.Prismatic("z"), mass=2.0)
    m.contact("floor", "world", "ball", mbs.OnPlane("z"), restitution=0.7)
    m.start("ball", q=1.0)
    m.output("mode", mbs.mode("floor"))
    return m


def block() -> mbs.Model:
    """A block on a spring, which friction holds at times, and a brake as strong as an input."""
    m = mbs.Model("block", gravity=(0, 0, 0))
    press = m.input("press", start=1.0, unit="N")
    cart = m.body("block", joint=mbs.Prismatic("x"), mass=1.0)
    m.spring("spring", on=cart, stiffness=40.0)
    m.motor("shaker", on=cart, force=3.0 * mbs.sin(5.0 * mbs.time))
    m.friction("brake", on=cart, force=mbs.max(press, 0.0), stick=True)
    m.start(cart, q=0.1)
    m.output("mode", mbs.mode("brake"))
    return m


def hopper() -> mbs.Model:
    """Thrown back by an event with a reset, driven by a force that is sampled, with a pendulum that strikes a stop."""
    m = mbs.Model("hopper")
    m.body("ball", joint=mbs.Prismatic("z"), mass=2.0)
    m.start("ball", q=1.0)
    m.event("bounce", mbs.coordinate("ball"), direction=-1, reset={"ball.v": -0.8 * mbs.rate("ball")})
    push = m.sampled("push", 0.0301, 1.0 - mbs.rate("ball"), offset=0.01)
    m.motor("jet", on="ball", force=push)
    arm = m.body("arm", "ball", mbs.Revolute("y"), mass=1.0, com=(0.3, 0, 0), inertia=(0.01, 0.01, 0.01))
    m.contact("stop", "ball", arm, mbs.OnPlane("x"), at_b=(0, 0, 0.3), restitution=0.5)
    m.start(arm, q=0.3, u=-2.0)
    m.output("mode", mbs.mode("stop"))
    return m


def regulated() -> mbs.Model:
    """A cart and a controller in dyadic periods."""
    m = mbs.Model("regulated", gravity=(0, 0, 0))
    cart = m.body("cart", joint=mbs.Prismatic("x"), mass=2.0)
    integral = m.sampled("integral", 4 * TICK, lambda i: i + 4 * TICK * (0.5 - mbs.coordinate(cart)))
    force = 40.0 * (0.5 - mbs.coordinate(cart)) + 20.0 * integral - 10.0 * mbs.rate(cart)
    m.motor("drive", on=cart, force=m.sampled("force", 2 * TICK, force))
    return m


def jointed() -> mbs.Model:
    """A block that is pushed along and falls on a floor, with an arm on a joint that rubs; its reactions are read."""
    m = mbs.Model("jointed")
    block = m.body("block", joint=mbs.Compound(mbs.slide("x"), mbs.slide("z")), mass=2.0)
    m.start(block, q=(0.0, 0.5), u=(1.0, 0.0))
    m.contact("floor", "world", block, mbs.OnPlane("z"), restitution=0.5)
    m.motor("push", on=block, coordinate=1, force=m.sampled("force", 0.0301, 1.0 - mbs.rate(block, 2), offset=0.01))
    m.friction("rub", on=block, coordinate=1, force=1.5, stick=True)
    arm = m.body("arm", block, mbs.Revolute("y"), mass=1.0, com=(0.3, 0, 0), inertia=(0.01, 0.01, 0.01))
    m.friction("joint", on=arm, torque=0.5, stick=True)
    rod = m.body("rod", arm, mbs.Revolute("y"), 1.0, (0.3, 0, 0), inertia=(0.01, 0.01, 0.01), at=(0.6, 0, 0))
    m.contact("tip", "world", rod, mbs.OnPlane("z"), at_b=(0.6, 0, 0), restitution=0.3)
    m.start(arm, q=-0.2, u=1.0)
    m.output("bears", mbs.multiplier("floor"))
    return m


MODELS = {m.__name__: m for m in (ball, block, hopper, regulated)}
Build = Callable[..., Path]


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """FMUs by model and settings, each built once."""
    folder, built = tmp_path_factory.mktemp("early"), {}

    def path(model: str, **settings: Any) -> Path:
        key = (model, *settings.items())
        if key not in built:
            name = folder / str(len(built)) / f"{model}.fmu"
            name.parent.mkdir()
            built[key] = mbs.export(
                MODELS[model](), name, "native", fmi="3.0", platforms="host", stop_time=2.0, **settings
            )
        return built[key]

    return path


# -- hosts ---------------------------------------------------------------------------------------------------


@dataclass
class Run:
    """What an importer has seen: all values at communication points, before event mode there; where events were, what
    was read before event mode and in it; whether the step had ended early, states that were saved meanwhile."""

    rows: list[np.ndarray] = field(default_factory=list)
    events: list[float] = field(default_factory=list)
    early: list[bool] = field(default_factory=list)
    before: list[np.ndarray] = field(default_factory=list)
    behind: list[np.ndarray] = field(default_factory=list)
    saved: list[tuple[float, bytes]] = field(default_factory=list)


def saved_state(host: Guest) -> tuple[float, bytes]:
    state = host.slave.getFMUState()
    data = host.slave.serializeFMUState(state)
    host.slave.freeFMUState(state)
    return host.time, data


def restore(host: Guest, saved: tuple[float, bytes]) -> None:
    host.time, data = saved
    state = host.slave.deserializeFMUState(data)
    host.slave.setFMUState(state)
    host.slave.freeFMUState(state)


def handle(host: Guest) -> None:
    """What an importer does in event mode; nothing is left to be done there, states are none of co-simulation."""
    assert host.slave.updateDiscreteStates() == (False, False, False, False, False, 0.0)
    host.slave.enterStepMode()


def advance(host: Guest, run: Run, last: int = COUNT, save: bool = False) -> Run:
    """From where the host stands to a communication point, with events as the FMU asks for them."""
    names = list(host.references)
    for k in range(int(host.time / TICK), last):
        while host.time < (k + 1) * TICK:
            start = host.time
            event, over, early, reached = host.step((k + 1) * TICK - start)
            assert start < reached == host.get("time")[0] and not over
            assert early == (reached < (k + 1) * TICK)
            if not early:
                run.rows.append(host.get(*names))
            if event:
                run.events.append(reached)
                run.early.append(early)
                run.before.append(host.get(*names))
                run.saved += [saved_state(host)] * save
                host.slave.enterEventMode()
                assert np.array_equal(host.get(*names), run.before[-1], equal_nan=True)
                run.saved += [saved_state(host)] * save
                handle(host)
                run.behind.append(host.get(*names))
            else:
                assert not early
    return run


def told(path: Path, save: bool = False, **options: Any) -> Run:
    """A run of an importer with event mode, and leave to return early unless `options` say otherwise."""
    with guest(path, **{**TOLD, **options}) as host:
        host.start()
        handle(host)
        return advance(host, Run(), save=save)


def untold(path: Path, **options: Any) -> Run:
    """The same without event mode."""
    with guest(path, **options) as host:
        run = advance(host.start(), Run())
    assert not run.events
    return run


def known_events(model: str, settings: dict[str, Any]) -> np.ndarray:
    """When `simulate` has modes change, events met and signals sampled."""
    result = mbs.simulate(MODELS[model](), COUNT * TICK, output_interval=TICK, **settings)
    samples = {"hopper": 0.01 + 0.0301 * np.arange(100), "regulated": 2 * TICK * np.arange(1, COUNT // 2 + 1)}
    found = [result.switches["time"], *result.events.values(), samples.get(model, np.array([]))]
    times = np.unique(np.concatenate(found))
    return times[times <= COUNT * TICK]


# -- laws ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("settings", [RK4, DOPRI5], ids=["rk4", "dopri5"])
@pytest.mark.parametrize("model", MODELS)
def test_the_run_is_the_one_without_event_mode(build: Build, model: str, settings: dict[str, Any]) -> None:
    """Bit for bit with error control, and where the communication step is no longer than the fixed internal one; events
    are at the times of `simulate`."""
    path = build(model, **settings)
    run, wanted = told(path), untold(path)
    assert np.array_equal(run.rows, wanted.rows, equal_nan=True)
    times = known_events(model, settings)
    assert len(times) == len(run.events) > 3
    assert np.abs(times - run.events).max() < 1e-11


def test_reading_changes_no_later_number(tmp_path: Path) -> None:
    """Velocities read first, and again behind everything else and a directional derivative: the same bits, wherever a
    step has ended early, in event mode and behind it."""
    path = mbs.export(jointed(), tmp_path / "jointed.fmu", "native", fmi="3.0", platforms="host", stop_time=0.6, **RK4)
    with guest(path, **TOLD) as host:
        speeds = [name for name in host.references if name.rpartition(".")[2] in ("u[1]", "u[2]", "w")]
        assert len(speeds) == 4
        reads = 0

        def read() -> None:
            nonlocal reads
            first = host.get(*speeds)
            every = host.get(*host.references)
            assert np.array_equal(host.get(*speeds), first)
            bears, time = host.references["bears"], host.references["time"]
            host.slave.getDirectionalDerivative([bears], [time], [1.0], 1)
            assert np.array_equal(host.get(*speeds), first)
            assert np.array_equal(host.get(*host.references), every, equal_nan=True)
            reads += 1

        host.start()
        handle(host)
        while host.time < 64 * TICK:
            event, *_ = host.step((np.floor(host.time / TICK) + 1.0) * TICK - host.time)
            read()
            if event:
                host.slave.enterEventMode()
                read()
                host.slave.updateDiscreteStates()
                read()
                host.slave.enterStepMode()
                read()
        assert reads > 80


@pytest.mark.parametrize("model", ["block", "hopper"])
def test_internal_steps_count_anew_from_an_event(build: Build, model: str) -> None:
    """Several fixed steps in a communication step: the same up to the error of the method and of rounding."""
    path = build(model, **FINE)
    rows, wanted = np.array(told(path).rows), np.array(untold(path).rows)
    assert np.nanmax(np.abs(rows - wanted)) < 1e-8
    times = known_events(model, FINE)
    assert np.abs(times - told(path).events).max() < 1e-9


@pytest.mark.parametrize("settings", [RK4, DOPRI5], ids=["rk4", "dopri5"])
def test_event_mode_makes_what_is_due(build: Build, settings: dict[str, Any]) -> None:
    """Before it values are those before the event, in it those behind."""
    path = build("ball", **settings)
    run = told(path)
    with guest(path) as host:
        place = list(host.references).index("ball.v")
    before, behind = (np.array(rows)[:4, place] for rows in (run.before, run.behind))
    assert before == pytest.approx(-np.sqrt(2 * 9.81) * 0.7 ** np.arange(4), abs=1e-9)
    assert behind == pytest.approx(-0.7 * before, abs=1e-9)


def test_events_on_the_end_of_a_step(build: Build) -> None:
    """Samples at communication points end no step early; what is sampled is there behind event mode."""
    path = build("regulated", **RK4)
    for early in (False, True):
        run = told(path, earlyReturnAllowed=early)
        assert run.events == [2 * TICK * k for k in range(1, COUNT // 2 + 1)] and not any(run.early)
    result = mbs.simulate(regulated(), COUNT * TICK, output_interval=TICK, **RK4)
    with guest(path) as host:
        place = list(host.references).index("force")
    assert np.array_equal(np.array(run.before)[:, place], result["force"][2::2])
    assert np.array_equal(np.array(run.behind)[:-1, place], result["force"][3::2])


@pytest.mark.parametrize("settings", [RK4, FINE, DOPRI5], ids=["rk4", "fine", "dopri5"])
def test_without_leave_to_return_early(build: Build, settings: dict[str, Any]) -> None:
    """Events within a step are made inside as without event mode, bit for bit; none is told."""
    path = build("hopper", **settings)
    run = told(path, earlyReturnAllowed=False)
    assert not run.events
    assert np.array_equal(run.rows, untold(path).rows, equal_nan=True)


def test_without_event_mode_nothing_changes(build: Build) -> None:
    """With leave to return early alone no step does, and the numbers are those of `simulate`, bit for bit."""
    path = build("hopper", **FINE)
    run = untold(path, earlyReturnAllowed=True)
    result = mbs.simulate(hopper(), COUNT * TICK, output_interval=TICK, **FINE)
    with guest(path) as host:
        names = list(host.references)
    for name in result.columns[1:]:
        assert np.array_equal(np.array(run.rows)[:, names.index(name)], result[name][1:]), name


@pytest.mark.parametrize("settings", [RK4, DOPRI5], ids=["rk4", "dopri5"])
@pytest.mark.parametrize("model", ["ball", "hopper"])
def test_states_saved_at_events(build: Build, model: str, settings: dict[str, Any]) -> None:
    """Saved where a step ended early, or in event mode before anything was done there: the same future, bit for bit."""
    path = build(model, **settings)
    run = told(path, save=True)
    with guest(path, **TOLD) as host:
        host.start()
        for k in range(0, len(run.events), 7):
            first = int(run.events[k] / TICK)
            last = min(first + 40, COUNT)
            for number, saved in enumerate(run.saved[2 * k : 2 * k + 2]):
                restore(host, saved)
                if number == 0:
                    host.slave.enterEventMode()
                handle(host)
                assert np.array_equal(host.get(*host.references), run.behind[k], equal_nan=True)
                first += not run.early[k] and number == 0
                rows = advance(host, Run(), last).rows
                assert np.array_equal(rows, run.rows[first:last], equal_nan=True)


def test_an_importer_may_leave_out_event_mode(build: Build) -> None:
    """What it does not handle the next step does, with the same numbers."""
    path = build("hopper", **RK4)
    rows = []
    with guest(path, **TOLD) as host:
        host.start()
        host.slave.enterStepMode()
        for k in range(COUNT):
            while host.time < (k + 1) * TICK:
                host.step((k + 1) * TICK - host.time)
            rows.append(host.get(*host.references))
    assert np.array_equal(rows, untold(path).rows, equal_nan=True)


def test_inputs_end_modes_in_event_mode(build: Build) -> None:
    """A brake that an input opens or closes there: its mode is the new one at once, the run that of a step."""
    path = build("block", **RK4)
    with guest(path, **TOLD) as host, guest(path) as plain:
        host.start(press=1e3)
        plain.start(press=1e3)
        handle(host)
        for k, (press, holds) in enumerate([(1e3, True), (0.0, False), (0.0, False), (1e3, False), (1e3, True)]):
            host.slave.enterEventMode()
            host.set(press=press)
            handle(host)
            plain.set(press=press)
            assert (host.get("mode")[0] == 0.0) == holds
            run = advance(host, Run(), k + 1)
            plain.step()
            assert len(run.events) == (k == 3)  # the brake stops the block within this step
            assert np.array_equal(host.get("block.s", "block.v", "mode"), plain.get("block.s", "block.v", "mode"))


def test_intermediate_updates_go_on(build: Build) -> None:
    """The importer is told of every internal step, and last of the event's time, where it can't ask for a return."""
    times: list[tuple[float, bool]] = []

    def update(env: Any, time: float, may_set: bool, may_get: bool, done: bool, may_return: bool, *answer: Any) -> None:
        times.append((time, may_return))

    with guest(build("ball", **FINE), **TOLD, intermediateUpdate=update) as host:
        host.start()
        handle(host)
        event, _, early, reached = host.step(0.5)
    assert event and early and reached == pytest.approx(np.sqrt(2 / 9.81), abs=1e-12)
    assert times[-1] == (reached, False) and all(may for _, may in times[:-1])
    assert len(times) == int(reached / (TICK / 4)) + 1


def test_events_at_steps_only_are_not_told(tmp_path: Path) -> None:
    """With events="steps" modes change where internal steps end, as without event mode."""
    path = mbs.export(ball(), tmp_path / "ball.fmu", "native", fmi="3.0", platforms="host", events="steps", **FINE)
    run = told(path)
    assert not run.events
    assert np.array_equal(run.rows, untold(path).rows, equal_nan=True)


def test_fmpy_handles_events(build: Build) -> None:
    """fmpy's own loop with event mode and early returns: it records both sides of each event, at `simulate`'s times."""
    path = build("ball", **DOPRI5)
    result = mbs.simulate(ball(), 2.0, output_interval=0.01, **DOPRI5)
    found = simulate_fmu(
        str(path), stop_time=2.0, output_interval=0.01, use_event_mode=True, early_return_allowed=True,
        output=["ball.s", "ball.v"], relative_tolerance=1e-10,
    )  # fmt: skip
    twice = found["time"][1:][np.diff(found["time"]) == 0.0]
    assert np.abs(twice - result.switches["time"]).max() < 1e-9
    after = np.searchsorted(found["time"], result.time - 1e-9)
    assert np.abs(found["time"][after] - result.time).max() < 1e-9
    assert np.abs(found["ball.s"][after] - result["ball.s"]).max() < 1e-9
