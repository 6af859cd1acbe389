"""Data of a live page's scene: shapes, their changes with parameters, and data for the space of the motion."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..infrastructure.errors import ModelError
from ..model.geometry.axes import third_axis
from ..model.items import WORLD, Body
from .animation import Recorded, connected_bodies, drawn_bodies, drawn_links, elastic_bodies
from .meshes import Meshes
from .page import numbers
from .poses import Rows, poses
from .stage import DIRECTIONS, TURNED, Hull, ground, outermost, stage
from .traces import Traces, traced_points

CHANGE = 1e-4  #: change of a parameter from which slopes are computed, relative to its value
LEAST = 1e-6  #: slopes below this are zero
LENGTHS = ("size", "radius", "radii")  #: lengths of shapes, which stay positive

Place = tuple[str | int, ...]  #: keys from the page's data to one of its numbers


class LiveScene:
    """The scene of a model at its start.

    recorded: the model and one row, its start. The page computes the space of the motion itself, because it runs ahead;
    this gives it the outermost corners of each body and the directions in which it looks for the room's corners.
    """

    def __init__(self, recorded: Recorded):
        self.model, self.rows = recorded.model, recorded.rows
        self.names = [WORLD, *self.model.bodies]
        self.index = {name: k for k, name in enumerate(self.names)}
        self.frames = poses(self.model, self.rows)

    def data(self, traces: Traces, follow: str | Body | None, eye: Any) -> dict[str, Any]:
        """Return the scene's part of the page's data. Raises ModelError for unknown names and unreadable meshes."""
        model = self.model
        followed = None if follow is None else model.known_body(follow, "follow")
        meshes = Meshes()
        shapes, hulls = self._shapes(self.rows, meshes)
        elastic = elastic_bodies(model, self.index, hulls)
        return {
            **shapes,
            "meshes": [{"vertices": numbers(v), "faces": numbers(f, "<u4")} for v, f in meshes.thinned()],
            **elastic,
            "traces": [{**trace, "body": self.index[trace["body"]]} for trace in traced_points(model, traces)],
            "follow": -1 if followed is None else self.index[followed],
            **self._room(hulls, followed, eye),
        }

    def _shapes(self, rows: Rows, meshes: Meshes) -> tuple[dict[str, Any], dict[str, list[Hull]]]:
        bodies, hulls = drawn_bodies(self.model, rows, self.frames, meshes)
        return {"bodies": bodies, "links": drawn_links(self.model, rows, self.frames, self.index, bodies)}, hulls

    def _room(self, hulls: Mapping[str, list[Hull]], followed: str | None, eye: Any) -> dict[str, Any]:
        """Return up, eye and first extents, each body's corners, the directions of search, and the room's axes."""
        up = ground(self.model, self.rows)
        near = hulls if followed is None else {x: hulls[x] for x in connected_bodies(self.model, followed)}
        whole = stage(near, self.frames, up, followed, eye)
        axes = third_axis((0.0, 0.0, 1.0) if up is None else _triple(up))
        return {
            **whole,
            "reach": stage(hulls, self.frames, up, followed, eye)["size"],
            "corners": [_corners(near.get(name, ())) for name in self.names],
            "axes": axes.T.tolist(),
            "ways": np.vstack([DIRECTIONS @ axes.T, DIRECTIONS @ TURNED]).tolist(),
        }

    def changes(self, slots: Mapping[str, int]) -> list[dict[str, Any]]:
        """Return the numbers of the page that depend on parameters.

        Each has its `place`, its value at the start (`base`) and the terms of its change (`by`): the slot of a
        parameter, the parameter's value at the start, and the slope. Slopes are central differences: exact for
        numbers that are linear in lengths. `length` is true for sizes, which the page keeps positive.
        """
        base = dict(_leaves(self._shapes(self.rows, Meshes())[0]))
        terms: dict[Place, list[list[float]]] = {}
        for name, value in self.rows.parameters.items():
            for place, slope in self._slopes(name, value):
                terms.setdefault(place, []).append([slots[name], value, slope])
        return [
            {"place": place, "base": base[place], "by": by, "length": any(key in LENGTHS for key in place)}
            for place, by in terms.items()
        ]

    def _slopes(self, name: str, value: float) -> Iterator[tuple[Place, float]]:
        step = CHANGE * max(abs(value), 1e-3)
        try:
            low, high = (dict(_leaves(self._at(name, value + side * step))) for side in (-1, 1))
        except (ArithmeticError, ValueError, ModelError):
            return  # no shape exists on one side: it stays as it is
        if low.keys() != high.keys():
            return
        for place, number in high.items():
            slope = (number - low[place]) / (2.0 * step)
            if abs(slope) > LEAST:
                yield place, slope

    def _at(self, name: str, value: float) -> dict[str, Any]:
        """Return the shapes for another value of a parameter."""
        return self._shapes(Rows(self.rows.columns, {**self.rows.parameters, name: value}), Meshes())[0]


def _triple(vector: np.ndarray) -> tuple[float, float, float]:
    x, y, z = vector.tolist()
    return x, y, z


def _corners(hulls: Sequence[Hull]) -> list[list[float]]:
    """Return the outermost points of a body, m, in its axes."""
    if not hulls:
        return []
    corners: list[list[float]] = outermost(np.concatenate([hull.filled() for hull in hulls])).tolist()
    return corners


def _leaves(data: Any, place: Place = ()) -> Iterator[tuple[Place, float]]:
    """Yield all floats of nested dictionaries and lists, by their places."""
    if isinstance(data, float):
        yield place, data
    elif isinstance(data, (dict, list)):
        for key, part in data.items() if isinstance(data, dict) else enumerate(data):
            yield from _leaves(part, (*place, key))
