"""A model consists of data and methods: tools see the methods, copies share no data, and nothing
keeps a model alive.
"""

from __future__ import annotations

import copy
import gc
import inspect
import pickle
import pydoc
import typing
import weakref
from collections.abc import Callable
from dataclasses import FrozenInstanceError, dataclass, fields
from types import SimpleNamespace

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.compile.build import compile_model
from mbs_fmu.integrate.methods.table import methods_with
from mbs_fmu.mechanics.steps import Solver
from mbs_fmu.model.data import ModelData
from mbs_fmu.model.effects import Effect
from mbs_fmu.model.forces import AlongPlace
from mbs_fmu.model.forces.places import add_force, checked_place, law_along
from mbs_fmu.model.items import Body
from mbs_fmu.model.model import Model
from mbs_fmu.model.names import new_name
from mbs_fmu.run import runtime
from mbs_fmu.run.results.batches import BatchResult
from mbs_fmu.run.results.results import Result
from mbs_fmu.run.simulate import compiled, runtimes
from mbs_fmu.symbolic.expressions import Expression
from support.cases import tiers

WORDS = [name for name, value in vars(Model).items() if inspect.isfunction(value) and not name.startswith("_")]
COPIES: dict[str, Callable[[Model], Model]] = {
    "pickle": lambda m: pickle.loads(pickle.dumps(m)),  # type: ignore[no-any-return]
    "deepcopy": copy.deepcopy,
    "copy": copy.copy,
}
TABLES = (
    "bodies", "forces", "drives", "rotors", "loops", "parameters", "inputs", "states", "outputs", "events", "starts",
    "shapes", "ranges",
)  # fmt: skip


def crane(loops: bool = False) -> Model:
    """Return a model with an item in every table; loops only if `loops`, since compiling them takes a second."""
    m = Model("crane", gravity=(0, -9.81, 0), description="made by all methods")
    solid = {"mass": 1.0, "com": (0.5, 0.0, 0.0), "inertia": (0.1, 0.2, 0.2)}
    m.body("boom", joint=mbs.Revolute("z"), **solid)  # type: ignore[arg-type]
    m.body("load", "boom", mbs.Spherical(), at=(1, 0, 0), **solid)  # type: ignore[arg-type]
    m.body("cart", joint=mbs.Prismatic("x"), **solid)  # type: ignore[arg-type]
    m.spring("tie", "load", "cart", stiffness=m.parameter("c", 3.0), at_a=(0.2, 0, 0))
    m.ground("floor", {"cart": mbs.Sphere(0.1)}, stiffness=1e3)
    m.mutual_contact("bumps", {"cart": mbs.Sphere(0.1), "load": mbs.Sphere(0.1)}, stiffness=1e3)
    brush = mbs.Tyre.brush(radius=0.3, stiffness=1e4, load=1e3, slip_stiffness=1e4, friction=0.9)
    m.tyre("tyre", "boom", brush, road=mbs.Plane("y"))
    m.motor("winch", on="boom", torque=m.input("torque", unit="N.m"))
    m.drive("rail", on="cart", position=mbs.sin(mbs.time))
    m.lugre_friction("rub", "boom", coulomb=1.0, static=1.5, speed=0.1, stiffness=50.0, damping=1.0)
    m.table("lift", [0.0, 1.0], [1.0, 2.0])
    m.rotor("gear", on="boom", inertia=m.parameter("J", 0.1))
    m.shape("boom", mbs.Sphere(0.1))
    m.pull("haul", "world", "load", at_a=(0, 3, 0), force=2.0)
    m.rope("sling", [("world", (0, 3, 0)), ("load", (0, 0, 0.1)), ("cart", (0, 0.1, 0))], length=9.0, stiffness=10.0)
    m.dc_motor("servo", "boom", voltage=1.0, resistance=1.0, inductance=0.1, constant=0.1)
    m.cylinder(
        "jack",
        "world",
        "boom",
        at_a=(0, -0.3, 0),
        at_b=(0.6, 0, 0),
        bore=0.04,
        stroke=0.3,
        closed=0.5,
        opening=0.1,
        flow=1e-9,
        supply=1e6,
    )
    if loops:
        m.constrain("even", mbs.coordinate("boom") - mbs.time)
    m.state("slow", rate=lambda x: mbs.coordinate("boom") - x)
    m.output("height", mbs.position("load"))
    m.output("angle", mbs.coordinate("boom"))
    m.event("level", mbs.coordinate("boom"))
    m.start("boom", q=0.3)
    m.range("boom", upper=2.0)
    return m


