"""A motion as binary glTF: read by trimesh, and against the poses of the page."""

from __future__ import annotations

import importlib
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.pages.showing import at_start
from mbs_fmu.run.results.results import Result
from mbs_fmu.view.animation import animation_data
from mbs_fmu.view.gltf import glb
from mbs_fmu.view.poses import poses


def result_of(stop: float = 2.0) -> Result:
    """A made-up motion of a cart with a rod, a spring between the world and the rod's end, and all kinds of shapes."""
    m = mbs.Model("cart", gravity=(0, 0, -9.81))
    shapes = [
        mbs.Box(0.4, 0.2, 0.1, color="#3572a5"),
        mbs.Sphere(0.1),
        mbs.Capsule(0.05, 0.3),
        mbs.Ellipsoid(0.1, 0.2, 0.3),
        mbs.Ring(0.2, 0.02),
    ]
    cart = m.body("cart", joint=mbs.Prismatic("x"), mass=1.0, shape=shapes)
    bars = [mbs.Cylinder(0.02, 1.0, at=(0, 0, -0.5)), mbs.Line([(0, 0, 0), (0, 0.1, -0.5), (0, 0, -1)], 0.01)]
    rod = m.body("rod", cart, mbs.Revolute("y"), mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.001), shape=bars)
    m.spring("spring", "world", rod, stiffness=1.0, at_a=(2, 0, 0), at_b=(0, 0, -1))
    time = np.linspace(0.0, stop, 121)
    data = np.column_stack([time, np.sin(time), 8.0 * time])
    return Result("cart", ["time", "cart.s", "rod.phi"], data, {}, {}, model=m)


def parts(path: Path) -> tuple[dict[str, Any], bytes]:
    """JSON and numbers of a file."""
    content = path.read_bytes()
    magic, version, size = struct.unpack("<4sII", content[:12])
    length, kind = struct.unpack("<I4s", content[12:20])
    assert (magic, version, size, kind) == (b"glTF", 2, len(content), b"JSON")
    rest = content[20 + length :]
    assert rest[4:8] == b"BIN\0" and struct.unpack("<I", rest[:4])[0] == len(rest) - 8
    return json.loads(content[20 : 20 + length]), rest[8:]


def rows(file: dict[str, Any], raw: bytes, index: int) -> np.ndarray:
    accessor = file["accessors"][index]
    view = file["bufferViews"][accessor["bufferView"]]
    numbers = np.frombuffer(raw, "<f4", view["byteLength"] // 4, view["byteOffset"])
    return numbers.reshape(accessor["count"], -1).astype(float)


def motion(file: dict[str, Any], raw: bytes, name: str) -> dict[str, np.ndarray]:
    """Rows of a node's properties over time; constant ones have one row."""
    index = next(k for k, node in enumerate(file["nodes"]) if node["name"] == name)
    node = file["nodes"][index]
    found = {key: np.array([node[key]]) for key in ("translation", "rotation", "scale") if key in node}
    animation = file["animations"][0]
    for channel in animation["channels"]:
        if channel["target"]["node"] == index:
            sampler = animation["samplers"][channel["sampler"]]
            found[channel["target"]["path"]] = rows(file, raw, sampler["output"])
    return found


def turned(q: np.ndarray, vector: np.ndarray) -> np.ndarray:
    axis = q[:, :3]
    return np.asarray(vector + 2 * np.cross(axis, np.cross(axis, vector) + q[:, 3:] * vector))


def test_the_motion(tmp_path: Path) -> None:
    """Bodies move as the result says, quaternions never jump, and the spring reaches from end to end."""
    result = result_of()
    file, raw = parts(result.to_gltf(tmp_path / "motion.glb"))
    time = rows(file, raw, file["animations"][0]["samplers"][0]["input"])[:, 0]
    cart, rod, spring = (motion(file, raw, name) for name in ("cart", "rod", "spring"))
    np.testing.assert_allclose(cart["translation"][:, 0], np.sin(time), atol=1e-6)
    phi, q = 8.0 * time, rod["rotation"]
    np.testing.assert_allclose(turned(q, np.array([0, 0, -1.0]))[:, 0], -np.sin(phi), atol=2e-6)
    assert (np.einsum("ij,ij->i", q[1:], q[:-1]) > 0.9).all()
    length = spring["scale"][:, 2]
    start = np.broadcast_to(spring["translation"], (len(time), 3))
    end = start + length[:, None] * turned(spring["rotation"], np.array([0.0, 0.0, 1.0]))
    np.testing.assert_allclose(start, [[2, 0, 0]] * len(time), atol=1e-6)
    np.testing.assert_allclose(end[:, 0], np.sin(time) - np.sin(phi), atol=1e-5)
    np.testing.assert_allclose(end[:, 2], -np.cos(phi), atol=1e-5)
    root = np.array([file["nodes"][0]["rotation"]])
    np.testing.assert_allclose(turned(root, np.array([0.0, 0.0, 1.0])), [[0, 1, 0]], atol=1e-12)


def test_another_program_reads_it(tmp_path: Path) -> None:
    """trimesh finds a solid for every shape, with the volumes of the shapes."""
    trimesh = pytest.importorskip("trimesh", reason="the package trimesh reads glTF")
    scene = trimesh.load(result_of().to_gltf(tmp_path / "motion.glb"))
    for solid in scene.geometry.values():
        solid.merge_vertices(merge_norm=True, merge_tex=True)
    volumes = [abs(solid.volume) for solid in scene.geometry.values()]
    assert len(scene.geometry) == 5 + 1 + 2 + 1  # of the cart, of the rod, of its line, the spring
    for exact, tolerance in ((0.4 * 0.2 * 0.1, 1e-5), (4 / 3 * np.pi * 0.1**3, 0.035), (np.pi * 0.02**2, 0.012)):
        # 24 sides, of balls 11 steps
        assert min(abs(volume / exact - 1) for volume in volumes) < tolerance, f"no volume is {exact}: {volumes}"


def test_bent_bars_are_chains(tmp_path: Path) -> None:
    """Pieces of an elastic boom join each other, from its foot to its tip; a single row has no animation."""
    model = importlib.import_module("boom_with_load").boom_with_load()
    recorded = at_start(model).recorded(model)
    (tmp_path / "boom.glb").write_bytes(glb("boom", animation_data(recorded)))
    file, _ = parts(tmp_path / "boom.glb")
    assert "animations" not in file
    pieces = [node for node in file["nodes"] if " piece " in node["name"]]
    ends = [
        np.array(node["translation"])
        + node["scale"][2] * turned(np.array([node["rotation"]]), np.array([0.0, 0.0, 1.0]))[0]
        for node in pieces
    ]
    for end, follower in zip(ends[:-1], pieces[1:], strict=True):
        np.testing.assert_allclose(end, follower["translation"], atol=1e-6)
    frames = poses(model, recorded.rows)
    distances = {name: float(np.linalg.norm(frame.x[0] - ends[-1])) for name, frame in frames.items()}
    assert min(distances.values()) < 1e-6, f"the last piece ends at no body: distances {distances}"
    assert len(pieces) >= 6


def test_names_of_files(tmp_path: Path) -> None:
    with pytest.raises(mbs.ArgumentError, match=r"give a name that ends in \.glb"):
        result_of().to_gltf(tmp_path / "motion.gltf")
    with pytest.raises(mbs.ModelError, match="does not know its model"):
        Result("cart", ["time"], np.zeros((1, 1)), {}, {}).to_gltf(tmp_path / "motion.glb")
