"""Elastic bodies drawn as their meshes: data of pages, thinning, and files of glTF."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from view.test_gltf import parts, rows, turned
from view.test_page import decoded, page_data

import mbs_fmu as mbs
from mbs_fmu.elastic.modes import Modes
from mbs_fmu.elastic.surfaces import Surface
from mbs_fmu.pages.showing import at_start
from mbs_fmu.run.results.results import Result
from mbs_fmu.view.animation import animation_data
from mbs_fmu.view.icon import icon
from mbs_fmu.view.poses import poses
from mbs_fmu.view.surfaces import MOST, thinned, triangles
from support.comparisons import assert_close

pytestmark = pytest.mark.quick


def sheet(counts: tuple[int, int], modes: int = 2) -> Surface:
    """A square in the plane z = 0 with modes that bend it, in proportion to x² and xy."""
    x, y = np.meshgrid(*(np.linspace(0.0, 1.0, k + 1) for k in counts), indexing="ij")
    points = np.column_stack([x.ravel(), y.ravel(), 0.0 * x.ravel()])
    index = np.arange(x.size).reshape(x.shape)
    a, b, c, d = (i.ravel() for i in (index[:-1, :-1], index[1:, :-1], index[1:, 1:], index[:-1, 1:]))
    faces = np.concatenate([np.column_stack([a, b, c]), np.column_stack([a, c, d])])
    shapes = np.zeros((len(points), 3, modes))
    shapes[:, 2, 0], shapes[:, 2, 1] = points[:, 0] ** 2, points[:, 0] * points[:, 1]
    return Surface(points, faces, shapes)


def bodies() -> Modes:
    """A beam whose surface has a vertex on each of its nodes, which moves as the node does to first order."""
    rod = mbs.beam(
        1.0, mbs.Rectangle(0.02, 0.01), 2.1e11, 7800.0, modes=10, nodes={"root": 0.0, "mid": 0.4, "tip": 1.0}
    )
    places = np.array([node.position for node in rod.nodes.values()])
    shapes = np.array([node.Y1[:3] for node in rod.nodes.values()])
    surface = Surface(places, np.array([[0, 1, 2]]), shapes)
    return Modes(rod.inertia, rod.stiffness, rod.damping, rod.nodes, surface=surface)


def moving(root: str | None, amplitude: float, count: int = 20) -> Result:
    """A made-up motion of an arm, with the elastic body on it or free."""
    m = mbs.Model("bent")
    arm = m.body("arm", joint=mbs.Revolute("y"), mass=1.0, inertia=(1, 1, 1), shape=mbs.Sphere(0.1))
    part = m.body("part", arm, mbs.Revolute("x"), at=(0.3, 0.1, 0), elastic=bodies(), root=root)
    rng = np.random.default_rng(5)
    time = np.linspace(0.0, 1.0, count)
    names = ["time", "arm.phi", "part.phi", *(f"part.xi[{k + 1}]" for k in range(part.elastic.modes.count))]
    data = np.column_stack([time, *(rng.normal(size=(2, count))), amplitude * rng.normal(size=(count, len(names) - 3))])
    return Result("bent", names, data, {}, {}, model=m)


def at_nodes(result: Result) -> np.ndarray:
    """Places of the body's nodes in all rows, (rows, nodes, 3), to first order in the modes."""
    model = result.model
    assert model is not None
    frames = poses(model, result.recorded(model).rows)
    elastic = model.bodies["part"].elastic
    assert elastic is not None
    names = ["part" if name == elastic.root else f"part.{name}" for name in elastic.modes.nodes]
    return np.stack([frames[name].x for name in names], axis=1)


