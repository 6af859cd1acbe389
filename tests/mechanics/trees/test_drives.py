"""Drives with loops, error control and descriptions, and the drives that are refused."""

from __future__ import annotations

import numpy as np
import pytest

import mbs_fmu as mbs
from support.cases import tiers
from support.comparisons import assert_close
from support.generators.mechanisms import Plain


def linkage(drive: str = "cart") -> mbs.Model:
    """Return a cart and an arm in a closed loop; the cart is driven, or a joint moves by a formula of time."""
    m = mbs.Model("linkage")
    law = mbs.sin(3 * mbs.time)
    if drive == "formula":
        joint: mbs.Joint = mbs.CustomJoint(["m"], position=lambda q, t: (mbs.sin(3 * t), 0, q[0]))
        cart = m.body("cart", joint=joint, mass=1.0)
        m.spring("held", on=cart, stiffness=1e3, damping=10.0)
    else:
        cart = m.body("cart", joint=mbs.Prismatic("x"), mass=1.0)
        m.drive("d", on=cart, position=law)
    heavy = {"mass": 1.0, "inertia": (0.1, 0.1, 0.1)}
    arm = m.body("arm", cart, mbs.Revolute("y"), com=(0, 0, -1), **heavy)
    other = m.body("other", joint=mbs.Revolute("y"), com=(0, 0, -0.5), at=(2, 0, 0), **heavy)
    rod = m.body("rod", arm, mbs.Revolute("y"), com=(1, 0, 0), at=(0, 0, -1), **heavy)
    m.close("loop", other, rod, mbs.Revolute("y"), at_a=(0, 0, -1), at_b=(2, 0, 0))
    return m


@pytest.mark.usefixtures("plain_by_default")
@pytest.mark.parametrize("method", tiers(["rk4", "no rebasing", "gauss4", "abm6"], usual=1))
def test_mean_drive_force_in_a_loop_is_the_mean_of_the_instantaneous_one(method: str) -> None:
    """For every kind of step, the difference falls with the square of the step."""
    m = linkage()
    if method == "no rebasing":
        m.stabilize(rebasing=False)
    m.output("now", mbs.drive_force("d"))
    m.output("mean", mbs.drive_force("d", mean=True))
    chosen = "rk4" if method == "no rebasing" else method
    r = mbs.simulate(m, 0.5, method=chosen, step=2.5e-3, output_interval=2.5e-3)
    assert_close(r["mean"][2:], 0.5 * (r["now"][2:] + r["now"][1:-1]), 1e-4 * np.max(np.abs(r["now"])), "mean")


@pytest.mark.parametrize("method", tiers(["dopri5", "rodas5p", "dop853"], usual=1))
def test_formulas_of_time_take_the_steps_of_drives(method: str) -> None:
    """With error control, a joint by a formula of time takes the same steps as a driven one."""

    def model(driven: bool) -> mbs.Model:
        m = mbs.Model("shaken")
        law = 0.3 * mbs.sin(5 * mbs.time)
        if driven:
            base = m.body("base", joint=mbs.Prismatic("z"))
            m.drive("d", on=base, position=law)
            cart = m.body("cart", base, mbs.Prismatic("x"), mass=1.0)
        else:
            joint = mbs.CustomJoint(["m"], position=lambda q, t: (q[0], 0, 0.3 * mbs.sin(5 * t)))
            cart = m.body("cart", joint=joint, mass=1.0)
        arm = m.body("arm", cart, mbs.Revolute("y"), mass=1.0, com=(0, 0, -1), inertia=(0.1, 0.1, 0.1))
        m.start(arm, q=0.5)
        return m

    one, other = (mbs.simulate(model(driven), 1.0, method=method, rtol=1e-8) for driven in (True, False))
    assert abs(one.statistics["steps"] - other.statistics["steps"]) <= 1
    assert np.max(np.abs(one["arm.phi"] - other["arm.phi"])) < 1e-6, (
        f"arm.phi at t = {one.time[np.argmax(np.abs(one['arm.phi'] - other['arm.phi']))]} s"
    )


@pytest.mark.slow
def test_loops_with_formulas_of_time_stay_closed() -> None:
    """Projection does not mistake the prescribed motion for a residual."""
    m = linkage("formula")
    m.output("open", mbs.residual())
    assert np.max(mbs.simulate(m, 0.5, method="rk4", step=2e-3)["open"]) < 1e-5


def test_rates_depend_on_inputs_of_prescribed_motions() -> None:
    """Joint velocities follow from momenta and prescribed motions, so FMU descriptions list the inputs in these
    motions.
    """
    m = mbs.Model("cart")
    x, v = m.input("x"), m.input("v")
    cart = m.body("cart", joint=mbs.Prismatic("x"), mass=1.0)
    m.drive("d", on=cart, position=x, rate=v)
    arm = m.body("arm", cart, mbs.Revolute("y"), mass=1.0, com=(0, 0, -1), inertia=(0.1, 0.1, 0.1))
    m.output("w", mbs.rate(arm))
    program = Plain(m).program
    slots = {u.name: u.slot for u in program.of_role("input")}
    for name in ("w", "der(arm.phi)"):
        reads = next(u.reads for u in program.variables if u.name == name)
        assert reads is not None and slots["v"] in reads


def following() -> mbs.Model:
    m = mbs.Model("following")
    cart = m.body("cart", joint=mbs.Prismatic("x"), mass=1.0)
    m.drive("d", on=cart, position=m.input("x"), rate=m.input("v"))
    m.body("arm", cart, mbs.Revolute("y"), mass=1.0, com=(0, 0, -1), inertia=(0.1, 0.1, 0.1))
    return m


