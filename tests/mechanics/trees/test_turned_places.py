"""Rotations by parameters: models move as those with the same rotations as numbers."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import mbs_fmu as mbs
from mbs_fmu.compile.tree import classes
from mbs_fmu.model.closures import PairClosure, Side
from mbs_fmu.model.geometry.poses import placed
from mbs_fmu.view.meshes import Meshes
from mbs_fmu.view.poses import Rows
from mbs_fmu.view.solids import solid
from support.cases import Case, each, tiers
from support.generators.elastic_mechanisms import bent_tree
from support.generators.loops import LOOP_JOINTS, PlainLoops, loops_of
from support.generators.loops import outputs as outputs_of_loops
from support.generators.mechanisms import JOINTS, Plain
from support.generators.trees import add_forces, moving_tree
from support.hosts.python_slaves import Slaves, reference, start

Number = Callable[[float], mbs.Expression]
BOUND = 1e-12  #: of the largest entry: constant turns are other numbers of the same size, so only rounding differs


def _by_angles(R: np.ndarray, number: Number) -> object:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # if roll and yaw are about one line
        angles = Rotation.from_matrix(R).as_euler("xyz")
    return mbs.rpy(*(number(float(x)) for x in angles))


def _by_axis(R: np.ndarray, number: Number) -> object:
    turn = Rotation.from_matrix(R).as_rotvec()
    angle = float(np.linalg.norm(turn))
    return mbs.axis_angle(turn / angle if angle > 1e-6 else "x", number(angle))


def _by_quaternion(R: np.ndarray, number: Number) -> object:
    x, y, z, w = Rotation.from_matrix(R).as_quat()
    return [number(2.0 * float(each)) for each in (w, x, y, z)]  # of any length


def _by_entries(R: np.ndarray, number: Number) -> object:
    return [[number(float(x)) for x in row] for row in R]


WAYS = (_by_angles, _by_axis, _by_quaternion, _by_entries)


def turned_by_parameters(model: mbs.Model, rng: np.random.Generator, share: float = 0.7) -> mbs.Model:
    """Return a copy whose bodies and places of loops are turned by parameters in all ways; some keep their numbers."""
    m = copy.deepcopy(model)

    def rotation(R: np.ndarray, ways: int) -> np.ndarray:
        if rng.random() > share:
            return R
        symbolic = WAYS[rng.integers(ways)](R, lambda value: m.parameter(f"p{len(m.parameters)}", value))
        return placed(mbs.Pose(rotation=symbolic), "a place", checked=True)[1]

    for name, body in m.bodies.items():
        if body.attachment is None:
            m.bodies[name] = replace(body, rotation=rotation(body.rotation, 4))
    for name, loop in m.loops.items():
        assert isinstance(loop, PairClosure)
        a, b = (Side(side.body, side.at, rotation(side.rotation, 3)) for side in loop.sides)
        m.loops[name] = replace(loop, a=a, b=b)
    return m


def add_measures(m: mbs.Model) -> None:
    for name, body in m.bodies.items():
        m.output(f"x_{name}", mbs.position(name, (0.1, 0.2, 0.3)))
        m.output(f"v_{name}", mbs.velocity(name, (0.1, 0.2, 0.3)))
        m.output(f"a_{name}", mbs.acceleration(name, (0.1, 0.2, 0.3)))
        m.output(f"l_{name}", mbs.angular_momentum(name))
        if body.joint.motions:
            m.output(f"r_{name}", mbs.reaction(name))


def assert_equal(computed: np.ndarray, expected: np.ndarray, what: str, bound: float = BOUND) -> None:
    assert np.abs(computed - expected).max(initial=0.0) <= bound * max(1.0, np.abs(expected).max(initial=0.0)), what


@each(JOINTS, 1, 3, 1)
def test_trees_turned_by_parameters_equal_numeric_ones(case: Case) -> None:
    """Momenta, rates and all measures agree, with forces of all kinds."""
    numeric = moving_tree(case, 6)
    models = [turned_by_parameters(numeric, np.random.default_rng(case.seed)), numeric]
    for model in models:
        add_forces(model, np.random.default_rng(case.seed))
        add_measures(model)
    one, two = (PlainLoops(model) for model in models)
    for part in ("q", "p"):
        assert_equal(one.get(one.R, part), two.get(two.R, part), part)
    assert_equal(one.rates(), two.rates(), "rates")
    for plain in (one, two):
        plain.real.refresh(plain.R, np.zeros(8))
    for v in two.program.of_role("output"):
        slot = next(w.slot for w in one.program.variables if w.name == v.name)
        assert_equal(one.R[slot : slot + 1], two.R[v.slot : v.slot + 1], v.name, 1e3 * BOUND)


@each(LOOP_JOINTS, 1, 1, 1)
def test_loops_turned_by_parameters_equal_numeric_ones(case: Case) -> None:
    """Places of the closed loops are turned by parameters too."""
    model = loops_of(case, 5)
    model.output("tip", mbs.position(list(model.bodies)[-1]))
    one, two = PlainLoops(turned_by_parameters(model, np.random.default_rng(case.seed))), PlainLoops(model)
    assert_equal(one.rates(), two.rates(), "rates", 1e3 * BOUND)
    assert_equal(outputs_of_loops(one)["tip"], outputs_of_loops(two)["tip"], "tip", 1e3 * BOUND)


@pytest.mark.usual
@pytest.mark.parametrize("seed", tiers(range(4), usual=1, quick=1))
def test_elastic_bodies_turned_by_parameters_equal_numeric_ones(seed: int) -> None:
    """The bodies are in turned places, and turned bodies are on their nodes."""
    model = bent_tree(seed)
    one, two = Plain(turned_by_parameters(model, np.random.default_rng(seed))), Plain(model)
    assert_equal(one.rates(), two.rates(), "rates")


def test_general_classes_with_parameters_equal_numeric_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many links share little code."""
    case = Case("compound", 1)
    model = moving_tree(case, 6)
    turned = turned_by_parameters(model, np.random.default_rng(case.seed), 0.5)
    expected = Plain(model).rates()
    for most in (6, 1):
        monkeypatch.setattr(classes, "WORTH_IT", {"exact": 0, "any end": 0})
        monkeypatch.setattr(classes, "MOST_CLASSES", most)
        assert_equal(Plain(turned).rates(), expected, f"{most} classes")