@pytest.mark.parametrize("root", ("root", "tip"))
@pytest.mark.parametrize("amplitude", (1e-3, 1e-4))
def test_vertices_of_gltf_are_at_the_nodes(tmp_path: Path, amplitude: float, root: str) -> None:
    """Morphed and moved vertices lie at the nodes, apart from terms of second order in the modes."""
    result = moving(root, amplitude)
    file, raw = parts(result.to_gltf(tmp_path / "bent.glb"))
    index = max(k for k, node in enumerate(file["nodes"]) if node["name"] == "part")
    (mesh,) = file["meshes"][file["nodes"][index]["mesh"]]["primitives"]
    points = rows(file, raw, mesh["attributes"]["POSITION"])
    targets = np.array([rows(file, raw, target["POSITION"]) for target in mesh["targets"]])
    assert [file["accessors"][k]["count"] for k in (mesh["indices"], mesh["attributes"]["POSITION"])] == [3, 3]
    animation = file["animations"][0]
    outputs = {
        channel["target"]["path"]: rows(file, raw, animation["samplers"][channel["sampler"]]["output"])
        for channel in animation["channels"]
        if channel["target"]["node"] == index
    }
    xi = outputs["weights"].reshape(-1, len(targets))
    local = points + np.einsum("ra,akx->rkx", xi, targets)
    placed = [outputs["translation"] + turned(outputs["rotation"], local[:, k]) for k in range(3)]
    second = 300.0 * amplitude**2  # of ten modes with slopes of up to 20 per length
    assert_close(np.stack(placed, axis=1), at_nodes(result), second + 1e-6, "vertices")  # single precision
    assert file["nodes"][index]["weights"] == pytest.approx(xi[0], rel=1e-6)


def test_data_of_pages() -> None:
    """A body without shapes has its mesh, in place of bars; coordinates of its modes are those of the result."""
    result = moving("root", 1e-3)
    assert result.model is not None
    data = animation_data(result.recorded(result.model))
    (surface,) = data["surfaces"]
    assert data["beams"] == [] and surface["name"] == "part" and len(surface["nodes"]) == 3
    assert decoded(surface["vertices"]).size == 9 and decoded(surface["shapes"]).size == 9 * surface["modes"]
    xi = decoded(surface["xi"]).reshape(len(result.data), surface["modes"])
    assert_close(xi, result.data[:, 3:], 1e-9, "coordinates of the modes")
    result.model.shape("part", mbs.Sphere(0.1))
    assert animation_data(result.recorded(result.model))["surfaces"] == []


@pytest.mark.parametrize("root", ("root", "tip"))
def test_icons(root: str) -> None:
    """Triangles in the first row have their corners at the nodes; the icon of a model of a mesh alone is not empty."""
    result = moving(root, 1e-4)
    assert result.model is not None
    recorded = result.recorded(result.model)
    ((corners, _),) = triangles(result.model, recorded.rows, poses(result.model, recorded.rows))
    assert_close(corners[0], at_nodes(result)[0], 300e-8, "corners")
    pytest.importorskip("scipy")  # of plates
    m = mbs.Model("sheet")
    plate = mbs.plate(1.0, 0.5, 0.01, E=7e10, nu=0.33, density=2700.0, elements=(4, 2), modes=3)
    m.body("plate", joint=mbs.Weld(), elastic=plate)
    empty = mbs.Model("empty")
    empty.body("plate", joint=mbs.Weld(), elastic=plate, shape=[])
    pictures = [icon(at_start(each).recorded(each)) for each in (m, empty)]
    assert pictures[0] != pictures[1] and len(pictures[0]) > 1.5 * len(pictures[1])


def test_the_mean_frame_may_be_the_body_s_own() -> None:
    """A free body needs no root; its hull holds the mesh, so that the view does."""
    m = mbs.Model("free")
    m.body("part", joint=mbs.Free(), elastic=bodies())
    page = page_data(mbs.show(m))  # type: ignore[arg-type]
    assert page["surfaces"][0]["root"] is None
    assert 0.9 < page["size"] < 1.2


def test_large_meshes_are_thinned() -> None:
    """A sheet of 80 000 triangles keeps the limit, its area, and shapes that belong to its vertices."""
    pytest.importorskip("fast_simplification")
    fine = sheet((200, 200))
    small = sheet((2, 2))
    coarse, same = thinned([fine, small])
    assert 0.5 * MOST <= len(coarse.faces) <= MOST and same is small
    a, b, c = np.moveaxis(coarse.points[coarse.faces], 1, 0)
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2
    assert abs(area - 1.0) < 0.03
    assert_close(coarse.shapes[:, 2, 0], coarse.points[:, 0] ** 2, 1e-12, "first mode")
    assert_close(coarse.shapes[:, 2, 1], coarse.points[:, 0] * coarse.points[:, 1], 1e-12, "second mode")
    assert set(map(tuple, coarse.points)) <= set(map(tuple, fine.points))


def test_small_meshes_stay() -> None:
    meshes: list[Any] = [sheet((10, 10)), sheet((20, 20))]
    assert thinned(meshes) is meshes
