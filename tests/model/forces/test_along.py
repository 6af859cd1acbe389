"""Forces along equations: closed forms, the elements that they generalise, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from support.formulations import assert_close, both

pytestmark = [pytest.mark.quick, pytest.mark.usefixtures("plain_by_default")]


def wheels(*inertias: float) -> mbs.Model:
    """Coaxial wheels a, b, ... with these moments of inertia, kg m²."""
    m = mbs.Model("wheels", gravity=(0, 0, 0))
    for name, inertia in zip("abc", inertias, strict=False):
        m.body(name, joint=mbs.Revolute("x"), mass=1.0, inertia=(inertia,) * 3)
    return m


def planar() -> mbs.Model:
    """A pendulum on a slide, and a free body."""
    m = mbs.Model("crane")
    cart = m.body("cart", joint=mbs.Prismatic("x"), mass=2.0)
    m.body("load", cart, mbs.Universal("yx"), 1.0, (0.1, 0, -0.8), (0.1, 0.1, 0.02))
    m.body("kite", joint=mbs.Free(), mass=0.5, inertia=(0.01, 0.02, 0.02), com=(0.02, 0, 0))
    m.start("load", q=(0.4, -0.2), u=(0.3, 0.5))
    m.start("kite", q=(1, 2, 3, 0.8, 0.1, 0.5, 0.3), u=(0.1, 0.2, 0.3, 1.0, -0.5, 0.4))
    return m


AXES, DISTANCE = ("q[1]", "q[2]"), (mbs.position("kite", (0.1, 0.2, 0)) - mbs.position("load", (0, 0, -1))).norm()
SAME: dict[str, tuple[Callable[[mbs.Model], None], Callable[[mbs.Model], None]]] = {
    "spring on a joint": (
        lambda m: m.spring("f", on="load", coordinate=2, stiffness=3.0, damping=0.2, length=0.1),
        lambda m: m.spring("f", along=mbs.coordinate("load", 2), unit="rad", stiffness=3.0, damping=0.2, length=0.1),
    ),
    "spring between points": (
        lambda m: m.spring(
            "f", "load", "kite", at_a=(0, 0, -1), at_b=(0.1, 0.2, 0), stiffness=3.0, damping=0.2, length=0.1
        ),
        lambda m: m.spring("f", along=DISTANCE, stiffness=3.0, damping=0.2, length=0.1),
    ),
    "motor": (
        lambda m: m.motor("f", "kite", coordinate=5, torque=0.7),
        lambda m: m.motor("f", along=mbs.rate("kite", 5), torque=0.7),
    ),
    "pull": (
        lambda m: m.pull("f", "load", "kite", at_a=(0, 0, -1), at_b=(0.1, 0.2, 0), force=2.0),
        lambda m: m.motor("f", along=DISTANCE, force=-2.0),
    ),
    "friction": (
        lambda m: m.friction("f", "cart", force=0.7, static=0.9, viscous=0.1, speed=0.2),
        lambda m: m.friction("f", along=mbs.coordinate("cart"), force=0.7, static=0.9, viscous=0.1, speed=0.2),
    ),
    "stops": (
        lambda m: m.limit("f", "load", lower=0.1, upper=0.2, coordinate=1, stiffness=9.0, damping=0.1),
        lambda m: m.limit(
            "f", along=mbs.coordinate("load", 1), lower=0.1, upper=0.2, unit="rad", stiffness=9.0, damping=0.1
        ),
    ),
    "force on a body": (
        lambda m: m.force("f", on="kite", at=(0.1, 0.2, 0), force=(0, 0.4, 0)),
        lambda m: m.motor("f", along=mbs.position("kite", (0.1, 0.2, 0))[1], force=0.4),
    ),
    "torque on a body": (
        lambda m: m.force("f", on="kite", torque=(0, 0, 0.4)),
        lambda m: m.motor("f", along=mbs.angular_velocity("kite")[2], torque=0.4),
    ),
}


@pytest.mark.parametrize("kind", SAME)
def test_forces_along_equations_equal_the_elements_that_they_describe(kind: str) -> None:
    """Accelerations, strength and power are the same, up to the rounding of another order of operations."""
    seen = []
    for add in SAME[kind]:
        m = planar()
        add(m)
        if kind not in ("force on a body", "torque on a body"):
            sign = -1.0 if "points" in kind and not seen else 1.0  # the strength between points is a tension
            m.output("strength", mbs.abs(sign * mbs.strength("f")))
        m.output("power", mbs.power("f"))
        m.output("energy", mbs.energy())
        f = mbs.ode(m)
        seen.append(np.concatenate([f(0.0, f.x0), f.outputs_at(0.0, f.x0)]))
    assert np.allclose(*seen, rtol=1e-12, atol=1e-12)


def test_a_clutch_between_members_of_a_planetary_set_locks() -> None:
    """Wheels b and c are a carrier's sum and a ring. The slip of 30 rad/s ends under the torque 12 N.m + 4 N.m, at the
    time at which momenta in closed form make it zero; then the clutch holds."""
    m = wheels(1.0, 1.5)
    arm = m.body("arm", "a", mbs.Revolute("x"), mass=1.0, inertia=(0.5, 0.5, 0.5))
    m.motor("drive", "b", torque=4.0)
    m.friction("clutch", along=mbs.rate("a") + mbs.rate(arm) - mbs.rate("b"), torque=12.0, static=15.0, stick=True)
    m.start("b", u=30.0)
    m.output("mode", mbs.constraint_mode("clutch"))
    r = mbs.simulate(m, 2.0, rtol=1e-9, output_interval=0.01)
    slip = r["a.w"] + r["arm.w"] - r["b.w"]
    # the clutch drives the arm's own shaft (0.5 kg m²) forward, and b (1.5 kg m²), with 4 N.m behind it, backward
    locked = 30.0 / (12.0 / 0.5 + (12.0 - 4.0) / 1.5)
    (time,) = r.switches["time"]
    assert abs(time - locked) < 1e-7
    assert np.all(r["mode"][r.time > locked] == 0.0) and np.all(np.abs(slip[r.time > locked]) < 1e-12)
    assert np.allclose(slip[r.time < locked], (r.time[r.time < locked] / locked - 1.0) * 30.0, rtol=0, atol=1e-7)


def four_bar(cut: str) -> mbs.Model:
    """A four-bar linkage with friction in the hinge between rocker and frame, which a joint or a closure is."""
    m = mbs.Model("four_bar", gravity=(0, -9.81, 0))
    crank = m.body("crank", joint=mbs.Revolute("z"), mass=1.0, com=(0.5, 0, 0), inertia=(0, 1 / 12, 1 / 12))
    coupler = m.body("coupler", crank, mbs.Revolute("z"), 2.0, (1, 0, 0), (0, 2 / 3, 2 / 3), at=(1, 0, 0))
    m.start(crank, q=2.0, u=1.0)
    on_frame = cut == "coupler"
    turned, side = (-0.7, -1.0) if on_frame else (-1.5, 1.0)
    rocker = m.body(
        "rocker", "world" if on_frame else coupler, mbs.Revolute("z"), 1.5, (0.75 * side, 0, 0), (0, 0.28, 0.28),
        at=(2, 0, 0),
    )  # fmt: skip
    m.close("pin", rocker, coupler if on_frame else "world", mbs.Revolute("z"), at_a=(1.5 * side, 0, 0), at_b=(2, 0, 0))
    along: dict[str, Any] = {"on": rocker} if on_frame else {"along": mbs.angular_velocity(rocker)[2]}
    m.friction("rub", torque=3.0, stick=True, **along)
    m.start(coupler, q=-1.2, guess=True)
    m.start(rocker, q=turned, guess=True)
    return m


@pytest.mark.usual
def test_friction_in_the_hinge_that_closes_a_loop_equals_another_cut() -> None:
    """The motion and the times of all switches agree with those of the same friction in a joint of the tree."""
    a, b = (mbs.simulate(four_bar(cut), 2.0, rtol=1e-9, atol=1e-11) for cut in ("ground", "coupler"))
    assert len(a.switches) == len(b.switches) > 1
    # an error of 1e-9 grows with the motion: at most by the powers of ten of a few swings
    assert np.abs(a["crank.phi"] - b["crank.phi"]).max() < 1e-6
    assert np.abs(a.switches["time"] - b.switches["time"]).max() < 1e-6


def test_rigid_teeth_rattle_as_by_hand() -> None:
    """Two rigid stops of one equation are the flanks of a gear; impacts and speeds follow from momenta."""
    ra, rb, Ja, Jb, play, e = 0.02, 0.04, 2e-3, 1.6e-2, 2e-4, 0.6
    m = wheels(Ja, Jb)
    g = ra * mbs.coordinate("a") + rb * mbs.coordinate("b")
    m.limit("teeth", along=g, lower=-0.5 * play, upper=0.5 * play, restitution=e)
    m.start("a", u=1.0)
    r = mbs.simulate(m, 0.025, output_interval=1e-4)
    first = 0.5 * play / ra
    assert np.allclose(r.switches["time"][:2], [first, first + play / (e * ra)], rtol=1e-12, atol=0)
    me, wa, wb = 1.0 / (ra**2 / Ja + rb**2 / Jb), 1.0, 0.0
    for end in (0.015, 0.025):
        P = me * (1.0 + e) * (ra * wa + rb * wb)
        wa, wb = wa - ra * P / Ja, wb - rb * P / Jb
        row = int(np.argmin(np.abs(r.time - end)))
        assert np.allclose([r["a.w"][row], r["b.w"][row]], [wa, wb], rtol=1e-12, atol=0)


def test_a_freewheel_along_a_rate_never_runs_backward() -> None:
    """A pedal on a carrier drives a ring through a freewheel: all turn as one inertia."""
    m = wheels(1.0, 1.0)
    m.body("pedal", "a", mbs.Revolute("x"), mass=1.0, inertia=(0.2, 0.2, 0.2))
    m.freewheel("hub", along=mbs.rate("b") - mbs.rate("a") - mbs.rate("pedal"))
    m.motor("push", "pedal", torque=1.0)
    r = mbs.simulate(m, 2.0, rtol=1e-9, output_interval=0.1)
    assert (r["b.w"] - r["a.w"] - r["pedal.w"]).min() > -1e-12
    # the torque drives pedal and ring, 1.2 kg m², forward, and the carrier's reaction drives it backward
    assert abs(r["b.w"][-1] - 2.0 / 1.2) < 1e-8 and abs(r["a.w"][-1] + 2.0) < 1e-8


@pytest.mark.parametrize("role", ["input", "state", "parameter"])
def test_signals_in_an_equation_are_constant_in_its_rate(role: str) -> None:
    """The force follows the signal at once; what changes the signal supplies the rate of the stored energy."""
    m = wheels(1.0)
    moving = {"input": 0.7, "state": 0.7, "parameter": 0.0}[role]
    if role == "input":
        s = m.input("s", start=0.3)
    elif role == "state":
        s = m.state("s", rate=0.7, start=0.3)
    else:
        s = m.parameter("s", 0.3)
    g = mbs.coordinate("a") * (1.0 + s) + s
    m.spring("f", along=g, unit="rad", stiffness=5.0, damping=0.5)
    m.start("a", q=0.2, u=1.5)
    m.output("f", mbs.strength("f"))
    m.output("power", mbs.power("f"))
    m.output("energy", mbs.energy())
    inputs = {"s": lambda t: 0.3 + 0.7 * t} if role == "input" else {}
    r = mbs.simulate(m, 0.5, inputs=inputs, rtol=1e-11, atol=1e-12, output_interval=1e-3)
    s_t, q, u = 0.3 + moving * r.time, r["a.phi"], r["a.w"]
    x, rate = q * (1.0 + s_t) + s_t, u * (1.0 + s_t)
    assert np.allclose(r["f"], -5.0 * x - 0.5 * rate, rtol=0, atol=1e-9)
    assert np.allclose(r["power"], r["f"] * rate, rtol=0, atol=1e-9)
    supplied = 5.0 * x * moving * (1.0 + q) - 0.5 * rate**2
    gained = np.concatenate([[0.0], np.cumsum(0.5e-3 * (supplied[1:] + supplied[:-1]))])
    assert np.allclose(r["energy"] - r["energy"][0], gained, rtol=0, atol=1e-5)  # the trapezoidal rule at 1 ms


def test_the_power_of_a_moving_equation_includes_what_moves_it() -> None:
    """A spring whose equation contains the time has the damper of the whole rate, as a rheonomic support."""
    m = wheels(2.0)
    m.spring("f", along=mbs.coordinate("a") - mbs.sin(3.0 * mbs.time), unit="rad", stiffness=5.0, damping=0.5)
    m.output("f", mbs.strength("f"))
    r = mbs.simulate(m, 1.0, rtol=1e-10, output_interval=0.01)
    t = r.time
    expected = -5.0 * (r["a.phi"] - np.sin(3.0 * t)) - 0.5 * (r["a.w"] - 3.0 * np.cos(3.0 * t))
    assert np.allclose(r["f"], expected, rtol=0, atol=1e-11)


@pytest.mark.usual
def test_a_spring_along_a_modal_coordinate_is_the_same_in_absolute_coordinates() -> None:
    """The force acts along the mode and along the joint in its equation, and the energy stays."""
    rod = mbs.beam(length=1.0, section=mbs.Rectangle(0.04, 0.02), E=2.1e11, density=7800.0, modes=5, damping=0.0)
    m = mbs.Model("boom")
    boom = m.body("boom", joint=mbs.Revolute("y"), elastic=rod)
    m.start(boom, u=2.0)
    m.spring("f", along=mbs.modal(boom, 1) * (1.0 + 0.3 * mbs.coordinate(boom)), stiffness=3e5)
    m.output("energy", mbs.energy())
    m.output("tip", mbs.position(boom.node("tip")))
    tree, free = both(m, 1e-5, method="rk4", step=2e-6, output_interval=2e-6)
    assert np.ptp(tree["tip[3]"]) > 1e-5 and np.ptp(tree["energy"]) < 1e-10 * tree["energy"][0]
    for name in tree.columns:
        assert_close(tree, free, name, 1e-9, 1.0)


REFUSED: dict[str, tuple[Callable[[mbs.Model], None], str]] = {
    "nothing moves": (
        lambda m: m.spring("f", along=m.parameter("p", 1.0) * 2.0, stiffness=1.0),
        "along of spring 'f' is .*p.*, in which nothing moves: give an expression of coordinates or positions",
    ),
    "rate in a spring": (
        lambda m: m.spring("f", along=mbs.rate("cart"), stiffness=1.0),
        "along of spring 'f' depends on rate.cart.: a spring needs an equation of positions, without rates",
    ),
    "rate in a stop": (
        lambda m: m.limit("f", along=mbs.velocity("kite")[0], upper=1.0, stiffness=1.0),
        "along of limit 'f' depends on twist.kite.*: a limit needs an equation of positions, without rates",
    ),
    "not linear": (
        lambda m: m.motor("f", along=mbs.rate("cart") ** 2, force=1.0),
        "along of motor 'f' is .*: a rate must be linear in velocities",
    ),
    "reaction": (
        lambda m: m.motor("f", along=mbs.reaction("cart").f[0], force=1.0),
        "along of motor 'f' depends on reaction.cart.*: give an expression of coordinates, positions",
    ),
    "two places": (
        lambda m: m.motor("f", "cart", along=mbs.coordinate("cart"), force=1.0),
        "motor 'f': give either along= or on=, not both",
    ),
    "difference of an equation": (
        lambda m: m.spring("f", against="cart", along=mbs.coordinate("cart"), stiffness=1.0),
        "spring 'f': give either along= or against=, not both",
    ),
    "bodies and an equation": (
        lambda m: m.spring("f", "cart", "load", along=mbs.coordinate("cart"), stiffness=1.0),
        "spring 'f': give either two bodies or along=, not both",
    ),
    "no place": (lambda m: m.motor("f", force=1.0), "motor 'f': give on= with a body .*, or along= with an equation"),
    "which coordinate": (
        lambda m: m.spring("f", along=mbs.coordinate("load"), stiffness=1.0),
        "along of spring 'f': the joint of body 'load' has 2 coordinates: say which, 1 to 2",
    ),
    "unknown body": (
        lambda m: m.spring("f", along=mbs.coordinate("lod"), stiffness=1.0),
        "along of spring 'f': unknown body 'lod'",
    ),
    "unknown signal": (
        lambda m: m.spring("f", along=mbs.coordinate("cart") * mbs.signal("p"), stiffness=1.0),
        "along of spring 'f' depends on signal 'p', which is no parameter, input or state of the model so far",
    ),
    "input of a sticking friction": (
        lambda m: m.friction("f", along=mbs.rate("cart") * m.input("p", start=1.0), force=1.0, stick=True),
        "friction 'f' depends on p: its conditions may depend on coordinates, positions, orientations, rates, par",
    ),
    "state of a rigid stop": (
        lambda m: m.limit("f", along=mbs.coordinate("cart") - m.state("p", rate=0.1), upper=1.0, restitution=0.5),
        "limit 'f' depends on p: its conditions may depend on",
    ),
    "input of a freewheel": (
        lambda m: m.freewheel("f", along=mbs.rate("cart") * m.input("p", start=1.0)),
        "freewheel 'f' depends on p: its conditions may depend on",
    ),
    "unit": (
        lambda m: m.spring("f", along=mbs.coordinate("cart"), stiffness=1.0, unit="mm"),  # type: ignore[arg-type]
        "spring 'f': unit is 'mm': give \"m\" or \"rad\"",
    ),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_equations_that_no_force_can_act_along_are_refused(kind: str) -> None:
    """The message names the element and the remedy, and the model stays as it was."""
    m = planar()
    add, message = REFUSED[kind]
    with pytest.raises(mbs.ModelError, match=message):
        add(m)
    assert not m.forces and not m.loops
