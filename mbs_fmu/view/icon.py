"""A small picture of a model, as PNG: its bodies, rods and springs in orthographic projection."""

from __future__ import annotations

import itertools
import math
import struct
import zlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from ..model.geometry.axes import third_axis
from .animation import Recorded, drawn_bodies, drawn_links, elastic_bodies
from .meshes import Meshes
from .poses import Frames, poses
from .stage import ground, stage
from .surfaces import triangles

EDGE = 256  #: width and height, pixels
FINE = 3  #: each pixel is the average of FINE x FINE smaller ones
FILLED = 0.92  #: larger extent of the mechanism, relative to that of the picture
AROUND = 20  #: number of edges of the polygon that stands for a circle
LIGHT = np.array([0.3, 0.5, 1.0]) / np.linalg.norm([0.3, 0.5, 1.0])  #: direction to the light, in axes of the picture
DARK = 0.45  #: brightness of faces that the light does not reach

Triangles = np.ndarray  #: (triangle, corner, coordinate), shape (n, 3, 3), m


def icon(recorded: Recorded) -> bytes:
    """Return the picture of a model in the first recorded row, as PNG.

    The picture is EDGE pixels wide and high, and its background is transparent.
    """
    rows = recorded.rows[np.arange(1)]
    model, frames, meshes = recorded.model, poses(recorded.model, rows), Meshes()
    bodies, hulls = drawn_bodies(model, rows, frames, meshes)
    names = list(hulls)
    bars = elastic_bodies(model, {name: k for k, name in enumerate(names)}, hulls)["beams"]
    scene = stage(hulls, frames, ground(model, rows), None, None)
    at = [frames[name] for name in names]
    parts = [*_solids(bodies, at, meshes), *_bars(bars, at)]
    parts += [(corners, np.array(color[:3])) for corners, color in triangles(model, rows, frames)]
    for link in drawn_links(model, rows, frames, dict(zip(names, range(len(names)), strict=True)), bodies):
        ends = [at[link[side]].points(np.array([link[f"at_{side}"]]))[0] for side in "ab"]
        parts.append((_bar(ends[0], ends[1], link["radius"]), np.array(link["color"])))
    return png(_painted(parts, _view(scene["eye"], scene["up"])))


# -- triangles -----------------------------------------------------------------------------------------------
Part = tuple[Triangles, np.ndarray]  #: triangles in world axes, and their colour: red, green, blue from 0 to 1


def _solids(bodies: list[dict[str, Any]], frames: list[Frames], meshes: Meshes) -> Iterator[Part]:
    """Yield the shapes of bodies, without uneven ground; frames: the poses of these bodies."""
    of_meshes = [vertices[faces] for vertices, faces in meshes.thinned()]
    for body, frame in zip(bodies, frames, strict=True):
        for shape in (x for x in body["shapes"] if "ground" not in x):
            x, y, z, w = shape["quaternion"]
            R = _rotation(x, y, z, w)
            own = of_meshes[shape["mesh"]] * shape["scale"] if "mesh" in shape else _triangles(shape)
            local = own @ R.T + shape["position"]
            yield local @ frame.R[0].T + frame.x[0], np.array(shape["color"][:3])


def _rotation(x: float, y: float, z: float, w: float) -> np.ndarray:
    """Return the rotation matrix of a unit quaternion."""
    v = np.array([x, y, z])
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.asarray((w * w - v @ v) * np.eye(3) + 2 * np.outer(v, v) + 2 * w * cross)


def _triangles(shape: Mapping[str, Any]) -> Triangles:
    """Return the triangles of a shape in its own frame."""
    size = shape["size"]
    if shape["kind"] == "line":
        points = np.array(shape["points"])
        return np.concatenate([_bar(a, b, size[0]) for a, b in itertools.pairwise(points)])
    return SURFACES[shape["kind"]](*size)


