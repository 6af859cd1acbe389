"""The finite element model of a solid of one material, from a mesh of tetrahedra, assembled by scikit-fem.

Displacements are quadratic (or linear) in each tetrahedron. Let N_a be the scalar shape functions and H_ij the matrix
with the entries ∫ ∂_i N_a ∂_j N_b. For Hooke's law σ = λ tr(ε) I + 2 μ ε, the block of the stiffness matrix between the
directions i and j is

    K_ij = λ H_ij + μ H_ijᵀ + δ_ij μ (H_11 + H_22 + H_33),

so that six scalar matrices give all of it. The mass matrix is ρ ∫ N_a N_b in each direction. The quadrature is exact
for straight edges.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..infrastructure.arguments import finite
from ..infrastructure.errors import ModelError
from ..infrastructure.lazy_dataclasses import dataclass
from ..infrastructure.messages.failures import display
from .elements.solid_stress import ON, OUTSIDE, SolidStress, hooke
from .meshes.mesh_files import EXTRA
from .meshes.meshes import TetrahedralMesh, load_mesh
from .meshes.selections import Points, material_of, root_first
from .reduction.interfaces import is_placed
from .shapes import Array


@dataclass(frozen=True)
class Solid:
    """Finite element model of a solid, the input of `matrices.reduced`."""

    nodes: Array  #: (N, 3), m
    M: Any  #: sparse (3 N, 3 N), kg
    K: Any  #: sparse (3 N, 3 N), N/m
    frames: dict[str, tuple[Array, Array]]  #: indices of nodes and place of each frame, by name
    stress: dict[str, Any]  #: matrices from displacements to stresses, (6, 3 N), Pa/m, by name
    stiffening: SolidStress
    faces: Array  #: triangles of the surface, (m, 3), indices of nodes


def assembled(
    mesh: Any,
    material: tuple[Any, Any, Any],
    frames: Any,
    root: Any = None,
    scale: Any = None,
    order: int = 2,
    stress: Any = None,
) -> Solid:
    """Return a solid's nodes, matrices, frames (the root first) and stress matrices.

    material: Young's modulus, Pa, Poisson's ratio and density, kg/m³. The other arguments are those of
    `Modes.solid`. Raises ModelError.
    """
    made_of = material_of(*material)
    ordered = root_first(frames, root)
    loaded = load_mesh(mesh, scale)
    basis = _basis(loaded, order)
    lam, mu = made_of.lame
    placed = {name: _frame(loaded, basis, name, value) for name, value in ordered.items()}
    gauges = {name: _gauge(loaded, basis, name, at, lam, mu) for name, at in _gauges(stress).items()}
    M, K = _mass(basis, made_of.density), _stiffness(basis, lam, mu)
    return Solid(basis.doflocs.T.copy(), M, K, placed, gauges, SolidStress(basis, lam, mu), _faces(basis))


# -- arguments ---------------------------------------------------------------------------------------------------
def _basis(mesh: TetrahedralMesh, order: int) -> Any:
    """Return scikit-fem's basis of displacements on a mesh, linear or quadratic. Raises ModelError."""
    try:
        import skfem
    except ImportError:
        raise ModelError(f"solids need scikit-fem: {EXTRA}") from None
    if order not in (1, 2):
        raise ModelError(f"order is {display(order)}: displacements in tetrahedra are linear (1) or quadratic (2)")
    used = np.unique(mesh.tetrahedra)
    curved = order == 2 and mesh.tetrahedra.shape[1] == 10
    used = used if curved else mesh.corners
    corners = np.searchsorted(used, mesh.tetrahedra if curved else mesh.tetrahedra[:, :4])
    kind = skfem.MeshTet2 if curved else skfem.MeshTet
    fem_mesh = kind(np.ascontiguousarray(mesh.points[used].T), np.ascontiguousarray(corners.T))
    basis = skfem.Basis(fem_mesh, skfem.ElementTetP2() if order == 2 else skfem.ElementTetP1(), intorder=4)
    det = basis.mapping.detDF(basis.X) if curved else np.ones((1, 1))
    folded = det.min(1) * det.max(1) <= 0.0
    if folded.any():
        where = mesh.where(int(np.argmax(folded)))
        raise ModelError(f"{mesh.title} has {folded.sum()} tetrahedra folded by their curved edges: {where}; remesh")
    return basis


# -- matrices ----------------------------------------------------------------------------------------------------
def _mass(basis: Any, density: float) -> Any:
    import skfem
    from scipy import sparse

    scalar = skfem.BilinearForm(lambda u, v, _: density * u * v).assemble(basis)
    return sparse.kron(sparse.csr_array(scalar), np.eye(3), format="csc")


def _stiffness(basis: Any, lam: float, mu: float) -> Any:
    from scipy import sparse

    H = {(i, j): _gradients(basis, i, j) for i in range(3) for j in range(i, 3)}
    shear = mu * (H[0, 0] + H[1, 1] + H[2, 2])
    K = sparse.kron(shear, np.eye(3), format="csc")
    for (i, j), A in H.items():
        direction = np.zeros((3, 3))
        direction[i, j] = 1.0
        block = sparse.kron(lam * A + mu * A.T, direction, format="csc")
        K = K + (block if i == j else block + block.T)
    return K


