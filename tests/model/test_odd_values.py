"""Every method works with any value or reports one line about it: no internal error reaches the user."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import mbs_fmu as mbs
from mbs_fmu.compile.build import compile_model
from mbs_fmu.model.closures import Pair
from support.cases import tiers
from support.generators.invalid_values import SOLID, odd_values, simple
from support.hosts.foreign import Pump

BRUSH = mbs.Tyre.brush(radius=0.3, stiffness=1e4, load=1e3, slip_stiffness=1e4, friction=0.9)
PIECE = mbs.beam(0.1, mbs.Rectangle(0.02, 0.01), E=2e11, density=7800.0, modes=2, along="z")
WORDS: dict[str, dict[str, Any]] = {  # each with valid arguments
    "fmu": {"name": "new", "partner": Pump(), "inputs": {"speed": mbs.rate("arm")}, "outputs": ["torque"]},
    "include": {"other": mbs.Model("other"), "prefix": "new", "on": "world", "inputs": {}},
    "body": {"name": "new", "parent": "arm", "joint": mbs.Revolute("x"), **SOLID},
    "chain": {"name": "new", "parent": "arm", "beam": PIECE, "count": 2},
    "drive": {"name": "new", "on": "arm", "position": mbs.time, "rate": 1.0, "coordinate": 1},
    "close": {"name": "new", "a": "arm", "b": "ball", "joint": mbs.Spherical()},
    "constrain": {"name": "new", "equations": mbs.coordinate("arm")},
    "roll": {"name": "new", "wheel": "ball", "on": "world", "radius": 0.3},
    "gear": {"name": "new", "a": "arm", "b": "wheel", "teeth": (20, 30)},
    "rotor": {"name": "new", "on": "arm", "inertia": 0.1},
    "follow": {"name": "new", "on": "arm", "leader": "wheel", "ratio": 2.0, "offset": 0.1},
    "rack": {"name": "new", "pinion": "arm", "rack": "slider", "radius": 0.1},
    "lock": {"name": "new", "on": "hand", "coordinate": 1, "when": mbs.time >= 1, "until": mbs.time >= 2},
    "freewheel": {"name": "new", "on": "hand", "coordinate": 1, "against": "wheel"},
    "contact": {"name": "new", "a": "world", "b": "ball", "pair": mbs.OnPlane("z"), "restitution": 0.5},
    "ground": {"name": "new", "shapes": {"ball": mbs.Sphere(0.1)}, "stiffness": 1e3, "friction": 0.5},
    "dc_motor": {
        "name": "new",
        "on": "hand",
        "coordinate": 1,
        "voltage": 12.0,
        "resistance": 1.0,
        "inductance": 1e-3,
        "constant": 0.05,
        "ratio": 20.0,
        "rotor": 1e-4,
    },
    "lugre_friction": {
        "name": "new",
        "on": "hand",
        "coordinate": 1,
        "coulomb": 1.0,
        "static": 1.5,
        "speed": 0.1,
        "stiffness": 50.0,
        "damping": 1.0,
    },
    "mutual_contact": {
        "name": "new",
        "shapes": {"ball": mbs.Sphere(0.1), "hand": mbs.Sphere(0.1), "wheel": mbs.Box(0.1, 0.1, 0.1)},
        "exclude": [("hand", "wheel")],
        "near": 0.01,
        "most": 3,
        "stiffness": 1e3,
        "friction": 0.5,
        "creep": 0.01,
    },
    "stabilize": {},
    "parameter": {"name": "new", "value": 1.0},
    "table": {"name": "new", "points": [0.0, 1.0], "values": [2.0, 3.0], "period": 2.0},
    "set_parameter": {"name": "c", "value": 2.0},
    "input": {"name": "new"},
    "state": {"name": "new", "rate": 1.0},
    "output": {"name": "new", "value": mbs.coordinate("arm")},
    "event": {"name": "new", "expression": mbs.coordinate("arm")},
    "flange": {"name": "new", "on": "hand", "coordinate": 1},
    "terminal": {"name": "new", "members": {"c": "c"}},
    "sampled": {"name": "new", "period": 0.1, "update": mbs.rate("arm")},
    "shape": {"on": "arm", "shape": mbs.Sphere(0.1)},
    "start": {"body": "arm", "q": 1.0, "u": 1.0},
    "spring": {"name": "new", "a": "arm", "b": "world", "stiffness": 1.0},
    "rotational_spring": {"name": "new", "a": "arm", "b": "hand", "stiffness": 1.0},
    "bushing": {"name": "new", "a": "arm", "b": "hand", "stiffness": 1.0},
    "motor": {"name": "new", "on": "hand", "torque": 1.0, "coordinate": 1},
    "friction": {"name": "new", "on": "hand", "torque": 1.0, "coordinate": 1},
    "range": {"on": "hand", "lower": -1.0, "upper": 1.0, "coordinate": 1},
    "limit": {"name": "new", "on": "hand", "lower": -1.0, "coordinate": 1, "stiffness": 1.0},
    "force": {"name": "new", "on": "hand", "force": (0, 0, 1)},
    "tyre": {"name": "new", "wheel": "wheel", "tyre": BRUSH, "on": "ball", "grip": 0.5},
    "drag": {"name": "new", "on": "hand", "linear": 1.0},
    "shaft": {"name": "new", "couplings": [("arm", 2.0, 1e3, 1.0), ("wheel", 1.0, 1e3, 1.0)], "start": 0.1},
    "pull": {"name": "new", "a": "arm", "b": "ball", "at_b": (1, 1, 1), "force": 1.0},
    "rope": {
        "name": "new",
        "through": [("world", (0, 1, 0)), ("ball", (0, 0, 1)), ("world", (0, 3, 0))],
        "length": 1.0,
        "stiffness": 1e3,
        "damping": 5.0,
        "length_rate": 0.1,
        "friction": 0.2,
        "turns": 6.3,
        "creep": 0.01,
    },
    "cylinder": {
        "name": "new",
        "a": "world",
        "b": "ball",
        "at_a": (0, 0, 2),
        "at_b": (0, 0, 1),
        "bore": 0.1,
        "rod": 0.06,
        "stroke": 0.5,
        "closed": 0.6,
        "opening": 0.0,
        "flow": 1e-7,
        "supply": 2e7,
        "tank": 1e5,
        "modulus": 1e9,
        "dead": 1e-4,
        "leak": 1e-12,
        "viscous": 10.0,
        "stop": 1e7,
        "stop_damping": 1e4,
        "start": (1e5, 1e5),
    },
}
SOFT_CONTACT = {
    "name": "new", "a": "world", "b": "ball", "shape_a": mbs.Plane("z"), "shape_b": mbs.Sphere(0.1), "stiffness": 1e3,
    "dissipation": 0.5, "exponent": 1, "friction": 0.5, "static": 0.6, "speed": 1e-3, "grip": 500.0, "settling": 5e-3,
    "pad": 0.01, "roll": 1e-3,
}  # fmt: skip
CREEPING = {"name": "new", "a": "arm", "b": "ball", "stiffness": 1e3, "friction": 0.5, "creep": 1e-3}
COORDINATE_SPRING = {"name": "new", "on": "hand", "coordinate": 1, "stiffness": 1.0}
STICKING = {"name": "new", "on": "arm", "torque": 1.0, "static": 2.0, "stick": True, "against": "wheel"}
RIGID = {"name": "new", "on": "arm", "lower": -1.0, "upper": 1.0, "restitution": 0.5}
SOFT = {**WORDS["gear"], "stiffness": 1e4, "damping": 5.0, "backlash": 1e-3}
INVOLUTE = {**SOFT, "pressure_angle": 0.35, "helix": 0.2, "error": 1e-6}
RESET = {**WORDS["event"], "reset": {"arm.w": 0.0}}
DELAYED = {**WORDS["sampled"], "update": lambda x: (mbs.rate("arm"), x[0]), "start": (0.0, 0.0), "offset": 0.05}
LATCHED = {**WORDS["close"], "when": mbs.time >= 1, "until": mbs.time >= 2}
SPECIAL = {
    "spring on a joint": COORDINATE_SPRING, "friction that sticks": STICKING, "limit that is rigid": RIGID,
    "contact that gives": SOFT_CONTACT, "contact that creeps": CREEPING,
    "close at times": LATCHED, "gear that gives": SOFT, "involute gear": INVOLUTE, "event that resets": RESET,
    "sampled later": DELAYED,
}  # fmt: skip


def in_simple(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of a model and more as one that is called with a new small model."""

    @functools.wraps(function)
    def call(**arguments: Any) -> None:
        function(simple(), **arguments)

    return call


