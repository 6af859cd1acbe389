"""What the kernels' docstrings promise: arguments, and regions that they read and write."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from types import ModuleType

import numpy as np
import pytest
from bent import bent_tree, sagging_beam, stayed_beam
from linkages import coupled_loops, quadrilateral
from spying import KERNELS, Spy, contract, spied

import mbs_fmu as mbs
from mbs_fmu.codegen.loader import load_plain
from mbs_fmu.compile.build import compile_model
from mbs_fmu.integrate import lane_drivers
from mbs_fmu.kernels import linked
from mbs_fmu.kernels.declarations import (
    Declared,
    given,
    given_number,
    made,
    size,
    start,
    start_or_end,
    table,
    values_of,
)
from mbs_fmu.kernels.sources import kernels_of
from mbs_fmu.model.model import Model
from mbs_fmu.record.layout import Head, LoopState, Region, Status
from mbs_fmu.run.bundled import bundled_model

METHODS = ("rk4", "dopri5", "dop853", "gauss4", "abm6", "rodas5p")


def bars(ground: str) -> list[tuple[str, str, int, float]]:
    """Of a four-bar: name, parent, place on it and length of each bar."""
    return [("crank", ground, 0, 1.0), ("coupler", "crank", 1, 2.0), ("rocker", ground, 2, 1.5)]


def held_drive() -> Model:
    """A four-bar whose crank is driven, with the torque that takes; an input and a table over time."""
    t = mbs.time
    m = Model("driven", gravity=(0, -9.81, 0))
    for name, parent, place, length in bars("world"):
        J = length**3 / 12
        m.body(name, parent, mbs.Revolute("z"), length, (length / 2, 0, 0), (0.001, J, J), (place, 0, 0))
    m.drive("turning", on="crank", position=1.0 + 0.5 * t)
    m.motor("pull", on="rocker", torque=m.input("torque") + mbs.table(t, (0.0, 0.005, 0.05), (1.0, 3.0, 2.0)))
    m.motor("switch", on="coupler", torque=mbs.where(t < 0.006, 0.1, 0.2))
    m.close("pin", "coupler", "rocker", mbs.Revolute("z"), at_a=(2, 0, 0), at_b=(1.5, 0, 0))
    m.output("drive", mbs.drive_force("turning"))
    m.event("later", t - 0.0155)
    m.start("coupler", q=-1.0, guess=True)
    m.start("rocker", q=1.0, guess=True)
    return m


def two_slides(first: object, second: object) -> Model:
    """Two driven slides in line, joined by a rod that hangs from one and turns on the other."""
    m = Model("slides")
    m.body("a", joint=mbs.Prismatic("x"), mass=1.0)
    m.body("b", joint=mbs.Prismatic("x"), mass=1.0)
    m.drive("first", on="a", position=first)
    m.drive("second", on="b", position=second)
    m.body("rod", "a", mbs.Revolute("y"), mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.1))
    m.close("pin", "rod", "b", mbs.Revolute("y"))
    return m


def floating() -> Model:
    """A four-bar on a base that floats: rows are eliminated at a moving link. A tower of three angles stands on it."""
    m = Model("floating")
    J = (0.2, 0.2, 0.2)
    m.body("base", joint=mbs.Free(), mass=3.0, inertia=J)
    m.body("tower", "base", mbs.Spherical("ship"), mass=1.0, com=(0, 0, 0.3), inertia=J)
    for name, parent, place, length in bars("base"):
        m.body(name, parent, mbs.Revolute("z"), length, (length / 2, 0, 0), J, (place, 0, 0))
    m.spring("soft", on="crank", force=((-1.0, 0.0, 1.0), (-2.0, 0.0, 3.0)))
    m.close("pin", "coupler", "rocker", mbs.Revolute("z"), at_a=(2, 0, 0), at_b=(1.5, 0, 0))
    m.close("tie", "tower", "rocker", mbs.Distance(2.0), at_a=(0, 0, 0.6))
    m.output("E", mbs.energy())
    m.output("pin", mbs.reaction("pin"))
    m.event("low", mbs.energy())
    m.state("signal", rate=1.0)
    m.start("base", u=(0.1, 0.2, 0.3, 0.1, 0.2, 0.3))
    m.start("crank", q=1.0, u=1.0)
    for name in ("coupler", "rocker", "tower"):
        m.start(name, q=(0.1, 0.2, 0.3) if name == "tower" else -0.5, guess=True)
    return m


def held(u: tuple[float, float]) -> Model:
    """A four-bar all of whose coordinates and rates are held, the coordinates nearly where they close it."""
    m = quadrilateral(1, 2, 1.5, 2, 1.0, 2.0)
    for name, rate in zip(("coupler", "rocker"), u, strict=True):
        (q,) = m.starts[name].q
        m.start(name, q=round(q, 4), u=rate)
    return m


def following() -> Model:
    """A hinge that follows another pushes a slide."""
    m = Model("following")
    for name in ("lead", "led"):
        m.body(name, joint=mbs.Revolute("y"), mass=1.0, com=(0.5, 0, 0), inertia=(0, 0.1, 0.1))
    m.body("slide", joint=mbs.Prismatic("x"), mass=1.0)
    m.follow("gear", on="led", leader="lead", ratio=0.5)
    m.start("lead", q=1.0)
    m.constrain("push", mbs.position("led", (1, 0, 0))[0] - mbs.coordinate("slide"))
    return m


def apart() -> Model:
    """A slide that no loop of this length reaches."""
    m = Model("apart")
    m.body("slide", joint=mbs.Prismatic("x"), mass=1.0)
    m.close("rod", "world", "slide", mbs.Distance(1.0), at_a=(0, 5, 0))
    return m


def tree() -> Model:
    """A swing by a quaternion with a tower of three angles on it, a parameter, an input over time, and two events."""
    J = (0.1, 0.2, 0.3)
    m = Model("tree")
    m.body("swing", joint=mbs.Spherical(), mass=1.0, com=(0, 0, -0.5), inertia=J)
    m.body("tower", "swing", mbs.Spherical("ship"), mass=1.0, com=(0, 0, 0.3), inertia=J)
    m.body("slide", joint=mbs.Prismatic("x"), mass=m.parameter("mass", 2.0))
    m.force("pull", on="slide", force=(m.input("force"), 0, 0))
    m.state("signal", rate=1.0)
    m.output("E", mbs.energy())
    m.event("soon", mbs.time - 0.0015)
    m.event("end", mbs.time - 0.0035, stop=True)
    m.start("swing", u=(0.1, 0.2, 0.3))
    m.start("tower", q=(0.1, 0.2, 0.3))
    return m


def switching() -> Model:
    """A four-bar that opens, a crank that locks, sticks and hits a stop, blocks that meet and rub, a table on legs."""
    m = Model("switching", gravity=(0, -9.81, 0))
    for name, parent, place, length in bars("world"):
        J = length**3 / 12
        m.body(name, parent, mbs.Revolute("z"), length, (length / 2, 0, 0), (0.001, J, J), (place, 0, 0))
    m.motor("pull", on="rocker", torque=m.input("torque"))
    m.close("pin", "coupler", "rocker", mbs.Revolute("z"), at_a=(2, 0, 0), at_b=(1.5, 0, 0), until=mbs.time >= 0.0035)
    m.lock("brake", on="rocker", when=mbs.time >= 0.0005, until=mbs.time >= 0.0015)
    m.lock("parked", on="coupler", when=mbs.time >= -1.0, until=mbs.time >= 0.0012)
    m.friction("hinge", on="crank", torque=0.1, static=0.2, stick=True)
    m.body("sled", joint=mbs.Prismatic("x"), mass=1.0)
    m.body("block", joint=mbs.Prismatic("x"), mass=1.0)
    m.friction("rubs", on="sled", force=400.0 + 300.0 * mbs.coordinate("block"), static=500.0, stick=True)
    m.motor("push", on="sled", force=1e5 * mbs.time)
    m.contact("touch", "sled", "block", mbs.OnPlane("x"), at_a=(0.001, 0, 0), restitution=0.5)
    m.body("table", joint=mbs.Free(), mass=1.0, inertia=(0.1, 0.1, 0.1))
    for k, (x, z) in enumerate(((1, 1), (1, -1), (-1, 1), (-1, -1))):
        m.contact(f"leg{k}", "world", "table", mbs.OnPlane("y"), at_b=(x, -0.1, z), at_a=(0, -0.1, 0))
    m.force("walks", on="table", at=(0.2, 0, 0.1), force=(0, -1.0 + 1000 * mbs.time, 0))
    m.event("later", mbs.time - 0.0155)
    m.output("E", mbs.energy())
    m.start("crank", q=1.0)
    m.start("block", q=0.003, u=-1.0)
    for name in ("coupler", "rocker"):
        m.start(name, q=-0.5, guess=True)
    return m


def jumping() -> Model:
    """A spinning body with a slide that is thrown back; a clock, and events that set off each other."""
    m = Model("jumping", gravity=(0, 0, -1000.0))
    m.body("top", joint=mbs.Spherical(), mass=1.0, inertia=(0.1, 0.2, 0.3))
    m.body("ball", joint=mbs.Prismatic("z"), mass=1.0)
    m.motor("jet", on="ball", force=m.sampled("push", 0.0007, lambda x: x + 1.0, offset=0.0002))
    m.state("x", 1000.0, start=-3.0)
    m.state("y", 0.0, start=-1.0)
    m.event("bounce", mbs.coordinate("ball"), direction=-1, reset={"ball.v": -0.9 * mbs.rate("ball")})
    m.event("first", mbs.signal("x"), reset={"y": -mbs.signal("y"), "x": 1.0 + mbs.signal("x")})
    m.event("second", mbs.signal("y"), direction=1, reset={"top.q[1]": 2.0})
    m.start("ball", q=0.0005)
    m.start("top", u=(1.0, 2.0, 3.0))
    return m


def jumping_drive() -> Model:
    """A four-bar whose driven crank's torque is asked for, and whose rocker is struck by a clock and an event."""
    m = held_drive()
    m.motor("ticks", on="rocker", torque=m.sampled("held", 0.001, mbs.rate("rocker")))
    m.event("blow", mbs.time - 0.0013, reset={"rocker.w": 0.0})
    return m


