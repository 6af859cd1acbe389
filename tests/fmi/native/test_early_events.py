"""Native FMUs in FMI 3.0 co-simulation: events, event mode and early return."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fmpy import simulate_fmu
from fmpy.fmi1 import FMICallException

import mbs_fmu as mbs
from support.comparisons import assert_close
from support.hosts.fmus import Builder
from support.hosts.native_instances import TICK, Guest, guest

pytest.importorskip("ziglang", reason="native FMUs need the package ziglang")
pytestmark = pytest.mark.slow

RK4 = {"method": "rk4", "step": TICK}
FINE = {"method": "rk4", "step": TICK / 4}
DOPRI5 = {"method": "dopri5", "rtol": 1e-10, "atol": 1e-12}
COUNT = 384
TOLD = {"eventModeUsed": True, "earlyReturnAllowed": True}


def ball() -> mbs.Model:
    """A ball that bounces on a floor and comes to rest after 2.56 s."""
    m = mbs.Model("ball")
    m.body("ball", joint=mbs.Prismatic("z"), mass=2.0)
    m.contact("floor", "world", "ball", mbs.OnPlane("z"), restitution=0.7)
    m.start("ball", q=1.0)
    m.output("mode", mbs.constraint_mode("floor"))
    return m


def block() -> mbs.Model:
    """A block on a spring with stick friction, and a brake whose strength is an input."""
    m = mbs.Model("block", gravity=(0, 0, 0))
    press = m.input("press", start=1.0, unit="N")
    cart = m.body("block", joint=mbs.Prismatic("x"), mass=1.0)
    m.spring("spring", on=cart, stiffness=40.0)
    m.motor("shaker", on=cart, force=3.0 * mbs.sin(5.0 * mbs.time))
    m.friction("brake", on=cart, force=mbs.max(press, 0.0), stick=True)
    m.start(cart, q=0.1)
    m.output("mode", mbs.constraint_mode("brake"))
    return m


def hopper() -> mbs.Model:
    """A body that an event reset throws back, with a sampled drive force and a pendulum that strikes a stop."""
    m = mbs.Model("hopper")
    m.body("ball", joint=mbs.Prismatic("z"), mass=2.0)
    m.start("ball", q=1.0)
    m.event("bounce", mbs.coordinate("ball"), direction=-1, reset={"ball.v": -0.8 * mbs.rate("ball")})
    push = m.sampled("push", 0.0301, 1.0 - mbs.rate("ball"), offset=0.01)
    m.motor("jet", on="ball", force=push)
    arm = m.body("arm", "ball", mbs.Revolute("y"), mass=1.0, com=(0.3, 0, 0), inertia=(0.01, 0.01, 0.01))
    m.contact("stop", "ball", arm, mbs.OnPlane("x"), at_b=(0, 0, 0.3), restitution=0.5)
    m.start(arm, q=0.3, u=-2.0)
    m.output("mode", mbs.constraint_mode("stop"))
    return m


def regulated() -> mbs.Model:
    """A cart and a controller with dyadic periods."""
    m = mbs.Model("regulated", gravity=(0, 0, 0))
    cart = m.body("cart", joint=mbs.Prismatic("x"), mass=2.0)
    integral = m.sampled("integral", 4 * TICK, lambda i: i + 4 * TICK * (0.5 - mbs.coordinate(cart)))
    force = 40.0 * (0.5 - mbs.coordinate(cart)) + 20.0 * integral - 10.0 * mbs.rate(cart)
    m.motor("drive", on=cart, force=m.sampled("force", 2 * TICK, force))
    return m


def jointed() -> mbs.Model:
    """A block that is pushed along and falls on a floor, an arm on a joint with friction; reactions as outputs."""
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
    """Record of an importer: all values at communication points (before event mode), the times of events, values read
    before and in event mode, early returns, and states saved meanwhile.
    """

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
    """Go through event mode as an importer does; event mode must settle in one update and report no changed states."""
    assert host.slave.updateDiscreteStates() == (False, False, False, False, False, 0.0)
    host.slave.enterStepMode()


def advance(host: Guest, run: Run, last: int = COUNT, save: bool = False) -> Run:
    """Advance from the host's time to a communication point, with event mode where the FMU requests it."""
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


