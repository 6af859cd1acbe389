"""Straight beams as elastic bodies, by finite elements: Euler and Bernoulli's, or Timoshenko's with shear.

The elements' shapes solve the unloaded uniform beam, with shear too (Friedman and Kosmatka 1993), and serve stiffness
and mass alike. Mass is taken at four Gauss points an element: these are the body's pieces, each with its rotary
inertia. What bends is not stretched: to second order its points come nearer to x = 0 by half the integral of the
squared slopes. Without that, beams that rotate would not stiffen.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from ..arguments import finite, is_whole, positive, truth
from ..errors import ModelError
from ..messages.calls import with_clear_errors
from ..messages.failures import display
from .frames import Node
from .modes import Modes
from .sections import Cut
from .shapes import Array, Pieces, invariants, symmetric

ROUNDING = 1e-6  #: parts of the length by which a place may miss an end
MOST_ELEMENTS = 1000
CLOSE = 1e-3  #: parts of the length that elements need, for the sake of rounding
DIRECTIONS = {"x": (0,), "y": (1, 5), "z": (2, 4), "t": (3,)}  #: of (u, v, w, theta) in each of the letters `along`
POINTS, WEIGHTS = (0.5 * a for a in np.polynomial.legendre.leggauss(4))
POINTS = POINTS + 0.5  # of a unit interval


class HasSection(Protocol):
    """What knows its section at each place."""

    def at(self, x: float) -> Cut: ...


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
) -> Modes:
    """A straight beam along x from the origin, in so many modes.

    length: m. section: `Rectangle`, `Tube` or `Section`. E, G: Young's and the shear modulus, Pa; G is E / 2.6 if it is
    left out. density: kg/m³. nodes: places x (m) of the nodes by name, the root first; {"root": 0, "tip": length} if
    they are left out. along: how it deforms, some of the letters x (stretches), y, z (bends along these), t (twists).
    shear: True: with shear, of beams that are not slender. damping: of the modes, in parts of critical damping, one
    number or one for each. elements: of the finite element model.

    With the root held, unit displacements and rotations of the other nodes come first, so that loads on nodes meet
    their static deflection, then the lowest modes with all nodes held. Returns these in normal coordinates of the mean
    frame (`Modes.normal`). Raises ModelError.
    """
    if isinstance(section, type) or not hasattr(section, "at"):
        raise ModelError(f"section is {display(section)}: give a Rectangle, a Tube or a Section")
    length, E, density = positive(length, "length"), positive(E, "E"), positive(density, "density")
    shear_modulus = E / 2.6 if G is None else positive(G, "G")
    places = _places({"root": 0.0, "tip": length} if nodes is None else nodes, length)
    material = Material(section, E, shear_modulus, density, truth(shear, "shear", ModelError))
    mesh = Mesh(_grid(length, sorted(places.values()), elements), material)
    fixed, interface = _interface(mesh, list(places.values()), _freedoms(along))
    shapes, squares = mesh.shapes(fixed, interface, modes, "".join(f" {name!r}" for name in list(places)[1:]))
    points, ends = mesh.second_order(shapes)
    made = {name: mesh.node(x, shapes, ends) for name, x in places.items()}
    sections = {name: mesh.section_forces(x, shapes, squares) for name, x in places.items()}
    stiffness = symmetric(shapes.T @ mesh.stiffness @ shapes)
    body = Modes(invariants(mesh.pieces(shapes, points)), stiffness, None, made, {}, sections, True)
    return body.with_damping(damping)


def _places(nodes: Mapping[str, float], length: float) -> dict[str, float]:
    """Places by name, on the beam and apart from each other."""
    if not isinstance(nodes, Mapping) or not nodes:
        raise ModelError(f'nodes is {display(nodes)}: give places by name, nodes={{"root": 0.0, ...}}, the root first')
    found: dict[str, float] = {}
    for name, x in nodes.items():
        place = finite(x, f"place of node {display(name)}", f"a place between 0 and {length:g} m")
        end = next((end for end in (0.0, length) if abs(place - end) < ROUNDING * length), None)
        found[name] = place if end is None else end
        if not 0.0 <= found[name] <= length:
            raise ModelError(f"node {name!r} at x = {place:g} m is not on the beam: it reaches from 0 to {length:g} m")
    _check_apart(found, length)
    return found


def _check_apart(places: dict[str, float], length: float) -> None:
    """ModelError for nodes that leave too little between them, or to an end."""
    nodes = [(f"node {name!r}", x) for name, x in places.items()]
    ends = [
        (told, x) for told, x in (("the beam's start", 0.0), ("the beam's end", length)) if x not in places.values()
    ]
    for (one, x), (other, y) in itertools.combinations([*nodes, *ends], 2):
        if abs(x - y) < CLOSE * length:
            raise ModelError(
                f"{one} and {other} are {abs(x - y):.3g} m apart: put them in the same place, with one node, or "
                f"{CLOSE * length:g} m apart"
            )


def _freedoms(along: str) -> list[int]:
    """Which of a node's six coordinates there are."""
    letters = along if isinstance(along, str) else ""
    if not letters or set(letters) - set(DIRECTIONS):
        raise ModelError(f"along is {display(along)}: give some of the letters x, y, z (directions) and t (torsion)")
    return sorted({k for letter in letters for k in DIRECTIONS[letter]})


