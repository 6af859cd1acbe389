"""Published motions of closed loops, and reactions in joints.

As in test_published.py every case has two tests: a few published figures as numbers in this file, and the whole table
if MBS_FMU_REFERENCE names its folder. The tolerance follows from the publication: one unit of the last printed digit,
or, where the published solution is less accurate, twice its deviation from an independent, converged solver. That
solver (absolute coordinates of all bodies, all joints as constraints, an explicit method of order 8 with tolerance
1e-11) shares no code with the package; its deviations stand beside each case.

A loop can be cut in many places: the cases run in several such forms.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import mbs_fmu as mbs
from support.cases import tiers
from support.comparisons import assert_close
from support.models.published_loops import (
    Triple,
    a02,
    adams_distance,
    adams_loop,
    adams_reaction,
    msl_constraint,
    msl_fourbar,
    msl_planar_fourbar,
)
from support.oracles.published_results import (
    ADAMS_REVOLUTE_01,
    ADAMS_REVOLUTE_02,
    ADAMS_SPHERICAL_01,
    ADAMS_SPHERICAL_02,
    G_IFTOMM,
    SIX_DIGITS,
    Case,
    Table,
    msl_table,
)

# -- IFToMM library of computational benchmark problems, A02 -----------------------------------------


def a02_table(folder: Path) -> Table:
    """x and y of B0, m, each at times of its own."""
    data = {k: np.loadtxt(folder / "iftomm" / f"A02_{k}_reference.csv", delimiter=",") for k in "xy"}
    return {quantity: (rows[:, 0], rows[:, 1:]) for quantity, rows in data.items()}


A02_40 = Case(
    partial(a02, 40, "hinge"), stop=10.0, interval=0.05, read=a02_table,
    figures={  # the library's reference curve as redrawn in RehabEngGroup/MBSbenchmarksInOpenSim
        5.0: {"x": (-0.540191,), "y": (-0.841543,)},
        10.0: {"x": (0.180513,), "y": (0.983573,)},
    },
    allowed={"x": 1e-4, "y": 1e-4},  # m; the converged motion is 1.2e-6 off at most, at every vertex
)  # fmt: skip

A02_2 = replace(
    A02_40,
    model=partial(a02, 2, "hinge"),
    figures={10.0: {"x": (0.328458,), "y": (0.944519,)}},  # of the text of the benchmark
    allowed={"x": 1e-6, "y": 1e-6},  # six decimals
)

# -- Modelica Standard Library, MultiBody.Examples.Loops and .Constraints, Dymola, tolerance 1e-6 ----

MSL_FOURBAR1 = Case(
    partial(msl_fourbar, "ball"), stop=5.0, interval=0.025,
    read=partial(msl_table, "Loops_Fourbar1.csv", {x: [x] for x in ("j1.phi", "j1.w")}),
    figures={  # Modelica Association's reference results
        1.0: {"j1.phi": (7.80213383,), "j1.w": (9.36158842,)},
        2.5: {"j1.phi": (19.8672579,), "j1.w": (7.82923533,)},
        5.0: {"j1.phi": (40.3282362,), "j1.w": (11.7394219,)},
    },
    allowed={"j1.phi": 2 * 9.3e-4, "j1.w": 2 * 2.3e-3},  # rad at 5 s (3e-5 at 1 s), rad/s at 4.9 s
)  # fmt: skip

MSL_FOURBAR2 = Case(
    partial(msl_fourbar, "distance"), stop=5.0, interval=0.025,
    read=partial(msl_table, "Loops_Fourbar2.csv", {x: [x] for x in ("j1.phi", "j1.w")}),
    figures={
        1.0: {"j1.phi": (7.78822582,), "j1.w": (9.29207722,)},
        2.5: {"j1.phi": (19.8391271,), "j1.w": (7.72160616,)},
        5.0: {"j1.phi": (40.2412576,), "j1.w": (11.6339894,)},
    },
    allowed={"j1.phi": 2 * 7.7e-4, "j1.w": 2 * 1.9e-3},  # rad at 5 s (6e-5 at 1 s), rad/s at 4.9 s
)  # fmt: skip

MSL_PLANAR_FOURBAR = Case(
    partial(msl_planar_fourbar, mbs.Revolute("z")), stop=5.0, interval=0.025,
    read=partial(msl_table, "Loops_PlanarFourbar.csv", {x: [x] for x in ("revolute1.phi", "revolute1.w")}),
    figures={
        1.0: {"revolute1.phi": (-1.82106781,), "revolute1.w": (12.4555110,)},
        2.5: {"revolute1.phi": (-0.428123619,), "revolute1.w": (4.36979224,)},
        5.0: {"revolute1.phi": (-0.939783396,), "revolute1.w": (6.99349011,)},
    },
    allowed={"revolute1.phi": 2 * 7.1e-4, "revolute1.w": 2 * 3.9e-3},  # rad and rad/s at 4.8 s
)  # fmt: skip

MSL_REVOLUTE_CONSTRAINT = Case(
    partial(msl_constraint, "revolute"), stop=10.0, interval=0.05,
    read=partial(
        msl_table, "Constraints_RevoluteConstraint.csv",
        {
            "w": [f"bodyOfConstraint.body.w_a[{k}]" for k in (1, 2, 3)],
            "joint.w": ["bodyOfJoint.body.w_a[2]"],
            "joint.phi": ["joint.phi"],
        },
    ),
    figures={
        1.0: {"w": (0, -2.33734702, 0), "joint.w": (-2.33734702,), "joint.phi": (-1.67151271,)},
        5.0: {"w": (0, -0.0490955167, 0), "joint.w": (-0.0490955167,), "joint.phi": (-2.54140493,)},
        10.0: {"w": (0, 0.0981644903, 0), "joint.w": (0.0981644903,), "joint.phi": (-0.00115557675,)},
    },
    allowed={"w": 2 * 2.2e-5, "joint.w": 2 * 2.2e-5, "joint.phi": 2 * 1.2e-5},
)  # fmt: skip

SLIDES = [f"jointPrismatic_{x}" for x in ("x.s", "x.v", "y.s", "y.v")]
MSL_PRISMATIC_CONSTRAINT = Case(
    partial(msl_constraint, "prismatic"), stop=10.0, interval=0.05,
    read=partial(
        msl_table, "Constraints_PrismaticConstraint.csv",
        {
            "r": [f"bodyOfConstraint.r_0[{k}]" for k in (1, 2, 3)],
            "v": [f"bodyOfConstraint.v_0[{k}]" for k in (1, 2, 3)],
            **{x: [x] for x in SLIDES},
        },
    ),
    figures={
        1.0: {
            "r": (0.261461803, -0.944252175, -0.00272968704), "v": (-0.215656620, 2.26054622, 0.711336097),
            **dict(zip(SLIDES, ((-0.580764409,), (2.03778092,), (-0.350214858,), (1.22883074,)), strict=True)),
        },
        10.0: {
            "r": (0.212954179, -0.435787715, 0.157271078), "v": (0.149557862, -1.56768877, -0.493311572),
            **dict(zip(SLIDES, ((-0.122406529,), (-1.41320104,), (-0.0738140704,), (-0.852194096,)), strict=True)),
        },
    },
    allowed={
        "r": 2 * 1.2e-5, "v": 2 * 5.2e-5,
        **dict(zip(SLIDES, (2 * 1.1e-5, 2 * 4.7e-5, 2 * 7e-6, 2 * 2.8e-5), strict=True)),
    },
)  # fmt: skip


# -- MSC ADAMS, as kept in projectchrono/chrono, src/tests/unit_tests/joints -------------------------
#
# Rforce and Rtorque are the load of the body on the ground, in world axes and about the joint: in Revolute 01 the
# pendulum that is let go from the horizontal bears down on its hinge by m g J/(J + m l²) = 0.239187 N along -z, and
# pulls it outwards, along +x, as it begins to fall. The package's reaction is that of the ground on the body, thus the
# opposite. The torque of Revolute 02 at the start, (0, 9.80665, -9.80665) N m, is that part of the weight's moment
# about the joint, (0, 19.6133, 0), that is across the hinge's axis (0, 1, 1).


def adams_reaction_table(kind: str, stem: str, folder: Path) -> Table:
    """Table of files with one quantity each and three header lines."""
    quantities = ("Pos", "Vel", "Avel", "Quat", "Rforce", "Rtorque")
    data = {x: np.loadtxt(folder / "adams" / kind / f"{stem}_ADAMS_{x}.txt", skiprows=3) for x in quantities}
    return {quantity: (rows[:, 0], rows[:, 1:]) for quantity, rows in data.items()}


def with_reactions(
    case: Case, stem: str, figures: dict[float, tuple[Triple, Triple]], allowed: dict[str, float]
) -> Case:
    """A case of test_published.py with its reactions; the joint is in the tree."""
    both = {time: {**case.figures[time], "Rforce": f, "Rtorque": t} for time, (f, t) in figures.items()}
    folder = f"{stem.partition('_')[0].lower()}_joint"
    model = partial(adams_reaction, *case.model.args)  # type: ignore[attr-defined]
    return replace(case, model=model, figures=both, allowed=allowed, read=partial(adams_reaction_table, folder, stem))


def as_loop(case: Case) -> Case:
    """The same case with the joint as a closure."""
    return replace(case, model=partial(adams_loop, *case.model.args))  # type: ignore[attr-defined]


NONE = (0.0, 0.0, 0.0)
REVOLUTE_01 = with_reactions(
    ADAMS_REVOLUTE_01, "Revolute_Case01",
    {3.0: ((9.54282, 0, -3.87156), NONE), 5.0: ((-0.510225, 0, -0.248259), NONE)},
    {**SIX_DIGITS, "Rforce": 2 * 6.2e-4, "Rtorque": 1e-6},
)  # fmt: skip
REVOLUTE_02 = with_reactions(
    ADAMS_REVOLUTE_02, "Revolute_Case02",
    {
        3.0: ((-1.27810, 9.51078, -19.3171), (-13.8406, -0.618777, 0.618777)),
        5.0: ((2.11895, 9.40977, -19.2164), (-13.7920, 1.02950, -1.02950)),
    },
    {**SIX_DIGITS, "Rforce": 2 * 1.1e-3, "Rtorque": 2 * 1.6e-3},
)  # fmt: skip
SPHERICAL_01 = with_reactions(
    ADAMS_SPHERICAL_01, "Spherical_Case01",
    {3.0: ((9.54040, 0, -3.87148), NONE), 5.0: ((-0.511671, 0, -0.248448), NONE)},
    {"Pos": 2 * 8.4e-4, "Vel": 2 * 2.7e-3, "Avel": 2 * 1.1e-3, "Quat": 2 * 2.1e-4, "Rforce": 2 * 1.3e-2,
     "Rtorque": 1e-6},
)  # fmt: skip
SPHERICAL_02 = with_reactions(
    ADAMS_SPHERICAL_02, "Spherical_Case02",
    {3.0: ((9.54264, -6.69547e-6, -3.87149), NONE), 5.0: ((-0.510211, 8.33421e-6, -0.248253), NONE)},
    {**SIX_DIGITS, "Rforce": 2 * 5.9e-4, "Rtorque": 1e-6},
)  # fmt: skip

DISTANCE_01 = Case(
    partial(adams_distance, (0, 0, 0), (0, 2, 0), (0, 0, 0), 0), stop=5.0, interval=0.01,
    read=partial(adams_reaction_table, "distance_constraint", "Distance_Case01"),
    figures={  # the rod ends in the centre of mass: a point pendulum, the body does not turn
        3.0: {
            "Pos": (0, 1.911804, -0.5873727), "Vel": (0, 0.9968182, 3.244483), "Avel": NONE, "Quat": (1, 0, 0, 0),
            "Rforce": (0, 8.259202, -2.537514), "Rtorque": NONE,
        },
        5.0: {
            "Pos": (0, -1.999998, -0.002779575), "Vel": (0, -0.0003244973, 0.2334878), "Avel": NONE,
            "Quat": (1, 0, 0, 0), "Rforce": (0, -0.04099856, -5.697934e-05), "Rtorque": NONE,
        },
    },
    allowed={"Pos": 1e-6, "Vel": 1e-6, "Avel": 1e-6, "Quat": 1e-6, "Rforce": 2 * 1.4e-3, "Rtorque": 0.0},
)  # fmt: skip

DISTANCE_02 = Case(
    partial(adams_distance, (1, 2, 3), (-1, 4, 3), (2, 0, 0), 0), stop=5.0, interval=0.01,
    read=partial(adams_reaction_table, "distance_constraint", "Distance_Case02"),
    figures={  # a rod at right angles to the body's arm; it pulls with 2730 N at 3.15 s
        3.0: {
            "Pos": (1.360903, 1.667786, 0.09751492), "Vel": (-2.182644, 2.122324, -6.847129),
            "Avel": (2.636671, -0.8002900, -0.4084842), "Quat": (-0.2873346, -0.7541885, -0.2102834, -0.5517422),
            "Rforce": (0.2229234, 0.2159910, -0.3413467), "Rtorque": NONE,
        },
        5.0: {
            "Pos": (0.3652558, 2.664910, -0.7909707), "Vel": (3.343841, -3.542206, -6.618720),
            "Avel": (0.9769322, -8.194841, -0.2503987), "Quat": (0.6396194, -0.4893494, -0.4731699, -0.3571197),
            "Rforce": (-0.5379110, 9.010248, -25.02392), "Rtorque": NONE,
        },
    },
    allowed={
        "Pos": 2 * 1.8e-5, "Vel": 2 * 3.1e-4, "Avel": 2 * 1.4e-3, "Quat": 2 * 1.1e-5, "Rforce": 2 * 1.8e-2,
        "Rtorque": 0.0,
    },
)  # fmt: skip

DISTANCE_03 = Case(
    partial(adams_distance, (0, 0, 0), (0, 4, 0), (2, 0, 0), -90), stop=5.0, interval=0.01,
    read=partial(adams_reaction_table, "distance_constraint", "Distance_Case03"),
    figures={  # rod and arm in one line: a double pendulum in the y-z plane
        3.0: {
            "Pos": (0, -3.560198, -1.820738), "Vel": (0, 2.626411, -5.365937), "Avel": (0.4399818, 0, 0),
            "Quat": (0.1741267, -0.6853320, -0.6853320, -0.1741267), "Rforce": (0, -14.44640, -6.940180),
            "Rtorque": NONE,
        },
        5.0: {
            "Pos": (0, 3.955759, -0.3015866), "Vel": (0, -0.1744120, -2.417635), "Avel": (-0.6303161, 0, 0),
            "Quat": (0.7068680, 0.01837603, 0.01837603, -0.7068680), "Rforce": (0, 0.9489150, -0.1964742),
            "Rtorque": NONE,
        },
    },
    allowed={
        "Pos": 2 * 6.2e-7, "Vel": 2 * 9.6e-7, "Avel": 2 * 2.8e-6, "Quat": 2 * 4.9e-6, "Rforce": 2 * 1.3e-3,
        "Rtorque": 0.0,
    },
)  # fmt: skip

CASES = {
    "IFToMM A02, N = 40, hinges": A02_40,
    "IFToMM A02, N = 40, lines": replace(A02_40, model=partial(a02, 40, "line")),
    "MSL Fourbar1, cut at the ball": MSL_FOURBAR1,
    "MSL Fourbar1, cut at the universal joint": replace(MSL_FOURBAR1, model=partial(msl_fourbar, "universal")),
    "MSL Fourbar1, cut at the slide": replace(MSL_FOURBAR1, model=partial(msl_fourbar, "slide")),
    "MSL Fourbar2": MSL_FOURBAR2,
    "MSL PlanarFourbar, hinge": MSL_PLANAR_FOURBAR,
    "MSL PlanarFourbar, line": replace(MSL_PLANAR_FOURBAR, model=partial(msl_planar_fourbar, mbs.OnLine("z"))),
    "MSL RevoluteConstraint": MSL_REVOLUTE_CONSTRAINT,
    "MSL PrismaticConstraint": MSL_PRISMATIC_CONSTRAINT,
    "ADAMS Revolute 01, tree": REVOLUTE_01,
    "ADAMS Revolute 02, tree": REVOLUTE_02,
    "ADAMS Spherical 01, tree": SPHERICAL_01,
    "ADAMS Spherical 02, tree": SPHERICAL_02,
    "ADAMS Revolute 01, loop": as_loop(REVOLUTE_01),
    "ADAMS Revolute 02, loop": as_loop(REVOLUTE_02),
    "ADAMS Spherical 01, loop": as_loop(SPHERICAL_01),
    "ADAMS Spherical 02, loop": as_loop(SPHERICAL_02),
    "ADAMS Distance 01": DISTANCE_01,
    "ADAMS Distance 02": DISTANCE_02,
    "ADAMS Distance 03": DISTANCE_03,
}
SMALL = {  # without their own table
    "IFToMM A02, N = 2, hinges": A02_2,
    "IFToMM A02, N = 2, lines": replace(A02_2, model=partial(a02, 2, "line")),
    "IFToMM A02, N = 2, equations": replace(A02_2, model=partial(a02, 2, "equations")),
}


def by_name(cases: dict[str, Case]) -> pytest.MarkDecorator:
    """A test for each case; all but the first are slow."""
    return pytest.mark.parametrize("case", tiers(cases, usual=1))


@by_name({**SMALL, **CASES})
def test_published_figures(case: Case) -> None:
    """The motion and its reactions meet the figures in this file."""
    case.check_figures()


@pytest.mark.slow
@by_name(CASES)
def test_published_table(case: Case, reference_folder: Path) -> None:
    """The motion and its reactions meet every row of the published table, which contains the figures in this file."""
    case.check_table(reference_folder)


@by_name({name: case for name, case in {**SMALL, **CASES}.items() if "A02" in name})
def test_a02_is_one_pendulum(case: Case) -> None:
    """All uprights have the same angle, through every singular position: (4N + 1)/3 theta'' = (3N + 1)/2 g sin theta
    from the upright, to 1e-7 m.
    """
    count = case.model.args[0]  # type: ignore[attr-defined]
    rate = (3 * count + 1) / 2 * G_IFTOMM / ((4 * count + 1) / 3)
    span = (0.0, case.stop)
    exact = solve_ivp(
        lambda _, z: (z[1], rate * np.sin(z[0])), span, (0.0, 1.0), "DOP853", case.run.time, rtol=1e-12, atol=1e-13
    ).y[0]
    for quantity, values in (("x", np.sin(exact)), ("y", np.cos(exact))):
        assert_close(case.run[quantity], values, 1e-7, f"{quantity} of the bar", times=case.run.time)


@by_name({"revolute": MSL_REVOLUTE_CONSTRAINT, "prismatic": MSL_PRISMATIC_CONSTRAINT})
def test_joint_and_constraint_move_alike(case: Case) -> None:
    """The tips of the body on the joint and of the body on the closure coincide, to 1e-8 m."""
    assert_close(case.run["apart"], 0.0, 1e-8, "distance of the tips", times=case.run.time)
