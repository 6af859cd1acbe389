"""Published motions with their tolerances, and the readers and models that several of them share."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

import numpy as np
import pytest

import mbs_fmu as mbs
from support.comparisons import first_difference

G_STANDARD = 9.80665  #: m/s², of ADAMS and of the Modelica Standard Library
G_IFTOMM = 9.81

Table = dict[str, tuple[np.ndarray, np.ndarray]]  #: quantity -> times, values by rows


@dataclass(frozen=True, eq=False)
class Case:
    """A published motion: model, time span and step of the table, quoted figures, table, tolerance.

    allowed: the unit of the last digit by quantity, or the known deviation in position (the first quantity).
    """

    model: Callable[[], mbs.Model]
    stop: float
    interval: float
    figures: dict[float, dict[str, tuple[float, ...]]]
    read: Callable[[Path], Table]
    allowed: dict[str, float] | float

    @cached_property
    def run(self) -> mbs.Result:
        return run(self.model(), self.stop, self.interval)

    def tolerance(self, quantity: str) -> float:
        if isinstance(self.allowed, dict):
            return self.allowed[quantity]
        return 2 * self.allowed * self._range(quantity) / self._range(next(iter(self.figures[self.stop])))

    def check(self, quantity: str, times: np.ndarray, values: np.ndarray) -> None:
        """Assert that the motion meets published values; the sign of a quaternion is free."""
        rows = np.rint(times / self.interval).astype(int)
        assert self.run.time[rows] == pytest.approx(times, abs=1e-9)
        actual = self.run[quantity][rows].reshape(values.shape)
        if quantity == "Quat":
            values = values * np.sign(np.sum(actual * values, axis=1, keepdims=True))
        bound = self.tolerance(quantity)
        assert np.abs(actual - values).max() <= bound, first_difference(actual, values, bound, quantity, times=times)

    def check_figures(self) -> None:
        """Assert that the motion meets the quoted figures."""
        for time, quantities in self.figures.items():
            for quantity, values in quantities.items():
                self.check(quantity, np.array([time]), np.array([values]))

    def check_table(self, folder: Path) -> None:
        """Assert that the motion meets every row of the published table, and that the table holds the figures."""
        for quantity, (times, values) in self.read(folder).items():
            self.check(quantity, times, values)
            for time, quoted in self.figures.items():
                row = values[np.argmin(np.abs(times - time))]
                assert quoted[quantity] == pytest.approx(row, rel=1e-8, abs=1e-8)

    def _range(self, quantity: str) -> float:
        return float(np.max(np.ptp(self.run[quantity], axis=0)))


def run(model: mbs.Model, stop: float, interval: float) -> mbs.Result:
    """Result whose own error (about 1e-9) is below every published digit."""
    return mbs.simulate(model, stop, method="dopri5", rtol=1e-11, atol=1e-13, output_interval=interval)


def about_x(degrees: float) -> np.ndarray:
    """Rotation about x, from new to old coordinates."""
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return np.array([[1, 0, 0], [0, c, -s], [0, s, c]])


def msl_table(file: str, columns: dict[str, list[str]], folder: Path) -> Table:
    """Quantities from named columns of a result file."""
    path = folder / "msl" / file
    with open(path, encoding="utf-8") as lines:
        names = next(csv.reader(lines))
    data = np.loadtxt(path, delimiter=",", skiprows=1)
    return {quantity: (data[:, 0], data[:, [names.index(x) for x in among]]) for quantity, among in columns.items()}


SIX_DIGITS = {"Pos": 1e-5, "Vel": 1e-5, "Avel": 1e-5, "Quat": 1e-6}  #: values of 1..10, quaternions below 1


def adams(joint: Callable[[], mbs.Joint], place: tuple[float, float, float], degrees: float) -> mbs.Model:
    """1 kg, 2 m along its own x axis from a joint at `place`, turned about x; released at rest."""
    m = mbs.Model("adams", gravity=(0, 0, -G_STANDARD))
    com = (2.0, 0.0, 0.0)
    body = m.body(
        "body", joint=joint(), mass=1.0, com=com, inertia=(0.04, 0.1, 0.1), at=mbs.Pose(place, about_x(degrees))
    )
    m.output("Pos", mbs.position(body, com))
    m.output("Vel", mbs.velocity(body, com))
    m.output("Avel", mbs.angular_velocity(body))
    m.output("Quat", mbs.orientation(body))
    return m


def adams_table(stem: str, folder: Path) -> Table:
    """Table of files with one quantity each and three header lines."""
    kind = stem.partition("_")[0].lower()
    files = {x: folder / "adams" / f"{kind}_joint" / f"{stem}_ADAMS_{x}.txt" for x in ("Pos", "Vel", "Avel", "Quat")}
    data = {quantity: np.loadtxt(path, skiprows=3) for quantity, path in files.items()}
    return {quantity: (rows[:, 0], rows[:, 1:]) for quantity, rows in data.items()}


ADAMS_REVOLUTE_01 = Case(
    partial(adams, mbs.Revolute, (0, 0, 0), -90), stop=5.0, interval=0.01,
    read=partial(adams_table, "Revolute_Case01"),
    figures={
        3.0: {
            "Pos": (1.86917, 0, -0.711481), "Vel": (1.31259, 0, 3.44837), "Avel": (0, -1.84487, 0),
            "Quat": (0.695447, -0.695447, 0.127882, 0.127882),
        },
        5.0: {
            "Pos": (-1.99968, 0, -0.0355587), "Vel": (-0.0146657, 0, 0.824742), "Avel": (0, 0.412436, 0),
            "Quat": (0.00628621, -0.00628621, 0.707079, 0.707079),
        },
    },
    allowed=SIX_DIGITS,
)  # fmt: skip

ADAMS_REVOLUTE_02 = Case(
    partial(adams, mbs.Revolute, (1, 2, 3), -45), stop=5.0, interval=0.01,
    read=partial(adams_table, "Revolute_Case02"),
    figures={
        3.0: {
            "Pos": (0.873800, 3.41140, 1.58860), "Vel": (5.18646, 0.231873, -0.231873), "Avel": (0, -1.83735, -1.83735),
            "Quat": (0.632335, -0.261922, 0.279005, 0.673577),
        },
        5.0: {
            "Pos": (1.20996, 3.40640, 1.59360), "Vel": (-5.15895, 0.385088, -0.385088), "Avel": (0, 1.83410, 1.83410),
            "Quat": (0.686717, -0.284447, 0.256001, 0.618040),
        },
    },
    allowed=SIX_DIGITS,
)  # fmt: skip

ADAMS_SPHERICAL_01 = Case(
    partial(adams, mbs.Spherical, (0, 0, 0), 0), stop=5.0, interval=0.01,
    read=partial(adams_table, "Spherical_Case01"),
    figures={
        3.0: {
            "Pos": (1.86912, 0, -0.711623), "Vel": (1.31258, 0, 3.44746), "Avel": (0, -1.84444, 0),
            "Quat": (0.983503, 0, 0.180890, 0),
        },
        5.0: {
            "Pos": (-1.99967, 0, -0.0361929), "Vel": (-0.0148923, 0, 0.822711), "Avel": (0, 0.411423, 0),
            "Quat": (0.00904859, 0, 0.999959, 0),
        },
    },
    allowed=8e-4,  # m: a coarser run of ADAMS, which differs by that from the same motion in Revolute 01
)  # fmt: skip

ADAMS_SPHERICAL_02 = Case(
    partial(adams, mbs.Spherical, (1, 2, 3), -45), stop=5.0, interval=0.01,
    read=partial(adams_table, "Spherical_Case02"),
    figures={
        3.0: {
            "Pos": (2.86917, 2, 2.28852), "Vel": (1.31259, 0, 3.44837), "Avel": (0, -1.84487, 0),
            "Quat": (0.908645, -0.376373, 0.167086, 0.0692092),
        },
        5.0: {
            "Pos": (-0.999684, 2, 2.96444), "Vel": (-0.0146657, 0, 0.824742), "Avel": (0, 0.412436, 0),
            "Quat": (0.00821332, -0.00340207, 0.923843, 0.382668),
        },
    },
    allowed=SIX_DIGITS,
)  # fmt: skip


def body_columns(n: int, suffix: str = "") -> dict[str, list[str]]:
    """Columns of position, velocity and angular velocity (body axes) of a body."""
    columns = (("r", f"body{n}.frame_a.r_0"), ("v", f"body{n}.v_0"), ("w", f"body{n}.w_a"))
    return {f"{x}{suffix}": [f"{column}[{k}]" for k in (1, 2, 3)] for x, column in columns}


def body_outputs(m: mbs.Model, body: mbs.Body, suffix: str = "") -> None:
    m.output(f"r{suffix}", mbs.position(body))
    m.output(f"v{suffix}", mbs.velocity(body))
    m.output(f"w{suffix}", [mbs.rate(body, k) for k in (4, 5, 6)])
