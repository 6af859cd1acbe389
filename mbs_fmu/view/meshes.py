"""Meshes from files: STL and OBJ are read here, whatever else by trimesh; thinned, each file once."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ModelError

MOST_FACES = 20_000  #: on a page: what computers without a graphics processor turn at ease
EXTRA = "pip install 'mbs-fmu[view]'"
WAYS = np.array([[x, y, z] for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1) if x or y or z], dtype=float)

Triangles = tuple[np.ndarray, np.ndarray]  #: vertices (n, 3), in the file's units, and faces (m, 3), indices of them


class Meshes:
    """The meshes of a page, by their files."""

    def __init__(self) -> None:
        self._known: dict[Path, int] = {}
        self._read: list[Triangles] = []

    def number(self, file: Path) -> int:
        """Which mesh a file is, from 0. Raises ModelError for a file that can't be read."""
        if file not in self._known:
            self._known[file] = len(self._read)
            self._read.append(read(file))
        return self._known[file]

    def hull(self, file: Path) -> np.ndarray:
        """Points that hold it between them, in the file's units."""
        vertices = self._read[self.number(file)][0]
        return np.asarray(vertices[np.unique(np.argmax(vertices @ WAYS.T, axis=0))])

    def thinned(self) -> list[Triangles]:
        """All meshes, each with its share of what a page may have."""
        faces = sum(len(mesh[1]) for mesh in self._read)
        return self._read if faces <= MOST_FACES else thinned(self._read, MOST_FACES / faces)


def read(file: Path) -> Triangles:
    """Vertices and faces of a file. Raises ModelError for one that is missing, or no mesh."""
    if not file.is_file():
        raise ModelError(f"no mesh {str(file)!r}: give the name of a file, from the working folder")
    try:
        vertices, faces = READERS.get(file.suffix.lower(), _by_trimesh)(file)
    except ModelError:
        raise
    except Exception as error:  # whatever a damaged file leads to
        raise ModelError(f"mesh {str(file)!r} can't be read ({type(error).__name__}: {error})") from error
    sound = len(faces) > 0 and np.isfinite(vertices).all() and faces.min() >= 0 and faces.max() < len(vertices)
    if not sound:
        raise ModelError(f"mesh {str(file)!r} has no triangles, or numbers that are none: is it damaged?")
    return vertices, faces


def _stl(file: Path) -> Triangles:
    """Binary or text: three corners a triangle, the equal ones made one."""
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
    return vertices, index.reshape(-1, 3)


def _obj(file: Path) -> Triangles:
    """Corners `v` and faces `f` of three or more, which count from 1, or backwards from the last."""
    vertices: list[list[float]] = []
    faces: list[list[int]] = []
    for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
        key, *words = line.split() or [""]
        if key == "v":
            vertices.append([float(x) for x in words[:3]])
        elif key == "f":
            told = [int(word.partition("/")[0]) for word in words]
            ring = [k - 1 if k > 0 else k + len(vertices) for k in told]
            faces += [[ring[0], ring[k], ring[k + 1]] for k in range(1, len(ring) - 1)]
    return np.array(vertices).reshape(-1, 3), np.array(faces, dtype=int).reshape(-1, 3)


def _by_trimesh(file: Path) -> Triangles:
    try:
        import trimesh
    except ImportError:
        raise ModelError(
            f"mesh {str(file)!r}: files {file.suffix!r} need trimesh: {EXTRA}; or give STL or OBJ"
        ) from None
    mesh: Any = trimesh.load(file, force="mesh")
    mesh.merge_vertices(merge_tex=True, merge_norm=True)
    return np.asarray(mesh.vertices, dtype=float), np.asarray(mesh.faces, dtype=int)


READERS: dict[str, Callable[[Path], Triangles]] = {".stl": _stl, ".obj": _obj}


def thinned(meshes: list[Triangles], part: float) -> list[Triangles]:
    """The meshes with about this part of their faces, by quadric decimation; without that as they are."""
    try:
        from fast_simplification import simplify
    except ImportError:
        count = sum(len(mesh[1]) for mesh in meshes)
        warnings.warn(f"meshes of {count} faces make a large and slow page; to thin them: {EXTRA}", stacklevel=2)
        return meshes
    out = []
    for vertices, faces in meshes:
        small, left = simplify(vertices.astype(np.float32), faces.astype(np.int32), max(0.0, 1.0 - part))
        out.append((small, left) if len(left) else (vertices, faces))
    return out
