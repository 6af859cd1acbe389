"""Triangle meshes from files, and vertices of their convex hulls: STL, OBJ and MuJoCo's MSH, others by trimesh."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...infrastructure.errors import ModelError
from ...infrastructure.messages.extras import install
from .colors import Color

EXTRA = install("view")
DIRECTIONS = 2000  #: directions in which the outermost vertices are searched
AT_ONCE = 50  #: directions that are searched at once, which bounds the memory


class Part(NamedTuple):
    """Triangles of one colour (red, green, blue and opacity, from 0 to 1); None if the file has no colour."""

    vertices: np.ndarray
    faces: np.ndarray
    color: Color | None


def read(file: Path) -> list[Part]:
    """Return the parts of a file. Raises ModelError if the file is missing or no mesh."""
    if not file.is_file():
        raise ModelError(f"no mesh {str(file)!r}: give the name of a file, from the working folder")
    try:
        parts = READERS.get(file.suffix.lower(), _by_trimesh)(file)
    except ModelError:
        raise
    except Exception as error:  # damaged files cause errors of all kinds
        raise ModelError(f"mesh {str(file)!r} can't be read ({type(error).__name__}: {error})") from error
    if not parts or not all(_is_sound(part) for part in parts):
        raise ModelError(f"mesh {str(file)!r} has no triangles, or numbers that are none: is it damaged?")
    return parts


def _is_sound(part: Part) -> bool:
    vertices, faces, _ = part
    return bool(len(faces) and np.isfinite(vertices).all() and faces.min() >= 0 and faces.max() < len(vertices))


def _stl(file: Path) -> list[Part]:
    """Read a binary or text STL file, and merge equal corners of triangles."""
    data = file.read_bytes()
    count = int.from_bytes(data[80:84], "little")
    if len(data) == 84 + 50 * count:
        records = np.frombuffer(
            data, np.dtype([("rest", "<f4", 3), ("corners", "<f4", (3, 3)), ("more", "<u2")]), offset=84
        )
        corners = records["corners"].reshape(-1, 3).astype(float)
    else:
        words = data.split()
        places = [k for k, word in enumerate(words) if word == b"vertex"]
        corners = np.array([[float(x) for x in words[k + 1 : k + 4]] for k in places]).reshape(-1, 3)
    vertices, index = np.unique(corners, axis=0, return_inverse=True)
    return [Part(vertices, index.reshape(-1, 3), None)]


def _obj(file: Path) -> list[Part]:
    """Read an OBJ file: vertices `v` and polygons `f`, whose indices count from 1, or backwards from the end."""
    vertices: list[list[float]] = []
    faces: list[list[int]] = []
    for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
        key, *words = line.split() or [""]
        if key == "v":
            vertices.append([float(x) for x in words[:3]])
        elif key == "f":
            indices = [int(word.partition("/")[0]) for word in words]
            ring = [k - 1 if k > 0 else k + len(vertices) for k in indices]
            faces += [[ring[0], ring[k], ring[k + 1]] for k in range(1, len(ring) - 1)]
    return [Part(np.array(vertices).reshape(-1, 3), np.array(faces, dtype=int).reshape(-1, 3), None)]


def _msh(file: Path) -> list[Part]:
    """Read an MSH file of MuJoCo: numbers of vertices, normals, texture coordinates and faces, then these arrays.

    Other programs use the suffix too, as Gmsh does; trimesh reads their files.
    """
    data = file.read_bytes()
    vertices, normals, coordinates, faces = np.frombuffer(data, "<i4", 4).tolist() if len(data) >= 16 else (0, 0, 0, 0)
    corners = 16 + 4 * (3 * vertices + 3 * normals + 2 * coordinates)
    if min(vertices, normals, coordinates, faces) < 0 or len(data) != corners + 12 * faces:
        return _by_trimesh(file)
    points = np.frombuffer(data, "<f4", 3 * vertices, offset=16).reshape(-1, 3).astype(float)
    return [Part(points, np.frombuffer(data, "<i4", 3 * faces, offset=corners).reshape(-1, 3).astype(int), None)]


def _by_trimesh(file: Path) -> list[Part]:
    try:
        import trimesh
    except ImportError:
        raise ModelError(
            f"mesh {str(file)!r}: files {file.suffix!r} need trimesh: {EXTRA}; or give STL or OBJ"
        ) from None
    loaded: Any = trimesh.load(file)
    by_color: dict[Color | None, list[Any]] = {}
    for mesh in loaded.dump() if isinstance(loaded, trimesh.Scene) else [loaded]:
        by_color.setdefault(_color(mesh.visual), []).append(mesh)
    parts = []
    for color, meshes in by_color.items():
        whole = trimesh.util.concatenate([trimesh.Trimesh(mesh.vertices, mesh.faces) for mesh in meshes])
        parts.append(Part(np.asarray(whole.vertices, dtype=float), np.asarray(whole.faces, dtype=int), color))
    return parts


def _color(visual: Any) -> Color | None:
    """Return the main colour of a part in trimesh; None if it has trimesh's default colour."""
    if not visual.defined:
        return None
    material = getattr(visual, "material", visual)
    red, green, blue, opacity = (float(x) / 255.0 for x in material.main_color)
    return red, green, blue, opacity


READERS: dict[str, Callable[[Path], list[Part]]] = {".stl": _stl, ".obj": _obj, ".msh": _msh}


# -- convex hulls --------------------------------------------------------------------------------------------
def hull_vertices(points: np.ndarray, most: int) -> tuple[np.ndarray, int, float]:
    """Return at most `most` vertices of the convex hull of points (n, 3), their full number, and what is lost.

    The vertices are the outermost points in directions that are spread evenly; a vertex that is the outermost one in
    none of these lies close to the hull of the others. Of more than `most`, those are chosen that are farthest from the
    ones chosen before. What is lost: the largest distance by which the hull shrinks along a direction, in the unit of
    the points.
    """
    ways = spread_directions(DIRECTIONS)
    found = np.unique(np.concatenate([np.argmax(points @ w.T, axis=0) for w in np.split(ways, DIRECTIONS // AT_ONCE)]))
    vertices = np.unique(points[found], axis=0)
    chosen = vertices[_farthest(vertices, most)]
    lost = (vertices @ ways.T).max(axis=0) - (chosen @ ways.T).max(axis=0)
    return chosen, len(vertices), float(lost.max())


def spread_directions(count: int) -> np.ndarray:
    """Return unit vectors, (count, 3), on a spiral from pole to pole with equal areas."""
    z = 1.0 - (2.0 * np.arange(count) + 1.0) / count
    angle = np.pi * (3.0 - np.sqrt(5.0)) * np.arange(count)
    r = np.sqrt(1.0 - z * z)
    return np.column_stack([r * np.cos(angle), r * np.sin(angle), z])


def _farthest(points: np.ndarray, most: int) -> list[int]:
    """Return indices of points, first the one farthest from their mean, then always that farthest from those before."""
    distance = np.linalg.norm(points - points.mean(axis=0), axis=1)
    chosen: list[int] = []
    for _ in range(min(most, len(points))):
        chosen.append(int(np.argmax(distance)))
        own = np.linalg.norm(points - points[chosen[-1]], axis=1)
        distance = own if len(chosen) == 1 else np.minimum(distance, own)
    return chosen
