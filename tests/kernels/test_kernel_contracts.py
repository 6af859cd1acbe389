"""What the kernels' docstrings promise: arguments, and regions that they read and write."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from types import ModuleType

import numpy as np
import pytest
from linkages import coupled_loops, quadrilateral
from spying import CONTRACTS, KERNELS, Contract, Spy, spied

import mbs_fmu as mbs
from mbs_fmu.codegen.loader import load_plain
from mbs_fmu.compile.build import compile_model
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

METHODS = ("rk4", "dopri5", "gauss4")


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
    m.event("half", t - 0.5)
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


def apart() -> Model:
    """A slide that no loop of this length reaches."""
    m = Model("apart")
    m.body("slide", joint=mbs.Prismatic("x"), mass=1.0)
    m.close("rod", "world", "slide", mbs.Distance(1.0), at_a=(0, 5, 0))
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
    assert run.call("dopri5_adaptive", run.R, U, 0.01, 1e-6, 0) == Status.ok
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


def again_independent(run: Run) -> None:
    """A step with error control to which a row comes back that was left out."""
    run.R[run.program.regions["ranks"][0]] = 1.0
    run.R[Head.fresh] = 0.0
    run.call("ready", run.R, inputs(run), 1e-3, True)


def scenes() -> Iterator[Spy]:
    """What kernels do in models and situations that between them reach every line."""
    for model in (quadrilateral(1, 2, 1.5, 2, 1.0, 2.0), coupled_loops(), held_drive(), floating()):
        run = started(model)
        steps(run)
        again_independent(run)
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


def beyond(found: Contract, said: Contract) -> set[str]:
    return {f"reads {x}" for x in found.reads - said.reads} | {f"writes {x}" for x in found.writes - said.writes}


def test_kernels_touch_what_their_docstrings_say() -> None:
    """In a four-bar no kernel reads or writes a region that its docstring does not name."""
    spy = next(scenes())
    assert len(spy.found) > 40
    wrong = {name: beyond(found, CONTRACTS[name]) for name, found in spy.found.items()}
    assert not {name: what for name, what in wrong.items() if what}


@pytest.mark.slow
def test_docstrings_name_what_kernels_touch() -> None:
    """Over all scenes what is found and what docstrings name is the same, for every kernel."""
    found = {name: Contract() for name in CONTRACTS}
    for spy in scenes():
        for name, contract in spy.found.items():
            found[name].reads |= contract.reads
            found[name].writes |= contract.writes
    assert found == CONTRACTS


def test_names_in_docstrings_exist() -> None:
    """Docstrings name regions of the record, whole arrays, or arguments that are addresses."""
    regions = set(compile_model(held_drive(), methods=METHODS).regions)
    for name, kernel in KERNELS.items():
        contract = CONTRACTS[name]
        assert contract.reads | contract.writes <= regions | set(inspect.signature(kernel).parameters), name


@pytest.mark.parametrize("model", [held_drive, floating])
def test_modules_have_the_functions_that_kernels_call(model: object) -> None:
    """Generated functions and drivers have the names and arguments by which kernels know them."""
    assert callable(model)
    plain = load_plain(compile_model(model()).text)
    for name, declared in kernels_of(linked).items():
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
