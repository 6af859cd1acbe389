"""Contacts with uneven ground (docs/contact.md): distances, planes, energy in a valley, tangents, refusals."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

import mbs_fmu as mbs
from support.generators.mechanisms import Plain, random_rotation
from support.oracles.complex_steps import compare_tangents, outputs

LINES = np.linspace(-2.0, 2.0, 17)
HILLS = mbs.HeightField(LINES, LINES, 0.15 * np.sin(1.3 * LINES)[:, None] * np.cos(1.1 * LINES + 0.3)[None, :])
VALLEY = mbs.Profile(LINES, 0.2 * LINES**2)
SHAPES = {
    "point": (0.0, 0.0, 0.0),
    "sphere": mbs.Sphere(0.15),
    "capsule": mbs.Capsule(0.1, 0.3, "x"),
    "box": mbs.Box(0.3, 0.2, 0.1),
}


def falling(ground: object, place: tuple[float, float, float], radius: float, **law: float) -> mbs.Model:
    """Return a ball or a point with a velocity above some ground; outputs: depth, point, force and energy."""
    m = mbs.Model("falling")
    m.body("ball", joint=mbs.Free(), mass=1.0, inertia=(4e-3, 4e-3, 4e-3))
    shape = mbs.Sphere(radius) if radius else (0.0, 0.0, 0.0)
    m.contact("x", "world", "ball", shape_a=ground, shape_b=shape, **({"stiffness": 1e4} | law))  # type: ignore[arg-type]
    m.start("ball", q=(*place, 1, 0, 0, 0), u=(0.3, 0.2, 0, 0, 0, 0))
    m.output("depth", mbs.penetration("x"))
    m.output("point", mbs.contact_point("x"))
    m.output("force", mbs.contact_force("x"))
    m.output("E", mbs.energy())
    return m


@pytest.mark.quick
@pytest.mark.parametrize("place", [(0.3, 0.4), (-0.7, 0.9), (1.1, -0.5)])
def test_depths_of_balls_are_distances_to_the_ground(place: tuple[float, float]) -> None:
    """The depth is the radius minus the least distance of all points of the ground, found by a general minimizer."""
    radius = 0.15
    center = np.array([*place, HILLS.height(*place) + 0.12])

    def square(p: np.ndarray) -> float:
        return float(np.sum((np.array([p[0], p[1], HILLS.height(p[0], p[1])]) - center) ** 2))

    least = minimize(square, place, method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-16}).fun
    found = outputs(Plain(falling(HILLS, tuple(center), radius)))
    assert found["depth"] == pytest.approx(radius - np.sqrt(least), abs=1e-6)
    gap = HILLS.height(*found["point"][:2]) - found["point"][2]
    assert gap == pytest.approx(0.5 * float(found["depth"]), rel=0.1)  # the point lies midway in the overlap


@pytest.mark.quick
@pytest.mark.parametrize("radius", [0.0, 0.15])
def test_even_ground_is_a_plane(radius: float) -> None:
    """A field or profile with a constant slope gives the forces of the tilted plane, to rounding."""
    slope = 0.2
    turned = mbs.Plane((-slope, 0, 1))
    grounds = (mbs.HeightField(LINES, LINES, slope * LINES[:, None] + 0.0 * LINES), mbs.Profile(LINES, slope * LINES))
    place = (0.2, 0.1, 0.04 + radius * 0.95)
    want, *found = (outputs(Plain(falling(g, place, radius, friction=0.5, creep=0.1))) for g in (turned, *grounds))
    for other in found:
        for name in ("depth", "point", "force"):
            np.testing.assert_allclose(other[name], want[name], rtol=1e-9, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("ground", ["field", "profile"])
def test_tangents_on_uneven_ground_equal_complex_steps(shape: str, ground: str) -> None:
    """Along all states, with friction that sticks, for a ground on a body that moves."""
    rng = np.random.default_rng(7)
    m = mbs.Model("moving", gravity=(0, 0, 0))
    for name in "ab":
        m.body(name, joint=mbs.Free(), mass=1.0, inertia=(0.1, 0.2, 0.15))
    m.start("a", q=(0, 0, 0, 1, *(0.1 * rng.normal(size=3))), u=rng.normal(size=6))
    m.start("b", q=(0.1, 0.2, 0.02, 1, *(0.1 * rng.normal(size=3))), u=rng.normal(size=6))
    m.contact(
        "x", "a", "b", shape_a={"field": HILLS, "profile": VALLEY}[ground], shape_b=SHAPES[shape], stiffness=800.0,
        friction=0.4, at_a=mbs.Pose((0, 0, 0.1), random_rotation(rng) if shape == "point" else np.eye(3)),
    )  # fmt: skip
    m.output("E", mbs.energy())
    m.output("force", mbs.contact_force("x"))
    plain = Plain(m)
    compare_tangents(plain, 7, [plain.program.state_slice], "outputs")


def test_a_ball_swings_in_a_valley() -> None:
    """Without friction and damping, the energy of the swing (1.1 J) stays, and the ball never leaves the valley.

    Each round leaves r times the curvature, 0.06, of the error of the foot, at first r times the slope, 0.045 m: three
    leave 1e-5 m, hence 4e-6 of the normal, and over the way of 0.8 m under 10 N work of 3e-5 J.
    """
    m = falling(VALLEY, (0.0, 0.0, 0.15 - 9.81e-5), 0.15, dissipation=0.0, stiffness=1e5)
    m.start("ball", u=(1.5, 0, 0, 0, 0, 0))
    r = mbs.simulate(m, 3.0, method="rk4", step=2e-4, output_interval=0.01)
    assert np.ptp(r["E"]) < 3e-5
    assert r["point"][:, 0].max() > 0.5 > -0.5 > r["point"][:, 0].min() and r["depth"].max() < 1e-3


@pytest.mark.quick
def test_shapes_that_cannot_meet_uneven_ground_are_refused() -> None:
    """The message names both and what can."""
    m = mbs.Model("refused")
    m.body("b", joint=mbs.Free(), mass=1.0, inertia=(1, 1, 1))
    with pytest.raises(
        mbs.ModelError,
        match=r"can't meet the HeightField on a.*HeightField on a meet points, mbs.Sphere, Cap",
    ):
        m.contact("x", "world", "b", shape_a=HILLS, shape_b=mbs.Ring(0.3, 0.1), stiffness=1e3)
