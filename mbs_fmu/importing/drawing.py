"""Shapes of a robot file as shapes of bodies in pictures."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..infrastructure.errors import ModelError
from ..model.bodies.shapes import Box, Capsule, Cylinder, Mesh, Shape, Sphere
from ..model.model import Model
from .imported import ImportedShape

SOLIDS: dict[str, type[Shape]] = {"box": Box, "sphere": Sphere, "cylinder": Cylinder, "capsule": Capsule}


def draw(model: Model, shapes: Mapping[str, list[ImportedShape]], note: Callable[[str], None]) -> None:
    """Give bodies their visual shapes, or their collision shapes if they have no visual ones.

    If any body gets a shape, bodies without shapes in the file are drawn as nothing. note: function that receives a
    note on each shape that can't be drawn, such as a box without height.
    """
    for body, candidates in shapes.items():
        for shape in [x for x in candidates if x.role == "visual"] or candidates:
            try:
                picture = drawn(shape)
            except ModelError as error:
                note(f"a shape of {body!r} is not drawn: {error}")
                continue
            if picture is not None:
                model.shape(body, picture)
    for body in model.bodies if model.shapes else ():
        if body not in shapes:
            model.shape(body, [])


def drawn(shape: ImportedShape) -> Shape | None:
    """Return the shape for pictures; None for a mesh without a file, and for kinds that pictures don't support."""
    if shape.file is not None:
        return Mesh(shape.file, scale=shape.scale, at=shape.at, color=shape.color)
    solid = SOLIDS.get(shape.kind)
    return None if solid is None else solid(*shape.size, at=shape.at, color=shape.color)
