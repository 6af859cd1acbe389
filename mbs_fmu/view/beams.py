"""Elastic bodies drawn as bent bars: curves through the nodes, whose tangents turn with the axes of the nodes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..model.bodies.colors import color
from ..model.data import ModelData
from ..model.elastic_parts import ElasticPart
from ..model.items import Body
from .looks import color_of
from .stage import Hull

SLENDER = 0.02  #: radius of a bar relative to its length
STRAIGHT = 0.05  #: largest distance of a node from the line of a straight bar, relative to the bar's length


def beams(model: ModelData, indices: Mapping[str, int]) -> tuple[list[dict[str, Any]], list[tuple[str, Hull]]]:
    """Return the bars of elastic bodies without shapes and meshes as the page's data, and name and hull of each node.

    indices: index in the page of each frame, by name.
    """
    bars, hulls = [], []
    bodies = [body for body in model.bodies.values() if body.attachment is None]
    for k, body in enumerate(bodies):
        elastic = body.elastic
        if elastic is None or elastic.modes.surface is not None or body.name in model.shapes:
            continue
        for nodes in _bars(elastic):
            names = [_frame_name(body, elastic, node) for node in nodes]
            node_data = [elastic.modes.node(node) for node in nodes]
            points = np.array([node.position for node in node_data])
            radius = SLENDER * float(np.linalg.norm(points[-1] - points[0]))
            directions = [node.axes.T @ tangent for node, tangent in zip(node_data, _tangents(points), strict=True)]
            bars.append({
                "name": body.name, "nodes": [indices[name] for name in names],
                "along": [direction.tolist() for direction in directions],
                "radii": [radius, radius], "color": list(color(color_of(k), "color")),
            })  # fmt: skip
            hulls += [(name, Hull(np.zeros((1, 3)), radius)) for name in names]
    return bars, hulls


def _frame_name(body: Body, elastic: ElasticPart, node: str) -> str:
    return body.name if node == elastic.root else body.nodes[node].name


def _bars(elastic: ElasticPart) -> list[list[str]]:
    """Return the nodes of each bar: one bar if they lie on a line, otherwise bars from the first node to the others."""
    names = list(elastic.modes.nodes)
    if len(names) < 2:
        return []
    points = np.array([elastic.modes.node(name).position for name in names])
    centred = points - points.mean(axis=0)
    direction = np.linalg.svd(centred)[2][0]
    along = centred @ direction
    distance = np.linalg.norm(centred - along[:, None] * direction, axis=1)
    if distance.max() > STRAIGHT * np.ptp(along):
        return [[names[0], name] for name in names[1:]]
    return [[names[k] for k in np.argsort(along)]]


def _tangents(points: np.ndarray) -> np.ndarray:
    """Return the unit tangents of an undeformed bar at its nodes."""
    tangents = np.gradient(points, axis=0)
    return np.asarray(tangents / np.linalg.norm(tangents, axis=1, keepdims=True))
