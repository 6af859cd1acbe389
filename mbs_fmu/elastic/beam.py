"""Straight beams as elastic bodies, by finite elements: Euler-Bernoulli beams, or Timoshenko beams with shear.

The elements' shapes are solutions of the unloaded uniform beam, with or without shear (Friedman and Kosmatka 1993), and
are used for stiffness and mass. Mass is lumped at four Gauss points per element: these are the body's pieces, each with
its rotary inertia. Bending does not stretch the axis: to second order its points move towards x = 0 by half the
integral of the squared slopes. Without this foreshortening, rotating beams would not stiffen.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from ..infrastructure.arguments import finite, is_whole, positive, truth
from ..infrastructure.cached_properties import cached_property
from ..infrastructure.errors import ModelError
from ..infrastructure.lazy_dataclasses import dataclass
from ..infrastructure.messages.calls import with_clear_errors
from ..infrastructure.messages.failures import display
from .argument_types import LoadData
from .beam_loads import Loaded, line_loads, load_node, with_loads
from .frames import Node
from .modes import Modes
from .sections import SectionProperties
from .shapes import Array, Pieces, invariants, symmetric

ROUNDING = 1e-6  #: distance, relative to the beam's length, up to which a place counts as an end
MOST_ELEMENTS = 1000
CLOSE = 1e-3  #: least length of elements, relative to the beam's, that keeps rounding errors small
DIRECTIONS = {"x": (0,), "y": (1, 5), "z": (2, 4), "t": (3,)}  #: indices of (u, v, w, theta), by the letters of `along`
POINTS, WEIGHTS = (0.5 * a for a in np.polynomial.legendre.leggauss(4))
POINTS = POINTS + 0.5  # in the unit interval


class HasSection(Protocol):
    """A cross section along a beam: `Section`, `Rectangle` or `Tube`."""

    def at(self, x: float) -> SectionProperties: ...


@with_clear_errors
def beam(
    length: float,
    section: HasSection,
    E: float,
    density: float,
    modes: int = 8,
    nodes: Mapping[str, float] | None = None,
    *,
    G: float | None = None,
    along: str = "yzt",
    shear: bool = False,
    damping: float | Sequence[float] = 0.01,
    elements: int = 20,
    loads: LoadData | None = None,
) -> Modes:
    """Return a straight beam along x from the origin, as an elastic body with `modes` modes.

    length: m. section: `Rectangle`, `Tube` or `Section`. E, G: Young's modulus and shear modulus, Pa; by default G is
    E / 2.6. density: kg/m³. nodes: places x (m) of the nodes by name, the root first; by default {"root": 0, "tip":
    length}. along: directions of deformation, some of the letters x (stretching), y, z (bending along y and z), t
    (torsion). shear: True includes shear deformation, for beams that are not slender. damping: damping ratios of the
    modes, one number for all or one for each. elements: number of finite elements.

    loads: "inertia" adds the shapes for accelerations and rotations of the body, five for a slender beam, with which
    its section forces under weight and steady rotation are exact. {"inertia": True, "wind": q} adds one shape for a
    force per length q, N/m, three numbers along x, y and z or a function of x that returns them, of one direction, and
    a node "wind" on its line of action: a force |R| along its x axis, with the resultant R, does the work of the whole
    load. These shapes come in addition to `modes`.

    The shapes are unit displacements and rotations of all nodes but the root, with the root fixed, so that static
    deflections under loads at nodes are exact; then the lowest vibration modes with all nodes fixed. Returns the body
    in normal coordinates of the mean frame (`Modes.normal`). Raises ModelError.
    """
    if isinstance(section, type) or not hasattr(section, "at"):
        raise ModelError(f"section is {display(section)}: give a Rectangle, a Tube or a Section")
    length, E, density = positive(length, "length"), positive(E, "E"), positive(density, "density")
    shear_modulus = E / 2.6 if G is None else positive(G, "G")
    places = _places({"root": 0.0, "tip": length} if nodes is None else nodes, length)
    material = Material(section, E, shear_modulus, density, truth(shear, "shear", ModelError))
    mesh = BeamMesh(_grid(length, sorted(places.values()), elements), material)
    fixed, interface = _interface(mesh, list(places.values()), _node_coordinates(along))
    shapes, squares = mesh.shapes(fixed, interface, modes, "".join(f" {name!r}" for name in list(places)[1:]))
    given = line_loads(mesh, loads, places)
    all_shapes, lacking = with_loads(mesh, fixed, mesh.held_by_inertia(shapes, squares), given)
    shapes = all_shapes.shapes
    points, ends = mesh.second_order(shapes)
    pieces = mesh.pieces(shapes, points)
    beam_nodes = {name: mesh.node(x, shapes, ends) for name, x in places.items()}
    beam_nodes |= {name: load_node(name, forces, pieces) for name, forces in given.forces.items()}
    sections = {name: mesh.section_forces(x, all_shapes) for name, x in places.items()}
    stiffness = symmetric(shapes.T @ mesh.stiffness @ shapes)
    body = Modes(invariants(pieces), stiffness, None, beam_nodes, {}, sections, True, lacking)
    return body.with_damping(damping)


def _places(nodes: Mapping[str, float], length: float) -> dict[str, float]:
    """Return the places of nodes by name. Raises ModelError if they are not on the beam or too close to each other."""
    if not isinstance(nodes, Mapping) or not nodes:
        raise ModelError(f'nodes is {display(nodes)}: give places by name, nodes={{"root": 0.0, ...}}, the root first')
    places: dict[str, float] = {}
    for name, x in nodes.items():
        place = finite(x, f"place of node {display(name)}", f"a place between 0 and {length:g} m")
        end = next((end for end in (0.0, length) if abs(place - end) < ROUNDING * length), None)
        places[name] = place if end is None else end
        if not 0.0 <= places[name] <= length:
            raise ModelError(f"node {name!r} at x = {place:g} m is not on the beam: it reaches from 0 to {length:g} m")
    _check_apart(places, length)
    return places


def _check_apart(places: dict[str, float], length: float) -> None:
    """Raise ModelError for nodes that are too close to each other or to an end of the beam."""
    nodes = [(f"node {name!r}", x) for name, x in places.items()]
    ends = [
        (title, x) for title, x in (("the beam's start", 0.0), ("the beam's end", length)) if x not in places.values()
    ]
    for (one, x), (other, y) in itertools.combinations([*nodes, *ends], 2):
        if abs(x - y) < CLOSE * length:
            raise ModelError(
                f"{one} and {other} are {abs(x - y):.3g} m apart: put them in the same place, with one node, or "
                f"{CLOSE * length:g} m apart"
            )


def _node_coordinates(along: str) -> list[int]:
    """Indices of the coordinates of a node that are free to deform, out of six."""
    letters = along if isinstance(along, str) else ""
    if not letters or set(letters) - set(DIRECTIONS):
        raise ModelError(f"along is {display(along)}: give some of the letters x, y, z (directions) and t (torsion)")
    return sorted({k for letter in letters for k in DIRECTIONS[letter]})


def _grid(length: float, places: list[float], elements: Any) -> Array:
    """Ends of the elements: about `elements` of equal length, with an end at each place."""
    if not is_whole(elements) or not 1 <= elements <= MOST_ELEMENTS:
        raise ModelError(f"elements is {display(elements)}: give a whole number, 1 to {MOST_ELEMENTS}")
    marks = sorted({0.0, length, *places})
    parts = [
        np.linspace(a, b, max(1, round(elements * (b - a) / length)), endpoint=False)
        for a, b in itertools.pairwise(marks)
    ]
    return np.concatenate([*parts, [length]])


def _interface(mesh: BeamMesh, places: list[float], coordinates: list[int]) -> tuple[list[int], list[int]]:
    """Indices of the mesh's coordinates that are always fixed, and of those of all nodes but the root."""
    excluded = [6 * k + c for k in range(len(mesh.grid)) for c in range(6) if c not in coordinates]
    root, *others = (6 * mesh.index(x) for x in places)
    return sorted({*excluded, *(root + c for c in coordinates)}), [node + c for node in others for c in coordinates]


