"""Laws of joints: twists are the rates of poses; drives and formulas of time do the work of their forces."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import mbs_fmu as mbs
from support.cases import Case, each, tiers
from support.comparisons import assert_close
from support.generators.loops import PlainLoops, random_loops
from support.generators.mechanisms import COMPANIONS, JOINTS, ORDERS, Plain, add_drives, forget_start, random_tree
from support.generators.trees import SHAPES
from support.oracles.complex_steps import STEP, close, compare_tangents, output_rates

ALL = (*JOINTS, "timed")
FREE = (*COMPANIONS, "timed")


def driven_tree(case: Case, largest: int = 7) -> tuple[mbs.Model, list[str]]:
    """Return a random tree of all joints with at least one prescribed motion."""
    rng = np.random.default_rng(case.seed)
    while True:
        model = random_tree(
            rng, int(rng.integers(2, case.largest(largest) + 1)), SHAPES[case.seed % 3], FREE, case.joint
        )
        model.output("E", mbs.energy())
        drives = add_drives(model, rng)
        if drives:
            return model, drives


def along_the_motion(plain: Plain) -> np.ndarray:
    """Return the record a complex step later: all quantities have their rate of change as imaginary part."""
    plain.rates()
    R = plain.R.astype(complex)
    R[plain.program.state_slice] += 1j * STEP * plain.R[plain.program.rate_slice]
    R[0] += 1j * STEP
    return R


@each(ALL, rounds=2, usual=2, quick=2)
def test_twists_are_the_rates_of_poses(case: Case) -> None:
    """A u + v* is Rᵀ d(origin) and the vector of Rᵀ dR, by complex step, for every joint (J1)."""
    check_twists(random_tree(np.random.default_rng(case.seed), 2, "chain", (case.joint,)))


@each(ALL, rounds=2, usual=1, quick=1)
def test_twists_are_the_rates_of_poses_with_drives(case: Case) -> None:
    """The law also holds in random trees with prescribed motions."""
    check_twists(driven_tree(case)[0])


def check_twists(model: mbs.Model) -> None:
    """Compare velocities of the bodies with the complex-step rates of their poses."""
    bodies = list(model.bodies)
    for body in bodies:
        model.output(f"x_{body}", mbs.position(body))
        model.output(f"v_{body}", mbs.velocity(body))
        model.output(f"w_{body}", mbs.angular_velocity(body))
        for k in range(3):
            model.output(f"e{k}_{body}", mbs.position(body, np.eye(3)[k]) - mbs.position(body))
    plain = Plain(model)
    R = along_the_motion(plain)
    plain.complex.derive(R)
    plain.complex.outputs(R)
    values = {v.name: R[v.slot] for v in plain.program.of_role("output")}

    def vector(name: str) -> np.ndarray:
        return np.array([values[f"{name}[{k}]"] for k in (1, 2, 3)])

    for body in bodies:
        close(vector(f"v_{body}").real, vector(f"x_{body}").imag / STEP, 1e-12, f"velocity of {body}")
        for k in range(3):
            axis, w = vector(f"e{k}_{body}"), vector(f"w_{body}").real
            close(np.cross(w, axis.real), axis.imag / STEP, 1e-12, f"rate of axis {k} of {body}")


#: Later motions of a joint, as joints of their own: those with an axis and those without.
LATER = {
    "spherical": mbs.Spherical, "screw": lambda: mbs.Screw((1, -2, 1), pitch=0.3),
    "constant velocity": lambda: mbs.ConstantVelocity((1, -2, 1)),
    "formulas": lambda: mbs.CustomJoint(("m",), lambda q, t: [0.3 * q[0], q[0], 0.1 * mbs.sin(q[0])]),
    "rotations": lambda: mbs.CustomJoint(
        ("rad",), lambda q, t: [0, q[0], 0], lambda q, t: [1.0, 0.2 * q[0], 0.5 * q[0], 0.1 * q[0]]
    ),
}  # fmt: skip


@pytest.mark.quick
@pytest.mark.parametrize(
    ("first", "later"),
    [
        (first, later)
        for first in ("slide -z", "slide", "turn -y", "turn")
        for later in LATER
        if not (first.startswith("turn") and later == "spherical")  # four rates for three rotational degrees of freedom
    ],
)
def test_a_joint_of_two_motions_equals_two_joints(first: str, later: str) -> None:
    """Poses and twists agree for every axis of the first motion."""
    word, _, axis = first.partition(" ")
    rng = np.random.default_rng(len(first) + 10 * list(LATER).index(later))
    motion = getattr(mbs, word)(axis or rng.normal(size=3))
    one, two = mbs.Model("one", gravity=(0, 0, -9.81)), mbs.Model("two", gravity=(0, 0, -9.81))
    inertia = {"mass": 1.0, "inertia": (1.0, 1.2, 1.5)}
    one.body("end", "world", mbs.Compound(motion, *LATER[later]().motions), **inertia)
    two.body("between", "world", mbs.Compound(motion), **inertia)
    two.body("end", "between", LATER[later](), **inertia)
    q, u = (
        rng.normal(size=len(one.bodies["end"].joint.coordinates)),
        rng.normal(size=len(one.bodies["end"].joint.rates)),
    )
    one.start("end", q=q, u=u)
    two.start("between", q=q[:1], u=u[:1])
    two.start("end", q=q[1:], u=u[1:])
    results = []
    for model in (one, two):
        model.output("x", mbs.position("end", (0.3, 0.2, 0.1)))
        model.output("v", mbs.velocity("end", (0.3, 0.2, 0.1)))
        model.output("w", mbs.angular_velocity("end"))
        plain = Plain(model)
        plain.rates()
        plain.real.outputs(plain.R)
        results.append(np.array([plain.R[v.slot] for v in plain.program.of_role("output")]))
    close(*results, 1e-13, "output", [v.name for v in plain.program.of_role("output")])


POINTS, VALUES = (-1.0, -0.4, 0.1, 0.7, 1.2), (0.3, 0.1, 0.2, -0.1, 0.4)
#: Functions of formulas that contain tables and conditions.
PIECEWISE = {
    "curve": lambda x: mbs.curve(x, POINTS, VALUES),
    "table": lambda x: mbs.table(x, POINTS, VALUES),
    "clip": lambda x: x + mbs.clip(x, -0.1, 0.3),
    "max": lambda x: mbs.max(x, 0.1) ** 2 + mbs.min(x, 0.9),
    "abs": lambda x: mbs.abs(x) * x,
    "where": lambda x: mbs.where(x < mbs.sin(3.0 * x), x * x, mbs.where(x > 0.3, x, 2.0 * x)),
}


@pytest.mark.parametrize("case", tiers([*PIECEWISE, *(f"timed {kind}" for kind in PIECEWISE)], usual=2, quick=1))
def test_custom_joints_of_tables_and_conditions(case: str) -> None:
    """Energy stays, rates of both solvers and tangents agree; each formula stands in the position and the rotation."""
    f, m, timed = PIECEWISE[case.removeprefix("timed ")], mbs.Model("piecewise"), case.startswith("timed")
    turned = m.body("turned", joint=mbs.Revolute("y"), mass=1.0, com=(0.1, 0, 0.2), inertia=(0.1, 0.2, 0.25))

    def place(q: list, t: mbs.Expression) -> tuple:
        return q[0], f(q[1] + 0.3 * t * timed), f(0.5 * q[0])

    def turn(q: list, t: mbs.Expression) -> tuple:
        return 1.0, 0.5 * f(q[1]), q[1] + 0.1 * t * timed, f(q[0] + q[1])

    joint = mbs.CustomJoint(["m", "rad"], place, turn)
    m.body("arm", turned, joint, mass=1.0, com=(0.1, 0, 0.05), inertia=(0.1, 0.2, 0.25))
    m.start("turned", q=0.2, u=1.0)
    m.start("arm", q=(0.35, 0.65), u=(0.5, -0.7))
    m.output("E", mbs.energy())
    plain = Plain(m)
    rates = plain.rates()
    if not timed:
        assert abs(output_rates(plain)["E"]) < 1e-11  # of terms of size 10
    close(Plain(m, "sweep").rates(), rates, 1e-10, "rate", plain.labels("rates"))
    compare_tangents(plain, 1, [plain.program.state_slice])


@each(ALL, rounds=2, usual=1, quick=1)
def test_sweep_and_cholesky_give_the_same_rates_with_drives(case: Case) -> None:
    """Both solvers agree if motions are prescribed."""
    model, _ = driven_tree(case, 12)
    plain = Plain(model)
    close(Plain(model, "sweep").rates(), plain.rates(), 1e-10, "rate", plain.labels("rates"))


@each(JOINTS, rounds=2, usual=1, quick=1)
@pytest.mark.parametrize("solver", ["cholesky", "sweep"])
def test_power_of_drives_is_the_rate_of_energy(case: Case, solver: str) -> None:
    """dE/dt is the sum of drive forces times prescribed rates; trees have no formulas of time, which do work too."""
    rng = np.random.default_rng(case.seed)
    model = random_tree(rng, int(rng.integers(2, case.largest(6) + 1)), SHAPES[case.seed % 3], must=case.joint)
    model.output("E", mbs.energy())
    drives = add_drives(model, rng, 0.7)
    for name in drives:
        model.output(f"f_{name}", [mbs.drive_force(name, k + 1) for k in range(len(model.drives[name].rates))])
    plain = PlainLoops(model, solver)
    R = along_the_motion(plain)
    plain.complex.derive(R)
    plain.complex.outputs(R)
    slots = {v.name: v.slot for v in plain.program.of_role("output")}
    rate = R[slots["E"]].imag / STEP
    plain.real.outputs(plain.R)
    power = size = 0.0
    for name in drives:
        drive = model.drives[name]
        rates = [v.slot for v in plain.program.of_role("driven") if v.name.startswith(f"{drive.body}.")]
        rates = rates[len(drive.coordinates) :]
        for k, slot in enumerate(rates):
            part = plain.R[slots[f"f_{name}[{k + 1}]"]] * plain.R[slot]
            power, size = power + part, size + abs(part)
    assert_close(rate, power, 1e-10 * max(1.0, size), "rate of energy")


ModelData = tuple[mbs.Model, mbs.Body, int, mbs.Expression]


def compare_with_held(build: Callable[[], ModelData], solver: str) -> None:
    """Compare a model with a driven coordinate with the model whose condition holds it to the same law.

    Velocities are the same: the assembly of start velocities may choose others.
    """
    both = []
    for held in (False, True):
        m, body, k, law = build()
        if held:
            m.constrain("held", mbs.coordinate(body, k) - law)
            m.output("f", mbs.multiplier("held"))
        else:
            forget_start(m, body.name, range(k - 1, k), range(k - 1, k))
            m.drive("held", on=body, coordinate=k, position=law)
            m.output("f", mbs.drive_force("held"))
        for name in m.bodies:
            m.output(f"a_{name}", mbs.acceleration(name))
            m.output(f"v_{name}", mbs.velocity(name))
        both.append(PlainLoops(m, solver))
    driven, other = both
    rates = {v.name: other.R[v.slot] for v in other.program.of_role("rate")}
    for v in driven.program.of_role("rate"):
        driven.R[v.slot] = rates[v.name]
    driven.real.momenta(driven.R)
    results = []
    for plain in both:
        plain.rates()
        plain.real.outputs(plain.R)
        results.append(plain.get(plain.R, "outputs"))
    close(*results, 1e-9, "output", plain.labels("outputs"))


@pytest.mark.parametrize("seed", tiers(range(8), usual=1))
@pytest.mark.parametrize("solver", tiers(["sweep", "cholesky"], usual=1))
def test_a_drive_equals_a_condition_on_its_coordinate(seed: int, solver: str) -> None:
    """A drive moves the tree as the condition q = f(t) does, and its force is that condition's multiplier."""
    joints = ("revolute", "tilted", "prismatic", "universal", "compound", "screw", "cylindrical", "planar")

    def build() -> ModelData:
        rng = np.random.default_rng(seed)
        kinds = (*joints, "spherical") if seed % 2 else joints
        m = random_tree(rng, int(rng.integers(2, 7)), ("chain", "star", "tree")[seed % 3], kinds)
        body = [b for b in m.bodies.values() if b.joint.scalar and b.joint.motions][-1]
        k, start = len(body.joint.coordinates), m.starts[body.name]
        assert start.q is not None and start.u is not None
        m.start(body, q=[*start.q[: k - 1], 0.4 * np.sin(0.2) + 0.1], u=[*start.u[: k - 1], 0.52 * np.cos(0.2)])
        return m, body, k, 0.4 * mbs.sin(1.3 * mbs.time + 0.2) + 0.1

    compare_with_held(build, solver)


