"""Laws that the effect of every force obeys: stored, dissipated and supplied power balance.

The forces are those of the random trees (`add_forces`), which must contain every kind in the package. Powers are
computed here from the pushes of the effects and the measures of the bodies on which they act.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.compile.build import compile_model
from mbs_fmu.model import items as parts
from mbs_fmu.model.effects import Action, Effect
from mbs_fmu.model.forces.contacts import Contact
from mbs_fmu.model.forces.frictions import DryFriction, PrescribedFriction
from mbs_fmu.model.forces.gears import ElasticMesh
from mbs_fmu.model.forces.involutes import InvoluteMesh
from mbs_fmu.model.forces.near_contacts import NearContacts
from mbs_fmu.model.forces.places import expressions
from mbs_fmu.model.forces.plain_bearings import BearingMatrices, JournalFilm
from mbs_fmu.model.forces.rolling_bearings import RollingElements
from mbs_fmu.model.forces.shafts import MasslessShaft
from mbs_fmu.model.geometry import anchors
from mbs_fmu.model.tyres.road_tyre import RoadTyre
from mbs_fmu.symbolic.expressions import ZERO, Expression
from mbs_fmu.symbolic.vectors import ORIGIN, Vector
from support.cases import Case, each, tiers
from support.generators.bearings import BEARINGS, shaft_in_flight
from support.generators.contacts import CONTACTS, bodies_in_contact
from support.generators.gears import KINDS, TEETH, geared, on_bearings
from support.generators.loops import PlainLoops
from support.generators.mechanisms import JOINTS, Plain, random_rotation
from support.generators.trees import add_forces, moving_tree
from support.generators.wheels import TYRES, wheel_in_flight
from support.oracles.complex_steps import output_rates, outputs

ROUNDING = 100 * np.finfo(float).eps  #: of a sum, relative to its terms: each takes some hundred operations
REACH = 10.0  #: m, largest distance of the trees' points from the origin


def pages(of: type = parts.Force) -> set[type]:
    """Return the kinds of forces in the package, except those that carry forces into absolute form."""
    kinds = {kind for direct in of.__subclasses__() for kind in pages(direct)} | {of}
    return {
        kind for kind in kinds if not inspect.isabstract(kind) and kind.__module__.startswith("mbs_fmu.model.forces.")
    }


def terms(action: Action) -> list[Expression]:
    """Return the products whose sum is the power of an action, W."""
    products = [along.number * mbs.rate(along.body, along.k + 1) for along in action.along]
    for push in action.pushes:
        v, w = mbs.velocity(push.body, push.at), mbs.angular_velocity(push.body)
        force, torque = push.force, push.torque
        if not push.in_world:
            force, torque = (turned(push.body, x) for x in (force, torque))
        products += [a * b for a, b in zip((*force, *torque), (*v, *w), strict=True)]
    return products


def resultant(action: Action) -> Vector:
    """Return force (N) and torque about the world's origin (N.m) of all pushes of an action, in world axes."""
    total, torque = ORIGIN, ORIGIN
    for push in action.pushes:
        vectors = push.force, push.torque
        f, t = vectors if push.in_world else (turned(push.body, x) for x in vectors)
        total, torque = total + f, torque + t + mbs.position(push.body, push.at).cross(f)
    return Vector((*total, *torque))


def turned(body: str, vector: Vector) -> Vector:
    """Return a vector of body axes in world axes, from points at its ends."""
    return mbs.position(body, vector) - mbs.position(body)


@dataclass
class Account:
    """Powers of one force at an instant, W: in total, of its parts and by `mbs.power`, and the rate of its energy.

    lost: power that its states lose.

    scale: sum of the sizes of all terms, W. resultant: of its pushes, relative to the largest of them.
    """

    whole: float
    dissipates: float
    lost: float
    prescribed: float
    measured: float
    rate: float
    scale: float
    resultant: np.ndarray


