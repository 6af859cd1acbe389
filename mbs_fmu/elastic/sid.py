"""Reader of standard input data of an elastic body: SID_FEM text, as FEMBS, SIMPACK and others write it.

Source: O. Wallrapp, Standard Input Data of Flexible Members in Multibody Systems, in: Advanced Multibody System
Dynamics, Kluwer 1993. A heading is followed by nested blocks; `part` is the outermost, and each extends to its `end`. A
matrix is a block too, m0 + sum of m1_b xi_b, with elements m0(row, column) and m1(row, b, column); zeros may be
omitted. In the notation of (F2), mdCM is mc, J is J to first order, Ct and Cr are transposed, and the centrifugal force
of a rotating frame on xi is

    ½ omegaᵀ (J1_a + J2_a xi) omega = -Oe_a (w_x², w_y², w_z², w_x w_y, w_y w_z, w_x w_z).

Gr and Ge follow from the other matrices.
"""

from __future__ import annotations

import math
import re
from dataclasses import field
from pathlib import Path

import numpy as np

from ..infrastructure.errors import ModelError
from ..infrastructure.lazy_dataclasses import dataclass
from ..infrastructure.messages.failures import display
from .frames import Node
from .shapes import Array, Inertia, symmetric

Matrix = tuple[Array, Array]  #: m0, (rows, columns), and m1, (rows, n, columns)

J_ROWS = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
OE_COLUMNS = ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2))
OE_FACTORS = -np.array([2.0, 2.0, 2.0, 1.0, 1.0, 1.0])
SYMMETRIC, UNIT = (
    2,
    4,
)  #: values of `structure` that matter; zero (0), diagonal (1), full (3) do not
INCONSISTENT = 0.01  #: largest difference of two copies of one matrix, relative to its largest number
ROUNDED = 1e-5  #: largest difference of axes from a rotation that counts as rounding
NUMBER = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))(?:[DdEe]([+-]?\d+)|([+-]\d+))?")  # Fortran: 1.5D+02, 1.5-102
ELEMENT = re.compile(r"m([01])\s*\(([^()]*)\)")
HEADS = {"order", "nrow", "ncol", "nq", "nqn", "structure"}


def read(path: str | Path) -> tuple[Inertia, Array, Array, dict[str, Node]]:
    """Return inertia, stiffness and damping of the modes, and nodes by name: the file's node 12 is "node12".

    Raises OSError, and ModelError for a file that is incomplete, damaged or inconsistent.
    """
    try:
        return _body(_part(Path(path).read_text("latin-1")).block("modal"))
    except ModelError as error:
        raise ModelError(f"{path} can't be read as SID_FEM: {error}") from None


@dataclass(frozen=True)
class DataBlock:
    """A named block of the file, up to its `end`."""

    name: str
    value: str  #: right-hand side of the block's first line
    line: int  #: number of the block's first line
    entries: dict[str, tuple[str, int]] = field(default_factory=dict)  #: values and their line numbers, by key
    blocks: list[DataBlock] = field(default_factory=list)

    def __str__(self) -> str:
        return f"{display(self.name)} of line {self.line}"

    def has(self, name: str) -> bool:
        """True if there is a block of this name within this block."""
        return any(block.name == name for block in self.blocks)

    def block(self, name: str) -> DataBlock:
        """Return the only block of this name. Raises ModelError if there is none, or more than one."""
        matches = [block for block in self.blocks if block.name == name]
        if len(matches) != 1:
            raise ModelError(f"{self} has {'more than one' if matches else 'no'} {name!r}: export the file again")
        return matches[0]

    def entry(self, key: str) -> tuple[str, int]:
        """Return the value of a key and its line number. Raises ModelError if it is missing."""
        if key not in self.entries:
            raise ModelError(f"{self} has no line '{key} = ...': export the file anew")
        return self.entries[key]


def _part(text: str) -> DataBlock:
    """Parse the file's blocks as a tree; return the outermost, `part`. Raises ModelError."""
    opened: list[DataBlock] = []
    for line, row in enumerate(text.split("\n"), 1):
        key, equals, value = (x.strip() for x in row.partition("="))
        words = key.split()
        if not row.strip() or not (opened or row.split() == ["part"]):
            continue
        if words[:1] == ["end"]:
            if words[1:] != [opened[-1].name]:
                raise ModelError(f"line {line} says {display(key)} within {opened[-1]}: export the file anew")
            closed = opened.pop()
            if not opened:
                return closed
        elif equals and words[:1] != ["new"]:
            opened[-1].entries[key] = (value, line)
        else:
            block = DataBlock(words[-1], value, line)
            if opened:
                opened[-1].blocks.append(block)
            opened.append(block)
    if opened:
        raise ModelError(f"the file ends within {opened[-1]}: export the file again")
    raise ModelError("there is no line 'part': give a text file of standard input data")


def _number(text: str, line: int) -> float:
    """Return a number in Fortran's notation. Raises ModelError."""
    match = NUMBER.fullmatch(text)
    value = float(f"{match[1]}E{match[2] or match[3] or 0}") if match else math.nan
    if not math.isfinite(value):
        raise ModelError(f"line {line} has {display(text)} where a finite number belongs: export the file again")
    return value


def _whole(text: str, line: int) -> int:
    """Return a whole number. Raises ModelError."""
    if not re.fullmatch(r"\s*[0-9]{1,9}\s*", text):
        raise ModelError(f"line {line} has {display(text)} where a whole number belongs: export the file anew")
    return int(text)


