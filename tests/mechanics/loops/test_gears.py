"""Gears: planetary sets, differentials, bevel wheels, racks and worms, by hand and by the dense oracle."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import mbs_fmu as mbs
from mbs_fmu.compile.build import compile_model
from mbs_fmu.model.model import Model
from mbs_fmu.record.blocks import HeadNumbers, LoopNumbers
from mbs_fmu.run.simulate import compiled
from support.cases import tiers
from support.comparisons import assert_close
from support.generators.gears import ARM, JC, JP, JR, JS, MP, PLANET, RING, SUN, planetary
from support.generators.loops import PlainLoops, state
from support.oracles.dense import Dense, split


def by_willis(times: np.ndarray) -> np.ndarray:
    """Return angles and speeds of sun and carrier; ring and planets follow in the carrier's rest frame.

    Relative to the carrier, sun and ring turn as -RING : SUN, sun and planet as -PLANET : SUN.
    """
    ring = np.array([-SUN / RING, 1.0 + SUN / RING])
    planet = np.array([-SUN / PLANET, 1.0 + SUN / PLANET])
    M = np.diag([JS, JC + 3.0 * MP * ARM**2]) + JR * np.outer(ring, ring) + 3.0 * JP * np.outer(planet, planet)

    def rates(t: float, y: np.ndarray) -> np.ndarray:
        w = y[2:]
        torque = np.array([3.0 * np.sin(5.0 * t) - 0.01 * w[0], -2.0 + np.cos(3.0 * t) - 0.02 * w[1]])
        return np.concatenate([w, np.linalg.solve(M, torque + (0.3 - 0.05 * ring @ w) * ring)])

    return solve_ivp(rates, (0.0, times[-1]), [0, 0, 10, 3], "DOP853", times, rtol=1e-13, atol=1e-13).y


@pytest.mark.usefixtures("plain_by_default")
def test_a_planetary_gear_follows_willis_equation() -> None:
    """Sun, carrier and ring are free: two degrees of freedom by Willis' equation; two of the six
    meshes are redundant.
    """
    r = mbs.simulate(planetary(), 2.0, method="dop853", rtol=1e-12, output_interval=0.1)
    exact = by_willis(r.time)
    computed = np.array([r[name] for name in ("sun.phi", "carrier.phi", "sun.w", "carrier.w")])
    assert np.abs(computed - exact).max() < 1e-9 * np.abs(exact).max(), (
        f"largest differences of sun.phi, carrier.phi, sun.w, carrier.w: {np.abs(computed - exact).max(axis=1)}"
    )
    assert_close(SUN * r["sun.w"] + RING * r["ring.w"], (SUN + RING) * r["carrier.w"], 1e-9, "carrier.w", times=r.time)
    assert_close(
        SUN * (r["sun.phi"] - r["carrier.phi"]), -(PLANET * r["planet1.phi"]), 1e-9, "planet1.phi", times=r.time
    )
    assert r.statistics["rank"] == 4
    dense = Dense(planetary())
    assert split(dense.jacobian(dense.q0))[3] == 4 and dense.degrees_of_freedom(dense.q0) == 2


def check_accelerations(m: Model, solver: str) -> tuple[PlainLoops, Dense]:
    """Compare accelerations, with constraint impulses that are not zero, with the oracle."""
    plain, dense = PlainLoops(m, solver), Dense(m)
    plain.R[plain.slice("p")] += 0.1 * np.random.default_rng(1).normal(size=plain.real.NV)
    plain.R[plain.real.ROW_SELECTION] = plain.real.FREE_SELECTION
    D = np.zeros_like(plain.R)
    D[plain.program.state_slice], D[0] = plain.rates(), 1.0
    plain.real.derive_d(plain.R, D)
    slots = {v.name: v.slot for v in plain.program.variables}
    q, u = state(plain, dense)
    assert np.abs(plain.get(plain.R, "multipliers")).max() > 0.05
    assert_close(dense.jacobian(q) @ u, 0.0, 1e-12 * (1.0 + np.abs(u).max()), "row rate")
    u_dot = dense.accelerations(q, u)[0]
    computed = np.array([D[slots[name]] for name in dense.rates])
    assert np.abs(computed - u_dot).max() <= 1e-11 * (1.0 + np.abs(u_dot).max()), (
        f"accelerations, computed minus expected: {dict(zip(dense.rates, computed - u_dot))}"
    )
    return plain, dense


@pytest.mark.parametrize("solver", ["cholesky", "sweep"])
def test_accelerations_of_a_planetary_gear_equal_dense_ones(solver: str) -> None:
    """Some constraint rows are redundant."""
    check_accelerations(planetary(), solver)


def differential() -> Model:
    """Return a cage with a bevel wheel on it, between two shafts in line with the cage."""
    m = Model("differential", gravity=(0, 0, 0))
    for name, J, x in (("cage", 0.02, 0.0), ("left", 0.006, -0.05), ("right", 0.009, 0.05)):
        m.body(name, joint=mbs.Revolute("x"), mass=1.0, inertia=(J, J, J), at=(x, 0, 0))
    m.body("pin", "cage", mbs.Revolute("y"), 0.3, inertia=(4e-4, 4e-4, 4e-4), at=(0, 0.05, 0))
    for side in ("left", "right"):
        m.gear(side[0], side, "pin", teeth=(20, 16))
    m.motor("engine", on="cage", torque=1.0 + mbs.sin(4.0 * mbs.time))
    m.motor("load", on="left", torque=-0.5 * mbs.cos(3.0 * mbs.time) - 0.02 * mbs.rate("left"))
    m.motor("other", on="right", torque=-0.4)
    m.start("cage", q=0.0, u=5.0)
    m.start("left", q=0.0, u=7.0)
    return m


@pytest.mark.slow
def test_a_differential_turns_at_the_mean_of_its_shafts() -> None:
    """The cage turns with the mean of both shafts, the pin with half their difference times the ratio of the teeth."""
    r = mbs.simulate(differential(), 2.0, method="dop853", rtol=1e-12, output_interval=0.1)
    left, right = np.array([1.0, 0.0]), np.array([0.0, 1.0])
    cage, pin = 0.5 * (left + right), 20.0 / 16.0 * 0.5 * (left - right)
    J = 4e-4
    whole = 0.02 + J + 0.3 * 0.05**2  # the pin revolves with the cage
    M = 0.006 * np.outer(left, left) + 0.009 * np.outer(right, right)
    M += whole * np.outer(cage, cage) + J * np.outer(pin, pin)

    def rates(t: float, y: np.ndarray) -> np.ndarray:
        w = y[2:]
        f = (1.0 + np.sin(4.0 * t)) * cage + (-0.5 * np.cos(3.0 * t) - 0.02 * w[0]) * left - 0.4 * right
        return np.concatenate([w, np.linalg.solve(M, f)])

    exact = solve_ivp(rates, (0.0, 2.0), [0, 0, 7, 3], "DOP853", r.time, rtol=1e-13, atol=1e-13).y
    computed = np.array([r[name] for name in ("left.phi", "right.phi", "left.w", "right.w")])
    assert np.abs(computed - exact).max() < 1e-9 * np.abs(exact).max(), (
        f"largest differences of left.phi, right.phi, left.w, right.w: {np.abs(computed - exact).max(axis=1)}"
    )
    assert_close(2.0 * r["cage.w"] - r["left.w"], r["right.w"], 1e-9, "right.w", times=r.time)
    assert_close(32.0 * np.abs(r["pin.w"]), 20.0 * np.abs(r["left.w"] - r["right.w"]), 1e-9, "pin.w", times=r.time)


def worm(starts: int) -> Model:
    """Return a worm of the other hand than that of `tumbling`, and its wheel."""
    m = Model("worm", gravity=(0, 0, 0))
    m.body("one", joint=mbs.Revolute("x"), mass=0.8, inertia=(0.004, 0.003, 0.005))
    m.body("two", joint=mbs.Revolute("z"), mass=0.5, inertia=(0.002, 0.003, 0.002), at=(0, 0.1, 0))
    m.gear("mesh", "one", "two", teeth=(starts, 37), at=(0, 0.02, 0), along=(1, 0, 2 / 37 * 0.08 / 0.02))
    m.motor("drive", on="one", torque=0.2)
    return m


def test_the_hand_of_a_worm_gives_the_direction_of_its_wheel() -> None:
    """With threads of the other hand the wheel turns the other way, as the velocities of the pitch point require."""
    r = mbs.simulate(worm(-2), 1.0, rtol=1e-9)
    np.testing.assert_allclose(r["two.w"], r["one.w"] * 2 / 37, rtol=1e-12, atol=1e-12)
    assert r["one.w"][-1] > 1.0


def tumbling(kind: str) -> Model:
    """Return a free housing and the gears in it."""
    m = Model(kind, gravity=(0.3, -1.0, -9.0))
    m.body("housing", joint=mbs.Free(), mass=3.0, com=(0.02, -0.01, 0.03), inertia=(0.04, 0.05, 0.06))
    m.start("housing", q=(0.1, 0.2, 0.3, 0.8, 0.3, -0.4, 0.2), u=(0.3, -0.2, 0.5, 1.5, -2.0, 1.0))
    lean = mbs.Pose((0.2, 0.1, 0.0), ((0.36, 0.48, -0.8), (-0.8, 0.6, 0.0), (0.48, 0.64, 0.6)))
    if kind == "bevel":
        m.body("one", "housing", mbs.Revolute("x"), 0.8, (0.01, 0.02, 0), (0.004, 0.003, 0.005), (0.1, 0, 0))
        axis, at = (0.6, 0.8, 0), (0.06, 0.08, 0)
        m.body("two", "housing", mbs.Revolute(axis), 0.5, (0, 0.03, 0.01), (0.002, 0.003, 0.002), at)
        m.gear("mesh", "one", "two", teeth=(21, 34))
    elif kind == "worm":
        m.body("one", "housing", mbs.Revolute("x"), 0.8, (0.01, 0.02, 0), (0.004, 0.003, 0.005))
        m.body("two", "housing", mbs.Revolute("z"), 0.5, (0, 0.03, 0.01), (0.002, 0.003, 0.002), (0, 0.1, 0))
        m.gear("mesh", "one", "two", teeth=(2, 37), at=(0, 0.02, 0), along=(1, 0, -2 / 37 * 0.08 / 0.02))
    else:
        m.body("one", "housing", mbs.Revolute("x"), 0.8, (0.01, 0.02, 0), (0.004, 0.003, 0.005), lean)
        m.body("two", "housing", mbs.Prismatic("y"), 0.5, (0, 0.03, 0.01), (0.002, 0.003, 0.002), lean)
        m.rack("mesh", "one", "two", radius=0.04)
    m.motor("drive", on="one", torque=0.2 * mbs.cos(2.0 * mbs.time))
    m.start("one", q=0.0, u=4.0)
    return m


@pytest.mark.usefixtures("plain_by_default")
@pytest.mark.parametrize("kind", tiers(["rack", "worm", "bevel"], usual=1))
def test_gears_in_a_tumbling_housing_follow_dense_accelerations(kind: str) -> None:
    """Half a second of the housing and all gears in it agrees with accelerations by dense algebra."""
    m = tumbling(kind)
    r = mbs.simulate(m, 0.5, method="dop853", rtol=1e-12, output_interval=0.25)
    dense = Dense(m)
    q, u = dense.read({name: r[name][0] for name in (*dense.coordinates, *dense.rates)})
    qs, us = dense.simulate(r.time, q, u, rtol=1e-12)
    for names, exact in ((dense.coordinates, qs), (dense.rates, us)):
        computed = np.array([r[name] for name in names]).T
        differences = np.abs(computed - exact)
        worst = r.time[differences.max(axis=1).argmax()]
        assert differences.max() < 1e-9 * (1.0 + np.abs(exact).max()), (
            f"differences at t = {worst} s: {dict(zip(names, differences.max(axis=0)))}"
        )
    turned = qs[-1][dense.slots["one"][0]]
    assert abs(turned[0]) > 1.0


@pytest.mark.parametrize("kind", ["bevel", "worm", "rack"])
def test_tooth_forces_in_a_tumbling_housing_equal_dense_ones(kind: str) -> None:
    """The wrench of the first wheel on the second one is about that one's origin; a rack has a multiplier and no
    wrench.
    """
    m = tumbling(kind)
    m.output("push", mbs.multiplier("mesh") if kind == "rack" else mbs.reaction("mesh"))
    plain, dense = check_accelerations(m, "sweep" if kind == "worm" else "cholesky")
    q, u = state(plain, dense)
    plain.real.outputs(plain.R)
    exact = dense.accelerations(q, u)[1] if kind == "rack" else dense.reactions(q, u)["mesh"]
    computed = plain.get(plain.R, "outputs")
    assert computed.shape == exact.shape and np.abs(computed - exact).max() <= 1e-11 * np.abs(exact).max()


def pair(**settings: float) -> Model:
    """Return two spur wheels, the first of which turns."""
    m = Model("pair", gravity=(0, 0, 0))
    m.body("one", joint=mbs.Revolute("z"), mass=1.0, inertia=(1e-3, 1e-3, 1e-3))
    m.body("two", joint=mbs.Revolute("z"), mass=1.0, inertia=(2e-3, 2e-3, 2e-3), at=(0.084, 0, 0))
    m.gear("mesh", "one", "two", teeth=(24, 18))
    m.start("one", q=0.0, u=10.0)
    m.stabilize(**settings)  # type: ignore[arg-type]
    return m


@pytest.mark.parametrize("alpha", [1.0, 4.0])
def test_teeth_out_of_mesh_return_exponentially(alpha: float) -> None:
    """From 29 mrad off, the residual on the pitch circle falls as exp(-alpha t) while the wheels turn on."""
    runtime = compiled(pair(alpha=alpha, projection=False))
    R = runtime.program.new_record()
    runtime.initialize(R, 1e-9, 1e-11)
    R[runtime.program.region("q")] += (0.029, 0.0)
    R[runtime.program.region("loop_state")][LoopNumbers.residual_bound] = 0.01
    R[HeadNumbers.fresh] = 0.0
    computed = []
    for k in range(31):
        runtime.refresh(R)
        computed.append((R[HeadNumbers.time], float(R[runtime.program.region("residuals")][0])))
        stop = 0.1 / alpha * (k + 1)
        assert runtime.kernels.enter_rk4_fixed(R, runtime.no_tables, stop, 1e-3, 0) == 0
    t, g = np.array(computed).T
    assert abs(g[0]) == pytest.approx(0.029 * 0.048, rel=1e-9)
    assert_close(g / g[0], np.exp(-alpha * t), 1e-6, "residual")


def test_the_ratio_is_exact_after_ten_thousand_turns() -> None:
    """The wheels have turned in the ratio of their teeth to the last of many turns."""
    m = pair()
    m.start("one", q=0.0, u=2.0 * np.pi * 1000.0)
    r = mbs.simulate(m, 10.0, method="rk4", step=1e-4, output_interval=1.0)
    turns = r["one.phi"] / (2.0 * np.pi)
    assert turns[-1] == pytest.approx(1e4, rel=1e-9)
    assert_close(r["two.phi"][1:] / r["one.phi"][1:], -(24.0 / 18.0), 1e-9, "two.phi")
    assert_close(r["two.w"] / r["one.w"], -(24.0 / 18.0), 1e-9, "two.w", times=r.time)


# -- refused arguments ------------------------------------------------------------------------------------------
def shafts(axis: object = "z", at: tuple[float, float, float] = (0.1, 0, 0)) -> Model:
    m = Model("shafts")
    m.body("one", joint=mbs.Revolute("z"), mass=1.0, inertia=(1, 1, 1))
    m.body("two", joint=mbs.Revolute(axis), mass=1.0, inertia=(1, 1, 1), at=at)  # type: ignore[arg-type]
    m.body("far", "two", mbs.Revolute("z"), mass=1.0, inertia=(1, 1, 1), at=(0, 0.2, 0))
    m.body("slide", joint=mbs.Prismatic("x"), mass=1.0, inertia=(1, 1, 1))
    return m


REFUSED: dict[str, tuple[str, Callable[[], object]]] = {
    "no carrier": (
        r"gear 'g': between body 'slide' and 'world'.* is not a hinge: give as carrier=",
        lambda: shafts().gear("g", "one", "slide", teeth=(20, 30)),
    ),
    "no common carrier": (
        r"gear 'g': .*give as carrier= the body in which both wheels turn about fixed axes",
        lambda: shafts("x").gear("g", "one", "far", teeth=(20, 30)),
    ),
    "skew axes": (
        r"gear 'g': the axes are skew: give the pitch point, at=, and the direction of the force, along=",
        lambda: shafts("x", (0, 0.1, 0)).gear("g", "one", "two", teeth=(20, 30)),
    ),
    "at without along": (
        r"gear 'g': give both at= and along=, or none",
        lambda: shafts("x", (0, 0.1, 0)).gear("g", "one", "two", teeth=(20, 30), at=(0, 0, 0)),
    ),
    "a pitch point at odds": (
        r"gear 'g': at the pitch point the wheels' radii along the force are .* does not suit their teeth, 20 and 30",
        lambda: shafts().gear("g", "one", "two", teeth=(20, 30), at=(0.05, 0, 0), along="y"),
    ),
    "a worm of the other hand": (
        r"does not suit their teeth, 2 and 37, but for the sense: give one of them the other sign",
        lambda: worm(2),
    ),
    "half a tooth": (
        r"gear 'g': 20\.5 is not a number of teeth",
        lambda: shafts().gear("g", "one", "two", teeth=(20.5, 3)),
    ),
    "no teeth": (r"gear 'g': 0 is not a number of teeth", lambda: shafts().gear("g", "one", "two", teeth=(20, 0))),
    "inside twice": (r"two wheels with inside teeth", lambda: shafts().gear("g", "one", "two", teeth=(-20, -30))),
    "one number": (r"gear 'g': teeth is 20: give two", lambda: shafts().gear("g", "one", "two", teeth=20)),
    "neither": (r"gear 'g': give teeth=", lambda: shafts().gear("g", "one", "two")),
    "zero": (r"gear 'g': its ratio is zero.*give another", lambda: shafts().gear("g", "one", "two", ratio=0.0)),
    "both": (r"gear 'g': give teeth=", lambda: shafts().gear("g", "one", "two", teeth=(20, 30), ratio=2)),
    "radii at odds": (
        r"gear 'g': pitch radii 0\.05 and 0\.05 m are at odds .* make them 0\.04 and 0\.06 m",
        lambda: shafts().gear("g", "one", "two", teeth=(20, 30), radii=(0.05, 0.05)),
    ),
    "radii of a ratio": (
        r"radii= is for wheels with teeth=",
        lambda: shafts().gear("g", "one", "two", ratio=2, radii=1),
    ),
    "one axis": (
        r"gear 'g': the wheels turn about one line",
        lambda: shafts(at=(0, 0, 0.1)).gear("g", "one", "two", teeth=(20, 30)),
    ),
    "itself": (r"gear 'g' joins body 'one' with itself", lambda: shafts().gear("g", "one", "one", teeth=(20, 30))),
    "a rack that turns": (r"rack 'r': body 'two' has no slide", lambda: shafts().rack("r", "one", "two", radius=0.1)),
    "a pinion that slides": (
        r"rack 'r': body 'slide' has no hinge",
        lambda: shafts().rack("r", "slide", "slide", radius=0.1),
    ),
}


@pytest.mark.quick
@pytest.mark.parametrize("what", REFUSED)
def test_invalid_gears_are_refused(what: str) -> None:
    message, build = REFUSED[what]
    with pytest.raises(mbs.ModelError, match=message):
        build()


def test_the_default_carrier_equals_the_explicit_one() -> None:
    texts = []
    for carrier in (None, "world"):
        m = shafts()
        m.gear("g", "one", "two", teeth=(20, 30), carrier=carrier)
        texts.append(compile_model(m).text)
    assert texts[0] == texts[1]


@pytest.mark.parametrize("law", [{}, {"stiffness": 1e7, "damping": 1e3}], ids=["rigid", "elastic"])
def test_wheels_welded_to_shafts_have_their_teeth_at_their_origins(law: dict[str, float]) -> None:
    """The hinges of the shafts, 0.1 m beside the wheels, carry the moments of the tooth force of 500 N."""
    m = mbs.Model("welded", gravity=(0, 0, 0))
    for name, x in (("one", 0.0), ("two", 0.06)):
        shaft = m.body(f"shaft_{name}", joint=mbs.Revolute("z"), mass=1.0, inertia=(1e-3,) * 3, at=(x, 0, 0))
        m.body(name, shaft, mbs.Weld(), at=(0, 0, 0.1))
    m.gear("mesh", "one", "two", teeth=(20, 40), pressure_angle="20 deg", **law)
    m.motor("drive", "shaft_one", torque=10.0)
    m.motor("brake", "shaft_two", torque=20.0)
    m.output("bearing", mbs.reaction("shaft_one"))
    r = mbs.simulate(m, 0.1)
    radial = 500.0 * np.tan(np.radians(20.0))
    assert_close(r["bearing.t"][-1], np.array([-50.0, 0.1 * radial, 10.0]), 1e-3, "moment of the bearing")
    assert_close(r["bearing.f"][-1], np.array([radial, 500.0, 0.0]), 1e-2, "load of the bearing")


def test_a_wheel_off_its_axis_is_refused() -> None:
    m = shafts()
    m.body("off", "one", mbs.Weld(), at=(0.005, 0, 0))
    with pytest.raises(mbs.ModelError, match=r"the origin of body 'off' is 0\.005 m off the axis about which it turns"):
        m.gear("g", "off", "two", teeth=(20, 30))
