"""Elements of plates and shells: patch tests, rigid motions, mass, published frequencies, buckling, and their K_g."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

pytest.importorskip("scipy")
import scipy.linalg
import scipy.sparse.linalg

from mbs_fmu.elastic.elements.plate_elements import PlateElements
from mbs_fmu.elastic.elements.triangles import triangles
from mbs_fmu.elastic.meshes.selections import Material
from mbs_fmu.elastic.plate import plate_model
from mbs_fmu.elastic.reduction.structures import Structure, rigid_motions
from support.comparisons import assert_close
from support.surfaces import grid, turned

pytestmark = pytest.mark.quick

Array = np.ndarray
E, NU, DENSITY, H = 7e10, 0.3, 2700.0, 0.002
D = E * H**3 / 12 / (1 - NU**2)  #: bending stiffness, N m
Model = tuple[Array, PlateElements]


def rectangular(counts: tuple[int, int], sides: tuple[float, float], nu: float = NU) -> Model:
    model = plate_model(sides, H, (E, nu, DENSITY), counts)
    return model.places, model.elements


def triangular(counts: tuple[int, int], sides: tuple[float, float], nu: float = NU, shift: float = 0.0) -> Model:
    places, cells = grid(counts, sides, shift)
    return places, triangles(cells, places, H, Material(E, nu, DENSITY))


def irregular(counts: tuple[int, int], sides: tuple[float, float], nu: float = NU) -> Model:
    return triangular(counts, sides, nu, shift=0.3)


KINDS: list[Callable[..., Model]] = [rectangular, triangular, irregular]


def rim(places: Array) -> Array:
    """Return which nodes lie on the rim of a rectangle."""
    low, high = places.min(0), places.max(0)
    return np.asarray(((places == low) | (places == high))[:, :2].any(axis=1))


# -- patch tests -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", KINDS)
def test_constant_strains_and_curvatures_are_exact(kind: Callable[..., Model]) -> None:
    """No forces inside, and the energy of the strains: ½ A (h εᵀCε + h³/12 κᵀCκ)."""
    places, elements = kind((4, 3), (0.5, 0.3))
    x, y = places[:, 0], places[:, 1]
    G, k = np.array([[0.3, 0.8], [-0.2, 0.5]]), np.array([0.7, -0.4, 0.9])  # ∂u_i/∂x_j; w,xx w,yy 2 w,xy
    u = np.zeros((len(places), 6))
    u[:, :2] = places[:, :2] @ G.T
    u[:, 2] = 0.5 * (k[0] * x * x + k[1] * y * y + k[2] * x * y)
    u[:, 3], u[:, 4] = k[1] * y + 0.5 * k[2] * x, -(k[0] * x + 0.5 * k[2] * y)
    u[:, 5] = 0.5 * (G[1, 0] - G[0, 1])
    K = elements.assembled(len(places))[1]
    strains, C = np.array([G[0, 0], G[1, 1], G[0, 1] + G[1, 0]]), np.array([[1, NU, 0], [NU, 1, 0], [0, 0, 0.35]])
    C = C * E / (1 - NU**2)
    for part, energy in (([0, 1, 5], H * strains @ C @ strains), ([2, 3, 4], H**3 / 12 * k @ C @ k)):
        alone = np.zeros_like(u)
        alone[:, part] = u[:, part]
        f = (K @ alone.ravel()).reshape(-1, 6)
        assert alone.ravel() @ f.ravel() == pytest.approx(0.15 * energy, rel=1e-9), part
        assert np.abs(f[~rim(places)]).max() < 1e-9 * np.abs(f).max(), f"forces inside, {part}"


@pytest.mark.parametrize("kind", KINDS)
def test_elements_resist_deformations_alone(kind: Callable[..., Model]) -> None:
    """Six rigid motions cost no energy, and nothing else: no element has a hidden mechanism."""
    places, elements = kind((2, 2), (0.3, 0.2))
    K = elements.assembled(len(places))[1].toarray()
    G = rigid_motions(places, np.zeros(3), 6)
    assert_close(K @ G, 0.0, 1e-11 * np.abs(K).max(), "force of a rigid motion")
    scale = 1.0 / np.sqrt(np.diag(K))
    values = np.linalg.eigvalsh(K * np.outer(scale, scale))
    assert_close(values[:6], 0.0, 1e-12, "stiffness of a rigid motion")
    assert values[6] > 1e-7, values[:8]


@pytest.mark.parametrize("kind", [rectangular, triangular])
def test_one_row_of_long_elements_bends_in_its_plane_as_a_beam(kind: Callable[..., Model]) -> None:
    """Compliance 12 L/(E h b³) to a pair of moments, ν = 0, whatever the sides (Felippa 2003): elements do not lock."""
    for ratio in (1.0, 3.0, 10.0):
        places, elements = kind((8, 1), (8.0 * ratio, 1.0), nu=0.0)
        K = elements.assembled(len(places))[1].toarray()
        f = np.zeros((len(places), 6))
        for end, sign in ((0.0, 1.0), (8.0 * ratio, -1.0)):
            here = np.isclose(places[:, 0], end)
            f[here, 0] = sign * np.sign(places[here, 1])  # a moment of 1 N m
        u = np.linalg.lstsq(K, f.ravel(), rcond=1e-13)[0]
        assert u @ f.ravel() == pytest.approx(12.0 * 8.0 * ratio / (E * H), rel=0.03), f"sides {ratio} to 1"


# -- mass --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", KINDS)
def test_mass_and_inertia_are_those_of_the_plate(kind: Callable[..., Model]) -> None:
    a, b = 0.5, 0.3
    places, elements = kind((4, 3), (a, b))
    G = rigid_motions(places, np.array([0.5 * a, 0.0, 0.0]), 6)
    m = DENSITY * a * b * H
    expected = m * np.diag([1, 1, 1, (b**2 + H**2) / 12, (a**2 + H**2) / 12, (a**2 + b**2) / 12])
    np.testing.assert_allclose(G.T @ (elements.assembled(len(places))[0] @ G), expected, rtol=0, atol=1e-12 * m)


@pytest.mark.parametrize("seed", range(3))
def test_mass_and_inertia_of_a_random_shell_are_those_of_its_triangles(seed: int) -> None:
    """S = ρh ∫x xᵀ dA + ρh³/12 Σ A n nᵀ, with ∫x xᵀ dA of each triangle from the middles of its edges."""
    places, cells = random_shell(seed)
    h, density = 0.03, 2000.0
    elements = triangles(cells, places, h, Material(1e9, 0.2, density))
    G = rigid_motions(places, np.zeros(3), 6)
    momenta = G.T @ (elements.assembled(len(places))[0] @ G)
    at = places[cells]
    normals = 0.5 * np.cross(at[:, 1] - at[:, 0], at[:, 2] - at[:, 0])
    areas = np.linalg.norm(normals, axis=1)
    middles = 0.5 * (at + at[:, [1, 2, 0]])
    S = density * h * np.einsum("n,nei,nej->ij", areas / 3, middles, middles)
    S += density * h**3 / 12 * np.einsum("n,ni,nj->ij", 1.0 / areas, normals, normals)
    np.testing.assert_allclose(momenta[3:, 3:], np.trace(S) * np.eye(3) - S, rtol=0, atol=1e-12 * np.trace(S))
    center = areas @ at.mean(1) * density * h
    np.testing.assert_allclose(momenta[:3, :3], density * h * areas.sum() * np.eye(3), rtol=0, atol=1e-12 * S.max())
    np.testing.assert_allclose(momenta[3:, :3] @ np.array([1.0, 0, 0]), np.cross(center, [1.0, 0, 0]), atol=1e-12)


def random_shell(seed: int) -> tuple[Array, Array]:
    """Return points and triangles of a crumpled surface in space."""
    points, cells = grid((4, 3), (0.5, 0.3), 0.3, seed)
    points[:, 2] = 0.05 * np.random.default_rng(seed).standard_normal(len(points))
    return turned(points, seed)[0], cells


# -- stress stiffness --------------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", [rectangular, irregular])
@pytest.mark.parametrize("seed", range(3))
def test_stress_stiffness_turns_the_forces_with_a_rotation(kind: Callable[..., Model], seed: int) -> None:
    """K_g(u) Gθ = θ × (K u) for membrane forces, tested by the work on stretching motions of the whole plate.

    A uniform stretching S x, S symmetric, has no rotation of nodes. Membrane forces of any u in the plane turn with a
    rotation θ: their work on a motion v is v · (θ × f), where θ × (θ' × x) of two rotations has the stretching ½(θ θ'ᵀ
    + θ' θᵀ) - θ·θ' E. The plate has a random place in space.
    """
    rng = np.random.default_rng([31, seed])
    flat, elements = kind((4, 3), (0.5, 0.3))
    places, R = turned(flat, seed)
    elements = replace(elements, axes=R @ elements.axes)
    K = elements.assembled(len(places))[1]
    u = np.zeros((len(places), 2, 3))
    u[:, 0, :2], u[:, 1, 2] = rng.standard_normal((len(places), 2)), rng.standard_normal(len(places))
    u = (u @ R.T).ravel()
    f = (K @ u).reshape(-1, 6)
    rotations = rigid_motions(places, np.zeros(3), 6)
    product = elements.products({"one": u}, rotations)["one"]
    x, axes = places - places.mean(0), np.eye(3)
    expected = np.zeros((6, 6))
    for i in range(3):
        for j in range(3):
            stretching = np.cross(axes[j], np.cross(axes[i], x)) + np.cross(axes[i], np.cross(axes[j], x))
            expected[3 + i, 3 + j] = -0.5 * np.sum(f[:, :3] * stretching)
    np.testing.assert_allclose(product, expected, rtol=0, atol=1e-9 * np.abs(f[:, :3]).sum())
    assert np.abs(expected).max() > 1e-4 * np.abs(f[:, :3]).sum()


@pytest.mark.parametrize("seed", range(3))
def test_no_stress_stiffness_resists_a_translation(seed: int) -> None:
    rng = np.random.default_rng([32, seed])
    places, cells = random_shell(seed)
    elements = triangles(cells, places, H, Material(E, NU, DENSITY))
    u, v = rng.standard_normal((2, 6 * len(places)))
    shapes = np.concatenate([rigid_motions(places, np.zeros(3), 6)[:, :3], v[:, None]], axis=1)
    product = elements.products({"one": u}, shapes)["one"]
    np.testing.assert_allclose(product, product.T, rtol=0, atol=1e-12 * np.abs(product).max())
    assert_close(product[:3], 0.0, 1e-11 * np.abs(product).max(), "stress stiffness of a translation")


# -- published frequencies and buckling loads --------------------------------------------------------------------
def supported(model: Model) -> tuple[Any, Any, Array]:
    """Return M, K and the free dofs of bending of a plate simply supported along its whole rim."""
    places, elements = model
    M, K = elements.assembled(len(places))
    low, high = places.min(0), places.max(0)
    free = np.zeros((len(places), 6), bool)
    free[:, 2:5] = True
    free[rim(places), 2] = False
    across, along = ((places[:, i] == low[i]) | (places[:, i] == high[i]) for i in (0, 1))
    free[across, 3] = free[along, 4] = False  # the rotation about the normal of an edge
    return M, K, np.flatnonzero(free.ravel())


@pytest.mark.parametrize("kind", KINDS)
def test_a_simply_supported_plate_has_naviers_frequencies(kind: Callable[..., Model]) -> None:
    """ω = π² ((m/a)² + (n/b)²) √(D/ρh); 16 elements along each side."""
    a, b = 1.0, 0.8
    M, K, free = supported(kind((16, 16), (a, b)))
    values = scipy.sparse.linalg.eigsh(K[free][:, free], 5, M[free][:, free], sigma=0.0, return_eigenvectors=False)
    exact = sorted((m / a) ** 2 + (n / b) ** 2 for m in (1, 2, 3) for n in (1, 2, 3))[:5]
    unit = np.pi**2 * np.sqrt(D / DENSITY / H)
    np.testing.assert_allclose(np.sort(np.sqrt(values)) / unit, exact, rtol=0.02)


@pytest.mark.parametrize("kind", KINDS)
def test_a_simply_supported_plate_buckles_at_bryans_load(kind: Callable[..., Model]) -> None:
    """Pressed along x: N = 4 π² D/b² for a square (Bryan 1891); pressed along both: 2 π² D/b²."""
    model = kind((8, 8), (1.0, 1.0))
    places, elements = model
    _, K, free = supported(model)
    u = np.zeros((2, len(places), 6))
    for i in (0, 1):  # uniaxial stress of 1 N/m
        u[i, :, i], u[i, :, 1 - i] = places[:, i] / (E * H), -NU * places[:, 1 - i] / (E * H)
    basis = np.eye(6 * len(places))[:, free]
    K_g = elements.products({"ax": u[0].ravel(), "ay": u[1].ravel()}, basis)
    stiffness = K[free][:, free].toarray()
    for pressed, factor in ((K_g["ax"], 4.0), (K_g["ax"] + K_g["ay"], 2.0)):
        load = 1.0 / scipy.linalg.eigh(pressed, stiffness, eigvals_only=True)[-1]
        assert load == pytest.approx(factor * np.pi**2 * D, rel=0.02)


def test_structures_of_elements_are_those_of_matrices() -> None:
    """The assembly of turned elements is that of flat ones, turned."""
    places, cells = grid((3, 2), (0.5, 0.3), 0.3)
    moved, R = turned(places, 5)
    material = Material(E, NU, DENSITY)
    flat, there = (Structure(at, *triangles(cells, at, H, material).assembled(len(at)), 6) for at in (places, moved))
    T = np.kron(np.eye(2 * len(places)), R)
    for one, other in ((flat.M, there.M), (flat.K, there.K)):
        np.testing.assert_allclose(T @ one.toarray() @ T.T, other.toarray(), rtol=0, atol=1e-12 * abs(one).max())
