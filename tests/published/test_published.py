"""Published motions and closed-form solutions.

Every case has two tests: a few published figures as numbers in this file, and the whole published table if the
environment variable MBS_FMU_REFERENCE names the folder of the tables. The tolerance follows from the publication in
one of two ways:

- by digits: one unit of the last printed digit (rounding takes half of it);
- by deviation: where the published solution is less accurate than its digits, twice its deviation in position from
  an independent, converged solution; other quantities in proportion to their ranges.
"""

from __future__ import annotations

import csv
import math
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import ellipj, ellipk

import mbs_fmu as mbs
from support.cases import tiers
from support.oracles.published_results import (
    ADAMS_REVOLUTE_01,
    ADAMS_REVOLUTE_02,
    ADAMS_SPHERICAL_01,
    ADAMS_SPHERICAL_02,
    G_IFTOMM,
    G_STANDARD,
    Case,
    Table,
    msl_table,
    run,
)

# -- IFToMM library of computational benchmark problems ----------------------------------------------


def a01() -> mbs.Model:
    """A01, simple pendulum: 1 kg at the end of a massless metre, released from (-1, 0) m at rest."""
    m = mbs.Model("a01", gravity=(0, -G_IFTOMM, 0))
    bob = m.body("bob", joint=mbs.Revolute("z"), mass=1.0, com=(-1, 0, 0))
    m.output("r", mbs.position(bob, (-1, 0, 0))[:2])
    return m


def a01_table(folder: Path) -> Table:
    """x, y of the bob, m."""
    data = np.loadtxt(folder / "iftomm" / "A01_pendulum_reference.csv", delimiter=",")
    return {"r": (data[:, 0], data[:, 1:])}


A01 = Case(
    a01, stop=10.0, interval=0.5, read=a01_table,
    figures={  # the library's reference solution as redrawn in RehabEngGroup/MBSbenchmarksInOpenSim
        1.0: {"r": (0.986292, -0.165011)},
        5.0: {"r": (-0.942305, -0.334754)},
        10.0: {"r": (-0.275087, -0.961419)},
    },
    allowed={"r": 1e-6},  # six decimals
)  # fmt: skip


# -- Modelica Standard Library, MultiBody.Examples.Elementary, run by Dymola with tolerance 1e-6 ------


def msl_pendulum() -> mbs.Model:
    """Pendulum: 1 kg half a metre along x from a damped hinge about z, default inertia 0.001 kg m²."""
    m = mbs.Model("msl_pendulum", gravity=(0, -G_STANDARD, 0))
    body = m.body("rev", joint=mbs.Revolute("z"), mass=1.0, com=(0.5, 0, 0), inertia=(0.001, 0.001, 0.001))
    m.spring("damper", on=body, damping=0.1)
    return m


def msl_double_pendulum() -> mbs.Model:
    """DoublePendulum: two steel boxes of 0.5 x 0.06 x 0.06 m, hinges about z, the first one damped."""
    m = mbs.Model("msl_double_pendulum", gravity=(0, -G_STANDARD, 0))
    length, width, density = 0.5, 0.06, 7700.0
    mass = density * length * width**2
    across = mass * (length**2 + width**2) / 12
    box: dict[str, Any] = {"mass": mass, "com": (length / 2, 0, 0), "inertia": (mass * width**2 / 6, across, across)}
    first = m.body("revolute1", joint=mbs.Revolute("z"), **box)
    m.body("revolute2", first, mbs.Revolute("z"), at=(length, 0, 0), **box)
    m.spring("damper", on=first, damping=0.1)
    return m


