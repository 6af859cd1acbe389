"""Systems of FMUs: the designed errors, FMUs of other tools, refusals by name, and what stays of failed runs."""

from __future__ import annotations

import contextlib
import gc
import io
import tempfile
from collections.abc import Callable, Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pythonfmu.builder import FmuBuilder

import mbs_fmu as mbs
from mbs_fmu.cosimulation.coupling import Coupling
from mbs_fmu.cosimulation.participant import Participant
from mbs_fmu.run.bundled import bundled_model
from support.comparisons import assert_close
from support.hosts.fmus import Builder
from support.models import two_masses
from support.models.rotors import rotor

SPAN = 2.0  #: s
EXACT = {"method": "dopri5", "rtol": 1e-10}
SOFT, STIFF = {"c": 100.0, "d": 1.0}, {"c": 1e4, "d": 10.0}
LINKS = (("left.x", "right.x"), ("left.v", "right.v"), ("right.force", "left.force"))


class Pair:
    """The two masses as FMUs of a kind, exported once, and the errors of their coupling."""

    def __init__(self, folder: Path, kind: str, fmi: str):
        self.files = {}
        for model in (two_masses.left(), two_masses.right()):
            file, platforms = folder / f"{model.name}.fmu", "host" if kind == "native" else "all"
            self.files[model.name] = mbs.export(
                model, file, kind, fmi=fmi, platforms=platforms, reference=False, method="dopri5", rtol=1e-10
            )

    def system(self, values: dict[str, float], order: Sequence[str] = ("left", "right")) -> mbs.System:
        s = mbs.System("two masses")
        for name in order:
            s.add(name, self.files[name], **(values if name == "right" else {}))
        for source, target in LINKS if order[0] == "left" else LINKS[::-1]:
            s.connect(source, target)
        return s

    def error(self, values: dict[str, float], step: float, coupling: Coupling) -> float:
        run = self.system(values).run(SPAN, step, coupling=coupling)
        return float(np.max(np.abs(run["left.x"] - two_masses.exact(values["c"], values["d"], run.time))))


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], Pair]:
    built: dict[tuple[str, str], Pair] = {}

    def pair(kind: str, fmi: str) -> Pair:
        if kind == "native":
            pytest.importorskip("ziglang", reason="native FMUs need the package ziglang")
        if (kind, fmi) not in built:
            built[kind, fmi] = Pair(tmp_path_factory.mktemp(kind + fmi[0]), kind, fmi)
        return built[kind, fmi]

    return pair


DESIGNED = [
    ("python", "2.0", "hold", 1.5e-2, 1.0), ("python", "2.0", "iterate", 5e-4, 2.0),
    ("native", "2.0", "hold", 1.5e-2, 1.0), ("native", "2.0", "extrapolate", 1.2e-3, 2.0),
    ("native", "2.0", "iterate", 2.5e-4, 2.0),
    ("native", "3.0", "hold", 1.5e-2, 1.0), ("native", "3.0", "iterate", 5e-4, 2.0),
    ("native", "2.0", "exchange", 2e-6, 4.0), ("native", "3.0", "exchange", 2e-6, 4.0),
]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "fmi", "coupling", "largest", "order"),
    [pytest.param(*case, marks=pytest.mark.slow if case[0] == "native" else ()) for case in DESIGNED],
)
def test_two_masses(
    pairs: Callable[[str, str], Pair], kind: str, fmi: str, coupling: Coupling, largest: float, order: float
) -> None:
    """Errors at 10 ms are those of the design, and fall with its orders over three halvings of the step."""
    pair = pairs(kind, fmi)
    errors = [pair.error(SOFT, step, coupling) for step in (1e-2, 5e-3, 2.5e-3, 1.25e-3)]
    assert errors[0] < largest
    assert np.diff(np.log2(errors)) == pytest.approx([-order] * 3, abs=0.15)