@pytest.mark.slow
@pytest.mark.parametrize("seed", (0, 2, 3, 4, 8, 11))
@pytest.mark.parametrize("solver", ["sweep", "cholesky"])
def test_a_drive_in_a_loop_equals_a_condition_on_its_coordinate(seed: int, solver: str) -> None:
    """The law also holds in mechanisms with closed loops (L7)."""

    def build() -> ModelData:
        m = random_loops(seed)
        bodies = [b for b in m.bodies.values() if b.joint.motions and b.joint.scalar]
        body = bodies[seed % len(bodies)]
        k, start = len(body.joint.coordinates), m.starts[body.name]
        assert start.q is not None and start.u is not None
        return m, body, k, start.q[k - 1] + start.u[k - 1] * mbs.sin(mbs.time) + 0.2 * mbs.time * mbs.time

    compare_with_held(build, solver)


@each(ALL, rounds=1, usual=1)
def test_nothing_stale_is_read_with_drives(case: Case) -> None:
    """NaN in everything that must be computed, and in coordinates and rates of drives, changes nothing."""
    model, drives = driven_tree(case)
    model.output("f", [mbs.drive_force(name, 1) for name in drives])
    for solver in ("cholesky", "sweep"):
        plain = PlainLoops(model, solver)
        rates = plain.rates()
        plain.real.outputs(plain.R)
        clean = plain.get(plain.R, "outputs")
        inputs = {"head", "q", "p", "z", "drive_impulses", "inputs", "parameters", "gravity", "bodies", "values"}
        inputs |= {
            "offsets",
            "driven_offsets",
            "constants",
            "loop_state",
            "multipliers",
            "residuals",
            "scales",
            "means",
        }
        inputs |= {"pivots", "ranks", "drive_starts", "drive_means", "branch", "x0", "rollback", "stages", "end"}
        for name in set(plain.program.regions) - inputs:
            plain.R[plain.slice(name)] = np.nan
        assert np.array_equal(plain.rates(), rates)
        plain.real.outputs(plain.R)
        assert np.array_equal(plain.get(plain.R, "outputs"), clean)


