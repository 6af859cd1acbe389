"""Surfaces of elastic bodies: they follow the nodes in every coordinate, are closed, and are saved."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.elastic.frames import Node
from mbs_fmu.elastic.modes import Modes
from mbs_fmu.elastic.modes_files import OLDEST
from mbs_fmu.elastic.shapes import invariants
from mbs_fmu.elastic.surfaces import Surface
from support.comparisons import assert_close
from support.oracles.elastic_pieces import random_node, random_pieces

pytestmark = pytest.mark.quick

STEEL = {"E": 2.1e11, "nu": 0.3, "density": 7800.0}


def bodies(seed: int, modes: int = 4, points: int = 6) -> Modes:
    """A body whose nodes are the points of its surface, to first order."""
    rng = np.random.default_rng(seed)
    factor = rng.normal(size=(modes, modes))
    nodes = {f"n{k}": replace(random_node(rng, modes), Y2=np.zeros((6, modes, modes))) for k in range(points)}
    places = np.array([node.position for node in nodes.values()])
    shapes = np.array([node.Y1[:3] for node in nodes.values()])
    surface = Surface(places, rng.integers(0, points, (5, 3)), shapes)
    K = factor @ factor.T + 0.1 * np.eye(modes)
    return Modes(invariants(random_pieces(rng, modes=modes)), K, None, nodes, surface=surface)


@pytest.mark.parametrize("seed", range(5))
def test_surfaces_move_with_nodes(seed: int) -> None:
    """In each frame and in all coordinates, points of the surface move as nodes at the same places do."""
    body = bodies(seed)
    V = np.random.default_rng(seed + 100).normal(size=(4, 3))
    changed = [body, body.combined(V), body.normal(), body.keep(2), body.keep(3, held="n1"), body.with_damping(0.1)]
    for k, each in enumerate(changed):
        assert each.surface is not None
        shapes = np.array([node.Y1[:3] for node in each.nodes.values()])
        assert_close(each.surface.shapes, shapes, 1e-10 * (1 + np.abs(shapes)), f"shapes of body {k}")
        seen = each.surface.seen_from(each.node("n0"))
        expected = np.array([node.seen_from(each.node("n0")).Y1[:3] for node in each.nodes.values()])
        assert_close(seen.shapes, expected, 1e-10 * (1 + np.abs(expected)), f"shapes of body {k}, seen from a node")
    xi = np.random.default_rng(seed).normal(size=(7, 4))
    assert body.surface is not None
    expected = np.stack([node.pose(xi)[0] for node in body.nodes.values()], axis=1)
    assert_close(body.surface.displaced(xi), expected, 1e-12 * (1 + np.abs(expected)), "vertices")


def rod(order: int, length: float = 1.0) -> Modes:
    """A block of tetrahedra; tests that use it need skfem."""
    from elastic.test_solid import block

    mesh = block((4, 2, 1), (length, 0.2, 0.1))
    ends = {"root": lambda x, y, z: x < 1e-9, "tip": lambda x, y, z: x > length - 1e-9}
    return mbs.Modes.solid(mesh, **STEEL, frames=ends, modes=4, order=order)


@pytest.mark.parametrize("order", (1, 2))
def test_surfaces_of_solids_are_closed(order: int) -> None:
    """Its volume is that of the block, from normals that all point outwards; each edge belongs to two triangles."""
    pytest.importorskip("skfem")
    surface = rod(order).surface
    assert surface is not None and len(surface.faces) == (1 if order == 1 else 4) * 2 * 2 * (4 * 2 + 4 * 1 + 2 * 1)
    a, b, c = np.moveaxis(surface.points[surface.faces], 1, 0)
    assert_close(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0, 0.02, 1e-12, "volume")
    normals = np.cross(b - a, c - a)
    middle = np.array([0.5, 0.0, 0.0])
    assert (np.einsum("ij,ij->i", normals, (a + b + c) / 3 - middle) > 0.0).all()
    assert np.linalg.norm(normals, axis=1).sum() / 2 == pytest.approx(2 * (0.2 + 0.1 + 0.02), rel=1e-12)
    edges = np.sort(surface.faces[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    assert set(np.unique(edges, axis=0, return_counts=True)[1].tolist()) == {2}


def test_the_surface_of_a_solid_moves_with_its_frames() -> None:
    """A frame is the average of its end's points: displacement of their mean, weighted as (RBE3) their sum."""
    pytest.importorskip("skfem")
    body = rod(2)
    assert body.surface is not None
    tip = body.surface.points[:, 0] > 1.0 - 1e-9
    moved = body.surface.shapes[tip].mean(axis=0)
    node = body.node("tip")
    lever = body.surface.points[tip].mean(axis=0) - node.position
    expected = node.Y1[:3] + np.cross(node.Y1[3:].T, lever).T
    assert_close(moved, expected, 1e-9, "mean displacement of the end")


