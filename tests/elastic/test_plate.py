"""Plates and shells as elastic bodies: published frequencies, spinning, buckling, tubes, meshes and messages."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("scipy")
import scipy.linalg

import mbs_fmu as mbs
from mbs_fmu.infrastructure.errors import ModelError
from support.cases import tiers
from support.surfaces import grid, square_tube, turned

pytestmark = pytest.mark.quick

Array = np.ndarray
E, NU, DENSITY, H = 7e10, 0.3, 2700.0, 0.02
ALUMINIUM: dict[str, Any] = {"E": E, "nu": NU, "density": DENSITY}
UNIT = np.sqrt(E * H**2 / 12 / (1 - NU**2) / DENSITY)  #: √(D/ρh), m²/s: unit of ω a²
CANTILEVER: dict[str, Any] = {"root": lambda x, *yz: x < 1e-9}


def as_plate(a: float, b: float, count: tuple[int, int], **more: Any) -> mbs.Modes:
    return mbs.plate(a, b, **{"thickness": H, **ALUMINIUM, **more}, elements=count)


def as_shell(a: float, b: float, count: tuple[int, int], **more: Any) -> mbs.Modes:
    return mbs.Modes.shell(grid(count, (a, b), 0.2), **{"thickness": H, **ALUMINIUM, **more})


KINDS: list[Callable[..., mbs.Modes]] = [as_plate, as_shell]


def spinning(rod: mbs.Modes, speed: float, axis: str) -> Array:
    """Return the angular frequencies of a body whose root turns about an axis, rad/s."""
    m = mbs.Model("spinning", gravity=(0, 0, 0))
    hub = m.body("hub", joint=mbs.Revolute(axis))
    m.drive("turn", on=hub, position=m.parameter("speed", speed) * mbs.time)
    m.start(m.body("rod", hub, mbs.Weld(), elastic=rod, root="root", damping=0.0), xi="static")
    values = mbs.linearize(m).modes().values
    return np.asarray(np.sort(values.imag[values.imag > 1e-6]))


def buckling(rod: mbs.Modes, along: Array) -> float:
    """Return the least force along a direction at the tip, held at the root, that removes a stiffness, N."""
    Y2 = rod.node("tip").seen_from(rod.node("root")).Y2
    softening = np.einsum("k,kab->ab", along, Y2[:3])
    return float(1.0 / scipy.linalg.eigh(softening, rod.stiffness, eigvals_only=True)[-1])


# -- frequencies at rest -----------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", KINDS)
def test_a_square_cantilever_has_leissas_frequencies(kind: Callable[..., mbs.Modes]) -> None:
    """ωa²√(ρh/D), Leissa (1969), by the method of Ritz, from above; and of 32 elements along each side."""
    rod = kind(1.0, 1.0, (16, 16), frames=CANTILEVER, modes=6)
    found = 2 * np.pi * rod.held("root")[:5] / UNIT
    np.testing.assert_allclose(found, [3.4917, 8.5246, 21.429, 27.331, 31.111], rtol=0.01)
    np.testing.assert_allclose(found, [3.471, 8.506, 21.28, 27.18, 30.94], rtol=1.5e-3)


def test_the_plate_has_the_frequencies_of_the_reference() -> None:
    """3.471, 8.505, 21.29, 27.16, 30.94 with 16 elements along each side, to the last digit."""
    rod = as_plate(1.0, 1.0, (16, 16), frames=CANTILEVER, modes=6)
    found = 2 * np.pi * rod.held("root")[:5] / UNIT
    np.testing.assert_allclose(found, [3.471, 8.505, 21.29, 27.16, 30.94], rtol=3e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_a_free_square_plate_has_leissas_frequencies(kind: Callable[..., mbs.Modes]) -> None:
    """ωa²√(ρh/D), Leissa (1973): 13.489, 19.789, 24.432, 35.024 twice, 61.526, of a thin plate."""
    thin = {"thickness": 0.002, "frames": {"middle": lambda x, y, *z: np.hypot(x - 0.5, y) < 0.1}, "modes": 20}
    rod = kind(1.0, 1.0, (16, 16), couple="average", **thin)
    found = 2 * np.pi * rod.frequencies[:6] / (0.1 * UNIT)
    np.testing.assert_allclose(found, [13.489, 19.789, 24.432, 35.024, 35.024, 61.526], rtol=0.015)


@pytest.mark.parametrize("kind", KINDS)
def test_mass_centre_and_moments_are_exact(kind: Callable[..., mbs.Modes]) -> None:
    a, b = 0.8, 0.5
    rod = kind(a, b, (6, 4), frames=CANTILEVER, modes=2)
    mass = DENSITY * a * b * H
    assert rod.mass == pytest.approx(mass, rel=1e-12)
    np.testing.assert_allclose(rod.inertia.center, [0.5 * a, 0, 0], atol=1e-12)
    expected = mass / 12 * np.diag([b**2 + H**2, a**2 + H**2, a**2 + b**2])
    np.testing.assert_allclose(rod.inertia.central, expected, atol=1e-12 * mass)
    np.testing.assert_allclose(rod.node("root").position, 0.0, atol=1e-12)


# -- spinning and buckling ---------------------------------------------------------------------------------------
@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_spinning_plate_has_the_frequencies_of_the_reference(kind: Callable[..., mbs.Modes]) -> None:
    """At 5 √(D/ρh)/a² about the normal; a solid of quadratic tetrahedra has 6.461, 11.20, 24.86, 29.42, 34.39."""
    rod = kind(1.0, 1.0, (16, 16), frames=CANTILEVER, modes=12)
    found = spinning(rod, 5.0 * UNIT, "z")[:5] / UNIT
    np.testing.assert_allclose(found, [6.433, 11.12, 24.62, 29.14, 33.81], rtol=2e-3)
    np.testing.assert_allclose(found, [6.461, 11.20, 24.86, 29.42, 34.39], rtol=0.02)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("axis", ["y", "z"])
def test_a_spinning_strip_has_the_frequencies_of_a_beam(kind: Callable[..., mbs.Modes], axis: str) -> None:
    """Without Poisson's ratio; flap and lag, up to four times the first frequency at rest."""
    beam = mbs.beam(1.0, mbs.Rectangle(0.04, 0.01), E, DENSITY, modes=14)
    rod = kind(1.0, 0.04, (20, 2), thickness=0.01, nu=0.0, frames=CANTILEVER, modes=8)
    for speed in (0.0, 60.0, 200.0):
        exact = spinning(beam, speed, axis)[:3]
        np.testing.assert_allclose(spinning(rod, speed, axis)[:3], exact, rtol=0.01, err_msg=f"{speed} rad/s")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("couple", ["average", "rigid"])