@each(ALL, rounds=1, usual=1, quick=1)
def test_tangents_with_drives_equal_complex_step(case: Case) -> None:
    """derive_d agrees along a random direction of states, time and inputs."""
    model, _ = driven_tree(case)
    level = model.input("level", start=0.3)
    body = next(b for b in model.bodies.values() if b.joint.motions)
    model.output("tip", mbs.position(body, (0.1, 0.2, 0.3)) * level)
    plain = Plain(model)
    along = plain.program.state_slice, plain.slice("inputs"), slice(0, 1)
    compare_tangents(plain, case.seed + 50, along, "u", "outputs")


def gimbal(angles: str, start: tuple[float, ...]) -> mbs.Model:
    """Return a heavy body on a ball joint of three angles."""
    m = mbs.Model("gimbal")
    top = m.body("top", "world", mbs.Spherical(angles), mass=1.0, com=(0.1, 0, 0.2), inertia=(0.3, 0.2, 0.1))  # type: ignore[arg-type]
    m.start(top, q=start, u=(0.0, 2.0, 0.0))
    return m


@pytest.mark.quick
@pytest.mark.usefixtures("in_plain_python")
@pytest.mark.parametrize(("angles", "locked"), [("euler", 0.0), ("ship", np.pi / 2), ("aircraft", -np.pi / 2)])
def test_a_start_in_gimbal_lock_is_refused(angles: str, locked: float) -> None:
    """If the outer axes coincide, the message names the body and the remedy."""
    with pytest.raises(mbs.ModelError, match=r"(?s)'top', coordinate top.q\[2\].*lock.*Spherical"):
        mbs.simulate(gimbal(angles, (0.2, locked, 0.1)), 0.1)


