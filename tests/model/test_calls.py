"""Messages about calls with invalid arguments and about unknown names."""

from __future__ import annotations

import copy
import inspect
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.analysis.linear.linear_model import LinearModes
from mbs_fmu.infrastructure.messages.calls import add_clear_errors, with_clear_errors
from mbs_fmu.infrastructure.messages.counterparts import COUNTERPARTS
from mbs_fmu.infrastructure.messages.names import listed
from mbs_fmu.infrastructure.messages.suggestions import suggestions
from mbs_fmu.integrate.methods.table import METHODS
from mbs_fmu.model.measures.measures import Wrench
from mbs_fmu.run.results.results import Result

pytestmark = pytest.mark.quick


def arm() -> mbs.Model:
    m = mbs.Model("arm")
    m.body("arm", joint=mbs.Revolute("y"), mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.1))
    return m


CALLS: list[tuple[Callable[[Any], Any], str]] = [
    (lambda m: m.spring("s", on="arm", k=3.0), r"m\.spring takes no argument 'k' .*'stiffness'\?\), only name"),
    (lambda m: m.body("b", masss=1.0), r"m\.body takes no argument 'masss' .did you mean 'mass'\?"),
    (lambda m: m.gear("g"), r"m\.gear needs a and b: m\.gear\(name, a, b, \.\.\.\)"),
    (lambda m: m.start("arm", phi=1.0), r"m\.start takes no argument 'phi'.*did you mean 'q'"),
    (lambda m: m.set_parameter("k", 1.0, 2.0), r"m\.set_parameter\(name, value\): too many positional arguments"),
    (lambda m: m.start("arm", 1.0, q=2.0), r"m\.start\(body, \.\.\.\): multiple values for argument 'q'"),
    (lambda m: mbs.Model("x", gravty=0), r"Model takes no argument 'gravty'.*did you mean 'gravity'"),
    (lambda m: mbs.OnCurve(), r"OnCurve needs curve: OnCurve\(curve"),
    (lambda m: mbs.Distance(lenght=1.0), r"Distance takes no argument 'lenght'.*did you mean 'length'"),
    (lambda m: mbs.Box(1, 1, 1, colour="red"), r"Box takes no argument 'colour'.*did you mean 'color'"),
    (lambda m: mbs.simulate(m), r"simulate needs stop_time: simulate\(model, stop_time, \.\.\.\)"),
    (lambda m: mbs.simulate(m, 1.0, dt=0.1), r"simulate takes no argument 'dt'.*mean 'step' or 'output_interval'"),
    (lambda m: mbs.export(m, "a.fmu", version="3.0"), r"'version' \(did you mean 'fmi'\?\), only model, path, kind"),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(CALLS)))
def test_an_unknown_argument_is_named_with_suggestions(number: int) -> None:
    """One sentence names the method, the argument and similar names; the model is unchanged."""
    call, message = CALLS[number]
    m = arm()
    before = m.version
    with pytest.raises(mbs.CallError, match=message) as raised:
        call(m)
    assert isinstance(raised.value, mbs.ModelError) and isinstance(raised.value, TypeError)
    assert m.version == before and "\n" not in str(raised.value)


#: Public classes that users do not call: operations create expressions; a curve or a rollout is one of several classes.
NOT_CALLED = {"Curve", "Expression", "Rollout"}
PUBLIC = sorted(
    name
    for name in dir(mbs)
    if not name.startswith("_") and getattr(getattr(mbs, name), "__module__", "").startswith("mbs_fmu")
    and (inspect.isfunction(getattr(mbs, name)) or inspect.isclass(getattr(mbs, name)))
)  # fmt: skip


