"""Data of an animated page, from a model and the rows of a result."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

import numpy as np

from ..infrastructure.arguments import finite
from ..infrastructure.errors import ArgumentError, ModelError
from ..infrastructure.lazy_dataclasses import dataclass
from ..infrastructure.messages.failures import display
from ..infrastructure.messages.names import listed
from ..model.closures import PairClosure
from ..model.data import ModelData
from ..model.items import WORLD, Body
from .beams import beams
from .contact_arrows import arrows
from .looks import Attached, color_of, links, reach_of, sketch
from .meshes import Meshes
from .page import Page, numbers, page
from .poses import Frames, Rows, poses
from .solids import solid
from .stage import Hull, ground, stage
from .surfaces import coordinates, surfaces
from .terrain import fitted
from .traces import Traces, trace_paths, traced_points

FRAMES = 60  #: frames per second of playing time
RATES = (0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 50, 100, 1000)  #: playback speeds that a page offers
REAL_TIME = (2.0, 40.0)  #: shortest and longest motion that is played in real time, s
PLAYED = 10.0  #: approximate playing time of other motions, s
THICK, THIN = 0.02, 0.0025  #: radius of rods and springs over the reach of their ends, and of ropes
STEEL = (0.35, 0.39, 0.44)  #: rods and springs
SCALES = "m/N, 0 or more"
MOST_PLOTS = 6  #: outputs that are plotted by default


@dataclass(frozen=True)
class Recorded:
    """The source of a page: a model and the rows of a run.

    units: of columns, by name. vectors: columns of the components of vectors, by name. caption: replaces the model's
    description on the page.
    """

    model: ModelData
    rows: Rows
    units: Mapping[str, str | None] = field(default_factory=dict)
    vectors: Mapping[str, Sequence[str]] = field(default_factory=dict)
    caption: str = ""

    def __post_init__(self) -> None:
        """Raise ModelError if the result lacks a coordinate of the model, or has no rows."""
        bodies = self.model.bodies.values()
        for name in ["time", *(f"{body.name}.{suffix}" for body in bodies for suffix, _ in body.coordinates)]:
            if name not in self.rows.columns:
                raise ModelError(f"the result has no column {name!r}: is it one of model {self.model.name!r}?")
        if not len(self.rows):
            raise ModelError(f"the result of model {self.model.name!r} has no rows: there is nothing to show")


Plots = Sequence[str | Sequence[str]] | None


def animation(
    recorded: Recorded, traces: Traces = (), plots: Plots = None, follow: str | Body | None = None, eye: Any = None,
    force_scale: float | None = None,
) -> Page:  # fmt: skip
    """Return the page of a run; arguments as those of `Result.animate`. Raises ModelError."""
    data = animation_data(recorded, traces, plots, follow, eye, force_scale)
    return page(recorded.model.name, recorded.caption or recorded.model.description, data)


def animation_data(
    recorded: Recorded, traces: Traces = (), plots: Plots = None, follow: str | Body | None = None, eye: Any = None,
    force_scale: float | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Return the data of the page of a run; arguments as those of `Result.animate`. Raises ModelError."""
    if force_scale is not None and finite(force_scale, "force_scale", SCALES) < 0.0:
        raise ArgumentError(f"force_scale is {display(force_scale)}: give {SCALES}")
    model = recorded.model
    traced, series = traced_points(model, traces), titled_plots(recorded, plots)
    rate = _rate(recorded.rows.time)
    shown = thinned(recorded.rows.time, rate / FRAMES)
    rows = recorded.rows[shown]
    frames = poses(model, rows)
    names = [WORLD, *model.bodies]
    number = {name: k for k, name in enumerate(names)}
    followed = -1 if follow is None else number[model.known_body(follow, "follow")]
    meshes = Meshes()
    bodies, hulls = drawn_bodies(model, rows, frames, meshes)
    elastic = elastic_bodies(model, number, hulls)
    for mesh, xi in zip(elastic["surfaces"], coordinates(model, rows), strict=True):
        mesh["xi"] = xi
    data: dict[str, Any] = {
        "time": numbers(rows.time, "<f8"),
        "rate": rate,
        "poses": numbers(np.stack([np.hstack([frames[n].x, frames[n].quaternions]) for n in names], axis=1)),
        "bodies": bodies,
        "meshes": [{"vertices": numbers(v), "faces": numbers(f, "<u4")} for v, f in meshes.thinned()],
        "links": drawn_links(model, rows, frames, number, bodies),
        **elastic,
        "traces": trace_paths(model, recorded.rows, shown, traced),
        "plots": [
            {"title": title, "series": [{"label": c, "values": numbers(rows.columns[c], "<f8")} for c in columns]}
            for title, columns in series
        ],
        "follow": followed,
    }
    up = ground(model, rows)
    if follow is None:
        data |= stage(hulls, frames, up, None, eye)
        data["reach"] = data["size"]
    else:  # the scene shows the followed mechanism; the camera's range includes all bodies
        near = {x: hulls[x] for x in connected_bodies(model, names[followed])}
        data |= stage(near, frames, up, names[followed], eye)
        data["reach"] = stage(hulls, frames, up, names[followed], eye)["size"]
    data["arrows"] = arrows(model, rows, frames, data["size"], force_scale)
    return data


