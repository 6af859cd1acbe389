"""Solids from tetrahedral meshes: against beams, closed forms, and themselves in files of several kinds."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("meshio")
pytest.importorskip("skfem")
import meshio
import scipy.sparse.linalg
import skfem

import mbs_fmu as mbs
from mbs_fmu.elastic import solid
from mbs_fmu.infrastructure.errors import ModelError

pytestmark = pytest.mark.quick

Array = np.ndarray

LENGTH, WIDTH, HEIGHT = 1.0, 0.04, 0.02
STEEL: dict[str, Any] = {"E": 2.1e11, "nu": 0.3, "density": 7800.0}
ENDS = {"root": lambda x, y, z: x < 1e-9, "tip": lambda x, y, z: x > LENGTH - 1e-9}
CUBE = (
    (0, 1, 3, 7),
    (0, 1, 5, 7),
    (0, 2, 3, 7),
    (0, 2, 6, 7),
    (0, 4, 5, 7),
    (0, 4, 6, 7),
)  #: Kuhn's tetrahedra of a cube


def block(counts: tuple[int, int, int], size: tuple[float, float, float]) -> tuple[Array, Array]:
    """Return points and tetrahedra of a block; x from 0, y and z about 0."""
    lines = [np.linspace(0.0, d, k + 1) - (0.5 * d if axis else 0.0) for axis, (k, d) in enumerate(zip(counts, size))]
    points = np.stack(np.meshgrid(*lines, indexing="ij"), axis=-1).reshape(-1, 3)
    index = np.arange(len(points)).reshape([k + 1 for k in counts])
    nx, ny, nz = counts
    corners = [index[i : i + nx, j : j + ny, k : k + nz].ravel() for i in (0, 1) for j in (0, 1) for k in (0, 1)]
    return points, np.concatenate([np.stack([corners[c] for c in tetrahedron], axis=1) for tetrahedron in CUBE])


@pytest.fixture(scope="module")
def mesh() -> tuple[Array, Array]:
    return block((20, 2, 2), (LENGTH, WIDTH, HEIGHT))


@pytest.fixture(scope="module")
def rod(mesh: tuple[Array, Array]) -> mbs.Modes:
    return mbs.Modes.solid(mesh, **STEEL, frames=ENDS, stress={"gauge": (0.5, 0.0, 0.5 * HEIGHT)})


@pytest.fixture(scope="module")
def small() -> tuple[Array, Array]:
    return block((4, 1, 1), (LENGTH, 0.2, 0.2))


# -- against closed forms and beams ------------------------------------------------------------------------------
def test_mass_centre_and_moments_are_those_of_the_block(rod: mbs.Modes) -> None:
    mass = STEEL["density"] * LENGTH * WIDTH * HEIGHT
    squares = np.array([LENGTH, WIDTH, HEIGHT]) ** 2
    assert rod.mass == pytest.approx(mass, rel=1e-13)
    np.testing.assert_allclose(rod.inertia.center, [0.5 * LENGTH, 0, 0], atol=1e-13)
    np.testing.assert_allclose(rod.inertia.central, np.diag(mass / 12 * (squares.sum() - squares)), atol=1e-13)
    np.testing.assert_allclose(rod.node("tip").position, [LENGTH, 0, 0], atol=1e-14)


def test_a_solid_cantilever_has_frequencies_and_compliance_of_a_beam(rod: mbs.Modes) -> None:
    E, inertias = STEEL["E"], (WIDTH * HEIGHT**3 / 12, HEIGHT * WIDTH**3 / 12)
    unit = math.sqrt(E / (STEEL["density"] * WIDTH * HEIGHT)) / (2 * math.pi * LENGTH**2)
    roots = 1.8751040687, 4.6940911330
    exact = sorted(k**2 * math.sqrt(inertia) * unit for k in roots for inertia in inertias)[:3]
    np.testing.assert_allclose(exact, [16.76, 33.53, 105.06], atol=0.01)
    np.testing.assert_allclose(rod.held("root")[:3], exact, rtol=0.01)
    compliance = np.diag(rod.compliance("tip", "root"))
    bending = [LENGTH**3 / (3 * E * inertia) for inertia in inertias]
    np.testing.assert_allclose(compliance[[2, 1]], bending, rtol=0.01)
    assert compliance[0] == pytest.approx(LENGTH / (E * WIDTH * HEIGHT), rel=0.01)


def test_stress_under_a_tip_load_is_that_of_beam_theory(rod: mbs.Modes) -> None:
    """Bending stress is M c / I at the surface, and the others vanish with the size of tetrahedra."""
    tip = rod.node("tip").seen_from(rod.node("root"))
    stress = rod.stress["gauge"] @ np.linalg.solve(rod.stiffness, tip.Y1[2])
    bending = -0.5 * LENGTH * 0.5 * HEIGHT / (WIDTH * HEIGHT**3 / 12)
    np.testing.assert_allclose(stress, [bending, 0, 0, 0, 0, 0], atol=0.02 * abs(bending))


@pytest.mark.parametrize("order", [1, 2])
def test_constant_strain_has_exact_energy_and_stress(small: tuple[Array, Array], order: int) -> None:
    """The patch test and Hooke's law hold for random strains and elastic constants."""
    rng = np.random.default_rng(1)
    E, nu, G = 3.0, 0.2, rng.standard_normal((3, 3))
    at = {"inside": (0.33, 0.05, -0.02), "corner": (0.5, 0.1, 0.1)}
    made = solid.assembled(small, (E, nu, 2.0), ENDS, order=order, stress=at)
    u = (made.nodes @ G.T).ravel()
    strain = 0.5 * (G + G.T)
    stress = E / (1 + nu) * (strain + nu / (1 - 2 * nu) * np.trace(strain) * np.eye(3))
    volume = LENGTH * 0.2 * 0.2
    assert u @ made.K @ u == pytest.approx(volume * np.sum(strain * stress), rel=1e-12)
    for B in made.stress.values():
        np.testing.assert_allclose(B @ u, stress[[0, 1, 2, 0, 1, 0], [0, 1, 2, 1, 2, 2]], rtol=1e-10)