class Run:
    """A model as plain Python, each of whose kernels tells a spy what it does."""

    def __init__(self, model: Model):
        self.program = compile_model(model, methods=METHODS)
        self.plain = load_plain(self.program.text)
        self.spy = Spy(self.program.regions)
        self.call = spied(self.plain, self.spy)
        self.R = self.program.new_record()
        self.D = np.zeros_like(self.R)

    def loop_state(self, number: int, value: float) -> None:
        self.R[self.program.regions["loop_state"][0] + number] = value


def started(model: Model, status: int = Status.ok) -> Run:
    run = Run(model)
    assert run.call("initialise", run.R) == status
    return run


def inputs(run: Run, values: tuple[float, ...] = (0.0, 1.0, 1.0, 2.0)) -> np.ndarray:
    """A table over time for the one input of a model, which jumps at 4 ms; the clock of results in front of it."""
    count = run.program.regions["inputs"][1]
    if count == 0:
        return np.array([0.0, 0.01, 2.0, 0.01])
    times = np.array([0.0, 0.004, 0.004, 0.05])
    return np.concatenate([[6.0, 4.0, 0.0, 0.01, 2.0, 0.01], times, values])


def steps(run: Run) -> None:
    """Fixed and controlled steps, importers' steps and their rates, projection, tangents."""
    U = inputs(run)
    run.R[Head.absolute] = 1e-3
    assert run.call("rk4_fixed", run.R, U, 0.002, 0.001, 0) == Status.ok
    assert run.call("gauss4_fixed", run.R, U, 0.003, 0.001, 0) == Status.ok
    assert run.call("abm6_fixed", run.R, U, 0.008, 0.0005, 0) == Status.ok
    assert run.call("dopri5_adaptive", run.R, U, 0.01, 1e-6, 0) == Status.ok
    assert run.call("dop853_adaptive", run.R, U, 0.012, 1e-6, 0) == Status.ok
    run.call("refresh", run.R, U)
    run.call("exchanged", run.R, run.D)
    assert run.call("begin", run.R, U, 0.0) == Status.ok
    run.R[Head.time] += 1e-3
    assert run.call("completed", run.R, U) == Status.ok
    assert run.call("follow", run.R, run.R[Head.time] * (1 + 1e-12), 1e-3) == Status.ok
    q = run.program.regions["q"][0]
    for project in (-1.0, 0.0):
        run.loop_state(LoopState.project, project)
        run.R[q + run.program.regions["q"][1] - 1] += 1e-7
        run.R[Head.fresh] = 0.0
        run.call("evaluate_between", run.R, U)
        run.R[q + run.program.regions["q"][1] - 1] += 1e-7
        run.call("ready", run.R, U, 1e-3, True)