def extent(recorded: Recorded) -> float:
    """Return the size of the mechanism in its first row, m."""
    rows = recorded.rows[np.arange(1)]
    frames = poses(recorded.model, rows)
    _, hulls = drawn_bodies(recorded.model, rows, frames, Meshes())
    elastic_bodies(recorded.model, dict.fromkeys(frames, 0), hulls)
    return float(stage(hulls, frames, None, None, None)["size"])


# -- time ----------------------------------------------------------------------------------------------------
def _rate(time: np.ndarray) -> float:
    """Return the playback speed at which a viewer can follow the motion."""
    span = float(time[-1] - time[0])
    if span <= 0.0 or REAL_TIME[0] <= span <= REAL_TIME[1]:
        return 1
    return min(RATES, key=lambda rate: abs(np.log(span / rate / PLAYED)))


def thinned(time: np.ndarray, least: float) -> np.ndarray:
    """Return the indices of rows that are at least about `least` seconds apart, with the first and the last row."""
    if len(time) < 2:
        return np.arange(len(time))
    _, rows = np.unique(np.floor((time - time[0]) / least + 1e-9), return_index=True)
    return np.unique(np.append(rows, len(time) - 1))


# -- bodies --------------------------------------------------------------------------------------------------
def drawn_bodies(
    model: ModelData, rows: Rows, frames: Mapping[str, Frames], meshes: Meshes
) -> tuple[list[dict[str, Any]], dict[str, list[Hull]]]:
    """Return name and solids of the world and of every body, and their hulls by body."""
    attached = Attached.of(model)
    size = _size(model, attached, rows, frames)
    colors = {name: color_of(k) for k, name in enumerate(b.name for b in model.bodies.values() if b.attachment is None)}
    looks = {name: list(model.shapes.get(name, ())) for name in frames}
    if WORLD not in model.shapes:
        looks[WORLD] += attached.shapes.get(WORLD, [])
    for body in model.bodies.values():
        if body.name not in model.shapes and body.attachment is None:
            drawing = sketch(model, attached, body, rows, colors[body.name], size)
            looks[body.name] += drawing.own
            if body.parent not in model.shapes:
                looks[body.parent] += drawing.on_parent
    entries, hulls = [], {}
    for name in [WORLD, *model.bodies]:
        shapes = [fitted(shape, name, frames, size, rows) for shape in looks[name]]
        solids = [solid(shape, rows, colors.get(name, "#8c959f"), meshes) for shape in shapes]
        entries.append({"name": name, "shapes": [part for parts, _ in solids for part in parts]})
        hulls[name] = [hull for _, hull in solids]
    return entries, hulls


def elastic_bodies(
    model: ModelData, indices: Mapping[str, int], hulls: Mapping[str, list[Hull]]
) -> dict[str, list[dict[str, Any]]]:
    """Return the bars and meshes of elastic bodies, and add their hulls; indices: of frames in the page, by name."""
    (bars, nodes), (meshes, skins) = beams(model, indices), surfaces(model, indices)
    for name, hull in [*nodes, *skins]:
        hulls[name].append(hull)
    return {"beams": bars, "surfaces": meshes}