@pytest.mark.parametrize(
    ("kind", "fmi"),
    [("python", "2.0"), *(pytest.param("native", x, marks=pytest.mark.slow) for x in ("2.0", "3.0"))],
)
def test_stiff_pair(pairs: Callable[[str, str], Pair], kind: str, fmi: str) -> None:
    """At c = 1e4 N/m and 5 ms held inputs are refused, and repeated steps are accurate."""
    pair = pairs(kind, fmi)
    with pytest.raises(mbs.SimulationError, match=r"values grow from step to step .* use coupling='iterate'"):
        pair.error(STIFF, 5e-3, "hold")
    assert pair.error(STIFF, 5e-3, "iterate") < 6e-3


@pytest.mark.parametrize("coupling", ["hold", "iterate"])
def test_order_of_elements_changes_no_bit(pairs: Callable[[str, str], Pair], coupling: Coupling) -> None:
    """FMUs and their connections can be given in any order."""
    runs = [
        pairs("python", "2.0").system(SOFT, order).run(0.2, 0.01, coupling=coupling)
        for order in permutations(("left", "right"))
    ]
    for name in runs[0].columns:
        assert runs[0][name].tobytes() == runs[1][name].tobytes(), name


def test_repeated_steps_leave_the_state_of_single_ones(pairs: Callable[[str, str], Pair]) -> None:
    """A second run equals the first to the bit; columns have units, and the run says what it did."""
    system = pairs("python", "2.0").system(SOFT)
    first, second = (system.run(0.2, 0.01, coupling="iterate") for _ in range(2))
    assert np.array_equal(first.data, second.data)
    assert first.columns == ["time", "left.x", "left.v", "right.force"]
    assert first.units == {"time": "s", "left.x": "m", "left.v": "m/s", "right.force": "N"}
    assert first.parameters == {"right.c": 100.0, "right.d": 1.0}
    assert first.statistics["coupling"] == "iterate" and first.statistics["notes"] == []
    assert first.statistics["steps"] == 20 and 80 <= first.statistics["element_steps"] < 240


def test_governor_with_a_proportional_regulator(fmu: Builder) -> None:
    """The regulator's feedthrough is passed on at once, in any order of the FMUs: 0.22 rad/s at 10 ms, order one."""
    stiffness, gain, wanted = 450.0, 0.6, 12.0
    whole = mbs.Model("whole")
    torque, speed = mbs.signal("regulator.torque"), mbs.signal("governor.speed")
    whole.include(bundled_model("governor", "governor"), "governor", inputs={"torque": torque})
    whole.include(bundled_model("speed_regulator", "speed_regulator"), "regulator", inputs={"speed": speed})
    reference = mbs.simulate(
        whole, 2.0, inputs={"regulator.set_point": wanted}, rtol=1e-9, output_interval=5e-3,
        parameters={"governor.c": stiffness, "regulator.k": gain},
    )  # fmt: skip

    def run(step: float, order: Sequence[str]) -> mbs.Result:
        values = {"set_point": f"{wanted} rad/s", "k": gain}
        given = {"governor": (fmu("governor"), {"c": stiffness}), "regulator": (fmu("speed_regulator"), values)}
        s = mbs.System("governed")
        for name in order:
            s.add(name, *given[name])
        s.connect("regulator.torque", "governor.torque")
        s.connect("governor.speed", "regulator.speed")
        return s.run(2.0, step)

    runs = [run(step, ("governor", "regulator")) for step in (0.01, 0.005)]
    errors = [
        float(np.max(np.abs(x["governor.speed"] - reference["governor.speed"][:: 2 - k]))) for k, x in enumerate(runs)
    ]
    assert errors[0] == pytest.approx(0.22, abs=0.005)
    assert np.log2(errors[0] / errors[1]) == pytest.approx(1.0, abs=0.1)
    swapped = run(0.01, ("regulator", "governor"))
    assert swapped["governor.speed"].tobytes() == runs[0]["governor.speed"].tobytes()