@dataclass(frozen=True)
class Material:
    """Cross section and material of a beam."""

    section: HasSection
    E: float  #: Pa
    G: float  #: Pa
    density: float  #: kg/m³
    shear: bool  #: True with shear deformation

    def at(self, x: float) -> SectionProperties:
        """Return the section's properties at x."""
        return self.section.at(x)

    def shear_areas(self, section: SectionProperties) -> tuple[float, float]:
        """Return the shear areas along y and z, m². Raises ModelError if the section has no shear coefficients."""
        if section.ky is None or section.kz is None:
            raise ModelError("shear=True needs the section's shear coefficients: give the Section ky= and kz=")
        return section.ky * section.A, section.kz * section.A


class BeamElement:
    """A finite element with 12 coordinates: (u, v, w, theta) of both ends."""

    def __init__(self, start: float, length: float, material: Material):
        self.start, self.length, self.material = start, length, material
        s = material.at(start + 0.5 * length)
        softness = [0.0, 0.0]
        if material.shear:
            scale = 12 * material.E / (material.G * length**2)
            softness = [
                scale * second / area for second, area in zip((s.Iz, s.Iy), material.shear_areas(s), strict=True)
            ]
        self.along_y, self.along_z = (_bending(length, x) for x in softness)

    def shapes(self, z: float) -> tuple[Array, Array]:
        """Displacement and rotation of the section at z (0 to 1), (6, 12), and their derivatives along x."""
        values = np.zeros((2, 6, 12))  # the shapes, then their derivatives
        powers = np.array([[1, z, z**2, z**3], [0, 1, 2 * z, 3 * z**2]]) / [[1.0], [self.length]]
        for row in (0, 3):
            values[:, row, row], values[:, row, row + 6] = (1 - z, -1 / self.length), (z, 1 / self.length)
        for shift, angle, sign, (v, theta) in ((1, 5, 1.0, self.along_y), (2, 4, -1.0, self.along_z)):
            columns = [shift, angle, shift + 6, angle + 6]
            signs = np.array([1.0, sign, 1.0, sign])
            values[:, shift, columns] = powers @ v * signs
            values[:, angle, columns] = sign * (powers @ theta) * signs
        return values[0], values[1]

    def stiffness(self) -> Array:
        """Stiffness matrix of the element, (12, 12)."""
        total = np.zeros((12, 12))
        for z, weight in zip(POINTS, WEIGHTS, strict=True):
            section = self.material.at(self.start + z * self.length)
            E, G, w = self.material.E, self.material.G, weight * self.length
            shapes, slopes = self.shapes(z)
            strains = [slopes[0], slopes[3], slopes[4], slopes[5]]
            moduli = [E * section.A, G * section.It, E * section.Iy, E * section.Iz]
            if self.material.shear:
                strains += [slopes[1] - shapes[5], slopes[2] + shapes[4]]
                moduli += [G * area for area in self.material.shear_areas(section)]
            B = np.array(strains)
            total += w * B.T @ (np.array(moduli)[:, None] * B)
        return total

    def second_order(self, coordinates: Array, z: float) -> tuple[Array, Array]:
        """Displacement and rotation of second order from the element's start to z, (3, n, n) each.

        coordinates: of the element, by the shapes, (12, n). See `BeamMesh.second_order`. The displacement contains the
        second integral of the rotation: its rate at t times the lever from t to z.
        """
        n = coordinates.shape[1]
        shift, rotation = np.zeros((3, n, n)), np.zeros((3, n, n))
        for t, weight in zip(POINTS, WEIGHTS, strict=True):
            shapes, slopes = (part @ coordinates for part in self.shapes(t * z))
            theta, rate = np.array([shapes[3], -slopes[2], slopes[1]]), slopes[3:]
            step = weight * z * self.length
            second_rate = symmetric(_cross(theta, rate))
            squares = theta[0][:, None] * theta[:, None] - np.eye(3)[:, 0, None, None] * (theta.T @ theta)
            rotation += step * second_rate
            shift += step * ((1 - t) * z * self.length * _cross_x(second_rate) + symmetric(squares))
        return shift, rotation


