"""Shapes of a file as what bodies look like in pictures."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..errors import ModelError
from ..model.bodies.shapes import Box, Capsule, Cylinder, Mesh, Shape, Sphere
from ..model.model import Model
from .imported import ImportedShape

SOLIDS: dict[str, type[Shape]] = {"box": Box, "sphere": Sphere, "cylinder": Cylinder, "capsule": Capsule}


def draw(model: Model, shapes: Mapping[str, list[ImportedShape]], note: Callable[[str], None]) -> None:
    """Give bodies their visual shapes, or where they have none those that they collide with.

    If any are drawn, bodies of which the file shows nothing look like nothing.
    note: is told of shapes that can't be drawn, such as boxes without height.
    """
    for body, told in shapes.items():
        for shape in [x for x in told if x.role == "visual"] or told:
            try:
                looks = drawn(shape)
            except ModelError as error:
                note(f"a shape of {body!r} is not drawn: {error}")
                continue
            if looks is not None:
                model.shape(body, looks)
    for body in model.bodies if model.shapes else ():
        if body not in shapes:
            model.shape(body, [])


def drawn(shape: ImportedShape) -> Shape | None:
    """The shape for pictures; None of a mesh without a file, and of kinds that pictures don't have."""
    if shape.file is not None:
        return Mesh(shape.file, scale=shape.scale, at=shape.at, color=shape.color)
    solid = SOLIDS.get(shape.kind)
    return None if solid is None else solid(*shape.size, at=shape.at, color=shape.color)