@pytest.mark.slow
def test_governor_in_model_exchange(fmu: Builder) -> None:
    """Errors of the speed after 1 s are those of a Runge-Kutta method of order four written out over both FMUs."""
    pytest.importorskip("ziglang", reason="native FMUs need the package ziglang")
    reference = mbs.simulate(bundled_model("governor", "governed"), 1.0, rtol=1e-12, atol=1e-14)
    s = mbs.System()
    for name in ("governor", "speed_regulator"):
        s.add(name, fmu(name, "rk4", "native"))
    s.connect("governor.speed", "speed_regulator.speed")
    s.connect("speed_regulator.torque", "governor.torque")
    for step, expected in ((0.02, 3.872e-4), (0.01, 2.097e-5), (0.005, 1.192e-6)):
        run = s.run(1.0, step, coupling="exchange")
        assert abs(run["governor.speed"][-1] - reference["speed"][-1]) == pytest.approx(expected, rel=2e-3)


# -- flanges -----------------------------------------------------------------------------------------


def test_coupled_flanges() -> None:
    """Two rotors with an elastic shaft swing like one model, and the statistics give the energy that held torques add.

    Without damping, the angle between them is w/n sin(n t) of the natural frequency n. Inputs that are linear or have
    the right means in steps of the size h leave an error of n t (n h)^2/12 in the phase, 0.0083 at the end.
    """
    J, c, w = (0.2, 0.3), 30.0, 2.0
    s = mbs.System("drive", kind="python")
    s.add("motor", rotor("motor", J[0], w))
    s.add("load", rotor("load", J[1]))
    s.couple("motor.shaft", "load.shaft", stiffness=c, name="shaft")
    n = np.sqrt(c / J[0] + c / J[1])
    run = s.run(1.0, 0.005, coupling="iterate")
    twist = run["motor.shaft.phi"] - run["load.shaft.phi"]
    assert_close(twist, w / n * np.sin(n * run.time), 0.01 * w / n, "twist", times=run.time)
    held = s.run(0.5, 0.001)
    energy = 0.5 * (J[0] * held["motor.shaft.w"] ** 2 + J[1] * held["load.shaft.w"] ** 2)
    energy += 0.5 * c * (held["motor.shaft.phi"] - held["load.shaft.phi"]) ** 2
    created = held.statistics["coupling_energy"]["motor.shaft - load.shaft"]
    assert created == pytest.approx(energy[-1] - energy[0], rel=0.05) and created > 0.0
    assert "coupling_energy" not in run.statistics  # no measure of repeated steps
    with pytest.raises(
        mbs.ModelError, match=r"'motor' \(motor\.fmu\) has no flange 'axle': that takes outputs axle\.phi"
    ):
        s.couple("motor.axle", "load.shaft", stiffness=1.0)
    with pytest.raises(mbs.ModelError, match=r"'motor\.shaft' is a flange: join it to another one by couple\(\)"):
        s.connect("motor.shaft", "load.shaft")
    s.add("third", rotor("third", 0.1))
    before = list(s.elements), list(s.links)
    with pytest.raises(mbs.ModelError, match=r"input 'load\.shaft\.tau' is connected already"):
        s.couple("third.shaft", "load.shaft", stiffness=1.0)
    assert (list(s.elements), list(s.links)) == before  # nothing is half done


# -- FMUs of other tools -----------------------------------------------------------------------------

SLAVE = """
import ctypes

from pythonfmu import Boolean, Fmi2Causality, Fmi2Slave, Fmi2Variability, Integer, Real, String

# pythonfmu gives up one reference too many to this module's namespace
ctypes.pythonapi.Py_IncRef(ctypes.py_object(globals()))

class {name}(Fmi2Slave):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        for kind, names in (
            (Real, ("real", "other")), (Integer, ("number",)), (Boolean, ("truth",)), (String, ("text",))
        ):
            for x in names:
                start = {{Real: 0.5, Integer: 3, Boolean: True, String: "word"}}[kind]
                discrete = {{}} if kind is Real else {{"variability": Fmi2Variability.discrete}}
                setattr(self, x + "_in", start)
                setattr(self, x + "_out", start)
                self.register_variable(kind(x + "_in", causality=Fmi2Causality.input, **discrete))
                self.register_variable(kind(x + "_out", causality=Fmi2Causality.output, **discrete))

    def do_step(self, time, size):
        {body}
        return True
"""
COUNTS = """self.number_out = self.number_in + 1
        self.truth_out = not self.truth_in
        self.text_out = self.text_in + "x"
        self.real_out = self.real_in + 1.0"""