def _grid(length: float, places: list[float], elements: Any) -> Array:
    """Ends of the elements: about so many of equal length, with an end at each place."""
    if not is_whole(elements) or not 1 <= elements <= MOST_ELEMENTS:
        raise ModelError(f"elements is {display(elements)}: give a whole number, 1 to {MOST_ELEMENTS}")
    marks = sorted({0.0, length, *places})
    parts = [
        np.linspace(a, b, max(1, round(elements * (b - a) / length)), endpoint=False)
        for a, b in itertools.pairwise(marks)
    ]
    return np.concatenate([*parts, [length]])


def _interface(mesh: Mesh, places: list[float], freedoms: list[int]) -> tuple[list[int], list[int]]:
    """Coordinates of the mesh that are held always, and those of the nodes but the root."""
    held = [6 * k + c for k in range(len(mesh.grid)) for c in range(6) if c not in freedoms]
    root, *others = (6 * mesh.index(x) for x in places)
    return sorted({*held, *(root + c for c in freedoms)}), [node + c for node in others for c in freedoms]


@dataclass(frozen=True)
class Material:
    """What a beam is made of."""

    section: HasSection
    E: float
    G: float
    density: float
    shear: bool

    def at(self, x: float) -> Cut:
        """The section at a place."""
        return self.section.at(x)

    def shear_areas(self, cut: Cut) -> tuple[float, float]:
        """What takes shear along y and z, m²; ModelError where it is not told."""
        if cut.ky is None or cut.kz is None:
            raise ModelError("shear=True needs the parts of the area that take shear: give the Section ky= and kz=")
        return cut.ky * cut.A, cut.kz * cut.A