HELD = {"shaft": "arm", "housing": "world", "at_shaft": (0, 0, 0), "at_housing": mbs.Pose(), "axis": "x"}
THINGS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {  # everything that is not a method of the model
    "Model": (mbs.Model, {"name": "other"}),
    "PointGravity": (mbs.PointGravity, {"mu": 1.0}),
    "Pose": (mbs.Pose, {}),
    "Impedance": (mbs.Impedance, {"solref": (0.02, 1.0), "solimp": (0.9, 0.95, 0.001, 0.5, 2.0)}),
    "Plane": (mbs.Plane, {}),
    "Points": (mbs.Points, {"points": [(0, 0, 0), (1, 0, 0)]}),
    "Box": (mbs.Box, {"x": 0.1, "y": 0.1, "z": 0.1}),
    "Sphere": (mbs.Sphere, {"r": 0.1}),
    "Ellipsoid": (mbs.Ellipsoid, {"a": 0.1, "b": 0.2, "c": 0.3}),
    "Cylinder": (mbs.Cylinder, {"r": 0.1, "length": 1.0}),
    "Capsule": (mbs.Capsule, {"r": 0.1, "length": 1.0}),
    "Ring": (mbs.Ring, {"radius": 1.0, "r": 0.1}),
    "Line": (mbs.Line, {"points": [(0, 0, 0), (1, 0, 0)], "r": 0.1}),
    "Mesh": (mbs.Mesh, {"path": "arm.stl"}),
    "rpy": (mbs.rpy, {"roll": 0.1, "pitch": 0.2, "yaw": 0.3}),
    "axis_angle": (mbs.axis_angle, {"axis": "x", "angle": 0.1}),
    "box": (mbs.box, {"x": 0.1, "y": 0.2, "z": 0.3, "density": 2700}),
    "sphere": (mbs.sphere, {"r": 0.1, "mass": 1.0}),
    "cylinder": (mbs.cylinder, {"r": 0.1, "length": 0.3, "mass": 1.0}),
    "rod": (mbs.rod, {"end": (0, 0, 1), "mass": 1.0}),
    "turn": (mbs.turn, {"axis": "x"}),
    "slide": (mbs.slide, {"axis": "x"}),
    "Revolute": (mbs.Revolute, {}),
    "Screw": (mbs.Screw, {"axis": "z", "pitch": 0.1}),
    "Prismatic": (mbs.Prismatic, {}),
    "Cylindrical": (mbs.Cylindrical, {}),
    "Planar": (mbs.Planar, {}),
    "Universal": (mbs.Universal, {}),
    "ConstantVelocity": (mbs.ConstantVelocity, {}),
    "Compound": (lambda element: mbs.Compound(element), {"element": mbs.turn("x")}),
    "Spherical": (mbs.Spherical, {"angles": "xyz"}),
    "Free": (mbs.Free, {"angles": "zyz"}),
    "CustomJoint": (mbs.CustomJoint, {"coordinates": 1, "position": lambda q, t: (q[0], 0, 0)}),
    "KnuckleCurves": (
        mbs.KnuckleCurves,
        {"travel": (-0.1, 0.0, 0.1), "toe": (0.01, 0.0, 0.02), "rack": {"travel": (-0.1, 0.1), "toe": (-0.3, 0.4)}},
    ),
    "Distance": (mbs.Distance, {"length": 1.0}),
    "OnLine": (mbs.OnLine, {}),
    "OnPlane": (mbs.OnPlane, {}),
    "Rolling": (mbs.Rolling, {"radius": 0.3}),
    "KnifeEdge": (mbs.KnifeEdge, {}),
    "OnCurve": (mbs.OnCurve, {"curve": mbs.Circle(0.1)}),
    "CurveOnCurve": (mbs.CurveOnCurve, {"one": mbs.Circle(0.1), "two": mbs.Circle(0.2)}),
    "Circle": (lambda radius, axis: mbs.OnCurve(mbs.Circle(radius, axis)), {"radius": 0.1, "axis": "z"}),
    "Ellipse": (lambda a, b: mbs.OnCurve(mbs.Ellipse(a, b)), {"a": 0.1, "b": 0.2}),
    "Flat": (lambda axis: mbs.OnCurve(mbs.Flat(axis)), {"axis": "z"}),
    "Polar": (lambda angles, radii: mbs.OnCurve(mbs.Polar(angles, radii)), {"angles": (0, 2, 4), "radii": (1, 1, 1)}),
    "Spline": (lambda points: mbs.OnCurve(mbs.Spline(points)), {"points": ((0, 0), (1, 0), (0, 1))}),
    "Vector": (lambda items: mbs.Vector(items), {"items": (1, 2)}),
    "table": (mbs.table, {"x": mbs.time, "points": (0, 1), "values": (0, 1)}),
    "where": (mbs.where, {"condition": mbs.time > 1, "a": 1, "b": 2}),
    "atan2": (mbs.atan2, {"y": mbs.time, "x": 1.0}),
    "log": (mbs.log, {"x": 2.0}),
    **{
        name: (getattr(mbs, name), {"x": mbs.time})
        for name in ("abs", "acos", "asin", "atan", "cos", "exp", "sign", "sin", "sqrt", "tan", "tanh")
    },
    **{name: (getattr(mbs, name), {"a": mbs.time, "b": 0.5}) for name in ("max", "min")},
    "slope": (mbs.slope, {"x": mbs.time, "points": (0, 1), "values": (0, 1)}),
    "signal": (mbs.signal, {"name": "c"}),
    "mod": (mbs.mod, {"x": mbs.time, "period": 2.0}),
    "periodic table": (mbs.table, {"x": mbs.time, "points": (0, 1), "values": (0, 1), "period": 2.0}),
    "clip": (mbs.clip, {"x": mbs.time, "lower": 0, "upper": 1}),
    "plus": (lambda x: mbs.time + x, {"x": 1.0}),
    "over": (lambda x: mbs.time / x, {"x": 1.0}),
    "power of": (lambda x: mbs.time**x, {"x": 1.0}),
    "to the": (lambda x: x**mbs.time, {"x": 1.0}),
    "sum": (lambda x: mbs.position("arm") + x, {"x": (1, 2, 3)}),
    "times": (lambda x: mbs.position("arm") * x, {"x": 2.0}),
    "dot": (lambda x: mbs.position("arm").dot(x), {"x": (1, 2, 3)}),
    "cross": (lambda x: mbs.position("arm").cross(x), {"x": (1, 2, 3)}),
    **{
        name: (getattr(mbs, name), {"body": "arm"})
        for name in (
            "coordinate", "rate", "position", "velocity", "angular_velocity", "orientation", "pose", "twist",
            "momentum", "center_of_mass", "angular_momentum", "acceleration", "angular_acceleration",
        )
    },
    **{
        name: (getattr(mbs, name), {"a": "arm", "b": "hand"})
        for name in dir(mbs) if name.startswith("relative_")
    },
    **{name: (getattr(mbs, name), {"force": "tie"}) for name in ("power", "strength", "applied")},
    "penetration": (mbs.penetration, {"contact": "touch"}),
    "gap": (mbs.gap, {"contact": "touch"}),
    "slip": (mbs.slip, {"contact": "touch", "point": 1}),
    "contact_point": (mbs.contact_point, {"contact": "touch"}),
    "contact_force": (mbs.contact_force, {"contact": "touch"}),
    "wheel": (lambda tyre: mbs.wheel(tyre).point, {"tyre": "touch"}),
    "along": (lambda road: mbs.along(road).u, {"road": "touch"}),
    "curve": (mbs.curve, {"x": mbs.time, "points": (0, 1, 3), "values": (0, 1, 2)}),
    "Profile": (
        lambda x, heights, at, place: mbs.Profile(x, heights, at).height(place),
        {"x": (0, 1), "heights": (0, 1), "at": (0, 0, 0), "place": mbs.time},
    ),
    "HeightField": (
        lambda x, y, heights: mbs.HeightField(x, y, heights).height(mbs.time, 0.5),
        {"x": (0, 1), "y": (0, 1), "heights": ((0, 1), (1, 2))},
    ),
    "Cams": (mbs.Cams, {"length": 0.5, "height": 0.3, "order": 1.5, "distance": 0.1, "width": 0.1}),
    "CurvedGrid": (
        lambda u, v, heights, x, y, at: mbs.CurvedGrid(u, v, heights, x, y, at).height(mbs.time, 0.5),
        {"u": (0, 1), "v": (-1, 1), "heights": ((0, 1), (1, 2)), "x": (0, 1), "y": (0, 0), "at": (0, 0, 0)},
    ),
    "brush": (
        lambda radius, stiffness, load, slip_stiffness, friction: mbs.Tyre.brush(
            radius=radius, stiffness=stiffness, load=load, slip_stiffness=slip_stiffness, friction=friction
        ),
        {"radius": 0.3, "stiffness": 1e5, "load": 1e3, "slip_stiffness": 1e4, "friction": 0.9},
    ),
    "linear": (mbs.Tyre.linear, {"c_kappa": 1e4, "c_alpha": 1e4, "friction": 0.9, "radius": 0.3, "stiffness": 1e5}),
    "tyre on": (BRUSH.on, {"side": "left"}),
    "forces of a tyre": (lambda fz, kappa: BRUSH.forces(fz, kappa).fx, {"fz": 4e3, "kappa": 0.1}),
    "Tyre": (mbs.Tyre, {"coefficients": {"PCX1": 1.5}, "side": "left"}),
    "reaction": (mbs.reaction, {"of": "arm"}),
    "multiplier": (mbs.multiplier, {"loop": "loop"}),
    "constraint_mode": (mbs.constraint_mode, {"name": "loop"}),
    "impulse": (mbs.impulse, {"name": "loop", "index": 1}),
    "drive_force": (mbs.drive_force, {"drive": "drive"}),
    "mesh_stiffness": (
        mbs.mesh_stiffness,
        {"teeth": (20, 40), "module": 3e-3, "width": 0.025, "contact_ratio": 1.6, "shifts": (0.2, 0.1)},
    ),
    "Balls": (
        mbs.Balls,
        {"count": 8, "diameter": 0.01, "pitch": 0.05, "conformity": 0.52, "clearance": 1e-5, "stiffness": 1e9},
    ),
    "Rollers": (mbs.Rollers, {"count": 8, "diameter": 0.01, "pitch": 0.05, "length": 0.02, "slices": 3}),
    "rolling_bearing": (
        in_simple(mbs.rolling_bearing),
        {"name": "new", **HELD, "elements": mbs.Balls(8, 0.01, 0.05), "damping": 10.0},
    ),
    "journal_bearing": (
        in_simple(mbs.journal_bearing),
        {"name": "new", **HELD, "radius": 0.1, "length": 0.1, "clearance": 1e-4, "viscosity": 0.1},
    ),
    "linear_bearing": (
        in_simple(mbs.linear_bearing),
        {"name": "new", **HELD, "stiffness": [[[1, 0], [0, 1]]] * 2, "damping": [[1, 0], [0, 1]], "speeds": (0, 1)},
    ),
}  # fmt: skip