def changes(run: Run) -> None:
    """Steps in which modes end."""
    U = inputs(run)
    run.R[Head.absolute] = 1e-3
    assert run.call("rk4_fixed", run.R, U, 0.002, 0.001, 0) == Status.ok
    assert run.call("abm6_fixed", run.R, U, 0.0025, 0.0005, 0) == Status.ok
    assert run.call("dopri5_adaptive", run.R, U, 0.004, 1e-6, 0) == Status.ok


def jumps(run: Run) -> None:
    """Steps that end at samples and events, and what importers do there."""
    changes(run)
    assert run.call("jump_now", run.R, inputs(run)) == Status.ok
    run.R[Head.time] += 0.0007
    assert run.call("jump_now", run.R, inputs(run)) == Status.ok
    told(run)


def told(run: Run) -> None:
    """Steps of importers that are told of events, and what is made there."""
    U = inputs(run)
    start = float(run.R[Head.time])
    for k in range(4):
        assert run.call("rk4_fixed_to_event", run.R, U, start + 0.002 * (k + 1), 0.001, 0, 2) == Status.ok
        run.call("is_due", run.R)
        assert run.call("make_due", run.R, U, 0) == Status.ok
    assert run.call("dopri5_adaptive_to_event", run.R, U, start + 0.02, 1e-6, 0, 2) == Status.ok


