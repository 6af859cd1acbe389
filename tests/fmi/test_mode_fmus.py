"""FMUs of models with constraint modes, which change within communication steps as in `simulate`."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.record.blocks import HeadNumbers
from mbs_fmu.run.simulate import compiled
from support.cases import tiers
from support.comparisons import assert_close
from support.hosts.fmus import Host

native = pytest.mark.skipif(importlib.util.find_spec("ziglang") is None, reason="needs the package ziglang")
KINDS = ["python", pytest.param("native", marks=[native, pytest.mark.slow])]
TICK = 1 / 128  #: a communication step whose multiples are exact


def ball() -> mbs.Model:
    """A ball that bounces and comes to rest after 2.56 s."""
    m = mbs.Model("ball")
    m.body("ball", joint=mbs.Prismatic("z"), mass=2.0)
    m.contact("floor", "world", "ball", mbs.OnPlane("z"), restitution=0.7)
    m.start("ball", q=1.0)
    m.output("mode", mbs.constraint_mode("floor"))
    m.output("blow", mbs.impulse("floor"))
    m.output("floor", mbs.multiplier("floor"))
    return m


def brake() -> mbs.Model:
    """A shaft with a drive torque and a brake whose strength is an input."""
    m = mbs.Model("brake", gravity=(0, 0, 0))
    press = m.input("press", start=5.0, unit="N.m")
    shaft = m.body("shaft", joint=mbs.Revolute("z"), mass=1.0, inertia=(1, 1, 1))
    m.motor("drive", on=shaft, torque=1.0)
    m.friction("brake", on=shaft, torque=mbs.max(press, 0.0), stick=True)
    m.output("mode", mbs.constraint_mode("brake"))
    m.output("energy", mbs.energy())
    return m


def latch() -> mbs.Model:
    """A panel on a free hub that latches at one radian, and opens by an input."""
    m = mbs.Model("latch", gravity=(0, 0, 0))
    opened = m.input("open")
    hub = m.body("hub", joint=mbs.Free(), mass=10.0, inertia=(2, 2, 2))
    panel = m.body("panel", hub, mbs.Revolute("y"), 2.0, (0.5, 0, 0), inertia=(0.01, 0.2, 0.2), at=(0.3, 0, 0))
    c, s = np.cos(1.0), np.sin(1.0)
    place = mbs.Pose((0.3, 0, 0), ((c, 0, s), (0, 1, 0), (-s, 0, c)))
    m.close("hook", hub, panel, mbs.Weld(), at_a=place, when=mbs.coordinate(panel) >= 1.0, until=opened > 0.5)
    m.spring("spring", on=panel, stiffness=3.0, length=1.5)
    m.start(panel, u=0.8)
    m.output("mode", mbs.constraint_mode("hook"))
    m.output("spin", mbs.angular_momentum())
    return m


def lock() -> mbs.Model:
    """A double pendulum whose elbow is locked by an input."""
    m = mbs.Model("lock")
    press = m.input("press")
    one = m.body("one", joint=mbs.Revolute("y"), mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.1))
    two = m.body("two", one, mbs.Revolute("y"), mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.1), at=(0, 0, -1))
    m.lock("elbow", on=two, when=press > 0.5, until=press < 0.5)
    m.start(one, q=1.5, u=1.0)
    m.start(two, q=1.0)
    m.output("mode", mbs.constraint_mode("elbow"))
    m.output("energy", mbs.energy())
    return m


def block() -> mbs.Model:
    """A block pushed to and fro on a moving floor, with friction by the floor's mean reaction over the last step."""
    m = mbs.Model("block")
    block = m.body("block", joint=mbs.Compound(mbs.slide("x"), mbs.slide("z")), mass=2.0)
    m.constrain("floor", mbs.coordinate(block, 2) - 0.1 * mbs.sin(5.0 * mbs.time))
    m.motor("push", on=block, coordinate=1, force=9.0 * mbs.sin(7.0 * mbs.time))
    m.friction("rub", on=block, coordinate=1, force=0.4 * mbs.multiplier("floor", mean=True), stick=True)
    return m