def _gradients(basis: Any, i: int, j: int) -> Any:
    import skfem
    from scipy import sparse

    return sparse.csr_array(skfem.BilinearForm(lambda u, v, _: v.grad[i] * u.grad[j]).assemble(basis))


# -- frames ------------------------------------------------------------------------------------------------------
def _frame(mesh: TetrahedralMesh, basis: Any, name: str, value: Any) -> tuple[Array, Array]:
    """Return the nodes of a frame and its place.

    The nodes are the selected corners, and the midpoints of edges between them on the surface.
    """
    selection, place = value if is_placed(value) else (value, None)
    selected = Points(mesh.title, mesh.points, mesh.corners, mesh.sets).selected(name, selection)
    boundary = basis.mesh.boundary_facets()
    facets = boundary[selected[basis.mesh.facets[:, boundary]].all(0)]
    nodes = np.flatnonzero(selected)
    if not len(facets):
        return nodes, basis.doflocs.T[nodes].mean(0) if place is None else place
    nodes = np.union1d(nodes, basis.get_dofs(facets=facets).all())
    return nodes, _centroid(basis, facets) if place is None else place


def _centroid(basis: Any, facets: Array) -> Array:
    """Centroid of a surface of flat triangles, (3), m."""
    a, b, c = np.moveaxis(basis.mesh.p[:, basis.mesh.facets[:, facets]], 1, 0)
    areas = np.linalg.norm(np.cross(b - a, c - a, axis=0), axis=0)
    return np.asarray((a + b + c) @ areas / (3.0 * areas.sum()))


def _faces(basis: Any) -> Array:
    """Return the triangles of the surface, (m, 3), indices of nodes, seen anticlockwise from outside.

    With quadratic displacements, each side of a tetrahedron consists of four triangles between corners and midpoints.
    """
    mesh = basis.mesh
    facets = mesh.boundary_facets()
    corners = mesh.facets[:, facets].T
    inside = mesh.p.T[mesh.t[:4, mesh.f2t[0, facets]]].mean(0)
    a, b, c = np.moveaxis(mesh.p.T[corners], 1, 0)
    inward = np.einsum("ki,ki->k", np.cross(b - a, c - a), a - inside) < 0.0
    corners[inward] = corners[inward][:, ::-1]
    a, b, c = basis.nodal_dofs[0][corners].T
    if not len(basis.edge_dofs):
        return np.column_stack([a, b, c])
    ends = np.sort(np.stack([corners, np.roll(corners, -1, axis=1)]), axis=0)
    key = mesh.p.shape[1] * ends[0] + ends[1]
    known = mesh.p.shape[1] * mesh.edges[0] + mesh.edges[1]
    order = np.argsort(known)
    ab, bc, ca = basis.edge_dofs[0][order[np.searchsorted(known, key, sorter=order)]].T
    return np.concatenate([np.column_stack(x) for x in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))])


# -- stress ------------------------------------------------------------------------------------------------------
def _gauges(stress: Any) -> Mapping[str, Any]:
    if stress is not None and not isinstance(stress, Mapping):
        raise ModelError(f"stress is {display(stress)}: give places by name, such as {{'gauge': (0.1, 0, 0.01)}}")
    return stress or {}


def _gauge(mesh: TetrahedralMesh, basis: Any, name: str, at: Any, lam: float, mu: float) -> Any:
    """Return the matrix from displacements to stresses xx, yy, zz, xy, yz, xz at a point, (6, 3 N).

    If several tetrahedra contain the point, the matrix is their mean.
    """
    import skfem
    from scipy import sparse

    point = np.array([finite(x, f"the place of stress {name!r}") for x in np.ravel(at)])
    if point.shape != (3,):
        raise ModelError(f"the place of stress {name!r} is {display(at)}: give three numbers, m")
    corners = basis.mesh.p[:, basis.mesh.t]  # (3, 4, n)
    edges = np.moveaxis(corners[:, 1:] - corners[:, :1], 2, 0)
    local = np.linalg.solve(edges, (point[:, None] - corners[:, 0]).T[:, :, None])[:, :, 0]
    inside = np.minimum(local.min(1), 1.0 - local.sum(1))
    if inside.max() < -OUTSIDE:
        nearest = mesh.where(int(np.argmin(np.linalg.norm(corners.mean(1).T - point, axis=1))))
        raise ModelError(
            f"stress {name!r}: {mesh.title} has no tetrahedron at {display(at)} m; the nearest is {nearest}"
        )
    around = np.flatnonzero(inside >= min(inside.max(), -ON))
    B = sparse.lil_array((6, 3 * basis.N))
    for element in around.tolist():
        quadrature = local[element][:, None], np.ones(1)
        element_basis = skfem.Basis(basis.mesh, basis.elem, elements=np.array([element]), quadrature=quadrature)
        for shape, dof in zip(element_basis.basis, basis.element_dofs[:, element], strict=True):
            dofs = slice(3 * dof, 3 * dof + 3)
            B[:, dofs] = B[:, dofs] + hooke(np.asarray(shape[0].grad)[:, 0, 0], lam, mu) / len(around)
    return B.tocsr()
