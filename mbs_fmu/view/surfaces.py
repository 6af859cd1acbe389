"""Elastic bodies drawn as the meshes of their finite element models, which deform with their modes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ..elastic.frames import Node
from ..elastic.surfaces import Surface
from ..model.bodies.colors import color
from ..model.data import ModelData
from ..model.elastic_parts import ElasticPart
from ..model.items import Body
from .looks import color_of
from .meshes import simplified
from .page import numbers
from .poses import Frames, Rows, mean_frame
from .stage import MOST_FACES, Hull, outermost

MOST = MOST_FACES // 2  #: faces of deforming meshes on a page: each has the data of all modes, and moves in every frame
NEAREST = 256  #: vertices whose nearest points are searched at the same time


def deforming(model: ModelData) -> list[tuple[Body, ElasticPart, Surface, str]]:
    """Return the elastic bodies that are drawn as their meshes, with their elastic part, surface and colour."""
    bodies = [body for body in model.bodies.values() if body.attachment is None]
    return [
        (body, body.elastic, body.elastic.modes.surface, color_of(k))
        for k, body in enumerate(bodies)
        if body.elastic is not None and body.elastic.modes.surface is not None and body.name not in model.shapes
    ]


def surfaces(model: ModelData, indices: Mapping[str, int]) -> tuple[list[dict[str, Any]], list[tuple[str, Hull]]]:
    """Return the meshes of elastic bodies without shapes as the page's data, and the names of bodies and their hulls.

    indices: index in the page of each frame, by name. The vertices of the mesh are in the body's mean frame; `root` is
    the node by which the page finds this frame, null if it is the body's own.
    """
    drawn = deforming(model)
    data, hulls = [], []
    for (body, elastic, _, hue), surface in zip(drawn, thinned([each[2] for each in drawn]), strict=True):
        names = [body.name, *(node.name for node in body.nodes.values())]
        data.append({
            "name": body.name, "body": indices[body.name], "nodes": [indices[name] for name in names],
            "root": None if elastic.root is None else _node(elastic.root_node),
            "vertices": numbers(surface.points), "faces": numbers(surface.faces, "<u4"),
            "shapes": numbers(np.moveaxis(surface.shapes, 2, 0)), "modes": elastic.modes.count,
            "color": list(color(hue, "color")),
        })  # fmt: skip
        root = elastic.root_node
        hulls.append((body.name, Hull(outermost((surface.points - root.position) @ root.axes))))
        hulls += [(name, Hull(np.zeros((1, 3)))) for name in names[1:]]
    return data, hulls


def coordinates(model: ModelData, rows: Rows) -> list[str]:
    """Return the coordinates of the modes in all rows, (rows, n), for each of the meshes, as the page's data."""
    return [
        numbers(np.column_stack([rows.columns[name] for name in mode_names(body, elastic)]))
        for body, elastic, _, _ in deforming(model)
    ]


def triangles(
    model: ModelData, rows: Rows, frames: Mapping[str, Frames]
) -> Iterator[tuple[np.ndarray, tuple[float, ...]]]:
    """Yield the triangles of each mesh in the first row, (n, 3, 3), m, in world axes, and its colour."""
    first = rows[np.arange(1)]
    for body, elastic, surface, hue in deforming(model):
        xi = np.column_stack([first.columns[name] for name in mode_names(body, elastic)])
        frame = Frames(frames[body.name].x[:1], frames[body.name].R[:1])
        vertices = mean_frame(body, elastic, frame, first).points(surface.displaced(xi)[0])
        yield vertices[surface.faces], color(hue, "color")


def mode_names(body: Body, elastic: ElasticPart) -> list[str]:
    """Return the names of the coordinates of a body's modes."""
    return [f"{body.name}.{suffix}" for suffix, _ in elastic.named("xi", "m")]


def _node(node: Node) -> dict[str, str]:
    parts = {"position": node.position, "axes": node.axes, "Y1": node.Y1, "Y2": node.Y2}
    return {name: numbers(part, "<f8") for name, part in parts.items()}


def thinned(meshes: list[Surface]) -> list[Surface]:
    """Return the surfaces, simplified to MOST faces in total; the vertices are some of those before."""
    count = sum(len(mesh.faces) for mesh in meshes)
    if count <= MOST:
        return meshes
    simple = simplified([(mesh.points, mesh.faces) for mesh in meshes], MOST / count)
    return [
        mesh if len(faces) == len(mesh.faces) else _among_points(mesh, vertices, faces)
        for mesh, (vertices, faces) in zip(meshes, simple, strict=True)
    ]


def _among_points(surface: Surface, vertices: np.ndarray, faces: np.ndarray) -> Surface:
    """Return a surface with faces between the points of another that are nearest to given vertices."""
    points = surface.points - surface.points.mean(axis=0)
    squares = np.einsum("ij,ij->i", points, points)
    near = [
        np.argmin(squares - 2.0 * (part - surface.points.mean(axis=0)) @ points.T, axis=1)
        for part in np.array_split(vertices, max(1, len(vertices) // NEAREST))
    ]
    corners = np.concatenate(near)[faces]
    a, b, c = corners.T
    used, own = np.unique(corners[(a != b) & (b != c) & (c != a)], return_inverse=True)
    return Surface(surface.points[used], own.reshape(-1, 3), surface.shapes[used])