def test_curved_tetrahedra_give_the_torsional_frequency_of_a_ball() -> None:
    """Torsion is the lowest vibration, five times: omega R = 2.50113 sqrt(G / density) (Lamb 1882)."""
    ball = skfem.MeshTet2.init_ball(2)
    mesh = ball.doflocs.T, ball.dofs.element_dofs.T
    made = solid.assembled(mesh, (STEEL["E"], STEEL["nu"], STEEL["density"]), {"south": lambda x, y, z: z < 0})
    assert made.M.sum() / 3 == pytest.approx(4 / 3 * math.pi * STEEL["density"], rel=2e-3)
    squares = scipy.sparse.linalg.eigsh(made.K, 11, made.M, sigma=-1e6, return_eigenvectors=False)
    lowest = 2.50113 * math.sqrt(STEEL["E"] / (2 * (1 + STEEL["nu"])) / STEEL["density"])
    np.testing.assert_allclose(np.sqrt(np.sort(squares)[6:]), lowest, rtol=3e-3)


# -- frames ------------------------------------------------------------------------------------------------------
def test_frames_are_defined_by_functions_indices_or_places(small: tuple[Array, Array]) -> None:
    points, tetrahedra = small
    end = np.flatnonzero(points[:, 0] > LENGTH - 1e-9)
    frames = {"root": ENDS["root"], "tip": end, "hook": (end.tolist(), (1.2, 0, 0)), "edge": ([0, 2], (0, 0, 0))}
    made = solid.assembled((points, tetrahedra), (1.0, 0.3, 1.0), frames, root="tip")
    assert list(made.frames) == ["tip", "root", "hook", "edge"]
    nodes, place = made.frames["tip"]
    assert len(nodes) == 9  # four corners, four edges, and a diagonal
    np.testing.assert_array_equal(made.nodes[nodes, 0], LENGTH)
    np.testing.assert_allclose(place, [LENGTH, 0, 0], atol=1e-14)
    np.testing.assert_array_equal(made.frames["hook"][0], nodes)
    assert made.frames["hook"][1] == (1.2, 0, 0)
    assert len(made.frames["edge"][0]) == 2


