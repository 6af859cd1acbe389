"""Mistakes are reported by the method that receives them, and messages display the value as the user wrote it."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.compile.build import compile_model
from mbs_fmu.infrastructure.messages.failures import display
from mbs_fmu.model.model import Model

pytestmark = pytest.mark.quick

SOLID = {"mass": 1.0, "inertia": (0.1, 0.1, 0.1)}


def machine(name: str = "machine") -> Model:
    """Return two bodies and an equation; another machine has bodies of the same names."""
    m = Model(name)
    m.body("arm", joint=mbs.Revolute("z"), com=(0.1, 0, 0), **SOLID)  # type: ignore[arg-type]
    m.body("hand", "arm", joint=mbs.Free(), **SOLID)  # type: ignore[arg-type]
    m.constrain("even", mbs.coordinate("arm"))
    return m


MEASURES: dict[str, Callable[[object], object]] = {  # of a body
    "coordinate": lambda b: mbs.coordinate(b, 1),
    "rate": lambda b: mbs.rate(b, 1),
    "position": mbs.position,
    "velocity": mbs.velocity,
    "angular_velocity": mbs.angular_velocity,
    "orientation": mbs.orientation,
    "pose": mbs.pose,
    "twist": mbs.twist,
    "relative_position": lambda b: mbs.relative_position("hand", b),
    "relative_velocity": lambda b: mbs.relative_velocity(b, "hand"),
    "relative_orientation": lambda b: mbs.relative_orientation("hand", b),
    "relative_angular_velocity": lambda b: mbs.relative_angular_velocity(b, "hand"),
    "momentum": mbs.momentum,
    "angular_momentum": mbs.angular_momentum,
    "center_of_mass": mbs.center_of_mass,
    "acceleration": mbs.acceleration,
    "angular_acceleration": mbs.angular_acceleration,
    "reaction": mbs.reaction,
}
USES: dict[str, Callable[[Model, mbs.Expression], object]] = {  # of a number in a model
    "output": lambda m, x: m.output("new", x),
    "several": lambda m, x: m.output("new", [mbs.position("arm")[0], x]),
    "state": lambda m, x: m.state("new", rate=x),
    "function": lambda m, x: m.state("new", rate=lambda z: x - z),
    "event": lambda m, x: m.event("new", x),
    "motor": lambda m, x: m.motor("new", on="arm", torque=x),
    "stiffness": lambda m, x: m.spring("new", on="arm", stiffness=x),
    "law": lambda m, x: m.spring("new", on="arm", force=lambda s: s * x),
    "force": lambda m, x: m.force("new", on="arm", force=(x, 0, 0)),
    "bushing": lambda m, x: m.bushing("new", "arm", "world", stiffness=(x, 1, 1)),
    "equation": lambda m, x: m.constrain("new", x),
    "capacity": lambda m, x: m.friction("new", on="arm", torque=mbs.abs(x), stick=True),
    "end": lambda m, x: m.limit("new", on="arm", upper=x, restitution=0.5),
    "when": lambda m, x: m.lock("new", on="arm", when=x > 1.0),
    "until": lambda m, x: m.close("new", "hand", "world", mbs.OnPlane(), until=x > 1.0),
}


@pytest.mark.parametrize("measure", MEASURES)
def test_measures_of_unknown_or_foreign_bodies_are_refused(measure: str) -> None:
    """An output refuses a misspelled body and a body of another model with a matching name, and accepts its own."""
    function = MEASURES[measure]
    m, other = machine(), machine("other")
    with pytest.raises(mbs.ModelError, match=r"output 'wrong.*unknown body (or loop )?'amr'.*arm, hand"):
        m.output("wrong", function("amr"))
    with pytest.raises(mbs.ModelError, match=r"output 'wrong.*body 'arm' belongs to another model"):
        m.output("wrong", function(other.bodies["arm"]))
    assert not m.outputs
    m.output("right", function(m.bodies["arm"]))
    m.output("also", function("arm"))


@pytest.mark.parametrize("use", USES)
def test_expressions_with_foreign_bodies_are_refused(use: str) -> None:
    """Every method that takes an expression of the motion refuses a body of another model beside
    one of the same name.
    """
    m, other = machine(), machine("other")
    own = mbs.position(m.bodies["arm"])[0]
    foreign = mbs.position(other.bodies["arm"])[0]
    versions = m.version
    with pytest.raises(mbs.ModelError, match=r"'new'.*body 'arm' belongs to another model"):
        USES[use](m, own + foreign)
    with pytest.raises(mbs.ModelError, match=r"'new'.*unknown body 'amr'"):
        USES[use](m, own + mbs.position("amr")[0])
    assert m.version == versions
    USES[use](m, own)


def test_methods_refuse_foreign_bodies() -> None:
    """Every method that takes bodies refuses a body of another model with a matching name."""
    m = machine()
    arm = machine("other").bodies["arm"]
    for call in (
        lambda: m.body("new", parent=arm),
        lambda: m.drive("new", on=arm, position=mbs.time),
        lambda: m.close("new", arm, "world", mbs.Spherical()),
        lambda: m.close("new", "world", arm, mbs.Spherical()),
        lambda: m.start(arm, q=1.0),
        lambda: m.spring("new", arm, "world", stiffness=1.0),
        lambda: m.spring("new", on=arm, stiffness=1.0),
        lambda: m.rotational_spring("new", "hand", arm, stiffness=1.0),
        lambda: m.bushing("new", arm, "hand", stiffness=1.0),
        lambda: m.motor("new", on=arm, torque=1.0),
        lambda: m.friction("new", on=arm, torque=1.0),
        lambda: m.limit("new", on=arm, lower=0.0, stiffness=1.0),
        lambda: m.force("new", on=arm, force=(0, 0, 1)),
        lambda: m.drag("new", on=arm, linear=1.0),
        lambda: m.lock("new", on=arm),
        lambda: m.contact("new", "world", arm, mbs.OnPlane()),
        lambda: m.friction("new", on="arm", torque=1.0, stick=True, against=arm),
    ):
        with pytest.raises(mbs.ModelError, match="'arm' belongs to another model"):
            call()


def test_foreign_bodies_in_functions_of_time_are_refused() -> None:
    """Functions that are traced later are checked too."""
    m, other = machine(), machine("other")
    m.motor("drive", on="arm", torque=m.input("torque"))
    with pytest.raises(mbs.ModelError, match="body 'arm' belongs to another model"):
        mbs.simulate(m, 0.1, inputs={"torque": lambda t: mbs.coordinate(other.bodies["arm"])})


EARLY: dict[str, tuple[Callable[[Model], object], str]] = {
    "input": (lambda m: m.constrain("c", m.input("x")), "loop 'c' depends on x: its conditions may"),
    "energy": (lambda m: m.constrain("c", mbs.energy()), "loop 'c' depends on energy: its conditions may"),
    "length": (
        lambda m: m.close("c", "world", "hand", mbs.Distance(mbs.rate("arm"))),
        r"loop 'c' depends on rate\(arm\)",
    ),
    "equation": (
        lambda m: m.output("r", mbs.reaction("even")),
        "output 'r.f': loop 'even' is an equation and has no wrench: use mbs.multiplier",
    ),
    "pose": (lambda m: mbs.Pose((1, 2)), r"position of a pose must be 3 numbers such as \(0, 0, 1\): got 2, \(1, 2\)"),
    "matrix": (lambda m: mbs.Pose((0, 0, 0), np.eye(2)), r"rotation of a pose has shape \(2, 2\)"),
    "row": (lambda m: mbs.Pose((0, 0, 0), (1, 0, 0)), r"rotation of a pose has shape \(3,\): give a 3x3 matrix"),
    "no number": (
        lambda m: mbs.Pose((0, 0, 0), [[1, 0, 0], [0, np.nan, 0], [0, 0, 1]]),
        r"rotation of a pose has an entry that is not finite: number \(2, 2\) is nan",
    ),
    "on the world": (lambda m: m.force("f", on="world", force=(0, 0, 1)), "force 'f': 'world' does not move"),
    "of the world": (lambda m: mbs.coordinate("world"), "'world' has no coordinate, it does not move"),
    "point of the world": (lambda m: mbs.position("world", 3), r"point on 'world' must be 3 numbers.*, not 3"),
    "itself": (lambda m: m.spring("s", "world", "world", stiffness=1), "spring 's' joins 'world' with itself"),
    "closed with itself": (lambda m: m.close("c", "world", "world", mbs.Weld()), "loop 'c' joins 'world' with itself"),
    "zero axis": (lambda m: mbs.Revolute(np.zeros(3)), r"axis \[0.0, 0.0, 0.0\] has no direction"),
    "axis of numpy's numbers": (lambda m: mbs.Revolute(tuple(np.zeros(3))), r"axis \(0.0, 0.0, 0.0\) has no direction"),
    "no axis": (lambda m: mbs.Revolute(3.0), r"axis 3.0 must be a name or three numbers such as \(0, 0, 1\)"),
    "which number": (
        lambda m: m.body("b", com=(0, np.float64(np.nan), 0)), "com of body 'b', number 2, is nan: give a finite number"
    ),
    "which row": (
        lambda m: m.body("b", inertia=[[1, 0, 0], [0, np.inf, 0], [0, 0, 1]]),
        "row 2 of inertia of body 'b', number 2, is inf: give a finite number",
    ),
    "which start value": (lambda m: m.start("hand", u=(0, 0, 0, np.nan, 0, 0)), "start u of body 'hand', number 4, is"),
    "which value of a table": (
        lambda m: simulate_with(m, ([0, 1, 2], [0, np.nan, 1])), "input 'x': value 2 of 3 is nan: give finite numbers"
    ),
    "lengths of a table": (lambda m: simulate_with(m, ([0, 1, 2], [0, 1])), "must have one length, not 3 and 2"),
    "lengths of vectors": (
        lambda m: mbs.position("arm") - (1, 2), "a vector of 3 numbers and one of 2 can't be combined"
    ),
    "number of gravity": (lambda m: setattr(m, "gravity", 9.81), r"must be 3 numbers such as \(0, 0, 1\), not 9.81"),
}  # fmt: skip


def simulate_with(m: Model, value: object) -> None:
    m.motor("drive", on="arm", torque=m.input("x"))
    mbs.simulate(m, 0.1, inputs={"x": value})  # type: ignore[dict-item]


@pytest.mark.parametrize("kind", EARLY)
def test_mistakes_are_reported_by_the_method_that_receives_them(kind: str) -> None:
    """The message displays the value and what is expected; tables of inputs are checked by `simulate`."""
    mistake, message = EARLY[kind]
    with pytest.raises(mbs.ModelError) as caught:
        mistake(machine())
    assert re.search(message, str(caught.value)), str(caught.value)


def test_values_in_messages_are_short() -> None:
    """A value is displayed on one line, as plain Python, and in readable length, whatever it is."""
    assert display(np.float64(0.0)) == "0.0"
    assert display((np.float64(1.5), np.int64(2))) == "(1.5, 2)"
    assert display(np.arange(3.0)) == "[0.0, 1.0, 2.0]"
    assert display([np.zeros(2), (np.True_,)]) == "[[0.0, 0.0], (True,)]"
    for value in (np.zeros((50, 50)), "x" * 1000, list(range(1000)), 10**400, -(10**5000), object(), {1: "a\nb"}):
        assert len(display(value)) <= 160 and "\n" not in display(value)


def test_measures_of_the_world_are_those_of_a_body_at_rest() -> None:
    """In all measures of frames, the world stands still at the origin."""
    m = machine()
    m.output("a", mbs.acceleration("world", (1, 2, 3)))
    m.output("w", mbs.angular_acceleration("world"))
    assert [x.value for name in "aw" for x in m.outputs[name].expressions] == [0.0] * 6


def test_names_may_precede_the_first_body() -> None:
    """Before the first body, names are resolved at compilation, which reports a wrong one."""
    m = Model("machine")
    m.state("integral", rate=mbs.rate("arm"))
    m.body("arm", joint=mbs.Revolute("z"), com=(0.1, 0, 0), **SOLID)  # type: ignore[arg-type]
    assert compile_model(m).of_role("state")[0].name == "integral"
    m = Model("machine")
    m.state("integral", rate=mbs.rate("arn"))
    m.body("arm", joint=mbs.Revolute("z"), com=(0.1, 0, 0), **SOLID)  # type: ignore[arg-type]
    with pytest.raises(
        mbs.ModelError,
        match=r"rate of state 'integral': unknown body 'arn' \(did you mean 'arm'\?\); bodies of .*: arm",
    ):
        compile_model(m)
