"""Uneven ground on pages: height fields that contacts and tyres touch."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
import pytest
from scipy.interpolate import RectBivariateSpline

import mbs_fmu as mbs
from mbs_fmu.symbolic.arrays import values_along
from mbs_fmu.symbolic.expressions import leaf
from mbs_fmu.symbolic.graph import evaluate
from mbs_fmu.view.animation import animation_data
from mbs_fmu.view.stage import MOST_FACES
from mbs_fmu.view.terrain import MANY, Surface

pytestmark = [pytest.mark.quick, pytest.mark.usefixtures("in_plain_python")]


def field(count: int = 11) -> mbs.HeightField:
    """Waves of 2 cm on a square of 10 m."""
    x, y = np.linspace(-5.0, 5.0, count), np.linspace(-5.0, 5.0, count)
    return mbs.HeightField(x, y, 0.02 * np.sin(x)[:, None] * np.cos(y)[None, :])


def ball(surface: Any) -> mbs.Model:
    """Two balls on a surface."""
    m = mbs.Model("balls")
    for k in range(2):
        m.body(f"ball{k}", joint=mbs.Free(), mass=1.0, inertia=(1e-3, 1e-3, 1e-3))
        m.start(f"ball{k}", q=(0.3 * k, 0, 0.05, 1, 0, 0, 0))
    m.ground("ground", {"ball0": mbs.Sphere(0.05), "ball1": mbs.Sphere(0.05)}, surface=surface, at=(0, 0, -0.02),
             stiffness=1e4)  # fmt: skip
    return m


def data_of(m: mbs.Model) -> dict[str, Any]:
    """The data of a page of a short run."""
    result = mbs.simulate(m, 0.02, method="rk4", step=2e-3, output_interval=0.01)
    return animation_data(result.recorded(m))


def numbers(text: str, kind: str) -> np.ndarray:
    return np.frombuffer(base64.b64decode(text), kind)


@pytest.mark.parametrize("shape", [(400, 500), (20000, 5), (3, 50000)])
def test_large_fields_are_drawn_with_some_of_their_lines(shape: tuple[int, int]) -> None:
    """The first and the last lines among them, at their heights; the number of faces is bounded."""
    x, y = (np.linspace(-1.0, 2.0, n) for n in shape)
    road = mbs.HeightField(x, y, np.random.default_rng(0).normal(size=shape))
    parts = Surface(road).triangles()
    vertices = parts[0].vertices
    assert sum(len(part.faces) for part in parts) <= MANY * MOST_FACES and len(vertices) > 0.4 * MANY * MOST_FACES
    i, j = (np.rint((vertices[:, k] + 1.0) / 3.0 * (n - 1)).astype(int) for k, n in enumerate(shape))
    assert np.allclose(vertices, np.stack([x[i], y[j], road.heights[i, j]], axis=1), rtol=0, atol=1e-12)
    assert [i.min(), i.max(), j.min(), j.max()] == [0, shape[0] - 1, 0, shape[1] - 1]


@pytest.mark.parametrize("count", [11, 90])
def test_pages_show_height_fields(count: int) -> None:
    """Once, at its place, with at most as many faces as a page may have; the scene is that of the balls."""
    data, surface = data_of(ball(field(count))), field(count)
    parts = data["bodies"][0]["shapes"]
    assert [part["mesh"] for part in parts] == [0, 1] and parts[0]["color"] != parts[1]["color"]
    assert all(x["kind"] == "mesh" and x["ground"] and x["position"] == [0.0, 0.0, -0.02] for x in parts)
    vertices = numbers(data["meshes"][0]["vertices"], "<f4").reshape(-1, 3)
    assert np.array_equal(vertices, numbers(data["meshes"][1]["vertices"], "<f4").reshape(-1, 3))
    faces = np.concatenate([numbers(mesh["faces"], "<u4").reshape(-1, 3) for mesh in data["meshes"]])
    assert len(np.unique(faces, axis=0)) == len(faces) == 2 * (len(np.unique(vertices[:, 0])) - 1) ** 2
    assert len(faces) <= MOST_FACES and faces.max() == len(vertices) - 1
    x, y = np.unique(vertices[:, 0]), np.unique(vertices[:, 1])
    assert len(x) >= count and np.allclose([x[0], x[-1], y[0], y[-1]], [-5, 5, -5, 5])
    for k in np.random.default_rng(0).choice(len(vertices), 20):
        a, b, height = vertices[k].astype(float)
        assert height == pytest.approx(surface.height(np.clip(a, -5, 5), np.clip(b, -5, 5)), abs=1e-6)
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    assert np.cross(b - a, c - a)[:, 2].min() > 0.0  # upward
    assert data["size"] == pytest.approx(data_of(ball(mbs.Plane("z")))["size"], rel=0.1)


def test_a_field_of_one_square() -> None:
    """It has one colour, and no empty part."""
    m = ball(mbs.HeightField([-1.0, 1.0], [-1.0, 1.0], [[0.0, 0.1], [0.0, 0.1]]))
    m.start("ball1", q=(0.3, 0, 0.3, 1, 0, 0, 0))
    m.start("ball0", q=(0, 0, 0.3, 1, 0, 0, 0))
    assert len(data_of(m)["meshes"]) == 1


def test_shapes_of_the_world_replace_it() -> None:
    """As all shapes that contacts imply."""
    m = ball(field())
    m.shape("world", mbs.Box(1, 1, 1))
    assert [part["kind"] for part in data_of(m)["bodies"][0]["shapes"]] == ["box"]


@pytest.mark.usual
def test_tyres_show_their_road() -> None:
    """Two tyres on one road show it once."""
    tyre = mbs.Tyre.linear(8e4, 6e4, 1.0, radius=0.3, stiffness=2e5)
    for road, count in ((field(), 2), (mbs.Profile([0, 1, 2], [0, 0.1, 0]), 2)):
        m = mbs.Model("cart")
        m.body("cart", joint=mbs.Free(), mass=100.0, inertia=(10, 10, 10))
        for k in range(2):
            m.body(f"wheel{k}", "cart", mbs.Revolute("y"), mass=10.0, inertia=(1, 1, 1), at=(k, 0, 0))
            m.tyre(f"tyre{k}", f"wheel{k}", tyre, road=road)
        m.start("cart", q=(0, 0, 0.3, 1, 0, 0, 0))
        assert len(animation_data(mbs.simulate(m, 2e-3, method="rk4", step=1e-3).recorded(m))["meshes"]) == count


def test_pages_show_strips_of_profiles() -> None:
    """A strip has the heights of the profile, from its first to its last point, and lies below the balls."""
    x = np.linspace(-2.0, 3.0, 40)
    road = mbs.Profile(x, 0.02 * np.sin(5.0 * x), at=mbs.Pose((0, 0, 0), mbs.rpy(0, 0, 0.5 * np.pi)))  # along world y
    data = data_of(ball(road))
    assert all(part["kind"] == "mesh" and part["ground"] for part in data["bodies"][0]["shapes"])
    vertices = numbers(data["meshes"][0]["vertices"], "<f4").reshape(-1, 3).astype(float)
    assert np.isin(x.astype("<f4"), vertices[:, 0]).all()
    assert np.allclose([vertices[:, 0].min(), vertices[:, 0].max()], [-2.0, 3.0])
    assert np.allclose(vertices[:, 2], [road.height(a) for a in vertices[:, 0]], atol=1e-6)
    low, high = np.unique(vertices[:, 1])
    assert low < -0.3 - 0.05 and high > 0.05, "the balls are at the world's x = 0 and 0.3, the road's y = 0 and -0.3"
    faces = np.concatenate([numbers(mesh["faces"], "<u4").reshape(-1, 3) for mesh in data["meshes"]])
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    doubled = np.cross(b - a, c - a)[:, 2]
    assert doubled.min() > 0.0, "upward"
    assert doubled.sum() / 2 == pytest.approx(5.0 * (high - low), rel=1e-6), "no gap and no overlap"


def test_strips_follow_bodies_beyond_the_ends() -> None:
    """A road continues with constant slope, and so does its picture."""
    vertices = numbers(data_of(ball(mbs.Profile([0.0, 0.2], [0.0, 0.0])))["meshes"][0]["vertices"], "<f4").reshape(
        -1, 3
    )
    assert vertices[:, 0].min() < 0.0 and vertices[:, 0].max() > 0.3


def test_surfaces_at_many_places() -> None:
    """Values along arrays are those of single places, and of another library; none where places are not finite."""
    surface = field(30)
    law = surface.relief(leaf("x"), leaf("y"))
    rng = np.random.default_rng(1)
    places = {name: rng.uniform(-6.0, 6.0, 40) for name in "xy"}
    found = values_along([*law], 40, places.__getitem__)
    for k in range(40):
        one = [evaluate(e, {name: float(values[k]) for name, values in places.items()}) for e in law]
        np.testing.assert_allclose(found[k], one, rtol=0, atol=1e-15)
    x, y, heights = surface.refined(3)
    other = RectBivariateSpline(*(np.linspace(-5.0, 5.0, 30),) * 2, surface.heights)
    inner = slice(30, -30)  # end conditions differ at the border
    np.testing.assert_allclose(heights[inner, inner], other(x, y)[inner, inner], atol=1e-8)
    places["x"][3] = np.nan
    assert np.isnan(values_along([law.height], 40, places.__getitem__)[3, 0])


def test_pages_show_curved_grids() -> None:
    """Places of the line's squares have its heights; a large grid has no more faces than a page may have."""
    u, v = 0.05 * np.arange(4001), np.linspace(-3.0, 3.0, 61)
    heights = 0.05 * np.sin(u)[:, None] * np.cos(v)
    road = mbs.CurvedGrid(u, v, heights, 100.0 * np.sin(u / 100.0), 100.0 - 100.0 * np.cos(u / 100.0), at=(0, 0, 0.1))
    m = mbs.Model("wheel")
    m.body("car", joint=mbs.Prismatic("z"), mass=100.0)
    m.body("wheel", "car", mbs.Revolute("y"), mass=1.0, inertia=(1, 1, 1))
    m.tyre("tyre", "wheel", mbs.Tyre.linear(8e4, 8e4, 0.9, radius=0.3, stiffness=2e5), road=road)
    m.start("car", q=0.5)
    data = data_of(m)
    parts = [shape for body in data["bodies"] for shape in body["shapes"] if shape.get("ground")]
    assert [part["mesh"] for part in parts] == [0, 1] and parts[0]["position"] == [0.0, 0.0, 0.1]
    faces = np.concatenate([numbers(mesh["faces"], "<u4").reshape(-1, 3) for mesh in data["meshes"]])
    assert 0.5 * MOST_FACES < len(faces) <= MOST_FACES
    vertices = numbers(data["meshes"][0]["vertices"], "<f4").reshape(-1, 3)
    angle = np.arctan2(vertices[:, 0], 100.0 - vertices[:, 1])
    away = 100.0 - np.hypot(vertices[:, 0], 100.0 - vertices[:, 1])
    assert np.allclose(vertices[:, 2], 0.05 * np.sin(100.0 * angle) * np.cos(away), rtol=0, atol=2e-4)
    assert len(np.unique(vertices[:, :2], axis=0)) == len(vertices) and angle.max() > 1.9