def test_the_frame_of_a_surface_is_its_centroid_for_any_mesh() -> None:
    points, tetrahedra = block((2, 4, 1), (1.0, 1.0, 0.3))
    points[:, 1] += 0.4 * (0.25 - points[:, 1] ** 2)  # finer mesh on one side
    made = solid.assembled((points, tetrahedra), (1.0, 0.3, 1.0), {"end": ENDS["root"]})
    nodes, place = made.frames["end"]
    np.testing.assert_allclose(place, 0.0, atol=1e-14)
    assert abs(made.nodes[nodes, 1].mean()) > 0.01


# -- files -------------------------------------------------------------------------------------------------------
def written(path: Path, mesh: tuple[Array, Array], file_format: str | None = None) -> Path:
    """Write the mesh in mm, with its ends as groups or sets if the format has any."""
    points, tetrahedra = mesh
    faces = np.concatenate([np.delete(tetrahedra, k, 1) for k in range(4)])
    ends = [faces[test(*points[faces].transpose(2, 0, 1)).all(1)] for test in ENDS.values()]
    cells = [*(("triangle", end) for end in ends), ("tetra", tetrahedra)]
    tags = [np.full(len(data), k + 1) for k, (_, data) in enumerate(cells)]
    groups: dict[str, Any] = {}
    if path.suffix == ".msh":
        groups["cell_data"] = {"gmsh:physical": tags, "gmsh:geometrical": tags}
        groups["field_data"] = {"root": np.array([1, 2]), "tip": np.array([2, 2]), "steel": np.array([3, 3])}
    if file_format == "gmsh":  # 4.1: points have the surface or volume to which they belong
        of = np.tile([3, 3], (len(points), 1))
        for k, end in enumerate(ends):
            of[np.unique(end)] = 2, k + 1
        groups["point_data"] = {"gmsh:dim_tags": of}
        groups["cell_sets"] = {
            name: [np.arange(len(tag) * (k == j)) for j, tag in enumerate(tags)]
            for k, name in enumerate(groups["field_data"])
        }
    if path.suffix == ".inp":
        groups["point_sets"] = {name: np.unique(end) for name, end in zip(ENDS, ends)}
    meshio.Mesh(1e3 * points, cells, **groups).write(path, file_format=file_format)
    return path


def dofs(nodes: Array) -> Array:
    return (3 * nodes[:, None] + np.arange(3)).ravel()


