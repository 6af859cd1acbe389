"""Published springs, central gravity and tops, and closed-form solutions.

As in test_published.py every case has two tests, and the tolerance is one unit of the last printed digit, or twice the
deviation of the published solution from a converged one. Converged solutions are verified by other means: by scipy on
the pendulum's equation, by Kepler's equation, by the dense oracle (dense.py).
"""

from __future__ import annotations

import math
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import fsolve

import mbs_fmu as mbs
from support.cases import tiers
from support.comparisons import assert_close
from support.oracles.dense import Dense
from support.oracles.published_results import (
    G_STANDARD,
    Case,
    Table,
    about_x,
    adams,
    body_columns,
    body_outputs,
    msl_table,
    run,
)

# -- Modelica Standard Library, MultiBody.Examples.Elementary, run by Dymola with tolerance 1e-6 ------


def pendulum_with_spring_damper() -> mbs.Model:
    """PendulumWithSpringDamper: 1 kg that slides along an arm, spring and damper from the arm's hinge."""
    m = mbs.Model("pendulum_with_spring_damper", gravity=(0, -G_STANDARD, 0))
    arm = m.body("revolute", joint=mbs.Revolute("z"), at=(0.3, 0, 0))
    body = m.body("prismatic", arm, mbs.Prismatic("x"), mass=1.0, inertia=(1, 1, 1))
    m.start(body, q=0.5)
    m.spring("spring1", "world", body, at_a=(0.3, 0, 0), stiffness=20.0, length=0.2)
    m.spring("damper1", arm, body, damping=1.0)
    return m


def spring_damper_system() -> mbs.Model:
    """SpringDamperSystem: a free body on spring and damper, and one on a spring that slides downwards."""
    m = mbs.Model("spring_damper_system", gravity=(0, -G_STANDARD, 0))
    body1 = m.body("body1", joint=mbs.Free(), mass=1.0, com=(0, -0.2, 0), inertia=(0.1, 0.1, 0.1))
    m.start(body1, q=(0.3, -0.2, 0, 1, 0, 0, 0), u=(0, 0, 0, 0, 0, math.radians(2)))
    p2 = m.body("p2", joint=mbs.Prismatic("-y"), mass=1.0, at=(0.9, 0, 0))
    m.start(p2, q=0.1)
    m.spring("spring1", "world", body1, at_a=(0.3, 0, 0), stiffness=30.0, length=0.1)
    m.spring("damper1", "world", body1, at_a=(0.3, 0, 0), damping=2.0)
    m.spring("spring2", "world", p2, at_a=(0.9, 0, 0), stiffness=30.0, length=0.1)
    body_outputs(m, body1)
    return m


ENDS = (np.array([0.3, 0, 0]), np.array([0, 0, 0.3]))  #: m, of the springs 1 and 3 of ThreeSprings
BODY = np.array([0.5, -0.3, 0])  #: m, start of its body


def three_springs() -> mbs.Model:
    """ThreeSprings: two springs from the world and one from a body meet in a point, here of a small mass."""
    m = mbs.Model("three_springs", gravity=(0, -G_STANDARD, 0))
    body = m.body("body1", joint=mbs.Free(), mass=0.8, com=(0, -0.2, 0), inertia=(0.1, 0.1, 0.1))
    m.start(body, q=(*BODY, 1, 0, 0, 0))
    sliding = mbs.Compound(mbs.slide("x"), mbs.slide("y"), mbs.slide("z"))
    node = m.body("node", joint=sliding, mass=m.parameter("node_mass", 1e-5, unit="kg"))
    m.start(node, q=tuple(fsolve(pull_on_node, (0.3, -0.15, 0.1), xtol=1e-14)))
    m.spring("spring1", "world", node, at_a=ENDS[0], stiffness=20.0, length=0.1)
    m.spring("spring3", "world", node, at_a=ENDS[1], stiffness=20.0, length=0.1)
    m.spring("spring2", node, body, stiffness=40.0, length=0.1)
    body_outputs(m, body)
    return m