def _cross(a: Array, b: Array) -> Array:
    """Cross products a x b of each column of a with each column of b, (3, n, n)."""
    products = a[:, None, :, None] * b[:, None, :]
    return np.stack([products[j, k] - products[k, j] for j, k in ((1, 2), (2, 0), (0, 1))])


def _cross_x(vectors: Array) -> Array:
    """Cross products with e_x, vectors x e_x, for an array (3, ...)."""
    return np.stack([np.zeros_like(vectors[0]), vectors[2], -vectors[1]])


def _bending(h: float, softness: float) -> tuple[Array, Array]:
    """Coefficients of the polynomials in z of displacement and rotation, (4, 4) each.

    Columns: displacement and slope of the start, then of the end. h: length, m. softness: ratio of shear flexibility to
    bending flexibility, 0 without shear.
    """
    f = softness
    v = np.array(
        [
            [1 + f, 0, 0, 0],
            [-f, (1 + 0.5 * f) * h, f, -0.5 * f * h],
            [-3, -(2 + 0.5 * f) * h, 3, (0.5 * f - 1) * h],
            [2, h, -2, h],
        ]
    )
    theta = np.array([[0, 1 + f, 0, 0], [-6 / h, -4 - f, 6 / h, f - 2], [6 / h, 3, -6 / h, 3], [0, 0, 0, 0]])
    return v / (1 + f), theta / (1 + f)