def accounts(m: mbs.Model) -> dict[str, Account]:
    """Return the accounts of all forces of a model."""
    effects = {name: force.effect() for name, force in m.forces.items()}
    for name, effect in effects.items():
        m.output(f"stored_{name}", ZERO if effect.stored is None else effect.stored)
        m.output(f"lost_{name}", ZERO if effect.lost is None else effect.lost)
        m.output(f"measured_{name}", mbs.power(name))
        m.output(f"resultant_{name}", resultant(effect.action))
        pushed = [x for push in effect.action.pushes for x in (*push.force, *push.torque)]
        m.output(f"pushed_{name}", sum((mbs.abs(x) for x in pushed), start=ZERO))
        for part in ("action", "dissipates", "prescribed"):
            products = terms(getattr(effect, part))
            m.output(f"{part}_{name}", sum(products, start=ZERO))
            m.output(f"size_{part}_{name}", sum((mbs.abs(x) for x in products), start=ZERO))
    plain = Plain(m)
    rates, now = output_rates(plain), outputs(plain)
    result = {}
    for name in effects:
        whole, dissipates, supplied = (float(now[f"{part}_{name}"]) for part in ("action", "dissipates", "prescribed"))
        size = sum(float(now[f"size_{part}_{name}"]) for part in ("action", "dissipates", "prescribed"))
        lost = float(now[f"lost_{name}"])
        measured, rate = float(now[f"measured_{name}"]), float(rates[f"stored_{name}"])
        left = np.abs(now[f"resultant_{name}"]) / (1.0 + float(now[f"pushed_{name}"]))
        result[name] = Account(whole, dissipates, lost, supplied, measured, rate, 1.0 + size + abs(lost), left)
    return result


def test_random_trees_contain_every_kind_of_force() -> None:
    """Every kind of force occurs in the random trees, and hence in the laws below.

    Exceptions are lists of near pairs (`tests/mechanics/trees/test_near_pairs.py`), sticking friction, which comes with
    a closure (`test_slipping_friction_balances_power`), gears, which need hinges on one carrier
    (`test_elastic_gears_balance_power`) or a start in mesh (`test_involute_teeth_balance_power`), friction along driven
    coordinates (`tests/mechanics/trees/test_forces_on_drives.py`), bearings, whose shafts stay in their housings
    (`test_bearings_balance_power`), and contacts, tyres and massless shafts, which have states
    (`test_contacts_balance_power`, `test_tyres_balance_power`, `test_massless_shafts_balance_power`).
    """
    m = moving_tree(Case("revolute", 1), 6)
    add_forces(m, np.random.default_rng(1))
    assert {type(force) for force in m.forces.values()} == pages() - {
        BearingMatrices, Contact, DryFriction, ElasticMesh, InvoluteMesh, JournalFilm, MasslessShaft, NearContacts,
        PrescribedFriction, RoadTyre, RollingElements,
    }  # fmt: skip


@pytest.mark.usual
@each(JOINTS, rounds=2, usual=1, quick=1)
def test_power_of_every_force_is_balanced(case: Case) -> None:
    """Elastic power, neither dissipated nor supplied, is minus the rate of the stored energy, and dissipated power is
    never positive.

    All powers equal those of `mbs.power`, and forces between two bodies have no resultant.
    """
    m = moving_tree(case, 4)
    add_forces(m, np.random.default_rng(case.seed))
    check_accounts(m)


@pytest.mark.parametrize("kind", tiers(KINDS, usual=1))
@pytest.mark.parametrize("turned", tiers([0.03, -0.03], usual=1))
def test_elastic_gears_balance_power(kind: str, turned: float) -> None:
    """The same laws hold for elastic teeth and couplings, pressed to either side, on carriers in flight."""
    m = geared(kind, 3, stiffness=2e3, damping=70.0, backlash=1e-4)
    m.start("one", q=turned, u=4.0)
    check_accounts(m)


