"""Geometries of an MJCF as shapes of bodies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..model.geometry.poses import Pose
from .imported import ImportedShape
from .mjcf_reading import rotation_of

#: For each number of MuJoCo's mjtGeom the kind of shape, and a function from MuJoCo's half sizes to the shape's size.
GEOMETRIES: dict[int, tuple[str, Any]] = {
    0: ("plane", lambda s: ()), 1: ("hfield", lambda s: ()), 2: ("sphere", lambda s: s[:1]),
    3: ("capsule", lambda s: (s[0], 2 * s[1])), 4: ("ellipsoid", lambda s: s),
    5: ("cylinder", lambda s: (s[0], 2 * s[1])), 6: ("box", lambda s: 2 * s), 7: ("mesh", lambda s: ()),
    8: ("sdf", lambda s: ()),
}  # fmt: skip
LAST_VISIBLE_GROUP = 2  #: MuJoCo's viewer shows geometries of groups up to this one


BodyShape = tuple[str, ImportedShape]  #: the name of a body of the model, and a shape of it


def shapes_of(mj: Any, spec: Any, folder: Path, bodies: Mapping[int, str], touching: bool) -> list[BodyShape]:
    """Return the geometries with the names of their bodies, in MuJoCo's order.

    MuJoCo stores the pose of a mesh's file relative to its own mesh axes. mj, spec: MuJoCo's model, and its
    specification of the file in the folder. bodies: names by MuJoCo's numbers. touching: False if the file disables
    contacts.
    """
    shapes = []
    files = {mesh.name: folder / spec.meshdir / mesh.file for mesh in spec.meshes}
    for geom in range(mj.ngeom):
        kind, size = GEOMETRIES.get(int(mj.geom_type[geom]), ("none", lambda s: ()))
        place, R = mj.geom_pos[geom], rotation_of(mj.geom_quat[geom])
        file, scale = None, np.ones(3)
        if kind == "mesh":
            mesh = int(mj.geom_dataid[geom])
            file, scale = files.get(mj.mesh(mesh).name), mj.mesh_scale[mesh]
            R = R @ rotation_of(mj.mesh_quat[mesh]).T
            place = place - R @ mj.mesh_pos[mesh]
        material = int(mj.geom_matid[geom])
        color = mj.geom_rgba[geom] if material < 0 else mj.mat_rgba[material]
        role = "visual" if mj.geom_group[geom] <= LAST_VISIBLE_GROUP else "collision"
        existing = None if file is None or not file.is_file() else file
        x, y, z = scale.tolist()
        sizes = tuple(float(x) for x in size(mj.geom_size[geom]))
        collides = touching and bool(mj.geom_contype[geom] or mj.geom_conaffinity[geom])
        name = mj.geom(geom).name or f"geom{geom}"
        colors = tuple(color.tolist())
        shape = ImportedShape(kind, sizes, Pose(place, R), role, colors, existing, (x, y, z), collides, name)
        shapes.append((bodies[int(mj.geom_bodyid[geom])], shape))
    return shapes


def by_body(shapes: Sequence[BodyShape]) -> dict[str, list[ImportedShape]]:
    """Return shapes by the names of their bodies."""
    found: dict[str, list[ImportedShape]] = {}
    for body, shape in shapes:
        found.setdefault(body, []).append(shape)
    return found