NOT_KNOWN = {
    "acceleration": lambda m: m.output("o", mbs.acceleration("arm")),
    "reaction": lambda m: m.output("o", mbs.reaction("arm")),
    "drive force": lambda m: m.output("o", mbs.drive_force("d")),
}


@pytest.mark.parametrize("what", NOT_KNOWN)
def test_accelerations_of_motions_by_inputs_are_refused(what: str, in_plain_python: None) -> None:
    """A motion that follows inputs has no known acceleration; a function of time has one."""
    m = following()
    NOT_KNOWN[what](m)
    with pytest.raises(mbs.ModelError, match="follows input 'x'"):
        Plain(m)
    r = mbs.simulate(m, 0.01, inputs={"x": lambda t: mbs.sin(t), "v": lambda t: mbs.cos(t)})
    assert len(r.time) > 1
    with pytest.raises(mbs.ModelError, match="inverse dynamics needs its motion as a function of time"):
        mbs.inverse_dynamics(following())


def test_a_driven_quaternion_must_not_be_zero() -> None:
    """Inputs that are zero, as unconnected ones are, cause an error at the start; other quaternions are normalised."""
    m = mbs.Model("ball")
    ball = m.body("ball", joint=mbs.Spherical(), mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.drive("d", on=ball, position=(m.input("a"), 0, 0, 0), rate=(0, 0, 0))
    with pytest.raises(mbs.ModelError, match="quaternion is zero"):
        mbs.simulate(m, 1.0, inputs={"a": 0.0})
    assert mbs.simulate(m, 1.0, inputs={"a": 3.0})["ball.q[1]"][-1] == 1.0


def geared(word: str, driven: bool) -> mbs.Model:
    """Return a rotor with a pendulum on a turning base, and the effect of method `word` between them; a drive or a
    condition moves the rotor.
    """
    m = mbs.Model(word, gravity=(0, 0, -3.0))
    heavy = {"mass": 1.0, "inertia": (0.1, 0.1, 0.1)}
    base = m.body("base", joint=mbs.Revolute("x"), mass=2.0, com=(0.1, 0.2, 0), inertia=(0.3, 0.2, 0.4))
    rotor = m.body("rotor", base, mbs.Revolute("z"), com=(0.1, 0, 0), **heavy)
    wheel = m.body("wheel", base, mbs.Revolute("z"), com=(0, 0.3, 0), at=(3, 0, 0), **heavy)
    swing = m.body("swing", rotor, mbs.Revolute("y"), com=(0, 0.3, 0.2), at=(0.3, 0, 0), **heavy)
    law = 0.4 * mbs.sin(2 * mbs.time)
    if driven:
        m.drive("turning", on=rotor, position=law)
    else:
        m.constrain("turning", mbs.coordinate(rotor) - law)
        m.start(rotor, u=0.8)  # the law's rate: otherwise an impulse at the start would turn the base too
    force = mbs.drive_force if driven else mbs.multiplier
    m.output("torque", force("turning"))
    m.output("mean", force("turning", mean=True))
    match word:
        case "ratio":
            m.gear("both", rotor, wheel, ratio=2.0)
        case "teeth":
            m.gear("both", rotor, wheel, teeth=(20, 40))
        case "soft":
            m.gear("both", rotor, wheel, ratio=2.0, stiffness=100.0, damping=1.0)
        case "positions":
            m.constrain("both", mbs.sin(mbs.coordinate(rotor)) - 2.0 * mbs.coordinate(wheel))
        case "rates":
            rates = [mbs.rate(body) for body in (rotor, wheel, swing)]
            m.constrain("both", mbs.cos(mbs.coordinate(rotor)) * rates[1] + 0.3 * rates[0] - 0.2 * rates[2])
        case "clutch":
            m.friction("both", on=wheel, torque=1.0, viscous=0.1, stick=True, against=rotor)
    return m


@pytest.mark.parametrize("word", tiers(["rates", "clutch", "ratio", "teeth", "soft", "positions"], usual=1))
def test_closures_on_driven_bodies_equal_those_with_a_condition(word: str) -> None:
    """Motion and force of the drive equal those of a condition that moves the body: two ways to the same balance."""
    one, two = (mbs.simulate(geared(word, driven), 1.0, rtol=1e-10, atol=1e-12) for driven in (True, False))
    for name in ("base.phi", "wheel.phi", "swing.phi", "wheel.w", "swing.w", "torque"):
        np.testing.assert_allclose(one[name], two[name], atol=3e-9, err_msg=name)
    assert np.abs(two["torque"]).max() > 1.0
    np.testing.assert_array_equal([x[3] for x in one.switches], [x[3] for x in two.switches])
    steps = {"method": "gauss4", "step": 2e-3, "output_interval": 2e-3}
    one, two = (mbs.simulate(geared(word, driven), 0.3, **steps) for driven in (True, False))
    same = np.ones(one.time.size, dtype=bool)
    for x in one.switches:  # there one mean is over the whole step, the other one over its rest
        same[np.searchsorted(one.time, x[0])] = False
    np.testing.assert_allclose(one["mean"][same], two["mean"][same], atol=1e-8)


def test_closures_between_driven_bodies_alone_are_refused() -> None:
    m = mbs.Model("bound")
    for name in ("one", "two"):
        m.body(name, joint=mbs.Revolute("z"), mass=1.0, inertia=(1, 1, 1))
        m.drive(f"drive_{name}", on=name, position=mbs.time)
    m.gear("both", "one", "two", ratio=1.0)
    drives = "those of drive 'drive_one', drive 'drive_two'"
    with pytest.raises(
        mbs.ModelError, match=f"loop 'both', ratio: it constrains prescribed motions only, {drives}: leave"
    ):
        mbs.simulate(m, 1.0)