# -- all methods that take places ----------------------------------------------------------------------------
AT = (0.1, 0.2, 0.3)
SOLID = mbs.box(0.1, 0.2, 0.3, mass=1.0, at=(0.05, 0.1, 0.2))


def tilted(number: Callable[[mbs.Model, str, float], object]) -> mbs.Model:
    """Return a hinge on a hinge with a welded tool and a slide on it, and everything with a place between them."""
    m = mbs.Model("tilted")
    tilt, yaw = number(m, "tilt", 0.3), number(m, "yaw", 0.0)
    at = mbs.Pose(AT, mbs.rpy(0, tilt, yaw))
    m.body("base", joint=mbs.Revolute("x"), **SOLID)
    m.body("arm", "base", mbs.Revolute((1, 2, 3)), at=at, **SOLID)
    m.body("tool", "arm", at=mbs.Pose(AT, mbs.axis_angle((1, 2, -1), tilt)), **SOLID)
    m.body("slide", "tool", mbs.Prismatic("z"), at=mbs.Pose(AT, mbs.rpy(tilt, 0, yaw)), **SOLID)
    m.start("base", q=0.3, u=1.0)
    m.start("arm", q=-0.4, u=2.0)
    m.start("slide", q=0.1, u=-1.0)
    m.bushing("bushing", "base", "tool", at_a=at, stiffness=(1, 2, 3), damping=0.1, rotational_stiffness=(3, 2, 1))
    m.rotational_spring("coil", "base", "slide", at_b=at, stiffness=2.0, damping=0.1)
    m.spring("rope", "world", "tool", at_b=AT, stiffness=3.0)
    m.force("push", on="tool", force=(1, 2, 3), torque=(3, 2, 1), resolve_in="body")
    m.output("apart", mbs.relative_position("base", "slide", at, (0.1, 0, 0)))
    m.output("pose", mbs.pose("tool"))
    m.output("turning", mbs.angular_velocity("tool"))
    m.output("E", mbs.energy())
    return m


