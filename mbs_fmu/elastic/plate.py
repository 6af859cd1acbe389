"""Rectangular plates of uniform thickness as elastic bodies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from ..infrastructure.arguments import is_whole, positive, truth
from ..infrastructure.errors import ModelError
from ..infrastructure.lazy_dataclasses import dataclass
from ..infrastructure.messages.calls import with_clear_errors
from ..infrastructure.messages.failures import display
from .argument_types import FramePoints, LoadData
from .elements.plate_elements import DOFS, PlateElements
from .elements.rectangles import SpinTie, rectangles, spin_tie
from .meshes.selections import Points, material_of, root_first
from .modes import Modes
from .reduction.interfaces import is_placed
from .shapes import Array

THICKEST = 0.2  #: thickness over the longer side, beyond which it is a block, or its units are wrong
MOST_ELEMENTS = 20000
EDGE = 1e-9  #: distance from an edge, relative to the plate's length, up to which a node counts as on it


@with_clear_errors
def plate(
    a: float,
    b: float,
    thickness: float,
    E: float,
    nu: float,
    density: float,
    frames: Mapping[str, FramePoints] | None = None,
    elements: tuple[int, int] = (16, 16),
    modes: int = 10,
    *,
    root: str | None = None,
    couple: str = "rigid",
    geometric: bool = True,
    loads: LoadData | None = None,
    rayleigh: tuple[float, float] = (0.0, 0.0),
) -> Modes:
    """Return a thin rectangular plate as an elastic body: x from 0 to a, y from -b/2 to b/2, the middle plane at z = 0.

    a, b, thickness: m. E: Young's modulus, Pa. nu: Poisson's ratio. density: kg/m³. elements: number of elements along
    x and y. modes: number of vibration modes with all frames fixed, in addition to the six static shapes for loads at
    each frame but the first (`Modes.matrices`).

    frames: the nodes of this body by name. Each selects nodes of the elements by a function of x and y (arrays, m) that
    is True for them, or by indices (from 0; node j + (elements[1] + 1) i is the j-th along y of the i-th line); one
    node is enough, and turns about the normal with the elements around it. The frame lies at their centroid, or, by a
    pair (selection, place (3) in m), elsewhere. The default is {"root": the edge x = 0, "tip": the edge x = a}. root:
    name of the first frame. couple: "rigid": nodes are rigidly connected to their frame, as by a clamp; "average": the
    frame moves with their average.

    geometric: False omits the stress stiffness, and the plate softens as it rotates. loads, rayleigh: see
    `Modes.matrices`; nodes have 6 dofs.

    Transverse shear is neglected: Kirchhoff's theory holds if the sides are longer than about 20 times the thickness. A
    plate whose longer side is less than 5 times the thickness is refused. Needs scipy (the extra `elastic`). Raises
    ModelError. Source: (H8) of docs/equations_elastic.md.
    """
    model = plate_model((a, b), thickness, (E, nu, density), elements)
    chosen = root_first(_edges(model.size[0]) if frames is None else frames, root, "{'root': lambda x, y: x < 1e-6}")
    placed = {name: model.frame(str(name), value) for name, value in chosen.items()}
    M, K = model.elements.assembled(len(model.places))
    for node in single_nodes(placed):
        K = K + model.tie(node)
    source = model.elements if truth(geometric, "geometric", ModelError) else None
    return Modes.matrices(
        model.places, M, K, placed, modes, couple, DOFS,
        geometric=source, loads=loads, rayleigh=rayleigh, faces=model.faces,
    )  # fmt: skip


@dataclass(frozen=True)
class PlateModel:
    """Nodes and elements of a rectangular plate."""

    size: tuple[float, float]  #: m
    places: Array  #: (N, 3), m
    elements: PlateElements
    spin_tie: Callable[[int], SpinTie]  #: of a node
    faces: Array  #: two triangles for each element, (m, 3), indices of nodes

    def tie(self, node: int) -> Any:
        """Return the stiffness, sparse, that ties the rotation of a node about the normal to the plate around it.

        A frame on several nodes needs none: their displacements turn it.
        """
        from scipy.sparse import csc_matrix

        dofs, row, stiffness = self.spin_tie(node)
        size = DOFS * len(self.places)
        factors = csc_matrix((row, (dofs, np.zeros(len(dofs), dtype=int))), (size, 1))
        return stiffness * (factors @ factors.T)

    def frame(self, name: str, value: Any) -> Any:
        """Return the nodes of a frame, or a pair of them and its place. Raises ModelError."""
        selection, place = value if is_placed(value) else (value, None)
        points = Points("the plate", self.places[:, :2], np.arange(len(self.places)), {})
        nodes = np.flatnonzero(points.selected(name, selection))
        return nodes if place is None else (nodes, place)


def plate_model(sides: tuple[Any, Any], thickness: Any, material: tuple[Any, Any, Any], elements: Any) -> PlateModel:
    """Return the model of a plate with equal rectangular elements. Raises ModelError.

    sides: along x and y, m. thickness: m. material: Young's modulus, Pa, Poisson's ratio and density, kg/m³.
    """
    a, b, h = (positive(x, name) for x, name in zip((*sides, thickness), ("a", "b", "thickness"), strict=True))
    if h > THICKEST * max(a, b):
        raise ModelError(
            f"thickness of the plate is {h:g} m, for sides of {a:g} and {b:g} m: a thin plate has at most a fifth of "
            "the longer one; give lengths in m, or a block as mbs.Modes.solid"
        )
    made_of = material_of(*material)
    nx, ny = _counts(elements)
    x, y = np.meshgrid(np.linspace(0.0, a, nx + 1), np.linspace(-0.5 * b, 0.5 * b, ny + 1), indexing="ij")
    places = np.stack([x.ravel(), y.ravel(), np.zeros(x.size)], axis=1)
    index = np.arange(x.size).reshape(x.shape)
    corners = np.stack([index[:-1, :-1], index[1:, :-1], index[1:, 1:], index[:-1, 1:]], axis=-1).reshape(-1, 4)
    sizes = a / nx, b / ny
    ties = partial(spin_tie, corners, sizes, h, made_of)
    faces = np.concatenate([corners[:, [0, 1, 2]], corners[:, [0, 2, 3]]])
    return PlateModel((a, b), places, rectangles(corners, sizes, h, made_of), ties, faces)


def single_nodes(frames: Mapping[str, Any]) -> list[int]:
    """Return the nodes of the frames that lie on one node only."""
    chosen = [np.atleast_1d(frame[0] if isinstance(frame, tuple) else frame) for frame in frames.values()]
    return sorted({int(nodes[0]) for nodes in chosen if len(nodes) == 1})


def _counts(elements: Any) -> tuple[int, int]:
    pair = tuple(elements) if isinstance(elements, tuple | list) else ()
    if len(pair) != 2 or not all(is_whole(k) and k >= 1 for k in pair) or pair[0] * pair[1] > MOST_ELEMENTS:
        raise ModelError(
            f"elements is {display(elements)}: give two whole numbers, along x and y, such as (16, 16); at most "
            f"{MOST_ELEMENTS} elements in all"
        )
    return int(pair[0]), int(pair[1])


def _edges(a: float) -> dict[str, Any]:
    return {"root": lambda x, y: x < EDGE * a, "tip": lambda x, y: x > a - EDGE * a}