@pytest.mark.parametrize("name", [name for name in PUBLIC if name not in NOT_CALLED])
def test_every_public_name_names_an_unknown_argument(name: str) -> None:
    """Every public function and class names an unknown argument, also if its module is imported late.

    Exceptions are exempt.
    """
    thing = getattr(mbs, name)
    if inspect.isclass(thing) and issubclass(thing, BaseException):
        return
    with pytest.raises(mbs.CallError, match=f"^{thing.__name__} takes no argument 'no_such_argument'"):
        thing(no_such_argument=1)


def test_public_functions_can_be_pickled() -> None:
    for name in PUBLIC:
        if inspect.isfunction(getattr(mbs, name)):
            assert pickle.loads(pickle.dumps(getattr(mbs, name))) is getattr(mbs, name)


def test_long_lists_of_names_end_after_ten() -> None:
    m = mbs.Model("many")
    for k in range(33):
        m.parameter(f"k{k}", 1.0)
    with pytest.raises(mbs.ModelError, match=r"k8, k9, \.\.\. and 23 more$"):
        mbs.simulate(m, 1.0, parameters={"nothing alike": 1.0})
    assert listed(range(10)).endswith("8, 9") and listed([]) == "none"


def test_errors_inside_of_methods_are_not_replaced() -> None:
    """Only errors of the call itself get another message."""

    def word(x: Any) -> int:
        return len(x)

    with pytest.raises(TypeError, match="has no len") as raised:
        with_clear_errors(word)(5)
    assert not isinstance(raised.value, mbs.CallError)


def test_methods_keep_their_signature_for_tools() -> None:
    words = ["name", "on", "torque", "force", "coordinate", "against", "along"]
    assert list(inspect.signature(arm().motor).parameters) == words
    assert list(inspect.signature(mbs.Revolute).parameters) == ["axis"]
    assert "stop_time" in inspect.signature(mbs.simulate).parameters
    assert pickle.loads(pickle.dumps(mbs.simulate)) is mbs.simulate
    assert (inspect.getdoc(mbs.Model.spring) or "").startswith("Add a spring")


def test_unknown_names_are_attribute_errors_with_suggestions() -> None:
    """An unknown name raises an attribute error that suggests similar names."""
    with pytest.raises(AttributeError, match=r"a model has no 'damper' \(did you mean 'spring'"):
        arm().damper  # noqa: B018
    with pytest.raises(AttributeError, match=r"no attribute 'Ball' \(did you mean 'Spherical'"):
        mbs.Ball  # noqa: B018
    with pytest.raises(AttributeError, match=r"no attribute 'linearise' \(did you mean 'linearize'"):
        mbs.linearise  # noqa: B018
    assert not hasattr(arm(), "damper") and not hasattr(mbs, "__wrapped__")
    assert copy.deepcopy(arm()).bodies.keys() == {"arm"}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("arm.q", ["arm.phi"]),
        ("cart.x", ["cart.s"]),
        ("arm.omega", ["arm.w"]),
        ("cart.force", ["cart.f"]),
        ("ball.q1", ["ball.q[1]"]),
        ("Height", ["height"]),
        ("nothing like it", []),
        (3, []),
    ],
)
def test_similar_names_are_suggested(name: Any, expected: list[str]) -> None:
    """Suggestions are numbers of the same body by their names in other programs, or else names with
    a similar spelling.
    """
    known = ["time", "arm.phi", "arm.w", "arm.tau", "cart.s", "cart.v", "cart.f", "ball.q[1]", "height"]
    assert suggestions(name, known)[:1] == expected