def _grid(points: np.ndarray) -> Triangles:
    """Return two triangles for each cell of a grid of points; points: shape (m, n, 3)."""
    a, b, c, d = points[:-1, :-1], points[1:, :-1], points[1:, 1:], points[:-1, 1:]
    return np.concatenate([np.stack([a, b, c], axis=2), np.stack([a, c, d], axis=2)]).reshape(-1, 3, 3)


def _turned(r: np.ndarray, z: np.ndarray) -> Triangles:
    """Return the surface of revolution about z of a profile with radii r at heights z, both (n,), m."""
    angles = np.linspace(0.0, 2.0 * np.pi, AROUND + 1)
    around = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    sides = r[:, None, None] * around
    return _grid(np.concatenate([sides, np.broadcast_to(z[:, None, None], (*sides.shape[:2], 1))], axis=2))


def _box(x: float, y: float, z: float) -> Triangles:
    half = 0.5 * np.array([x, y, z])
    square = np.array([[[-1, -1, 1], [-1, 1, 1]], [[1, -1, 1], [1, 1, 1]]], dtype=float)
    faces = [np.roll(square * [1, 1, side], k, axis=2) for k in range(3) for side in (-1, 1)]
    return np.concatenate([_grid(face * half) for face in faces])


def _sphere(r: float) -> Triangles:
    angles = np.linspace(0.0, np.pi, AROUND // 2 + 1)
    return _turned(r * np.sin(angles), r * np.cos(angles))


def _ellipsoid(*half: float) -> Triangles:
    return _sphere(1.0) * half


def _cylinder(r: float, length: float) -> Triangles:
    return _turned(np.array([0.0, r, r, 0.0]), 0.5 * length * np.array([-1.0, -1.0, 1.0, 1.0]))


def _capsule(r: float, length: float) -> Triangles:
    angles = np.linspace(0.0, np.pi, AROUND // 2 + 1)
    return _turned(r * np.sin(angles), r * np.cos(angles) + np.where(angles < 0.5 * np.pi, 0.5, -0.5) * length)


def _ring(radius: float, r: float) -> Triangles:
    angles = np.linspace(0.0, 2.0 * np.pi, AROUND // 2 + 1)
    return _turned(radius + r * np.cos(angles), r * np.sin(angles))


SURFACES: dict[str, Callable[..., Triangles]] = {
    "box": _box, "sphere": _sphere, "ellipsoid": _ellipsoid, "cylinder": _cylinder, "capsule": _capsule, "ring": _ring,
}  # fmt: skip


def _bar(a: np.ndarray, b: np.ndarray, r: float) -> Triangles:
    """Return a cylinder of radius r from point a to point b; nothing if they coincide."""
    along = b - a
    length = float(np.linalg.norm(along))
    if length == 0.0:
        return np.zeros((0, 3, 3))
    x, y, z = (along / length).tolist()
    return np.asarray(_cylinder(r, length) @ np.asarray(third_axis((x, y, z)), dtype=float).T + 0.5 * (a + b))


def _bars(bars: list[dict[str, Any]], frames: list[Frames]) -> Iterator[Part]:
    """Yield the bars through the nodes of elastic bodies."""
    for bar in bars:
        points = [frames[k].x[0] for k in bar["nodes"]]
        for a, b in itertools.pairwise(points):
            yield _bar(a, b, bar["radii"][0]), np.array(bar["color"][:3])


# -- picture -------------------------------------------------------------------------------------------------
def _view(eye: list[float], up: list[float]) -> np.ndarray:
    """Return the axes of the picture as rows, in world axes: right, up, to the viewer.

    eye: direction to the viewer. up: direction that points up in the picture. Neither need have length one.
    """
    towards = np.array(eye) / np.linalg.norm(eye)
    right = np.cross(up, towards)
    if np.linalg.norm(right) < 1e-6:
        right = np.array(third_axis(tuple(towards.tolist())), dtype=float)[:, 0]  # seen along `up`: any will do
    right = right / np.linalg.norm(right)
    return np.array([right, np.cross(towards, right), towards])


def _painted(parts: list[Part], view: np.ndarray) -> np.ndarray:
    """Return the picture, shape (EDGE, EDGE, 4): red, green, blue and opacity, from 0 to 1, the top row first."""
    count = EDGE * FINE
    color, depth = np.zeros((count, count, 4)), np.full((count, count), -np.inf)
    drawn = [(triangles @ view.T, tone) for triangles, tone in parts if len(triangles)]
    if drawn:
        corners = np.concatenate([triangles.reshape(-1, 3) for triangles, _ in drawn])
        low, high = corners[:, :2].min(axis=0), corners[:, :2].max(axis=0)
        scale = FILLED * count / max(float((high - low).max()), 1e-12)
        for triangles, tone in drawn:
            pixels = (triangles - [*(0.5 * (low + high)), 0.0]) * scale + [0.5 * count, 0.5 * count, 0.0]
            for triangle, normal in _visible(pixels):
                _fill(triangle, normal, tone, color, depth)
    fine = color.reshape(EDGE, FINE, EDGE, FINE, 4)
    weight = fine[..., 3:].sum(axis=(1, 3))
    tones = (fine[..., :3] * fine[..., 3:]).sum(axis=(1, 3)) / np.maximum(weight, 1.0)
    return np.concatenate([tones, weight / FINE**2], axis=2)[::-1]


def _visible(triangles: Triangles) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the triangles that cover an area of the picture in which there is the centre of a pixel, and normals."""
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    low, high = triangles[..., :2].min(axis=1), triangles[..., :2].max(axis=1)
    centered = (np.ceil(low - 0.5) <= np.floor(high - 0.5)).all(axis=1)
    shown = centered & (np.abs(normals[:, 2]) >= 1e-9)
    yield from zip(triangles[shown], normals[shown], strict=True)


def _fill(triangle: np.ndarray, normal: np.ndarray, tone: np.ndarray, color: np.ndarray, depth: np.ndarray) -> None:
    """Paint a triangle into `color` and `depth` where it is nearer to the viewer than what is there.

    triangle: corners in axes of the picture, pixels, from its lower left corner. normal: product of two edges. tone:
    red, green, blue. color: shape (n, n, 4). depth: shape (n, n), coordinate towards the viewer of what is painted.
    """
    a, b, c = triangle.tolist()
    x_range, y_range = (
        range(max(math.floor(min(a[k], b[k], c[k])), 0), min(math.ceil(max(a[k], b[k], c[k])), len(depth)))
        for k in range(2)
    )
    # barycentric coordinates of the centres of pixels, and their depths
    x, y = np.arange(x_range.start, x_range.stop) + 0.5, np.arange(y_range.start, y_range.stop)[:, None] + 0.5
    weight_c = ((b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0])) / normal[2]
    weight_a = ((c[0] - b[0]) * (y - b[1]) - (c[1] - b[1]) * (x - b[0])) / normal[2]
    z = a[2] - (normal[0] * (x - a[0]) + normal[1] * (y - a[1])) / normal[2]
    window = np.s_[y_range.start : y_range.stop, x_range.start : x_range.stop]
    nearer = (weight_a >= 0.0) & (weight_c >= 0.0) & (weight_c + weight_a <= 1.0) & (z > depth[window])
    if nearer.any():
        brightness = DARK + (1.0 - DARK) * abs(normal @ LIGHT) / np.linalg.norm(normal)
        depth[window][nearer] = z[nearer]
        color[window][nearer] = [*(brightness * tone), 1.0]


def png(picture: np.ndarray) -> bytes:
    """Return a picture, shape (height, width, 4) with numbers from 0 to 1, as PNG."""
    pixels = np.round(255.0 * np.clip(picture, 0.0, 1.0)).astype(np.uint8)
    height, width, _ = pixels.shape
    lines = b"".join(b"\0" + line.tobytes() for line in pixels)

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    header = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(lines, 9)) + chunk(b"IEND", b"")
