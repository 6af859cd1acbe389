"""Files of Abaqus as it writes them: matrices in all formats, substructures and input files."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import numpy as np

Array = np.ndarray


def entries(A: Array, triangle: str) -> Iterator[tuple[int, int, float]]:
    """Yield row, column and value of the entries of both triangles, or of the lower or upper one."""
    keep = {"both": A, "lower": np.tril(A), "upper": np.triu(A)}[triangle]
    for i, j in np.argwhere(keep):
        yield int(i), int(j), float(A[i, j])


def coordinate(path: Path, A: Array, triangle: str = "both") -> Path:
    """Write FORMAT=COORDINATE."""
    lines = [f"{i + 1} {j + 1}  {value:.15e}\n" for i, j, value in entries(A, triangle)]
    path.write_text("".join(lines))
    return path


def matrix_input(path: Path, A: Array, numbers: Array, dofs: int, triangle: str = "lower") -> Path:
    """Write FORMAT=MATRIX INPUT, the default."""
    labels = [f"{number},{dof}" for number in numbers for dof in range(1, dofs + 1)]
    lines = ["** Assembly matrix\n"]
    lines += [f"{labels[i]}, {labels[j]},  {value:.15e}\n" for i, j, value in entries(A, triangle)]
    path.write_text("".join(lines))
    return path


def substructure(
    path: Path, K: Array, M: Array, labels: list[tuple[int, list[int]]], unsymmetric: bool = False
) -> Path:
    """Write *SUBSTRUCTURE MATRIX OUTPUT; labels: node and its dofs."""
    nodes = [node for node, _ in labels]
    lines = ["**", "** GENERATION OF SUBSTRUCTURE Z1"]
    lines += [f"*USER ELEMENT, NODES={len(nodes):10d}, LINEAR{', UNSYM' if unsymmetric else ''}", "** ELEMENT NODES"]
    lines += ["**" + ",".join(f"{node:11d}" for node in nodes[k : k + 10]) for k in range(0, len(nodes), 10)]
    lines.append(",".join(f"{dof:11d}" for dof in labels[0][1]))
    for position, (before, now) in enumerate(itertools.pairwise(labels), 2):
        if before[1] != now[1]:
            lines.append(",".join(f"{k:11d}" for k in (position, *now[1])))
    for kind, A in (("STIFFNESS", K), ("MASS", M)):
        lines.append(f"*MATRIX,TYPE={kind}")
        for k, row in enumerate(A):
            values = [f"{value:19.13E}" for value in (row if unsymmetric else row[: k + 1])]
            lines += [
                ", ".join(values[i : i + 4]) + ("," if i + 4 < len(values) else "") for i in range(0, len(values), 4)
            ]
    path.write_text("\n".join(lines) + "\n")
    return path


def model(
    path: Path, nodes: Array, numbers: Array, sets: dict[str, list[int]], cells: dict[str, Array] | None = None
) -> Path:
    """Write an input file as Abaqus/CAE does: nodes and elements in an instance, sets of the assembly."""
    lines = ["*Heading", "** made by a test", "*Part, name=block", "*End Part", "*Assembly, name=Assembly"]
    lines += ["*Instance, name=block-1, part=block", "*Node"]
    lines += [f"{k:7d}, {', '.join(f'{x:.12g}' for x in place)}" for k, place in zip(numbers, nodes, strict=True)]
    for kind, rows in (cells or {}).items():
        lines.append(f"*Element, type={kind}")
        for number, row in enumerate(rows, 1):
            words = [str(number), *(str(numbers[k]) for k in row)]
            lines += [
                ", ".join(words[i : i + 16]) + ("," if i + 16 < len(words) else "") for i in range(0, len(words), 16)
            ]
    lines.append("*End Instance")
    for name, members in sets.items():
        lines += [f"*Nset, nset={name}, instance=block-1", ", ".join(str(numbers[k]) for k in members)]
    lines += ["*End Assembly", "*Step", "*MATRIX GENERATE, STIFFNESS, MASS", "*End Step"]
    path.write_text("\n".join(lines) + "\n")
    return path


def write_bracket(folder: Path) -> None:
    """Write files of a bracket of aluminium for the docs, in mm, t, s: bracket* of Abaqus, k.mm, ... of Ansys."""
    import scipy.io
    import scipy.sparse
    import skfem

    from mbs_fmu.elastic import solid

    lines = np.linspace(0, 0.2, 9), np.linspace(0, 0.05, 3), np.linspace(0, 0.02, 2)
    mesh = skfem.MeshTet.init_tensor(*lines)
    ends = {"ROOT": lambda x, y, z: x < 1e-6, "TIP": lambda x, y, z: x > 0.2 - 1e-6}
    body = solid.assembled((mesh.p.T, mesh.t.T), (7e10, 0.3, 2700.0), ends)
    K, M, places = 1e-3 * body.K.toarray(), 1e-3 * body.M.toarray(), 1e3 * body.nodes
    K, M = 0.5 * (K + K.T), 0.5 * (M + M.T)
    numbers = 3 * np.arange(1, len(places) + 1)
    coordinate(folder / "bracket_STIF1.mtx", K)
    coordinate(folder / "bracket_MASS1.mtx", M)
    sets = {name: nodes.tolist() for name, (nodes, _) in body.frames.items()}
    model(folder / "bracket.inp", places, numbers, sets, {"C3D10": body.stiffening.basis.element_dofs.T})
    order = np.random.default_rng(1).permutation(len(K))
    np.savetxt(folder / "nodes.txt", np.column_stack([numbers, places]))
    files = {
        "k.mm": K[np.ix_(order, order)], "m.mm": M[np.ix_(order, order)],
        "map.mm": scipy.sparse.coo_array((np.ones(len(order)), (np.arange(len(order)), order))),
    }  # fmt: skip
    for name, A in files.items():
        with (folder / name).open("wb") as file:
            scipy.io.mmwrite(file, scipy.sparse.coo_array(A), symmetry="general" if name == "map.mm" else "symmetric")