@pytest.mark.parametrize("kind", tiers(list(TEETH), usual=1))
@pytest.mark.parametrize("flank", tiers([1, -1], usual=1))
def test_involute_teeth_balance_power(kind: str, flank: int) -> None:
    """The same laws hold for wheels whose centres move, with dampers and a stiffness that varies along the phase."""
    stiffness = {"stiffness": lambda phase: 2e5 * (1.0 + 0.3 * mbs.cos(phase))}
    m = on_bearings(kind, 3, flank, damping=7.0, error=lambda phase: 1e-5 * mbs.sin(phase), **stiffness)
    mesh = m.forces["mesh"]
    assert isinstance(mesh, InvoluteMesh)
    m.output("arc", mesh.base * mbs.abs(mesh.wheels[0].teeth * mbs.coordinate("one", 6)))
    m.output("deflection", mbs.sqrt(2.0 * mesh.effect().stored / 2e5))
    found = outputs(Plain(m))
    check_accounts(m, cancelled=float(found["arc"] / found["deflection"]))  # arcs of both wheels cancel


@pytest.mark.parametrize("kind", tiers(CONTACTS, usual=3, quick=2))
@pytest.mark.parametrize("seed", tiers(range(4), usual=1, quick=1))
def test_contacts_balance_power(kind: str, seed: int) -> None:
    """The same laws hold for contacts of all shapes and laws of friction, whose states only lose energy."""
    m = bodies_in_contact(kind, seed)
    check_accounts(m)


@pytest.mark.parametrize("kind", tiers(list(BEARINGS), usual=7, quick=1))
@pytest.mark.parametrize("seed", tiers(range(4), usual=1, quick=1))
def test_bearings_balance_power(kind: str, seed: int) -> None:
    """The same laws hold for bearings between a shaft and a housing in flight, with cages that roll."""
    check_accounts(shaft_in_flight(kind, seed))


@pytest.mark.parametrize("kind", TYRES)
@pytest.mark.parametrize("seed", tiers(range(4), usual=1, quick=1))
def test_tyres_balance_power(kind: str, seed: int) -> None:
    """The same laws hold for wheels in flight on roads that move: the vertical spring is all that stores energy."""
    check_accounts(wheel_in_flight(kind, seed))


@pytest.mark.quick
@pytest.mark.parametrize("damping", [0.0, 0.7])
def test_massless_shafts_balance_power(damping: float) -> None:
    """The same laws hold for shafts between three joints, two that turn and one that slides."""
    m = mbs.Model("train")
    for k, (name, joint) in enumerate((("a", mbs.Revolute("x")), ("b", mbs.Revolute("y")), ("c", mbs.Prismatic("z")))):
        m.body(name, joint=joint, mass=1.0, com=(0.1, 0.2, 0.3), inertia=(1, 1, 1))
        m.start(name, q=0.3 * k - 0.1, u=1.0 - k)
    m.shaft("shaft", [("a", 2.0, 30.0, damping), ("b", -1.0, 20.0, 2 * damping), ("c", 0.3, 40.0, damping)], start=0.1)
    check_accounts(m)


def check_accounts(m: mbs.Model, cancelled: float = 1.0) -> None:
    """cancelled: size of the numbers whose difference is a deflection, over the deflection."""
    for name, account in accounts(m).items():
        bound = ROUNDING * cancelled * account.scale
        assert abs(account.whole - account.measured) < bound, name
        assert account.dissipates <= bound, name
        assert account.lost >= -bound, name
        assert abs(account.whole - account.dissipates - account.prescribed + account.lost + account.rate) < bound, name
        pushed = {push.body for push in m.forces[name].effect().action.pushes}
        if isinstance(m.forces[name], parts.OnBodies) and len(pushed) == 2:
            assert np.all(account.resultant < ROUNDING * REACH), name


