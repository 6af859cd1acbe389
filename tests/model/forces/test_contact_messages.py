"""Compliant contacts with mistakes are refused: each message has the thing, the value and the remedy."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest

import mbs_fmu as mbs
from mbs_fmu.compile.build import compile_model

pytestmark = pytest.mark.quick
BALL = mbs.Sphere(0.1)


def two() -> mbs.Model:
    """Return two free bodies, a spring and a contact of a box, which has eight points."""
    m = mbs.Model("mistakes")
    for name in "ab":
        m.body(name, joint=mbs.Free(), mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.spring("tie", "a", "b", stiffness=1.0, length=0.1)
    m.contact("box", "world", "a", shape_b=mbs.Box(0.1, 0.1, 0.1), stiffness=1e3)
    return m


def soft(m: mbs.Model, **more: Any) -> None:
    m.contact(**{"name": "x", "a": "world", "b": "b", "shape_b": BALL, "stiffness": 1e3, **more})


CREEPING: dict[str, float] = {"stiffness": 1e3, "friction": 0.5, "creep": 1e-3}
MISTAKES: dict[str, tuple[Callable[[mbs.Model], object], str]] = {
    "taken": (lambda m: soft(m, name="tie"), "force name 'tie' is taken by a force"),
    "ground as b": (lambda m: m.contact("x", "a", "world", stiffness=1e4), "b is the world, and its default shape is"),
    "unknown": (lambda m: soft(m, b="c"), "contact 'x': unknown body 'c'"),
    "itself": (lambda m: soft(m, a="b"), "contact 'x' joins body 'b' with itself"),
    "both": (lambda m: soft(m, restitution=0.5), "contact 'x': give stiffness= of a compliant contact"),
    "pair": (lambda m: soft(m, pair=mbs.OnPlane("z")), "is the pair of a rigid one: give shape_a= and shape_b="),
    "neither": (
        lambda m: m.contact("x", "a", "b"),
        "contact 'x': give a pair such as mbs.OnPlane('z') of a rigid contact, or stiffness= of a compliant one",
    ),
    "rigid friction": (
        lambda m: m.contact("x", "world", "b", mbs.OnPlane("z"), friction=0.5),
        "contact 'x' is rigid, and rigid contacts have no friction",
    ),
    "rigid shape": (
        lambda m: m.contact("x", "world", "b", mbs.OnPlane("z"), shape_b=BALL),
        "contact 'x' is rigid, and shape_b= is for compliant contacts: give stiffness= too",
    ),
    "soft": (lambda m: soft(m, stiffness=0), "stiffness of contact 'x' is 0.0: it must be positive"),
    "slippery": (lambda m: soft(m, friction=-0.1), "friction of contact 'x' is -0.1: it must not be negative"),
    "dissipation": (lambda m: soft(m, dissipation=-1), "dissipation of contact 'x' is -1.0: it must not be negative"),
    "exponent": (lambda m: soft(m, exponent=2), "exponent of contact 'x' is 2: give 1, or 1.5 for Hertzian contact"),
    "Hertz": (lambda m: soft(m, exponent=1.5, friction=0.3), "contact 'x': with exponent=1.5 friction needs"),
    "static": (
        lambda m: soft(m, friction=0.5, static=0.4),
        "static friction of contact 'x' is 0.4: it must be at least",
    ),
    "speed": (lambda m: soft(m, friction=0.5, speed=0.1), "contact 'x': speed= has no effect without static friction"),
    "no friction": (lambda m: soft(m, grip=1e3), "contact 'x' has no friction, so grip= has no effect"),
    "creeping": (lambda m: soft(m, friction=0.5, creep=1e-3, pad=0.1), "friction that creeps, so pad= has no effect"),
    "rolling": (lambda m: soft(m, roll=1e-3), "contact 'x' has no friction, so roll= has no effect"),
    "rolling near": (
        lambda m: m.mutual_contact(
            "x", {"a": mbs.Cylinder(1, 1), "b": mbs.Box(1, 1, 1)}, near=True, **CREEPING, roll=1e-3
        ),
        "with points, which do not roll: leave roll= or near= out",
    ),
    "roll": (lambda m: soft(m, friction=0.5, roll=0), "roll of contact 'x' is 0.0: it must be positive"),
    "rolling point": (
        lambda m: soft(m, friction=0.5, roll=1e-3, shape_b=(0, 0, 0.1)),
        "contact 'x': a single point does not roll: leave roll= out, or give a shape such as mbs.Sphere",
    ),
    "creep": (lambda m: soft(m, friction=0.5, creep=0), "creep of contact 'x' is 0.0: it must be positive"),
    "settling": (lambda m: soft(m, friction=0.5, settling=0), "settling of contact 'x' is 0.0: it must be positive"),
    "settling law": (
        lambda m: soft(m, friction=0.5, settling=m.parameter("tau", 1e-3)),
        "settling of contact 'x' is an expression: give a number",
    ),
    "side": (lambda m: soft(m, shape_b=mbs.Plane()), "can't meet the Plane on a: a plane on a meets points"),
    "other side": (
        lambda m: soft(m, shape_a=BALL, shape_b=mbs.Plane()),
        "can't meet the Sphere on a: exchange a and b, with their shapes",
    ),
    "number": (lambda m: soft(m, shape_b=0.1), "0.1 can't meet the Plane on a: a plane on a meets points"),
    "base": (
        lambda m: soft(m, shape_a=mbs.Ellipsoid(0.1, 0.2, 0.3)),
        "give mbs.Plane, Profile, HeightField, Sphere, Capsule, Box, Cylinder, Mesh or Points; a plane on a meets",
    ),
    "ellipsoid on box": (
        lambda m: soft(m, shape_a=mbs.Box(1, 1, 1), shape_b=mbs.Ellipsoid(0.1, 0.2, 0.3)),
        "can't meet the Box on a: a plane on a meets points",
    ),
    "no shapes": (lambda m: soft(m, shape_b=[]), "contact 'x' has no shape on b"),
    "ground": (lambda m: m.ground("x", {"c": BALL}, stiffness=1e3), "ground 'x': unknown body 'c'"),
    "ground shapes": (lambda m: m.ground("x", BALL, stiffness=1e3), "ground 'x': shapes are"),  # type: ignore[arg-type]
    "ground law": (lambda m: m.ground("x", {"a": BALL}, stiffness=0), "stiffness of ground 'x' is 0.0: it must be"),
    "contacts": (
        lambda m: m.mutual_contact("x", {"a": BALL, "c": BALL}, stiffness=1e3),
        "mutual contact 'x': unknown body 'c'",
    ),
    "contacts shapes": (lambda m: m.mutual_contact("x", [BALL], stiffness=1e3), "mutual contact 'x': shapes are"),  # type: ignore[arg-type]
    "contacts law": (
        lambda m: m.mutual_contact("x", {"a": BALL, "b": BALL}, stiffness=0),
        "stiffness of mutual contact 'x' is 0.0",
    ),
    "contacts of one": (
        lambda m: m.mutual_contact("x", {"a": BALL}, stiffness=1e3),
        "mutual contact 'x': no two of these bodies can collide: give shapes of two that no joint connects",
    ),
    "contacts of boxes": (
        lambda m: m.mutual_contact("x", {"a": mbs.Points([(0, 0, 0)]), "b": mbs.Points([(0, 0, 0)])}, stiffness=1e3),
        "contact 'x.a.b'",
    ),
    "excluded": (
        lambda m: m.mutual_contact("x", {"a": BALL, "b": BALL}, exclude=["a"], stiffness=1e3),  # type: ignore[list-item]
        "mutual contact 'x': exclude has 'a': give pairs of bodies, such as [('hand', 'table')]",
    ),
    "excluded body": (
        lambda m: m.mutual_contact("x", {"a": BALL, "b": BALL}, exclude=[("a", "world")], stiffness=1e3),
        "mutual contact 'x': exclude has body 'world', which has no shape in this call: leave it out",
    ),
    "ground name": (lambda m: m.ground("x.y", {"a": BALL}, stiffness=1e3), "must be an identifier"),
}


@pytest.mark.parametrize("which", MISTAKES)
def test_mistakes_are_refused(which: str) -> None:
    """The model is as before: the contact can be added without the mistake."""
    m, (mistake, message) = two(), MISTAKES[which]
    with pytest.raises(mbs.ModelError) as error:
        mistake(m)
    assert message in str(error.value)
    soft(m)


MEASURES: dict[str, tuple[Callable[[], Any], str]] = {
    "spring": (lambda: mbs.slip("tie"), "spring 'tie' has no mbs.slip, compliant contacts (m.contact) have one"),
    "which": (lambda: mbs.slip("box"), "contact 'box' has 8 points: say which, mbs.slip('box', 1) to 8"),
    "beyond": (lambda: mbs.penetration("box", 9), "point 9 of contact 'box' does not exist: use 1 to 8"),
    "unknown": (lambda: mbs.contact_force("bx"), "unknown force 'bx' (did you mean 'box'?"),
    "list": (lambda: mbs.contact_force(["box", "bx"]), "unknown force 'bx'"),
}


@pytest.mark.parametrize("which", MEASURES)
def test_mistaken_measures_are_refused(which: str) -> None:
    m, (measure, message) = two(), MEASURES[which]
    m.output("x", measure())
    with pytest.raises(mbs.ModelError) as error:
        compile_model(m)
    assert message in str(error.value)


def test_point_numbers_begin_at_one() -> None:
    for point in (0, 1.5, "1"):
        with pytest.raises(mbs.ModelError, match="give a number from 1 on"):
            mbs.slip("box", point)  # type: ignore[arg-type]


def test_a_law_may_not_depend_on_its_own_measures() -> None:
    m = two()
    soft(m, friction=0.1 * mbs.strength("x"))
    with pytest.raises(mbs.ModelError, match="'x' depends on its own power or strength"):
        compile_model(m)


def test_steps_with_which_bristles_explode_are_refused() -> None:
    """By explicit methods with fixed steps; a run with error control or a stiff method goes on."""
    m = two()
    soft(m, friction=0.5, settling="1 ms")
    with pytest.raises(
        mbs.ArgumentError, match=r"step is 0.003 s, .* the bristles of contact 'x' explode beyond 0.0025"
    ):
        mbs.simulate(m, 1.0, method="rk4", step=3e-3)
    with pytest.raises(mbs.ArgumentError, match="explode beyond"):
        mbs.export(m, "never.fmu", method="rk4", step=3e-3)
    with pytest.raises(mbs.ArgumentError, match="explode beyond"):
        mbs.live(m, "never.html", method="rk4", step=3e-3)


def test_included_and_copied_models_keep_their_contacts() -> None:
    """States and measures get the prefix; a pickled model compiles to the same program."""
    inner = two()
    inner.ground("floor", {"b": BALL}, stiffness=1e3, friction=0.3)
    inner.output("force", mbs.contact_force("floor.b"))
    outer = mbs.Model("outer")
    outer.include(inner, "one")
    outer.output("slip", mbs.slip("one.floor.b"))
    names = {v.name for v in compile_model(outer).variables}
    assert {"one.floor.b.z1", "one.floor.b.z2"} <= names
    for other in (copy.deepcopy(inner), pickle.loads(pickle.dumps(inner))):
        assert compile_model(other).text == compile_model(inner).text