#: Names in other programs and former names by the place where they are tried, and the names that are suggested.
FOREIGN: dict[str, dict[str, str]] = {
    "mbs": {
        "MjModel": "from_mjcf", "MjData": "Stepper", "mj_step": "Stepper simulate", "mj_jacBody": "jacobian",
        "launch_passive": "show live", "qpos": "coordinate m.start", "buildModelFromUrdf": "from_urdf", "SE3": "Pose",
        "JointModelRX": "Revolute", "JointModelPlanar": "Planar", "forwardKinematics": "pose", "exp6": "",
        "nonLinearEffects": "inverse_dynamics", "MultibodyPlant": "Model", "RevoluteJoint": "Revolute", "Context": "",
        "BallRpyJoint": "Spherical", "CalcBiasTerm": "inverse_dynamics", "AdvanceTo": "simulate", "World": "Model",
        "FreeMotion": "Free", "FixedTranslation": "Pose m.body", "Spring": "m.spring", "LeadScrewJoint": "Screw",
        "PinSlotJoint": "Compound",
        "TransformSensor": "relative_position relative_orientation m.output", "findop": "trim",
        "massMatrix": "MassMatrix mass_matrix", "solve_ivp": "simulate", "curve_fit": "identify", "minimize": "",
        "CubicSpline": "curve", "simulate_fmu": "simulate", "read_model_description": "", "load_urdf": "from_urdf",
        "load_sdf": "from_sdf", "sdf": "from_sdf",
        "campbell_diagram": "campbell", "mode": "constraint_mode", "impulses": "poisson_impulses",
    },
    "m": {
        "add_geom": "shape contact", "add_site": "body", "tendon": "rope", "ctrl": "input",
        "addJoint": "body close mbs.Joint",
        "upperPositionLimit": "range", "WeldFrames": "close", "AddCouplerConstraint": "follow",
        "SetPositions": "start mbs.coordinate",
        "DeclareContinuousState": "state", "BodyShape": "body", "Speed": "drive mbs.rate", "OneWayClutch": "freewheel",
        "when": "event", "InternalForce": "pull", "RackAndPinion": "rack", "mimic": "follow", "dcmotor": "dc_motor",
        "contacts": "mutual_contact", "simulate": "mbs.simulate", "AdvanceTo": "mbs.simulate",
        "timestep": "mbs.simulate", "RevoluteJoint": "mbs.Revolute", "crba": "mbs.mass_matrix",
    },
    "m.body": {"quat": "at", "xyz": "at", "r_CM": "com", "diaginertia": "inertia", "armature": "m.rotor"},
    "m.contact": {"solref": "stiffness dissipation", "hunt_crossley_dissipation": "dissipation"},
    "m.event": {"terminal": "stop"},
    "m.follow": {"multiplier": "ratio"},
    "m.motor": {"effort": "torque force"},
    "m.spring": {"s_unstretched": "length"},
    "mbs.Revolute": {"n": "axis", "damping": "m.spring", "frictionloss": "m.friction"},
    "mbs.Sphere": {"size": "r"},
    "mbs.Universal": {"first": "axes"},
    "mbs.export": {"filename": "path"},
    "mbs.from_urdf": {"root_joint": "base"},
    "mbs.identify": {"p0": "guess parameters"},
    "mbs.inverse_dynamics": {"qdd": "u_dot"},
    "mbs.mass_matrix": {"q": "start"},
    "mbs.ode": {"values": "parameters"},
    "mbs.simulate": {
        "timestep": "step", "StopTime": "stop_time", "t_eval": "output_interval", "y0": "start",
        "relative_tolerance": "rtol", "start_values": "start parameters inputs",
    },
    "mbs.trim": {"unknowns": "free"},
    "result": {"t": "time", "arm.effort": "arm.tau", "arm.qvel": "arm.w"},
}  # fmt: skip