def runs(run: Run) -> None:
    """Through the rows of a result, with every kind of method and step."""
    U = inputs(run)
    clock = 2 * run.program.regions["inputs"][1]
    beginning = run.R.copy()
    Y = np.zeros(4 * len(run.program.columns))
    way = "watched" if run.program.events else "fixed"
    for loop, setting in (
        *((f"{method}_run_{way}", 1e-3) for method in ("rk4", "gauss4", "abm6")),
        *((f"{method}_run_adaptive", 1e-6) for method in ("dopri5", "dop853", "rodas5p")),
    ):
        run.R[:] = beginning
        run.R[Head.absolute] = 1e-3
        U[clock : clock + 4] = run.R[Head.time], 2e-3, 4.0, run.R[Head.time] + 6e-3
        row = 0
        while row < (3 if run.program.name == "tree" else 4):
            row = run.call(loop, run.R, U, Y, row, setting, 0)
            assert row > 0


def failures(run: Run) -> None:
    """Starts and steps with numbers that are not finite, steps that are too long."""
    beginning = run.R.copy()
    Y = np.zeros(4 * len(run.program.columns))
    for method, way, setting in (
        ("rk4", "fixed", 1e-3), ("gauss4", "fixed", 1e-3), ("abm6", "fixed", 1e-3), ("rk4", "watched", 1e-3),
        ("dopri5", "adaptive", 1e-6),
    ):  # fmt: skip
        run.R[:] = beginning
        run.R[Head.absolute] = 1e-3
        U = inputs(run, (0.0, 1.0, np.nan, 2.0))
        U[2:6] = 0.0, 10.0, 2.0, 10.0
        U[7:9] = 0.0012
        assert run.call(f"{method}_run_{way}", run.R, U, Y, 0, setting, 0) < 0
    run.R[:] = beginning
    run.R[Head.absolute], run.R[Head.step] = 1e-3, 1.0
    U = inputs(run)
    U[1] = 0.0
    assert run.call("dopri5_adaptive", run.R, U, 10.0, 1e-15, 1) == Status.budget


def between(run: Run) -> None:
    """What importers ask for between steps, in which the input stays as it is."""
    U = inputs(run)
    U[1] = 0.0
    assert run.call("gauss4_fixed", run.R, U, 0.003, 0.001, 0) == Status.ok
    run.R[Head.fresh] = 0.0
    run.call("rates", run.R, U)
    for step in (1e-3, 2e-3):
        assert run.call("follow", run.R, run.R[Head.time] * (1 + 1e-15), step) == Status.ok
        run.call("refresh", run.R, U)
    assert run.call("abm6_fixed", run.R, U, 0.006, 0.001, 0) == Status.ok


