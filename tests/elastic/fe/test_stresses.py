"""Stress rows from meshes of other programs: exact for uniform strain in any element, equal to those of solids here."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("scipy")

import mbs_fmu as mbs
from mbs_fmu.elastic.elements.solid_shapes import BRICK_EDGES, CORNERS, EDGES, inside, natural, shape_functions

pytestmark = pytest.mark.quick
Array = np.ndarray
E, NU = 7e10, 0.3
KINDS = {"C3D4": 4, "C3D10": 10, "C3D8R": 8, "C3D20R": 20}
TETRAHEDRON = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])


def nodes_of(kind: str) -> Array:
    """Return the natural coordinates of an element's nodes."""
    corners, edges = (TETRAHEDRON, EDGES) if KINDS[kind] in (4, 10) else (CORNERS, BRICK_EDGES)
    middles = 0.5 * (corners[edges[:, 0]] + corners[edges[:, 1]])
    return np.concatenate([corners, middles])[: KINDS[kind]]


def inner(kind: str, rng: np.random.Generator) -> Array:
    """Return natural coordinates of a random point inside."""
    return rng.dirichlet(np.ones(4))[1:] if KINDS[kind] in (4, 10) else rng.uniform(-1, 1, 3)


@pytest.mark.parametrize("kind", KINDS)
def test_shape_functions_are_one_at_their_node_and_add_up_to_one(kind: str) -> None:
    rng, nodes = np.random.default_rng(1), nodes_of(kind)
    values = np.array([shape_functions(len(nodes), r)[0] for r in nodes])
    assert np.allclose(values, np.eye(len(nodes)), atol=1e-14)
    for _ in range(10):
        r, h = inner(kind, rng), 1e-6
        N, dN = shape_functions(len(nodes), r)
        assert N.sum() == pytest.approx(1.0, abs=1e-14) and np.allclose(dN.sum(0), 0.0, atol=1e-13)
        ends = [[shape_functions(len(nodes), r + s * h * e)[0] for s in (1, -1)] for e in np.eye(3)]
        assert np.allclose(dN.T, [(a - b) / (2 * h) for a, b in ends], atol=1e-8)


@pytest.mark.parametrize("kind", KINDS)
def test_points_of_distorted_elements_are_found(kind: str) -> None:
    rng = np.random.default_rng(2)
    for _ in range(20):
        places = distorted(kind, rng)
        r = inner(kind, rng)
        at = natural(places, shape_functions(len(places), r)[0] @ places)
        assert at is not None and np.allclose(at[0], r, atol=1e-9) and inside(len(places), at[0]) > -1e-9


def distorted(kind: str, rng: np.random.Generator) -> Array:
    """Return the places of an element that is turned, stretched and slightly bent."""
    nodes = nodes_of(kind)
    places = 0.1 * nodes @ (np.linalg.qr(rng.standard_normal((3, 3)))[0] * rng.uniform(0.5, 2.0, 3))
    return np.asarray(places + rng.uniform(-0.003, 0.003, places.shape) + rng.uniform(-1, 1, 3))


def hooke(strain: Array) -> Array:
    """Return the stresses xx, yy, zz, xy, yz, xz."""
    s = E / (1 + NU) * (strain + NU / (1 - 2 * NU) * np.trace(strain) * np.eye(3))
    return np.asarray([s[0, 0], s[1, 1], s[2, 2], s[0, 1], s[1, 2], s[0, 2]])


def data_of(places: Array, elements: dict[str, Array], dofs: int = 3) -> mbs.fe.Data:
    nothing = np.zeros((dofs * len(places),) * 2)
    return mbs.fe.Data(places, nothing, nothing, np.arange(len(places)), dofs=dofs, elements=elements)


@pytest.mark.parametrize("dofs", [3, 6])
@pytest.mark.parametrize("kind", KINDS)
def test_uniform_strain_gives_hookes_stress(kind: str, dofs: int) -> None:
    rng = np.random.default_rng(3)
    for _ in range(5):
        places, slope = distorted(kind, rng), 1e-3 * rng.standard_normal((3, 3))
        point = shape_functions(len(places), inner(kind, rng))[0] @ places
        data = data_of(places, {kind: np.arange(len(places))[None]}, dofs)
        B = mbs.fe.stress(data, {"gauge": point}, E, NU)["gauge"]
        u = np.zeros((len(places), dofs))
        u[:, :3] = places @ slope.T + rng.uniform(-1, 1, 3)
        expected = hooke(0.5 * (slope + slope.T))
        assert np.allclose(B @ u.ravel(), expected, atol=1e-7 * np.abs(expected).max())


