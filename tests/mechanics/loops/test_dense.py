"""The dense oracle for closed loops, checked by laws, by closed forms and by the kernels' trees."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from scipy.special import ellipj, ellipk

import mbs_fmu as mbs
from mbs_fmu.model.forces import expressions
from mbs_fmu.model.references.leaves import JointNumber, Signal
from mbs_fmu.symbolic.expressions import as_expression, leaf
from mbs_fmu.symbolic.graph import derivative, leaves
from mbs_fmu.symbolic.graph import evaluate as value_of
from support.cases import Case, each, tiers
from support.comparisons import assert_close
from support.generators import mechanisms
from support.generators.mechanisms import Plain, random_inertia, random_pose, random_rotation, random_tree
from support.generators.trees import add_forces, moving_tree
from support.oracles.complex_steps import close
from support.oracles.dense import Dense
from support.oracles.jets import Jet, evaluate, twists

JOINTS = {
    "revolute": mbs.Revolute((1, 2, 3)),
    "prismatic": mbs.Prismatic("-y"),
    "universal": mbs.Universal("xy"),
    "oblique": mbs.Universal(("x", (1, 2, 0))),
    "constant velocity": mbs.ConstantVelocity((1, 2, 3)),
    "spherical": mbs.Spherical(),
    "weld": mbs.Weld(),
    "cylinder": mbs.Compound(mbs.slide("z"), mbs.turn("z")),
    "planar": mbs.Compound(mbs.slide("x"), mbs.slide("y"), mbs.turn("z")),
    "boom": mbs.Compound(mbs.turn("z"), mbs.turn("y"), mbs.slide("x")),
    "polar": mbs.Compound(mbs.turn((1, 1, 0)), mbs.slide("x"), mbs.turn("y")),
    "euler": mbs.Compound(mbs.turn("z"), mbs.turn("x"), mbs.turn("z")),
    "gimbal on a rail": mbs.Compound(mbs.slide("x"), mbs.turn("z"), mbs.turn("y"), mbs.turn("x")),
}


@each(mechanisms.JOINTS, rounds=2, usual=2, quick=2)
def test_dense_oracle_and_kernels_agree_on_trees(case: Case) -> None:
    """M, u_dot and the energy of trees with all joints and forces are those of the Poisson impulses."""
    model = moving_tree(case, 8)
    add_forces(model, np.random.default_rng(case.seed))
    if case.seed % 3 == 0:
        model.gravity = mbs.PointGravity(4.0, center=(0.3, 5.0, -2.0))
    twisted = next(b.name for b in model.bodies.values() if b.joint.motions)
    model.force("twist", on=twisted, torque=(0.1, 0.2, -0.3), resolve_in="body")
    model.output("E", mbs.energy())
    plain, dense = Plain(model), Dense(model, {"gain": 1.6}, {"level": lambda t: 0.4 + t})
    slots = {v.name: v.slot for v in plain.program.variables}
    plain.R[slots["gain"]], plain.R[slots["level"]] = 1.6, 0.4
    D = np.zeros_like(plain.R)
    D[plain.program.state_slice] = plain.rates()
    plain.real.derive_d(plain.R, D)
    plain.real.outputs(plain.R)
    q, u = dense.read({name: plain.R[slot] for name, slot in slots.items()})
    own = [slots[name] - plain.slice("u").start for name in dense.rates]
    M = np.array([plain.momenta(column) for column in np.eye(dense.n)]).T[np.ix_(own, own)]
    close(dense.mass_matrix(q), M, 1e-13, "mass matrix", dense.rates)
    assert dense.named(q, u)[f"{twisted}.{model.bodies[twisted].joint.rates[0][0]}"] == u[dense.slots[twisted][1]][0]
    expected = np.array([D[slots[name]] for name in dense.rates])
    bound = 100 * np.finfo(float).eps * np.linalg.cond(M)
    assert np.linalg.norm(dense.accelerations(q, u)[0] - expected) <= bound * np.linalg.norm(expected), (
        f"accelerations, computed minus expected: {dict(zip(dense.rates, dense.accelerations(q, u)[0] - expected))}"
    )
    assert_close(
        dense.energy(q, u),
        plain.R[plain.slice("outputs")][0],
        1e-12 * (1 + abs(dense.energy(q, u))),
        "energy of the tree",
    )


def cut(model: mbs.Model, name: str, dense: Dense) -> mbs.Model:
    """Return the same tree with one body set free, and its joint as a loop."""
    scene = dense.scene(dense.q0, dense.u0)
    cut_model = mbs.Model("cut", gravity=model.gravity)
    for b in model.bodies.values():
        pose = mbs.Pose(b.position, b.rotation)
        if b.name != name:
            cut_model.body(b.name, b.parent, b.joint, b.mass, b.com, b.inertia, pose)
            q, u = (x[s] for x, s in zip((dense.q0, dense.u0), dense.slots[b.name], strict=True))
        else:
            cut_model.body(name, "world", mbs.Free(), b.mass, b.com, b.inertia)
            T = scene.frames[name]
            R = T.value[:3, :3]
            w = Rotation.from_matrix(R).as_quat()
            q, u = np.array([*T.value[:3, 3], w[3], *w[:3]]), (twists(T).first.reshape(2, 3) @ R).ravel()
        cut_model.start(b.name, q=q, u=u)
    cut_model.parameters, cut_model.inputs, cut_model.forces = model.parameters, model.inputs, model.forces
    b = model.bodies[name]
    cut_model.close("loop", b.parent, name, b.joint, at_a=mbs.Pose(b.position, b.rotation))
    return cut_model


@pytest.mark.parametrize("kind", JOINTS)
@pytest.mark.parametrize("seed", tiers(range(2), usual=1))
def test_a_joint_as_a_loop_equals_the_joint_in_the_tree(kind: str, seed: int) -> None:
    """A body on a joint of the tree, and free but held by the same joint as a loop, has the same motion and reactions.

    Motors, springs and wrenches act on the other bodies, and wrenches on this one.
    """
    rng = np.random.default_rng([seed, *kind.encode()])
    model = random_tree(rng, 4, "chain", ("tilted", "universal", "spherical", "compound"))
    joint = JOINTS[kind]
    parent = "b1" if seed else "world"
    model.body("held", parent, joint, 1.3, rng.normal(size=3), random_inertia(rng), random_pose(rng))
    model.start("held", q=2.0 * rng.normal(size=len(joint.coordinates)), u=rng.normal(size=len(joint.rates)))
    model.body("tail", "held", mbs.Spherical(), 0.5, rng.normal(size=3), random_inertia(rng), random_pose(rng))
    model.start("tail", u=rng.normal(size=3))
    add_forces(model, rng)
    along_it = [
        n
        for n, f in model.forces.items()
        if any(isinstance(x, JointNumber) and x.body == "held" for x in leaves(expressions(f)))
    ]
    model.forces = {name: force for name, force in model.forces.items() if name not in along_it}
    tree = Dense(model)
    opened = cut(model, "held", tree)
    loop = Dense(opened)
    assert_close(loop.residual(loop.q0), 0.0, 1e-13, "residual")
    assert_close(loop.jacobian(loop.q0) @ loop.u0, 0.0, 1e-12, "row rate")
    assert loop.degrees_of_freedom(loop.q0) == tree.n
    a, b = tree.accelerations(tree.q0, tree.u0)[0], loop.accelerations(loop.q0, loop.u0)[0]
    for name in tree.bodies:
        if name != "held":
            close(b[loop.slots[name][1]], a[tree.slots[name][1]], 1e-10, f"acceleration of {name}")
    expected, computed = tree.reactions(tree.q0, tree.u0), loop.reactions(loop.q0, loop.u0)
    for name, other in {**{name: name for name in tree.bodies if name != "held"}, "held": "loop"}.items():
        close(computed[other], expected[name], 1e-10, f"reaction on {name}")
    assert_close(computed["held"], 0.0, 1e-10 * np.abs(computed["loop"]).max(), "held")


def linked_pair(link: Any, seed: int) -> mbs.Model:
    """Return two free bodies and a link between them, nearly closed."""
    rng = np.random.default_rng(seed)
    m = mbs.Model("pair")
    for name in "ab":
        m.body(name, "world", mbs.Free(), 1.0 + rng.random(), rng.normal(size=3) * 0.3, random_inertia(rng))
        m.start(name, q=rng.normal(size=7), u=rng.normal(size=6))
    places = [mbs.Pose(rng.normal(size=3), random_rotation(rng)) for _ in range(2)]
    if isinstance(link, str):
        gap = mbs.position("b", (0.1, 0, 0)) - mbs.position("a", (0, 0.2, 0))
        if link == "rates":
            slip = mbs.velocity("b", (0.1, 0, 0)).dot(mbs.position("a", (0, 1, 2)) - mbs.position("a"))
            turning = mbs.angular_velocity("a").dot(gap) - mbs.rate("b", 2) * mbs.cos(mbs.time) - mbs.sin(gap[0])
            m.constrain("loop", [gap.norm() - 1.0, slip - 0.3 * mbs.time, turning])
            return m
        turned = mbs.orientation("b")[1] * mbs.coordinate("a", 5) + 0.1 * mbs.coordinate("b", 2) - mbs.sin(mbs.time)
        m.constrain("loop", [gap.norm() - mbs.exp(0.2 * mbs.time), turned, mbs.atan2(gap[1], gap[2]) - 0.3])
    else:
        m.close("loop", "a", "b", link, at_a=places[0], at_b=places[1])
    return m


LINKS: dict[str, Any] = {
    **JOINTS,
    "distance": mbs.Distance(1.0 + 0.3 * mbs.sin(2 * mbs.time)),
    "line": mbs.OnLine((1, 2, 2)),
    "plane": mbs.OnPlane((1, -2, 2)),
    "equations": "equations",
    "wheel": mbs.Rolling(0.3, (1, 2, 3), (1, -2, 2), 0.1),
    "ball on a plane": mbs.Rolling(0.3, None, (1, -2, 2)),
    "knife edge": mbs.KnifeEdge((1, 2, 3)),
    "rates": "rates",
}
COUNTS = {
    "distance": 1, "line": 2, "plane": 1, "equations": 3, "wheel": 3, "ball on a plane": 3, "knife edge": 1, "rates": 3,
}  # fmt: skip


@pytest.mark.parametrize("kind", tiers(list(LINKS), usual=3))
def test_dense_accelerations_keep_loops_closed(kind: str) -> None:
    """The Jacobian equals differences of the residual; residual and its rate stay zero without projection."""
    model = linked_pair(LINKS[kind], 7)
    d = Dense(model)
    t = 0.1
    q, u = d.consistent(d.q0, d.u0, t)
    count = COUNTS.get(kind, 6 - len(LINKS[kind].rates) if kind in JOINTS else 0)
    assert d.n - d.degrees_of_freedom(q, t) == count
    G, h = d.jacobian(q, t), 1e-3
    direction = d.scene(q, u).coordinates.first
    steps = [(d.residual(q + k * h * direction, t + k * h)) for k in (-2, -1, 1, 2)]
    rate = (steps[0] - 8 * steps[1] + 8 * steps[2] - steps[3]) / (12 * h)
    assert np.abs(rate - G @ u - d.time_rate(q, t))[d.binding].max(initial=0.0) < 1e-9
    (_, q), (_, u) = d.simulate([t, t + 0.1], q, u, rtol=1e-11, project=False)
    t += 0.1
    assert_close(d.residual(q, t), 0.0, 1e-10, "residual")
    assert_close(d.jacobian(q, t) @ u, -(d.time_rate(q, t)), 1e-9, "row rate")


def four_bar(**settings: Any) -> mbs.Model:
    """Return crank, coupler and rocker in the x-z plane, joined by hinges alone: three constraint
    rows are redundant.
    """
    m = mbs.Model("four_bar", **settings)
    rods = (("crank", "world", 0.4, 0.0), ("coupler", "crank", 1.1, 0.4), ("rocker", "world", 0.8, 1.0))
    for name, parent, length, x in rods:
        inertia = (0.0, length**3 / 12, length**3 / 12)
        m.body(name, parent, mbs.Revolute("y"), length, (length / 2, 0, 0), inertia, (x, 0, 0))
    m.close("pin", "coupler", "rocker", mbs.Revolute("y"), at_a=(1.1, 0, 0), at_b=(0.8, 0, 0))
    m.start("crank", q=-1.0, u=6.0)
    m.start("coupler", q=0.3)
    m.start("rocker", q=-1.6)
    return m


@pytest.mark.slow
def test_a_four_bar_conserves_energy() -> None:
    """Through full turns of the crank, energy is conserved and Freudenstein's equation holds; the indeterminate
    reactions are reported.
    """
    d = Dense(four_bar())
    q, u = d.consistent(d.q0, d.u0, held=["crank"])
    assert q[0] == -1.0 and u[0] == 6.0 and d.degrees_of_freedom(q) == 1
    qs, us = d.simulate(np.linspace(0.0, 1.2, 13), q, u, rtol=1e-11)
    assert np.ptp(qs[:, 0]) > 2 * np.pi
    energies = np.array([d.energy(q, u) for q, u in zip(qs, us)])
    assert np.ptp(energies) < 1e-9
    a, b, c, ground = 0.4, 1.1, 0.8, 1.0
    phi, psi = (qs[:, d.slots[name][0]] for name in ("crank", "rocker"))
    freudenstein = ground / a * np.cos(psi) - ground / c * np.cos(phi) + (a**2 - b**2 + c**2 + ground**2) / (2 * a * c)
    assert_close(freudenstein, np.cos(phi - psi), 1e-12, "cos(phi - psi)")
    opened = d.undetermined(qs[-1], us[-1])
    for name in ("crank", "coupler", "rocker", "pin"):
        assert np.abs(opened[name][[0, 2, 4]]).max() < 1e-12 and opened[name].shape == (6, 3)


def pendulum(form: str) -> mbs.Model:
    """Return a mass point in a plane on a rod of 0.5 m."""
    m = mbs.Model("pendulum")
    m.body("bob", "world", mbs.Compound(mbs.slide("x"), mbs.slide("z")), 2.0)
    if form == "rod":
        m.close("rod", "world", "bob", mbs.Distance(m.parameter("l", 0.5)))
    else:
        m.constrain("rod", mbs.position("bob").norm() - m.parameter("l", 0.5))
    m.start("bob", q=(0.5 * np.sin(2.0), -0.5 * np.cos(2.0)))
    return m


@pytest.mark.parametrize("form", ["rod", "equation"])
def test_a_mass_on_a_rod_follows_the_exact_pendulum(form: str) -> None:
    """The motion of a mass on a `Distance` is that of elliptic functions, and its tension follows from the energy."""
    d = Dense(pendulum(form))
    g, length, k = 9.81, 0.5, np.sin(1.0)
    times = np.linspace(0.0, 3.0, 7)
    qs, us = d.simulate(times, rtol=1e-12)
    angle = 2 * np.arcsin(k * ellipj(ellipk(k**2) - np.sqrt(g / length) * times, k**2)[0])
    assert_close(qs, length * np.array([np.sin(angle), -np.cos(angle)]).T, 1e-10, "coordinate")
    for q, u, phi in zip(qs, us, angle):
        multiplier = d.accelerations(q, u)[1][0]
        tension = 2.0 * (g * np.cos(phi) + 2 * g * (np.cos(phi) - np.cos(2.0)))
        assert_close(multiplier, -tension, 1e-8, f"tension of the rod at phi = {phi:g}")
        if form == "rod":
            close(
                d.reactions(q, u)["rod"],
                multiplier / length * np.array([q[0], 0, q[1], 0, 0, 0]),
                1e-12,
                "reaction of the rod",
            )
        close(d.reactions(q, u)["bob"], np.zeros(6), 1e-10, "reaction on the bob")


def test_power_is_the_rate_of_energy() -> None:
    """The energy of a driven four-bar with a rod of changing length grows by the work of motor and rod."""
    m = four_bar(gravity=(1.0, 0, -9.0))
    m.body("swing", "rocker", mbs.Universal("xy"), 0.3, (0, 0, -0.2), (0.01, 0.01, 0.002), (0.4, 0, 0))
    m.motor("drive", on="crank", torque=3.0 * mbs.cos(mbs.time) - 0.2 * mbs.rate("crank"))
    m.spring("soft", "world", "coupler", at_a=(0, 0.3, 1), at_b=(0.5, 0, 0), stiffness=7.0, length=0.4)
    m.spring("hinge", on="swing", coordinate=2, stiffness=1.0, length=0.1)
    rod = mbs.Distance(1.3 + 0.1 * mbs.sin(5 * mbs.time))
    m.close("rod", "world", "swing", rod, at_a=(0.5, 0.8, -0.3), at_b=(0.1, 0, -0.3))
    d = Dense(m)
    q, u = d.consistent(d.q0, d.u0, held=["crank"])
    nodes, weights = np.polynomial.legendre.leggauss(32)
    times = np.array([0.0, *(0.05 * (1 + nodes)), 0.1])
    qs, us = d.simulate(times, q, u, rtol=1e-11)
    powers = []
    for t, q, u in zip(times, qs, us):
        rod = d.accelerations(q, u, t)[1][d.rows["rod"]][0]
        powers.append((3 * np.cos(t) - 0.2 * u[0]) * u[0] + rod * 0.5 * np.cos(5 * t))
    work = 0.05 * weights @ powers[1:-1]
    assert_close(
        d.energy(qs[-1], us[-1]) - d.energy(qs[0], us[0]), work, 1e-10, "gain of energy by the work of motor and rod"
    )
    assert abs(work) > 0.1


@pytest.mark.parametrize("seed", tiers(range(6), usual=2))
def test_reactions_along_joint_velocities_equal_joint_forces(seed: int) -> None:
    """Along its velocities a joint of the tree transmits the forces of motors and springs, and a joint of a loop
    nothing.
    """
    rng = np.random.default_rng(seed)
    model = random_tree(rng, 6, "tree", ("revolute", "universal", "compound", "spherical", "free"))
    add_forces(model, rng)
    actions = {name: force.effect().action for name, force in model.forces.items()}
    model.forces = {name: model.forces[name] for name, x in actions.items() if not (x.along and x.pushes)}
    inner = {b.parent for b in model.bodies.values()}
    ends = [name for name in model.bodies if name not in inner]
    model.close("ring", "world", ends[0], mbs.Compound(*map(mbs.slide, "xyz"), mbs.turn("z")), at_b=(0.1, 0.2, 0.3))
    model.close("plane", ends[-1], "world", mbs.OnPlane((1, 2, 3)), at_a=(0.1, 0, 0))
    d = Dense(model)
    q, u = d.consistent(d.q0, d.u0)
    scene, wrenches, everything = d.scene(q, u), d.reactions(q, u), d.bias(q, u)
    model.forces = {name: force for name, force in model.forces.items() if not force.effect().action.along}
    tau = everything - d.bias(q, u)
    for name in d.bodies:
        own = d.slots[name][1]
        close(
            twists(scene.frames[name]).gradient[own] @ wrenches[name], tau[own], 1e-10, f"generalized force on {name}"
        )
    force, torque = wrenches["ring"].reshape(2, 3)
    assert_close(force, 0.0, 1e-12 * np.abs(torque).max(), "force")
    assert_close(torque[2], 0.0, 1e-12 * np.abs(torque).max(), "torque of the ring about its axis")
    force, torque = wrenches["plane"].reshape(2, 3)
    normal = d.poses(q)[ends[-1]][0] @ (1, 2, 3)
    assert_close(
        np.cross(normal, force), 0.0, 1e-12 * np.linalg.norm(force) * np.linalg.norm(normal), "force in the plane"
    )
    assert_close(torque, 0.0, 1e-12 * np.abs(force).max(), "torque")


def test_the_reaction_of_a_hinge_is_weight_plus_centripetal_force() -> None:
    """The reaction of a plate on a hinge with a motor is that by hand, in world axes about the hinge."""
    m = mbs.Model("plate")
    m.body("plate", "world", mbs.Revolute("y"), 2.0, (0, 0.1, -0.5), (0.1, 0.2, 0.3), (0, 0, 1))
    m.motor("drive", on="plate", torque=0.7)
    d = Dense(m)
    phi, w = 0.4, 3.0
    (w_dot,), _ = d.accelerations([phi], [w])
    assert_close(
        w_dot, (0.7 - 2 * 9.81 * 0.5 * np.sin(phi)) / (0.2 + 2 * 0.25), 1e-13, "angular acceleration of the plate"
    )
    radial, along = np.array([-np.sin(phi), 0, -np.cos(phi)]), np.array([-np.cos(phi), 0, np.sin(phi)])
    force = 2 * (0.5 * w_dot * along - 0.5 * w**2 * radial + (0, 0, 9.81))
    torque = np.cross((0, 0.1, 0) + 0.5 * radial, force) + np.array([0, 0.2 * w_dot, 0])
    close(d.reactions([phi], [w])["plate"], np.concatenate([force, torque]), 1e-14, "reaction on the plate")


def test_a_gear_equals_a_constraint_equation() -> None:
    """Two wheels with a ratio have one degree of freedom with the sum of the inertias; each axle carries the gear's
    torque.
    """
    m = mbs.Model("gears", gravity=(0, 0, 0))
    for name, J in (("a", 0.3), ("b", 0.5)):
        m.body(name, "world", mbs.Revolute("z"), 1.0, inertia=(J, J, J))
    m.motor("drive", on="a", torque=2.0)
    m.constrain("gear", mbs.coordinate("a") + 3 * mbs.coordinate("b") - 0.2 * mbs.time)
    d = Dense(m)
    q, u = d.consistent([0.3, 0.0], [1.0, 0.0], 0.5, held=["a.phi"])
    close(q, np.array([0.3, -0.2 / 3]), 1e-14, "coordinate")
    close(u, np.array([1.0, -0.8 / 3]), 1e-14, "joint velocity")
    u_dot, (multiplier,) = d.accelerations(q, u, 0.5)
    assert_close(u_dot[0], 2 / (0.3 + 0.5 / 9), 1e-13, "angular acceleration of wheel a")
    assert_close(multiplier, 0.5 * u_dot[1] / 3, 1e-13, "multiplier of the gear")
    assert_close(d.reactions(q, u, 0.5)["b"][5], 3 * multiplier, 1e-13, "torque of the gear on the axle of b")


def test_jets_equal_symbolic_derivatives() -> None:
    """Every operation of expressions has the first and second derivatives of two symbolic differentiations."""
    reference = Signal("input", "x")
    x = leaf(reference)
    y = mbs.sin(x) * mbs.exp(-0.3 * x) + mbs.cos(2 * x) / (1 + x**2) - mbs.tan(0.3 * x) ** 3
    y += mbs.asin(0.3 * x) * mbs.acos(0.2 * x) + mbs.atan(3 * x) + mbs.log(2 + x) * mbs.sqrt(x + 3) + mbs.tanh(x)
    y += mbs.atan2(x, 0.7 - x) - mbs.atan2(1.0, x) + (x + 3) ** 1.7 + 1.3**x + (x + 3) ** x + mbs.max(x, 0.5 * x)
    y += mbs.table(x, [-1, 0, 1], [2, 1, 5]) + mbs.abs(x) - mbs.clip(x, -1, 1) * x
    slope = derivative([y], lambda _: as_expression(1.0))[0]
    curvature = derivative([slope], lambda _: as_expression(1.0))[0]
    for number in (-0.8, -0.3, 0.4, 0.9):
        f, df, ddf = (value_of(e, {reference: number}) for e in (y, slope, curvature))
        computed = evaluate(y, lambda _: Jet(number, np.array([1.0, -2.0]), 3.0, 5.0))
        close(
            np.array([computed.value, *computed.gradient]),
            np.array([f, df, -2 * df]),
            1e-14,
            "value and gradient",
        )
        close(np.array([computed.first, computed.second]), np.array([3 * df, 9 * ddf + 5 * df]), 1e-13, "rates")