@pytest.mark.parametrize("method", [{"rtol": 1e-6}, {"method": "rk4", "step": 0.01}])
def test_a_run_ends_at_gimbal_lock(method: dict) -> None:
    """A planar swing moves the middle angle through 90 degrees: the run ends there, with its rows so far."""
    m = mbs.Model("swing")
    body = m.body("top", "world", mbs.Spherical("ship"), mass=1.0, com=(0.0, 0, -0.2), inertia=(0.3, 0.2, 0.1))
    m.start(body, u=(0.0, 6.0, 0.0))
    with pytest.raises(mbs.SimulationError, match="lock") as caught:
        mbs.simulate(m, 5.0, **method)
    result = caught.value.result
    assert result.time[-1] > 0.1 and np.all(np.abs(result["top.q[2]"]) < np.pi / 2)


@pytest.mark.slow
def test_a_base_driven_by_recorded_motion_repeats_the_free_run() -> None:
    """A tree on a free base, and on a base that follows the recorded motion as inputs, agree to 1e-8.

    The recorded motion is interpolated linearly: with points every 2e-5 s its error is 2e-5² / 8 times its second
    derivatives (of the order of 100), which is 5e-9.
    """
    rng = np.random.default_rng(3)
    poses = {"a": (0.2, 0.0, -0.1), "b": (0.0, 0.0, -0.6)}

    def hang(m: mbs.Model, base: mbs.Body) -> None:
        a = m.body("a", base, mbs.Universal("xy"), mass=1.5, com=(0, 0, -0.3), inertia=(0.1, 0.12, 0.05), at=poses["a"])
        b = m.body("b", a, mbs.Revolute("y"), mass=0.7, com=(0, 0.1, -0.2), inertia=(0.05, 0.04, 0.02), at=poses["b"])
        m.spring("s", on=b, stiffness=3.0, damping=0.05)
        m.start(a, q=(0.4, -0.2), u=(0.3, 0.5))
        m.start(b, q=0.3, u=-0.4)

    free = mbs.Model("free_base")
    base = free.body("base", "world", mbs.Free(), mass=4.0, inertia=(0.5, 0.6, 0.7))
    free.start(base, q=(0, 0, 0, 1, 0, 0, 0), u=rng.normal(size=6))
    hang(free, base)
    recorded = mbs.simulate(free, 1.0, rtol=1e-12, output_interval=2e-5)
    moved = mbs.Model("moving_base")
    base = moved.body("base", "world", mbs.Free())
    q, u = [moved.input(f"q{k}") for k in range(1, 8)], [moved.input(f"u{k}") for k in range(1, 7)]
    moved.drive("motion", on=base, position=q, rate=u)
    hang(moved, base)
    inputs = {
        f"{x}{k}": (recorded.time, recorded[f"base.{x}[{k}]"]) for x, n in (("q", 7), ("u", 6)) for k in range(1, n + 1)
    }
    result = mbs.simulate(moved, 1.0, method="rk4", step=1e-3, output_interval=1e-2, inputs=inputs)
    for name in ("a.q[1]", "a.q[2]", "b.phi", "a.u[1]", "a.u[2]", "b.w"):
        assert np.max(np.abs(result[name] - recorded[name][::500])) < 1e-8, (
            f"{name} at t = {result.time[np.argmax(np.abs(result[name] - recorded[name][::500]))]} s"
        )


