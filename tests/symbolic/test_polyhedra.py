"""Convex polyhedra: hulls of points against scipy, and the features that are nearest to places and segments."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

from mbs_fmu.kernels import library
from mbs_fmu.model.bodies.hulls import hull, is_flat
from mbs_fmu.symbolic.expressions import ZERO, as_expression, leaf
from mbs_fmu.symbolic.graph import derivative, evaluate_all
from mbs_fmu.symbolic.polyhedra import Polyhedron, edge_values, feature_values, rows_of
from support.comparisons import assert_close

pytestmark = pytest.mark.quick
CUBE = np.array(list(itertools.product((-0.1, 0.1), (-0.06, 0.06), (-0.04, 0.04))))


def prism(sides: int) -> np.ndarray:
    angles = 2.0 * np.pi * np.arange(sides) / sides
    base = 0.1 * np.column_stack([np.cos(angles), np.sin(angles)])
    return np.vstack([np.column_stack([base, np.full(sides, z)]) for z in (-0.02, 0.03)])


def egg(seed: int, count: int) -> np.ndarray:
    directions = np.random.default_rng(seed).normal(size=(count, 3))
    return directions / np.linalg.norm(directions, axis=1)[:, None] * [0.1, 0.06, 0.04]


def turned(points: np.ndarray) -> np.ndarray:
    """Return points in other axes, with the seven digits of a file."""
    return (points @ Rotation.from_rotvec([0.3, -0.5, 0.2]).as_matrix().T).astype(np.float32).astype(float)


#: Points, and the counts of faces, edges and vertices of their hull.
BODIES = {
    "cube": (CUBE, (6, 12, 8)),
    "turned cube": (turned(CUBE), (6, 12, 8)),
    "cube with points inside and on faces": (np.vstack([CUBE, 0.3 * CUBE, [[0.1, 0, 0], [0.1, 0.06, 0]]]), None),
    "turned prism": (turned(prism(9)), (11, 27, 18)),
    "egg": (egg(0, 20), (36, 54, 20)),
}


@pytest.mark.parametrize("kind", BODIES)
def test_hulls_are_those_of_scipy(kind: str) -> None:
    """The same planes, to the digits of the points; points inside are no vertices, and Euler's formula holds."""
    points, counts = BODIES[kind]
    polyhedron, width = hull(points)
    numbers, *found = polyhedron.data
    faces, edges, vertices = found
    assert counts is None or tuple(found) == counts
    assert faces - edges + vertices == 2 or counts is None
    rows = np.reshape(numbers, (-1, 10))
    expected = ConvexHull(points)
    for normal, offset in zip(expected.equations[:, :3], expected.equations[:, 3], strict=True):
        k = np.linalg.norm(rows[:faces, 6:9] - normal, axis=1).argmin()
        assert_close(rows[k, 6:9], normal, 1e-5, f"normal of face {k}")
        assert_close(-rows[k, :3] @ rows[k, 6:9], offset, 1e-6, f"offset of face {k}")
    widths = np.ptp(points @ expected.equations[:, :3].T, axis=0)
    assert_close(width, widths.min(), 1e-6, "least width")


def test_flat_points_have_no_hull() -> None:
    assert is_flat(CUBE[:4]) and is_flat(np.vstack([CUBE[:4]] * 2)) and is_flat(CUBE[:3])
    assert not is_flat(CUBE) and not is_flat(CUBE[[0, 1, 2, 4]])


def polyhedra() -> dict[str, Polyhedron]:
    return {kind: hull(points)[0] for kind, (points, _) in BODIES.items()}


def distance(row: np.ndarray, place: np.ndarray) -> float:
    """Return the distance of a place from a feature, of a face from its plane, with a sign."""
    beyond = place - row[:3]
    if row[6:9].any():
        return float(beyond @ row[6:9])
    return float(np.linalg.norm(beyond - row[3:6] * (beyond @ row[3:6])))


@pytest.mark.parametrize("kind", BODIES)
def test_nearest_features(kind: str) -> None:
    """The kernel, the values of arrays and of expressions are the same; no place of the polyhedron is nearer.

    Outside, many random places of the hull are farther. Inside, no plane is nearer.
    """
    rng = np.random.default_rng(1)
    polyhedron, points = polyhedra()[kind], BODIES[kind][0]
    data = polyhedron.data
    rows, places = rows_of(data), rng.uniform(-0.15, 0.15, (300, 3))
    shares = rng.dirichlet(np.full(len(points), 0.2), size=2000)
    inside = np.vstack([shares @ points, points])
    features = feature_values(places, data)
    kinds = np.digitize(features, [data[1], data[1] + data[2]])
    assert set(kinds) == {0, 1, 2}
    for place, feature in zip(places, features, strict=True):
        assert library.nearest_feature(np.array(data[0]), 0, *data[1:], *place) == feature
        found = distance(rows[int(feature)], place)
        if found > 0.0:
            assert found <= np.linalg.norm(inside - place, axis=1).min() + 1e-7  # 1e-6 of the size by merged faces
            nearest = polyhedron.nearest_feature([as_expression(x) for x in place])
            point, direction, normal, _ = polyhedron.row(nearest)
            assert_close(evaluate_all([*point, *direction, *normal], {}.get), rows[int(feature), :9], 0.0, "row")
        else:
            assert_close(found, max(distance(row, place) for row in rows[: data[1]]), 1e-15, "depth")


def segments_apart(line: np.ndarray, row: np.ndarray) -> float:
    """Return the distance of a segment (middle and half of it) and an edge, by a fine search along the segment."""
    s = np.linspace(-1.0, 1.0, 2001)[:, None]
    places = line[:3] + s * line[3:]
    along = np.clip((places - row[:3]) @ row[3:6], 0.0, row[9])
    return float(np.linalg.norm(places - row[:3] - along[:, None] * row[3:6], axis=1).min())


@pytest.mark.parametrize("kind", BODIES)
def test_nearest_edges(kind: str) -> None:
    """No edge is nearer, by a search with an error of 1e-5 m; vertices belong to several edges."""
    rng = np.random.default_rng(2)
    data = polyhedra()[kind].data
    rows = rows_of(data)
    lines = np.hstack([rng.uniform(-0.2, 0.2, (40, 3)), 0.1 * rng.normal(size=(40, 3))])
    found = edge_values(lines[:, :3], lines[:, 3:], data).astype(int)
    for line, edge in zip(lines, found, strict=True):
        in_kernel = int(library.nearest_edge(np.array(data[0]), 0, *data[1:], *line))
        least = min(segments_apart(line, row) for row in rows[data[1] : data[1] + data[2]])
        assert_close(segments_apart(line, rows[edge]), least, 1e-5, "distance of the nearest edge")
        assert_close(segments_apart(line, rows[in_kernel]), least, 1e-5, "distance of the nearest edge in the kernel")


def test_numbers_of_features_have_no_derivative() -> None:
    polyhedron = polyhedra()["cube"]
    x = [leaf(k) for k in range(3)]
    row = polyhedron.row(polyhedron.nearest_feature(x))
    edge = polyhedron.row(polyhedron.nearest_edge(x, x))
    slopes = derivative([*row[0], row[3], *edge[1]], lambda _: as_expression(1.0))
    assert all(slope is ZERO for slope in slopes)