def pull_on_node(node: np.ndarray) -> np.ndarray:
    """Force on the point where the three springs meet, N."""
    total = np.zeros(3)
    for end, stiffness in (*((end, 20.0) for end in ENDS), (BODY, 40.0)):
        line = end - node
        total += stiffness * (1 - 0.1 / np.linalg.norm(line)) * line
    return total


class Extrapolated:
    """The motion of ThreeSprings for a massless point, from two small masses: the error is linear in the mass."""

    def __init__(self, masses: tuple[float, float]):
        options: dict[str, Any] = {"rtol": 1e-9, "atol": 1e-11, "output_interval": 0.002}
        runs = [mbs.simulate(three_springs(), 10.0, parameters={"node_mass": x}, **options) for x in masses]
        self.heavy, self.light = runs
        self.time = self.light.time
        self.share = masses[1] / (masses[0] - masses[1])

    def __getitem__(self, name: str) -> np.ndarray:
        return self.light[name] + (self.light[name] - self.heavy[name]) * self.share


class ThreeSprings(Case):
    """The case with extrapolated motion."""

    @cached_property
    def run(self) -> Any:
        return Extrapolated((2e-5, 1e-5))


PENDULUM = ("prismatic.s", "prismatic.v", "revolute.phi", "revolute.w")
PENDULUM_WITH_SPRING_DAMPER = Case(
    pendulum_with_spring_damper, stop=10.0, interval=0.002,
    read=partial(msl_table, "Elementary_PendulumWithSpringDamper.csv", {x: [x] for x in PENDULUM}),
    figures={
        0.5: {
            "prismatic.s": (0.171844964,), "prismatic.v": (-0.22860041,), "revolute.phi": (-0.458764445,),
            "revolute.w": (-1.62655789,),
        },
        5.0: {
            "prismatic.s": (0.856737197,), "prismatic.v": (-0.0810751795,), "revolute.phi": (-1.8305871,),
            "revolute.w": (-1.01222266,),
        },
        10.0: {
            "prismatic.s": (0.746849622,), "prismatic.v": (-0.303725712,), "revolute.phi": (-1.3329077,),
            "revolute.w": (0.52791655,),
        },
    },
    allowed=1.1e-5,  # m
)  # fmt: skip

SPRING_DAMPER_SYSTEM = Case(
    spring_damper_system, stop=10.0, interval=0.002,
    read=partial(
        msl_table, "Elementary_SpringDamperSystem.csv", {"p2.s": ["p2.s"], "p2.v": ["p2.v"], **body_columns(1)}
    ),
    figures={
        0.5: {
            "p2.s": (0.727590281,), "p2.v": (0.702144816,), "r": (0.301459209, -0.539765487, 0),
            "v": (0.00624725609, -0.332722152, 0), "w": (0, 0, -0.0221630905),
        },
        10.0: {
            "p2.s": (0.493617619,), "p2.v": (-1.75256869,), "r": (0.30059152, -0.426900579, 0),
            "v": (-0.00682479048, 8.73094007e-05, 0), "w": (0, 0, -0.00301313356),
        },
    },
    allowed=3.1e-5,  # m, of p2.s
)  # fmt: skip

THREE_SPRINGS = ThreeSprings(
    three_springs, stop=10.0, interval=0.002,
    read=partial(msl_table, "Elementary_ThreeSprings.csv", body_columns(1)),
    figures={
        0.5: {
            "r": (-0.0499806335, -0.755642277, 0.249391082), "v": (-0.852740007, -0.758283252, 0.324698028),
            "w": (-0.299871915, 0, -0.45711932),
        },
        10.0: {
            "r": (-0.0199122487, -0.841532389, 0.257003443), "v": (-0.892563563, -0.29469115, -0.304769413),
            "w": (2.83187095, 0, 0.577227137),
        },
    },
    allowed=1.1e-5,  # m
)  # fmt: skip

