"""Links of an SDFormat file: inertias and shapes."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path

import numpy as np

from ..infrastructure.lazy_dataclasses import dataclass
from ..infrastructure.messages.names import listed
from ..model.geometry.axes import third_axis, unit_axis
from ..model.geometry.poses import Pose
from .document import Document, Element
from .imported import ImportedShape, Surface
from .inertias import Inertia, rows
from .parts import LinkData
from .sdf_joints import snapped
from .sdf_scopes import Entry, Scope, inverse, raw_pose
from .sdf_surfaces import surface_of
from .shapes import candidates

#: Children of each geometry with their counts of numbers; those of other geometries are left out.
GEOMETRIES = {
    "box": {"size": 3}, "sphere": {"radius": 1}, "cylinder": {"radius": 1, "length": 1},
    "capsule": {"radius": 1, "length": 1}, "ellipsoid": {"radii": 3}, "mesh": {}, "plane": {},
}  # fmt: skip
INERTIA = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
DIAGONAL = ("ixx", "iyy", "izz")


@dataclass
class Links:
    """Reader of links. packages: folders of model://NAME/... and package://NAME/..., by name.

    weightless: full names of links on which gravity does not act. unstated: those whose inertia the file leaves out.
    """

    document: Document
    packages: Mapping[str, Path]
    weightless: list[str] = field(default_factory=list)
    unstated: list[str] = field(default_factory=list)
    _files: dict[tuple[str, Path], Path | None] = field(default_factory=dict)

    def read(self, scope: Scope, entry: Entry) -> LinkData:
        """Return a link. Raises ModelError with the line of the file."""
        name, element = scope.prefix + entry.name, entry.element
        if not self.document.truth(element, "gravity", True):
            self.weightless.append(name)
        if self.document.truth(element, "kinematic"):
            self.document.note(f"link {name!r} is kinematic in the file: here forces move it")
        roles = [(role, child) for role in ("visual", "collision") for child in element.all(role)]
        shapes = [self._shape(scope, entry, role, child) for role, child in roles]
        own = [shape for shape in shapes if shape is not None]
        collides = any(self.document.truth(x, "self_collide") for x in (element, scope.element))
        inertia = self._inertia(name, element)
        return LinkData(name, element, inertia, own, group=scope.prefix, self_collides=collides)

    def note_defaults(self) -> None:
        """Add notes on links with the default inertia, and on missing meshes."""
        if self.unstated:
            self.document.note(
                f"inertias that the file leaves out are 1 kg and 1 kg m2, as SDFormat defines: links "
                f"{listed(map(repr, self.unstated))}"
            )
        missing = [name for (name, _), file in self._files.items() if file is None]
        if missing:
            self.document.note(f"meshes are not found: {listed(missing)}; give their folders by packages=")

    def _inertia(self, name: str, link: Element) -> Inertia:
        document = self.document
        element = document.one(link, "inertial")
        if element is not None and element.get("auto", "false").lower() in ("true", "1"):
            document.fail(element, f"link {name!r}: inertias computed from shapes (auto) are not read: write them out")
        inertia = None if element is None else document.one(element, "inertia")
        if inertia is None:
            self.unstated.append(name)
        mass = document.value(element, "mass", 1.0)
        entries = [document.value(inertia, tag, float(tag in DIAGONAL)) for tag in INERTIA]
        if not np.isfinite([mass, *entries]).all():
            document.fail(element, f"mass and inertia of link {name!r} must be finite numbers")
        if mass < 0.0:
            document.fail(element, f"mass of link {name!r} is {mass!r}: it must not be negative")
        X = np.eye(4) if element is None else raw_pose(document, document.one(element, "pose"))
        xx, xy, xz, yy, yz, zz = entries
        R = X[:3, :3]
        tensor = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T
        return Inertia(mass, tuple(X[:3, 3].tolist()), rows(0.5 * (tensor + tensor.T)))

    # -- shapes ------------------------------------------------------------------------------------------
    def _shape(self, scope: Scope, entry: Entry, role: str, element: Element) -> ImportedShape | None:
        document, geometry = self.document, self.document.one(element, "geometry")
        known = [] if geometry is None else [child for child in geometry.children if child.tag in GEOMETRIES]
        if not known:
            return None
        body = known[0]
        size: list[float] = []
        for tag, count in GEOMETRIES[body.tag].items():
            child = document.one(body, tag)
            if child is None:
                document.fail(body, f"<{body.tag}> has no <{tag}>")
            size += document.values(child, count).tolist()
        pose = document.one(element, "pose")
        link = scope.pose_of(entry.name, entry.home, element)
        X = inverse(link) @ scope.pose_at(pose, entry.name, entry.home, element, entry.version)
        if pose is None or not pose.get("relative_to"):
            X = raw_pose(document, pose)  # without rounding errors
        color = self._color(element)
        normal = document.one(body, "normal")
        if normal is not None:
            X[:3, :3] = X[:3, :3] @ third_axis(unit_axis(document.values(normal, 3).tolist()))
        at, collides = Pose(snapped(X[:3, 3]), snapped(X[:3, :3])), role == "collision"
        name = element.get("name")
        surface = surface_of(document, element) if collides else Surface()
        if body.tag != "mesh":
            return ImportedShape(body.tag, tuple(size), at, role, color, None, (1.0,) * 3, collides, name, surface)
        factors = document.one(body, "scale")
        x, y, z = (1.0, 1.0, 1.0) if factors is None else document.values(factors, 3).tolist()
        return ImportedShape("mesh", (), at, role, color, self._file(body), (x, y, z), collides, name, surface)

    def _color(self, element: Element) -> tuple[float, ...] | None:
        """Return the diffuse or else the ambient colour, with the opacity that `transparency` leaves."""
        document = self.document
        material = document.one(element, "material")
        color = None if material is None else document.one(material, "diffuse") or document.one(material, "ambient")
        if color is None:
            return None
        values = document.values(color, len(color.text.split()) if len(color.text.split()) == 3 else 4).tolist()
        opacity = (values[3] if len(values) == 4 else 1.0) * (1.0 - document.value(element, "transparency", 0.0))
        return (*values[:3], opacity)

    def _file(self, mesh: Element) -> Path | None:
        name = self.document.text(mesh, "uri") or self.document.text(mesh, "filename")
        if not name:
            self.document.fail(mesh, "<mesh> has no <uri>")
        folder = mesh.path.resolve().parent
        if (name, folder) not in self._files:
            options = candidates(name, folder, self.packages)
            self._files[name, folder] = next((path for path in options if os.path.isfile(path)), None)
        return self._files[name, folder]