#: Public names of modelling without an entry in THINGS, with the reason.
UNTRIED = {
    **dict.fromkeys(("Weld", "energy", "residual", "time"), "takes no argument"),
    **dict.fromkeys(
        (
            "Body",
            "Curve",
            "Expression",
            "HydraulicCylinder",
            "Joint",
            "MeshStiffness",
            "Shape",
            "Solid",
            "Table",
            "TorqueConverter",
        ),
        "is what other functions return",
    ),
    **dict.fromkeys(
        ("deformation", "modal", "modal_rate", "section_forces", "stress", "von_mises"),
        "needs an elastic body: test_elastic_arguments.py",
    ),
}


ARITHMETIC = (
    "is neither a number nor an expression", "must be a comparison", "divided by the literal zero",
    "of an array and an expression: take its numbers one by one",
)  # fmt: skip


def tried(call: Callable[[], Any], what: str, arithmetic: bool = False) -> None:
    """Assert that the call works or raises a ModelError of one readable line; arithmetic may raise as Python's own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of numpy, about numbers that overflow
        try:
            call()
        except mbs.ModelError as error:
            text = str(error)
            assert "\n" not in text, (what, text)
            assert "np." not in text and "array(" not in text, (what, text)
            assert len(text) < 700, (what, text)
        except Exception as error:
            if arithmetic and any(words in str(error) for words in ARITHMETIC):
                return
            raise AssertionError(f"{what}: {type(error).__name__}: {error}") from error


def variations(function: Callable[..., Any], arguments: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield calls with each argument replaced by each odd value."""
    names = [p.name for p in inspect.signature(function).parameters.values() if p.name not in ("self", "model")]
    return ((name, kind) for name in names for kind in odd_values(simple()))