# -- MSC ADAMS, as kept in projectchrono/chrono, src/tests/unit_tests/joints -------------------------

ADAMS = ("Pos", "Vel", "Avel", "Quat", "Rforce", "Rtorque")


def forces_table(stem: str, folder: Path) -> Table:
    """Table of files with one quantity each and three header lines."""
    kind = stem.partition("_")[0].lower()
    table = {}
    for quantity in ADAMS:
        rows = np.loadtxt(folder / "adams" / f"{kind}_force" / f"{stem}_ADAMS_{quantity}.txt", skiprows=3)
        table[quantity] = rows[:, 0], rows[:, 1:]
    return table


def translational(start: float, stiffness: float, damping: float) -> mbs.Model:
    """TranSpring: 1 kg falls from (0, start, 0), on a spring to the origin that is relaxed there."""
    m = mbs.Model("translational_spring", gravity=(0, 0, -G_STANDARD))
    body = m.body("body", joint=mbs.Free(), mass=1.0, inertia=(0.04, 0.1, 0.1))
    m.start(body, q=(0, start, 0, 1, 0, 0, 0))
    m.spring("spring", body, "world", stiffness=stiffness, damping=damping, length=start)
    m.output("Pos", mbs.position(body))
    m.output("Vel", mbs.velocity(body))
    m.output("Avel", mbs.angular_velocity(body))
    m.output("Quat", mbs.orientation(body))
    m.output("Rforce", mbs.applied("spring").f)  # on the ground
    m.output("Rtorque", mbs.applied("spring").t)
    return m


HARDENING: dict[str, Any] = {"force": lambda x: 50 * x + 10 * mbs.abs(x) * x}


def rotational(between: str, law: dict[str, Any]) -> mbs.Model:
    """RotSpring: the pendulum of Revolute 01 on a spring of 0 rad, on its joint or between body and ground.

    ADAMS reports the load of joint and spring together on the ground, about the joint.
    """
    m = adams(mbs.Revolute, (0, 0, 0), -90)
    joint = mbs.reaction("body")
    m.output("Rforce", -joint.f)
    if between == "joint":
        m.spring("spring", on="body", damping=10.0, **law)
        m.output("Rtorque", -joint.t)
    else:
        ground = mbs.Pose((0, 0, 0), about_x(-90))
        m.rotational_spring("spring", "body", "world", at_b=ground, damping=10.0, **law)
        m.output("Rtorque", mbs.applied("spring").t - joint.t)
    return m


TRANSPRING_01 = Case(
    partial(translational, 0.0, 10.0, 0.5), stop=5.0, interval=0.01,
    read=partial(forces_table, "TranSpring_Case01"),
    figures={
        3.0: {
            "Pos": (0, 0, -1.44484), "Vel": (0, 0, 0.047547), "Avel": (0, 0, 0), "Quat": (1, 0, 0, 0),
            "Rforce": (0, 0, -14.4247), "Rtorque": (0, 0, 0),
        },
        5.0: {
            "Pos": (0, 0, -1.26242), "Vel": (0, 0, 0.0480496), "Avel": (0, 0, 0), "Quat": (1, 0, 0, 0),
            "Rforce": (0, 0, -12.6002), "Rtorque": (0, 0, 0),
        },
    },
    allowed={"Pos": 1e-5, "Vel": 1e-5, "Avel": 1e-5, "Quat": 1e-6, "Rforce": 1e-4, "Rtorque": 1e-5},  # six digits
)  # fmt: skip

