"""Elastic bodies as bent bars: curves through their nodes, tangent to the axes of these."""

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

SLENDER = 0.02  #: radius of a bar over its length
STRAIGHT = 0.05  #: largest distance of nodes from a straight bar over its length


def beams(model: ModelData, number: Mapping[str, int]) -> tuple[list[dict[str, Any]], list[tuple[str, Hull]]]:
    """Return the bars of all elastic bodies in a page's form, and a hull for each node, with the name of its frame.

    number: index of each frame in the page.
    """
    bars, hulls = [], []
    bodies = [body for body in model.bodies.values() if body.attachment is None]
    for k, body in enumerate(bodies):
        elastic = body.elastic
        for nodes in _bars(elastic) if elastic is not None else []:
            assert elastic is not None
            names = [_frame(body, elastic, node) for node in nodes]
            places = [elastic.modes.node(node) for node in nodes]
            points = np.array([place.place for place in places])
            radius = SLENDER * float(np.linalg.norm(points[-1] - points[0]))
            along = [place.axes.T @ tangent for place, tangent in zip(places, _tangents(points), strict=True)]
            bars.append({
                "name": body.name, "nodes": [number[name] for name in names], "along": [a.tolist() for a in along],
                "radii": [radius, radius], "color": list(color(color_of(k), "color")),
            })  # fmt: skip
            hulls += [(name, Hull(np.zeros((1, 3)), radius)) for name in names]
    return bars, hulls


def _frame(body: Body, elastic: ElasticPart, node: str) -> str:
    return body.name if node == elastic.root else body.nodes[node].name


def _bars(elastic: ElasticPart) -> list[list[str]]:
    """Return the nodes of each bar: one bar if they lie on a line, otherwise bars from the first node to the others."""
    names = list(elastic.modes.nodes)
    if len(names) < 2:
        return []
    points = np.array([elastic.modes.node(name).place for name in names])
    from_middle = points - points.mean(axis=0)
    direction = np.linalg.svd(from_middle)[2][0]
    along = from_middle @ direction
    distance = np.linalg.norm(from_middle - along[:, None] * direction, axis=1)
    if distance.max() > STRAIGHT * np.ptp(along):
        return [[names[0], name] for name in names[1:]]
    return [[names[k] for k in np.argsort(along)]]


def _tangents(points: np.ndarray) -> np.ndarray:
    """Return the unit tangents of an undeformed bar at its nodes."""
    tangents = np.gradient(points, axis=0)
    return np.asarray(tangents / np.linalg.norm(tangents, axis=1, keepdims=True))
