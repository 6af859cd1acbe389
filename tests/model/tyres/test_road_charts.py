"""Roads with coordinates of their own: a circular road, located by a state, against the same surface over x and y."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.model.measures.measures import signal
from mbs_fmu.model.roads import Chart, Level, Relief, Uneven, level
from mbs_fmu.symbolic.expressions import Expression, atan2, cos, leaf, sin, sqrt
from mbs_fmu.symbolic.graph import evaluate
from support.models.tyres import car_tyre

RADIUS = 30.0  #: m, of the circular line
DECAY = 0.01  #: s, time within which errors of its contact parameter decay


def waves(u: Expression, v: Expression) -> Relief:
    """Waves of 6 m along a line and a bank across, with their slopes."""
    along, bank = 2.0 * np.pi / 6.0, 0.05
    return Relief(0.01 * sin(along * u) * (1.0 + v) + bank * v, 0.01 * along * cos(along * u) * (1.0 + v),
                  0.01 * sin(along * u) + bank)  # fmt: skip


class Circle(Uneven):
    """Waves along a circle about the origin, travelled to the left; u begins at x = RADIUS."""

    parameters = ("u",)

    def __init__(self) -> None:
        self.at = (0.0, 0.0, 0.0)

    def relief(self, a: Expression, b: Expression) -> Relief:
        return waves(a, b)

    def _frame(self, x: Expression, y: Expression, u: Expression) -> tuple[Expression, ...]:
        """Return the tangent, the distance along it and the distance to the left of a place from the line at u."""
        c, s = cos(u / RADIUS), sin(u / RADIUS)
        return -s, c, -s * x + c * y, RADIUS - c * x - s * y

    def chart(self, x: Expression, y: Expression, parameters: Sequence[Expression] = ()) -> Chart:
        (u,) = parameters
        tx, ty, ahead, v = self._frame(x, y, u)
        stretch = 1.0 - v / RADIUS
        return Chart(u + ahead / stretch, v, tx / stretch, ty / stretch, -ty, tx)

    def followed(self, place: Any, velocity: Any, parameters: Any) -> Sequence[Expression]:
        tx, ty, ahead, v = self._frame(*place, *parameters)
        return ((velocity[0] * tx + velocity[1] * ty + ahead / DECAY) / (1.0 - v / RADIUS),)

    def feet(self, place: Any, parameters: Any) -> Sequence[tuple[Expression, Expression]]:
        _, _, ahead, v = self._frame(*place, *parameters)
        return ((RADIUS * atan2(place[1], place[0]) + 0.5, ahead / (1.0 - v / RADIUS)),)


class Direct(Uneven):
    """The same surface, whose coordinates are x and y."""

    def __init__(self) -> None:
        self.at = (0.0, 0.0, 0.0)

    def relief(self, a: Expression, b: Expression) -> Relief:
        radius = sqrt(a * a + b * b)
        height, along, across = waves(RADIUS * atan2(b, a), RADIUS - radius)
        stretched = along * RADIUS / (radius * radius)
        return Relief(height, -stretched * b - across * a / radius, stretched * a - across * b / radius)


def add_carriage(m: mbs.Model, name: str, road: Uneven) -> None:
    """Add a wheel whose carriage goes around on an arm, 1 m within the line, at 10 m/s; names end with `name`."""
    m.body(f"arm{name}", joint=mbs.Revolute("z"))
    m.drive(f"travel{name}", on=f"arm{name}", position=0.7 + 10.0 / RADIUS * mbs.time)
    m.body(f"slide{name}", f"arm{name}", mbs.Prismatic("z"), mass=400.0, at=(RADIUS - 1.0, 0, 0))
    m.body(f"wheel{name}", f"slide{name}", mbs.Revolute("x"), mass=20.0, inertia=(1.2, 1, 1))
    m.tyre(f"tyre{name}", f"wheel{name}", car_tyre(), side="left", road=road, axis="-x")
    m.start(f"slide{name}", q=0.38)
    m.start(f"wheel{name}", u=-28.0)
    m.output(f"contact{name}", mbs.wheel(f"tyre{name}"))


@pytest.mark.quick
def test_slopes_along_the_axes_are_derivatives_of_the_height() -> None:
    """The Jacobian of the chart turns slopes along the line into those along x and y, at places beside the line."""
    x, y, u = (leaf(name) for name in "xyu")
    rng = np.random.default_rng(1)
    for turn, side in rng.uniform((0.1, -3.0), (3.0, 3.0), (10, 2)):
        at = {"u": RADIUS * turn, "x": (RADIUS - side) * np.cos(turn), "y": (RADIUS - side) * np.sin(turn)}
        found = Level(*(evaluate(value, at) for value in level(Circle(), x, y, [u])))
        want = Level(*(evaluate(value, at) for value in Direct().relief(x, y)))
        np.testing.assert_allclose(found, want, rtol=1e-11, atol=1e-13)


def test_a_road_along_a_line_is_the_same_surface() -> None:
    """The start finds the state of the line, it follows the wheel, and loads and slips are those over x and y."""
    m = mbs.Model("round", gravity=(0, 0, -9.81))
    add_carriage(m, "1", Circle())
    add_carriage(m, "2", Direct())
    m.output("u", signal("tyre1.u"))
    r = mbs.simulate(m, 0.6, method="rk4", step=1e-3, output_interval=0.1)
    np.testing.assert_allclose(r["u"], RADIUS * 0.7 + 10.0 * r.time, rtol=0.0, atol=1e-9)
    for column in ("kappa", "alpha", "gamma", "fz", "fx", "fy", "mz", "loaded_radius"):
        one, other = r[f"contact1.{column}"], r[f"contact2.{column}"]
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9, err_msg=column)