def _size(model: ModelData, attached: Attached, rows: Rows, frames: Mapping[str, Frames]) -> float:
    """Return the size of bodies without a size of their own, m: the largest reach of the other bodies.

    If no body has a reach: the largest distance of bodies in the first row, but at least a fifth of their travel.
    """
    bodies = (body for body in model.bodies.values() if body.attachment is None)
    reach = max((reach_of(model, attached, body, rows) for body in bodies), default=0.0)
    if reach > 0.0:
        return reach
    paths = np.stack([f.x for f in frames.values()])  # (bodies, rows, 3)
    distance, travel = np.ptp(paths[:, 0], axis=0).max(), np.ptp(paths.reshape(-1, 3), axis=0).max()
    return max(float(distance), 0.2 * float(travel), 1e-3)


def connected_bodies(model: ModelData, name: str) -> set[str]:
    """Return a body and all bodies that joints and loops connect to it, without the world."""
    pairs = [(body.name, body.parent) for body in model.bodies.values()]
    for loop in model.loops.values():
        if isinstance(loop, PairClosure) and loop.mode is None:
            sides = [side.body for side in loop.sides]
            pairs += itertools.pairwise(sides)
    joined: dict[str, list[str]] = {}
    for a, b in pairs:
        if WORLD not in (a, b):
            joined.setdefault(a, []).append(b)
            joined.setdefault(b, []).append(a)
    connected, pending = {name}, [name]
    while pending:
        new = set(joined.get(pending.pop(), ())) - connected
        connected |= new
        pending += new
    return connected


def drawn_links(
    model: ModelData, rows: Rows, frames: Mapping[str, Frames], number: Mapping[str, int],
    bodies: Sequence[Mapping[str, Any]],
) -> list[dict[str, Any]]:  # fmt: skip
    """Return rods, springs and ropes, with their radii, or such that suit the bodies that they join."""
    entries, least = [], 0.25 * _largest(bodies)
    for name, link in links(model).items():
        ends = [[rows.constant(x) for x in at] for at in (link.at_a, link.at_b)]
        reach = max(*(float(np.linalg.norm(end)) for end in ends), least)
        if link.radius is not None:
            radius = rows.constant(link.radius)
        elif link.thin:  # still visible in its length
            a, b = (frames[body].points(end)[0] for body, end in zip((link.a, link.b), ends, strict=True))
            radius = THIN * max(reach, float(np.linalg.norm(b - a)))
        else:
            radius = THICK * reach
        entries.append({
            "name": name, "kind": link.kind, "a": number[link.a], "b": number[link.b], "at_a": ends[0],
            "at_b": ends[1], "color": STEEL,
            "radius": radius,
        })  # fmt: skip
    return entries


def _largest(bodies: Sequence[Mapping[str, Any]]) -> float:
    """Return the largest size of a solid, m."""
    return max((max(shape["size"], default=0.0) for body in bodies for shape in body["shapes"]), default=1.0)


# -- plots -------------------------------------------------------------------------------------------------------
def titled_plots(recorded: Recorded, plots: Plots) -> list[tuple[str, list[str]]]:
    """Return title and columns of each plot. Raises ArgumentError."""
    model, vectors = recorded.model, recorded.vectors
    if isinstance(plots, str):
        raise ArgumentError(f"plots is {plots!r}: give a list of columns, and lists of those that share a plot")
    outputs = [name for name in model.outputs if all(c in recorded.rows.columns for c in vectors.get(name, [name]))]
    titled = []
    for entry in outputs[:MOST_PLOTS] if plots is None else plots:
        if not isinstance(entry, str | list | tuple):
            raise ArgumentError(
                f"plots has {display(entry)}: give names of columns, and lists of those that share a plot"
            )
        names = [entry] if isinstance(entry, str) else list(entry)
        if not all(isinstance(name, str) for name in names):
            raise ArgumentError(f"plots has {display(entry)}: columns are given by their names")
        columns = [c for name in names for c in vectors.get(name, [name])]
        for column in columns:
            if column not in recorded.rows.columns:
                have = listed(recorded.rows.columns)
                raise ArgumentError(f"plots: no result {display(column)}; there are {have}")
        units = {recorded.units.get(c) for c in columns}
        unit = next(iter(units)) if len(units) == 1 else None
        titled.append((", ".join(names) + (f" ({unit})" if unit else ""), columns))
    return [(title, columns) for title, columns in titled if columns]