@pytest.mark.parametrize("suffix, file_format", [(".msh", "gmsh22"), (".msh", "gmsh"), (".inp", None), (".vtk", None)])
def test_files_give_the_same_body(
    tmp_path: Path, small: tuple[Array, Array], suffix: str, file_format: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    file = written(tmp_path / f"block{suffix}", small, file_format)
    capsys.readouterr()
    frames: dict[str, Any] = ENDS if suffix == ".vtk" else {"root": "root", "tip": "tip"}
    made = solid.assembled(file, (2.1e11, 0.3, 7800.0), frames, scale=1e-3)
    same = solid.assembled(small, (2.1e11, 0.3, 7800.0), ENDS)
    assert capsys.readouterr() == ("", "")
    one, other = (np.lexsort(np.round(body.nodes, 9).T) for body in (made, same))  # format 4.1 has its own order
    np.testing.assert_allclose(made.nodes[one], same.nodes[other], atol=1e-12)
    K, exact = (body.K.toarray()[np.ix_(of, of)] for body, of in ((made, dofs(one)), (same, dofs(other))))
    np.testing.assert_allclose(K, exact, atol=1e-9 * np.abs(exact).max())
    for name, (nodes, place) in same.frames.items():
        np.testing.assert_array_equal(np.isin(one, made.frames[name][0]), np.isin(other, nodes))
        np.testing.assert_allclose(made.frames[name][1], place, atol=1e-12)


def test_a_beam_from_a_file_has_the_frequencies_of_its_mesh(
    tmp_path: Path, mesh: tuple[Array, Array], rod: mbs.Modes
) -> None:
    file = written(tmp_path / "rod.msh", mesh, "gmsh22")
    read = mbs.Modes.solid(str(file), **STEEL, frames={"root": "root", "tip": "tip"}, scale=1e-3)
    np.testing.assert_allclose(read.held("root"), rod.held("root"), rtol=1e-6)


# -- refused input ---------------------------------------------------------------------------------------------
def spoiled(change: str) -> tuple[Array, Array]:
    """Return an invalid mesh."""
    points, tetrahedra = block((2, 1, 1), (1.0, 0.2, 0.2))
    if change == "inverted":
        points[4] += [1.0, 0.5, 0.5]
    elif change == "doubled":
        tetrahedra = np.concatenate([tetrahedra, tetrahedra[:1]])
    elif change == "flat":
        tetrahedra = np.concatenate([tetrahedra, [[0, 1, 2, 3]]])
    elif change == "pieces":
        tetrahedra = np.concatenate([tetrahedra, tetrahedra + len(points)])
        points = np.concatenate([points, points + np.array([3.0, 0, 0])])
    elif change == "none":
        tetrahedra = tetrahedra[:0]
    elif change == "unknown":
        tetrahedra = tetrahedra + 7
    elif change == "mm":
        points = 1e3 * points
    return points, tetrahedra


@pytest.mark.parametrize(
    "change, message",
    [
        ("inverted", r"the mesh has inverted or doubled tetrahedra: tetrahedron \d+ \(at .* m\) and tetrahedron \d+"),
        ("doubled", r"the mesh has inverted or doubled tetrahedra"),
        ("flat", r"the mesh has 1 flat tetrahedra: tetrahedron 12 \(at .* m\); remesh"),
        ("pieces", r"the mesh is 2 unconnected pieces, the smallest of 12 tetrahedra .*: merge the points"),
        ("none", r"the mesh has no tetrahedra: mesh the volume"),
        ("unknown", r"the mesh has coordinates that are not finite, or tetrahedra with indices of missing points"),
        ("mm", r"the mesh is 1000 m long: if it is in mm, give scale=1e-3; if it is in m, scale=1"),
    ],
)
def test_invalid_meshes_are_refused(change: str, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        mbs.Modes.solid(spoiled(change), **STEEL, frames=ENDS)


def test_the_order_of_corners_has_no_effect(small: tuple[Array, Array]) -> None:
    points, tetrahedra = small
    turned = tetrahedra.copy()
    turned[::3] = turned[::3][:, [1, 0, 2, 3]]
    masses = [solid.assembled((points, t), (1.0, 0.3, 1.0), ENDS).M.sum() for t in (tetrahedra, turned)]
    assert masses[0] == pytest.approx(masses[1], rel=1e-13)


@pytest.mark.parametrize(
    "wrong, message",
    [
        ({"nu": 0.5}, r"nu is 0.5: Poisson's ratio lies between -1 and 0.5, both excluded"),
        ({"nu": -1}, r"nu is -1: Poisson's ratio"),
        ({"nu": "steel"}, r"nu is 'steel': give Poisson's ratio"),
        ({"E": 0.0}, r"E is 0.0: give a positive number"),
        ({"density": -1}, r"density is -1: give a positive number"),
        ({"scale": 0}, r"scale is 0: give a positive number"),
        ({"order": 3}, r"order is 3: displacements in tetrahedra are linear \(1\) or quadratic \(2\)"),
        ({"root": "top"}, r"root is 'top': give the name of a frame, one of root, tip"),
        ({"frames": {}}, r"frames is \{\}: give one or more by name"),
        (
            {"frames": {"a": lambda x, y, z: x > 2}},
            r"frame 'a' has no nodes: .* the mesh, which extends over x 0 to 1, y -0.1 to 0.1, z",
        ),
        ({"frames": {"a": []}}, r"frame 'a' has no nodes"),
        ({"frames": {"a": [0, 1, 2, 20]}}, r"frame 'a' has point 20: the mesh has points 0 to 19"),
        ({"frames": {"a": "group"}}, r"frame 'a': the mesh has no set or group 'group'; it has none"),
        ({"frames": {"a": lambda x, y, z: x}}, r"frame 'a': its function returns .* it must return True or False"),
        ({"frames": {"a": 1.5}}, r"frame 'a' is 1.5: give a function of x, y, z, the name of a set"),
        (
            {"stress": {"g": (3, 0, 0)}},
            r"stress 'g': the mesh has no tetrahedron at \(3, 0, 0\) m; the nearest is tetra",
        ),
        ({"stress": {"g": (3, 0)}}, r"the place of stress 'g' is \(3, 0\): give three numbers, m"),
        ({"stress": 3}, r"stress is 3: give places by name"),
        ({"mesh": 3}, r"mesh is 3: give the name of a file, or arrays \(points, tetrahedra\)"),
        ({"mesh": (np.zeros((3, 2)), np.zeros((3, 4), int))}, r"mesh has arrays of shapes \(3, 2\) and \(3, 4\)"),
    ],
)
def test_invalid_arguments_of_solids_are_refused(
    small: tuple[Array, Array], wrong: dict[str, Any], message: str
) -> None:
    with pytest.raises(ModelError, match=message):
        mbs.Modes.solid(**{"mesh": small, **STEEL, "frames": ENDS} | wrong)


def test_invalid_mesh_files_are_refused(
    tmp_path: Path, small: tuple[Array, Array], capsys: pytest.CaptureFixture[str]
) -> None:
    def refused(file: Path, frames: Any = ENDS) -> str:
        with pytest.raises(ModelError) as error:
            mbs.Modes.solid(file, **STEEL, frames=frames)
        assert repr(str(file)) in str(error.value)
        return str(error.value)

    assert refused(tmp_path / "none.msh").startswith("no mesh")
    for name in ("damaged.vtk", "damaged.msh", "unknown.xyz"):
        (tmp_path / name).write_text("no mesh\n")
        assert "can't be read" in refused(tmp_path / name)
    points, tetrahedra = small
    meshio.Mesh(points, [("triangle", tetrahedra[:, :3])]).write(tmp_path / "shell.vtk")
    assert "has no tetrahedra: mesh the volume" in refused(tmp_path / "shell.vtk")
    bricks = [("tetra", tetrahedra), ("hexahedron", [[0, 1, 2, 3, 4, 5, 6, 7]])]
    meshio.Mesh(points, bricks).write(tmp_path / "bricks.vtk")
    assert "has 1 cells 'hexahedron': mesh the volume with tetrahedra only" in refused(tmp_path / "bricks.vtk")
    file = written(tmp_path / "block.inp", (1e-3 * points, tetrahedra))
    assert "has no set or group 'top'; it has root, tip" in refused(file, {"top": "top"})
    capsys.readouterr()


@pytest.mark.parametrize("package", ["skfem", "meshio"])
def test_without_a_package_its_extra_is_named(
    tmp_path: Path, small: tuple[Array, Array], monkeypatch: pytest.MonkeyPatch, package: str
) -> None:
    (tmp_path / "rod.msh").write_text("")
    monkeypatch.setitem(sys.modules, package, None)
    source = small if package == "skfem" else tmp_path / "rod.msh"
    with pytest.raises(ModelError, match=r"pip install 'mbs-fmu\[solid\]'"):
        mbs.Modes.solid(source, **STEEL, frames=ENDS)
