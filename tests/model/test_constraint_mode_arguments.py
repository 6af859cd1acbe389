"""Invalid arguments of temporary closures: each message names the mistake and the remedy."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

import mbs_fmu as mbs
from mbs_fmu.compile.build import compile_model
from mbs_fmu.model.model import Model
from support.generators.invalid_values import SOLID

pytestmark = pytest.mark.quick


def machine() -> Model:
    """Return a model with bodies for contacts, locks and friction."""
    m = Model("machine")
    m.body("arm", joint=mbs.Revolute("z"), com=(0.1, 0, 0), **SOLID)  # type: ignore[arg-type]
    m.body("hand", "arm", mbs.Revolute("y"), at=(1, 0, 0), **SOLID)  # type: ignore[arg-type]
    m.body("sled", joint=mbs.Prismatic("z"), mass=1.0)
    m.body("ball", joint=mbs.Spherical(), **SOLID)  # type: ignore[arg-type]
    m.body("base", joint=mbs.Weld(), mass=1.0)
    m.parameter("p", 0.5)
    m.spring("tie", "arm", "hand", stiffness=1.0, at_a=(0, 0, 1))
    m.constrain("even", mbs.coordinate("arm") - mbs.coordinate("hand"))
    return m


def lock(m: Model, **arguments: Any) -> None:
    m.lock("park", **{"on": "arm", **arguments})


def stop(m: Model, **arguments: Any) -> None:
    m.limit("stop", **{"on": "arm", "upper": 1.0, **arguments})


def touch(m: Model, **arguments: Any) -> None:
    m.contact("floor", **{"a": "world", "b": "sled", "pair": mbs.OnPlane("z"), **arguments})


def rub(m: Model, **arguments: Any) -> None:
    m.friction("rub", **{"on": "arm", "torque": 1.0, "stick": True, **arguments})


AT = mbs.coordinate("arm")
GIVE = r"give a condition such as mbs\.coordinate\('panel'\) >= 1\.57"
AT_ONCE: dict[str, tuple[Callable[[Model], object], str]] = {
    "when is a number": (lambda m: lock(m, when=1.0), rf"when of lock 'park' is 1\.0: {GIVE}"),
    "when is a coordinate": (lambda m: lock(m, when=AT), f"when of lock 'park' is .*: {GIVE}"),
    "when is true": (lambda m: lock(m, when=True), f"when of lock 'park' is True: {GIVE}"),
    "until is a text": (lambda m: lock(m, until="never"), f"until of lock 'park' is 'never': {GIVE}"),
    "until of close": (
        lambda m: m.close("hook", "world", "sled", mbs.OnPlane("z"), until=2.0), f"until of loop 'hook' is 2.0: {GIVE}"
    ),
    "when of constrain": (lambda m: m.constrain("c", AT, when=AT), f"when of loop 'c' is .*: {GIVE}"),
    "when of roll": (lambda m: m.roll("r", "ball", radius=0.1, axis=None, when=AT), "when of loop 'r' is .*: give a c"),
    "when of a stranger": (lambda m: lock(m, when=mbs.coordinate("amr") > 1), "lock 'park'.*unknown body 'amr'"),
    "lock of nothing": (lambda m: lock(m, on="amr"), "lock 'park': unknown body 'amr'.*arm, hand"),
    "lock of the world": (lambda m: lock(m, on="world"), "lock 'park': 'world' does not move"),
    "lock of a weld": (lambda m: lock(m, on="base"), "lock 'park': .*'base'"),
    "lock of coordinate 2": (lambda m: lock(m, coordinate=2), "lock 'park': .*2"),
    "lock of coordinate 0": (lambda m: lock(m, coordinate=0), "lock 'park': .*0"),
    "limit of both": (
        lambda m: stop(m, stiffness=1.0, restitution=0.5),
        r"limit 'stop': give stiffness= of springs, or restitution= of rigid stops \(0 to 1\)",
    ),
    "limit of neither": (lambda m: stop(m), "limit 'stop': give stiffness= of springs, or restitution= of rigid stops"),
    "rigid and damped": (
        lambda m: stop(m, restitution=0.5, damping=0.1), "limit 'stop': rigid stops have no damping: leave it out"
    ),
    "rigid, nothing left": (
        lambda m: stop(m, lower=2.0, restitution=0.5), r"limit 'stop': lower 2\.0 lies above upper 1\.0"
    ),
    "rigid, no ends": (lambda m: stop(m, upper=None, restitution=0.5), "limit 'stop': give lower=, upper= or both"),
    "rigid, bound of a rate": (lambda m: stop(m, upper=mbs.rate("arm"), restitution=0.5), r"'stop' .*rate\(arm\)"),
    "rigid, bound of an input": (lambda m: stop(m, upper=m.input("x"), restitution=0.5), "limit 'stop' depends on x"),
    "restitution above": (lambda m: touch(m, restitution=1.1), r"restitution of contact 'floor' is 1\.1: .* 0 \.\. 1"),
    "restitution below": (lambda m: touch(m, restitution=-0.1), r"restitution of contact 'floor' is -0\.1: it must"),
    "restitution of a limit": (lambda m: stop(m, restitution=2), r"restitution of limit 'stop' is 2\.0: it must lie"),
    "contact that is a weld": (
        lambda m: touch(m, pair=mbs.Weld()),
        "contact 'floor': Weld is 6 conditions and cannot be a contact: give one such as mbs.OnPlane or mbs.Rolling",
    ),
    "contact that is a line": (lambda m: touch(m, pair=mbs.OnLine("x")), "OnLine is 2 conditions and cannot be"),
    "contact that is an edge": (lambda m: touch(m, pair=mbs.KnifeEdge()), "KnifeEdge is 1 conditions? and cannot"),
    "contact that is no pair": (lambda m: touch(m, pair="plane"), "contact 'floor': 'plane' closes no loop: give a"),
    "contact with itself": (lambda m: touch(m, a="sled"), "contact 'floor' joins body 'sled' with itself: give two"),
    "contact of a stranger": (lambda m: touch(m, b="sledge"), "contact 'floor': unknown body 'sledge'"),
    "capacity by a reaction": (
        lambda m: rub(m, torque=mbs.abs(mbs.reaction("arm").f[0])),
        "friction 'rub' depends on a reaction of the same instant, which depends on whether it sticks: give a",
    ),
    "capacity by a multiplier": (
        lambda m: rub(m, torque=mbs.abs(mbs.multiplier("even"))), "friction 'rub' depends on a reaction of the same"
    ),
    "static by a drive": (
        lambda m: (m.drive("d", on="sled", position=mbs.time), rub(m, static=1 + mbs.abs(mbs.drive_force("d")))),
        "friction 'rub' depends on a reaction of the same instant",
    ),
    "static below": (lambda m: rub(m, static=0.5), r"static of friction 'rub' is 0\.5: at least Coulomb's friction"),
    "against what slides": (
        lambda m: rub(m, against="sled"), "friction 'rub': one side turns and the other slides: give two that do"
    ),
    "against what has three": (lambda m: rub(m, against="ball"), "friction 'rub': .*'ball'"),
    "stick is no truth": (lambda m: rub(m, stick=2.0), r"stick of friction 'rub' is 2\.0"),
    "taken by a force": (lambda m: m.friction("tie", on="arm", torque=1.0, stick=True), "'tie'.*taken|already.*'tie'"),
    "taken by a loop": (lambda m: m.friction("even", on="arm", torque=1.0, stick=True), "'even'.*taken|already.*'even"),
    "end taken by a loop": (
        lambda m: (m.constrain("stop_lower", AT), stop(m, lower=-1.0, restitution=0.0)), "'stop_lower'"
    ),
    "lock taken by a loop": (lambda m: m.lock("even", on="arm"), "'even'"),
    "contact taken by a loop": (lambda m: m.contact("even", "world", "sled", mbs.OnPlane("z")), "'even'"),
    "index of an impulse": (lambda m: mbs.impulse("even", 0), "impulse 0 of 'even': give a number from 1 on"),
    "half an index": (lambda m: mbs.impulse("even", 1.5), r"impulse 1\.5 of 'even': give a"),  # type: ignore[arg-type]
}  # fmt: skip


def seen(value: Callable[[], Any]) -> Callable[[Model], object]:
    """Return a model with a lock of the ball, and an output."""
    return lambda m: (m.lock("park", on="ball", when=AT > 1), m.output("new", value()))


MODE = mbs.constraint_mode
COMPILED: dict[str, tuple[Callable[[Model], object], str]] = {
    "mode of a stranger": (seen(lambda: MODE("prak")), "'new': 'prak' has no modes; closures with modes: park"),
    "mode of what has none": (seen(lambda: MODE("even")), "'new': 'even' has no modes; closures with modes: park"),
    "mode of nothing": (lambda m: m.output("new", MODE("park")), "'park' has no modes; closures with modes: none"),
    "impulse of which": (seen(lambda: mbs.impulse("park")), "'park' has 3 conditions: say which, 1 to 3"),
    "impulse of none": (seen(lambda: mbs.impulse("park", 4)), "condition 4 of 'park' does not exist"),
    "when by a multiplier": (
        lambda m: lock(m, on="sled", when=mbs.multiplier("even") > 1),
        "loop 'park': whether it holds depends on a reaction or acceleration, which depends on that: give positions",
    ),
    "until by a reaction": (
        lambda m: lock(m, on="sled", until=mbs.reaction("arm").f[0] > 1), "loop 'park': whether it holds depends on a"
    ),
    "when by an acceleration": (
        lambda m: lock(m, on="sled", when=mbs.acceleration("arm")[0] > 1), "loop 'park': whether it holds depends on a"
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", AT_ONCE)
def test_methods_report_mistakes_and_leave_the_model_unchanged(kind: str) -> None:
    """Each method raises one message and leaves the model as it was."""
    mistake, message = AT_ONCE[kind]
    m = machine()
    with pytest.raises(mbs.ModelError) as caught:
        mistake(m)
    assert re.search(message, str(caught.value)), str(caught.value)
    assert not {"park", "floor", "rub", "stop"} & (set(m.loops) | set(m.forces))


@pytest.mark.parametrize("kind", COMPILED)
def test_mistakes_that_need_the_whole_model_are_reported_at_compilation(kind: str) -> None:
    mistake, message = COMPILED[kind]
    m = machine()
    with pytest.raises(mbs.ModelError) as caught:
        mistake(m)
        compile_model(m)
    assert re.search(message, str(caught.value)), str(caught.value)


def test_a_taken_name_of_an_end_leaves_no_closure_behind() -> None:
    """Two ends are two closures: if the second one's name is taken, the first one is not added either."""
    m = machine()
    m.constrain("stop_upper", AT)
    with pytest.raises(mbs.ModelError, match="'stop_upper'"):
        stop(m, lower=-1.0, restitution=0.0)
    assert set(m.loops) == {"even", "stop_upper"}
    stop(m, restitution=0.0)  # a single end has the limit's name
    assert set(m.loops) == {"even", "stop_upper", "stop"}