def suggested(place: str, name: str) -> list[str]:
    """Names that the message about an unknown attribute, argument or column suggests, in their order."""
    owner, _, function = place.partition(".")
    result = Result("arm", ["time", "arm.phi", "arm.w", "arm.tau"], np.zeros((1, 4)))
    thing: Any = {"mbs": mbs, "m": arm(), "result": result}[owner]
    with pytest.raises((AttributeError, mbs.CallError, KeyError)) as raised:
        if function:
            getattr(thing, function)(**{name: 1.0})
        elif thing is result:
            result[name]
        else:
            getattr(thing, name)
    said = re.search(r"\(did you mean (.*?)\?\)", str(raised.value))
    return [name.strip("'") for name in said[1].split(" or ")] if said else []


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("t", "'time'"), ("y", "'data'"), ("nfev", "'statistics'"), ("to_dataframe", "'to_pandas'"), ("tim", "'time'"),
        ("simulate", "mbs.simulate"), ("success", None),
    ],
)  # fmt: skip
def test_objects_suggest_attributes(name: str, expected: str | None) -> None:
    """So do all objects of public classes; whether an object has an attribute is found without making a message."""
    result = Result("r", ["time"], np.zeros((1, 1)))
    with pytest.raises(AttributeError) as raised:
        getattr(result, name)
    text = f"Result has no attribute {name!r}"
    assert str(raised.value) == (text if expected is None else f"{text} (did you mean {expected}?)")
    assert not hasattr(result, name)


def test_a_property_that_fails_keeps_its_message() -> None:
    """An attribute error from inside a property is not replaced by one about the property."""

    @add_clear_errors
    class Thing:
        @property
        def size(self) -> int:
            return None.missing  # type: ignore[attr-defined, no-any-return]

    with pytest.raises(AttributeError, match="'NoneType' object has no attribute 'missing'"):
        Thing().size  # noqa: B018


def test_an_attribute_that_models_do_not_have_cannot_be_assigned() -> None:
    """It would have no effect."""
    with pytest.raises(AttributeError, match="a model has no 'timestep'"):
        arm().timestep = 1e-3  # type: ignore[attr-defined]


def test_derived_models_may_have_attributes_of_their_own() -> None:
    """Those of a class that a user derives, which are found, copied and pickled as usual."""

    class Robot(mbs.Model):
        def __init__(self) -> None:
            super().__init__("robot")
            self.reach = 1.5

    assert copy.copy(Robot()).reach == 1.5


@pytest.mark.parametrize(("place", "name"), [(place, name) for place, names in FOREIGN.items() for name in names])
def test_names_of_other_programs_lead_to_their_counterparts(place: str, name: str) -> None:
    """A name of another program suggests its counterparts that exist where it was used, and no other names."""
    assert suggested(place, name) == FOREIGN[place][name].split()


def test_counterparts_exist() -> None:
    """Every name that can be suggested is public, an argument, an attribute or an integration method."""
    things = [getattr(mbs, name) for name in PUBLIC] + [m for _, m in inspect.getmembers(mbs.Model, inspect.isfunction)]
    arguments = {name for thing in things for name in inspect.signature(thing).parameters}
    classes = [*(thing for thing in things if isinstance(thing, type)), LinearModes, Wrench]
    attributes = {name for cls in classes for name in (*dir(cls), *inspect.signature(cls).parameters)}
    assert COUNTERPARTS.keys() - {"", *mbs.__all__, *dir(mbs.Model), *METHODS} <= arguments | attributes


def test_results_and_starts_suggest_similar_names() -> None:
    result = Result("r", ["time", "cart.s", "cart.v"], np.zeros((1, 3)))
    with pytest.raises(
        KeyError, match=r"no result 'cart.q' \(did you mean 'cart.s'\?\); there are time, cart.s, cart.v"
    ):
        result["cart.q"]
    with pytest.raises(
        mbs.ArgumentError, match=r"unknown start value 'arm.q' \(did you mean 'arm.phi'\?\); start values"
    ):
        mbs.mass_matrix(arm(), start={"arm.q": 1.0})


@pytest.mark.usual
def test_an_fmu_without_a_path_is_named_after_its_model(
    in_plain_python: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    """Without a path the FMU is written to the working directory."""
    monkeypatch.chdir(tmp_path)
    path = mbs.export(arm(), method="rk4", step=0.5, stop_time=1.0, communication_step=0.5)
    assert path == Path("arm.fmu") and sorted(x.name for x in tmp_path.iterdir()) == ["arm.fmu", "arm_ref.csv"]