def _matrix(block: DataBlock, n: int, *shapes: tuple[int, int]) -> Matrix:
    """Return a matrix as m0 and m1; n: number of coordinates, 0 for a constant matrix. Raises ModelError.

    shapes: the allowed numbers of rows and columns.
    """
    rows, columns = (_whole(*block.entry(key)) for key in ("nrow", "ncol"))
    if (rows, columns) not in shapes:
        expected = " or ".join(f"{r} x {c}" for r, c in shapes)
        raise ModelError(f"{block} is {rows} x {columns}, not {expected} as refmod requires: export the file again")
    parts = np.zeros((rows, columns)), np.zeros((rows, n, columns))
    structure = _whole(*block.entry("structure"))
    if structure == UNIT:
        parts[0][:] = np.eye(rows, columns)
    for key, (value, line) in block.entries.items():
        if key in HEADS:
            continue
        match = ELEMENT.fullmatch(key)
        if not match:
            raise ModelError(f"line {line} sets {display(key)}: elements of {block} are m0(...) and m1(...) only")
        A, index = parts[int(match[1])], tuple(_whole(x, line) - 1 for x in match[2].split(","))
        if len(index) != A.ndim or not all(0 <= k < size for k, size in zip(index, A.shape, strict=True)):
            raise ModelError(f"line {line} sets {display(key)}, which {block} can't have: export the file again")
        A[index] = _number(value, line)
    if structure == SYMMETRIC and rows == columns:  # files often contain one triangle only
        m0, m1 = (np.where(A != 0.0, A, A.swapaxes(0, -1)) for A in parts)
        return m0, m1
    return parts


def _body(modal: DataBlock) -> tuple[Inertia, Array, Array, dict[str, Node]]:
    """Return inertia, stiffness, damping and nodes from the block `modal`. Raises ModelError."""
    refmod = modal.block("refmod")
    n = _whole(*refmod.entry("nelastq"))
    if n == 0:
        raise ModelError(f"{refmod} has no modes: give its mass and inertia to a rigid body")
    Me, K = (_matrix(modal.block(name), 0, (n, n))[0] for name in ("Me", "Ke"))
    D = _matrix(modal.block("De"), 0, (n, n))[0] if modal.has("De") else np.zeros((n, n))
    if modal.has("ksigma") and _matrix(modal.block("ksigma"), 0, (n, 1))[0].any():
        raise ModelError("the body has initial stresses (ksigma), which are not supported: export it without them")
    blocks = modal.block("frame").blocks
    nodes = dict(_node(block, n) for block in blocks)
    if len(nodes) < len(blocks):
        raise ModelError("two nodes have the same number: give each its own")
    return _inertia(modal, _number(*refmod.entry("mass")), Me), K, D, nodes


def _inertia(modal: DataBlock, mass: float, Me: Array) -> Inertia:
    """Return the invariants (F2) from the block `modal`. Raises ModelError if copies of one matrix differ."""
    n = Me.shape[0]
    S0, S1 = (A[..., 0] for A in _matrix(modal.block("mdCM"), n, (3, 1)))
    J = _matrix(modal.block("J"), n, (6, 1), (3, 3))
    J0, J1 = (_tensor(A[..., 0], J_ROWS) if len(A) == 6 else np.moveaxis(A, -1, 1) for A in J)
    S1_again, S2 = (np.moveaxis(A, -1, 0) for A in _matrix(modal.block("Ct"), n, (n, 3)))
    C0, C1 = (np.moveaxis(A, -1, 0) for A in _matrix(modal.block("Cr"), n, (n, 3)))
    Oe = _matrix(modal.block("Oe"), n, (n, 6))  # the antisymmetric part of its mixed columns has no effect
    J1_again, J2 = (_tensor(np.moveaxis(OE_FACTORS * A, -1, 0), OE_COLUMNS) for A in Oe)
    for A, B, thing in ((S1, S1_again, "m1 of mdCM and m0 of Ct"), (J1, J1_again, "m1 of J and m0 of Oe")):
        # such differences come from another order of columns or from other signs
        if np.abs(A - B).max() > INCONSISTENT * max(np.abs(A).max(), np.abs(B).max()):
            raise ModelError(f"{thing} contradict each other: export the file again, or enter its tables by hand")
    return Inertia(mass, S0, S1, symmetric(S2), J0, J1, symmetric(J2), C0, C1, Me)


def _tensor(six: Array, places: tuple[tuple[int, int], ...]) -> Array:
    """Return a symmetric matrix from six elements; places: row and column of each."""
    matrix = np.zeros((3, 3, *six.shape[1:]))
    for (i, j), element in zip(places, six, strict=True):
        matrix[i, j] = matrix[j, i] = element
    return matrix


def _node(block: DataBlock, n: int) -> tuple[str, Node]:
    """Return a node and its name. Raises ModelError."""
    place, _ = _matrix(block.block("origin"), n, (3, 1))
    Y1, Y2 = (np.concatenate(A) for A in zip(*(_matrix(block.block(x), n, (3, n)) for x in ("phi", "psi"))))
    axes = _rotation(_matrix(block.block("AP"), n, (3, 3))[0]) if block.has("AP") else np.eye(3)
    return f"node{_whole(block.value, block.line)}", Node(place[:, 0], axes, Y1, symmetric(Y2))


def _rotation(A: Array) -> Array:
    """Return the nearest rotation if A is a rounded rotation, otherwise A."""
    U, _, Vh = np.linalg.svd(A)
    nearest: Array = U @ Vh
    return nearest if np.abs(nearest - A).max() < ROUNDED else A