def test_mean_drive_force_is_the_mean_of_the_instantaneous_one() -> None:
    """The mean follows from the balance of impulses over each step; the difference falls with the
    square of the step.
    """
    m = mbs.Model("crank")
    crank = m.body("crank", "world", mbs.Revolute("y"), mass=1.0, com=(0.2, 0, 0), inertia=(0.1, 0.1, 0.1))
    m.body("rod", crank, mbs.Revolute("y"), mass=0.5, com=(0.3, 0, 0), inertia=(0.01, 0.05, 0.05), at=(0.4, 0, 0))
    m.drive("turning", on=crank, position=mbs.sin(3.0 * mbs.time))
    m.output("now", mbs.drive_force("turning"))
    m.output("mean", mbs.drive_force("turning", mean=True))
    errors = []
    for step in (2e-3, 1e-3):
        r = mbs.simulate(m, 1.0, method="rk4", step=step, output_interval=step)
        errors.append(np.max(np.abs(r["mean"][1:] - 0.5 * (r["now"][1:] + r["now"][:-1]))))
    assert errors[1] < 1e-4 * np.max(np.abs(r["now"]))
    assert 3.6 < errors[0] / errors[1] < 4.4


BAD = {
    "it needs a rate too": lambda m, b, t: m.drive("d", on=b, position=m.input("x")),
    "position changes": lambda m, b, t: m.drive("d", on=b, position=mbs.sin(t), rate=mbs.sin(t)),
    "has a drive already": lambda m, b, t: [m.drive(n, on=b, position=t) for n in ("d", "e")],
    "does not exist": lambda m, b, t: m.drive("d", on=b, coordinate=2, position=t),
    "may depend on time": lambda m, b, t: m.drive("d", on=b, position=mbs.coordinate(b)),
    "unknown drive": lambda m, b, t: m.output("f", mbs.drive_force("nothing")),
    "its quaternion is zero": lambda m, b, t: m.drive(
        "d", on=m.body("ball", joint=mbs.Spherical(), mass=1.0), position=(0, 0, 0, 0)
    ),
    "no mass or inertia": lambda m, b, t: m.body(
        "c", b, mbs.CustomJoint(1, rotation=lambda q, t: (mbs.cos(q[0]), mbs.sin(q[0]), 0, 0)), mass=1.0
    ),
    "no event can depend": lambda m, b, t: (
        m.drive("d", on=b, position=t),
        m.event("e", mbs.drive_force("d", mean=True)),
    ),
    "start q of body 'b' would be ignored": lambda m, b, t: (m.start(b, q=1), m.drive("d", on=b, position=t)),
    "start u of body 'b' would be ignored": lambda m, b, t: (m.drive("d", on=b, position=t), m.start(b, u=0)),
    "give 0 there": lambda m, b, t: _half_driven(m, t, (0.1, 0.2)),
    "not orthonormal": lambda m, b, t: mbs.CustomJoint(1, rotation=lambda q, t: [[1, q[0], 0], [0, 1, 0], [0, 0, 1]]),
    "can't be traced": lambda m, b, t: mbs.CustomJoint(1, position=lambda q, t: (np.floor(float(q[0])), 0, 0)),
    "unknown angles": lambda m, b, t: mbs.Spherical("cardan"),  # type: ignore[arg-type]
}


