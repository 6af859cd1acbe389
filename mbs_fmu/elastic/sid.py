"""Standard input data of an elastic body: SID_FEM text, as FEMBS, SIMPACK and others write it, read as invariants.

Source: O. Wallrapp, Standard Input Data of Flexible Members in Multibody Systems, in: Advanced Multibody System
Dynamics, Kluwer 1993. After a heading come blocks in blocks, `part` the outermost, each up to its `end`. A matrix is
a block too, m0 + sum of m1_b xi_b: m0(row, column) and m1(row, b, column), of which zeros may be left out. In (F2)
mdCM is mc, J is J to first order, Ct and Cr are transposed, and the pull of a turning frame on xi is

    ½ omegaᵀ (J1_a + J2_a xi) omega = -Oe_a (w_x², w_y², w_z², w_x w_y, w_y w_z, w_x w_z).

Gr and Ge follow from the others.
"""

from __future__ import annotations

import math
import re
from dataclasses import field
from pathlib import Path

import numpy as np

from ..errors import ModelError
from ..lazy_dataclasses import dataclass
from ..messages.failures import display
from .frames import Node
from .shapes import Array, Inertia, symmetric

Matrix = tuple[Array, Array]  #: m0, (rows, columns), and m1, (rows, n, columns)

J_ROWS = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
OE_COLUMNS = ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2))
OE_FACTORS = -np.array([2.0, 2.0, 2.0, 1.0, 1.0, 1.0])
SYMMETRIC, UNIT = 2, 4  #: what `structure` says; zero (0), diagonal (1) and any other (3) show in the elements
TOLD_TWICE = 0.01  #: by how much what a file tells twice may differ, in parts of the largest number
ROUNDED = 1e-5  #: how far axes may be from a rotation to be taken as one of few digits
NUMBER = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))(?:[DdEe]([+-]?\d+)|([+-]\d+))?")  # Fortran: 1.5D+02, 1.5-102
ELEMENT = re.compile(r"m([01])\s*\(([^()]*)\)")
HEADS = {"order", "nrow", "ncol", "nq", "nqn", "structure"}


def read(path: str | Path) -> tuple[Inertia, Array, Array, dict[str, Node]]:
    """Inertia, stiffness and damping of the modes, and nodes: the file's node 12 is "node12".

    Raises OSError, and ModelError for a file that is cut off or damaged, or that contradicts itself.
    """
    try:
        return _body(_part(Path(path).read_text("latin-1")).block("modal"))
    except ModelError as error:
        raise ModelError(f"{path} can't be read as SID_FEM: {error}") from None


@dataclass(frozen=True)
class Block:
    """What stands between a name and its end."""

    name: str
    value: str
    line: int
    entries: dict[str, tuple[str, int]] = field(default_factory=dict)  #: values and their lines
    blocks: list[Block] = field(default_factory=list)

    def __str__(self) -> str:
        return f"{display(self.name)} of line {self.line}"

    def has(self, name: str) -> bool:
        return any(block.name == name for block in self.blocks)

    def block(self, name: str) -> Block:
        found = [block for block in self.blocks if block.name == name]
        if len(found) != 1:
            raise ModelError(f"{self} has {'more than one' if found else 'no'} {name!r}: export the file anew")
        return found[0]

    def entry(self, key: str) -> tuple[str, int]:
        if key not in self.entries:
            raise ModelError(f"{self} has no line '{key} = ...': export the file anew")
        return self.entries[key]


def _part(text: str) -> Block:
    """The file's blocks as a tree."""
    opened: list[Block] = []
    for line, row in enumerate(text.split("\n"), 1):
        key, equals, value = (x.strip() for x in row.partition("="))
        words = key.split()
        if not row.strip() or not (opened or row.split() == ["part"]):
            continue
        if words[:1] == ["end"]:
            if words[1:] != [opened[-1].name]:
                raise ModelError(f"line {line} says {display(key)} within {opened[-1]}: export the file anew")
            done = opened.pop()
            if not opened:
                return done
        elif equals and words[:1] != ["new"]:
            opened[-1].entries[key] = (value, line)
        else:
            block = Block(words[-1], value, line)
            if opened:
                opened[-1].blocks.append(block)
            opened.append(block)
    if opened:
        raise ModelError(f"it is cut off within {opened[-1]}: export the file anew")
    raise ModelError("no line says 'part': give a text file of standard input data")


def _number(text: str, line: int) -> float:
    found = NUMBER.fullmatch(text)
    value = float(f"{found[1]}E{found[2] or found[3] or 0}") if found else math.nan
    if not math.isfinite(value):
        raise ModelError(f"line {line} has {display(text)} where a finite number belongs: export the file anew")
    return value


def _whole(text: str, line: int) -> int:
    if not re.fullmatch(r"\s*[0-9]{1,9}\s*", text):
        raise ModelError(f"line {line} has {display(text)} where a whole number belongs: export the file anew")
    return int(text)


