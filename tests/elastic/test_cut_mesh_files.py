"""Mesh files that end early are refused at once; some of meshio's readers would wait for their end for ever."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("meshio")
import meshio

import mbs_fmu as mbs
from mbs_fmu.elastic.meshes.mesh_files import TETRAHEDRA, load_cells

pytestmark = pytest.mark.quick

SUFFIXES = {
    "abaqus": ".inp", "ansys": ".msh", "avsucd": ".avs", "flac3d": ".f3grid", "gmsh": ".msh", "mdpa": ".mdpa",
    "medit": ".mesh", "nastran": ".bdf", "netgen": ".vol", "off": ".off", "permas": ".post", "ply": ".ply",
    "su2": ".su2", "tecplot": ".dat", "tetgen": ".node", "vtk": ".vtk", "vtu": ".vtu",
}  # fmt: skip
BOTH = ("ansys", "flac3d", "gmsh", "ply", "vtk", "vtu")  #: formats with a text and a binary form
FORMS = [(name, binary) for name in SUFFIXES for binary in ((False, True) if name in BOTH else (None,))]
POINTS = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1], [0.5, 2, 1]])
CELLS = np.array([[0, 1, 2, 3], [1, 2, 3, 4], [2, 3, 4, 5]])


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise TimeoutError after some seconds of processor time.

    The limit is far above what any file needs: a garbage collection in it may take seconds, and Python ignores an
    exception that arrives in one. The signal is therefore repeated.
    """

    def end(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGVTALRM, end)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds, 1.0)
    try:
        yield
    except KeyboardInterrupt:
        raise TimeoutError(f"more than {seconds} s of processor time") from None
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
        signal.signal(signal.SIGVTALRM, before)


@pytest.mark.skipif(not hasattr(signal, "SIGVTALRM"), reason="limits of processor time need signals of POSIX")
@pytest.mark.parametrize(
    ("name", "binary"), [pytest.param(*form, marks=pytest.mark.usual if k > 3 else ()) for k, form in enumerate(FORMS)]
)
def test_files_cut_anywhere_end_in_an_answer(name: str, binary: bool | None, tmp_path: Path) -> None:
    """A cut file is refused by its name, or it is read: in some formats a file of fewer cells ends in the same way."""
    file = tmp_path / f"cut{SUFFIXES[name]}"
    cells = ("triangle", CELLS[:, :3]) if name in ("off", "ply") else ("tetra", CELLS)
    options = {} if binary is None else {"binary": binary}
    meshio.write(file, meshio.Mesh(POINTS, [cells]), file_format=name, **options)
    content = file.read_bytes()
    for end in np.unique(np.linspace(0, len(content) - 1, 60).astype(int)):
        file.write_bytes(content[:end])
        with limited(30.0):
            try:
                load_cells(file, None, TETRAHEDRA)
            except mbs.ModelError as error:
                assert repr(str(file)) in str(error)


@pytest.mark.parametrize("options", [{"binary": True}, {"binary": False}, {"file_format": "gmsh22", "binary": False}])
def test_a_cut_file_of_gmsh_is_named(options: dict[str, object], tmp_path: Path) -> None:
    """Text or binary: the message says that the file ends early, or misses a section if it is cut between two."""
    file = tmp_path / "rod.msh"
    meshio.write(file, meshio.Mesh(POINTS, [("tetra", CELLS)]), **{"file_format": "gmsh", **options})
    content = file.read_bytes()
    assert load_cells(file, None, TETRAHEDRA).cells.tolist() == CELLS.tolist()
    for share in (0.3, 0.6, 0.9):
        file.write_bytes(content[: int(share * len(content))])
        with pytest.raises(mbs.ModelError, match=r"rod.msh' can't be read: (.*ends early|.*not found)"):
            load_cells(file, None, TETRAHEDRA)