@pytest.mark.parametrize("depth", [1e-3, 0.25])
def test_a_start_with_penetration_is_refused(depth: float, in_plain_python: None) -> None:
    """The message gives name and depth; a start in touch is accepted."""
    m = Model("sunk")
    m.body("sled", joint=mbs.Prismatic("z"), mass=1.0)
    m.contact("floor", "world", "sled", mbs.OnPlane("z"), at_b=(0, 0, -0.5))
    m.start("sled", q=0.5 - depth)
    with pytest.raises(mbs.ModelError, match=rf"contact 'floor' starts with a penetration of {depth:g}"):
        mbs.simulate(m, 0.1)
    m.start("sled", q=0.5)
    assert abs(mbs.simulate(m, 0.1)["sled.s"][-1] - 0.5) < 1e-12


def test_a_start_beyond_a_rigid_end_is_refused(in_plain_python: None) -> None:
    m = Model("bent")
    m.body("arm", joint=mbs.Revolute("z"), **SOLID)  # type: ignore[arg-type]
    m.limit("stop", on="arm", lower=-1.0, upper=m.parameter("most", 1.0), restitution=0.5)
    m.start("arm", q=-1.25)
    with pytest.raises(mbs.ModelError, match=r"'stop_lower' starts with a penetration of 0\.25"):
        mbs.simulate(m, 0.1)
    m.start("arm", q=0.75)
    with pytest.raises(mbs.ModelError, match=r"'stop_upper' starts with a penetration of 0\.25"):
        mbs.simulate(m, 0.1, parameters={"most": 0.5})