class BeamMesh:
    """Finite element model of a beam, with six coordinates at each end of an element."""

    def __init__(self, grid: Array, material: Material):
        self.grid = grid
        self.elements = [BeamElement(a, b - a, material) for a, b in itertools.pairwise(grid)]
        self.material = material
        self.count = 6 * len(grid)

    @property
    def places(self) -> Array:
        """Places of the ends of elements, (ends, 3), m."""
        return np.asarray(self.grid[:, None] * [1.0, 0.0, 0.0])

    def index(self, x: float) -> int:
        """Index of the element end at x."""
        return int(np.argmin(np.abs(self.grid - x)))

    @cached_property
    def stiffness(self) -> Array:
        """Stiffness matrix, (6 ends, 6 ends)."""
        total = np.zeros((self.count, self.count))
        for k, element in enumerate(self.elements):
            own = slice(6 * k, 6 * k + 12)
            total[own, own] += element.stiffness()
        return total

    @cached_property
    def mass(self) -> Array:
        """Mass matrix, (6 ends, 6 ends)."""
        total = np.zeros((self.count, self.count))
        for k, element_mass in enumerate(self.element_masses):
            total[6 * k : 6 * k + 12, 6 * k : 6 * k + 12] += element_mass
        return total

    @cached_property
    def element_masses(self) -> Array:
        """Mass matrices of the elements, (elements, 12, 12)."""
        masses = np.zeros((len(self.elements), 12, 12))
        for k, (shapes, m, inertia) in self._points():
            masses[k] += m * shapes[:3].T @ shapes[:3] + shapes[3:].T @ inertia @ shapes[3:]
        return masses

    def _points(self) -> list[tuple[int, tuple[Array, float, Array]]]:
        """Index of the element and (shapes, mass, rotary inertia) of each Gauss point."""
        points = []
        for k, element in enumerate(self.elements):
            for z, weight in zip(POINTS, WEIGHTS, strict=True):
                s, w = self.material.at(element.start + z * element.length), weight * element.length
                inertia = self.material.density * w * np.diag([s.Iy + s.Iz, s.Iy, s.Iz])
                points.append((k, (element.shapes(z)[0], float(self.material.density * s.A * w), inertia)))
        return points

    def shapes(self, fixed: list[int], interface: list[int], count: Any, nodes: str) -> tuple[Array, Array]:
        """Return unit motions of the interface, then vibration modes with the interface fixed, (coordinates, count).

        Also returns the squares of their angular frequencies, zero for unit motions. The coordinates `fixed` are zero
        in all shapes. nodes: names of the interface's nodes for the ModelError.
        """
        unit = np.array(interface, dtype=int)
        free = np.setdiff1d(np.arange(self.count), [*fixed, *interface])
        least, most = max(1, len(interface)), len(interface) + len(free)
        if not is_whole(count) or not least <= count <= most:
            raise ModelError(
                f"modes is {display(count)}: give {least} to {most}, of which {len(interface)} are unit motions of "
                f"nodes{nodes} (fewer nodes, or fewer letters in along=, need fewer; more elements= allow more)"
            )
        shapes = np.zeros((self.count, len(interface) + len(free)))
        shapes[interface, range(len(interface))] = 1.0
        squares = np.zeros(len(interface) + len(free))
        first = len(interface)
        for directions in DIRECTIONS.values():  # they are not coupled
            own = free[np.isin(free % 6, directions)]
            K, M = self.stiffness[np.ix_(own, own)], self.mass[np.ix_(own, own)]
            shapes[own, : len(interface)] = -np.linalg.solve(K, self.stiffness[np.ix_(own, unit)])
            L = np.linalg.cholesky(M)
            last = first + len(own)
            squares[first:last], U = np.linalg.eigh(np.linalg.solve(L, np.linalg.solve(L, K).T))
            shapes[own, first:last] = np.linalg.solve(L.T, U)
            first = last
        lowest = np.argsort(squares, kind="stable")[:count]
        return shapes[:, lowest], squares[lowest]

    def held_by_inertia(self, shapes: Array, squares: Array) -> Loaded:
        """Return shapes with the loads that hold them: M u omega² of vibrations, none of unit motions."""
        return Loaded(shapes, self.element_masses @ np.array(_element_coordinates(shapes)) * squares)

    def line_load(self, force: Callable[[float], Array]) -> tuple[Array, Array]:
        """Return a force per length, (3), N/m, as forces on the pieces, (k, 3), and on elements, (elements, 12)."""
        forces, loads = [], np.zeros((len(self.elements), 12))
        for k, element in enumerate(self.elements):
            for z, weight in zip(POINTS, WEIGHTS, strict=True):
                forces.append(weight * element.length * force(element.start + z * element.length))
                loads[k] += element.shapes(z)[0][:3].T @ forces[-1]
        return np.array(forces), loads

    def second_order(self, shapes: Array) -> tuple[Array, Array]:
        """Displacements and rotations of second order at the Gauss points, then at the ends of elements: (k, 6, n, n).

        xi measures strains in the axes of the sections, so that their energy is the quadratic form of K alone: the
        curvature has no second-order term, theta_2' = ½ theta x theta', and the axis e is not stretched, r_2' = theta_2
        x e + ½ theta x (theta x e), with theta = (twist, -w', v'). Therefore tension stiffens a beam, and a flat beam
        buckles sideways.
        """
        n = shapes.shape[1]
        shift, rotation = np.zeros((3, n, n)), np.zeros((3, n, n))
        points, ends = [], [np.zeros((6, n, n))]
        for element, coordinates in zip(self.elements, _element_coordinates(shapes), strict=True):
            for z in (*POINTS, 1.0):
                own_shift, own_rotation = element.second_order(coordinates, z)
                total_shift = shift + z * element.length * _cross_x(rotation) + own_shift
                points.append(np.concatenate([total_shift, rotation + own_rotation]))
            ends.append(points.pop())
            shift, rotation = ends[-1][:3], ends[-1][3:]
        return np.array(points), np.array(ends)

    def node(self, x: float, shapes: Array, ends: Array) -> Node:
        """Return the node at the element end at x; ends: from `second_order`."""
        k = self.index(x)
        return Node(np.array([x, 0.0, 0.0]), np.eye(3), shapes[6 * k : 6 * k + 6], ends[k])

    def section_forces(self, x: float, shapes: Loaded) -> Array:
        """Section forces N, Qy, Qz, Mx, My, Mz per shape at the element end at x, (6, n).

        They act from the part behind x on the part before x. They are the forces K u - f on the end of an element, f
        being the load that holds the shape: exact for unit motions and shapes by loads, and as exact as the shapes for
        vibration modes. Loads at x itself count as acting on the part behind; at the beam's start, on the part before.
        """
        k = self.index(x)
        element = max(k - 1, 0)
        own = shapes.shapes[6 * element : 6 * element + 12]
        forces = self.elements[element].stiffness() @ own - shapes.loads[element]
        return np.asarray(forces[6:] if k else -forces[:6])

    def pieces(self, shapes: Array, points: Array) -> Pieces:
        """Return the beam as pieces at its Gauss points; points: from `second_order`."""
        gauss_points = self._points()
        places = [[element.start + z * element.length, 0.0, 0.0] for element in self.elements for z in POINTS]
        local = np.array([N @ shapes[6 * k : 6 * k + 12] for k, (N, _, _) in gauss_points])
        mass, inertia = (np.array([point[part] for _, point in gauss_points]) for part in (1, 2))
        return Pieces(mass, np.array(places), local[:, :3], points[:, :3], inertia, local[:, 3:])


def _element_coordinates(shapes: Array) -> list[Array]:
    """Rows of the shapes that belong to each element, (12, n)."""
    return [shapes[6 * k : 6 * k + 12] for k in range(len(shapes) // 6 - 1)]