@pytest.mark.parametrize("word", tiers([*WORDS, *SPECIAL], usual=1))
def test_model_methods_accept_or_refuse_odd_values(word: str) -> None:
    """Every argument of every method of `Model` is tried with every odd value; accepted models are compiled too."""
    valid = WORDS[word] if word in WORDS else SPECIAL[word]
    word = word.split()[0]
    simple_words = {name for name, _ in inspect.getmembers(mbs.Model, inspect.isfunction) if not name.startswith("_")}
    assert simple_words - {"known_body", "known_reference"} == set(WORDS)
    for argument, kind in variations(getattr(mbs.Model, word), valid):
        m = simple()
        arguments = {**valid, argument: odd_values(m)[kind]}

        def call(m: mbs.Model = m, arguments: dict[str, Any] = arguments) -> None:
            getattr(m, word)(**arguments)

        tried(call, f"m.{word}({argument}={kind})")


@pytest.mark.parametrize("thing", tiers(list(THINGS), usual=3))
def test_joints_places_and_measures_accept_or_refuse_odd_values(thing: str) -> None:
    """Every argument of joints, places, functions and measures is tried; measures become outputs, joints those of a
    body.
    """
    function, valid = THINGS[thing]
    for argument, kind in variations(function, valid):
        m = simple()
        arguments = {**valid, argument: odd_values(m)[kind]}

        def call(m: mbs.Model = m, arguments: dict[str, Any] = arguments) -> None:
            made = function(**arguments)
            if isinstance(made, mbs.Joint):
                m.body("new", joint=made, **SOLID)  # type: ignore[arg-type]
            elif isinstance(made, Pair):
                m.close("new", "arm", "ball", made)
            elif isinstance(made, (mbs.Expression, mbs.Vector)):
                m.output("new", made)
            elif isinstance(made, mbs.Solid):
                m.body("new", joint=mbs.Revolute("z"), **made)
            elif isinstance(made, mbs.PointGravity):
                m.gravity = made

        tried(call, f"{thing}({argument}={kind})", arithmetic=True)


@pytest.mark.quick
def test_all_public_names_of_modelling_are_tried() -> None:
    """Functions and classes of the modelling modules have an entry in THINGS, or a reason in UNTRIED."""
    named = {name: getattr(mbs, name) for name in mbs.__all__}
    origin = {name: inspect.unwrap(thing).__module__ for name, thing in named.items() if callable(thing)}
    modelling = {name for name, module in origin.items() if module.startswith(("mbs_fmu.model.", "mbs_fmu.symbolic."))}
    missing, both = modelling - {*THINGS} - {*UNTRIED}, {*THINGS} & {*UNTRIED}
    assert not missing, f"add {sorted(missing)} to THINGS with valid arguments, or to UNTRIED with the reason"
    assert not both, f"{sorted(both)} are in THINGS and in UNTRIED: remove one of the entries"


def test_gravity_accepts_or_refuses_odd_values() -> None:
    """Odd values are assigned to gravity."""
    for kind, value in odd_values(simple()).items():
        m = simple()
        tried(lambda m=m, value=value: setattr(m, "gravity", value), f"gravity = {kind}")  # type: ignore[misc]
    compile_model(simple())
