"""Extents, masses and inertias of the shapes of links."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.importing.doctor import measuring
from mbs_fmu.importing.doctor.measuring import FORMS, Ruler
from mbs_fmu.importing.imported import ImportedShape
from support.comparisons import assert_close
from support.generators.solid_robots import write_box

pytestmark = pytest.mark.quick


def profile(kind: str, size: tuple[float, ...], z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Half axes of the section at z, which is an ellipse."""
    if kind == "ellipsoid":
        a, b, c = size
        root = np.sqrt(np.maximum(1.0 - (z / c) ** 2, 0.0))
        return a * root, b * root
    r, length = size if kind == "capsule" else (size[0], 0.0)
    beyond = np.maximum(np.abs(z) - 0.5 * length, 0.0)
    half = np.sqrt(np.maximum(r**2 - beyond**2, 0.0))
    return half, half


@pytest.mark.parametrize(
    ("kind", "size", "ends"),
    [("capsule", (0.2, 0.7), (-0.55, -0.35, 0.35, 0.55)), ("ellipsoid", (0.1, 0.2, 0.4), (-0.4, 0.4)),
     ("sphere", (0.3,), (-0.3, 0.3))],
)  # fmt: skip
def test_solids_against_integrals_over_their_sections(
    kind: str, size: tuple[float, ...], ends: tuple[float, ...]
) -> None:
    """Gauss' rule with five points is exact for the polynomials of degree four between the ends; 100 roundings."""
    x, w = np.polynomial.legendre.leggauss(5)
    mass, zz, xx = 0.0, 0.0, 0.0
    for low, high in pairwise(ends):
        z, weights = 0.5 * (low + high + (high - low) * x), 0.5 * (high - low) * w
        a, b = profile(kind, size, z)
        area = np.pi * a * b * weights
        mass, zz = mass + area.sum(), zz + (area * (a**2 + b**2) / 4.0).sum()
        xx += (area * (b**2 / 4.0 + z**2)).sum()
    matter = FORMS[kind](*size).matter
    got = [matter.mass, matter.tensor[2, 2], matter.tensor[0, 0]]
    assert_close(np.array(got), np.array([mass, zz, xx]), 1e-14, f"mass and moments of a {kind}", ["m", "zz", "xx"])


@pytest.mark.parametrize("seed", range(8))
def test_points_of_solids_lie_within_their_extent(seed: int) -> None:
    """Random points in random shapes are in the box, and not farther away than the farthest point."""
    rng = np.random.default_rng(seed)
    for kind, count in (("box", 3), ("sphere", 1), ("cylinder", 2), ("capsule", 2), ("ellipsoid", 3)):
        size = tuple(rng.uniform(0.1, 1.0, count).tolist())
        place, R = rng.normal(size=3), np.array(mbs.rpy(*rng.normal(size=3)), dtype=float)
        extent = Ruler().extent([ImportedShape(kind, size, mbs.Pose(place, R))])
        assert extent is not None
        points = place + points_in(kind, size, rng) @ R.T
        low, high = extent.bounds
        center = rng.normal(size=3)
        assert len(points) and (points >= low - 1e-12).all() and (points <= high + 1e-12).all()
        assert np.linalg.norm(points - center, axis=1).max() <= extent.farthest(center) + 1e-12


def test_rims_of_cylinders_lie_within_their_extent() -> None:
    """The points are those of a prism about the cylinder, which has at most 1 / cos(pi / 48) times its radius."""
    extent = Ruler().extent([ImportedShape("cylinder", (0.5, 1.0), mbs.Pose())])
    assert extent is not None
    for angle in np.linspace(0.0, 2.0 * np.pi, 101):
        point = np.array([-3.0 * np.cos(angle), -3.0 * np.sin(angle), 0.2])
        exact = np.hypot(3.5, 0.7)
        assert exact - 1e-12 <= extent.farthest(point) <= exact + 0.5 * (1.0 / np.cos(np.pi / 48) - 1.0) + 1e-12


def points_in(kind: str, size: tuple[float, ...], rng: np.random.Generator) -> np.ndarray:
    x = rng.uniform(-1.6, 1.6, (4000, 3))
    across, z = np.hypot(x[:, 0], x[:, 1]), np.abs(x[:, 2])
    inside = {
        "box": lambda: (np.abs(x) <= 0.5 * np.array(size)).all(axis=1),
        "sphere": lambda: np.linalg.norm(x, axis=1) <= size[0],
        "cylinder": lambda: (across <= size[0]) & (z <= 0.5 * size[1]),
        "capsule": lambda: np.hypot(across, np.maximum(z - 0.5 * size[1], 0.0)) <= size[0],
        "ellipsoid": lambda: ((x / np.array(size)) ** 2).sum(axis=1) <= 1.0,
    }[kind]()
    return x[inside]


def test_meshes_are_solids_if_they_are_closed(tmp_path: Path) -> None:
    """The mesh of a box equals the box, also mirrored, turned inside out, or open: then its box is taken."""
    edges = np.array([0.2, 0.3, 0.5])
    write_box(tmp_path / "box.obj", edges)
    text = (tmp_path / "box.obj").read_text()
    (tmp_path / "open.obj").write_text(text[: text.rindex("f ")])
    pose = mbs.Pose((0.1, 0.2, 0.3), mbs.rpy(0.3, 0.2, 0.1))
    (expected,) = Ruler().matters([ImportedShape("box", tuple(edges), pose)])
    for file, scale in (("box", (1.0, 1.0, 1.0)), ("box", (-1.0, 1.0, 1.0)), ("open", (1.0, 1.0, 1.0))):
        (found,) = Ruler().matters([ImportedShape("mesh", (), pose, file=tmp_path / f"{file}.obj", scale=scale)])
        assert_close(found.tensor, expected.tensor, 1e-15, f"inertia of {file} {scale}", "xyz")
        assert_close(found.com, expected.com, 1e-15, f"centre of mass of {file} {scale}", "xyz")
    assert Ruler().extent([ImportedShape("plane", (), pose), ImportedShape("box", (0.0, 1.0, 1.0), pose)]) is None


def test_large_meshes_are_not_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond a size of one file, or of all together: a message for each, and no extent."""
    for name in ("a", "b"):
        write_box(tmp_path / f"{name}.obj", np.ones(3))
    size = (tmp_path / "a.obj").stat().st_size
    meshes = [ImportedShape("mesh", (), mbs.Pose(), file=tmp_path / f"{name}.obj") for name in ("a", "b", "a")]
    for one, total, found in ((size - 1, 9 * size, 0), (size, 9 * size, 3), (9 * size, 2 * size - 1, 2)):
        monkeypatch.setattr(measuring, "MOST_BYTES", one)
        monkeypatch.setattr(measuring, "ALL_BYTES", total)
        ruler = Ruler()
        extent = ruler.extent(meshes)
        assert (0 if extent is None else len(extent.measures)) == found
        assert len(ruler.unread) == {0: 2, 2: 1, 3: 0}[found] and (extent is None or extent.is_partial == (found < 3))
