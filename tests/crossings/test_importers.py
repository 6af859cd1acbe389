"""What happens at one instant is the same in every importer: co-simulation, with and without event mode, and model
exchange, of Python and native FMUs, give the outcome of the rule for crossings.
"""

from __future__ import annotations

import importlib.util
import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import fmpy
import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.codegen.ahead import module_ahead
from mbs_fmu.codegen.modules import load_plain
from mbs_fmu.record.blocks import HeadNumbers
from mbs_fmu.record.codes import Status
from mbs_fmu.run.simulate import compiled
from support.cases import tiers

native = pytest.mark.skipif(importlib.util.find_spec("ziglang") is None, reason="needs the package ziglang")
slow = pytest.mark.slow
H = 2.0**-5  #: internal step, s; the instant is a step's end
AT = 0.5  #: the instant, s
KINDS = ("report", "stop", "reset", "mode", "tick", "jump")
#: Solvers of importers locate a crossing to their tolerance; co-simulation to the rounding of some hundred steps.
EXCHANGED, STEPPED = 1e-7, 1e-11


@dataclass(frozen=True)
class Way:
    """A way to run an FMU in fmpy: its kind and version of FMI, and options of `fmpy.simulate_fmu`."""

    kind: str
    fmi: str
    options: dict[str, Any] = field(default_factory=lambda: {"fmi_type": "CoSimulation"})

    @property
    def exchange(self) -> bool:
        return self.options["fmi_type"] == "ModelExchange"

    @property
    def bound(self) -> float:
        """Bound of the errors of this way."""
        return EXCHANGED if self.exchange else STEPPED


EVENTS = {"fmi_type": "CoSimulation", "use_event_mode": True, "early_return_allowed": True}
EXCHANGE = {"fmi_type": "ModelExchange", "relative_tolerance": 1e-9}
WAYS = [
    pytest.param(Way("python", "2.0"), id="python"),
    pytest.param(Way("native", "3.0"), id="native 3.0", marks=native),
    pytest.param(Way("native", "3.0", EVENTS), id="native 3.0 event mode", marks=native),
    pytest.param(Way("native", "3.0", EXCHANGE), id="native 3.0 exchange", marks=native),
    pytest.param(
        Way("native", "3.0", {**EVENTS, "early_return_allowed": False}), id="native 3.0 event mode, no early return",
        marks=[native, slow],
    ),
    pytest.param(Way("native", "2.0"), id="native 2.0", marks=[native, slow]),
    pytest.param(Way("native", "2.0", EXCHANGE), id="native 2.0 exchange", marks=[native, slow]),
]  # fmt: skip
ways = pytest.mark.parametrize("way", WAYS)
#: Communication steps, s: the instant is a communication point, or inside of a step.
intervals = pytest.mark.parametrize("interval", tiers({"inside a step": 0.3, "at a point": 0.25}, usual=1))


# -- models ----------------------------------------------------------------------------------------------------------


def instants() -> mbs.Model:
    """A clock x' = 1 and a mass of 2 kg with y = 0.25 m/s; crossings of all kinds at times that are parameters.

    The event resets y to 1 + x + u, the lock takes y away (its impulse is -2 y), the tick samples 10 y + x + 100 u.
    """
    m = mbs.Model("instants", gravity=(0, 0, 0))
    at = {kind: m.parameter(f"t_{kind}", 100.0) for kind in KINDS[:-1]}
    mass = m.body("mass", joint=mbs.Prismatic("x"), mass=2.0)
    m.start(mass, u=0.25)
    y, x, u = mbs.rate(mass), m.state("x", 1.0), m.input("u", start=0.0)
    resets, jumps = m.state("resets", 0.0), m.state("jumps", 0.0)
    m.event("seen", x - at["report"], direction=1)
    m.event("stop", x - at["stop"], direction=1, stop=True)
    m.event("reset", x - at["reset"], direction=1, reset={"mass.v": 1.0 + x + u, "resets": resets + 1.0})
    m.event("jump", u - 0.5, direction=1, reset={"jumps": jumps + 1.0})
    m.lock("lock", on=mass, when=x >= at["mode"])
    m.sampled("tick", 1000.0, 10.0 * y + x + 100.0 * u, offset=at["tick"])
    m.output("y", y)
    m.output("mode", mbs.constraint_mode("lock"))
    m.output("blow", mbs.impulse("lock"))
    return m


def ball() -> mbs.Model:
    """A ball that falls 1 m at 8 m/s² and strikes a floor at 0.5 s with -4 m/s, e = 1/2; a tick and resets there."""
    m = mbs.Model("ball", gravity=(0, 0, -8.0))
    body = m.body("body", joint=mbs.Prismatic("z"), mass=2.0)
    m.start(body, q=1.0)
    m.contact("floor", "world", body, mbs.OnPlane("z"), restitution=0.5)
    z, v = mbs.coordinate(body), mbs.rate(body)
    for name, direction in (("into", -1), ("out", 1)):
        m.state(name, 0.0)
        n = m.state(f"n_{name}", 0.0)
        m.event(f"goes_{name}", z, direction=direction, reset={name: v, f"n_{name}": n + 1.0})
    m.sampled("tick", AT, v, start=9.0)
    return m


