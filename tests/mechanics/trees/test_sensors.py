"""Laws of measures: relative motion, momentum, centre of mass, power; as outputs and in laws."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.model.geometry.poses import rotation_matrix
from support.cases import Case, each, tiers
from support.comparisons import assert_close
from support.generators.mechanisms import JOINTS, Plain, add_drives, random_inertia, random_pose, random_tree
from support.generators.trees import add_forces, add_sensors, moving_tree
from support.oracles.complex_steps import output_rates, outputs


def attitude(q: np.ndarray) -> np.ndarray:
    return rotation_matrix(q, "quaternion")


def spinning(a: Any, b: Any) -> np.ndarray:
    """Return the angular velocity of a rotation with the rate b, in its outer axes."""
    S = b @ a.T
    return 0.5 * np.array([S[2, 1] - S[1, 2], S[0, 2] - S[2, 0], S[1, 0] - S[0, 1]])


def quaternion_rate(q: np.ndarray, rate: np.ndarray) -> np.ndarray:
    """Return the rate of `attitude` of a unit quaternion, by differences of this quadratic function (exact)."""
    return (attitude_form(q + rate) - attitude_form(q - rate)) / 2


def attitude_form(q: np.ndarray) -> np.ndarray:
    w, v = q[0], q[1:]
    skew = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return (w * w - v @ v) * np.eye(3) + 2 * np.outer(v, v) + 2 * w * skew


@each(JOINTS, rounds=1, usual=2, quick=2)
def test_relative_measures_agree_with_absolute_ones(case: Case) -> None:
    """Relative poses and velocities follow from absolute ones, and the velocities are the rates of the poses."""
    rng = np.random.default_rng(case.seed)
    m = moving_tree(case, 6)
    names = ["world", *m.bodies]
    a, b = rng.choice(names), rng.choice(names)
    at_a, at_b = random_pose(rng), random_pose(rng)
    m.output("r", mbs.relative_position(a, b, at_a, at_b))
    m.output("q", mbs.relative_orientation(a, b, at_a, at_b))
    m.output("v", mbs.relative_velocity(a, b, at_a, at_b))
    m.output("w", mbs.relative_angular_velocity(a, b, at_a))
    for name, body, at in (("a", a, at_a), ("b", b, at_b)):
        m.output(name, mbs.pose(body, at.position))
        m.output(name, mbs.twist(body, at.position))
    plain = Plain(m)
    computed, rates = outputs(plain), output_rates(plain)
    A, B = (
        attitude(computed[f"{x}.orientation"]) @ rotation_matrix(at.rotation, "") for x, at in zip("ab", (at_a, at_b))
    )
    apart = computed["b.position"] - computed["a.position"]
    drift = np.cross(computed["a.w"], apart)
    scale = 1 + max(np.abs(x).max() for x in computed.values())
    for quantity, value, expected in (
        ("relative position", computed["r"], A.T @ apart),
        ("relative orientation", attitude(computed["q"]), A.T @ B),
        ("relative velocity", computed["v"], A.T @ (computed["b.v"] - computed["a.v"] - drift)),
        ("relative angular velocity", computed["w"], A.T @ (computed["b.w"] - computed["a.w"])),
        ("rate of the relative position", rates["r"], computed["v"]),
        ("rate of the position of a", rates["a.position"], computed["a.v"]),
        ("rate of the relative orientation",
         spinning(attitude(computed["q"]), quaternion_rate(computed["q"], rates["q"])), computed["w"]),
        ("rate of the orientation of b",
         spinning(attitude(computed["b.orientation"]),
                  quaternion_rate(computed["b.orientation"], rates["b.orientation"])), computed["b.w"]),
    ):  # fmt: skip
        assert np.abs(value - expected).max() < 1e-12 * scale, f"{quantity}: {value}, not {expected}"


@pytest.mark.usual
@pytest.mark.parametrize("seed", tiers(range(12), usual=1, quick=1))
def test_totals_are_sums_over_bodies(seed: int) -> None:
    """Momentum, angular momentum and centre of mass are sums over all movable bodies.

    Half of the trees have driven joints.
    """
    m = random_tree(np.random.default_rng(seed), 9, "tree")
    m.body("last", joint=mbs.Revolute((1, 2, 3)), mass=1.0, com=(1, 0, 0), inertia=(1, 1, 1))
    m.start("last", u=1.0)
    if seed % 2:
        add_drives(m, np.random.default_rng(seed), 0.3)
    about = mbs.Vector((0.3, -0.2, 0.5))
    m.output("P", mbs.momentum())
    m.output("L", mbs.angular_momentum(about=about))
    m.output("c", mbs.center_of_mass())
    for name, body in m.bodies.items():
        m.output(f"P_{name}", mbs.momentum(body))
        m.output(f"L_{name}", mbs.angular_momentum(name, about))
        m.output(f"c_{name}", mbs.center_of_mass(name))
        m.output(f"v_{name}", mbs.velocity(body, body.com))
    plain = Plain(m)
    computed, rates = outputs(plain), output_rates(plain)
    fixed = {"world"}
    for name, body in m.bodies.items():  # parents come first
        fixed |= {name} if body.parent in fixed and not body.joint.motions else set()
    moving = {name: float(body.mass.value) for name, body in m.bodies.items() if name not in fixed}
    scale = 1 + max(np.abs(x).max() for x in computed.values())
    for name, mass in moving.items():
        assert np.abs(computed[f"P_{name}"] - mass * computed[f"v_{name}"]).max() < 1e-13 * scale, f"momentum of {name}"
        assert np.abs(rates[f"c_{name}"] - computed[f"v_{name}"]).max() < 1e-12 * scale, (
            f"velocity of the centre of mass of {name}"
        )
    for x in "PL":
        assert np.abs(computed[x] - sum(computed[f"{x}_{name}"] for name in moving)).max() < 1e-12 * scale, (
            f"total {x}: {computed[x]}"
        )
    weighted = sum(mass * computed[f"c_{name}"] for name, mass in moving.items())
    assert_close(computed["c"] * sum(moving.values()), weighted, 1e-12 * scale, "c")
    assert_close(rates["c"] * sum(moving.values()), computed["P"], 1e-12 * scale, "P")


@pytest.mark.parametrize("seed", tiers(range(8), usual=1, quick=1))
def test_momentum_rates_are_external_wrenches(seed: int) -> None:
    """In a floating tree, the rate of momentum is weight plus applied forces, and likewise for angular momentum."""
    rng = np.random.default_rng(seed)
    m = mbs.Model("floating", gravity=rng.normal(size=3))
    root = m.body("root", joint=mbs.Free(), mass=1.0, com=rng.normal(size=3), inertia=random_inertia(rng))
    m.start(root, q=rng.normal(size=7), u=rng.normal(size=6))
    limbs = []
    for k, joint in enumerate((mbs.Revolute("x"), mbs.Spherical(), mbs.Prismatic((1, 2, 3)))):
        limb = m.body(
            f"limb{k}", root if k == 0 else limbs[-1], joint, mass=0.5, com=rng.normal(size=3),
            inertia=random_inertia(rng), at=random_pose(rng),
        )  # fmt: skip
        m.start(limb, q=rng.normal(size=len(joint.coordinates)), u=rng.normal(size=len(joint.rates)))
        limbs.append(limb)
    m.spring("knee", on=limbs[0], stiffness=3.0, damping=1.0)
    m.friction("dry", on=limbs[2], force=2.0, speed=0.3)
    m.bushing("inside", root, limbs[2], at_a=random_pose(rng), stiffness=2, damping=1, rotational_stiffness=3)
    points = rng.normal(size=(4, 3))
    m.spring("rope", "world", limbs[1], at_a=(1, 2, 3), at_b=points[0], stiffness=2.0, damping=0.3, length=0.1)
    m.drag("air", on=limbs[2], at=points[1], linear=0.4, quadratic=0.2)
    m.force("push", on=root, at=points[2], force=(1, 2, 3), torque=(0.1, 0.2, 0.3), resolve_in="body")
    m.bushing("soil", "world", limbs[0], at_b=points[3], stiffness=2, damping=1, rotational_stiffness=1)
    m.output("P", mbs.momentum())
    m.output("L", mbs.angular_momentum())
    m.output("c", mbs.center_of_mass())
    outside = {"rope": limbs[1], "air": limbs[2], "push": root, "soil": limbs[0]}
    for k, (name, body) in enumerate(outside.items()):
        m.output(name, mbs.applied(name))
        m.output(f"{name}_point", mbs.position(body, points[k]))
    plain = Plain(m)
    computed, rates = outputs(plain), output_rates(plain)
    weight = 2.5 * np.array([g.value for g in m.gravity])
    force = weight + sum(computed[f"{name}.f"] for name in outside)
    torque = np.cross(computed["c"], weight) + sum(
        computed[f"{name}.t"] + np.cross(computed[f"{name}_point"], computed[f"{name}.f"]) for name in outside
    )
    scale = 1 + np.abs(plain.rates()).max()
    assert np.abs(rates["P"] - force).max() < 1e-12 * scale, f"rate of momentum {rates['P']}, force {force}"
    assert np.abs(rates["L"] - torque).max() < 1e-12 * scale, f"rate of angular momentum {rates['L']}, torque {torque}"


def test_measures_can_be_used_in_laws() -> None:
    """A controller acts on the centre of mass; the integrated power of all forces is the gain of energy."""
    m = mbs.Model("balance")
    cart = m.body("cart", joint=mbs.Prismatic("x"), mass=2.0)
    pole = m.body("pole", cart, mbs.Revolute("y"), mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.1))
    m.start(pole, q=0.6)
    x, v = mbs.center_of_mass()[0], mbs.momentum()[0] / 3.0
    m.motor("hold", on=cart, force=-20 * x - 5 * v)
    m.friction("dry", on=pole, torque=0.1)
    work = m.state("work", rate=mbs.power("hold") + mbs.power("dry"), unit="J")
    m.output("E", mbs.energy())
    m.output("x", x, unit="m")
    m.output("work_of_all", work)
    result = mbs.simulate(m, 8.0, rtol=1e-9, atol=1e-11)
    assert_close(result["E"] - result["E"][0], result["work"], 1e-7, "work")
    assert_close(result["x"][-1], 0.0, 2e-3, "position x at the end")


def test_a_force_may_depend_on_another_force() -> None:
    """A law may use another force's strength, but not its own."""
    m = mbs.Model("follow", gravity=(0, 0, 0))
    a = m.body("a", joint=mbs.Prismatic("x"), mass=1.0)
    b = m.body("b", joint=mbs.Prismatic("x"), mass=1.0)
    m.start(a, q=0.2)
    m.spring("spring", on=a, stiffness=5.0)
    m.motor("copy", on=b, force=2 * mbs.strength("spring"))
    assert Plain(m).rates()[2:4] == pytest.approx((-1.0, -2.0), abs=1e-15)
    m.motor("endless", on=b, force=-mbs.power("endless"))
    with pytest.raises(mbs.ModelError, match="force 'endless' depends on its own power or strength"):
        Plain(m)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (mbs.power("nothing"), "unknown force 'nothing'; forces of model 'm': motor, mount"),
        (mbs.strength("mount"), "has no single strength: use mbs.applied"),
        (mbs.applied("motor").f, "acts along a joint: use mbs.strength"),
        (mbs.momentum("nobody"), "unknown body 'nobody'"),
        (mbs.relative_position("arm", "nobody"), "unknown body 'nobody'"),
    ],
)
def test_invalid_measures_are_refused(value: Any, message: str) -> None:
    """Each message lists valid names, or the alternative."""
    m = mbs.Model("m")
    arm = m.body("arm", joint=mbs.Revolute("x"), mass=1.0, com=(0, 0, 1), inertia=(1, 1, 1))
    m.motor("motor", on=arm, torque=1.0)
    m.bushing("mount", "world", arm, stiffness=1.0)
    with pytest.raises(mbs.ModelError) as error:
        m.output("x", value)
        Plain(m)
    assert message in str(error.value)