def test_shells_plates_and_matrices_have_surfaces() -> None:
    """Their triangles are those of the mesh; faces of a model given by matrices are checked."""
    pytest.importorskip("scipy")
    points = np.array([[0, 0, 0], [1, 0, 0], [1, 0.5, 0], [0, 0.5, 0], [0.5, 0.25, 0.0]])
    triangles = np.array([[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]])
    shell = mbs.Modes.shell((points, triangles), thickness=0.01, **STEEL, frames={"root": [0, 3]}, modes=3)
    assert shell.surface is not None and np.array_equal(shell.surface.points, points)
    assert np.array_equal(shell.surface.faces, triangles)
    plate = mbs.plate(1.0, 0.5, 0.01, **STEEL, elements=(4, 3), modes=3)
    assert plate.surface is not None and plate.surface.faces.shape == (24, 3)
    a, b, c = np.moveaxis(plate.surface.points[plate.surface.faces], 1, 0)
    assert_close(np.cross(b - a, c - a)[:, 2].sum() / 2, 0.5, 1e-12, "area of the plate")
    nodes = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    springs = np.zeros((12, 12))
    for i, j in itertools.combinations(range(4), 2):
        d = (nodes[j] - nodes[i]) / np.linalg.norm(nodes[j] - nodes[i])
        row = np.zeros(12)
        row[3 * i : 3 * i + 3], row[3 * j : 3 * j + 3] = -d, d
        springs += 1e4 * np.outer(row, row)
    truss = {"nodes": nodes, "M": np.eye(12), "K": springs, "frames": {"root": [0, 1, 2]}, "modes": 3}
    body = Modes.matrices(**truss, faces=[[0, 1, 3]])  # type: ignore[arg-type]
    assert body.surface is not None and body.surface.shapes.shape == (3, 3, body.count)
    assert np.array_equal(body.surface.points, nodes[[0, 1, 3]])
    for faces, message in (([[0, 1]], "three indices"), ([[0, 1, 4]], "has the node 4: the model has nodes 0 to 3")):
        with pytest.raises(mbs.ModelError, match=message):
            Modes.matrices(**truss, faces=faces)  # type: ignore[arg-type]


def test_surfaces_are_saved(tmp_path: Path) -> None:
    """Files have the surface bit for bit; those of the version before have none."""
    body, path = bodies(3), tmp_path / "body.npz"
    body.save(path)
    loaded = Modes.load(path)
    assert body.surface is not None and loaded.surface is not None
    for name in ("points", "faces", "shapes"):
        assert np.array_equal(getattr(loaded.surface, name), getattr(body.surface, name))
    with np.load(path) as file:
        older = {name: file[name] for name in file if not name.startswith("surface")}
    np.savez(path, **{**older, "format": np.array(OLDEST)})
    assert Modes.load(path).surface is None


def test_unusable_surfaces_are_refused() -> None:
    body = bodies(0)
    assert body.surface is not None
    for surface, message in (
        ("mesh", "the surface of an elastic body is 'mesh'"),
        (replace(body.surface, faces=[[0.5, 1, 2]]), "faces of the surface are"),
        (replace(body.surface, faces=[[0, 1, 6]]), "have indices 0 to 6, for 6 points"),
        (replace(body.surface, shapes=body.surface.shapes[:, :, :2]), r"shapes of the surface has shape \(6, 3, 2\)"),
    ):
        with pytest.raises(mbs.ModelError, match=message):
            replace(body, surface=surface)


def test_a_node_is_seen_as_a_point() -> None:
    """A point fixed to a node stays at rest, seen from this node."""
    rng = np.random.default_rng(1)
    Y = rng.normal(size=(6, 2))
    node = Node(rng.normal(size=3), np.eye(3), Y, np.zeros((6, 2, 2)))
    at = rng.normal(size=(4, 3))
    shapes = Y[:3] + np.cross(Y[3:].T[None], (at - node.position)[:, None]).transpose(0, 2, 1)
    seen = Surface(at, np.array([[0, 1, 2]]), shapes).seen_from(node)
    assert_close(seen.shapes, 0.0, 1e-14, "shapes of points fixed to the node")