def again_independent(run: Run) -> None:
    """A step with error control to which a row comes back that was left out."""
    run.R[run.program.regions["ranks"][0]] = 1.0
    run.R[Head.fresh] = 0.0
    run.call("ready", run.R, inputs(run), 1e-3, True)


def large_impulses(run: Run) -> None:
    """A step with fixed size before which momenta are re-based."""
    first, size = run.program.regions["multipliers"]
    run.R[first : first + size] = 1e6
    run.R[Head.fresh] = 0.0
    run.call("abm6_ready", run.R, inputs(run), 1e-3)


def beyond_the_bound(run: Run) -> None:
    """A step that would start where the loops stand open by more than is allowed."""
    run.loop_state(LoopState.bound, -1.0)
    run.R[Head.fresh] = 0.0
    assert run.call("ready", run.R, inputs(run), 1e-3, True) == Status.open_loop


def scenes() -> Iterator[Spy]:
    """What kernels do in models and situations that between them reach every line."""
    for model in (
        quadrilateral(1, 2, 1.5, 2, 1.0, 2.0),
        coupled_loops(),
        held_drive(),
        floating(),
        bundled_model("cam_follower", "cam_follower"),
    ):
        run = started(model)
        steps(run)
        runs(run)
        again_independent(run)
        large_impulses(run)
        yield run.spy
    yield started(following()).spy
    yield started(sagging_beam()).spy
    yield started(sagging_beam(length=30.0), Status.too_large).spy
    run = started(stayed_beam())
    steps(run)
    runs(run)
    yield run.spy
    run = started(bent_tree(0, 3))
    for kernel in ("derive", "error_velocities"):
        run.call(kernel, run.R)
    yield run.spy
    run = started(switching())
    changes(run)
    yield run.spy
    for model in (jumping(), jumping_drive()):
        run = started(model)
        beginning = run.R.copy()
        runs(run)
        run.R[:] = beginning
        jumps(run)
        yield run.spy
    run = started(tree())
    beginning = run.R.copy()
    for scene in (runs, failures, between):
        run.R[:] = beginning
        scene(run)
    yield run.spy
    run = started(held_drive())
    failures(run)
    yield run.spy
    run = started(quadrilateral(1, 2, 1.5, 2, 1.0, 2.0))
    beyond_the_bound(run)
    yield run.spy
    t = mbs.time
    yield started(two_slides(mbs.sin(t), mbs.sin(2 * t)), Status.not_followed).spy
    yield started(two_slides(t, (1 + 1e-6) * t)).spy
    run = started(two_slides(mbs.sin(t), t))
    assert run.call("rk4_fixed", run.R, inputs(run), 1.0, 0.02, 0) == Status.not_followed
    yield run.spy
    yield started(held((0.0, 0.0)), Status.not_movable).spy
    yield started(held((-2.3183, 1.0455))).spy
    yield started(apart(), Status.not_assembled).spy


#: What no scene reaches: stages that neither settle nor grow beyond all numbers, a loop that can't be followed just at
#: a row of the result, lanes.
UNREACHED = (
    "most_changed", "row_at_end", "mode_ends", "start_log", "has_switched", *kernels_of(lane_drivers),
    "METHOD_smooth", "METHOD_smooth_step",  # METHOD_one and METHOD_step by other names, in one scene
)  # fmt: skip


def wrong(spies: Iterable[Spy], exactly: bool) -> dict[str, set[str]]:
    """What kernels touch and their docstrings do not name; exactly: or the other way round."""
    keys = [(kernel.__name__.removesuffix("_loops"), contract(kernel)) for kernel in KERNELS]
    found = {key: (set[str](), set[str]()) for key in keys}
    for spy in spies:
        for key, accesses in spy.found.items():
            reads, writes = found.setdefault(key, (set(), set()))
            reads |= accesses["reads"]
            writes |= accesses["writes"]
    out: dict[str, set[str]] = {}
    for (name, said), (reads, writes) in found.items():
        what = {f"reads {x}" for x in reads - said.reads} | {f"writes {x}" for x in writes - said.writes}
        if exactly and name not in UNREACHED:
            what |= {f"no longer reads {x}" for x in said.reads - reads}
            what |= {f"no longer writes {x}" for x in said.writes - writes}
        if what:
            out[name] = out.get(name, set()) | what
    return out