Build = Callable[[Callable[[], mbs.Model], Way], Path]


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """FMUs by model, kind and version, each built once."""
    folder, built = tmp_path_factory.mktemp("instants"), dict[tuple[str, str, str], Path]()

    def path(model: Callable[[], mbs.Model], way: Way) -> Path:
        key = (model.__name__, way.kind, way.fmi)
        if key not in built:
            options: dict[str, Any] = {"platforms": "host"} if way.kind == "native" else {}
            built[key] = mbs.export(
                model(),
                folder / f"{'_'.join(key)}.fmu",
                way.kind,
                fmi=way.fmi,
                method="rk4",
                step=H,
                stop_time=0.75,
                reference=False,
                **options,
            )  # type: ignore[call-overload]
        return built[key]

    return path


# -- outcomes --------------------------------------------------------------------------------------------------------

BEFORE = {"y": 0.25, "tick": 0.0, "resets": 0.0, "jumps": 0.0, "mode": -1.0, "blow": 0.0}


def outcome(kinds: Iterable[str]) -> dict[str, float]:
    """Values behind the instant by the rule: all kinds read the state before and the input after, a lock acts last."""
    values, u = dict(BEFORE), 1.0 if "jump" in kinds else 0.0
    values["jumps"] = u
    if "tick" in kinds:
        values["tick"] = 10.0 * BEFORE["y"] + AT + 100.0 * u
    if "reset" in kinds:
        values |= {"y": 1.0 + AT + u, "resets": 1.0}
    if "mode" in kinds:
        values |= {"mode": 0.0, "blow": -2.0 * values["y"], "y": 0.0}
    return values


def run(path: Path, way: Way, names: Iterable[str], interval: float, **options: Any) -> np.ndarray:
    """Three communication steps; a structured array with the time and these variables."""
    return fmpy.simulate_fmu(
        str(path), stop_time=3.0 * interval, output_interval=interval, output=list(names), validate=False,
        **way.options, **options,
    )  # fmt: skip


def differences(rows: np.ndarray, wanted: dict[str, float], bound: float, where: str) -> list[str]:
    """Texts about the values of one row that are not the wanted ones."""
    return [
        f"{where}: {name} is {float(rows[name])!r} at t = {float(rows['time'])!r} s, expected {value!r}"
        for name, value in wanted.items()
        if not abs(rows[name] - value) <= bound * max(1.0, abs(value))
    ]


def wrong(path: Path, way: Way, kinds: tuple[str, ...], interval: float, apart: float = 0.0) -> list[str]:
    """What differs from the rule where these kinds coincide; the second and third are `apart` seconds later."""
    times = {f"t_{kind}": AT + (apart if k else 0.0) for k, kind in enumerate(kinds) if kind != "jump"}
    jump = np.array([(0, 0), (AT, 0), (AT, 1), (9, 1)], [("time", float), ("u", float)])
    rows = run(path, way, BEFORE, interval, start_values=times, input=jump if "jump" in kinds else jump[:2])
    case = " + ".join(kinds)
    ends = way.exchange and "stop" in kinds  # co-simulation has no events that end a run
    if ends:
        assert rows["time"][-1] == pytest.approx(AT, abs=interval + 1e-9), f"{case} ends at {rows['time'][-1]!r} s"
    found = differences(rows[-1], BEFORE if ends else outcome(kinds), way.bound, f"{case}, at the end")
    there = np.flatnonzero(np.abs(rows["time"] - AT) < 1e-9)
    if there.size:  # communication points and early returns show the left limit first
        found += differences(rows[there[0]], BEFORE, way.bound, f"{case}, before")
    return found


SINGLES, PAIRS, TRIPLES = (list(itertools.combinations(KINDS, number)) for number in (1, 2, 3))


@ways
@intervals
def test_pairs_have_the_outcome_of_the_rule(build: Build, way: Way, interval: float) -> None:
    """Single kinds and pairs at 0.5 s; the row there is the left limit, the last row is behind the instant."""
    path = build(instants, way)
    found = [text for kinds in SINGLES + PAIRS for text in wrong(path, way, kinds, interval)]
    assert not found, "\n".join(found)


@slow
@ways
@intervals
def test_triples_have_the_outcome_of_the_rule(build: Build, way: Way, interval: float) -> None:
    """Three kinds at 0.5 s."""
    path = build(instants, way)
    found = [text for kinds in TRIPLES for text in wrong(path, way, kinds, interval)]
    assert not found, "\n".join(found)