def test_a_strip_buckles_at_the_loads_of_a_beam(kind: Callable[..., mbs.Modes], couple: str) -> None:
    """Euler's load along it, π²EI/4L²; Prandtl's across it in its plane, 4.0126 √(EI GJ)/L², by its own compliances.

    Twelve vibrations, and clamps that resist the warping of the ends, leave Prandtl's load up to 2.1 % high.
    """
    b, h = 0.025, 0.001
    ends = {"root": lambda x, *yz: x < 1e-9, "tip": lambda x, *yz: x > 1.0 - 1e-9}
    rod = kind(1.0, b, (48, 4), thickness=h, nu=0.0, frames=ends, modes=12, couple=couple)
    C = rod.compliance("tip", "root")
    bending, strong, torsion = 1 / 3 / C[2, 2], 1 / 3 / C[1, 1], 1 / C[3, 3]
    assert bending == pytest.approx(E * b * h**3 / 12, rel=0.01)
    assert torsion == pytest.approx(0.5 * E * b * h**3 / 3 * (1 - 0.63 * h / b), rel=0.05)
    prandtl = 4.0126 * np.sqrt(bending * torsion / (1.0 - bending / strong))
    assert buckling(rod, np.array([-1.0, 0, 0])) == pytest.approx(np.pi**2 / 4 * bending, rel=0.01)
    assert buckling(rod, np.array([0, 1.0, 0])) == pytest.approx(prandtl, rel=0.025)


