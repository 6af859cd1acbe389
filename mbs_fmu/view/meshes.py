"""Meshes of a page, and their simplification."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ..infrastructure.messages.calls import warn
from ..model.bodies.colors import Color
from ..model.bodies.mesh_files import EXTRA, Part, read
from .stage import MOST_FACES, outermost
from .terrain import Surface

AGGRESSION = 5.0  #: of the decimation; by 7, its default, vertices of a plate of 75 mm move by 3 mm
FEW = 50  #: parts with fewer faces are not simplified
Triangles = tuple[np.ndarray, np.ndarray]  #: vertices (n, 3), in the file's units, and faces (m, 3), indices of them


class Meshes:
    """Meshes of a page; each file is read once, and each surface is computed once."""

    def __init__(self) -> None:
        self._known: dict[Path | Surface, range] = {}
        self._read: list[Part] = []

    def parts(self, source: Path | Surface) -> list[tuple[int, Color | None]]:
        """Return the numbers of the parts of a file or a surface in the page, with their colours.

        Raises ModelError as `read`.
        """
        if source not in self._known:
            first = len(self._read)
            self._read += read(source) if isinstance(source, Path) else source.triangles()
            self._known[source] = range(first, len(self._read))
        return [(k, self._read[k].color) for k in self._known[source]]

    def hull(self, file: Path) -> np.ndarray:
        """Return points whose convex hull approximates that of the mesh, in the file's units."""
        return outermost(np.concatenate([self._read[k].vertices for k, _ in self.parts(file)]))

    def thinned(self) -> list[Triangles]:
        """Return all parts, simplified to MOST_FACES in total."""
        parts = [(part.vertices, part.faces) for part in self._read]
        count = sum(len(faces) for _, faces in parts)
        return parts if count <= MOST_FACES else simplified(parts, MOST_FACES / count)


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
            vertices.astype(np.float32), faces.astype(np.int32), max(0.0, 1.0 - fraction), agg=AGGRESSION
        )
        results.append((new_vertices, new_faces) if len(new_faces) else (vertices, faces))
    return results