def test_rows_are_those_of_solids_made_here() -> None:
    """A face, an edge and a corner belong to several tetrahedra, whose stresses are averaged; so are places outside."""
    pytest.importorskip("skfem")
    import skfem

    from mbs_fmu.elastic import solid

    mesh = skfem.MeshTet.init_tensor(np.linspace(0, 1, 4), np.linspace(0, 0.3, 2), np.linspace(0, 0.2, 2))
    points, cells = mesh.p.T, mesh.t.T
    places = {
        "in": (0.31, 0.11, 0.07),
        "edge": (1 / 3, 0.3, 0.1),
        "corner": (1 / 3, 0.0, 0.0),
        "out": (0.5, 0.1, 0.201),
    }
    ends = {"root": lambda x, y, z: x < 1e-6}
    own = solid.assembled((points, cells), (E, NU, 2700.0), ends, order=1, stress=places)
    rows = mbs.fe.stress(data_of(points, {}), places, E, NU, tetrahedra=cells)
    for name in places:
        assert np.allclose(rows[name].toarray(), own.stress[name].toarray(), atol=1e-9 * E), name


@pytest.mark.parametrize(("kind", "swapped"), [("C3D10", [8, 9]), ("C3D10", [4, 5]), ("C3D20R", [8, 12])])
def test_midside_nodes_in_another_order_are_refused(kind: str, swapped: list[int]) -> None:
    """Gmsh swaps the nodes 9 and 10. Stretched and slightly bent elements have the right order."""
    rng, cell = np.random.default_rng(5), np.arange(KINDS[kind])
    cell[swapped] = swapped[::-1]
    for _ in range(10):
        places = distorted(kind, rng)
        mbs.fe.stress(data_of(places, {kind: np.arange(len(cell))[None]}), {"gauge": places.mean(0)}, E, NU)
        data = data_of(nodes_of(kind) @ np.linalg.qr(rng.standard_normal((3, 3)))[0], {kind: cell[None]})
        number = "|".join(str(k + 1) for k in swapped)
        with pytest.raises(mbs.ModelError, match=rf"element 0 .*, node ({number}) is .* m off the middle of edge"):
            mbs.fe.stress(data, {"gauge": data.nodes.mean(0)}, E, NU)
        if kind == "C3D10":
            with pytest.raises(mbs.ModelError, match=r"edges 1-2, 2-3, 3-1, 1-4, 2-4, 3-4 \(gmsh writes the nodes 9"):
                mbs.fe.stress(data, {"gauge": data.nodes.mean(0)}, E, NU, tetrahedra=cell[None])


def test_places_and_data_without_a_stress_are_refused() -> None:
    places = 0.1 * TETRAHEDRON
    cells = {"C3D4": np.array([[0, 1, 2, 3]])}
    inner_place = {"gauge": (0.02, 0.02, 0.02)}
    for data, at, options, message in (
        (data_of(places, {}), inner_place, {}, "have no elements: give tetrahedra="),
        (data_of(places, {"B31": np.array([[0, 1]])}), inner_place, {}, "have elements B31: give tetrahedra="),
        (data_of(places, cells), {"gauge": (0.5, 0, 0)}, {}, "no solid element at .* extend over 0 to 0.1"),
        (data_of(places, cells), {"gauge": (0.5, 0)}, {}, "give three numbers, m"),
        (data_of(places, cells), {"gauge": ("a", 0, 0)}, {}, "the place of stress 'gauge'"),
        (data_of(places, cells), inner_place, {"tetrahedra": [[0, 1, 2]]}, "tetrahedra is"),
        (data_of(places, cells), inner_place, {"tetrahedra": [[0, 1, 2, 9]]}, "tetrahedra has node 9"),
        (data_of(places, cells), inner_place, {"nu": 0.5}, "Poisson's ratio lies between"),
    ):
        with pytest.raises(mbs.ModelError, match=message):
            mbs.fe.stress(data, at, **({"E": E, "nu": NU} | options))  # type: ignore[arg-type]


def test_von_mises_is_the_stress_of_the_rows() -> None:
    """Of a body with random rows of stress, at a random deformation and at rest."""
    rod = mbs.beam(1.0, mbs.Rectangle(0.04, 0.02), 2.1e11, 7800.0, modes=5, damping=0.0)
    rng = np.random.default_rng(4)
    S = 1e9 * rng.standard_normal((6, 5))
    body = mbs.Modes(rod.inertia, rod.stiffness, rod.damping, rod.nodes, {"gauge": S})
    m = mbs.Model("rod", gravity=(0, 0, 0))
    arm = m.body("arm", joint=mbs.Weld(), elastic=body)
    m.output("s", mbs.stress(arm, "gauge"))
    m.output("v", mbs.von_mises(arm, "gauge"), unit="Pa")
    for xi in (rng.uniform(-1e-3, 1e-3, 5), np.zeros(5)):
        m.start(arm, xi=xi.tolist())
        result = mbs.simulate(m, 1e-6, step=1e-6)
        xx, yy, zz, xy, yz, xz = result["s"][0]
        s = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        deviator = s - np.trace(s) / 3 * np.eye(3)
        assert result["v"][0] == pytest.approx(np.sqrt(1.5 * np.sum(deviator**2)), rel=1e-12, abs=1e-9)
    with pytest.raises(mbs.ModelError, match="unknown point of stress 'gage'"):
        mbs.von_mises(arm, "gage")