def test_geometric_false_softens() -> None:
    soft, stiff = (as_plate(1.0, 0.2, (8, 2), modes=4, geometric=geometric) for geometric in (False, True))
    assert stiff.foreshortening and not soft.foreshortening
    assert "no geometric stiffness: with root held, the deflection is 1 % too large" in str(soft)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_tumbling_plate_keeps_its_energy_and_momentum(kind: Callable[..., mbs.Modes]) -> None:
    """Free of forces, with a start deflection of its first mode."""
    rod = kind(0.6, 0.3, (8, 4), thickness=0.004, frames=CANTILEVER, modes=4)
    m = mbs.Model("tumbling", gravity=(0, 0, 0))
    body = m.body("plate", joint=mbs.Free(), elastic=rod, damping=0.0)
    m.start(body, u=(0, 0, 0, 2.0, 5.0, 9.0), xi=(0.002,))
    m.output("energy", mbs.energy(), unit="J")
    m.output("turning", mbs.angular_momentum(), unit="N.m.s")
    result = mbs.simulate(m, 0.5, rtol=1e-9, atol=1e-12)
    for name in ("energy", "turning"):
        values = result[name]
        np.testing.assert_allclose(values - values[0], 0.0, atol=1e-6 * np.abs(values[0]).max(), err_msg=name)


# -- shells in space ---------------------------------------------------------------------------------------------
def test_a_square_tube_is_a_beam() -> None:
    """Bending with shear, torsion (Bredt) and stretching of a thin-walled tube between rigid ends, within 1 %."""
    length, side, h = 1.0, 0.1, 0.002
    G = E / 2 / (1 + NU)
    frames = {"root": lambda x, y, z: x < 1e-9, "tip": lambda x, y, z: x > length - 1e-9}
    rod = mbs.Modes.shell(square_tube(length, side, (30, 4)), thickness=h, **ALUMINIUM, frames=frames, modes=4)
    A, second, torsion = 4 * side * h, 2 / 3 * side**3 * h + side * h**3 / 3, side**3 * h
    bending = length**3 / (3 * E * second) + length / (G * 20 * (1 + NU) / (48 + 39 * NU) * A)  # Cowper (1966)
    exact = [length / (E * A), bending, bending, length / (G * torsion)]
    C = rod.compliance("tip", "root")
    np.testing.assert_allclose(np.diag(C)[:4], exact, rtol=0.015)
    np.testing.assert_allclose(rod.node("tip").position, [length, 0, 0], atol=1e-12)


def test_a_square_tube_buckles_at_eulers_load() -> None:
    """A column with shear, 1/F = 4 L²/(π² EI) + 1/(G A_s), by its own compliances; its walls do not buckle yet."""
    length, side, h = 2.0, 0.05, 0.001
    frames = {"root": lambda x, y, z: x < 1e-9, "tip": lambda x, y, z: x > length - 1e-9}
    rod = mbs.Modes.shell(square_tube(length, side, (24, 2)), thickness=h, **ALUMINIUM, frames=frames, modes=8)
    C = rod.compliance("tip", "root")
    bending = length / C[4, 4]
    assert bending == pytest.approx(E * (2 / 3 * side**3 * h), rel=0.02)
    shear = C[1, 1] / length - length**2 / (3 * bending)
    exact = 1.0 / (4 * length**2 / (np.pi**2 * bending) + shear)
    assert buckling(rod, np.array([-1.0, 0, 0])) == pytest.approx(exact, rel=0.01)


@pytest.mark.parametrize("kind", KINDS)
def test_a_uniform_pressure_bends_a_strip_as_a_beam(kind: Callable[..., mbs.Modes]) -> None:
    """q L⁴/(8 EI) at the tip without Poisson's ratio, by a named load, of which a force on its node does the work."""
    a, b, counts = 1.0, 0.05, (20, 2)
    ends = {"root": lambda x, *yz: x < 1e-9, "tip": lambda x, *yz: x > a - 1e-9}
    f = np.zeros((21, 3, 6))
    f[:, :, 2] = np.outer(np.r_[0.5, np.ones(19), 0.5] / 20, [0.25, 0.5, 0.25])  # N, 1 in all
    rod = kind(a, b, counts, nu=0.0, frames=ends, modes=2, loads={"wind": f.ravel()})
    tip, wind = (rod.node(name).seen_from(rod.node("root")).Y1 for name in ("tip", "wind"))
    answer = tip @ np.linalg.solve(rod.stiffness, wind[2])
    assert answer[2] == pytest.approx(a**3 / (8 * E * b * H**3 / 12), rel=0.01)
    np.testing.assert_allclose(rod.node("wind").position, [0.5 * a, 0, 0], atol=0.01 * a)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("thickness", [0.02, 0.001])