class Element:
    """One element: shapes in its 12 coordinates (u, v, w, theta of both ends)."""

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
        out = np.zeros((2, 6, 12))
        powers = np.array([[1, z, z**2, z**3], [0, 1, 2 * z, 3 * z**2]]) / [[1.0], [self.length]]
        for row in (0, 3):
            out[:, row, row], out[:, row, row + 6] = (1 - z, -1 / self.length), (z, 1 / self.length)
        for displaced, turned, sign, (v, theta) in ((1, 5, 1.0, self.along_y), (2, 4, -1.0, self.along_z)):
            columns = [displaced, turned, displaced + 6, turned + 6]
            signs = np.array([1.0, sign, 1.0, sign])
            out[:, displaced, columns] = powers @ v * signs
            out[:, turned, columns] = sign * (powers @ theta) * signs
        return out[0], out[1]

    def stiffness(self) -> Array:
        """(12, 12)."""
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

    def bent(self, own: Array, z: float) -> tuple[Array, Array]:
        """Displacement and rotation of second order from the element's start to z, (3, n, n) each; own: (12, n).

        See `Mesh.second_order`. The rotation is integrated twice: once here, with the lever to z.
        """
        n = own.shape[1]
        shift, turn = np.zeros((3, n, n)), np.zeros((3, n, n))
        for t, weight in zip(POINTS, WEIGHTS, strict=True):
            shapes, slopes = (part @ own for part in self.shapes(t * z))
            theta, rate = np.array([shapes[3], -slopes[2], slopes[1]]), slopes[3:]
            step = weight * z * self.length
            twice = symmetric(_cross(theta, rate))
            squares = theta[0][:, None] * theta[:, None] - np.eye(3)[:, 0, None, None] * (theta.T @ theta)
            turn += step * twice
            shift += step * ((1 - t) * z * self.length * _across_x(twice) + symmetric(squares))
        return shift, turn


def _cross(a: Array, b: Array) -> Array:
    """a x b of each column of a and each of b, (3, n, n)."""
    products = a[:, None, :, None] * b[:, None, :]
    return np.stack([products[j, k] - products[k, j] for j, k in ((1, 2), (2, 0), (0, 1))])


def _across_x(turn: Array) -> Array:
    """turn x e_x, of arrays (3, ...)."""
    return np.stack([np.zeros_like(turn[0]), turn[2], -turn[1]])


def _bending(h: float, softness: float) -> tuple[Array, Array]:
    """Polynomials of z (columns: by both ends' displacement and slope), of the displacement and the rotation."""
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


