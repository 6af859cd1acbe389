"""Data of an elastic body: inertia, stiffness and damping of its modes, and the nodes to which frames attach."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..infrastructure.arguments import is_whole, positive, truth
from ..infrastructure.errors import ModelError
from ..infrastructure.lazy_dataclasses import dataclass
from ..infrastructure.messages.calls import add_clear_errors
from ..infrastructure.messages.failures import display
from ..infrastructure.messages.names import listed
from ..infrastructure.messages.suggestions import did_you_mean
from . import matrices, modes_files, sid, solid, superelement
from .argument_types import FrameNodes, FramePoints, LoadData, Matrix, MeshData, Points, Rows, Stiffening, Table
from .checks import array, check_modes, checked_forms, checked_inertia, checked_nodes, order, square
from .eigenmodes import eigen, eigenfrequencies, largest, node_shapes
from .elements.plate_elements import DOFS
from .frames import Node, first_mean_frame, in_mean_frame, moved
from .matrices import Reduced
from .printout import printout
from .reduction.stress_stiffness import Case
from .shapes import Array, Inertia, symmetric, twice_combined
from .shell import shell_model
from .surfaces import Surface, checked_surface, surface_of


@add_clear_errors
@dataclass(frozen=True, eq=False, repr=False)
class Modes:
    """An elastic body with n modes: small deformations about a frame with large motion.

    `mbs.beam` makes one, as do files (`load`, `sid`), finite element models (`matrices`, `solid`) and tables
    (`invariants`). The coordinates xi have no fixed unit; those of `normal()` are in metres.

    inertia: the invariants, see mbs_fmu/elastic/shapes.py. stiffness, damping: (n, n), symmetric; the forces are
    -K xi - D xi_dot. nodes: places to which frames can attach, by name. stress: for each name of a point the matrix
    (6, n) from xi to the stresses xx, yy, zz, xy, yz, xz (Pa). section_forces: for each name of a node the matrix
    (6, n) from xi to N, Qy, Qz (N), Mx, My, Mz (N.m) of the part behind the node on the part before it. foreshortening:
    True if the body includes the second-order shortening due to bending, without which a rotating body becomes softer
    instead of stiffer; by default True if S2 or a node's Y2 is not zero. left_out: the
    share of the strain energy by each inertia load, such as "az" of weight along z, that the modes cannot represent
    (H11); empty if it is unknown. surface: the mesh that pictures show, or None. notes: what the data leave open.

    Raises ModelError for data that no body can have: modes that are rigid motions or depend on each other, a stiffness
    or mass that is not positive, matrices that are not symmetric.
    """

    inertia: Inertia
    stiffness: Array
    damping: Array | None = None
    nodes: Mapping[str, Node] = field(default_factory=dict)
    stress: Mapping[str, Array] = field(default_factory=dict)
    section_forces: Mapping[str, Array] = field(default_factory=dict)
    foreshortening: bool | None = None
    left_out: Mapping[str, float] = field(default_factory=dict)
    surface: Surface | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        inertia = checked_inertia(self.inertia)
        n = inertia.Me.shape[0]
        damping = np.zeros((n, n)) if self.damping is None else self.damping
        checked = {
            "inertia": inertia,
            "stiffness": square(self.stiffness, n, "the stiffness of modes"),
            "damping": square(damping, n, "the damping of modes"),
            "nodes": checked_nodes(self.nodes, n),
            "stress": checked_forms(self.stress, n, "stress"),
            "section_forces": checked_forms(self.section_forces, n, "section forces"),
            "surface": checked_surface(self.surface, n),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)
        if self.foreshortening is None:
            second = [inertia.S2, *(node.Y2 for node in self.nodes.values())]
            object.__setattr__(self, "foreshortening", any(map(np.any, second)))
        check_modes(inertia, in_mean_frame(inertia, {})[0], self.stiffness, self.damping_matrix)

    # -- properties ----------------------------------------------------------------------------------------------
    @property
    def count(self) -> int:
        """Number n of modes."""
        return int(self.stiffness.shape[0])

    @property
    def mass(self) -> float:
        """Mass, kg."""
        return self.inertia.mass

    @property
    def damping_matrix(self) -> Array:
        """Damping matrix D, (n, n)."""
        assert self.damping is not None  # since __post_init__
        return self.damping

    @property
    def size(self) -> float:
        """Characteristic length (m), about that of the body, that makes rotations comparable with displacements."""
        distances = [float(np.linalg.norm(node.position - self.inertia.center)) for node in self.nodes.values()]
        return 2.0 * max([*distances, math.sqrt(0.5 * np.trace(self.inertia.central) / self.mass)])

    @property
    def frequencies(self) -> Array:
        """Frequencies of the free body without damping, (n), Hz, in ascending order."""
        body, _ = in_mean_frame(self.inertia, {})
        return eigenfrequencies(self.stiffness, body.Me)

    def held(self, node: str) -> Array:
        """Return frequencies of the body fixed at a node, without damping, (n), Hz, in ascending order.

        Raises ModelError for an unknown node.
        """
        return eigenfrequencies(self.stiffness, moved(self.inertia, self.node(node)).Me)

    def damping_ratios(self, held: str | None = None) -> Array:
        """Return the damping ratio of each mode, (n).

        held: name of the node at which the body is fixed; by default the body is free. Damping that couples modes is
        neglected. Raises ModelError for an unknown node.
        """
        body = in_mean_frame(self.inertia, {})[0] if held is None else moved(self.inertia, self.node(held))
        squares, V = eigen(self.stiffness, body.Me)
        return np.asarray(0.5 * np.einsum("ak,ab,bk->k", V, self.damping_matrix, V) / np.sqrt(squares))

    def compliance(self, node: str, root: str) -> Array:
        """Return the compliance of a node of the body fixed at a root, (6, 6).

        It maps a force (N) and a moment (N.m) at the node to its displacement (m) and rotation (rad), in the body's
        axes. Raises ModelError for an unknown node.
        """
        Y = self.node(node).seen_from(self.node(root)).Y1
        return np.asarray(Y @ np.linalg.solve(self.stiffness, Y.T))

    def effective_mass(self, node: str) -> Array:
        """Return the mass that moves with the body held at a node and takes part in its vibrations, (6, 6).

        It is the sum over all modes of the mass by which they load a base that accelerates the node, in kg, kg m and kg
        m² (H14); the rest of the body's mass follows the node rigidly. Raises ModelError.
        """
        inertia = moved(self.inertia, self.node(node))
        taken = np.linalg.solve(np.linalg.cholesky(inertia.Me), np.concatenate([inertia.S1, inertia.C0]).T)
        return np.asarray(taken.T @ taken)

    def node(self, name: str) -> Node:
        """Return the node of this name. Raises ModelError if there is none."""
        if not isinstance(name, str) or name not in self.nodes:
            known = listed(self.nodes)
            raise ModelError(
                f"unknown node {display(name)}{did_you_mean(name, self.nodes)}; this elastic body has {known}"
            )
        return self.nodes[name]

    def __str__(self) -> str:
        return printout(self)

    def __repr__(self) -> str:
        return f"<elastic body: {self.mass:.6g} kg, {self.count} modes, nodes {listed(self.nodes)}>"

    # -- changes of coordinates ----------------------------------------------------------------------------------
    def combined(self, V: Array) -> Modes:
        """Return the body in coordinates eta, xi = V eta, with V (n, m); m < n constrains its shapes.

        Raises ModelError.
        """
        V = array(V, (self.count, np.shape(V)[1] if np.ndim(V) == 2 else 0), "V")
        nodes = {name: node.combined(V) for name, node in self.nodes.items()}
        K, D = (symmetric(twice_combined(A, V)) for A in (self.stiffness, self.damping_matrix))
        stress, sections = ({name: A @ V for name, A in forms.items()} for forms in (self.stress, self.section_forces))
        left_out = self.left_out if V.shape[1] == self.count else {}
        surface = None if self.surface is None else self.surface.combined(V)
        parts = stress, sections, self.foreshortening, left_out, surface, self.notes
        return Modes(self.inertia.combined(V), K, D, nodes, *parts)

    def normal(self) -> Modes:
        """Return the body in the mean frame and in its normal coordinates, by ascending frequency.

        Stiffness and the modes' mass matrix are diagonal. Each coordinate is scaled to metres: it is 1 where the
        largest displacement of a node is 1 m; rotations count as displacements after multiplication by `size`.
        """
        body, squares, V = self._normal_modes()
        normal = body.combined(V)
        masses = np.diag(normal.inertia.Me).copy()
        return replace(normal, inertia=replace(normal.inertia, Me=np.diag(masses)), stiffness=np.diag(masses * squares))

    def normal_coordinates(self) -> Array:
        """Return V, (n, n): xi = V eta, where eta are the coordinates of `normal()`, which bodies of models have."""
        return self._normal_modes()[2]

    def _normal_modes(self) -> tuple[Modes, Array, Array]:
        """Return the body in the mean frame, the squares of its angular frequencies, and V of `normal_coordinates`."""
        inertia, nodes = in_mean_frame(self.inertia, dict(self.nodes))
        zero, C1 = np.zeros_like(inertia.S1), 0.5 * (inertia.C1 - inertia.C1.swapaxes(1, 2))
        inertia = replace(inertia, S1=zero, S2=np.zeros_like(inertia.S2), C0=zero, C1=C1)  # removes rounding errors
        squares, V = eigen(self.stiffness, inertia.Me)
        V = V / [largest(shapes, self.size, self.mass) for shapes in node_shapes(nodes.values(), V)]
        surface = None if self.surface is None else self.surface.seen_from(first_mean_frame(self.inertia))
        return replace(self, inertia=inertia, nodes=nodes, surface=surface), squares, V

    def keep(self, count: int | None = None, below: float | None = None, held: str | None = None) -> Modes:
        """Return the body with its lowest modes only, in normal coordinates.

        count: number of modes. below: instead of count, keeps the modes below this frequency, Hz. held: name of the
        node at which the body is fixed for its modes; by default the body is free. Raises ModelError.
        """
        normal = self.normal() if held is None else self._held_modes(held)
        frequencies = self.frequencies if held is None else self.held(held)
        if (count is None) == (below is None):
            raise ModelError("keep: give either the number of modes, or the frequency (Hz) below which they lie")
        number = count if below is None else int(np.sum(frequencies < positive(below, "below")))
        if below is not None and number == 0:
            raise ModelError(f"no mode lies below {below:g} Hz: the first has {frequencies[0]:g} Hz")
        if number is None or not is_whole(number) or not 1 <= number <= self.count:
            raise ModelError(
                f"can't keep {display(count)} modes: give a whole number, 1 to {self.count}, or below= for a frequency"
            )
        return normal.combined(np.eye(self.count)[:, :number]).normal()

    def _held_modes(self, node: str) -> Modes:
        """Return the body in the coordinates of its modes when it is fixed at a node."""
        _, V = eigen(self.stiffness, moved(self.inertia, self.node(node)).Me)
        return self.combined(V)

    def with_damping(self, ratio: float | Sequence[float], held: str | None = None) -> Modes:
        """Return the body in normal coordinates, with modal damping.

        ratio: damping ratio, one for all modes or one for each. held: name of the node at which the body is fixed for
        its modes; by default the body is free. Raises ModelError.
        """
        normal = self.normal()
        try:
            ratios = np.array(ratio)
        except ValueError:  # rows of different lengths
            ratios = np.array("")
        if ratios.dtype.kind not in "fiu" or ratios.shape not in ((), (self.count,)) or not np.all(ratios >= 0.0):
            raise ModelError(
                f"damping is {display(ratio)}: give damping ratios, 0 or more, one or {self.count} of them"
            )
        if held is None:
            omega = 2 * math.pi * normal.frequencies
            return replace(normal, damping=np.diag(2 * omega * np.diag(normal.inertia.Me) * ratios))
        M = moved(normal.inertia, normal.node(held)).Me
        squares, V = eigen(normal.stiffness, M)  # of unit mass: V⁻¹ is VᵀM
        return replace(normal, damping=symmetric(M @ V @ np.diag(2 * np.sqrt(squares) * ratios) @ V.T @ M))

    # -- files ---------------------------------------------------------------------------------------------------
    def save(self, path: str | Path) -> None:
        """Write a file of numpy (.npz) that `load` reads. Raises OSError."""
        modes_files.write(path, self)

    @classmethod
    def load(cls, path: str | Path) -> Modes:
        """Read a file that `save` wrote. Raises OSError, and ModelError for any other file."""
        return cls._of_file(path, *modes_files.read(path))

    @classmethod
    def sid(cls, path: str | Path) -> Modes:
        """Read standard input data, SID_FEM text, that FEMBS, SIMPACK and others write. Node 12 is "node12".

        Raises OSError, and ModelError for a file that is damaged or inconsistent, or data that no body can have.
        """
        return cls._of_file(path, *sid.read(path))

    @classmethod
    def matrices(
        cls,
        nodes: Rows,
        M: Matrix,
        K: Matrix,
        frames: Mapping[str, FrameNodes],
        modes: int = 10,
        couple: str = "average",
        dofs: int | None = None,
        stress: Mapping[str, Matrix] | None = None,
        geometric: Stiffening | None = None,
        loads: LoadData | None = None,
        damping_matrix: Matrix | None = None,
        rayleigh: tuple[float, float] = (0.0, 0.0),
        faces: Rows | None = None,
    ) -> Modes:
        """Return the reduction (Craig and Bampton 1968) of a finite element model.

        nodes: undeformed places, (N, 3), m, in the body's axes. M, K: mass and stiffness matrix, (dofs N, dofs N),
        sparse or dense, kg and N/m, of the free structure, without supports. dofs: per node, 3 (x, y, z: solids) or 6
        (then rotations, rad), by default as many as M has. frames: the nodes of this body by name, for each the indices
        (from 0) of nodes of the model, at whose centroid it lies, or a pair (indices, place). couple: "average": a
        frame moves with the average of its nodes, "rigid": its nodes are rigidly connected to it. modes: number of
        vibration modes with all frames fixed, in addition to the six static shapes for loads at each frame but the
        first. stress: for each name of a point the matrix (6, dofs N), sparse or dense, from displacements to the
        stresses xx, yy, zz, xy, yz, xz, Pa.

        geometric: source of the stress stiffness, by which the body stiffens where it rotates or is pulled, and buckles
        where it is pressed: "bars" for pin-jointed bars, which K determines; a function from displacements (dofs N) to
        the stress stiffness K_g of their stresses, (dofs N, dofs N), N/m; or K_g by load case, for the forces of
        `load_cases`. Without it, the body softens as it rotates.

        loads: "inertia" adds up to 12 shapes for accelerations and rotations of the body, with which its stresses under
        weight and steady rotation are exact. {"inertia": True, "wind": f} adds one shape for nodal forces f, (dofs N),
        parallel to each other, and a node "wind" on their line of action: a force |R| along its x axis, with the
        resultant R, does the work of the whole load.

        damping_matrix: (dofs N, dofs N), N s/m, without effect on rigid motions. rayleigh: (alpha, beta), 1/s and s,
        adds alpha M + beta K, of which alpha damps deformations only.

        faces: triangles, (M, 3) indices of nodes, of the surface that pictures show; without them they show bars.

        Needs scipy (the extra `elastic`). Raises ModelError. Source: Craig and Bampton (1968); (H1) to (H12) of
        docs/equations_elastic.md; the damping matrix is K_f of Gorobtsov (2005), (3).
        """
        options = matrices.Options(frames, modes, couple, stress, geometric, loads, damping_matrix, rayleigh)
        return cls._reduced(matrices.reduced(nodes, M, K, dofs, options), faces)

    @classmethod
    def superelement(
        cls,
        places: Rows | str | Path,
        M: Matrix | str | Path | Sequence[str | Path],
        K: Matrix | None = None,
        *,
        modal: int | None = None,
        names: Mapping[int, str] | Sequence[str] | None = None,
        damping: Matrix | None = None,
        recovery: Matrix | None = None,
        at: Rows | None = None,
        couple: str = "average",
        stress: Mapping[str, Matrix] | None = None,
        units: str | None = None,
    ) -> Modes:
        """Return a body from reduced matrices (Craig and Bampton 1968) that another program wrote.

        places: of the k interface nodes, (k, 3), m. M, K, damping: (6 k + q, 6 k + q): first x, y, z, rx, ry, rz of
        each interface node, in the axes of the places, then q = modal coordinates. Or, without K, files of NASTRAN:
        places an .op4 or .pch, M an .asm or a list with the bulk data of recovered grids. units: of all data, such as
        "mm,t,s", by default "m,kg,s". The first coordinates are the displacements of the interface nodes: modes must
        have a fixed interface, zero rows P (6 k, q) of its dofs. Otherwise subtract their boundary part: with
        S = [[E, -P], [0, E]] give SᵀMS, SᵀKS and recovery S. M and K alone do not show P.

        names: of nodes by number (from 1, in files those of the program), or one for each; without a name, number 12 is
        "node12". Nodes of the same name make one frame, by couple as in `matrices`. recovery, at: displacements
        (3 r, 6 k + q) of further points and their places (r, 3), which serve to estimate the terms of second order.
        stress: matrices (6, 6 k + q) by name. `notes` states what the data leave open.

        Needs scipy. Raises ModelError, also if K resists rigid motions, and if recovery points at interface nodes move
        unlike these. Source: (H15), (H16) of docs/equations_elastic.md.
        """
        arrays = superelement.Arrays(modal, damping, recovery, at)
        data = superelement.data_of(places, M, K, arrays, units)
        return cls._reduced(superelement.reduced(data, names, couple, stress), None)

    @staticmethod
    def load_cases(
        nodes: Rows,
        M: Matrix,
        K: Matrix,
        frames: Mapping[str, FrameNodes],
        couple: str = "average",
        dofs: int | None = None,
        loads: LoadData | None = None,
    ) -> dict[Case, Array]:
        """Return nodal forces, (dofs N), N and N m, by load case, for another program's stress stiffness.

        Arguments as of `matrices`. Solve one static step for each case with these forces alone, which are in
        equilibrium: any six supports that hold the structure carry nothing. Write its stress stiffness (K_g alone,
        without K), and pass the matrices by case as `geometric`. Cases: "ax", "ay", "az" of accelerations by 1 m/s²,
        "ex", ... of angular accelerations by 1 rad/s², "wxwx", "wxwy", ... of products of angular velocities by 1
        (rad/s)², (name, 0) to (name, 5) of a unit force and moment at each frame but the first, and (name, 0) to
        (name, 2) of forces at the node of a load. Raises ModelError.
        """
        return matrices.cases_of(nodes, M, K, dofs, matrices.Options(frames, 1, couple, loads=loads))

    @classmethod
    def solid(
        cls,
        mesh: MeshData,
        *,
        E: float,
        nu: float,
        density: float,
        frames: Mapping[str, FramePoints],
        root: str | None = None,
        modes: int = 10,
        couple: str = "average",
        scale: float | None = None,
        order: int = 2,
        stress: Points | None = None,
        geometric: bool = True,
        loads: LoadData | None = None,
        rayleigh: tuple[float, float] = (0.0, 0.0),
    ) -> Modes:
        """Return a solid of one material: a mesh of tetrahedra, assembled by scikit-fem and reduced as in `matrices`.

        mesh: a file that meshio reads (.msh, .vtk, .inp, ...), or arrays (points, tetrahedra), (N, 3) and (n, 4), or
        (n, 10) with midpoints of curved edges; in the body's axes. scale: metres per unit of the mesh, 1e-3 for mm. E:
        Young's modulus, Pa. nu: Poisson's ratio. density: kg/m³. root: name of the first frame. modes, couple: see
        `matrices`. order: polynomial order of displacements in tetrahedra; order 1 is far too stiff in bending. stress:
        the places (3), m, of stresses, by name. geometric: False omits the stress stiffness, and the body softens as it
        rotates. loads, rayleigh: see `matrices`.

        frames: the nodes of this body by name. Each selects points of the mesh: by a function of x, y, z (arrays, m)
        that is True for them, by the name of a physical group, of a point set or of a cell set of the file, or by
        indices (from 0); midpoints of edges between them on the surface are added. The frame lies at the centroid of
        the surface between these points (or of the points, if there is no such surface). A pair (selection, place in m)
        sets its place.

        Needs the extra `solid`. Raises ModelError. Source: (H1) to (H7) of docs/equations_elastic.md.
        """
        model = solid.assembled(mesh, (E, nu, density), frames, root, scale, order, stress)
        source = model.stiffening if truth(geometric, "geometric", ModelError) else None
        options = matrices.Options(model.frames, modes, couple, model.stress, source, loads, rayleigh=rayleigh)
        return cls._reduced(matrices.reduced(model.nodes, model.M, model.K, 3, options), model.faces)

    @classmethod
    def shell(
        cls,
        mesh: MeshData,
        *,
        thickness: float,
        E: float,
        nu: float,
        density: float,
        frames: Mapping[str, FramePoints],
        root: str | None = None,
        modes: int = 10,
        couple: str = "rigid",
        scale: float | None = None,
        geometric: bool = True,
        loads: LoadData | None = None,
        rayleigh: tuple[float, float] = (0.0, 0.0),
    ) -> Modes:
        """Return a thin shell: a mesh of triangles in space, its middle surface, reduced as in `matrices`.

        mesh: a file that meshio reads, or arrays (points, triangles), (N, 3) and (n, 3). thickness: m. frames: each
        selects points as in `solid`; one is enough. A frame lies at the centroid of the triangles between its points,
        or else of the edges, or of the points. All other arguments: see `solid`; loads have 6 dofs per node.

        Shells have no transverse shear deformation. Needs scipy, for files also meshio (the extra `solid`). Raises
        ModelError. Source: (H8) of docs/equations_elastic.md; the elements are in elastic/elements/triangles.py.
        """
        model = shell_model(mesh, thickness, (E, nu, density), frames, root, scale)
        source = model.elements if truth(geometric, "geometric", ModelError) else None
        options = matrices.Options(model.frames, modes, couple, None, source, loads, rayleigh=rayleigh)
        return cls._reduced(matrices.reduced(model.places, model.M, model.K, DOFS, options), model.faces)

    @classmethod
    def _reduced(cls, reduced: Reduced, faces: Rows | None) -> Modes:
        """Return a reduced structure in its mean frame and normal coordinates; faces: of its surface."""
        surface = None if faces is None else surface_of(faces, reduced.places, reduced.displacements)
        body = cls(
            reduced.inertia, reduced.stiffness, reduced.damping, reduced.nodes, reduced.stress,
            foreshortening=reduced.foreshortening, left_out=reduced.left_out, surface=surface, notes=reduced.notes,
        )  # fmt: skip
        return body.normal()

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
        S0: Table,
        J0: Rows,
        Me: Rows,
        K: Rows,
        D: Rows | None = None,
        nodes: Mapping[str, Node] | None = None,
        stress: Mapping[str, Rows] | None = None,
        **more: Table,
    ) -> Modes:
        """Return a body from tables, as in papers and standard input data: see (F1) in docs/equations_elastic.md.

        mass: kg. S0 (3), J0 (3, 3), Me, K and D (n, n); in `more`, by default zero: S1 and C0 (3, n), S2 and C1
        (3, n, n), J1 (3, 3, n), J2 (3, 3, n, n). The first axes are directions in space, the last ones modes. nodes,
        stress: see `Modes`. Raises ModelError.
        """
        n = order(Me)
        zero = {"S1": (3, n), "S2": (3, n, n), "J1": (3, 3, n), "J2": (3, 3, n, n), "C0": (3, n), "C1": (3, n, n)}
        unknown = sorted(set(more) - set(zero))
        if unknown:
            raise ModelError(f"unknown invariant {unknown[0]!r}: give some of {', '.join(zero)}")
        tables: dict[str, Any] = {name: more.get(name, np.zeros(shape)) for name, shape in zero.items()}
        tables |= {"S0": S0, "J0": J0, "Me": Me}
        parts: tuple[Any, ...] = (K, D, nodes or {}, stress or {})  # the constructor makes arrays of them
        return cls(Inertia(mass=mass, **tables), *parts)
