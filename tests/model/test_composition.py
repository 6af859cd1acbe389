"""A model included in another one: the same model under other names and in another place, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.compile.build import compile_model
from mbs_fmu.model.effects import Effect
from mbs_fmu.model.forces import AlongPlace
from mbs_fmu.model.model import Model
from mbs_fmu.model.places import joint_place
from mbs_fmu.record.program import Program
from mbs_fmu.run.bundled import bundled_model
from mbs_fmu.symbolic.expressions import Expression
from mbs_fmu.symbolic.graph import leaves
from support.cases import Case, each, tiers
from support.generators.loops import loops_of
from support.generators.mechanisms import JOINTS, Plain, add_drives, random_rotation
from support.generators.trees import add_forces, add_rotors, add_sensors, moving_tree
from support.hosts.foreign import Pump
from support.hosts.python_slaves import Slaves, reference, start
from support.models.elastic_models import boom

ROD: dict[str, Any] = {"mass": 1.0, "com": (0.4, 0, 0.1), "inertia": (0.02, 0.1, 0.1)}


def around(other: Model, prefix: str = "sub", **more: Any) -> Model:
    """Return a model that contains only the other one, with the settings that belong to a whole model."""
    m = Model(other.name, gravity=other.gravity, description=other.description)
    m.stabilization = other.stabilization
    m.include(other, prefix, **more)
    return m


def same_program(one: Program, two: Program) -> bool:
    """True if functions, numbers and variables are equal apart from names."""
    names = [[variable.name.replace("sub.", "") for variable in program.variables] for program in (one, two)]
    return one.text == two.text.replace("sub.", "") and one.record == two.record and names[0] == names[1]


def check_same(m: Model) -> None:
    assert same_program(compile_model(m), compile_model(around(m)))


# -- the law -------------------------------------------------------------------------------------------------


@each(JOINTS, rounds=1, usual=1, quick=1)
def test_an_included_tree_compiles_to_the_same_text(case: Case) -> None:
    """With all forces, rotors and sensors, an included tree compiles to the same text and has the same motion."""
    m, rng = moving_tree(case), np.random.default_rng(case.seed)
    add_forces(m, rng)
    add_rotors(m)
    add_sensors(m, list(m.bodies.values())[-1])
    check_same(m)


@each(JOINTS, rounds=1, usual=1)
def test_an_included_driven_tree_compiles_to_the_same_text(case: Case) -> None:
    m = moving_tree(case)
    add_drives(m, np.random.default_rng(case.seed), 0.6)
    check_same(m)


@each(("distance", "slide_turn_turn", "rolling", "cams"), rounds=1, usual=1)
def test_an_included_model_with_loops_compiles_to_the_same_text(case: Case) -> None:
    check_same(loops_of(case))


BUNDLED = (
    "governor", "clutch", "speed_regulator", "cam_follower", "boom_with_load", "planetary_gear", "rack_steering",
    "flexible_slider_crank", "rolling_disc", "solar_array", "bouncing_pendulum", "differential", "free_top",
)  # fmt: skip


@pytest.mark.parametrize("name", tiers(BUNDLED, usual=1))
def test_included_bundled_models_compile_to_the_same_text(name: str) -> None:
    """The bundled models include gears, cams, clutches, impacts, elastic bodies and controllers."""
    check_same(bundled_model(name, name))


def everything() -> Model:
    """Return a model that uses the methods missing in the models above; its names occur in no other text."""
    m = Model("everything")
    k, push = m.parameter("xk", 3.0), m.input("xpush", start=0.4)
    arm = m.body("xarm", joint=mbs.Revolute("y"), **ROD)
    hand = m.body("xhand", arm, mbs.Revolute("y"), at=(1, 0, 0), **ROD)
    wheel = m.body("xwheel", joint=mbs.Revolute("y"), at=(0, 0, 2), **ROD)
    m.body("xball", joint=mbs.Free(), **ROD)
    m.friction("xstick", on=wheel, torque=k, stick=True, against=arm)
    m.motor("xcurved", on=hand, torque=m.table("xcurve", [0.0, 1.0], [0.1, 0.3])(mbs.coordinate(hand)))
    m.lock("xlock", hand, when=mbs.signal("xclock") > 1, until=mbs.time > 2)
    m.freewheel("xfree", on=wheel, against=arm)
    m.limit("xstop", on=hand, lower=-1.0, upper=k, restitution=0.5)
    m.contact("xfloor", "world", "xball", mbs.OnPlane("z"), at_a=(0, 0, -3))
    m.gear("xteeth", arm, wheel, ratio=-k, stiffness=1e3, backlash=0.1)
    m.gear("xmesh", arm, wheel, teeth=(20, 30), pressure_angle="20 deg", stiffness=lambda p: 1e3 * (k + mbs.cos(p)))
    m.gear("xhelical", arm, wheel, teeth=(20, 30), pressure_angle="20 deg", helix="15 deg")
    m.state("xclock", rate=lambda x: push - 0.1 * x)
    m.sampled("xlate", 0.1, lambda x: (mbs.rate(arm), x[0]), start=(0.0, 0.0))
    m.event("xturn", mbs.coordinate(arm) - 1.0, reset={"xarm.w": -mbs.rate("xarm"), "xlate[2]": 0.0, "xclock": k})
    m.output(
        "xmode",
        mbs.constraint_mode("xstick") + mbs.impulse("xstop_lower") + mbs.strength("xteeth") + mbs.power("xteeth"),
    )
    m.output("xboth", [mbs.signal("xlate[2]"), mbs.signal("xmode"), mbs.multiplier("xlock", mean=True)])
    m.output("xbearing", mbs.reaction(hand))
    m.flange("xshaft", wheel)
    m.body("xcart", joint=mbs.Prismatic("x"), **ROD)
    m.drive("xrail", on="xcart", position=mbs.sin(k * mbs.time))
    m.shaft("xshaft_between", [(arm, k, 10.0, 1.0), (wheel, 1.0, 10.0, k)])
    m.pull("xpull", "world", hand, at_a=(0, 3, 0), force=k)
    m.rope("xrope", [("world", (0, 4, 0)), (hand, (0, 0, 0.1)), (wheel, (0.1, 0, 0))], length=k, stiffness=10.0 * k)
    m.cylinder(
        "xjack", arm, wheel, at_b=(0, 1, 0), bore=0.04, stroke=0.3, closed=0.5, opening=push, flow=1e-9, supply=1e6
    )
    m.rotor("xmotor", on=hand, inertia=0.1 * k)
    m.body("xtail", hand, mbs.Revolute("x"), at=(1, 0, 0), **ROD)
    m.follow("xpair", on="xtail", leader=wheel, ratio=0.1 * k)
    m.shape("world", mbs.Sphere(0.1 * k))
    m.start(arm, q=0.1 * k, u=1.0)
    m.range("xcart", -1.0, 1.0)
    m.start("xball", q=(0, 0, 1, 1, 0, 0, 0))
    return m


def test_all_model_methods_survive_inclusion() -> None:
    check_same(everything())


def texts(value: Any, seen: set[int]) -> set[str]:
    """Return all texts in a value, except keys of nodes."""
    if isinstance(value, str):
        return {value}
    if id(value) in seen:
        return set()
    seen.add(id(value))
    inside: list[Any] = []
    if isinstance(value, Expression):
        inside = leaves([value])
    elif is_dataclass(value):
        inside = [getattr(value, entry.name) for entry in fields(value)]
    elif isinstance(value, (tuple, list)):
        inside = list(value)
    elif isinstance(value, dict):
        inside = [*value, *value.values()]
    return {text for part in inside for text in texts(part, seen)}


@pytest.mark.quick
def test_inclusion_leaves_no_old_name() -> None:
    """No field of an included item keeps an old name: a field that holds names and does not declare
    so would leave one.
    """
    m = everything()
    m.static_starts = {"xarm": True}  # otherwise it would need an elastic body, and no loop
    m.fmu("xpump", Pump(), inputs={"speed": mbs.rate("xarm")}, outputs=["torque"])  # which compilation refuses
    empty = [name for name, table in vars(m).items() if isinstance(table, dict) and not table]
    assert not empty, "tell `everything` the new word"
    old = {name for table in vars(m).values() if isinstance(table, dict) for name in table} - {"world"}
    assert len(old) > 15
    included = {text for table in vars(around(m)).values() for text in texts(table, set())}
    assert not old & included
    assert {f"sub.{name}" for name in old} <= included


@pytest.mark.quick
def test_shapes_of_included_bodies_use_the_new_names() -> None:
    """Parameters in lengths and places have their new names, and shapes of the world belong to the frame."""
    m = an_arm()
    c = m.parameter("size", 0.1)
    m.shape("upper", [mbs.Box(c, 2 * c, 0.1, at=np.array([c, 0, 0])), mbs.Line([(0, 0, 0), (c, 0, 0)], 0.01)])
    m.shape("world", mbs.Sphere(c, color="red"))
    host = around(m)
    assert list(host.shapes) == ["sub.upper", "sub"] and host.shapes["sub"][0].color == "red"
    lengths = [x for shapes in host.shapes.values() for shape in shapes for x in shape.expressions]
    assert {str(reference) for reference in leaves(lengths)} == {"sub.size"}


@pytest.mark.quick
def test_nodes_of_included_elastic_bodies_are_bodies_of_the_model() -> None:
    """The frames on nodes of the body are those that the model knows."""
    m = around(boom())
    arm = m.bodies["sub.arm"]
    assert arm.node("tip") is m.bodies["sub.arm.tip"]
    m.output("tip", mbs.deformation(arm, arm.node("tip")))
    m.force("pull", on=arm.node("tip"), force=(0, 0, 1))


@pytest.mark.quick
def test_the_included_model_is_unchanged() -> None:
    m = everything()
    before, versions = compile_model(m), (m.version, m.value_version)
    host = around(m)
    host.set_parameter("sub.xk", 5.0)
    host.start("sub.xarm", q=0.1)
    assert (m.version, m.value_version) == versions and compile_model(m) == before
    host = Model("host")
    host.include(m, "sub")
    m.body("later")
    assert "sub.later" not in host.bodies


# -- other places -----------------------------------------------------------------------------------------------


def add_arm(m: Model, name: str = "{}", base: str = "world", place: Any = (0, 0, 0), turn: Any = None) -> None:
    """Add two rods, the second tied to the world by a spring; all of it may hang on a base, displaced and turned."""
    turn = np.eye(3) if turn is None else turn
    upper, lower = name.format("upper"), name.format("lower")
    at = mbs.Pose(np.array(place) + turn @ [0.3, 0.2, 0.1], turn @ QUARTER)
    m.body(upper, base, mbs.Universal("yz"), at=at, **ROD)
    m.body(lower, upper, mbs.Revolute("y"), at=(1, 0, 0), **ROD)
    m.start(upper, q=(0.2, 0.1), u=(0.5, -0.3))
    m.start(lower, q=0.4, u=1.0)
    c, push = m.parameter(name.format("c"), 30.0), m.input(name.format("push"), unit="N.m", start=0.5)
    tied = np.array(place) + turn @ [0, 0, 3.0]
    m.spring(name.format("tie"), base, lower, at_a=tied, at_b=(1, 0, 0), stiffness=c, damping=0.3)
    m.motor(name.format("drive"), on=lower, torque=push)
    m.output(name.format("tip"), mbs.position(lower, (1, 0, 0)))
    m.output(name.format("pull"), mbs.strength(name.format("tie")))


QUARTER = np.array([[0.0, 0, 1], [1, 0, 0], [0, 1, 0]])


def an_arm() -> Model:
    m = Model("arm", gravity=(1, 2, -9))
    add_arm(m)
    return m


def a_ship() -> Model:
    m = Model("ship", gravity=(1, 2, -9))
    m.body("ship", joint=mbs.Free(), mass=3.0, com=(0, 0.1, 0), inertia=(1, 2, 2))
    m.start("ship", q=(1, 2, 3, 0.9, 0.1, 0.2, 0.3), u=(1, 2, 3, 0.3, 0.2, 0.1))
    return m


def rates(m: Model) -> dict[str, float]:
    """Return all rates and outputs at the start."""
    plain = Plain(m)
    plain.rates()
    plain.real.outputs(plain.R)
    return {v.name: float(plain.R[v.slot]) for v in plain.program.variables if v.role in ("derivative", "output")}


def check_close(computed: dict[str, float], expected: dict[str, float]) -> None:
    """Assert that the numbers agree to some hundred roundings of the largest one."""
    size = max(map(abs, expected.values()))
    assert len(expected) > 5
    for name, value in expected.items():
        assert abs(computed[name] - value) < 1e-13 * size, name


@pytest.mark.parametrize("base", ["world", "ship"])
@pytest.mark.quick
def test_an_included_model_on_a_moving_body_equals_a_handwritten_one(base: str) -> None:
    """The model is included on a moving body, displaced and turned."""
    place, turn = (0.5, -0.3, 0.2), random_rotation(np.random.default_rng(3))
    by_hand, with_it = a_ship(), a_ship()
    add_arm(by_hand, "sub_{}", base, place, turn)
    with_it.include(an_arm(), "sub", on=base, at=mbs.Pose(place, turn))
    computed = {name.replace("sub.", "sub_"): value for name, value in rates(with_it).items()}
    expected = rates(by_hand)
    assert computed.keys() == expected.keys()
    check_close(computed, expected)


@pytest.mark.quick
def test_a_model_included_twice_moves_as_two_models() -> None:
    """Side by side on the world, each moves as alone, by its own parameters and inputs; the same holds for one inside
    the other.
    """
    alone = {}
    for c in (30.0, 50.0):
        m = an_arm()
        m.set_parameter("c", c)
        alone[c] = rates(m)
    m = Model("two", gravity=(1, 2, -9))
    inner = Model("inner")
    inner.include(an_arm(), "deep")
    m.include(an_arm(), "left")
    m.include(inner, "right")
    m.set_parameter("right.deep.c", 50.0)
    computed = rates(m)
    for prefix, c in (("left", 30.0), ("right.deep", 50.0)):
        own = {name: computed[re.sub(r"^(der\()?", rf"\1{prefix}.", name)] for name in alone[c]}
        check_close(own, alone[c])


# -- inputs --------------------------------------------------------------------------------------------------


def with_push(push: Any) -> Model:
    """Return the arm with the value in place of its input."""
    m = Model("host", gravity=(1, 2, -9))
    gain, level = m.parameter("gain", 2.0), m.input("level", start=0.7)
    m.include(an_arm(), "sub", inputs={"push": push(gain, level)})
    return m


@pytest.mark.quick
@pytest.mark.parametrize(
    ("push", "value"),
    [
        (lambda gain, level: 0.9, 0.9),
        (lambda gain, level: "900 mN.m", 0.9),
        (lambda gain, level: level, 0.7),
        (lambda gain, level: gain * level - mbs.rate("sub.upper", 1), 0.9),
        (lambda gain, level: mbs.signal("gain") + mbs.signal("late"), 3.0),
        (lambda gain, level: mbs.signal("three[2]") * 0.5, 1.1),
    ],
)
def test_inputs_of_an_included_model_can_be_replaced(push: Callable[[Any, Any], Any], value: float) -> None:
    """Numbers, inputs and expressions of this model, also later ones, replace inputs, which are then inputs no more."""
    plain = an_arm()
    plain.inputs = {}
    plain.input("push", start=value)
    m = with_push(push)
    m.output("late", mbs.time + 1.0)
    m.output("three", [mbs.time, mbs.signal("gain") + 0.2, mbs.time])
    assert list(m.inputs) == ["level"]
    computed, expected = rates(m), rates(plain)
    check_close({name: computed[re.sub(r"^(der\()?", r"\1sub.", name)] for name in expected}, expected)


@pytest.mark.quick
def test_controller_and_plant_can_be_wired_both_ways() -> None:
    """Outputs of one model feed the other and measures feed back; the result equals that of one model."""
    pd = Model("pd")
    angle, rate = pd.input("angle"), pd.input("rate")
    pd.output("torque", -pd.parameter("k", 4.0) * angle - 0.5 * rate)
    m = Model("host", gravity=(1, 2, -9))
    m.include(an_arm(), "arm", inputs={"push": mbs.signal("pd.torque")})
    m.include(pd, "pd", inputs={"angle": mbs.coordinate("arm.lower"), "rate": mbs.rate("arm.lower")})
    by_hand = an_arm()
    by_hand.inputs = {}
    by_hand.input("push", start=-4.0 * 0.4 - 0.5)
    computed, expected = rates(m), rates(by_hand)
    check_close({name: computed[re.sub(r"^(der\()?", r"\1arm.", name)] for name in expected}, expected)


@pytest.mark.quick
def test_outputs_that_depend_on_themselves_are_refused() -> None:
    m = Model("loop")
    m.output("a", mbs.signal("b") + 1.0)
    m.output("b", 2.0 * mbs.signal("a"))
    with pytest.raises(
        mbs.ModelError, match=r"output '[ab]' depends on itself, (a -> b -> a|b -> a -> b): put a state"
    ):
        compile_model(m)


def driven() -> Model:
    """Return a model whose input cannot be replaced by every expression."""
    m = Model("driven")
    where, speed = m.input("where"), m.input("speed")
    m.body("cart", joint=mbs.Prismatic("x"), mass=1.0)
    m.body("load", "cart", mbs.Revolute("y"), **ROD)
    m.drive("rail", on="cart", position=where, rate=speed)
    m.friction("rust", on="load", torque=1.0 + m.input("more"), stick=True)
    m.state("x", 1.0 / m.input("slow"))
    return m


@pytest.mark.quick
@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        (
            {"where": mbs.rate("sub.load"), "speed": 0.0},
            r"drive 'sub.rail' depends on rate\(sub.load\): a prescribed motion",
        ),
        ({"where": mbs.sin(mbs.time), "speed": mbs.time}, "drive 'sub.rail': rate 1 is 0 at t = 0 s, but the position"),
        ({"more": mbs.reaction("sub.load").f[0]}, "loop 'sub.rust' depends on a reaction of the same instant"),
        ({"slow": 0}, "model 'driven' as 'sub': it divides by an input that is zero by inputs=: give another number"),
        (
            {"sped": 0},
            r"model 'driven' as 'sub': unknown input 'sped' \(did you mean 'speed'\?\); inputs of .*: where",
        ),
        ({"where": "far"}, "input 'where' of model 'driven' as 'sub' must be a number or an expression, not 'far'"),
        (
            {"where": mbs.coordinate("cart")},
            r"inputs of model 'driven' as 'sub': unknown body 'cart' \(did you mean 'sub.cart'\?\); bodies of",
        ),
        ([("where", 0)], "inputs of model 'driven' as 'sub' are .* give expressions by name"),
    ],
)
def test_invalid_input_replacements_are_refused_and_leave_no_trace(inputs: Any, message: str) -> None:
    """Each is refused in one line, and afterwards the model contains nothing of the other one."""
    m = Model("host")
    with pytest.raises(mbs.ModelError, match=message):
        m.include(driven(), "sub", inputs=inputs)
    assert not m.bodies and not m.inputs and not m.states and m.version == Model("host").version


# -- refused inclusions --------------------------------------------------------------------------------------


@pytest.mark.quick
def test_invalid_inclusions_are_refused() -> None:
    m = a_ship()
    m.output("pd.c", mbs.time)
    pd = Model("pd")
    pd.parameter("c", 1.0)
    tries: list[tuple[str, Callable[[], object]]] = [
        ("model 'ship' can't be in itself", lambda: m.include(m, "sub")),
        ("include: 'arm' is not a model: give an mbs.Model", lambda: m.include("arm", "sub")),  # type: ignore[arg-type]
        ("prefix of model 'arm': body name 'ship' is taken by a body", lambda: m.include(an_arm(), "ship")),
        ("prefix of model 'arm': body name 'a.b' must be an identifier", lambda: m.include(an_arm(), "a.b")),
        ("prefix of model 'arm': body name 'world' is reserved", lambda: m.include(an_arm(), "world")),
        (
            r"model 'arm' as 'sub': unknown body 'shop' \(did you mean 'ship'\?\); bodies of model",
            lambda: m.include(an_arm(), "sub", on="shop"),
        ),
        ("belongs to another model", lambda: m.include(an_arm(), "sub", on=a_ship().bodies["ship"])),
        ("at of body 'sub' must be 3 numbers", lambda: m.include(an_arm(), "sub", at=1.0)),
        ("parameter name 'pd.c' is taken by an output of model 'ship'", lambda: m.include(pd, "pd")),
        ("model 'pd' as 'pid' has no bodies, and nothing to be placed", lambda: m.include(pd, "pid", on="ship")),
    ]
    for message, call in tries:
        with pytest.raises(mbs.ModelError, match=message):
            call()
    assert list(m.bodies) == ["ship"] and not m.parameters
    m.include(an_arm(), "sub")
    with pytest.raises(mbs.ModelError, match="prefix of model 'arm': body name 'sub' is taken"):
        m.include(an_arm(), "sub")


@pytest.mark.quick
def test_a_model_without_bodies_has_no_frame() -> None:
    pd = Model("pd")
    pd.output("u", pd.parameter("c", 2.0) * pd.input("x"))
    m = around(pd)
    assert not m.bodies and list(m.parameters) == ["sub.c"] and list(m.inputs) == ["sub.x"]
    check_same(pd)


# -- methods of users ------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Weight(AlongPlace):
    """A constant force along a joint velocity."""

    law: Expression

    def effect(self) -> Effect:
        action = self.place.along(self.law)
        return Effect(action, self.law, prescribed=action)


@pytest.mark.quick
def test_methods_of_users_are_included() -> None:
    m = an_arm()
    m.forces["weight"] = Weight("weight", joint_place("lower", 0), mbs.signal("c") * mbs.rate("upper", 1))
    check_same(m)


# -- FMUs ----------------------------------------------------------------------------------------------------


@pytest.mark.usual
@pytest.mark.quick
def test_fmus_contain_included_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The slave of a model with two arms follows `simulate`, and parameters and inputs of each arm can be set."""
    m = Model("two", gravity=(1, 2, -9))
    m.include(an_arm(), "left")
    m.include(an_arm(), "right", at=(0, 5, 0), inputs={"push": 0.0})
    slave = Slaves(tmp_path, monkeypatch)(m, "rk4", step=0.01)
    start(slave, {"right.c": 50.0, "left.push": 0.2})
    for k in range(5):
        assert slave.do_step(0.02 * k, 0.02)
    options = {"stop_time": 0.1, "output_interval": 0.1, "method": "rk4", "step": 0.01}
    result = mbs.simulate(m, **options, parameters={"right.c": 50.0}, inputs={"left.push": 0.2})
    names = ["left.upper.q[1]", "left.lower.phi", "right.lower.phi", "right.tip[2]"]
    computed = slave.get_real([reference(slave, name) for name in names])
    for name, value in zip(names, computed, strict=True):
        expected = result["right.tip"][-1][1] if "tip" in name else result[name][-1]
        assert abs(value - expected) < 1e-12, name