class Mesh:
    """The beam's finite element model, six coordinates an end of an element."""

    def __init__(self, grid: Array, material: Material):
        self.grid = grid
        self.elements = [Element(a, b - a, material) for a, b in itertools.pairwise(grid)]
        self.material = material
        self.count = 6 * len(grid)

    def index(self, x: float) -> int:
        """The end of elements at a place."""
        return int(np.argmin(np.abs(self.grid - x)))

    @cached_property
    def stiffness(self) -> Array:
        total = np.zeros((self.count, self.count))
        for k, element in enumerate(self.elements):
            own = slice(6 * k, 6 * k + 12)
            total[own, own] += element.stiffness()
        return total

    @cached_property
    def mass(self) -> Array:
        total = np.zeros((self.count, self.count))
        for k, own in enumerate(self.element_masses):
            total[6 * k : 6 * k + 12, 6 * k : 6 * k + 12] += own
        return total

    @cached_property
    def element_masses(self) -> Array:
        """(elements, 12, 12)."""
        out = np.zeros((len(self.elements), 12, 12))
        for k, (shapes, m, inertia) in self._points():
            out[k] += m * shapes[:3].T @ shapes[:3] + shapes[3:].T @ inertia @ shapes[3:]
        return out

    def _points(self) -> list[tuple[int, tuple[Array, float, Array]]]:
        """For each Gauss point its element and (shapes there, mass, rotary inertia)."""
        out = []
        for k, element in enumerate(self.elements):
            for z, weight in zip(POINTS, WEIGHTS, strict=True):
                s, w = self.material.at(element.start + z * element.length), weight * element.length
                inertia = self.material.density * w * np.diag([s.Iy + s.Iz, s.Iy, s.Iz])
                out.append((k, (element.shapes(z)[0], float(self.material.density * s.A * w), inertia)))
        return out

    def shapes(self, fixed: list[int], interface: list[int], count: Any, which: str) -> tuple[Array, Array]:
        """Unit motions of the interface, then modes with it held, (coordinates, count); `fixed` coordinates rest.

        And the squares of their angular frequencies, zero of unit motions.
        """
        unit = np.array(interface, dtype=int)
        free = np.setdiff1d(np.arange(self.count), [*fixed, *interface])
        least, most = max(1, len(interface)), len(interface) + len(free)
        if not is_whole(count) or not least <= count <= most:
            raise ModelError(
                f"modes is {display(count)}: give {least} to {most}, of which {len(interface)} are unit motions of "
                f"nodes{which} (fewer nodes, or fewer letters in along=, take fewer; more elements= allow more)"
            )
        out = np.zeros((self.count, len(interface) + len(free)))
        out[interface, range(len(interface))] = 1.0
        squares = np.zeros(len(interface) + len(free))
        first = len(interface)
        for directions in DIRECTIONS.values():  # nothing couples them
            own = free[np.isin(free % 6, directions)]
            K, M = self.stiffness[np.ix_(own, own)], self.mass[np.ix_(own, own)]
            out[own, : len(interface)] = -np.linalg.solve(K, self.stiffness[np.ix_(own, unit)])
            L = np.linalg.cholesky(M)
            last = first + len(own)
            squares[first:last], U = np.linalg.eigh(np.linalg.solve(L, np.linalg.solve(L, K).T))
            out[own, first:last] = np.linalg.solve(L.T, U)
            first = last
        kept = np.argsort(squares, kind="stable")[:count]
        return out[:, kept], squares[kept]

    def second_order(self, shapes: Array) -> tuple[Array, Array]:
        """Displacements and rotations of second order at the Gauss points, then at the ends of elements: (k, 6, n, n).

        xi measures strains in the axes of the sections, so that K is all there is of their energy: the curvature has no
        second order, theta_2' = ½ theta x theta', and the axis e is not stretched, r_2' = theta_2 x e + ½ theta x
        (theta x e), with theta = (twist, -w', v'). So a pull makes a beam stiffer, and a flat one buckles sideways.
        """
        n = shapes.shape[1]
        shift, turn = np.zeros((3, n, n)), np.zeros((3, n, n))
        points, ends = [], [np.zeros((6, n, n))]
        for element, own in zip(self.elements, _own(shapes), strict=True):
            for z in (*POINTS, 1.0):
                more, turned = element.bent(own, z)
                moved = shift + z * element.length * _across_x(turn) + more
                points.append(np.concatenate([moved, turn + turned]))
            ends.append(points.pop())
            shift, turn = ends[-1][:3], ends[-1][3:]
        return np.array(points), np.array(ends)

    def node(self, x: float, shapes: Array, ends: Array) -> Node:
        """The node at an end of elements; ends: of `second_order`."""
        k = self.index(x)
        return Node(np.array([x, 0.0, 0.0]), np.eye(3), shapes[6 * k : 6 * k + 6], ends[k])

    def section_forces(self, x: float, shapes: Array, squares: Array) -> Array:
        """N, Qy, Qz, Mx, My, Mz by the shapes at an end of elements, (6, n): what is behind acts on what is before.

        They are what an element is held with at its end, K u - M u omega²: of unit motions exact, and of vibrations as
        exact as their shapes. What acts on the place itself is behind it, but at the beam's start before it.
        """
        k = self.index(x)
        element = max(k - 1, 0)
        own = shapes[6 * element : 6 * element + 12]
        held = self.elements[element].stiffness() @ own - self.element_masses[element] @ own * squares
        return np.asarray(held[6:] if k else -held[:6])

    def pieces(self, shapes: Array, points: Array) -> Pieces:
        """The beam as pieces at its Gauss points; points: of `second_order`."""
        found = self._points()
        places = [[element.start + z * element.length, 0.0, 0.0] for element in self.elements for z in POINTS]
        local = np.array([N @ shapes[6 * k : 6 * k + 12] for k, (N, _, _) in found])
        mass, inertia = (np.array([point[part] for _, point in found]) for part in (1, 2))
        return Pieces(mass, np.array(places), local[:, :3], points[:, :3], inertia, local[:, 3:])


def _own(shapes: Array) -> list[Array]:
    """The shapes' numbers of each element."""
    return [shapes[6 * k : 6 * k + 12] for k in range(len(shapes) // 6 - 1)]