@pytest.fixture(scope="module")
def slaves(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], Path]:
    folder = tmp_path_factory.mktemp("slaves")

    def build(name: str, body: str) -> Path:
        if not (folder / f"{name}.fmu").exists():
            (folder / f"{name.lower()}.py").write_text(SLAVE.format(name=name, body=body), encoding="utf-8")
            with contextlib.redirect_stdout(io.StringIO()):
                FmuBuilder.build_FMU(folder / f"{name.lower()}.py", dest=folder, needsExecutionTool=False)
        return folder / f"{name}.fmu"

    return build


def test_values_of_all_types_are_passed(slaves: Callable[[str, str], Path]) -> None:
    """Integers, booleans, texts and numbers go from a plain slave of pythonfmu to another, and back."""
    s = mbs.System()
    for name in ("a", "b"):
        s.add(name, slaves("Counter", COUNTS), text_in="w", number_in=4)
    for x in ("real", "number", "truth", "text"):
        s.connect(f"a.{x}_out", f"b.{x}_in")
    s.connect("b.number_out", "a.number_in")
    run = s.run(2.0, 1.0)
    assert run["b.number_out"].tolist() == [3, 4, 5]
    assert run["b.truth_out"].tolist() == [1, 0, 1]
    assert run["b.real_out"].tolist() == [0.5, 1.5, 2.5]
    assert "b.text_out" not in run
    assert {"b.number_out", "b.truth_out"} <= set(run.held)
    assert run.statistics["notes"][0] == "the start value of a.number_in has no effect: the input is connected"
    assert run.statistics["notes"][1] == "input a.real_in is not connected: it stays 0.5"


