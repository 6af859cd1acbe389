"""What is known of an elastic body: inertia, stiffness and damping of its modes, and the nodes that frames sit on."""

from __future__ import annotations

import json
import math
import zipfile
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..arguments import is_whole, positive
from ..disk.files import replacing
from ..errors import ModelError
from ..lazy_dataclasses import dataclass
from ..messages.failures import display
from ..messages.suggestions import did_you_mean
from . import matrices, sid, solid
from .checks import array, checked_forms, checked_inertia, checked_modes, checked_nodes, order, square
from .frames import Node, in_mean_frame, moved
from .printout import printout
from .shapes import Array, Inertia, symmetric, twice_combined

FORMAT = 1  #: of files
FORMS = ("stress", "section_forces")  #: what is six numbers by the modes; older files have none


@dataclass(frozen=True, eq=False, repr=False)
class Modes:
    """An elastic body in n modes: small deformations about a frame in large motion.

    Made by `mbs.beam`, from files (`load`, `sid`), finite element models (`matrices`) or tables (`invariants`).
    Coordinates xi have no unit of their own: `normal()` has metres.

    inertia: the invariants, see mbs_fmu/elastic/shapes.py. stiffness, damping: (n, n) symmetric, forces are
    -K xi - D xi_dot. nodes: places that frames may sit on, by name. stress: by the names of points, stresses xx, yy,
    zz, xy, yz, xz (Pa) by xi, (6, n). section_forces: by the names of nodes N, Qy, Qz (N), Mx, My, Mz (N.m) by xi, (6,
    n), of the part behind the node on the part before it. foreshortening: True if points come nearer where the body
    bends, to second order, without which a body that spins gets softer instead of stiffer; by default it is True if S2
    or a node's Y2 is not zero. Raises ModelError for numbers that no body has: modes that are
    rigid motions or depend on each other, a stiffness or mass that is not positive, matrices that are not symmetric.
    """

    inertia: Inertia
    stiffness: Array
    damping: Array | None = None
    nodes: Mapping[str, Node] = field(default_factory=dict)
    stress: Mapping[str, Array] = field(default_factory=dict)
    section_forces: Mapping[str, Array] = field(default_factory=dict)
    foreshortening: bool | None = None

    def __post_init__(self) -> None:
        inertia = checked_inertia(self.inertia)
        n = inertia.Me.shape[0]
        damping = np.zeros((n, n)) if self.damping is None else self.damping
        made = {
            "inertia": inertia,
            "stiffness": square(self.stiffness, n, "the stiffness of modes"),
            "damping": square(damping, n, "the damping of modes"),
            "nodes": checked_nodes(self.nodes, n),
            "stress": checked_forms(self.stress, n, "stress"),
            "section_forces": checked_forms(self.section_forces, n, "section forces"),
        }
        for name, value in made.items():
            object.__setattr__(self, name, value)
        if self.foreshortening is None:
            second = [inertia.S2, *(node.Y2 for node in self.nodes.values())]
            object.__setattr__(self, "foreshortening", any(map(np.any, second)))
        checked_modes(inertia, in_mean_frame(inertia, {})[0], self.stiffness, self.damping_matrix)

    # -- what it is ----------------------------------------------------------------------------------------------
    @property
    def count(self) -> int:
        """The number n of modes."""
        return int(self.stiffness.shape[0])

    @property
    def mass(self) -> float:
        """kg."""
        return self.inertia.mass

    @property
    def damping_matrix(self) -> Array:
        """(n, n)."""
        assert self.damping is not None  # since __post_init__
        return self.damping

    @property
    def size(self) -> float:
        """The length (m) by which rotations of nodes are compared with displacements: about that of the body."""
        far = [float(np.linalg.norm(node.place - self.inertia.center)) for node in self.nodes.values()]
        return 2.0 * max([*far, math.sqrt(0.5 * np.trace(self.inertia.central) / self.mass)])

    @property
    def frequencies(self) -> Array:
        """Of the free body, undamped, (n), Hz, in rising order."""
        body, _ = in_mean_frame(self.inertia, {})
        return _frequencies(self.stiffness, body.Me)

    def held(self, node: str) -> Array:
        """Frequencies of the body held at a node, undamped, (n), Hz, in rising order. Raises ModelError."""
        return _frequencies(self.stiffness, moved(self.inertia, self.node(node)).Me)

    def damping_ratios(self, held: str | None = None) -> Array:
        """Parts of critical damping of each mode, (n), of the body held at this node; without it, of the free body.

        Each mode by itself: where a mode's damping moves others too, that is left out. Raises ModelError.
        """
        body = in_mean_frame(self.inertia, {})[0] if held is None else moved(self.inertia, self.node(held))
        squares, V = _eigen(self.stiffness, body.Me)
        return np.asarray(0.5 * np.einsum("ak,ab,bk->k", V, self.damping_matrix, V) / np.sqrt(squares))

    def compliance(self, node: str, root: str) -> Array:
        """Displacement and rotation of a node by a force and a moment there, held at a root: (6, 6), m/N and so on."""
        Y = self.node(node).seen_from(self.node(root)).Y1
        return np.asarray(Y @ np.linalg.solve(self.stiffness, Y.T))

    def node(self, name: str) -> Node:
        """The node of a name; ModelError where there is none."""
        if not isinstance(name, str) or name not in self.nodes:
            have = ", ".join(self.nodes) or "none"
            raise ModelError(
                f"unknown node {display(name)}{did_you_mean(name, self.nodes)}; this elastic body has {have}"
            )
        return self.nodes[name]

    def __str__(self) -> str:
        return printout(self)

    def __repr__(self) -> str:
        return f"<elastic body: {self.mass:.6g} kg, {self.count} modes, nodes {', '.join(self.nodes) or 'none'}>"

    # -- the same body otherwise ---------------------------------------------------------------------------------
    def combined(self, V: Array) -> Modes:
        """The body in coordinates eta, xi = V eta, V (n, m); with m < n a body that can't take all of its shapes.

        Raises ModelError.
        """
        V = array(V, (self.count, np.shape(V)[1] if np.ndim(V) == 2 else 0), "V")
        nodes = {name: node.combined(V) for name, node in self.nodes.items()}
        K, D = (symmetric(twice_combined(A, V)) for A in (self.stiffness, self.damping_matrix))
        stress, sections = ({name: A @ V for name, A in told.items()} for told in (self.stress, self.section_forces))
        return Modes(self.inertia.combined(V), K, D, nodes, stress, sections, self.foreshortening)

    def normal(self) -> Modes:
        """The body in the mean frame and in its normal coordinates, by rising frequency.

        Stiffness and the modes' mass matrix are diagonal, and each coordinate is scaled to metres: 1 is the mode's
        largest displacement of a node, where rotations count times `size`.
        """
        body, squares, V = self._normal_modes()
        out = body.combined(V)
        masses = np.diag(out.inertia.Me).copy()
        return replace(out, inertia=replace(out.inertia, Me=np.diag(masses)), stiffness=np.diag(masses * squares))

    def normal_coordinates(self) -> Array:
        """V, (n, n): xi = V eta are these coordinates by those of `normal()`, which bodies of models have."""
        return self._normal_modes()[2]

    def _normal_modes(self) -> tuple[Modes, Array, Array]:
        """The body in the mean frame, the squares of its angular frequencies, and V of `normal_coordinates`."""
        inertia, nodes = in_mean_frame(self.inertia, dict(self.nodes))
        none, C1 = np.zeros_like(inertia.S1), 0.5 * (inertia.C1 - inertia.C1.swapaxes(1, 2))
        inertia = replace(inertia, S1=none, S2=np.zeros_like(inertia.S2), C0=none, C1=C1)  # what is left is rounding
        squares, V = _eigen(self.stiffness, inertia.Me)
        V = V / [_largest(node_shapes, self.size, self.mass) for node_shapes in _shapes(nodes.values(), V)]
        return replace(self, inertia=inertia, nodes=nodes), squares, V

    def keep(self, count: int | None = None, below: float | None = None, held: str | None = None) -> Modes:
        """The body with its lowest modes alone, in normal coordinates: so many, or those below a frequency (Hz).

        held: modes are those of the body held at this node; without it, of the free body. Raises ModelError.
        """
        normal = self.normal() if held is None else self._held_modes(held)
        frequencies = self.frequencies if held is None else self.held(held)
        if (count is None) == (below is None):
            raise ModelError("keep: give either how many modes, or the frequency (Hz) below which they lie")
        kept = count if below is None else int(np.sum(frequencies < positive(below, "below")))
        if below is not None and kept == 0:
            raise ModelError(f"no mode lies below {below:g} Hz: the first has {frequencies[0]:g} Hz")
        if kept is None or not is_whole(kept) or not 1 <= kept <= self.count:
            raise ModelError(
                f"can't keep {display(count)} modes: give a whole number, 1 to {self.count}, or below= for a frequency"
            )
        return normal.combined(np.eye(self.count)[:, :kept]).normal()

    def _held_modes(self, node: str) -> Modes:
        """The body in the coordinates of its modes when it is held."""
        _, V = _eigen(self.stiffness, moved(self.inertia, self.node(node)).Me)
        return self.combined(V)

    def with_damping(self, ratio: float | Sequence[float], held: str | None = None) -> Modes:
        """The body in normal coordinates, with parts of critical damping: one for all modes, or one for each.

        held: modes are those of the body held at this node; without it, of the free body. Raises ModelError.
        """
        normal = self.normal()
        try:
            ratios = np.array(ratio)
        except ValueError:  # rows of different lengths
            ratios = np.array("")
        if ratios.dtype.kind not in "fiu" or ratios.shape not in ((), (self.count,)) or not np.all(ratios >= 0.0):
            raise ModelError(
                f"damping is {display(ratio)}: give parts of critical damping, 0 or more, one or {self.count} of them"
            )
        if held is None:
            omega = 2 * math.pi * normal.frequencies
            return replace(normal, damping=np.diag(2 * omega * np.diag(normal.inertia.Me) * ratios))
        M = moved(normal.inertia, normal.node(held)).Me
        squares, V = _eigen(normal.stiffness, M)  # of unit mass: V⁻¹ is VᵀM
        return replace(normal, damping=symmetric(M @ V @ np.diag(2 * np.sqrt(squares) * ratios) @ V.T @ M))

    # -- files ---------------------------------------------------------------------------------------------------
    def save(self, path: str | Path) -> None:
        """Into a file of numpy (.npz), which `load` reads. Raises OSError."""
        arrays = {f.name: np.asarray(getattr(self.inertia, f.name)) for f in fields(Inertia)}
        arrays |= {"format": np.array(FORMAT), "K": self.stiffness, "D": self.damping_matrix}
        for k, node in enumerate(self.nodes.values()):
            arrays |= {f"node{k}_{f.name}": getattr(node, f.name) for f in fields(Node)}
        arrays["foreshortening"] = np.array(self.foreshortening)
        lists = {"nodes": np.array(json.dumps(list(self.nodes)))}
        for word in FORMS:
            told: Mapping[str, Array] = getattr(self, word)
            arrays |= {f"{word}{k}": form for k, form in enumerate(told.values())}
            lists[word] = np.array(json.dumps(list(told)))
        with replacing(path) as beside, beside.open("wb") as file:
            np.savez(file, allow_pickle=False, **lists, **arrays)

    @classmethod
    def load(cls, path: str | Path) -> Modes:
        """From a file that `save` made. Raises OSError, and ModelError for any other file."""
        made: dict[str, Node] = {}
        try:
            with Path(path).open("rb") as file, np.load(file, allow_pickle=False) as found:
                if found["format"] != FORMAT:
                    raise ModelError(f"{path} has format {found['format']}: this version reads format {FORMAT}")
                names = json.loads(str(found["nodes"]))
                inertia = Inertia(*(found[f.name] for f in fields(Inertia)))
                for k, name in enumerate(names):
                    made[name] = Node(*(found[f"node{k}_{f.name}"] for f in fields(Node)))
                K, D = found["K"], found["D"]
                forms = [_forms(found, word) for word in FORMS]
                shortens = bool(found["foreshortening"]) if "foreshortening" in found else None
        except ModelError:
            raise
        except (KeyError, TypeError, ValueError, EOFError, RuntimeError, zlib.error, zipfile.BadZipFile):
            raise ModelError(f"{path} is no file of modes, or damaged: write one with Modes.save") from None
        return cls._of_file(path, inertia, K, D, made, *forms, shortens)

    @classmethod
    def sid(cls, path: str | Path) -> Modes:
        """From standard input data, SID_FEM text, that FEMBS, SIMPACK and others write; node 12 is "node12".

        Raises OSError, and ModelError for a file that is damaged, contradicts itself or has numbers of no body.
        """
        return cls._of_file(path, *sid.read(path))

    @classmethod
    def matrices(
        cls,
        nodes: Any,
        M: Any,
        K: Any,
        frames: Mapping[str, Any],
        modes: int = 10,
        couple: str = "average",
        dofs: int = 3,
        stress: Mapping[str, Any] | None = None,
    ) -> Modes:
        """From a finite element model's nodes, mass and stiffness matrix, of which it is a reduction.

        nodes: undeformed places, (N, 3), m, in the body's axes. M, K: (dofs N, dofs N), sparse or dense, kg and N/m, of
        the free structure, without supports. dofs: 3 a node (x, y, z: solids) or 6 (then rotations, rad). frames: the
        nodes of this body by name, each the indices (from 0) of nodes of the model, about whose centroid it lies, or a
        pair (indices, place). couple: a frame is the "average" of its nodes, or these are "rigid" to it. modes: how
        many vibrations with all frames at rest, beside the six shapes by loads on each frame but the first. stress: by
        the names of points what displacements give there, (6, dofs N), sparse or dense: xx, yy, zz, xy, yz, xz, Pa.
        There is no foreshortening: what turns fast and is slender should be a beam, or several bodies. Needs scipy (the
        extra `elastic`). Raises ModelError.
        """
        return cls._straight(matrices.reduced(nodes, M, K, frames, modes, couple, dofs, stress or {}))

    @classmethod
    def solid(
        cls,
        mesh: Any,
        *,
        E: float,
        nu: float,
        density: float,
        frames: Mapping[str, Any],
        root: str | None = None,
        modes: int = 10,
        couple: str = "average",
        scale: float | None = None,
        order: int = 2,
        stress: Mapping[str, Any] | None = None,
    ) -> Modes:
        """From a solid of one material: a mesh of tetrahedra, by scikit-fem, reduced as `matrices` does.

        mesh: a file that meshio reads (.msh, .vtk, .inp, ...), or arrays (points, tetrahedra), (N, 3) and (n, 4), with
        middles of curved edges (n, 10); in the body's axes. scale: metres by the mesh's unit, 1e-3 for mm. E: Young's
        modulus, Pa; nu: Poisson's number; density: kg/m³. frames: the nodes of this body by name; each has the points
        of the mesh where a function of x, y, z (arrays, m) is True, those of a physical group, a set of points or of
        cells that the file has by this name, or those of indices (from 0), and the middles of edges between them on the
        surface. It lies in the centroid of the surface that these make (of the points if they make none), or at the
        place of a pair (one of these, place in m). root: the frame that comes first. modes, couple: see `matrices`.
        order: of displacements in tetrahedra; those of first order are far too stiff in bending. stress: by name the
        places (3), m, of which stresses are asked for. Needs the extra `solid`. Raises ModelError.
        """
        made = solid.assembled(mesh, (E, nu, density), frames, root, scale, order, stress)
        return cls._straight(matrices.reduced(made.nodes, made.M, made.K, made.frames, modes, couple, 3, made.stress))

    @classmethod
    def _straight(cls, made: tuple[Inertia, Array, Array, dict[str, Node], dict[str, Array]]) -> Modes:
        """A body whose points move along straight lines, in its mean frame and normal coordinates."""
        inertia, K, D, nodes, stress = made
        return cls(inertia, K, D, nodes, stress, foreshortening=False).normal()

    @classmethod
    def _of_file(cls, path: str | Path, *parts: Any) -> Modes:
        try:
            return cls(*parts)
        except ModelError as error:
            raise ModelError(f"{path}: {error}") from None

    @classmethod
    def invariants(
        cls,
        mass: float,
        S0: Any,
        J0: Any,
        Me: Any,
        K: Any,
        D: Any = None,
        nodes: Mapping[str, Node] | None = None,
        stress: Mapping[str, Any] | None = None,
        **more: Any,
    ) -> Modes:
        """From tables as papers and standard input data have them: the letters of (F1) in docs/equations_elastic.md.

        Places in space come first, then modes: S0 (3), J0 (3, 3), Me, K and D (n, n); in `more`, zero if left out, S1
        and C0 (3, n), S2 and C1 (3, n, n), J1 (3, 3, n), J2 (3, 3, n, n). stress: see `Modes`. Raises ModelError.
        """
        n = order(Me)
        zero = {"S1": (3, n), "S2": (3, n, n), "J1": (3, 3, n), "J2": (3, 3, n, n), "C0": (3, n), "C1": (3, n, n)}
        unknown = sorted(set(more) - set(zero))
        if unknown:
            raise ModelError(f"unknown invariant {unknown[0]!r}: give some of {', '.join(zero)}")
        tables = {name: more.get(name, np.zeros(shape)) for name, shape in zero.items()}
        return cls(Inertia(mass=mass, S0=S0, J0=J0, Me=Me, **tables), K, D, nodes or {}, stress or {})


