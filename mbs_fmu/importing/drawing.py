"""Shapes of a robot file as shapes of bodies in pictures."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..infrastructure.errors import ModelError
from ..model.model import Model
from .imported import ImportedShape


def draw(model: Model, shapes: Mapping[str, list[ImportedShape]], note: Callable[[str], None]) -> None:
    """Give bodies their visual shapes, or their collision shapes if they have no visual ones.

    If any body gets a shape, bodies without shapes in the file are drawn as nothing. note: function that receives a
    note on each shape that can't be drawn, such as a box without height.
    """
    for body, candidates in shapes.items():
        for shape in [x for x in candidates if x.role == "visual"] or candidates:
            try:
                picture = shape.solid()
            except ModelError as error:
                note(f"a shape of {body!r} is not drawn: {error}")
                continue
            if picture is not None:
                model.shape(body, picture)
    for body in model.bodies if model.shapes else ():
        if body not in shapes:
            model.shape(body, [])