# -- methods ------------------------------------------------------------------------------------------


@pytest.mark.quick
def test_model_methods_come_from_the_list_of_methods() -> None:
    """Otherwise the tests below would prove nothing; `Model` has no other methods."""
    assert len(WORDS) == 46, "change this number, and add new methods to WORDS of test_odd_values.py and to crane"
    assert {name for name in vars(Model) if not name.startswith("_")} == set(WORDS)


@pytest.mark.quick
@pytest.mark.parametrize("word", WORDS)
def test_model_methods_are_visible_to_tools(word: str) -> None:
    """For help, editors and pickles, a method has its name, its documentation and types of all
    arguments and results.
    """
    m = crane()
    method = getattr(m, word)
    signature = inspect.signature(method)
    assert method.__name__ == word and "model" not in signature.parameters
    assert (inspect.getdoc(method) or "").endswith((".", "s.", "drive."))
    help_text = pydoc.render_doc(method, renderer=pydoc.plaintext)
    assert f"{word}(" in help_text and inspect.getdoc(method).split("\n")[0] in help_text  # type: ignore[union-attr]
    assert word in dir(m) and word in dir(Model)
    hints = typing.get_type_hints(getattr(Model, word))
    assert {"return", "model", *signature.parameters} == set(hints) and hints["model"] is ModelData
    assert pickle.loads(pickle.dumps(method)).__self__.name == m.name


def test_modules_of_methods_do_not_import_the_model() -> None:
    """No module of a method imports `Model`, which imports all of them."""
    for word in WORDS:
        module = inspect.getmodule(getattr(Model, word))
        assert module is not None and "Model" not in vars(module), word


@dataclass(frozen=True, eq=False)
class Weight(AlongPlace):
    """A constant force along a joint velocity."""

    law: Expression

    def effect(self) -> Effect:
        action = self.place.along(self.law)
        return Effect(action, self.law, prescribed=action)


def weight(model: ModelData, name: str, on: str | Body, torque: float) -> None:
    """Add a weight on a rope around the joint, N.m."""
    new_name(model, name, "force")
    thing = f"weight {name!r}"
    place, unit = checked_place(model, thing, on)
    law, _ = law_along(place, unit, torque, None, thing)
    add_force(model, Weight(name, place, law), thing)


class Hoist(Model):
    """A model with one more method."""

    weight = weight