def msl_free_body() -> mbs.Model:
    """FreeBody: 1 kg with unit inertia on two springs of no free length; angular velocity in body axes."""
    m = mbs.Model("msl_free_body", gravity=(0, -G_STANDARD, 0))
    body = m.body("body", joint=mbs.Free(), mass=1.0, com=(0.2, 0, 0), inertia=(1, 1, 1))
    m.spring("spring1", "world", body, stiffness=20.0)
    m.spring("spring2", "world", body, at_a=(0.8, 0, 0), at_b=(0.4, 0, 0), stiffness=20.0)
    c, s = math.cos(math.radians(5)), math.sin(math.radians(5))  # half of 10 degrees about x, new y, new z
    attitude = (c**3 - s**3, s * c * (c + s), s * c * (c - s), s * c * (c + s))
    m.start(body, q=(0.2, -0.5, 0.1, *attitude))
    m.output("r", mbs.position(body))
    m.output("v", mbs.velocity(body))
    m.output("w", [mbs.rate(body, k) for k in (4, 5, 6)])
    return m


MSL_PENDULUM = Case(
    msl_pendulum, stop=5.0, interval=0.025,
    read=partial(msl_table, "Elementary_Pendulum.csv", {x: [x] for x in ("rev.phi", "rev.w")}),
    figures={  # Modelica Association's reference results
        0.5: {"rev.phi": (-1.94693001,), "rev.w": (-5.38171288,)},
        2.5: {"rev.phi": (-2.36978478,), "rev.w": (2.00916249,)},
        5.0: {"rev.phi": (-1.67963464,), "rev.w": (-2.31814703,)},
    },
    allowed=4e-5,  # not stated: that of DoublePendulum, same program and tolerance
)  # fmt: skip

DOUBLE = ("revolute2.phi", "revolute2.w", "revolute1.phi", "revolute1.w")
MSL_DOUBLE_PENDULUM = Case(
    msl_double_pendulum, stop=3.0, interval=0.015,
    read=partial(msl_table, "Elementary_DoublePendulum.csv", {x: [x] for x in DOUBLE}),
    figures={
        0.15: dict(zip(DOUBLE, ((0.347914159,), (4.01569361,), (-0.274468359,), (-3.47702252,)), strict=True)),
        3.0: dict(zip(DOUBLE, ((-1.73649167,), (-0.0503767046,), (-2.31792856,), (4.09411020,)), strict=True)),
    },
    allowed=4e-5,  # rad at 3 s
)  # fmt: skip

MSL_FREE_BODY = Case(
    msl_free_body, stop=10.0, interval=0.05,
    read=partial(
        msl_table, "Elementary_FreeBody.csv",
        {
            "r": [f"body.body.frame_a.r_0[{k}]" for k in (1, 2, 3)],
            "v": [f"body.v_0[{k}]" for k in (1, 2, 3)],
            "w": [f"body.body.w_a[{k}]" for k in (1, 2, 3)],
        },
    ),
    figures={
        0.5: {
            "r": (0.208423411, -0.0559264742, -0.0548308915),
            "v": (-0.0113139908, 0.0274233511, -0.0287755052),
            "w": (0.0, -0.243062230, -0.239369568),
        },
        10.0: {
            "r": (0.196093624, -0.462570383, 0.0806099097),
            "v": (0.0248647549, 0.484389705, -0.141620034),
            "w": (0.0, 0.267862547, 0.263793113),
        },
    },
    allowed=6e-5,  # m
)  # fmt: skip


# -- MSC ADAMS, six digits, as kept in projectchrono/chrono, src/tests/unit_tests/joints -------------


CASES = {
    "IFToMM A01": A01,
    "MSL Pendulum": MSL_PENDULUM,
    "MSL DoublePendulum": MSL_DOUBLE_PENDULUM,
    "MSL FreeBody": MSL_FREE_BODY,
    "ADAMS Revolute 01": ADAMS_REVOLUTE_01,
    "ADAMS Revolute 02": ADAMS_REVOLUTE_02,
    "ADAMS Spherical 01": ADAMS_SPHERICAL_01,
    "ADAMS Spherical 02": ADAMS_SPHERICAL_02,
}
every_case = pytest.mark.parametrize("case", tiers(CASES, usual=1))