@each(JOINTS, rounds=2, usual=1, quick=1)
def test_slipping_friction_balances_power(case: Case) -> None:
    """While a sticking friction slips, Coulomb's force and the viscous one act against the motion."""
    m, rng = moving_tree(case, 4), np.random.default_rng(case.seed)
    expected = {}
    for body in [body for body in m.bodies.values() if body.joint.motions]:
        k = int(rng.integers(len(body.joint.rates)))
        (capacity, static), viscous = sorted(rng.random(2)), rng.random()
        arguments = {"torque" if body.joint.rates[k][1] == "rad/s" else "force": capacity}
        name = f"f_{body.name}"
        m.friction(name, body, **arguments, coordinate=k + 1, static=static, viscous=viscous, stick=True)
        m.output(name, (mbs.power(name), mbs.strength(name)))
        u = m.starts[body.name].u[k]  # type: ignore[index]
        strength = -capacity * np.sign(u) - viscous * u
        expected[name] = np.array([strength * u, strength])
    computed = outputs(PlainLoops(m))
    for name, numbers in expected.items():
        assert np.abs(computed[name] - numbers).max() < ROUNDING * (1.0 + np.abs(numbers).max()), name


@each(JOINTS, rounds=2, usual=1, quick=1)
def test_anchors_equal_measures_of_their_bodies(case: Case) -> None:
    """Points and axes fixed on bodies agree with `position`, `velocity` and `angular_velocity`."""
    m, rng = moving_tree(case, 4), np.random.default_rng(case.seed)
    at, frame = Vector(rng.normal(size=3)), random_rotation(rng)
    pairs = {}
    for body in m.bodies:
        pairs |= {
            f"{body}_position": (anchors.point_position(body, at), mbs.position(body, at)),
            f"{body}_velocity": (anchors.point_velocity(body, at), mbs.velocity(body, at)),
            f"{body}_spin": (anchors.spin(body), mbs.angular_velocity(body)),
        }
        for k, axis in enumerate(anchors.axes(body, frame)):
            pairs[f"{body}_axis{k}"] = axis, turned(body, Vector(frame[:, k]))
    for name, (anchored, measured) in pairs.items():
        m.output(name, anchored)
        m.output(f"{name}_measured", measured)
    computed = outputs(Plain(m))
    for name in pairs:
        expected = computed[f"{name}_measured"]
        assert np.all(np.abs(computed[name] - expected) < ROUNDING * (REACH + np.abs(expected).max())), name


def test_parameters_in_points_of_forces_are_fixed() -> None:
    """Parameters in points and measured quantities of a force are fixed; those in its law are tunable."""
    m = mbs.Model("tuned")
    body = m.body("body", joint=mbs.Free(), mass=1.0, inertia=(1, 1, 1))
    names = ("spring", "bushing", "drag", "force", "stiffness", "linear", "push")
    p = {name: m.parameter(name, 1.0) for name in names}
    m.spring("s", "world", body, at_a=(p["spring"], 0, 0), stiffness=p["stiffness"])
    m.bushing("b", "world", body, at_b=(0, p["bushing"], 0), stiffness=2.0)
    m.drag("d", on=body, at=(0, 0, p["drag"]), linear=p["linear"])
    m.force("f", on=body, at=(p["force"], 0, 0), force=(p["push"], 0, 0))
    fixed = {v.name for v in compile_model(m).variables if v.role == "parameter" and v.fixed}
    assert fixed == {"spring", "bushing", "drag", "force"}


def test_an_effect_does_not_change_its_force() -> None:
    """Effects are created anew from the force's expressions, and change none of them."""
    m = moving_tree(Case("revolute", 2), 4)
    add_forces(m, np.random.default_rng(2))
    for force in m.forces.values():
        expected = list(expressions(force))
        assert isinstance(force.effect(), Effect)
        assert list(expressions(force)) == expected


def test_a_force_without_an_effect_is_refused() -> None:
    """A kind of force that defines no effect cannot be instantiated."""

    @dataclass(frozen=True, eq=False)
    class Forgetful(parts.OnBodies):
        body: str

    with pytest.raises(TypeError, match="effect"):
        Forgetful("x", "body")  # type: ignore[abstract]
