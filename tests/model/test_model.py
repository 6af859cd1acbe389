"""Invalid input: one clear message that names the thing, the value and the remedy."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.compile.build import compile_model
from mbs_fmu.model.model import Model

SOLID = {"mass": 1.0, "inertia": (0.1, 0.1, 0.1)}


def arm(m: Model, name: str = "arm", parent: object = "world", **more: object) -> object:
    return m.body(name, parent, **{"joint": mbs.Revolute("z"), "com": (0.1, 0, 0), **SOLID, **more})  # type: ignore[arg-type]


def run(m: Model, **more: object) -> mbs.Result:
    return mbs.simulate(m, 0.01, **{"method": "rk4", "step": 0.01, **more})  # type: ignore[arg-type]


def unknown_parent(m: Model) -> None:
    arm(m, parent="nobody")
    compile_model(m)


def cycle(m: Model) -> None:
    arm(m, "a", parent="b")
    arm(m, "b", parent="a")
    compile_model(m)


def duplicate(m: Model) -> None:
    arm(m)
    arm(m)


def other_model(m: Model) -> None:
    other = Model("other")
    arm(m, "second", parent=arm(other))


def traced_wrongly(m: Model) -> None:
    m.motor("drive", on=arm(m), torque=m.input("torque"))
    run(m, inputs={"torque": lambda t: math.sin(t)})


def branch(m: Model) -> None:
    m.motor("drive", on=arm(m), torque=m.input("torque"))
    run(m, inputs={"torque": lambda t: 1.0 if t > 1 else 0.0})


def no_input(m: Model) -> None:
    m.motor("drive", on=arm(m), torque=m.input("torque"))
    run(m)


def unknown_input(m: Model) -> None:
    arm(m)
    run(m, inputs={"torqe": 1.0})


def massless_end(m: Model) -> None:
    arm(m, mass=0.0, inertia=(0, 0, 0))
    compile_model(m)


def massless_in_between(m: Model) -> None:
    a = m.body("a", "world", mbs.Prismatic("x"))
    b = m.body("b", a, mbs.Prismatic("x"), **SOLID)  # type: ignore[arg-type]
    del b
    run(m)


def point_on_axis(m: Model) -> None:
    arm(m, com=(0, 0, 0.3), inertia=(0, 0, 0))
    compile_model(m)


def mass_parameter(m: Model) -> None:
    arm(m, mass=m.parameter("weight", 1.0))
    run(m, parameters={"weight": -1.0})


def inertia_parameter(m: Model) -> None:
    arm(m, inertia=(0.1, 0.1, m.parameter("j", 0.1)))
    run(m, parameters={"j": 0.5})


def state_in_mass(m: Model) -> None:
    a = arm(m, "a")
    arm(m, "b", mass=1 + mbs.coordinate(a))  # type: ignore[arg-type]
    compile_model(m)


def spring_without_direction(m: Model) -> None:
    m.spring("tie", "world", arm(m), stiffness=1.0, length=0.5)  # type: ignore[arg-type]
    run(m)


def parameter_of_other(m: Model) -> None:
    m.output("y", Model("other").parameter("k", 1.0) * 2)
    compile_model(m)


def with_input(m: Model, value: object) -> None:
    m.motor("drive", on=arm(m), torque=m.input("torque"))
    run(m, inputs={"torque": value})


def condition_within(m: Model) -> None:
    m.output("e", 2 * (mbs.coordinate(arm(m)) > 0))  # type: ignore[arg-type]
    run(m)


def sampled(m: Model) -> str:
    m.sampled("s", 0.1, 1.0)
    return "s"


def wandering_point(m: Model) -> None:
    m.force("f", on=arm(m), at=(0, 0, mbs.time), force=(0, 0, 1))
    compile_model(m)


def of_a_drive(m: Model, measure: Callable[[str], object]) -> None:
    m.drive("dr", on=arm(m), position=mbs.time)  # type: ignore[arg-type]
    m.output("P", measure("dr"))
    compile_model(m)


CASES: list[tuple[Callable[[Model], object], str]] = [
    (unknown_parent, r"body 'arm'.*unknown parent 'nobody'.*use 'world'"),
    (cycle, r"bodies a, b form a cycle of parents.*'world'"),
    (duplicate, r"body name 'arm' is taken.*choose another"),
    (other_model, r"body 'second'.*parent 'arm' belongs to another model"),
    (lambda m: arm(m, mass=-1.0), r"mass of body 'arm' is -1.0.*not be negative"),
    (massless_end, r"body 'arm' can move but has no inertia.*give it a mass"),
    (massless_in_between, r"motion of body 'a'.*moves no inertia.*give its body"),
    (point_on_axis, r"body 'arm' can move but has no inertia"),
    (lambda m: arm(m, inertia=(1.0, 1.0, 3.0)), r"inertia of body 'arm' breaks the triangle inequality.*1, 1, 3"),
    (lambda m: arm(m, inertia=(1.0, 1.0, -0.1)), r"inertia of body 'arm' has the negative principal moment -0.1"),
    (lambda m: arm(m, inertia=[[1, 0.1, 0], [0.2, 1, 0], [0, 0, 1]]), r"inertia of body 'arm' is not symmetric"),
    (lambda m: arm(m, inertia=(1.0, 2.0)), r"inertia of body 'arm' must be 3 principal moments"),
    (lambda m: arm(m, com=(math.nan, 0, 0)), r"com of body 'arm', number 1, is nan: give a finite number"),
    (lambda m: arm(m, com=(0.0, 1.0)), r"com of body 'arm' must be 3 numbers such as \(0, 0, 1\): got 2, \(0.0, 1.0\)"),
    (lambda m: arm(m, com=5), r"com of body 'arm' must be 3 numbers such as \(0, 0, 1\), not 5"),
    (
        lambda m: arm(m, mass="heavy"),
        r"mass of body 'arm' is 'heavy': give a number in kg, or a text.*'kg', 'g', 't'",
    ),
    (lambda m: arm(m, at=mbs.Pose((0, 0, 0), 2 * np.eye(3))), r"rotation of a pose is not a rotation"),
    (lambda m: arm(m, at=mbs.Pose((0, 0, 0), (0, 0, 0, 0))), r"rotation of a pose: the quaternion.*no direction"),
    (lambda m: arm(m, at=mbs.Pose((0, 0, 0), np.eye(2))), r"rotation of a pose has shape \(2, 2\)"),
    (lambda m: arm(m, joint="hinge"), r"body 'arm': joint must be a joint such as mbs.Revolute"),
    (lambda m: mbs.Universal("x"), r"a universal joint has two axes, such as \"xy\""),
    (lambda m: mbs.Universal(("x", (2, 0, 0))), r"axes \('x', \(2, 0, 0\)\) of a universal joint are parallel"),
    (lambda m: arm(m, joint=mbs.Revolute("w")), r"unknown axis 'w'"),
    (lambda m: arm(m, joint=mbs.Revolute((0, 0, 0))), r"axis \(0, 0, 0\) has no direction"),
    (lambda m: arm(m, name="my arm"), r"body name 'my arm' must be an identifier"),
    (lambda m: m.parameter("k", 1.0, unit="lbf"), r"parameter 'k': unknown unit 'lbf'; use products and quotients"),
    (lambda m: m.parameter("k", math.inf), r"parameter 'k' is inf: give a finite number"),
    (lambda m: m.parameter("k", 1.0, min=2.0), r"parameter 'k' is 1: it must lie within 2 .. inf"),
    (lambda m: m.start("nobody", q=1), r"start value: unknown body 'nobody'"),
    (lambda m: m.start(sampled(m), q=1), r"start value: 's' is a sampled signal, whose start .*m\.sampled"),
    (lambda m: m.sampled("s", 0.1, lambda: 1), r"update of sampled signal 's' must be a function of 1 argument"),
    (
        lambda m: m.friction("f", on=arm(m), torque=1.0, stick=True, speed=0.1),
        r"friction 'f': speed= is for friction that is smooth",
    ),
    (lambda m: m.start(arm(m), q=(1, 2)), r"start q of body 'arm': its joint has 1 of them, 2 given"),
    (lambda m: m.start(arm(m), u=math.nan), r"start u of body 'arm' is nan"),
    (
        lambda m: m.motor("drive", on=arm(m), force=1.0),
        r"motor 'drive': this degree of freedom of body 'arm' turns: give torque=",
    ),
    (lambda m: m.motor("drive", on=arm(m), torque=1.0, coordinate=2), r"coordinate 2 of body 'arm' does not exist"),
    (
        lambda m: m.motor("d", on=arm(m, joint=mbs.Universal()), torque=1.0),
        r"has 2 degrees of freedom: give coordinate=1..2",
    ),
    (lambda m: m.spring("s", on=arm(m, joint=mbs.Spherical()), coordinate=1), r"ball or free joint"),
    (lambda m: m.spring("s", arm(m)), r"spring 's': give two bodies, or on="),
    (lambda m: m.force("f", on=arm(m)), r"force 'f': give force=, torque= or both"),
    (lambda m: m.force("f", on=arm(m), force=(0, 0, 1), resolve_in="sky"), r"resolve_in is 'sky'"),
    (wandering_point, r"the point of force 'f' on body 'arm' depends on time: it may depend on parameters only"),
    (no_input, r"input 'torque' of model 'test' has no value: pass inputs="),
    (unknown_input, r"unknown input 'torqe'"),
    (traced_wrongly, r"input 'torque': the function of time can't be traced.*pass \(times, values\)"),
    (branch, r"input 'torque': the function of time can't be traced.*mbs.where"),
    (mass_parameter, r"mass of body 'arm' must not be negative: change parameter 'weight'"),
    (inertia_parameter, r"inertia of body 'arm' is not that of a real body.*parameter 'j'"),
    (state_in_mass, r"body 'b' depends on coordinate\(a.*may depend on parameters only"),
    (spring_without_direction, r"spring 'tie': its ends coincide, so it has no direction"),
    (parameter_of_other, r"output 'y' refers to the parameter 'k' of another model"),
    (lambda m: run(m, method="euler"), r"unknown method 'euler' .*: choose one of rk4, dopri5"),
    (lambda m: mbs.simulate(m, 1.0, method="rk4"), r"method 'rk4' has fixed steps: give step="),
    (lambda m: mbs.simulate(m, 1.0, method="rk4", step=0.1, rtol=1e-3), r"no error control: leave out rtol"),
    (lambda m: run(m, step=-1.0), r"step is -1.0: give a positive number"),
    (lambda m: mbs.simulate(m, -1.0), r"stop_time -1.0 must lie after the start time, 0.0 s"),
    (lambda m: run(m, parameters={"q": 1.0}), r"unknown parameter 'q'"),
    (lambda m: m.set_parameter("q", 1.0), r"unknown parameter 'q'"),
    (lambda m: Model("two words"), r"model name 'two words' must be an identifier"),
    (lambda m: mbs.Compound(), r"a compound joint needs at least one"),
    (
        lambda m: m.output("e", mbs.time > 1),
        r"output 'e' is a condition, not a number: give mbs.where\(condition, 1, 0\)",
    ),
    (lambda m: m.output("e", [mbs.time, mbs.time > 1]), r"output 'e', number 2, is a condition"),
    (lambda m: m.output("e", mbs.time == -mbs.time), r"output 'e' is False, not a number: == and != do not compare"),
    (lambda m: m.output("e", [mbs.time, mbs.time != -mbs.time]), r"output 'e', number 2, is True, not a number"),
    (lambda m: m.motor("d", on=arm(m), torque=mbs.time == -mbs.time), r"law of motor 'd' is False, not a number"),
    (lambda m: m.event("e", mbs.time <= 1), r"event 'e' is a condition.*the difference of both sides"),
    (lambda m: m.motor("d", on=arm(m), torque=mbs.time > 1), r"law of motor 'd' is a condition"),
    (lambda m: m.constrain("c", mbs.coordinate(arm(m)) > 1), r"loop 'c' is a condition"),  # type: ignore[arg-type]
    (lambda m: with_input(m, lambda t: t > 1), r"function of time of input 'torque' is a condition"),
    (condition_within, r"output 'e' uses a condition as a number.*mbs.where"),
    (lambda m: mbs.Batch(size=8, lanes=3), r"lanes of a batch is 3: give 1, 2, 4, 8 or 16"),
    (lambda m: mbs.Batch(parameters=[1, 2]), r"parameters of a batch must be a dictionary by name, not \[1, 2\]"),  # type: ignore[arg-type]
    (lambda m: mbs.Batch(start=3), r"start of a batch must be a dictionary by name, not 3"),  # type: ignore[arg-type]
    (lambda m: mbs.Screw("z", math.nan), r"pitch of a screw joint is nan: give a finite number"),
    (lambda m: mbs.Screw("z", "a"), r"pitch of a screw joint is 'a': give a number in m/rad"),  # type: ignore[arg-type]
    (lambda m: mbs.CustomJoint(1), r"custom joint without formulas.*give position=, rotation= or both"),
    (lambda m: mbs.CustomJoint(1, lambda q, t: None), r"position of a custom joint is a function that returns nothing"),
    (lambda m: mbs.CustomJoint(2, lambda q, t: (q[0], 0, 0)), r"coordinate q\[2\] of a custom joint moves nothing"),
    (lambda m: mbs.CustomJoint(1, None, lambda q, t: 3), r"must be a 3x3 matrix or a quaternion, not 3"),
    (
        lambda m: of_a_drive(m, mbs.power),
        r"output 'P': 'dr' is a drive, not a force: ask for mbs.drive_force\('dr'\).*mbs.rate\('arm'\)",
    ),
    (lambda m: of_a_drive(m, mbs.applied), r"output 'P.f': 'dr' is a drive, not a force"),
    (lambda m: m.output("e", arm(m)), r"output 'e' must be a number or an expression, not body 'arm'"),
    (
        lambda m: m.start(arm(m), q="1"),
        r"start q of body 'arm' is '1': give a number in rad, or a text.*'rad', 'deg'",
    ),  # type: ignore[arg-type]
    (lambda m: m.start(arm(m), q=["1"]), r"start q of body 'arm' is '1': give a number in rad"),  # type: ignore[arg-type]
    (lambda m: m.parameter("p", "3"), r"parameter 'p' must be a number, not the text '3'"),  # type: ignore[arg-type]
    (lambda m: m.parameter("p", 3, description=3), r"description of parameter 'p' must be a text, not 3"),  # type: ignore[arg-type]
    (lambda m: m.output("y", mbs.time, description=3), r"description of output 'y' must be a text, not 3"),  # type: ignore[arg-type]
    (lambda m: m.event("e", mbs.time, stop="yes"), r"stop of event 'e' is 'yes': use True or False"),  # type: ignore[arg-type]
    (lambda m: m.constrain("c", []), r"loop 'c' has no equation: give an expression that stays zero"),
    (
        lambda m: run(m, parameters={m.parameter("p", 1).value.name: "1"}),
        r"parameter 'p' must be a number, not the text",
    ),
    (lambda m: with_input(m, "1"), r"input 'torque' must be a number, \(times, values\) or a function"),
    (
        lambda m: with_input(m, (["0", "1"], [0, 1])),
        r"input 'torque' must be a number, \(times, values\) or a function",
    ),
    (lambda m: with_input(m, None), r"input 'torque' must be a number, \(times, values\) or a function"),
    (lambda m: with_input(m, (0, 1, 2)), r"input 'torque' must be a number, \(times, values\) or a function"),
    (lambda m: mbs.simulate(None, 1), r"the model must be an mbs.Model, not None"),  # type: ignore[arg-type]
    (lambda m: mbs.inverse_dynamics(None), r"the model must be an mbs.Model, not None"),  # type: ignore[arg-type]
    (lambda m: run(m, batch=3), r"batch must be an mbs.Batch, not 3"),
    (
        lambda m: run(m, batch=mbs.Batch(parameters={m.parameter("p", 1).value.name: ["1", "2"]})),
        r"parameter 'p' of the batch must be numbers, not \['1', '2'\]",
    ),
    (lambda m: run(m, parameters=3), r"parameters must be a dictionary by name, not 3"),
    (lambda m: run(m, inputs=[1]), r"inputs must be a dictionary by name, not \[1\]"),
    (lambda m: run(m, method=["rk4"]), r"method must be a name such as 'dopri5', not \['rk4'\]"),
    (lambda m: mbs.table(mbs.time, [0, 1], [0]), r"a table needs two or more points and as many values: got 2 and 1"),
    (lambda m: mbs.table(mbs.time, [0, 1], 3), r"the points and values of a table must be numbers"),  # type: ignore[arg-type]
    (lambda m: mbs.simulate(m, 1.0, solver="lu"), r"unknown solver 'lu': use 'cholesky' or 'sweep'"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("mistake", "message"), CASES, ids=lambda x: x if isinstance(x, str) else "")
def test_mistakes_raise_one_line_model_errors(mistake: Callable[[Model], object], message: str) -> None:
    """Each mistake raises ModelError with a one-line message."""
    with pytest.raises(mbs.ModelError) as caught:
        mistake(Model("test"))
    text = str(caught.value)
    assert re.search(message, text), text
    assert "\n" not in text


def test_an_output_with_the_name_of_a_joint_variable_is_refused() -> None:
    """An output with the name of a joint variable is refused."""
    m = Model("test")
    arm(m)
    m.output("arm.phi", 1.0)
    with pytest.raises(mbs.ModelError, match=r"output 'arm.phi' has the name of a coordinate"):
        compile_model(m)


def test_inertias_of_3_6_and_9_numbers_are_equal() -> None:
    """Inertias of 3, 6 and 9 numbers make the same body."""
    rows = [[0.3, 0.01, 0.02], [0.01, 0.4, 0.03], [0.02, 0.03, 0.5]]
    six = (0.3, 0.01, 0.02, 0.4, 0.03, 0.5)
    records = []
    for inertia in (rows, six, np.array(rows)):
        m = Model("test")
        arm(m, inertia=inertia)
        records.append(compile_model(m).record)
    assert records[0] == records[1] == records[2]


def test_expressions_refuse_untraceable_operations() -> None:
    x = mbs.coordinate("arm")
    with pytest.raises(TypeError, match=r"mbs\.where"):
        bool(x > 1)
    with pytest.raises(TypeError, match=r"mbs.sin"):
        math.sin(x)
    with pytest.raises(TypeError, match="comparison"):
        mbs.where(x, 1, 2)
    with pytest.raises(TypeError, match=r"mbs\.min"):
        (x > 1) & (x < 2)
    with pytest.raises(TypeError, match=r"mbs\.max"):
        (x > 1) | (x < 0)
    with pytest.raises(ValueError, match="strictly increasing"):
        mbs.table(x, (0, 0), (1, 2))
    assert repr(mbs.sin(0.0)) == "0"


@pytest.mark.quick
def test_the_constant_place_of_a_joint_is_no_output() -> None:
    """It does not move; the message has the measure that does. Equal numbers of other origin are constants."""
    m = mbs.Model("placed")
    height = m.parameter("height", 2.0)
    arm = m.body("arm", joint=mbs.Revolute("y"), mass=1.0, inertia=(1, 1, 1), at=(0.5, 0.0, height))
    with pytest.raises(
        mbs.ModelError, match=r"output 'p' is arm\.position, the constant place .* mbs\.position\('arm'\)"
    ):
        m.output("p", arm.position)
    with pytest.raises(mbs.ModelError, match=r"for the position in the world write mbs\.position\('arm'\)\[0\]"):
        m.output("x", arm.position[0])
    m.output("level", height, unit="m")
    m.output("place", (0.5, 0.0, 2.0))
    m.output("moving", mbs.position(arm))
    assert list(m.outputs) == ["level", "place", "moving"]