def test_totals_without_a_body_are_refused() -> None:
    m = mbs.Model("empty")
    m.output("P", mbs.momentum())
    with pytest.raises(mbs.ModelError, match="no body that can move"):
        Plain(m)


def test_poses_twists_and_wrenches_become_two_outputs_with_units() -> None:
    """A pose, a twist and a wrench become two outputs each."""
    m = mbs.Model("parts")
    arm = m.body("arm", joint=mbs.Revolute("x"), mass=1.0, com=(0, 0, 1), inertia=(1, 1, 1))
    m.bushing("mount", "world", arm, stiffness=1.0)
    m.output("tip", mbs.pose(arm, (0, 0, 1)))
    m.output("tip", mbs.twist(arm, (0, 0, 1)))
    m.output("mount", mbs.applied("mount"))
    units = {v.name: v.unit for v in Plain(m).program.variables if v.role == "output"}
    for name, count, unit in (
        ("tip.position", 3, "m"), ("tip.orientation", 4, None), ("tip.v", 3, "m/s"), ("tip.w", 3, "rad/s"),
        ("mount.f", 3, "N"), ("mount.t", 3, "N.m"),
    ):  # fmt: skip
        assert [units[f"{name}[{k + 1}]"] for k in range(count)] == [unit] * count


@pytest.mark.slow  # two FMUs are built
@pytest.mark.parametrize("kind", ["python", "native"])
def test_fmus_give_all_forces_and_measures_as_outputs(kind: str, tmp_path: Path) -> None:
    """Both kinds of FMU give every output as simulate does."""
    fmpy = pytest.importorskip("fmpy")
    m = moving_tree(Case("tilted", 0), 4, ("tilted", "prismatic", "compound", "free"))
    add_forces(m, np.random.default_rng(4))
    add_sensors(m, next(b for b in m.bodies.values() if b.joint.motions))
    m.output("E", mbs.energy())
    where: dict[str, Any] = {"platforms": "host"} if kind == "native" else {}
    path = mbs.export(m, tmp_path / "all.fmu", kind=kind, method="rk4", step=1e-3, reference=False, **where)
    result = mbs.simulate(m, 0.05, inputs={"level": 0.7}, method="rk4", step=1e-3, output_interval=0.01)
    names = [x for name in m.outputs for x in result.vectors.get(name, [name])]
    computed = fmpy.simulate_fmu(str(path), stop_time=0.05, output_interval=0.01, output=names)
    for name in names:
        expected = result[name]
        assert np.abs(computed[name] - expected).max() <= 1e-9 * (1 + np.abs(expected).max()), name