def _forms(file: Mapping[str, Array], word: str) -> dict[str, Array]:
    """What a file has of one of `FORMS`."""
    names = json.loads(str(file[word])) if word in file else []
    return {name: file[f"{word}{k}"] for k, name in enumerate(names)}


def _eigen(K: Array, M: Array) -> tuple[Array, Array]:
    """Squares of the angular frequencies in rising order, and the modes as columns, of unit mass.

    Coordinates that nothing couples stay apart: what bends in one plane does, however equal its planes are.
    """
    squares, V = np.zeros(len(K)), np.zeros(K.shape)
    for block in _uncoupled(K, M):
        own = np.ix_(block, block)
        L = np.linalg.cholesky(K[own])  # of the stiffness: so the low modes, not the high ones, are the most exact
        inverse, U = np.linalg.eigh(symmetric(np.linalg.solve(L, np.linalg.solve(L, M[own]).T)))
        squares[block] = 1.0 / inverse[::-1]
        V[own] = np.linalg.solve(L.T, U[:, ::-1]) * np.sqrt(squares[block])
    rising = np.argsort(squares, kind="stable")
    return squares[rising], V[:, rising]


def _uncoupled(*matrices: Array) -> list[Array]:
    """The coordinates in groups that none of these positive matrices couples, but by rounding."""
    coupled = np.eye(len(matrices[0]), dtype=bool)
    for A in matrices:
        scale = np.sqrt(np.diag(A))
        coupled |= np.abs(A) > 1e-12 * np.outer(scale, scale)
    while True:
        further = coupled @ coupled
        if np.array_equal(further, coupled):
            break
        coupled = further
    return [np.flatnonzero(row) for k, row in enumerate(coupled) if not row[:k].any()]


def _frequencies(K: Array, M: Array) -> Array:
    squares, _ = _eigen(K, M)
    return np.asarray(np.sqrt(np.maximum(squares, 0.0)) / (2 * math.pi))


def _shapes(nodes: Iterable[Node], V: Array) -> list[list[Array]]:
    """For each column of V what it does to the nodes."""
    nodes = list(nodes)
    return [[node.Y1 @ column for node in nodes] for column in V.T]


def _largest(shapes: list[Array], size: float, mass: float) -> float:
    """The largest displacement, m, of a mode of unit mass, with the sign of its largest number.

    Of a mode that moves no node it is what all of the body's mass would move by.
    """
    moves = np.array(shapes).reshape(-1, 6) * np.repeat([1.0, size], 3)
    most = float(np.linalg.norm(moves.reshape(-1, 3), axis=1).max(initial=0.0))
    if most < 1e-6 / math.sqrt(mass):
        return 1.0 / math.sqrt(mass)
    return math.copysign(most, moves.flat[np.argmax(np.abs(moves))])