MODELS: dict[str, Callable[[], mbs.Model]] = {
    "ball": ball, "brake": brake, "latch": latch, "lock": lock, "block": block,
}  # fmt: skip
INPUTS = {"ball": None, "brake": "press", "latch": "open", "lock": "press", "block": None}


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], Path]:
    """FMUs of MODELS, each kind exported once."""
    folder, built = tmp_path_factory.mktemp("modes"), dict[tuple[str, str], Path]()

    def path(model: str, kind: str) -> Path:
        if (model, kind) not in built:
            m, platforms = MODELS[model](), "host" if kind == "native" else "all"
            built[model, kind] = mbs.export(
                m, folder / kind / f"{m.name}.fmu", kind, platforms=platforms, stop_time=1.0,
                communication_step=TICK, method="rk4", step=TICK / 2,
            )  # fmt: skip
        return built[model, kind]

    return path


def input_at(model: str, k: int) -> float:
    """Input in the k-th communication step; it jumps every twenty steps."""
    return {"brake": (5.0, 0.2, 2.0), "latch": (0.0, 0.0, 0.0, 0.0, 0.0, 1.0)}.get(model, (0.0, 1.0))[
        (k // 20) % {"brake": 3, "latch": 6}.get(model, 2)
    ]


def stepped(model: str, count: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """The same input as a table over time, held through each communication step."""
    name = INPUTS[model]
    if name is None:
        return {}
    times = np.repeat(TICK * np.arange(count + 1), 2)[1:-1]
    return {name: (times, np.repeat([input_at(model, k) for k in range(count)], 2))}


def advance(host: Host, model: str, first: int, last: int) -> np.ndarray:
    rows = []
    for k in range(first, last):
        if INPUTS[model] is not None:
            host.set({str(INPUTS[model]): input_at(model, k)})
        host.step(TICK)
        rows.append(host.all())
    return np.array(rows)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("model", tiers(["ball", "latch", "lock", "block"], usual=1))
def test_fixed_steps_give_the_numbers_of_simulate(build: Callable[[str, str], Path], model: str, kind: str) -> None:
    """With the same fixed step and exact communication points every column without inputs is equal, bit for bit.

    Inputs jump at communication points, where `simulate` has the values after the jump.
    """
    count = 400
    result = mbs.simulate(
        MODELS[model](), count * TICK, inputs=stepped(model, count), output_interval=TICK, method="rk4", step=TICK / 2
    )
    assert len(result.switches) >= {"latch": 2, "block": 4}.get(model, 19)
    with Host(build(model, kind)) as host:
        host.start()
        names = list(host.references)
        rows = advance(host, model, 0, count)
        if INPUTS[model] is None:
            assert all(np.array_equal(rows[:, names.index(name)], result[name][1:]) for name in result.columns[1:])
        same = np.abs(result.time[1:, None] - result.switches["time"]).min(axis=1) > 1e-9
        for name in result.columns[1:]:
            actual, wanted = rows[same, names.index(name)], result[name][1:][same]
            assert np.abs(actual - wanted).max() <= 1e-11 * max(1.0, np.abs(wanted).max()), name


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_brake_as_strong_as_its_input(build: Callable[[str, str], Path], kind: str) -> None:
    """Held, released, stopped within a communication step, and held: the numbers of the closed form."""
    with Host(build("brake", kind)) as host:
        host.start()
        names = list(host.references)
        rows = advance(host, "brake", 0, 60)
    k = np.arange(1, 61)
    w = TICK * np.clip(np.minimum(0.8 * (k - 20), 0.8 * 20 - (k - 40)), 0.0, None)
    assert_close(rows[:, names.index("shaft.w")], w, 1e-13, "shaft.w", times=TICK * k)
    assert rows[-1, names.index("shaft.phi")] == pytest.approx(0.5 * TICK**2 * (20 * 16 + 16 * 16), abs=1e-13)
    assert np.all(rows[:20, names.index("mode")] == 0.0) and np.all(rows[57:, names.index("mode")] == 0.0)
    assert np.all(rows[20:55, names.index("mode")] == -1.0)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_inputs_act_when_a_step_begins(build: Callable[[str, str], Path], kind: str) -> None:
    """A brake that opens releases at the start of the step, not at its end; one that closes stops the shaft."""
    with Host(build("brake", kind)) as host:
        host.start()
        host.step(TICK)
        assert host.get("mode", "shaft.w") == [0.0, 0.0]
        host.set({"press": 0.0})
        host.step(TICK)
        assert host.get("shaft.w")[0] == pytest.approx(TICK, abs=1e-15)
        assert host.get("mode")[0] != 0.0
        host.set({"press": 3.0})
        host.step(TICK)
        assert host.get("shaft.w")[0] == pytest.approx(0.0, abs=1e-15)
        assert host.get("shaft.phi")[0] == pytest.approx(0.5 * TICK**2 * (1 + 1 / 2), abs=1e-15)
        host.step(TICK)
        assert host.get("mode", "shaft.w") == [0.0, pytest.approx(0.0, abs=1e-15)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("model", tiers(["ball", "brake", "latch"], usual=1))
def test_a_restored_state_has_the_same_future(build: Callable[[str, str], Path], model: str, kind: str) -> None:
    """From any save on, through all later changes of modes, bit for bit; also as bytes."""
    with Host(build(model, kind)) as host:
        host.start()
        saved, rows = {}, []
        for k in range(0, 300, 30):
            state = host.slave.getFMUstate()
            saved[k] = host.slave.serializeFMUstate(state)
            host.slave.freeFMUstate(state)
            rows.append(advance(host, model, k, k + 30))
        whole = np.vstack(rows)
        for k, data in saved.items():
            state = host.slave.deSerializeFMUstate(data)
            host.slave.setFMUstate(state)
            host.time = k * TICK
            assert np.array_equal(
                advance(host, model, k, min(k + 90, 300)), whole[k : min(k + 90, 300)], equal_nan=True
            )
            host.slave.freeFMUstate(state)


def presses(count: int) -> np.ndarray:
    """An input that changes at random, about every six communication steps."""
    rng = np.random.default_rng(7)
    return np.cumsum(rng.random(count) < 1 / 6) % 2


def no_energy_is_made(energy: np.ndarray) -> None:
    assert np.all(np.isfinite(energy))
    assert np.diff(energy).max() < 1e-10 * np.ptp(energy)
    assert np.ptp(energy) > 1.0


@pytest.mark.slow
def test_flips_of_an_input() -> None:
    """Random locking and unlocking by the kernel that steps causes no failure and creates no energy."""
    runtime = compiled(lock())
    R = runtime.program.new_record()
    assert runtime.kernels.enter_initialise(R) == 0
    places = {v.name: v.slot for v in runtime.program.variables}
    energy = []
    for k, press in enumerate(presses(20_000), start=1):
        R[places["press"]] = press
        R[HeadNumbers.fresh] = 0.0
        assert runtime.kernels.enter_rk4_fixed(R, runtime.no_tables, 1e-3 * k, 1e-3, 0) == 0
        runtime.kernels.enter_refresh(R, runtime.no_tables)
        energy.append(R[places["energy"]])
    no_energy_is_made(np.array(energy))


@native
@pytest.mark.slow
def test_flips_of_an_input_of_an_fmu(build: Callable[[str, str], Path]) -> None:
    """The same in a hundred thousand communication steps of an FMU."""
    with Host(build("lock", "native")) as host:
        host.start()
        press, energy = ([host.references[name]] for name in ("press", "energy"))
        rows = []
        for value in presses(100_000):
            host.slave.setReal(press, [float(value)])
            host.step(1e-3)
            rows += host.slave.getReal(energy)
    no_energy_is_made(np.array(rows))
