"""Brackets of hinges on the world: below them, or above bodies that hang, and clear of the pin."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from view.test_page import page_data

import mbs_fmu as mbs
from support.comparisons import assert_close

pytestmark = pytest.mark.quick


def on_world(axis: Any, com: Any, rotation: Any = None, **options: Any) -> list[dict[str, Any]]:
    """The world's shapes in the start of a body on a hinge at (1, 2, 3)."""
    m = mbs.Model("hinged", **options)
    at = mbs.Pose((1, 2, 3), np.eye(3) if rotation is None else rotation)
    m.body("body", joint=mbs.Revolute(axis), at=at, mass=1.0, com=com, inertia=(0.1, 0.1, 0.1))
    shapes: list[dict[str, Any]] = page_data(mbs.show(m))["bodies"][0]["shapes"]  # type: ignore[arg-type]
    return shapes


@pytest.mark.parametrize("seed", range(6))
def test_plates_are_below_or_above(seed: int) -> None:
    """The plate is across the hinge, below a body that stands or is beside it, and above one that hangs."""
    rng = np.random.default_rng(seed)
    rotation = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    rotation *= np.linalg.det(rotation)
    angle, tilt = rng.uniform(0.0, 2 * np.pi), rng.uniform(-0.8, 0.8)
    level = np.array([np.cos(angle), np.sin(angle), 0.0])
    axis = rotation.T @ (np.cos(tilt) * level + np.sin(tilt) * np.array([0, 0, 1]))
    across = np.cross(axis, rotation.T @ [0, 0, 1])
    up = np.cross(across, axis)
    for com, way in ((up, -1.0), (across, -1.0), (-up, 1.0)):
        shapes = on_world(tuple(axis), tuple(com), rotation)
        plate, *cheeks = shapes
        assert len(cheeks) == 2
        offset = rotation.T @ (np.array(plate["position"]) - (1, 2, 3))
        assert_close(offset / np.linalg.norm(offset), way * up / np.linalg.norm(up), 1e-9, "direction of the plate")
        middle = rotation.T @ (np.mean([cheek["position"] for cheek in cheeks], axis=0) - (1, 2, 3))
        assert_close(np.cross(middle, offset), 0.0, 1e-9, "offset of the cheeks' middle from the plate's direction")


def test_vertical_hinges_stand_on_a_plate() -> None:
    """The plate is below the end of the pin, or above that of a body that hangs."""
    for z, sign in ((0.3, -1.0), (-0.3, 1.0)):
        (plate,) = on_world("z", (0.1, 0, z))
        assert_close(plate["position"][:2], (1, 2), 1e-12, "place of the plate")
        assert sign * (plate["position"][2] - 3.0) > 0.5 * plate["size"][2]


def test_elastic_bodies_hang_too() -> None:
    """An elastic body counts with its centre of mass."""
    rod = mbs.beam(1.0, mbs.Rectangle(0.02, 0.01), 2.1e11, 7800.0, modes=5)
    for angle, sign in ((np.pi / 2, 1.0), (0.0, -1.0), (-np.pi / 2, -1.0)):
        m = mbs.Model("elastic")
        m.body("rod", joint=mbs.Revolute("y"), elastic=rod)
        m.start("rod", q=angle)  # pi / 2: along -z
        plate, *_ = page_data(mbs.show(m))["bodies"][0]["shapes"]  # type: ignore[arg-type]
        assert sign * plate["position"][2] > 0.0


def test_no_bracket_for_others() -> None:
    """A world with shapes of its own, a slide, and hinges between bodies have none."""
    m = mbs.Model("others")
    m.body("cart", joint=mbs.Prismatic("x"), mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.body("rod", "cart", mbs.Revolute("y"), mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.001))
    assert len(page_data(mbs.show(m))["bodies"][0]["shapes"]) == 1  # type: ignore[arg-type]  # the rail
    m.body("door", joint=mbs.Revolute("z"), mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.shape("world", mbs.Sphere(0.01))
    assert len(page_data(mbs.show(m))["bodies"][0]["shapes"]) == 1  # type: ignore[arg-type]