@ways
@intervals
@pytest.mark.parametrize("apart", [1e-12, -1e-12])
def test_kinds_within_the_window_coincide(build: Build, way: Way, interval: float, apart: float) -> None:
    """The same for pairs 1e-12 s apart, less than 1e-11 of a communication step: one instant."""
    if way.exchange:
        pytest.skip("in model exchange the importer's solver chooses the instants")
    path = build(instants, way)
    pairs = [kinds for kinds in PAIRS if "jump" not in kinds]  # importers give inputs at communication points
    found = [text for kinds in pairs for text in wrong(path, way, kinds, interval, apart)]
    assert not found, "\n".join(found)


@ways
@intervals
def test_a_tick_and_resets_at_an_impact(build: Build, way: Way, interval: float) -> None:
    """The tick and the reset into the floor read -4 m/s, the reset out of it 2 m/s; behind it the ball moves up."""
    names = ("body.s", "body.v", "tick", "into", "out", "n_into", "n_out")
    rows = run(build(ball, way), way, names, interval)
    t = 3.0 * interval - AT
    wanted = {
        "body.s": 2.0 * t - 4.0 * t * t, "body.v": 2.0 - 8.0 * t, "tick": -4.0, "into": -4.0, "out": 2.0,
        "n_into": 1.0, "n_out": 1.0,
    }  # fmt: skip
    found = differences(rows[-1], wanted, way.bound, "at the end")
    there = np.flatnonzero(np.abs(rows["time"] - AT) < 1e-6)
    if there.size:
        left = {"body.v": -4.0, "tick": 0.0, "into": 0.0, "out": 0.0, "n_into": 0.0, "n_out": 0.0}
        found += differences(rows[there[0]], left, way.bound, "before")
    if len(there) > 1 and not way.exchange:  # event mode
        right = {"body.v": 2.0, "tick": -4.0, "into": -4.0, "out": 2.0, "n_into": 1.0, "n_out": 1.0}
        found += differences(rows[there[-1]], right, way.bound, "behind")
    assert not found, "\n".join(found)


@intervals
@native
def test_event_mode_shows_the_instant(build: Build, interval: float) -> None:
    """With event mode, values in it are those behind all rounds, whether the step has ended early or not."""
    way = Way("native", "3.0", EVENTS)
    path, found = build(instants, way), []
    for kinds in [("reset", "mode"), ("reset", "tick"), ("mode", "tick"), ("reset", "mode", "tick")]:
        rows = run(path, way, BEFORE, interval, start_values={f"t_{kind}": AT for kind in kinds})
        there = rows[np.abs(rows["time"] - AT) < 1e-9]
        assert len(there) == 2, f"{kinds}: rows at {rows['time']}"
        found += differences(there[0], BEFORE, way.bound, f"{kinds}, before")
        found += differences(there[1], outcome(kinds), way.bound, f"{kinds}, behind")
    assert not found, "\n".join(found)


# -- steps of model exchange, in plain Python ------------------------------------------------------------------------


@pytest.mark.quick
def test_an_importer_that_steps_over_a_zero_counts_events_of_its_direction() -> None:
    """Each event counts the steps over its zero in its own direction, and no others. The importer stops up to a
    hundredth of a second behind the zero, and a second passes between its stops.
    """
    m = mbs.Model("stepped", gravity=(0, 0, 0))
    mass = m.body("mass", joint=mbs.Prismatic("x"), mass=1.0)
    m.start(mass, q=1.0)
    directions = {"falls": -1, "both": 0, "rises": 1}
    for name, direction in directions.items():
        n = m.state(f"n_{name}", 0.0)
        m.event(name, mbs.coordinate(mass), direction=direction, reset={f"n_{name}": n + 1.0})
    program = compiled(m, method="rk4", alone=True).program
    kernels, R, inputs = load_plain(module_ahead(program)), program.new_record(), np.zeros(8)
    slots = {v.name: v.slot for v in program.variables}
    assert kernels.initialise(R) == Status.ok
    assert kernels.act(R, inputs) == Status.ok  # the start
    counted, before = dict.fromkeys(directions, 0), 1.0
    for number, x in enumerate(np.random.default_rng(1).uniform(-0.01, 0.01, size=12)):
        R[HeadNumbers.time], R[slots["mass.s"]], R[slots["mass.p"]] = number + 1.0, x, np.sign(x - before)
        assert kernels.act(R, inputs) == Status.ok
        turn = np.sign(x) - np.sign(before)
        for name, direction in directions.items():
            counted[name] += int(turn != 0.0 and direction * turn >= 0.0)
            assert R[slots[f"n_{name}"]] == counted[name], f"{name}: from {before:g} to {x:g} m at {number + 1} s"
        before = x
    assert min(counted.values()) > 1
