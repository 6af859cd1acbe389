"""A solid of one material from a mesh of tetrahedra, by scikit-fem: what `matrices` needs of it.

Displacements are quadratic (or linear) in each tetrahedron. With the scalar shape functions N_a and H_ij the matrix of
∫ ∂_i N_a ∂_j N_b, the stiffness of Hooke's law σ = λ tr(ε) E + 2 μ ε between the directions i and j is

    K_ij = λ H_ij + μ H_ijᵀ + δ_ij μ (H_11 + H_22 + H_33),

six scalar matrices for all of it, and the mass matrix is ρ ∫ N_a N_b in each direction. Quadrature is exact where edges
are straight.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..arguments import finite, positive
from ..errors import ModelError
from ..lazy_dataclasses import dataclass
from ..messages.failures import display
from .matrices import is_placed
from .meshes import EXTRA, Mesh, given
from .shapes import Array

ON = 1e-6  #: how far outside of a tetrahedron a point still counts as one of its own, in parts of this
OUTSIDE = 0.1  #: how far a point may lie outside of a tetrahedron, in parts of this: surfaces are faceted


@dataclass(frozen=True)
class Solid:
    """What `matrices.reduced` takes."""

    nodes: Array  #: (N, 3), m
    M: Any  #: sparse (3 N, 3 N), kg
    K: Any  #: sparse (3 N, 3 N), N/m
    frames: dict[str, tuple[Array, Array]]  #: indices of nodes and a place, by name
    stress: dict[str, Any]  #: by displacements, (6, 3 N), Pa, by name


def assembled(
    mesh: Any,
    material: tuple[Any, Any, Any],
    frames: Any,
    root: Any = None,
    scale: Any = None,
    order: int = 2,
    stress: Any = None,
) -> Solid:
    """A solid's nodes, matrices, frames (the root first) and stresses; see `Modes.solid`. Raises ModelError.

    material: Young's modulus, Pa, Poisson's number and density, kg/m³.
    """
    E, nu, density = _material(*material)
    ordered = _ordered(frames, root)
    found = given(mesh, scale)
    basis = _basis(found, order)
    lam, mu = E * nu / ((1 + nu) * (1 - 2 * nu)), E / (2 * (1 + nu))
    placed = {name: _frame(found, basis, name, value) for name, value in ordered.items()}
    gauges = {name: _gauge(found, basis, name, at, lam, mu) for name, at in _gauges(stress).items()}
    return Solid(basis.doflocs.T.copy(), _mass(basis, density), _stiffness(basis, lam, mu), placed, gauges)


# -- what is given -----------------------------------------------------------------------------------------------
def _material(E: Any, nu: Any, density: Any) -> tuple[float, float, float]:
    found = finite(nu, "nu", "Poisson's number, 0.3 for steel")
    if not -1.0 < found < 0.5:
        raise ModelError(f"nu is {found:g}: Poisson's number lies between -1 and 0.5, both excluded; rubber has 0.49")
    return positive(E, "E"), found, positive(density, "density")


def _ordered(frames: Any, root: Any) -> dict[str, Any]:
    """The frames, the root first."""
    if not isinstance(frames, Mapping) or not frames:
        example = "{'tip': lambda x, y, z: x > 0.999}"
        raise ModelError(f"frames is {display(frames)}: give one or more by name, such as {example}")
    if root is not None and root not in frames:
        raise ModelError(f"root is {display(root)}: give the name of a frame, of {', '.join(map(str, frames))}")
    return {name: frames[name] for name in sorted(frames, key=lambda name: name != root)}


def _basis(mesh: Mesh, order: int) -> Any:
    try:
        import skfem
    except ImportError:
        raise ModelError(f"solids need scikit-fem: {EXTRA}") from None
    if order not in (1, 2):
        raise ModelError(f"order is {display(order)}: displacements are linear (1) or quadratic (2) in tetrahedra")
    used = np.unique(mesh.tetrahedra)
    curved = order == 2 and mesh.tetrahedra.shape[1] == 10
    used = used if curved else mesh.corners
    corners = np.searchsorted(used, mesh.tetrahedra if curved else mesh.tetrahedra[:, :4])
    kind = skfem.MeshTet2 if curved else skfem.MeshTet
    made = kind(np.ascontiguousarray(mesh.points[used].T), np.ascontiguousarray(corners.T))
    basis = skfem.Basis(made, skfem.ElementTetP2() if order == 2 else skfem.ElementTetP1(), intorder=4)
    det = basis.mapping.detDF(basis.X) if curved else np.ones((1, 1))
    folded = det.min(1) * det.max(1) <= 0.0
    if folded.any():
        where = mesh.where(int(np.argmax(folded)))
        raise ModelError(f"{mesh.title} has {folded.sum()} tetrahedra that their curved edges fold: {where}; remesh")
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
        there = np.zeros((3, 3))
        there[i, j] = 1.0
        block = sparse.kron(lam * A + mu * A.T, there, format="csc")
        K = K + (block if i == j else block + block.T)
    return K


def _gradients(basis: Any, i: int, j: int) -> Any:
    import skfem
    from scipy import sparse

    return sparse.csr_array(skfem.BilinearForm(lambda u, v, _: v.grad[i] * u.grad[j]).assemble(basis))


# -- frames ------------------------------------------------------------------------------------------------------
def _frame(mesh: Mesh, basis: Any, name: str, value: Any) -> tuple[Array, Array]:
    """Nodes of a frame and its place: those corners that it tells, and what lies between them on the surface."""
    chosen, place = value if is_placed(value) else (value, None)
    corners = mesh.corners
    told = np.isin(corners, _told(mesh, name, chosen))
    if not told.any():
        low, high = mesh.points[corners].min(0), mesh.points[corners].max(0)
        reach = ", ".join(f"{axis} {a:.6g} to {b:.6g}" for axis, a, b in zip("xyz", low, high))
        raise ModelError(f"frame {name!r} has no nodes: give what holds for points of {mesh.title}, {reach} m")
    boundary = basis.mesh.boundary_facets()
    facets = boundary[told[basis.mesh.facets[:, boundary]].all(0)]
    nodes = np.flatnonzero(told)
    if not len(facets):
        return nodes, basis.doflocs.T[nodes].mean(0) if place is None else place
    nodes = np.union1d(nodes, basis.get_dofs(facets=facets).all())
    return nodes, _centroid(basis, facets) if place is None else place


def _told(mesh: Mesh, name: str, chosen: Any) -> Array:
    """Indices of points: by a function of places, by the name of a set, or as they are."""
    if callable(chosen):
        held = np.asarray(chosen(*mesh.points.T))
        if held.dtype != bool or held.shape != (len(mesh.points),):
            raise ModelError(
                f"frame {name!r}: its function gives {display(held)}; with arrays x, y, z (m) it must give True or "
                "False for each, such as lambda x, y, z: x > 0.999"
            )
        return np.flatnonzero(held)
    if isinstance(chosen, str):
        if chosen not in mesh.sets:
            there = ", ".join(mesh.sets) or "none"
            raise ModelError(f"frame {name!r}: {mesh.title} has no set or group {chosen!r}; it has {there}")
        return mesh.sets[chosen]()
    try:
        indices = np.asarray(chosen)
    except ValueError:  # lists of unlike lengths
        indices = np.array("?")
    if indices.ndim != 1 or (indices.size and indices.dtype.kind not in "iu"):
        raise ModelError(
            f"frame {name!r} is {display(chosen)}: give a function of x, y, z, the name of a set of the mesh or "
            "indices of its points, or a pair of one of these and a place"
        )
    for unknown in indices[(indices < 0) | (indices >= len(mesh.points))][:1]:
        raise ModelError(f"frame {name!r} has point {unknown}: {mesh.title} has points 0 to {len(mesh.points) - 1}")
    return indices


def _centroid(basis: Any, facets: Array) -> Array:
    """Of a surface of flat triangles, m."""
    a, b, c = np.moveaxis(basis.mesh.p[:, basis.mesh.facets[:, facets]], 1, 0)
    areas = np.linalg.norm(np.cross(b - a, c - a, axis=0), axis=0)
    return np.asarray((a + b + c) @ areas / (3.0 * areas.sum()))


# -- stress ------------------------------------------------------------------------------------------------------
def _gauges(stress: Any) -> Mapping[str, Any]:
    if stress is not None and not isinstance(stress, Mapping):
        raise ModelError(f"stress is {display(stress)}: give places by name, such as {{'gauge': (0.1, 0, 0.01)}}")
    return stress or {}


def _gauge(mesh: Mesh, basis: Any, name: str, at: Any, lam: float, mu: float) -> Any:
    """Stresses xx, yy, zz, xy, yz, xz at a point by displacements, (6, 3 N): the mean of the tetrahedra there."""
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
        near = mesh.where(int(np.argmin(np.linalg.norm(corners.mean(1).T - point, axis=1))))
        raise ModelError(f"stress {name!r}: {mesh.title} has no tetrahedron at {display(at)} m; the nearest is {near}")
    around = np.flatnonzero(inside >= min(inside.max(), -ON))
    B = sparse.lil_array((6, 3 * basis.N))
    for element in around.tolist():
        there = local[element][:, None], np.ones(1)
        one = skfem.Basis(basis.mesh, basis.elem, elements=np.array([element]), quadrature=there)
        for shape, dof in zip(one.basis, basis.element_dofs[:, element], strict=True):
            dofs = slice(3 * dof, 3 * dof + 3)
            B[:, dofs] = B[:, dofs] + _hooke(np.asarray(shape[0].grad)[:, 0, 0], lam, mu) / len(around)
    return B.tocsr()


def _hooke(slope: Array, lam: float, mu: float) -> Array:
    """Stresses by the displacement of a node whose shape function has this slope, (6, 3)."""
    x, y, z = slope
    shear = [[2 * x, 0, 0], [0, 2 * y, 0], [0, 0, 2 * z], [y, x, 0], [0, z, y], [z, 0, x]]
    return np.asarray(mu * np.array(shear) + lam * np.outer([1, 1, 1, 0, 0, 0], slope))