@pytest.mark.quick
def test_shapes_in_places_by_parameters_equal_numeric_ones() -> None:
    """The law holds for a drawn shape, a solid's inertia, and a shape on the model's world."""
    drawn = []
    for number in (_parameter, _literal):
        m = mbs.Model("m")
        at = mbs.Pose(AT, mbs.axis_angle((1, 2, 3), number(m, "angle", 0.4)))
        drum = mbs.cylinder(0.1, 0.5, "x", mass=1.0, at=at)
        m.body("roll", joint=mbs.Spherical(), **drum)
        m.shape("world", mbs.Box(1, 2, 3, at=at))
        rows = Rows({}, {"angle": 0.4})
        parts = [solid(shape, rows, "red", Meshes()) for shape in (*m.shapes["roll"], *m.shapes["world"])]
        positions = [x for (part,), mesh in parts for x in (*part["position"], *part["quaternion"], *mesh.points.flat)]
        drawn.append([*positions, *(rows.constant(x) for x in drum.inertia)])
    assert_equal(np.array(drawn[0]), np.array(drawn[1]), "shapes")


def _parameter(m: mbs.Model, name: str, value: float) -> object:
    return m.parameter(name, value)


def _literal(m: mbs.Model, name: str, value: float) -> object:
    return value


SHORT = {"method": "rk4", "step": 0.01, "output_interval": 0.02}


@pytest.mark.slow
@pytest.mark.quick
def test_forces_and_measures_in_turned_places_equal_numeric_ones(in_plain_python: None) -> None:
    """All columns of a run agree, and those of a run in absolute form."""
    models = tilted(_parameter), tilted(_literal)
    one, two = (mbs.simulate(m, 0.04, **SHORT) for m in models)
    for name in two.columns:
        assert_equal(one[name], two[name], name, 10 * BOUND)
    one, two = (mbs.simulate(m, 0.02, formulation="absolute", **SHORT) for m in models)
    for name in two.columns:
        assert_equal(one[name], two[name], name, 1e3 * BOUND)


