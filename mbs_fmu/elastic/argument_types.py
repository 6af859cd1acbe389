"""Types of the data of elastic bodies in public functions, for editors and type checkers.

The functions check all values at run time, whatever their types. Shapes are in the docstrings of the functions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from .reduction.stress_stiffness import Case, StressStiffness


class SparseMatrix(Protocol):
    """Sparse matrix or array of scipy."""

    @property
    def shape(self) -> tuple[int, ...]: ...

    def toarray(self) -> np.ndarray: ...


#: One number for each component, node or coordinate.
Numbers = np.ndarray | Sequence[float]
#: Rows of numbers.
Rows = np.ndarray | Sequence[Sequence[float]]
#: Matrix, dense or sparse.
Matrix = Rows | SparseMatrix
#: Array with two to four axes, or nested rows.
Table = np.ndarray | Sequence[Any]
#: Indices of nodes, from 0.
Indices = np.ndarray | Sequence[int]
#: Nodes of a frame of a finite element model: indices, or a pair of indices and the frame's position, m.
FrameNodes = Indices | tuple[Indices, Numbers]
#: Points of a mesh: a function of their coordinates that is True for them, the name of a set of the file, or indices.
Selection = Callable[..., Any] | str | Indices
#: Points of a mesh that belong to a frame, or a pair of them and the frame's position, m.
FramePoints = Selection | tuple[Selection, Numbers]
#: File of a mesh, or arrays of its points and cells.
MeshData = str | Path | tuple[Rows, Rows]
#: "inertia", or nodal forces by name; the name "inertia" with True.
LoadData = Literal["inertia"] | Mapping[str, Any]
#: Positions of points (m) by name.
Points = Mapping[str, Numbers]
if TYPE_CHECKING:
    #: Source of the stress stiffness of a finite element model.
    Stiffening: TypeAlias = (
        Literal["bars"]
        | Callable[[np.ndarray], Matrix]
        | Mapping[str, Matrix]
        | Mapping[Case, Matrix]
        | StressStiffness
    )
else:
    Stiffening: TypeAlias = Any  # few processes need the module
