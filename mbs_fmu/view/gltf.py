"""A motion as binary glTF 2.0 (Khronos Group), which 3D programs, presentations and viewers of the web play.

Each body is a node that moves over time. Rods and springs are nodes of unit length that stretch; the bent bars of
elastic bodies are chains of straight pieces; the meshes of finite element models have a morph target for each mode. All
are below a node that turns the upward direction to y, as glTF has it.
"""

from __future__ import annotations

import base64
import itertools
import json
import struct
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..elastic.frames import Node
from ..infrastructure.lazy_dataclasses import dataclass
from .gltf_solids import LINKS, Mesh, between, rod, triangles
from .poses import Frames

PIECES = 6  #: straight pieces of a bent bar between two nodes
FLOAT, UNSIGNED = 5126, 5125  #: component types of glTF
COMPONENTS = {FLOAT: "<f4", UNSIGNED: "<u4"}
KINDS = {"translation": "VEC3", "rotation": "VEC4", "scale": "VEC3", "weights": "SCALAR"}  #: of animated properties


def glb(name: str, data: Mapping[str, Any]) -> bytes:
    """Return the bytes of a .glb file, from the data of a page that plays a run."""
    file = _File(name, _numbers(data["time"], "<f8"))
    meshes = [
        (_numbers(m["vertices"]).reshape(-1, 3), _numbers(m["faces"], "<u4").reshape(-1, 3)) for m in data["meshes"]
    ]
    poses = _numbers(data["poses"]).astype(float).reshape(len(file.time), len(data["bodies"]), 7)
    x, q = np.moveaxis(poses[..., :3], 1, 0), np.moveaxis(poses[..., 3:], 1, 0)  # by body
    for k, body in enumerate(data["bodies"]):
        solids = [(mesh, shape["color"]) for shape in body["shapes"] for mesh in triangles(shape, meshes)]
        file.add(body["name"], solids, {"translation": x[k], "rotation": _continued(q[k])})
    for link in data["links"]:
        ends = [x[link[side]] + _turned(q[link[side]], np.array(link[f"at_{side}"])) for side in "ab"]
        file.add_stretched(link["name"], LINKS[link["kind"]](link["radius"]), [*link["color"], 1.0], *ends)
    for bar in data["beams"]:
        for number, (a, b) in enumerate(itertools.pairwise(_curve(bar, x, q)), start=1):
            file.add_stretched(f"{bar['name']} piece {number}", rod(bar["radii"][0]), bar["color"], a, b)
    for surface in data["surfaces"]:
        _add_surface(file, surface, x[surface["body"]], q[surface["body"]])
    return file.bytes(data["up"])


def _add_surface(file: _File, surface: Mapping[str, Any], x: np.ndarray, q: np.ndarray) -> None:
    """Add a mesh that its modes deform, from the poses of the body, (rows, 3) and (rows, 4): in its mean frame."""
    xi = _numbers(surface["xi"]).astype(float).reshape(len(x), surface["modes"])
    if surface["root"] is not None:
        numbers = {name: _numbers(part, "<f8") for name, part in surface["root"].items()}
        n = surface["modes"]
        Y1, Y2 = numbers["Y1"].reshape(6, n), numbers["Y2"].reshape(6, n, n)
        place, axes = Node(numbers["position"], numbers["axes"].reshape(3, 3), Y1, Y2).pose(xi)
        q = _after(q, Frames(place, axes).inverse.quaternions)
        x = x - _turned(q, place)
    points = _numbers(surface["vertices"]).reshape(-1, 3)
    shapes = _numbers(surface["shapes"]).reshape(-1, *points.shape)
    mesh = Morphing(points, _numbers(surface["faces"], "<u4"), shapes, surface["color"])
    file.add_morphing(surface["name"], mesh, {"translation": x, "rotation": _continued(q), "weights": xi})


def _curve(bar: Mapping[str, Any], x: np.ndarray, q: np.ndarray) -> Iterator[np.ndarray]:
    """Yield points (rows, 3) along a bent bar: the cubic curves through its nodes that the page draws."""
    nodes, along = (
        bar["nodes"],
        [_turned(q[k], np.array(way)) for k, way in zip(bar["nodes"], bar["along"], strict=True)],
    )
    yield x[nodes[0]]
    for k in range(len(nodes) - 1):
        a, b = x[nodes[k]], x[nodes[k + 1]]
        length = np.linalg.norm(b - a, axis=1, keepdims=True)
        for s in np.linspace(0.0, 1.0, PIECES + 1)[1:]:
            yield (
                (2 * s**3 - 3 * s**2 + 1) * a + (3 * s**2 - 2 * s**3) * b
                + length * ((s**3 - 2 * s**2 + s) * along[k] + (s**3 - s**2) * along[k + 1])
            )  # fmt: skip