@pytest.mark.quick
def test_sensitivities_by_angles_equal_differences(in_plain_python: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """They agree with differences of fourth order, also at angles of zero."""
    monkeypatch.setattr("mbs_fmu.run.sensitivities.machine_lanes", lambda: 1)
    m, h = tilted(_parameter), 1e-3
    computed = mbs.simulate(m, 0.04, sensitivities=["tilt", "yaw"], **SHORT)
    for name, value in (("tilt", 0.3), ("yaw", 0.0)):
        steps = ((1, 8.0), (-1, -8.0), (2, -1.0), (-2, 1.0))
        runs = [weight * mbs.simulate(m, 0.04, parameters={name: value + k * h}, **SHORT).data for k, weight in steps]
        expected = sum(runs) / (12 * h)
        assert np.allclose(computed.sensitivities[name][:, 1:], expected[:, 1:], rtol=1e-8, atol=1e-8)


def test_a_model_included_with_a_turn_equals_a_numeric_one(in_plain_python: None) -> None:
    """The host's parameter tilts the model as a whole, and the model has tilts of its own."""
    results = []
    for number in (_parameter, _literal):
        host = mbs.Model("host")
        host.include(tilted(number), "sub", at=mbs.Pose(AT, mbs.rpy(number(host, "roll", 0.4), 0.1, 0)))
        results.append(mbs.simulate(host, 0.02, **SHORT))
    assert set(results[0].parameters) == {"roll", "sub.tilt", "sub.yaw"}
    for name in results[1].columns:
        assert_equal(results[0][name], results[1][name], name, 10 * BOUND)


@pytest.mark.usual
@pytest.mark.quick
def test_an_fmu_accepts_a_tilt_before_its_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Set before the start, the FMU is the model with this tilt."""
    make, model = Slaves(tmp_path, monkeypatch), tilted(_parameter)
    slave = make(model, "rk4", step=0.01)
    start(slave, {"tilt": 0.8})
    assert slave.do_step(0.0, 0.02)
    result = mbs.simulate(model, 0.02, parameters={"tilt": 0.8}, **SHORT)
    names = result.columns[1:]
    assert slave.get_real([reference(slave, name) for name in names]) == [result[name][-1] for name in names]


# -- refused rotations ---------------------------------------------------------------------------------------
def turned_by(*entries: float) -> mbs.Model:
    """Return a body at a place that is turned about z by a matrix of parameters."""
    m = mbs.Model("m")
    c, s = (m.parameter(name, x) for name, x in zip("cs", entries, strict=True))
    m.body("arm", joint=mbs.Revolute("x"), at=mbs.Pose(rotation=[[c, -s, 0], [s, c, 0], [0, 0, 1]]), **SOLID)
    return m


@pytest.mark.quick
def test_matrices_of_parameters_must_be_rotations(in_plain_python: None) -> None:
    """They are checked at each start: only a rotation is accepted."""
    m = turned_by(0.6, 0.8)
    mbs.simulate(m, 0.02, **SHORT)
    for c, s in ((0.6, 0.81), (-0.6 - 1e-6, 0.8)):
        message = r"rotation of body 'arm' is not a rotation matrix.*change parameter 'c' or 's', or write"
        with pytest.raises(mbs.ModelError, match=message):
            mbs.simulate(m, 0.02, parameters={"c": c, "s": s}, **SHORT)
    mirrored = mbs.Model("m")
    c = mirrored.parameter("c", -1.0)
    mirrored.body("arm", joint=mbs.Revolute("x"), at=mbs.Pose(rotation=[[c, 0, 0], [0, c, 0], [0, 0, c]]), **SOLID)
    with pytest.raises(mbs.ModelError, match=r"right-handed: change parameter 'c'"):
        mbs.simulate(mirrored, 0.02, **SHORT)


@pytest.mark.quick
def test_invalid_rotations_by_parameters_are_refused() -> None:
    m = tilted(_parameter)
    tilt = mbs.signal("tilt")
    c = m.parameter("c", 1.0)
    free = mbs.Pose(rotation=[[c, 0, 0], [0, c, 0], [0, 0, 1]])
    wheel = {"mass": 1.0, "inertia": (1, 1, 1)}
    m.body("carrier", joint=mbs.Revolute("z"), **wheel)
    for name, at in (("sun", (0, 0, 0)), ("planet", mbs.Pose((1, 0, 0), mbs.axis_angle("x", c)))):
        m.body(name, "carrier", mbs.Revolute("z"), at=at, **wheel)
    tries: list[tuple[str, Callable[[], object]]] = [
        (
            r"rotation of a pose depends on coordinate.*only",
            lambda: mbs.Pose(rotation=[mbs.coordinate("arm"), 0, 0, 1]),
        ),
        (r"rotation of a pose has shape \(3,\)", lambda: mbs.Pose(rotation=[c, 0, 1])),
        (r"roll of rpy depends on tilt: it may depend on parameters only", lambda: mbs.rpy(tilt, 0, 0)),
        (
            r"rotation of at_a of bushing 'b2' is not a rotation for some values",
            lambda: m.bushing("b2", "base", "arm", at_a=free),
        ),
        (
            r"rotation of at_a of loop 'l' is not a rotation",
            lambda: m.close("l", "base", "arm", mbs.Universal("xy"), at_a=free),
        ),
        (r"rotation of at of a sphere is not a rotation", lambda: mbs.Sphere(1.0, at=free)),
        (
            r"gear 'g': a rotation between body 'planet' and body 'carrier' depends on parameters",
            lambda: m.gear("g", "sun", "planet", teeth=(20, 20), carrier="carrier"),
        ),
    ]
    for message, call in tries:
        with pytest.raises(mbs.ModelError, match=message):
            call()