def test_a_new_method_is_a_function_and_a_line() -> None:
    """The new method makes the checks of the others, and acts like a motor of the same torque, to the bit."""
    programs = []
    for word in ("weight", "motor"):
        m = Hoist("hoist")
        m.body("drum", joint=mbs.Revolute("y"), mass=1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
        getattr(m, word)("pull", on="drum", torque=2.0)
        with pytest.raises(mbs.ModelError, match="force name 'pull' is taken by a force of model 'hoist'"):
            m.weight("pull", on="drum", torque=1.0)
        programs.append(compile_model(m))
    assert programs[0] == programs[1]
    with pytest.raises(mbs.ModelError, match=r"weight 'other': .*unknown body 'drm'"):
        m.weight("other", on="drm", torque=1.0)


# -- repr -------------------------------------------------------------------------------------------


def test_models_are_shown_as_trees() -> None:
    """Name and counts, bodies below their parents with their joints, closures; the empty model too."""
    m = crane(loops=True)
    m.close("rope", "load", "cart", mbs.Distance(1.0))
    assert repr(m).splitlines() == [
        "model 'crane': 3 bodies, 6 coordinates, 2 loops, 1 input, 2 outputs",
        "  boom: Revolute (phi)",
        "    load: Spherical (q[1] to q[4])",
        "  cart: Prismatic (s)",
        "  loop 'even'",
        "  loop 'rope' between load and cart",
    ]
    assert repr(Model("empty")) == "model 'empty': 0 bodies, 0 coordinates, 0 loops, 0 inputs, 0 outputs"


def test_long_trees_end_after_ten_bodies() -> None:
    """And after as many closures, with the number of the others."""
    m, parent = Model("chain"), "world"
    for k in range(12):
        parent = m.body(f"link{k}", parent, mbs.Revolute("y"), mass=1.0).name
        m.constrain(f"zero{k}", mbs.coordinate(parent))
    lines = repr(m).splitlines()
    assert lines[1:11] == [f"{'  ' * (k + 1)}link{k}: Revolute (phi)" for k in range(10)]
    assert lines[11:13] == ["  ... and 2 more", "  loop 'zero0'"]
    assert lines[21:] == ["  loop 'zero9'", "  ... and 2 more"]


def test_results_are_shown_in_one_line() -> None:
    """The line is the same for runs of any length, and for a run that ended before its first row."""
    result = Result("run", ["time", "x"], np.arange(8.0).reshape(4, 2))
    assert repr(result) == "result of 'run': 4 times from 0 to 6 s, 2 columns"
    noted = Result("run", ["time", "x"], result.data, statistics={"notes": ["a < b"]})
    assert repr(noted) == "result of 'run': 4 times from 0 to 6 s, 2 columns, 1 note in statistics[\"notes\"]"
    assert noted._repr_html_().endswith("<p>note: a &lt; b</p>")
    assert repr(Result("run", ["time"], np.zeros((1, 1)))) == "result of 'run': 1 time from 0 to 0 s, 1 column"
    assert repr(Result("run", ["time"], np.zeros((0, 1)))) == "result of 'run': 0 times, 1 column"
    batch = BatchResult("run", ["time", "x"], np.zeros((3, 4, 2)), np.arange(4.0), np.full(3, 4), {1: "broke"})
    assert repr(batch) == "results of 'run': 3 runs (1 ended early), 4 times from 0 to 3 s, 2 columns"


# -- gravity ----------------------------------------------------------------------------------------


def test_assigned_gravity_is_checked_and_counts_as_a_change() -> None:
    """Point gravity is no vector, and uniform gravity is then zero."""
    m = Model("m")
    before = m.version
    m.gravity = (0, m.parameter("g", 3.0), 1)
    assert m.version > before and m.gravity is m.uniform_gravity and len(m.uniform_gravity) == 3
    gravity, version = m.gravity, m.version
    with pytest.raises(mbs.ModelError, match="gravity of model 'm' must be 3 numbers"):
        m.gravity = "down"
    assert m.gravity is gravity and m.version == version
    m.gravity = mbs.PointGravity(4.0, center=(1, 2, 3))
    assert not isinstance(m.gravity, mbs.Vector) and [g.value for g in m.uniform_gravity] == [0.0, 0.0, 0.0]
    for way in COPIES.values():
        other = way(m).gravity
        assert isinstance(other, mbs.PointGravity)
        assert other.mu.value == 4.0 and [x.value for x in other.center] == [1.0, 2.0, 3.0]
    with pytest.raises(mbs.ModelError, match="mu of the point gravity"):
        mbs.PointGravity("heavy")


# -- copies -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", COPIES)
def test_copies_have_tables_of_their_own(way: str) -> None:
    """The tables contain the same names."""
    m = crane(loops=True)
    other = COPIES[way](m)
    for table in TABLES:
        assert list(getattr(other, table)) == list(getattr(m, table)) != [], table
        assert getattr(other, table) is not getattr(m, table), table


@pytest.mark.parametrize("way", tiers(list(COPIES), usual=1))
def test_changes_of_a_copy_do_not_affect_the_original(way: str) -> None:
    """A change of either model leaves the other one as it was."""
    m = crane()
    before, version = compile_model(m), (m.version, m.value_version)
    other = COPIES[way](m)
    assert type(other) is Model and compile_model(other) == before
    other.set_parameter("c", 5.0)
    other.start("boom", q=0.1)
    other.stabilize(alpha=2.0)
    other.output("more", mbs.time)
    other.gravity = mbs.PointGravity(1.0)
    assert (m.version, m.value_version) == version and compile_model(m) == before
    changed = compile_model(other)
    m.set_parameter("c", 7.0)
    assert compile_model(other) == changed != before


def test_items_of_tables_are_replaced_and_never_changed() -> None:
    """Copies may share items because a change replaces an item by another one."""
    m = crane(loops=True)
    for table in TABLES:
        part = next(iter(getattr(m, table).values()))
        part = part[0] if isinstance(part, tuple) else part  # shapes
        with pytest.raises(FrozenInstanceError):
            setattr(part, fields(part)[0].name, "other")


# -- compiled programs -------------------------------------------------------------------------------


@pytest.fixture
def uncompiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs without kernels: the tests examine only who holds them."""

    class Held:
        def __init__(self, program: object, kernels: object = None, engine: str | None = None):
            self.program = program
            self.kernels = kernels or SimpleNamespace(later_parts=weakref.WeakKeyDictionary())

    monkeypatch.setattr(runtime, "Runtime", Held)


class Controller:
    """A controller that knows its model and cannot be a key of a dictionary."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, model: Model):
        self.model, self.gain = model, 1.0

    def torque(self, t: Expression) -> Expression:
        return self.gain * t * self.model.parameters["c"].value


def laws_that_know(m: Model) -> dict[str, Callable[[Expression], Expression]]:
    return {
        "function": lambda t: t * m.parameters["c"].value,
        "method": Controller(m).torque,
    }


@pytest.mark.parametrize("kind", ["none", *laws_that_know(crane())])
@pytest.mark.usefixtures("uncompiled")
def test_a_model_is_freed_with_its_last_reference(kind: str) -> None:
    """This holds for compiled models, also with a law that refers to the model; the compiled program is freed too."""
    m = crane()
    law = laws_that_know(m).get(kind)
    runtime = compiled(m, laws={"torque": law} if law else None)
    assert runtimes(m)
    ended = weakref.ref(m), weakref.ref(runtime)
    del m, law, runtime
    gc.collect()
    assert [ref() for ref in ended] == [None, None]


@pytest.mark.usefixtures("uncompiled")
def test_the_same_law_is_compiled_once() -> None:
    """Equal laws share one program, whoever owns them; data that a law reads may change, and another law may reuse a
    free address.
    """
    m = Model("controller")
    m.state("x", rate=m.parameter("c", 2.0) * m.input("torque"))
    for law in laws_that_know(m).values():
        runtime = compiled(m, laws={"torque": law})
        assert compiled(m, laws={"torque": law}) is runtime
    one, two = Controller(m), Controller(m)
    before = compiled(m, laws={"torque": one.torque})
    assert compiled(m, laws={"torque": two.torque}) is before
    two.gain = 3.0
    assert compiled(m, laws={"torque": two.torque}) is not before
    texts = set()
    for k in range(1, 5):  # a law that was freed, and often one at its address
        law = eval("lambda t: " + " * ".join(["t"] * k))
        texts.add(compiled(m, laws={"torque": law}).program.text)
        del law
        gc.collect()
    assert len(texts) == 4


@pytest.mark.parametrize("loops", [False, True])
@pytest.mark.usefixtures("uncompiled")
def test_changed_values_reach_compiled_programs(loops: bool) -> None:
    """Defaults, start values and stabilization enter every variant as if it were compiled anew, and no variant of a
    copy.
    """
    m = crane(loops)
    variants: list[tuple[Solver, str]] = [("cholesky", "dopri5"), ("sweep", "dopri5"), ("cholesky", "rodas5p")]
    before = [compiled(m, solver, method=method).program for solver, method in variants[: 1 if loops else 3]]
    other = copy.copy(m)
    m.set_parameter("c", 5.0)
    m.start("boom", q=0.7)
    m.stabilize(alpha=3.0)
    for (solver, method), old in zip(variants, before, strict=False):
        program = compiled(m, solver, method=method).program
        assert program == compile_model(m, solver, methods=methods_with(method))
        assert program.text == old.text and program.record != old.record
        assert program.by_name["c"].start == 5.0 and program.by_name["boom.phi"].start == 0.7
    assert not runtimes(other) and compiled(other).program == before[0]