@pytest.mark.parametrize(
    ("name", "body", "words"),
    [
        ("Failing", "assert time < 0.25, 'it leaks'", r"its step failed \(fatal error\): .*it leaks"),
        ("Stopping", "return time < 0.25", "it ended the run"),
    ],
)
def test_a_failing_fmu_is_named_and_everything_is_freed(
    slaves: Callable[[str, str], Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    body: str,
    words: str,
) -> None:
    """The message has the element, its file, the time and the FMU's words; instances, slaves and unpacked files are
    gone, and the rows until then are kept. pythonfmu frees an instance itself whose slave raised an exception.
    """
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    freed: list[str] = []
    free = Participant._free
    monkeypatch.setattr(Participant, "_free", lambda self: (free(self), freed.append(self.name)))
    s = mbs.System()
    s.add("good", slaves("Counter", COUNTS))
    s.add("bad", slaves(name, body))
    with pytest.raises(mbs.SimulationError, match=rf"'bad' \({name}\.fmu\) failed at 0\.3 s: {words}") as info:
        s.run(1.0, 0.1)
    assert sorted(freed) == ["bad", "good"] and not list(tmp_path.iterdir())
    gc.collect()
    assert not [x for x in gc.get_objects() if type(x).__name__ in ("Counter", name) and hasattr(x, "do_step")]
    assert len(info.value.result) == 4
    with pytest.raises(
        mbs.ModelError, match=rf"'bad' \({name}\.fmu\) cannot save its state: use coupling='extrapolate' or"
    ):
        s.run(1.0, 0.1, coupling="iterate")


@pytest.fixture
def two(slaves: Callable[[str, str], Path]) -> mbs.System:
    s = mbs.System()
    s.add("first", slaves("Counter", COUNTS))
    s.add("second", slaves("Counter", COUNTS))
    s.connect("first.real_out", "second.real_in")
    return s


REFUSED: dict[str, Callable[[mbs.System], Any]] = {
    r"'fist\.real_out': no element 'fist' \(did you mean 'first'\?\)": lambda s: s.connect(
        "fist.real_out", "first.real_in"
    ),
    r"'first\.reel_out': Counter\.fmu has no variable 'reel_out' \(did you mean 'real_out'": lambda s: s.connect(
        "first.reel_out", "second.other_in"
    ),
    "'first' names no variable: write 'first.variable'": lambda s: s.connect("first", "second.other_in"),
    r"connection to 'second\.real_out': it is an output, not an input": lambda s: s.connect(
        "first.real_out", "second.real_out"
    ),
    r"connection from 'first\.real_in': it is an input, not an output": lambda s: s.connect(
        "first.real_in", "second.other_in"
    ),
    r"input 'second\.real_in' is connected already, to 'first\.real_out'": lambda s: s.connect(
        "first.other_out", "second.real_in"
    ),
    r"'first\.number_out' is of type integer of 32 bits, 'second\.other_in' of type real number": lambda s: s.connect(
        "first.number_out", "second.other_in"
    ),
    "element 'first' is there already": lambda s: s.add("first", s.elements["first"].given),
    "no file 'nowhere.fmu'": lambda s: s.add("third", "nowhere.fmu"),
    r"Counter\.fmu has no variable 'gain'": lambda s: s.add("third", s.elements["first"].given, gain=1.0),
    r"start value of 'third\.real_out': it is an output; set parameters": lambda s: s.add(
        "third", s.elements["first"].given, real_out=1.0
    ),
    r"start value of 'third\.number_in' is 1\.5: give a whole number": lambda s: s.add(
        "third", s.elements["first"].given, number_in=1.5
    ),
    "stop_time 1.05 is not a whole number of steps of 0.1 s": lambda s: s.run(1.05, 0.1),
    "step is -1.0: give a positive number": lambda s: s.run(1.0, -1.0),
    "watch is 5: give names of variables": lambda s: s.run(1.0, 0.1, watch=5),  # type: ignore[arg-type]
    r"watched variable 'first\.text_out' is no number": lambda s: s.run(1.0, 0.1, watch=["first.text_out"]),
}


@pytest.mark.parametrize("message", REFUSED)
def test_refusals(two: mbs.System, message: str) -> None:
    """Wrong systems and runs are refused with the names and the remedy."""
    with pytest.raises(mbs.ModelError, match=message):
        REFUSED[message](two)


@pytest.mark.slow
def test_arrays_of_fmi_3(fmu: Builder) -> None:
    """Elements of an array go to inputs by name, and arrays are columns with their elements, as scalars in FMI 2.0."""
    pytest.importorskip("ziglang", reason="native FMUs need the package ziglang")
    runs = []
    for fmi in ("2.0", "3.0"):
        s = mbs.System()
        s.add("gyro", fmu("gyro", "rk4", "native", fmi))
        s.add("regulator", fmu("speed_regulator", "rk4", "native", fmi))
        s.connect("gyro.velocity[2]", "regulator.speed", factor=2.0)
        s.connect("regulator.torque", "gyro.push", factor=0.1)
        with pytest.raises(mbs.ModelError, match=r"sizes differ: 'gyro\.place' has 3 elements, 'regulator\.set_point'"):
            s.connect("gyro.place", "regulator.set_point")
        with pytest.raises(mbs.ModelError, match=r"has no variable 'place\[4\]'"):
            s.connect("gyro.place[4]", "regulator.set_point")
        runs.append(s.run(0.2, 0.01))
    for name in runs[0].columns:
        assert_close(runs[1][name], runs[0][name], 1e-12, name, times=runs[0].time)
    assert runs[1]["gyro.place"].shape == (21, 3)


@pytest.mark.slow
@pytest.mark.parametrize("fmi", ["2.0", "3.0"])
def test_model_exchange_with_events(tmp_path: Path, fmi: str) -> None:
    """A ball that bounces, coupled to an oscillator, equals the model of both, with an error of order four."""
    pytest.importorskip("ziglang", reason="native FMUs need the package ziglang")
    ball, oscillator = mbs.Model("ball"), mbs.Model("oscillator")
    body = ball.body("b", joint=mbs.Prismatic("z"), mass=1.0)
    ball.start(body, q=1.0)
    ball.motor("force", on=body, force=ball.input("push", unit="N") - 9.81)
    ball.output("h", mbs.coordinate(body), unit="m")
    ball.event("bounce", mbs.coordinate(body), direction=-1, reset={"b.v": -0.8 * mbs.rate(body)})
    cart = oscillator.body("c", joint=mbs.Prismatic("x"), mass=1.0)
    oscillator.spring("spring", on=cart, stiffness=20.0)
    oscillator.start(cart, q=0.3)
    oscillator.motor("force", on=cart, force=oscillator.input("h", unit="N"))
    oscillator.output("push", 3.0 * mbs.coordinate(cart), unit="N")
    whole = mbs.Model("whole")
    whole.include(ball, "ball", inputs={"push": mbs.signal("oscillator.push")})
    whole.include(oscillator, "oscillator", inputs={"h": mbs.signal("ball.h")})
    reference = mbs.simulate(whole, 1.8, rtol=1e-11, output_interval=0.02)
    s = mbs.System()
    for model in (ball, oscillator):
        path = tmp_path / f"{model.name}.fmu"
        s.add(model.name, mbs.export(model, path, "native", fmi=fmi, platforms="host", reference=False, stop_time=1.8))
    s.connect("oscillator.push", "ball.push")
    s.connect("ball.h", "oscillator.h", factor=1.0)
    run, finer = (s.run(1.8, step, coupling="exchange") for step in (0.02, 0.01))
    errors = [np.max(np.abs(x["ball.h"][::k] - reference["ball.h"])) for x, k in ((run, 1), (finer, 2))]
    assert errors[0] < 2e-7 and np.log2(errors[0] / errors[1]) == pytest.approx(4.0, abs=0.3)
    assert run.statistics["events"] >= 4


@pytest.mark.slow
def test_samples_in_model_exchange(tmp_path: Path) -> None:
    """The samples of a digital regulator are events at their times, also within steps of the system."""
    pytest.importorskip("ziglang", reason="native FMUs need the package ziglang")
    models = {
        "plant": bundled_model("governor", "governor"),
        "regulator": bundled_model("governor", "digital_regulator"),
    }
    whole, s = mbs.Model("whole"), mbs.System(kind="native")
    whole.include(models["plant"], "plant", inputs={"torque": mbs.signal("regulator.torque")})
    whole.include(models["regulator"], "regulator", inputs={"speed": mbs.signal("plant.speed")})
    reference = mbs.simulate(whole, 1.0, rtol=1e-10, output_interval=0.02)
    for name, model in models.items():
        s.add(name, model)
    s.connect("plant.speed", "regulator.speed")
    s.connect("regulator.torque", "plant.torque")
    for step in (0.02, 0.005):
        run = s.run(1.0, step, coupling="exchange")
        every = round(0.02 / step)
        error = np.max(np.abs(run["plant.speed"][::every] - reference["plant.speed"]))
        assert error < 1e-3 and run.statistics["events"] in (100, 101)
    assert error < 5e-5


@pytest.mark.slow
def test_excavator_cut_in_two(tmp_path: Path) -> None:
    """Hydraulics and mechanism in model exchange equal the single model: oil between them is no coupling error."""
    pytest.importorskip("ziglang", reason="native FMUs need the package ziglang")
    s, span = mbs.System("excavator"), 0.5
    for name in ("hydraulics", "mechanism"):
        model, path = bundled_model("excavator", f"excavator_{name}"), tmp_path / f"{name}.fmu"
        s.add(name, mbs.export(model, path, "native", platforms="host", reference=False, stop_time=span))
    for name in ("boom", "stick", "bucket"):
        s.connect(f"hydraulics.{name}_force", f"mechanism.{name}_force")
        for what in ("length", "speed"):
            s.connect(f"mechanism.{name}_{what}", f"hydraulics.{name}_{what}")
    reference = mbs.simulate(bundled_model("excavator", "excavator"), span, rtol=1e-10, output_interval=1e-3)
    run = s.run(span, 1e-3, coupling="exchange", watch=["mechanism.tip"])
    assert_close(run["mechanism.tip"], reference["tip"], 1e-9, "tip", times=run.time)