TRANSPRING_02 = Case(
    partial(translational, 2.0, 100.0, 5.0), stop=5.0, interval=0.01,
    read=partial(forces_table, "TranSpring_Case02"),
    figures={
        3.0: {
            "Pos": (0, 1.553452, -1.561142), "Vel": (0, 3.104701, 3.663478), "Avel": (0, 0, 0), "Quat": (1, 0, 0, 0),
            "Rforce": (0, 12.83828, -12.90184), "Rtorque": (0, 0, 0),
        },
        5.0: {
            "Pos": (0, -1.945198, -0.767401), "Vel": (0, -0.652462, 2.8145), "Avel": (0, 0, 0), "Quat": (1, 0, 0, 0),
            "Rforce": (0, -6.49326, -2.561659), "Rtorque": (0, 0, 0),
        },
    },
    allowed={"Pos": 1e-6, "Vel": 1e-6, "Avel": 1e-6, "Quat": 1e-6, "Rforce": 1e-5, "Rtorque": 1e-6},  # seven digits
)  # fmt: skip

#: twice the deviations of the tables from scipy's solution of the pendulum's equation (see test_rotational_springs...);
#: their reaction forces contradict their own motions by half of this tolerance
ROTSPRING_ALLOWED = {
    1: {"Pos": 2.7e-6, "Vel": 2.1e-5, "Avel": 1.1e-5, "Quat": 4.8e-7, "Rforce": 1.6e-3, "Rtorque": 2.9e-4},
    2: {"Pos": 1.5e-6, "Vel": 7.2e-6, "Avel": 3.6e-6, "Quat": 3.3e-7, "Rforce": 5.1e-3, "Rtorque": 6.0e-5},
}
ROTSPRING_LAWS: dict[int, dict[str, Any]] = {1: {"stiffness": 200.0}, 2: HARDENING}
ROTSPRING_FIGURES: dict[int, Any] = {
    1: {
        0.5: {
            "Pos": (1.977294, 0, -0.3005134), "Vel": (0.03481927, 0, 0.229101), "Avel": (0, -0.115866, 0),
            "Quat": (0.705097, -0.705097, 0.05327519, 0.05327519), "Rforce": (-0.6784321, 0, -14.44829),
            "Rtorque": (0, 29.00693, 0),
        },
        5.0: {
            "Pos": (1.990439, 0, -0.1953254), "Vel": (-1.562778e-06, 0, -1.592452e-05), "Avel": (0, 8.000521e-06, 0),
            "Quat": (0.7062612, -0.7062612, 0.03457031, 0.03457031), "Rforce": (-0.002108525, 0, -9.828137),
            "Rtorque": (0, 19.5638, 0),
        },
    },
    2: {
        0.5: {
            "Pos": (1.89736, 0, -0.632476), "Vel": (-0.4709063, 0, -1.412668), "Avel": (0, 0.7445442, 0),
            "Quat": (0.6979756, -0.6979756, 0.1132697, 0.1132697), "Rforce": (0.1317424, 0, -12.91623),
            "Rtorque": (0, 24.56881, 0),
        },
        5.0: {
            "Pos": (1.882432, 0, -0.6756116), "Vel": (0.0004345283, 0, 0.00121071), "Avel": (0, -0.0006431631, 0),
            "Quat": (0.6966376, -0.6966376, 0.1212272, 0.1212272), "Rforce": (0.008265755, 0, -9.783619),
            "Rtorque": (0, 18.41019, 0),
        },
    },
}  # fmt: skip
ROTSPRINGS = {
    f"ADAMS RotSpring 0{number}, {between}": Case(
        partial(rotational, between, ROTSPRING_LAWS[number]), stop=5.0, interval=0.01,
        read=partial(forces_table, f"RotSpring_Case0{number}"),
        figures=ROTSPRING_FIGURES[number], allowed=ROTSPRING_ALLOWED[number],
    )
    for number in (1, 2) for between in ("joint", "bodies")
}  # fmt: skip