def _matrix(block: Block, n: int, *shapes: tuple[int, int]) -> Matrix:
    """A matrix of one of some shapes, in n coordinates; with n = 0 one that is constant."""
    rows, columns = (_whole(*block.entry(key)) for key in ("nrow", "ncol"))
    if (rows, columns) not in shapes:
        wanted = " or ".join(f"{r} x {c}" for r, c in shapes)
        raise ModelError(f"{block} is {rows} x {columns}, not {wanted} as refmod has it: export the file anew")
    parts = np.zeros((rows, columns)), np.zeros((rows, n, columns))
    structure = _whole(*block.entry("structure"))
    if structure == UNIT:
        parts[0][:] = np.eye(rows, columns)
    for key, (value, line) in block.entries.items():
        if key in HEADS:
            continue
        found = ELEMENT.fullmatch(key)
        if not found:
            raise ModelError(f"line {line} sets {display(key)}, but of {block} only m0 and m1 are known")
        A, index = parts[int(found[1])], tuple(_whole(x, line) - 1 for x in found[2].split(","))
        if len(index) != A.ndim or not all(0 <= k < size for k, size in zip(index, A.shape, strict=True)):
            raise ModelError(f"line {line} sets {display(key)}, which {block} can't have: export the file anew")
        A[index] = _number(value, line)
    if structure == SYMMETRIC and rows == columns:  # often one triangle alone
        m0, m1 = (np.where(A != 0.0, A, A.swapaxes(0, -1)) for A in parts)
        return m0, m1
    return parts


def _body(modal: Block) -> tuple[Inertia, Array, Array, dict[str, Node]]:
    refmod = modal.block("refmod")
    n = _whole(*refmod.entry("nelastq"))
    if n == 0:
        raise ModelError(f"{refmod} has no modes: give its mass and inertia to a rigid body")
    Me, K = (_matrix(modal.block(name), 0, (n, n))[0] for name in ("Me", "Ke"))
    D = _matrix(modal.block("De"), 0, (n, n))[0] if modal.has("De") else np.zeros((n, n))
    if modal.has("ksigma") and _matrix(modal.block("ksigma"), 0, (n, 1))[0].any():
        raise ModelError("its body has stresses before it deforms (ksigma), which are not known: export it without")
    blocks = modal.block("frame").blocks
    nodes = dict(_node(block, n) for block in blocks)
    if len(nodes) < len(blocks):
        raise ModelError("two nodes have the same number: give each its own")
    return _inertia(modal, _number(*refmod.entry("mass")), Me), K, D, nodes


def _inertia(modal: Block, mass: float, Me: Array) -> Inertia:
    n = Me.shape[0]
    S0, S1 = (A[..., 0] for A in _matrix(modal.block("mdCM"), n, (3, 1)))
    J = _matrix(modal.block("J"), n, (6, 1), (3, 3))
    J0, J1 = (_tensor(A[..., 0], J_ROWS) if len(A) == 6 else np.moveaxis(A, -1, 1) for A in J)
    S1_again, S2 = (np.moveaxis(A, -1, 0) for A in _matrix(modal.block("Ct"), n, (n, 3)))
    C0, C1 = (np.moveaxis(A, -1, 0) for A in _matrix(modal.block("Cr"), n, (n, 3)))
    Oe = _matrix(modal.block("Oe"), n, (n, 6))  # its mixed columns may be unsymmetric; that part has no effect
    J1_again, J2 = (_tensor(np.moveaxis(OE_FACTORS * A, -1, 0), OE_COLUMNS) for A in Oe)
    for A, B, thing in ((S1, S1_again, "m1 of mdCM and m0 of Ct"), (J1, J1_again, "m1 of J and m0 of Oe")):
        if np.abs(A - B).max() > TOLD_TWICE * max(np.abs(A).max(), np.abs(B).max()):  # another order, other signs
            raise ModelError(f"{thing} contradict each other: export the file anew, or enter its tables by hand")
    return Inertia(mass, S0, S1, symmetric(S2), J0, J1, symmetric(J2), C0, C1, Me)


def _tensor(six: Array, places: tuple[tuple[int, int], ...]) -> Array:
    out = np.zeros((3, 3, *six.shape[1:]))
    for (i, j), part in zip(places, six, strict=True):
        out[i, j] = out[j, i] = part
    return out


def _node(block: Block, n: int) -> tuple[str, Node]:
    place, _ = _matrix(block.block("origin"), n, (3, 1))
    Y1, Y2 = (np.concatenate(A) for A in zip(*(_matrix(block.block(x), n, (3, n)) for x in ("phi", "psi"))))
    axes = _rotation(_matrix(block.block("AP"), n, (3, 3))[0]) if block.has("AP") else np.eye(3)
    return f"node{_whole(block.value, block.line)}", Node(place[:, 0], axes, Y1, symmetric(Y2))


def _rotation(A: Array) -> Array:
    """The nearest rotation, if A is one that was rounded."""
    U, _, Vh = np.linalg.svd(A)
    near: Array = U @ Vh
    return near if np.abs(near - A).max() < ROUNDED else A