def test_inertia_loads_add_the_answers_to_weight_and_rotation(kind: Callable[..., mbs.Modes], thickness: float) -> None:
    """Also those in the plane, which strain a thin plate 1e6 times less than those across it."""
    given = {"frames": CANTILEVER, "modes": 4, "thickness": thickness}
    plain, full = (kind(0.6, 0.3, (8, 4), **given, loads=loads) for loads in (None, "inertia"))
    assert plain.left_out["wzwz"] > 0.5 and full.count <= plain.count + 12
    assert max(full.left_out[f"a{axis}"] for axis in "xyz") < 1e-6, full.left_out
    assert max(full.left_out.values()) < 1e-5, full.left_out


def test_a_shell_turned_in_space_is_the_same_body() -> None:
    points, cells = grid((6, 3), (0.6, 0.3), 0.3)
    nodes = {"root": np.flatnonzero(points[:, 0] < 1e-9), "tip": np.flatnonzero(points[:, 0] > 0.6 - 1e-9)}
    rods = [
        mbs.Modes.shell((at, cells), thickness=0.003, **ALUMINIUM, frames=nodes, modes=4)
        for at in (points, turned(points, 4)[0])
    ]
    one, other = rods
    np.testing.assert_allclose(other.frequencies, one.frequencies, rtol=1e-7)
    R = turned(points, 4)[1]
    for axis in np.eye(3)[:2]:
        loads = [buckling(rod, along) for rod, along in ((one, axis), (other, R @ axis))]
        np.testing.assert_allclose(loads[1], loads[0], rtol=1e-6, err_msg=f"force along {axis}")


# -- meshes and messages -----------------------------------------------------------------------------------------
def test_meshes_of_files_are_those_of_arrays(tmp_path: Path) -> None:
    """In mm, with named sets; frames lie at the centroids of lines and surfaces, however their nodes are spread."""
    meshio = pytest.importorskip("meshio")
    points, cells = grid((6, 3), (0.6, 0.3))
    sets = {"clamp": np.flatnonzero(points[:, 0] < 1e-9), "pad": np.flatnonzero(points[:, 0] > 0.35)}
    points[:, 0] = 0.6 * (points[:, 0] / 0.6) ** 2
    points[:, 1] = 0.3 * (points[:, 1] / 0.3 + 0.5) ** 1.5 - 0.15
    middle = 0.5 * (points[sets["pad"], 0].min() + 0.6)
    file = tmp_path / "panel.inp"
    meshio.Mesh(1000 * points, [("triangle", cells)], point_sets=sets).write(file)
    options = {"thickness": 0.003, **ALUMINIUM, "modes": 4}
    frames = {"pad": "pad", "clamp": "clamp"}
    read = mbs.Modes.shell(file, scale=1e-3, frames=frames, root="clamp", **options)
    arrays = mbs.Modes.shell((points, cells), frames={name: sets[name] for name in ("clamp", "pad")}, **options)
    np.testing.assert_allclose(read.frequencies, arrays.frequencies, rtol=1e-6)
    assert list(read.nodes) == ["clamp", "pad"]
    np.testing.assert_allclose(read.node("pad").position, [middle, 0, 0], atol=1e-6)
    np.testing.assert_allclose(read.node("clamp").position, 0, atol=1e-6)


def test_a_frame_of_one_node_lies_there() -> None:
    rod = as_plate(0.6, 0.3, (6, 3), frames={**CANTILEVER, "corner": [27], "pad": ([10], (0, 0, 0.1))}, modes=2)
    np.testing.assert_allclose(rod.node("corner").position, [0.6, 0.15, 0], atol=1e-12)
    np.testing.assert_allclose(rod.node("pad").position, [0, 0, 0.1], atol=1e-12)


@pytest.mark.usual
@pytest.mark.parametrize("node", tiers({"corner": 0, "edge": 4, "middle": 40}, usual=1))
def test_a_plate_held_at_one_node_has_no_spurious_modes(node: int) -> None:
    """It vibrates as a shell of other elements does, and no mode is faster than a wave that crosses an element.

    Near a point that holds a moment both meshes err, by some 10 % in the lowest frequency.
    """
    held = {"frames": {"root": [node]}, "modes": 12}
    crossing = np.sqrt(E / DENSITY) / 0.125  # Hz
    for geometric in (True, False):
        assert as_plate(1.0, 1.0, (8, 8), **held, geometric=geometric).frequencies.max() < crossing
    plate, shell = (spinning(kind(1.0, 1.0, (8, 8), **held), 0.0, "x")[0] for kind in KINDS)
    assert abs(plate - shell) < 0.15 * shell


