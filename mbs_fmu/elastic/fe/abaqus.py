"""Data of Abaqus: matrices of a model or a substructure, with the nodes of its input file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ...infrastructure.errors import ModelError
from ...infrastructure.messages.calls import with_clear_errors
from ...infrastructure.messages.names import listed
from ..reduction.structures import rigid_motions, scipy_modules
from ..shapes import Array
from .abaqus_input import Input, read_input
from .abaqus_matrices import Substructure, Triplets, read_mtx
from .data import Data, ReducedData
from .densities import model_notes
from .free_bodies import fault
from .rigid_places import free_motions, implied_places
from .units import DAMPING, MASS, MODAL, STIFFNESS, Units, nodal_kinds, scaled, units_of

TRANSLATIONS, ALL = (1, 2, 3), (1, 2, 3, 4, 5, 6)  #: dofs of nodes of solids, and with rotations
DAMPINGS = "VISCOUS DAMPING"
FAULTS = "leave out supports and couplings, check that its file is not cut, and give the input file of the same model"


@with_clear_errors
def abaqus(
    stiffness: str | Path, mass: str | Path | None = None, inp: str | Path | None = None, units: str = "m,kg,s"
) -> Data | ReducedData:
    """Return the matrices of an Abaqus model, with its nodes, sets of nodes and solid elements.

    stiffness, mass: files of `*MATRIX OUTPUT` in the formats COORDINATE, MATRIX INPUT or LABELS, one triangle or both;
    or stiffness alone, a file of `*SUBSTRUCTURE MATRIX OUTPUT` with both matrices. inp: input file with `*NODE`,
    `*NSET` and `*ELEMENT`; a substructure whose nodes have six dofs needs none, its places are then relative to the
    first node.
    units: of length, mass and time in the files; the result is in SI units. A substructure with rows of nodes that inp
    lacks, modal coordinates, is data for `mbs.Modes.superelement(*data)`, all others for `mbs.Modes.matrices`.

    Raises ModelError for damaged files, files that do not belong together, nodes in several parts or with axes of their
    own, rows that are missing, as those of supported dofs, and stiffness that resists rigid motions.
    """
    factors = units_of(units)
    K = read_mtx(stiffness)
    model = None if inp is None else read_input(inp)
    if isinstance(K, Substructure):
        return _substructure(K, model, factors)
    if mass is None or model is None:
        raise ModelError(f"{stiffness} has one matrix: give the files of stiffness and mass, and the input file (inp=)")
    M = read_mtx(mass)
    if isinstance(M, Substructure) or M.labels.shape[1] != K.labels.shape[1]:
        raise ModelError(f"{stiffness} and {mass} have different formats: write both in one step")
    assembly = _by_rows(K, M, model) if K.labels.shape[1] == 2 else _by_labels(K, M)
    nodes, dofs, matrices = assembly
    return _data(nodes, dofs, matrices, model, factors, f"{stiffness}, {mass}, {inp}")


# -- rows --------------------------------------------------------------------------------------------------------
def _by_rows(K: Triplets, M: Triplets, model: Input) -> tuple[Array, int, list[Any]]:
    """Return numbers of nodes, dofs per node, K and M from rows in the order of the nodes. Raises ModelError."""
    size = max(int(A.labels.max()) for A in (K, M))
    used = np.unique(np.concatenate([np.zeros(0, dtype=int), *(cells.ravel() for cells in model.elements.values())]))
    for nodes in (model.numbers, model.numbers[used]):
        if size in (3 * len(nodes), 6 * len(nodes)):
            matrices = [A.matrix(A.labels[:, 0] - 1, A.labels[:, 1] - 1, size) for A in (K, M)]
            return nodes, size // len(nodes), matrices
    raise ModelError(
        f"{K.source} has {size} rows, {len(model.numbers)} nodes of the input file need {3 * len(model.numbers)} or "
        f"{6 * len(model.numbers)}: leave out supports and couplings, or write FORMAT=MATRIX INPUT, which names nodes"
    )


def _by_labels(K: Triplets, M: Triplets) -> tuple[Array, int, list[Any]]:
    """Return numbers of nodes, dofs per node, K and M from rows with node and dof. Raises ModelError."""
    pairs = np.concatenate([A.labels.reshape(-1, 2) for A in (K, M)])
    codes = pairs[:, 0] * 8 + np.minimum(pairs[:, 1], 7)
    rows = np.unique(codes)
    nodes, dofs = _uniform(rows // 8, rows % 8, K.source)
    ends = np.searchsorted(rows, codes).reshape(-1, 2)
    count = len(K.values)
    matrices = [A.matrix(at[:, 0], at[:, 1], len(rows)) for A, at in ((K, ends[:count]), (M, ends[count:]))]
    return nodes, dofs, matrices


def _uniform(nodes: Array, dofs: Array, source: str) -> tuple[Array, int]:
    """Return the numbers of nodes, and how many dofs each has; rows are sorted. Raises ModelError unless 3 or 6."""
    numbers, first, counts = np.unique(nodes, return_index=True, return_counts=True)
    own = {3: TRANSLATIONS, 6: ALL}.get(int(counts[0]), ALL)
    for number, start, count in zip(numbers.tolist(), first.tolist(), counts.tolist(), strict=True):
        have = dofs[start : start + count].tolist()
        if have != list(own):
            raise ModelError(
                f"{source}: node {number} has the dofs {listed(have)}, node {numbers[0]} {listed(own)}: each needs 1, "
                "2, 3 or 1 to 6; leave out supports and couplings, and retain all dofs"
            )
    return numbers, len(own)


# -- data --------------------------------------------------------------------------------------------------------
def _data(nodes: Array, dofs: int, matrices: list[Any], model: Input, units: Units, source: str) -> Data:
    """Return K, M (and damping) of nodes with their places, sets and elements. Raises ModelError."""
    known = np.searchsorted(model.numbers, nodes).clip(0, len(model.numbers) - 1)
    for number in nodes[model.numbers[known] != nodes][:1]:
        raise ModelError(
            f"{source}: the input file has no node {number}, which the matrices have: give that of the model"
        )
    index = np.full(len(model.numbers), -1)
    index[known] = np.arange(len(nodes))
    sets = {name: index[members][index[members] >= 0] for name, members in model.sets.items()}
    elements = {kind: index[cells] for kind, cells in model.elements.items() if (index[cells] >= 0).all()}
    kinds, places = nodal_kinds(len(nodes), dofs), units.length * model.places[known]
    K, M, *D = (scaled(A, kinds, units, p) for A, p in zip(matrices, (STIFFNESS, MASS, DAMPING), strict=False))
    wrong = fault(K, M, rigid_motions(places, places.mean(0), dofs), FAULTS)
    if wrong is not None:
        raise ModelError(f"{source}: {wrong}")
    notes = model_notes(M, places, dofs)
    sets = {name: members for name, members in sets.items() if len(members)}
    return Data(places, M, K, nodes, sets, dofs, D[0] if D else None, elements, tuple(notes))


def _substructure(data: Substructure, model: Input | None, units: Units) -> Data | ReducedData:
    """Return the data of a substructure. Raises ModelError."""
    K, M = data.matrices["STIFFNESS"], data.matrices["MASS"]
    free_motions(K, f"{data.source}: the stiffness")
    matrices = [K, M, *([data.matrices[DAMPINGS]] if DAMPINGS in data.matrices else [])]
    left = [kind for kind in data.matrices if kind not in ("STIFFNESS", "MASS", DAMPINGS)]
    notes = (f"{listed(left)} of {data.source} has no effect",) if left else ()
    nodes, dofs = data.labels.T
    physical = np.full(len(nodes), True) if model is None else np.isin(nodes, model.numbers)
    order = np.concatenate([np.lexsort((dofs[physical], nodes[physical])), np.arange(physical.sum(), len(nodes))])
    order = np.concatenate([np.flatnonzero(physical), np.flatnonzero(~physical)])[order]
    matrices = [A[np.ix_(order, order)] for A in matrices]
    count = int(physical.sum())
    numbers, each = _uniform(nodes[order[:count]], dofs[order[:count]], data.source)
    if model is None:
        places = implied_places(K[np.ix_(order, order)], f"{data.source}: the stiffness")
        model = Input(numbers, places, {}, {})
        notes = (*notes, f"places are relative to node {numbers[0]}: no input file (inp=) states them")
    if count == len(nodes):
        csc = scipy_modules().sparse.csc_array
        whole = _data(numbers, each, [csc(A) for A in matrices], model, units, data.source)
        return Data(**(vars(whole) | {"notes": (*whole.notes, *notes)}))
    if each != 6:
        raise ModelError(f"{data.source} has modal coordinates: retain all six dofs of each node beside them")
    kinds = np.append(nodal_kinds(len(numbers), 6), np.full(len(nodes) - count, MODAL))
    K, M, *D = (scaled(A, kinds, units, p) for A, p in zip(matrices, (STIFFNESS, MASS, DAMPING), strict=False))
    places = units.length * model.places[np.searchsorted(model.numbers, numbers)]
    return ReducedData(places, M, K, numbers, D[0] if D else None, notes=notes)