def test_ends_are_named_after_their_limit() -> None:
    """A single end has the limit's name, two ends have it with a suffix."""
    for bounds, names in (
        ({"lower": -1.0}, {"stop"}), ({"upper": 1.0}, {"stop"}),
        ({"lower": -1.0, "upper": 1.0}, {"stop_lower", "stop_upper"}),
    ):  # fmt: skip
        m = Model("stopped")
        m.body("arm", joint=mbs.Revolute("z"), **SOLID)  # type: ignore[arg-type]
        m.limit("stop", on="arm", **bounds, restitution=0.5)
        assert set(m.loops) == names and not m.forces
        for name in names:
            m.output(f"of_{name}", mbs.constraint_mode(name))
        compile_model(m)


def test_restitution_may_be_a_parameter(in_plain_python: None) -> None:
    """The parameter is tunable within its bounds."""
    m = Model("ball")
    m.body("ball", joint=mbs.Prismatic("z"), mass=1.0)
    e = m.parameter("e", 0.5, min=0.0, max=1.0)
    m.contact("floor", "world", "ball", mbs.OnPlane("z"), restitution=e)
    m.start("ball", q=0.1, u=-1.0)
    for value in (0.0, 0.25, 1.0):
        (first, *_) = mbs.simulate(m, 0.2, parameters={"e": value}, rtol=1e-9).switches
        v = (1.0 + 2 * 9.81 * 0.1) ** 0.5
        assert first["lost"] == pytest.approx(0.5 * (1 - value**2) * v * v, abs=1e-9)