POINTS, CELLS = grid((2, 2), (0.6, 0.3))
WRONG_SHELLS: dict[str, dict[str, Any]] = {
    r"has doubled triangles: triangle 0 \(at .* m\) and triangle 8": {"mesh": (POINTS, np.r_[CELLS, CELLS[:1, ::-1]])},
    "has 1 triangles without an area: triangle 8": {"mesh": (POINTS, np.r_[CELLS, [[0, 1, 2]]])},
    "has no triangles: mesh the surface": {"mesh": (POINTS, np.zeros((0, 3), int))},
    r"mesh has arrays of shapes .*: give the name of a file, or arrays \(points, triangles\)": {
        "mesh": (POINTS, [[0]])
    },
    "is 2 unconnected pieces": {"mesh": (np.r_[POINTS, POINTS + 1.0], np.r_[CELLS, CELLS + 9])},
    "is 600 m long: if it is in mm, give scale=1e-3": {"mesh": (1e3 * POINTS, CELLS)},
    "thickness is -1.0: give a positive number": {"thickness": -1.0},
    "nu is 0.5: Poisson's ratio lies between": {"nu": 0.5},
    r"frame 'root' has no nodes: select points of the mesh": {"frames": {"root": lambda x, y, z: x > 1}},
    r"its function returns .*such as lambda x, y, z": {"frames": {"root": lambda x, y, z: 1.0}},
    "root is 'foot': give the name of a frame": {"root": "foot"},
}


@pytest.mark.parametrize("message", WRONG_SHELLS)
def test_wrong_shells_are_refused(message: str) -> None:
    given = {"mesh": (POINTS, CELLS), "thickness": 0.003, **ALUMINIUM, "frames": CANTILEVER, **WRONG_SHELLS[message]}
    with pytest.raises(ModelError, match=message):
        mbs.Modes.shell(given.pop("mesh"), **given)


WRONG_PLATES: dict[str, dict[str, Any]] = {
    "a is 0: give a positive number": {"a": 0},
    "b is nan: give a positive number|b is nan: give": {"b": float("nan")},
    "thickness of the plate is 3 m, for sides of 0.6 and 0.2 m: .* give lengths in m": {"thickness": 3.0},
    "elements is 16: give two whole numbers": {"elements": 16},
    r"elements is \(0, 3\): give two whole numbers": {"elements": (0, 3)},
    r"elements is \(1000, 1000\).*at most 20000 elements": {"elements": (1000, 1000)},
    "frames is 'tip': give one or more by name": {"frames": "tip"},
    "frame 'tip' has no nodes: select points of the plate, which extends over x 0 to 0.6, y -0.1": {
        "frames": {"tip": lambda x, y: x > 1}
    },
    r"its function returns .*such as lambda x, y: ": {"frames": {"tip": lambda x, y: 1.0}},
    "frame 'tip' has point 99": {"frames": {"tip": [99]}},
    "share node 0, which can't be rigid to both": {"frames": {"one": [0], "two": [0, 1]}},
    "geometric is 'bars': use True or False": {"geometric": "bars"},
}


@pytest.mark.parametrize("message", WRONG_PLATES)
def test_wrong_plates_are_refused(message: str) -> None:
    given = {"a": 0.6, "b": 0.2, "thickness": 0.003, **ALUMINIUM, "elements": (4, 2), **WRONG_PLATES[message]}
    with pytest.raises(ModelError, match=message):
        mbs.plate(**given)


def test_cells_other_than_triangles_are_refused(tmp_path: Path) -> None:
    meshio = pytest.importorskip("meshio")
    file = tmp_path / "quads.vtk"
    meshio.Mesh(POINTS, [("quad", np.array([[0, 3, 4, 1]]))]).write(file)
    with pytest.raises(ModelError, match=re.escape("has 1 cells 'quad': mesh the surface with triangles only")):
        mbs.Modes.shell(file, thickness=0.003, **ALUMINIUM, frames=CANTILEVER)