def run_with_event_mode(path: Path, save: bool = False, **options: Any) -> Run:
    """Run of an importer with event mode, which may return early unless `options` say otherwise."""
    with guest(path, **{**TOLD, **options}) as host:
        host.start()
        handle(host)
        return advance(host, Run(), save=save)


def run_without_event_mode(path: Path, **options: Any) -> Run:
    """The same run without event mode."""
    with guest(path, **options) as host:
        run = advance(host.start(), Run())
    assert not run.events
    return run


def known_events(model: str, settings: dict[str, Any]) -> np.ndarray:
    """Times of mode changes, events and samples in `simulate`."""
    result = mbs.simulate(MODELS[model](), COUNT * TICK, output_interval=TICK, **settings)
    samples = {"hopper": 0.01 + 0.0301 * np.arange(100), "regulated": 2 * TICK * np.arange(1, COUNT // 2 + 1)}
    instants = [result.switches["time"], *result.events.values(), samples.get(model, np.array([]))]
    times = np.unique(np.concatenate(instants))
    return times[times <= COUNT * TICK]


# -- laws ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("settings", [RK4, DOPRI5], ids=["rk4", "dopri5"])
@pytest.mark.parametrize("model", MODELS)
def test_event_mode_leaves_runs_unchanged(build: Build, model: str, settings: dict[str, Any]) -> None:
    """Event mode leaves the run bit for bit unchanged with error control, and with fixed internal steps no shorter than
    the communication step; events have the times of `simulate`.
    """
    path = build(model, **settings)
    run, wanted = run_with_event_mode(path), run_without_event_mode(path)
    assert np.array_equal(run.rows, wanted.rows, equal_nan=True)
    times = known_events(model, settings)
    assert len(times) == len(run.events) > 3
    assert_close(run.events, times, 1e-11, "time of event")


def test_reading_changes_no_later_number(tmp_path: Path) -> None:
    """Reads and directional derivatives after early returns, in and after event mode change no later bit."""
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
def test_fixed_internal_steps_restart_at_events(build: Build, model: str) -> None:
    """Several fixed steps in a communication step agree up to the error of the method and round-off."""
    path = build(model, **FINE)
    rows, wanted = np.array(run_with_event_mode(path).rows), np.array(run_without_event_mode(path).rows)
    bound = np.where(np.isnan(wanted), np.inf, 1e-8)
    assert_close(np.nan_to_num(rows), np.nan_to_num(wanted), bound, "variable", times=TICK * np.arange(1, COUNT + 1))
    times = known_events(model, FINE)
    assert_close(run_with_event_mode(path).events, times, 1e-9, "time of event")


@pytest.mark.parametrize("settings", [RK4, DOPRI5], ids=["rk4", "dopri5"])
def test_event_mode_applies_the_event(build: Build, settings: dict[str, Any]) -> None:
    """Values before event mode are those before the event; in event mode they are those after it."""
    path = build("ball", **settings)
    run = run_with_event_mode(path)
    with guest(path) as host:
        place = list(host.references).index("ball.v")
    before, behind = (np.array(rows)[:4, place] for rows in (run.before, run.behind))
    assert before == pytest.approx(-np.sqrt(2 * 9.81) * 0.7 ** np.arange(4), abs=1e-9)
    assert behind == pytest.approx(-0.7 * before, abs=1e-9)


def test_samples_at_communication_points_end_no_step_early(build: Build) -> None:
    """Samples at communication points return no step early; event mode takes them."""
    path = build("regulated", **RK4)
    for early in (False, True):
        run = run_with_event_mode(path, earlyReturnAllowed=early)
        assert run.events == [2 * TICK * k for k in range(1, COUNT // 2 + 1)] and not any(run.early)
    result = mbs.simulate(regulated(), COUNT * TICK, output_interval=TICK, **RK4)
    with guest(path) as host:
        place = list(host.references).index("force")
    assert np.array_equal(np.array(run.before)[:, place], result["force"][2::2])
    assert np.array_equal(np.array(run.behind)[:-1, place], result["force"][3::2])


@pytest.mark.parametrize("settings", [RK4, FINE, DOPRI5], ids=["rk4", "fine", "dopri5"])
def test_events_inside_steps_without_early_return(build: Build, settings: dict[str, Any]) -> None:
    """Without permission for early return, events are handled inside the step, bit for bit as without event mode."""
    path = build("hopper", **settings)
    run = run_with_event_mode(path, earlyReturnAllowed=False)
    assert not run.events
    assert np.array_equal(run.rows, run_without_event_mode(path).rows, equal_nan=True)


def test_without_event_mode_nothing_changes(build: Build) -> None:
    """Permission for early return alone changes nothing: bit for bit the numbers of `simulate`."""
    path = build("hopper", **FINE)
    run = run_without_event_mode(path, earlyReturnAllowed=True)
    result = mbs.simulate(hopper(), COUNT * TICK, output_interval=TICK, **FINE)
    with guest(path) as host:
        names = list(host.references)
    for name in result.columns[1:]:
        assert np.array_equal(np.array(run.rows)[:, names.index(name)], result[name][1:]), name


@pytest.mark.parametrize("settings", [RK4, DOPRI5], ids=["rk4", "dopri5"])
@pytest.mark.parametrize("model", ["ball", "hopper"])
def test_states_saved_at_events(build: Build, model: str, settings: dict[str, Any]) -> None:
    """A state saved after an early return, or in event mode before any call, has the same future, bit for bit."""
    path = build(model, **settings)
    run = run_with_event_mode(path, save=True)
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
    """The next step handles an event that the importer skips, with the same numbers."""
    path = build("hopper", **RK4)
    rows = []
    with guest(path, **TOLD) as host:
        host.start()
        host.slave.enterStepMode()
        for k in range(COUNT):
            while host.time < (k + 1) * TICK:
                host.step((k + 1) * TICK - host.time)
            rows.append(host.get(*host.references))
    assert np.array_equal(rows, run_without_event_mode(path).rows, equal_nan=True)


def test_inputs_end_modes_in_event_mode(build: Build) -> None:
    """A brake that an input opens or closes in event mode changes its mode at once, as a step would."""
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
    """Intermediate updates report every internal step, and last the event's time, where no early return is possible."""
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


@pytest.mark.parametrize("push", [0.0, -1e10, -1e200])
def test_no_call_succeeds_without_advancing_time(fmu: Builder, push: float) -> None:
    """An importer that leaves at every update: each call ends behind its beginning, or is discarded, as where a force
    moves an impact to within the rounding of the first time. Trials of a step are no updates.
    """

    def leave(env: Any, time: float, may_set: bool, may_get: bool, done: bool, may_return: bool, *answer: Any) -> None:
        answer[0][0], answer[1][0] = may_return, time

    path = fmu("pounder", "rk4", "native", "3.0")
    with guest(path, earlyReturnAllowed=True, intermediateUpdate=leave) as host:
        host.start(push=push)
        try:
            assert host.step(TICK)[3] > 0.0
        except FMICallException:
            assert push == -1e200 and host.get("time")[0] == 0.0


def test_events_at_step_ends_are_not_reported(tmp_path: Path) -> None:
    """With events="steps" modes change at internal step ends, and no event is reported."""
    path = mbs.export(ball(), tmp_path / "ball.fmu", "native", fmi="3.0", platforms="host", events="steps", **FINE)
    run = run_with_event_mode(path)
    assert not run.events
    assert np.array_equal(run.rows, run_without_event_mode(path).rows, equal_nan=True)


def test_fmpy_handles_events(build: Build) -> None:
    """fmpy's loop with event mode and early return records both sides of each event at the times of `simulate`."""
    path = build("ball", **DOPRI5)
    result = mbs.simulate(ball(), 2.0, output_interval=0.01, **DOPRI5)
    actual = simulate_fmu(
        str(path), stop_time=2.0, output_interval=0.01, use_event_mode=True, early_return_allowed=True,
        output=["ball.s", "ball.v"], relative_tolerance=1e-10,
    )  # fmt: skip
    twice = actual["time"][1:][np.diff(actual["time"]) == 0.0]
    assert_close(twice, result.switches["time"], 1e-9, "time of event")
    after = np.searchsorted(actual["time"], result.time - 1e-9)
    assert_close(actual["time"][after], result.time, 1e-9, "time of row")
    assert_close(actual["ball.s"][after], result["ball.s"], 1e-9, "ball.s", times=result.time)