@dataclass(frozen=True)
class Morphing:
    """A mesh with vertices (N, 3), indices of three of them for each face, and displacements by mode, (n, N, 3)."""

    points: np.ndarray
    faces: np.ndarray
    shapes: np.ndarray
    color: Sequence[float]


class _File:
    """The nodes, meshes and numbers of a file."""

    def __init__(self, name: str, time: np.ndarray):
        self.name, self.time, self.raw = name, time, bytearray()
        self.nodes: list[dict[str, Any]] = [{"name": f"axes of {name}"}]
        self.meshes: list[dict[str, Any]] = []
        self.materials: list[dict[str, Any]] = []
        self.accessors: list[dict[str, Any]] = []
        self.views: list[dict[str, Any]] = []
        self.samplers: list[dict[str, Any]] = []
        self.channels: list[dict[str, Any]] = []
        self.clock = self._accessor((time - time[0])[:, None], "SCALAR", bounds=True) if len(time) > 1 else None

    def add(self, name: str, solids: Sequence[tuple[Mesh, Sequence[float]]], motion: Mapping[str, np.ndarray]) -> None:
        """Add a node with solids and their colours; `motion` has rows of its properties, such as translation."""
        self._add_node(name, [part for mesh, color in solids for part in self._primitive(mesh, color)], motion)

    def add_morphing(self, name: str, mesh: Morphing, motion: Mapping[str, np.ndarray]) -> None:
        """Add a node with a mesh that has a morph target for each mode; programs compute its normals."""
        targets = [{"POSITION": self._accessor(shape, "VEC3", bounds=True)} for shape in mesh.shapes]
        part = {
            "attributes": {"POSITION": self._accessor(mesh.points, "VEC3", bounds=True)},
            "indices": self._accessor(mesh.faces, "SCALAR", component=UNSIGNED), "targets": targets,
            "material": self._material(mesh.color),
        }  # fmt: skip
        self._add_node(name, [part], motion)

    def _add_node(self, name: str, parts: list[dict[str, Any]], motion: Mapping[str, np.ndarray]) -> None:
        node: dict[str, Any] = {"name": name, **{key: rows[0].tolist() for key, rows in motion.items()}}
        if parts:
            node["mesh"] = len(self.meshes)
            self.meshes.append({"name": name, "primitives": parts})
        for key, rows in motion.items():
            if self.clock is not None and np.ptp(rows, axis=0).max() > 0.0:
                output = self._accessor(rows.reshape(-1, 1) if KINDS[key] == "SCALAR" else rows, KINDS[key])
                self.channels.append({"sampler": len(self.samplers), "target": {"node": len(self.nodes), "path": key}})
                self.samplers.append({"input": self.clock, "output": output, "interpolation": "LINEAR"})
        self.nodes.append(node)

    def add_stretched(self, name: str, mesh: Mesh, color: Sequence[float], a: np.ndarray, b: np.ndarray) -> None:
        """Add a solid of unit length along z as a node that reaches from points a to b, (rows, 3)."""
        length = np.linalg.norm(b - a, axis=1, keepdims=True)
        directions = np.where(length > 1e-12, (b - a) / np.maximum(length, 1e-12), (0.0, 0.0, 1.0))
        scale = np.hstack([np.ones((len(a), 2)), np.maximum(length, 1e-9)])
        self.add(name, [(mesh, color)], {"translation": a, "rotation": _continued(between(directions)), "scale": scale})

    def _primitive(self, mesh: Mesh, color: Sequence[float]) -> Iterator[dict[str, Any]]:
        """Yield the triangles of a solid, each with its normal, so that edges stay sharp."""
        corners = mesh[0][mesh[1]]
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        size = np.linalg.norm(normals, axis=1)
        corners, normals = corners[size > 1e-14], normals[size > 1e-14] / size[size > 1e-14, None]
        if len(corners):
            places = self._accessor(corners.reshape(-1, 3), "VEC3", bounds=True)
            attributes = {"POSITION": places, "NORMAL": self._accessor(np.repeat(normals, 3, axis=0), "VEC3")}
            yield {"attributes": attributes, "material": self._material(color)}

    def _material(self, color: Sequence[float]) -> int:
        """Return the index of the material of a colour, whose components are converted from sRGB to linear ones."""
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in color[:3]]
        opacity = color[3] if len(color) > 3 else 1.0
        surface = {"baseColorFactor": [*linear, opacity], "metallicFactor": 0.1, "roughnessFactor": 0.8}
        material = {
            "pbrMetallicRoughness": surface,
            "alphaMode": "BLEND" if opacity < 1.0 else "OPAQUE", "doubleSided": True,
        }  # fmt: skip
        if material not in self.materials:
            self.materials.append(material)
        return self.materials.index(material)

    def _accessor(self, rows: np.ndarray, kind: str, bounds: bool = False, component: int = FLOAT) -> int:
        """Add rows of numbers; return their index."""
        rows = np.ascontiguousarray(rows, COMPONENTS[component])
        self.views.append({"buffer": 0, "byteOffset": len(self.raw), "byteLength": rows.nbytes})
        self.raw += rows.tobytes()
        accessor = {"bufferView": len(self.views) - 1, "componentType": component, "count": len(rows), "type": kind}
        if bounds:
            accessor |= {"min": rows.min(axis=0).tolist(), "max": rows.max(axis=0).tolist()}
        self.accessors.append(accessor)
        return len(self.accessors) - 1

    def bytes(self, up: Sequence[float]) -> bytes:
        """Return the file, with an upward direction that becomes y."""
        root = np.array([*np.cross(up, (0.0, 1.0, 0.0)), 1.0 + up[1]])
        root = root / np.linalg.norm(root) if 1.0 + up[1] > 1e-6 else np.array([1.0, 0.0, 0.0, 0.0])
        self.nodes[0] |= {"rotation": root.tolist(), "children": list(range(1, len(self.nodes)))}
        content: dict[str, Any] = {
            "asset": {"version": "2.0", "generator": "mbs_fmu"}, "scene": 0, "scenes": [{"nodes": [0]}],
            "nodes": self.nodes, "accessors": self.accessors, "bufferViews": self.views, "meshes": self.meshes,
            "materials": self.materials, "buffers": [{"byteLength": len(self.raw)}],
        }  # fmt: skip
        if self.channels:
            content["animations"] = [{"name": self.name, "samplers": self.samplers, "channels": self.channels}]
        content = {key: value for key, value in content.items() if value or key == "scene"}  # no empty lists
        text = json.dumps(content, separators=(",", ":"), allow_nan=False).encode()
        text += b" " * (-len(text) % 4)
        head = struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(self.raw))
        return (
            head
            + struct.pack("<I4s", len(text), b"JSON")
            + text
            + struct.pack("<I4s", len(self.raw), b"BIN\0")
            + self.raw
        )


def _continued(q: np.ndarray) -> np.ndarray:
    """Return quaternions (rows, 4) with signs such that each is near to the one before it."""
    signs = np.where(np.einsum("ij,ij->i", q[1:], q[:-1]) < 0.0, -1.0, 1.0)
    return np.asarray(q * np.concatenate([[1.0], np.cumprod(signs)])[:, None])


def _after(q: np.ndarray, first: np.ndarray) -> np.ndarray:
    """Return the rotations by quaternions after others, both (rows, 4)."""
    vector = q[:, 3:] * first[:, :3] + first[:, 3:] * q[:, :3] + np.cross(q[:, :3], first[:, :3])
    return np.hstack([vector, q[:, 3:] * first[:, 3:] - np.einsum("ij,ij->i", q[:, :3], first[:, :3])[:, None]])


def _turned(q: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """Return a vector of body axes in world axes, for quaternions (rows, 4)."""
    axis = q[:, :3]
    return np.asarray(vector + 2.0 * np.cross(axis, np.cross(axis, vector) + q[:, 3:] * vector))


def _numbers(text: str, kind: str = "<f4") -> np.ndarray:
    """Return the numbers that `page.numbers` has written."""
    return np.frombuffer(base64.b64decode(text), kind)