CASES = {
    "MSL PendulumWithSpringDamper": PENDULUM_WITH_SPRING_DAMPER,
    "MSL SpringDamperSystem": SPRING_DAMPER_SYSTEM,
    "MSL ThreeSprings": THREE_SPRINGS,
    "ADAMS TranSpring 01": TRANSPRING_01,
    "ADAMS TranSpring 02": TRANSPRING_02,
    **ROTSPRINGS,
}
every_case = pytest.mark.parametrize("case", tiers(CASES, usual=1))


@every_case
def test_published_figures(case: Case) -> None:
    """The motion and its forces meet the figures in this file."""
    case.check_figures()


@every_case
def test_published_table(case: Case, reference_folder: Path) -> None:
    """The motion and its forces meet every row of the published table, which contains the figures in this file."""
    case.check_table(reference_folder)


# -- verification of converged solutions ---------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("number", [1, 2])
def test_rotational_springs_by_scipy(number: int) -> None:
    """Angle and rate of the RotSpring cases are those of 4.1 kg m² a = 2 m g cos(angle) - torque, to 1e-9."""

    def rates(t: float, y: np.ndarray) -> list[float]:
        angle, rate = y
        spring = 200 * angle if number == 1 else (50 + 10 * abs(angle)) * angle
        return [rate, (2 * G_STANDARD * math.cos(angle) - spring - 10 * rate) / 4.1]

    solution = solve_ivp(rates, (0, 5), (0, 0), "DOP853", rtol=1e-12, atol=1e-14, t_eval=np.linspace(0, 5, 501))
    for between in ("joint", "bodies"):
        result = ROTSPRINGS[f"ADAMS RotSpring 0{number}, {between}"].run
        assert_close(
            -result["Pos"][:, 2],
            2 * np.sin(solution.y[0]),
            1e-9,
            f"twice the sine of the angle, {between}",
            times=result.time,
        )
        assert_close(result["Avel"][:, 1], solution.y[1], 1e-9, f"angular velocity, {between}", times=result.time)


@pytest.mark.parametrize("number", tiers([1, 2], usual=1))
def test_rotational_springs_reactions_obey_newton(number: int, reference_folder: Path) -> None:
    """Force on the ground = weight - m a, with a from differences of ADAMS's velocities, within their accuracy.

    ADAMS's own forces violate that by 2.5 and 10 times as much.
    """
    tables = forces_table(f"RotSpring_Case0{number}", reference_folder)
    times, v = tables["Vel"]
    a = (v[:-4] - 8 * v[1:-3] + 8 * v[3:-1] - v[4:]) / (12 * 0.01)
    expected = np.array([0, 0, -G_STANDARD]) - a
    quiet = times[2:-2] > 0.3  # after that the differences err by less than 2e-5
    forces = ROTSPRINGS[f"ADAMS RotSpring 0{number}, joint"].run["Rforce"][2:-2]
    off, theirs = (np.abs(x - expected)[quiet].max() for x in (forces, tables["Rforce"][1][2:-2]))
    assert off < 3e-4
    assert theirs > 2.5 * off


@pytest.mark.parametrize("model", [pendulum_with_spring_damper, spring_damper_system])
def test_dense_oracle_agrees(model: Any) -> None:
    """The first 2 s agree with dense linear algebra, to 1e-8."""
    m = model()
    times = np.linspace(0.0, 2.0, 5)
    dense = Dense(m)
    q, u = dense.simulate(times, rtol=1e-11)
    result = run(m, 2.0, 0.5)
    actual = dense.read(result)
    assert_close(np.array(actual[0]).T, q, 1e-8, "coordinate", dense.coordinates, times)
    assert_close(np.array(actual[1]).T, u, 1e-8, "joint velocity", dense.rates, times)


def test_a_light_node_converges() -> None:
    """ThreeSprings extrapolated from other masses is the same within 1e-7 m, a hundredth of the tolerance."""
    other = Extrapolated((4e-5, 2e-5))
    assert np.abs(THREE_SPRINGS.run["r"] - other["r"]).max() < 1e-7
