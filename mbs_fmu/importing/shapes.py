"""Visual and collision shapes of a URDF: geometries, colours and mesh files."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from ..infrastructure.messages.names import listed
from ..model.geometry.poses import Pose
from ..model.geometry.rotations import rpy
from .document import Document, Element
from .imported import ImportedShape

#: Attributes of each geometry, with their counts of numbers; "mesh" has a file instead.
GEOMETRIES = {
    "box": {"size": 3}, "sphere": {"radius": 1}, "cylinder": {"radius": 1, "length": 1},
    "capsule": {"radius": 1, "length": 1}, "mesh": {},
}  # fmt: skip


def placement(document: Document, element: Element) -> tuple[np.ndarray, np.ndarray]:
    """Position (m) and rotation of an element's <origin>; zero and identity if there is none."""
    origin = document.one(element, "origin")
    return (
        document.numbers(origin, "xyz", 3, "0 0 0"),
        rpy(*document.numbers(origin, "rpy", 3, "0 0 0")),
    )


class ShapeReader:
    """Reader of visual and collision elements. packages: folders of package://NAME/..., by name."""

    def __init__(self, document: Document, packages: dict[str, Path]):
        self.document = document
        self.packages = packages
        self.files: dict[str, Path | None] = {}
        self.colors: dict[str | None, tuple[float, ...] | None] = {}
        for material in document.root.all("material"):
            self.colors[material.get("name")] = self._color(material)

    def of(self, link: Element) -> list[ImportedShape]:
        """Return the shapes of a link."""
        elements = [(role, element) for role in ("visual", "collision") for element in link.all(role)]
        shapes = [self._shape(role, element) for role, element in elements]
        return [shape for shape in shapes if shape is not None]

    def note_missing(self) -> None:
        """Add one note on all missing mesh files."""
        missing = [name for name, file in self.files.items() if file is None]
        if missing:
            self.document.note(f"meshes are not found: {listed(missing)}; give their folders by packages=")

    def _shape(self, role: str, element: Element) -> ImportedShape | None:
        document, geometry = self.document, self.document.one(element, "geometry")
        known = [] if geometry is None else [child for child in geometry.children if child.tag in GEOMETRIES]
        if not known:
            return None
        body = known[0]
        sizes = [document.numbers(body, name, count) for name, count in GEOMETRIES[body.tag].items()]
        at = Pose(*placement(document, element))
        size = tuple(float(x) for part in sizes for x in part)
        color = self._color(document.one(element, "material"))
        if body.tag != "mesh":
            return ImportedShape(body.tag, size, at, role, color, collides=role == "collision")
        x, y, z = document.numbers(body, "scale", 3, "1 1 1").tolist()
        return ImportedShape("mesh", (), at, role, color, self._file(body), (x, y, z), role == "collision")

    def _color(self, material: Element | None) -> tuple[float, ...] | None:
        color = None if material is None else self.document.one(material, "color")
        if color is not None:
            return tuple(self.document.numbers(color, "rgba", 4).tolist())
        return None if material is None else self.colors.get(material.get("name"))

    def _file(self, mesh: Element) -> Path | None:
        name = mesh.get("filename")
        if not name:
            self.document.fail(mesh, "<mesh> has no attribute 'filename'")
        if name not in self.files:
            options = candidates(name, self.document.path.resolve().parent, self.packages)
            self.files[name] = next((path for path in options if os.path.isfile(path)), None)
        return self.files[name]


def candidates(name: str, folder: Path, packages: Mapping[str, Path]) -> list[Path]:
    """Return possible paths of a file: in its package and in the folders above `folder`, or relative to `folder`.

    The former are those of names package://PACKAGE/REST, the latter those of other names.
    """
    scheme, _, rest = name.rpartition("://")
    package, _, inside = rest.partition("/")
    if scheme in ("", "file"):
        return [folder / rest, Path("/") / rest]
    known = [packages[package] / inside] if package in packages else []
    return known + [outer / part for outer in (folder, *folder.parents) for part in (rest, inside)]