def test_kernels_touch_what_their_docstrings_say() -> None:
    """In a four-bar no kernel and no driver reads or writes a region that its docstring does not name."""
    spy = next(scenes())
    assert len(spy.found) > 80
    assert not wrong([spy], exactly=False)


@pytest.mark.slow
def test_docstrings_name_what_kernels_touch() -> None:
    """Over all scenes what is found and what docstrings name is the same, for every kernel and every driver."""
    assert not wrong(scenes(), exactly=True)


def test_names_in_docstrings_exist() -> None:
    """Docstrings name regions of the record, whole arrays, or arguments that are addresses; D is the second record."""
    models = held_drive(), stayed_beam(), sagging_beam()
    regions = {"D"}.union(*(compile_model(model, methods=METHODS).regions for model in models))
    for kernel in KERNELS:
        said = contract(kernel)
        assert said.reads | said.writes <= regions | set(inspect.signature(kernel).parameters), kernel.__name__


#: Only modules with modes have these, or with signals that are sampled, or with elastic bodies.
OF_MODES = {"row_rates", "row_rates_d", "mode_values", "mode_numbers"}
OF_JUMPS = {"new_values"}
OF_ELASTIC = {"angles_unlocked"}


@pytest.mark.parametrize("model", [held_drive, floating, switching])
def test_modules_have_the_functions_that_kernels_call(model: object) -> None:
    """Generated functions and drivers have the names and arguments by which kernels know them."""
    assert callable(model)
    plain = load_plain(compile_model(model()).text)
    for name, declared in kernels_of(linked).items():
        if name in OF_JUMPS | OF_ELASTIC or (name in OF_MODES and model is not switching):
            assert not hasattr(plain, name)
            continue
        assert list(inspect.signature(getattr(plain, name)).parameters) == list(inspect.signature(declared).parameters)


# -- names ---------------------------------------------------------------------------------------------------

LAYOUT = {"q": Region("q", 15, 3), "end": Region("end", 18, 0)}


def some_names() -> ModuleType:
    module = ModuleType("some_names")
    module.__dict__.update(
        Q=start("q", 1), NQ=size("q"), TWICE=made(lambda layout: 2 * layout["q"].size), TAIL=start_or_end("tail"),
        OK=0, SHARE=0.5, N_LINKS=given(), GROWTH=given_number(), PLACES=table(), other=3,
    )  # fmt: skip
    return module


def test_names_get_their_values_from_the_layout_or_the_writer() -> None:
    """Upper-case names alone; an unbound one can't be computed with."""
    numbers, tables = values_of(some_names(), LAYOUT, {"N_LINKS": 2, "GROWTH": 5.0}, {"PLACES": [4, 5]})
    assert numbers == {
        "Q": 16, "NQ": 3, "TWICE": 6, "TAIL": 18, "OK": 0, "SHARE": 0.5, "N_LINKS": 2, "GROWTH": 5.0,
    }  # fmt: skip
    assert tables == {"PLACES": [4, 5]}
    assert isinstance(start("q"), Declared)
    with pytest.raises(TypeError):
        start("q") + 1


def test_names_without_values_and_values_without_names_are_refused() -> None:
    """With the name; a name that the layout decides takes no other value."""
    numbers, tables = {"N_LINKS": 2, "GROWTH": 5.0}, {"PLACES": [4]}
    with pytest.raises(LookupError, match="some_names declares names that get no value: GROWTH, N_LINKS"):
        values_of(some_names(), LAYOUT, {}, tables)
    with pytest.raises(LookupError, match="some_names declares names that get no value: PLACES"):
        values_of(some_names(), LAYOUT, numbers, {})
    for more in ({"N_BODIES": 1.0}, {"PLACES": 1.0}):
        with pytest.raises(LookupError, match=f"some_names does not declare: {next(iter(more))}"):
            values_of(some_names(), LAYOUT, numbers | more, tables)
