"""Laws of elastic forces whose numbers vary with the motion: each force is minus the gradient of its energy."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.model.model import Model
from mbs_fmu.symbolic.expressions import ZERO
from support.cases import Case, each, tiers
from support.generators.elastic_mechanisms import bent_tree
from support.generators.gears import KINDS, geared
from support.generators.mechanisms import JOINTS, Plain
from support.generators.trees import moving_tree
from support.generators.varying_laws import add_varying_forces
from support.oracles.complex_steps import output_rates, outputs

ROUNDING = 1e-12  #: of powers: some thousand operations of eps, times the condition of the mass matrix


def check_energy(m: Model) -> None:
    """Check that the energy of a model without losses stays, and that the power of each force is minus the rate of
    what it stores."""
    stored = {name: force.effect().stored for name, force in m.forces.items()}
    m.output("E", mbs.energy())
    for name, energy in stored.items():
        m.output(f"power_{name}", mbs.power(name))
        m.output(f"stored_{name}", ZERO if energy is None else energy)
    plain = Plain(m)
    rates, now = output_rates(plain), outputs(plain)
    powers = {name: float(now[f"power_{name}"]) for name in m.forces}
    scale = 1.0 + sum(map(abs, powers.values())) + np.abs(plain.R[plain.slice("tau")]).sum()
    for name, power in powers.items():
        assert abs(power + rates[f"stored_{name}"]) < ROUNDING * scale, name
    assert abs(rates["E"]) < ROUNDING * scale


@each(JOINTS, rounds=3, usual=1, quick=1)
def test_elastic_forces_are_gradients(case: Case) -> None:
    """Springs, limits, couplings, bushings, ropes and shafts conserve energy, whatever their laws depend on."""
    rng = np.random.default_rng(case.seed)
    m = moving_tree(case, 3)
    add_varying_forces(m, rng)
    check_energy(m)


@pytest.mark.parametrize("seed", tiers(range(6), usual=1))
def test_elastic_forces_between_elastic_bodies_are_gradients(seed: int) -> None:
    """The same law holds for elastic bodies, whose vibration modes change numbers of laws too."""
    rng = np.random.default_rng(seed)
    m = bent_tree(seed, 2)
    for name in m.bodies:
        if m.bodies[name].elastic is not None:
            m.bodies[name] = replace(m.bodies[name], elastic=replace(m.bodies[name].elastic, damping=ZERO))
    add_varying_forces(m, rng, 2)
    check_energy(m)


@pytest.mark.parametrize("kind", tiers(KINDS, usual=1, quick=1))
def test_elastic_gears_are_gradients(kind: str) -> None:
    """The same law holds for teeth and couplings, pressed together, on carriers in flight."""
    k = 2e3 * (1.0 + 0.3 * mbs.sin(7.0 * mbs.coordinate("one")) + 0.1 * mbs.position("two", (0.1, 0.2, 0.3))[1])
    m = geared(kind, 3, stiffness=k, backlash=1e-4 * (2.0 + mbs.cos(mbs.coordinate("two"))))
    del m.forces["drive"]
    m.start("one", q=0.03, u=4.0)
    check_energy(m)


@pytest.mark.quick
def test_compliant_contacts_are_gradients() -> None:
    """The same law holds for a contact of several points whose stiffness varies over the ground."""
    m = mbs.Model("uneven")
    box = m.body("box", joint=mbs.Free(), mass=2.0, inertia=(0.1, 0.2, 0.3))
    m.start(box, q=(0.3, 0.2, 0.04, 1.0, 0.1, 0.05, 0.0), u=(0.5, 0.1, -0.2, 0.3, 0.2, 0.1))
    k = 1e3 * (1.0 + 0.5 * mbs.sin(3.0 * mbs.position(box)[0]))
    feet = [mbs.Sphere(0.05, at=(x, y, 0)) for x in (-0.1, 0.1) for y in (-0.1, 0.1)]
    m.contact("floor", "world", box, shape_b=feet, stiffness=k, dissipation=0.0)
    check_energy(m)


@pytest.mark.quick
@pytest.mark.usefixtures("in_plain_python")
def test_a_law_acts_on_a_drive() -> None:
    """A drive that moves a coordinate of a law exerts the slope of the stored energy, ½ (5 + angle²) distance²."""
    m = mbs.Model("tuned", gravity=(0, 0, 0))
    m.body("knob", joint=mbs.Revolute("z"), mass=1.0, inertia=(1, 1, 1))
    m.body("block", joint=mbs.Prismatic("x"), mass=1.0)
    m.drive("turned", on="knob", position=0.3 * mbs.time, rate=0.3)
    m.spring("spring", "world", "block", at_a=(-1.0, 0.5, 0.0), stiffness=5.0 + mbs.coordinate("knob") ** 2)
    m.start("block", q=0.4, u=0.2)
    m.output("torque", mbs.drive_force("turned"))
    result = mbs.simulate(m, 1.0, output_interval=0.25)
    square = (result["block.s"] + 1.0) ** 2 + 0.25
    assert np.abs(result["torque"] - 0.3 * result.time * square).max() < 1e-13


@pytest.mark.quick
def test_a_law_acts_on_the_leader_of_a_follower() -> None:
    """The same law holds if a law depends on the coordinate of a follower, which is no state."""
    m = mbs.Model("led")
    for name, x in (("a", 0.0), ("b", 1.0), ("c", 2.0)):
        m.body(name, joint=mbs.Revolute("y"), mass=1.0, com=(0.2, 0, 0), inertia=(0.1, 0.1, 0.1), at=(x, 0, 0))
    m.follow("geared", on="b", leader="a", ratio=-1.7, offset=0.1)
    m.spring("spring", on="c", stiffness=3.0 + mbs.coordinate("b") ** 2, length=mbs.position("b", (1, 0, 0))[2])
    m.start("a", q=0.2, u=1.0)
    m.start("c", q=0.4, u=-0.5)
    check_energy(m)


@pytest.mark.usefixtures("in_plain_python")
def test_absolute_coordinates_have_the_same_gradients() -> None:
    """A run in absolute coordinates, and its columns of forces along joints, equal those of the tree."""
    m = mbs.Model("pair", gravity=(0, 0, 0))
    for name, x in (("a", 0.0), ("b", 1.0)):
        m.body(name, joint=mbs.Revolute("z"), mass=1.0, com=(0.1, 0, 0), inertia=(0.1, 0.1, 0.1), at=(x, 0, 0))
    k = 3.0 + mbs.sin(2.0 * mbs.coordinate("a")) + mbs.position("b", (0.3, 0, 0))[1]
    m.spring("spring", "a", "b", at_a=(0.2, 0.1, 0), at_b=(0.1, 0.2, 0), stiffness=k, length=0.2)
    m.start("a", q=0.2, u=1.0)
    tree, absolute = (
        mbs.simulate(m, 0.2, method="gauss4", step=0.01, output_interval=0.1, formulation=formulation)
        for formulation in ("tree", "absolute")
    )
    for column in ("a.phi", "b.phi", "a.tau"):
        assert np.abs(tree[column] - absolute[column]).max() < 1e-8, column  # both take steps of order 4


@pytest.mark.usefixtures("in_plain_python")
def test_a_mesh_that_stiffens_with_the_angle_conserves_energy() -> None:
    """Teeth in parametric resonance exchange energy with the rotation, to the error of the method."""
    z, r, J, k = 20, 0.05, 2e-3, 1e8
    vibration = np.sqrt(2.0 * k * r * r / J)  # rad/s
    m = mbs.Model("pair", gravity=(0, 0, 0))
    for name, x, angle, speed in (("a", 0.0, 1e-4, 1.0), ("b", 2.0 * r, 0.0, -1.0)):
        m.body(name, joint=mbs.Revolute("z"), mass=1.0, inertia=(J, J, J), at=(x, 0, 0))
        m.start(name, q=angle, u=2.0 * vibration / z * speed)
    meshing = mbs.cos(z * 0.5 * (mbs.coordinate("a") - mbs.coordinate("b")))
    m.gear("mesh", "a", "b", teeth=(z, z), stiffness=k * (1.0 + 0.2 * meshing))
    m.output("E", mbs.energy())
    T = 100.0 / vibration
    energy = mbs.simulate(m, T, method="dop853", rtol=1e-9, atol=1e-12, output_interval=T / 4)["E"]
    assert np.abs(energy - energy[0]).max() < 1e-6 * energy[0]  # at rtol 1e-9, some hundred steps