def _half_driven(m: mbs.Model, t: mbs.Expression, start: tuple[float, float]) -> None:
    body = m.body("c", "b", mbs.Universal(), mass=1.0, inertia=(1, 1, 1))
    m.drive("d", on=body, position=t, coordinate=2)
    m.start(body, q=(0.1, 0.0))
    m.start(body, q=start)


@pytest.mark.parametrize("message", BAD)
def test_invalid_drives_and_joints_are_refused(message: str) -> None:
    """Each raises one clear sentence."""
    m = mbs.Model("m")
    b = m.body("b", "world", mbs.Revolute("z"), mass=1.0, inertia=(1, 1, 1))
    with pytest.raises(mbs.ModelError, match=message):
        BAD[message](m, b, mbs.time)
        Plain(m)


@each(ALL, rounds=1, usual=1, quick=1)
def test_every_state_and_output_has_an_owner(case: Case) -> None:
    """Messages name the right thing if some coordinates are driven and drives' impulses are states."""
    model, drives = driven_tree(case)
    model.output("f", [mbs.drive_force(name, 1, mean=True) for name in drives])
    program = Plain(model).program
    states = program.state_slice
    assert len(program.owners) == states.stop - states.start + program.regions["outputs"][1]
    named = {v.slot - states.start: v.name for v in program.variables if v.role in ("coordinate", "state")}
    for k, name in named.items():
        assert name in program.owners[k]


@pytest.mark.quick
def test_angles_are_turns_in_the_order_of_their_axes() -> None:
    """For all twelve orders, and for those with a name, the outputs are the first column of R1(a) R2(b) R3(c)."""
    m = mbs.Model("orders", gravity=(0, 0, 0))
    angles = (0.3, 0.8, -1.2)
    named = {"euler": "zxz", "ship": "zyx", "aircraft": "yzx"}
    for name in (*ORDERS, *named):
        body = m.body(name, joint=mbs.Spherical(name), mass=1.0, inertia=(0.1, 0.2, 0.25))
        m.start(body, q=angles)
        carried = m.body(f"free_{name}", joint=mbs.Free(name), mass=1.0, inertia=(0.1, 0.2, 0.25))
        m.start(carried, q=(1.0, 2.0, 3.0, *angles))
        m.output(f"x_{name}", mbs.position(body, (1, 0, 0)))
        m.output(f"free_x_{name}", mbs.position(carried, (1, 0, 0)))
    plain = Plain(m)
    plain.rates()
    plain.real.outputs(plain.R)
    computed = plain.get(plain.R, "outputs").reshape(-1, 2, 3)
    assert len(computed) == 15
    for name, (place, carried_place) in zip((*ORDERS, *named), computed, strict=True):
        turned = np.eye(3)
        for axis, angle in zip(named.get(name, name), angles, strict=True):
            turned = turned @ mbs.axis_angle(axis, angle)
        close(place, turned[:, 0], 1e-15, f"position, {name}")  # a dozen operations on numbers below one
        close(carried_place, np.array([1.0, 2.0, 3.0]) + turned[:, 0], 1e-15, f"carried position, {name}")


@pytest.mark.quick
@pytest.mark.parametrize("angles", ["xxy", "xy", "xyzx", "XYZ", "roll", 3, ("x", "y", "z"), ["x", "y", "z"]])
def test_unknown_sequences_of_angles_are_refused(angles: object) -> None:
    for joint in (mbs.Spherical, mbs.Free):
        with pytest.raises(mbs.ModelError, match=r"unknown angles .*: use 'euler', .*three axes in the order"):
            joint(angles)  # type: ignore[arg-type]