@every_case
def test_published_figures(case: Case) -> None:
    """The motion meets the figures in this file."""
    case.check_figures()


@every_case
def test_published_table(case: Case, reference_folder: Path) -> None:
    """The motion meets every row of the published table, which contains the figures in this file."""
    case.check_table(reference_folder)


# -- closed forms ------------------------------------------------------------------------------------

#: Euler's top with inertia (1, 2, 3) kg m² from ω = (1, 0, 1) rad/s: Jacobi's cn, sn, dn of t with k² = 1/3
TOP = {1: (0.57780247181208, 0.816176637479811, 0.882015815510536),
       10: (-0.921069998444332, 0.389397044115332, 0.974400660583082)}  # fmt: skip
TOP_PERIOD = 6.93566754103174  #: s, 4 K(k)
PENDULUM_PERIOD = 2.36784194757624  #: s, A01 from the horizontal: 4 K(sin 45°) sqrt(l/g)


@cache
def top_model() -> mbs.Model:
    """A free top: a ball at its centre of mass, no gravity."""
    m = mbs.Model("top", gravity=(0, 0, 0))
    top = m.body("top", joint=mbs.Spherical(), mass=1.0, inertia=(1, 2, 3))
    m.start(top, u=(1, 0, 1))
    return m


def top_rates(result: mbs.Result) -> np.ndarray:
    """Angular velocity in body axes, rad/s."""
    return np.column_stack([result[f"top.u[{k}]"] for k in (1, 2, 3)])


def test_asymmetric_top_figures() -> None:
    """ω at 1 s and 10 s, and after a period, to 1e-9 rad/s."""
    w = top_rates(run(top_model(), 10.0, 1.0))
    for time, figures in TOP.items():
        assert w[time] == pytest.approx(figures, abs=1e-9)
    assert top_rates(run(top_model(), TOP_PERIOD, TOP_PERIOD))[-1] == pytest.approx((1, 0, 1), abs=1e-9)


def test_asymmetric_top_is_jacobi_elliptic() -> None:
    """ω(t) = (cn t, sn t, dn t) with k² = 1/3, to 1e-9 rad/s all along."""
    result = run(top_model(), 10.0, 0.1)
    sn, cn, dn, _ = ellipj(result.time, 1 / 3)
    assert np.abs(top_rates(result) - np.column_stack([cn, sn, dn])).max() <= 1e-9
    assert pytest.approx(TOP_PERIOD, rel=1e-14) == 4 * ellipk(1 / 3)


def test_pendulum_period_from_the_horizontal() -> None:
    """Every quarter of 4 K(sin 45°) sqrt(l/g) is a quarter of the swing, to 1e-9 rad and rad/s."""
    result = run(a01(), PENDULUM_PERIOD, PENDULUM_PERIOD / 4)
    speed = math.sqrt(2 * G_IFTOMM)
    assert result["bob.phi"] == pytest.approx(np.array([0, 0.5, 1, 0.5, 0]) * math.pi, abs=1e-9)
    assert result["bob.w"] == pytest.approx(np.array([0, 1, 0, -1, 0]) * speed, abs=1e-9)
    assert pytest.approx(PENDULUM_PERIOD, rel=1e-14) == 4 * ellipk(0.5) / math.sqrt(G_IFTOMM)


def test_closed_form_table(reference_folder: Path) -> None:
    """The figures in this file are those of the table of closed forms."""
    with open(reference_folder / "closed_forms" / "closed_forms.csv", encoding="utf-8") as lines:
        table = {row[0]: row[2] for row in csv.reader(lines)}
    for time, figures in TOP.items():
        assert figures == tuple(float(table[f"asym_top_w{k}_t{time}"]) for k in (1, 2, 3))
    assert float(table["pendulum_period_from_horizontal"]) == PENDULUM_PERIOD
