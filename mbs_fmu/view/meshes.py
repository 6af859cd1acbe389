"""Meshes from files: readers of STL and OBJ, other formats by trimesh, and simplification."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..infrastructure.errors import ModelError
from ..infrastructure.messages.calls import warn
from ..infrastructure.messages.extras import install
from ..model.bodies.colors import Color
from .stage import outermost

MOST_FACES = 20_000  #: faces on a page, which computers without a graphics processor still draw smoothly
EXTRA = install("view")

FEW = 50  #: parts with fewer faces are not simplified
Triangles = tuple[np.ndarray, np.ndarray]  #: vertices (n, 3), in the file's units, and faces (m, 3), indices of them


class Part(NamedTuple):
    """Triangles of one colour (red, green, blue and opacity, from 0 to 1); None if the file has no colour."""

    vertices: np.ndarray
    faces: np.ndarray
    color: Color | None


class Meshes:
    """Meshes of a page; each file is read once."""

    def __init__(self) -> None:
        self._known: dict[Path, range] = {}
        self._read: list[Part] = []

    def parts(self, file: Path) -> list[tuple[int, Color | None]]:
        """Return the numbers of a file's parts in the page, with their colours. Raises ModelError as `read`."""
        if file not in self._known:
            first = len(self._read)
            self._read += read(file)
            self._known[file] = range(first, len(self._read))
        return [(k, self._read[k].color) for k in self._known[file]]

    def hull(self, file: Path) -> np.ndarray:
        """Return points whose convex hull approximates that of the mesh, in the file's units."""
        return outermost(np.concatenate([self._read[k].vertices for k, _ in self.parts(file)]))

    def thinned(self) -> list[Triangles]:
        """Return all parts, simplified to MOST_FACES in total."""
        parts = [(part.vertices, part.faces) for part in self._read]
        count = sum(len(faces) for _, faces in parts)
        return parts if count <= MOST_FACES else simplified(parts, MOST_FACES / count)


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


READERS: dict[str, Callable[[Path], list[Part]]] = {".stl": _stl, ".obj": _obj}


def simplified(meshes: list[Triangles], fraction: float) -> list[Triangles]:
    """Return the meshes with about a fraction of their faces, by quadric decimation.

    Returns them unchanged, with a warning, if fast_simplification is not installed.
    """
    try:
        from fast_simplification import simplify
    except ImportError:
        count = sum(len(mesh[1]) for mesh in meshes)
        warn(f"meshes of {count} faces make a large and slow page; to thin them: {EXTRA}")
        return meshes
    results = []
    for vertices, faces in meshes:
        if len(faces) < FEW:
            results.append((vertices, faces))
            continue
        new_vertices, new_faces = simplify(
            vertices.astype(np.float32), faces.astype(np.int32), max(0.0, 1.0 - fraction)
        )
        results.append((new_vertices, new_faces) if len(new_faces) else (vertices, faces))
    return results
